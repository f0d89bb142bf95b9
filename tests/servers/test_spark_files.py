"""Files that a cluster reads, against the same files read on one machine."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import steelyard as sy
from steelyard.errors import SteelyardError

pytestmark = pytest.mark.xdist_group("spark")

N = 400
_r = np.random.default_rng(12)
Y = _r.integers(0, 2, N)
P = np.round(_r.random(N) / 2 + Y / 4, 6)
WHOLE = pa.table({"y": Y, "p": P, "region": np.where(np.arange(N) % 3 == 0, "north", "south")})


def _text(rows: pa.Table, delimiter: str = ",") -> str:
    lines = (delimiter.join(map(str, row.values())) for row in rows.to_pylist())
    return "\n".join([delimiter.join(rows.column_names), *lines]) + "\n"


def _halves() -> tuple[pa.Table, pa.Table]:
    return WHOLE.slice(0, 150), WHOLE.slice(150)


def folder_of_parquet(at: Path) -> str:
    for i, part in enumerate(_halves()):
        pq.write_table(part, at / f"part-{i}.parquet")
    (at / "_SUCCESS").touch()
    (at / "notes.md").write_text("not rows")
    return str(at)


def folders_by_region(at: Path) -> str:
    for region in ("north", "south"):
        (at / f"region={region}").mkdir()
        rows = WHOLE.filter(pa.compute.equal(WHOLE["region"], region)).select(["y", "p"])
        pq.write_table(rows, at / f"region={region}" / "rows.parquet")
    return str(at)


def folders_of_days(at: Path) -> str:
    for i, part in enumerate(_halves()):
        (at / f"day {i}").mkdir()
        (at / f"day {i}" / "rows.csv").write_text(_text(part))
    return str(at)


def semicolons(at: Path) -> str:
    (at / "rows.csv").write_text(_text(WHOLE, ";"))
    return str(at / "rows.csv")


def tabs(at: Path) -> str:
    (at / "rows.tsv").write_text(_text(WHOLE, "\t"))
    return str(at / "rows.tsv")


def packed(at: Path) -> str:
    with gzip.open(at / "rows.csv.gz", "wt") as file:
        file.write(_text(WHOLE))
    return str(at / "*.csv.gz")


def json_lines(at: Path) -> str:
    (at / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in WHOLE.to_pylist()))
    return str(at / "rows.jsonl")


def several(at: Path) -> Any:
    return [Path(folder_of_parquet(at)) / f"part-{i}.parquet" for i in (0, 1)]


KINDS = [folder_of_parquet, folders_by_region, folders_of_days, semicolons, tabs, packed, json_lines, several]


@pytest.mark.parametrize("write", KINDS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("which", ["spark", "spark_connect"])
def test_the_cluster_reads_what_one_machine_reads(
    which: str, write: Callable[[Path], Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    data = write(tmp_path)
    there = sy.table(data, spark=request.getfixturevalue(which))
    roles = {"target": "y", "score": "p", "segment": "region"}
    here = sy.evaluate(target=Y, score=P, segment=WHOLE["region"].to_pylist())
    for found in (sy.evaluate(there, **roles), sy.evaluate(data, **roles)):
        assert found["auc"] == here["auc"]
        assert {k: e["auc"] for k, e in found.segments.items()} == {k: e["auc"] for k, e in here.segments.items()}


def test_a_view_or_table_by_its_name(spark: Any) -> None:
    spark.createDataFrame(WHOLE.to_pylist()).createOrReplaceTempView("predictions")
    e = sy.evaluate(sy.table("predictions", spark=spark), target="y", score="p")
    assert e["auc"].value == sy.evaluate(target=Y, score=P)["auc"].value


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "a short line": ({"rows.csv": "y,p\n1,0.5\n0\n1,0.7\n"}, "cannot read"),
    "a long line": ({"rows.csv": "y,p\n1,0.5\n0,0.1,9\n1,0.7\n"}, "cannot read"),
    "nothing": ({"rows.csv": ""}, "is empty"),
    "two kinds": ({"rows.csv": "y,p\n1,0.5\n", "more.jsonl": '{"y": 1, "p": 0.5}\n'}, "different kinds"),
    "other columns": ({"a.csv": "y,p\n1,0.5\n0,0.2\n", "b.csv": "p,y\n0.5,1\n0.2,0\n"}, "cannot read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_one_machine_would_refuse_is_refused(name: str, spark: Any, tmp_path: Path) -> None:
    files, said = REFUSED[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    with pytest.raises(SteelyardError, match=said) as found:
        sy.evaluate(sy.table(str(tmp_path), spark=spark), target="y", score="p")
    assert "Exception" not in str(found.value) and "org.apache" not in str(found.value), found.value


def test_what_only_one_machine_can_read_says_so(spark: Any, tmp_path: Path) -> None:
    feather.write_feather(WHOLE, tmp_path / "rows.feather")
    with pytest.raises(SteelyardError, match="cannot read Feather"):
        sy.table(str(tmp_path / "rows.feather"), spark=spark)
    with pytest.raises(SteelyardError, match="cannot read"):
        sy.table(str(tmp_path / "none.parquet"), spark=spark)


def test_the_command_reaches_a_server_over_the_network(spark_server: str, tmp_path: Path) -> None:
    data = folder_of_parquet(tmp_path)
    program = str(Path(sys.executable).parent / "steelyard")
    command = [program, "evaluate", data, "--target", "y", "--score", "p", "--json"]
    told = []
    for more in ([], ["--spark", spark_server]):
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout)["numbers"])
    assert told[0] == told[1]
