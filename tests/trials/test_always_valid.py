"""Results that hold at every look: exact expectations, and a short simulation of peeking."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from steelyard.errors import InputError, UsageError
from steelyard.trials.always_valid import looks_at_counts, looks_at_means, mixture_sequence, share_evidence


@pytest.mark.parametrize(("a", "share"), [(1.0, 0.5), (100.0, 0.5), (3.0, 0.2)])
def test_the_evidence_is_worth_one_on_average(a: float, share: float) -> None:
    """Under no effect the mean of an e-value is 1 for every number of events: that is what makes it honest."""
    for n in (1, 7, 40):
        chances = stats.binom.pmf(np.arange(n + 1), n, share)
        found = [share_evidence(k, n - k, a, share) for k in range(n + 1)]
        assert float(chances @ found) == pytest.approx(1, rel=1e-9)


def test_the_evidence_is_a_martingale_event_by_event() -> None:
    for x, y in itertools.product(range(5), repeat=2):
        now = share_evidence(x, y, 2.0, 0.3)
        after = 0.3 * share_evidence(x + 1, y, 2.0, 0.3) + 0.7 * share_evidence(x, y + 1, 2.0, 0.3)
        assert after == pytest.approx(now, rel=1e-9)


def test_the_mixture_is_the_integral_over_effects() -> None:
    value, error, spread, scale = 0.3, 0.12, 1.5, 0.2
    tau = scale * spread

    def likelihood(effect: float) -> float:
        ratio = stats.norm.pdf(value, effect, error) / stats.norm.pdf(value, 0, error)
        return float(ratio * stats.norm.pdf(effect, 0, tau))

    want, _ = integrate.quad(likelihood, -10 * tau, 10 * tau)
    low, high, e = mixture_sequence(value, error, spread, scale=scale)
    assert e == pytest.approx(want, rel=1e-6)
    # An effect at an end of the interval has an e-value of exactly 1 / α.
    assert mixture_sequence(value - low, error, spread, scale=scale)[2] == pytest.approx(20, rel=1e-9)
    assert mixture_sequence(value - high, error, spread, scale=scale)[2] == pytest.approx(20, rel=1e-9)


def test_looks_at_counts_add_up_over_periods() -> None:
    x, y = [5, 9, 2], [7, 3, 4]
    looks = looks_at_counts(x, y, ([100] * 3, [300] * 3), ["a", "b", "c"])
    want = [share_evidence(sum(x[:i]), sum(y[:i]), share=0.25) for i in (1, 2, 3)]
    assert list(looks.e_values) == pytest.approx(want) and looks.looks == ("a", "b", "c")
    assert looks.p_value == pytest.approx(min(1.0, 1 / max(want)))
    assert len(looks.curve()) == 3


def test_looks_at_means_at_the_last_look_is_the_whole() -> None:
    rng = np.random.default_rng(5)
    y, arm, when = rng.normal(10, 2, 900), rng.random(900) < 0.4, np.repeat(np.arange(30), 30)
    looks = looks_at_means(y, arm, when)
    assert looks is not None
    d = looks.estimates[-1]
    value = y[arm].mean() - y[~arm].mean()
    error = math.sqrt(y[arm].var(ddof=1) / arm.sum() + y[~arm].var(ddof=1) / (~arm).sum())
    assert d.value == pytest.approx(value)
    spread = math.sqrt((y[arm].var(ddof=1) * arm.sum() + y[~arm].var(ddof=1) * (~arm).sum()) / 900)
    assert (d.low, d.high) == pytest.approx(mixture_sequence(value, error, spread)[:2])
    assert looks_at_means(y[:30], arm[:30], when[:30]) is None


def test_peeking_is_free_with_it_and_not_without() -> None:
    rng = np.random.default_rng(11)
    ever, naive, runs = 0, 0, 150
    for _ in range(runs):
        arm = np.tile([True, False], 30 * 40)
        y, day = rng.normal(size=arm.size), np.repeat(np.arange(30), 80)
        looks = looks_at_means(y, arm, day)
        assert looks is not None
        ever += looks.clear
        sums = [np.bincount(day[m], weights=y[m]).cumsum() for m in (arm, ~arm)]
        n = 40 * np.arange(1, 31)
        z = (sums[0] - sums[1]) / n / np.sqrt(2 / n)
        naive += bool((np.abs(z) > 1.96).any())
    assert ever / runs <= 0.08 < 0.15 < naive / runs


def test_bad_input_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="0 or more"):
        share_evidence(-1, 3)
    with pytest.raises(UsageError, match="between 0 and 1"):
        share_evidence(1, 3, share=1.0)
    with pytest.raises(UsageError, match="above 0"):
        mixture_sequence(0.1, 0.0, 1.0)
