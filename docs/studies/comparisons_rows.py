"""How comparisons of rows keep their promise: coverage at 95%, errors of the first kind at 5%, and power.

`python docs/studies/comparisons_rows.py [FAMILY]` prints a table in Markdown; all families take two processes some four minutes.
"""

from __future__ import annotations

import math
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.comparisons.areas import area_difference, limits, paired_areas, paired_partial_areas, score_limits
from steelyard.comparisons.buckets import bucket_difference
from steelyard.comparisons.independent import difference
from steelyard.comparisons.labels import mcnemar, paired_share_difference
from steelyard.comparisons.resampling import paired_difference

NORMAL = NormalDist()
PAYOFF = sy.Profit(tp=5, fn=-2, fp=-4)
TRUTH_ROWS = 200_000
HEAD = (
    "what",
    "rows",
    "setting",
    "method",
    "coverage",
    "too high",
    "too low",
    "p < 0.05",
    "mean width",
)
"""Of models that are equally good p < 0.05 is an error of the first kind, of others it is power."""


@dataclass(frozen=True)
class Scenario:
    """Rows of a population on which two models are compared, how often, and by which question."""

    family: str
    rows: int
    prevalence: float = 0.3
    first: float = 0.8
    second: float = 0.8
    correlation: float = 0.6
    measure: str = "auc"
    repeats: int = 2000

    @property
    def setting(self) -> str:
        """The facts of the population in words."""
        if self.family == "different rows":
            return f"{self.prevalence:.0%} positives, AUC {self.first:g} and {self.second:g}, rows of their own"
        if self.family == "numbers":
            return f"errors of {self.first:g} and {self.second:g}, correlation {self.correlation:g}"
        if self.family == "shares":
            return f"right in {self.first:g} and {self.second:g}, correlation {self.correlation:g}"
        return (
            f"{self.prevalence:.0%} positives, AUC {self.first:g} and {self.second:g}, correlation {self.correlation:g}"
        )

    @property
    def null(self) -> bool:
        """Whether the two models are equally good."""
        return self.first == self.second


def scenarios() -> list[Scenario]:
    """All settings, by family."""
    out = [
        Scenario("shares", n, first=a, second=b, correlation=r, repeats=4000)
        for n, a, b, r in (
            (30, 0.8, 0.8, 0.3),
            (100, 0.9, 0.9, 0.5),
            (100, 0.8, 0.7, 0.5),
            (300, 0.95, 0.95, 0.3),
            (1000, 0.7, 0.7, 0.8),
            (1000, 0.9, 0.87, 0.6),
        )
    ]
    out += [
        Scenario("areas", n, p, a, b, r)
        for n, p, a, b, r in (
            (60, 0.5, 0.8, 0.8, 0.5),
            (60, 0.5, 0.95, 0.95, 0.5),
            (100, 0.3, 0.95, 0.95, 0.5),
            (100, 0.3, 0.98, 0.9, 0.5),
            (300, 0.1, 0.95, 0.95, 0.8),
            (300, 0.1, 0.97, 0.93, 0.3),
            (600, 0.05, 0.99, 0.95, 0.5),
            (600, 0.05, 0.9, 0.8, 0.5),
            (1000, 0.3, 0.75, 0.75, 0.9),
            (1000, 0.3, 0.8, 0.77, 0.6),
        )
    ]
    out += [
        Scenario("different rows", n, p, a, b, 0.0, m, 600)
        for n, p, a, b in ((100, 0.3, 0.8, 0.8), (300, 0.1, 0.9, 0.9), (500, 0.3, 0.85, 0.8))
        for m in ("auc", "accuracy", "recall")
    ]
    out += [Scenario("partial areas", n, 0.3, a, b, 0.6) for n, a, b in ((200, 0.8, 0.8), (500, 0.9, 0.85))]
    for measure in ("f1", "precision", "kappa", "profit"):
        out += [Scenario("labels", n, 0.3, a, b, 0.6, measure, 600) for n, a, b in ((100, 0.8, 0.8), (500, 0.85, 0.8))]
    for measure in ("average_precision", "brier", "log_loss", "ks"):
        out += [Scenario("scores", n, 0.3, a, b, 0.6, measure, 250) for n, a, b in ((100, 0.8, 0.8), (300, 0.85, 0.8))]
    for measure in ("rmse", "median_ae", "r2"):
        out += [Scenario("numbers", n, 0, a, b, 0.6, measure, 250) for n, a, b in ((50, 1.0, 1.0), (200, 1.0, 1.1))]
    out += [
        Scenario("buckets", 1000, 0.3, a, b, 0.6, m, 250)
        for a, b in ((0.8, 0.8), (0.95, 0.9))
        for m in ("auc", "recall")
    ]
    return out


# Populations ----------------------------------------------------------------------------------------------------------


def _apart(area: float) -> float:
    return math.sqrt(2) * NORMAL.inv_cdf(area)


def scored(s: Scenario, rng: np.random.Generator, rows: int) -> tuple[Any, Any, Any]:
    """Binormal scores as honest probabilities, correlated within each class."""
    y = rng.random(rows) < s.prevalence
    y[:2] = (True, False)
    common = rng.normal(size=rows)
    out = []
    for area in (s.first, s.second):
        d = _apart(area)
        x = math.sqrt(s.correlation) * common + math.sqrt(1 - s.correlation) * rng.normal(size=rows) + d * y
        odds = math.log(s.prevalence / (1 - s.prevalence)) + d * x - d * d / 2
        out.append(1 / (1 + np.exp(-odds)))
    return y, out[0], out[1]


def right(s: Scenario, rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    """Whether each of two models is right, correlated through a common difficulty."""
    common = rng.normal(size=rows)
    draws = [math.sqrt(s.correlation) * common + math.sqrt(1 - s.correlation) * rng.normal(size=rows) for _ in "ab"]
    return draws[0] < NORMAL.inv_cdf(s.first), draws[1] < NORMAL.inv_cdf(s.second)


def numbers(s: Scenario, rng: np.random.Generator, rows: int) -> tuple[Any, Any, Any]:
    """A quantity and two predictions whose errors have heavy tails and are correlated."""
    t = rng.normal(10.0, 3.0, rows)
    common = rng.standard_t(6, rows)
    made = [
        t + e * (math.sqrt(s.correlation) * common + math.sqrt(1 - s.correlation) * rng.standard_t(6, rows))
        for e in (s.first, s.second)
    ]
    return t, made[0], made[1]


def truth(s: Scenario) -> float:
    """The difference in the population: exact where a formula is known, else from very many rows."""
    if s.family == "shares" or (s.family in {"areas", "buckets", "different rows"} and s.measure == "auc"):
        return s.first - s.second
    if s.null:
        return 0.0
    rng = np.random.default_rng(99)
    if s.family == "numbers":
        t, a, b = numbers(s, rng, TRUTH_ROWS)
        e, f = (sy.evaluate(target=t, prediction=x) for x in (a, b))
        return float(e[s.measure]) - float(f[s.measure])
    y, a, b = scored(s, rng, TRUTH_ROWS)
    if s.family == "partial areas":
        found = paired_partial_areas(y, [a, b], 0.2).values
        return float(found[0] - found[1])
    cut = 0.5 if s.family in {"buckets", "different rows"} else s.prevalence
    e, f = (sy.evaluate(target=y, score=x, positive=True, threshold=cut, profit=PAYOFF) for x in (a, b))
    if s.measure == "profit":
        return float(e.measure("profit", per="case")) - float(f.measure("profit", per="case"))
    return float(e[s.measure]) - float(f[s.measure])


# Questions ------------------------------------------------------------------------------------------------------------


def answers(s: Scenario, rng: np.random.Generator) -> dict[str, tuple[float, float, float | None]]:
    """Limits and p-value of each method on one set of rows."""
    if s.family == "shares":
        one, two = right(s, rng, s.rows)
        cells = tuple(int(x.sum()) for x in (one & two, one & ~two, ~one & two, ~one & ~two))
        out: dict[str, tuple[float, float, float | None]] = {}
        for method, test in (("Newcombe", "mid-p"), ("Agresti-Min", "exact"), ("Wald", "plain")):
            d = paired_share_difference(*cells, method=method)
            out[f"{method}; McNemar {test}"] = (d.low or 0.0, d.high or 0.0, mcnemar(cells[1], cells[2], test).p_value)
        return out
    if s.family == "numbers":
        t, a, b = numbers(s, rng, s.rows)
        return _bootstrapped(t, a, b, s, kind="numbers")
    y, a, b = scored(s, rng, s.rows)
    if s.family in {"areas", "partial areas"}:
        areas = paired_areas(y, [a, b]) if s.family == "areas" else paired_partial_areas(y, [a, b], 0.2)
        d = area_difference(areas)
        plain = limits(areas, 0, 1, 0.95, "DeLong")
        found = {"MOVER; DeLong's test": (d.low or 0.0, d.high or 0.0, d.p_value), "DeLong": (*plain, d.p_value)}
        if s.family == "areas":
            found["by overlap"] = _overlap(areas)
        return found
    if s.family == "different rows":
        other, _, c = scored(s, rng, s.rows)
        e, f = (sy.evaluate(target=t, score=x, positive=True) for t, x in ((y, a), (other, c)))
        d = difference(e, f, s.measure)
        return {"MOVER": (d.low or 0.0, d.high or 0.0, d.p_value)}
    if s.family == "buckets":
        e, f = (sy.evaluate(target=y, score=x, positive=True, unit=np.arange(s.rows)) for x in (a, b))
        d = bucket_difference(e, f, s.measure)
        exact = paired_difference(y, a, b, s.measure, kind="scores", positive=True)
        return {
            "buckets": (d.low or 0.0, d.high or 0.0, d.p_value),
            "rows": (exact.low or 0.0, exact.high or 0.0, exact.p_value),
        }
    more = {"payoff": PAYOFF} if s.measure == "profit" else {}
    return _bootstrapped(y, a, b, s, kind="scores", positive=True, threshold=s.prevalence, **more)


def _overlap(areas: Any) -> tuple[float, float, float | None]:
    """The habit of looking whether two intervals overlap: all that one area less the other can be, inside of both."""
    errors = areas.from_positives, areas.from_negatives
    own = [
        score_limits(float(areas.values[k]), *(float(v[k, k]) for v in errors), areas.positives, areas.negatives, 0.95)
        for k in (0, 1)
    ]
    low, high = own[0][0] - own[1][1], own[0][1] - own[1][0]
    return low, high, float(low <= 0 <= high)


def _bootstrapped(
    target: Any, a: Any, b: Any, s: Scenario, **options: Any
) -> dict[str, tuple[float, float, float | None]]:
    out: dict[str, tuple[float, float, float | None]] = {}
    for method in ("Student's t", "percentiles", "BCa"):
        d = paired_difference(target, a, b, s.measure, method=method, replicates=300, **options)
        if d.low is not None and d.high is not None:
            out[method] = (d.low, d.high, d.p_value)
    return out


def study(s: Scenario) -> list[tuple[str, ...]]:
    """One line for each method of a scenario."""
    rng = np.random.default_rng([s.rows, round(1000 * s.first), round(1000 * s.second), len(s.measure)])
    value, found = truth(s), {}
    for _ in range(s.repeats):
        for name, x in answers(s, rng).items():
            found.setdefault(name, []).append(x)
    lines = []
    for name, rows in found.items():
        low, high = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
        p = np.array([1.0 if r[2] is None else r[2] for r in rows])
        above, below = float((low > value + 1e-12).mean()), float((high < value - 1e-12).mean())
        told = f"{100 * float((p < 0.05).mean()):.1f}%"
        seen = told if s.null else f"power {told}"
        width = f"{float((high - low).mean()):.4f}"
        share = [f"{100 * x:.1f}%" for x in (1 - above - below, above, below)]
        what = s.measure if s.family in {"labels", "scores", "numbers", "buckets", "different rows"} else s.family
        lines.append((what, f"{s.rows:,}", s.setting, name, *share, seen, width))
    return lines


def main(family: str = "") -> None:
    """Print the table, of one family or of all."""
    wanted = [s for s in scenarios() if not family or s.family == family]
    print("| " + " | ".join(HEAD) + " |")
    print("|" + " --- |" * len(HEAD))
    with ProcessPoolExecutor(2) as pool:
        for lines in pool.map(study, wanted):
            for line in lines:
                print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:2])
