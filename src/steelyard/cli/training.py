"""What experiment and learning-curve share: a file of rows to learn from, models by name, where folds are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.opening import opened_rows
from steelyard.cli.program import INTERRUPTED
from steelyard.cli.writing import wrote
from steelyard.errors import EmptyTable, UsageError
from steelyard.words import quoted

if TYPE_CHECKING:
    from steelyard.designs.design import Design
    from steelyard.experiments.result import Experiment


def read_rows(file: str, given: dict[str, Any]) -> Any:
    """The rows of a FILE (- for standard input) as a frame, without the columns that must not be learnt from."""
    from steelyard.sources.in_memory import column_of, drop_columns, number_of_rows

    if given["target"] is None:
        message = "No target was given."
        raise UsageError(message, "Name the column that is to be predicted: --target COLUMN.")
    for role in ("target", "weight", "group"):
        if given[role] is not None and given[role] in given["drop"]:
            message = f'The column "{given[role]}" is named as the {role} and is to be left out as well.'
            raise UsageError(message, f"Leave out --drop {given[role]}: the {role} is never learnt from.")
    table = read_any(file, given)
    if number_of_rows(table) == 0:
        message = f"{'Standard input' if file == '-' else quoted(file)} has no rows below its header."
        raise EmptyTable(message, "At least a few rows are needed to train and to test.")
    for name in given["drop"]:
        column_of(table, name)
    return drop_columns(table, given["drop"]) if given["drop"] else table


def read_any(file: str, given: dict[str, Any]) -> Any:
    """The rows of a FILE, or of standard input, as a frame."""
    from steelyard.sources.in_memory import read_table

    with opened_rows(file, given) as data:
        return read_table(data)


@contextmanager
def kept_folds() -> Iterator[None]:
    """Where a run with a store is interrupted, say what is kept before the program ends."""
    from steelyard.experiments.running import Interrupted

    try:
        yield
    except Interrupted as stopped:
        click.echo(f"Interrupted. {stopped}", err=True)
        click.get_current_context().exit(INTERRUPTED)


def tell_where(experiment: Experiment, given: dict[str, Any]) -> None:
    """On stderr: what need not be done again, and where something was written."""
    if given["quiet"]:
        return
    if experiment.already:
        were = "was" if experiment.already == 1 else "were"
        click.echo(f"{experiment.already:,} of {experiment.total:,} folds {were} there already.", err=True)
    for place in (given["report"], given["store"]):
        if place:
            wrote(place)


def chosen_design(given: dict[str, Any], table: object) -> tuple[Any, list[str]]:
    """The design as it was written, and what is to be said: levels are stratified unless that was refused or cannot be."""
    from steelyard.designs.written import design_from_text

    text = "kfold:10" if given["design"] is None else given["design"]
    stratify, said = given["stratify"], ""
    grouped_hold_out = given["group"] is not None and text.startswith("holdout")
    if stratify is None:
        stratify = False
        if not text.startswith(("loo", "outoftime", "folds", "bootstrap")) and not grouped_hold_out:
            stratify, said = _stratifiable(given, table, text)
    design = design_from_text(text, stratify=stratify, group=given["group"], seed=given["seed"], gap=given.get("gap"))
    return design, [said] if said else []


def _stratifiable(given: dict[str, Any], table: object, text: str) -> tuple[bool, str]:
    """Whether the target has levels, each with a row for every part."""
    import re

    from steelyard.experiments.choosing import may_stratify
    from steelyard.sources.in_memory import column_of

    parts = re.search(r":(\d+)", text) if text.startswith(("kfold", "nested")) else None
    least = int(parts[1]) if parts else {"kfold": 10, "nested": 5, "paired": 4}.get(text.partition(":")[0], 2)
    what = f"{least} folds" if text.startswith(("kfold", "nested")) else f"{least} parts"
    return may_stratify(column_of(table, given["target"]), given["kind"], least, what)


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


def training_arguments(file: str, given: dict[str, Any], table: object) -> dict[str, Any]:
    """What an experiment and a learning curve are both told."""
    return {
        **{name: given[name] for name in ("weight", "kind", "missing", "store", "seed")},
        "positive": level_of(given["positive"], table, given["target"]),
        "n_jobs": given["jobs"],
        "confidence": 0.95 if given["confidence"] is None else given["confidence"],
        "progress": False if given["quiet"] or given["no_progress"] else None,
        "name": "standard input" if file == "-" else file,
    }


def level_of(text: str | None, table: object, target: str) -> Any:
    """A level as typed, in the kind of the target column."""
    if text is None:
        return None
    from steelyard.sources.in_memory import column_of

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


def column_lines(table: object, given: dict[str, Any], design: Design, models: dict[str, Any]) -> list[str]:
    """What is done with columns that are no plain numbers, where a standard model prepares them, and what a design takes."""
    from steelyard.experiments.standard import describe_columns
    from steelyard.sources.in_memory import column_names, drop_columns

    # A stratum may be learnt from; a group, a time or a fold number may not.
    used = [n for n in design.names if n != getattr(design, "stratify", None) and n != given["target"]]
    last = [f"{_some(used)}: not learnt from: the design uses {'it' if len(used) == 1 else 'them'}"] if used else []
    if not any(isinstance(m, str) for m in models.values()):
        return last
    taken = {given["target"], given["weight"], *used}
    features = drop_columns(table, [c for c in column_names(table) if c in taken])
    by_words: dict[str, list[str]] = {}
    for name, how in describe_columns(features):
        by_words.setdefault(how, []).append(str(name))
    if all(how.startswith("a number") for how in by_words):
        return last
    return [f"{_some(names)}: {how}" for how, names in by_words.items()] + last


def _some(names: list[str], most: int = 6) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
