"""What changed between two evaluations: every chief number, of the whole and of its segments, with the interval of its change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import confidence_of, shown
from steelyard.arguments.annotated import as_annotated
from steelyard.asking.answering import Answering
from steelyard.comparisons.independent import check_alike, difference
from steelyard.comparisons.prevalence import prevalence_of, unlike
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.files.as_json import AsJson
from steelyard.measures.measure import find, leading
from steelyard.payoffs.kinds import KINDS
from steelyard.results import Difference, make_frame
from steelyard.summaries.segments import Key, names_of
from steelyard.verdicts.change import CHANGE, word_of_all
from steelyard.verdicts.comparison import CLEAR
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

CHIEF = 3
"""Of the measures that lead a comparison so many are looked at, beside what outcomes are worth and what the threshold does."""


@dataclass(frozen=True, slots=True)
class Change(AsJson):
    """One number in both evaluations, and by how much the new one exceeds the old."""

    difference: Difference
    segment: str | None = None
    """Of which part of the rows; None for all of them."""

    @property
    def clear(self) -> bool:
        """Whether it is better or worse beyond doubt, counting everything that is looked at beside it."""
        return self.difference.verdict in CLEAR


@dataclass(frozen=True)
class Changes(AsJson, ToldInSentences):
    """What changed, number by number: of all rows, then of the segments that both evaluations have."""

    left_out: ClassVar[tuple[str, ...]] = ("old", "new")
    told_too: ClassVar[tuple[str, ...]] = ("verdict", "prevalences")
    as_text: ClassVar[str] = "changes.changes_text"
    as_verdict: ClassVar[str] = "foremost.changes_conclusion"

    old: Evaluation
    new: Evaluation
    names: tuple[str, str]
    whole: tuple[Change, ...]
    parts: tuple[Change, ...]
    confidence: float
    """At which all changes of the whole hold at once, and all of the parts."""
    only: tuple[tuple[str, ...], tuple[str, ...]]
    """Segments that only the old or only the new one has."""

    @property
    def prevalences(self) -> tuple[float, ...]:
        """The share of positives in the old and in the new one; empty where there is no positive level."""
        found = [x for x in map(prevalence_of, (self.old, self.new)) if x is not None]
        return tuple(found) if len(found) == 2 else ()

    @property
    def other_rows(self) -> bool:
        """Whether the share of positives has changed so much that some numbers change with it."""
        return unlike(self.prevalences)

    @property
    def verdict(self) -> Verdict:
        """Better, worse, both, or no clear change."""
        found = [c.difference for c in self.whole]
        return self.in_words(CHANGE(word_of_all(found), *found, confidence=self.confidence, looks=len(found)))

    def frame(self) -> Any:
        """One row a number."""
        rows = [_row(c) for c in (*self.whole, *self.parts)]
        return make_frame({k: [row[k] for row in rows] for k in rows[0]})


def _row(change: Change) -> dict[str, Any]:
    d = change.difference
    told = {"segment": change.segment, "measure": d.measure, "old": d.values[1], "new": d.values[0], "change": d.value}
    return told | {"low": d.low, "high": d.high, "p_value": d.p_value, "verdict": d.verdict, "method": d.method}


@as_annotated()
def changes(
    old: Evaluation,
    new: Evaluation,
    *,
    measures: Sequence[str] | None = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("old", "new"),
) -> Changes:
    """What changed from one evaluation to another on different rows, such as March and April of the same model.

    Without `measures` the chief ones are looked at, what outcomes are worth, and recall and precision at the threshold. Intervals
    and verdicts hold for all numbers of the whole at once, and for all of the segments at once (Bonferroni).

    >>> from steelyard import evaluate
    >>> march = evaluate(confusion=[[400, 100], [60, 440]], levels=[1, 0])
    >>> april = evaluate(confusion=[[330, 170], [60, 440]], levels=[1, 0])
    >>> c = changes(march, april, measures=["recall", "precision"])
    >>> print(c.verdict, "/", c.whole[0].difference)
    worse / −0.140 [−0.201, −0.077]
    """
    confidence = confidence_of(confidence)
    _check(old, new, names)
    names = str(names[0]), str(names[1])
    if old == new:
        message = "Both hold the same evidence: nothing changed, or one is a copy of the other."
        raise UsageError(message, "Give the earlier evaluation first and a later one second.")
    check_alike(old, new, names)
    chosen = _chosen(old, new, measures)
    whole = _changes(chosen, confidence, names, [(None, old, new)])
    before, after = old.segments.by_key, new.segments.by_key
    told = names_of([*before, *(key for key in after if key not in before)])
    shared = [(told[key], before[key], part) for key, part in after.items() if key in before]
    parts = _changes(chosen[:1], confidence, names, shared)
    only = _without(before, after, told), _without(after, before, told)
    return Changes(old, new, names, whole, parts, confidence, only)


def _check(old: object, new: object, names: object) -> None:
    for x in (old, new):
        if not isinstance(x, Answering):
            message = f"Two evaluations are held against each other, and {shown(x)} came."
            raise UsageError(message, 'Evaluate the rows first, or read what was saved: sy.load("march.json").')
    if not (isinstance(names, tuple | list) and len(names) == 2):
        message = f"The two evaluations have a name each, and {shown(names)} came."
        raise UsageError(message, f"For example {option('names', ('March', 'April'))}.")


def _without(those: Mapping[Key, Any], others: Mapping[Key, Any], told: Mapping[Key, str]) -> tuple[str, ...]:
    return tuple(told[key] for key in those if key not in others)


def _chosen(old: Evaluation, new: Evaluation, measures: Sequence[str] | None) -> list[str]:
    common = [n for n in new.measures if n in old.measures and find(n).better in ("higher", "lower")]
    if measures is not None:
        named = [find(n).name for n in ([measures] if isinstance(measures, str) else measures)]
        for name in named:
            if name not in common:
                message = f'Not both evaluations answer "{name}".'
                raise NotAvailable(message, f"What they share: {listing(common)}.")
        if not named:
            message = "There is no measure to look at: an empty list came."
            raise UsageError(message, f"Name at least one, or leave {option('measures')} out for the chief ones.")
        return list(dict.fromkeys(named))
    chief = [n for n in leading("comparison") if n in common][:CHIEF]
    worth = [n for n in KINDS if n in common]
    cut = [n for n in leading("story", "outcomes") if n in common and new.positive is not None]
    return list(dict.fromkeys([*chief, *worth, *cut])) or common[:1]


def _changes(
    measures: list[str],
    confidence: float,
    names: tuple[str, str],
    segments: Sequence[tuple[str | None, Evaluation, Evaluation]],
) -> tuple[Change, ...]:
    """At the confidence that holds for all of them at once."""
    looks = len(measures) * len(segments)
    each = 1 - (1 - confidence) / max(looks, 1)
    return tuple(
        Change(difference(new, old, m, confidence=each, names=names[::-1]), segment)
        for segment, old, new in segments
        for m in measures
    )
