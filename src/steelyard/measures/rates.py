"""Are the labels right? Youden's index, likelihood ratios, and shares that hang on how many rows are positive."""

from __future__ import annotations

from typing import Annotated

from steelyard.arguments.allowed import INSIDE, Several, Span
from steelyard.measures.agreement import fnr, fpr, recall, specificity
from steelyard.measures.measure import measure
from steelyard.results import Average, Quotient, Ratio, Share
from steelyard.summaries.confusion import Outcomes


@measure(
    better="higher",
    range=(0, 1),
    when="Where each outcome has a weight of its own: recall, precision, F1 and accuracy are four choices of weights.",
    leans="To the outcomes with the greatest weights.",
)
def weighted_accuracy(
    outcomes: Outcomes, *, weights: Annotated[tuple[float, ...], Several(4, Span(0))] = (1.0, 1.0, 1.0, 1.0)
) -> Ratio:
    """Accuracy with a weight for each cell: (w1 TP + w4 TN) / (w1 TP + w2 FN + w3 FP + w4 TN).

    Weights (1, 1, 0, 0) give recall, (1, 0, 1, 0) precision, (2, 1, 1, 0) F1, (1, 1, 1, 1) accuracy.

    >>> print(weighted_accuracy(Outcomes(tp=6, fn=3, fp=2, tn=9), weights=(2, 1, 1, 0)))
    0.706
    """
    # Only their proportions matter, and the largest may be very large.
    w1, w2, w3, w4 = (float(w) / max(weights) for w in weights)
    top = w1 * outcomes.tp + w4 * outcomes.tn
    return Ratio(top, top + w2 * outcomes.fn + w3 * outcomes.fp, empty="all weighted counts are zero")


@measure(better="higher", range=(-1, 1), aliases=("youden_j", "informedness"), at_corners=True, noun="Youden's J")
def youden(outcomes: Outcomes) -> Average:
    """Recall + specificity − 1: 0 for guessing, 1 for perfect.

    >>> round(float(youden(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 3)
    0.485
    """
    return Average(
        (recall(outcomes), specificity(outcomes)), (1.0, 1.0), -1.0, empty="one of the two classes has no rows"
    )


@measure(
    better="higher",
    range=(0, float("inf")),
    aliases=("positive_likelihood_ratio", "lr+"),
    told="A positive prediction multiplies the odds of being positive by {value}{limits}.",
    noun="positive likelihood ratio",
)
def lr_positive(outcomes: Outcomes) -> Quotient:
    """How much a positive prediction raises the odds of being positive: recall / FPR.

    >>> round(float(lr_positive(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 2)
    3.67
    """
    return Quotient(recall(outcomes), fpr(outcomes), empty="no false positives, or one class has no rows")


@measure(
    better="lower",
    range=(0, float("inf")),
    aliases=("negative_likelihood_ratio", "lr-"),
    noun="negative likelihood ratio",
)
def lr_negative(outcomes: Outcomes) -> Quotient:
    """How much a negative prediction lowers the odds of being positive: FNR / specificity.

    >>> round(float(lr_negative(Outcomes(tp=6, fn=3, fp=2, tn=9)).value), 3)
    0.407
    """
    return Quotient(fnr(outcomes), specificity(outcomes), empty="no true negatives, or one class has no rows")


@measure(better="", range=(0, 1), aliases=("base_rate", "positive_rate"), rows_alone=True)
def prevalence(outcomes: Outcomes) -> Share:
    """Share of rows that are really positive.

    >>> print(prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.450 (9 of 20)
    """
    return Share(outcomes.positives, outcomes.total, empty="no rows")


@measure(
    better="",
    range=(0, 1),
    aliases=("support", "selection_rate", "ppr"),
    sought="lower",
)
def predicted_positive_rate(outcomes: Outcomes) -> Share:
    """Share of rows that were predicted positive.

    >>> print(predicted_positive_rate(Outcomes(tp=6, fn=3, fp=2, tn=9)))
    0.400 (8 of 20)
    """
    return Share(outcomes.tp + outcomes.fp, outcomes.total, empty="no rows")


@measure(better="higher", range=(0, 1), aliases=("ppv_at_prevalence",))
def precision_at_prevalence(outcomes: Outcomes, *, prevalence: Annotated[float, INSIDE] = 0.5) -> Ratio:
    """Precision to expect where a share π of cases is positive: π TPR / (π TPR + (1 − π) FPR), by Bayes' rule.

    >>> print(precision_at_prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9), prevalence=0.01))
    0.0357
    """
    tpr, other = recall(outcomes).value, fpr(outcomes).value
    top = prevalence * tpr
    return Ratio(top, top + (1 - prevalence) * other, empty="nothing was predicted positive, or one class has no rows")


@measure(better="higher", range=(0, 1), noun="negative predictive value at prevalence")
def npv_at_prevalence(outcomes: Outcomes, *, prevalence: Annotated[float, INSIDE] = 0.5) -> Ratio:
    """NPV to expect where a share π of cases is positive: (1 − π) TNR / ((1 − π) TNR + π FNR).

    >>> print(npv_at_prevalence(Outcomes(tp=6, fn=3, fp=2, tn=9), prevalence=0.01))
    0.996
    """
    tnr, other = specificity(outcomes).value, fnr(outcomes).value
    top = (1 - prevalence) * tnr
    return Ratio(top, top + prevalence * other, empty="nothing was predicted negative, or one class has no rows")
