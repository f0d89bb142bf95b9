"""The page: one file that opens offline and stays readable without scripts, styles or colours."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from steelyard.charts.palette import dark_rules, shaded_cells
from steelyard.reports import failing, several
from steelyard.reports import sections as parts
from steelyard.reports.first import first_screen, stamped
from steelyard.reports.sections import Section
from steelyard.reports.unasked import IN_MEMORY, unasked, unasked_html
from steelyard.views.glossary import linked
from steelyard.views.html import Ready, described, facts_line, fingerprint, join, tag
from steelyard.views.verdict import verdict_html
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.comparisons.slices import Slices
    from steelyard.evaluation import Evaluation
    from steelyard.verdicts.verdict import Verdict


SELDOM = ("switch", "index", "cells", "crossed", "beside")
"""Parts that few pages have, with lines of style of their own."""


PATTERN = r"/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\])+/[gimsuy]*"
KEPT = re.compile(rf"""("|'|`)(?:\\.|(?!\1)[^\\])*\1|(?<=[(=,:!&|?] ){PATTERN}|(?<=[(!]){PATTERN}""")
"""Strings and patterns of a script; a pattern stands where a value may begin."""
BESIDE = re.compile(r" ?([=*/<>&|?:,;{}()\[\]!%]) ?|(?<=[;{,(\[])\n")
"""Signs that need no space beside them, and line ends that are not needed; + and − keep theirs: two would be another sign."""


@cache
def _file(name: str) -> str:
    return (files("steelyard.reports") / name).read_text(encoding="utf-8")


@cache
def _style(*unused: str) -> str:
    """The rules for every page, without the lines of what a page has not."""
    lines = [line.strip() for line in _file("page.css").splitlines()]
    lines = [line for line in lines if not line.startswith(tuple(f".{name}" for name in unused))]
    return "".join(lines) + f"@media screen and (prefers-color-scheme:dark){{{dark_rules()}}}"


@cache
def script_of_pages() -> str:
    """The scripts of every page without what only their readers need: indents, lines of comment, spaces beside signs."""
    lines = [line.strip() for name in ("page.js", "here.js", "charts.js") for line in _file(name).splitlines()]
    return closer("\n".join(line for line in lines if line and not line.startswith("//")))


def _sign(found: re.Match[str]) -> str:
    return found[1] or ""


def closer(script: str) -> str:
    """A script without the spaces beside its signs; strings, patterns, and signs that would run together stay as they are.

    >>> closer('const a = (x) => x + " + " + -y.replace(/ = /g, "");')
    'const a=(x)=>x + " + " + -y.replace(/ = /g,"");'
    """
    out, done = [], 0
    for kept in KEPT.finditer(script):
        out += [BESIDE.sub(_sign, script[done : kept.start()]), kept[0]]
        done = kept.end()
    return "".join(out) + BESIDE.sub(_sign, script[done:])


def style_of_pages() -> str:
    """The style sheet of every page, for those that are served and not saved."""
    return _style() + shaded_cells(".cells")


def report_html(
    models: Mapping[str, Any],
    *,
    title: str = "",
    command: str = "",
    slices: Slices | None = None,
    before: Sequence[Section] = (),
    in_use: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
    verdict: Verdict | None = None,
) -> str:
    """The report of one evaluation, or of several by name, as one HTML file.

    `before` are sections that come before those of each model; `in_use` are results of a model in use by name: monitor, stability,
    timeliness, trial; `comparison` tests how several models differ, and `verdict` is said first where it is not theirs.
    """
    models = several.order_of(models, comparison)
    first = next(iter(models.values()))
    title = title or (_title(first) if len(models) == 1 else f"Which of {len(models)} models?")
    turned = list(models)[: several.MOST_TURNED] if len(models) > 1 else []
    found = sections_of(models, command, slices, in_use, comparison=comparison, before=before)
    said = verdict or (None if comparison is None else comparison.verdict)
    return page_html(title, _header(models, title, _standing(in_use or {}), said, found), found, turned)


def page_html(title: str, header: Ready, found: Sequence[Section], turned: Sequence[str] = ()) -> str:
    """Sections below a header, as one HTML file that loads nothing; `turned` are models to which its sections can be turned."""
    shown, words = linked(join([tag("header", header), tag("main", [_sectioned(s) for s in found])]))
    if words:
        meanings = tag("dl", [[tag("dt", w.name, id=w.anchor), tag("dd", w.meaning)] for w in words], class_="words")
        found = [*found, Section("words", "What do the words mean?", meanings, "Words")]
        shown = shown.removesuffix("</main>") + _sectioned(found[-1]) + "</main>"
    above, _, below = shown.partition("<main>")
    script = script_of_pages()
    all_of_it = f"{shown}{several.switch(turned) if turned else ''}"
    style = _style(*(name for name in SELDOM if not re.search(rf'class="[^"]*\b{name}\b', all_of_it)))
    style += several.switch_rules(len(turned)) + (shaded_cells(".cells") if 'class="cells' in shown else "")
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
        Ready(above),
        tag(
            "nav",
            [tag("a", s.short or s.question, href=f"#{s.anchor}") for s in found],
            several.switch(turned) if turned else None,
            aria_label="Questions",
        ),
        Ready(f"<main>{below}"),
        tag("footer", "Made by steelyard. This page is complete: it loads nothing and sends nothing."),
        tag("script", Ready(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _sectioned(section: Section) -> Ready:
    return tag("section", tag("h2", section.question), section.body, id=section.anchor)


def page_header(title: str, *more: object) -> Ready:
    """What stands at the top of a page: what it is, its title, and a few lines."""
    return tag("div", tag("div", tag("h1", title), tag("p", "steelyard report", class_="over"), class_="top"), *more)


def _title(evaluation: Evaluation) -> str:
    """The name of the file, or plain words where rows came from memory, which has none."""
    source = str(evaluation.facts.get("source", ""))
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


def _header(
    models: Mapping[str, Any],
    title: str,
    standing: Sequence[Ready],
    verdict: Verdict | None,
    found: Sequence[Section],
) -> Ready:
    questions = {s.anchor: s.question for s in found}
    out = [page_header(title), *standing]
    if len(models) == 1:
        return join([*out, first_screen(next(iter(models.values())), questions, verdict)])
    if verdict is not None:
        out.append(stamped(models.values(), verdict_html(verdict, questions)))
    facts = facts_line(several.common_facts(models), data_model="m0")
    return join([*out, facts, *several.notes_of(models)])


def sections_of(
    models: Mapping[str, Any],
    command: str,
    slices: Slices | None,
    in_use: Mapping[str, Any] | None = None,
    *,
    comparison: Comparison | None = None,
    before: Sequence[Section] = (),
) -> list[Section]:
    """Every section that has something to tell, in order."""
    # A monitor's own report is a page and stands on this module.
    from steelyard.reports import in_use as later
    from steelyard.reports.monitor import sections as of_monitor

    shown = dict(list(models.items())[: several.MOST_TURNED])

    def each(make: Callable[[Evaluation, str, str], Ready | None]) -> Ready | None:
        """One model's answer, or that of every model below its name; None where none of them has any."""
        out = []
        for i, (name, e) in enumerate(shown.items()):
            answer = make(e, f"m{i}", name)
            if answer is not None and len(models) > 1:
                answer = tag("div", tag("h3", name), answer, data_of=f"m{i}")
            if answer is not None:
                out.append(tag("div", answer, data_model=f"m{i}"))
        return join(out) if out else None

    def good(evaluation: Evaluation, *_: str) -> Ready:
        if len(models) == 1:
            return parts.how_good(evaluation)
        return join([several.own_facts(evaluation, models), parts.how_good(evaluation, several.EACH)])

    sure = each(lambda e, *_: parts.how_sure(e, listed=len(models) == 1))
    if sure is not None and len(models) > 1:
        sure = join([sure, several.all_numbers(shown)])

    def threshold(evaluation: Evaluation, model: str, name: str) -> Ready | None:
        found = parts.which_threshold(evaluation, model, name)
        return None if found is None else join([found, failing.top_of_the_rows(evaluation)])

    more = unasked(models, in_use or {}, command, sliced=slices is not None)
    found: list[Section | None] = [
        Section("model", "Which model?", several.which_model(models, comparison)) if len(models) > 1 else None,
        *(several.more_sections(comparison) if comparison is not None else []),
        *before,
        _section("threshold", "Which threshold?", each(threshold)),
        _section("good", "How good?", each(good)),
        _section("sure", "How sure?", sure),
        _section("fails", "Where does it fail?", each(lambda e, m, _: failing.where_it_fails(e, m, slices))),
        _section("worth", "What is it worth?", each(lambda e, *_: parts.what_it_is_worth(e))),
        *later.sections(in_use or {}, of_monitor),
        Section("made", "How was this made?", _made(models, command, comparison)),
        Section("more", "What else could be asked?", unasked_html(more), "What else?") if more else None,
    ]
    return [s for s in found if s is not None]


def _section(anchor: str, question: str, body: Ready | None) -> Section | None:
    return None if body is None else Section(anchor, question, body)


def evidence_fingerprint(evaluation: Evaluation) -> str:
    """A short hash of what was counted: the same rows give the same one, in any order and from any engine."""
    text = json.dumps({k: v.to_dict() for k, v in evaluation.evidence.items()}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _made(models: Mapping[str, Any], command: str, comparison: Comparison | None) -> Ready:
    rows: list[tuple[str, str]] = []
    if comparison is not None:
        rows.append(("compared", f"{comparison.pairing.words}, correction {comparison.correction}"))
    told = {name: _origin(e) for name, e in models.items()}
    for label in dict.fromkeys(k for found in told.values() for k in found):
        texts = {name: found.get(label, "") for name, found in told.items()}
        if len(set(texts.values())) == 1:
            rows.append((label, next(iter(texts.values()))))
        else:
            rows += [(f"{label} of {visible(name)}", text) for name, text in texts.items() if text]
    return made(rows, command)


def _origin(evaluation: Evaluation) -> dict[str, str]:
    """What an evaluation was made from."""
    roles = evaluation.facts.get("roles") or {}
    found = {
        "data": f"{evaluation.facts.get('source', 'unknown')}, {evaluation.rows:,} rows",
        "columns": ", ".join(f"{role} {column}" for role, column in roles.items()),
        "counted by": str(evaluation.facts.get("engine") or ""),
        "fingerprint": evidence_fingerprint(evaluation),
    }
    return {label: text for label, text in found.items() if text}


def made(rows: Sequence[tuple[str, str]], command: str) -> Ready:
    """When, by which versions and by which command a page was made, below other facts."""
    from importlib.metadata import version

    import numpy as np

    versions = f"steelyard {version('steelyard')}, Python {platform.python_version()}, NumPy {np.__version__}"
    how = "by which method each was made stands in the report written as .json; docs/measures.md has definitions"
    return described(
        [
            *rows,
            ("made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
            ("versions", versions),
            *([("command", command)] if command else []),
            ("intervals", how),
        ]
    )
