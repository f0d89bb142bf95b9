"""Payoffs written down in a TOML or CSV file."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path

from steelyard.errors import BadPayoff, UnreadableSource, listing, refuse_address
from steelyard.files.as_toml import LARGEST, toml_of
from steelyard.files.writing import note_read
from steelyard.payoffs.kinds import OUTCOMES
from steelyard.payoffs.payoff import Cost, Payoff, Profit

KINDS = {made.kind: made for made in (Profit, Cost)}
SAMPLE = "[profit] with tp, fn, fp and tn, or [profit.LEVEL] with an amount for each predicted level ([cost] for costs)"


def read(path: str | os.PathLike[str], said: str = "profit") -> Payoff:
    """The payoff in a file; `said` tells whether it is profit or cost where the file does not."""
    refuse_address(path)
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            message = f'"{path}" has more than {LARGEST:,} bytes, and a profit or cost matrix has a few.'
            raise UnreadableSource(message, "Name the file of the matrix; rows go to evaluate.")
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        message = f'There is no file "{path}".'
        raise UnreadableSource(message, "Check the path.") from None
    except (OSError, ValueError):
        message = f'"{path}" cannot be read as text.'
        raise UnreadableSource(message, "A profit or cost matrix is a TOML or CSV file.") from None
    note_read(path)
    endings = {".toml": _from_toml, ".csv": _from_csv}
    if file.suffix.lower() not in endings:
        message = f'"{path}" is neither a TOML nor a CSV file.'
        raise UnreadableSource(message, f"Write {SAMPLE} to a .toml file, or a matrix to a .csv file.")
    try:
        return endings[file.suffix.lower()](text, path, said)
    except RecursionError:
        message = f'"{path}" is nested too deeply for a profit or cost matrix.'
        raise UnreadableSource(message, f"Write {SAMPLE}.") from None


def _from_toml(text: str, path: str | os.PathLike[str], _: str) -> Payoff:
    data = toml_of(text, path, f"It should hold {SAMPLE}.")
    found = [k for k in KINDS if k in data]
    odd = [k for k in data if k not in {*KINDS, "nothing", "relative"}]
    if len(found) != 1 or not isinstance(data[found[0]], Mapping) or odd:
        came = f"it holds {listing(data)}" if data else "it is empty"
        message = f'"{path}" should hold one table, [profit] or [cost], and {came}.'
        raise BadPayoff(message, f"Write {SAMPLE}; beside it only nothing = LEVEL and relative = true may stand.")
    kind, table = found[0], data[found[0]]
    options = {k: data[k] for k in ("nothing", "relative") if k in data}
    if not isinstance(options.get("relative", False), bool):
        message = f'"{path}" says relative = {listing([options["relative"]])}, which is neither true nor false.'
        raise BadPayoff(message, "Write relative = true where amounts are measured against doing nothing.")
    outcomes = {n for row in OUTCOMES for n in row}
    if table and all(isinstance(v, Mapping) for v in table.values()):
        return KINDS[kind](table, **options)
    odd = [k for k in table if k not in outcomes]
    if odd:
        message = f'"{path}" names outcomes that are not known: {listing(odd)}; they are tp, fn, fp and tn.'
        hint = f"For more than two levels write [{kind}.LEVEL] with an amount for each predicted level."
        raise BadPayoff(message, hint)
    return KINDS[kind](**table, **options)


def _from_csv(text: str, path: str | os.PathLike[str], said: str) -> Payoff:
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    except csv.Error as problem:
        message = f'"{path}" is not valid CSV: {problem}.'
        hint = "Write a square matrix, with the levels in its first row and first column."
        raise UnreadableSource(message, hint) from None
    if len(rows) < 3 or any(len(row) != len(rows) for row in rows):
        message = f'"{path}" should hold a square matrix, with the levels in its first row and first column.'
        raise BadPayoff(message, "The first row names predicted levels, the first column actual ones.")
    corner = rows[0][0].lower()
    kinds = [k for k in KINDS if k in corner]
    kind = kinds[0] if len(kinds) == 1 else said
    columns = [cell.strip() for cell in rows[0][1:]]
    matrix = {row[0].strip(): {w: cell.strip() for w, cell in zip(columns, row[1:], strict=True)} for row in rows[1:]}
    return KINDS[kind](matrix)
