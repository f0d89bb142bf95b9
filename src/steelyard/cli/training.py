"""What experiment and learning-curve share: a file of rows to learn from, models by name, where folds are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from steelyard.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

TRAINING: dict[str, Decorator] = {
    "models": click.option(
        "--models",
        metavar="NAMES",
        help="Models by name, with commas: knn, tree, bayes, logistic, forest, boosting, linear, svm, network, baseline; or "
        "one's own: mymodule:factory.",
    ),
    "leave out": click.option("--drop", metavar="COLUMN", multiple=True, help="Do not learn from this column; repeat."),
    "group": click.option("--group", metavar="COLUMN", help="Rows that belong together; a group is never split."),
    "store": click.option(
        "--store", metavar="FOLDER", help="Keep every fold there; a second run does only what is missing."
    ),
    "jobs": click.option("--jobs", type=int, metavar="NUMBER", help="How many cores to use; -1 for all.  [default: 1]"),
    "seed": click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other folds."),
}


def training_options(*names: str) -> Decorator:
    """Shared options of a command that trains, in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            function = TRAINING[name](function)
        return function

    return decorate


def read_rows(file: str, given: dict[str, Any]) -> Any:
    """The rows of a FILE as a frame, without the columns that must not be learnt from."""
    from steelyard.experiments.tables import column_of, drop_columns, read_table

    if given["target"] is None:
        message = "No target was given."
        raise UsageError(message, "Name the column that is to be predicted: --target COLUMN.")
    table = read_table(file)
    for name in given["drop"]:
        column_of(table, name)
    return drop_columns(table, given["drop"]) if given["drop"] else table


def read_models(text: str | None) -> dict[str, Any]:
    """Models by name from a list with commas; `module:name` is a model of one's own."""
    from steelyard.experiments.standard import own_model

    if not text:
        message = "No model was given."
        raise UsageError(message, "Name some: --models knn,tree,forest; `steelyard help experiment` lists them.")
    out: dict[str, Any] = {}
    for name in (part.strip() for part in text.split(",")):
        if not name:
            continue
        found = own_model(name) if ":" in name else {name: name}
        twice = [n for n in found if n in out]
        if twice:
            message = f'The model "{twice[0]}" is named twice.'
            raise UsageError(message, "Name each model once.")
        out |= found
    return out


def level_of(text: str | None, table: Any, target: str) -> Any:
    """A level as typed, in the kind of the target column."""
    if text is None:
        return None
    from steelyard.experiments.tables import column_of

    kind = column_of(table, target).dtype.kind
    try:
        if kind in "iu":
            return int(text)
        if kind == "f":
            return float(text)
    except ValueError:
        message = f'The positive level "{text}" is no number, and the column "{target}" holds numbers.'
        raise UsageError(message, "Name a level as it stands in the file.") from None
    return {"true": True, "false": False}.get(text.lower(), text) if kind == "b" else text


def column_lines(table: Any, taken: set[str], models: dict[str, Any]) -> list[str]:
    """What is done with columns that are no plain numbers, where a standard model prepares them."""
    from steelyard.experiments.standard import describe_columns
    from steelyard.experiments.tables import column_names, drop_columns

    if not any(isinstance(m, str) for m in models.values()):
        return []
    features = drop_columns(table, [c for c in column_names(table) if c in taken])
    by_words: dict[str, list[str]] = {}
    for name, how in describe_columns(features):
        by_words.setdefault(how, []).append(str(name))
    if all(how.startswith("a number") for how in by_words):
        return []
    return [f"{_some(names)}: {how}" for how, names in by_words.items()]


def _some(names: list[str], most: int = 6) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
