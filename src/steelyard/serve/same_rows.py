"""Rows that two versions scored: by their identifiers, with the label that counts, as long as rows are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from steelyard.compare import compare
from steelyard.comparison import Comparison
from steelyard.serve.counting import joined, windows_known
from steelyard.serve.parts import slices_of, window_rows
from steelyard.serve.store import Session
from steelyard.serve.watching import WatchedStream

MOST = 50_000
"""Rows of either version that are held against each other: the latest."""
FEWEST = 50


@dataclass(frozen=True)
class RowsOfBoth:
    """What two versions said of the same rows."""

    versions: tuple[str, str]
    first: str
    """The first window they are of."""
    last: str
    columns: dict[str, list[Any]]
    """The target, and what each version said, by its name."""

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.columns["target"])


def same_rows(session: Session, one: WatchedStream, other: WatchedStream) -> RowsOfBoth | None:
    """The latest rows with a label that both versions scored; None where these are few, or more than one score was declared."""
    asked, model = one.model.asked, one.model
    said = (
        asked["score"] if isinstance(asked["score"], str) else asked["prediction"] if asked["score"] is None else None
    )
    if said is None or model.target is None:
        return None
    waiting = [{w.start: w.name for w in windows_known(session, x.stream) if w.closed is None} for x in (one, other)]
    found: list[pa.Table] = []
    names: list[str] = []
    starts = sorted(set(waiting[0]) & set(waiting[1]), reverse=True)
    for name, both in ((waiting[0][x], both) for x in starts for both in _of_window(session, one, other, x, said)):
        found.append(both)
        names.append(name)
        if sum(t.num_rows for t in found) >= MOST:
            break
    if sum(t.num_rows for t in found) < FEWEST:
        return None
    whole = pa.concat_tables(found).sort_by(model.said.id)
    columns = {"target": whole[model.target].to_pylist(), one.version: whole[said].to_pylist()}
    columns[other.version] = whole[said + OTHER].to_pylist()
    return RowsOfBoth((one.version, other.version), names[-1], names[0], columns)


OTHER = " of the other"


def _of_window(session: Session, one: WatchedStream, other: WatchedStream, start: int, said: str) -> Iterator[pa.Table]:
    """The rows with a label of a window that both scored, a slice after the other."""
    model, streams = one.model, (one.stream, other.stream)
    slices = max(slices_of(session, stream, start, len(model.columns)) for stream in streams)
    for pair in zip(*(window_rows(session, stream, start, slices) for stream in streams), strict=True):
        told = [joined(session, model, t).select([model.said.id, model.target, said]) for t in pair if t is not None]
        if len(told) == len(pair):
            both = told[0].join(told[1].drop([model.target]), model.said.id, join_type="inner", right_suffix=OTHER)
            yield both.filter(pa.compute.is_valid(both[model.target]))


def paired(found: RowsOfBoth, one: WatchedStream) -> Comparison:
    """Both versions held against each other on the rows that both scored."""
    e = None if one.model.baseline is None else one.model.baseline.evaluation
    each = {v: found.columns[v] for v in found.versions}
    role = "score" if isinstance(one.model.asked["score"], str) else "prediction"
    facts: dict[str, Any] = {role: each, "confidence": one.model.said.confidence}
    if e is not None and e.residuals is None:
        facts |= {"positive": e.positive, "threshold": e.threshold if e.threshold is not None else 0.5}
    if e is not None and e.residuals is not None:
        facts |= {"kind": "continuous"}
    made: Comparison = compare(target=found.columns["target"], **facts)
    return made
