"""A comparison: every pair of models, the size of the difference, the right test, and a verdict in words."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from steelyard.arguments.allowed import NotAllowed, confidence_of, plain_number, shown
from steelyard.arguments.annotated import as_annotated
from steelyard.asking.questions import level_of
from steelyard.comparisons.enough import short_of
from steelyard.comparisons.folds import Posterior
from steelyard.comparisons.known_methods import check_method
from steelyard.comparisons.pairing import Pairing, SameFolds, all_pairs
from steelyard.comparisons.simultaneous import CORRECTIONS, agreed, at_once, corrected_p, error_rates
from steelyard.errors import NotAvailable, UsageError, listing, nearest
from steelyard.measures.measure import find, leading
from steelyard.payoffs.kinds import KINDS
from steelyard.results import Difference, make_frame
from steelyard.verdicts.comparison import CLEAR, TOO_FEW, alike, compared, turned, wording
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import ToldInSentences
from steelyard.wording import option

if TYPE_CHECKING:
    from steelyard.charts.marks import Chart
    from steelyard.comparisons.best_of_many import Selected
    from steelyard.comparisons.crossing import Crossing
    from steelyard.comparisons.labels import Significance
    from steelyard.comparisons.ranks import Ranking

OVER = ("pairs", "everything")
USUAL = 0.5
"""The threshold unless another is given."""
ALL = "all"
"""The margin of all measures that have none of their own."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair of models in one measure; interval, p-value and verdict hold for all that are looked at together."""

    difference: Difference
    p_corrected: float | None
    verdict: str
    p_alone: float | None = None
    """The p-value of this pair by itself, as if nobody had looked at another."""

    @property
    def alike(self) -> bool:
        """Whether nothing tells the two apart."""
        return alike(self.difference)

    def turned(self) -> Compared:
        """The same pair seen from the other model."""
        found = turned(self.difference.renamed(verdict=self.verdict))
        return replace(self, difference=found, verdict=found.verdict)


class Comparison(ToldInSentences):
    """Models side by side: `c.difference("auc", "tree", "knn")`, `c.table()`, `c.winner()`, or all of it in words."""

    as_text: ClassVar[str] = "comparison.comparison_text"
    as_verdict: ClassVar[str] = "choosing.comparison_conclusion"

    @as_annotated("margin")
    def __init__(
        self,
        pairing: Pairing,
        *,
        measures: Sequence[str] | None = None,
        margin: float | Mapping[str, float] | None = None,
        confidence: float = 0.95,
        correction: str = "bonferroni",
        over: str = "pairs",
        control: str | None = None,
        source: str = "",
        ranking: Ranking | None = None,
    ) -> None:
        self.pairing = pairing
        self.confidence: float = confidence_of(confidence)
        self.correction = correction
        self.over = over
        self.source = source
        self.ranking = ranking
        self.remarks: list[str] = []
        """What whoever asked has to add to the notes."""
        self._known: dict[Any, Difference] = {}
        self._families: dict[Any, dict[tuple[str, str], Compared]] = {}
        if correction not in CORRECTIONS:
            message = f"There is no correction {listing([correction])}."
            raise UsageError(message, f"Choose one of {listing(CORRECTIONS)}.")
        if over not in OVER:
            message = f"{option('over', over)} is not a choice."
            raise UsageError(message, 'Looks are counted over "pairs" within a measure, or over "everything".')
        if len(self.models) < 2:
            message = f"A comparison needs at least two models, and {len(self.models)} came: {listing(self.models)}."
            raise UsageError(message, "Name another one.")
        if control is not None and control not in self.models:
            message = f"The control {listing([control])} is none of the models."
            raise NotAvailable(message, nearest(control, self.models) or f"There are {listing(self.models)}.")
        self.control = control
        self.measures: list[str] = self._chosen(measures)
        self.margins: dict[str, float] = self._margins(margin)

    def _chosen(self, measures: Sequence[str] | None) -> list[str]:
        told = [e.measures for e in self.evaluations.values()]
        common = [n for n in told[0] if find(n).better in ("higher", "lower") and all(n in names for names in told)]
        if measures is None:
            worth = [n for n in KINDS if n in common]
            return ([n for n in leading("comparison") if n in common][:3] + worth) or common[:1]
        names = [measures] if isinstance(measures, str) else list(measures)
        if not names:
            message = "There is no measure to compare by: an empty list came."
            raise UsageError(message, f"Name at least one, or leave {option('measures')} out for the chief ones.")
        found = [find(n).name for n in names]
        for name in found:
            if name not in common:
                message = f'The models cannot be compared by "{name}".'
                raise NotAvailable(message, f"What they share: {listing(common)}.")
        return list(dict.fromkeys(found))

    def _margins(self, margin: float | Mapping[str, float] | None) -> dict[str, float]:
        if margin is None:
            return {}
        given: dict[str, Any] = dict(margin) if isinstance(margin, Mapping) else {ALL: margin}
        shared = {name: given.pop(ALL) for name in ([ALL] if ALL in given else [])}
        named = dict.fromkeys(self.measures, shared[ALL]) if shared else {}
        named |= {find(k).name: v for k, v in given.items()}
        try:
            out = {k: float(plain_number(v)) for k, v in named.items()}
        except (NotAllowed, OverflowError):
            message = f"A margin is a number, or numbers by measure, and {shown(margin)} came."
            hint = f"For example {option('margin', 0.01)}, or {option('margin', {'auc': 0.01, 'brier': 0.005})}."
            raise UsageError(message, hint) from None
        for name, value in out.items():
            if not (math.isfinite(value) and value > 0):
                message = f"The margin of {name} must be a positive number, and {value} came."
                raise UsageError(message, "Give the largest difference that does not matter.")
        return out

    @property
    def evaluations(self) -> Mapping[str, Any]:
        """The evidence of each model."""
        return self.pairing.evaluations

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(self.pairing.evaluations)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that are compared: all of them, or every other model with the control."""
        return all_pairs(self.models, self.control)

    @property
    def kind(self) -> str:
        """How they were tested: on different rows, the same rows, or the same folds."""
        return self.pairing.kind

    def _ipython_key_completions_(self) -> list[str]:
        return self.models

    @as_annotated()
    def __getitem__(self, name: str) -> Any:
        if name not in self.evaluations:
            message = f"There is no model {listing([name])}."
            raise NotAvailable(message, nearest(str(name), self.models) or f"There are {listing(self.models)}.")
        return self.evaluations[name]

    def _pair(self, *names: str) -> tuple[str, str]:
        first, second = (name for name in names if self[name] is not None)
        if first == second:
            message = f"{first} was compared with itself."
            raise UsageError(message, "Name two models.")
        return first, second

    def _in_order(self, pair: tuple[str, str]) -> tuple[str, str]:
        """A pair as it stands among all: the later model first, or the other one before the control."""
        later = self.control == pair[1] or (
            self.control != pair[0] and self.models.index(pair[0]) > self.models.index(pair[1])
        )
        return pair if later else pair[::-1]

    # Differences -----------------------------------------------------------------------------------------------------
    @as_annotated()
    def difference(self, measure: str, first: str, second: str, *, alone: bool = False, **options: Any) -> Difference:
        """How much the first exceeds the second, with interval, p-value and verdict; `level` and other options as asked.

        They are those of the table: they allow for every pair that is compared. With `alone` they are those of this pair
        by itself, which is right where it was chosen before anything was seen, and it alone.
        """
        name, pair = find(measure).name, self._pair(first, second)
        if "level" in options:
            options["level"] = level_of(options["level"])
        if check_method(self.pairing, options.get("method", "usual")) == "usual":
            options.pop("method", None)
        if alone:
            return self._judged(name, pair, 1 - self.confidence, options)
        # What was not planned is one of all that could have been asked for.
        planned = self.pairs if self.control in (None, *pair) else all_pairs(self.models)
        mine = self._in_order(pair)
        found = self._family(name, planned, options, [mine])[mine].difference
        return found if mine == pair else turned(found)

    def _judged(self, measure: str, pair: tuple[str, str], alpha: float, options: Mapping[str, Any]) -> Difference:
        """One pair at an error rate of its own, told at the confidence of the comparison."""
        key = (measure, pair, round(alpha, 15), repr(sorted(options.items(), key=str)), self._told_with())
        if key not in self._known:

            def limits(confidence: float) -> tuple[float, float] | None:
                d = self.pairing.difference(measure, pair, confidence, **options)
                return None if d.low is None or d.high is None else (d.low, d.high)

            found = self.pairing.difference(measure, pair, 1 - alpha, **options)
            found = agreed(found, alpha, limits).renamed(confidence=self.confidence)
            better = find(measure).better
            asked = found.value is not None and better in ("higher", "lower")
            few, caution = self._short(found, alpha) if asked else ("", "")
            word = wording(compared(found, better, self.margins.get(measure), few))
            note = "; ".join(filter(None, (found.note, "" if few in found.note else few)))
            self._known[key] = found.renamed(verdict=word, note=note, caution=found.caution or caution)
        return self._known[key]

    def _family(
        self, measure: str, pairs: list[tuple[str, str]], options: Mapping[str, Any], wanted: list[tuple[str, str]]
    ) -> dict[tuple[str, str], Compared]:
        """Pairs with intervals, p-values and verdicts that hold for all looks at once."""
        alpha, names = 1 - self.confidence, [measure]
        if self.over == "everything":
            names = list(dict.fromkeys([*self.measures, measure]))
        looks = len(pairs) * len(names)
        # Another measure of the same pair tells much the same, so looks are counted within a measure unless told otherwise.
        if self.correction in ("bonferroni", "none") or looks < 2:
            rate = error_rates([None], looks, alpha, self.correction)[0]
            out = {}
            for pair in wanted:
                d = self._judged(measure, pair, rate, options)
                p = corrected_p([d.p_value], looks, self.correction)[0]
                out[pair] = Compared(_with_corrected(d, p, looks, self), p, d.verdict, d.p_value)
            return out
        key = (measure, tuple(pairs), repr(sorted(options.items(), key=str)), self._told_with())
        if key not in self._families:
            every = [(n, pair) for n in names for pair in pairs]
            plain = [self._judged(n, pair, alpha, options).p_value for n, pair in every]
            rates = error_rates(plain, looks, alpha, self.correction)
            adjusted = corrected_p(plain, looks, self.correction)
            self._families[key] = {}
            for (n, pair), rate, q, one in zip(every, rates, adjusted, plain, strict=True):
                if n != measure:
                    continue
                d = self._judged(n, pair, rate, options)
                # Where the interval was more careful than the test, so is the p-value.
                lost = q is not None and d.p_value is not None and d.p_value >= rate and q < alpha
                p = min(1.0, d.p_value * alpha / rate) if lost and d.p_value is not None else q
                self._families[key][pair] = Compared(_with_corrected(d, p, looks, self), p, d.verdict, one)
        return self._families[key]

    def _told_with(self) -> str:
        """What every judgement depends on beside its question."""
        return repr((self.confidence, self.correction, self.over, self.measures, sorted(self.margins.items())))

    def _short(self, difference: Difference, alpha: float) -> tuple[str, str]:
        """Why a verdict is withheld: too few of what the difference rests on."""
        few, margin = self.pairing.few(difference, alpha), self.margins.get(difference.measure, 0.0)
        if few is not None:
            # Two that say the same of nearly every row may be alike for all that matters.
            ends = [abs(end) for end in (difference.low, difference.high) if end is not None]
            return ("", few[1]) if ends and max(ends) <= margin else few
        m = find(difference.measure)
        found = (short_of(self.evaluations[n], m, difference.level) for n in (difference.first, difference.second))
        return next((x for x in found if x[0]), ("", ""))

    @as_annotated()
    def table(self, measure: str | None = None, **options: Any) -> list[Compared]:
        """Every pair in every measure (or one), with intervals, p-values and verdicts that hold for all pairs at once."""
        wanted = self.measures if measure is None else [find(measure).name]
        pairs = self.pairs
        return [r for name in wanted for r in self._family(name, pairs, options, pairs).values()]

    @as_annotated()
    def ordered(self, measure: str) -> list[Compared]:
        """Every pair with the better model first, those that differ most clearly before others."""
        lower = find(measure).better == "lower"

        def behind(v: float | None) -> bool:
            return v is not None and (v > 0 if lower else v < 0)

        found = [r.turned() if behind(r.difference.value) else r for r in self.table(measure)]
        return sorted(found, key=lambda r: (r.difference.value is None, r.verdict not in CLEAR, _p(r)))

    @property
    def verdict(self) -> Verdict:
        """What may be said of the best and the next in the first measure: a word, what it rests on, and what to do next."""
        from steelyard.views.standings import nearest_pair

        measure = self.measures[0]
        d = self.difference(measure, *nearest_pair(self, measure))
        few = d.note if d.verdict == TOO_FEW else ""
        looks = 1 if self.correction == "none" else len(self.pairs)
        return self.in_words(compared(d, find(measure).better, self.margins.get(measure), few, looks))

    @as_annotated()
    def posterior(self, measure: str, first: str, second: str, rope: float = 0.01) -> Posterior:
        """How likely the difference is practically nothing; for models on the same folds."""
        if not isinstance(self.pairing, SameFolds):
            message = "The Bayesian test is for models on the same folds."
            raise NotAvailable(message, "Give an experiment.")
        return self.pairing.posterior(measure, self._pair(first, second), rope, self.confidence)

    @as_annotated()
    def together(self, measure: str | None = None) -> Significance | None:
        """Whether all models could be equal: Cochran's Q, or DeLong's chi-square; None where no such test is at hand."""
        return self.pairing.together(measure or self.measures[0])

    @as_annotated()
    def winner(self, measure: str | None = None) -> Selected | None:
        """The best of three or more, and how much of its lead is the luck of having been chosen."""
        return self.pairing.winner(measure or self.measures[0], self.confidence)

    @as_annotated()
    def crossing(self, first: str, second: str) -> Crossing:
        """Where two ROC curves cross: who is better in which range, and at which costs."""
        return self.pairing.crossing(self._pair(first, second), self.confidence)

    def notes(self) -> list[str]:
        """What a reader should know."""
        return [*self.pairing.notes(), *_no_probabilities(self.evaluations), *self.remarks]

    # Telling ---------------------------------------------------------------------------------------------------------
    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One tidy row a pair and measure."""
        out = []
        for c in self.table():
            d = c.difference
            row = {"measure": d.measure, "first": d.first, "second": d.second, "difference": d.value}
            row |= {"low": d.low, "high": d.high, "p_value": d.p_value, "p_corrected": c.p_corrected}
            row |= {"p_alone": c.p_alone, "verdict": c.verdict, "method": d.method, "note": d.note or d.reason}
            out.append(row | {"caution": d.caution, "reason": d.reason})
        return out

    def frame(self) -> Any:
        """One tidy row a pair and measure, as a frame."""
        rows = self.rows_as_dicts()
        return make_frame({k: [r[k] for r in rows] for k in rows[0]})

    @as_annotated()
    def chart(self, name: str | None = None) -> Chart:
        """The differences of all pairs in a measure, or a chart of all models at once ("roc", "gain", "scores", …)."""
        from steelyard.views.comparison import comparison_chart
        from steelyard.views.several import TOGETHER, together

        return together(self.evaluations, name) if name in TOGETHER else comparison_chart(self, name)

    def to_dict(self) -> dict[str, Any]:
        """Every number and sentence as plain JSON values."""
        from steelyard.views.comparison import comparison_document

        return comparison_document(self)

    @as_annotated()
    def report(self, path: str | os.PathLike[str], *, title: str = "", command: str = "") -> None:
        """Write a report: one offline page (.html), Markdown (.md), or every number and sentence (.json)."""
        from steelyard.reports.comparison import write_comparison_report

        write_comparison_report(self, path, title=title, command=command)

    def __repr__(self) -> str:
        return f"<Comparison of {listing(self.models)} {self.pairing.words}>"


def _with_corrected(difference: Difference, p: float | None, looks: int, comparison: Comparison) -> Difference:
    """A difference with its corrected p-value, and in its method for how many looks that and the interval are."""
    if looks < 2 or comparison.correction == "none":
        return difference
    return difference.renamed(
        p_value=p, method=f"{difference.method}{at_once(looks, comparison.over, comparison.correction)}"
    )


def _p(compared: Compared) -> float:
    return 2.0 if compared.p_corrected is None else compared.p_corrected


def _no_probabilities(evaluations: Mapping[str, Any]) -> list[str]:
    """What scores that are no probabilities are good for."""
    scored = {n: e.scores for n, e in evaluations.items() if getattr(e, "scores", None) is not None}
    names = [n for n, s in scored.items() if not s.probabilities]
    if not names:
        return []
    said = f"Scores of {listing(names)} lie outside 0 to 1: log loss and Brier score need probabilities"
    if any(evaluations[n].threshold == USUAL for n in names):
        said += f", and a threshold of {USUAL}, on which accuracy and profit rest, may not suit them (threshold=..., --threshold)"
    return [f"{said}."]
