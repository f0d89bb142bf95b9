"""In which segment each row of a stream lies, and which segments are watched: the largest of the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from steelyard.designs.columns import is_missing
from steelyard.errors import InputError, UsageError
from steelyard.evaluation import Evaluation
from steelyard.monitors.stream import Stream, Values
from steelyard.results import Codes
from steelyard.summaries.segments import Key, Segments, key_of, names_of, order_of
from steelyard.summaries.window import WindowSummary
from steelyard.wording import option

MOST = 50
"""Segments that are watched: the more there are, the less each of them can show."""
MANY = 1_000
"""Values beyond which a column names rows, and no segments of them."""


def _keys(values: Iterable[Any]) -> list[Key]:
    """The segment of each row; a gap is one, too."""
    known: dict[tuple[type, Any], Key] = {}
    out = []
    for value in values:
        asked = type(value), value
        key = known.get(asked)
        if key is None:
            key = known[asked] = key_of(None if is_missing(value) else _plain(value))
        out.append(key)
    return out


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | bool | int | float) else str(value)


def check_segment(name: str, column: Values) -> list[Key]:
    """The segments that are watched, the largest first; a column of too many values, or of times, is refused."""
    values = column.tolist()
    if column.dtype.kind == "M" or any(isinstance(value, date) for value in values):
        message = f'The column "{name}" holds points in time, which move on by themselves.'
        raise InputError(message, "Name a column of groups, such as a region.")
    found = Counter(_keys(values))
    if len(found) > MANY:
        message = f'The column "{name}" has {len(found):,} values in the reference, too many to be segments.'
        raise InputError(
            message,
            f"Name a column of at most {MANY:,}, such as a region, or join rare ones; the {MOST} largest are watched.",
        )
    if len(found) < 2:
        message = (
            f'The column "{name}" has one value in the whole reference, so that there are no segments to tell apart.'
        )
        raise UsageError(message, f"Name another column, or leave {option('segment')} out.")
    return sorted(found, key=lambda key: (-found[key], order_of(key)))[:MOST]


def evaluated_by_segment(stream: Stream, **options: Any) -> Evaluation:
    """The evaluation of the rows of a reference that have a label, and of each of its segments that is watched."""
    name = str(stream.roles.segment)
    watched = check_segment(name, stream.columns[name])
    found = stream.evaluate(segment=places_of(stream, watched)[stream.labelled], **options)
    parts = {watched[place]: e for (_, place), e in found.segments.by_key.items() if place >= 0}
    names = names_of(parts)
    return replace(found, segments=Segments({key: replace(e, segment=names[key]) for key, e in parts.items()}))


def watched_keys(evaluation: Evaluation | None) -> list[Key]:
    """The segments that windows are counted by: those that the evaluation of the reference has."""
    return [] if evaluation is None else list(evaluation.segments.by_key)


def places_of(rows: Stream, keys: Sequence[Key]) -> Codes:
    """Of each row the place of its segment among those that are watched, −1 where it lies in none."""
    place = {key: i for i, key in enumerate(keys)}
    found = (place.get(key, -1) for key in _keys(rows.columns[str(rows.roles.segment)].tolist()))
    return np.fromiter(found, np.int64, rows.rows)


def by_segment(
    keys: Sequence[Key], rows: Codes, labelled: Codes, evidence: Mapping[int, Mapping[str, Any]]
) -> dict[Key, WindowSummary]:
    """Rows and labels of each segment by its place, and its evidence; those without rows are left out."""
    return {
        key: WindowSummary(int(rows[i]), int(labelled[i]), evidence.get(i, {})) for i, key in enumerate(keys) if rows[i]
    }
