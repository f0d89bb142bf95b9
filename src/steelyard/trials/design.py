"""How the trial was made: the arms, the unit of analysis and why, and what was left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from steelyard.arguments.allowed import check_word
from steelyard.errors import BadLevels, InputError, UsageError, listing
from steelyard.trials.arms import Periods, TrialRows, arms_of, periods_of, with_order
from steelyard.trials.counted_trial import CountedTrial
from steelyard.trials.sample_ratio import planned_shares
from steelyard.trials.unit_sums import UnitSums
from steelyard.wording import option


@dataclass(frozen=True, slots=True)
class TrialDesign:
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
    lacking: tuple[tuple[str, Any], ...] = ()
    """Periods of a table of counts that lack an arm, and that arm."""
    scaled: bool = False
    """Whether counts were compared by the planned shares of the arms, since the exposed units are not known."""
    outcome: str = ""
    """The column of what happened, where it has a name."""

    @property
    def unit(self) -> str:
        """What is taken for independent, in words."""
        if self.analysis == "period":
            return f"the period ({self.periods:,} of them)"
        return f"the single unit ({self.units:,} of them{', several rows each' if self.repeated else ''})"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"unit_of_analysis": self.unit}


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What a trial is judged by: the design, units where they are known, and periods where there are any."""

    design: TrialDesign
    units: UnitSums | None
    periods: Periods | None
    sizes: tuple[float, float] | None
    """Assigned units of the control and the treated; None where they are not known."""
    parts: dict[str, tuple[float, float]]
    """The same in each period and segment."""


def check_words(
    analysis: object, direction: object, selection: object, independent: object = False, adjust: object = True
) -> None:
    """Refuse words that are not known."""
    if analysis is not None:
        check_word("analysis", analysis, ("unit", "period"), "Name what was assigned to the arms, or leave it out.")
    good = f'Say which outcome is good: {option("direction", "lower")} for churn, "higher" for sales.'
    check_word("direction", direction, ("lower", "higher"), good)
    if selection is not None and not isinstance(selection, str):
        message = f"The selection is told in words, and a {type(selection).__name__} came."
        raise UsageError(message, f'For example {option("selection", "random")}, or "random against highest risk".')
    if not isinstance(independent, bool):
        message = f"Whether periods are independent is True or False, and {listing([independent])} came."
        hint = f"Say {option('independent', True)} where each period has new units, drawn at random."
        raise UsageError(message, hint)
    if not isinstance(adjust, bool):
        message = f"Whether the adjusted effect decides is True or False, and {listing([adjust])} came."
        raise UsageError(message, f"Leave it out, or say {option('adjust', False)} to let the plain effect decide.")


def from_counts(
    table: TrialRows,
    control: object,
    treated: object,
    analysis: str | None,
    direction: str,
    selection: str | None,
    planned: object = None,
) -> Evidence:
    """The evidence of a table of counts by period and arm.

    Counts of arms whose sizes nobody knows cannot be compared: without the exposed units they are held against the planned shares.
    """
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
    rows, names = with_order(rows)
    periods = periods_of(rows, names, counted=True)
    if periods.exposed is None:
        periods = _by_plan(periods, planned, (control, treated))
    design = TrialDesign(
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
        lacking=tuple((str(name), (control, treated)[i]) for name, i in periods.lacking),
        scaled=not periods.known,
    )
    sizes, parts = None, {}
    # A row that is not there says nothing of how units were assigned.
    both = np.flatnonzero(~np.isnan(periods.counts).any(axis=0))
    if periods.known and periods.exposed is not None and len(both):
        e = periods.exposed[:, both]
        sizes = (float(e[0].sum()), float(e[1].sum()))
        parts = {f"period {names[t]}": (float(e[0, i]), float(e[1, i])) for i, t in enumerate(both)}
    return Evidence(design, None, periods, sizes, parts if len(parts) > 1 else {})


def _by_plan(periods: Periods, planned: object, arms: tuple[Any, Any]) -> Periods:
    """The periods with the planned shares of the arms for exposed units."""
    if planned is None:
        message = (
            "It is not known how many units each arm had, and counts of arms of different sizes cannot be compared."
        )
        hint = (
            f"Give {option('exposed', ...)}, or the planned shares of the arms: "
            f"{option('planned', ...)}, or {option('planned', 'equal')} where they are the same."
        )
        raise UsageError(message, hint)
    shares = np.array(planned_shares(planned, arms))[:, None] * 2
    exposed = np.where(np.isnan(periods.counts), np.nan, shares)
    return replace(periods, exposed=exposed, known=False)


def from_rows(found: CountedTrial, analysis: str | None, direction: str, selection: str | None) -> Evidence:
    """The evidence of rows, one a unit or one a unit and period."""
    named = "the rows name their units" if found.declared else "no unit was named, so that each row is taken for one"
    why = "that was asked for" if analysis else named
    control, treated = found.units.units
    design = TrialDesign(
        found.control,
        found.treated,
        analysis or "unit",
        why,
        direction,
        found.kind,
        round(control + treated),
        found.rows,
        0 if found.periods is None else len(found.periods.names),
        repeated=found.units.repeated,
        selection=selection,
        dropped=found.dropped,
        others=found.others,
    )
    periods = found.periods
    if periods is not None and design.analysis == "unit":
        # Beside the effect per unit, so that all methods can be read on one scale.
        periods = replace(periods, per=1.0)
    parts: dict[str, tuple[float, float]] = {}
    if found.periods is not None:
        entered = {found.periods.names[t]: sizes for t, sizes in found.units.by_entry().items()}
        parts |= {f"period {name}": sizes for name, sizes in entered.items() if len(entered) > 1}
    parts |= {f"segment {name}": sizes for name, sizes in found.segments.items() if len(found.segments) > 1}
    return Evidence(design, found.units, periods, (control, treated), parts)
