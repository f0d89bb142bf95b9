"""Which model wins at which costs: the cost curves of several models laid over one another, cut exactly where they cross."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from steelyard.arguments.annotated import Confidence, as_annotated
from steelyard.errors import NotAvailable, UsageError, listing, nearest
from steelyard.files.as_json import json_value
from steelyard.intervals.bootstrap import SEED
from steelyard.results import Array, Curve, Estimate, make_frame
from steelyard.summaries.scores import Scores, scores_of
from steelyard.views.told import Told
from steelyard.wording import option
from steelyard.worth.cost_curve import cost_limits
from steelyard.worth.hull import (
    Envelope,
    checked_prevalence,
    envelope,
    lost_in_cells,
    method_name,
    percentiles,
    require_both,
    resampled_costs,
)

NONE, ALL = "flag nobody", "flag everybody"
TRIVIAL = (NONE, ALL)
CLOSE = 1e-12
"""Costs that differ by less are the same."""
ALIKE = 1.05
"""Prevalences may differ by this factor and still be pooled."""
SKEWS = np.linspace(0.02, 0.98, 49)
"""Where savings by chance are looked for."""
INDEPENDENT = "the models are taken as independently tested; on the same rows the interval is wider than needed"


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of skews, and of ratios of gain to cost at the prevalence, in which one policy is cheapest.

    The runner-up is the next best in the middle of the stretch; the advantage is the largest saving over the next best
    inside. A region was found where its winner happened to win, so clear means more than an interval that leaves out zero:
    the saving over another model in the middle must exceed what the largest saving at any skew does by chance; over a trivial
    policy, the winner's cost in the middle, its optimism taken off, must stay below it, its confidence raised so that all
    regions together hold (Bonferroni). Where a trivial policy wins, every model can only do the same, so there is no
    runner-up. A ratio of None has no end.
    """

    from_skew: float
    to_skew: float
    from_ratio: float
    to_ratio: float | None
    winner: str
    runner_up: str | None
    from_threshold: float | None
    to_threshold: float | None
    advantage: float
    clear: bool


@dataclass(frozen=True, slots=True)
class Regions(Told):
    """The cheapest policy at every ratio of what a found positive is worth to what a false alarm costs."""

    as_text: ClassVar[str] = "regions.regions_text"

    parts: tuple[Region, ...]
    prevalence: float
    confidence: float
    models: tuple[str, ...]
    tables: Mapping[str, Scores] = field(default_factory=dict, repr=False, compare=False)

    @as_annotated()
    def winner(self, ratio: float, prevalence: float | None = None) -> str:
        """The cheapest policy where a found positive is worth `ratio` times a false alarm."""
        skew = self._skew(ratio, prevalence)
        return next((part.winner for part in self.parts if skew < part.to_skew), self.parts[-1].winner)

    @as_annotated()
    def difference(self, first: str, second: str, ratio: float, prevalence: float | None = None) -> Estimate:
        """What the first saves over the second in normalised expected cost, above zero where the first is cheaper."""
        for name in (first, second):
            if name not in (*self.models, *TRIVIAL):
                message = f'There is no model called "{name}"; there are {listing((*self.models, *TRIVIAL))}.'
                raise UsageError(message, nearest(name, (*self.models, *TRIVIAL)) or "Name two of them.")
        if first == second:
            message = f'A difference needs two policies, and "{first}" came twice.'
            raise UsageError(message, f"Choose another of {listing((*self.models, *TRIVIAL))}.")
        if not self.tables:
            message = "These regions were read back without the score tables, so costs cannot be compared again."
            raise NotAvailable(message, "Ask regions(...) anew with the saved evaluations.")
        return saving(self.tables, first, second, self._skew(ratio, prevalence), self.confidence)

    @as_annotated()
    def boundary(self, prevalences: Sequence[float]) -> Curve:
        """The ratio at each boundary against prevalence: ratio = skew / (1 − skew) × (1 − p) / p.

        Boundary i lies between parts[i − 1] and parts[i].
        """
        shares = [checked_prevalence(p) for p in prevalences]
        rows = [
            (float(i), p, part.from_skew, ratio_at(part.from_skew, p))
            for i, part in enumerate(self.parts[1:], start=1)
            for p in shares
        ]
        names = ("boundary", "prevalence", "skew", "ratio")
        columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
        note = "boundaries as found, without an interval: a difference near a boundary is close to zero by definition"
        return Curve("boundary", columns, self.confidence, "none", note)

    def _skew(self, ratio: float, prevalence: float | None) -> float:
        p = self.prevalence if prevalence is None else checked_prevalence(prevalence)
        if not (math.isfinite(ratio) and ratio >= 0):
            message = f"The ratio is what a found positive is worth over what a false alarm costs, and {ratio} came."
            raise UsageError(message, "Give a number of zero or more, for example 10.")
        return p * ratio / (p * ratio + 1.0 - p)

    def frame(self) -> Any:
        """One row a region, as a frame of whichever library is installed."""
        return make_frame({name: [getattr(part, name) for part in self.parts] for name in Region.__slots__})

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without the score tables."""
        told = {name: json_value(getattr(self, name)) for name in ("prevalence", "confidence", "models", "parts")}
        return told | {"text": str(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Regions:
        """Read back what `to_dict` wrote."""
        parts = tuple(Region(**part) for part in data["parts"])
        return cls(parts, data["prevalence"], data["confidence"], tuple(data["models"]))


@as_annotated("prevalence")
def regions(models: Mapping[str, Any], *, prevalence: float | None = None, confidence: Confidence = 0.95) -> Regions:
    """Which model, or which trivial policy, is cheapest at which ratio of gain to cost.

    >>> sure = Scores.of([0.1, 0.3, 0.4, 0.5, 0.2, 0.9], [0, 0, 0, 0, 1, 1], positive=1)
    >>> wide = Scores.of([0.1, 0.2, 0.3, 0.9, 0.7, 0.8], [0, 0, 0, 0, 1, 1], positive=1)
    >>> found = regions({"sure": sure, "wide": wide})
    >>> [(part.winner, round(part.from_skew, 3)) for part in found.parts]
    [('sure', 0.0), ('wide', 0.333)]
    """
    tables = _checked(models)
    p = _pooled(tables) if prevalence is None else checked_prevalence(prevalence)
    lines = {NONE: _same(0.0), ALL: _same(1.0)} | {name: envelope(table) for name, table in tables.items()}
    cuts = _cuts(list(lines.values()))
    middles = (cuts[:-1] + cuts[1:]) / 2
    costs = np.stack([line.cost(middles) for line in lines.values()])
    names = list(lines)
    # The first of equals: a trivial policy before any model, models in the order given.
    best = (costs <= costs.min(axis=0) + CLOSE).argmax(axis=0)
    starts = np.flatnonzero(np.r_[True, best[1:] != best[:-1]])
    # One look at each region that a model wins: together they may be wrong no more often than one interval (Bonferroni).
    looks = max(int((best[starts] >= len(TRIVIAL)).sum()), 1)
    strict = 1.0 - (1.0 - confidence) / looks
    parts = []
    chance: _Chance | None = None
    for start, end in zip(starts, np.r_[starts[1:], len(best)], strict=True):
        winner, low, high = names[best[start]], float(cuts[start]), float(cuts[end])
        ends: tuple[float | None, float | None] = (None, None)
        rival, advantage, clear = None, 0.0, False
        if winner not in TRIVIAL:
            line = lines[winner]
            at = line.threshold[line.corner(middles[[start, end - 1]])].tolist()
            ends = (at[0], at[1])
            middle = middle_of(low, high)
            rival, advantage = _next_best(lines, winner, cuts[start : end + 1], middle)
            if rival in TRIVIAL:
                trivial = middle if rival == NONE else 1.0 - middle
                most = cost_limits(tables[winner], line, np.array([middle]), strict)[1]
                clear = bool(most[0] < trivial - CLOSE)
            else:
                chance = chance or _Chance.of(tables)
                clear = chance.beaten(lines, winner, rival, middle, confidence)
        ratios = ratio_at(low, p) or 0.0, ratio_at(high, p)
        parts.append(Region(low, high, *ratios, winner, rival, *ends, advantage, clear))
    return Regions(tuple(parts), p, confidence, tuple(tables), dict(tables))


@dataclass(frozen=True, slots=True)
class _Chance:
    """Least costs of resampled tables over a grid of skews, of models that know nothing of each other."""

    draws: Mapping[str, Array]

    @classmethod
    def of(cls, tables: Mapping[str, Scores]) -> _Chance:
        rng = np.random.default_rng(SEED)
        made = {name: resampled_costs(table, SKEWS, "bias")[0] for name, table in tables.items()}
        size = min(len(x) for x in made.values())
        # Every table is resampled with the same seed; shuffled, the copies of two tables know nothing of each other.
        return cls({name: x[rng.permutation(len(x))[:size]] for name, x in made.items()})

    def critical(self, confidence: float) -> float:
        """What the largest studentized saving of one model over another at any skew exceeds too seldom."""
        largest = np.zeros(len(next(iter(self.draws.values()))))
        for first, second in combinations(self.draws.values(), 2):
            gap = second - first
            error = gap.std(axis=0, ddof=1)
            used = error > CLOSE
            if used.any():
                away = np.abs(gap[:, used] - gap[:, used].mean(axis=0)) / error[used]
                largest = np.maximum(largest, away.max(axis=1))
        return float(np.quantile(largest, confidence))

    def beaten(self, lines: Mapping[str, Envelope], winner: str, rival: str, skew: float, confidence: float) -> bool:
        """Whether the winner saves more at this skew than the largest saving by chance.

        (Not at any skew of the region: towards the ends the errors of resampled tables are too small for that.)
        """
        error = (self.draws[rival] - self.draws[winner]).std(axis=0, ddof=1)
        saved = float(lines[rival].cost(skew) - lines[winner].cost(skew))
        return saved > max(self.critical(confidence) * float(np.interp(skew, SKEWS, error)), CLOSE)


def _checked(models: object) -> dict[str, Scores]:
    if not isinstance(models, Mapping) or not models:
        message = "regions takes names and evaluations, one model or more, and none came."
        raise UsageError(message, 'For example regions({"tree": e, "knn": f}).')
    tables = {}
    for name, model in models.items():
        if name in TRIVIAL:
            message = f'A model cannot be called "{name}": that is the name of a policy without a model.'
            raise UsageError(message, "Give it another name.")
        table = scores_of(model)
        if table is None:
            message = f'Regions need scores, and "{name}" has none.'
            raise NotAvailable(message, f"Pass {option('score', ...)} to evaluate.")
        require_both(table, f'The cost curve of "{name}"')
        tables[name] = table
    return tables


def _pooled(tables: Mapping[str, Scores]) -> float:
    """The prevalence of all rows, where the models agree on it."""
    found = {name: (float(t.all_positives), float(t.counts.sum())) for name, t in tables.items()}
    each = {name: part / whole for name, (part, whole) in found.items()}
    if max(each.values()) > min(each.values()) * ALIKE:
        told = ", ".join(f"{share:.3g} ({name})" for name, share in each.items())
        message = f"The models were tested at different prevalences: {told}."
        raise UsageError(message, f"Say at which one they will be used, for example {option('prevalence', 0.08)}.")
    return sum(part for part, _ in found.values()) / sum(whole for _, whole in found.values())


def ratio_at(skew: float, prevalence: float) -> float | None:
    """The ratio of gain to cost at a skew and a prevalence; None where it has no end."""
    return None if skew >= 1 else skew / (1.0 - skew) * (1.0 - prevalence) / prevalence


def middle_of(low: float, high: float) -> float:
    """The middle of a stretch of skews, geometric in the ratio; of one without an end, halfway in skew."""
    if low <= 0 or high >= 1:
        return (low + high) / 2
    odds = math.sqrt(low / (1 - low) * (high / (1 - high)))
    return odds / (1 + odds)


def _same(rate: float) -> Envelope:
    """The one line of a policy that treats every case alike."""
    return Envelope(np.zeros(0), np.array([rate]), np.array([rate]), np.zeros(1))


def _cuts(lines: list[Envelope]) -> Array:
    """Skews between which every cost curve is one straight line and no two of them cross."""
    cuts = np.unique(np.concatenate([[0.0, 0.5, 1.0], *(line.breaks for line in lines)]))
    costs = [line.cost(cuts) for line in lines]
    crossings = [cuts]
    for first, second in combinations(costs, 2):
        gap = first - second
        a, b = gap[:-1], gap[1:]
        across = (a * b < 0) & (np.maximum(abs(a), abs(b)) > CLOSE)
        share = a[across] / (a[across] - b[across])
        crossings.append(cuts[:-1][across] + share * np.diff(cuts)[across])
    cuts = np.unique(np.concatenate(crossings))
    # Cuts that rounding alone sets apart are one.
    kept = cuts[np.r_[True, np.diff(cuts) > CLOSE]]
    kept[-1] = 1.0
    return kept


def _next_best(lines: Mapping[str, Envelope], winner: str, cuts: Array, middle: float) -> tuple[str, float]:
    """The next best policy in the middle, models before trivial ones, and the largest saving over the next best at any cut."""
    others = [name for name in [*lines][2:] + [*lines][:2] if name != winner]
    here = [float(lines[name].cost(middle)) for name in others]
    rival = others[min(range(len(others)), key=lambda i: (here[i] > min(here) + CLOSE, i))]
    least = np.min([lines[name].cost(cuts) for name in others], axis=0)
    return rival, max(float((least - lines[winner].cost(cuts)).max()), 0.0)


def saving(tables: Mapping[str, Scores], first: str, second: str, skew: float, confidence: float) -> Estimate:
    """Cost of the second less that of the first at one skew, with the interval of two independent bootstraps."""
    rng = np.random.default_rng(SEED)
    value = move = bound = rows = 0.0
    methods = []
    values = np.zeros(1)
    less = "optimism" if first in TRIVIAL or second in TRIVIAL else "bias"
    for sign, name in ((-1.0, first), (1.0, second)):
        if name in TRIVIAL:
            fixed = sign * (skew if name == NONE else 1.0 - skew)
            value, values = value + fixed, values + fixed
            continue
        at, table = np.array([skew]), tables[name]
        drawn, back, coarse = (x[..., 0] for x in resampled_costs(table, at, less))
        here = float(envelope(table).cost(skew))
        value, move = value + sign * here, move + sign * (here - float(coarse) + float(back))
        # Every table is resampled with the same seed; shuffled, the copies of two tables know nothing of each other.
        size = max(len(drawn), len(values))
        values = np.resize(values, size) + sign * np.resize(rng.permutation(drawn), size)
        bound, rows = max(bound, float(lost_in_cells(table, at)[0])), rows + table.rows
        methods.append(method_name(table, len(drawn), less))
    told = Estimate(
        "normalised expected cost difference",
        value,
        confidence=confidence,
        method="none",
        n=rows,
        bound=bound,
        options={"first": first, "second": second, "skew": skew},
    )
    if not methods:
        return told.renamed(note="neither policy looks at the cases, so the difference is known exactly")
    low, high = (float(x) for x in percentiles(values, move, confidence))
    note = INDEPENDENT if len(methods) > 1 else ""
    low, high = max(min(low, value), -1.0), min(max(high, value), 1.0)
    return told.renamed(low=low, high=high, method=" and ".join(dict.fromkeys(methods)), note=note)
