"""Text in another encoding than UTF-8: told by its bytes, and copied in UTF-8 once its user has said which it is."""

from __future__ import annotations

import codecs
import gzip
import os
import shutil
import tempfile
import weakref
from typing import IO, Any

from steelyard.arguments.written import saying
from steelyard.errors import UnreadableSource, UsageError
from steelyard.wording import option

PART = 1 << 20
"""Characters that are copied at a time."""
OFTEN = "latin-1, windows-1252, utf-16"


def likely_encoding(path: str) -> str | None:
    """The encoding that the first bytes of a text speak for; None where it is no text, or UTF-8.

    Bytes 80 to 9F are letters and the euro sign to Windows and nothing printable in Latin-1.
    """
    with _bytes(path) as file:
        start = file.read(PART)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return "windows-1252" if any(0x80 <= byte <= 0x9F for byte in start) else "latin-1"
    return None


def not_utf8(path: str) -> UnreadableSource:
    """The file is in another encoding, which is named where the bytes speak for one, or it is no text."""
    message = f'"{path}" is not text in UTF-8.'
    likely = None
    if os.path.isfile(path) and not path.endswith(".zst"):
        likely = likely_encoding(path)
    if likely is None:
        return UnreadableSource(message, "Save it as UTF-8, or as Parquet; check that its suffix says what it is.")
    with _bytes(path) as file:
        read = codecs.getincrementaldecoder(likely)(errors="replace").decode(file.read(PART))
    header = (read.splitlines() or [""])[0].lstrip("\ufeff")
    message = f'"{path}" is not text in UTF-8. In {likely} its first line reads "{header[:100]}".'
    return UnreadableSource(message, f"If that is right, say so: {saying('encoding', likely)}.")


def in_utf8(paths: list[str], encoding: str, owner: object) -> list[str]:
    """Copies of text files in UTF-8, which go when their owner does."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding:
        message = f'There is no encoding of text called "{encoding}".'
        raise UsageError(message, f"Often met are {OFTEN}.")
    folder = tempfile.mkdtemp(prefix="steelyard-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    copies = []
    for i, path in enumerate(paths):
        if path.endswith(".zst"):
            message = f'"{path}" is packed, and is not unpacked to be read in {encoding}.'
            raise UnreadableSource(message, "Unpack it first.")
        copies.append(os.path.join(folder, f"{i}{os.path.splitext(path.removesuffix('.gz'))[1]}"))
        _copy(path, copies[-1], encoding)
    return copies


def _copy(path: str, place: str, encoding: str) -> None:
    reader = codecs.getreader(encoding)
    try:
        with _bytes(path) as raw, open(place, "w", encoding="utf-8", newline="") as out:
            text = reader(raw)
            while part := text.read(PART):
                if "\0" in part:
                    raise UnicodeError
                out.write(part)
    except (UnicodeError, EOFError, OSError) as problem:
        message = f'"{path}" is not whole text in {encoding}.'
        raise UnreadableSource(message, f"Say another {option('encoding')}; often met are {OFTEN}.") from problem


def _bytes(path: str) -> IO[bytes] | Any:
    return gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
