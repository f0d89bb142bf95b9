"""Whether the arms have the sizes that were planned: if not, something else than chance chose, and no effect can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.arguments.allowed import NotAllowed, Span, shown
from steelyard.errors import InputError, UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.trials.always_valid import share_evidence
from steelyard.verdicts.trial import BLOCKS, not_by_chance
from steelyard.wording import option
from steelyard.words import count, p_told, percent, quoted

REMARK = 0.01
"""Below this p-value the sizes are worth a look."""
NEARLY_EQUAL = 0.6
"""Of arms none of which has more than this share it is told what equal shares would say, where no plan was given."""
EQUAL = "equal"
ROUNDED = 0.0101
"""Shares that were rounded to two places, as thirds are, may add up to this much more or less than 1."""


@dataclass(frozen=True, slots=True)
class RatioPart:
    """The sizes of the arms in one period or segment, or over all, and how likely chance alone is so far off."""

    name: str
    sizes: tuple[float, ...]
    statistic: float | None
    p_value: float | None
    """None where no plan was given to hold the sizes against."""


@dataclass(frozen=True, slots=True)
class RatioCheck(AsJson):
    """Sizes of the arms beside the planned shares, over all and in parts; parts are corrected for their number.

    A plan that nobody stated is not guessed: without one the sizes are not checked and forbid nothing, and it is said how to state
    one. Of arms of nearly equal size it is told whether they could be equal ones.
    """

    told_too: ClassVar[tuple[str, ...]] = ("checked", "blocked")

    arms: tuple[Any, ...]
    planned: tuple[float, ...]
    """Empty where the sizes are not checked."""
    total: RatioPart
    parts: tuple[RatioPart, ...]
    e_value: float
    """Evidence against the planned shares that holds however often one looks."""
    said: bool = True
    """Whether a plan was given."""
    if_equal: float | None = None
    """Without a plan, and in arms of nearly equal size: how likely chance alone is so far off equal shares."""

    @property
    def checked(self) -> bool:
        """Whether there was a plan to hold the sizes against."""
        return self.total.p_value is not None

    @property
    def worst(self) -> RatioPart | None:
        """The part with the smallest p-value."""
        return min(self.parts, key=_p) if self.parts else None

    @property
    def blocked(self) -> bool:
        """Whether the sizes are so far off that no verdict may be given."""
        worst = self.worst
        return not_by_chance(_p(self.total)) or (worst is not None and not_by_chance(_p(worst), len(self.parts)))

    def __str__(self) -> str:
        sizes = " and ".join(f"{count(n)} {quoted(a)}" for n, a in zip(self.total.sizes, self.arms, strict=True))
        if not self.checked:
            seen = ":".join(percent(round(n / sum(self.total.sizes), 3)) for n in self.total.sizes)
            said = f"not checked, since no plan was given; there are {sizes}, that is {seen}"
            if self.if_equal is not None and not_by_chance(self.if_equal):
                odd = "units were lost or assigned otherwise, and the effect may not be read"
                return f"{said}; if equal arms were planned, {odd} ({p_told(self.if_equal)})"
            return said
        planned = f"planned {':'.join(percent(s) for s in self.planned)}"
        text = f"{sizes}, {planned}, {p_told(_p(self.total))}"
        worst = self.worst
        if not_by_chance(_p(self.total)):
            return f"{text}: chance alone does not give such sizes"
        if self.blocked and worst is not None:
            p = p_told(_p(worst))
            return f"{text} over all, but in {quoted(worst.name)} {p}: chance alone does not give such sizes"
        said = f"{text}: not shown to differ from the plan (level {BLOCKS:g})"
        if _p(self.total) < REMARK:
            return f"{said}, but chance seldom gives such sizes, so look at how units were assigned or lost"
        return said

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return AsJson.to_dict(self) | {"text": str(self)}


def _p(part: RatioPart) -> float:
    return 1.0 if part.p_value is None else part.p_value


def planned_shares(planned: object, arms: Sequence[Any]) -> tuple[float, ...]:
    """The planned shares of the arms, in their order: equal unless given by name (any positive numbers in proportion).

    Arms that are not compared may be named as well.

    >>> planned_shares({"treated": 9, "control": 1}, ["control", "treated"])
    (0.1, 0.9)
    """
    if planned is None or (isinstance(planned, str) and planned == EQUAL):
        return tuple(1 / len(arms) for _ in arms)
    if not isinstance(planned, Mapping) or not set(planned) >= set(arms):
        message = f"The planned shares are given by the name of the arm, and the arms are {listing(arms)}."
        hint = f"Give each of them its share: {option('planned', ...)}, or {option('planned', 'equal')}."
        raise UsageError(message, hint)
    try:
        every = {a: float(Span(0, above=True).read(s)) for a, s in planned.items()}
    except NotAllowed:
        message = f"The planned shares must be numbers above 0; {', '.join(map(shown, planned.values()))} came."
        raise UsageError(message, "Give the share of units that each arm should get.") from None
    shares = [every[a] for a in arms]
    if not math.isfinite(sum(every.values())):
        message = f"The planned shares must be above 0; {listing(shares)} came."
        raise UsageError(message, "Give the share of units that each arm should get.")
    named = list(every.values())
    if all(s < 1 for s in named) and abs(sum(named) - 1) > ROUNDED:
        message = f"The planned shares add up to {sum(named):.6g}: {listing(named)} came."
        hint = "Shares add up to 1 over all arms; proportions are told by numbers from 1 on, as 9 and 1."
        raise UsageError(message, hint)
    return tuple(s / sum(shares) for s in shares)


def sample_ratio(
    sizes: Mapping[Any, float], planned: object = None, parts: Mapping[Any, Sequence[float]] | None = None
) -> RatioCheck:
    """Whether so many units in each arm are what the plan and chance would give.

    χ² = Σ (O − E)² / E over the arms, on units as they were assigned; `parts` has the sizes in each period or segment.

    >>> print(sample_ratio({"control": 1000, "treated": 1000}, "equal"))
    1,000 "control" and 1,000 "treated", planned 50%:50%, p = 1.0: not shown to differ from the plan (level 0.0005)
    >>> sample_ratio({"control": 10_000, "treated": 10_600}, "equal").blocked
    True
    >>> print(sample_ratio({"control": 1_000, "treated": 9_000}))
    not checked, since no plan was given; there are 1,000 "control" and 9,000 "treated", that is 10%:90%

    Fabijan et al., Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019.
    """
    arms = tuple(sizes)
    shares = planned_shares(planned, arms)
    counts = tuple(float(sizes[a]) for a in arms)
    if min(counts) < 0 or sum(counts) <= 0:
        message = f"The sizes of the arms must be counts of units; {listing(counts)} came."
        raise InputError(message, "Count the units that were assigned to each arm.")
    if planned is None:
        near = max(counts) <= NEARLY_EQUAL * sum(counts) and len(arms) == 2
        equal = _part("all", counts, shares).p_value if near else None
        return RatioCheck(arms, (), RatioPart("all", counts, None, None), (), math.nan, said=False, if_equal=equal)
    found = [_part(str(k), tuple(float(n) for n in v), shares) for k, v in (parts or {}).items() if sum(v) > 0]
    e = share_evidence(counts[0], counts[1], share=shares[0]) if len(arms) == 2 else math.nan
    return RatioCheck(arms, shares, _part("all", counts, shares), tuple(found), e)


def _part(name: str, sizes: tuple[float, ...], shares: tuple[float, ...]) -> RatioPart:
    from scipy.special import chdtrc

    expected = np.array(shares) * sum(sizes)
    statistic = float(((np.array(sizes) - expected) ** 2 / expected).sum())
    return RatioPart(name, sizes, statistic, float(chdtrc(len(sizes) - 1, statistic)))
