"""Time and memory grow with the number of segments, levels, columns and names, and not with its square."""

from __future__ import annotations

import pickle
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.files.addresses import discreet
from steelyard.sources.looking import look
from steelyard.sources.relations import Relation
from steelyard.sources.written import Written
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.sparse import Sparse
from steelyard.summaries.summary import added

MORE = 8
MOST = 2 * MORE
"""Eight times as many may take twice eight times as long; in squares it would be sixty-four."""


def _seconds(do: Callable[[], Any]) -> float:
    """The least of three, of this process alone: others on the machine do not count."""
    found = []
    for _ in range(3):
        start = time.process_time()
        do()
        found.append(time.process_time() - start)
    return min(found)


def _columns(segments: int) -> dict[str, Any]:
    r = np.random.default_rng(1)
    n = 6 * segments
    return {"target": (r.random(n) < 0.4).astype(int), "score": r.random(n), "segment": np.arange(n) % segments}


def _labels(segments: int) -> dict[str, Any]:
    columns = _columns(segments)
    score = columns.pop("score")
    return {**columns, "prediction": (score > 0.5).astype(int)}


def _numbers(segments: int) -> dict[str, Any]:
    columns = _columns(segments)
    score = columns.pop("score")
    return {**columns, "target": columns["target"] + score, "prediction": score}


KINDS = {"scores": (_columns, 500), "labels": (_labels, 500), "numbers": (_numbers, 60)}


@pytest.mark.parametrize("kind", KINDS)
def test_many_segments_are_counted_in_linear_time(kind: str) -> None:
    columns, few = KINDS[kind]
    sy.evaluate(**columns(10))
    small, large = (columns(n) for n in (few, MORE * few))
    assert _seconds(lambda: sy.evaluate(**large)) < MOST * _seconds(lambda: sy.evaluate(**small)) + 0.05


@pytest.mark.parametrize("do", ["save", "add", "text", "frame", "page"])
def test_many_segments_are_told_in_linear_time(do: str, tmp_path: Path) -> None:
    few = {"frame": 10, "page": 50}.get(do, 300)

    def work(e: sy.Evaluation) -> Any:
        if do == "save":
            e.save(tmp_path / "e.json")
            return sy.load(tmp_path / "e.json")
        if do == "add":
            return e.plus(e.renamed(score="p"), twice=True)
        if do == "page":
            return e.report(tmp_path / "e.html")
        return e.text() if do == "text" else e.frame(["accuracy", "recall"])

    small, large = (sy.evaluate(**_columns(n)) for n in (few, MORE * few))
    work(sy.evaluate(**_columns(5)))
    assert _seconds(lambda: work(large)) < MOST * _seconds(lambda: work(small)) + 0.1


def test_the_text_and_the_page_say_how_many_segments_are_not_shown(tmp_path: Path) -> None:
    e = sy.evaluate(**_columns(3000))
    text = e.text()
    assert "2,980 more" in text and len(text) < 12_000
    e.report(tmp_path / "e.html")
    page = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert "2,918 more" in page and "of 3,000 segments" in page and len(page) < 400_000
    e.report(tmp_path / "e.md")
    assert "2,980 more" in (tmp_path / "e.md").read_text(encoding="utf-8")


def test_memory_grows_with_the_segments() -> None:
    def peak(n: int) -> int:
        columns = _columns(n)
        tracemalloc.start()
        kept = sy.evaluate(**columns)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(kept.segments) == n
        return found

    assert peak(1600) < MOST * peak(200)


def test_memory_grows_with_the_classes() -> None:
    def size(classes: int) -> int:
        r = np.random.default_rng(3)
        shares = r.dirichlet(np.ones(classes), 600)
        scores = {i: shares[:, i] for i in range(classes)}
        return len(pickle.dumps(sy.evaluate(target=np.arange(600) % classes, score=scores).class_scores))

    # A table of every class by all others would be three times as wide as well.
    assert size(240) < 1.5 * 3 * size(80)


def test_tables_of_very_many_classes_are_the_same_in_less_room(tmp_path: Path) -> None:
    r = np.random.default_rng(4)
    truth, shares = np.arange(300) % 70, r.dirichlet(np.ones(70), 300)
    scores = {i: shares[:, i] for i in range(70)}
    e = sy.evaluate(target=truth, score=scores)
    assert isinstance(e.class_scores.tables[0].cells.kept, Sparse)
    for i in (0, 69):
        assert e["auc", i].value == sy.evaluate(target=(truth == i).astype(int), score=shares[:, i])["auc"].value
    halves = [
        sy.evaluate(target=truth[s], score={i: x[s] for i, x in scores.items()}) for s in (slice(150), slice(150, 300))
    ]
    assert halves[0] + halves[1] == e
    e.save(tmp_path / "e.json")
    assert sy.load(tmp_path / "e.json") == e


def test_a_sum_of_many_is_made_by_neighbours() -> None:
    copied = []

    class Part(list):
        def __add__(self, other: Any) -> Any:
            copied.append(len(self) + len(other))
            return Part([*self, *other])

    whole = added([Part([i]) for i in range(1000)])
    assert whole == list(range(1000)) and sum(copied) < 12_000


@pytest.mark.parametrize("what", ["stability", "compare", "slices"])
def test_many_columns_and_names(what: str) -> None:
    r = np.random.default_rng(2)
    truth = r.integers(0, 2, 60)

    def work(n: int) -> Any:
        if what == "stability":
            frames = [pd.DataFrame(r.random((60, n)), columns=[f"x{i}" for i in range(n)]) for _ in range(2)]
            return sy.stability(*frames)
        if what == "slices":
            frame = pd.DataFrame(r.random((60, n)), columns=[f"x{i}" for i in range(n)])
            return sy.slices(frame.assign(y=truth, p=r.random(60)), target="y", score="p")
        return sy.compare(target=truth, score={f"m{i}": r.random(60) for i in range(n)}, measures="auc")

    work(2)
    assert _seconds(lambda: work(MORE * 10)) < MOST * _seconds(lambda: work(10)) + 0.1


def test_no_measure_sums_the_table_once_more_for_every_level(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = []
    for name in ("actual", "predicted", "total"):
        summed = getattr(Confusion, name).fget
        monkeypatch.setattr(Confusion, name, property(lambda c, f=summed, n=name: (sums.append(n), f(c))[1]))

    def often(measure: str, levels: int) -> int:
        r = np.random.default_rng(5)
        truth = np.arange(6 * levels) % levels
        e = sy.evaluate(target=truth, prediction=np.where(r.random(len(truth)) < 0.7, truth, 0))
        sums.clear()
        assert e[measure].value is not None
        return len(sums)

    for measure in ("accuracy", "kappa", "kappa_linear", "average_class_accuracy", "average_class_accuracy_hm", "mcc"):
        assert often(measure, 40) <= often(measure, 5) + 5, measure


@pytest.mark.parametrize("piece", ["-", "a", "a-", "a.", "/", ":/", "a=", "x:/", "@", "'"])
def test_a_long_text_is_searched_for_secrets_in_linear_time(piece: str) -> None:
    def told(times: int) -> str:
        return discreet(f'There is no file "{piece * times}" = b.')

    told(10)
    assert _seconds(lambda: told(4000 * MORE)) < MOST * _seconds(lambda: told(4000)) + 0.05


def test_a_look_asks_about_many_columns_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    r, asked, columns = np.random.default_rng(6), [], 90
    pd.DataFrame(r.random((50, columns))).rename(columns=str).to_csv(tmp_path / "wide.csv", index=False)
    ask = Relation.ask
    monkeypatch.setattr(Relation, "ask", lambda t, sql: (asked.append(sql), ask(t, sql))[1])
    seen = look(str(tmp_path / "wide.csv"), Written())
    assert [c.levels for c in seen.columns] == [50] * columns
    assert len(asked) < columns / 3


def test_a_text_of_many_models_asks_for_the_best_against_each(monkeypatch: pytest.MonkeyPatch) -> None:
    r, asked, models = np.random.default_rng(7), [], 20
    c = sy.compare(target=r.integers(0, 2, 60), score={f"m{i}": r.random(60) for i in range(models)}, measures="auc")
    difference = type(c.pairing).difference
    monkeypatch.setattr(
        type(c.pairing),
        "difference",
        lambda p, m, pair, *a, **k: (asked.append(pair), difference(p, m, pair, *a, **k))[1],
    )
    assert str(c)
    assert len(set(asked)) < 2 * models
