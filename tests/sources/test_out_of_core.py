"""Files several times larger than the memory that DuckDB may use: counted all the same, within a stated bound.

STEELYARD_MEMORY limits DuckDB. What a process needs besides (Python, NumPy, SciPy, compiled loops, batches that are handed
over) is part of the peak that is looked at here, which is that of a whole process. Linux keeps it as VmHWM; what getrusage
gives begins with the memory of the process that started it. Pages of the libraries themselves are not counted: the system drops
them when it needs room, and how many it reads ahead differs from one version of a library to the next by a hundred megabytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import steelyard as sy
from steelyard.early_warning.timeliness import timeliness
from steelyard.errors import UnreadableSource

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Only Linux tells what is looked at.")
MB = 1_000_000
LIMIT = 100
"""Megabytes that DuckDB may use."""
BESIDES = 150
"""Megabytes that the rest of the process may use; 18 to 95 were seen."""
PROGRAM = """
    import json, re
    import steelyard as sy
    from steelyard.early_warning.timeliness import timeliness

    found = {call}
    told = open("/proc/self/status").read()
    most, of_files = (int(re.search(name + r":\\s+(\\d+) kB", told)[1]) * 1024 / 1e6 for name in ("VmHWM", "RssFile"))
    print(json.dumps([found, most - of_files]))
"""
ROWS = """
    select cast(hash(i) % 3 = 0 as int) as y,
           (hash(i + 1) % 1000000007) / 1000000007 as p,
           cast(1 + hash(i + 2) % 4 as double) / 2 as w,
           hash(i + 3) % 50000 as who,
           'region ' || hash(i + 4) % 5 as region,
           repeat(hash(i + 5)::varchar || hash(i + 6)::varchar, 5) as note
    from range(3000000) as r(i)
"""
EVENTS = """
    select 'customer ' || hash(i) % 400000 as who,
           (hash(i + 1) % 300000) / 10000 as day,
           (hash(i + 2) % 1000003) / 1000003 as p,
           cast(hash(i) % 400000 % 7 = 0 as int) as gone,
           hash(i + 5)::varchar || hash(i + 6)::varchar as note
    from range(4000000) as r(i)
"""
# Text that does not compress makes the files large, as what people write in a column of notes does.
PARQUET = "(format parquet, compression uncompressed, row_group_size 100000)"


def _measured(call: str, folder: Path) -> tuple[Any, float]:
    """What a process of its own finds, and the most megabytes that it has held."""
    environment = {**os.environ, "STEELYARD_MEMORY": f"{LIMIT}MB", "TMPDIR": str(folder)}
    program = textwrap.dedent(PROGRAM).format(call=call)
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    found, peak = json.loads(run.stdout)
    return found, peak


def _written(query: str, path: Path, options: str = "") -> Iterator[Path]:
    duckdb.connect().execute(f"copy ({query}) to '{path}' {options}")
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from _written(ROWS, tmp_path_factory.mktemp("large") / "rows.parquet", PARQUET)


@pytest.mark.parametrize("by", [{}, {"weight": "w"}], ids=str)
def test_a_parquet_file(by: dict[str, str], parquet: Path, tmp_path: Path) -> None:
    size = parquet.stat().st_size / MB
    assert size > 5 * LIMIT
    call = f"sy.evaluate({str(parquet)!r}, target='y', score='p', **{by!r})"
    (rows, auc), peak = _measured(f"[(e := {call}).rows, e['auc'].value]", tmp_path)
    assert peak < LIMIT + BESIDES < 0.75 * size
    assert rows == 3_000_000
    # The same file, with all the memory of the machine.
    assert auc == pytest.approx(sy.evaluate(parquet, target="y", score="p", **by)["auc"].value, rel=1e-12)


def test_a_csv_file(parquet: Path, tmp_path: Path) -> None:
    for path in _written(f"select y, p, note from '{parquet}'", tmp_path / "rows.csv"):
        size = path.stat().st_size / MB
        assert size > 5 * LIMIT
        call = f"sy.evaluate({str(path)!r}, target='y', score='p', weight='p')"
        (rows, auc), peak = _measured(f"[(e := {call}).rows, e['auc'].value]", tmp_path)
        assert peak < LIMIT + BESIDES < 0.75 * size
        wanted = sy.evaluate(parquet, target="y", score="p", weight="p")
        assert (rows, auc) == (wanted.rows, pytest.approx(wanted["auc"].value, rel=1e-12))


def test_memory_that_is_not_enough_is_told(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_MEMORY", "6MB")
    with pytest.raises(UnreadableSource, match="is larger than can be counted in the memory that is allowed") as found:
        sy.evaluate(parquet, target="y", score="p", weight="w", segment="region", unit="note")
    assert found.value.hint.startswith("Allow more with STEELYARD_MEMORY")


def test_events_in_order(tmp_path: Path) -> None:
    """Timeliness puts the events of each customer in order, which needs them all: what does not fit is spilled."""
    names = {"unit": "who", "time": "day", "score": "p", "outcome": "gone", "horizon": 30}
    for path in _written(EVENTS, tmp_path / "events.parquet", PARQUET):
        size = path.stat().st_size / MB
        assert size > 2 * LIMIT
        call = f"timeliness({str(path)!r}, **{names!r})"
        (customers, q), peak = _measured(f"[(t := {call}).summary.customers, float(t.q)]", tmp_path)
        # The same took 430 MB where nothing limited it.
        assert peak < LIMIT + 130 < 0.9 * size
        wanted = timeliness(path, **names)
        assert (customers, q) == (wanted.summary.customers, pytest.approx(float(wanted.q), rel=1e-9))
