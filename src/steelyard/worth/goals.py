"""What a threshold is chosen for, and under which constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.arguments.allowed import shown
from steelyard.arguments.typed import number_of
from steelyard.errors import NotAvailable, NothingMeets, UnknownMeasure, UsageError, listing, nearest
from steelyard.measures.measure import catalogue, find
from steelyard.measures.money import priced
from steelyard.payoffs.kinds import KINDS, sign_of
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.wording import either, option
from steelyard.words import significant

Read = Callable[[Confusion], Array]
CONSTRAINT = re.compile(r"\s*([A-Za-z_][\w ]*?)\s*(<=|>=|<|>|≤|≥)\s*([^<>=≤≥]+)")
COUNTS = ("contacts", "flagged")
SHARES = ("depth", "share")


@dataclass(frozen=True, slots=True)
class Goal:
    """A number to make as large (or small) as possible by moving the threshold.

    `read` is the number that is told; `choose`, where it differs, the one that decides: under ranges of amounts the regret.
    """

    name: str
    read: Read
    sign: float = 1.0
    payoff: Payoff | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    choose: Read | None = None
    sized: Read | None = None
    """The number with its sign, where the goal is its size."""

    @property
    def linear(self) -> bool:
        """Whether it is a payoff without ranges, so that profits along the cuts are plain sums."""
        return self.payoff is not None and self.choose is None

    def __call__(self, confusion: Confusion, told: Array | None = None) -> Array:
        """How good each cut is: larger is better, minus infinity where the number is undefined."""
        if self.choose is not None:
            return self.choose(confusion)
        values = self.sign * np.asarray(self.read(confusion) if told is None else told, dtype=np.float64)
        return np.where(np.isnan(values), -np.inf, values)


def goal_of(what: object, options: Mapping[str, Any], known: Payoff | None, over: str = "regret") -> Goal:
    """The goal that a payoff, or the name of a measure of labels, stands for."""
    if isinstance(what, Payoff):
        payoff, name = what, what.kind
    elif isinstance(what, str) and what in KINDS:
        if known is None:
            message = f"The {what} needs to know what outcomes are worth."
            typed = f"Give {option('profit', typed='FILE')} or {option('cost', typed='FILE')}."
            raise NotAvailable(message, either("Pass Profit(...) or Cost(...), here or as profit= to evaluate.", typed))
        payoff, name = known, str(what)
    else:
        return _measure_goal(what, options)
    if options:
        odd = next(iter(options))
        message = f'There is no option "{odd}" for the best threshold.'
        raise UsageError(
            message, nearest(odd, ["constraint", "over"]) or f"There are {option('constraint')} and {option('over')}."
        )
    sign = sign_of(name)
    return Goal(name, _money(payoff, sign), sign, payoff, choose=_over(payoff, over) if payoff.ranged else None)


def _over(payoff: Payoff, over: object) -> Read:
    """How good each cut is over the ranges of a payoff; every rule is linear or convex, so the corners decide."""
    reads = [_money(p, 1.0) for p in payoff.corners()]

    def mean(confusion: Confusion) -> Array:
        return _money(payoff.middle(), 1.0)(confusion)

    def worst(confusion: Confusion) -> Array:
        return np.asarray(np.minimum.reduce([read(confusion) for read in reads]))

    def regret(confusion: Confusion) -> Array:
        return -regrets(confusion, reads)

    rules = {"mean": mean, "worst": worst, "regret": regret}
    if not isinstance(over, str) or over not in rules:
        message = f"{option('over', over)} is not a choice."
        raise UsageError(message, 'Allowed: "regret" (least lost at worst), "worst" (most earned at worst), "mean".')
    return rules[over]


def regrets(confusion: Confusion, reads: Sequence[Read]) -> Array:
    """The most that each cut can lose against the best cut, over all corners of the ranges."""
    lost = []
    for read in reads:
        values = read(confusion)
        lost.append(values.max(axis=-1, keepdims=True) - values)
    return np.asarray(np.maximum.reduce(lost))


def _money(payoff: Payoff, sign: float) -> Read:
    """Total profit (or cost) of every matrix."""

    def read(confusion: Confusion) -> Array:
        names = () if confusion.amounts is None else confusion.amounts.names
        table = payoff.coefficients(confusion.levels, confusion.positive, names)
        return sign * np.asarray(priced(confusion, table, 1)[0].sum(axis=(-2, -1)))

    return read


def worst_regret(confusion: Confusion, payoff: Payoff) -> Array:
    """The regret of every cut over the ranges of a payoff."""
    return regrets(confusion, [_money(p, 1.0) for p in payoff.corners()])


def _measure_goal(name: object, options: Mapping[str, Any]) -> Goal:
    m = find(name)
    chosen = m.with_defaults(options)
    if m.goal:
        signed = _read(m.goal, {})
        return Goal(m.name, lambda c: np.abs(signed(c)), sized=signed)
    if not m.of_labels:
        labels = [n for n, other in catalogue().items() if other.of_labels and other.better]
        message = f'"{m.name}" does not depend on a threshold, so none is best for it.'
        raise UsageError(message, f"Choose for profit, cost, ks, or a measure of labels: {listing(labels, 30)}.")
    side = m.better or m.sought
    if side not in {"higher", "lower"}:
        message = f'"{m.name}" has no better and worse, so no threshold is best for it.'
        raise UsageError(message, "Choose for profit, f1, accuracy, ks, or use it as a constraint.")
    return Goal(m.name, _read(m.name, chosen), -1.0 if side == "lower" else 1.0, options=chosen)


def _read(name: str, options: Mapping[str, Any]) -> Read:
    m = find(name)

    def read(confusion: Confusion) -> Array:
        if Outcomes in m.reads:
            return m(confusion.outcomes(confusion.positive), **options).value
        return m(confusion, **options).value

    return read


# Constraints ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constraint:
    """A number that must stay on one side of a bound."""

    text: str
    name: str
    upper: bool
    strict: bool
    bound: float
    read: Read

    def met(self, values: Array) -> Array:
        """Where it holds; what is undefined does not meet it."""
        with np.errstate(invalid="ignore"):
            if self.strict:
                return np.asarray(values < self.bound if self.upper else values > self.bound)
            slack = 1e-12 * max(abs(self.bound), 1.0)
            return np.asarray(values <= self.bound + slack if self.upper else values >= self.bound - slack)


def constraints_of(given: object, payoff: Payoff | None) -> list[Constraint]:
    """Constraints as people write them: "contacts <= 500", "precision >= 0.8", "fpr <= 1%"; several divided by "and"."""
    texts = [given] if isinstance(given, str) else () if given is None else given
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        message = f"A constraint is a text, or several are a list of texts, and {shown(given)} came."
        raise UsageError(message, f"For example {option('constraint', 'contacts <= 500')}.")
    return [_constraint(part, payoff) for text in texts for part in re.split(r"\band\b|;", text) if part.strip()]


def _constraint(text: str, payoff: Payoff | None) -> Constraint:
    found = CONSTRAINT.fullmatch(text)
    if found is None:
        message = f'The constraint "{text.strip()}" cannot be read.'
        hint = "Write a name, <= or >=, and a number: 'contacts <= 500', 'precision >= 0.8', 'fpr <= 1%'."
        raise UsageError(message, hint)
    name, side, number = found.groups()
    bound = number_of(number, f'The constraint "{text.strip()}"')
    if number.rstrip().endswith("%") and name in COUNTS:
        # So many per cent of the rows.
        name = SHARES[0]
    _check_bound(text, name, bound, payoff)
    return Constraint(text.strip(), name, side in {"<=", "<", "≤"}, side in {"<", ">"}, bound, _quantity(name, payoff))


def _check_bound(text: str, name: str, bound: float, payoff: Payoff | None) -> None:
    """Refuse a limit that says nothing: a share above one, or the other side of the money that was told."""
    if name in KINDS and payoff is not None and name != payoff.kind:
        message = f'"{text.strip()}" limits the {name}, which is only the {payoff.kind} with its sign turned.'
        raise UsageError(message, f"Limit the {payoff.kind}, or what is spent on contacts: 'contacts <= 300'.")
    limits = (0.0, 1.0) if name in SHARES else (-np.inf, np.inf)
    if name not in {*SHARES, *COUNTS, *KINDS}:
        try:
            limits = find(name).range
        except UnknownMeasure:
            return
    if not limits[0] <= bound <= limits[1]:
        message = (
            f'"{text.strip()}" can tell no threshold from another: {name} lies between {limits[0]:g} and {limits[1]:g}.'
        )
        raise UsageError(message, "Per cent are written with their sign, as in 'precision >= 80%'.")


def _quantity(name: str, payoff: Payoff | None) -> Read:
    if name in COUNTS:
        return lambda c: c.predicted[..., c.levels.index(c.positive)]
    if name in SHARES:
        return lambda c: c.predicted[..., c.levels.index(c.positive)] / c.total
    if name in KINDS:
        return goal_of(name, {}, payoff).read
    try:
        m = find(name)
    except UnknownMeasure:
        every = [*COUNTS, *SHARES, *KINDS, *catalogue()]
        message = f'There is nothing called "{name}" to put a constraint on.'
        raise UsageError(message, nearest(name, every) or f"There are {listing(every, 12)}.") from None
    if not m.of_labels:
        message = f'"{m.name}" does not depend on a threshold, so no constraint on it can choose one.'
        raise UsageError(message, "Constrain contacts, depth, or a measure of labels such as precision or fpr.")
    return _read(m.name, m.with_defaults({}))


def allowed(constraints: Sequence[Constraint], confusion: Confusion) -> Array:
    """Which cuts meet all constraints."""
    masks = [k.met(np.asarray(k.read(confusion), dtype=np.float64)) for k in constraints]
    return np.asarray(np.logical_and.reduce(masks)) if masks else np.ones(confusion.counts.shape[:-2], dtype=bool)


def feasible(constraints: Sequence[Constraint], confusion: Confusion, thresholds: Array) -> Array:
    """Which cuts meet all constraints; where none does, an error says how close one gets."""
    found = allowed(constraints, confusion)
    if found.any():
        return found
    values = [np.broadcast_to(np.asarray(k.read(confusion), dtype=np.float64), thresholds.shape) for k in constraints]
    masks = [k.met(v) for k, v in zip(constraints, values, strict=True)]
    alone = [i for i, mask in enumerate(masks) if not mask.any()]
    hard = alone[0] if alone else len(constraints) - 1
    others = [m for i, m in enumerate(masks) if i != hard]
    among = np.logical_and.reduce(others) if others and not alone else np.ones(len(thresholds), dtype=bool)
    rest = [k.text for i, k in enumerate(constraints) if i != hard]
    raise _nothing(constraints[hard], values[hard], np.asarray(among), rest, confusion, thresholds)


def _nothing(
    constraint: Constraint, values: Array, among: Array, others: list[str], confusion: Confusion, cut: Array
) -> NothingMeets:
    usable = np.where(among & np.isfinite(values), values if constraint.upper else -values, np.inf)
    if not np.isfinite(usable).any():
        message = f'No threshold meets "{constraint.text}": {constraint.name} is not defined at any threshold.'
        return NothingMeets(message, "Choose another constraint.")
    i = int(np.argmin(usable))
    flagged = float(confusion.predicted[i, confusion.levels.index(confusion.positive)])
    given = "" if among.all() else f" with {' and '.join(others)}"
    where = f"the threshold {significant(float(cut[i]), 4)}" if np.isfinite(cut[i]) else "a threshold above every score"
    message = (
        f'No threshold meets "{constraint.text}"{given}: the nearest is {significant(float(values[i]), 4)}, '
        f"at {where}, where {flagged:,.6g} row{' is' if flagged == 1 else 's are'} flagged."
    )
    return NothingMeets(message, "Loosen the constraint, or find a model that ranks better.")
