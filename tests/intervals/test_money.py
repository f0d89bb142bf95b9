"""Intervals of money against the Bayesian bootstrap that they stand for, drawn directly over rows.

Where an interval reaches one standard error either way it shows the mean and the spread; at two, how far it leans.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.money import NAME, PRIOR

ONE, TWO = (2 * NormalDist().cdf(z) - 1 for z in (1.0, 2.0))
DRAWS = 20_000


def ends(call: dict[str, Any], made: Any, confidence: float) -> tuple[float, float]:
    found = sy.evaluate(**call, confidence=confidence).profit(made).per_case
    assert found is not None and found.low is not None and found.high is not None
    return found.low, found.high


def told(call: dict[str, Any], made: Any) -> tuple[float, float, float]:
    """Mean, standard error and skewness as the intervals tell them: value + error · (±z + skewness · (z² − 1) / 6)."""
    low, high = ends(call, made, ONE)
    mean, error = (low + high) / 2, (high - low) / 2
    low, high = ends(call, made, TWO)
    return mean, error, 2 * ((low + high) / 2 - mean) / error


def drawn(worth: np.ndarray, share: np.ndarray, seed: int) -> np.ndarray:
    """Means of rows under Dirichlet weights, `share` a row of the sample or of the prior."""
    rng = np.random.default_rng(seed)
    weight = rng.standard_gamma(np.broadcast_to(share, (DRAWS, len(share))))
    return (weight * worth).sum(axis=1) / weight.sum(axis=1)


def skewness(x: np.ndarray) -> float:
    return float(((x - x.mean()) ** 3).mean() / x.std() ** 3)


FIXED: list[tuple[list[list[int]], list[list[float]]]] = [
    ([[57, 3], [10, 30]], [[140, -140], [-700, 0]]),
    ([[12, 20], [67, 101]], [[39, 0], [-1, 0]]),
    ([[3, 0], [1, 196]], [[50, -5], [-1, 0]]),
    ([[20, 5, 1], [4, 30, 6], [0, 2, 40]], [[9, -3, 0], [1, 5, -20], [-50, 0, 2]]),
]


def labels(counts: Any) -> dict[str, Any]:
    cells = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    return {"target": [i for i, _ in cells], "prediction": [j for _, j in cells]}


@pytest.mark.parametrize("case", range(len(FIXED)))
def test_fixed_amounts_spread_as_the_bayesian_bootstrap_does(case: int) -> None:
    counts, amounts = FIXED[case]
    size = len(counts)
    made = sy.Profit(amounts, levels=range(size))
    n = np.array(counts, dtype=float).ravel()
    # A Dirichlet weight for each outcome is the sum of those of its rows and of half a row of the prior.
    sample = drawn(np.array(amounts).ravel(), n + PRIOR, 91 + case)
    mean, error, lean = told(labels(counts), made)
    assert mean == pytest.approx(sample.mean(), abs=5 * sample.std() / DRAWS**0.5)
    assert error == pytest.approx(sample.std(), rel=0.02)
    assert lean == pytest.approx(skewness(sample), abs=0.08)
    low, high = ends(labels(counts), made, 0.95)
    found, wanted = np.array([low, high]), np.quantile(sample, [0.025, 0.975])
    # Cornish and Fisher stop at the skewness; what is left over is small beside the spread.
    assert np.abs(found - wanted).max() < (0.05 if size == 3 or case < 2 else 0.25) * error
    assert sy.evaluate(**labels(counts)).profit(made).method == NAME


def own_rows(seed: int, n: int) -> tuple[dict[str, Any], Any, np.ndarray, np.ndarray]:
    """Labels with amounts of their own; what each row is worth, and what each row of the prior is, with its share."""
    rng = np.random.default_rng(seed)
    y, guess = rng.integers(0, 2, n), rng.integers(0, 2, n)
    y[:2] = (0, 1)
    fee = rng.gamma(4, 3, n)
    made = sy.Profit(tp="2 * fee - 3", fn="-fee", fp=-4, tn=1)

    def worth(actual: Any, predicted: Any, fee: Any) -> Any:
        return np.where(actual == 1, np.where(predicted == 1, 2 * fee - 3, -fee), np.where(predicted == 1, -4.0, 1.0))

    rows, shares = [worth(y, guess, fee)], [np.ones(n)]
    for actual in (0, 1):
        like = fee[y == actual]
        for predicted in (0, 1):
            # Half a row that is like the rows of its level: any one of them, each with the same share of it.
            rows.append(worth(np.full(len(like), actual), predicted, like))
            shares.append(np.full(len(like), PRIOR / len(like)))
    call = {"target": y, "prediction": guess, "value": {"fee": fee}}
    return call, made, np.concatenate(rows), np.concatenate(shares)


def test_amounts_of_their_own_have_the_mean_and_spread_of_their_rows() -> None:
    call, made, worth, share = own_rows(95, 150)
    sample = drawn(worth, share, 96)
    total = share.sum()
    mean = (share * worth).sum() / total
    spread = np.sqrt(((share * worth**2).sum() / total - mean**2) / (total + 1))
    # The closed form of the simulation itself.
    assert (sample.mean(), sample.std()) == pytest.approx((mean, spread), rel=0.02)
    low, high = ends(call, made, ONE)
    assert (low + high) / 2 == pytest.approx(mean, rel=1e-9)
    # Where much hangs on rows' own amounts, the quantile is Student's: wider, and never narrower.
    assert 1.0 <= (high - low) / 2 / spread < 1.1
    low, high = ends(call, made, 0.95)
    wanted = np.quantile(sample, [0.025, 0.975])
    assert low < wanted[0] + 0.1 * spread and high > wanted[1] - 0.1 * spread
    assert high - low < 1.15 * (wanted[1] - wanted[0])


def test_many_rows_have_the_normal_interval() -> None:
    call, made, worth, _ = own_rows(97, 100_000)
    rows = worth[:100_000]
    low, high = ends(call, made, 0.95)
    half = 1.959964 * rows.std() / len(rows) ** 0.5
    assert (low, high) == pytest.approx((rows.mean() - half, rows.mean() + half), abs=0.01 * half)


def test_sampling_weights_spread_as_weighted_rows_do() -> None:
    """Against σ² = Σ w² (v − v̄)² / (Σ w)², which many rows come to."""
    call, made, worth, _ = own_rows(98, 20_000)
    rows = worth[:20_000]
    w = np.random.default_rng(99).gamma(0.8, 1, 20_000) + 0.01
    mean = np.average(rows, weights=w)
    error = np.sqrt((w**2 * (rows - mean) ** 2).sum()) / w.sum()
    low, high = ends({**call, "weight": w}, made, 0.95)
    assert ((low + high) / 2, (high - low) / 2) == pytest.approx((mean, 1.959964 * error), rel=0.01)
    plain = ends(call, made, 0.95)
    assert high - low > 1.2 * (plain[1] - plain[0])


@pytest.mark.parametrize("own", [False, True])
def test_equal_weights_are_no_weights(own: bool) -> None:
    call, made, *_ = own_rows(100, 90)
    if not own:
        call.pop("value")
        made = sy.Profit(tp=20, fn=-3, fp=-4, tn=1)
    plain = sy.evaluate(**call).profit(made)
    for constant in (1.0, 0.25, 7.0):
        equal = sy.evaluate(**call, weight=np.full(90, constant)).profit(made)
        assert equal.per_case is not None and plain.per_case is not None
        for a, b in ((equal.per_case, plain.per_case), *zip(_all(equal), _all(plain), strict=True)):
            scale = 1.0 if a is equal.per_case else constant
            assert (a.value, a.low, a.high) == pytest.approx((scale * b.value, scale * b.low, scale * b.high), rel=1e-9)
        assert equal.n_eff == pytest.approx(90)


def _all(w: Any) -> list[Any]:
    return [w, *(p.estimate for p in w.policies), *(p.advantage for p in w.policies)]


@pytest.mark.parametrize("own", [False, True])
def test_frequency_weights_are_copies(own: bool) -> None:
    call, made, *_ = own_rows(101, 60)
    if not own:
        call.pop("value")
        made = sy.Profit(tp=20, fn=-3, fp=-4, tn=1)
    copies = np.random.default_rng(102).integers(1, 6, 60)
    counted = sy.evaluate(**call, weight=copies, weights="frequency").profit(made)
    many = {k: v if k == "value" else np.repeat(v, copies) for k, v in call.items()}
    if own:
        many["value"] = {"fee": np.repeat(call["value"]["fee"], copies)}
    repeated = sy.evaluate(**many).profit(made)
    for a, b in zip(_all(counted), _all(repeated), strict=True):
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-9, abs=1e-9)


def test_an_outcome_that_did_not_occur_is_not_impossible() -> None:
    """Without the prior, no alarm among few negatives would promise that there never is one."""
    made = sy.Profit(tp=10, fp=-1000)
    counts, amounts = [[20, 0], [10, 40]], np.array([[0, -1000], [0, 10]])
    low, high = ends(labels(counts), sy.Profit(amounts, levels=[0, 1]), 0.95)
    sample = drawn(amounts.ravel(), np.ravel(counts) + PRIOR, 104)
    assert low < 0 < high
    assert low == pytest.approx(np.quantile(sample, 0.025), abs=0.5 * sample.std())
    # A prediction that is never made is a policy and not a chance.
    nobody = sy.evaluate(target=[0] * 20 + [1] * 5, prediction=[0] * 25).profit(made)
    assert (nobody.value, nobody.low, nobody.high) == (0, 0, 0)


def test_what_is_certain_has_no_spread() -> None:
    all_alike = sy.evaluate(target=[1] * 5, prediction=[1] * 5).profit(sy.Profit(tp=7, fn=-1, fp=7, tn=0))
    assert (all_alike.value, all_alike.low, all_alike.high) == pytest.approx((35, 35, 35))


def test_an_interval_holds_its_value_and_grows_with_confidence() -> None:
    rng = np.random.default_rng(103)
    for _ in range(15):
        call, made, *_ = own_rows(int(rng.integers(1 << 30)), int(rng.integers(2, 30)))
        call["value"] = {"fee": rng.lognormal(0, 2, len(call["target"]))}
        before = None
        for confidence in (0.5, 0.8, 0.95, 0.999):
            e = sy.evaluate(**call, levels=[0, 1], confidence=confidence).profit(made)
            for x in _all(e):
                assert x.low <= x.value <= x.high
            if before is not None:
                assert e.high - e.low >= before - 1e-9
            before = e.high - e.low
