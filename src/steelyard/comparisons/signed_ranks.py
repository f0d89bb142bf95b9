"""Two models on many data sets: Wilcoxon's signed ranks, and the count of wins, ties and losses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.comparisons.labels import About, read_about
from steelyard.comparisons.rounding import NEAR_GAPS, evened, settled
from steelyard.comparisons.shared_rows import numbers_of
from steelyard.errors import UsageError
from steelyard.results import Array, Difference
from steelyard.verdicts.comparison import TOO_FEW, UNCLEAR, beyond_chance, by_chance
from steelyard.wording import option
from steelyard.words import percent

EXACT = 50
"""Up to so many differences all signs are gone through, in effect."""
ZEROS = {"pratt": "ranked, then left out: Pratt", "split": "half their ranks to each side"}
"""What may be done with differences of zero, and how it is told."""
FIRST_LESS_SECOND = "Give the values of the first model less those of the second."


def averaged(values: Array) -> Array:
    """Ranks from 1 for the smallest; equal values share the mean of their ranks.

    >>> averaged(np.array([0.3, 0.1, 0.3, 0.2])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place], dtype=np.float64)


def wilcoxon(d: npt.ArrayLike, confidence: float = 0.95, *, zeros: str = "pratt", **about: Unpack[About]) -> Difference:
    """Wilcoxon's signed-rank test of the differences d, one for each data set.

    T = the sum of the ranks of |d| where d > 0. Zeros are ranked and then left out (Pratt), or half their ranks go to each
    side (`zeros="split"`, as in Demšar's paper). Up to 50 differences p counts all ways to sign the ranks there are, ties
    included; beyond, T is normal, corrected for ties and continuity. The value is Hodges and Lehmann's, the median of the
    means of all pairs; its interval is cut from those means by the untied test. Differences whose last bits alone differ tie.

    >>> w = wilcoxon([0.02, 0.03, 0.01, 0.04, -0.015, 0.025, 0.05])
    >>> print(w, w.statistic, round(w.p_value, 4), w.verdict)
    0.025 [0.003, 0.040] 26.0 0.0469 better

    Wilcoxon (1945); Pratt, Remarks on zeros and ties in the Wilcoxon signed rank procedures, JASA 54 (1959).
    """
    if zeros not in ZEROS:
        message = f'Zeros are handled by "pratt" or "split", and {zeros!r} came.'
        raise UsageError(message, "Pratt's way is usual.")
    confidence, (found, gone) = confidence_of(confidence), kept(d)
    measure, names, better = read_about(about, "difference")
    facts: dict[str, Any] = {"first": names[0], "second": names[1], "confidence": confidence}
    facts["n"] = (float(found.size),) * 2
    if not found.size:
        why = f"none of {gone} data sets has a value" if gone else "no data sets"
        return Difference(measure, reason=why, method="none", verdict=TOO_FEW, **facts)
    if not found.any():
        note = "the two are alike on every data set"
        return Difference(measure, value=0.0, method="none", p_value=1.0, verdict=UNCLEAR, note=note, **facts)
    ranks = averaged(evened(np.abs(found), NEAR_GAPS))
    nil = found == 0
    shared = float(ranks[nil].sum()) / 2 if zeros == "split" else 0.0
    statistic = float(ranks[found > 0].sum())
    exact = found.size <= EXACT
    p = _exact_p(ranks[~nil], statistic) if exact else _normal_p(ranks[~nil], statistic)
    value, low, high = _hodges_lehmann(found, confidence)
    clear = beyond_chance(p, confidence)
    word = by_chance(p, confidence, ahead=statistic - float(ranks[~nil].sum()) / 2 > 0, better=better)
    notes = []
    if low is None:
        notes.append(f"{found.size} data sets are too few for a {percent(confidence)} interval")
    elif high is not None and clear != (low > 0 or high < 0):
        notes.append("ties: the interval of the untied test and the p-value disagree, and the verdict is the p-value's")
    if nil.any():
        notes.append(f"{int(nil.sum())} of {found.size} differences are zero ({ZEROS[zeros]})")
    if gone:
        notes.append(f"{gone} of {found.size + gone} data sets have no value and are left out")
    method = f"Wilcoxon signed ranks ({'exact' if exact else 'normal'}), Hodges–Lehmann"
    rest: dict[str, Any] = {"p_value": p, "statistic": statistic + shared, "verdict": word, "note": "; ".join(notes)}
    return Difference(measure, value=value, low=low, high=high, method=method, **rest, **facts)


def _exact_p(ranks: Array, statistic: float) -> float:
    """Two-sided, over all ways to sign these ranks; doubled they are whole numbers even with ties."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    chances = sign_sums(doubled)
    at = round(2 * statistic)
    return min(1.0, 2 * min(float(chances[: at + 1].sum()), float(chances[at:].sum())))


def luck_of_ranks(d: Array) -> float:
    """How often signs drawn at random give positive differences ranks as high as these have, zeros ranked and left out.

    >>> luck_of_ranks(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    0.03125
    """
    nil = d == 0
    if nil.all():
        return 1.0
    every = averaged(evened(np.abs(d), NEAR_GAPS))
    ranks, statistic = every[~nil], float(every[d > 0].sum())
    if len(d) <= EXACT:
        chances = sign_sums(np.rint(2 * ranks).astype(np.int64))
        return min(1.0, float(chances[round(2 * statistic) :].sum()))
    from scipy.special import ndtr

    spread = math.sqrt(float((ranks**2).sum())) / 2
    return float(ndtr(-(statistic - float(ranks.sum()) / 2 - 0.5) / spread))


def luck_of_signs(wins: int, of: int) -> float:
    """The chance of so many wins or more out of so many, if each side is as likely.

    >>> luck_of_signs(5, 5), luck_of_signs(0, 0)
    (0.03125, 1.0)
    """
    from scipy.special import bdtrc

    return 1.0 if wins <= 0 else float(bdtrc(wins - 1, of, 0.5))


def sign_sums(steps: Iterable[int]) -> Array:
    """How likely each sum of whole numbers is, if each is taken with a chance of one half.

    >>> sign_sums([1, 2]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.ones(1)
    for step in steps:
        longer = np.zeros(len(chances) + int(step))
        longer[: len(chances)] += chances / 2
        longer[int(step) :] += chances / 2
        chances = longer
    return chances


def _normal_p(ranks: Array, statistic: float) -> float:
    from scipy.special import ndtr

    away = abs(statistic - float(ranks.sum()) / 2)
    # Squares of tied ranks sum to less, which is the correction for ties.
    spread = math.sqrt(float((ranks**2).sum())) / 2
    return min(1.0, 2 * float(ndtr(-max(away - 0.5, 0.0) / spread)))


def _hodges_lehmann(d: Array, confidence: float) -> tuple[float, float | None, float | None]:
    """The median of the means of all pairs, and the two of them at which the untied test turns."""
    n = d.size
    i, j = np.triu_indices(n)
    means = np.sort((d[i] + d[j]) / 2)
    if n <= EXACT:
        below = np.cumsum(sign_sums(range(1, n + 1)))
        cut = int(np.searchsorted(below, (1 - confidence) / 2 * (1 + 1e-12), side="right"))
    else:
        from statistics import NormalDist

        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = math.floor(n * (n + 1) / 4 - 0.5 - NormalDist().inv_cdf(0.5 + confidence / 2) * spread) + 1
    value = float(np.median(means))
    return (value, float(means[cut - 1]), float(means[-cut])) if cut > 0 else (value, None, None)


# Signs ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """On how many data sets the first model is better, as good, and worse, with the sign test."""

    wins: int
    ties: int
    losses: int
    p_value: float
    verdict: str
    method: str = "sign test (exact; ties left out)"
    note: str = ""

    def __str__(self) -> str:
        return f"{self.wins} won, {self.ties} tied, {self.losses} lost"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self) | {"text": str(self)}


def sign_test(d: npt.ArrayLike, better: str = "higher", confidence: float = 0.95) -> WinTieLoss:
    """Wins, ties and losses of the first model, and how remarkable they are if each side were as likely.

    p = min(1, 2 · P(X ≤ min(wins, losses))), X ~ Binomial(wins + losses, 1/2); ties are left out.

    >>> s = sign_test([0.02, 0.03, 0.01, 0.04, -0.01, 0.02, 0.0, 0.05, 0.01, 0.02])
    >>> print(s, round(s.p_value, 3))
    8 won, 1 tied, 1 lost 0.039
    """
    if better not in {"higher", "lower"}:
        message = f'Better must be "higher" or "lower", and {better!r} came.'
        raise UsageError(message, f"Errors and losses are {option('better', 'lower')}.")
    confidence, (found, gone) = confidence_of(confidence), kept(d)
    up, down = int((found > 0).sum()), int((found < 0).sum())
    wins, losses = (up, down) if better == "higher" else (down, up)
    ties = found.size - wins - losses
    note = f"{gone} of {found.size + gone} data sets have no value and are left out" if gone else ""
    if not wins + losses:
        return WinTieLoss(0, ties, 0, 1.0, UNCLEAR if ties else TOO_FEW, note=note or ("" if ties else "no data sets"))
    from scipy.special import bdtr

    p = min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
    word = by_chance(p, confidence, ahead=wins > losses)
    return WinTieLoss(wins, ties, losses, p, word, note=note)


def kept(d: npt.ArrayLike, rope: float = 0.0) -> tuple[Array, int]:
    """The differences of data sets that are there, and how many are not."""
    found = numbers_of(d, "Differences must be numbers, one for each data set.", FIRST_LESS_SECOND).ravel()
    there = np.isfinite(found)
    return settled(found[there], rope), int((~there).sum())
