"""Folds on several cores and on a cluster end as they do one by one."""

from __future__ import annotations

import warnings
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

import steelyard as sy

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
MODELS = {"bayes": GaussianNB(), "forest": RandomForestClassifier(5)}


def run(**options: Any) -> Any:
    return sy.experiment(MODELS, X, Y, design=sy.KFold(4, stratify=True), **options)


@pytest.fixture(scope="module")
def alone() -> Any:
    return run()


def same(a: Any, b: Any) -> None:
    for model in MODELS:
        assert a[model] == b[model]
        for e, f in zip(a.folds(model), b.folds(model), strict=True):
            assert e == f
    assert str(a) == str(b)


@pytest.mark.slow
def test_two_processes(alone: Any) -> None:
    same(alone, run(n_jobs=2))


def test_threads(alone: Any) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=2):
        same(alone, run())


def test_a_backend_that_gives_everything_back_at_once(alone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.experiments.running._way", lambda: "list")
    with joblib.parallel_config(backend="threading", n_jobs=2):
        same(alone, run())


@pytest.mark.slow
def test_a_cluster_of_dask(alone: Any, tmp_path: Any) -> None:
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        # What a cluster says of its own ports and loops is no matter of ours.
        warnings.simplefilter("ignore")
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster),
            joblib.parallel_config(backend="dask"),
        ):
            found = run(store=tmp_path / "runs")
            again = run(store=tmp_path / "runs")
    same(alone, found)
    assert again.done == 8
