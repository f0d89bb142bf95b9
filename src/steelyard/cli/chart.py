"""steelyard chart: a file and the name of a chart in, a picture out; designs and figures need no file."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from steelyard.arguments.typed import number_of
from steelyard.cli.columns import separated
from steelyard.cli.evidence import options, payoff_given, read
from steelyard.cli.report import models_of
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, flag, takes
from steelyard.cli.writing import check_free, progress, wrote
from steelyard.errors import UsageError, listing

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart

EPILOG = """\b
Examples:
  steelyard chart preds.csv roc --target y --score p -o roc.svg
  steelyard chart preds.csv roc --target y --score p \\
      --thresholds 0.25,0.5,0.75
  steelyard chart preds.csv gain --target y --score p --counts
  steelyard chart preds.csv roc --target y --score knn=p1 --score tree=p2
  steelyard chart march.json april.json roc -o both.png
  steelyard chart runs/ roc
  steelyard chart --design kfold:10 -o folds.svg
  steelyard chart --cost 'tp=-39, fp=1' -o cost.svg
  steelyard chart card --confusion '6 3; 2 9' --layout 'positive first'
  steelyard chart --figure normal --confidence 0.9

More: steelyard help report"""
OWN = {name: name for name in ("thresholds", "counts", "bins", "show", "parts")} | {
    "measure": "measures",
    "of": "level",
}
"""Options of charts, and what they are called in Python."""


@click.command("chart", short_help="Draw a chart: SVG, PNG or Vega-Lite.", epilog=EPILOG)
@click.argument("what", nargs=-1, metavar="[FILE...] [NAME]")
@options("target")
@options(
    "models' scores",
    "classes",
    "prediction",
    "positive",
    "weight",
    "weights",
    "unit",
    "level",
    "profit",
    "cost",
    "value",
    "threshold",
)
@takes("--thresholds --at", "NUMBERS", "Name these points of a curve: 0.25,0.5,0.75.")
@flag("--counts", "Draw a curve in numbers of cases.")
@takes("--bins", WHOLE_NUMBER, "Bins of scores.  [default: as many as rows can fill]")
@takes("--measure", "NAME", "Show this measure; repeat.", multiple=True)
@takes("--show", "NAME", "Of deciles: gain, cumulative_gain, lift or cumulative_lift.")
@takes("--parts", WHOLE_NUMBER, "Of deciles: how many parts.  [default: 10]")
@takes("--of", "LEVEL", "One class against the rest; of --figure means arithmetic or harmonic.")
@takes("--design", "DESIGN", "Draw a design: kfold:10, holdout:0.3, loo, outoftime:COLUMN …")
@takes("--rows", WHOLE_NUMBER, "With --design: of so many rows.  [default: 100, or those of FILE]")
@takes("--figure", "NAME", "Draw a figure without data: means, normal, q0, q.")
@options("confusion", "layout", "confidence", "missing_or_corrected", "exact", "kind")
@options("query", "labels", "on", "spark", "written")
@takes("--width", NUMBER, "Draw it for this width; words keep their size.", metavar="PIXELS")
@flag("--dark", "A PNG on dark paper.")
@takes("-o --output", "FILE", "Where to write: .svg, .png or .json.  [default: NAME.svg]")
@options("force", "quiet", "progress")
def command(what: tuple[str, ...], **given: Any) -> None:
    """Draw the chart NAME of a FILE of predictions, of saved evaluations, or of the store of an experiment.

    FILE is CSV, Parquet or another kind of file, the address of a database, - for CSV on standard input, or what was saved as
    .json. A wrong NAME is answered with those that there are. --design, --figure, --confusion and --profit or --cost alone need
    no FILE.
    """
    from steelyard.charts.saving import check_ending

    if len(what) > 1 and os.path.exists(what[-1]) and not os.path.exists(what[0]):
        what = (*what[1:], what[0])  # whoever names the chart first means the same
    output = given["output"] or f"{_called(what, given)}.svg"
    check_free(output, force=given["force"])
    check_ending(output)
    with progress("Drawing …", quiet=given["quiet"] or given["no_progress"]):
        chart = _chart(what, given)
    if given["width"] is not None:
        chart = chart.sized(given["width"])
    chart.save(output, dark=given["dark"])
    if not given["quiet"]:
        wrote(output, f" ({os.path.getsize(output) / 1000:,.0f} kB)")


def _called(what: tuple[str, ...], given: dict[str, Any]) -> str:
    """What a file is called that nobody named."""
    if given["design"] is not None:
        return "design"
    if given["figure"] is not None:
        return str(given["figure"])
    if len(what) > 1 or (what and given["confusion"] is not None):
        return what[-1]
    return "cost" if given["cost"] else "profit"


def _chart(what: tuple[str, ...], given: dict[str, Any]) -> Chart:
    if given["figure"] is not None:
        return _figure(what, given)
    if given["design"] is not None:
        return _design(what, given)
    if not what and given["confusion"] is None and (payoff := payoff_given(given)) is not None:
        return payoff.chart()
    if given["confusion"] is not None or given["layout"] is not None:
        return _matrix(what, given)
    if len(what) < 2:
        came = f'"{what[0]}" came alone' if what else "neither came"
        message = f"A chart is drawn of a FILE by its NAME, and {came}."
        raise UsageError(message, "For example: steelyard chart preds.csv roc --target y --score p")
    *files, name = what
    asked = _options(given)
    if len(files) > 1:
        return _saved(files, name, asked)
    if os.path.isdir(files[0]) or _kind(files[0]) == "other":
        from steelyard import load

        _refuse(asked, "what was saved there")
        return _drawn(load(files[0]), name)
    models = models_of(files[0], given)
    if len(models) == 1:
        return _drawn(next(iter(models.values())), name, **asked)
    from steelyard.views.several import TOGETHER, together

    if name not in TOGETHER:
        message = f'"{name}" is no chart of several models; those are {listing(TOGETHER, 20)}.'
        raise UsageError(message, "Name one of these, or give one --score; differences are told by steelyard compare.")
    _refuse(asked, "several models")
    return together(models, name)


def _matrix(what: tuple[str, ...], given: dict[str, Any]) -> Chart:
    """A matrix that was typed, in the place of a file."""
    *file, name = what or ("",)
    found = read(file[0] if file else None, given)
    if not name:
        message = "A chart of a matrix is drawn by its NAME, and none came."
        raise UsageError(message, f"For example: steelyard chart card --confusion {shlex.quote(given['confusion'])}")
    return _drawn(found, name, **_options(given))


def _figure(what: tuple[str, ...], given: dict[str, Any]) -> Chart:
    from steelyard import figure

    if what:
        message = f'A figure needs no data, and "{what[0]}" came.'
        raise UsageError(message, f"Leave it out: steelyard chart --figure {given['figure']}")
    asked = {} if given["confidence"] is None else {"confidence": given["confidence"]}
    said = {"of" if name == "level" else name: value for name, value in _options(given).items()}
    return figure(given["figure"], **asked, **said)


def _design(what: tuple[str, ...], given: dict[str, Any]) -> Chart:
    """A design by itself, or over the rows of a file where it looks at columns."""
    from steelyard.cli.training import read_any
    from steelyard.designs.written import design_from_text
    from steelyard.sources.in_memory import number_of_rows

    _refuse(_options(given), "a design")
    design = design_from_text(given["design"])
    if len(what) > 1:
        message = f"A design is drawn over the rows of one file, and {listing(what)} came."
        raise UsageError(message, "Name one FILE, or none; a design has no chart to name.")
    if not what:
        return design.chart(given["rows"])
    table = read_any(what[0], given)
    rows = number_of_rows(table)
    if given["rows"] not in (None, rows):
        message = f'"{what[0]}" has {rows:,} rows, and --rows {given["rows"]} came.'
        raise UsageError(message, "Leave --rows out: the design is drawn over all rows of the file.")
    return design.chart(rows, data=table)


def _saved(files: list[str], name: str, asked: dict[str, Any]) -> Chart:
    """Saved evaluations side by side, each called by its file."""
    from steelyard import compare
    from steelyard.saved.load import load_evaluation

    rows = [f for f in files if not f.lower().endswith(".json")]
    if rows:
        message = (
            f"Several files are drawn together where they are saved evaluations (.json), and {listing(rows)} came."
        )
        hint = "Save each with steelyard evaluate --save, or take one file: --score NAME=COLUMN for each model."
        raise UsageError(message, hint)
    _refuse(asked, "several models")
    names = [os.path.splitext(os.path.basename(f))[0] for f in files]
    called = names if len(set(names)) == len(names) else files
    return compare({n: load_evaluation(f) for n, f in zip(called, files, strict=True)}).chart(name)


def _drawn(found: Any, name: str, **asked: Any) -> Chart:
    chart: Chart = found.chart(name, **asked)
    return chart


def _kind(file: str) -> str:
    """Whether a file holds something that was saved and is no evaluation."""
    if not file.lower().endswith(".json"):
        return "rows"
    from steelyard.saved.load import opened_saved

    saved = opened_saved(file)
    others = ("steelyard experiment", "steelyard timeliness")
    return "other" if any(saved.has(word) for word in others) else "evaluation"


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """What was said about the chart itself."""
    found = {python: given[typed] for typed, python in OWN.items() if given[typed] not in (None, (), False)}
    if "thresholds" in found:
        found["thresholds"] = [number_of(text, "--thresholds") for text in separated(found["thresholds"])]
    if "measures" in found:
        found["measures"] = list(found["measures"])
    return found


def _refuse(asked: dict[str, Any], of: str) -> None:
    typed = {python: name for name, python in OWN.items()}
    if asked:
        message = f"A chart of {of} takes no {listing([f'--{typed[name]}' for name in asked])}."
        raise UsageError(message, "Leave it out.")
