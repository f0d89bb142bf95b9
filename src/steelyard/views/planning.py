"""A plan of test rows in a short paragraph, and its power against the rows as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.charts.marks import Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale
from steelyard.measures.measure import catalogue
from steelyard.words import count, digits_for, percent, shortest, significant, with_article

if TYPE_CHECKING:
    from steelyard.comparisons.planning import Plan


def plan_text(plan: Plan) -> str:
    """What was asked, the answer, the test and what is taken for granted, in a few sentences."""
    assumed = "; ".join(plan.assumptions)
    return f"{answer(plan)} Test: {plan.method}. Taken for granted: {assumed}."


def answer(plan: Plan) -> str:
    """The answer in one sentence."""
    chance = percent(round(plan.power, 3))
    level = f"at the {percent(plan.alpha)} level"
    if plan.asked == "rows":
        needed = f"{_sets(plan)} {'is' if plan.paired else 'are'} needed"
        rough = "" if plan.approximate in {None, plan.rows} else f" (the usual formula says {count(plan.approximate)})"
        return f"To see {_what(plan)} with a chance of {chance} {level}, {needed}{rough}."
    verb = "sees" if plan.paired else "see"
    if plan.asked == "difference":
        return f"{_capital(_sets(plan))} {verb} {_what(plan)}, and no smaller one, with a chance of {chance} {level}."
    return f"{_capital(_sets(plan))} {verb} {_what(plan)} with a chance of {chance} {level}."


def _what(plan: Plan) -> str:
    known = catalogue().get(plan.measure)
    name = with_article(plan.measure if known is None else known.noun)
    if plan.first is None or plan.second is None:
        return f"a difference of {significant(abs(plan.difference))} in {plan.measure.replace('_', ' ')}"
    # Values are what somebody typed; those that were found need no more than the first digits of their difference.
    decimals = max(0, digits_for(abs(plan.difference)) + 1)
    return f"{name} of {shortest(round(plan.first, decimals))} against {shortest(round(plan.second, decimals))}"


def _sets(plan: Plan) -> str:
    """The rows of one set, or of two, and how many of them are positive."""
    split = ""
    if plan.positives is not None and plan.negatives is not None:
        split = f" ({count(plan.positives)} positive, {count(plan.negatives)} negative)"
    if plan.paired:
        return f"one test set of {count(plan.rows)} rows{split}"
    return f"two test sets of {count(plan.rows)} rows each{split}, {count(plan.total)} in all,"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def power_chart(plan: Plan) -> Chart:
    """The power against the rows, with rules at the power and the rows of the plan."""
    curve = plan.curve()
    xs, ys = list(curve.columns["rows"]), list(curve.columns["power"])
    wanted = plan.power if plan.wanted is None else plan.wanted
    end = xs[-1]
    assert end is not None
    # Words stand where the curve is not: right of the point and below it.
    marks: list[Mark] = [
        Rule(y=wanted),
        Rule(x=plan.rows),
        Line(xs, ys, 0, 2.5),
        Point(plan.rows, plan.power, 0, size=5),
        Text(end, wanted, f"power {percent(round(wanted, 3))}", "quiet", "end", dy=-6 if wanted < 0.9 else 14),
        Text(plan.rows, 0.04, f"{count(plan.rows)} rows", "ink", "start", True, 7, 0),
    ]
    each = "Test rows" if plan.paired else "Test rows of each model"
    across = Scale(0.0, end, each)
    up = Scale(0.0, 1.0, "Chance to see the difference", "share")
    title = f"Power to see {_what(plan)}"
    columns = {"rows": xs, "power": ys}
    return Chart("power", title, across, up, tuple(marks), answer(plan), columns, size=(560.0, 360.0))
