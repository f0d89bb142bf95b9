"""A model: how it stands and why, the course of its signals, what changed since when, its versions."""

from __future__ import annotations

from typing import Any

from steelyard.board.alarms import said_of_alarms, standing_alarm
from steelyard.board.causes import Cause, began, cause_of, state_of
from steelyard.board.earned import earned_section
from steelyard.board.faces import zoomed
from steelyard.board.frame import badge
from steelyard.board.known import KnownModel, one_known
from steelyard.board.pieces import ago, alarm_forms, asking, choice, downloads, instant, label_bar, stamp, unbroken
from steelyard.board.strips import ROWS, WINDOWS, heat_map, loudest, status_strip, strip_key
from steelyard.board.versions import versions_section
from steelyard.board.visits import Answer, Shown, Visit, link, page, to
from steelyard.monitors.result import Monitor
from steelyard.reports.figures import figure
from steelyard.serve.problems import Problem
from steelyard.serve.watching import WatchedStream
from steelyard.verdicts.alarm import ALARM, UNJUDGED
from steelyard.views.html import Ready, described, facts_line, listed, tag
from steelyard.views.monitor import headline, signal_noun
from steelyard.words import count, percent, significant, visible

DRAWN = 80
"""Windows of which a course is drawn."""
PICTURES = 3
CHANGES = 12
STANDING = 8
"""Alarms that are told one by one; of more, the worst."""
LETTERS = 60
"""Of a name that is chosen from a list."""
FURTHER = (
    "Numbers are stability indices, less what chance brings: from 0.1 on a warning, from 0.25 on an alarm, where chance "
    "does not explain it. Darker is further."
)


def stream_of(visit: Visit, name: str) -> WatchedStream:
    """The version of a model that is meant."""
    with visit.service.store.reading() as session:
        return visit.service.watcher.stream(session, name, visit.query.get("version") or None)


@page("/models/{model}")
def get_model(visit: Visit) -> Answer:
    """Everything of one model."""
    name = visit.path["model"]
    known = one_known(visit, name, visit.query.get("version") or None)
    top = [tag("p", link("All models", "/"), class_="crumbs")]
    try:
        one = stream_of(visit, name)
        m = visit.service.watcher.seen(one)
    except Problem as problem:
        if problem.status == 404 and problem.code == "no_model":
            raise
        send = tag("p", link("How rows are sent", to("setup", "send", model=name)))
        told = tag("section", tag("p", problem.detail, class_="headline"), tag("p", problem.hint), send)
        title = tag("div", tag("h1", visible(name)), badge(known.state), class_="titled")
        return Shown(name, tag("div", *top, title, told))
    return Shown(name, tag("div", *top, *_parts(visit, known, m)))


def _parts(visit: Visit, known: KnownModel, monitor: Monitor) -> list[Any]:
    cause = cause_of(monitor)
    shown = _chosen_windows(monitor, visit.query.get("to", ""))
    parts: list[Any] = [_title(visit, known, monitor), _stands(monitor, cause), _alarms(visit, known, monitor)]
    strips, judged = _strips(visit, known, monitor, shown), [*_judged(monitor), *_downloads(visit, known)]
    parts.append(tag("section", tag("h2", "What moved, and when?"), *strips, id="windows"))
    parts.append(tag("section", tag("h2", "How did it come?"), *_courses(visit, monitor, shown), id="stale"))
    parts.append(tag("section", tag("h2", "What changed, and since when?"), *_changes(visit, monitor), id="changed"))
    parts += [earned_section(visit, stream_of(visit, known.name)), versions_section(visit, known)]
    parts.append(tag("section", tag("h2", "How is it judged?"), *judged, id="made"))
    return parts


def _title(visit: Visit, known: KnownModel, monitor: Monitor) -> Ready:
    face = known.face or {}
    came = instant(face.get("came"))
    said = known.model.said
    facts = [
        ("owner", said.owner or "nobody named"),
        ("version", known.version),
        ("last row", ago(came, visit.service.clock())),
        ("labels known", label_bar(face.get("coverage"))),
    ]
    title = tag("div", tag("h1", visible(known.name)), badge(state_of(monitor)), class_="titled")
    return tag("div", title, facts_line(facts))


def _stands(monitor: Monitor, cause: Cause) -> Ready:
    """What to do, what it is about and since when: the first thing that is read."""
    steps = [tag("li", tag("b", unbroken(s)) if s == cause.advice else unbroken(s)) for s in cause.steps]
    head = tag("p", unbroken(cause.sentence), class_="headline")
    if not cause.word:
        return tag("div", tag("div", head, [tag("p", s) for s in cause.steps], class_="said"), class_="verdict")
    since = tag("p", f"It is about {cause.word}.", id="cause")
    said = [head, since]
    do = tag("div", tag("h2", "What to do"), tag("ol", steps, class_="steps"), id="do", class_="todo")
    return tag("div", tag("div", said, class_="said"), do, class_="verdict")


def _alarms(visit: Visit, known: KnownModel, monitor: Monitor) -> Ready | None:
    said = said_of_alarms(visit)
    some = sorted(known.alarms.standing, key=lambda a: (a.acknowledged, a.severity != ALARM))
    out = [
        standing_alarm(visit, known, a, said, of=False, now=_latest(monitor, a.signal, a.since))
        for a in some[:STANDING]
    ]
    if len(some) > 1:
        rest = f"{count(len(some) - STANDING)} more stand. " if len(some) > STANDING else ""
        forms = alarm_forms(visit, known.name, known.version, [], acknowledged=not known.open, muted=False)
        every = tag("p", f"{rest}All {count(len(some))} at once:", class_="quiet")
        out.append(tag("div", every, forms, class_="at-once"))
    for signal, until in known.alarms.muted.items():
        end = f" until {stamp(until)}" if until else ""
        forms = alarm_forms(visit, known.name, known.version, [signal], acknowledged=False, muted=True)
        out.append(tag("div", tag("p", tag("b", visible(signal)), f" is muted{end}."), forms, class_="alarmed"))
    return tag("section", tag("h2", "What stands?"), out, id="stands") if out else None


def _latest(monitor: Monitor, signal: str, since: str) -> str:
    """What the last window that could be judged says, where that is another than the one in which it fired."""
    judged = [w for w in monitor.windows if signal in monitor.signals and w[signal].state not in UNJUDGED]
    if not judged or judged[-1].name == since:
        return ""
    s = judged[-1][signal]
    return f"In {visible(judged[-1].name)}, the last one judged: {monitor.gauges[s.kind].value_text(s)}."


# Windows --------------------------------------------------------------------------------------------------------------


def _chosen_windows(monitor: Monitor, last: str) -> tuple[int, int]:
    """Which windows stand side by side: the last ones, or those up to the one that is named."""
    names = [w.name for w in monitor.windows]
    stop = names.index(last) + 1 if last in names else len(names)
    return max(0, stop - WINDOWS), max(min(WINDOWS, len(names)), stop)


def _strips(visit: Visit, known: KnownModel, monitor: Monitor, shown: tuple[int, int]) -> list[Any]:
    start, stop = shown
    part = zoomed(monitor, start, stop)
    version = visit.query.get("version")

    def address(window: str) -> str:
        return to("models", known.name, "windows", window, version=version)

    out: list[Any] = [status_strip(part, address), strip_key()]
    if len(monitor.signals) > ROWS:
        out.append(tag("p", f"The {ROWS} loudest of {count(len(monitor.signals))} signals.", class_="quiet"))
    features = [s.name for s in monitor.windows[-1].signals if monitor.gauges[s.kind].about in {"data", "scores"}]
    if features:
        many = loudest(part, features)[:ROWS]
        out += [tag("h3", "How far scores and features moved"), heat_map(part, many, address)]
        out.append(tag("p", FURTHER, class_="note"))
    out.append(_pager(visit, known, monitor, start, stop))
    return out


def _pager(visit: Visit, known: KnownModel, monitor: Monitor, start: int, stop: int) -> Ready | None:
    if start == 0 and stop >= len(monitor):
        return None
    version = visit.query.get("version")

    def there(words: str, last: int) -> Ready:
        return link(words, to("models", known.name, version=version, to=monitor.windows[last - 1].name) + "#windows")

    first, last = (visible(monitor.windows[i].name) for i in (start, stop - 1))
    told = tag("span", f"{first} to {last} of {count(len(monitor))} windows")
    earlier = there("Earlier", max(min(WINDOWS, len(monitor)), start)) if start else None
    later = there("Later", min(len(monitor), stop + WINDOWS)) if stop < len(monitor) else None
    return tag("p", earlier, told, later, class_="pager")


def _courses(visit: Visit, monitor: Monitor, shown: tuple[int, int]) -> list[Any]:
    """Pictures of what fires, and of the first signal; any other one where it is named."""
    chosen, chief = visit.query.get("signal", ""), str(monitor.facts.get("first", monitor.signals[0]))
    part = zoomed(monitor, max(0, shown[1] - DRAWN), shown[1])
    names = [chosen] if chosen in monitor.signals else list(dict.fromkeys([chief, *monitor.firing]))[:PICTURES]
    first, *others = names
    figures = [figure(part.chart(first), wide=True), tag("div", [figure(part.chart(name)) for name in others])]
    query = {k: visit.query[k] for k in ("version", "to") if k in visit.query}
    held = [tag("input", type="hidden", name=k, value=v) for k, v in query.items()]
    other = choice("Another signal", "signal", [(n, visible(n[:LETTERS])) for n in monitor.signals], chosen)
    form = asking(to("models", visit.path["model"]) + "#stale", held, other, tag("button", "Draw"))
    expected = any(s.estimated for w in part.windows for s in w.signals)
    apart = "Hollow and apart: expected from the scores (≈), until the labels are in."
    note = tag("p", apart, class_="note") if expected else None
    return [tag("div", figures, class_="courses"), note, form]


def _changes(visit: Visit, monitor: Monitor) -> list[Any]:
    fired = [a for a in monitor.alarms if a.after == "firing" or (a.after == "ok" and a.before != "pending")]
    if not fired:
        return [tag("p", "Nothing was ever alarmed in these windows.", class_="quiet")]
    head = ("signal", "out of bounds since", "fired in", "was", "is", "")
    stands = [_change(monitor, name) for name in monitor.firing]
    table = listed(head, stands, "What stands, and how far it went", "history") if stands else None
    items = [tag("li", visible(a.text)) for a in fired[-CHANGES:][::-1]]
    more = tag("p", link(f"All {count(len(fired))}", "/alarms")) if len(fired) > CHANGES else None
    before = tag("details", tag("summary", "Every alarm and warning of it, the newest first"), tag("ul", items), more)
    return [table, before]


def _change(monitor: Monitor, name: str) -> Ready:
    """Since when a signal is out of bounds, and from which number to which."""
    told = next((w for w in reversed(monitor.windows) if w[name].state not in UNJUDGED), monitor.windows[-1])
    s, g = told[name], monitor.gauges[told[name].kind]
    was = significant(s.reference) if s.reference is not None and g.against else "0" if s.stability is not None else ""
    is_now, about = g.value_text(s), "how far it moved, as an index" if s.stability is not None else ""
    if s.usual is not None:
        was, is_now, about = f"{count(s.usual[0])} to {count(s.usual[1])}", count(told.rows), "rows"
    cells = {
        "out of bounds since": visible(monitor.windows[began(monitor, name)].name),
        "fired in": visible(monitor.fired_in(name)),
        "was": was,
        "is": f"{is_now} in {visible(told.name)}",
    }
    found = [tag("td", unbroken(x), data_head=h if x else None) for h, x in cells.items()]
    return tag("tr", tag("th", signal_noun(name), scope="row"), found, tag("td", about, class_="quiet"))


def _judged(monitor: Monitor) -> list[Any]:
    any_time = f"looks at any time, level {monitor.alpha:g} a signal"
    facts = [
        ("watched", headline(monitor)),
        ("reference", monitor.baseline.text),
        ("budget", any_time if monitor.budget is None else monitor.budget.text),
        ("margin", percent(monitor.margin)),
    ]
    notes = [tag("p", visible(n), class_="note warn") for n in monitor.notes[:5]]
    return [described(facts), *notes]


def _downloads(visit: Visit, known: KnownModel) -> list[Any]:
    version = visit.query.get("version")
    kinds = (
        ("The report as a page", "report.html"),
        ("Every number as CSV", "signals.csv"),
        ("Everything as JSON", "monitor.json"),
    )
    send = link("How rows are sent", to("setup", "send", model=known.name), class_="button")
    return [downloads(kinds, lambda kind: to("models", known.name, "download", kind, version=version), send)]
