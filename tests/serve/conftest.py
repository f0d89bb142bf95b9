"""A service of its own for each test, over each store that there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..servers.postgres import Postgres
from .asking import Asking, asking


@pytest.fixture
def database(postgres: Postgres, tmp_path: Path) -> Iterator[str]:
    """The address of tables of a test's own."""
    name = f"serve_{abs(hash(str(tmp_path))):x}"
    postgres.run(f"create schema {name}")
    yield f"{postgres.uri}&options=-csearch_path%3D{name}"
    postgres.run(f"drop schema {name} cascade")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a service keeps what it knows."""
    if request.param == "sqlite":
        return tmp_path / "steelyard.db"
    found: str = request.getfixturevalue("database")
    return found


@pytest.fixture
def ask(place: str | Path) -> Iterator[Asking]:
    """A service with a declared model."""
    with asking(place) as found:
        found.declare()
        yield found
