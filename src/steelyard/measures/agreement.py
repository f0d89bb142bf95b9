"""Are the labels right? Accuracy, recall, precision, F, kappa and their kin, all read from counts."""

from __future__ import annotations

import operator
from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import Span
from steelyard.measures.disagreement import ALIKE, SQUARES, STEPS, disagreement
from steelyard.measures.facts import POSITIVES
from steelyard.measures.measure import measure
from steelyard.results import Average, Ratio, Share
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.words import percent, quoted

NO_POSITIVES = "no real positives"
NO_NEGATIVES = "no real negatives"
AGREE = "Labels and truth agree by {value}, where 0 is chance and 1 perfect{limits}."


def _commonest(confusion: Confusion, value: float) -> str:
    """What always saying the commonest level would get, beside which a share of right rows must be seen."""
    best = float(confusion.actual.max() / confusion.total)
    return f"always saying {quoted(confusion.levels[int(np.argmax(confusion.actual))])} would get {percent(best)} right"


@measure(
    better="higher",
    range=(0, 1),
    aliases=("acc", "correct_rate", "genauigkeit", "classification_accuracy"),
    remark=_commonest,
    told="Gets {hundred} of 100 rows right{limits}.",
    by_row={"labels": operator.eq},
    without=lambda c: float(c.actual.max() / c.total),
    leads=(
        "text, card classes 2 labels 1 outcomes 3, comparison 2, experiment scores 2 classes 1 labels 1, champion 4, slice 3, "
        "watch labels 1 classes 1, learning scores 2 classes 2 labels 2, segment labels 2 classes 2, sweep 5, "
        "forest 4, details 5, explorer 6, story levels 1, unlabelled 3, reason labels 1 classes 1"
    ),
    when=(
        "Where a miss and a false alarm cost the same and no level is rare. Of 10,000 rows with 10 positives, "
        "always saying negative gets 99.9% right and finds nobody."
    ),
    leans="All four outcomes count alike, so the commonest level decides.",
)
def accuracy(confusion: Confusion) -> Share:
    """Share of rows whose predicted level is the actual one.

    (TP + TN) / N for two levels, trace / N for any number.

    >>> print(accuracy(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.750 (15 of 20)
    """
    return Share(confusion.correct, confusion.total, empty="no rows")


@measure(
    better="lower",
    range=(0, 1),
    aliases=(
        "misclassification_rate",
        "fehlerrate",
        "error",
        "misclassification",
        "classification_error",
        "hamming_loss",
        "zero_one_loss",
    ),
    remark=_commonest,
    told="Gets {hundred} of 100 rows wrong{limits}.",
    by_row={"labels": operator.ne},
    leads="looks scores 2 labels 1, stopping scores 2 labels 1",
    when="As accuracy: where all mistakes cost the same. On a rare level it is small for a model that finds nobody.",
    leans="All four outcomes count alike, so the commonest level decides.",
)
def error_rate(confusion: Confusion) -> Share:
    """Share of rows whose predicted level is wrong: 1 − accuracy.

    >>> print(error_rate(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.250 (5 of 20)
    """
    return Share(confusion.wrong, confusion.total, empty="no rows")


@measure(
    better="higher",
    range=(0, 1),
    aliases=("tpr", "sensitivity", "hit_rate", "true_positive_rate"),
    told="Finds {hundred} of 100 real positives{limits}.",
    told_of_level="Finds {hundred} of 100 rows of {level}{limits}.",
    without=lambda o: float((o.tp + o.fp) / (o.positives + o.negatives)),
    leads=(
        "text, level 1, segment 3, sweep 1, forest 5, details 1, explorer 1, story outcomes 1, unlabelled 1, "
        "card scores 2 outcomes 1, cuts 2"
    ),
    when="Where a miss costs more than a false alarm: the emergency calls of a hospital, a test for cancer.",
    leans="Looks at tp and fn alone: flagging every row makes it 1.",
)
def recall(outcomes: Outcomes) -> Share:
    """Share of real positives that were found: TP / (TP + FN).

    >>> print(recall(Outcomes(tp=8, fn=4, fp=2, tn=86)))
    0.667 (8 of 12)
    """
    return Share(outcomes.tp, outcomes.positives, empty=NO_POSITIVES)


@measure(
    better="higher",
    range=(0, 1),
    aliases=("tnr", "true_negative_rate", "selectivity"),
    told="Leaves {hundred} of 100 real negatives alone{limits}.",
    without=lambda o: float((o.fn + o.tn) / (o.positives + o.negatives)),
    leads="text, sweep 2, forest 6, details 2, explorer 4",
    when="Where leaving negatives alone matters, beside recall, which says nothing of them.",
    leans="Looks at tn and fp alone: flagging nobody makes it 1.",
)
def specificity(outcomes: Outcomes) -> Share:
    """Share of real negatives that were left alone: TN / (TN + FP).

    >>> print(specificity(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.818 (9 of 11)
    """
    return Share(outcomes.tn, outcomes.negatives, empty=NO_NEGATIVES)


@measure(
    better="lower",
    range=(0, 1),
    aliases=("false_positive_rate", "fall_out", "false_alarm_rate", "false_alarms"),
    told="Flags {hundred} of 100 real negatives by mistake{limits}.",
    leads="explorer 2",
    when="Where false alarms are counted against all negatives: one axis of the ROC curve.",
    leans="Looks at fp and tn alone: flagging nobody makes it 0.",
    noun="false positive rate",
)
def fpr(outcomes: Outcomes) -> Share:
    """Share of real negatives that were flagged by mistake: FP / (FP + TN).

    >>> print(fpr(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.182 (2 of 11)
    """
    return Share(outcomes.fp, outcomes.negatives, empty=NO_NEGATIVES)


@measure(
    better="lower",
    range=(0, 1),
    aliases=("false_negative_rate", "miss_rate"),
    told="Misses {hundred} of 100 real positives{limits}.",
    when="Where misses are what hurts: the other side of recall.",
    leans="Looks at fn and tp alone: flagging every row makes it 0.",
    noun="false negative rate",
)
def fnr(outcomes: Outcomes) -> Share:
    """Share of real positives that were missed: FN / (FN + TP).

    >>> print(fnr(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.333 (3 of 9)
    """
    return Share(outcomes.fn, outcomes.positives, empty=NO_POSITIVES)


@measure(
    better="higher",
    range=(0, 1),
    aliases=("ppv", "positive_predictive_value"),
    told="Of 100 rows it flags, {hundred} are real positives{limits}.",
    told_of_level="Of 100 rows called {level}, {hundred} are{limits}.",
    without=lambda o: float(o.positives / (o.positives + o.negatives)),
    leads=(
        "text, level 2, segment 4, sweep 3, forest 7, details 3, explorer 3, story outcomes 2, "
        "card scores 3 outcomes 2, cuts 1"
    ),
    when="Where a false alarm costs more than a miss: stopping the machines of a factory, throwing mail away as spam.",
    leans="Looks at tp and fp alone: flagging the one surest row may make it 1.",
)
def precision(outcomes: Outcomes) -> Share:
    """Share of predicted positives that are real: TP / (TP + FP).

    >>> print(precision(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.750 (6 of 8)
    """
    return Share(outcomes.tp, outcomes.tp + outcomes.fp, empty="nothing was predicted positive")


@measure(
    better="higher",
    range=(0, 1),
    aliases=("negative_predictive_value",),
    told="Of 100 rows it does not flag, {hundred} are real negatives{limits}.",
    noun="negative predictive value",
)
def npv(outcomes: Outcomes) -> Share:
    """Share of predicted negatives that are real: TN / (TN + FN).

    >>> print(npv(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.750 (9 of 12)
    """
    return Share(outcomes.tn, outcomes.tn + outcomes.fn, empty="nothing was predicted negative")


@measure(
    better="higher",
    range=(0, 1),
    aliases=("f", "f_score", "f_measure", "f1_score", "f1_measure"),
    interval="harmonic",
    rests_on=POSITIVES,
    at_corners=True,
    leads="text, level 3, sweep 4, forest 8, details 4, explorer 5",
    when="Where both precision and recall matter and nobody knows which costs more.",
    leans=(
        "Looks at tp, fn and fp, never at tn. A harmonic mean tends to the smaller of the two: a high precision "
        "cannot hide a low recall."
    ),
    noun="F1",
)
def f1(outcomes: Outcomes) -> Ratio:
    """Harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN).

    >>> print(f1(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.706
    """
    return Ratio(2 * outcomes.tp, 2 * outcomes.tp + outcomes.fp + outcomes.fn, empty="no positives, real or predicted")


@measure(better="higher", range=(0, 1), aliases=("fbeta",), rests_on=POSITIVES, at_corners=True, noun="F-beta")
def f_beta(outcomes: Outcomes, *, beta: Annotated[float, Span(0)] = 2.0) -> Ratio:
    """Precision and recall with recall counted beta times as much: (1 + β²) TP / ((1 + β²) TP + β² FN + FP).

    >>> print(f_beta(Outcomes(tp=6, fn=3, fp=2, tn=9), beta=2))
    0.682
    """
    # Above 1 everything is divided by β², so that no β is too large to be squared.
    b = min(float(beta), 1.0) ** 2
    one = 1.0 if beta <= 1 else (1 / float(beta)) ** 2
    return Ratio(
        (one + b) * outcomes.tp,
        (one + b) * outcomes.tp + b * outcomes.fn + one * outcomes.fp,
        empty="no positives, real or predicted",
    )


@measure(
    better="higher",
    range=(0, 1),
    aliases=("csi", "critical_success_index", "threat_score", "iou"),
    told="Of 100 rows that are positive or called so, {hundred} are both{limits}.",
    told_of_level="Of 100 rows that are {level} or called so, {hundred} are both{limits}.",
    leads="text",
    noun="Jaccard index",
)
def jaccard(outcomes: Outcomes) -> Share:
    """Share of rows positive in truth or prediction that are so in both: TP / (TP + FN + FP).

    >>> print(jaccard(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.545 (6 of 11)
    """
    return Share(outcomes.tp, outcomes.tp + outcomes.fn + outcomes.fp, empty="no positives, real or predicted")


def _recalls(confusion: Confusion) -> tuple[Share, ...]:
    hits, actual = confusion.hits, confusion.actual  # sums over the whole table, taken once
    return tuple(
        Share(hits[..., i], actual[..., i], empty=f"no rows of level {level!r}")
        for i, level in enumerate(confusion.levels)
    )


@measure(
    better="higher",
    range=(0, 1),
    aliases=("balanced_accuracy", "average_recall"),
    each_level=True,
    told="Finds {hundred} of 100 rows of a level, all levels counting the same{limits}.",
    at_corners=True,
    without=lambda c: 1 / len(c.levels),
    leads="card classes 3 labels 2, comparison 6, experiment labels 2, forest 13, story levels 2",
    when=(
        "Where levels are of very different size and each matters as much: 90% right may be 1 of 10 of the rare level."
    ),
    leans="Each level counts alike, however many rows it has.",
)
def average_class_accuracy(confusion: Confusion) -> Average:
    """Mean of the recalls of all levels, each level counting the same.

    >>> float(average_class_accuracy(Confusion.of([[1, 9], [0, 90]], levels=("churn", "stay"))).value)
    0.55
    """
    k = len(confusion.levels)
    return Average(_recalls(confusion), (1.0 / k,) * k, empty="a level has no rows")


@measure(
    better="higher",
    range=(0, 1),
    aliases=("average_class_accuracy_harmonic",),
    each_level=True,
    when="As the arithmetic mean, where no level may be neglected.",
    leans="A harmonic mean tends to the smallest recall: one level that is missed pulls it down.",
    noun="harmonic average class accuracy",
)
def average_class_accuracy_hm(confusion: Confusion) -> Ratio:
    """Harmonic mean of the recalls of all levels; 0 if any recall is 0, so one bad level weighs heavily.

    1 / mean(1 / recall_l)

    >>> print(average_class_accuracy_hm(Confusion.of([[1, 9], [0, 90]], levels=("churn", "stay"))))
    0.182
    """
    values = np.stack(np.broadcast_arrays(*[s.value for s in _recalls(confusion)]), axis=-1)
    lost = np.isnan(values).any(axis=-1)
    zero = (values == 0).any(axis=-1)
    # In units of the least recall, which in a replicate may be too small to be turned over.
    fine = np.where(values > 0, values, 1.0)
    least = fine.min(axis=-1)
    mean = least / (least[..., None] / fine).mean(axis=-1)
    return Ratio(np.where(zero, 0.0, mean), np.where(lost, 0.0, 1.0), empty="a level has no rows")


def _kappa(confusion: Confusion, kind: int) -> Ratio:
    seen, chance = disagreement(confusion, kind)
    return Ratio(chance - seen, chance, empty="one level alone: agreement by chance is already complete")


@measure(
    better="higher",
    range=(-1, 1),
    aliases=("cohen_kappa", "cohens_kappa"),
    told=AGREE,
    guess=(0.0, "guessing"),
    leads="card labels 3 outcomes 4, comparison 7, experiment labels 3, details 6, forest 14, judged labels 1",
    when="Where accuracy must be seen beside what agreement by chance would give.",
    leans="All cells of the matrix, less what their margins let expect.",
)
def kappa(confusion: Confusion) -> Ratio:
    """Agreement beyond chance: (accuracy − pe) / (1 − pe), with pe = Σ actual_l × predicted_l / N².

    >>> print(kappa(Confusion.of([[113, 8], [87, 409]], levels=(1, 0))))
    0.608
    """
    return _kappa(confusion, ALIKE)


@measure(better="higher", range=(-1, 1), noun="kappa with linear weights")
def kappa_linear(confusion: Confusion) -> Ratio:
    """Kappa for ordered levels, a miss by two steps counting twice as much as by one.

    >>> print(kappa_linear(Confusion.of([[4, 1, 0], [1, 4, 1], [0, 1, 4]], levels=(1, 2, 3))))
    0.709
    """
    return _kappa(confusion, STEPS)


@measure(better="higher", range=(-1, 1), aliases=("quadratic_weighted_kappa",), noun="kappa with quadratic weights")
def kappa_quadratic(confusion: Confusion) -> Ratio:
    """Kappa for ordered levels, a miss by two steps counting four times as much as by one.

    >>> print(kappa_quadratic(Confusion.of([[4, 1, 0], [1, 4, 1], [0, 1, 4]], levels=(1, 2, 3))))
    0.8
    """
    return _kappa(confusion, SQUARES)


@measure(
    better="higher",
    range=(-1, 1),
    aliases=("matthews_corrcoef", "phi", "matthews"),
    told=AGREE,
    without=lambda _: 0.0,
    leads="text, forest 9",
    noun="Matthews correlation",
)
def mcc(confusion: Confusion) -> Ratio:
    """Correlation of actual and predicted levels (Matthews; for K levels Gorodkin's R_K).

    (TP × TN − FP × FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) for two levels.

    >>> print(mcc(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.492
    """
    n = confusion.total
    cross = (confusion.actual * confusion.predicted).sum(axis=-1)
    top = confusion.correct * n - cross
    left = n**2 - (confusion.actual**2).sum(axis=-1)
    right = n**2 - (confusion.predicted**2).sum(axis=-1)
    return Ratio(top, np.sqrt(left) * np.sqrt(right), empty="only one level occurs, or only one is predicted")
