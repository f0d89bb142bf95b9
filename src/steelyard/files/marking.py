"""Which files of a room mark something: found by reading them, so that a new file is all that a new thing takes."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def marking_modules(room: str, mark: str) -> tuple[str, ...]:
    """The modules of a room that have a line beginning with the mark, by name; nothing is imported.

    >>> marking_modules("steelyard.views", "@picture(")[-2:]
    ('steelyard.views.pictures', 'steelyard.views.scatter')
    """
    spec = find_spec(room)
    places = spec.submodule_search_locations if spec is not None else None
    line = re.compile(rf"^{re.escape(mark)}", re.MULTILINE)
    files = sorted(path for place in places or () for path in Path(place).glob("*.py"))
    return tuple(f"{room}.{path.stem}" for path in files if line.search(path.read_text(encoding="utf-8")))
