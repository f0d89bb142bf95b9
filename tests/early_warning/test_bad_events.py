"""Bad input gets a sentence, the same from arrays and from the engine."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from steelyard import errors
from steelyard.early_warning.timeliness import timeliness

GOOD: dict[str, Any] = {
    "who": [1, 1, 2, 3],
    "day": [0.0, 5.0, 2.0, 3.0],
    "p": [0.5, 0.9, 0.1, 0.2],
    "left": [1.0, 1.0, 0.0, 0.0],
    "worth": [5.0, 5.0, 1.0, 2.0],
    "when": [9.0, 9.0, np.nan, np.nan],
}
NAMES = {
    "unit": "who",
    "time": "day",
    "score": "p",
    "outcome": "left",
    "horizon": 10,
    "value": "worth",
    "outcome_time": "when",
}
CASES = [
    ({"day": [0, 5, 2, 11.5]}, errors.InputError, "from 0 to the horizon, 10, and in 1 row"),
    ({"day": [0, 5, -1, 3]}, errors.InputError, "one such value is -1"),
    ({"p": [0.5, 1.5, 0.1, 0.2]}, errors.InputError, "score must be from 0 to 1"),
    ({"p": [1.5, 0.1, 0.1, 0.2], "day": [5.0, 5.0, 2.0, 3.0]}, errors.InputError, "score must be from 0 to 1"),
    ({"p": [0.5, np.nan, 0.1, 0.2]}, errors.MissingValues, "1 row has no score"),
    ({"day": [0.0, np.nan, 2.0, np.nan]}, errors.MissingValues, "2 rows have no time"),
    ({"left": [1.0, 0.0, 0.0, 0.0]}, errors.BadLevels, '1 customer has more than one outcome in the column "left"'),
    ({"worth": [5.0, 6.0, 1.0, 2.0]}, errors.BadLevels, "more than one value"),
    ({"when": [9.0, 8.0, np.nan, np.nan]}, errors.BadLevels, "more than one outcome time"),
    ({"left": [1.0, 1.0, 0.0, np.nan]}, errors.MissingValues, "no outcome"),
    ({"left": [2.0, 2.0, 0.0, 0.0]}, errors.BadLevels, "must be 0 or 1"),
    ({"left": [0.0, 0.0, 0.0, 0.0]}, errors.BadLevels, "nothing to warn of"),
    ({"left": [1.0, 1.0, 1.0, 1.0], "when": [9.0] * 4}, errors.BadLevels, "All 3 customers have the outcome"),
    ({"left": ["y", "y", "n", "n"]}, errors.BadLevels, "never guessed"),
    ({"worth": [-5.0, -5.0, 1.0, 2.0]}, errors.InputError, "value must be from 0"),
    ({"worth": [np.nan, np.nan, 1.0, 2.0]}, errors.MissingValues, "no value"),
    ({"when": [np.nan, np.nan, np.nan, np.nan]}, errors.MissingValues, "no outcome time"),
    ({"when": [19.0, 19.0, np.nan, np.nan]}, errors.InputError, "outcome time must be from 0"),
    ({"p": ["a", "b", "c", "d"]}, errors.NotNumeric, "p"),
]


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize(("change", "kind", "words"), CASES)
def test_bad_rows_are_told(engine: str, change: dict[str, Any], kind: type[Exception], words: str) -> None:
    table = {k: np.asarray(v) for k, v in (GOOD | change).items()}
    data = table if engine == "arrays" else duckdb.connect().from_arrow(pa.table(table))
    with pytest.raises(kind) as found:
        timeliness(data, **NAMES)
    assert words in found.value.message
    assert found.value.hint.endswith((".", "..."))


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_missing_rows_are_left_out_when_asked_and_counted(engine: str) -> None:
    table = {k: np.asarray(v, dtype=float) for k, v in GOOD.items()}
    more = {"who": [3.0, 2.0], "day": [1.0, np.nan], "p": [np.nan, 0.7], "left": [0.0, 0.0], "worth": [2.0, 1.0]}
    both = {k: np.append(v, more.get(k, [np.nan, np.nan])) for k, v in table.items()}
    wrap = (lambda t: t) if engine == "arrays" else (lambda t: duckdb.connect().from_arrow(pa.table(t)))
    t = timeliness(wrap(both), **NAMES, missing="drop")
    assert t.summary == timeliness(wrap(table), **NAMES).summary
    assert dict(t.dropped) == {"missing time": 1, "missing score": 1}
    assert "1 row was left out: missing score" in str(t)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"horizon": 0}, errors.UsageError, "must be a number above 0"),
        ({"horizon": -3}, errors.UsageError, "above 0"),
        ({"horizon": "month"}, errors.UsageError, "number or a length of time"),
        ({"kernel": "steep"}, errors.UsageError, 'no kernel "steep"'),
        ({"estimator": "guess"}, errors.UsageError, "no estimator"),
        ({"ends": [5, 10]}, errors.UsageError, "exact integral has no use"),
        ({"estimator": "period ends"}, errors.UsageError, "must rise"),
        ({"estimator": "period ends", "ends": [5, 4, 10]}, errors.UsageError, "must rise"),
        ({"estimator": "period ends", "ends": [5, 9]}, errors.UsageError, "must rise"),
        ({"before": 2}, errors.UsageError, "before the first event"),
        ({"before": "mean"}, errors.UsageError, "before the first event"),
        ({"confidence": 95}, errors.UsageError, "confidence"),
        ({"missing": "skip"}, errors.UsageError, "missing="),
        ({"score": "q"}, errors.UnknownColumn, '"q" for the score'),
        ({"outcome": "stay"}, errors.UnknownColumn, '"stay" for the outcome'),
        ({"positive": 7}, errors.BadLevels, "the outcome 7"),
    ],
)
def test_bad_arguments_are_told(options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        timeliness({k: np.asarray(v) for k, v in GOOD.items()}, **NAMES | options)


def test_customers_without_outcome_and_tables_that_do_not_meet() -> None:
    events = {k: np.asarray(GOOD[k]) for k in ("who", "day", "p")}
    told = {"who": np.array([1, 2]), "left": np.array([1, 0])}
    names = {k: v for k, v in NAMES.items() if k not in {"value", "outcome_time"}}
    for data in (events, duckdb.connect().from_arrow(pa.table(events))):
        with pytest.raises(errors.BadLevels, match="1 customer has events but no outcome"):
            timeliness(data, outcomes=told, **names)
    with pytest.raises(errors.UsageError, match="text in one table"):
        timeliness(events, outcomes={"who": ["1", "2", "3"], "left": [1, 0, 0]}, **names)
    with pytest.raises(errors.UsageError, match="must be a table too"):
        timeliness(outcomes=told, **{**names, "unit": [1], "time": [0], "score": [1], "outcome": [1]})
    empty = {k: np.zeros(0) for k in ("who", "day", "p", "left")}
    for data in (empty, duckdb.connect().from_arrow(pa.table(empty))):
        with pytest.raises(errors.EmptyTable, match="no events"):
            timeliness(data, **names)
    with pytest.raises(errors.UnreadableSource):
        timeliness("nowhere.csv", **names)
