"""How often the intervals of timeliness hold the true value, at a nominal 95%.

A large population of customers of each class is scored once; samples are drawn from it with replacement, each customer
positive with probability b, so that the truth is known exactly. Run: python docs/studies/timeliness.py [samples]
"""

from __future__ import annotations

import sys

import numpy as np

from steelyard.early_warning.alerts import _mean, _rate
from steelyard.early_warning.quality import estimate_quality, formula
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.engines.events import EventArrays
from steelyard.engines.weighing import Weighing

POPULATION = 20_000
HORIZON = 31.0
RATES = (0.03, 0.1, 0.25, 0.5)
SIZES = (200, 2000)
# The scores of positives are drawn from Beta(a, 4 - a) that drifts up over the period, those of negatives stay.
MODELS = {"weak": (0.9, 1.4), "fair": (0.5, 2.2), "strong": (0.15, 3.4)}


def population(rng: np.random.Generator, model: str) -> dict[int, dict[str, np.ndarray]]:
    """x, e and value of customers of each class; the second x and e are those of a rival model with other noise."""
    low, high = MODELS[model]
    found = {}
    for outcome in (0, 1):
        per = rng.poisson(3, POPULATION)
        who = np.repeat(np.arange(POPULATION), per)
        day = rng.uniform(0, HORIZON, len(who))
        a = low + (high - low) * outcome * (0.4 + 0.6 * day / HORIZON)
        base = rng.beta(a, 4 - a)
        value = rng.lognormal(0, 1, POPULATION)
        part = {"v": value}
        for name, score in (("", base), ("2", np.clip(base + rng.normal(0, 0.1, len(who)), 0, 1))):
            events = EventArrays(
                who, day, score, np.arange(POPULATION), np.full(POPULATION, float(outcome)), value, None, HORIZON
            )
            c = events.customers(Weighing(HORIZON))
            part |= {f"x{name}": c.scored, f"e{name}": c.before}
        found[outcome] = part
    return found


def features(part: dict[str, np.ndarray], *, paired: bool) -> list[np.ndarray]:
    x = part["x"] - part["x2"] if paired else part["x"]
    e = part["e"] - part["e2"] if paired else part["e"]
    return [np.ones_like(x), x, e, part["v"], part["v"] * x, part["v"] * e]


def main(samples: int) -> None:
    rng = np.random.default_rng(20)
    print("| model | b | customers | Q | Q₀ | Q by value | paired difference | no interval |")
    print("|---|---|---|---|---|---|---|---|")
    asked = {"q": False, "q0": False, "value_q": False, "gap": True}
    worst = {k: [1.0, 0.0] for k in asked}
    for model in MODELS:
        people = population(rng, model)
        for b in RATES:
            truth = {}
            for name, paired in asked.items():
                means = {c: [f.mean() for f in features(people[c], paired=paired)] for c in (0, 1)}
                read = formula("q" if paired else name, "base rate", (0.0, 0.0) if paired else (1.0, 1.0))
                truth[name] = read(means[1], means[0], b)
            for n in SIZES:
                hits, none = dict.fromkeys(asked, 0), 0
                for _ in range(samples):
                    outcome = (rng.random(n) < b).astype(int)
                    pick = rng.integers(0, POPULATION, n)
                    drawn = {k: np.where(outcome == 1, people[1][k][pick], people[0][k][pick]) for k in people[0]}
                    if min(outcome.sum(), n - outcome.sum()) < 2:
                        none += 1
                        continue
                    plain = TimelinessSummary.of(Weighing(HORIZON), outcome, drawn["x"], drawn["e"], drawn["v"])
                    gap = TimelinessSummary.of(
                        Weighing(HORIZON), outcome, drawn["x"] - drawn["x2"], drawn["e"] - drawn["e2"], drawn["v"]
                    )
                    for name, paired in asked.items():
                        totals = (0.0, 0.0) if paired else None
                        measure = "q" if paired else name
                        x = estimate_quality(gap if paired else plain, measure, "base rate", 0.95, totals)
                        hits[name] += x.low <= truth[name] <= x.high
                shares = {k: v / (samples - none) for k, v in hits.items()}
                for k, v in shares.items():
                    worst[k] = [min(worst[k][0], v), max(worst[k][1], v)]
                cells = " | ".join(f"{100 * v:.1f}%" for v in shares.values())
                print(f"| {model} | {b} | {n:,} | {cells} | {none} |", flush=True)
    print({k: [round(100 * float(x), 1) for x in v] for k, v in worst.items()})


def rates(samples: int) -> None:
    """The rate of alerts of 5,000 customers, of whom few are alerted, some of them more than once."""
    rng = np.random.default_rng(21)
    print("| alerts of a customer | customers alerted | gamma interval | Student's |")
    print("|---|---|---|---|")
    kinds = {"1": lambda k: np.ones(k), "1.5": lambda k: 1.0 + rng.poisson(0.5, k)}
    kinds["3"] = lambda k: rng.geometric(1 / 3, k).astype(float)
    for kind, draw in kinds.items():
        for expected in (0.5, 1, 2, 3, 5, 8, 12, 20, 30, 50):
            hits = np.zeros(2)
            for _ in range(samples):
                counts = draw(rng.poisson(expected))
                found = [f("rate", counts, 5000, 0.95, 5000.0) for f in (_rate, _mean)]
                hits += [x.low <= float(kind) * expected <= x.high for x in found]
            print(f"| {kind} | {expected} | {' | '.join(f'{100 * h / samples:.1f}%' for h in hits)} |", flush=True)


if __name__ == "__main__":
    rates(int(sys.argv[1]) if len(sys.argv) > 1 else 6000)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
