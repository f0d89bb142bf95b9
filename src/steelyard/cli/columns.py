"""What was typed, as the table has it: scores by level, levels of the right type, what outcomes are worth."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import BadPayoff, UnreadableSource, UsageError
from steelyard.payoffs.kinds import KINDS, sign_of

if TYPE_CHECKING:
    from steelyard.payoffs.payoff import Payoff

APART = re.compile(r"[,;](?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""A comma that is not part of a name between backquotes."""
NUMBERS = re.compile(r"[-+−.,;%eE\d\s]+")
SAMPLES = dict(zip(KINDS, ("tp=140, fn=-140, fp=-700, tn=0", "fn=140, fp=700"), strict=True))
MOST_TOLD = 20
"""So many columns are named in a sentence."""
TRUE, FALSE = {"true", "t", "yes", "1"}, {"false", "f", "no", "0"}


def kinds_of(data: object) -> dict[str, str]:
    """The columns of a path or a table and what they hold: "bool", "number" or "text"."""
    from steelyard.sources.recognise import open_table
    from steelyard.sources.tables import NUMBERS

    table = open_table(data)
    assert table is not None
    kinds = {name: table.kinds[inside] for name, inside in table.names.items()}
    return {name: "number" if kind in NUMBERS else "bool" if kind == "bool" else "text" for name, kind in kinds.items()}


def columns_told(data: Any) -> str:
    """Which columns there are and what they hold, as a sentence that follows another; nothing before rows were opened."""
    if data is None:
        return ""
    names = {"number": "numbers", "bool": "true or false", "text": "text"}
    kinds = kinds_of(data)
    told = [f"{name} ({names[kind]})" for name, kind in kinds.items()]
    more = f" and {len(told) - MOST_TOLD:,} more" if len(told) > MOST_TOLD else ""
    return f" There {'is' if len(told) == 1 else 'are'} {', '.join(told[:MOST_TOLD])}{more}."


def as_level(text: str, kind: str) -> Any:
    """A level typed as text, of the type that the column has; text that does not fit is left alone.

    >>> as_level("1", "number"), as_level("true", "bool"), as_level("1", "text"), as_level("spam", "number")
    (1, True, '1', 'spam')
    """
    lower = text.strip().lower()
    if kind == "bool" and lower in TRUE | FALSE:
        return lower in TRUE
    if kind == "number":
        if lower in {"true", "false"}:
            return int(lower == "true")
        try:
            value = float(text)
        except ValueError:
            return text
        if not value.is_integer():
            return value
        return int(text) if re.fullmatch(r"[+-]?\d+", text.strip()) else int(value)
    return text


def positive_of(given: Mapping[str, Any], kinds: Mapping[str, str]) -> Any:
    """The level that was said to count as positive, of the type that the target has; None where nothing was said."""
    return None if given["positive"] is None else as_level(given["positive"], kinds.get(given["target"] or "", "text"))


def scores_of(given: Sequence[str], kinds: dict[str, str], target: str | None) -> Any:
    """One column, or a mapping of level to column where LEVEL=COLUMN was typed and no column has that name."""
    if len(given) == 1 and (given[0] in kinds or "=" not in given[0]):
        return given[0]
    kind = kinds.get(target or "", "text")
    out: dict[Any, str] = {}
    for text in given:
        level, column = _divided(text, kinds)
        if level in out:
            message = f'The level "{level}" was given two scores.'
            raise click.UsageError(message)
        out[as_level(level, kind)] = column
    return out


def _divided(text: str, kinds: dict[str, str]) -> tuple[str, str]:
    if "=" not in text:
        message = f'--score "{text}" does not say of which level: with several scores write --score LEVEL=COLUMN.'
        raise click.UsageError(message)
    # A level may hold "=" itself: the right place to divide leaves a column on the right.
    places = [i for i, c in enumerate(text) if c == "="]
    place = next((i for i in places if text[i + 1 :] in kinds), places[0])
    return text[:place], text[place + 1 :]


def separated(text: str) -> list[str]:
    """Values as typed, with commas, semicolons or spaces between.

    >>> separated("0.25, 0.5;0.75"), separated("10%,50%,100%")
    (['0.25', '0.5', '0.75'], ['10%', '50%', '100%'])
    """
    return [part for part in re.split(r"[,;\s]+", text.strip()) if part]


def matrix_from_text(text: str, option: str = "--confusion") -> list[list[float]]:
    """A matrix as typed, its rows set apart by semicolons.

    >>> matrix_from_text("6 3; 2 9"), matrix_from_text("6,3;2,9")
    ([[6.0, 3.0], [2.0, 9.0]], [[6.0, 3.0], [2.0, 9.0]])
    """
    from steelyard.arguments.typed import number_of

    return [[number_of(x, option) for x in separated(row)] for row in text.strip().strip(";").split(";")]


# What outcomes are worth ----------------------------------------------------------------------------------------------


def is_matrix(text: str | None) -> bool:
    """Whether amounts were typed as a matrix: numbers, with a semicolon after each row."""
    return text is not None and ";" in text and NUMBERS.fullmatch(text) is not None


def has_matrix(given: Mapping[str, Any]) -> bool:
    """Whether amounts came as a matrix to --profit or --cost."""
    return any(is_matrix(given.get(kind)) for kind in KINDS)


def payoff_of(profit: str | None, cost: str | None, layout: str | None = None, levels: Sequence[str] = ()) -> Payoff:
    """What was said to --profit or --cost: a file, the amounts themselves, or a matrix of them as books print it."""
    if profit is not None and cost is not None:
        message = "Both --profit and --cost came, and outcomes are told as one or the other."
        raise UsageError(message, "Give one of them; a cost is a profit with its sign turned.")
    said, text = ("cost", cost) if profit is None else ("profit", profit)
    assert text is not None
    if is_matrix(text):
        return _payoff_matrix(text, said, layout, levels)
    if os.path.exists(text) or "=" not in text:
        return _payoff_file(text, said)
    try:
        return stated(text, said)
    except BadPayoff as problem:
        # What was typed is wrong usage; a file that cannot be used is not.
        raise UsageError(problem.message, problem.hint) from None


def _payoff_matrix(text: str, said: str, layout: str | None, levels: Sequence[str]) -> Payoff:
    """A matrix of amounts, a row for each actual level."""
    from steelyard.payoffs.payoff import Cost, Profit

    if layout is None and not levels:
        message = f"Nothing says whose each row of --{said} '{text}' is."
        hint = "Name the levels in the order of the rows: --level A --level B. evaluate, table and chart also take"
        raise UsageError(message, f"{hint} --layout 'positive first', as books print two levels, or 'negative first'.")
    made = Cost if sign_of(said) < 0 else Profit
    try:
        # Where a layout was typed the levels are names for its rows; the amounts belong to the four outcomes.
        named = list(levels) if layout is None else None
        return made(matrix_from_text(text, f"--{said}"), levels=named, layout=layout)
    except BadPayoff as problem:
        raise UsageError(problem.message, problem.hint) from None


def _payoff_file(path: str, said: str) -> Payoff:
    from steelyard.payoffs.files import read

    if not os.path.exists(path):
        message = f'There is no file "{path}" that says what outcomes are worth.'
        hint = f"Name a .toml or .csv file, or write the amounts: --{said} '{SAMPLES[said]}'."
        raise UnreadableSource(message, hint)
    return read(path, said=said)


def _of_contact(text: str, said: str) -> Payoff:
    """What acting is worth, from what a sale brings and what a contact costs, as typed."""
    from steelyard.arguments.typed import number_of
    from steelyard.payoffs.payoff import Cost, Profit

    hint = f"For example --{said} 'revenue=100, margin=40%, contact=1'."
    found: dict[str, float] = {}
    for part in text.strip().rstrip(",;").replace(";", ",").split(","):
        name, mark, amount = (piece.strip() for piece in part.partition("="))
        if not mark or name.lower() not in {"revenue", "margin", "contact"} or name.lower() in found:
            message = f'--{said} holds "{part.strip()}", where revenue, margin or contact, "=" and a number are needed once each.'
            raise UsageError(message, hint)
        found[name.lower()] = number_of(amount, f"--{said}, {name.lower()}")
    if {"revenue", "contact"} - set(found):
        message = f"--{said} needs both what a sale brings (revenue) and what a contact costs (contact)."
        raise UsageError(message, hint)
    made: Payoff = (Cost if sign_of(said) < 0 else Profit).of_contact(**found)
    return made


def stated(text: str, said: str) -> Payoff:
    """Amounts by outcome, as typed: numbers, expressions of columns, or ranges with two dots.

    >>> print(stated("tp=0.9*amount - 5, fn=-180..-100, fp=-7", "profit"))
    profit: tp 0.9 * amount - 5, fn -180 to -100, fp -7, tn 0
    """
    from steelyard.payoffs.payoff import Cost, Profit

    hint = f"For example --{said} '{SAMPLES[said]}'; what is left out is worth 0."
    if re.search(r"\b(revenue|margin|contact)\s*=", text.lower()):
        return _of_contact(text, said)
    found: dict[str, Any] = {}
    for part in APART.split(text.strip().rstrip(",;")):
        name, mark, amount = (piece.strip() for piece in part.partition("="))
        name = name.lower()
        if not mark or name not in {"tp", "fn", "fp", "tn"}:
            message = f'--{said} holds "{part.strip()}", where tp, fn, fp or tn, "=" and an amount are needed.'
            raise UsageError(message, hint)
        if name in found:
            message = f"--{said} gives {name} two amounts."
            raise UsageError(message, "Give each outcome one amount; a range is written with two dots: 100..180.")
        ends = tuple(end.strip() for end in amount.split("..", 1))
        if not all(ends):
            message = f'--{said} holds "{part.strip()}", which leaves out {"an end of the range" if ends[1:] else "the amount"}.'
            raise UsageError(message, hint)
        found[name] = ends if ends[1:] else amount
    return (Cost if sign_of(said) < 0 else Profit)(**found)
