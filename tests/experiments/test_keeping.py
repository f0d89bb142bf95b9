"""Where folds are kept: in memory, in a folder, and told the same from either."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.experiments import keeping
from steelyard.experiments.result import open_experiment

from .samples import FEW, FEW_LEVELS, Stumbles

ROWS = 90
X, Y = FEW, FEW_LEVELS
FOLDS = sy.KFold(3)


def test_very_many_predictions_move_to_a_folder_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    names = np.array(["no", "yes"])[Y]
    models = {"bayes": GaussianNB(), "weak": Stumbles(), "knn/3": KNeighborsClassifier(3)}

    def run(scores: str) -> Any:
        design = sy.KFold(5, shuffle=False)
        return sy.experiment(models, X, names, positive="yes", design=design, scores=scores)

    for scores in ("auto", "labels"):
        held = run(scores)
        with monkeypatch.context() as m:
            m.setattr(keeping, "MOST_BYTES", 4000)
            moved = run(scores)
        assert held.keeper.spilled is None and moved.keeper.spilled is not None
        assert not moved.keeper.folds
        assert (held.done, len(held.failures)) == (moved.done, len(moved.failures)) == (14, 1)
        for model in models:
            pd.testing.assert_frame_equal(held.predictions(model), moved.predictions(model))
            assert held[model] == moved[model]
        assert json.dumps(held.to_dict()) == json.dumps(moved.to_dict())
        assert held.notes() == moved.notes()
        place = moved.keeper.spilled.path
        assert place.exists()
        del moved
        gc.collect()
        assert not place.exists()


def test_equal_models_under_two_names_share_their_folds(tmp_path: Path) -> None:
    for jobs in (1, 2):
        models = {"one": GaussianNB(), "other": GaussianNB(), "third": KNeighborsClassifier()}
        x = sy.experiment(models, X, Y, design=FOLDS, store=tmp_path / str(jobs), n_jobs=jobs)
        assert x.done == x.total == 9
        assert x["one"]["auc"].value == x["other"]["auc"].value != x["third"]["auc"].value


def test_an_experiment_is_told_saved_and_read_again(tmp_path: Path) -> None:
    models = {"knn": KNeighborsClassifier(), "bayes": GaussianNB()}
    x = sy.experiment(models, X, Y, design={"cv": FOLDS}, store=tmp_path / "s")
    again = open_experiment(tmp_path / "s")
    assert json.dumps(again.to_dict()) == json.dumps(x.to_dict())
    assert str(again) == str(x) and again.picture() == x.picture() and again["knn"] == x["knn"]
    x.save(tmp_path / "x.json")
    saved = json.loads((tmp_path / "x.json").read_text())
    part = sy.Evaluation.from_dict(saved["cells"][0]["folds"][2]["test"])
    assert part.evidence["scores"] == x.folds("knn")[2].evidence["scores"]
    for ending in ("html", "md", "json"):
        x.report(tmp_path / f"report.{ending}")
        assert "knn" in (tmp_path / f"report.{ending}").read_text()
    frame = x.frame()
    for _, row in frame[frame["measure"].isin(["auc", "accuracy"])].iterrows():
        told = x.estimate(row["model"], measure=row["measure"])
        assert (row["estimate"], row["low"], row["high"]) == (told.value, told.low, told.high)
        assert row["pooled"] == x[row["model"]][row["measure"]].value
    assert "AUC" in x.chart("auc").svg() and "<" in x._repr_html_()
    with pytest.raises(NotAvailable, match="no search"):
        x.tuning("knn")
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=2)
    tuned = sy.experiment({"s": search}, X, Y, design=FOLDS).tuning("s")
    assert "n_neighbors" in str(tuned)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_folds(tmp_path: Path) -> None:
    code = """
        import resource, sys
        import numpy as np
        from sklearn.base import BaseEstimator, ClassifierMixin
        import steelyard as sy

        class Trivial(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                self.classes_ = np.array([0, 1])
                return self

            def predict_proba(self, X):
                p = 1 / (1 + np.exp(-X[:, 0]))
                return np.column_stack([1 - p, p])

        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 1))
        y = (X[:, 0] + rng.normal(size=20_000) > 0).astype(int)
        for repeats in (10, 20, 200):
            design = sy.RepeatedHoldout(0.1, repeats=repeats, seed=repeats)
            x = sy.experiment({"m": Trivial()}, X, y, design=design, store=sys.argv[1], progress=False)
            x["m"]["auc"].value
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    """
    place = tmp_path / "script.py"
    place.write_text(textwrap.dedent(code))
    told = subprocess.run([sys.executable, str(place), str(tmp_path / "s")], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    _, few, many = map(float, told.stdout.split())
    assert many - few < 25, told.stdout
