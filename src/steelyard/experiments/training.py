"""One fold: train on its training rows, predict its test rows, count them, and say what went wrong if it did."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import BadLevels, LengthsDiffer, SteelyardError, listing
from steelyard.experiments.data_set import DataSet
from steelyard.experiments.models import Model, fresh, last_step, weight_argument
from steelyard.experiments.tuning import is_search, search_facts, with_validation

if TYPE_CHECKING:
    from steelyard.designs.split import Split
    from steelyard.evaluation import Evaluation

Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Trained:
    """What remains of one fold."""

    test: Evaluation | None = None
    train: Evaluation | None = None
    predictions: Columns = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    search: Mapping[str, Any] | None = None
    error: str = ""
    traceback: str = ""

    @property
    def failed(self) -> bool:
        """Whether it ended in an error."""
        return bool(self.error)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without the predictions."""
        parts = {name: part and part.to_dict() for name, part in (("test", self.test), ("train", self.train))}
        rest = {"notes": list(self.notes), "search": self.search, "error": self.error, "traceback": self.traceback}
        return {**parts, "seconds": dict(self.seconds), **rest}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trained:
        """Read back what `to_dict` wrote; seconds and traceback may be left out."""
        from steelyard.evaluation import Evaluation

        test, train = (Evaluation.from_dict(data[name]) if data[name] else None for name in ("test", "train"))
        rest = {name: data[name] for name in ("seconds", "search", "error", "traceback") if name in data}
        return cls(test, train, notes=tuple(data["notes"]), **rest)


def train_and_test(
    model: Model, data: DataSet, split: Split, seed: int, *, scores: str = "auto", learnt: bool = False
) -> Trained:
    """Train a fresh copy of the model on one division of the rows and count what it predicts.

    With `learnt` the training rows are counted too, as a learning curve needs them. Whatever a model raises is recorded.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = _trained(model, data, split, seed, scores, learnt)
        except Exception as problem:
            ours = isinstance(problem, SteelyardError)
            text = " ".join((problem.message if isinstance(problem, SteelyardError) else str(problem)).split())
            error = text[:500] if ours else f"{type(problem).__name__}: {text[:500]}"
            return Trained(error=error, traceback=traceback.format_exc(), notes=_warnings(said))
    return Trained(**{**found.__dict__, "notes": (*found.notes, *_warnings(said))})


def _warnings(said: list[Any]) -> tuple[str, ...]:
    texts = [f"{w.category.__name__}: {' '.join(str(w.message).split())[:200]}" for w in said]
    return tuple(dict.fromkeys(texts))[:5]


def _trained(model: Model, data: DataSet, split: Split, seed: int, scores: str, learnt: bool) -> Trained:
    copy = fresh(model, seed)
    rows = split.train
    if len(split.validation) and is_search(copy):
        # The search chooses on the validation rows, and learns at last from both parts.
        copy = with_validation(copy, len(split.train), len(split.validation))
        rows = np.concatenate([split.train, split.validation])
    started = time.perf_counter()
    notes = fit(copy, data, rows)
    fitted = time.perf_counter()
    tested = None
    predictions: Columns = {}
    if len(split.test):
        columns, how = predict(copy, data, split.test, scores)
        notes += how
        predicted = time.perf_counter()
        tested = weigh(data, split.test, columns)
        predictions = {"row": split.test, **columns}
    else:
        predicted = fitted
    trained = None
    if learnt or not len(split.test):
        columns, how = predict(copy, data, split.train, scores)
        notes += [n for n in how if n not in notes]
        trained = weigh(data, split.train, columns)
    seconds = {"fit": fitted - started, "predict": predicted - fitted, "all": time.perf_counter() - started}
    search = search_facts(copy) if is_search(copy) else None
    return Trained(tested, trained, predictions, seconds, tuple(notes), search)


def fit(model: Model, data: DataSet, rows: npt.NDArray[np.int64]) -> list[str]:
    """Train a model on some rows, with their weights where it takes any."""
    features, target = data.take(rows), data.target[rows]
    if data.weight is None:
        model.fit(features, target)
        return []
    name = weight_argument(model)
    if name is None:
        model.fit(features, target)
        return ["the model takes no weights: it learnt without them"]
    model.fit(features, target, **{name: data.weight[rows]})
    return []


def predict(model: Model, data: DataSet, rows: npt.NDArray[np.int64], scores: str) -> tuple[Columns, list[str]]:
    """What a trained model says of some rows: one score, a score for each level, labels, or numbers."""
    features = data.take(rows)
    if data.kind == "continuous":
        return {"prediction": np.asarray(model.predict(features), dtype=np.float64).reshape(len(rows))}, []
    if scores != "labels" and hasattr(model, "predict_proba"):
        table = _over_levels(np.asarray(model.predict_proba(features), dtype=np.float64), model, data.levels)
        if data.positive is None:
            return {f"score_{i}": table[:, i] for i in range(len(data.levels))}, []
        columns: Columns = {"score": np.ascontiguousarray(table[:, data.levels.index(data.positive)])}
        if decides_itself(model):
            columns["prediction"] = _labels(model.predict(features), data)
        return columns, []
    if scores != "labels" and hasattr(model, "decision_function") and data.positive is not None:
        values = np.asarray(model.decision_function(features), dtype=np.float64).reshape(len(rows))
        classes = list(getattr(model, "classes_", data.levels))
        turned = -values if classes[-1] != data.positive else values
        note = "no predict_proba: decision_function is the score, and 0 the threshold"
        return {"margin": turned}, [note]
    asked = scores != "labels"
    notes = ["no predict_proba: counted by its labels alone, so ranking and calibration are unknown"] if asked else []
    return {"prediction": _labels(model.predict(features), data)}, notes


def decides_itself(model: Model) -> bool:
    """Whether a model's labels follow from something else than its probabilities."""
    # Support vector machines decide by their margin, whatever their probabilities say.
    if hasattr(model, "best_threshold_") or type(model).__name__ in ("FixedThresholdClassifier", "SVC", "NuSVC"):
        return True
    inside = getattr(last_step(model), "best_estimator_", last_step(model))
    return inside is not model and decides_itself(inside)


def _labels(values: npt.ArrayLike, data: DataSet) -> npt.NDArray[Any]:
    found = np.asarray(values).reshape(-1)
    _check_known(dict.fromkeys(found.tolist()), data.levels)
    return found.astype(data.target.dtype) if data.target.dtype.kind in "biu" else found


def _check_known(said: Iterable[Any], levels: tuple[Any, ...]) -> None:
    """Refuse what is no level of the target, before it is counted as one or cut to a whole number."""
    known = set(levels)
    strange = [v for v in said if v not in known]
    if strange:
        message = f"The model predicted {listing(strange, 3)}, and the target has only the levels {listing(levels)}."
        raise BadLevels(message, "A classifier predicts levels that it has learnt from.")


def _over_levels(table: npt.NDArray[np.float64], model: Model, levels: tuple[Any, ...]) -> npt.NDArray[np.float64]:
    """Probabilities laid out over all levels; one that the model never saw has none."""
    classes = np.asarray(getattr(model, "classes_", levels)).tolist()
    if table.ndim != 2 or table.shape[1] != len(classes):
        message = f"The model gave probabilities of shape {table.shape} for {len(classes)} levels: {listing(classes)}."
        raise LengthsDiffer(message, "predict_proba gives one column for each level.")
    if classes == list(levels):
        return table
    _check_known(classes, levels)
    out = np.zeros((len(table), len(levels)))
    for i, level in enumerate(classes):
        out[:, levels.index(level)] = table[:, i]
    return out


def weigh(data: DataSet, rows: npt.NDArray[np.int64], columns: Columns, **how: Any) -> Evaluation:
    """The evidence in predictions of some rows; `how` they are evaluated is handed on."""
    from steelyard.evaluate import evaluate

    score: Any = columns.get("score", columns.get("margin"))
    if "score_0" in columns:
        score = {level: columns[f"score_{i}"] for i, level in enumerate(data.levels)}
    how = {"threshold": 0.0 if "margin" in columns else 0.5} | how
    return evaluate(
        target=data.target[rows],
        score=score,
        prediction=columns.get("prediction"),
        weight=None if data.weight is None else data.weight[rows],
        unit=None if data.unit is None else data.unit[rows],
        positive=data.positive,
        levels=data.levels or None,
        kind="labels" if data.kind == "levels" else "continuous",
        **how,
    )
