"""The front door: it recognises how models were tested, takes the right test, and refuses what cannot be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import (
    EmptyTable,
    LengthsDiffer,
    MissingValues,
    NotAvailable,
    UnknownColumn,
    UsageError,
)
from steelyard.views.comparison import below, differences_table, models_table

RNG = np.random.default_rng(1)
N = 1200
Y = (RNG.random(N) < 0.3).astype(int)
Z = RNG.normal(size=N) + 1.2 * Y
GOOD = 1 / (1 + np.exp(-(Z + 0.3 * RNG.normal(size=N) - 1)))
POOR = 1 / (1 + np.exp(-(Z + 1.0 * RNG.normal(size=N) - 1)))
ROWS = pd.DataFrame({"id": np.arange(N), "y": Y, "good": GOOD, "poor": POOR, "word": np.where(Y == 1, "yes", "no")})


@pytest.fixture(scope="module")
def same_rows() -> sy.Comparison:
    return sy.compare(target=Y, score={"poor": POOR, "good": GOOD})


def test_the_same_rows_are_paired(same_rows: sy.Comparison) -> None:
    apart = sy.compare({"poor": sy.evaluate(target=Y, score=POOR), "good": sy.evaluate(target=Y, score=GOOD)})
    assert (same_rows.kind, apart.kind) == ("same rows", "different rows")
    for measure in ("auc", "accuracy", "brier", "f1", "log_loss", "ks"):
        a, b = (c.difference(measure, "good", "poor") for c in (same_rows, apart))
        assert a.value == pytest.approx(b.value, abs=1e-12), measure
        # What two models have in common cancels on the same rows.
        assert a.high - a.low < b.high - b.low, measure
    assert any("same rows" in note for note in apart.notes())


def test_a_difference_turned_round_is_its_negative(same_rows: sy.Comparison) -> None:
    for measure in ("auc", "accuracy", "log_loss", "recall", "f1"):
        a, b = same_rows.difference(measure, "good", "poor"), same_rows.difference(measure, "poor", "good")
        assert a.value == pytest.approx(-b.value)
        assert (a.low, a.high) == pytest.approx((-b.high, -b.low), abs=2e-3)
        assert {a.verdict, b.verdict} in ({"better", "worse"}, {"no clear difference"})


def test_files_frames_and_arrays_say_the_same(same_rows: sy.Comparison, tmp_path: Path) -> None:
    import polars as pl

    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    ROWS.to_parquet(tmp_path / "rows.parquet")
    expected = same_rows.rows_as_dicts()
    for data in (ROWS, pl.from_pandas(ROWS), tmp_path / "rows.csv", str(tmp_path / "rows.parquet"), dict(ROWS)):
        found = sy.compare(data, target="y", score={"poor": "poor", "good": "good"}).rows_as_dicts()
        assert [r["verdict"] for r in found] == [r["verdict"] for r in expected]
        for a, b in zip(found, expected, strict=True):
            assert a["difference"] == pytest.approx(b["difference"], abs=1e-9)
            assert a["low"] == pytest.approx(b["low"], abs=1e-9)


def test_rows_that_stay_where_they_are_are_paired_by_units(same_rows: sy.Comparison) -> None:
    import duckdb

    table = duckdb.from_df(ROWS) if hasattr(duckdb, "from_df") else duckdb.sql("select * from ROWS")
    c = sy.compare(table, target="y", score={"poor": "poor", "good": "good"}, unit="id")
    assert c.kind == "same rows" and "buckets" in c.pairing.words
    for measure in ("auc", "accuracy", "brier"):
        a, b = c.difference(measure, "good", "poor"), same_rows.difference(measure, "good", "poor")
        assert a.value == pytest.approx(b.value, abs=1e-9)
        assert (a.high - a.low) / (b.high - b.low) == pytest.approx(1, abs=0.25)
    # Without units the rows come here, and the comparison is that of a frame.
    here = sy.compare(table, target="y", score={"poor": "poor", "good": "good"})
    assert here.rows_as_dicts() == same_rows.rows_as_dicts()


def test_tables_of_each_model_are_joined_by_their_rows(same_rows: sy.Comparison) -> None:
    parts = {
        name: ROWS[["id", "y", name]].rename(columns={name: "p"}).sample(frac=1, random_state=i)
        for i, name in enumerate(("poor", "good"))
    }
    c = sy.compare(parts, target="y", score=dict.fromkeys(parts, "p"), on="id")
    for measure in ("auc", "accuracy"):
        a, b = (x.difference(measure, "good", "poor") for x in (c, same_rows))
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9)
    fewer = {**parts, "good": parts["good"].iloc[1:]}
    with pytest.raises(LengthsDiffer, match='1 value of "id"'):
        sy.compare(fewer, target="y", score=dict.fromkeys(parts, "p"), on="id")
    other = {**parts, "good": parts["good"].assign(y=1 - parts["good"]["y"])}
    with pytest.raises(UsageError, match="differ in 1,200 rows"):
        sy.compare(other, target="y", score=dict.fromkeys(parts, "p"), on="id")
    twice = {**parts, "good": pd.concat([parts["good"], parts["good"].iloc[:1]])}
    with pytest.raises(UsageError, match="more than once"):
        sy.compare(twice, target="y", score=dict.fromkeys(parts, "p"), on="id")


def test_labels_numbers_and_classes() -> None:
    rng = np.random.default_rng(3)
    animals = np.array(["ant", "bee", "cow"])
    truth = rng.choice(animals, 400)
    one, two = (np.where(rng.random(400) < hit, truth, rng.choice(animals, 400)) for hit in (0.8, 0.5))
    c = sy.compare(target=truth, prediction={"one": one, "two": two})
    assert c.measures[0] == "accuracy" and c.difference("accuracy", "one", "two").verdict == "better"
    assert c.difference("recall", "one", "two", level="bee").value is not None
    tables = {}
    for name, strength in (("one", 2.0), ("two", 0.8)):
        raw = rng.random((400, 3)) + strength * (truth[:, None] == animals)
        tables[name] = {level: raw[:, i] / raw.sum(axis=1) for i, level in enumerate(animals.tolist())}
    c = sy.compare(target=truth, score=tables)
    assert c.difference("hand_till_auc", "one", "two").verdict == "better"
    dose = rng.normal(100, 20, 300)
    c = sy.compare(target=dose, prediction={"near": dose + rng.normal(0, 4, 300), "far": dose + rng.normal(0, 9, 300)})
    assert c.measures == ["rmse", "mae", "r2"]
    assert c.difference("rmse", "near", "far").verdict == "better"


def test_profit_is_compared_case_by_case() -> None:
    c = sy.compare(target=Y, score={"poor": POOR, "good": GOOD}, profit=sy.Profit(tp=10, fp=-3, fn=-1))
    assert "profit" in c.measures
    d = c.difference("profit", "good", "poor")

    def per_case(p: Any) -> float:
        flagged = p >= 0.5
        return float(np.where(Y == 1, np.where(flagged, 10, -1), np.where(flagged, -3, 0)).mean())

    assert d.value == pytest.approx(per_case(GOOD) - per_case(POOR))
    assert d.low < d.value < d.high


def test_a_margin_makes_small_differences_equivalent() -> None:
    other = np.where(np.arange(N) % 300 == 0, 1 - GOOD, GOOD)
    c = sy.compare(target=Y, score={"a": GOOD, "b": other}, margin=0.05)
    assert c.difference("auc", "b", "a").verdict == "equivalent within 0.05"
    assert any("equivalent within 0.05" in s for s in c.sentences())
    plain = sy.compare(target=Y, score={"a": GOOD, "b": other})
    assert "equivalent" not in plain.difference("auc", "b", "a").verdict


def test_identical_predictions_say_so() -> None:
    c = sy.compare(target=Y, score={"a": GOOD, "b": GOOD.copy()})
    for measure in ("auc", "accuracy", "brier", "log_loss"):
        d = c.difference(measure, "a", "b")
        assert (d.value, d.p_value) == (0.0, 1.0), measure
    assert any("predict the same for every row" in n for n in c.notes())


def test_ties_everywhere_have_a_verdict() -> None:
    c = sy.compare(target=Y, score={"flat": np.full(N, 0.5), "steps": (GOOD > 0.4).astype(float)})
    d = c.difference("auc", "steps", "flat")
    assert d.verdict == "better" and d.low > 0


def test_few_cases_get_no_verdict() -> None:
    c = sy.compare(
        target=[1, 0, 1, 0, 1, 0], score={"a": [0.9, 0.1, 0.8, 0.3, 0.7, 0.2], "b": [0.4, 0.6, 0.5, 0.5, 0.6, 0.4]}
    )
    assert c.difference("auc", "a", "b").verdict == "too few cases to say"


def test_many_models_are_corrected_and_the_winner_loses_its_luck() -> None:
    rng = np.random.default_rng(8)
    scores = {f"m{i}": Z + rng.normal(size=N) for i in range(6)}
    c = sy.compare(target=Y, score={k: 1 / (1 + np.exp(-v)) for k, v in scores.items()})
    found = c.table("auc")
    assert len(found) == 15
    assert all(r.p_corrected >= r.difference.p_value for r in found)
    assert sum(r.verdict in ("better", "worse") for r in found) == 0
    best = c.winner("auc")
    assert best is not None and best.optimism.value > 0.002
    assert best.corrected.value < best.observed.value
    assert c.together("auc").p_value > 0.01 and c.together("accuracy").p_value > 0.001
    against = sy.compare(target=Y, score=scores, control="m0", threshold=0.0)
    assert {r.difference.second for r in against.table("auc")} == {"m0"}


def test_an_experiment_is_compared_fold_by_fold() -> None:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    x = sy.experiment(["bayes", "logistic"], X, y, design=sy.KFold(2, repeats=5, stratify=True))
    c = x.compare()
    d = c.difference("auc", "logistic", "bayes")
    values = {m: np.array(x.values(m, measure="auc")) for m in x.models}
    apart = values["logistic"] - values["bayes"]
    assert d.value == pytest.approx(apart.mean())
    assert d.method == "corrected resampled t"
    half = (d.high - d.low) / 2
    naive = c.difference("auc", "logistic", "bayes", method="paired t")
    assert "too short" in naive.method
    assert half / ((naive.high - naive.low) / 2) == pytest.approx(np.sqrt((1 / 10 + 1) / (1 / 10)), rel=1e-4)
    for method in ("5x2 t", "5x2 F"):
        assert c.difference("auc", "logistic", "bayes", method=method).p_value is not None
    found = c.posterior("auc", "logistic", "bayes", rope=0.01)
    assert found.left + found.rope + found.right == pytest.approx(1)
    assert sy.compare(x).rows_as_dicts() == c.rows_as_dicts()
    with pytest.raises(NotAvailable, match="one test part"):
        sy.experiment(["bayes", "logistic"], X, y, design="holdout").compare()
    with pytest.raises(NotAvailable, match="five repeats of two folds"):
        sy.experiment(["bayes", "logistic"], X, y, design="kfold:3").compare().difference(
            "auc", "bayes", "logistic", method="5x2 t"
        )


def test_several_data_sets_are_ranked() -> None:
    rng = np.random.default_rng(4)
    sets = {}
    for i in range(6):
        X = rng.normal(size=(80, 3))
        sets[f"set {i}"] = (X, (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int))
    x = sy.experiment(["baseline", "bayes", "tree"], data=sets, design="kfold:3")
    c = sy.compare(x)
    assert c.ranking is not None and c.ranking.n == 6
    assert c.ranking.order[-1] == "baseline"
    assert "Friedman" in " ".join(c.sentences())
    assert "We ranked 3 models by auc on 6 data sets" in " ".join(c.sentences())
    assert sy.compare(x, measures=["accuracy", "auc"]).ranking.measure == "accuracy"


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    [
        (UsageError, "No target", lambda: sy.compare(ROWS, score={"a": "good", "b": "poor"})),
        (UsageError, "Either a score or a prediction", lambda: sy.compare(ROWS, target="y")),
        (UsageError, "given by name", lambda: sy.compare(ROWS, target="y", score="good")),
        (UsageError, "at least two models", lambda: sy.compare(ROWS, target="y", score={"a": "good"})),
        (UnknownColumn, 'no column "bad"', lambda: sy.compare(ROWS, target="y", score={"a": "good", "b": "bad"})),
        (LengthsDiffer, "differ in length", lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR[1:]})),
        (EmptyTable, "no rows", lambda: sy.compare(target=[], score={"a": [], "b": []})),
        (
            MissingValues,
            "1 of 1,200 rows",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": np.where(np.arange(N) == 3, np.nan, POOR)}),
        ),
        (
            UsageError,
            "positive number",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR}, margin=-1.0),
        ),
        (
            UsageError,
            "A margin is a number",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR}, margin="x"),
        ),
        (UsageError, 'holds evaluations by name, and "a" is of type int', lambda: sy.compare({"a": 1, "b": 2})),
        (
            NotAvailable,
            "cannot be compared by",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR}, measures=["rmse"]),
        ),
        (
            UsageError,
            "with itself",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR}).difference("auc", "a", "a"),
        ),
        (
            NotAvailable,
            "no model",
            lambda: sy.compare(target=Y, score={"a": GOOD, "b": POOR}).difference("auc", "a", "c"),
        ),
        (
            UsageError,
            "different kinds",
            lambda: sy.compare(
                {"a": sy.evaluate(target=Y, score=GOOD), "b": sy.evaluate(target=GOOD, prediction=POOR)},
                measures=["auc"],
            ).table(),
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(kind: type, message: str, call: Any) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_missing_rows_are_left_out_for_all_models() -> None:
    gaps = np.where(np.arange(N) % 100 == 0, np.nan, POOR)
    c = sy.compare(target=Y, score={"a": GOOD, "b": gaps}, missing="drop")
    assert c["a"].rows == c["b"].rows == N - 12
    assert any("12 rows" in n for n in c.notes())


def test_looks_are_counted_within_a_measure_or_over_everything() -> None:
    rng = np.random.default_rng(8)
    scores = {f"m{i}": 1 / (1 + np.exp(-(Z + rng.normal(size=N) * (1 + i / 10)))) for i in range(3)}
    pairs = sy.compare(target=Y, score=scores)
    every = sy.compare(target=Y, score=scores, over="everything")
    shares = sy.compare(target=Y, score=scores, over="everything", correction="benjamini-hochberg")
    for a, b, c in zip(pairs.table(), every.table(), shares.table(), strict=True):
        assert a.p_alone == pytest.approx(b.p_alone) and a.p_alone == pytest.approx(c.p_alone)
        assert a.p_corrected <= b.p_corrected + 1e-12
        assert c.p_corrected <= b.p_corrected + 1e-12
    assert [r.p_corrected for r in every.table("auc")] == [r.p_corrected for r in every.table()[:3]]


def test_the_better_model_stands_first_everywhere() -> None:
    rng = np.random.default_rng(8)
    scores = {f"m{i}": 1 / (1 + np.exp(-(Z + rng.normal(size=N) * (0.2 + i)))) for i in (2, 0, 1)}
    c = sy.compare(target=Y, score=scores, measures=["auc", "log_loss"])
    for measure, sign in (("auc", "+"), ("log_loss", "−")):
        rows = differences_table(c, measure).rows
        assert all(row[1].startswith(sign) for row in rows)
        drawn = c.chart(measure).columns["pair"]
        assert [row[0].replace(" − ", " minus ") for row in rows] == [name.partition("  ")[0] for name in drawn]
        assert {row[3] for row in rows} <= {"better", "no clear difference"}
    assert c.sentences()[0].startswith("m0 is the best of 3 models in AUC (")


def test_a_chart_says_how_many_pairs_it_leaves_out() -> None:
    rng = np.random.default_rng(8)
    scores = {f"m{i}": Z + rng.normal(size=N) for i in range(8)}
    chart = sy.compare(target=Y, score=scores, measures="auc").chart()
    assert "4 of 28 pairs not shown" in chart.title and len(chart.columns["pair"]) == 24


def test_hardly_any_luck_is_not_a_clear_lead() -> None:
    rng = np.random.default_rng(3)
    near = np.clip(GOOD + rng.normal(0, 1e-4, N), 0, 1)
    scores = {"good": GOOD, "near": near, "poor": POOR}
    told = sy.compare(target=Y, score=scores, measures="auc").sentences()
    assert "has the best AUC of 3 models" in told[0] and "clearly better than poor, not clearly than" in told[0]
    assert any(s.endswith("makes it look hardly better than it is.") for s in told)
    far = {"good": GOOD, "poor": POOR, "random": rng.random(N)}
    told = sy.compare(target=Y, score=far, measures="auc").sentences()
    assert told[0].startswith("good is the best of 3 models in AUC (")
    assert "That good was chosen as the best makes it look hardly better than it is." in told


def test_wide_tables_lose_no_measure() -> None:
    names = ["auc", "accuracy", "log_loss", "brier", "f1", "kappa", "recall"]
    c = sy.compare(target=Y, score={"good": GOOD, "a rather long name of a model": POOR}, measures=names)
    tables = below(models_table(c))
    assert [n for t in tables for n in t.head[1:]] == names and len(tables) > 1
    text = str(c)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count("Each by itself") == len(tables) and text.count("that two overlap") == 1


def test_scores_that_are_no_probabilities_are_told(tmp_path: Path) -> None:
    c = sy.compare(target=Y, score={"raw": 4 * Z, "good": GOOD}, measures=["auc", "log_loss"])
    assert any('Scores of "raw" lie outside 0 to 1' in n for n in c.notes())
    assert any("a threshold of 0.5" in n for n in c.notes())
    chosen = sy.compare(target=Y, score={"raw": 4 * Z, "good": 4 * GOOD}, measures="auc", threshold=2.0)
    assert any("lie outside" in n for n in chosen.notes()) and not any("0.5" in n for n in chosen.notes())
    d = c.difference("log_loss", "good", "raw")
    assert d.verdict == "not known" and d.reason == "raw: scores outside [0, 1] are not probabilities"
    three = sy.compare(target=Y, score={"raw": 4 * Z, "good": GOOD, "poor": POOR}, measures=["auc"]).to_dict()
    assert three["together"]["p_value"] < 1
    told = c.to_dict()
    assert (told["correction"], told["control"], told["margins"]) == ("bonferroni", None, {})
    c.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("good is better than raw in AUC") <= 1


def test_the_margin_is_in_the_legend() -> None:
    c = sy.compare(target=Y, score={"a": GOOD, "b": POOR}, margin={"all": 0.1, "auc": 0.2})
    assert c.margins == {"auc": 0.2, "accuracy": 0.1, "log_loss": 0.1}
    assert any("inside the margin of 0.2" in words for words, _ in c.chart().legend)
    assert len(sy.compare(target=Y, score={"a": GOOD, "b": POOR}).chart().legend) == 2


def test_folds_that_happen_to_agree_prove_nothing() -> None:
    """One row more is right in each of three folds: t has no spread to speak of, and three rows are chance."""
    from steelyard.comparison import Comparison
    from steelyard.comparisons.pairing import SameFolds

    right = {"knn": (57, 56, 57), "bayes": (58, 57, 58), "tree": (40, 38, 39)}
    folds = np.array([60, 59, 59])
    sums = {n: sy.evaluate(confusion=[[89, 0], [178 - sum(r), sum(r) - 89]], levels=[0, 1]) for n, r in right.items()}
    c = Comparison(SameFolds(sums, lambda n, *_: np.array(right[n]) / folds, 0.5, (1, 3)), measures=["accuracy"])
    close = c.difference("accuracy", "bayes", "knn")
    assert close.p_value < 0.01 and close.low > 0
    assert close.verdict == "too few cases to say" and "the difference is 3 of 178 rows" in close.note
    assert c.difference("accuracy", "knn", "tree").verdict == "better"
