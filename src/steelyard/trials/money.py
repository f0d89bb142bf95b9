"""What the effect is worth: gain × value − cost, with the interval of the effect carried through."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.arguments.allowed import Span, taken
from steelyard.files.as_json import AsJson
from steelyard.results import Difference, Estimate


@dataclass(frozen=True, slots=True)
class Money(AsJson):
    """The money effect of treating one unit (or one period of them), and of all that were treated in the trial."""

    per: str
    each: Estimate
    treated: float
    total: Estimate


def money_effect(
    effect: Difference, *, value: float, cost: float, direction: str, per: str, treated: float
) -> Money | None:
    """Gain × value − cost, where gain is the effect in the good direction; None where the effect has no number.

    >>> d = Difference("mean", value=-0.02, low=-0.03, high=-0.01)
    >>> print(money_effect(d, value=200.0, cost=1.0, direction="lower", per="unit", treated=1000).each)
    3.0 [1.0, 5.0]
    """
    for name, number in (("value", value), ("cost", cost)):
        hint = "The value is what one outcome is worth, the cost what treating one unit takes."
        taken(f"The {name}", number, Span(0) if name == "cost" else Span(), hint)
    if effect.value is None:
        return None
    sign = -1.0 if direction == "lower" else 1.0
    low = high = None
    if effect.low is not None and effect.high is not None:
        low, high = sorted(sign * e * value - cost for e in (effect.low, effect.high))
    each = Estimate(
        "money",
        sign * effect.value * value - cost,
        low,
        high,
        effect.confidence,
        f"{effect.method}, times the value less the cost",
        sum(effect.n),
        note=effect.note,
        caution=effect.caution,
    )
    scaled = [None if e is None else e * treated for e in (each.value, each.low, each.high)]
    total = each.renamed(value=scaled[0], low=scaled[1], high=scaled[2])
    return Money(per, each, treated, total)
