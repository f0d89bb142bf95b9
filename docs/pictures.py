"""Draws the pictures of docs/textbook.md, each from the call above it, and those of README and guides.

python docs/pictures.py           write them
python docs/pictures.py --check   write nothing; say which differ from the code, and exit with 1 if any does
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.charts.marks import Chart
from steelyard.reports.poster import poster

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "textbook.md"
DRAWN = re.compile(r"^[^\n`]*`([^`\n]+)`[^\n`]*\n\n!\[[^\]]*\]\((pictures/textbook/[\w-]+\.svg)\)$", re.MULTILINE)
TRAINED = ("learning_curve(", "stopping_curve(")
"""Pictures of models that are trained for them: another version of a library may draw them a little differently."""
TRAINED_GUIDE = "pictures/guides/folds.svg"
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


def customers(rows: int = 8_000) -> dict[str, Any]:
    """Drawn customers: who left, the scores of two models of middling quality, and the day; at the end customers change."""
    rng = np.random.default_rng(3)
    risk, late = 1.1 * rng.normal(size=rows) - 1.8, np.arange(rows) > 0.7 * rows
    left = rng.random(rows) < 1 / (1 + np.exp(-np.where(late, 0.3 * risk - 1.2, risk)))
    new, old = (1 / (1 + np.exp(-(risk + spread * rng.normal(size=rows)))) for spread in (0.2, 1.5))
    day = np.datetime64("2026-01-01") + (np.arange(rows) * 120 // rows).astype("timedelta64[D]")
    target = np.where(left, "left", "stayed")
    return {"left": target, "new": new.round(4), "old": old.round(4), "day": day.astype(str), "late": late}


def churn() -> sy.Evaluation:
    """One model on those who had not changed yet; a call keeps a leaver (+60) or is in vain (−12)."""
    rows = customers()
    known = ~rows["late"]
    target, score = (rows[name][known] for name in ("left", "new"))
    return sy.evaluate(target=target, score=score, positive="left", profit=sy.Profit(tp=60, fp=-12))


def two() -> sy.Comparison:
    """Both models on the same rows."""
    rows = customers()
    return sy.compare(target=rows["left"], score={"new": rows["new"], "old": rows["old"]}, positive="left")


def watched() -> Any:
    """The model month by month, while customers change."""
    rows = {name: values for name, values in customers().items() if name != "late"}
    return sy.monitor(
        rows, time="day", target="left", score="new", positive="left", window="10 days", reference="first:5"
    )


def trained() -> Any:
    """Two small models in ten folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 3))
    y = (x.sum(axis=1) + 2 * rng.normal(size=400) > 1).astype(int)
    models = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    return sy.experiment(models, x, y, design=sy.KFold(10, stratify=True, seed=1))


GUIDES: dict[str, tuple[str, Callable[[], Chart], str]] = {
    "how-it-works": (
        "matrix",
        lambda: churn().chart("confusion"),
        "A summary: how often each level was predicted as each",
    ),
    "intervals": ("intervals", lambda: churn().chart("intervals"), "Chief measures as dots on their intervals"),
    "worth": (
        "profit",
        lambda: churn().chart("profit"),
        "Profit against the share of customers called, with its interval",
    ),
    "comparisons": (
        "two-models",
        lambda: two().chart(),
        "Differences of two models in each measure, with their intervals",
    ),
    "experiments": (
        "folds",
        lambda: trained().chart(),
        "Two models in ten folds: each fold, and what is to be expected",
    ),
    "after-deployment": (
        "watched",
        lambda: watched().chart(),
        "A model watched in windows of ten days, until customers change",
    ),
    "nightly": ("scores", lambda: churn().chart("scores"), "Scores of both classes: what a file of counts still holds"),
    "conventions": ("roc", lambda: churn().chart("roc"), "A ROC curve: one point for each distinct score"),
}
"""Pictures of guide pages: page, file, what is drawn, and what is seen on it."""


def guide_pictures() -> dict[str, str]:
    """Each picture of a guide page as text, by its file."""
    return {f"pictures/guides/{file}.svg": draw().svg() + "\n" for file, draw, _ in GUIDES.values()}


def main(arguments: list[str]) -> int:
    known, wanted = names(), pictures()
    made = {"pictures/report.svg": poster(churn(), "Who will leave in March?"), **guide_pictures()}
    made |= {
        file: drawn(expression, known) for file, expression in wanted.items() if not current(file, expression, known)
    }
    odd = [file for file, svg in made.items() if not as_drawn(file, svg)]
    for file in odd:
        if "--check" in arguments:
            print(f"docs/{file} differs from the code: python docs/pictures.py")
        else:
            (DOCS / file).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / file).write_text(made[file], encoding="utf-8")
            print(f"docs/{file} drawn")
    return int(bool(odd) and "--check" in arguments)


def as_drawn(file: str, svg: str) -> bool:
    """Whether a file is what was drawn just now; of models that were trained for it, whether it is there."""
    place = DOCS / file
    return place.exists() and (file == TRAINED_GUIDE or same(svg, place.read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
