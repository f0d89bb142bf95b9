"""How to count, and what every answer is checked for: missing values, segments, levels, the positive one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import BadLevels, BadWeight, EmptyTable, MissingValues, listing
from steelyard.results import Array
from steelyard.rows.language import BAD_WEIGHT, GOOD, NO_TARGET, STATE_WORDS, ZERO_WEIGHT, Rows, Table, Tally
from steelyard.summaries.segments import Key, key_of, order_of
from steelyard.summaries.summary import EXACT_ROWS, occurring, sort_levels
from steelyard.summaries.units import BITS, MOST
from steelyard.summaries.unlabelled import Unlabelled, read_unlabelled
from steelyard.wording import option

MOST_LEVELS = 1000
MANY_LEVELS = 20
"""With more levels than this, a target that has one score is likely to be a quantity."""
MOST_COPIES = 2.0**53
HEAVIEST = 1e60
"""Sums of weights beyond this, or below one over it, have products of four that no float holds."""
WHOLE = None
Evidence = dict[Key | None, dict[str, Any]]
Decide = Callable[[tuple[Any, ...], Any], Array]
"""What each decision is worth, once levels and positive are known: coefficients of a payoff."""


@dataclass(slots=True)
class CountingRules:
    """How to count: weights, exactness, what to do with missing values, declared levels."""

    weighting: str = "none"
    exact: bool = False
    drop: bool = False
    levels: tuple[Any, ...] | None = None
    positive: Any = None
    cuts: tuple[float, ...] = ()
    beside: tuple[str, ...] = ()
    labels: tuple[str, ...] = ("target",)
    amounts: tuple[str, ...] = ()
    decide: Decide | None = None
    bits: int | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    unsummed: int = 0
    """Rows whose scores of all classes do not add up to one."""
    unlabelled: Unlabelled | None = None
    """What was predicted for rows without a target, beside the others."""


def few(rows: int) -> bool:
    """Whether so many rows are counted exactly without being asked."""
    return rows <= EXACT_ROWS


def clean(table: Table, plan: CountingRules) -> Table:
    """Rows that can be used; the others are refused, or counted and left out."""
    state = table["state"].astype(np.int64)
    bad = state != GOOD
    if bad.any():
        counts = {int(s): int(table["rows"][state == s].sum()) for s in np.unique(state[bad])}
        # Rows of weight zero count as nothing, so nothing is said of them.
        none = counts.pop(ZERO_WEIGHT, 0)
        words = [f"{n:,} with {STATE_WORDS[s]}" for s, n in counts.items()]
        total = int(table["rows"].sum()) - none
        if BAD_WEIGHT in counts:
            n = counts[BAD_WEIGHT]
            message = f"Of {total:,} rows, {n:,} {'has' if n == 1 else 'have'} {STATE_WORDS[BAD_WEIGHT]}."
            raise BadWeight(message, "Weights must be zero or above; rows that should not count have a weight of zero.")
        if counts and not plan.drop:
            message = f"Of {total:,} rows, some cannot be used: {', '.join(words)}."
            hint = (
                f"Mend them, or leave them out with {option('missing', 'drop')}; they are then counted in the result."
            )
            raise MissingValues(message, hint)
        plan.dropped = {STATE_WORDS[s]: n for s, n in counts.items()} if counts else plan.dropped
        if plan.unlabelled is None and NO_TARGET in counts:
            usable = (state == GOOD) | (state == NO_TARGET)
            told = {k: v[usable] for k, v in table.items()}
            plan.unlabelled = read_unlabelled(told, state[usable] == NO_TARGET)
    good = {k: v[~bad] for k, v in table.items()}
    if not int(good["rows"].sum()):
        what = (
            "no rows"
            if not bad.any()
            else "no rows left once those with missing values or a weight of zero are dropped"
        )
        message = f"The table has {what}."
        raise EmptyTable(message, "At least one row is needed.")
    _check_weights(good, plan)
    return good


def _check_weights(table: Table, plan: CountingRules) -> None:
    """Refuse weights whose products are too large or too small to be held."""
    if "weight" not in table:
        return
    # Infinite sums are no matter here: whoever asked for them looks at them.
    sums = table["weight"].astype(np.float64)
    with np.errstate(over="ignore"):
        total, least = float(sums.sum()), float(sums.min())
    if plan.weighting == "frequency" and not total <= MOST_COPIES:
        message = f"The frequencies add up to {total:.3g} copies of rows, more than can be counted one by one."
        hint = f"For weights of any size say {option('weights', 'sampling')}: only their proportions matter then."
        raise BadWeight(message, hint)
    if not (total <= HEAVIEST and least >= 1 / HEAVIEST):
        message = f"Weights from about {least:.3g} to {total:.3g} are too far from one to add up their products."
        raise BadWeight(message, "Only their proportions matter: divide them all by the same number.")


def check_copies(rows: Rows, plan: CountingRules) -> None:
    """Refuse weights that say how many copies a row stands for and are no whole numbers; asked where they may not be."""
    if plan.weighting != "frequency" or rows.kind("weight") in {"int", "bool", "wide", "text"}:
        return
    broken = rows.tally(Tally(sums={"broken": lambda r: r.flag(r.value("weight") > r.whole(r.value("weight")))}))
    n = int(broken["broken"].sum())
    if n:
        total = int(broken["rows"].sum())
        message = (
            f"Of {total:,} rows, {n:,} {'has a weight that is' if n == 1 else 'have weights that are'} no whole number."
        )
        hint = f"A frequency of k stands for k copies of a row; for weights of any size say {option('weights', 'sampling')}."
        raise BadWeight(message, hint)


def by_segment(table: Table) -> dict[Key | None, Table]:
    """The whole table, and one for each segment where there are any."""
    return {WHOLE: table, **(segments_apart(table) if "segment" in table else {})}


def segments_apart(table: Table) -> dict[Key | None, Table]:
    """One table for each segment; sorted by segment once, and not searched for each.

    Segments come in the order they are told in, whatever order a database answers in: sums lie about the point of the first.
    """
    values = table["segment"].tolist()
    # A value that stands in many rows is one object in most of them, and is looked at once.
    which = list(map(id, values))
    keys = {i: key_of(v) for i, v in dict(zip(which, values, strict=True)).items()}
    found: dict[Key | None, int] = {key: i for i, key in enumerate(sorted(set(keys.values()), key=order_of))}
    place = {i: found[key] for i, key in keys.items()}
    codes = np.fromiter(map(place.__getitem__, which), np.int64, len(which))
    # Numbers of 16 bits are put in order without being compared.
    order = np.argsort(codes.astype(np.uint16) if len(found) <= 1 << 16 else codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(found) + 1))
    laid = {k: v[order] for k, v in table.items()}
    return {key: {k: v[ends[i] : ends[i + 1]] for k, v in laid.items()} for key, i in found.items()}


def found_levels(plan: CountingRules, *columns: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The levels that occur, or the declared ones; far too many are refused."""
    found = sort_levels([v for column in columns for v in occurring(column)])
    if plan.levels is not None:
        extra = [v for v in found if v not in plan.levels]
        if extra:
            message = (
                f"The data hold levels that were not declared: {listing(extra)}; declared: {listing(plan.levels)}."
            )
            raise BadLevels(message, f"Add them to {option('levels')}, or mend the data.")
        return plan.levels
    if len(found) > MOST_LEVELS:
        who = "Target and prediction together have" if len(columns) > 1 else "The target has"
        message = f"{who} {len(found):,} levels, and at most {MOST_LEVELS:,} can be told apart."
        hint = (
            f"Join rare levels first; for a quantity say {option('kind', 'continuous')}, "
            "and in place of an identifier name another column."
        )
        if len(columns) > 1:
            hint = (
                f"If the prediction holds numbers, pass it as {option('score', ...)}; "
                f"if both are quantities, say {option('kind', 'continuous')}."
            )
        raise BadLevels(message, hint)
    return found


def positive_of(levels: tuple[Any, ...], plan: CountingRules, *, two: bool) -> Any:
    """The positive level: given, or 1 and True speaking for themselves; never guessed."""
    if plan.positive is not None:
        matches = [v for v in levels if v == plan.positive]
        if not matches:
            message = f"The positive level {listing([plan.positive])} does not occur; the target has {listing(levels)}."
            hint = f"Name one of these levels; if this is one part of a larger table, declare {option('levels', [...])} as well."
            if plan.levels is not None:
                message = (
                    f"The positive level {listing([plan.positive])} is not among the declared levels {listing(levels)}."
                )
                hint = f"Name one of these levels, or declare all of them: {option('levels', [...])}."
            if any(str(v) == str(plan.positive) for v in levels):
                hint = "The text looks the same but the type differs: pass the level as it is in the data."
            raise BadLevels(message, hint)
        return matches[0]
    if len(levels) <= 2 and set(levels) <= {0, 1}:
        return next((v for v in levels if v == 1), True if levels and isinstance(levels[0], bool) else 1)
    if two or len(levels) == 2:
        message = f"Which level is the positive one? The target has {listing(levels)}."
        named = " or ".join(option("positive", level) for level in levels[:2])
        raise BadLevels(message, f"Say so: {named}{'' if len(levels) == 2 else ', for example'}.")
    return None


def require_both(levels: tuple[Any, ...], positive: object, plan: CountingRules) -> tuple[Any, ...]:
    """Two levels for a score; one class alone is refused unless the levels were declared."""
    if len(levels) > 2:
        message = f"One score tells two levels apart, and the target has {len(levels):,}: {listing(levels)}."
        hint = f"Pass one score for each level, {option('score', {...: ...})}, or join the levels first."
        if len(levels) > MANY_LEVELS:
            hint = (
                f"If the target is a quantity, pass {option('prediction', ...)} in "
                f"place of {option('score', ...)}; if it is not, join the levels first."
            )
        raise BadLevels(message, hint)
    if len(levels) < 2 and plan.levels is None:
        message = f"The target has one level only: {listing(levels)}."
        hint = (
            "Both classes are needed to judge a score; if this is one "
            f"part of a larger table, declare {option('levels', [...])}."
        )
        raise BadLevels(message, hint)
    if positive not in levels:
        levels = sort_levels([*levels, positive])
    return levels


def choose_bits(rows: Rows, plan: CountingRules) -> int | None:
    """How finely units are kept apart: the most buckets that stay within the limit; asked once for all summaries."""
    if not rows.has("unit") or plan.bits is not None:
        return plan.bits
    ids = np.unique(rows.tally(Tally({"bucket": lambda r: r.bucket("unit")}))["bucket"].astype(np.int64))
    bits = BITS
    while len(np.unique(ids >> (BITS - bits))) > MOST:
        bits -= 1
    plan.bits = bits
    return bits


def as_labels(table: Table, levels: tuple[Any, ...]) -> Table:
    """The table with the level that is best as the predicted one."""
    label = np.empty(len(table["best"]), dtype=object)
    label[:] = [levels[int(b)] for b in table["best"].tolist()]
    return {**table, "label": label}
