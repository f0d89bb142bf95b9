"""Early stopping: the iteration at which the validation error is least, and what it comes to on rows kept apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import Span, taken
from steelyard.arguments.annotated import Label, as_annotated
from steelyard.charts.curves import chart_of
from steelyard.charts.marks import Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale, wide_enough
from steelyard.errors import LengthsDiffer, NotAvailable, UsageError
from steelyard.files.as_json import AsJson
from steelyard.measures.measure import find, leading
from steelyard.results import Curve, Estimate
from steelyard.wording import Code, option
from steelyard.words import estimate_parts, like, significant

if TYPE_CHECKING:
    from steelyard.designs.design import Design
    from steelyard.evaluation import Evaluation
    from steelyard.experiments.followers import Answers, Said
    from steelyard.experiments.models import Model

    Follower = Callable[[Model, Sequence[Any], Sequence[Any], str], tuple[str, Answers, Sequence[float] | None]]

MANY = Span(1, 1_000_000, whole=True)


@dataclass(frozen=True, slots=True)
class Stopping(AsJson):
    """How training and validation values went, where to stop, and what stopping there comes to on the test rows."""

    left_out: ClassVar[tuple[str, ...]] = ("better",)

    measure: str
    better: str
    iterations: tuple[float, ...]
    """The iterations, or the values of the parameter."""
    train: tuple[float | None, ...]
    validation: tuple[float | None, ...]
    best: float
    """The iteration (or value) with the best validation value; of several the first."""
    test: Estimate
    """On the test rows, at the best iteration."""
    last: Estimate
    """On the test rows, at the last iteration."""
    optimism: Estimate
    """How much better the validation value at the best iteration looks than the test value there."""
    way: str = ""
    """How the model was followed, in words."""
    rows: tuple[int, int, int] = (0, 0, 0)
    """How many rows trained, validated and tested."""
    parameter: str = ""
    """The parameter whose values were tried, where it was not the iterations of one training."""

    @property
    def seen(self) -> float:
        """The validation value at the best iteration."""
        found = self.validation[self.iterations.index(self.best)]
        assert found is not None
        return found

    def curve(self) -> Curve:
        """Training and validation values by iteration."""
        columns: dict[str, Sequence[float | None]] = {
            "iteration": list(self.iterations),
            "training": list(self.train),
            "validation": list(self.validation),
        }
        facts = {"best": self.best, "measure": self.measure, "parameter": self.parameter}
        return Curve("stopping", columns, facts=facts)

    def chart(self) -> Chart:
        """Both lines, and a rule where to stop."""
        drawn: Chart = stopping_chart(self.curve())
        return drawn

    def sentences(self) -> list[str]:
        """Where to stop and what it brings, in plain words."""
        name, of = find(self.measure).noun, len(self.iterations)
        word = "least" if self.better == "lower" else "greatest"
        where = f"came after {self.best:,} of {of:,} iterations"
        if self.parameter:
            where = f"came with {self.parameter} {significant(self.best)}, of {of:,} values tried"
        out = [
            f"The {word} {name} on the validation rows, {self._seen_text()}, {where}; on the test rows it is {self.test} there.",
            self._luck(),
        ]
        if self.parameter:
            said = f"With {self.parameter} {significant(self.iterations[-1])} it would be {self.last} on the test rows."
            return [*out, said] if self.best != self.iterations[-1] else out
        if self.best == self.iterations[-1]:
            out.append("It is the last iteration: more of them might do better still.")
        else:
            out.append(f"After all {of:,} iterations it would be {self.last} on the test rows.")
        return out

    def _seen_text(self) -> str:
        """The validation value with as many decimals as the test value beside it."""
        if self.test.value is None or self.test.low is None or self.test.high is None:
            return significant(self.seen)
        return like(self.seen, estimate_parts(self.test.value, self.test.low, self.test.high)[0])

    def _luck(self) -> str:
        x = self.optimism
        if x.value is None:
            return f"How much the validation rows flatter it is not known: {x.reason}."
        if x.value >= 0:
            return f"The validation rows, on which it was chosen, make it look better than that by {x}."
        low, high = (None, None) if x.low is None or x.high is None else (-x.high, -x.low)
        turned = x.renamed(value=-x.value, low=low, high=high)
        return f"The validation rows, on which it was chosen, do not flatter it: they look worse by {turned}."

    def __str__(self) -> str:
        from steelyard.views.layout import wrap

        return "\n".join(wrap(" ".join(self.sentences())))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return AsJson.to_dict(self) | {"text": str(self)}


@chart_of("stopping")
def stopping_chart(curve: Curve) -> Chart:
    """Training and validation values by iteration, with a rule at the best one."""
    # Of a pruned model the simplest may come first; a line is named at its right end.
    rows = sorted(zip(*(curve.columns[n] for n in ("iteration", "training", "validation")), strict=True))
    x, training, validation = (list(column) for column in zip(*rows, strict=True))
    best, m, parameter = curve.facts["best"], find(curve.facts["measure"]), str(curve.facts.get("parameter", ""))
    name = m.noun
    place = x.index(best)
    at = validation[place]
    up = wide_enough([*training, *validation], name, zero=m.better == "lower", room=0.06)
    # Above the lines there is room for the words.
    up = replace(up, high=up.high + 0.12 * (up.high - up.low))
    first, last = float(x[0] or 0), float(x[-1] or 0)
    across = Scale(min(first, last - 1.0), last, "Iterations")
    if parameter:
        seen = [float(v) for v in x if v is not None]
        across = wide_enough(seen, parameter)
    chosen, told = (f"{parameter} {significant(best)}", "value") if parameter else (f"stop at {best:,}", "iteration")
    # The words go to the side where there is room for them.
    left = best > (across.low + across.high) / 2
    marks: list[Mark] = [
        Rule(x=float(best)),
        Line(x, training, 1, dash="7 3", label="training"),
        Line(x, validation, 0, label="validation"),
        Text(best, up.high, chosen, "ink", "end" if left else "start", True, -6 if left else 6, 14),
    ]
    if at is not None:
        marks.append(Point(best, at, 0))
        words = f"{name} {significant(at)}"
        marks.append(Text(best, up.high, words, "quiet", "end" if left else "start", False, -6 if left else 6, 30))
    said = f"{name} by {told} on training and validation rows; best on the validation rows: {chosen}."
    return Chart(
        "stopping",
        "Pruning by validation" if parameter else "Early stopping",
        across,
        up,
        tuple(marks),
        said,
        curve.columns,
        size=(520.0, 360.0),
    )


# Following a model ----------------------------------------------------------------------------------------------------


@as_annotated()
def stopping_curve(
    model: Model | str,
    X: object,
    y: object,
    *,
    design: object = None,
    measure: str | None = None,
    positive: Label = None,
    seed: int = 0,
    iterations: int | None = None,
) -> Stopping:
    """Train on one part of the rows, follow the model iteration by iteration on another, and tell what stopping brings.

    Best iteration = the first with the best validation value; optimism = test value − validation value there, turned
    round where more is better. Without a measure: the log loss where the model gives probabilities (the error rate if
    that is infinite somewhere), the error rate for labels, the root mean squared error for numbers. `design` is a
    hold-out with a validation part: by default 50% of the rows train, 20% validate and 30% test. `model` may be the name
    of a standard one, such as "boosting".

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> s = stopping_curve(GradientBoostingRegressor(), X, y, iterations=40)
    >>> s.measure, len(s.validation), min(s.validation) == s.seen
    ('rmse', 40, True)
    """
    from steelyard.experiments.followers import follow

    if iterations is not None:
        taken("The number of iterations", iterations, MANY, "Leave it out for as many as the model has.")

    def steps(made: Model, parts: Sequence[Any], targets: Sequence[Any], kind: str) -> tuple[str, Answers, None]:
        return (*follow(made, parts, targets, kind, iterations), None)

    return followed(model, X, y, steps, design, measure, positive, seed)


def followed(
    model: Model | str,
    X: object,
    y: object,
    follower: Follower,
    design: object,
    measure: str | None,
    positive: Label,
    seed: int,
    parameter: str = "",
) -> Stopping:
    """A model step by step on training, validation and test rows; the follower says what a step is."""
    from steelyard.experiments.data_set import levels_in, positive_of
    from steelyard.experiments.followers import NOT_LEARNT, plainly, threads_for, told
    from steelyard.experiments.models import fresh, kind_of_model
    from steelyard.sources.in_memory import as_table, flat_array, number_of_rows, take_rows

    X, y = as_table(X), flat_array(y)
    if isinstance(model, str):
        from steelyard.experiments.data_set import kind_of
        from steelyard.experiments.standard import standard_model

        model = standard_model(model, kind_of(y), X)
    assert not isinstance(model, str)
    kind = kind_of_model(model)
    if kind is None:
        message = f"Whether a {type(model).__name__} predicts levels or numbers is not known."
        raise NotAvailable(message, "Pass a classifier or a regressor with scikit-learn's tags.")
    if number_of_rows(X) != len(y):
        message = f"X has {number_of_rows(X):,} rows and y has {len(y):,}."
        raise LengthsDiffer(message, "They must run side by side.")
    levels = levels_in(y) if kind == "levels" else ()
    split = next(iter(_design(design, seed).splits(len(y), y)))
    if not len(split.validation) or not len(split.test):
        what = "value" if parameter else "iteration"
        message = f"Choosing the {what} needs rows to choose it on and rows to tell the result on."
        both = option("design", Code("Holdout(test=0.3, validation=0.2)"), typed="holdout:0.3:0.2")
        raise UsageError(message, f"Use a hold-out with both, for example {both}.")
    places = (split.train, split.validation, split.test)
    parts, targets = [take_rows(X, p) for p in places], [y[p] for p in places]
    with plainly(*NOT_LEARNT):
        way, answers, values = follower(fresh(model, seed), parts, targets, kind)
    if positive is not None:
        positive = positive_of(levels, positive)
    weigher = _Weigher(kind, levels, positive)
    records: list[_Record] = [] if measure is None else [_Record(_followed(measure))]
    steps = 0
    with threads_for(len(targets[0])):
        for learnt, validated, tested in told(answers):
            steps += 1
            records = records or [_Record(name) for name in _usual(learnt.kind)]
            evidence = weigher(targets[0], learnt), weigher(targets[1], validated)
            latest = tested
            for record in records:
                record.add(*evidence, tested)
    if not steps:
        message = "The model went through no iteration at all."
        raise NotAvailable(message, f"Ask for at least one: {option('iterations', 100)}.")
    record = _first_defined(records, lambda: weigher(targets[1], validated))
    m = find(record.name)
    at_best = weigher(targets[2], record.tested)
    return Stopping(
        m.name,
        m.better,
        tuple(range(1, steps + 1)) if values is None else tuple(values),
        tuple(record.train),
        tuple(record.validation),
        record.best if values is None else values[record.best - 1],
        at_best[m.name],
        weigher(targets[2], latest)[m.name],
        _optimism(record.evidence, at_best, m.name),
        way,
        (len(places[0]), len(places[1]), len(places[2])),
        parameter,
    )


def _usual(kind: str) -> list[str]:
    """What is followed where nobody says: the first that is defined on the validation rows at every iteration."""
    return leading("stopping", "scores" if kind == "probabilities" else kind)


class _Record:
    """Values of one measure by iteration, and what stood at the best of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.train: list[float | None] = []
        self.validation: list[float | None] = []
        self.best = 0
        self.evidence: Any = None
        self.tested: Any = None
        self._value: float | None = None

    def add(self, train: Evaluation, validation: Evaluation, tested: Said) -> None:
        """One more iteration; an equal value is no better one."""
        value = _value(validation, self.name)
        self.train.append(_value(train, self.name))
        self.validation.append(value)
        if value is None:
            return
        lower = find(self.name).better == "lower"
        if self._value is None or (value < self._value if lower else value > self._value):
            self._value, self.best = value, len(self.validation)
            self.evidence, self.tested = validation, tested


def _followed(measure: str) -> str:
    m = find(measure)
    if m.better not in {"higher", "lower"}:
        message = f'Neither more nor less of "{m.name}" is better, so no iteration is the best by it.'
        raise UsageError(message, f"Follow a measure with a direction, for example {option('measure', 'log_loss')}.")
    return m.name


def _first_defined(records: Sequence[_Record], last: Callable[[], Any]) -> _Record:
    """The first measure that is defined all the way; failing that, the first that is defined anywhere."""
    for record in records:
        if None not in record.validation:
            return record
    for record in records:
        if record.best:
            return record
    name = records[0].name
    message = f'"{name}" is undefined on the validation rows at every iteration: {last()[name].reason}.'
    raise NotAvailable(message, "Follow another measure.")


def _design(design: object, seed: int) -> Design:
    from steelyard.designs.design import design_of
    from steelyard.designs.holdout import Holdout

    return Holdout(test=0.3, validation=0.2, seed=seed) if design is None else design_of(design)


def _value(evaluation: Evaluation, name: str) -> float | None:
    """The number alone: no interval is laid around hundreds of points that get none."""
    from steelyard.asking.questions import value_of

    value = value_of(evaluation, name)
    return float(value) if np.isfinite(value) else None


def _optimism(valid: Evaluation, tested: Evaluation, name: str) -> Estimate:
    from steelyard.comparisons.independent import difference

    d = difference(tested, valid, name, names=("test", "validation"))
    facts: dict[str, Any] = {"confidence": d.confidence, "n": float(sum(d.n)), "method": d.method, "note": d.note}
    if d.value is None:
        return Estimate(name, None, reason=d.reason, **facts)
    if find(name).better == "lower":
        return Estimate(name, d.value, d.low, d.high, **facts)
    low, high = (None, None) if d.low is None or d.high is None else (-d.high, -d.low)
    return Estimate(name, -d.value, low, high, **facts)


@dataclass(frozen=True, slots=True)
class _Weigher:
    """Turns what a model said of some rows into an evaluation."""

    kind: str
    levels: tuple[Any, ...]
    positive: Any

    def __call__(self, target: npt.NDArray[Any], said: Said) -> Any:
        from steelyard.evaluate import evaluate

        if self.kind == "continuous":
            return evaluate(target=target, prediction=said.values, kind="continuous")
        facts: Mapping[str, Any] = {"target": target, "levels": self.levels, "positive": self._positive()}
        if said.kind == "labels":
            return evaluate(prediction=said.values, kind="labels", **facts)
        known = {level: i for i, level in enumerate(said.levels)}
        table = {v: said.values[:, known[v]] if v in known else np.zeros(len(target)) for v in self.levels}
        if facts["positive"] is not None and len(self.levels) == 2:
            return evaluate(score=table[facts["positive"]], **facts)
        return evaluate(score=table, target=target, levels=self.levels)

    def _positive(self) -> Any:
        if self.positive is None and len(self.levels) == 2 and set(self.levels) == {0, 1}:
            return self.levels[1]
        return self.positive
