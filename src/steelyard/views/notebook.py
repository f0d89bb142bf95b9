"""An evaluation as plain HTML for a notebook: tables and sentences, no script, no colours of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from steelyard.views import story, tables
from steelyard.views.cell import cell_of
from steelyard.views.html import Ready
from steelyard.views.sentences import sentences
from steelyard.views.worth import policy_table
from steelyard.words import percent, visible

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.evaluation import Evaluation

LEFT, RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def evaluation_html(evaluation: Evaluation, *, full: bool = False) -> str:
    """The verdict of an evaluation beside two pictures, its story folded below; every name is escaped."""
    return cell_of(evaluation.verdict, _pictures(evaluation), Ready(_story(evaluation, full=full)))


def _story(evaluation: Evaluation, *, full: bool) -> str:
    told = story.groups(evaluation, full=full)
    parts = [f"<p><strong>{_safe(story.title(evaluation))}</strong></p>"]
    parts.append(_table((), story.facts(evaluation), "ll"))
    parts.append(f"<p>{'<br>'.join(_safe(s.text) for s in sentences(evaluation)[1:])}</p>")
    parts.append(small_table(tables.matrix(evaluation)))
    worth = evaluation.worth
    if worth is not None:
        parts.append(small_table(policy_table(worth)))
    head = ("measure", "value", f"{percent(evaluation.confidence)} interval", "meaning")
    for group in told:
        if group.rows:
            rows = [(r.name, r.value, r.interval, r.meaning) for r in group.rows]
            parts.append(f"<p><strong>{_safe(group.question)}</strong></p>{_table(head, rows, 'lrll')}")
    parts.extend(f"<p>{_safe(text)}</p>" for text in story.marks(told))
    parts.extend((small_table(tables.levels(evaluation)), small_table(tables.segments(evaluation))))
    parts.extend(f"<p>Note: {_safe(note)}</p>" for note in story.notes(evaluation, told))
    more = [name for g in told for name in g.more]
    if more:
        parts.append(f"<details><summary>{len(more)} more in .frame()</summary>{_safe(', '.join(more))}</details>")
    return f"<div>{''.join(p for p in parts if p)}</div>"


def _pictures(evaluation: Evaluation) -> list[Chart]:
    """Two pictures: what it is worth, how it ranks, whether it is honest, as far as the evidence says."""
    money = () if evaluation.payoff is None else (evaluation.payoff.kind,)
    wanted = (*money, "roc", "calibration", "one_against_rest", "confusion", "predicted", "errors")
    return [evaluation.chart(n) for n in wanted if n in evaluation.charts][:2]


def _safe(text: object) -> str:
    return escape(visible(text), quote=True)


def small_table(table: tables.SmallTable | None) -> str:
    """A small table with its title and its note."""
    if table is None:
        return ""
    body = _table(table.head, table.rows, table.align) if table.rows else ""
    note = f"<p>{_safe(table.note)}</p>" if table.note else ""
    return f"<p><strong>{_safe(table.title)}</strong></p>{body}{note}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    sides = [RIGHT if a == "r" else LEFT for a in align]
    top = "".join(f"<th{side}>{_safe(h)}</th>" for h, side in zip(head, sides, strict=True)) if head else ""
    body = "".join(
        "<tr>" + "".join(f"<td{side}>{_safe(c)}</td>" for c, side in zip(row, sides, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if top else ''}<tbody>{body}</tbody></table>"
