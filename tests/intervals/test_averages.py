"""Averages over classes: the covariance that the tables hold, against rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.intervals.averages import influence
from steelyard.intervals.method import Question
from steelyard.measures.measure import find
from steelyard.summaries.scores import Scores


def drawn(rng: np.random.Generator, rows: int, classes: int = 5) -> dict[str, Any]:
    y = rng.integers(0, classes, rows)
    raw = rng.normal(size=(rows, classes))
    raw[np.arange(rows), y] += 1.5
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    return {"target": y, "score": {k: p[:, k] for k in range(classes)}}


def test_influence_is_how_far_one_row_more_moves_a_number() -> None:
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 60), np.round(rng.random(60), 1)
    table = Scores.of(s.tolist(), y.tolist(), positive=1)
    for name in ("auc", "brier", "average_precision", "brier_resolution"):
        m = find(name)
        up, down, cells = influence(Question(m, table, m, 0.95))
        for moved, truth in ((up, 1), (down, 0)):
            for i in (0, len(cells.low) // 2, len(cells.low) - 1):
                more = 1e-3
                counts = table.counts.copy()
                counts[i, truth] += more
                slope = (float(m(table.replicate(counts)).value) - float(m(table).value)) / more
                assert moved[i] == pytest.approx(slope, abs=1e-3 * (1 + abs(slope)))


@pytest.mark.parametrize("name", ["auc", "log_loss", "brier", "average_precision"])
@pytest.mark.parametrize("how", ["macro", "weighted"])
def test_an_average_over_classes_is_not_twice_as_wide_as_needed(name: str, how: str) -> None:
    rng = np.random.default_rng(1)
    values = []
    for _ in range(60):
        one = drawn(rng, 400)
        tables = [Scores.of(one["score"][k].tolist(), (one["target"] == k).tolist(), positive=True) for k in range(5)]
        weights = [1.0] * 5 if how == "macro" else [float(t.positives.sum()) for t in tables]
        values.append(float(np.average([float(find(name)(t).value) for t in tables], weights=weights)))
    needed = 2 * 1.96 * float(np.std(values))
    x = sy.evaluate(**drawn(rng, 400))[name, how]
    assert 0.75 * needed < x.high - x.low < 1.9 * needed
    assert x.low <= x.value <= x.high


def test_by_unit_the_spread_of_the_average_is_read_from_the_buckets() -> None:
    rng = np.random.default_rng(2)
    roles = drawn(rng, 600, 3)
    unit = np.arange(600) // 6
    e = sy.evaluate(**roles, unit=unit)
    x = e["brier", "macro"]
    left = []
    for u in range(100):
        keep = unit != u
        left.append(
            float(np.mean([((roles["score"][k] - (roles["target"] == k)) ** 2)[keep].mean() for k in range(3)]))
        )
    error = float(np.sqrt(99 / 100 * ((np.array(left) - np.mean(left)) ** 2).sum()))
    assert (x.high - x.low) / (2 * 1.984 * error) == pytest.approx(1.0, abs=0.1)


def test_a_level_without_an_interval_leaves_the_average_without() -> None:
    e = sy.evaluate(target=["a", "b", "c"], score={"a": [0.6, 0.2, 0.2], "b": [0.2, 0.6, 0.2], "c": [0.2, 0.2, 0.6]})
    x = e["auc", "macro"]
    assert x.low is None or x.low <= x.value <= x.high


SAME = {
    "accuracy": [("recall", "micro"), ("recall", "weighted"), ("precision", "micro"), ("f1", "micro")],
    "error_rate": [("fnr", "micro"), ("fnr", "weighted")],
    "average_class_accuracy": [("recall", "macro")],
}
HOW: dict[str, dict[str, Any]] = {
    "rows": {},
    "weights": {"weight": [1.0 + 0.1 * i for i in range(40)]},
    "units": {"unit": [i % 20 for i in range(40)]},
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", SAME)
def test_a_number_under_two_names_has_one_interval(name: str, how: str) -> None:
    """Of labels the recall pooled over levels is the accuracy, and the mean of the recalls the average class accuracy."""
    target = [0] * 20 + [1] * 12 + [2] * 6 + [3] * 2
    guess = [1, *target[1:-2], 0, 1]
    e = sy.evaluate(target=target, prediction=guess, levels=[0, 1, 2, 3], kind="labels", **HOW[how])
    x = e[name]
    for other in SAME[name]:
        y = e[other]
        assert [y.value, y.n, y.n_eff] == pytest.approx([x.value, x.n, x.n_eff])
        assert (y.method, y.caution) == (x.method, x.caution)
        assert (y.low is None) == (x.low is None)
        if x.low is not None:
            assert [y.low, y.high] == pytest.approx([x.low, x.high])


def test_an_average_in_which_levels_count_alike_says_what_its_rarest_rests_on() -> None:
    e = sy.evaluate(target=[0] * 50 + [1] * 30 + [2] * 3, prediction=[0] * 50 + [1] * 32 + [2], kind="labels")
    for name in ("average_class_accuracy", "average_class_accuracy_hm", ("recall", "macro"), ("f1", "macro")):
        assert e[name].caution == "rests on 3 rows of 2"
    assert not e["kappa"].caution and not e["accuracy"].caution
