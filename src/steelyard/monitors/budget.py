"""The budget of false alarms, and the level at which each window and each signal may be judged to keep it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from steelyard.errors import UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.wording import option
from steelyard.words import shortest, significant

DAYS = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "quarter": 365.25 / 4, "year": 365.25}
TOLD = re.compile(r"\s*([\d.]+)\s*(?:per|a|an|each|/)\s*([\d.]*)\s*([a-z]+)\s*", re.IGNORECASE)
MOST = 0.05
"""No signal is judged at a level above this, however few windows there are."""


@dataclass(frozen=True, slots=True)
class Budget(AsJson):
    """So many false alarms in so many windows, shared among the signals."""

    told_too: ClassVar[tuple[str, ...]] = ("text",)

    alarms: float
    period: str
    windows: float
    """Windows in one period."""
    signals: int
    alpha: float
    """The level of one signal in one window."""

    @property
    def text(self) -> str:
        """The budget in words."""
        many = "alarm" if self.alarms == 1 else "alarms"
        windows = float(f"{self.windows:.3g}")
        return (
            f"at most {shortest(self.alarms)} false {many} per {self.period}: with {shortest(windows)} windows and "
            f"{self.signals} signal{'s' if self.signals != 1 else ''} each is judged at the level {significant(self.alpha)}"
        )


def budget_of(given: object, window: timedelta, signals: int) -> Budget:
    """The budget as said, and the level that follows.

    α = alarms / (windows · signals), at most 0.05. All features together, and all outputs, are one signal each, since the
    chance that any of them is called is held inside a window. A plain number is one of false alarms per quarter.

    >>> b = budget_of("1 per quarter", timedelta(days=7), 3)
    >>> round(b.windows, 2), round(b.alpha, 4)
    (13.04, 0.0256)
    """
    alarms, many, unit = _read(given)
    windows = many if unit == "window" else many * DAYS[unit] / (window / timedelta(days=1))
    windows = max(1.0, windows)
    alpha = min(MOST, alarms / (windows * max(1, signals)))
    named = unit if many == 1 else f"{shortest(many)} {unit}s"
    return Budget(alarms, named, windows, max(1, signals), alpha)


def _read(given: object) -> tuple[float, float, str]:
    hint = f'Say {option("budget", "1 per quarter")}, "2 per year" or "0.05 per 52 windows".'
    plain = re.fullmatch(r"\s*\d+(\.\d*)?\s*", given) if isinstance(given, str) else not isinstance(given, bool)
    match = TOLD.fullmatch(str(given)) if isinstance(given, str) else None
    unit = match[3].lower().removesuffix("s") if match else ""
    try:
        if plain and isinstance(given, str | int | float):
            found: Sequence[Any] = (float(given), 1.0, "quarter")
        elif match is not None and unit in {*DAYS, "window"}:
            found = (float(match[1]), float(match[2] or 1), unit)
        else:
            raise ValueError
    except (ValueError, OverflowError):
        message = f"A budget is a number of false alarms in some time, and {listing([given])} came."
        raise UsageError(message, hint) from None
    # One false alarm in a million years is none, and no limit could be worked out for it.
    if not all(math.isfinite(x) and x > 1e-7 for x in found[:2]):
        message = f"A budget must be above 0, and {listing([given])} came: without any false alarm nothing can be seen."
        raise UsageError(message, hint)
    return float(found[0]), float(found[1]), str(found[2])


def spent(alpha: float, look: int) -> float:
    """The part of a level for the k-th look, so that all looks together, without end, keep to it.

    α_k = 6 α / (π² k²)

    >>> round(sum(spent(0.05, k) for k in range(1, 10_000)), 4)
    0.05
    """
    return 6 * alpha / (math.pi**2 * look**2)
