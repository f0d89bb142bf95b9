"""Trials on the rows of a model: each unit is in one arm, and `sy.trial` says the same of the units whose label is in."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy

from .asking import CSV, Asking, drawn

ROWS = drawn(8, 1_200, 12)
CALL = {"control": "left alone", "treated": "called", "direction": "lower", "ends": "2026-03-01"}
PICKED = (ROWS["p"] * 1e9).astype(int) % 2 == 0
"""By the last digits of the score: as good as by chance, and nothing is drawn."""
EXPOSED = pd.DataFrame({"id": ROWS["id"], "scored": ROWS["scored"], "arm": np.where(PICKED, "called", "left alone")})


def expose(ask: Asking, rows: pd.DataFrame, trial: str = "call", **query: str) -> Any:
    told = rows.assign(scored=[t.isoformat() for t in rows["scored"]]).to_csv(index=False).encode()
    return ask.post(told, "exposures", CSV, trial=trial, **query)


@pytest.fixture
def tried(ask: Asking) -> Asking:
    """A model with a trial that runs."""
    ask.clock.now = ask.clock.now.replace(month=2, day=20)
    ask.declare(trials={"call": CALL}, horizon="3 days")
    return ask


def test_a_trial_says_what_the_library_says_of_its_units(tried: Asking) -> None:
    told = ROWS.assign(y=np.where(PICKED & (np.arange(len(ROWS)) % 2 == 0), 0, ROWS["y"]))
    for some in (EXPOSED[600:], EXPOSED[:800]):
        assert expose(tried, some).status_code == 200
    assert expose(tried, EXPOSED[:5]).json()["duplicates"] == 5
    tried.send(told, "labels")
    tried.send(told[:100], "labels")
    found = tried.get("trials/call").json()
    assert (found["exposed"], found["over"]) == (EXPOSED["arm"].value_counts().to_dict(), False)
    assert 0 < found["days_to_go"] < 10
    columns = {
        "arm": list(EXPOSED["arm"]),
        "outcome": list(told["y"]),
        "day": [f"{t:%Y-%m-%d}" for t in ROWS["scored"]],
    }
    library = sy.trial(columns, group="arm", control="left alone", treated="called", outcome="outcome", period="day",
                       analysis="unit", planned={"left alone": 0.5, "called": 0.5}, positive=1)  # fmt: skip
    theirs = json.loads(json.dumps(library.to_dict()))
    assert_near(found["result"], theirs)
    assert tried.get("trials").json()["trials"][0]["exposed"] == found["exposed"]


def assert_near(mine: Any, theirs: Any) -> None:
    """The same, numbers to rounding: rows of a day came in another order."""
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys()
        mine, theirs = list(mine.values()), [theirs[k] for k in mine]
    if isinstance(mine, list):
        for a, b in zip(mine, theirs, strict=True):
            assert_near(a, b)
    else:
        assert mine == (pytest.approx(theirs, rel=1e-12, abs=1e-12) if isinstance(theirs, float) else theirs)


def test_nobody_changes_arms_and_what_is_not_declared_is_refused(tried: Asking) -> None:
    assert expose(tried, EXPOSED[:10]).json()["accepted"] == 10
    other = EXPOSED[:12].assign(arm=["called" if a == "left alone" else "left alone" for a in EXPOSED["arm"][:12]])
    answer = expose(tried, other)
    assert (answer.status_code, len(answer.json()["errors"])) == (409, 10)
    assert expose(tried, other, mode="partial").json()["accepted"] == 2
    assert expose(tried, EXPOSED[:3], "other").status_code == 404
    assert expose(tried, EXPOSED[:3].assign(arm="third")).json()["errors"][0]["code"] == "arm"
    assert tried.get("trials/other").status_code == 404
    said = {"control": "a", "treated": "a"}
    for wrong in (said, {**said, "treated": "b", "share": 2}, {**said, "treated": "b", "ends": "soon"}):
        body = {"declared": {"time": "scored", "trials": {"x": wrong}}}
        assert tried.client.put("/v1/models/other", json=body).status_code == 422


def test_until_labels_are_in_a_trial_says_why_it_says_nothing(tried: Asking) -> None:
    assert tried.get("trials/call").json()["why"] == "Nobody was exposed yet."
    expose(tried, EXPOSED[:200])
    assert "Too few labels" in tried.get("trials/call").json()["why"]
    mostly = EXPOSED.assign(id=EXPOSED["id"] + "x", arm="called")
    expose(tried, mostly)
    assert "may not be compared" in tried.get("trials/call").json()["why"]


def test_exposures_are_erased_and_go_some_time_after_the_end(tried: Asking) -> None:
    expose(tried, EXPOSED)
    tried.send(ROWS, "labels")
    gone = tried.client.post("/v1/models/churn/erasures", json={"ids": [EXPOSED["id"][0]]}).json()
    assert gone["exposures"] == 1
    tried.passes(60)
    tried.service.tick()
    assert sum(tried.get("trials/call").json()["labelled"].values()) == len(ROWS) - 1
    tried.passes(80)
    tried.service.tick()
    assert tried.get("trials/call").json()["why"] == "Nobody was exposed yet."
