"""A look at a table before anything is asked of it: its columns, what they hold, how a file writes them, what may be evaluated.

Nothing is believed for good: what a look recognises goes into the line that it suggests, for a person to confirm.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.arguments.written import CURRENCY, DAY, MARKS, Decimal, number_pattern
from steelyard.engines.sql import SOURCE
from steelyard.sources.databases import is_address
from steelyard.sources.delimited import SAMPLE
from steelyard.sources.letters import likely_encoding
from steelyard.sources.recognise import open_table
from steelyard.sources.relations import Relation
from steelyard.sources.tables import NUMBERS, Table
from steelyard.sources.written import FORMATS, Written, fitting, nearly_fitting, unlike_days
from steelyard.words import quoted

FEW = 6
"""So many levels are named."""
MOST_COLUMNS = 15
"""So many columns are asked about together."""
MOST_VALUES = 20_000_000
"""So many values are brought to memory at a time."""
KINDS = {"bool": "bool"} | dict.fromkeys(("date", "moment", "zoned"), "day")


@dataclass(frozen=True, slots=True)
class Seen:
    """One column: what it holds ("number", "bool", "day", "text"), how many rows lack it, its values in short."""

    name: str
    kind: str
    missing: int
    levels: int
    least: Any
    greatest: Any
    whole: bool
    shown: tuple[Any, ...]
    """Its levels where they are few, else two examples."""


@dataclass(frozen=True, slots=True)
class TableSeen:
    """The columns of a table, how its file is written as far as that can be seen, and what stays open."""

    source: str
    rows: int
    more: bool
    """Whether there are more rows than were looked at."""
    columns: tuple[Seen, ...]
    written: Written
    remarks: tuple[str, ...]


def look(data: object, written: Written) -> TableSeen:
    """Look at a table; `written` is what its user has said about it already."""
    remarks: list[str] = []
    if isinstance(data, str) and written.encoding is None and _is_text(data):
        written = replace(written, encoding=likely_encoding(data))
    table = _opened(data, written)
    if isinstance(table, Relation):
        found = _recognised(table, written, remarks)
        if found != written:
            # A column of numbers with points is one of text where decimals have commas, and the other way round.
            table, written = _opened(data, found), found
    rows = table.length(SAMPLE)
    looked = table.limit(SAMPLE) if isinstance(table, Relation) else table
    columns = tuple(_seen(looked, min(rows, SAMPLE)))
    return TableSeen(str(table.title or data), min(rows, SAMPLE), rows > SAMPLE, columns, written, tuple(remarks))


def _is_text(path: str) -> bool:
    return not is_address(path) and os.path.isfile(path) and path.lower().endswith((".csv", ".tsv", ".txt"))


def _opened(data: object, written: Written) -> Table:
    from steelyard.sources.joined import table as opened

    if isinstance(data, Table):
        return data
    found = (
        opened(data, **{name: getattr(written, name) for name in written.said}) if written.said else open_table(data)
    )
    assert found is not None
    return found


def _recognised(table: Relation, written: Written, remarks: list[str]) -> Written:
    """How columns of text write numbers and days, where all of them agree; what they leave open becomes a remark."""
    texts = [column for column, kind in table.kinds.items() if kind == "text"]
    own = {inside: name for name, inside in table.names.items()}
    if written.decimal is None and texts:
        fits = {mark: set(fitting(table, texts, number_pattern(mark, CURRENCY), "[^0-9]")) for mark in MARKS}
        shared = fits["comma"] & fits["point"]
        sure: list[Decimal] = [mark for mark in MARKS if fits[mark] - shared]
        both = sorted(own[column] for column in shared)
        if len(sure) == 1:
            written = replace(written, decimal=sure[0])
        elif len(sure) > 1:
            remarks.append(
                "Some columns have decimal commas and some decimal points: say --decimal for those you need."
            )
        elif both:
            remarks.append(
                f"{', '.join(both)}: numbers if you say which mark stands before decimals, --decimal comma or point."
            )
    remarks.extend(_odd_values(table, texts, written.decimal, own))
    if written.dates is None and texts:
        days = fitting(table, texts, DAY, ".")
        orders = [order for order in FORMATS if not any(unlike_days(table, column, order) for column in days)]
        dotted = days and set(fitting(table, texts, DAY.replace("[./-]", "[.]"), ".")) >= set(days)
        if days and (len(orders) == 1 or (dotted and "day-first" in orders)):
            written = replace(written, dates="day-first" if "day-first" in orders else "month-first")
        elif days:
            named = ", ".join(own[column] for column in days)
            remarks.append(f"{named}: days, if you say --dates day-first or --dates month-first.")
    return written


def _odd_values(table: Relation, texts: list[str], decimal: Decimal | None, own: dict[str, str]) -> list[str]:
    """Columns that would be numbers but for a few values, each with how many and one of them."""
    nearly: dict[str, tuple[int, str]] = {}
    for mark in MARKS if decimal is None else (decimal,):
        nearly |= nearly_fitting(table, [c for c in texts if c not in nearly], number_pattern(mark, CURRENCY))
    out = []
    for column, (odd, told) in nearly.items():
        few = f"{odd:,} value{'' if odd == 1 else 's'}, such as {quoted(told)}"
        out.append(f"{own[column]}: numbers but for {few}; leave such cells empty, and the column is read as numbers.")
    return out


def _seen(table: Table, rows: int) -> Iterator[Seen]:
    """All columns, many at a time: a file is read once for as many as the memory holds, not once for each."""
    names = list(table.names.items())
    size = max(1, MOST_VALUES // max(rows, 1))
    for at in range(0, len(names), size):
        some = names[at : at + size]
        groups = [some[i : i + MOST_COLUMNS] for i in range(0, len(some), MOST_COLUMNS)]
        held: Iterable[Table] = (table for _ in groups)
        if isinstance(table, Relation):
            part = table.project({inside: table.quoted(inside) for _, inside in some}) if size < len(names) else table
            held = part.parted([[inside for _, inside in group] for group in groups])
        for group, one in zip(groups, held, strict=True):
            yield from _seen_together(one, [(name, inside, _kind(table, inside)) for name, inside in group], rows)


def _kind(table: Table, inside: str) -> str:
    held = table.kinds[inside]
    return "number" if held in NUMBERS else KINDS.get(held, "text")


def _seen_together(table: Table, names: Sequence[tuple[str, str, str]], rows: int) -> Iterator[Seen]:
    kinds = [kind for _, _, kind in names]
    columns = [table.quoted(inside) for _, inside, _ in names]
    values = [
        table.number(x) if kind == "number" else f"cast({x} as {table.text})"
        for x, kind in zip(columns, kinds, strict=True)
    ]
    asked = []
    for i, (x, value, kind) in enumerate(zip(columns, values, kinds, strict=True)):
        parts = f"sum(case when {value} <> floor({value}) then 1 else 0 end)" if kind == "number" else "0"
        asked += [f"count({x}) as there{i}, count(distinct {value}) as levels{i}", f"min({value}) as low{i}"]
        asked += [f"max({value}) as high{i}, {parts} as parts{i}"]
    found = {k: v[0] for k, v in table.ask(f"select {', '.join(asked)} from {SOURCE}").items()}
    shown: dict[int, list[Any]] = {}
    for of_numbers in (True, False):
        some = [
            f"select * from (select {i} as k, {value} as v from {SOURCE} where {columns[i]} is not null "
            f"group by {value} order by {value} limit {FEW if found[f'levels{i}'] <= FEW else 2}) as q{i}"
            for i, value in enumerate(values)
            if (kinds[i] == "number") == of_numbers
        ]
        told = (
            table.ask(f"select k, v from ({' union all '.join(some)}) as q order by k, v")
            if some
            else {"k": [], "v": []}
        )
        for i, v in zip(told["k"], told["v"], strict=True):
            shown.setdefault(int(i), []).append(v.item() if hasattr(v, "item") else v)
    for i, (name, _, _) in enumerate(names):
        there = int(found[f"there{i}"])
        low, high = (None if not there else found[f"{end}{i}"] for end in ("low", "high"))
        whole, levels = there > 0 and not found[f"parts{i}"], int(found[f"levels{i}"])
        yield Seen(name, kinds[i], rows - there, levels, low, high, whole, tuple(shown.get(i, ())))


# What may be evaluated ------------------------------------------------------------------------------------------------

OUTCOMES = (
    "target",
    "y",
    "label",
    "actual",
    "truth",
    "outcome",
    "class",
    "churn",
    "left",
    "default",
    "response",
    "bought",
)
SCORES = ("score", "p", "prob", "probability", "proba", "p1", "y_score", "wahrscheinlichkeit", "pred_proba")
GUESSES = ("prediction", "predicted", "pred", "guess", "y_pred", "y_hat", "yhat")
YES = ("1", "yes", "true", "y", "t", "ja", "oui", "si", "sí", "spam", "bad", "churned", "left", "positive")


def suggested(columns: Sequence[Seen]) -> dict[str, str]:
    """Which column may be the target, the score, the prediction, and which level positive; to be confirmed, not believed.

    >>> y = Seen("left", "text", 0, 2, "no", "yes", False, ("no", "yes"))
    >>> p = Seen("score", "number", 0, 90, 0.01, 0.99, False, (0.01, 0.02))
    >>> suggested([y, p])
    {'target': 'left', 'score': 'score', 'positive': 'yes'}
    """
    two = [c for c in columns if c.levels == 2 and not (c.kind == "number" and not c.whole)]
    scores = [
        c for c in columns if c.kind == "number" and not c.whole and c.levels > 2 and c.least >= 0 and c.greatest <= 1
    ]
    percents = [c for c in columns if c.kind == "number" and c.levels > 2 and c.least >= 0 and 1 < c.greatest <= 100]
    score = _first(scores, SCORES) or next((c for c in percents if _is_called(c, SCORES)), None)
    two = [c for c in two if not _is_called(c, GUESSES)]
    target = _first(two, OUTCOMES) or _first([c for c in two if c.kind == "bool" or _yes(c)], OUTCOMES)
    if target is None:
        few = [
            c for c in columns if 2 < c.levels <= FEW and (c.kind == "text" or c.whole) and not _is_called(c, GUESSES)
        ]
        target = next((c for c in few if _is_called(c, OUTCOMES)), None)
    if target is None:
        return _continuous(columns)
    guess = _first(
        [c for c in columns if c is not target and c.shown == target.shown and c.kind == target.kind], GUESSES
    )
    out = {"target": target.name}
    if score is not None and target.levels == 2:
        out["score"] = score.name
    elif guess is not None:
        out["prediction"] = guess.name
    if (target.kind == "text" and target.levels == 2) or (target.kind == "number" and set(target.shown) != {0, 1}):
        out["positive"] = _yes(target) or str(target.shown[-1])
    return out if len(out) > 1 else {}


def _continuous(columns: Sequence[Seen]) -> dict[str, str]:
    """A number and its prediction, where their names say so: dose and dose_hat, y and y_pred."""
    numbers = [c for c in columns if c.kind == "number"]
    for guess in numbers:
        for ending in ("_hat", "_pred", "_predicted", "_prediction", "hat"):
            own = next((c for c in numbers if guess.name.casefold() == c.name.casefold() + ending), None)
            if own is not None:
                return {"target": own.name, "prediction": guess.name}
    return {}


def _yes(column: Seen) -> str:
    """The level of a column that says yes, if one does."""
    told = (f"{v:g}" if column.kind == "number" else str(v) for v in column.shown)
    return next((text for text in told if text.casefold() in YES), "")


def _is_called(column: Seen, names: Sequence[str]) -> bool:
    return column.name.casefold() in names or any(len(n) > 3 and n in column.name.casefold() for n in names)


def _first(columns: Sequence[Seen], names: Sequence[str]) -> Seen | None:
    called = [c for c in columns if _is_called(c, names)]
    return called[0] if called else columns[0] if len(columns) == 1 else None
