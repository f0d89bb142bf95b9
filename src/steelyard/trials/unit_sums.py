"""The units of both arms as sums by arm, number of rows and the period in which they entered: what the methods by unit read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.results import Array, Codes, Flags
from steelyard.trials.arms import Fetched, TrialUnits
from steelyard.trials.sums import EARLIER, MONEY, OUTCOME, SCORE, Arms, ArmSums, added

LOOKED_AT = ("units", OUTCOME, EARLIER, f"{OUTCOME} {OUTCOME}", f"{EARLIER} {EARLIER}", f"{OUTCOME} {EARLIER}")
"""What looks in between read of each arm and period."""


@dataclass(frozen=True, eq=False, slots=True)
class UnitSums:
    """One entry for all units of an arm that have so many rows and entered in one period: how many, and sums over them."""

    treated: Flags
    rows: Array
    entered: Codes
    sums: Mapping[str, Array]
    centres: Mapping[str, float]
    fetched: Fetched
    """The single units, for the few methods that need them; None where there are too many to be fetched."""

    def has(self, what: str) -> bool:
        """Whether this is known of the units."""
        return what in self.centres

    @property
    def repeated(self) -> bool:
        """Whether some unit has several rows."""
        return bool(self.rows.max(initial=1.0) > 1)

    @property
    def units(self) -> tuple[float, float]:
        """How many units the control and the treated have."""
        count = self.sums["units"]
        return float(count[~self.treated].sum()), float(count[self.treated].sum())

    @property
    def acted_on(self) -> float:
        """How many rows the treated units have."""
        return float((self.rows * self.sums["units"])[self.treated].sum())

    def arms(self, total: str = OUTCOME) -> Arms:
        """The treated and the control by number of rows."""
        return self._arm(self.treated, total), self._arm(~self.treated, total)

    def _arm(self, here: Flags, total: str) -> ArmSums:
        kinds, place = np.unique(self.rows[here], return_inverse=True)
        sums = {
            name: np.bincount(place, weights=column[here], minlength=len(kinds)).astype(np.float64)
            for name, column in self.sums.items()
        }
        return ArmSums(kinds, sums, self.centres, total)

    def entries(self, *, adjusted: bool) -> tuple[Array, Codes]:
        """What looks in between read, by arm (treated first) and period of entry, and these periods."""
        steps, at = np.unique(self.entered, return_inverse=True)
        out = np.zeros((len(LOOKED_AT), 2, len(steps)))
        for i, name in enumerate(LOOKED_AT):
            if adjusted or EARLIER not in name:
                for j, here in enumerate((self.treated, ~self.treated)):
                    out[i, j] = np.bincount(at[here], weights=self.sums[name][here], minlength=len(steps))
        return out, steps

    def by_entry(self) -> dict[int, tuple[float, float]]:
        """How many units of the control and the treated entered in each period."""
        count, arms = self.sums["units"], (~self.treated, self.treated)
        control, treated = (np.bincount(self.entered[here], count[here], int(self.entered.max()) + 1) for here in arms)
        return {int(t): (float(control[t]), float(treated[t])) for t in np.unique(self.entered)}


def summed(units: TrialUnits) -> UnitSums:
    """Single units put together.

    >>> u = TrialUnits(np.array([True, False, True]), np.array([1.0, 0.0, 4.0]), np.array([1.0, 1.0, 2.0]))
    >>> s = summed(u)
    >>> s.units, s.arms()[0].rows.tolist(), round(s.arms()[0].mean, 9)
    ((1.0, 2.0), [1.0, 2.0], 1.666666667)
    """
    known = {OUTCOME: units.total, MONEY: units.money, EARLIER: units.before, SCORE: units.score}
    there = {what: v for what, v in known.items() if v is not None}
    size = float(units.rows.sum())
    per = {what: float(v.sum()) / (size if what in {OUTCOME, MONEY} else len(v)) for what, v in there.items()}
    entered = np.zeros(len(units.rows), dtype=np.int64) if units.entered is None else units.entered
    table = np.stack([units.treated.astype(np.float64), units.rows, entered.astype(np.float64)], axis=1)
    kinds, place = np.unique(table, axis=0, return_inverse=True)
    sums = added(place.ravel(), len(kinds), units.rows, there, per)
    return UnitSums(kinds[:, 0] > 0, kinds[:, 1], kinds[:, 2].astype(np.int64), sums, per, lambda: units)
