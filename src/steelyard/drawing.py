"""Curves and charts of an evaluation: which evidence each needs, and who makes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import Span, shown, taken, threshold_of
from steelyard.arguments.annotated import read_like
from steelyard.asking.money import payoff_of
from steelyard.asking.questions import level_of
from steelyard.charts.counted import in_cases
from steelyard.charts.curves import curve_chart
from steelyard.charts.marks import Chart
from steelyard.charts.palette import DASHES
from steelyard.errors import NotAvailable, UnknownMeasure, UsageError, listing, nearest
from steelyard.intervals.bands import banded
from steelyard.intervals.within_folds import table_within
from steelyard.measures.curves import ORDERED, curves
from steelyard.measures.measure import catalogue, find
from steelyard.payoffs.kinds import KINDS
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Curve, Level
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.scores import Scores
from steelyard.summaries.within_folds import WithinFolds
from steelyard.views.pictures import pictures
from steelyard.views.several import roc_space
from steelyard.wording import option
from steelyard.words import in_prose

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

SCORED = tuple(curves())
ALSO = dict.fromkeys(("hist", "histogram", "distribution", "distributions"), "scores")
"""What people call a chart whose name is not like it."""
"""Curves in the order in which they are shown."""
RANKED = (*ORDERED, "cost_curve")
"""Curves of the order of rows, whatever their scores: of folds the mean, since each has scores of another fit."""

BINS = Span(2, 400, whole=True)
MOST_MARKED = 12

MIXED = "the same thresholds for the fits of all folds; ks is told from the order within folds"


def curve_of(
    evaluation: Evaluation,
    name: str,
    level: object = None,
    profit: Payoff | None = None,
    over: object = "threshold",
    bins: int | None = None,
) -> Curve:
    """A curve of an evaluation with its pointwise band."""
    _check_name("curve", name)
    bins = None if bins is None else int(taken("The number of bins", bins, BINS, "10 or 20 are usual."))
    if bins is not None and name != "scores":
        message = f'The curve "{name}" has no bins to choose.'
        raise UsageError(message, "Bins are chosen of the scores alone; leave them out.")
    for told, given in (("profit", profit), ("over", None if isinstance(over, str) and over == "threshold" else over)):
        if given is not None and name not in KINDS:
            message = f'The curve "{name}" counts no money, and {option(told)} came.'
            raise UsageError(message, f"Leave {option(told)} out; it belongs to the curves {listing(KINDS)}.")
    asked: Level = level_of(level)
    if name in KINDS:
        from steelyard.worth.curves import worth_curve

        found = worth_curve(evaluation, name, payoff_of(evaluation, profit, name), over)
        return replace(found, facts={"threshold": evaluation.threshold})
    known = [*curves(), *KINDS, "cost_curve"]
    if name not in known:
        message = f'There is no curve called "{name}"; there are {listing(known)}.'
        raise UnknownMeasure(message, nearest(name, known) or 'For example curve("roc").')
    table, note = table_behind(evaluation, name, asked)
    if name == "cost_curve":
        from steelyard.worth.cost_curve import cost_curve

        return cost_curve(table, evaluation.confidence)
    if name == "calibration" and not table.probabilities:
        message = "A calibration curve needs probabilities, and some scores lie outside [0, 1]."
        raise NotAvailable(message, "Pass probabilities as the score; the other curves need none.")
    found = _with_facts(evaluation, banded(name, table, evaluation.confidence, bins), table)
    if note:
        # A threshold is not the same place on the curve of each fold.
        columns = {k: [None] * len(found) if k == "threshold" else v for k, v in found.columns.items()}
        found = replace(found, columns=columns, note="; ".join(filter(None, (note, found.note))))
    return found


def table_behind(evaluation: Evaluation, name: str, level: Level) -> tuple[Scores, str]:
    """The score table that a curve is read from, and what is to be known of it; of folds, for the order of rows, their mean."""
    table = _table(evaluation, name, level)
    within = table_within(evaluation, level) if name in RANKED else None
    return (table, "") if within is None else within


def _table(evaluation: Evaluation, name: str, level: Level) -> Scores:
    if evaluation.scores is not None:
        found: Scores = evaluation.scores
        return found
    if evaluation.class_scores is None:
        message = f'The curve "{name}" needs scores, and this evaluation has none.'
        raise NotAvailable(message, f"Pass {option('score', ...)} to evaluate.")
    if level not in evaluation.levels:
        message = f"A curve of many classes needs a level; there are {listing(evaluation.levels)}."
        raise NotAvailable(message, f"For example curve({name!r}, {evaluation.levels[0]!r}).")
    found = evaluation.class_scores.table(level)
    return found


def _with_facts(evaluation: Evaluation, curve: Curve, table: Scores) -> Curve:
    """What a picture of a curve tells beside its points."""
    facts: dict[str, Any] = {"positive": table.positive}
    total = float(table.total)
    if total > 0:
        facts["prevalence"] = float(table.all_positives) / total
    if table is evaluation.scores and "confusion" not in evaluation.evidence:
        facts["threshold"] = evaluation.threshold
        if (
            curve.name == "scores"
            and evaluation.threshold is not None
            and table.positives.any()
            and table.negatives.any()
        ):
            o = table.at(evaluation.threshold).outcomes(table.positive)
            facts["rates"] = [float(o.tp) / float(o.positives), float(o.fp) / float(o.negatives)]
    facts |= {"positives": float(table.all_positives), "negatives": float(table.all_negatives)}
    measure = next((name for name, m in catalogue().items() if m.curve == curve.name), None)
    within = evaluation.kept(WithinFolds)
    if measure is not None and curve.name not in RANKED and within is not None and not within.alone:
        # The gap at one threshold for all folds is not the one within them.
        return replace(curve, facts=facts, note="; ".join(filter(None, (MIXED, curve.note))))
    if measure is not None:
        facts[measure] = in_prose(evaluation.measure(measure, None if table is evaluation.scores else table.positive))
    return replace(curve, facts=facts)


# Charts ---------------------------------------------------------------------------------------------------------------


def charts_of(evaluation: Evaluation) -> list[str]:
    """The names of all charts that the evidence allows without naming a class."""
    out = []
    if (
        evaluation.scores is not None
        and float(evaluation.scores.all_positives) > 0
        and float(evaluation.scores.all_negatives) > 0
    ):
        out += [n for n in SCORED if n != "calibration" or evaluation.scores.probabilities]
        out += [] if evaluation.payoff is None else [evaluation.payoff.kind]
    elif _labels_alone(evaluation):
        out.append("roc")
    return out + [
        name
        for name, p in pictures().items()
        if p.allowed(evaluation) and not (p.of_level and evaluation.scores is None)
    ]


def curves_of(evaluation: Evaluation) -> list[str]:
    """The names of all curves that the evidence allows; of many classes each is that of a level."""
    if evaluation.scores is None:
        return [] if evaluation.class_scores is None else list(curves())
    return [name for name in (*charts_of(evaluation), "cost_curve") if name in {*SCORED, *KINDS, "cost_curve"}]


def chart_of(evaluation: Evaluation, name: str, **options: Any) -> Chart:
    """One chart of an evaluation by name."""
    _check_name("chart", name)
    if name == "roc" and _labels_alone(evaluation) and not options:
        return roc_space({"": evaluation})
    if name in {*SCORED, *KINDS, "cost_curve"}:
        return _curve_chart(evaluation, name, options)
    known = pictures()
    if name not in known:
        every = [*SCORED, *KINDS, "cost_curve", *known]
        message = f'There is no chart called "{name}"; there are {listing(every, 30)}.'
        raise UnknownMeasure(message, nearest(ALSO.get(name, name), every) or 'For example chart("roc").')
    _check_options(name, options, tuple(inspect.signature(known[name].draw).parameters)[1:])
    if options.get("payoff") is not None:
        # As if evaluate had been told.
        evaluation = replace(evaluation, payoff=payoff_of(evaluation, options.pop("payoff"), name))
    if not known[name].allowed(evaluation):
        message = f'The chart "{name}" needs {known[name].needs}.'
        raise NotAvailable(message, f"Here there are {listing(charts_of(evaluation), 30)}.")
    if "measures" in options:
        options["measures"] = _measures(evaluation, name, options["measures"])
    return known[name].draw(evaluation, **read_like(known[name].draw, options))


def _labels_alone(evaluation: Any) -> bool:
    """Whether there are labels of two kinds and no scores: one point in ROC space."""
    return (
        evaluation.scores is None
        and evaluation.class_scores is None
        and evaluation.confusion is not None
        and evaluation.positive is not None
    )


def _curve_chart(evaluation: Any, name: str, options: dict[str, Any]) -> Chart:
    """A curve as a chart: with points at chosen thresholds, or in numbers of cases, where that is asked for."""
    own = {"scores": ("bins",), "roc": ("thresholds", "counts"), "pr": ("thresholds",)}
    own |= dict.fromkeys(("gain", "lift"), ("thresholds", "counts")) | dict.fromkeys(KINDS, ("profit", "over"))
    _check_options(name, options, ("level", *own.get(name, ())))
    marked, counts = options.pop("thresholds", None), options.pop("counts", False)
    found = curve_of(evaluation, name, **options)
    if marked is not None:
        found = replace(found, facts={**found.facts, "marked": thresholds_of(marked)})
    if not isinstance(counts, bool):
        message = f"Curves are drawn in numbers of cases or not, and {shown(counts)} came."
        raise UsageError(message, f"Say {option('counts', True)} for numbers, and leave it out for shares.")
    drawn = curve_chart(found)
    return in_cases(drawn, found) if counts else drawn


def thresholds_of(given: Any) -> list[float]:
    """Thresholds that a chart points at: numbers, one or several."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    found = [threshold_of(value) for value in several]
    if not found or len(found) > MOST_MARKED:
        message = f"A chart points at 1 to {MOST_MARKED} thresholds, and {len(found)} came."
        raise UsageError(message, f"For example {option('thresholds', [0.25, 0.5, 0.75])}.")
    return found


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        message = f"A {what} is asked for by its name, and {shown(name)} came."
        raise UnknownMeasure(message, f'For example {what}("roc").')


def _check_options(name: str, given: Iterable[str], known: tuple[str, ...]) -> None:
    """Refuse an option that a chart does not have."""
    for odd in given:
        if odd not in known:
            message = f'The chart "{name}" has no option "{odd}"; its options: {", ".join(known) or "none"}.'
            raise UsageError(message, nearest(odd, known) or "Leave it out.")


def _measures(evaluation: Evaluation, chart: str, given: object) -> list[str]:
    """Measures of a chart, by the names that they have; of a sweep those that move with the threshold."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not names:
        message = f"A chart shows measures by their names, and {shown(given)} came."
        raise UsageError(message, f"For example {option('measures', ['recall', 'precision'])}.")
    found = list(dict.fromkeys(find(name).name for name in names))
    for name in found:
        m = find(name)
        labels = {Outcomes, Confusion} & set(m.reads) and m.range[1] <= 1
        if name not in evaluation.measures or (chart == "sweep" and not labels):
            message = f'The chart "{chart}" cannot show "{name}".'
            raise NotAvailable(message, f"It can show measures such as {listing(shares_of(evaluation), 4)}.")
    if len(found) > len(DASHES):
        message = f"A chart tells at most {len(DASHES)} measures apart, and {len(found)} came."
        raise UsageError(message, "Name fewer of them.")
    return found


def shares_of(evaluation: Evaluation) -> list[str]:
    """Measures of labels that are shares."""
    return [
        n for n in evaluation.measures if {Outcomes, Confusion} & set(find(n).reads) and find(n).range == (0, 1)
    ] or evaluation.measures
