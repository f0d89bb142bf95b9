"""What changed between two evaluations, in words and tables: the conclusion, the numbers, where, and what was evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.measures.measure import find
from steelyard.verdicts.change import BOTH, SAME
from steelyard.verdicts.comparison import CLEAR, TOO_FEW, WORSE
from steelyard.views.comparison import number
from steelyard.views.layout import WIDTH, wrap
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.words import count, estimate_parts, percent, shortest, visible
from steelyard.words import number as decimal

if TYPE_CHECKING:
    from steelyard.comparisons.changes import Change, Changes

SHOWN = 12
"""Segments that are told one by one, those that changed most clearly first."""


def changes_sentences(c: Changes) -> list[str]:
    """Whether the new one is better or worse, by what, where, and what may be behind it."""
    old, new = (visible(n) for n in c.names)
    word, clear = c.verdict.word, [x for x in c.whole if x.clear]
    if word == SAME:
        out = [
            f"No clear change from {old} to {new}: of {many(len(c.whole), 'number')} none has left what chance allows."
        ]
    elif word == TOO_FEW:
        out = [f"Too few cases to say whether {new} differs from {old}."]
    elif word == BOTH:
        out = [f"{new} is better in some numbers than {old}, and worse in others."]
    else:
        out = [f"{new} is {word} than {old}."]
    out += [_sentence(x) for x in sorted(clear, key=lambda x: x.difference.verdict != WORSE)]
    parts = [x for x in c.parts if x.clear]
    if c.parts:
        which = ", ".join(f"{visible(x.segment)} ({number(x.difference)})" for x in _ordered(parts)[:3])
        more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
        measure = c.parts[0].difference.measure
        out.append(
            f"Clearly changed in {measure}: {which}{more}, of {many(len(c.parts), 'segment')}."
            if parts
            else f"Of {many(len(c.parts), 'segment')} none changed clearly in {measure}."
        )
    if c.other_rows:
        before, after = map(percent, c.prevalences)
        out.append(
            f"The share of positives went from {before} to {after}: accuracy, precision and profit "
            "change with it whatever the model does; recall and AUC do not."
        )
    cuts = _thresholds(c)
    if len(set(cuts)) == 2:
        out.append(
            f"The threshold went from {cuts[0]} to {cuts[1]}: recall, precision and profit are told at each one's own."
        )
    return out


def _thresholds(c: Changes) -> list[str]:
    """Both, where both are about scores that were cut."""
    cuts = [e.threshold for e in (c.old, c.new) if e.threshold is not None and e.positive is not None]
    return [shortest(x) for x in cuts] if len(cuts) == 2 else []


def _name(change: Change) -> str:
    per = " per case" if "payoff" in find(change.difference.measure).options else ""
    return f"{change.difference.measure}{per}"


def _sentence(change: Change) -> str:
    d = change.difference
    new, old = d.values
    assert d.value is not None
    assert new is not None
    assert old is not None
    before, after = (estimate_parts(x, d.low, d.high)[0] for x in (old, new))
    return f"{_name(change)} is {d.verdict}: {before} → {after}, {number(d)}."


def _ordered(found: list[Change]) -> list[Change]:
    return sorted(found, key=lambda x: (x.difference.p_value is None, x.difference.p_value or 0.0))


def changes_text(c: Changes) -> str:
    """The sentences, then the numbers, the segments and the method."""
    first, *others = changes_sentences(c)
    lines = wrap(first, WIDTH, "", "")
    for sentence in others:
        lines += wrap(sentence, WIDTH, "", "  ")
    for table in (numbers(c), where(c), facts(c)):
        if table is not None:
            lines += ["", *table_lines(table)]
    return "\n".join(lines)


def numbers(c: Changes) -> SmallTable:
    """Every number that was looked at: before, after, and the change with its verdict."""
    rows: list[tuple[str, ...]] = [(_name(x), *_values(x), number(x.difference), _word(x)) for x in c.whole]
    head = ("number", *(visible(n) for n in c.names), "change", "verdict")
    each = f"Intervals and verdicts hold for all of them at once ({percent(c.confidence)} together, Bonferroni). "
    return SmallTable("What changed", head, "lrrll", rows, each + _methods(c.whole))


def where(c: Changes) -> SmallTable | None:
    """The segments that both have, those that changed most clearly first."""
    if not c.parts and not any(c.only):
        return None
    shown = _ordered(list(c.parts))[:SHOWN]
    rows: list[tuple[str, ...]] = [(visible(x.segment), *_values(x), number(x.difference), _word(x)) for x in shown]
    note = f"{len(c.parts) - SHOWN:,} more segments are not shown; frame() has them. " if len(c.parts) > SHOWN else ""
    for keys, name in zip(c.only, c.names, strict=True):
        if keys:
            some = ", ".join(visible(k) for k in keys[:5]) + (f" and {len(keys) - 5:,} more" if len(keys) > 5 else "")
            note += f"Only in {visible(name)}: {some}. "
    measure = f" ({_name(c.parts[0])})" if c.parts else ""
    head = ("segment", *(visible(n) for n in c.names), "change", "verdict")
    return SmallTable(f"Where it changed{measure}", head, "lrrll", rows, note.strip())


def facts(c: Changes) -> SmallTable:
    """What was evaluated: rows, positives, threshold."""
    both = (c.old, c.new)
    rows: list[tuple[str, ...]] = [("rows", *(count(e.rows) for e in both))]
    if c.prevalences:
        rows.append(("positives", *(percent(x) for x in c.prevalences)))
    if cuts := _thresholds(c):
        rows.append(("threshold", *cuts))
    return SmallTable("What was evaluated", ("", *(visible(n) for n in c.names)), "lrr", rows)


def _values(change: Change) -> tuple[str, str]:
    d = change.difference
    new, old = d.values
    told = [
        "n/a" if x is None else estimate_parts(x, d.low, d.high)[0] if d.low is not None else decimal(x)
        for x in (old, new)
    ]
    return told[0], told[1]


def _word(change: Change) -> str:
    word = change.difference.verdict
    return word if word in (*CLEAR, TOO_FEW) else "no clear change" if word else ""


def _methods(found: tuple[Change, ...]) -> str:
    by: dict[str, list[str]] = {}
    for x in found:
        by.setdefault(x.difference.method or "none", []).append(x.difference.measure)
    return "By " + "; ".join(f"{method} ({', '.join(names)})" for method, names in by.items()) + "."
