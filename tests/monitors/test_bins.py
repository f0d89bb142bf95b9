"""Bins: every value has one place, counts add, and a saved object counts as the first one did."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import BadWeight, CannotAdd, EmptyTable, MissingValues, UnreadableSource, UsageError
from steelyard.monitors.bins import Bins
from steelyard.monitors.making import MOST_LEVELS, level_bins, number_bins
from steelyard.monitors.saved import ManyBins
from steelyard.monitors.sheets import count_reference, count_sheet, open_sheet
from steelyard.summaries.bin_counts import BinCounts

NUMBERS = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.sampled_from([np.nan, np.inf, -np.inf, 999.0])
)


def brute(bins: Bins, x: Any) -> int:
    """The bin of one number, straight from the definition."""
    if x is None or not np.isfinite(x):
        return bins.missing
    if x in bins.special:
        return bins.ordinary + bins.special.index(x)
    if bins.ends and not bins.ends[0] <= x <= bins.ends[1]:
        return bins.missing + (1 if x < bins.ends[0] else 2)
    if bins.known and x not in bins.known:
        return bins.missing + 3
    return sum(1 for e in bins.edges if e < x)


@settings(deadline=None, max_examples=60)
@given(st.lists(NUMBERS, min_size=1, max_size=60), st.integers(2, 12), st.sampled_from([(), (999.0,), (0.0, 2.0)]))
def test_every_number_has_the_place_that_the_definition_gives_it(values: list[float], b: int, special: Any) -> None:
    bins = Bins.of(values, bins=b, special=special)
    later = [*values, -1e9, -3.5, 0.5, 2.5, 1e9, 999.0, np.nan]
    assert bins.place(later).tolist() == [brute(bins, x) for x in later]
    assert list(bins.edges) == sorted(set(bins.edges))
    assert len(bins.edges) < b
    assert bins.place(values).tolist() == [brute(bins, x) for x in values]
    assert bins.reference is not None
    assert bins.reference.counts.tolist() == np.bincount(bins.place(values), minlength=len(bins.cells)).tolist()
    # Made from these values, no ordinary bin is empty.
    ordinary = bins.reference.counts[: bins.ordinary]
    assert (ordinary > 0).all() or ordinary.sum() == 0


def test_without_ties_the_bins_are_quantiles() -> None:
    x = np.random.default_rng(1).permutation(1000).astype(float)
    bins = Bins.of(x)
    assert bins.reference is not None
    assert bins.reference.counts.tolist() == [100.0] * 10 + [0.0] * 3


def test_equal_quantiles_are_one_edge_and_few_values_have_a_bin_each() -> None:
    assert number_bins("x", np.r_[np.zeros(900), np.arange(1, 101.0)], 10, ()).edges == (0.0,)
    assert number_bins("x", np.repeat([1.0, 2.0, 5.0], [1, 50, 3]), 10, ()).edges == (1.0, 2.0)
    only = number_bins("x", np.full(9, 7.0), 10, ())
    assert only.cells == ("all values", "missing", "below all before", "above all before", "other values")


def test_own_edges_are_taken_as_they_are() -> None:
    assert Bins.of([0.1, 0.9], bins=[0.5, 0.25, 0.5]).edges == (0.25, 0.5)


def test_levels_have_bins_rare_ones_share_one_and_new_ones_have_their_own() -> None:
    bins = level_bins("city", {"Rome": 40, "Oslo": 30, "Bonn": 2, "Pisa": 1, "n/a": 9}, ("n/a",))
    assert bins.cells == ("Oslo", "Rome", "rare levels", "special n/a", "missing", "new levels")
    assert bins.place(["Rome", "Pisa", "n/a", None, "Kiel"]).tolist() == [1, 2, 3, 4, 5]


def test_too_many_levels_to_list_make_unknown_ones_rare_and_not_new() -> None:
    ids = [f"id{i}" for i in range(MOST_LEVELS + 1)] + ["often"] * 50
    bins = Bins.of(ids)
    assert bins.cells == ("often", "rare levels", "missing")
    assert bins.place(["never seen", "often"]).tolist() == [1, 0]


# ---- counts add


@settings(deadline=None, max_examples=40)
@given(st.lists(NUMBERS, min_size=2, max_size=50), st.data())
def test_counts_of_parts_add_up_to_those_of_the_whole(values: list[float], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    w = np.array(data.draw(st.lists(st.floats(0.1, 9), min_size=len(values), max_size=len(values))))
    bucket = np.array(data.draw(st.lists(st.integers(0, 511), min_size=len(values), max_size=len(values))))
    bins = Bins("x", "numbers", edges=(0.0, 2.0), special=(999.0,))
    whole = bins.count(values, w, bucket)
    parts = bins.count(values[:cut], w[:cut], bucket[:cut]) + bins.count(values[cut:], w[cut:], bucket[cut:])
    assert whole == parts
    assert BinCounts.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def test_counts_of_other_bins_do_not_add() -> None:
    with pytest.raises(CannotAdd, match="same bins"):
        Bins("x", edges=(1.0,)).count([1]) + Bins("x", edges=(1.0, 2.0)).count([1])


# ---- effective sizes


def test_weights_are_worth_kishs_number_of_rows() -> None:
    w = np.random.default_rng(3).gamma(1, 1, 500) + 0.01
    counts = Bins("x", edges=(0.0,)).count(np.random.default_rng(4).normal(size=500), w)
    assert counts.effective() == pytest.approx(w.sum() ** 2 / (w**2).sum())


def test_rows_that_repeat_one_person_are_worth_one_row_each_person() -> None:
    rng = np.random.default_rng(5)
    people = rng.normal(size=400)
    table = {"x": np.repeat(people, 5), "who": np.repeat(np.arange(400), 5)}
    bins = Bins.of(table, "x", unit="who")
    assert bins.reference is not None
    assert bins.reference.effective() == pytest.approx(400, rel=0.15)


def test_units_of_independent_rows_cost_nothing_much() -> None:
    rng = np.random.default_rng(6)
    bins = Bins.of({"x": rng.normal(size=4000), "who": np.repeat(np.arange(400), 10)}, "x", unit="who")
    assert bins.reference is not None
    assert 3300 < bins.reference.effective() <= 4000


# ---- saving


def test_saved_bins_count_as_the_first_ones_did(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    for values in (rng.normal(size=300), [*rng.choice(["a", "b", "c"], 300).tolist(), None]):
        bins = Bins.of(values, bins=7)
        bins.save(tmp_path / "bins.json")
        again = Bins.load(tmp_path / "bins.json")
        assert again == bins == sy.load(tmp_path / "bins.json")
        assert again.count(values) == bins.reference
    both = ManyBins(one=bins, two=bins)
    both.save(tmp_path / "both.json")
    assert sy.load(tmp_path / "both.json") == both


def test_a_file_without_bins_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="There is no file"):
        Bins.load(tmp_path / "none.json")
    for text in ("{", "[1]", "{}", '{"steelyard bins": 1}'):
        (tmp_path / "odd.json").write_text(text)
        for read in (Bins.load, sy.load):
            with pytest.raises(UnreadableSource):
                read(tmp_path / "odd.json")


# ---- every kind of table alike


def table(n: int = 3000) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    x = np.round(rng.normal(size=n), 2)
    x[:9] = -1.0
    return {
        "x": np.where(rng.random(n) < 0.05, np.nan, x),
        "k": rng.integers(0, 4, n),
        "city": rng.choice(np.array(["Rome", "Oslo", "Bonn", "Pisa"]), n, p=[0.5, 0.3, 0.199, 0.001]).tolist(),
        "yes": rng.random(n) < 0.3,
        "w": rng.gamma(2, 1, n) + 0.1,
        "who": rng.integers(0, 200, n),
    }


@pytest.mark.parametrize("roles", [{}, {"weight": "w"}, {"unit": "who"}, {"weight": "w", "unit": "who"}], ids=str)
def test_every_kind_of_table_is_counted_alike(roles: dict[str, str], tmp_path: Path) -> None:
    t = table()
    t["city"][5] = None
    frame = pd.DataFrame(t)
    frame.to_parquet(tmp_path / "t.parquet")
    forms = {
        "mapping": t,
        "pandas": frame,
        "polars": pl.DataFrame(t),
        "lazy": pl.LazyFrame(t),
        "arrow": pa.table(t),
        "duckdb": duckdb.from_df(frame),
        "path": str(tmp_path / "t.parquet"),
    }
    names = ["x", "k", "city", "yes"]
    found = {k: count_reference(open_sheet(v, names, **roles), 8) for k, v in forms.items()}
    for form, bins in found.items():
        assert bins == found["mapping"], form
    # The same bins count a later window alike, with special values and levels never seen.
    later = table(500)
    later["city"][:3] = ["Kiel"] * 3
    bins = {n: Bins(n, b.kind, b.edges, b.levels, b.pooled) for n, b in found["mapping"].items()}
    bins["x"] = Bins("x", "numbers", bins["x"].edges, special=(-1.0,))
    later_frame = pd.DataFrame(later)
    forms = {"mapping": later, "polars": pl.LazyFrame(later), "duckdb": duckdb.from_df(later_frame)}
    counted = {k: count_sheet(open_sheet(v, names, **roles), bins) for k, v in forms.items()}
    assert counted["mapping"]["city"].unseen == ("Kiel",)
    assert counted["mapping"]["x"].counts[bins["x"].ordinary] > 0
    assert counted["polars"] == counted["mapping"]
    assert counted["duckdb"] == counted["mapping"]


# ---- bad input


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: Bins.of([1.0], bins=1), UsageError, "The number of bins must be a whole number from 2"),
        (lambda: Bins.of([1.0], bins=[np.nan]), UsageError, "finite"),
        (lambda: Bins.of([1.0], special=("none",)), UsageError, "special values is not a number"),
        (lambda: Bins.of([]), EmptyTable, "no rows"),
        (lambda: Bins.of({"a": [1], "b": [2]}), UsageError, "one column"),
        (lambda: Bins.of({"a": [1.0, 2.0], "w": [1, -1]}, "a", weight="w"), BadWeight, "1 row"),
        (lambda: Bins.of({"a": [1.0, 2.0], "u": [1, None]}, "a", unit="u"), MissingValues, "missing unit"),
        (lambda: count_sheet(open_sheet(["a"], ["x"]), {"x": Bins("x", edges=(1.0,))}), UsageError, "of numbers"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_saved_bins_are_read_by_their_path(tmp_path: Path) -> None:
    rng = np.random.default_rng(30)
    then = {"x": rng.normal(size=2000), "k": rng.choice(["a", "b"], 2000)}
    now = {"x": rng.normal(0.5, 1, 1000), "k": rng.choice(["a", "b"], 1000)}
    whole, one = sy.stability(then, now), sy.stability(then, now, "x")
    whole.bins.save(tmp_path / "all.json")
    one.bins.save(tmp_path / "one.json")
    assert sy.stability(tmp_path / "all.json", now).to_dict() == whole.to_dict()
    assert sy.stability(str(tmp_path / "one.json"), now).to_dict() == one.to_dict()
    (tmp_path / "broken.json").write_text('{"steelyard bins": 1, "columns": {"x": {}}}', encoding="utf-8")
    with pytest.raises(UnreadableSource, match="its seal does not fit"):
        sy.stability(tmp_path / "broken.json", now)


@pytest.mark.parametrize(
    "value", [b"n", Decimal("1.5"), date(2026, 1, 2), 1 + 2j, np.float64(7), np.bytes_(b"a")], ids=repr
)
def test_special_values_are_read_as_levels_are(value: Any) -> None:
    found = sy.stability({"x": [value, "b"] * 30}, {"x": [value, "b"] * 20}, special=[value, None, float("nan")])
    assert json.loads(json.dumps(found.to_dict()))
    bins = Bins.of(["b", *[str(value)] * 3], special=[value])
    assert len(bins.special) == 1
    assert json.loads(json.dumps(bins.to_dict()))
