"""False alarms of stable streams, late labels, looks at any time, and how soon a loss is seen: writes monitoring.md.

python docs/studies/monitoring.py [--scale 1.0]
"""

from __future__ import annotations

import argparse
import math
import os
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from steelyard.monitors.alarms import follow  # noqa: E402
from steelyard.monitors.monitor import monitor  # noqa: E402
from steelyard.monitors.sequential import looks  # noqa: E402
from steelyard.summaries.losses import Losses  # noqa: E402

from monitoring_volume import START, fired, harder, volume  # noqa: E402  isort: skip

HERE = Path(__file__).parent
SEED = 20240707


def stream(
    rng: np.random.Generator,
    windows: int,
    rows: int,
    days: int = 1,
    features: int = 0,
    worn: float = 0.0,
    first: int = 0,
) -> pd.DataFrame:
    """Scores that are true chances; from window `first` on a share `worn` of the outcomes has nothing to do with them."""
    n = windows * rows
    place = np.repeat(np.arange(windows), rows)
    chance = 1 / (1 + np.exp(-(1.5 * rng.normal(size=n) - 1.2)))
    lost = (place >= first) & (rng.random(n) < worn)
    y = (rng.random(n) < np.where(lost, chance.mean(), chance)).astype(int)
    when = START + pd.to_timedelta(place * days + rng.random(n) * days * 0.999, unit="D")
    columns: dict[str, Any] = {"when": when, "y": y, "p": chance}
    for k in range(features):
        columns[f"f{k}"] = rng.normal(size=n) if k % 2 else rng.integers(0, 6, n)
    return pd.DataFrame(columns)


def watched(data: pd.DataFrame, reference: Any, window: str, **given: Any) -> Any:
    names = [c for c in data.columns if c.startswith("f")]
    return monitor(
        data, time="when", target="y", score="p", reference=reference, window=window, features=names or None, **given
    )


# Stable streams -------------------------------------------------------------------------------------------------------


def stable(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    settings = (
        ("week", 52, 300, 10, 20, 16),
        ("week", 52, 2000, 10, 20, 10),
        ("week", 52, 2000, 2, 0, 40),
        ("day", 365, 250, 10, 0, 16),
        ("day", 365, 1000, 10, 0, 10),
        ("day", 365, 500, 10, 20, 3),
    )
    for window, count, rows, times, features, repeats in settings:
        days = 7 if window == "week" else 1
        allowed = count * days / (365.25 / 4)
        many = max(2, round(repeats * scale))
        sums = np.zeros(4)
        for _ in range(many):
            reference = stream(rng, times, rows, days, features)
            m = watched(stream(rng, count, rows, days, features), reference, window)
            told = [m.series(name) for name in m.signals[1:]]
            sums += [*fired(told, 1), *fired(told, 2)]
        a, b, c, d = sums / many
        kinds = "AUC, score" + (f", {features} features" if features else "")
        yield (
            f"{count} {window}s", f"{rows:,}", f"{times} windows", kinds, f"{allowed:.1f}", f"{a:.2f}", f"{b:.2f}",
            f"{c:.2f}", f"{d:.2f}", str(many),
        )  # fmt: skip


# Customers followed ---------------------------------------------------------------------------------------------------


def followed(rng: np.random.Generator, weeks: int, each: int, worn: float, first: int) -> pd.DataFrame:
    """Each customer enters once and is scored four times in two weeks; later a share `worn` of warnings do not come."""
    n = weeks * each
    week = np.repeat(np.arange(weeks), each)
    left = rng.random(n) < 0.2
    who, later = np.repeat(np.arange(n), 4), np.tile([0.0, 3.0, 7.0, 13.0], n)
    dumb = (week[who] >= first) & (rng.random(4 * n) < worn)
    clear = np.where(left[who] & ~dumb, 0.45 + later / 30, 0.03)
    p = np.where(rng.random(4 * n) < clear, rng.beta(8, 2, 4 * n), rng.beta(1.5, 12, 4 * n))
    when = START + pd.to_timedelta((week * 7 + rng.uniform(0, 6.9, n))[who] + later, unit="D")
    return pd.DataFrame({"when": when, "who": who, "p": p, "y": left[who].astype(int)})


def cohorts(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    end = START + pd.Timedelta(weeks=70)
    for each in (200, 1000):
        for worn, repeats in ((0.0, 12), (0.25, 4), (0.5, 4)):
            many, waits, sums = max(3, round(repeats * scale)), [], np.zeros(4)
            for _ in range(many):
                data = followed(rng, 62, each, worn, 30)
                given: dict[str, Any] = {"unit": "who", "period": "21 days", "measures": [], "now": end}
                m = watched(data, "first 10 windows", "week", **given)
                told = [[s for s in m.series("timeliness") if s.state != "nodata"]]
                sums += [*fired(told, 1), *fired(told, 2)]
                states = follow([s.seen("warn") for s in told[0]], 2)[20:]
                waits.append(next((i + 1.0 for i, s in enumerate(states) if s.state == "firing"), math.inf))
            a, b, c, d = (f"{x:.2f}" for x in sums / many)
            middle = float(np.median(waits))
            seen = "–" if not worn else f"{middle:.0f}" if math.isfinite(middle) else "not seen"
            cells = (a, b, c, d) if not worn else ("–", "–", "–", "–")
            yield f"{each:,}", f"{100 * worn:.0f} %", *cells, seen, str(many)


# Late labels ----------------------------------------------------------------------------------------------------------


def late(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    """Positives that the model missed complain at once; all other labels come after two weeks or so."""
    kinds = {
        "wrong ones first": lambda y, p: y != (p >= 0.5),
        "positives first": lambda y, p: y == 1,
        "negatives first": lambda y, p: y == 0,
        "by chance": lambda y, p: rng.random(len(y)) < 0.5,
    }
    for name, soon in kinds.items():
        repeats = max(2, round(8 * scale))
        waited = naive = immature = total = 0
        for _ in range(repeats):
            data = stream(rng, 60, 400)
            quick = soon(data["y"].to_numpy(), data["p"].to_numpy())
            delay = np.where(quick, rng.exponential(1, len(data)), 10 + rng.exponential(3, len(data)))
            data["known"] = data["when"] + pd.to_timedelta(delay, unit="D")
            for end in (40, 50, 60):
                now = START + pd.Timedelta(days=end)
                here = data[data["when"] < now]
                given: dict[str, Any] = {"measures": ["auc", "accuracy"], "now": now}
                m = watched(here, "first 20 windows", "day", label_time="known", horizon="30 days", **given)
                waited += any(a.after == "firing" and a.signal in {"auc", "accuracy"} for a in m.alarms)
                immature += sum(not w.labels.mature for w in m.windows)
                early = here[here["known"] <= now]
                n = watched(early, "first 20 windows", "day", **given)
                naive += any(a.after == "firing" and a.signal in {"auc", "accuracy"} for a in n.alarms)
                total += 1
        yield name, f"{waited} of {total}", f"{naive} of {total}", f"{immature / total:.1f}"


# Looks at any time ----------------------------------------------------------------------------------------------------


def sequential(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    def draws(kind: str, n: int) -> Any:
        if kind == "squared errors":
            p = rng.beta(1, 3, n)
            return (p - (rng.random(n) < p)) ** 2
        return rng.random(n) < {"10% wrong": 0.1, "2% wrong": 0.02}[kind]

    for kind in ("10% wrong", "2% wrong", "squared errors"):
        for base, rows, count in ((2000, 100, 365), (20_000, 1000, 365)):
            repeats = max(10, round(60 * scale))
            ever = naive = 0
            for _ in range(repeats):
                reference = Losses.of(draws(kind, base))
                windows = [Losses.of(draws(kind, rows)) for _ in range(count)]
                found = looks(reference, windows, 0.0, 0.05)
                ever += any(x.state in {"warn", "alarm"} for x in found)
                so_far = Losses()
                look = False
                for w in windows:
                    so_far = so_far + w
                    error = math.hypot(
                        so_far.deviation / math.sqrt(so_far.n), reference.deviation / math.sqrt(reference.n)
                    )
                    look = look or so_far.mean - reference.mean > 1.645 * error
                naive += look
            yield (
                kind, f"{base:,}", f"{count} × {rows:,}", f"{100 * ever / repeats:.1f} %", f"{100 * naive / repeats:.0f} %",
                str(repeats),
            )  # fmt: skip


# A real loss ----------------------------------------------------------------------------------------------------------


def seen(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    for worn in (0.1, 0.2, 0.4, 0.8):
        for window, rows in (("day", 300), ("week", 2000)):
            days = 7 if window == "week" else 1
            cells = []
            aucs = []
            for mode in ("windows", "sequential"):
                repeats = max(3, round(8 * scale))
                waits: list[float] = []
                for _ in range(repeats):
                    data = stream(rng, 50, rows, days, 0, worn, 30)
                    m = watched(data, "first 15 windows", window, mode=mode)
                    name = "auc" if mode == "windows" else "brier"
                    hits = [a.window for a in m.alarms if a.signal == name and a.after == "firing"]
                    places = [i - 15 for i, w in enumerate(m.windows) if w.name in hits and i >= 15]
                    waits.append(min(places) + 1 if places else math.inf)
                    if mode == "windows":
                        aucs += [s.value.value for s in m.series("auc")[15:]]
                middle = float(np.median(waits))
                caught = sum(math.isfinite(w) for w in waits)
                cells += [f"{middle:.0f}" if math.isfinite(middle) else "more than 20", f"{caught} of {repeats}"]
            yield f"{100 * worn:.0f} %", f"{np.mean(aucs):.3f}", f"{window}, {rows:,} rows", *cells


# The page -------------------------------------------------------------------------------------------------------------


def table(head: tuple[str, ...], align: str, rows: list[tuple[str, ...]]) -> str:
    marks = {"l": "---", "r": "---:"}
    lines = [head, tuple(marks[a] for a in align), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def text(words: str) -> str:
    return textwrap.fill(" ".join(words.split()), 118)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=[], help="Print the rows of these studies alone, and no page.")
    asked = parser.parse_args()
    scale = asked.scale
    began = time.time()
    rng = np.random.default_rng(SEED)
    found = {}
    studies = {
        "stable": stable, "volume": volume, "cohorts": cohorts, "late": late, "sequential": sequential, "seen": seen,
    }  # fmt: skip
    for name, study in studies.items():
        if asked.only and name not in asked.only:
            continue
        since = time.time()
        found[name] = list(study(rng, scale))
        print(f"{name}: {time.time() - since:.0f} s")
        for row in found[name]:
            print("  ", *row, sep="  ")
    if asked.only:
        return
    alarms = (
        "windows", "rows each", "reference", "signals", "budget", "warnings, 1 window", "alarms, 1 window",
        "warnings, 2 in a row", "alarms, 2 in a row", "streams",
    )  # fmt: skip
    coming = (
        "windows", "rows vary", "rows each", "share of the budget", *alarms[5:-1], "fall to 70 % seen", "fall to 40 % seen",
        "streams",
    )  # fmt: skip
    entering = ("customers each", "warnings lost", *alarms[5:-1], "seen after", "streams")
    parts = [
        "# Does the monitor cry wolf, and does it see the wolf?",
        text(f"""Printed by `docs/studies/monitoring.py` in {time.time() - began:.0f} seconds; every figure is one that was seen.
        Scores are true chances, the AUC is about 0.815 and 30 % of the rows are positive."""),
        "## Stable streams",
        text("""Nothing changes. The budget is one false alarm per quarter; the column says how many that allows in the
        whole stream. Beside it the mean number of warnings and of alarms that fired, over all signals but the number of
        rows (see below), if one window were enough and if two in a row are needed, which is the default. A level is α =
        budget / (windows · signals), the features of a window being one signal by Benjamini and Hochberg's correction.
        Warnings keep to the budget by themselves; alarms, which need a loss beyond the margin or a large shift, stay far
        below it. A score or feature that differs by chance mostly has an index below 0.1 and is called negligible, so that
        most warnings are about the AUC."""),
        table(alarms, "lrllrrrrrr", found["stable"]),
        "## How many rows come",
        text("""Nothing changes, again. Windows vary by chance alone (Poisson), by more than chance (each window has a rate of
        its own, which varies by 20 % or 50 %), in spells (rates that vary by 20 % and remember 0.7 of the last one), or
        by the day of the week. The first ten windows are the reference. The share of the budget is that of one signal
        among three. A warning is a number of rows outside of what was to be expected, an alarm one that is also less
        than half or more than twice the usual. Two windows in a row keep to the share everywhere; one alone is a little
        above it where windows vary by more than chance, clearly so where rows come in spells, and far above it in the
        second table. The last columns tell how often a lasting fall to 70 % or 40 % of the rows is seen within ten
        windows, two in a row being needed, after 35 windows."""),
        table(coming, "llrrrrrrrrr", found["volume"]),
        text("""Some streams are harder, and there one window alone (`for_=1`) does **not** keep the budget: where rates are
        log-normal (σ 0.6) or only ten rows a day come and vary by half, it warns two to five times as often as it may.
        Two in a row, the default, keep to it there as well."""),
        table((*coming[:-3], "streams"), "llrrrrrrr", list(harder(20240102, scale))),
        "## Customers followed",
        text("""Weekly cohorts of customers, each scored four times within two weeks and followed for three; one of five leaves. The
        first ten cohorts are the reference, and 52 are judged by Q, which has a third of the budget: 1.33 false alarms. Below,
        from the 21st judged cohort on a share of the warnings does not come: cohorts until a warning or an alarm fired (the
        median, the first bad cohort being 1), two in a row being needed."""),
        table(entering, "rrrrrrrr", found["cohorts"]),
        "## Labels that come late",
        text("""Daily windows of 400 rows, looked at after 40, 50 and 60 days, the first 20 being the reference. Some labels
        are known within a day or so, the others after ten days and more. *Waiting* is the monitor as it is; *not waiting* is the
        same monitor given only the rows that have a label by then. Counted are looks at which a warning or an alarm about
        performance (AUC or accuracy) had fired. Nothing is wrong with the model."""),
        table(("soon known", "waiting", "not waiting", "immature windows a look"), "lrrr", found["late"]),
        "## Looks at any time",
        text("""A mean loss, looked at after every window for a year, nothing having changed. The share of streams in which a
        warning or alarm ever fired, at a nominal 5 %; beside it what a plain one-sided test at each look would do."""),
        table(("loss", "reference", "windows", "ever fired", "plain test", "streams"), "lrrrrr", found["sequential"]),
        "## A real loss",
        text("""From one window on a share of the outcomes has nothing to do with the scores any more. Windows until a warning
        or an alarm about performance fired (the median, the first bad window being 1) and how often one did within 20; by windows
        (AUC, two in a row) and looked at any time (Brier score)."""),
        table(
            ("outcomes lost", "AUC then", "windows", "by windows", "seen", "at any time", "seen "),
            "rrlrrrr",
            found["seen"],
        ),
    ]
    (HERE / "monitoring.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
