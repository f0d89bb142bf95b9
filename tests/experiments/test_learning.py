"""Learning curves against loops by hand, and a long curve that goes on where it stopped."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import steelyard as sy
from steelyard.designs.schedules import Growing
from steelyard.errors import NotAvailable, SteelyardError, UsageError

ROWS = 120
X, Y = make_classification(ROWS, 4, n_informative=3, n_redundant=0, flip_y=0.1, random_state=1)
XN, YN = make_regression(ROWS, 4, noise=40, random_state=3)
SIZES = [15, 30, 60]
HOLD = sy.RepeatedHoldout(0.25, repeats=4)


class Counting(ClassifierMixin, BaseEstimator):
    """Writes a line into a file whenever it is trained."""

    def __init__(self, place: str = "") -> None:
        self.place = place

    def fit(self, X: Any, y: Any) -> Counting:
        with open(self.place, "a", encoding="utf-8") as file:
            file.write(f"{len(X)}\n")
        self.inside_ = GaussianNB().fit(X, y)
        self.classes_ = self.inside_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inside_.predict_proba(X)


def loop(model: Any, measure: Any, X: Any = X, y: Any = Y, design: Any = HOLD) -> tuple[Any, Any]:
    """The measure on training and test rows, repeats × sizes, by training here."""
    grown = [[], []]
    for split in Growing(design, SIZES, seed=0).splits(len(y), y):
        trained = model.fit(X[split.train], y[split.train])
        grown[0].append(measure(trained, X[split.train], y[split.train]))
        grown[1].append(measure(trained, X[split.test], y[split.test]))
    return tuple(np.reshape(part, (-1, len(SIZES))) for part in grown)


def accuracy(model: Any, X: Any, y: Any) -> float:
    return float(np.mean(model.predict(X) == y))


def loss(model: Any, X: Any, y: Any) -> float:
    return float(log_loss(y, model.predict_proba(X)[:, 1], labels=[0, 1]))


def rmse(model: Any, X: Any, y: Any) -> float:
    return math.sqrt(float(np.mean((model.predict(X) - y) ** 2)))


# Values ---------------------------------------------------------------------------------------------------------------


def test_values_are_those_of_a_loop() -> None:
    curve = sy.learning_curve({"m": LogisticRegression()}, X, Y, sizes=SIZES, design=HOLD)
    assert curve.sizes == tuple(SIZES) and curve.measure == "log_loss"
    for name, measure in (("accuracy", accuracy), ("log_loss", loss)):
        train, test = loop(LogisticRegression(), measure)
        np.testing.assert_allclose(curve.values(measure=name), test, rtol=1e-10)
        np.testing.assert_allclose(curve.values(measure=name, train=True), train, rtol=1e-10)
    numbers = sy.learning_curve(LinearRegression(), XN, YN, sizes=SIZES, design=HOLD)
    assert numbers.measure == "rmse"
    train, test = loop(LinearRegression(), rmse, XN, YN)
    np.testing.assert_allclose(numbers.values(), test, rtol=1e-9)
    np.testing.assert_allclose(numbers.values(train=True), train, rtol=1e-9)


def test_a_model_that_learns_by_heart_is_perfect_on_its_training_rows() -> None:
    curve = sy.learning_curve(KNeighborsClassifier(1), X, Y, sizes=SIZES, design=HOLD, measure="accuracy")
    assert (curve.values(train=True) == 1).all() and curve.values().max() < 1
    # A measure of one level is read from the training rows as well, and not from the test rows.
    assert (curve._gathered["KNeighborsClassifier"].of("recall", 0, learnt=True) == 1).all()
    assert (curve._gathered["KNeighborsClassifier"].of("recall", 0) < 1).any()


def test_intervals_are_corrected_for_what_repeats_share() -> None:
    curve = sy.learning_curve(GaussianNB(), X, Y, sizes=SIZES, design=HOLD, measure="accuracy", confidence=0.9)
    ratio = 30 / 90
    assert curve.ratio == pytest.approx(ratio)
    for size, column, e in zip(SIZES, curve.values().T, curve.estimates()):
        error = np.std(column, ddof=1) * math.sqrt(1 / 4 + ratio)
        t, p = stats.t.ppf(0.95, 3), column.mean()
        n = p * (1 - p) / error**2
        half = t / (1 + t * t / n) * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
        centre = (p + t * t / (2 * n)) / (1 + t * t / n)
        assert (e.value, e.low, e.high) == pytest.approx((p, centre - half, centre + half), abs=1e-9)
        assert e.n == size and e.method == "corrected resampled t"
    found = curve.curve()
    assert list(found.columns["rows"]) == SIZES
    assert list(found.columns["test"]) == pytest.approx(curve.values().mean(axis=0).tolist())
    assert list(found.columns["train"]) == pytest.approx(curve.values(train=True).mean(axis=0).tolist())


def test_larger_parts_hold_the_smaller_ones_and_share_no_row_with_the_test() -> None:
    seen: dict[tuple[int, int], set[int]] = {}
    for stratify in (False, True):
        design = sy.RepeatedHoldout(0.25, repeats=2, stratify=stratify)
        seen.clear()
        for split in Growing(design, SIZES).splits(ROWS, Y):
            before = seen.get((split.repeat, split.fold), set())
            now = set(split.train.tolist())
            assert before < now and not now & set(split.test.tolist())
            seen[split.repeat, split.fold] = now
            if stratify:
                assert abs(np.mean(Y[split.train]) - np.mean(Y)) <= 1 / len(now)


def test_several_models_meet_the_same_rows() -> None:
    models = {"bayes": GaussianNB(), "knn": KNeighborsClassifier(3)}
    both = sy.learning_curve(models, X, Y, sizes=SIZES, design=HOLD, measure="accuracy")
    assert both.models == ["bayes", "knn"]
    for name, model in models.items():
        alone = sy.learning_curve(model, X, Y, sizes=SIZES, design=HOLD, measure="accuracy")
        np.testing.assert_array_equal(both.values(name), alone.values())
    with pytest.raises(NotAvailable, match="Which model"):
        both.values()
    with pytest.raises(NotAvailable, match="tree"):
        both.values("tree")
    frame = both.frame()
    assert len(frame) == 2 * 2 * len(SIZES)
    assert set(frame["part"]) == {"train", "test"}


def test_usual_sizes_double_up_to_all_training_rows() -> None:
    curve = sy.learning_curve(GaussianNB(), X, Y, repeats=2)
    assert curve.sizes[-1] == 90
    assert all(abs(b / a - 2) < 0.25 for a, b in zip(curve.sizes, curve.sizes[1:]))
    assert curve.values().shape == (2, len(curve.sizes))
    folds = sy.learning_curve(GaussianNB(), X, Y, sizes=sy.geometric(20, 2), design="kfold:4")
    assert folds.sizes == (20, 40, 80, 90) and folds.values().shape == (4, 4)


# Small sizes ----------------------------------------------------------------------------------------------------------


def test_sizes_too_small_to_learn_from_are_told_and_the_others_go_on() -> None:
    y = (np.arange(ROWS) % 10 == 0).astype(int)
    # In the first four rows of a stratified order there is no positive one.
    models = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}
    curve = sy.learning_curve(models, X, y, sizes=[4, 30, 60, 90], repeats=3, measure="accuracy")
    assert np.isnan(curve.values("logistic")[:, 0]).all() and np.isfinite(curve.values("logistic")[:, 1:]).all()
    assert np.isfinite(curve.values("tree")).all()
    first = curve.estimates("logistic")[0]
    assert first.value is None and first.reason == "no repeat has a value"
    assert len(curve.experiment.failures) == 3
    assert "n/a" in str(curve) and "3 folds failed (3 of logistic)" in " ".join(str(curve).split())
    json.dumps(curve.to_dict(), allow_nan=False)
    # A power law rests on the sizes that are known.
    assert curve.at(200, "logistic").value is not None
    with pytest.raises(NotAvailable, match="needs"):
        sy.learning_curve(LogisticRegression(), X, y, sizes=[4, 30, 60], repeats=3, measure="accuracy").at(200)


def test_a_measure_that_is_undefined_at_some_sizes_is_not_chosen() -> None:
    y = (np.arange(ROWS) % 10 == 0).astype(int)
    curve = sy.learning_curve(LogisticRegression(), X, y, sizes=[4, 30, 60], repeats=2)
    assert curve.measure == "accuracy"
    with pytest.raises(NotAvailable, match="rmse"):
        sy.learning_curve(GaussianNB(), X, Y, sizes=SIZES, measure="rmse")


# What more would bring ------------------------------------------------------------------------------------------------


def test_more_rows_are_worth_what_the_power_law_says() -> None:
    rng = np.random.default_rng(0)
    big = rng.normal(size=(900, 12))
    y = big @ rng.normal(size=12) + rng.normal(size=900)
    curve = sy.learning_curve(LinearRegression(), big[:400], y[:400], sizes=[20, 40, 80, 160, 300], repeats=8)
    found = curve.at(600)
    truth = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(900)
        model = LinearRegression().fit(big[order[:600]], y[order[:600]])
        truth.append(math.sqrt(float(np.mean((model.predict(big[order[600:]]) - y[order[600:]]) ** 2))))
    assert found.low < np.mean(truth) < found.high
    assert found.value == pytest.approx(float(np.mean(truth)), rel=0.1)
    # Less error is better, so a gain is below zero; it is the way along the law from 300 rows to 600.
    gain, law = curve.gain(), curve.law()
    assert gain.low <= gain.value <= gain.high <= 0
    assert gain.value == pytest.approx(found.value - curve.at(300).value, abs=1e-9)
    assert law.at(20) > law.at(600)


def test_a_curve_is_told_in_every_form(tmp_path: Path) -> None:
    curve = sy.learning_curve({"bayes": GaussianNB()}, X, Y, sizes=SIZES, repeats=3, measure="accuracy")
    assert "bayes" in str(curve) and "60" in str(curve)
    assert "<svg" in curve.chart().svg() and "bayes" in curve._repr_html_()
    for ending in ("html", "md", "json"):
        curve.report(tmp_path / f"curve.{ending}")
        assert "bayes" in (tmp_path / f"curve.{ending}").read_text()


@pytest.mark.parametrize(
    "options",
    [
        {"learnt": True},
        {"data": {"a": (X, Y)}},
        {"sizes": [5000]},
        {"sizes": []},
        {"sizes": "many"},
        {"design": sy.NestedFolds(3)},
        {"measure": "beauty"},
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(SteelyardError) as told:
        sy.learning_curve(GaussianNB(), X, Y, **options)
    assert "\nHint: " in str(told.value)


# Going on -------------------------------------------------------------------------------------------------------------


def test_a_second_run_trains_nothing_and_more_sizes_only_what_is_new(tmp_path: Path) -> None:
    place, store = tmp_path / "fits.txt", tmp_path / "runs"
    model = {"m": Counting(str(place))}

    def run(sizes: list[int]) -> Any:
        return sy.learning_curve(model, X, Y, sizes=sizes, design=HOLD, store=store, measure="accuracy")

    def fits() -> list[int]:
        return sorted(map(int, place.read_text().split()))

    first = run(SIZES)
    assert fits() == sorted(SIZES * 4)
    again = run(SIZES)
    assert fits() == sorted(SIZES * 4)
    np.testing.assert_array_equal(first.values(), again.values())
    np.testing.assert_array_equal(first.values(train=True), again.values(train=True))
    assert str(first) == str(again)
    more = run([*SIZES, 90])
    assert fits() == sorted([*SIZES, 90] * 4)
    np.testing.assert_array_equal(more.values()[:, :3], first.values())
    held = sy.learning_curve(model, X, Y, sizes=SIZES, design=HOLD, measure="accuracy")
    np.testing.assert_array_equal(held.values(), first.values())
    with pytest.raises(UsageError):
        sy.learning_curve(model, X, Y, sizes=SIZES, design=HOLD, store=store, learnt=False)


def test_a_curve_that_does_not_improve_promises_nothing() -> None:
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(200, 2))
    y = rng.integers(0, 2, 200)
    curve = sy.learning_curve({"bayes": GaussianNB()}, noise, y, sizes=[20, 40, 80, 150], repeats=6, measure="accuracy")
    assert curve.no_law("bayes")
    text = str(curve)
    assert "doubling" not in text and list(curve.to_dict()["laws"]["bayes"]) == ["reason"]
    assert "1 4" not in curve.chart().svg()


def test_an_exponent_at_the_edge_is_no_law() -> None:
    from sklearn.datasets import load_diabetes

    curve = sy.learning_curve(["linear"], *load_diabetes(return_X_y=True), sizes=sy.geometric(40, 2), repeats=4)
    assert curve.law().c > 2.99 and "at the edge" in curve.no_law() and "doubling" not in str(curve)
    other = sy.learning_curve(["linear"], *load_diabetes(return_X_y=True), sizes=sy.geometric(40, 2), repeats=4, seed=3)
    assert other.no_law() == "" and "doubling" in str(other)


def test_folds_that_all_fail_tell_the_first_error() -> None:
    class Falls(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            raise RuntimeError("I fell")

    with pytest.raises(NotAvailable, match="The first error: RuntimeError: I fell"):
        sy.learning_curve({"f": Falls()}, X, Y, sizes=SIZES, repeats=2)
    # One that falls does not decide what is followed of the others.
    both = sy.learning_curve({"f": Falls(), "bayes": GaussianNB()}, X, Y, sizes=[30, 60, 90], repeats=2)
    assert both.measure == sy.learning_curve({"bayes": GaussianNB()}, X, Y, sizes=[30, 60, 90], repeats=2).measure


def test_one_repeat_claims_no_interval_and_repeats_beside_a_design_are_refused() -> None:
    assert "ntervals" not in str(sy.learning_curve({"bayes": GaussianNB()}, X, Y, sizes=SIZES, repeats=1))
    with pytest.raises(UsageError, match="kfold:3x2"):
        sy.learning_curve({"bayes": GaussianNB()}, X, Y, sizes=SIZES, repeats=2, design="kfold:3")
