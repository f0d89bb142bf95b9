"""Designs written as a short text, for a command line or a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any, NoReturn

from steelyard.designs.bootstrap import Bootstrap
from steelyard.designs.design import Design
from steelyard.designs.folds import KFold, LeaveOneOut, NestedFolds, StoredFolds
from steelyard.designs.holdout import Holdout, PairedHoldout, RepeatedHoldout
from steelyard.designs.out_of_time import OutOfTime
from steelyard.designs.strata import stratify_asked
from steelyard.errors import UsageError, nearest

FORMS = (
    "holdout:0.3",
    "holdout:0.3:0.2",
    "holdout:0.3x20",
    "kfold:10",
    "kfold:10x3",
    "loo",
    "bootstrap:200",
    "outoftime:COLUMN",
    "outoftime:COLUMN:5",
    "outoftime:COLUMN@2024-01-01",
    "folds:COLUMN",
    "nested:5x10",
    "paired:15x10",
)
SHARE = r"(?:\d+/\d+|\d*\.?\d+)"
ALIASES = {"leaveoneout": "loo", "cv": "kfold", "storedfolds": "folds", "repeatedholdout": "holdout"}

Chosen = tuple[type[Design], dict[str, Any]]


def design_from_text(
    text: str, *, stratify: object = False, group: object = None, seed: int = 0, gap: object = None
) -> Design:
    """A design as it is written in one word, such as "kfold:10x3" for ten folds, three times.

    >>> print(design_from_text("holdout:0.3x20", stratify=True))
    hold-out of 30%, stratified, 20 repeats
    >>> print(design_from_text("outoftime:day:5", gap="7 days"))
    out of time by "day", latest 33.3%, 5 origins, a gap of 7 days
    """
    made, values = _read(str(text))
    known = _options(made)
    # A seed is harmless where nothing is drawn; any other option would be lost without a word.
    for option, value, asked in (
        ("stratify", stratify, stratify_asked(stratify)),
        ("group", group, group is not None),
        ("gap", gap, gap is not None),
        ("seed", seed, "seed" in known),
    ):
        if not asked:
            continue
        if option not in known:
            message = f'The design "{text}" takes no {option}.'
            having = [form for form in FORMS if option in _options(_read(form)[0])]
            raise UsageError(message, f"Leave it out, or take one of {', '.join(having)}.")
        values[option] = value
    return made(**values)


def _read(text: str) -> Chosen:
    """Which design a text means, and what it says of it."""
    name, _, rest = text.strip().partition(":")
    kind = re.sub(r"[-_ ]", "", name.lower())
    kind = ALIASES.get(kind, kind)
    if kind not in READERS:
        message = f'There is no design called "{name}". The forms are {", ".join(FORMS)}.'
        raise UsageError(message, nearest(kind, READERS) or "Write one of these.")
    return READERS[kind](rest.strip(), text)


def _options(made: type[Design]) -> set[str]:
    return {field.name for field in fields(made)}


def _wrong(text: str, kind: str) -> NoReturn:
    forms = [f for f in FORMS if f.partition(":")[0] == kind]
    message = f'The design "{text}" cannot be read; it is written {" or ".join(forms)}.'
    raise UsageError(message, "Write it in this form.")


def _holdout(rest: str, text: str) -> Chosen:
    if not rest:
        return Holdout, {}
    part, again = rf"(?P<{{}}>{SHARE}%?)", r"(?:[x×](?P<repeats>\d+))?"
    found = re.fullmatch(rf"{part.format('test')}(?::{part.format('validation')}|{again})", rest)
    if found is None or any(re.search(r"/0+%?$", found[name] or "") for name in ("test", "validation")):
        _wrong(text, "holdout")
    values: dict[str, Any] = {name: _share(found[name]) for name in ("test", "validation") if found[name] is not None}
    if found["repeats"] is None:
        return Holdout, values
    return RepeatedHoldout, {**values, "repeats": int(found["repeats"])}


def _share(text: str) -> float | int:
    """A share, or a number of rows where it is whole and not in per cent."""
    found = Fraction(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    return int(found) if found.denominator == 1 and not text.endswith("%") else float(found)


def _numbers(made: type[Design], kind: str, *names: str) -> Callable[..., Chosen]:
    """A reader of one number, or two with × between."""

    def read(rest: str, text: str) -> Chosen:
        found = re.fullmatch(r"(\d+)" + r"(?:[x×](\d+))?" * (len(names) - 1), rest)
        if rest and found is None:
            _wrong(text, kind)
        given = found.groups() if found else ()
        return made, {name: int(v) for name, v in zip(names, given, strict=False) if v is not None}

    return read


def _one_out(rest: str, text: str) -> Chosen:
    if rest:
        _wrong(text, "loo")
    return LeaveOneOut, {}


def _out_of_time(rest: str, text: str) -> Chosen:
    column, at, cut = rest.partition("@")
    values: dict[str, Any] = {}
    if at:
        values["cut"] = cut.strip()
    else:
        front, colon, origins = rest.rpartition(":")
        if colon and origins.strip().isdigit():
            column, values["origins"] = front, int(origins)
    if not column.strip() or (at and not cut.strip()):
        _wrong(text, "outoftime")
    return OutOfTime, {"time": column.strip(), **values}


def _folds(rest: str, text: str) -> Chosen:
    if not rest:
        _wrong(text, "folds")
    return StoredFolds, {"folds": rest}


READERS: dict[str, Callable[..., Chosen]] = {
    "holdout": _holdout,
    "kfold": _numbers(KFold, "kfold", "k", "repeats"),
    "loo": _one_out,
    "bootstrap": _numbers(Bootstrap, "bootstrap", "replicates"),
    "outoftime": _out_of_time,
    "folds": _folds,
    "nested": _numbers(NestedFolds, "nested", "k", "repeats"),
    "paired": _numbers(PairedHoldout, "paired", "repeats", "pairs"),
}
