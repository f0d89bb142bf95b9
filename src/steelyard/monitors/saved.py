"""Bins of many columns in one file, and bins of one column or of many read back from it."""

from __future__ import annotations

import os
from typing import Any, TypeGuard

from steelyard.errors import UnreadableSource
from steelyard.monitors.bins import SCHEMA, Bins

MARK = "steelyard bins"


class ManyBins(dict[str, Bins]):
    """Bins by column, to be saved together and used as the reference of later samples.

    >>> list(ManyBins(age=Bins("age", "numbers", edges=(30.0,))))
    ['age']
    """

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {MARK: SCHEMA, "columns": {name: b.to_dict() for name, b in self.items()}}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bins of every column and their reference counts as JSON."""
        from steelyard.files.writing import write_saved

        write_saved(path, self.to_dict())


def is_saved(path: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file that begins as saved bins do."""
    if not isinstance(path, str | os.PathLike) or not str(path).lower().endswith(".json"):
        return False
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(len(MARK) + 20).lstrip("{ \n").startswith(f'"{MARK}"')
    except (OSError, ValueError):
        return False


def may_be_windows(given: object) -> bool:
    """Whether windows that were counted may have come; to find out takes more than to open a table."""
    if isinstance(given, str | os.PathLike):
        return os.path.isdir(given) or str(given).lower().endswith(".json")
    one = given[0] if isinstance(given, list | tuple) and given else given
    return type(one).__module__.startswith("steelyard.monitors.windowed")


def load_bins(path: str | os.PathLike[str]) -> Bins | ManyBins:
    """Read bins of one column, or of many, that were saved."""
    from steelyard.files.writing import read_saved

    saved = read_saved(path, "set of bins", "Name the file that the save of bins wrote.")
    try:
        data = saved.believed() if saved.has(MARK) else {}
        columns = data.get("columns")
        if columns is None:
            return Bins.from_dict(data)
        return ManyBins({name: Bins.from_dict(b) for name, b in columns.items()})
    except (AttributeError, KeyError, TypeError, ValueError):
        message = f'"{path}" holds no saved bins.'
        raise UnreadableSource(message, "Name the file that the save of bins wrote.") from None
