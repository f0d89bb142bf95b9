"""Decisions of the highest expected profit, against brute force row by row.

Probabilities are quarters and amounts small halves, so that every sum is exact and a tie is a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines.columns import bucket_of
from steelyard.errors import BadPayoff, MissingValues, NotAvailable, UsageError
from steelyard.summaries.amounts import columns

NAMES = ("value", "fee")


def shares(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """So many rows of k quarters that add up to one."""
    return rng.multinomial(4, rng.dirichlet(np.ones(k)), size=n) / 4


def extras(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Weights of either kind, units and segments, each only sometimes."""
    out: dict[str, Any] = {}
    kind = rng.choice(["none", "frequency", "sampling"])
    if kind == "frequency":
        out |= {"weight": rng.integers(1, 5, n), "weights": "frequency"}
    elif kind == "sampling":
        out |= {"weight": rng.integers(1, 40, n) / 8, "weights": "sampling"}
    if rng.random() < 0.4:
        out["unit"] = rng.integers(0, 6, n)
    if rng.random() < 0.4:
        out["segment"] = rng.choice(["north", "south"], n)
    return out


def payoff(rng: np.random.Generator, levels: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, Any, bool]:
    """A random matrix; what it makes of (actual, predicted, amounts); and whether that is a cost."""
    k, cost = len(levels), bool(rng.random() < 0.5)
    parts = rng.integers(-4, 5, (1 + len(names), k, k)) / 2
    parts[0, 0, 1] = parts[0, 0, 0] + 4.5
    matrix = {
        v: {
            w: " + ".join([repr(float(parts[0, i, j])), *(f"{parts[1 + q, i, j]} * {x}" for q, x in enumerate(names))])
            for j, w in enumerate(levels)
        }
        for i, v in enumerate(levels)
    }

    def of(actual: int, predicted: int, own: Any) -> float:
        return float(parts[0, actual, predicted] + sum(x * parts[1 + q, actual, predicted] for q, x in enumerate(own)))

    return (sy.Cost if cost else sy.Profit)(matrix), of, cost


def check(
    c: Any, names: tuple[str, ...], rows: list[tuple[int, int, float, tuple[float, ...], Any]], kind: str
) -> None:
    """A confusion matrix against rows of (actual, decided, weight, amounts, unit): counts, squares, amounts, units."""
    k = len(c.levels)
    counts, squares = np.zeros((k, k)), np.zeros((k, k))
    sums = {column: np.zeros((k, k)) for column in columns(len(names), kind)}
    for i, j, w, own, _ in rows:
        counts[i, j] += w
        squares[i, j] += w * w
        for squared, which in sums:
            sums[squared, which][i, j] += (w * w if squared else w) * np.prod([own[q] for q in which])
    np.testing.assert_array_equal(c.counts, counts)
    assert c.rows == len(rows)
    assert (c.squares is not None) == (kind == "sampling")
    if kind == "sampling":
        np.testing.assert_array_equal(c.squares, squares)
    for (squared, which), wanted in sums.items():
        np.testing.assert_array_equal(c.amounts.of(which, square=bool(squared)), wanted)
    if rows[0][4] is None:
        assert c.units is None
        return
    place = {int(b): at for at, b in enumerate(c.units.ids)}
    table, own_sums = np.zeros_like(c.units.table), np.zeros((len(place), len(names), k, k))
    for i, j, w, own, unit in rows:
        at = place[bucket_of(int(unit)) >> (16 - c.units.bits)]
        table[at, i, j] += w
        for q in range(len(names)):
            own_sums[at, q, i, j] += w * own[q]
    np.testing.assert_array_equal(c.units.table, table)
    if names:
        np.testing.assert_array_equal(c.amounts.units.table, own_sums)


def rows_of(t: dict[str, Any], truth: Any, decided: Any, own: Any, keep: Any) -> list[Any]:
    w, unit = t.get("weight", np.ones(len(truth))), t.get("unit")
    found = zip(truth.tolist(), decided, np.asarray(w, dtype=float).tolist(), own, range(len(truth)), strict=True)
    return [
        (i, j, weight, x, None if unit is None else unit[at])
        for (i, j, weight, x, at), k in zip(found, keep, strict=True)
        if k
    ]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_many_levels_by_brute_force(k: int) -> None:
    rng = np.random.default_rng([21, k])
    tied = 0
    for _ in range(25):
        n = int(rng.integers(1, 30))
        levels: tuple[Any, ...] = tuple("dbcae"[:k]) if rng.random() < 0.5 else tuple(rng.permutation(k).tolist())
        names = NAMES[: int(rng.integers(0, 3))]
        made, of, cost = payoff(rng, levels, names)
        p, truth = shares(rng, n, k), rng.integers(0, k, n)
        own = list(map(tuple, rng.integers(-8, 9, (n, len(names))).astype(float)))
        t = extras(rng, n)
        amounts = {"value": {x: np.array([o[q] for o in own]) for q, x in enumerate(names)}} if names else {}
        e = sy.evaluate(
            target=[levels[i] for i in truth],
            score={v: p[:, i] for i, v in enumerate(levels)},
            profit=made,
            decide="profit",
            **amounts,
            **t,
        )
        decided, total = [], 0.0
        for i, row, x, w in zip(truth, p, own, t.get("weight", np.ones(n)), strict=True):
            worth = [(-1 if cost else 1) * sum(row[a] * of(a, j, x) for a in range(k)) for j in range(k)]
            tied += sorted(worth)[-1] == sorted(worth)[-2]
            decided.append(worth.index(max(worth)))
            total += float(w) * of(i, decided[-1], x)
        kind = t.get("weights", "none")
        check(e.confusion, names, rows_of(t, truth, decided, own, np.ones(n, dtype=bool)), kind)
        for name, part in e.segments.items():
            check(part.confusion, names, rows_of(t, truth, decided, own, t["segment"] == name), kind)
        assert e.worth is not None
        assert e.worth.value == (e.cost() if cost else e.profit()).value == pytest.approx(total, rel=1e-12, abs=1e-12)
        assert e.facts["decided"] == "highest expected profit"
    assert tied > 3


def test_two_levels_with_one_score_row_by_row() -> None:
    rng = np.random.default_rng(22)
    tied = flagged = 0
    for _ in range(150):
        n = int(rng.integers(2, 30))
        levels: tuple[Any, Any] = [(0, 1), (False, True), ("no", "yes")][int(rng.integers(0, 3))]
        names = NAMES[: int(rng.integers(0, 3))]
        made, of, cost = payoff(rng, levels, names)
        sign = -1 if cost else 1
        place = 1 if levels[0] in (0, False) else int(rng.integers(0, 2))
        p, truth = rng.integers(0, 5, n) / 4, rng.integers(0, 2, n)
        own = list(map(tuple, rng.integers(-8, 9, (n, len(names))).astype(float)))
        t = extras(rng, n)
        amounts = {"value": {x: np.array([o[q] for o in own]) for q, x in enumerate(names)}} if names else {}
        e = sy.evaluate(
            target=np.array([levels[i] for i in truth], dtype=object),
            score=p,
            positive=levels[place],
            levels=levels,
            profit=made,
            decide="profit",
            **amounts,
            **t,
        )
        decided = []
        for chance, x in zip(p.tolist(), own, strict=True):
            gain = sign * (of(place, place, x) - of(place, 1 - place, x))
            loss = sign * (of(1 - place, 1 - place, x) - of(1 - place, place, x))
            tied += chance * gain == (1 - chance) * loss
            decided.append(place if chance * gain > (1 - chance) * loss else 1 - place)
        flagged += decided.count(place)
        kind = t.get("weights", "none")
        assert e.confusion is not None and e.confusion.levels == levels
        check(e.confusion, names, rows_of(t, truth, decided, own, np.ones(n, dtype=bool)), kind)
        for name, part in e.segments.items():
            check(part.confusion, names, rows_of(t, truth, decided, own, t["segment"] == name), kind)
    assert tied > 20 and flagged > 300


def test_without_amounts_of_their_own_rows_are_cut_at_the_break_even_probability() -> None:
    rng = np.random.default_rng(23)
    score = rng.integers(0, 1025, 500) / 1024
    y = (rng.random(500) < score).astype(int)
    made = sy.Profit(tp=30, fn=-5, fp=-12, tn=1)
    e = sy.evaluate(target=y, score=score, profit=made, decide="profit")
    point = e.profit().break_even
    assert point == pytest.approx(13 / 48)
    # At the break-even itself nobody is acted on; no score of so many lies there.
    assert not (score == point).any()
    assert e.at(point).confusion.counts.tolist() == e.confusion.counts.tolist()
    assert "decided" not in e.at(point).facts
    # The same decisions from one score for each level.
    both = sy.evaluate(target=y, score={0: 1 - score, 1: score}, positive=1, profit=made, decide="profit")
    assert both.confusion.counts.tolist() == e.confusion.counts.tolist()


def test_the_decision_beats_every_threshold_where_probabilities_are_right() -> None:
    """With amounts of their own, rows are decided better one by one than by any one cut, in expectation."""
    rng = np.random.default_rng(24)
    score = rng.beta(1, 3, 20_000)
    value = rng.lognormal(3, 1, 20_000)
    y = (rng.random(20_000) < score).astype(int)
    made = sy.Profit(tp="value - 10", fp=-10)
    by_row = sy.evaluate(target=y, score=score, value=value, profit=made, decide="profit").profit()
    promised = np.maximum(score * value - 10, 0).sum()
    assert by_row.low is not None and by_row.high is not None
    assert by_row.low < promised < by_row.high
    assert by_row.value is not None
    assert by_row.value > sy.evaluate(target=y, score=score, value=value).best_threshold(made).at.value


def test_rows_without_an_amount_are_not_decided() -> None:
    rows = {"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1], "v": [5.0, None, 7.0, float("inf")]}
    made = sy.Profit(tp="v", fp=-1)
    with pytest.raises(MissingValues, match="Of 4 rows, some cannot be used: 2 with a missing or infinite amount"):
        sy.evaluate(rows, target="y", score="p", profit=made, decide="profit")
    e = sy.evaluate(rows, target="y", score="p", profit=made, decide="profit", missing="drop", levels=[0, 1])
    assert e.rows == e.confusion.rows == 2 and e.facts["dropped"] == {"a missing or infinite amount": 2}
    assert e.profit().value == 12


def test_what_cannot_be_decided_is_refused() -> None:
    rows = {"y": [1, 0, 1, 0], "p": [0.9, 0.8, 7.0, 0.1], "q": [0.5] * 4, "c": ["a", "b", "c", "a"]}
    made = sy.Profit(tp=5, fp=-1)
    with pytest.raises(NotAvailable, match=r"some scores lie outside \[0, 1\]"):
        sy.evaluate(rows, target="y", score="p", profit=made, decide="profit")
    with pytest.raises(UsageError, match="needs to know what outcomes are worth"):
        sy.evaluate(rows, target="y", score="q", decide="profit")
    with pytest.raises(NotAvailable, match="the predictions are made already"):
        sy.evaluate(rows, target="y", prediction="y", profit=made, decide="profit")
    with pytest.raises(UsageError, match='decide="best" is not a choice'):
        sy.evaluate(rows, target="y", score="q", profit=made, decide="best")
    with pytest.raises(BadPayoff, match="are for two levels, and the target has"):
        sy.evaluate(rows, target="c", score={"a": "q", "b": "q", "c": "q"}, profit=made, decide="profit")
    with pytest.raises(UsageError, match="must be a Profit or a Cost, and a value of type dict came"):
        sy.evaluate(rows, target="y", score="q", profit={"tp": 5}, decide="profit")
