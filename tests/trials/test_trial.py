"""The whole of a trial: the same from every source, the verdicts, the words, the pictures, and a sentence for bad input."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steelyard.errors import BadLevels, EmptyTable, InputError, MissingValues, NotNumeric, UnknownColumn, UsageError
from steelyard.trials.means import welch
from steelyard.trials.trial import Trial, trial
from steelyard.verdicts.trial import BLOCKED, HARMS, HELPS, LESS, MORE, NOT_COMPARABLE, UNCLEAR
from steelyard.views.layout import width_of

from .single_units import by_units

ROLES: dict[str, Any] = {"group": "arm", "control": "left", "outcome": "churned", "unit": "customer", "period": "week"}


def people(n: int = 600, effect: float = -0.15, seed: int = 0, weeks: int = 1) -> dict[str, list[Any]]:
    """Customers, half of them called, each seen in one week or in several."""
    rng = np.random.default_rng(seed)
    called = rng.permutation(n) < n // 2
    score, earlier, value = rng.random(n), rng.normal(size=n), rng.integers(50, 150, n)
    who = np.repeat(np.arange(n), weeks)
    week = np.tile(np.arange(1, weeks + 1), n) if weeks > 1 else rng.integers(1, 9, n)
    left = rng.random(n * weeks) < np.clip(0.3 + effect * called + 0.05 * earlier, 0, 1)[who]
    return {
        "customer": [f"c{i}" for i in who],
        "arm": np.where(called, "called", "left")[who].tolist(),
        "week": week.tolist(),
        "churned": left.astype(int).tolist(),
        "score": score[who].tolist(),
        "earlier": earlier[who].tolist(),
        "value": value[who].tolist(),
    }


def test_the_same_trial_from_every_source(tmp_path: Path) -> None:
    data = people()
    frame = pd.DataFrame(data)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    roles = ROLES | {"score": "score", "before": "earlier", "value": "value", "cost": 1.0}
    want = trial(data, **roles).to_dict()
    relation = duckdb.from_arrow(pa.table(data))
    sources = [frame, pl.DataFrame(data), pl.LazyFrame(data), pa.table(data), relation]
    for source in [*sources, tmp_path / "t.parquet", str(tmp_path / "t.csv")]:
        found = trial(source, **roles).to_dict()
        for part in ("verdict", "design", "ratio", "sentences"):
            assert found[part] == want[part], (type(source), part)
        values = [m["effect"]["low"] for m in found["methods"]]
        assert values == pytest.approx([m["effect"]["low"] for m in want["methods"]], rel=1e-9)
    arrays = {k: data.get(v, v) for k, v in roles.items()}
    assert trial(**arrays).to_dict()["sentences"] == want["sentences"]


def test_order_of_rows_does_not_matter() -> None:
    frame = pd.DataFrame(people(200, weeks=4))
    a, b = trial(frame, **ROLES), trial(frame.sample(frac=1, random_state=2), **ROLES)
    assert a.sentences() == b.sentences()


def test_the_unit_of_analysis_is_chosen_by_the_data_and_said() -> None:
    once, often = people(), people(200, weeks=5)
    t = trial(once, **ROLES)
    assert t.design.analysis == "unit" and t.primary.name == "two proportions" and "because the rows name" in str(t)
    t = trial(often, **ROLES)
    assert t.primary.name == "cluster-robust by unit" and t.design.repeated
    y, called = np.array(often["churned"], dtype=float), np.array(often["arm"]) == "called"
    sums = y.reshape(200, 5).sum(axis=1)
    arm = called.reshape(200, 5)[:, 0]
    rows = np.full(200, 5.0)
    want = by_units((sums[arm], sums[~arm]), (rows[arm], rows[~arm]))
    assert (t.effect.value, t.effect.low, t.effect.high) == pytest.approx((want.value, want.low, want.high))
    # Rows or periods of units that come back are not independent, and it is said.
    for name in ("two proportions", "Welch t by period", "Poisson ratio (exact)"):
        assert not t.method(name).valid and t.method(name).why
    assert t.looks is None and "come back" in t.looks_why
    t = trial({k: v for k, v in once.items() if k != "customer"}, **{**ROLES, "unit": None})
    assert "each row is taken for one" in t.design.because
    t = trial(once, **ROLES, analysis="period")
    assert t.primary.name == "slow-wave t by period" and t.design.because == "that was asked for"
    t = trial(once, **ROLES, analysis="period", independent=True)
    assert t.primary.name == "Welch t by period" and t.primary.valid and t.careful is None
    # Units seen once and drawn one by one make their periods independent of each other.
    assert trial(once, **ROLES).method("Welch t by period").valid


def weekly(control: Any, treated: Any, exposed: Any = 1000, **more: Any) -> Trial:
    n = len(control)
    table = {"week": [*range(n)] * 2, "arm": ["left"] * n + ["called"] * n, "churned": [*control, *treated]}
    return trial(counts=table, group="arm", control="left", outcome="churned", period="week", exposed=exposed, **more)


def test_verdicts_of_counts() -> None:
    rng = np.random.default_rng(8)
    assert weekly(rng.poisson(60, 12), rng.poisson(30, 12)).verdict == HELPS
    assert weekly(rng.poisson(60, 12), rng.poisson(30, 12), direction="higher").verdict == HARMS
    assert weekly(rng.poisson(30, 12), rng.poisson(60, 12)).verdict == HARMS
    assert weekly([20, 25, 22, 18], [21, 24, 20, 19]).verdict == UNCLEAR
    assert weekly([20, 21, 20, 20, 21, 20], [24, 24, 25, 24, 24, 25]).verdict == MORE
    assert weekly([24, 24, 25, 24, 24, 25], [20, 21, 20, 20, 21, 20]).verdict == LESS


def test_over_dispersed_weeks_make_event_methods_not_valid() -> None:
    t = weekly([30, 90, 10, 70, 25, 120], [20, 60, 90, 15, 110, 40], independent=True)
    assert t.dispersion is not None and t.dispersion.verdict == "more"
    assert [m.valid for m in t.methods if m.unit == "event"] == [False] * 3
    assert t.method("Welch t by period").valid and t.method("negative binomial ratio").valid
    assert t.looks is None and "vary more" in t.looks_why
    assert "not valid here" in str(t)


def test_weeks_like_their_neighbours_leave_no_method_by_period() -> None:
    t = weekly(np.arange(20, 60, 2), np.arange(60, 20, -2) // 2)
    assert t.neighbours is not None and t.neighbours.alike
    assert not t.primary.valid and "neighbouring periods are more alike" in t.reasons[0]
    assert t.verdict not in (HELPS, HARMS)
    assert "neighbouring periods are alike" in t.method("Welch t by period").why


def test_a_result_that_rests_on_independent_weeks_only_leans() -> None:
    control, treated = [34, 29, 23, 27, 32, 24, 34, 29], [14, 20, 26, 18, 17, 20, 21, 19]
    t = weekly(control, treated)
    assert t.method("Welch t by period").effect.p_value < 0.01 and t.method("Welch t by period").unshown
    assert t.primary.name == "slow-wave t by period" and t.primary.side == 0 and t.verdict == LESS
    assert len(t.reasons) == 1 and "Clear if periods are independent of each other" in t.reasons[0]
    assert "say that they are independent" in " ".join(t.sentences()) and t.careful is not None and t.careful.alike
    known = weekly(control, treated, independent=True)
    assert known.verdict == HELPS and known.primary.name == "Welch t by period"
    assert t.looks is not None and "if periods and events are independent of each other" in t.looks.note
    assert known.looks is not None and known.looks.note.startswith("if events are independent of each other")
    for trial_of in (t, known, trial(people(), **ROLES)):
        assert "so that nothing moves all of one arm in one period" in " ".join(trial_of.sentences())


def test_exposure_that_differs_is_taken_into_account() -> None:
    """Twice the customers and twice the events is no effect."""
    control = np.array([20, 25, 22, 18, 21, 19])
    n = len(control)
    table = {"week": [*range(n)] * 2, "arm": [0] * n + [1] * n, "churned": [*control, *(2 * control)]}
    table["shown"] = [1000] * n + [2000] * n
    roles: dict[str, Any] = {"group": "arm", "control": 0, "outcome": "churned", "period": "week", "exposed": "shown"}
    t = trial(counts=table, **roles, planned={0: 1, 1: 2})
    assert t.effect.value == pytest.approx(0, abs=1e-9) and t.method(
        "Poisson ratio (Wald)"
    ).effect.value == pytest.approx(1)
    assert not t.ratio.blocked and t.verdict == UNCLEAR
    assert trial(counts=table, **roles, planned="equal").verdict == BLOCKED
    free = weekly([20, 25, 22], [21, 24, 20], exposed=None, planned="equal")
    assert free.ratio is None and "not checked" in str(free) and not free.method("two proportions").valid


def test_the_sample_ratio_comes_first() -> None:
    frame = pd.DataFrame(people(4000))
    lost = frame[(frame.arm == "left") | (frame.churned == 0)]
    t = trial(lost, **ROLES, planned="equal")
    assert t.verdict == BLOCKED and t.ratio.total.p_value < 0.0005 and "assigned or lost" in str(t)
    # Off in one segment alone.
    frame["region"] = np.where(np.arange(4000) % 4 == 0, "north", "south")
    cut = frame[(frame.region == "south") | (frame.arm == "left") | (np.arange(4000) % 8 == 0)]
    assert trial(cut, **ROLES, segment="region", planned="equal").ratio.worst.name == "segment north"


def test_groups_that_differ_before_are_not_comparable() -> None:
    data = pd.DataFrame(people(1000))
    data["arm"] = np.where(data.score > 0.5, "called", "left")
    t = trial(data, **ROLES, score="score")
    assert t.verdict == NOT_COMPARABLE and "not exchangeable" in str(t) and "may still be read" in " ".join(t.reasons)
    random = trial(pd.DataFrame(people(1000)), **ROLES, score="score", selection="random")
    assert random.verdict == HELPS and not any(b.beyond_chance for b in random.balances)


def test_money_by_a_number_and_by_a_column() -> None:
    data = people()
    fixed = trial(data, **ROLES, value=100, cost=2).money
    y, called = np.array(data["churned"]), np.array(data["arm"]) == "called"
    gain = y[~called].mean() - y[called].mean()
    assert float(fixed.each) == pytest.approx(100 * gain - 2) and fixed.total.value == pytest.approx(
        300 * float(fixed.each)
    )
    own = trial(data, **ROLES, value="value", cost=2).money
    lost = y * np.array(data["value"])
    want = welch(lost[called], lost[~called])
    assert (float(own.each), own.each.low) == pytest.approx((-want.value - 2, -want.high - 2))
    week = weekly([20, 25, 22], [11, 14, 10], value=50, cost=0.1).money
    assert float(week.each) == pytest.approx(50 * (67 - 35) / 3 - 100) and week.per == "period"


def test_cuped_is_beside_the_unadjusted() -> None:
    t = trial(people(2000), **ROLES, before="earlier")
    adjusted, plain = t.method("CUPED by unit").effect, t.method("Welch t by unit").effect
    assert adjusted.high - adjusted.low < plain.high - plain.low and 0 < adjusted.options["explained"] < 0.1
    assert "explains" in str(t) and t.primary.name == "CUPED by unit"


def test_words_keep_to_80_columns_and_json_to_numbers() -> None:
    long = people(300)
    long["arm"] = [
        "a name that goes on and on until nobody reads it any more" if a == "called" else a for a in long["arm"]
    ]
    for t in (trial(long, **ROLES, score="score", before="earlier", value=3), weekly([0, 0, 1], [0, 5, 9])):
        assert max(width_of(line) for line in str(t).splitlines()) <= 80
        json.dumps(t.to_dict(), allow_nan=False)
        assert len(t.frame()) == len(t.methods) and sum(t.frame()["primary"]) == 1
        assert t.sentences()[0].startswith("Verdict: ")


def test_every_picture_can_be_drawn() -> None:
    t = trial(people(800), **ROLES, score="score")
    assert list(t.charts()) == ["effect", "periods", "looks", "bands", "uplift", "qini"]
    for name, chart in t.charts().items():
        assert chart.png()[:4] == b"\x89PNG" and chart.svg().startswith("<svg") and chart.description, name
        assert len(chart.frame())
    assert list(weekly([20, 25, 22], [11, 14, 10]).charts()) == ["effect", "periods", "looks"]
    with pytest.raises(UsageError, match="no picture"):
        t.chart("pie")
    with pytest.raises(UsageError, match="no method"):
        t.method("Bayes")


# ---- bad input

GOOD = people(40)
TABLE = {"week": [1, 2, 1, 2], "arm": ["left", "left", "called", "called"], "churned": [3, 4, 5, 6]}
COUNTED: dict[str, Any] = {"group": "arm", "control": "left", "outcome": "churned", "period": "week"}


def changed(**columns: Any) -> dict[str, Any]:
    return GOOD | columns


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: trial(changed(arm=["left"] * 40), **ROLES), BadLevels, "the other arm is empty"),
        (lambda: trial(GOOD, **{**ROLES, "control": "none"}), BadLevels, 'control "none" is not among'),
        (lambda: trial(changed(arm=["left", "a", "b", "a"] * 10), **ROLES), UsageError, "there are 2 groups"),
        (lambda: trial(GOOD, **ROLES, treated="x"), BadLevels, 'treated group "x"'),
        (lambda: trial(changed(customer=["c1"] * 40), **ROLES), InputError, 'The unit "c1" is in both arms'),
        (lambda: trial(changed(churned=["yes"] * 40), **ROLES), NotNumeric, "holds text"),
        (lambda: trial(changed(churned=[0] * 40), **ROLES), BadLevels, "The outcome is 0 in every row"),
        (lambda: trial(changed(churned=[None, *GOOD["churned"][1:]]), **ROLES), MissingValues, "1 of 40 rows"),
        (lambda: trial({k: [] for k in GOOD}, **ROLES), EmptyTable, "no rows"),
        (lambda: trial(GOOD, **{**ROLES, "unit": "client"}), UnknownColumn, '"client"'),
        (lambda: trial(**ROLES), UsageError, "no table to find it in"),
        (lambda: trial(GOOD, **ROLES, direction="down"), UsageError, '"lower" and "higher"'),
        (lambda: trial(GOOD, **ROLES, independent="yes"), UsageError, 'True or False, and "yes" came'),
        (lambda: trial(GOOD, **ROLES, analysis="row"), UsageError, '"unit" and "period"'),
        (lambda: trial(GOOD, **{**ROLES, "period": None}, analysis="period"), UsageError, "zero periods"),
        (lambda: trial(GOOD, **ROLES, missing="guess"), UsageError, '"refuse" and "drop"'),
        (lambda: trial(GOOD, **ROLES, cost=3), UsageError, "without the value"),
        (lambda: trial(GOOD, **ROLES, exposed=3), UsageError, "belongs to a table of counts"),
        (lambda: trial(GOOD, **ROLES, planned={"left": 1}), UsageError, "planned shares"),
        (lambda: trial(GOOD, **ROLES, confidence=95), UsageError, "confidence"),
        (lambda: trial(counts=TABLE | {"churned": [3, -1, 2, 2]}, **COUNTED), InputError, "-1 came"),
        (lambda: trial(counts=TABLE | {"churned": [3, 1.5, 2, 2]}, **COUNTED), InputError, "1.5 came"),
        (lambda: trial(counts=TABLE | {"churned": [0] * 4}, **COUNTED), BadLevels, "No event"),
        (lambda: trial(counts=TABLE, **{**COUNTED, "period": None}), UsageError, "zero periods"),
        (lambda: trial(counts={k: [] for k in TABLE}, **COUNTED), EmptyTable, "no rows"),
        (lambda: trial(counts=TABLE, **COUNTED, exposed=0), UsageError, "above 0"),
        (lambda: trial(counts=TABLE, **COUNTED, unit="week"), UsageError, "has no unit"),
        (lambda: trial(counts=TABLE, **COUNTED, analysis="unit"), UsageError, "knows no single units"),
        (lambda: trial(GOOD, counts=TABLE, **COUNTED), UsageError, "Both rows and"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        call()
    assert caught.value.hint  # type: ignore[attr-defined]


def test_dropped_rows_and_other_groups_are_counted() -> None:
    data = changed(churned=[None, *GOOD["churned"][1:]])
    data["arm"] = ["other" if i in (5, 6) else a for i, a in enumerate(GOOD["arm"])]
    t = trial(data, **ROLES, missing="drop", treated="called")
    assert (t.design.dropped, t.design.others) == (1, 2) and "1 rows with missing values" in str(t)


def test_a_period_without_an_arm_and_a_single_period() -> None:
    table = {"week": [1, 2, 3, 1, 2], "arm": ["left"] * 3 + ["called"] * 2, "churned": [9, 8, 7, 3, 4]}
    t = trial(counts=table, **COUNTED, exposed=100)
    assert not t.method("paired t by period").valid and t.method("Welch t by period").unshown and t.looks is None
    one = trial(counts={k: v[::2] for k, v in TABLE.items()}, **COUNTED, exposed=100)
    assert not one.primary.valid and "fewer than 3 periods" in one.primary.why and one.verdict == UNCLEAR
    assert one.method("Poisson ratio (exact)").valid and str(one)


@pytest.mark.parametrize("value", [np.float32(0.25), np.int8(3), Fraction(1, 4)])
def test_what_an_outcome_is_worth_may_be_a_number_of_any_kind(value: Any) -> None:
    rows = {"arm": ["left", "sent"] * 50, "churned": [0, 1, 1, 1, 0] * 20}
    found = trial(rows, group="arm", control="left", outcome="churned", value=value)
    assert found.to_dict() == trial(rows, group="arm", control="left", outcome="churned", value=float(value)).to_dict()
    assert json.dumps(found.to_dict())
