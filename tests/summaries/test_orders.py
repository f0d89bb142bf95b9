"""The order of rows within folds: pairs counted one by one, curves added with their pairs, and what that is worth in rows."""

from __future__ import annotations

import json
import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import CannotAdd
from steelyard.summaries import within_folds
from steelyard.summaries.scores import Scores
from steelyard.summaries.within_folds import NO_PAIRS, ONE_ROW, Order, WithinFolds

ONE = ([0.1, 0.4, 0.6, 0.9, 0.4], [0, 1, 0, 1, 0])
TWO = ([5.1, 5.4, 5.2, 5.9, 5.4, 5.0], [0, 1, 1, 0, 0, 0])
THREE = ([0.2, 0.3, 0.8, 0.1], [1, 0, 1, 0])


def order(rows: Any, positive: int = 1) -> Order:
    return Order.of(Scores.of(*rows, positive=positive))


def pairs(rows: Any) -> tuple[float, float]:
    score, y = rows
    won = [(a > b) + (a == b) / 2 for (a, p), (b, q) in product(zip(score, y), repeat=2) if p == 1 and q == 0]
    return float(sum(won)), float(len(won))


def test_an_area_is_the_pairs_won_within_folds_over_all_of_them() -> None:
    for folds in ([ONE], [ONE, TWO], [TWO, ONE, THREE]):
        found = sum((order(f) for f in folds[1:]), start=order(folds[0]))
        won, whole = (sum(x) for x in zip(*map(pairs, folds)))
        assert found.area == pytest.approx(won / whole)
        sums = {"pairs": whole, "folds": len(folds), "silent": 0, "single": 0, "all": sum(len(f[0]) for f in folds)}
        counts = [(sum(f[1]), len(f[1]) - sum(f[1])) for f in folds]
        sums |= {"positives": sum(p for p, _ in counts), "rare": sum(p for p, _ in counts)}
        sums |= {"negatives": sum(n for _, n in counts)}
        sums |= {"by_positives": sum((p * n) ** 2 / p for p, n in counts)}
        sums |= {"by_negatives": sum((p * n) ** 2 / n for p, n in counts)}
        assert {k: found.sum(k) for k in sums} == pytest.approx(sums)
        table = found.table()
        p, n = table.positives, table.negatives
        assert float((p * (np.cumsum(n) - n / 2)).sum() / p.sum() / n.sum()) == pytest.approx(found.area)
        assert p.sum() / n.sum() == pytest.approx(sums["positives"] / sums["negatives"])
        assert table.levels == (0, 1) and table.positive == 1


def test_the_curve_is_that_of_the_fold() -> None:
    found = order(ONE)
    assert found.knots.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert found.low.tolist() == pytest.approx([0, 3, 6, 6]) and found.high.tolist() == pytest.approx([3, 3, 6, 6])
    both = order(ONE) + order(THREE)
    # At a third of the negatives: what ONE has there, and THREE a third of the way along its first straight part.
    assert np.interp(1 / 3, both.knots, both.high) == pytest.approx(3 + np.interp(1 / 3, [0, 0.5], [2, 2]))
    assert both.high[-1] == both.sum("pairs") and (np.diff(both.high) >= 0).all()


def variance(folds: list[Any], times: float) -> float:
    """Twelve times that of an area by chance: 1/p + 1/n of every fold by its pairs, and a last part that does not shrink."""
    counts = [(sum(f[1]), len(f[1]) - sum(f[1])) for f in folds]
    whole = sum(p * n for p, n in counts)
    first = times * sum((p * n) ** 2 * (1 / p + 1 / n) for p, n in counts) / whole**2
    all_p, all_n = sum(p for p, _ in counts), sum(n for _, n in counts)
    return first + max(whole * times**2 / (all_p * all_n), 1.0) / whole


def shared(folds: list[Any], times: float) -> float:
    """As its docstring has it; the nearest area to one half that the folds do not speak against, by small steps."""
    won, whole = (sum(x) for x in zip(*map(pairs, folds)))
    away, v = abs(won / whole - 0.5), variance(folds, times)

    def grown(distance: float) -> float:
        return 1 + 1 / (1 + distance**2 * 12 / v / 1.5**2)

    for k in range(51):
        near = away * (1 - k / 50)
        theta = min(0.5 + near, 1.0)
        spread = theta * (1 - theta) * ((1 - theta) / (2 - theta) + theta / (1 + theta)) / 2
        if k == 50 or away - near > 1.96 * math.sqrt(spread * v * grown(near)):
            return grown(near)
    raise AssertionError


FAR = (list(np.linspace(0, 1, 60)), [0] * 28 + [1, 0, 1, 0] + [1] * 28)


@pytest.mark.parametrize("times", [1.0, 2.0, 3.5])
@pytest.mark.parametrize("folds", [[ONE, TWO], [TWO, ONE, THREE], [FAR, FAR], [FAR, ONE]])
def test_what_an_order_is_worth_in_rows(folds: Any, times: float) -> None:
    found = sum((order(f) for f in folds[1:]), start=order(folds[0]))
    assert found.shared(times) == pytest.approx(shared(folds, times), abs=0.02)
    assert order(folds[0]).shared(times) == 1.0, "one fold has taught nobody"
    share = found.sum("positives") / (found.sum("positives") + found.sum("negatives"))
    rows = found.effective(times)
    # As many rows, of this share of positives, as have this variance: 1/p + 1/n + 1/(p n).
    p, n = rows * share, rows * (1 - share)
    assert 1 / p + 1 / n + 1 / (p * n) == pytest.approx(variance(folds, times) * found.shared(times))
    table = found.table(times, effect=1.5)
    told = (found.sum("positives") + found.sum("negatives")) / times
    assert float(table.total) == pytest.approx(told)
    assert table.effective == pytest.approx(min(rows / 1.5, told), rel=1e-6)
    assert table.weighting == ("sampling" if rows / 1.5 < told else "frequency")


def test_weights_count_by_the_rows_that_they_leave() -> None:
    score, y = ONE
    w = [1.0, 2.0, 0.5, 3.0, 1.0]
    e = sy.evaluate(target=y, score=score, weight=w, weights="sampling")
    found = Order.of(e.scores)
    p, n = 5.0, 2.5
    count_p, count_n = 25 / (4 + 9), 2.5**2 / (1 + 0.25 + 1)
    assert found.sum("by_positives") == pytest.approx((p * n) ** 2 / count_p)
    assert found.sum("by_negatives") == pytest.approx((p * n) ** 2 / count_n)


def test_folds_of_one_class_are_silent_and_say_so() -> None:
    alone, single = order(([0.3, 0.5], [1, 1])), order(([0.3], [0]))
    assert (alone.sum("silent"), alone.sum("single"), alone.why) == (1, 0, NO_PAIRS)
    assert (single.sum("silent"), single.sum("single"), single.why) == (1, 1, ONE_ROW)
    assert (alone + single).why == NO_PAIRS and (single + single).why == ONE_ROW
    both = order(ONE) + alone
    assert both.why == "" and both.area == order(ONE).area
    assert both.note == "from pairs within 1 fold; 1 of 2 folds lack one of the two classes and have no say"
    assert (order(ONE) + order(TWO)).note == "from pairs within 2 folds"
    assert both.shared(1.0) > 1.0, "what a silent fold taught was tested in the other"
    assert both.table().positives.sum() / both.table().total == pytest.approx(4 / 7), "of all rows, the silent ones too"
    assert order(ONE, positive=0).area == pytest.approx(1 - order(ONE).area)
    with pytest.raises(CannotAdd):
        order(ONE) + order(ONE, positive=0)


def test_a_long_curve_is_kept_at_even_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows = ([2.0, 3.0, *rng.random(200), -1.0], [1, 1, *rng.integers(0, 2, 200), 0])
    whole = order(rows)
    assert whole.exact and order(ONE).exact
    monkeypatch.setattr(within_folds, "MOST_KNOTS", 10)
    few = order(rows)
    assert not few.exact and few.knots.tolist() == pytest.approx(np.linspace(0, 1, 11))
    places = [np.flatnonzero(whole.knots <= x)[-1] for x in few.knots]
    for i, (x, k) in enumerate(zip(few.knots, places)):
        if whole.knots[k] == x:
            wanted = (whole.low[k], whole.high[k])
        else:
            share = (x - whole.knots[k]) / (whole.knots[k + 1] - whole.knots[k])
            wanted = (whole.high[k] + share * (whole.low[k + 1] - whole.high[k]),) * 2
        assert (few.low[i], few.high[i]) == pytest.approx(wanted)
    assert few.table().cells.blurred.any() and not whole.table().cells.blurred.any()
    assert few.area == pytest.approx(whole.area, abs=0.05) and few.high[0] > few.low[0] == 0
    cells = few.table().cells
    assert np.allclose(cells.high[cells.blurred] - cells.low[cells.blurred], 1 / len(cells.low)), "side by side"


def test_folds_are_saved_and_added_and_known_again() -> None:
    classes = {"a": [0.6, 0.2, 0.3, 0.1], "b": [0.3, 0.5, 0.3, 0.2], "c": [0.1, 0.3, 0.4, 0.7]}
    fits = [
        sy.evaluate(target=ONE[1], score=ONE[0]),
        sy.evaluate(target=["a", "b", "c", "c"], score=classes),
        sy.evaluate(target=[1.0, 2.0, 4.0], prediction=[1.5, 2.0, 3.0]),
    ]
    made = [WithinFolds.of(e.evidence) for e in fits]
    assert WithinFolds.of({}) is None
    for w, e in zip(made, fits):
        assert w is not None
        back = WithinFolds.from_dict(json.loads(json.dumps(w.to_dict())))
        assert back == w and w != w + w and w + w == w + w
        twice = w + w
        assert (twice.rows, twice.times, float(twice.total), w.rows) == (2 * w.rows, 1.0, 2.0 * w.rows, e.rows)
        half = twice.copies(0.5)
        assert (half.rows, half.times) == (w.rows, 2.0)
        assert (half + w).times == pytest.approx(1.5)
    scores, many, numbers = made
    assert scores is not None and many is not None and numbers is not None
    assert scores.alone and not (scores + scores).alone and not numbers.alone
    assert [o.positive for o in many.orders] == ["a", "b", "c"] and many.order("b") is many.orders[1]
    assert scores.order() is scores.orders[0]
    assert many.areas is not None
    for i, j in product(range(3), repeat=2):
        if i != j:
            mine, other = "abc"[i], "abc"[j]
            rows = [(s, int(t == mine)) for s, t in zip(classes[mine], "abcc") if t in (mine, other)]
            won, whole = pairs(list(zip(*rows)))
            assert many.areas[i, j].tolist() == [whole, won]
    assert scores != numbers and many != scores
    assert numbers.numbers is not None and float(numbers.numbers.get(1, 0)) == 0.0
    assert all(a <= b for a, b in pairwise(scores.orders[0].knots))
