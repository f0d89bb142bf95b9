"""How two models were tested decides how they may be compared: on different rows, the same rows, units, or folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.comparisons.areas import Areas, areas_test, paired_areas
from steelyard.comparisons.best_of_many import Selected, selection_bias
from steelyard.comparisons.crossing import Crossing, crossings, row_crossings
from steelyard.comparisons.folds import (
    Posterior,
    corrected_t,
    correlated_bayes,
    five_by_two_f,
    five_by_two_t,
    paired_t,
)
from steelyard.comparisons.independent import NORMAL, difference
from steelyard.comparisons.labels import Significance, cochran_q
from steelyard.comparisons.prevalence import prevalence_of, unlike
from steelyard.comparisons.resampling import paired_difference
from steelyard.comparisons.row_means import means_of, predicted, row_values
from steelyard.comparisons.rows_apart import few_rows, rows_apart
from steelyard.comparisons.shared_rows import SharedRows, rows_of
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.measures.measure import Measure, find
from steelyard.results import Difference, Estimate, Level
from steelyard.verdicts.enough import fewest_apart
from steelyard.wording import either, option
from steelyard.words import count, percent

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

MOST_ROWS = 1 << 13
"""Up to so many rows the choice is repeated with rows drawn anew; beyond, with means drawn by their covariance."""


@dataclass(frozen=True, eq=False)
class DifferentRows:
    """Test sets that share no row; summaries alone are needed."""

    evaluations: Mapping[str, Evaluation]
    kind = "different rows"
    words = "on different rows, from their summaries"
    methods: ClassVar[tuple[str, ...]] = ("usual", "normal")

    def difference(self, measure: str, pair: tuple[str, str], confidence: float, **options: Any) -> Difference:
        """First less second, by MOVER; Newcombe's for shares, or with method="normal" as textbooks print it."""
        first, second = (self.evaluations[n] for n in pair)
        level = options.pop("level", None)
        return difference(first, second, measure, level=level, confidence=confidence, names=pair, **options)

    def few(self, difference: Difference, alpha: float) -> tuple[str, str] | None:
        """None: what each of the two numbers rests on decides."""
        return None

    def notes(self) -> list[str]:
        """What test sets of different sizes and shares of positives imply."""
        out = []
        sizes = {n: e.rows for n, e in self.evaluations.items()}
        shares = {n: prevalence_of(e) for n, e in self.evaluations.items()}
        if max(sizes.values()) > 1.5 * min(sizes.values()):
            told = ", ".join(f"{n} {count(v)}" for n, v in sizes.items())
            out.append(
                f"The test sets differ in size ({told} rows); the smaller one decides how sure the difference is."
            )
        known = [v for v in shares.values() if v is not None]
        if unlike(known):
            told = ", ".join(f"{n} {percent(v)}" for n, v in shares.items() if v is not None)
            out.append(
                f"The share of positives differs ({told}): accuracy, precision and lift depend on it, recall, specificity and "
                "AUC do not; a difference may come from the rows and not from the models."
            )
        if len(set(sizes.values())) == 1 and len(set(shares.values())) == 1:
            rows = count(next(iter(sizes.values())))
            out.append(
                f"All were evaluated on {rows} rows with the same share of positives: if these are the same rows, compare the "
                "predictions themselves, which is sharper."
            )
        return out

    def crossing(self, pair: tuple[str, str], confidence: float) -> Crossing:
        """Where the ROC curves of two models cross."""
        return crossings(self.evaluations[pair[0]], self.evaluations[pair[1]], pair, confidence=confidence)

    def together(self, measure: str) -> Significance | None:
        """No test of all at once."""
        return None

    def winner(self, measure: str, confidence: float) -> Selected | None:
        """The luck in being the best of several, from their intervals."""
        return _winner_of_estimates(self.evaluations, measure, confidence)


def _winner_of_estimates(evaluations: Mapping[str, Evaluation], measure: str, confidence: float) -> Selected | None:
    """The best of several that share no row, so that their errors are independent."""
    m = find(measure)
    found = [e[measure] for e in evaluations.values()]
    z = NORMAL.inv_cdf(0.5 + confidence / 2)
    errors = [(x.high - x.low) / (2 * z) for x in found if x.low is not None and x.high is not None]
    values = [x.value for x in found if x.value is not None]
    # Totals of test sets of different sizes are no rivals.
    if "payoff" in m.options or len(found) < 3 or not len(values) == len(errors) == len(found):
        return None
    about: dict[str, Any] = {"better": m.better, "names": list(evaluations), "measure": m.name}
    return _inside(selection_bias(values, errors, confidence=confidence, **about), m)


def _inside(found: Selected, measure: Measure) -> Selected:
    """The winner's numbers cut where the measure ends."""
    low, high = measure.range

    def cut(estimate: Estimate) -> Estimate:
        ends = [None if v is None else min(max(v, low), high) for v in (estimate.value, estimate.low, estimate.high)]
        return replace(estimate, value=ends[0], low=ends[1], high=ends[2])

    return replace(found, observed=cut(found.observed), corrected=cut(found.corrected))


@dataclass(frozen=True, eq=False)
class SameRows:
    """Predictions of several models for the same rows."""

    evaluations: Mapping[str, Evaluation]
    target: Any
    given: Mapping[str, Any]
    """Scores, labels, numbers, or mappings of level to score, by model."""
    shape: str
    """"scores", "labels", "numbers" or "classes"."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """weight, weights, unit, positive, threshold, levels, payoff, value."""
    dropped: int = 0
    kind = "same rows"
    words = "on the same rows"
    methods: ClassVar[tuple[str, ...]] = ("usual", "percentiles", "BCa")

    def difference(self, measure: str, pair: tuple[str, str], confidence: float, **options: Any) -> Difference:
        """First less second: McNemar, DeLong, or the bootstrap over units."""
        first, second = (self.given[n] for n in pair)
        every = {**self.options, **options}
        return paired_difference(
            self.target, first, second, measure, kind=self.shape, confidence=confidence, names=pair, **every
        )

    def few(self, difference: Difference, alpha: float) -> tuple[str, str] | None:
        """How many rows tell two models apart, where all of them on one side would still be luck; None where another count decides.

        McNemar's exact p-value of b rows, on all of which the same model is right, is 2 · 0.5ᵇ, and so is that of any measure if
        what the two said may be swapped in each of the b rows on which they differ.
        """
        if difference.statistic is None or difference.value is None or "McNemar" not in difference.method:
            pair = self.given[difference.first], self.given[difference.second]
            apart, rows = (
                rows_apart(find(difference.measure), pair, self.shape, self.options) if difference.value else (0, 0)
            )
            # Where no more were tested at all, that is what is said.
            if not 0 < apart < min(fewest_apart(alpha), rows):
                return None
            kind = "row" if self.options.get("unit") is None else "unit"
            return few_rows(apart, kind, "on which the two differ")
        # (b − c) / n and (b − c) / √(b + c) tell b + c.
        apart = round((difference.value * difference.n[0] / difference.statistic) ** 2) if difference.statistic else 0
        if not apart or apart >= fewest_apart(alpha):
            return "", ""
        return few_rows(apart, "row", "on which one of the two alone is right")

    def notes(self) -> list[str]:
        """Rows left out, and predictions that are the same."""
        out = []
        if self.dropped:
            out.append(f"{count(self.dropped)} rows with a missing value in any of the columns were left out.")
        for a, b in combinations(self.given, 2):
            if _alike(self.given[a], self.given[b]):
                out.append(f"{a} and {b} predict the same for every row: there is nothing to tell apart.")
        return out

    def crossing(self, pair: tuple[str, str], confidence: float) -> Crossing:
        """Where the ROC curves of two models cross, both on the same rows."""
        if self.shape != "scores":
            message = "ROC curves need one score for two levels."
            raise NotAvailable(message, f"Pass {option('score', ...)} for each model.")
        first, second = (self.given[n] for n in pair)
        positive = self.options["positive"]
        return row_crossings(self.target, first, second, pair, positive=positive, confidence=confidence)

    def together(self, measure: str) -> Significance | None:
        """Whether all models could be equal: Cochran's Q for accuracy, DeLong's chi-square for the AUC."""
        if len(self.given) < 3 or self.options.get("unit") is not None:
            return None
        m = find(measure)
        if m.area is not None and self.shape == "scores":
            return areas_test(self._areas())
        if m.hits is not None and self.options.get("weight") is None and self.shape in ("labels", "scores"):
            return cochran_q(self._hits())
        return None

    def _areas(self) -> Areas:
        truth = np.asarray(self.target) == self.options["positive"]
        weight, weights = self.options.get("weight"), self.options.get("weights", "sampling")
        return paired_areas(truth, list(self.given.values()), weight, weights)

    def _hits(self) -> Any:
        target = np.asarray(self.target)
        if self.shape == "labels":
            return np.stack([np.asarray(x) == target for x in self.given.values()], axis=1)
        flagged = [np.asarray(x) >= self.options.get("threshold", 0.5) for x in self.given.values()]
        return np.stack([f == (target == self.options["positive"]) for f in flagged], axis=1)

    def winner(self, measure: str, confidence: float) -> Selected | None:
        """The luck in being the best of several, where what models have in common is known: means over rows, and the AUC."""
        m = find(measure)
        unit, weight = self.options.get("unit"), self.options.get("weight")
        facts: dict[str, Any] = {"names": list(self.given), "measure": m.name, "confidence": confidence}
        facts["better"] = m.better
        if len(self.given) < 3:
            return None
        if m.area is not None and unit is None and self.shape == "scores":
            areas = self._areas()
            if not np.isfinite(areas.covariance).all():
                return None
            times, more = m.area
            values, covariance = times * areas.values + more, times**2 * areas.covariance
            return _inside(selection_bias(values, covariance=covariance, **facts), m)
        found = self._by_row(m)
        if found is None:
            return None
        rows, table = found
        if unit is None and weight is None and 3 <= len(table) <= MOST_ROWS:
            return _inside(selection_bias(table, **facts), m)
        means, covariance, units = means_of(rows, table)
        return _inside(selection_bias(means, covariance=covariance, **facts), m) if units > 1 else None

    def _by_row(self, measure: Measure) -> tuple[SharedRows, Any] | None:
        """Rows × models of the numbers whose means are the measure; None where it is no such mean."""
        known = self.options
        rows = rows_of(self.target, known.get("unit"), known.get("weight"), known.get("weights", "sampling"))
        how = {k: known[k] for k in ("positive", "threshold", "levels", "value") if k in known}
        coded, made = predicted(list(self.given.values()), rows, self.shape, **how)
        table = row_values(measure, coded, made, {**measure.options, "payoff": known.get("payoff")})
        return None if table is None else (coded, table)


def _alike(a: object, b: object) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(_alike(a[k], b[k]) for k in a)
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


@dataclass(frozen=True, eq=False)
class SameFolds:
    """Models trained and tested on the same folds."""

    evaluations: Mapping[str, Evaluation]
    """The sums of the folds."""
    values: Callable[[str, str, Any], Any]
    """The value of a measure in each fold, by model, measure and level; NaN where it is undefined."""
    ratio: float
    shape: tuple[int, int]
    """Repeats and folds."""
    done: int | None = None
    """How many of them all models have done; all of them unless said."""
    kind = "same folds"
    methods: ClassVar[tuple[str, ...]] = ("usual", "corrected t", "paired t", "5x2 t", "5x2 F")

    @property
    def words(self) -> str:
        """On what they are compared."""
        return f"on the same {self.shared} folds"

    @property
    def shared(self) -> int:
        """How many folds all models have."""
        return self.shape[0] * self.shape[1] if self.done is None else self.done

    def _differences(self, measure: str, pair: tuple[str, str], level: Level) -> Any:
        first, second = (np.asarray(self.values(n, measure, level), dtype=np.float64) for n in pair)
        return first - second

    def difference(
        self, measure: str, pair: tuple[str, str], confidence: float, method: str = "usual", **options: Any
    ) -> Difference:
        """First less second over folds, by the corrected resampled t unless another test is named."""
        m = find(measure)
        level = options.pop("level", None)
        if options:
            message = f"Over folds a difference takes no {listing(options)}."
            raise UsageError(message, "Each fold was counted with the options of the experiment.")
        d = self._differences(m.name, pair, level)
        facts: dict[str, Any] = {"measure": m.name, "names": pair, "better": m.better}
        if method in ("usual", "corrected t"):
            found = corrected_t(d, self.ratio, confidence, **facts)
        elif method == "paired t":
            found = paired_t(d, confidence, **facts)
        else:
            if self.shape != (5, 2):
                message = (
                    f"A 5×2 test needs five repeats of two folds, and there are {self.shape[0]} of {self.shape[1]}."
                )
                hint = f"Run the experiment with {either('design=KFold(2, repeats=5)', '--design kfold:2x5')}."
                raise NotAvailable(message, hint)
            test = five_by_two_t if method == "5x2 t" else five_by_two_f
            found = test(d.reshape(5, 2), confidence, **facts)
        # The means of the folds that the difference is of, and of no other.
        first, second = (_mean(np.where(np.isfinite(d), self.values(n, m.name, level), np.nan)) for n in pair)
        return found.renamed(values=(first, second), level=level)

    def few(self, difference: Difference, alpha: float) -> tuple[str, str] | None:
        """Why folds that happen to agree prove nothing: so few rows make the difference that a coin could have done it.

        Of b rows on which one model alone is right, McNemar's mid-p is at least 0.5ᵇ, however even the folds are.
        """
        if find(difference.measure).hits is None or difference.value is None:
            return None
        rows = self.evaluations[difference.first].rows
        apart = round(abs(difference.value) * rows)
        if not apart or 0.5**apart <= alpha:
            return None
        return f"the difference is {apart} of {rows:,} rows", f"rests on {apart} row{'' if apart == 1 else 's'}"

    def posterior(self, measure: str, pair: tuple[str, str], rope: float, confidence: float) -> Posterior:
        """How likely the difference lies below, inside and above a region of practical equivalence."""
        return correlated_bayes(self._differences(find(measure).name, pair, None), self.ratio, rope, confidence)

    def crossing(self, pair: tuple[str, str], confidence: float) -> Crossing:
        """Where the ROC curves of two models cross, each the sum of its folds."""
        return crossings(self.evaluations[pair[0]], self.evaluations[pair[1]], pair, confidence=confidence)

    def notes(self) -> list[str]:
        """Few folds, and folds that not all models have."""
        folds, planned = self.shared, self.shape[0] * self.shape[1]
        out = [] if folds >= 5 else [f"There are {folds} folds only: only large differences can be seen."]
        if folds < planned:
            out.append(f"{planned - folds} of {planned} folds are not there for every model and count for none.")
        return out

    def together(self, measure: str) -> Significance | None:
        """No test of all at once."""
        return None

    def winner(self, measure: str, confidence: float) -> Selected | None:
        """The luck in being the best of several, over folds."""
        names = list(self.evaluations)
        if len(names) < 3:
            return None
        table = np.stack([np.asarray(self.values(n, measure, None), dtype=np.float64) for n in names], axis=1)
        table = table[np.isfinite(table).all(axis=1)]
        if len(table) < 3:
            return None
        m = find(measure)
        about: dict[str, Any] = {"better": m.better, "names": names, "measure": measure, "confidence": confidence}
        return _inside(selection_bias(table, ratio=self.ratio, **about), m)


def _mean(values: npt.ArrayLike) -> float | None:
    there = np.asarray(values, dtype=np.float64)
    there = there[np.isfinite(there)]
    return float(there.mean()) if len(there) else None


Pairing = DifferentRows | SameRows | SameFolds


def all_pairs(names: Sequence[str], control: str | None = None) -> list[tuple[str, str]]:
    """Every pair once, the later one first, or every other model against a control."""
    return _all_pairs(tuple(names), control)


@lru_cache(maxsize=4)
def _all_pairs(names: tuple[str, ...], control: str | None) -> list[tuple[str, str]]:
    # Of a thousand models there are half a million, and each difference is one of them.
    if control is not None:
        return [(n, control) for n in names if n != control]
    return [(b, a) for a, b in combinations(names, 2)]
