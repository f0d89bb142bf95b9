"""A window: what each signal says, what moved against the reference, its report with the workbench, and what may be kept."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.board.causes import joined
from steelyard.board.frame import badge
from steelyard.board.one_model import stream_of
from steelyard.board.pieces import downloads, unbroken
from steelyard.board.strips import effect_of
from steelyard.board.visits import Answer, Download, Shown, Visit, link, page, to
from steelyard.comparisons.changes import changes
from steelyard.errors import SteelyardError
from steelyard.evaluation import Evaluation
from steelyard.files.writing import sealed
from steelyard.monitors.result import Monitor, Watched
from steelyard.monitors.signals import Signal, difference_text
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.windowed import CountedWindow
from steelyard.reports.figures import figure
from steelyard.reports.page import report_html, sections_of
from steelyard.serve import statements as sql
from steelyard.serve.asked_windows import get_monitor, get_report, get_signals
from steelyard.serve.counting import windows_known
from steelyard.serve.operations import ApiRequest
from steelyard.serve.problems import Problem
from steelyard.serve.watching import WatchedStream
from steelyard.verdicts.alarm import ALARM, OK, UNJUDGED, WARN
from steelyard.views.changes import changes_sentences, numbers
from steelyard.views.html import Ready, facts_line, listed, small_table, tag
from steelyard.views.monitor import ORDER, signal_noun
from steelyard.views.stability import cell_table
from steelyard.words import count, percent, significant, visible

MOST_MOVED = 3
MOST_SIGNALS = 60
NAMED_FIRST = 3


def _watched(monitor: Monitor, name: str) -> int:
    places = {w.name: i for i, w in enumerate(monitor.windows)}
    if name not in places:
        raise Problem(404, "no_window", f'There is no window "{name[:100]}".', "Open one from the page of its model.")
    return places[name]


def _opened(visit: Visit, one: WatchedStream, name: str) -> CountedWindow | None:
    """The window as it was counted; None where no row came to it."""
    with visit.service.store.reading() as session:
        start = session.one(sql.WINDOW_NAMED, one.stream, name)
        if start is None:
            return None
        known = next(w for w in windows_known(session, one.stream) if w.start == start[0])
        return visit.service.watcher.opened(session, one, known)


@page("/models/{model}/windows/{window}")
def get_window(visit: Visit) -> Answer:
    """Everything of one window."""
    one = stream_of(visit, visit.path["model"])
    m = visit.service.watcher.seen(one)
    at = _watched(m, visit.path["window"])
    w = m.windows[at]
    held = _opened(visit, one, w.name)
    base = one.model.baseline
    assert base is not None
    e = None if held is None else evaluation_of(held.summary, base, m.confidence)
    key = ("window", one.stream, w.name, id(m))
    kept = visit.site.kept.get("window page")
    if kept is None or kept[0] != key:
        # Whoever turns a page back and forth, or is told of a change elsewhere, does not wait for it twice.
        kept = (key, _report(w, e, base.evaluation))
        visit.site.kept["window page"] = kept
    parts = [
        _crumbs(visit, m, at),
        _title(one, w, held),
        _says(m, w),
        tag("section", tag("h2", "What does each signal say?"), _signals(m, w), id="signals"),
        tag("section", tag("h2", "What moved?"), *_moved(w), id="moved"),
        kept[1],
        tag("section", tag("h2", "To keep"), _downloads(visit, one, w, e), id="keep"),
    ]
    return Shown(f"{one.model.name}, {w.name}", tag("div", parts))


def _crumbs(visit: Visit, monitor: Monitor, at: int) -> Ready:
    name, version = visit.path["model"], visit.query.get("version")

    def there(words: str, i: int) -> Ready:
        return link(words, to("models", name, "windows", monitor.windows[i].name, version=version))

    ends = [
        there("Window before", at - 1) if at else None,
        there("Window after", at + 1) if at + 1 < len(monitor) else None,
    ]
    last = monitor.windows[at].name if at + 1 < len(monitor) else None
    up = link(visible(name), to("models", name, version=version, to=last))
    beside = [tag("span", " · ", x) for x in ends if x]
    return tag("p", link("All models", "/"), " › ", up, " ", beside, class_="crumbs")


def _title(one: WatchedStream, watched: Watched, held: CountedWindow | None) -> Ready:
    cover = watched.labels.coverage
    facts = [
        ("from", watched.window.start.strftime("%Y-%m-%d %H:%M %Z")),
        ("to", watched.window.end.strftime("%Y-%m-%d %H:%M %Z")),
        ("rows", count(watched.rows)),
        ("labels", "none are watched" if one.model.target is None or cover is None else percent(round(cover, 3))),
        *([("counted", f"{held.revision} times")] if held is not None and held.revision > 1 else []),
    ]
    named = tag("h1", f"{visible(one.model.name)}, {visible(watched.name)}")
    return tag("div", tag("div", named, badge(watched.state), class_="titled"), facts_line(facts))


def _says(monitor: Monitor, watched: Watched) -> Ready:
    """What was out of bounds in it: a sentence, and the numbers of the loudest."""
    loud = [s for s in watched.signals if watched.state_of(s.name) in {ALARM, WARN}]
    alone = [s for s in watched.signals if s.state in {ALARM, WARN} and s not in loud]
    told = [f"{signal_noun(s.name)}: {visible(s.reason)}." for s in (*loud, *alone)[:3]]
    rest = len(loud) + len(alone) - len(told)
    more = tag("p", f"{count(rest)} more below.", class_="quiet") if rest else None
    words = tag("ul", [tag("li", t) for t in told], class_="steps") if told else None
    head = tag("p", unbroken(_sentence(monitor, watched, loud, alone)), class_="headline")
    return tag("div", tag("div", head, words, more, class_="said"), class_="verdict")


def _sentence(monitor: Monitor, watched: Watched, loud: Sequence[Signal], alone: Sequence[Signal]) -> str:
    if not watched.rows:
        return "No rows came."
    measured = [s for s in watched.signals if monitor.gauges[s.kind].about == "model"]
    waits = any(watched.state_of(s.name) in UNJUDGED for s in measured)
    late = " How good the model was is not known yet." if waits else ""
    if not loud and not alone:
        return f"Nothing that can be judged left what chance and the margin allow.{late}"
    told = joined([f"{signal_noun(s.name)} {_did(monitor, s)}" for s in (loud or alone)][:NAMED_FIRST])
    rest = len(loud or alone) - NAMED_FIRST
    said = f"{told[:1].upper()}{told[1:]}{f', and {count(rest)} more signals are out of bounds' if rest > 0 else ''}"
    return f"{said}{'' if loud else ': one window alone fires nothing'}.{late if not loud else ''}"


def _did(monitor: Monitor, signal: Signal) -> str:
    """What became of a signal, in two words."""
    words = {"model": "is worse", "data": "moved", "scores": "moved", "delivery": "is not as usual"}
    return words.get(monitor.gauges[signal.kind].about, "cannot be read")


def _signals(monitor: Monitor, watched: Watched) -> Ready:
    found = sorted(watched.signals, key=lambda s: ORDER.index(watched.state_of(s.name)))
    rows = []
    for s in found[:MOST_SIGNALS]:
        g, state = monitor.gauges[s.kind], watched.state_of(s.name)
        base = f"{count(s.usual[0])} to {count(s.usual[1])}" if s.usual is not None else ""
        if s.reference is not None and g.against:
            base = significant(s.reference)
        apart = "" if s.difference is None else difference_text(s.difference)
        lone = s.state in {ALARM, WARN} and state == OK
        shown = tag("td", badge(state), tag("span", " out of bounds once", class_="quiet") if lone else None)
        beside = tag("td", base, data_head="reference" if base else None)
        told = tag("span", visible(s.reason)), tag("span", f" ({apart})" if apart and apart not in s.reason else "")
        named = tag("th", signal_noun(s.name), scope="row")
        rows.append(tag("tr", named, shown, tag("td", _value(monitor, watched, s)), beside, tag("td", *told)))
    head = ("signal", "state", "value", "reference", "why")
    many = len(found) > MOST_SIGNALS
    note = f"The worst {MOST_SIGNALS} of {count(len(found))} signals" if many else "The worst first"
    return listed(head, rows, note, "history")


def _value(monitor: Monitor, watched: Watched, signal: Signal) -> str:
    if signal.usual is not None:
        return count(watched.rows)
    return monitor.gauges[signal.kind].value_text(signal)


def _moved(watched: Watched) -> list[Any]:
    """Scores and features by how far they moved, and of those that moved most, which of their values."""
    found = sorted(((e, s) for s in watched.signals if (e := effect_of(s)) is not None), key=lambda x: -x[0])
    if not found:
        return [tag("p", "No score and no feature is held against the reference here.", class_="quiet")]
    loud = [s for _, s in found if s.state in {ALARM, WARN} or watched.state_of(s.name) in {ALARM, WARN}][:MOST_MOVED]
    if not loud:
        told = ", ".join(f"{visible(s.name)} {e:.2f}" for e, s in found[:5])
        furthest = f"Furthest from the reference, by stability index: {told}."
        return [tag("p", f"Nothing moved by more than it may. {furthest}")]
    out: list[Any] = []
    for s in loud:
        assert s.stability is not None
        cells = [c for c in s.stability.cells if c.part]
        most = max(cells, key=lambda c: abs(c.current_share - c.reference_share), default=None)
        said = ""
        if most is not None:
            verb = "rose" if most.current_share > most.reference_share else "fell"
            shares = f"from {percent(most.reference_share)} to {percent(most.current_share)}"
            said = f"Most of it: the share of {visible(most.name)} {verb} {shares}."
        out.append(tag("h3", f"{visible(s.name)}: {visible(s.reason)}"))
        out.append(tag("p", said))
        table = tag("details", tag("summary", "Every cell"), small_table(cell_table(s.stability)))
        out.append(tag("div", figure(s.stability.chart()), table, class_="grid"))
    rest = len(found) - len(loud)
    if rest:
        told = ", ".join(f"{visible(s.name)} {e:.2f}" for e, s in found if s not in loud)
        out.append(tag("p", f"The others, by stability index: {told[:600]}.", class_="quiet"))
    return out


# The report -----------------------------------------------------------------------------------------------------------


def _report(watched: Watched, evaluation: Evaluation | None, reference: Evaluation | None) -> Ready:
    """How good it is against the reference, and the workbench; or what is waited for."""
    question = tag("h2", "Is it still as good?")
    if evaluation is None or reference is None:
        why = visible(watched.labels.reason) or "none of its rows has a label that can be read"
        return tag("section", question, tag("p", f"Not known yet: {why}.", class_="told"), id="good")
    try:
        told = changes(reference, evaluation, names=("reference", watched.name))
        first, *others = changes_sentences(told)
        early = "" if watched.labels.mature else f"So far: {visible(watched.labels.reason)}. "
        said = [tag("p", f"{early}{first}", class_="told"), *(tag("p", s) for s in others), small_table(numbers(told))]
    except SteelyardError as problem:
        said = [tag("p", str(problem.message))]
    out = [tag("section", question, said, id="good")]
    wanted = {
        "threshold": "Which threshold would be right in it?",
        "worth": "What was it worth?",
        "fails": "Where did it fail?",
    }
    for s in sections_of({watched.name: evaluation}, "", None):
        if s.anchor in wanted:
            out.append(tag("section", tag("h2", wanted[s.anchor]), s.body, id=s.anchor))
    return tag("div", out)


# To keep --------------------------------------------------------------------------------------------------------------


def _downloads(visit: Visit, one: WatchedStream, watched: Watched, evaluation: Evaluation | None) -> Ready:
    version = visit.query.get("version")
    kinds = [("What was counted, as a summary", "summary.json"), ("Its signals as CSV", "signals.csv")]
    kinds += [("Its report as a page", "report.html")] if evaluation is not None else []
    return downloads(kinds, lambda kind: to("models", one.model.name, "windows", watched.name, kind, version=version))


@page("/models/{model}/windows/{window}/{kind}")
def keep_window(visit: Visit) -> Answer:
    """A window as its summary, as CSV of its signals, or as a page of its own."""
    one = stream_of(visit, visit.path["model"])
    m = visit.service.watcher.seen(one)
    w = m.windows[_watched(m, visit.path["window"])]
    kind, named = visit.path["kind"], f"{one.model.name}-{w.name}".replace(" ", "T").replace(":", "-").replace("+", "_")
    held = _opened(visit, one, w.name)
    if kind == "summary.json" and held is not None:
        until = visit.service.clock().isoformat()
        return Download(sealed(replace(held, until=until).to_dict()).encode(), "application/json", f"{named}.json")
    if kind == "signals.csv":
        rows = replace(m, windows=(w,)).rows_as_dicts()
        text = io.StringIO()
        out = csv.writer(text)
        out.writerow(rows[0])
        out.writerows([f"'{v}" if isinstance(v, str) and v[:1] in "=+-@\t\r" else v for v in r.values()] for r in rows)
        return Download(text.getvalue().encode(), "text/csv; charset=utf-8", f"{named}.csv")
    e = None
    if held is not None and one.model.baseline is not None:
        e = evaluation_of(held.summary, one.model.baseline, m.confidence)
    if kind == "report.html" and e is not None:
        text_of = report_html({one.model.name: e}, title=f"{one.model.name}, {w.name}")
        return Download(text_of.encode(), "text/html; charset=utf-8", f"{named}.html")
    said = "There is nothing of this kind of this window."
    raise Problem(404, "no_file", said, "Open the window to see what there is.")


@page("/models/{model}/download/{kind}")
def keep_model(visit: Visit) -> Answer:
    """The monitor as a page, as CSV or as JSON: what the service answers programs."""
    from steelyard.serve.asked_windows import OfVersion

    found = {"report.html": get_report, "signals.csv": get_signals, "monitor.json": get_monitor}.get(visit.path["kind"])
    if found is None:
        said = "There is nothing of this kind of a model."
        raise Problem(404, "no_file", said, "Open the model to see what there is.")
    query = OfVersion(version=visit.query.get("version") or None)
    name = visit.path["model"]
    answer = found.run(ApiRequest(visit.service, visit.caller, {"model": name}, query, None, {}))
    told = answer.content
    body = told if isinstance(told, bytes) else json.dumps(told, ensure_ascii=False).encode()
    return Download(body, answer.kind, f"{name}-{visit.path['kind']}")
