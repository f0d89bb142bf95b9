"""How often the number of rows cries wolf: a part of `monitoring.py`, which prints it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from steelyard.monitors.alarms import follow
from steelyard.monitors.budget import budget_of
from steelyard.monitors.volume import judge_volume, volume_of
from steelyard.monitors.windows import Window

START = pd.Timestamp("2024-01-01")


def fired(series: list[Any], consecutive: int) -> tuple[int, int]:
    """How many warnings and alarms fire in each series of signals, however many windows in a row were asked for."""
    out = []
    for severity in ("warn", "alarm"):
        times = 0
        for signals in series:
            states = [s.state for s in follow([s.seen(severity) for s in signals], consecutive)]
            times += sum(
                b == "firing" and a in {"ok", "pending"} for a, b in zip(["ok", *states], states, strict=False)
            )
        out.append(times)
    return out[0], out[1]


def rates(rng: np.random.Generator, kind: str, n: int) -> Any:
    """How busy each window is, 1 on average."""
    if kind == "spread of 20 %":
        return rng.gamma(25, 1 / 25, n)
    if kind == "spread of 50 %":
        return rng.gamma(4, 1 / 4, n)
    if kind == "quiet weekends":
        return np.where(np.arange(n) % 7 >= 5, 0.3, 1.28)
    if kind == "quiet weekends, spread of 50 %":
        return rates(rng, "quiet weekends", n) * rates(rng, "spread of 50 %", n)
    if kind == "log-normal":
        return np.exp(rng.normal(-(0.6**2) / 2, 0.6, n))
    if kind == "busy spells":
        x = [0.2 * rng.normal()]
        for e in rng.normal(0, 0.2 * math.sqrt(1 - 0.7**2), n - 1):
            x.append(0.7 * x[-1] + e)
        return np.exp(x)
    return np.ones(n)


def volumes(made: list[Window], level: float, counts: list[int]) -> list[Any]:
    """The signals after the first ten windows."""
    n = len(counts) - 10
    return judge_volume(
        made[10 : 10 + n], counts[10:], [True] * n, volume_of(made[:10], counts[:10], [True] * 10), [level] * n
    )


def volume(rng: np.random.Generator, scale: float) -> Iterator[tuple[str, ...]]:
    kinds = ("by chance alone", "spread of 20 %", "spread of 50 %", "busy spells", "quiet weekends")
    for window, count, days in (("week", 52, 7), ("day", 365, 1)):
        level = budget_of("1 per quarter", pd.Timedelta(days=days).to_pytimedelta(), 3).alpha
        ends = [(START + pd.Timedelta(days=days * i)).tz_localize("UTC").to_pydatetime() for i in range(count + 11)]
        made = [Window(str(a), a, b) for a, b in pairwise(ends)]
        for kind in kinds[: 4 if window == "week" else 5]:
            for rows in (30, 1000):
                repeats = max(10, round(200 * scale))
                sums, caught = np.zeros(4), np.zeros(2)
                for _ in range(repeats):
                    rate = rows * rates(rng, kind, count + 10)
                    told = [volumes(made, level, rng.poisson(rate).tolist())]
                    sums += [*fired(told, 1), *fired(told, 2)]
                    for k, left in enumerate((0.7, 0.4)):
                        lost = np.where(np.arange(45) < 35, rate[:45], left * rate[:45])
                        late = volumes(made, level, rng.poisson(lost).tolist())[-10:]
                        caught[k] += "firing" in [s.state for s in follow([s.seen("warn") for s in late])]
                a, b, c, d = sums / repeats
                seen = (f"{100 * x / repeats:.0f} %" for x in caught)
                yield (
                    f"{count} {window}s", kind, f"{rows:,}", f"{count * days / (365.25 / 4) / 3:.2f}", f"{a:.2f}", f"{b:.2f}",
                    f"{c:.2f}", f"{d:.2f}", *seen, str(repeats),
                )  # fmt: skip


def harder(seed: int, scale: float) -> Iterator[tuple[str, ...]]:
    """Days whose numbers of rows vary as the signal does not expect."""
    rng = np.random.default_rng(seed)
    level = budget_of("1 per quarter", pd.Timedelta(days=1).to_pytimedelta(), 3).alpha
    ends = [(START + pd.Timedelta(days=i)).tz_localize("UTC").to_pydatetime() for i in range(376)]
    made = [Window(str(a), a, b) for a, b in pairwise(ends)]
    settings = (
        ("log-normal", 10), ("log-normal", 30), ("log-normal", 1000), ("spread of 50 %", 10), ("quiet weekends", 10),
        ("quiet weekends, spread of 50 %", 10),
    )  # fmt: skip
    for kind, rows in settings:
        repeats = max(10, round(40 * scale))
        sums = np.zeros(4)
        for _ in range(repeats):
            told = [volumes(made, level, rng.poisson(rows * rates(rng, kind, 375)).tolist())]
            sums += [*fired(told, 1), *fired(told, 2)]
        means = (f"{x:.2f}" for x in sums / repeats)
        yield ("365 days", kind, f"{rows:,}", f"{365 / (365.25 / 4) / 3:.2f}", *means, str(repeats))


if __name__ == "__main__":
    for row in harder(20240102, 1.0):
        print("| " + " | ".join(row) + " |")
