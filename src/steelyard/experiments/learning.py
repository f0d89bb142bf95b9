"""Learning curves: how a model gets better with more rows, and what more of them would bring."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import as_annotated, read_like
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.experiments.choosing import usual_holdouts
from steelyard.experiments.experiment import experiment
from steelyard.experiments.gathering import Gathered, gather
from steelyard.experiments.result import Experiment
from steelyard.intervals import power_law
from steelyard.intervals.folds import corrected_t
from steelyard.measures.measure import find, leading
from steelyard.results import Array, Curve, Estimate, make_frame
from steelyard.verdicts.choice import more_rows
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import Told
from steelyard.wording import either, option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.intervals.power_law import Laws, PowerLaw

REPEATS = 10
STEPS = 6
"""How many sizes there are unless they are named, each twice the one before."""


@as_annotated()
def learning_curve(
    models: object,
    X: object = None,
    y: object = None,
    *,
    sizes: object = None,
    design: object = None,
    measure: str | None = None,
    repeats: int | None = None,
    **options: Any,
) -> LearningCurve:
    """Train models on more and more rows, and follow a measure on training and test rows.

    `sizes` is a schedule (`arithmetic(100, 100)`, `geometric(100, 2)`) or a list; the training rows of a larger size hold
    those of the smaller. `design` draws the test rows: `repeats` (10) hold-outs of a quarter unless another is given. All other
    options are those of `experiment`, `store` among them, so that a long curve goes on where it stopped.

    >>> from sklearn.datasets import load_iris
    >>> from steelyard.designs.schedules import geometric
    >>> curve = learning_curve(["bayes"], *load_iris(return_X_y=True), sizes=geometric(14, 2), repeats=3)
    >>> curve.sizes
    (14, 28, 56, 112)
    """
    from steelyard.designs.design import check_seed, design_of
    from steelyard.designs.schedules import Growing
    from steelyard.sources.in_memory import as_table, column_of, flat_array

    for name in ("learnt", "data"):
        if name in options:
            message = f"A learning curve takes no {option(name)}."
            raise UsageError(message, "It counts the training rows of one data set by itself.")
    if measure is not None:
        # A name that does not exist is told before anything is trained.
        find(measure)
    options = read_like(experiment, options)
    seed = check_seed(options.get("seed", 0))
    if design is not None and repeats is not None:
        message = "A design says itself how often rows are drawn, and a number of repeats was given beside it."
        raise UsageError(message, "Write the repeats into the design: kfold:3x2.")
    if design is not None:
        base = design_of(design)
    else:
        X = as_table(X)
        target = column_of(X, y) if isinstance(y, str) else None if y is None else flat_array(y)
        repeats = REPEATS if repeats is None else repeats
        base, said = usual_holdouts(target, options.get("kind"), repeats, seed)
        options["remarks"] = [*options.get("remarks", ()), *said]
    grown = Growing(base, sizes if sizes is not None else Doubling(), seed=seed)
    found = experiment(models, X, y, design={"learning curve": grown}, learnt=True, **options)
    return LearningCurve(found, measure)


NEAR = 1.001
"""An exponent nearer than this to the edge of those that are tried lies at it."""


class Doubling:
    """The usual sizes: all training rows, half of them, a quarter, and so on."""

    def __iter__(self) -> Any:
        return iter([0.5**i for i in range(STEPS)][::-1])


class LearningCurve(Told):
    """A measure at growing numbers of training rows, for one model or several."""

    as_text: ClassVar[str] = "learning.learning_text"
    as_verdict: ClassVar[str] = "foremost.learning_conclusion"

    def __init__(self, found: Experiment, measure: str | None = None) -> None:
        self.experiment = found
        self._gathered: dict[str, Gathered] = {c.model: gather(c, found.keeper, learnt=True) for c in found.cells}
        self.sizes: tuple[int, ...] = tuple(sorted({f.train for c in found.cells for f in c.folds}))
        self.measure: str = find(measure).name if measure else self._chosen()
        if all((self.measure, None) not in g.values for g in self._gathered.values()):
            known = sorted({name for g in self._gathered.values() for name, _ in g.values})
            if not known and found.failures:
                message = "No fold could be done."
                raise NotAvailable(message, f"The first error: {found.failures[0]['error']}")
            message = f'The models say nothing about "{self.measure}".'
            raise NotAvailable(message, f"Choose one of {listing(known)}.")

    def _chosen(self) -> str:
        kind = next(iter(self.experiment.plan["data"].values()))["kind"]
        # A model of which every fold failed has no say in what is followed.
        able = [g for g in self._gathered.values() if g.values]
        usual = leading("learning", "numbers" if kind == "continuous" else "labels")
        for name in usual:
            if able and all((name, None) in g.values and np.isfinite(g.of(name)).all() for g in able):
                return name
        return usual[-1]

    @property
    def verdict(self) -> Verdict:
        """Whether more data would help any of the models."""
        gains = []
        for model in self.models:
            try:
                gains += [] if self.no_law(model) else [self.gain(model)]
            except NotAvailable:
                continue
        return self.in_words(more_rows(gains, higher=find(self.measure).better == "higher"))

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(self._gathered)

    @property
    def confidence(self) -> float:
        """The confidence of bands and intervals."""
        return self.experiment.confidence

    def _model(self, name: str | None) -> str:
        if name is None and len(self.models) == 1:
            return self.models[0]
        if name not in self.models:
            message = f"There is no model {listing([name])}." if name else "Which model?"
            raise NotAvailable(message, f"There are {listing(self.models)}.")
        return str(name)

    @as_annotated()
    def values(self, model: str | None = None, *, train: bool = False, measure: str | None = None) -> Array:
        """The measure in each repeat (rows) at each size (columns); NaN where it is undefined or not done."""
        found = self._gathered[self._model(model)]
        every = found.of(measure or self.measure, learnt=train)
        places = sorted({(f.repeat, f.fold) for f in found.folds})
        out = np.full((len(places), len(self.sizes)), np.nan)
        for fold, value in zip(found.folds, every.tolist(), strict=True):
            out[places.index((fold.repeat, fold.fold)), self.sizes.index(fold.train)] = value
        return out

    @property
    def ratio(self) -> float:
        """Test rows to all other rows: what the repeats share stands in for in every interval."""
        cell = self.experiment.cells[0]
        rows = self.experiment.plan["data"][cell.data]["rows"]
        tested = float(np.mean([f.test for f in cell.folds]))
        return float(tested / max(rows - tested, 1.0))

    @as_annotated()
    def estimates(self, model: str | None = None, *, train: bool = False, measure: str | None = None) -> list[Estimate]:
        """The mean over repeats at each size, with a corrected t interval."""
        name = find(measure or self.measure).name
        m = find(name)
        out = []
        for size, column in zip(self.sizes, self.values(model, train=train, measure=name).T, strict=True):
            there = column[np.isfinite(column)]
            if not len(there):
                out.append(Estimate(name, None, confidence=self.confidence, reason="no repeat has a value"))
                continue
            i = corrected_t(there, self.ratio, self.confidence, m.range)
            facts: dict[str, Any] = {"n": float(size), "note": i.note}
            out.append(Estimate(name, float(there.mean()), i.low, i.high, self.confidence, i.method, **facts))
        return out

    # What more would bring -------------------------------------------------------------------------------------------
    def _complete(self, model: str | None) -> tuple[Array, Sequence[int], Any]:
        """The repeats and sizes at which the measure is defined throughout."""
        m = find(self.measure)
        if m.better not in ("higher", "lower"):
            message = f"{m.name} is neither better higher nor better lower, so no power law leads anywhere."
            raise NotAvailable(message, "Follow another measure.")
        values = self.values(model)
        sizes: Any = np.isfinite(values).all(axis=0)
        if int(sizes.sum()) < power_law.FEWEST_SIZES:
            message = f"A power law needs {power_law.FEWEST_SIZES} sizes, and {m.name} is known at {int(sizes.sum())}."
            raise NotAvailable(message, "Train at more sizes, or follow another measure.")
        return values[:, sizes], [s for s, there in zip(self.sizes, sizes.tolist(), strict=True) if there], m

    @as_annotated()
    def law(self, model: str | None = None) -> PowerLaw:
        """The power law nearest to the test curve: a + b · n^(−c)."""
        values, sizes, m = self._complete(model)
        errors = values.std(axis=0, ddof=1) if len(values) > 1 else None
        return power_law.fit(sizes, values.mean(axis=0), errors, m.better, m.range)

    @as_annotated()
    def laws(self, model: str | None = None) -> Laws:
        """The power laws that fit the test curve, weighed; what they say on average is told of more rows."""
        values, sizes, m = self._complete(model)
        return power_law.plausible(values, sizes, ratio=self.ratio, better=m.better, limits=m.range)

    @as_annotated()
    def no_law(self, model: str | None = None) -> str:
        """Why no power law should be read off the test curve, in a sentence; empty where one fits."""
        values, _, m = self._complete(model)
        law = self.law(model)
        if law.flat:
            return "more rows made no difference that a power law could follow"
        turn = 1.0 if m.better == "higher" else -1.0
        steps = turn * (values[:, -1] - values[:, 0])
        # One standard error, corrected for the rows that the repeats share.
        noise = float(steps.std(ddof=1)) * (1 / len(steps) + self.ratio) ** 0.5 if len(steps) > 1 else 0.0
        if steps.mean() <= noise:
            beyond = " beyond chance" if steps.mean() > 0 else ""
            return f"no power law fits: with all rows it is not better{beyond} than with the fewest"
        slow, fast = float(power_law.POWERS[0]), float(power_law.POWERS[-1])
        if not slow * NEAR < law.c < fast / NEAR:
            return f"no power law fits: its exponent would lie at the edge of what is tried, {slow:g} to {fast:g}"
        return ""

    @as_annotated()
    def at(self, rows: Annotated[float, Span(1)], model: str | None = None) -> Estimate:
        """The value to expect with so many training rows."""
        values, sizes, m = self._complete(model)
        options: dict[str, Any] = {"ratio": self.ratio, "better": m.better, "limits": m.range, "measure": m.name}
        return power_law.extrapolate(values, sizes, rows, self.confidence, **options)

    @as_annotated()
    def gain(self, model: str | None = None, factor: float = 2.0) -> Estimate:
        """What `factor` times as many rows would bring; twice as many unless said otherwise."""
        values, sizes, m = self._complete(model)
        options: dict[str, Any] = {"ratio": self.ratio, "better": m.better, "limits": m.range, "measure": m.name}
        return power_law.gain(values, sizes, factor, self.confidence, **options)

    @as_annotated()
    def enough(self, cost: float, value: float, model: str | None = None) -> Estimate:
        """How many training rows are enough, where one more label costs `cost` and one whole unit of the measure is worth `value`.

        n at which value · |b| c n^(−c−1) = cost, by the power laws that fit the curve: beyond it a row costs more than it brings.
        Where none fits there is no such number, and the reason is told.
        """
        for word, given in (("The cost of a label", cost), ("What a unit of the measure is worth", value)):
            example = either("enough(cost=0.5, value=10_000)", "--label-cost 0.5 --worth 10000")
            taken(word, given, Span(0, above=True), f"For example {example}.")
        laws, powers, most = self.laws(model), power_law.POWERS, self.sizes[-1]
        if reason := self.no_law(model):
            return Estimate("rows", None, None, None, self.confidence, "none", n=float(most), reason=reason)
        with np.errstate(over="ignore", invalid="ignore"):
            found = (value / cost * np.abs(laws.b) * powers) ** (1 / (powers + 1))
        if not np.isfinite(found).all():
            message = f"Labels at {cost:g} beside a unit worth {value:g} are so cheap that no number of rows is enough."
            raise UsageError(message, f"Give both in one currency, for example {example}.")
        order = np.argsort(found)
        share = np.cumsum(laws.weight[order]) / laws.weight.sum()
        tail = (1 - self.confidence) / 2
        low, middle, high = (
            float(found[order][np.searchsorted(share, q).clip(0, len(order) - 1)]) for q in (tail, 0.5, 1 - tail)
        )
        note = "beyond the rows there are, as the power laws go on" if middle > most else "within the rows there are"
        return Estimate("rows", middle, low, high, self.confidence, "power laws, weighed", n=float(most), note=note)

    # Telling ---------------------------------------------------------------------------------------------------------
    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One tidy row for each model, part and size."""
        out = []
        for model in self.models:
            for part in ("train", "test"):
                found, every = self.estimates(model, train=part == "train"), self.values(model, train=part == "train").T
                for size, x, values in zip(self.sizes, found, every, strict=True):
                    there = values[np.isfinite(values)]
                    row = {"model": model, "part": part, "rows": size, "measure": self.measure, "estimate": x.value}
                    row |= {"low": x.low, "high": x.high, "method": x.method, "reason": x.reason}
                    # The spread between repeats, which shrinks as rows are added.
                    out.append(row | {"deviation": float(there.std(ddof=1)) if len(there) > 1 else None})
        return out

    def frame(self) -> Any:
        """One tidy row for each model, part and size, as a frame."""
        rows = self.rows_as_dicts()
        return make_frame({k: [r[k] for r in rows] for k in rows[0]})

    @as_annotated()
    def curve(self, model: str | None = None) -> Curve:
        """The curve of one model: training and test values with their bands, at each size."""
        columns: dict[str, list[Any]] = {"rows": list(self.sizes)}
        for part in ("train", "test"):
            found = self.estimates(model, train=part == "train")
            columns |= {part: [x.value for x in found]}
            columns |= {f"{part}_low": [x.low for x in found], f"{part}_high": [x.high for x in found]}
        return Curve("learning", columns, self.confidence, "corrected resampled t")

    @as_annotated()
    def chart(self, *models: str) -> Chart:
        """The curves with their bands, and the power law drawn on to twice the rows."""
        from steelyard.views.learning import learning_chart

        return learning_chart(self, *models)

    def to_dict(self) -> dict[str, Any]:
        """Every number and sentence as plain JSON values."""
        from steelyard.views.learning import learning_document

        return learning_document(self)

    @as_annotated()
    def report(self, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
        """Write the curves as one offline page (.html), Markdown (.md) or .json."""
        from steelyard.reports.experiment import write_learning_report

        write_learning_report(self, path, title=title, command=command)
