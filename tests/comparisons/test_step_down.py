"""Corrections for many tests: against their definitions, one another and brute force."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.comparisons.step_down import (
    benjamini_hochberg,
    bonferroni,
    hochberg,
    holm,
    shaffer,
    true_together,
)

P = st.lists(st.floats(0, 1), min_size=1, max_size=12)
ALL = (bonferroni, holm, hochberg, benjamini_hochberg)


def rejected_by_holm(p: list[float], alpha: float) -> list[bool]:
    """The procedure as Holm words it: go on from the smallest until one is too large."""
    out = [False] * len(p)
    for step, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[i] * (len(p) - step) > alpha:
            break
        out[i] = True
    return out


def rejected_from_above(p: list[float], alpha: float, factor: list[float]) -> list[bool]:
    """Step up: the largest that is small enough takes all smaller ones with it."""
    order = sorted(range(len(p)), key=p.__getitem__)
    last = max((j for j, i in enumerate(order) if p[i] * factor[j] <= alpha), default=-1)
    out = [False] * len(p)
    for i in order[: last + 1]:
        out[i] = True
    return out


@given(P, st.floats(0.001, 0.5))
def test_adjusted_values_decide_as_the_procedures_do(p: list[float], alpha: float) -> None:
    n = len(p)
    assert [x <= alpha for x in bonferroni(p)] == [x * n <= alpha for x in p]
    assert [x <= alpha for x in holm(p)] == rejected_by_holm(p, alpha)
    assert [x <= alpha for x in hochberg(p)] == rejected_from_above(p, alpha, [n - j for j in range(n)])
    up = rejected_from_above(p, alpha, [n / (j + 1) for j in range(n)])
    # One product is formed in another order here, so the last bit may differ.
    found = benjamini_hochberg(p)
    assert all((x <= alpha) == y or x == pytest.approx(alpha) for x, y in zip(found, up))


@given(P)
def test_the_order_of_strictness(p: list[float]) -> None:
    b, h, u, f = (rule(p) for rule in ALL)
    for i, raw in enumerate(p):
        assert 1 >= b[i] >= h[i] >= u[i] >= f[i] - 1e-15 >= raw - 1e-12
    mixed = list(range(len(p)))[::-1]
    for rule in ALL:
        assert rule([p[i] for i in mixed]) == rule(p)[::-1]


def test_missing_ones_are_not_counted_and_names_are_kept() -> None:
    for rule in ALL:
        named = rule({"b": 0.02, "a": None, "c": 0.01, "d": float("nan")})
        assert list(named) == ["b", "a", "c", "d"]
        assert (named["a"], named["d"]) == (None, None)
        assert [named["b"], named["c"]] == rule([0.02, 0.01])
        assert rule([]) == [] and rule({}) == {}
        assert rule(np.array([0.02, 0.01])) == rule([0.02, 0.01])
        with pytest.raises(sy.errors.UsageError, match="between 0 and 1"):
            rule([1.2])


def test_the_fifteen_p_values_of_benjamini_and_hochberg() -> None:
    """JRSS B 57 (1995), section 4.1: at 5% Bonferroni finds three, theirs four (thrombolysis after infarction)."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert sum(x <= 0.05 for x in bonferroni(p)) == 3
    assert sum(x <= 0.05 for x in hochberg(p)) == 3
    assert sum(x <= 0.05 for x in benjamini_hochberg(p)) == 4


# ---- Shaffer


def partitions(n: int, most: int | None = None) -> list[tuple[int, ...]]:
    most = n if most is None else most
    if n == 0:
        return [()]
    return [(j, *rest) for j in range(min(n, most), 0, -1) for rest in partitions(n - j, j)]


@pytest.mark.parametrize("k", range(9))
def test_numbers_of_pairs_alike_by_going_through_all_groupings(k: int) -> None:
    assert true_together(k) == tuple(sorted({sum(j * (j - 1) // 2 for j in part) for part in partitions(k)}))


def test_shaffer_for_four_models_is_printed() -> None:
    """Shaffer (1986) and García and Herrera (2008): for k = 4 the divisors are 6, 3, 3, 3, 2, 1."""
    p = [0.001, 0.002, 0.003, 0.004, 0.005, 0.006]
    factors = [6, 3, 3, 3, 2, 1]
    want = np.maximum.accumulate(np.array(p) * factors)
    assert shaffer(p, 4) == pytest.approx(want.tolist())


def test_shaffer_lies_between_the_raw_values_and_holm() -> None:
    rng = np.random.default_rng(1)
    for k in (2, 3, 5, 8):
        for _ in range(30):
            p = (rng.random(k * (k - 1) // 2) ** 3).tolist()
            for raw, s, h in zip(p, shaffer(p, k), holm(p)):
                assert raw <= s <= h


def test_shaffer_holds_its_level_for_every_truth_of_four_models() -> None:
    """Whichever models are alike, a false finding comes at most one time in twenty."""
    rng = np.random.default_rng(2)
    pairs = list(itertools.combinations(range(4), 2))
    from scipy.special import ndtr

    for means in ((0, 0, 0, 0), (0, 0, 0, 6), (0, 0, 6, 6), (0, 0, 6, 12)):
        x = rng.normal(size=(2000, 4)) + means
        z = np.stack([x[:, i] - x[:, j] for i, j in pairs], 1) / np.sqrt(2)
        p = 2 * ndtr(-np.abs(z))
        true = [means[i] == means[j] for i, j in pairs]
        false = np.mean([any(v <= 0.05 and t for v, t in zip(shaffer(row, 4), true)) for row in p.tolist()])
        assert false <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_fifty_models_take_no_time() -> None:
    p = np.random.default_rng(3).random(1225)
    true_together.cache_clear()
    start = time.process_time()
    found = shaffer(p, 50)
    assert time.process_time() - start < 1.0
    assert len(found) == 1225
    assert shaffer(dict(enumerate(p.tolist())), 50) == dict(enumerate(found))


def test_shaffer_needs_all_pairs() -> None:
    with pytest.raises(sy.errors.UsageError, match="All pairs of 4 models are 6, and 5 p-values came"):
        shaffer([0.1] * 5, 4)
    with pytest.raises(sy.errors.UsageError, match="negative"):
        true_together(-1)


def test_there_is_one_holm() -> None:
    from steelyard.comparisons import simultaneous, step_down

    assert simultaneous.holm is step_down.holm
