"""How the trial was made: the arms, the unit of analysis and why, and what was left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadLevels, InputError, UsageError, listing
from steelyard.trials.reading import Periods, Table, Units, arms_of, in_order, periods_of, units_of

ANALYSES = (None, "unit", "period")
DIRECTIONS = ("lower", "higher")


@dataclass(frozen=True, slots=True)
class Design:
    """The arms, the unit of analysis with the reason for it, and the sizes."""

    control: Any
    treated: Any
    analysis: str
    """"unit" or "period"."""
    because: str
    direction: str
    """Which outcome is good: "lower" or "higher"."""
    kind: str
    """"0/1", "count" or "number"."""
    units: int | None
    rows: int
    periods: int
    repeated: bool
    """Whether units have several rows."""
    selection: str | None = None
    dropped: int = 0
    others: int = 0
    """Rows of groups that are not compared."""
    independent: bool = False
    """Whether periods were said to be independent of each other."""

    @property
    def unit(self) -> str:
        """What is taken for independent, in words."""
        if self.analysis == "period":
            return f"the period ({self.periods:,} of them)"
        number = f"{self.units:,}"
        return f"the unit ({number} of them{', several rows each' if self.repeated else ''})"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"unit_of_analysis": self.unit}


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What a trial is judged by: the design, units where they are known, and periods where there are any."""

    design: Design
    units: Units | None
    periods: Periods | None
    sizes: tuple[float, float] | None
    """Assigned units of the control and the treated; None where they are not known."""
    parts: dict[str, tuple[float, float]]
    """The same in each period and segment."""


def check_words(analysis: Any, direction: Any, selection: Any, independent: Any = False) -> None:
    """Refuse words that are not known."""
    if analysis not in ANALYSES:
        message = f'analysis={listing([analysis])} is not known; there are "unit" and "period".'
        raise UsageError(message, "Name what was assigned to the arms, or leave it out.")
    if direction not in DIRECTIONS:
        message = f'direction={listing([direction])} is not known; there are "lower" and "higher".'
        raise UsageError(message, 'Say which outcome is good: direction="lower" for churn, "higher" for sales.')
    if selection is not None and not isinstance(selection, str):
        message = f"The selection is told in words, and a {type(selection).__name__} came."
        raise UsageError(message, 'For example selection="random", or "random against highest risk".')
    if not isinstance(independent, bool):
        message = f"Whether periods are independent is True or False, and {listing([independent])} came."
        raise UsageError(message, "Say independent=True where each period has new units, drawn at random.")


def _varied(outcome: Any) -> None:
    if outcome.min() == outcome.max():
        message = f"The outcome is {outcome[0]:g} in every row of both arms, so there is nothing to compare."
        raise BadLevels(message, "Check the column, or wait for outcomes to come in.")


def from_counts(
    table: Table, control: Any, treated: Any, analysis: str | None, direction: str, selection: str | None
) -> Evidence:
    """The evidence of a table of counts by period and arm."""
    if analysis == "unit":
        message = "A table of counts by period knows no single units, so the unit of analysis cannot be the unit."
        raise UsageError(message, 'Pass one row a unit, or leave analysis out (or say "period").')
    rows, control, treated, others = arms_of(table, control, treated)
    counts = rows.columns["outcome"]
    if (counts < 0).any() or (counts % 1 != 0).any():
        odd = counts[(counts < 0) | (counts % 1 != 0)][0]
        message = f"Counts of events are whole numbers from 0 up, and {odd:g} came."
        raise InputError(message, "Pass the number of events of each arm in each period.")
    if "exposed" in rows.columns and (rows.columns["exposed"] <= 0).any():
        message = "Some periods have no exposed units."
        raise InputError(message, "Leave out periods in which an arm was not exposed.")
    if float(counts.sum()) == 0:
        message = "No event was counted in any period of either arm, so there is nothing to compare."
        raise BadLevels(message, "Check the column, or wait for outcomes to come in.")
    rows, names = _ordered(rows)
    periods = periods_of(rows, names, counted=True)
    design = Design(
        control,
        treated,
        "period",
        "only counts by period were given",
        direction,
        "count",
        None,
        len(rows),
        len(names),
        repeated=False,
        selection=selection,
        dropped=table.dropped,
        others=others,
    )
    sizes, parts = None, {}
    if periods.exposed is not None:
        e = np.nan_to_num(periods.exposed)
        sizes = (float(e[0].sum()), float(e[1].sum()))
        parts = {f"period {n}": (float(e[0, t]), float(e[1, t])) for t, n in enumerate(names)}
    return Evidence(design, None, periods, sizes, parts if len(parts) > 1 else {})


def _ordered(rows: Table) -> tuple[Table, list[Any]]:
    codes, names = in_order(rows.columns["period"], rows.levels["period"])
    return Table({**rows.columns, "period": codes}, rows.levels, rows.dropped), names


def from_rows(
    table: Table, control: Any, treated: Any, analysis: str | None, direction: str, selection: str | None
) -> Evidence:
    """The evidence of rows, one a unit or one a unit and period."""
    rows, control, treated, others = arms_of(table, control, treated)
    if analysis == "period" and not rows.has("period"):
        message = "The period was named as the unit of analysis, and there are zero periods."
        raise UsageError(message, "Name the column of the periods: period=..., or leave analysis out.")
    outcome = rows.columns["outcome"]
    _varied(outcome)
    kind = "0/1" if set(np.unique(outcome).tolist()) <= {0.0, 1.0} else "number"
    if kind == "number" and (outcome >= 0).all() and (outcome % 1 == 0).all():
        kind = "count"
    names: list[Any] = []
    if rows.has("period"):
        rows, names = _ordered(rows)
    declared = rows.has("unit")
    units = units_of(rows, declared=declared)
    why = "it was named" if analysis else "units were given" if declared else "each row is taken for a unit of its own"
    design = Design(
        control,
        treated,
        analysis or "unit",
        why,
        direction,
        kind,
        len(units.total),
        len(rows),
        len(names),
        repeated=units.repeated,
        selection=selection,
        dropped=table.dropped,
        others=others,
    )
    periods = periods_of(rows, names, counted=False) if names else None
    sizes = (float((~units.treated).sum()), float(units.treated.sum()))
    return Evidence(design, units, periods, sizes, _parts(rows, units, names, declared=declared))


def _parts(rows: Table, units: Units, names: list[Any], *, declared: bool) -> dict[str, tuple[float, float]]:
    """Units of each arm that entered in each period, and that belong to each segment."""
    out: dict[str, tuple[float, float]] = {}

    def add(word: str, codes: Any, labels: list[Any]) -> None:
        found = np.unique(codes)
        if len(found) > 1:
            for k in found:
                here = units.treated[codes == k]
                out[f"{word} {labels[k]}"] = (float((~here).sum()), float(here.sum()))

    if units.entered is not None:
        add("period", units.entered, names)
    if rows.has("segment"):
        first = np.unique(rows.columns["unit"], return_index=True)[1] if declared else np.arange(len(rows))
        add("segment", rows.columns["segment"][first], rows.levels["segment"])
    return out
