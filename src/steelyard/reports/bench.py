"""The workbench: a threshold to move, and beside it all that moves with it: scores, money, the matrix and the rates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.charts.marks import Band, Chart, Line, Mark, Rule, Text
from steelyard.charts.scales import Scale, wide_enough
from steelyard.charts.svg import draw
from steelyard.measures.measure import find, leading
from steelyard.payoffs.payoff import Profit
from steelyard.reports.explorer import controls
from steelyard.views.html import Ready, tag
from steelyard.words import bracketed, count, estimate_parts, percent, percents, quoted, shortest

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

Values = tuple[float, float, float, float]
SIZE, SMALL = (640.0, 190.0), (340.0, 190.0)
"""Of a picture beside the numbers, and on a narrow screen."""
POINTS = 250
NAMED = 0.22
"""Part of a picture that is kept free above; the page does the same when it draws one again."""
PLAIN: Values = (0.0, -1.0, -1.0, 0.0)
"""Amounts to start with where nobody said what outcomes are worth: every mistake costs one."""
MISTAKES = Profit(tp=0, fn=-1, fp=-1, tn=0)


def bench(evaluation: Evaluation, model: str, name: str) -> Ready:
    """All of it for one model, filled in at the threshold in force."""
    assert evaluation.threshold is not None
    kind = evaluation.payoff.kind if evaluation.payoff is not None else "profit"
    values = values_of(evaluation)
    explorer = controls(evaluation, name, values, kind, _luck(evaluation, kind))
    explorer = Ready(explorer.replace('class="explorer"', f'class="explorer" data-model="{model}"', 1))
    at = evaluation.at(evaluation.threshold)
    drawn = [_pane(chart) for chart in pictures(evaluation, kind)]
    numbers = tag("div", _matrix(at), _rates(at, kind, values), class_="numbers")
    return tag("div", explorer, tag("div", tag("div", drawn, class_="drawn"), numbers, class_="panes"), class_="bench")


def _pane(chart: Chart) -> Ready:
    """A picture drawn twice, for wide and narrow screens, of which one is seen."""
    sizes = (("big", SIZE), ("small", SMALL))
    both = [(kind, draw(replace(chart, size=size), style=False, title=False)) for kind, size in sizes]
    drawn = [tag("div", Ready(svg), class_=kind) for kind, svg in both]
    return tag("figure", tag("figcaption", tag("b", chart.heading)), drawn)


def pictures(evaluation: Evaluation, kind: str) -> list[Chart]:
    """Scores of both classes, and below them what each threshold brings, over the same scores."""
    scores = evaluation.chart("scores", bins=40)
    curve = evaluation.curve(kind, profit=evaluation.payoff or MISTAKES)
    # More points than this lie closer together than the pixels.
    step = max(1, len(curve) // POINTS)
    x, y, low, high = ([*curve.columns[c][::step], curve.columns[c][-1]] for c in ("threshold", kind, "low", "high"))
    x[0] = scores.x.high if x[0] is None else x[0]
    across = replace(scores.x, title="")
    up = _with_room(wide_enough([*low, *high], kind.capitalize(), zero=True))
    marks: tuple[Mark, ...] = (Band(x, low, high), Line(x, y))
    said = f"{kind.capitalize()} at every threshold, with its {percent(evaluation.confidence)} interval."
    money = Chart(kind, f"{kind.capitalize()} at each threshold", across, up, marks, said, live=f"threshold {kind}")
    # Where the threshold lies is drawn by the page, which can move it.
    bars = tuple(m for m in scores.marks if not isinstance(m, Rule | Text))
    return [replace(scores, title="Scores of each class", x=across, y=_with_room(scores.y), marks=bars), money]


def _with_room(up: Scale) -> Scale:
    """The same scale with room above all that is drawn for the names of places, which the page writes there."""
    return replace(up, high=up.high + NAMED * (up.high - up.low))


def _luck(evaluation: Evaluation, kind: str) -> str:
    """What a choice on these same rows adds, in words."""
    if evaluation.payoff is None:
        return f"Nobody said what outcomes are worth: until you type it, every mistake counts as a {kind} of −1."
    said = ""
    best = evaluation.best_threshold()
    if best.optimism is not None and not evaluation.payoff.ranged:
        said = (
            f"At the amounts given, the best {kind} is chosen on these same rows, which makes it look better by about "
            f"{estimate_parts(best.optimism, None, None)[0]}."
        )
    if evaluation.payoff.names:
        said = f"The boxes show averages; each row has an amount of its own until they are changed. {said}".rstrip()
    return said


def values_of(evaluation: Evaluation) -> Values:
    """Four amounts to start with: those of the payoff (at average amounts of the rows' own), or plain errors."""
    if evaluation.payoff is None:
        return PLAIN
    c = evaluation.confusion
    assert c is not None
    names = () if c.amounts is None else c.amounts.names
    table = evaluation.payoff.coefficients(c.levels, c.positive, names) * evaluation.payoff.sign
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


def _matrix(evaluation: Evaluation) -> Ready:
    assert evaluation.confusion is not None
    o = evaluation.confusion.outcomes(evaluation.positive)

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
        tag("caption", f"At the threshold chosen; positive is {quoted(evaluation.positive)}"),
        tag("thead", tag("tr", tag("td", ""), [tag("th", h, scope="col") for h in ("flagged", "not flagged")])),
        tag(
            "tbody",
            tag("tr", tag("th", "positive", scope="row"), cell("tp", p, "positives"), cell("fn", p, "positives")),
            tag("tr", tag("th", "negative", scope="row"), cell("fp", n, "negatives"), cell("tn", n, "negatives")),
        ),
    )
    return tag("div", body, class_="matrix")


def _rates(evaluation: Evaluation, kind: str, values: Values) -> Ready:
    """Rates and money at the threshold chosen, beside those at the one in force."""
    rows: list[tuple[str, str, str, str]] = []
    for name in leading("explorer"):
        x = evaluation[name]
        told, ends = "n/a" if x.value is None else percent(x.value), ""
        if x.value is not None and x.low is not None and x.high is not None:
            told, *limits = percents(x.value, x.low, x.high)
            ends = bracketed(*limits)
        rows.append((name, find(name).noun, told, ends))
    worth = evaluation.worth
    if worth is not None:
        value, low, high = estimate_parts(float(worth), worth.low, worth.high)
        rows.append(("worth", kind, value, bracketed(low, high)))
    else:
        assert evaluation.confusion is not None
        o = evaluation.confusion.outcomes(evaluation.positive)
        total = sum(float(n) * v for n, v in zip((o.tp, o.fn, o.fp, o.tn), values, strict=True))
        rows.append(("worth", kind, count(total), ""))
    assert evaluation.threshold is not None
    here = shortest(evaluation.threshold)
    head = tag(
        "tr",
        tag("th", "measure", scope="col"),
        tag("th", f"in force {here}", scope="col", class_="right", data_cell="beside"),
        tag("th", f"chosen {here}", scope="col", class_="right", data_cell="chosen"),
        tag("th", f"{percent(evaluation.confidence)} interval", scope="col"),
    )
    body = [
        tag(
            "tr",
            tag("th", label, scope="row"),
            tag("td", told, class_="right", data_cell=f"{name}-beside"),
            tag("td", told, class_="right chosen", data_cell=name),
            tag("td", ends, data_cell=f"{name}-interval"),
        )
        for name, label, told, ends in rows
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", body)), class_="rates")
