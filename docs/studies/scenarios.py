"""The scenarios of the coverage study: which population is sampled, how, and how many rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from populations import Binormal, Clouds, Draw, ManyLevels, Table
from populations_numbers import Amounts, Numbers

import steelyard as sy

FALLING = sum(1 / (i + 5) for i in range(30))
"""What sizes of levels that fall with their rank add up to."""


@dataclass(frozen=True)
class Scenario:
    """How data are drawn, where the truth comes from, and what a reader needs to know about them."""

    name: str
    family: str
    group: str
    draw: Draw
    population: Binormal | Table | Clouds | Numbers
    rows: int
    traits: dict[str, Any] = field(default_factory=dict)

    def truth(self) -> sy.Evaluation:
        """The population itself, evaluated."""
        return self.population.truth()


def scenarios() -> list[Scenario]:
    """All of them, by family and group."""
    return [*_scores(), *_labels(), *_classes(), *_numbers()]


def _scores() -> Iterator[Scenario]:
    def make(name: str, group: str, p: Binormal, draw: Draw, rows: int, positives: float, **traits: Any) -> Scenario:
        traits |= {"positives": round(positives), "auc": p.auc, "prevalence": p.prevalence}
        return Scenario(name, "scores", group, draw, p, rows, traits)

    for n, prevalence, auc in (
        (30, 0.5, 0.8),
        (30, 0.2, 0.75),
        (100, 0.5, 0.9),
        (100, 0.2, 0.5),
        (200, 0.1, 0.9),
        (200, 0.05, 0.8),
        (300, 0.3, 0.99),
        (500, 0.1, 0.75),
        (1000, 0.3, 0.5),
        (1000, 0.05, 0.85),
        (1000, 0.01, 0.8),
        (5000, 0.01, 0.8),
        (5000, 0.3, 0.95),
        (20_000, 0.02, 0.9),
        (100_000, 0.1, 0.8),
        (100_000, 0.01, 0.99),
    ):
        p = Binormal(prevalence, auc)
        name = f"n {n:,}, base rate {prevalence:g}, AUC {auc:g}"
        yield make(name, "plain", p, p.rows(n), n, n * prevalence)
    for n, prevalence, auc, steps in ((100, 0.2, 0.75, 20), (200, 0.3, 0.8, 5), (1000, 0.3, 0.8, 20)):
        p = Binormal(prevalence, auc, steps)
        yield make(
            f"n {n:,}, {steps + 1} distinct scores", "ties and bent scores", p, p.rows(n), n, n * prevalence, ties=True
        )
    for n, prevalence, auc, bend, word in (
        (500, 0.3, 0.8, (0.0, 2.0), "too extreme"),
        (2000, 0.1, 0.85, (0.8, 1.0), "too high"),
        (10_000, 0.3, 0.75, (0.0, 2.0), "too extreme"),
        (1000, 0.3, 0.8, (-0.5, 0.5), "too flat and low"),
    ):
        p = Binormal(prevalence, auc, 0, bend)
        yield make(
            f"n {n:,}, scores {word}",
            "ties and bent scores",
            p,
            p.rows(n),
            n,
            n * prevalence,
            bent=True,
        )
    for n, prevalence, auc in ((300, 0.3, 0.8), (3000, 0.05, 0.85)):
        p = Binormal(prevalence, auc)
        yield make(f"n {n:,}, random weights", "weights", p, p.weighted(n), n, n * prevalence, weights="random")
    for n, prevalence, auc, keep in ((400, 0.05, 0.8, 0.1), (3000, 0.01, 0.85, 0.02)):
        p = Binormal(prevalence, auc)
        half = prevalence / (prevalence + (1 - prevalence) * keep)
        name = f"n {n:,}, 1 negative in {1 / keep:.0f} kept"
        yield make(name, "weights", p, p.thinned(n, keep), n, n * half, weights="informative")
    p = Binormal(0.2, 0.8)
    yield make("n 1,000, high scores kept more", "weights", p, p.by_score(1000), 1000, 400, weights="informative")
    p = Binormal(0.3, 0.8, 20)
    yield make("n 1,000, counted rows", "weights", p, p.counted(1000), 1000, 300, weights="frequency")
    for units, prevalence, auc in ((30, 0.3, 0.8), (100, 0.3, 0.8), (200, 0.05, 0.85), (500, 0.3, 0.9)):
        p = Binormal(prevalence, auc)
        yield make(
            f"{units} units, base rate {prevalence:g}",
            "units",
            p,
            p.units(units),
            units * 10,
            units * 10 * prevalence,
            units=units,
        )
    for positives, auc in ((1, 0.8), (2, 0.8), (5, 0.8), (15, 0.8), (1, 0.95), (2, 0.95), (5, 0.95), (15, 0.95)):
        p = Binormal(positives / (positives + 500), auc)
        words = f"{positives} positive{'s' * (positives > 1)} and 500 negatives by design, AUC {auc:g}"
        yield make(words, "few positives", p, p.fixed(positives, 500), 500 + positives, positives)
    for n, prevalence, auc in ((2000, 0.005, 0.9), (1000, 0.005, 0.8), (300, 0.01, 0.9)):
        p = Binormal(prevalence, auc)
        name = f"n {n:,}, base rate {prevalence:g}, AUC {auc:g}"
        yield make(name, "few positives", p, p.rows(n), n, n * prevalence)
    for n, prevalence, auc in ((200, 0.3, 0.8), (2000, 0.05, 0.85)):
        p = Binormal(prevalence, auc)
        yield make(f"n {n:,}, lognormal weights", "weights", p, p.heavy(n), n, n * prevalence / 4, weights="heavy")
    for units, prevalence in ((40, 0.3), (200, 0.1)):
        p = Binormal(prevalence, 0.8)
        name = f"{units} units of very unequal size"
        yield make(name, "units", p, p.uneven(units), units * 13, units * 13 * prevalence, units=units, uneven=True)


def _labels() -> Iterator[Scenario]:
    two, rare, sure = Table((0.6, 0.4), 1.4), Table((0.95, 0.05), 2.5), Table((0.6, 0.4), 3.5)
    three, five, uneven = Table((0.5, 0.3, 0.2), 1.4), Table((0.2,) * 5, 1.0), Table((0.5, 0.3, 0.15, 0.04, 0.01), 1.2)

    def make(name: str, t: Table, draw: Draw, rows: int, **traits: Any) -> Scenario:
        group = "two levels" if len(t.base) == 2 else "more levels"
        traits |= {"smallest": round(rows * min(t.base), 1)}
        return Scenario(name, "labels", group, draw, t, rows, traits)

    yield make("2 levels, n 30", two, two.rows(30), 30)
    yield make("2 levels, n 50, nearly perfect", sure, sure.rows(50), 50)
    yield make("2 levels, n 200", two, two.rows(200), 200)
    yield make("2 levels, n 300, one rare", rare, rare.rows(300), 300)
    yield make("2 levels, n 10,000, one rare", rare, rare.rows(10_000), 10_000)
    yield make("2 levels, n 300, random weights", two, two.weighted(300), 300, weights="random")
    yield make("2 levels, n 400, 1 in 10 of one level kept", rare, rare.thinned(400, 0.1), 400, weights="informative")
    yield make("2 levels, n 500, counted rows", two, two.counted(500), 500, weights="frequency")
    yield make("2 levels, 30 units", two, two.units(30), 300, units=30)
    yield make("2 levels, 200 units", two, two.units(200), 2000, units=200)
    for n in (100, 500, 2000):
        yield make(f"2 levels, n {n:,}, heavy weights", two, two.heavy(n), n, weights="heavy")
    for units in (20, 100):
        yield make(
            f"2 levels, {units} units of unequal size",
            two,
            two.units(units, unequal=True),
            units * 15,
            units=units,
            unequal=True,
        )
    for few in (1, 2, 5, 15):
        scarce = Table((1 - few / 400, few / 400), 2.5)
        yield make(f"2 levels, n 400, {few} of one level expected", scarce, scarce.rows(400), 400)
    yield make("3 levels, n 60", three, three.rows(60), 60)
    yield make("3 levels, n 1,000", three, three.rows(1000), 1000)
    yield make("3 levels, n 500, random weights", three, three.weighted(500), 500, weights="random")
    yield make("3 levels, n 500, 1 in 5 of one level kept", three, three.thinned(500, 0.2), 500, weights="informative")
    yield make("3 levels, 100 units", three, three.units(100), 1000, units=100)
    yield make("5 levels, n 200", five, five.rows(200), 200)
    yield make("5 levels, n 1,000, one at 1 %", uneven, uneven.rows(1000), 1000)
    yield make("5 levels, n 20,000, one at 1 %", uneven, uneven.rows(20_000), 20_000)
    many, falling = ManyLevels((0.02,) * 50, 0.7), ManyLevels(tuple(1 / (i + 5) / FALLING for i in range(30)), 0.7)
    yield make("50 levels, n 1,500", many, many.rows(1500), 1500)
    yield make("30 levels of very unequal size, n 900", falling, falling.rows(900), 900)


def _classes() -> Iterator[Scenario]:
    three, sharp, five = (
        Clouds((0.5, 0.3, 0.2), 1.2),
        Clouds((0.5, 0.3, 0.2), 1.2, 2.0),
        Clouds((0.3, 0.25, 0.2, 0.15, 0.1), 2.0),
    )

    def make(name: str, c: Clouds, draw: Draw, rows: int, **traits: Any) -> Scenario:
        return Scenario(name, "classes", "classes", draw, c, rows, traits | {"smallest": rows * min(c.base)})

    yield make("3 classes, n 100", three, three.rows(100), 100)
    yield make("3 classes, n 1,000", three, three.rows(1000), 1000)
    yield make("3 classes, n 500, too sharp", sharp, sharp.rows(500), 500)
    yield make("3 classes, n 500, random weights", three, three.weighted(500), 500, weights="random")
    yield make("3 classes, 100 units", three, three.units(100), 1000, units=100)
    yield make("5 classes, n 500", five, five.rows(500), 500)
    small = Clouds((0.6, 0.38, 0.02), 1.2)
    yield make("3 classes, one of 10 rows by design", small, small.fixed(300, 190, 10), 500)


def _numbers() -> Iterator[Scenario]:
    normal, poor, growing = Numbers(), Numbers(spread=0.3, offset=0.5), Numbers(growing=0.5)
    tail5, tail3, whole = Numbers(1000.0, freedom=5), Numbers(1000.0, freedom=3), Numbers(whole=True)

    def make(name: str, p: Numbers | Amounts, draw: Draw, rows: int, group: str, **traits: Any) -> Scenario:
        return Scenario(name, "continuous", group, draw, p, rows, traits)

    for n in (30, 200, 10_000):
        yield make(f"normal, n {n:,}", normal, normal.rows(n), n, "plain")
    yield make("poor model, n 50", poor, poor.rows(50), 50, "plain")
    yield make("tail t(5), n 200", tail5, tail5.rows(200), 200, "plain", tail=5)
    yield make("tail t(3), n 2,000", tail3, tail3.rows(2000), 2000, "plain", tail=3)
    yield make("noise grows, n 100", growing, growing.rows(100), 100, "plain", growing=True)
    yield make("noise grows, n 2,000", growing, growing.rows(2000), 2000, "plain", growing=True)
    yield make("n 300, random weights", normal, normal.weighted(300), 300, "weights and units", weights="random")
    yield make(
        "n 100, random weights, noise grows",
        growing,
        growing.weighted(100),
        100,
        "weights and units",
        weights="random",
        growing=True,
    )
    yield make(
        "n 1,000, large ones kept more", normal, normal.by_size(1000), 1000, "weights and units", weights="informative"
    )
    yield make(
        "n 1,000, large ones kept more, noise grows",
        growing,
        growing.by_size(1000),
        1000,
        "weights and units",
        weights="informative",
        growing=True,
    )
    yield make("n 500, whole numbers counted", whole, whole.counted(500), 500, "weights and units", weights="frequency")
    skewed = Numbers(noise=0.5, lognormal=True)
    for n in (30, 200, 2000):
        yield make(f"lognormal, n {n:,}", skewed, skewed.rows(n), n, "plain", lognormal=True)
    for n in (100, 500, 2000):
        yield make(f"n {n:,}, heavy weights", normal, normal.heavy(n), n, "weights and units", weights="heavy")
    for units in (20, 100):
        draw = normal.units(units, unequal=True)
        yield make(
            f"{units} units of unequal size", normal, draw, units * 15, "weights and units", units=units, unequal=True
        )
    for units in (30, 100, 500):
        yield make(f"{units} units", normal, normal.units(units), units * 10, "weights and units", units=units)
    for words, p, sizes in (
        ("counts of 1", Amounts(), (12, 30, 200, 2000)),
        ("counts of 0.1", Amounts(0.1), (30, 100, 1000)),
        ("counts of 10", Amounts(10.0), (30, 200)),
        ("gamma, shape 1", Amounts(100.0, 1.0), (12, 30, 200)),
        ("gamma, shape 5", Amounts(100.0, 5.0), (30, 200)),
    ):
        # The mean of 1 / y is infinite where y comes as near to 0 as an exponential does.
        none = {"no_truth": ("mape",)} if p.shape == 1 else {}
        for n in sizes:
            yield make(f"{words}, n {n:,}", p, p.rows(n), n, "counts and amounts", amounts=True, **none)
    p = Amounts(3.0)
    yield make("counts of 3, n 200, random weights", p, p.weighted(200), 200, "counts and amounts", weights="random")
    yield make("counts of 3, 40 units", p, p.units(40), 400, "counts and amounts", units=40)
