"""What a measure says of rows: the number of each, what chances let expect, what pairs of strangers would have."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures import ranking
from steelyard.measures.distance import quantile_of
from steelyard.measures.measure import catalogue, find
from steelyard.measures.scan import placement_walk
from steelyard.results import Estimate
from steelyard.summaries.cells import Cells
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores

from . import plain

SCORES = ((0, 0.0), (1, 1.0), (0, 0.3), (1, 0.3), (0, 0.95), (1, 0.95))
OUTSIDE = (-1e-9, 1 + 1e-9, -3.0, 4.0)


def by_row(name: str, shape: str) -> Any:
    return find(name).by_row[shape]


def test_the_number_of_a_row_is_that_of_the_row_alone() -> None:
    for y, p in SCORES:
        assert by_row("brier", "scores")(np.array([y]), np.array([p]))[0] == pytest.approx((p - y) ** 2)
        wanted = -math.log(p if y else 1 - p)
        assert by_row("log_loss", "scores")(np.array([y]), np.array([p]))[0] == pytest.approx(wanted)
    rows = [
        (2, (0.0, 0.0, 1.0)),
        (0, (0.2, 0.5, 0.3)),
        (1, (0.25, 0.5, 0.25)),
        (2, (0.4, 0.4, 0.2)),
        (0, (0.4, 0.4, 0.2)),
    ]
    codes, x = np.array([c for c, _ in rows]), np.array([s for _, s in rows]).T
    single = [plain.of_classes([("abc"[c], s, 1.0)], "abc") for c, s in rows]
    for name, key, options in (
        ("brier", "brier", {}),
        ("log_loss", "log_loss", {}),
        ("top_k_accuracy", "top_k_accuracy", {}),
        ("top_k_accuracy", "top_k_accuracy k=1", {"k": 1}),
    ):
        assert by_row(name, "classes")(codes, x, **options) == pytest.approx([s[key] for s in single]), key
    t, m = np.array([1.0, 2.0, 4.0, 4.0]), np.array([1.5, 2.0, 3.0, 7.0])
    alone = [plain.of_numbers([(a, b, 1.0)]) for a, b in zip(t, m)]
    for name in ("mse", "mae", "pinball"):
        assert by_row(name, "numbers")(t, m) == pytest.approx([x[name] for x in alone])
    assert by_row("pinball", "numbers")(t, m, quantile=0.9) == pytest.approx([x["pinball quantile=0.9"] for x in alone])


@pytest.mark.parametrize("p", OUTSIDE)
def test_a_row_whose_score_is_no_probability_has_no_loss(p: float) -> None:
    for name in ("brier", "log_loss"):
        assert np.isnan(by_row(name, "scores")(np.array([0.0, 1.0]), np.array([p, p]))).all()
        for place in range(3):
            x = np.full((3, 2), 0.25)
            x[place] = p
            assert np.isnan(by_row(name, "classes")(np.array([0, 1]), x)).all()


def test_a_loss_is_infinite_where_what_happened_was_ruled_out() -> None:
    assert by_row("log_loss", "scores")(np.array([1, 0]), np.array([0.0, 1.0])).tolist() == [math.inf, math.inf]
    assert by_row("log_loss", "classes")(np.array([0]), np.array([[0.0], [1.0]])).tolist() == [math.inf]


def test_chances_let_expect_the_area_of_their_pairs() -> None:
    """Each pair counts by the chance that the one is positive and the other is not; no row is a pair with itself."""
    rng = np.random.default_rng(4)
    expected = find("auc").expected
    assert expected is not None
    for n in (2, 3, 8):
        score, chance = np.sort(rng.integers(0, 4, n) / 4), rng.random(n)
        pairs = [(i, j) for i, j in product(range(n), repeat=2) if i != j]
        whole = sum(chance[i] * (1 - chance[j]) for i, j in pairs)
        won = sum(chance[i] * (1 - chance[j]) * (np.sign(score[i] - score[j]) + 1) / 2 for i, j in pairs)
        assert float(expected(score, chance)) == pytest.approx(won / whole)
        labels = (chance > np.median(chance)).astype(float)
        known = plain.auc([(int(y), s, 1.0) for y, s in zip(labels, score)])
        assert float(expected(score, labels)) == pytest.approx(known)
        both = expected(score, np.stack([chance, labels]))
        assert both == pytest.approx([won / whole, known])


def test_unrelated_numbers_have_the_errors_of_all_pairs() -> None:
    t, m = [1.0, 2.0, 4.0, 9.0], [1.5, 2.5, 3.0, 7.0]
    r = Residuals.of(t, m)
    pairs = plain.of_numbers([(a, b, 1.0) for a, b in product(t, m)])
    for name in ("mse", "rmse", "r2"):
        unrelated = find(name).unrelated
        assert unrelated is not None and unrelated(r) == pytest.approx(pairs[name]), name
    half = find("sse").unrelated
    assert half is not None and half(r) == pytest.approx(pairs["mse"] * 4 / 2), "of as many rows as there are"
    constant = find("r2").unrelated
    assert constant is not None and math.isnan(constant(Residuals.of([3.0, 3.0], [1.0, 2.0])))
    assert {name for name, x in catalogue().items() if x.unrelated} == {"sse", "mse", "rmse", "r2"}


def test_spread_is_about_the_means_and_rounding_is_none() -> None:
    t, m = np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.5, 7.0])
    wanted = [((t - t.mean()) ** 2).sum(), ((m - m.mean()) ** 2).sum(), ((t - t.mean()) * (m - m.mean())).sum()]
    assert np.array(Residuals.of(t, m).spread()) == pytest.approx(wanted)
    assert float(Residuals.of([0.1] * 7, m.tolist() * 2 + [1.0]).spread()[0]) == 0.0
    assert float(Residuals.of([0.1, 0.7, 0.9], [1 / 3] * 3).spread()[1]) == 0.0


@pytest.mark.parametrize("q", [0.0, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0])
def test_a_quantile_of_a_table_is_that_of_its_rows(q: float) -> None:
    for counts in ([1, 1, 1, 1], [2, 1, 1], [1, 3], [5], [1, 1, 2, 4]):
        values = np.arange(len(counts)) ** 2 + 1.0
        cells = Cells.of(values, np.array(counts, dtype=float)[:, None], sum(counts))
        wanted = plain.quantile([(float(x), float(n)) for x, n in zip(values, counts)], q)
        assert quantile_of(cells, q) == pytest.approx(wanted) if q else quantile_of(cells, q) == values[0]
    assert math.isnan(quantile_of(Cells.of(np.array([]), np.zeros((0, 1)), 0), q))
    assert math.isnan(quantile_of(Cells.of(np.array([1.0]), np.zeros((1, 1)), 0), q))


def test_a_long_table_is_walked_in_blocks_as_a_short_one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    n = 23
    counts = rng.integers(0, 4, (n, 2)).astype(float)
    cells = Cells.of(np.arange(n, dtype=float), counts, int(counts.sum()))
    s = Scores(cells, (0, 1), 1)
    p, q = counts[:, 1], counts[:, 0]
    below = np.array([q[:i].sum() + q[i] / 2 for i in range(n)])
    above = np.array([p[i + 1 :].sum() + p[i] / 2 for i in range(n)])
    wanted = ((p * below).sum(), (p * below**2).sum(), (q * above**2).sum())
    assert float(ranking.pairs_won(s)) == wanted[0]
    monkeypatch.setattr(ranking, "BLOCK", 5)
    assert float(ranking.pairs_won(s)) == wanted[0]
    assert ranking.placement_sums(s) == wanted and ranking.placement_sums(s) == wanted
    assert ranking.placement_sums(s.about(0)) != wanted, "another positive level has sums of its own"
    assert ranking.placement_sums(s.about(0))[0] == p.sum() * q.sum() - wanted[0]
    monkeypatch.setattr(ranking, "LONG", 10)
    s = Scores(cells, (0, 1), 1)
    assert ranking.placement_sums(s) == wanted
    plainly = getattr(placement_walk, "py_func", placement_walk)
    many = np.tile(counts, (400, 1))
    found = plainly(many[:, 1], many[:, 0], float(many[:, 1].sum()))
    up, down = np.cumsum(many[:, 0]), many[:, 1].sum() - np.cumsum(many[:, 1])
    b, a = up - many[:, 0] / 2, down + many[:, 1] / 2
    assert found == ((many[:, 1] * b).sum(), (many[:, 1] * b**2).sum(), (many[:, 0] * a**2).sum())


def test_a_score_that_is_turned_round_is_told() -> None:
    for name in ("auc", "gini", "l_quality"):
        remark = find(name).remark
        assert remark is not None
        assert "turn the score round" in remark(Scores.of([0.1, 0.2, 0.3], [1, 0, 0], positive=1), 0.0)
        for fine in ([0, 0, 1], [0, 1, 0], [1, 1, 1]):
            assert remark(Scores.of([0.1, 0.2, 0.3], fine, positive=1), 0.0) == "", fine


def test_what_the_commonest_level_would_get_is_told() -> None:
    e = sy.evaluate(target=list("aabbbb"), prediction=list("aaaabb"), positive="a")
    for name in ("accuracy", "error_rate"):
        remark = find(name).remark
        assert remark is not None and remark(e.confusion, 0.0) == 'always saying "b" would get 66.7% right'


@pytest.mark.parametrize(
    ("name", "value", "low", "high", "wanted"),
    [
        ("bias", 0.5, 0.25, 0.75, "Predictions are 0.50 too high on average [0.25, 0.75]."),
        ("bias", -0.5, -0.75, -0.25, "Predictions are 0.50 too low on average [0.25, 0.75]."),
        ("bias", 0.0, -0.5, 0.5, "Predictions are 0.0 too high on average [−0.5, 0.5]."),
        ("bias", -2.0, None, None, "Predictions are 2.00 too low on average."),
        ("r2", 0.62, 0.5, 0.7, "Explains 62% of the spread of the target [50, 70]."),
        ("r2", 0.0, -0.5, 0.5, "Explains 0% of the spread of the target [−50, 50]."),
        ("r2", -1.0, -2.0, -0.5, "Its squared errors are 2.0 times those of always saying the mean [1.5, 3.0]."),
        ("r2", -1.0, None, None, "Its squared errors are 2.00 times those of always saying the mean."),
    ],
)
def test_a_number_is_told_by_its_sign(name: str, value: float, low: Any, high: Any, wanted: str) -> None:
    told = find(name).told
    assert callable(told) and told(Estimate(name, value, low, high)) == wanted
