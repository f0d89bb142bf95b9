"""What is seen on a curve, in a few words that stand above it; nothing where nothing can be said."""

from __future__ import annotations

from collections.abc import Callable

from steelyard.results import Curve
from steelyard.words import percent, quoted, shortest, significant

FLAT = 0.05
"""Amounts this near to the best, as a share of the way down to what no model brings, are about as good."""
TENTH, FIFTH = 0.1, 0.2
APART = 0.02


def _who(curve: Curve) -> str:
    positive = curve.facts.get("positive")
    return f"of {quoted(positive)}" if isinstance(positive, str) else "of positives"


def _rounded(share: float) -> str:
    """A share in whole per cent, but never a part as nothing or all."""
    whole = round(share, 2)
    return percent(whole if 0 < whole < 1 or whole == share else share)


def _rows(curve: Curve, *names: str) -> list[tuple[float, ...]]:
    """Values side by side, where none of them is missing."""
    found = [tuple(v for v in row if v is not None) for row in zip(*(curve.columns[n] for n in names), strict=True)]
    return [row for row in found if len(row) == len(names)]


def _at_depth(curve: Curve, column: str, depth: float) -> tuple[float, float] | None:
    """A share of the rows and the value of a column there, along the straight line between the points beside it.

    Where these lie far apart, rows of one score or few rows in all, no cut lies between them: then it is the nearer one.
    """
    rows = _rows(curve, "depth", column)
    after = next((i for i, (x, _) in enumerate(rows) if x >= depth), None)
    if after is None or (after == 0 and rows[0][0] > depth):
        return None
    (x0, y0), (x1, y1) = rows[max(after - 1, 0)], rows[after]
    if x1 in {x0, depth}:
        return depth, y1
    if x1 - x0 > APART:
        return (x0, y0) if x0 > 0 and depth - x0 <= x1 - depth else (x1, y1)
    return depth, y0 + (y1 - y0) * (depth - x0) / (x1 - x0)


def roc(curve: Curve) -> str:
    """The area below the curve."""
    return f"AUC {curve.facts['auc']}" if curve.facts.get("auc") else ""


def pr(curve: Curve) -> str:
    """Both shares at the threshold in force."""
    at = curve.facts.get("threshold")
    flagged = [] if at is None else [row for row in _rows(curve, "threshold", "recall", "precision") if row[0] >= at]
    if at is None or not flagged:
        return ""
    _, found, right = flagged[-1]
    return f"At {shortest(at)} finds {_rounded(found)} {_who(curve)}, right {_rounded(right)} of the time"


def gain(curve: Curve) -> str:
    """How many of the positives the first fifth of the rows holds."""
    found = _at_depth(curve, "capture", FIFTH)
    if found is None or found[0] >= 1:
        return ""
    return f"The top {_rounded(found[0])} hold {_rounded(found[1])} {_who(curve)}"


def lift(curve: Curve) -> str:
    """How many times chance the first tenth of the rows holds."""
    found = _at_depth(curve, "lift", TENTH)
    if found is None or found[0] >= 1:
        return ""
    return f"The top {_rounded(found[0])} hold {significant(found[1], 2)} times as many as chance"


def ks(curve: Curve) -> str:
    """The widest gap and where it is."""
    gap, cut = max(((abs(g), t) for g, t in _rows(curve, "gap", "threshold")), default=(0.0, 0.0))
    return f"Widest apart at {significant(cut, 2)}: {curve.facts.get('ks') or significant(gap, 2)}" if gap else ""


def calibration(curve: Curve) -> str:
    """In how many bins what was said lies within the interval of what was seen."""
    held = [low <= said <= high for said, low, high in _rows(curve, "score", "low", "high")]
    if not held:
        return ""
    if all(held):
        return "Probabilities come true, as far as can be seen"
    return f"In {len(held) - sum(held)} of {len(held)} bins probabilities do not come true"


def scores(curve: Curve) -> str:
    """How much of each class lies above the threshold in force."""
    at, rates = curve.facts.get("threshold"), curve.facts.get("rates")
    if at is None or rates is None:
        return ""
    found, alarms = rates
    most = "Most" if found > 0.5 else "Few" if found < 0.25 else _rounded(found)
    # Most of "left", most positives, 40% of positives.
    who = _who(curve) if isinstance(curve.facts.get("positive"), str) or most[-1] == "%" else "positives"
    return f"{most} {who} score {shortest(at)} or more, and {_rounded(alarms)} of others"


def worth(curve: Curve) -> str:
    """Where the best is, and from where to where it is about as good."""
    sign = -1 if curve.name == "cost" else 1
    told = [(sign * v, depth) for v, depth in _rows(curve, curve.name, "depth")]
    cuts = {(sign * v, depth): t for v, depth, t in _rows(curve, curve.name, "depth", "threshold")}
    if not told:
        return ""
    best, depth = max(told, key=lambda row: (row[0], -row[1]))
    cut = cuts.get((best, depth))
    where = f"{curve.name.capitalize()} is {'lowest' if sign < 0 else 'highest'}"
    if not depth:
        return f"{where} with nobody flagged"
    if depth == 1 or cut is None:
        return f"{where} with everybody flagged"
    room = FLAT * (best - max(told[0][0], told[-1][0]))
    near = [t for (v, _), t in cuts.items() if v >= best - room]
    low, high = _short(min(near), cut), _short(max(near), cut)
    flat = f", about as good from {low} to {high}" if low != high else ""
    return f"{where} at {_short(cut, cut)}{flat}"


def _short(value: float, like: float) -> str:
    """A threshold in two decimals where that tells it."""
    return shortest(round(value, 2)) if abs(like) >= 0.1 else significant(value, 2)


def cost_curve(curve: Curve) -> str:
    """At which skews the model is better than either policy without one."""
    better = [x for x, y, trivial in _rows(curve, "skew", "cost", "trivial") if y < trivial - 1e-9]
    if not better:
        return "Nowhere cheaper than a policy without a model"
    return f"Cheaper than no model at weights from {_rounded(min(better))} to {_rounded(max(better))}"


FINDINGS: dict[str, Callable[[Curve], str]] = {
    f.__name__: f for f in (roc, pr, gain, lift, ks, calibration, scores, cost_curve)
}
"""What is seen on a curve of this name; on all others it is what they are worth."""
