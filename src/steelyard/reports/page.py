"""The page: one file that opens offline and stays readable without scripts, styles or colours."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from steelyard.charts.palette import dark_rules
from steelyard.reports import sections as parts
from steelyard.reports.html import Ready, fingerprint, join, tag
from steelyard.reports.sections import Section
from steelyard.views import story
from steelyard.views.sentences import sentences
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation

IN_MEMORY = {"", "arrays", "dict", "DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation"}
"""What rows that came from no file are called, which is no title."""

CHANGED = "The amounts were changed on this page: what it is worth at these is told below."
"""Stands in place of what was told at the amounts given."""


@cache
def _file(name: str) -> str:
    return (files("steelyard.reports") / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    lines = [line.strip() for line in _file("page.css").splitlines()]
    return "".join(lines) + f"@media screen and (prefers-color-scheme:dark){{{dark_rules()}}}"


def report_html(
    models: Mapping[str, Any],
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    before: Sequence[Section] = (),
    in_use: Mapping[str, Any] | None = None,
) -> str:
    """The report of one evaluation, or of several by name, as one HTML file.

    `before` are sections that come first; `in_use` are results of a model in use by name: monitor, stability, timeliness, trial.
    """
    first = next(iter(models.values()))
    title = title or (_title(first) if len(models) == 1 else " and ".join(map(str, models)))
    return page_html(
        title, _header(models, title, _standing(in_use or {})), [*before, *sections_of(models, command, slices, in_use)]
    )


def page_html(title: str, header: Ready, found: Sequence[Section]) -> str:
    """Sections below a header, as one HTML file that loads nothing."""
    script = _file("page.js")
    style = _style()
    policy = (
        f"default-src 'none'; script-src '{fingerprint(script)}'; style-src '{fingerprint(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} – steelyard report"),
        tag("style", Ready(style)),
    )
    body = tag(
        "body",
        tag("header", header),
        tag("nav", [tag("a", s.question, href=f"#{s.anchor}") for s in found], aria_label="Questions"),
        tag("main", [tag("section", tag("h2", s.question), s.body, id=s.anchor) for s in found]),
        tag("footer", "Made by steelyard. This page is complete: it loads nothing and sends nothing."),
        tag("script", Ready(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def page_header(title: str, *more: object) -> Ready:
    """What stands at the top of a page: what it is, its title, and a few lines."""
    return tag("div", tag("p", "steelyard report", class_="over"), tag("h1", title), *more)


def _title(e: Evaluation) -> str:
    """The name of the file, or plain words where rows came from memory, which has none."""
    source = str(e.facts.get("source", ""))
    if source in IN_MEMORY:
        return "Predictions"
    return source.rsplit("/", 1)[-1]


def _standing(in_use: Mapping[str, Any]) -> list[Ready]:
    """How it stands with a model in use, with a link to where that is told; nothing where all is well."""
    m = in_use.get("monitor")
    if m is None or m.state not in {"warn", "alarm"}:
        return []
    link = tag("a", "Is it going stale?", href="#stale")
    return [tag("p", f"{m.sentences()[0]} ", link, class_="warn")]


def _header(models: Mapping[str, Any], title: str, standing: Sequence[Ready]) -> Ready:
    first = next(iter(models.values()))
    out = [tag("p", "steelyard report", class_="over"), tag("h1", title), *standing]
    for i, (name, e) in enumerate(models.items()):
        if len(models) > 1:
            out.append(tag("h3", name))
        told = [(label, text, label == "outcomes" or None) for label, text in story.facts(e)]
        out.append(tag("dl", [[tag(k, v, data_given=g) for k, v in (("dt", a), ("dd", b))] for a, b, g in told]))
        out[-1] = Ready(out[-1].replace("<dl>", f'<dl data-model="m{i}">', 1))
    if len(models) == 1:
        # What hangs on the amounts goes when they are changed on the page, and a word says where the new ones stand.
        kind = first.payoff.kind if first.payoff is not None else ""
        said = [tag("span", f"{s.text} ", data_given=s.about == kind or None) for s in sentences(first)]
        said.append(tag("span", CHANGED, hidden=True, data_changed=True))
        out.append(tag("p", said, class_="story", data_model="m0"))
    for name, e in models.items():
        for note in story.notes(e, story.groups(e)):
            out.append(tag("p", (f"{name}: " if len(models) > 1 else "") + note, class_="note warn"))
    return join(out)


def sections_of(
    models: Mapping[str, Any], command: str, slices: Slices | None, in_use: Mapping[str, Any] | None = None
) -> list[Section]:
    """Every section, in order."""
    # A monitor's own report is a page and stands on this module.
    from steelyard.reports import in_use as later
    from steelyard.reports.monitor import sections as of_monitor

    def each(make: Callable[[Evaluation, str, str], Ready]) -> Ready:
        """One model's answer, or that of every model below its name."""
        out = []
        for i, (name, e) in enumerate(models.items()):
            answer = make(e, f"m{i}", name)
            if len(models) > 1:
                answer = tag("details", tag("summary", name), answer, open=i == 0)
            out.append(tag("div", answer, data_model=f"m{i}"))
        return join(out)

    several = Section("model", "Which model?", parts.which_model(models))
    found = [
        Section("good", "How good?", each(lambda e, *_: parts.how_good(e))),
        Section("sure", "How sure?", each(lambda e, *_: parts.how_sure(e))),
        Section("fails", "Where does it fail?", each(lambda e, *_: parts.where_it_fails(e, slices))),
        Section("threshold", "Which threshold?", each(parts.which_threshold)),
        Section("worth", "What is it worth?", each(lambda e, *_: parts.what_it_is_worth(e))),
        several,
        *later.sections(in_use or {}, of_monitor),
        Section("made", "How was this made?", _made(models, command)),
    ]
    if len(models) > 1:
        found.remove(several)
        found.insert(0, several)
    return found


def evidence_fingerprint(e: Evaluation) -> str:
    """A short hash of what was counted: the same rows give the same one, in any order and from any engine."""
    text = json.dumps({k: v.to_dict() for k, v in e.evidence.items()}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _made(models: Mapping[str, Any], command: str) -> Ready:
    rows: list[tuple[str, str]] = []
    for name, e in models.items():
        of = f" of {visible(name)}" if len(models) > 1 else ""
        rows.append(
            (f"data{of}", f"{e.facts.get('source', 'unknown')}, {e.rows:,} rows, fingerprint {evidence_fingerprint(e)}")
        )
        roles = e.facts.get("roles") or {}
        if roles:
            rows.append((f"columns{of}", ", ".join(f"{role} {column}" for role, column in roles.items())))
        if e.facts.get("engine"):
            rows.append((f"counted by{of}", str(e.facts["engine"])))
    return made(rows, command)


def made(rows: Sequence[tuple[str, str]], command: str) -> Ready:
    """When, by which versions and by which command a page was made, below other facts."""
    from importlib.metadata import version

    import numpy as np

    rows = list(rows)
    rows.append(("made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")))
    rows.append(
        ("versions", f"steelyard {version('steelyard')}, Python {platform.python_version()}, NumPy {np.__version__}")
    )
    if command:
        rows.append(("command", command))
    rows.append(
        (
            "intervals",
            "by which method each was made stands in the report written as .json; docs/measures.md has definitions",
        )
    )
    return tag("dl", [[tag("dt", label), tag("dd", text)] for label, text in rows])
