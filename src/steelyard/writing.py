"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from steelyard.errors import UnwritableFile


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a text or a picture beside its place and move it there, so that nobody ever sees half of it.

    A link is followed, and what is no ordinary file (a device, a pipe) is written to and never replaced.
    """
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
    except OSError as problem:
        message = f'"{path}" cannot be written: {problem.strerror or problem}.'
        raise UnwritableFile(message, "Check the place and the room left on it.") from problem
    finally:
        if name and os.path.exists(name):
            os.unlink(name)
