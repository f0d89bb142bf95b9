"""A compiled walk over a very long score table; imported only when the table is long and Numba is installed."""

from __future__ import annotations

from steelyard.engines.kernels import compiled
from steelyard.results import Array


@compiled
def placement_walk(p: Array, n: Array, above: float) -> tuple[float, float, float]:  # pragma: no cover - compiled
    """Σ p b, Σ p b² and Σ n a² in one walk; `above` starts as the sum of p. Blocks keep the sums from losing digits."""
    won = from_positives = from_negatives = below = 0.0
    for start in range(0, len(p), 4096):
        w = x = y = 0.0
        for i in range(start, min(start + 4096, len(p))):
            pi, ni = p[i], n[i]
            b = below + 0.5 * ni
            a = above - 0.5 * pi
            below += ni
            above -= pi
            w += pi * b
            x += pi * b * b
            y += ni * a * a
        won += w
        from_positives += x
        from_negatives += y
    return won, from_positives, from_negatives
