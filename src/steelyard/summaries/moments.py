"""Sums of powers of two columns about their own means, up to the fourth order, that merge without cancellation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np

from steelyard.results import Array, divide
from steelyard.summaries.summary import pack, unpack

ORDERS = tuple((i, d - i) for d in range(5) for i in range(d, -1, -1))
PLACE = {order: k for k, order in enumerate(ORDERS)}


@dataclass(frozen=True, eq=False, slots=True)
class Moments:
    """`sums[..., k]` is Σ w (x − centre₀)^i (y − centre₁)^j for the k-th of ORDERS; leading axes hold replicates."""

    sums: Array
    centre: Array

    @classmethod
    def zero(cls) -> Moments:
        """No rows yet."""
        return cls(np.zeros(len(ORDERS)), np.zeros(2))

    def get(self, i: int, j: int) -> Array:
        """Σ w (x − centre)^i (y − centre)^j."""
        return np.asarray(self.sums[..., PLACE[i, j]])

    @property
    def n(self) -> Array:
        """Sum of the weights."""
        return self.get(0, 0)

    def about(self, centre: Array) -> Moments:
        """The same sums about another point."""
        d = self.centre - centre
        shape = np.broadcast_shapes(self.sums.shape[:-1], np.shape(centre)[:-1])
        out = np.broadcast_to(self.sums, (*shape, len(ORDERS))).copy()
        # One column after the other; highest orders first, so that each reads what is still about the old point.
        for axis in (0, 1):
            step = d[..., axis]
            if not np.any(step):
                continue
            with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused by whoever counts
                powers = [step**k for k in range(1, 5)]
            for order in reversed(ORDERS):
                for less in range(1, order[axis] + 1):
                    lower = (order[0] - less, order[1]) if axis == 0 else (order[0], order[1] - less)
                    factor = comb(order[axis], less)
                    out[..., PLACE[order]] += factor * powers[less - 1] * out[..., PLACE[lower]]
        return Moments(out, np.broadcast_to(centre, (*out.shape[:-1], 2)))

    def centred(self) -> Moments:
        """The same sums about their own means."""
        n = self.n
        step = np.stack([divide(self.get(1, 0), n), divide(self.get(0, 1), n)], axis=-1)
        moved = self.about(self.centre + np.where(np.isnan(step), 0.0, step))
        moved.sums[..., PLACE[1, 0]] = 0.0
        moved.sums[..., PLACE[0, 1]] = 0.0
        return moved

    def __add__(self, other: Moments) -> Moments:
        if not np.any(self.n):
            return other
        if not np.any(other.n):
            return self
        share = (other.n / (self.n + other.n))[..., None]
        middle = self.centre + share * (other.centre - self.centre)
        a, b = self.about(middle), other.about(middle)
        return Moments(a.sums + b.sums, middle).centred()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return False
        # Rounding is a share of the spread, and of the distance from zero.
        n = np.maximum(self.n, 1e-300)
        spread = [np.sqrt(np.maximum(s, 0.0) / n) for s in (self.get(2, 0), self.get(0, 2))]
        scale = [s + 1e-6 * np.abs(self.centre[..., k]) for k, s in enumerate(spread)]
        size = np.stack([n * scale[0] ** i * scale[1] ** j for i, j in ORDERS], axis=-1)
        off = np.abs(self.centre - other.centre) <= 1e-9 * np.stack(scale, axis=-1)
        return bool((np.abs(self.sums - other.sums) <= 1e-8 * (size + np.abs(self.sums))).all() and off.all())

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"sums": pack(self.sums), "centre": pack(self.centre)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Moments:
        """Read back what `to_dict` wrote."""
        return cls(unpack(data["sums"]), unpack(data["centre"]))
