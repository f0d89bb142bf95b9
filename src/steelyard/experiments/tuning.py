"""Searches for parameters inside an experiment: what they chose, what they saw, and how much of that was luck."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steelyard.errors import LengthsDiffer, UnknownMeasure, UsageError, listing
from steelyard.experiments.models import Model, last_step
from steelyard.files.as_json import json_value
from steelyard.measures.measure import AVERAGES, find
from steelyard.results import Estimate
from steelyard.verdicts.usefulness import side
from steelyard.words import bracketed, estimate_parts, like, quoted, significant

INTERVAL_NOTE = "over the outer folds"


# The search -----------------------------------------------------------------------------------------------------------


def is_search(model: object) -> bool:
    """Whether a model, or the last step of a pipeline, is one of scikit-learn's searches for parameters.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> is_search(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]})), is_search(DecisionTreeClassifier())
    (True, False)
    """
    import sys

    if "sklearn.model_selection" not in sys.modules:
        # A search cannot have come from a module that nobody has loaded.
        return False
    from sklearn.model_selection import GridSearchCV

    # The class on which every search stands, those of other houses too.
    return isinstance(last_step(model), GridSearchCV.__mro__[1])


def with_validation(model: Model, train_count: int, validation_count: int) -> Any:
    """A copy of the search that chooses on validation rows: fit it on the training rows with those rows after them.

    Whatever it chose is then learnt from both parts together.
    """
    from sklearn.base import clone
    from sklearn.model_selection import PredefinedSplit

    if train_count < 1 or validation_count < 1:
        message = (
            f"A search needs rows to learn from and rows to choose on, and {train_count} and {validation_count} came."
        )
        raise UsageError(message, "Choose a design with a validation part.")
    if not is_search(model):
        message = f"Only a search chooses on validation rows, and a {type(last_step(model)).__name__} came."
        raise UsageError(message, "Wrap it, for example GridSearchCV(model, {...}).")
    copy = clone(model)
    search = last_step(copy)
    if search.refit is False:
        message = "The search has refit=False, so it would have no model to predict with."
        raise UsageError(message, "Leave refit at True, or name the score to choose by.")
    search.set_params(cv=PredefinedSplit(np.repeat([-1, 0], [train_count, validation_count])))
    return copy


def search_facts(fitted: Model) -> dict[str, Any]:
    """What a fitted search chose and what score it saw, as plain JSON values."""
    search = last_step(fitted)
    results, best = search.cv_results_, int(search.best_index_)
    name = search.refit if isinstance(search.refit, str) else "score"
    means = results.get(f"mean_test_{name}")
    seen = float(means[best]) if means is not None else math.nan
    return {
        "best_score": seen if math.isfinite(seen) else None,
        "best_params": {str(k): _plain(v) for k, v in sorted(search.best_params_.items())},
        "candidates": len(
            {json.dumps({k: _plain(v) for k, v in p.items()}, sort_keys=True) for p in results["params"]}
        ),
        "scorer": _scorer_name(search, name),
    }


def _plain(value: object) -> Any:
    """A parameter as JSON has it, in words where JSON does not."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return " ".join(repr(value).split())


def _scorer_name(search: Any, chosen: str) -> str:
    """The name of the score by which a search chooses; with a minus where less of it is better."""
    from sklearn.base import is_classifier, is_regressor

    scoring = search.scoring
    if isinstance(scoring, Mapping):
        scoring = scoring.get(chosen, chosen)
    elif isinstance(scoring, list | tuple | set):
        scoring = chosen
    if isinstance(scoring, str):
        return scoring
    if scoring is None:
        return "accuracy" if is_classifier(search.estimator) else "r2" if is_regressor(search.estimator) else "score"
    function = getattr(scoring, "_score_func", scoring)
    name = str(getattr(function, "__name__", type(function).__name__))
    return f"neg_{name}" if getattr(scoring, "_sign", 1) < 0 else name


def measure_of(scorer: str) -> tuple[str, str | None, int] | None:
    """Which measure a scorer of scikit-learn is: its name, its average, and −1 where the score is the measure turned round.

    >>> measure_of("neg_root_mean_squared_error"), measure_of("f1_macro"), measure_of("my_own")
    (('rmse', None, -1), ('f1', 'macro', 1), None)
    """
    name, sign = (scorer[4:], -1) if scorer.startswith("neg_") else (scorer, 1)
    average = next((a for a in AVERAGES if name.endswith(f"_{a}")), None)
    if average:
        name = name[: -len(average) - 1]
    for known in (name, name.removesuffix("_score"), name.removesuffix("_loss"), name.removesuffix("_error")):
        try:
            return find(known).name, average, sign
        except UnknownMeasure:
            continue
    return None


# What it was worth ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tuning:
    """What searches promised and what their choices came to on rows they had not seen, one search an outer fold."""

    measure: str
    """The measure by which the search chose."""
    better: str
    facts: tuple[Mapping[str, Any], ...]
    tuned: float | None
    """The mean of the scores with which the chosen parameters won."""
    honest: Estimate
    """The mean of the same measure on the test rows of the outer folds."""
    optimism: Estimate
    """How much better the winners looked than they are: above zero where choosing flattered."""
    average: str | None = None
    folds: tuple[tuple[float | None, float | None], ...] = field(default=())
    """Promised and found, for each outer fold."""

    @property
    def chosen(self) -> list[tuple[dict[str, Any], int]]:
        """Every set of parameters that was chosen, with how often, the most frequent first."""
        counts: dict[str, int] = {}
        for fact in self.facts:
            key = json.dumps(fact["best_params"], sort_keys=True)
            counts[key] = counts.get(key, 0) + 1
        return [(json.loads(k), n) for k, n in sorted(counts.items(), key=lambda item: -item[1])]

    @property
    def candidates(self) -> int:
        """How many sets of parameters the largest search tried."""
        return max((int(f["candidates"]) for f in self.facts), default=0)

    def sentences(self) -> list[str]:
        """What came of choosing, in plain words."""
        what = f"{self.measure} ({self.average})" if self.average else self.measure
        return [t for t in (self._seen_text(what), self._luck(), self._choices()) if t]

    def _seen_text(self, what: str) -> str:
        if self.honest.value is None:
            seen = "no score" if self.tuned is None else f"{what} {significant(self.tuned)}"
            return f"The search saw {seen}; on rows it had not seen: {self.honest}."
        value, ends = _shown(self.honest.value, self.honest.low, self.honest.high)
        told = value + ends
        seen = "no score" if self.tuned is None else f"{what} {like(self.tuned, value)}"
        return f"The search saw {seen}; on rows it had not seen: {told}."

    def _luck(self) -> str:
        x = self.optimism
        if x.value is None:
            return f"Whether choosing made it look better is not known: {x.reason}."
        if x.value == 0:
            return "Choosing made it look neither better nor worse."
        value, ends = _shown(abs(x.value), *_toward(x))
        luck = ", which may be chance" if side(x, 0.0) == 0 else ""
        if x.value < 0:
            return f"Choosing did not make it look better: it was worse than on new rows by {value}{ends}{luck}."
        return f"Choosing made it look better by {value}{ends}{luck}."

    def _choices(self) -> str:
        found = self.chosen
        if not found:
            return ""
        params, times = found[0]
        words = ", ".join(f"{k} = {quoted(v)}" for k, v in params.items()) or "no parameters"
        of = len(self.facts)
        if of == 1:
            return f"It chose {words}, out of {self.candidates:,}."
        if len(found) == 1:
            return f"All {of} searches chose {words}, out of {self.candidates:,}."
        tied = sum(n == times for _, n in found)
        often = f"; most often ({times}): {words}"
        if tied == len(found):
            often = f", {times} times each"
        elif tied > 1:
            often = f"; {tied} of them most often ({times} times each)"
        if times == 1:
            often = ""
        return f"{of} searches made {len(found)} different choices out of {self.candidates:,}{often}."

    def __str__(self) -> str:
        from steelyard.views.layout import wrap

        return "\n".join(line for text in self.sentences() for line in wrap(text))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        told = {name: json_value(getattr(self, name)) for name in ("measure", "average", "tuned", "honest", "optimism")}
        told["chosen"] = [{"parameters": p, "times": n} for p, n in self.chosen]
        return told | {"candidates": self.candidates, "folds": json_value(self.folds), "text": str(self)}


def _toward(estimate: Estimate) -> tuple[float | None, float | None]:
    """The ends of an interval as distances in the direction of its value."""
    if estimate.low is None or estimate.high is None:
        return None, None
    return (
        (estimate.low, estimate.high)
        if estimate.value is None or estimate.value >= 0
        else (-estimate.high, -estimate.low)
    )


def _shown(value: float, low: float | None, high: float | None) -> tuple[str, str]:
    """A value and its interval in brackets; where all folds agree there is none, and no digits to be had from it."""
    if low is None or high is None or low == high:
        return significant(value), ""
    told, *ends = estimate_parts(value, low, high)
    return told, f" {bracketed(*ends)}"


def tuning(
    facts: Sequence[Mapping[str, Any]], honest: Sequence[float | None], *, ratio: float, confidence: float = 0.95
) -> Tuning:
    """Put together what the searches of the outer folds saw and what their choices came to on the test rows.

    `honest` holds the measure of `measure_of(scorer)` on each fold's test rows; `ratio` is test over training rows.
    optimism = mean of (seen − found), or of (found − seen) where less is better.

    >>> facts = [{"best_score": s, "best_params": {"k": 3}, "candidates": 9, "scorer": "accuracy"} for s in (.9, .95, .94)]
    >>> print(tuning(facts, [0.88, 0.90, 0.91], ratio=0.5))
    The search saw accuracy 0.930; on rows it had not seen: 0.897 [0.8..., 0.9...].
    Choosing made it look better by 0.033 [−0.027, 0.093], which may be chance.
    All 3 searches chose k = 3, out of 9.
    """
    if not facts or len(facts) != len(honest):
        message = f"Each outer fold has one search and one honest value, and {len(facts)} and {len(honest)} came."
        raise LengthsDiffer(message, "Give one of each for every fold.")
    scorers = sorted({str(f["scorer"]) for f in facts})
    if len(scorers) > 1:
        message = f"The searches chose by different scores: {listing(scorers)}."
        raise UsageError(message, "Tell each kind of search by itself.")
    known = measure_of(scorers[0])
    if known is None:
        none = f"the score {quoted(scorers[0])} is no measure known here"
        seen = _mean([f["best_score"] for f in facts])
        nothing = Estimate(scorers[0], None, confidence=confidence, reason=none)
        return Tuning(scorers[0], "higher", tuple(facts), seen, nothing, nothing)
    name, average, sign = known
    m = find(name)
    promised = [None if f["best_score"] is None else sign * float(f["best_score"]) for f in facts]
    turn = -1 if m.better == "lower" else 1
    gains = [None if p is None or h is None else turn * (p - h) for p, h in zip(promised, honest, strict=True)]
    return Tuning(
        name,
        m.better,
        tuple(facts),
        _mean(promised),
        _over_folds(name, honest, ratio, confidence, m.range, average),
        _over_folds(name, gains, ratio, confidence, (-math.inf, math.inf), average),
        average,
        tuple(zip(promised, honest, strict=True)),
    )


def with_test_rows(told: Tuning, honest: Estimate) -> Tuning:
    """The same where there is one outer fold: the interval is that of its test rows, and the promise is taken as it is."""
    if told.tuned is None or honest.value is None or honest.low is None or honest.high is None:
        return replace(told, honest=honest)
    turn = -1 if told.better == "lower" else 1
    value, *ends = (turn * (told.tuned - x) for x in (honest.value, honest.low, honest.high))
    optimism = honest.renamed(value=value, low=min(ends), high=max(ends), note="of the test rows alone")
    return replace(told, honest=honest, optimism=optimism)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def _over_folds(
    name: str,
    values: Sequence[float | None],
    ratio: float,
    confidence: float,
    limits: tuple[float, float],
    average: str | None,
) -> Estimate:
    from steelyard.intervals.folds import corrected_t

    known = [float(v) for v in values if v is not None and math.isfinite(v)]
    facts: dict[str, Any] = {"confidence": confidence, "n": float(len(values)), "level": average}
    if len(known) < len(values):
        lost = len(values) - len(known)
        return Estimate(name, None, reason=f"it is undefined in {lost} of {len(values)} outer folds", **facts)
    found = corrected_t(known, ratio, confidence, limits)
    note = found.note or INTERVAL_NOTE
    return Estimate(name, sum(known) / len(known), found.low, found.high, method=found.method, note=note, **facts)
