"""An amount of money: a number, or a number for each unit of a row's own amounts."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.arguments.allowed import NotAllowed, plain_number
from steelyard.arguments.sizes import beyond
from steelyard.errors import BadPayoff, listing
from steelyard.wording import either

NAMES = re.compile(r"`([^`]+)`|(?<![\w.])([^\W\d]\w*)")
"""Names in an expression: between backquotes, or plain words that do not belong to a number such as 1e5."""
PLAIN_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Amount:
    """A constant plus so much for each unit of named per-row amounts.

    >>> print(amount("0.9 * value - 5"))
    0.9 * value - 5
    """

    constant: float = 0.0
    per: tuple[tuple[str, float], ...] = ()

    def plus(self, other: Amount, factor: float = 1.0) -> Amount:
        """This amount and `factor` times another one."""
        per = dict(self.per)
        for name, x in other.per:
            per[name] = per.get(name, 0.0) + factor * x
        return Amount(
            self.constant + factor * other.constant, tuple((k, v) for k, v in sorted(per.items()) if v != 0.0)
        )

    def times(self, factor: float) -> Amount:
        """This amount so many times."""
        return Amount().plus(self, factor)

    @property
    def names(self) -> tuple[str, ...]:
        """The per-row amounts it is made of."""
        return tuple(name for name, _ in self.per)

    def at(self, values: Mapping[str, float]) -> float:
        """What it comes to for a row with these amounts."""
        return self.constant + sum(x * values[name] for name, x in self.per)

    def __str__(self) -> str:
        terms = [_term(x, name) for name, x in self.per]
        if self.constant or not terms:
            terms.append(f"{self.constant:.12g}")
        return " + ".join(terms).replace("+ -", "- ")

    def to_json(self) -> float | str:
        """A number where it is one, else an expression that reads back as the same amount."""
        if not self.per:
            return self.constant
        terms = [f"{x!r} * {_named(name)}" for name, x in self.per]
        return " + ".join([*terms, repr(self.constant)])


Entry = Amount | tuple[Amount, Amount]


def _named(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _term(x: float, name: str) -> str:
    if abs(x) == 1:
        return _named(name) if x > 0 else f"-{_named(name)}"
    return f"{x:.12g} * {_named(name)}"


def entry(value: object, where: str) -> Entry:
    """An amount, or the two ends of a range of amounts: (100, 180), or "100..180" in a text.

    >>> entry("100..180", "tp")
    (Amount(constant=100.0, per=()), Amount(constant=180.0, per=()))
    """
    if isinstance(value, str) and ".." in value:
        value = [part.strip() for part in value.split("..", 1)]
    if isinstance(value, list | tuple):
        if len(value) != 2:
            message = f"The range for {where} must have two ends, and {len(value)} came: {listing(value)}."
            hint = f"Write the least and the greatest amount, for example {either('(100, 180)', '[100, 180]')}."
            raise BadPayoff(message, hint)
        low, high = (amount(v, where) for v in value)
        if not low.per and not high.per and low.constant > high.constant:
            low, high = high, low
        return low if low == high else (low, high)
    return amount(value, where)


def amount(value: object, where: str = "this outcome") -> Amount:
    """A number, or an expression such as "0.9 * value - 5" whose names are per-row amounts.

    >>> amount("-(fee + 2) / 4").per, amount(140).constant
    ((('fee', -0.25),), 140.0)
    """
    if isinstance(value, Amount):
        return value
    if isinstance(value, str):
        return _parsed(value, where)
    try:
        number = float(plain_number(value))
    except (NotAllowed, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        message = f"The amount for {where} must be a finite number, and {listing([value])} came."
        raise BadPayoff(message, 'Write a number, or an expression of per-row amounts such as "0.9 * value - 5".')
    return _reckoned(Amount(number + 0.0), where)


def _parsed(text: str, where: str) -> Amount:
    names: list[str] = []

    def held(found: re.Match[str]) -> str:
        # Python's own reading of names would change some and refuse others (class, µ).
        names.append(found.group(1) or found.group(2))
        return f" _{len(names) - 1} "

    try:
        plain = float(text)
    except ValueError:
        pass
    else:
        return amount(plain, where)
    try:
        tree = ast.parse(NAMES.sub(held, text).strip(), mode="eval").body
        found = _linear(tree, names)
        if not all(map(math.isfinite, (found.constant, *(x for _, x in found.per)))):
            raise ValueError
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        message = f'The amount for {where} cannot be read: "{text}".'
        hint = 'Write a number or a sum such as "0.9 * value - 5"; a column whose name is no single word goes between backquotes.'
        raise BadPayoff(message, hint) from None
    return _reckoned(found, where)


def _reckoned(found: Amount, where: str) -> Amount:
    """The amount, where its square is a number and not zero."""
    for x in (found.constant, *(x for _, x in found.per)):
        if why := beyond(x):
            message = f"The amount for {where} is {x:g}, which is {why}."
            raise BadPayoff(message, "Express the amounts in another unit.")
    return found


def _linear(node: ast.AST, names: list[str]) -> Amount:
    """The value of a small expression; what is not a number times a name, or a sum of such, is refused."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return Amount(float(node.value))
    if isinstance(node, ast.Name):
        return Amount(0.0, ((names[int(node.id[1:])], 1.0),))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _linear(node.operand, names).times(-1.0 if isinstance(node.op, ast.USub) else 1.0)
    if isinstance(node, ast.BinOp):
        left, right = _linear(node.left, names), _linear(node.right, names)
        if isinstance(node.op, ast.Add | ast.Sub):
            return left.plus(right, 1.0 if isinstance(node.op, ast.Add) else -1.0)
        if isinstance(node.op, ast.Mult) and not (left.per and right.per):
            return right.times(left.constant) if not left.per else left.times(right.constant)
        if isinstance(node.op, ast.Div) and not right.per:
            return left.times(1.0 / right.constant)
    raise ValueError
