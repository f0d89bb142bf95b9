"""How many threads count at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize(
    ("told", "files", "wanted"),
    [
        ("0::/", {"cpu.max": "max 100000"}, []),
        ("0::/", {"cpu.max": "150000 100000"}, [2]),
        ("", {"cpu.max": "100000 100000"}, [1]),
        ("0::/a/b", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "max 100000"}, [3]),
        ("0::/gone", {"cpu.max": "200000 100000"}, [2]),
        (
            "3:cpu,cpuacct:/a\n2:memory:/b",
            {"cpu/a/cpu.cfs_quota_us": "400000", "cpu/a/cpu.cfs_period_us": "100000"},
            [4],
        ),
        ("3:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, []),
    ],
)
def test_groups_share_the_cores(told: str, files: dict[str, str], wanted: list[int], tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cores.shares(str(tmp_path), told) == wanted


COUNTING = """
import sys, threading
import duckdb, numpy as np
import steelyard as sy
from steelyard.engines import cores
from steelyard.sources.local import shared_database
cores.cores = lambda: 8
y, score = np.arange(3_000_000) % 2, np.random.default_rng(1).random(3_000_000)
duckdb.sql("select range % 2 as y, random() as p from range(3_000_000)").write_parquet(sys.argv[1])
for exact in (False, True):
    print(sy.evaluate(target=y, score=score, exact=exact)["auc"].n, file=sys.stderr)
    sy.evaluate(sys.argv[1], target="y", score="p", exact=exact)
print(sum(thread.name.startswith("steelyard") for thread in threading.enumerate()))
print(shared_database().sql("select current_setting('threads')").fetchall()[0][0])
"""


def test_arrays_and_files_keep_to_what_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("STEELYARD_THREADS", "3")
    command = [sys.executable, "-c", COUNTING, str(tmp_path / "rows.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["3", "3"], done.stderr
