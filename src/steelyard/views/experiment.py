"""An experiment in words, tables and a picture: what was run, how good each model is, and on what each interval rests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart, Mark, Point
from steelyard.charts.scales import Scale, wide_enough
from steelyard.designs.design import many
from steelyard.errors import NotAvailable
from steelyard.measures.facts import EVIDENCE
from steelyard.measures.measure import find, leading
from steelyard.results import Estimate
from steelyard.views.layout import WIDTH, blocks_text, noted, wrap, wrapped
from steelyard.views.several import TOGETHER, measure_named, together
from steelyard.views.standings import standing_finding
from steelyard.views.story import kind_of
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
from steelyard.words import bracketed, count, estimate_parts, percent, visible

if TYPE_CHECKING:
    from steelyard.experiments.plan import TestedModel
    from steelyard.experiments.result import Experiment

MEANS = {
    "corrected resampled t": "the spread between folds, corrected for the training rows that they share",
    "nested cross validation": "nested folds",
    "t over folds": "the spread between folds as if they were independent",
}
OF_ALL_ROWS = ("nested cross validation", ".632")
"""Methods whose value is about models trained on all rows."""


def chief_measures(evaluations: Sequence[Any]) -> list[str]:
    """The measures told first: those of the model that says most, defined for all models that answer them at all."""
    kinds = {kind_of(e) for e in evaluations}
    names = leading("experiment", next(k for k in EVIDENCE if k in kinds))
    known = [n for n in names if any(n in e.measures for e in evaluations)]
    defined = [n for n in known if all(e[n].value is not None for e in evaluations if n in e.measures)]
    return (defined or known)[:3]


def to_come(experiment: Experiment, cell: TestedModel, measure: str) -> Estimate:
    """A measure for models to come; where a model gives no scores to tell it from, that is said."""
    if measure not in experiment[names_of(cell)].measures:
        return Estimate(measure, None, confidence=experiment.confidence, reason="no scores")
    found: Estimate = experiment.estimate(*names_of(cell), measure=measure)
    return found


def summed(experiment: Experiment, cell: TestedModel, measure: str) -> Estimate:
    """A measure of the sum of the folds, with the same reason where there is none."""
    e = experiment[names_of(cell)]
    if measure not in e.measures:
        return Estimate(measure, None, confidence=experiment.confidence, reason="no scores")
    found: Estimate = e[measure]
    return found


def cells_by_place(experiment: Experiment) -> dict[tuple[str, str], list[TestedModel]]:
    """The cells that have something to show, by data set and design."""
    out: dict[tuple[str, str], list[TestedModel]] = {}
    for cell in experiment.cells:
        cells = out.setdefault((cell.data, cell.design), [])
        if experiment.gathered(cell).pooled is not None:
            cells.append(cell)
    return out


def names_of(cell: TestedModel) -> tuple[str, str, str]:
    """A cell by its three names."""
    return (cell.model, cell.data, cell.design)


def headline(experiment: Experiment, data: str, design: str) -> str:
    """What was run, in one line."""
    facts, cells = experiment.plan["data"][data], [c for c in experiment.cells if (c.data, c.design) == (data, design)]
    folds = sum(f.outer for f in cells[0].folds)
    kind = "a quantity" if facts["kind"] == "continuous" else f"{len(facts['levels'])} levels"
    models = f"{len(cells)} model{'s' if len(cells) != 1 else ''}"
    text = experiment.plan["designs"][design]["text"]
    fits = f"{folds} test part{'s' if folds != 1 else ''}"
    waiting, total = unfinished(experiment, data, design), sum(len(c.folds) for c in cells)
    far = f", so far {count(total - waiting)} of {many(total, 'fold')}" if waiting else ""
    rows = many(facts["rows"], "row")
    return f"{models} on {visible(data)} ({rows}, {kind}): {visible(text)}, {fits} each{far}"


def unfinished(experiment: Experiment, data: str, design: str) -> int:
    """How many folds have neither been done nor failed yet."""
    cells = [c for c in experiment.cells if (c.data, c.design) == (data, design)]
    return sum(experiment.keeper.get(f.key) is None for c in cells for f in c.folds)


def number(estimate: Estimate) -> str:
    """A number with its interval, as it stands in a table."""
    if estimate.value is None:
        return f"n/a ({estimate.reason})"
    value, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    # Where all folds agree there is no spread to make an interval of.
    return f"{value} {bracketed(low, high)}".rstrip() if estimate.low != estimate.high else value


def experiment_tables(experiment: Experiment, data: str, design: str) -> list[SmallTable]:
    """Two tables: what the folds say of models to come, and the sum of the folds."""
    cells = cells_by_place(experiment)[data, design]
    if not cells:
        return []
    measures = chief_measures([experiment[names_of(c)] for c in cells])
    told = {(c.model, m): to_come(experiment, c, m) for c in cells for m in measures}
    rests_on_rows = all("test rows alone" in e.note for e in told.values() if e.value is not None)
    head = ("model", *(find(m).noun for m in measures))
    out = []
    if not rests_on_rows:
        rows = [(visible(c.model), *(number(told[c.model, m]) for m in measures)) for c in cells]
        trained = round(sum(f.train for f in cells[0].folds if f.outer) / max(1, sum(f.outer for f in cells[0].folds)))
        methods: dict[str, list[str]] = {}
        for m in measures:
            found = [told[c.model, m] for c in cells]
            methods[m] = list(dict.fromkeys(e.method for e in found if _has(e)))
        whole = [name.startswith(OF_ALL_ROWS) for names in methods.values() for name in names]
        learnt = f" (trained on {'all' if any(whole) else count(trained)} rows)" if len(set(whole)) < 2 else ""
        title = f"For models to come{learnt}, {percent(experiment.confidence)} intervals"
        note = _rests(methods, "" if learnt else f", for models trained on {count(trained)} rows")
        out.append(SmallTable(title, head, "l" * len(head), rows, spare=max(0, len(measures) - 1), note=note))
    rows = [(visible(c.model), *(number(summed(experiment, c, m)) for m in measures)) for c in cells]
    by_group = any(getattr(s, "units", None) is not None for s in experiment[names_of(cells[0])].evidence.values())
    note = f"Rests on the test rows{', by group,' if by_group else ','} and on the models that were trained."
    times = cells[0].times
    if times > 1.0001 and not unfinished(experiment, data, design):
        note += f" Rows were tested {times:.3g} times and count once."
    title = f"Sum of the folds{' so far' if unfinished(experiment, data, design) else ''}, {_tested(experiment, cells)}"
    if sum(f.outer for f in cells[0].folds) == 1:
        title = f"On {_tested(experiment, cells)}"
    out.append(SmallTable(title, head, "l" * len(head), rows, spare=max(0, len(measures) - 1), note=note))
    return out


def _tested(experiment: Experiment, cells: Sequence[Any]) -> str:
    """How many rows were really tested; models may not have come equally far."""
    rows = sorted({round(experiment[names_of(c)].rows) for c in cells})
    return f"{count(rows[0])} to {count(rows[-1])} test rows" if len(rows) > 1 else many(rows[0], "test row")


def _has(estimate: Estimate) -> bool:
    return estimate.value is not None and bool(estimate.method) and estimate.method != "none"


def _rests(methods: Mapping[str, Sequence[str]], size: str) -> str:
    """On what the intervals rest; where measures differ in that, each is named."""
    ways: dict[str, list[str]] = {}
    for measure, names in methods.items():
        for name in names:
            if measure not in ways.setdefault(name, []):
                ways[name].append(measure)
    told = []
    for name, measures in ways.items():
        known = [f"{why} ({visible(name)})" for start, why in MEANS.items() if name.startswith(start)]
        why = known[0] if known else visible(name)
        told.append((measures, why + ("" if name.startswith(OF_ALL_ROWS) else size)))
    if not told:
        return "No interval can be told from these folds."
    if len(told) == 1:
        return f"Rests on {told[0][1]}."
    each = [f"{', '.join(find(m).noun for m in measures)}: {why}" for measures, why in told]
    return f"Rests on: {'; '.join(each)}."


def experiment_sentences(experiment: Experiment, data: str, design: str) -> list[str]:
    """Who leads, and what may not be concluded from it."""
    cells = cells_by_place(experiment)[data, design]
    if len(cells) < 2:
        return []
    for measure in chief_measures([experiment[names_of(c)] for c in cells]):
        better = find(measure).better
        found = [(c.model, to_come(experiment, c, measure)) for c in cells]
        told = [(name, e, e.value) for name, e in found if e.value is not None]
        # What one model alone can answer puts none before another.
        if len(told) > 1 and better in ("higher", "lower"):
            break
    else:
        return []
    told.sort(key=lambda one: -one[2] if better == "higher" else one[2])
    (first, best, _), (second, next_best, _) = told[:2]
    far = " so far" if unfinished(experiment, data, design) else ""
    noun = find(measure).noun
    line = f"{visible(first)} has the best {noun}{far} ({number(best)}), before "
    line += f"{visible(second)} ({number(next_best)})."
    if number(best).split(" ")[0] == number(next_best).split(" ")[0]:
        line = f"{visible(first)} and {visible(second)} share the best {noun}{far} ({number(best)} and {number(next_best)})."
    warning = "Being the best of several is partly luck, and overlapping intervals are no test of a difference."
    return [line, warning]


def experiment_notes(experiment: Experiment) -> list[str]:
    """Rows left out, duplicated rows, warnings and fallbacks by model, failures, and what is not done yet."""
    out = [visible(text) for text in experiment.plan.get("remarks", [])]
    for name, facts in experiment.plan["data"].items():
        if facts.get("dropped"):
            were = "was" if facts["dropped"] == 1 else "were"
            out.append(f"{visible(name)}: {many(facts['dropped'], 'row')} with missing values {were} left out.")
    for data, design, share in experiment.plan.get("duplicates", []):
        out.append(
            f"{visible(data)}, {visible(design)}: {percent(share)} of the test rows have the same features as a "
            "training row, which flatters every model; if they are the same case, name what they share as group."
        )
    out += experiment.remarks()
    said: Counter[tuple[str, str]] = Counter()
    kept: Counter[str] = Counter()
    for cell in experiment.cells:
        for fold in cell.folds:
            trained = experiment.keeper.get(fold.key)
            if trained is not None:
                kept[cell.model] += 1
                said.update((cell.model, note) for note in trained.notes)
    for (model, note), times in said.items():
        where = "" if times == kept[model] else f" (in {times} of {many(kept[model], 'fold')})"
        out.append(f"{visible(model)}: {visible(note)}{where}")
    failures = experiment.failures
    if failures:
        by_model = Counter(f["model"] for f in failures)
        who = ", ".join(f"{n} of {visible(m)}" for m, n in by_model.items())
        out.append(f"{many(len(failures), 'fold')} failed ({who}); the first: {visible(failures[0]['error'])}")
    missing = experiment.total - experiment.done - len(failures)
    if missing > 0:
        done = f"{count(experiment.done)} of {many(experiment.total, 'fold')} {'is' if experiment.done == 1 else 'are'} done"
        out.append(f"{done}; the numbers rest on {'it' if experiment.done == 1 else 'these'}.")
    return out


def experiment_text(experiment: Experiment) -> str:
    """The experiment as plain text, 80 columns wide."""
    blocks: list[list[str]] = [verdict_lines(experiment.verdict)]
    for data, design in cells_by_place(experiment):
        blocks.append(wrap(headline(experiment, data, design), WIDTH, "", "  "))
        for t in experiment_tables(experiment, data, design):
            blocks.append([*table_lines(replace(t, note="")), *wrap(t.note, WIDTH, "  ", "  ")])
        blocks.append(wrapped(experiment_sentences(experiment, data, design)))
    for cell in experiment.cells:
        told = tuned(experiment, cell)
        if told:
            blocks.append(wrapped(told))
    blocks.append(noted(experiment_notes(experiment)))
    return blocks_text(blocks)


def tuned(experiment: Experiment, cell: TestedModel) -> list[str]:
    """What a search saw and what it is worth, where the model is one."""
    if not experiment.is_search(*names_of(cell)):
        return []
    try:
        return [f"{visible(cell.model)}: {s}" for s in experiment.tuning(*names_of(cell)).sentences()]
    except NotAvailable:
        return []


def experiment_chart(experiment: Experiment, measure: str | None, *names: str) -> Chart:
    """The models below one another: a small ring for each fold, a dot with its interval for models to come."""
    places = cells_by_place(experiment)
    chosen = [place for place in places if all(n in place for n in names)]
    if len(chosen) != 1:
        message = "The picture shows one data set under one design."
        hint = f"Name them, for example chart(measure, {', '.join(map(repr, next(iter(places))))})."
        raise NotAvailable(message, hint)
    cells = places[chosen[0]]
    if not cells:
        message = "No fold is done yet."
        raise NotAvailable(message, "Let the experiment go on.")
    if measure in TOGETHER:
        return together({c.model: experiment[names_of(c)] for c in cells}, measure)
    measure = measure_named(measure) if measure else chief_measures([experiment[names_of(c)] for c in cells])[0]
    marks: list[Mark] = []
    rows: list[tuple[str, str]] = []
    seen: list[float] = []
    told: list[tuple[Any, ...]] = []
    for i, cell in enumerate(cells):
        e = to_come(experiment, cell, find(measure).name)
        known = find(measure).name in experiment[names_of(cell)].measures
        values = [v for v in experiment.values(*names_of(cell), measure=measure) if v is not None] if known else []
        if len(values) > 1 and experiment.plan["designs"][cell.design]["kind"] != "LeaveOneOut":
            # Folds lie a little below the line of the interval, so that neither hides the other.
            marks += [Point(v, i + 0.3, "quiet", "ring", 2.4) for v in values]
            seen += values
            told += [(cell.model, "fold", v, None, None) for v in values]
        if e.value is not None:
            marks.append(Point(e.value, float(i), 0, "circle", 5, e.low, e.high))
            seen += [v for v in (e.value, e.low, e.high) if v is not None]
        told.append((cell.model, "estimate", e.value, e.low, e.high))
        rows.append((visible(cell.model), number(e)))
    labels = tuple(name for name, _ in rows)
    up = Scale(len(labels) - 0.5, -0.5, "", "names", labels)
    columns = dict(zip(("model", "what", "value", "low", "high"), map(list, zip(*told, strict=True)), strict=True))
    by_fold = "fold" in columns["what"]
    noun = find(measure).noun
    title = f"{noun} of {'the models' if len(rows) > 1 else visible(cells[0].model)}"
    title += ", fold by fold" if by_fold else ""
    said = f"{title}: {'; '.join('  '.join(row) for row in rows)}."
    (place,) = (p for p in experiment.places if (p.data, p.design) == chosen[0])
    found = "" if place.comparison is None else standing_finding(place.comparison, find(measure).name)
    more: dict[str, Any] = {"finding": found, "beside": (("to come", tuple(t for _, t in rows)),)}
    more["size"] = (680.0, max(130.0, 80 + 44.0 * len(labels)))
    # A single hold-out has no folds to show, and its interval is that of its test rows.
    legend = (("for models to come", 0), ("one fold", "quiet")) if by_fold else ()
    return Chart("experiment", title, wide_enough(seen, noun), up, tuple(marks), said, columns, legend, **more)
