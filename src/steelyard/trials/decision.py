"""The verdict of a trial: what could forbid one, the gravest obstacle first, and then the effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.trials.balance import Balance
from steelyard.trials.means import ALIKE
from steelyard.trials.methods import EXACT, SLOW, WELCH, Method
from steelyard.trials.sample_ratio import RatioCheck
from steelyard.verdicts.trial import chosen, effect, not_by_chance, unlike, wrong_sizes
from steelyard.verdicts.verdict import Verdict


def decide(
    methods: Sequence[Method],
    ratio: RatioCheck | None,
    balances: Sequence[Balance],
    selection: str | None,
    direction: str,
    analysis: str,
) -> Verdict:
    """The verdict with its reasons: selection, sample ratio, balance, then the effect."""
    obstacle = chosen(selection)
    if obstacle is not None:
        return obstacle
    if ratio is not None and ratio.blocked:
        return wrong_sizes(str(ratio))
    apart = [(b.name, b.estimate) for b in balances if b.beyond_chance]
    if apart:
        return unlike(apart)
    primary = next(m for m in methods if m.primary)
    found = {m.name: m for m in methods if m.valid or m.unshown} if analysis == "period" else {}
    verdict = effect(
        primary,
        direction,
        by_unit=analysis != "period",
        flat=primary.why == ALIKE,
        plain=found.get(WELCH) if primary.name == SLOW else None,
        events=found.get(EXACT),
    )
    if ratio is not None and not_by_chance(ratio.if_equal):
        reasons = (*verdict.reason.splitlines(), f"The sizes of the arms were {ratio}.")
        verdict = replace(verdict, reason="\n".join(reasons))
    return verdict
