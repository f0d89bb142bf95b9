"""steelyard trial-size: the smallest effect that matters in, the units that a trial needs to see it out."""

from __future__ import annotations

import json
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import NUMBER, flag, takes
from steelyard.cli.writing import check_free, put

EPILOG = """\b
Examples:
  steelyard trial-size 0.02 --share 0.14
  steelyard trial-size 0.02 --share 0.14 --treated 0.9
  steelyard trial-size 5 --rate 20
  steelyard trial-size 5 --rate 20 --independent
  steelyard trial-size 1.5 --deviation 12 --explained 0.5

More: steelyard help trial"""
ASKED = ("deviation", "rate", "share", "power", "alpha", "explained", "direction", "treated", "analysis", "independent")


@click.command("trial-size", short_help="Tell how many units a trial needs, before it starts.", epilog=EPILOG)
@click.argument("effect", type=NUMBER)
@takes("--share", NUMBER, "The share with the outcome in the control.")
@takes("--rate", NUMBER, "Instead: the events of a period in the control; periods are planned.")
@takes("--deviation", NUMBER, "Instead: the standard deviation of the outcome of a unit.")
@takes("--treated", NUMBER, "The part of all units that is treated.", default=0.5)
@takes("--analysis", ["unit", "period"], "What --rate or --deviation is of, where not as above.", default=None)
@flag("--independent", "Periods are independent: each has new units, drawn at random.")
@takes("--explained", NUMBER, "The part of the spread that --before explains.", default=0.0, show_default=False)
@takes("--direction", ["lower", "higher"], "Whether the treated are to have less or more.")
@takes("--power", NUMBER, "The chance to see the effect.", default=0.8)
@takes("--alpha", NUMBER, "The chance to see one that is not there.", default=0.05)
@options("json", "output", "force")
def command(effect: float, **given: Any) -> None:
    """Tell how many units (or periods) each arm of a trial needs to see an EFFECT, before it starts."""
    from steelyard import trial_size
    from steelyard.views.layout import wrap

    check_free(given["output"], force=given["force"])
    plan = trial_size(effect, **{name: given[name] for name in ASKED if given[name] is not None})
    told = json.dumps(plan.to_dict(), ensure_ascii=False, indent=1) if given["as_json"] else "\n".join(wrap(str(plan)))
    put(given["output"], told)
