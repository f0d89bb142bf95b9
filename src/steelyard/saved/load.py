"""Reading back what was saved."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UnreadableSource
from steelyard.evaluation import SCHEMA, Evaluation
from steelyard.files.writing import Saved, read_saved

if TYPE_CHECKING:
    from steelyard.early_warning.timeliness import Timeliness

BROKEN = (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, zlib.error)
"""What reading back raises where a file is not as it was written."""


@as_annotated()
def load(path: str | os.PathLike[str]) -> Any:
    """Read what was saved: an evaluation, experiment, timeliness, bins, baseline or window; or the latest experiment of a store."""
    if os.path.isdir(path):
        from steelyard.experiments.result import open_experiment

        return open_experiment(path)
    saved = opened_saved(path)
    if saved.has("steelyard experiment"):
        from steelyard.experiments.result import Experiment

        return _read_back(saved, Experiment.from_dict, "experiment", "Run it again with the same store, and save it.")
    if saved.has("steelyard bins"):
        from steelyard.monitors.saved import load_bins

        return load_bins(path)
    if saved.has("steelyard window"):
        from steelyard.monitors.windowed import window_of

        return window_of(saved)
    if saved.has("steelyard baseline"):
        from steelyard.monitors.baseline import Baseline

        return Baseline.load(path)
    return timeliness_of(saved) if is_timeliness(saved) else evaluation_of(saved)


def load_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Read an evaluation that was saved, and nothing else."""
    return evaluation_of(opened_saved(path))


def opened_saved(path: str | os.PathLike[str]) -> Saved:
    """What a file holds that should be a saved evaluation, or something else that was saved."""
    hint = "Files of predictions go to evaluate, JSON lines under a name in .jsonl; load reads what save wrote."
    return read_saved(path, "evaluation", hint)


def evaluation_of(saved: Saved) -> Evaluation:
    """A saved evaluation as it was before it was saved."""
    data, path = saved.data, saved.path
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

    def with_rows(data: Mapping[str, Any]) -> Evaluation:
        found = Evaluation.from_dict(data)
        found.rows  # noqa: B018  An evaluation without evidence has no rows to count.
        return found

    found: Evaluation = _read_back(saved, with_rows, "evaluation", "Save it again from the predictions.")
    return found


def _read_back(saved: Saved, made: Callable[[Any], Any], what: str, hint: str) -> Any:
    """What a file holds, made again; where a part of it is missing that is said."""
    data = saved.believed()
    try:
        return made(data)
    except BROKEN:
        message = f'"{saved.path}" is a saved {what} of which a part is missing.'
        raise UnreadableSource(message, hint) from None


def is_timeliness(saved: Saved) -> bool:
    """Whether a file holds the timeliness of warnings."""
    summary = saved.data["summary"] if saved.has("summary") else None
    return isinstance(summary, dict) and summary.get("kind") == "timeliness"


def timeliness_of(saved: Saved) -> Timeliness:
    """A saved timeliness; the events themselves are not in it."""
    from steelyard.early_warning.timeliness import Timeliness

    found: Timeliness = _read_back(saved, Timeliness.from_dict, "timeliness", "Save it again from the events.")
    return found
