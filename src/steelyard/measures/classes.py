"""How well do scores of many classes do together? Hand and Till's AUC, top-k accuracy."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import Span
from steelyard.measures.measure import measure
from steelyard.measures.ranking import auc
from steelyard.results import Array, Codes, Ratio, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.scores import Scores


def _pairs(scores: ClassScores) -> list[Scores]:
    """Rows of two classes by the score of one, for every pair of them."""
    return [scores.table(i).between(i, j) for i in scores.levels for j in scores.levels if i != j]


def _pair_bound(scores: ClassScores) -> float:
    """The largest effect of the grid on the area of any pair."""
    values = [(t, float(auc(t).value)) for t in _pairs(scores)]
    return max((t.bound(auc, v) for t, v in values if np.isfinite(v)), default=0.0)


@measure(
    better="higher",
    range=(0, 1),
    bound=_pair_bound,
    aliases=("roc_auc_ovo", "multiclass_auc"),
    interval="hand_till",
    title="Ranking (Hand and Till)",
    told="Tells two rows of different classes apart {hundred} times in 100{limits}.",
    guess=(0.5, "chance"),
    ranks=True,
    leads=(
        "text, card classes 1, comparison 5, experiment classes 2, champion 2, slice 2, forest 12, "
        "story classes 1, judged classes 1, order 2"
    ),
    noun="AUC after Hand and Till",
)
def hand_till_auc(scores: ClassScores) -> Ratio:
    """Mean over all pairs of classes of the chance that the two are put in the right order (Hand and Till 2001).

    2 / (K (K − 1)) × Σ_{i<j} (A(i|j) + A(j|i)) / 2, where A(i|j) ranks rows of i and j by the score of i.

    >>> m = ClassScores.of({"a": [0.7, 0.2, 0.4], "b": [0.2, 0.5, 0.3], "c": [0.1, 0.3, 0.3]}, ["a", "b", "c"])
    >>> print(hand_till_auc(m))
    0.917
    """
    areas = [auc(t).value for t in _pairs(scores)]
    if not areas:
        return Ratio(0.0, 0.0, "needs at least two classes")
    return Ratio(np.mean(np.broadcast_arrays(*areas), axis=0), 1.0, "a class has no rows")


def _among(codes: Codes, x: Array, *, k: int = 2) -> Array:
    mine = x[codes, np.arange(len(codes))]
    above, tied = (x > mine).sum(axis=0), (x == mine).sum(axis=0)
    return np.asarray(np.clip((int(k) - above) / tied, 0.0, 1.0))


@measure(
    better="higher",
    range=(0, 1),
    aliases=("top_k",),
    told="Has the true class among its first {k} in {hundred} of 100 rows{limits}.",
    by_row={"classes": _among},
    leads="text",
    noun="top-k accuracy",
)
def top_k_accuracy(scores: ClassScores, *, k: Annotated[int, Span(1, 1000, whole=True)] = 2) -> Share:
    """Share of rows whose true class is among the k highest scores; ties count as they would in random order.

    With a classes above and t tied, itself included, the true class is in with chance (k − a) / t, at most 1.

    >>> m = ClassScores.of({"a": [0.7, 0.2, 0.4], "b": [0.2, 0.5, 0.3], "c": [0.1, 0.3, 0.3]}, ["a", "b", "c"])
    >>> print(top_k_accuracy(m, k=2))
    0.833 (2.5 of 3)
    """
    size = scores.ranks.shape[-2]
    above = np.arange(size)[:, None]
    tied = np.maximum(np.arange(scores.ranks.shape[-1])[None, :], 1)
    chance = np.clip((min(int(k), size) - above) / tied, 0.0, 1.0)
    return Share((scores.ranks * chance).sum(axis=(-2, -1)), scores.total, empty="no rows")
