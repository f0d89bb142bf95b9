"""Files are read as they are: no row is skipped, no value rounded, no word taken for something else."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import UnreadableSource

ROLES = {"target": "y", "score": "p"}
PLAIN = sy.evaluate(target=[1, 0, 1, 0], score=[0.75, 0.5, 0.25, 0.125])


def _write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("commas.csv", "y,p\n1,0.75\n0,0.5\n1,0.25\n0,0.125\n"),
        ("windows.csv", "y,p\r\n1,0.75\r\n0,0.5\r\n1,0.25\r\n0,0.125\r\n"),
        ("semicolons.csv", "y;p\n1;0.75\n0;0.5\n1;0.25\n0;0.125\n"),
        ("tabs.tsv", "y\tp\n1\t0.75\n0\t0.5\n1\t0.25\n0\t0.125\n"),
        ("bars.txt", "y|p\n1|0.75\n0|0.5\n1|0.25\n0|0.125\n"),
        ("quoted.csv", '"y","p"\n"1","0.75"\n"0","0.5"\n"1","0.25"\n"0","0.125"\n'),
        ("commas in names.csv", 'y;p;"a,b,c,d"\n1;0.75;x\n0;0.5;x\n1;0.25;"x\ny"\n0;0.125;x\n'),
        ("spaces.csv", " y ,p\n1, 0.75\n0, 0.5\n1, 0.25\n0, 0.125\n"),
        ("LOUD.CSV", "y,p\n1,0.75\n0,0.5\n1,0.25\n0,0.125\n"),
        ("exponents.csv", "y,p\n1,7.5e-1\n0,5e-1\n1,25E-2\n0,.125\n"),
        ("blank lines.csv", "y,p\n1,0.75\n0,0.5\n\n1,0.25\n0,0.125\n\n"),
    ],
)
def test_ways_to_write_the_same_rows(name: str, text: str, tmp_path: Path) -> None:
    roles = {"target": " y ", "score": "p"} if name == "spaces.csv" else ROLES
    assert sy.evaluate(_write(tmp_path / name, text), **roles) == PLAIN


def test_a_mark_of_the_byte_order(tmp_path: Path) -> None:
    path = _write(tmp_path / "rows.csv", "y,p\n1,0.75\n0,0.5\n1,0.25\n0,0.125\n", "utf-8-sig")
    assert sy.evaluate(path, **ROLES) == PLAIN


def test_compressed_files(tmp_path: Path) -> None:
    text = b"y,p\n1,0.75\n0,0.5\n1,0.25\n0,0.125\n"
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "rows.csv.zst").write_bytes(pa.compress(text, codec="zstd", asbytes=True))
    assert sy.evaluate(tmp_path / "rows.csv.gz", **ROLES) == PLAIN
    assert sy.evaluate(tmp_path / "rows.csv.zst", **ROLES) == PLAIN


@pytest.mark.parametrize(
    "words",
    [("no", "yes"), ("f", "t"), ("off", "on"), ("F", "T"), ("n", "y"), ("2023-01-02", "01/02/2024"), ("#a", "#b")],
)
def test_words_stay_words(words: tuple[str, str], tmp_path: Path) -> None:
    rows = "\n".join(f"{words[i % 2]},{i / 8}" for i in range(8))
    e = sy.evaluate(_write(tmp_path / "rows.csv", f"y,p\n{rows}\n"), **ROLES, positive=words[1])
    assert e.levels == tuple(sorted(words))
    assert e.rows == 8


@pytest.mark.parametrize("words", [("False", "True"), ("false", "true"), ("FALSE", "TRUE")])
def test_true_and_false_are_true_and_false(words: tuple[str, str], tmp_path: Path) -> None:
    rows = "\n".join(f"{words[i % 2]},{i / 8}" for i in range(8))
    e = sy.evaluate(_write(tmp_path / "rows.csv", f"y,p\n{rows}\n"), **ROLES)
    assert e.levels == (False, True)
    assert e.positive is True


def test_whole_numbers_in_one_file_do_not_round_the_next(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1, 0], "p": [1, 0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"p": [0.75, 0.25], "y": [1, 0]}), tmp_path / "b.parquet")
    _write(tmp_path / "a.csv", "y,p\n1,1\n0,0\n")
    _write(tmp_path / "b.csv", "p,y\n0.75,1\n0.25,0\n")
    wanted = sy.evaluate(target=[1, 0, 1, 0], score=[1, 0, 0.75, 0.25])
    assert sy.evaluate(tmp_path / "*.parquet", **ROLES) == wanted
    assert sy.evaluate(tmp_path / "*.csv", **ROLES) == wanted


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path) -> None:
    text = "y,p\n1,0.75\n0,0.5\n1,0.25\n0,0.125\n"
    for name in ("rows[1].csv", "rows*.csv", "rows?.csv", "it's.csv", 'a "b".csv', "{a,b}.csv", "é 🦄.csv"):
        assert sy.evaluate(_write(tmp_path / name, text), **ROLES) == PLAIN
    shutil.copy(tmp_path / "rows*.csv", tmp_path / "rows, and more.csv")
    assert sy.evaluate(str(tmp_path / "rows*.csv"), **ROLES) == PLAIN
    assert sy.evaluate(str(tmp_path / "rows[[]1].csv"), **ROLES) == PLAIN


def test_folders_that_say_a_column(tmp_path: Path) -> None:
    for region, rows in {"north": ([1, 0], [0.75, 0.5]), "south": ([1, 0], [0.25, 0.125])}.items():
        (tmp_path / f"region={region}").mkdir()
        pq.write_table(pa.table({"y": rows[0], "p": rows[1]}), tmp_path / f"region={region}" / "part.parquet")
    e = sy.evaluate(tmp_path / "*" / "*.parquet", **ROLES, segment="region")
    assert list(e.segments) == ["north", "south"]
    assert e.evidence == PLAIN.evidence


def test_a_column_of_the_file_counts_for_more_than_its_folder(tmp_path: Path) -> None:
    (tmp_path / "y=1").mkdir()
    pq.write_table(pa.table({"y": [1, 0, 1, 0], "p": [0.75, 0.5, 0.25, 0.125]}), tmp_path / "y=1" / "rows.parquet")
    assert sy.evaluate(tmp_path / "y=1" / "rows.parquet", **ROLES) == PLAIN


def test_text_far_down_a_column_of_numbers(tmp_path: Path) -> None:
    path = _write(tmp_path / "rows.csv", "y,p\n" + "1,0.5\n0,0.25\n" * 110_000 + "1,n/a\n")
    with pytest.raises(UnreadableSource, match='line 220,002 has "n/a" in the column "p", which held numbers before'):
        sy.evaluate(path, **ROLES)


def test_the_connection_lives_as_long_as_the_rows(tmp_path: Path) -> None:
    relation = duckdb.connect().sql("select * from (values (1, 0.75), (0, 0.5), (1, 0.25), (0, 0.125)) as rows(y, p)")
    assert sy.evaluate(relation, **ROLES) == PLAIN
    assert sy.evaluate(relation, **ROLES) == PLAIN


def test_a_relation_with_counted_columns() -> None:
    """Sums are HUGEINT and DECIMAL there."""
    values = "(1, 1, 0.75), (2, 0, 0.5), (3, 1, 0.25), (4, 0, 0.125)"
    rows = duckdb.sql(f"select sum(y) as y, sum(p) as p from (values {values}) as t(k, y, p) group by k")
    assert sy.evaluate(rows, **ROLES) == PLAIN
