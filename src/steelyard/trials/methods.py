"""Every method on the same two arms, side by side: the one that decides, those that should agree, and those not valid here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.files.as_json import AsJson
from steelyard.results import Difference
from steelyard.trials.arms import Fetched, Periods
from steelyard.trials.autocorrelation import Neighbours, neighbours
from steelyard.trials.cuped import by_earlier_values
from steelyard.trials.means import by_unit_sums, paired_t, pooled_t, welch, wilcoxon_by_period, without_interval
from steelyard.trials.permuted import LOPSIDED, TOO_MANY, lopsidedness, permuted_t
from steelyard.trials.proportions import fisher, two_proportions
from steelyard.trials.rates import KINDS, Dispersion, dispersion, negative_binomial, poisson_ratio, quasi_poisson
from steelyard.trials.slow_waves import ALLOWED, slow_waves_t
from steelyard.trials.sums import EARLIER, OUTCOME, Arms, arms_of_units
from steelyard.trials.unit_sums import UnitSums
from steelyard.verdicts.trial import Answer

WELCH = "Welch t by period"
SLOW = "slow-wave t by period"
CUPED = "CUPED by unit"
PERMUTED = "permuted t by unit"
SHARES = "two proportions"
EXACT = "Poisson ratio (exact)"
RETURN = "the same units come back in every period, so periods are not independent"
ALIKE = "neighbouring periods are alike, so there are fewer independent ones than it seems"
BEYOND = "neighbouring periods are more alike"
UNSHOWN = "nothing shows that periods are independent of each other"
SPREAD = "the periods vary more than independent events do"
CAREFUL = "careful here: the periods vary less than independent events do"
NO_SHARE = "a unit can have several events, or the number of exposed units is not known"
EVENTS = 10
"""With fewer units of either outcome in an arm, Student's t of a yes or no sees too much where arms differ in size."""
FEW_EVENTS = f"an arm has fewer than {EVENTS} units with the outcome, or without it"
SKEWED = "the outcome is skewed and the arms differ in size, where Student's t sees too much"
SKEWED_CAUTION = "skewed outcome in arms of unlike sizes"
SEVERAL = "a unit has several rows, and rows of one unit are not independent"


@dataclass(frozen=True, slots=True)
class Method(AsJson, Answer):
    """One method's answer, the unit it takes for independent, and whether it may be used on these data."""

    primary: bool = False
    unshown: bool = False
    """Whether all that is missing for it to be valid is that periods are shown to be independent of each other."""


def _asked(name: str, unit: str, ask: Callable[[], Difference], confidence: float, *why: str) -> Method:
    """A method's answer; what cannot be computed is said and not valid."""
    reason = next(filter(None, why), "")
    try:
        found = ask()
    except SteelyardError as problem:
        found = without_interval("mean", None, confidence, problem.message.rstrip("."))
    if found.value is None or found.low is None:
        reason = reason or found.reason or found.note
    return Method(name, unit, found, not reason, reason)


def named(methods: list[Method], names: tuple[str, str]) -> tuple[Method, ...]:
    """The methods with the arms called by their names."""
    return tuple(replace(m, effect=m.effect.renamed(first=names[0], second=names[1])) for m in methods)


def period_methods(
    periods: Periods,
    confidence: float,
    *,
    returning: bool = False,
    counted: bool = True,
    single: bool = True,
    independent: bool = False,
) -> tuple[list[Method], Dispersion | None, Neighbours | None]:
    """The methods by period, then those by event; treated less control, or treated over control.

    `returning` says that the same units are seen in every period, `counted` that outcomes are counts of events, `single` that
    a unit has at most one event in a period, `independent` that periods are known to be independent of each other. Where that
    is neither known nor shown, only the slow waves are valid.
    """
    out, spread, found = _by_period(periods, confidence, returning=returning, counted=counted, single=single)
    if independent or len(periods.names) < 2 or (found is not None and found.harmless):
        return out, spread, found
    why = UNSHOWN
    if found is not None:
        why += f", since a correlation of neighbours of up to {found.highest:.2f} is not ruled out"
    return (
        [m if m.name == SLOW or not m.valid else replace(m, valid=False, why=why, unshown=True) for m in out],
        spread,
        found,
    )


def _by_period(
    periods: Periods, confidence: float, *, returning: bool, counted: bool, single: bool
) -> tuple[list[Method], Dispersion | None, Neighbours | None]:
    treated, control, _ = periods.outcomes()
    found = neighbours(treated, control, paired=periods.matched)
    back = RETURN if returning else ""
    alike = ALIKE if found is not None and found.alike else ""
    too_much = ""
    if found is not None and found.beyond:
        too_much = f"{BEYOND} ({found.correlation:.2f}) than the {ALLOWED:g} that it allows for"
    apart = "" if periods.matched else "not every period has both arms"

    def pairs(test: Callable[..., Difference]) -> Callable[[], Difference]:
        if apart:
            return lambda: without_interval("mean", None, confidence, apart)
        return lambda: test(treated, control, confidence)

    def asked(name: str, unit: str, ask: Callable[[], Difference], *why: str) -> Method:
        return _asked(name, unit, ask, confidence, back, *why)

    out = [
        asked(WELCH, "period", lambda: welch(treated, control, confidence), alike),
        asked("paired t by period", "period", pairs(paired_t), alike),
        asked("pooled t by period", "period", lambda: pooled_t(treated, control, confidence), alike),
        asked("Wilcoxon by period", "period", pairs(wilcoxon_by_period), alike),
        asked(SLOW, "period", lambda: _slow(periods, confidence), too_much),
    ]
    if not counted:
        return out, None, found
    (x, e), (y, f) = periods.arm(1), periods.arm(0)
    spread = dispersion(x, y, (e, f))
    wide = SPREAD if spread is not None and spread.verdict == "more" else ""
    careful = CAREFUL if spread is not None and spread.verdict == "less" else ""
    a, b = float(x.sum()), float(y.sum())
    size = (float(x.size), float(y.size)) if e is None or f is None else (float(e.sum()), float(f.sum()))
    counts = (x, y, (e, f), confidence)
    out.append(asked("quasi-Poisson ratio", "period", partial(quasi_poisson, *counts), alike))
    out.append(asked("negative binomial ratio", "period", partial(negative_binomial, *counts), alike))
    for kind in KINDS:
        ask = partial(poisson_ratio, a, b, size, confidence, kind)
        out.append(asked(f"Poisson ratio ({kind})", "event", ask, alike, wide))
    share = single and periods.known and a <= size[0] and b <= size[1]
    for name, test in ((SHARES, two_proportions), ("Fisher (odds ratio)", fisher)):
        if share:
            out.append(asked(name, "row", partial(test, a, size[0], b, size[1], confidence), alike, wide))
        else:
            nothing = without_interval("share", None, confidence, NO_SHARE)
            out.append(Method(name, "row", nothing, valid=False, why=NO_SHARE))
    if careful:
        out = [
            replace(m, effect=_noted(m.effect, careful)) if m.unit in {"event", "row"} and m.valid else m for m in out
        ]
    return out, spread, found


def _slow(periods: Periods, confidence: float) -> Difference:
    """The slow waves over the periods that both arms have."""
    found = slow_waves_t(*periods.pairs(), confidence)
    return found if periods.matched else _noted(found, "over the periods that both arms have")


def _noted(difference: Difference, note: str) -> Difference:
    return difference.renamed(note="; ".join(filter(None, (difference.note, note))))


def unit_methods(sums: UnitSums, confidence: float, *, binary: bool) -> list[Method]:
    """The methods by unit, then those by row that are valid where a unit has one row; treated less control.

    Where Student's t would see too much, since the outcome is skewed and the arms differ in size, it is not valid, and arms that
    are drawn again decide.
    """
    arms = sums.arms()
    name = "cluster-robust by unit" if sums.repeated else "Welch t by unit"
    plain = _asked(name, "unit", lambda: by_unit_sums(arms, confidence), confidence)
    out = [plain]
    if plain.valid and lopsidedness(arms) > LOPSIDED:
        out = [replace(plain, valid=False, why=SKEWED)]
        if sums.repeated or not binary:
            drawn = _asked(PERMUTED, "unit", lambda: drawn_again(sums.fetched, OUTCOME, confidence), confidence)
            # What cannot be drawn again is left to Student's t, with a word.
            out = [drawn, out[0]] if drawn.valid else [replace(plain, effect=_cautious(plain.effect))]
    whole = (round(arms[0].whole), arms[0].size, round(arms[1].whole), arms[1].size)
    if sums.has(EARLIER):
        fewest = min(v for y, n in (whole[:2], whole[2:]) for v in (y, n - y))
        few = FEW_EVENTS if binary and not sums.repeated and fewest < EVENTS else ""
        out.append(_asked(CUPED, "unit", lambda: by_earlier_values(arms, sums.fetched, confidence), confidence, few))
    if binary:
        several = SEVERAL if sums.repeated else ""
        for label, test in ((SHARES, two_proportions), ("Fisher (odds ratio)", fisher)):
            out.append(
                _asked(label, "row" if several else "unit", partial(test, *whole, confidence), confidence, several)
            )
    return out


def drawn_again(fetched: Fetched, total: str, confidence: float) -> Difference:
    """The arms drawn again, where single units can be had."""
    u = fetched()
    if u is None:
        return without_interval("mean", None, confidence, TOO_MANY)
    totals = u.total if total == OUTCOME else u.money
    assert totals is not None
    return permuted_t(u.arms(totals), u.arms(u.rows), confidence)


def _cautious(difference: Difference) -> Difference:
    return difference.renamed(caution=difference.caution or SKEWED_CAUTION)


def effect_by_unit(totals: tuple[Any, Any], rows: tuple[Any, Any], confidence: float, *, once: bool) -> Difference:
    """The same from single units.

    >>> import numpy as np
    >>> one = (np.ones(533), np.ones(67))
    >>> print(effect_by_unit((np.arange(533) < 6, np.zeros(67)), one, 0.95, once=True))
    0.011 [−0.030, 0.023] (rests on 6 outcomes)
    """
    arms = arms_of_units(totals, rows)
    return effect_of_sums(arms, lambda: permuted_t(totals, rows, confidence), confidence, once=once)


def effect_of_sums(arms: Arms, drawn: Callable[[], Difference], confidence: float, *, once: bool) -> Difference:
    """The effect by the method that decides for such units, unadjusted; `once` says that each has a yes or no, seen once.

    The same for a trial as a whole, for a band of scores and for money; `drawn` draws the arms again.
    """
    if once and min(arm.units for arm in arms):
        (a, n), (b, m) = ((round(arm.whole), arm.units) for arm in arms)
        return two_proportions(a, n, b, m, confidence)
    found = by_unit_sums(arms, confidence)
    if found.low is None or lopsidedness(arms) <= LOPSIDED:
        return found
    again = drawn()
    return _cautious(found) if again.low is None else again.renamed(caution=found.caution)


def first_by_unit(methods: list[Method], *, once: bool, adjust: bool) -> str:
    """The method by unit that decides: the adjusted one where it is valid, else two proportions for a yes or no seen `once`."""
    valid = {m.name for m in methods if m.valid}
    # Values from before the start were named before the outcome was known, and sharpen whatever chance assigned.
    if adjust and CUPED in valid:
        return CUPED
    return SHARES if once else methods[0].name
