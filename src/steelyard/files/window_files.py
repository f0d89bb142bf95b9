"""Which files hold windows that were counted: told by how they begin, before anything is read."""

from __future__ import annotations

import glob
import os

MARK = "steelyard window"


def files_of_windows(data: object) -> list[str]:
    """The files of saved windows that a path, a pattern or a folder names; none where it names something else."""
    if not isinstance(data, str | os.PathLike):
        return []
    text = os.fspath(data)
    if os.path.isdir(text):
        found = sorted(glob.glob(os.path.join(glob.escape(text), "*.json")))
    elif text.lower().endswith(".json"):
        found = (
            [text] if os.path.isfile(text) else sorted(f for f in glob.glob(text, recursive=True) if os.path.isfile(f))
        )
    else:
        return []
    return found if any(_begins(path) for path in found) else []


def _begins(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(len(MARK) + 20).lstrip("{ \n").startswith(f'"{MARK}"')
    except (OSError, ValueError):
        return False
