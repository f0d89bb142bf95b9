"""Distances against SciPy's, against their definitions, and from bins against those from values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from steelyard.monitors.distances import Samples, jensen_shannon, kolmogorov_smirnov, wasserstein
from steelyard.monitors.stability import Stability, stability


def samples(rng: np.random.Generator) -> Samples:
    n, m = rng.integers(1, 60, 2)
    # Rounding makes ties, within and between the samples.
    x, y = (np.round(rng.normal(size=k) * 2, int(rng.integers(0, 3))) for k in (n, m))
    return Samples(x, y, rng.gamma(1, 1, n) + 0.1, rng.gamma(1, 1, m) + 0.1)


def test_distances_of_values_are_those_of_scipy() -> None:
    rng = np.random.default_rng(11)
    for _ in range(200):
        s = samples(rng)
        plain = Samples(s.reference, s.current)
        assert kolmogorov_smirnov(plain) == pytest.approx(
            stats.ks_2samp(s.reference, s.current, method="asymp").statistic
        )
        assert wasserstein(plain) == pytest.approx(stats.wasserstein_distance(s.reference, s.current))
        weighted = stats.wasserstein_distance(s.reference, s.current, s.reference_weight, s.current_weight)
        assert wasserstein(s) == pytest.approx(weighted)


def test_a_weight_of_two_is_two_rows() -> None:
    rng = np.random.default_rng(12)
    for _ in range(50):
        s = samples(rng)
        u, v = rng.integers(1, 4, len(s.reference)), rng.integers(1, 4, len(s.current))
        weighted = Samples(s.reference, s.current, u.astype(float), v.astype(float))
        copied = Samples(np.repeat(s.reference, u), np.repeat(s.current, v))
        assert kolmogorov_smirnov(weighted) == pytest.approx(kolmogorov_smirnov(copied))


def test_jensen_shannon_is_scipys_squared() -> None:
    rng = np.random.default_rng(13)
    for _ in range(100):
        a, b = rng.integers(0, 9, (2, 6)).astype(float) + np.array([[1, 0, 0, 0, 0, 0]])
        assert jensen_shannon(a, b) == pytest.approx(jensenshannon(a, b, base=2) ** 2, abs=1e-12)
        assert 0 <= jensen_shannon(a, b) <= 1


def stability_of(x: np.ndarray, y: np.ndarray) -> Stability:
    found = stability(x, y, "x")
    assert isinstance(found, Stability)
    return found


def test_all_distances_come_with_a_method_and_an_interval_or_a_word_about_it() -> None:
    rng = np.random.default_rng(14)
    x, y = rng.normal(size=2000), rng.normal(0.3, 1, 500)
    s = stability_of(x, y)
    found = s.distances
    assert list(found) == ["ks", "wasserstein", "jensen_shannon", "chi_square"]
    assert found["ks"].value == pytest.approx(stats.ks_2samp(x, y).statistic)
    asymptotic = stats.ks_2samp(x, y, method="asymp").pvalue
    assert found["ks"].options["p_value"] == pytest.approx(asymptotic, rel=0.1)
    for e in found.values():
        assert e.method
        assert e.low is not None or "no interval" in e.note
    both = np.array([[c.reference for c in s.cells], [c.current for c in s.cells]])
    chi = stats.chi2_contingency(both, correction=False)
    assert (found["chi_square"].value, found["chi_square"].options["p_value"]) == pytest.approx(chi[:2])


def test_the_band_of_the_largest_distance_holds_the_true_one() -> None:
    rng = np.random.default_rng(15)
    true = 2 * stats.norm.cdf(0.25) - 1
    held = 0
    for _ in range(60):
        e = stability_of(rng.normal(size=600), rng.normal(0.5, 1, 300)).distances["ks"]
        assert e.low is not None and e.high is not None
        held += e.low <= true <= e.high
    assert held >= 57


def test_from_bins_the_largest_distance_is_at_most_that_of_the_values_and_its_end_is_not_below() -> None:
    rng = np.random.default_rng(16)
    for _ in range(30):
        x, y = rng.normal(size=400), rng.normal(0.4, 1.3, 300)
        direct, kept = stability_of(x, y), stability_of(stability_of(x, y).bins, y)
        assert isinstance(kept, Stability)
        a, b = direct.distances["ks"], kept.distances["ks"]
        assert b.value is not None and a.value is not None and b.high is not None
        assert b.value <= a.value + 1e-12 <= b.high + 1e-9
        assert "edges" in b.method
        assert kept.distances["wasserstein"].value is None
        assert "open" in kept.distances["wasserstein"].reason


def test_levels_have_no_order() -> None:
    s = stability_of({"a": 500, "b": 300}, {"a": 100, "b": 90})
    assert isinstance(s, Stability)
    assert {n: e.reason for n, e in s.distances.items() if not e.defined} == {
        "ks": "levels have no order",
        "wasserstein": "levels have no order",
    }
