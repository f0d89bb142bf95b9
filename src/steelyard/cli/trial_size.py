"""steelyard trial-size: the smallest effect that matters in, the units that a trial needs to see it out."""

from __future__ import annotations

import json
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import NUMBER
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
@click.option("--share", type=NUMBER, help="The share with the outcome in the control.")
@click.option("--rate", type=NUMBER, help="Instead: the events of a period in the control; periods are planned.")
@click.option("--deviation", type=NUMBER, help="Instead: the standard deviation of the outcome of a unit.")
@click.option("--treated", type=NUMBER, default=0.5, show_default=True, help="The part of all units that is treated.")
@click.option(
    "--analysis", type=click.Choice(["unit", "period"]), help="What --rate or --deviation is of, where not as above."
)
@click.option("--independent", is_flag=True, help="Periods are independent: each has new units, drawn at random.")
@click.option("--explained", type=NUMBER, default=0.0, help="The part of the spread that --before explains.")
@click.option(
    "--direction",
    type=click.Choice(["lower", "higher"]),
    default="lower",
    show_default=True,
    help="Whether the treated are to have less or more.",
)
@click.option("--power", type=NUMBER, default=0.8, show_default=True, help="The chance to see the effect.")
@click.option("--alpha", type=NUMBER, default=0.05, show_default=True, help="The chance to see one that is not there.")
@options("json", "output", "force")
def command(effect: float, **given: Any) -> None:
    """Tell how many units (or periods) each arm of a trial needs to see an EFFECT, before it starts."""
    from steelyard import trial_size
    from steelyard.views.layout import wrap

    check_free(given["output"], force=given["force"])
    plan = trial_size(effect, **{name: given[name] for name in ASKED if given[name] is not None})
    told = json.dumps(plan.to_dict(), ensure_ascii=False, indent=1) if given["as_json"] else "\n".join(wrap(str(plan)))
    put(given["output"], told)
