"""steelyard sample-size: a difference in, the test rows that show it out; or the other way round."""

from __future__ import annotations

import json
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, flag, takes
from steelyard.cli.writing import check_free, put
from steelyard.errors import UsageError

EPILOG = """\b
Examples:
  steelyard sample-size accuracy --value 0.80 --difference 0.05
  steelyard sample-size accuracy --value 0.80 --difference 0.05 \\
      --paired --discordant 0.15
  steelyard sample-size auc --value 0.80 --difference 0.03 \\
      --prevalence 0.1 --paired --correlation 0.6
  steelyard sample-size accuracy --value 0.80 --rows 1000

More: steelyard help compare"""
OWN = ("rows", "as_json", "output", "force")
"""Options that say how to answer, and not what is planned."""


@click.command("sample-size", short_help="Tell how many test rows show a difference.", epilog=EPILOG)
@click.argument("measure")
@takes("--value", NUMBER, "What the model to beat reaches.")
@takes("--difference", NUMBER, "How much better the other one is, if it is.")
@takes("--rows", WHOLE_NUMBER, "Instead: which difference do so many rows show?")
@flag("--paired", "Both are tested on the same rows.")
@takes("--discordant", NUMBER, "Of shares, paired: the share of rows on which exactly one is right.")
@takes("--correlation", NUMBER, "Of AUCs, paired: how scores within a class go together.")
@takes("--deviation", NUMBER, "Of means: the standard deviation of a row's (paired) value.")
@takes("--skew", NUMBER, "Of means: the skew of that value; 0 is normal, 2 exponential.")
@takes("--prevalence", NUMBER, "The share of positives.  [default: 0.5]")
@takes("--power", NUMBER, "The chance to see it.", default=0.8)
@takes("--alpha", NUMBER, "The chance of a false alarm.", default=0.05)
@options("json", "output", "force")
def command(measure: str, **given: Any) -> None:
    """Tell how many test rows are needed to see a difference in a MEASURE, before they are collected."""
    from steelyard.comparisons.planning import detectable, sample_size
    from steelyard.views.layout import wrap

    check_free(given["output"], force=given["force"])
    what = {k: v for k, v in given.items() if k not in OWN and v is not None}
    if given["rows"] is not None:
        if given["difference"] is not None:
            message = "Both --rows and --difference were given, and one of them is to be found."
            raise UsageError(message, "Leave one of them out.")
        plan = detectable(measure, rows=given["rows"], **what)
    else:
        plan = sample_size(measure, **what)
    told = json.dumps(plan.to_dict(), ensure_ascii=False, indent=1) if given["as_json"] else "\n".join(wrap(str(plan)))
    put(given["output"], told)
