"""Scales: from values to places, and the ticks that people can read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.words import MINUS, number, significant, visible

USUAL = 6
"""Ticks of an axis, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What one axis shows: numbers from low to high, shares, powers of ten, or names."""

    low: float = 0.0
    high: float = 1.0
    title: str = ""
    kind: str = "number"
    """"number", "share" (told in per cent), "log", "time" or "names"."""
    names: tuple[str, ...] = ()
    """Of the categories, from place 0 up."""
    labels: tuple[tuple[float, str], ...] = ()
    """Ticks with their words, where they are given and not found."""

    def place(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        if self.kind == "log":
            low, high = math.log(self.low), math.log(self.high)
            return (math.log(max(value, 1e-300)) - low) / ((high - low) or 1.0)
        return (value - self.low) / ((self.high - self.low) or 1.0)

    def ticks(self, most: int | None = None) -> list[tuple[float, str]]:
        """A few round values with their words.

        >>> Scale(0, 1, kind="share").ticks()
        [(0.0, '0%'), (0.2, '20%'), (0.4, '40%'), (0.6, '60%'), (0.8, '80%'), (1.0, '100%')]
        """
        if self.labels:
            # Names in a row are slanted where they are many; places in time are left out evenly.
            step = 1 if self.kind == "names" or most is None else math.ceil(len(self.labels) / (most + 1))
            return list(self.labels[::step])
        if self.kind == "names":
            return [(float(i), visible(name)) for i, name in enumerate(self.names)]
        return self._powers(most or USUAL) if self.kind == "log" else self._even(most or USUAL)

    def _even(self, most: int) -> list[tuple[float, str]]:
        low, high = sorted((float(self.low), float(self.high)))
        if not math.isfinite(high - low):
            return []
        step = nice_step(high - low, most)
        exponent, mantissa = _written(step)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        # Read from decimal digits, so that 3 × 0.2 is 0.6 and the smallest steps are not rounded away.
        values = [float(f"{i * mantissa:.1f}e{exponent}") + 0.0 for i in range(first, last + 1)]
        return [(v, self.words(v, step)) for v in dict.fromkeys(min(max(v, low), high) for v in values)]

    def _powers(self, most: int) -> list[tuple[float, str]]:
        """Powers of ten; over few of them also twice and five times those; within one, even steps."""
        low, high = sorted((float(self.low), float(self.high)))
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / most))
        powers = [float(f"1e{e}") for e in range(first, last + 1, step)]
        finer = [v for e in range(first - 1, last + 1) for m in (1, 2, 5) if low <= (v := float(f"{m}e{e}")) <= high]
        values = next((v for v in (powers, finer) if 2 <= len(v) <= most), powers)
        even = self._even(most) if len(values) < 2 else []
        return even if len(even) > len(values) else [(v, significant(v, 1)) for v in values]

    def words(self, value: float, step: float = 0.0) -> str:
        """A value as it is written on the axis."""
        if self.kind == "share":
            return f"{number(100 * value, _decimals(100 * step) if step else 1)}%"
        size = max(abs(self.low), abs(self.high))
        for power, letter in ((12, "T"), (9, "bn"), (6, "m"), (3, "k")):
            unit = 10.0**power
            # A letter only where few decimals are left before it.
            if 10 * unit <= size < 1e15 * unit and (not step or _decimals(step / unit) <= 2):
                return f"{number(value / unit, _decimals(step / unit) if step else 0)}{letter}" if value else "0"
        if not step:
            return significant(value)
        if size < 1e15 and _decimals(step) <= (12 if size >= 1e-3 else 6):
            return number(value, _decimals(step))
        exponent, mantissa = _written(step)
        digits = max(0, _written(size)[0] - exponent + (mantissa == 2.5))
        text = f"{abs(value):.{digits}e}"
        return "0" if not value else f"{MINUS}{text}" if value < 0 else text


def _written(step: float) -> tuple[int, float]:
    """A number as exponent and mantissa: 0.25 is 2.5e-1."""
    digits, _, exponent = f"{step:.9e}".partition("e")
    return int(exponent), float(digits)


def _decimals(step: float) -> int:
    """Decimals that multiples of a step need: 0.2 needs one, 0.25 two, 25 none."""
    exponent, mantissa = _written(step)
    return max(0, (mantissa == 2.5) - exponent)


SMALLEST = 1e-300
"""A span below this has no steps that a float could tell apart."""


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that needs no more ticks than wanted.

    >>> nice_step(1.0, 6), nice_step(870.0, 6)
    (0.2, 200.0)
    """
    if not math.isfinite(span) or span < SMALLEST:
        return 1.0
    rough = span / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough * (1 - 1e-9)))


def wide_enough(
    values: Iterable[float | None], title: str = "", *, zero: bool = False, kind: str = "number", room: float = 0.04
) -> Scale:
    """A scale that holds these values with a little room, and zero where it must be seen."""
    found = [float(v) for v in values if v is not None and math.isfinite(v)]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    if kind == "log":
        spread = (high / low) ** room
        return Scale(low / spread, high * spread, title, "log")
    space = room * (high - low)
    return Scale(low if zero and low == 0 else low - space, high if zero and high == 0 else high + space, title, kind)
