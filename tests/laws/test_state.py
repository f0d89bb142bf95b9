"""Nothing that was worked out survives a change of what it depends on; a name is taken once; equal evidence adds on a word."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.asking.questions import every_question
from steelyard.measures.measure import catalogue, find, forget
from steelyard.results import Ratio
from steelyard.saved.adding import add_saved
from steelyard.summaries.alike import NEGLIGIBLE, coincidence, same_rows
from steelyard.summaries.confusion import Confusion, Outcomes

from .law import law
from .samples import samples


def rows(rng: Any, n: int = 60) -> dict[str, Any]:
    y = (rng.random(n) < 0.4).astype(int)
    return {"target": y, "score": 0.4 * y + 0.6 * rng.random(n)}


# What is kept -----------------------------------------------------------------------------------------------------------


@law(labels=4, scores=6, classes=3, numbers=4)
def test_a_changed_copy_says_what_a_fresh_one_says(kind: str, data: Any) -> None:
    e = data.draw(samples(kind)).evaluate()
    other = data.draw(samples(kind)).evaluate()
    changes: dict[str, Any] = {
        "confidence": 0.5,
        "threshold": None if e.threshold is None else e.threshold + 0.25,
        "evidence": other.evidence,
        "segment": "x",
    }
    name = data.draw(st.sampled_from(sorted(changes)))
    changed = dataclasses.replace(_asked(e), **{name: changes[name]})
    fresh = sy.Evaluation(**{f.name: getattr(changed, f.name) for f in dataclasses.fields(changed) if f.init})
    for asked in _few(changed):
        assert _answer(changed, asked) == _answer(fresh, asked)


def _answer(e: sy.Evaluation, asked: tuple[str, Any]) -> Any:
    """The number, or why it cannot be asked: other evidence may not fit what outcomes were worth."""
    try:
        return e.measure(*asked)
    except sy.errors.SteelyardError as problem:
        return str(problem)


def _few(e: sy.Evaluation) -> list[tuple[str, Any]]:
    """Some numbers of every kind that the evidence can answer."""
    return list(every_question(e))[::7]


def _asked(e: sy.Evaluation) -> sy.Evaluation:
    """The evaluation once it has been asked, so that it knows its answers."""
    for asked in _few(e):
        e.measure(*asked)
    return e


def test_nothing_public_hands_on_what_it_worked_out() -> None:
    """A field that holds what was worked out is none of those that a changed copy is made from."""
    made = [getattr(sy, name) for name in sy.__all__]
    for kind in (k for k in made if inspect.isclass(k) and dataclasses.is_dataclass(k)):
        private = [f for f in dataclasses.fields(kind) if f.name.startswith("_")]
        assert not [f.name for f in private if f.init], kind.__name__


def test_a_comparison_follows_what_it_is_told(rng: Any) -> None:
    models = {name: sy.evaluate(**rows(rng)) for name in "ab"}
    c = sy.compare(models, correction="holm")
    wide = c.difference("auc", "a", "b")
    c.confidence = 0.5
    narrow = c.difference("auc", "a", "b")
    assert narrow.confidence == 0.5
    assert narrow.high - narrow.low < wide.high - wide.low  # type: ignore[operator]
    fresh = sy.compare(models, correction="holm", confidence=0.5).difference("auc", "a", "b")
    assert narrow == fresh


# Names ------------------------------------------------------------------------------------------------------------------


def _half(o: Outcomes, *, beta: float = 1.0) -> Ratio:
    return Ratio(o.tp * beta, o.tp + o.fn)


def _marked(name: str, **facts: Any) -> None:
    def own(o: Outcomes, *, beta: float = 1.0) -> Ratio:
        """A share."""
        return _half(o, beta=beta)

    own.__name__ = name
    own.__annotations__ = {"o": Outcomes, "beta": float, "return": Ratio}
    sy.measure(better="higher", range=(0, 1), **facts)(own)


@pytest.mark.parametrize(
    ("name", "aliases"), [("auc", ()), ("roc_auc", ()), ("own", ("recall",)), ("own", ("tpr",)), ("own", ("own",))]
)
def test_a_name_is_taken_once(name: str, aliases: tuple[str, ...]) -> None:
    before = dict(catalogue())
    with pytest.raises(sy.errors.UsageError, match=r"is taken|one name twice"):
        _marked(name, aliases=aliases)
    assert dict(catalogue()) == before


@pytest.fixture
def a_catalogue_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken away here is still there for other tests, in its old place."""
    room = importlib.import_module("steelyard.measures.measure")
    for name in ("_catalogue", "_aliases"):
        monkeypatch.setattr(room, name, dict(getattr(room, name)))


@pytest.mark.usefixtures("a_catalogue_of_its_own")
def test_a_name_is_given_away_on_a_word() -> None:
    _marked("own", aliases=("tpr",), replace=True)
    assert find("tpr").name == "own"
    assert "tpr" not in find("recall").aliases and find("sensitivity").name == "recall"
    _marked("own", replace=True)
    assert find("own").aliases == ()


def test_the_options_of_ones_own_measure_are_checked_by_their_types() -> None:
    try:
        _marked("own")
        e = sy.evaluate(confusion=[[6, 3], [2, 9]], layout="positive first")
        assert e.measure("own", beta=0.5).value == pytest.approx(1 / 3)
        for value in ("x", None, True, float("nan"), [1], 10**400):
            with pytest.raises(sy.errors.UsageError, match="must be a finite number"):
                e.measure("own", beta=value)
    finally:
        forget("own")


# Adding -----------------------------------------------------------------------------------------------------------------


def test_evidence_adds_with_sum_and_with_nothing_else(rng: Any) -> None:
    parts = [sy.evaluate(**rows(rng)) for _ in range(3)]
    assert sum(parts) == parts[0] + parts[1] + parts[2]
    for odd in (1, 0, 0.0, None, "x", [], True, np.ones(2), pd.Series([1])):
        with pytest.raises(sy.errors.CannotAdd, match="Evidence adds to evidence"):
            parts[0] + odd
    for odd in (1, "x", True, None):
        with pytest.raises(sy.errors.CannotAdd):
            odd + parts[0]


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.sampled_from(("scores", "labels", "numbers", "classes")), st.booleans())
def test_the_same_rows_are_known_in_any_order(seed: int, kind: str, weighted: bool) -> None:
    n, random = 60, Random(seed)
    y = [random.choice("abc") for _ in range(n)]
    p = [random.random() for _ in range(n)]
    given: dict[str, Any] = {
        "scores": {"target": [v == "a" for v in y], "score": p},
        "labels": {"target": y, "prediction": [random.choice("abc") for _ in range(n)]},
        "numbers": {"target": p, "prediction": [random.gauss(0, 1) for _ in range(n)]},
        "classes": {"target": y, "score": {v: [random.random() for _ in range(n)] for v in "abc"}},
    }[kind]
    if weighted:
        given["weight"] = [random.random() + 0.1 for _ in range(n)]
    order = random.sample(range(n), n)

    def taken(column: Any) -> Any:
        return (
            {k: [v[i] for i in order] for k, v in column.items()}
            if isinstance(column, dict)
            else [column[i] for i in order]
        )

    e, f = sy.evaluate(**given), sy.evaluate(**{k: taken(v) for k, v in given.items()})
    assert same_rows(e.evidence, f.evidence)
    with pytest.raises(sy.errors.CannotAdd, match="the same 60 rows") as found:
        e + f
    assert "twice=True" in found.value.hint
    assert e.plus(f, twice=True).rows == 2 * n


@pytest.mark.parametrize("start", [1_700_000_000, 1_700_000_000_000_000, 1_700_000_000_000_000_000])
def test_scores_that_differ_in_their_last_digit_are_other_rows(start: int) -> None:
    """Times in seconds, microseconds and nanoseconds, one set a moment after the other."""
    y = [0, 1] * 20
    odd, even = (sy.evaluate(target=y, score=[start + 2 * i + k for i in range(40)]) for k in (0, 1))
    assert (odd + even).rows == 80
    with pytest.raises(sy.errors.CannotAdd, match="the same 40 rows"):
        odd + odd.renamed(score="p")


def test_different_days_are_no_copies(rng: Any) -> None:
    """Thousands of pairs of small days, labels of two levels: equal ones are not refused where chance makes them equal."""
    for n in (3, 40):
        days = [Confusion.of(rng.multinomial(n, [0.3, 0.2, 0.2, 0.3]).reshape(2, 2), (0, 1), 1) for _ in range(60)]
        evidence = [{"confusion": d} for d in days]
        assert not any(same_rows(a, b) for i, a in enumerate(evidence) for b in evidence[:i])


def test_the_chance_is_that_of_drawing_the_same_table(rng: Any) -> None:
    table = np.array([[4.0, 1.0], [2.0, 3.0]])
    again = rng.multinomial(10, (table / 10).ravel(), size=40_000)
    share = float((again == table.ravel()).all(axis=1).mean())
    found = coincidence({"confusion": Confusion.of(table, (0, 1), 1)})
    assert found == pytest.approx(share, abs=4 * (share / 40_000) ** 0.5)
    assert found > NEGLIGIBLE


def test_a_day_in_two_files_is_added_once(rng: Any, tmp_path: Path) -> None:
    day = pd.DataFrame(rows(rng, 200))
    day.to_csv(tmp_path / "day.csv", index=False)
    day.sample(frac=1, random_state=1).to_parquet(tmp_path / "day.parquet")
    files = []
    for name in ("day.csv", "day.parquet"):
        sy.evaluate(str(tmp_path / name), target="target", score="score").save(tmp_path / f"{name}.json")
        files.append(str(tmp_path / f"{name}.json"))
    assert json.loads(Path(files[0]).read_text()) != json.loads(Path(files[1]).read_text())
    with pytest.raises(sy.errors.UsageError, match="exactly the same 200 rows") as found:
        add_saved(files)
    assert "say twice=True" in found.value.hint
    assert add_saved(files, twice=True).result.rows == 400
