"""The monitor: its numbers are those of the rooms below, it sees what changes, waits for labels, and says what is wrong."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.comparisons.independent import difference
from steelyard.errors import (
    NotAvailable,
)

from .conftest import late_labels, states, stream, watch


def test_numbers_are_those_of_evaluate_and_compare(worn: pd.DataFrame) -> None:
    day = worn["when"].dt.strftime("%Y-%m-%d")
    reference = worn[day < "2024-03-11"]
    # Rows without times are not cut into windows, so that there is no spread of these to be allowed for.
    plain = reference.drop(columns="when")
    m = watch(worn[day >= "2024-03-11"], reference=plain, measures=["auc", "brier", "accuracy"])
    base = sy.evaluate(reference, target="y", score="p")
    assert m.baseline.rows == len(reference) and len(m) == 30
    for w in m.windows[::7]:
        here = sy.evaluate(worn[day == w.name], target="y", score="p")
        assert w.rows == here.rows == w.labels.labelled
        for name in ("auc", "brier", "accuracy"):
            s = w[name]
            assert s.value == here[name] and s.reference == base[name].value
            d = difference(here, base, name, confidence=1 - 2 * m.alpha)
            assert s.difference is not None
            assert (s.difference.value, s.difference.low, s.difference.high) == (d.value, d.low, d.high)


def test_the_level_is_that_of_the_budget(calm: pd.DataFrame) -> None:
    m = watch(calm, features=["x", "city"], budget="2 per 30 windows")
    assert m.budget is not None and m.alpha == pytest.approx(2 / 120) == m.budget.alpha
    assert {s.kind for s in m.windows[0].signals} == {"volume", "performance", "output", "feature"}
    assert all(s.alpha == m.alpha for w in m.windows for s in w.signals)


def test_stability_is_that_of_its_room(calm: pd.DataFrame) -> None:
    from steelyard.monitors.stability import stability

    m = watch(calm, features="all")
    day = calm["when"].dt.strftime("%Y-%m-%d")
    assert set(m.signals) == {"volume", "auc", "p", "guess", "x", "city", "w"}
    for name in ("p", "city"):
        s = stability(calm[day < "2024-03-11"], calm[day == "2024-03-15"], name)
        found = m["2024-03-15"][name]
        assert found.value is not None and found.value.value == pytest.approx(float(s.corrected))  # type: ignore[union-attr,arg-type]
        assert found.stability is not None and found.stability.p_value == pytest.approx(s.p_value)  # type: ignore[union-attr]


def test_rows_in_any_order_and_tables_of_any_kind_give_the_same(calm: pd.DataFrame, tmp_path: Path) -> None:
    wanted = watch(calm, features=["x", "city"]).to_dict()
    path = tmp_path / "rows.parquet"
    calm.to_parquet(path)
    shuffled = calm.sample(frac=1.0, random_state=3)
    for data in (shuffled, pl.from_pandas(calm), str(path), {k: calm[k].to_numpy() for k in calm}):
        assert watch(data, features=["x", "city"]).to_dict() == wanted
    aware = calm.assign(when=calm["when"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert watch(aware, features=["x", "city"]).to_dict() == wanted


def test_days_are_those_of_the_zone(calm: pd.DataFrame) -> None:
    m = watch(calm, zone="Europe/Berlin")
    assert m["2024-03-31"].window.end.utcoffset() == timedelta(hours=2)
    moved = watch(calm.assign(when=calm["when"].dt.tz_localize("UTC")), zone="Europe/Berlin")
    assert moved["2024-03-15"].rows != 400 and sum(w.rows for w in moved.windows) + moved.baseline.rows == len(calm)


# ---- what it sees


def test_nothing_is_seen_where_nothing_is(calm: pd.DataFrame) -> None:
    m = watch(calm, features=["x", "city"])
    assert m.state == m.worst == "ok" and not m.firing
    assert not [a for a in m.alarms if a.after == "firing"]


def test_a_worn_model_fires_and_recovers(worn: pd.DataFrame) -> None:
    m = watch(worn)
    assert states(m, "auc") == ["ok"] * 11 + ["alarm"] * 10 + ["ok"] * 9
    told = [(a.window, a.before, a.after) for a in m.alarms if a.severity == "alarm"]
    assert told == [
        ("2024-03-21", "ok", "pending"),
        ("2024-03-22", "pending", "firing"),
        ("2024-03-31", "firing", "recovering"),
        ("2024-04-01", "recovering", "ok"),
    ]
    assert "worse by more than the margin of 5%" in m.alarms[1].reason
    assert (m.state, m.worst) == ("ok", "alarm")
    assert watch(worn, for_=1)["2024-03-21"].state == "alarm"
    # Scores and features did not change.
    assert set(states(m, "p")) == {"ok"}


def test_worse_within_the_margin_is_a_warning() -> None:
    rng = np.random.default_rng(9)
    rows = stream(8, days=30, a_day=3000)
    late = (rows["when"] >= "2024-03-21").to_numpy()
    flip = late & (rng.random(len(rows)) < 0.06)
    rows["y"] = np.where(flip, 1 - rows["y"], rows["y"])
    m = watch(rows, margin=0.2)
    assert set(states(m, "auc")[11:]) == {"warn"} and m.state == "warn"
    assert watch(rows, margin=0.0).state == "alarm"


def test_better_raises_nothing(worn: pd.DataFrame) -> None:
    bad = worn[(worn["when"] >= "2024-03-21") & (worn["when"] < "2024-03-31")]
    good = worn[worn["when"] >= "2024-03-31"]
    m = watch(good, reference=bad)
    assert m.state == "ok" and "better" in m.windows[0]["auc"].reason


def test_a_feature_that_moves_is_named(calm: pd.DataFrame) -> None:
    rows = calm.copy()
    rng = np.random.default_rng(4)
    for i in range(15):
        rows[f"noise {i}"] = rng.normal(size=len(rows))
    late = rows["when"] >= "2024-04-01"
    rows.loc[late, "x"] += 1.0
    rows.loc[late & (rng.random(len(rows)) < 0.4), "city"] = "Lima"
    m = watch(rows, features=["x", "city", *(f"noise {i}" for i in range(15))])
    assert set(m.firing) == {"x", "city"}
    assert next(a.window for a in m.alarms if a.after == "firing" and a.signal == "x") == "2024-04-02"
    assert any("Lima" in n for n in m.windows[-1]["city"].stability.notes)  # type: ignore[union-attr]


def test_too_few_rows_are_not_judged(calm: pd.DataFrame) -> None:
    m = watch(calm[::20], reference=calm)
    assert {w["auc"].state for w in m.windows} == {"insufficient"} == {w["p"].state for w in m.windows}
    assert m.state == "insufficient" and "are needed" in m.windows[0]["auc"].reason


def test_windows_without_rows_are_kept_and_told(calm: pd.DataFrame) -> None:
    gone = calm[(calm["when"] < "2024-03-20") | (calm["when"] >= "2024-03-25")]
    m = watch(gone)
    assert len(m) == 30 and [w.name for w in m.windows if not w.rows] == [f"2024-03-{d}" for d in range(20, 25)]
    assert m["2024-03-20"].state == "nodata" and m["2024-03-21"].state == "alarm"
    assert [a.window for a in m.alarms if a.signal == "volume" and a.after == "firing"] == ["2024-03-21"]
    assert m.state == "ok" and "5 windows had no rows" in " ".join(m.sentences())
    # Where weekends are empty in the reference, they are no alarm.
    weekdays = calm[calm["when"].dt.day_of_week < 5]
    assert not [a for a in watch(weekdays).alarms if a.signal == "volume" and a.after == "firing"]


# ---- labels


def test_labels_that_come_late_raise_no_false_alarm(calm: pd.DataFrame) -> None:
    rows = late_labels(calm)
    m = watch(rows, label_time="known", horizon="30 days")
    immature = [w for w in m.windows if not w.labels.mature]
    assert len(immature) >= 9 and {w["auc"].state for w in immature} == {"immature"}
    assert not m.firing and m.state == "ok"
    covers = [w.labels.coverage for w in m.windows]
    assert covers[-1] is not None and covers[-1] < 0.3 and covers[0] is not None and covers[0] > 0.99
    assert m.windows[0].labels.median_delay is not None and m.windows[0].labels.median_delay > timedelta(days=5)
    # The early labels alone would have fired.
    naive = watch(rows[rows["y"].notna()])
    assert "auc" in naive.firing
    # What is told instead is expected from the scores, and right here, where scores mean what they meant.
    truth = calm[calm["when"] >= "2024-04-09"]
    x = m.windows[-1]["auc"]
    assert x.estimated and x.value is not None and x.value.low is not None and x.value.high is not None
    assert x.value.low <= float(sy.evaluate(truth, target="y", score="p")["auc"]) <= x.value.high
    assert "an estimate" in " ".join(m.sentences())


def test_data_alarms_do_not_wait_for_labels(calm: pd.DataFrame) -> None:
    rows = calm.copy()
    rows["y"] = rows["y"].where(rows["when"] < "2024-03-25")
    rows.loc[rows["when"] >= "2024-04-01", "p"] = rows["p"] ** 3
    m = watch(rows)
    assert states(m, "p")[-1] == "alarm" and states(m, "auc")[-1] == "immature"


def test_the_horizon_ends_the_waiting(calm: pd.DataFrame) -> None:
    rows = calm.assign(y=calm["y"].where(np.arange(len(calm)) % 2 == 0))
    assert {w["auc"].state for w in watch(rows).windows} == {"immature"}
    m = watch(rows, horizon=5)
    assert [w["auc"].state for w in m.windows] == ["ok"] * 24 + ["immature"] * 6
    assert watch(rows, horizon=5, now="2024-05-01")["2024-04-09"]["auc"].state == "ok"


def test_as_of_now_later_rows_and_labels_are_not_known(calm: pd.DataFrame) -> None:
    rows = calm.assign(known=calm["when"] + pd.Timedelta(days=3))
    m = watch(rows, label_time="known", now="2024-04-01", horizon=30)
    assert m.windows[-1].name == "2024-03-31" and m.windows[-1].labels.labelled == 0
    assert m["2024-03-27"].labels.coverage == 1.0 and not m["2024-03-30"].labels.mature


# ---- kinds of predictions, windows and modes


def test_labels_numbers_classes_weights_units_and_counts(calm: pd.DataFrame) -> None:
    labels = watch(calm, score=None, prediction="guess", positive=1)
    assert labels.signals == ("volume", "accuracy", "guess") and labels.state == "ok"
    numbers = calm.assign(dose=calm["x"] * 2, hat=calm["x"] * 2 + np.random.default_rng(1).normal(size=len(calm)))
    assert watch(numbers, target="dose", score=None, prediction="hat").windows[0]["mae"].reference == pytest.approx(
        0.8, abs=0.03
    )
    classes = calm.assign(
        a=calm["p"], b=(1 - calm["p"]) * 0.6, c=(1 - calm["p"]) * 0.4, kind=np.where(calm["y"], "a", "b")
    )
    classes.loc[::7, "kind"] = "c"
    many = watch(classes, target="kind", score={"a": "a", "b": "b", "c": "c"}, measures=["accuracy", ("recall", "a")])
    assert many.signals == ("volume", "accuracy", "recall a", "a", "b", "c")
    assert watch(calm, weight="w").windows[0]["auc"].value is not None
    units = calm.assign(who=np.arange(len(calm)) // 4)
    assert watch(units, unit="who").state == "ok"
    counted = watch(calm, window=1000, reference="first 4 windows")
    assert [w.rows for w in counted.windows][:-1] == [1000] * (len(counted) - 1) and counted.budget is not None
    weeks = watch(calm, window="week", reference="first 2 windows")
    assert [w.name for w in weeks.windows] == ["2024-W11", "2024-W12", "2024-W13", "2024-W14", "2024-W15"]
    halves = watch(calm, window="12 hours", reference="first 20 windows")
    assert len(halves) == 60


def test_without_a_target_scores_and_features_are_watched(calm: pd.DataFrame) -> None:
    m = watch(calm.drop(columns="y"), target=None, features=["x"])
    assert m.signals == ("volume", "p", "x") and m.state == "ok"


def test_a_window_of_one_class_or_a_new_one_hides_no_other(calm: pd.DataFrame) -> None:
    rows = calm.assign(y=np.where(calm["y"], "yes", "no"))
    rows.loc[rows["when"].dt.strftime("%m-%d") == "03-20", "y"] = "no"
    rows.loc[rows["when"].dt.strftime("%m-%d") == "03-22", "y"] = "perhaps"
    m = watch(rows, positive="yes")
    assert m["2024-03-20"]["auc"].state == m["2024-03-22"]["auc"].state == "insufficient"
    assert m["2024-03-21"]["auc"].state == "ok" and "perhaps" in m["2024-03-22"]["auc"].reason


def test_sequential_mode(calm: pd.DataFrame, worn: pd.DataFrame) -> None:
    m = watch(worn, mode="sequential")
    assert m.signals == ("volume", "brier", "p") and m.budget is None and m.alpha == pytest.approx(0.05 / 3)
    fired = [a.window for a in m.alarms if a.after == "firing" and a.severity == "alarm"]
    assert fired and "2024-03-21" <= fired[0] <= "2024-03-24"
    assert watch(calm, mode="sequential", measures=["accuracy", "log_loss"]).worst == "ok"
    assert watch(late_labels(calm), mode="sequential", label_time="known", horizon=60).worst == "ok"
    for given, why in (
        ({"measures": "auc"}, "no mean over rows"),
        ({"unit": "w"}, "independent rows"),
        ({"reference": sy.evaluate(calm, target="y", score="p")}, "no sums"),
    ):
        with pytest.raises(NotAvailable, match=why):
            watch(calm, mode="sequential", **given)


# ---- the reference
