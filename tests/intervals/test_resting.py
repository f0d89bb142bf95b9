"""A number that rests on little says so itself, in every view."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.intervals.resting import FEW


def few(positives: int = 1, negatives: int = 200) -> sy.Evaluation:
    score = np.r_[np.linspace(0.88, 0.9, positives), np.linspace(0, 1, negatives)]
    return sy.evaluate(target=[1] * positives + [0] * negatives, score=score)


def test_one_positive_is_said_beside_the_number() -> None:
    e = few()
    assert e["auc"].caution == "rests on 1 positive"
    assert str(e["auc"]).endswith("(rests on 1 positive)")
    assert e["recall"].caution == "rests on 1 positive"
    assert not e["specificity"].caution
    assert "rests on 1 positive" in sy.evaluate(target=[1] * 200 + [0], score=np.linspace(0, 1, 201))[
        "auc"
    ].caution.replace("negative", "positive")


@given(st.integers(1, 40), st.integers(1, 40))
def test_every_number_of_few_cases_is_marked_and_none_of_many(positives: int, negatives: int) -> None:
    e = few(positives, negatives)
    smaller = min(positives, negatives)
    for name in ("auc", "gini", "ks", "average_precision", "brier", "lift"):
        assert bool(e[name].caution) == (smaller < FEW), name
    assert bool(e["recall"].caution) == (positives < FEW)
    assert bool(e["specificity"].caution) == (negatives < FEW)
    assert bool(e["accuracy"].caution) == (positives + negatives < FEW)


def test_every_view_shows_it(tmp_path: Path) -> None:
    e = few(3)
    words = "rests on 3 positives"
    e.report(tmp_path / "r.html")
    e.report(tmp_path / "r.md")
    e.report(tmp_path / "r.json")
    page, markdown = ((tmp_path / f"r.{k}").read_text(encoding="utf-8") for k in ("html", "md"))
    numbers = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["models"]["model"]["numbers"]
    auc = next(x for x in numbers if x["measure"] == "auc")
    for told in (e.text(), e._repr_html_(), page, markdown, auc["caution"], auc["text"], str(e["auc"])):
        assert words in told
    frame = e.frame()
    assert set(frame[frame["measure"] == "auc"]["caution"]) == {words}


def test_segments_and_levels_carry_the_mark() -> None:
    rng = np.random.default_rng(1)
    target = rng.permutation(["a"] * 60 + ["b"] * 60 + ["c"] * 4)
    guess = np.where(rng.random(124) < 0.7, target, "a")
    e = sy.evaluate(target=target, prediction=guess)
    assert e["recall", "c"].caution == 'rests on 4 rows of "c"'
    assert e["recall", "macro"].caution == 'rests on 4 rows of "c"'
    assert not e["recall", "weighted"].caution and not e["accuracy"].caution and not e["kappa"].caution
    assert '† rests on 4 rows of "c": recall of c' in " ".join(e.text().split())


def test_effective_rows_count_and_not_rows() -> None:
    weight = np.r_[1000.0, 1000.0, np.ones(198)]
    e = sy.evaluate(target=[0, 1] * 100, score=np.linspace(0, 1, 200), weight=weight)
    assert "rests on 1.2 negatives" in e["auc"].caution
    assert not few(100, 100)["auc"].caution


def test_a_share_of_units_rests_on_units() -> None:
    e = sy.evaluate(target=[0, 1] * 60, score=np.linspace(0, 1, 120), unit=np.repeat(range(4), 30))
    assert e["auc"].caution == "rests on 4 units"


# Words that belong to a number ----------------------------------------------------------------------------------------


def test_accuracy_stands_beside_the_commonest_level() -> None:
    e = sy.evaluate(target=[0] * 9990 + [1] * 10, prediction=[0] * 10_000)
    assert e["accuracy"].note == "always saying 0 would get 99.90% right"
    assert "always saying 0 would get 99.90% right" in " ".join(e.text().split())
    assert e["error_rate"].note == e["accuracy"].note


@pytest.mark.parametrize("name", ["auc", "gini", "l_quality"])
def test_an_area_below_chance_says_that_the_score_may_point_the_other_way(name: str) -> None:
    target, score = [0, 1] * 50, np.linspace(0, 1, 100)
    turned = sy.evaluate(target=target, score=1 - score)[name]
    assert "turn the score round" in turned.note
    assert not sy.evaluate(target=target, score=score)[name].note


def test_class_scores_that_do_not_sum_to_one_are_said() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 200)
    target = rng.integers(0, 3, 200)
    for name in ("log_loss", "brier"):
        assert (
            "200 rows have scores that do not add up to one"
            in sy.evaluate(target=target, score=p * 0.8, levels=[0, 1, 2])[name].note
        )
        assert not sy.evaluate(target=target, score=p.round(3), levels=[0, 1, 2])[name].note
    halves = [sy.evaluate(target=target, score=p * f, levels=[0, 1, 2]) for f in (0.8, 1.0)]
    assert (halves[0] + halves[1])["brier"].note.startswith("200 rows have")


def test_percent_at_the_default_threshold_is_said() -> None:
    target, score = [0, 1] * 50, np.linspace(1, 99, 100)
    e = sy.evaluate(target=target, score=score)
    assert "threshold=50" in e.text() and "flags 100% of the rows" in " ".join(e.text().split())
    assert "are no probabilities" not in str(sy.evaluate(target=target, score=score, threshold=50))
    assert "are no probabilities" not in str(sy.evaluate(target=target, score=score / 100))
