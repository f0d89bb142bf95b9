"""Uplift by score, against the definitions written out as loops."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.errors import UsageError
from steelyard.trials.means import welch
from steelyard.trials.proportions import two_proportions
from steelyard.trials.trial import trial
from steelyard.trials.uplift import score_bands, uplift_by_score

from .single_units import by_units


def made(n: int = 400, seed: int = 0, slope: float = 0.4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    score, arm = rng.random(n), rng.random(n) < 0.5
    return (rng.random(n) < 0.2 + slope * score * arm).astype(float), arm, score


def test_curves_by_their_definitions() -> None:
    y, arm, s = made(40)
    u = uplift_by_score(y, arm, s, replicates=20)
    order = np.argsort(-s)
    for k in range(1, 41):
        top = order[:k]
        t, c = top[arm[top]], top[~arm[top]]
        both = bool(len(t) and len(c))
        uplift = (y[t].mean() - y[c].mean()) * k / 40 if both else 0.0
        qini = (y[t].sum() - y[c].sum() * len(t) / len(c)) / arm.sum() if both else 0.0
        assert u.uplift.columns["uplift"][k] == pytest.approx(uplift, abs=1e-12)
        assert u.qini.columns["qini"][k] == pytest.approx(qini, abs=1e-12)
    xs, ys = (np.array(u.qini.columns[k]) for k in ("share", "qini"))
    area = float(((ys[1:] + ys[:-1]) / 2 * np.diff(xs)).sum())
    assert u.qini_coefficient.value == pytest.approx(area - ys[-1] / 2)


def test_the_end_of_the_curves_is_the_whole_effect() -> None:
    y, arm, s = made(500)
    u = uplift_by_score(y, arm, s, replicates=20)
    whole = welch(y[arm], y[~arm]).value
    assert u.uplift.columns["uplift"][-1] == pytest.approx(whole) == u.qini.columns["qini"][-1]


def test_order_of_rows_and_monotone_scores_change_nothing() -> None:
    y, arm, s = made(300)
    s = np.round(s, 1)
    mixed = np.random.default_rng(1).permutation(300)
    u, v = (uplift_by_score(*c, replicates=20) for c in ((y, arm, s), (y[mixed], arm[mixed], np.exp(s[mixed]))))
    assert u.auuc.value == pytest.approx(v.auuc.value) and u.qini_coefficient.value == pytest.approx(
        v.qini_coefficient.value
    )
    # Ties are one step: a constant score is acting at random.
    flat = uplift_by_score(y, arm, np.zeros(300), replicates=20)
    assert flat.qini_coefficient.value == pytest.approx(0, abs=1e-12) and len(flat.bands) == 1
    assert flat.verdict == "not known"


def test_a_lower_outcome_can_be_the_good_one() -> None:
    y, arm, s = made(300)
    u, v = uplift_by_score(y, arm, s, replicates=20), uplift_by_score(1 - y, arm, s, sign=-1.0, replicates=20)
    assert u.auuc.value == pytest.approx(v.auuc.value) and u.contrast.value == pytest.approx(v.contrast.value)


def test_bands_are_a_partition_with_the_effect_of_each() -> None:
    y, arm, s = made(1000)
    bands = score_bands(y, arm, s, 10)
    assert len(bands) == 10 and [b.low for b in bands] == sorted((b.low for b in bands), reverse=True)
    assert sum(sum(b.effect.n) for b in bands) == 1000 and all(abs(sum(b.effect.n) - 100) <= 1 for b in bands)
    b = bands[2]
    here = (s >= b.low) & (s <= b.high)
    acted, left = y[here & arm], y[here & ~arm]
    want = two_proportions(acted.sum(), len(acted), left.sum(), len(left))
    assert (b.effect.value, b.effect.low, b.effect.high) == (want.value, want.low, want.high)
    turned = score_bands(y, arm, s, 10, sign=-1.0)[2].effect
    assert (turned.value, turned.low, turned.high) == (-want.value, -want.high, -want.low)
    # A number has Welch's t, and units with several rows their own.
    number = score_bands(3 * y, arm, s, 10)[2].effect
    assert number.low == pytest.approx(welch(3 * acted, 3 * left).low)
    rows = 1.0 + np.arange(1000) % 7
    several = score_bands(y, arm, s, 10, rows=rows)[2].effect
    a, c = here & arm, here & ~arm
    assert several.low == by_units((rows[a] * y[a], rows[c] * y[c]), (rows[a], rows[c])).low


@pytest.mark.parametrize(("treated", "rate"), [(0.5, 0.02), (0.9, 0.02), (0.95, 0.01), (0.05, 0.1), (0.8, 0.5)])
def test_bands_without_an_effect_seldom_leave_out_zero(treated: float, rate: float) -> None:
    rng, seen, number = np.random.default_rng(11), 0, 0
    for _ in range(60):
        arm = rng.random(6000) < treated
        for b in score_bands((rng.random(6000) < rate).astype(float), arm, rng.random(6000)):
            seen, number = seen + (b.effect.low > 0 or b.effect.high < 0), number + 1
    assert seen / number < 0.07


def test_a_band_without_events_in_the_control_says_what_it_rests_on() -> None:
    arm = np.arange(600) >= 67
    band = score_bands((np.arange(600) >= 594).astype(float), arm, np.zeros(600), sign=-1.0)[0].effect
    assert band.n == (533, 67) and band.low < 0 < band.high and band.caution == "rests on 6 outcomes"


def test_the_score_that_matters_is_told_from_one_that_does_not() -> None:
    y, arm, s = made(6000, seed=3)
    assert uplift_by_score(y, arm, s, replicates=100).verdict == "most where the score is high"
    assert uplift_by_score(y, arm, -s, replicates=100).verdict == "most where the score is low"
    other = np.random.default_rng(9).random(6000)
    u = uplift_by_score(y, arm, other, replicates=100)
    assert u.verdict == "no clear difference" and u.qini_coefficient.low < 0 < u.qini_coefficient.high


def test_intervals_of_the_coefficient_hold_the_truth() -> None:
    """With effect δ s at a uniform score s, the Qini curve is δ (φ − φ²/2) and the coefficient δ / 12."""
    held = 0
    for seed in range(60):
        y, arm, s = made(1500, seed=100 + seed)
        q = uplift_by_score(y, arm, s, replicates=150).qini_coefficient
        held += q.low <= 0.4 / 12 <= q.high
    assert held >= 52


def test_too_few_units_get_a_sentence() -> None:
    with pytest.raises(UsageError, match="at least 10 units"):
        uplift_by_score([1, 0, 1], [True, False, True], [1, 2, 3])
    with pytest.raises(UsageError, match="at least one band"):
        score_bands([1, 0], [True, False], [1, 2], 0)


def test_little_is_told_in_the_trial_its_bands_and_its_money() -> None:
    rng = np.random.default_rng(3)
    arm = rng.permutation(2000) < 200
    churned = rng.random(2000) < 0.004
    t = trial(group=np.where(arm, "left", "called"), control="left", outcome=churned, score=rng.random(2000), value=10)
    assert t.effect.caution == f"rests on {churned.sum()} outcomes" == t.money.each.caution
    text = " ".join(str(t).split())
    assert t.effect.caution in " ".join(t.sentences()) and "rests on 0 outcomes" in text
    assert max(len(line) for line in str(t).split("\n")) <= 80
    assert t.uplift.frame()["caution"][0].startswith("rests on")
    assert not any(b.effect.low > 0 or b.effect.high < 0 for b in t.uplift.bands)
