"""What a confusion matrix is worth, beside the policies that need no model: flag everybody or nobody, at random, perfect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from steelyard.arguments.annotated import as_annotated
from steelyard.asking.estimates import certified_bound
from steelyard.charts.marks import Chart
from steelyard.errors import NotAvailable, listing
from steelyard.files.as_json import AsJson, json_value
from steelyard.intervals.method import Question
from steelyard.intervals.money import around_worth
from steelyard.measures.measure import find
from steelyard.measures.money import priced
from steelyard.payoffs.kinds import OUTCOMES, sign_of
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Array, Estimate, Mean
from steelyard.summaries.confusion import Confusion
from steelyard.verdicts.policy import against_policy
from steelyard.verdicts.verdict import Verdict
from steelyard.views.outcomes import MOST_LEVELS, outcomes_chart
from steelyard.views.told import Told

TEXTBOOKS = {"treat all": "flag everybody", "treat none": "flag nobody"}
"""What textbooks call the two policies that look at nobody."""


@dataclass(frozen=True, slots=True)
class Policy(AsJson):
    """A policy that needs no model: what it comes to, and how much better (more profit, less cost) the model does."""

    name: str
    estimate: Estimate
    advantage: Estimate

    def __str__(self) -> str:
        from steelyard.words import estimate_text

        return f"{self.name}: {estimate_text(self.estimate)}, the model does better by {estimate_text(self.advantage)}"


@dataclass(frozen=True, slots=True)
class OutcomeWorth:
    """One cell of a matrix of outcomes: its rows, what one of them is worth where all are worth the same, and the sum."""

    actual: Any
    predicted: Any
    name: str
    """tp, fn, fp or tn; empty where there are more than two levels, or none is the positive one."""
    rows: float
    each: float | None
    total: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Worth(Told, Estimate):
    """Total profit or cost with its interval, per case, beside the trivial policies and the break-even probability."""

    as_text: ClassVar[str] = "worth.worth_text"

    per_case: Estimate | None = None
    policies: tuple[Policy, ...] = ()
    break_even: float | None = None
    rule: str = ""
    payoff: Mapping[str, Any] = field(default_factory=dict)
    reference: str = "absolute"
    band: tuple[float, float] | None = None
    """Least and greatest value over the ranges of the payoff, where it has any."""
    movable: bool = False
    """Whether another threshold could decide otherwise."""
    outcomes: tuple[OutcomeWorth, ...] = ()
    """What each outcome comes to; the positive level first."""
    linear: tuple[float, float] | None = None
    """What a right and a wrong row are worth, where it is the same for every level, so that accuracy says as much."""

    @as_annotated()
    def policy(self, name: str) -> Policy:
        """One of the policies by name, or by that of textbooks: "treat all", "treat none"."""
        for policy in self.policies:
            if policy.name in (name, TEXTBOOKS.get(name)):
                return policy
        message = f'There is no policy called "{name}"; there are {listing(p.name for p in self.policies)}.'
        raise NotAvailable(message, "Name one of these.")

    @as_annotated()
    def best_policy(self, without: Sequence[str] = ()) -> Policy:
        """The best policy that needs no model and no knowledge of the truth."""
        sign = sign_of(self.measure)
        return max(
            (p for p in self.policies if p.name not in {"perfect", *without}), key=lambda p: sign * float(p.estimate)
        )

    def against_none(self, optimism: float = 0.0, without: tuple[str, ...] = ()) -> Verdict:
        """Whether the model beats the best policy that needs none, the optimism of a choice taken off."""
        best = self.best_policy(without)
        return against_policy(best.advantage, best.name, optimism)

    def chart(self) -> Chart:
        """The matrix in money: what each outcome comes to."""
        return outcomes_chart(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        own = [f.name for f in fields(self) if f.name not in {*Estimate.__dataclass_fields__, "movable"}]
        return self.plain().to_dict() | {name: json_value(getattr(self, name)) for name in own}


def worth_of(
    confusion: Confusion,
    payoff: Payoff,
    kind: str,
    confidence: float,
    *,
    segment: str | None = None,
    movable: bool = False,
) -> Worth:
    """Profit or cost of a confusion matrix, whether or not it is `movable` by a threshold."""
    names = () if confusion.amounts is None else confusion.amounts.names
    table = payoff.coefficients(confusion.levels, confusion.positive, names)
    total = _estimate(confusion, table, kind, confidence, "total", segment)
    corners = [
        _value(confusion, p.coefficients(confusion.levels, confusion.positive, names), kind)
        for p in (payoff.corners() if payoff.ranged else ())
    ]
    two = confusion.positive is not None and len(confusion.levels) == 2
    point, rule = break_even(confusion, table) if two else (None, "")
    facts = {name: getattr(total, name) for name in Estimate.__dataclass_fields__}
    return Worth(
        **facts | {"options": {"payoff": payoff.to_dict(), "per": "total"}, "bound": _bound(confusion, payoff, kind)},
        per_case=_estimate(confusion, table, kind, confidence, "case", segment),
        policies=tuple(_policies(confusion, table, kind, confidence, two=two, segment=segment)),
        break_even=point,
        rule=rule,
        payoff=payoff.to_dict(),
        reference=payoff.reference,
        band=(min(corners), max(corners)) if corners else None,
        movable=movable,
        outcomes=outcome_worths(confusion, payoff, kind) if len(confusion.levels) <= MOST_LEVELS else (),
        linear=linear_in_accuracy(table * sign_of(kind)),
    )


def linear_in_accuracy(table: Array) -> tuple[float, float] | None:
    """What right rows (p) and wrong ones (q) are worth, where the total is N (q − (q − p) accuracy); None elsewhere.

    >>> linear_in_accuracy(np.array([[[0.0, 5.0], [5.0, 0.0]]])), linear_in_accuracy(np.array([[[0.0, 5.0], [1.0, 0.0]]]))
    ((0.0, 5.0), None)
    """
    right, wrong = np.diagonal(table[0]), table[0][~np.eye(table.shape[-1], dtype=np.bool_)]
    if np.any(table[1:]) or not len(wrong) or np.ptp(right) or np.ptp(wrong) or right[0] == wrong[0]:
        return None
    return float(right[0]), float(wrong[0])


def outcome_worths(confusion: Confusion, payoff: Payoff, kind: str) -> tuple[OutcomeWorth, ...]:
    """Rows and worth of every outcome, actual level by actual level, the positive one first."""
    names = () if confusion.amounts is None else confusion.amounts.names
    table = payoff.coefficients(confusion.levels, confusion.positive, names) * sign_of(kind)
    sums = priced(confusion, table, 1)[0]
    order = confusion.positive_first
    two = confusion.positive is not None and len(confusion.levels) == 2
    out = []
    for a, i in enumerate(order):
        for b, j in enumerate(order):
            each = None if np.any(table[1:, i, j]) else float(table[0, i, j])
            # 0 rows of −7 are worth 0, and not −0.
            facts = (OUTCOMES[a][b] if two else "", float(confusion.counts[i, j]), each, float(sums[i, j]) + 0.0)
            out.append(OutcomeWorth(confusion.levels[i], confusion.levels[j], *facts))
    return tuple(out)


def _bound(confusion: Confusion, payoff: Payoff, kind: str) -> float:
    m = find(kind)
    options = {"payoff": payoff, "per": "total"}
    question = Question(m, confusion, lambda s: m(s, **options), 0.95, options=options)
    return certified_bound(question, question.value, options)


def _value(confusion: Confusion, table: Array, kind: str) -> float:
    return sign_of(kind) * float(priced(confusion, table, 1)[0].sum())


def _estimate(
    confusion: Confusion, table: Array, kind: str, confidence: float, per: str, segment: str | None, name: str = ""
) -> Estimate:
    """The estimate of amounts laid over a matrix."""
    table = table * sign_of(kind)
    first, second = (float(x.sum()) for x in priced(confusion, table, 2))
    n = float(confusion.total)
    factor = n if per == "total" else 1.0
    question = Question(find(kind), confusion, lambda _: Mean(first, second, n, factor=factor), confidence)
    found = around_worth(question, confusion, table, per)
    return Estimate(
        name or kind,
        question.value,
        found.low,
        found.high,
        confidence=confidence,
        method=found.method,
        n=n,
        n_eff=n if confusion.squares is None else n * n / float(confusion.squares.sum()),
        segment=segment,
        note=found.note,
        options={"per": per},
    )


def _policies(
    confusion: Confusion, table: Array, kind: str, confidence: float, *, two: bool, segment: str | None
) -> Any:
    predicted = confusion.predicted / confusion.total
    same = np.ones(len(confusion.levels))
    if two:
        place = confusion.levels.index(confusion.positive)
        constant = {"flag everybody": place, "flag nobody": 1 - place}
    else:
        constant = {f"all as {v}": i for i, v in enumerate(confusion.levels)}
    rules = {name: table[:, :, i, None] * same for name, i in constant.items()}
    # As many rows of each prediction as the model makes, dealt out at random.
    rules["at random"] = (table * predicted).sum(axis=-1)[..., None] * same
    rules["perfect"] = np.diagonal(table, axis1=-2, axis2=-1)[..., None] * same
    for name, amounts in rules.items():
        own = _estimate(confusion, amounts, kind, confidence, "total", segment)
        # More profit, or less cost, than the policy on the same rows.
        ahead = _estimate(confusion, table - amounts, "profit", confidence, "total", segment, "advantage")
        yield Policy(name, own, ahead)


def break_even(confusion: Confusion, table: Array) -> tuple[float | None, str]:
    """The probability above which acting pays, p · gain > (1 − p) · cost, and the rule in words."""
    place = confusion.levels.index(confusion.positive)
    gain, loss = (
        table[:, place, place] - table[:, place, 1 - place],
        table[:, 1 - place, 1 - place] - table[:, 1 - place, place],
    )
    values, average = [], ""
    for step, level in ((gain, place), (loss, 1 - place)):
        x = float(step[0])
        if confusion.amounts is not None and np.any(step[1:]):
            rows = float(confusion.actual[level])
            means = [
                float(confusion.amounts.of((i,))[level].sum()) / rows if rows else 0.0 for i in range(len(step) - 1)
            ]
            x += float(np.dot(step[1:], means))
            average = " (at average amounts; each row has its own)"
        values.append(x)
    return point_of(values[0], values[1], average)


def point_of(gain: float, loss: float, average: str = "") -> tuple[float | None, str]:
    """The break-even probability for a positive found worth `gain` and a false alarm costing `loss`.

    >>> point_of(39.0, 1.0)
    (0.025, 'act where the probability is above 0.025')
    """
    if gain > 0 and loss > 0:
        point = loss / (gain + loss)
        return point, f"act where the probability is above {point:.3g}{average}"
    if gain < 0 and loss < 0:
        point = loss / (gain + loss)
        return (
            point,
            f"act where the probability is below {point:.3g}{average}: acting on a positive costs more than it brings",
        )
    if gain >= 0 and loss <= 0:
        return None, f"acting never costs anything: act always{average}"
    return None, f"acting never brings anything: never act{average}"
