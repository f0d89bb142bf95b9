"""What money needs to be asked for: what outcomes are worth, and the labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard.errors import NotAvailable
from steelyard.payoffs.payoff import Payoff
from steelyard.summaries.confusion import Confusion
from steelyard.wording import either, option

if TYPE_CHECKING:
    from steelyard.asking.answering import Answering


def payoff_of(e: Answering, given: Any, name: str) -> Payoff:
    """What outcomes are worth: as given, or as the evaluation was told."""
    found = e.payoff if given is None else given
    if found is None:
        message = f'"{name}" needs to know what outcomes are worth.'
        typed = f"Give {option('profit', typed='FILE')} or {option('cost', typed='FILE')}."
        python = "Pass profit=Profit(tp=..., fp=..., ...) or Cost(...), here or to evaluate."
        raise NotAvailable(message, either(python, typed))
    if not isinstance(found, Payoff):
        message = f"What outcomes are worth must be a Profit or a Cost, and a {type(found).__name__} came."
        raise NotAvailable(message, "For example Profit(tp=140, fn=-140, fp=-700, tn=0).")
    return in_order_of(e.levels, e.facts, found)


def in_order_of(levels: tuple[Any, ...], facts: Mapping[str, Any], payoff: Payoff) -> Payoff:
    """A payoff with the rows of a bare matrix in the order of the levels, where somebody has said that order."""
    return payoff.over(levels) if facts.get("levels") == "said" else payoff


def labels_of(e: Answering) -> Confusion:
    """The confusion matrix of an evaluation that has one."""
    c: Confusion | None = e.confusion
    if c is None:
        message = "Profit and cost need labels, or scores and a threshold; the target here is continuous."
        hint = f"Pass {option('prediction', ...)} with labels, or {option('score', ...)} for levels."
        raise NotAvailable(message, hint)
    return c
