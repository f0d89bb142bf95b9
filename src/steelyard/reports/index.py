"""An index over many reports and saved results: what each concludes, a small picture, and a link; the worst or the newest first."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from steelyard.charts.palette import colour
from steelyard.designs.design import many
from steelyard.measures.measure import find
from steelyard.reports.bars import bar, number_cell
from steelyard.reports.markdown import made_by
from steelyard.reports.page import made, page_header, page_html
from steelyard.reports.sections import Section
from steelyard.reports.writing import write_as_asked
from steelyard.results import Estimate
from steelyard.verdicts.verdict import TONES
from steelyard.views.html import Ready, listed, tag
from steelyard.views.markdown import safe, table_lines
from steelyard.words import visible

ORDERS = ("worst", "newest")
TONE_ORDER = ("bad", "open", "unknown", "good", "")
SIDE = 60.0
NOTHING = "Nothing that steelyard writes lies here."


@dataclass(frozen=True, slots=True)
class Entry:
    """One report or saved result of a folder, and what it concludes."""

    name: str
    kind: str
    """What it is, in a word or two: "evaluation", "experiment", "report"."""
    when: float
    """Seconds since 1970 at which it was written."""
    state: str = ""
    tone: str = ""
    sentence: str = ""
    rows: int | None = None
    value: Estimate | None = None
    """The chief number, and below it what needs no model reaches."""
    neutral: float | None = None
    told: tuple[str, str, str] = ("", "", "")
    """The same in words, where only these are known: what it is, the number, its interval."""
    curve: Sequence[tuple[float, float]] = ()
    """Points of a small picture, from 0 to 1."""
    shape: str = "roc"
    """How they are drawn: "roc", "line" or "bars", of which the last point is where they begin."""
    page: str = ""
    """The page to open, from the folder of the index; empty where there is none."""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        told = {k: getattr(self, k) for k in ("name", "kind", "state", "tone", "sentence", "rows", "page", "told")}
        value = None if self.value is None else self.value.to_dict()
        return told | {"when": _day(self.when), "value": value}


def in_order(entries: Sequence[Entry], order: str) -> list[Entry]:
    """The worst conclusions first, or what was written last; within one conclusion the newest come first."""
    newest = sorted(entries, key=lambda e: (-e.when, e.name))
    return newest if order == "newest" else sorted(newest, key=lambda e: TONE_ORDER.index(e.tone))


def write_index(
    entries: Sequence[Entry],
    path: str | os.PathLike[str],
    *,
    place: str,
    order: str = ORDERS[0],
    title: str = "",
    command: str = "",
) -> None:
    """Write the index of a place whole or not at all, in the form that the file's name asks for."""
    found = in_order(entries, order)
    title = title or f"{many(len(found), 'result')} in {place}"
    write_as_asked(
        path,
        lambda: {"title": title, "command": command, "entries": [e.to_dict() for e in found]},
        lambda: _markdown(found, title, command),
        lambda: _page(found, title, command, order),
    )


def counted(entries: Sequence[Entry]) -> str:
    """How many there are of each conclusion, the worst first, in a sentence."""
    states = Counter(e.state for e in in_order(entries, "worst") if e.state)
    told = [f"{n:,} {visible(state)}" for state, n in states.items()]
    return f"{'; '.join(told)}." if told else "None of them comes to a conclusion." if entries else NOTHING


def _page(found: Sequence[Entry], title: str, command: str, order: str) -> str:
    first = "The worst first" if order == "worst" else "The newest first"
    sections = [
        Section("all", "What does each conclude?", index_table(found, first)),
        Section("made", "How was this made?", made([], command)),
    ]
    return page_html(title, page_header(title, tag("p", counted(found))), sections)


def index_table(found: Sequence[Entry], caption: str) -> Ready:
    """A row for each entry: its picture, what it concludes, its chief number."""
    head = ("picture", "conclusion", "chief number", "rows", "written")
    return listed(head, map(_row, found), caption, "models index")


def _row(entry: Entry) -> Ready:
    name = visible(entry.name)
    # A name of a file is a name and nothing else: "./" in front, and every sign that means something in an address written out.
    link = tag("a", name, href=f"./{quote(entry.page)}") if entry.page else name
    tone = entry.tone if entry.tone in TONES.values() else "unknown"
    state = tag("span", entry.state, class_=f"state {tone}") if entry.state else None
    named = tag("div", link, " ", tag("span", entry.kind, class_="note"))
    said = [named, tag("div", state), tag("div", entry.sentence)]
    return tag(
        "tr",
        tag("td", _picture(entry)),
        tag("th", said, scope="row", class_="what"),
        tag("td", _number(entry)),
        tag("td", f"{entry.rows:,}" if entry.rows is not None else ""),
        tag("td", _day(entry.when)),
    )


def _number(entry: Entry) -> list[Any]:
    x = entry.value
    if x is None or x.value is None:
        name, value, interval = entry.told
        return [tag("span", name, class_="ends"), value, tag("span", interval, class_="ends")] if value else []
    drawn: Ready | None = None
    if entry.neutral is not None and find(x.measure).range == (0, 1):
        drawn = bar(x.value, x.low, x.high, (min(entry.neutral, 0.0), 1.0), entry.neutral, clear=True)
    return [tag("span", find(x.measure).title, class_="ends"), *number_cell(x), drawn]


def _picture(entry: Entry) -> Ready | None:
    """One of its charts, small; the numbers stand beside it."""
    if not entry.curve:
        return None
    places = [(2 + x * (SIDE - 4), SIDE - 2 - y * (SIDE - 4)) for x, y in entry.curve]
    frame = f"M2 2V{SIDE - 2:g}H{SIDE - 2:g}"
    wide = "2"
    if entry.shape == "bars":
        *bars, (_, start) = places
        step = (SIDE - 4) / len(bars)
        drawn = "".join(f"M{2 + (i + 0.5) * step:.1f} {start:.1f}V{y:.1f}" for i, (_, y) in enumerate(bars))
        wide = f"{0.7 * step:.1f}"
    else:
        frame += f"M2 {SIDE - 2:g}L{SIDE - 2:g} 2" if entry.shape == "roc" else ""
        drawn = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    quiet = {"fill": "none", "stroke": colour("grid"), "class_": "sy-s-grid"}
    line = {"fill": "none", "stroke": colour(0), "class_": "sy-s-0", "stroke_width": wide}
    box = {"viewBox": f"0 0 {SIDE:g} {SIDE:g}", "width": f"{SIDE:g}", "height": f"{SIDE:g}", "aria_hidden": "true"}
    return tag("svg", tag("path", d=frame, **quiet), tag("path", d=drawn, **line), **box)


def _day(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M")


def _chief(entry: Entry) -> str:
    x = entry.value
    return " ".join(filter(None, entry.told)) if x is None or x.value is None else f"{x.measure} {x}"


def _markdown(found: Sequence[Entry], title: str, command: str) -> str:
    rows = [(e.name, e.kind, e.state, e.sentence, _chief(e), _day(e.when)) for e in found]
    head = ("name", "what", "state", "conclusion", "chief number", "written")
    lines = [f"# {safe(title)}", "", safe(counted(found)), "", *table_lines(head, rows, "l" * len(head))]
    return "\n".join([*lines, *made_by(command)]).rstrip() + "\n"
