"""One plain sentence for a number, and the few that tell the story of an evaluation; the same in every output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.arguments.allowed import INSIDE, SHARE
from steelyard.measures.measure import AVERAGES, catalogue, leading
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion
from steelyard.verdicts.usefulness import HARMFUL, NO_LEAN, NOT_SHOWN, TOO_FEW, USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.views.story import kind_of
from steelyard.views.worth import worth_sentences
from steelyard.words import count, estimate_text, in_hundred, percent, quoted, shortest, with_limits

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.policies import Worth

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


def statement(x: Estimate, verdict: Verdict | None = None) -> str:
    """One number in one plain sentence, with what it rests on where that is little, and what it says by itself.

    >>> statement(Estimate("recall", 2 / 3, 0.354, 0.879))
    'Finds 67 of 100 real positives (35 to 88).'
    >>> statement(Estimate("auc", None, reason="needs at least one positive and one negative"))
    'The auc is not defined here: needs at least one positive and one negative.'
    """
    if x.value is None:
        return f"The {x.measure} is not defined here: {x.reason}."
    said = _said(x)
    if verdict is not None and verdict.word == NO_LEAN:
        said = f"{said.removesuffix('.')}, {NO_LEAN}."
    return f"{said.removesuffix('.')}; {x.caution}." if x.caution else said


def _said(x: Estimate) -> str:
    m = catalogue().get(x.measure)
    told, of_level = ("", "") if m is None else (m.told, m.told_of_level)
    if not isinstance(told, str):
        if x.level is None:
            return told(x)
        told = ""
    whole = x.level is None or x.level in AVERAGES
    shares = {} if m is None else m.allowed
    options = {k: percent(v) if shares.get(k) in (SHARE, INSIDE) else str(v) for k, v in x.options.items()}
    said = told if x.level is None else "" if whole else of_level
    value, limits = in_hundred(x) if "{hundred}" in said else with_limits(x)
    words = {"hundred": value, "value": value, "limits": limits, **options}
    if said and x.level is None:
        return said.format(**words).replace("by 1 points", "by 1 point")
    if said:
        # The level is put in last, so that braces in its name stay what they are.
        before, after = said.split("{level}")
        return before.format(**words) + quoted(x.level) + after.format(**words)
    of = "" if x.level is None else f" ({x.level})" if whole else f" of {quoted(x.level)}"
    return f"The {x.measure}{of} is {value}{limits}."


# The story ------------------------------------------------------------------------------------------------------------


def opening(e: Evaluation) -> Sentence:
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


def sentences(e: Evaluation) -> list[Sentence]:
    """The story of an evaluation in a few sentences."""
    verdict: Verdict = e.verdict
    out = [opening(e)]

    def say(*names: str) -> None:
        out.extend(Sentence(n, statement(e[n], e.verdict_on(n))) for n in names)

    def judge() -> None:
        if verdict.word in JUDGED:
            text = JUDGED[verdict.word].format(than=verdict.against, why=verdict.reason)
            out.append(Sentence(verdict.rests_on[0].measure, text))

    kind = kind_of(e)
    say(*leading("story", kind))
    if kind != "labels":
        judge()
    if kind != "numbers":
        say(*leading("story", "outcomes" if e.positive is not None and len(e.levels) <= 2 else "levels"))
    if kind == "scores" and verdict.cases is None:
        # A tenth of a few rows is no basis for a sentence; the table still has the numbers.
        say(*(name for name in leading("story", "depth") if e[name].defined))
    if kind == "labels":
        judge()
    worth = e.worth
    if worth is not None:
        out.extend(Sentence(worth.measure, text) for text in worth_sentences(worth, e))
        out.extend(_elsewhere(e, worth))
    return out


def _elsewhere(e: Evaluation, worth: Worth) -> list[Sentence]:
    """What probabilities would bring at the threshold that costs imply, where another one is in force."""
    point = worth.break_even
    if point is None or e.scores is None or e.threshold is None or "confusion" in e.evidence:
        return []
    if not e.scores.probabilities or abs(point - e.threshold) < 0.05 * point or "below" in worth.rule:
        return []
    there = e.at(point).worth
    assert there is not None
    told = estimate_text(Estimate(there.measure, there.value, there.low, there.high))
    return [
        Sentence(
            there.measure,
            f"At that threshold, instead of {shortest(e.threshold)}, the {there.measure} would be {told}.",
        )
    ]
