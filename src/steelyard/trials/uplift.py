"""Whether acting helps most where the score is high: the effect by score band, uplift and Qini curves and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import UsageError
from steelyard.results import Curve, Difference, Estimate, make_frame
from steelyard.trials.means import Numbers, by_t, welch, without_interval

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
class Uplift:
    """The good done by acting, by score: per band, as curves over the share of units acted on, and in two numbers.

    Everything is told as gain, so that above zero is good: `uplift` is gain per unit of all, `qini` per treated unit. `auuc` is the
    area under the uplift curve, `qini_coefficient` the area between the Qini curve and the straight line of acting at random.
    `contrast` is the gain in the upper half of the scores less that in the lower half.
    """

    bands: tuple[ScoreBand, ...]
    uplift: Curve
    qini: Curve
    auuc: Estimate
    qini_coefficient: Estimate
    contrast: Difference

    @property
    def verdict(self) -> str:
        """Whether acting helps most where the score is high, as far as the two halves say."""
        low, high = self.contrast.low, self.contrast.high
        if low is None or high is None:
            return "not known"
        return (
            "most where the score is high"
            if low > 0
            else "most where the score is low"
            if high < 0
            else "no clear difference"
        )

    def frame(self) -> Any:
        """One row a band."""
        names = ("value", "low", "high", "p_value")
        columns: dict[str, list[Any]] = {"band": [b.number for b in self.bands]}
        columns |= {"score_low": [b.low for b in self.bands], "score_high": [b.high for b in self.bands]}
        columns |= {"treated": [b.effect.n[0] for b in self.bands], "control": [b.effect.n[1] for b in self.bands]}
        columns |= {name: [getattr(b.effect, name) for b in self.bands] for name in names}
        return make_frame(columns)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        bands = [{"number": b.number, "low": b.low, "high": b.high, "effect": b.effect.to_dict()} for b in self.bands]
        return {
            "bands": bands,
            "uplift": self.uplift.to_dict(),
            "qini": self.qini.to_dict(),
            "auuc": self.auuc.to_dict(),
            "qini_coefficient": self.qini_coefficient.to_dict(),
            "contrast": self.contrast.to_dict(),
            "verdict": self.verdict,
        }


def score_bands(
    outcome: Any, treated: Any, score: Any, bands: int = 10, confidence: float = 0.95, sign: float = 1.0
) -> tuple[ScoreBand, ...]:
    """The effect in bands of the score with as many units each, the highest scores first; tied scores stay together.

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
        effect = welch(sign * y[here & arm], sign * y[here & ~arm], confidence)
        out.append(ScoreBand(len(out) + 1, float(s[here].min()), float(s[here].max()), effect))
    return tuple(out)


def _columns(outcome: Any, treated: Any, score: Any) -> tuple[Numbers, Any, Numbers]:
    y, s = np.asarray(outcome, dtype=np.float64), np.asarray(score, dtype=np.float64)
    return y, np.asarray(treated, dtype=bool), s


def _steps(y: Numbers, arm: Any, s: Numbers) -> tuple[Any, Any]:
    """Units in order from the highest score, and where each of at most POINTS steps begins; ties are never cut."""
    order = np.argsort(-s, kind="stable")
    ranked = s[order]
    ends = np.flatnonzero(np.r_[ranked[1:] != ranked[:-1], True]) + 1
    wanted = np.unique(np.rint(np.linspace(0, y.size, POINTS + 1)[1:]).astype(int))
    stops = np.unique(ends[np.searchsorted(ends, wanted)])
    return order, np.r_[0, stops[:-1]]


def _curves(sums: Any) -> tuple[Any, Any, Any]:
    """Shares acted on, uplift and Qini, from sums of weights and outcomes by arm in each step (… × 4 × steps)."""
    n, y, m, z = (sums[..., i, :].cumsum(axis=-1) for i in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (n + m) / (n[..., -1:] + m[..., -1:])
        # An arm not yet met has done nothing yet.
        apart = np.where((n > 0) & (m > 0), y / n - z / m, 0.0)
        qini = np.where((n > 0) & (m > 0), y - z * n / m, 0.0) / n[..., -1:]
    return share, apart * share, qini


def _areas(share: Any, uplift: Any, qini: Any) -> tuple[Any, Any]:
    """The area under the uplift curve, and that between the Qini curve and the straight line to its end."""

    def under(values: Any) -> Any:
        width = np.diff(share, axis=-1, prepend=0.0)
        before = np.concatenate([np.zeros_like(values[..., :1]), values[..., :-1]], axis=-1)
        return (width * (values + before) / 2).sum(axis=-1)

    return under(uplift), under(qini) - qini[..., -1] / 2


def uplift_by_score(
    outcome: Any,
    treated: Any,
    score: Any,
    bands: int = 10,
    confidence: float = 0.95,
    sign: float = 1.0,
    replicates: int | None = None,
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
    y, arm, s = _columns(outcome, treated, score)
    y = sign * y
    if min(int(arm.sum()), int((~arm).sum())) < FEWEST:
        message = f"Uplift by score needs at least {FEWEST} units in each arm."
        raise UsageError(message, "Leave out score=, or wait for more units.")
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

    def curve(name: str, values: Any, drawn: Any) -> Curve:
        # Read at the shares of the curve itself.
        there = np.stack([np.interp(share, x, d) for x, d in zip(made[0], drawn, strict=True)])
        low, high = np.quantile(there, [tail, 1 - tail], axis=0)
        columns = {"share": share, name: values, "low": low, "high": high}
        told = {k: [0.0, *np.asarray(c, dtype=float).tolist()] for k, c in columns.items()}
        return Curve(name, told, confidence, method)

    def estimate(name: str, value: float, drawn: Any) -> Estimate:
        low, high = (float(q) for q in np.quantile(drawn, [tail, 1 - tail]))
        return Estimate(name, value, min(low, value), max(high, value), confidence, method, float(y.size))

    return Uplift(
        score_bands(y, arm, s, bands, confidence),
        curve("uplift", uplift, made[1]),
        curve("qini", qini, made[2]),
        estimate("auuc", auuc, areas[0]),
        estimate("qini_coefficient", coefficient, areas[1]),
        _contrast(y, arm, s, confidence),
    )


def _contrast(y: Numbers, arm: Any, s: Numbers, confidence: float) -> Difference:
    """The effect in the upper half of the scores less that in the lower half."""
    upper = s > float(np.median(s))
    halves = [welch(y[h & arm], y[h & ~arm], confidence) for h in (upper, ~upper)]
    facts: dict[str, Any] = {"first": "upper half", "second": "lower half"}
    facts["n"] = (float(upper.sum()), float((~upper).sum()))
    facts["values"] = tuple(h.value for h in halves)
    if any(h.value is None or "error" not in h.options for h in halves):
        why = "a half of the scores has too few units of an arm, or no variation"
        return without_interval("effect", None, confidence, why, **facts)
    errors = [float(h.options["error"]) ** 2 for h in halves]
    freedom = sum(errors) ** 2 / sum(e**2 / h.options["freedom"] for e, h in zip(errors, halves, strict=True))
    value = float(halves[0]) - float(halves[1])
    return by_t("effect", value, sum(errors) ** 0.5, freedom, confidence, method="Welch's t of two halves", **facts)
