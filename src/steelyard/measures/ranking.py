"""Are the scores in the right order? ROC index, KS, average precision, gain and lift."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import SHARE
from steelyard.measures.facts import POSITIVES
from steelyard.measures.flagged import capture_at, cumulative, rates
from steelyard.measures.measure import measure
from steelyard.results import Array, Quotient, Ratio, Share, divide
from steelyard.summaries.remembering import MANY, Remembered
from steelyard.summaries.score_sums import stretches
from steelyard.summaries.scores import Scores

BLOCK = 1 << 15
LONG = 1 << 22
"""Tables longer than this are walked by compiled code if Numba is installed: to load that takes as long as to walk one of these."""
BOTH = "needs at least one positive and one negative"


def pairs_won(scores: Scores) -> Array:
    """Weight of (positive, negative) pairs in which the positive scores higher, ties counting one half."""
    if (known := _WON.known(scores)) is not None:
        return known
    if scores.in_order is not None:
        return np.asarray(placement_sums(scores)[0])
    p, n = scores.positives, scores.negatives
    if p.ndim == 1 and len(p) > BLOCK:
        return np.asarray(placement_sums(scores)[0])
    return _WON.keep(np.asarray((p * (np.cumsum(n, axis=-1) - n / 2)).sum(axis=-1)), scores)


_WON = Remembered[Array](MANY)
_PLACEMENT_SUMS = Remembered[tuple[float, float, float]](MANY)
_GAPS = Remembered[Array](MANY)
_AVERAGE = Remembered[Array](MANY)


def placement_sums(scores: Scores) -> tuple[float, float, float]:
    """Σ p b, Σ p b² and Σ n a², with b the negatives below a cell and a the positives above it, ties counting one half.

    Long tables are worked through in blocks that stay in the processor's cache, and once only.
    """
    if (known := _PLACEMENT_SUMS.known(scores)) is not None:
        return known
    if (rows := scores.in_order) is not None:
        sums = rows.sums
        return _PLACEMENT_SUMS.keep((sums.won, sums.from_ones, sums.from_above), scores)
    p, n = scores.positives, scores.negatives
    above = float(scores.all_positives)
    if len(p) > LONG:
        try:
            from steelyard.measures.scan import placement_walk
        except ImportError:
            pass
        else:
            won, from_positives, from_negatives = placement_walk(p, n, above)
            return _PLACEMENT_SUMS.keep((float(won), float(from_positives), float(from_negatives)), scores)
    won = from_positives = from_negatives = below = 0.0
    for start in range(0, len(p), BLOCK):
        pb, nb = p[start : start + BLOCK], n[start : start + BLOCK]
        up, down = np.cumsum(nb), np.cumsum(pb)
        b, a = below + up - nb / 2, above - down + pb / 2
        won += float((pb * b).sum())
        from_positives += float((pb * b * b).sum())
        from_negatives += float((nb * a * a).sum())
        below += float(up[-1])
        above -= float(down[-1])
    return _PLACEMENT_SUMS.keep((won, from_positives, from_negatives), scores)


def _expected_area(score: Array, y: Array, many: Array | None = None, own: Array | None = None) -> Array:
    """The area of scores in increasing order, for chances of being positive as well as for labels: no row is a pair with itself.

    Where `many` rows have a score, `y` of them are positive, and `own` is the sum of squares over all rows.
    """
    many = np.ones(len(score)) if many is None else many
    _, place = np.unique(score, return_inverse=True)
    ties = np.bincount(place, many)
    rank = (ties.cumsum() - (ties - 1) / 2)[place]
    n1, own = y.sum(axis=-1), (y * y).sum(axis=-1) if own is None else own
    return divide((y * rank).sum(axis=-1) - n1 - (n1**2 - own) / 2, n1 * (many.sum() - n1) - (n1 - own))


def _area_bound(scores: Scores) -> float:
    """In a shared cell at best every positive comes above every negative, at worst below; ties were taken for halves."""
    p, n = scores.positives, scores.negatives
    pairs = float(scores.all_positives) * float(scores.all_negatives)
    return float((p * n)[scores.cells.blurred].sum() / 2) / pairs if pairs else 0.0


def _twice_the_area_bound(scores: Scores) -> float:
    return 2 * _area_bound(scores)


def _turned(scores: Scores, value: float) -> str:
    """A hint where positives score lower than negatives more often than not."""
    if float(pairs_won(scores)) * 2 >= float(scores.all_positives) * float(scores.all_negatives):
        return ""
    return "positives score lower than negatives: if a high score is meant to say negative, turn the score round"


@measure(
    better="higher",
    range=(0, 1),
    aliases=("roc_auc", "roc_index", "auroc", "c_statistic", "area_under_curve"),
    interval="area",
    bound=_area_bound,
    remark=_turned,
    noun="AUC",
    title="Ranking (AUC)",
    told="Ranks a positive above a negative {hundred} times in 100{limits}.",
    told_of_level="Ranks a row of {level} above any other {hundred} times in 100{limits}.",
    curve="roc",
    guess=(0.5, "chance"),
    expected=_expected_area,
    leads=(
        "text, level 4, segment 1, card scores 1, comparison 1, experiment scores 1, champion 1, slice 1, "
        "watch scores 1, forest 1, story scores 1, judged scores 1, order 1, unlabelled 2"
    ),
    when=(
        "To compare rankings before a threshold is chosen. It does not change with the share of positives, so it "
        "is robust where one level is rare; what precision is there it does not tell."
    ),
    leans="Every pair of a positive and a negative counts alike, wherever in the ranking it stands.",
)
def auc(scores: Scores) -> Ratio:
    """Chance that a positive scores above a negative, ties counting one half: the area under the ROC curve.

    P(s⁺ > s⁻) + P(s⁺ = s⁻) / 2

    >>> print(auc(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.875
    """
    return Ratio(pairs_won(scores), scores.all_positives * scores.all_negatives, empty=BOTH)


@measure(better="higher", range=(0, 1), aliases=("pauc",), interval="area", noun="partial AUC")
def partial_auc(scores: Scores, *, fpr: Annotated[float, SHARE] = 0.1) -> Ratio:
    """Area under the ROC curve where the false positive rate is at most `fpr`; at best `fpr` itself.

    >>> print(partial_auc(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1), fpr=0.5))
    0.25
    """
    tpr, x = rates(scores)
    limit = float(fpr)
    if x.ndim == 1:
        # Beyond the end nothing is added.
        tpr, x = (v[: max(int(np.searchsorted(x, limit)), 1) + 1] for v in (tpr, x))
    left, right = x[..., :-1], x[..., 1:]
    width = np.maximum(np.minimum(right, limit) - left, 0.0)
    inside = width / np.where(right > left, right - left, 1.0)
    area = (width * (tpr[..., :-1] + inside * (tpr[..., 1:] - tpr[..., :-1]) / 2)).sum(axis=-1)
    return Ratio(area, 1.0, empty=BOTH)


@measure(
    better="higher",
    range=(-1, 1),
    aliases=("accuracy_ratio", "somers_d", "gain_capture"),
    interval="area",
    bound=_twice_the_area_bound,
    remark=_turned,
    linear_in=("auc", 2.0, -1.0),
    noun="Gini coefficient",
)
def gini(scores: Scores) -> Ratio:
    """2 AUC − 1: 0 for random order, 1 for perfect; also Somers' D and the accuracy ratio of the gain curve.

    >>> print(gini(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.75
    """
    pairs = scores.all_positives * scores.all_negatives
    return Ratio(2 * pairs_won(scores) - pairs, pairs, empty=BOTH)


@measure(
    better="higher",
    range=(-1, 1),
    aliases=("lq",),
    interval="area",
    bound=_twice_the_area_bound,
    remark=_turned,
    linear_in=("auc", 2.0, -1.0),
    noun="L-quality",
)
def l_quality(scores: Scores) -> Ratio:
    """Area of the gain curve above random, over that of a perfect order: (2 S − 1) / (1 − b). Equal to Gini.

    >>> print(l_quality(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.75
    """
    return gini(scores)


@measure(
    better="higher",
    range=(0, 1),
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    interval="ks",
    curve="ks",
    title="Separation (KS)",
    goal="youden",
    without=lambda _: 0.0,
    leads="text, forest 2",
    when="Where one cut is to part the two levels best.",
    leans="The one threshold at which the levels lie furthest apart.",
    noun="KS",
)
def ks(scores: Scores) -> Ratio:
    """Greatest gap between the cumulative shares of positives and negatives: max |TPR − FPR| over thresholds.

    >>> print(ks(Scores.of([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], positive=1)))
    0.5
    """
    if (gap := _GAPS.known(scores)) is None:
        tpr, fpr = rates(scores)
        some = stretches(tpr.shape[-1]) if tpr.ndim == 1 else [slice(None)]
        # Of a stretch without a number nothing else comes either.
        gap = _GAPS.keep(np.maximum.reduce([np.abs(tpr[..., s] - fpr[..., s]).max(axis=-1) for s in some]), scores)
    return Ratio(gap, 1.0, empty=BOTH)


def _precision_bound(scores: Scores) -> float:
    """In a shared cell at best all positives come first and together, at worst last and one by one."""
    if not scores.all_positives > 0:
        return 0.0
    best, _ = scores.extremes()
    tp, fp = cumulative(scores)
    p, n = scores.positives[::-1], scores.negatives[::-1]
    before, after = tp[:-1] + fp[:-1] + n, tp[1:] + fp[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        one_by_one = np.where(before > 0, p - (fp[:-1] + n) * np.log(after / before), p)
        together = np.where(after > 0, p * tp[1:] / after, 0.0)
    worst = np.where(scores.cells.blurred[::-1], one_by_one, together).sum() / tp[-1]
    value = float(average_precision(scores).value)
    return max(abs(float(average_precision(best).value) - value), abs(float(worst) - value))


@measure(
    better="higher",
    range=(0, 1),
    aliases=("pr_auc", "ap"),
    interval="precision",
    bound=_precision_bound,
    rests_on=POSITIVES,
    without=lambda s: float(s.all_positives / s.total),
    leads="text, forest 3",
    when="Where positives are rare and those at the top of the list are what matters.",
    leans="To the rows with the highest scores.",
)
def average_precision(scores: Scores) -> Ratio:
    """Precision averaged over the positives as they are found: Σ (recall_i − recall_{i−1}) × precision_i.

    >>> print(average_precision(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1)))
    0.833
    """
    tp, fp = cumulative(scores)
    if (found := _AVERAGE.known(scores)) is None:
        p, tp1, fp1 = scores.positives[..., ::-1], tp[..., 1:], fp[..., 1:]
        some = stretches(p.shape[-1]) if p.ndim == 1 else [slice(None)]
        found = _AVERAGE.keep(np.sum([_found(p[..., s], tp1[..., s], fp1[..., s]) for s in some], axis=0), scores)
    return Ratio(found, tp[..., -1], empty="no real positives")


def _found(p: Array, tp: Array, fp: Array) -> Array:
    """Positives times the precision at which they are found, added up."""
    precision = tp + fp
    np.copyto(precision, 1.0, where=precision <= 0)
    np.divide(tp, precision, out=precision)
    precision *= p
    return np.asarray(precision.sum(axis=-1))


def captured_between(scores: Scores, low: float, high: float) -> Share:
    """The share of all positives that lie between two depths."""
    found = capture_at(scores, high) - (capture_at(scores, low) if low else 0.0)
    return Share(found, scores.all_positives, empty="no real positives")


@measure(
    better="higher",
    range=(0, 1),
    aliases=("gain", "capture_rate", "cumulative_gain"),
    interval="captured",
    rests_on=POSITIVES,
    told="The {depth} of rows with the highest scores hold {hundred} of 100 positives{limits}.",
    leads="text",
    when="Where only so many rows can be contacted: how many of all positives are among them.",
    leans="The rows above one depth alone; their order there does not count.",
)
def capture(scores: Scores, *, depth: Annotated[float, SHARE] = 0.1) -> Share:
    """Share of all positives found among the first `depth` of rows by score: the gain curve read at one depth.

    >>> print(capture(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1), depth=0.25))
    0.500 (1 of 2)
    """
    return Share(capture_at(scores, float(depth)), scores.all_positives, empty="no real positives")


@measure(
    aliases=("cumulative_lift",),
    better="higher",
    range=(0, float("inf")),
    interval="captured",
    title="Lift in the top tenth",
    rests_on=POSITIVES,
    told="The {depth} of rows with the highest scores hold {value} times as many positives as a random pick{limits}.",
    leads="text, story depth 1",
    when="Where only so many rows can be contacted: how much better than contacting as many at random.",
    leans="The rows above one depth alone; where most rows are positive it cannot be large.",
)
def lift(scores: Scores, *, depth: Annotated[float, SHARE] = 0.1) -> Ratio:
    """How many times more positives the first `depth` of rows holds than a random pick: capture / depth.

    >>> print(lift(Scores.of([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], positive=1), depth=0.25))
    2
    """
    return Ratio(capture_at(scores, float(depth)) / float(depth), scores.all_positives, empty="no real positives")


def _ratio_bound(scores: Scores, depth: float) -> float:
    """As far as the best and the worst order of shared cells; nothing bounds it where one of them leaves no positives below."""
    value, *ends = (float(response_ratio(x, depth=depth).value) for x in (scores, *scores.extremes()))
    return max((abs(v - value) if np.isfinite(v) else float("inf") for v in ends), default=0.0)


@measure(
    better="higher",
    range=(0, float("inf")),
    interval="captured_odds",
    bound=_ratio_bound,
    rests_on=POSITIVES,
    when="Where some rows are contacted and the others are not: how much more often those contacted respond.",
    leans="The rows above one depth against all below it.",
)
def response_ratio(scores: Scores, *, depth: Annotated[float, SHARE] = 0.1) -> Quotient:
    """Share of positives among the first `depth` of rows by score, over that among the rest.

    >>> round(float(response_ratio(Scores.of([0.1, 0.4, 0.6, 0.9], [1, 0, 1, 1], positive=1), depth=0.5).value), 3)
    2.0
    """
    found, rows, positives = capture_at(scores, float(depth)), scores.total, scores.all_positives
    # What sums of weights leave over is no positive.
    rest = np.where(positives - found > 1e-12 * positives, positives - found, 0.0)
    top = Share(found, depth * rows, empty="no rows")
    return Quotient(top, Share(rest, (1 - depth) * rows), empty="no positives below that depth")
