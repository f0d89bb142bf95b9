"""Few data sets are counted, and the last bits do not rank."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from steelyard.comparisons.ranks import friedman, sign_test, wilcoxon
from steelyard.comparisons.together import all_together


def every_order(ranks: np.ndarray) -> float:
    """In which share of all orders the sums of ranks lie at least as far apart."""
    n, k = ranks.shape
    orders = list(itertools.permutations(range(k)))
    seen = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
    far = [
        ((sum(ranks[i][list(o)] for i, o in enumerate(drawn)) - n * (k + 1) / 2) ** 2).sum() >= seen - 1e-9
        for drawn in itertools.product(orders, repeat=n)
    ]
    return float(np.mean(far))


def test_few_data_sets_are_counted() -> None:
    r = friedman([[1, 2, 3], [1, 2, 3], [1, 3, 2]], better="lower")
    assert (round(r.p_value, 4), r.method) == (0.1944, "exact, over all orders")
    assert round(r.f_p, 3) == 0.049 and "exact p = 0.19, which decides" in r.paragraph()
    assert "does not show that the models differ" in r.paragraph()
    rng = np.random.default_rng(31)
    for shape in ((2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (3, 4), (2, 5)):
        for _ in range(3):
            values = rng.integers(0, 5, shape).astype(float)
            p = friedman(values, better="lower").p_value
            assert p == pytest.approx(every_order(stats.rankdata(values, axis=1)))


def test_two_models_are_told_apart_by_their_signs() -> None:
    rng = np.random.default_rng(32)
    for n in (3, 8, 20, 40):
        values = rng.normal(size=(n, 2)) + np.array([0.4, 0.0])
        assert friedman(values).p_value == pytest.approx(sign_test(values[:, 0] - values[:, 1]).p_value)


@pytest.mark.parametrize("shape", [(3, 3), (3, 4), (4, 3), (2, 6), (3, 9), (5, 4)])
def test_alike_models_on_few_data_sets_are_seldom_told_apart(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(33)
    found = np.mean([all_together(rng.random(shape).argsort(axis=1) + 1.0).p_value <= 0.05 for _ in range(600)])
    assert found < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)


def test_the_last_bits_do_not_rank() -> None:
    noisy = np.array([[(0.1 + 0.2) / 3, 0.1, 0.3], [0.7, 0.1 * 7, 0.2], [0.5, 0.5, 0.9], [0.3, 0.1 + 0.2, 0.6]])
    assert friedman(noisy) == friedman(noisy.round(9))
    assert friedman(noisy).markdown().count("**") == friedman(noisy.round(9)).markdown().count("**")
    d = np.array([0.873 - 0.868, 0.868 - 0.873, 0.1 + 0.2 - 0.3, 0.912 - 0.902, 0.02, 0.03, 0.045])
    for test in (wilcoxon, sign_test):
        assert test(d).p_value == test(d.round(9)).p_value
