"""The verdict of any result, laid out the same everywhere: lines of text, Markdown, HTML; JSON is its own `to_dict`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from steelyard.verdicts.conclusion import SumBar
from steelyard.verdicts.verdict import Verdict
from steelyard.views.html import Ready, breakable, join, tag
from steelyard.views.layout import WIDTH, fit, pad, width_of, wrap
from steelyard.views.worth import interval_text, value_text
from steelyard.words import visible

INTERVAL = re.compile(r"\[[−\d.,%]+, [−\d.,%]+\]")
LONGEST = 20
MOST_LINES = 12
"""Lines of a terminal that are taken at most."""
BLOCKS = " ▏▎▍▌▋▊▉█"


def verdict_lines(verdict: Verdict, width: int = WIDTH, most: int = MOST_LINES) -> list[str]:
    """State and sentence, then sums, reasons and the next step, as far as they fit into so many lines."""
    out = [f"{visible(verdict.state)[:1].upper()}{visible(verdict.state)[1:]}", *wrap(verdict.sentence, width)]
    after = wrap(verdict.next_step, width, "Next: ", "      ") if verdict.next_step else []
    bars = bar_lines(verdict.bars, width)
    if len(out) + len(bars) + len(after) <= most:
        out += bars
    for reason in verdict.reasons:
        lines = wrap(reason.text, width, "- ", "  ")
        if len(out) + len(lines) + len(after) <= most:
            out += lines
    return [*out, *after][:most]


def bar_lines(bars: Collection[SumBar], width: int = WIDTH) -> list[str]:
    """Sums as bars of characters with their intervals beside them; a loss has no bar."""
    if not bars:
        return []
    names = [fit(b.name, 30) for b in bars]
    told = [f"{value_text(b.estimate)} {interval_text(b.estimate)}".rstrip() for b in bars]
    wide, right = max(map(width_of, names)), max(map(width_of, told))
    room = max(0, min(24, width - wide - right - 6))
    most = max([float(b.estimate) for b in bars] + [1e-300])
    return [
        f"  {pad(name, wide)}  {pad(_bar(max(float(b.estimate), 0.0) / most, room), room)}  {text}".rstrip()
        for name, b, text in zip(names, bars, told, strict=True)
    ]


def _bar(share: float, room: int) -> str:
    eighths = round(share * room * 8)
    return BLOCKS[8] * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")


def verdict_markdown(verdict: Verdict, anchors: Mapping[str, str] | None = None) -> list[str]:
    """The same as lines of Markdown; `anchors` are the headings that reasons may link to, by anchor."""
    from steelyard.views.markdown import link, safe, table_lines

    lines = [f"**{safe(verdict.state[:1].upper() + verdict.state[1:])}.** **{safe(verdict.sentence)}**", ""]
    if verdict.bars:
        rows = [(b.name, value_text(b.estimate), interval_text(b.estimate)) for b in verdict.bars]
        lines += table_lines(("", verdict.conclusion.unit, "interval"), rows, "lrl")
    lines += [f"- {safe(r.text)}{link(r.anchor, anchors)}" for r in verdict.reasons]
    return [*lines, *([""] if verdict.reasons else []), *([safe(verdict.next_step), ""] if verdict.next_step else [])]


def verdict_html(verdict: Verdict, anchors: Mapping[str, str] | None = None, beside: Ready | None = None) -> Ready:
    """The same as HTML; `anchors` are the questions of the page's sections, by anchor, to which reasons link.

    A picture may stand `beside` what is said, where no sums do.
    """
    known = anchors or {}

    def reason(text: str, anchor: str) -> Ready:
        link = tag("a", f"{known[anchor]} ›", href=f"#{anchor}") if anchor in known else None
        return tag("li", unbroken(text), " ", link)

    told = tag(
        "div",
        tag("p", tag("span", verdict.state, class_=f"state {verdict.tone}")),
        tag("p", unbroken(verdict.sentence), class_="headline"),
        tag("ul", [reason(r.text, r.anchor) for r in verdict.reasons], class_="reasons") if verdict.reasons else None,
        tag("p", tag("b", "Next: "), verdict.next_step, class_="next") if verdict.next_step else None,
        class_="said",
    )
    sums = bars_html(verdict.bars, verdict.conclusion.unit) if verdict.bars else beside
    return tag("div", told, sums, class_="verdict")


def unbroken(text: str) -> Ready:
    """A sentence whose intervals stay in one line."""
    return Ready(INTERVAL.sub(r'<span class="kept">\g<0></span>', join([text])))


def bars_html(bars: Collection[SumBar], unit: str) -> Ready:
    """Sums as bars beside their numbers, each with its interval as a line; zero is where they all begin."""
    every = [v for b in bars for v in (b.estimate.value, b.estimate.low, b.estimate.high, 0.0) if v is not None]
    low, high = min(every), max(every)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return round(2 + 196 * (value - low) / span, 1)

    def drawn(bar: SumBar) -> Ready:
        e = bar.estimate
        zero, end = x(0.0), x(float(e))
        parts = [_rect(min(zero, end), abs(end - zero) or 0.8, 3, 12, f"bar {bar.role}", "#0063a8")]
        if e.low is not None and e.high is not None and e.low != e.high:
            parts.append(_rect(x(e.low), x(e.high) - x(e.low), 8, 2, "range", "#1b1f24"))
        parts.append(_rect(zero - 0.4, 0.8, 0, 18, "zero", "#5b6470"))
        return tag("svg", parts, viewBox="0 0 200 18", preserveAspectRatio="none", aria_hidden="true")

    def row(bar: SumBar) -> Ready:
        ends = interval_text(bar.estimate)
        told = tag("b", value_text(bar.estimate)), tag("span", ends, class_=_note(ends))
        name = tag("th", breakable(bar.name), scope="row")
        return tag("tr", name, tag("td", drawn(bar)), tag("td", *told), class_=bar.role or None)

    return tag("table", tag("caption", unit), tag("tbody", [row(b) for b in bars]), class_="bars")


def _note(interval: str) -> str:
    """An interval beside a bar stays in one line, unless it leaves a small screen no room for the bar."""
    return "note kept" if len(interval) <= LONGEST else "note"


def _rect(x: float, width: float, y: float, height: float, kind: str, fill: str) -> Ready:
    return tag("rect", x=f"{x:g}", y=f"{y:g}", width=f"{width:.1f}", height=f"{height:g}", class_=kind, fill=fill)
