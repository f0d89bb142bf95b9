"""Profit and cost row by row: of levels, of rows with amounts of their own, with the spread of what a row earns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import find
from steelyard.measures.money import worth
from steelyard.summaries.confusion import Confusion

LEVELS = ("no", "yes")


def earned(target: list[str], said: list[str], amount: list[float]) -> list[float]:
    """What each row earns: 2 amounts less 5 for a hit, −amount for a miss, −3 for a false alarm, 1 otherwise."""
    return [
        (2 * a - 5 if s == "yes" else -a) if t == "yes" else (-3.0 if s == "yes" else 1.0)
        for t, s, a in zip(target, said, amount)
    ]


PROFIT = {"tp": "2 * amount - 5", "fn": "-amount", "fp": -3, "tn": 1}


@pytest.mark.parametrize("weights", [None, "frequency", "sampling"])
def test_what_rows_earn_and_how_it_spreads(weights: str | None) -> None:
    rng = np.random.default_rng(2)
    for _ in range(4):
        target, said = ([LEVELS[i] for i in rng.integers(0, 2, 12)] for _ in range(2))
        amount = rng.integers(-3, 9, 12).astype(float).tolist()
        w = [1.0] * 12 if weights is None else rng.integers(1, 4, 12).astype(float).tolist()
        data: dict[str, Any] = {"t": target, "s": said, "amount": amount, "w": w}
        given: dict[str, Any] = {} if weights is None else {"weight": "w", "weights": weights}
        e = sy.evaluate(
            data, target="t", prediction="s", positive="yes", levels=LEVELS, profit=sy.Profit(**PROFIT), **given
        )
        each, n = earned(target, said, amount), math.fsum(w)
        total = math.fsum(a * b for a, b in zip(w, each))
        squares = math.fsum(a * b * b for a, b in zip(w, each))
        c = e.confusion
        assert c is not None
        assert [float(x.sum()) for x in worth(c, e.payoff)] == pytest.approx([total, squares])
        for name, sign in (("profit", 1), ("cost", -1)):
            m = find(name)
            whole, case = m(c, payoff=e.payoff), m(c, payoff=e.payoff, per="case")
            assert float(whole.value) == pytest.approx(sign * total)
            assert float(case.value) == pytest.approx(sign * total / n)
            deviation = math.sqrt(max(squares / n - (total / n) ** 2, 0.0))
            assert float(case.deviation) == pytest.approx(deviation)  # type: ignore[union-attr]
            assert float(whole.deviation) == pytest.approx(n * deviation)  # type: ignore[union-attr]
            other = m(c, payoff=sy.Cost(tp=-1, fn=2, fp=3, tn=0))
            counts = [sum(x for x, a, b in zip(w, target, said) if (a, b) == cell) for cell in
                      (("yes", "yes"), ("yes", "no"), ("no", "yes"))]  # fmt: skip
            assert float(other.value) == pytest.approx(sign * (counts[0] - 2 * counts[1] - 3 * counts[2]))


def test_many_tables_at_once_earn_what_each_does_alone() -> None:
    c = Confusion.of([[4, 1], [2, 7]], (1, 0), 1)
    tables = np.array([[[4.0, 1.0], [2.0, 7.0]], [[1.0, 0.0], [3.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]])
    for name in ("profit", "cost"):
        m, payoff = find(name), sy.Profit(tp=5, fn=-2, fp=-3, tn=1)
        for per in ("total", "case"):
            alone = [float(m(c.replicate(t), payoff=payoff, per=per).value) for t in tables]
            found = m(c.replicate(tables), payoff=payoff, per=per).value
            assert np.asarray(found) == pytest.approx(alone, nan_ok=True)
