"""One plain sentence for a number, and the few that tell the story of an evaluation; the same in every output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion
from steelyard.verdicts.usefulness import HARMFUL, NO_LEAN, NOT_SHOWN, TOO_FEW, USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.views.worth import worth_sentences
from steelyard.words import count, digits_for, estimate_parts, estimate_text, number, percent, quoted, shortest

JUDGED = {
    USEFUL: "That is better than {than}.",
    HARMFUL: "That is worse than {than}.",
    NOT_SHOWN: "No clear difference from {than}.",
    TOO_FEW: "Too few cases to say whether that is better than {than}: {why}.",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said, and about which measure."""

    about: str
    text: str


# One number -----------------------------------------------------------------------------------------------------------


def _in_hundred(x: Estimate) -> tuple[str, str]:
    """A share as so many of 100, with its interval in brackets; one digit of the half-width is enough in a sentence."""
    assert x.value is not None
    if x.low is None or x.high is None:
        return number(100 * x.value, 0), ""
    half = 50 * (x.high - x.low)
    decimals = max(0, digits_for(half) - 1) if half > 0 else 0
    low, high = number(100 * x.low, decimals), number(100 * x.high, decimals)
    return number(100 * x.value, decimals), f" ({low} to {high})"


def _plain(x: Estimate, sign: int = 1) -> tuple[str, str]:
    """A value with its interval in brackets, or both turned round."""
    assert x.value is not None
    ends = (x.low, x.high) if sign > 0 or x.low is None or x.high is None else (-x.high, -x.low)
    value, low, high = estimate_parts(sign * x.value, *ends, digits=1)
    return value, f" ({low} to {high})" if low else ""


HUNDRED = {
    "accuracy": "Gets {v} of 100 rows right{r}.",
    "error_rate": "Gets {v} of 100 rows wrong{r}.",
    "recall": "Finds {v} of 100 real positives{r}.",
    "specificity": "Leaves {v} of 100 real negatives alone{r}.",
    "fpr": "Flags {v} of 100 real negatives by mistake{r}.",
    "fnr": "Misses {v} of 100 real positives{r}.",
    "precision": "Of 100 rows it flags, {v} are real positives{r}.",
    "npv": "Of 100 rows it does not flag, {v} are real negatives{r}.",
    "average_class_accuracy": "Finds {v} of 100 rows of a level, all levels counting the same{r}.",
    "auc": "Ranks a positive above a negative {v} times in 100{r}.",
    "hand_till_auc": "Puts two rows of different classes in the right order {v} times in 100{r}.",
    "top_k_accuracy": "Has the true class among its first {k} in {v} of 100 rows{r}.",
    "capture": "The {depth} of rows with the highest scores hold {v} of 100 positives{r}.",
    "ece": "Probabilities are off by {v} points on average{r}.",
}
ONE_LEVEL = {
    "recall": "Finds {v} of 100 rows of {level}{r}.",
    "precision": "Of 100 rows called {level}, {v} are{r}.",
    "auc": "Ranks a row of {level} above any other {v} times in 100{r}.",
}
VALUE = {
    "lift": "The {depth} of rows with the highest scores hold {v} times as many positives as a random pick{r}.",
    "mae": "Off by {v} on average{r}.",
    "median_ae": "Half of the predictions are off by less than {v}{r}.",
    "rmse": "Off by {v} as a root mean square, which counts large errors more{r}.",
    "log_loss": "What really happened came as a surprise of {v} on average, 0 if it was always certain{r}.",
    "mcc": "Labels and truth agree by {v}, where 0 is chance and 1 perfect{r}.",
    "kappa": "Labels and truth agree by {v}, where 0 is chance and 1 perfect{r}.",
    "lr_positive": "A positive prediction multiplies the odds of being positive by {v}{r}.",
}
WHOLE_LEVELS = ("macro", "micro", "weighted")


def _bias(x: Estimate, verdict: Verdict | None) -> str:
    assert x.value is not None
    sign = 1 if x.value >= 0 else -1
    v, r = _plain(x, sign)
    lean = f", {NO_LEAN}" if verdict is not None and verdict.word == NO_LEAN else ""
    return f"Predictions are {v} too {'high' if sign > 0 else 'low'} on average{r}{lean}."


def _r2(x: Estimate, _: Verdict | None) -> str:
    if x.value is not None and x.value < 0:
        low, high = (None, None) if x.low is None or x.high is None else (1 - x.high, 1 - x.low)
        v, r = _plain(x.renamed(value=1 - x.value, low=low, high=high))
        return f"Its squared errors are {v} times those of always saying the mean{r}."
    v, r = _in_hundred(x)
    return f"Explains {v}% of the spread of the target{r}."


SPECIAL: dict[str, Callable[[Estimate, Verdict | None], str]] = {"bias": _bias, "r2": _r2}


def statement(x: Estimate, verdict: Verdict | None = None) -> str:
    """One number in one plain sentence, with what it rests on where that is little, and what it says by itself.

    >>> statement(Estimate("recall", 2 / 3, 0.354, 0.879))
    'Finds 67 of 100 real positives (35 to 88).'
    >>> statement(Estimate("auc", None, reason="needs at least one positive and one negative"))
    'The auc is not defined here: needs at least one positive and one negative.'
    """
    if x.value is None:
        return f"The {x.measure} is not defined here: {x.reason}."
    said = _said(x, verdict)
    return f"{said.removesuffix('.')}; {x.caution}." if x.caution else said


def _said(x: Estimate, verdict: Verdict | None) -> str:
    if x.measure in SPECIAL and x.level is None:
        return SPECIAL[x.measure](x, verdict)
    whole = x.level is None or x.level in WHOLE_LEVELS
    options = {k: percent(v) if k in {"depth", "fpr", "prevalence"} else str(v) for k, v in x.options.items()}
    if x.level is None and x.measure in HUNDRED:
        v, r = _in_hundred(x)
        return HUNDRED[x.measure].format(v=v, r=r, **options).replace("by 1 points", "by 1 point")
    if not whole and x.measure in ONE_LEVEL:
        v, r = _in_hundred(x)
        # The level is put in last, so that braces in its name stay what they are.
        before, after = ONE_LEVEL[x.measure].split("{level}")
        return before.format(v=v) + quoted(x.level) + after.format(v=v, r=r)
    v, r = _plain(x)
    if x.level is None and x.measure in VALUE:
        return VALUE[x.measure].format(v=v, r=r, **options)
    of = "" if x.level is None else f" ({x.level})" if whole else f" of {quoted(x.level)}"
    return f"The {x.measure}{of} is {v}{r}."


# The story ------------------------------------------------------------------------------------------------------------


def opening(e: Any) -> Sentence:
    """How many rows, and how many of them are positive."""
    text = f"Evaluated on {e.rows:,} row{'' if e.rows == 1 else 's'}"
    c: Confusion | None = e.confusion
    if c is None:
        return Sentence("rows", text + ".")
    if e.positive is None:
        return Sentence("rows", f"{text} of {len(e.levels):,} levels.")
    share = e["prevalence"].value
    if share is None:
        return Sentence("rows", text + ".")
    if c.weighting == "none":
        n = float(c.outcomes(e.positive).positives)
        return Sentence("rows", f"{text}; {count(n)} {'is' if n == 1 else 'are'} positive ({percent(share)}).")
    if e.facts.get("weights") == "none":
        return Sentence("rows", f"{text}; {percent(share)} of them are positive.")
    return Sentence("rows", f"{text}; {percent(share)} of their weight is positive.")


def sentences(e: Any) -> list[Sentence]:
    """The story of an evaluation in a few sentences."""
    verdict: Verdict = e.verdict
    out = [opening(e)]

    def say(*names: str) -> None:
        out.extend(Sentence(n, statement(e[n], e.verdict_on(n))) for n in names)

    def judge() -> None:
        if verdict.word in JUDGED:
            text = JUDGED[verdict.word].format(than=verdict.against, why=verdict.reason)
            out.append(Sentence(verdict.rests_on[0].measure, text))

    if e.residuals is not None:
        say("mae", "bias", "r2")
        judge()
        return out
    if e.scores is not None:
        say("auc")
        judge()
    elif e.class_scores is not None:
        say("hand_till_auc")
        judge()
    if e.positive is not None and len(e.levels) <= 2:
        say("recall", "precision")
    else:
        say("accuracy", "average_class_accuracy")
    if e.scores is not None:
        # A tenth of a few rows is no basis for a sentence; the table still has the numbers.
        say(*(name for name in ("lift", "ece") if e[name].defined and verdict.cases is None))
    elif e.class_scores is None:
        judge()
    if e.payoff is not None:
        out.extend(Sentence(e.payoff.kind, text) for text in worth_sentences(e.worth, e))
        out.extend(_elsewhere(e))
    return out


def _elsewhere(e: Any) -> list[Sentence]:
    """What probabilities would bring at the threshold that costs imply, where another one is in force."""
    point = e.worth.break_even
    if point is None or e.scores is None or e.threshold is None or "confusion" in e.evidence:
        return []
    if not e.scores.probabilities or abs(point - e.threshold) < 0.05 * point or "below" in e.worth.rule:
        return []
    there = e.at(point).worth
    told = estimate_text(Estimate(there.measure, there.value, there.low, there.high))
    return [
        Sentence(
            there.measure,
            f"At that threshold, instead of {shortest(e.threshold)}, the {there.measure} would be {told}.",
        )
    ]
