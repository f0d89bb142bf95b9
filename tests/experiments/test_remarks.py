"""What the text of an experiment says beside its numbers: gaps, folds that agree, rows unranked, and what is not done yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import steelyard as sy
from steelyard.experiments.choosing import may_stratify, usual_holdouts
from steelyard.experiments.models import model_text, models_of
from steelyard.experiments.result import open_experiment
from steelyard.experiments.running import Interrupted
from steelyard.experiments.runs import runs
from steelyard.experiments.standard import MODELS, standard_model
from steelyard.intervals.folds import corrected_t

_r = np.random.default_rng(3)
X = _r.normal(size=(90, 3))
Y = (X[:, 0] + _r.normal(size=90) > 0).astype(int)
CANCER = load_breast_cancer(return_X_y=True)


class Stump:
    """No repr of its own, so that Python says where it lies in memory; stops the run after some fits, if told so."""

    left = 10**9

    def fit(self, X: Any, y: Any) -> Stump:
        Stump.left -= 1
        if Stump.left < 0:
            raise KeyboardInterrupt
        return self

    def predict(self, X: Any) -> Any:
        return (np.asarray(X)[:, 0] > 0).astype(int)


@pytest.fixture
def stop_after() -> Any:
    def after(fits: int) -> None:
        Stump.left = fits

    yield after
    Stump.left = 10**9


# Names ----------------------------------------------------------------------------------------------------------------


def test_a_description_never_says_where_a_model_lies_in_memory() -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "c": ["2024-01-01", "2024-01-02"]})
    for name in MODELS:
        for kind in MODELS[name].kinds:
            text = model_text(standard_model(name, kind, frame))
            assert "0x" not in text and "as_numbers" in text
    assert model_text(Stump()).endswith("Stump object>")


def test_the_same_call_is_the_same_experiment_and_tells_what_was_there(tmp_path: Path) -> None:
    seen = [sy.experiment({"s": Stump(), "tree": "tree"}, X, Y, design="kfold:3", store=tmp_path) for _ in range(2)]
    assert [x.already for x in seen] == [0, 6]
    assert len(runs(tmp_path)) == 1 and seen[0].name == seen[1].name == runs(tmp_path)[0].name
    assert sy.experiment({"s": Stump()}, X, Y, design="kfold:3").name


def test_classes_and_second_models_get_names_that_tell_them_apart() -> None:
    assert list(models_of([GaussianNB(), GaussianNB(), GaussianNB()])) == ["GaussianNB", "2 GaussianNB", "3 GaussianNB"]
    for given in ([DecisionTreeClassifier], DecisionTreeClassifier):
        with pytest.raises(sy.errors.UsageError, match='"DecisionTreeClassifier" is the class'):
            models_of(given)


# Not done yet ---------------------------------------------------------------------------------------------------------


def test_an_interruption_knows_what_is_kept_and_the_rest_is_told_as_so_far(tmp_path: Path, stop_after: Any) -> None:
    stop_after(2)
    call = ({"stump": Stump(), "tree": DecisionTreeClassifier(max_depth=1)}, X, Y)
    with pytest.raises(Interrupted, match="4 of 10 folds are kept in") as told:
        sy.experiment(*call, design="kfold:5", store=tmp_path)
    assert isinstance(told.value, KeyboardInterrupt) and "the same line goes on" in str(told.value)
    text = " ".join(str(open_experiment(tmp_path)).split())
    assert "5 test parts each, so far 4 of 10 folds" in text
    assert "Sum of the folds so far, 36 test rows" in text
    assert "has the best accuracy so far" in text or "share the best accuracy so far" in text
    stop_after(99)
    whole = sy.experiment(*call, design="kfold:5", store=tmp_path)
    assert whole.already == 4 and "so far" not in str(whole) and "Sum of the folds, 90 test rows" in str(whole)


def test_without_a_store_an_interruption_is_the_usual_one(stop_after: Any) -> None:
    stop_after(2)
    with pytest.raises(KeyboardInterrupt) as told:
        sy.experiment({"stump": Stump()}, X, Y, design="kfold:5")
    assert not isinstance(told.value, Interrupted)


# Strata ---------------------------------------------------------------------------------------------------------------


def test_strata_ignore_missing_targets_and_name_the_rare_level() -> None:
    text = np.array(["a"] * 12 + ["b"] * 12 + [None, float("nan")], dtype=object)
    assert may_stratify(text, None, 10) == (True, "")
    assert may_stratify(np.array([0.0, 1.0] * 10 + [np.nan]), None, 10) == (True, "")
    assert may_stratify(np.linspace(0, 1, 40), None, 2) == (False, "")
    may, said = may_stratify(np.array(["a"] * 20 + ["b"] * 3), None, 10, "10 folds")
    assert not may and said == 'Not stratified: level "b" has 3 rows, fewer than 10 folds.'


def test_strata_that_are_left_out_by_default_are_told() -> None:
    y = np.where(np.arange(90) < 5, 2, Y)
    said = "Not stratified: level 2 has 5 rows, fewer than 10 folds."
    x = sy.experiment(["tree"], X, y)
    assert said in x.notes() and "stratified" not in next(iter(x.plan["designs"].values()))["text"]
    assert said not in sy.experiment(["tree"], X, y, design=sy.KFold(10)).notes()
    curve = sy.learning_curve(["tree"], X, y, repeats=2, sizes=[20, 60])
    assert any("Not stratified: level 2 has 5 rows, fewer than 8" in n for n in curve.experiment.notes())
    design, _ = usual_holdouts(Y, None, 3, 0, group="shop")
    assert (design.stratify, design.group, design.repeats) == (False, "shop", 3)


def test_a_training_part_of_one_level_does_not_send_people_in_a_circle() -> None:
    y = np.zeros(90, dtype=int)
    y[-20:] = 1
    with pytest.raises(sy.errors.BadLevels) as told:
        sy.experiment(["tree"], X, y, design=_halves(y))
    assert "20 rows in all" in told.value.hint
    with pytest.raises(sy.errors.BadLevels) as told:
        sy.experiment(["tree"], X, np.arange(90) // 45, design=sy.KFold(2, shuffle=False))
    assert "Stratify the design" in told.value.hint
    assert sy.experiment(["tree"], X, np.arange(90) // 45, design=sy.KFold(2, stratify=True)).done == 2
    rare = (np.arange(90) == 0).astype(int)
    with pytest.raises(sy.errors.BadLevels) as told:
        sy.experiment(["tree"], X, rare, design=sy.KFold(3))
    assert "Stratify" not in told.value.hint and "Level 1 has 1 row in all" in told.value.hint


def _halves(y: Any) -> Any:
    return sy.StoredFolds(np.where(y == 1, 1, 0))


# Numbers --------------------------------------------------------------------------------------------------------------


def test_folds_without_a_value_are_told() -> None:
    y = (np.arange(90) % 18 == 0).astype(int)
    folds = np.arange(90) // 18
    y[folds > 2] = 0
    x = sy.experiment({"bayes": GaussianNB()}, X, y, design=sy.StoredFolds(folds))
    assert "bayes: auc has no value in 2 of 5 folds: the estimate rests on the other 3." in x.notes()


def test_what_no_fit_has_ranked_is_said_and_a_constant_model_is_no_better_than_chance(rng: np.random.Generator) -> None:
    y = np.array([0, 1] * 40)
    Z = np.column_stack([y + rng.normal(size=80), rng.normal(size=80)])
    x = sy.experiment({"none": "baseline", "bayes": GaussianNB()}, Z, y, design=sy.LeaveOneOut())
    assert x["none"]["auc"].value is None and "each fold holds one row" in x["none"]["auc"].reason
    assert any(n.startswith("auc cannot be told: each fold holds one row") for n in x.notes())
    assert "best auc" not in str(x) and "best accuracy" in str(x)
    folds = sy.experiment({"none": "baseline"}, Z, y, design=sy.KFold(10))
    assert folds["none"]["auc"].value == 0.5
    # Scores that are turned round in every fold stay so.
    turned = sy.experiment({"turned": Turned()}, Z + 2 * y[:, None], y, design=sy.KFold(5, stratify=True))
    assert turned["turned"]["auc"].high < 0.5


class Turned(GaussianNB):
    """Says the contrary of what it has learnt."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, ::-1]


def test_folds_that_happen_to_agree_leave_open_what_their_rows_do() -> None:
    wine, kinds = load_wine(return_X_y=True)
    told = 0
    for seed in range(12):
        x = sy.experiment({"bayes": "bayes"}, wine, kinds, design=sy.KFold(3, seed=seed))
        folds, rows = x.estimate("bayes", measure="accuracy"), x["bayes"]["accuracy"]
        plain = corrected_t(x.values("bayes", measure="accuracy"), 0.5, 0.95, (0, 1))
        agree = plain.high - plain.low < rows.high - rows.low
        assert agree == any("accuracy" in n.split(":")[0] and "the folds agree more" in n for n in x.notes())
        assert folds.high - folds.low == pytest.approx(max(plain.high - plain.low, rows.high - rows.low), abs=0.01)
        told += agree
    assert 0 < told < 12


@pytest.mark.parametrize("design", [sy.NestedFolds(3), sy.Bootstrap(5), sy.KFold(3, stratify=True)])
def test_every_column_says_on_what_it_rests(design: Any) -> None:
    x = sy.experiment({"bayes": GaussianNB()}, *CANCER, design=design)
    text = " ".join(str(x).split())
    kinds = {m: x.estimate("bayes", measure=m).method for m in ("auc", "accuracy")}
    if len(set(kinds.values())) == 1:
        whole = kinds["auc"].startswith(".632")
        assert f"For models to come (trained on {'all' if whole else '379'} rows)" in text
    else:
        assert "For models to come, 95% intervals" in text
        assert "Rests on: AUC: the spread between folds" in text and "accuracy" in text.split("Rests on: ")[1]
        assert "(corrected resampled t), for models trained on 379 rows" in text


def test_one_repeat_of_paired_hold_outs_is_conservative_too() -> None:
    x = sy.experiment({"bayes": GaussianNB()}, X, Y, design=sy.PairedHoldout(0.2, repeats=1, pairs=4))
    e = x.estimate("bayes", measure="accuracy")
    assert e.method.startswith("conservative") and e == x.estimate("bayes", measure="accuracy", method="conservative")


def test_a_model_without_scores_does_not_hide_those_of_others() -> None:
    x = sy.experiment({"stump": Stump(), "bayes": GaussianNB(), "tree": "tree"}, X, Y, design="kfold:3")
    text = str(x)
    assert "n/a (no scores)" in text and "has the best AUC" in text.replace("\n  ", " ")
    assert next(line for line in text.splitlines() if line.startswith("  model")).split()[1] == "AUC"
    alone = sy.experiment({"stump": Stump(), "bayes": GaussianNB()}, X, Y, design="kfold:3")
    assert "the best accuracy" in str(alone)
    assert "n/a (no scores)" in x.chart().svg()


def test_a_single_hold_out_has_no_folds_in_its_picture() -> None:
    one, many = (sy.experiment({"bayes": GaussianNB()}, X, Y, design=d).chart() for d in ("holdout:0.3", "kfold:3"))
    assert "fold" not in one.svg() and "fold by fold" in many.svg() and "one fold" in many.svg()


def test_the_sum_says_where_intervals_follow_groups() -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(shop=np.arange(90) // 3, y=Y)
    by_group = sy.experiment(["bayes"], frame, "y", design=sy.KFold(3, group="shop"))
    assert "Rests on the test rows, by group, and on" in str(by_group)
    assert "by group" not in str(sy.experiment(["bayes"], frame, "y", design=sy.KFold(3)))


def test_a_document_has_a_title_and_a_name() -> None:
    from steelyard.reports.experiment import experiment_document

    found = experiment_document(sy.experiment({"bayes": GaussianNB()}, X, Y, design="kfold:3"))
    assert found["title"] == "data: bayes" and len(found["experiment"]) == 10
