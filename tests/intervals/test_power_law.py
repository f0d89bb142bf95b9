"""Power laws of learning curves: known laws come back, bounds hold, and intervals cover."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from steelyard.errors import LengthsDiffer, MissingValues, NotAvailable, UsageError
from steelyard.intervals.power_law import POWERS, PowerLaw, extrapolate, fit, gain, plausible

SIZES = np.array([50.0, 100, 200, 400, 800])
UNIT = (0.0, 1.0)


def _law(n: Any, a: float, b: float, c: float) -> Any:
    return a + b * np.asarray(n, dtype=np.float64) ** (-c)


# The fit --------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 0.99), st.floats(0.2, 2), st.floats(0.15, 2), st.integers(3, 7))
def test_a_known_law_comes_back(a: float, rise: float, c: float, count: int) -> None:
    n = 40 * 2.0 ** np.arange(count)
    # The law drops by `rise` tenths at the first size, whatever its exponent.
    b = -rise / 10 * n[0] ** c
    law = fit(n, _law(n, a, b, c), limits=UNIT)
    assert law.at(n) == pytest.approx(_law(n, a, b, c), abs=1e-5)
    assert law.at(2 * n[-1]) == pytest.approx(_law(2 * n[-1], a, b, c), abs=1e-4)
    falling = fit(n, 1 - _law(n, a, b, c), better="lower", limits=UNIT)
    assert (1 - falling.a, -falling.b, falling.c) == pytest.approx((law.a, law.b, law.c), abs=1e-3)


def _squares(law: PowerLaw, n: Any, y: Any, w: Any) -> float:
    return float((w * (law.at(n) - y) ** 2).sum())


def test_no_other_law_is_nearer() -> None:
    rng = np.random.default_rng(1)
    for _ in range(15):
        y = _law(SIZES, 0.9, -0.8, 0.4) + rng.normal(0, 0.02, 5)
        errors = rng.uniform(0.01, 0.02, 5)
        law = fit(SIZES, y, errors, limits=UNIT)
        w = 1 / errors**2
        best = math.inf
        for start in ((0.9, 0.8, 0.4), (0.8, 2, 1), (0.95, 0.3, 0.1), (0.85, 20, 2)):
            found = least_squares(
                lambda p, y=y, w=w: np.sqrt(w) * (p[0] - p[1] * SIZES ** (-p[2]) - y),
                start,
                bounds=([0, 0, 0.05], [1, np.inf, 3]),
                x_scale=(0.1, 1, 0.3),
            )
            best = min(best, 2 * float(found.cost))
        assert _squares(law, SIZES, y, w) <= best * (1 + 1e-3) + 1e-9
        assert 0 <= law.a <= 1
        assert law.b <= 0


def test_flat_and_worsening_curves_are_flat() -> None:
    for y in (np.full(5, 0.7), np.array([0.9, 0.85, 0.8, 0.75, 0.7])):
        law = fit(SIZES, y, limits=UNIT)
        assert law.flat
        assert law.at(1e6) == pytest.approx(y.mean())
        assert law.text.endswith(", flat")
    rising = fit(SIZES, np.array([0.9, 0.85, 0.8, 0.75, 0.7]), better="lower", limits=UNIT)
    assert rising.b > 0


def test_a_bump_does_no_harm() -> None:
    law = fit(SIZES, [0.70, 0.80, 0.78, 0.83, 0.84], limits=UNIT)
    assert 0.8 < law.at(1600) <= law.a <= 1
    assert np.all(np.diff(law.at(SIZES)) > 0)


def test_the_end_of_the_curve_stays_inside_the_limits() -> None:
    steep = 1.2 - 1.0 * SIZES ** (-0.1)
    assert fit(SIZES, steep).a > 1
    assert fit(SIZES, steep, limits=UNIT).a <= 1
    falling = 0.02 - 0.01 * np.log(SIZES / 800)
    assert fit(SIZES, falling, better="lower", limits=(0, math.inf)).at(1e9) >= 0


def test_errors_weigh() -> None:
    y = _law(SIZES, 0.9, -0.8, 0.5)
    y[2] += 0.05
    careful = fit(SIZES, y, [0.01, 0.01, 10.0, 0.01, 0.01], limits=UNIT)
    assert careful.at(3200) == pytest.approx(_law(3200, 0.9, -0.8, 0.5), abs=1e-4)
    plain = fit(SIZES, y, limits=UNIT)
    assert abs(plain.at(200) - _law(200, 0.9, -0.8, 0.5)) > 0.005
    assert fit(SIZES, y, [0.2] * 5, limits=UNIT).at(3200) == pytest.approx(plain.at(3200))
    assert fit(SIZES, y, [0.0] * 5, limits=UNIT) == plain


def test_the_order_of_sizes_does_not_matter() -> None:
    y = _law(SIZES, 0.9, -0.8, 0.5) + np.array([0.01, -0.01, 0.0, 0.005, 0.0])
    order = [3, 0, 4, 2, 1]
    assert fit(SIZES[order], y[order]).at(2000) == pytest.approx(fit(SIZES, y).at(2000), abs=1e-6)


def test_the_text() -> None:
    assert PowerLaw(0.952, -0.41, 0.53).text == "0.952 − 0.41·n^−0.53"
    assert PowerLaw(0.952, 0.41, 0.53, "lower").text == "0.952 + 0.41·n^−0.53"
    assert PowerLaw(0.952, 0.0, 0.53).text == "0.952, flat"


def test_what_cannot_be_fitted_gets_a_sentence() -> None:
    with pytest.raises(NotAvailable, match="at least 3 different sizes, and 2 came"):
        fit([100, 200, 200], [0.8, 0.9, 0.9])
    with pytest.raises(LengthsDiffer, match="3 sizes and 2 values"):
        fit([100, 200, 300], [0.8, 0.9])
    with pytest.raises(LengthsDiffer, match="standard errors"):
        fit([100, 200, 300], [0.8, 0.9, 0.9], [0.1, 0.1, -0.1])
    with pytest.raises(MissingValues, match="missing"):
        fit([100, 200, 300], [0.8, math.nan, 0.9])
    with pytest.raises(UsageError, match="higher"):
        fit(SIZES, SIZES, better="")


# How sure -------------------------------------------------------------------------------------------------------------


def _repeats(rng: np.random.Generator, repeats: int = 10, ratio: float = 0.5, spread: float = 0.02) -> Any:
    """A known law with noise of repeats that is alike at all sizes or not, and a part that all repeats share."""

    def noise() -> Any:
        return spread * (rng.standard_normal() + rng.standard_normal(5) * np.sqrt(SIZES[0] / SIZES))

    shared = math.sqrt(ratio) * noise()
    return _law(SIZES, 0.92, -0.9, 0.5) + shared + np.array([noise() for _ in range(repeats)])


def test_intervals_hold_their_value_and_do_not_change() -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        v = _repeats(rng)
        for f in (partial(extrapolate, v, SIZES, 3200), partial(gain, v, SIZES)):
            e = f(ratio=0.5, limits=UNIT, measure="auc")
            assert e.low <= e.value <= e.high
            assert e == f(ratio=0.5, limits=UNIT, measure="auc")
            assert e.note
            short = f(ratio=0.1, limits=UNIT)
            assert short.high - short.low < e.high - e.low
            assert f(ratio=0.5, limits=UNIT, confidence=0.8).high <= e.high
        laws = plausible(v, SIZES, ratio=0.5, limits=UNIT)
        assert extrapolate(v, SIZES, 3200, ratio=0.5, limits=UNIT).value == pytest.approx(laws.at(3200))
        assert gain(v, SIZES, 4, ratio=0.5, limits=UNIT).value == pytest.approx(laws.at(3200) - laws.at(800))
        assert gain(v, SIZES, ratio=0.5, limits=UNIT).low >= 0


def test_lower_is_the_mirror_of_higher() -> None:
    v = _repeats(np.random.default_rng(3))
    a = extrapolate(v, SIZES, 1600, ratio=0.5, limits=UNIT)
    b = extrapolate(1 - v, SIZES, 1600, ratio=0.5, better="lower", limits=UNIT)
    # The draws mirror too only in the long run.
    assert 1 - b.value == pytest.approx(a.value, abs=1e-4)
    assert (1 - b.high, 1 - b.low) == pytest.approx((a.low, a.high), abs=0.01)
    g = gain(1 - v, SIZES, ratio=0.5, better="lower", limits=UNIT)
    assert g.value < 0
    assert g.high <= 0


def test_one_repeat_has_a_value_and_says_why_no_interval() -> None:
    v = _law(SIZES, 0.92, -0.9, 0.5)
    e = extrapolate(v, SIZES, 1600, ratio=0.5, limits=UNIT, measure="auc")
    assert e.value == pytest.approx(_law(1600, 0.92, -0.9, 0.5), abs=1e-4)
    assert (e.low, e.high, e.method) == (None, None, "none")
    assert "one repeat only" in e.note
    assert e.options == {"rows": 1600}


def test_what_cannot_be_asked_gets_a_sentence() -> None:
    v = _repeats(np.random.default_rng(4))
    with pytest.raises(UsageError, match="above 1"):
        gain(v, SIZES, 0.5, ratio=0.5)
    with pytest.raises(UsageError, match="confidence must be a number above 0 and below 1"):
        extrapolate(v, SIZES, 1600, 95, ratio=0.5)
    with pytest.raises(UsageError, match="ratio of -1"):
        extrapolate(v, SIZES, 1600, ratio=-1)
    with pytest.raises(NotAvailable, match="no values"):
        extrapolate([], [], 1600, ratio=0.5)


def test_coverage_of_a_known_law() -> None:
    rng = np.random.default_rng(5)
    real = {"value": _law(1600, 0.92, -0.9, 0.5), "gain": _law(1600, 0, -0.9, 0.5) - _law(800, 0, -0.9, 0.5)}
    held: dict[str, list[bool]] = {"value": [], "gain": [], "alone": []}
    for _ in range(150):
        v = _repeats(rng)
        given: dict[str, Any] = {"limits": UNIT, "replicates": 200}
        value, alone = (extrapolate(v, SIZES, 1600, ratio=r, **given) for r in (0.5, 0.0))
        more = gain(v, SIZES, ratio=0.5, **given)
        held["value"].append(value.low <= real["value"] <= value.high)
        held["alone"].append(alone.low <= real["value"] <= alone.high)
        held["gain"].append(more.low <= real["gain"] <= more.high)
    assert np.mean(held["value"]) > 0.89
    assert np.mean(held["gain"]) > 0.89
    # Repeats of one data set that are taken for independent ones promise too much.
    assert np.mean(held["alone"]) < 0.75


def test_a_curve_that_has_reached_its_end_is_not_told_to_go_on() -> None:
    sizes = np.array([19.0, 38, 75, 150, 300, 600])
    rng = np.random.default_rng(9)

    def ends(n: Any) -> Any:
        return 0.45 + 0.24 / (1 + (n / 150) ** 1.5)

    noise = rng.normal(0, 0.02, (10, 1)) + rng.normal(0, 1, (10, 6)) * 0.06 * (sizes / 19) ** -0.5
    true = float(ends(2400.0) - ends(600.0))
    e = gain(ends(sizes) + noise, sizes, 4, ratio=1 / 3, better="lower", limits=(0, np.inf))
    one = fit(sizes, (ends(sizes) + noise).mean(axis=0), None, "lower", (0, np.inf))
    # The law nearest to the curve tells three times the gain and more; those that fit hold the true one.
    assert (one.at(2400) - one.at(600)) / true > 2.5
    assert e.value / true < 2.2 and e.low <= true <= e.high


def test_laws_that_fit_are_weighed_by_their_fit_and_by_what_is_usual() -> None:
    v = _repeats(np.random.default_rng(4))
    laws = plausible(v, SIZES, ratio=0.5, limits=UNIT)
    assert laws.weight.sum() == pytest.approx(1) and (laws.weight >= 0).all()
    by_hand = sum(w * (a + b * 1600.0**-c) for w, a, b, c in zip(laws.weight, laws.a, laws.b, POWERS))
    assert laws.at(1600) == pytest.approx(by_hand)
    assert laws.at(np.array([800.0, 1600.0])) == pytest.approx([laws.at(800), laws.at(1600)])


def test_what_lies_far_beyond_the_rows_is_marked() -> None:
    v = _repeats(np.random.default_rng(4))
    near, far = (gain(v, SIZES, factor, ratio=0.5, limits=UNIT) for factor in (2, 4))
    assert near.caution == "" and "go by the interval" in str(far)


def test_two_repeats_are_enough_for_an_interval() -> None:
    v = _repeats(np.random.default_rng(6), repeats=2)
    for f in (partial(extrapolate, v, SIZES, 3200), partial(gain, v, SIZES)):
        e = f(ratio=0.5, limits=UNIT)
        assert e.low < e.value < e.high and "one repeat" not in e.note
