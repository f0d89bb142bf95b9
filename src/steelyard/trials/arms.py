"""From whatever was given to two arms: units with their outcomes, and counts by period."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arguments.allowed import check_word
from steelyard.arguments.sizes import beyond
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.plain import plain_level
from steelyard.errors import BadLevels, EmptyTable, InputError, MissingValues, NotNumeric, UsageError, listing
from steelyard.results import Array, Codes, Flags
from steelyard.rows.language import Rows, Tally, Term
from steelyard.sources.recognise import open_rows
from steelyard.trials.order import places
from steelyard.wording import option

NAMES = ("group", "unit", "period", "segment")
NUMBERS = ("outcome", "value", "before", "score", "exposed")
ROLES = ("group", "outcome", "unit", "period", "segment", "value", "before", "score", "exposed")
"""In the order in which they are looked at."""


@dataclass(frozen=True, eq=False, slots=True)
class TrialRows:
    """Columns by role, one entry a row: codes into `levels` for names, numbers as they are; rows left out are counted."""

    columns: Mapping[str, Any]
    levels: Mapping[str, list[Any]]
    dropped: int = 0

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def has(self, role: str) -> bool:
        """Whether a column plays this role."""
        return role in self.columns

    def only(self, keep: Flags) -> TrialRows:
        """The rows that are marked."""
        return TrialRows({k: v[keep] for k, v in self.columns.items()}, self.levels, self.dropped)


def opened(data: object, given: Mapping[str, Any], missing: str) -> Rows:
    """The rows with the columns that play a part, wherever they are."""
    roles = {role: value for role, value in given.items() if value is not None}
    check_word("missing", missing, ("refuse", "drop"), "Dropped rows are counted and told.")
    if data is None and (text := next((r for r, v in roles.items() if isinstance(v, str)), "")):
        message = f"{option(text, roles[text])} is the name of a column, but there is no table to find it in."
        raise UsageError(message, "Pass the table first: trial(data, group=..., ...), or pass the values.")
    return open_rows(data, roles)


def read(data: object, given: Mapping[str, Any], missing: str = "refuse") -> TrialRows:
    """The columns that play a part, without rows in which any is missing."""
    return fetched_rows(opened(data, given, missing), missing)


def fetched_rows(rows: Rows, missing: str = "refuse", positive: object = None) -> TrialRows:
    """The same of rows that were opened; `positive` is the outcome's level that counts."""
    roles = [role for role in ROLES if rows.has(role)]
    names = NAMES if positive is None else (*NAMES, "outcome")
    columns: dict[str, Any] = {}
    levels: dict[str, list[Any]] = {}
    if isinstance(rows, ArrayRows):
        for role in roles:
            if role in names:
                found = rows.level(role)
                columns[role], levels[role] = found.codes, list(found.names)
            else:
                with worded(role):
                    columns[role] = rows.value(role)
    else:
        # Rows that are alike are fetched once with their number: what stays in a database need not come twice.
        for role in roles:
            if role in NUMBERS and role not in names and rows.kind(role) == "text":
                with worded(role):
                    rows.tally(Tally({}, {role: asking("value", role)}))
        answer = rows.tally(Tally({role: asking("level", role) for role in roles}))
        times = answer["rows"].astype(np.int64)
        for role in roles:
            values = [plain_level(v) for v in answer[role].tolist()]
            if role in names:
                codes, found_names = _coded(values)
                columns[role], levels[role] = np.repeat(codes, times), found_names
            else:
                with worded(role):
                    columns[role] = np.repeat(_numbers(role, values), times)
    if positive is not None:
        columns["outcome"] = _happened(columns["outcome"], levels.pop("outcome"), plain_level(positive))
    return _complete(TrialRows(columns, levels), missing)


@contextmanager
def worded(role: str) -> Iterator[None]:
    """Where an outcome is told in words, say how to name the one that counts."""
    try:
        yield
    except NotNumeric as problem:
        if role != "outcome":
            raise
        raise NotNumeric(problem.message, f"Say which level counts as the outcome: {option('positive', ...)}") from None


def known_level(positive: object, known: list[Any]) -> None:
    """Complain about a level that counts and is not there."""
    if positive not in known:
        message = f"The level {listing([positive])} is not among the outcomes {listing(dict.fromkeys(known))}."
        raise BadLevels(message, f"Name the level that counts as the outcome: {option('positive', ...)}")


def _happened(codes: Codes, names: list[Any], positive: object) -> Array:
    """1 where the outcome is the level that counts, 0 where it is another, and no number where it is missing."""
    known = [plain_level(v) for v in names]
    known_level(positive, known)
    return np.where(codes < 0, np.nan, (codes == known.index(positive)).astype(np.float64))


def asking(what: str, role: str) -> Term:
    """The "level" or the "value" of a role, as a term of the row language."""
    return lambda r: getattr(r, what)(role)


def _coded(values: list[Any]) -> tuple[Codes, list[Any]]:
    seen: dict[Any, int] = {}
    codes = [-1 if v is None else seen.setdefault(v, len(seen)) for v in values]
    return np.array(codes, dtype=np.int64), list(seen)


def _numbers(role: str, values: list[Any]) -> Array:
    try:
        return np.array([np.nan if v is None else float(v) for v in values])
    except ValueError:
        message = f"The {role} holds text where numbers are needed."
        raise NotNumeric(message, "Turn the values into numbers first.") from None


def refuse_size(role: str, most: float) -> None:
    """Complain about numbers whose squares are no numbers any more, or nothing."""
    if why := beyond(most):
        message = f"The {role} is {most:g} at most, which is {why}."
        raise NotNumeric(message, "Express it in another unit.")


def refuse_gaps(rows: int, lost: Mapping[str, int], left: int, missing: str) -> None:
    """Refuse a table without rows, rows that lack what plays a role unless they are left out, and a table of no others."""
    if not rows:
        message = "There are no rows."
        raise EmptyTable(message, "A trial needs units in both arms.")
    for role, n in lost.items():
        if n and missing != "drop":
            message = f"{n:,} of {rows:,} rows have a missing or infinite {role}."
            raise MissingValues(message, f"Complete them, or leave such rows out: {option('missing', 'drop')}.")
    if not left:
        message = "No row has everything it needs."
        raise EmptyTable(message, "Check the columns that were named.")


def _complete(table: TrialRows, missing: str) -> TrialRows:
    lost = {role: values < 0 if role in NAMES else ~np.isfinite(values) for role, values in table.columns.items()}
    gone = np.logical_or.reduce([*lost.values()])
    refuse_gaps(len(table), {role: int(x.sum()) for role, x in lost.items()}, int((~gone).sum()), missing)
    kept = table.only(~gone)
    for role, values in kept.columns.items():
        if role not in NAMES:
            refuse_size(role, float(np.abs(values).max()))
    return TrialRows(kept.columns, kept.levels, int(gone.sum()))


# Arms -----------------------------------------------------------------------------------------------------------------


def arms_of(table: TrialRows, control: object, treated: object = None) -> tuple[TrialRows, Any, Any, int]:
    """The rows of the two arms, what the arms are called, and the number of rows of other groups."""
    names = table.levels["group"]
    control, treated = named_arms([names[i] for i in np.unique(table.columns["group"])], control, treated)
    place = {name: i for i, name in enumerate(names)}
    arm = np.full(len(names), -1, dtype=np.int64)
    arm[place[control]], arm[place[treated]] = 0, 1
    group = arm[table.columns["group"]]
    keep = group >= 0
    kept = TrialRows({**table.columns, "group": group}, table.levels, table.dropped).only(keep)
    return kept, control, treated, int((~keep).sum())


def named_arms(present: list[Any], control: object, treated: object) -> tuple[Any, Any]:
    """The control and the treated among the groups that there are."""
    control = plain_level(control)
    if control not in present:
        message = f"The control {listing([control])} is not among the groups {listing(present)}."
        raise BadLevels(message, f"Name the group that was left alone: {option('control', ...)}")
    others = [g for g in present if g != control]
    if not others:
        message = f"All rows belong to the control {listing([control])}; the other arm is empty."
        raise BadLevels(message, "A trial needs units in both arms.")
    if treated is None and len(others) > 1:
        message = f"Besides the control there are {len(others)} groups: {listing(others)}."
        raise UsageError(message, f"Name the one to compare: {option('treated', others[0])}, for example.")
    treated = others[0] if treated is None else plain_level(treated)
    if treated not in others:
        message = f"The treated group {listing([treated])} is not among the groups {listing(others)}."
        raise BadLevels(message, "Name a group other than the control.")
    return control, treated


def in_order(codes: Codes, names: list[Any]) -> tuple[Codes, list[Any]]:
    """Levels in their order in time, as their names tell it."""
    used = np.unique(codes)
    found = [names[i] for i in used]
    order = places(found)
    rank = np.empty(len(names), dtype=np.int64)
    rank[used[order]] = np.arange(len(order))
    return rank[codes], [found[i] for i in order]


def with_order(rows: TrialRows) -> tuple[TrialRows, list[Any]]:
    """The rows with their periods numbered in their order, and the names of these."""
    codes, names = in_order(rows.columns["period"], rows.levels["period"])
    return TrialRows({**rows.columns, "period": codes}, rows.levels, rows.dropped), names


@dataclass(frozen=True, eq=False, slots=True)
class TrialUnits:
    """One entry a unit: its arm, the sum of its outcomes, its number of rows, and what is known of it."""

    treated: Flags
    total: Array
    rows: Array
    before: Array | None = None
    score: Array | None = None
    money: Array | None = None
    entered: Codes | None = None

    @property
    def repeated(self) -> bool:
        """Whether some unit has several rows."""
        return bool(self.rows.max(initial=1.0) > 1)

    def arms(self, values: Array) -> tuple[Array, Array]:
        """The values of the treated and of the control."""
        return values[self.treated], values[~self.treated]


Fetched = Callable[[], TrialUnits | None]
"""Fetches single units; None where there are too many."""


def _sums(place: Codes, weights: Array | None, size: int) -> Array:
    return np.bincount(place, weights=weights, minlength=size).astype(np.float64)


def torn_units(many: int, some: list[Any]) -> InputError:
    """The error where units are in both arms."""
    told = listing(some)
    message = f"The unit {told} is in both arms." if many == 1 else f"{many:,} units are in both arms, such as {told}."
    return InputError(message, "A unit belongs to one arm; look at how they were assigned.")


def units_of(table: TrialRows, *, declared: bool) -> TrialUnits:
    """Rows added up by unit; without a declared unit every row is one."""
    c = table.columns
    n = len(table)
    unit = np.unique(c["unit"], return_inverse=True)[1] if declared else np.arange(n)
    size = int(unit.max()) + 1
    rows = np.bincount(unit, minlength=size).astype(np.float64)
    acted = _sums(unit, c["group"].astype(np.float64), size)
    both = (acted > 0) & (acted < rows)
    if both.any():
        shown = table.levels["unit"]
        codes = np.unique(c["unit"])[np.flatnonzero(both)[:3]]
        raise torn_units(int(both.sum()), [shown[i] for i in codes])

    def mean(role: str) -> Array | None:
        return _sums(unit, c[role], size) / rows if role in c else None

    money = _sums(unit, c["outcome"] * c["value"], size) if "value" in c else None
    entered = None
    if "period" in c:
        entered = np.full(size, np.iinfo(np.int64).max, dtype=np.int64)
        np.minimum.at(entered, unit, c["period"])
    total = _sums(unit, c["outcome"], size)
    return TrialUnits(acted > 0, total, rows, mean("before"), mean("score"), money, entered)


@dataclass(frozen=True, eq=False, slots=True)
class Periods:
    """Outcomes added up by arm (control first) and period, with the units exposed, where known."""

    names: tuple[Any, ...]
    counts: Array
    exposed: Array | None
    known: bool = True
    """Whether the exposed units are known; otherwise `exposed` has the planned shares of the arms, 1 being an equal share."""
    per: float | None = None
    """For how many exposed units outcomes are told, where that is not left to `level`."""

    @property
    def matched(self) -> bool:
        """Whether both arms were seen in every period."""
        return not np.isnan(self.counts).any()

    def arm(self, i: int) -> tuple[Array, Array | None]:
        """Counts and exposed units of an arm in the periods in which it was seen."""
        seen = ~np.isnan(self.counts[i])
        return self.counts[i][seen], None if self.exposed is None else self.exposed[i][seen]

    @property
    def even(self) -> bool:
        """Whether as many units are exposed in every period of both arms, so that counts may be read as they are."""
        return self.exposed is None or bool(np.nanmax(self.exposed) == np.nanmin(self.exposed))

    @property
    def lacking(self) -> tuple[tuple[Any, int], ...]:
        """Periods without a row of an arm (0 the control, 1 the treated), by name."""
        return tuple((self.names[t], int(i)) for i, t in zip(*np.nonzero(np.isnan(self.counts)), strict=True))

    @property
    def level(self) -> float:
        """For how many exposed units outcomes are told: those there are, or the nearest power of ten where they differ."""
        if self.per is not None:
            return self.per
        if self.exposed is None or not self.known:
            return 1.0
        mean = float(np.nanmean(self.exposed))
        return mean if self.even else 10.0 ** round(float(np.log10(mean)))

    def outcomes(self) -> tuple[Array, Array, float]:
        """Treated and control outcome of each period for as many exposed units as `level` says, and that number."""
        if self.exposed is None:
            return self.arm(1)[0], self.arm(0)[0], 1.0
        level = self.level
        return self._level(1, level), self._level(0, level), level

    def pairs(self) -> tuple[Array, Array]:
        """Treated and control outcome of the periods that both arms have."""
        seen = ~np.isnan(self.counts)
        treated, control, _ = self.outcomes()
        return treated[seen[0][seen[1]]], control[seen[1][seen[0]]]

    def _level(self, i: int, level: float) -> Array:
        x, e = self.arm(i)
        assert e is not None
        return x if self.even and self.per is None else x / e * level


def periods_of(table: TrialRows, names: list[Any], *, counted: bool) -> Periods:
    """Rows (or counts) added up by period and arm."""
    c = table.columns
    size = len(names)
    place = c["group"] * size + c["period"]
    seen = np.bincount(place, minlength=2 * size).reshape(2, size).astype(np.float64)
    total = _sums(place, c["outcome"], 2 * size).reshape(2, size)
    exposed: Array | None = seen
    if counted:
        exposed = _sums(place, c["exposed"], 2 * size).reshape(2, size) if "exposed" in c else None
    there = seen > 0
    total = np.where(there, total, np.nan)
    return Periods(
        tuple(names), total, None if exposed is None else np.where(there, exposed, np.nan), exposed is not None
    )
