"""Profit and Cost: the same table however it is written, laid over any order of levels, turned, fixed and refused."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from steelyard import Cost, Profit
from steelyard.errors import BadPayoff
from steelyard.payoffs.amount import Amount, amount
from steelyard.payoffs.payoff import Payoff, from_dict

FLAGS = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}


def random_matrix(rng: np.random.Generator, levels: tuple[Any, ...]) -> dict[Any, dict[Any, str]]:
    def cell() -> str:
        a, b, c = np.round(rng.normal(0, 10, 3), 2).tolist()
        return f"{a} + {b} * value + {c} * fee"

    return {v: {w: cell() for w in levels} for v in levels}


def test_four_outcomes_are_the_matrix_of_two_levels() -> None:
    amounts = {"tp": 140, "fn": -140, "fp": "0.5 * value - 700", "tn": 3}
    by_name = Profit(**amounts)
    for order, positive in product(((0, 1), (1, 0)), (0, 1)):
        found = by_name.coefficients(order, positive, ("value",))
        for name, (actual, flagged) in FLAGS.items():
            at = (order.index(positive if actual else 1 - positive), order.index(positive if flagged else 1 - positive))
            wanted = amount(amounts[name])
            assert found[0][at] == wanted.constant
            assert found[1][at] == dict(wanted.per).get("value", 0.0)


def test_a_matrix_lies_over_the_levels_in_any_order() -> None:
    rng = np.random.default_rng(2)
    levels = ("a", "b", "c")
    written = random_matrix(rng, levels)
    for order in permutations(levels):
        for kind, sign in ((Profit, 1.0), (Cost, -1.0)):
            found = kind(written).coefficients(order, None, ("value", "fee"))
            for (i, v), (j, w) in product(enumerate(order), repeat=2):
                wanted = amount(written[v][w])
                row = {"value": 3.5, "fee": -2.0}
                assert found[0, i, j] + 3.5 * found[1, i, j] - 2.0 * found[2, i, j] == pytest.approx(
                    sign * wanted.at(row)
                )


def test_arrays_mappings_and_other_payoffs_say_the_same() -> None:
    table = np.array([[1.0, -2.0, 0.0], [0.5, 3.0, -1.0], [0.0, 0.0, 9.0]])
    names = ["x", "y", "z"]
    by_mapping = Profit({v: dict(zip(names, row, strict=True)) for v, row in zip(names, table.tolist(), strict=True)})
    for form in (table, table.tolist(), tuple(map(tuple, table.tolist())), list(table)):
        assert Profit(form, levels=names) == by_mapping
    assert Profit(Cost((-table).tolist(), levels=names)) == by_mapping
    assert Cost(by_mapping) == by_mapping.as_cost() != by_mapping
    assert Profit(table).bare and Profit(table).over([0, 1, 2]) == Profit(table, levels=[0, 1, 2])
    numbered = Profit(table, levels=np.array([0, 1, 2]), nothing=np.int64(1))
    assert json.loads(json.dumps(numbered.to_dict()))["levels"] == [0, 1, 2]


def test_cost_is_profit_with_the_sign_turned() -> None:
    made = Profit(tp=(100, 180), fn="-0.5 * value", fp=-7, tn=0)
    turned = made.as_cost()
    assert turned.cells[0][0] == (Amount(-180.0), Amount(-100.0))
    assert turned.as_profit() == made and made.as_profit() is made
    assert (made.sign, turned.sign) == (1.0, -1.0)
    np.testing.assert_array_equal(made.coefficients((0, 1), 1, ("v",)), turned.coefficients((0, 1), 1, ("v",)))


def test_middle_and_corners_of_ranges() -> None:
    made = Profit(tp=(100, 180), fp=("-0.1 * value", -4), tn=1)
    assert made.ranged and not made.middle().ranged and made.names == ("value",)
    assert made.middle().cells[0][0] == Amount(140.0)
    assert made.middle().cells[1][0] == amount("-0.05 * value - 2")
    corners = {(str(c.cells[0][0]), str(c.cells[1][0])) for c in made.corners()}
    assert corners == set(product(("100", "180"), ("-0.1 * value", "-4")))
    assert [c.cells for c in Profit(tp=1).corners()] == [Profit(tp=1).cells]
    many = Profit([[(0, i + j + 1) for j in range(4)] for i in range(4)])
    with pytest.raises(BadPayoff, match="At most 10 amounts can be ranges, and 16 are"):
        many.corners()


def test_relative_to_nothing_takes_off_what_nothing_is_worth() -> None:
    found = Profit(tp=140, fn=-140, fp="-value", tn=5).relative_to_nothing()
    assert found == Profit(tp=280, fp="-value - 5", relative=True)
    assert found.relative_to_nothing() is found and found.reference == "relative to doing nothing"
    written = {"a": {"a": 10, "b": 4}, "b": {"a": -1, "b": (2, 3)}}
    assert Profit(written, nothing="a").relative_to_nothing() == Profit(
        {"a": {"a": 0, "b": -6}, "b": {"a": 0, "b": (3, 4)}}, nothing="a", relative=True
    )
    with pytest.raises(BadPayoff, match='Which predicted level means doing nothing\\? There are "a", "b"'):
        Profit(written).relative_to_nothing()
    with pytest.raises(BadPayoff, match="What doing nothing is worth is a range"):
        Profit(written, nothing="b").relative_to_nothing()


def test_levels_are_found_as_files_write_them() -> None:
    written = {"0": {"0": 1, "1": 2}, "1": {"0": 3, "1": 4}}
    wanted = Profit(written).coefficients(("0", "1"), "1", ())
    for names in (("0", "1"), ("0.0", "1.0"), (0, 1), (0.0, 1.0), ("false", "true"), ("False", "True"), (False, True)):
        a, b = names
        made = Profit({a: {a: 1, b: 2}, b: {a: 3, b: 4}}, nothing=a)
        for levels in ((0, 1), (False, True)):
            if isinstance(a, bool) or str(a).lower() == "false":
                fits = levels[0] is False or isinstance(a, bool)
            else:
                fits = levels[0] is not False or not isinstance(a, str)
            if fits:
                np.testing.assert_array_equal(made.coefficients(levels, None, ()), wanted)
            else:
                with pytest.raises(BadPayoff, match="does not fit the target"):
                    made.coefficients(levels, None, ())
    # Whole numbers too long for a float stay apart, and so do texts that only read alike.
    long = Profit({str(2**60): {str(2**60): 1, str(2**60 + 1): 2}, str(2**60 + 1): {str(2**60): 3, str(2**60 + 1): 4}})
    np.testing.assert_array_equal(long.coefficients((2**60, 2**60 + 1), None, ()), wanted)
    alike = Profit({"1": {"1": 1, "01": 2}, "01": {"1": 3, "01": 4}})
    np.testing.assert_array_equal(alike.coefficients(("1", "01"), None, ()), wanted)
    with pytest.raises(BadPayoff, match="it has no amounts for 1"):
        alike.coefficients((1, 2), None, ())


def test_the_only_amount_answers_to_value() -> None:
    made = Profit(tp="value + 2 * fee", fp=-1)
    np.testing.assert_array_equal(made.coefficients((0, 1), 1, ("fee",))[1], [[0, 0], [0, 3]])
    np.testing.assert_array_equal(made.coefficients((0, 1), 1, ("fee", "value"))[1:, 1, 1], [2, 1])
    with pytest.raises(BadPayoff, match='per-row amounts that were not counted: "value"; counted: "fee", "other"'):
        made.coefficients((0, 1), 1, ("fee", "other"))
    with pytest.raises(BadPayoff, match='not counted: "fee", "value"; none were counted'):
        made.coefficients((0, 1), 1, ())


@pytest.mark.parametrize(
    "made",
    [
        Profit(tp=140, fn=-140, fp=-700, tn=0),
        Cost(tp=0.1, fp=1 / 3, relative=True),
        Profit(tp=(100, 180), fp="-0.1 * `list price` - 1e-7", fn=("value", "2 * value")),
        Cost({"a": {"a": 0, "b": "class * 2"}, "b": {"a": 1e30, "b": -0.0}}, nothing="b"),
        Profit([[1, 2], [3, 4]], levels=[True, False]),
        Profit([[1, 2], [3, 4]], levels=[0.5, 7]),
    ],
)
def test_saved_and_read_back(made: Payoff) -> None:
    text = json.dumps(made.to_dict(), allow_nan=False)
    found = from_dict(json.loads(text))
    assert found == made and type(found) is type(made) and found.levels == made.levels
    assert str(found) == str(made)


def test_what_cannot_be_meant_is_refused() -> None:
    two = {"a": {"a": 1, "b": 0}, "b": {"a": 0, "b": 1}}
    cases: list[tuple[Any, str]] = [
        (lambda: Profit(), r"told by tp, fn, fp and tn, or by a matrix of levels, and nothing came"),
        (lambda: Profit(two, tp=3), r"told by tp, .* and both came"),
        (lambda: Profit(tp=5, fn=5, fp=5, tn=5), r"This profit makes every decision equal"),
        (lambda: Cost([[1, 1], [2, 2]]), r"This cost makes every decision equal"),
        (lambda: Profit(tp="value", fn="value"), r"This profit makes every decision equal"),
        (lambda: Profit([[1, 2, 3], [4, 5, 6]]), r"must be square"),
        (lambda: Profit([[1, 2], [3, 4]], levels=["a"]), r"must be square"),
        (lambda: Profit([1, 2]), r"must be square"),
        (lambda: Profit(np.ones(4)), r"must be square"),
        (lambda: Profit(5), r"must be square"),
        (lambda: Profit(["ab", "cd"]), r"must be square"),
        (lambda: Profit([]), r"must be square"),
        (lambda: Profit({"a": 1, "b": 2}), r'maps each actual level to amounts by predicted level; "a", "b" does not'),
        (lambda: Profit({"a": {"a": 1, "b": 0}, "b": {"a": 0}}), r'lacks amounts for "b as b"'),
        (lambda: Profit({"a": {"a": 1, "b": 0}}), r'lacks amounts for "b as a", "b as b"'),
        (lambda: Profit(two, nothing="c"), r'Doing nothing is said to be "c", which is not among "a", "b"'),
        (lambda: Profit(Profit(two), nothing="c"), r'Doing nothing is said to be "c"'),
        (lambda: Profit(two, relative=True), r"Which predicted level means doing nothing\?"),
        (lambda: Profit(two, nothing="a", relative=True), r'rows predicted as "a" are worth nothing'),
        (lambda: Profit(tp=1, fn=-1, relative=True), r"what is not flagged is worth nothing: fn and tn must be 0"),
        (
            lambda: Profit({"a": {"a": "x y", "b": 0}, "b": {"a": 0, "b": 1}}),
            r'for "a" predicted as "a" cannot be read',
        ),
        (lambda: Profit(tp=1).coefficients((0, 1, 2), 1, ()), r"are for two levels, and the target has 0, 1, 2"),
        (lambda: Profit(tp=1).coefficients(("x", "y"), None, ()), r'need a positive level; the target has "x", "y"'),
        (lambda: Profit(two).coefficients(("a", "c"), None, ()), r'no amounts for "c"; the data hold no "b"'),
    ]
    for call, words in cases:
        with pytest.raises(BadPayoff, match=words) as found:
            call()
        assert found.value.hint
