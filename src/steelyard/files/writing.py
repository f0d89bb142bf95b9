"""Files are written whole or not at all, and what was saved is believed only while nobody has changed it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import UnreadableSource, UnwritableFile, UsageError, refuse_address
from steelyard.files.as_json import NamedTwice, names_once

SEAL = re.compile(rb', "seal": "([0-9a-f]{64})"\}\s*\Z')
"""How a saved file ends: the SHA-256 of all that stands before."""
FREE, RATIO = 1 << 28, 100
"""Bytes that packed tables may unpack to, whatever the size of their file, and how many more for each byte of it."""


_read: dict[tuple[int, int], str] = {}
"""Files of rows and amounts that were opened, by what the system knows them by whatever their names."""


def note_read(path: str | os.PathLike[str]) -> None:
    """Remember a file that results are made from, so that none is written over it."""
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(path)
        _read[found.st_dev, found.st_ino] = os.path.abspath(path)


def refuse_own_input(path: str | os.PathLike[str]) -> None:
    """Refuse to write over a file that was read, under whatever name, link or spelling."""
    try:
        found = os.stat(path)
        known = _read.get((found.st_dev, found.st_ino))
        # A file that is gone may have left its number to another.
        same = known is not None and os.path.samefile(known, path)
    except (OSError, ValueError):
        return
    if same:
        message = f'"{path}" is what was read, and a result is not written over its own rows.'
        raise UsageError(message, "Name another file.")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a text or a picture beside its place and move it there, so that nobody ever sees half of it.

    A link is followed, and what is no ordinary file (a device, a pipe) is written to and never replaced.
    """
    refuse_address(path)
    refuse_own_input(path)
    name = ""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with open(target, "wb") as device:
                device.write(raw)
            return
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:40]}.", delete=False) as part:
            name = part.name
            part.write(raw)
        # A temporary file is made for its owner's eyes only; a result is an ordinary file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except (OSError, ValueError) as problem:
        message = f'"{path}" cannot be written: {getattr(problem, "strerror", None) or problem}.'
        raise UnwritableFile(message, "Check the place and the room left on it.") from problem
    finally:
        if name and os.path.exists(name):
            os.unlink(name)


# What was saved -------------------------------------------------------------------------------------------------------


def write_saved(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Write plain JSON with a seal at its end, by which a change is noticed."""
    write_whole(path, sealed(content))


def sealed(content: Mapping[str, Any]) -> str:
    """The text of a saved file.

    >>> sealed({"rows": 3})[:30]
    '{"rows": 3, "seal": "9a79c72d1'
    """
    text = json.dumps(content, allow_nan=False, ensure_ascii=False)[:-1]
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return f'{text}, "seal": "{digest}"}}\n'


@dataclass(frozen=True, slots=True)
class Saved:
    """What a file holds as JSON, and whether it is as it was written."""

    data: Any
    sealed: bool
    path: str | os.PathLike[str]

    def has(self, mark: str) -> bool:
        """Whether it is a JSON object with this name in it."""
        return isinstance(self.data, dict) and mark in self.data

    def believed(self) -> Any:
        """What it holds; refused where somebody changed it, and where it would unpack to far more than its size."""
        if not self.sealed:
            message = f'"{self.path}" was changed after it was saved, or was not saved by this version: its seal does not fit.'
            hint = "Make it again from the rows, and let save write it; it is not edited by hand."
            raise UnreadableSource(message, hint)
        if (unpacked := unpacked_bytes(self.data)) > FREE + RATIO * os.path.getsize(self.path):
            message = f'"{self.path}" would unpack to {unpacked:,} bytes, which nothing that was saved does.'
            raise UnreadableSource(message, "Make it again from the rows.")
        return self.data


def read_saved(path: str | os.PathLike[str], what: str = "evaluation", hint: str = "") -> Saved:
    """What a file holds as JSON; a file that is none is refused, as no saved thing of this kind."""
    refuse_address(path)
    try:
        raw = Path(path).read_bytes()
    except (FileNotFoundError, ValueError):
        message = f'There is no file "{path}".'
        raise UnreadableSource(message, "Check the path.") from None
    except OSError as problem:
        message = f'"{path}" cannot be read: {problem.strerror}.'
        raise UnreadableSource(message, "Name the file that save wrote.") from None
    seal = SEAL.search(raw[-200:])
    start = len(raw) - len(raw[-200:]) + (seal.start() if seal else 0)
    sealed = seal is not None and hashlib.sha256(raw[:start]).hexdigest().encode() == seal[1]
    try:
        data = json.loads(raw, object_pairs_hook=None if sealed else names_once)
    except (ValueError, RecursionError) as problem:
        why = problem if isinstance(problem, NamedTwice) else "it is not JSON"
        message = f'"{path}" is not a saved {what}: {why}.'
        raise UnreadableSource(message, hint or "Name the file that save wrote.") from None
    if sealed:
        del data["seal"]
    return Saved(data, sealed, path)


def unpacked_bytes(data: object) -> int:
    """Bytes to which the packed tables of a file say that they unpack."""
    total, waiting = 0, [data]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            shape = held.get("shape") if "packed" in held else None
            if isinstance(shape, list) and all(type(n) is int for n in shape):
                total += 8 * math.prod(shape)
            waiting += held.values()
        elif isinstance(held, list) and held and isinstance(held[0], dict | list):
            waiting += held
    return total
