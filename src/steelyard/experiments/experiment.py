"""The front door of experiments: models, data and a design in; evidence out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arguments.allowed import confidence_of
from steelyard.arguments.annotated import Label, as_annotated
from steelyard.designs.design import check_seed
from steelyard.errors import MissingPart, NotAvailable, UsageError, listing
from steelyard.experiments.choosing import usual_folds
from steelyard.experiments.data_set import DataSet, check_features, data_set
from steelyard.experiments.keeping import Folder, Memory, name_of
from steelyard.experiments.models import Model, fit_kind, models_of
from steelyard.experiments.plan import FoldPlan, Task, make_plan
from steelyard.experiments.progress import Progress
from steelyard.experiments.result import Experiment
from steelyard.experiments.running import Interrupted, run
from steelyard.experiments.training import Trained
from steelyard.files.addresses import discreet, without_secrets
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.designs.design import Design


@as_annotated("n_jobs")
def experiment(
    models: object,
    X: object = None,
    y: object = None,
    *,
    design: object = None,
    data: Mapping[str, Any] | None = None,
    weight: object = None,
    unit: object = None,
    positive: Label = None,
    kind: str | None = None,
    scores: str = "auto",
    missing: str = "refuse",
    store: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    learnt: bool = False,
    confidence: float = 0.95,
    progress: bool | None = None,
    name: str = "",
    remarks: Sequence[str] = (),
) -> Experiment:
    """Train and test models under a design, and keep the evidence of every fold.

    `models` are estimators by name (anything with `fit` and `predict`), or names of standard ones ("knn", "tree", …). `y`
    holds the target or names a column of X. `design` is KFold(10), stratified for levels, unless another is given: a
    design, several by name, a scikit-learn splitter, a column of fold numbers, or a text such as "kfold:10x3". `data` holds
    several data sets by name, each (X, y). With `store` every fold is kept in that folder: a second run does only what is
    missing. `n_jobs` and joblib's backends spread the folds over cores or a cluster. `learnt` counts training rows as well.
    `remarks` are told among the notes.

    >>> from sklearn.datasets import load_iris
    >>> x = experiment(["tree"], *load_iris(return_X_y=True), design="kfold:5")
    >>> x["tree"].rows, x.total
    (150, 5)
    """
    _check(scores, confidence, seed, missing)
    check_jobs(n_jobs)
    seed = int(seed)
    named = models_of(models)
    asked = fit_kind(named, kind)
    tables = _tables(X, y, data, weight, unit, name, positive=positive, kind=asked, missing=missing)
    designs, said = _designs(design, tables)
    # A group, a time or a fold number must not be learnt from, under whatever design; a stratum may.
    strata = {str(getattr(d, "stratify", "")) for d in designs.values()}
    used = list(dict.fromkeys(n for d in designs.values() for n in d.names if n not in strata))
    tables = {key: t.without(used) for key, t in tables.items()}
    for table in tables.values():
        check_features(table.features, [*(n for n in (y, weight, unit) if isinstance(n, str)), *used])
    made = {(name, t.name): _made(name, m, t) for t in tables.values() for name, m in named.items()}
    # By model first, as they were given.
    made = {pair: made[pair] for pair in sorted(made, key=lambda p: list(named).index(p[0]))}
    _check_names(named, tables, designs)
    plan = make_plan(
        made,
        tables,
        designs,
        seed=seed,
        scores=scores,
        learnt=learnt,
        confidence=confidence,
        marked=store is not None,
        remarks=(*(discreet(without_secrets(r)) for r in remarks), *said),
    )
    return carry_out(plan, store, n_jobs, progress)


def carry_out(
    plan: FoldPlan, store: str | os.PathLike[str] | None, n_jobs: int | None, progress: bool | None
) -> Experiment:
    """Do what is missing of a plan, keeping each fold as soon as it is done."""
    keeper: Any = Memory() if store is None else Folder(store)
    try:
        told = plan.to_dict()
        if store is not None:
            told["pictures"] = plan.pictures()
        name = name_of(told) if store is None else keeper.write_plan(told)
        keys = [fold.key for cell in plan.cells for fold in cell.folds]
        # Looked up once: a store answers by reading a file.
        done = {key for key in keys if keeper.has(key)}
        already = sum(key in done for key in keys)
        good = set(done)
        with Progress(plan.total, "Training", show=progress) as bar:
            bar.advance(len(done))

            def keep(task: Task, trained: Trained) -> None:
                keeper.put(task.key, trained, task.facts)
                if not trained.failed:
                    good.add(task.key)
                bar.advance(1, task.facts["model"])

            try:
                run(plan.tasks(done.__contains__), keep, n_jobs, max(t.rows for t in plan.data.values()))
            except KeyboardInterrupt:
                if store is None:
                    raise
                raise Interrupted(sum(key in good for key in keys), plan.total, os.fspath(store)) from None
    finally:
        keeper.close()
    if not good and keys:
        first = next((k.error for k in map(keeper.get, keys) if k is not None and k.failed), "")
        message = f"No fold could be done: all {len(keys)} failed." if len(keys) > 1 else "The only fold failed."
        raise NotAvailable(message, f"The first error: {first}")
    if store is not None:
        keeper = Folder(store, writing=False)
    return Experiment(told, keeper, name, plan.pictures, already=already)


def _tables(
    X: object, y: object, data: Mapping[str, Any] | None, weight: object, unit: object, name: str, **options: Any
) -> dict[str, DataSet]:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        message = "Experiments train models with scikit-learn, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[experiments]'") from None
    if (X is None) == (data is None):
        message = "Either X and y or data was expected."
        raise UsageError(message, 'Pass X and y, or several data sets: data={"iris": (X, y), ...}.')
    if data is None:
        place = name or (os.fspath(X) if isinstance(X, str | os.PathLike) else "data")
        name = os.path.basename(without_secrets(str(place)))
        return {name: data_set(name, X, y, weight=weight, unit=unit, **options)}
    out = {}
    if not data:
        message = "No data set was given."
        raise UsageError(message, 'Pass at least one, for example data={"iris": (X, y)}.')
    for name, pair in data.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            message = f"The data set {listing([name])} must be a pair of X and y, and a {type(pair).__name__} came."
            raise UsageError(message, 'For example data={"iris": (X, y)}; y may name a column of X.')
        arrays = [role for role, value in (("weight", weight), ("unit", unit)) if not isinstance(value, str | None)]
        if arrays:
            message = f"With several data sets {option(arrays[0])} names a column of each."
            raise UsageError(message, "Give the name of a column.")
        out[str(name)] = data_set(str(name), pair[0], pair[1], weight=weight, unit=unit, **options)
    return out


def _designs(given: object, tables: Mapping[str, DataSet]) -> tuple[dict[str, Design], list[str]]:
    """The designs by name, and what is to be said of a choice that nobody made."""
    from steelyard.designs.design import design_of

    if given is None:
        folds, said = usual_folds(tables)
        return {"10 folds": folds}, said
    if isinstance(given, Mapping):
        if not given:
            message = "No design was given."
            raise UsageError(message, f"Name at least one, or leave {option('design')} out.")
        return {str(name): design_of(one) for name, one in given.items()}, []
    design = design_of(given)
    return {str(design): design}, []


def _made(name: str, model: Model | str, table: DataSet) -> Any:
    """A standard model made for the columns at hand; any other as it is."""
    if not isinstance(model, str):
        return model
    from steelyard.experiments.standard import standard_model

    return standard_model(model, table.kind, table.features)


def _check(scores: object, confidence: float, seed: object, missing: object) -> None:
    if missing not in ("refuse", "drop"):
        message = f"{option('missing', missing)} is not a choice."
        raise UsageError(message, 'Allowed: "refuse", "drop" (leave such rows out).')
    if scores not in ("auto", "labels"):
        message = f"scores={listing([scores])} is not a choice."
        raise UsageError(message, 'Allowed: "auto" (probabilities where there are any), "labels".')
    confidence = confidence_of(confidence)
    check_seed(seed)


MOST_CORES = 10_000


def check_jobs(n_jobs: object) -> None:
    """Refuse a number of cores that joblib cannot use."""
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    far = isinstance(n_jobs, int | np.integer) and abs(int(n_jobs)) > MOST_CORES
    if n_jobs is not None and (not whole or n_jobs == 0 or far):
        limit = f" and at most {MOST_CORES:,}" if far else ""
        message = f"The number of cores is a whole number other than 0{limit}, and {listing([n_jobs])} came."
        raise UsageError(message, "1 is one core, 2 are two, -1 stands for all of them.")


def _check_names(*axes: Mapping[str, Any]) -> None:
    """Names tell models, data sets and designs apart, so no two may share one."""
    every = [name for axis in axes for name in axis]
    twice = sorted({name for name in every if every.count(name) > 1})
    if twice:
        message = f"One name is used for two things: {listing(twice)}."
        raise UsageError(message, "Give models, data sets and designs different names.")
