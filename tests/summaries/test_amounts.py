"""Sums of per-row amounts: they add, they are kept, and any payoff can be read from them later."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import CannotAdd, NotNumeric, UsageError
from steelyard.summaries.amounts import (
    MOST,
    Amounts,
    amount_sums,
    check_names,
    check_sizes,
    column_name,
    columns,
    powers,
    products,
    same_amounts,
)

N = 240
MATRIX = {v: {w: f"{i - j} * fee + {i * j} * price - {i}" for j, w in enumerate("abc")} for i, v in enumerate("abc")}
PAYOFFS: dict[str, Any] = {
    "scores": sy.Profit(tp=("fee - 1", "fee"), fn=-2, fp="-0.5 * price"),
    "labels": sy.Cost(MATRIX, nothing="a"),
    "classes": sy.Profit(MATRIX),
}


def rows(seed: int, n: int = N) -> dict[str, Any]:
    """Amounts in quarters and weights in eighths: sums in any order are exactly the same."""
    rng = np.random.default_rng(seed)
    share = rng.integers(1, 9, (n, 3))
    return {
        "y": rng.integers(0, 2, n),
        "p": rng.integers(0, 1 << 14, n) / (1 << 14),
        "kind": rng.choice(list("abc"), n),
        "guess": rng.choice(list("abc"), n),
        **{f"p_{k}": share[:, i] / 8 for i, k in enumerate("abc")},
        "fee": rng.integers(-400, 400, n) / 4,
        "price": rng.integers(0, 80, n) / 4,
        "w": rng.integers(1, 30, n) / 8,
        "copies": rng.integers(1, 4, n),
        "who": rng.integers(0, 700, n),
        "where": rng.choice(["north", "south"], n),
        "part": rng.random(n) < 0.4,
    }


def cut(t: dict[str, Any], keep: Any) -> dict[str, Any]:
    return {k: v[keep] for k, v in t.items()}


def asked(kind: str, how: str) -> dict[str, Any]:
    roles: dict[str, Any] = {
        "scores": {"target": "y", "score": "p"},
        "labels": {"target": "kind", "prediction": "guess"},
        "classes": {"target": "kind", "score": {k: f"p_{k}" for k in "abc"}},
    }[kind]
    extra: dict[str, Any] = {
        "plain": {},
        "weights": {"weight": "w"},
        "copies": {"weight": "copies", "weights": "frequency"},
        "units": {"unit": "who", "segment": "where"},
        "everything": {"weight": "w", "unit": "who", "segment": "where", "validation": "part"},
    }[how]
    decide = {"decide": "profit"} if kind == "classes" else {}
    return {**roles, **extra, **decide, "value": ["fee", "price"], "profit": PAYOFFS[kind]}


HOWS = ("plain", "weights", "copies", "units", "everything")


@pytest.mark.parametrize("kind", PAYOFFS)
@pytest.mark.parametrize("gridded", [False, True])
def test_halves_add_up_to_the_whole(kind: str, gridded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if gridded:
        monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 20)
        monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 20)
    for turn, how in enumerate(HOWS):
        t = rows(81 + turn)
        first = np.arange(N) < 90
        call = asked(kind, how)
        whole, e, f = (sy.evaluate(cut(t, keep), **call) for keep in (np.arange(N) >= 0, first, ~first))
        both = e + f
        assert both == whole == f + e
        for a, b in ((both, whole), *((both.segments[k], whole.segments[k]) for k in whole.segments)):
            assert a.confusion is not None and b.confusion is not None
            np.testing.assert_array_equal(a.confusion.amounts.sums, b.confusion.amounts.sums)
            x, y = a.profit(), b.profit()
            assert (x.value, x.low, x.high, x.band) == (y.value, y.low, y.high, y.band)
            assert [p.to_dict() for p in x.policies] == [p.to_dict() for p in y.policies]
        if gridded and kind == "scores":
            assert both.scores is not None and both.scores.cells.gridded
        if how == "everything":
            assert both.validation is not None and both.validation.rows + both.rows == N


def test_an_exact_half_joins_one_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    t, call = rows(86), asked("scores", "weights")
    first = np.arange(N) < 90
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 100)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 100)
    small, large = (sy.evaluate(cut(t, keep), **call) for keep in (first, ~first))
    assert small.scores is not None and large.scores is not None
    assert not small.scores.cells.gridded and large.scores.cells.gridded
    assert small + large == sy.evaluate(t, **call)


def test_a_level_or_segment_that_one_half_lacks() -> None:
    t = rows(87)
    north, south = (sy.evaluate(cut(t, t["where"] == w), **asked("labels", "units")) for w in ("north", "south"))
    assert list((north + south).segments) == ["north", "south"]
    assert north + south == sy.evaluate(t, **asked("labels", "units"))
    halves = []
    for kinds, levels in (("ab", ["a", "b", "z"]), ("c", ["c", "a", "y"])):
        part = cut(t, np.isin(t["kind"], list(kinds)))
        halves.append(sy.evaluate(part, target="kind", prediction="kind", value="fee", levels=levels).confusion)
    both = halves[0] + halves[1]
    whole = sy.evaluate(t, target="kind", prediction="kind", value="fee").confusion.over(both.levels)
    assert both.levels == ("a", "b", "c", "y", "z")
    np.testing.assert_array_equal(both.counts, whole.counts)
    np.testing.assert_array_equal(both.amounts.sums, whole.amounts.sums)


@pytest.mark.parametrize("kind", PAYOFFS)
@pytest.mark.parametrize("how", HOWS)
def test_saved_and_loaded(kind: str, how: str, tmp_path: Path) -> None:
    e = sy.evaluate(rows(88), **asked(kind, how), missing="drop")
    e.save(tmp_path / "e.json")
    found = sy.load(tmp_path / "e.json")
    assert found == e and found.payoff == e.payoff and type(found.payoff) is type(e.payoff)
    assert found.to_dict() == json.loads(json.dumps(e.to_dict(), allow_nan=False))
    assert found.profit().to_dict() == e.profit().to_dict()
    assert (found.validation is None) == (e.validation is None)
    if e.validation is not None:
        assert found.validation == e.validation
    assert found.plus(e, twice=True) == e.plus(e, twice=True)


def test_what_differs_is_not_added() -> None:
    t = rows(89)
    base = asked("scores", "plain")
    e = sy.evaluate(t, **base)
    profit = base.pop("profit")
    for other, words in (
        ({"profit": sy.Profit(tp="fee", fp=-1)}, "outcomes are worth something else in one than in the other"),
        ({"profit": profit.as_cost()}, "outcomes are worth something else"),
        ({"profit": profit.relative_to_nothing()}, "outcomes are worth something else"),
        ({}, "outcomes are worth something else"),
        (
            {"profit": profit, "value": ["price", "fee"]},
            'per-row amounts are "fee", "price" in one, "price", "fee" in the',
        ),
        ({"profit": profit, "value": ["fee", "price", "w"]}, 'in one, "fee", "price", "w" in the other'),
        ({"value": None}, 'per-row amounts are "fee", "price" in one, none in the other'),
        ({"profit": profit, "weight": "w"}, "one has no weights, the other sampling weights"),
    ):
        with pytest.raises(CannotAdd, match=words) as found:
            e + sy.evaluate(t, **(base | other))
        assert found.value.hint
    labels, plain = (
        sy.evaluate(t, target="kind", prediction="guess", **extra) for extra in ({"value": "fee"}, {"value": None})
    )
    for a, b in ((labels, plain), (plain, labels)):
        with pytest.raises(
            CannotAdd, match=r'per-row amounts are ("fee" in one, none|none in one, "fee") in the other'
        ):
            a + b


def test_powers_of_a_payoff_from_sums_of_products() -> None:
    rng = np.random.default_rng(90)
    for several in (1, 2, 4):
        v = rng.normal(0, 3, (several, 50))
        coefficients = rng.normal(0, 2, 1 + several)
        if several == 4:
            coefficients[2] = 0.0
        worth = coefficients[0] + np.einsum("i,ij->j", coefficients[1:], v)

        def of(which: tuple[int, ...], v: Any = v) -> Any:
            return np.asarray(np.prod([v[i] for i in which], axis=0).sum())

        for order in (1, 2, 3):
            found = powers(np.asarray(50.0), of, coefficients, order)
            assert len(found) == order
            for power, total in enumerate(found, start=1):
                assert float(total) == pytest.approx((worth**power).sum(), rel=1e-10, abs=1e-8)


def test_names_and_products() -> None:
    for several in range(1, MOST + 1):
        for order in (1, 2, 3):
            found = products(several, order)
            wanted = {p for n in range(1, order + 1) for p in combinations_with_replacement(range(several), n)}
            assert set(found) == wanted and len(found) == len(wanted)
        names = [column_name(c) for c in columns(several, "sampling")]
        assert len(set(names)) == len(names) == len(amount_sums(several, "sampling"))
        assert set(map(column_name, columns(several, "none"))) < set(names)
        assert columns(several, "none") == columns(several, "frequency")
    check_names("abcd")
    with pytest.raises(UsageError, match="At most 4 per-row amounts can be kept, and 5 came"):
        check_names("abcde")
    with pytest.raises(NotNumeric, match="too large to add up"):
        check_sizes(np.array([[1.0], [np.inf]]), 1)
    with pytest.raises(NotNumeric, match="too near zero to add up"):
        check_sizes(np.array([[1e-150], [1e-300]]), 1)
    same_amounts(("a", "b"), ["a", "b"])
    with pytest.raises(CannotAdd):
        same_amounts(("a", "b"), ("b", "a"))


def test_laid_out_anew() -> None:
    """One level against the rest, and other levels: amounts go where their counts go."""
    t = rows(91)
    c = sy.evaluate(t, target="kind", prediction="guess", value="fee", unit="who").confusion
    assert c is not None and c.amounts is not None and c.amounts.units is not None
    one = c.against_rest("b")
    for i, j in np.ndindex(2, 2):
        here = ((t["kind"] == "b") == bool(i)) & ((t["guess"] == "b") == bool(j))
        assert one.amounts.of((0,))[i, j] == t["fee"][here].sum()
        assert one.amounts.of((0, 0))[i, j] == (t["fee"][here] ** 2).sum()
        assert one.amounts.units.table[:, 0, i, j].sum() == t["fee"][here].sum()
    wide = c.over(("z", "c", "b", "a"))
    assert wide.amounts.of((0,))[2, 1] == c.amounts.of((0,))[1, 2] and not wide.amounts.sums[:, 0].any()
    assert Amounts.from_dict(json.loads(json.dumps(c.amounts.to_dict()))) == c.amounts
    assert Amounts.from_dict(None) is None
    assert c.amounts != Amounts(("other",), c.amounts.sums, c.amounts.units)
    assert c.amounts != Amounts(c.amounts.names, c.amounts.sums + 1, c.amounts.units)
    assert c.replicate(c.counts).amounts is None
