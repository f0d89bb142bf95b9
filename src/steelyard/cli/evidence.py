"""What evaluate, threshold and campaign share: the options that name columns, and the evidence that they lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.arguments.allowed import confidence_of
from steelyard.cli.opening import ASKED, is_rows, opened
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, Decorator, flag, takes
from steelyard.cli.writing import spooled
from steelyard.errors import UsageError, listing

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.payoffs.payoff import Payoff
    from steelyard.results import Level

ROLES = ("target", "prediction", "positive", "weight", "unit")
ROWS_ONLY = (*ROLES, "segment", "value", "score", "level", "kind", "decide", *ASKED)
"""Options that only rows can answer; a saved evaluation has none."""

UNSAID: dict[str, Any] = {
    **dict.fromkeys((*ROLES, "confidence")),
    **{"weights": "sampling", "missing": "refuse", "exact": False, "score": (), "level": ()},
}
"""What an option means that a command does not have."""


KEY = "The column by which rows of --labels are found, KEY or HERE=THERE; repeat."
OPTIONS: dict[str, Decorator] = {
    "target": takes("--target", "COLUMN", "What really happened."),
    "score": takes(
        "--score",
        "COLUMN",
        "Numbers, higher meaning more likely positive; for more than two levels once for each: --score LEVEL=COLUMN.",
        multiple=True,
    ),
    "classes": flag("--classes", "The scores are those of levels and not of models."),
    "one score": takes("--score", "COLUMN", "Numbers, higher meaning more likely positive.", multiple=True),
    "models' scores": takes(
        "--score",
        "COLUMN",
        "Numbers, higher meaning more likely positive; several models: --score NAME=COLUMN for each; with --classes one "
        "for each level.",
        multiple=True,
    ),
    "prediction": takes("--prediction", "COLUMN", "Predicted labels or numbers."),
    "positive": takes("--positive", "LEVEL", "The level that counts as positive; 0/1 and false/true need none."),
    "weight": takes("--weight", "COLUMN", "A weight for each row."),
    "weights": takes(
        "--weights", ["sampling", "frequency"], "What weights mean: sampling (scale-free), frequency (k is k copies)."
    ),
    "unit": takes("--unit", "COLUMN", "Whom a row is about; with many rows each, intervals follow units."),
    "segment": takes(
        "--segment", "COLUMN", "Evaluate each value of this column apart as well; of two each pair.", multiple=True
    ),
    "level": takes("--level", "LEVEL", "Declare a level that this file may not hold; repeat.", multiple=True),
    "profit": takes(
        "--profit", "FILE|AMOUNTS", "What outcomes earn: a .toml or .csv file, 'tp=140, fp=-700', or a matrix."
    ),
    "value": takes(
        "--value",
        "COLUMN",
        "Count an amount of each row's own as well; columns that --profit names need none.",
        multiple=True,
    ),
    "validation": takes(
        "--validation",
        "COLUMN|FILE",
        "Rows on which thresholds are chosen: a column that is true for them, or another file.",
    ),
    "threshold": takes("--threshold", NUMBER, "Positive if the score is at least this.  [default: 0.5]"),
    "decide": takes(
        "--decide",
        ["score", "profit"],
        "Label rows by the threshold (score), or each by its highest expected profit.",
        default=None,
    ),
    "kind": takes("--kind", ["labels", "continuous"], "What whole numbers are, if it is not clear.", default=None),
    "confidence": takes("--confidence", NUMBER, "Confidence of the intervals.  [default: 0.95]"),
    "missing": takes(
        "--missing", ["refuse", "drop"], "A row with a missing value: refuse the file, or leave it out and say so."
    ),
    "missing_or_corrected": takes(
        "--missing",
        ["refuse", "drop", "inverse_probability", "begg_greenes"],
        "A row with a missing value: refuse the file, or leave it out and say so; a correction lets rows with a target "
        "stand for rows of like prediction that have none.",
    ),
    "exact": flag("--exact", "Never count near scores together, however many rows there are."),
    "query": takes(
        "--query", "SELECT", 'Take the rows that a SELECT gives: over the tables of a database, over "data" for files.'
    ),
    "labels": takes("--labels", "FILE", "Another table with more columns of the same rows, such as the target."),
    "on": takes("--on --key key", "KEY", KEY, multiple=True),
    # `check` means something else by --on.
    "key": takes("--key", "KEY", KEY, multiple=True),
    "spark": takes(
        "--spark", "ADDRESS", "Let a Spark cluster read the files: spark://host:7077, sc://host:15002, local[2]."
    ),
    "models": takes(
        "--models",
        "NAMES",
        "Models by name, with commas: knn, tree, bayes, logistic, forest, boosting, linear, svm, network, baseline; or "
        "one's own: mymodule:factory.",
    ),
    "drop": takes("--drop", "COLUMN", "Do not learn from this column; repeat.", multiple=True),
    "group": takes("--group", "COLUMN", "Rows that belong together; a group is never split."),
    "store": takes("--store", "FOLDER", "Keep every fold there; a second run does only what is missing."),
    "jobs": takes("--jobs", WHOLE_NUMBER, "How many cores to use; -1 for all.  [default: 1]", metavar="NUMBER"),
    "seed": takes("--seed", WHOLE_NUMBER, "Another seed, other folds.", default=0),
    "stratify": click.option(
        "--stratify/--no-stratify", default=None, help="Keep the shares of the levels in each part.  [default: levels]"
    ),
    "confusion": takes("--confusion", "COUNTS", "In place of FILE: a matrix, '6 3; 2 9', a row for each actual level."),
    "layout": takes(
        "--layout",
        ["positive first", "negative first"],
        "Whose the rows of a matrix are, where --level does not name them in order.",
        default=None,
    ),
    "json": flag("--json as_json", "Print one JSON document instead of text."),
    "output": takes("-o --output", "FILE", "Write there instead of to stdout."),
    "report": takes("--report", "FILE", "Write a report as well: .html, .md or .json."),
    "picture": takes("--chart", "[NAME=]FILE", "Draw it as well: .svg, .png or .json; of several the first, or NAME."),
    "page": takes("--report", "FILE", "Write a page as well: .html, .md or .json."),
    "force": flag("--force", "Write over files that are there already."),
    "verbose": flag("-v --verbose", "Tell every measure."),
    "rest": flag("-v --verbose", "Tell all of it on a screen too, as in a pipe."),
    "quiet": flag("-q --quiet", "Print results only."),
    "progress": flag("--no-progress", "Show no progress."),
}
WRITTEN = {
    "decimal": takes(
        "--decimal", ["comma", "point"], "What stands before decimals; thousands and % are then read too.", default=None
    ),
    "dates": takes(
        "--dates", ["day-first", "month-first"], "How days such as 01.03.2025 or 3/1/2025 are written.", default=None
    ),
    "encoding": takes("--encoding", "NAME", "The encoding of text: latin-1, windows-1252 …  [default: utf-8]"),
    "sheet": takes("--sheet", "NAME", "The sheet of a workbook (.xlsx, .xls, .ods)."),
}
OPTIONS["cost"] = takes("--cost", "FILE|AMOUNTS", "What outcomes cost, told in the same way.")


def options(*names: str) -> Decorator:
    """Shared options of a command, in this order; "written" are those that say how FILE is written."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            for add in reversed(WRITTEN.values()) if name == "written" else [OPTIONS[name]]:
                function = add(function)
        return function

    return decorate


def read(file: object, given: dict[str, Any]) -> Evaluation:
    """The evidence in a FILE: rows that are counted, - for standard input, a saved evaluation, or a table opened before."""
    from steelyard.cli.columns import has_matrix

    payoff = payoff_given(given)
    if given.get("confusion") is not None:
        return _matrix(file, given, payoff)
    if given.get("layout") is not None and not has_matrix(given):
        message = "--layout says whose the rows of a matrix are, and no matrix came."
        raise UsageError(message, "Leave it out, or give a matrix: --confusion '6 3; 2 9'.")
    if file is None:
        message = "No file was given."
        raise UsageError(message, "Name a FILE of predictions, or give a matrix: --confusion '6 3; 2 9'.")
    if not isinstance(file, str):
        return _counted(file, given, payoff)
    if file.lower().endswith(".json"):
        return _saved(file, given, payoff)
    if file == "-" or given.get("spark") is not None:
        check_named(None, given)  # before standard input is waited for, or a cluster is started
    if file != "-" or given.get("spark") is not None:
        return _counted(opened(file, given), given, payoff)
    with spooled() as path:
        return _renamed(_counted(opened(path, given), given, payoff), path)


def payoff_given(given: dict[str, Any]) -> Payoff | None:
    """What outcomes are worth, where that was said."""
    if given.get("profit") is None and given.get("cost") is None:
        return None
    from steelyard.cli.columns import payoff_of

    return payoff_of(given.get("profit"), given.get("cost"), given.get("layout"), given.get("level") or ())


def _renamed(evaluation: Evaluation, path: str) -> Evaluation:
    """Told as standard input wherever the place is named at which it was kept."""
    facts = {**evaluation.facts, "source": str(evaluation.facts.get("source", "")).replace(path, "standard input")}
    parts = evaluation.segments.changed(lambda p: _renamed(p, path))
    chosen = None if evaluation.validation is None else _renamed(evaluation.validation, path)
    return replace(evaluation, facts=facts, segments=parts, validation=chosen)


def _matrix(file: Any, given: dict[str, Any], payoff: Payoff | None) -> Evaluation:
    """A matrix that was counted elsewhere, as typed: rows set apart by semicolons."""
    from steelyard import evaluate
    from steelyard.cli.columns import matrix_from_text

    extra = [f"--{role}" for role in ROWS_ONLY if given.get(role) and role not in ("positive", "level")]
    if file is not None or extra:
        message = f"A matrix is all there is to count, and {extra[0] if extra else 'a file'} came beside --confusion."
        raise UsageError(message, "Leave one of them out.")
    return evaluate(
        confusion=matrix_from_text(given["confusion"]),
        levels=list(given.get("level") or ()) or None,
        positive=given.get("positive"),
        layout=given.get("layout"),
        profit=payoff,
        confidence=0.95 if given.get("confidence") is None else given["confidence"],
    )


# A saved evaluation ---------------------------------------------------------------------------------------------------


def _saved(file: str, given: dict[str, Any], payoff: Payoff | None) -> Evaluation:
    """A saved evaluation knows its columns; threshold, confidence, what outcomes are worth may still be chosen."""
    from steelyard.saved.load import load_evaluation

    extra = [f"--{role}" for role in ROWS_ONLY if given.get(role)]
    e = load_evaluation(file)
    if extra:
        message = f'"{file}" is a saved evaluation, which knows its columns: {", ".join(extra)} cannot be given.'
        still = [f"--{name}" for name in ("threshold", "profit", "validation", "confidence") if name in given]
        raise UsageError(message, f"Leave it out; what can be given: {', '.join(still)}.")
    if given.get("validation") is not None:
        e = replace(e, validation=_saved_validation(given["validation"], e))
    if payoff is not None:
        e.check_payoff(payoff)
        e = _with_payoff(e, payoff)
    if given.get("confidence") is not None:
        e = _with_confidence(e, confidence_of(given["confidence"]))
    return e if given.get("threshold") is None else e.at(given["threshold"])


def _saved_validation(file: str, evaluation: Evaluation) -> Evaluation:
    if not file.lower().endswith(".json"):
        message = f'A saved evaluation has no rows to divide, so --validation "{file}" cannot be a column or a table.'
        raise UsageError(message, "Name another saved evaluation (.json), or start from the file of predictions.")
    return _validation(file, evaluation.positive)


def _validation(file: str, positive: Level) -> Evaluation:
    """A saved evaluation to choose thresholds on; it must speak of the same positive level."""
    from steelyard.saved.load import load_evaluation

    found = load_evaluation(file)
    if found.scores is None:
        message = f'Thresholds are chosen on scores, and the evaluation saved in "{file}" has none.'
        raise UsageError(message, "Name one that was evaluated with one --score for two levels.")
    if positive is not None and found.positive != positive:
        came = f"{listing([found.positive])} there and {listing([positive])} here"
        message = f'The evaluation saved in "{file}" has another positive level: {came}.'
        raise UsageError(message, "Evaluate both with the same --positive.")
    return found


def _with_payoff(evaluation: Evaluation, payoff: Payoff) -> Evaluation:
    parts = evaluation.segments.changed(lambda p: _with_payoff(p, payoff))
    chosen = None if evaluation.validation is None else _with_payoff(evaluation.validation, payoff)
    return replace(evaluation, payoff=payoff, segments=parts, validation=chosen)


def _with_confidence(evaluation: Evaluation, confidence: float) -> Evaluation:
    parts = evaluation.segments.changed(lambda p: _with_confidence(p, confidence))
    return replace(evaluation, confidence=confidence, segments=parts)


# Rows -----------------------------------------------------------------------------------------------------------------


def check_named(data: Any, given: dict[str, Any]) -> None:
    """Refuse what can be seen to be wrong before rows are counted; where a column is to be named, tell which there are."""
    from steelyard.cli.columns import columns_told

    target, scores, labels = given.get("target"), given.get("score", ()), "prediction" in given
    if target is None:
        message = "No target was given."
        hint = "Name the column of what really happened: --target COLUMN."
        if data is None or scores or given.get("prediction") is not None:
            raise UsageError(message, hint + columns_told(data))
        from steelyard.cli.look import looked_at

        raise UsageError(message, f"{hint}\n\n{looked_at(data, given)}")
    if not scores and not labels:
        message = "No score was given."
        hint = "Name a column of numbers, higher meaning more likely positive: --score COLUMN."
        raise UsageError(message, hint + columns_told(data))
    if len(scores) > 1 and not labels:
        message = f"One score tells two levels apart, and {len(scores)} were given: {listing(scores)}."
        hint = "Give --score COLUMN once; of several levels, make a target that is 1 for one of them."
        raise UsageError(message, hint)
    if not scores and given["prediction"] is None:
        message = "Neither a score nor a prediction was given."
        hint = "Name a column: --score COLUMN (numbers) or --prediction COLUMN (labels or numbers)."
        raise UsageError(message, hint + columns_told(data))


def _counted(data: object, given: dict[str, Any], payoff: Payoff | None) -> Evaluation:
    from steelyard import evaluate
    from steelyard.cli.columns import as_level, kinds_of, positive_of, scores_of

    check_named(data, given)
    given = UNSAID | given
    target, scores = given["target"], given["score"]
    decide = _decide(given, payoff)
    kinds = kinds_of(data)
    kind = kinds.get(target, "text")
    validation: Any = given.get("validation")
    saved = validation is not None and validation not in kinds and validation.lower().endswith(".json")
    if validation is not None and not saved and validation not in kinds and is_rows(validation):
        validation = opened(validation, given)
    e = evaluate(
        data,
        score=scores_of(scores, kinds, target) if scores else None,
        positive=positive_of(given, kinds),
        value=list(given.get("value") or ()) or None,
        profit=payoff,
        decide=decide,
        validation=None if saved else validation,
        threshold=0.5 if given.get("threshold") is None else given["threshold"],
        confidence=0.95 if given["confidence"] is None else given["confidence"],
        levels=[as_level(text, kind) for text in given["level"]] or None,
        **{k: given[k] for k in ("target", "prediction", "weight", "weights", "unit", "missing", "exact")},
        segment=list(given.get("segment") or ()) or None,
        kind=given.get("kind"),
    )
    return replace(e, validation=_validation(validation, e.positive)) if saved else e


def _decide(given: dict[str, Any], payoff: Payoff | None) -> str:
    """How rows get their labels; deciding by expected profit needs probabilities and what outcomes are worth."""
    decide: str = given.get("decide") or "score"
    if decide == "profit" and payoff is None:
        message = "--decide profit needs to know what outcomes are worth."
        raise UsageError(message, "Give --profit FILE or --cost FILE as well.")
    if decide == "profit" and not given["score"]:
        message = "--decide profit needs probabilities, and only predictions were given, which are decided already."
        raise UsageError(message, "Name the column of probabilities: --score COLUMN.")
    return decide
