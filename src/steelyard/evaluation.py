"""An evaluation: the evidence of one model, and every number that can be read from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import shown, written
from steelyard.arguments.annotated import as_annotated
from steelyard.asking.answering import Answering
from steelyard.asking.money import labels_of, payoff_of
from steelyard.asking.sums import sums_of
from steelyard.comparisons.no_model import against_none, verdict_on
from steelyard.comparisons.oddities import oddity_of
from steelyard.errors import CannotAdd
from steelyard.files.writing import write_saved
from steelyard.intervals.bands import ks_threshold
from steelyard.payoffs.payoff import Payoff, from_dict
from steelyard.results import Curve, Estimate
from steelyard.summaries.segments import Segments, key_of
from steelyard.summaries.summary import kinds
from steelyard.summaries.unlabelled import Unlabelled
from steelyard.verdicts.cut import in_money
from steelyard.verdicts.usefulness import left_over, side
from steelyard.views.told import Told
from steelyard.words import significant

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparisons.verification import Verification
    from steelyard.tables.tabulation import Tabulation
    from steelyard.verdicts.verdict import Verdict
    from steelyard.worth.advice import Advice
    from steelyard.worth.policies import Worth
    from steelyard.worth.thresholds import Threshold

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Evaluation(Told, Answering):
    """Evidence with a threshold and a confidence; numbers are worked out when they are asked for."""

    as_text: ClassVar[str] = "text.brief_text"
    as_html: ClassVar[str] = "notebook.evaluation_html"
    as_verdict: ClassVar[str] = "concluding.evaluation_conclusion"

    @property
    def verdict(self) -> Verdict:
        """Whether it is better than no model at all: a word, a sentence that says what to do, reasons, and the next step.

        Where outcomes are worth something it is better where it earns more than doing without it.
        """
        if "verdict" not in self._known:
            advice = self.advice
            found = self.usefulness if advice is None else in_money(self.usefulness, advice.verdict, advice.ahead)
            self._known["verdict"] = self.in_words(found)
        told: Verdict = self._known["verdict"]
        return told

    @property
    def usefulness(self) -> Verdict:
        """Whether its chief number is better than without a model, whatever outcomes are worth."""
        if "usefulness" not in self._known:
            self._known["usefulness"] = against_none(self)
        found: Verdict = self._known["usefulness"]
        return found

    @property
    def oddity(self) -> Verdict | None:
        """What is odd about the predictions as a whole: all alike, without an error, on another scale; None where nothing is."""
        if "oddity" not in self._known:
            self._known["oddity"] = oddity_of(self, self.usefulness)
        found: Verdict | None = self._known["oddity"]
        return found

    @property
    def advice(self) -> Advice | None:
        """Whether to keep the threshold, to move it or to do without the model; None where nobody said what outcomes are worth."""
        from steelyard.worth.advice import advice_of

        if "advice" not in self._known:
            self._known["advice"] = advice_of(self)
        found: Advice | None = self._known["advice"]
        return found

    def verdict_on(self, name: str) -> Verdict | None:
        """What one number says by itself: of use, or leaning to a side; None where there is nothing to hold it against."""
        return verdict_on(self, name)

    @property
    def uneven(self) -> Estimate | None:
        """The tenth of predictions, named by its ends, that one number added to all would leave further off than all are now."""
        if "error_along_prediction" not in self.tables:
            return None
        c: Any = self.table("error_along_prediction").cells
        ends = zip(c["mean_error"], c["from"], c["to"], strict=True)
        tenths = [x.renamed(segment=f"{significant(a)} to {significant(b)}") for x, a, b in ends]
        return left_over(tenths, float(self["bias"]))

    def side_of(self, name: str, value: float, looks: int = 1) -> int | None:
        """1 where a number clearly lies above a value, −1 below, 0 neither; of the worst or best of so many `looks`."""
        return side(self[name], value, looks)

    # Curves and thresholds -------------------------------------------------------------------------------------------
    @as_annotated()
    def curve(
        self,
        name: str,
        level: object = None,
        *,
        profit: Payoff | None = None,
        over: str = "threshold",
        bins: int | None = None,
    ) -> Curve:
        """A curve with its pointwise band; for many classes one class against the rest.

        The band of "roc" holds at each false positive rate, of "pr" at each recall, of "cost_curve" at each skew. "profit" and
        "cost" need to know what outcomes are worth; `over="depth"` makes their band hold at a share flagged. `bins` cuts "scores".
        """
        from steelyard.drawing import curve_of

        return curve_of(self, name, level, profit, over, bins)

    @property
    def curves(self) -> list[str]:
        """The curves that this evidence allows."""
        from steelyard.drawing import curves_of

        return curves_of(self)

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

    @as_annotated()
    def table(self, name: str, **options: Any) -> Tabulation:
        """A table as data: "matrix", "sweep", "deciles", "outcomes", … (`tables` lists them), told as text, frame and JSON."""
        from steelyard.tables.tabulation import table_of

        return table_of(self, name, **options)

    @property
    def tables(self) -> list[str]:
        """The tables that this evidence allows."""
        from steelyard.tables.tabulation import tables_of

        return tables_of(self)

    @as_annotated()
    def sweep(self, thresholds: Sequence[float] | None = None, measures: Sequence[str] | None = None) -> Tabulation:
        """Measures at several thresholds, side by side: `e.sweep([0.25, 0.5, 0.75], measures=["recall", "fpr"])`."""
        return self.table("sweep", thresholds=thresholds, measures=measures)

    @as_annotated()
    def deciles(self, parts: int = 10, level: Any = None) -> Tabulation:
        """Gain, cumulative gain, lift and cumulative lift by tenths of the rows, from the highest scores down."""
        return self.table("deciles", parts=parts, level=level)

    @property
    def ks_threshold(self) -> float:
        """The threshold at which positives and negatives lie furthest apart."""
        return ks_threshold(self._scored("The KS threshold"))

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
    def __add__(self, other: object) -> Evaluation:
        return self.plus(other)

    def __radd__(self, other: object) -> Evaluation:
        # `sum` begins with 0.
        return self if isinstance(other, int) and not isinstance(other, bool) and other == 0 else self.plus(other)

    @as_annotated()
    def plus(self, other: object, *, twice: bool = False) -> Evaluation:
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

    @as_annotated()
    def renamed(self, **columns: str) -> Evaluation:
        """The same evidence where a column has got another name, so that it adds to evidence under that one."""
        facts = {**self.facts, "roles": {**self.facts.get("roles", {}), **columns}}
        segments = self.segments.changed(lambda e: e.renamed(**columns))
        chosen = None if self.validation is None else self.validation.renamed(**columns)
        return replace(self, facts=facts, segments=segments, validation=chosen)

    def __eq__(self, other: object) -> bool:
        same = ("evidence", "threshold", "segments", "payoff", "validation")
        return isinstance(other, Evaluation) and all(getattr(self, n) == getattr(other, n) for n in same)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

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
    def report(self, path: str | os.PathLike[str], *, title: str = "", **in_use: object) -> None:
        """Write a report: one offline page (.html), Markdown (.md), or every number and sentence (.json).

        Of the model in use it takes what `sy.monitor`, `sy.stability`, `sy.timeliness` and `sy.trial` return, as `trial=...`.
        """
        from steelyard.reports.writing import write_report

        write_report({title or "model": self}, path, title=title, in_use=in_use)

    # Telling ---------------------------------------------------------------------------------------------------------
    @as_annotated()
    def text(self, *, full: bool = False) -> str:
        """All that is told as text: the conclusion, the matrix, numbers by question, levels, segments; `full` every measure."""
        from steelyard.views.text import evaluation_text

        return evaluation_text(self, full=full)

    def __repr__(self) -> str:
        return f"<Evaluation of {self.rows:,} rows: {', '.join(self.evidence)}>"
