"""Per-row amounts: the same sums from every form of table, by every path, and the same words where some are missing."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.engines import arrays, frames
from steelyard.errors import BadPayoff, MissingValues, NotNumeric, UnknownColumn, UsageError
from steelyard.summaries.amounts import columns

from .alike import alike
from .forms import FORMS, Col, Table, cents, evaluate
from .served import few

N = 80
GAPS: dict[int, Any] = {5: None, 6: math.nan, 7: math.inf, 8: -math.inf}


def _table() -> Table:
    r = random.Random(31)
    truth = [int(r.random() < 0.5) for _ in range(N)]
    p = [[r.randrange(1, 9) for _ in "abc"] for _ in range(N)]
    fee = [r.choice((0.0, -0.0, 0.1, r.gauss(5, 20), 10 ** r.uniform(-3, 4))) for _ in range(N)]
    return {
        "truth": Col("int", truth),
        "yes": Col("bool", [t == 1 for t in truth]),
        "word": Col("text", [("no", "yes")[t] for t in truth]),
        "kind": Col("category", [r.choice("abc") for _ in range(N)]),
        "guess": Col("text", [r.choice("abc") for _ in range(N)]),
        "score": Col("float", [r.choice((0.5, round(r.random(), 2), r.random())) for _ in range(N)]),
        **{f"p_{k}": Col("float", [row[i] / sum(row) for row in p]) for i, k in enumerate("abc")},
        "fee": Col("float", fee),
        "price": Col("decimal", [cents(abs(x)) for x in fee]),
        "pieces": Col("int", [r.randrange(-3, 9) for _ in range(N)]),
        "net": Col("float32", [float(np.float32(r.gauss(0, 3))) for _ in range(N)]),
        "returned": Col("bool", [r.random() < 0.3 for _ in range(N)]),
        "weight": Col("float", [r.choice((0.5, 1.0, r.random() + 0.1)) for _ in range(N)]),
        "copies": Col("int", [r.randrange(1, 5) for _ in range(N)]),
        "customer": Col("int", [r.randrange(25) for _ in range(N)]),
        "region": Col("text", [r.choice(("north", "south")) for _ in range(N)]),
        "gaps": Col("float", [GAPS.get(i, x) for i, x in enumerate(fee)]),
        "no score": Col("float", [None if i in {5, 9} else 0.5 for i in range(N)]),
        "few": Col("int", [None if i in {5, 20} else i for i in range(N)]),
    }


TABLE = _table()
SCORES = {"target": "truth", "score": "score"}
LABELS = {"target": "kind", "prediction": "guess"}
CLASSES = {"target": "kind", "score": {k: f"p_{k}" for k in "abc"}}
ONE, TWO = {"fee": "fee"}, {"fee": "fee", "pieces": "pieces"}
KINDS = {"price": "price", "pieces": "pieces", "net": "net", "returned": "returned"}
MATRIX = {
    "a": {"a": "fee", "b": -3, "c": "0.5 * pieces"},
    "b": {"a": 1, "b": "2 * pieces - fee", "c": 0},
    "c": {"a": -1, "b": 0, "c": 7},
}
EACH = sy.Profit(tp="fee - 1", fn="-pieces", fp=-4)
OPTIONS = ("positive", "weights", "profit", "decide", "missing", "threshold", "exact")
ALL = {"unit": "customer", "segment": "region", "weight": "weight"}
CASES: dict[str, dict[str, Any]] = {
    "scores": {**SCORES, "value": ONE},
    "scores, exactly": {**SCORES, "target": "word", "positive": "yes", "value": TWO, "exact": True},
    "scores, every kind of number": {**SCORES, "value": KINDS},
    "scores, copies": {**SCORES, "value": TWO, "weight": "copies", "weights": "frequency"},
    "scores, everything": {**SCORES, "target": "yes", "value": TWO, **ALL},
    "labels, everything": {**LABELS, "value": TWO, **ALL},
    "classes": {**CLASSES, "value": TWO, "weight": "copies", "weights": "frequency", "unit": "customer"},
    "decisions": {**SCORES, "value": TWO, "profit": EACH, "decide": "profit", **ALL},
    "decisions for classes": {**CLASSES, "value": TWO, "profit": sy.Cost(MATRIX), "decide": "profit", **ALL},
}


def _ask(form: str, folder: Path, call: dict[str, Any]) -> sy.Evaluation:
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    return evaluate(form, TABLE, folder, roles, **{k: v for k, v in call.items() if k in OPTIONS})


_reference: dict[str, sy.Evaluation] = {}


def _wanted(call: dict[str, Any]) -> sy.Evaluation:
    key = repr(sorted(call.items(), key=lambda item: item[0]))
    if key not in _reference:
        _reference[key] = _ask("lists", Path(), call)
    return _reference[key]


def _sums_alike(found: sy.Evaluation, wanted: sy.Evaluation) -> None:
    """The sums beside a matrix, to 1e-12 of the largest; `alike` looks at the counts."""
    for e, f in ((found, wanted), *((found.segments[k], wanted.segments[k]) for k in wanted.segments)):
        a, b = e.confusion.amounts, f.confusion.amounts
        assert a.names == b.names
        np.testing.assert_allclose(a.sums, b.sums, rtol=0, atol=1e-12 * np.abs(b.sums).max())
        assert (a.units is None) == (b.units is None)
        if a.units is not None:
            np.testing.assert_array_equal(a.units.ids, b.units.ids)
            np.testing.assert_allclose(a.units.table, b.units.table, rtol=0, atol=1e-12 * np.abs(b.units.table).max())


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_every_form_gives_the_same_sums(form: str, tmp_path: Path) -> None:
    for case, call in few(form, CASES).items():
        found, wanted = _ask(form, tmp_path, call), _wanted(call)
        try:
            alike(found, wanted)
            _sums_alike(found, wanted)
        except AssertionError as problem:
            raise AssertionError(case) from problem


def test_the_sums_are_those_of_the_rows() -> None:
    """The reference itself: products of amounts, by score and level, with weights and squared weights."""
    t = {
        name: np.array([math.nan if v is None else float(v) for v in TABLE[name].values]) for name in ("fee", "pieces")
    }
    w, y, p = (np.array(TABLE[name].values, dtype=float) for name in ("weight", "truth", "score"))
    for call, weighting in (
        ({}, "none"),
        ({"weight": w}, "sampling"),
        ({"weight": np.ceil(w), "weights": "frequency"}, "frequency"),
    ):
        s = sy.evaluate(target=y, score=p, value=t, **call).scores
        assert s is not None
        weight = call.get("weight", np.ones(N))
        blocks = [("", ()), *([("square ", ())] if weighting == "sampling" else []), *columns(2, weighting)]
        assert s.cells.counts.shape[1] == 2 * len(blocks)
        assert {(0,), (1,), (0, 0), (0, 1), (1, 1)} <= {which for _, which in blocks}
        for b, (square, which) in enumerate(blocks):
            own = np.prod([[t["fee"], t["pieces"]][i] for i in which], axis=0) * weight ** (2 if square else 1)
            for cell, score in enumerate(s.cells.low):
                for level in (0, 1):
                    wanted = np.broadcast_to(own, (N,))[(p == score) & (y == level)].sum()
                    assert s.cells.counts[cell, 2 * b + level] == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_amounts_that_are_missing(form: str, tmp_path: Path) -> None:
    for call, words, dropped in (
        (
            {**SCORES, "value": {"fee": "gaps"}},
            "4 with a missing or infinite amount",
            {"a missing or infinite amount": 4},
        ),
        (
            {**SCORES, "value": {"pieces": "pieces", "fee": "gaps"}, "weight": "weight", "segment": "region"},
            "4 with a",
            {},
        ),
        ({**LABELS, "value": {"few": "few"}}, "2 with a missing or infinite amount", {}),
        ({**CLASSES, "value": {"fee": "gaps"}, "unit": "customer"}, "4 with a missing or infinite amount", {}),
        (
            {**SCORES, "score": "no score", "value": {"fee": "gaps", "few": "few"}},
            "2 with a missing (or NaN) score, 4 with a missing or infinite amount",
            {"a missing (or NaN) score": 2, "a missing or infinite amount": 4},
        ),
    ):
        with pytest.raises(MissingValues, match=f"Of {N} rows, some cannot be used: ") as refused:
            _ask(form, tmp_path, call)
        assert words in refused.value.message and 'missing="drop"' in refused.value.hint
        found = _ask(form, tmp_path, {**call, "missing": "drop"})
        wanted = _wanted({**call, "missing": "drop"})
        assert dropped.items() <= found.facts["dropped"].items()
        assert found.rows == N - sum(found.facts["dropped"].values()) == found.confusion.rows
        alike(found, wanted)
        _sums_alike(found, wanted)


@pytest.mark.parametrize("form", ["arrays", "pandas nullable", "polars lazy", "duckdb", "csv", "parquet"])
def test_amounts_that_are_no_numbers(form: str, tmp_path: Path) -> None:
    with pytest.raises(NotNumeric, match=r'holds text, such as "(no|yes)"( in line 2)?, where'):
        _ask(form, tmp_path, {**SCORES, "value": {"word": "word"}})
    table = {"y": Col("int", [0, 1] * 3), "p": Col("float", [0.5] * 6), "v": Col("float", [1e160] * 6)}
    with pytest.raises(NotNumeric, match="The per-row amounts are too large to add up"):
        evaluate(form, table, tmp_path, {"target": "y", "score": "p", "value": {"v": "v"}})
    with pytest.raises(NotNumeric, match="The per-row amounts are too large to add up"):
        evaluate(form, table, tmp_path, {"target": "y", "prediction": "y", "value": {"v": "v"}})


# Naming them ----------------------------------------------------------------------------------------------------------

ROWS = {"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.3, 0.1], "fee": [1.0, 2.0, 4.0, 8.0], "cost": [3.0, 5.0, 7.0, 9.0]}
NAMED = {"target": "y", "score": "p"}


def test_one_amount_by_any_name() -> None:
    values = {"target": ROWS["y"], "score": ROWS["p"]}
    wanted = 1.0 * 2 - 2.0
    made = sy.Profit(tp="2 * value", fp="-value")
    for e, names in (
        (sy.evaluate(ROWS, **NAMED, value="fee"), ("fee",)),
        (sy.evaluate(ROWS, **NAMED, value=["fee"]), ("fee",)),
        (sy.evaluate(ROWS, **NAMED, value=("fee",)), ("fee",)),
        (sy.evaluate(ROWS, **NAMED, value={"fee": "fee"}), ("fee",)),
        (sy.evaluate(ROWS, **NAMED, value={"worth": "fee"}), ("worth",)),
        (sy.evaluate(**values, value=ROWS["fee"]), ("value",)),
        (sy.evaluate(**values, value=np.array(ROWS["fee"])), ("value",)),
        (sy.evaluate(**values, value=pl.Series(ROWS["fee"])), ("value",)),
        (sy.evaluate(**values, value={"fee": ROWS["fee"]}), ("fee",)),
        (sy.evaluate(pl.DataFrame(ROWS).lazy(), **NAMED, value="fee"), ("fee",)),
    ):
        assert e.scores is not None and e.scores.amounts == names
        assert e.profit(made).value == wanted
        assert e.profit(sy.Profit(tp=f"2 * `{names[0]}`", fp="-value")).value == wanted
    # Told together, nothing has to be named twice.
    named = sy.evaluate(ROWS, **NAMED, value="fee", profit=made)
    assert named.scores is not None and named.scores.amounts == ("fee",) and named.profit().value == wanted


def test_columns_that_a_payoff_names_are_found() -> None:
    made = sy.Profit(tp="fee - 1", fp="-cost")
    for call in ({}, {"value": "fee"}, {"value": ["cost", "fee"]}, {"value": {"fee": "fee"}}):
        e = sy.evaluate(ROWS, **NAMED, profit=made, **call)
        assert e.scores is not None and set(e.scores.amounts) == {"fee", "cost"}
        assert e.profit().value == 0.0 - 5.0
    other = sy.evaluate(ROWS, **NAMED, profit=made, value={"fee": "cost"})
    assert other.profit().value == 3.0 - 1 - 5
    with pytest.raises(UnknownColumn, match='There is no column "costs" for the value'):
        sy.evaluate(ROWS, **NAMED, profit=sy.Profit(tp="fee", fp="-costs"))
    with pytest.raises(UsageError, match='value="fee" is a column name, but there is no table'):
        sy.evaluate(target=ROWS["y"], score=ROWS["p"], profit=sy.Profit(tp="fee"))
    with pytest.raises(BadPayoff, match='were not counted: "fee"; none were counted'):
        sy.evaluate(ROWS, **NAMED).profit(sy.Profit(tp="fee"))


def test_at_most_four_amounts() -> None:
    wide = {**ROWS, **{f"v{i}": [float(i)] * 4 for i in range(5)}}
    four = sy.evaluate(wide, **NAMED, value=[f"v{i}" for i in range(4)])
    assert four.profit(sy.Profit(tp="v1 + v3", fp="-v2 - v0")).value == 4 - 2
    with pytest.raises(
        UsageError, match='At most 4 per-row amounts can be kept, and 5 came: "v0", "v1", "v2", "v3", "v4"'
    ):
        sy.evaluate(wide, **NAMED, value=[f"v{i}" for i in range(5)])
    with pytest.raises(UsageError, match="and 5 came"):
        sy.evaluate(wide, **NAMED, value=["v0", "v1", "v2"], profit=sy.Profit(tp="fee", fp="-cost"))


# Fast paths -----------------------------------------------------------------------------------------------------------


def _many(n: int) -> dict[str, Any]:
    """Amounts of one level a million times those of the other: what is subtracted where it should be added shows."""
    r = np.random.default_rng(33)
    score = np.where(r.random(n) < 0.1, np.round(r.random(n), 2), r.random(n) ** r.choice([1.0, 7.0], n))
    score[:6] = [0.0, -0.0, 1.0, 0.5, np.nextafter(0.5, 0), np.nextafter(1, 0)]
    y = (r.random(n) < score).astype(np.int64)
    fee = np.where(y == 1, 1e3, 1e-3) * r.lognormal(0, 1, n)
    net = r.normal(2, 30, n)
    return {"y": y, "p": score, "fee": fee, "net": net, "w": r.gamma(2, 1, n) + 0.01, "copies": r.integers(1, 4, n)}


@pytest.fixture
def lower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 500)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 500)


def _spied(kind: Any, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each request for a score table took the fast way."""
    taken: list[bool] = []
    plain = kind.score_cells

    def ask(self: Any, request: Any) -> Any:
        found = plain(self, request)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(kind, "score_cells", ask)
    return taken


def _plain(call: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> sy.Evaluation:
    with monkeypatch.context() as without:
        without.setattr("steelyard.engines.arrays.MANY", 1 << 40)
        return sy.evaluate(**call)


def _cells_alike(found: sy.Evaluation, call: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sum to 1e-12 of the sum of sizes, which is what rounding is measured against where signs differ."""
    wanted = _plain(call, monkeypatch).scores
    sizes = _plain({**call, "value": {k: np.abs(v) for k, v in call["value"].items()}}, monkeypatch).scores
    a = found.scores
    assert a is not None and wanted is not None and sizes is not None
    assert a.cells.gridded and a.amounts == wanted.amounts and a.levels == wanted.levels
    np.testing.assert_array_equal(a.cells.low, wanted.cells.low)
    np.testing.assert_array_equal(a.cells.high, wanted.cells.high)
    off = np.abs(a.cells.counts - wanted.cells.counts)
    assert (off <= 1e-12 * sizes.cells.counts).all()
    assert (a.cells.counts[wanted.cells.counts == 0] == 0).all()


@pytest.mark.usefixtures("lower")
@pytest.mark.parametrize("case", ["one", "two", "one, weights", "two, weights", "two, copies", "threshold"])
def test_compiled_loops_add_as_the_plain_ones_do(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    t = _many(20_000)
    taken = _spied(arrays.ArrayRows, monkeypatch)
    value = {"fee": t["fee"], "net": t["net"]} if case.startswith("two") else {"fee": t["fee"]}
    call = {"target": t["y"], "score": t["p"], "value": value}
    if "weights" in case:
        call["weight"] = t["w"]
    if "copies" in case:
        call |= {"weight": t["copies"], "weights": "frequency"}
    if case == "threshold":
        call["threshold"] = 0.3
    monkeypatch.setattr(arrays, "MANY", 1000)
    found = sy.evaluate(**call)
    assert taken == [True]
    _cells_alike(found, call, monkeypatch)


@pytest.mark.usefixtures("lower")
def test_very_many_rows_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    t = _many((1 << 18) + 1)
    taken = _spied(arrays.ArrayRows, monkeypatch)
    call = {"target": t["y"], "score": t["p"], "value": {"fee": t["fee"]}}
    found = sy.evaluate(**call)
    assert taken == [True]
    _cells_alike(found, call, monkeypatch)
    made = sy.Profit(tp="fee - 2", fn="-0.1 * fee", fp="-fee", tn=0.5)
    flagged, y, fee = t["p"] >= 0.5, t["y"] == 1, t["fee"]
    own = np.where(y, np.where(flagged, fee - 2, -0.1 * fee), np.where(flagged, -fee, 0.5))
    assert found.profit(made).value == pytest.approx(own.sum(), rel=1e-12)


@pytest.mark.usefixtures("lower")
@pytest.mark.parametrize("form", ["parquet", "csv", "parquet, booleans"])
@pytest.mark.parametrize("amounts", [("fee",), ("fee", "net")])
def test_the_lean_query_adds_as_the_plain_one_does(
    form: str, amounts: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    t = _many(4000)
    t["net"] = np.abs(t["net"])
    if "booleans" in form:
        t["y"] = t["y"] == 1
    path = tmp_path / f"rows.{form[:7].rstrip(',')}"
    (pacsv.write_csv if form == "csv" else pq.write_table)(pa.table(t), path)
    taken = _spied(frames.FrameRows, monkeypatch)
    found = sy.evaluate(path, target="y", score="p", value=list(amounts), threshold=0.3)
    assert taken == [True]
    call = {"target": t["y"], "score": t["p"], "value": {k: t[k] for k in amounts}, "threshold": 0.3}
    _cells_alike(found, call, monkeypatch)


@pytest.mark.usefixtures("lower")
@pytest.mark.parametrize("odd", [math.nan, math.inf, None])
def test_the_fast_paths_notice_what_is_missing(odd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MANY", 1000)
    t = _many(3000)
    values: list[Any] = t["fee"].tolist()
    values[7] = values[2999] = odd
    pq.write_table(pa.table({"y": t["y"], "p": t["p"], "fee": pa.array(values)}), tmp_path / "rows.parquet")
    mask = np.arange(3000) % 2992 != 7
    wanted = _plain({"target": t["y"][mask], "score": t["p"][mask], "value": {"fee": t["fee"][mask]}}, monkeypatch)
    for data, call in (
        (tmp_path / "rows.parquet", {"target": "y", "score": "p", "value": "fee"}),
        (None, {"target": t["y"], "score": t["p"], "value": {"fee": np.array(values, dtype=float)}}),
    ):
        with pytest.raises(
            MissingValues, match="Of 3,000 rows, some cannot be used: 2 with a missing or infinite amount"
        ):
            sy.evaluate(data, **call)
        found = sy.evaluate(data, **call, missing="drop")
        assert found.rows == 2998
        assert found == wanted


@pytest.mark.usefixtures("lower")
@pytest.mark.parametrize("form", ["arrays", "parquet"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_money_is_not_counted_as_rows(form: str, sign: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MANY", 1000)
    t = _many(3000)
    fee = sign * t["fee"]
    taken = _spied(arrays.ArrayRows if form == "arrays" else frames.FrameRows, monkeypatch)
    if form == "arrays":
        e = sy.evaluate(target=t["y"], score=t["p"], value=fee)
    else:
        pq.write_table(pa.table({"y": t["y"], "p": t["p"], "fee": fee}), tmp_path / "rows.parquet")
        e = sy.evaluate(tmp_path / "rows.parquet", target="y", score="p", value="fee")
    assert taken == [True] and e.scores is not None and e.scores.cells.gridded
    assert e.rows == 3000
