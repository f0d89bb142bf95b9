"""Whatever order events come in, however often and in which batches, windows and alarms are those of the library on the rows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy

from .asking import CSV, JSON, NDJSON, Asking, asking, baseline, drawn

ROWS = drawn(11, 120, 4)
CORRECTED = ROWS.sample(30, random_state=3).assign(
    y=lambda r: 1 - r["y"], known=lambda r: r["known"] + pd.Timedelta("1D")
)
LAST = pd.concat([ROWS[~ROWS["id"].isin(CORRECTED["id"])], CORRECTED])
EVENTS = [("predictions", i) for i in range(len(ROWS))] + [("labels", i) for i in range(len(ROWS) + len(CORRECTED))]
TOLD = pd.concat([ROWS, CORRECTED], ignore_index=True)
PLACE = Path(tempfile.mkdtemp(prefix="steelyard-law-"))


def expected(rows: pd.DataFrame) -> dict[str, object]:
    counted = sy.windows(rows, time="scored", baseline=baseline(), label_time="known")
    return {w.name: json.loads(json.dumps(w.summary.to_dict())) for w in counted}


@st.composite
def logs(draw: st.DrawFn) -> list[tuple[str, list[int], str]]:
    """Every event at least once, some again, in any order and in batches of any size and form."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    again = [EVENTS[i] for i in rng.integers(0, len(EVENTS), draw(st.integers(0, 200)))]
    order = [(*EVENTS, *again)[i] for i in rng.permutation(len(EVENTS) + len(again))]
    most = draw(st.sampled_from([1, 7, 60, 500])) if draw(st.booleans()) else 60
    most = max(most, 7)
    out: list[tuple[str, list[int], str]] = []
    while order:
        size = int(rng.integers(1, most + 1))
        batch, order = order[:size], order[size:]
        for what in ("predictions", "labels"):
            if rows := [i for kind, i in batch if kind == what]:
                out.append((what, rows, str(rng.choice([CSV, JSON, NDJSON]))))
    return out


@settings(max_examples=6)
@given(log=logs())
def test_windows_do_not_depend_on_how_events_came(log: list[tuple[str, list[int], str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, asking(Path(folder) / "s.db") as ask:
        ask.declare()
        for i, (what, rows, kind) in enumerate(log):
            source = ROWS if what == "predictions" else TOLD
            answer = ask.send(source.iloc[rows], what, kind)
            assert answer.status_code == 200, answer.text
            if i % 17 == 0:
                ask.get("windows")  # counted in between as well
        assert ask.summaries() == expected(LAST)
        told = sy.monitor(LAST, time="scored", target="y", score="p", label_time="known", features=["age", "region"],
                          reference=baseline(), now="2026-04-01")  # fmt: skip
        assert ask.get("monitor").json() == json.loads(json.dumps(told.to_dict()))


def test_singles_that_come_at_once_are_as_those_of_a_batch(ask: Asking) -> None:
    from steelyard.serve.incoming import Sending

    from .asking import COLUMNS, body_of

    done = []
    for i in [*range(len(ROWS)), *range(0, len(ROWS), 3)]:
        body = body_of(ROWS.iloc[[i]][COLUMNS], JSON)
        done.append(ask.service.take(Sending(what="predictions", model="churn", body=body, kind=JSON)))
    told = [json.loads(f.result(timeout=60)[1]) for f in done]
    assert sum(t["accepted"] for t in told) == len(ROWS)
    assert sum(t["duplicates"] for t in told) == len(range(0, len(ROWS), 3))
    ask.send(TOLD, "labels")
    assert ask.summaries() == expected(LAST)
