"""Models by name: what counts as one, what it predicts, and how its chance is seeded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from steelyard.errors import UsageError, listing
from steelyard.wording import option


class Model(Protocol):
    """What is trained, as scikit-learn has it; what a model need not have is looked for before it is asked for."""

    fit: Callable[..., Any]
    predict: Callable[..., Any]
    predict_proba: Callable[..., Any]
    get_params: Callable[..., dict[str, Any]]
    set_params: Callable[..., Any]
    classes_: Any
    steps: Any
    """Of a pipeline, by name."""
    estimator: Any
    """Of a search: what it tunes."""


METHODS = ("predict_proba", "decision_function", "predict")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
MOST_TEXT = 2000
"""Longer descriptions of a model are cut."""


def models_of(given: object) -> dict[str, Any]:
    """Models by name, from a mapping, one model, several, or names of standard ones.

    >>> list(models_of(["knn", "tree"]))
    ['knn', 'tree']
    """
    if isinstance(given, Mapping):
        named = {str(name): model for name, model in given.items()}
    elif isinstance(given, str):
        named = {given: given}
    elif isinstance(given, Iterable) and not hasattr(given, "fit") and getattr(given, "ndim", 1) == 1:
        named = {}
        for model in given:
            name = model if isinstance(model, str) else _class_name(model)
            number = 2
            unique = name
            while unique in named:
                # The number comes first, so that names that are cut still differ.
                unique, number = f"{number} {name}", number + 1
            named[unique] = model
    else:
        named = {_class_name(given): given}
    if not named:
        message = "No model was given."
        raise UsageError(message, 'Pass at least one, for example {"tree": DecisionTreeClassifier()}.')
    for name, model in named.items():
        check_model(name, model)
    return named


def check_model(name: str, model: object) -> None:
    """Refuse what cannot be trained or cannot predict."""
    if isinstance(model, str):
        return
    if isinstance(model, type):
        message = f'The model "{name}" is the class {model.__name__} and not a model.'
        raise UsageError(message, f"Make one of it: {model.__name__}().")
    if not hasattr(model, "fit") or not any(hasattr(model, m) for m in METHODS):
        message = f'The model "{name}" is a {type(model).__name__}, which has no fit or nothing that predicts.'
        raise UsageError(message, f"A model has fit and one of {listing(METHODS)}.")


def _class_name(model: object) -> str:
    """The name of a model's class, or of the class that came in place of a model."""
    return model.__name__ if isinstance(model, type) else type(_last(model)).__name__


def last_step(model: object) -> Any:
    """The step of a pipeline that predicts in the end; any other model as it is."""
    while steps := getattr(model, "steps", None):
        model = steps[-1][1]
    return model


def _last(model: object) -> Any:
    """The step of a pipeline, or the model inside a search, that predicts in the end."""
    model = last_step(model)
    inside = getattr(model, "best_estimator_", getattr(model, "estimator", None) if hasattr(model, "cv") else None)
    return model if inside is None else _last(inside)


def kind_of_model(model: Model) -> str | None:
    """Whether a model predicts levels or a quantity, where it says so."""
    from sklearn.base import is_classifier, is_regressor

    try:
        return "levels" if is_classifier(model) else "continuous" if is_regressor(model) else None
    except (AttributeError, TypeError):
        # A model of another house may know nothing of scikit-learn's tags.
        return None


def fit_kind(models: Mapping[str, Any], asked: str | None) -> str | None:
    """What the models predict, if they say so; models of both kinds cannot share a target."""
    if asked not in (None, "labels", "levels", "continuous"):
        message = f"{option('kind', asked)} is not a choice."
        raise UsageError(message, 'Allowed: "labels", "continuous".')
    kinds = {name: kind_of_model(m) for name, m in models.items() if not isinstance(m, str)}
    told = {k for k in kinds.values() if k is not None}
    if len(told) > 1:
        first = listing([n for n, k in kinds.items() if k == "levels"])
        second = listing([n for n, k in kinds.items() if k == "continuous"])
        message = f"Some models predict levels ({first}), others a quantity ({second})."
        raise UsageError(message, "Run them as two experiments.")
    wanted = {"labels": "levels"}.get(asked or "", asked)
    if wanted is not None and told and wanted not in told:
        message = (
            f"{option('kind', asked)} does not fit the models, which "
            f"predict {'a quantity' if wanted == 'levels' else 'levels'}."
        )
        raise UsageError(message, "Leave kind out, or choose other models.")
    return wanted or next(iter(told), None)


def fresh(model: Model, seed: int) -> Any:
    """An untrained copy whose chance is fixed wherever nobody fixed it before."""
    from copy import deepcopy

    from sklearn.base import clone

    copy = clone(model) if hasattr(model, "get_params") else deepcopy(model)
    if not hasattr(copy, "get_params"):
        return copy
    # A seed for each place, in the order of names, so that no two steps throw the same dice.
    open_seeds = sorted(
        key
        for key, value in copy.get_params(deep=True).items()
        if (key == "random_state" or key.endswith("__random_state")) and value is None
    )
    if open_seeds:
        draws = np.random.SeedSequence(seed).generate_state(len(open_seeds))
        copy.set_params(**{key: int(draw % (2**31 - 1)) for key, draw in zip(open_seeds, draws, strict=True)})
    return copy


def model_text(model: object) -> str:
    """A model and its parameters in one line, the same each time: where its parts lie in memory is left out.

    >>> class Stump: ...
    >>> model_text(Stump()).endswith("Stump object>")
    True
    """
    try:
        # scikit-learn cuts what it says at a place that may lie within an address.
        told: Any = model.__repr__
        text = str(told(N_CHAR_MAX=10**9) if hasattr(model, "get_params") else model)
    except TypeError:
        text = str(model)
    text = " ".join(ADDRESS.sub("", text).split())
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def model_fingerprint(name: str, model: object) -> str:
    """A short hash of a model and its parameters: another parameter, another fingerprint."""
    import pickle

    import joblib
    from sklearn.base import clone

    try:
        told = str(joblib.hash(clone(model) if hasattr(model, "get_params") else model))
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        message = f'The model "{name}" cannot be told from others, since a part of it cannot be saved: {problem}.'
        hint = "Define its functions in a module of their own (no lambda), or run without a store."
        raise UsageError(message, hint) from None
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def weight_argument(model: Model) -> str | None:
    """The name under which `fit` takes weights; None where it takes none."""
    from inspect import signature

    if hasattr(model, "steps") and model.steps:
        name, last = model.steps[-1]
        inner = weight_argument(last)
        return None if inner is None else f"{name}__{inner}"
    try:
        parameters = signature(model.fit).parameters
    except (TypeError, ValueError):
        return None
    if "sample_weight" in parameters:
        return "sample_weight"
    # A search hands on whatever it is given; other wrappers take more arguments and then refuse them.
    from steelyard.experiments.tuning import is_search

    return weight_argument(model.estimator) if is_search(model) else None
