"""Means of one number a row: the paired t against the bootstrap and by hand, and the winner's luck on the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

import steelyard as sy
from steelyard.comparisons.resampling import paired_difference
from steelyard.comparisons.row_means import means_of
from steelyard.comparisons.shared_rows import rows_of

RNG = np.random.default_rng(11)
N = 600
Y = (RNG.random(N) < 0.4).astype(int)
Z = RNG.normal(size=N) + 1.2 * Y
MODELS = {f"m{i}": 1 / (1 + np.exp(0.6 - Z - RNG.normal(size=N) * (0.6 + 0.1 * i))) for i in range(4)}
FIRST, SECOND = MODELS["m0"], MODELS["m3"]
PROFIT = sy.Profit(tp=10, fp=-3, fn=-1)


def by_hand(name: str, p: np.ndarray) -> np.ndarray:
    """The number of each row, written down a second time."""
    if name == "brier":
        return (p - Y) ** 2
    if name == "log_loss":
        return -np.log(np.where(Y == 1, p, 1 - p))
    if name == "profit":
        return np.where(Y == 1, np.where(p >= 0.5, 10, -1), np.where(p >= 0.5, -3, 0)).astype(float)
    return ((p >= 0.5) == Y).astype(float)


@pytest.mark.parametrize("name", ["brier", "log_loss", "profit"])
def test_a_mean_is_tested_by_the_paired_t(name: str) -> None:
    d = paired_difference(Y, FIRST, SECOND, name, kind="scores", payoff=PROFIT)
    one, two = by_hand(name, FIRST), by_hand(name, SECOND)
    assert d.value == pytest.approx((one - two).mean(), abs=1e-12)
    assert d.method == "paired t over rows"
    known = ttest_rel(one, two)
    assert d.statistic == pytest.approx(known.statistic, rel=1e-9)
    # Where scores are judged class by class the rarer class has the degrees of freedom.
    assert d.p_value == pytest.approx(known.pvalue, rel=0.1)
    own = sy.evaluate(target=Y, score=FIRST, profit=PROFIT).measure(
        name, None, **({"per": "case"} if name == "profit" else {})
    )
    assert d.values[0] == pytest.approx(own.value, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "weighting"),
    # Shares of single rows, and of copies of them, have a test of their own.
    [("brier", "none"), ("log_loss", "none"), ("brier", "frequency"), ("log_loss", "frequency")]
    + [(n, w) for n in ("brier", "log_loss", "accuracy") for w in ("units", "sampling")],
)
def test_the_t_has_the_spread_of_the_bootstrap(name: str, weighting: str) -> None:
    rng = np.random.default_rng(5)
    how = {
        "none": {},
        "units": {"unit": rng.integers(0, 150, N)},
        "sampling": {"weight": rng.random(N) + 0.5},
        "frequency": {"weight": rng.integers(1, 4, N).astype(float), "weights": "frequency"},
    }[weighting]
    t = paired_difference(Y, FIRST, SECOND, name, kind="scores", **how)
    drawn = paired_difference(Y, FIRST, SECOND, name, kind="scores", method="percentiles", **how)
    assert t.method.startswith("paired t over") and "bootstrap" in drawn.method
    assert t.value == pytest.approx(drawn.value, abs=1e-9)
    assert t.high - t.low == pytest.approx(drawn.high - drawn.low, rel=0.12)


@pytest.mark.parametrize("name", ["accuracy", "recall", "specificity"])
def test_shares_of_copies_are_those_of_the_rows_written_out(name: str) -> None:
    times = np.random.default_rng(8).integers(1, 4, N)
    copied = paired_difference(Y, FIRST, SECOND, name, kind="scores", weight=times, weights="frequency")
    written = paired_difference(*(np.repeat(x, times) for x in (Y, FIRST, SECOND)), name, kind="scores")
    assert copied == written and "McNemar" in copied.method


def test_numbers_and_classes_have_means_too() -> None:
    rng = np.random.default_rng(6)
    t = rng.normal(size=300)
    a, b = t + rng.normal(0, 0.5, 300), t + rng.normal(0, 0.8, 300)
    for name, one, two in (("mae", abs(a - t), abs(b - t)), ("mse", (a - t) ** 2, (b - t) ** 2)):
        d = paired_difference(t, a, b, name, kind="numbers")
        known = ttest_rel(one, two)
        ends = known.confidence_interval(0.95)
        assert (d.value, d.low, d.high) == pytest.approx(((one - two).mean(), ends.low, ends.high), abs=1e-12)
        assert d.p_value == pytest.approx(max(known.pvalue, 1e-12), rel=1e-6)
    levels = np.array(["a", "b", "c"])
    truth = rng.choice(levels, 300)
    tables = []
    for strength in (1.0, 0.4):
        raw = rng.random((300, 3)) + 0.05 + strength * (truth[:, None] == levels)
        tables.append({v: raw[:, i] / raw.sum(axis=1) for i, v in enumerate(levels.tolist())})
    for name in ("brier", "log_loss", "top_k_accuracy"):
        d = paired_difference(truth, *tables, name, kind="classes")
        assert d.method == "paired t over rows"
        for model, value in zip(tables, d.values, strict=True):
            assert value == pytest.approx(sy.evaluate(target=truth, score=model)[name].value, abs=1e-9), name


def test_an_infinite_loss_has_no_difference() -> None:
    wrong = np.where(np.arange(N) == int(np.argmax(Y)), 0.0, FIRST)
    c = sy.compare(target=Y, score={"a": FIRST, "b": wrong, "c": SECOND}, measures=["log_loss", "brier"])
    found = {(r.difference.first, r.difference.second): r for r in c.table("log_loss")}
    assert found["b", "a"].difference.value is None and found["b", "a"].verdict == "not known"
    assert found["c", "a"].difference.value is not None
    assert c.winner("log_loss") is None
    text = str(c)
    assert "n/a:" in text and max(len(line) for line in text.splitlines()) <= 80
    assert c.winner("brier") is not None


def test_units_are_summed_before_they_are_compared() -> None:
    unit = np.repeat(np.arange(N // 4), 4)
    table = np.stack([by_hand("brier", FIRST), by_hand("brier", SECOND)], axis=1)
    means, covariance, units = means_of(rows_of(Y, unit, None, "sampling"), table)
    sums = table.reshape(-1, 4, 2).mean(axis=1)
    assert units == N // 4
    np.testing.assert_allclose(means, sums.mean(axis=0))
    np.testing.assert_allclose(covariance, np.cov(sums, rowvar=False) / len(sums))


def test_the_winner_on_the_same_rows_is_not_chosen_from_independent_models() -> None:
    # One model and copies of it with a slight noise: what they share must not count as luck.
    rng = np.random.default_rng(9)
    near = {f"m{i}": np.clip(FIRST + rng.normal(0, 0.002, N), 0.001, 0.999) for i in range(8)}
    c = sy.compare(target=Y, score=near, measures=["brier"])
    for name in ("brier", "log_loss", "accuracy", "auc"):
        best = c.winner(name)
        own = c[best.winner][name]
        assert best.observed.value == pytest.approx(own.value, abs=1e-9)
        assert abs(best.optimism.value) < 0.15 * (own.high - own.low), name
    assert c.winner("f1") is None and c.winner("precision") is None


def test_the_winner_in_profit_is_told_by_case() -> None:
    c = sy.compare(target=Y, score=MODELS, profit=PROFIT, measures=["profit"])
    best = c.winner("profit")
    assert best.observed.value == pytest.approx(by_hand("profit", MODELS[best.winner]).mean())
    assert abs(best.optimism.value) < 1
    apart = {n: sy.evaluate(target=Y, score=p, profit=PROFIT) for n, p in MODELS.items()}
    assert sy.compare(apart, measures=["profit"]).winner() is None
    assert sy.compare(apart, measures=["auc"]).winner() is not None


def test_the_winner_stays_in_the_range_of_its_measure() -> None:
    y = np.tile([0, 1], 40)
    scores = {f"m{i}": np.where(np.arange(80) == i, 1 - y, y) * 0.98 + 0.01 for i in range(3)}
    c = sy.compare(target=y, score=scores)
    for name in ("auc", "accuracy", "brier"):
        best = c.winner(name)
        low, high = (0.0, 1.0) if name != "brier" else (0.0, np.inf)
        for x in (best.observed, best.corrected):
            assert low <= x.low <= x.value <= x.high <= high


def test_weights_and_many_rows_choose_by_the_covariance() -> None:
    plain = sy.compare(target=Y, score=MODELS, measures=["brier"]).winner()
    weighed = sy.compare(target=Y, score=MODELS, measures=["brier"], weight=np.ones(N)).winner()
    assert weighed.winner == plain.winner
    assert weighed.optimism.value == pytest.approx(plain.optimism.value, abs=0.003)


def test_thirty_models_take_no_bootstrap_each() -> None:
    rng = np.random.default_rng(2)
    many = {f"m{i}": np.clip(FIRST + rng.normal(0, 0.1, N), 0.01, 0.99) for i in range(30)}
    found = sy.compare(target=Y, score=many, measures=["log_loss"]).table()
    assert len(found) == 435
    assert all(r.difference.method.startswith("paired t over rows; for 435 pairs") for r in found)
