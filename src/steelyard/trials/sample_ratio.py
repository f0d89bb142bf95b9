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
from steelyard.words import count, percent, quoted, significant

BLOCKS = 0.0005
"""Below this p-value the verdict is withheld."""


@dataclass(frozen=True, slots=True)
class RatioPart:
    """The sizes of the arms in one period or segment, or over all, and how likely chance alone is so far off."""

    name: str
    sizes: tuple[float, ...]
    statistic: float
    p_value: float


@dataclass(frozen=True, slots=True)
class RatioCheck:
    """Sizes of the arms beside the planned shares, over all and in parts; parts are corrected for their number."""

    arms: tuple[Any, ...]
    planned: tuple[float, ...]
    total: RatioPart
    parts: tuple[RatioPart, ...]
    e_value: float
    """Evidence against the planned shares that holds however often one looks."""

    @property
    def worst(self) -> RatioPart | None:
        """The part with the smallest p-value."""
        return min(self.parts, key=lambda part: part.p_value) if self.parts else None

    @property
    def blocked(self) -> bool:
        """Whether the sizes are so far off that no verdict may be given."""
        worst = self.worst
        return self.total.p_value < BLOCKS or (worst is not None and worst.p_value * len(self.parts) < BLOCKS)

    def __str__(self) -> str:
        sizes = " and ".join(f"{count(n)} {quoted(a)}" for n, a in zip(self.total.sizes, self.arms, strict=True))
        planned = ":".join(percent(s) for s in self.planned)
        text = f"{sizes}, planned {planned}, p = {significant(self.total.p_value)}"
        worst = self.worst
        if self.total.p_value < BLOCKS:
            return f"{text}: chance alone does not give such sizes"
        if self.blocked and worst is not None:
            p = significant(worst.p_value)
            return f"{text} over all, but in {quoted(worst.name)} p = {p}: chance alone does not give such sizes"
        return f"{text}: as planned"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        parts = [_plain(part) for part in self.parts]
        return {
            "arms": list(self.arms),
            "planned": list(self.planned),
            "total": _plain(self.total),
            "parts": parts,
            "e_value": self.e_value if math.isfinite(self.e_value) else None,
            "blocked": self.blocked,
            "text": str(self),
        }


def _plain(part: RatioPart) -> dict[str, Any]:
    return {"name": part.name, "sizes": list(part.sizes), "statistic": part.statistic, "p_value": part.p_value}


def planned_shares(planned: Any, arms: Sequence[Any]) -> tuple[float, ...]:
    """The planned shares of the arms, in their order: equal unless given by name (any positive numbers in proportion).

    >>> planned_shares({"treated": 9, "control": 1}, ["control", "treated"])
    (0.1, 0.9)
    """
    if planned is None:
        return tuple(1 / len(arms) for _ in arms)
    if not isinstance(planned, Mapping) or set(planned) != set(arms):
        message = f"The planned shares are given by the name of the arm, and the arms are {listing(arms)}."
        raise UsageError(message, f"For example planned={{{', '.join(f'{a!r}: 0.5' for a in arms)}}}.")
    shares = [float(planned[a]) for a in arms]
    if not all(math.isfinite(s) and s > 0 for s in shares):
        message = f"The planned shares must be above 0; {listing(shares)} came."
        raise UsageError(message, "Give the share of units that each arm should get.")
    return tuple(s / sum(shares) for s in shares)


def sample_ratio(
    sizes: Mapping[Any, float], planned: Any = None, parts: Mapping[Any, Sequence[float]] | None = None
) -> RatioCheck:
    """Whether so many units in each arm are what the plan and chance would give.

    χ² = Σ (O − E)² / E over the arms, on units as they were assigned; `parts` has the sizes in each period or segment.

    >>> print(sample_ratio({"control": 1000, "treated": 1000}))
    1,000 "control" and 1,000 "treated", planned 50%:50%, p = 1.00: as planned
    >>> sample_ratio({"control": 10_000, "treated": 10_600}).blocked
    True

    Fabijan et al., Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019.
    """
    arms = tuple(sizes)
    shares = planned_shares(planned, arms)
    counts = tuple(float(sizes[a]) for a in arms)
    if min(counts) < 0 or sum(counts) <= 0:
        message = f"The sizes of the arms must be counts of units; {listing(counts)} came."
        raise InputError(message, "Count the units that were assigned to each arm.")
    found = [_part(str(k), tuple(float(n) for n in v), shares) for k, v in (parts or {}).items() if sum(v) > 0]
    e = share_evidence(counts[0], counts[1], share=shares[0]) if len(arms) == 2 else math.nan
    return RatioCheck(arms, shares, _part("all", counts, shares), tuple(found), e)


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
