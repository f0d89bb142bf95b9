"""What numbers cost beside counting: one table of any size, many segments, many classes; CPU seconds and ratios in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import steelyard as sy

CURVES = ("roc", "pr", "gain", "lift", "ks", "calibration")
Say = Callable[[str, str, str], None]


def spent(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, which a busy neighbour moves less than the clock, and what came of it."""
    started = time.process_time()
    found = function()
    return time.process_time() - started, found


def scores(rows: int, rng: np.random.Generator) -> tuple[Any, Any]:
    y = (rng.random(rows) < 0.3).astype(np.int64)
    return y, 1 / (1 + np.exp(-(1.2 * rng.normal(size=rows) + 1.5 * y - 1.5)))


def told(e: sy.Evaluation) -> None:
    """Every number with its interval, and every curve there is."""
    e.rows_of_numbers()
    for name in CURVES if e.scores is not None else ():
        e.curve(name)


def kinds(rng: np.random.Generator) -> dict[str, Callable[[int], dict[str, Any]]]:
    """Rows of each kind of evidence."""

    def labels(levels: int) -> Callable[[int], dict[str, Any]]:
        def drawn(rows: int) -> dict[str, Any]:
            y = rng.integers(0, levels, rows)
            said = np.where(rng.random(rows) < 0.7, y, rng.integers(0, levels, rows))
            return {"target": y, "prediction": said, "kind": "labels"}

        return drawn

    def numbers(rows: int) -> dict[str, Any]:
        y = rng.normal(size=rows)
        return {"target": y, "prediction": y + rng.normal(size=rows)}

    return {
        "scores": lambda rows: dict(zip(("target", "score"), scores(rows, rng), strict=True)),
        "labels": labels(2),
        "labels of 10 classes": labels(10),
        "labels of 100 classes": labels(100),
        "numbers": numbers,
    }


def main(say: Say, sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)) -> None:
    rng = np.random.default_rng(0)
    for kind, drawn in kinds(rng).items():
        told(sy.evaluate(**drawn(500)))
        for rows in sizes:
            given = drawn(rows)
            counting, e = spent(lambda given=given: sy.evaluate(**given))
            reading, _ = spent(lambda e=e: told(e))
            seen = f"{1000 * reading:,.0f} ms, {reading / max(counting, 1e-3):.1f} x"
            say(f"{kind}, {rows:,} rows: numbers, intervals, curves / counting", seen, "100 ms or 3 x")
    y, score = scores(200_000, rng)
    sy.evaluate(target=y[:500], score=score[:500], segment=y[:500]).frame()
    for parts in (20, 200, 1_000):
        segment = rng.integers(0, parts, len(y))
        counting, e = spent(lambda segment=segment: sy.evaluate(target=y, score=score, segment=segment))
        reading, _ = spent(e.frame)
        say(f"{parts:,} segments of {len(y):,} scores, frame()", f"{1000 * reading / parts:.1f} ms each", "10 ms")
        given = {"target": y, "prediction": score >= 0.5, "segment": segment}
        reading, _ = spent(sy.evaluate(**given).frame)
        say(f"{parts:,} segments of {len(y):,} labels, frame()", f"{1000 * reading / parts:.1f} ms each", "10 ms")
    for classes, rows in ((10, 50_000), (30, 3_000)):
        truth = rng.integers(0, classes, rows)
        x = rng.random((rows, classes)) + 0.5 * np.eye(classes)[truth]
        x /= x.sum(axis=1, keepdims=True)
        e = sy.evaluate(target=truth, score={k: x[:, k] for k in range(classes)})
        reading, _ = spent(e.frame)
        say(f"scores of {classes} classes, {rows:,} rows, frame()", f"{1000 * reading / classes:,.0f} ms each", "none")


if __name__ == "__main__":
    main(lambda what, seen, target: print(f"{what:<66} {seen:>18}   target {target}", flush=True))
