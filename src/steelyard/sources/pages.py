"""Columns of Parquet files by their pages: plain numbers as they lie there, and numbers and truth values that are packed.

That is how files of scores and labels are usually written. Everything else is left to PyArrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]
KINDS = {"INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8", "BOOLEAN": "|i1"}
SIGNED = {"NONE", "INT_8", "INT_16", "INT_32", "INT_64"}
PACKED = {"SNAPPY": "snappy", "UNCOMPRESSED": None}
PLAIN, RUNS, BY_DICTIONARY = 0, 3, (2, 8)
LEAST = 1 << 12
"""Rows of a page, on average; to look at pages of fewer takes longer than it saves."""


class OtherPages(Exception):
    """Pages that are written in another way, or not whole."""


class PagedColumn:
    """One column of a row group whose pages are known, all of a kind that is read here; every row has a value.

    `words` are the numbers of its dictionary, and `plain` is whether some are not in it.
    """

    def __init__(self, source: Any, footer: Any, group: int, name: str) -> None:
        chunks = footer.row_group(group)
        place = next(i for i in range(chunks.num_columns) if chunks.column(i).path_in_schema == name)
        chunk, told = chunks.column(place), footer.schema.column(place)
        known = chunk.physical_type in KINDS and chunk.compression in PACKED and told.converted_type in SIGNED
        if not known or told.max_repetition_level or told.max_definition_level > 1:
            raise OtherPages
        self.kind: np.dtype[Any] = np.dtype(KINDS[chunk.physical_type])
        self.codec: str | None = PACKED[chunk.compression]
        self.optional: bool = told.max_definition_level == 1
        start = chunk.data_page_offset
        if chunk.dictionary_page_offset:
            start = min(start, chunk.dictionary_page_offset)
        source.seek(start)
        self.buffer: Any = source.read_buffer(chunk.total_compressed_size)
        self.words: Values = np.zeros(0, dtype=self.kind)
        self.pages: list[tuple[int, ...]] = self._looked_at(chunk.num_values, chunk.total_uncompressed_size)
        self.plain: bool = any(page[5] not in BY_DICTIONARY for page in self.pages)

    def _looked_at(self, rows: int, most: int) -> list[tuple[int, ...]]:
        from steelyard.engines.runs import DICTIONARY, TOLD, page_heads

        pages = np.zeros((2 + rows // LEAST, TOLD), dtype=np.int64)
        many = page_heads(np.frombuffer(self.buffer, dtype=np.uint8), rows, pages)
        if many < 0 or pages[:, 1].max() > most or pages[:, 6].any():
            raise OtherPages
        found = [tuple(page) for page in pages[:many].tolist()]
        if found and found[0][0] == DICTIONARY:
            self.words = self._numbers(self._bytes(found[0]), found[0][4])
            del found[0]
        allowed = (PLAIN, RUNS) if self.kind == np.int8 else (PLAIN, *BY_DICTIONARY)
        if any(page[0] == DICTIONARY or page[5] not in allowed for page in found):
            raise OtherPages
        return found

    def read(self, kind: type[np.generic]) -> Iterator[Values]:
        """The values of one page after the other as numbers of a kind."""
        from steelyard.engines.runs import looked_up

        words = self.words.astype(kind)
        for page in self.pages:
            held, size, encoding = self._values(page), page[4], page[5]
            if encoding in BY_DICTIONARY or self.kind == np.int8:
                if encoding == PLAIN:
                    out = np.unpackbits(held, count=size, bitorder="little").view(np.int8)
                    right = len(out) == size <= 8 * len(held)
                else:
                    out = np.empty(size, dtype=kind)
                    width = int(held[0]) if encoding != RUNS and len(held) else 1
                    truths = np.arange(2).astype(kind)
                    packed, values = (held[4:], truths) if encoding == RUNS else (held[1:], words)
                    right = width <= 32 and looked_up(packed, width, values, out)
                if not right:
                    raise OtherPages
            else:
                out = self._numbers(held, size)
            # As what is read by PyArrow, which cannot be written to: another kind of array would be compiled for anew.
            out = out.astype(kind, copy=not out.flags.aligned)
            out.flags.writeable = False
            yield out

    def _bytes(self, page: tuple[int, ...]) -> Values:
        """What a page holds, without levels that stand before what is compressed."""
        _, unpacked, length, start, *_, levels, packed = page
        before = max(levels, 0)
        held = self.buffer.slice(start + before, length - before)
        if self.codec is not None and packed and unpacked > before:
            import pyarrow as pa

            held = pa.decompress(held, unpacked - before, codec=self.codec)
        return np.frombuffer(held, dtype=np.uint8)

    def _values(self, page: tuple[int, ...]) -> Values:
        """What a page holds of values, which every row has."""
        from steelyard.engines.runs import all_there

        found, start, before = self._bytes(page), page[3], page[7]
        if not self.optional:
            return found
        if before < 0:
            length = int.from_bytes(found[:4].tobytes(), "little")
            levels, found = found[4 : 4 + length], found[4 + length :]
        else:
            levels = np.frombuffer(self.buffer.slice(start, before), dtype=np.uint8)
        if not all_there(levels, page[4]):
            raise OtherPages
        return found

    def _numbers(self, held: Values, size: int) -> Values:
        if len(held) < size * self.kind.itemsize:
            raise OtherPages
        return held[: size * self.kind.itemsize].view(self.kind)
