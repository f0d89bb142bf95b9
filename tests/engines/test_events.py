"""The same questions to events in memory and in a database: sums, customers, scores in force, alerts."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from steelyard.engines.event_sql import EVENT, EventQuery
from steelyard.engines.event_tables import EventTable
from steelyard.engines.events import EventArrays
from steelyard.engines.weighing import Weighing
from steelyard.sources.recognise import open_table

HORIZON = 10.0
WHO = [0, 0, 0, 1, 1, 2, 3, 3]
TIME = [0.0, 4.0, 4.0, 2.0, 9.0, 10.0, 1.0, 6.0]
SCORE = [0.1, 0.8, 0.6, 0.3, 0.9, 0.4, 0.2, 0.05]
OUTCOME, VALUE, CAME = [1.0, 1.0, 0.0, 0.0], [5.0, 1.0, 2.0, 0.5], [8.0, 9.5, np.nan, np.nan]
WEIGHINGS = [Weighing(HORIZON), Weighing(HORIZON, "uniform"), Weighing(HORIZON, ends=(2.0, 5.0, 10.0))]


def _table(*, timed: bool = True, **changed: Any) -> EventTable:
    facts = (
        {"outcome": OUTCOME, "value": VALUE, "outcome_time": CAME} if timed else {"outcome": OUTCOME, "value": VALUE}
    )
    columns = {"unit": WHO, "time": TIME, "score": SCORE} | {k: np.array(v)[WHO].tolist() for k, v in facts.items()}
    told = pa.table({k: pa.array(v, from_pandas=True) for k, v in {**columns, **changed}.items()})
    table = open_table(duckdb.connect().from_arrow(told))
    assert table is not None
    rows = table.extended({"kind": str(EVENT)})
    return EventTable(rows, EventQuery(HORIZON, rows, valued=True, timed=timed))


def _arrays() -> EventArrays:
    who, time, score = np.array(WHO), np.array(TIME), np.array(SCORE)
    return EventArrays(who, time, score, np.arange(4), np.array(OUTCOME), np.array(VALUE), np.array(CAME), HORIZON)


@pytest.mark.parametrize("weighing", WEIGHINGS, ids=lambda w: f"{w.kernel} {w.estimator}")
def test_sums_and_customers(weighing: Weighing) -> None:
    mine, theirs = _arrays(), _table()
    a, b = mine.sums(weighing), theirs.sums(weighing)
    assert np.allclose(a.table, b.table, rtol=1e-12, atol=1e-12)
    assert (a.events, a.duplicates, a.silent, a.strays) == (b.events, b.duplicates, b.silent, b.strays) == (8, 1, 0, 0)
    one, two = mine.customers(weighing), theirs.customers(weighing)
    for name in ("unit", "outcome", "value", "scored", "before"):
        assert np.allclose(getattr(one, name), getattr(two, name), rtol=1e-12, atol=1e-12), name


def test_scores_in_force() -> None:
    moments = np.array([0.0, 2.0, 4.0, 10.0])
    (y, scores), (w, others) = _arrays().in_force(moments), _table().in_force(moments)
    assert np.array_equal(y, w)
    assert np.allclose(scores, others, equal_nan=True)
    assert scores[0].tolist() == pytest.approx([0.1, 0.1, 0.7, 0.7])
    mine, theirs = _arrays().in_force_by_class(moments, 0.5), _table().in_force_by_class(moments, 0.5)
    assert all(np.allclose(mine[level], theirs[level]) for level in (0, 1))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 2.0])
def test_alerts(threshold: float) -> None:
    mine, theirs = _arrays().alerts(threshold), _table().alerts(threshold)
    for name in ("time", "score", "outcome", "value", "until"):
        assert np.allclose(getattr(mine, name), getattr(theirs, name)), name
    found = _table().least_score_of(len(mine.score))
    assert found is None if not len(mine.score) else found is not None and found <= mine.score.min()


def test_what_is_wrong_is_counted_and_left_out() -> None:
    bad = _table(timed=False, time=[None, -1.0, *TIME[2:]], score=[None, 0.1, 0.5, 7.0, *SCORE[4:]])
    assert bad.problems() == {
        "missing time": (1, pytest.approx(np.nan, nan_ok=True)),
        "missing score": (1, pytest.approx(np.nan, nan_ok=True)),
        "time": (1, -1.0),
        "score": (1, 7.0),
    }
    rest, gaps = bad.without_gaps()
    assert gaps == {"missing time": 1}
    within, outside = rest.within_period()
    assert outside == 1
    assert set(within.problems()) == {"score"}
    assert _table().within_period()[1] == 0
    assert _table().problems() == _table().without_gaps()[1] == {}
