"""How often the 95 % intervals hold the true value: every measure of the catalogue, over a grid of scenarios.

python docs/studies/coverage_study.py [--repeats 1000] [--processes 2] [--only PATTERN [--keep]] [--page]

Each scenario (see scenarios.py) draws data with a seeded generator and asks for every number through the public face.
Writes coverage.json and coverage.md beside this file. With --only the cells of the scenarios whose name matches the pattern
are printed and both files are left alone, unless --keep puts them in the place of those in coverage.json; with --page the page is
written again from coverage.json.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import time
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is loaded: the processes are the parallel part
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402
from coverage_page import page  # noqa: E402
from scenarios import Scenario, scenarios  # noqa: E402

import steelyard as sy  # noqa: E402

HERE = Path(__file__).parent
SEED = 1
SLOW = {"classes": 0.3}
"""Families whose scenarios get a share of the repeats."""
CHUNK = 10
AVERAGES = ("macro", "micro", "weighted")
COLUMNS = (
    "measure",
    "of",
    "truth",
    "defined",
    "undefined",
    "none",
    "coverage",
    "error",
    "below",
    "above",
    "width",
    "worst",
    "method",
    "marked",
)
"""One cell: the measure with its options; of the whole, each level or an average; the true value; how often it was defined
with an interval, undefined, without an interval; coverage and its Monte-Carlo error; how often the truth lay below the
interval and above it; mean width; coverage of the worst level; the method's name; how often the number said that it rests
on little. Shares are in percent."""
EXTRA: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "scores": [
        ("f_beta", {"beta": 0.5}),
        ("lift", {"depth": 0.3}),
        ("partial_auc", {"fpr": 0.3}),
        ("precision_at_prevalence", {"prevalence": 0.05}),
        ("weighted_accuracy", {"weights": (5, 2, 1, 1)}),
    ],
    "continuous": [("pinball", {"quantile": 0.9})],
}
"""Options other than the defaults that are asked for as well."""
Key = tuple[str, str]


def numbers(e: sy.Evaluation, family: str) -> dict[Key, sy.Estimate]:
    """Every number of an evaluation by measure (with its options, where not the default) and level."""
    found = {(x.measure, "" if x.level is None else str(x.level)): x for x in e.rows_of_numbers()}
    for name, options in EXTRA.get(family, []):
        words = ", ".join(f"{k} {v}" for k, v in options.items())
        found[f"{name} ({words})", ""] = e.measure(name, **options)
    return found


def truth_of(place: int) -> tuple[int, dict[Key, float | None], float]:
    """The true value of every number of a scenario."""
    start = time.perf_counter()
    s = scenarios()[place]
    none = s.traits.get("no_truth", ())
    found = {k: None if k[0] in none else x.value for k, x in numbers(s.truth(), s.family).items()}
    return place, found, time.perf_counter() - start


def repeat(place: int, first: int, last: int) -> tuple[int, int, dict[Key, list[Any]], list[str], float]:
    """Repeats of a scenario: for each number a list of (total, value, low, high), and what went wrong."""
    start = time.perf_counter()
    s = scenarios()[place]
    out: dict[Key, list[Any]] = {}
    wrong = []
    for i in range(first, last):
        rng = np.random.default_rng([SEED, zlib.crc32(s.name.encode()), i])
        roles = s.draw(rng)
        total = float(np.sum(roles["weight"])) if "weight" in roles else float(len(roles["target"]))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = numbers(sy.evaluate(**roles), s.family)
        except Exception as trouble:  # one bad draw must not end the study; it is counted and told
            wrong.append(f"repeat {i}: {type(trouble).__name__}: {trouble}")
            continue
        for key, x in found.items():
            out.setdefault(key, []).append((i, total, x.value, x.low, x.high, x.method, bool(x.caution)))
    return place, first, out, wrong, time.perf_counter() - start


def cells_of(truth: dict[Key, float | None], found: dict[Key, list[Any]], repeats: int) -> list[list[Any]]:
    """One row of COLUMNS for each measure and kind of level; the levels of a measure are pooled."""
    pooled: dict[Key, list[tuple[str, list[Any]]]] = {}
    for (name, level), rows in found.items():
        of = level if level in AVERAGES or not level else "each level"
        pooled.setdefault((name, of), []).append((level, rows))
    out = []
    for (name, of), parts in pooled.items():
        hits = np.full((len(parts), repeats), np.nan)
        below = above = undefined = none = marked = 0
        widths, methods, values = [], [], []
        for k, (level, rows) in enumerate(parts):
            for i, total, value, low, high, method, caution in rows:
                true = truth.get((name, level))
                if name == "sse":  # a sum grows with the rows: the truth is the mean's, times half the rows at hand
                    true = truth["mse", level] * total / 2  # type: ignore[operator]
                if value is None or true is None:
                    undefined += 1
                elif low is None or high is None:
                    none += 1
                else:
                    slack = 1e-9 * max(1.0, abs(true))  # a truth on the end of a range is not missed by rounding
                    hits[k, i] = low - slack <= true <= high + slack
                    marked += caution
                    below += true < low - slack
                    above += true > high + slack
                    widths.append(high - low)
                    values.append(true)
                    methods.append(method.split(" with ")[0].split(" (")[0])
        defined = int(np.isfinite(hits).sum())
        row: list[Any] = [name, of, _short(np.mean(values)) if values else None, defined, undefined, none]
        if defined:
            by_repeat = np.nanmean(
                np.where(np.isnan(hits).all(axis=0), np.nan, hits)[:, np.isfinite(hits).any(axis=0)], axis=0
            )
            p, n = float(np.nanmean(hits)), len(by_repeat)
            # One pretended hit and miss keep the error of a perfect record above zero.
            error = max(
                float(by_repeat.std()), np.sqrt((p * n + 1) * ((1 - p) * n + 1)) / (n + 2) / np.sqrt(len(parts))
            ) / np.sqrt(n)
            worst = min(float(np.nanmean(h)) for h in hits if np.isfinite(h).any())
            finite = [w for w in widths if np.isfinite(w)]
            common = max(set(methods), key=methods.count)
            row += [
                round(100 * p, 2),
                round(100 * error, 2),
                round(100 * below / defined, 2),
                round(100 * above / defined, 2),
            ]
            row += [_short(np.mean(finite)) if finite else None, round(100 * worst, 2), common]
            row.append(round(100 * marked / defined, 1))
        else:
            row += [None] * 6 + ["", 0.0]
        out.append(row)
    return out


def _short(x: Any) -> float:
    return float(f"{float(x):.5g}")


def run(wanted: list[int], repeats: int, processes: int) -> list[dict[str, Any]]:
    """All wanted scenarios, their repeats spread over the processes."""
    plan = scenarios()
    truths: dict[int, dict[Key, float | None]] = {}
    found: dict[int, dict[Key, list[Any]]] = {i: {} for i in wanted}
    wrong: dict[int, list[str]] = {i: [] for i in wanted}
    spent = dict.fromkeys(wanted, 0.0)
    times = {i: max(10, round(repeats * SLOW.get(plan[i].family, 1.0))) for i in wanted}
    start = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        # Scenarios that sample the same population share its truth.
        first: dict[Any, int] = {}
        for i in wanted:
            first.setdefault((plan[i].family, plan[i].population), i)
        jobs = [pool.submit(truth_of, i) for i in first.values()]
        jobs += [pool.submit(repeat, i, a, min(a + CHUNK, times[i])) for i in wanted for a in range(0, times[i], CHUNK)]
        for done, job in enumerate(as_completed(jobs), 1):
            answer = job.result()
            if len(answer) == 3:
                truths[answer[0]] = answer[1]
            else:
                place, _, numbers_found, trouble, seconds = answer
                for key, rows in numbers_found.items():
                    found[place].setdefault(key, []).extend(rows)
                wrong[place] += trouble
                spent[place] += seconds
            if done % 20 == 0 or done == len(jobs):
                print(f"{done} of {len(jobs)} parts, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for i in wanted:
        truths[i] = truths[first[plan[i].family, plan[i].population]]
    return [
        {
            "name": plan[i].name,
            "family": plan[i].family,
            "group": plan[i].group,
            "rows": plan[i].rows,
            "traits": plan[i].traits,
            "repeats": times[i],
            "seconds": round(spent[i], 1),
            "wrong": sorted(wrong[i])[:5],
            "failed": len(wrong[i]),
            "cells": cells_of(truths[i], found[i], times[i]),
        }
        for i in wanted
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--repeats",
        type=int,
        default=1000,
        help="repeats of a scenario; those of class scores get three tenths of them",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", metavar="PATTERN", help='only scenarios whose name matches, such as "*units*"')
    parser.add_argument("--keep", action="store_true", help="put what --only found in its place in coverage.json")
    parser.add_argument("--page", action="store_true", help="write the page again from coverage.json")
    given = parser.parse_args()
    target = HERE / "coverage.json"
    if given.page:
        study = json.loads(target.read_text(encoding="utf-8"))
    else:
        plan = scenarios()
        wanted = [i for i, s in enumerate(plan) if not given.only or matches(s, given.only)]
        if not wanted:
            sys.exit(f"No scenario matches {given.only!r}; there are: " + "; ".join(s.name for s in plan))
        start = time.perf_counter()
        results = run(wanted, given.repeats, given.processes)
        study = {
            "steelyard": sy.__version__,
            "seed": SEED,
            "repeats": given.repeats,
            "processes": given.processes,
            "seconds": round(time.perf_counter() - start),
            "columns": COLUMNS,
            "catalogue": list(sy.catalogue()),
            "scenarios": results,
        }
        if given.only and given.keep:
            study = kept_with(json.loads(target.read_text(encoding="utf-8")), study)
        elif given.only:
            for s in results:
                print(
                    f"\n{s['family']}: {s['name']} ({s['repeats']} repeats, {s['failed']} failed) {' '.join(s['wrong'])}"
                )
                for row in s["cells"]:
                    c = dict(zip(COLUMNS, row, strict=True))
                    numbers = COLUMNS[COLUMNS.index("truth") : COLUMNS.index("width") + 1]
                    said = "  ".join(f"{k} {c[k]}" for k in numbers)
                    print(f"  {(c['measure'] + ' ' + c['of']).ljust(34)} {said}  {c['method']}")
            return
        part = target.with_suffix(".part")
        part.write_text(packed(study), encoding="utf-8")
        part.replace(target)
    planned = [(s.family, s.name) for s in scenarios()]
    (HERE / "coverage.md").write_text(page(study, planned), encoding="utf-8")


def kept_with(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The study with the scenarios that were run again in their places, in the order of the plan."""
    found = {(s["family"], s["name"]): s for part in (old, new) for s in part["scenarios"]}
    if old["columns"] != list(new["columns"]) or old["repeats"] != new["repeats"]:
        # What was asked for has changed: cells of both kinds do not belong on one page.
        found = {(s["family"], s["name"]): s for s in new["scenarios"]}
        old = {**old, "seconds": 0}
    order = [(s.family, s.name) for s in scenarios()]
    return new | {"seconds": old["seconds"] + new["seconds"], "scenarios": [found[k] for k in order if k in found]}


def matches(s: Scenario, pattern: str) -> bool:
    """By name, by family, or both as "family: name"."""
    return any(fnmatch.fnmatch(text, pattern) for text in (s.name, s.family, f"{s.family}: {s.name}"))


def packed(study: dict[str, Any]) -> str:
    """JSON with one line a cell, so that two runs can be compared by eye."""
    scenes = []
    for s in study["scenarios"]:
        facts = json.dumps({k: v for k, v in s.items() if k != "cells"}, ensure_ascii=False)[:-1]
        rows = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in s["cells"])
        scenes.append(f'{facts}, "cells": [\n{rows}]}}')
    facts = json.dumps({k: v for k, v in study.items() if k != "scenarios"}, ensure_ascii=False)[:-1]
    return facts + ', "scenarios": [\n' + ",\n".join(scenes) + "]}\n"


if __name__ == "__main__":
    main()
