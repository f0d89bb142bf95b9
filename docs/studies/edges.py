"""What a study of the edges is made of: claims, the scenarios that try them, and the file that keeps what was seen.

Each room has a script `edges_<room>.py` beside this one: a list of claims, each with its scenarios, run with

    python docs/studies/edges_<room>.py [--state after] [--only A1] [--repeats-times 1.0] [--processes 2]

which writes `edges_<room>.json`. "before" is the state of version 0.1.0 and is run once against its source:

    git worktree add ../old 2f8f125
    PYTHONPATH=../old/src python docs/studies/edges_<room>.py --state before

`edges_page.py` prints `edges.md` from all of these files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is loaded: the processes are the parallel part

import numpy as np  # noqa: E402

HERE = Path(__file__).parent
SEED = 14
CHUNKS = 8
LARGEST_ERROR = 1.0
MOST = 2600
"""With which the error of no rate is above one point."""

Once = Callable[[np.random.Generator], float | None]
"""One repeat: 1 or 0 for hit or miss (or any number, where the claim is about a mean); None where nothing was said."""


@dataclass(frozen=True)
class Scenario:
    """One setting in which a claim is tried."""

    name: str
    once: Once
    repeats: int = 2000
    listed: bool = False
    """Whether it is one of those in which the fault was found; the others were made up afterwards."""


@dataclass(frozen=True)
class Claim:
    """What is promised, in which settings it is tried, and what was done where it did not hold."""

    finding: str
    title: str
    promise: str
    """What the figure must be: "95 %", "≤ 5 %"."""
    scenarios: Sequence[Scenario]
    done: str = ""
    """What was changed, in a sentence or two."""
    unit: str = "%"
    """"%" for a rate; "" for a mean of numbers."""
    holds: tuple[float, float] = (-math.inf, math.inf)
    """From where to where the figure keeps the promise, in the unit of the figure."""
    reason: str = ""
    """Why a figure may not keep it to the letter, and what the number itself says of that."""


def run(room: str, claims: Sequence[Claim]) -> None:
    """Run the claims of a room from the command line and keep what was seen, claim by claim."""
    parser = argparse.ArgumentParser(description=f"Tries the edges of {room}.")
    parser.add_argument("--state", choices=("before", "after"), default="after")
    parser.add_argument("--only", default="", help='findings to run, separated by commas; "texts" for none')
    parser.add_argument(
        "--more", action="store_true", help="go on from the repeats that are kept, where more are wanted"
    )
    parser.add_argument(
        "--repeats-times", type=float, default=1.0, help="fewer repeats for a first look (nothing is kept)"
    )
    parser.add_argument("--most", type=int, default=MOST, help="at most so many repeats of a scenario")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    _claims[:] = [claims]
    with ProcessPoolExecutor(asked.processes) as pool:  # processes are forked, so they know the claims
        for i, c in enumerate(claims):
            if asked.only and c.finding not in asked.only.split(","):
                continue
            kept = _kept(room).get(c.finding, {}).get("scenarios", {}) if asked.more else {}
            found = {}
            for place, s in enumerate(c.scenarios):
                old = kept.get(s.name, {}).get(asked.state)
                row = found[s.name] = _seen(pool, i, place, old, asked.repeats_times, asked.most)
                told = f"{row['figure']} ± {row['error']}" if row["figure"] is not None else "nothing said"
                print(f"{c.finding:4} {s.name}: {told} (promised {c.promise}), {row['seconds']} s", flush=True)
            if asked.repeats_times == 1.0:
                _keep(room, claims, c.finding, found, asked.state)
    if asked.only == "texts":
        _keep(room, claims, "", {}, asked.state)


_claims: list[Sequence[Claim]] = []


def _part(i: int, place: int, first: int, last: int) -> tuple[list[float | None], float]:
    claim = _claims[0][i]
    s = claim.scenarios[place]
    start = time.process_time()
    out: list[float | None] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for repeat in range(first, last):
            name = zlib.crc32(f"{claim.finding} {s.name}".encode())
            out.append(s.once(np.random.default_rng([SEED, name, repeat])))
    return out, time.process_time() - start


def _seen(pool: ProcessPoolExecutor, i: int, place: int, row: Any, times: float, most: int) -> Any:
    """The figure of a scenario; a rate is drawn on until its error is at most one point, or the most repeats are drawn."""
    claim = _claims[0][i]
    row = row or {"repeats": 0, "said": 0, "figure": None, "error": None, "seconds": 0.0}
    asked = max(2, round(claim.scenarios[place].repeats * times))
    wanted = asked if most == MOST else min(asked, most)
    while True:
        if claim.unit == "%" and times == 1.0 and row["said"] and row["error"] > LARGEST_ERROR:
            wanted = min(most, math.ceil(row["repeats"] * (row["error"] / LARGEST_ERROR) ** 2) + 10)
        if row["repeats"] >= wanted:
            return row
        edges = np.linspace(row["repeats"], wanted, min(CHUNKS, wanted - row["repeats"]) + 1).astype(int).tolist()
        jobs = [pool.submit(_part, i, place, a, b) for a, b in pairwise(edges)]
        row = _figure(claim, row, [job.result() for job in jobs])


def _figure(claim: Claim, row: Any, parts: list[Any]) -> dict[str, Any]:
    """The figure with these parts added to what there is."""
    every = [x for part, _ in parts for x in part]
    said = [x for x in every if x is not None]
    n, times = row["said"] + len(said), 100.0 if claim.unit == "%" else 1.0
    told = {"repeats": row["repeats"] + len(every), "said": n, "figure": None, "error": None}
    if n:
        old = row["said"] * (row["figure"] or 0.0) / times
        total = old + float(np.sum(said))
        if claim.unit == "%":  # one pretended hit and miss keep the error of a perfect record above zero
            p = (total + 1) / (n + 2)
            spread = math.sqrt(p * (1 - p))
        else:
            mean, squares = total / n, float(np.square(said).sum())
            if row["said"]:
                squares += row["said"] * ((row["error"] or 0.0) ** 2 * row["said"] + row["figure"] ** 2)
            spread = math.sqrt(max(0.0, squares / n - mean**2))
        told["figure"] = float(f"{times * total / n:.5g}")
        told["error"] = float(f"{times * spread / math.sqrt(n):.2g}")
    return told | {"seconds": round(row["seconds"] + sum(seconds for _, seconds in parts), 1)}


def _kept(room: str) -> dict[str, Any]:
    path = HERE / f"edges_{room}.json"
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return kept


def _keep(room: str, claims: Sequence[Claim], finding: str, found: dict[str, Any], state: str) -> None:
    kept = _kept(room)
    out = {}
    for c in claims:
        old = kept.get(c.finding, {}).get("scenarios", {})
        rows = {}
        for s in c.scenarios:
            row = {k: v for k, v in old.get(s.name, {}).items() if k in {"before", "after"}}
            if c.finding == finding:
                row[state] = found[s.name]
            rows[s.name] = {"listed": s.listed} | row
        facts = {"title": c.title, "promise": c.promise, "done": c.done, "reason": c.reason, "unit": c.unit}
        out[c.finding] = facts | {"scenarios": rows, "holds": [x if math.isfinite(x) else None for x in c.holds]}
    path = HERE / f"edges_{room}.json"
    path.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
