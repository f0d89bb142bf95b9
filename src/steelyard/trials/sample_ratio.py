"""Whether the arms have the sizes that were planned: if not, something else than chance chose, and no effect can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.errors import InputError, UsageError, listing
from steelyard.trials.always_valid import share_evidence
from steelyard.views.trial import p_equals
from steelyard.words import count, percent, quoted

BLOCKS = 0.0005
"""Below this p-value the verdict is withheld."""
REMARK = 0.01
"""Below this p-value the sizes are worth a look."""
NEARLY_EQUAL = 0.6
"""Arms of which none has more than this share are held against equal shares where no plan was given."""
EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class RatioPart:
    """The sizes of the arms in one period or segment, or over all, and how likely chance alone is so far off."""

    name: str
    sizes: tuple[float, ...]
    statistic: float | None
    p_value: float | None
    """None where no plan was given to hold the sizes against."""


@dataclass(frozen=True, slots=True)
class RatioCheck:
    """Sizes of the arms beside the planned shares, over all and in parts; parts are corrected for their number.

    Without a plan, arms of nearly equal size are held against equal shares, since nobody plans 47 to 53 and lost units give just
    that; arms that are far from equal were most likely planned so, and are not checked.
    """

    arms: tuple[Any, ...]
    planned: tuple[float, ...]
    """Empty where the sizes are not checked."""
    total: RatioPart
    parts: tuple[RatioPart, ...]
    e_value: float
    """Evidence against the planned shares that holds however often one looks."""
    said: bool = True
    """Whether the plan was given; otherwise equal shares are assumed."""

    @property
    def checked(self) -> bool:
        """Whether there was a plan, given or assumed, to hold the sizes against."""
        return self.total.p_value is not None

    @property
    def worst(self) -> RatioPart | None:
        """The part with the smallest p-value."""
        return min(self.parts, key=_p) if self.parts else None

    @property
    def blocked(self) -> bool:
        """Whether the sizes are so far off that no verdict may be given."""
        worst = self.worst
        return _p(self.total) < BLOCKS or (worst is not None and _p(worst) * len(self.parts) < BLOCKS)

    def __str__(self) -> str:
        sizes = " and ".join(f"{count(n)} {quoted(a)}" for n, a in zip(self.total.sizes, self.arms, strict=True))
        if not self.checked:
            seen = ":".join(percent(round(n / sum(self.total.sizes), 3)) for n in self.total.sizes)
            return f"not checked, since no plan was given; there are {sizes}, that is {seen}"
        planned = f"{'planned' if self.said else 'assumed to be planned'} {':'.join(percent(s) for s in self.planned)}"
        text = f"{sizes}, {planned}, p {p_equals(_p(self.total))}"
        worst = self.worst
        if _p(self.total) < BLOCKS:
            return f"{text}: chance alone does not give such sizes"
        if self.blocked and worst is not None:
            p = p_equals(_p(worst))
            return f"{text} over all, but in {quoted(worst.name)} p {p}: chance alone does not give such sizes"
        said = f"{text}: not shown to differ from the plan (level {BLOCKS:g})"
        if _p(self.total) < REMARK:
            return f"{said}, but chance seldom gives such sizes, so look at how units were assigned or lost"
        return said

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        parts = [_plain(part) for part in self.parts]
        return {
            "arms": list(self.arms),
            "checked": self.checked,
            "said": self.said,
            "planned": list(self.planned),
            "total": _plain(self.total),
            "parts": parts,
            "e_value": self.e_value if math.isfinite(self.e_value) else None,
            "blocked": self.blocked,
            "text": str(self),
        }


def _p(part: RatioPart) -> float:
    return 1.0 if part.p_value is None else part.p_value


def _plain(part: RatioPart) -> dict[str, Any]:
    return {"name": part.name, "sizes": list(part.sizes), "statistic": part.statistic, "p_value": part.p_value}


def planned_shares(planned: Any, arms: Sequence[Any]) -> tuple[float, ...]:
    """The planned shares of the arms, in their order: equal unless given by name (any positive numbers in proportion).

    Arms that are not compared may be named as well.

    >>> planned_shares({"treated": 9, "control": 1}, ["control", "treated"])
    (0.1, 0.9)
    """
    if planned is None or (isinstance(planned, str) and planned == EQUAL):
        return tuple(1 / len(arms) for _ in arms)
    if not isinstance(planned, Mapping) or not set(planned) >= set(arms):
        message = f"The planned shares are given by the name of the arm, and the arms are {listing(arms)}."
        raise UsageError(message, 'Give each of them its share: planned=..., or planned="equal".')
    try:
        shares = [float(planned[a]) for a in arms]
    except (TypeError, ValueError):
        message = f"The planned shares must be numbers; {listing(planned[a] for a in arms)} came."
        raise UsageError(message, "Give the share of units that each arm should get.") from None
    if not all(math.isfinite(s) and s > 0 for s in shares):
        message = f"The planned shares must be above 0; {listing(shares)} came."
        raise UsageError(message, "Give the share of units that each arm should get.")
    return tuple(s / sum(shares) for s in shares)


def sample_ratio(
    sizes: Mapping[Any, float], planned: Any = None, parts: Mapping[Any, Sequence[float]] | None = None
) -> RatioCheck:
    """Whether so many units in each arm are what the plan and chance would give.

    χ² = Σ (O − E)² / E over the arms, on units as they were assigned; `parts` has the sizes in each period or segment.

    >>> print(sample_ratio({"control": 1000, "treated": 1000}, "equal"))
    1,000 "control" and 1,000 "treated", planned 50%:50%, p = 1.0: not shown to differ from the plan (level 0.0005)
    >>> sample_ratio({"control": 10_000, "treated": 10_600}).blocked
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
    if planned is None and max(counts) > NEARLY_EQUAL * sum(counts):
        return RatioCheck(arms, (), RatioPart("all", counts, None, None), (), math.nan, said=False)
    found = [_part(str(k), tuple(float(n) for n in v), shares) for k, v in (parts or {}).items() if sum(v) > 0]
    e = share_evidence(counts[0], counts[1], share=shares[0]) if len(arms) == 2 else math.nan
    return RatioCheck(arms, shares, _part("all", counts, shares), tuple(found), e, planned is not None)


def _part(name: str, sizes: tuple[float, ...], shares: tuple[float, ...]) -> RatioPart:
    from scipy.special import chdtrc

    expected = np.array(shares) * sum(sizes)
    statistic = float(((np.array(sizes) - expected) ** 2 / expected).sum())
    return RatioPart(name, sizes, statistic, float(chdtrc(len(sizes) - 1, statistic)))


def noticeable_share(units: int, level: float = BLOCKS) -> float:
    """How far the share of an arm must be off one half for so many units to be blocked.

    |share − ½| = z √(¼ / N)

    >>> [round(100 * noticeable_share(n), 2) for n in (2_000, 24_000, 1_000_000)]
    [3.89, 1.12, 0.17]
    """
    return NormalDist().inv_cdf(1 - level / 2) * math.sqrt(0.25 / units)
