"""Searches inside an experiment: validation rows, what was chosen, and the luck in the winner's score."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, get_scorer_names, make_scorer, mean_squared_error
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, PredefinedSplit, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import steelyard as sy
from steelyard.errors import LengthsDiffer, UsageError
from steelyard.experiments.tuning import Tuning, is_search, measure_of, search_facts, tuning, with_validation

IRIS = load_iris(return_X_y=True)


def searches() -> dict[str, Any]:
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    return {
        "grid": GridSearchCV(tree, grid),
        "random": RandomizedSearchCV(tree, grid, n_iter=3, random_state=0),
        "halving": HalvingGridSearchCV(tree, grid, random_state=0),
        "pipeline": make_pipeline(StandardScaler(), GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]})),
        "several scores": GridSearchCV(tree, grid, scoring=["accuracy", "f1_macro"], refit="f1_macro"),
    }


def test_searches_are_recognised_wherever_they_are() -> None:
    assert all(is_search(s) for s in searches().values())
    others = [DecisionTreeClassifier(), make_pipeline(StandardScaler(), Ridge()), "knn", None, object()]
    assert not any(is_search(m) for m in others)


def test_asking_for_a_search_loads_no_library() -> None:
    code = (
        "import sys; from steelyard.experiments.tuning import is_search; is_search(3); print('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize("name", [n for n in searches() if n != "halving"])
def test_the_choice_on_validation_rows_is_that_of_a_loop(name: str) -> None:
    from sklearn.base import clone

    X, y = IRIS
    order = np.random.default_rng(1).permutation(len(y))
    train, valid = order[:60], order[60:110]
    model = searches()[name]
    ready = with_validation(model, len(train), len(valid))
    rows = np.concatenate([train, valid])
    ready.fit(X[rows], y[rows])
    facts = search_facts(ready)
    prepare = model[:-1] if hasattr(model, "steps") else None
    search = model[-1] if hasattr(model, "steps") else model
    # A step before the search is fitted on both parts, as any pipeline's is.
    Z = prepare.fit(X[rows]).transform(X) if prepare is not None else X
    last = ready[-1] if prepare is not None else ready
    best = -np.inf
    for params in last.cv_results_["params"]:
        said = clone(search.estimator).set_params(**params).fit(Z[train], y[train]).predict(Z[valid])
        score = f1_score(y[valid], said, average="macro") if name == "several scores" else np.mean(said == y[valid])
        best = max(best, float(score))
    assert facts["best_score"] == pytest.approx(best)
    assert facts["candidates"] == len(last.cv_results_["params"])
    assert json.loads(json.dumps(facts)) == facts
    assert facts["scorer"] == ("f1_macro" if name == "several scores" else "accuracy")
    # The search that came is left as it was.
    assert not hasattr(search, "best_params_") and not isinstance(search.cv, PredefinedSplit)


def test_a_halving_search_may_choose_on_validation_rows_too() -> None:
    X, y = IRIS
    order = np.random.default_rng(1).permutation(len(y))
    ready = with_validation(searches()["halving"], 100, 50).fit(X[order], y[order])
    facts = search_facts(ready)
    assert facts["candidates"] == 6 and 0.5 < facts["best_score"] <= 1


def test_parameters_become_json_and_scorers_get_their_names() -> None:
    X, y = make_regression(60, 4, noise=5, random_state=0)
    scorers: dict[Any, str] = {
        None: "r2",
        "neg_mean_absolute_error": "neg_mean_absolute_error",
        make_scorer(mean_squared_error, greater_is_better=False): "neg_mean_squared_error",
    }
    for scoring, name in scorers.items():
        s = GridSearchCV(Ridge(), {"alpha": [np.float64(0.1), 1e9], "solver": ["svd"]}, scoring=scoring, cv=3).fit(X, y)
        facts = search_facts(s)
        assert facts["scorer"] == name and facts["best_params"] == {"alpha": 0.1, "solver": "svd"}
        json.dumps(facts, allow_nan=False)
    pipe = make_pipeline(SelectKBest(f_regression, k=2), Ridge())
    s = GridSearchCV(
        pipe, {"ridge": [Ridge(alpha=3)]}, cv=3, scoring={"a": "r2", "b": "neg_mean_squared_error"}, refit="b"
    )
    facts = search_facts(s.fit(X, y))
    assert facts["best_params"] == {"ridge": "Ridge(alpha=3)"} and facts["scorer"] == "neg_mean_squared_error"
    by_hand = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=3, refit=lambda results: 1).fit(X, y)
    assert search_facts(by_hand)["best_params"] == {"alpha": 2.0} and search_facts(by_hand)["best_score"] is not None


def test_scorers_are_the_measures_they_say() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    p = np.clip(0.3 * y + 0.7 * rng.random(300), 0.01, 0.99)

    from sklearn import metrics

    from steelyard.measures.measure import find

    e = sy.evaluate(target=y, score=p)
    label = (p >= 0.5).astype(int)
    theirs = {
        "accuracy": metrics.accuracy_score(y, label),
        "roc_auc": metrics.roc_auc_score(y, p),
        "neg_log_loss": -metrics.log_loss(y, p),
        "neg_brier_score": -metrics.brier_score_loss(y, p),
        "f1": metrics.f1_score(y, label),
        "f1_macro": metrics.f1_score(y, label, average="macro"),
        "recall_weighted": metrics.recall_score(y, label, average="weighted"),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, label),
        "matthews_corrcoef": metrics.matthews_corrcoef(y, label),
        "average_precision": metrics.average_precision_score(y, p),
    }
    for scorer, value in theirs.items():
        found = measure_of(scorer)
        assert found is not None
        name, average, sign = found
        assert sign * float(e[name, average] if average else e[name]) == pytest.approx(value), scorer
    # Whatever scikit-learn names is either known or said to be unknown; the sign always follows "neg_".
    for scorer in get_scorer_names():
        found = measure_of(scorer)
        assert found is None or (found[2] == -1) == scorer.startswith("neg_")
        if found is not None and found[2] == -1:
            assert find(found[0]).better == "lower", scorer


def noise_search(seed: int, candidates: int) -> Tuning:
    """Outer folds of a search among trees that differ by luck alone, on a target that is luck alone."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.permutation(np.repeat([0, 1], 30))
    facts, honest = [], []
    for train, test in KFold(4, shuffle=True, random_state=seed).split(X):
        tree = DecisionTreeClassifier(max_depth=2, splitter="random", max_features=1)
        grid = {"random_state": list(range(candidates))}
        search = with_validation(GridSearchCV(tree, grid), 30, 15).fit(X[train], y[train])
        facts.append(search_facts(search))
        honest.append(float(np.mean(search.predict(X[test]) == y[test])))
    return tuning(facts, honest, ratio=15 / 45)


def test_choosing_among_many_flatters_on_pure_noise() -> None:
    found = [noise_search(seed, 30) for seed in range(8)]
    optimism = np.array([t.optimism.value for t in found], dtype=float)
    assert optimism.mean() > 4 * optimism.std(ddof=1) / np.sqrt(len(found))
    assert optimism.mean() > 0.15
    assert np.mean([t.honest.value for t in found]) == pytest.approx(0.5, abs=0.08)
    alone = np.array([noise_search(seed, 1).optimism.value for seed in range(8)], dtype=float)
    assert abs(alone.mean()) < 4 * alone.std(ddof=1) / np.sqrt(len(alone)), "without a choice there is no optimism"


def facts(
    scores: list[float | None], scorer: str = "accuracy", params: list[Any] | None = None
) -> list[dict[str, Any]]:
    params = params or [{"k": 3}] * len(scores)
    return [
        {"best_score": s, "best_params": p, "candidates": 12, "scorer": scorer}
        for s, p in zip(scores, params, strict=True)
    ]


def test_the_numbers_and_their_interval_are_those_of_the_formula() -> None:
    from scipy import stats

    seen, found, ratio = [0.95, 0.93, 0.97, 0.96], [0.91, 0.94, 0.9, 0.93], 1 / 3
    t = tuning(facts(seen), found, ratio=ratio, confidence=0.9)
    d = np.subtract(seen, found)
    half = stats.t.ppf(0.95, 3) * d.std(ddof=1) * np.sqrt(1 / 4 + ratio)
    assert t.tuned == pytest.approx(np.mean(seen)) and t.honest.value == pytest.approx(np.mean(found))
    assert (t.optimism.value, t.optimism.low, t.optimism.high) == pytest.approx(
        (d.mean(), d.mean() - half, d.mean() + half)
    )
    assert t.optimism.method == "corrected resampled t" and t.honest.confidence == 0.9
    json.dumps(t.to_dict(), allow_nan=False)


def test_less_is_better_turns_the_sign() -> None:
    t = tuning(facts([-10.0, -12.0, -11.0], "neg_mean_squared_error"), [14.0, 15.0, 13.0], ratio=0.5)
    assert t.measure == "mse" and t.tuned == pytest.approx(11.0)
    assert t.optimism.value == pytest.approx(3.0)
    assert "look better by 3.0" in str(t)


def test_it_is_told_in_plain_words() -> None:
    params = [{"k": 3}, {"k": 3}, {"k": 9, "weights": "distance"}, {"k": 3}]
    t = tuning(facts([0.95, 0.93, 0.97, 0.966], params=params), [0.915, 0.900, 0.935, 0.930], ratio=1 / 3)
    assert t.chosen == [({"k": 3}, 3), ({"k": 9, "weights": "distance"}, 1)]
    ends = f"[{t.honest.low:.3f}, {t.honest.high:.3f}]"
    assert t.sentences() == [
        f"The search saw accuracy 0.954; on rows it had not seen: 0.920 {ends}.",
        "Choosing made it look better by 0.0340 [0.0274, 0.0406].",
        "4 searches made 2 different choices out of 12; most often (3): k = 3.",
    ]
    assert all(len(line) <= 80 for line in str(t).splitlines())
    turned = tuning(facts([0.90, 0.91, 0.92]), [0.93, 0.95, 0.94], ratio=0.5).sentences()[1]
    assert turned.startswith("Choosing did not make it look better: it was worse than on new rows by 0.030 [")
    one = tuning(facts([0.90]), [0.88], ratio=0.5)
    assert one.sentences()[0] == "The search saw accuracy 0.900; on rows it had not seen: 0.880."
    assert one.honest.low is None and one.honest.note


def test_what_is_not_known_is_said() -> None:
    t = tuning(facts([0.5, 0.6], "my_own_score"), [0.4, 0.5], ratio=0.5)
    assert t.optimism.value is None and 'the score "my_own_score" is no measure known here' in t.sentences()[1]
    t = tuning(facts([0.5, None]), [0.4, 0.5], ratio=0.5)
    assert t.optimism.reason == "it is undefined in 1 of 2 outer folds" and t.honest.value == pytest.approx(0.45)
    assert "is not known" in str(t)


def test_calls_that_cannot_be_meant_get_a_sentence() -> None:
    with pytest.raises(UsageError, match="Only a search"):
        with_validation(DecisionTreeClassifier(), 10, 5)
    with pytest.raises(UsageError, match="rows to choose on"):
        with_validation(searches()["grid"], 10, 0)
    with pytest.raises(UsageError, match="refit=False"):
        with_validation(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, refit=False), 10, 5)
    with pytest.raises(LengthsDiffer, match="2 and 1 came"):
        tuning(facts([0.5, 0.6]), [0.4], ratio=0.5)
    with pytest.raises(UsageError, match="different scores"):
        tuning([*facts([0.5]), *facts([0.6], "r2")], [0.4, 0.3], ratio=0.5)


def told(chosen: list[int], seen: list[float], found: list[float]) -> str:
    facts = [
        {"best_score": s, "best_params": {"k": k}, "candidates": 9, "scorer": "accuracy"}
        for s, k in zip(seen, chosen, strict=True)
    ]
    return str(tuning(facts, found, ratio=0.5)).replace("\n", " ")


def test_choices_that_tie_and_chance_in_both_directions() -> None:
    seen, found = [0.9, 0.92, 0.94, 0.91], [0.88, 0.95, 0.91, 0.90]
    assert "4 searches made 2 different choices out of 9, 2 times each." in told([1, 1, 2, 2], seen, found)
    assert "3 different choices out of 9; 2 of them most often (2 times each)." in told(
        [1, 1, 2, 2, 3], [*seen, 0.9], [*found, 0.9]
    )
    assert "most often (3): k = 1" in told([1, 1, 1, 2], seen, found)
    assert "4 different choices out of 9." in told([1, 2, 3, 4], seen, found)
    for first, second in ((seen, found), (found, seen)):
        assert "which may be chance" in told([1, 1, 2, 2], first, second)
    sure = told([1] * 4, [0.80, 0.81, 0.80, 0.81], [0.95, 0.96, 0.96, 0.95])
    assert "worse than on new rows by" in sure and "chance" not in sure
    same = told([1] * 3, [0.9] * 3, [2 / 3] * 3)
    assert "on rows it had not seen: 0.667. Choosing made it look better by 0.233." in same
    assert "neither better nor worse" in told([1] * 3, [0.9] * 3, [0.9] * 3)
