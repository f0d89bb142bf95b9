"""What decisions are worth, told: the sum, the policies that need no model, the break-even probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.results import Estimate
from steelyard.verdicts.policy import SAME
from steelyard.verdicts.verdict import Verdict
from steelyard.views.layout import WIDTH, table, table_width, wrap
from steelyard.views.tables import SmallTable
from steelyard.words import count, estimate_parts, estimate_text, percent, shortest, significant, visible

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.policies import Worth

INDENT = "  "
HERE, LEAVE = "as it decides here, that does better", "leave the model and do that instead"


def interval_text(x: Estimate) -> str:
    """The interval in brackets; empty where there is none."""
    assert x.value is not None
    _, low, high = estimate_parts(x.value, x.low, x.high)
    return f"[{low}, {high}]" if low and x.low != x.high else ""


def value_text(x: Estimate) -> str:
    """The value, as exactly as its interval tells it."""
    assert x.value is not None
    return shortest(x.value) if x.low == x.high else estimate_parts(x.value, x.low, x.high)[0]


def instead(w: Worth, e: Evaluation) -> str:
    """What to do where a policy without a model does better: move the threshold if that beats the policy, else leave the model."""
    best = e.best_threshold()
    if not best.ahead_of(w.best_policy().estimate):
        return LEAVE
    where = shortest(float(f"{best.value:.6g}"))
    return f"move the threshold to {where}, where on these rows it is {value_text(best.at)}, or do that instead"


def verdict_sentence(w: Worth, optimism: float = 0.0, without: tuple[str, ...] = (), advice: str = HERE) -> str:
    """Whether the model beats the best policy that needs none, as far as the interval of the difference says.

    `advice` is what follows where it does not: what one threshold brings says nothing of others.
    """
    verdict: Verdict = w.against_none(optimism, without)
    ahead = verdict.rests_on[0]
    assert ahead.value is not None
    name = f'"{visible(verdict.against)}", the best policy without a model'
    if not verdict.known:
        return f"Against {name}, it is ahead by {significant(ahead.value)}; {verdict.reason}."
    if verdict.word == SAME:
        return f"That is the same as {name}."
    if not verdict.clear:
        return f"No clear difference from {name}: {estimate_text(ahead)} better."
    ends = sorted(abs(v) for v in (ahead.low, ahead.high) if v is not None)
    value, low, high = estimate_parts(abs(ahead.value), ends[0], ends[1])
    said = f"That is {verdict} than {name}, by {value} ({low} to {high})"
    return f"{said}." if verdict.good else f"{said}: {advice}."


def worth_sentences(w: Worth, e: Evaluation | None = None) -> list[str]:
    """The story of a profit or cost in a few sentences; `e` is the evaluation it belongs to, which knows other thresholds."""
    each = f", {estimate_text(w.per_case)} a case" if w.per_case is not None else ""
    against = "" if w.reference == "absolute" else f", {w.reference}"
    out = [f"The {w.measure} of {count(w.n)} rows is {estimate_text(w)}{each}{against}."]
    said = verdict_sentence(w, advice=HERE if w.movable else LEAVE)
    out.append(verdict_sentence(w, advice=instead(w, e)) if e is not None and said.endswith(f"{HERE}.") else said)
    if w.band is not None:
        low, high = (significant(v, 4) for v in w.band)
        out.append(f"Over the ranges given it lies between {low} and {high}; the middle of each range is told above.")
    if w.linear is not None:
        p, q = (shortest(v) for v in w.linear)
        out.append(
            f"A right row comes to {p} and a wrong one to {q}, whatever its level, so this is {count(w.n)} × ({q} − ({q} − {p}) × "
            "accuracy): accuracy says the same."
        )
    if w.rule:
        out.append(f"Break-even: {w.rule}.")
    return out


def policy_table(w: Worth) -> SmallTable:
    """The policies beside the model."""
    head = ("policy", w.measure, f"{percent(w.confidence)} interval", "the model does better by")
    rows: list[tuple[str, ...]] = [("the model", value_text(w), interval_text(w), "")]
    for p in w.policies:
        ahead = f"{value_text(p.advantage)} {interval_text(p.advantage)}".rstrip()
        rows.append((visible(p.name), value_text(p.estimate), interval_text(p.estimate), ahead))
    return SmallTable("What is it worth?", head, "lrll", rows, spare=1)


def outcome_table(w: Worth) -> SmallTable | None:
    """What each outcome comes to, and all of them together."""
    if not w.outcomes:
        return None
    head = ("actual", "predicted", "rows", "each", w.measure)
    rows: list[tuple[str, ...]] = [
        (
            visible(o.actual),
            visible(o.predicted) + (f" ({o.name})" if o.name else ""),
            count(o.rows),
            "its own" if o.each is None else shortest(o.each),
            shortest(float(f"{o.total:.9g}")),
        )
        for o in w.outcomes
    ]
    total = sum(o.total for o in w.outcomes)
    rows.append(("total", "", count(sum(o.rows for o in w.outcomes)), "", shortest(float(f"{total:.9g}"))))
    return SmallTable("By outcome", head, "llrrr", rows)


def worth_text(w: Worth) -> str:
    """Sentences, the table of outcomes and that of policies, 80 columns wide."""
    t = policy_table(w)
    keep = len(t.head) if table_width(t.head, t.rows) <= WIDTH - len(INDENT) else len(t.head) - 1
    lines = table(t.head[:keep], [row[:keep] for row in t.rows], t.align[:keep], width=WIDTH - len(INDENT))
    first, *others = worth_sentences(w)
    cells = outcome_table(w)
    told = [] if cells is None else table(cells.head, cells.rows, cells.align, width=WIDTH - len(INDENT))
    blocks = [wrap(first, WIDTH), [INDENT + line for line in told], [INDENT + line for line in lines]]
    blocks.append([line for text in others for line in wrap(text, WIDTH, "", INDENT)])
    return "\n\n".join("\n".join(block) for block in blocks if block)
