"""Tries the edges of comparisons: many pairs, few data sets, few positives, few units, and curves that cross."""

from __future__ import annotations

from functools import partial
from typing import Any

import edges_comparisons_draws as draws
from edges import Claim, Scenario, run

from steelyard.comparisons.bayes import bayesian_sign, bayesian_signed_rank

FEW_POSITIVES: list[tuple[str, dict[str, Any], bool]] = [
    ("9 positives of 300", {"n": 300, "share": 0.03, "hits": (0.7, 0.6), "alarms": (0.03, 0.05), "shared": 0.5}, True),
    ("15 positives of 300", {"n": 300, "share": 0.05, "hits": (0.8, 0.6), "alarms": (0.05, 0.05), "shared": 0.3}, True),
    ("12 of 2,000", {"n": 2000, "share": 0.006, "hits": (0.7, 0.5), "alarms": (0.01, 0.01), "shared": 0.5}, False),
    (
        "10 of 500, one bold",
        {"n": 500, "share": 0.02, "hits": (0.5, 0.8), "alarms": (0.01, 0.06), "shared": 0.5},
        False,
    ),
    ("12 of 200, unlike", {"n": 200, "share": 0.06, "hits": (0.9, 0.7), "alarms": (0.1, 0.05), "shared": 0.0}, False),
    ("10 negatives of 300", {"n": 300, "share": 0.967, "hits": (0.9, 0.8), "alarms": (0.4, 0.5), "shared": 0.3}, False),
]


def few_positives(apart: bool) -> list[Scenario]:
    out = []
    for name, facts, listed in FEW_POSITIVES[:2] if apart else FEW_POSITIVES:
        # Of those found short all three measures, of the others the two that differ most.
        for measure in ("f1",) if apart else ("f1", "kappa", "mcc") if listed else ("mcc", "precision"):
            once = partial(draws.covers, measure=measure, apart=apart, **facts)
            where = "different rows" if apart else "same rows"
            out.append(Scenario(f"{measure}, {name}, {where}", once, 300 if apart else 500, listed and not apart))
    return out


CLAIMS = [
    Claim(
        "A2",
        "Curves that cross are said to",
        "0 %",
        [
            *(
                Scenario(f"the listed curves, {n:,} rows", partial(draws.crossing_lost, n=n), 200, True)
                for n in (300, 1000, 3000)
            ),
            Scenario("spreads 3 and 1, 500 rows", partial(draws.crossing_lost, n=500, spreads=(3.0, 1.0)), 200),
            Scenario("10% positives, 2,000 rows", partial(draws.crossing_lost, n=2000, share=0.1), 200),
            Scenario("a shift of 0.7, 1,000 rows", partial(draws.crossing_lost, n=1000, shift=0.7), 200),
        ],
        "A stretch that is too narrow to be told goes to the wider of two neighbours that disagree, and no longer joins them.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A14",
        "Ropes and ties do not hang on the last bit: verdicts that change when results are rounded again",
        "0 %",
        [
            Scenario(
                "signed ranks, 8 sets, three decimals",
                partial(draws.rope_hangs, test=bayesian_signed_rank, sets=8, rope=0.005, digits=3),
                300,
                True,
            ),
            Scenario(
                "signs, 8 sets, three decimals",
                partial(draws.rope_hangs, test=bayesian_sign, sets=8, rope=0.005, digits=3),
                300,
                True,
            ),
            Scenario(
                "signed ranks, 20 sets, four decimals",
                partial(draws.rope_hangs, test=bayesian_signed_rank, sets=20, rope=0.0005, digits=4),
                300,
            ),
            Scenario(
                "signs, 30 sets, two decimals",
                partial(draws.rope_hangs, test=bayesian_sign, sets=30, rope=0.01, digits=2),
                300,
            ),
        ],
        "Zeros, ties and the edges of the rope are compared with a tolerance for rounding, in one place.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A15",
        "Equivalence of any of several models that are worse by exactly the margin",
        "≤ 5 %",
        [
            Scenario(
                "20 models, accuracy .85 and .80, 400 rows",
                partial(draws.any_equivalent, n=400, models=21, base=0.85, margin=0.05),
                300,
                True,
            ),
            Scenario(
                "20 models, margin .1, 150 rows",
                partial(draws.any_equivalent, n=150, models=21, base=0.8, margin=0.1),
                300,
            ),
            Scenario(
                "6 models, margin .03, 2,000 rows",
                partial(draws.any_equivalent, n=2000, models=7, base=0.9, margin=0.03),
                300,
            ),
            Scenario(
                "10 models on different rows, margin .05",
                partial(draws.any_equivalent, n=500, models=11, base=0.85, margin=0.05, apart=True),
                100,
            ),
        ],
        "Intervals of several pairs hold at once (Bonferroni), and equivalence is read from the same interval.",
        holds=(0, 5),
    ),
    Claim(
        "A15 words",
        "Tables in which a word disagrees with its interval, or with what the pair says when asked for",
        "0 %",
        [
            Scenario(
                "5 models, auc, 300 rows",
                partial(draws.at_odds, n=300, models=5, measure="auc"),
                100,
                True,
            ),
            Scenario(
                "8 models, accuracy, 400 rows",
                partial(draws.at_odds, n=400, models=8, measure="accuracy"),
                100,
            ),
            Scenario("6 models, brier, 200 rows", partial(draws.at_odds, n=200, models=6, measure="brier"), 100),
            Scenario("4 models, f1, 300 rows", partial(draws.at_odds, n=300, models=4, measure="f1"), 100),
        ],
        "One correction for the interval, the p-value and the word; a pair by itself is asked for with alone=True.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A15 alike",
        "Any interval of a pair of models that are alike leaves out zero",
        "≤ 5 %",
        [
            Scenario(
                "10 models, 200 rows, little in common",
                partial(draws.any_found, n=200, models=10, hit=0.8, shared=0.2),
                300,
                True,
            ),
            Scenario("6 models, 100 rows", partial(draws.any_found, n=100, models=6, hit=0.9, shared=0.5), 500),
            Scenario(
                "5 models, 500 rows, nearly right",
                partial(draws.any_found, n=500, models=5, hit=0.97, shared=0.5),
                500,
            ),
            Scenario(
                "4 models, f1, 200 rows",
                partial(draws.any_found, n=200, models=4, hit=0.8, shared=0.3, measure="f1"),
                500,
            ),
        ],
        "The same.",
        holds=(0, 5),
    ),
    Claim(
        "A16",
        "Large differences in measures of all rows that are withheld because one class is rare",
        "0 %",
        [
            Scenario(
                "accuracy, 20 positives of 2,000",
                partial(draws.too_few_said, measure="accuracy", positives=20),
                200,
                True,
            ),
            Scenario(
                "error rate, 5 positives of 2,000", partial(draws.too_few_said, measure="error_rate", positives=5), 200
            ),
            Scenario(
                "specificity, 12 positives of 600",
                partial(draws.too_few_said, measure="specificity", positives=12, n=600),
                200,
            ),
            Scenario("brier, 20 positives of 2,000", partial(draws.too_few_said, measure="brier", positives=20), 200),
        ],
        "What is counted is what the measure rests on: rows that tell two apart, rows of a mean, the rarer class of an area.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "A17",
        "A model that never warns is called better than honest scores",
        "0 %",
        [
            Scenario(
                "200 customers, 15% leave", partial(draws.never_called_better, customers=200, rate=0.15), 300, True
            ),
            Scenario("500 customers, 3% leave", partial(draws.never_called_better, customers=500, rate=0.03), 300),
            Scenario("100 customers, 30% leave", partial(draws.never_called_better, customers=100, rate=0.3), 300),
        ],
        "Where the higher of two does not beat a model without data, neither is called better; the words say that Q is not proper.",
        holds=(0.0, 0.5),
    ),
    Claim(
        "F2",
        "One unit only gets an interval or a p-value",
        "0 %",
        [
            *(
                Scenario(m, partial(draws.one_unit_has_an_interval, measure=m), 20, True)
                for m in ("auc", "f1", "kappa", "mcc", "rmse", "r2")
            ),
            *(
                Scenario(m, partial(draws.one_unit_has_an_interval, measure=m), 20)
                for m in ("ks", "average_precision", "precision", "recall", "lift", "youden")
            ),
        ],
        "The guard of means stands in the bootstrap over units too, with the same sentence.",
        holds=(0, 0.5),
    ),
    Claim(
        "F2 units",
        "Intervals of paired differences by unit, units being unequal, or rows of unequal weight",
        "95 %",
        [
            Scenario(
                "accuracy, 30 units of Pareto sizes",
                partial(draws.covers_units, measure="accuracy", units=30, sizes="pareto"),
                600,
            ),
            Scenario(
                "accuracy, 12 lognormal units",
                partial(draws.covers_units, measure="accuracy", units=12, sizes="lognormal"),
                600,
            ),
            Scenario(
                "accuracy, 40 units, one as large as all",
                partial(draws.covers_units, measure="accuracy", units=40, sizes="one large"),
                600,
            ),
            Scenario(
                "f1, 30 units of Pareto sizes",
                partial(draws.covers_units, measure="f1", units=30, sizes="pareto"),
                400,
            ),
            Scenario(
                "kappa, 12 lognormal units",
                partial(draws.covers_units, measure="kappa", units=12, sizes="lognormal"),
                400,
            ),
            Scenario(
                "f1, 15 equal units",
                partial(draws.covers_units, measure="f1", units=15, sizes="equal"),
                400,
            ),
            Scenario(
                "accuracy, lognormal weights of sd 1.5, 100 rows",
                partial(draws.covers_units, measure="accuracy", units=0, sizes="", n=100, weights=1.5),
                600,
            ),
            Scenario(
                "f1, lognormal weights of sd 1.5, 200 rows",
                partial(draws.covers_units, measure="f1", units=0, sizes="", n=200, weights=1.5),
                400,
            ),
        ],
        "Large units pull less (Bell and McCaffrey), and Student's t has as many degrees of freedom as units that matter.",
        holds=(93, 100),
    ),
    Claim(
        "G4",
        "Friedman's test of models that are alike on few data sets",
        "≤ 5 %",
        [
            *(
                Scenario(f"{s} sets × {k} models", partial(draws.friedman_finds, sets=s, models=k), 2000, True)
                for s, k in ((3, 3), (3, 4), (4, 3))
            ),
            Scenario("2 sets × 6 models", partial(draws.friedman_finds, sets=2, models=6), 2000),
            Scenario("3 sets × 10 models", partial(draws.friedman_finds, sets=3, models=10), 2000),
            Scenario("5 sets × 4 models", partial(draws.friedman_finds, sets=5, models=4), 2000),
            Scenario("4 sets × 4 models with ties", partial(draws.friedman_finds, sets=4, models=4, ties=True), 2000),
            Scenario(
                "6 sets × 4 models, heavy tails",
                partial(draws.friedman_finds, sets=6, models=5, heavy=True),
                600,
            ),
        ],
        "All orders are counted where they can be; beyond, F has degrees of freedom that fit few data sets.",
        holds=(0, 5),
    ),
    Claim(
        "G4 Bayes",
        "Bayesian tests call one of two models that are alike (or apart by the rope) higher or lower",
        "≤ 10 %",
        [
            Scenario("signed ranks, 5 sets", partial(draws.bayes_says, test=bayesian_signed_rank, sets=5), 2000, True),
            Scenario("signed ranks, 3 sets", partial(draws.bayes_says, test=bayesian_signed_rank, sets=3), 2000),
            Scenario("signed ranks, 8 sets", partial(draws.bayes_says, test=bayesian_signed_rank, sets=8), 2000),
            Scenario("signs, 6 sets", partial(draws.bayes_says, test=bayesian_sign, sets=6), 2000),
            Scenario(
                "signed ranks, 6 sets, heavy tails",
                partial(draws.bayes_says, test=bayesian_signed_rank, sets=6, heavy=True),
                2000,
            ),
            Scenario(
                "signed ranks, 4 sets at the edge of a rope",
                partial(draws.bayes_says, test=bayesian_signed_rank, sets=4, rope=0.5),
                2000,
            ),
        ],
        "A word is said where signs drawn at random would seldom show as much, which is counted; below five data sets none is.",
        holds=(0, 10),
    ),
    Claim(
        "G11",
        "Intervals of compared F1, kappa, MCC and precision with few positives",
        "93–97 %",
        [*few_positives(False), *few_positives(True)],
        "Student's t has as many degrees of freedom as rows that matter; with fewer than 30 positives the number says so.",
        holds=(93, 97),
        reason="On the wide side: with 9 to 12 positives Student's t has as few degrees of freedom as rows that matter, "
        'estimated from these rows. Nothing is decided by it: the number says "rests on 9 real positives", and '
        'with fewer than 30 the word is "too few cases to say".',
    ),
]

if __name__ == "__main__":
    run("comparisons", CLAIMS)
