"""Many columns at once: the same numbers as one by one, false discoveries in check, one scan of each table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from steelyard.comparisons.step_down import benjamini_hochberg
from steelyard.errors import UnknownColumn, UsageError
from steelyard.monitors import counted
from steelyard.monitors.bins import Bins
from steelyard.monitors.many import Stabilities
from steelyard.monitors.stability import Stability, stability
from steelyard.sources.relations import Relation
from steelyard.views.layout import width_of


def table(n: int, seed: int, shift: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    out: dict[str, Any] = {f"x{i}": rng.normal(size=n) for i in range(6)}
    out["score"] = rng.normal(shift, 1, n)
    out["city"] = rng.choice(["Rome", "Oslo", "Bonn"], n, p=[0.5, 0.3, 0.2]).tolist()
    out["when"] = np.datetime64("2024-01-01") + rng.integers(0, 40, n).astype("timedelta64[D]")
    return out


def many(*args: Any, **options: Any) -> Stabilities:
    found = stability(*args, **options)
    assert isinstance(found, Stabilities)
    return found


def test_all_common_columns_are_compared_as_they_are_one_by_one() -> None:
    then, now = table(5000, 1), table(800, 2, 1.0)
    now["only now"] = now["x0"]
    found = many(then, now)
    assert set(found.columns) == {*(f"x{i}" for i in range(6)), "score", "city"}
    assert found.columns[0] == "score"
    assert found.decision == found["score"].decision == "alarm"
    effects = [float(s.corrected) for s in found]
    assert effects == sorted(effects, reverse=True)
    for s in found:
        alone = stability(then, now, s.column)
        assert isinstance(alone, Stability)
        assert (s.index, s.p_value, s.corrected) == (alone.index, alone.p_value, alone.corrected)
    assert {s.column: s.adjusted for s in found} == pytest.approx(
        benjamini_hochberg({s.column: s.p_value for s in found})
    )
    told = " ".join(found.left_out)
    assert '"only now"' in told and '"when"' in told


def test_decisions_follow_the_corrected_p_values() -> None:
    """Of columns that have not changed, hardly any table of 40 shows one; uncorrected, most would."""
    bare = corrected = 0
    for seed in range(25):
        rng = np.random.default_rng(100 + seed)
        then = {f"x{i}": rng.normal(size=1000) for i in range(40)}
        found = many(then, {k: rng.normal(size=300) for k in then}, bins=5)
        bare += any(s.p_value < 0.05 for s in found)
        corrected += bool(found.changed)
    assert bare >= 17
    assert corrected <= 5


def test_paths_relations_and_frames_agree(tmp_path: Path) -> None:
    then, now = pd.DataFrame(table(4000, 3)), pd.DataFrame(table(700, 4, 0.3))
    then.to_parquet(tmp_path / "then.parquet")
    now.to_csv(tmp_path / "now.csv", index=False)
    found = many(then, now, columns=["score", "x0", "city"])
    for other in (
        many(tmp_path / "then.parquet", str(tmp_path / "now.csv"), columns=["score", "x0", "city"]),
        many(duckdb.from_df(then), duckdb.from_df(now), columns=["score", "x0", "city"]),
        many(found.bins, tmp_path / "now.csv"),
        many(None, now, bins=found.bins),
    ):
        assert other.columns == found.columns
        for s in found:
            assert other[s.column].index == pytest.approx(s.index, rel=1e-12)
            assert other[s.column].decision == s.decision


def test_a_large_table_is_counted_in_one_select(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges come from a sample, and all histograms from a single query; the counts are those of all rows."""
    monkeypatch.setattr(counted, "SAMPLE", 10_000)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=60_000) for i in range(5)} | {"k": rng.choice(["a", "b"], 60_000)})
    frame.to_parquet(tmp_path / "t.parquet")
    asked: list[Any] = []
    ask = Relation.ask
    monkeypatch.setattr(Relation, "ask", lambda table, sql: asked.append(sql) or ask(table, sql))
    found = many(tmp_path / "t.parquet", tmp_path / "t.parquet")
    # How many rows there are, a sample for the edges, the counts of the reference, the counts of the current table, and for all
    # columns together the ends of what the sample did not have.
    assert len(asked) == 5
    for s in found:
        assert s.bins.reference is not None and s.current is not None
        assert s.bins.reference == replace(s.current, unseen=())
        assert s.bins.reference == s.bins.count(frame[s.column])
        shares = [c.reference_share for c in s.cells]
        assert max(shares) < 0.2 or s.column == "k"
    assert many(tmp_path / "t.parquet", tmp_path / "t.parquet").bins == found.bins


def test_a_column_of_another_kind_is_left_out_and_said() -> None:
    found = many({"x": [1.0, 2.0] * 300, "k": ["a"] * 600}, {"x": [1.0, 2.0] * 200, "k": [1] * 400})
    assert found.columns == ["x"]
    assert "holds levels in the reference and numbers now" in found.left_out[0]


def test_special_values_belong_to_the_columns_that_can_hold_them() -> None:
    then = {"x": [-1.0] * 300 + [i % 150 for i in range(300)], "k": ["?"] * 300 + ["a", "b"] * 150}
    found = many(then, then, special=("?", -1))
    assert found["x"].cells[-1].name == "special −1"
    assert [c.name for c in found["k"].cells] == ["a", "b", "special ?"]


def test_it_tells_its_story_in_eighty_columns_and_in_json() -> None:
    for found in (many(table(3000, 6), table(500, 7, 2.0)), many(table(50, 8), table(40, 9))):
        assert all(width_of(line) <= 80 for line in str(found).splitlines())
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert [c["column"] for c in data["columns"]] == found.columns
        assert found.frame()["decision"].tolist() == [s.decision for s in found]
        assert found.chart().svg().startswith("<svg")
        assert all(t.endswith(".") for t in found.sentences())
    assert found.decision == "insufficient"
    assert found.changed == []
    assert all(s.adjusted is not None for s in found if s.freedom)
    assert "too few rows" in str(found)


def test_the_verdict_is_the_worst_of_the_columns_and_the_chart_holds_its_interval() -> None:
    calm, moved = many(table(3000, 6), table(3000, 7)), many(table(3000, 6), table(3000, 7, 0.9))
    assert calm.verdict.good and "None of the 8 columns" in calm.verdict.sentence
    v = moved.verdict
    assert v.bad and v.word == moved["score"].decision and '"score"' in v.sentence and '"score"' in v.next_step
    assert v.rests_on == (moved["score"].corrected,) and v.looks == 8
    assert moved.to_dict()["verdict"]["sentence"] == v.sentence
    high = moved["score"].corrected.high
    assert high is not None and moved.chart().x.high > high


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: stability({"a": [1]}, {"b": [1]}), UsageError, "in common"),
        (lambda: stability({"a": [1]}, {"a": [1]}, columns=[]), UsageError, "empty list"),
        (lambda: stability({"a": [1]}, {"a": ["x"]}), UsageError, "same kind"),
        (lambda: stability([1, 2], {"a": [1]}), UsageError, "reference is none"),
        (lambda: stability({"a": [1]}, [1, 2], columns=["a"]), UsageError, "current sample is none"),
        (lambda: stability({"a": Bins("a")}, {"b": [1]}, columns=["b"]), UsageError, "no saved bins"),
        (lambda: many(table(50, 1), table(50, 2))["scroe"], UnknownColumn, "scroe"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
