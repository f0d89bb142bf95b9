"""Sentences that name arguments: one wording for people who call Python, one for people who type a command.

`option("positive", "spam")` stands for positive="spam" in Python and for --positive spam on a command line, and goes into a
sentence like any other text. Where the two need different advice, `either` holds both. An error keeps its sentences as
`Wording`; until then an argument is a token between two marks, which no `Wording` shows to anybody.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.files.addresses import discreet, without_secrets

OPEN, CLOSE = "\ufdd0", "\ufdd1"
"""Around a token. Unicode keeps these two for use inside programs: no text of anybody has them."""
TOKEN = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
LOST = "\ufffd"
"""What is shown for a mark that somebody's text has nevertheless."""
LONGEST = 60
"""So many characters of a value that is no text are shown in a sentence."""
LONG = re.compile(r'(?<=")[^"\n]{241,}(?=")|[^\s"]{241,}')
"""Text of somebody's that would hide the sentence in which it stands."""
NOTHING = object()


class Code(str):
    """Python as it is written, where a value stands for itself otherwise: option("design", Code("KFold(5)"))."""


def option(name: str, value: object = NOTHING, *, typed: str | None = None) -> str:
    """An argument and its value, to stand in a sentence; `...` is any value, [...] several, {...: ...} one for each level.

    What is typed for a value of Python's own goes into `typed`.

    >>> print(Wording(f"Say so: {option('positive', 'spam')}, or leave {option('target')} out."))
    Say so: positive="spam", or leave target= out.
    >>> sentence = Wording(f"Say {option('levels', ['a', 'b c'])}, or {option('score', {...: ...})}.")
    >>> print(sentence)
    Say levels=["a", "b c"], or score={level: column, ...}.
    >>> print(sentence.typed({"levels": Spelling("--level", "LEVEL", repeated=True), "score": Spelling("--score", "COLUMN")}))
    Say --level a --level 'b c', or --score LEVEL=COLUMN.
    """
    python = f"{name}={'' if value is NOTHING else _code(value)}"
    return _token([name, python, _values(value) if typed is None else [typed]])


def either(python: str, typed: str) -> str:
    """Words for people who call Python, and other words for people who type a command.

    >>> sentence = Wording(f"{either('Pass a frame', 'Name a file')} of rows.")
    >>> print(sentence, sentence.typed({}))
    Pass a frame of rows. Name a file of rows.
    """
    return _token([python, typed])


def _token(content: list[Any]) -> str:
    return f"{OPEN}{json.dumps(content)}{CLOSE}"


# How values are written -----------------------------------------------------------------------------------------------


def _code(value: object) -> str:
    """A value as Python has it."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    if value is ...:
        return "..."
    if isinstance(value, dict):
        pairs = [f"{_code(k)}: {_code(v)}" if k is not ... else "level: column, ..." for k, v in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    if isinstance(value, set) and value == {...}:
        return "{...}"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    try:
        plain = value.item() if hasattr(value, "item") else value
        # A member of an enumeration of numbers is its number.
        plain = int(plain) if isinstance(plain, int) and not isinstance(plain, bool) else plain
        text = " ".join(repr(plain).split())
    except Exception:  # whatever it is, it has no text, and a sentence about it is still owed
        text = ""
    return text if 0 < len(text) <= LONGEST and text[0] != "<" else f"a value of type {type(value).__name__}"


def _values(value: object) -> Any:
    """A value as it is typed: a text each, None for any, pairs of level and column, or a truth value."""
    if value is NOTHING or isinstance(value, bool):
        return [] if value is NOTHING else value
    if isinstance(value, list):
        # "for each of them", where nothing but [...] was said
        return [_typed(v) for v in value if v is not ...] or "each"
    if isinstance(value, dict):
        return [[_typed(k), _typed(v)] for k, v in value.items()]
    return [[None, None]] if isinstance(value, set) else [_typed(value)]


def _typed(value: object) -> str | None:
    """A value as it is typed; Python's own cannot be, and is any."""
    if value is ... or isinstance(value, Code):
        return None
    return str(value) if isinstance(value, str) else _code(value)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a command spells an argument: its option, and what stands for a value, which is nothing for a flag.

    `without` is the flag that says False, where there is one.
    """

    option: str
    value: str = ""
    repeated: bool = False
    without: str = ""


# The parts of a sentence ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a sentence names: as Python has it, and its values as they are typed."""

    name: str
    python: str
    values: Any

    def typed(self, spellings: Mapping[str, Spelling]) -> str:
        """The option of a command; what the command does not have can be said in Python only."""
        spelling = spellings.get(self.name)
        if spelling is None:
            return f"{self.python} in Python"
        if self.values is False and spelling.without:
            return spelling.without
        if not spelling.value or self.values == []:
            return spelling.option
        if self.values == "each":
            return f"{spelling.option} for each of them"
        listed = self.values if isinstance(self.values, list) else [str(self.values)]
        told = [_quoted(value, spelling.value) for value in listed]
        if spelling.repeated or len(told) == 1:
            return " ".join(f"{spelling.option} {value}" for value in told)
        return f"{spelling.option} {','.join(told)}"


def _quoted(value: str | list[str | None] | None, stands_for: str) -> str:
    """A value as a shell takes it, or what stands for one."""
    if value is None:
        return stands_for
    if isinstance(value, str):
        return shlex.quote(value)
    level, column = value
    levels, _, columns = stands_for.rpartition("=")
    return f"{levels or 'LEVEL' if level is None else shlex.quote(level)}={_quoted(column, columns)}"


@dataclass(frozen=True, slots=True)
class Either:
    """Words for people who call Python, and other words for people who type a command."""

    python: Wording
    other: Wording

    def typed(self, spellings: Mapping[str, Spelling]) -> str:
        """The words for a command."""
        return self.other.typed(spellings)


class Wording(str):
    """A sentence in the words of Python, without secrets, that can be told in the words of a command as well."""

    __slots__ = ("parts",)
    parts: tuple[str | Argument | Either, ...]

    def __new__(cls, text: str) -> Wording:
        """The text, its tokens read; what is a wording already stays as it is."""
        return text if isinstance(text, Wording) else _joined(_parts(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return _joined, (self.parts,)

    @property
    def marked(self) -> str:
        """The sentence with its tokens, to be made part of another one."""
        return "".join(_marked(part) for part in self.parts)

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it names to people who call Python."""
        inside = [part.python.names for part in self.parts if isinstance(part, Either)]
        return frozenset(part.name for part in self.parts if isinstance(part, Argument)).union(*inside)

    def typed(self, spellings: Mapping[str, Spelling]) -> str:
        """The sentence in the words of a command that spells its arguments so."""
        return "".join(part if isinstance(part, str) else part.typed(spellings) for part in self.parts)


def _joined(parts: tuple[str | Argument | Either, ...]) -> Wording:
    sentence = str.__new__(Wording, "".join(part if isinstance(part, str) else part.python for part in parts))
    sentence.parts = parts
    return sentence


def _parts(text: str) -> tuple[str | Argument | Either, ...]:
    """The parts of a sentence with tokens; secrets are taken out of the words, and out of each value."""
    found: list[Argument | Either] = []

    def numbered(token: re.Match[str]) -> str:
        part = _part(token[1])
        if part is None:
            return LOST
        found.append(part)
        return f"{OPEN}{len(found) - 1}{CLOSE}"

    # A token is a short number while secrets are looked for: what they are told by must not be found in a token.
    words = TOKEN.split(discreet(_without_marks(TOKEN.sub(numbered, text))))
    return tuple(found[int(word)] if i % 2 else cut(word) for i, word in enumerate(words) if word or i % 2)


def cut(text: str) -> str:
    """The text with its very long words, and what stands very long between quotation marks, cut in their middle.

    >>> cut(f'There is no file "{"a" * 5000}".') == f'There is no file "{"a" * 160} … {"a" * 60}".'
    True
    """
    return LONG.sub(lambda found: f"{found[0][:160]} … {found[0][-60:]}", text)


def _without_marks(text: str) -> str:
    """The text with its numbered tokens, and no mark beside them."""
    pieces = re.split(f"({OPEN}\\d+{CLOSE})", text)
    return "".join(p if i % 2 else p.replace(OPEN, LOST).replace(CLOSE, LOST) for i, p in enumerate(pieces))


def _part(content: str) -> Argument | Either | None:
    try:
        held = json.loads(content)
    except ValueError:
        return None
    match held:
        case [str(python), str(typed)]:
            return Either(Wording(python), Wording(typed))
        case [str(name), str(python), bool() | "each" as values]:
            return Argument(name, cut(_without_marks(discreet(python))), values)
        case [str(name), str(python), list(values)] if all(_is_value(v) for v in values):
            return Argument(name, cut(_without_marks(discreet(python))), _masked(values))
    return None


def _is_value(value: object) -> bool:
    pair = isinstance(value, list) and len(value) == 2 and all(isinstance(v, str | None) for v in value)
    return pair or isinstance(value, str | None)


def _masked(values: object) -> Any:
    """Values without secrets and marks."""
    if isinstance(values, list):
        return [_masked(value) for value in values]
    return cut(_without_marks(without_secrets(values))) if isinstance(values, str) else values


def _marked(part: str | Argument | Either) -> str:
    if isinstance(part, Argument):
        return _token([part.name, part.python, part.values])
    return part if isinstance(part, str) else _token([part.python.marked, part.other.marked])
