"""Targets that hold decimals, fractions, dates or bytes are those that `evaluate` takes them for, with a store and without."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotNumeric
from steelyard.sources.in_memory import flat_array

X = np.sin(np.arange(60.0))[:, None]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ((0, 1, Fraction(1, 3)), "continuous"),
        ((Decimal("0.1"), Decimal("0.2"), Decimal(3)), "continuous"),
        ((date(2024, 1, 1), date(2024, 1, 2)), "levels"),
        ((b"a", b"b"), "levels"),
    ],
)
def test_odd_values_are_read_as_they_are_evaluated(values: tuple[Any, ...], kind: str, tmp_path: Path) -> None:
    y = np.empty(60, dtype=object)
    y[:] = [values[i % len(values)] for i in range(60)]
    given: dict[str, Any] = {"models": ["baseline"], "X": X, "y": y, "design": sy.KFold(2), "progress": False}
    given |= {"positive": values[1]} if kind == "levels" else {}
    x = sy.experiment(**given)
    kept = sy.experiment(**given, store=tmp_path)
    assert str(x) == str(kept)
    assert ("rmse" in x.frame()["measure"].tolist()) == (kind == "continuous")


def test_whole_numbers_keep_their_digits_or_are_refused() -> None:
    assert flat_array(np.array([1, 2**60 + 1], dtype=object)).tolist() == [1, 2**60 + 1]
    assert flat_array(np.array([1, 10**20], dtype=object)).tolist() == [1.0, 1e20]
    with pytest.raises(NotNumeric, match="401 digits"):
        flat_array(np.array([1, -(10**400)], dtype=object))
