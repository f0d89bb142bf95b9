"""The quality itself: against quadrature, closed forms, the paper's requirement, and under merging."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.early_warning.closed_forms import trivial_models

from steelyard.early_warning.quality import estimate_quality, trivial_of
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.early_warning.timeliness import Timeliness, timeliness
from steelyard.engines.weighing import Weighing
from steelyard.errors import CannotAdd

from .events_at_random import HORIZON, by_quadrature, draw

NAMES = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": HORIZON}


def integral(days: np.ndarray, scores: np.ndarray, weighing: Weighing, *, positive: bool) -> float:
    gathered = weighing.positive if positive else weighing.negative
    ends = np.append(days[1:], weighing.horizon)
    return float((scores * (gathered(ends) - gathered(days))).sum())


def test_exact_integration_is_quadrature_on_a_thousand_step_functions() -> None:
    """Between neighbouring steps the integrand is a line, which three Gauss points integrate without error."""
    rng = np.random.default_rng(3)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    for case in range(1000):
        horizon = float(rng.uniform(0.1, 100))
        days = np.sort(np.append(0.0, rng.uniform(0, horizon, rng.integers(0, 12))))
        scores = rng.random(len(days))
        kernel, positive = ("declining", "uniform")[case % 2], case % 3 > 0
        ends = np.append(days[1:], horizon)
        total = 0.0
        for a, b, m in zip(days, ends, scores, strict=True):
            t = (a + b) / 2 + (b - a) / 2 * nodes
            k = 2 * (1 - t / horizon) if positive and kernel == "declining" else np.ones(3)
            total += float((weights * m * k).sum()) * (b - a) / 2 / horizon
        assert integral(days, scores, Weighing(horizon, kernel), positive=positive) == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("kernel", ["declining", "uniform"])
@pytest.mark.parametrize("before", ["base rate", "zero", 0.3])
def test_the_whole_way_is_the_midpoint_rule(kernel: str, before: str | float) -> None:
    for seed in range(4):
        drawn = draw(np.random.default_rng(seed), 40)
        t = timeliness(drawn["events"], outcomes=drawn["told"], kernel=kernel, before=before, **NAMES)
        b = drawn["told"]["left"].mean()
        early = {"base rate": b, "zero": 0.0}.get(before, before)
        q0 = by_quadrature(drawn["events"], drawn["told"], early, kernel).mean()
        assert float(t.q0) == pytest.approx(q0, abs=5e-4)
        assert float(t.q) == pytest.approx((float(t.q0) - b * (2 * b - 1)) / (2 * b * (1 - b)), rel=1e-12)
        assert t.summary.silent == 40 - len(set(drawn["events"]["who"]))


@pytest.mark.parametrize("b", [0.03, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("name", ["q0", "q"])
@pytest.mark.parametrize("kernel", ["declining", "uniform"])
def test_trivial_models_have_their_closed_forms(b: float, name: str, kernel: str) -> None:
    n = 100
    left = (np.arange(n) < b * n).astype(int)
    levels = {
        "always positive": np.ones(n),
        "always negative": np.zeros(n),
        "at random": np.full(n, b),
        "perfect": left,
    }
    for model, score in levels.items():
        t = timeliness(unit=np.arange(n), time=np.zeros(n), score=score, outcome=left, horizon=7, kernel=kernel)
        assert float(t[name]) == pytest.approx(trivial_models(b, name)[model], abs=1e-12)
        assert t.trivial(name)[model] == pytest.approx(trivial_models(b, name)[model], abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), kernel=st.sampled_from(["declining", "uniform"]))
def test_a_model_that_is_nowhere_worse_scores_no_less(seed: int, kernel: str) -> None:
    """Requirement (1) of the paper, with values too."""
    rng = np.random.default_rng(seed)
    drawn = draw(rng, 30)
    left = drawn["told"]["left"][drawn["events"]["who"]]
    shift = rng.random(len(left)) * rng.integers(0, 2, len(left))
    p = drawn["events"]["p"]
    better = np.where(left == 1, p + shift * (1 - p), p * (1 - shift))
    options = NAMES | {"outcomes": drawn["told"], "value": "worth", "kernel": kernel}
    first = timeliness(drawn["events"] | {"p": better}, **options)
    second = timeliness(drawn["events"], **options)
    for name in ("q", "q0", "value_q"):
        assert float(first[name]) >= float(second[name]) - 1e-12


def test_value_q_is_one_for_perfect_and_zero_at_random_when_values_differ() -> None:
    rng = np.random.default_rng(8)
    left = (np.arange(50) < 12).astype(int)
    worth = rng.lognormal(0, 2, 50)
    rows = {"unit": np.arange(50), "time": np.zeros(50), "outcome": left, "value": worth, "horizon": 5}
    assert float(timeliness(score=left, **rows).value_q) == pytest.approx(1, abs=1e-12)
    assert float(timeliness(score=np.full(50, 0.24), **rows).value_q) == pytest.approx(0, abs=1e-12)
    same = timeliness(score=rng.random(50), **rows | {"value": np.full(50, 7.0)})
    assert float(same.value_q) == pytest.approx(float(same.q), abs=1e-12)
    odd = timeliness(score=rng.random(50), **rows)
    assert abs(float(odd.value_q) - float(odd.q)) > 1e-3
    assert odd.trivial("value_q")["perfect"] == pytest.approx(1)


def test_merged_customers_are_the_merge_of_summaries() -> None:
    rng = np.random.default_rng(11)
    drawn = draw(rng, 80)
    options = NAMES | {"value": "worth"}
    whole = timeliness(drawn["events"], outcomes=drawn["told"], **options)
    parts = []
    for k in range(3):
        mine = drawn["events"]["who"] % 3 == k
        told = drawn["told"]["who"] % 3 == k
        events = {name: values[mine] for name, values in drawn["events"].items()}
        outcomes = {name: values[told] for name, values in drawn["told"].items()}
        parts.append(timeliness(events, outcomes=outcomes, **options))
    merged = parts[0] + parts[1] + parts[2]
    assert merged.summary == whole.summary
    assert (parts[2] + (parts[0] + parts[1])).summary == whole.summary
    assert (merged.summary + TimelinessSummary.zero(merged.summary.weighing, valued=True)) == whole.summary
    for name in ("q", "q0", "value_q"):
        for end in ("value", "low", "high"):
            assert getattr(merged[name], end) == pytest.approx(getattr(whole[name], end), rel=1e-9)
    assert sum(parts).summary == whole.summary
    with pytest.raises(CannotAdd, match="exactly the same"):
        parts[0] + parts[0]
    assert parts[0].plus(parts[0], twice=True).summary.customers == 2 * parts[0].summary.customers
    with pytest.raises(CannotAdd, match="adds to timeliness"):
        parts[0] + 1
    # The mean of the parts would be something else: b is that of all customers together.
    assert float(merged.q) != pytest.approx(np.mean([float(p.q) for p in parts]), abs=1e-6)


def test_json_both_ways() -> None:
    drawn = draw(np.random.default_rng(2))
    t = timeliness(drawn["events"], outcomes=drawn["told"], value="worth", before=0.1, **NAMES)
    back = Timeliness.from_dict(json.loads(json.dumps(t.to_dict(), allow_nan=False)))
    assert back.summary == t.summary
    assert str(back) == str(t)


def test_summaries_of_different_periods_do_not_add() -> None:
    one, two = (TimelinessSummary.of(Weighing(h), [1, 0], [0.5, 0.1], [0, 0]) for h in (30.0, 31.0))
    with pytest.raises(CannotAdd, match="horizon"):
        one + two
    with pytest.raises(CannotAdd, match="values"):
        one + TimelinessSummary.of(Weighing(30.0), [1, 0], [0.5, 0.1], [0, 0], [1, 1])


def test_period_ends_count_the_score_in_force_at_each_end() -> None:
    drawn = draw(np.random.default_rng(4), 50)
    ends = [5.0, 10.0, 15.0, 20.0, 25.0, 31.0]
    options = NAMES | {"estimator": "period ends", "ends": ends, "outcomes": drawn["told"]}
    t = timeliness(drawn["events"], **options)
    b, total = drawn["told"]["left"].mean(), 0.0
    for who, left in zip(drawn["told"]["who"], drawn["told"]["left"], strict=True):
        mine = [(d, p) for w, d, p in zip(*(drawn["events"][k] for k in ("who", "day", "p")), strict=True) if w == who]
        for start, end in zip([0.0, *ends], ends):
            known = [(d, p) for d, p in mine if d <= end]
            m = max(known)[1] if known else b
            weight = (end - start) / HORIZON
            total += weight * (2 * (m - b) * (1 - end / HORIZON) if left else b - m)
    assert float(t.q) == pytest.approx(total / (2 * 50 * b * (1 - b)), abs=1e-12)
    assert t.trivial()["perfect"] == pytest.approx(0.9162, abs=5e-5)
    assert "biased" in str(t)


def test_period_ends_tend_to_the_exact_integral() -> None:
    drawn = draw(np.random.default_rng(6), 50)
    exact = float(timeliness(drawn["events"], outcomes=drawn["told"], **NAMES).q)
    ends = np.linspace(0, HORIZON, 2001)[1:].tolist()
    options = {"estimator": "period ends", "ends": ends, "outcomes": drawn["told"]}
    assert float(timeliness(drawn["events"], **NAMES, **options).q) == pytest.approx(exact, abs=2e-3)


def test_another_convention_needs_no_second_look() -> None:
    drawn = draw(np.random.default_rng(9))
    t = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES)
    zero = timeliness(drawn["events"], outcomes=drawn["told"], before="zero", **NAMES)
    assert float(t.with_before("zero").q) == float(zero.q) != float(t.q)


def test_intervals_cover_and_say_when_there_are_none() -> None:
    """Two thousand customers, a fifth positive: the interval holds the true value about 95 times in 100."""
    rng = np.random.default_rng(0)
    hits = 0
    b, means = 0.2, (0.2, 0.45)
    truth = ((means[1] - b) / (1 - b) + 1 - means[0] / b) / 2
    for _ in range(300):
        left = (rng.random(2000) < b).astype(int)
        x = np.where(left == 1, rng.beta(0.9, 1.1, 2000), rng.beta(0.4, 1.6, 2000))
        s = TimelinessSummary.of(Weighing(1.0), left, x, np.zeros(2000))
        found = estimate_quality(s, "q", "base rate", 0.95)
        hits += found.low <= truth <= found.high
    assert 0.92 * 300 <= hits <= 0.985 * 300
    one = TimelinessSummary.of(Weighing(1.0), [1, 0, 0], [0.5, 0.1, 0.2], [0, 0, 0])
    found = estimate_quality(one, "q", "base rate", 0.95)
    assert found.low is None
    assert "no spread" in found.note
    none = TimelinessSummary.of(Weighing(1.0), [0, 0], [0.1, 0.2], [0, 0])
    assert estimate_quality(none, "q", "base rate", 0.95).reason == "no real positives"
    assert "value" in estimate_quality(one, "value_q", "base rate", 0.95).reason


def test_the_interval_narrows_with_the_root_of_the_customers() -> None:
    drawn = draw(np.random.default_rng(5), 200)
    t = timeliness(drawn["events"], outcomes=drawn["told"], **NAMES)
    many = t.summary
    for _ in range(6):
        many = many + many
    wide, narrow = (estimate_quality(s, "q", "base rate", 0.95) for s in (t.summary, many))
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(8, rel=0.1)
    assert trivial_of(many, "q") == pytest.approx(trivial_of(t.summary, "q"))


def test_the_story_keeps_to_eighty_columns() -> None:
    drawn = draw(np.random.default_rng(1), 90)
    t = timeliness(drawn["events"], outcomes=drawn["told"], value="worth", kernel="uniform", **NAMES)
    text = str(t)
    assert max(map(len, text.splitlines())) <= 80
    for words in ("had no event at all", "the base rate", "Uniform kernel", '"always negative"'):
        assert words in " ".join(text.split())
    # The model and four simple ones by Q, Q0, good time, bad time and Q by value.
    assert len(t.frame()) == 25
