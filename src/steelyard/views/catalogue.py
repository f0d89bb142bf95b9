"""The catalogue of measures and one measure in full, as text and as JSON, all from what the measures say themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from steelyard.measures.measure import Measure, catalogue
from steelyard.views.layout import WIDTH, table, wrap
from steelyard.views.story import meaning_of, question_of
from steelyard.words import shortest

INDENT = "  "
NEEDS = {
    "Confusion": "labels",
    "Outcomes": "labels and a positive level, or one level of many",
    "Scores": "one score for two levels",
    "ClassScores": "one score for each class",
    "Residuals": "a continuous target and prediction",
}
BETTER = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer to zero is better", "": "neither"}


def by_question() -> dict[str, list[Measure]]:
    """All measures by the question they answer."""
    out: dict[str, list[Measure]] = {}
    for m in catalogue().values():
        out.setdefault(question_of(m), []).append(m)
    return out


def catalogue_text() -> str:
    """Every measure on a line or two, by question."""
    blocks = []
    for question, found in by_question().items():
        rows = [(m.name, meaning_of(m, {}, most=110).replace("`", "")) for m in found]
        # The head of the table is the question above it.
        lines = table(("", ""), rows, "ll", wrapped=True, width=WIDTH - len(INDENT))[1:]
        blocks.append("\n".join([question, *(INDENT + line for line in lines)]))
    blocks.append("`steelyard measures NAME` explains one: formula, example, other names, options.")
    return "\n\n".join(blocks)


def range_text(measure: Measure) -> str:
    """The least and the greatest possible value."""
    low, high = measure.range
    if math.isinf(low) and math.isinf(high):
        return "any number"
    if math.isinf(high):
        return f"{shortest(low)} and above"
    return f"up to {shortest(high)}" if math.isinf(low) else f"{shortest(low)} to {shortest(high)}"


def option_text(measure: Measure, name: str) -> str:
    """An option with its default and what it may be."""
    allowed = measure.allowed.get(name)
    return f"{name} = {measure.options[name]}" + (f" ({allowed})" if allowed is not None else "")


def measure_text(measure: Measure) -> str:
    """One measure in full."""
    pairs = [
        ("question", question_of(measure)),
        ("range", range_text(measure)),
        ("direction", BETTER.get(measure.better, measure.better)),
        ("needs", "; or ".join(NEEDS.get(r.__name__, r.__name__) for r in measure.reads)),
        ("options", "; ".join(option_text(measure, name) for name in measure.options) or "none"),
        ("other names", ", ".join(measure.aliases) or "none"),
        ("in Python", _call(measure)),
        ("when", measure.when),
        ("leans to", measure.leans),
    ]
    pairs = [(label, text) for label, text in pairs if text]
    size = max(len(label) for label, _ in pairs)
    lines = [measure.name, ""]
    for line in measure.documentation.splitlines():
        plain = line.strip() and not line.startswith((">>>", "..."))
        lines.extend(wrap(line, WIDTH, INDENT, INDENT) if plain else [INDENT + line])
    lines.append("")
    for label, text in pairs:
        lines.extend(wrap(text, WIDTH, f"{INDENT}{label:<{size}}{INDENT}", " " * (size + 2 * len(INDENT))))
    return "\n".join(line.rstrip() for line in lines)


def _call(measure: Measure) -> str:
    if not measure.options:
        return f'e["{measure.name}"]'
    return f'e.measure("{measure.name}", {", ".join(f"{k}={v!r}" for k, v in measure.options.items())})'


def measure_document(measure: Measure) -> dict[str, Any]:
    """One measure as plain JSON values."""
    options: Mapping[str, Any] = {k: list(v) if isinstance(v, tuple) else v for k, v in measure.options.items()}
    return {
        "name": measure.name,
        "question": question_of(measure),
        "sentence": measure.sentence,
        "documentation": measure.documentation,
        "better": measure.better or None,
        "range": [None if math.isinf(end) else end for end in measure.range],
        "needs": [NEEDS.get(r.__name__, r.__name__) for r in measure.reads],
        "options": dict(options),
        "allowed": {name: str(allowed) for name, allowed in measure.allowed.items()},
        "aliases": list(measure.aliases),
        "when": measure.when,
        "leans": measure.leans,
    }
