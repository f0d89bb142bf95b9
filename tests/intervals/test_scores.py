"""Numbers of scores that rest on little: few positives, small bins, heavy weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

import steelyard as sy
from steelyard.intervals.bins import FilledBins
from steelyard.intervals.losses import LossesOfClass, LossSums, _quantile
from steelyard.summaries.scores import Scores


def few(positives: int, negatives: int = 500, seed: int = 0, apart: float = 1.2) -> sy.Evaluation:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    x = rng.normal(size=len(y)) + apart * y
    odds = math.log(positives / negatives) + apart * x - apart**2 / 2
    return sy.evaluate(target=y, score=1 / (1 + np.exp(-odds)), levels=[0, 1], positive=1)


def test_one_positive_does_not_fix_the_ks_the_slope_or_the_average_precision() -> None:
    e = few(1, seed=2, apart=2.3)
    assert e["ks"].low == pytest.approx(0.0, abs=0.05)
    slope, precision = e["calibration_slope"], e["average_precision"]
    assert slope.low < 0 < slope.high and slope.high - slope.low > 1
    assert precision.high > 0.8


def test_a_captured_share_of_two_positives_has_the_reach_of_two_draws() -> None:
    missed = sy.evaluate(target=[1, 1, *[0] * 98], score=[0.1, 0.2, *np.linspace(0, 1, 98)], levels=[0, 1], positive=1)
    x = missed["capture"]
    # None of two: Clopper and Pearson's upper limit is 0.842.
    assert x.value == 0 and x.high == pytest.approx(1 - 0.025**0.5, abs=1e-6)
    assert missed["lift"].high == pytest.approx(10 * x.high)
    assert x.method.startswith("Wilson")


def test_a_mean_loss_without_a_positive_knows_that_there_might_have_been_some() -> None:
    e = sy.evaluate(target=[0] * 300, score=np.linspace(0.001, 0.02, 300), levels=[0, 1], positive=1)
    # Up to 3.7 positives of a loss near one could have stayed away by chance.
    assert 0.8 * 3.7 / 300 < e["brier"].high < 1.2 * 3.7 / 300 + 0.0005
    assert e["log_loss"].high > 4 * e["log_loss"].value


def test_gamma_limits_of_a_loss_are_those_of_drawn_weights() -> None:
    rng = np.random.default_rng(5)
    loss, rows = [np.array([0.9, 0.7]), np.array([0.01, 0.04])], [np.array([2.0, 1.0]), np.array([150.0, 50.0])]
    drawn = rng.standard_gamma(np.concatenate(rows), size=(200_000, 4))
    means = (drawn * np.concatenate(loss)).sum(axis=1) / drawn.sum(axis=1)
    parts = [
        LossesOfClass(w, w, lambda s, w=w: w[s] / 100, lambda s, x=x: x[s]) for w, x in zip(rows, loss, strict=True)
    ]
    for centre in (0.0, 0.7):
        sums = LossSums.of(parts, centre)
        for level in (0.025, 0.975):
            found = _quantile(*sums.moments(sums.seen), level)
            assert found == pytest.approx(float(np.quantile(means, level)), rel=0.06)


def test_a_small_calibration_error_says_what_an_honest_model_would_read() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(50)
    x = sy.evaluate(target=(rng.random(50) < p).astype(int), score=p, levels=[0, 1], positive=1)["ece"]
    again = [
        float(sy.evaluate(target=(rng.random(50) < p).astype(int), score=p, levels=[0, 1], positive=1).measure("ece"))
        for _ in range(40)
    ]
    told = float((x.note + x.caution).split("would read ")[1].split(" ")[0])
    assert told == pytest.approx(float(np.mean(again)), rel=0.2)
    assert x.low == 0.0


def test_a_clear_calibration_error_says_nothing_of_noise() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(5000)
    x = sy.evaluate(target=(rng.random(5000) < p**3).astype(int), score=p, levels=[0, 1], positive=1)["ece"]
    assert not x.caution and x.low > 0.15


def test_the_noise_of_a_bin_follows_the_weights_of_its_classes() -> None:
    rng = np.random.default_rng(3)
    n, p, heavy = 400, 0.3, 9.0
    drawn = []
    for _ in range(400):
        y = rng.random(n) < p / (p + (1 - p) / heavy)
        w = np.where(y, 1.0, heavy)
        drawn.append(float((w * (y - p)).sum() / w.sum()))
    y = rng.random(n) < p / (p + (1 - p) / heavy)
    e = sy.evaluate(
        target=y.astype(int), score=np.full(n, p), weight=np.where(y, 1.0, heavy), levels=[0, 1], positive=1
    )
    bins = FilledBins.of(e.scores, 10)
    assert float(bins.noise(bins.promised).std()) == pytest.approx(float(np.std(drawn)), rel=0.2)


@pytest.mark.parametrize("name", ["brier_resolution", "brier_reliability"])
def test_parts_of_briers_score_have_no_interval_of_width_zero(name: str) -> None:
    e = few(2, seed=4)
    x = e[name]
    assert x.high > x.value >= x.low == 0.0


def test_heavy_weights_widen_what_is_resampled() -> None:
    rng = np.random.default_rng(6)
    y, s = rng.integers(0, 2, 200), rng.random(200)
    roles: dict[str, Any] = {"target": y, "score": s, "levels": [0, 1], "positive": 1}
    even = sy.evaluate(**roles, weight=np.ones(200))
    heavy = sy.evaluate(**roles, weight=rng.lognormal(0, 1.5, 200))
    assert heavy["kappa"].high - heavy["kappa"].low > 1.8 * (even["kappa"].high - even["kappa"].low)


def test_the_ks_has_one_interval() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 30)
    e = sy.evaluate(target=y, score=np.round(rng.random(30) * 0.6 + 0.3 * y, 2), levels=[0, 1], positive=1)
    t = e.best_threshold("ks")
    assert t.at == e["ks"]
    # What the threshold will bring on other rows is another number, and has another name.
    assert t.corrected.measure == "youden" and t.corrected.value < t.at.value
    limited = e.best_threshold("ks", constraint="fpr <= 20%")
    assert limited.at.measure == "youden"


def test_scores_of_one_table_are_resampled_once() -> None:
    s = Scores.of([0.1, 0.4, 0.4, 0.9, 0.3, 0.8], [0, 0, 1, 1, 1, 0], positive=1)
    from steelyard.intervals.bootstrap import resampled
    from steelyard.intervals.method import Question
    from steelyard.measures.measure import find

    m = find("average_precision")
    assert resampled(Question(m, s, m, 0.95)) is resampled(Question(m, s, m, 0.9))


def test_a_few_large_units_decide_and_the_interval_knows() -> None:
    rng = np.random.default_rng(8)
    y, s = rng.integers(0, 2, 600), rng.random(600)
    roles: dict[str, Any] = {"target": y, "score": s, "levels": [0, 1], "positive": 1}
    even = sy.evaluate(**roles, unit=np.repeat(np.arange(40), 15))
    uneven = sy.evaluate(**roles, unit=np.concatenate([np.repeat([100, 101, 102], 180), np.arange(60) % 37]))
    assert not even["kappa"].caution
    assert uneven["kappa"].caution == "rests on 4 of 40 units"
    for name in ("recall", "kappa", "brier_resolution"):
        assert uneven[name].low is not None


@pytest.mark.parametrize(("area", "keep"), [(0.95, 0.02), (0.7, 0.1)])
def test_average_precision_is_held_where_few_negatives_were_kept(area: float, keep: float) -> None:
    """Whether one negative or none was kept above the first positives decides; each stands for 50 or 10."""
    rng, share, held = np.random.default_rng(3), 0.01 if keep < 0.1 else 0.05, []
    shift = np.sqrt(2) * ndtri(area)
    cuts = np.linspace(shift + 6, -6, 4001)
    found, alarms = share * norm.sf(cuts - shift), (1 - share) * norm.sf(cuts)
    truth = float(np.sum(np.diff(found) * (found / (found + alarms))[1:]) / share)
    for _ in range(60):
        y = (rng.random(400) < share / (share + (1 - share) * keep)).astype(int)
        given = {"target": y, "score": rng.normal(shift * y), "weight": np.where(y == 1, 1.0, 1 / keep)}
        x = sy.evaluate(**given, weights="sampling")["average_precision"]
        assert x.caution == f"a negative weighs {1 / keep:.0f} positives"
        held.append(x.low <= truth <= x.high)
    assert np.mean(held) >= 0.9


LEVELS, POSITIVE, NEGATIVE = np.array([0.1, 0.4, 0.8]), (0.15, 0.35, 0.5), (0.6, 0.3, 0.1)
"""Three distinct scores, how often positives and negatives have each."""


def three_scores(positives: list[int], negatives: int = 3000) -> sy.Evaluation:
    """So many positives at each of three scores, negatives as often as is to be expected."""
    counts = [*positives, *(round(negatives * share) for share in NEGATIVE)]
    y = np.repeat([1, 0], [sum(positives), sum(counts[3:])])
    return sy.evaluate(target=y, score=np.repeat(np.r_[LEVELS, LEVELS], counts), levels=[0, 1], positive=1)


@pytest.mark.parametrize("positives", [[0, 0, 3], [0, 3, 0], [1, 2, 0], [2, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0]])
def test_a_handful_of_positives_at_one_score_does_not_fix_the_ks_or_what_is_captured(positives: list[int]) -> None:
    """Three alike come once in eight times: of the 3 at the highest score the KS was 0.54 to 1, and the truth is 0.45."""
    e = three_scores(positives)
    assert e["ks"].low <= 0.45 <= e["ks"].high
    assert e["capture"].low <= 0.49 <= e["capture"].high
    assert e["lift"].low == pytest.approx(10 * e["capture"].low) and e["lift"].high == pytest.approx(
        10 * e["capture"].high
    )


@pytest.mark.parametrize("unit", [False, True])
def test_the_calibration_error_allows_for_other_rows_in_other_bins(unit: bool) -> None:
    """Where scores are far off the error is the mean of what they are off by, and varies like any mean."""
    rng = np.random.default_rng(4)
    score = rng.choice(LEVELS, 3000, p=NEGATIVE)
    more: dict[str, Any] = {"unit": np.arange(3000)} if unit else {}
    x = sy.evaluate(target=(np.arange(3000) < 9).astype(int), score=score, positive=1, **more)["ece"]
    width = 2 * 1.96 * score.std() / math.sqrt(3000)
    assert x.high - x.low == pytest.approx(width, rel=0.15)
    assert x.low <= float(LEVELS @ NEGATIVE) - 0.003 <= x.high
