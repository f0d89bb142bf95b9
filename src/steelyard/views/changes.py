"""What changed between two evaluations, in words and tables: the conclusion, the numbers, where, and what was evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS
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


def changes_sentences(changes: Changes) -> list[str]:
    """Whether the new one is better or worse, by what, where, and what may be behind it."""
    old, new = (visible(n) for n in changes.names)
    word, clear = changes.verdict.word, [x for x in changes.whole if x.clear]
    if word == SAME:
        numbers = many(len(changes.whole), "number")
        out = [f"No clear change from {old} to {new}: of {numbers} none has left what chance allows."]
    elif word == TOO_FEW:
        out = [f"Too few cases to say whether {new} differs from {old}."]
    elif word == BOTH:
        out = [f"{new} is better in some numbers than {old}, and worse in others."]
    else:
        out = [f"{new} is {word} than {old}: {_foremost(clear)}."]
    if changes.other_rows:
        before, after = map(percent, changes.prevalences)
        out.append(
            f"The share of positives went from {before} to {after}: accuracy, precision, log loss "
            "and profit change with it whatever the model does; recall and AUC do not."
        )
    out += [_sentence(x) for x in sorted(clear, key=lambda x: x.difference.verdict != WORSE)]
    parts = [x for x in changes.parts if x.clear]
    if changes.parts:
        which = ", ".join(f"{visible(x.segment)} ({number(x.difference)})" for x in _ordered(parts)[:3])
        more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
        measure = find(changes.parts[0].difference.measure).noun
        few = sum(x.difference.verdict == TOO_FEW for x in changes.parts)
        short = f"; {few:,} of them {'has' if few == 1 else 'have'} too few cases to say" if few else ""
        every = many(len(changes.parts), "segment")
        none = f"Of {every} none changed clearly in {measure}{short}."
        out.append(f"Clearly changed in {measure}: {which}{more}, of {every}{short}." if parts else none)
    cuts = _thresholds(changes)
    if len(set(cuts)) == 2:
        went = f"The threshold went from {cuts[0]} to {cuts[1]}"
        out.append(f"{went}: recall, precision and profit are told at each one's own.")
    worth = [{name for name in KINDS if name in e.measures} for e in (changes.old, changes.new)]
    if worth[0] != worth[1]:
        said = f"What outcomes are worth was said otherwise for {old} than for {new}"
        out.append(f"{said}: what they earn is not compared.")
    return out


def _foremost(clear: list[Change]) -> str:
    """The first numbers that changed, from what to what, or the segments where none of all rows did."""
    told = []
    for x in clear[:2]:
        before, after = _ends(x)
        told.append(f"{_noun(x)} {before} → {after}")
    rest = len(clear) - len(told)
    some = [", ".join(told), many(rest, "more number")] if rest else told
    return " and ".join(some) or "not as a whole, but in segments"


def _thresholds(changes: Changes) -> list[str]:
    """Both, where both are about scores that were cut."""
    cuts = [e.threshold for e in (changes.old, changes.new) if e.threshold is not None and e.positive is not None]
    return [shortest(x) for x in cuts] if len(cuts) == 2 else []


def _name(change: Change) -> str:
    return f"{change.difference.measure}{_per(change)}"


def _per(change: Change) -> str:
    return " per case" if "payoff" in find(change.difference.measure).options else ""


def titled(change: Change) -> str:
    """The number by what it is called."""
    return f"{find(change.difference.measure).title}{_per(change)}"


def _noun(change: Change) -> str:
    return f"{find(change.difference.measure).noun}{_per(change)}"


def _ends(change: Change) -> tuple[str, str]:
    """The number before and after, in the digits of the change."""
    d = change.difference
    new, old = d.values
    assert new is not None
    assert old is not None
    return estimate_parts(old, d.low, d.high)[0], estimate_parts(new, d.low, d.high)[0]


def _sentence(change: Change) -> str:
    noun, (before, after) = _noun(change), _ends(change)
    d = change.difference
    return f"{noun[:1].upper()}{noun[1:]} is {d.verdict}: {before} → {after}, {number(d)}."


def _ordered(found: list[Change]) -> list[Change]:
    return sorted(found, key=lambda x: (x.difference.p_value is None, x.difference.p_value or 0.0))


def changes_text(changes: Changes) -> str:
    """The sentences, then the numbers, the segments and the method."""
    first, *others = changes_sentences(changes)
    lines = wrap(first, WIDTH, "", "")
    for sentence in others:
        lines += wrap(sentence, WIDTH, "", "  ")
    lines += wrap(changes.verdict.next_step, WIDTH, "Next: ", "      ")
    for table in (numbers(changes), where(changes), facts(changes)):
        if table is not None:
            lines += ["", *table_lines(table)]
    return "\n".join(lines)


def numbers(changes: Changes) -> SmallTable:
    """Every number that was looked at: before, after, and the change with its verdict."""
    rows: list[tuple[str, ...]] = [(_name(x), *_values(x), number(x.difference), _word(x)) for x in changes.whole]
    head = ("number", *(visible(n) for n in changes.names), "change", "verdict")
    each = f"Intervals and verdicts hold for all of them at once ({percent(changes.confidence)} together, Bonferroni). "
    return SmallTable("What changed", head, "lrrll", rows, each + _methods(changes.whole))


def shown_parts(changes: Changes) -> list[Change]:
    """The segments that are told one by one."""
    return _ordered(list(changes.parts))[:SHOWN]


def where(changes: Changes) -> SmallTable | None:
    """The segments that both have, those that changed most clearly first."""
    if not changes.parts and not any(changes.only):
        return None
    shown = shown_parts(changes)
    rows: list[tuple[str, ...]] = [(visible(x.segment), *_values(x), number(x.difference), _word(x)) for x in shown]
    rest = len(changes.parts) - SHOWN
    note = f"{rest:,} more segments are not shown; frame() has them. " if rest > 0 else ""
    for keys, name in zip(changes.only, changes.names, strict=True):
        if keys:
            some = ", ".join(visible(k) for k in keys[:5]) + (f" and {len(keys) - 5:,} more" if len(keys) > 5 else "")
            note += f"Only in {visible(name)}: {some}. "
    measure = f" ({_name(changes.parts[0])})" if changes.parts else ""
    head = ("segment", *(visible(n) for n in changes.names), "change", "verdict")
    return SmallTable(f"Where it changed{measure}", head, "lrrll", rows, note.strip())


def facts(changes: Changes) -> SmallTable:
    """What was evaluated: rows, positives, threshold."""
    both = (changes.old, changes.new)
    rows: list[tuple[str, ...]] = [("rows", *(count(e.rows) for e in both))]
    if changes.prevalences:
        rows.append(("positives", *(percent(x) for x in changes.prevalences)))
    if cuts := _thresholds(changes):
        rows.append(("threshold", *cuts))
    return SmallTable("What was evaluated", ("", *(visible(n) for n in changes.names)), "lrr", rows)


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
