"""The runs of a store: what is told of them, and what may go without harm."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import steelyard as sy
from steelyard.errors import InputError, UnreadableSource, UsageError
from steelyard.experiments.keeping import Folder
from steelyard.experiments.result import open_experiment
from steelyard.experiments.runs import prune, runs

X, Y = make_classification(60, 4, random_state=1)


class Fails(ClassifierMixin, BaseEstimator):
    """Fails where the first row is among those to learn from."""

    def fit(self, rows: Any, y: Any) -> Fails:
        if rows[0, 0] == X[0, 0]:
            message = "not that row"
            raise ValueError(message)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, rows: Any) -> Any:
        return np.full((len(rows), 2), 0.5)


def run(store: Path, **models: Any) -> Any:
    return sy.experiment(models, X, Y, design=sy.KFold(3, shuffle=False), store=store)


def files(store: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(store)): p.read_bytes() for p in sorted(store.rglob("*")) if p.is_file() and p.name != "lock"
    }


def fold_files(store: Path) -> list[Path]:
    return sorted((store / "folds").glob("*/*.json"))


# Telling --------------------------------------------------------------------------------------------------------------


def test_every_run_is_told_the_latest_last(tmp_path: Path) -> None:
    first = run(tmp_path, bayes=GaussianNB())
    os.utime(tmp_path / "experiments" / f"{first.name}.json", (time.time() - 60,) * 2)
    second = run(tmp_path, bayes=GaussianNB(), weak=Fails())
    found = runs(tmp_path)
    assert [r.name for r in found] == [first.name, second.name]
    assert [(r.done, r.failed, r.total) for r in found] == [(3, 0, 3), (4, 2, 6)]
    assert [r.state for r in found] == ["done", "4 of 6, 2 failed"]
    assert found[1].models == ("bayes", "weak") and found[1].designs == (str(sy.KFold(3, shuffle=False)),)
    assert found[1].data == ("data",) and found[0].when.endswith("UTC")
    keys = {f.key for c in second.cells for f in c.folds}
    seconds = sum(json.loads(p.read_text())["seconds"].get("all", 0) for p in fold_files(tmp_path) if p.stem in keys)
    assert found[1].seconds == pytest.approx(seconds) and found[1].seconds > found[0].seconds > 0
    assert json.loads(json.dumps(found[1].to_dict()))["state"] == found[1].state
    assert open_experiment(tmp_path).name == second.name
    assert open_experiment(tmp_path, first.name[:6]).name == first.name
    with pytest.raises(UsageError, match="zzz"):
        open_experiment(tmp_path, "zzz")


def test_a_run_on_its_way_says_how_far_it_is(tmp_path: Path) -> None:
    run(tmp_path, bayes=GaussianNB())
    gone, torn, _ = fold_files(tmp_path)
    gone.unlink()
    torn.write_text(torn.read_text()[:40])
    (found,) = runs(tmp_path)
    assert (found.done, found.failed, found.total, found.state) == (1, 0, 3, "1 of 3")
    x = open_experiment(tmp_path)
    assert (x.done, x["bayes"].rows) == (1, 20)
    assert any("1 of 3 folds is done" in n for n in x.notes())


def test_what_is_no_store_is_said_and_not_made(tmp_path: Path) -> None:
    place = tmp_path / "mistyped"
    for ask in (runs, prune, open_experiment):
        with pytest.raises(UnreadableSource, match="no store"):
            ask(place)
        assert not place.exists()


# Pruning --------------------------------------------------------------------------------------------------------------


def test_a_sound_store_loses_nothing(tmp_path: Path) -> None:
    run(tmp_path, bayes=GaussianNB(), knn=KNeighborsClassifier())
    before = files(tmp_path)
    found = prune(tmp_path)
    assert (found.experiments, found.folds, found.bytes) == ((), 0, 0)
    assert files(tmp_path) == before and str(found) == "0 folds, 0.0 MB"


def test_failed_torn_and_ownerless_files_go_and_the_rest_stays(tmp_path: Path) -> None:
    x = run(tmp_path, bayes=GaussianNB(), weak=Fails())
    sound = {
        n: b
        for n, b in files(tmp_path).items()
        if not (n.startswith("folds") and n.endswith(".json") and json.loads(b)["error"])
    }
    orphan = tmp_path / "folds" / "ab" / ("ab" + "0" * 30 + ".json")
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(fold_files(tmp_path)[0].read_bytes())
    orphan.with_suffix(".parquet").write_bytes(b"rows")
    alone = tmp_path / "folds" / "ab" / ("ab" + "1" * 30 + ".parquet")
    alone.write_bytes(b"rows of a fold that never ended")
    half = tmp_path / "folds" / "ab" / ".abc.parquet.77"
    half.write_bytes(b"half")
    hidden = tmp_path / "experiments" / ".plan.json.77"
    hidden.write_bytes(b"half")
    torn = next(p for p in fold_files(tmp_path) if p != orphan and not json.loads(p.read_text())["error"])
    torn.write_text("{")
    for name in (str(torn.relative_to(tmp_path)), str(torn.with_suffix(".parquet").relative_to(tmp_path))):
        del sound[name]

    there = files(tmp_path)
    told = prune(tmp_path, only_tell=True)
    assert files(tmp_path) == there
    found = prune(tmp_path)
    assert found == told
    # Two that failed, one without an owner, one torn.
    assert found.folds == 4 and found.experiments == ()
    assert found.bytes == sum(len(b) for n, b in there.items() if n not in sound)
    assert files(tmp_path) == sound
    assert not any(p.exists() for p in (orphan, alone, half, hidden))
    # The torn fold is done again, and nothing else is missing.
    again = run(tmp_path, bayes=GaussianNB(), weak=Fails())
    assert again.name == x.name and again["bayes"]["accuracy"].value == x["bayes"]["accuracy"].value


def test_a_run_that_is_forgotten_takes_only_its_own_folds(tmp_path: Path) -> None:
    first = run(tmp_path, bayes=GaussianNB())
    second = run(tmp_path, bayes=GaussianNB(), knn=KNeighborsClassifier())
    told = prune(tmp_path, second.name, only_tell=True)
    assert told.experiments == (second.name,) and told.folds == 3 and len(runs(tmp_path)) == 2
    assert prune(tmp_path, [second.name[:8]]) == told
    assert "1 experiment" in str(told)
    assert [r.name for r in runs(tmp_path)] == [first.name]
    x = open_experiment(tmp_path)
    assert x.done == 3 and len(x.predictions("bayes")) == 60
    assert len(fold_files(tmp_path)) == 3
    for name in ("zzz", ["zzz"]):
        with pytest.raises(UsageError, match="no experiment"):
            prune(tmp_path, name)


def test_old_runs_go_by_their_age(tmp_path: Path) -> None:
    old = run(tmp_path, knn=KNeighborsClassifier())
    new = run(tmp_path, bayes=GaussianNB())
    os.utime(tmp_path / "experiments" / f"{old.name}.json", (time.time() - 10 * 86_400,) * 2)
    assert prune(tmp_path, days=11).experiments == ()
    found = prune(tmp_path, days=9)
    assert found.experiments == (old.name,) and found.folds == 3
    assert [r.name for r in runs(tmp_path)] == [new.name] and open_experiment(tmp_path).done == 3


def test_a_store_in_use_is_not_pruned(tmp_path: Path) -> None:
    run(tmp_path, bayes=GaussianNB())
    before = files(tmp_path)
    writer = Folder(tmp_path)
    try:
        with pytest.raises(InputError, match="in use"):
            prune(tmp_path, days=0)
        assert len(runs(tmp_path)) == 1
    finally:
        writer.close()
    assert files(tmp_path) == before
    assert prune(tmp_path, days=0).folds == 3 and runs(tmp_path) == []


def test_names_that_are_unknown_and_names_that_several_share(tmp_path: Path) -> None:
    run(tmp_path, bayes=GaussianNB())
    (place,) = (tmp_path / "experiments").glob("*.json")
    place.with_name(f"{place.stem[:4]}zzzzzz.json").write_text(place.read_text())
    for ask in (lambda name: open_experiment(tmp_path, name), lambda name: prune(tmp_path, [name], only_tell=True)):
        with pytest.raises(UsageError, match="holds no experiment") as told:
            ask("nothing")
        assert "begin" not in str(told.value)
        with pytest.raises(UsageError, match=r"2 experiments in .* have a name that begins with"):
            ask(place.stem[:4])


def test_ages_that_cannot_be_meant_and_numbers_of_one(tmp_path: Path) -> None:
    run(tmp_path, bayes=GaussianNB())
    for days in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="older than so many days"):
            prune(tmp_path, days=days)
    (name,) = (r.name for r in runs(tmp_path))
    assert str(prune(tmp_path, [name], only_tell=True)).startswith("1 experiment and 3 folds")
    fold_files(tmp_path)[0].unlink()
    fold_files(tmp_path)[0].unlink()
    assert str(prune(tmp_path, [name], only_tell=True)).startswith("1 experiment and 1 fold,")
