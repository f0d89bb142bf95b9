"""What decisions are worth, told: the sum, the policies that need no model, the break-even probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.results import Estimate
from steelyard.verdicts.policy import SAME
from steelyard.verdicts.verdict import Verdict
from steelyard.views.layout import WIDTH, blocks_text, table, table_width, wrap, wrapped
from steelyard.views.tables import SmallTable
from steelyard.words import bracketed, count, estimate_parts, estimate_text, percent, shortest, significant, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.policies import Worth

INDENT = "  "
DOING = {"flag everybody": "flagging everybody", "flag nobody": "flagging nobody", "at random": "deciding at random"}
"""Policies that need no model, as something that one does."""
HERE, LEAVE = "as it decides here, that does better", "leave the model and do that instead"


def doing(policy: str) -> str:
    """A policy that needs no model, as something that one does.

    >>> doing("flag everybody"), doing("all as spam")
    ('flagging everybody', 'calling all "spam"')
    """
    return DOING.get(policy) or f'calling all "{visible(policy.removeprefix("all as "))}"'


def interval_text(estimate: Estimate) -> str:
    """The interval in brackets; empty where there is none."""
    assert estimate.value is not None
    _, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    return bracketed(low, high) if estimate.low != estimate.high else ""


def value_text(estimate: Estimate) -> str:
    """The value, as exactly as its interval tells it."""
    assert estimate.value is not None
    if estimate.low == estimate.high:
        return shortest(estimate.value)
    return estimate_parts(estimate.value, estimate.low, estimate.high)[0]


def instead(evaluation: Evaluation) -> str:
    """What to do where a policy without a model does better: move the threshold if that beats the policy, else leave the model."""
    best = evaluation.best_threshold()
    if not best.ahead:
        return LEAVE
    where = shortest(float(best) if best.short is None else best.short)
    return f"move the threshold to {where}, where on these rows it is {value_text(best.at)}, or do that instead"


def verdict_sentence(worth: Worth, optimism: float = 0.0, without: tuple[str, ...] = (), advice: str = HERE) -> str:
    """Whether the model beats the best policy that needs none, as far as the interval of the difference says.

    `advice` is what follows where it does not: what one threshold brings says nothing of others.
    """
    verdict: Verdict = worth.against_none(optimism, without)
    ahead = verdict.rests_on[0]
    assert ahead.value is not None
    name = f"{doing(verdict.against)}, the best policy without a model"
    if not verdict.known:
        return f"Against {name}, it is ahead by {significant(ahead.value)}; {verdict.reason}."
    if verdict.word == SAME:
        return f"That is the same as {name}."
    if not verdict.clear:
        return f"No clear difference from {name}: {estimate_text(ahead)} better."
    ends = sorted(abs(v) for v in (ahead.low, ahead.high) if v is not None)
    value, low, high = estimate_parts(abs(ahead.value), ends[0], ends[1])
    said = f"That is {verdict} than {name}, by {value} {bracketed(low, high)}"
    return f"{said}." if verdict.good else f"{said}: {advice}."


def worth_sentences(worth: Worth, evaluation: Evaluation | None = None) -> list[str]:
    """The story of a profit or cost in a few sentences; `evaluation` is the one it belongs to, which knows other thresholds."""
    each = f", {estimate_text(worth.per_case)} a case" if worth.per_case is not None else ""
    against = "" if worth.reference == "absolute" else f", {worth.reference}"
    out = [f"The {worth.measure} of {count(worth.n)} rows is {estimate_text(worth)}{each}{against}."]
    said = verdict_sentence(worth, advice=HERE if worth.movable else LEAVE)
    if evaluation is not None and said.endswith(f"{HERE}."):
        said = verdict_sentence(worth, advice=instead(evaluation))
    out.append(said)
    if worth.band is not None:
        low, high = (significant(v, 4) for v in worth.band)
        out.append(f"Over the ranges given it lies between {low} and {high}; the middle of each range is told above.")
    if worth.linear is not None:
        p, q = (shortest(v) for v in worth.linear)
        out.append(
            f"A right row comes to {p} and a wrong one to {q}, whatever its level, so this is "
            f"{count(worth.n)} × ({q} − ({q} − {p}) × accuracy): accuracy says the same."
        )
    if worth.rule:
        out.append(f"Break-even: {worth.rule}.")
    return out


def policy_table(worth: Worth) -> SmallTable:
    """The policies beside the model."""
    head = ("policy", worth.measure, f"{percent(worth.confidence)} interval", "the model does better by")
    rows: list[tuple[str, ...]] = [("the model", value_text(worth), interval_text(worth), "")]
    for p in worth.policies:
        ahead = f"{value_text(p.advantage)} {interval_text(p.advantage)}".rstrip()
        rows.append((visible(p.name), value_text(p.estimate), interval_text(p.estimate), ahead))
    return SmallTable("What is it worth?", head, "lrll", rows, spare=1)


def outcome_table(worth: Worth) -> SmallTable | None:
    """What each outcome comes to, and all of them together."""
    if not worth.outcomes:
        return None
    head = ("actual", "predicted", "rows", "each", worth.measure)
    rows: list[tuple[str, ...]] = [
        (
            visible(o.actual),
            visible(o.predicted) + (f" ({o.name})" if o.name else ""),
            count(o.rows),
            "its own" if o.each is None else shortest(o.each),
            shortest(float(f"{o.total:.9g}")),
        )
        for o in worth.outcomes
    ]
    total = sum(o.total for o in worth.outcomes)
    rows.append(("total", "", count(sum(o.rows for o in worth.outcomes)), "", shortest(float(f"{total:.9g}"))))
    return SmallTable("By outcome", head, "llrrr", rows)


def worth_text(worth: Worth) -> str:
    """Sentences, the table of outcomes and that of policies, 80 columns wide."""
    t = policy_table(worth)
    keep = len(t.head) if table_width(t.head, t.rows) <= WIDTH - len(INDENT) else len(t.head) - 1
    lines = table(t.head[:keep], [row[:keep] for row in t.rows], t.align[:keep], width=WIDTH - len(INDENT))
    first, *others = worth_sentences(worth)
    cells = outcome_table(worth)
    told = [] if cells is None else table(cells.head, cells.rows, cells.align, width=WIDTH - len(INDENT))
    blocks = [wrap(first, WIDTH), [INDENT + line for line in told], [INDENT + line for line in lines]]
    blocks.append(wrapped(others))
    return blocks_text(blocks)
