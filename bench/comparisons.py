"""Comparisons beside what they compare: part of `make bench`. Two models on many rows, and many models on many data sets."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROWS = 5_000_000
MODELS, SETS = 50, 100
REPEATS = 3


def alternating(functions: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The least CPU seconds of each; they take turns, so that a busy neighbour is one to all of them."""
    least = dict.fromkeys(functions, float("inf"))
    for _ in range(REPEATS):
        for name, function in functions.items():
            started = time.process_time()
            function()
            least[name] = min(least[name], time.process_time() - started)
    return least


def two_scores(rows: int) -> tuple[Any, Any, Any]:
    """Targets, and the probabilities of two models that have much in common."""
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.3).astype(np.int64)
    shared = rng.normal(size=rows) + 1.5 * y
    first, second = (1 / (1 + np.exp(1 - shared - noise * rng.normal(size=rows))) for noise in (0.4, 0.5))
    return y, first, second


def areas(say: Any) -> None:
    """DeLong's covariance of two models against one exact area."""
    import steelyard as sy
    from steelyard.comparisons.areas import area_difference, paired_areas

    y, first, second = two_scores(ROWS)
    truth = y == 1

    def one() -> Any:
        return sy.evaluate(target=y, score=first, exact=True)["auc"]

    def both() -> Any:
        return area_difference(paired_areas(truth, [first, second]))

    one(), both()  # compile once
    t = alternating({"one": one, "both": both})
    off = abs(both().values[0] - one().value)
    print(f"{ROWS:,} rows: one exact area {t['one']:.2f} s, two areas with their covariance {t['both']:.2f} s")
    say(
        f"{ROWS:,} scores: paired DeLong of two models / one exact area", f"{t['both'] / t['one']:.2f} x", "3 x at most"
    )
    say("  difference of the two areas", f"{off:.1e}", "rounding")


def ranks(say: Any) -> None:
    """Mean ranks of many models on many data sets, with every correction, the groups, a control and the diagram."""
    from steelyard.comparisons.ranks import friedman

    rng = np.random.default_rng(0)
    values = rng.normal(size=(SETS, MODELS)) + np.linspace(0, 1, MODELS)

    def told() -> None:
        found = friedman(values, control="model 1")
        for method in ("nemenyi", "holm", "shaffer"):
            found.cliques(method)
            found.paragraph(method)
        found.chart().svg()

    # The first run is what a user waits for; nothing is remembered from before.
    started = time.process_time()
    told()
    first = time.process_time() - started
    say(f"ranks of {MODELS} models on {SETS} data sets, all corrections, told", f"{first:.2f} s", "2 s")


def main(say: Any) -> None:
    """Print the lines."""
    areas(say)
    ranks(say)
