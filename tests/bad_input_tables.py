"""What people get wrong when they ask for tables: rows, shares, folds, samples, groups, contacts, parameters to prune by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import steelyard as sy

TABLES: dict[str, tuple[str, Callable[[Path], Any], Callable[[Path], Any]]] = {}
Y, P = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4, 0.7, 0.1]
ROWS = {"target": Y, "score": P}
X = pd.DataFrame({"a": range(40), "b": [i % 7 for i in range(40)]})
Z = [i % 2 for i in range(40)]
COUNTS = {"a": 7, "b": 5}


def _add(name: str, kind: str, case: Callable[[], Any]) -> None:
    TABLES[name] = (kind, lambda _: None, lambda _: case())


def _e() -> sy.Evaluation:
    return sy.evaluate(**ROWS)  # type: ignore[arg-type]


# Tables of an evaluation ----------------------------------------------------------------------------------------------

_add("a table that is none", "UnknownMeasure", lambda: _e().table("matrx"))
_add("a table by number", "UsageError", lambda: _e().table(3))
_add("a table with an option of another", "UsageError", lambda: _e().table("matrix", parts=5))
_add(
    "a table of labels that needs scores", "NotAvailable", lambda: sy.evaluate(target=Y, prediction=Y).table("deciles")
)
_add("cells as shares of nothing known", "UsageError", lambda: _e().table("matrix", percent="rows"))
_add("a matrix of a level that is not there", "NotAvailable", lambda: _e().table("matrix", level="yes"))
_add("no thresholds to sweep", "UsageError", lambda: _e().sweep([]))
_add("a threshold to sweep that is no number", "UsageError", lambda: _e().sweep(["low"]))
_add("thresholds to sweep as one number", "UsageError", lambda: _e().sweep(0.5))
_add("a measure that no threshold moves", "NotAvailable", lambda: _e().sweep([0.5], measures=["auc"]))
_add("a measure to sweep that is none", "UnknownMeasure", lambda: _e().sweep([0.5], measures=["recal"]))
_add("no parts", "UsageError", lambda: _e().deciles(0))
_add("half a part", "UsageError", lambda: _e().deciles(2.5))
_add("deciles of a level that is not there", "NotAvailable", lambda: _e().deciles(level="yes"))
_add("bars of deciles that are none", "UsageError", lambda: _e().chart("deciles", show="gains"))
_add("bars of no deciles", "UsageError", lambda: _e().chart("deciles", parts=0))
_add("a table of no numbers", "UsageError", lambda: _e().table("numbers", names=[]))
_add("a table of a number that is none", "UnknownMeasure", lambda: _e().table("numbers", names=["recal"]))
_add("outcomes of unknown worth", "NotAvailable", lambda: _e().table("outcomes"))
_add("outcomes worth a number", "UsageError", lambda: _e().table("outcomes", payoff=3))
_add("a chart of outcomes of unknown worth", "NotAvailable", lambda: _e().chart("outcomes"))
_add("a ratio of responses of more than all rows", "UsageError", lambda: _e().measure("response_ratio", depth=2))

# Rows -----------------------------------------------------------------------------------------------------------------

_add("a peek at neither score nor prediction", "UsageError", lambda: sy.peek(target=Y))
_add("a peek at both", "UsageError", lambda: sy.peek(target=Y, score=P, prediction=Y))
_add("a peek at no rows", "UsageError", lambda: sy.peek(**ROWS, most=0))
_add("a peek at wrong numbers", "UsageError", lambda: sy.peek(target=P, prediction=P, wrong=True))
_add("a peek with a threshold that is no number", "UsageError", lambda: sy.peek(**ROWS, threshold="high"))
_add("a peek with thresholds that are no numbers", "UsageError", lambda: sy.peek(**ROWS, thresholds=["high"]))
_add("a peek with a level that is not there", "BadLevels", lambda: sy.peek(**ROWS, positive="yes"))
_add("a peek at columns that are not there", "UnknownColumn", lambda: sy.peek(X, target="a", score="b", names=["c"]))
_add("a peek at columns without a table", "UsageError", lambda: sy.peek(target="a", score="b"))
_add("a peek at columns of other lengths", "LengthsDiffer", lambda: sy.peek(target=Y, score=P[:4]))
_add("a peek at scores that are words", "NotNumeric", lambda: sy.peek(target=Y, score=list("abcdef")))

# Shares ---------------------------------------------------------------------------------------------------------------

_add("a share above one", "UsageError", lambda: sy.share_interval(80, 100))
_add("a share of no rows", "UsageError", lambda: sy.share_interval(0.8, 0))
_add("a share of an empty list", "UsageError", lambda: sy.share_interval(0.8, []))
_add("a share with a method that is none", "UsageError", lambda: sy.share_interval(0.8, 100, method="wald"))
_add("a share that is surer than sure", "UsageError", lambda: sy.share_interval(0.8, 100, confidence=1.5))
_add("more shares than can be read", "UsageError", lambda: sy.share_interval(0.8, list(range(1, 2000))))
_add("tosses of no coin", "UsageError", lambda: sy.binomial(0))
_add("tosses at a chance above one", "UsageError", lambda: sy.binomial(50, 50))

# Folds, parameters, contacts ------------------------------------------------------------------------------------------

_add("no folds", "UsageError", lambda: sy.folds([]))
_add("a fold that is a number", "UsageError", lambda: sy.folds([0.8, 0.9]))
_add("one evaluation as folds", "UsageError", lambda: sy.folds(_e()))
_add("no values to prune by", "UsageError", lambda: sy.pruning_curve("tree", X, Z, values=[]))
_add("a value to prune by that is a word", "UsageError", lambda: sy.pruning_curve("tree", X, Z, values=["deep"]))
_add("values to prune by as one number", "UsageError", lambda: sy.pruning_curve("tree", X, Z, values=3))
_add("a parameter that a model has not", "NotAvailable", lambda: sy.pruning_curve("tree", X, Z, parameter="max_dept"))
_add("a parameter without values", "UsageError", lambda: sy.pruning_curve("tree", X, Z, parameter="max_depth"))
_add("pruning without validation rows", "UsageError", lambda: sy.pruning_curve("tree", X, Z, design=sy.Holdout(0.3)))
_add("a revenue below zero", "UsageError", lambda: sy.Profit.of_contact(-1, 1))
_add("a contact that costs a word", "UsageError", lambda: sy.Profit.of_contact(100, "a stamp"))
_add("a margin in per cent", "UsageError", lambda: sy.Cost.of_contact(100, 1, margin=40))
_add("a layout that is none", "UsageError", lambda: sy.evaluate(confusion=[[6, 3], [2, 9]], layout="upside down"))
_add("a matrix of amounts laid out otherwise", "BadPayoff", lambda: sy.Profit([[1, 2], [3, 4]], layout="sideways"))

# In use ---------------------------------------------------------------------------------------------------------------

_add("no samples", "UsageError", lambda: sy.stability(COUNTS, samples={}))
_add("samples without names", "UsageError", lambda: sy.stability(COUNTS, samples=[COUNTS]))
_add("a sample beside samples", "UsageError", lambda: sy.stability(COUNTS, COUNTS, samples={"june": COUNTS}))
_add("a sample called as the reference", "UsageError", lambda: sy.stability(COUNTS, samples={"reference": COUNTS}))
_add("samples of no one column", "UsageError", lambda: sy.stability(X, samples={"june": X}))
_add("groups larger than all", "UsageError", lambda: sy.draw_groups(X, control=30, treated=30))
_add("a control group below zero", "UsageError", lambda: sy.draw_groups(X, control=-1, treated=3))
_add("groups drawn in a way that is none", "UsageError", lambda: sy.draw_groups(X, control=3, treated=3, how="best"))
_add(
    "groups by a score that is not named", "UsageError", lambda: sy.draw_groups(X, control=3, treated=3, how="highest")
)
_add(
    "groups by a column that is not there", "UnknownColumn", lambda: sy.draw_groups(X, control=3, treated=3, score="p")
)
_add("groups by no bands", "UsageError", lambda: sy.draw_groups(X, control=3, treated=3, score="a", bands=0))
_add("groups with a seed below zero", "UsageError", lambda: sy.draw_groups(X, control=3, treated=3, seed=-1))
_add("groups called as a column", "UsageError", lambda: sy.draw_groups(X, control=3, treated=3, group="a"))

# Differences, labels, timeliness --------------------------------------------------------------------------------------


def _same() -> sy.Comparison:
    return sy.compare(target=Y, score={"a": P, "b": P[::-1]}, positive=1)


def _other() -> sy.Comparison:
    return sy.compare({"a": _e(), "b": sy.evaluate(target=Y[::-1], score=P)})


def _learning() -> sy.LearningCurve:
    return sy.learning_curve(["bayes"], X, Z, sizes=[8, 16, 24], repeats=2, progress=False)


def _timely(**options: Any) -> sy.Timeliness:
    return sy.timeliness(unit=["a", "b"], time=[0, 0], score=[0.9, 0.2], outcome=[1, 0], horizon=10, **options)


_add("a method that is none", "UsageError", lambda: _same().difference("auc", "a", "b", method="bayes"))
_add("a method of other rows", "UsageError", lambda: _same().difference("accuracy", "a", "b", method="normal"))
_add("a method of folds", "UsageError", lambda: _other().difference("accuracy", "a", "b", method="5x2 t"))
_add("a method by number", "UsageError", lambda: _other().difference("accuracy", "a", "b", method=3))
_add("a normal interval of an area", "NotAvailable", lambda: _other().difference("auc", "a", "b", method="normal"))
_add("labels for nothing", "UsageError", lambda: _learning().enough(cost=0, value=100))
_add("labels for a word", "UsageError", lambda: _learning().enough(cost="a stamp", value=100))
_add("a measure that is worth less than nothing", "UsageError", lambda: _learning().enough(cost=1, value=-1))
_add("a base rate in per cent", "UsageError", lambda: _timely(base_rate=3))
_add("a base rate of nothing", "UsageError", lambda: _timely(base_rate=0))
_add("a base rate in words", "UsageError", lambda: _timely(base_rate="rare"))
_add("a base rate of next to nothing", "UsageError", lambda: _timely(base_rate=1e-320))
