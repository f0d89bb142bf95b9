"""The rows of a stream by the parts they play: when, what was said, what happened, and everything else that is watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import shown
from steelyard.designs.columns import is_missing, one_each
from steelyard.errors import EmptyTable, MissingValues, NotNumeric, UnknownColumn, UsageError, listing, nearest
from steelyard.evaluate import evaluate
from steelyard.evaluation import Evaluation
from steelyard.monitors.sheets import column_kinds, count_reference, count_sheet, keys_in, open_sheet
from steelyard.monitors.windows import Instants, ZoneOffsets, moment, read_clocked, read_times
from steelyard.results import Flags
from steelyard.sources.fetching import fetch_columns
from steelyard.sources.in_memory import as_table, column_names, flat_array, number_of_rows
from steelyard.sources.recognise import open_table
from steelyard.wording import option

Values = npt.NDArray[Any]
WEIGHT, UNIT = "weight", "unit"


@dataclass(frozen=True, slots=True)
class StreamRoles:
    """Which column plays which part."""

    time: str | None = None
    target: str | None = None
    score: str | Mapping[Any, str] | None = None
    prediction: str | None = None
    weight: str | None = None
    unit: str | None = None
    label_time: str | None = None
    features: tuple[str, ...] = ()
    segment: str | None = None

    def __post_init__(self) -> None:
        single = ("time", "target", "prediction", "weight", "unit", "label_time", "segment")
        alone = {role: getattr(self, role) for role in single}
        for role, name in [*alone.items(), *(("score", name) for name in self.outputs)]:
            if name is not None and not isinstance(name, str):
                message = f"{option(role)} is the name of a column, and {shown(name)} came."
                raise UsageError(message, "Give the table with its columns, and name the one that is meant.")
        others = [self.target, self.weight, self.unit, self.segment, *self.outputs, *self.features]
        for role, name in (("time", self.time), ("label_time", self.label_time)):
            if name is not None and name in others:
                message = f'The column "{name}" was named for a time and for another role.'
                raise UsageError(message, f"Name the column that holds moments: {option(role)}.")

    @property
    def outputs(self) -> tuple[str, ...]:
        """The columns that the model wrote."""
        scores = tuple(self.score.values()) if isinstance(self.score, Mapping) else (self.score,)
        return tuple(dict.fromkeys(x for x in (*scores, self.prediction) if x is not None))

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that is needed."""
        alone = (self.time, self.target, self.weight, self.unit, self.label_time, self.segment)
        return tuple(dict.fromkeys(x for x in (*alone, *self.outputs, *self.features) if x is not None))


@dataclass(frozen=True, slots=True)
class Stream:
    """Columns side by side."""

    roles: StreamRoles
    rows: int
    columns: Mapping[str, Values] = field(repr=False)
    labelled: Flags = field(repr=False)
    times: Instants | None = field(default=None, repr=False)
    label_times: Instants | None = field(default=None, repr=False)
    skipped: Mapping[str, int] | None = None
    """Rows by date whose hour clocks leave out; None where times have an offset, so that there is no doubt."""

    def take(self, rows: npt.NDArray[Any]) -> Stream:
        """Some of the rows."""
        picked = {name: values[rows] for name, values in self.columns.items()}
        times, late = (None if x is None else x[rows] for x in (self.times, self.label_times))
        labelled = self.labelled[rows]
        return replace(self, rows=len(labelled), columns=picked, labelled=labelled, times=times, label_times=late)

    def column(self, name: str | None) -> Values | None:
        """One column, or None where the part is not played."""
        return None if name is None else self.columns[name]

    @property
    def latest(self) -> int:
        """The last moment that the table tells of."""
        assert self.times is not None
        latest = int(self.times.max())
        if self.label_times is not None and self.labelled.any():
            latest = max(latest, int(self.label_times[self.labelled].max()))
        return latest

    def known_by(self, until: int) -> Stream:
        """What was known then: later rows are not there yet, and later labels are not in."""
        assert self.times is not None
        found = self.take(self.times <= until) if (self.times > until).any() else self
        if not found.rows:
            message = f"There are no rows up to {moment(until):%Y-%m-%d %H:%M} UTC."
            raise EmptyTable(message, f"Choose a later {option('now')}.")
        if found.label_times is None:
            return found
        return replace(found, labelled=found.labelled & (found.label_times <= until))

    def present(self, name: str) -> Flags:
        """Which rows have a value of a column."""
        return ~_gaps(self.columns[name])

    def delays(self) -> Instants | None:
        """How long the labels took, in microseconds."""
        if self.label_times is None or self.times is None:
            return None
        return (self.label_times - self.times)[self.labelled]

    def evaluate(self, **options: Any) -> Evaluation:
        """The evaluation of the rows that have a label."""
        r, there = self.roles, self.labelled

        def of(name: str | None) -> Values | None:
            return None if name is None else self.columns[name][there]

        score: Any = {k: of(v) for k, v in r.score.items()} if isinstance(r.score, Mapping) else of(r.score)
        roles = {"target": _whole(of(r.target)), "score": score, "prediction": of(r.prediction)}
        return evaluate(**roles, weight=of(r.weight), unit=of(r.unit), **options)

    def _sheet(self, names: Sequence[str]) -> Any:
        r = self.roles
        table = {name: self.columns[name] for name in names}
        given = {}
        # Under names of their own, so that a weight can be watched as a feature too.
        for role, name in ((WEIGHT, r.weight), (UNIT, r.unit)):
            if name is not None:
                table[f"{role} of rows"] = self.columns[name]
                given[role] = f"{role} of rows"
        return open_sheet(table, list(names), **given)

    def bins(self, names: Sequence[str]) -> dict[str, Any]:
        """Bins of some columns, made from these rows."""
        return count_reference(self._sheet(names)) if names else {}

    def counted(self, bins: Mapping[str, Any]) -> dict[str, Any]:
        """These rows counted into bins."""
        return count_sheet(self._sheet(list(bins)), bins) if bins else {}


def _whole(values: Values | None) -> Values | None:
    """Whole numbers as such: a column that had gaps holds them as decimals."""
    if values is not None and values.dtype.kind == "f" and len(values) and (values == np.rint(values)).all():
        return values.astype(np.int64)
    return values


# Reading --------------------------------------------------------------------------------------------------------------


def read_stream(data: object, roles: StreamRoles, zone: tzinfo, missing: str = "refuse", what: str = "table") -> Stream:
    """The columns that are needed, of a table wherever it lives; rows without a time are refused, or dropped."""
    table, rows, zoned = _read(data, roles.named, what)
    if not rows:
        message = f"The {what} has no rows."
        raise EmptyTable(message, "Look at how it was made.")
    moments = {roles.time, roles.label_time}
    columns = {name: flat_array(table[name]) for name in roles.named if name not in moments}
    scores = roles.score.values() if isinstance(roles.score, Mapping) else [roles.score]
    for name in (x for x in scores if x is not None):
        _refuse_text(name, columns[name], what)
    labelled = np.ones(rows, dtype=np.bool_) if roles.target is None else ~_gaps(columns[roles.target])
    times = late = skipped = None
    if roles.label_time is not None:
        late, gaps = read_times(table[roles.label_time], UTC if roles.label_time in zoned else zone, "time of a label")
        # A label without a time counts as there; a time without a label as nothing.
        late = np.where(gaps, np.iinfo(np.int64).min, late)
    keep = None
    if roles.time is not None:
        there = UTC if roles.time in zoned else zone
        times, gaps, local = read_clocked(table[roles.time], there, "time")
        if local is not None:
            from steelyard.monitors.repeated import moved_on

            skipped = moved_on(local, ZoneOffsets.of(there, int(local.min()), int(local.max())))
        if gaps.any():
            refuse_timeless(int(gaps.sum()), rows, roles.time, missing)
            keep = ~gaps
        if late is not None:
            late = np.where(late == np.iinfo(np.int64).min, times, late)
    found = Stream(roles, rows, columns, labelled, times, late, skipped)
    return found if keep is None else found.take(keep)


def refuse_timeless(lost: int, rows: int, name: str, missing: str) -> None:
    """Complain about rows without a time, unless they are to be left out and others remain."""
    if lost and (missing != "drop" or lost == rows):
        message = f'{lost:,} of {rows:,} rows have no time in the column "{name}".'
        hint = f"Give every row its time, or say {option('missing', 'drop')} to leave such rows out."
        raise MissingValues(message, hint)


def _refuse_text(name: str, values: Values, what: str) -> None:
    """Complain about scores that are no numbers."""
    if values.dtype.kind not in "OUST":
        return
    odd = [v for v in values.tolist() if not is_missing(v) and not isinstance(v, int | float)]
    if odd:
        such = f"such as {listing([odd[0]])}, in {len(odd):,} of {len(values):,} rows"
        message = f'The score "{name}" of the {what} holds text, {such}.'
        raise NotNumeric(message, "Scores are numbers: mend the rows, or leave the score empty where there is none.")


def _gaps(values: Values) -> Flags:
    if values.dtype.kind == "f":
        return ~np.isfinite(values)
    if values.dtype.kind == "O":
        return np.array([is_missing(v) for v in values.tolist()], dtype=np.bool_)
    return np.zeros(len(values), dtype=np.bool_)


def _read(data: object, names: Sequence[str], what: str) -> tuple[Any, int, set[str]]:
    """Columns by name, the number of rows, and which columns had a zone and now hold times in UTC.

    Of a table that lives elsewhere only the columns that are needed come here.
    """
    if data is None or isinstance(data, int | float):
        message = "There are no rows to watch."
        raise UsageError(message, "Pass a table with a column of times: a frame, or the path of a file.")
    table = open_table(data, wanted=names)
    if table is not None:
        _check_columns(names, list(table.names), what)
        columns = fetch_columns(table, names)
        zoned = {name for name in names if table.kinds[table.names[name]] == "zoned"}
        return columns, len(columns[names[0]]) if names else table.length(1), zoned
    found = as_table(data)
    if not hasattr(found, "columns"):
        _by_name(found)
    _check_columns(names, column_names(found), what)
    return found, number_of_rows(found), set()


def _check_columns(names: Sequence[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            message = f'The {what} has no column "{name}".'
            hint = nearest(name, known) or (
                f"There are {listing(known)}." if known else "Pass a table with named columns."
            )
            raise UnknownColumn(message, hint)


def _by_name(found: object) -> Any:
    message = f"A table with named columns is needed, and a value of type {type(found).__name__} came."
    raise UsageError(message, "Pass a frame, a mapping of columns, or the path of a file.")


def feature_names(data: object, features: object, roles: StreamRoles) -> tuple[str, ...]:
    """The features to watch: none, those named, or "all" columns that play no part, are no points in time and no key of labels.

    Identifiers and dates in text are known only once the rows are counted.
    """
    if features is None:
        return ()
    taken = set(roles.named)
    if isinstance(features, str) and features == "all":
        taken |= set(keys_in(data))
        return tuple(name for name, is_time in column_kinds(data).items() if not is_time and name not in taken)
    listed = features if isinstance(features, Iterable) and getattr(features, "ndim", 1) == 1 else ([],)
    chosen: tuple[Any, ...] = (features,) if isinstance(features, str) else tuple(listed)
    if not one_each(chosen):
        message = f"Features are columns by name, and {listing([features])} came."
        hint = f"Say {option('features', ['age', 'region'])}, for example, or {option('features', 'all')}."
        raise UsageError(message, hint)
    moments = [name for name in chosen if name in {roles.time, roles.label_time}]
    if moments:
        message = f'The feature "{moments[0]}" is a column of times, which move on by themselves.'
        raise UsageError(message, f"Leave it out of {option('features')}.")
    return tuple(dict.fromkeys(str(name) for name in chosen))
