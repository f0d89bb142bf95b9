"""Are the labels right? Accuracy, recall, precision, F, kappa and their kin, all read from counts."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from steelyard.arguments.allowed import INSIDE, Several, Span
from steelyard.measures.measure import measure
from steelyard.results import Array, Average, Quotient, Ratio, Share
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.words import percent, quoted

NO_POSITIVES = "no real positives"
NO_NEGATIVES = "no real negatives"


def _commonest(c: Confusion, value: float) -> str:
    """What always saying the commonest level would get, beside which a share of right rows must be seen."""
    best = float(c.actual.max() / c.total)
    return f"always saying {quoted(c.levels[int(np.argmax(c.actual))])} would get {percent(best)} right"


@measure(better="higher", range=(0, 1), aliases=("acc", "correct_rate", "genauigkeit"), remark=_commonest)
def accuracy(c: Confusion) -> Share:
    """Share of rows whose predicted level is the actual one.

    (TP + TN) / N for two levels, trace / N for any number.

    >>> print(accuracy(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.750 (15 of 20)
    """
    return Share(c.correct, c.total, empty="no rows")


@measure(better="lower", range=(0, 1), aliases=("misclassification_rate", "fehlerrate"), remark=_commonest)
def error_rate(c: Confusion) -> Share:
    """Share of rows whose predicted level is wrong: 1 − accuracy.

    >>> print(error_rate(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.250 (5 of 20)
    """
    return Share(c.wrong, c.total, empty="no rows")


@measure(better="higher", range=(0, 1), aliases=("tpr", "sensitivity", "hit_rate", "true_positive_rate"))
def recall(o: Outcomes) -> Share:
    """Share of real positives that were found: TP / (TP + FN).

    >>> print(recall(Outcomes(tp=8, fn=4, fp=2, tn=86)))
    0.667 (8 of 12)
    """
    return Share(o.tp, o.positives, empty=NO_POSITIVES)


@measure(better="higher", range=(0, 1), aliases=("tnr", "true_negative_rate", "selectivity"))
def specificity(o: Outcomes) -> Share:
    """Share of real negatives that were left alone: TN / (TN + FP).

    >>> print(specificity(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.818 (9 of 11)
    """
    return Share(o.tn, o.negatives, empty=NO_NEGATIVES)


@measure(better="lower", range=(0, 1), aliases=("false_positive_rate", "fall_out"))
def fpr(o: Outcomes) -> Share:
    """Share of real negatives that were flagged by mistake: FP / (FP + TN).

    >>> print(fpr(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.182 (2 of 11)
    """
    return Share(o.fp, o.negatives, empty=NO_NEGATIVES)


@measure(better="lower", range=(0, 1), aliases=("false_negative_rate", "miss_rate"))
def fnr(o: Outcomes) -> Share:
    """Share of real positives that were missed: FN / (FN + TP).

    >>> print(fnr(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.333 (3 of 9)
    """
    return Share(o.fn, o.positives, empty=NO_POSITIVES)


@measure(better="higher", range=(0, 1), aliases=("ppv", "positive_predictive_value"))
def precision(o: Outcomes) -> Share:
    """Share of predicted positives that are real: TP / (TP + FP).

    >>> print(precision(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.750 (6 of 8)
    """
    return Share(o.tp, o.tp + o.fp, empty="nothing was predicted positive")


@measure(better="higher", range=(0, 1), aliases=("negative_predictive_value",))
def npv(o: Outcomes) -> Share:
    """Share of predicted negatives that are real: TN / (TN + FN).

    >>> print(npv(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.750 (9 of 12)
    """
    return Share(o.tn, o.tn + o.fn, empty="nothing was predicted negative")


@measure(better="higher", range=(0, 1), aliases=("f", "f_score", "f_measure"), interval="f1")
def f1(o: Outcomes) -> Ratio:
    """Harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN).

    >>> print(f1(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.706
    """
    return Ratio(2 * o.tp, 2 * o.tp + o.fp + o.fn, empty="no positives, real or predicted")


@measure(better="higher", range=(0, 1), aliases=("fbeta",))
def f_beta(o: Outcomes, *, beta: Annotated[float, Span(0)] = 2.0) -> Ratio:
    """Precision and recall with recall counted beta times as much: (1 + β²) TP / ((1 + β²) TP + β² FN + FP).

    >>> print(f_beta(Outcomes(tp=6, fn=3, fp=2, tn=9), beta=2))
    0.682
    """
    # Above 1 everything is divided by β², so that no β is too large to be squared.
    b = min(float(beta), 1.0) ** 2
    one = 1.0 if beta <= 1 else (1 / float(beta)) ** 2
    return Ratio((one + b) * o.tp, (one + b) * o.tp + b * o.fn + one * o.fp, empty="no positives, real or predicted")


def _recalls(c: Confusion) -> tuple[Share, ...]:
    return tuple(
        Share(c.counts[..., i, i], c.actual[..., i], empty=f"no rows of level {level!r}")
        for i, level in enumerate(c.levels)
    )


@measure(better="higher", range=(0, 1), aliases=("balanced_accuracy", "average_recall"))
def average_class_accuracy(c: Confusion) -> Average:
    """Mean of the recalls of all levels, each level counting the same.

    >>> float(average_class_accuracy(Confusion.of([[1, 9], [0, 90]], levels=("churn", "stay"))).value)
    0.55
    """
    k = len(c.levels)
    return Average(_recalls(c), (1.0 / k,) * k, empty="a level has no rows")


@measure(better="higher", range=(0, 1), aliases=("average_class_accuracy_harmonic",))
def average_class_accuracy_hm(c: Confusion) -> Ratio:
    """Harmonic mean of the recalls of all levels; 0 if any recall is 0, so one bad level weighs heavily.

    1 / mean(1 / recall_l)

    >>> print(average_class_accuracy_hm(Confusion.of([[1, 9], [0, 90]], levels=("churn", "stay"))))
    0.182
    """
    values = np.stack(np.broadcast_arrays(*[s.value for s in _recalls(c)]), axis=-1)
    lost = np.isnan(values).any(axis=-1)
    zero = (values == 0).any(axis=-1)
    # In units of the least recall, which in a replicate may be too small to be turned over.
    fine = np.where(values > 0, values, 1.0)
    least = fine.min(axis=-1)
    mean = least / (least[..., None] / fine).mean(axis=-1)
    return Ratio(np.where(zero, 0.0, mean), np.where(lost, 0.0, 1.0), empty="a level has no rows")


def _kappa(c: Confusion, disagreement: Array) -> Ratio:
    total = np.where(c.total > 0, c.total, 1.0)[..., None, None]
    expected = c.actual[..., :, None] * c.predicted[..., None, :] / total
    seen = (disagreement * c.counts).sum(axis=(-2, -1))
    chance = (disagreement * expected).sum(axis=(-2, -1))
    return Ratio(chance - seen, chance, empty="one level alone: agreement by chance is already complete")


@measure(better="higher", range=(-1, 1), aliases=("cohen_kappa", "cohens_kappa"), neutral=(0, "guessing"))
def kappa(c: Confusion) -> Ratio:
    """Agreement beyond chance: (accuracy − pe) / (1 − pe), with pe = Σ actual_l × predicted_l / N².

    >>> print(kappa(Confusion.of([[113, 8], [87, 409]], levels=(1, 0))))
    0.608
    """
    k = len(c.levels)
    return _kappa(c, 1.0 - np.eye(k))


@measure(better="higher", range=(-1, 1))
def kappa_linear(c: Confusion) -> Ratio:
    """Kappa for ordered levels, a miss by two steps counting twice as much as by one.

    >>> print(kappa_linear(Confusion.of([[4, 1, 0], [1, 4, 1], [0, 1, 4]], levels=(1, 2, 3))))
    0.709
    """
    i = np.arange(len(c.levels))
    return _kappa(c, np.abs(i[:, None] - i[None, :]).astype(np.float64))


@measure(better="higher", range=(-1, 1), aliases=("quadratic_weighted_kappa",))
def kappa_quadratic(c: Confusion) -> Ratio:
    """Kappa for ordered levels, a miss by two steps counting four times as much as by one.

    >>> print(kappa_quadratic(Confusion.of([[4, 1, 0], [1, 4, 1], [0, 1, 4]], levels=(1, 2, 3))))
    0.8
    """
    i = np.arange(len(c.levels))
    return _kappa(c, ((i[:, None] - i[None, :]) ** 2).astype(np.float64))


@measure(better="higher", range=(-1, 1), aliases=("matthews_corrcoef", "phi", "matthews"))
def mcc(c: Confusion) -> Ratio:
    """Correlation of actual and predicted levels (Matthews; for K levels Gorodkin's R_K).

    (TP × TN − FP × FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) for two levels.

    >>> print(mcc(Confusion.of([[6, 3], [2, 9]], levels=("spam", "ham"))))
    0.492
    """
    n = c.total
    cross = (c.actual * c.predicted).sum(axis=-1)
    top = c.correct * n - cross
    left = n**2 - (c.actual**2).sum(axis=-1)
    right = n**2 - (c.predicted**2).sum(axis=-1)
    return Ratio(top, np.sqrt(left) * np.sqrt(right), empty="only one level occurs, or only one is predicted")


@measure(better="higher", range=(0, 1))
def weighted_accuracy(
    o: Outcomes, *, weights: Annotated[tuple[float, ...], Several(4, Span(0))] = (1.0, 1.0, 1.0, 1.0)
) -> Ratio:
    """Accuracy with a weight for each cell: (w1 TP + w4 TN) / (w1 TP + w2 FN + w3 FP + w4 TN).

    Weights (1, 1, 0, 0) give recall, (1, 0, 1, 0) precision, (2, 1, 1, 0) F1, (1, 1, 1, 1) accuracy.

    >>> print(weighted_accuracy(Outcomes(tp=6, fn=3, fp=2, tn=9), weights=(2, 1, 1, 0)))
    0.706
    """
    # Only their proportions matter, and the largest may be very large.
    w1, w2, w3, w4 = (float(w) / max(weights) for w in weights)
    top = w1 * o.tp + w4 * o.tn
    return Ratio(top, top + w2 * o.fn + w3 * o.fp, empty="all weighted counts are zero")


@measure(better="higher", range=(-1, 1), aliases=("youden_j", "informedness"))
def youden(o: Outcomes) -> Average:
    """Recall + specificity − 1: 0 for guessing, 1 for perfect.

    >>> round(float(youden(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 3)
    0.485
    """
    return Average((recall(o), specificity(o)), (1.0, 1.0), -1.0, empty="one of the two classes has no rows")


@measure(better="higher", range=(0, float("inf")), aliases=("positive_likelihood_ratio", "lr+"))
def lr_positive(o: Outcomes) -> Quotient:
    """How much a positive prediction raises the odds of being positive: recall / FPR.

    >>> round(float(lr_positive(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 2)
    3.67
    """
    return Quotient(recall(o), fpr(o), empty="no false positives, or one class has no rows")


@measure(better="lower", range=(0, float("inf")), aliases=("negative_likelihood_ratio", "lr-"))
def lr_negative(o: Outcomes) -> Quotient:
    """How much a negative prediction lowers the odds of being positive: FNR / specificity.

    >>> round(float(lr_negative(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 3)
    0.407
    """
    return Quotient(fnr(o), specificity(o), empty="no true negatives, or one class has no rows")


@measure(better="", range=(0, 1), aliases=("base_rate", "positive_rate"))
def prevalence(o: Outcomes) -> Share:
    """Share of rows that are really positive.

    >>> print(prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.450 (9 of 20)
    """
    return Share(o.positives, o.total, empty="no rows")


@measure(better="", range=(0, 1), aliases=("support", "selection_rate", "ppr"))
def predicted_positive_rate(o: Outcomes) -> Share:
    """Share of rows that were predicted positive.

    >>> print(predicted_positive_rate(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.400 (8 of 20)
    """
    return Share(o.tp + o.fp, o.total, empty="no rows")


@measure(better="higher", range=(0, 1), aliases=("ppv_at_prevalence",))
def precision_at_prevalence(o: Outcomes, *, prevalence: Annotated[float, INSIDE] = 0.5) -> Ratio:
    """Precision to expect where a share π of cases is positive: π TPR / (π TPR + (1 − π) FPR), by Bayes' rule.

    >>> print(precision_at_prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9), prevalence=0.01))
    0.0357
    """
    tpr, other = recall(o).value, fpr(o).value
    top = prevalence * tpr
    return Ratio(top, top + (1 - prevalence) * other, empty="nothing was predicted positive, or one class has no rows")


@measure(better="higher", range=(0, 1))
def npv_at_prevalence(o: Outcomes, *, prevalence: Annotated[float, INSIDE] = 0.5) -> Ratio:
    """NPV to expect where a share π of cases is positive: (1 − π) TNR / ((1 − π) TNR + π FNR).

    >>> print(npv_at_prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9), prevalence=0.01))
    0.996
    """
    tnr, other = specificity(o).value, fnr(o).value
    top = (1 - prevalence) * tnr
    return Ratio(top, top + prevalence * other, empty="nothing was predicted negative, or one class has no rows")
