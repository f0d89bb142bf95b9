"""A look at a table before anything is asked of it: its columns, what they hold, how a file writes them, what may be evaluated.

Nothing is believed for good: what a look recognises goes into the line that it suggests, for a person to confirm.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.arguments.written import DAY, MARKS, Decimal, number_pattern
from steelyard.engines.sql import SOURCE
from steelyard.sources.databases import is_address
from steelyard.sources.delimited import SAMPLE
from steelyard.sources.letters import likely_encoding
from steelyard.sources.recognise import open_table
from steelyard.sources.relations import Relation
from steelyard.sources.tables import NUMBERS, Table
from steelyard.sources.written import FORMATS, Written, fitting, unlike_days

FEW = 6
"""So many levels are named."""


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
    columns = tuple(_seen(looked, name, inside, rows) for name, inside in table.names.items())
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
        fits = {mark: set(fitting(table, texts, number_pattern(mark), "[^0-9]")) for mark in MARKS}
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


def _seen(table: Table, name: str, inside: str, rows: int) -> Seen:
    x, held = table.quoted(inside), table.kinds[inside]
    kind = (
        "number"
        if held in NUMBERS
        else "bool"
        if held == "bool"
        else "day"
        if held in {"date", "moment", "zoned"}
        else "text"
    )
    value = table.number(x) if kind == "number" else f"cast({x} as {table.text})"
    whole = f"sum(case when {value} <> floor({value}) then 1 else 0 end)" if kind == "number" else "0"
    asked = f"count({x}) as there, count(distinct {value}) as levels, min({value}) as low, max({value}) as high, {whole} as parts"
    found = {k: v[0] for k, v in table.ask(f"select {asked} from {SOURCE}").items()}
    levels = int(found["levels"])
    most = FEW if levels <= FEW else 2
    shown = f"select {value} as v from {SOURCE} where {x} is not null group by {value} order by {value} limit {most}"
    values = [v.item() if hasattr(v, "item") else v for v in table.ask(shown)["v"]]
    there = int(found["there"])
    low, high = (None if not there else found[end] for end in ("low", "high"))
    return Seen(
        name, kind, min(rows, SAMPLE) - there, levels, low, high, there > 0 and not found["parts"], tuple(values)
    )


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
