"""What outcomes are worth, told in one line and as a picture: the matrix of amounts, actual by row and predicted by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Bar, Chart, Colour, Mark
from steelyard.charts.scales import Scale
from steelyard.payoffs.amount import Entry
from steelyard.payoffs.kinds import OUTCOMES
from steelyard.words import MINUS, visible

if TYPE_CHECKING:
    from steelyard.payoffs.payoff import Payoff

FOUR = ("positive", "negative")


def payoff_text(payoff: Payoff) -> str:
    """All amounts in one line, each with what it is for."""
    if payoff.levels is None:
        parts = [
            f"{n} {_told(e)}"
            for names, row in zip(OUTCOMES, payoff.cells, strict=True)
            for n, e in zip(names, row, strict=True)
        ]
    elif payoff.bare:
        parts = ["; ".join(", ".join(map(_told, row)) for row in payoff.cells)]
    else:
        parts = [
            f"{v} as {w} {_told(e)}"
            for v, row in zip(payoff.levels, payoff.cells, strict=True)
            for w, e in zip(payoff.levels, row, strict=True)
        ]
    head = f"{payoff.kind}, {payoff.reference}" if payoff.relative else payoff.kind
    return f"{head}: {', '.join(parts)}"


def _told(entry: Entry) -> str:
    return f"{entry[0]} to {entry[1]}" if isinstance(entry, tuple) else str(entry)


def matrix_chart(payoff: Payoff) -> Chart:
    """Gains in blue, losses in orange, in words what each cell is."""
    k = len(payoff.cells)
    levels = FOUR if payoff.levels is None else payoff.levels or [f"level {i + 1}" for i in range(k)]
    names = tuple(visible(v) for v in levels)
    marks: list[Mark] = []
    columns: dict[str, list[Any]] = {"actual": [], "predicted": [], "amount": []}
    for row, cells in enumerate(payoff.cells):
        for column, entry in enumerate(cells):
            ends = entry if isinstance(entry, tuple) else (entry,)
            sign = payoff.sign * sum(a.constant for a in ends)
            tint: Colour = "grid" if not sign and not any(a.names for a in ends) else 0 if sign > 0 else "alarm"
            outcome = OUTCOMES[row][column].upper() if payoff.levels is None else ""
            sides = (column - 0.47, column + 0.47, row - 0.47, row + 0.47)
            marks.append(Bar(*sides, tint, 0.3, _told(entry).replace("-", MINUS), outcome))
            for key, value in zip(columns, (names[row], names[column], _told(entry)), strict=True):
                columns[key].append(value)
    across = Scale(-0.5, k - 0.5, "Predicted", "names", names)
    up = Scale(k - 0.5, -0.5, "Actual", "names", names)
    title = f"{payoff.kind.capitalize()} of each outcome" + (f", {payoff.reference}" if payoff.relative else "")
    size = (460.0, min(120.0 + 60 * k, 420.0))
    return Chart(payoff.kind, title, across, up, tuple(marks), f"{payoff}.", columns, size=size, grid=False)
