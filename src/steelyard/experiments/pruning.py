"""Pruning by validation: a model at several values of a parameter of complexity, and the value that validation rows choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arguments.annotated import Label, as_annotated
from steelyard.errors import NotAvailable, UsageError, listing, nearest
from steelyard.experiments.followers import said_now
from steelyard.experiments.stopping import Stopping, followed
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.experiments.followers import Answers
    from steelyard.experiments.models import Model

MOST = 30
"""So many values are tried where nobody names them."""


@as_annotated()
def pruning_curve(
    model: Model | str,
    X: object,
    y: object,
    *,
    parameter: str = "ccp_alpha",
    values: Sequence[float] | None = None,
    design: object = None,
    measure: str | None = None,
    positive: Label = None,
    seed: int = 0,
) -> Stopping:
    """Train a model at several values of a parameter, choose by the validation rows, and tell the choice on the test rows.

    The chosen value is the first with the best validation value; optimism = test value − validation value there, turned round
    where more is better: what choosing costs. Trees name the values of `ccp_alpha` themselves, from the smallest tree to the
    whole one; any other parameter (`max_depth`, `n_neighbors`, `C`) needs its `values`. Everything else is as in
    `stopping_curve`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> s = pruning_curve("tree", *load_breast_cancer(return_X_y=True), parameter="max_depth", values=[1, 2, 3, 5, 8])
    >>> s.parameter, len(s.validation), s.best in (1, 2, 3, 5, 8)
    ('max_depth', 5, True)
    """
    wanted = None if values is None else [int(v) if float(v).is_integer() else float(v) for v in values]
    if wanted is not None and not wanted:
        message = "At least one value is needed to choose from, and none came."
        raise UsageError(message, f"For example {option('values', [1, 2, 4, 8])}.")

    def along(
        made: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str
    ) -> tuple[str, Answers, Sequence[float]]:
        name = _place(made, parameter)
        tried = _path(made, parts, targets, name) if wanted is None else wanted
        return f"trained once for each value of {parameter}", _answers(made, name, tried, parts, targets, kind), tried

    return followed(model, X, y, along, design, measure, positive, seed, parameter)


def _place(model: Model, parameter: str) -> str:
    """The parameter as the model, or a step of a pipeline, calls it."""
    known: list[str] = list(model.get_params()) if hasattr(model, "get_params") else []
    found = [name for name in known if name == parameter or name.endswith(f"__{parameter}")]
    if not found:
        own = [name.removeprefix("model__") for name in known if "__" not in name.removeprefix("model__")]
        message = f'The model has no parameter "{parameter}".'
        raise NotAvailable(message, nearest(parameter, own) or f"It has {listing(own, 12)}.")
    return min(found, key=len)


def _path(model: Model, parts: Sequence[Any], targets: Sequence[Any], name: str) -> list[float]:
    """The values at which a tree loses a branch, the smallest tree first."""
    whole: Any = model
    tree = whole.steps[-1][1] if getattr(model, "steps", None) else model
    if not name.endswith("ccp_alpha") or not hasattr(tree, "cost_complexity_pruning_path"):
        message = f'Nothing says which values of "{name}" are to be tried.'
        raise UsageError(message, f"Name them: {option('values', [1, 2, 4, 8])}.")
    rows = whole[:-1].fit_transform(parts[0], targets[0]) if tree is not whole and len(whole.steps) > 1 else parts[0]
    alphas = np.unique(np.maximum(tree.cost_complexity_pruning_path(rows, targets[0]).ccp_alphas, 0.0))[::-1]
    keep = np.unique(np.linspace(0, len(alphas) - 1, min(MOST, len(alphas))).round().astype(int))
    return [float(a) for a in alphas[keep]]


def _answers(
    model: Model, name: str, values: Sequence[float], parts: Sequence[Any], targets: Sequence[Any], kind: str
) -> Answers:
    for value in values:
        try:
            model.set_params(**{name: value}).fit(parts[0], targets[0])
        except (TypeError, ValueError) as problem:
            message = f"{name.rpartition('__')[2]} {value:g} cannot be trained with: {str(problem).splitlines()[0]}."
            raise UsageError(message, f"Name other {option('values', [1, 2, 4, 8])}.") from None
        yield tuple(said_now(model, part, kind) for part in parts)
