"""A peek at rows: what was true, what was said, and what came of it, of a bounded number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import Span, threshold_of
from steelyard.arguments.annotated import Label, Threshold, as_annotated
from steelyard.counting.rules import CountingRules, positive_of
from steelyard.errors import LengthsDiffer, NotNumeric, UsageError, listing
from steelyard.sources.fetching import fetch_columns
from steelyard.sources.in_memory import as_table, column_of, flat_array
from steelyard.sources.recognise import check_columns, open_table
from steelyard.summaries.summary import sort_levels
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.wording import option
from steelyard.words import shortest

READ = 10_000
"""Of a longer table so many rows are read."""
ROWS = Span(1, READ, whole=True)
Values = npt.NDArray[Any]


@as_annotated()
def peek(
    data: Any = None,
    *,
    target: Any,
    score: Any = None,
    prediction: Any = None,
    positive: Label = None,
    threshold: Threshold = 0.5,
    thresholds: Sequence[float] = (),
    wrong: bool | None = None,
    most: Annotated[int, ROWS] = 20,
    names: Sequence[str] = (),
) -> Tabulation:
    """Rows with their target, score, prediction and outcome, the highest scores first; of numbers, with their errors.

    A summary keeps no rows, so they are read here: at most the first 10,000 of a table. `wrong=True` shows rows that were wrong,
    False those that were right. `thresholds` tell each row's label at several of them; `prediction` (numbers) may be a mapping of
    model to column, whose errors then stand side by side. `names` are further columns of the table to be shown.

    >>> print(peek(target=[1, 0, 1], score=[0.9, 0.6, 0.2]))
    Rows by score
      row  target  score  prediction  outcome
        1       1    0.9           1  TP
        2       0    0.6           1  FP
        3       1    0.2           0  FN
      Positive: 1, if the score is at least 0.5.
    """
    if (score is None) == (prediction is None):
        message = (
            f"A peek at rows needs a score or a prediction, and {'both' if score is not None else 'neither'} came."
        )
        raise UsageError(message, f"Give {option('score', ...)} or {option('prediction', ...)}.")
    said = dict(prediction) if isinstance(prediction, Mapping) else {"prediction": prediction}
    wanted = {"target": target, **({"score": score} if score is not None else said)}
    found, whole = _read(data, wanted, names)
    truth = found["target"]
    kinds = {column.dtype.kind for role, column in found.items() if role == "target" or role in said}
    numbers = score is None and kinds <= set("iuf") and "f" in kinds
    cells: dict[str, Sequence[Cell]] = {"row": list(range(1, len(truth) + 1))}
    forms = {"row": "count"} | dict.fromkeys(("score", "target", *said), "typed")
    cells |= {name: _plain(found[f"named {name}"]) for name in names} | {"target": _plain(truth)}
    if numbers:
        errors = {name: _errors(truth, found[name]) for name in said}
        for name, error in errors.items():
            column = "error" if len(said) == 1 else f"{name}_error"
            cells |= {name: _plain(found[name]), column: _plain(error)}
            forms[column] = "typed"
        order, title, note = np.arange(len(truth)), "Rows and their errors", "Error: prediction less target."
    elif score is not None:
        # A level may be there in rows that were not read.
        level, other = _positive(truth, positive, [] if whole or positive is None else [positive])
        order, title, note = _scored(cells, truth, found["score"], (level, other), threshold, thresholds)
    else:
        order, title, note = _labelled(cells, truth, {name: found[name] for name in said}, positive)
    right = (
        None if numbers else [str(x) in {"TP", "TN", "right"} for x in cells[next(n for n in cells if "outcome" in n)]]
    )
    if wrong is not None and right is None:
        message = "A number is seldom exactly right, so rows of numbers are not told apart as right and wrong."
        raise UsageError(message, f"Leave {option('wrong')} out; the errors stand beside the numbers.")
    kept = [i for i in order.tolist() if wrong is None or right is None or right[i] != wrong]
    shown = {name: [column[i] for i in kept[:most]] for name, column in cells.items()}
    said_of = "" if len(kept) <= most else f"{len(kept) - most:,} more are not shown."
    said_of += f" The first {len(truth):,} rows were read." if not whole else ""
    return Tabulation("rows", title, shown, f"{note} {said_of}".strip(), forms=forms)


def _read(data: Any, wanted: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Values], bool]:
    """The columns that are wanted, and whether these are all rows."""
    named = [names] if isinstance(names, str) else list(names)
    roles = {**wanted, **{f"named {name}": name for name in named}}
    if data is None:
        odd = next((v for v in roles.values() if isinstance(v, str) or v is None), None)
        if odd is not None:
            message = f"{listing([odd])} is a column name, but there is no table to find it in."
            raise UsageError(message, "Pass the table first, or pass the values themselves.")
        found = {role: flat_array(values) for role, values in roles.items()}
        lengths = {role: len(v) for role, v in found.items()}
        if len(set(lengths.values())) > 1:
            message = f"The arrays have different lengths: {', '.join(f'{k} {n:,}' for k, n in lengths.items())}."
            raise LengthsDiffer(message, "Every role needs one value for each row.")
        return {k: v[:READ] for k, v in found.items()}, len(found["target"]) <= READ
    table = None if isinstance(data, Mapping) else open_table(data)
    if table is not None:
        check_columns(roles, list(table.names))
        fetched = fetch_columns(table.limit(READ + 1), list(dict.fromkeys(roles.values())))
        found = {role: flat_array(fetched[name]) for role, name in roles.items()}
    else:
        frame = as_table(data)
        check_columns(roles, [str(c) for c in getattr(frame, "columns", ())])
        found = {role: column_of(frame, name) for role, name in roles.items()}
    return {k: v[:READ] for k, v in found.items()}, len(found["target"]) <= READ


def _plain(values: Values) -> list[Any]:
    return [None if _missing(v) else v for v in values.tolist()]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not np.isfinite(value))


def _errors(truth: Values, said: Values) -> Values:
    # As a reader would subtract what is printed: 17.578 − 18.99 is −1.412.
    digits = Context(traps=[])
    pairs = zip(said.astype(np.float64).tolist(), truth.astype(np.float64).tolist(), strict=True)
    return np.array([float(digits.subtract(Decimal(repr(x)), Decimal(repr(y)))) for x, y in pairs])


def _positive(truth: Values, positive: Any, more: Sequence[Any]) -> tuple[Any, Any]:
    """The positive level, and the other one where there are two."""
    levels = sort_levels([*(v for v in _plain(truth) if v is not None), *more])
    found = positive_of(levels, CountingRules(positive=positive), two=True)
    others = [v for v in levels if v != found]
    if others:
        return found, others[0] if len(others) == 1 else f"not {found}"
    return found, (False if isinstance(found, bool) else 0) if found == 1 else f"not {found}"


def _outcome(truth: Any, said: Any, positive: Any) -> str:
    if truth is None or said is None:
        return "missing"
    if positive is None:
        return "right" if truth == said else "wrong"
    return ("T" if truth == said or (truth != positive) == (said != positive) else "F") + (
        "P" if said == positive else "N"
    )


def _scored(
    cells: dict[str, Sequence[Cell]],
    truth: Values,
    score: Values,
    levels: tuple[Any, Any],
    threshold: float,
    thresholds: Sequence[float],
) -> tuple[Values, str, str]:
    if score.dtype.kind not in "iufb":
        message = f"A score is a number, and the scores hold {listing(score.tolist()[:3])}."
        raise NotNumeric(message, f"Name labels as {option('prediction', ...)}.")
    x = np.asarray(score, dtype=np.float64)
    level, other = levels
    cells["score"] = _plain(x)
    cuts = [threshold_of(t) for t in thresholds]
    for cut in cuts or [threshold]:
        labels = [None if _missing(v) else level if v >= cut else other for v in x.tolist()]
        cells["prediction" if not cuts else f"at {shortest(cut)}"] = labels
        told = [_outcome(t, s, level) for t, s in zip(_plain(truth), labels, strict=True)]
        if not cuts or cut == threshold or "outcome" not in cells:
            cells["outcome"] = told
    cells["outcome"] = cells.pop("outcome")
    order = np.argsort(-np.where(np.isfinite(x), x, -np.inf), kind="stable")
    least = "a threshold" if cuts else shortest(threshold)
    return order, "Rows by score", f"Positive: {level}, if the score is at least {least}."


def _labelled(
    cells: dict[str, Sequence[Cell]], truth: Values, said: Mapping[str, Values], positive: Any
) -> tuple[Values, str, str]:
    every = [v for column in (truth, *said.values()) for v in _plain(column) if v is not None]
    levels = sort_levels(every)
    speaks = positive is not None or set(levels) <= {0, 1}
    level = positive_of(levels, CountingRules(positive=positive), two=False) if speaks else None
    for name, labels in said.items():
        told = [_outcome(t, s, level) for t, s in zip(_plain(truth), _plain(labels), strict=True)]
        cells |= {name: _plain(labels), "outcome" if len(said) == 1 else f"{name}_outcome": told}
    return np.arange(len(truth)), "Rows and what was predicted", "" if level is None else f"Positive: {level}."
