"""The verdict in words: what may be said of the effect, after everything that could forbid saying it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.trials.balance import Balance
from steelyard.trials.means import ALIKE
from steelyard.trials.methods import EXACT, SLOW, WELCH, Method
from steelyard.trials.sample_ratio import BLOCKS, RatioCheck
from steelyard.views.trial import p_equals

HELPS, HARMS, UNCLEAR = "helps", "harms", "no clear effect"
LESS, MORE = "inconclusive, leaning to reduction", "inconclusive, leaning to increase"
BLOCKED, NOT_COMPARABLE = "blocked by the sample ratio", "not comparable"
FORBIDDEN = (BLOCKED, NOT_COMPARABLE)
"""Verdicts with which nothing may be read as the effect of the treatment."""
VERDICTS = (HELPS, HARMS, UNCLEAR, LESS, MORE, BLOCKED, NOT_COMPARABLE)
RANDOM = "random"
MAY_STILL = (
    "The difference may still be read as what happened to these two groups, not as what the treatment did; "
    "for that, leave out a random part of the units that would be treated"
)


def decide(
    methods: Sequence[Method],
    ratio: RatioCheck | None,
    balances: Sequence[Balance],
    selection: str | None,
    direction: str,
    analysis: str,
) -> tuple[str, tuple[str, ...]]:
    """The verdict and its reasons, the gravest obstacle first: selection, sample ratio, balance, then the effect.

    By period, where units themselves are not known, a clear result must also hold with events as units, since periods may vary
    less than they should by luck. What is clear only if periods are independent of each other, which nobody said and nothing
    shows, leans and decides nothing.
    """
    if selection is not None and selection.strip().casefold() != RANDOM:
        return NOT_COMPARABLE, (f"The groups are not exchangeable: {selection}. {MAY_STILL}.",)
    if ratio is not None and ratio.blocked:
        why = f"The sizes of the arms are not those planned: {ratio}."
        return BLOCKED, (why, "Find out how units were assigned or lost before reading any effect.")
    apart = [b for b in balances if b.beyond_chance]
    if apart:
        return NOT_COMPARABLE, (
            *(
                f"The groups are not exchangeable: the {b.name} differs by {b.estimate} standard deviations."
                for b in apart
            ),
            f"{MAY_STILL}.",
        )
    primary = next(m for m in methods if m.primary)
    verdict, reasons = _effect(primary, methods, direction, analysis)
    if ratio is not None and ratio.if_equal is not None and ratio.if_equal < BLOCKS:
        reasons = (*reasons, f"The sizes of the arms were {ratio}.")
    return verdict, reasons


def _effect(primary: Method, methods: Sequence[Method], direction: str, analysis: str) -> tuple[str, tuple[str, ...]]:
    good = -1 if direction == "lower" else 1
    if not primary.valid:
        side = primary.lean
        if side and primary.why == ALIKE:
            return _parted(primary, good, analysis)
        why = f"The method that decides, {primary.name}, is not valid here: {primary.why}."
        return (UNCLEAR if side == 0 or primary.side == 0 else LESS if side < 0 else MORE), (why,)
    found = {m.name: m for m in methods if m.valid or m.unshown} if analysis == "period" else {}
    exact, welch = found.get(EXACT), found.get(WELCH)
    doubts: list[str] = []
    lean = primary.side
    if primary.name == SLOW and welch is not None and welch.side and not primary.side:
        doubts.append(
            f"Clear if periods are independent of each other ({WELCH}: {_p(welch)}), which nothing shows; not clear if "
            f"neighbours may be alike ({SLOW}: {_p(primary)})."
        )
        lean = welch.side
    if exact is not None and exact.side != lean:
        by = welch if doubts and welch is not None else primary
        seen, unseen = (by, exact) if by.side else (exact, by)
        doubts.append(f"Clear by {_words(seen)}, not by {_words(unseen)}: the answer depends on the unit of analysis.")
        lean = seen.side
    if primary.side and not doubts:
        return (HELPS if primary.side == good else HARMS), ()
    if doubts:
        return (LESS if lean < 0 else MORE), tuple(doubts)
    return UNCLEAR, ()


def _parted(primary: Method, good: int, analysis: str) -> tuple[str, tuple[str, ...]]:
    """What may be said where all outcomes of an arm are the same and the arms differ: there is no spread, and no doubt either.

    If acting did nothing, the outcomes are those of the units whatever their arm, and only 2 of all ways to draw the arms part
    them like this.
    """
    first, second = (round(n) for n in primary.effect.n)
    # The logarithm, since there may be more ways than a float can count.
    ways = math.lgamma(first + second + 1) - math.lgamma(first + 1) - math.lgamma(second + 1)
    chance = 2 * math.exp(-ways)
    told = "Within each arm all outcomes are the same, and the arms differ"
    if analysis == "period" or chance > 1 - primary.effect.confidence:
        few = "periods" if analysis == "period" else f"{first + second} units"
        why = f"{told}; there is no spread to judge by, and the {few} alone do not rule out chance."
        return (LESS if primary.lean < 0 else MORE), (why,)
    said = f"{told}: a random draw of the arms would part such units by chance with p {p_equals(chance)}."
    return (HELPS if primary.lean == good else HARMS), (said,)


def _words(m: Method) -> str:
    return f"{_unit(m)} ({m.name}: {_p(m)})"


def _unit(m: Method) -> str:
    return {"unit": "units", "period": "periods", "event": "single events", "row": "rows"}[m.unit]


def _p(m: Method) -> str:
    return "no p-value" if m.effect.p_value is None else f"p {p_equals(m.effect.p_value)}"
