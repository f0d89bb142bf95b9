"""steelyard timeliness: scored events of customers in, how early the model warns out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.arguments.typed import numbers_of
from steelyard.cli.evidence import options
from steelyard.cli.opening import opened
from steelyard.cli.stories import number_or_text, tell
from steelyard.cli.typed import NUMBER
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
@click.option("--unit", required=True, metavar="COLUMN", help="Whom an event is about.")
@click.option(
    "--time", required=True, metavar="COLUMN", help="When: a number from 0 to the horizon, or with --start a date."
)
@click.option("--score", required=True, metavar="COLUMN", help="The score from then on, from 0 to 1.")
@click.option(
    "--against-score",
    metavar="COLUMN",
    multiple=True,
    help="The score of another model at the same events: which warns better? Repeat for more.",
)
@click.option("--outcome", required=True, metavar="COLUMN", help="What became of the customer, the same on each row.")
@click.option("--horizon", required=True, metavar="LENGTH", help="How long the period is: 31, or '31 days'.")
@click.option("--start", metavar="MOMENT", help="Where times are dates: when the period starts.")
@click.option("--time-unit", metavar="WORD", help="What one of the times is called, such as days.")
@click.option("--outcomes", metavar="FILE", help="Another file of customers and outcomes, those without events too.")
@click.option("--outcome-time", metavar="COLUMN", help="When it happened; for lead times.  [default: the horizon]")
@click.option("--value", metavar="COLUMN", help="What a customer is worth: Q by value, and value saved by alerts.")
@click.option(
    "--before",
    default="base rate",
    show_default=True,
    help="Score before the first event: base rate, zero, or a number.",
)
@click.option(
    "--kernel",
    type=click.Choice(["declining", "uniform"]),
    default="declining",
    show_default=True,
    help="What a moment counts.",
)
@click.option(
    "--estimator",
    type=click.Choice(["exact", "period ends"]),
    default="exact",
    show_default=True,
    help="The exact integral, or the paper's sum over period ends, with its bias told.",
)
@click.option("--ends", metavar="NUMBERS", help="With --estimator 'period ends': 10,20,31, the last being the horizon.")
@click.option("--alert", type=NUMBER, help="Also tell lead times and false alarms at this threshold.")
@click.option(
    "--budget", type=NUMBER, help="The same at the lowest threshold with at most so many alerts per unit of time."
)
@click.option("--quiet-period", type=NUMBER, help="No second alert of a customer within this time.")
@options("positive", "confidence", "missing")
@click.option(
    "--outside",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="An event outside the period: refuse the file, or leave it out and say so; its customer stays.",
)
@click.option("--report", metavar="FILE", help="Write a page as well: .html, .md or .json.")
@options("query", "spark", "json", "output")
@click.option("--save", metavar="FILE", help="Save the sums as .json; steelyard add adds those of other customers.")
@options("force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell how early a model warns, from a FILE of scored events: CSV, Parquet, or the address of a database."""
    check_outputs(given)
    check_free(given["save"], force=given["force"])
    _check(given)
    with progress("Counting events …", quiet=given["quiet"] or given["no_progress"]):
        if given["outcomes"] is not None:
            given["outcomes"] = opened(given["outcomes"], given, only=("spark",))
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
    tell(found, given, "Does it warn early enough?", charts)


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


def _measured(data: Any, score: str, given: dict[str, Any]) -> Any:
    from steelyard import timeliness

    return timeliness(
        data,
        score=score,
        **{k: given[k] for k in ROLES},
        ends=None if given["ends"] is None else numbers_of(given["ends"], "--ends"),
        before=number_or_text(given["before"]),
        positive=None if given["positive"] is None else number_or_text(given["positive"]),
        confidence=0.95 if given["confidence"] is None else given["confidence"],
    )
