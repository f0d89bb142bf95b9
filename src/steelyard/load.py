"""Reading back what was saved."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from steelyard.errors import UnreadableSource
from steelyard.evaluation import SCHEMA, Evaluation


def load(path: str | os.PathLike[str]) -> Any:
    """Read an evaluation or an experiment that was saved, or the latest experiment of a store."""
    if os.path.isdir(path):
        from steelyard.experiments.result import open_experiment

        return open_experiment(path)
    data = read_saved(path)
    if isinstance(data, dict) and "steelyard experiment" in data and "cells" in data:
        from steelyard.experiments.result import Experiment

        return Experiment.from_dict(data)
    return evaluation_of(data, path)


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
        raise UnreadableSource(message, "Files of predictions go to evaluate; load reads what save wrote.") from None


def evaluation_of(data: Any, path: str | os.PathLike[str]) -> Evaluation:
    """A saved evaluation as it was before it was saved."""
    if not isinstance(data, dict) or data.get("steelyard") != SCHEMA:
        message = f'"{path}" is not an evaluation saved by this version.'
        raise UnreadableSource(message, "Only a file that was saved as an evaluation can be read back.")
    try:
        return Evaluation.from_dict(data)
    except (KeyError, TypeError, ValueError):
        message = f'"{path}" is a saved evaluation of which a part is missing.'
        raise UnreadableSource(message, "Save it again from the predictions.") from None
