"""Two models ranked on data sets, what is said of the measure, and tables that are no tables."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.comparisons.ranks import friedman
from steelyard.errors import LengthsDiffer


def test_two_models_are_told_apart_by_the_whole_test_alone() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 15))
        r = friedman(np.stack([rng.integers(0, 9, n), rng.integers(0, 9, n) + seed % 4], axis=1), control="model 1")
        clear = r.p_value <= 0.05
        assert all(bool(r.different(m)) == clear for m in ("nemenyi", "holm", "shaffer"))
        assert {p.p_value for p in (*r.pairs, *r.against)} == {r.p_value}
        assert "Nemenyi" not in r.paragraph() and "critical difference" not in r.paragraph()
        assert ("says that the models differ" in r.paragraph()) == clear


def test_results_of_different_lengths_get_a_sentence() -> None:
    with pytest.raises(LengthsDiffer, match="a 2, b 3"):
        friedman({"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(LengthsDiffer, match="differ in length: 2, 3"):
        friedman([[1, 2], [1, 2, 3]])


def test_the_paragraph_names_the_measure() -> None:
    assert "We ranked 2 models by accuracy on 3 data sets" in str(friedman([[1, 2]] * 3, measure="accuracy"))
