"""Whether a verdict has cases enough: what is counted is what the measure rests on, and not the rarer class whatever is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.asking.estimates import counted as rows_behind
from steelyard.asking.questions import ask
from steelyard.errors import SteelyardError
from steelyard.measures.facts import NEGATIVES, POSITIVES, ROWS
from steelyard.measures.measure import AVERAGES, Measure
from steelyard.results import Level, Mean, Share
from steelyard.verdicts.enough import FEW_UNITS, CaseCount, classes_in, lacking, sides_of, too_few

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation


def short_of(evaluation: Evaluation, measure: Measure, level: Level = None) -> tuple[str, str]:
    """Why a verdict about a number is withheld, and what the number rests on; both empty where there are cases enough.

    Units where they were given; for a share the rows of which it is one; for a mean its rows; for anything that ranks or
    balances two classes the rarer of them.

    >>> from steelyard import evaluate
    >>> from steelyard.measures.measure import find
    >>> e = evaluate(target=[1] * 20 + [0] * 980, prediction=[0] * 1000)
    >>> short_of(e, find("accuracy")), short_of(e, find("recall"))
    (('', ''), ('20 real positives, and 30 are needed', 'rests on 20 real positives'))
    """
    units = unit_count(evaluation)
    cases = [CaseCount(units, "unit", FEW_UNITS)] if units is not None else []
    few = lacking([*cases, CaseCount(*rests_on(evaluation, measure, level))])
    return ("", "") if few is None else (too_few([few]), f"rests on {few}")


def counted(evaluation: Evaluation) -> tuple[float, float] | None:
    """Positives and negatives, as many as count under weights; None where no level is the positive one."""
    return None if evaluation.confusion is None or evaluation.positive is None else classes_in(evaluation["prevalence"])


def cases_of(evaluation: Evaluation) -> tuple[CaseCount, ...]:
    """What any verdict about an evaluation rests on: both classes, or all rows where there are none."""
    sides = counted(evaluation)
    return (CaseCount(evaluation.rows, "row"),) if sides is None else sides_of(*sides)


def rests_on(evaluation: Evaluation, measure: Measure, level: Level = None) -> tuple[float, str]:
    """How many cases a number rests on, as many as count under weights, and what they are."""
    behind = None if "payoff" in measure.options else _behind(evaluation, measure, level)
    if behind is not None:
        return behind
    sides = _sides(evaluation, level)
    if sides is None or "payoff" in measure.options:
        return (float(evaluation.rows) if sides is None else sum(sides)), "row"
    if measure.rests_on is POSITIVES or sides[0] <= sides[1]:
        return sides[0], "real positive"
    return sides[1], "real negative"


def _behind(evaluation: Evaluation, measure: Measure, level: Level) -> tuple[float, str] | None:
    """The rows of a share or a mean; None for anything else."""
    try:
        question = ask(measure, evaluation.summaries, level, measure.with_defaults({}), 0.95, evaluation.positive)
        reading = question.reading
    except SteelyardError:
        return None
    if not isinstance(reading, Share | Mean):
        return None
    n = float(rows_behind(question, reading)[1])
    sides = _sides(evaluation, level)
    cases = measure.cases or ROWS
    if isinstance(reading, Share) and sides is not None:
        for about, side in zip((POSITIVES, NEGATIVES), sides, strict=True):
            if abs(side - n) < 1e-6 * max(n, 1.0) and cases is about:
                return n, about.one
    return n, cases.one if cases.whose else ROWS.one


def _sides(evaluation: Evaluation, level: Level) -> tuple[float, float] | None:
    """Rows of the positive level (or of the one asked for) and of the others."""
    if level is None or evaluation.confusion is None:
        return counted(evaluation)
    if isinstance(level, str) and level in AVERAGES and level not in evaluation.levels:
        return None
    known = evaluation.confusion
    if level not in known.levels:
        return None
    total = float(known.counts.sum())
    mine = float(known.counts[known.levels.index(level)].sum())
    x = evaluation.measure("accuracy")
    scale = (x.n_eff if x.n_eff is not None else x.n) / total if total > 0 else 0.0
    return scale * mine, scale * (total - mine)


def unit_count(evaluation: Evaluation) -> int | None:
    """How many units (or buckets of them) were counted; None where there are none."""
    found = [getattr(s, "units", None) for s in evaluation.evidence.values()]
    known = [len(u.ids) for u in found if u is not None and hasattr(u, "ids")]
    return min(known) if known and len(known) == len(found) else None
