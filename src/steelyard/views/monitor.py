"""A monitor in words, tables and pictures: how it stands, what changed when, and each signal over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.charts.marks import Band, Chart, Line, Mark, Point, Rule, Text
from steelyard.charts.scales import Scale, wide_enough
from steelyard.measures.measure import catalogue
from steelyard.views.layout import WIDTH, wrap
from steelyard.views.tables import Table
from steelyard.views.text import table_lines
from steelyard.words import count, estimate_parts, percent, significant, visible

STATES = {
    "ok": "nothing is wrong",
    "warn": "something is worse, but not yet by much",
    "alarm": "something is clearly wrong",
    "nodata": "no rows came",
    "insufficient": "there is too little to judge by",
    "immature": "labels are still waited for",
}
KINDS = {"performance": "performance", "output": "output", "feature": "feature", "volume": "rows"}
MOST_WINDOWS, MOST_SIGNALS, MOST_ALARMS = 14, 12, 12
UNJUDGED = {"immature", "insufficient", "nodata"}
LIMITS = (0.1, 0.25)
ORDER = ("alarm", "warn", "nodata", "insufficient", "immature", "ok")


def headline(m: Any) -> str:
    """What was watched, in one line."""
    first, last = m.windows[0], m.windows[-1]
    rows = sum(w.rows for w in m.windows)
    many = "1 window" if len(m) == 1 else f"{len(m):,} windows"
    return f"{many} of one {m.span}, {visible(first.name)} to {visible(last.name)} ({m.zone}), {count(rows)} rows"


def monitor_sentences(m: Any) -> list[str]:
    """How it stands, what fires and since when, what is waited for, and at which level it was judged."""
    last = m.windows[-1]
    out = [f"After {visible(last.name)} the state is {m.state}: {STATES[m.state]}."]
    for name in m.firing:
        out.append(_fires(m, name))
    waiting = [name for name in last.pending if name not in m.firing]
    if waiting:
        verb = "is" if len(waiting) == 1 else "are"
        out.append(f"{_names(waiting)} {verb} pending: one window alone fires nothing, {m.consecutive} in a row do.")
    out += _waited(m)
    empty = [w.name for w in m.windows if not w.rows]
    if empty:
        out.append(f"{_many(len(empty), 'window')} had no rows: {_names(empty)}.")
    out.append(f"The reference is {visible(m.baseline.text)}.")
    if m.budget is not None:
        out.append(f"The budget is {m.budget.text}; {m.consecutive} in a row fire.")
    else:
        out.append(
            f"Looks may be taken at any time: the chance that a signal ever fires without a change is at most "
            f"{percent(round(m.alpha, 6))}, and {percent(round(1 - m.confidence, 6))} for all of them together."
        )
    return out


def _names(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(visible(n) for n in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _many(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _fires(m: Any, name: str) -> str:
    """Since when a signal has fired, and what it says now."""
    severity = m.windows[-1].state_of(name)
    fired = [a for a in m.alarms if a.signal == name and a.severity == severity and a.after == "firing"]
    since = f" since {visible(fired[-1].window)}" if fired else ""
    series = m.series(name)
    judged = [s for s in series if s.state not in UNJUDGED]
    reason = judged[-1].reason if judged else series[-1].reason
    word = "An alarm" if severity == "alarm" else "A warning"
    return f"{word} for {visible(name)} stands{since}: {visible(reason)}."


def _waited(m: Any) -> list[str]:
    late = [w for w in m.windows if not w.labels.mature]
    if not late:
        return []
    covered = [w.labels.coverage for w in late if w.labels.coverage is not None]
    estimated = any(s.estimated for w in late for s in w.signals)
    told = f"Labels of {_many(len(late), 'window')} are not in ({percent(round(min(covered), 3))} of the rows at least have one)"
    more = "; what is told of them is expected from the scores, an estimate" if estimated else ""
    out = [f"{told}: they raise no performance alarm{more}."]
    kinds = {s.name: s.kind for s in m.windows[-1].signals}
    if estimated and any(kinds[name] == "performance" for name in m.firing):
        out.append(
            "While performance is below the reference, scores no longer mean what they meant: do not trust the estimate."
        )
    return out


# Tables ---------------------------------------------------------------------------------------------------------------


def value_text(signal: Any) -> str:
    """A value with its interval; one told without labels is marked."""
    x = signal.value
    if x is None or x.value is None:
        return "n/a"
    if signal.kind == "volume":
        return count(x.value)
    value, low, high = estimate_parts(x.value, x.low, x.high)
    return f"{'≈ ' if signal.estimated else ''}{value}{f' [{low}, {high}]' if low else ''}"


def signals_table(m: Any, most: int | None = MOST_SIGNALS) -> Table:
    """One row a signal: what the last window says, and how it stands; the worst first."""
    last = m.windows[-1]
    rows = []
    for s in last.signals:
        stands = last.state_of(s.name)
        reference = "" if s.reference is None or s.kind != "performance" else significant(s.reference)
        rows.append((ORDER.index(stands), (visible(s.name), KINDS[s.kind], value_text(s), reference, stands)))
    if len(rows) > (most or len(rows)):
        rows.sort(key=lambda row: row[0])
    note = "Of outputs and features the stability index is told, less what chance brings."
    if most and len(rows) > most:
        note = f"{len(rows) - most} more signals are in .frame(). {note}"
    told: list[tuple[str, ...]] = [row for _, row in rows[:most]]
    head = ("signal", "kind", "last value", "reference", "state")
    return Table(f"Signals, in {visible(last.name)}", head, "lllrl", told, note)


def windows_table(m: Any, most: int | None = MOST_WINDOWS) -> Table:
    """One row a window with the first measure, the last ones where there are many."""
    shown = m.windows[-most:] if most else m.windows
    first = m.facts.get("first", m.signals[0])
    labelled = m.facts.get("target") is not None
    rows: list[tuple[str, ...]] = []
    for w in shown:
        cover = w.labels.coverage
        labels = ("–" if cover is None else percent(round(cover, 2)),) if labelled else ()
        judged = w[first].state
        rows.append((visible(w.name), count(w.rows), *labels, value_text(w[first]), judged, w.state))
    head = ("window", "rows", *(("labels",) if labelled else ()), visible(first), "judged", "state")
    note = "≈ marks what is expected from the scores, without labels." if any("≈" in row[-3] for row in rows) else ""
    title = "Windows" if len(shown) == len(m.windows) else f"The last {len(shown)} of {len(m.windows):,} windows"
    return Table(title, head, "lr" + ("r" if labelled else "") + "lll", rows, note)


def monitor_text(m: Any) -> str:
    """The monitor as plain text, 80 columns wide."""
    blocks = [wrap(headline(m), WIDTH, "", "  ")]
    blocks.append([line for s in monitor_sentences(m) for line in wrap(s, WIDTH, "", "  ")])
    blocks.append(table_lines(signals_table(m)))
    blocks.append(table_lines(windows_table(m)))
    changes = [a.text for a in m.alarms]
    shown = changes[-MOST_ALARMS:]
    if shown:
        title = "Alarms" if len(shown) == len(changes) else f"The last {len(shown)} of {len(changes):,} changes"
        blocks.append([title, *(line for t in shown for line in wrap(visible(t), WIDTH, "  ", "    "))])
    blocks.append([line for n in m.notes for line in wrap(visible(n), WIDTH, "Note: ", "      ")])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


# Pictures -------------------------------------------------------------------------------------------------------------


def _ticks(names: Sequence[str], most: int = 7) -> tuple[tuple[float, str], ...]:
    step = max(1, -(-len(names) // most))
    return tuple((float(i), visible(names[i])) for i in range(0, len(names), step))


def monitor_chart(m: Any, name: str) -> Chart:
    """One signal over time: interval, reference, margin; fired alarms filled, unjudged windows hollow, estimates dotted."""
    series = m.series(name)
    kind = series[0].kind
    xs = [float(i) for i in range(len(series))]
    told = [None if s.value is None else s.value for s in series]
    ys = [None if x is None else x.value for x in told]
    lows, highs = ([None if x is None else getattr(x, end) for x in told] for end in ("low", "high"))
    stands = [w.state_of(name) for w in m.windows]
    marks: list[Mark] = []
    seen = [v for v in (*ys, *lows, *highs) if v is not None]
    marks.append(Band(xs, lows, highs, 0, 0.2))
    lines, levels, words = _levels(m, name, series[0], kind, max(seen, default=0.0))
    marks += lines
    seen += levels
    sure = [None if s.estimated else y for s, y in zip(series, ys, strict=True)]
    guessed = [
        y if s.estimated or _beside(series, i) else None for i, (s, y) in enumerate(zip(series, ys, strict=True))
    ]
    if any(s.estimated for s in series):
        marks.append(Line(xs, guessed, 0, 1.5, "1 4"))
    marks.append(Line(xs, sure, 0, 2))
    size = 3.5 if len(xs) <= 60 else 2.2
    for x, y, s, state in zip(xs, ys, series, stands, strict=True):
        if y is None:
            continue
        if state in {"alarm", "warn"} and s.state not in UNJUDGED:
            marks.append(Point(x, y, 1, "diamond" if state == "alarm" else "triangle", size + 2))
        else:
            marks.append(Point(x, y, 0, "ring" if s.state in UNJUDGED else "circle", size))
    for a in m.alarms:
        if a.signal == name and a.after == "firing" and a.before != "recovering":
            place = next(i for i, w in enumerate(m.windows) if w.name == a.window)
            marks.append(Rule(x=float(place), colour=1))
            marks.append(Text(float(place), max(seen, default=1.0), a.severity, 1, "start", dx=4, dy=10))
    title = {"performance": f"{name} over time", "volume": "Rows in each window"}.get(
        kind, f"Stability of {name} over time"
    )
    up = wide_enough(seen, "rows" if kind == "volume" else name if kind == "performance" else "stability index")
    if kind in {"output", "feature"}:
        up = Scale(0.0, max([*seen, 0.12]) * 1.05, up.title)
    elif kind == "volume":
        up = Scale(0.0, max([*seen, 1.0]) * 1.05, up.title)
    across = Scale(-0.5, max(len(xs) - 0.5, 0.5), "", labels=_ticks([w.name for w in m.windows]))
    columns = {"window": [w.name for w in m.windows], "value": ys, "low": lows, "high": highs, "state": stands}
    legend: list[tuple[str, int | str]] = [(visible(name), 0), *words]
    if any(state in {"alarm", "warn"} for state in stands):
        legend.append(("alarm or warning", 1))
    description = " ".join(monitor_sentences(m)[:2])
    return Chart(
        f"monitor {name}", visible(title), across, up, tuple(marks), description, columns, tuple(legend), (760.0, 320.0)
    )


def _beside(series: Sequence[Any], i: int) -> bool:
    """Whether a neighbour is an estimate, so that the dotted line meets the full one."""
    return any(0 <= k < len(series) and series[k].estimated for k in (i - 1, i + 1))


def _levels(
    m: Any, name: str, signal: Any, kind: str, top: float
) -> tuple[list[Mark], list[float], list[tuple[str, int | str]]]:
    """The line of the reference and the levels from which it matters, and their words."""
    if kind in {"output", "feature"}:
        shown = [v for v in LIMITS if v <= max(top, LIMITS[0])]
        marks: list[Mark] = [Rule(y=v) for v in shown]
        marks += [Text(-0.4, v, w, dy=-4) for v, w in zip(shown, ("worth a look", "large"), strict=False)]
        return marks, [LIMITS[0]], []
    if kind != "performance" or signal.reference is None:
        return [], [], []
    base = signal.reference
    # An error rate is followed in place of accuracy, and the margin is one of accuracy.
    part = 1 - base if name == "error_rate" and m.mode == "sequential" else abs(base)
    known = catalogue().get(name.split(" ")[0])
    sign = 1 if known is not None and known.better == "lower" else -1
    edge = base + sign * m.margin * part
    words: list[tuple[str, int | str]] = [(f"reference {significant(base)}", "ink")]
    if not m.margin:
        return [Rule(y=base, colour="ink", dash="")], [base], words
    words.append((f"margin {percent(m.margin)}", "quiet"))
    return [Rule(y=base, colour="ink", dash=""), Rule(y=edge)], [base, edge], words
