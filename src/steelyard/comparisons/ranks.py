"""Many models on many data sets: mean ranks, whether they differ at all, and which pairs do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import confidence_of
from steelyard.charts.marks import Chart
from steelyard.comparisons.rounding import evened
from steelyard.comparisons.signed_ranks import WinTieLoss, averaged, sign_test, wilcoxon
from steelyard.comparisons.step_down import bonferroni, hochberg, holm, shaffer
from steelyard.comparisons.together import Together, all_together
from steelyard.errors import LengthsDiffer, NotAvailable, NotNumeric, UsageError, listing
from steelyard.results import Array
from steelyard.verdicts.comparison import beyond_chance
from steelyard.wording import option

__all__ = ["Pair", "Ranking", "WinTieLoss", "friedman", "range_quantile", "range_survival", "sign_test", "wilcoxon"]

NORMAL = NormalDist()
FEW = 5
"""With fewer data sets than these a word is added."""
NODES = 257
REACH = 9.0
CORRECTIONS = ("nemenyi", "holm", "shaffer")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models: how far apart their mean ranks are, and the p-values of that, corrected for the number of pairs."""

    first: str
    second: str
    difference: float
    """Mean rank of the first less that of the second: below zero where the first is better."""
    statistic: float
    p_value: float
    """Without any correction."""
    adjusted: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranking(Together):
    """Models ranked on data sets: mean ranks, the tests of all of them together, and every pair."""

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    """Mean ranks in the order of the names; 1 is the best."""
    n: int
    better: str
    confidence: float
    critical_difference: float
    """Nemenyi's, for all pairs."""
    control_difference: float
    """Bonferroni and Dunn's, for every model against one."""
    pairs: tuple[Pair, ...]
    control: str | None = None
    against: tuple[Pair, ...] = ()
    """The other models against the control."""
    left_out: int = 0
    """Data sets with gaps, which are not ranked."""
    note: str = ""
    values: tuple[tuple[float, ...], ...] = ()
    sets: tuple[str, ...] = ()
    measure: str = ""
    """What was ranked, where it has a name."""

    @property
    def order(self) -> tuple[str, ...]:
        """The names, best first."""
        return tuple(self.names[i] for i in np.argsort(self.ranks, kind="stable"))

    def rank(self, name: str) -> float:
        """The mean rank of one model."""
        return self.ranks[self.names.index(name)]

    def different(self, method: str = "nemenyi") -> tuple[tuple[str, str], ...]:
        """Pairs that differ after a correction, the better model first."""
        self._check(method)
        clear = [p for p in self.pairs if beyond_chance(p.adjusted[method], self.confidence)]
        return tuple((p.first, p.second) if p.difference < 0 else (p.second, p.first) for p in clear)

    @property
    def differ(self) -> bool:
        """Whether Friedman's test says that the models differ at all."""
        return beyond_chance(self.p_value, self.confidence)

    def against_control(self, correction: str) -> tuple[list[str], list[str]]:
        """Models that rank better than the control, and those that rank worse, after a correction."""
        clear = [p for p in self.against if beyond_chance(p.adjusted[correction], self.confidence)]
        return [p.first for p in clear if p.difference < 0], [p.first for p in clear if p.difference > 0]

    def cliques(self, method: str = "nemenyi") -> tuple[tuple[str, ...], ...]:
        """The largest groups of neighbours in which no pair differs, best first; models that stand alone are in none.

        Corrected p-values never fall as mean ranks draw nearer, so a group is clear of differences where its ends are.
        """
        apart = {frozenset(pair) for pair in self.different(method)}
        order = self.order
        out: list[tuple[str, ...]] = []
        reached = 0
        for i, first in enumerate(order):
            j = max(j for j in range(i, len(order)) if j == i or frozenset((first, order[j])) not in apart)
            if j > max(i, reached):
                out.append(order[i : j + 1])
            reached = max(reached, j)
        return tuple(out)

    def _check(self, method: str) -> None:
        if method not in CORRECTIONS:
            message = f"There is no correction {listing([method])} for all pairs."
            raise UsageError(message, f"Choose one of {listing(CORRECTIONS)}.")

    def __str__(self) -> str:
        return self.paragraph()

    def paragraph(self, method: str = "nemenyi") -> str:
        """What was found, ready for a paper."""
        from steelyard.views.ranks import paragraph

        self._check(method)
        return paragraph(self, method)

    def chart(self, method: str = "nemenyi") -> Chart:
        """The diagram of critical differences."""
        from steelyard.views.ranks import diagram

        self._check(method)
        return diagram(self, method)

    def latex(self, digits: int = 3) -> str:
        """The table of values for LaTeX, the best of each data set in bold."""
        from steelyard.views.ranks import latex

        return latex(self, digits)

    def markdown(self, digits: int = 3) -> str:
        """The table of values in Markdown, the best of each data set in bold."""
        from steelyard.views.ranks import markdown

        return markdown(self, digits)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return asdict(self) | {"cliques": self.cliques(), "text": str(self)}


def friedman(
    values: object,
    names: Sequence[str] | None = None,
    better: str = "higher",
    confidence: float = 0.95,
    *,
    control: str | None = None,
    sets: Sequence[str] | None = None,
    measure: str = "",
) -> Ranking:
    """Rank models (columns) on every data set (rows) and ask whether, and which of, their mean ranks differ.

    χ² = (k − 1) Σ_j (N R_j − N (k + 1)/2)² / Σ_ij (r_ij − (k + 1)/2)², which is Friedman's, corrected for ties;
    F = (N − 1) χ² / (N (k − 1) − χ²) with k − 1 and (k − 1)(N − 1) degrees of freedom is Iman and Davenport's. The p-value
    that decides counts all orders of the models where it can (`together.py`). Results that differ in their last bits tie.
    Pairs: z = (R_i − R_j) / √(k (k + 1) / (6 N)), whose ties make it err to the careful side; of two models the only pair
    has the p-value of all together.

    >>> r = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.7], [0.7, 0.8, 0.6], [0.9, 0.8, 0.6], [0.8, 0.7, 0.5], [0.9, 0.8, 0.7]])
    >>> [round(x, 3) for x in r.ranks], round(r.chi_square, 2), round(r.f, 2), round(r.critical_difference, 2)
    ([1.167, 1.917, 2.917], 9.65, 20.56, 1.35)
    >>> r.different(), r.cliques()
    ((('model 1', 'model 3'),), (('model 1', 'model 2'), ('model 2', 'model 3')))

    Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7 (2006).
    """
    table, columns, rows, left_out = _table(values, names, sets)
    _check(table, columns, better, confidence, control, left_out)
    n, k = table.shape
    table = np.array([evened(row) for row in table])
    ranked = np.array([averaged(-row if better == "higher" else row) for row in table])
    means = ranked.mean(axis=0)
    whole = all_together(ranked)
    error = math.sqrt(k * (k + 1) / (6 * n))
    alpha = 1 - confidence
    pairs = list(combinations(range(k), 2))
    z = np.array([means[i] - means[j] for i, j in pairs]) / error
    raw = _two_sided(z)
    corrected = {
        "nemenyi": range_survival(np.abs(z) * math.sqrt(2), k).tolist(),
        "holm": holm(raw),
        "shaffer": shaffer(raw, k),
    }
    if k == 2:
        # The only pair is the whole, and must not be told otherwise.
        raw, corrected = [whole.p_value], {name: [whole.p_value] for name in corrected}
    notes = [f"{n} data sets only: only large differences can be seen"] if n < FEW else []
    if left_out:
        notes.append(f"{left_out} of {n + left_out} data sets have gaps and are left out")
    return Ranking(
        **asdict(whole),
        names=columns,
        ranks=tuple(means.tolist()),
        n=n,
        better=better,
        confidence=confidence,
        critical_difference=range_quantile(confidence, k) / math.sqrt(2) * error,
        control_difference=NORMAL.inv_cdf(1 - alpha / 2 / (k - 1)) * error,
        pairs=_pairs([(columns[i], columns[j]) for i, j in pairs], z, error, raw, corrected),
        control=control,
        against=_against(columns, means, error, control, raw if k == 2 else None),
        left_out=left_out,
        note="; ".join(notes),
        values=tuple(map(tuple, table.tolist())),
        sets=rows,
        measure=measure,
    )


def _two_sided(z: Array) -> list[float]:
    from scipy.special import ndtr

    return list((2 * ndtr(-np.abs(z))).tolist())


def _pairs(
    names: list[tuple[str, str]], z: Array, error: float, raw: list[float], corrected: Mapping[str, Any]
) -> tuple[Pair, ...]:
    rows = zip(names, (z * error).tolist(), z.tolist(), raw, strict=True)
    return tuple(
        Pair(*pair, gap, statistic, p, {name: found[i] for name, found in corrected.items()})
        for i, (pair, gap, statistic, p) in enumerate(rows)
    )


def _against(
    columns: tuple[str, ...], means: Array, error: float, control: str | None, known: list[float] | None
) -> tuple[Pair, ...]:
    if control is None:
        return ()
    at = columns.index(control)
    others = [i for i in range(len(columns)) if i != at]
    z = (means[others] - means[at]) / error
    raw = _two_sided(z) if known is None else known
    corrected = {"bonferroni-dunn": bonferroni(raw), "holm": holm(raw), "hochberg": hochberg(raw)}
    return _pairs([(columns[i], control) for i in others], z, error, raw, corrected)


# What came ------------------------------------------------------------------------------------------------------------


def _table(
    values: object, names: Sequence[str] | None, sets: Sequence[str] | None
) -> tuple[Array, tuple[str, ...], tuple[str, ...], int]:
    """The data sets without gaps, the names of columns and rows, and how many have gaps."""
    if isinstance(values, Mapping):
        names = list(values) if names is None else names
        sizes = {str(name): int(np.size(v)) for name, v in values.items()}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} {size}" for name, size in sizes.items())
            message = f"The models have results of different numbers of data sets: {told}."
            raise LengthsDiffer(message, "Give one result for each model and data set, NaN where there is none.")
        values = np.column_stack(list(values.values()))
    elif names is None and hasattr(values, "columns"):
        names = [str(c) for c in values.columns]
    if isinstance(values, list | tuple) and len({int(np.size(row)) for row in values}) > 1:
        told = ", ".join(str(np.size(row)) for row in values[:6])
        message = f"The rows of the table differ in length: {told}{', …' if len(values) > 6 else ''}."
        raise LengthsDiffer(message, "Give one result for each model and data set, NaN where there is none.")
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        message = "Ranks need a table of numbers: a row for each data set and a column for each model."
        raise NotNumeric(message, "Give gaps as NaN.") from None
    if table.ndim != 2:
        message = f"Ranks need a table of two dimensions, data sets × models, and one of {table.ndim} came."
        raise LengthsDiffer(message, "Give a row for each data set and a column for each model.")
    columns = tuple(f"model {i + 1}" for i in range(table.shape[1])) if names is None else tuple(map(str, names))
    rows = tuple(f"data set {i + 1}" for i in range(len(table))) if sets is None else tuple(map(str, sets))
    for what, found, wanted in (("models", columns, table.shape[1]), ("data sets", rows, len(table))):
        if len(found) != wanted:
            message = f"The table has {wanted} {what}, and {len(found)} names came."
            raise LengthsDiffer(message, "Name every row and column once.")
    whole = np.asarray(np.isfinite(table).all(axis=1))
    kept = tuple(name for name, there in zip(rows, whole.tolist(), strict=True) if there)
    return table[whole], columns, kept, int((~whole).sum())


def _check(
    table: Array, columns: tuple[str, ...], better: str, confidence: float, control: str | None, left_out: int
) -> None:
    n, k = table.shape
    if better not in {"higher", "lower"}:
        message = f'Better must be "higher" or "lower", and {better!r} came.'
        raise UsageError(message, f"Errors and losses are {option('better', 'lower')}.")
    confidence = confidence_of(confidence)
    if len(set(columns)) != k:
        message = f"Two models have the same name: {listing(columns)}."
        raise UsageError(message, "Give every model a name of its own.")
    if control is not None and control not in columns:
        message = f"The control {listing([control])} is none of the models: {listing(columns)}."
        raise UsageError(message, "Name one of them.")
    if k < 2:
        message = f"Ranks need at least two models, and {k} came."
        raise NotAvailable(message, "Give a column for each model.")
    if n < 2:
        gaps = f" ({left_out} with gaps are left out)" if left_out else ""
        message = f"Ranks need at least two data sets, and {n} came{gaps}."
        raise NotAvailable(message, "On one data set compare the models over its folds or rows instead.")


# The range of k normal numbers ----------------------------------------------------------------------------------------


def range_survival(q: npt.ArrayLike, k: int) -> Array:
    """The chance that the range of k independent standard normal numbers exceeds q.

    P = k ∫ φ(z) (Φ(z)^(k−1) − (Φ(z) − Φ(z − q))^(k−1)) dz: the studentized range with infinite degrees of freedom.

    >>> range_survival([3.633, 0.0], 4).round(4).tolist()
    [0.05, 1.0]
    """
    from scipy.special import log_ndtr

    found = np.atleast_1d(np.asarray(q, dtype=np.float64))
    # The integrand is smooth and fades at both ends, where even steps are as good as any.
    z = np.linspace(-REACH, REACH, NODES)
    log_phi = log_ndtr(z)
    # Logarithms keep the far tail, where the plain difference of powers would be lost.
    share = np.exp(np.minimum(log_ndtr(z - found[:, None]) - log_phi, 0.0))
    with np.errstate(divide="ignore"):
        fewer = -np.expm1((k - 1) * np.log1p(-share))
    density = np.exp(-0.5 * z**2 + (k - 1) * log_phi) / math.sqrt(2 * math.pi)
    return np.asarray(np.clip(k * (z[1] - z[0]) * (density * fewer).sum(axis=1), 0.0, 1.0), dtype=np.float64)


@lru_cache(maxsize=256)
def range_quantile(confidence: float, k: int) -> float:
    """The range of k standard normal numbers that is exceeded with a chance of 1 − confidence, by bisection.

    >>> round(range_quantile(0.95, 4), 3)
    3.633
    """
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_survival(middle, k)[0] > 1 - confidence else (low, middle)
    return (low + high) / 2
