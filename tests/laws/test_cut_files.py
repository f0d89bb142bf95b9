"""A file that was cut is refused, or what it holds is exactly what the whole one holds; in every format and compression.

STEELYARD_FUZZ is how many places each file is cut at; a few by default.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.sources.files import READERS

from ..sources.workbooks import Rows, binary, office

PLACES = int(os.environ.get("STEELYARD_FUZZ", "7"))
ROLES = {"target": "y", "score": "p"}


def _rows(n: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return {"y": y.tolist(), "p": np.round(np.clip(0.3 * y + rng.random(n) * 0.6, 0, 1), 4).tolist()}


def _csv(rows: dict[str, list[float]], apart: str = ",") -> bytes:
    lines = [apart.join(("y", "p")), *(f"{y}{apart}{p}" for y, p in zip(*rows.values(), strict=True)), ""]
    return "\n".join(lines).encode()


def _lines(rows: dict[str, list[float]]) -> bytes:
    return "".join(json.dumps({"y": y, "p": p}) + "\n" for y, p in zip(*rows.values(), strict=True)).encode()


def _zst(raw: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(raw, asbytes=True))


def _flushed(raw: bytes) -> bytes:
    """Gzip as a server sends it: each part can be unpacked without the next."""
    packer = zlib.compressobj(wbits=31)
    step = max(1, len(raw) // 20)
    parts = [packer.compress(raw[i : i + step]) + packer.flush(zlib.Z_FULL_FLUSH) for i in range(0, len(raw), step)]
    return b"".join(parts) + packer.flush()


def _with_pyarrow(write: Callable[[pa.Table, str], None]) -> Callable[[dict[str, list[float]], Path], bytes]:
    def made(rows: dict[str, list[float]], folder: Path) -> bytes:
        path = folder / "whole"
        write(pa.table(rows), str(path))
        return path.read_bytes()

    return made


def _workbook(rows: dict[str, list[float]], folder: Path) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for line in (list(rows), *zip(*rows.values(), strict=True)):
        sheet.append(line)
    book.save(folder / "whole.xlsx")
    return (folder / "whole.xlsx").read_bytes()


def _other_workbook(write: Callable[[Path, Rows], str]) -> Callable[[dict[str, list[float]], Path], bytes]:
    def made(rows: dict[str, list[float]], folder: Path) -> bytes:
        return Path(write(folder / "whole", [list(rows), *zip(*rows.values(), strict=True)])).read_bytes()

    return made


def _sqlite(rows: dict[str, list[float]], folder: Path) -> bytes:
    path = folder / "whole"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table t (y int, p real)")
        connection.executemany("insert into t values (?, ?)", zip(*rows.values(), strict=True))
    connection.close()
    return path.read_bytes()


def _duckdb(rows: dict[str, list[float]], folder: Path) -> bytes:
    path = folder / "whole.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", {name: np.array(values) for name, values in rows.items()})
        connection.execute("create table t as select * from given")
    return path.read_bytes()


FORMS: dict[str, Callable[[dict[str, list[float]], Path], bytes]] = {
    "a.csv": lambda rows, _: _csv(rows),
    "a.txt": lambda rows, _: _csv(rows, ";"),
    "a.tsv": lambda rows, _: _csv(rows, "\t"),
    "quoted.csv": lambda rows, _: _csv({"y": rows["y"], "p": [f'"{p}"' for p in rows["p"]]}),
    "a.csv.gz": lambda rows, _: gzip.compress(_csv(rows)),
    "stored.csv.gz": lambda rows, _: gzip.compress(_csv(rows), 0),
    "flushed.csv.gz": lambda rows, _: _flushed(_csv(rows)),
    "a.tsv.gz": lambda rows, _: gzip.compress(_csv(rows, "\t")),
    "a.csv.zst": lambda rows, _: _zst(_csv(rows)),
    "a.tsv.zst": lambda rows, _: _zst(_csv(rows, "\t")),
    "a.jsonl": lambda rows, _: _lines(rows),
    "a.ndjson": lambda rows, _: _lines(rows),
    "a.jsonl.gz": lambda rows, _: gzip.compress(_lines(rows)),
    "flushed.ndjson.gz": lambda rows, _: _flushed(_lines(rows)),
    "a.jsonl.zst": lambda rows, _: _zst(_lines(rows)),
    "a.ndjson.zst": lambda rows, _: _zst(_lines(rows)),
    "a.parquet": _with_pyarrow(pq.write_table),
    "parts.pq": _with_pyarrow(lambda t, path: pq.write_table(t, path, row_group_size=50, compression="zstd")),
    "a.arrow": _with_pyarrow(lambda t, path: feather.write_feather(t, path, compression="uncompressed", chunksize=64)),
    "a.feather": _with_pyarrow(lambda t, path: feather.write_feather(t, path, compression="lz4")),
    "a.ipc": _with_pyarrow(lambda t, path: feather.write_feather(t, path, compression="zstd")),
    "a.xlsx": _workbook,
    "a.xlsm": _workbook,
    "a.xlsb": _other_workbook(binary),
    "a.ods": _other_workbook(office),
    "a.sqlite": _sqlite,
    "a.duckdb": _duckdb,
}


@pytest.mark.parametrize("rows", [300, 30_000])
@pytest.mark.parametrize("name", FORMS)
def test_a_cut_file_is_refused_or_exactly_right(name: str, rows: int, tmp_path: Path) -> None:
    whole = FORMS[name](_rows(rows), tmp_path)
    path = tmp_path / name
    path.write_bytes(whole)
    right = sy.evaluate(path, **ROLES)
    assert right.rows == rows
    text = not name.endswith((".gz", ".zst")) and READERS.get(path.suffix) in {"csv", "json"}
    for place in np.unique(np.linspace(1, len(whole) - 1, PLACES).astype(int)).tolist():
        path.write_bytes(whole[:place])
        try:
            found = sy.evaluate(path, **ROLES)
        except SteelyardError:
            continue
        if text and (whole[:place].endswith(b"\n") or whole[place : place + 1] == b"\n"):
            # A text that ends where a line ends cannot be known to have been longer.
            found, lines = found, whole[:place].count(b"\n") + (not whole[:place].endswith(b"\n"))
            assert found.rows == lines - (READERS[path.suffix] == "csv"), place
            continue
        assert found.evidence == right.evidence, f"cut at {place:,} of {len(whole):,}"


def test_every_format_is_among_them() -> None:
    left = {suffix for suffix in READERS if not any(name.endswith(suffix) for name in FORMS)}
    assert left == {".xls"}, "nothing here writes these; the reader of workbooks reads them too"


def test_a_last_line_without_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,0.8125\n0,0.39")
    with pytest.raises(SteelyardError, match="ends in the middle of a line"):
        sy.evaluate(path, **ROLES)
    path.write_text("y,p\r1,0.8125\r0,0.39\r")
    assert sy.evaluate(path, **ROLES).rows == 2
