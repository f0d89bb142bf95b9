"""steelyard timeliness: scored events of customers in, how early the model warns out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import numbers_of
from steelyard.cli.evidence import options
from steelyard.cli.opening import WRITTEN, name_of, opened
from steelyard.cli.stories import number_or_text, tell
from steelyard.cli.typed import NUMBER, takes
from steelyard.cli.writing import check_free, check_outputs, progress
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard timeliness events.csv --unit customer --time day --score p \\
      --outcome left --horizon '31 days'
  steelyard timeliness events.csv --unit customer --time scored_at \\
      --score p --outcome left --start 2024-03-01 --horizon '31 days'
  steelyard timeliness events.csv --unit customer --time day --score p \\
      --outcome left --horizon 31 --alert 0.5 --quiet-period 7
  steelyard timeliness events.csv --unit customer --time day --score p \\
      --against-score old_p --outcome left --horizon 31
  steelyard timeliness events.parquet --unit customer --time day \\
      --score p --outcome left --horizon 31 --before zero --report q.html

More: steelyard help timeliness, steelyard help monitor"""
ROLES = (
    *("unit", "time", "outcome", "horizon", "start", "time_unit", "outcomes", "outcome_time", "value"),
    *("kernel", "estimator", "missing", "outside"),
)


@click.command("timeliness", short_help="Tell how early a model warns.", epilog=EPILOG)
@click.argument("file")
@takes("--unit", "COLUMN", "Whom an event is about.", required=True)
@takes("--time", "COLUMN", "When: a number from 0 to the horizon, or with --start a date.", required=True)
@takes("--score", "COLUMN", "The score from then on, from 0 to 1.", required=True)
@takes(
    "--against-score",
    "COLUMN",
    "The score of another model at the same events: which warns better? Repeat for more.",
    multiple=True,
)
@takes("--outcome", "COLUMN", "What became of the customer, the same on each row.", required=True)
@takes("--horizon", "LENGTH", "How long the period is: 31, or '31 days'.", required=True)
@takes("--start", "MOMENT", "Where times are dates: when the period starts.")
@takes("--time-unit", "WORD", "What one of the times is called, such as days.")
@takes("--outcomes", "FILE", "Another file of customers and outcomes, those without events too.")
@takes("--outcome-time", "COLUMN", "When it happened; for lead times.  [default: the horizon]")
@takes("--value", "COLUMN", "What a customer is worth: Q by value, and value saved by alerts.")
@click.option(
    "--before",
    default="base rate",
    show_default=True,
    help="Score before the first event: base rate, zero, or a number.",
)
@takes("--kernel", ["declining", "uniform"], "What a moment counts.")
@takes("--base-rate", NUMBER, "The share with the outcome in the larger set of customers.")
@takes(
    "--estimator",
    ["exact", "period ends"],
    "The exact integral, or the paper's sum over period ends, with its bias told.",
)
@takes("--ends", "NUMBERS", "With --estimator 'period ends': 10,20,31, the last being the horizon.")
@takes("--alert", NUMBER, "Also tell lead times and false alarms at this threshold.")
@takes("--budget", NUMBER, "The same at the lowest threshold with at most so many alerts per unit of time.")
@takes("--quiet-period", NUMBER, "No second alert of a customer within this time.")
@options("positive", "confidence", "missing")
@takes(
    "--outside",
    ["refuse", "drop"],
    "An event outside the period: refuse the file, or leave it out and say so; its customer stays.",
)
@options("page", "picture", "query", "spark", "written", "json", "output", "rest")
@takes("--save", "FILE", "Save the sums as .json; steelyard add adds those of other customers.")
@options("force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell how early a model warns, from a FILE of scored events: CSV, Parquet, or the address of a database."""
    check_outputs(given)
    check_free(given["save"], force=given["force"])
    _check(given)
    with progress("Counting events …", quiet=given["quiet"] or given["no_progress"]):
        if given["outcomes"] is not None:
            given["outcomes"] = opened(given["outcomes"], given, only=("spark", *WRITTEN))
        scores = (given["score"], *given["against_score"])
        models = {score: _measured(opened(file, given), score, given) for score in scores}
        first = models[given["score"]]
        if len(models) > 1:
            from steelyard import compare

            found: Any = compare(models)
        else:
            found = first
            if given["alert"] is not None or given["budget"] is not None:
                alerts = first.alerts(given["alert"], budget=given["budget"], quiet=given["quiet_period"])
                found = first.with_alerts(alerts)
    if given["save"] is not None:
        first.save(given["save"])
    charts = lambda: {f"scores of {name}": t.chart("scores") for name, t in models.items()}  # noqa: E731
    tell(found, given, "Does it warn early enough?", charts, name_of(file))


def _check(given: dict[str, Any]) -> None:
    """Refuse what cannot be meant before any row is counted."""
    if given["save"] is not None and given["save"] in (given["output"], given["report"]):
        message = f'"{given["save"]}" cannot hold both the output and the saved sums.'
        raise UsageError(message, "Give --save a name of its own.")
    asked = [name for name in ("alert", "budget") if given[name] is not None]
    if len(asked) == 2:
        message = "--alert names a threshold and --budget looks for one; both came."
        raise UsageError(message, "Give one of the two.")
    if given["quiet_period"] is not None and not asked:
        message = "--quiet-period holds back alerts, and none were asked for."
        raise UsageError(message, "Add --alert THRESHOLD or --budget NUMBER.")
    several = given["against_score"]
    if several and (asked or given["save"] is not None):
        option = f"--{asked[0]}" if asked else "--save"
        message = f"{option} is about one model, and --against-score names another."
        raise UsageError(message, f"Compare the models first, then ask for {option} with the one you take.")
    if len({given["score"], *several}) <= len(several):
        message = "A model cannot be compared with itself: a score was named twice."
        raise UsageError(message, "Name another column: --against-score COLUMN.")


def _measured(data: object, score: str, given: dict[str, Any]) -> Any:
    from steelyard import timeliness

    return timeliness(
        data,
        score=score,
        **{k: given[k] for k in ROLES},
        ends=None if given["ends"] is None else numbers_of(given["ends"], "--ends"),
        before=number_or_text(given["before"]),
        base_rate=given["base_rate"],
        positive=None if given["positive"] is None else number_or_text(given["positive"]),
        confidence=0.95 if given["confidence"] is None else given["confidence"],
    )
