"""Rows that two versions scored: by their identifiers, with the label that counts, as long as rows are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from steelyard.compare import compare
from steelyard.comparison import Comparison
from steelyard.serve.counting import joined, windows_known
from steelyard.serve.parts import window_rows
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
    for start in sorted(set(waiting[0]) & set(waiting[1]), reverse=True):
        tables = [window_rows(session, x.stream, start) for x in (one, other)]
        if tables[0] is None or tables[1] is None:
            continue
        mine, theirs = (joined(session, model, t).select([model.said.id, model.target, said]) for t in tables)
        both = mine.join(theirs.drop([model.target]), model.said.id, join_type="inner", right_suffix=OTHER)
        found.append(both.filter(pa.compute.is_valid(both[model.target])))
        names.append(waiting[0][start])
        if sum(t.num_rows for t in found) >= MOST:
            break
    if sum(t.num_rows for t in found) < FEWEST:
        return None
    whole = pa.concat_tables(found).sort_by(model.said.id)
    columns = {"target": whole[model.target].to_pylist(), one.version: whole[said].to_pylist()}
    columns[other.version] = whole[said + OTHER].to_pylist()
    return RowsOfBoth((one.version, other.version), names[-1], names[0], columns)


OTHER = " of the other"


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
