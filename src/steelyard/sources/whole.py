"""Whether a file is whole: what can be seen of a cut without reading all of it."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from steelyard.errors import UnreadableSource

CHECK = "Fetch or write it again."
ZSTANDARD = 0xFD2FB528
SKIPPABLE = range(0x184D2A50, 0x184D2A60)
"""How frames begin that hold something else than rows, such as a list of places to jump to."""
SQLITE = b"SQLite format 3\0"


def refuse_open_line(path: str) -> None:
    """Refuse a text whose last line has no end: without one nobody can tell 0.39 from the beginning of 0.3981."""
    if not path.lower().endswith((".csv", ".tsv", ".txt")):
        return
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
    if last not in b"\r\n":
        message = f'"{path}" ends in the middle of a line: the last one has no line end, as if the file had been cut.'
        raise UnreadableSource(message, f"{CHECK} If it is whole, end its last line, for example by echo >> file.csv.")


def refuse_open_frame(path: str) -> None:
    """Refuse Zstandard whose last frame is not finished; from block to block, and nothing is unpacked.

    Parquet, Arrow and gzip tell at their end that they are whole, and those who read them look at that.
    """
    if not path.lower().endswith(".zst"):
        return
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        try:
            while file.tell() < size:
                _pass_frame(file)
        except struct.error:
            whole = False
        except ValueError:
            message = f'"{path}" cannot be read as a table: it is not Zstandard.'
            raise UnreadableSource(message, "Check that its suffix says what it is.") from None
        else:
            whole = file.tell() == size
    if not whole:
        message = f'"{path}" is cut: its last block of Zstandard is not finished.'
        raise UnreadableSource(message, CHECK)


def _pass_frame(file: BinaryIO) -> None:
    """Go behind one frame; a struct.error says that the file ends before the frame does."""
    (magic,) = struct.unpack("<I", file.read(4))
    if magic in SKIPPABLE:
        (length,) = struct.unpack("<I", file.read(4))
        file.seek(length, os.SEEK_CUR)
        return
    if magic != ZSTANDARD:
        raise ValueError
    (told,) = struct.unpack("<B", file.read(1))
    single, checked = told >> 5 & 1, told >> 2 & 1
    # The width of a window, the name of a dictionary, the length of what is packed: each may be left out.
    widths = (1 - single) + (0, 1, 2, 4)[told & 3] + ((1, 2, 4, 8)[told >> 6] if single or told >> 6 else 0)
    file.seek(widths, os.SEEK_CUR)
    last = 0
    while not last:
        low, high = struct.unpack("<HB", file.read(3))
        header = low | high << 16
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        # A block of one byte that is repeated holds that byte alone.
        file.seek(1 if kind == 1 else length, os.SEEK_CUR)
    file.seek(4 * checked, os.SEEK_CUR)


def refuse_cut_pages(path: str) -> None:
    """Refuse a file of SQLite that is shorter than its first page says; SQLite reads nothing but zeros there."""
    with open(path, "rb") as file:
        head = file.read(100)
    size = os.path.getsize(path)
    if not head.startswith(SQLITE) or len(head) < 100:
        return
    (told,) = struct.unpack(">H", head[16:18])
    width = 65536 if told == 1 else told
    changes, pages, known = (struct.unpack(">I", head[i : i + 4])[0] for i in (24, 28, 92))
    if (width and size % width) or (changes == known and size < pages * width):
        message = f'"{path}" is cut: it has {size:,} bytes, and its first page tells of {pages:,} pages of {width:,}.'
        raise UnreadableSource(message, CHECK)
