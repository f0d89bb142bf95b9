"""An experiment in words, tables and a picture: what was run, how good each model is, and on what each interval rests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from steelyard.charts.marks import Chart, Mark, Point
from steelyard.charts.scales import Scale, wide_enough
from steelyard.errors import NotAvailable
from steelyard.measures.measure import find
from steelyard.results import Estimate
from steelyard.views.layout import WIDTH, wrap
from steelyard.views.notebook import small_table
from steelyard.views.tables import Table
from steelyard.views.text import table_lines
from steelyard.words import count, estimate_parts, percent, visible

CHIEF = {
    "scores": ("auc", "accuracy", "log_loss", "brier"),
    "classes": ("accuracy", "hand_till_auc", "log_loss", "brier"),
    "labels": ("accuracy", "average_class_accuracy", "kappa"),
    "numbers": ("rmse", "mae", "r2"),
}
MEANS = {
    "corrected resampled t": "the spread between folds, corrected for the training rows that they share",
    "nested cross validation": "nested folds",
    "t over folds": "the spread between folds as if they were independent",
}


def chief_measures(evaluations: Sequence[Any]) -> list[str]:
    """The measures told first: those that all models can answer."""
    found: list[str] = []
    for e in evaluations:
        if e.scores is not None:
            kind = "scores"
        elif e.class_scores is not None:
            kind = "classes"
        else:
            kind = "numbers" if e.residuals is not None else "labels"
        found += [n for n in CHIEF[kind] if n not in found]
    common = [n for n in found if all(n in e.measures for e in evaluations)]
    defined = [n for n in common if all(e[n].value is not None for e in evaluations)]
    return (defined or common)[:3]


def cells_by_place(x: Any) -> dict[tuple[str, str], list[Any]]:
    """The cells that have something to show, by data set and design."""
    out: dict[tuple[str, str], list[Any]] = {}
    for cell in x.cells:
        cells = out.setdefault((cell.data, cell.design), [])
        if x.gathered(cell).pooled is not None:
            cells.append(cell)
    return out


def names_of(cell: Any) -> tuple[str, str, str]:
    """A cell by its three names."""
    return (cell.model, cell.data, cell.design)


def headline(x: Any, data: str, design: str) -> str:
    """What was run, in one line."""
    facts, cells = x.plan["data"][data], [c for c in x.cells if (c.data, c.design) == (data, design)]
    folds = sum(f.outer for f in cells[0].folds)
    kind = "a quantity" if facts["kind"] == "continuous" else f"{len(facts['levels'])} levels"
    models = f"{len(cells)} model{'s' if len(cells) != 1 else ''}"
    text = x.plan["designs"][design]["text"]
    fits = f"{folds} test part{'s' if folds != 1 else ''}"
    return f"{models} on {visible(data)} ({count(facts['rows'])} rows, {kind}): {visible(text)}, {fits} each"


def number(x: Estimate) -> str:
    """A number with its interval, as it stands in a table."""
    if x.value is None:
        return f"n/a ({x.reason})"
    value, low, high = estimate_parts(x.value, x.low, x.high)
    # Where all folds agree there is no spread to make an interval of.
    return f"{value} [{low}, {high}]" if low and x.low != x.high else value


def experiment_tables(x: Any, data: str, design: str) -> list[Table]:
    """Two tables: what the folds say of models to come, and the sum of the folds."""
    cells = cells_by_place(x)[data, design]
    if not cells:
        return []
    measures = chief_measures([x[names_of(c)] for c in cells])
    to_come = {(c.model, m): x.estimate(*names_of(c), measure=m) for c in cells for m in measures}
    methods = list(dict.fromkeys(e.method for e in to_come.values() if e.method and e.method != "none"))
    rests_on_rows = all("test rows alone" in e.note for e in to_come.values())
    head = ("model", *measures)
    out = []
    if not rests_on_rows:
        rows = [(visible(c.model), *(number(to_come[c.model, m]) for m in measures)) for c in cells]
        trained = round(sum(f.train for f in cells[0].folds if f.outer) / max(1, sum(f.outer for f in cells[0].folds)))
        title = f"For models to come (trained on {count(trained)} rows), {percent(x.confidence)} intervals"
        if x.plan["designs"][design]["kind"] in ("NestedFolds", "Bootstrap"):
            title = f"For models to come (trained on all rows), {percent(x.confidence)} intervals"
        out.append(Table(title, head, "l" * len(head), rows, spare=max(0, len(measures) - 1), note=_rests(methods)))
    rows = [(visible(c.model), *(number(x[names_of(c)][m]) for m in measures)) for c in cells]
    times = cells[0].times
    note = "Rests on the test rows, and on the models that were trained."
    if times > 1.0001:
        note += f" Rows were tested {times:.3g} times and count once."
    title = f"Sum of the folds, {count(cells[0].distinct)} test rows"
    if sum(f.outer for f in cells[0].folds) == 1:
        title = f"On {count(cells[0].distinct)} test rows"
    out.append(Table(title, head, "l" * len(head), rows, spare=max(0, len(measures) - 1), note=note))
    return out


def _rests(methods: Sequence[str]) -> str:
    shown = [visible(m) for m in methods[:2]]
    why = next((why for name, why in MEANS.items() if methods and methods[0].startswith(name)), "")
    told = " / ".join(shown)
    return f"Rests on {why} ({told})." if why else f"Rests on: {told}."


def experiment_sentences(x: Any, data: str, design: str) -> list[str]:
    """Who leads, and what may not be concluded from it."""
    cells = cells_by_place(x)[data, design]
    if len(cells) < 2:
        return []
    measure = chief_measures([x[names_of(c)] for c in cells])[0]
    better = find(measure).better
    found = [(c.model, x.estimate(*names_of(c), measure=measure)) for c in cells]
    told = [(name, e) for name, e in found if e.value is not None]
    if len(told) < 2 or better not in ("higher", "lower"):
        return []
    told.sort(key=lambda pair: -pair[1].value if better == "higher" else pair[1].value)
    (first, best), (second, next_best) = told[:2]
    line = f"{visible(first)} has the best {measure} ({number(best)}), before {visible(second)} ({number(next_best)})."
    if number(best).split(" ")[0] == number(next_best).split(" ")[0]:
        line = (
            f"{visible(first)} and {visible(second)} share the best {measure} ({number(best)} and {number(next_best)})."
        )
    warning = "Being the best of several is partly luck, and overlapping intervals are no test of a difference."
    return [line, warning]


def experiment_notes(x: Any) -> list[str]:
    """Rows left out, duplicated rows, warnings and fallbacks by model, failures, and what is not done yet."""
    out = []
    for name, facts in x.plan["data"].items():
        if facts.get("dropped"):
            out.append(f"{visible(name)}: {count(facts['dropped'])} rows with missing values were left out.")
    for data, design, share in x.plan.get("duplicates", []):
        out.append(
            f"{visible(data)}, {visible(design)}: {percent(round(share, 4))} of the test rows have the same features as a "
            "training row, which flatters every model; if they are the same case, name what they share as group."
        )
    said: Counter[tuple[str, str]] = Counter()
    kept: Counter[str] = Counter()
    for cell in x.cells:
        for fold in cell.folds:
            trained = x.keeper.get(fold.key)
            if trained is not None:
                kept[cell.model] += 1
                said.update((cell.model, note) for note in trained.notes)
    for (model, note), times in said.items():
        where = "" if times == kept[model] else f" (in {times} of {kept[model]} folds)"
        out.append(f"{visible(model)}: {visible(note)}{where}")
    failures = x.failures
    if failures:
        by_model = Counter(f["model"] for f in failures)
        who = ", ".join(f"{n} of {visible(m)}" for m, n in by_model.items())
        out.append(f"{len(failures)} folds failed ({who}); the first: {visible(failures[0]['error'])}")
    missing = x.total - x.done - len(failures)
    if missing > 0:
        out.append(f"{count(x.done)} of {count(x.total)} folds are done; the numbers rest on these.")
    return out


def experiment_text(x: Any) -> str:
    """The experiment as plain text, 80 columns wide."""
    blocks: list[list[str]] = []
    for data, design in cells_by_place(x):
        blocks.append(wrap(headline(x, data, design), WIDTH, "", "  "))
        for t in experiment_tables(x, data, design):
            blocks.append([*table_lines(replace(t, note="")), *wrap(t.note, WIDTH, "  ", "  ")])
        blocks.append([line for s in experiment_sentences(x, data, design) for line in wrap(s, WIDTH, "", "  ")])
    for cell in x.cells:
        told = tuned(x, cell)
        if told:
            blocks.append([line for s in told for line in wrap(s, WIDTH, "", "  ")])
    blocks.append([line for n in experiment_notes(x) for line in wrap(n, WIDTH, "Note: ", "      ")])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def tuned(x: Any, cell: Any) -> list[str]:
    """What a search saw and what it is worth, where the model is one."""
    if not x.is_search(*names_of(cell)):
        return []
    try:
        return [f"{visible(cell.model)}: {s}" for s in x.tuning(*names_of(cell)).sentences()]
    except NotAvailable:
        return []


def experiment_html(x: Any) -> str:
    """The experiment as plain HTML for a notebook."""
    parts = []
    for data, design in cells_by_place(x):
        parts.append(f"<p><strong>{escape(headline(x, data, design))}</strong></p>")
        parts += [small_table(t) for t in experiment_tables(x, data, design)]
        if cells_by_place(x)[data, design]:
            parts.append(f'<div style="max-width:620px">{experiment_chart(x, None, data, design).svg()}</div>')
        parts += [f"<p>{escape(s)}</p>" for s in experiment_sentences(x, data, design)]
    parts += [f"<p>Note: {escape(n)}</p>" for n in experiment_notes(x)]
    return f"<div>{''.join(parts)}</div>"


def experiment_chart(x: Any, measure: str | None, *names: str) -> Chart:
    """The models below one another: a small ring for each fold, a dot with its interval for models to come."""
    places = cells_by_place(x)
    chosen = [place for place in places if all(n in place for n in names)]
    if len(chosen) != 1:
        message = "The picture shows one data set under one design."
        raise NotAvailable(
            message, f"Name them, for example chart(measure, {', '.join(map(repr, next(iter(places))))})."
        )
    cells = places[chosen[0]]
    if not cells:
        message = "No fold is done yet."
        raise NotAvailable(message, "Let the experiment go on.")
    measure = measure or chief_measures([x[names_of(c)] for c in cells])[0]
    marks: list[Mark] = []
    rows: list[tuple[str, Estimate]] = []
    seen: list[float] = []
    columns: dict[str, list[Any]] = {"model": [], "what": [], "value": [], "low": [], "high": []}
    for i, cell in enumerate(cells):
        e = x.estimate(*names_of(cell), measure=measure)
        values = [v for v in x.values(*names_of(cell), measure=measure) if v is not None]
        if len(values) > 1 and x.plan["designs"][cell.design]["kind"] != "LeaveOneOut":
            # Folds lie a little below the line of the interval, so that neither hides the other.
            marks += [Point(v, i + 0.24, 1, "ring", 2.4) for v in values]
            seen += values
            columns["model"] += [cell.model] * len(values)
            columns["what"] += ["fold"] * len(values)
            columns["value"] += values
            columns["low"] += [None] * len(values)
            columns["high"] += [None] * len(values)
        if e.value is not None:
            marks.append(Point(e.value, float(i) - 0.08, 0, "circle", 5, e.low, e.high))
            seen += [v for v in (e.value, e.low, e.high) if v is not None]
        for key, value in zip(columns, (cell.model, "estimate", e.value, e.low, e.high), strict=True):
            columns[key].append(value)
        rows.append((f"{visible(cell.model)}  {number(e)}", e))
    labels = tuple(name for name, _ in rows)
    up = Scale(len(labels) - 0.5, -0.5, "", "names", labels)
    title = f"{measure} of {'the models' if len(rows) > 1 else visible(cells[0].model)}, fold by fold"
    said = f"{title}: {'; '.join(labels)}."
    size = (680.0, max(130.0, 80 + 44.0 * len(labels)))
    legend = (("for models to come", 0), ("one fold", 1))
    return Chart("experiment", title, wide_enough(seen, measure), up, tuple(marks), said, columns, legend, size)
