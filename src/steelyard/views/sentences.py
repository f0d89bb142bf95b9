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
from steelyard.words import count, in_hundred, percent, quoted, with_limits

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

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


def statement(estimate: Estimate, verdict: Verdict | None = None) -> str:
    """One number in one plain sentence, with what it rests on where that is little, and what it says by itself.

    >>> statement(Estimate("recall", 2 / 3, 0.354, 0.879))
    'Finds 67 of 100 real positives [35, 88].'
    >>> statement(Estimate("auc", None, reason="needs at least one positive and one negative"))
    'The auc is not defined here: needs at least one positive and one negative.'
    """
    if estimate.value is None:
        return f"The {estimate.measure} is not defined here: {estimate.reason}."
    said = _said(estimate)
    if verdict is not None and verdict.word == NO_LEAN:
        said = f"{said.removesuffix('.')}, {NO_LEAN}."
    return f"{said.removesuffix('.')}; {estimate.caution}." if estimate.caution else said


def _said(estimate: Estimate) -> str:
    m = catalogue().get(estimate.measure)
    told, of_level = ("", "") if m is None else (m.told, m.told_of_level)
    if not isinstance(told, str):
        if estimate.level is None:
            return told(estimate)
        told = ""
    whole = estimate.level is None or estimate.level in AVERAGES
    shares = {} if m is None else m.allowed
    options = {k: percent(v) if shares.get(k) in (SHARE, INSIDE) else str(v) for k, v in estimate.options.items()}
    said = told if estimate.level is None else "" if whole else of_level
    value, limits = in_hundred(estimate) if "{hundred}" in said else with_limits(estimate)
    words = {"hundred": value, "value": value, "limits": limits, **options}
    if said and estimate.level is None:
        return said.format(**words).replace("by 1 points", "by 1 point")
    if said:
        # The level is put in last, so that braces in its name stay what they are.
        before, after = said.split("{level}")
        return before.format(**words) + quoted(estimate.level) + after.format(**words)
    of = "" if estimate.level is None else f" ({estimate.level})" if whole else f" of {quoted(estimate.level)}"
    return f"The {estimate.measure}{of} is {value}{limits}."


# The story ------------------------------------------------------------------------------------------------------------


def opening(evaluation: Evaluation) -> Sentence:
    """How many rows, and how many of them are positive."""
    text = f"Evaluated on {evaluation.rows:,} row{'' if evaluation.rows == 1 else 's'}"
    c: Confusion | None = evaluation.confusion
    if c is None:
        return Sentence("rows", text + ".")
    if evaluation.positive is None:
        return Sentence("rows", f"{text} of {len(evaluation.levels):,} levels.")
    share = evaluation["prevalence"].value
    if share is None:
        return Sentence("rows", text + ".")
    if c.weighting == "none":
        n = float(c.outcomes(evaluation.positive).positives)
        return Sentence("rows", f"{text}; {count(n)} {'is' if n == 1 else 'are'} positive ({percent(share)}).")
    if evaluation.facts.get("weights") == "none":
        return Sentence("rows", f"{text}; {percent(share)} of them are positive.")
    return Sentence("rows", f"{text}; {percent(share)} of their weight is positive.")


def sentences(evaluation: Evaluation) -> list[Sentence]:
    """The story of an evaluation in a few sentences."""
    verdict: Verdict = evaluation.usefulness
    out = [opening(evaluation)]

    def say(*names: str) -> None:
        out.extend(Sentence(n, statement(evaluation[n], evaluation.verdict_on(n))) for n in names)

    def judge() -> None:
        if verdict.word in JUDGED:
            text = JUDGED[verdict.word].format(than=verdict.against, why=verdict.reason)
            out.append(Sentence(verdict.rests_on[0].measure, text))

    kind = kind_of(evaluation)
    say(*leading("story", kind))
    if kind != "labels":
        judge()
    if kind != "numbers":
        say(
            *leading(
                "story", "outcomes" if evaluation.positive is not None and len(evaluation.levels) <= 2 else "levels"
            )
        )
    if kind == "scores" and verdict.cases is None:
        # A tenth of a few rows is no basis for a sentence; the table still has the numbers.
        say(*(name for name in leading("story", "depth") if evaluation[name].defined))
    if kind == "labels":
        judge()
    worth = evaluation.worth
    if worth is not None:
        out.extend(Sentence(worth.measure, text) for text in worth_sentences(worth, evaluation))
    return out
