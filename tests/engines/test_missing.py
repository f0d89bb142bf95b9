"""What is missing is told in the same words, and left out in the same numbers, whatever the rows come in."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import BadWeight, MissingValues

from .alike import alike
from .forms import FORMS, Col, Table, evaluate

N = 60
NAN, INF = math.nan, math.inf


def _with(values: list[Any], gaps: dict[int, Any]) -> list[Any]:
    return [gaps.get(i, v) for i, v in enumerate(values)]


def _table() -> Table:
    r = random.Random(7)
    truth = [i % 2 for i in range(N)]
    big = [2**60 + t for t in truth]
    word = [("no", "yes")[t] for t in truth]
    score = [round(r.random(), 3) for _ in range(N)]
    return {
        "truth": Col("int", _with(truth, {3: None, 4: None})),
        "float truth": Col("float", _with([float(t) for t in truth], {3: None, 4: NAN, 5: INF})),
        "bool truth": Col("bool", _with([bool(t) for t in truth], {3: None})),
        "big truth": Col("int", _with(big, {3: None})),
        "word": Col("text", _with(word, {3: None, 8: None, 9: None})),
        "kind": Col("category", _with([r.choice("abc") for _ in range(N)], {1: None})),
        "guess": Col("text", _with([r.choice("abc") for _ in range(N)], {1: None, 2: None})),
        "word guess": Col("category", _with([r.choice(("no", "yes")) for _ in range(N)], {8: None, 10: None})),
        "score": Col("float", _with(score, {4: None, 10: None, 11: NAN, 12: INF, 13: -INF, 14: -0.0, 15: 0.0})),
        "small score": Col("float32", _with([float(i % 8) / 8 for i in range(N)], {10: None, 11: NAN, 12: -INF})),
        "whole score": Col("int", _with([r.randrange(9) for _ in range(N)], {10: None})),
        "flag": Col("bool", _with([r.random() < 0.5 for _ in range(N)], {10: None, 11: None})),
        "p_a": Col("float", _with([r.random() for _ in range(N)], {20: None})),
        "p_b": Col("float", _with([r.random() for _ in range(N)], {21: NAN})),
        "p_c": Col("float", _with([r.random() for _ in range(N)], {20: INF, 22: INF})),
        "amount": Col("float", _with([r.gauss(5, 2) for _ in range(N)], {30: None, 31: NAN, 32: INF})),
        "forecast": Col("float", _with([r.gauss(5, 2) for _ in range(N)], {30: None, 33: None, 34: -INF})),
        "weight": Col("float", _with([r.random() + 0.1 for _ in range(N)], {40: None, 41: NAN, 42: INF})),
        "bad weight": Col("float", _with([r.random() + 0.1 for _ in range(N)], {40: None, 41: 0.0, 42: -1.0})),
        "customer": Col("int", _with([r.randrange(-9, 9) for _ in range(N)], {50: None})),
        "name": Col("text", _with([r.choice(("Ana", "Zoë", "李")) for _ in range(N)], {50: None, 51: None})),
        "account": Col("float", _with([float(r.randrange(9)) for _ in range(N)], {50: None, 51: NAN})),
        "region": Col("category", _with([r.choice(("north", "south")) for _ in range(N)], {52: None})),
        "band": Col("float", _with([r.choice((1.0, 2.5)) for _ in range(N)], {53: None, 54: NAN})),
        "copies": Col("float", _with([float(r.randrange(1, 5)) for _ in range(N)], {40: None, 41: NAN, 42: INF})),
    }


TABLE = _table()
SCORES = {"target": "truth", "score": "score"}
CASES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "scores": (SCORES, {"a missing target": 2, "a missing (or NaN) score": 2, "an infinite value": 2}),
    "floats as truth": ({**SCORES, "target": "float truth"}, {"a missing target": 3}),
    "booleans as truth": ({**SCORES, "target": "bool truth"}, {"a missing target": 1}),
    "large numbers as truth": ({**SCORES, "target": "big truth", "positive": 2**60}, {"a missing target": 1}),
    "words as truth": ({**SCORES, "target": "word", "positive": "yes"}, {"a missing target": 3}),
    "32 bits": ({**SCORES, "score": "small score"}, {"an infinite value": 1}),
    "whole numbers as score": ({**SCORES, "score": "whole score"}, {"a missing (or NaN) score": 1}),
    "booleans as score": ({**SCORES, "score": "flag"}, {"a missing (or NaN) score": 2}),
    "labels": ({"target": "kind", "prediction": "guess"}, {"a missing target": 1, "a missing prediction": 1}),
    "two labels": ({"target": "word", "prediction": "word guess", "positive": "yes"}, {"a missing prediction": 1}),
    "numbers": (
        {"target": "amount", "prediction": "forecast"},
        {"a missing target": 2, "a missing prediction": 1, "an infinite value": 2},
    ),
    "weights": ({**SCORES, "weight": "weight"}, {"a missing or infinite weight": 3}),
    "copies": ({**SCORES, "weight": "copies", "weights": "frequency"}, {"a missing or infinite weight": 3}),
    "units": ({**SCORES, "unit": "customer"}, {"a missing unit": 1}),
    "named units": ({**SCORES, "unit": "name"}, {"a missing unit": 2}),
    "units as floats": ({**SCORES, "unit": "account"}, {"a missing unit": 2}),
    "segments": ({**SCORES, "segment": "region"}, {}),
    "segments as floats": ({**SCORES, "segment": "band"}, {}),
    "labels by unit": (
        {"target": "kind", "prediction": "guess", "unit": "name", "segment": "band"},
        {"a missing unit": 2},
    ),
    "numbers by unit": ({"target": "amount", "prediction": "forecast", "unit": "name"}, {"a missing unit": 2}),
}
OPTIONS = ("positive", "weights")


def _zero_weights() -> tuple[Table, Table]:
    """A table in which every third row has a weight of zero and values that would be seen anywhere, and one without these."""
    r = random.Random(8)
    nothing = [i % 3 == 1 for i in range(N + N // 2)]
    kept = [i for i, none in enumerate(nothing) if not none]

    def column(kind: str, value: Any, odd: Any) -> Col:
        return Col(kind, [odd if none else value(i) for i, none in enumerate(nothing)])

    full = {
        "truth": column("int", lambda i: i // 3 % 2, 7),
        "score": column("float", lambda i: r.random(), None),
        "kind": column("text", lambda i: r.choice("abc"), "odd"),
        "guess": column("text", lambda i: r.choice("abc"), None),
        "amount": column("float", lambda i: r.gauss(5, 2), 1e9),
        "forecast": column("float", lambda i: r.gauss(5, 2), -1e9),
        "name": column("text", lambda i: r.choice(("Ana", "Zoë", "李")), "nobody"),
        "region": column("category", lambda i: r.choice(("north", "south")), "nowhere"),
        "weight": column("float", lambda i: r.random() + 0.1, 0.0),
    }
    return full, {k: Col(c.kind, [c.values[i] for i in kept]) for k, c in full.items()}


WITH_ZEROS, WITHOUT = _zero_weights()
ZERO_WEIGHTS: list[dict[str, Any]] = [
    {**SCORES, "weight": "weight", "segment": "region"},
    {"target": "kind", "prediction": "guess", "weight": "weight", "unit": "name"},
    {"target": "amount", "prediction": "forecast", "weight": "weight", "unit": "name", "segment": "region"},
    {"target": "amount", "prediction": "forecast", "weight": "weight", "unit": "name"},
]


def _ask(form: str, folder: Path, call: dict[str, Any], missing: str) -> sy.Evaluation:
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    return evaluate(form, TABLE, folder, roles, missing=missing, **{k: v for k, v in call.items() if k in OPTIONS})


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_dropped_rows_are_counted_alike(form: str, case: str, tmp_path: Path) -> None:
    call, some = CASES[case]
    found = _ask(form, tmp_path, call, "drop")
    assert some.items() <= found.facts["dropped"].items()
    assert found.rows == N - sum(found.facts["dropped"].values())
    alike(found, _dropped(case))


@cache
def _dropped(case: str) -> sy.Evaluation:
    return _ask("lists", Path(), CASES[case][0], "drop")


@cache
def _refusal(case: str) -> str:
    with pytest.raises(MissingValues) as problem:
        _ask("lists", Path(), CASES[case][0], "refuse")
    return str(problem.value)


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_refused_in_the_same_words(form: str, tmp_path: Path) -> None:
    for case, (call, some) in CASES.items():
        with pytest.raises(MissingValues) as found:
            _ask(form, tmp_path, call, "refuse")
        assert str(found.value) == _refusal(case)
        for words, n in some.items():
            assert f"{n} with {words}" in found.value.message


@pytest.mark.parametrize("missing", ["drop", "refuse"])
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_a_negative_weight_is_refused_either_way(form: str, missing: str, tmp_path: Path) -> None:
    with pytest.raises(BadWeight, match="Of 59 rows, 1 has a negative weight"):
        _ask(form, tmp_path, {**SCORES, "weight": "bad weight"}, missing)


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_rows_of_weight_zero_count_as_nothing(form: str, tmp_path: Path) -> None:
    """Nor do they move the point about which powers are summed, and what is missing in them is nothing that is missing."""
    for call in ZERO_WEIGHTS:
        wanted = evaluate("lists", WITHOUT, tmp_path, call)
        found = evaluate(form, WITH_ZEROS, tmp_path, call)
        assert found.rows == wanted.rows == N and not found.facts["dropped"]
        alike(found, wanted)


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_scores_for_each_class(form: str, tmp_path: Path) -> None:
    call = {"target": "kind", "score": {"a": "p_a", "b": "p_b", "c": "p_c"}}
    found = _ask(form, tmp_path, call, "drop")
    assert found.facts["dropped"] == {"a missing target": 1, "a missing (or NaN) score": 2, "an infinite value": 1}
    assert found.class_scores is not None
    assert {t.rows for t in found.class_scores.tables} == {found.rows} == {N - 4}
    alike(found, _ask("lists", tmp_path, call, "drop"))


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_segments_without_a_name(form: str, tmp_path: Path) -> None:
    assert list(_ask(form, tmp_path, CASES["segments"][0], "drop").segments) == ["(missing)", "north", "south"]
    assert list(_ask(form, tmp_path, CASES["segments as floats"][0], "drop").segments) == ["(missing)", "1", "2.5"]


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_a_column_with_no_value_at_all(form: str, tmp_path: Path) -> None:
    table = {"truth": Col("int", [0, 1, 0]), "score": Col("float", [None] * 3), "word": Col("text", [None] * 3)}
    for score in ("score", "word"):
        with pytest.raises(MissingValues, match="Of 3 rows, some cannot be used: 3 with a missing"):
            evaluate(form, table, tmp_path, {"target": "truth", "score": score})
    with pytest.raises(MissingValues, match="3 with a missing target"):
        evaluate(form, table, tmp_path, {"target": "word", "score": "truth"})


@pytest.mark.parametrize("where", ["scores", "truth", "weight", "numbers"])
def test_nan_in_a_file_that_does_not_tell(where: str, tmp_path: Path) -> None:
    """The least and greatest value that a Parquet file states leave out NaN; whoever trusts them misses it."""
    names = {
        "scores": ("truth", "score"),
        "truth": ("score", "truth"),
        "weight": ("truth", "weight"),
        "numbers": ("p", "q"),
    }
    for values in ([NAN, 0.5, 0.25], [0.5, NAN], [NAN, NAN, 1.0], [0.5, 0.5, NAN], [NAN] * 3, [0.0, 1.0, NAN, -3.0]):
        first, second = names[where]
        if where == "weight" and -3.0 in values:
            continue
        table = {first: [float(i % 2) for i in range(len(values))], second: values}
        if where == "weight":
            table["score"] = table["truth"]
        pq.write_table(pa.table(table), tmp_path / "rows.parquet")
        roles = (
            {name: name for name in table}
            if where != "numbers"
            else {"target": "p", "prediction": "q", "kind": "continuous"}
        )
        roles = {"target" if role == "truth" else role: name for role, name in roles.items()}
        gone = sum(math.isnan(v) for v in values)
        with pytest.raises(MissingValues, match=f"Of {len(values)} rows, some cannot be used: {gone} with a missing"):
            sy.evaluate(tmp_path / "rows.parquet", **roles)
        with pytest.raises(MissingValues, match=f"Of {len(values)} rows, some cannot be used: {gone} with a missing"):
            sy.evaluate(duckdb.read_parquet(str(tmp_path / "rows.parquet")), **roles)


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_a_prediction_beside_the_score(form: str, tmp_path: Path) -> None:
    """A row without the one counts for neither."""
    call = {"target": "word", "score": "small score", "prediction": "word guess", "positive": "yes", "unit": "name"}
    found = _ask(form, tmp_path, call, "drop")
    assert found.scores is not None
    assert found.confusion is not None
    assert found.scores.rows == found.confusion.rows == N - sum(found.facts["dropped"].values())
    assert found.facts["dropped"]["a missing prediction"] == 1
    alike(found, _ask("lists", tmp_path, call, "drop"))


@pytest.mark.parametrize("column", ["y", "p"])
def test_a_decimal_that_is_no_number_is_missing_in_a_table_of_pandas(column: str) -> None:
    """Pandas itself cannot be asked whether it is."""
    table = pd.DataFrame({"y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.2, 0.8]}).astype({column: object})
    table.loc[1, column] = Decimal("sNaN")
    with pytest.raises(MissingValues, match="1 with a missing"):
        sy.evaluate(table, target="y", score="p")
