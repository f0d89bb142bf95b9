"""The hull of the ROC curve against brute force, and what is read along it against sums over every cut-off."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial import ConvexHull
from scipy.special import betaln, ndtr

from steelyard.errors import NotAvailable, UsageError
from steelyard.measures.flagged import cumulative
from steelyard.results import Array
from steelyard.summaries.cells import Cells
from steelyard.summaries.scores import Scores
from steelyard.worth.cost_curve import cost_curve
from steelyard.worth.hull import best_step, both_hulls, envelope, hull
from steelyard.worth.unknown_costs import expected_profit, h_measure


def steps(rng: np.random.Generator, *, weights: bool) -> tuple[Array, Array]:
    """Cumulative counts of a random small table: ties, empty cells, pure cells, straight stretches."""
    n = int(rng.integers(1, 30))
    p, q = (rng.integers(0, rng.integers(2, 6), n).astype(float) for _ in range(2))
    if weights:
        p, q = p * rng.choice([0.1, 0.3, 1.7, rng.random()], n), q * rng.choice([0.1, 0.3, 1.7, rng.random()], n)
    p[0], q[-1] = p[0] + 1, q[-1] + 1
    return np.r_[0, np.cumsum(p)], np.r_[0, np.cumsum(q)]


def brute_hull(tp: Array, fp: Array) -> list[tuple[float, float]]:
    """The points that lie above the line through any two others, and the two ends; every point against every pair."""
    points = sorted(set(zip(fp.tolist(), tp.tolist(), strict=True)))
    inside = []
    for x, y in points[1:-1]:
        left = [(a, b) for a, b in points if (a, b) < (x, y)]
        right = [(a, b) for a, b in points if (a, b) > (x, y)]
        if all((y - b) * (c - a) > (d - b) * (x - a) for a, b in left for c, d in right):
            inside.append((x, y))
    return [points[0], *inside, points[-1]]


def table(rng: np.random.Generator, positives: int, negatives: int, apart: float, digits: int = 8) -> Scores:
    score = np.round(np.r_[rng.normal(apart, 1, positives), rng.normal(0, 1, negatives)], digits)
    return Scores.of(score.tolist(), [1] * positives + [0] * negatives, positive=1)


# The hull ------------------------------------------------------------------------------------------------------------


def test_the_hull_is_what_brute_force_finds() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        tp, fp = steps(rng, weights=False)
        for found, (up, right) in zip(both_hulls(tp, fp), ((tp, fp), (fp, tp)), strict=True):
            assert found[0] == 0
            assert found[-1] == len(tp) - 1
            assert list(zip(right[found].tolist(), up[found].tolist(), strict=True)) == brute_hull(up, right)


def test_both_hulls_are_the_corners_of_scipys_hull() -> None:
    rng = np.random.default_rng(2)
    for _ in range(500):
        tp, fp = steps(rng, weights=False)
        points = np.unique(np.stack([fp, tp], axis=1), axis=0)
        upper, lower = both_hulls(tp, fp)
        ours = {(fp[i], tp[i]) for i in (*upper, *lower)}
        if np.linalg.matrix_rank(points - points[0]) < 2:
            assert len(ours) == 2
        else:
            assert ours == {tuple(points[i]) for i in ConvexHull(points).vertices}


def test_weights_lose_no_corner_that_matters_and_straight_edges_have_none() -> None:
    rng = np.random.default_rng(3)
    angle = np.linspace(0, np.pi / 2, 200)
    for _ in range(500):
        tp, fp = steps(rng, weights=True)
        corners = hull(tp, fp)
        reach = np.cos(angle)[:, None] * tp / tp[-1] - np.sin(angle)[:, None] * fp / fp[-1]
        np.testing.assert_allclose(reach[:, corners].max(axis=1), reach.max(axis=1), atol=1e-14)
    for size in (10, 1000, 65536):
        line = np.r_[0, np.cumsum(np.full(size, 0.1))]
        assert hull(line, np.r_[0, np.cumsum(np.full(size, 0.3))]).tolist() == [0, size]


def test_points_of_a_fine_arc_are_all_kept() -> None:
    angle = np.linspace(0, np.pi / 2, 65536)
    tp, fp = np.sin(angle) * 1e6, (1 - np.cos(angle)) * 1e6
    started = time.process_time()
    found = hull(tp, fp)
    # Some 25 ms where nothing else runs; the limit only catches a loop in a loop.
    assert time.process_time() - started < 5
    assert len(found) == 65536
    assert hull(fp, tp).tolist() == [0, 65535]


def test_a_long_noisy_table_has_the_hull_that_a_plain_walk_finds() -> None:
    rng = np.random.default_rng(4)
    score = np.sort(rng.random(65536))[::-1]
    tp, fp = (np.r_[0, np.cumsum(rng.poisson(30 * s))].astype(float) for s in (score, 1 - score))
    walked: list[int] = []
    for i in range(len(tp)):
        while len(walked) > 1:
            a, b = walked[-2:]
            if (tp[b] - tp[a]) * (fp[i] - fp[a]) > (tp[i] - tp[a]) * (fp[b] - fp[a]):
                break
            walked.pop()
        walked.append(i)
    assert [(tp[i], fp[i]) for i in hull(tp, fp)] == [(tp[i], fp[i]) for i in walked]


# The best step -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [False, True])
def test_the_best_step_is_what_brute_force_finds(weights: bool) -> None:
    rng = np.random.default_rng(5 + weights)
    for _ in range(40):
        tp, fp = steps(rng, weights=weights)
        gain, cost = (rng.choice([*range(-3, 4), 0.1, 0.3, *rng.normal(0, 5, 4)], 1000) for _ in range(2))
        found, profit = best_step(tp, fp, gain, cost)
        every = gain[:, None] * tp - cost[:, None] * fp
        size = np.abs(gain) * tp[-1] + np.abs(cost) * fp[-1]
        np.testing.assert_allclose(profit, every.max(axis=1), atol=1e-13 * max(size.max(), 1))
        # Steps as good as the best, up to rounding; the first of them flags least.
        as_good = every >= every.max(axis=1, keepdims=True) - 1e-13 * size[:, None]
        assert (found == as_good.argmax(axis=1)).all()


def test_of_equal_steps_the_one_that_flags_least_is_taken() -> None:
    tp, fp = np.array([0.0, 0.0, 2.0, 3.0, 4.0, 4.0]), np.array([0.0, 0.0, 1.0, 2.0, 3.0, 3.0])
    found, profit = best_step(tp, fp, [1, 1, 0, 0, 1, 0, 2], [1, 2, 0, 1, 0, -1, -2])
    assert found.tolist() == [2, 0, 0, 0, 4, 4, 4]
    assert profit.tolist() == [1, 0, 0, 0, 4, 3, 14]
    one, worth = best_step(tp, fp, 1, 1)
    assert (int(one), float(worth)) == (2, 1.0)


def test_gains_without_a_value_are_refused() -> None:
    with pytest.raises(UsageError, match="must be finite numbers"):
        best_step([0, 1], [0, 1], [1.0, np.nan], 1.0)


# Cost curves ---------------------------------------------------------------------------------------------------------


def brute_cost(s: Scores, skew: Array) -> Array:
    tp, fp = cumulative(s)
    return np.min([pc * (1 - tp / tp[-1]) + (1 - pc) * fp / fp[-1] for pc in np.atleast_1d(skew)], axis=-1)


def test_the_envelope_is_the_least_of_all_cutoffs() -> None:
    rng = np.random.default_rng(7)
    skew = np.linspace(0, 1, 2001)
    for _ in range(50):
        s = table(rng, int(rng.integers(1, 60)), int(rng.integers(1, 60)), rng.normal(), digits=int(rng.integers(0, 3)))
        lines = envelope(s)
        np.testing.assert_allclose(lines.cost(skew), brute_cost(s, skew), atol=1e-14)
        assert (np.diff(lines.breaks) > 0).all()
        inside = (np.r_[0, lines.breaks] + np.r_[lines.breaks, 1]) / 2
        for pc, cut in zip(inside, lines.threshold[lines.corner(inside)], strict=True):
            p, n = s.positives[s.cells.low >= cut].sum(), s.negatives[s.cells.low >= cut].sum()
            cost = pc * (1 - p / s.positives.sum()) + (1 - pc) * n / s.negatives.sum()
            assert cost == pytest.approx(float(brute_cost(s, pc)[0]), abs=1e-14)


def test_a_cost_curve_has_its_corners_its_grid_and_a_band_around_it() -> None:
    s = table(np.random.default_rng(8), 40, 160, 1.5)
    found = cost_curve(s)
    skew, cost, trivial, low, high = (
        np.array(found.columns[k], dtype=float) for k in ("skew", "cost", "trivial", "low", "high")
    )
    assert set(np.arange(101) / 100) | set(envelope(s).breaks.tolist()) == set(skew.tolist())
    np.testing.assert_allclose(cost, brute_cost(s, skew), atol=1e-14)
    assert (low <= cost).all()
    assert (cost <= high).all()
    assert (low >= 0).all()
    assert (high <= trivial + 1e-15).all()
    assert found.columns["threshold"][0] is None
    assert found.method.endswith("less optimism by halves, at each skew")
    assert found.to_dict()["columns"]["skew"] == skew.tolist()


def test_the_band_covers_the_best_that_a_cutoff_can_do() -> None:
    """Two normal curves 1.5 apart: 40 and 160 rows, where the curve alone is optimistic by almost one standard error."""
    skew = np.array([0.1, 0.25, 0.5, 0.75])
    cut = np.linspace(-6, 8, 4001)
    truth = np.array([(pc * ndtr(cut - 1.5) + (1 - pc) * ndtr(-cut)).min() for pc in skew])
    covered = np.zeros(4)
    for seed in range(60):
        found = cost_curve(table(np.random.default_rng([9, seed]), 40, 160, 1.5))
        at = [found.columns["skew"].index(float(pc)) for pc in skew]
        low, high = (np.array([found.columns[k][i] for i in at], dtype=float) for k in ("low", "high"))
        covered += (low <= truth) & (truth <= high)
    assert (covered / 60 > 0.78).all(), covered / 60


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(10)
    score, truth = np.round(rng.normal(size=80), 1), rng.integers(0, 2, 80)
    order = rng.permutation(80)
    first, second = (Scores.of(score[o].tolist(), truth[o].tolist(), positive=1) for o in (np.arange(80), order))
    assert cost_curve(first) == cost_curve(second)
    assert h_measure(first) == h_measure(second)


def test_joined_cells_say_how_much_they_may_hide() -> None:
    rng = np.random.default_rng(11)
    sharp = table(rng, 300, 700, 1.0)
    edges = np.arange(0, len(sharp.cells.low), 50)
    ends = np.r_[edges[1:], len(sharp.cells.low)] - 1
    counts = np.add.reduceat(sharp.cells.counts, edges, axis=0)
    cells = Cells(sharp.cells.low[edges], sharp.cells.high[ends], counts, 1000, gridded=True)
    joined = Scores(cells, sharp.levels, sharp.positive)
    assert "joined in cells" in cost_curve(joined).note
    assert cost_curve(sharp).note == ""
    for read in (h_measure, lambda s: expected_profit(s, [3, 1, -1], [1, 1, -2])[0]):
        exact, rough = read(sharp), read(joined)
        assert exact.bound == 0
        assert rough.value <= exact.value + 1e-12
        assert exact.value <= rough.value + rough.bound + 1e-12


# Averages over costs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [None, 0.02, 0.7])
def test_hands_measure_is_the_quotient_of_two_integrals(prevalence: float | None) -> None:
    rng = np.random.default_rng(12)
    for _ in range(6):
        s = table(rng, int(rng.integers(3, 40)), int(rng.integers(3, 40)), rng.uniform(0, 2), digits=1)
        p = float(s.positives.sum() / s.counts.sum()) if prevalence is None else prevalence
        tp, fp = cumulative(s)

        def weight(c: float, p: float = p) -> float:
            return float(np.exp(p * np.log(c) + (1 - p) * np.log1p(-c) - betaln(1 + p, 2 - p)))

        def loss(c: float, p: float = p, tpr: Array = tp / tp[-1], fpr: Array = fp / fp[-1]) -> float:
            return float((c * (1 - p) * fpr + (1 - c) * p * (1 - tpr)).min()) * weight(c)

        grid = np.linspace(0, 1, 41)
        pieces = [(a + 1e-15, b - 1e-15) for a, b in pairwise(grid)]
        lost = sum(quad(loss, a, b, limit=200)[0] for a, b in pieces)
        most = quad(lambda c, p=p: c * (1 - p) * weight(c), 1e-15, p)[0]
        most += quad(lambda c, p=p: (1 - c) * p * weight(c), p, 1 - 1e-15)[0]
        found = h_measure(s, prevalence)
        assert found.value == pytest.approx(1 - lost / most, abs=1e-7)
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_hands_measure_at_its_ends_and_where_there_is_none() -> None:
    assert h_measure(Scores.of([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], positive=1)).value == pytest.approx(1)
    assert h_measure(Scores.of([0.5] * 4, [0, 0, 1, 1], positive=1)).value == pytest.approx(0)
    lone = h_measure(Scores.of([0.1, 0.2], [0, 0], positive=1))
    assert lone.value is None
    assert str(lone) == "n/a (needs at least one positive and one negative)"


@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_expected_profit_is_the_mean_of_the_best_at_every_draw(prevalence: float | None) -> None:
    rng = np.random.default_rng(13)
    s = table(rng, 50, 150, 1.0, digits=1)
    gain, cost = rng.normal(3, 4, 400), rng.normal(1, 2, 400)
    tp, fp = cumulative(s)
    p = 0.25 if prevalence is None else prevalence
    every = p * gain[:, None] * tp / tp[-1] - (1 - p) * cost[:, None] * fp / fp[-1]
    mean, chosen = expected_profit(s, gain, cost, prevalence)
    assert mean.value == pytest.approx(every.max(axis=1).mean(), rel=1e-12)
    cuts = np.r_[np.inf, s.cells.low[::-1]]
    assert (chosen == cuts[(every >= every.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1)]).all()
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.value < mean.high
    assert "1,000 replicates" in mean.method


def test_the_spread_of_expected_profit_is_that_of_new_samples() -> None:
    gain, cost = np.random.default_rng(14).gamma(2, 2, (2, 50))
    # As many positives in every sample, so at a given prevalence.
    tables = [table(np.random.default_rng([14, i]), 60, 140, 1.2) for i in range(30)]
    found = [expected_profit(s, gain, cost, prevalence=0.3)[0] for s in tables]
    spread = float(np.std([f.value for f in found]))
    told = float(np.mean([(f.high - f.low) / (2 * 1.96) for f in found if f.low is not None and f.high is not None]))
    assert 0.6 < told / spread < 1.6


def test_bad_input_gets_a_sentence() -> None:
    one_class = Scores.of([0.1, 0.2], [0, 0], positive=1)
    both = Scores.of([0.1, 0.2], [0, 1], positive=1)
    with pytest.raises(NotAvailable, match=r"A cost curve needs .* there are 0 positives and 2 negatives"):
        cost_curve(one_class)
    with pytest.raises(NotAvailable, match="An expected profit needs"):
        expected_profit(one_class, 1, 1)
    with pytest.raises(UsageError, match="3 gains and 2 costs came"):
        expected_profit(both, [1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match=r"between 0 and 1, and 1\.5 came"):
        expected_profit(both, 1, 1, prevalence=1.5)
    with pytest.raises(UsageError, match="between 0 and 1, and 0 came"):
        h_measure(both, prevalence=0)


def test_the_band_of_a_cost_curve_holds_the_trivial_policy_of_a_worthless_score() -> None:
    rng = np.random.default_rng(4)
    held = []
    for _ in range(25):
        y, score = (rng.random(300) < 0.5).astype(int), rng.random(300)
        c = cost_curve(Scores.of(score.tolist(), y.tolist(), 1)).columns
        held.append([c["high"][c["skew"].index(x)] >= min(x, 1 - x) - 1e-12 for x in (0.05, 0.2, 0.8, 0.95)])
    assert (np.mean(held, axis=0) >= 0.92).all()
