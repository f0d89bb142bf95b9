"""What money needs to be asked for: what outcomes are worth, and the labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard.errors import NotAvailable
from steelyard.measures.money import unpaid
from steelyard.payoffs.payoff import Payoff
from steelyard.summaries.confusion import Confusion
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.asking.answering import Answering


def payoff_of(evidence: Answering, given: Any, name: str) -> Payoff:
    """What outcomes are worth: as given, or as the evaluation was told."""
    found = evidence.payoff if given is None else given
    if found is None:
        raise unpaid(name)
    if not isinstance(found, Payoff):
        message = f"What outcomes are worth must be a Profit or a Cost, and a {type(found).__name__} came."
        raise NotAvailable(message, "For example Profit(tp=140, fn=-140, fp=-700, tn=0).")
    return in_order_of(evidence.levels, evidence.facts, found)


def in_order_of(levels: tuple[Any, ...], facts: Mapping[str, Any], payoff: Payoff) -> Payoff:
    """A payoff with the rows of a bare matrix in the order of the levels, where somebody has said that order."""
    return payoff.over(levels) if facts.get("levels") == "said" else payoff


def labels_of(evidence: Answering) -> Confusion:
    """The confusion matrix of an evaluation that has one."""
    c: Confusion | None = evidence.confusion
    if c is None:
        message = "Profit and cost need labels, or scores and a threshold; the target here is continuous."
        hint = f"Pass {option('prediction', ...)} with labels, or {option('score', ...)} for levels."
        raise NotAvailable(message, hint)
    return c
