"""A service with its pages, over a store in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .visiting import Visiting, visiting


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visiting]:
    """A service that asks for tokens, whose model "churn" wears out, and somebody who may do everything."""
    with visiting(tmp_path) as found:
        yield found
