"""Signals by windows as a strip of signs, and features by windows shaded by how far they moved; each leads into its window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.charts.palette import SHADES
from steelyard.monitors.result import Monitor, Watched
from steelyard.monitors.signals import Signal
from steelyard.verdicts.alarm import ALARM, CLEAR_ALARM, OK, WARN
from steelyard.views.html import Ready, tag
from steelyard.views.monitor import signal_noun
from steelyard.words import visible

WINDOWS = 40
"""Windows that stand side by side."""
ROWS = 24
"""Signals that stand below each other; of more, the loudest first."""
SIGNS = {ALARM: ("▲", "a"), WARN: ("◆", "w"), OK: ("", "o")}
STEP = 2 * CLEAR_ALARM / (len(SHADES) - 1)
"""Of the stability index from one shade to the next; the darkest is far beyond what fires an alarm."""


def loudest(monitor: Monitor, names: Sequence[str]) -> list[str]:
    """Signals with those first that stand, then those that ever said something in these windows."""
    last = monitor.windows[-1]
    place = {ALARM: 0, WARN: 1}
    ever = {s.name for w in monitor.windows for s in w.signals if w.state_of(s.name) in place}
    return sorted(names, key=lambda n: (place.get(last.state_of(n), 2), n not in ever, list(names).index(n)))


def status_strip(monitor: Monitor, address: Callable[[str], str]) -> Ready:
    """A row for each signal, a column for each window: a sign and a colour say how it stood."""
    names = monitor.signals if len(monitor.signals) <= ROWS else loudest(monitor, monitor.signals)[:ROWS]
    cells = [_cells(w, names, address) for w in monitor.windows]
    rows = [tag("tr", tag("th", signal_noun(n), scope="row"), [c[i] for c in cells]) for i, n in enumerate(names)]
    return _table(monitor, rows, address, "Signals by windows")


def _cells(watched: Watched, names: Sequence[str], address: Callable[[str], str]) -> list[Ready]:
    held = {s.name: s for s in watched.signals}
    out = []
    for name in names:
        state = watched.state_of(name)
        sign, kind = SIGNS.get(state, ("·", "x"))
        if held[name].state in {WARN, ALARM} and state == OK:
            sign, kind = "◇", "o"  # one window alone fires nothing
        shown: object = sign
        if state in {ALARM, WARN}:
            word = f"{signal_noun(name)}, {visible(watched.name)}: {'alarm' if state == ALARM else 'warning'}"
            shown = tag("a", sign, href=f"{address(watched.name)}#signals", aria_label=word)
        out.append(tag("td", shown, class_=kind))
    return out


def heat_map(monitor: Monitor, names: Sequence[str], address: Callable[[str], str]) -> Ready:
    """A row for each feature, the larger its stability index the darker."""
    rows = []
    for name in names:
        cells = []
        for w in monitor.windows:
            effect = effect_of(w[name])
            if effect is None:
                cells.append(tag("td", "·", class_="x"))
                continue
            shade = min(len(SHADES) - 1, max(0, int(effect / STEP)))
            told = f"{effect:.1f}".removeprefix("0") if effect >= STEP else ""
            cells.append(tag("td", told, class_=f"shade{shade}"))
        rows.append(tag("tr", tag("th", visible(name), scope="row"), cells))
    return tag("div", _table(monitor, rows, address, "Features by windows"), class_="cells-heat")


def effect_of(signal: Signal) -> float | None:
    """How far a column moved: its stability index, less what chance brings."""
    found = None if signal.stability is None else signal.stability.corrected.value
    return None if found is None else max(0.0, found)


def _table(monitor: Monitor, rows: Sequence[Ready], address: Callable[[str], str], caption: str) -> Ready:
    years, ends = _heads([w.name for w in monitor.windows])
    above = [tag("th", text, colspan=n, scope="colgroup") for text, n in years]
    heads = [
        tag("th", tag("a", end, href=address(w.name), aria_label=f"Open the window {visible(w.name)}"), scope="col")
        for w, end in zip(monitor.windows, ends, strict=True)
    ]
    head = tag("thead", tag("tr", tag("td", ""), above, class_="months"), tag("tr", tag("td", ""), heads))
    table = tag("table", tag("caption", caption, class_="unseen"), head, tag("tbody", rows))
    return tag("div", table, class_="strip", tabindex="0", role="region", aria_label=caption)


def _heads(names: Sequence[str]) -> tuple[list[tuple[str, int]], list[str]]:
    """What neighbouring windows share in their names, and the rest: "2026-W" and 14, 15, 16.

    >>> _heads(["2026-W09", "2026-W10"]), _heads(["2026-01-31", "2026-02-01"])
    (([('2026-W', 2)], ['09', '10']), ([('2026-01', 1), ('2026-02', 1)], ['31', '01']))
    """
    above: list[tuple[str, int]] = []
    ends = []
    for name in map(visible, names):
        shared, end = (name[:-2], name[-2:]) if name[-2:].isdigit() else ("", name[-5:])
        if " " in name:  # an hour within a day
            shared, _, end = name.partition(" ")
            end = end[:2]
        shared = shared.rstrip("-")
        ends.append(end)
        if above and above[-1][0] == shared:
            above[-1] = (shared, above[-1][1] + 1)
        else:
            above.append((shared, 1))
    return above, ends


def strip_key() -> Ready:
    """What the signs stand for."""
    told = (
        ("o", "", "ok"),
        ("w", "◆", "warning"),
        ("a", "▲", "alarm"),
        ("o", "◇", "out of bounds, once"),
        ("x", "·", "could not be judged: labels not in, too few or no rows"),
    )
    items = [tag("li", tag("span", sign or "\u00a0", class_=kind), word) for kind, sign, word in told]
    return tag("ul", items, class_="key")
