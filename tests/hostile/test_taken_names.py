"""A name is taken once."""

from __future__ import annotations

from typing import Any

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError


def test_a6_a_name_is_taken_once() -> None:
    """In a file of its own, the last of them: where it is not so, no test after it could trust a name."""
    with pytest.raises(SteelyardError):

        @sy.measure(better="higher", range=(0, 1))
        def auc(c: Any) -> float:
            """Ours, not theirs."""
            return 0.5
