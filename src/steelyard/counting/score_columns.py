"""One score for each class, side by side: which column is whose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.errors import UsageError, listing
from steelyard.summaries.segments import key_of
from steelyard.summaries.summary import sort_levels
from steelyard.wording import Code, option

MOST_SHOWN = 5
"""So many levels are written out in an example."""
SHARES = 0.01
"""Two scores whose sum is as near to one as this are shares, if in short floats."""


def by_level(
    score: object, levels: Sequence[Any] | None, positive: object = None, found: Callable[[], Iterable[Any]] = tuple
) -> Any:
    """A matrix of scores, rows × levels, as a mapping of level to column; of two the positive's column alone.

    Columns that are named after the levels are taken by name, whatever their order. `found` tells the levels of the target;
    where these are 0, 1, …, one for each column without a name, that is the order.

    >>> {k: v.tolist() for k, v in by_level([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], ["a", "b", "c"]).items()}
    {'a': [0.7, 0.1], 'b': [0.2, 0.8], 'c': [0.1, 0.1]}
    >>> by_level([[0.7, 0.3], [0.1, 0.9]], [0, 1]).tolist()
    [0.3, 0.9]
    >>> list(by_level([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], None, found=lambda: [0, 2, 1]))
    [0, 1, 2]
    """
    names, columns = _side_by_side(score)
    if not columns:
        return score
    if len(columns) == 1:
        return columns[0]
    owners = _owners(names, levels, found)
    if owners is None and levels is None:
        # The places of columns without names are the levels themselves, where those are 0, 1, … and all of them occur.
        levels = list(sort_levels(found())) if names is None else []
        two_models = len(columns) == 2 and not _adds_up(*columns)
        if not levels or levels != list(range(len(columns))) or two_models:
            raise _whose(columns, names, list(sort_levels(found())))
    whose = owners if owners is not None else list(levels or ())
    if len(whose) != len(columns) or len(set(map(key_of, whose))) != len(columns):
        named = f"{len(set(whose)):,} different levels were named: {listing(whose)}"
        message = f"The scores have {len(columns):,} columns, and {named}."
        raise UsageError(message, f"Name one level for each column, in their order: {option('levels', [...])}.")
    own = whose.index(positive) if positive in whose else whose.index(1) if set(whose) == {0, 1} else None
    if len(columns) == 2 and own is not None and _adds_up(*columns):
        return columns[own]
    by_owner = dict(zip(whose, columns, strict=True))
    # Named columns may stand in any order, and nothing depends on it.
    return {v: by_owner[v] for v in levels or sort_levels(whose)} if owners else by_owner


def _side_by_side(score: Any) -> tuple[list[Any] | None, list[Any]]:
    """The names, where there are any, and the columns of what has two dimensions; no columns for all else."""
    if isinstance(score, list | tuple) and score and all(isinstance(v, list | tuple | np.ndarray) for v in score):
        if len({len(v) for v in score}) > 1:
            message = "The scores are lists of different lengths, so they are no matrix."
            hint = f"Give every row one score for each level, in the order of {option('levels', [...])}."
            raise UsageError(message, hint)
        score = np.asarray(score)
    if isinstance(score, str | Mapping):
        return None, []
    if getattr(getattr(score, "dtype", None), "names", None) and score.ndim == 1:
        return list(score.dtype.names), [score[name] for name in score.dtype.names]
    if len(getattr(score, "shape", ())) != 2:
        return None, []
    if hasattr(score, "iloc"):
        return [getattr(v, "item", lambda v=v: v)() for v in score.columns], [
            score.iloc[:, i] for i in range(score.shape[1])
        ]
    if hasattr(score, "column_names"):
        return list(score.column_names), list(score.columns)
    if hasattr(score, "get_columns"):
        return list(score.columns), list(score.get_columns())
    return None, [score[:, i] for i in range(int(score.shape[1]))]


def _owners(
    names: list[Any] | None, levels: Sequence[Any] | None, found: Callable[[], Iterable[Any]]
) -> list[Any] | None:
    """The level of each column by its name; None where the names say nothing of levels."""
    # Columns that were only numbered have no names of their own.
    if names is None or (levels is not None and names == list(range(len(names)))):
        return None
    wanted = list(levels) if levels is not None else list(found())
    exact = {key_of(v): v for v in wanted}
    texts = {str(v): v for v in wanted}
    alike = len(texts) == len(wanted)
    mine = [
        (name, exact[key_of(name)] if key_of(name) in exact else texts[str(name)])
        for name in names
        if key_of(name) in exact or (alike and str(name) in texts)
    ]
    if not mine:
        return None
    lacking = [v for v in wanted if key_of(v) not in {key_of(level) for _, level in mine}]
    known = dict(mine)
    if lacking or len(known) != len(mine) or (levels is not None and len(mine) != len(names)):
        message = f"The columns of the scores are named {listing(names)}, and the levels are {listing(wanted)}."
        hint = f"Name every column after its level, or none of them and say {option('levels', [...])} in their order."
        raise UsageError(message, hint)
    return [known[name] if name in known else _written_like(name, wanted) for name in names]


def _written_like(name: object, wanted: list[Any]) -> Any:
    """The name of a level that does not occur, as those are written that do."""
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in wanted)
    return int(name) if whole and isinstance(name, str) and name.isdecimal() else name


def _whose(columns: list[Any], names: list[Any] | None, found: list[Any]) -> UsageError:
    size = f"{len(columns[0]):,} rows and {len(columns):,} columns{f', {listing(names)}' if names is not None else ''}"
    message = f"The scores are a matrix of {size}, and nothing says whose each column is."
    alike = found if len(found) == len(columns) <= MOST_SHOWN else ["a", "b", "c"]
    hint = (
        f"Name the levels in the order of the columns: {option('levels', alike)}, for example; those of a model of "
        f"scikit-learn are {option('levels', Code('model.classes_'))}."
    )
    if len(columns) == 2:
        hint = (
            f"Say {option('levels', alike if len(alike) == 2 else [0, 1])}, in the order of the columns; or pass "
            f"the positive's column alone: {option('score', Code('p[:, 1]'))}."
        )
    return UsageError(message, hint)


def _adds_up(first: Any, second: Any) -> bool:
    """Whether the two scores of every row are shares of one; else each says something of its own."""
    if hasattr(first, "to_numpy"):
        first, second = first.to_numpy(), second.to_numpy()
    if getattr(getattr(first, "dtype", None), "kind", "f") not in "biuf":
        return False
    # What is missing is looked for later, and is no reason to take a row for anything else.
    return not bool((abs(first + second - 1.0) >= SHARES).any())
