"""Where to cut, told: the threshold, what it brings, how much of that is luck, and what costs alone would imply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS, sign_of
from steelyard.results import Estimate
from steelyard.verdicts.policy import LOSS, NO_LOSS, SAME
from steelyard.views.layout import WIDTH, blocks_text, table, wrap, wrapped
from steelyard.views.story import rows_left_out
from steelyard.views.worth import LEAVE, interval_text, policy_table, value_text, verdict_sentence
from steelyard.words import bracketed, count, digits_for, estimate_text, number, percent, shortest, significant

if TYPE_CHECKING:
    from steelyard.worth.thresholds import Threshold

INDENT = "  "


def threshold_text(threshold: Threshold) -> str:
    """The advice, the matrix at the threshold, the numbers there, and what stands behind them; 80 columns wide."""
    first, *others = threshold_sentences(threshold)
    blocks = [wrap(first, WIDTH), _outcomes(threshold), _policies(threshold)]
    blocks.append(wrapped(others))
    return blocks_text(blocks)


def threshold_sentences(threshold: Threshold) -> list[str]:
    """The story of a threshold in a few sentences."""
    out = [_advice(threshold), _brings(threshold)]
    if threshold.worth is not None:
        # Whoever must keep to a limit cannot flag everybody.
        without = ("flag everybody",) if threshold.constraints else ()
        out.append(verdict_sentence(threshold.worth, threshold.optimism or 0.0, without, LEAVE))
        if threshold.constraints:
            out.append('Flagging everybody and "perfect", in the table, do not keep to the limit.')
    out.append(_luck(threshold))
    if threshold.regret is not None:
        rules = {"regret": "loses least at worst", "worst": "earns most at worst", "mean": "is best in the middle"}
        out.append(
            f"Over the ranges given it {rules[threshold.over]}: at most {significant(threshold.regret, 4)} less than the best "
            "threshold for the amounts that turn out."
        )
    out.extend(_implied(threshold))
    if threshold.bound > 0:
        most = significant(threshold.bound, 2)
        out.append(f"Near scores were counted together: a threshold inside a cell could bring at most {most} more.")
    if threshold.note:
        out.append(threshold.note)
    dropped = threshold.facts.get("dropped") or {}
    if dropped:
        out.append(f"Left out: {rows_left_out(dropped)}.")
    return out


def _advice(threshold: Threshold) -> str:
    limits = f" with {' and '.join(threshold.constraints)}" if threshold.constraints else ""
    most = "best" if threshold.goal not in KINDS else "most" if sign_of(threshold.goal) > 0 else "least"
    best = f"the {most} {threshold.goal}"
    if threshold.value is None:
        more = {"the most profit": "more profit", "the least cost": "less cost"}.get(best, best)
        return f"Flag nobody: no threshold brings {more}{limits} than a threshold above every score does."
    where = ""
    if threshold.low is not None and threshold.high is not None:
        # In the digits of the threshold itself, which flags the same rows, and no fewer than the width needs.
        told = shortest(threshold.value if threshold.short is None else threshold.short)
        half = (threshold.high - threshold.low) / 2
        decimals = max(len(told.partition(".")[2]), digits_for(half) if half else 0)
        where = f" {bracketed(number(threshold.low, decimals), number(threshold.high, decimals))}"
    elif threshold.low is not None:
        where = f" (from {significant(threshold.low, 4)} upwards)"
    cut = shortest(threshold.value if threshold.short is None else threshold.short)
    return (
        f"Flag scores of at least {cut}{where} for {best}{limits}: "
        f"{count(threshold.flagged)} rows, {percent(threshold.share)} of all."
    )


def _brings(threshold: Threshold) -> str:
    x: Estimate = threshold.corrected
    goal = "gap of the rates" if find(threshold.goal).goal == threshold.at.measure else threshold.goal
    found = f"The {goal} there is {estimate_text(threshold.at) if threshold.worth is None else _number(threshold.at)}"
    if threshold.optimism is None or x.value is None:
        return f"{found}."
    return f"{found}; less what choosing adds by luck, {estimate_text(x)}."


def _number(estimate: Estimate) -> str:
    return f"{value_text(estimate)} {interval_text(estimate)}".rstrip()


def _luck(threshold: Threshold) -> str:
    if threshold.chosen_on != "the same rows":
        return f"The threshold was chosen on {threshold.chosen_on} and is told on rows that had no part in the choice."
    if threshold.optimism is None:
        return "The threshold was chosen on the same rows, and the optimism of that could not be told."
    return (
        f"The threshold was chosen on the same rows: that makes it look better by about {significant(abs(threshold.optimism), 2)} "
        "(optimism, by halves of the table). A validation part would be free of it."
    )


def _implied(threshold: Threshold) -> list[str]:
    i = threshold.implied
    if i is None:
        return []
    if i.at is None or i.price is None:
        return [f"If the scores are probabilities, costs alone say: {i.rule}."]
    out = [f"If the scores are probabilities, costs alone say: {i.rule}. That brings {_number(i.at)}."]
    if i.verdict.word == SAME:
        out.append("Both thresholds make the same decisions here, so nothing is lost by trusting the probabilities.")
    elif i.verdict.word == LOSS:
        less = f"That is less than at the threshold found here, by {estimate_text(i.price)}"
        out.append(f"{less}: the scores are not calibrated.")
    elif i.verdict.word == NO_LOSS:
        out.append("Luck considered, that is no clear loss against the threshold found here.")
    return out


def _outcomes(threshold: Threshold) -> list[str]:
    o = threshold.outcomes
    rows = [("really positive", count(o["tp"]), count(o["fn"])), ("really negative", count(o["fp"]), count(o["tn"]))]
    return [INDENT + line for line in table(("", "flagged", "not flagged"), rows, "lrr")]


def _policies(threshold: Threshold) -> list[str]:
    if threshold.worth is None:
        return []
    p = policy_table(threshold.worth)
    return [INDENT + line for line in table(p.head[:3], [row[:3] for row in p.rows], p.align[:3])]
