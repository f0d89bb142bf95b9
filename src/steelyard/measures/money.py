"""What is it worth? Profit and cost, in whatever money the payoff is told."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from steelyard.arguments.allowed import Words
from steelyard.errors import NotAvailable
from steelyard.measures.measure import measure
from steelyard.results import Array, Mean
from steelyard.summaries.amounts import powers, products
from steelyard.summaries.confusion import Confusion
from steelyard.wording import either, option

EMPTY = "no rows to count"


def unpaid(name: str) -> NotAvailable:
    """A complaint that nobody said what outcomes are worth."""
    message = f'"{name}" needs to know what outcomes are worth.'
    typed = f"Give {option('profit', typed='FILE')} or {option('cost', typed='FILE')}."
    return NotAvailable(
        message, either("Pass profit=Profit(tp=..., fp=..., ...) or Cost(...), here or to evaluate.", typed)
    )


def worth(confusion: Confusion, payoff: Any, order: int = 2) -> list[Array]:
    """Sums of a row's profit and of its powers, for every cell of the matrix."""
    names = () if confusion.amounts is None else confusion.amounts.names
    coefficients = payoff.coefficients(confusion.levels, confusion.positive, names)
    return priced(confusion, coefficients, order)


def priced(confusion: Confusion, coefficients: Array, order: int = 2) -> list[Array]:
    """The same for amounts that are laid over the levels already."""
    return powers(
        confusion.counts, confusion.amounts.of if confusion.amounts is not None else _none, coefficients, order
    )


def _none(_: Any) -> Array:
    raise AssertionError  # Without per-row amounts no payoff has a coefficient for one.


def _worth_bound(confusion: Confusion, *, payoff: Any, per: str) -> float:
    """How much rows in a cell that the threshold cuts could change: the sum of |profit flagged − profit not flagged|."""
    if not any(confusion.uncertain):
        return 0.0
    i = confusion.levels.index(confusion.positive)
    names = () if confusion.amounts is None else confusion.amounts.names
    table = payoff.coefficients(confusion.levels, confusion.positive, names)
    total = 0.0
    for side, level in enumerate((i, 1 - i)):
        n = np.asarray(confusion.uncertain[side])
        step = table[:, level, i] - table[:, level, 1 - i]

        def of(which: tuple[int, ...], side: int = side) -> Array:
            assert confusion.amounts is not None
            assert confusion.amounts.uncertain is not None
            return np.asarray(confusion.amounts.uncertain[products(len(confusion.amounts.names), 2).index(which), side])

        _, squares = powers(n, of, step, 2)
        # Cauchy and Schwarz: n rows whose squares add up to so much cannot differ by more.
        total += float(np.sqrt(np.maximum(n * squares, 0.0)))
    return total if per == "total" else total / float(confusion.total)


def _mean(confusion: Confusion, payoff: Any, per: str, sign: float) -> Mean:
    if payoff is None:
        raise unpaid("profit" if sign > 0 else "cost")
    total, squares = (x.sum(axis=(-2, -1)) for x in worth(confusion, payoff))
    return Mean(sign * total, squares, confusion.total, EMPTY, confusion.total if per == "total" else 1.0)


@measure(
    better="higher",
    range=(-np.inf, np.inf),
    interval="money",
    bound=_worth_bound,
    when="Where outcomes are worth different amounts: a model of higher accuracy may earn less.",
    leans="To the outcomes that are worth most.",
)
def profit(confusion: Confusion, *, payoff: Any = None, per: Annotated[str, Words("total", "case")] = "total") -> Mean:
    """What all decisions earn together, by a payoff that says what each outcome is worth; `per="case"` divides by the rows.

    Σ C[i, j] · Profit[i, j]; with amounts of their own each row counts with its own.

    >>> from steelyard import Profit
    >>> knn = Confusion.of([[57, 3], [10, 30]], ("yes", "no"), "yes")
    >>> float(profit(knn, payoff=Profit(tp=140, fn=-140, fp=-700, tn=0)).value)
    560.0

    Kelleher, Mac Namee, D'Arcy, Fundamentals of Machine Learning for Predictive Data Analytics, chapter 8.
    """
    return _mean(confusion, payoff, per, 1.0)


@measure(
    better="lower",
    range=(-np.inf, np.inf),
    interval="money",
    bound=_worth_bound,
    when=(
        "Where outcomes cost different amounts. Where right ones cost p and wrong ones q whatever the level, it is "
        "N (q − (q − p) accuracy), and accuracy says the same."
    ),
    leans="To the outcomes that cost most.",
)
def cost(confusion: Confusion, *, payoff: Any = None, per: Annotated[str, Words("total", "case")] = "total") -> Mean:
    """What all decisions cost together: profit with the sign turned; `per="case"` divides by the rows.

    Σ C[i, j] · Cost[i, j].

    >>> from steelyard import Cost
    >>> mailing = Confusion.of([[12, 20], [67, 101]], ("buys", "not"), "buys")
    >>> float(cost(mailing, payoff=Cost(tp=-39, fp=1, relative=True)).value)
    -401.0

    Tan, Steinbach, Kumar, Introduction to Data Mining, chapter 4.
    """
    return _mean(confusion, payoff, per, -1.0)
