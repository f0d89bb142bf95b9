"""What an experiment comes to: which model to take, or why none, the same wherever it is told."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import steelyard as sy

FOLDS = sy.KFold(5, seed=1)


def rows(n: int, slope: float = 1.5, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    return x, (rng.random(n) < 1 / (1 + np.exp(-slope * x[:, 0]))).astype(int)


class Broken(LogisticRegression):
    """A model that cannot be trained on an even number of rows."""

    def fit(self, X: Any, y: Any) -> Any:
        if len(X) % 2 == 0:
            raise ValueError("even")
        return super().fit(X, y)


@cache
def found(name: str) -> sy.Experiment:
    good, none = {"logistic": LogisticRegression()}, {"none": DummyClassifier()}
    made: dict[str, Any] = {
        "better": lambda: sy.experiment(good | none, *rows(400), design=FOLDS),
        "alone": lambda: sy.experiment(good, *rows(400), design=FOLDS),
        "useless": lambda: sy.experiment(none, *rows(400), design=FOLDS),
        "nothing learnt": lambda: sy.experiment(good | none, *rows(400, 0.0), design=FOLDS),
        "one test part": lambda: sy.experiment(good | none, *rows(400), design=sy.Holdout(0.3)),
        "few": lambda: sy.experiment(good | none, *rows(40), design=FOLDS),
        "sets": lambda: sy.experiment(
            good | none, data={f"set {i}": rows(150, seed=i) for i in range(6)}, design=FOLDS
        ),
        "unlike": lambda: sy.experiment(good, data={"a": rows(300), "b": rows(300, 0.0)}, design=FOLDS),
    }
    result: sy.Experiment = made[name]()
    return result


@pytest.mark.parametrize(
    ("name", "word", "state", "begins"),
    [
        ("better", "better", "better: logistic", "Prefer logistic to none: AUC"),
        ("alone", "useful", "useful", "Better than chance: "),
        ("useless", "not shown", "not yet shown", "Not shown to be better than chance: "),
        (
            "nothing learnt",
            "no clear difference",
            "none shown to be of use",
            "None of them is shown to be better than chance",
        ),
        ("one test part", "not known", "not tested", "Which model is better is not known"),
        ("few", "too few cases to say", "too few cases to say", "Too few cases to say which is better"),
        ("sets", "better", "better: logistic", "Prefer logistic: it ranks best over 6 data sets"),
        ("unlike", "not shown", "not yet shown", "b: Not shown to be better than chance"),
    ],
)
def test_an_experiment_says_what_to_do(name: str, word: str, state: str, begins: str) -> None:
    verdict = found(name).verdict
    assert (verdict.word, verdict.state) == (word, state)
    assert verdict.sentence.startswith(begins)
    assert 1 <= len(verdict.reasons) <= 3


def test_what_is_taken_is_trained_on_all_rows_and_nothing_else_is() -> None:
    for name, model in (("better", "logistic"), ("alone", "logistic")):
        assert found(name).verdict.next_step.startswith(f"Train {model} on all 400 rows")
    for name in ("useless", "nothing learnt", "one test part", "few", "unlike"):
        assert "Train" not in found(name).verdict.next_step and found(name).verdict.next_step


def test_the_interval_is_that_of_models_to_come() -> None:
    x = found("alone")
    (estimate,) = x.verdict.rests_on
    assert estimate.to_dict() == x.estimate("logistic", measure="auc").to_dict()


@pytest.mark.parametrize("name", ["better", "useless", "one test part", "sets"])
def test_it_is_the_same_wherever_it_is_told(name: str, tmp_path: Path) -> None:
    x = found(name)
    for ending in ("html", "md", "json"):
        x.report(tmp_path / f"x.{ending}")
    page, cell = (
        html.unescape(re.sub(r"<[^>]*>", "", text)) for text in ((tmp_path / "x.html").read_text(), x._repr_html_())
    )
    markdown = re.sub(r"\\(.)", r"\1", (tmp_path / "x.md").read_text())
    for told in (page, cell, markdown, " ".join(str(x).split())):
        assert x.verdict.sentence in " ".join(told.split())
    verdict = json.loads((tmp_path / "x.json").read_text())["verdict"]
    assert verdict["sentence"] == x.verdict.sentence and verdict["state"] == x.verdict.state


def test_folds_that_failed_are_told_before_other_reasons() -> None:
    x = sy.experiment({"odd": Broken()}, *rows(203), design=FOLDS)
    assert 0 < x.done < x.total
    assert "failed; the first: ValueError: even" in x.verdict.reasons[0].text
