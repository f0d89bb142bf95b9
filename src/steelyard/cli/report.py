"""steelyard report: one offline page, or Markdown or JSON, from a file of predictions."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.evidence import options, payoff_given, read
from steelyard.cli.opening import name_of, opened
from steelyard.cli.stories import number_or_text
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import check_free, command_line, progress, wrote
from steelyard.errors import BadLevels, NotAvailable, UsageError
from steelyard.payoffs.kinds import KINDS

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.evaluation import Evaluation

EPILOG = """\b
Examples:
  steelyard report preds.csv --target y --score p
  steelyard report preds.csv --target y --score p --profit profit.toml
  steelyard report preds.csv --target y --score p --segment region --slices
  steelyard report preds.csv --target y --score knn=p1 --score tree=p2
  steelyard report preds.csv --target y --score p -o report.md
  steelyard report march.json -o march.html
  steelyard report june.csv --target y --score p --reference january.csv
  steelyard report results/ --order newest
  steelyard report customers.csv --target churned --score p \\
      --group arm --control random

More: steelyard help report"""


@click.command("report", short_help="Write a report: one offline page, Markdown or JSON.", epilog=EPILOG)
@click.argument("file")
@options("target")
@options("models' scores", "classes", "prediction", "positive", "weight", "weights", "unit", "segment", "level", *KINDS)
@options("value", "decide", "validation", "threshold", "confidence", "missing_or_corrected", "exact", "kind")
@options("query", "labels", "on", "spark", "written")
@flag("--slices", "Look through all other columns for rows on which it fails.")
@takes("--reference", "FILE", "Hold every column against these rows: is it going stale?")
@takes("--group", "COLUMN", "Which arm of a control group a row belongs to: does it help?")
@takes("--control", "LEVEL", "With --group: the arm that was left alone.")
@takes("--direction", ["lower", "higher"], "With --group: which target is good.")
@takes("--title", "TEXT", "The headline.  [default: the file, or the names of the models]")
@takes("--order", ["worst", "newest"], "Of a folder: what comes first.")
@takes("-o --output", "FILE", "Where to write: .html, .md or .json.  [default: report.html]")
@options("force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Write a report of a FILE of predictions: how good, how sure, where it fails, which threshold, what it is worth.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more. Of a folder without --target it is an index:
    saved evaluations, pages and the experiments of a store, with what each concludes.
    """
    from steelyard.reports.writing import ENDINGS, write_report

    if os.path.isdir(file) and given["target"] is None:
        _index(file, given)
        return
    output = given["output"] or "report.html"
    check_free(output, force=given["force"])
    if Path(output).suffix.lower() not in ENDINGS:
        message = f'A report is written as .html, .md or .json, and "{output}" is none of these.'
        raise UsageError(message, "Name the file so that its ending says which.")
    _check_in_use(file, given)
    with progress("Counting rows …", quiet=given["quiet"] or given["no_progress"]):
        data = file if file == "-" or file.lower().endswith(".json") else opened(file, given)
        models = models_of(data, given)
        compared = _compared(data, given) if len(models) > 1 else None
        found = _slices(data, given) if given["slices"] else None
        in_use = _in_use(data, given)
    title = given["title"] or name_of(file)
    told = command_line()
    write_report(models, output, title=title, command=told, slices=found, in_use=in_use, comparison=compared)
    if not given["quiet"]:
        wrote(output, f" ({os.path.getsize(output) / 1000:,.0f} kB)")


def _index(folder: str, given: dict[str, Any]) -> None:
    """An index over what lies in a folder; it stands in the folder itself unless another place is named."""
    from steelyard.reports.index import counted, write_index
    from steelyard.reports.writing import check_ending
    from steelyard.saved.found import found_in

    output = given["output"] or str(Path(folder) / "index.html")
    check_ending(output)
    check_free(output, force=given["force"])
    with progress("Reading results …", quiet=given["quiet"] or given["no_progress"]):
        found = found_in(folder, but=output)
        inside = Path(os.path.relpath(folder, Path(output).parent))
        entries = [replace(e, page=(inside / e.page).as_posix()) if e.page else e for e in found]
        write_index(
            entries, output, place=folder, order=given["order"], title=given["title"] or "", command=command_line()
        )
    if not given["quiet"]:
        wrote(output, f": {counted(entries)}".removesuffix("."))


def models_of(file: object, given: dict[str, Any]) -> dict[str, Evaluation]:
    """One evaluation, or one for each model that a score was named for."""
    scores = given["score"]
    if given["classes"] or len(scores) < 2:
        return {"model": read(file, given)}
    if file == "-":
        message = "Several models are read from a file, and standard input can be read once only."
        raise UsageError(message, "Save it as a file first.")
    models: dict[str, Evaluation] = {}
    for text in scores:
        name, mark, column = text.partition("=")
        if not mark or not name or not column:
            message = f'--score "{text}" does not say of which model: with several models write --score NAME=COLUMN.'
            raise UsageError(message, "For example --score knn=p1 --score tree=p2; for scores of levels add --classes.")
        if name in models:
            message = f'The model "{name}" was given two scores.'
            raise UsageError(message, "Give each model a name of its own.")
        try:
            models[name] = read(file, {**given, "score": (column,)})
        except BadLevels as problem:
            hint = "If these are scores of levels and not of models, add --classes."
            raise BadLevels(problem.message, hint) from None
    return models


def _compared(data: object, given: dict[str, Any]) -> Comparison | None:
    """The paired tests of the models; None where rows are counted in a way that no test follows."""
    from steelyard import compare
    from steelyard.cli.columns import kinds_of, positive_of

    columns = dict(text.split("=", 1) for text in given["score"])
    told = {k: given[k] for k in ("target", "weight", "weights", "unit", "kind", "missing", "threshold", "confidence")}
    told |= {
        "positive": positive_of(given, kinds_of(data)),
        "profit": payoff_given(given),
        "value": given["value"] or None,
    }
    try:
        return compare(data, score=columns, **{k: v for k, v in told.items() if v is not None})
    except NotAvailable:
        return None


def _check_in_use(file: str, given: dict[str, Any]) -> None:
    """Refuse what cannot be meant before any row is counted."""
    wanted = [name for name in ("reference", "group") if given[name] is not None]
    if (given["group"] is None) != (given["control"] is None):
        message = "A control group needs both --group and --control, and one of them came."
        raise UsageError(message, "For example --group arm --control random.")
    if wanted and (file == "-" or file.lower().endswith(".json")):
        message = f"--{wanted[0]} looks at a file of rows."
        raise UsageError(message, f"Name a CSV or Parquet file, or leave --{wanted[0]} out.")
    if given["group"] is not None and given["weight"] is not None:
        message = "A control group is judged by rows that count alike, and --weight came."
        raise UsageError(message, "Leave --weight out, or use steelyard trial for the control group.")


def _in_use(file: object, given: dict[str, Any]) -> dict[str, Any]:
    """How the rows stand against a reference, and whether acting on the score helps, where that was asked for."""
    from steelyard import stability, trial

    found: dict[str, Any] = {}
    if given["reference"] is not None:
        found["stability"] = stability(
            opened(given["reference"], given), file, weight=given["weight"], unit=given["unit"]
        )
    if given["group"] is not None:
        one = given["score"][0].rpartition("=")[2] if len(given["score"]) == 1 else None
        roles = {"group": given["group"], "outcome": given["target"], "unit": given["unit"], "score": one}
        found["trial"] = trial(
            file,
            **roles,
            control=number_or_text(given["control"]),
            direction=given["direction"],
            missing=given["missing"] or "refuse",
        )
    return found


def _slices(file: object, given: dict[str, Any]) -> Any:
    from steelyard import slices
    from steelyard.cli.columns import kinds_of, positive_of

    if isinstance(file, str) and (file == "-" or file.lower().endswith(".json")):
        message = "Slices are looked for in a file of rows."
        raise UsageError(message, "Name a CSV or Parquet file, or leave --slices out.")
    if len(given["score"]) > 1:
        message = "Slices are looked for with one model."
        raise UsageError(message, "Give one --score, or leave --slices out.")
    return slices(
        file,
        score=given["score"][0] if given["score"] else None,
        positive=positive_of(given, kinds_of(file)),
        threshold=0.5 if given["threshold"] is None else given["threshold"],
        **{k: given[k] for k in ("target", "prediction", "weight", "weights", "unit", "missing", "kind")},
    )
