"""Before the start: how small an effect a trial can see, and how many periods or units it needs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from steelyard.errors import UsageError
from steelyard.trials.slow_waves import slow_waves_shift
from steelyard.words import count, percent, significant

MOST = 10**9


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

    @property
    def relative(self) -> float | None:
        """The effect as a part of the outcome without treatment."""
        return self.effect / self.level if self.level else None

    def __str__(self) -> str:
        part = (
            ""
            if self.relative is None
            else f" ({percent(round(self.relative, 3))} of {significant(self.level or 0.0)})"
        )
        effect = f"an effect of {significant(self.effect)}{part}"
        chance = f"with a chance of {percent(round(self.power, 2))} at the {percent(self.alpha)} level"
        by = "slow waves, since neighbouring periods may be alike" if self.alike else "Student's t"
        arms = "equal arms" if self.treated is None else "arms of these sizes"
        spread = f"Taken for granted: a standard deviation of {significant(self.deviation)}, {by}, {arms}."
        if self.asked == "size" and self.treated is not None:
            both = f"{count(self.n)} in the control and {count(self.treated)} in the treated arm"
            return f"To see {effect} {chance}, {both} are needed. {spread}"
        if self.asked == "size":
            return f"To see {effect} {chance}, {count(self.n)} in each arm are needed. {spread}"
        return f"{count(self.n)} in each arm see {effect}, and no smaller one, {chance}. {spread}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"relative": self.relative, "text": str(self)}


def _quantiles(n: float, power: float, alpha: float) -> float:
    from scipy.special import stdtrit

    freedom = 2 * n - 2
    return float(stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power))


def _check(power: float, alpha: float, explained: float) -> None:
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            message = f"The {name} must lie between 0 and 1, and {value} came."
            raise UsageError(message, "0.8 is usual for the power and 0.05 for alpha.")
    if not 0 <= explained < 1:
        message = f"The explained part must lie between 0 and 1, and {explained} came."
        raise UsageError(message, "It is ρ², the squared correlation with the values from before the trial.")


def _spread(
    deviation: float | None,
    rate: float | None,
    share: float | None,
    other: float | None,
    only: float | None = None,
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
    share: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    explained: float = 0.0,
    level: float | None = None,
    alike: bool = False,
) -> TrialPlan:
    """The smallest effect that n periods (or units) in each arm see with the chance `power`.

    MDE = (t₁₋α⸝₂ + t_power) s √(2 / n), 2 n − 2 degrees of freedom; s² × (1 − `explained`) with values from before the trial.
    A Poisson `rate` means s² = rate, a `share` s² = share (1 − share). Periods of which nobody knows whether they are independent
    of each other are judged by slow waves, which take larger effects to see: `alike`.

    >>> round(planned_effect(12, deviation=2.952).effect, 2), round(planned_effect(12, rate=20.5).effect, 2)
    (3.53, 5.42)
    >>> round(planned_effect(12, rate=20.5, alike=True).effect, 2)
    10.06
    """
    _check(power, alpha, explained)
    if n < 2:
        message = f"A trial needs at least two periods or units in each arm, and {n} came."
        raise UsageError(message, "Wait for more.")
    spread = _spread(deviation, rate, share, None) * math.sqrt(1 - explained)
    errors = slow_waves_shift(n, power, alpha) if alike else _quantiles(n, power, alpha)
    effect = errors * spread * math.sqrt(2 / n)
    known = level if level is not None else rate if rate is not None else share
    return TrialPlan(n, effect, power, alpha, spread, "effect", known, alike)


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
) -> TrialPlan:
    """The fewest periods (or units) in each arm with which the effect is seen with the chance `power`.

    The smallest n for which MDE(n) ≤ |effect|; with a `rate` or `share` the spread is that of both arms, the treated one being
    lower (or, with direction="higher", higher) by the effect. `treated` is the part of all units that is treated.

    >>> trial_size(2.833, deviation=2.952).n, trial_size(2.833, rate=20.5).n
    (19, 39)
    >>> plan = trial_size(0.02, share=0.14, treated=0.9)
    >>> plan.n, plan.treated
    (2593, 23337)
    """
    _check(power, alpha, explained)
    if not 0 < treated < 1:
        message = f"The part of all units that is treated must lie between 0 and 1, and {treated} came."
        raise UsageError(message, "For example treated=0.9, where one unit in ten is left alone.")
    size = abs(effect)
    if not (math.isfinite(size) and size > 0):
        message = f"The effect must be a number other than 0, and {effect} came."
        raise UsageError(message, "Give the smallest effect that matters.")
    base = rate if rate is not None else share
    other = None if base is None else base - size if direction == "lower" else base + size
    if share is not None and other is not None and not 0 <= other <= 1:
        message = f"A share of {share:g} cannot change by {size:g} in that direction."
        raise UsageError(message, "Give an effect that leaves the share between 0 and 1.")
    left = math.sqrt(1 - explained)
    spread = _spread(deviation, rate, share, other) * left
    own = (_spread(deviation, rate, share, None) * left, _spread(deviation, rate, share, None, other) * left)
    times = max(treated, 1 - treated) / min(treated, 1 - treated)

    def arms(n: int) -> tuple[int, int]:
        """Control and treated, where the smaller arm has n."""
        more = max(n, round(n * times))
        return (n, more) if treated >= 0.5 else (more, n)

    def enough(n: int) -> bool:
        sizes = arms(n)
        error = math.sqrt(sum(s**2 / m for s, m in zip(own, sizes, strict=True)))
        return _quantiles(sum(sizes) / 2, power, alpha) * error <= size

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            message = f"An effect of {size:g} needs more than {MOST:,} in each arm."
            raise UsageError(message, "Look for a larger effect, or a less noisy outcome.")
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    known = level if level is not None else base
    control, acted = arms(high)
    return TrialPlan(control, size, power, alpha, spread, "size", known, treated=None if treated == 0.5 else acted)


def power_of(n: int, effect: float, deviation: float, alpha: float = 0.05) -> float:
    """The chance that n in each arm see an effect, by the noncentral t.

    >>> round(power_of(19, 2.833, 2.952), 2)
    0.82
    """
    from scipy.special import nctdtr, stdtrit

    freedom = 2 * n - 2
    shift = abs(effect) / (deviation * math.sqrt(2 / n))
    edge = float(stdtrit(freedom, 1 - alpha / 2))
    return float(1 - nctdtr(freedom, shift, edge) + nctdtr(freedom, shift, -edge))
