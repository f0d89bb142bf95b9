"""Reading rows has one home: SQL is written in engines and in sources, and that of a service's own store in one module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .read import sources

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "steelyard"
HOMES = ("engines", "sources")
KEPT = "serve/statements.py"
"""What a service asks of its own store, which holds nobody else's tables."""
HOLE = "\0"
"""Stands in a text for what an f-string puts there."""

SQL = [
    # A clause, wherever it stands. Prose has these words too, but not in this order and not with these neighbours.
    re.compile(r"^\W*select (distinct |all )?[\w\0*\"(.,' ]+? from [\w\0(\"]", re.I | re.DOTALL),
    re.compile(r"\(\s*select .+? from [\w\0(\"]", re.I | re.DOTALL),
    re.compile(r"\bcase\s+(when|\0).*?\b(then|end)\b", re.I | re.DOTALL),
    re.compile(r"\bwhen .* then (\d|\0|null|true|false|')", re.I | re.DOTALL),
    re.compile(r"\bgroup by ([\w\"]+\.?[\w\"]*( *,|$)|\0|grouping sets)|\bpartition by\b", re.I),
    re.compile(r"\border by [\w\0\"]+( (asc|desc)\b| *,|\)|$)", re.I),
    re.compile(
        r"\bcast\s*\(.+ as [\w\0]+|\bis (not )?null( (or|and|then) |\)|$)|\bcoalesce\s*\(|\bover \(|\bgrouping\s*\(",
        re.I,
    ),
    re.compile(
        r"\b(create|drop|alter) (or replace )?(temp(orary)? )?(table|view)\b|\binsert into\b|\bcopy [\w\0]+ to '|\bread_parquet\(",
        re.I,
    ),
    re.compile(r"\0 (not )?in \(\0|\0 between \0 and \0|\bcount\(\*\)", re.I),
]
AGGREGATE = re.compile(r"(?<![\w.])(count|sum|min|max|avg|histogram)\((?=[^()]*\0|case |distinct )", re.I)
"""An aggregate over what an f-string puts there; a call in prose, such as max(x), holds no such thing."""


def _docstrings(tree: ast.AST) -> set[int]:
    """Texts that stand alone: docstrings, and what is said below a constant."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def written(code: str) -> Iterator[tuple[int, str]]:
    """Texts of SQL in a module, with their lines: constants and f-strings that read so, and what is asked."""
    tree = ast.parse(code)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    apart = _docstrings(tree) | inside
    for node in ast.walk(tree):
        text = None if id(node) in apart else _text(node)
        if text is not None and (
            any(sql.search(text) for sql in SQL) or (isinstance(node, ast.JoinedStr) and AGGREGATE.search(text))
        ):
            yield node.lineno, text.replace(HOLE, "{}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"ask", "execute"}:
            yield from (
                (a.lineno, f"{node.func.attr}(...)") for a in node.args if isinstance(a, ast.JoinedStr | ast.Constant)
            )


def test_sql_is_written_in_engines_and_sources_only() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text[:80]}"
        for path in sources()
        if path.relative_to(SOURCE).parts[0] not in HOMES and path.relative_to(SOURCE).as_posix() != KEPT
        for line, text in written(path.read_text(encoding="utf-8"))
    ]
    assert not found, "ask an engine for what is counted: " + "; ".join(found)


def test_the_homes_of_sql_hold_some() -> None:
    """Whoever looks for it in the wrong way finds none here either."""
    for home in HOMES:
        found = [x for path in (SOURCE / home).glob("*.py") for x in written(path.read_text(encoding="utf-8"))]
        assert len(found) >= 40, f"{len(found)} in {home}"
    assert len(list(written((SOURCE / KEPT).read_text(encoding="utf-8")))) >= 40


@pytest.mark.parametrize(
    "code",
    [
        # A whole question, in one text or put together.
        'x = f"select {columns} from {SOURCE}"',
        'x = "select distinct level from data limit 20"',
        'x = f"(select unit, {facts} from {spans} as s group by unit)"',
        'x = f"(select count(*) as n from {SOURCE} where {there} group by {columns} having count(*) > 1)"',
        'x = f"select min(said) as odd from {SOURCE} where try_cast(said as timestamp) is null"',
        # Pieces of one.
        'x = f"case when {there} then {x} end"',
        "x = f\"case {' '.join(cases)} else {n} end\"",
        'x = f"when {x} <= {edge} then {i}"',
        'x = "".join(f"when {c} then 0 " for c in cases)',
        'x = f"count(case when n{i} = {k} then 1 end)"',
        'x = f"sum({a} * {b})"',
        'x = f"min({x})"',
        'x = "count(*) as n, sum(weight) as total"',
        'x = f"histogram({usual}, [{edges}])"',
        'x = f"grouping({key}) as g{i}"',
        'x = f"{keys} group by grouping sets ({sets})"',
        'x = "partition by unit order by time"',
        'x = f"{sql} order by unit, time"',
        'x = f"not coalesce({conditions}, false)"',
        'x = f"cast({column} as {table.text})"',
        'x = f"({column} is null or {nan})"',
        'x = f"{x} not in ({values})"',
        'x = f"{x} between {low} and {high}"',
        'x = "create table t (n int)"',
        # Whatever is asked.
        'table.ask(f"{question}")',
        'table.ask("values (1)")',
        "connection.execute(f\"select * from read_parquet('{name}')\")",
        "x = f\"copy predicted to '{name}' (format parquet)\"",
    ],
)
def test_each_kind_of_sql_is_found(code: str) -> None:
    assert list(written(code))


@pytest.mark.parametrize(
    "code",
    [
        '"""Grouped by each column: select what you need from a table, in case when there is one, then count."""',
        'X = 1\n"""The SQL is select a from b group by c."""',
        'def f():\n    """case when x then y end"""',
        'help = "A SELECT over the table, which is called data."',
        'help = "Select columns by name; the rest come from the file."',
        'help = "In that case, when nothing is said, the threshold is 0.5 and then cost is told."',
        'message = f"{n:,} rows have no {name}, and which group by itself is never guessed."',
        'message = f"Name it from {first} to {last}, or leave it out."',
        'message = f"Σ z = sum of {n} products; max(x) is taken."',
        'hint = "Order by time first."',
        'help = "A number that does not exist is null with its reason."',
        "total = sum(x) + values.count(3) + min(a)",
        "level = subject.ask(evaluation)",
    ],
)
def test_prose_is_not_taken_for_sql(code: str) -> None:
    assert not list(written(code))
