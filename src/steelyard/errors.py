"""Every error steelyard raises, each a sentence with a hint.

SteelyardError
├── UsageError                the call cannot be meant (exit code 2)
│   ├── UnknownMeasure        no measure, level or curve of that name
│   ├── UnknownSegment        no segment of that name or value
│   ├── NotAvailable          the evidence at hand cannot answer this question
│   └── MissingPart           an optional package is needed
└── InputError                the data cannot be used (exit code 3)
    ├── UnreadableSource      no such file, a directory, a pickle, a broken CSV
    ├── UnwritableFile        a result cannot be written where it should go
    ├── UnknownColumn         a role names a column that is not there
    ├── EmptyTable            no rows at all, or none left
    ├── LengthsDiffer         arrays of different lengths
    ├── MissingValues         missing or non-finite values, and nobody said drop
    ├── NotNumeric            text where numbers are needed
    ├── BadWeight             zero, negative or non-finite weights
    ├── BadLevels             one class only, the positive absent or ambiguous, far too many classes
    ├── BadPayoff             a profit or cost matrix that cannot be used, or does not fit the levels
    ├── NothingMeets          no threshold meets the constraint
    └── CannotAdd             summaries of different things
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

from steelyard.files.addresses import without_secrets
from steelyard.wording import Wording


class SteelyardError(Exception):
    """What went wrong, in a sentence, and what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        # What was given may be an address with a password in it, and a message is read by many: a wording has no secrets.
        self.message: Wording = Wording(message)
        self.hint: Wording = Wording(hint)
        super().__init__(f"{self.message}\nHint: {self.hint}" if hint else str(self.message))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the lines that are not this library's own, and the sentence."""
        import traceback

        house, notebook = os.path.dirname(__file__), f"{os.sep}IPython{os.sep}"
        lines = traceback.extract_tb(self.__traceback__)
        own = [x for x in lines if not x.filename.startswith(house) and notebook not in x.filename]
        return [*traceback.format_list(own), f"{type(self).__name__}: {self}"]


class UsageError(SteelyardError):
    """The call cannot be meant as it stands."""

    exit_code = 2


class UnknownMeasure(UsageError):
    """No measure, level or curve has that name."""


class UnknownSegment(UsageError, KeyError):
    """No segment has that name or value."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class NotAvailable(UsageError):
    """The evidence at hand cannot answer this question."""


class MissingPart(UsageError):
    """An optional package is needed and not installed."""


class InputError(SteelyardError):
    """The data cannot be used as it stands."""

    exit_code = 3


class UnreadableSource(InputError):
    """The file or object cannot be opened as a table."""


class UnwritableFile(InputError):
    """A result cannot be written where it should go."""


class UnknownColumn(InputError):
    """A role names a column that the table does not have."""


class EmptyTable(InputError):
    """There are no rows."""


class LengthsDiffer(InputError):
    """Arrays that should run side by side have different lengths."""


class MissingValues(InputError):
    """Some rows have a missing or non-finite value."""


class NotNumeric(InputError):
    """Text stands where numbers are needed."""


class BadWeight(InputError):
    """A weight is negative, not finite, or too large or small to be multiplied."""


class BadLevels(InputError):
    """The levels of the target do not fit the question."""


class BadPayoff(InputError):
    """A profit or cost matrix cannot be used, or does not fit the levels of the data."""


class NothingMeets(InputError):
    """No threshold meets the constraint."""


class CannotAdd(InputError):
    """Two summaries describe different things."""


def refuse_address(path: object) -> None:
    """Refuse an address with a secret in it where a file on this machine belongs, before the system is asked for it."""
    text = str(path)
    told = without_secrets(text)
    if told == text or os.path.exists(text.replace("\0", "")):
        return
    message = f'"{told}" is an address, and no file on this machine.'
    hint = "Files are named by their path; a database of PostgreSQL is named as postgresql://user:password@host/database?table=name"
    raise UnreadableSource(message, hint)


def refuse_same_names(frame: object) -> None:
    """Refuse a frame of which two columns have one name: nobody could say which of them is meant."""
    library = type(frame).__module__.split(".")[0]
    # Other libraries refuse it themselves, and some would have to run a query to tell.
    names = {"pandas": "columns", "pyarrow": "column_names"}.get(library, "")
    known = [str(name) for name in getattr(frame, names, ())] if names else []
    if len(set(known)) < len(known):
        twice = sorted({name for name in known if known.count(name) > 1})
        message = f"The table has more than one column of the same name: {listing(twice)}."
        raise UnreadableSource(message, "Give every column its own name.")


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, as the tail of a sentence.

    >>> nearest("tagret", ["target", "score"])
    'Did you mean "target"?'
    >>> nearest("roc_curve", ["roc", "cost_curve"])
    'Did you mean "roc"?'
    """
    name, names = str(name), [str(k) for k in known]
    # What is all but right comes first, then a name to which somebody has added what kind of thing it is.
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.9)
    close = close or sorted((k for k in names if len(k) > 2 and name.startswith(k)), key=len)[-1:]
    close = close or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f'Did you mean "{close[0]}"?' if close else ""


def listing(names: Iterable[object], most: int = 12) -> str:
    """Name a few things in a sentence, and count the rest.

    >>> listing(["a", "b"])
    '"a", "b"'
    """
    shown = [f'"{n}"' if isinstance(n, str) else _told(n) for n in names]
    if len(shown) <= most:
        return ", ".join(shown)
    return ", ".join(shown[:most]) + f" and {len(shown) - most:,} more"


def _told(value: object) -> str:
    try:
        text = str(value)
    except ValueError:
        # Python writes no number of more than some thousand digits.
        return "a number of very many digits"
    plain = len(text) <= 60 and not text.startswith("<") and "\n" not in text
    return text if plain else f"a value of type {type(value).__name__}"


class UndefinedCompared(UserWarning):
    """A number that is undefined was compared; the comparison is false, whichever way it was asked."""


class HiddenRows(UserWarning):
    """A sheet of a workbook hides some of its rows, and all of them are counted."""
