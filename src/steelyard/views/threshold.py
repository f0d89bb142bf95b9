"""Where to cut, told: the threshold, what it brings, how much of that is luck, and what costs alone would imply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS, sign_of
from steelyard.results import Estimate
from steelyard.verdicts.policy import LOSS, NO_LOSS, SAME
from steelyard.views.layout import WIDTH, table, wrap
from steelyard.views.worth import LEAVE, interval_text, policy_table, value_text, verdict_sentence
from steelyard.words import count, estimate_text, percent, shortest, significant

if TYPE_CHECKING:
    from steelyard.worth.thresholds import Threshold

INDENT = "  "


def threshold_text(t: Threshold) -> str:
    """The advice, the matrix at the threshold, the numbers there, and what stands behind them; 80 columns wide."""
    first, *others = threshold_sentences(t)
    blocks = [wrap(first, WIDTH), _outcomes(t), _policies(t)]
    blocks.append([line for text in others for line in wrap(text, WIDTH, "", INDENT)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def threshold_sentences(t: Threshold) -> list[str]:
    """The story of a threshold in a few sentences."""
    out = [_advice(t)]
    out.append(_brings(t))
    if t.worth is not None:
        # Whoever must keep to a limit cannot treat all.
        out.append(verdict_sentence(t.worth, t.optimism or 0.0, ("treat all",) if t.constraints else (), LEAVE))
        if t.constraints:
            out.append('"Treat all" and "perfect" in the table do not keep to the limit.')
    out.append(_luck(t))
    if t.regret is not None:
        rules = {"regret": "loses least at worst", "worst": "earns most at worst", "mean": "is best in the middle"}
        out.append(
            f"Over the ranges given it {rules[t.over]}: at most {significant(t.regret, 4)} less than the best threshold "
            "for the amounts that turn out."
        )
    out.extend(_implied(t))
    if t.bound > 0:
        out.append(
            f"Near scores were counted together: a threshold inside a cell could bring at most {significant(t.bound, 2)} more."
        )
    if t.note:
        out.append(t.note)
    dropped = t.facts.get("dropped") or {}
    if dropped:
        told = ", ".join(f"{n:,} row{'' if n == 1 else 's'} with {word}" for word, n in dropped.items())
        out.append(f"Left out: {told}.")
    return out


def _advice(t: Threshold) -> str:
    limits = f" with {' and '.join(t.constraints)}" if t.constraints else ""
    most = "best" if t.goal not in KINDS else "most" if sign_of(t.goal) > 0 else "least"
    best = f"the {most} {t.goal}"
    if t.value is None:
        return f"Flag nobody: no threshold brings {best}{limits} than a threshold above every score does.".replace(
            "the most profit", "more profit"
        ).replace("the least cost", "less cost")
    where = ""
    if t.low is not None and t.high is not None:
        where = f" ({significant(t.low, 4)} to {significant(t.high, 4)})"
    elif t.low is not None:
        where = f" (from {significant(t.low, 4)} upwards)"
    return (
        f"Flag scores of at least {shortest(float(f'{t.value:.6g}'))}{where} for {best}{limits}: "
        f"{count(t.flagged)} rows, {percent(t.share)} of all."
    )


def _brings(t: Threshold) -> str:
    x: Estimate = t.corrected
    goal = "gap of the rates" if find(t.goal).goal == t.at.measure else t.goal
    found = f"The {goal} there is {estimate_text(t.at) if t.worth is None else _number(t.at)}"
    if t.optimism is None or x.value is None:
        return f"{found}."
    return f"{found}; less what choosing adds by luck, {estimate_text(x)}."


def _number(x: Estimate) -> str:
    return f"{value_text(x)} {interval_text(x)}".rstrip()


def _luck(t: Threshold) -> str:
    if t.chosen_on != "the same rows":
        return f"The threshold was chosen on {t.chosen_on} and is told on rows that had no part in the choice."
    if t.optimism is None:
        return "The threshold was chosen on the same rows, and the optimism of that could not be told."
    return (
        f"The threshold was chosen on the same rows: that makes it look better by about {significant(abs(t.optimism), 2)} "
        "(optimism, by halves of the table). A validation part would be free of it."
    )


def _implied(t: Threshold) -> list[str]:
    i = t.implied
    if i is None:
        return []
    if i.at is None or i.price is None:
        return [f"If the scores are probabilities, costs alone say: {i.rule}."]
    out = [f"If the scores are probabilities, costs alone say: {i.rule}. That brings {_number(i.at)}."]
    if i.verdict.word == SAME:
        out.append("Both thresholds make the same decisions here, so nothing is lost by trusting the probabilities.")
    elif i.verdict.word == LOSS:
        out.append(
            f"That is less than at the threshold found here, by {estimate_text(i.price)}: the scores are not calibrated."
        )
    elif i.verdict.word == NO_LOSS:
        out.append("Luck considered, that is no clear loss against the threshold found here.")
    return out


def _outcomes(t: Threshold) -> list[str]:
    o = t.outcomes
    rows = [("really positive", count(o["tp"]), count(o["fn"])), ("really negative", count(o["fp"]), count(o["tn"]))]
    return [INDENT + line for line in table(("", "flagged", "not flagged"), rows, "lrr")]


def _policies(t: Threshold) -> list[str]:
    if t.worth is None:
        return []
    p = policy_table(t.worth)
    return [INDENT + line for line in table(p.head[:3], [row[:3] for row in p.rows], p.align[:3])]
