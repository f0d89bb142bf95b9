"""The sections of a report, in the order in which people ask; one without data says what would be needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.asking.questions import value_of
from steelyard.charts.curves import overlay
from steelyard.charts.marks import Chart
from steelyard.measures.measure import find, leading
from steelyard.reports.explorer import controls
from steelyard.reports.html import Ready, tag
from steelyard.reports.html import table as html_table
from steelyard.results import Estimate
from steelyard.verdicts.verdict import Verdict
from steelyard.views import story, tables
from steelyard.views.pictures import forest, shown_of
from steelyard.views.sentences import statement
from steelyard.views.story import kind_of
from steelyard.views.worth import policy_table, worth_sentences
from steelyard.words import count, estimate_parts, percent, visible

if TYPE_CHECKING:
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

MOST_DRAWN = 40
"""So many segments are drawn beside each other, the worst of them first."""
LAID_OVER = ("roc", "gain", "pr")
"""Curves of several models in one picture."""
MOST_DRAWN, MOST_LISTED = 40, 400
"""Segments that are drawn, and those that are listed."""


@dataclass(frozen=True, slots=True)
class Section:
    """One question and its answer as HTML."""

    anchor: str
    question: str
    body: Ready


def figure(chart: Chart, *, wide: bool = False) -> Ready:
    """A chart with its caption; the numbers behind it stay in report.json."""
    svg = Ready(chart.svg(style=False, title=False))
    if wide:
        # On a narrow screen a wide chart scrolls by itself instead of becoming too small to read.
        svg = tag("div", svg, class_="scroll", tabindex="0", role="region", aria_label=chart.title)
    return tag("figure", svg, tag("figcaption", chart.title), class_="wide" if wide else None)


def needs(text: str) -> Ready:
    """One line that says what would be needed."""
    return tag("p", text, class_="needs")


def paragraphs(texts: Iterable[str]) -> list[Ready]:
    """Sentences, each on a line of its own."""
    return [tag("p", t) for t in texts]


def interval_words(x: Estimate) -> str:
    """The interval in words, or why there is none."""
    if x.value is None:
        return ""
    _, low, high = estimate_parts(x.value, x.low, x.high)
    told = f"{percent(x.confidence)} interval {low} to {high}" if low else (x.note or "no interval")
    return f"{told}; {x.caution}" if x.caution else told


def card(x: Estimate, title: str, verdict: Verdict | None = None) -> Ready:
    """One number, large, with its interval and its sentence."""
    value = "n/a" if x.value is None else estimate_parts(x.value, x.low, x.high)[0]
    said = tag("span", interval_words(x), class_="note")
    return tag(
        "div",
        tag("span", title, class_="over"),
        tag("b", value),
        said,
        tag("p", statement(x.renamed(caution=""), verdict)),
        class_="card",
    )


def cards(e: Evaluation) -> Ready:
    """The first few numbers."""
    names = [n for n in leading("card", kind_of(e)) if n in e.measures]
    return tag("div", [card(e[n], find(n).title, e.verdict_on(n)) for n in names], class_="cards")


# One model ------------------------------------------------------------------------------------------------------------


def how_good(e: Evaluation) -> Ready:
    """Cards and pictures."""
    there = set(e.charts)
    drawn = [e.chart(name) for name in shown_of(kind_of(e)) if name in there]
    return Ready(cards(e) + tag("div", [figure(c, wide=c.size[0] > 500) for c in drawn], class_="grid"))


def how_sure(e: Evaluation) -> Ready:
    """Intervals as a picture, and every number in a table."""
    told = story.groups(e, full=True)
    rows = [(r.name, r.value, r.interval, r.meaning) for g in told for r in g.rows]
    head = ("measure", "value", f"{percent(e.confidence)} interval", "meaning")
    every = html_table(head, rows, "lrll", "Every measure")
    n = e[e.measures[0]]
    words = f"All of it rests on {e.rows:,} row{'' if e.rows == 1 else 's'}"
    if n.n_eff is not None and n.n and abs(n.n_eff - n.n) > 1e-9 * n.n:
        words += f", which under their weights count like {count(round(n.n_eff / n.n * e.rows))}"
    return Ready(
        tag("p", words + ".")
        + tag("div", figure(e.chart("intervals"), wide=True), class_="grid")
        + Ready("".join(tag("p", text, class_="note") for text in story.marks(told)))
        + tag("details", tag("summary", f"All {len(rows)} numbers"), every)
    )


def where_it_fails(e: Evaluation, slices: Slices | None = None) -> Ready:
    """Segments side by side, and slices that differ."""
    parts: list[Any] = []
    if e.segments:
        name = next(n for n in leading("slice") if n in e.measures)
        worst = _worst_first(e, name)[:MOST_DRAWN]
        rows = [(label, e.segments[label][name]) for label in worst]
        some = len(e.segments) > MOST_DRAWN
        many = f"the {MOST_DRAWN} worst of {len(e.segments):,} segments" if some else "by segment, the worst on top"
        chart = forest(rows, f"{name} {many}; the line is all rows", "", e[name].value)
        parts.append(tag("div", figure(chart, wide=True), class_="grid"))
        small = tables.segments(e, MOST_LISTED)
        if small is not None:
            parts.append(html_table(small.head, small.rows, small.align, small.title))
            parts += [tag("p", small.note, class_="note")] if small.note else []
    if slices is not None:
        parts += slices_part(slices)
    if not parts:
        parts.append(needs('To see where it fails, name a column: segment="region" (--segment region).'))
    return tag("div", parts)


def _worst_first(e: Evaluation, name: str) -> list[str]:
    """Segments by a measure; no intervals are asked for, since of very many most are never drawn."""
    sign = -1.0 if find(name).better == "lower" else 1.0
    found = {label: value_of(part, name) for label, part in e.segments.items()}
    return sorted(found, key=lambda label: (math.isnan(found[label]), sign * found[label]))


def slices_part(slices: Slices) -> list[Ready]:
    """Slices that were looked for: the worst first, corrected for many looks."""
    out = paragraphs(slices.sentences())
    if slices.rows:
        out.append(tag("div", figure(slices.chart(), wide=True), class_="grid"))
        t = slices.table()
        out.append(html_table(t.head, t.rows, t.align, t.title))
    return out


def which_threshold(e: Evaluation, model: str, name: str) -> Ready:
    """The explorer, with the matrix and the rates at the threshold in force already filled in."""
    if e.residuals is not None:
        return needs("A predicted quantity has no threshold.")
    if e.scores is None:
        return needs("A threshold needs one score for two levels: pass score=... (--score COLUMN).")
    if not float(e.scores.positives.sum()) or not float(e.scores.negatives.sum()):
        return needs("A threshold needs rows of both classes.")
    assert e.threshold is not None
    at = e.at(e.threshold)
    kind = e.payoff.kind if e.payoff is not None else "profit"
    values = _values(e)
    matrix = _matrix(at)
    rates = _rates(at, kind, values)
    luck = ""
    if e.payoff is not None:
        best = e.best_threshold()
        if best.optimism is not None and not e.payoff.ranged:
            luck = (
                f"At the amounts given, the best {kind} is chosen on these same rows, which makes it look better by about "
                f"{estimate_parts(best.optimism, None, None)[0]}."
            )
        if e.payoff.names:
            luck = f"The boxes show averages; each row has an amount of its own until they are changed. {luck}".rstrip()
    explorer = controls(e, name, values, kind, luck)
    explorer = Ready(explorer.replace('class="explorer"', f'class="explorer" data-model="{model}"', 1))
    charts = [e.chart("sweep"), e.chart("scores")]
    sides = tag("div", [matrix, rates], class_="grid")
    return Ready(explorer + sides + tag("div", [figure(c) for c in charts], class_="grid"))


def _values(e: Evaluation) -> tuple[float, float, float, float]:
    """Four amounts to start with: those of the payoff (at average amounts of the rows' own), or plain errors."""
    if e.payoff is None:
        return (0.0, -1.0, -1.0, 0.0)
    c = e.confusion
    assert c is not None
    names = () if c.amounts is None else c.amounts.names
    table = e.payoff.coefficients(c.levels, c.positive, names) * e.payoff.sign
    i = c.levels.index(c.positive)
    sums = [] if c.amounts is None else [c.amounts.of((k,)) for k in range(len(names))]
    out = []
    for row, column in ((i, i), (i, 1 - i), (1 - i, i), (1 - i, 1 - i)):
        x = float(table[0, row, column])
        rows = float(c.actual[row])
        for k, amount in enumerate(sums):
            x += float(table[1 + k, row, column]) * (float(amount[row].sum()) / rows if rows else 0.0)
        out.append(float(f"{x:.12g}") + 0.0)
    return (out[0], out[1], out[2], out[3])


def _matrix(e: Evaluation) -> Ready:
    assert e.confusion is not None
    o = e.confusion.outcomes(e.positive)

    def cell(name: str, whole: float, of: str) -> Ready:
        n = float(getattr(o, name))
        share = f"{percent(n / whole)} of {of}" if whole else ""
        return tag(
            "td",
            tag("b", count(n), data_cell=name),
            tag("br"),
            tag("span", share, data_cell=f"{name}-share", class_="note"),
            class_="good" if name in {"tp", "tn"} else "bad",
        )

    p, n = float(o.positives), float(o.negatives)
    body = tag(
        "table",
        tag("caption", f"Confusion matrix; positive is {visible(e.positive)}"),
        tag(
            "thead",
            tag(
                "tr",
                tag("th", "", scope="col"),
                tag("th", "flagged", scope="col"),
                tag("th", "not flagged", scope="col"),
            ),
        ),
        tag(
            "tbody",
            tag("tr", tag("th", "positive", scope="row"), cell("tp", p, "positives"), cell("fn", p, "positives")),
            tag("tr", tag("th", "negative", scope="row"), cell("fp", n, "negatives"), cell("tn", n, "negatives")),
        ),
    )
    return tag("div", body, class_="matrix")


def _rates(e: Evaluation, kind: str, values: tuple[float, float, float, float]) -> Ready:
    rows = []
    for name in leading("explorer"):
        x = e[name]
        told = "n/a" if x.value is None else percent(x.value)
        ends = "" if x.low is None or x.high is None else f"{percent(x.low)} to {percent(x.high)}"
        rows.append((name, told, ends))
    w = e.worth
    if w is not None:
        value, low, high = estimate_parts(float(w), w.low, w.high)
        rows.append(("worth", value, f"{low} to {high}" if low else ""))
    else:
        assert e.confusion is not None
        o = e.confusion.outcomes(e.positive)
        parts = (o.tp, o.fn, o.fp, o.tn)
        total = sum(float(n) * v for n, v in zip(parts, values, strict=True))
        rows.append(("worth", count(total), ""))
    body = [
        tag(
            "tr",
            tag("th", kind if name == "worth" else name, scope="row"),
            tag("td", told, class_="right", data_cell=name),
            tag("td", ends, data_cell=f"{name}-interval"),
        )
        for name, told, ends in rows
    ]
    caption = tag("caption", f"At this threshold, with {percent(e.confidence)} intervals")
    return tag("div", tag("table", caption, tag("tbody", body)), class_="rates")


def what_it_is_worth(e: Evaluation) -> Ready:
    """Profit or cost beside the policies that need no model, its curve, and the best threshold in words."""
    if e.residuals is not None:
        return needs("Profit and cost are told of decisions: labels, or scores with a threshold.")
    if e.payoff is None and len(e.levels) > 2:
        return needs(
            "To see what it is worth, say so for every pair of levels: profit=Profit({actual: {predicted: amount}})."
        )
    worth = e.worth
    if e.payoff is None or worth is None:
        return needs(
            "To see what it is worth, say what outcomes are worth: profit=Profit(tp=..., fp=...) (--profit FILE)."
        )
    t = policy_table(worth)
    # The parts that hang on the amounts have names, so that they follow when an amount is changed on the page.
    parts: list[Any] = [
        tag("div", paragraphs(worth_sentences(worth, e)), data_role="worth-told"),
        tag("div", html_table(t.head, t.rows, t.align, t.title), data_role="worth-table"),
    ]
    if e.scores is not None and e.payoff.kind in e.charts:
        from steelyard.views.threshold import threshold_sentences

        charts = [e.chart(e.payoff.kind), e.chart("cost_curve")]
        parts.append(tag("div", [figure(c) for c in charts], class_="grid"))
        parts.append(tag("h3", "The best threshold"))
        parts.append(tag("div", paragraphs(threshold_sentences(e.best_threshold())), data_role="best-told"))
    return tag("div", parts)


# Several models -------------------------------------------------------------------------------------------------------


def which_model(models: Mapping[str, Any]) -> Ready:
    """The models side by side: intervals, curves laid over one another, and who wins at which costs."""
    if len(models) < 2:
        return needs("To compare models, evaluate several: --score knn=p1 --score tree=p2.")
    first = next(iter(models.values()))
    names = [n for n in leading("card", kind_of(first)) if all(n in e.measures for e in models.values())]
    parts: list[Any] = []
    for measure in names[:1]:
        rows = [(name, e[measure]) for name, e in models.items()]
        parts.append(tag("div", figure(forest(rows, find(measure).title), wide=True), class_="grid"))
    if all(e.scores is not None for e in models.values()):
        drawn = []
        for name in LAID_OVER:
            drawn_of = {model: e.curve(name) for model, e in models.items()}
            drawn.append(overlay(drawn_of, next(iter(drawn_of.values())).chart()))
        parts.append(tag("div", [figure(c) for c in drawn], class_="grid"))
        parts += _regions(models)
    head = ("measure", *models)
    body = [(n, *(str(e[n]) for e in models.values())) for n in names]
    parts.append(
        html_table(head, body, "l" * len(head), "Side by side: on the same rows the difference needs a test of its own")
    )
    return tag("div", parts)


def _regions(models: Mapping[str, Any]) -> list[Ready]:
    from steelyard.errors import SteelyardError
    from steelyard.views.regions import sentence
    from steelyard.worth.regions import regions

    try:
        return [tag("p", sentence(regions(models)))]
    except SteelyardError as problem:
        return [needs(problem.message)]
