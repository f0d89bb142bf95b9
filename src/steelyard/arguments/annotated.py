"""Arguments held against the annotations of the function that takes them, before it starts to work."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, TypeVar

import numpy as np

from steelyard.arguments.allowed import NotAllowed, Span, Words, confidence_of, shown, threshold_of
from steelyard.errors import UsageError, nearest
from steelyard.wording import either, option

Function = TypeVar("Function", bound=Callable[..., Any])
Reader = Callable[[Any], Any]
Label = Annotated[Any, "one level"]
"""The annotation of an argument that names one level of a column: text, a number, a date or yes or no, never several."""
Confidence = Annotated[float, "a confidence"]
Threshold = Annotated[float, "a threshold"]


def as_annotated(*but: str) -> Callable[[Function], Function]:
    """Refuse, in a sentence, an argument that is not of the kind that the function's annotation names.

    Numbers, whole numbers, yes or no, words, paths, lists and mappings are held against it and handed on as plain Python;
    what is annotated Any is left to the function, and so is what is named in `but`: arguments about which it has more to say.
    Ranges and choices are told by an annotation with a Span or Words, or are the function's business too. Of a class it is
    what makes one.

    >>> @as_annotated()
    ... def half(x: float, *, times: int = 1) -> float:
    ...     return x / 2**times
    >>> half(3)
    1.5
    >>> half("3")
    Traceback (most recent call last):
    steelyard.errors.UsageError: The argument x must be a finite number, and "3" came.
    Hint: help(half) says what it means.
    """

    def mark(function: Function) -> Function:
        if isinstance(function, type):
            made: Any = function
            made.__init__ = mark(made.__init__)
            return function
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*places: object, **given: object) -> Any:
            __tracebackhide__ = True  # what is refused is told by the call, not by this
            called = _called(function, *places[:1])
            bound = _bound(called, signature, places, given)
            asked = {name: value for name, value in bound.arguments.items() if name not in but}
            bound.arguments.update(read_like(function, asked))
            return function(*bound.args, **bound.kwargs)

        return typing.cast(Function, checked)

    return mark


def read_like(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as a function would take them: for one that hands them on."""
    function = inspect.unwrap(function)
    readers = _readers(function)
    return {
        name: _read(function, name, value, *readers[name]) if name in readers else value
        for name, value in given.items()
    }


@functools.cache
def _readers(function: Callable[..., Any]) -> dict[str, tuple[Any, str, Reader]]:
    """Who reads each argument: learnt at the first call, when all names of the module are there."""
    out = {}
    for name, p in inspect.signature(function).parameters.items():
        if (known := _allowed(function, p.annotation)) is not None:
            told, read = known
            out[name] = (p.default, told, EACH[p.kind](read) if p.kind in EACH else read)
    return out


MOST_TOLD = 2
"""So many arguments are shown by name to whoever named none."""
EACH: dict[Any, Callable[[Reader], Reader]] = {
    inspect.Parameter.VAR_POSITIONAL: lambda read: lambda found: tuple(map(read, found)),
    inspect.Parameter.VAR_KEYWORD: lambda read: lambda found: {name: read(value) for name, value in found.items()},
}
"""Of arguments that come in any number, each is read."""


def _bound(
    called: str, signature: inspect.Signature, places: tuple[object, ...], given: dict[str, object]
) -> inspect.BoundArguments:
    """The arguments by name; one that is missing, unknown or given twice is told in a sentence."""
    try:
        return signature.bind(*places, **given)
    except TypeError as problem:
        known = {n: p for n, p in signature.parameters.items() if n != "self" and p.kind is not p.VAR_KEYWORD}
        message = f"{called} cannot be called like this: {problem}."
        # What has to be named is shown with the sign of it.
        told = [f"{n}=" if p.kind is p.KEYWORD_ONLY else n for n, p in known.items()]
        named = [n for n, p in known.items() if p.kind is p.KEYWORD_ONLY]
        if "positional" in str(problem) and named:
            first = [n for n, p in known.items() if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]
            asked = ", ".join([*first, *(f"{n}=..." for n in named[:MOST_TOLD])])
            raise UsageError(message, f"Name what comes: {called}({asked}).") from None
        close = [found for n in given if n not in known and (found := nearest(n, known))]
        hint = " ".join([*close, f"It takes {', '.join(told)}." if known else "It takes nothing."])
        raise UsageError(message, hint) from None


def _read(function: Callable[..., Any], name: str, value: object, default: object, allowed: str, reader: Reader) -> Any:
    if value is default:
        return value
    try:
        return reader(value)
    except NotAllowed:
        message = (
            f"{either('The argument ' + name.rstrip('_'), option(name))} must be {allowed}, and {shown(value)} came."
        )
        without = "" if default is inspect.Parameter.empty else "Leave it out, or give what is allowed. "
        hint = f"{without}{either(f'help({_called(function)})', '--help')} says what it means."
        raise UsageError(message, hint) from None


def _called(function: Callable[..., Any], first: object = None) -> str:
    """The name by which people call a function, a method of what comes `first`, or a class.

    >>> _called(Span.read), _called(Span.__init__)
    ('Span.read', 'Span')
    """
    name = str(function.__qualname__).rpartition("<locals>.")[2]
    owner, _, method = name.rpartition(".")
    if owner and owner in {c.__qualname__.rpartition("<locals>.")[2] for c in type(first).__mro__}:
        # A method that comes from further up is known by the class that people have in hand.
        name = f"{type(first).__name__}.{method}"
    return name.removesuffix(".__init__")


# What an annotation allows --------------------------------------------------------------------------------------------


def _flag(value: object) -> bool:
    """Yes or no; 0 and 1 are taken for it, as they are everywhere."""
    if type(value).__name__ in ("bool", "bool_") or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise NotAllowed


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NotAllowed
    return value


def _path(value: object) -> Any:
    if not isinstance(value, str | os.PathLike) or "\x00" in os.fsdecode(value):
        raise NotAllowed
    return value


def _mapping(value: object) -> Any:
    if not isinstance(value, Mapping):
        raise NotAllowed
    return value


def _listed(value: object) -> Any:
    """A list, a tuple, an array or a column; what can be read only once is read here."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise NotAllowed
    if getattr(value, "ndim", 1) != 1 or (hasattr(value, "columns") and not isinstance(value, list)):
        raise NotAllowed
    if isinstance(value, Sequence):
        return value
    return value.tolist() if hasattr(value, "tolist") else list(value)


def texts(value: object) -> Any:
    """Words in a list; one word alone stands for itself."""
    if isinstance(value, str):
        return value
    found = list(_listed(value))
    if not all(isinstance(v, str) for v in found):
        raise NotAllowed
    return found


def _names(value: object) -> tuple[str, ...]:
    found = texts(value)
    return (found,) if isinstance(found, str) else tuple(found)


def _function(value: object) -> Any:
    if not callable(value):
        raise NotAllowed
    return value


def label(value: object) -> Any:
    """One value that a column can hold, as plain Python, or NotAllowed."""
    if isinstance(value, int) and value.bit_length() > 10_000:  # a number that Python itself will not write
        raise NotAllowed
    if isinstance(value, Decimal) and value.is_snan():  # one that nothing can be compared with
        raise NotAllowed
    if isinstance(value, str | bytes | date | timedelta | numbers.Number | Decimal | np.generic):
        return value.item() if isinstance(value, np.bool_ | np.number) else value
    raise NotAllowed


def _nothing(value: object) -> None:
    if value is not None:
        raise NotAllowed


KINDS: dict[Any, tuple[str, Reader]] = {
    float: (str(Span()), Span().read),
    int: (str(Span(whole=True)), Span(whole=True).read),
    bool: ("True or False", _flag),
    str: ("text", _text),
    type(None): ("None", _nothing),
    Sequence[str]: ("a list of names", texts),
    tuple[str, ...]: ("names", _names),
    Sequence[Any]: ("a list", _listed),
    Sequence[float]: ("a list of numbers", lambda value: [Span().read(v) for v in _listed(value)]),
    Sequence[int]: ("a list of whole numbers", lambda value: [Span(whole=True).read(v) for v in _listed(value)]),
    os.PathLike[str]: ("a path", _path),
    Confidence: ("a number above 0 and below 1", confidence_of),
    Threshold: ("a finite number", threshold_of),
    Label: ('one level, such as 1 or "yes"', lambda value: None if value is None else label(value)),
}


def _allowed(function: Callable[..., Any], annotation: object) -> tuple[str, Reader] | None:
    """What an annotation allows, in words, and who reads it; None where it names something that is left to the function."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, vars(typing) | function.__globals__)  # our own source, not a caller's
        except NameError:  # a name that is only there for the checker of types
            return None
    either = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    parts = typing.get_args(annotation) if either else (annotation,)
    known: list[tuple[str, Reader]] = []
    for part in parts:
        if part is str and os.PathLike[str] in parts:
            continue
        if typing.get_origin(part) in (Mapping, dict):
            known.append(("a mapping", _mapping))
        elif typing.get_origin(part) is Callable:
            known.append(("a function", _function))
        elif part in KINDS:
            known.append(KINDS[part])
        elif isinstance(span := getattr(part, "__metadata__", (None,))[0], Span | Words):
            known.append((str(span), span.read))
        elif isinstance(part, type) and part.__module__.startswith("steelyard."):
            known.append((_named(part), _instance(part)))
        else:
            return None
    words = [w for w, _ in known if w != "None"]
    told = " or ".join(words)

    def read(value: object) -> Any:
        for _, reader in known:
            try:
                return reader(value)
            except (NotAllowed, OverflowError):
                continue
        raise NotAllowed

    return (told, read)


def _named(kind: type) -> str:
    """A class of ours in words; one that is never made itself by those that are."""
    return " or ".join(f"a {made.__name__}" for made in _made(kind))


def _made(kind: type) -> list[type]:
    below: list[type] = kind.__subclasses__()
    return [made for one in below for made in _made(one)] or [kind]


def _instance(kind: type) -> Reader:
    def read(value: object) -> Any:
        if not isinstance(value, kind):
            raise NotAllowed
        return value

    return read
