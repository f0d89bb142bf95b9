"""Ways to follow a model through its iterations: predictions of several tables after each one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import shown
from steelyard.errors import NotAvailable, SteelyardError, UsageError
from steelyard.experiments.models import Model

PASSES = 100
"""Passes over the training rows where nobody says how many."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a model says of some rows: "probabilities" (a column for each of its levels), "labels" or "numbers"."""

    kind: str
    values: npt.NDArray[Any]
    levels: tuple[Any, ...] = ()


STOPS = ("early_stopping_rounds", "early_stopping_round", "early_stopping", "n_iter_no_change")
"""Under which names XGBoost and LightGBM are told to stop by themselves."""
FEW_ROWS = 20_000
"""On no more rows than these, threads wait for each other longer than they work."""

Answers = Iterator[tuple[Said, ...]]


def follow(
    model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, iterations: int | None = None
) -> tuple[str, Answers]:
    """Train on the first part and predict all parts after each iteration; says in words how the model was followed.

    Steps of a pipeline before the last are fitted on the first part once.
    """
    while getattr(model, "steps", None):
        whole: Any = model
        before, model = whole[:-1], whole.steps[-1][1]
        if len(before.steps):
            first = before.fit_transform(parts[0], targets[0])
            parts = [first, *(before.transform(p) for p in parts[1:])]
    for way in (_staged, _rounds, _passes, _grown):
        found = way(model, parts, targets, kind, iterations)
        if found is not None:
            return found
    message = f"A {type(model).__name__} cannot be followed from one iteration to the next."
    hint = "Boosting, networks, gradient descent (SGD), forests and other models with warm_start can."
    raise NotAvailable(message, hint)


def threads_for(rows: int) -> Any:
    """One thread for small work, as a context: the threads of a short stage cost up to a hundred times what they save."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, unused-ignore]

    return threadpool_limits(1 if rows <= FEW_ROWS else None, user_api="openmp")


def _limited(model: Model, iterations: int | None, *names: str) -> None:
    """Let a model go so many iterations, by whatever name it has for them."""
    if iterations is None:
        return
    known = model.get_params()
    for name in names:
        if name in known:
            model.set_params(**{name: iterations})
            return


def _said(kind: str, values: npt.ArrayLike, levels: npt.ArrayLike = ()) -> Said:
    return Said(kind, np.asarray(values), tuple(np.asarray(levels).tolist()))


def said_now(model: Model, part: object, kind: str, **limits: Any) -> Said:
    """What a fitted model says at this moment, or said after so many rounds."""
    if kind == "continuous":
        return _said("numbers", np.asarray(model.predict(part, **limits), dtype=np.float64).reshape(-1))
    if hasattr(model, "predict_proba"):
        return _said("probabilities", np.asarray(model.predict_proba(part, **limits), np.float64), model.classes_)
    return _said("labels", model.predict(part, **limits))


# The ways, in the order in which they are tried -------------------------------------------------------------------------


def _staged(
    model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, iterations: int | None
) -> tuple[str, Answers] | None:
    """Models that tell what they would have said after each iteration."""
    name = "staged_predict_proba" if kind == "levels" and hasattr(model, "staged_predict_proba") else "staged_predict"
    if not hasattr(model, name):
        return None
    _limited(model, iterations, "n_estimators", "max_iter")

    def answers() -> Answers:
        model.fit(parts[0], targets[0])
        shape = "numbers" if kind == "continuous" else "probabilities" if name.endswith("proba") else "labels"
        levels = model.classes_ if shape == "probabilities" else ()
        for stage in zip(*(getattr(model, name)(p) for p in parts), strict=True):
            # Some models write every stage into the same array.
            yield tuple(_said(shape, np.array(v), levels) for v in stage)

    return "trained once, with the predictions of every stage", answers()


def _rounds(
    model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, iterations: int | None
) -> tuple[str, Answers] | None:
    """XGBoost and LightGBM, which predict with the first so many trees."""
    house = type(model).__module__.partition(".")[0]
    if house not in {"xgboost", "lightgbm"} or not hasattr(model, "get_params"):
        return None
    _limited(model, iterations, "n_estimators")
    known = model.get_params()
    # They would need rows of their own to stop by, and the stopping is what is asked about.
    off = 0 if house == "lightgbm" else None
    model.set_params(**{name: off for name in STOPS if known.get(name)})
    if house == "lightgbm" and known.get("verbosity") is None and known.get("verbose") is None:
        model.set_params(verbosity=-1)

    def answers() -> Answers:
        y, levels = targets[0], None
        if house == "xgboost" and kind == "levels":
            # It takes levels only as 0, 1, 2, …
            levels, y = np.unique(y, return_inverse=True)
        model.fit(parts[0], y)
        made: Any = model
        last = made.get_booster().num_boosted_rounds() if house == "xgboost" else made.booster_.current_iteration()
        for i in range(1, last + 1):
            limits: dict[str, Any] = {"iteration_range": (0, i)} if house == "xgboost" else {"num_iteration": i}
            found = [said_now(model, p, kind, **limits) for p in parts]
            yield tuple(found if levels is None else [_said(f.kind, f.values, levels) for f in found])

    return "trained once, with the predictions of its first trees", answers()


def _passes(
    model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, iterations: int | None
) -> tuple[str, Answers] | None:
    """Models that go over the rows again and again; naive Bayes only counts them, so a second pass says nothing new."""
    if not hasattr(model, "partial_fit") or "naive_bayes" in type(model).__module__:
        return None
    if model.get_params().get("early_stopping"):
        model.set_params(early_stopping=False)

    def answers() -> Answers:
        first = {"classes": np.unique(targets[0])} if kind == "levels" else {}
        for i in range(iterations or PASSES):
            model.partial_fit(parts[0], targets[0], **(first if i == 0 else {}))
            yield tuple(said_now(model, p, kind) for p in parts)

    return "one pass over the training rows an iteration", answers()


def _grown(
    model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, iterations: int | None
) -> tuple[str, Answers] | None:
    """Models that go on where they stopped: more trees, or more steps."""
    known = model.get_params() if hasattr(model, "get_params") else {}
    if "warm_start" not in known:
        return None
    if isinstance(known.get("n_estimators"), int):
        what, name, last = "tree", "n_estimators", known["n_estimators"]
    elif "max_iter" in known:
        most = known["max_iter"] if isinstance(known["max_iter"], int) and known["max_iter"] > 0 else PASSES
        what, name, last = "step", "max_iter", min(most, PASSES)
    else:
        return None
    model.set_params(warm_start=True)
    return f"one more {what} an iteration", _fitted(model, parts, targets, kind, iterations or last, name)


def _fitted(model: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str, last: int, name: str) -> Answers:
    for i in range(1, last + 1):
        # Trees are counted from the first; steps are taken one at a time.
        model.set_params(**{name: i if name == "n_estimators" else 1})
        with warnings.catch_warnings():
            # A model that is stopped on purpose need not say that it was not done.
            warnings.simplefilter("ignore")
            model.fit(parts[0], targets[0])
        yield tuple(said_now(model, p, kind) for p in parts)


NOT_LEARNT = (
    "The model cannot learn from these rows",
    "Pass columns that it takes, and a target of whole numbers or of text.",
)


@contextmanager
def plainly(what: str, hint: str) -> Iterator[None]:
    """What a library says of rows with which its model can do nothing, in a sentence."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as problem:
        said = shown(str(problem).partition("\n")[0])
        message = f"{what}: {type(problem).__name__}, {said}."
        raise UsageError(message, hint) from problem


def told(answers: Answers) -> Answers:
    """The answers, or why the model cannot learn from these rows."""
    with plainly(*NOT_LEARNT):
        yield from answers
