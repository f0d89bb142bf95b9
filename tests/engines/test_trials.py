"""A trial says the same wherever its rows are, and where they live in a database none of them is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import InputError, MissingValues, SteelyardError
from steelyard.trials import in_place

from .forms import TABLES, Col, Table
from .served import EVERYWHERE, few

LOCAL = ("polars lazy", "duckdb", "csv", "parquet", "glob")
ROLES = {"group": "arm", "control": "left alone", "outcome": "left"}
CALLS: dict[str, dict[str, Any]] = {
    "rows": {},
    "units": {"unit": "who"},
    "periods and segments": {"unit": "who", "period": "week", "segment": "region"},
    "segments of rows": {"segment": "region", "before": "before"},
    "amounts": {"outcome": "spent", "unit": "who", "before": "before", "period": "week"},
    "a long tail": {"outcome": "tail", "unit": "who"},
    "money": {"unit": "who", "value": "spent", "cost": 0.5},
    "scores": {"unit": "who", "score": "p", "bands": 3, "before": "before"},
    "by period": {"period": "week", "analysis": "period"},
    "an outcome in words": {"outcome": "word", "positive": "gone", "unit": "who"},
}


def people(seed: int, rows: int = 900, share: float = 0.6) -> Table:
    """Rows of customers who come back, in arms that are not of one size."""
    r = np.random.default_rng(seed)
    who = r.integers(0, rows // 3, rows)
    arm = np.where(who * 7919 % 100 < 100 * share, "called", "left alone")
    left = (r.random(rows) < 0.3 - 0.05 * (arm == "called")).astype(int)
    spent = r.gamma(2, 5, rows).round(2) + (arm == "called")
    columns = {
        "who": ("int", who.tolist()),
        "arm": ("text", arm.tolist()),
        "left": ("int", left.tolist()),
        "word": ("text", np.where(left == 1, "gone", "there").tolist()),
        "week": ("text", [f"W{w}" for w in r.integers(1, 13, rows)]),
        "region": ("text", r.choice(["north", "Ünder", "x'; y"], rows).tolist()),
        "spent": ("float", spent.tolist()),
        "tail": ("float", r.lognormal(0, 2, rows).tolist()),
        "before": ("float", (r.normal(10, 3, rows) + who % 5).tolist()),
        "p": ("float", r.random(rows)[who].tolist()),
    }
    return {name: Col(*column) for name, column in columns.items()}


def differences(a: Any, b: Any, place: str = "") -> list[str]:
    """Where two results differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        return [d for key in a for d in differences(a[key], b[key], f"{place}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b, strict=True)) for d in differences(x, y, f"{place}/{i}")]
    if isinstance(a, float) and isinstance(b, int | float):
        return [] if np.isclose(a, b, rtol=1e-9, atol=1e-12) else [f"{place}: {a} and {b}"]
    return [] if a == b else [f"{place}: {a} and {b}"]


def same(form: str, table: Table, call: dict[str, Any], folder: Path) -> None:
    want = sy.trial({name: list(c.values) for name, c in table.items()}, **ROLES | call).to_dict()
    found = sy.trial(TABLES[form](table, folder), **ROLES | call).to_dict()
    assert not differences(want, found)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", LOCAL)
def test_every_form_says_the_same(form: str, call: str, tmp_path: Path) -> None:
    same(form, people(1), CALLS[call], tmp_path)


@pytest.mark.parametrize("form", EVERYWHERE, indirect=True)
def test_every_server_says_the_same(form: str, tmp_path: Path) -> None:
    for call in few(form, CALLS).values():
        same(form, people(2, 300), call, tmp_path)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(40, 400),
    share=st.sampled_from((0.1, 0.5, 0.95)),
    call=st.sampled_from(sorted(CALLS)),
)
def test_drawn_trials(seed: int, rows: int, share: float, call: str) -> None:
    assert not differences(
        *(outcome(form, people(seed, rows, share), CALLS[call]) for form in ("dictionary", "polars lazy"))
    )


def outcome(form: str, table: Table, call: dict[str, Any]) -> Any:
    """What a trial says, or its complaint."""
    try:
        return sy.trial(TABLES[form](table, Path()), **ROLES | call).to_dict()
    except SteelyardError as problem:
        return f"{type(problem).__name__}: {problem}"


@pytest.mark.parametrize("form", LOCAL)
def test_gaps_are_counted_where_they_are(form: str, tmp_path: Path) -> None:
    table = dict(people(3))
    for name, every in (("left", 50), ("who", 70), ("before", 31), ("arm", 90), ("week", 64)):
        values = [None if i % every == 0 else v for i, v in enumerate(table[name].values)]
        table[name] = Col(table[name].kind, values)
    call = {"unit": "who", "before": "before", "period": "week"}
    with pytest.raises(MissingValues) as here:
        sy.trial({name: list(c.values) for name, c in table.items()}, **ROLES | call)
    with pytest.raises(MissingValues) as there:
        sy.trial(TABLES[form](table, tmp_path), **ROLES | call)
    assert str(here.value) == str(there.value)
    same(form, table, call | {"missing": "drop"}, tmp_path)


@pytest.mark.parametrize("form", LOCAL)
def test_a_unit_in_both_arms_is_named(form: str, tmp_path: Path) -> None:
    table = dict(people(4))
    arm = list(table["arm"].values)
    place = next(i for i, who in enumerate(table["who"].values) if list(table["who"].values).count(who) > 1)
    arm[place] = "called" if arm[place] == "left alone" else "left alone"
    table["arm"] = Col("text", arm)
    with pytest.raises(InputError, match=f"The unit {table['who'].values[place]} is in both arms"):
        sy.trial(TABLES[form](table, tmp_path), **ROLES, unit="who")


def test_single_units_come_only_where_a_method_needs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    plain = in_place._fetched
    monkeypatch.setattr(in_place, "_fetched", lambda *parts: (asked.append("units"), plain(*parts))[1])
    table = people(5)
    for call, fetched in (("units", False), ("amounts", False), ("a long tail", True), ("scores", True)):
        asked.clear()
        sy.trial(TABLES["parquet"](table, tmp_path), **ROLES | CALLS[call])
        assert bool(asked) == fetched, call
    # Beyond what one machine should hold they are not fetched at all, and it is said.
    monkeypatch.setattr(in_place, "MOST_UNITS", 100)
    tail = sy.trial(TABLES["parquet"](table, tmp_path), **ROLES | CALLS["a long tail"])
    assert tail.primary.name == "cluster-robust by unit" and "skewed" in tail.effect.caution
    scored = sy.trial(TABLES["parquet"](table, tmp_path), **ROLES | CALLS["scores"])
    assert scored.uplift is None and "brought to one machine" in " ".join(str(scored).split())
