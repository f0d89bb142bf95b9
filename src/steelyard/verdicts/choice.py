"""What a choice or a search came to: the policy that earns most, parts that do worse, whether more rows would help."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.results import Difference, Estimate
from steelyard.verdicts.comparison import WORSE
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

CHOSEN = Kind("threshold", {"chosen": GOOD})
"""Of a threshold that is best for a measure, where nobody said what outcomes are worth."""
POLICY = Kind("policy", {"model": GOOD, "everybody": OPEN, "nobody": OPEN})
"""The policy of a campaign that earns most."""
ALIKE, SOMEWHERE, NOWHERE = "nowhere clearly worse", "worse somewhere", "nothing to look at"
PARTS = Kind("parts", {ALIKE: GOOD, SOMEWHERE: BAD, NOWHERE: UNKNOWN})
MORE, ENOUGH, NOT_KNOWN = "more data helps", "more data is not shown to help", "not known"
DATA = Kind("data", {MORE: OPEN, ENOUGH: OPEN, NOT_KNOWN: UNKNOWN})
PLANNED = Kind("plan", {"planned": GOOD})


def somewhere(found: Sequence[Difference], looks: int = 1) -> Verdict:
    """Whether some part of so many is clearly worse than the rest; `found` are the differences that are clear for all of them.

    >>> somewhere([]).word
    'nowhere clearly worse'
    """
    worse = [d for d in found if d.verdict == WORSE]
    return PARTS(SOMEWHERE if worse else ALIKE if looks else NOWHERE, *worse)


def more_rows(gains: Sequence[Estimate], *, higher: bool) -> Verdict:
    """Whether more rows would make any model better: the gain of as many again, by its interval.

    >>> more_rows([Estimate("auc", 0.02, 0.01, 0.03)], higher=True).word
    'more data helps'
    """
    known = [g for g in gains if g.low is not None and g.high is not None]
    if not known:
        return DATA(NOT_KNOWN, *gains)
    better = [g for g in known if (float(g.low or 0.0) > 0 if higher else float(g.high or 0.0) < 0)]
    return DATA(MORE if better else ENOUGH, *(better or known), bound=0.0)
