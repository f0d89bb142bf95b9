"""What every result has: it tells itself through the view that its class names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from steelyard.verdicts.conclusion import Conclusion
    from steelyard.verdicts.verdict import Verdict

MOST_SHOWN, LONGEST = 300, 60
"""Characters of what stands for a result where there is no room for it, and of one value in it."""


class Told:
    """A result that people read: as text in a terminal, as HTML in a notebook.

    Its class names the views, each as a module of this room and a function of the result; without one of HTML the text is shown.

    >>> from steelyard.results import Estimate
    >>> class Number(Estimate, Told):
    ...     as_text = "sentences.statement"
    >>> Told.__str__(Number("recall", 2 / 3, 0.354, 0.879))
    'Finds 67 of 100 real positives [35, 88].'
    """

    __slots__ = ()

    as_text: ClassVar[str]
    as_html: ClassVar[str] = ""
    as_verdict: ClassVar[str] = ""
    """The view that puts its verdict into words: a function of the result and the verdict."""

    def __init_subclass__(cls, **more: Any) -> None:
        """What a notebook or a debugger shows beside the cell is short, whatever a data class would write there."""
        super().__init_subclass__(**more)
        if all(vars(base).get("__repr__", brief) is brief for base in cls.__mro__ if base is not object):
            type.__setattr__(cls, "__repr__", brief)  # an assignment would be a second declaration to checkers of types

    def in_words(self, verdict: Verdict) -> Verdict:
        """A verdict that knows how its sentence, reasons and next step are told."""
        return replace(verdict, teller=Teller(self, self.as_verdict))

    def __str__(self) -> str:
        return str(_view(self.as_text)(self))

    def _repr_html_(self) -> str:
        return str(_view(self.as_html or "cell.cell")(self))


def brief(result: Any) -> str:
    """The class of a result and the plain values that it has, no longer than a line or two.

    >>> from steelyard.results import Curve
    >>> brief(Curve("roc", {"fpr": [0.0, 1.0]}))
    "<Curve name='roc', confidence=0.95>"
    """
    told, room = [], MOST_SHOWN
    for name in [f.name for f in fields(result)] if is_dataclass(result) else []:
        value = getattr(result, name, None)
        if isinstance(value, bool | int | float | str) and value != "":
            words = f"{name}={value!r}" if len(str(value)) <= LONGEST else f"{name}={str(value)[: LONGEST - 1] + '…'!r}"
            if len(words) + 2 > room:
                break
            told.append(words)
            room -= len(words) + 2
    return f"<{type(result).__name__}{' ' if told else ''}{', '.join(told)}>"


class ToldInSentences(Told):
    """A result that also says itself in sentences, the most important first, through the view that is named like its text."""

    __slots__ = ()

    def sentences(self) -> list[str]:
        """What is to be said, in a few sentences."""
        return list(_view(f"{self.as_text.removesuffix('_text')}_sentences")(self))


@dataclass(frozen=True, slots=True)
class Teller:
    """Puts the verdict of a result into words, through the view that its class names."""

    result: Any
    view: str

    def __call__(self, verdict: Verdict) -> Conclusion:
        """The conclusion, in words."""
        found: Conclusion = _view(self.view)(self.result, verdict)
        return found


def _view(name: str) -> Callable[..., Any]:
    module, function = name.split(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"steelyard.views.{module}"), function)
    return found
