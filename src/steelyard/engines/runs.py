"""Compiled reading of the pages of Parquet: what their heads say, and whole numbers that lie in runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.engines.kernels import compiled

TOLD = 9
"""Numbers that are told of each page: kind, bytes when unpacked, bytes in the file, where they begin, then values, encoding,
missing values, bytes of levels, and whether the values are packed. The last three are those of pages of the second kind."""
DATA, DICTIONARY, DATA_AGAIN = 0, 2, 3
FIELDS = 16
DEEP = 8


@compiled
def _number(data: Any, at: int) -> tuple[Any, int]:  # pragma: no cover - compiled
    """A number in bytes of seven bits, and where it ends; −1 where it has no end."""
    found, shift = np.uint64(0), 0
    while at < len(data) and shift < 64:
        byte = np.uint64(data[at])
        at += 1
        found |= (byte & np.uint64(127)) << np.uint64(shift)
        shift += 7
        if byte < 128:
            return found, at
    return found, -1


@compiled
def page_heads(data: Any, rows: int, pages: Any) -> int:  # pragma: no cover - compiled
    """What is told of the pages of so many rows, and how many pages there are; −1 where they are not whole or too many.

    A head is a structure of Thrift, whose fields have numbers; what lies deeper than the description of a page is passed over.
    """
    at, many = 0, 0
    told = np.zeros((2, FIELDS), dtype=np.int64)
    fields = np.zeros(DEEP, dtype=np.int64)
    while rows > 0:
        if many == len(pages):
            return -1
        told[:] = 0
        # Values are packed unless it is said that they are not.
        told[1, 7] = 1
        depth, fields[0] = 0, 0
        while depth >= 0:
            if at >= len(data):
                return -1
            head = np.int64(data[at])
            at += 1
            if head == 0:
                depth -= 1
                continue
            if head >> 4:
                fields[depth] += head >> 4
            else:
                raw, at = _number(data, at)
                if at < 0:
                    return -1
                fields[depth] = np.int64(raw >> np.uint64(1)) ^ -np.int64(raw & np.uint64(1))
            kind, value = head & 15, np.int64(0)
            if kind <= 2:
                value = np.int64(kind == 1)
            elif kind == 3:
                at += 1
            elif kind == 7:
                at += 8
            elif kind <= 8:
                raw, at = _number(data, at)
                if at < 0 or (kind == 8 and raw > np.uint64(len(data))):
                    return -1
                value = np.int64(raw >> np.uint64(1)) ^ -np.int64(raw & np.uint64(1))
                if kind == 8:
                    at += np.int64(raw)
            elif kind == 12 and depth + 1 < DEEP:
                depth += 1
                fields[depth] = 0
                continue
            else:
                return -1
            if depth < 2 and 0 <= fields[depth] < FIELDS:
                told[depth, fields[depth]] = value
        again = told[0, 1] == DATA_AGAIN
        page = pages[many]
        page[0], page[1], page[2], page[3] = told[0, 1], told[0, 2], told[0, 3], at
        page[4], page[5] = told[1, 1], told[1, 4 if again else 2]
        page[6], page[7], page[8] = (told[1, 2], told[1, 5] + told[1, 6], told[1, 7]) if again else (0, -1, 1)
        if page[1] < 0 or page[2] < 0 or page[4] < 0 or page[7] > min(page[1], page[2]) or at + page[2] > len(data):
            return -1
        at += page[2]
        many += 1
        if page[0] != DICTIONARY:
            if page[4] == 0 or page[0] not in (DATA, DATA_AGAIN):
                return -1
            rows -= page[4]
    return many if rows == 0 else -1


@compiled
def looked_up(packed: Any, width: int, values: Any, out: Any) -> Any:  # pragma: no cover - compiled
    """The values at these places, of so many bits each; false where the runs do not fit.

    A run begins with twice its length and is one place again and again, or with twice the number of its groups of eight and one.
    """
    if len(values) == 0:
        return len(out) == 0
    size = len(out)
    at: Any = 0
    done: Any = 0
    few, mask = np.uint64(len(values)), (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    words = np.zeros(len(packed) // 8 + 2, dtype=np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    while done < size:
        head, at = _number(packed, at)
        length = np.int64(head >> np.uint64(1))
        if at < 0 or not 0 < length <= 1 << 40:
            return False
        if head & np.uint64(1) == 0:
            place = np.uint64(0)
            for k in range((width + 7) // 8):
                if at >= len(packed):
                    return False
                place |= np.uint64(packed[at]) << np.uint64(8 * k)
                at += 1
            if place >= few:
                return False
            last = min(size, done + length)
            out[done:last] = values[place]
            done = last
            continue
        end, last = at + length * width, min(size, done + 8 * length)
        if end > len(packed):
            return False
        if width == 1 and few == 2:
            while done + 8 <= last:
                bits = packed[at]
                for k in range(8):
                    out[done + k] = values[(bits >> k) & 1]
                at += 1
                done += 8
        # Two words of 64 bits hold each place, wherever it begins.
        bit, worst = np.uint64(8 * at), np.uint64(0)
        for i in range(done, last):
            word, shift = bit >> np.uint64(6), bit & np.uint64(63)
            above = (words[word + np.uint64(1)] << np.uint64(1)) << (np.uint64(63) - shift)
            place = ((words[word] >> shift) | above) & mask
            worst = max(worst, place)
            out[i] = values[min(place, few - np.uint64(1))]
            bit += np.uint64(width)
        if worst >= few:
            return False
        done = last
        at = end
    return True


@compiled
def all_there(levels: Any, rows: int) -> Any:  # pragma: no cover - compiled
    """Whether the levels of so many rows are one run of ones, so that each of them has a value."""
    head, at = _number(levels, 0)
    return (
        at >= 0 and head & np.uint64(1) == 0 and head >> np.uint64(1) >= rows and at < len(levels) and levels[at] == 1
    )
