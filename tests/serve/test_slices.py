"""A window is counted slice by slice, in bounded memory: what comes out is that of all its rows, whatever came how."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.monitors.baseline import Baseline
from steelyard.serve import parts
from steelyard.summaries.window import WindowSummary

from .asking import ROLES, Asking, asking, drawn

ROWS = drawn(23, 900, 3).assign(
    weight=lambda r: np.random.default_rng(1).choice([0.5, 1.0, 2.25], len(r)),
    who=lambda r: [f"unit {i % 40}" for i in range(len(r))],
    amount=lambda r: r["age"] * 1.1 + r["p"],
    guess=lambda r: r["age"] * 1.1,
)


def with_others(**roles: Any) -> Baseline:
    """A baseline of rows that were looked at in another way."""
    rows = drawn(0, 3_000, 20, "2026-01-01").assign(
        weight=lambda r: np.random.default_rng(2).choice([0.5, 1.0, 2.25], len(r)),
        who=lambda r: [f"unit {i % 60}" for i in range(len(r))],
        amount=lambda r: r["age"] * 1.1 + r["p"],
        guess=lambda r: r["age"],
    )
    return sy.monitor(rows, **{**ROLES, **roles}, reference=rows).baseline


def saved(summary: Any) -> Any:
    """As it is saved; what was said of rows without a label is in the order in which they came."""
    found = json.loads(json.dumps(summary.to_dict() if isinstance(summary, WindowSummary) else summary))
    return {**found, "said": sorted(found["said"])}


AWAY = ".evidence.residuals.parts.values.8"
"""Distances from the mean of the part that was counted, of which each part has its own; two summaries are equal without them."""


def differing(a: Any, b: Any, where: str = "") -> list[str]:
    """Where two saved summaries say something else: counts are equal, sums to the last digits."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [x for k in a for x in differing(a[k], b[k], f"{where}.{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [x for i, (c, d) in enumerate(zip(a, b, strict=True)) for x in differing(c, d, f"{where}.{i}")]
    if where == AWAY:
        return []
    same = a == pytest.approx(b, rel=1e-12, abs=0) if isinstance(a, float) and isinstance(b, float) else a == b
    return [] if same else [f"{where}: {a}, {b}"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of some 40 rows, of which few are held."""
    monkeypatch.setattr(parts, "AT_ONCE", 240)
    monkeypatch.setattr(parts, "HELD", 4_000)


def told(ask: Asking, base: Baseline, rows: pd.DataFrame, batch: int) -> dict[str, Any]:
    """What is counted of rows that are sent so many at a time."""
    ask.declare(base=base)
    columns = [c for c in rows.columns if c not in {"y", "known", "amount"}]
    target = base.asked["target"]
    for i in range(0, len(rows), batch):
        some = rows.iloc[i : i + batch]
        assert ask.post(csv(some[columns])).status_code == 200
        labels = some.dropna(subset=[target])[["id", target, "known"]]
        assert ask.post(csv(labels), "labels").status_code == 200
    return ask.summaries()


def csv(rows: pd.DataFrame) -> bytes:
    moments = [name for name in ("scored", "known") if name in rows]
    return rows.assign(**{n: [t.isoformat() for t in rows[n]] for n in moments}).to_csv(index=False).encode()


WAYS: dict[str, dict[str, Any]] = {
    "scores": {"features": ["age", "region"]},
    "weights": {"features": ["age", "region"], "weight": "weight"},
    "units": {"features": ["age"], "unit": "who"},
    "segments": {"features": ["age"], "segment": "region"},
    "numbers": {"target": "amount", "score": None, "prediction": "guess", "features": ["p"]},
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
def test_slices_add_up_to_the_window(tmp_path: Path, way: str) -> None:
    rows = ROWS.copy()
    base = with_others(**WAYS[way])
    target = str(base.asked["target"])
    rows.loc[rows.index[::7], target] = np.nan
    rows.loc[rows.index[::7], "known"] = pd.NaT
    if target == "y":
        rows["y"] = rows["y"].astype("Int64")
    with asking(tmp_path / "s.db") as ask:
        found = told(ask, base, rows, 250)
    whole = sy.windows(rows, time="scored", baseline=base, label_time="known", missing="drop")
    assert {name: s["rows"] for name, s in found.items()} == {w.name: w.rows for w in whole}
    for w in whole:
        assert differing(saved(found[w.name]), saved(w.summary)) == [], w.name


@pytest.mark.usefixtures("small")
def test_slices_do_not_depend_on_how_rows_came(tmp_path: Path) -> None:
    base, found = with_others(**WAYS["weights"]), []
    for seed, batch in ((0, 900), (1, 7), (2, 60)):
        with asking(tmp_path / f"{seed}.db") as ask:
            found.append(told(ask, base, ROWS.sample(frac=1, random_state=seed), batch))
    assert found[0] == found[1] == found[2]


def test_rows_of_one_moment_are_sliced_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(5, 400, 1).assign(scored=pd.Timestamp("2026-02-01", tz="UTC"))
    with asking(tmp_path / "s.db") as ask:
        ask.declare()
        ask.send(rows)
        ask.send(rows, "labels")
        ask.get("monitor")
        monkeypatch.setattr(parts, "AT_ONCE", 250)
        with ask.service.store.reading() as session:
            (one,) = ask.service.watcher.streams(session)
            start = session.all("select start from windows")[0][0]
            slices = parts.slices_of(session, one.stream, start, len(one.model.columns))
            found = [t.num_rows for t in parts.window_rows(session, one.stream, start, slices) if t is not None]
    assert slices == 8
    assert sum(found) == 400
    assert max(found) < 80


MEMORY = """
import sys
from pathlib import Path
from tests.serve.asking import Asking, drawn, ARROW, COLUMNS, body_of
from steelyard.serve.memory import share_memory
share_memory()
def peak():
    return int(next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM")).split()[1]) / 1024
ask = Asking(Path(sys.argv[1]), "2026-02-02")
ask.declare()
def fill(first, last):
    for seed in range(first, last):
        answer = ask.post(body_of(drawn(seed + 1, 50_000, 1)[COLUMNS], ARROW), kind=ARROW)
        assert answer.status_code == 200, answer.text
fill(0, 4)
ask.get("monitor")
before = peak()
fill(4, 20)
ask.get("monitor")
print(peak() - before)
ask.service.close()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell what a process takes")
def test_a_window_of_five_times_the_rows_takes_little_more_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "s.db")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    # 800,000 rows more, each of which had taken some 500 bytes.
    assert float(told.stdout) < 80
