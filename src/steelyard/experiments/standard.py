"""Models by name: each a scikit-learn pipeline that reads any table, and models from a module of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from steelyard.errors import MissingPart, NotAvailable, UsageError, listing, nearest
from steelyard.experiments.preparing import describe_columns, preparation

__all__ = ["MODELS", "Named", "describe_columns", "own_model", "standard_model"]

KINDS = ("levels", "continuous")


@dataclass(frozen=True, slots=True)
class Named:
    """A model that can be asked for by name: what it is, what it needs, and who makes it for levels and for numbers."""

    name: str
    description: str
    levels: Callable[[], Any] | None
    continuous: Callable[[], Any] | None
    scaled: bool = False
    dense: bool = False
    instead: str = ""
    """What to ask for where the other kind of target is at hand."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of target that it serves."""
        return tuple(k for k in KINDS if getattr(self, k) is not None)


def _part(path: str, **options: Any) -> Callable[[], Any]:
    """Makes an estimator of scikit-learn when it is called, so that naming it imports nothing."""

    def make() -> Any:
        import importlib

        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(f"sklearn.{module}"), name)(**options)

    return make


def _of_scaled_target(make: Callable[[], Any]) -> Callable[[], Any]:
    """The same for targets of any size: learnt on the standardised target, told in its own units."""

    def made() -> Any:
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.preprocessing import StandardScaler

        return TransformedTargetRegressor(make(), transformer=StandardScaler())

    return made


def _both(path: str, **options: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Makers of the classifier and of the regressor of one name."""
    return _part(f"{path}Classifier", **options), _part(f"{path}Regressor", **options)


_network = _both("neural_network.MLP", hidden_layer_sizes=(50,), alpha=1.0, max_iter=2000)
MODELS: dict[str, Named] = {
    m.name: m
    for m in (
        Named("knn", "the five nearest neighbours", *_both("neighbors.KNeighbors"), scaled=True),
        Named("tree", "a decision tree, at least five rows a leaf", *_both("tree.DecisionTree", min_samples_leaf=5)),
        Named(
            "bayes",
            "naive Bayes: a bell curve for each column and level",
            # Without the smoothing a column that never varies within a level decides alone.
            _part("naive_bayes.GaussianNB", var_smoothing=0.01),
            None,
            scaled=True,
            dense=True,
            instead="linear",
        ),
        Named(
            "logistic",
            "logistic regression, ridge penalty",
            _part("linear_model.LogisticRegression", max_iter=2000),
            None,
            scaled=True,
            instead="linear",
        ),
        Named("forest", "a random forest of 100 trees", *_both("ensemble.RandomForest")),
        Named("boosting", "100 boosted trees on binned columns", *_both("ensemble.HistGradientBoosting"), dense=True),
        Named(
            "linear",
            "linear regression, ridge penalty",
            None,
            _part("linear_model.Ridge"),
            scaled=True,
            instead="logistic",
        ),
        Named(
            "svm",
            "a support vector machine with a radial kernel",
            _part("svm.SVC"),
            _of_scaled_target(_part("svm.SVR")),
            scaled=True,
        ),
        Named(
            "network",
            "a neural network with one hidden layer of 50",
            _network[0],
            _of_scaled_target(_network[1]),
            scaled=True,
        ),
        Named(
            "baseline",
            "no model: the shares of the levels, or the mean",
            _part("dummy.DummyClassifier", strategy="prior"),
            _part("dummy.DummyRegressor"),
        ),
    )
}


def standard_model(name: str, kind: str, X: object) -> Any:
    """A model by its name, as a pipeline fitted to the columns of X; `kind` of target is "levels" or "continuous".

    >>> import numpy as np
    >>> standard_model("tree", "levels", np.array([[1.0, 2.0], [3.0, 5.0]])).steps[-1][1]
    DecisionTreeClassifier(min_samples_leaf=5)
    """
    if kind not in KINDS:
        message = f"A target is of kind {listing(KINDS)}, and {listing([kind])} came."
        raise UsageError(message, "Levels are classes to tell apart; a continuous target is a number to come near to.")
    if name not in MODELS:
        message = f"There is no model called {listing([name])}; there are {listing(MODELS)}."
        raise UsageError(message, nearest(name, MODELS) or 'A model of your own is named "module:name".')
    found = MODELS[name]
    make = found.levels if kind == "levels" else found.continuous
    if make is None:
        here, there = ("levels", "numbers") if kind == "continuous" else ("numbers", "levels")
        message = f'The model "{name}" ({found.description}) predicts {here}, and this target has {there}.'
        raise NotAvailable(message, f'Ask for "{found.instead}" instead.')
    try:
        import sklearn  # noqa: F401
    except ImportError:
        message = "Models by name need scikit-learn, and it is not installed."
        raise MissingPart(message, "pip install 'steelyard[experiments]'") from None
    from sklearn.pipeline import Pipeline

    return Pipeline([("columns", preparation(X, scaled=found.scaled, dense=found.dense)), ("model", make())])


# Models of one's own --------------------------------------------------------------------------------------------------


def own_model(place: str) -> dict[str, Any]:
    """Models by name from "module:name": a model, a class or function that makes one, or a dictionary of several."""
    import importlib
    import os
    import sys

    module, _, attribute = place.partition(":")
    if not module or not attribute:
        message = f"A model of one's own is named by its module and its name there, and {listing([place])} came."
        raise UsageError(message, 'Write "module:name", for example "mymodels:make_forest" for mymodels.py.')
    here = os.getcwd()
    before = set(sys.modules)
    sys.path.insert(0, here)
    try:
        importlib.invalidate_caches()
        found = importlib.import_module(module)
    except ModuleNotFoundError as problem:
        missing = problem.name or module
        if module == missing or module.startswith(f"{missing}."):
            message = f'There is no module "{module}" in {here} nor among the installed ones.'
            raise UsageError(message, "Run from the folder that holds it, or install it.") from None
        message = f'The module "{module}" needs "{missing}", which is not installed.'
        raise UsageError(message, "Install it first.") from None
    except Exception as problem:
        message = f'The module "{module}" cannot be imported: {type(problem).__name__}: {problem}'
        raise UsageError(message, f'`python -c "import {module}"` shows where.') from None
    finally:
        sys.path.remove(here)
    _travel({module, *(set(sys.modules) - before)}, here)
    if not hasattr(found, attribute):
        message = f'The module "{module}" has no "{attribute}".'
        known = [n for n in vars(found) if not n.startswith("_")]
        raise UsageError(message, nearest(attribute, known) or f"It has {listing(known)}.")
    return _models(getattr(found, attribute), attribute, place)


def _travel(modules: Iterable[str], here: str) -> None:
    """Let what is defined in this folder travel with the folds: other processes, and other machines, cannot import it."""
    import contextlib
    import importlib
    import os
    import sys

    own = []
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        path = os.path.abspath(file) if file else ""
        if path.startswith(os.path.join(here, "")) and "site-packages" not in path:
            own.append(sys.modules[name])
    # joblib carries a copy of its own for its processes; Dask, Ray and Spark use the package.
    for place in ("joblib.externals.cloudpickle", "cloudpickle"):
        with contextlib.suppress(ImportError):
            pickler = importlib.import_module(place)
            for module in own:
                pickler.register_pickle_by_value(module)


def _is_model(thing: object) -> bool:
    return not isinstance(thing, type) and callable(getattr(thing, "fit", None)) and hasattr(thing, "predict")


def _models(thing: object, name: str, place: str) -> dict[str, Any]:
    if callable(thing) and not _is_model(thing):
        try:
            thing = thing()
        except Exception as problem:
            message = f'"{place}" could not be called without arguments: {type(problem).__name__}: {problem}'
            raise UsageError(message, "Name a model, or something that makes one when called with nothing.") from None
    several = dict(thing) if isinstance(thing, dict) else {name: thing}
    wrong = [k for k, v in several.items() if not _is_model(v)]
    if wrong or not several:
        what = (
            f"the entries {listing(wrong)} are none"
            if isinstance(thing, dict)
            else f"a value of type {type(thing).__name__} came"
        )
        message = f'"{place}" should be a model or a dictionary of models, and {what}.'
        raise UsageError(message, "A model has the methods fit and predict, as in scikit-learn.")
    return {str(k): v for k, v in several.items()}
