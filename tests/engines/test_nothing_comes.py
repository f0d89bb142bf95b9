"""What a server sends for a trial is sums, counted as they arrive; models there are compared as they are here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.sources import bringing, fetching

N = 12_000


@pytest.mark.xdist_group("postgres")
def test_a_server_sends_sums(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg
    import pyarrow as pa

    rng = np.random.default_rng(12)
    who = rng.integers(0, 4000, N)
    x = rng.normal(size=N)
    frame = pd.DataFrame(
        {"who": who, "arm": who % 2, "week": rng.integers(0, 8, N), "bought": (rng.random(N) < 0.2).astype(int)}
    )
    frame = frame.assign(y=(rng.random(N) < 1 / (1 + np.exp(-x))).astype(int))
    frame = frame.assign(
        **{m: 1 / (1 + np.exp(-x - k * rng.normal(size=N))) for m, k in (("good", 1.0), ("poor", 1.5))}
    )
    postgres.load("rows_that_stay", pa.Table.from_pandas(frame, preserve_index=False))
    address = f"{postgres.tcp_uri}?table=rows_that_stay"
    sent: list[int] = []
    plain = psycopg.Cursor.fetchall

    def counted(self: Any) -> Any:
        found = plain(self)
        sent.append(len(found))
        return found

    monkeypatch.setattr(psycopg.Cursor, "fetchall", counted)
    call: dict[str, Any] = {"group": "arm", "control": 0, "outcome": "bought", "unit": "who", "period": "week"}
    found = sy.trial(address, **call).effect.value
    assert sum(sent) < N / 20, "cells of units, and no row"
    assert found == pytest.approx(sy.trial(frame, **call).effect.value)
    monkeypatch.setattr(bringing, "MANY", 100)
    monkeypatch.setattr(fetching, "MOST_ALIKE", 100)
    call = {"target": "y", "score": {"good": "good", "poor": "poor"}, "measures": ["auc", "accuracy"]}
    for more in ({}, {"unit": "who"}):
        there, here = sy.compare(address, **call, **more), sy.compare(frame, **call, **more)
        for name in call["measures"]:
            a, b = (c.difference(name, "good", "poor") for c in (there, here))
            assert a.value == pytest.approx(b.value, abs=2e-5)
            assert (a.high - a.low) / (b.high - b.low) == pytest.approx(1, abs=0.15), (name, more)
