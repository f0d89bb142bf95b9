"""A cell of a notebook takes little room: whatever the result, whatever the width, nothing is wider or higher than it may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..views.kinds import MAKERS, result

CELL = 350
SIZE = "() => { const b = document.body.firstElementChild.getBoundingClientRect(); return [b.height, document.body.scrollWidth]; }"
# Where nothing is wider than it may be, all that a cell says at first is seen without scrolling.
HIDDEN = "() => [...document.querySelectorAll('.sy-cell')].map(c => c.scrollHeight - c.clientHeight)"


@pytest.mark.parametrize("width", [600, 900, 1400])
def test_no_result_is_higher_than_a_cell(width: int, visit: Callable[..., Any]) -> None:
    page = visit("<!doctype html><title>Cells</title>", width=width)
    told = {}
    for name in MAKERS:
        show = getattr(result(name), "_repr_html_", None)
        if show is None:
            continue
        page.set_content(f"<body style='margin:0;font:13px Helvetica,sans-serif'><div>{show()}</div>")
        high, wide = page.evaluate(SIZE)
        hidden = page.evaluate(HIDDEN)
        if high > CELL or wide > width or (width == 900 and any(v > 0 for v in hidden)):
            told[name] = (high, wide, hidden)
    assert not told
