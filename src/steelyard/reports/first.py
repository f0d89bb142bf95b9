"""The first screen of a page about one model: its verdict, what that rests on, and the cards that people ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from steelyard.reports.cards import cards
from steelyard.views import story
from steelyard.views.html import Ready, facts_line, join, tag
from steelyard.views.verdict import verdict_html

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.verdicts.verdict import Verdict

FIRST_AMOUNTS = "At the first amounts: they were changed on this page."
"""Stands over what was told at the amounts given and cannot follow them."""


def stamped(evaluations: Iterable[Evaluation], *content: object, now: bool = False) -> Ready:
    """What hangs on amounts, where there are any, and does not follow them on the page; once they were changed it says so.

    With `now` it also says what the new ones bring.
    """
    if all(e.payoff is None for e in evaluations):
        return join(content)
    more = [" ", tag("span", "", data_role="now")] if now else []
    stamp = tag("p", FIRST_AMOUNTS, more, class_="stamp", hidden=True)
    return tag("div", stamp, *content, data_amounts=True)


def first_screen(evaluation: Evaluation, questions: Mapping[str, str], verdict: Verdict | None = None) -> Ready:
    """The verdict, of one model unless another came, its cards, and a quiet line about what was evaluated."""
    block = stamped([evaluation], verdict_html(verdict or evaluation.verdict, questions), now=verdict is None)
    return tag("div", block, cards(evaluation), facts_line(story.facts(evaluation)), data_model="m0")
