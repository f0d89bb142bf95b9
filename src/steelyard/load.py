"""Reading back what was saved."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.arguments.allowed import shown
from steelyard.errors import UnreadableSource, UsageError
from steelyard.evaluation import SCHEMA, Evaluation

if TYPE_CHECKING:
    from steelyard.early_warning.timeliness import Timeliness

BROKEN = (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, zlib.error)
"""What reading back raises where a file is not as it was written."""


def load(path: Any) -> Any:
    """Read what was saved: an evaluation, an experiment, a timeliness, bins, a baseline; or the latest experiment of a store."""
    if not isinstance(path, str | os.PathLike):
        message = f"What was saved is named by its path, and {shown(path)} came."
        raise UsageError(message, 'For example sy.load("march.json").')
    if os.path.isdir(path):
        from steelyard.experiments.result import open_experiment

        return open_experiment(path)
    data = read_saved(path)
    if isinstance(data, dict) and "steelyard experiment" in data and "cells" in data:
        from steelyard.experiments.result import Experiment

        return Experiment.from_dict(data)
    if isinstance(data, dict) and "steelyard bins" in data:
        from steelyard.monitors.saved import load_bins

        return load_bins(path)
    if isinstance(data, dict) and "steelyard baseline" in data:
        from steelyard.monitors.baseline import Baseline

        return Baseline.load(path)
    return timeliness_of(data, path) if is_timeliness(data) else evaluation_of(data, path)


def load_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Read an evaluation that was saved, and nothing else."""
    return evaluation_of(read_saved(path), path)


def read_saved(path: str | os.PathLike[str]) -> Any:
    """What a file holds as JSON."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f'There is no file "{path}".'
        raise UnreadableSource(message, "Check the path.") from None
    except OSError as problem:
        message = f'"{path}" cannot be read: {problem.strerror}.'
        raise UnreadableSource(message, "Name the file that save wrote.") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        message = f'"{path}" is not a saved evaluation: it is not JSON.'
        hint = "Files of predictions go to evaluate, JSON lines under a name in .jsonl; load reads what save wrote."
        raise UnreadableSource(message, hint) from None


def evaluation_of(data: Any, path: str | os.PathLike[str]) -> Evaluation:
    """A saved evaluation as it was before it was saved."""
    form = data.get("steelyard") if isinstance(data, dict) else None
    if type(form) is int and form != SCHEMA and "evidence" in data:
        message = f'"{path}" is an evaluation saved in form {form}, and this version reads form {SCHEMA}.'
        raise UnreadableSource(message, "Save it again from the predictions with this version.")
    if isinstance(data, list):
        message = f'"{path}" is not a saved evaluation: it is a JSON list, such as one of rows.'
        hint = "Rows are read as JSON lines, one object a line, under a name in .jsonl: jq -c '.[]' writes them."
        raise UnreadableSource(message, hint)
    if type(form) is not int or form != SCHEMA:
        message = f'"{path}" is not an evaluation saved by this version.'
        raise UnreadableSource(message, "Only a file that was saved as an evaluation can be read back.")
    try:
        found = Evaluation.from_dict(data)
        found.rows  # noqa: B018  An evaluation without evidence has no rows to count.
    except BROKEN:
        message = f'"{path}" is a saved evaluation of which a part is missing.'
        raise UnreadableSource(message, "Save it again from the predictions.") from None
    return found


def is_timeliness(data: Any) -> bool:
    """Whether a file holds the timeliness of warnings."""
    summary = data.get("summary") if isinstance(data, dict) else None
    return isinstance(summary, dict) and summary.get("kind") == "timeliness"


def timeliness_of(data: Any, path: str | os.PathLike[str]) -> Timeliness:
    """A saved timeliness; the events themselves are not in it."""
    from steelyard.early_warning.timeliness import Timeliness

    try:
        return Timeliness.from_dict(data)
    except BROKEN:
        message = f'"{path}" is a saved timeliness of which a part is missing.'
        raise UnreadableSource(message, "Save it again from the events.") from None
