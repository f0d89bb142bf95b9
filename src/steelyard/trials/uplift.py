"""Whether acting helps most where the score is high: the effect by score band, uplift and Qini curves and what they add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.errors import UsageError
from steelyard.files.as_json import AsJson
from steelyard.results import Array, Curve, Difference, Estimate, Flags, make_frame
from steelyard.trials.means import without_interval
from steelyard.trials.methods import effect_by_unit
from steelyard.verdicts.trial import where_it_helps
from steelyard.wording import option

POINTS = 50
REPLICATES = 500
MANY = 100_000
"""With more units than this fewer replicates are enough."""
SEED = 19081015
FEWEST = 10
"""Units that each arm needs for a curve."""


@dataclass(frozen=True, slots=True)
class ScoreBand:
    """The effect among units whose scores lie in one band; band 1 holds the highest scores."""

    number: int
    low: float
    high: float
    effect: Difference


@dataclass(frozen=True, slots=True)
class Uplift(AsJson):
    """The good done by acting, by score: per band, as curves over the share of units acted on, and in two numbers.

    Everything is told as gain, so that above zero is good: `uplift` is gain per unit of all, `qini` per treated unit. `auuc` is the
    area under the uplift curve, `qini_coefficient` the area between the Qini curve and the straight line of acting at random.
    `contrast` is the gain in the upper half of the scores less that in the lower half.
    """

    told_too: ClassVar[tuple[str, ...]] = ("verdict",)

    bands: tuple[ScoreBand, ...]
    uplift: Curve
    qini: Curve
    auuc: Estimate
    qini_coefficient: Estimate
    contrast: Difference

    @property
    def verdict(self) -> str:
        """Whether acting helps most where the score is high, as far as the two halves say."""
        return where_it_helps(self.contrast).word

    def frame(self) -> Any:
        """One row a band."""
        names = ("value", "low", "high", "p_value", "reason")
        columns: dict[str, list[Any]] = {"band": [b.number for b in self.bands]}
        columns |= {"score_low": [b.low for b in self.bands], "score_high": [b.high for b in self.bands]}
        columns |= {"treated": [b.effect.n[0] for b in self.bands], "control": [b.effect.n[1] for b in self.bands]}
        columns |= {name: [getattr(b.effect, name) for b in self.bands] for name in names}
        columns["caution"] = [b.effect.caution for b in self.bands]
        return make_frame(columns)


def score_bands(
    outcome: npt.ArrayLike,
    treated: npt.ArrayLike,
    score: npt.ArrayLike,
    bands: int = 10,
    confidence: float = 0.95,
    sign: float = 1.0,
    rows: object = None,
) -> tuple[ScoreBand, ...]:
    """The effect in bands of the score with as many units each, the highest scores first; tied scores stay together.

    Each by the method that decides for a whole trial of such units: two proportions for a yes or no, else by units. Outcomes are
    means over the `rows` of a unit.

    >>> y, arm = [1, 0, 1, 1, 0, 0, 1, 0], [True, False, True, False] * 2
    >>> [b.effect.value for b in score_bands(y, arm, [8, 7, 6, 5, 4, 3, 2, 1], bands=2)]
    [0.5, 0.5]
    """
    y, arm, s = _columns(outcome, treated, score)
    if bands < 1:
        message = f"There must be at least one band, and {bands} came."
        raise UsageError(message, "Ten bands are usual.")
    edges = np.unique(np.quantile(s, np.arange(1, bands) / bands, method="inverted_cdf"))
    place = np.searchsorted(edges, s, side="left")
    out: list[ScoreBand] = []
    for k in np.unique(place)[::-1]:
        here = place == k
        effect = _effect(y, arm, here, confidence, sign, rows)
        out.append(ScoreBand(len(out) + 1, float(s[here].min()), float(s[here].max()), effect))
    return tuple(out)


def _effect(y: Array, arm: Flags, here: Flags, confidence: float, sign: float, rows: object) -> Difference:
    """The gain among some of the units."""
    n = np.ones_like(y) if rows is None else np.asarray(rows, dtype=np.float64)
    once = bool((n == 1).all()) and bool(np.isin(y, (0.0, 1.0)).all())
    acted, left = here & arm, here & ~arm
    if not (acted.any() and left.any()):
        size = (float(acted.sum()), float(left.sum()))
        return without_interval("mean", None, confidence, "no unit of an arm has such a score", n=size)
    found = effect_by_unit((y[acted] * n[acted], y[left] * n[left]), (n[acted], n[left]), confidence, once=once)
    return found if sign > 0 else _turned(found)


def _turned(difference: Difference) -> Difference:
    """The same difference where less is good."""

    def less(v: float | None) -> float | None:
        return None if v is None else 0.0 - v

    ends = {
        "low": less(difference.high),
        "high": less(difference.low),
        "value": less(difference.value),
        "statistic": less(difference.statistic),
    }
    return difference.renamed(**ends, values=(less(difference.values[0]), less(difference.values[1])))


def _columns(outcome: npt.ArrayLike, treated: npt.ArrayLike, score: npt.ArrayLike) -> tuple[Array, Any, Array]:
    y, s = np.asarray(outcome, dtype=np.float64), np.asarray(score, dtype=np.float64)
    return y, np.asarray(treated, dtype=bool), s


def _steps(y: Array, arm: Flags, s: Array) -> tuple[Any, Any]:
    """Units in order from the highest score, and where each of at most POINTS steps begins; ties are never cut."""
    # Units with one score in an order of their own, so that resampling does not depend on the order of the rows.
    order = np.lexsort((y, arm, -s))
    ranked = s[order]
    ends = np.flatnonzero(np.r_[ranked[1:] != ranked[:-1], True]) + 1
    wanted = np.unique(np.rint(np.linspace(0, y.size, POINTS + 1)[1:]).astype(int))
    stops = np.unique(ends[np.searchsorted(ends, wanted)])
    return order, np.r_[0, stops[:-1]]


def _curves(sums: Array) -> tuple[Any, Any, Any]:
    """Shares acted on, uplift and Qini, from sums of weights and outcomes by arm in each step (… × 4 × steps)."""
    n, y, m, z = (sums[..., i, :].cumsum(axis=-1) for i in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (n + m) / (n[..., -1:] + m[..., -1:])
        # An arm not yet met has done nothing yet.
        apart = np.where((n > 0) & (m > 0), y / n - z / m, 0.0)
        qini = np.where((n > 0) & (m > 0), y - z * n / m, 0.0) / n[..., -1:]
    return share, apart * share, qini


def _areas(share: Array, uplift: Array, qini: Array) -> tuple[Any, Any]:
    """The area under the uplift curve, and that between the Qini curve and the straight line to its end."""

    def under(values: Array) -> Any:
        width = np.diff(share, axis=-1, prepend=0.0)
        before = np.concatenate([np.zeros_like(values[..., :1]), values[..., :-1]], axis=-1)
        return (width * (values + before) / 2).sum(axis=-1)

    return under(uplift), under(qini) - qini[..., -1] / 2


def uplift_by_score(
    outcome: npt.ArrayLike,
    treated: npt.ArrayLike,
    score: npt.ArrayLike,
    bands: int = 10,
    confidence: float = 0.95,
    sign: float = 1.0,
    replicates: int | None = None,
    rows: object = None,
) -> Uplift:
    """How the gain from acting depends on the score, one row a unit; `sign` is −1 where a lower outcome is good.

    Uplift(φ) = (ȳ₁(φ) − ȳ₀(φ)) φ and Qini(φ) = (Y₁(φ) − Y₀(φ) N₁(φ) / N₀(φ)) / N₁ over the share φ of units with the highest
    scores. Bands around the curves and intervals of the areas are from resampled units (Bayesian bootstrap).

    >>> rng = np.random.default_rng(2)
    >>> score, arm = rng.random(4000), rng.random(4000) < 0.5
    >>> u = uplift_by_score(rng.random(4000) < 0.1 + 0.3 * score * arm, arm, score, replicates=100)
    >>> u.verdict, round(u.qini_coefficient.value, 2), u.qini_coefficient.low > 0
    ('most where the score is high', 0.03, True)

    Radcliffe, Using control groups to target on predicted lift, Direct Marketing Analytics Journal (2007).
    """
    told, arm, s = _columns(outcome, treated, score)
    y = sign * told
    if min(int(arm.sum()), int((~arm).sum())) < FEWEST:
        message = f"Uplift by score needs at least {FEWEST} units in each arm."
        raise UsageError(message, f"Leave out {option('score')}, or wait for more units.")
    order, starts = _steps(y, arm, s)
    t, v = arm[order].astype(np.float64), y[order]
    parts = np.stack([t, t * v, 1 - t, (1 - t) * v])
    share, uplift, qini = _curves(np.add.reduceat(parts, starts, axis=1))
    auuc, coefficient = (float(a) for a in _areas(share, uplift, qini))
    number = replicates or (REPLICATES if y.size <= MANY else REPLICATES // 5)
    rng = np.random.default_rng(SEED)
    sums = np.empty((number, 4, len(starts)))
    for i in range(number):
        sums[i] = np.add.reduceat(parts * rng.standard_exponential(y.size), starts, axis=1)
    made = _curves(sums)
    areas = _areas(*made)
    method = f"Bayesian bootstrap by unit, {number} replicates"
    tail = (1 - confidence) / 2

    def curve(name: str, values: Array, drawn: Array) -> Curve:
        # Read at the shares of the curve itself.
        there = np.stack([np.interp(share, x, d) for x, d in zip(made[0], drawn, strict=True)])
        low, high = np.quantile(there, [tail, 1 - tail], axis=0)
        columns = {"share": share, name: values, "low": low, "high": high}
        told = {k: [0.0, *np.asarray(c, dtype=float).tolist()] for k, c in columns.items()}
        return Curve(name, told, confidence, method)

    def estimate(name: str, value: float, drawn: Array) -> Estimate:
        low, high = (float(q) for q in np.quantile(drawn, [tail, 1 - tail]))
        return Estimate(name, value, min(low, value), max(high, value), confidence, method, float(y.size))

    return Uplift(
        score_bands(told, arm, s, bands, confidence, sign, rows),
        curve("uplift", uplift, made[1]),
        curve("qini", qini, made[2]),
        estimate("auuc", auuc, areas[0]),
        estimate("qini_coefficient", coefficient, areas[1]),
        _contrast(told, arm, s, confidence, sign, rows),
    )


def _contrast(y: Array, arm: Flags, s: Array, confidence: float, sign: float, rows: object) -> Difference:
    """The effect in the upper half of the scores less that in the lower half: distances of their ends squared and added."""
    upper = s > float(np.median(s))
    halves = [_effect(y, arm, h, confidence, sign, rows) for h in (upper, ~upper)]
    facts: dict[str, Any] = {"first": "upper half", "second": "lower half"}
    facts["n"] = (float(upper.sum()), float((~upper).sum()))
    facts["values"] = tuple(h.value for h in halves)
    ends = [
        (h.value, h.low, h.high) for h in halves if h.value is not None and h.low is not None and h.high is not None
    ]
    if len(ends) < 2:
        why = "a half of the scores has too few units of an arm, or no variation"
        return without_interval("effect", None, confidence, why, **facts)
    (a, a_low, a_high), (b, b_low, b_high) = ends
    low, high = a - b - math.hypot(a - a_low, b_high - b), a - b + math.hypot(a_high - a, b - b_low)
    facts |= {"method": f"{halves[0].method} of two halves, MOVER", "caution": halves[0].caution or halves[1].caution}
    return Difference("effect", value=a - b, low=low, high=high, confidence=confidence, **facts)
