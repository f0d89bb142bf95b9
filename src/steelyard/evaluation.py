"""An evaluation: the evidence of one model, and every number that can be read from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from steelyard.arguments.allowed import shown, threshold_of, written
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import CannotAdd, NotAvailable, listing
from steelyard.intervals.bands import ks_threshold
from steelyard.measures.measure import Measure, catalogue, find
from steelyard.payoffs.payoff import Payoff, from_dict
from steelyard.questions import (
    ByType,
    ask,
    estimate,
    every_question,
    labels_of,
    level_of,
    payoff_of,
    remarked,
    tidy_rows,
)
from steelyard.results import Curve, Estimate, make_frame
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.levels import Levels
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores
from steelyard.summaries.segments import Segments, key_of
from steelyard.summaries.summary import Summary, kinds
from steelyard.summaries.unlabelled import Unlabelled
from steelyard.sums import sums_of
from steelyard.writing import write_saved

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparisons.verification import Verification
    from steelyard.worth.policies import Worth
    from steelyard.worth.thresholds import Threshold

SCHEMA = 1
Kept = TypeVar("Kept", bound=Summary)
COLUMNS = ("measure", "level", "segment", "estimate", "low", "high", "confidence", "method", "n", "n_eff", "bound")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Evidence with a threshold and a confidence; numbers are worked out when they are asked for."""

    evidence: Mapping[str, Summary]
    threshold: float | None = None
    confidence: float = 0.95
    facts: Mapping[str, Any] = field(default_factory=dict)
    segment: str | None = None
    segments: Segments[Evaluation] = field(default_factory=Segments)
    payoff: Payoff | None = None
    validation: Evaluation | None = None
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
            return Levels(table.levels, table.counts.sum(axis=-2), self.rows, table.weighting)
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

    def tells(self, m: Measure) -> bool:
        """Money is told where outcomes are known to be worth something, as the profit or cost that they were told as."""
        return "payoff" not in m.options or (self.payoff is not None and m.name == self.payoff.kind)

    @as_annotated()
    def measure(self, name: str, level: Any = None, **options: Any) -> Estimate:
        """One number with its interval; options such as beta, depth or fpr belong to the measure."""
        m, level = find(name), level_of(level)
        chosen = m.with_defaults(options)
        if "payoff" in chosen:
            chosen["payoff"] = payoff_of(self, chosen["payoff"], m.name)
        key = (m.name, type(level), level, repr(sorted(chosen.items())))
        if key not in self._known:
            question = ask(m, self.summaries, level, chosen, self.confidence, self.positive)
            found = estimate(question, level=level, segment=self.segment, options=chosen)
            self._known[key] = remarked(found, m, self.facts)
        known: Estimate = self._known[key]
        return known

    def __getitem__(self, key: Any) -> Estimate:
        if isinstance(key, tuple):
            if len(key) != 2:
                message = f"A number has a measure and at most one level, and {listing(key)} came."
                raise NotAvailable(message, 'Ask for e["recall"], e["recall", level] or e["recall", "macro"].')
            return self.measure(*key)
        return self.measure(key)

    def rows_of_numbers(self) -> list[Estimate]:
        """Every measure; with several levels also each level and the averages."""
        return [self.measure(name, level) for name, level in every_question(self)]

    @as_annotated()
    def frame(self, measures: Sequence[str] | None = None) -> Any:
        """One tidy row a number, as a frame; segments below the whole. Of many segments some `measures` take less time."""
        rows = self.rows_as_dicts(measures)
        return make_frame({k: [r[k] for r in rows] for k in (*COLUMNS, "reason", "caution")})

    @as_annotated()
    def rows_as_dicts(self, measures: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """One tidy row a number, as plain dictionaries; segments below the whole."""
        return [row for e in (self, *self.segments.values()) for row in tidy_rows(e, measures)]

    # Curves and thresholds -------------------------------------------------------------------------------------------
    @as_annotated()
    def curve(self, name: str, level: Any = None, *, profit: Payoff | None = None, over: str = "threshold") -> Curve:
        """A curve with its pointwise band; for many classes one class against the rest.

        The band of "roc" holds at each false positive rate, of "pr" at each recall, of "cost_curve" at each skew. "profit" and
        "cost" need to know what outcomes are worth; `over="depth"` makes their band hold at a share flagged.
        """
        from steelyard.drawing import curve_of

        return curve_of(self, name, level, profit, over)

    @as_annotated()
    def chart(self, name: str, **options: Any) -> Chart:
        """A picture as data: any curve, "confusion", "sweep", "intervals", "levels", "residuals", … (`charts` lists them)."""
        from steelyard.drawing import chart_of

        return chart_of(self, name, **options)

    @property
    def charts(self) -> list[str]:
        """The pictures that this evidence allows."""
        from steelyard.drawing import charts_of

        return charts_of(self)

    @property
    def ks_threshold(self) -> float:
        """The threshold at which positives and negatives lie furthest apart."""
        return ks_threshold(self._scored("The KS threshold"))

    def _scored(self, what: str) -> Scores:
        if self.scores is None:
            message = f"{what} needs scores, and this evaluation has none."
            raise NotAvailable(message, "Pass score=... to evaluate.")
        return self.scores

    def at(self, threshold: float) -> Evaluation:
        """The same evidence at another threshold, without a second pass over the rows."""
        self._scored("A threshold")
        cut = threshold_of(threshold)
        segments = self.segments.changed(lambda e: e.at(cut))
        facts = {**self.facts, "threshold": "given"}
        facts.pop("decided", None)
        evidence = {k: v for k, v in self.evidence.items() if k != "confusion"}
        return replace(self, evidence=evidence, threshold=cut, segments=segments, facts=facts)

    # Worth -----------------------------------------------------------------------------------------------------------
    @as_annotated("payoff")
    def profit(self, payoff: Payoff | None = None) -> Worth:
        """Total profit with its interval, beside the trivial policies; a cost is turned into profit."""
        return self._worth(payoff, "profit")

    @as_annotated("payoff")
    def cost(self, payoff: Payoff | None = None) -> Worth:
        """Total cost with its interval, beside the trivial policies; a profit is turned into cost."""
        return self._worth(payoff, "cost")

    @property
    def worth(self) -> Worth | None:
        """Profit or cost as it was told to `evaluate`; None where nobody said what outcomes are worth."""
        return None if self.payoff is None else self._worth(None, self.payoff.kind)

    def _worth(self, payoff: Payoff | None, kind: str) -> Worth:
        from steelyard.worth.policies import worth_of

        moved = self.scores is not None and self.threshold is not None and "confusion" not in self.evidence
        found = payoff_of(self, payoff, kind)
        return worth_of(labels_of(self), found, kind, self.confidence, segment=self.segment, movable=moved)

    @as_annotated()
    def best_threshold(self, goal: str | Payoff | None = None, **options: Any) -> Threshold:
        """Where to cut: for a Profit or Cost, or "f1", "f_beta", "accuracy", "ks" or any measure of labels.

        `constraint="contacts <= 500"` (one, or a list) limits the choice; `over` says how ranges of amounts are weighed.
        """
        from steelyard.worth.thresholds import best_threshold

        goal = (self.payoff.kind if self.payoff is not None else "profit") if goal is None else goal
        key = ("best threshold", written(goal), self.payoff, id(self.validation), written(sorted(options.items())))
        if key not in self._known:
            self._known[key] = best_threshold(self, goal, **options)
        found: Threshold = self._known[key]
        return found

    @as_annotated("payoff")
    def expected_profit(self, payoff: Payoff | None = None) -> Estimate:
        """The best profit per case to be expected when amounts turn out anywhere in their ranges."""
        from steelyard.worth.unknown_costs import over_ranges

        return over_ranges(self, payoff_of(self, payoff, "expected_profit"))

    @as_annotated("payoff")
    def check_payoff(self, payoff: Payoff) -> None:
        """Refuse a payoff that does not fit the levels or needs amounts that were not counted."""
        payoff = payoff_of(self, payoff, "profit")
        c = labels_of(self)
        payoff.coefficients(c.levels, c.positive, () if c.amounts is None else c.amounts.names)

    # Adding, saving --------------------------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Evaluation:
        return self.plus(other)

    def __radd__(self, other: Any) -> Evaluation:
        # `sum` begins with 0.
        return self if isinstance(other, int) and not isinstance(other, bool) and other == 0 else self.plus(other)

    @as_annotated()
    def plus(self, other: Any, *, twice: bool = False) -> Evaluation:
        """The evidence of both sets of rows; equal evidence is taken for the same rows and refused unless `twice` is said."""
        if not isinstance(other, Evaluation):
            message = f"Evidence adds to evidence, and {shown(other)} came."
            raise CannotAdd(message, "Add another evaluation, or several: sum([a, b, c]).")
        return replace(self, **sums_of(self, other, twice=twice))

    @property
    def verification(self) -> Verification | None:
        """Rows with and without a target side by side; None where every row has one."""
        from steelyard.comparisons.verification import verification

        return None if self.unlabelled is None else verification(self.unlabelled)

    def with_unlabelled(self) -> Evaluation:
        """The same evidence with labelled rows standing for those of like prediction that have no target."""
        from steelyard.comparisons.verification import corrected

        return replace(self, **corrected(self))

    def renamed(self, **columns: str) -> Evaluation:
        """The same evidence where a column has got another name, so that it adds to evidence under that one."""
        facts = {**self.facts, "roles": {**self.facts.get("roles", {}), **columns}}
        segments = self.segments.changed(lambda e: e.renamed(**columns))
        chosen = None if self.validation is None else self.validation.renamed(**columns)
        return replace(self, facts=facts, segments=segments, validation=chosen)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Evaluation)
            and self.evidence == other.evidence
            and self.threshold == other.threshold
            and self.segments == other.segments
            and (self.payoff, self.validation) == (other.payoff, other.validation)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """The evidence and how it was made, as plain JSON values."""
        return {
            "steelyard": SCHEMA,
            "evidence": {k: v.to_dict() for k, v in self.evidence.items()},
            "threshold": self.threshold,
            "confidence": self.confidence,
            "facts": dict(self.facts),
            "segment": self.segment,
            "segments": {k: e.to_dict() for k, e in self.segments.items()},
            "segment_values": self.segments.levels,
            "payoff": self.payoff.to_dict() if self.payoff else None,
            "validation": self.validation.to_dict() if self.validation else None,
            "unlabelled": self.unlabelled.to_dict() if self.unlabelled else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evaluation:
        """Read back what `to_dict` wrote."""
        evidence = {k: kinds()[v["kind"]].from_dict(v) for k, v in data["evidence"].items()}
        values = data["segment_values"] if data["segments"] else []
        parts = zip(values, data["segments"].values(), strict=True)
        segments = Segments({key_of(value): cls.from_dict(part) for value, part in parts})
        return cls(
            evidence,
            data["threshold"],
            data["confidence"],
            dict(data["facts"]),
            data["segment"],
            segments,
            from_dict(data["payoff"]) if data["payoff"] else None,
            cls.from_dict(data["validation"]) if data["validation"] else None,
            Unlabelled.from_dict(data["unlabelled"]) if data.get("unlabelled") else None,
        )

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the evidence to a JSON file, whole or not at all."""
        write_saved(path, self.to_dict())

    @as_annotated()
    def report(self, path: str | os.PathLike[str], *, title: str = "", **in_use: Any) -> None:
        """Write a report: one offline page (.html), Markdown (.md), or every number and sentence (.json).

        Of the model in use it takes what `sy.monitor`, `sy.stability`, `sy.timeliness` and `sy.trial` return, as `trial=...`.
        """
        from steelyard.reports.writing import write_report

        write_report({title or "model": self}, path, title=title, in_use=in_use)

    # Telling ---------------------------------------------------------------------------------------------------------
    def __str__(self) -> str:
        from steelyard.views.text import evaluation_text

        return evaluation_text(self)

    def __repr__(self) -> str:
        return f"<Evaluation of {self.rows:,} rows: {', '.join(self.evidence)}>"

    def _repr_html_(self) -> str:
        from steelyard.views.notebook import evaluation_html

        return evaluation_html(self)
