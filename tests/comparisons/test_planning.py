"""Plans of test rows: powers against brute force, published figures and simulation with the tests of the house."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.charts.marks import Line, Rule
from steelyard.comparisons import powers
from steelyard.comparisons.areas import area_difference, paired_areas
from steelyard.comparisons.labels import mcnemar
from steelyard.comparisons.planning import Plan, detectable, power, sample_size
from steelyard.comparisons.shares import newcombe_interval
from steelyard.errors import NotAvailable, UsageError
from steelyard.results import Curve

REPEATS = 2000
NEAR = 0.02
"""A simulated power may differ from the promise by two points, and by one standard error of its own."""


def noise(p: float, repeats: int = REPEATS) -> float:
    return 3 * math.sqrt(p * (1 - p) / repeats)


# ---- counted powers, against all outcomes one by one


@pytest.mark.parametrize(
    ("p", "q", "n"), [(0.9, 0.6, 12), (0.5, 0.2, 16), (1.0, 0.7, 9), (0.3, 0.3, 13), (0.0, 0.4, 15)]
)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_two_shares_over_all_pairs_of_counts(p: float, q: float, n: int, alpha: float) -> None:
    total = 0.0
    for x in range(n + 1):
        for y in range(n + 1):
            d = newcombe_interval(x / n, n, y / n, n, 1 - alpha)
            assert d.low is not None
            assert d.high is not None
            if d.low > 0 or d.high < 0:
                total += float(stats.binom.pmf(x, n, p) * stats.binom.pmf(y, n, q))
    assert powers.two_shares(p, q, n, alpha) == pytest.approx(total, abs=1e-10)


@pytest.mark.parametrize(("d", "apart", "n"), [(0.2, 0.5, 30), (0.1, 0.1, 40), (0.0, 0.3, 25), (-0.2, 0.4, 35)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_mcnemar_over_all_counts(d: float, apart: float, n: int, alpha: float) -> None:
    total = 0.0
    first, second = (apart + d) / 2, (apart - d) / 2
    for b in range(n + 1):
        for c in range(n + 1 - b):
            p = mcnemar(b, c, "mid-p").p_value
            if p is not None and p <= alpha and b + c:
                total += float(stats.multinomial.pmf([b, c, n - b - c], n, [first, second, 1 - apart]))
    assert powers.discordant_rows(d, apart, n, alpha) == pytest.approx(total, abs=1e-10)


def test_far_more_rows_agree_with_the_normal_formula() -> None:
    """Where outcomes are counted no more, nothing jumps."""
    n = powers.COUNTED
    for p, q in ((0.9, 0.898), (0.5, 0.4985)):
        assert powers.two_shares(p, q, n) == pytest.approx(powers.two_shares(p, q, n + 1), abs=2e-3)
    assert powers.discordant_rows(5e-4, 0.05, n) == pytest.approx(powers.discordant_rows(5e-4, 0.05, n + 1), abs=2e-3)


# ---- areas and means, against a second way


def test_two_normal_numbers_together() -> None:
    rng = np.random.default_rng(3)
    for h, k, r in rng.uniform((-2, -2, -0.99), (2, 2, 0.99), (25, 3)):
        both = stats.multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]])
        assert powers.together(h, k, r) == pytest.approx(both - stats.norm.cdf(h) * stats.norm.cdf(k), abs=1e-6)
    assert powers.together(0.7, 0.7, 1.0) == pytest.approx(powers.together(0.7, 0.7, 1 - 1e-12), abs=1e-5)


def test_the_spread_of_areas_is_what_draws_have() -> None:
    rng = np.random.default_rng(4)
    for first, second, p, n, r in ((0.8, 0.7, 20, 30, 0.6), (0.95, 0.9, 30, 15, 0.8)):
        found = np.array([paired_areas(*drawn(rng, first, second, p, n, r)).values for _ in range(1200)])
        assert found.mean(axis=0) == pytest.approx([first, second], abs=0.005)
        spread = np.cov(found.T)
        assert spread[0, 0] == pytest.approx(powers.area_covariance(first, first, p, n), rel=0.15)
        assert spread[0, 1] == pytest.approx(powers.area_covariance(first, second, p, n, r), rel=0.15)


def test_the_variance_of_an_area_is_that_of_mann_and_whitney() -> None:
    """Without any skill it is known; elsewhere it rests on the chance that one row is ranked right against two others."""
    assert powers.area_covariance(0.5, 0.5, 40, 70) == pytest.approx(111 / (12 * 40 * 70), rel=1e-12)
    for area in (0.7, 0.9, 0.98):
        h = stats.norm.ppf(area)
        twice = stats.multivariate_normal.cdf([h, h], cov=[[1, 0.5], [0.5, 1]])
        top = area * (1 - area) + 39 * (twice - area**2) + 69 * (twice - area**2)
        assert powers.area_covariance(area, area, 40, 70) == pytest.approx(top / (40 * 70), rel=1e-4)


def test_student_against_scipy() -> None:
    for d, s, n in ((0.5, 1.0, 30), (0.1, 2.0, 900), (3.0, 1.0, 5)):
        nc, cut = d / s * math.sqrt(n), stats.t.ppf(0.975, n - 1)
        here = 1 - stats.nct.cdf(cut, n - 1, nc) + stats.nct.cdf(-cut, n - 1, nc)
        assert powers.two_means(d, s, n) == pytest.approx(here, abs=1e-6)


# ---- published figures


def test_figures_of_the_r_manual() -> None:
    """R, power.prop.test(n = 50, .50, .75): 0.740; (.50, .75, power = .90): n = 76.7; power.t.test(n = 20, delta = 1):
    0.8689528; (power = .90, delta = 1): n = 22.02110.
    """
    assert round(powers.two_shares_normal(0.75, 0.5, 50), 3) == 0.740
    assert sample_size("share", first=0.75, second=0.5, power=0.9).approximate == 77
    assert power("mean", rows=20, difference=1.0, deviation=1.0, paired=True).power > 0.8689528
    assert round(powers.two_means(1.0, 1.0, 20, paired=False), 5) == 0.86895
    assert sample_size("mean", difference=1.0, deviation=1.0, power=0.9, paired=False).rows == 23


def test_a_half_against_six_tenths_needs_388_rows_each() -> None:
    """The figure of many tables, without a correction for continuity; counted it is much the same."""
    plan = sample_size("accuracy", first=0.6, second=0.5)
    assert plan.approximate == 388
    assert abs(plan.rows - 388) <= 8


# ---- laws

CASES: list[tuple[str, dict[str, Any]]] = [
    ("accuracy", {"value": 0.8, "difference": 0.06}),
    ("error_rate", {"value": 0.2, "difference": -0.06}),
    ("recall", {"first": 0.9, "second": 0.8, "prevalence": 0.2}),
    ("specificity", {"first": 0.9, "second": 0.95, "prevalence": 0.2}),
    ("accuracy", {"value": 0.8, "difference": 0.05, "paired": True, "discordant": 0.12}),
    ("accuracy", {"value": 0.8, "difference": 0.05, "paired": True}),
    ("auc", {"value": 0.8, "difference": 0.05, "prevalence": 0.1}),
    ("auc", {"value": 0.8, "difference": 0.05, "prevalence": 0.1, "paired": True, "correlation": 0.7}),
    ("auc", {"value": 0.8, "difference": 0.05, "variance": "hanley-mcneil"}),
    ("mae", {"difference": -0.1, "deviation": 0.9, "paired": True}),
    ("rmse", {"value": 2.0, "difference": -0.1, "deviation": 4.0, "paired": True}),
]


@pytest.mark.parametrize(("measure", "what"), CASES)
def test_the_plan_keeps_its_promise_and_one_row_less_does_not(measure: str, what: dict[str, Any]) -> None:
    plan = sample_size(measure, **what)
    assert plan.power >= 0.8
    assert power(measure, rows=plan.rows, **what).power == plan.power
    if plan.rows > 2:
        assert power(measure, rows=plan.rows - 1, **what).power < 0.8 or plan.approximate is not None
    # Not far from the first number of rows that is enough.
    assert power(measure, rows=max(round(0.96 * plan.rows) - 4, 21), **what).power < 0.8
    assert plan.total == plan.rows * (1 if what.get("paired") else 2)


@pytest.mark.parametrize(("measure", "what"), CASES)
def test_more_power_a_smaller_level_or_a_smaller_difference_needs_more_rows(measure: str, what: dict[str, Any]) -> None:
    rows = sample_size(measure, **what).rows
    assert sample_size(measure, **what, power=0.9).rows > rows
    assert sample_size(measure, **what, alpha=0.01).rows > rows
    smaller = dict(what)
    if "difference" in what:
        smaller["difference"] = what["difference"] * 0.8
    else:
        smaller["first"] = what["second"] + 0.8 * (what["first"] - what["second"])
    assert sample_size(measure, **smaller).rows > rows


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        ("accuracy", {"value": 0.8}),
        ("fnr", {"value": 0.2, "prevalence": 0.3}),
        ("accuracy", {"value": 0.8, "paired": True, "discordant": 0.15}),
        ("auc", {"value": 0.85, "paired": True, "correlation": 0.5}),
        ("mae", {"deviation": 0.9, "paired": True}),
        ("rmse", {"value": 2.0, "deviation": 4.0, "paired": True}),
    ],
)
def test_what_is_detectable_needs_these_rows(measure: str, what: dict[str, Any]) -> None:
    plan = detectable(measure, rows=1500, **what)
    assert (plan.difference < 0) == (measure in {"fnr", "mae", "rmse"})
    assert plan.power == pytest.approx(0.8, abs=1e-6)
    back = sample_size(measure, difference=abs(plan.difference) * (1 + 1e-9), **what)
    assert back.rows == pytest.approx(1500, rel=0.02)


def test_pairing_and_correlation_save_rows() -> None:
    apart = sample_size("auc", value=0.8, difference=0.04).rows
    rows = [
        sample_size("auc", value=0.8, difference=0.04, paired=True, correlation=r).rows for r in (0, 0.4, 0.8, 0.95)
    ]
    assert rows[0] == pytest.approx(apart, rel=0.02)
    assert all(a > b for a, b in pairwise(rows))
    shares = [
        sample_size("accuracy", value=0.8, difference=0.04, paired=True, discordant=d).rows
        for d in (0.3, 0.2, 0.1, 0.05)
    ]
    assert all(a > b for a, b in pairwise(shares))


def test_a_share_of_positives_needs_rows_by_prevalence() -> None:
    some = sample_size("recall", first=0.9, second=0.8, prevalence=0.5)
    few = sample_size("recall", first=0.9, second=0.8, prevalence=0.05)
    assert some.positives == few.positives
    assert few.rows == pytest.approx(10 * some.rows, rel=0.02)
    assert few.negatives == few.rows - few.positives
    negatives = sample_size("specificity", first=0.9, second=0.8, prevalence=0.95)
    assert negatives.rows == pytest.approx(few.rows, rel=0.02)


# ---- simulated with the tests of the house


def drawn(rng: Any, first: float, second: float, p: int, n: int, r: float) -> tuple[Any, list[Any]]:
    """Normal scores of two models on the same rows."""
    y = np.r_[np.ones(p, dtype=bool), np.zeros(n, dtype=bool)]
    x = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], p + n)
    return y, [x[:, i] + math.sqrt(2) * stats.norm.ppf(a) * y for i, a in enumerate((first, second))]


@pytest.mark.parametrize(
    ("first", "second", "prevalence", "r"), [(0.85, 0.80, 0.3, 0.6), (0.75, 0.65, 0.2, 0.0), (0.98, 0.93, 0.1, 0.3)]
)
def test_simulated_power_of_delong(first: float, second: float, prevalence: float, r: float) -> None:
    plan = sample_size("auc", first=first, second=second, prevalence=prevalence, paired=True, correlation=r)
    rng = np.random.default_rng(11)
    assert plan.positives is not None
    assert plan.negatives is not None
    repeats, seen = 1200, 0
    for _ in range(repeats):
        y, scores = drawn(rng, first, second, plan.positives, plan.negatives, r)
        p = area_difference(paired_areas(y, scores)).p_value
        seen += p is not None and p < 0.05
    assert seen / repeats == pytest.approx(plan.power, abs=NEAR + noise(0.8, repeats) / 3)


def test_simulated_power_of_shares() -> None:
    """Counted powers are exact, so draws may differ by their own noise only."""
    rng = np.random.default_rng(12)
    plan = sample_size("accuracy", first=0.88, second=0.8)
    repeats = 800
    x, y = (rng.binomial(plan.rows, p, repeats) for p in (0.88, 0.8))
    seen = np.mean(
        [
            newcombe_interval(a / plan.rows, plan.rows, b / plan.rows, plan.rows).verdict != "no clear difference"
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]
    )
    assert seen == pytest.approx(plan.power, abs=noise(0.8, repeats))
    pair = sample_size("accuracy", difference=0.05, paired=True, discordant=0.11)
    table = rng.multinomial(pair.rows, [0.08, 0.03, 0.89], REPEATS)
    p_values = np.array([mcnemar(b, c, "mid-p").p_value for b, c, _ in table.tolist()])
    assert np.mean(p_values < 0.05) == pytest.approx(pair.power, abs=noise(0.8))


def test_simulated_power_of_errors() -> None:
    rng = np.random.default_rng(13)
    plan = sample_size("mae", difference=0.1, deviation=0.9, paired=True)
    d = rng.normal(0.1, 0.9, (REPEATS, plan.rows))
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * math.sqrt(plan.rows)
    seen = np.mean(np.abs(t) > stats.t.ppf(0.975, plan.rows - 1))
    assert seen == pytest.approx(plan.power, abs=noise(0.8))


# ---- what leaves the room


def test_the_curve_and_the_chart() -> None:
    plan = sample_size("auc", value=0.8, difference=0.05, prevalence=0.1, paired=True, correlation=0.6)
    curve = plan.curve()
    rows, chances = curve.columns["rows"], curve.columns["power"]
    assert all(a < b for a, b in pairwise(rows)) and all(a <= b + 1e-12 for a, b in pairwise(chances))
    assert plan.rows in rows and curve.facts["rows"] == plan.rows
    assert plan.curve([400, 800]).columns["rows"] == [400.0, 800.0]
    assert Curve.from_dict(json.loads(json.dumps(curve.to_dict()))) == curve
    chart = plan.chart()
    assert {m.x for m in chart.marks if isinstance(m, Rule) and m.x is not None} == {plan.rows}
    assert {m.y for m in chart.marks if isinstance(m, Rule) and m.y is not None} == {0.8}
    assert any(isinstance(m, Line) and list(m.x) == list(rows) for m in chart.marks)
    assert chart.svg().startswith("<svg")
    assert isinstance(detectable("accuracy", rows=300, value=0.7).chart().description, str)


def test_plans_are_told_in_sentences() -> None:
    said = str(sample_size("accuracy", value=0.80, difference=0.05))
    assert said.startswith("To see an accuracy of 0.85 against 0.8 with a chance of 80")
    assert "two test sets of 903 rows each, 1,806 in all, are needed (the usual formula says 906)" in said
    assert "Newcombe" in said and "rows are independent of one another" in said
    said = str(sample_size("auc", value=0.8, difference=0.05, prevalence=0.1, paired=True))
    assert "positive" in said and "none having been given" in said and "one test set of" in said
    said = str(detectable("recall", rows=2000, value=0.8, prevalence=0.1))
    assert (
        said.startswith("Two test sets of 2,000 rows each (200 positive, 1,800 negative)") and "no smaller one" in said
    )
    plan = power("mae", rows=500, difference=-0.1, deviation=0.9, paired=True)
    assert "a difference of 0.100 in mae" in str(plan)
    told = json.loads(json.dumps(plan.to_dict()))
    assert told["rows"] == 500 and told["text"] == str(plan) and "aim" not in told


BAD: list[tuple[dict[str, Any], str]] = [
    ({"measure": "accuracy", "difference": 0.05}, "where the two models are"),
    ({"measure": "accuracy", "value": 0.8}, "needs a difference"),
    ({"measure": "accuracy", "value": 0.8, "difference": 0.0}, "needs a difference"),
    ({"measure": "accuracy", "value": 0.8, "difference": 0.3}, "lies between 0 and 1"),
    ({"measure": "accuracy", "first": 0.8, "second": 0.7, "difference": 0.2}, "differ by 0.1"),
    ({"measure": "accuracy", "value": 0.8, "second": 0.8, "difference": 0.1}, "the same thing"),
    ({"measure": "accuracy", "value": 0.8, "difference": 0.1, "paired": True, "discordant": 0.05}, "0.1 to 0.3"),
    ({"measure": "accuracy", "value": 0.8, "difference": 0.1, "power": 0.04}, "power must lie"),
    ({"measure": "accuracy", "value": 0.8, "difference": 0.1, "alpha": 1.5, "power": 1.7}, "power must lie"),
    ({"measure": "auc", "value": 0.8, "difference": 0.1, "prevalence": 0.0}, "prevalence"),
    ({"measure": "auc", "value": 0.8, "difference": 0.1, "correlation": 1.0, "paired": True}, "correlation"),
    ({"measure": "auc", "value": 0.8, "difference": 0.1, "variance": "guess"}, "binormal"),
    ({"measure": "mae", "difference": 0.1, "paired": True}, "standard deviation"),
    ({"measure": "rmse", "difference": 0.1, "deviation": 1.0}, "depends on where"),
]


@pytest.mark.parametrize(("call", "words"), BAD)
def test_calls_that_cannot_be_meant(call: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sample_size(**call)


def test_what_cannot_be_planned() -> None:
    with pytest.raises(NotAvailable, match="each model has its own"):
        sample_size("precision", value=0.8, difference=0.1)
    with pytest.raises(NotAvailable, match="no plan for f1"):
        sample_size("f1", value=0.8, difference=0.1)
    with pytest.raises(NotAvailable, match="not even the largest"):
        detectable("accuracy", rows=30, value=0.97)
    with pytest.raises(NotAvailable, match="10 real positives, and 30 are needed"):
        detectable("recall", rows=100, value=0.8, prevalence=0.1)
    with pytest.raises(NotAvailable, match="More than"):
        sample_size("accuracy", value=0.8, difference=1e-6)
    with pytest.raises(UsageError, match="at least 20 rows"):
        power("auc", rows=10, first=0.9, second=0.8, prevalence=0.1)
    with pytest.raises(UsageError, match="what is asked for"):
        detectable("accuracy", rows=100, value=0.8, difference=0.1)
    with pytest.raises(NotAvailable, match="by hand"):
        Plan("accuracy", 10, 0.8, 0.1, 0.9, 0.8, 0.05, False, None, None, "", ()).curve()


def test_a_difference_is_an_improvement_where_lower_is_better() -> None:
    plan = sample_size("error_rate", value=0.2, difference=0.05)
    assert (plan.first, plan.second) == pytest.approx((0.15, 0.2))
    assert plan.rows == sample_size("accuracy", value=0.8, difference=0.05).rows
    assert plan.rows == sample_size("error_rate", first=0.15, second=0.2).rows
    worse = sample_size("error_rate", first=0.25, second=0.2)
    assert worse.first == 0.25 and worse.rows > plan.rows
    assert sample_size("mae", value=2.0, difference=0.2, deviation=1.0).first == pytest.approx(1.8)
