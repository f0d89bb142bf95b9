"""Everything that people get wrong, by name: the error that it must give, what must be there first, and the call."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import steelyard as sy

Y, P = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4, 0.7, 0.1]
FRAME = pd.DataFrame({"outcome": Y, "score": P, "weight": [1.0] * 6, "word": list("ababab")})
ROLES: dict[str, Any] = {"target": "outcome", "score": "score"}
RAGGED = "outcome,score\n1,0.5\n0,0.25,9\n1,0.75\n"

Case = Callable[[Path], Any]
CASES: dict[str, tuple[str, Case, Case]] = {}


def _add(name: str, kind: str, case: Case, prepare: Case = lambda _: None) -> None:
    CASES[name] = (kind, prepare, case)


def _call(name: str, error: str, /, *args: Any, **options: Any) -> None:
    _add(name, error, lambda _: sy.evaluate(*args, **options))


def _file(name: str, kind: str, file: str, content: str | bytes, **roles: Any) -> None:
    raw = content.encode() if isinstance(content, str) else content
    _add(
        name,
        kind,
        lambda folder: sy.evaluate(folder / file, **(roles or ROLES)),
        lambda folder: (folder / file).write_bytes(raw),
    )


def _csv(folder: Path) -> None:
    FRAME.to_csv(folder / "preds.csv", index=False)


def _scored() -> sy.Evaluation:
    return sy.evaluate(target=Y, score=P)


def _labelled() -> sy.Evaluation:
    return sy.evaluate(target=list("abcabc"), prediction=list("abcabb"))


def _continuous() -> sy.Evaluation:
    return sy.evaluate(target=[1.0, 2.0, 3.5], prediction=[1.0, 2.5, 3.0])


# Files ----------------------------------------------------------------------------------------------------------------
_add("no such file", "UnreadableSource", lambda d: sy.evaluate(d / "pred.csv", **ROLES), _csv)
_add("no such folder", "UnreadableSource", lambda d: sy.evaluate(d / "there" / "preds.csv", **ROLES))
_add("a glob that matches nothing", "UnreadableSource", lambda d: sy.evaluate(d / "*.parquet", **ROLES))
_add("a directory", "UnreadableSource", lambda d: sy.evaluate(d, **ROLES))
_file("an empty file", "UnreadableSource", "preds.csv", "")
_file("a header and no rows", "EmptyTable", "preds.csv", "outcome,score\n")
_file("a pickle", "UnreadableSource", "model.pkl", b"\x80\x04.")
_file("a joblib file", "UnreadableSource", "model.joblib", b"\x80\x04.")
_file("a NumPy file", "UnreadableSource", "scores.npy", b"\x93NUMPY")
_file("an unsupported suffix", "UnreadableSource", "preds.xlsx", b"PK")
_file("no suffix", "UnreadableSource", "preds", "outcome,score\n")
_add(
    "a saved evaluation",
    "UnreadableSource",
    lambda d: sy.evaluate(d / "e.json", **ROLES),
    lambda d: _scored().save(d / "e.json"),
)
_file("binary garbage as CSV", "UnreadableSource", "preds.csv", random.Random(1).randbytes(3000))
_file("binary garbage as Parquet", "UnreadableSource", "preds.parquet", random.Random(1).randbytes(3000))
_file("half a Parquet file", "UnreadableSource", "preds.parquet", b"PAR1" + b"x" * 100 + b"PAR1")
_file("text as gzip", "UnreadableSource", "preds.csv.gz", "outcome,score\n1,0.5\n")
_file(
    "another encoding",
    "UnreadableSource",
    "preds.csv",
    "outcome,score\ncafé,0.5\nthé,0.25\n".encode("latin-1"),
    target="outcome",
    score="score",
)
_file("a quotation mark that is not closed", "UnreadableSource", "preds.csv", 'outcome,score\n1,0.5\n"0,0.25\n1,0.75\n')
_file("a quotation mark inside a value", "UnreadableSource", "preds.csv", 'outcome,score\n1,0.5\n"a"b,0.25\n1,0.75\n')
_file("a row that is too long", "UnreadableSource", "preds.csv", RAGGED)
_file("a row that is too short", "UnreadableSource", "preds.csv", "outcome,score\n1,0.5\n0\n1,0.75\n")
_file("a web page", "UnreadableSource", "preds.csv", "<html>\n<p>Not found, sorry</p>\n</html>\n")
_file("two columns of one name", "UnreadableSource", "preds.csv", "outcome,score,score\n1,0.5,0.5\n0,0.25,0.5\n")
_file("decimal commas", "NotNumeric", "preds.csv", "outcome;score\n1;0,5\n0;0,25\n")
_add(
    "files of two kinds",
    "UnreadableSource",
    lambda d: sy.evaluate(d / "preds*", **ROLES),
    lambda d: [_csv(d), FRAME.to_parquet(d / "preds.parquet")],
)
_add(
    "a broken file among good ones",
    "UnreadableSource",
    lambda d: sy.evaluate(d / "*.csv", **ROLES),
    lambda d: [_csv(d), (d / "z.csv").write_text(RAGGED)],
)

# Tables ---------------------------------------------------------------------------------------------------------------
_call("an object that is no table", "UnreadableSource", [{"outcome": 1}], **ROLES)
_call("an evaluation as a table", "UnreadableSource", _scored(), **ROLES)
_call("an unknown column", "UnknownColumn", FRAME, target="outcom", score="score")
_call("an unknown column unlike any other", "UnknownColumn", FRAME, target="outcome", score="probability")
_call("a column in other letters", "UnknownColumn", FRAME, target="Outcome", score="score")
_add(
    "an unknown column of a file",
    "UnknownColumn",
    lambda d: sy.evaluate(d / "preds.csv", target="outcome", score="scor"),
    _csv,
)
_call("an unknown column for a class", "UnknownColumn", FRAME, target="word", score={"a": "score", "b": "p_b"})
_call("a table without columns", "UnknownColumn", pd.DataFrame(), **ROLES)
_call("values beside a table", "UsageError", FRAME, target=Y, score="score")
_call("a table without rows", "EmptyTable", FRAME[:0], **ROLES)
_call("a lazy table without rows", "EmptyTable", pl.DataFrame(FRAME)[:0].lazy(), **ROLES)
_call("a relation without rows", "EmptyTable", duckdb.sql("select 1 as outcome, 0.5 as score where false"), **ROLES)
_call(
    "two columns of one name in a frame",
    "UnreadableSource",
    pd.DataFrame([[1, 2, 3]], columns=["outcome", "score", "score"]),
    **ROLES,
)
_call("a lazy table without its file", "UnreadableSource", pl.scan_parquet("nowhere.parquet"), **ROLES)
_call("a query that fails", "UnreadableSource", duckdb.sql("select 1 as outcome, error('no access') as score"), **ROLES)

# Roles ----------------------------------------------------------------------------------------------------------------
_call("nothing at all", "UsageError")
_call("no target", "UsageError", FRAME, score="score")
_call("neither score nor prediction", "UsageError", FRAME, target="outcome")
_call("a column name without a table", "UsageError", target="outcome", score="score")
_call("one class in the mapping", "UsageError", FRAME, target="word", score={"a": "score"})
_call("a single number as values", "UsageError", target=1, score=P)
_call("a set as values", "UsageError", target={0, 1}, score=[0.5, 0.25])
_call("a table of scores as values", "UsageError", target=[1, 0], score=np.ones((2, 2)))
_call("a list of lists as values", "UsageError", target=[1, 0], score=[[0.5, 0.25], [0.25, 0.25]])
_call("arrays without values", "EmptyTable", target=[], score=[])
_call("different lengths", "LengthsDiffer", target=[1, 0, 1], score=[0.5, 0.25])
_call("different lengths in a dictionary", "LengthsDiffer", {"outcome": Y, "score": P[:2]}, **ROLES)

# Values ---------------------------------------------------------------------------------------------------------------
_call("a NaN score", "MissingValues", target=[1, 0], score=[0.5, float("nan")])
_call("an infinite score", "MissingValues", target=[1, 0], score=[0.5, float("inf")])
_call("several things missing", "MissingValues", target=[1, None, 0, 1], score=[0.5, 0.5, None, float("inf")])
_call("nothing left", "EmptyTable", target=[None, None], score=[0.5, 0.25], missing="drop")
_call("text as values", "NotNumeric", target=[1, 0], score=["high", "low"])
_call("text as a score", "NotNumeric", FRAME, target="outcome", score="word")
_add(
    "text as a score in a file",
    "NotNumeric",
    lambda d: sy.evaluate(d / "preds.csv", target="outcome", score="word"),
    _csv,
)
_call("text as a score in a lazy table", "NotNumeric", pl.DataFrame(FRAME).lazy(), target="outcome", score="word")
_call("text as a weight", "NotNumeric", FRAME, **ROLES, weight="word")
_call("text as a continuous prediction", "NotNumeric", FRAME, target="score", prediction="word", kind="continuous")
_call("text as the score of a class", "NotNumeric", FRAME, target="word", score={"a": "score", "b": "word"})
_call("a negative weight", "BadWeight", target=[1, 0], score=[0.5, 0.25], weight=[1, -1])
_call("weights that are all zero", "EmptyTable", target=[1, 0], score=[0.5, 0.25], weight=[0, 0])
_call("weights too heavy", "BadWeight", target=[1, 0], score=[0.5, 0.25], weight=[1e155, 1e155])
_call("too many copies", "BadWeight", target=[1, 0], score=[0.5, 0.25], weight=[1e300, 1], weights="frequency")
_call("numbers too small for their squares", "NotNumeric", target=[1e-170, 3e-170], prediction=[2e-170, 1e-170])
_call("one row too large for its fourth power", "NotNumeric", target=[-7.5e97], prediction=[-6e97], kind="continuous")
_call("an infinite weight", "MissingValues", target=[1, 0], score=[0.5, 0.25], weight=[1, float("inf")])

# Levels ---------------------------------------------------------------------------------------------------------------
_call("one class only", "BadLevels", target=[1, 1], score=[0.5, 0.25])
_call("one class of words only", "BadLevels", target=["spam", "spam"], score=[0.5, 0.25], positive="spam")
_call("one label only", "BadLevels", target=["spam", "spam"], prediction=["spam", "spam"])
_call("a positive level that does not occur", "BadLevels", target=["spam", "ham"], score=[0.5, 0.25], positive="eggs")
_call("a positive level beside the declared", "BadLevels", target=[1, 0], score=P[:2], levels=[0, 1], positive=2)
_call(
    "a positive level without a score",
    "BadLevels",
    target=["a", "b", "c"],
    score={"a": P[:3], "b": P[:3], "c": P[:3]},
    positive="d",
)
_call("a positive level of another type", "BadLevels", target=["1", "0"], score=[0.5, 0.25], positive=1)
_call("an ambiguous positive level", "BadLevels", target=["spam", "ham"], score=[0.5, 0.25])
_call("an ambiguous positive number", "BadLevels", target=[1, 2], score=[0.5, 0.25])
_call("ambiguous labels", "BadLevels", target=["spam", "ham"], prediction=["spam", "spam"])
_call("three levels for one score", "BadLevels", target=["a", "b", "c"], score=P[:3])
_call("10,000 labels", "BadLevels", target=[f"c{i}" for i in range(10_000)], prediction=["c1"] * 10_000)
_call("10,000 labels for one score", "BadLevels", target=[f"c{i}" for i in range(10_000)], score=[0.5] * 10_000)
_call(
    "scores for 10,000 classes", "BadLevels", target=["c1", "c2"], score={f"c{i}": [0.5, 0.25] for i in range(10_000)}
)
_call("a class without a score", "BadLevels", target=["a", "b", "z"], score={"a": P[:3], "b": P[3:]})
_call("a level that was not declared", "BadLevels", target=Y, score=P, levels=[1, 2])
_call("100 whole numbers", "BadLevels", target=list(range(100)), prediction=list(range(100)))
_call("numbers beside words", "BadLevels", target=[0, 1, 0], prediction=["0", "1", "0"])

# Choices --------------------------------------------------------------------------------------------------------------
_call("an unknown choice for missing", "UsageError", target=Y, score=P, missing="ignore")
_call("an unknown choice for weights", "UsageError", target=Y, score=P, weights="freq")
_call("an unknown choice for kind", "UsageError", target=Y, score=P, kind="numbers")
_call("a confidence in per cent", "UsageError", target=Y, score=P, confidence=95)
_call("a confidence in words", "UsageError", target=Y, score=P, confidence="high")
_call("a threshold that is no number", "UsageError", target=Y, score=P, threshold=float("nan"))
_call("a threshold in words", "UsageError", target=Y, score=P, threshold="half")
_call("a matrix that is not square", "UsageError", confusion=[[1, 2, 3], [4, 5, 6]])
_call("a ragged matrix", "UsageError", confusion=[[1, 2], [3]])
_call("a matrix of words", "UsageError", confusion=[["a", "b"], ["c", "d"]])
_call("a negative count", "UsageError", confusion=[[1, -2], [3, 4]])
_call("too few names for a matrix", "UsageError", confusion=[[1, 2], [3, 4]], levels=["spam"])
_call("a matrix without a positive level", "BadLevels", confusion=[[1, 2], [3, 4]], levels=["spam", "ham"])
_call(
    "a matrix with an unknown positive level",
    "BadLevels",
    confusion=[[1, 2], [3, 4]],
    levels=["spam", "ham"],
    positive="x",
)

# Questions ------------------------------------------------------------------------------------------------------------
_add("an unknown measure", "UnknownMeasure", lambda _: _scored()["acuracy"])
_add("an unknown measure unlike any other", "UnknownMeasure", lambda _: _scored()["zzzzzzzz"])
_add("an unknown option", "UnknownMeasure", lambda _: _scored().measure("f_beta", bta=2))
_add("an option where there are none", "UnknownMeasure", lambda _: _scored().measure("auc", depth=2))
_add("an unknown level", "NotAvailable", lambda _: _labelled()["recall", "aa"])
_add("no level where one is needed", "NotAvailable", lambda _: _labelled()["recall"])
_add("a level of the whole", "NotAvailable", lambda _: _labelled()["accuracy", "a"])
_add("two levels at once", "NotAvailable", lambda _: _scored()["recall", 0, 1])
_add("a measure of scores without any", "NotAvailable", lambda _: _continuous()["auc"])
_add("a measure of numbers without any", "NotAvailable", lambda _: _scored()["mse"])
_add("an unknown curve", "UnknownMeasure", lambda _: _scored().curve("rok"))
_add("an unknown curve unlike any other", "UnknownMeasure", lambda _: _scored().curve("zzzzzzzz"))
_add("a curve without scores", "NotAvailable", lambda _: _labelled().curve("roc"))
_add("a curve of numbers", "NotAvailable", lambda _: _continuous().curve("roc"))
_add("a threshold without scores", "NotAvailable", lambda _: _continuous().at(0.5))

# Adding, saving, loading ----------------------------------------------------------------------------------------------
_add("adding scores and numbers", "CannotAdd", lambda _: _scored() + _continuous())
_add("adding scores and labels", "CannotAdd", lambda _: _scored() + _labelled())
_add("adding two thresholds", "CannotAdd", lambda _: _scored() + _scored().at(0.3))
_add(
    "adding two positive levels",
    "CannotAdd",
    lambda _: (
        sy.evaluate(FRAME, target="word", score="score", positive="a")
        + sy.evaluate(FRAME, target="word", score="score", positive="b")
    ),
)
_add("adding weighted and unweighted rows", "CannotAdd", lambda _: _scored() + sy.evaluate(target=Y, score=P, weight=P))
_add(
    "adding other classes",
    "CannotAdd",
    lambda _: (
        sy.evaluate(target=["a", "b"], score={"a": P[:2], "b": P[2:4]})
        + sy.evaluate(target=["a", "b"], score={"a": P[:2], "b": P[2:4], "c": P[4:]})
    ),
)
_add("saving where there is no folder", "UnwritableFile", lambda d: _scored().save(d / "there" / "e.json"))
_add("saving over a folder", "UnwritableFile", lambda d: _scored().save(d))
_add("loading what is not there", "UnreadableSource", lambda d: sy.load(d / "e.json"))
_add("loading a folder", "UnreadableSource", sy.load)
_add("loading predictions", "UnreadableSource", lambda d: sy.load(d / "preds.csv"), _csv)
_add(
    "loading other JSON",
    "UnreadableSource",
    lambda d: sy.load(d / "e.json"),
    lambda d: (d / "e.json").write_text("[1]"),
)
_add(
    "loading half of an evaluation",
    "UnreadableSource",
    lambda d: sy.load(d / "e.json"),
    lambda d: (d / "e.json").write_text('{"steelyard": 1}'),
)


# Worth ----------------------------------------------------------------------------------------------------------------

GAIN = {"tp": 5, "fp": -2}
THREE = {v: {w: float(v == w) for w in "abc"} for v in "abc"}


def _payoff(name: str, kind: str, **roles: Any) -> None:
    _add(name, kind, lambda _: sy.Profit(**roles))


_payoff("an amount that is no number", "BadPayoff", tp=None, fp=float("nan"))
_payoff("an amount that is text", "BadPayoff", tp="five euros", fp=-1)
_payoff("an amount times an amount", "BadPayoff", tp="price * price", fp=-1)
_payoff("a payoff without amounts", "BadPayoff")
_payoff("a range with three ends", "BadPayoff", tp=(1, 2, 3))
_payoff("costs that make every decision equal", "BadPayoff", tp=5, fn=5, fp=-1, tn=-1)
_payoff("relative amounts for doing nothing", "BadPayoff", tp=5, fn=-5, relative=True)
_add("a payoff matrix that is not square", "BadPayoff", lambda _: sy.Cost([[1, 2], [3, 4], [5, 6]]))
_add("a matrix that lacks a pair", "BadPayoff", lambda _: sy.Cost({"a": {"a": 0, "b": 1}, "b": {"b": 0}}))
_add("a cell that is no number", "BadPayoff", lambda _: sy.Cost({"a": {"a": 0, "b": "?"}, "b": {"a": 1, "b": 0}}))
_add(
    "a payoff for a level that the data lack",
    "BadPayoff",
    lambda _: sy.evaluate(target=list("abab"), prediction=list("abba"), positive="a", profit=sy.Profit(THREE)),
)
_add(
    "a payoff that lacks a level of the data",
    "BadPayoff",
    lambda _: sy.evaluate(target=list("abcd"), prediction=list("abcd"), profit=sy.Profit(THREE)),
)
_add("tp and fp for three levels", "BadPayoff", lambda _: _labelled().profit(sy.Profit(**GAIN)))
_add("a payoff of amounts that were not counted", "BadPayoff", lambda _: _scored().profit(sy.Profit(tp="price", fp=-1)))
_add("a payoff for numbers", "NotAvailable", lambda _: _continuous().profit(sy.Profit(**GAIN)))
_add("profit when nobody said what outcomes are worth", "NotAvailable", lambda _: _scored()["profit"])
_add("a payoff that is a dictionary", "NotAvailable", lambda _: _scored().profit(GAIN))  # type: ignore[arg-type]
_call("an evaluation with a payoff that is a dictionary", "UsageError", target=Y, score=P, profit=GAIN)
_call("amounts with a gap", "MissingValues", target=Y, score=P, value=[1.0, None, 2.0, 3.0, 4.0, 5.0])
_call("five amounts", "UsageError", target=Y, score=P, value=dict.fromkeys("abcde", P))
_call(
    "expected profit of scores that are no probabilities",
    "NotAvailable",
    target=Y,
    score=[9 * p for p in P],
    profit=sy.Profit(**GAIN),
    decide="profit",
)
_call("deciding for profit without a payoff", "UsageError", target=Y, score=P, decide="profit")
_call(
    "deciding for profit when labels are given",
    "NotAvailable",
    target=Y,
    prediction=Y,
    profit=sy.Profit(**GAIN),
    decide="profit",
)
_add(
    "a validation column with three values",
    "BadLevels",
    lambda _: sy.evaluate({"y": Y, "p": P, "part": [1, 2, 3, 1, 2, 3]}, target="y", score="p", validation="part"),
)
_add("the best threshold for the area", "UsageError", lambda _: _scored().best_threshold("auc"))
_add("the best threshold without scores", "NotAvailable", lambda _: _labelled().best_threshold("accuracy"))
_add("a constraint that nothing meets", "NothingMeets", lambda _: _scored().best_threshold("f1", constraint="fpr < 0"))
_add(
    "two constraints that exclude each other",
    "NothingMeets",
    lambda _: _scored().best_threshold("f1", constraint="contacts <= 1 and recall >= 0.9"),
)
_add(
    "a constraint that cannot be read",
    "UsageError",
    lambda _: _scored().best_threshold("f1", constraint="few contacts"),
)
_add("a constraint on nothing known", "UsageError", lambda _: _scored().best_threshold("f1", constraint="recal >= 0.5"))
_add(
    "a rule for ranges that is none",
    "UsageError",
    lambda _: _scored().best_threshold(sy.Profit(tp=(1, 2), fp=-1), over="best"),
)
_add("a payoff whose level is a list", "BadPayoff", lambda _: sy.Profit([[1, 0], [-2, 3]], levels=[[1, 2], [3]]))
_add(
    "a prevalence of next to nothing",
    "UsageError",
    lambda _: sy.sample_size("auc", first=0.8, second=0.9, prevalence=5e-324),
)
_add("next to nobody treated", "UsageError", lambda _: sy.trial_size(0.04, share=0.2, treated=5e-324))
_add("a matrix of complex numbers", "UsageError", lambda _: sy.evaluate(confusion=[[1j, 1], [1, 1]], levels=[0, 1]))
_add("a payoff file that is not there", "UnreadableSource", lambda folder: sy.Profit(folder / "none.toml"))
_add(
    "a payoff file of another kind",
    "UnreadableSource",
    lambda folder: sy.Profit(folder / "profit.xlsx"),
    lambda folder: (folder / "profit.xlsx").write_text("x"),
)
_add(
    "a payoff file without a table",
    "BadPayoff",
    lambda folder: sy.Profit(folder / "profit.toml"),
    lambda folder: (folder / "profit.toml").write_text("tp = 5\n"),
)
_add(
    "adding other payoffs", "CannotAdd", lambda _: sy.evaluate(target=Y, score=P, profit=sy.Profit(**GAIN)) + _scored()
)
_add("adding other amounts", "CannotAdd", lambda _: sy.evaluate(target=Y, score=P, value=P) + _scored())
_add("a campaign without a benefit", "UsageError", lambda _: sy.campaign(_scored(), benefit=0, cost=1))
_add("a campaign without a model or targets", "UsageError", lambda _: sy.campaign(benefit=5, cost=1))
_add("regions of models without scores", "NotAvailable", lambda _: sy.regions({"a": _labelled()}))
