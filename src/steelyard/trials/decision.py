"""The verdict in words: what may be said of the effect, after everything that could forbid saying it."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.trials.balance import Balance
from steelyard.trials.methods import EXACT, SLOW, Method
from steelyard.trials.sample_ratio import RatioCheck

HELPS, HARMS, UNCLEAR = "helps", "harms", "no clear effect"
LESS, MORE = "inconclusive, leaning to reduction", "inconclusive, leaning to increase"
BLOCKED, NOT_COMPARABLE = "blocked by the sample ratio", "not comparable"
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
    less than they should by luck, and by the slow waves alone, since a few periods cannot show that they are independent.
    Otherwise the verdict only leans.
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
    return _effect(primary, methods, direction, analysis)


def _effect(primary: Method, methods: Sequence[Method], direction: str, analysis: str) -> tuple[str, tuple[str, ...]]:
    good = -1 if direction == "lower" else 1
    if not primary.valid:
        side = primary.lean
        why = f"The method that decides, {primary.name}, is not valid here: {primary.why}."
        return (UNCLEAR if side == 0 or primary.side == 0 else LESS if side < 0 else MORE), (why,)
    others = [m for m in methods if m.name in {EXACT, SLOW} and m.valid] if analysis == "period" else []
    others.sort(key=lambda m: m.name == SLOW)
    doubts = [m for m in others if m.side != primary.side]
    if primary.side and not doubts:
        return (HELPS if primary.side == good else HARMS), ()
    if doubts:
        seen, unseen = (primary, doubts[0]) if primary.side else (doubts[0], primary)
        tail = "the answer depends on the unit of analysis."
        if SLOW in {seen.name, unseen.name}:
            tail = "the answer depends on whether periods are independent of each other."
        words = [f"by {_unit(m)} ({m.name}: {_p(m)})" for m in (seen, unseen)]
        return (LESS if seen.side < 0 else MORE), (f"Clear {words[0]}, not {words[1]}: {tail}",)
    return UNCLEAR, ()


def _unit(m: Method) -> str:
    return {"unit": "units", "period": "periods", "event": "single events", "row": "rows"}[m.unit]


def _p(m: Method) -> str:
    return "no p-value" if m.effect.p_value is None else f"p = {m.effect.p_value:.2g}"
