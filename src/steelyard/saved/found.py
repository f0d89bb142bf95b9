"""What lies in a folder: saved results, pages and the experiments of a store, each with what it concludes."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError, UnreadableSource
from steelyard.evaluation import Evaluation
from steelyard.experiments.result import Experiment, open_experiment
from steelyard.experiments.runs import Run, runs
from steelyard.measures.measure import find
from steelyard.reports.index import Entry
from steelyard.results import Estimate
from steelyard.saved import small
from steelyard.saved.load import load

MOST_FILES = 5_000
STORE = "store.json"
PAGE_TITLE = "– steelyard report"
WITHIN = re.compile(r'<(a|span)(?: href="#[^"]*")? class="(?:gloss|kept)">(.*?)</\1>')
"""Words that are explained, and intervals: words of their sentence like all others."""
INDEX = 'class="models index"'
"""An index of a folder is none of its results."""


def found_in(place: str | os.PathLike[str], *, but: str = "") -> list[Entry]:
    """Everything below a folder that steelyard wrote, but for one file; what cannot be read says so."""
    folder = Path(place)
    if not folder.is_dir():
        message = f'"{place}" is no folder.'
        raise UnreadableSource(message, "An index is made of a folder with saved results, pages or experiments.")
    skipped = Path(but).resolve() if but else None
    return [entry for path in _files(folder) if path.resolve() != skipped for entry in _entries(path, folder)]


def _files(folder: Path) -> Iterator[Path]:
    """Files that may be results, in the order of their names; of a store its one file stands for all."""
    seen = 0
    for where, folders, names in os.walk(folder):
        folders.sort()
        if STORE in names:
            folders.clear()
            names = [STORE]
        for name in sorted(names):
            # A link to nothing is no result, and whoever opened a pipe would wait for ever.
            if name.endswith((".json", ".html", ".htm")) and os.path.isfile(os.path.join(where, name)):
                seen += 1
                if seen > MOST_FILES:
                    message = f'"{folder}" holds more than {MOST_FILES:,} files that may be results.'
                    raise UnreadableSource(message, "Name a folder below it.")
                yield Path(where) / name


def _entries(path: Path, folder: Path) -> list[Entry]:
    name, when = path.relative_to(folder).as_posix(), path.stat().st_mtime
    if path.suffix != ".json":
        page = _page(path, name, when)
        return [] if page is None else [page]
    try:
        if path.name == STORE:
            return [_run(run, path.parent, path.parent.relative_to(folder).as_posix()) for run in runs(path.parent)]
        return [_result(load(path), name, when)]
    except SteelyardError as problem:
        # JSON of other programs is none of our business; what we wrote and cannot read is.
        ours = path.name == STORE or b'"steelyard' in _begins(path)
        return [Entry(name, "not read", when, "cannot be read", "unknown", problem.message)] if ours else []


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(200)


def _result(found: Any, name: str, when: float) -> Entry:
    if not isinstance(found, Evaluation):
        verdict = getattr(found, "verdict", None)
        told = str(getattr(verdict, "sentence", "") or (found.sentences()[0] if hasattr(found, "sentences") else ""))
        state, tone = str(getattr(verdict, "state", "")), str(getattr(verdict, "tone", ""))
        return Entry(name, type(found).__name__.lower(), when, state, tone, told)
    v = found.verdict
    return Entry(name, "evaluation", when, v.state, v.tone, v.sentence, **_facts(found))


def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """Rows, chief number and small picture of an evaluation."""
    shape, points = small.of_evaluation(evaluation)
    neutral = None if evaluation.worth is not None else evaluation.verdict.bound
    return {
        "rows": evaluation.rows,
        "value": _chief(evaluation),
        "neutral": neutral,
        "curve": points,
        "shape": shape,
    }


def _chief(evaluation: Evaluation) -> Estimate | None:
    """The number of its first card: what it is worth, or else what its verdict rests on."""
    if evaluation.worth is not None:
        return evaluation.worth.plain()
    rests_on = evaluation.verdict.rests_on
    return rests_on[0] if rests_on and isinstance(rests_on[0], Estimate) else None


def _run(run: Run, store: Path, place: str) -> Entry:
    name = f"{place}/{run.name}" if place != "." else run.name
    what = f"{', '.join(run.models)} on {', '.join(run.data)}"
    when = datetime.strptime(run.when, "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC).timestamp()
    state, tone, said = f"{run.state} folds" if run.done < run.total else run.state, "", what
    facts: dict[str, Any] = {}
    try:
        x = open_experiment(store, run.name)
        if run.done:
            v = x.verdict
            state, tone, said = v.state, v.tone, f"{v.sentence} ({what})"
            facts = _facts(_best(x))
    except SteelyardError as problem:
        said = f"{what}: {problem.message}"
    return Entry(name, "experiment", when, state, tone, said, **facts)


def _best(experiment: Experiment) -> Evaluation:
    """The model with the best chief number, whether or not it is shown to be ahead."""

    def height(found: Evaluation) -> float:
        x = _chief(found)
        if x is None or x.value is None:
            return -math.inf
        return -x.value if find(x.measure).better == "lower" else x.value

    return max((experiment[name] for name in experiment.models), key=height)


# Pages ----------------------------------------------------------------------------------------------------------------


class _Reader(HTMLParser):
    """The title, state and first sentence of a page that steelyard wrote, its first card, and its number of rows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = dict.fromkeys(("title", "state", "headline", "over", "b", "note", "rows"), "")
        self.tone = ""
        self.inside = ""
        self.card = False
        self.label = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        self.card = self.card or "card" in classes
        own = next((c for c in classes if c in ("state", "headline")), "")
        of_card = "b" if tag == "b" else next((c for c in classes if c in ("over", "note")), "")
        of_rows = "rows" if tag == "dd" and self.label == "rows" else "label" if tag == "dt" else ""
        kind = "title" if tag == "title" else own or (of_card if self.card else "") or of_rows
        self.label = "" if kind == "label" else self.label
        # The first of each is that of the page itself.
        if kind and not self.found.get(kind):
            self.inside = kind
            self.tone = next((c for c in classes if c != "state"), "") if kind == "state" else self.tone

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "label":
            self.label += data
        elif self.inside:
            self.found[self.inside] += data

    @property
    def rows(self) -> int | None:
        """How many rows the page says that it is about."""
        told = re.match(r"[\d,]+", self.found["rows"])
        return int(told[0].replace(",", "")) if told else None


def _page(path: Path, name: str, when: float) -> Entry | None:
    text = path.read_text(encoding="utf-8", errors="replace")
    head, mark, _ = text.partition("</title>")
    if not mark or PAGE_TITLE not in head[-200:] or INDEX in text:
        return None
    if not text.rstrip().endswith("</html>"):
        return Entry(name, "not read", when, "cannot be read", "unknown", f'"{name}" ends in the middle of the page.')
    reader = _Reader()
    # What a page concludes stands above its sections.
    reader.feed(WITHIN.sub(r"\2", text.partition("<main>")[0]))
    found = reader.found
    title = found["title"].replace(PAGE_TITLE, "").strip()
    shape, points = small.of_page(text)
    facts: dict[str, Any] = {"curve": points, "shape": shape, "rows": reader.rows}
    facts["told"] = (found["over"], found["b"], found["note"])
    said = found["headline"] or title
    return Entry(name, f"report: {title}", when, found["state"], reader.tone, said, page=name, **facts)
