"""Measures that rank rows come from pairs within folds: rows of different fits cannot be ranked against each other."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import steelyard as sy
from steelyard.comparisons.crossing import crossings
from steelyard.errors import NotAvailable
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import find
from steelyard.summaries.scores import Scores
from steelyard.summaries.within_folds import MOST_KNOTS, Order, WithinFolds

from .samples import AMOUNTS, THREE

_r = np.random.default_rng(12)
ROWS = 90
X = _r.normal(size=(ROWS, 4))
Y = (X[:, 0] + 1.5 * _r.normal(size=ROWS) > 0.6).astype(int)
NOISE = _r.integers(0, 2, ROWS)
RANKING = ("auc", "gini", "l_quality", "ks", "average_precision", "lift", "capture", "partial_auc")
DESIGNS: dict[str, Any] = {
    "folds": sy.KFold(7),
    "stratified, repeated": sy.KFold(4, stratify=True, repeats=3),
    "hold-outs": sy.RepeatedHoldout(0.3, repeats=4),
    "bootstrap": sy.Bootstrap(6),
    "groups": sy.KFold(5, group=np.arange(ROWS) // 6),
}


def pairs(y: Any, s: Any, positive: Any = 1) -> tuple[float, float]:
    """Pairs won, ties counting one half, and all pairs; one by one."""
    won = [(a > b) + (a == b) / 2 for a, b in product(s[y == positive], s[y != positive])]
    return float(sum(won)), float(len(won))


@pytest.mark.parametrize("name", DESIGNS)
def test_an_area_is_the_pairs_won_within_folds(name: str) -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=DESIGNS[name])
    p = x.predictions("m")
    won = total = 0.0
    for _, part in p.groupby(["repeat", "fold"]):
        a, b = pairs(Y[part["row"].to_numpy()], part["score"].to_numpy())
        won, total = won + a, total + b
    e = x["m"]
    assert e["auc"].value == pytest.approx(won / total, rel=1e-12)
    assert e["gini"].value == pytest.approx(2 * won / total - 1, abs=1e-12) == e["l_quality"].value
    assert e["auc"].low < e["auc"].value < e["auc"].high and "pairs within" in e["auc"].note
    # The curve that is drawn has the area that is told.
    roc = e.curve("roc")
    area = np.trapezoid(roc.columns["tpr"], roc.columns["fpr"])
    assert area == pytest.approx(won / total, rel=1e-9)
    assert "mean of the folds' curves" in roc.note and set(roc.columns["threshold"]) == {None}
    gap = np.max(np.abs(np.array(roc.columns["tpr"]) - np.array(roc.columns["fpr"])))
    assert e["ks"].value == pytest.approx(gap, rel=1e-9)


def test_the_mean_curve_of_folds_of_one_size_is_their_vertical_mean() -> None:
    x = sy.experiment({"m": GaussianNB()}, X, np.array([0, 0, 1] * 30), design=sy.KFold(5, stratify=True))
    roc = x["m"].curve("roc")
    at = np.array([0.13, 0.37, 0.52, 0.88])
    curves = [e.curve("roc").columns for e in x.folds("m")]
    mean = np.mean([np.interp(at, c["fpr"], c["tpr"]) for c in curves], axis=0)
    np.testing.assert_allclose(np.interp(at, roc.columns["fpr"], roc.columns["tpr"]), mean, rtol=1e-12)


@pytest.mark.parametrize("name", RANKING)
def test_one_test_part_is_told_as_it_is(name: str) -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=sy.Holdout(0.4))
    one = x["m"]
    assert str(one[name]) == str(x.folds("m")[0][name]) and WithinFolds.kind not in one.evidence
    # A sum of one fold has the same numbers.
    alone = WithinFolds.of(one.evidence)
    assert alone is not None
    table = alone.order().table()
    assert float(find(name)(table).value) == pytest.approx(one[name].value, rel=1e-12)


def test_one_row_a_fold_ranks_nothing() -> None:
    x = sy.experiment({"none": "baseline", "m": LogisticRegression()}, X, NOISE, design=sy.LeaveOneOut())
    for model, name in product(("none", "m"), RANKING):
        found = x[model][name]
        assert found.value is None and "each fold holds one row" in found.reason
        assert x.estimate(model, measure=name).value is None
    with pytest.raises(NotAvailable, match="one row"):
        x["m"].curve("roc")
    assert x["m"]["accuracy"].value is not None and x["m"].curve("calibration").columns
    numbers = sy.experiment({"m": "baseline"}, *AMOUNTS, design=sy.LeaveOneOut())
    # The mean of the others always lies on the other side: a correlation of −1 for nothing learnt.
    assert numbers["m"]["correlation"].value is None and numbers["m"]["rmse"].value is not None


def test_a_model_that_says_the_same_for_all_ranks_by_chance() -> None:
    for design in (sy.KFold(10), sy.KFold(9, stratify=True), sy.Bootstrap(10), sy.RepeatedHoldout(0.2, repeats=5)):
        e = sy.experiment({"none": "baseline"}, X, NOISE, design=design)["none"]
        assert e["auc"].value == pytest.approx(0.5) and e["ks"].value == pytest.approx(0.0, abs=1e-12)
        assert e["lift"].value == pytest.approx(1.0) and e["auc"].low < 0.5 < e["auc"].high


def test_folds_without_positives_are_told() -> None:
    y = (np.arange(ROWS) % 18 == 0).astype(int)
    folds = np.arange(ROWS) // 18
    y[folds > 2] = 0
    x = sy.experiment({"m": GaussianNB()}, X, y, design=sy.StoredFolds(folds))
    assert "within 3 folds; 2 of 5 folds lack one of the two classes" in x["m"]["auc"].note
    apart = np.where(y == 1, np.cumsum(y) % 2, 2 + np.arange(ROWS) % 2)
    none = sy.experiment({"m": GaussianNB()}, X, y, design=sy.StoredFolds(apart))
    assert none["m"]["auc"].value is None and "no fold holds both" in none["m"]["auc"].reason


def test_classes_and_numbers_are_ranked_within_folds_too() -> None:
    X3, y3 = THREE
    x = sy.experiment({"m": GaussianNB()}, X3, y3, design=sy.KFold(4))
    p = x.predictions("m")
    truth = y3[p["row"].to_numpy()]
    areas = []
    for i, j in product(range(3), range(3)):
        if i != j:
            sums = np.zeros(2)
            for fold in range(4):
                here = (p["fold"].to_numpy() == fold) & np.isin(truth, [i, j])
                sums += pairs(truth[here], p[f"score_{i}"].to_numpy()[here], i)
            areas.append(sums[0] / sums[1])
    assert x["m"]["hand_till_auc"].value == pytest.approx(np.mean(areas), rel=1e-12)
    one = [pairs(truth[p["fold"] == f], p["score_1"].to_numpy()[p["fold"] == f], 1) for f in range(4)]
    assert x["m"]["auc", 1].value == pytest.approx(sum(a for a, _ in one) / sum(b for _, b in one), rel=1e-12)
    levels = [x["m"]["auc", level].value for level in range(3)]
    assert x["m"]["auc", "macro"].value == pytest.approx(np.mean(levels), rel=1e-12)
    assert x["m"].curve("roc", 1).columns

    XN, yn = AMOUNTS
    numbers = sy.experiment({"m": Ridge()}, XN, yn, design=sy.KFold(5))
    q = numbers.predictions("m")
    t, s = yn[q["row"].to_numpy()], q["prediction"].to_numpy().copy()
    for f in range(5):
        here = q["fold"].to_numpy() == f
        t[here], s[here] = t[here] - t[here].mean(), s[here] - s[here].mean()
    assert numbers["m"]["correlation"].value == pytest.approx(float(t @ s / np.sqrt((t @ t) * (s @ s))), rel=1e-9)


def test_what_is_known_within_folds_is_saved_and_added(tmp_path: Path) -> None:
    x = sy.experiment({"m": GaussianNB()}, X, Y, design=sy.KFold(5, repeats=2))
    e = x["m"]
    e.save(tmp_path / "m.json")
    back = sy.load(tmp_path / "m.json")
    assert back == e and str(back["auc"]) == str(e["auc"])
    assert Evaluation.from_dict(json.loads(json.dumps(e.to_dict())))["lift"] == e["lift"]
    other = sy.experiment({"m": GaussianNB()}, X, Y, design=sy.KFold(3, seed=5))["m"]
    both = e + other
    sums = [w.order() for w in (e.evidence[WithinFolds.kind], other.evidence[WithinFolds.kind])]
    won = sum(o.area * o.sum("pairs") for o in sums)
    assert both["auc"].value == pytest.approx(won / sum(o.sum("pairs") for o in sums), rel=1e-12)
    assert crossings(e, other, ("a", "b")).ranges


def test_long_curves_are_kept_at_even_steps_with_a_bound() -> None:
    rng = np.random.default_rng(0)
    n = 2 * MOST_KNOTS + 11
    s = Scores.of(rng.random(n).tolist(), (np.arange(n) % 2).tolist(), 1)
    kept = Order.of(replace_positive(s, rng)).table()
    assert len(kept.score) < 2 * MOST_KNOTS + 5 and not kept.cells.sharp


def replace_positive(s: Scores, rng: np.random.Generator) -> Scores:
    """The same scores of which hardly any row is positive, so that the curve has as many knots as rows."""
    truth = (rng.random(len(s.score)) < 0.01).astype(int)
    return Scores.of(s.score.tolist(), truth.tolist(), 1)


def test_the_order_of_adding_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    parts = [
        Order.of(Scores.of(rng.integers(0, 9, k).tolist(), rng.permutation([0, 1] + [0] * (k - 2)).tolist(), 1))
        for k in (5, 8, 13, 6)
    ]
    a = ((parts[0] + parts[1]) + parts[2]) + parts[3]
    b = (parts[3] + parts[1]) + (parts[2] + parts[0])
    assert a.area == pytest.approx(b.area, rel=1e-12)
    np.testing.assert_allclose(a.table().counts, b.table().counts, atol=1e-9)


# Failed folds ---------------------------------------------------------------------------------------------------------


class Stumbles(GaussianNB):
    """Fails where the first training row has a low first feature."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if X[0, 0] == FIRST:
            message = "stumbled"
            raise RuntimeError(message)
        return super().fit(X, y, sample_weight)


FIRST = X[30, 0]


def test_a_failed_fold_is_shared_with_nobody() -> None:
    folds = np.arange(ROWS) // 15
    # Without the first two folds the training rows begin with row 30.
    design = sy.StoredFolds(np.where(folds < 2, 0, folds))
    x = sy.experiment({"sure": LogisticRegression(), "stumbles": Stumbles()}, X, Y, design=design)
    assert len(x.failures) == 1
    c = x.compare("stumbles", "sure")
    assert "on the same 4 folds" in str(c) and "1 of 5 folds" in str(c)
    for measure in ("accuracy", "auc", "log_loss"):
        d = c.difference(measure, "stumbles", "sure")
        assert d.n == (4.0, 4.0)
        assert d.value == pytest.approx(d.values[0] - d.values[1], abs=1e-12)
    # Each by itself is shown on the rows that both have seen.
    assert {e.rows for e in c.evaluations.values()} == {60}
    left = [v for v, s in zip(x.values("sure", measure="accuracy"), x.values("stumbles", measure="accuracy")) if s]
    assert c.difference("accuracy", "stumbles", "sure").values[1] == pytest.approx(np.mean(left))
