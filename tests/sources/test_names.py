"""Names of classes and columns may hold anything: they change no result and reach no interpreter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute
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
SCORE = [0.9, 0.2, 0.4, 0.8, 0.6, 0.1, 0.7, 0.3]
ALL = list(NAMES.values())


@pytest.mark.parametrize("form", FORMS)
def test_names_of_classes(form: str, tmp_path: Path) -> None:
    truth = [i % len(ALL) for i in range(3 * len(ALL))]
    guess = [i * i % len(ALL) for i in range(3 * len(ALL))]
    scores = {f"p{k}": [float((7 * i + k) % 11) for i in truth] for k in range(len(ALL))}
    table = pa.table({"truth": [ALL[i] for i in truth], "guess": [ALL[i] for i in guess], **scores})
    data = FORMS[form](table, tmp_path)
    labels = sy.evaluate(data, target="truth", prediction="guess", unit="truth", segment="guess")
    plain = sy.evaluate(target=truth, prediction=guess)
    assert set(labels.levels) == set(ALL)
    assert set(labels.segments) == {ALL[i] for i in guess}
    for i, name in enumerate(ALL):
        assert labels["recall", name].value == plain["recall", i].value
    several = {name: f"p{k}" for k, name in enumerate(ALL[:4])}
    few = FORMS[form](table.filter(pa.compute.is_in(table["truth"], pa.array(ALL[:4]))), tmp_path)
    classes = sy.evaluate(few, target="truth", score=several)
    kept = [i for i in range(len(truth)) if truth[i] < 4]
    plain = sy.evaluate(
        target=[truth[i] for i in kept], score={k: [scores[f"p{k}"][i] for i in kept] for k in range(4)}
    )
    assert classes.levels == tuple(ALL[:4])
    for k, name in enumerate(ALL[:4]):
        assert classes["auc", name].value == plain["auc", k].value
    labels.save(tmp_path / "saved.json")
    assert sy.load(tmp_path / "saved.json") == labels


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["double quotes", "SQL", "newlines", "spaces", "true"])
def test_the_name_of_the_positive_class(name: str, form: str, tmp_path: Path) -> None:
    words = ["other", NAMES[name]]
    table = pa.table({"truth": [words[t] for t in TRUTH], "score": SCORE})
    found = sy.evaluate(FORMS[form](table, tmp_path), target="truth", score="score", positive=NAMES[name])
    plain = sy.evaluate(target=TRUTH, score=SCORE)
    assert found.scores is not None and plain.scores is not None
    assert found.scores.positives.tolist() == plain.scores.positives.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_names_of_columns(form: str, tmp_path: Path) -> None:
    parts = {"target": TRUTH, "weight": [1.0, 2.0] * 4, "unit": list("aabbccdd"), "segment": [0, 1] * 4}
    for name in ('"; drop table rows; --', "two\nlines"):
        renamed = {name + role: values for role, values in parts.items()}
        table = pa.table({**renamed, **{n: [s + i for s in SCORE] for i, n in enumerate(ALL)}})
        data = FORMS[form](table, tmp_path)
        roles = dict(zip(parts, renamed, strict=True))
        wanted = sy.evaluate(**parts, score=SCORE)
        assert sy.evaluate(data, **roles, score=ALL[0]) == wanted
    for i, name in enumerate(ALL):
        found = sy.evaluate(data, target=roles["target"], score=name)
        assert found == sy.evaluate(target=TRUTH, score=[s + i for s in SCORE]), name
    with pytest.raises(UnknownColumn) as told:
        sy.evaluate(data, **roles, score=f"{ALL[0]}?")
    assert told.value.message.endswith(".")
    assert told.value.hint.startswith("Did you mean")


def test_no_name_at_all(tmp_path: Path) -> None:
    """An empty name is a name wherever the table can hold one; Polars and DuckDB give the column another."""
    table = pa.table({"": TRUTH, "score": SCORE})
    plain = sy.evaluate(target=TRUTH, score=SCORE)
    for form in ("dictionary", "pandas", "arrow", "csv"):
        assert sy.evaluate(FORMS[form](table, tmp_path), target="", score="score") == plain, form
    for form in ("duckdb", "parquet", "polars"):
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
