"""Models that are made up, each in another state, so that a service can be tried before anything is sent to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.files.as_csv import as_csv
from steelyard.monitors.monitor import monitor
from steelyard.serve.declared import declaration_of
from steelyard.serve.incoming import Sending
from steelyard.serve.service import Service

Numbers = npt.NDArray[Any]
Columns = dict[str, Numbers]
Drawing = Callable[[np.random.Generator, Numbers], Columns]
"""Rows by how many windows before the end of all of them each was scored."""
LENGTHS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True)
class InventedModel:
    """What is declared of a model, and what draws its rows."""

    name: str
    said: Mapping[str, Any]
    draw: Drawing
    windows: int
    rows: int
    """Of each window."""
    roles: Mapping[str, str] = field(default_factory=lambda: {"target": "y", "score": "p"})
    features: tuple[str, ...] = ()
    late: tuple[float, float] = (1.0, 10.0)
    """Days after which labels are known, at least and at most."""
    stopped: float = 0.0
    """Windows before the end at which rows stopped coming."""
    challenger: Drawing | None = None
    """Rows of a second version, drawn alike."""
    tried: float = 0.0
    """Windows before the end since which half of the rows are in a trial."""

    @property
    def window(self) -> timedelta:
        """How long a window is."""
        return LENGTHS[str(self.said["window"])]


def _chance(numbers: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-numbers))


def _churn(rng: np.random.Generator, before: Numbers) -> Columns:
    """Customers became younger, and of the young the model knows little."""
    n = len(before)
    young = before < 12
    age = np.where(young & (rng.random(n) < 0.5), rng.normal(26, 4, n), rng.normal(46, 11, n)).clip(18, 90).round()
    tenure = rng.exponential(40, n).round()
    plan = rng.choice(["basic", "family", "pro"], n, p=[0.5, 0.3, 0.2])
    known = 1.5 * rng.normal(size=n)
    risk = -1.3 + known + 0.4 * (plan == "basic")
    seen = np.where(age < 33, 1.5 * rng.normal(size=n), known) + 0.4 * (plan == "basic") - 1.3
    columns = {"age": age, "tenure": tenure, "plan": plan, "region": rng.choice(["north", "south", "west"], n)}
    return {**columns, "p": _chance(seen).round(4), "y": (rng.random(n) < _chance(risk)).astype(int)}


def _fraud(rng: np.random.Generator, before: Numbers) -> Columns:
    n = len(before)
    known = rng.normal(-2.6, 1.4, n)
    amount = np.exp(rng.normal(3.4, 0.9, n)).round(2)
    y = (rng.random(n) < _chance(known)).astype(int)
    return {"amount": amount, "country": rng.choice(["DE", "AT", "CH"], n), "p": _chance(known).round(4), "y": y}


def _credit(rng: np.random.Generator, before: Numbers) -> Columns:
    """More fail than the probabilities say since some weeks; who fails is told as well as ever."""
    n = len(before)
    known = rng.normal(-1.9, 1.1, n)
    y = (rng.random(n) < _chance(known + 0.42 * (before < 9))).astype(int)
    return {"income": np.exp(rng.normal(8, 0.4, n)).round(), "p": _chance(known).round(4), "y": y}


def _offers(rng: np.random.Generator, before: Numbers) -> Columns:
    n = len(before)
    known = rng.normal(-0.7, 1.2, n)
    y = (rng.random(n) < _chance(known)).astype(int)
    return {"channel": rng.choice(["mail", "app", "shop"], n), "p": _chance(known).round(4), "y": y}


def _demand(rng: np.random.Generator, before: Numbers, off: float = 38.0) -> Columns:
    n = len(before)
    truth = (400 + rng.normal(0, 60, n)).round()
    return {
        "store": rng.choice(["A", "B", "C", "D"], n),
        "guess": (truth + rng.normal(0, off, n)).round(1),
        "sold": truth,
    }


def _better_demand(rng: np.random.Generator, before: Numbers) -> Columns:
    return _demand(rng, before, 31.0)


SCORED: dict[str, str | None] = {"time": "scored", "label_time": "known", "keep": None}
TRIAL, OLD, NEW = "shorter-text", "as before", "short text"
HELPED = 0.04
ALL = (
    InventedModel(
        "churn",
        {**SCORED, "window": "week", "owner": "Ana", "group": "shop", "budget": "1 per quarter"},
        _churn,
        windows=40,
        rows=700,
        features=("age", "tenure", "plan", "region"),
        late=(3, 17),
    ),
    InventedModel(
        "fraud-card",
        {**SCORED, "window": "hour", "owner": "Ben", "group": "risk", "budget": "1 per quarter"},
        _fraud,
        windows=60,
        rows=300,
        features=("amount", "country"),
        late=(0.1, 0.8),
        stopped=3,
    ),
    InventedModel(
        "credit-limit",
        {**SCORED, "window": "week", "owner": "Ben", "group": "risk", "measures": ["brier"], "margin": 0.2},
        _credit,
        windows=30,
        rows=1_500,
        features=("income",),
        late=(1, 5),
    ),
    InventedModel(
        "next-offer",
        {**SCORED, "window": "week", "owner": "Ana", "group": "shop", "payoff": {"tp": 10, "fp": -7, "fn": 0, "tn": 0}},
        _offers,
        tried=10,
        windows=26,
        rows=500,
        features=("channel",),
        late=(0.1, 3),
    ),
    InventedModel(
        "demand-daily",
        {**SCORED, "window": "day", "owner": "Cleo", "group": "supply", "champion": "v7"},
        _demand,
        windows=40,
        rows=320,
        roles={"target": "sold", "prediction": "guess"},
        features=("store",),
        late=(0.3, 1),
        challenger=_better_demand,
    ),
    InventedModel(
        "no-show",
        {**SCORED, "window": "week", "owner": "Cleo", "group": "supply"},
        _offers,
        windows=6,
        rows=400,
        features=("channel",),
        late=(45, 60),
    ),
)


def invent(service: Service, models: tuple[InventedModel, ...] = ALL) -> int:
    """Declare models that are made up, and send a service their rows up to now; how many."""
    for place, one in enumerate(models):
        _invent(service, one, place)
    service.tick()
    return len(models)


def _invent(service: Service, one: InventedModel, seed: int) -> None:
    now = service.clock()
    rng = np.random.default_rng(seed)
    scored, rows = _rows(rng, one, one.draw, one.windows + 12, one.windows, now)
    roles: dict[str, Any] = dict(one.roles)
    base = monitor(
        {k: v.tolist() for k, v in rows.items()} | {"scored": scored},
        time="scored",
        window=one.said["window"],
        features=list(one.features),
        measures=one.said.get("measures"),
        reference={k: v.tolist() for k, v in rows.items()},
        **roles,
    ).baseline
    ends = (now + timedelta(days=12)).date().isoformat()
    trials = {TRIAL: {"control": OLD, "treated": NEW, "direction": "higher", "ends": ends}} if one.tried else {}
    service.declare(one.name, declaration_of({**one.said, "trials": trials}), base, "invented")
    for version, draw in ((one.said.get("champion", "1"), one.draw), ("v8", one.challenger)):
        if draw is None:
            continue
        scored, rows = _rows(rng, one, draw, one.windows, one.stopped, now)
        arms = _in_trial(one, rng, scored, rows, now)
        _send(service, one, rng, scored, rows, version)
        _expose(service, one, arms, scored, version)


def _rows(
    rng: np.random.Generator, one: InventedModel, draw: Drawing, first: float, last: float, now: datetime
) -> tuple[list[datetime], Columns]:
    """Rows from so many windows before now to so many."""
    before = np.sort(rng.uniform(last, first, round(one.rows * (first - last))))[::-1]
    scored = [now - timedelta(seconds=round(x * one.window.total_seconds(), 3)) for x in before.tolist()]
    return scored, draw(rng, before)


def _in_trial(
    one: InventedModel, rng: np.random.Generator, scored: list[datetime], rows: Columns, now: datetime
) -> list[str]:
    """The arm of each row that is in a trial; more of those that get something new say yes."""
    if not one.tried:
        return []
    first = now - one.tried * one.window
    arms = [str(rng.choice([OLD, NEW])) if t >= first else "" for t in scored]
    helped = np.array([a == NEW for a in arms]) & (rng.random(len(arms)) < HELPED)
    rows["y"] = np.where(helped, 1, rows["y"])
    return arms


def _expose(service: Service, one: InventedModel, arms: list[str], scored: list[datetime], version: str) -> None:
    inside = [i for i, arm in enumerate(arms) if arm]
    if not inside:
        return
    told = {"id": [f"{version}-{i}" for i in inside], "scored": [scored[i].isoformat() for i in inside]}
    body = as_csv(told | {"arm": [arms[i] for i in inside]}).encode()
    service.take(Sending(what="exposures", model=one.name, trial=TRIAL, body=body, kind="text/csv")).result()


def _send(
    service: Service, one: InventedModel, rng: np.random.Generator, scored: list[datetime], rows: Columns, version: str
) -> None:
    target = one.roles["target"]
    names = [f"{version}-{i}" for i in range(len(scored))]
    known = [t + timedelta(days=d) for t, d in zip(scored, rng.uniform(*one.late, len(scored)).tolist(), strict=True)]
    told: dict[str, list[Any]] = {"id": names, "scored": [t.isoformat() for t in scored]}
    told |= {k: v.tolist() for k, v in rows.items() if k != target}
    there = [i for i, t in enumerate(known) if t <= service.clock()]
    labels = {
        "id": [names[i] for i in there],
        target: rows[target][there].tolist(),
        "known": [known[i].isoformat() for i in there],
    }
    for what, columns in (("predictions", told), ("labels", labels)):
        body = as_csv(columns).encode()
        if columns["id"]:
            sending = Sending(what=what, model=one.name, body=body, kind="text/csv", version=version)  # type: ignore[arg-type]
            service.take(sending).result()
