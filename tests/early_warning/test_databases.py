"""Timeliness where the events live: PostgreSQL and Spark give what arrays give."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pytest

from steelyard.early_warning.timeliness import timeliness
from steelyard.errors import BadLevels, NotNumeric, SteelyardError

from ..servers.postgres import Postgres
from .events_at_random import HORIZON, draw

NAMES = {"unit": "who", "time": "day", "score": "p", "outcome": "left", "horizon": HORIZON, "value": "worth"}
DRAWN = draw(np.random.default_rng(33), 150)
WHO = DRAWN["events"]["who"]
JOINED = DRAWN["events"] | {k: DRAWN["told"][k][WHO] for k in ("left", "worth", "when")}
WORDS = JOINED | {"who": np.array([f"Zoë {i}" for i in WHO]), "left": np.where(JOINED["left"] == 1, "gone", "here")}


def _arrow(columns: dict[str, Any]) -> pa.Table:
    """NaN is how NumPy says that the outcome never came; a database has nothing there."""
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def _alike(found: Any, wanted: Any) -> None:
    """Counts exactly, sums to 1e-12, and the same text."""
    a, b = found.summary, wanted.summary
    assert (a.customers, a.positives, a.events, a.duplicates, a.silent) == (
        (b.customers, b.positives, b.events, b.duplicates, b.silent)
    )
    np.testing.assert_allclose(a.table, b.table, rtol=1e-12, atol=1e-12)
    assert str(found) == str(wanted)


def _asked(events: Any, told: Any, words: Any) -> None:
    """One after the other: events with all facts, with a table of outcomes there or here, units of text."""
    options = NAMES | {"outcome_time": "when"}
    wanted = timeliness(DRAWN["events"], outcomes=DRAWN["told"], **options)
    found = timeliness(events, outcomes=told, **options)
    _alike(found, wanted)
    assert found.summary.silent > 0
    _alike(timeliness(events, outcomes=DRAWN["told"], **options), wanted)
    for alarm in ({"threshold": 0.4, "quiet": 4.0}, {"budget": 3.0}):
        assert found.alerts(**alarm).to_dict() == wanted.alerts(**alarm).to_dict()
    moments = np.linspace(0, HORIZON, 5)
    sums = [t.l_quality(moments).total for t in (found, wanted)]
    assert sums[0].value == pytest.approx(sums[1].value, rel=1e-12)
    positive = {k: v for k, v in NAMES.items() if k != "value"} | {"positive": "gone"}
    _alike(timeliness(words, **positive), timeliness(WORDS, **positive))
    for options in ({"kernel": "uniform"}, {"estimator": "period ends", "ends": [7.0, 19.0, 31.0]}):
        _alike(timeliness(words, **positive, **options), timeliness(WORDS, **positive, **options))
    with pytest.raises(BadLevels) as there:
        timeliness(words, **{k: v for k, v in NAMES.items() if k != "value"})
    with pytest.raises(BadLevels) as here:
        timeliness(WORDS, **{k: v for k, v in NAMES.items() if k != "value"})
    assert str(there.value) == str(here.value)
    with pytest.raises(NotNumeric, match='The column "left" holds text where the score must be a number'):
        timeliness(words, **positive | {"score": "left"})


@pytest.mark.xdist_group("postgres")
def test_postgresql(postgres: Postgres) -> None:
    places = []
    for name, columns in {"events of": DRAWN["events"], "told": DRAWN["told"], "words": WORDS}.items():
        postgres.load(f"{name} timeliness", _arrow(columns))
        places.append(f"{postgres.reader_uri}&table={quote(f'{name} timeliness')}")
    _asked(*places)


@pytest.mark.xdist_group("spark")
def test_spark_connect(spark_connect: Any) -> None:
    _asked(*(spark_connect.createDataFrame(_arrow(c)) for c in (DRAWN["events"], DRAWN["told"], WORDS)))


@pytest.mark.xdist_group("spark")
def test_spark(spark: Any) -> None:
    """The cluster, once: the queries are those of Connect."""
    frame = spark.createDataFrame(_arrow(JOINED)).repartition(5)
    _alike(timeliness(frame, **NAMES), timeliness(JOINED, **NAMES))


@pytest.mark.xdist_group("postgres")
def test_what_is_missing_is_told_alike(postgres: Postgres) -> None:
    """In the same words, and left out in the same numbers."""
    gone = {name: values.astype(object) for name, values in JOINED.items()}
    gone["day"][3], gone["p"][5], gone["p"][8], gone["who"][11] = None, None, float("nan"), None
    # A row with two gaps is left out once.
    gone["p"][3] = gone["day"][11] = None
    postgres.load("gaps", pa.table({n: pa.array(v.tolist(), _arrow(JOINED)[n].type) for n, v in gone.items()}))
    place = f"{postgres.reader_uri}&table=gaps"
    with pytest.raises(SteelyardError) as there:
        timeliness(place, **NAMES)
    with pytest.raises(SteelyardError) as here:
        timeliness(gone, **NAMES)
    assert str(there.value) == str(here.value)
    found, wanted = (timeliness(data, **NAMES, missing="drop") for data in (place, gone))
    assert dict(found.dropped) == dict(wanted.dropped)
    assert sum(found.dropped.values()) == 4
    _alike(found, wanted)
