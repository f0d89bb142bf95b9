"""Small awkward data: ties, rare classes, extreme scores, weights, two to five levels, tiny and huge numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

import steelyard as sy

KINDS = ("labels", "scores", "classes", "numbers")
"""What a row can hold beside its target: a label, one score, one score for each class, a number."""

PAIRS: tuple[tuple[Any, Any], ...] = ((0, 1), (False, True), ("no", "yes"), ("rest", "all"), (7, "x"))
MANY: tuple[tuple[Any, ...], ...] = (("a", "rest", "b"), (1, 2, 3), ("n", "m", "l", "k"), (0, 1, "b", 2.5, "a"))
TIED = (0.0, 0.25, 0.5, 0.75, 1.0)
EXTREME = (0.0, 1e-300, 2.0**-41, 0.1, 0.3, 0.5 - 2.0**-54, 0.5, 0.7, 1 - 2.0**-30, 1 - 2.0**-53, 1.0)
BEYOND = (-1e300, -(2.0**41), -3.5, -1e-12, -0.0, 0.2, 1.0, 1.5, 40.0, 2.0**41, 1e300)
CENTRES = (0.1, 0.3, 0.4999, 0.7, 0.9, 1 - 2.0**-9, 2.0**-9)
NEARNESS = {"near": 2.0**-16, "less near": 2.0**-12}
SCALES = {"quarters": 0.25, "plain": 0.1, "tiny": 0.1 * 2.0**-60, "huge": 0.1 * 2.0**60}


@dataclass(frozen=True)
class Sample:
    """Rows of one kind, as columns by role, and how they are to be evaluated."""

    kind: str
    columns: Mapping[str, Sequence[Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns["target"])

    @property
    def levels(self) -> tuple[Any, ...]:
        """The declared levels; none for numbers."""
        return tuple(self.settings.get("levels", ()))

    def evaluate(self, **changes: Any) -> sy.Evaluation:
        """The evaluation of these rows."""
        given = {**self.columns, **self.settings, **changes}
        if self.kind == "classes":
            levels = given.pop("levels")
            given["score"] = {v: [row[i] for row in given["score"]] for i, v in enumerate(levels)}
        return sy.evaluate(**given)

    def take(self, places: Sequence[int]) -> Sample:
        """These rows, in this order, as often as they are named."""
        return replace(self, columns={k: [v[i] for i in places] for k, v in self.columns.items()})

    def with_columns(self, **columns: Sequence[Any]) -> Sample:
        """The same rows with other columns."""
        return replace(self, columns={**self.columns, **columns})

    def without(self, *roles: str) -> Sample:
        """The same rows with some columns left out."""
        return replace(self, columns={k: v for k, v in self.columns.items() if k not in roles})


def halves(sample: Sample, middle: int) -> tuple[Sample, Sample]:
    """The rows before and from a place."""
    places = range(len(sample))
    return sample.take(places[:middle]), sample.take(places[middle:])


# Pools: a few values for all rows of a sample, so that ties are many and a failing case shrinks well -------------------


@st.composite
def score_pools(draw: st.DrawFn, manners: Sequence[str] = ("tied", "extreme", "any", "beyond")) -> list[float]:
    """A few distinct scores."""
    manner = draw(st.sampled_from(manners))
    if manner == "near":
        centre, step = draw(st.sampled_from(CENTRES)), draw(st.sampled_from((2.0**-26, 2.0**-18, 2.0**-15)))
        # Some share a cell of the grid, two lie beside it, two anywhere.
        beside = [centre * 0.9, 1 - (1 - centre) * 0.9]
        return [centre + step * i for i in range(-2, 4)] + beside + [draw(st.sampled_from(CENTRES)) for _ in range(2)]
    values = {
        "tied": st.sampled_from(TIED),
        "extreme": st.sampled_from(EXTREME),
        "any": st.floats(0, 1, allow_subnormal=False),
        "beyond": st.sampled_from(BEYOND),
        "inside": st.floats(1e-6, 1 - 1e-6),
    }[manner]
    return draw(st.lists(values, min_size=1, max_size=7, unique=True))


@st.composite
def number_pools(draw: st.DrawFn, manner: str) -> list[float]:
    """A few distinct numbers."""
    if manner == "offset":
        return [1e6 + x / 64 for x in draw(st.lists(st.integers(-64, 64), min_size=1, max_size=6, unique=True))]
    if manner in NEARNESS:
        centre = draw(st.sampled_from((1.0, 3.3, -2.2)))
        return [centre * (1 + NEARNESS[manner] * i) for i in range(6)]
    if manner == "mixed":
        values = st.floats(1e-9, 1e6).flatmap(lambda x: st.sampled_from((x, -x, 0.0)))
        return draw(st.lists(values, min_size=1, max_size=6, unique=True))
    # Tenths, whose differences come out a little different each time; quarters, whose differences are exact.
    whole = st.one_of(st.integers(-20, 20), st.just(0))
    return [i * SCALES[manner] for i in draw(st.lists(whole, min_size=1, max_size=6, unique=True))]


# Samples --------------------------------------------------------------------------------------------------------------


@st.composite
def samples(
    draw: st.DrawFn,
    kind: str,
    *,
    least: int = 2,
    most: int = 16,
    weights: str | None = None,
    units: int = 0,
    segments: int = 0,
    manners: Sequence[str] | None = None,
) -> Sample:
    """Rows of one kind; with weights ("frequency", "sampling", or sampling weights of very different size: "lopsided"),
    with so many units at most, with so many segments at most.
    """
    n = draw(st.integers(max(least, 2), most))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    make = {"labels": _labels, "scores": _scores, "classes": _classes, "numbers": _numbers}[kind]
    columns, settings = make(draw, column, manners)
    if kind != "numbers":
        settings["profit"] = draw(payoffs(settings["levels"], settings.get("positive")))
        if settings["profit"].names:
            columns["value"] = column(st.sampled_from((0.0, 0.1, 2.0, -3.5, 70.0)))
    if weights is not None:
        several = {
            "frequency": st.integers(1, 4),
            "sampling": st.sampled_from((1.0, 0.1, 0.3, 3.7)),
            "lopsided": st.sampled_from((1.0, 0.1, 0.001, 3.7, 1000.0)),
        }[weights]
        columns["weight"], settings["weights"] = column(several), "frequency" if weights == "frequency" else "sampling"
    if units:
        columns["unit"] = column(st.integers(0, units - 1))
    if segments:
        columns["segment"] = column(st.sampled_from([f"s{i}" for i in range(segments)]))
    return Sample(kind, columns, settings)


@st.composite
def payoffs(draw: st.DrawFn, levels: Sequence[Any], positive: Any) -> sy.Profit | sy.Cost:
    """What outcomes are worth: for two levels by outcome or by level, for more by level; some rows by amounts of their own."""
    amounts = st.sampled_from((0, 1, -2.5, 140, "value", "0.5 * value - 3"))
    kind = draw(st.sampled_from((sy.Profit, sy.Cost)))
    if positive is not None and len(levels) == 2 and draw(st.booleans()):
        # Whatever else is drawn, flagging must make a difference.
        return kind(tp=7, fn=draw(amounts), fp=draw(amounts), tn=draw(amounts))
    table = {v: {w: draw(amounts) if v != w else 7 for w in levels} for v in levels}
    return kind(table)


def _targets(draw: Any, column: Any, levels: Sequence[Any]) -> list[Any]:
    chosen = column(st.sampled_from(levels))
    if draw(st.booleans()):
        # One class is rare: every row but one has the first level.
        chosen = [levels[-1], *[levels[0]] * (len(chosen) - 1)]
    return list(chosen)


def _labels(draw: Any, column: Any, _: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    levels = draw(st.sampled_from(PAIRS + MANY))
    columns = {"target": _targets(draw, column, levels), "prediction": column(st.sampled_from(levels))}
    positive = draw(st.sampled_from(levels)) if len(levels) == 2 or draw(st.booleans()) else None
    return columns, {"levels": levels, "positive": positive, "kind": "labels"}


def _scores(draw: Any, column: Any, manners: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    levels = draw(st.sampled_from(PAIRS))
    pool = draw(score_pools(manners) if manners else score_pools())
    columns = {"target": _targets(draw, column, levels), "score": column(st.sampled_from(pool))}
    threshold = draw(st.sampled_from([0.5, 0.0, *pool]))
    return columns, {"levels": levels, "positive": draw(st.sampled_from(levels)), "threshold": threshold}


def _classes(draw: Any, column: Any, manners: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    levels = draw(st.sampled_from((MANY[0], MANY[1], PAIRS[2])))
    pool = draw(score_pools(manners) if manners else score_pools())
    rows = st.tuples(*[st.sampled_from(pool)] * len(levels))
    return {"target": _targets(draw, column, levels), "score": column(rows)}, {"levels": levels}


def _numbers(draw: Any, column: Any, manners: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    manner = draw(st.sampled_from(manners or ("plain", "tiny", "huge", "offset", "mixed")))
    targets, predictions = draw(number_pools(manner)), draw(number_pools(manner))
    columns = {"target": column(st.sampled_from(targets)), "prediction": column(st.sampled_from(predictions))}
    return columns, {"kind": "continuous"}
