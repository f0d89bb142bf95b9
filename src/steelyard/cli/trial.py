"""steelyard trial: a control group in, whether acting on the model helps out."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.opening import name_of, opened
from steelyard.cli.stories import number_or_text, tell
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, flag, takes
from steelyard.cli.writing import check_outputs, progress
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard trial customers.csv --group arm --control random \\
      --outcome churned --unit customer
  steelyard trial weeks.csv --group arm --control random \\
      --outcome churned --period week --counts --exposed 1000
  steelyard trial customers.csv --group arm --control random \\
      --outcome churned --unit customer --score p --report trial.html
  steelyard trial customers.csv --group arm --control hold \\
      --outcome churned --unit customer --planned hold=0.1,call=0.9

Before the start: steelyard trial-size. More: steelyard help trial"""
COLUMNS = ("group", "outcome", "unit", "period", "segment", "before", "score")
READ = ("treated", "value", "exposed", "positive")
"""Numbers where they read like one."""


@click.command("trial", short_help="Tell whether acting helps, from a control group.", epilog=EPILOG)
@click.argument("file")
@takes("--group", "COLUMN", "Which arm a row belongs to.", required=True)
@takes("--control", "LEVEL", "The arm that was left alone.", required=True)
@takes("--treated", "LEVEL", "The arm to compare it with, where there are several.")
@takes("--outcome", "COLUMN", "What became of it: 0/1, a number, or a count.", required=True)
@takes("--positive", "LEVEL", "The level of the outcome that counts, where it is told in words.")
@takes("--unit", "COLUMN", "Who was put into an arm; the unit of analysis.")
@takes("--period", "COLUMN", "The week or day of a row.")
@takes("--segment", "COLUMN", "Check the ratio of the arms by this as well.")
@takes("--value", "NUMBER|COLUMN", "What an outcome is worth.")
@takes("--before", "COLUMN", "The outcome before the start; the effect adjusted for it decides.")
@flag("--no-adjust", "Let the plain effect decide, --before or not.")
@takes("--score", "COLUMN", "The model's score: the effect by band of it.")
@takes("--bands", WHOLE_NUMBER, "Bands of the score.", default=10)
@takes("--planned", "ARM=SHARE,...", "The planned shares of the arms, or equal.")
@takes("--analysis", ["unit", "period"], "What is taken for independent.", default=None)
@flag("--independent", "Periods are independent: each has new units, drawn at random.")
@flag("--counts", "FILE holds one count for each period and arm.")
@takes("--exposed", "NUMBER|COLUMN", "With --counts: how many were in each arm.")
@takes("--direction", ["lower", "higher"], "Which outcome is good.")
@takes("--selection", "TEXT", "How the arms were chosen, where it was not at random.")
@takes("--cost", NUMBER, "What acting costs for each unit.")
@options("confidence", "missing", "page", "picture", "query", "labels", "on", "spark", "written")
@options("json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Tell whether acting helps, from a FILE with a control group: CSV, Parquet, or the address of a database."""
    from steelyard import trial
    from steelyard.sources.in_memory import read_table

    check_outputs(given)
    roles = {k: given[k] for k in COLUMNS if given[k] is not None}
    names = ("cost", "direction", "selection", "missing", "independent", "analysis", "bands")
    roles |= {k: given[k] for k in names if given[k] is not None}
    roles |= {k: number_or_text(given[k]) for k in READ if given[k] is not None}
    with progress("Counting …", quiet=given["quiet"] or given["no_progress"]):
        data = opened(file, given)
        source: dict[str, Any] = {"counts": read_table(data)} if given["counts"] else {"data": data}
        found = trial(
            **source,
            **roles,
            control=number_or_text(given["control"]),
            planned=planned_of(given["planned"]),
            adjust=not given["no_adjust"],
            confidence=0.95 if given["confidence"] is None else given["confidence"],
        )
    tell(found, given, "Does acting on it help?", found.charts, name_of(file))


def planned_of(text: str | None) -> Any:
    """The planned shares by arm, or the word that says that they are equal.

    >>> planned_of("hold=0.1,call=0.9"), planned_of("0=1, 1=2"), planned_of("equal")
    ({'hold': 0.1, 'call': 0.9}, {0: 1, 1: 2}, 'equal')
    """
    if text is None or text == "equal":
        return text
    parts = [part.strip().rpartition("=") for part in text.split(",")]
    if not all(name and share for name, _, share in parts):
        message = f'The planned shares "{text}" cannot be read.'
        raise UsageError(message, "Give one for each arm: --planned hold=0.1,call=0.9, or --planned equal.")
    return {number_or_text(name.strip()): number_or_text(share.strip()) for name, _, share in parts}
