"""What is known of a measure beside its number: what it rests on, how it is told, where it leads, what it follows from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from steelyard.errors import UsageError, listing, nearest
from steelyard.results import Array, Estimate

EVIDENCE = ("scores", "classes", "labels", "numbers")
"""What models give: one score for two levels, scores of classes, labels, or a quantity."""

PLACES = {
    "text": "has a row in the text and Markdown reports, where others are named",
    "level": "has a column where levels stand below one another",
    "segment": "has a column where segments stand below one another",
    "story": "has a sentence in the story of an evaluation",
    "reason": "is among the reasons of a verdict, where others leave room",
    "judged": "is held against a model that knows nothing, in the story",
    "card": "has a card on the page",
    "details": "stands below the confusion matrix on its card",
    "forest": "has a line in the picture of intervals",
    "sweep": "has a line in the picture of all thresholds",
    "cuts": "is told for the first few per cent of the rows",
    "explorer": "is told beside the threshold that is moved on the page",
    "comparison": "is compared",
    "experiment": "has a column in the tables of an experiment",
    "champion": "is held against the champion's at the gate",
    "slice": "is what slices and segments are ordered by",
    "watch": "is watched, window by window",
    "looks": "is followed look by look, as a mean over rows",
    "learning": "is followed over more and more training rows",
    "stopping": "is followed over the iterations of a model",
    "order": "is missed by name where rows of several fits cannot be ranked",
    "unlabelled": "is told corrected where rows without a target are unlike the others",
    "astray": "says whether predictions no better than always saying the mean could be mended: by a shift, by another scale",
}
"""Where measures are shown though nobody named them."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The rows that a number is a share or a mean of, or rests on."""

    many: str
    one: str
    whole: frozenset[str]
    """The outcomes that count: tp, fn, fp, tn."""
    whose: str = ""
    """Whose rows they are, where every model has its own."""


def _of(outcomes: str) -> frozenset[str]:
    return frozenset(outcomes.split())


ROWS = Cases("rows", "row", _of("tp fn fp tn"))
POSITIVES = Cases("positives", "real positive", _of("tp fn"))
NEGATIVES = Cases("negatives", "real negative", _of("fp tn"))
_FLAGS = "the rows that a model flags or leaves"
FLAGGED = Cases("rows predicted positive", "row called positive", _of("tp fp"), _FLAGS)
LEFT = Cases("rows predicted negative", "row called negative", _of("fn tn"), _FLAGS)
UNIONS = (
    Cases("rows that are not true negatives", "row", _of("tp fn fp"), "the rows that are positive or called so"),
    Cases("rows that are not true positives", "row", _of("fn fp tn"), "the rows that are negative or called so"),
)
KNOWN = (ROWS, POSITIVES, NEGATIVES, FLAGGED, LEFT, *UNIONS)

Rank = float | Mapping[str, float]
ByRow = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a measure says of itself; every fact has a default that is right for an ordinary measure."""

    noun: str = ""
    """What it is called within a sentence ("AUC"); its name in words unless told."""
    title: str = ""
    """What it is called over a card or a picture; its noun unless told."""
    told: str | Callable[[Estimate], str] = ""
    """The sentence in which its number is told; {hundred} is a share as so many of 100, {value} the number, {limits} its ends."""
    told_of_level: str = ""
    """The same for one level against the rest, {level}."""
    rests_on: Cases | None = None
    """The cases that it is a share or a mean of; shares of labels say so themselves, and all others rest on the rarer class."""
    each_level: bool = False
    """Whether it stands or falls with its rarest level, as an average does in which all levels count the same."""
    leads: Mapping[str, Rank] = field(default_factory=dict)
    """The places where it is shown unasked (`PLACES`), each with its rank there, or with its rank by the kind of evidence; it is
    written "text, comparison 2, card labels 1 classes 2"."""
    curve: str = ""
    """The curve beside which it is told."""
    guess: tuple[float, str] | None = None
    """The value of a model that knows nothing, and what such a model is called: (0.5, "chance")."""
    without: Callable[[Any], float] | None = None
    """What the same rows give without a model, from the same summary, where that is no constant, as for accuracy."""
    goal: str = ""
    """The measure of labels whose size a threshold makes largest in its place, where it has no threshold of its own."""
    by_row: Mapping[str, ByRow] = field(default_factory=dict)
    """For a mean over rows the number of each row, by what models give: "labels": f(truth, said), "scores": f(outcome, score),
    "classes": f(place of the truth, classes × rows), "numbers": f(target, prediction); options come by name."""
    row_noun: str = "values"
    """What the numbers of the rows are called."""
    expected: Callable[..., Array] | None = None
    """What scores in increasing order let expect, for a number that is no mean over rows: of the positives of each score, be they
    labels or chances, of how many rows have it, and of the sum of the squares of all labels or chances."""
    unrelated: Callable[[Any], float] | None = None
    """What it would be of numbers of which target and prediction have nothing to do with each other, as spread as they are."""
    linear_in: tuple[str, float, float] | None = None
    """Another measure of which it is a linear function: (name, factor, constant)."""
    root_of: str = ""
    """Another measure of which it is the root."""
    skill_of: str = ""
    """Another measure, a loss, of which it is the part taken away from always saying the share of positives."""
    instead: str = ""
    """For a sum, which grows with the rows, the mean that is told in its place."""
    at_corners: bool | None = None
    """Whether it only rises or only falls as one more missing label turns out right; true of every share of labels."""
    ranks: bool = False
    """Whether it sets the predictions of rows against each other, so that they must come from one fit."""
    sought: str = ""
    """The side that a threshold is chosen for where neither is better in itself: "lower" for the share of rows flagged."""
    when: str = ""
    """When it is the right measure, and when it misleads, in a sentence or two with an example."""
    leans: str = ""
    """Which outcomes it looks at, and what a model must do to look good by it."""
    rows_alone: bool = False
    """Whether it is a matter of the rows alone, whatever a model says."""

    def rank(self, place: str, evidence: str = "") -> float | None:
        """Its rank in a place, for a kind of evidence; None where it is not shown unasked."""
        found = self.leads.get(place)
        return found.get(evidence) if isinstance(found, Mapping) else found


def facts_of(given: Mapping[str, Any]) -> Facts:
    """Facts by name; one that does not exist, or a place that does not, is refused.

    >>> facts = facts_of({"title": "Ranking", "leads": "text, card scores 1"})
    >>> facts.rank("text"), facts.rank("card", "scores"), facts.rank("card", "labels")
    (1.0, 1.0, None)
    """
    known = [f.name for f in fields(Facts)]
    for name in given:
        if name not in known:
            message = f'A measure has no fact "{name}".'
            raise UsageError(message, nearest(name, known) or f"There are {listing(known)}.")
    return Facts(**{**given, "leads": _places(given.get("leads", ""))})


def _places(text: object) -> dict[str, Rank]:
    """Places with ranks, as they are written down."""
    out: dict[str, Rank] = {}
    for part in str(text).split(",") if text else ():
        place, *ranks = part.split()
        if place not in PLACES:
            message = f'There is no place "{place}" where a measure could lead.'
            raise UsageError(message, nearest(place, PLACES) or f"There are {listing(PLACES)}.")
        try:
            plain = float(ranks[0]) if len(ranks) == 1 else 1.0
            out[place] = plain if len(ranks) < 2 else dict(zip(ranks[::2], map(float, ranks[1::2]), strict=True))
        except ValueError:
            message = f'"{part.strip()}" does not say where a measure leads.'
            raise UsageError(
                message, 'Write a place and a rank, as in "comparison 2" or "card labels 1 classes 2".'
            ) from None
    return out
