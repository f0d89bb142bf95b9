"""Values for models to come, each against a computation by hand from models that were trained by hand."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import steelyard as sy
from steelyard.errors import UsageError
from steelyard.experiments.estimates import METHODS

ROWS = 90
X, Y = make_classification(ROWS, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=1)
XN, YN = make_regression(ROWS, 4, noise=40, random_state=3)


def bounded(mean: float, error: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of as many rows as would give a share this standard error."""
    n = mean * (1 - mean) / error**2
    centre = (mean + quantile**2 / (2 * n)) / (1 + quantile**2 / n)
    half = quantile / (1 + quantile**2 / n) * math.sqrt(mean * (1 - mean) / n + quantile**2 / (4 * n * n))
    return centre - half, centre + half


def accuracies(model: Any, splits: Any, X: Any = X, y: Any = Y) -> list[float]:
    return [float(np.mean(model.fit(X[s.train], y[s.train]).predict(X[s.test]) == y[s.test])) for s in splits]


# Over folds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", [sy.KFold(5), sy.KFold(4, repeats=3), sy.RepeatedHoldout(0.2, repeats=7)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_corrected_t_is_its_formula(design: Any, confidence: float) -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=design, confidence=confidence)
    splits = list(design.splits(ROWS, Y))
    values = accuracies(GaussianNB(), splits)
    assert x.values("m", measure="accuracy") == pytest.approx(values)
    count = len(values)
    ratio = np.mean([len(s.test) / len(s.train) for s in splits])
    mean, spread = np.mean(values), np.std(values, ddof=1)
    t = stats.t.ppf(0.5 + confidence / 2, count - 1)
    found = x.estimate("m", measure="accuracy")
    low, high = bounded(float(mean), float(spread * math.sqrt(1 / count + ratio)), float(t))
    assert (found.value, found.low, found.high) == pytest.approx((mean, low, high), abs=1e-12)
    assert found.method == "corrected resampled t" and found.confidence == confidence
    assert found == x.estimate("m", measure="accuracy", method="corrected t")
    plain = x.estimate("m", measure="accuracy", method="naive t")
    half = t * spread / math.sqrt(count)
    assert (plain.value, plain.low, plain.high) == pytest.approx((mean, mean - half, min(mean + half, 1)))
    assert "too short" in plain.method and plain.high - plain.low < found.high - found.low


def test_the_corrected_t_of_a_measure_with_one_end() -> None:
    design = sy.KFold(6)
    x = sy.experiment({"m": Ridge()}, XN, YN, design=design)
    values = []
    for s in design.splits(ROWS):
        gone = YN[s.test] - Ridge().fit(XN[s.train], YN[s.train]).predict(XN[s.test])
        values.append(math.sqrt(float(np.mean(gone**2))))
    mean, t = float(np.mean(values)), float(stats.t.ppf(0.975, 5))
    half = t * float(np.std(values, ddof=1)) * math.sqrt(1 / 6 + 1 / 5)
    # Wilson's ends where the other end is far away: those x whose own error reaches to the mean.
    low, high = sorted(np.roots([1, -(2 * mean + half**2 / mean), mean**2]).tolist())
    found = x.estimate("m", measure="rmse")
    assert (found.value, found.low, found.high) == pytest.approx((mean, low, high), rel=1e-9)


def test_rows_are_the_sum_of_the_folds_and_say_on_what_they_rest() -> None:
    for design in (sy.KFold(5), sy.Holdout(0.4), sy.LeaveOneOut()):
        x = sy.experiment({"m": GaussianNB()}, X, Y, design=design)
        found = x.estimate("m", measure="accuracy", method="rows")
        pooled = x["m"]["accuracy"]
        assert (found.value, found.low, found.high, found.method) == (
            pooled.value,
            pooled.low,
            pooled.high,
            pooled.method,
        )
        assert "test rows alone" in found.note
        usual = x.estimate("m", measure="accuracy")
        assert ("test rows alone" in usual.note) == (not isinstance(design, sy.KFold))
    # Leaving one out: the share of the rows that are told right, and Wilson's interval of it.
    right = sum(accuracies(GaussianNB(), sy.LeaveOneOut().splits(ROWS)))
    theirs = stats.binomtest(round(right), ROWS).proportion_ci(method="wilson")
    assert (usual.value, usual.low, usual.high) == pytest.approx((right / ROWS, theirs.low, theirs.high), abs=1e-9)


def test_folds_in_which_a_measure_is_undefined_are_left_out_and_named() -> None:
    y = np.zeros(ROWS, dtype=int)
    y[[0, 2, 4, 31, 33, 35]] = 1  # none in the last third
    x = sy.experiment({"m": GaussianNB()}, X, y, design=sy.KFold(3, shuffle=False))
    values = x.values("m", measure="auc")
    assert values[2] is None and None not in values[:2]
    found = x.estimate("m", measure="auc")
    assert found.value == pytest.approx(np.mean(values[:2]))
    assert "1 of 3 folds have no value" in found.note
    # Where fewer than two folds know it, the rows tell.
    y = (np.arange(ROWS) % 2 == 0).astype(int)
    x = sy.experiment({"m": GaussianNB()}, X, y, design=Chosen())
    assert [v is None for v in x.values("m", measure="auc")] == [True, False]
    assert x.estimate("m", measure="auc").value == x["m"]["auc"].value
    assert "test rows alone" in x.estimate("m", measure="auc").note


class Chosen:
    """Two test parts, of which the first holds no positives."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 2

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        for test in (np.arange(1, 20, 2), np.arange(40, 60)):
            yield np.setdiff1d(np.arange(ROWS), test), test


def test_a_method_must_suit_the_design() -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=sy.KFold(3))
    with pytest.raises(UsageError, match="no method"):
        x.estimate("m", measure="auc", method="magic")
    for method in ("nested", "conservative", ".632", ".632+"):
        with pytest.raises(UsageError) as told:
            x.estimate("m", measure="accuracy", method=method)
        assert "design=" in str(told.value)
    assert set(METHODS) >= {"corrected t", "naive t", "rows", "nested", "conservative", "out of bag", ".632", ".632+"}


# Nested folds and halves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, 3])
def test_nested_folds_by_hand(repeats: int) -> None:
    k, model = 4, KNeighborsClassifier(3)
    rows = ROWS - 1  # folds of unequal size
    design = sy.NestedFolds(k, repeats=repeats)
    x = sy.experiment({"m": model}, X[:rows], Y[:rows], design=design)
    base = list(sy.KFold(k, repeats=repeats).splits(rows))
    wrong = np.empty((repeats, rows))
    inner: dict[tuple[int, int, int], Any] = {}
    for r in range(repeats):
        tests = [base[r * k + j].test for j in range(k)]
        every = np.arange(rows)
        for j in range(k):
            train = np.setdiff1d(every, tests[j])
            wrong[r, tests[j]] = model.fit(X[train], Y[train]).predict(X[tests[j]]) == Y[tests[j]]
            for i in range(k):
                if i != j:
                    less = np.setdiff1d(train, tests[i])
                    inner[r, j, i] = model.fit(X[less], Y[less]).predict(X[tests[i]]) == Y[tests[i]]
    a, b = [], []
    for r in range(repeats):
        for j in range(k):
            test = base[r * k + j].test
            within = np.concatenate([inner[r, j, i] for i in range(k) if i != j]).mean()
            out = wrong[r, test]
            a.append((within - out.mean()) ** 2)
            b.append(out.var(ddof=1) / len(out))
    mse = np.mean(a) - np.mean(b)
    naive = np.mean([wrong[r].var(ddof=1) / rows for r in range(repeats)])
    error = math.sqrt(min(max((k - 1) / k * max(mse, 0), naive), k * naive))
    plain = wrong.mean()
    level = np.concatenate(list(inner.values())).mean()
    bias = (1 + (k - 2) / k) * (level - plain)
    found = x.estimate("m", measure="accuracy")
    low, high = bounded(float(level - bias), error, float(stats.norm.ppf(0.975)))
    assert found.method == "nested cross validation" and "all rows" in found.note
    assert (found.value, found.low, found.high) == pytest.approx((level - bias, low, high), abs=1e-9)
    # The evidence is that of the outer folds alone, and each row counts once.
    assert x["m"]["accuracy"].value == pytest.approx(plain)
    assert x["m"].rows == rows and len(x.values("m", measure="accuracy")) == k * repeats
    # A measure that is no mean over rows is told from the outer folds.
    assert x.estimate("m", measure="auc").method == "corrected resampled t"


def test_a_mean_of_numbers_is_nested_too() -> None:
    x = sy.experiment({"m": Ridge()}, XN, YN, design=sy.NestedFolds(3))
    assert x.estimate("m", measure="mae").method == "nested cross validation"
    assert x.estimate("m", measure="rmse").method == "corrected resampled t"


def test_hold_outs_of_halves_by_hand() -> None:
    design = sy.PairedHoldout(0.2, repeats=3, pairs=4)
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=design)
    splits = list(design.splits(ROWS))
    values = accuracies(GaussianNB(), splits)
    whole = [v for v, s in zip(values, splits) if s.inner < 0]
    means = {
        (pair, side): np.mean([v for v, s in zip(values, splits) if (s.repeat, s.inner) == (pair, side)])
        for pair, side in itertools.product(range(1, 5), (0, 1))
    }
    error = math.sqrt(sum((means[p, 0] - means[p, 1]) ** 2 for p in range(1, 5)) / 8)
    low, high = bounded(float(np.mean(whole)), error, float(stats.norm.ppf(0.975)))
    found = x.estimate("m", measure="accuracy")
    assert (found.value, found.low, found.high) == pytest.approx((np.mean(whole), low, high), abs=1e-9)
    assert found.method == "conservative z over 4 pairs of halves"
    assert x.values("m", measure="accuracy") == pytest.approx(whole)


def test_halves_without_a_value_give_a_value_without_an_interval() -> None:
    y = (np.arange(ROWS) % 10 == 0).astype(int)
    x = sy.experiment({"m": GaussianNB()}, X, y, design=sy.PairedHoldout(0.05, repeats=4, pairs=2))
    values = [v for v in x.values("m", measure="auc") if v is not None]
    found = x.estimate("m", measure="auc")
    assert 0 < len(values) < 4
    assert found.value == pytest.approx(np.mean(values)) and found.low is None and "have no value" in found.note


# The bootstrap --------------------------------------------------------------------------------------------------------


def by_hand(model: Any, design: Any, X: Any, y: Any, loss: Any, predict: str = "predict") -> tuple[float, float, float]:
    """Apparent, out of bag and without information: each by models that are trained here."""
    told, truth = [], []
    for split in design.splits(len(y)):
        if len(split.test):
            said = getattr(model.fit(X[split.train], y[split.train]), predict)(X[split.test])
            told.append(said)
            truth.append(y[split.test])
    said = getattr(model.fit(X, y), predict)(X)
    pairs = [(y[i], said[j]) for i in range(len(y)) for j in range(len(y))]
    gamma = loss(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
    return loss(y, said), float(np.mean([loss(a, b) for a, b in zip(truth, told)])), gamma


def plus(apparent: float, out: float, gamma: float) -> float:
    """Efron and Tibshirani (1997), equations 27 to 32, for an error."""
    capped = min(out, gamma)
    rate = (capped - apparent) / (gamma - apparent) if capped > apparent and gamma > apparent else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    return (1 - weight) * apparent + weight * capped


LOSSES: dict[str, tuple[Any, Any, str]] = {
    "error_rate": (lambda y, p: float(np.mean(y != p)), GaussianNB(), "predict"),
    "error_rate by heart": (
        lambda y, p: float(np.mean(y != p)),
        KNeighborsClassifier(1),
        "predict",
    ),
    "brier": (lambda y, p: float(np.mean((y - p[:, 1]) ** 2)), GaussianNB(), "predict_proba"),
    "log_loss": (lambda y, p: float(log_loss(y, p[:, 1])), LogisticRegression(), "predict_proba"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_632_and_632_plus_by_hand(name: str) -> None:
    loss, model, predict = LOSSES[name]
    measure = name.split(" ")[0]
    design = sy.Bootstrap(12)
    x = sy.experiment({"m": model}, X, Y, design=design)
    apparent, out, gamma = by_hand(model, design, X, Y, loss, predict)
    found = {m: x.estimate("m", measure=measure, method=m) for m in (".632", ".632+", "out of bag")}
    assert found["out of bag"].value == pytest.approx(out, rel=1e-9)
    assert found[".632"].value == pytest.approx(0.368 * apparent + 0.632 * out, rel=1e-9)
    assert found[".632+"].value == pytest.approx(plus(apparent, out, gamma), rel=1e-9)
    # Rows that a model knows by heart say nothing of others.
    assert x.estimate("m", measure=measure) == found["out of bag" if apparent == 0 else ".632+"]
    for e in found.values():
        assert e.low < e.value < e.high
    assert found["out of bag"].high == pytest.approx(found[".632+"].high)


def test_what_a_mixture_is_made_of_adds_up_to_the_digits_shown() -> None:
    x = sy.experiment({"m": LogisticRegression(C=0.1)}, X, Y, design=sy.Bootstrap(12))
    for measure in ("log_loss", "brier", "error_rate", "auc"):
        mixed, out = (x.estimate("m", measure=measure, method=m) for m in (".632", "out of bag"))
        apparent, told = re.findall(r"(?:on training rows|out of bag) ([0-9.]+)", mixed.note)
        assert float(told) == pytest.approx(out.value, rel=6e-4)
        assert mixed.value == pytest.approx(0.368 * float(apparent) + 0.632 * float(told), rel=6e-4)
        assert mixed.value == pytest.approx(0.368 * float(apparent) + 0.632 * out.value, rel=4e-4)


def test_out_of_bag_is_the_mean_over_replicates() -> None:
    design = sy.Bootstrap(9)
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=design)
    splits = [s for s in design.splits(ROWS) if len(s.test)]
    values = accuracies(GaussianNB(), splits)
    # What a replicate drew twice it learnt from once.
    ratio = np.mean([len(s.test) / len(np.unique(s.train)) for s in splits])
    error = np.std(values, ddof=1) * math.sqrt(1 / 9 + ratio)
    low, high = bounded(float(np.mean(values)), float(error), float(stats.t.ppf(0.975, 8)))
    found = x.estimate("m", measure="accuracy", method="out of bag")
    mixed = x.estimate("m", measure="accuracy")
    # To the worse side about the rows out of bag, to the better about the mixture.
    assert (found.value, found.low) == pytest.approx((np.mean(values), low), abs=1e-9)
    assert found.high == pytest.approx(min(max(high, mixed.value + high - found.value), 1.0), abs=1e-9)
    assert (mixed.low, mixed.high) == (found.low, found.high)


def test_632_plus_of_an_accuracy_is_one_less_that_of_the_error() -> None:
    x = sy.experiment({"m": KNeighborsClassifier(1)}, X, Y, design=sy.Bootstrap(10))
    for method in (".632", ".632+"):
        right, wrong = (x.estimate("m", measure=m, method=method) for m in ("accuracy", "error_rate"))
        assert right.value == pytest.approx(1 - wrong.value, abs=1e-12)
        assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1 - wrong.low), abs=1e-9)


def test_without_information_an_auc_is_one_half() -> None:
    design = sy.Bootstrap(10)
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=design)
    score: list[Any] = []
    for s in design.splits(ROWS):
        if len(s.test):
            score.append((Y[s.test], GaussianNB().fit(X[s.train], Y[s.train]).predict_proba(X[s.test])[:, 1]))
    out = float(np.mean([roc_auc_score(*part) for part in score]))
    apparent = roc_auc_score(Y, GaussianNB().fit(X, Y).predict_proba(X)[:, 1])
    found = x.estimate("m", measure="auc")
    assert found.value == pytest.approx(1 - plus(1 - apparent, 1 - out, 0.5), abs=1e-12)
    assert "no information 0.5" in found.note


def test_632_plus_of_numbers_and_where_nothing_is_known() -> None:
    design, model = sy.Bootstrap(10), KNeighborsRegressor(2)
    x = sy.experiment({"m": model}, XN, YN, design=design)
    losses = {
        "rmse": lambda y, p: float(np.sqrt(np.mean((y - p) ** 2))),
        "mse": lambda y, p: float(np.mean((y - p) ** 2)),
    }
    for name, loss in losses.items():
        apparent, out, gamma = by_hand(model, design, XN, YN, loss)
        assert x.estimate("m", measure=name).value == pytest.approx(plus(apparent, out, gamma), rel=1e-9)
    apparent, out, _ = by_hand(model, design, XN, YN, lambda y, p: float(np.mean(np.abs(y - p))))
    mae = x.estimate("m", measure="mae")
    assert mae.value == pytest.approx(0.368 * apparent + 0.632 * out) and "weight is .632" in mae.note
    # A bias is neither better high nor better low.
    assert x.estimate("m", measure="bias") == x.estimate("m", measure="bias", method="out of bag")
    with pytest.raises(UsageError, match=r"has no \.632 estimate"):
        x.estimate("m", measure="bias", method=".632")


def test_many_levels_are_weighed_by_their_shares() -> None:
    y = make_classification(ROWS, 4, n_informative=3, n_redundant=0, n_classes=3, random_state=5)[1]
    design = sy.Bootstrap(8)
    x = sy.experiment({"m": GaussianNB()}, X, y, design=design)
    values = by_hand(GaussianNB(), design, X, y, lambda a, b: float(np.mean(a != b)))
    assert x.estimate("m", measure="error_rate").value == pytest.approx(plus(*values), rel=1e-9)


def test_pure_noise_learnt_by_heart_is_told_as_noise() -> None:
    rng = np.random.default_rng(0)
    noise, coin = rng.normal(size=(200, 5)), np.arange(200) % 2
    x = sy.experiment({"m": KNeighborsClassifier(1)}, noise, coin, design=sy.Bootstrap(30))
    assert x.estimate("m", measure="error_rate").value == pytest.approx(0.5, abs=0.04)
    # The older weight is misled by the training rows, of which none is wrong.
    assert x.estimate("m", measure="error_rate", method=".632").value == pytest.approx(0.316, abs=0.04)


def test_without_the_division_on_all_rows_there_is_no_632() -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=sy.Bootstrap(5, apparent=False))
    with pytest.raises(UsageError, match="value on the training rows"):
        x.estimate("m", measure="accuracy")
    assert x.estimate("m", measure="accuracy", method="out of bag").value is not None
