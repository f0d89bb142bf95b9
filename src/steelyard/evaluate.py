"""The front door: evaluate(); composes the rooms, computes nothing itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy.typing as npt

from steelyard.arguments.annotated import Confidence, Label, Threshold, as_annotated
from steelyard.counting.classes import count_classes
from steelyard.counting.crossed import crossed_rows, refuse_crossed
from steelyard.counting.decisions import count_decisions
from steelyard.counting.labels import count_labels
from steelyard.counting.matrix import levels_of, matrix_of
from steelyard.counting.numbers import count_numbers
from steelyard.counting.parts import divide_rows, is_table
from steelyard.counting.rules import WHOLE, CountingRules, Evidence, check_copies
from steelyard.counting.score_columns import by_level
from steelyard.counting.scores import count_scores
from steelyard.errors import BadLevels, NotAvailable, UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.files.addresses import without_secrets
from steelyard.payoffs.payoff import Payoff
from steelyard.rows.language import Rows, Tally
from steelyard.rows.roles import Roles, assign, refuse_beside
from steelyard.sources.joined import table
from steelyard.sources.recognise import open_rows
from steelyard.sources.tables import Table
from steelyard.summaries.amounts import check_names
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.segments import Segments, names_of
from steelyard.summaries.summary import occurring
from steelyard.wording import Code, either, option

CORRECTED = ("inverse_probability", "begg_greenes")
"""Two names of one correction for rows without a target."""
FEW_WHOLE_NUMBERS = 50
"""Whole numbers with at most this many distinct values are taken as labels; more of them need kind=."""


@as_annotated("profit")
def evaluate(
    data: object = None,
    *,
    target: object = None,
    score: object = None,
    prediction: object = None,
    positive: Label = None,
    weight: object = None,
    weights: str = "sampling",
    unit: object = None,
    segment: object = None,
    value: object = None,
    profit: Payoff | None = None,
    cost: Payoff | None = None,
    decide: str = "score",
    validation: object = None,
    threshold: Threshold = 0.5,
    confidence: Confidence = 0.95,
    missing: str = "refuse",
    exact: bool = False,
    kind: str | None = None,
    confusion: npt.ArrayLike | Mapping[Any, Mapping[Any, float]] | None = None,
    levels: Sequence[Any] | None = None,
    layout: str | None = None,
    labels: object = None,
    on: Any = None,
    query: str | None = None,
) -> Evaluation:
    """Evaluate predictions: every measure they allow, each with its interval.

    With `data` (a path, a glob, an address, or any frame) the roles are column names; without, they are the values
    themselves. `labels` is another table, joined by the key `on` where the data live; `query` is a SELECT over the data.
    `score` is one column for two levels, or a mapping of level to column for more, or without `data` a matrix with a column
    for each of `levels` (of two, the positive's column is the score); `prediction` holds labels or numbers. `confusion` is a
    matrix counted elsewhere: by name as `pandas.crosstab` gives it, its rows and columns in the order of `levels`, or of two
    levels in a `layout`: "positive first" as books print it, or "negative first".
    `profit` (a Profit or Cost; `cost` is another word for it) says what outcomes are worth and `value` which columns hold
    amounts of the rows' own; `segment` is a column, or two whose pairs are evaluated apart: `["region", "device"]`.
    `decide="profit"` predicts the level of the highest expected profit. `validation` (a column
    that is true for such rows, or another table) keeps rows apart on which thresholds are chosen. `missing="drop"` leaves out
    rows with missing values and compares those without a target with the others; "inverse_probability" (also "begg_greenes")
    lets rows with a target stand for those of like prediction without one.

    >>> e = evaluate(target=[1, 1, 1, 0, 0, 0], score=[0.9, 0.8, 0.3, 0.4, 0.2, 0.1])
    >>> round(e["auc"].value, 3), e["recall"].method
    (0.889, 'Clopper–Pearson')
    """
    _check_choice("missing", missing, ("refuse", "drop", *CORRECTED))
    _check_choice("weights", weights, ("sampling", "frequency"))
    _check_choice("kind", kind, (None, "labels", "continuous"))
    _check_choice("decide", decide, ("score", "profit"))
    profit = _payoff(profit, cost)
    _check_payoff(profit, decide)
    if confusion is not None:
        beside = {"data": data, "target": target, "score": score, "prediction": prediction, "weight": weight}
        beside |= {"unit": unit, "segment": segment, "value": value, "validation": validation, "kind": kind}
        beside |= {"labels": labels, "on": on, "query": query, "decide": None if decide == "score" else decide}
        refuse_beside("A confusion matrix is all there is to count", beside, "or leave out the matrix")
        return _from_matrix(matrix_of(confusion, levels, positive, layout), confidence, profit)
    if layout is not None:
        message = "A layout belongs to a confusion matrix, and none was given."
        raise UsageError(message, f"Leave {option('layout')} out.")
    levels = levels_of(levels)
    profit = profit.over(levels) if profit is not None and levels is not None else profit
    if labels is not None or on is not None or query is not None:
        data = table(data, query=query, labels=labels, on=on)
    if isinstance(target, Iterator):
        # It can be read once, and may be asked for its levels first.
        target = list(target)
    apart = validation is not None and (isinstance(validation, Evaluation) or is_table(data, validation))
    roles = assign(
        target=target,
        score=by_level(score, levels, positive, partial(levels_in, target)) if data is None else score,
        prediction=prediction,
        weight=weight,
        unit=unit,
        segment=segment,
        value=value,
        validation=None if apart else validation,
        needed=profit.names if profit is not None else (),
        named=data is not None,
    )
    check_names(roles.amounts)

    def plan() -> CountingRules:
        return CountingRules(
            weighting=weights if weight is not None else "none",
            exact=exact,
            drop=missing != "refuse",
            levels=levels,
            positive=positive,
            cuts=(float(threshold),),
            amounts=roles.amounts,
            decide=_decider(profit, roles) if decide == "profit" else None,
        )

    def evaluated(rows: Rows, source: object) -> Evaluation:
        found = _evaluated(rows, roles, plan(), kind, source, profit, float(threshold), confidence)
        return found.with_unlabelled() if missing in CORRECTED and found.unlabelled is not None else found

    rows = crossed_rows(open_rows(data, roles.columns))
    if validation is None:
        return evaluated(rows, data)
    if isinstance(validation, Evaluation):
        return replace(evaluated(rows, data), validation=validation)
    if apart:
        return replace(
            evaluated(rows, data), validation=evaluated(crossed_rows(open_rows(validation, roles.columns)), validation)
        )
    test, chosen = divide_rows(rows, plan())
    return replace(evaluated(test, data), validation=evaluated(chosen, data))


def _evaluated(
    rows: Rows,
    roles: Roles,
    plan: CountingRules,
    kind: str | None,
    data: object,
    profit: Payoff | None,
    threshold: float,
    confidence: float,
) -> Evaluation:
    check_copies(rows, plan)
    evidence = _count(rows, roles, plan, kind)
    source = type(data).__name__ if data is not None else "arrays"
    if isinstance(data, str | os.PathLike):
        source = without_secrets(str(data))
    elif isinstance(data, list | tuple):
        source = ", ".join(without_secrets(str(path)) for path in data)
    elif isinstance(data, Table):
        source = data.title or f"a table of {data.database}"
    facts = {
        "source": source,
        "roles": roles.names,
        "dropped": plan.dropped,
        "engine": getattr(getattr(rows, "table", None), "database", rows.engine),
        "weights": plan.weighting,
    }
    cut = float(threshold) if "scores" in evidence[WHOLE] else None
    if cut is not None:
        facts["threshold"] = "default" if threshold == 0.5 else "given"
    numbers = evidence[WHOLE].get("residuals")
    if numbers is not None and kind is None and {*numbers.targets.low, *numbers.targets.high} <= {0.0, 1.0}:
        facts["target"] = "only 0 and 1"
    if plan.levels is not None:
        facts["levels"] = "said"
    if plan.unsummed:
        facts["unsummed"] = plan.unsummed
    if plan.decide is not None:
        facts["decided"] = "highest expected profit"
    names = names_of([key for key in evidence if key is not WHOLE])
    parts = {key: Evaluation(evidence[key], cut, confidence, facts, name, payoff=profit) for key, name in names.items()}
    whole = Evaluation(evidence[WHOLE], cut, confidence, facts, None, Segments(parts), payoff=profit)
    whole = replace(whole, unlabelled=plan.unlabelled)
    if profit is not None:
        whole.check_payoff(profit)
    return whole


def levels_in(target: object) -> list[Any]:
    """The levels that occur in a target of values."""
    found = open_rows(None, {"target": target}).tally(Tally({"level": lambda r: r.level("target")}))["level"]
    return [v for v in occurring(found) if v is not None]


def _decider(profit: Payoff | None, roles: Roles) -> Any:
    """What each decision is worth, once the levels are known."""
    if roles.question == "predictions":
        message = f"{option('decide', 'profit')} needs probabilities, and the predictions are made already."
        raise NotAvailable(message, f"Pass {option('score', ...)}, one column or one for each level.")
    assert profit is not None
    return lambda levels, positive: profit.coefficients(levels, positive, roles.amounts)


def _payoff(profit: Payoff | None, cost: Payoff | None) -> Any:
    """What outcomes are worth, by whichever of the two words it was told."""
    if profit is not None and cost is not None:
        message = f"Both {option('profit')} and {option('cost')} were given, and each says all that outcomes are worth."
        raise UsageError(message, "Give one of them: what it is, a Profit or a Cost says itself.")
    return cost if profit is None else profit


def _check_payoff(profit: object, decide: str) -> None:
    if profit is not None and not isinstance(profit, Payoff):
        message = (
            f"What outcomes are worth must be a Profit or a Cost, and a value of type {type(profit).__name__} came."
        )
        raise UsageError(message, f"For example {option('profit', Code('Profit(tp=140, fn=-140, fp=-700, tn=0)'))}.")
    if decide == "profit" and profit is None:
        message = f"{option('decide', 'profit')} needs to know what outcomes are worth."
        typed = f"Give {option('profit', typed='FILE')} or {option('cost', typed='FILE')} as well."
        raise UsageError(message, either("Pass profit=Profit(...) or profit=Cost(...) as well.", typed))


def _count(rows: Rows, roles: Roles, plan: CountingRules, kind: str | None) -> Evidence:
    if roles.question == "classes":
        return count_classes(rows, roles.classes, plan)
    if roles.question == "scores":
        evidence = count_scores(rows, plan)
        if plan.decide is not None:
            return count_decisions(rows, plan, evidence)
        if rows.has("prediction"):
            # Labels that came with the scores are kept as they are, not made again at some threshold.
            scores = evidence[WHOLE]["scores"]
            given = replace(plan, levels=scores.levels, positive=scores.positive, beside=("score",))
            for name, found in count_labels(rows, given).items():
                evidence[name] |= found
        return evidence
    kinds = {rows.kind("target"), rows.kind("prediction")}
    numeric = kinds <= {"int", "float"}
    if kind == "continuous" or (kind is None and numeric and "float" in kinds):
        refuse_crossed(rows)
        counted = count_numbers(rows, plan) if kind is None else count_numbers(rows, plan, labels=False)
        if counted is not None:
            return counted
    evidence = count_labels(rows, plan)
    found = evidence[WHOLE]["confusion"]
    if kind is None and numeric and len(found.levels) > FEW_WHOLE_NUMBERS:
        message = f"Target and prediction are whole numbers with {len(found.levels):,} distinct values."
        hint = f"They may be labels or quantities: say {option('kind', 'labels')} or {option('kind', 'continuous')}."
        raise BadLevels(message, hint)
    return evidence


def _check_choice(name: str, value: object, allowed: tuple[Any, ...]) -> None:
    if not (value is None or isinstance(value, str)) or value not in allowed:
        message = f"{option(name, value)} is not a choice."
        raise UsageError(message, f"Allowed: {listing(v for v in allowed if v is not None)}.")


def _from_matrix(found: Confusion, confidence: float, profit: Payoff | None) -> Evaluation:
    facts = {"source": "a confusion matrix", "weights": "none", "levels": "said"}
    worth = None if profit is None else profit.over(found.levels)
    e = Evaluation({"confusion": found}, None, confidence, facts, payoff=worth)
    if worth is not None:
        e.check_payoff(worth)
    return e
