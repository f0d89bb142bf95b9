"""Forms that live on a server have it started first."""

from __future__ import annotations

import pytest

from .served import start


@pytest.fixture
def form(request: pytest.FixtureRequest) -> str:
    """The name of a form, ready to be used."""
    name: str = request.param
    start(name, request)
    return name
