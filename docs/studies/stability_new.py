"""How often new values that a column has by nature are taken for a change: a table of the study of the stability decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.monitors.stability import stability

SEED = 20180625
SIZES = ((1_000, 1_000), (10_000, 1_000), (1_000, 4_000))
Draw = Callable[[np.random.Generator, int], Any]
RARE = (0.5, 0.3, 0.15, 0.047, 0.001, 0.001, 0.0005, 0.0005)
NUMBERS: dict[str, Draw] = {
    "normal": lambda r, n: r.normal(size=n),
    "Cauchy": lambda r, n: r.standard_cauchy(n),
    "amounts in cents, lognormal": lambda r, n: np.rint(100 * r.lognormal(3, 1, n)),
    "counts, geometric": lambda r, n: r.geometric(0.3, n),
    "counts, Poisson of 20": lambda r, n: r.poisson(20, n),
    "counts with a long tail (Zipf 2)": lambda r, n: np.minimum(r.zipf(2.0, n), 10**9),
    "counts with a longer tail (Zipf 1.6, at most 900)": lambda r, n: np.minimum(r.zipf(1.6, n), 900),
    "500 equally likely numbers": lambda r, n: r.integers(0, 500, n),
    "8 numbers, 4 of them rare": lambda r, n: r.choice(8, n, p=RARE),
    "0, and 1 in one row of 2,000": lambda r, n: (r.random(n) < 0.0005).astype(int),
    "0 in nine rows of ten": lambda r, n: np.where(r.random(n) < 0.9, 0.0, r.exponential(1, n)),
}
LEVELS = (
    "counts with a longer tail (Zipf 1.6, at most 900)",
    "8 numbers, 4 of them rare",
    "500 equally likely numbers",
)


def new_table(repeats: int) -> tuple[list[str], list[float]]:
    """Errors of columns with rare values, as numbers and as levels, all through the library."""
    rng = np.random.default_rng(SEED)
    kinds = NUMBERS | {f"{name}, as text": _texts(NUMBERS[name]) for name in LEVELS}
    head = " | ".join(f"{n:,} and {m:,} rows" for n, m in SIZES)
    lines, errors = [f"| column | {head} |", "|---|" + "---:|" * len(SIZES)], []
    for name, draw in kinds.items():
        told = []
        for n, m in SIZES:
            found = [stability(draw(rng, n), draw(rng, m)).decision for _ in range(repeats)]
            told.append(float(np.mean([d not in {"ok", "insufficient"} for d in found])))
        errors += told
        lines.append(f"| {name} | {' | '.join(f'{e:.1%}' for e in told)} |")
    return lines, errors


def _texts(draw: Draw) -> Draw:
    return lambda r, n: np.array([f"l{v}" for v in draw(r, n)])


def words(repeats: int) -> list[str]:
    """The section of the page."""
    lines, errors = new_table(repeats)
    return [
        "## Where new values are to be expected",
        "Both samples come from one law that has rare values, so that the current sample has some that the reference never had. "
        f"{repeats:,} pairs of samples a cell, all judged by the library; the Monte-Carlo error is about "
        f"{100 * np.sqrt(0.05 * 0.95 / repeats):.1f} points.",
        f"**Result.** At most {max(errors):.1%} are called changed, {np.mean(errors):.1%} on average, at the nominal 5 %.",
        "\n".join(lines),
    ]
