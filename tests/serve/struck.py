"""A service whose process ends without a word, at a point that is named or when it is killed; it tells what was acknowledged."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from steelyard.serve import counting, joining, taking, watching, writer
from steelyard.serve.incoming import Sending
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

from .asking import COLUMNS, CSV, DECLARED, JSON, LABELS, NDJSON, baseline, body_of, drawn

POINTS = (
    "begun",
    "job done",
    "keys written",
    "rows taken",
    "labels taken",
    "window counted",
    "parts joined",
    "before commit",
    "after commit",
)


def strike_at(point: str, times: int) -> None:
    """End the process at the nth time that it comes to a point."""
    left = [times]

    def passed(here: str) -> None:
        if here == point:
            left[0] -= 1
            if left[0] <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    for room in (writer, taking, counting, joining, watching):
        room.passed = passed  # type: ignore[attr-defined]


def single_events(service: Service, rows: pd.DataFrame) -> None:
    """Send rows one by one, without waiting in between; each is told as soon as it was acknowledged."""
    each = [body_of(rows.iloc[[i]][COLUMNS], NDJSON) for i in range(len(rows))]
    waiting = [service.take(Sending(what="predictions", model="churn", body=body, kind=JSON)) for body in each]
    for name, done in zip(rows["id"].tolist(), waiting, strict=True):
        done.result(timeout=60)
        print(json.dumps(["events", [name]]), flush=True)


def main(place: str, seed: int, point: str, times: int) -> None:
    """Send batches until struck; each is told on standard output once it was acknowledged."""
    service = Service(open_store(Path(place)), tokens=False)
    from steelyard.serve.declared import declaration_of

    service.declare("churn", declaration_of({**DECLARED}), baseline(), "test")
    print("ready", flush=True)
    joining.MANY = 3
    if point:
        strike_at(point, times)
    rng = np.random.default_rng(seed)
    for batch in range(1000):
        rows = drawn(seed * 1000 + batch, int(rng.integers(1, 40)), 3)
        for what, columns in (("predictions", COLUMNS), ("labels", LABELS)):
            if what == "predictions" and batch % 2:
                single_events(service, rows)
                continue
            sending = Sending(
                what=what, model="churn", body=body_of(rows[columns], CSV), kind=CSV, key=f"{batch} {what}"
            )  # type: ignore[arg-type]
            service.take(sending).result(timeout=60)
            print(json.dumps([what, rows["id"].tolist()]), flush=True)
        if batch % 5 == 4:
            with service.store.reading() as session:
                one = service.watcher.stream(session, "churn", None)
            service.watcher.count(one, now=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
