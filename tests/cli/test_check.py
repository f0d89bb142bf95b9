"""steelyard check: exit codes, text, JSON and JUnit; requirements, champions, wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import steelyard as sy
from steelyard.gates.requirement import outcome_of
from steelyard.views.layout import width_of

from .conftest import HEAD, two_levels

CALL = ("preds.csv", "--target", "y", "--score", "p")
FLOWERS = ("flowers.csv", "--target", "species", "--prediction", "guess")
Run = Callable[..., Any]


def document(told: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told.out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    assert told.code == (0 if found["passed"] else 1), told.err
    return found


@pytest.fixture
def champion(steelyard: Run, make: Run) -> str:
    """More of the same rows, saved."""
    make("old.csv", HEAD, two_levels(400))
    told = steelyard("evaluate", "old.csv", *CALL[1:], "--save", "champion.json", "-q")
    assert told.code == 0
    return "champion.json"


def test_exit_codes_say_what_became_of_it(steelyard: Run, preds: Path) -> None:
    met, not_shown = ("--require", "auc >= 0.7"), ("--require", "auc >= 0.8")
    assert steelyard("check", *CALL, *met).code == 0
    assert steelyard("check", *CALL, *not_shown).code == 1
    assert steelyard("check", *CALL, *met, *not_shown).code == 1
    assert steelyard("check", *CALL, *not_shown, "--on", "point").code == 0
    assert steelyard("check", *CALL, "--require", "auc").code == 2
    assert steelyard("check", "gone.csv", *CALL[1:], *met).code == 3
    assert steelyard("check", *CALL, *met, "--against", "gone.json").code == 3


def test_the_text_is_that_of_the_library_and_fits(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    wanted = ["auc >= 0.80", "recall@0.3 >= 60%", "ece <= 0.05", "prevalence < 0.5"]
    e = sy.evaluate(str(preds), target="y", score="p")
    told = steelyard("check", *CALL, *(x for text in wanted for x in ("--require", text)))
    assert (told.code, told.err) == (1, "")
    assert told.out == f"{outcome_of(e, wanted)}\n"
    assert told.out.splitlines() == [
        "✗ auc         not shown: 0.842 [0.775, 0.891] (83 positives do not show it:",
        "              about 180 like them would), needed at least 0.80",
        "✓ recall@0.3  met: 1.000 [0.957, 1.000], needed at least 60%",
        "✗ ece         not shown: 0.140 [0.040, 0.196], needed at most 0.05",
        "✓ prevalence  met: 0.346 [0.286, 0.410], needed below 0.5",
        "",
        "Note: Decided by Gaffke's bound (auc) and Clopper and Pearson's limits",
        "      (recall@0.3, prevalence), wider than the intervals elsewhere: what just",
        "      misses its bound passes in at most 2.5% of samples.",
        "Note: Decided by the usual interval (ece), right on average: what just misses",
        "      its bound passes in about 2.5% of samples.",
        "",
        "2 of 4 met",
    ]
    written = steelyard("check", *CALL, "--require", "auc >= 0.7", "-o", "gate.txt")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (tmp_path / "gate.txt").read_text(encoding="utf-8").startswith("✓ auc")
    again = steelyard("check", *CALL, "--require", "auc >= 0.7", "-o", "gate.txt")
    assert (again.code, "--force" in again.err) == (2, True)
    assert steelyard("check", *CALL, "--require", "auc >= 0.7", "-o", "gate.txt", "--force").code == 0


def test_levels_and_averages(steelyard: Run, flowers: Path) -> None:
    e = sy.evaluate(str(flowers), target="species", prediction="guess")
    wanted = ("--require", "recall[a] >= 0.1", "--require", "recall[macro] >= 10%", "--require", "accuracy > 0")
    found = document(steelyard("check", *FLOWERS, *wanted, "--json"))
    assert [r["estimate"]["value"] for r in found["results"]] == [
        e["recall", "a"].value,
        e["recall", "macro"].value,
        e["accuracy"].value,
    ]
    assert (found["schema"], found["source"], found["champion"], found["met"], found["of"]) == (
        *(1, "flowers.csv", None, 3, 3),
    )


def test_numbers_and_class_scores(steelyard: Run, doses: Path, flowers: Path) -> None:
    call = ("doses.csv", "--target", "dose", "--prediction", "dose_hat")
    assert steelyard("check", *call, "--require", "rmse <= 20", "--require", "r2 >= 0.5").code == 0
    told = steelyard("check", *call, "--require", "max_error <= 1000")
    assert told.code == 1
    assert "it has no interval" in told.out
    steelyard("evaluate", *call, "--save", "doses.json", "-q")
    found = document(steelyard("check", *call, "--against", "doses.json", "--margin", "3", "--json"))
    assert found["results"][0]["difference"]["measure"] == "rmse"
    scores = ("--score", "a=p_a", "--score", "b=p_b", "--score", "c=p_c")
    told = steelyard("check", "flowers.csv", "--target", "species", *scores, "--require", "hand_till_auc >= 0.5")
    assert told.code == 0


def test_saved_and_piped_are_the_same(steelyard: Run, process: Run, preds: Path) -> None:
    wanted = ("--require", "auc >= 0.8", "--require", "recall@0.4 >= 0.5", "--json")
    counted = document(steelyard("check", *CALL, *wanted))
    steelyard("evaluate", *CALL, "--save", "march.json", "-q")
    assert document(steelyard("check", "march.json", *wanted)) == counted
    piped = document(process("check", "-", *CALL[1:], *wanted, stdin=preds.read_text()))
    assert piped.pop("source") == "standard input"
    del counted["source"]
    assert piped == counted


def test_a_champion_is_held_against(steelyard: Run, preds: Path, champion: str) -> None:
    e, f = sy.evaluate(str(preds), target="y", score="p"), sy.load(preds.parent / champion)
    margins = ("--margin", "0.1", "--margin", "brier=0.001")
    told = steelyard("check", *CALL, "--require", "auc >= 0.7", "--against", champion, "--compare", "brier", *margins)
    expected = outcome_of(e, ["auc >= 0.7"], f, {"auc": 0.1, "brier": 0.001}, compare=["brier"])
    assert told.out == f"{expected}\n"
    assert [r.met for r in expected.results] == [True, True, False]
    assert told.code == 1
    rows = steelyard("check", *CALL, "--against", "old.csv", "--margin", "10%", "--json")
    saved = steelyard("check", *CALL, "--against", champion, "--margin", "10%", "--json")
    assert document(rows)["results"] == document(saved)["results"]
    assert document(saved)["champion"] == champion
    assert document(saved)["results"][0]["difference"]["value"] == e["auc"].value - f["auc"].value


def test_both_are_worth_the_same(steelyard: Run, preds: Path, champion: str) -> None:
    payoff = ("--profit", "tp=5, fp=-4")
    steelyard("evaluate", champion, "--profit", "tp=1", "--save", "other.json", "-q")
    first, second = (
        document(
            steelyard("check", *CALL, *payoff, "--require", "profit >= 0", "--against", name, "--margin", "1", "--json")
        )
        for name in (champion, "other.json")
    )
    assert first["results"][1] == second["results"][1]
    assert first["results"][1]["subject"] == "profit per case − champion"


def test_notes_come_before_the_count_and_are_left_out_when_asked(steelyard: Run, preds: Path) -> None:
    steelyard("evaluate", *CALL, "--save", "same.json", "-q")
    call = ("check", *CALL, "--against", "same.json", "--margin", "0.1")
    told = steelyard(*call)
    assert "Note: Both were evaluated on 240 rows: if these are the same rows, a paired" in told.out
    assert told.out.splitlines()[-1] == "1 of 1 met"
    assert all(width_of(line) <= 80 for line in told.out.splitlines())
    assert "Note" not in steelyard(*call, "-q").out
    assert document(steelyard(*call, "-q", "--json"))["notes"]


def test_junit_is_written_whether_met_or_not(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    wanted = ("--require", "auc >= 0.7", "--require", "recall@0.5 >= 0.99")
    told = steelyard("check", *CALL, *wanted, "--junit", "gate.xml", "--json", "-o", "gate.json")
    assert (told.code, told.out, told.err) == (1, "", "")
    root = ElementTree.parse(tmp_path / "gate.xml").getroot()
    found = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert root.get("failures") == "1"
    for case, result in zip(root.iter("testcase"), found["results"], strict=True):
        failure = case.find("failure")
        assert (case.get("classname"), case.get("name")) == ("preds.csv", result["requirement"])
        assert (failure is None) == result["met"]
        assert failure is None or failure.get("message") == result["message"]
    again = steelyard("check", *CALL, *wanted, "--junit", "gate.xml")
    assert (again.code, "--force" in again.err) == (2, True)
    clash = steelyard("check", *CALL, *wanted, "--junit", "x.xml", "-o", "./x.xml")
    assert (clash.code, "cannot hold both" in clash.err) == (2, True)
    wrong = steelyard("check", *CALL, "--require", "aucc >= 0.7", "--junit", "new.xml", "-o", "new.txt")
    assert wrong.code == 2
    assert not list(tmp_path.glob("new.*")), "nothing is left behind"


def test_names_of_levels_cannot_break_lines_or_xml(steelyard: Run, make: Run, tmp_path: Path) -> None:
    odd = '<b>&\x1b[31m"]]>'
    make("odd.csv", ("t", "g"), [[odd, odd], ["b", "b"], ["c", "b"]] * 30)
    call = ("odd.csv", "--target", "t", "--prediction", "g", "--junit", "odd.xml")
    told = steelyard("check", *call, "--require", f"recall[{odd}] >= 0.5", "--require", "recall[c] >= 0.5")
    assert told.code == 1
    assert "\x1b" not in told.out
    names = [case.get("name") for case in ElementTree.parse(tmp_path / "odd.xml").iter("testcase")]
    assert names == ['recall[<b>&\\x1b[31m"]]>] >= 0.5', "recall[c] >= 0.5"]


def test_a_terminal_without_the_signs_gets_letters(process: Run, preds: Path, tmp_path: Path) -> None:
    wanted = ("--require", "auc >= 0.7", "--require", "youden >= 0.9")
    process("evaluate", *CALL, "--save", "same.json", "-q")
    call = ("check", *CALL, *wanted, "--against", "same.json")
    for encoding in ("ascii", "cp1252"):
        told = process(*call, PYTHONIOENCODING=encoding)
        assert told.code == 1, told.err
        assert told.out.startswith("ok auc")
        assert "no youden" in told.out
        assert "[-0." in told.out, "a plain minus"
        assert "?" not in told.out
    told = process(*call, PYTHONIOENCODING="utf-8")
    assert told.out.startswith("✓ auc")
    written = process(*call, "-o", "gate.txt", PYTHONIOENCODING="ascii")
    assert written.code == 1
    assert (tmp_path / "gate.txt").read_text(encoding="utf-8").startswith("✓ auc")


WRONG: dict[str, tuple[tuple[str, ...], str, str]] = {
    "nothing": ((), "Nothing was required.", "--require 'auc >= 0.80'"),
    "unreadable": (("--require", "auc = 0.8"), 'The requirement "auc = 0.8" cannot be read.', "'recall@0.5 >= 60%'"),
    "unknown": (("--require", "acu >= 0.8"), 'There is no measure called "acu".', 'Did you mean "auc"?'),
    "never": (("--require", "auc >= 80"), "can never be met: auc is never above 1.", "80%."),
    "no payoff": (("--require", "profit >= 0"), '"profit" needs to know what', "Give --profit FILE or --cost FILE."),
    "no level": (("--require", "recall[spam] >= 0"), 'is about a level "spam", and there are 0, 1.', "recall[macro]"),
    "other kind": (("--require", "rmse <= 1"), '"rmse" needs a continuous target', 'It can answer "accuracy"'),
    "no champion": (("--require", "auc >= 0", "--margin", "0.1"), "no champion to compare with", "--against FILE"),
    "champion on stdin": (("--against", "-"), "A champion cannot be read from standard input.", "--save champion.json"),
    "negative": (("--against", "champion.json", "--margin", "-0.1"), "and −0.1 came.", "0 or more"),
    "not compared": (("--against", "champion.json", "--margin", "f1=0.1"), "is not compared", "--compare f1."),
    "bad margin": (("--against", "champion.json", "--margin", "little"), '"little" cannot be read', "auc=0.01"),
    "undirected": (("--against", "champion.json", "--compare", "prevalence"), "no better and worse", "two bounds"),
    "flowers": (("--against", "flowers.json"), 'The levels differ: 0, 1 in the challenger evaluation, "a"', "--level"),
    "doses": (("--against", "doses.json"), "the champion evaluation about numbers", "the same target"),
    "labels": (("--against", "labels.json", "--compare", "auc"), "The champion evaluation cannot", 'answer "accuracy"'),
    "turned": (("--against", "turned.json"), "The positive level differs: 1 in", "the same positive level"),
    "on": (("--require", "auc >= 0", "--on", "luck"), "'luck' is not one of", "--help"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_gets_a_sentence(
    steelyard: Run, preds: Path, flowers: Path, doses: Path, champion: str, name: str
) -> None:
    arguments, message, hint = WRONG[name]
    others = {
        "flowers.json": FLOWERS,
        "doses.json": ("doses.csv", "--target", "dose", "--prediction", "dose_hat"),
        "labels.json": ("preds.csv", "--target", "y", "--prediction", "y"),
        "turned.json": (*CALL, "--positive", "0"),
    }
    for file in set(others) & set(arguments):
        assert steelyard("evaluate", *others[file], "--save", file, "-q").code == 0
    told = steelyard("check", *CALL, *arguments)
    assert (told.code, told.out) == (2, "")
    assert message in told.err, told.err
    assert hint in told.err.partition("Hint: ")[2], told.err
    assert "Traceback" not in told.err


def test_input_that_cannot_be_used_ends_with_3(steelyard: Run, preds: Path) -> None:
    told = steelyard("check", "preds.csv", "--target", "lable", "--score", "p", "--require", "auc >= 0.8")
    assert told.code == 3
    assert 'Did you mean "label"?' in told.err
    (preds.parent / "bad.json").write_text("{}")
    told = steelyard("check", *CALL, "--against", "bad.json")
    assert told.code == 3
    assert "not an evaluation" in told.err
