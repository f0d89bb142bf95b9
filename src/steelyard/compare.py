"""The front door of comparisons: recognises how models were tested, and takes the test that is right for that."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, overload

import numpy as np

from steelyard.arguments.annotated import Label, as_annotated
from steelyard.comparison import Comparison
from steelyard.comparisons.elsewhere import RowsElsewhere, SameUnits
from steelyard.comparisons.independent import check_alike
from steelyard.comparisons.joining import joined
from steelyard.comparisons.pairing import DifferentRows, SameRows
from steelyard.counting.score_columns import by_level
from steelyard.designs.columns import missing as missing_in
from steelyard.early_warning.comparison import TimelinessComparison, compare_models
from steelyard.early_warning.timeliness import Timeliness
from steelyard.engines.columns import make_column
from steelyard.errors import (
    EmptyTable,
    LengthsDiffer,
    MissingValues,
    NotNumeric,
    UsageError,
    listing,
)
from steelyard.evaluate import evaluate, levels_in
from steelyard.evaluation import Evaluation
from steelyard.files.addresses import without_secrets
from steelyard.payoffs.payoff import Payoff
from steelyard.rows.roles import assign, refuse_beside
from steelyard.sources.bringing import columns_of, columns_or_none
from steelyard.sources.fetching import MOST
from steelyard.sources.in_memory import flat_array
from steelyard.sources.recognise import open_table
from steelyard.sources.staying import ROW, is_long, rows_as_units, stays
from steelyard.sources.tables import Table
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.experiments.result import Experiment

ROLES = ("target", "score", "prediction")
SAME = 'sy.compare(target=y, score={"old": old.predict_proba(X), "new": ...})'


@overload
def compare(data: Mapping[str, Timeliness], *, measures: Sequence[str] | None = None) -> TimelinessComparison: ...
@overload
def compare(data: Timeliness, *others: Timeliness, measures: Sequence[str] | None = None) -> TimelinessComparison: ...
@overload
def compare(data: Any = None, *others: Any, **options: Any) -> Comparison: ...
@as_annotated("score", "prediction", "margin")
def compare(
    data: object = None,
    *others: object,
    target: object = None,
    score: Mapping[str, Any] | None = None,
    prediction: Mapping[str, Any] | None = None,
    positive: Label = None,
    weight: object = None,
    weights: str = "sampling",
    unit: object = None,
    on: str | None = None,
    value: object = None,
    profit: Payoff | None = None,
    threshold: float = 0.5,
    levels: Sequence[Any] | None = None,
    kind: str | None = None,
    missing: str = "refuse",
    models: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    margin: float | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    correction: str = "bonferroni",
    over: str = "pairs",
    control: str | None = None,
    paired: bool | None = None,
) -> Comparison | TimelinessComparison:
    """Compare models: the difference with its interval, p-value and a verdict, by the test that suits how they were tested.

    `data` is a mapping of names to evaluations (different test sets; with units the same rows), or to what
    `sy.timeliness` returns (same customers; for that only `measures` matters); an experiment (same folds); or a table
    or path with `target` and a score (or prediction) for each model by name (same rows). Two or more tables by name
    are joined by the column `on`. A table that lives elsewhere, such as a path, an address or a frame of Spark, sends
    the columns that are named to this machine, of more than a million rows those that are alike once with their number;
    on a server, or with more than 50 million rows, it is counted there instead where `unit` is named, or more than two million
    rows differ: the same estimate, by an interval from buckets of units, or of rows that are alike.
    `margin` is the largest difference that does not matter, for all measures or by name ("all" being those without
    one). With `profit` that is compared besides the `measures`. Intervals, p-values and verdicts hold at once for all
    pairs within a measure, or with `over="everything"` for pairs and measures together; `correction` says how.

    >>> y = [1, 0, 1, 1, 0, 0, 1, 0] * 20
    >>> good, poor = [0.9, 0.2, 0.8, 0.6, 0.4, 0.1, 0.7, 0.3] * 20, [0.9, 0.4, 0.2, 0.6, 0.7, 0.1, 0.5, 0.3] * 20
    >>> c = compare(target=y, score={"knn": poor, "tree": good})
    >>> d = c.difference("accuracy", "tree", "knn")
    >>> round(d.value, 2), d.verdict
    (0.25, 'better')
    """
    warnings = _warnings(data, others)
    if warnings:
        given = {"target": target, "score": score, "prediction": prediction, "unit": unit, "value": value}
        given |= {"margin": margin, "profit": profit, "on": on, "control": control}
        refuse_beside("How early models warn is compared by what was measured", given, "or measure each model anew")
        return compare_models(warnings, measures)
    if others:
        message = f"Models are compared by name, and {len(others) + 1} came without one."
        raise UsageError(message, f'Evaluations as a mapping: sy.compare({{"old": ..., "new": ...}}); models: {SAME}.')
    options: dict[str, Any] = {"measures": measures, "margin": margin, "confidence": confidence}
    options |= {"correction": correction, "over": over, "control": control}
    if is_experiment(data) or _are_evaluations(data):
        asked = {"target": target, "score": score, "prediction": prediction, "weight": weight, "unit": unit}
        asked |= {"on": on, "value": value, "profit": profit, "levels": levels, "kind": kind, "positive": positive}
        refuse_beside("What was evaluated knows its columns", asked, "and say it where each is evaluated")
    if is_experiment(data):
        return _folds(data, models, options)
    if _are_evaluations(data):
        return Comparison(_evaluations(data, paired), **options)
    if target is None and isinstance(data, Mapping) and data:
        wrong = next(k for k, v in data.items() if not isinstance(v, Evaluation))
        kind = type(data[wrong]).__name__
        message = f"Without a target a mapping holds evaluations by name, and {listing([wrong])} is of type {kind}."
        raise UsageError(message, f"Evaluate each: sy.evaluate(...); or compare on the same rows: {SAME}.")
    if target is None:
        message = "No target was given."
        hint = (
            f"Name it (or pass its values): {option('target', ...)}; saved evaluations are given by name in a mapping."
        )
        raise UsageError(message, hint)
    if profit is not None and measures is not None:
        named = [measures] if isinstance(measures, str) else list(measures)
        options["measures"] = [*named, profit.kind]
    if data is None and isinstance(score, Mapping):
        score = {k: by_level(v, levels, positive, partial(levels_in, target)) for k, v in score.items()}
    shape, given = _shape(score, prediction)
    counting: dict[str, Any] = {"positive": positive, "weights": weights, "threshold": threshold, "levels": levels}
    counting |= {"kind": kind, "profit": profit}
    amounts = _amounts(value, profit)
    columns = {"target": target, "weight": weight, "unit": unit}
    if isinstance(data, Mapping) and on is not None:
        told = {k: v for k, v in columns.items() if v is not None} | {("amount", k): v for k, v in amounts.items()}
        brought, given = joined(columns_of, data, on, told, given)
        data, columns = None, {k: brought.get(k) for k in columns}
        amounts = {name: brought["amount", name] for name in amounts}
    source = _called_source(data)
    if unit is not None and (stays(data) or is_long(data, MOST)):
        counted = _each(data, target, shape, given, unit, weight, value, missing, counting)
        return Comparison(SameUnits(counted), source=source, **options)
    wanted = _wanted(columns, given, amounts)
    found = columns_or_none(data, wanted) if data is not None else {k: flat_array(v) for k, v in wanted.items()}
    if found is None:
        elsewhere = open_table(data)
        assert elsewhere is not None
        table = rows_as_units(elsewhere, list(wanted.values()), drop=missing == "drop")
        counted = _each(table, target, shape, given, ROW, weight, value, missing, counting)
        return Comparison(RowsElsewhere(counted), source=source, **options)
    rows, dropped = _rows(found, wanted, given, missing)
    there = {}
    if rows["alike"]:
        # What each model reaches is counted where the rows are; those that are alike, here once, tell the differences.
        there = _each(data, target, shape, given, unit, weight, value, missing, counting)
        counting["weights"] = "frequency"
    pairing = _same_rows(rows, shape, tuple(amounts), dropped, counting, there)
    return Comparison(pairing, source=source, **options)


def _are_evaluations(data: object) -> TypeGuard[Mapping[str, Evaluation]]:
    return isinstance(data, Mapping) and bool(data) and all(isinstance(e, Evaluation) for e in data.values())


def _warnings(data: object, others: Sequence[Any]) -> dict[str, Timeliness]:
    """Models whose warnings were measured, by name; nothing where they are of another kind."""
    if isinstance(data, Timeliness | list | tuple):
        every = [*([data] if isinstance(data, Timeliness) else data), *others]
        ranks = ("first", "second", "third")
        named = {ranks[i] if i < len(ranks) else f"model {i + 1}": t for i, t in enumerate(every)}
    else:
        named = {str(k): v for k, v in data.items()} if isinstance(data, Mapping) and not others else {}
    return named if named and all(isinstance(t, Timeliness) for t in named.values()) else {}


def is_experiment(data: object) -> TypeGuard[Experiment]:
    """Whether it is what `sy.experiment` returns."""
    return hasattr(data, "cells") and hasattr(data, "plan")


def _folds(experiment: Experiment, models: Sequence[str], options: dict[str, Any]) -> Comparison:
    # Over several data sets the ranking tells all of them; pairs are told of the first.
    several = len(experiment.data_sets) * len(experiment.designs) > 1 and not models
    return experiment.compare(*((experiment.data_sets[0], experiment.designs[0]) if several else models), **options)


def _evaluations(data: Mapping[str, Evaluation], paired: bool | None) -> DifferentRows:
    named = {str(k): v for k, v in data.items()}
    first = next(iter(named))
    for name in named:
        check_alike(named[first], named[name], (first, name))
    by_unit = all(getattr(s, "units", True) is not None for e in named.values() for s in e.evidence.values())
    if paired and not by_unit:
        message = "Summaries are paired by their units, and these were counted without any."
        hint = f"Evaluate each with {option('unit', ...)}, a column that tells rows (or customers) apart."
        raise UsageError(message, hint)
    return SameUnits(named) if paired else DifferentRows(named)


def _shape(score: Mapping[str, Any] | None, prediction: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    if (score is None) == (prediction is None):
        message = "Either a score or a prediction of each model was expected."
        hint = f"Pass {option('score', {'knn': ..., 'tree': ...})}, or {option('prediction', {...})} for labels and numbers."
        raise UsageError(message, hint)
    given = score if score is not None else prediction
    if not isinstance(given, Mapping):
        what = "scores" if score is not None else "predictions"
        message = f"The models' {what} are given by name, and a {type(given).__name__} came."
        raise UsageError(message, f"For example {option('score', {'knn': 'p1', 'tree': 'p2'})}.")
    named = {str(k): v for k, v in given.items()}
    if not named:
        message = "There is no model to compare: an empty mapping came."
        raise UsageError(message, f"For example {option('score', {'knn': 'p1', 'tree': 'p2'})}.")
    if prediction is not None:
        return "predictions", named
    several = [isinstance(v, Mapping) for v in named.values()]
    if any(several) and not all(several):
        message = "Some models have one score and others one for each level."
        raise UsageError(message, "Give all models the same kind of scores.")
    return ("classes" if several and several[0] else "scores"), named


def _amounts(value: object, profit: Payoff | None) -> dict[str, Any]:
    needed = profit.names if profit is not None else ()
    found = assign(target=[0], score=[0], value=value, needed=needed)
    return {name: found.columns[f"value{i}"] for i, name in enumerate(found.amounts)}


# Rows at hand ---------------------------------------------------------------------------------------------------------


def _wanted(columns: dict[str, Any], given: Mapping[str, Any], amounts: Mapping[str, Any]) -> dict[Any, Any]:
    """Every column that was named, or came as values."""
    flat: dict[Any, Any] = {k: v for k, v in columns.items() if v is not None}
    for name, v in given.items():
        if isinstance(v, Mapping):
            flat |= {("model", name, level): part for level, part in v.items()}
        else:
            flat["model", name] = v
    return flat | {("amount", name): v for name, v in amounts.items()}


def _rows(
    found: dict[Any, Any], wanted: Mapping[Any, Any], given: Mapping[str, Any], missing: str
) -> tuple[dict[str, Any], int]:
    """All columns as arrays of one length, without the rows in which any is missing."""
    alike = "weight" in found and "weight" not in wanted
    times = found["weight"] if alike else None
    sizes = {len(v) for v in found.values()}
    if len(sizes) > 1:
        told = ", ".join(f"{_called(k)} {len(v):,}" for k, v in found.items())
        message = f"The columns differ in length: {told}."
        raise LengthsDiffer(message, "On the same rows every model has one prediction a row.")
    if "weight" in found and (none := found["weight"] == 0).any():
        # Rows of weight zero count as nothing, so nothing is asked of them either.
        found = {k: v[~none] for k, v in found.items()}
        sizes = {len(found["weight"])}
    if sizes == {0}:
        message = f"There are no rows{' with a weight above zero' if 'weight' in found else ''}."
        raise EmptyTable(message, "At least a few rows are needed.")
    gone = np.zeros(next(iter(sizes)), dtype=np.bool_)
    for key, values in found.items():
        here = missing_in(values)
        if here.any() and missing != "drop":
            lost, every = (here.sum(), here.size) if times is None else (times[here].sum(), times.sum())
            message = f"{int(lost):,} of {int(every):,} rows have a missing value in {_called(key)}."
            hint = f"Complete them, or leave such rows out for all models: {option('missing', 'drop')}."
            raise MissingValues(message, hint)
        gone |= here
    dropped = int(gone.sum() if times is None else times[gone].sum())
    if gone.any():
        found = {k: v[~gone] for k, v in found.items()}
    rows: dict[str, Any] = {k: found.get(k) for k in ("target", "weight", "unit")} | {"alike": alike}
    rows["amounts"] = {k[1]: v for k, v in found.items() if isinstance(k, tuple) and k[0] == "amount"}
    rows["given"] = {
        name: {level: found["model", name, level] for level in v} if isinstance(v, Mapping) else found["model", name]
        for name, v in given.items()
    }
    return rows, dropped


def _called(key: object) -> str:
    return f'"{key[1]}"' if isinstance(key, tuple) else f"the {key}"


def _same_rows(
    rows: Mapping[str, Any],
    shape: str,
    amounts: tuple[str, ...],
    dropped: int,
    counting: dict[str, Any],
    there: Mapping[str, Evaluation],
) -> SameRows:
    """Every model evaluated on the same arrays, and the arrays themselves for paired tests."""
    role = "prediction" if shape == "predictions" else "score"
    value = {n: rows["amounts"][n] for n in amounts} or None
    for name, given in rows["given"].items() if role == "score" else ():
        _refuse_rounded(name, given.values() if isinstance(given, Mapping) else [given])
    evaluations = there or {
        name: evaluate(
            target=rows["target"], weight=rows["weight"], unit=rows["unit"], value=value, **{role: v}, **counting
        )
        for name, v in rows["given"].items()
    }
    first = next(iter(evaluations.values()))
    if shape == "predictions":
        shape = "numbers" if first.residuals is not None else "labels"
    options: dict[str, Any] = {"weight": rows["weight"], "unit": rows["unit"], "weights": counting["weights"]}
    if shape != "numbers":
        every = dict.fromkeys(level for e in evaluations.values() for level in e.levels)
        options |= {"positive": first.positive, "levels": tuple(every), "threshold": counting["threshold"]}
    if counting["profit"] is not None:
        options["payoff"] = counting["profit"]
        options["value"] = value
    return SameRows(evaluations, rows["target"], rows["given"], shape, options, dropped)


def _refuse_rounded(name: str, scores: Iterable[Any]) -> None:
    """Refuse scores of more digits than floats, in which rows are paired, where two would become one."""
    for values in scores:
        column = make_column("score", values)
        rest = column.rest()
        if rest is not None and len(np.unique([column.numbers(), rest], axis=1).T) > len(np.unique(column.numbers())):
            message = f"The scores of {listing([name])} have so many digits that two of them would become one number."
            raise NotNumeric(message, "Subtract the smallest score from all of them first: their order stays the same.")


# Rows elsewhere -------------------------------------------------------------------------------------------------------


def _called_source(data: object) -> str:
    if isinstance(data, Table):
        return data.title
    return without_secrets(str(data)) if isinstance(data, str | os.PathLike) else ""


def _each(
    data: object,
    target: object,
    shape: str,
    given: Mapping[str, Any],
    unit: object,
    weight: object,
    value: object,
    missing: str,
    counting: dict[str, Any],
) -> dict[str, Evaluation]:
    """Every model evaluated where the rows are."""
    role = "prediction" if shape == "predictions" else "score"
    told: dict[str, Any] = {"target": target, "unit": unit, "weight": weight, "value": value, "missing": missing}
    return {name: evaluate(data, **told, **{role: v}, **counting) for name, v in given.items()}
