"""Small pieces that several pages show: a course as a line, how long ago, a bar of labels, forms of an alarm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from steelyard.board.visits import Visit, link, to
from steelyard.monitors.windows import moment
from steelyard.views.html import Ready, join, tag
from steelyard.views.monitor import signal_noun
from steelyard.words import percent, visible

MOMENT = re.compile(r"(\b\d{4}-[\dWQ][\d-]*(?: \d\d:\d\d)?)")
WIDE, HIGH = 160, 32
EDGE = 4
SILENCES = ((1, "1 day"), (7, "1 week"), (28, "4 weeks"))
"""How long a signal may be muted from a page."""


def small_course(course: Mapping[str, Any], about: str) -> Ready:
    """A signal over its last windows: the line, its interval, the reference; alarms filled, what is only expected dotted."""
    values: Sequence[int | None] = course["values"]
    step = (WIDE - 2 * EDGE) / max(1, len(values) - 1)

    def x(i: int) -> str:
        return f"{EDGE + step * i:.0f}"

    def y(v: int) -> str:
        return f"{HIGH - EDGE - (HIGH - 2 * EDGE) * v / 1000:.0f}"

    parts = [_band(course, x, y)]
    if course["reference"] is not None:
        at = y(course["reference"])
        parts.append(tag("path", d=f"M{EDGE} {at}H{WIDE - EDGE}", class_="base"))
    for expected, kind in ((False, "line"), (True, "line dots")):
        told = [v if (m == "e") == expected else None for v, m in zip(values, course["marks"], strict=True)]
        if expected:  # from the last that was judged on
            after = [*told[1:], None]
            told = [v if x is None and y is not None else x for v, x, y in zip(values, told, after, strict=True)]
        if path := _path(told, x, y):
            parts.append(tag("path", d=path, class_=kind))
    for i, (v, mark) in enumerate(zip(values, course["marks"], strict=True)):
        if v is not None and mark in {"a", "w"}:
            parts.append(tag("circle", cx=x(i), cy=y(v), r="2.5", class_="rung"))
    return tag("svg", parts, viewBox=f"0 0 {WIDE} {HIGH}", class_="course", role="img", aria_label=about)


def _path(values: Sequence[int | None], x: Any, y: Any) -> str:
    out, pen = [], "M"
    for i, v in enumerate(values):
        if v is None:
            pen = "M"
            continue
        out.append(f"{pen}{x(i)} {y(v)}")
        pen = "L"
    return "".join(out)


def _band(course: Mapping[str, Any], x: Any, y: Any) -> Ready | None:
    runs: list[list[int]] = [[]]
    for i, (low, high) in enumerate(zip(course["low"], course["high"], strict=True)):
        if low is None or high is None:
            runs.append([])
        else:
            runs[-1].append(i)
    told = []
    for run in (r for r in runs if len(r) > 1):
        up = "L".join(f"{x(i)} {y(course['high'][i])}" for i in run)
        down = "L".join(f"{x(i)} {y(course['low'][i])}" for i in reversed(run))
        told.append(f"M{up}L{down}Z")
    return tag("path", d="".join(told), class_="band") if told else None


def ago(then: datetime | None, now: datetime) -> Ready:
    """How long ago, with the moment itself behind it."""
    if then is None:
        return tag("span", "never")
    return tag("time", span_text(now - then), datetime=then.isoformat(timespec="seconds"), title=stamp(then))


def span_text(span: timedelta) -> str:
    """A length of time as people say it.

    >>> span_text(timedelta(seconds=70)), span_text(timedelta(hours=30)), span_text(timedelta(days=30))
    ('1 min ago', '30 h ago', '30 days ago')
    """
    seconds = span.total_seconds()
    if seconds < 60:
        return "now"
    for size, word, most in ((60, "min", 60), (3600, "h", 48)):
        if seconds < size * most:
            return f"{int(seconds // size)} {word} ago"
    return f"{int(seconds // 86_400)} days ago"


def stamp(then: datetime | str | None) -> str:
    """A moment to the minute."""
    if not then:
        return ""
    text = then if isinstance(then, str) else then.isoformat()
    return text[:16].replace("T", " ")


def unbroken(text: str) -> Ready:
    """A sentence in which names of windows and moments stay on one line."""
    return join(tag("span", part, class_="short") if i % 2 else part for i, part in enumerate(MOMENT.split(text)))


def instant(at: int | None) -> datetime | None:
    """A moment as it is kept."""
    return None if at is None else moment(at)


def label_bar(share: float | None) -> Ready:
    """The part of the rows whose label is known."""
    if share is None:
        return tag("span", "no labels are watched", class_="quiet")
    bar = tag(
        "svg",
        tag("rect", width=100, height=8, rx=4, class_="track"),
        tag("rect", width=f"{100 * share:.0f}", height=8, rx=4, class_="full"),
        viewBox="0 0 100 8",
        class_="labels",
        aria_hidden="true",
    )
    return tag("span", bar, tag("span", f"{percent(round(share, 2))} labelled", class_="quiet"), class_="cover")


def alarm_forms(
    visit: Visit, model: str, version: str, signals: Sequence[str], *, acknowledged: bool, muted: bool
) -> Ready:
    """What may be said of alarms: acknowledged, muted until then with a reason, heard again."""
    if not visit.may("write", model):
        return tag("span", "acknowledged" if acknowledged else "muted" if muted else "", class_="quiet")
    place = to("models", model, "alarms", version=version)
    held = [tag("input", type="hidden", name="signal", value=s) for s in signals[:1]] if len(signals) == 1 else []
    named = f" {signal_noun(signals[0])} of {visible(model)}" if len(signals) == 1 else f" {visible(model)}"
    if muted:
        button = tag("button", "Hear again", name="what", value="unmute", aria_label=f"Hear again{named}")
        return visit.form_tag(place, held, button, class_="does")
    done = tag("button", "Acknowledge", name="what", value="acknowledge", aria_label=f"Acknowledge{named}")
    if acknowledged:
        done = tag("span", "acknowledged", class_="quiet")
    mute = tag(
        "details",
        tag("summary", "Mute", aria_label=f"Mute{named}"),
        tag(
            "div",
            choice("for", "days", SILENCES),
            tag("label", "because ", tag("input", name="reason", maxlength=300, placeholder="planned work, say")),
            tag("button", "Mute", name="what", value="mute"),
            class_="menu",
        ),
        name="mute",
    )
    return visit.form_tag(place, held, done, mute, class_="does")


def choice(label: str, name: str, options: Iterable[tuple[object, str]], chosen: object = None) -> Ready:
    """A list of values, each told in words, from which one is chosen."""
    told = [tag("option", words, value=value, selected=value == chosen) for value, words in options]
    return tag("label", f"{label} ", tag("select", told, name=name))


def asking(place: str, *fields: object, role: str | None = None) -> Ready:
    """A form that asks for a page and changes nothing."""
    return tag("form", *fields, method="get", action=place, class_="filters", role=role)


def field(label: str, name: str, *box: object) -> Ready:
    """A box to type into or to choose from, below its label."""
    return tag("p", tag("label", label, for_=name), tag("br"), *box)


def warned(said: str) -> Ready | None:
    """What went wrong, where anything did."""
    return tag("p", said, class_="warn", role="alert") if said else None


def downloads(kinds: Iterable[tuple[str, str]], address: Callable[[str], str], *more: Ready) -> Ready:
    """Buttons that keep something, each of a kind of file."""
    told = [link(word, address(kind), class_="button") for word, kind in kinds]
    return tag("p", told, *more, class_="downloads")


def typed(text: str) -> Ready:
    """Lines as they are typed."""
    return tag("pre", [[line, Ready("\n")] for line in text.splitlines()], tabindex="0")
