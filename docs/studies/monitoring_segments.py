"""Segments of a stream: false alarms, false discoveries, and how soon one that wears out is seen: writes monitoring-segments.md.

python docs/studies/monitoring_segments.py [--streams 200] [--only 2 5] [--seconds 600]

What each stream gave is kept in monitoring_segments.json, so that they can be drawn in parts.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import textwrap
import time
from pathlib import Path
from typing import Any, NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from steelyard.monitors.monitor import monitor  # noqa: E402

HERE = Path(__file__).parent
SEED = 20261119
START = pd.Timestamp("2024-01-01")
REFERENCE, JUDGED, WEARS = 13, 26, 6
"""Weeks of the reference, weeks that are judged (two quarters), and how many of these are over before a segment wears out."""
QUARTERS = JUDGED * 7 / (365.25 / 4)


class Setting(NamedTuple):
    """Segments, how large the smallest is beside the largest, rows a week, what moves, and how many wear out by how much."""

    segments: int
    ratio: float
    rows: int
    moves: str
    worn: int
    lost: float


def settings() -> list[Setting]:
    """Stable ones first, then those in which segments wear out."""
    alone = "weeks, each by itself"
    stable = [Setting(6, 1.0, 1200, "nothing", 0, 0.0), Setting(12, 0.1, 2400, "nothing", 0, 0.0)]
    stable += [Setting(6, 1.0, 1200, "weeks, all alike", 0, 0.0), Setting(6, 1.0, 1200, alone, 0, 0.0)]
    worn = [Setting(6, 1.0, 1200, "nothing", 1, 0.5), Setting(12, 0.1, 2400, "nothing", 1, 1.0)]
    worn += [Setting(6, 1.0, 1200, "nothing", 3, 0.3), Setting(6, 1.0, 1200, alone, 1, 1.0)]
    return stable + worn


def stream(rng: np.random.Generator, s: Setting) -> tuple[pd.DataFrame, list[str]]:
    """Rows of a stream, and which segments wear out: a share `lost` of their outcomes has nothing to do with the scores."""
    weeks = REFERENCE + JUDGED
    size = np.geomspace(1.0, s.ratio, s.segments)
    week = np.repeat(np.arange(weeks), rng.poisson(s.rows, weeks))
    mine = rng.choice(s.segments, len(week), p=size / size.sum())
    steep = np.ones((weeks, s.segments))
    if "all alike" in s.moves:
        steep *= np.exp(rng.normal(0, 0.15, (weeks, 1)))
    if "by itself" in s.moves:
        steep *= np.exp(rng.normal(0, 0.15, steep.shape))
    z = rng.normal(size=len(week)) + rng.normal(0, 0.3, s.segments)[mine]
    chance = 1 / (1 + np.exp(1.2 - 1.5 * steep[week, mine] * z))
    # Of unequal ones it is one in the middle.
    first = 0 if s.ratio == 1 else s.segments // 2
    gone = (week >= REFERENCE + WEARS) & (mine >= first) & (mine < first + s.worn)
    y = rng.random(len(week)) < np.where(gone & (rng.random(len(week)) < s.lost), chance.mean(), chance)
    when = START + pd.to_timedelta(7 * (week + rng.random(len(week)) * 0.999), unit="D")
    rows = {"when": when, "y": y.astype(int), "p": 1 / (1 + np.exp(1.2 - 1.5 * z)), "part": [f"s{i:02d}" for i in mine]}
    return pd.DataFrame(rows), [f"s{i:02d}" for i in np.unique(mine[gone])]


def one_stream(place: int, s: Setting, number: int) -> list[Any]:
    """What one stream gave, all of it about segments.

    Those that fired, those of them that are false, weeks with a false call, how often cases were too few, and weeks until each
    worn one was seen (none: never).
    """
    rows, worn = stream(np.random.default_rng([SEED, place, number]), s)
    asked = {"segment": "part", "measures": ["auc"], "window": "week", "reference": f"first {REFERENCE} windows"}
    m = monitor(rows, time="when", target="y", score="p", **asked)
    fired: dict[str, str] = {}
    for a in m.alarms:
        if a.after == "firing" and " in " in a.signal:
            fired.setdefault(a.signal.split(" in ")[1], a.window)
    places = {w.name: i for i, w in enumerate(m.windows)}
    wrong = [x for x in fired if x not in worn or places[fired[x]] < WEARS]
    alone, blind = 0, 0.0
    for w in m.windows:
        here = [x for x in w.signals if " in " in x.name]
        alone += any(x.state in {"warn", "alarm"} for x in here if x.name.split(" in ")[1] not in worn)
        blind += float(np.mean([x.state == "insufficient" for x in here])) / len(m.windows)
    waits = [places[fired[x]] - WEARS + 1 if x in fired and x not in wrong else None for x in worn]
    return [len(fired), len(wrong), alone, round(blind, 4), waits]


def line_of(s: Setting, found: list[list[Any]]) -> list[str]:
    """What was seen in all streams of a setting."""
    fired, wrong, alone, blind = (np.array([x[i] for x in found]) for i in range(4))
    waits = [math.inf if w is None else w for x in found for w in x[4]]
    sizes = "alike" if s.ratio == 1 else f"1 to {1 / s.ratio:.0f}"
    what = "nothing" if not s.worn else f"{s.worn} of them, by {s.lost:.0%}"
    seen = ["–", "–"]
    if waits:
        middle = float(np.median(waits))
        seen = [f"{middle:.0f}" if math.isfinite(middle) else "never", f"{np.mean(np.isfinite(waits)):.0%}"]
    rates = [
        f"{wrong.mean() / QUARTERS:.3f}",
        f"{(wrong > 0).mean():.1%}",
        f"{np.mean(wrong / np.maximum(fired, 1)):.1%}",
    ]
    rates.append(f"{alone.mean() / QUARTERS:.2f}")
    return [str(s.segments), sizes, f"{s.rows:,}", s.moves, what, *rates, *seen, f"{blind.mean():.0%}", str(len(found))]


def text(words: str) -> str:
    return textwrap.fill(" ".join(words.split()), 118)


def page(found: list[list[str]]) -> str:
    head = (
        "segments", "sizes", "rows a week", "what moves", "what wears out", "false firings a quarter", "streams with one",
        "false discoveries", "weeks with a false call", "weeks until seen", "seen", "too few", "streams",
    )  # fmt: skip
    lines = [head, ("---:", "---", "---:", "---", "---", *("---:",) * (len(head) - 5)), *found]
    return "\n\n".join([
        "# Segments watched apart",
        text("""Printed by `docs/studies/monitoring_segments.py`; every figure is one that was seen.
        The AUC of each segment is held against its own in 13 weeks before, in each of 26 weeks, two quarters; the budget is one
        false alarm a quarter for everything that is watched, of which segments are one part in four."""),
        text("""*False firings*: warnings and alarms of segments that did not change. *False discoveries*: the mean share of
        such among all segments that fired, none counting as 0; where nothing wears out that is the share of streams with one.
        *Weeks with a false call*: how many of 13 in which a week alone calls a segment that did not change, before two in
        a row are asked for; the budget leaves 0.25. *Weeks until seen*: from the first bad one, the median over all that wear
        out; *too few*: how often a segment had too few cases in a week, and waited for the next. Where weeks move, outcomes
        follow scores by 15 % more or less steeply."""),
        "\n".join("| " + " | ".join(line) + " |" for line in lines),
    ]) + "\n"  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--only", type=int, nargs="*", default=[], help="Places of the settings to draw.")
    parser.add_argument("--seconds", type=float, default=math.inf, help="Stop after so many; the next call goes on.")
    asked = parser.parse_args()
    kept, begun = HERE / "monitoring_segments.json", time.monotonic()
    held = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    known = settings()
    for place in asked.only or range(len(known)):
        found = held.setdefault(str(place), [])
        while len(found) < asked.streams and time.monotonic() < begun + asked.seconds:
            found.append(one_stream(place, known[place], len(found)))
    kept.write_text(json.dumps(held).replace("]], [", "]],\n[") + "\n", encoding="utf-8")
    lines = [line_of(known[int(k)], held[k]) for k in sorted(held, key=int) if len(held[k]) >= 2]
    for line in lines:
        print(*line, sep="  ")
    (HERE / "monitoring-segments.md").write_text(page(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
