"""A trial counted where its rows live: rows become units and units become sums inside the database, and no row is fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from steelyard.engines.frames import FrameRows
from steelyard.engines.plain import plain_level
from steelyard.results import Array, Codes, Flags
from steelyard.rows.language import Table, Tally, Term
from steelyard.trials.arms import (
    NAMES,
    ROLES,
    Periods,
    TrialUnits,
    asking,
    fetched_rows,
    in_order,
    known_level,
    named_arms,
    opened,
    refuse_gaps,
    refuse_size,
    torn_units,
    worded,
)
from steelyard.trials.counted_trial import CountedTrial, counted_rows, kind_of_outcome
from steelyard.trials.sums import EARLIER, MONEY, OUTCOME, SCORE, TOTALS, products_of
from steelyard.trials.unit_sums import UnitSums

MOST_UNITS = 2_000_000
"""More units than these are not brought to one machine, even for what needs single units."""
PARTS = {OUTCOME: "outcome", MONEY: "money", EARLIER: "before", SCORE: "score"}
"""What is known of a unit, and the column that it comes from."""


class TrialTable:
    """The rows of a trial in a database, and what is asked of them."""

    def __init__(self, rows: FrameRows, positive: object) -> None:
        self.rows = rows
        self.positive = positive
        self.roles: list[str] = [role for role in ROLES if rows.has(role)]
        self.labels: set[str] = {*NAMES} if positive is None else {*NAMES, "outcome"}
        for role in {*self.roles} - self.labels:
            with worded(role):
                rows.value(role)

    # Terms of the row language ----------------------------------------------------------------------------------------
    def number(self, role: str) -> Term:
        """A number of a row; an outcome that is told in words is 1 where it is the level that counts."""
        if role == "money":
            return lambda r: self.number("outcome")(r) * r.value("value")
        if role == "outcome" and self.positive is not None:
            return lambda r: r.flag(r.is_level("outcome", self.positive))
        return lambda r: r.value(role)

    def size(self, role: str) -> Term:
        """How large a number is, whatever its sign."""
        return lambda r: r.absolute(self.number(role)(r))

    def lost(self, role: str) -> Term:
        """1 where a row lacks what plays this role."""
        if role in self.labels:
            return lambda r: r.flag(r.absent(role))
        return lambda r: r.chain([(r.absolute(r.value(role)) < np.inf, 0.0)], 1.0)

    def any_lost(self, rows: FrameRows) -> Any:
        """How many things a row lacks."""
        return sum((self.lost(role)(rows) for role in self.roles), start=rows.number(0.0))

    def known(self) -> list[str]:
        """The numbers that are known of every row."""
        return [name for name in PARTS.values() if ("value" if name == "money" else name) in self.roles]

    # What is asked ----------------------------------------------------------------------------------------------------
    def first_look(self) -> Table:
        """Rows by arm and period: how many, whether they lack something, and sums and ends of the numbers."""
        names = [role for role in ("group", "period") if self.rows.has(role)]
        by: dict[str, Term] = {name: asking("level", name) for name in names}
        if self.positive is not None:
            by["told"] = asking("level", "outcome")
        sums: dict[str, Term] = {f"lost {role}": self.lost(role) for role in self.roles}
        sums |= {name: self.number(name) for name in self.known()}
        outcome = self.number("outcome")
        sums["broken"] = lambda r: r.flag(~(outcome(r) == r.whole(outcome(r))))
        ends = {"outcome low": outcome}, {"outcome high": outcome} | {f"size {k}": self.size(k) for k in self.known()}
        return self.rows.tally(Tally(by | {"lost": self.any_lost}, sums, *ends))

    def arms(self, control: object, treated: object, *, drop: bool) -> FrameRows:
        """The rows of both arms, without those that lack something."""
        found = self.rows.where(self.rows.is_level("group", control) | self.rows.is_level("group", treated))
        return found.where(self.any_lost(found) == 0.0) if drop else found


def counted_trial(
    data: object, roles: Mapping[str, Any], control: object, treated: object, missing: str, positive: object
) -> CountedTrial:
    """The rows of a trial counted where they are, or here if they are in memory."""
    rows = opened(data, roles, missing)
    if isinstance(rows, FrameRows):
        return counted_in_place(rows, control, treated, missing, positive)
    return counted_rows(fetched_rows(rows, missing, positive), control, treated)


def counted_in_place(rows: FrameRows, control: object, treated: object, missing: str, positive: object) -> CountedTrial:
    """The trial of rows that stay where they are, in two or three scans."""
    table = TrialTable(rows, None if positive is None else plain_level(positive))
    seen = table.first_look()
    good, dropped = _complete(table, seen, missing)
    if positive is not None:
        known_level(table.positive, [plain_level(v) for v in seen["told"][good].tolist()])
    groups = np.array([plain_level(v) for v in seen["group"].tolist()], dtype=object)
    control, treated = named_arms(list(dict.fromkeys(groups[good].tolist())), control, treated)
    here = good & ((groups == control) | (groups == treated))
    count = seen["rows"]
    kind = kind_of_outcome(
        float(seen["outcome low"][here].min()),
        float(seen["outcome high"][here].max()),
        whole=not seen["broken"][here].any(),
    )
    acted = groups == treated
    periods, places = _periods(seen, here, acted) if rows.has("period") else (None, {})
    size = float(count[here].sum())
    centres = {what: float(seen[name][here].sum()) / size for what, name in PARTS.items() if name in table.known()}
    two = table.arms(control, treated, drop=dropped > 0)
    declared = rows.has("unit")
    single = _units(table, two, treated, places) if declared else two
    units = _unit_sums(table, single, treated, centres, places, declared=declared)
    segments = _segments(two, treated, declared=declared) if rows.has("segment") else {}
    others = int(count[good & ~here].sum())
    return CountedTrial(control, treated, kind, int(size), dropped, others, declared, units, periods, segments)


def _complete(table: TrialTable, seen: Table, missing: str) -> tuple[Flags, int]:
    """Which groups of rows lack nothing, and how many rows lack something."""
    count, good = seen["rows"], np.asarray(seen["lost"] == 0)
    lost = {role: int(seen[f"lost {role}"].sum()) for role in table.roles}
    refuse_gaps(int(count.sum()), lost, int(good.sum()), missing)
    for name in table.known():
        refuse_size(name, float(seen[f"size {name}"][good].max()))
    return good, int(count[~good].sum())


def _periods(seen: Table, here: Flags, acted: Flags) -> tuple[Periods, dict[Any, float]]:
    """Outcomes by arm and period, and the place of each period in their order."""
    told = [plain_level(v) for v in seen["period"][here].tolist()]
    names = list(dict.fromkeys(told))
    codes, ordered = in_order(np.array([names.index(v) for v in told]), names)
    size, arm = len(ordered), acted[here].astype(np.int64)
    place = arm * size + codes

    def by_arm(column: Array) -> Array:
        return np.bincount(place, column[here].astype(np.float64), 2 * size).reshape(2, size).astype(np.float64)

    rows = by_arm(seen["rows"])
    total = np.where(rows > 0, by_arm(seen["outcome"]), np.nan)
    periods = Periods(tuple(ordered), total, np.where(rows > 0, rows, np.nan))
    return periods, {name: float(i) for i, name in enumerate(ordered)}


def _units(table: TrialTable, rows: FrameRows, treated: object, places: Mapping[Any, float]) -> FrameRows:
    """One row a unit, which stays where it is: the sums of what is known, and the first of its periods."""
    sums: dict[str, Term] = {f"sum {name}": table.number(name) for name in table.known()}
    sums["acted"] = lambda r: r.flag(r.is_level("group", treated))
    lows: dict[str, Term] = {"entered": lambda r: r.lookup("period", places, 0.0)} if places else {}
    return rows.grouped(Tally({"unit": asking("level", "unit")}, sums, lows))


def _torn(r: Any) -> Any:
    """Whether a unit is in both arms."""
    return (r.value("acted") > 0.0) & (r.value("acted") < r.value("rows"))


def _refuse_torn(units: FrameRows, many: int) -> None:
    torn = units.where(_torn(units))
    torn.frame = torn.frame.head(3)
    some = torn.tally(Tally({"unit": asking("level", "unit")}))["unit"].tolist()
    raise torn_units(many, sorted(some, key=str))


def _of_unit(table: TrialTable, *, declared: bool) -> dict[str, Term]:
    """What is known of a unit, as terms over units, or over rows that are units themselves."""
    out: dict[str, Term] = {}
    for what, name in PARTS.items():
        if name in table.known():
            whole: Term = asking("value", f"sum {name}") if declared else table.number(name)
            out[what] = partial(_mean, whole) if declared and what not in TOTALS else whole
    return out


def _mean(whole: Term, rows: Any) -> Any:
    """A number of a unit whose sum over its rows is known."""
    return whole(rows) / rows.value("rows")


def _unit_sums(
    table: TrialTable,
    units: FrameRows,
    treated: object,
    centres: Mapping[str, float],
    places: Mapping[Any, float],
    *,
    declared: bool,
) -> UnitSums:
    """Units added up by arm, number of rows and period of entry."""
    by = _keys(treated, places, declared=declared)
    known = _of_unit(table, declared=declared)

    def off(what: str) -> Term:
        def term(r: Any) -> Any:
            rows = r.value("rows") if declared and what in TOTALS else 1.0
            return known[what](r) - r.number(centres[what]) * rows

        return term

    sums = {
        name: _product([off(what) for what, power in factors for _ in range(power)])
        for name, factors in products_of(set(known)).items()
    }
    torn: dict[str, Term] = {"torn": lambda r: r.flag(_torn(r))} if declared else {}
    found = units.tally(Tally(by, sums | torn))
    if torn and (many := int(found["torn"].sum())):
        _refuse_torn(units, many)
    added = {"units": found["rows"].astype(np.float64)} | {name: found[name] for name in sums}
    fetched = partial(_fetched, table, units, by, known, int(found["rows"].sum()))
    arm, rows, entered = _columns(found)
    return UnitSums(arm > 0, rows, entered.astype(np.int64), added, centres, fetched)


def _keys(treated: object, places: Mapping[Any, float], *, declared: bool) -> dict[str, Term]:
    """Arm, number of rows and period of entry; what is the same for all is left out."""
    if declared:
        by: dict[str, Term] = {"arm": lambda r: r.flag(r.value("acted") > 0.0), "size": lambda r: r.value("rows")}
        return by | ({"entered": lambda r: r.value("entered")} if places else {})
    by = {"arm": lambda r: r.flag(r.is_level("group", treated))}
    return by | ({"entered": lambda r: r.lookup("period", places, 0.0)} if places else {})


def _columns(found: Table) -> tuple[Array, Array, Array]:
    """Arm, number of rows and period of entry of an answer."""
    arm = np.asarray(found["arm"], dtype=np.float64)
    rows = np.asarray(found["size"], dtype=np.float64) if "size" in found else np.ones_like(arm)
    return arm, rows, np.asarray(found["entered"], dtype=np.float64) if "entered" in found else np.zeros_like(arm)


def _product(terms: list[Term]) -> Term:
    def term(r: Any) -> Any:
        out = terms[0](r)
        for factor in terms[1:]:
            out = out * factor(r)
        return out

    return term


def _fetched(
    table: TrialTable, units: FrameRows, by: Mapping[str, Term], known: Mapping[str, Term], many: int
) -> TrialUnits | None:
    """Single units, for what needs them; those that are alike come once with their number."""
    if many > MOST_UNITS:
        return None
    found = units.tally(Tally({**by, **known}))
    times = found["rows"].astype(np.int64)
    arm, rows, entered = (np.repeat(column, times) for column in _columns(found))
    values: Callable[[str], Array | None] = lambda what: (  # noqa: E731
        np.repeat(np.asarray(found[what], dtype=np.float64), times) if what in known else None
    )
    total = values(OUTCOME)
    assert total is not None
    codes: Codes = entered.astype(np.int64)
    return TrialUnits(arm > 0, total, rows, values(EARLIER), values(SCORE), values(MONEY), codes)


def _segments(rows: FrameRows, treated: object, *, declared: bool) -> dict[Any, tuple[float, float]]:
    """Units of the control and the treated by segment; one that was seen in several belongs to each."""
    by: dict[str, Term] = {"segment": asking("level", "segment"), "arm": lambda r: r.flag(r.is_level("group", treated))}
    if declared:
        rows = rows.grouped(Tally(by | {"unit": asking("level", "unit")}))
        by = {"segment": asking("level", "segment"), "arm": lambda r: r.value("arm")}
    found = rows.tally(Tally(by))
    out: dict[Any, list[float]] = {}
    labels = [plain_level(v) for v in found["segment"].tolist()]
    for label, arm, n in zip(labels, found["arm"].tolist(), found["rows"].tolist(), strict=True):
        out.setdefault(label, [0.0, 0.0])[int(arm)] += float(n)
    return {label: (sizes[0], sizes[1]) for label, sizes in out.items()}
