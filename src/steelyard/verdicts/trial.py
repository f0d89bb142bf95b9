"""Whether acting helps: the effect by its interval, after everything that could forbid reading it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.results import Difference, Estimate
from steelyard.verdicts.comparison import NOT_KNOWN
from steelyard.verdicts.comparison import UNCLEAR as NO_DIFFERENCE
from steelyard.verdicts.usefulness import side
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict
from steelyard.words import p_told, visible

HELPS, HARMS, UNCLEAR = "helps", "harms", "no clear effect"
LESS, MORE = "inconclusive, leaning to reduction", "inconclusive, leaning to increase"
BLOCKED, NOT_COMPARABLE = "blocked by the sample ratio", "not comparable"
FORBIDDEN = (BLOCKED, NOT_COMPARABLE)
"""Verdicts with which nothing may be read as the effect of the treatment."""
TRIAL = Kind(
    "trial", {HELPS: GOOD, HARMS: BAD, UNCLEAR: OPEN, LESS: OPEN, MORE: OPEN, BLOCKED: UNKNOWN, NOT_COMPARABLE: UNKNOWN}
)
ADVICE = {
    HELPS: "Go on acting, and keep a small control group to see whether it lasts.",
    HARMS: "Stop acting.",
    UNCLEAR: "Go on until the trial could see an effect that matters, or let it be.",
    LESS: "Go on, or plan a trial that decides by what is doubtful here.",
    MORE: "Go on, or plan a trial that decides by what is doubtful here.",
    BLOCKED: "Find out how units were assigned or lost before reading any effect.",
    NOT_COMPARABLE: "Leave out a random part of the units that would be treated.",
}
COSTS_MORE = "Do not go on like this: acting costs more than what it changes is worth."
MAY_NOT_PAY = "Go on as a trial only: acting helps, but it is not shown to bring more than it costs."
MOST, LEAST = "most where the score is high", "most where the score is low"
BY_SCORE = Kind("where it helps", {MOST: GOOD, LEAST: BAD, NO_DIFFERENCE: OPEN, NOT_KNOWN: UNKNOWN})
SPREAD_MORE, SPREAD_LESS, AS_MUCH = "more", "less", "as much"
RATIOS = {"rate_ratio", "odds_ratio"}
RANDOM = "random"
FLAG = 0.1
"""Standardised differences beyond this are told."""
BLOCKS = 0.0005
"""Below this p-value chance is no excuse, and the verdict is withheld."""
MAY_STILL = (
    "The difference may still be read as what happened to these two groups, not as what the treatment did; "
    "for that, leave out a random part of the units that would be treated"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One method's answer, the unit it takes for independent, and whether it may be used on these data."""

    name: str
    unit: str
    """"unit", "period", "event" or "row"."""
    effect: Difference
    valid: bool = True
    why: str = ""
    """Why it is not valid here."""

    @property
    def ratio(self) -> bool:
        """Whether the answer is a ratio, in which no effect is 1 and not 0."""
        return self.effect.measure in RATIOS

    @property
    def side(self) -> int:
        """−1 where the outcome is clearly lower in the treated arm, 1 where it is clearly higher, else 0."""
        d, none = self.effect, 1.0 if self.ratio else 0.0
        if d.low is not None and d.high is not None:
            return -1 if d.high < none else 1 if d.low > none else 0
        if d.p_value is None or d.value is None or d.p_value > 1 - d.confidence:
            return 0
        return -1 if d.value < none else 1

    @property
    def lean(self) -> int:
        """The side on which the estimate itself lies."""
        value, none = self.effect.value, 1.0 if self.ratio else 0.0
        return 0 if value is None or value == none else -1 if value < none else 1

    @property
    def told(self) -> str:
        """Its p-value in words."""
        return "no p-value" if self.effect.p_value is None else p_told(self.effect.p_value)


# What forbids a verdict -----------------------------------------------------------------------------------------------


def not_by_chance(p: float | None, looks: int = 1) -> bool:
    """Whether chance is no excuse for arms that are not as planned, several of them looked at."""
    return p is not None and p * looks < BLOCKS


def flagged(estimate: Estimate) -> bool:
    """Whether two arms are further apart than a tenth of a standard deviation."""
    return estimate.value is not None and abs(estimate.value) > FLAG


def chosen(selection: str | None) -> Verdict | None:
    """The verdict on arms that were not drawn at random; None where they were, or nobody said."""
    if selection is None or selection.strip().casefold() == RANDOM:
        return None
    return decided(NOT_COMPARABLE, f"The groups are not exchangeable: {visible(selection)}. {MAY_STILL}.")


def wrong_sizes(told: str) -> Verdict:
    """The verdict on arms whose sizes are not those planned."""
    return decided(BLOCKED, f"The sizes of the arms are not those planned: {told}.", ADVICE[BLOCKED])


def unlike(apart: Sequence[tuple[str, Estimate]]) -> Verdict:
    """The verdict on arms that differed before anything was done, in what and by how many standard deviations."""
    told = [f"The groups are not exchangeable: the {name} differs by {x} standard deviations." for name, x in apart]
    return decided(NOT_COMPARABLE, *told, f"{MAY_STILL}.")


def decided(word: str, *reasons: str, rests_on: Sequence[Difference] = (), worth: Estimate | None = None) -> Verdict:
    """A verdict of a trial: its word, why, and what to do; where nothing may be read, it rests on no effect.

    What helps is not advised where the money that it is `worth`, less what it costs, speaks against it.

    >>> decided("helps", worth=Estimate("money", -2.0, -3.0, -1.0)).advice
    'Do not go on like this: acting costs more than what it changes is worth.'
    """
    advice, pays = ADVICE[word], None if worth is None else side(worth, 0.0)
    if word == HELPS and pays is not None and pays < 1:
        advice = MAY_NOT_PAY if pays == 0 else COSTS_MORE
    return TRIAL(word, *(() if word in FORBIDDEN else rests_on), bound=0.0, reason="\n".join(reasons), advice=advice)


# The effect -----------------------------------------------------------------------------------------------------------


def effect(
    primary: Answer,
    direction: str,
    *,
    by_unit: bool = True,
    flat: bool = False,
    plain: Answer | None = None,
    events: Answer | None = None,
) -> Verdict:
    """What the method that decides says of the effect, and what two others leave in doubt; `flat` where nothing varies within arms.

    By period, where units themselves are not known, a clear result must also hold with `events` as units, since periods may vary
    less than they should by luck. What is clear by the `plain` method alone, which takes periods for independent of each other,
    where nobody said so and nothing shows it, leans and decides nothing.

    >>> effect(Answer("t", "unit", Difference("mean", value=-2.0, low=-3.0, high=-1.0)), "lower").word
    'helps'
    """
    good = -1 if direction == "lower" else 1
    d = (primary.effect,)
    if not primary.valid:
        side = primary.lean
        if side and flat:
            return _parted(primary, good, by_unit=by_unit)
        why = f"The method that decides, {primary.name}, is not valid here: {primary.why}."
        word = UNCLEAR if side == 0 or primary.side == 0 else LESS if side < 0 else MORE
        return decided(word, why, rests_on=d)
    doubts: list[str] = []
    lean = primary.side
    if plain is not None and plain.side and not primary.side:
        doubts.append(
            f"Clear if periods are independent of each other ({plain.name}: {plain.told}), which nothing shows; not clear if "
            f"neighbours may be alike ({primary.name}: {primary.told})."
        )
        lean = plain.side
    if events is not None and events.side != lean:
        by = plain if doubts and plain is not None else primary
        seen, unseen = (by, events) if by.side else (events, by)
        doubts.append(f"Clear by {_words(seen)}, not by {_words(unseen)}: the answer depends on the unit of analysis.")
        lean = seen.side
    if doubts:
        return decided(LESS if lean < 0 else MORE, *doubts, rests_on=d)
    if by_unit and primary.side and min(primary.effect.n) >= 1:
        chance = by_chance(*primary.effect.n)
        if chance > 1 - primary.effect.confidence:
            few = f"{sum(primary.effect.n):g} units alone do not rule out chance"
            why = f"Clear by {primary.name} ({primary.told}), but {few}: a random draw of the arms parts them like this with "
            return decided(LESS if lean < 0 else MORE, f"{why}{p_told(chance)} at least.", rests_on=d)
    return decided(UNCLEAR if not primary.side else HELPS if primary.side == good else HARMS, rests_on=d)


def by_chance(first: float, second: float) -> float:
    """How often a random draw of two arms of so many units parts them as far as they can be parted, to one side or the other.

    >>> round(by_chance(2, 2), 3), round(by_chance(4, 4), 3)
    (0.333, 0.029)
    """
    # The logarithm, since there may be more ways than a float can count.
    ways = math.lgamma(first + second + 1) - math.lgamma(first + 1) - math.lgamma(second + 1)
    return min(1.0, 2 * math.exp(-ways))


def _parted(primary: Answer, good: int, *, by_unit: bool) -> Verdict:
    """What may be said where all outcomes of an arm are the same and the arms differ: there is no spread, and no doubt either.

    If acting did nothing, the outcomes are those of the units whatever their arm, and only 2 of all ways to draw the arms part
    them like this.
    """
    first, second = (round(n) for n in primary.effect.n)
    chance = by_chance(first, second)
    told = "Within each arm all outcomes are the same, and the arms differ"
    d = (primary.effect,)
    if not by_unit or chance > 1 - primary.effect.confidence:
        few = f"{first + second} units" if by_unit else "periods"
        why = f"{told}; there is no spread to judge by, and the {few} alone do not rule out chance."
        return decided(LESS if primary.lean < 0 else MORE, why, rests_on=d)
    said = f"{told}: a random draw of the arms would part such units by chance with {p_told(chance)}."
    return decided(HELPS if primary.lean == good else HARMS, said, rests_on=d)


def _words(answer: Answer) -> str:
    unit = {"unit": "units", "period": "periods", "event": "single events", "row": "rows"}[answer.unit]
    return f"{unit} ({answer.name}: {answer.told})"


def where_it_helps(contrast: Difference) -> Verdict:
    """Whether acting helps most where the score is high, by the gain in the upper half of the scores less that in the lower.

    >>> where_it_helps(Difference("gain", value=0.2, low=0.1, high=0.3)).word
    'most where the score is high'
    """
    low, high = contrast.low, contrast.high
    if low is None or high is None:
        return BY_SCORE(NOT_KNOWN, contrast, bound=0.0, reason=contrast.reason)
    return BY_SCORE(MOST if low > 0 else LEAST if high < 0 else NO_DIFFERENCE, contrast, bound=0.0)


def spread(p_over: float, p_under: float, level: float = 0.05) -> str:
    """Whether periods vary more, less, or as much as independent events would, judged at a level a side.

    >>> spread(0.01, 0.99), spread(0.99, 0.01), spread(0.4, 0.6)
    ('more', 'less', 'as much')
    """
    return SPREAD_MORE if p_over < level else SPREAD_LESS if p_under < level else AS_MUCH
