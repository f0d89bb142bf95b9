"""The evidence of one model, and every number that it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from steelyard.arguments.allowed import threshold_of
from steelyard.arguments.annotated import as_annotated
from steelyard.asking.estimates import estimate, remarked
from steelyard.asking.money import payoff_of
from steelyard.asking.questions import ByType, ask, every_question, level_of, numbers_of
from steelyard.asking.together import answer
from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.measures.curves import curves
from steelyard.measures.measure import AVERAGES, Measure, catalogue, find
from steelyard.payoffs.payoff import Payoff
from steelyard.results import Estimate, Interval, make_frame
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.levels import Levels
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.score_sums import by_level
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import Segments
from steelyard.summaries.summary import Summary
from steelyard.summaries.unlabelled import Unlabelled
from steelyard.wording import option

Kept = TypeVar("Kept", bound=Summary)
COLUMNS = ("measure", "level", "segment", "estimate", "low", "high", "confidence", "method", "n", "n_eff", "bound")


@dataclass(frozen=True, eq=False)
class Answering:
    """Evidence with a threshold and a confidence; numbers are worked out when they are asked for."""

    evidence: Mapping[str, Summary]
    threshold: float | None = None
    confidence: float = 0.95
    facts: Mapping[str, Any] = field(default_factory=dict)
    segment: str | None = None
    segments: Segments[Any] = field(default_factory=Segments)
    payoff: Payoff | None = None
    validation: Self | None = None
    """The rows on which thresholds are chosen, where some were kept apart."""
    unlabelled: Unlabelled | None = None
    """What was predicted for rows without a target, where some were left out."""
    # What was worked out already; never handed on, so that a changed copy works everything out anew.
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    _made: list[Confusion] = field(default_factory=list, init=False, repr=False)

    # The evidence ----------------------------------------------------------------------------------------------------
    def kept(self, kind: type[Kept]) -> Kept | None:
        """The summary of this kind as it was counted, where there is one."""
        return cast("Kept | None", self.evidence.get(kind.kind))

    @property
    def scores(self) -> Scores | None:
        """The score table, where there is one."""
        return self.kept(Scores)

    @property
    def class_scores(self) -> ClassScores | None:
        """The score tables by class, where there are any."""
        return self.kept(ClassScores)

    @property
    def residuals(self) -> Residuals | None:
        """The sums of errors, where the target is continuous."""
        return self.kept(Residuals)

    @property
    def confusion(self) -> Confusion | None:
        """The confusion matrix: as predicted, or as the threshold makes it."""
        found = self.kept(Confusion)
        if found is not None:
            return found
        if self.scores is None or self.threshold is None:
            return None
        if not self._made:
            self._made.append(self.scores.at(self.threshold))
        return self._made[0]

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return next(iter(self.evidence.values())).rows

    @property
    def positive(self) -> Any:
        """The positive level, where there is one."""
        if self.scores is not None:
            return self.scores.positive
        return self.confusion.positive if self.confusion is not None else None

    @property
    def target_levels(self) -> Levels | None:
        """How many rows have each level of the target; None for a continuous one."""
        table = self.scores or (self.class_scores.tables[0] if self.class_scores else None)
        if table is not None:
            return Levels(table.levels, by_level(table), self.rows, table.weighting)
        c = self.confusion
        return None if c is None else Levels(c.levels, c.actual, self.rows, c.weighting)

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels of the target; none for a continuous one."""
        if self.class_scores is not None:
            return self.class_scores.levels
        return self.confusion.levels if self.confusion is not None else ()

    @property
    def summaries(self) -> Mapping[type, Any]:
        """The evidence by type; labels that a threshold makes are made when they are asked for."""
        return ByType(self)

    # Numbers ---------------------------------------------------------------------------------------------------------
    @property
    def measures(self) -> list[str]:
        """Every measure that this evidence can answer, in order."""
        have = set(self.summaries)
        if Confusion in have and self.positive is not None:
            have.add(Outcomes)
        return [name for name, m in catalogue().items() if have & set(m.reads) and self.tells(m)]

    def tells(self, measure: Measure) -> bool:
        """Money is told where outcomes are known to be worth something, as the profit or cost that they were told as."""
        return "payoff" not in measure.options or (self.payoff is not None and measure.name == self.payoff.kind)

    def measure(self, name: str, level: object = None, **options: Any) -> Estimate:
        """One number with its interval; options such as beta, depth or fpr belong to the measure."""
        m, level = find(name), level_of(level)
        chosen = m.with_defaults(options)
        if "payoff" in chosen:
            chosen["payoff"] = payoff_of(self, chosen["payoff"], m.name)
        known: Estimate | None = self._known.get(_key(m, level, chosen))
        if known is None:
            laid = self._laid(m, chosen) if level in AVERAGES else {}
            question = ask(m, self.summaries, level, chosen, self.confidence, self.positive, laid)
            found = estimate(question, level=level, segment=self.segment, options=chosen)
            known = remarked(found, m, self.facts)
            self.remember(m, level, chosen, known)
        return known

    def without_model(self, name: str) -> float | None:
        """What one number is on the same rows without a model; None where that is not known.

        >>> from steelyard import evaluate
        >>> e = evaluate(confusion=[[6, 4], [2, 18]], levels=[1, 0])
        >>> [round(e.without_model(name), 3) for name in ("recall", "precision", "accuracy", "kappa")]
        [0.267, 0.333, 0.667, 0.0]
        """
        m, c = find(name), self.confusion
        if m.guess is not None:
            return m.guess[0]
        if m.without is None or not self[m.name].defined:
            return None
        if c is not None and Outcomes in m.reads:
            return m.without(c.outcomes(self.positive))
        of_scores = {Scores, ClassScores} & set(m.reads)
        return m.without((self.scores or self.class_scores) if of_scores else c or self.residuals)

    def _laid(self, measure: Measure, options: Mapping[str, Any]) -> dict[Any, Interval]:
        """The intervals of levels that were asked for already."""
        found = ((v, self._known.get(_key(measure, v, options))) for v in self.levels)
        return {
            v: Interval(x.low, x.high, x.method, x.note, x.caution) for v, x in found if x is not None and x.defined
        }

    def remember(self, measure: Measure, level: object, options: Mapping[str, Any], found: Estimate) -> None:
        """Keep a number that was worked out, perhaps with those of others."""
        self._known[_key(measure, level, options)] = found

    def __getitem__(self, key: Any) -> Estimate:
        if isinstance(key, tuple):
            if len(key) != 2:
                message = f"A number has a measure and at most one level, and {listing(key)} came."
                raise NotAvailable(message, 'Ask for e["recall"], e["recall", level] or e["recall", "macro"].')
            return self.measure(*key)
        return self.measure(key)

    if not TYPE_CHECKING:  # which is to know what there is

        def __getattr__(self, name: str) -> Any:
            """Only asked for what is not there: a number is no attribute, and the sentence says how it is asked for."""
            told = f"'{type(self).__name__}' object has no attribute '{name}'"
            public = not name.startswith("_")
            if public and name in catalogue():
                told = f'{told}; a number is asked for by its name: e["{name}"]'
            elif public and (name in curves() or name == "plot"):
                curve = "roc" if name == "plot" else name
                told = (
                    f'{told}; a chart is asked for by its name: e.chart("{curve}"), and its points: e.curve("{curve}")'
                )
            raise AttributeError(told, name=name, obj=self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __contains__(self, name: object) -> bool:
        try:
            return find(name).name in self.measures
        except UsageError:
            return False

    def keys(self) -> list[str]:
        """The names of its measures, so that `dict(e)` holds every number."""
        return self.measures

    _ipython_key_completions_ = keys

    def items(self) -> list[tuple[str, Estimate]]:
        """Every measure with its number, as a dictionary tells them."""
        return [(name, self[name]) for name in self]

    def rows_of_numbers(self) -> list[Estimate]:
        """Every measure; with several levels also each level and the averages."""
        answer([self])
        return [self.measure(name, level) for name, level in every_question(self)]

    @as_annotated()
    def frame(self, measures: Sequence[str] | None = None) -> Any:
        """One tidy row a number, as a frame; segments below the whole. Of many segments some `measures` take less time."""
        found = self._numbers(measures)
        told = {"estimate": [x.value for x, _ in found], "level": [level for _, level in found]}
        names = (*COLUMNS, "reason", "caution")
        return make_frame({k: told.get(k) or [getattr(x, k) for x, _ in found] for k in names})

    @as_annotated()
    def rows_as_dicts(self, measures: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """One tidy row a number, as plain dictionaries; segments below the whole."""
        return [
            row | {"estimate": row.pop("value"), "level": level}
            for x, level in self._numbers(measures)
            for row in [x.to_dict()]
        ]

    def _numbers(self, measures: Sequence[str] | None) -> list[tuple[Estimate, str | None]]:
        """Every number of the whole and of its segments, or those of some measures, with its level as people write it."""
        parts = [self, *self.segments.values()]
        wanted = None if measures is None else {find(name).name for name in measures}
        answer(parts, wanted)
        return [found for e in parts for found in numbers_of(e, wanted)]

    # Thresholds -----------------------------------------------------------------------------------------------------
    def _scored(self, what: str) -> Scores:
        if self.scores is None:
            message = f"{what} needs scores, and this evaluation has none."
            raise NotAvailable(message, f"Pass {option('score', ...)} to evaluate.")
        return self.scores

    @as_annotated("threshold")
    def at(self, threshold: float) -> Self:
        """The same evidence at another threshold, without a second pass over the rows."""
        self._scored("A threshold")
        cut = threshold_of(threshold)
        segments = self.segments.changed(lambda e: e.at(cut))
        facts = {**self.facts, "threshold": "given"}
        facts.pop("decided", None)
        evidence = {k: v for k, v in self.evidence.items() if k != "confusion"}
        return replace(self, evidence=evidence, threshold=cut, segments=segments, facts=facts)


def _key(measure: Measure, level: object, options: Mapping[str, Any]) -> Any:
    """What tells one number from every other; Python takes True and 1 for one level."""
    return measure.name, type(level), level, repr(sorted(options.items())) if options else ""
