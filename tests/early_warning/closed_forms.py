"""What models that need no data score, worked out by hand."""

from __future__ import annotations


def trivial_models(b: float, name: str = "q") -> dict[str, float]:
    """In closed form at the base rate b.

    Q₀: always positive 2b − 1, always negative 0, perfect b, at random b(2b − 1). Q: (2b − 1)/2b, (1 − 2b)/2(1 − b), 1, 0.

    >>> {k: round(v, 4) for k, v in trivial_models(0.03).items()}
    {'always positive': -15.6667, 'always negative': 0.4845, 'at random': 0.0, 'perfect': 1.0}
    """
    plain = {"always positive": 2 * b - 1, "always negative": 0.0, "at random": b * (2 * b - 1), "perfect": b}
    if name == "q0":
        return plain
    return {k: (v - b * (2 * b - 1)) / (2 * b * (1 - b)) for k, v in plain.items()}
