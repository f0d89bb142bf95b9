"""The points of a curve as a table: every curve is one, with what was counted beside its shares."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from steelyard.drawing import curve_of
from steelyard.measures.curves import curves
from steelyard.payoffs.kinds import KINDS
from steelyard.tables.tabulation import Tabulation, tabulated

COUNTED = ("tp", "fp", "tn", "fn", "rows", "positives", "contacts")


def _points_of(curve: str) -> Callable[..., Tabulation]:
    def points(evaluation: Any, level: Any = None) -> Tabulation:
        found = curve_of(evaluation, curve, level)
        said = [f"{part[:1].upper()}{part[1:]}." for part in (found.note, f"low and high: {found.method}") if part]
        if any(v is not None for v in found.columns.get("threshold", ())):
            said.insert(0, "A row is positive if its score is at least the threshold.")
        forms = dict.fromkeys(COUNTED, "count") | {"threshold": "typed"}
        drawn = partial(evaluation.chart, curve, **({} if level is None else {"level": level}))
        title = f"Points of the curve {curve}"
        return Tabulation(curve, title, found.columns, " ".join(said), evaluation.confidence, forms, drawn)

    points.__name__ = curve
    return points


def _has(curve: str) -> Callable[[Any], bool]:
    def allowed(evaluation: Any) -> bool:
        if curve in KINDS:
            return evaluation.scores is not None and evaluation.payoff is not None
        known = evaluation.scores is not None and (curve != "calibration" or evaluation.scores.probabilities)
        return known or evaluation.class_scores is not None

    return allowed


for _curve in (*curves(), *KINDS, "cost_curve"):
    _needs = "scores, and what outcomes are worth" if _curve in KINDS else "scores"
    tabulated("probabilities" if _curve == "calibration" else _needs, _has(_curve))(_points_of(_curve))
