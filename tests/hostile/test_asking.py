"""What hostile use once found, one test each, asked as anybody would: a wrong number or a bare error then, told now.

Only public names are used, so that the same files can be run against an older state. Which law or fuzzer finds the whole class
stands in docs/studies/nothing-in-silence.md, and so do those that need a server, a browser or an older library.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError

from .asked import P, Y, days, refused, watched

# A: wrong numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("precision_at_prevalence", {"prevalence": 2}),
        ("lift", {"depth": 10}),
        ("lift", {"depth": -1}),
        ("capture", {"depth": math.nan}),
        ("partial_auc", {"fpr": 10}),
        ("f_beta", {"beta": -1}),
        ("ece", {"bins": 2.5}),
        ("ece", {"bins": -3}),
        ("lift", {"depth": "10%"}),
    ],
)
def test_a3_options_outside_their_range(e: sy.Evaluation, name: str, options: dict[str, Any]) -> None:
    refused(lambda: e.measure(name, **options))


def test_a4_thresholds_that_are_none(e: sy.Evaluation) -> None:
    refused(*(lambda t=t: e.at(t)["recall"] for t in (math.nan, "x", None, [0.25, 0.5])))


def test_a5_a_changed_copy_is_not_told_from_memory(e: sy.Evaluation) -> None:
    before = e["auc"], e["recall"]
    narrow, high = dataclasses.replace(e, confidence=0.5), dataclasses.replace(e, threshold=0.9)
    assert narrow["auc"].high - narrow["auc"].low < before[0].high - before[0].low
    assert high["recall"].value == e.at(0.9)["recall"].value != before[1].value


def test_a7_a_bare_matrix_is_not_guessed_at() -> None:
    counted = sy.evaluate(confusion=[[150, 40], [60, 250]], levels=[1, 0], positive=1)
    with contextlib.suppress(SteelyardError):
        assert float(counted.cost(sy.Cost([[-1, 100], [1, 0]]))) == -150 + 4000 + 60
    refused(lambda: sy.evaluate(confusion=[[6, 3], [2, 9]])["recall"])


# B, C: silence, and bare errors ---------------------------------------------------------------------------------------


def test_b9_weights_of_zero_count_as_nothing() -> None:
    weighed = sy.evaluate(target=Y, score=P, weight=[1, 1, 0] * 20)
    kept = [i for i in range(60) if i % 3 != 2]
    assert weighed["auc"].value == sy.evaluate(target=[Y[i] for i in kept], score=[P[i] for i in kept])["auc"].value


def test_b10_an_exact_curve_is_whole() -> None:
    rng = np.random.default_rng(1)
    e = sy.evaluate(target=rng.integers(0, 2, 3000), score=rng.permutation(3000) / 3000, exact=True)
    assert len(e.curve("roc")) == 3001


def test_b11_a_reason_is_kept_in_a_frame() -> None:
    y = np.arange(40) % 4 // 3
    x = sy.experiment(["baseline"], np.arange(80.0).reshape(40, 2), y, design=sy.KFold(4), progress=False)
    table = pd.DataFrame(x.frame())
    gone = table[table["estimate"].isna() | table["pooled"].isna()]
    assert len(gone) and (gone["reason"].astype(str) + gone["pooled_reason"].astype(str) != "").all()


def test_c1_a_baseline_serves_without_its_features(tmp_path: Path) -> None:
    rows = days()
    watched(rows, features=["x"]).baseline.save(tmp_path / "b.json")
    assert watched(rows.drop(columns="x"), reference=str(tmp_path / "b.json")).windows


def test_c2_columns_of_pandas_as_they_are() -> None:
    words = pd.Series(["no", "yes"] * 20)
    score = [0.2, 0.7] * 20
    for form in (words.values, words.array, pd.Categorical(words), words.astype("category"), words.astype("string")):
        assert sy.evaluate(target=form, score=score, positive="yes")["auc"].value == 1


def test_c3_what_cannot_be_meant_is_a_sentence(e: sy.Evaluation) -> None:
    f = sy.evaluate(target=Y, score=P[::-1])
    assert sum([e, f]).rows == 120
    refused(
        lambda: e + 1,
        lambda: e["recall", [1]],
        lambda: e.chart("scores", bins=-10),
        lambda: e.chart("roc", thresholds="half"),
    )
    refused(lambda: sy.evaluate(target=Y, score=P, cost="x"))


def test_c4_the_same_level_is_hinted_at() -> None:
    y = ["no", "yes"] * 20
    told = []
    for call in (
        lambda: sy.evaluate(target=y, score=P[:40]),
        lambda: sy.experiment(["baseline"], pd.DataFrame({"a": range(40)}), y, design=sy.KFold(2), progress=False),
    ):
        with pytest.raises(SteelyardError) as found:
            call()
        told.append(re.findall(r"positive=[\"'](\w+)", str(found.value)))
    assert told[0] == told[1]


def test_c5_an_experiment_of_failures_says_so() -> None:
    class Broken:
        def fit(self, X: Any, y: Any) -> None:
            raise ZeroDivisionError

        def get_params(self, deep: bool = False) -> dict[str, Any]:
            return {}

        def set_params(self, **_: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X))

    X = pd.DataFrame({"a": range(40)})
    refused(lambda: sy.experiment({"broken": Broken()}, X, [0, 1] * 20, design=sy.KFold(2), progress=False))


def test_c6_columns_named_after_their_levels() -> None:
    y = ["a", "b", "c"] * 10
    shares = pd.DataFrame({v: [0.8 if v == u else 0.1 for u in y] for v in "abc"})
    assert sy.evaluate(target=y, score=shares)["accuracy"].value == 1


# D: watching ----------------------------------------------------------------------------------------------------------


def test_d1_whole_numbers_that_are_keys_are_left_out() -> None:
    m = watched(days().assign(id=lambda d: np.arange(len(d))), features="all")
    assert "id" not in m.signals and m.state == "ok"


def test_d2_a_change_knows_when_it_became_known() -> None:
    rows = days(4000).assign(known=lambda d: d["when"] + pd.Timedelta(days=12))
    rows["p"] = rows["p"].where(rows["when"] < "2024-01-16", 1 - rows["p"])
    m = watched(rows, label_time="known")
    fired = next(a for a in m.to_dict()["alarms"] if a["signal"] == "auc" and a["after"] == "firing")
    assert fired["known"] > fired["happened"]


def test_d3_a_baseline_does_not_judge_its_own_rows(tmp_path: Path) -> None:
    rows = days()
    first = watched(rows)
    first.baseline.save(tmp_path / "b.json")
    assert len(watched(rows, reference=str(tmp_path / "b.json")).windows) == len(first.windows)


def test_d4_there_is_a_recipe_for_late_labels() -> None:
    page = (Path(sy.__file__).parents[2] / "docs" / "nightly.md").read_text()
    assert "30 days late" in page and "--label-time" in page and ">> nightly.log 2>&1" not in page
