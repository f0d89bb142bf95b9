"""Random customers with scored events, and the quality worked out a second way."""

from __future__ import annotations

from typing import Any

import numpy as np

HORIZON = 31.0


def draw(rng: np.random.Generator, customers: int = 60, rate: float = 0.4, most: int = 6) -> dict[str, Any]:
    """Events and customers; some customers have no event."""
    left = np.zeros(customers, dtype=int)
    left[: max(2, round(rate * customers))] = 1
    rng.shuffle(left)
    per = rng.integers(0, most, customers)
    who = np.repeat(np.arange(customers), per)
    events = {
        "who": who,
        "day": np.round(rng.uniform(0, HORIZON, len(who)), 2),
        "p": rng.random(len(who)),
    }
    told = {
        "who": np.arange(customers),
        "left": left,
        "worth": rng.lognormal(0, 1, customers),
        "when": np.where(left == 1, rng.uniform(0, HORIZON, customers), np.nan),
    }
    return {"events": events, "told": told}


def by_quadrature(events: dict[str, Any], told: dict[str, Any], early: float, kernel: str, points: int = 4000) -> Any:
    """Q0 of every customer by the midpoint rule, event by event in plain Python."""
    found = []
    grid = (np.arange(points) + 0.5) * HORIZON / points
    for who, left in zip(told["who"], told["left"], strict=True):
        mine = sorted((d, p) for w, d, p in zip(events["who"], events["day"], events["p"], strict=True) if w == who)
        score = np.full(points, early)
        for day, p in mine:
            score[grid >= day] = p
        weight = 2 * (1 - grid / HORIZON) if left and kernel == "declining" else np.ones(points)
        found.append((1 if left else -1) * float((score * weight).mean()))
    return np.array(found)
