"""Whether a model earns more than doing without one: the money it is ahead by against nothing, the luck of a choice taken off."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.payoffs.kinds import sign_of
from steelyard.results import Estimate
from steelyard.verdicts.comparison import BETTER, NOT_KNOWN, UNCLEAR, WORSE
from steelyard.verdicts.usefulness import side
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

SAME = "the same"
POLICY = Kind("policy", {BETTER: GOOD, WORSE: BAD, UNCLEAR: OPEN, SAME: OPEN, NOT_KNOWN: UNKNOWN})
LOSS, NO_LOSS = "a loss", "no clear loss"
TRUST = Kind("trust in probabilities", {SAME: GOOD, NO_LOSS: OPEN, LOSS: BAD, NOT_KNOWN: UNKNOWN})
ADVICE = {
    BETTER: "Use it, at this threshold.",
    WORSE: "Move the threshold, or leave the model and do that instead.",
    UNCLEAR: "Evaluate more rows, or look for a better threshold.",
    SAME: "",
    LOSS: "Choose the threshold on rows, or calibrate the scores first.",
    NO_LOSS: "Trust the probabilities, or choose the threshold on rows.",
    NOT_KNOWN: "",
}
MODEL, EVERYBODY, NOBODY = "model", "everybody", "nobody"


def less(estimate: Estimate, optimism: float) -> Estimate:
    """The same estimate with value and interval moved down."""
    value, low, high = (None if v is None else v - optimism for v in (estimate.value, estimate.low, estimate.high))
    return estimate.renamed(value=value, low=low, high=high)


def against_policy(advantage: Estimate, name: str, optimism: float = 0.0) -> Verdict:
    """Whether a model beats a policy that needs none, as far as the interval of the difference says.

    >>> ahead = Estimate("profit", 20.0, 5.0, 35.0)
    >>> against_policy(ahead, "flag everybody").word, against_policy(ahead, "flag everybody", optimism=10.0).word
    ('better', 'no clear difference')
    """
    ahead = less(advantage, optimism)
    facts = {"bound": 0.0, "against": name}
    if ahead.low is None or ahead.high is None:
        return POLICY(NOT_KNOWN, ahead, reason=ahead.note, **facts)
    if ahead.value == 0 and ahead.low == ahead.high == 0:
        return POLICY(SAME, ahead, **facts)
    word = BETTER if side(ahead, 0.0) == 1 else UNCLEAR
    # Luck taken off is no proof of the contrary: worse is only what looks worse before.
    if word == UNCLEAR and side(advantage, 0.0) == -1:
        word = WORSE
    return POLICY(word, ahead, advice=ADVICE[word], **facts)


def pays_more(here: Estimate, there: Estimate, kind: str) -> bool:
    """Whether one sum is better than another on the rows at hand, by more than rounding.

    >>> [pays_more(Estimate("cost", v), Estimate("cost", 4.0), "cost") for v in (3.0, 4.0)]
    [True, False]
    """
    ahead = (float(here) - float(there)) * sign_of(kind)
    return ahead > 1e-9 * max(1.0, abs(float(there)))


def trusting(price: Estimate | None, *, same: bool = False) -> Verdict:
    """Whether the threshold that costs alone imply loses anything; `same` where it makes the same decisions."""
    if price is None or (price.low is None and not same):
        return TRUST(NOT_KNOWN)
    word = SAME if same else LOSS if price.low is not None and price.low > 0 else NO_LOSS
    return TRUST(word, price, bound=0.0, advice=ADVICE[word])


# Campaigns ------------------------------------------------------------------------------------------------------------


def earns_most(earned: Mapping[str, float]) -> str:
    """Whom to contact: of equals the simplest, nobody, then everybody, then those that the model chooses.

    >>> earns_most({"nobody": 0.0, "everybody": 5.0, "model": 5.0}), earns_most({"nobody": 0.0, "model": 7.0})
    ('everybody', 'model')
    """
    least = float("-inf")
    return max((NOBODY, EVERYBODY, MODEL), key=lambda k: (earned.get(k, least), k != MODEL, k == NOBODY))


def unbeaten(ahead: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The rivals that a campaign is not shown to beat, given by how much it is ahead of each.

    >>> unbeaten({"everybody": Estimate("profit", 5.0, 1.0, 9.0), "nobody": Estimate("profit", 5.0, -1.0, 11.0)})
    ('nobody',)
    """
    return tuple(name for name, x in ahead.items() if x.low is None or x.low <= 0)
