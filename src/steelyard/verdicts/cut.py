"""Where to cut, as far as sums of money say: keep the threshold, move it, or do without the model."""

from __future__ import annotations

from steelyard.payoffs.kinds import sign_of
from steelyard.results import Estimate
from steelyard.verdicts.usefulness import HARMFUL, NOT_SHOWN, USEFUL, USEFULNESS, side
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind, Verdict

KEEP, MOVE, KEEP_YET, LEAVE, NOT_AHEAD, WAIT = "keep", "move", "keep for now", "do without", "not ahead", "wait"
CUT = Kind("cut", {KEEP: GOOD, MOVE: OPEN, KEEP_YET: OPEN, LEAVE: BAD, NOT_AHEAD: OPEN, WAIT: UNKNOWN})


def advised_cut(
    now: Estimate,
    rival: Estimate,
    ahead: Verdict,
    best: Estimate | None = None,
    gain: Estimate | None = None,
    ahead_there: Verdict | None = None,
    *,
    wait: str = "",
) -> Verdict:
    """What to do with a threshold, never worse by the sums that came than what is done now or without a model.

    `now` is what the threshold in force brings, `rival` the best policy without a model, `ahead` whether the first beats the
    second. `best` is what the best threshold brings, the luck of choosing it taken off, `gain` by how much it is ahead of the one
    in force, `ahead_there` whether it beats the policy; None without another threshold. `wait` says why nothing is advised.

    >>> from steelyard.verdicts.policy import against_policy
    >>> sums = [Estimate("profit", v) for v in (10.0, 4.0)]
    >>> ahead = [against_policy(Estimate("profit", v, v - 5, v + 5), "flag everybody") for v in (6.0, 16.0)]
    >>> print(advised_cut(*sums, ahead[0]))
    keep
    >>> print(advised_cut(*sums, ahead[0], Estimate("profit", 20.0), Estimate("profit", 10.0, 2.0, 18.0), ahead[1]))
    move
    """
    if wait:
        return CUT(WAIT, reason=wait)
    sign = sign_of(now.measure)
    here, none = sign * float(now), sign * float(rival)
    there = here if best is None else sign * float(best)
    rests_on = [x for x in (gain,) if x is not None]
    if max(here, there) <= none:
        return CUT(LEAVE, *rests_on, against=ahead.against)
    better = gain is not None and ahead_there is not None and there > max(here, none)
    # One that is shown to beat no model is preferred to one that is not, however little lies between the two.
    shown = better and ahead_there is not None and ahead_there.good and not ahead.good
    moving = better and gain is not None and (shown or side(gain, 0.0) == 1)
    chosen = ahead_there if moving else ahead
    if chosen is None or not chosen.good:
        return CUT(NOT_AHEAD, *rests_on, against=ahead.against)
    word = MOVE if moving else KEEP_YET if better else KEEP
    return CUT(word, *rests_on, against=ahead.against)


def in_money(usefulness: Verdict, cut: Verdict, ahead: Verdict) -> Verdict:
    """What may be said of a model whose decisions are worth something: useful where it is shown to earn more than doing without.

    How well it ranks decides nothing then: one that ranks well may still earn less than flagging everybody.

    >>> from steelyard.verdicts.policy import against_policy
    >>> ranks = USEFULNESS(USEFUL, Estimate("auc", 0.7, 0.6, 0.8), bound=0.5, against="chance")
    >>> behind = against_policy(Estimate("profit", -9.0, -12.0, -6.0), "flag everybody")
    >>> print(in_money(ranks, CUT(LEAVE), behind), "/", in_money(ranks, CUT(KEEP), behind), "/", in_money(ranks, CUT(WAIT), behind))
    worse than no model / useful / useful
    """
    if cut.word == WAIT:
        return usefulness
    word = USEFUL if cut.word in {KEEP, KEEP_YET, MOVE} else HARMFUL if ahead.bad else NOT_SHOWN
    return USEFULNESS(word, *ahead.rests_on, bound=0.0, against=ahead.against, advice=usefulness.advice)
