"""An evaluation as plain HTML for a notebook: tables and sentences, no script, no colours of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from steelyard.views import story, tables
from steelyard.views.sentences import sentences
from steelyard.views.worth import policy_table
from steelyard.words import percent, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

LEFT, RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def evaluation_html(e: Evaluation, *, full: bool = False) -> str:
    """The story of an evaluation as HTML; every name is escaped, and colours are left to the page."""
    told = story.groups(e, full=full)
    parts = [f"<p><strong>{_safe(story.title(e))}</strong></p>"]
    parts.append(_table((), story.facts(e), "ll"))
    parts.append(f"<p>{'<br>'.join(_safe(s.text) for s in sentences(e)[1:])}</p>")
    parts.append(small_table(tables.matrix(e)))
    parts.append(_pictures(e))
    worth = e.worth
    if worth is not None:
        parts.append(small_table(policy_table(worth)))
    head = ("measure", "value", f"{percent(e.confidence)} interval", "meaning")
    for group in told:
        if group.rows:
            rows = [(r.name, r.value, r.interval, r.meaning) for r in group.rows]
            parts.append(f"<p><strong>{_safe(group.question)}</strong></p>{_table(head, rows, 'lrll')}")
    parts.extend(f"<p>{_safe(text)}</p>" for text in story.marks(told))
    parts.extend((small_table(tables.levels(e)), small_table(tables.segments(e))))
    parts.extend(f"<p>Note: {_safe(note)}</p>" for note in story.notes(e, told))
    more = [name for g in told for name in g.more]
    if more:
        parts.append(f"<details><summary>{len(more)} more in .frame()</summary>{_safe(', '.join(more))}</details>")
    return f"<div>{''.join(p for p in parts if p)}</div>"


def _pictures(e: Evaluation) -> str:
    """Two small charts side by side, plain SVG that turns dark with its page."""
    shown = [n for n in ("roc", "calibration", "one_against_rest", "levels", "predicted", "errors") if n in e.charts][
        :2
    ]
    boxes = [f'<div style="display:inline-block;max-width:46%">{e.chart(n).svg()}</div>' for n in shown]
    return f"<div>{''.join(boxes)}</div>" if boxes else ""


def _safe(text: object) -> str:
    return escape(visible(text), quote=True)


def small_table(t: tables.SmallTable | None) -> str:
    """A small table with its title and its note."""
    if t is None:
        return ""
    body = _table(t.head, t.rows, t.align) if t.rows else ""
    note = f"<p>{_safe(t.note)}</p>" if t.note else ""
    return f"<p><strong>{_safe(t.title)}</strong></p>{body}{note}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    sides = [RIGHT if a == "r" else LEFT for a in align]
    top = "".join(f"<th{side}>{_safe(h)}</th>" for h, side in zip(head, sides, strict=True)) if head else ""
    body = "".join(
        "<tr>" + "".join(f"<td{side}>{_safe(c)}</td>" for c, side in zip(row, sides, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if top else ''}<tbody>{body}</tbody></table>"
