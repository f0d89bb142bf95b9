"""What was judged and saved: evaluations, experiments and pages of folders, listed, opened and compared."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.board.pieces import asking, choice, typed
from steelyard.board.visits import Answer, Download, Shown, Visit, page
from steelyard.comparisons.changes import changes
from steelyard.evaluation import Evaluation
from steelyard.experiments.result import open_experiment
from steelyard.reports.changes import write_changes_report
from steelyard.reports.index import Entry, counted, in_order, index_table
from steelyard.saved.found import found_in
from steelyard.saved.load import load
from steelyard.serve.problems import Problem
from steelyard.views.html import Ready, tag
from steelyard.words import count, visible

FRESH = 5.0
"""Seconds for which a folder is not read again."""
MOST = 150
"""Entries that are listed at once."""


def _entries(visit: Visit) -> list[Entry]:
    """Everything in all folders; a page is the address of an entry below this site."""
    out: list[Entry] = []
    for i, folder in enumerate(visit.site.folders):
        kept = visit.site.kept.get(f"folder {i}")
        if kept is None or time.monotonic() - kept[0] > FRESH:
            kept = (time.monotonic(), found_in(folder))
            visit.site.kept[f"folder {i}"] = kept
        out += [replace(e, page="" if e.kind == "not read" else f"reports/{i}/{e.name}") for e in kept[1]]
    return out


@page("/reports")
def get_reports(visit: Visit) -> Answer:
    """Everything that lies in the folders."""
    visit.caller.check("read", None)
    if not visit.site.folders:
        told = tag("p", "No folder is shown here. Name those in which results are saved when the service is started:")
        body = tag("section", tag("h1", "Reports"), told, typed("steelyard serve runs/ reports/"))
        return Shown("Reports", body, live=False)
    order = "newest" if visit.query.get("order") == "newest" else "worst"
    wanted = visit.query.get("q", "").casefold()
    found = [e for e in in_order(_entries(visit), order) if wanted in f"{e.name} {e.kind} {e.sentence}".casefold()]
    first = "The newest first" if order == "newest" else "The worst first"
    note = f"The first {MOST} of {count(len(found))}." if len(found) > MOST else ""
    parts: list[Any] = [
        tag("h1", "What was judged"),
        tag("p", counted(found)),
        _asked(visit, order),
        index_table(found[:MOST], first),
        tag("p", note, class_="note") if note else None,
        _pair(found),
    ]
    return Shown("Reports", tag("div", parts), live=False)


def _asked(visit: Visit, order: str) -> Ready:
    find = tag("label", "Find ", tag("input", type="search", name="q", id="find", value=visit.query.get("q", "")))
    shown = choice("Show", "order", [(o, f"the {o} first") for o in ("worst", "newest")], order)
    return asking("/reports", find, shown, tag("button", "Show"), role="search")


def _pair(found: list[Entry]) -> Ready | None:
    """A form by which two evaluations are compared."""
    those = [e for e in found if e.kind == "evaluation"]
    if len(those) < 2:
        return None

    options = [(e.page, visible(e.name)) for e in those[:MOST]]
    both = choice("From", "old", options, those[1].page), choice("to", "new", options, those[0].page)
    form = asking("/compare-reports", *both, tag("button", "What changed?"))
    return tag("section", tag("h2", "Compare two"), form)


def _place(visit: Visit, page_of: str) -> tuple[Entry, Path]:
    """An entry by its address, and where it lies: nothing that is not listed is opened."""
    visit.caller.check("read", None)
    found = next((e for e in _entries(visit) if e.page == page_of and page_of), None)
    if found is None:
        raise Problem(404, "no_report", "There is no such report.", "Look at what is listed.")
    number, _, name = page_of.removeprefix("reports/").partition("/")
    return found, visit.site.folders[int(number)] / name


@page("/reports/{name:path}")
def open_report(visit: Visit) -> Answer:
    """One of them as its page."""
    entry, path = _place(visit, f"reports/{visit.path['name']}")
    if entry.kind.startswith("report"):
        return Download(path.read_bytes(), "text/html; charset=utf-8", stranger=True)
    stored = entry.kind == "experiment" and not path.is_file()
    found: Any = open_experiment(path.parent, path.name) if stored else load(path)
    if not hasattr(found, "report"):
        raise Problem(404, "no_page", f"Of a {entry.kind} there is no page.", "Open it with steelyard.load.")
    return Download(written(lambda out: found.report(out, title=entry.name)), "text/html; charset=utf-8")


@page("/compare-reports")
def compare_reports(visit: Visit) -> Answer:
    """What changed from one saved evaluation to another."""
    both = [_place(visit, visit.query.get(name, "")) for name in ("old", "new")]
    old, new = (load(path) for _, path in both)
    if not isinstance(old, Evaluation) or not isinstance(new, Evaluation):
        raise Problem(422, "kind", "Two evaluations can be compared.", "Choose two of those listed.")
    told = changes(old, new, names=(both[0][0].name, both[1][0].name))
    return Download(written(lambda out: write_changes_report(told, out)), "text/html; charset=utf-8")


def written(write: Callable[[str], object]) -> bytes:
    """A page that something writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "page.html")
        write(out)
        return Path(out).read_bytes()
