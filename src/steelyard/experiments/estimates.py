"""What the folds say of models to come: the value of a measure, with an interval that knows how the folds were drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.experiments.gathering import Gathered, value_in
from steelyard.intervals.folds import (
    CORRECTED,
    NESTED,
    SAME,
    Mixture,
    bootstrap_632,
    bootstrap_632_plus,
    conservative_z,
    corrected_t,
    naive_t,
    nested,
    nested_folds,
)
from steelyard.measures.measure import Measure
from steelyard.results import Estimate, Interval, Level
from steelyard.wording import Code, option
from steelyard.words import count, significant

ROWS = "the test rows alone"
AGREE = "the folds agree more than their rows allow, so the interval is as wide as that of the test rows"


@dataclass(frozen=True, eq=False)
class Asked:
    """A measure asked of one cell."""

    found: Gathered
    design: str
    measure: Measure
    level: Any
    confidence: float

    @property
    def limits(self) -> tuple[float, float]:
        """The range of the measure."""
        return self.measure.range

    def values(self, where: npt.NDArray[np.bool_] | None = None) -> Any:
        """One value a fold, of the folds that make up the evidence or of others."""
        return self.found.of(self.measure.name, self.level)[self.found.outer if where is None else where]

    def ratio(self, there: npt.NDArray[np.bool_]) -> float:
        """Test rows to training rows, on average; of a bootstrap to the different rows that it drew."""
        outer = [
            f for f, known in zip((f for f in self.found.folds if f.outer), there, strict=True) if known and f.train
        ]
        drawn = self.design == "Bootstrap"
        return float(np.mean([f.test / (f.train - f.test if drawn else f.train) for f in outer]))


def estimate_of(asked: Asked, method: str | None = None) -> Estimate:
    """The value for models to come, by the method that suits the design unless another is named."""
    if method is not None and method not in METHODS:
        message = f"There is no method {listing([method])}."
        raise UsageError(message, f"Choose one of {listing(METHODS)}.")
    if asked.found.pooled is None:
        return Estimate(asked.measure.name, None, confidence=asked.confidence, reason="no fold is done")
    return METHODS[method or usual(asked)](asked)


def usual(asked: Asked) -> str:
    """The method that suits a design: what the folds share decides it."""
    outer = int(asked.found.outer.sum())
    if asked.design == "Bootstrap":
        turned = asked.measure.better in ("higher", "lower")
        return ".632+" if turned and not by_heart(asked) else "out of bag"
    if asked.design == "PairedHoldout":
        return "conservative"
    if outer < 2 or asked.design == "LeaveOneOut":
        return "rows"
    if asked.design == "NestedFolds" and _is_mean(asked):
        return "nested"
    return "corrected t"


def by_heart(asked: Asked) -> bool:
    """Whether the model is perfect on the rows that it learnt from, as one neighbour is: then they say nothing of others.

    The .632 estimates draw the value towards that of the training rows; for one neighbour and 300 rows of two classes told
    apart with an error of 0.154 they come to 0.114, the rows out of bag to 0.159 (docs/studies/edges_folds.py).
    """
    if asked.found.apparent is None:
        return False
    best = asked.limits[0] if asked.measure.better == "lower" else asked.limits[1]
    return float(value_in(asked.found.apparent, asked.measure.name, asked.level).value) == best


def _is_mean(asked: Asked) -> bool:
    table = asked.found.squares.get((asked.measure.name, asked.level))
    return table is not None and bool(np.isfinite(table[asked.found.outer]).all())


# The methods ----------------------------------------------------------------------------------------------------------


def over_rows(asked: Asked) -> Estimate:
    """The sum of the folds, with the interval of its rows: of the models that were trained, not of others to come."""
    assert asked.found.pooled is not None
    x = asked.found.pooled.measure(asked.measure.name, asked.level)
    note = f"rests on {ROWS}: what other training rows would change is not in it"
    return x.renamed(note="; ".join(filter(None, (x.note, note))))


def over_folds(asked: Asked, lay: Callable[[Any, float], Interval]) -> Estimate:
    """The mean over folds, with an interval from their spread."""
    values = asked.values()
    there = np.isfinite(values)
    if int(there.sum()) < 2:
        return over_rows(asked)
    interval = lay(values[there], asked.ratio(there))
    gone = int((~there).sum())
    missing = f"{gone} of {len(values)} folds have no value" if gone else ""
    return _estimate(asked, float(values[there].mean()), interval, missing)


def by_corrected_t(asked: Asked) -> Estimate:
    """Nadeau and Bengio's corrected resampled t, but never shorter than the interval of the test rows.

    Folds that happen to agree, such as ten of one positive each that all rank it first, show no spread; what their rows
    leave open is still open.
    """
    found = over_folds(asked, lambda v, ratio: corrected_t(v, ratio, asked.confidence, asked.limits))
    if ROWS in found.note or found.value is None or found.low is None or found.high is None:
        return found
    rows = over_rows(asked)
    if rows.value is None or rows.low is None or rows.high is None or rows.high - rows.low <= found.high - found.low:
        return found
    low, high = (
        min(max(found.value + end - rows.value, asked.limits[0]), asked.limits[1]) for end in (rows.low, rows.high)
    )
    kept = [part for part in found.note.split("; ") if part and part != SAME]
    return found.renamed(low=low, high=high, note="; ".join((*kept, AGREE)), caution=rows.caution)


def by_naive_t(asked: Asked) -> Estimate:
    """Student's t as if folds were independent; named as too short."""
    return over_folds(asked, lambda v, _: naive_t(v, asked.confidence, asked.limits))


def by_halves(asked: Asked) -> Estimate:
    """The conservative z of hold-outs paired over halves."""
    folds = asked.found.folds
    values = asked.found.of(asked.measure.name, asked.level)
    sides: dict[tuple[int, int], list[float]] = {}
    for fold, value in zip(folds, values.tolist(), strict=True):
        if fold.inner >= 0:
            sides.setdefault((fold.repeat, fold.inner), []).append(value)
    pairs = sorted({repeat for repeat, _ in sides})
    if not pairs:
        message = "A conservative interval needs hold-outs in two halves, and this design has none."
        raise UsageError(message, f"Use {option('design', Code('PairedHoldout()'), typed='paired:15x10')}.")
    means = [[float(np.mean(sides[p, side])) for side in (0, 1)] for p in pairs]
    outer = asked.values()
    there = outer[np.isfinite(outer)]
    if not len(there):
        return over_rows(asked)
    interval = conservative_z(outer, means, asked.confidence, asked.limits)
    return _estimate(asked, float(there.mean()), interval)


def by_nested_folds(asked: Asked) -> Estimate:
    """Bates, Hastie and Tibshirani's nested cross validation, for measures that are means over rows."""
    if asked.design != "NestedFolds" or not _is_mean(asked):
        message = (
            f"Nested cross validation tells of means over rows under NestedFolds, and not {asked.measure.name} here."
        )
        hint = (
            f"Use {option('design', Code('NestedFolds()'), typed='nested:5x10')}, or {option('method', 'corrected t')}."
        )
        raise UsageError(message, hint)
    folds = asked.found.folds
    repeats, k = max(f.repeat for f in folds) + 1, max(f.fold for f in folds) + 1
    outer, squares, sizes = (np.full((repeats, k), math.nan) for _ in range(3))
    inner = np.full((repeats, k, k), math.nan)
    values = asked.found.of(asked.measure.name, asked.level)
    errors = asked.found.squares[asked.measure.name, asked.level]
    for fold, value, square in zip(folds, values.tolist(), errors.tolist(), strict=True):
        if fold.outer:
            outer[fold.repeat, fold.fold], squares[fold.repeat, fold.fold] = value, square
            sizes[fold.repeat, fold.fold] = fold.test
        else:
            inner[fold.repeat, fold.fold, fold.inner] = value
    interval = nested_folds(outer, inner, squares, asked.confidence, asked.limits, sizes)
    if interval.low is None:
        return _estimate(asked, float(np.nanmean(outer)), interval)
    low, high = asked.limits
    value = min(max(nested(outer, inner, squares, sizes).value, low), high)
    return _estimate(asked, value, interval)


def out_of_bag(asked: Asked) -> Estimate:
    """The mean over replicates of a bootstrap, on the rows that each left out.

    Each replicate learns from fewer different rows than there are, so the value errs to the worse side; its interval reaches
    as far to the better side as that of the .632+ estimate.
    """
    found = by_corrected_t(asked)
    mixed = _mixed(asked, found.value, plus=True)
    return found if mixed is None else _reaching(asked, found, found.value, mixed[0].value)


def by_632(asked: Asked, *, plus: bool) -> Estimate:
    """The .632 estimate, or the .632+ one."""
    m, e, pooled = asked.measure, asked.found.apparent, asked.found.pooled
    if e is None or pooled is None:
        message = "The .632 estimates need the value on the training rows, and the design has no such division."
        hint = f"Use {option('design', Code('Bootstrap(200)'), typed='bootstrap:200')}, and let its last fold finish."
        raise UsageError(message, hint)
    if m.better not in ("higher", "lower"):
        message = f"{m.name} is neither better higher nor better lower, so it has no .632 estimate."
        raise UsageError(message, f"Use {option('method', 'out of bag')}.")
    spread = by_corrected_t(asked)
    mixed = _mixed(asked, spread.value, plus=plus)
    if mixed is None:
        return spread
    found, name, note = mixed
    apparent = float(value_in(e, m.name, asked.level).value)
    told = f"on training rows {significant(apparent, 4)}, out of bag {significant(float(spread.value or 0.0), 4)}"
    note = "; ".join(filter(None, (told, note)))
    if spread.low is None or spread.high is None or spread.method == "none":
        none = "too few replicates for an interval"
        return spread.renamed(value=found.value, low=None, high=None, method="none", note=none)
    out = _reaching(asked, spread, found.value, found.value)
    return out.renamed(method=f"{name} bootstrap, {spread.method}", note=note)


def _mixed(asked: Asked, outside: float | None, *, plus: bool) -> tuple[Mixture, str, str] | None:
    """The value on the training rows mixed with that out of bag, the name of the mixture, and a remark on it."""
    m, e = asked.measure, asked.found.apparent
    if e is None or outside is None or m.better not in ("higher", "lower"):
        return None
    apparent = float(value_in(e, m.name, asked.level).value)
    if not math.isfinite(apparent):
        return None
    chance = no_information(e, m, asked.level) if plus else None
    if plus and chance is not None:
        found = bootstrap_632_plus(apparent, outside, chance, m.better)
        return found, ".632+", f"overfitting rate {found.rate:.2f}, no information {chance:.3g}"
    unknown = "what a model without information would reach is not known here, so the weight is .632" if plus else ""
    return bootstrap_632(apparent, outside), ".632", unknown


def _reaching(asked: Asked, spread: Estimate, value: float | None, mixed: float) -> Estimate:
    """The interval of the replicates, to the worse side about the value out of bag, to the better about the mixed one.

    Of the two the first errs to the worse side and the second may err to the better one; between them lies what a model
    of all rows would reach.
    """
    if spread.value is None or spread.low is None or spread.high is None:
        return spread
    ends = [(spread.low, spread.high), (mixed + spread.low - spread.value, mixed + spread.high - spread.value)]
    low, high = min(x for x, _ in ends), max(x for _, x in ends)
    low, high = (min(max(x, asked.limits[0]), asked.limits[1]) for x in (low, high))
    return spread.renamed(value=value, low=low, high=high)


def no_information(evaluation: Evaluation, measure: Measure, level: Level = None) -> float | None:
    """What the measure would be if target and prediction had nothing to do with each other, with the same shares of each.

    A measure is a function of a summary: it is read from the table of products of the margins. For the error rate of
    labels this is Efron and Tibshirani's γ = Σ p_l (1 − q_l), for the AUC it is one half.
    """
    if evaluation.residuals is not None:
        found = math.nan if measure.unrelated is None else measure.unrelated(evaluation.residuals)
        return found if math.isfinite(found) else None
    unrelated = {kind: summary.unrelated() for kind, summary in evaluation.summaries.items()}
    have = {kind: summary for kind, summary in unrelated.items() if summary is not None}
    from steelyard.asking.questions import ask

    value = float(
        ask(measure, have, level, measure.with_defaults({}), evaluation.confidence, evaluation.positive).reading.value
    )
    return value if math.isfinite(value) else None


def _estimate(asked: Asked, value: float, interval: Interval, *notes: str) -> Estimate:
    folds = [f for f in asked.found.folds if f.outer]
    learnt = round(float(np.mean([f.train for f in folds])))
    for_size = f"for models trained on {count(learnt)} rows" if interval.method in (CORRECTED,) else ""
    if interval.method == NESTED:
        for_size = "for a model trained on all rows"
    note = "; ".join(filter(None, (*notes, for_size, interval.note if interval.method != NESTED else "")))
    rows = 0.0 if asked.found.pooled is None else float(asked.found.pooled.rows)
    return Estimate(
        asked.measure.name,
        value,
        interval.low,
        interval.high,
        asked.confidence,
        interval.method,
        rows,
        level=asked.level,
        note=note,
    )


METHODS: dict[str, Callable[[Asked], Estimate]] = {
    "corrected t": by_corrected_t,
    "naive t": by_naive_t,
    "rows": over_rows,
    "nested": by_nested_folds,
    "conservative": by_halves,
    "out of bag": out_of_bag,
    ".632": partial(by_632, plus=False),
    ".632+": partial(by_632, plus=True),
}
