"""steelyard add: saved evaluations in, the evaluation of all rows together out; what differs is refused in a sentence."""

import json
import os

import pytest

from steelyard import load
from steelyard.errors import CannotAdd
from steelyard.views.layout import width_of

from .conftest import HEAD, two_levels

SCORES = ("--target", "y", "--score", "p")
SAVED = {}
"""What the command saved of six days, by how it was asked: it saves the same of the same rows."""


@pytest.fixture
def days(steelyard, make, tmp_path):
    """Six days of forty rows each, saved, and one file of all."""
    rows = two_levels()
    make("all.csv", HEAD, rows)

    def save(*how, name="day"):
        out = [f"{name}{i}.json" for i in range(6)]
        for i, file in enumerate(out):
            make(f"{i}.csv", HEAD, rows[40 * i : 40 * i + 40])
            if how not in SAVED:
                told = steelyard("evaluate", f"{i}.csv", *how, "--save", file, "--force", "-q")
                assert told.code == 0, told.err
            else:
                (tmp_path / file).write_bytes(SAVED[how][i])
        SAVED.setdefault(how, [(tmp_path / file).read_bytes() for file in out])
        return out

    return save


@pytest.mark.parametrize(
    "how",
    [
        SCORES,
        (*SCORES, "--segment", "region", "--unit", "customer"),
        (*SCORES, "--weight", "w", "--profit", "tp=140, fp=-7*w"),
        (*SCORES, "--weight", "copies", "--weights", "frequency"),
        ("--target", "label", "--prediction", "guess", "--positive", "spam", "--segment", "region"),
        ("--target", "p", "--prediction", "w", "--unit", "customer", "--kind", "continuous"),
    ],
)
def test_the_sum_is_told_like_the_whole(steelyard, days, how):
    files = days(*how)
    whole = steelyard("evaluate", "all.csv", *how, "-v")
    told = steelyard("add", *files, "-o", "sum.json", "-v")
    assert told.code == 0, told.err
    mine, source = "Evaluation of 6 saved evaluations, day0.json to day5.json", "Evaluation of all.csv"
    assert [source if line == mine else line for line in told.out.splitlines()] == whole.out.splitlines()
    assert mine in told.out.splitlines()
    assert told.err == "Saved the sum of 6 files: sum.json.\n"
    assert steelyard("evaluate", "sum.json", "-v").out == told.out
    assert all(width_of(line) <= 80 for line in told.out.splitlines())
    backwards = steelyard("add", *files[::-1], "-q", "--json")
    numbers, others = (
        json.loads(t)["numbers"] for t in (backwards.out, steelyard("evaluate", "all.csv", *how, "--json").out)
    )
    for a, b in zip(numbers, others, strict=True):
        assert (a["measure"], a["level"], a["segment"]) == (b["measure"], b["level"], b["segment"])
        for end in ("estimate", "low", "high"):
            wanted = b[end] if b[end] is None else pytest.approx(b[end], rel=1e-9, abs=1e-12)
            assert a[end] == wanted, a


def test_globs_and_sums_of_sums(steelyard, days, tmp_path):
    days(*SCORES)
    whole = steelyard("add", "day*.json").out
    steelyard("add", "day[012].json", "-o", "first.json", "-q")
    steelyard("add", "day[345].json", "-o", "second.json", "-q")
    both = steelyard("add", "first.json", "second.json", "-q")
    assert (both.code, both.err) == (0, "")
    assert both.out.partition("\n\n")[0] == whole.partition("\n\n")[0]
    one = steelyard("add", "day0.json", "-q")
    assert one.out == steelyard("evaluate", "day0.json").out
    assert load("first.json").rows == 120
    assert not [p for p in tmp_path.iterdir() if p.suffix not in {".csv", ".json"}], "nothing half-written is left"


def test_a_file_is_not_added_twice_by_mistake(steelyard, days, tmp_path):
    files = days(*SCORES)
    (tmp_path / "copy.json").write_bytes((tmp_path / "day0.json").read_bytes())
    os.symlink("day0.json", tmp_path / "link.json")
    for other in ("day0.json", "./day0.json", "copy.json", "link.json"):
        told = steelyard("add", "day0.json", other)
        assert (told.code, told.out) == (2, "")
        assert "counted twice" in told.err
        assert "--twice" in told.err
    assert "named twice" in steelyard("add", *files, "day*.json").err
    assert "exactly what" in steelyard("add", "day0.json", "copy.json").err
    twice = json.loads(steelyard("add", "day0.json", "copy.json", "--twice", "--json").out)
    assert twice["rows"] == 80


def test_outputs_are_kept(steelyard, days, tmp_path):
    files = days(*SCORES)
    (tmp_path / "mine.json").write_text("mine")
    for wrong, words in (
        (["-o", "mine.json"], "--force"),
        (["-o", "nowhere/sum.json"], "no directory"),
        (["-o", "-"], "standard output"),
        (["-o", "day0.json", "--force"], "one of the files to add"),
    ):
        told = steelyard("add", *files, *wrong)
        assert (told.code, told.out) == (2, ""), wrong
        assert words in told.err
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert load("day0.json").rows == 40
    assert steelyard("add", *files, "-o", "mine.json", "--force").code == 0
    assert load("mine.json").rows == 240


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("--target", "y", "--prediction", "copies", "--kind", "labels"), "labels"),
        ((*SCORES, "--threshold", "0.3"), "the threshold (0.3 and 0.5)"),
        (("--target", "y", "--score", "p", "--positive", "0"), "the positive level (0 and 1)"),
        (("--target", "label", "--score", "p", "--positive", "spam"), "the positive level"),
        ((*SCORES, "--weight", "w"), "the kind of weights (sampling and none"),
        ((*SCORES, "--unit", "customer"), "units (some and none)"),
        ((*SCORES, "--profit", "tp=140, fp=-7"), "the worth of outcomes"),
        ((*SCORES, "--value", "w"), 'per-row amounts ("w" and none)'),
        ((*SCORES, "--validation", "odd"), "rows kept apart"),
        (("--target", "p", "--prediction", "w", "--kind", "continuous"), "numbers"),
    ],
)
def test_what_differs_is_refused_and_named(steelyard, days, make, how, words):
    days(*SCORES)
    make("other.csv", (*HEAD, "odd"), [[*row, i % 2] for i, row in enumerate(two_levels(80))])
    saved = steelyard("evaluate", "other.csv", *how, "--save", "other.json", "-q")
    assert saved.code == 0, saved.err
    told = steelyard("add", "day0.json", "day1.json", "other.json", "-o", "sum.json")
    assert (told.code, told.out) == (3, "")
    assert told.err.startswith('"other.json" cannot be added to "day0.json": ')
    assert words in told.err
    assert not os.path.exists("sum.json")
    assert steelyard("add", "other.json", "day0.json").code == 3


def test_levels_of_another_target_are_refused(steelyard, make):
    for name, levels in (("a", "xy"), ("b", "pq"), ("c", "xz")):
        make(f"{name}.csv", ("y", "g", "p"), [[levels[i % 2], levels[i % 3 == 0], i / 40] for i in range(40)])
        how = ("--target", "y", "--positive", "x" if "x" in levels else "p")
        assert steelyard("evaluate", f"{name}.csv", *how, "--prediction", "g", "--save", f"{name}.json").code == 0
        assert steelyard("evaluate", f"{name}.csv", *how, "--score", "p", "--save", f"{name}s.json").code == 0
    assert "the positive level" in steelyard("add", "a.json", "b.json").err
    three = steelyard("add", "a.json", "c.json")
    assert three.code == 0, "a level that a day lacks is no matter where labels are counted"
    assert "levels are" in steelyard("add", "as.json", "cs.json").err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not JSON", "it is not JSON"),
        ("[1, 2]", ".jsonl"),
        ('{"steelyard": "x"}', "not an evaluation saved by this version"),
        ('{"steelyard": 99, "evidence": {}}', "saved in form 99, and this version reads form 1"),
        ('{"steelyard": 1, "evidence": {}}', "its seal does not fit"),
        ('{"steelyard experiment": 1, "cells": []}', "not an evaluation"),
        ('{"summary": {"kind": "timeliness"}}', "its seal does not fit"),
        ("", "it is not JSON"),
    ],
)
def test_other_files_are_refused(steelyard, days, tmp_path, content, words):
    days(*SCORES)
    (tmp_path / "other.json").write_text(content)
    told = steelyard("add", "day0.json", "other.json")
    assert (told.code, told.out) == (3, "")
    assert words in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("nothing*.json", "No file matches"),
        ("gone.json", "There is no file"),
        (".", "directory"),
        ("-", "standard input"),
    ],
)
def test_names_that_name_nothing(steelyard, days, named, words):
    days(*SCORES)
    told = steelyard("add", "day0.json", named)
    assert told.code in {2, 3}
    assert words in told.err


def test_confidences_that_differ_are_told(steelyard, days):
    days(*SCORES)
    steelyard("evaluate", "0.csv", *SCORES, "--confidence", "0.8", "--save", "narrow.json", "-q")
    told = steelyard("add", "narrow.json", "day1.json", "-v")
    assert told.code == 0
    assert "those of the first, 0.8" in told.err
    assert "80% interval" in told.out


def test_timeliness_adds_where_customers_differ(steelyard, make):
    def events(first, n):
        return [
            [who, day, round((who * 7 + day) % 10 / 12 + 0.15 * (who % 4 == 0), 3), int(who % 4 == 0)]
            for who in range(first, first + n)
            for day in (0, 9, 20)
        ]

    head = ("customer", "day", "p", "left")
    how = ("--unit", "customer", "--time", "day", "--score", "p", "--outcome", "left", "--horizon", "31")
    for name, first, n in (("north", 0, 40), ("south", 40, 60), ("both", 0, 100)):
        make(f"{name}.csv", head, events(first, n))
        told = steelyard("timeliness", f"{name}.csv", *how, "--save", f"{name}.json")
        assert told.code == 0, told.err
    total = steelyard("add", "north.json", "south.json", "-o", "sum.json")
    assert total.code == 0, total.err
    assert total.out == told.out
    assert "Each customer must be in one of the files only" in total.err
    assert load("sum.json").summary == load("both.json").summary
    found, wanted = (json.loads(steelyard("add", f, "--json").out)["numbers"]["q"] for f in ("sum.json", "both.json"))
    assert found["value"] == pytest.approx(wanted["value"], rel=1e-12)
    steelyard("timeliness", "north.csv", *how, "--kernel", "uniform", "--save", "other.json")
    assert "the kernel (uniform and declining)" in steelyard("add", "north.json", "other.json").err
    make("plain.csv", HEAD, two_levels(40))
    steelyard("evaluate", "plain.csv", *SCORES, "--save", "plain.json")
    mixed = steelyard("add", "north.json", "plain.json")
    assert mixed.code == 3
    assert "it is an evaluation of scores, the other the timeliness of warnings" in mixed.err
    again = steelyard("timeliness", "north.csv", *how, "--save", "north.json")
    assert again.code == 2
    assert "--force" in again.err


def test_many_days_are_held_one_at_a_time(steelyard, days, monkeypatch):
    from steelyard.saved import adding

    days(*SCORES)
    alive, most = [0], [0]
    real = adding.evaluation_of

    def counted(saved):
        import weakref

        e = real(saved)
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        weakref.finalize(e.evidence["scores"].cells.low, lambda: alive.__setitem__(0, alive[0] - 1))
        return e

    monkeypatch.setattr(adding, "evaluation_of", counted)
    found = adding.add_saved(["day0.json", "day1.json"] * 250, twice=True)
    assert found.result.rows == 500 * 40
    # The parts of one join and a sum for each power of two below five hundred.
    assert most[0] <= 12


def test_progress_is_for_terminals_only(process, steelyard, days):
    days(*SCORES)
    told = process("add", "day0.json", "day1.json", TERM="xterm-256color")
    assert (told.code, told.err) == (0, "")
    assert "\x1b" not in told.out


def test_no_password_is_printed_or_saved(steelyard, monkeypatch, days):
    from steelyard.cli.writing import command_line

    address = "postgresql://me:hunter2@db.example.com/shop?table=t&password=hunter2"
    told = steelyard("evaluate", address, *SCORES)
    assert told.code in {2, 3}
    assert "hunter2" not in told.out + told.err
    monkeypatch.setattr("sys.argv", ["steelyard", "evaluate", address, "--report=host=h password=hunter2"])
    assert command_line() == "steelyard evaluate 'postgresql://db.example.com/shop?table=t' --report=host=h"


def test_two_models_of_the_same_rows_are_not_added(steelyard, make):
    make("all.csv", HEAD, two_levels())
    for name, column in (("one", "p"), ("two", "w")):
        how = ("evaluate", "all.csv", "--target", "y", "--score", column, "--segment", "region")
        assert steelyard(*how, "--save", f"{name}.json").code == 0
    told = steelyard("add", "one.json", "two.json")
    assert told.code == 3
    assert 'the score is "w" in one, "p" in the other' in told.err and "--renamed" in told.err
    a, b = load("one.json"), load("two.json")
    with pytest.raises(CannotAdd, match="the score is"):
        a + b
    assert (a + b.renamed(score="p")).rows == 480
    same = steelyard("add", "one.json", "two.json", "--renamed")
    assert (same.code, "480 rows" in " ".join(same.out.split())) == (0, True)
