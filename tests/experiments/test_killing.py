"""An experiment that is killed at any moment goes on where it stopped, and ends as if nothing had happened."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from steelyard.experiments.keeping import Folder
from steelyard.experiments.result import open_experiment
from steelyard.files.writing import SEAL

sys.path.insert(0, str(Path(__file__).parent))
import killing

TIMES = int(os.environ.get("STEELYARD_KILLS", "20"))
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], float]:
    """The files of a run that nobody disturbed, and how long its folds took."""
    folder = tmp_path_factory.mktemp("undisturbed")
    killing.run(str(folder))
    started = time.perf_counter()
    other = tmp_path_factory.mktemp("timed")
    killing.run(str(other))
    return result_of(folder), time.perf_counter() - started


def result_of(folder: Path) -> dict[str, bytes]:
    """Everything that an experiment leaves but how long it took: its result, and its predictions."""
    x = open_experiment(folder / "runs")
    x.save(folder / "result.json")
    # The place of the notes is part of the model, so it is the one thing that differs from folder to folder.
    text = (folder / "result.json").read_bytes().replace(str(folder).encode(), b"")
    keys = [f.key for c in x.cells for f in c.folds]
    store = Folder(folder / "runs", writing=False)
    told = {str(i): store.place(k, ".parquet").read_bytes() for i, k in enumerate(keys)}
    for key in keys:
        text = text.replace(key.encode(), b"")
    # So is the seal over them.
    text = SEAL.sub(b"", text)
    return {"result": text, "text": str(x).encode(), **told}


@pytest.mark.slow
def test_killed_many_times_it_ends_the_same_and_repeats_no_finished_fold(
    undisturbed: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    expected, lasting = undisturbed
    rng = random.Random(11)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["steelyard.experiments.experiment", "sklearn.pipeline", "duckdb", "killing"])
    stopped_at = []
    for attempt in range(TIMES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        child = context.Process(target=killing.run, args=(str(folder),))
        child.start()
        # From before the store is there until after the last fold, and anywhere within the next one, however busy the machine is.
        log = folder / "fits.txt"
        while child.is_alive() and (len(log.read_text().splitlines()) if log.exists() else 0) < attempt * 21 // TIMES:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 1.5 * lasting / 20))
        if child.pid is not None and child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
        child.join()
        store = folder / "runs"
        before = len(list(Folder(store, writing=False).keys())) if (store / "store.json").exists() else 0
        stopped_at.append(before)
        fits = len(log.read_text().splitlines()) if log.exists() else 0
        killing.run(str(folder))
        again = len(log.read_text().splitlines()) - fits
        assert again == 20 - before, f"killed after {before} folds, it trained {again} more"
        assert result_of(folder) == expected
    # Moments that all fell at one end would show nothing.
    assert len(set(stopped_at)) > 5, stopped_at


def test_a_second_run_trains_nothing(tmp_path: Path) -> None:
    killing.run(str(tmp_path))
    fits = (tmp_path / "fits.txt").read_text()
    killing.run(str(tmp_path))
    assert (tmp_path / "fits.txt").read_text() == fits
    assert len(fits.splitlines()) == 20


def test_more_repeats_train_only_what_is_new(tmp_path: Path) -> None:
    import steelyard as sy

    log = str(tmp_path / "fits.txt")
    for repeats, fits in ((1, 5), (3, 15), (2, 15)):
        x = sy.experiment(
            {"m": killing.Noted(log)},
            *killing.rows(),
            design=sy.KFold(5, repeats=repeats),
            store=tmp_path / "runs",
        )
        assert x.done == x.total == 5 * repeats
        assert len(Path(log).read_text().splitlines()) == fits


def test_what_is_kept_depends_on_everything_that_matters(tmp_path: Path) -> None:
    import steelyard as sy

    log = str(tmp_path / "fits.txt")
    X, y = killing.rows()
    other = X.copy()
    other[0, 0] += 1e-9
    for model, data, options in (
        (killing.Noted(log), X, {}),
        (killing.Noted(log, pause=0.0001), X, {}),
        (killing.Noted(log), other, {}),
        (killing.Noted(log), X, {"seed": 1}),
        (killing.Noted(log), X, {"weight": y + 1.0}),
    ):
        before = len(Path(log).read_text().splitlines()) if Path(log).exists() else 0
        sy.experiment({"m": model}, data, y, design=sy.KFold(3), store=tmp_path / "runs", **options)
        assert len(Path(log).read_text().splitlines()) == before + 3
