"""One writer at a time: a lock that the system takes back when its holder dies."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, TextIO

from steelyard.errors import InputError, UnwritableFile


class Lock:
    """Held from the moment it is made until it is released, or until the process ends in whatever way."""

    def __init__(self, place: Path, what: str = "store", who: str = "experiment", of: Path | None = None) -> None:
        self.place = place
        named = place.parent if of is None else of
        try:
            self.file: Any = open(place, "a+", encoding="utf-8")  # noqa: SIM115  (held until it is released)
        except OSError as problem:
            message = f'The {what} "{named}" cannot be written: {problem.strerror or problem}.'
            raise UnwritableFile(message, "Check the place and the room left on it.") from problem
        if not _take(self.file):
            self.file.seek(0)
            holder = self.file.read().strip()
            self.file.close()
            self.file = None
            message = f'The {what} "{named}" is in use by another {who}{f" ({holder})" if holder else ""}.'
            hint = f"Wait until it is done, or name another {what}"
            raise InputError(message, f"{hint}; reading it is possible at any time." if of is None else f"{hint}.")
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()}")
        self.file.flush()

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others write."""
        if self.file is not None:
            self.file.close()
            self.file = None


def in_turn(place: Path, seconds: float = 60.0) -> Lock:
    """A lock that waits for whoever holds it: for what takes a moment."""
    until = time.monotonic() + seconds
    while True:
        try:
            return Lock(place, "folder", "job")
        except InputError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def _take(file: TextIO) -> bool:
    try:
        try:
            import fcntl
        except ImportError:
            import msvcrt

            file.seek(1 << 30)  # far behind the words, which others may read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
