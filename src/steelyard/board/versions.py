"""Versions of a model side by side: how each stands, and whether one is better on the windows that both have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.board.frame import badge
from steelyard.board.known import KnownModel, one_known
from steelyard.board.pieces import unbroken
from steelyard.board.visits import Visit, link, to
from steelyard.compare import compare
from steelyard.errors import SteelyardError
from steelyard.evaluation import Evaluation
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.windowed import CountedWindow
from steelyard.serve.problems import Problem
from steelyard.serve.same_rows import paired, same_rows
from steelyard.serve.watching import WatchedStream
from steelyard.views.html import Ready, listed, tag
from steelyard.views.verdict import verdict_html
from steelyard.words import count, visible

MOST = 12
LATEST = 60
"""Windows of which versions are compared: the last ones that both have."""


def versions_section(visit: Visit, known: KnownModel) -> Ready | None:
    """Nothing where there is one version alone."""
    if len(known.versions) < 2:
        return None
    rows = [_row(visit, known, v) for v in known.versions[:MOST]]
    head = ("version", "state", "chief number", "what is the matter")
    whole = listed(head, rows, f"{count(len(known.versions))} versions")
    champion = known.model.said.champion
    others = [v for v in known.versions if v != champion]
    pair = known.version if known.version != champion else others[0]
    return tag("section", tag("h2", "Which version?"), whole, *_compared(visit, known, champion, pair), id="versions")


def _row(visit: Visit, known: KnownModel, version: str) -> Ready:
    k = known if version == known.version else one_known(visit, known.name, version)
    champion = version == known.model.said.champion
    named = link(visible(version), to("models", known.name, version=None if champion else version))
    name = tag("th", named, tag("span", " in force" if champion else "", class_="quiet"), scope="row")
    if k.face is None:
        return tag("tr", name, tag("td", badge(k.state)), tag("td", "–"), tag("td", "Not looked at yet."))
    f = k.face
    chief = tag("td", tag("b", f["chief"]["name"]), " ", tag("span", unbroken(f["chief"]["about"]), class_="quiet"))
    return tag("tr", name, tag("td", badge(k.state)), chief, tag("td", unbroken(f["cause"]["sentence"])))


def _compared(visit: Visit, known: KnownModel, one: str, other: str) -> list[Any]:
    """The verdict between two versions, on the windows whose labels both have."""
    watcher = visit.service.watcher
    held: dict[str, dict[str, CountedWindow]] = {}
    streams: dict[str, WatchedStream] = {}
    try:
        for version in (one, other):
            with visit.service.store.reading() as session:
                streams[version] = watcher.stream(session, known.name, version)
                held[version] = {w.name: w for w in watcher.windows(session, streams[version]) if w.summary.evidence}
        both = [n for n in held[one] if n in held[other]][-LATEST:]
        if not both:
            none = f"Versions {visible(one)} and {visible(other)} have no window with labels in common."
            return [tag("p", none, class_="quiet")]
        key = tuple(held[v][n].summary.rows + held[v][n].summary.labelled for v in (one, other) for n in both)
        before = visit.site.kept.get(f"compared {known.name} {one} {other}")
        if before is None or before[0] != key:
            before = (key, *_judged(visit, known, streams, {v: [held[v][n] for n in both] for v in (one, other)}))
            visit.site.kept[f"compared {known.name} {one} {other}"] = before
    except (Problem, SteelyardError) as problem:
        told = getattr(problem, "message", "") or getattr(problem, "detail", "")
        return [tag("p", f"Versions {visible(one)} and {visible(other)} cannot be compared: {told}", class_="quiet")]
    return [before[1], tag("p", before[2], class_="note")]


def _judged(
    visit: Visit, known: KnownModel, streams: Mapping[str, WatchedStream], held: Mapping[str, list[CountedWindow]]
) -> tuple[Ready, str]:
    """The verdict, and what it rests on: rows that both scored where enough are there, the sums of windows otherwise."""
    one, other = streams.values()
    with visit.service.store.reading() as session:
        rows = same_rows(session, one, other)
    if rows is not None:
        span = f"{visible(rows.first)} to {visible(rows.last)}"
        about = f"the {count(rows.rows)} rows with a label that both scored, {span}"
        note = f"Versions {visible(one.version)} and {visible(other.version)} on {about}: row by row."
        return verdict_html(paired(rows, one).verdict), note
    found = compare({v: _together(known, windows) for v, windows in held.items()})
    first, last = held[one.version][0], held[one.version][-1]
    note = (
        f"Version {visible(one.version)} and version {visible(other.version)} on the {count(len(held[one.version]))} windows that "
        f"both have, {visible(first.name)} to {visible(last.name)}, from the sums of each: rows are not paired."
    )
    return verdict_html(found.verdict), note


def _together(known: KnownModel, windows: list[CountedWindow]) -> Evaluation:
    total = windows[0].summary
    for w in windows[1:]:
        total = total + w.summary
    assert known.model.baseline is not None
    found = evaluation_of(total, known.model.baseline, known.model.said.confidence)
    assert found is not None
    return found
