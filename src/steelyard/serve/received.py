"""Rows as they are kept: every value checked, what is wrong said of each row, nothing guessed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.monitors.windows import Instants, ZoneOffsets, instant_of
from steelyard.results import Flags
from steelyard.serve.declared import DeclaredModel, Kind
from steelyard.serve.declared_trial import DeclaredTrial
from steelyard.serve.formats import MOST_CELL, Sent, Wanted
from steelyard.serve.problems import Problem, RowError

TYPES: Mapping[Kind, Any] = {"number": pa.float64(), "whole": pa.int64(), "text": pa.string(), "flag": pa.bool_()}
AHEAD = timedelta(minutes=5)
"""So far ahead of our clock another may be."""
OLDEST = timedelta(days=3650)
LONGEST_ID = 256
FEW = 20
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
FLAGS = {"true": True, "false": False, "True": True, "False": False}
ID, TIME = "\0id", "\0time"
"""How the identifier and the moment are called in a part, whatever a model calls them."""
ARM = "arm"
"""The column of exposures that says which arm it is."""


@dataclass
class Received:
    """Rows that can be kept, and what is wrong with the others."""

    table: pa.Table
    """An identifier, a moment in microseconds, and the declared columns."""
    sent: int
    places: Instants
    """Where each row stood in what was sent, from 0."""
    errors: list[RowError] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many can be kept."""
        return int(self.table.num_rows)

    @property
    def ids(self) -> list[str]:
        """Their identifiers."""
        found: list[str] = self.table[ID].to_pylist()
        return found

    @property
    def times(self) -> Instants:
        """Their moments."""
        return np.asarray(self.table[TIME].to_numpy())

    def take(self, keep: npt.NDArray[Any]) -> Received:
        """Some of the rows."""
        which = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
        return Received(self.table.take(pa.array(which)), self.sent, self.places[which], self.errors)


def wanted_rows(model: DeclaredModel) -> Wanted:
    """What predictions of a model have."""
    return Wanted(model.said.id, model.said.time, model.columns)


def wanted_labels(model: DeclaredModel) -> Wanted:
    """What labels of a model have."""
    return Wanted(model.said.id, model.said.label_time, model.labels)


def wanted_exposures(model: DeclaredModel) -> Wanted:
    """What exposures of a trial have."""
    return Wanted(model.said.id, model.said.time, {ARM: "text"})


class _Checks:
    """Columns of what was sent, made into those that are kept; whatever is wrong is noted."""

    def __init__(self, sent: Sent) -> None:
        self.sent = sent
        self.places: npt.NDArray[np.int64] = (
            np.arange(sent.rows) if sent.places is None else np.array(sent.places, dtype=np.int64)
        )
        self.bad: npt.NDArray[np.bool_] = np.zeros(len(self.places), dtype=np.bool_)
        self.errors: list[RowError] = list(sent.errors)

    def refuse(self, rows: Iterable[int], code: str, detail: str, column: str) -> None:
        """Note that some rows cannot be kept."""
        for i in rows:
            if not self.bad[i]:
                self.errors.append(RowError(int(self.places[i]) + 1, code, detail, column))
            self.bad[i] = True

    def column(self, name: str) -> Any:
        """The values of a column; none of them where it was not sent."""
        found = self.sent.columns.get(name)
        if found is None:
            return [None] * len(self.places)
        if isinstance(found, pa.Array | pa.ChunkedArray) and pa.types.is_dictionary(found.type):
            found = self.sent.columns[name] = found.cast(found.type.value_type)
        return found

    def array(self, name: str, kind: Kind) -> pa.Array:
        """A column as it is kept."""
        values = self.column(name)
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return self._cast(values, name, kind)
        if self.sent.text:
            values = self._typed(values, name, kind)
        try:
            return pa.array(values, TYPES[kind])
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError, TypeError):
            return pa.array([self._one(v, i, name, kind) for i, v in enumerate(values)], TYPES[kind])

    def _one(self, value: object, i: int, name: str, kind: Kind) -> object:
        try:
            pa.array([value], TYPES[kind])
            return value
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError, TypeError):
            self.refuse([i], "type", f"This is no {WORDS[kind]} that can be kept.", name)
            return None

    def _cast(self, values: Any, name: str, kind: Kind) -> pa.Array:
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        numbers = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
        texts = _is_text(values.type)
        fits = {"number": numbers, "whole": numbers, "text": texts, "flag": pa.types.is_boolean(values.type)}
        if not (fits[kind] or pa.types.is_null(values.type)):
            raise Problem(422, "columns", f'The column "{name}" holds {values.type}, and {WORDS[kind]}s are needed.')
        try:
            return values.cast(TYPES[kind])
        except pa.ArrowInvalid as problem:
            raise Problem(
                422, "columns", f'The column "{name}" does not hold {WORDS[kind]}s alone: {problem}.'
            ) from None

    def _typed(self, values: Sequence[str], name: str, kind: Kind) -> list[Any]:
        """Texts of CSV as what they say; an empty one is missing."""
        if kind == "text":
            return [v or None for v in values]
        if kind == "flag":
            odd = [i for i, v in enumerate(values) if v and v not in FLAGS]
            self.refuse(odd, "type", "A flag is true or false.", name)
            return [FLAGS.get(v) for v in values]
        form, read = (NUMBER, float) if kind == "number" else (WHOLE, int)
        told = dict.fromkeys(values)
        odd_ones = {v for v in told if v and not form.fullmatch(v)}
        self.refuse([i for i, v in enumerate(values) if v in odd_ones], "type", f"This is no {WORDS[kind]}.", name)
        known = {v: None if not v or v in odd_ones else read(v) for v in told}
        return [known[v] for v in values]

    # What values may be ----------------------------------------------------------------------------------------------
    def identifiers(self, name: str) -> pa.Array:
        """Who each row is about."""
        values = self.column(name)
        if not isinstance(values, pa.Array | pa.ChunkedArray):
            values = [v if v is None or isinstance(v, str) else str(v) for v in values]
            self.sent.columns[name] = values
        elif pa.types.is_integer(values.type):
            self.sent.columns[name] = values.cast(pa.string())
        found = self.array(name, "text")
        if len(found) <= FEW and all(v and len(v) < 64 and v.isascii() and v.isprintable() for v in found.to_pylist()):
            return found
        self.refuse(
            _true(pc.or_kleene(pc.is_null(found), pc.equal(found, ""))),
            "missing",
            "A row is told apart by its identifier.",
            name,
        )
        long = pc.fill_null(pc.greater(pc.binary_length(found), LONGEST_ID), False)
        self.refuse(_true(long), "too_long", f"An identifier has at most {LONGEST_ID} bytes.", name)
        odd = pc.fill_null(pc.match_substring_regex(found, r"[\x00-\x1f\x7f]"), False)
        self.refuse(_true(odd), "character", "An identifier holds no control characters.", name)
        return found

    def values(self, name: str, kind: Kind) -> pa.Array:
        """A declared column."""
        found = self.array(name, kind)
        if len(found) <= FEW and kind in {"number", "text"}:
            # Of few values each is looked at: a call for a whole column takes longer than that.
            good = math.isfinite if kind == "number" else _is_short
            if all(v is None or good(v) for v in found.to_pylist()):
                return found
        if kind == "number":
            off = pc.fill_null(pc.invert(pc.is_finite(found)), False)
            self.refuse(_true(off), "not_finite", "A number is finite; leave it empty where it is missing.", name)
        elif kind == "text":
            long = pc.fill_null(pc.greater(pc.binary_length(found), MOST_CELL), False)
            self.refuse(_true(long), "too_long", f"A text has at most {MOST_CELL:,} bytes.", name)
        return found

    def result(self, table: pa.Table) -> Received:
        """The rows that can be kept."""
        found = Received(table, self.sent.rows, self.places, self.errors)
        found = found.take(~self.bad) if self.bad.any() else found
        found.errors.sort(key=lambda e: (e.row, e.column))
        return found


WORDS: Mapping[Kind, str] = {"number": "number", "whole": "whole number", "text": "text", "flag": "flag"}


def _is_short(text: str) -> bool:
    return len(text) <= MOST_CELL // 4


def _true(flags: Any) -> list[int]:
    found: list[int] = np.flatnonzero(np.asarray(flags)).tolist()
    return found


def received_rows(sent: Sent, model: DeclaredModel, now: datetime) -> Received:
    """Predictions that can be kept."""
    checks = _Checks(sent)
    ids = checks.identifiers(model.said.id)
    times = moments(checks, model.said.time, model.zone, now)
    columns = {name: checks.values(name, kind) for name, kind in model.columns.items()}
    outputs = [
        model.asked["prediction"],
        *([model.asked["score"]] if isinstance(model.asked["score"], str) else model.asked["score"] or {}),
    ]
    for name in model.chances:
        if len(ids) <= FEW and all(v is None or 0 <= v <= 1 for v in columns[name].to_pylist()):
            continue
        off = pc.fill_null(pc.or_(pc.less(columns[name], 0.0), pc.greater(columns[name], 1.0)), False)
        checks.refuse(_true(off), "not_a_chance", "The score is a chance, from 0 to 1.", name)
    for name in filter(None, outputs):
        if name in columns and columns[name].null_count:
            checks.refuse(_true(pc.is_null(columns[name])), "missing", "Every prediction says something.", name)
    if (weight := model.asked["weight"]) is not None:
        light = pc.fill_null(pc.less_equal(columns[weight], 0.0), True)
        checks.refuse(_true(light), "weight", "A weight is greater than 0.", weight)
    return checks.result(pa.table({ID: ids, TIME: times, **columns}))


def received_labels(sent: Sent, model: DeclaredModel, now: datetime) -> Received:
    """Labels that can be kept."""
    if model.target is None:
        raise Problem(
            409, "no_target", f'The model "{model.name}" was declared without a target, so that it has no labels.'
        )
    checks = _Checks(sent)
    ids = checks.identifiers(model.said.id)
    when = model.said.label_time
    times = pa.array(np.full(len(ids), instant_of(now))) if when is None else moments(checks, when, model.zone, now)
    kind = model.labels[model.target]
    values = checks.values(model.target, kind)
    checks.refuse(_true(pc.is_null(values)), "missing", "A label says what happened.", model.target)
    if model.levels is not None:
        known = pc.is_in(values, pa.array(sorted(model.levels, key=str), values.type))
        names = ", ".join(map(repr, sorted(model.levels, key=str)[:10]))
        checks.refuse(_true(pc.invert(known)), "level", f"A label is one of {names}.", model.target)
    return checks.result(pa.table({ID: ids, TIME: times, model.target: values}))


def received_exposures(sent: Sent, model: DeclaredModel, trial: DeclaredTrial, now: datetime) -> Received:
    """Exposures that can be kept."""
    checks = _Checks(sent)
    ids = checks.identifiers(model.said.id)
    times = moments(checks, model.said.time, model.zone, now)
    arms = checks.values(ARM, "text")
    known = pc.is_in(arms, pa.array([trial.control, trial.treated]))
    checks.refuse(_true(pc.invert(known)), "arm", f"An arm is {trial.control!r} or {trial.treated!r}.", ARM)
    return checks.result(pa.table({ID: ids, TIME: times, ARM: arms}))


# Moments --------------------------------------------------------------------------------------------------------------


def moments(checks: _Checks, name: str, zone: tzinfo, now: datetime) -> pa.Array:
    """Moments as microseconds since 1970; those without an offset are local to the zone."""
    values = checks.column(name)
    if isinstance(values, pa.Array | pa.ChunkedArray) and not _is_text(values.type):
        found, local = _arrow_moments(values, name)
    else:
        found, local = _told_moments(checks, values.to_pylist() if hasattr(values, "to_pylist") else values, name)
    gaps = found == GAP
    checks.refuse(_true(gaps & ~checks.bad), "missing", "Every row says when.", name)
    local &= ~gaps
    if local.any():
        found[local] = _universal(checks, found, local, zone, name)
    there = ~gaps & ~checks.bad
    first, last = instant_of(now - OLDEST), instant_of(now + AHEAD)
    if not checks.bad.any() and first <= found.min(initial=last) and found.max(initial=first) <= last:
        return pa.array(found, pa.int64())
    checks.refuse(
        _true(there & (found > last)),
        "future",
        "This lies in the future; a clock is wrong, or the zone is missing.",
        name,
    )
    checks.refuse(_true(there & (found < first)), "too_old", f"This lies more than {OLDEST.days:,} days back.", name)
    return pa.array(np.where(checks.bad, 0, found), pa.int64())


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


GAP = np.iinfo(np.int64).min


def _arrow_moments(values: Any, name: str) -> tuple[Instants, Flags]:
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_null(values.type):
        return np.full(len(values), GAP), np.zeros(len(values), dtype=np.bool_)
    if not (pa.types.is_timestamp(values.type) or pa.types.is_date(values.type)):
        raise Problem(
            422,
            "columns",
            f'The column "{name}" holds {values.type}, and moments are needed.',
            "Send timestamps, or texts as 2024-01-31T13:45:00Z.",
        )
    local = pa.types.is_date(values.type) or values.type.tz is None
    try:
        # Parts of a microsecond may be lost, and nothing else: what is out of reach does not come back from the other end.
        whole = pc.CastOptions(pa.timestamp("us", None if local else "UTC"), allow_time_truncate=True)
        told = pc.fill_null(pc.cast(values, options=whole).cast(pa.int64()), int(GAP))
    except pa.ArrowInvalid as problem:
        raise Problem(422, "columns", f'The column "{name}" holds moments out of reach: {problem}.') from None
    return np.array(told.to_numpy(zero_copy_only=False)), np.full(len(values), local)


def _told_moments(checks: _Checks, values: Sequence[Any], name: str) -> tuple[Instants, Flags]:
    """Moments that were written, as in ISO 8601; a day alone is its midnight."""
    found, local = np.full(len(values), GAP), np.zeros(len(values), dtype=np.bool_)
    read: dict[str, tuple[int, bool] | None] = {}
    for i, value in enumerate(values):
        if value is None or value == "":
            continue
        if value not in read:
            read[value] = _instant(value)
        known = read[value]
        if known is None:
            checks.refuse([i], "time", "This is no moment: write it as 2024-01-31T13:45:00Z.", name)
            found[i] = 0
        else:
            found[i], local[i] = known
    return found, local


def _instant(text: str) -> tuple[int, bool] | None:
    if len(text) > 40 or len(text) < 10 or text[4] != "-" or not text.isascii():
        return None
    try:
        when = datetime.fromisoformat(text)
        bare = when.tzinfo is None
        return instant_of(when.replace(tzinfo=UTC) if bare else when), bare
    except (ValueError, OverflowError):
        return None


def _universal(checks: _Checks, found: Instants, local: Flags, zone: tzinfo, name: str) -> Instants:
    """Local moments as instants; those that the clock shows twice, or never, are refused."""
    told = found[local]
    reach = np.clip(told, instant_of(datetime(1970, 1, 1, tzinfo=UTC)), instant_of(datetime(2200, 1, 1, tzinfo=UTC)))
    offsets = ZoneOffsets.of(zone, int(reach.min()), int(reach.max()))
    out = offsets.universal(reach)
    back = offsets.local(out)
    before, after = offsets.offsets[:-1], offsets.offsets[1:]
    start = offsets.changes + np.minimum(before, after)
    at = np.searchsorted(start, reach, side="right") - 1
    within = (
        (at >= 0) & (reach < (offsets.changes + np.maximum(before, after))[at.clip(0)])
        if len(start)
        else np.zeros(len(reach), np.bool_)
    )
    rows = np.flatnonzero(local)
    checks.refuse(
        rows[within | (back != reach)].tolist(),
        "clock",
        "The clock shows this hour twice, or never: give it an offset.",
        name,
    )
    return np.where(told == reach, out, told)
