"""A model that is trained already: it only predicts, and what it predicts is evaluated, in one call or as a scorer."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from steelyard.arguments.annotated import Label, as_annotated
from steelyard.asking.questions import ask, level_of
from steelyard.errors import UsageError
from steelyard.experiments.data_set import DataSet, beside, kind_of, levels_in, positive_of
from steelyard.experiments.followers import plainly
from steelyard.experiments.models import fit_kind
from steelyard.experiments.training import predict, weigh
from steelyard.measures.measure import Measure, find
from steelyard.payoffs.payoff import Payoff
from steelyard.sources.in_memory import as_table, drop_columns
from steelyard.wording import Code, option

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.experiments.models import Model

BROUGHT = ("sample_weight", "unit")
"""What rows may bring to a scorer beside features and target, in scikit-learn's words."""


@as_annotated()
def evaluate_model(
    model: Model,
    X: object,
    y: object,
    *,
    positive: Label = None,
    weight: object = None,
    unit: object = None,
    **how: Any,
) -> Evaluation:
    """Evaluate a fitted model on rows it has not seen: it predicts them, and nothing is trained.

    `y`, `weight` and `unit` are values or names of columns of X; levels that the model knows and `y` has not are levels all the
    same. Whatever else `evaluate` takes (threshold, confidence, profit, …) is handed on.

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> print(evaluate_model(model, [[0.5], [1.4], [1.6], [2.5]], [0, 1, 1, 1])["recall"])
    0.67 [0.09, 0.99] (rests on 3 positives)
    """
    if not hasattr(model, "predict"):
        message = f"A fitted model has a method predict, and {type(model).__name__} has none."
        hint = "Predictions themselves are what sy.evaluate takes."
        if isinstance(model, Mapping):
            same = (
                f"{option('target', Code('y'))}, {option('score', {'old': Code('old.predict_proba(X)'), 'new': ...})}"
            )
            hint = f"Several are compared on the same rows: sy.compare({same})."
        raise UsageError(message, hint)
    table: Any = as_table(X)
    columns, named = beside(table, target=y, weight=weight, unit=unit)
    features = drop_columns(table, named) if named else table
    target = columns["target"]
    kind = fit_kind({"model": model}, None) or kind_of(target)
    levels: tuple[Any, ...] = ()
    if kind == "levels":
        seen = levels_in(target)
        known = np.asarray(getattr(model, "classes_", ())).tolist()
        levels = (*known, *(v for v in seen if v not in known)) if known else seen
        positive = positive_of(levels, positive)
    data = DataSet("data", features, target, columns["weight"], kind, levels, positive, unit=columns["unit"])
    every = np.arange(len(target))
    hint = "Pass the columns that it learnt from, in a form that it takes."
    with plainly("The model cannot predict these rows", hint):
        predicted = predict(model, data, every, "auto")[0]
    return weigh(data, every, predicted, **how)


@dataclass(frozen=True)
class Scorer:
    """A measure as scikit-learn asks for it: of a fitted model and rows, greater is better."""

    measure: Measure
    level: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    how: Mapping[str, Any] = field(default_factory=dict)
    requests: Mapping[str, bool | str | None] = field(default_factory=dict)

    def __call__(self, model: Model, X: object, y: object, sample_weight: object = None, unit: object = None) -> float:
        """The number of one fitted model on these rows, its sign turned where lower is better."""
        e = evaluate_model(model, X, y, weight=sample_weight, unit=unit, **self.how)
        chosen = self.measure.with_defaults(dict(self.options))
        found = ask(self.measure, e.summaries, self.level, chosen, e.confidence, e.positive).value
        return -found if self.measure.better == "lower" else found

    def __repr__(self) -> str:
        sign = "less " if self.measure.better == "lower" else ""
        return f"<Scorer: {sign}{self.measure.name}{'' if self.level is None else f' of {self.level}'}>"

    def set_score_request(self, **asked: bool | str | None) -> Self:
        """Ask scikit-learn's metadata routing for `sample_weight` and `unit`, as its own scorers do."""
        if unknown := [name for name in asked if name not in BROUGHT]:
            message = f"Rows bring sample_weight and unit to a scorer, and {unknown[0]} was asked for."
            raise UsageError(message, "For example set_score_request(sample_weight=True).")
        changed = copy.copy(self)
        object.__setattr__(changed, "requests", {**self.requests, **asked})
        return changed

    def get_metadata_routing(self) -> object:
        """What it wants of the rows, in scikit-learn's words."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name in BROUGHT:
            request.score.add_request(param=name, alias=self.requests.get(name))
        return request


@as_annotated("payoff")
def scorer(
    measure: str,
    level: Label = None,
    *,
    payoff: Payoff | None = None,
    positive: Label = None,
    threshold: float | None = None,
    **options: Any,
) -> Scorer:
    """Any measure for GridSearchCV, cross_validate and whatever else of scikit-learn takes `scoring=`.

    Greater is better there, so that what is better when lower (brier, rmse, cost) comes with a minus. `options` are those of
    the measure, such as beta or depth; `payoff` says what outcomes are worth. An undefined number is NaN.

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> scorer("auc")(model, [[0.5], [1.4], [1.6], [2.5]], [0, 1, 0, 1])
    0.75
    """
    found = find(measure)
    if found.better not in {"higher", "lower"}:
        message = f'"{found.name}" is neither better when higher nor when lower, so that nothing can be chosen by it.'
        raise UsageError(message, "Take another measure, such as auc or brier.")
    if payoff is not None:
        options["payoff"] = payoff
    found.with_defaults(options)
    how = {k: v for k, v in {"positive": positive, "threshold": threshold}.items() if v is not None}
    return Scorer(found, level_of(level), options, how)
