"""steelyard threshold: a file of scores and a goal in, where to cut out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options, read
from steelyard.cli.typed import NUMBER, takes
from steelyard.cli.writing import as_document, check_free, progress
from steelyard.errors import UsageError
from steelyard.payoffs.kinds import KINDS

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.thresholds import Threshold

CHOICES = "profit, f1, f_beta, accuracy, mcc, youden, ks or any other measure of labels"
EPILOG = """\b
Examples:
  steelyard threshold preds.csv --target y --score p --maximise f1
  steelyard threshold preds.csv --target y --score p --profit profit.toml
  steelyard threshold preds.csv --target y --score p \\
      --cost 'fn=500, fp=10' --constraint 'contacts <= 500'
  steelyard threshold preds.csv --target y --score p \\
      --maximise recall --constraint 'precision >= 60%' --validation part
  steelyard threshold preds.csv --target y --score p \\
      --minimise predicted_positive_rate --constraint 'recall >= 40%'
  steelyard threshold march.json --maximise f_beta --beta 2

More: steelyard help worth"""


@click.command("threshold", short_help="Find the best threshold for profit, cost or any measure.", epilog=EPILOG)
@click.argument("file")
@options("target", "one score", "positive")
@takes("--maximise", "GOAL", "profit, f1, f_beta, accuracy, mcc, ks …  [default: profit, with --profit]")
@takes("--minimise", "GOAL", "cost, error_rate …  [default: cost, with --cost]")
@options("profit", "cost")
@takes(
    "--constraint",
    "LIMIT",
    "Keep to a limit: 'contacts <= 500', 'precision >= 0.8', 'fpr <= 1%'; repeat.",
    multiple=True,
)
@options("validation")
@takes("--beta", NUMBER, "For f_beta: recall counts so many times as much.  [default: 2]")
@takes(
    "--over",
    ["regret", "worst", "mean"],
    "With ranges of amounts: lose least at worst, earn most at worst, or best in the middle.  [default: regret]",
    default=None,
)
@options("weight", "weights", "unit", "level", "value", "confidence", "missing_or_corrected", "exact")
@options("query", "labels", "on", "spark", "written")
@options("json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Find the threshold from which on rows should be flagged, with its interval.

    FILE is CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address of a database, - for CSV on
    standard input, or an evaluation saved as .json; steelyard help sources tells more. A threshold that is chosen on the
    rows on which it is judged looks better than it is: by how much is told, and --validation avoids it.
    """
    check_free(given["output"], force=given["force"])
    with progress("Choosing a threshold …", quiet=given["quiet"] or given["no_progress"]):
        goal = _goal(given)
        # What a saved evaluation knows is seen when it is read; of rows it is known before they are counted.
        if not file.lower().endswith(".json"):
            _check_paid(goal, given["profit"] or given["cost"])
        e = read(file, given)
        _check_paid(goal, e.payoff)
        found = _best(e, goal, given)
        text = _text(found, e, as_json=given["as_json"])
    conclude(found, text, given)


def _goal(given: dict[str, Any]) -> str | None:
    """The measure that was asked for, if its better side is the one that was asked for; None leaves it to the payoff."""
    more, less = given["maximise"], given["minimise"]
    if more is not None and less is not None:
        message = f"A threshold has one goal, and two came: --maximise {more} and --minimise {less}."
        raise UsageError(message, "Keep one of them, and hold the other within a limit by --constraint.")
    if more is None and less is None:
        if given["beta"] is not None:
            message = "--beta belongs to the measure f_beta, and no goal was given."
            raise UsageError(message, "Say --maximise f_beta as well.")
        return None
    from steelyard.measures.measure import find

    m = find(more if less is None else less)
    side = m.better or m.sought
    if (side == "lower" and more is not None) or (side == "higher" and less is not None):
        right, wrong = ("minimise", "maximise") if side == "lower" else ("maximise", "minimise")
        other = "".join(f" or --{wrong} {kind}" for kind in KINDS if m.name in KINDS and kind != m.name)
        message = f'"{m.name}" is better the {side} it is, so --{wrong} {m.name} cannot be meant.'
        raise UsageError(message, f"Say --{right} {m.name}{other}.")
    if given["beta"] is not None and "beta" not in m.options:
        message = f'--beta belongs to the measure f_beta, and the goal is "{m.name}".'
        raise UsageError(message, "Leave it out, or say --maximise f_beta.")
    if given["beta"] is not None and not 0 < given["beta"] < float("inf"):
        message = f"--beta must be a finite number above 0, and {given['beta']:g} came."
        raise UsageError(message, "2 counts recall twice as much as precision, 0.5 half as much.")
    return m.name


def _check_paid(goal: str | None, payoff: object) -> None:
    """Without a goal, or with one in money, it must be known what outcomes are worth."""
    if payoff is not None:
        return
    if goal is None:
        message = "Nothing was given to choose the threshold for."
        hint = f"Say --maximise and one of {CHOICES}, or what outcomes are worth: --profit FILE or --cost FILE."
        raise UsageError(message, hint)
    if goal in KINDS:
        message = f'"{goal}" needs to know what outcomes are worth.'
        raise UsageError(message, "Give --profit or --cost, a .toml or .csv file, or amounts: 'tp=140, fp=-700'.")


def _best(evaluation: Evaluation, goal: str | None, given: dict[str, Any]) -> Threshold:
    wanted = {"beta": given["beta"]} if given["beta"] is not None else {}
    ranged = evaluation.payoff is not None and evaluation.payoff.ranged and (goal is None or goal in KINDS)
    if given["over"] is not None and not ranged:
        message = f"--over {given['over']} says how ranges of amounts are weighed, and there are none."
        raise UsageError(message, "Leave it out, or write a range of amounts: --profit 'tp=100..180, fp=-700'.")
    return evaluation.best_threshold(
        goal, constraint=list(given["constraint"]), over=given["over"] or "regret", **wanted
    )


def _text(found: Threshold, evaluation: Evaluation, *, as_json: bool) -> str:
    if not as_json:
        return str(found)
    from steelyard.views.document import SCHEMA, plain

    document = {"schema": SCHEMA, "source": evaluation.facts.get("source"), **found.to_dict()}
    return as_document(plain(document), 2)
