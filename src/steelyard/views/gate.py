"""A gate, told: one line for each requirement, notes, and how many are met."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steelyard.views.layout import GAP, WIDTH, fit, pad, width_of, wrap
from steelyard.words import estimate_parts, visible

if TYPE_CHECKING:
    from steelyard.gates.outcome import Outcome, Result
    from steelyard.results import Difference, Estimate
    from steelyard.verdicts.gate import Bound

MARKS = {True: "✓", False: "✗"}
LETTERS = {True: "ok", False: "no"}
"""For a terminal that lacks the signs."""
SPELLED = str.maketrans({"−": "-", "–": "-", "…": "~", "’": "'", "≥": ">=", "≤": "<="})
LONGEST_NAME = 26
"""Leaves room for a number, its interval and its bound on the same line."""
MOST_DIGITS = 9


def outcome_text(o: Outcome, *, letters: bool = False, notes: bool = True) -> str:
    """All requirements in aligned lines of at most 80 columns; plain letters where signs cannot be shown."""
    marks = LETTERS if letters else MARKS

    def spelled(text: str) -> str:
        return visible(text).translate(SPELLED) if letters else visible(text)

    names = [spelled(fit(r.subject, LONGEST_NAME)) for r in o.results]
    size = max(map(width_of, names), default=0)
    lines = []
    for name, r in zip(names, o.results, strict=True):
        mark = f"{marks[r.met]:<{max(map(len, marks.values()))}}"
        first = f"{mark} {pad(name, size)}{GAP}"
        lines.extend(wrap(spelled(r.message), WIDTH, first, " " * width_of(first)))
    blocks = [lines]
    if notes and o.notes:
        blocks.append([line for note in o.notes for line in wrap(spelled(note), WIDTH, "Note: ", "      ")])
    blocks.append([f"{o.met} of {len(o.results)} met"])
    return "\n\n".join("\n".join(block) for block in blocks)


def result_message(r: Result) -> str:
    """What became of one requirement: "not shown: 0.81 [0.78, 0.84], needed at least 0.80"."""
    if r.number.value is None:
        return f"{r.state}: {r.reason}, needed {r.limit.needed}"
    why = f" ({r.reason})" if r.reason else ""
    return f"{r.state}: {number_text(r.number, r.limit)}{why}, needed {r.limit.needed}"


def number_text(x: Estimate | Difference, limit: Bound) -> str:
    """A number with its interval, to as many digits as show on which side of the bound its ends are."""
    parts = ("", "", "")
    for digits in range(2, MOST_DIGITS):
        parts = estimate_parts(float(x), x.low, x.high, digits)
        told = zip((x.value, x.low, x.high), parts, strict=True)
        if all(limit.holds(v) == limit.holds(_read(text)) for v, text in told if text and v is not None):
            break
    value, low, high = parts
    return f"{value} [{low}, {high}]" if low else value


def _read(text: str) -> float:
    try:
        return float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return math.nan
