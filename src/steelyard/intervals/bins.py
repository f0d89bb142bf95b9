"""Intervals of what is read in bins of the probability: the calibration error and the parts of Brier's score.

Noise can only raise a sum of gaps or of squares: with few rows a model whose probabilities are exactly right reads far
above zero. So the noise of every bin is drawn, the limits are laid where that noise would make the found value unlikely,
and the number says what a perfectly calibrated model would have read. Where an outcome is so rare in a bin that draws hardly
hold it (scores of 0 and 1, nearly all of them right), the limits reach to where Garwood's limit of its count leads.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from steelyard.intervals.bootstrap import (
    REPLICATES,
    reflected_interval,
    replicates,
    shifted_interval,
    spread_by,
    variates,
)
from steelyard.intervals.method import Question, clipped, method, quantiles
from steelyard.intervals.successes import successes
from steelyard.measures.calibration import binned
from steelyard.results import Array, Interval
from steelyard.summaries.remembering import Remembered
from steelyard.summaries.scores import Scores
from steelyard.summaries.summary import effective_rows

CLEAR = 3.0
"""A bin's gap of this many standard errors has a known sign."""
PRIOR = 2.0
"""Rows of what was promised that keep a small bin of one class from looking certain."""
UNSEEN = 3.7
"""Rows that a bin without any may stand for: e**-3.7 is 2.5 %."""
SCARCE = 5.0
"""Rows of an outcome below which draws of it are no longer even: the rule of thumb for a normal approximation."""
STEPS = 20
DRAWN = f"draws by bin, limits where they would be unlikely ({REPLICATES:,} replicates)"


def _chance(promised: Array, happened: Array, rows: Array) -> Array:
    return np.asarray((happened * rows + PRIOR * promised) / (rows + PRIOR))


class FilledBins(NamedTuple):
    """The bins that hold rows: their share, what was promised, what happened, and the rows whose noise they have."""

    share: Array
    promised: Array
    happened: Array
    chance: Array
    """The share of positives, with a little of the promise."""
    rows: Array
    """Rows of one weight a class that spread like those of the bin."""
    each: Array
    """What such a row adds to the share, by bin and class (positive, negative)."""

    @staticmethod
    def of(scores: Scores, bins: int) -> FilledBins:
        """Read a table in equal-width bins of [0, 1]."""
        if (known := _FILLED.known(scores, bins)) is not None:
            return known
        n, promised, happened = binned(scores, bins)
        used = n > 0
        n, promised, happened = n[used], promised[used], happened[used]
        rows, each = n, np.ones((len(n), 2)) / n.sum()
        if scores.squares is not None:
            place = np.clip((scores.score * bins).astype(np.int64), 0, bins - 1)
            mine = scores.levels.index(scores.positive)
            sides = [(x[..., mine], x.sum(axis=-1) - x[..., mine]) for x in (scores.counts, scores.squares)]
            # What a row of a class typically weighs: classes may have been sampled at different rates.
            overall = float(scores.squares.sum()) / float(scores.counts.sum())
            typical = [
                float(q.sum()) / t if (t := float(w.sum())) > 0 else overall for w, q in zip(*sides, strict=True)
            ]

            def by_bin(values: Array) -> Array:
                return np.asarray(np.bincount(place, values, minlength=bins)[used], dtype=np.float64)

            like = np.sum([by_bin(w / t) for w, t in zip(sides[0], typical, strict=True)], axis=0)
            squared = np.sum([by_bin(q / t**2) for q, t in zip(sides[1], typical, strict=True)], axis=0)
            # Rounded twice, since what only rounding tells apart must not move a whole row.
            rows = np.round(like**2 / squared, 6)
            each = np.array(typical) * (like / np.maximum(rows.round(), 1.0))[:, None] / n.sum()
        rows = np.maximum(rows.round(), 1.0)
        return _FILLED.keep(
            FilledBins(n / n.sum(), promised, happened, _chance(promised, happened, rows), rows, each), scores, bins
        )

    def counting(self, times: float) -> FilledBins:
        """The same of so many times the rows."""
        rows = self.rows * times
        return self._replace(rows=rows, chance=_chance(self.promised, self.happened, rows))

    def had_more_come(self, tail: float) -> Array:
        """Shares of positives, had as many more of a bin's rarer outcome come as Garwood's limit of its count allows.

        In all bins that hold hardly any of it, promised or found, at once, and then in each alone.
        """
        from scipy.special import gammaincinv

        mostly, rare = self.happened > 0.5, np.minimum(self.happened, 1 - self.happened)
        scarce = (self.rows * np.minimum(self.chance, 1 - self.chance) < SCARCE) & ((self.chance > 0.5) == mostly)
        groups = (
            np.array([scarce, *np.diag(scarce)[scarce]]) if scarce.any() else np.zeros((1, len(self.rows)), dtype=bool)
        )
        count, held = groups @ (self.rows * rare), np.maximum(groups @ self.rows, 1e-300)
        more = (gammaincinv(count + 1, 1 - tail) - count) / held
        rare = np.minimum(rare + groups * more[:, None], 1.0)
        return np.asarray(np.where(mostly, 1 - rare, rare))

    def honest(self) -> Array:
        """The chance of a positive: as promised where that spreads more and the bin does not speak clearly against it."""
        found, kept = self._error(self.chance), self._error(self.promised)
        unclear = self.share * np.abs(self.promised - self.happened) <= CLEAR * np.maximum(found, kept)
        return np.where(unclear & (kept > found), self.promised, self.chance)

    def _error(self, chance: Array) -> Array:
        positive, one, other = self._steps(chance)
        return np.asarray(np.sqrt(self.rows * (positive * one**2 + (1 - positive) * other**2)))

    def noise(self, chance: Array) -> Array:
        """Drawn positives less those to be expected, as shares of all rows, by replicate and bin."""
        positive, one, other = self._steps(chance)
        drawn = successes(self.rows, positive, REPLICATES)
        return np.asarray(drawn * one[:, None] - (self.rows[:, None] - drawn) * other[:, None]).T

    def _steps(self, chance: Array) -> tuple[Array, Array, Array]:
        """How likely a row drawn is a positive, and how far one and a negative move the gap."""
        chance = np.clip(chance, 0.0, 1.0)
        up, down = chance / self.each[:, 0], (1 - chance) / self.each[:, 1]
        return up / (up + down), self.each[:, 0] * (1 - chance), self.each[:, 1] * chance


_FILLED = Remembered[FilledBins](4)
_NOISE = Remembered[Array](8)
_SHARES = Remembered[Array](4)


def noise_as_promised(bins: FilledBins) -> Array:
    """The noise of a model that keeps its promises."""
    known = _NOISE.known(bins, "promised")
    return _NOISE.keep(bins.noise(bins.promised), bins, "promised") if known is None else known


def noise_as_found(bins: FilledBins) -> Array:
    """The noise of what happened, or of what was promised where nothing speaks against it."""
    known = _NOISE.known(bins, "found")
    return _NOISE.keep(bins.noise(bins.honest()), bins, "found") if known is None else known


def _shares_drawn(bins: FilledBins) -> Array:
    """The shares of the bins, had other rows come."""
    if (known := _SHARES.known(bins)) is not None:
        return known
    share = variates(bins.rows[:, None], REPLICATES)[..., 0] * (bins.share / bins.rows)
    total = share.sum(axis=-1, keepdims=True)
    # Of one row or two a draw may be nothing at all, which tells as little as what was found.
    return _SHARES.keep(np.where(total > 0, share / np.where(total > 0, total, 1.0), bins.share), bins)


def _words(value: float, honest: float) -> tuple[str, str]:
    """Note and caution: what noise alone would have read, where that is a good part of what was read."""
    if value <= 0 or honest < 0.1 * value:
        return "", ""
    told = f"a perfectly calibrated model would read {honest:.2g} on as many rows"
    return ("", told) if honest >= 0.5 * value else (told, "")


@method("ece", by_unit=True, raised=True)
def calibration_error_interval(question: Question) -> Interval:
    """Mean gap − what noise alone can add, bins with a clear gap keeping their sign."""
    if question.summary.units is not None:
        return _by_unit(question)
    b = FilledBins.of(question.summary, int(question.options.get("bins", 10)))
    expected = float(np.abs(noise_as_promised(b)).sum(axis=-1).mean())
    gap = b.promised - b.happened
    moved = (_shares_drawn(b) - b.share) @ np.abs(gap)
    name = f"binomial draws by bin, their noise taken off ({REPLICATES:,} replicates)"
    more = _had_more_come(question, b)
    return _mean_gap(question, b.share * gap, noise_as_found(b), moved, name, expected, _gaps(b, more))


def _by_unit(question: Question) -> Interval:
    """The same with the noise of resampled units."""
    table, _, _ = replicates(question.summary)
    bins = int(question.options.get("bins", 10))
    n, promised, happened = binned(table, bins)
    share, gap = n / n.sum(), promised - happened
    noise, moved = _noise_of_units(question)
    expected = float(np.abs(noise).sum(axis=-1).mean())
    name = f"bootstrap over units, noise of the bins taken off ({REPLICATES:,} replicates)"
    b = FilledBins.of(table, bins)
    return _mean_gap(question, share * gap, noise, moved, name, expected, _gaps(b, _had_more_come(question, b)))


def _noise_of_units(question: Question) -> tuple[Array, Array]:
    """What resampled units change in the gap of each bin, and in the mean gap by coming to other bins, by replicate."""
    table, _, copies = replicates(question.summary)
    bins = int(question.options.get("bins", 10))
    n, promised, happened = binned(table, bins)
    share, gap, times = n / n.sum(), promised - happened, spread_by(question)
    n, promised, happened = binned(copies, bins)
    noise = share * ((promised - happened) - gap) * times
    return noise, (n / n.sum(axis=-1, keepdims=True) - share) @ np.abs(gap) * times


def _had_more_come(question: Question, bins: FilledBins) -> Array:
    units = question.summary.units
    if units is not None:
        # As many rows as would have the noise of the units if each erred alone; where nothing errs, as there are units.
        alone = float((bins.share**2 * bins.happened * (1 - bins.happened) / bins.rows).sum())
        together = float(_noise_of_units(question)[0].var(axis=0).sum())
        known = alone > 0 and together > 0
        bins = bins.counting(alone / together if known else min(len(units.ids) / float(bins.rows.sum()), 1.0))
    return bins.had_more_come((1 - question.confidence) / 2)


def _gaps(bins: FilledBins, happened: Array, power: int = 1) -> Array:
    """The mean gap, or square of the gap, had that happened."""
    return np.asarray((bins.share * np.abs(bins.promised - happened) ** power).sum(axis=-1))


def _reaching(low: float, high: float, to: Array) -> tuple[float, float]:
    """Limits that hold those values too."""
    return min(low, float(to.min())), max(high, float(to.max()))


def _and(found: Interval, to: Array) -> Interval:
    if found.low is None or found.high is None:
        return found
    low, high = _reaching(found.low, found.high, to)
    return replace(found, low=low, high=high)


def _mean_gap(
    question: Question, gap: Array, noise: Array, moved: Array, name: str, expected: float, more: Array
) -> Interval:
    """`moved` is what other rows in other bins would have changed: where bins are far off it is most of the noise."""
    sign = np.where(gap >= 0, 1.0, -1.0)
    clear = np.abs(gap) > CLEAR * noise.std(axis=0)
    raised = np.where(clear, sign * noise, np.abs(noise)).sum(axis=-1) + moved
    plain = (sign * noise).sum(axis=-1) + moved
    tail = (1 - question.confidence) / 2
    value = question.value
    low, high = value - float(quantiles(raised, 1 - tail)[0]), value + float(quantiles(-plain, 1 - tail)[0])
    low, high = _reaching(low, high, more)
    return clipped(question, low, high, value, name, *_words(value, expected))


@method("reliability", by_unit=True, raised=True)
def reliability_interval(question: Question) -> Interval:
    """Values under which the found one is not unlikely: the bins' gaps stretched or shrunk, their noise drawn."""
    b = FilledBins.of(question.summary, int(question.options.get("bins", 10)))
    more = _gaps(b, _had_more_come(question, b), 2)
    if question.summary.units is not None:
        return _and(reflected_interval(question), more)
    low, high = _unlikely(question, b, b.promised, centred=False)
    raised = (noise_as_promised(b) ** 2 / b.share).sum(axis=-1)
    # What an honest model reads by noise alone says nothing against a truth of zero.
    if question.value <= float(quantiles(raised, (1 + question.confidence) / 2)[0]):
        low = 0.0
    low, high = _reaching(low, high, more)
    return clipped(question, low, high, question.value, DRAWN, *_words(question.value, float(raised.mean())))


@method("resolution", by_unit=True)
def resolution_interval(question: Question) -> Interval:
    """Values under which the found one is not unlikely: the bins' shares moved apart or together, their noise drawn."""
    s: Scores = question.summary
    bins = int(question.options.get("bins", 10))
    b = FilledBins.of(s, bins)
    more = _apart(b.share, _had_more_come(question, b))
    if s.units is not None:
        return _and(shifted_interval(question), more)
    low, high = _unlikely(question, b, np.full(len(b.rows), float((b.share * b.chance).sum())), centred=True)
    # What the promises amount to stays in, unless draws from them speak against it.
    kept = _apart(b.share, b.promised)
    drawn = _apart(b.share, b.promised + noise_as_promised(b) / b.share)
    if (1 - question.confidence) / 2 <= _above(drawn, question.value) <= (1 + question.confidence) / 2:
        low, high = min(low, float(kept)), max(high, float(kept))
    total = float(s.total)
    n = total if s.squares is None else float(effective_rows(np.asarray(total), s.squares.sum()))
    base = float((b.share * b.happened).sum())
    high += _unseen(b, bins, base) * UNSEEN / max(n, UNSEEN)
    # Bins that are all of one class cannot be stretched: there the noise is how many rows came to each.
    tail = (1 - question.confidence) / 2
    ends = quantiles(_apart(_shares_drawn(b), b.happened), tail, 1 - tail)
    low, high = _reaching(low, high, np.concatenate([more, ends]))
    return clipped(question, low, high, question.value, DRAWN)


def _apart(share: Array, values: Array) -> Array:
    """The spread of values around their mean."""
    return np.asarray((share * values**2).sum(axis=-1) - (share * values).sum(axis=-1) ** 2)


def _above(drawn: Array, value: float) -> Array:
    """The part of the draws above a value, and half of those equal to it."""
    # Counted as bytes: of 1,000 draws each a sum takes half the time of as many counts.
    found = np.add(drawn > value + 1e-12, drawn >= value - 1e-12, dtype=np.int8).sum(axis=-1, dtype=np.int64)
    return np.asarray(found / (2 * drawn.shape[-1]))


def _unlikely(question: Question, bins: FilledBins, origin: Array, *, centred: bool) -> tuple[float, float]:
    """Sums of squares at which draws are above the found one in 2.5 and in 97.5 of 100, by stretching the gaps that were found.

    A stretched share of positives stays between 0 and 1.
    """
    noise, share = noise_as_found(bins) / bins.share, _shares_drawn(bins)
    weighed = 2 * (bins.share * noise)

    def squares(share: Array, values: Array) -> Array:
        return _apart(share, values) if centred else np.asarray((share * values**2).sum(axis=-1))

    def drawn(factors: Array) -> tuple[Array, Array]:
        """What every stretching amounts to, and what draws from it read, by factor and replicate."""
        gap = np.clip(origin + factors[:, None] * gaps, 0.0, 1.0) - origin
        # Gaps with the shares that were drawn, and noise with those that were found: rows come by chance in both.
        out = gap**2 @ share.T
        if centred:
            out -= (gap @ share.T) ** 2
            # The noise moves the mean as well.
            gap_off = gap - (gap @ bins.share)[:, None]
            out += gap_off @ weighed.T
        else:
            out += gap @ weighed.T
        out += alone
        return squares(bins.share, gap), out

    gaps, alone = bins.chance - origin, squares(bins.share, noise)
    found = float(squares(bins.share, gaps))
    factors = np.zeros(1)
    if found > 0:
        middle = np.sqrt(question.value / found)
        most = middle + 4 * np.sqrt(float(quantiles(alone, 0.99)[0]) / found)
        # Close together where the draws pass the value, and some all the way.
        near = middle + float(drawn(np.array([middle]))[1].std()) / (2 * max(middle, 1e-9) * found) * np.linspace(
            -4, 4, STEPS
        )
        factors = np.unique(np.clip(np.concatenate([np.linspace(0, most, STEPS // 2), near]), 0.0, most))
    stretched, values = drawn(factors)
    tail = (1 - question.confidence) / 2
    rising = np.maximum.accumulate(_above(values, question.value))
    low, high = (float(np.interp(x, rising, stretched)) for x in (tail, 1 - tail))
    return low, high


def _unseen(filled: FilledBins, bins: int, base: float) -> float:
    """Squared distance from the base rate of the bins next to those seen, did they keep their promise."""
    place = np.clip((filled.promised * bins).astype(np.int64), 0, bins - 1)
    ends = [i for i in (int(place.min()) - 1, int(place.max()) + 1) if 0 <= i < bins]
    return max((((i + 0.5) / bins - base) ** 2 for i in ends), default=0.0)
