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
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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


def run(room: str, claims: Sequence[Claim]) -> None:
    """Run the claims of a room from the command line and keep what was seen."""
    parser = argparse.ArgumentParser(description=f"Tries the edges of {room}.")
    parser.add_argument("--state", choices=("before", "after"), default="after")
    parser.add_argument("--only", default="", help="findings to run, separated by commas")
    parser.add_argument(
        "--repeats-times", type=float, default=1.0, help="fewer repeats for a first look (nothing is kept)"
    )
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    wanted = [i for i, c in enumerate(claims) if not asked.only or c.finding in asked.only.split(",")]
    seen = _seen(claims, wanted, asked.repeats_times, asked.processes)
    for i in wanted:
        for place, s in enumerate(claims[i].scenarios):
            r = seen[i, place]
            told = f"{r['figure']} ± {r['error']}" if r["figure"] is not None else "nothing said"
            print(f"{claims[i].finding:4} {s.name}: {told} (promised {claims[i].promise}), {r['seconds']} s")
    if asked.repeats_times == 1.0:
        _keep(room, claims, wanted, seen, asked.state)


def _part(once: Once, name: str, first: int, last: int) -> tuple[list[float | None], float]:
    start = time.perf_counter()
    out: list[float | None] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(first, last):
            out.append(once(np.random.default_rng([SEED, zlib.crc32(name.encode()), i])))
    return out, time.perf_counter() - start


_claims: list[Sequence[Claim]] = []


def _job(i: int, place: int, first: int, last: int) -> tuple[list[float | None], float]:
    s = _claims[0][i].scenarios[place]
    return _part(s.once, f"{_claims[0][i].finding} {s.name}", first, last)


def _seen(claims: Sequence[Claim], wanted: list[int], times: float, processes: int) -> dict[tuple[int, int], Any]:
    _claims[:] = [claims]
    answers: dict[tuple[int, int], list[Any]] = {}
    with ProcessPoolExecutor(processes) as pool:  # processes are forked, so they know the claims
        jobs = {}
        for i in wanted:
            for place, s in enumerate(claims[i].scenarios):
                n = max(2, round(s.repeats * times))
                edges = np.linspace(0, n, min(CHUNKS, n) + 1).astype(int).tolist()
                for a, b in pairwise(edges):
                    jobs[pool.submit(_job, i, place, a, b)] = (i, place)
        for done, job in enumerate(as_completed(jobs), 1):
            answers.setdefault(jobs[job], []).append(job.result())
            if done % 10 == 0:
                print(f"{done} of {len(jobs)} parts", file=sys.stderr, flush=True)
    return {key: _figure(claims[key[0]], parts) for key, parts in answers.items()}


def _figure(claim: Claim, parts: list[Any]) -> dict[str, Any]:
    every = [x for part, _ in parts for x in part]
    said = np.array([x for x in every if x is not None], dtype=np.float64)
    times = 100.0 if claim.unit == "%" else 1.0
    told: dict[str, Any] = {"repeats": len(every), "said": len(said), "figure": None, "error": None}
    if len(said):
        spread = float(said.std())
        if claim.unit == "%":  # one pretended hit and miss keep the error of a perfect record above zero
            p = (float(said.sum()) + 1) / (len(said) + 2)
            spread = math.sqrt(p * (1 - p))
        told["figure"] = float(f"{times * float(said.mean()):.4g}")
        told["error"] = float(f"{times * spread / math.sqrt(len(said)):.2g}")
    return told | {"seconds": round(sum(seconds for _, seconds in parts), 1)}


def _keep(room: str, claims: Sequence[Claim], wanted: list[int], seen: Any, state: str) -> None:
    path = HERE / f"edges_{room}.json"
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    out = {}
    for i, c in enumerate(claims):
        old = kept.get(c.finding, {}).get("scenarios", {})
        rows = {}
        for place, s in enumerate(c.scenarios):
            row = {k: v for k, v in old.get(s.name, {}).items() if k in {"before", "after"}}
            if i in wanted:
                row[state] = seen[i, place]
            rows[s.name] = {"listed": s.listed} | row
        facts = {"title": c.title, "promise": c.promise, "done": c.done, "unit": c.unit, "scenarios": rows}
        out[c.finding] = facts | {"holds": [x if math.isfinite(x) else None for x in c.holds]}
    path.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
