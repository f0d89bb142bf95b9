"""Is it no worse than the champion: differences in the sense of better, held against margins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.arguments.allowed import NotAllowed, Span, taken
from steelyard.arguments.annotated import texts
from steelyard.arguments.typed import number_of
from steelyard.comparisons.independent import check_alike, difference
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.gates.cases import guarded, guarded_difference, too_few
from steelyard.gates.outcome import Result
from steelyard.gates.requirement import Subject, subject_of
from steelyard.measures.measure import leading
from steelyard.results import Difference, Estimate
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.verdicts.gate import Bound, judge
from steelyard.wording import option
from steelyard.words import shortest

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

Margins = float | str | Sequence[str] | Mapping[str, float] | None
NAMES = ("challenger", "champion")
SAMPLE = "Write how much worse it may be: 0.01 for all measures, or auc=0.01 for one."
PAIRED = "Both were evaluated on {n:,} rows: if these are the same rows, a paired comparison is sharper."
NO_MARGIN = "No margin was given for {names}, so the challenger must be shown to be no worse at all."


def held_against(
    challenger: Evaluation,
    champion: Evaluation,
    required: Iterable[Subject],
    named: Sequence[Subject],
    margin: Margins,
    on: str,
) -> tuple[list[Result], list[str]]:
    """Compare a challenger with a champion: results in order, and notes on how to read them."""
    check_alike(challenger, champion, NAMES)
    subjects, notes = _compared(challenger, champion, required, named)
    margins, assumed = _margins(margin, subjects)
    results = [_compare(challenger, champion, subject, margins[str(subject)], on) for subject in subjects]
    if assumed:
        notes.append(NO_MARGIN.format(names=", ".join(assumed)))
    notes.extend(_thresholds(challenger, champion, subjects))
    if challenger.rows == champion.rows:
        notes.append(PAIRED.format(n=challenger.rows))
    return results, notes


def _compared(
    challenger: Evaluation, champion: Evaluation, required: Iterable[Subject], named: Sequence[Subject]
) -> tuple[list[Subject], list[str]]:
    """Each number once: those required that can be better or worse, and those named."""
    found: dict[str, Subject] = {}
    notes = []
    for subject in required:
        if subject.known.better in {"higher", "lower"}:
            found.setdefault(str(subject), subject)
        else:
            notes.append(f"{subject} is required and not compared: {_undirected(subject)}.")
    for subject in named:
        if subject.known.better not in {"higher", "lower"}:
            message = f'"{subject}" cannot be compared with the champion\'s: {_undirected(subject)}.'
            raise UsageError(message, "Compare another measure, and require this one to lie between two bounds.")
        found.setdefault(str(subject), subject)
    if not named:
        both = set(challenger.measures) & set(champion.measures)
        # Where nothing is named, the first that both can answer.
        chosen = next((name for name in leading("champion") if name in both), None)
        if chosen is not None and chosen not in {s.measure for s in found.values()}:
            found[chosen] = Subject(chosen, said=chosen)
    if not found:
        message = "There is no number to compare with the champion's."
        raise UsageError(message, f"Name a measure that both can answer: {option('compare', ...)}")
    return list(found.values()), notes


def _undirected(subject: Subject) -> str:
    return "it is best at zero" if subject.known.better == "zero" else "it has no better and worse"


def _compare(challenger: Evaluation, champion: Evaluation, subject: Subject, margin: float, on: str) -> Result:
    d = _difference(challenger, champion, subject)
    if on == "interval" and subject.options.get("per", "case") == "case":
        d = _guarded(challenger, champion, subject, d)
    lower = subject.known.better == "lower"
    bound = margin if lower else -margin
    limit = Bound(bound, upper=lower, said=shortest(bound) if bound else "0")
    verdict = judge(d, limit, on, too_few(d) if on == "interval" else "")
    name = f"{subject}{' per case' if d.options.get('per') == 'case' and 'per' not in subject.options else ''}"
    text = f"{name} no worse than the champion's by more than {shortest(margin)}"
    return Result(f"{name} − champion", text, limit, verdict.word, d, verdict.reason, against=True)


def _difference(challenger: Evaluation, champion: Evaluation, subject: Subject) -> Difference:
    here, level = subject.ask(challenger)
    there, _ = subject.ask(champion)
    try:
        return difference(
            here, there, subject.measure, level=level, confidence=challenger.confidence, names=NAMES, **subject.options
        )
    except NotAvailable as problem:
        both = [name for name in challenger.measures if name in set(champion.measures)]
        hint = problem.hint if "payoff" in subject.known.options else f"Both can answer {listing(both, 60)}."
        raise NotAvailable(problem.message, hint) from None


def _guarded(challenger: Evaluation, champion: Evaluation, subject: Subject, difference: Difference) -> Difference:
    """With limits that keep the gate's promise, where both numbers have them."""
    if "payoff" in subject.known.options:
        subject = replace(subject, options={**subject.options, "per": "case"})
    if difference.value is None or difference.low is None:
        return difference
    pairs = [guarded(subject, x, _estimate(x, subject, challenger.confidence)) for x in (challenger, champion)]
    both = all(known is not None or "Gaffke" in x.method for x, known in pairs)
    return guarded_difference(difference, pairs[0][0], pairs[1][0], both)


def _estimate(evaluation: Evaluation, subject: Subject, confidence: float) -> Estimate:
    at, level = subject.ask(evaluation)
    options = dict(subject.options)
    if "payoff" in subject.known.options and at.payoff is None:
        return Estimate(subject.measure, None)
    found: Estimate = at.measure(subject.measure, level, **options)
    return found.renamed(confidence=confidence)


# Margins --------------------------------------------------------------------------------------------------------------


def _margins(given: Margins, subjects: Sequence[Subject]) -> tuple[dict[str, float], list[str]]:
    """The margin of every number that is compared, and the numbers for which none was given."""
    everywhere: float | None = None
    single: dict[str, float] = {}
    for name, size in _pairs(given):
        if not (math.isfinite(size) and size >= 0):
            whose = f' for "{name}"' if name else ""
            message = f"A margin says how much worse the challenger may be, and {shortest(size)} came{whose}."
            raise UsageError(message, "Give 0 or more, whichever way the measure is better.")
        if not name:
            if everywhere is not None:
                message = f"Two margins for all measures came: {shortest(everywhere)} and {shortest(size)}."
                raise UsageError(message, "Keep one, and name the measure of the other: auc=0.01.")
            everywhere = size
            continue
        wanted = subject_of(name)
        fits = [str(s) for s in subjects if str(s) == str(wanted)] or [
            str(s) for s in subjects if s.measure == wanted.measure and str(wanted) == wanted.measure
        ]
        if not fits:
            message = f'A margin for "{wanted}" came, which is not compared; compared: {listing(map(str, subjects))}.'
            raise UsageError(message, f"Leave it out, or compare it as well: {option('compare', [str(wanted)])}.")
        for fit in fits:
            if fit in single:
                message = f'Two margins for "{fit}" came.'
                raise UsageError(message, "Keep one of them.")
            single[fit] = size
    assumed = [str(s) for s in subjects if everywhere is None and str(s) not in single]
    return {str(s): single.get(str(s), everywhere or 0.0) for s in subjects}, assumed


def _pairs(given: Margins) -> list[tuple[str, float]]:
    """Margins by name, as typed or as given; an empty name stands for all measures."""
    if given is None:
        return []
    margin = Span()
    if isinstance(given, Mapping):
        return [(str(k), float(taken(f'The margin of "{k}"', v, margin, SAMPLE))) for k, v in given.items()]
    try:
        found = texts(given)
    except NotAllowed:
        return [("", float(taken("The margin", given, margin, SAMPLE)))]
    return [_typed(text) for text in ([found] if isinstance(found, str) else found)]


def _typed(text: str) -> tuple[str, float]:
    # A level may hold "=" itself, a number never.
    name, _, size = text.rpartition("=")
    try:
        if "=" in text and not name.strip():
            raise UsageError(text)
        return name.strip(), number_of(size)
    except UsageError:
        message = f'The margin "{text.strip()}" cannot be read.'
        raise UsageError(message, SAMPLE) from None


# Notes ----------------------------------------------------------------------------------------------------------------


def _thresholds(challenger: Evaluation, champion: Evaluation, subjects: Sequence[Subject]) -> list[str]:
    """Labels that each side's own threshold makes are the decisions that it would take, and not at one cut."""
    own = [s for s in subjects if s.threshold is None and {Outcomes, Confusion} & set(s.known.reads)]
    made = all(x.scores is not None and "confusion" not in x.evidence for x in (challenger, champion))
    if (
        not own
        or not made
        or challenger.threshold == champion.threshold
        or challenger.threshold is None
        or champion.threshold is None
    ):
        return []
    ours, theirs = shortest(challenger.threshold), shortest(champion.threshold)
    return [
        f"Each is told at its own threshold: {ours} for the challenger, {theirs} for the champion; "
        f"'{own[0].measure}@{ours}' compares both at one."
    ]
