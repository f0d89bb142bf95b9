"""What can be wrong with events and customers, found by NumPy, and the sentence for each."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from steelyard.arguments.sizes import LARGEST
from steelyard.engines.event_sql import GONE
from steelyard.errors import BadLevels, InputError, MissingValues, NotAvailable, SteelyardError
from steelyard.files.window_files import files_of_windows
from steelyard.results import Array, Flags
from steelyard.wording import either, option

DROP = f"Mend the rows, or pass {option('missing', 'drop')} to leave them out; they are counted either way."
OUTSIDE = "event outside the period (its customer stays)"
"""What outside="drop" has left out."""
ORDER = ("unit", "time", "score", "outcome", "value", "outcome time")


def order(key: str) -> tuple[bool, int]:
    """What is told first where several things are wrong, and counted where a row has several gaps."""
    return not key.startswith(GONE), ORDER.index(key.removeprefix(GONE))


def masks(columns: Mapping[str, Array], horizon: float) -> dict[str, tuple[Flags, Array]]:
    """For every problem the rows of arrays that have it, and the values that show it; `EventQuery.problems` says it in SQL."""
    found = {}
    low_high = {"time": (0.0, horizon), "score": (0.0, 1.0), "value": (0.0, LARGEST), "outcome_time": (0.0, horizon)}
    for name, values in columns.items():
        told = name.replace("_", " ")
        gone = np.isnan(values)
        asked = columns["outcome"] == 1 if name == "outcome_time" else np.ones(len(values), dtype=bool)
        found[f"{GONE}{told}"] = (gone & asked, values)
        if name == "outcome":
            found[told] = (~gone & (values != 0) & (values != 1), values)
        else:
            low, high = low_high[name]
            found[told] = (~gone & asked & ((values < low) | (values > high)), values)
    return found


def complaint(key: str, rows: int, example: float, horizon: float, name: str, unit: str = "") -> SteelyardError:
    """The error for a problem, in a sentence about the column of that name."""
    of = f'the column "{name}"' if name else f"the {key.removeprefix(GONE)}"
    lines = f"{rows:,} row{'' if rows == 1 else 's'}"
    if key.startswith(GONE):
        message = f"{lines} {'has' if rows == 1 else 'have'} no {key.removeprefix(GONE)}: {of} is missing or not a number there."
        return MissingValues(message, DROP)
    in_units = f" {unit}" if unit else ""
    shown = f"one such value is {float(example):g}{in_units if 'time' in key else ''}"
    if key == "outcome":
        message = f"The outcome must be 0 or 1, and in {lines} {of} holds something else; {shown}."
        return BadLevels(message, f"Say which level is the outcome that is warned of: {option('positive', ...)}")
    allowed = {
        "time": f"from 0 to the horizon, {horizon:g}{in_units}",
        "score": "from 0 to 1",
        "value": f"from 0 to {LARGEST:g}",
        "outcome time": f"from 0 to the horizon, {horizon:g}{in_units}",
    }[key]
    hint = {
        "time": (
            "Count time from the start of the period in the unit of the "
            f"horizon, or leave such events out: {option('outside', 'drop')}."
        ),
        "score": "Pass probabilities; a score on another scale must be turned into one first.",
        "value": "A customer's value is what there is to lose; where that is nothing, say 0.",
        "outcome time": "An outcome after the period is no outcome of this period.",
    }[key]
    message = f"The {key} must be {allowed}, and in {lines} {of} lies outside; {shown}."
    return InputError(message, hint)


def torn(counts: Mapping[str, int], names: Mapping[str, str]) -> SteelyardError | None:
    """The error where customers have two outcomes, two values or two times of the outcome."""
    words = {"two_outcomes": "outcome", "two_values": "value", "two_outcome_times": "outcome_time"}
    for key, role in words.items():
        n = counts.get(key, 0)
        if n:
            told = role.replace("_", " ")
            of = f' in the column "{names[role]}"' if names.get(role) else ""
            message = (
                f"{n:,} customer{' has' if n == 1 else 's have'} more than one {told}{of}; each can have only one."
            )
            return BadLevels(message, "Look at the rows of one such customer; perhaps two periods lie in one table.")
    return None


def refuse_counted(events: object) -> None:
    """Refuse windows that were counted: what is asked of a customer lies in several of them."""
    named = events if isinstance(events, list | tuple) else [events]
    held = [x for x in named if files_of_windows(x) or type(x).__name__ in {"CountedWindow", "Windows"}]
    if not held:
        return
    place = f'"{os.fspath(held[0])}" holds' if isinstance(held[0], str | os.PathLike) else "These are"
    message = (
        f"{place} windows that were counted, and they cannot tell timeliness: it adds up what was said of each customer over "
        "the whole period and squares that, and the events of one customer lie in several windows."
    )
    saved = either("save it with t.save(path) and add it to others, t + u", "save it with --save and add it to others")
    watched = either('sy.monitor(rows, ..., period="31 days")', 'steelyard monitor --period "31 days"')
    hint = f"Pass the events of a period; {saved}. {watched} watches customers by the window in which they come."
    raise NotAvailable(message, hint)
