"""Several models on a page: who wins and by how much, every measure side by side, and a switch that turns to each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError
from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS
from steelyard.reports.bars import bar, lined_table, number_cell, span_of, turned_bar
from steelyard.reports.figures import figure
from steelyard.reports.first import stamped
from steelyard.reports.sections import Section, needs, paragraphs
from steelyard.verdicts.comparison import CLEAR
from steelyard.views import comparison as told
from steelyard.views import story
from steelyard.views.html import Ready, described, join, small_table, tag
from steelyard.views.html import table as html_table
from steelyard.views.several import together
from steelyard.views.standings import Placed, in_all, matrix, ranked_table, standings
from steelyard.words import estimate_parts, p_told, visible

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.evaluation import Evaluation
    from steelyard.results import Difference

OVERLAID = ("roc", "calibration", "scores")
EACH = ("roc", "pr", "calibration")
"""Curves that each of several models has for itself, with their bands; of one alone there are more."""
MOST_CURVES = 5
"""Models whose curves are laid over one another: as many as can be told apart."""
MOST_TURNED = 8
"""Models that the page can be turned to; of more these are the best, and each of the others has a page of its own."""
MOST_CROSSINGS = 3
RANGES = (
    "Ranges are chosen by looking at the curves: an interval here allows for every range at once, so that it is wider than "
    "that of the whole area above"
)
EVALUATED_APART = "How they differ needs a test on the same rows: steelyard compare, or sy.compare(...).report(...)."


def order_of(models: Mapping[str, Any], comparison: Comparison | None) -> dict[str, Any]:
    """The models with the best first."""
    names = list(models) if comparison is None else [s.model for s in standings(comparison, comparison.measures[0])]
    return {name: models[name] for name in names if name in models}


# At the top -----------------------------------------------------------------------------------------------------------


def common_facts(models: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What holds for all models alike, said once."""
    first, *others = [story.facts(e) for e in models.values()]
    return [fact for fact in first if all(fact in facts for facts in others)]


def own_facts(evaluation: Evaluation, models: Mapping[str, Any]) -> Ready:
    """What holds for one model and not for all of them, and what is to be known of it."""
    common = common_facts(models)
    own = [fact for fact in story.facts(evaluation) if fact not in common]
    shared = _shared_warnings(models)
    notes = [tag("p", n, class_="note warn") for n in story.warnings(evaluation) if n not in shared]
    return join([described(own) if own else None, notes])


def notes_of(models: Mapping[str, Any]) -> list[Ready]:
    """Warnings that hold for all models, each once."""
    return [tag("p", note, class_="note warn") for note in _shared_warnings(models)]


def _shared_warnings(models: Mapping[str, Any]) -> list[str]:
    first, *others = [story.warnings(e) for e in models.values()]
    return [note for note in first if all(note in notes for notes in others)]


def switch(names: Sequence[str]) -> Ready:
    """Buttons of which one is chosen, whose sections are shown. They need no script, and without styles all are shown."""
    radio = {"type": "radio", "name": "model"}
    buttons = [
        tag("label", tag("input", **radio, id=f"show-m{i}", checked=i == 0), tag("span", name, title=name))
        for i, name in enumerate(names)
    ]
    return tag("fieldset", tag("legend", "Model"), buttons, class_="switch")


def switch_rules(count: int) -> str:
    """CSS that hides the sections of all models but the chosen one, which is the one that is printed."""
    shown = "".join(f"body:has(#show-m{i}:checked) [data-of]:not([data-of=m{i}]){{display:none}}" for i in range(count))
    return shown if count > 1 else ""


def all_numbers(models: Mapping[str, Any]) -> Ready:
    """Every number of every model in one table."""
    every = {name: {r.name: r for g in story.groups(e, full=True) for r in g.rows} for name, e in models.items()}
    names = list(dict.fromkeys(n for found in every.values() for n in found))
    rows = [[n, *(_number(found.get(n)) for found in every.values())] for n in names]
    told = html_table(["measure", *map(visible, every)], rows, "l" * (len(every) + 1), "Every measure")
    return tag("details", tag("summary", f"All {len(names)} numbers of each model"), told, class_="all")


def _number(row: story.Row | None) -> str:
    return "" if row is None else f"{row.value} {row.interval}" if row.interval.startswith("[") else row.value


# Which model? ---------------------------------------------------------------------------------------------------------


def which_model(models: Mapping[str, Any], comparison: Comparison | None) -> Ready:
    """Who is best by the paired test and in money, all measures side by side, and the curves laid over one another."""
    parts: list[Any] = []
    if comparison is None:
        parts.append(needs(EVALUATED_APART))
    else:
        above = {r.text for r in comparison.verdict.reasons}
        said = comparison.sentences()[:-1] if comparison.ranking is not None else comparison.sentences()
        parts += paragraphs(s for s in said if s not in above)
        if len(comparison.models) == 2:
            parts.append(_pair(comparison))
        else:
            parts += [*(_ranked(comparison, n) for n in _chief(comparison)), _matrix(comparison)]
    parts = [stamped(models.values(), *parts, *_best_cuts(models)), *_overlaid(models)]
    if comparison is not None:
        if len(comparison.models) > 2:
            every = [small_table(told.differences_table(comparison, m)) for m in comparison.measures]
            parts.append(tag("details", tag("summary", "All pairs in every measure"), every))
        parts += [tag("p", n, class_="note warn") for n in comparison.notes()]
    return tag("div", parts)


def _chief(comparison: Comparison) -> list[str]:
    """The measure that decides, and money where outcomes are worth something."""
    return list(dict.fromkeys([comparison.measures[0], *(n for n in KINDS if n in comparison.measures)]))


def _apart(difference: Difference | None) -> list[Any]:
    """A difference with its interval below it."""
    if difference is None or difference.value is None:
        return ["" if difference is None else "n/a"]
    value, _, ends = told.number(difference).partition(" ")
    return [value, tag("span", ends, class_="ends") if ends else None]


def _word(difference: Difference | None, first: str) -> list[Any]:
    """What the difference says, and the p-value behind it."""
    if difference is None:
        return [first]
    p = p_told(difference.p_value) if difference.p_value is not None else ""
    return [difference.verdict or "not judged", tag("span", p, class_="ends") if p else None]


def _pair(comparison: Comparison) -> Ready:
    """Two models: every measure with both numbers, the difference, and what that says of the first."""
    first, second = (s.model for s in standings(comparison, comparison.measures[0]))
    rows = []
    for measure in comparison.measures:
        d = in_all(comparison, comparison.difference(measure, first, second))
        cells = [number_cell(comparison[n][measure]) for n in (first, second)]
        rows.append([_column(measure), *cells, _apart(d), turned_bar(d), _word(d, "")])
    right = f"{visible(first)} is better to the right"
    head = ("measure", visible(first), visible(second), "difference", right, "verdict")
    methods = dict.fromkeys(
        comparison.difference(n, first, second).method.partition("; for ")[0] for n in comparison.measures
    )
    by = "; ".join(m for m in methods if m and m != "none")
    where = comparison.pairing.words.removeprefix("on ")
    note = f"The verdict is about {visible(first)}, from the difference and its interval on {where}"
    return lined_table("Measure by measure", head, rows, f"{note}. By {by}." if by else f"{note}.")


def _ranked(comparison: Comparison, measure: str) -> Ready:
    """The models from the best down, each with how far it is from the best."""
    found = standings(comparison, measure)
    apart = [s.difference for s in found if s.difference is not None]
    span = span_of([v for d in apart for v in (d.low, d.value, d.high)], 0.0)
    rows = []
    for i, s in enumerate(found, 1):
        d = s.difference
        drawn: Any = ""
        if d is not None and d.value is not None:
            drawn = bar(d.value, d.low, d.high, span, 0.0, clear=d.verdict in CLEAR)
        first = "all are held against it" if comparison.control else "first"
        rows.append([f"{i}. {visible(s.model)}", number_cell(s.estimate), _apart(d), drawn, _word(d, first)])
    table = ranked_table(comparison, measure)
    head = ("model", find(measure).title, "difference", "0 is no difference", "verdict")
    return lined_table(table.title, head, rows, table.note)


def _matrix(comparison: Comparison) -> Ready:
    found = matrix(comparison)

    def cell(placed: Placed) -> list[Any]:
        value, *ends = number_cell(placed.estimate)
        return [value, tag("span", " best", class_="mark") if placed.best else None, *ends]

    rows = [[visible(n), *map(cell, cells)] for n, cells in zip(found.models, found.cells, strict=True)]
    marks = [["best" if x.best else "behind" if x.behind else None for x in cells] for cells in found.cells]
    note = "The best of each measure is marked; grey are those that the paired test shows to be worse than it."
    return lined_table("Models and measures", ("model", *map(_column, found.measures)), rows, note, marks)


def _column(name: str) -> str:
    m = find(name)
    return f"{m.title}, lower is better" if m.better == "lower" else m.title


def _best_cuts(models: Mapping[str, Any]) -> list[Ready]:
    """What each model would bring at its own best threshold, less the luck of choosing it."""
    priced = {n: e for n, e in models.items() if e.payoff is not None and e.scores is not None}
    if not priced or any(e.payoff.ranged for e in priced.values()):
        return []
    rows: list[list[Any]] = []
    for name, e in priced.items():
        try:
            best = e.best_threshold()
        except SteelyardError:
            continue
        at = "flag nobody" if best.value is None else estimate_parts(best.value, best.low, best.high)[0]
        rows.append([visible(name), number_cell(e.worth), at, number_cell(best.corrected)])
    kind = next(iter(priced.values())).payoff.kind
    head = ("model", f"{kind} in force", "best threshold", f"{kind} there, luck taken off")
    title = "Each at its own best threshold"
    return [lined_table(title, head, rows, "")] if rows else []


def _overlaid(models: Mapping[str, Any]) -> list[Ready]:
    if any(e.scores is None for e in models.values()):
        return []
    some = dict(list(models.items())[:MOST_CURVES])
    of = f"Curves of the {len(some)} best of {len(models)} models." if len(some) < len(models) else ""
    charts = [together(some, name) for name in OVERLAID if all(name in e.charts for e in some.values())]
    out = [tag("p", of, class_="note")] if of else []
    return [*out, tag("div", [figure(chart) for chart in charts], class_="grid"), *_regions(some)]


def _regions(models: Mapping[str, Any]) -> list[Ready]:
    from steelyard.views.regions import sentence
    from steelyard.worth.regions import regions

    try:
        return [tag("p", sentence(regions(models)))]
    except SteelyardError as problem:
        return [needs(problem.message)]


def more_sections(comparison: Comparison) -> list[Section]:
    """Where curves cross, and ranks over several data sets."""
    out = []
    if all(e.scores is not None for e in comparison.evaluations.values()):
        out.append(Section("crossing", "Better everywhere, or in part?", _crossing(comparison), "Everywhere?"))
    if comparison.ranking is not None:
        drawn = tag("div", figure(comparison.ranking.chart(), wide=True), class_="grid")
        body = tag("div", tag("p", comparison.ranking.paragraph()), drawn)
        out.append(Section("ranks", "Over all data sets?", body))
    return out


def _crossing(comparison: Comparison) -> Ready:
    """The first pairs of the ranking, the better one first, whose colour is then that of the best everywhere."""
    parts: list[Any] = []
    ranked = [s.model for s in standings(comparison, comparison.measures[0])]
    pairs = sorted((sorted(pair, key=ranked.index) for pair in comparison.pairs), key=lambda p: [*map(ranked.index, p)])
    paired = True
    for first, second in pairs[:MOST_CROSSINGS]:
        try:
            found = comparison.crossing(first, second)
        except SteelyardError as problem:
            parts.append(needs(problem.message))
            continue
        paired = paired and found.paired
        parts.append(tag("h3", f"{visible(first)} and {visible(second)}"))
        parts.append(tag("div", figure(found.chart()), tag("div", paragraphs(found.sentences())), class_="beside"))
    alone = "" if paired else ", and takes the models as tested on different rows"
    return tag("div", tag("p", f"{RANGES}{alone}.", class_="note"), parts)
