"""Spearman's correlation, as the decision on rank correlations has it: the correlation of ranks, number for number scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import steelyard as sy


@pytest.mark.parametrize("ties", [None, 1, 0])
@pytest.mark.parametrize("rows", [3, 40, 9000])
def test_the_correlation_of_ranks_is_that_of_spearman(rows: int, ties: int | None, rng: np.random.Generator) -> None:
    t = rng.normal(size=rows)
    p = 0.7 * t + rng.normal(size=rows)
    if ties is not None:
        t, p = np.round(t, ties), np.round(p, ties)
    wanted = scipy.stats.spearmanr(t, p).statistic
    e = sy.evaluate(target=scipy.stats.rankdata(t), prediction=scipy.stats.rankdata(p), kind="continuous")
    if np.isnan(wanted):
        assert not e["correlation"].defined
        return
    x = e["correlation"]
    assert x.value == pytest.approx(wanted, abs=1e-12)
    assert x.low is None or x.low <= x.value <= x.high


def test_of_two_levels_somers_d_is_the_gini(rng: np.random.Generator) -> None:
    y = (rng.random(300) < 0.4).astype(int)
    p = np.round(0.3 * y + rng.random(300), 1)
    found = scipy.stats.somersd(y, p).statistic
    assert float(sy.evaluate(target=y, score=p)["gini"]) == pytest.approx(found, abs=1e-12)


def test_losses_of_one_label_are_the_error_rate() -> None:
    from sklearn.metrics import hamming_loss, zero_one_loss

    y, guess = list("abcabcab"), list("abccbaab")
    e = sy.evaluate(target=y, prediction=guess)
    assert float(e["hamming_loss"]) == float(e["zero_one_loss"]) == pytest.approx(hamming_loss(y, guess))
    assert float(e["error_rate"]) == pytest.approx(zero_one_loss(y, guess))
