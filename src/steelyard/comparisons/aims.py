"""What a plan is about: the difference that is to be seen, the test that will look for it, and what is taken for granted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.comparisons.powers import (
    COUNTED,
    discordant_rows,
    discordant_rows_normal,
    two_areas,
    two_means,
    two_shares,
    two_shares_normal,
)
from steelyard.comparisons.skewed_powers import skewed_means
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.measures.facts import ROWS
from steelyard.measures.measure import catalogue, find
from steelyard.results import Mean
from steelyard.verdicts.enough import CaseCount, fewest_apart, sides_of, too_few
from steelyard.wording import either, option

LOOSE = ("share", "mean")
"""What can be planned for anything that is one."""
VARIANCES = ("binormal", "hanley-mcneil")
NO_OTHER = (
    "the models are taken to err independently, which asks for more rows than needed where both err on the same ones"
)


SLIGHT = 0.01
"""With a skew of less than so much times the root of the rows their mean is as good as normal."""
MOST_SKEW = 30.0
"""Of rows more skewed than this hardly one in two hundred decides."""
NORMAL_ERRORS = 20_001
SMALLEST = 1e-12
"""The smallest level: one minus half of less cannot be told from one."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be seen, and how it will be tested."""

    measure: str
    difference: float
    first: float | None = None
    second: float | None = None
    paired: bool = False
    discordant: float | None = None
    correlation: float | None = None
    deviation: float | None = None
    skew: float | None = None
    prevalence: float = 0.5
    alpha: float = 0.05
    variance: str = "binormal"

    @property
    def kind(self) -> str:
        """Whether it is a share, an area or a mean."""
        return planned_as(self.measure)

    @property
    def part(self) -> str:
        """The rows that it is a share of: "rows", "positives" or "negatives"."""
        cases = None if self.measure in LOOSE else find(self.measure).cases
        return (cases or ROWS).many

    @property
    def root(self) -> bool:
        """Whether it is the root of a mean."""
        return self.measure not in LOOSE and bool(find(self.measure).root_of)

    @property
    def both(self) -> tuple[float, float]:
        """The two values, which have been checked to be there."""
        assert self.first is not None
        assert self.second is not None
        return self.first, self.second

    @property
    def classes(self) -> bool:
        """Whether it matters how many rows are positive."""
        return self.kind == "area" or (self.kind == "share" and self.part != "rows")

    def positives(self, rows: int) -> int:
        """Positive rows among so many."""
        return math.floor(self.prevalence * rows + 1e-9)

    def counted(self, rows: int) -> int:
        """The rows that the measure is about."""
        if self.part == "rows":
            return rows
        return self.positives(rows) if self.part == "positives" else rows - self.positives(rows)

    @property
    def fewest(self) -> int:
        """Fewer rows have no test at all."""
        smaller = min(self.prevalence, 1 - self.prevalence)
        return math.ceil(2 / smaller) if self.kind == "area" else 2 if self.kind == "mean" else 1

    @property
    def apart(self) -> float:
        """The share of rows on which exactly one of two is right; as if they erred independently where it is not given."""
        if self.discordant is not None:
            return self.discordant
        p, q = self.both
        return p * (1 - q) + q * (1 - p)

    @property
    def skewness(self) -> float:
        """The skew of what rows contribute: as it was told, else that of normal errors where it is errors that are averaged."""
        if self.skew is not None:
            return self.skew
        return 0.0 if self.paired or self.measure in LOOSE else _skew_of_normal_errors(self.measure)

    @property
    def skew_unknown(self) -> bool:
        """Whether it is means of other rows that are compared, and nothing tells how skewed the rows are."""
        return self.kind == "mean" and not self.paired and self.skew is None and not self.skewness

    def short(self, rows: int) -> str:
        """Why no verdict is given of so few rows, whatever the difference; empty where there are enough."""
        if self.measure in LOOSE or (self.kind == "share" and self.paired):
            return ""
        if self.kind == "area":
            p = self.positives(rows)
            return too_few(sides_of(p, rows - p))
        what = {"rows": "row", "positives": "real positive", "negatives": "real negative"}
        counted, part = (rows, "rows") if self.kind == "mean" else (self.counted(rows), self.part)
        return too_few([CaseCount(counted, what[part])])

    def power(self, rows: int) -> float:
        """The chance to see the difference."""
        if self.short(rows):
            return 0.0
        if self.kind == "area":
            p = self.positives(rows)
            r = (self.correlation or 0.0) if self.paired else None
            return two_areas(*self.both, p, rows - p, self.alpha, r, self.variance)
        if self.kind == "mean":
            assert self.deviation is not None
            if abs(self.skewness) <= SLIGHT * math.sqrt(rows):
                return self.rough(rows)
            squares = (self.both[0] ** 2, self.both[1] ** 2) if self.root and not self.paired else None
            how: dict[str, Any] = {"paired": self.paired, "means": squares}
            return skewed_means(self._step, self.deviation, rows, self.skewness, self.alpha, **how)
        n = self.counted(rows)
        if n < 1:
            return 0.0
        if self.paired:
            fewest = 0 if self.measure in LOOSE else fewest_apart(self.alpha)
            return discordant_rows(self.difference, self.apart, n, self.alpha, fewest)
        return two_shares(*self.both, n, self.alpha)

    @property
    def _step(self) -> float:
        """The difference of two means; errors are averaged before a root is taken, so of the mean squares."""
        return self.both[0] ** 2 - self.both[1] ** 2 if self.root else self.difference

    def rough(self, rows: int) -> float:
        """The same by the usual formula for shares and means, however few the rows; for areas there is one formula only."""
        if self.kind == "area":
            return self.power(rows)
        if self.kind == "mean":
            assert self.deviation is not None
            return two_means(self._step, self.deviation, rows, self.alpha, paired=self.paired)
        n = self.counted(rows)
        if self.paired:
            return discordant_rows_normal(self.difference, self.apart, n, self.alpha)
        return two_shares_normal(*self.both, n, self.alpha)

    def method(self, rows: int) -> str:
        """The test and how its power was found."""
        if self.kind == "area":
            how = "scores normal in each class" if self.variance == "binormal" else "variances after Hanley and McNeil"
            return f"DeLong's test of two areas; {how}"
        if self.kind == "mean":
            drawn = abs(self.skewness) > SLIGHT * math.sqrt(rows)
            how = "by drawing such rows" if drawn else "by the noncentral t"
            return f"Student's t of {'paired differences' if self.paired else 'two sets'}; power {how}"
        how = "counted over all outcomes" if rows <= COUNTED else "by the normal approximation"
        test = "McNemar's mid-p test" if self.paired else "Newcombe's interval of two shares"
        return f"{test}; power {how}"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted, in words."""
        out = ["rows are independent of one another"]
        if not self.paired:
            out.append("each model is tested on a set of its own, both of the same size")
        elif self.kind == "share":
            out.append(f"exactly one of the two is right on {self.apart:.3g} of the {self.part}")
            if self.discordant is None:
                out.append(NO_OTHER)
        elif self.kind == "area":
            known = self.correlation is not None
            careful = "" if known else ", none having been given, which asks for more rows than needed"
            out.append(f"scores have the correlation {self.correlation or 0.0:g} within each class{careful}")
        if self.classes:
            out.append(f"{self.prevalence:.3g} of the rows are positive")
        if self.kind == "mean":
            m = None if self.measure in LOOSE else find(self.measure)
            of = "values" if m is None else find(m.root_of or m.name).row_noun
            what = f"the differences between the two models' {of}" if self.paired else f"one model's {of}"
            out.append(f"{what} have the standard deviation {self.deviation:.4g} and {self._skew_told()}")
        return tuple(out)

    def _skew_told(self) -> str:
        if self.skew is not None:
            return f"the skew {self.skew:.3g}"
        if self.skewness:
            return f"the skew {self.skewness:.2g}, which is that of normal errors (2 is that of exponential ones)"
        return "no skew to speak of, none having been given"


# What came ------------------------------------------------------------------------------------------------------------


def aim_of(
    measure: str,
    *,
    difference: float | None = None,
    value: float | None = None,
    first: float | None = None,
    second: float | None = None,
    **how: Any,
) -> Aim:
    """An aim from what somebody said, refused where it cannot be meant.

    >>> aim = aim_of("roc_auc", value=0.8, difference=0.05)
    >>> aim.measure, round(aim.first, 3), aim.second
    ('auc', 0.85, 0.8)
    >>> round(aim_of("error_rate", value=0.2, difference=0.05).first, 3)
    0.15
    """
    name = measure_name(measure)
    if value is not None and second is not None:
        message = f"Both {option('value')} and second= came, and they are the same thing."
        raise UsageError(message, "Give value and difference, or first and second.")
    if difference is not None and first is None and second is None and lower_is_better(name):
        # It says how much better the first is, which is less where less is better.
        difference = -difference
    second = value if second is None else second
    if first is None and second is not None and difference is not None:
        first = second + difference
    elif second is None and first is not None and difference is not None:
        second = first - difference
    if first is not None and second is not None:
        if difference is not None and abs(first - second - difference) > 1e-9:
            message = f"The values differ by {first - second:g}, and a difference of {difference:g} came."
            raise UsageError(message, "Leave one of the three out.")
        difference = first - second
    if not difference or not math.isfinite(difference):
        message = "A plan needs a difference that is to be seen, and none came."
        hint = f"Give {option('difference', 0.05)} with {option('value', 0.8)}, for example{either(', or first= and second=', '')}."
        raise UsageError(message, hint)
    aim = Aim(name, float(difference), first, second, **how)
    _check(aim)
    return aim


def lower_is_better(name: str) -> bool:
    """Whether an improvement is a fall; "share" and "mean" are taken to rise."""
    return name not in LOOSE and find(name).better == "lower"


def measure_name(measure: str) -> str:
    """The canonical name of a measure that can be planned."""
    name = measure if measure in LOOSE else find(measure).name
    if not planned_as(name):
        cases = find(name).cases
        if cases is not None and cases.whose and find(name).counted is not None:
            message = f"{name} is a share of {cases.whose}, and each model has its own."
            raise NotAvailable(
                message, f"""Plan {either('measure="share"', "share")}; the rows are then those that count."""
            )
        known = [*LOOSE, *(other for other in catalogue() if planned_as(other))]
        message = f"There is no plan for {name}; there are plans for {listing(known)}."
        raise NotAvailable(message, 'Plan "share" or "mean" for anything that is one, or simulate.')
    return name


def planned_as(name: str) -> str:
    """Whether a plan takes a measure for a share, an area or a mean; empty where there is none.

    >>> planned_as("recall"), planned_as("auc"), planned_as("rmse"), planned_as("kappa")
    ('share', 'area', 'mean', '')
    """
    if name in LOOSE:
        return name
    m = find(name)
    if m.same_rows:
        return "share"
    if m.area == (1.0, 0.0):
        return "area"
    return "mean" if m.root_of or (m.gives is Mean and not m.instead) else ""


def _check(aim: Aim) -> None:
    if not SMALLEST <= aim.alpha < 1:
        message = f"The level alpha must lie between 0 and 1, and {aim.alpha} came."
        raise UsageError(message, "0.05 is usual.")
    if not LEAST_SHARE <= aim.prevalence <= 1 - LEAST_SHARE:
        message = f"A prevalence lies between 0 and 1, a billionth from either at least, and {aim.prevalence:g} came."
        raise UsageError(message, "Give the share of positives among the test rows, for example 0.08.")
    if aim.variance not in VARIANCES:
        message = f"There is no variance {listing([aim.variance])} of an area; there are {listing(VARIANCES)}."
        raise UsageError(message, "Choose one of them.")
    if aim.kind == "mean":
        _check_mean(aim)
        return
    if (aim.first is None or aim.second is None) and not (
        aim.paired and aim.discordant is not None and aim.kind == "share"
    ):
        message = f"How likely a difference in {aim.measure} is seen depends on where the two models are."
        hint = f"Give {option('value')} beside {option('difference')}{either(', or first= and second=', '')}."
        raise UsageError(message, hint)
    for x in (aim.first, aim.second):
        inside = x is None or (0 < x < 1 if aim.kind == "area" else 0 <= x <= 1)
        if not inside:
            message = f"The {aim.measure} lies between 0 and 1, and {x:g} would be needed."
            raise UsageError(message, "Look for a smaller difference.")
    if aim.correlation is not None and not -1 < aim.correlation < 1:
        message = f"A correlation of two models' scores lies between −1 and 1, and {aim.correlation} came."
        raise UsageError(message, "0.5 to 0.9 is usual for models of the same target.")
    if aim.kind == "share" and aim.paired:
        _check_apart(aim)


def _check_mean(aim: Aim) -> None:
    if aim.skew is not None and not abs(aim.skew) <= MOST_SKEW:
        message = (
            f"The skew of what rows contribute lies between {-MOST_SKEW:g} and {MOST_SKEW:g}, and {aim.skew} came."
        )
        raise UsageError(message, "0 is that of normal values, 2 that of exponential ones; take it from a pilot.")
    if aim.deviation is None or not (math.isfinite(aim.deviation) and aim.deviation > 0):
        what = "of the differences between the two models, row by row" if aim.paired else "of one model's values"
        message = f"A plan for {aim.measure} needs the standard deviation {what}, a number above zero."
        raise UsageError(message, f"Take {option('deviation')} from a pilot: a few hundred rows are enough.")
    if aim.root and (aim.first is None or aim.second is None):
        message = f"A difference in {aim.measure} depends on where the two models are."
        hint = f"Give {option('value')} beside {option('difference')}{either(', or first= and second=', '')}."
        raise UsageError(message, hint)


@lru_cache(maxsize=32)
def _skew_of_normal_errors(name: str) -> float:
    """The skew of what rows contribute to a mean of errors that are normal; zero where it is no mean of errors."""
    from scipy.special import ndtri
    from scipy.stats import skew

    m = find(name)
    of = find(m.root_of) if m.root_of else m
    each = of.by_row.get("numbers")
    if each is None:
        return 0.0
    error = ndtri((np.arange(NORMAL_ERRORS) + 0.5) / NORMAL_ERRORS)
    return float(skew(each(np.zeros_like(error), error, **of.with_defaults({}))))


def _check_apart(aim: Aim) -> None:
    """Two models that differ by d must differ on a share d of the rows, and cannot on more than they get wrong or right."""
    least, most = abs(aim.difference), 1.0
    if aim.first is not None and aim.second is not None:
        p, q = aim.both
        most = min(p, 1 - q) + min(q, 1 - p)
    if not least - 1e-12 <= aim.apart <= most + 1e-12 or aim.apart <= 0:
        message = f"Exactly one of the two is right on {least:.3g} to {most:.3g} of the rows, and {aim.apart:g} came."
        raise UsageError(message, "Count the rows of a pilot on which one is right and the other wrong.")


def check_power(power: float, alpha: float) -> None:
    """Refuse a power that no test has, or that every test has."""
    if not alpha < power < 1:
        message = f"The power must lie between alpha ({alpha:g}) and 1, and {power} came."
        raise UsageError(message, "0.8 and 0.9 are usual.")


MOST_ROWS = 10**15
"""More rows than anybody will ever test on."""

LEAST_SHARE = 1e-9
"""Rarer classes have no row in any test set that can be planned."""


def check_rows(aim: Aim, rows: int) -> None:
    """Refuse numbers of rows that cannot be tested."""
    if not aim.fewest <= rows <= MOST_ROWS or rows != int(rows):
        message = f"This comparison needs at least {aim.fewest} rows, at most {MOST_ROWS:,}, and {shown(rows)} came."
        raise UsageError(message, "Give the rows of one test set as a whole number.")
