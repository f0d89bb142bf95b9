"""Draws the pictures of docs/textbook.md, each from the expression that stands above it on the page.

python docs/pictures.py           write them
python docs/pictures.py --check   write nothing; say which differ from the code, and exit with 1 if any does
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from steelyard.charts.marks import Chart

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "textbook.md"
DRAWN = re.compile(r"^[^\n`]*`([^`\n]+)`[^\n`]*\n\n!\[[^\]]*\]\((pictures/textbook/[\w-]+\.svg)\)$", re.MULTILINE)
TRAINED = ("learning_curve(", "stopping_curve(")
"""Pictures of models that are trained for them: another version of a library may draw them a little differently."""
PATHS, NUMBER = re.compile(r' d="[^"]*"'), re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
TOLD = re.compile(r">([^<]*)<")
CLOSE, RESAMPLED = 0.3, 0.025
"""How far places may be apart, in pixels, and numbers that are written: ends of intervals may be resampled in another order."""


def names() -> dict[str, Any]:
    """What the page defines: as data, and in its examples."""
    found: dict[str, Any] = {}
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        if not block.startswith(">>>"):
            exec(compile(block, str(PAGE), "exec"), found)
    for line in re.findall(r"^>>> (\w+ = .*)$", text, flags=re.MULTILINE):
        exec(line, found)
    return found


def pictures() -> dict[str, str]:
    """The expression that draws each file."""
    return {file: expression for expression, file in DRAWN.findall(PAGE.read_text(encoding="utf-8"))}


def drawn(expression: str, known: dict[str, Any]) -> str:
    """The picture as text."""
    chart = eval(expression, known)
    assert isinstance(chart, Chart), expression
    return chart.svg() + "\n"


def same(svg: str, other: str) -> bool:
    """Whether two pictures say and show the same; places may differ by a fraction of a pixel, and numbers hardly."""
    first, second = (PATHS.sub("", text) for text in (svg, other))
    if NUMBER.sub("0", first) != NUMBER.sub("0", second):
        return False
    written, again = (" ".join(TOLD.findall(text)) for text in (first, second))
    return _near(first, second, CLOSE) and _near(written, again, RESAMPLED)


def _near(one: str, other: str, most: float) -> bool:
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= most for a, b in pairs)


def current(file: str, expression: str, known: dict[str, Any]) -> bool:
    """Whether a file is what its expression draws."""
    place = DOCS / file
    if not place.exists():
        return False
    return any(word in expression for word in TRAINED) or same(
        drawn(expression, known), place.read_text(encoding="utf-8")
    )


def main(arguments: list[str]) -> int:
    known, wanted = names(), pictures()
    if "--check" in arguments:
        odd = [file for file, expression in wanted.items() if not current(file, expression, known)]
        for file in odd:
            print(f"docs/{file} differs from the code: python docs/pictures.py")
        return int(bool(odd))
    (DOCS / "pictures" / "textbook").mkdir(parents=True, exist_ok=True)
    for file, expression in wanted.items():
        if not current(file, expression, known):
            (DOCS / file).write_text(drawn(expression, known), encoding="utf-8")
            print(f"docs/{file} drawn")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
