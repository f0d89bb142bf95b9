"""steelyard threshold: the best cut, against every cut tried by hand; goals, limits, validation, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from steelyard.views.layout import width_of

from .conftest import HEAD, two_levels

ROWS = [dict(zip(HEAD, row, strict=True)) for row in two_levels()]
CALL = ("--target", "y", "--score", "p")
TYPED = "tp=140, fn=-140, fp=-700, tn=0"
Row = dict[str, Any]
Run = Callable[..., Any]


def counts(cut: float, rows: Iterable[Row] = ROWS) -> tuple[int, int, int, int]:
    """The outcomes tp, fn, fp and tn at a threshold."""
    found = [0, 0, 0, 0]
    for row in rows:
        found[(0 if row["y"] else 2) + (row["p"] < cut)] += 1
    return found[0], found[1], found[2], found[3]


def best(
    goal: Callable[[int, int, int, int], float],
    allowed: Callable[[int, int, int, int], bool] = lambda *_: True,
    rows: list[Row] = ROWS,
) -> float:
    """The highest of the best cuts, each distinct score tried."""
    cuts = sorted({r["p"] for r in rows}, reverse=True)
    tried = [(goal(*counts(c, rows)), c) for c in cuts if allowed(*counts(c, rows))]
    top = max(value for value, _ in tried)
    return next(c for value, c in tried if value >= top - 1e-9)


def profit(tp: int, fn: int, fp: int, tn: int) -> float:
    return 140 * tp - 140 * fn - 700 * fp


def f1(tp: int, fn: int, fp: int, tn: int) -> float:
    return 2 * tp / (2 * tp + fn + fp)


def document(told: Any) -> dict[str, Any]:
    assert told.code == 0, told.err
    found: dict[str, Any] = json.loads(told.out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    return found


GOALS: dict[str, tuple[tuple[str, ...], Callable[[int, int, int, int], float]]] = {
    "f1": (("--maximise", "f1"), f1),
    "f_beta": (("--maximise", "f_beta", "--beta", "3"), lambda tp, fn, fp, tn: 10 * tp / (10 * tp + 9 * fn + fp)),
    "accuracy": (("--maximise", "accuracy"), lambda tp, fn, fp, tn: tp + tn),
    "error_rate": (("--minimise", "error_rate"), lambda tp, fn, fp, tn: -(fp + fn)),
    "ks": (("--maximise", "ks"), lambda tp, fn, fp, tn: abs(tp / (tp + fn) - fp / (fp + tn))),
    "profit": (("--profit", TYPED), profit),
    "the other word": (("--profit", TYPED, "--minimise", "cost"), profit),
    "cost": (("--cost", "fn=280, fp=700"), profit),
    "measure beside a payoff": (("--cost", "fn=280, fp=700", "--maximise", "f1"), f1),
}


@pytest.mark.parametrize("name", GOALS)
def test_the_best_cut_is_the_best_of_all_cuts(steelyard: Run, preds: Path, name: str) -> None:
    options, goal = GOALS[name]
    found = document(steelyard("threshold", preds.name, *CALL, *options, "--json"))
    assert found["schema"] == 1
    assert found["source"] == "preds.csv"
    assert found["value"] == best(goal)
    assert tuple(found["outcomes"].values()) == counts(found["value"])
    assert found["low"] <= found["value"]
    assert found["chosen_on"] == "the same rows"
    assert found["optimism"] is not None


def test_limits_are_kept(steelyard: Run, preds: Path) -> None:
    limits = ("--constraint", "contacts <= 60", "--constraint", "precision >= 70%")
    found = document(steelyard("threshold", preds.name, *CALL, "--maximise", "recall", *limits, "--json"))
    assert found["constraints"] == ["contacts <= 60", "precision >= 70%"]
    expected = best(lambda tp, fn, fp, tn: tp, lambda tp, fn, fp, tn: tp + fp <= 60 and tp / max(tp + fp, 1) >= 0.7)
    assert found["value"] == expected
    both = steelyard(
        "threshold", preds.name, *CALL, "--maximise", "recall", "--json",
        "--constraint", "contacts <= 60 and precision >= 70%",
    )  # fmt: skip
    assert document(both)["value"] == expected


def test_limits_may_be_in_money(steelyard: Run, preds: Path) -> None:
    call = ("threshold", preds.name, *CALL, "--maximise", "recall", "--profit", TYPED, "--json")
    found = document(steelyard(*call, "--constraint", "profit >= -4000"))
    assert found["value"] == best(lambda tp, fn, fp, tn: tp, lambda *c: profit(*c) >= -4000)


@pytest.mark.parametrize("kind", ["column", "file", "saved"])
def test_a_threshold_is_chosen_on_the_validation_part_and_told_on_the_other(
    steelyard: Run, make: Run, kind: str
) -> None:
    chosen, test = ROWS[: len(ROWS) // 2], ROWS[len(ROWS) // 2 :]
    parts = [[r["y"], r["p"], "true" if i < len(chosen) else "false"] for i, r in enumerate(ROWS)]
    make("all.csv", ("y", "p", "part"), parts)
    make("chosen.csv", ("y", "p"), [row[:2] for row in parts[: len(chosen)]])
    make("test.csv", ("y", "p"), [row[:2] for row in parts[len(chosen) :]])
    steelyard("evaluate", "chosen.csv", *CALL, "--save", "chosen.json", "-q")
    calls = {
        "column": ("all.csv", *CALL, "--validation", "part"),
        "file": ("test.csv", *CALL, "--validation", "chosen.csv"),
        "saved": ("test.csv", *CALL, "--validation", "chosen.json"),
    }
    found = document(steelyard("threshold", *calls[kind], "--profit", TYPED, "--json"))
    assert found["value"] == best(profit, rows=chosen)
    assert found["at"]["value"] == profit(*counts(found["value"], test))
    assert found["chosen_on"] == "the validation part"
    assert found["optimism"] is None
    if kind == "saved":
        steelyard("evaluate", "test.csv", *CALL, "--save", "test.json", "-q")
        later = steelyard("threshold", "test.json", "--validation", "chosen.json", "--profit", TYPED, "--json")
        assert document(later) == found


def test_saved_piped_and_counted_are_the_same(steelyard: Run, process: Run, preds: Path) -> None:
    counted = document(steelyard("threshold", preds.name, *CALL, "--profit", TYPED, "--json"))
    steelyard("evaluate", preds.name, *CALL, "--profit", TYPED, "--save", "paid.json", "-q")
    steelyard("evaluate", preds.name, *CALL, "--save", "plain.json", "-q")
    assert document(steelyard("threshold", "paid.json", "--json")) == counted
    assert document(steelyard("threshold", "plain.json", "--profit", TYPED, "--json")) == counted
    piped = process("threshold", "-", *CALL, "--profit", TYPED, "--json", stdin=preds.read_text())
    found = document(piped)
    assert found.pop("source") == found["facts"].pop("source") == "standard input"
    del counted["source"], counted["facts"]["source"]
    assert found == counted


def test_ranges_are_weighed_as_asked(steelyard: Run, preds: Path) -> None:
    call = ("threshold", preds.name, *CALL, "--profit", "tp=5..100, fp=-80..-10", "--json")
    corners = [(tp, fp) for tp in (5, 100) for fp in (-80, -10)]

    def least(tp: int, fn: int, fp: int, tn: int) -> float:
        return min(a * tp + b * fp for a, b in corners)

    tops = [max(a * counts(c)[0] + b * counts(c)[2] for c in {r["p"] for r in ROWS} | {2.0}) for a, b in corners]

    def regret(tp: int, fn: int, fp: int, tn: int) -> float:
        return -max(top - (a * tp + b * fp) for top, (a, b) in zip(tops, corners, strict=True))

    rules: dict[str, Callable[[int, int, int, int], float]] = {
        "worst": least,
        "regret": regret,
        "mean": lambda tp, fn, fp, tn: 52.5 * tp - 45 * fp,
    }
    values = set()
    for rule, goal in rules.items():
        found = document(steelyard(*call, "--over", rule))
        assert found["value"] == best(goal), rule
        assert found["over"] == rule
        values.add(found["value"])
    assert len(values) > 1, "the rules differ on these rows"
    assert document(steelyard(*call))["over"] == "regret"


def test_the_text_is_that_of_the_library_and_fits(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    import steelyard as sy

    e = sy.evaluate(str(preds), target="y", score="p", profit=sy.Profit(tp=140, fn=-140, fp=-700, tn=0))
    told = steelyard("threshold", preds.name, *CALL, "--profit", TYPED)
    assert (told.code, told.err) == (0, "")
    assert told.out == f"{e.best_threshold()}\n"
    assert told.out.startswith("Flag scores of at least ")
    assert all(width_of(line) <= 80 for line in told.out.splitlines()), told.out
    written = steelyard("threshold", preds.name, *CALL, "--profit", TYPED, "-o", "cut.txt")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (tmp_path / "cut.txt").read_text(encoding="utf-8") == told.out
    again = steelyard("threshold", preds.name, *CALL, "--maximise", "f1", "-o", "cut.txt")
    assert again.code == 2
    assert "--force" in again.err
    assert steelyard("threshold", preds.name, *CALL, "--maximise", "f1", "-o", "cut.txt", "--force").code == 0


def test_it_may_be_best_to_flag_nobody(steelyard: Run, preds: Path) -> None:
    told = steelyard("threshold", preds.name, *CALL, "--profit", "tp=-1, fp=-2")
    assert told.code == 0, told.err
    assert told.out.startswith("Flag nobody")
    found = document(steelyard("threshold", preds.name, *CALL, "--profit", "tp=-1, fp=-2", "--json"))
    assert (found["value"], found["flagged"]) == (None, 0)


def test_a_goal_answers_to_all_its_names(steelyard: Run, preds: Path) -> None:
    call = ("threshold", preds.name, *CALL)
    assert steelyard(*call, "--maximise", "sensitivity").out == steelyard(*call, "--maximise", "recall").out


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_no_escape_codes(process: Run, preds: Path, environment: dict[str, str]) -> None:
    told = process("threshold", "preds.csv", *CALL, "--maximise", "f1", **environment)
    assert (told.code, told.err) == (0, "")
    assert "\x1b" not in told.out
