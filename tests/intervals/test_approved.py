"""Every interval of fixed evidence stands where it was approved: whoever moves one sees which, and by how much.

Coverage is held by the studies and by the tests beside this one; this says that nothing moved unseen. STEELYARD_APPROVE=1 writes
the numbers down anew, to be read like code.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.gates.requirement import outcome_of
from steelyard.intervals.mean_errors import mean_errors
from steelyard.measures.curves import curves
from steelyard.results import Interval
from steelyard.summaries.within_folds import WithinFolds

from ..laws.reading import few_replicates, grid_beyond, read

APPROVED = Path(__file__).resolve().parents[1] / "approved" / "intervals"
PAYOFF = sy.Profit(tp="2 * worth - 5", fn="-worth", fp=-3, tn=1)
WEIGHTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "sampling": {"weight": "weight", "weights": "sampling"},
    "unit": {"unit": "unit"},
    "sampling by unit": {"weight": "weight", "weights": "sampling", "unit": "unit"},
}
ROLES: dict[str, dict[str, Any]] = {
    "labels": {"target": "kind", "prediction": "said"},
    "scores": {"target": "truth", "score": "score", "profit": PAYOFF},
    "classes": {"target": "kind", "score": {"a": "a", "b": "b", "c": "c"}},
    "numbers": {"target": "amount", "prediction": "predicted"},
    "costs": {"target": "truth", "score": "score", "profit": sy.Cost(tp=1, fn="worth + 4", fp=3)},
}


def table(n: int) -> dict[str, Any]:
    """Rows for everything, drawn by whole numbers alone, so that they are the same on every machine."""
    i = np.arange(n)
    truth = (i * 37 % 101 < 35).astype(int)
    score = np.clip((i * 53 % 97) / 97 * 0.6 + 0.3 * truth, 0.01, 0.99).round(3)
    kind = np.array(["a", "b", "c"])[(i * 29 % 31) % 3]
    said = np.where(i * 17 % 23 < 15, kind, np.array(["a", "b", "c"])[i * 11 % 3])
    votes = np.stack([1.0 + 2 * (kind == v) + (i * k * 31 % 17) / 8 for k, v in enumerate("abc", 1)])
    votes = (votes / votes.sum(axis=0)).round(4)
    votes[2] = 1 - votes[0] - votes[1]
    amount = 5 + (i * 29 % 61) / 4
    off = (i * 17 % 23 - 10) * 0.3 + (i % 19 == 0) * 9.0
    return {
        "truth": truth, "score": score, "kind": kind, "said": said, **dict(zip("abc", votes)), "amount": amount,
        "predicted": np.maximum(amount + off, 0.5), "weight": 0.25 + i * 7 % 5, "unit": i // 4,
        "worth": (i * 13 % 29) / 2 - 2,
    }  # fmt: skip


def line(where: str, x: Any) -> str:
    ends = "none" if x.low is None or x.high is None else f"{x.low:.6g} to {x.high:.6g}"
    caution = getattr(x, "caution", "")
    return f"{where}: {ends} ({x.method}{'; ' + caution if caution else ''})"


def told(e: sy.Evaluation, kind: str) -> Iterator[str]:
    """One line for every number, of the first level where there are many; for every curve the mean of its ends; for the gate."""
    for (name, level, options), x in read(e, intervals=True).items():
        if level not in e.levels[1:] and (kind != "costs" or name in {"profit", "cost"}):
            yield line(" ".join(str(v) for v in (name, "" if level is None else level, options) if v != ""), x)
    found = [e.curve(name) for name in curves()] if kind == "scores" else []
    if e.residuals is not None and e.residuals.pairs is not None:
        found.append(mean_errors(e.residuals, Interval(None, None, "none"), 0.9))
    for c in found:
        ends = [[v for v in c.columns[end] if v is not None] for end in ("low", "high")]
        mean = f"{np.mean(ends[0]):.6g} to {np.mean(ends[1]):.6g}" if ends[0] else "none"
        yield f"curve {c.name}: {mean} (mean of {len(ends[0])})"
    of = {"profit", "cost"} if kind == "costs" else set(GATE)
    asked = [f"{name} >= 0.8" for name in GATE if name in of and name in e.measures]
    for outcome in outcome_of(e, asked).results if asked else ():
        yield line(f"gate {outcome.subject}", outcome.number)
        if outcome.reason:
            yield f"gate {outcome.subject} needs: none ({outcome.reason})"


GATE = (
    "recall", "precision", "accuracy", "f1", "auc", "gini", "partial_auc", "brier", "log_loss", "youden", "mae", "hand_till_auc",
    "average_class_accuracy", "profit", "cost", "top_k_accuracy",
)  # fmt: skip
CASES = [
    *((kind, how, 96) for kind in ROLES for how in WEIGHTS),
    *((kind, "few", 14) for kind in ROLES),
    *((kind, how, 96) for kind in ("scores", "classes", "numbers") for how in ("folds", "folds by unit")),
    ("scores", "many", 500),
    ("numbers", "sums alone", 96),
    *(("labels", how, 40) for how in ("absent", "absent, sampling")),
    *((kind, how, n) for kind in ROLES for how, n in (("tiny", 5), ("perfect", 40), ("alike", 40), ("two units", 40))),
]


def at_the_edge(columns: dict[str, Any], how: str) -> dict[str, Any]:
    """Rows without an error, rows that are all told the same, or rows of two units, one of them far heavier."""
    if how == "perfect":
        right = {"score": columns["truth"] * 0.5 + 0.25, "said": columns["kind"], "predicted": columns["amount"]}
        return columns | right | {v: 0.2 + 0.4 * (columns["kind"] == v) for v in "abc"}
    if how == "alike":
        thirds = {v: np.full(len(columns["kind"]), 1 / 3) for v in "abc"}
        first = {
            name: np.full_like(columns[name], columns[name][0]) for name in ("score", "said", "predicted", "worth")
        }
        return columns | first | thirds
    if how.startswith("absent"):
        return columns | {"said": np.where(columns["said"] == "c", "a", columns["said"])}
    return columns | {"unit": (np.arange(len(columns["unit"])) < 9).astype(int)} if how == "two units" else columns


def evaluation(kind: str, how: str, n: int) -> sy.Evaluation:
    columns = at_the_edge(table(n), how)
    if not how.startswith("folds"):
        by = WEIGHTS["sampling by unit" if how == "two units" else how] if how in {*WEIGHTS, "two units"} else {}
        if how.startswith("absent"):
            # A level that no row has, and one that no row is said to have.
            by = {"levels": ["a", "b", "c", "d"]} | (WEIGHTS["sampling"] if how != "absent" else {})
        e = sy.evaluate(columns, **ROLES[kind], **by, confidence=0.9 if how == "plain" else 0.95)
        # Files of an earlier day have no pairs of predictions and errors.
        return (
            e
            if how != "sums alone"
            else replace(e, evidence=e.evidence | {"residuals": replace(e.residuals, pairs=None)})
        )
    roles = ROLES[kind] | (WEIGHTS["unit"] if how == "folds by unit" else {})
    parts = [{name: x[np.arange(n) % 4 == fold] for name, x in columns.items()} for fold in range(4)]
    made = [sy.evaluate(part, **roles) for part in parts]
    whole = sum(made)
    return replace(whole, evidence=whole.evidence | {WithinFolds.kind: sum(WithinFolds.of(e.evidence) for e in made)})


def lines(kind: str, how: str, n: int) -> list[str]:
    e = evaluation(kind, how, n)
    with few_replicates(200):
        return list(told(e, kind))


def parted(line: str) -> tuple[str, float, float, str]:
    where, _, rest = line.partition(": ")
    ends, _, method = rest.partition(" (")
    low, _, high = ends.partition(" to ")
    return where, float(low) if high else math.nan, float(high) if high else math.nan, method


def check_near(found: list[str], wanted: list[str]) -> None:
    """Each stands where it did; a measure that has come since is approved when the others are written down the next time."""
    known = {line.partition(": ")[0] for line in wanted}
    found = [line for line in found if line.partition(": ")[0] in known]
    assert [line.partition(": ")[0] for line in found] == [line.partition(": ")[0] for line in wanted]
    for new, old in zip(found, wanted):
        where, low, high, method = parted(new)
        _, before_low, before_high, before = parted(old)
        width = before_high - before_low
        # Drawn limits hang on the last digits of what they are drawn from.
        slack = 0.02 * width if "replicates" in method else 1e-4 * width + 1e-6
        same = method == before and (
            (math.isnan(low) and math.isnan(before_low)) or max(abs(low - before_low), abs(high - before_high)) <= slack
        )
        assert same, f"{where}: was {old}, is {new}; read it, then STEELYARD_APPROVE=1 if the change is meant"


@pytest.mark.parametrize(("kind", "how", "n"), CASES)
def test_intervals_stand_where_they_were_approved(kind: str, how: str, n: int) -> None:
    path = APPROVED / f"{kind} {how}.txt".replace(",", "").replace(" ", "_")
    found = lines(kind, how, n)
    if os.environ.get("STEELYARD_APPROVE"):
        APPROVED.mkdir(exist_ok=True)
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    check_near(found, path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("kind", ["scores", "numbers"])
def test_the_same_on_the_grid(kind: str) -> None:
    """Rows in shared cells: the limits of fine rows, moved by no more than the cells are wide."""
    columns = table(96)
    with grid_beyond(10), few_replicates(200):
        found = list(told(sy.evaluate(columns, **ROLES[kind]), kind))
    path = APPROVED / f"{kind}_grid.txt"
    if os.environ.get("STEELYARD_APPROVE"):
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    check_near(found, path.read_text(encoding="utf-8").splitlines())


COMPARED = [
    "auc",
    "gini",
    "partial_auc",
    "accuracy",
    "recall",
    "precision",
    "f1",
    "brier",
    "log_loss",
    "ece",
    "ks",
    "kappa",
]


def test_differences_stand_where_they_were_approved() -> None:
    """Of models on the same rows, and on different ones."""
    found = []
    columns = table(96)
    other = np.clip(columns["score"] + (np.arange(96) * 41 % 13 - 6) / 40, 0.01, 0.99)
    for how in ("plain", "unit", "sampling"):
        roles = {k: columns[v] if k != "weights" else v for k, v in WEIGHTS[how].items()}
        same = sy.compare(
            target=columns["truth"], score={"one": columns["score"], "two": other}, measures=COMPARED, **roles
        )
        apart = sy.compare({n: sy.evaluate(target=columns["truth"], score=x, **roles) for n, x in
                            (("one", columns["score"]), ("two", other))}, measures=COMPARED)  # fmt: skip
        for rows, c in (("same rows", same), ("different rows", apart)):
            found += [line(f"{how}, {rows}, {m}", c.difference(m, "one", "two")) for m in c.measures]
    path = APPROVED / "differences.txt"
    if os.environ.get("STEELYARD_APPROVE"):
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
    check_near(found, path.read_text(encoding="utf-8").splitlines())
