"""Predictions of numbers that are too high or too low on average: what to do about it, and where that is not enough."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.verdicts.verdict import Verdict
from steelyard.words import with_limits

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

WORTH_THE_WHILE = 0.01
"""A lean that makes up less of the squared error is left alone: nobody would see the difference."""


def without_lean(evaluation: Evaluation) -> Verdict | None:
    """Which way predictions lean and what to do about it, where that is shown and a part of their errors worth the while."""
    bias, squares = evaluation["bias"], evaluation["mse"]
    leans = evaluation.verdict_on("bias")
    if leans is None or not leans.clear or float(bias) ** 2 < WORTH_THE_WHILE * float(squares):
        return None
    sign = 1 if float(bias) > 0 else -1
    by = "".join(with_limits(bias, sign))
    do = f"Take {by} off every prediction" if sign > 0 else f"Add {by} to every prediction"
    then = f"See on new rows whether that holds.{_uneven(evaluation)}"
    return replace(leans, reason=f"{do}: they are {leans.word} on average.", advice=then)


def _uneven(evaluation: Evaluation) -> str:
    """Where one number for all does not mend the predictions; empty where that is not shown."""
    x = evaluation.uneven
    if x is None:
        return ""
    sign = 1 if float(x) > 0 else -1
    by, side = with_limits(x, sign)[0], "high" if sign > 0 else "low"
    return f" They do not lean alike, though: those from {x.segment} are {by} too {side}, which one number for all does not mend."
