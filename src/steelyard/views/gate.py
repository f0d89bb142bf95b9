"""A gate, told: one line for each requirement, notes, and how many are met."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steelyard.verdicts.conclusion import MOST, Conclusion, Reason
from steelyard.views.layout import GAP, WIDTH, fit, pad, width_of, wrap
from steelyard.words import bracketed, estimate_parts, some_names, visible

if TYPE_CHECKING:
    from steelyard.gates.outcome import Outcome, Result
    from steelyard.results import Difference, Estimate
    from steelyard.verdicts.gate import Bound
    from steelyard.verdicts.verdict import Verdict

MARKS = {True: "✓", False: "✗"}
LETTERS = {True: "ok", False: "no"}
"""For a terminal that lacks the signs."""
SPELLED = str.maketrans({"−": "-", "–": "-", "…": "~", "’": "'", "≥": ">=", "≤": "<="})
LONGEST_NAME = 26
"""Leaves room for a number, its interval and its bound on the same line."""
MOST_DIGITS = 9


def outcome_text(outcome: Outcome, *, letters: bool = False, notes: bool = True) -> str:
    """All requirements in aligned lines of at most 80 columns; plain letters where signs cannot be shown."""
    marks = LETTERS if letters else MARKS

    def spelled(text: str) -> str:
        return visible(text).translate(SPELLED) if letters else visible(text)

    names = [spelled(fit(r.subject, LONGEST_NAME)) for r in outcome.results]
    size = max(map(width_of, names), default=0)
    lines = []
    for name, r in zip(names, outcome.results, strict=True):
        mark = f"{marks[r.met]:<{max(map(len, marks.values()))}}"
        first = f"{mark} {pad(name, size)}{GAP}"
        lines.extend(wrap(spelled(r.message), WIDTH, first, " " * width_of(first)))
    blocks = [lines]
    if notes and outcome.notes:
        blocks.append([line for note in outcome.notes for line in wrap(spelled(note), WIDTH, "Note: ", "      ")])
    blocks.append([f"{outcome.met} of {len(outcome.results)} met"])
    return "\n\n".join("\n".join(block) for block in blocks)


def gate_conclusion(outcome: Outcome, verdict: Verdict) -> Conclusion:
    """How many requirements are met, and of those that are not what was seen."""
    unmet = [r for r in outcome.results if not r.met]
    told = unmet or outcome.results
    sentence = f"{outcome.met} of {len(outcome.results)} requirements met"
    if unmet:
        sentence += f"; not {some_names([r.subject for r in unmet], MOST)}"
    return Conclusion(
        f"{sentence}.", reasons=tuple(Reason(f"{visible(str(r))}.") for r in told), next_step=verdict.advice
    )


def result_message(result: Result) -> str:
    """What became of one requirement: "not shown: 0.81 [0.78, 0.84], needed at least 0.80"."""
    if result.number.value is None:
        return f"{result.state}: {result.reason}, needed {result.limit.needed}"
    why = f" ({result.reason})" if result.reason else ""
    return f"{result.state}: {number_text(result.number, result.limit)}{why}, needed {result.limit.needed}"


def number_text(estimate: Estimate | Difference, limit: Bound) -> str:
    """A number with its interval, to as many digits as show on which side of the bound its ends are."""
    parts = ("", "", "")
    for digits in range(2, MOST_DIGITS):
        parts = estimate_parts(float(estimate), estimate.low, estimate.high, digits)
        told = zip((estimate.value, estimate.low, estimate.high), parts, strict=True)
        if all(limit.holds(v) == limit.holds(_read(text)) for v, text in told if text and v is not None):
            break
    value, low, high = parts
    return f"{value} {bracketed(low, high)}".rstrip()


def _read(text: str) -> float:
    try:
        return float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return math.nan
