"""Two arms given as single units, as the methods by unit take them from a trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.results import Difference
from steelyard.trials.arms import TrialUnits
from steelyard.trials.cuped import by_earlier_values
from steelyard.trials.means import by_unit_sums
from steelyard.trials.sums import arms_of_units, values_of


def by_units(totals: tuple[Any, Any], rows: tuple[Any, Any]) -> Difference:
    """The difference of two means from the totals and the numbers of rows of single units."""
    return by_unit_sums(arms_of_units(totals, rows))


def cuped(totals: tuple[Any, Any], before: tuple[Any, Any], rows: tuple[Any, Any] | None = None) -> Difference:
    """The same, adjusted for values from before; units have one row each unless they are told to have more."""
    ys, xs = [values_of(v) for v in totals], [values_of(v) for v in before]
    ns = [np.ones_like(y) for y in ys] if rows is None else [values_of(n) for n in rows]
    treated = np.arange(ys[0].size + ys[1].size) < ys[0].size
    units = TrialUnits(treated, np.concatenate(ys), np.concatenate(ns), np.concatenate(xs))
    arms = arms_of_units((ys[0], ys[1]), (ns[0], ns[1]), (xs[0], xs[1]))
    return by_earlier_values(arms, lambda: units)
