"""How many threads count at once."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines import cores
from steelyard.engines.arrays import MANY
from steelyard.errors import UsageError


@pytest.mark.parametrize(("said", "most"), [("1", 1), ("3", 3), ("1000", cores.MOST)])
def test_no_more_threads_than_are_allowed(said: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: 64)
    monkeypatch.setenv("STEELYARD_THREADS", said)
    assert cores.threads() == most


def test_a_pool_of_processes_leaves_each_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: 64)
    monkeypatch.delenv("STEELYARD_THREADS", raising=False)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "4")
    assert cores.threads() == 4


@pytest.mark.parametrize("said", ["", "0", "-1", "many", "1.5"])
def test_what_is_no_number_of_threads_is_refused(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_THREADS", said)
    with pytest.raises(UsageError, match="no number of threads"):
        cores.threads()


@pytest.mark.parametrize("exact", [False, True])
def test_any_number_of_threads_counts_alike(
    exact: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(cores, "cores", lambda: 64)
    y, score = rng.integers(0, 2, 2 * MANY), rng.random(2 * MANY).round(5)
    found = []
    for many in ("1", "2", "5"):
        monkeypatch.setenv("STEELYARD_THREADS", many)
        found.append(sy.evaluate(target=y, score=score, exact=exact))
    assert found[0] == found[1] == found[2]
