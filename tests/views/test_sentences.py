"""Sentences are tested as text: they are what most people will read."""

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.enough import cases_of
from steelyard.measures.measure import catalogue
from steelyard.results import Estimate
from steelyard.verdicts.enough import too_few
from steelyard.verdicts.usefulness import lean
from steelyard.views.sentences import sentences, statement


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate("auc", 0.881, 0.861, 0.899), "Ranks a positive above a negative 88 times in 100 [86, 90]."),
        (
            Estimate("auc", 0.8812, 0.8792, 0.8832),
            "Ranks a positive above a negative 88.1 times in 100 [87.9, 88.3].",
        ),
        (Estimate("recall", 2 / 3, 0.354, 0.879), "Finds 67 of 100 real positives [35, 88]."),
        (Estimate("recall", 2 / 3, 0.354, 0.879, level="spam"), 'Finds 67 of 100 rows of "spam" [35, 88].'),
        (Estimate("recall", 2 / 3, 0.354, 0.879, level="{v}"), 'Finds 67 of 100 rows of "{v}" [35, 88].'),
        (Estimate("recall", 2 / 3, 0.354, 0.879, level="macro"), "The recall (macro) is 0.67 [0.35, 0.88]."),
        (Estimate("precision", 0.5, 0.4, 0.6), "Of 100 rows it flags, 50 are real positives [40, 60]."),
        (Estimate("accuracy", 1.0, 0.97, 1.0), "Gets 100 of 100 rows right [97, 100]."),
        (
            Estimate("lift", 3.3, 2.69, 4.07, options={"depth": 0.1}),
            "The 10% of rows with the highest scores hold 3.3 times as many positives as a random pick [2.7, 4.1].",
        ),
        (Estimate("mae", 44.32, 41.4, 47.4), "Off by 44 on average [41, 47]."),
        (Estimate("bias", 3.1, 1.2, 5.0), "Predictions are 3.1 too high on average [1.2, 5.0]."),
        (Estimate("bias", -3.1, -5.0, -1.2), "Predictions are 3.1 too low on average [1.2, 5.0]."),
        (Estimate("bias", -0.2, -5.3, 4.9), "Predictions are 0.2 too low on average [−5, 5], no clear lean."),
        (Estimate("r2", 0.496, 0.427, 0.557), "Explains 50% of the spread of the target [43, 56]."),
        (
            Estimate("r2", -0.83, -1.46, -0.36),
            "Its squared errors are 1.8 times those of always saying the mean [1.4, 2.5].",
        ),
        (Estimate("max_error", 12.5), "The max_error is 12.5."),
        (
            Estimate("mcc", 0.368, 0.326, 0.406),
            "Labels and truth agree by 0.37, where 0 is chance and 1 perfect [0.33, 0.41].",
        ),
        (Estimate("recall", None, reason="no real positives"), "The recall is not defined here: no real positives."),
    ],
)
def test_one_number_in_one_sentence(estimate, text):
    assert statement(estimate, lean(estimate) if estimate.measure == "bias" else None) == text


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_measure_has_a_sentence(name):
    m = catalogue()[name]
    said = statement(Estimate(name, 0.25, 0.2, 0.3, options=dict(m.options)))
    assert said.endswith(".")
    assert "{" not in said
    assert any(digit in said for digit in "123456789")


def evaluation(positives, negatives, **more):
    y = [1] * positives + [0] * negatives
    p = [0.9 - 0.6 * (i % 3 == 0) for i in range(positives)] + [0.2 + 0.5 * (i % 4 == 0) for i in range(negatives)]
    return sy.evaluate(target=y, score=p, **more)


def test_under_thirty_cases_the_verdict_is_withheld():
    assert too_few(cases_of(evaluation(29, 100))) == "29 real positives, and 30 are needed"
    assert too_few(cases_of(evaluation(100, 1))) == "1 real negative, and 30 are needed"
    assert too_few(cases_of(evaluation(30, 30))) == ""
    said = [s.text for s in sentences(evaluation(29, 100))]
    assert "Too few cases to say whether that is better than chance: 29 real positives, and 30 are needed." in said
    assert "That is better than chance." in [s.text for s in sentences(evaluation(30, 100))]


def test_sampling_weights_count_for_what_they_are_worth():
    heavy = evaluation(40, 100, weight=[50.0] * 2 + [1.0] * 138)
    assert "are needed" in too_few(cases_of(heavy))


def test_the_story_opens_with_the_rows():
    assert sentences(evaluation(30, 90))[0].text == "Evaluated on 120 rows; 30 are positive (25%)."
    three = sy.evaluate(target=list("abc") * 3, prediction=list("abb") * 3)
    assert sentences(three)[0].text == "Evaluated on 9 rows of 3 levels."
    assert "Too few cases to say whether that is better than guessing: 9 rows, and 30 are needed." in [
        s.text for s in sentences(three)
    ]


def test_the_weakest_segment_is_worse_than_the_whole_or_is_not_named() -> None:
    """Where the other segments hold one class alone, the only one that is known may be better than all rows."""
    rng = np.random.default_rng(8)
    y = np.r_[rng.random(3_000) < 0.3, np.zeros(2_000, dtype=bool)].astype(int)
    score = np.r_[rng.normal(size=3_000) + 1.5 * y[:3_000], rng.normal(2.0, 1.0, 2_000)]
    part = np.repeat(["mixed", "none"], [3_000, 2_000])
    e = sy.evaluate(target=y, score=score, segment=part, profit=sy.Profit(tp=5, fp=-1))
    assert e.segments["mixed"].side_of("auc", float(e["auc"])) == 1
    assert not any("Weakest" in r.text for r in e.verdict.reasons)
    # And where it is worse it is named.
    worn = np.where(part == "none", rng.permutation(score), score)
    y[3_000:] = rng.random(2_000) < 0.3
    found = sy.evaluate(target=y, score=worn, segment=part)
    assert any('Weakest in "none"' in r.text for r in found.verdict.reasons)
