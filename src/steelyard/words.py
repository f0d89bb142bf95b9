"""One formatter for numbers, one for estimates and one for names, used by every output alike."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.results.numbers import Estimate, Numeric

MINUS = "−"
MARK = " †"
"""Stands beside a number that rests on little."""
MOST_DECIMALS = 6
"""Smaller numbers are written with an exponent."""
MOST_DIGITS = 15
"""Larger numbers are written with an exponent."""
LEAST_PERCENT = 0.0001
"""A share in per cent that is nearer to 0 or 100 than this is told as less or more than that."""
OPEN, CLOSE = "\u2068", "\u2069"
"""Around text that runs from right to left, so that numbers beside it keep their order."""


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def _infinite(value: float) -> str:
    return "n/a" if math.isnan(value) else "infinite" if value > 0 else f"{MINUS}infinite"


def digits_for(half_width: float) -> int:
    """Decimals that stop at the second significant digit of an interval's half-width.

    >>> digits_for(0.0123), digits_for(4.2)
    (3, 1)
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return 3
    return max(0, min(12, 1 - _exponent(half_width)))


def number(value: float, decimals: int = 3) -> str:
    """A number with thousands separators and a true minus sign.

    >>> number(-1234.5, 1), number(float("inf"))
    ('−1,234.5', 'infinite')
    """
    if not math.isfinite(value):
        return _infinite(value)
    text = f"{abs(value):,.{decimals}f}" if abs(value) < 10.0**MOST_DIGITS else f"{abs(value):.3e}"
    negative = value < 0 and any(c in "123456789" for c in text)
    return f"{MINUS}{text}" if negative else text


def like(value: float, other: str) -> str:
    """A number with as many decimals as another one beside it.

    >>> like(0.12345, "0.46")
    '0.12'
    """
    return significant(value) if "e" in other else number(value, len(other.partition(".")[2]))


def p_told(p: float) -> str:
    """A p-value as it is told; never 0.

    >>> p_told(0.00001), p_told(0.0312)
    ('p < 0.0001', 'p = 0.031')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {significant(p, 2)}"


def significant(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, for values that come without an interval.

    >>> significant(0.000123456), significant(1234567.0), significant(1.2e-07, 2)
    ('0.000123', '1,234,567', '1.2e-07')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else _infinite(value)
    if _exponent(value) < -MOST_DECIMALS:
        text = f"{abs(value):.{digits - 1}e}"
        return f"{MINUS}{text}" if value < 0 else text
    return number(value, max(0, digits - 1 - _exponent(value)))


def shortest(value: float) -> str:
    """A number somebody chose, such as a threshold, as it would be typed.

    >>> shortest(0.5), shortest(-1200000.0), shortest(0.30000000000000004)
    ('0.5', '−1,200,000', '0.3')
    """
    if not math.isfinite(value):
        return _infinite(value)
    text = f"{abs(value):,.12g}" if abs(value) < 10.0**12 else f"{abs(value):.6g}"
    return f"{MINUS}{text}" if value < 0 else text


def count(value: float) -> str:
    """A number of rows; sums of weights keep one decimal where they are not whole.

    >>> count(1567.0), count(12.34)
    ('1,567', '12.3')
    """
    return number(value, 0 if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else 1)


def percent(share: float) -> str:
    """A share in per cent, to at most two digits after those that matter; one that is not 0 or 1 is never told as 0% or 100%.

    >>> percent(0.95), percent(0.0783), percent(0.00012), percent(0.99996)
    ('95%', '7.8%', '0.012%', '99.9960%')
    >>> percent(1 / 212), percent(1129 / 5_000_000), percent(1e-9), percent(1 - 1e-9)
    ('0.47%', '0.023%', '<0.0001%', '>99.9999%')
    """
    if not math.isfinite(share):
        return _infinite(share)
    value = share * 100
    if 0 < value < LEAST_PERCENT - 1e-12 or 0 < 100 - value < LEAST_PERCENT - 1e-12:
        return f"<{LEAST_PERCENT}%" if value < 50 else f">{100 - LEAST_PERCENT}%"
    if value == 0 or abs(value - round(value)) < 1e-9:
        return f"{number(round(value), 0)}%"
    nearer = round(min(abs(value), abs(100 - value)), 12) or 1e-12
    return f"{number(value, 1 if nearer >= 0.95 else min(12, 1 - _exponent(nearer)))}%"


def percents(value: float, low: float, high: float) -> tuple[str, str, str]:
    """A share and the ends of its interval in per cent, all to as many digits as any of them needs.

    >>> percents(0.74, 0.703, 0.773), percents(0.0, 0.0, 0.0213)
    (('74.0%', '70.3%', '77.3%'), ('0.0%', '0.0%', '2.1%'))
    """
    alone = [percent(x) for x in (value, low, high)]
    digits = max(len(t[:-1].partition(".")[2]) for t in alone if t[0] not in "<>")
    told = [
        t if t[0] in "<>" else f"{number(100 * x, digits)}%" for t, x in zip(alone, (value, low, high), strict=True)
    ]
    return told[0], told[1], told[2]


def _decimals(value: float, low: float, high: float, digits: int) -> int:
    half = (high - low) / 2
    # Narrower than this is the last bits of a sum, not a width.
    noise = 1e-11 * max(abs(low), abs(high))
    decimals = max(0, digits - 1 - _exponent(half)) if half > noise else 3
    if low > 0 or high < 0:
        # A lopsided interval such as 0.9 to 250 around 3.7 must not round the value to 4.
        decimals = max(decimals, 1 - _exponent(value))
    return decimals


def estimate_parts(value: float, low: float | None, high: float | None, digits: int = 2) -> tuple[str, str, str]:
    """A value and the ends of its interval, to the second digit of its half-width; no text for ends that do not exist.

    >>> estimate_parts(0.8712, 0.8662, 0.8760)
    ('0.8712', '0.8662', '0.8760')
    >>> estimate_parts(1.2e-07, 0.0, 0.003), estimate_parts(3.7, 0.9, 250.0)
    (('1.2e-07', '0.0000', '0.0030'), ('3.7', '0.9', '250.0'))
    """
    if low is None or high is None:
        return significant(value), "", ""
    if not math.isfinite(high - low):
        return significant(value), significant(low), significant(high)
    decimals = _decimals(value, low, high, digits)
    largest = max(abs(low), abs(value), abs(high))
    if decimals > MOST_DECIMALS and 0 < largest < 10.0 ** (2 - MOST_DECIMALS):
        places = max(1, decimals + _exponent(largest))
        parts = [f"{abs(v):.{places}e}" if v else "0" for v in (value, low, high)]
        signed = [MINUS + t if v < 0 else t for t, v in zip(parts, (value, low, high), strict=True)]
        return signed[0], signed[1], signed[2]
    decimals = min(decimals, 12)
    told = number(value, decimals)
    if value != 0 and not any(c in "123456789" for c in told):
        told = significant(value, digits)
    return told, number(low, decimals), number(high, decimals)


def bracketed(low: str, high: str) -> str:
    """The ends of an interval as every output tells them; nothing where there are none.

    >>> bracketed("0.73", "0.76")
    '[0.73, 0.76]'
    """
    return f"[{low}, {high}]" if low else ""


def in_hundred(estimate: Estimate) -> tuple[str, str]:
    """A share as so many of 100, with its interval in brackets; one digit of the half-width is enough in a sentence."""
    assert estimate.value is not None
    if estimate.low is None or estimate.high is None:
        # What is not all and not nothing is told as neither.
        nearer = 100 * min(estimate.value, 1 - estimate.value)
        return number(100 * estimate.value, -math.floor(math.log10(nearer)) if 0 < nearer < 0.5 else 0), ""
    half = 50 * (estimate.high - estimate.low)
    decimals = max(0, digits_for(half) - 1) if half > 0 else 0
    low, high = number(100 * estimate.low, decimals), number(100 * estimate.high, decimals)
    return number(100 * estimate.value, decimals), f" {bracketed(low, high)}"


def with_limits(estimate: Estimate, sign: int = 1) -> tuple[str, str]:
    """A value with its interval in brackets, or both turned round."""
    assert estimate.value is not None
    ends = estimate.low, estimate.high
    if sign < 0 and estimate.low is not None and estimate.high is not None:
        ends = -estimate.high, -estimate.low
    value, low, high = estimate_parts(sign * estimate.value, *ends, digits=1)
    return value, f" {bracketed(low, high)}" if low else ""


def in_prose(estimate: Estimate, sign: int = 1) -> str:
    """A number with its interval as sentences tell it, with as few digits as they need, value and limits alike.

    >>> from steelyard.results import Estimate
    >>> in_prose(Estimate("auc", 0.7482, 0.7343, 0.7621))
    '0.75 [0.73, 0.76]'
    """
    return f"n/a ({estimate.reason})" if estimate.value is None else "".join(with_limits(estimate, sign))


def with_article(noun: str) -> str:
    """A noun with "a" or "an", by its first sound.

    >>> with_article("recall"), with_article("error rate"), with_article("RMSE")
    ('a recall', 'an error rate', 'an RMSE')
    """
    spelt = noun[:2].isupper()
    return f"{'an' if noun[0] in ('AEFHILMNORSX' if spelt else 'aeio') else 'a'} {noun}"


def estimate_text(estimate: Numeric) -> str:
    """A number with its interval and what it rests on where that is little, or the reason why there is no number.

    >>> from steelyard.results import Estimate
    >>> estimate_text(Estimate("auc", 0.8712, 0.8662, 0.8760))
    '0.8712 [0.8662, 0.8760]'
    >>> estimate_text(Estimate("auc", 0.88, 0.19, 0.99, caution="rests on 1 positive"))
    '0.88 [0.19, 0.99] (rests on 1 positive)'
    """
    told = marked(estimate)
    return f"{told.removesuffix(MARK)} ({estimate.caution})" if told.endswith(MARK) else told


def marked(estimate: Numeric) -> str:
    """A number with its interval, and a mark where it rests on little; whoever lays it out tells what the mark stands for.

    >>> from steelyard.results import Estimate
    >>> marked(Estimate("auc", 0.88, 0.19, 0.99, caution="rests on 1 positive"))
    '0.88 [0.19, 0.99] †'
    """
    if estimate.value is None:
        return f"n/a ({estimate.reason})"
    value, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    return f"{value} {bracketed(low, high)}".rstrip() + (MARK if estimate.caution else "")


def told_marks(marks: Sequence[tuple[str, str]]) -> list[str]:
    """What the marks stand for: for each caution the names of the numbers that carry it.

    >>> told_marks([("auc", "rests on 1 positive"), ("ks", "rests on 1 positive"), ("mae", "")])
    ['† rests on 1 positive: auc, ks']
    """
    said: dict[str, list[str]] = {}
    for name, words in marks:
        if words and name not in said.setdefault(words, []):
            said[words].append(name)
    many = sum(map(len, said.values())) > MOST_NAMED
    told = _told_together(said) if many else said
    return [
        f"{MARK.strip()} {words}: {_a_few_of(names) if many else ', '.join(names)}" for words, names in told.items()
    ]


MOST_NAMED = 24
"""Up to so many numbers that carry a mark are all named; a table of 400 segments has thousands."""
FEW_NAMED = 6
"""So many are named of each kind, where there are more in all."""
_COUNTED = re.compile(r"(.* )(\d[\d,]*)( \D*)")


def _told_together(said: dict[str, list[str]]) -> dict[str, list[str]]:
    """What rests on counts of one thing under one caution, from the least to the most.

    >>> _told_together({"rests on 1 positive": ["auc of a"], "rests on 3 positives": ["auc of b"], "rests on 2 of 4 rows": ["mae"]})
    {'rests on 1 to 3 positives': ['auc of a', 'auc of b'], 'rests on 2 of 4 rows': ['mae']}
    """
    kinds: dict[tuple[str, str], list[tuple[int, str, str]]] = {}
    for words in said:
        counted = _COUNTED.fullmatch(words)
        lead, number, thing = counted.groups() if counted else (words, "0", "")
        plain = counted and not any(c.isdigit() for c in lead)
        kind = (lead, thing.removesuffix("s")) if plain else (words, "")
        kinds.setdefault(kind, []).append((int(number.replace(",", "")), thing, words))
    together: dict[str, list[str]] = {}
    for (lead, _), found in kinds.items():
        (least, _, words), (most, thing, _) = min(found), max(found)
        names = [name for *_, words in found for name in said[words]]
        together[words if len(found) == 1 else f"{lead}{least:,} to {most:,}{thing}"] = names
    return together


def _a_few_of(names: list[str]) -> str:
    more = len(names) - FEW_NAMED
    return ", ".join(names[:FEW_NAMED]) + (f" and {more:,} more" if more > 0 else "")


# Names ----------------------------------------------------------------------------------------------------------------

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(name: object) -> str:
    r"""A name as it may be printed: whatever would move the cursor or turn the line round is shown instead of obeyed.

    What runs from right to left is set apart (Unicode's isolates), so that it does not turn round the numbers beside it.

    >>> visible("two\nlines"), visible("\x1b[31mred"), visible(True)
    ('two\\nlines', '\\x1b[31mred', 'True')
    >>> ascii(visible("\u05d0\u05d1"))
    "'\\u2068\\u05d0\\u05d1\\u2069'"
    """
    text = str(name)
    if text.isascii() and text.isprintable():
        return text
    # What has been set apart already stays as it is; brackets that set nothing apart are shown.
    parts = re.split(f"({OPEN}[^{OPEN}{CLOSE}]*{CLOSE})", text)
    return "".join(_apart(p[1:-1]) if i % 2 and _turned(p) else _apart(p) for i, p in enumerate(parts))


def _turned(text: str) -> bool:
    """Whether some of it runs from right to left."""
    return any(unicodedata.bidirectional(c) in {"R", "AL"} for c in text)


def _apart(text: str) -> str:
    """Text with its runs from right to left set apart: all of it where nothing runs from left to right."""
    told = "".join(_shown(c) for c in text)
    kinds = [unicodedata.bidirectional(c) for c in told]
    turned = [i for i, kind in enumerate(kinds) if kind in {"R", "AL"}]
    if not turned:
        return told
    if "L" not in kinds:
        return f"{OPEN}{told}{CLOSE}"
    out, at = [], 0
    for first, last in _runs(kinds, turned):
        out += [told[at:first], OPEN, told[first : last + 1], CLOSE]
        at = last + 1
    return "".join([*out, told[at:]])


def _runs(kinds: Sequence[str], turned: Sequence[int]) -> list[tuple[int, int]]:
    """First and last place of each run from right to left; what has no direction belongs to it where it lies inside."""
    out = [(turned[0], turned[0])]
    for i in turned[1:]:
        first, last = out[-1]
        if "L" in kinds[last:i]:
            out.append((i, i))
        else:
            out[-1] = (first, i)
    return out


def closed(text: str) -> str:
    """Text that was cut, with what it sets apart closed again."""
    return text + CLOSE * max(0, text.count(OPEN) - text.count(CLOSE))


def _shown(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    # Cc control, Cf format (direction marks), Cs surrogates, Zl and Zp line ends. Joiners belong to emoji.
    if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} and c != "\u200d":
        code = ord(c)
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    return c


def quoted(name: object) -> str:
    """A level as it stands in a sentence: text in quotes, numbers and truth values bare.

    >>> quoted("spam"), quoted(1)
    ('"spam"', '1')
    """
    return f'"{visible(name)}"' if isinstance(name, str) else visible(name)


def some_names(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, the first few where there are many.

    >>> some_names(["a", "b"]), some_names("abcdefg")
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    shown = ", ".join(visible(n) for n in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
