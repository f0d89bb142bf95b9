"""steelyard compare: saved evaluations, a file of predictions or a store of experiments in, verdicts out."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.opening import ASKED, WRITTEN, keys_of, opened
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, check_outputs, command_line, draw, picture_of, progress, wrote
from steelyard.errors import UsageError, listing
from steelyard.payoffs.kinds import KINDS

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparison import Comparison
    from steelyard.comparisons.ranks import Ranking

EPILOG = """\b
Examples:
  steelyard compare march.json april.json
  steelyard compare old=a.json new=b.json --margin 0.01
  steelyard compare preds.csv --target y --score knn=p1 --score tree=p2
  steelyard compare preds.csv --target y --score knn=p1 --score tree=p2 \\
      --chart crossing=where.svg
  steelyard compare knn.csv tree.csv --target y --score p --on id
  steelyard compare runs/
  steelyard compare runs/ --model tree --model knn --report which.html
  steelyard compare results.csv --ranks --better higher

More: steelyard help compare"""
JUDGED = ("measure", "margin", "control", "correction", "over", "report")
ROLES = ("target", "score", "prediction", "positive", "weight", "weights", "unit")
TAKES: dict[str, tuple[str, ...]] = {
    "results": ("ranks", "model", "control", "better", "latex"),
    "store": ("model", "run", *JUDGED),
    "saved": ("paired", *JUDGED),
    "rows": (*ROLES, *ASKED, "threshold", *KINDS, "kind", "missing", *JUDGED),
}
"""Options that make sense for each form; those that are not here go with all."""
WORDS = {
    "results": "a table of results (--ranks)",
    "store": "the store of an experiment",
    "saved": "saved evaluations",
    "rows": "files of predictions",
}


@click.command("compare", short_help="Tell which model is better, by the right test.", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("target")
@takes("--score", "NAME=COLUMN", "The score of a model; for each model once.", multiple=True)
@takes("--prediction", "NAME=COLUMN", "Labels or numbers of a model, for each once.", multiple=True)
@takes(
    "--on --key key",
    "KEY",
    "What names the rows: of a file for each model, or of --labels (KEY or HERE=THERE; repeat).",
    multiple=True,
)
@options("positive", "weight", "weights", "unit", "threshold", "profit", "cost", "kind", "missing")
@takes("--model", "NAME", "Compare these models (or data sets) only; repeat.", multiple=True)
@takes("--run", "NAME", "The experiment of a store.  [default: the latest]")
@takes("--measure", "NAME", "Compare by this measure; repeat.  [default: the chief ones]", multiple=True)
@takes(
    "--margin",
    "NUMBER",
    "The largest difference that does not matter: 0.01, or auc=0.01,brier=0.005; repeat.",
    multiple=True,
)
@takes("--control", "NAME", "Compare all others with this one instead of all pairs.")
@takes("--correction", ["bonferroni", "holm", "benjamini-hochberg", "none"], "For the number of pairs.")
@takes("--over", ["pairs", "everything"], "Count looks over the pairs of a measure, or over all measures too.")
@flag("--paired", "Saved evaluations are of the same rows, counted with --unit.")
@flag("--ranks", "FILE holds a column of results for each model and a row for each data set.")
@takes("--better", ["higher", "lower"], "Of such results.")
@flag("--latex", "Print the table of ranks for LaTeX.")
@options("confidence", "query", "labels", "spark", "written")
@options("report", "picture", "json", "output", "rest", "force", "quiet", "progress")
def command(files: tuple[str, ...], **given: Any) -> None:
    """Tell which model is better: how much, how sure, and by which test.

    FILES are saved evaluations (.json, different test sets), one file of predictions (same rows), one file for each model
    joined by --on, or the store of an experiment (same folds). A file of predictions may be the address of a database;
    the columns that are named come from there.
    """
    check_outputs(given)
    form = _form(files, ranks=given["ranks"], rows=given["target"] is not None)
    _check_options(form)
    told = command_line()
    with progress("Comparing …", quiet=given["quiet"] or given["no_progress"]):
        found = _ranking(files, given) if given["ranks"] else _comparison(files, given, form)
        text = _text(found, given)
    if given["report"]:
        found.report(given["report"], command=told)
    if given["chart"]:
        name = picture_of(given["chart"])[0]
        draw({name or "differences": _picture(found, name)}, given)
    conclude(found, text, given)
    if given["report"] and not given["quiet"]:
        wrote(given["report"])


def _picture(found: Comparison | Ranking, name: str) -> Chart:
    """The differences in a measure, a chart of all models at once, or where the ROC curves of the first two cross."""
    from steelyard.comparisons.ranks import Ranking

    if isinstance(found, Ranking):
        if name:
            message = f'Ranks have one chart, and "{name}" was asked for.'
            raise UsageError(message, "Leave the name out.")
        return found.chart()
    models = list(found.evaluations)
    return found.crossing(*models[:2]).chart() if name == "crossing" else found.chart(name or None)


def _text(found: Comparison | Ranking, given: dict[str, Any]) -> str:
    from steelyard.comparisons.ranks import Ranking
    from steelyard.views.document import plain
    from steelyard.views.layout import wrap

    if given["as_json"]:
        return as_document(plain(found.to_dict()))
    if not isinstance(found, Ranking):
        return str(found)
    if given["latex"]:
        return found.latex()
    ranks = "\n".join(f"  {found.rank(n):6.3f}  {n}" for n in found.order)
    return "\n".join(wrap(found.paragraph(), 80, "", "")) + f"\n\nMean ranks (1 is best)\n{ranks}"


def _form(files: tuple[str, ...], *, ranks: bool, rows: bool) -> str:
    """What was named: a table of results, a store, saved evaluations, or predictions; mixtures are refused."""
    from steelyard.files.addresses import without_secrets

    if ranks:
        return "results"
    paths = [_named(f)[1] for f in files]
    # A folder with other things in it than a store holds predictions where a target was named.
    folders = {p: os.listdir(p) for p in paths if os.path.isdir(p)}
    stores = [p for p, inside in folders.items() if not rows or not inside or "store.json" in inside]
    saved = [p for p in paths if p.lower().endswith(".json") and p not in stores]
    if stores and len(paths) > 1:
        others = [without_secrets(p) for p in paths if p not in stores]
        message = f"{len(stores)} stores came, and models are compared within one."
        if others:
            message = f"A store ({stores[0]}) and other files ({others[0]}) came together."
        raise UsageError(message, "Name one store; its models were tested on the same folds.")
    if saved and len(saved) < len(paths):
        other = next(without_secrets(p) for p in paths if p not in saved)
        message = f"A saved evaluation ({saved[0]}) and a file of predictions ({other}) came together."
        raise UsageError(message, f"Evaluate {other} and --save it, or name files of predictions only.")
    return "store" if stores else "saved" if saved else "rows"


def _check_options(form: str) -> None:
    """Refuse options that do not apply to what was named, rather than pass over them."""
    context = click.get_current_context()
    every = {name for names in TAKES.values() for name in names}
    said = click.core.ParameterSource.COMMANDLINE
    wrong = [name for name in sorted(every - set(TAKES[form])) if context.get_parameter_source(name) is said]
    if not wrong:
        return
    fits = [WORDS[f] for f, names in TAKES.items() if wrong[0] in names]
    message = f"--{'on' if wrong[0] == 'key' else wrong[0]} does not apply to {WORDS[form]}."
    last = f" or {fits[-1]}" if len(fits) > 1 else fits[-1]
    raise UsageError(message, f"Leave it out; it goes with {', '.join(fits[:-1])}{last}.")


def _comparison(files: tuple[str, ...], given: dict[str, Any], form: str) -> Any:
    from steelyard import compare

    shared: dict[str, Any] = {
        "measures": [m.strip() for text in given["measure"] for m in text.split(",") if m.strip()] or None,
        "margin": margins(given["margin"]),
        "confidence": 0.95 if given["confidence"] is None else given["confidence"],
        "correction": given["correction"],
        "over": given["over"],
        "control": given["control"],
    }
    named = [_named(f) for f in files]
    if form == "store":
        from steelyard.experiments.keeping import Folder
        from steelyard.experiments.result import open_experiment

        x = open_experiment(named[0][1], given["run"])
        found = compare(x, models=given["model"], **shared)
        runs = list(Folder(named[0][1], writing=False).plans())
        if len(runs) > 1 and given["run"] is None:
            latest, others = listing([x.name]), listing([n for n in runs if n != x.name])
            held = f"The store holds {len(runs)} experiments, and {latest}, the latest, was compared"
            found.remarks.append(f"{held}; --run takes another: {others}.")
        return found
    if form == "saved":
        return compare(_evaluations(named), paired=given["paired"] or None, **shared)
    return compare(**_rows(named, given), **shared)


def _named(text: str) -> tuple[str, str]:
    """NAME=FILE, or a file that is called by its own name."""
    from steelyard.files.addresses import SURELY, without_secrets

    name, mark, path = text.partition("=")
    # What comes before the mark in an address, or in a folder such as day=3, is no name.
    plain = name and not re.search(r"[/:?\s]", name.strip()) and not SURELY.search(name.lower())
    if mark and plain and not os.path.exists(text):
        return name, path
    safe = without_secrets(text)
    return (re.search(r"[?&]table=([^&]+)", safe) or [None, Path(safe).stem])[1] or safe, text


def _evaluations(named: list[tuple[str, str]]) -> dict[str, Any]:
    from steelyard.saved.load import load_evaluation

    names = [n for n, _ in named]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        message = f"Two files go by the name {listing(twice)}."
        raise UsageError(message, "Name them: old=a.json new=b.json.")
    return {name: load_evaluation(path) for name, path in named}


def _rows(named: list[tuple[str, str]], given: dict[str, Any]) -> dict[str, Any]:
    """A file of predictions with a column for each model, or a file for each model."""
    from steelyard.cli.columns import kinds_of, payoff_of, positive_of

    if given["target"] is None:
        message = "No target was given."
        raise UsageError(message, "Name the column of what really happened: --target COLUMN.")
    role = "score" if given["score"] else "prediction"
    columns = given[role]
    if not columns or (given["score"] and given["prediction"]):
        message = "Either a score or a prediction of each model was expected."
        raise UsageError(message, "For example --score knn=p1 --score tree=p2.")
    keys = keys_of(given["key"])
    one = len(named) == 1
    if not one and len(keys) != 1:
        what = "several columns that name" if keys else "nothing that names"
        message = f"{len(named)} files were given, and {what} their rows."
        raise UsageError(message, "Say which column does: --on COLUMN; or put all predictions into one file.")
    # Files of several models are joined by the key themselves; it is also that of labels, where there are any.
    about = ASKED if one or given["labels"] is not None else ("query", "spark", *WRITTEN)
    tables = {name: opened(path, given, only=about) for name, path in named}
    kinds = kinds_of(next(iter(tables.values())))
    out: dict[str, Any] = {"target": given["target"], "weight": given["weight"], "weights": given["weights"]}
    out |= {"unit": given["unit"], "missing": given["missing"], "kind": given["kind"]}
    if given["profit"] or given["cost"]:
        out["profit"] = payoff_of(given["profit"], given["cost"], levels=given.get("level") or ())
    if given["threshold"] is not None:
        out["threshold"] = given["threshold"]
    if given["positive"] is not None:
        out["positive"] = positive_of(given, kinds)
    if one:
        return out | {"data": next(iter(tables.values())), role: by_name(columns, role)}
    column = columns[0].rpartition("=")[2] if len(columns) == 1 else None
    scores = {n: column for n, _ in named} if column else by_name(columns, role)
    return out | {"data": tables, role: scores, "on": next(iter(keys))}


def by_name(columns: tuple[str, ...], role: str) -> dict[str, str]:
    """NAME=COLUMN for each model; a column alone is called by its own name."""
    out: dict[str, str] = {}
    for text in columns:
        name, mark, column = text.partition("=")
        key, value = (name, column) if mark else (text, text)
        if key in out:
            message = f'The model "{key}" was given two columns.'
            raise UsageError(message, "Give each model a name of its own.")
        out[key] = value
    if len(out) < 2:
        message = f"A comparison needs at least two models, and one was given: {listing(out)}."
        raise UsageError(message, f"Name another: --{role} NAME=COLUMN.")
    return out


def margins(texts: Sequence[str]) -> Any:
    """A margin for all measures, margins by name, or both; the later counts where a name comes twice.

    >>> margins(["0.01"]), margins(["auc=0.01,brier=0.005"]), margins(["0.02", "auc=0.01"])
    ({'all': 0.01}, {'auc': 0.01, 'brier': 0.005}, {'all': 0.02, 'auc': 0.01})
    """
    out: dict[str, float] = {}
    for text in texts:
        # A comma divides margins only where another name follows: 0,01 is one number.
        for part in filter(None, re.split(r",(?=[^,=]*=)", text)):
            name, mark, value = part.rpartition("=")
            out[name.strip() if mark else "all"] = number_of(value, f'The margin "{text}"')
    return out or None


def _ranking(files: tuple[str, ...], given: dict[str, Any]) -> Any:
    import numpy as np

    from steelyard.comparisons.ranks import friedman
    from steelyard.sources.in_memory import column_names, column_of, read_table

    if len(files) != 1:
        message = "Ranks are read from one file, with a column for each model and a row for each data set."
        raise UsageError(message, "Name that file.")
    table = read_table(files[0])
    names = [n for n in column_names(table) if column_of(table, n).dtype.kind in "iuf"]
    if given["model"]:
        names = list(given["model"])
    words = [n for n in column_names(table) if n not in names]
    values = np.stack([column_of(table, n).astype(np.float64) for n in names], axis=1)
    sets = [str(v) for v in column_of(table, words[0]).tolist()] if words else None
    confidence = 0.95 if given["confidence"] is None else given["confidence"]
    return friedman(values, names, given["better"], confidence, control=given["control"], sets=sets)
