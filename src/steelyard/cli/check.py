"""steelyard check: predictions, requirements and perhaps a champion in; met or not met, and an exit code, out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.evidence import options, read
from steelyard.cli.typed import takes
from steelyard.cli.writing import as_document, check_free, progress, put
from steelyard.errors import UsageError
from steelyard.files.writing import write_whole
from steelyard.payoffs.kinds import KINDS

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.gates.outcome import Outcome

NOT_MET = 1
SIGNS = "✓✗−…"
OWN = ("require", "against", "margin", "compare", "on", "junit")
EPILOG = """\b
Examples:
  steelyard check preds.csv --target y --score p --require 'auc >= 0.80'
  steelyard check preds.csv --target y --score p \\
      --require 'recall@0.5 >= 60%' --require 'ece <= 0.05' --junit gate.xml
  steelyard check flowers.csv --target species --prediction guess \\
      --require 'recall[setosa] >= 0.7' --require 'recall[macro] >= 0.7'
  steelyard check march.json --against champion.json --margin 0.01
  steelyard check march.json --against champion.json \\
      --compare auc --compare brier --margin auc=0.01 --margin brier=0.002

Exit codes: 0 all met, 1 some not met, 2 wrong usage, 3 input unusable.

More: steelyard help check"""


@click.command("check", short_help="Hold predictions against requirements and a champion.", epilog=EPILOG)
@click.argument("file")
@options("target", "score", "prediction", "positive")
@takes(
    "--require",
    "LIMIT",
    "What must be shown: 'auc >= 0.80', 'recall@0.5 >= 60%', 'recall[macro] >= 0.7'; repeat.",
    multiple=True,
)
@takes("--against", "FILE", "A champion: an evaluation saved as .json, or its predictions.")
@takes(
    "--margin",
    "NUMBER|MEASURE=NUMBER",
    "How much worse than the champion it may be, for all measures or one; repeat.",
    multiple=True,
)
@takes(
    "--compare",
    "MEASURE",
    "Compare this with the champion's, beside what is required; repeat.  "
    "[default: auc, hand_till_auc, rmse or accuracy]",
    multiple=True,
)
@takes("--on", ["interval", "point"], "Hold the whole interval against the limits, or the value alone.")
@options("threshold", "profit", "cost", "value", "decide", "weight", "weights", "unit", "level", "confidence")
@options("missing_or_corrected", "exact", "kind")
@takes("--junit", "FILE", "Write JUnit XML for a build server as well.")
@options("query", "labels", "key", "spark", "written")
@options("json", "output", "force", "quiet", "progress")
def command(file: str, **given: Any) -> int:
    """Hold a FILE of predictions against requirements, and against a champion.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more. A requirement is met when the whole
    interval keeps it; so is a comparison when the interval of the difference shows that the champion is better by the
    margin at most.
    """
    output, reports = given["output"], given["junit"]
    if reports == "-" or (output is not None and reports is not None and Path(output) == Path(reports)):
        message = f'"{reports}" cannot hold both the text and the JUnit XML.'
        raise UsageError(message, "Give --junit a file of its own.")
    check_free(output, force=given["force"])
    check_free(reports, force=given["force"])
    with progress("Checking …", quiet=given["quiet"] or given["no_progress"]):
        _check_asked(given)
        e, outcome = _outcome(file, given)
        text = _text(outcome, e, given)
    if reports is not None:
        from steelyard.gates.junit import junit

        write_whole(reports, junit(outcome, str(e.facts.get("source") or _named(file))) + "\n")
    put(output, text)
    return 0 if outcome.passed else NOT_MET


def _check_asked(given: dict[str, Any]) -> None:
    """What can be seen to be wrong before rows are counted."""
    from steelyard.gates.requirement import requirement_of, subject_of

    for text in given["require"]:
        requirement_of(text)
    for text in given["compare"]:
        subject_of(text)
    if given["against"] is None and not given["require"]:
        message = "Nothing was required."
        raise UsageError(message, "Say --require 'auc >= 0.80', for example, or name a champion: --against FILE.")
    if given["against"] is None and (given["margin"] or given["compare"]):
        came = " and ".join(f"--{name}" for name in ("margin", "compare") if given[name])
        message = f"There is no champion to compare with, and {came} came."
        raise UsageError(message, "Name the champion's evaluation: --against FILE.")
    if given["against"] == "-":
        message = "A champion cannot be read from standard input."
        raise UsageError(message, "Save its evaluation (steelyard evaluate … --save champion.json) and name the file.")


def _outcome(file: str, given: dict[str, Any]) -> tuple[Evaluation, Outcome]:
    from steelyard.gates.requirement import outcome_of

    rows = {k: v for k, v in given.items() if k not in OWN}
    e = read(file, rows)
    champion = None
    if given["against"] is not None:
        saved = given["against"].lower().endswith(".json")
        # What a saved champion is about, and where it cuts, is its own; what outcomes are worth is one for both.
        kept = {k: rows[k] for k in (*KINDS, "confidence")} if saved else rows
        champion = read(given["against"], kept)
    margin = list(given["margin"]) or None
    return e, outcome_of(e, list(given["require"]), champion, margin, compare=given["compare"], on=given["on"])


def _text(outcome: Outcome, evaluation: Evaluation, given: dict[str, Any]) -> str:
    if given["as_json"]:
        from steelyard.views.document import SCHEMA

        about = {"schema": SCHEMA, "source": evaluation.facts.get("source"), "champion": _named(given["against"])}
        return as_document({**about, **outcome.to_dict()}, 2)
    from steelyard.views.gate import outcome_text

    return outcome_text(outcome, letters=not _shows_signs(given["output"]), notes=not given["quiet"])


def _named(path: str | None) -> str | None:
    from steelyard.files.addresses import without_secrets

    return None if path is None else without_secrets(path)


def _shows_signs(output: str | None) -> bool:
    """Whether the place to which the text goes knows the signs; files are always UTF-8."""
    if output is not None and output != "-":
        return True
    try:
        SIGNS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
