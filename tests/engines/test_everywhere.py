"""Two million rows, and a table with every awkward value: the same evidence wherever they live."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

from . import served
from .alike import alike
from .forms import FORMS, Col, Table, evaluate

# More than a million rows ------------------------------------------------------------------------------------------------------

MANY = (1 << 20) + 10_000
"""More than are counted exactly."""
ROLES = {"target": "truth", "score": "score"}
CALLS: dict[str, dict[str, Any]] = {
    "scores": {**ROLES, "threshold": 0.3},
    "weights and segments": {**ROLES, "weight": "weight", "segment": "region"},
}
_wanted: dict[str, sy.Evaluation] = {}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    r = np.random.default_rng(17)
    score = np.where(r.random(MANY) < 0.1, np.round(r.random(MANY), 2), r.random(MANY) ** r.choice([1.0, 7.0], MANY))
    score[:6] = [0.0, -0.0, 1.0, 0.5, np.nextafter(0.5, 0), np.nextafter(1, 0)]
    table = {
        "truth": (r.random(MANY) < score).astype(np.int32),
        "score": score,
        "weight": r.integers(1, 1000, MANY) / 128,
        "region": pa.array(np.array(["north", "south", "Ünder"])[r.integers(0, 3, MANY)]),
    }
    path = tmp_path_factory.mktemp("many") / "rows.parquet"
    pq.write_table(pa.table(table), path, row_group_size=250_000)
    for name, call in CALLS.items():
        _wanted[name] = sy.evaluate(table | {"region": table["region"].to_numpy(zero_copy_only=False)}, **call)
    return path


def _loaded(path: Path) -> str:
    """The rows as a table of PostgreSQL, copied as one text."""
    import psycopg

    with psycopg.connect(served.SERVERS["postgres"].uri) as connection, connection.cursor() as cursor:
        kinds = "truth int, score double precision, weight double precision, region text"
        cursor.execute(f"drop table if exists many; create table many ({kinds})")
        with cursor.copy("copy many from stdin (format csv)") as copy:
            for group in range(pq.ParquetFile(path).num_row_groups):
                text = pa.BufferOutputStream()
                rows = pq.ParquetFile(path).read_row_group(group)
                pyarrow.csv.write_csv(rows, text, pyarrow.csv.WriteOptions(include_header=False))
                copy.write(text.getvalue().to_pybytes())
    return f"{served.SERVERS['postgres'].reader_uri}&table=many"


PLACES: dict[str, Callable[[Path], Any]] = {
    "parquet": str,
    "duckdb": lambda path: duckdb.connect().read_parquet(str(path)),
    "polars lazy": pl.scan_parquet,
    "polars": pl.read_parquet,
    "pandas": pd.read_parquet,
    "arrow": pq.read_table,
    "postgresql": _loaded,
    "spark": lambda path: served.SERVERS["spark"].read.parquet(str(path)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [pytest.param(p, marks=pytest.mark.xdist_group({"postgresql": "postgres"}.get(p, p))) for p in PLACES],
)
def test_more_than_a_million_rows(place: str, many: Path, request: pytest.FixtureRequest) -> None:
    if place in served.PLACES:
        served.start(place, request)
    data = PLACES[place](many)
    for name, call in CALLS.items():
        found = sy.evaluate(data, **call)
        assert found.rows == MANY
        assert found.scores is not None and found.scores.cells.gridded
        alike(found, _wanted[name])


# Every awkward value ---------------------------------------------------------------------------------------------------

N = 84
NAN, INF = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.1125369292536007e-308, 0.1, 1 / 3, 1.0, -1.0]
FLOATS += [float(2**53), float(2**53 - 1), 1e15, 1e16, 1e-7, 1e22, 1.7976931348623157e308, -1.7976931348623157e308]
FLOATS += [np.nextafter(1.0, 0.0), np.nextafter(0.5, 0.0), 2.0**-40, 2.0**40, 2.0**41, -(2.0**-41)]
WHOLE = [2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**63 - 2, 0, -1, 1]
WORDS = [
    "",
    " ",
    "a",
    "A",
    "á",
    "a\u0301",
    "a ",
    "a  ",
    " a",
    "ß",
    "ss",
    "SS",
    "ı",
    "I",
    "i",
    "İ",
    "🦄",
    "👩‍👩‍👧",
    "𝔘",
    "李",
]
WORDS += [
    "o'Neil",
    'a "b"',
    "back\\slash",
    "\\N",
    "null",
    "NULL",
    "NaN",
    "1",
    "1.0",
    "true",
    "a\tb",
    "a\nb",
    "{x}",
    "{}",
    "%s",
    "%",
]
WORDS += ["\ufeffa", "\u200ba", "\u00a0", "ﬁ", "fi", "$1", "--", "/* */", ";", "é"]
# A summer and a winter hour that a clock shows alike, the hour that it leaves out, and years before there were zones.
SUMMER = [dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC), dt.datetime(2024, 10, 27, 1, 30, tzinfo=dt.UTC)]
SUMMER += [dt.datetime(2024, 11, 3, 5, 30, tzinfo=dt.UTC), dt.datetime(2024, 11, 3, 6, 30, tzinfo=dt.UTC)]
SUMMER += [dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC), dt.datetime(2024, 3, 10, 7, 30, 0, 250_000, tzinfo=dt.UTC)]
SUMMER += [dt.datetime(1899, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.UTC), dt.datetime(1969, 12, 31, 23, tzinfo=dt.UTC)]
PLAIN = [t.replace(tzinfo=None) for t in SUMMER] + [dt.datetime(2024, 3, 31, 2, 30), dt.datetime(2024, 3, 10, 2, 30)]


def _awkward() -> Table:
    r = random.Random(3)

    def some(values: list[Any], *missing: Any) -> list[Any]:
        """Every value at least once, if there is room, and then any of them."""
        values = [*values, *missing]
        return [values[i] if i < len(values) else r.choice(values) for i in r.sample(range(N), N)]

    return {
        "truth": Col("int", [i % 2 for i in range(N)]),
        "guess": Col("int", [r.randrange(2) for _ in range(N)]),
        "yes": Col("bool", some([True, False], None)),
        "sure": Col("bool", some([True, False])),
        "score": Col("float", some(FLOATS, None, NAN, INF, -INF)),
        "real score": Col("float", some(FLOATS)),
        "whole score": Col("int", some(WHOLE, None)),
        "whole": Col("int", some(WHOLE, None)),
        "decimal": Col(
            "decimal", some([Decimal(t) for t in ("0.1000", "-0.0700", "99999999999999.9999", "0.0001", "0")], None)
        ),
        "word": Col("text", some(WORDS, None)),
        "guessed word": Col("text", some(WORDS)),
        "said": Col("text", some(WORDS)),
        "float": Col("float", some([0.0, -0.0, 0.1, 1 / 3, 5e-324, 2.0**52, 1e15, -1e-7], None, NAN, INF)),
        "moment": Col("moment", some(PLAIN, None)),
        "zoned": Col("zoned", some(SUMMER, None)),
        "day": Col(
            "date", some([dt.date(2024, 2, 29), dt.date(1970, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)], None)
        ),
    }


AWKWARD = _awkward()
SCORES = {"target": "truth", "score": "real score"}
LABELS = {"target": "truth", "prediction": "guess"}
QUESTIONS: dict[str, dict[str, Any]] = {
    **{
        f"{c} as score": {"target": "truth", "score": c}
        for c in ("score", "real score", "whole score", "decimal", "yes")
    },
    **{f"{c} as target": {"target": c, "prediction": c} for c in ("whole", "word", "yes", "moment", "zoned", "day")},
    "two columns of words": {"target": "said", "prediction": "guessed word"},
    "one whole number as target": {"target": "whole", "prediction": "whole", "positive": 2**53 + 1},
    "truth values as target": {"target": "yes", "score": "real score"},
    **{
        f"{c} as segment": {**SCORES, "segment": c}
        for c in ("word", "whole", "yes", "decimal", "float", "moment", "zoned", "day")
    },
    **{
        f"{c} as unit": {**LABELS, "unit": c}
        for c in ("word", "whole", "yes", "decimal", "float", "moment", "zoned", "day")
    },
}
OPTIONS = ("positive", "threshold")


def _ask(form: str, folder: Path, call: dict[str, Any]) -> sy.Evaluation | str:
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    try:
        return evaluate(form, AWKWARD, folder, roles, missing="drop", **{k: v for k, v in call.items() if k in OPTIONS})
    except SteelyardError as problem:
        return f"{type(problem).__name__}: {problem}"


@cache
def _plainly(name: str) -> sy.Evaluation | str:
    return _ask("lists", Path(), QUESTIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_every_awkward_value(form: str, tmp_path: Path) -> None:
    wrong = []
    for name, call in QUESTIONS.items():
        if form == "csv" and {"word", "said", "moment", "zoned"} & set(call.values()):
            # Such a file has no empty text beside a missing one, and its times are whatever was written.
            continue
        if form == "csv" and name in {"decimal as segment", "decimal as score"}:
            # A number with a point is a float there, and one of these has more digits.
            continue
        found, wanted = _ask(form, tmp_path, call), _plainly(name)
        assert isinstance(wanted, sy.Evaluation), (name, wanted)
        try:
            assert isinstance(found, sy.Evaluation), found
            alike(found, wanted)
        except AssertionError as problem:
            wrong.append(f"{name}: {str(problem).strip()[:300]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.xdist_group("postgres")
def test_a_column_with_another_collation(postgres: Any) -> None:
    """What is equal, and what comes first, is decided by the letters and not by the database."""
    served.SERVERS["postgres"] = postgres
    table = pa.table(
        {"said": AWKWARD["said"].values, "truth": AWKWARD["truth"].values, "p": AWKWARD["real score"].values}
    )
    name = served.load(table)
    with_c = f'select said collate "C" as said, truth, p from "{name}"'
    found = [
        sy.evaluate(f"{postgres.reader_uri}&{which}", target="truth", score="p", segment="said")
        for which in (f"table={quote(name)}", f"query={quote(with_c)}")
    ]
    alike(found[1], found[0])
    alike(found[0], sy.evaluate(table, target="truth", score="p", segment="said"))
