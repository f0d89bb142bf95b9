"""The sections of a report, in the order in which people ask; None where there is nothing to answer from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.reports.bench import bench
from steelyard.reports.cards import chief_measures
from steelyard.reports.figures import figure
from steelyard.views import story
from steelyard.views.html import Ready, join, tag
from steelyard.views.html import table as html_table
from steelyard.views.pictures import shown_of
from steelyard.views.sentences import sentences
from steelyard.views.story import kind_of
from steelyard.views.verdict import unbroken
from steelyard.views.worth import policy_table, worth_sentences
from steelyard.words import count, percent

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Section:
    """One question and its answer as HTML."""

    anchor: str
    question: str
    body: Ready
    short: str = ""
    """What the navigation says in place of the question, of which it holds many."""


def needs(text: str) -> Ready:
    """One line that says what would be needed."""
    return tag("p", text, class_="needs")


def paragraphs(texts: Iterable[str]) -> list[Ready]:
    """Sentences, each on a line of its own."""
    return [tag("p", unbroken(t)) for t in texts]


# One model ------------------------------------------------------------------------------------------------------------


def told(evaluation: Evaluation) -> Ready:
    """The story of an evaluation; what outcomes are worth has a section of its own."""
    kind = evaluation.payoff.kind if evaluation.payoff is not None and evaluation.worth is not None else None
    return tag("p", " ".join(s.text for s in sentences(evaluation) if s.about != kind), class_="story")


def how_good(evaluation: Evaluation, chosen: Sequence[str] = ()) -> Ready:
    """The story in sentences, and pictures; those that were chosen, where any of them suits the evidence."""
    charts = evaluation.charts
    there = [name for name in shown_of(kind_of(evaluation)) if name in charts]
    drawn = [evaluation.chart(name) for name in ([n for n in there if n in chosen] or there)]
    pictures = [figure(c, wide=c.y.kind == "names" and c.size[0] > 500) for c in drawn]
    return join([told(evaluation), tag("div", pictures, class_="grid")])


def how_sure(evaluation: Evaluation, *, listed: bool = True) -> Ready:
    """Intervals as a picture, and every number in a table unless it is told elsewhere."""
    told = story.groups(evaluation, full=True)
    rows = [(r.name, r.value, r.interval, r.meaning) for g in told for r in g.rows]
    head = ("measure", "value", f"{percent(evaluation.confidence)} interval", "meaning")
    every = html_table(head, rows, "lrll", "Every measure")
    marks = [tag("p", text, class_="note") for text in story.marks(told)]
    n = evaluation[evaluation.measures[0]]
    words = f"All of it rests on {evaluation.rows:,} row{'' if evaluation.rows == 1 else 's'}"
    if n.n_eff is not None and n.n and abs(n.n_eff - n.n) > 1e-9 * n.n:
        words += f", which under their weights count like {count(round(n.n_eff / n.n * evaluation.rows))}"
    notes = story.notes(evaluation, story.groups(evaluation))
    parts = [tag("p", f"{words}."), *(tag("p", note[:1].upper() + note[1:], class_="note") for note in notes)]
    parts.append(chief_measures(evaluation))
    if listed:
        parts.append(tag("details", tag("summary", f"All {len(rows)} numbers"), every, marks, class_="every"))
    return join(parts)


def which_threshold(evaluation: Evaluation, model: str, name: str) -> Ready | None:
    """The workbench, with everything already filled in at the threshold in force."""
    if evaluation.scores is None:
        return None
    if not float(evaluation.scores.all_positives) or not float(evaluation.scores.all_negatives):
        return needs("A threshold needs rows of both classes.")
    return bench(evaluation, model, name)


def what_it_is_worth(evaluation: Evaluation) -> Ready | None:
    """Profit or cost beside the policies that need no model, its curve, and the best threshold in words."""
    worth = evaluation.worth
    if evaluation.payoff is None or worth is None:
        return None
    t = policy_table(worth)
    # The parts that hang on the amounts have names, so that they follow when an amount is changed on the page.
    policies = html_table(t.head, t.rows, t.align, f"{worth.measure.capitalize()} by policy")
    parts: list[Any] = [
        tag("div", paragraphs(worth_sentences(worth, evaluation)), data_role="worth-told"),
        tag("div", policies, data_role="worth-table"),
    ]
    if evaluation.scores is not None and evaluation.payoff.kind in evaluation.charts:
        from steelyard.views.threshold import threshold_sentences

        parts.append(tag("div", figure(evaluation.chart("cost_curve")), class_="grid"))
        parts.append(tag("h3", "The best threshold"))
        parts.append(tag("div", paragraphs(threshold_sentences(evaluation.best_threshold())), data_role="best-told"))
    return tag("div", parts)
