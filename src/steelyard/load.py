"""Reading back what was saved."""

from __future__ import annotations

import json
import os
from pathlib import Path

from steelyard.errors import UnreadableSource
from steelyard.evaluation import SCHEMA, Evaluation


def load(path: str | os.PathLike[str]) -> Evaluation:
    """Read an evaluation that was saved."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f'There is no file "{path}".'
        raise UnreadableSource(message, "Check the path.") from None
    except OSError as problem:
        message = f'"{path}" cannot be read: {problem.strerror}.'
        raise UnreadableSource(message, "Name the file that save wrote.") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        message = f'"{path}" is not a saved evaluation: it is not JSON.'
        raise UnreadableSource(message, "Files of predictions go to evaluate; load reads what save wrote.") from None
    if not isinstance(data, dict) or data.get("steelyard") != SCHEMA:
        message = f'"{path}" is not an evaluation saved by this version.'
        raise UnreadableSource(message, "Only a file that was saved as an evaluation can be read back.")
    try:
        return Evaluation.from_dict(data)
    except (KeyError, TypeError, ValueError):
        message = f'"{path}" is a saved evaluation of which a part is missing.'
        raise UnreadableSource(message, "Save it again from the predictions.") from None
