"""Names of classes and columns may hold anything: they change no result and reach no interpreter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import MissingValues, UnknownColumn

NAMES = {
    "double quotes": 'a "quoted" name, "twice""',
    "single quotes": "it's 'quoted'",
    "SQL": '"; drop table rows; --',
    "SQL in quotes": "x' or '1'='1",
    "HTML": "<script>alert('x')</script> & <b>bold</b>",
    "newlines": "two\nlines\r\nor three",
    "separators": "a,b;c|d\te",
    "emoji": "🦄 𝔘nicode ﷽ é",
    "right to left": "שלום\u202eabc",
    "very long": "long " * 2000,
    "spaces": "  spaces around  ",
    "a comment": "# not a comment",
    "a backslash": "a\\b\\",
    "nothing, in words": "NULL",
    "not a number": "NaN",
    "true": "true",
    "a number": "1.50",
    "a date": "2024-01-01",
    "braces": "{0} %s ${x}",
    "our own word": "bucket of the unit",
}


def _csv(t: pa.Table, folder: Path) -> str:
    pa.csv.write_csv(t, folder / "t.csv")
    return str(folder / "t.csv")


def _parquet(t: pa.Table, folder: Path) -> str:
    pq.write_table(t, folder / "t.parquet")
    return str(folder / "t.parquet")


FORMS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "dictionary": lambda t, _: {name: t[name].to_pylist() for name in t.column_names},
    "pandas": lambda t, _: t.to_pandas(),
    "polars": lambda t, _: pl.from_arrow(t),
    "polars lazy": lambda t, _: pl.DataFrame(pl.from_arrow(t)).lazy(),
    "arrow": lambda t, _: t,
    "duckdb": lambda t, _: duckdb.from_arrow(t),
    "csv": _csv,
    "parquet": _parquet,
}

TRUTH = [1, 0, 1, 1, 0, 0, 1, 0]
GUESS = [1, 0, 0, 1, 1, 0, 1, 0]
SCORE = [0.9, 0.2, 0.4, 0.8, 0.6, 0.1, 0.7, 0.3]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_names_of_classes(name: str, form: str, tmp_path: Path) -> None:
    words = ["other", name]
    table = pa.table(
        {
            "truth": [words[t] for t in TRUTH],
            "guess": [words[g] for g in GUESS],
            "score": SCORE,
            "rest": [1 - s for s in SCORE],
        }
    )
    data = FORMS[form](table, tmp_path)
    plain = sy.evaluate(target=TRUTH, score=SCORE)
    scored = sy.evaluate(data, target="truth", score="score", positive=name, unit="truth", segment="guess")
    assert set(scored.levels) == set(words)
    assert scored["auc"].value == plain["auc"].value
    assert scored.scores is not None and plain.scores is not None
    assert scored.scores.positives.tolist() == plain.scores.positives.tolist()
    assert list(scored.segments) == sorted(words)
    labelled = sy.evaluate(data, target="truth", prediction="guess", positive=name)
    assert labelled["recall", name].value == sy.evaluate(target=TRUTH, prediction=GUESS)["recall"].value == 0.75
    classes = sy.evaluate(data, target="truth", score={name: "score", "other": "rest"})
    assert classes["auc", name].value == plain["auc"].value
    saved = tmp_path / "saved.json"
    scored.save(saved)
    assert sy.load(saved) == scored


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_names_of_columns(name: str, form: str, tmp_path: Path) -> None:
    parts = {"target": TRUTH, "score": SCORE, "weight": [1.0, 2.0] * 4, "unit": list("aabbccdd"), "segment": [0, 1] * 4}
    table = pa.table({f"{name}{role}" if role != "score" else name: values for role, values in parts.items()})
    data = FORMS[form](table, tmp_path)
    roles = dict(zip(parts, table.column_names, strict=True))
    assert sy.evaluate(data, **roles) == sy.evaluate(**parts)
    with pytest.raises(UnknownColumn) as told:
        sy.evaluate(data, **{**roles, "score": f"{name}?"})
    assert told.value.message.endswith(".")
    assert told.value.hint


def test_no_name_at_all(tmp_path: Path) -> None:
    """An empty name is a name wherever the table can hold one; DuckDB gives the column another."""
    table = pa.table({"": TRUTH, "score": SCORE})
    plain = sy.evaluate(target=TRUTH, score=SCORE)
    for form in ("dictionary", "pandas", "polars", "polars lazy", "arrow"):
        assert sy.evaluate(FORMS[form](table, tmp_path), target="", score="score") == plain, form
    for form in ("duckdb", "csv", "parquet"):
        with pytest.raises(UnknownColumn, match='There is no column ""'):
            sy.evaluate(FORMS[form](table, tmp_path), target="", score="score")


def test_a_class_without_a_name(tmp_path: Path) -> None:
    """An empty text is a level of its own; in a CSV file, which cannot tell the two apart, it is a missing value."""
    table = pa.table({"truth": [["", "x"][t] for t in TRUTH], "score": SCORE})
    for form in FORMS:
        data = FORMS[form](table, tmp_path)
        if form == "csv":
            with pytest.raises(MissingValues, match="4 with a missing target"):
                sy.evaluate(data, target="truth", score="score", positive="")
        else:
            assert sy.evaluate(data, target="truth", score="score", positive="").levels == ("", "x")


def test_columns_that_differ_in_case_only() -> None:
    frame = pd.DataFrame({"p": SCORE, "P": SCORE[::-1], "y": TRUTH})
    plain = sy.evaluate(target=TRUTH, score=SCORE[::-1])
    assert sy.evaluate(frame, target="y", score="P") == plain
    assert sy.evaluate(pl.DataFrame(frame).lazy(), target="y", score="P") == plain


def test_columns_that_are_numbered() -> None:
    assert sy.evaluate(pd.DataFrame({0: TRUTH, 1: SCORE}), target=0, score=1) == sy.evaluate(target=TRUTH, score=SCORE)
