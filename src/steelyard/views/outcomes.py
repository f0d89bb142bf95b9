"""What each outcome is worth: the matrix in money, and the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Bar, Chart, Mark
from steelyard.charts.scales import Scale
from steelyard.errors import NotAvailable
from steelyard.payoffs.kinds import sign_of
from steelyard.summaries.segments import level_names
from steelyard.views.pictures import picture
from steelyard.words import count, number, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.policies import Worth

MOST_LEVELS = 8


@picture(
    f"labels of at most {MOST_LEVELS} levels, or scores and a threshold, and what outcomes are worth",
    lambda e: e.confusion is not None and e.payoff is not None and len(e.levels) <= MOST_LEVELS,
)
def outcomes(evaluation: Evaluation) -> Chart:
    """Every outcome's rows times what each is worth, and the sum."""
    worth = evaluation.worth
    assert worth is not None
    return outcomes_chart(worth)


def outcomes_chart(worth: Worth) -> Chart:
    """The matrix in money; gains in blue, losses in orange, stronger the larger they are."""
    kind, found = worth.measure, worth.outcomes
    if not found:
        message = f"Outcomes of at most {MOST_LEVELS} levels are drawn."
        raise NotAvailable(message, 'Ask for them as a table: e.table("outcomes").')
    levels = list(dict.fromkeys(o.actual for o in found))
    names = tuple(visible(n) for n in level_names(levels))
    most = max((abs(o.total) for o in found), default=0.0) or 1.0
    good = sign_of(kind)
    marks: list[Mark] = []
    for o in found:
        column, row = levels.index(o.predicted), levels.index(o.actual)
        sides = (column - 0.47, column + 0.47, row - 0.47, row + 0.47)
        tint = "grid" if not o.total else 0 if good * o.total > 0 else "alarm"
        each = "" if o.each is None else f" × {number(o.each, 2).rstrip('0').rstrip('.')}"
        marks.append(
            Bar(*sides, tint, 0.15 + 0.35 * abs(o.total) / most, money(o.total), f"{count(o.rows)} rows{each}")
        )
    columns: dict[str, list[Any]] = {
        "actual": [o.actual for o in found],
        "predicted": [o.predicted for o in found],
        "rows": [o.rows for o in found],
        kind: [o.total for o in found],
    }
    k = len(names)
    across = Scale(-0.5, k - 0.5, "Predicted", "names", names)
    up = Scale(k - 0.5, -0.5, "Actual", "names", names)
    said = f"The {kind} by outcome: {worth.plain()} in all."
    size = (460.0, min(120.0 + 60 * k, 420.0))
    return Chart("outcomes", said[:-1], across, up, tuple(marks), said, columns, size=size, grid=False)


def money(value: float) -> str:
    """An amount as people write it: no decimals where it has none."""
    return number(value, 0 if value == int(value) else 2)
