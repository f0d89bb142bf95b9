"""A law: a test that every kind of sample must pass, each kind tried as often as it is cheap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

Law = Callable[[str, Any], None]


def law(**examples: int) -> Callable[[Law], Callable[[str], None]]:
    """Mark a function of (kind, data) as a law, with the number of examples of each kind in the default profile of 40."""

    def mark(function: Law) -> Callable[[str], None]:
        def test(kind: str) -> None:
            share = settings().max_examples / 40

            @settings(max_examples=max(1, round(examples[kind] * share)))
            @given(data=st.data())
            def holds(data: Any) -> None:
                function(kind, data)

            holds()

        test.__name__, test.__doc__ = function.__name__, function.__doc__
        return pytest.mark.parametrize("kind", list(examples))(test)

    return mark
