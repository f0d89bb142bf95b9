"""Rows without a target are compared with those that have one, and the correction gives what all labels would have given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.verification import verification, weighed_labels
from steelyard.errors import NotAvailable
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.unlabelled import Unlabelled


def drawn(n: int = 4000, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    p = 1 / (1 + np.exp(-(1.5 * x - 1.5)))
    return (rng.random(n) < p).astype(float), p, rng


def words(e: sy.Evaluation) -> str:
    return " ".join(e.text().split())


def test_labels_only_where_the_score_is_high_are_said_to_be_beyond_correction() -> None:
    y, p, _ = drawn()
    y[p < 0.3] = np.nan
    e = sy.evaluate(target=y, score=p, missing="drop")
    assert not e.verification.alike and not e.verification.correctable and e.verification.lower
    assert "recall is told too high and specificity too low" in words(e)
    with pytest.raises(NotAvailable, match="cannot be spoken for"):
        sy.evaluate(target=y, score=p, missing="inverse_probability")


@pytest.mark.parametrize("by_unit", [False, True])
def test_labels_missing_by_score_are_corrected(by_unit: bool) -> None:
    y, p, rng = drawn(20_000)
    unit = {"unit": np.arange(len(y)) // 20} if by_unit else {}
    whole = sy.evaluate(target=y, score=p, **unit)
    seen = np.where(rng.random(len(y)) < np.clip(1.2 * p + 0.1, 0, 1), y, np.nan)
    kept = sy.evaluate(target=seen, score=p, missing="drop", **unit)
    mended = sy.evaluate(target=seen, score=p, missing="begg_greenes", **unit)
    for name in ("recall", "auc", "prevalence", "brier"):
        truth = whole[name].value
        assert mended[name].low <= truth <= mended[name].high, name
    assert not kept["recall"].low <= whole["recall"].value <= kept["recall"].high
    assert "Corrected, recall is" in words(kept)
    assert "stand for 20,000" in words(mended)


def test_labels_missing_at_random_are_said_to_be_alike() -> None:
    y, p, rng = drawn()
    y[rng.random(len(y)) < 0.4] = np.nan
    e = sy.evaluate(target=y, score=p, missing="drop")
    assert e.verification.alike and "were predicted like the others" in words(e)


def test_the_classical_correction_of_a_test_with_two_answers() -> None:
    """Begg and Greenes by hand: P(positive | said) from those who were verified, P(said) from all."""
    u = Unlabelled.of_levels((0, 1), [[2000, 100], [100, 400]])
    c = Confusion.of([[90, 40], [10, 360]], (0, 1), 1)
    found = weighed_labels(c, u)
    diseased = {0: 10 / 100, 1: 360 / 400}
    said = {0: 2100, 1: 500}
    sick = {k: said[k] * diseased[k] for k in said}
    assert found.counts[1, 1] / found.counts[1].sum() == pytest.approx(sick[1] / (sick[0] + sick[1]))
    assert found.counts.sum() == pytest.approx(2600)


@pytest.mark.parametrize("form", ["arrays", "csv", "parquet", "polars"])
def test_every_engine_sees_the_same_rows_without_a_target(form: str, tmp_path: Path) -> None:
    import polars as pl

    y, p, _ = drawn(500)
    y[p < 0.2] = np.nan
    frame = pl.DataFrame({"y": [None if np.isnan(v) else int(v) for v in y], "p": p})
    data: Any = frame
    if form == "csv":
        data = tmp_path / "rows.csv"
        frame.write_csv(data)
    if form == "parquet":
        data = tmp_path / "rows.parquet"
        frame.write_parquet(data)
    if form == "arrays":
        e = sy.evaluate(target=y, score=p, missing="drop")
    else:
        e = sy.evaluate(data, target="y", score="p", missing="drop")
    assert e.unlabelled.missing == int(np.isnan(y).sum())
    assert e.unlabelled == sy.evaluate(target=y, score=p, missing="drop").unlabelled


def test_it_adds_and_saves(tmp_path: Path) -> None:
    parts = []
    for seed in (1, 2):
        y, p, _ = drawn(600, seed)
        y[p < 0.3] = np.nan
        parts.append((y, p))
    both = [sy.evaluate(target=y, score=p, missing="drop") for y, p in parts]
    whole = sy.evaluate(
        target=np.concatenate([y for y, _ in parts]), score=np.concatenate([p for _, p in parts]), missing="drop"
    )
    assert (both[0] + both[1]).unlabelled == whole.unlabelled
    whole.save(tmp_path / "e.json")
    assert sy.load(tmp_path / "e.json").unlabelled == whole.unlabelled


def test_numbers_and_predicted_levels_are_compared_too() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=2000)
    y = x + rng.normal(size=2000)
    e = sy.evaluate(target=np.where(x > 1, np.nan, y), prediction=x, missing="drop")
    assert not e.verification.alike and "recall" not in " ".join(e.verification.sentences(scores=False))
    said = np.where(x > 0, "yes", "no")
    real = np.where((y > 0) & (rng.random(2000) < 0.9), "yes", "no").astype(object)
    real[(x <= 0) & (rng.random(2000) < 0.8)] = None
    e = sy.evaluate(target=real, prediction=said, positive="yes", missing="drop")
    assert not e.verification.alike
    assert sy.evaluate(target=real, prediction=said, positive="yes", missing="inverse_probability")["recall"].value < (
        e["recall"].value
    )


def test_a_few_rows_without_a_target_are_too_few_to_compare() -> None:
    y, p, _ = drawn(300)
    y[:2] = np.nan
    found = sy.evaluate(target=y, score=p, missing="drop").verification
    assert found.alike and found.p_value is None
    assert "too few of them to compare" in found.sentences()[0]


def test_alike_is_a_fair_test() -> None:
    """Labels missing at random are called different in about one of a hundred samples."""
    wrong = 0
    for seed in range(300):
        _, p, rng = drawn(300, seed)
        lost = rng.random(300) < 0.5
        counts = np.array([lost, ~lost], dtype=float).T
        order = np.argsort(p)
        from steelyard.summaries.cells import Cells

        wrong += not verification(Unlabelled(Cells.of(p[order], counts[order], 300))).alike
    assert wrong <= 10
