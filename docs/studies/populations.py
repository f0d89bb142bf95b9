"""Populations of known truth.

Every population can draw rows with a seeded generator and can lay itself out as a fine table: that table, evaluated with
its masses as frequency weights, gives the true value of every measure (integration over a grid, no simulation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, ndtr, ndtri

import steelyard as sy

MASS = 1e6
"""True tables carry this many rows' worth of mass; no value depends on it."""
Draw = Callable[[Generator], dict[str, Any]]


# Scores of two levels ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Binormal:
    """One normal feature a row, moved up by d for positives; the score is the chance of being positive, or a bend of it."""

    prevalence: float
    auc: float
    steps: int = 0
    bend: tuple[float, float] = (0.0, 1.0)

    @property
    def distance(self) -> float:
        return float(ndtri(self.auc) * np.sqrt(2))

    @property
    def threshold(self) -> float:
        return self.prevalence if self.prevalence < 0.2 else 0.5

    def score(self, x: Any) -> Any:
        d = self.distance
        # Without any signal an honest score would be one constant; a made-up slope keeps an order to judge.
        odds = np.log(self.prevalence / (1 - self.prevalence)) + (d * x - d * d / 2 if d > 0 else 0.8 * x)
        p = expit(self.bend[0] + self.bend[1] * odds)
        return (
            np.clip(np.round(p * self.steps) / self.steps, 0.02, 0.98) if self.steps else np.clip(p, 1e-12, 1 - 1e-12)
        )

    def truth(self) -> sy.Evaluation:
        grid = np.linspace(-8, 8 + self.distance, 200_001)
        s = self.score((grid[1:] + grid[:-1]) / 2)
        mass = np.concatenate(
            [np.diff(ndtr(grid)) * (1 - self.prevalence), np.diff(ndtr(grid - self.distance)) * self.prevalence]
        )
        target = np.repeat([0, 1], len(s))
        keep = mass > 1e-18
        return sy.evaluate(
            target=target[keep],
            score=np.tile(s, 2)[keep],
            weight=mass[keep] * MASS,
            weights="sampling",
            levels=[0, 1],
            positive=1,
            threshold=self.threshold,
        )

    def roles(self, y: Any, s: Any, **more: Any) -> dict[str, Any]:
        return dict(target=y.astype(int), score=s, levels=[0, 1], positive=1, threshold=self.threshold, **more)

    def rows(self, n: int) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            y = rng.random(n) < self.prevalence
            return self.roles(y, self.score(rng.normal(size=n) + self.distance * y))

        return draw

    def fixed(self, positives: int, negatives: int) -> Draw:
        """So many of each class, by design and not by chance."""

        def draw(rng: Generator) -> dict[str, Any]:
            y = np.repeat([True, False], [positives, negatives])
            return self.roles(y, self.score(rng.normal(size=len(y)) + self.distance * y))

        return draw

    def weighted(self, n: int) -> Draw:
        """Weights that have nothing to do with the row."""

        def draw(rng: Generator) -> dict[str, Any]:
            return self.rows(n)(rng) | {"weight": rng.gamma(2.0, 0.5, n)}

        return draw

    def heavy(self, n: int, spread: float = 1.5) -> Draw:
        """Lognormal weights that have nothing to do with the row, a few of them very large."""

        def draw(rng: Generator) -> dict[str, Any]:
            return self.rows(n)(rng) | {"weight": rng.lognormal(0.0, spread, n)}

        return draw

    def thinned(self, n: int, keep: float) -> Draw:
        """All positives and a share of the negatives, which carry the weight of those left out."""

        def draw(rng: Generator) -> dict[str, Any]:
            y = rng.random(n) < self.prevalence / (self.prevalence + (1 - self.prevalence) * keep)
            s = self.score(rng.normal(size=n) + self.distance * y)
            return self.roles(y, s, weight=np.where(y, 1.0, 1 / keep))

        return draw

    def by_score(self, n: int) -> Draw:
        """Rows with high scores are looked at up to ten times as often, and weighted back."""

        def draw(rng: Generator) -> dict[str, Any]:
            y = rng.random(20 * n) < self.prevalence
            s = self.score(rng.normal(size=20 * n) + self.distance * y)
            chance = 0.1 + 0.9 * s
            kept = np.flatnonzero(rng.random(20 * n) < chance)[:n]
            return self.roles(y[kept], s[kept], weight=1 / chance[kept])

        return draw

    def counted(self, n: int) -> Draw:
        """Rows that are alike are written once, with how many there are."""

        def draw(rng: Generator) -> dict[str, Any]:
            y = rng.random(n) < self.prevalence
            s = self.score(rng.normal(size=n) + self.distance * y)
            alike, count = np.unique(np.stack([y, s]), axis=1, return_counts=True)
            return self.roles(alike[0] > 0, alike[1], weight=count.astype(float), weights="frequency")

        return draw

    def units(self, units: int, each: int = 10) -> Draw:
        """Rows of a unit share part of what makes them positive, and part of their feature."""

        def draw(rng: Generator) -> dict[str, Any]:
            unit = np.repeat(np.arange(units), each)
            y = shared(rng, unit, 0.3) < ndtri(self.prevalence)
            return self.roles(y, self.score(shared(rng, unit, 0.4) + self.distance * y), unit=unit)

        return draw

    def uneven(self, units: int, tail: float = 1.3) -> Draw:
        """Units of very unequal size: Pareto's law, at most 2,000 rows each."""

        def draw(rng: Generator) -> dict[str, Any]:
            each = np.minimum(np.ceil(3 * (1 + rng.pareto(tail, units))), 2000).astype(np.int64)
            unit = np.repeat(np.arange(units), each)
            y = shared(rng, unit, 0.3) < ndtri(self.prevalence)
            return self.roles(y, self.score(shared(rng, unit, 0.4) + self.distance * y), unit=unit)

        return draw


def shared(rng: Generator, unit: Any, part: float) -> Any:
    """Standard normal values of which this part of the variance belongs to the unit."""
    own = rng.normal(size=len(unit))
    return np.sqrt(part) * rng.normal(size=unit.max() + 1)[unit] + np.sqrt(1 - part) * own


def sizes(rng: Generator, units: int) -> Any:
    """Rows of units of very unequal size: Pareto with shape 1.3, from 4 to 2,000."""
    return np.minimum(np.ceil(4 * rng.random(units) ** (-1 / 1.3)), 2000).astype(int)


# Labels --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table of chances, actual level by predicted level."""

    base: tuple[float, ...]
    decay: float

    @property
    def chances(self) -> Any:
        """Misses by more steps are rarer."""
        k = np.arange(len(self.base))
        rows = np.exp(-self.decay * np.abs(k[:, None] - k[None, :]))
        return np.array(self.base)[:, None] * rows / rows.sum(axis=1, keepdims=True)

    @property
    def levels(self) -> list[Any]:
        return [0, 1] if len(self.base) == 2 else list("abcde"[: len(self.base)])

    def truth(self) -> sy.Evaluation:
        positive = 1 if len(self.base) == 2 else None
        return sy.evaluate(confusion=self.chances * MASS, levels=self.levels, positive=positive)

    def roles(self, cell: Any, **more: Any) -> dict[str, Any]:
        names = np.array(self.levels)
        k = len(names)
        return dict(target=names[cell // k], prediction=names[cell % k], levels=self.levels, kind="labels", **more)

    def pick(self, u: Any) -> Any:
        ends = np.cumsum(self.chances.ravel())
        return np.minimum(np.searchsorted(ends, u), len(ends) - 1)

    def rows(self, n: int) -> Draw:
        return lambda rng: self.roles(self.pick(rng.random(n)))

    def weighted(self, n: int) -> Draw:
        return lambda rng: self.roles(self.pick(rng.random(n)), weight=rng.gamma(2.0, 0.5, n))

    def heavy(self, n: int) -> Draw:
        """Weights that have nothing to do with the row, and of which a few carry most."""
        return lambda rng: self.roles(self.pick(rng.random(n)), weight=np.exp(1.5 * rng.normal(size=n)))

    def thinned(self, n: int, keep: float) -> Draw:
        """Only a share of the rows of the first level, weighted back."""

        def draw(rng: Generator) -> dict[str, Any]:
            cell = self.pick(rng.random(20 * n))
            first = cell < len(self.base)
            kept = np.flatnonzero(~first | (rng.random(20 * n) < keep))[:n]
            return self.roles(cell[kept], weight=np.where(first[kept], 1 / keep, 1.0))

        return draw

    def counted(self, n: int) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            cell, count = np.unique(self.pick(rng.random(n)), return_counts=True)
            return self.roles(cell, weight=count.astype(float), weights="frequency")

        return draw

    def units(self, units: int, each: int = 10, *, unequal: bool = False) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            unit = np.repeat(np.arange(units), sizes(rng, units) if unequal else each)
            k = len(self.base)
            actual = np.minimum(np.searchsorted(np.cumsum(self.base), ndtr(shared(rng, unit, 0.3))), k - 1)
            within = np.cumsum(self.chances / np.array(self.base)[:, None], axis=1)
            u = ndtr(shared(rng, unit, 0.3))
            predicted = np.minimum((u[:, None] > within[actual]).sum(axis=1), k - 1)
            return self.roles(actual * k + predicted, unit=unit)

        return draw


@dataclass(frozen=True)
class ManyLevels(Table):
    """Rows of any level are right with one chance, and else any level at random, the right one too; `decay` is that chance."""

    @property
    def chances(self) -> Any:
        k = len(self.base)
        return np.array(self.base)[:, None] * (np.eye(k) * self.decay + (1 - self.decay) / k)

    @property
    def levels(self) -> list[Any]:
        return [f"level {i:03d}" for i in range(len(self.base))]


# A score for each class ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clouds:
    """Normal clouds in the plane, one a class; the scores are the chances of the classes, sharpened by `bend`."""

    base: tuple[float, ...]
    apart: float
    bend: float = 1.0

    @property
    def centres(self) -> Any:
        # Angles that are not quite even, so that no two classes tie by symmetry.
        angle = (
            2 * np.pi * (np.arange(len(self.base)) + 0.13 * np.sin(np.arange(len(self.base)) + 1.0)) / len(self.base)
        )
        return self.apart * np.stack([np.cos(angle + 0.3), np.sin(angle + 0.3)], axis=1)

    @property
    def levels(self) -> list[str]:
        return list("abcdefghij"[: len(self.base)])

    def scores(self, x: Any) -> Any:
        odds = np.log(self.base) - ((x[:, None, :] - self.centres) ** 2).sum(axis=2) / 2
        p = np.exp(self.bend * (odds - odds.max(axis=1, keepdims=True)))
        return np.clip(p / p.sum(axis=1, keepdims=True), 1e-12, 1 - 1e-12)

    def roles(self, y: Any, p: Any, **more: Any) -> dict[str, Any]:
        return dict(target=np.array(self.levels)[y], score={v: p[:, i] for i, v in enumerate(self.levels)}, **more)

    def truth(self) -> sy.Evaluation:
        side = np.linspace(-5.2, 5.2, 301 if len(self.base) < 5 else 251)
        x = np.stack(np.meshgrid(side * (1 + self.apart / 5), side * (1 + self.apart / 5) + 0.003), axis=-1).reshape(
            -1, 2
        )
        dense = np.exp(-((x[:, None, :] - self.centres) ** 2).sum(axis=2) / 2) * np.array(self.base)
        mass = (dense / dense.sum()).ravel()
        y = np.tile(np.arange(len(self.base)), len(x))
        p = np.repeat(self.scores(x), len(self.base), axis=0)
        keep = mass > 1e-14
        return sy.evaluate(**self.roles(y[keep], p[keep], weight=mass[keep] * MASS, weights="sampling"))

    def drawn(self, rng: Generator, n: int) -> tuple[Any, Any]:
        y = np.minimum(np.searchsorted(np.cumsum(self.base), rng.random(n)), len(self.base) - 1)
        return y, self.scores(self.centres[y] + rng.normal(size=(n, 2)))

    def rows(self, n: int) -> Draw:
        return lambda rng: self.roles(*self.drawn(rng, n))

    def weighted(self, n: int) -> Draw:
        return lambda rng: self.roles(*self.drawn(rng, n), weight=rng.gamma(2.0, 0.5, n))

    def fixed(self, *counts: int) -> Draw:
        """So many rows of each class, by design and not by chance."""

        def draw(rng: Generator) -> dict[str, Any]:
            y = np.repeat(np.arange(len(self.base)), counts)
            return self.roles(y, self.scores(self.centres[y] + rng.normal(size=(len(y), 2))))

        return draw

    def units(self, units: int, each: int = 10) -> Draw:
        def draw(rng: Generator) -> dict[str, Any]:
            unit = np.repeat(np.arange(units), each)
            y = np.minimum(np.searchsorted(np.cumsum(self.base), ndtr(shared(rng, unit, 0.3))), len(self.base) - 1)
            x = self.centres[y] + np.stack([shared(rng, unit, 0.4), shared(rng, unit, 0.4)], axis=1)
            return self.roles(y, self.scores(x), unit=unit)

        return draw


# Numbers -------------------------------------------------------------------------------------------------------------
