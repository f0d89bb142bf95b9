"""Requirements as people write them, and an evaluation held against them and against a champion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import Several, shown
from steelyard.arguments.annotated import as_annotated
from steelyard.arguments.typed import number_of
from steelyard.errors import NotAvailable, UsageError, listing, nearest
from steelyard.files.addresses import without_secrets
from steelyard.gates.cases import decided_by, enough, guarded, too_few
from steelyard.gates.outcome import Outcome, Result
from steelyard.measures.measure import AVERAGES, Measure, find
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.verdicts.gate import NOT_SHOWN, Bound, judge
from steelyard.wording import option
from steelyard.words import shortest

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

SUBJECT = (
    r"\s*(?P<name>[^\s\[\]()@<>=≤≥]+)\s*(?:\((?P<options>[^()]*)\))?\s*(?:\[(?P<level>.*)\])?"
    r"\s*(?:@\s*(?P<threshold>[^@\[\]()<>=≤≥]+))?\s*"
)
REQUIREMENT = re.compile(rf"(?P<subject>{SUBJECT})(?P<side><=|>=|<|>|≤|≥)\s*(?P<bound>[^<>=≤≥]+)", re.DOTALL)
ALONE = re.compile(SUBJECT, re.DOTALL)
LUCK = "Values were compared and not intervals: luck may decide."
EXAMPLES = "'auc >= 0.80', 'recall@0.5 >= 60%', 'recall[macro] >= 0.7'"


@dataclass(frozen=True, slots=True)
class Subject:
    """A number of an evaluation: a measure, for one level or average, at a threshold, with options."""

    measure: str
    level: str | None = None
    threshold: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    said: str = field(default="", compare=False)

    def __str__(self) -> str:
        options = f"({', '.join(f'{k}={v}' for k, v in self.options.items())})" if self.options else ""
        level = "" if self.level is None else f"[{self.level}]"
        cut = "" if self.threshold is None else f"@{shortest(self.threshold)}"
        return f"{self.measure}{options}{level}{cut}"

    @property
    def known(self) -> Measure:
        """The measure itself."""
        return find(self.measure)

    def ask(self, evaluation: Evaluation) -> tuple[Any, Any]:
        """The evaluation at the threshold, and the level as the evaluation has it."""
        at = evaluation if self.threshold is None else evaluation.at(self.threshold)
        if self.level is None or self.level in AVERAGES:
            return at, self.level
        found = next((x for x in evaluation.levels if str(x) in {self.level, self.level.strip()}), None)
        if found is None:
            there = f"there are {listing(evaluation.levels)}" if evaluation.levels else "the target has none"
            message = f'"{self}" is about a level "{self.level}", and {there}.'
            hint = nearest(self.level, map(str, evaluation.levels)) or f"For example '{self.measure}[macro]'."
            raise NotAvailable(message, hint)
        return at, found

    def estimate(self, evaluation: Evaluation) -> Estimate:
        """The number with its interval."""
        at, level = self.ask(evaluation)
        try:
            found: Estimate = at.measure(self.measure, level, **self.options)
        except NotAvailable as problem:
            raise NotAvailable(problem.message, _instead(self, evaluation, problem.hint)) from None
        return found


def _instead(subject: Subject, evaluation: Evaluation, hint: str) -> str:
    if 'e["' in hint and subject.level is None and evaluation.levels:
        return f"For example '{subject.measure}[{evaluation.levels[0]}]' or '{subject.measure}[macro]'."
    if "payoff" in subject.known.options:
        return hint
    return f"It can answer {listing(evaluation.measures, 60)}."


@dataclass(frozen=True, slots=True)
class Requirement:
    """A number and the limit that it must keep."""

    subject: Subject
    limit: Bound
    text: str

    def __str__(self) -> str:
        return self.text


def subject_of(text: str) -> Subject:
    """A number as people name it: "auc", "recall@0.5", "recall[macro]", "capture(depth=5%)".

    >>> subject_of("sensitivity @ 30%")
    Subject(measure='recall', level=None, threshold=0.3, options={}, said='sensitivity @ 30%')
    """
    # An address also has an @, and its parts are no longer known as one.
    found = ALONE.fullmatch(text := without_secrets(text))
    if found is None:
        message = f'"{text.strip()}" cannot be read as the name of a number.'
        raise UsageError(message, "Write a measure: 'auc', 'recall@0.5', 'recall[macro]'.")
    return _subject(found, text)


def _subject(found: re.Match[str], text: str) -> Subject:
    m = find(found["name"])
    given = [part for part in re.split(r",(?=[^,]*=)", found["options"] or "") if part.strip()]
    options = {k: v for part in given for k, v in [_option(part, m)]}
    options = {k: v for k, v in m.with_defaults(options).items() if k in options}
    cut = None if found["threshold"] is None else number_of(found["threshold"], f'The threshold in "{text.strip()}"')
    if cut is not None and not {Outcomes, Confusion} & set(m.reads):
        message = f'"{m.name}" does not depend on a threshold, and "{text.strip()}" gives one.'
        raise UsageError(message, f"Leave it out: '{m.name}'.")
    return Subject(m.name, found["level"], cut, options, text.strip())


def _option(part: str, measure: Measure) -> tuple[str, Any]:
    name, mark, value = (piece.strip() for piece in part.partition("="))
    if not mark or not value or name == "payoff":
        message = f'"{part.strip()}" is not an option of a measure.'
        raise UsageError(message, "Write its name and a number: 'capture(depth=5%) >= 0.3'.")
    if value[0] not in "+-−.,0123456789":
        return name, value
    if isinstance(measure.allowed.get(name), Several):
        return name, [number_of(x, f'The option "{name}"') for x in re.split(r"[,;\s]+", value) if x]
    number = number_of(value, f'The option "{name}"')
    return name, int(number) if number.is_integer() and value.isdigit() else number


def requirement_of(text: str) -> Requirement:
    """A requirement as people write it.

    >>> r = requirement_of("recall[macro] >= 70%")
    >>> str(r.subject), r.limit.bound, r.limit.needed
    ('recall[macro]', 0.7, 'at least 70%')
    """
    found = REQUIREMENT.fullmatch(text := without_secrets(text))
    if found is None:
        message = f'The requirement "{text.strip()}" cannot be read.'
        raise UsageError(message, f"Write a measure, >= or <=, and a number, one requirement at a time: {EXAMPLES}.")
    subject = _subject(found, found["subject"])
    side, said = found["side"], re.sub(r"\s", "", found["bound"])
    limit = Bound(
        number_of(found["bound"], f'The requirement "{text.strip()}"'),
        side in {"<=", "<", "≤"},
        side in {"<", ">"},
        said,
    )
    least, most = subject.known.range
    if not limit.holds(least if limit.upper else most):
        end = f"below {least:g}" if limit.upper else f"above {most:g}"
        message = f'"{text.strip()}" can never be met: {subject.measure} is never {end}.'
        percent = f"Per cent are written with their sign: {said}%." if most == 1 and 1 < limit.bound <= 100 else ""
        raise UsageError(message, percent or "Choose another bound.")
    return Requirement(subject, limit, text.strip())


# The gate -------------------------------------------------------------------------------------------------------------


@as_annotated("margin")
def outcome_of(
    evaluation: Evaluation,
    requirements: str | Sequence[str | Requirement] = (),
    against: Evaluation | None = None,
    margin: float | str | Sequence[str] | Mapping[str, float] | None = None,
    *,
    compare: Sequence[str] = (),
    on: str = "interval",
) -> Outcome:
    """Hold an evaluation against requirements, and against a champion that it may be worse than by a margin at most.

    A requirement is met when the limit of its number keeps it, which errs in at most half of what the confidence leaves (2.5%
    of 95%), however few the cases; `on="point"` looks at the number alone. Against a champion the measures of the requirements
    and of `compare` are compared.

    >>> from steelyard import evaluate
    >>> e = evaluate(target=["a"] * 80 + ["b"] * 20, prediction=["a"] * 100, positive="a")
    >>> print(outcome_of(e, ["accuracy >= 0.70", "accuracy >= 0.75"]))
    ✓ accuracy  met: 0.800 [0.708, 0.873], needed at least 0.70
    ✗ accuracy  not shown: 0.800 [0.708, 0.873] (100 rows do not show it: about 300
                like them would), needed at least 0.75
    <BLANKLINE>
    Note: Decided by Clopper and Pearson's limits (accuracy), wider than the
          intervals elsewhere: what just misses its bound passes in at most 2.5% of
          samples.
    <BLANKLINE>
    1 of 2 met
    """
    if on not in {"interval", "point"}:
        message = f"{option('on', on)} is not a choice."
        raise UsageError(message, 'Allowed: "interval" (what is shown) and "point" (what happened to come out).')
    given: Any = [requirements] if isinstance(requirements, str) else requirements
    if not isinstance(given, Sequence) or not all(isinstance(r, str | Requirement) for r in given):
        message = f"A requirement is a text, or several are a list of texts, and {shown(requirements)} came."
        raise UsageError(message, f"For example {EXAMPLES}.")
    wanted = [r if isinstance(r, Requirement) else requirement_of(r) for r in given]
    named = [subject_of(text) for text in ([compare] if isinstance(compare, str) else compare)]
    for which, held in (("What is checked", evaluation), *([] if against is None else [("The champion", against)])):
        if not hasattr(held, "evidence"):
            message = f"{which} must be an evaluation, and {shown(held)} came."
            raise UsageError(message, "Evaluate it on the same kind of rows, or load what was saved: sy.load(...).")
    if against is None and (named or margin is not None):
        message = "There is no champion to compare with."
        raise UsageError(message, f"Name one: {option('against', ...)}")
    if not wanted and against is None:
        message = "Nothing was required."
        hint = f"Write a requirement such as 'auc >= 0.80', or name a champion: {option('against', ...)}"
        raise UsageError(message, hint)
    results = [_required(evaluation, r, on) for r in wanted]
    notes = [LUCK] if on == "point" else []
    if against is not None:
        from steelyard.gates.champion import held_against

        more, said = held_against(evaluation, against, [r.subject for r in wanted], named, margin, on)
        results, notes = results + more, notes + said
    if on == "interval":
        notes += decided_by(results, evaluation.confidence)
    return Outcome(tuple(results), tuple(notes), on)


def _required(evaluation: Evaluation, requirement: Requirement, on: str) -> Result:
    x, known, few = requirement.subject.estimate(evaluation), None, ""
    if on != "point":
        x, known = guarded(requirement.subject, evaluation, x)
        few = too_few(x)
    verdict = judge(x, requirement.limit, on, few)
    reason = verdict.reason
    if known is not None and verdict.word == NOT_SHOWN and not few:
        reason = "; ".join(filter(None, (reason, enough(known, x, requirement.limit))))
    return Result(requirement.subject.said, requirement.text, requirement.limit, verdict.word, x, reason)
