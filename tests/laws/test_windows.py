"""A monitor is a function of windows: any way to split rows into parts, days and orders gives that of all rows at once."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.monitors.windowed import Windows

HISTORIES = int(os.environ.get("STEELYARD_HISTORIES", "15"))
# A failing history is told as it was drawn: making it smaller takes longer.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
START = pd.Timestamp("2024-03-18")
FEATURES = ["x", "city", "web"]
SCORES: dict[str, Any] = {"target": "y", "score": "p", "positive": 1}
SHAPES: dict[str, dict[str, Any]] = {
    "scores": {**SCORES, "segment": "city", "measures": ["auc", "recall", "running brier"]},
    "guesses": {"target": "y", "prediction": "guess", "segment": "city", "measures": ["accuracy"]},
    "numbers": {"target": "size", "prediction": "size_hat", "measures": ["mae", "running mse"]},
    "customers": {**SCORES, "unit": "who", "measures": ["auc"]},
    "weighed": {**SCORES, "weight": "w", "measures": ["auc", "accuracy"]},
    "without labels": {"score": "p"},
}


def history(seed: int, days: int = 18, a_day: int = 60, worn: int = 13, slow: float = 4.0) -> pd.DataFrame:
    """Rows of a model that wears out on a day, with labels of either outcome that come late or never."""
    rng = np.random.default_rng(seed)
    many = rng.poisson(a_day, days) * (rng.random(days) > 0.06)
    day = np.repeat(np.arange(days), many)
    n = len(day)
    x = rng.normal(np.where(day >= worn, 0.6, 0.0))
    chance = 1 / (1 + np.exp(-1.6 * x))
    y = (rng.random(n) < np.where(day >= worn, 0.5, chance)).astype(float)
    when = START + pd.to_timedelta(day, unit="D") + pd.to_timedelta(rng.integers(0, 86_400, n), unit="s")
    known = when + pd.to_timedelta(rng.exponential(np.where(y == 1, 1.0, slow)), unit="D")
    size = rng.lognormal(1, 0.5, n)
    return pd.DataFrame(
        {
            "when": when,
            "known": known.floor("s"),
            "y": y,
            "p": np.round(chance, 3),
            "guess": (chance > 0.5).astype(float),
            "size": size,
            "size_hat": size * np.where(day >= worn, 1.4, 1.0) + rng.normal(0, 0.3, n),
            "x": np.where(rng.random(n) < 0.02, np.nan, x),
            "city": rng.choice(["Oslo", "Rome", "Bonn", "Cork"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "who": rng.integers(0, 300, n),
            "w": rng.integers(1, 4, n),
            "web": rng.random(n) < 0.4,
        }
    )


def as_known(rows: pd.DataFrame, now: pd.Timestamp, target: str | None) -> pd.DataFrame:
    """The table as it was then: later rows are not there, later labels are empty."""
    out = rows[rows["when"] <= now].copy()
    if target is not None:
        late = out["known"] > now
        out[target] = out[target].where(~late)
        out["known"] = out["known"].where(~late)
    return out


@functools.cache
def baseline_of(shape: str) -> Any:
    told = dict(SHAPES[shape])
    late = {} if told.get("target") is None else {"label_time": "known"}
    rows = history(99, days=12, a_day=120, worn=99, slow=0.5).assign(
        when=lambda f: f["when"] - pd.Timedelta(days=40), known=lambda f: f["known"] - pd.Timedelta(days=40)
    )
    return sy.monitor(rows, time="when", reference="first 10 windows", features=FEATURES, **late, **told).baseline


def told(m: Any) -> Any:
    return m.to_dict()


def unlike(a: Any, b: Any, path: str = "") -> list[str]:
    """Where two results differ, numbers by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [x for k in {**a, **b} for x in unlike(a.get(k), b.get(k), f"{path}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [x for i, (c, d) in enumerate(zip(a, b, strict=True)) for x in unlike(c, d, f"{path}[{i}]")]
    if isinstance(a, float | int) and isinstance(b, float | int):
        return [] if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) else [f"{path}: {a} {b}"]
    return [] if a == b else [f"{path}: {a!r} {b!r}"]


@settings(max_examples=HISTORIES, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(
    seed=st.integers(0, 10**6),
    shape=st.sampled_from(sorted(SHAPES)),
    parts=st.integers(1, 4),
    by=st.sampled_from(["rows", "days", "both"]),
    until=st.integers(14, 25),
    mode=st.sampled_from(["windows", "windows", "sequential"]),
    order=st.randoms(use_true_random=False),
)
def test_any_split_gives_the_monitor_of_all_rows(
    seed: int, shape: str, parts: int, by: str, until: int, mode: str, order: Any
) -> None:
    given_, base = dict(SHAPES[shape]), baseline_of(shape)
    target = given_.get("target")
    late: dict[str, Any] = {} if target is None else {"label_time": "known"}
    if mode == "sequential":
        given_ = {k: v for k, v in given_.items() if k != "measures"}
        mode = "windows" if shape in {"customers"} else mode
    now = START + pd.Timedelta(days=until)
    rows = as_known(history(seed), now, target)
    common: dict[str, Any] = {"features": FEATURES, "mode": mode, "horizon": None if target is None else "9 days"}
    whole = sy.monitor(rows, time="when", reference=base, now=now, **late, **given_, **common)

    rng = np.random.default_rng(seed)
    key = rng.integers(0, parts, len(rows)) if by != "days" else (rows["when"].dt.day_of_year % parts).to_numpy()
    days = rows["when"].dt.normalize()
    pieces = [rows[key == k] for k in range(parts)]
    if by == "both":
        pieces = [piece[days[piece.index] == day] for piece in pieces for day in days[piece.index].unique()]
    pieces = [piece.sample(frac=1.0, random_state=seed % 1000) for piece in pieces if len(piece)]
    order.shuffle(pieces)
    total: Any = 0
    for piece in pieces:
        counted = sy.windows(piece, time="when", baseline=base, now=now, **late)
        total = total + Windows(w for w in counted if w.rows)
    measures = given_.get("measures")
    again = sy.monitor(total, reference=base, now=now, measures=measures, **common)
    a, b = told(whole), told(again)
    # Days on which no row came were counted by nobody, and that is said.
    b["notes"] = [x for x in b["notes"] if not x.startswith("Nobody counted")]
    b["sentences"] = [x for x in b["sentences"] if "Nobody counted" not in x]
    assert not unlike(a, b)


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_saved_windows_give_the_same(shape: str, tmp_path: Path) -> None:
    given_, base = dict(SHAPES[shape]), baseline_of(shape)
    late: dict[str, Any] = {} if given_.get("target") is None else {"label_time": "known"}
    rows = as_known(history(5), START + pd.Timedelta(days=17), given_.get("target"))
    base.save(tmp_path / "baseline.json")
    whole = sy.monitor(
        rows, time="when", reference=str(tmp_path / "baseline.json"), features=FEATURES, **late, **given_
    )
    counted = sy.windows(rows, time="when", baseline=str(tmp_path / "baseline.json"), **late)
    counted.save(tmp_path / "days")
    for pattern in ("days", "days/*.json"):
        again = sy.monitor(
            str(tmp_path / pattern),
            reference=str(tmp_path / "baseline.json"),
            measures=given_.get("measures"),
            features="all",
        )
        assert not unlike(told(whole), told(again))
    assert all(sy.load(tmp_path / "days" / f"{w.name}.json").summary == w.summary for w in counted)


def test_labels_that_come_in_any_order_give_the_same(tmp_path: Path) -> None:
    """Every night counts the days that have new labels; at last the windows are those of one count of everything."""
    base, rows = baseline_of("scores"), history(8)
    folder = tmp_path / "days"
    late: dict[str, Any] = {"time": "when", "label_time": "known", "baseline": base}
    for night in (15, 18, 22, 40):
        now = START + pd.Timedelta(days=night)
        sy.windows(as_known(rows, now, "y"), now=now, **late).save(folder)
    at_once = sy.windows(as_known(rows, now, "y"), now=now, **late)
    measures = SHAPES["scores"]["measures"]
    whole, again = (sy.monitor(x, reference=base, measures=measures) for x in (at_once, str(folder)))
    assert not unlike(told(whole), told(again))
    early, late_one = (sy.load(folder / f"{at_once[i].name}.json") for i in (0, 12))
    assert early.revision == 1, "all of its labels were in, and counting it again found nothing new"
    old = len(list((folder / "history").glob(f"{late_one.name}.*.json")))
    assert old == late_one.revision - 1 > 0


def test_a_window_is_a_summary_with_a_zero() -> None:
    base = baseline_of("scores")
    found = sy.windows(history(3), time="when", baseline=base, label_time="known")
    a = found[0]
    assert (0 + a) is a and sum([a]) is a
    assert a.summary + type(a.summary)() == a.summary == type(a.summary)() + a.summary
    week = sum(found[:7])
    assert week.rows == sum(w.rows for w in found[:7]) and week.window.end == found[6].window.end


def test_a_window_stays_small_however_many_rows(tmp_path: Path) -> None:
    """At most 100 kB for 100 features and one score, and a certified bound of the AUC of at most 0.001."""
    rng = np.random.default_rng(2)
    n, k = 60_000, 100
    when = START + pd.to_timedelta(rng.random(n) * 2, unit="D")
    p = rng.beta(0.7, 2.2, n)
    frame = pd.DataFrame({f"f{i}": rng.normal(size=n) for i in range(k)})
    frame = frame.assign(
        when=when, p=p, y=(rng.random(n) < p).astype(int), known=when + pd.to_timedelta(rng.random(n) * 9, unit="D")
    )
    base = sy.monitor(
        frame, time="when", target="y", score="p", label_time="known", features="all", reference="first 1 windows"
    ).baseline
    found = sy.windows(frame, time="when", baseline=base, label_time="known")
    found.save(tmp_path)
    sizes = [f.stat().st_size for f in tmp_path.glob("*.json")]
    assert max(sizes) <= 100_000, sizes
    part = found[1].summary
    e = sy.evaluate(frame[when >= START + pd.Timedelta(days=1)], target="y", score="p")
    from steelyard.monitors.summed import evaluation_of

    counted = evaluation_of(part, base, 0.95)
    assert counted is not None
    auc, exact = counted["auc"], e["auc"]
    assert 0 < auc.bound <= 0.001 and abs(auc.value - exact.value) <= auc.bound


# From every engine ----------------------------------------------------------------------------------------------------


@functools.cache
def rows_everywhere() -> pd.DataFrame:
    """Rows with late labels as they were on a day, in no order."""
    now = START + pd.Timedelta(days=16)
    return as_known(history(4), now, "y").sample(frac=1.0, random_state=1).reset_index(drop=True)


def _written(rows: pd.DataFrame, form: str, folder: Path) -> Any:
    import duckdb
    import pyarrow as pa

    table = pa.Table.from_pandas(rows, preserve_index=False)
    if form == "lists":
        return {name: [None if pd.isna(v) else v for v in rows[name]] for name in rows}
    if form in {"CSV", "Parquet"}:
        path = folder / f"rows.{form.lower()}"
        rows.to_csv(path, index=False) if form == "CSV" else rows.to_parquet(path)
        return path
    if form == "DuckDB":
        return duckdb.connect().from_arrow(table)
    return (
        {"pandas": rows, "Arrow": table}[form] if form != "Polars" else pytest.importorskip("polars").from_arrow(table)
    )


@pytest.mark.parametrize("form", ["lists", "pandas", "Polars", "Arrow", "DuckDB", "CSV", "Parquet"])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_every_form_gives_the_same_windows(shape: str, form: str, tmp_path: Path) -> None:
    same_windows(_written(rows_everywhere(), form, tmp_path), shape)


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("shape", ["scores", "numbers"])
def test_a_few_days_at_a_time_give_the_same(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.monitors.piecewise.AT_ONCE", 200)
    monkeypatch.setattr("steelyard.monitors.piecewise.COUNTED_AT_ONCE", 200)
    same_windows(_written(rows_everywhere(), "Parquet", tmp_path), shape)


@pytest.mark.parametrize(
    "cut",
    [
        {"zone": "Europe/Berlin", "window": "week"},
        {"zone": "America/New_York", "window": "6 hours"},
        {"zone": "Europe/Berlin", "window": "hour"},
        {"zone": "Asia/Kathmandu", "window": "month"},
        {"only": ["2024-03-20", "2024-03-27", "2024-03-28"]},
        {"exact": True},
    ],
    ids=str,
)
@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("zoned", [False, True])
def test_every_way_to_cut_gives_the_same(cut: dict[str, Any], zoned: bool, tmp_path: Path) -> None:
    rows = rows_everywhere()
    if zoned:
        rows = rows.assign(**{name: rows[name].dt.tz_localize("UTC") for name in ("when", "known")})
    rows.to_parquet(tmp_path / "rows.parquet", coerce_timestamps="us")
    same_windows(tmp_path / "rows.parquet", "scores", rows, **cut)


@pytest.mark.usefixtures("counted")
def test_awkward_rows_give_the_same(tmp_path: Path) -> None:
    """Scores that are missing or no chances, odd targets, new levels, weights of zero, gaps in every column."""
    rows = rows_everywhere().copy()
    rng = np.random.default_rng(3)
    day = rows["when"].dt.day
    rows.loc[day == 20, "p"] = rows["p"] * 3 - 1
    rows.loc[(day == 21) & (rng.random(len(rows)) < 0.3), "p"] = np.nan
    rows.loc[(day == 22) & (rng.random(len(rows)) < 0.2) & rows["y"].notna(), "y"] = 7.0
    rows.loc[day == 23, "city"] = "Atlantis"
    rows.loc[(day == 24) & (rng.random(len(rows)) < 0.5), ["city", "x"]] = [None, np.nan]
    rows.loc[day == 25, "x"] = rows["x"] * 1e6
    rows.loc[day == 26, "x"] = -np.inf
    rows.loc[day == 27, "y"] = np.nan
    rows.loc[day == 28, "known"] = pd.NaT
    rows.loc[day == 29, "known"] = rows["when"] - pd.Timedelta(days=2)  # before the prediction was made
    rows["w"] = rows["w"] * (rng.random(len(rows)) > 0.2)
    for shape in ("scores", "weighed", "guesses"):
        same_windows(_written(rows, "Parquet", tmp_path), shape, rows, missing="drop")


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("shape", ["scores", "weighed", "guesses", "without labels"])
def test_many_rows_in_cells_give_the_same(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows are too many to be asked for one by one: cells and moments are found as finely as if they had been."""
    rows = history(6, days=6, a_day=9000, worn=4)
    rows["p"] = np.random.default_rng(7).beta(0.8, 1.5, len(rows))
    crowded = rows["when"].dt.day == 20
    rows.loc[crowded, "p"] = 0.4 + 0.01 * rows["p"]
    rows.loc[rows["when"].dt.day == 21, "p"] = rows["p"].round(2)
    monkeypatch.setattr("steelyard.monitors.in_place.few", lambda n: n <= 9500)
    same_windows(_written(rows, "Parquet", tmp_path), shape, rows)


@pytest.mark.parametrize("form", ["DuckDB", "Parquet"])
@pytest.mark.parametrize("reference", ["first 6 windows", "2024-03-24", "saved"])
def test_a_monitor_of_a_table_is_that_of_its_rows(reference: str, form: str, tmp_path: Path) -> None:
    for shape in ("scores", "weighed", "guesses", "without labels"):
        given_: dict[str, Any] = {"time": "when", "features": FEATURES, **SHAPES[shape]}
        given_ |= {} if given_.get("target") is None else {"label_time": "known", "horizon": "9 days"}
        held: Any = baseline_of(shape) if reference == "saved" else reference
        rows = rows_everywhere()
        whole = sy.monitor(rows, reference=held, **given_)
        again = sy.monitor(_written(rows, form, tmp_path), reference=held, **given_)
        assert not unlike(told(whole), told(again))
    # Features that nobody named: a number that grows with time is found among the rows of the reference.
    rows = rows.assign(id=rows["when"].rank(method="first").astype(int) * 7919)
    held = baseline_of("scores") if reference == "saved" else reference
    rows = rows[[*baseline_of("scores").features, "when", "known", "y", "p"]] if reference == "saved" else rows
    given_ = {"time": "when", "features": "all", "reference": held, **SHAPES["scores"], "label_time": "known"}
    assert not unlike(*(told(sy.monitor(x, **given_)) for x in (rows, _written(rows, form, tmp_path))))


def test_a_table_is_read_a_few_times_and_no_row_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends of the moments, when rows and labels came, scores, all columns, and the ends of new numbers: however many windows."""
    from steelyard.sources.relations import Relation

    asked: list[int] = []
    plain = Relation.ask

    def counted(self: Any, sql: str) -> Any:
        found = plain(self, sql)
        asked.append(len(next(iter(found.values()))))
        return found

    monkeypatch.setattr(Relation, "ask", counted)
    monkeypatch.setattr("steelyard.sources.tables.Table.fetch", lambda *_: pytest.fail("a row was fetched"))
    path = _written(rows_everywhere(), "Parquet", tmp_path)
    now = START + pd.Timedelta(days=16)
    sy.windows(path, time="when", label_time="known", baseline=baseline_of("scores"), now=now)
    assert len(asked) <= 5
    asked.clear()
    sy.monitor(path, time="when", reference=baseline_of("scores"), features=FEATURES, **SHAPES["scores"])
    assert len(asked) <= 6


def same_windows(data: Any, shape: str = "scores", rows: pd.DataFrame | None = None, **cut: Any) -> None:
    """Held against the windows of arrays in memory."""
    late = {} if SHAPES[shape].get("target") is None else {"label_time": "known"}
    given_: dict[str, Any] = {"time": "when", "baseline": baseline_of(shape), **late, **cut}
    given_ |= {"now": START + pd.Timedelta(days=16)} if rows is None else {}
    wanted, found = sy.windows(rows_everywhere() if rows is None else rows, **given_), sy.windows(data, **given_)
    assert [w.window for w in found] == [w.window for w in wanted]
    assert [w.name for w, v in zip(found, wanted, strict=True) if w.summary != v.summary] == []


@pytest.mark.xdist_group("postgres")
def test_postgres_gives_the_same_windows(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    monkeypatch.setattr("steelyard.sources.tables.Table.fetch", lambda *_: pytest.fail("a row was fetched"))
    rows = rows_everywhere().astype({"when": "datetime64[us]", "known": "datetime64[us]"})
    postgres.load("rows_of_days", pa.Table.from_pandas(rows, preserve_index=False))
    address = f"{postgres.tcp_uri}?table=rows_of_days"
    same_windows(address)
    same_monitor(address)


def same_monitor(data: Any) -> None:
    """Of rows where they live, held against that of rows in memory."""
    given_: dict[str, Any] = {"reference": baseline_of("scores"), "features": FEATURES, **SHAPES["scores"]}
    whole, again = (sy.monitor(x, time="when", label_time="known", **given_) for x in (rows_everywhere(), data))
    assert not unlike(told(whole), told(again))


@pytest.mark.xdist_group("spark")
def test_spark_gives_the_same_windows(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.sources.tables.Table.fetch", lambda *_: pytest.fail("a row was fetched"))
    rows = rows_everywhere()
    rows = rows.assign(**{name: rows[name].dt.tz_localize("UTC") for name in ("when", "known")})
    rows.to_parquet(tmp_path / "rows.parquet", coerce_timestamps="us")
    frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
    same_windows(frame)
    same_monitor(frame)
