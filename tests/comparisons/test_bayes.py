"""Bayesian tests over many data sets, against a slow implementation written by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.bayes import bayesian_sign, bayesian_signed_rank


def slow_signed_rank(d: list[float], rope: float, draws: int, prior: float = 0.5) -> list[float]:
    """Every pair of every draw, as the definition has it."""
    rng = np.random.default_rng(99)
    z = [0.0, *d]
    wins = [0.0, 0.0, 0.0]
    for w in rng.dirichlet([prior, *[1.0] * len(d)], size=draws).tolist():
        theta = [0.0, 0.0, 0.0]
        for wi, zi in zip(w, z):
            for wj, zj in zip(w, z):
                total = zi + zj
                if rope == 0 and total == 0:
                    theta[0] += wi * wj / 2
                    theta[2] += wi * wj / 2
                elif total < -2 * rope:
                    theta[0] += wi * wj
                elif total > 2 * rope:
                    theta[2] += wi * wj
                else:
                    theta[1] += wi * wj
        wins[theta.index(max(theta))] += 1
    return [x / draws for x in wins]


CASES = [
    ([0.02, 0.03, -0.01, 0.04, 0.005, 0.0], 0.01),
    ([0.02, 0.03, -0.01, 0.04, 0.005, -0.02, 0.01], 0.0),
    ([-0.2, 0.13, -0.1, 0.04, -0.05, -0.02, -0.08, 0.003], 0.05),
    ([0.001, -0.002, 0.003, 0.0, 0.02], 0.01),
]


@pytest.mark.parametrize(("d", "rope"), CASES)
def test_signed_ranks_against_the_slow_way(d: list[float], rope: float) -> None:
    want = slow_signed_rank(d, rope, 3000)
    found = bayesian_signed_rank(d, rope)
    for got, x in zip((found.left, found.rope, found.right), want):
        assert got == pytest.approx(x, abs=4 * math.sqrt(0.25 / 3000))
    assert found.left + found.rope + found.right == pytest.approx(1)


@pytest.mark.parametrize(("d", "rope"), CASES)
def test_the_sign_test_against_draws(d: list[float], rope: float) -> None:
    rng = np.random.default_rng(7)
    x = np.array(d)
    left, right = (x < -rope).sum(), (x > rope).sum()
    inside = len(x) - left - right + 0.5
    draws = rng.gamma([max(left, 1e-9), inside, max(right, 1e-9)], size=(200_000, 3))
    if rope == 0:
        # Ties and prior count half to each side before anything is drawn.
        draws = rng.gamma([left + inside / 2, 1e-9, right + inside / 2], size=(200_000, 3))
    want = np.bincount(draws.argmax(axis=1), minlength=3) / 200_000
    found = bayesian_sign(d, rope)
    assert (found.left, found.rope, found.right) == pytest.approx(want.tolist(), abs=0.006)


@pytest.mark.parametrize("test", [bayesian_sign, lambda d, rope=0.0: bayesian_signed_rank(d, rope, draws=4000)])
def test_laws(test: object) -> None:
    assert callable(test)
    rng = np.random.default_rng(3)
    for _ in range(5):
        d = rng.normal(0.01, 0.03, 15)
        a, b = test(d, 0.01), test(-d, 0.01)
        assert (a.left, a.rope, a.right) == pytest.approx((b.right, b.rope, b.left), abs=0.05)
        ropes = [test(d, r).rope for r in (0.0, 0.01, 0.05, 1.0)]
        assert ropes[0] == 0 and ropes == sorted(ropes) and ropes[-1] == pytest.approx(1, abs=0.02)
    many = rng.normal(0.05, 0.02, 60)
    assert (test(many, 0.01).verdict, test(-many, 0.01).verdict) == ("higher", "lower")
    assert test(rng.normal(0, 0.001, 60), 0.01).verdict == "practically alike"


def test_the_same_seed_gives_the_same_answer_and_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    d = np.random.default_rng(1).normal(0.01, 0.03, 30)
    first = bayesian_signed_rank(d, 0.01, draws=3000)
    assert first == bayesian_signed_rank(d, 0.01, draws=3000)
    assert first != bayesian_signed_rank(d, 0.01, draws=3000, seed=1)
    monkeypatch.setattr("steelyard.comparisons.bayes.CELLS", 1000)
    assert first == bayesian_signed_rank(d, 0.01, draws=3000)


def test_size_counts_for_signed_ranks_only() -> None:
    """Seven small losses against six large wins."""
    d = [-0.01] * 7 + [0.5, 0.6, 0.7, 0.5, 0.6, 0.4]
    assert bayesian_sign(d).left > 0.5
    assert bayesian_signed_rank(d).right > 0.8


def test_words_and_refusals() -> None:
    for test in (bayesian_sign, bayesian_signed_rank):
        assert str(test([])) == "n/a (no data sets)"
        assert test([math.nan]).reason == "none of 1 data sets has a value"
        found = test([0.1, 0.2, math.nan], 0.01)
        assert found.n == 2 and "1 of 3 data sets" in found.note
        json.dumps(found.to_dict(), allow_nan=False)
        with pytest.raises(sy.errors.UsageError, match="practical equivalence"):
            test([0.1], math.nan)
        with pytest.raises(sy.errors.UsageError, match="prior"):
            test([0.1], prior=-1)
        with pytest.raises(sy.errors.NotNumeric):
            test(["x"])
        assert test([0.0, 0.0]).left == pytest.approx(0.5)
        assert test([0.0, 0.0], 0.01).rope == pytest.approx(1)
    with pytest.raises(sy.errors.UsageError, match="one draw"):
        bayesian_signed_rank([0.1], draws=0)


# ---- few data sets, and the last bits


@pytest.mark.parametrize("test", [bayesian_sign, bayesian_signed_rank])
def test_the_edge_of_the_rope_does_not_hang_on_the_last_bit(test: object) -> None:
    first = np.array([0.873, 0.910, 0.845, 0.902, 0.760, 0.881, 0.930, 0.654])
    d = first - (first - np.array([0.005, 0.005, 0.005, -0.005, 0.012, 0.005, 0.009, 0.020])).round(3)
    exact, rounded = test(d, 0.005), test(d.round(6), 0.005)
    assert (exact.left, exact.rope, exact.right) == (rounded.left, rounded.rope, rounded.right)
    assert exact.verdict == rounded.verdict


@pytest.mark.parametrize("n", [5, 6, 8, 12])
def test_alike_models_get_a_word_no_more_often_than_promised(n: int) -> None:
    """At 95% one of the two directions is said in one case of ten at most, and not before all could agree by luck."""
    rng = np.random.default_rng(n)
    words = [bayesian_signed_rank(rng.normal(size=n), draws=1000).verdict for _ in range(400)]
    assert np.mean([w in {"lower", "higher"} for w in words]) < 0.10 + 2.5 * math.sqrt(0.1 * 0.9 / 400)
    signs = [bayesian_sign(rng.normal(size=n)).verdict for _ in range(400)]
    assert np.mean([w in {"lower", "higher"} for w in signs]) < 0.10 + 2.5 * math.sqrt(0.1 * 0.9 / 400)


def test_too_few_data_sets_are_said_to_be() -> None:
    for test in (bayesian_sign, bayesian_signed_rank):
        few = test([0.1, 0.2, 0.1, 0.3], 0.01)
        assert few.verdict == "too few cases to say" and "4 data sets are too few" in few.note
        assert test([0.1, 0.2, 0.15, 0.3, 0.2], 0.01).verdict == "higher"
        assert test([0.001, 0.002, 0.0] * 4, 0.01).verdict == "practically alike"
        bold = test([0.5, 0.4, 0.3, 0.2, -0.1, 0.6], 0.0)
        assert bold.verdict == ("higher" if bold.luck <= 0.05 and bold.right >= 0.95 else "no clear difference")
