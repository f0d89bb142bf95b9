"""What choices and bands promise at the edges: worthless scores, regions found where they won, curves read upwards.

Scores are normal in both classes, so rates, costs and profits at any cut are known exactly. A repeat costs 5 ms for a curve
and 50 to 500 ms for a choice, which is why those have 500; TIMES=0.1 in the environment has a tenth, and the file says so.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from edges import Claim, Once, Scenario, run
from scipy.stats import norm

import steelyard as sy

Rng = np.random.Generator


def times(repeats: int) -> int:
    """So many repeats, or the share of them that the environment asks for."""
    return max(2, round(repeats * float(os.environ.get("TIMES", "1"))))


def apart(auc: float) -> float:
    """How far the means of two normal classes lie apart for this area."""
    return float(np.sqrt(2) * norm.ppf(auc))


def drawn(rng: Rng, n: int, share: float, auc: float, values: int = 0) -> tuple[Any, Any]:
    """Rows with both classes among them."""
    while True:
        y = (rng.random(n) < share).astype(int)
        if 0 < y.sum() < n:
            break
    s = rng.normal(size=n) + apart(auc) * y
    return y, np.digitize(s, ties(values, auc)) if values else s


def ties(values: int, auc: float) -> Any:
    """Where scores are cut into so many values."""
    return np.linspace(-1, 1 + apart(auc), values - 1)


def true_curve(auc: float, values: int) -> tuple[Any, Any]:
    """False and true positive rates along the true curve."""
    cuts = ties(values, auc)[::-1] if values else np.linspace(-8, 8 + apart(auc), 40001)[::-1]
    return np.r_[0, norm.sf(cuts), 1], np.r_[0, norm.sf(cuts - apart(auc)), 1]


def read_upwards(name: str, n: int, share: float, auc: float, x: float, values: int = 0, heavy: float = 0.0) -> Once:
    """Whether the band of a curve, read at x, holds the true height."""
    f, t = true_curve(auc, values)
    alarms = float(np.interp(x, t, f))
    truth = float(np.interp(x, f, t)) if name == "roc" else share * x / (share * x + (1 - share) * alarms)
    axis = "fpr" if name == "roc" else "recall"

    def once(rng: Rng) -> float:
        y, s = drawn(rng, n, share, auc, values)
        more = {"weight": rng.lognormal(0, heavy, n), "weights": "sampling"} if heavy else {}
        c = sy.evaluate(target=y, score=s, **more).curve(name).columns
        low, high = (float(np.interp(x, c[axis], c[k])) for k in ("low", "high"))
        return float(low - 1e-12 <= truth <= high + 1e-12)

    return once


def chosen(goal: Any, n: int, share: float, auc: float, kind: str = "covers") -> Once:
    """Whether the corrected number at the best threshold holds what that threshold really brings; or how far off it is."""

    def once(rng: Rng) -> float:
        y, s = drawn(rng, n, share, auc)
        what = sy.Profit(tp=goal[0], fp=-goal[1], relative=True) if isinstance(goal, tuple) else goal
        t = sy.evaluate(target=y, score=s).best_threshold(what)
        cut = np.inf if t.value is None else t.value
        tpr, fpr = norm.sf(cut - apart(auc)), norm.sf(cut)
        if isinstance(goal, tuple):
            truth = n * (share * tpr * goal[0] - (1 - share) * fpr * goal[1])
        elif goal == "f1":
            truth = 2 * share * tpr / (share * tpr + (1 - share) * fpr + share)
        else:
            truth = tpr - fpr
        x = t.corrected
        low, high = (x.value if v is None else v for v in (x.low, x.high))
        return float(low - 1e-9 <= truth <= high + 1e-9) if kind == "covers" else float(x.value - truth)

    return once


def cost_at(skew: float, n: int, share: float, auc: float) -> Once:
    """Whether the band of the cost curve holds the least true cost at a skew."""
    cuts = np.linspace(-8, 9 + apart(auc), 20001)
    truth = float(min((skew * norm.cdf(cuts - apart(auc)) + (1 - skew) * norm.sf(cuts)).min(), skew, 1 - skew))

    def once(rng: Rng) -> float:
        y, s = drawn(rng, n, share, auc)
        c = sy.evaluate(target=y, score=s).curve("cost_curve").columns
        low, high = (float(np.interp(skew, c["skew"], c[k])) for k in ("low", "high"))
        return float(low - 1e-9 <= truth <= high + 1e-9)

    return once


def called_clear(n: int, share: float, first: float, second: float) -> Once:
    """Whether any region of two models tested on different rows is called clear."""

    def once(rng: Rng) -> float:
        e, f = (
            sy.evaluate(**dict(zip(("target", "score"), drawn(rng, n, share, a), strict=True))) for a in (first, second)
        )
        return float(any(p.clear for p in sy.regions({"a": e, "b": f}, prevalence=share).parts))

    return once


def contacted(n: int, share: float, auc: float, benefit: float, cost: float) -> Once:
    """Whether the corrected profit of the best campaign holds what that depth really earns."""
    cuts = np.linspace(-9, 9 + apart(auc), 20001)[::-1]
    capture = norm.sf(cuts - apart(auc))
    depth = share * capture + (1 - share) * norm.sf(cuts)

    def once(rng: Rng) -> float:
        y, s = drawn(rng, n, share, auc)
        c = sy.campaign(sy.evaluate(target=y, score=s), benefit=benefit, cost=cost)
        truth = n * (benefit * share * float(np.interp(c.depth, depth, capture)) - cost * c.depth)
        return float(c.corrected.low - 1e-9 <= truth <= c.corrected.high + 1e-9)

    return once


def curves(name: str) -> list[Scenario]:
    """Sizes, shares, areas, ties and weights."""
    settings: list[tuple[Any, ...]] = [
        (1000, 0.3, 0.7, 0.1),
        (5000, 0.5, 0.8, 0.2),
        (50, 0.5, 0.8, 0.3),
        (200, 0.3, 0.6, 0.5),
        (200, 0.5, 0.99, 0.1),
        (300, 5 / 300, 0.9, 0.2),
        (1000, 0.015, 0.8, 0.3),
        (5000, 0.01, 0.9, 0.5),
        (1000, 0.1, 0.95, 0.05),
        (500, 0.3, 0.8, 0.7, 5),
        (2000, 0.05, 0.9, 0.4, 10),
        (300, 0.95, 0.8, 0.2),
        (500, 0.3, 0.8, 0.3, 0, 1.0),
    ]
    out = []
    for i, s in enumerate(settings):
        n, share, auc, x, *rest = s
        more = (f", {rest[0]} values" if rest and rest[0] else "") + (", log-normal weights" if len(rest) > 1 else "")
        title = f"{name} at {x:g}: n {n:,}, {share:.3g} positives, AUC {auc:g}{more}"
        out.append(Scenario(title, read_upwards(name, *s), times(500), listed=i < 2))
    return out


CLAIMS = [
    Claim(
        "G7",
        "Bands of ROC and precision–recall curves, read upwards at a given x",
        "93–97 %",
        [*curves("roc"), *curves("pr")],
        "The band is that of the height at a given false positive rate or recall: Wilson's interval of the height and the place "
        "of the cut among the other class, distances squared and added. With few rows it errs on the wide side.",
        holds=(93, 97),
        reason="On the wide side, where one or two rows of a class lie above the cut (or below it): a limit of 0 or 1 "
        "holds whatever the truth, so that no band that is not drawn at random comes to 95 %. The band says so: "
        '"wider than needed where few rows decide".',
    ),
    Claim(
        "A10",
        "What the best threshold brings, less its optimism",
        "≥ 93 %",
        [
            Scenario(
                "worthless, profit 50/−10, base rate .16, n 500",
                chosen((50, 10), 500, 0.16, 0.5),
                times(500),
                listed=True,
            ),
            Scenario(
                "worthless, profit 50/−10, base rate .16, n 2,000",
                chosen((50, 10), 2000, 0.16, 0.5),
                times(500),
                listed=True,
            ),
            Scenario(
                "worthless, profit 19/−1, base rate .05, n 500",
                chosen((19, 1), 500, 0.05, 0.5),
                times(500),
            ),
            Scenario("worthless, Youden, base rate .16, n 300", chosen("youden", 300, 0.16, 0.5), times(500)),
            Scenario(
                "AUC .55, profit 50/−10, base rate .16, n 1,000",
                chosen((50, 10), 1000, 0.16, 0.55),
                times(500),
            ),
            Scenario(
                "AUC .85, profit 40/−1, base rate .02, n 2,000",
                chosen((40, 1), 2000, 0.02, 0.85),
                times(500),
            ),
        ],
        "Optimism by choosing in one half of the table and judging in the other, in units of the noise at the chosen cut.",
        holds=(93, 100),
    ),
    Claim(
        "G8",
        "The band of the cost curve at a skew",
        "95 %",
        [
            Scenario(
                "skew .8, n 1,000, .1 positives, AUC .8",
                cost_at(0.8, 1000, 0.1, 0.8),
                times(500),
                listed=True,
            ),
            Scenario("skew .2, n 300, .3 positives, AUC .8", cost_at(0.2, 300, 0.3, 0.8), times(500)),
            Scenario("skew .65, n 1,000, .05 positives, AUC .9", cost_at(0.65, 1000, 0.05, 0.9), times(500)),
        ],
        "Wilson's intervals of both rates at the chosen cut, less the optimism of choosing it.",
        holds=(93, 100),
    ),
    Claim(
        "G5",
        "Regions of two equal models called clear",
        "≤ 5 %",
        [
            Scenario(
                "n 300, .3 positives, AUC .8",
                called_clear(300, 0.3, 0.8, 0.8),
                times(500),
                listed=True,
            ),
            Scenario("n 1,000, .2 positives, AUC .7", called_clear(1000, 0.2, 0.7, 0.7), times(500)),
        ],
        "The saving must exceed what the largest saving at any skew does by chance (studentised, bootstrap).",
        holds=(0, 5),
    ),
    Claim(
        "G11 campaign",
        "The corrected profit of the best campaign",
        "≥ 93 %",
        [
            Scenario(
                "worthless order, n 500, 60 for a target, 10 a contact",
                contacted(500, 0.16, 0.5, 60, 10),
                times(500),
                listed=True,
            ),
            Scenario(
                "worthless order, n 1,000, 10 for a target, 1 a contact",
                contacted(1000, 0.1, 0.5, 10, 1),
                times(500),
            ),
            Scenario(
                "AUC .8, n 300, .05 targets, 40 for a target, 1 a contact", contacted(300, 0.05, 0.8, 40, 1), times(500)
            ),
            Scenario(
                "worthless order, n 2,000, .02 targets, 60 for one, 2 a contact",
                contacted(2000, 0.02, 0.5, 60, 2),
                times(500),
            ),
            Scenario(
                "AUC .9, n 200, .3 targets, 1.5 for a target, 1 a contact", contacted(200, 0.3, 0.9, 1.5, 1), times(500)
            ),
        ],
        "Optimism by halves, contacting everybody pays for its choice too, and of few contacts the limits of a share.",
        holds=(93, 100),
    ),
]

if __name__ == "__main__":
    run("worth", CLAIMS)
