"""The populations of the coverage study whose target is a quantity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from populations import MASS, Draw, shared, sizes
from scipy.special import expit
from scipy.stats import gamma, poisson
from scipy.stats import t as student

import steelyard as sy


@dataclass(frozen=True)
class Numbers:
    """Predictions spread normally; the target is the prediction plus an offset and noise, perhaps of heavy tail."""

    middle: float = 20.0
    spread: float = 2.0
    noise: float = 1.0
    offset: float = 0.2
    freedom: float = 0.0
    growing: float = 0.0
    whole: bool = False
    lognormal: bool = False
    """Predictions and targets of lognormal shape: exp(z), and exp(z + noise × e)."""

    def roles(self, z: Any, e: Any, **more: Any) -> dict[str, Any]:
        if self.lognormal:
            return dict(target=np.exp(z + self.noise * e), prediction=np.exp(z), kind="continuous", **more)
        prediction = self.middle + self.spread * z
        target = prediction + self.offset + self.noise * np.exp(self.growing * z) * e
        if self.whole:
            prediction, target = np.round(prediction), np.round(target)
        return dict(target=target, prediction=prediction, kind="continuous", **more)

    def truth(self) -> sy.Evaluation:
        # Squares of a lognormal target lie further out, and are steeper, than its chances are.
        z = np.linspace(-7, 10, 401) if self.lognormal else np.linspace(-7, 7, 161)
        # The noise on a grid that is even in arcsinh reaches far into a tail with few points.
        v, step = np.linspace(-12.5 if self.freedom else -2.8, 12.5 if self.freedom else 2.8, 4000, retstep=True)
        e = np.sinh(v)
        if self.lognormal:
            v, step = np.linspace(-2.8, 2.8, 801, retstep=True)
            e = np.sinh(v)
        dense = student.pdf(e, self.freedom) if self.freedom else np.exp(-(e**2) / 2) / np.sqrt(2 * np.pi)
        mass = np.outer(np.exp(-(z**2) / 2), dense * np.cosh(v) * step).ravel()
        mass /= mass.sum()
        keep = mass > 1e-25
        roles = self.roles(np.repeat(z, len(e))[keep], np.tile(e, len(z))[keep])
        return sy.evaluate(**roles, weight=mass[keep] * MASS, weights="sampling")

    def errors(self, rng: Generator, n: int) -> Any:
        return rng.standard_t(self.freedom, n) if self.freedom else rng.normal(size=n)

    def rows(self, n: int) -> Draw:
        return lambda rng: self.roles(rng.normal(size=n), self.errors(rng, n))

    def weighted(self, n: int) -> Draw:
        return lambda rng: self.roles(rng.normal(size=n), self.errors(rng, n), weight=rng.gamma(2.0, 0.5, n))

    def heavy(self, n: int) -> Draw:
        """Weights that have nothing to do with the row, and of which a few carry most."""
        return lambda rng: self.rows(n)(rng) | {"weight": np.exp(1.5 * rng.normal(size=n))}

    def by_size(self, n: int) -> Draw:
        """Large predictions are looked at more often, and weighted back."""

        def draw(rng: Generator) -> dict[str, Any]:
            z = rng.normal(size=20 * n)
            chance = 0.1 + 0.9 * expit(2 * z)
            kept = np.flatnonzero(rng.random(20 * n) < chance)[:n]
            return self.roles(z[kept], self.errors(rng, n), weight=1 / chance[kept])

        return draw

    def counted(self, n: int) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            found = self.rows(n)(rng)
            alike, count = np.unique(np.stack([found["target"], found["prediction"]]), axis=1, return_counts=True)
            return found | {
                "target": alike[0],
                "prediction": alike[1],
                "weight": count.astype(float),
                "weights": "frequency",
            }

        return draw

    def units(self, units: int, each: int = 10, *, unequal: bool = False) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            unit = np.repeat(np.arange(units), sizes(rng, units) if unequal else each)
            return self.roles(shared(rng, unit, 0.5), shared(rng, unit, 0.4), unit=unit)

        return draw


@dataclass(frozen=True)
class Amounts:
    """Targets above zero about a mean that the prediction misses a little: counts, or amounts of a gamma distribution."""

    mean: float = 1.0
    shape: float = 0.0
    """Of the gamma distribution; 0 for Poisson's counts."""
    spread: float = 0.5
    off: float = 0.9
    """Predictions are the mean times this, raised to itself: too low, and too flat."""

    def means(self, z: Any) -> Any:
        return self.mean * np.exp(self.spread * z)

    def roles(self, means: Any, target: Any, **more: Any) -> dict[str, Any]:
        return dict(target=target, prediction=self.off * means**self.off, kind="continuous", **more)

    def targets(self, rng: Generator, means: Any) -> Any:
        if self.shape:
            return np.maximum(rng.gamma(self.shape, means / self.shape), 1e-12)
        return rng.poisson(means).astype(float)

    def truth(self) -> sy.Evaluation:
        z = np.linspace(-6, 6, 161)
        means = self.means(z)
        if self.shape:
            # Even in the logarithm of the share of its mean: logarithms reach far down.
            v = np.linspace(-60 / self.shape, np.log(60), 4000)
            share = np.exp(v)
            target, mass = (
                np.outer(means, share),
                np.tile(gamma.pdf(share, self.shape, scale=1 / self.shape) * share, (161, 1)),
            )
        else:
            count = np.arange(int(means.max() + 12 * np.sqrt(means.max()) + 12))
            target, mass = np.tile(count.astype(float), (161, 1)), poisson.pmf(count, means[:, None])
        mass = mass / mass.sum(axis=1, keepdims=True) * np.exp(-(z[:, None] ** 2) / 2)
        mass, keep = mass / mass.sum(), mass > 1e-25
        roles = self.roles(np.repeat(means, target.shape[1])[keep.ravel()], target[keep])
        return sy.evaluate(**roles, weight=mass[keep] * MASS, weights="sampling")

    def rows(self, n: int) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            means = self.means(rng.normal(size=n))
            return self.roles(means, self.targets(rng, means))

        return draw

    def weighted(self, n: int) -> Draw:
        return lambda rng: self.rows(n)(rng) | {"weight": rng.gamma(2.0, 0.5, n)}

    def units(self, units: int, each: int = 10) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            unit = np.repeat(np.arange(units), each)
            means = self.means(shared(rng, unit, 0.5))
            return self.roles(means, self.targets(rng, means), unit=unit)

        return draw
