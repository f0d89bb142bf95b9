"""The best threshold: for profit or any measure of labels, under constraints, with its own interval and its optimism.

A threshold chosen on the rows on which it is judged looks better than it is. How much is found by doing it again: the table
is dealt out into two halves, the best cut is chosen in one, and what it promises there is compared with what it brings in
the other, which had no part in the choice. Of so many rows as both halves together the luck is less, by √2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.asking.money import in_order_of, labels_of
from steelyard.errors import NotAvailable, UsageError
from steelyard.files.as_json import AsJson
from steelyard.measures.curves import thresholds as cut_points
from steelyard.measures.measure import find
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Codes, Estimate, divide
from steelyard.summaries.scores import Scores
from steelyard.verdicts.choice import CHOSEN
from steelyard.verdicts.policy import pays_more
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import Told
from steelyard.wording import option
from steelyard.worth.calibration import Implied, implied_threshold
from steelyard.worth.cuts import DOUBLED, REPLICATES, coarse, cuts, halves, place_of, profits, resampled, short_cut
from steelyard.worth.goals import Constraint, Goal, allowed, constraints_of, feasible, goal_of, worst_regret
from steelyard.worth.hull import one_score
from steelyard.worth.policies import Worth

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

SAME, APART = "the same rows", "the validation part"


@dataclass(frozen=True, slots=True)
class Threshold(Told, AsJson):
    """Where to cut: the threshold with its interval, what it brings, and how much of that is luck of the choice."""

    as_text: ClassVar[str] = "threshold.threshold_text"
    as_verdict: ClassVar[str] = "foremost.threshold_conclusion"

    goal: str
    value: float | None
    """The least score that is flagged; None where it is best to flag nobody."""
    low: float | None
    high: float | None
    confidence: float
    method: str
    at: Estimate
    """The goal at this threshold, as found."""
    optimism: float | None
    corrected: Estimate
    """The goal less its optimism; on rows that had no part in the choice, the same as `at`."""
    flagged: float
    share: float
    outcomes: Mapping[str, float]
    chosen_on: str = SAME
    constraints: tuple[str, ...] = ()
    over: str = ""
    regret: float | None = None
    """The most that could be lost against the best threshold, over the ranges of the payoff."""
    implied: Implied | None = None
    bound: float = 0.0
    """How much more a threshold inside a cell of the grid could bring."""
    note: str = ""
    short: float | None = None
    """The threshold in as few digits as flag the same rows."""
    positive: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __float__(self) -> float:
        if self.value is None:
            message = "It is best to flag nobody: the threshold lies above every score."
            raise ValueError(message)
        return self.value

    @property
    def worth(self) -> Worth | None:
        """What it brings beside the policies that need no model, where that is money."""
        return self.at if isinstance(self.at, Worth) else None

    @property
    def verdict(self) -> Verdict:
        """Whether it brings more than the best policy without a model, where that is money; where to cut, and why."""
        if self.worth is None:
            return self.in_words(CHOSEN("chosen", self.at))
        without = ("flag everybody",) if self.constraints else ()
        return self.in_words(self.worth.against_none(self.optimism or 0.0, without))

    @property
    def ahead(self) -> bool:
        """Whether on these rows it brings more than the best policy without a model."""
        if self.value is None or self.worth is None:
            return False
        return pays_more(self.worth, self.worth.best_policy().estimate, self.worth.measure)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        from steelyard.views.threshold import threshold_sentences

        return AsJson.to_dict(self) | {"sentences": threshold_sentences(self)}


def best_threshold(
    evaluation: Evaluation,
    what: object,
    *,
    constraint: str | Sequence[str] | None = None,
    over: str = "regret",
    **options: Any,
) -> Threshold:
    """The threshold of an evaluation that is best for a payoff or a measure, among those that meet the constraints."""
    chooser = evaluation if evaluation.validation is None else evaluation.validation
    own, scores = (one_score(side, "A threshold") for side in (evaluation, chooser))
    what = in_order_of(evaluation.levels, evaluation.facts, what) if isinstance(what, Payoff) else what
    goal = goal_of(what, options, evaluation.payoff, over)
    limits = constraints_of(constraint, goal.payoff or evaluation.payoff)
    if not limits and goal.payoff is None and not find(goal.name).better:
        message = f'The least "{goal.name}" is had by flagging nobody, unless something must be reached.'
        raise UsageError(message, f"Say what: {option('constraint', 'recall >= 0.8')}, for example.")
    value, regret = choose(scores, goal, limits)
    spread, optimism, tried = _again(scores, goal, limits, value, evaluation.confidence)
    top = max(float(s.cells.high[-1]) for s in (own, scores))
    test = evaluation.at(value if np.isfinite(value) else float(np.nextafter(top, np.inf)))
    there = told_at(test, goal)
    same = chooser is evaluation
    # Chosen freely on these rows, the gap there is the KS itself, and has its interval: that of a greatest gap.
    at = evaluation.measure(goal.name) if goal.sized is not None and same and not limits else there
    taken = optimism if same and optimism is not None else 0.0
    matrix = labels_of(test).outcomes(test.positive)
    return Threshold(
        goal.name,
        value if np.isfinite(value) else None,
        *spread,
        evaluation.confidence,
        f"bootstrap over cells, percentiles ({tried:,} replicates)",
        at,
        optimism if same else None,
        _less(there, goal.sign * taken),
        float(matrix.tp + matrix.fp),
        float((matrix.tp + matrix.fp) / matrix.total),
        {name: float(getattr(matrix, name)) for name in ("tp", "fn", "fp", "tn")},
        SAME if same else APART,
        tuple(k.text for k in limits),
        over if goal.choose is not None else "",
        regret,
        None if limits else _implied(test, goal, value, taken),
        _inside(scores, goal),
        short=short_cut(scores, place_of(scores, value)),
        positive=evaluation.positive,
        facts={
            "rows": evaluation.rows,
            "source": evaluation.facts.get("source", ""),
            "dropped": dict(evaluation.facts.get("dropped") or {}),
        },
    )


def choose(scores: Scores, goal: Goal, limits: Sequence[Constraint] = ()) -> tuple[float, float | None]:
    """The best threshold of a table (infinity to flag nobody), and its worst regret where the payoff has ranges."""
    if not float(scores.counts.sum()):
        message = "There are no rows to choose a threshold on."
        raise NotAvailable(message, "Count some rows first.")
    if not limits and goal.linear:
        return float(cut_points(scores)[first_best(_along(scores, goal))]), None
    thresholds, table = cuts(scores)
    masked = np.where(feasible(limits, table, thresholds), goal(table), -np.inf)
    if not np.isfinite(masked.max()):
        message = f"The {goal.name} is not defined at any threshold that is allowed."
        raise NotAvailable(message, "Choose for another goal; both classes are needed for most of them.")
    place = first_best(masked)
    if goal.payoff is None or not goal.payoff.ranged:
        return float(thresholds[place]), None
    return float(thresholds[place]), float(worst_regret(table, goal.payoff)[place])


def _along(scores: Scores, goal: Goal) -> Array:
    """Profit at every cut, of a table or of many copies."""
    assert goal.payoff is not None
    return profits(scores, goal.payoff.coefficients(scores.levels, scores.positive, scores.amounts))


def first_best(values: Array) -> int:
    """The first of the best cuts, that is the one that flags fewest; what rounding alone tells apart is equal."""
    return int(firsts_best(values))


def firsts_best(values: Array) -> Codes:
    """The same of many tables, the cuts of each along the last axis."""
    top = values.max(axis=-1, keepdims=True)
    return np.asarray(np.argmax(values >= top - 1e-12 * np.maximum(np.abs(top), 1e-300), axis=-1))


def told_at(evaluation: Evaluation, goal: Goal) -> Estimate:
    """The goal's own number at an evaluation's threshold; for the KS the gap there, which is Youden's index."""
    if goal.payoff is not None:
        worth: Estimate = getattr(evaluation, goal.name)(goal.payoff)
        return worth
    found: Estimate = evaluation.measure(find(goal.name).goal or goal.name, **goal.options)
    if goal.sized is not None and found.value is not None:
        turned = found.value < 0
        ends = (found.high, found.low) if turned else (found.low, found.high)
        low, high = ((None if v is None else abs(v)) if turned else v for v in ends)
        note = "of the score turned round" if turned else found.note
        return found.renamed(value=abs(found.value), low=low, high=high, note=note)
    return found


def _less(estimate: Estimate, optimism: float) -> Estimate:
    """The same estimate moved by its optimism."""
    if estimate.value is None or not optimism:
        return estimate.plain()
    low, high = (None if v is None else v - optimism for v in (estimate.low, estimate.high))
    return estimate.plain().renamed(
        value=estimate.value - optimism, low=low, high=high, method=f"{estimate.method}; less optimism"
    )


def _implied(evaluation: Evaluation, goal: Goal, value: float, optimism: float) -> Implied | None:
    if goal.payoff is None or goal.payoff.ranged:
        return None
    return implied_threshold(evaluation, goal.payoff, goal.name, value, optimism)


def _inside(scores: Scores, goal: Goal) -> float:
    """What a cut inside a shared cell could add to the best profit: its rows sorted in the most favourable way."""
    if scores.cells.sharp or goal.payoff is None:
        return 0.0
    from steelyard.summaries.amounts import powers

    coefficients = goal.payoff.coefficients(scores.levels, scores.positive, scores.amounts)
    place = scores.levels.index(scores.positive)
    other = 1 - place
    total = np.zeros(len(scores.cells.low))
    for level in (place, other):
        step = coefficients[:, level, place] - coefficients[:, level, other]
        n = scores.counts[:, level]
        first, second = powers(n, lambda w, level=level: scores.amount(w)[:, level], step, 2)  # type: ignore[misc]
        # Gains alone are at most half of the sum of sizes plus the sum, and the sum of sizes at most √(n Σd²).
        total = total + (np.sqrt(np.maximum(n * second, 0.0)) + np.abs(first)) / 2
    return float(total[scores.cells.blurred].max())


def _again(
    scores: Scores, goal: Goal, limits: Sequence[Constraint], value: float, confidence: float
) -> tuple[tuple[float | None, float | None], float | None, int]:
    """The choice made again: the spread of the threshold in resampled copies, the optimism, how many copies had a choice."""
    table = coarse(scores, np.array([value]))
    found, told = [], []
    thresholds = np.zeros(0)
    for copies in resampled(table, scores):
        thresholds = cut_points(copies)
        values, every = _scored(copies, goal, limits)
        told.append(values)
        found += thresholds[firsts_best(every)[np.isfinite(every.max(axis=-1))]].tolist()
    noise = _noise(np.concatenate(told))
    here = min(int(np.searchsorted(-thresholds, -value)), len(noise) - 1)
    optimism = _optimism(table, scores, goal, limits, noise, here)
    if len(found) < REPLICATES // 4 or optimism is None:
        return (None, None), None, len(found)
    tail = (1 - confidence) / 2
    ends = np.quantile(np.array(found), [tail, 1 - tail], method="nearest")
    ends = np.array([min(ends[0], value), max(ends[1], value)])
    low, high = (float(v) if np.isfinite(v) else None for v in ends)
    return (low, high), optimism, len(found)


def _noise(told: Array) -> Array:
    """How much the number at each cut varies from copy to copy, beside what flagging nobody would bring."""
    beside = told - np.nan_to_num(told[:, :1])
    good = np.isfinite(beside)
    some = np.maximum(good.sum(axis=0), 1)
    mean = np.where(good, beside, 0.0).sum(axis=0) / some
    return np.asarray(np.sqrt((np.where(good, beside - mean, 0.0) ** 2).sum(axis=0) / some))


def _optimism(
    table: Scores, scores: Scores, goal: Goal, limits: Sequence[Constraint], noise: Array, here: int
) -> float | None:
    """How much better a choice looks on the rows on which it was made than on others; None where halves have no choice.

    Luck is as large as the noise it is taken from: cuts that flag a handful can have little of it, flagging nobody none. So
    the mean gap between two halves is told in units of the noise at the cuts chosen there, and laid on that of the cut here.
    """
    gaps, noises = [], []
    for pair in halves(table, scores):
        (one, ranks_one), (two, ranks_two) = (_scored(half, goal, limits) for half in pair)
        for mine, other, ranks in ((one, two, ranks_one), (two, one, ranks_two)):
            best = firsts_best(ranks)
            rows = np.arange(len(best))
            promised, kept = mine[rows, best], other[rows, best]
            # A goal that is the size of a number keeps the sign that was chosen.
            sign = np.where(promised < 0, -1.0, 1.0) if goal.sized else goal.sign
            gap = sign * (promised - kept)
            fine = np.isfinite(gap) & np.isfinite(ranks[rows, best])
            gaps.append(gap[fine])
            noises.append(noise[best[fine]])
    gap, around = np.concatenate(gaps), np.concatenate(noises)
    if len(gap) < REPLICATES // 8:
        return None
    # Under a constraint a half may choose what the other does not allow; luck never makes a choice look worse.
    return max(DOUBLED * float(gap.mean()), 0.0) * float(divide(noise[here], around.mean())) if around.any() else 0.0


def _scored(table: Scores, goal: Goal, limits: Sequence[Constraint]) -> tuple[Array, Array]:
    """The goal's number at every cut, with its sign, and how good that is; minus infinity where it is not allowed."""
    if not limits and goal.linear:
        values = _along(table, goal)
        return goal.sign * values, values
    _, c = cuts(table)
    told = np.asarray((goal.sized or goal.read)(c), dtype=np.float64)
    good = goal(c, np.abs(told) if goal.sized else told)
    return told, np.where(allowed(limits, c), good, -np.inf)
