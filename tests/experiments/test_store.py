"""The store: one writer, any number of readers, one format, and a disk that may be full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import steelyard as sy
from steelyard.errors import InputError, NotAvailable, UnreadableSource, UnwritableFile, UsageError
from steelyard.experiments.keeping import Folder
from steelyard.experiments.result import open_experiment

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 2))
Y = (X[:, 0] > 0).astype(int)


def run(place: Any, model: Any = None, **options: Any) -> Any:
    return sy.experiment({"m": model or GaussianNB()}, X, Y, design=sy.KFold(3), store=place, **options)


def test_a_store_and_memory_give_the_same(tmp_path: Path) -> None:
    kept, held = run(tmp_path / "runs"), run(None)
    assert kept["m"] == held["m"]
    assert str(kept) == str(held)
    for measure in ("auc", "accuracy", "log_loss"):
        assert kept.values("m", measure=measure) == held.values("m", measure=measure)
    a, b = kept.predictions("m"), held.predictions("m")
    assert a.equals(b)


def test_predictions_lie_in_parquet_with_their_rows(tmp_path: Path) -> None:
    import duckdb

    run(tmp_path / "runs")
    found = duckdb.sql(
        f"select count(*), count(distinct row), min(score) >= 0 from '{tmp_path}/runs/folds/*/*.parquet'"
    )
    assert found.fetchall() == [(90, 90, True)]


def test_an_open_store_is_refused_to_a_second_writer_and_open_to_readers(tmp_path: Path) -> None:
    class Waiting(DummyClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            begun.set()
            go_on.wait(20)
            return super().fit(X, y)

    begun, go_on = threading.Event(), threading.Event()
    run(tmp_path / "runs")
    Waiting.__module__ = "waiting_for_a_test"
    module = type(sys)("waiting_for_a_test")
    module.Waiting = Waiting  # type: ignore[attr-defined]
    Waiting.__qualname__ = "Waiting"
    sys.modules["waiting_for_a_test"] = module
    try:
        first = threading.Thread(target=run, args=(tmp_path / "runs", Waiting()))
        first.start()
        assert begun.wait(20)
        with pytest.raises(InputError, match="in use by another experiment"):
            run(tmp_path / "runs")
        reading = open_experiment(tmp_path / "runs")
        assert reading.total == 3 and reading.done == 0
        assert "0 of 3 folds are done" in str(reading)
    finally:
        go_on.set()
        first.join()
        del sys.modules["waiting_for_a_test"]
    assert open_experiment(tmp_path / "runs").done == 3


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "runs")
    (tmp_path / "runs" / "store.json").write_text(json.dumps({"steelyard store": 99}))
    for look in (lambda: run(tmp_path / "runs"), lambda: open_experiment(tmp_path / "runs")):
        with pytest.raises(InputError, match="format 99"):
            look()


def test_what_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(UsageError, match="other things in it"):
        run(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["letters.txt"]
    with pytest.raises(UnreadableSource, match="no store of experiments"):
        open_experiment(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableFile, match="cannot be made"):
        run(tmp_path / "file" / "runs")


def test_a_full_disk_stops_it_with_a_sentence_and_it_goes_on_later(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import resource, sys
        import steelyard as sy
        from sklearn.naive_bayes import GaussianNB
        import numpy as np
        rng = np.random.default_rng(3)
        X = rng.normal(size=(3000, 2)); y = (X[:, 0] > 0).astype(int)
        def go():
            return sy.experiment({"m": GaussianNB()}, X, y, design=sy.KFold(3), store=sys.argv[1])
        go_on = len(sys.argv) > 2
        if not go_on:
            # Files of more than 9 kB cannot be written: the system says so as it does of a full disk.
            resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
        try:
            x = go()
            print("done", x.done)
        except sy.errors.UnwritableFile as problem:
            print(problem)
        """
    )
    place = str(tmp_path / "runs")
    said = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True, check=True).stdout
    assert "cannot be written" in said and "folds done so far are safe" in said, said
    assert "it goes on where it stopped" in said
    assert not [p for p in (tmp_path / "runs").rglob("*.json") if p.parent.parent.name == "folds"]
    said = subprocess.run(
        [sys.executable, "-c", script, place, "on"], capture_output=True, text=True, check=True
    ).stdout
    assert said == "done 3\n"


def test_a_torn_file_is_done_again(tmp_path: Path) -> None:
    x = run(tmp_path / "runs")
    place = Folder(tmp_path / "runs", writing=False).place(x.cells[0].folds[1].key, ".json")
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2])
    assert open_experiment(tmp_path / "runs").done == 2
    assert run(tmp_path / "runs").done == 3
    assert json.loads(place.read_text())["test"] == json.loads(whole)["test"]


def test_a_failed_fold_is_tried_again(tmp_path: Path) -> None:
    class Broken(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if os.path.exists(self.flag):  # type: ignore[has-type]
                raise RuntimeError("out of luck")
            return super().fit(X, y)

        flag = str(tmp_path / "flag")

    module = type(sys)("broken_for_a_test")
    module.Broken = Broken  # type: ignore[attr-defined]
    Broken.__module__, Broken.__qualname__ = "broken_for_a_test", "Broken"
    sys.modules["broken_for_a_test"] = module
    try:
        Path(tmp_path / "flag").write_text("")
        with pytest.raises(NotAvailable, match="all 3 failed") as told:
            run(tmp_path / "runs", Broken())
        assert "RuntimeError: out of luck" in told.value.hint
        (tmp_path / "flag").unlink()
        assert run(tmp_path / "runs", Broken()).done == 3
    finally:
        del sys.modules["broken_for_a_test"]


def test_a_model_that_cannot_be_told_from_others_is_refused_with_a_store_only(tmp_path: Path) -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    model = make_pipeline(FunctionTransformer(lambda x: x), GaussianNB())
    assert run(None, model).done == 3
    with pytest.raises(UsageError, match="cannot be told from others"):
        run(tmp_path / "runs", model)
