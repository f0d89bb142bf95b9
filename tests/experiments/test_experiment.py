"""Experiments as a whole: weights, seeds, names, and failures."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steelyard as sy
from steelyard.errors import NotAvailable, UsageError
from steelyard.experiments.models import fresh

from .samples import FEW, FEW_LEVELS, FIRST, Stumbles

ROWS = 90
X, Y = FEW, FEW_LEVELS
FOLDS = sy.KFold(3)


class Recorder(ClassifierMixin, BaseEstimator):
    """Writes down with which weights and which seed it was trained."""

    trained: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Recorder:
        Recorder.trained.append({"rows": X[:, 0].copy(), "weight": sample_weight, "seed": self.random_state})
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])


class Noise(TransformerMixin, BaseEstimator):
    """A step with chance of its own."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Noise:
        return self

    def transform(self, X: Any) -> Any:
        return X


@pytest.fixture(autouse=True)
def _nothing_recorded() -> Iterator[None]:
    Recorder.trained.clear()
    yield
    Recorder.trained.clear()


# Weights --------------------------------------------------------------------------------------------------------------


def test_weights_reach_training_and_counting() -> None:
    weight = np.random.default_rng(0).integers(1, 5, ROWS).astype(float)
    x = sy.experiment({"m": Recorder()}, X, Y, weight=weight, design=FOLDS)
    by_value = dict(zip(X[:, 0].tolist(), weight.tolist()))
    for trained in Recorder.trained:
        assert trained["weight"].tolist() == [by_value[v] for v in trained["rows"].tolist()]
    p = x.predictions("m")
    e = sy.evaluate(target=Y[p["row"]], score=p["score"], weight=weight[p["row"]])
    for name in ("accuracy", "log_loss"):
        assert x["m"][name].value == pytest.approx(e[name].value, rel=1e-12)
        assert x["m"][name].low == pytest.approx(e[name].low, rel=1e-9)
    assert x["m"]["accuracy"].value == pytest.approx(
        np.average((p["score"] >= 0.5) == Y[p["row"]], weights=weight[p["row"]])
    )
    assert not any("weights" in n for n in x.notes())


def test_weights_go_through_pipelines_and_searches_and_others_say_so() -> None:
    weight = np.where(Y == 1, 9.0, 1.0)
    takes = {
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "search": GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=3),
        "search of a pipeline": GridSearchCV(make_pipeline(StandardScaler(), GaussianNB()), {}, cv=3),
        "pipeline of a search": make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=3)),
    }
    takes_none = {
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "threshold": TunedThresholdClassifierCV(GaussianNB(), thresholds=3, cv=2),
    }
    x = sy.experiment({**takes, **takes_none}, X, Y, weight=weight, design=sy.KFold(2))
    assert not x.failures, x.failures[0]["error"]
    plain = sy.experiment(takes, X, Y, design=sy.KFold(2))
    for name in takes:
        # Heavy positives draw the scores up.
        assert x.predictions(name)["score"].mean() > plain.predictions(name)["score"].mean() + 0.1, name
        assert not any(n.startswith(f"{name}: ") and "weights" in n for n in x.notes())
    for name in takes_none:
        assert f"{name}: the model takes no weights: it learnt without them" in x.notes()


# Seeds ----------------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_experiment_and_another_one_another() -> None:
    def run(seed: Any) -> Any:
        return sy.experiment({"m": RandomForestClassifier(5)}, X, Y, design=FOLDS, seed=seed)

    first, again, other = run(1), run(1), run(2)
    pd.testing.assert_frame_equal(first.predictions("m"), again.predictions("m"))
    assert json.dumps(first.to_dict()) == json.dumps(again.to_dict())
    assert not first.predictions("m")["score"].equals(other.predictions("m")["score"])
    # The rows are drawn by the design, which has a seed of its own.
    assert first.predictions("m")["row"].equals(other.predictions("m")["row"])
    pd.testing.assert_frame_equal(first.predictions("m"), run(np.int64(1)).predictions("m"))
    for wrong in (-1, 1.5, True, "1"):
        with pytest.raises(UsageError, match="seed"):
            run(wrong)


def test_every_fold_and_every_step_throws_its_own_dice() -> None:
    sy.experiment({"a": Recorder(), "b": Recorder()}, X, Y, design=sy.KFold(3, repeats=2))
    seeds = [t["seed"] for t in Recorder.trained]
    # The same for both models within a fold, another in each of the six.
    assert seeds[::2] == seeds[1::2] and len(set(seeds)) == 6
    steps = fresh(make_pipeline(Noise(), Noise(), Recorder()), 0)
    found = [step.random_state for _, step in steps.steps]
    assert len(set(found)) == 3 and None not in found
    assert found == [step.random_state for _, step in fresh(steps, 7).steps]
    assert found == [step.random_state for _, step in fresh(make_pipeline(Noise(), Noise(), Recorder()), 0).steps]


def test_a_seed_that_was_given_is_left_alone() -> None:
    sy.experiment({"m": Recorder(random_state=42)}, X, Y, design=FOLDS, seed=5)
    assert {t["seed"] for t in Recorder.trained} == {42}
    search = GridSearchCV(make_pipeline(Noise(3), Recorder()), {})
    ready = fresh(search, 0)
    assert ready.estimator.steps[0][1].random_state == 3
    assert isinstance(ready.estimator.steps[1][1].random_state, int)
    # What came is never changed.
    assert search.estimator.steps[1][1].random_state is None and not hasattr(search, "best_params_")


# Names ----------------------------------------------------------------------------------------------------------------


def grid() -> Any:
    models = {"bayes": GaussianNB(), "knn": KNeighborsClassifier(3)}
    data = {"all": (X, Y), "few": (X[:40], Y[:40])}
    return sy.experiment(models, data=data, design={"cv": FOLDS, "once": sy.Holdout(0.5)})


def test_every_model_meets_every_data_set_under_every_design() -> None:
    x = grid()
    assert (x.models, x.data_sets, x.designs) == (["bayes", "knn"], ["all", "few"], ["cv", "once"])
    assert x.total == x.done == 2 * 2 * (3 + 1)
    for model, kind in (("bayes", GaussianNB()), ("knn", KNeighborsClassifier(3))):
        for name, rows in (("all", ROWS), ("few", 40)):
            for design, one in (("cv", FOLDS), ("once", sy.Holdout(0.5))):
                alone = sy.experiment({"m": kind}, X[:rows], Y[:rows], design=one)
                for names in ((model, name, design), (design, name, model)):
                    assert x[names]["accuracy"].value == alone["m"]["accuracy"].value
                    assert x.values(*names, measure="auc") == alone.values("m", measure="auc")
    frame = x.frame()
    assert len(frame.groupby(["model", "data", "design"])) == 8
    assert len(x.timings()) == x.total and (x.timings()["fit"] >= 0).all()


def test_a_name_that_leaves_a_choice_gets_a_sentence() -> None:
    x = grid()
    for names, said in (
        (("knn",), 'There are 2 data sets: "all", "few"'),
        (("knn", "all"), 'There are 2 designs: "cv", "once"'),
        (("all", "cv"), 'There are 2 models: "bayes", "knn"'),
        (("kn", "all", "cv"), 'called "kn"'),
        (("knn", "knn", "cv"), 'called "knn"'),
    ):
        with pytest.raises(NotAvailable, match=said):
            x[names]
    one = sy.experiment({"knn": KNeighborsClassifier()}, X, Y, design=FOLDS)
    assert one["knn"] == one["data"] == one["3 folds"]
    assert list(one) == ["knn"] and "knn" in one and "data" not in one


def test_names_are_made_where_none_were_given() -> None:
    x = sy.experiment([GaussianNB(), make_pipeline(StandardScaler(), GaussianNB()), "tree"], X, Y, design=FOLDS)
    assert x.models == ["GaussianNB", "2 GaussianNB", "tree"]
    assert sy.experiment(GridSearchCV(GaussianNB(), {}, cv=2), X, Y, design=FOLDS).models == ["GaussianNB"]
    assert sy.experiment("tree", X, Y, design=FOLDS, name="my rows").data_sets == ["my rows"]


class Half:
    """Can be trained and says nothing."""

    def fit(self, X: Any, y: Any) -> Half:
        return self


REFUSED: dict[str, tuple[str, Any]] = {
    "a model and a data set of one name": ("One name", lambda: sy.experiment({"data": GaussianNB()}, X, Y)),
    "a model and a design of one name": (
        "One name",
        lambda: sy.experiment({"cv": GaussianNB()}, X, Y, design={"cv": FOLDS}),
    ),
    "both kinds of models": (
        "two experiments",
        lambda: sy.experiment({"a": GaussianNB(), "b": LinearRegression()}, X, Y),
    ),
    "a class": (r"GaussianNB\(\)", lambda: sy.experiment(GaussianNB, X, Y)),
    "a class among others": (r"GaussianNB\(\)", lambda: sy.experiment({"a": GaussianNB}, X, Y)),
    "no fit": ("no fit", lambda: sy.experiment({"a": 3}, X, Y)),
    "nothing that predicts": ("no fit", lambda: sy.experiment(Half(), X, Y)),
    "no model": ("No model", lambda: sy.experiment({}, X, Y)),
    "another kind": ("does not fit", lambda: sy.experiment(GaussianNB(), X, Y, kind="continuous")),
    "an unknown kind": ("not a choice", lambda: sy.experiment(GaussianNB(), X, Y, kind="ranks")),
    "a confidence above 1": ("confidence", lambda: sy.experiment(GaussianNB(), X, Y, confidence=95)),
    "a design that is none": ("design", lambda: sy.experiment(GaussianNB(), X, Y, design=3.5)),
    "weights of several data sets": (
        "name of a column",
        lambda: sy.experiment(GaussianNB(), data={"a": (X, Y)}, weight=np.ones(ROWS)),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_gets_a_sentence(name: str) -> None:
    said, call = REFUSED[name]
    with pytest.raises(UsageError, match=said):
        call()


# Failures and warnings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
def test_a_fold_that_fails_is_recorded_and_the_others_go_on(stored: bool, tmp_path: Path) -> None:
    design = sy.KFold(5, shuffle=False)
    place = {"store": tmp_path / "runs"} if stored else {}
    x = sy.experiment({"weak": Stumbles(), "bayes": GaussianNB()}, X, Y, design=design, **place)
    assert (x.done, x.total, len(x.failures)) == (9, 10, 1)
    failure = x.failures[0]
    assert (failure["model"], failure["fold"]) == ("weak", "repeat 1, fold 1")
    assert failure["error"] == "RuntimeError: I have stumbled over a row"
    assert "in fit" in failure["traceback"] and "raise RuntimeError" in failure["traceback"]
    assert x.folds("weak")[0] is None and x.values("weak", measure="auc")[0] is None
    assert x.values("weak", measure="auc")[1:] == x.values("bayes", measure="auc")[1:]
    assert x["weak"].rows == ROWS - ROWS // 5 and x["bayes"].rows == ROWS
    assert "1 of 5 folds have no value" in x.estimate("weak", measure="accuracy").note
    assert sorted(x.predictions("weak")["row"]) == list(range(ROWS // 5, ROWS))
    notes = x.notes()
    assert "weak: UserWarning: the sky is grey" in notes
    assert "1 fold failed (1 of weak); the first: RuntimeError: I have stumbled over a row" in notes
    assert "stumbled" in str(x) and "9 of 10" in repr(x)
    json.dumps(x.to_dict(), allow_nan=False)


def test_a_model_that_always_fails_leaves_the_others_alone() -> None:
    x = sy.experiment({"never": Stumbles(always=True), "bayes": GaussianNB()}, X, Y, design=FOLDS)
    assert x.done == 3 and len(x.failures) == 3
    with pytest.raises(NotAvailable, match="No fold of never") as told:
        x["never"]
    assert "stumbled" in str(told.value)
    assert x.estimate("never", measure="auc").value is None
    assert x.estimate("never", measure="auc").reason == "no fold is done"
    assert x.values("never", measure="auc") == [None] * 3
    assert set(x.frame()["model"]) == {"bayes"} and "bayes" in str(x)
    x.chart("auc")


def test_an_experiment_of_which_nothing_could_be_done_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="No fold could be done: all 3 failed") as told:
        sy.experiment({"never": Stumbles(always=True)}, X, Y, design=FOLDS, store=tmp_path)
    assert "stumbled" in told.value.hint
    # What went wrong in each fold is in the store.
    kept = sy.load(tmp_path)
    assert "3 folds failed" in str(kept) and len(kept.frame()) == 0 and len(kept.failures) == 3


def test_warnings_are_counted_where_not_every_fold_gave_them() -> None:
    class Sometimes(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if X[0, 0] == FIRST:
                warnings.warn("here  only", UserWarning, stacklevel=2)
            return super().fit(X, y, sample_weight)

    x = sy.experiment({"m": Sometimes()}, X, Y, design=sy.KFold(5, shuffle=False))
    assert "m: UserWarning: here only (in 4 of 5 folds)" in x.notes()
