"""The laws hold for any number of bootstrap replicates, so a few will do."""

from collections.abc import Iterator

import pytest

from .reading import few_replicates


@pytest.fixture(scope="module", autouse=True)
def _fast_bootstrap() -> Iterator[None]:
    with few_replicates():
        yield


@pytest.fixture(params=["asked", "read once"])
def counted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether a database is asked for each thing, or its rows are read once and counted by compiled loops."""
    if request.param == "read once":
        pytest.importorskip("numba")
        monkeypatch.setattr("steelyard.monitors.window_rows.COMPILED", 0)
    return str(request.param)
