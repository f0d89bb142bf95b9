"""Before the start: how small an effect a trial can see, and how many periods or units it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from steelyard.arguments.allowed import check_word
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UsageError
from steelyard.results import divide
from steelyard.trials.powers import means_power, periods_power, shares_power
from steelyard.trials.slow_waves import FEWEST, slow_waves_shift
from steelyard.verdicts.trial import by_chance
from steelyard.wording import option
from steelyard.words import count, percent, significant

POWER = 0.8
MOST = 10**9
MOST_PERIODS = 1_000
"""More periods than this are no plan."""
MOST_TIMES = 1e6
"""An effect is not told as so many times the outcome without treatment: that outcome is as good as none."""
AHEAD = 8
SAWTOOTH = 5_000
"""From so many on the teeth are too small to matter."""
TWO_SHARES = "two proportions (skewness-corrected score), counted over all outcomes"
ADJUSTED = "the adjusted effect (CUPED), Welch's t"


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """So many periods or units in each arm see such an effect with such a chance."""

    n: int
    """In each arm."""
    effect: float
    power: float
    alpha: float
    deviation: float
    """The standard deviation of one period's or unit's outcome, after what the time before explains."""
    asked: str
    level: float | None = None
    """The outcome without treatment, where it is known."""
    alike: bool = False
    """Whether neighbouring periods may be alike, so that slow waves decide."""
    treated: int | None = None
    """In the treated arm, where the arms are to differ in size; `n` is then the control's."""
    test: str = "Student's t"
    """The test that decides in the trial, and that was planned."""
    reached: float | None = None
    """The power of a trial of this size, which whole numbers keep from being exactly the one that was asked for."""
    periods: bool = False
    """Whether `n` is a number of periods, in each of which both arms are there."""
    if_independent: int | None = None
    """The periods that are enough if they are known to be independent of each other."""
    share: float | None = None
    """By period: the part of all units that is treated."""

    @property
    def relative(self) -> float | None:
        """The effect as a part of the outcome without treatment."""
        # Of none at all, or next to none, nothing is a part.
        found = divide(self.effect, self.level) if self.level and self.level > 0 else math.inf
        return float(found) if found < MOST_TIMES else None

    def __str__(self) -> str:
        part = (
            ""
            if self.relative is None
            else f" ({percent(round(self.relative, 3))} of {significant(self.level or 0.0)})"
        )
        effect = f"an effect of {significant(self.effect)}{part}"
        whole = ""
        if self.reached is not None and abs(self.reached - self.power) > 0.01:
            whole = f" ({percent(round(self.reached, 3))} with whole numbers)"
        chance = f"with a chance of {percent(round(self.power, 2))}{whole} at the {percent(self.alpha)} level"
        if self.periods:
            return self._by_period(effect, chance)
        by = "slow waves, since neighbouring periods may be alike" if self.alike else self.test
        arms = "equal arms" if self.treated is None else "arms of these sizes"
        spread = f"Taken for granted: a standard deviation of {significant(self.deviation)}, {by}, {arms}."
        if self.asked == "size" and self.treated is not None:
            both = f"{count(self.n)} in the control and {count(self.treated)} in the treated arm"
            return f"To see {effect} {chance}, {both} are needed. {spread}"
        if self.asked == "size":
            return f"To see {effect} {chance}, {count(self.n)} in each arm are needed. {spread}"
        return f"{count(self.n)} in each arm see {effect}, and no smaller one, {chance}. {spread}"

    def _by_period(self, effect: str, chance: str) -> str:
        """The same for periods, with what fewer would do if more were known."""
        needed = f"{count(self.n)} periods with both arms are needed"
        fewer = ""
        if self.if_independent is not None:
            fewer = (
                f" If each period has new units, drawn at random, say so (independent=True, --independent): "
                f"{count(self.if_independent)} periods are then enough."
            )
        part = 0.5 if self.share is None else self.share
        arms = "equal arms" if part == 0.5 else f"{percent(round(part, 3))} of the units treated"
        by = f"{self.test}{', since neighbouring periods may be alike' if self.alike else ''}"
        spread = f"a standard deviation of {significant(self.deviation)} from period to period"
        return f"To see {effect} {chance}, {needed}. Taken for granted: {spread}; {by}; {arms}.{fewer}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"relative": self.relative, "text": str(self)}


def _quantiles(n: float, power: float, alpha: float) -> float:
    from scipy.special import stdtrit

    freedom = 2 * n - 2
    return float(stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power))


def _check(power: float, alpha: float, explained: float) -> None:
    for name, value in (("power", power), ("alpha", alpha)):
        if not 1e-12 <= value < 1:
            message = f"The {name} must lie between 0 and 1, and {value} came."
            raise UsageError(message, "0.8 is usual for the power and 0.05 for alpha.")
    if not 0 <= explained < 1:
        message = f"The explained part must lie between 0 and 1, and {explained} came."
        raise UsageError(message, "It is ρ², the squared correlation with the values from before the trial.")


def _spread(
    deviation: float | None, rate: float | None, share: float | None, other: float | None, only: float | None = None
) -> float:
    """The standard deviation of one outcome: as given, Poisson's or a share's; over both arms, or in the `only` one."""
    given = [v for v in (deviation, rate, share) if v is not None]
    if len(given) != 1:
        message = f"One of deviation, rate and share was expected, and {len(given)} came."
        raise UsageError(message, "Give the standard deviation, or the rate of events, or the share with the outcome.")
    if not (math.isfinite(given[0]) and given[0] > 0) or (share is not None and share >= 1):
        message = f"The spread of the outcome cannot be learnt from {given[0]}."
        raise UsageError(message, "A deviation or a rate is above 0, a share between 0 and 1.")
    if deviation is not None:
        return deviation

    def variance(level: float) -> float:
        return level if share is None else level * (1 - level)

    levels = [given[0]] if other is None else [given[0], max(other, 0.0)]
    if only is not None:
        levels = [max(only, 0.0)]
    return math.sqrt(sum(variance(v) for v in levels) / len(levels))


def planned_effect(
    n: int,
    *,
    deviation: float | None = None,
    rate: float | None = None,
    alpha: float = 0.05,
    explained: float = 0.0,
    level: float | None = None,
    alike: bool = False,
) -> TrialPlan:
    """The smallest effect that n periods (or units) in each arm see with a chance of 80%.

    MDE = (t₁₋α⸝₂ + t_power) s √(2 / n), 2 n − 2 degrees of freedom; s² × (1 − `explained`) with values from before the trial.
    A Poisson `rate` means s² = rate. Periods of which nobody knows whether they are independent of each other are judged by slow
    waves, which take larger effects to see: `alike`.

    >>> round(planned_effect(12, deviation=2.952).effect, 2), round(planned_effect(12, rate=20.5).effect, 2)
    (3.53, 5.42)
    >>> round(planned_effect(12, rate=20.5, alike=True).effect, 2)
    10.06
    """
    _check(POWER, alpha, explained)
    if n < 2:
        message = f"A trial needs at least two periods or units in each arm, and {n} came."
        raise UsageError(message, "Wait for more.")
    spread = _spread(deviation, rate, None, None) * math.sqrt(1 - explained)
    errors = slow_waves_shift(n, POWER, alpha) if alike else _quantiles(n, POWER, alpha)
    effect = errors * spread * math.sqrt(2 / n)
    return TrialPlan(n, effect, POWER, alpha, spread, "effect", rate if level is None else level, alike)


@as_annotated()
def trial_size(
    effect: float,
    *,
    deviation: float | None = None,
    rate: float | None = None,
    share: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    explained: float = 0.0,
    direction: str = "lower",
    level: float | None = None,
    treated: float = 0.5,
    analysis: str | None = None,
    independent: bool = False,
) -> TrialPlan:
    """The fewest units (or periods) with which `trial` sees the effect with the chance `power`, by the test that decides in it.

    A `share` is planned for two proportions of units seen once, counted over all outcomes; a `deviation` for Welch's t by unit, or
    for the adjusted effect where values from before explain a part ρ² of the spread (`explained`). A `rate` has the events of a
    period in the control, and its answer is periods: slow waves decide, or Welch's t where periods are known to be `independent`
    of each other, and the exact Poisson ratio has to agree. `analysis` ("unit" or "period") turns that round: the rate is then
    that of a unit, the deviation that of a period. The treated arm is lower (or, with direction="higher", higher) by the effect;
    `treated` is the part of all units that is treated.

    >>> trial_size(2.833, deviation=2.952).n, trial_size(0.02, share=0.14).n
    (19, 4435)
    >>> plan = trial_size(0.02, share=0.14, treated=0.9)
    >>> plan.n, plan.treated, round(plan.reached, 3)
    (2445, 22005, 0.8)
    >>> trial_size(5, rate=20).n, trial_size(5, rate=20, independent=True).n
    (26, 14)
    """
    _check(power, alpha, explained)
    size = _checked_effect(effect, treated, direction)
    base = rate if rate is not None else share
    other = None if base is None else base - size if direction == "lower" else base + size
    _spread(deviation, rate, share, None)
    by = _analysis(analysis, rate, share, explained)
    if other is not None and (other < 0 or (share is not None and other > 1)):
        message = f"A {'share' if rate is None else 'rate'} of {base:g} cannot change by {size:g} in that direction."
        raise UsageError(message, "Give an effect that leaves it at 0 or above, and a share at 1 or below.")
    left = math.sqrt(1 - explained)
    own = (_spread(deviation, rate, share, None) * left, _spread(deviation, rate, share, None, other) * left)
    facts: dict[str, Any] = {"level": level if level is not None else base}
    facts["deviation"] = _spread(deviation, rate, share, other) * left
    if by == "period":
        return _periods(size, own, treated, power, alpha, rate is not None, independent=independent, **facts)

    def arms(n: int) -> tuple[int, int]:
        """Control and treated, where the smaller arm has n."""
        more = max(n, round(n * max(treated, 1 - treated) / min(treated, 1 - treated)))
        return (n, more) if treated >= 0.5 else (more, n)

    def chance(n: int) -> float:
        sizes = arms(n)
        if by_chance(*sizes) > alpha:
            return 0.0
        if share is None or explained or other is None:
            return means_power(size, own, sizes, alpha, learnt=int(explained > 0))
        return shares_power(other, sizes[1], share, sizes[0], alpha)

    counted = share is not None and not explained
    n = _least(chance, power, 2, MOST, "in each arm", ahead=AHEAD if counted else 0)
    control, acted = arms(n)
    test = TWO_SHARES if counted else ADJUSTED if explained else "Welch's t"
    facts |= {"treated": None if treated == 0.5 else acted, "test": test, "reached": chance(n)}
    return TrialPlan(control, size, power, alpha, asked="size", **facts)


def _checked_effect(effect: float, treated: float, direction: str) -> float:
    check_word("direction", direction, ("lower", "higher"), "Say whether the treated are to have less or more.")
    if not 1 / MOST <= treated <= 1 - 1 / MOST:
        message = (
            f"The part of all units that is treated must lie between 0 and 1, a billionth from either at least, "
            f"and {treated:g} came."
        )
        raise UsageError(message, f"For example {option('treated', 0.9)}, where one unit in ten is left alone.")
    size = abs(effect)
    if not (math.isfinite(size) and size > 0):
        message = f"The effect must be a number other than 0, and {effect} came."
        raise UsageError(message, "Give the smallest effect that matters.")
    return size


def _analysis(analysis: str | None, rate: float | None, share: float | None, explained: float) -> str:
    by = ("unit" if rate is None else "period") if analysis is None else analysis
    check_word("analysis", by, ("unit", "period"), "Name what is to be taken for independent, or leave it out.")
    if by == "period" and share is not None:
        message = "A share is that of units, and a plan by period was asked for."
        raise UsageError(message, f"Give the events of a period in the control: {option('rate', ...)}")
    if by == "period" and explained:
        message = "Values from before the start adjust the outcome of units, and this is a plan by period."
        hint = f"Say {option('analysis', 'unit')} where units are known, or leave {option('explained')} out."
        raise UsageError(message, hint)
    return by


def _periods(
    size: float,
    own: tuple[float, float],
    treated: float,
    power: float,
    alpha: float,
    counted: bool,
    *,
    independent: bool,
    **facts: Any,
) -> TrialPlan:
    """Both arms are there in every period, so arms of unlike sizes differ in how much their outcomes vary."""
    # Of an arm k times as large, the outcome told for one of the control's size varies k times less.
    times = treated / (1 - treated) if counted else 1.0
    variances = (own[0] ** 2, own[1] ** 2 / times)
    events = own[0] ** 2 + own[1] ** 2 * times if counted else None

    def chance(n: int, free: bool) -> float:
        return periods_power(size, variances, n, alpha, independent=free, events=events)

    n = _least(lambda k: chance(k, independent), power, FEWEST, MOST_PERIODS, "periods", ahead=2)
    free = n if independent else _least(lambda k: chance(k, True), power, FEWEST, MOST_PERIODS, "periods")
    test = ("Welch's t" if independent else "slow waves") + (", and the exact Poisson ratio" if counted else "")
    facts |= {"alike": not independent, "test": test, "reached": chance(n, independent), "periods": True}
    facts |= {"if_independent": None if independent else free, "share": treated}
    return TrialPlan(n, size, power, alpha, asked="size", **facts)


def _least(chance: Callable[[int], float], wanted: float, fewest: int, most: int, what: str, ahead: int = 0) -> int:
    """The first number that reaches the power, and so do the next few: power over counts rises in a saw-tooth."""
    low, high = fewest - 1, fewest
    while chance(high) < wanted:
        low, high = high, 2 * high
        if high > most:
            message = f"To see this effect with a chance of {wanted:g}, more than {most:,} {what} would be needed."
            raise UsageError(message, "Look for a larger effect, a less noisy outcome, or be content with less power.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= wanted else (middle, high)
    while high < SAWTOOTH and (short := [k for k in range(high + 1, high + ahead + 1) if chance(k) < wanted]):
        high = short[-1] + 1
    return high
