"""A monitor in words and tables: how it stands, what changed when, and what every signal and window says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.views.layout import WIDTH, wrap
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.words import count, percent, significant, some_names, visible

if TYPE_CHECKING:
    from steelyard.monitors.result import Monitor
    from steelyard.monitors.signals import Signal

STATES = {
    "ok": "nothing is wrong",
    "warn": "something is worse, but not yet by much",
    "alarm": "something is clearly wrong",
    "nodata": "no rows came",
    "insufficient": "there is too little to judge by",
    "immature": "labels are still waited for",
}
MOST_WINDOWS, MOST_SIGNALS, MOST_ALARMS = 14, 12, 12
UNJUDGED = {"immature", "insufficient", "nodata"}
ORDER = ("alarm", "warn", "nodata", "insufficient", "immature", "ok")


def headline(m: Monitor) -> str:
    """What was watched, in one line."""
    first, last = m.windows[0], m.windows[-1]
    rows = sum(w.rows for w in m.windows)
    cut = f"{many(len(m), 'window')} of {_span(m.span)}"
    return f"{cut}, {visible(first.name)} to {visible(last.name)} ({m.zone}), {count(rows)} rows"


def monitor_sentences(m: Monitor) -> list[str]:
    """How it stands, what fires and since when, what is waited for, and at which level it was judged."""
    last = m.windows[-1]
    out = [f"After {visible(last.name)} the state is {m.state}: {_means(m)}."]
    for name in m.firing:
        out.append(_fires(m, name))
    if m.firing and m.verdict.advice:
        out.append(m.verdict.advice)
    waiting = [name for name in last.pending if name not in m.firing]
    if waiting:
        verb = "is" if len(waiting) == 1 else "are"
        out.append(f"{some_names(waiting)} {verb} pending: one window alone fires nothing, {_row(m)} do.")
    if m.facts.get("short"):
        out.append(visible(m.facts["short"]))
    out += [sentence for g in m.gauges.values() for sentence in g.sentences(m)]
    empty = [w.name for w in m.windows if not w.rows]
    if empty:
        out.append(f"{many(len(empty), 'window')} had no rows: {some_names(empty)}.")
    out.append(f"The reference is {visible(m.baseline.text)}.")
    if m.budget is not None:
        fires = "one alone fires" if m.consecutive == 1 else f"{_row(m)} fire"
        out.append(f"The budget is {m.budget.text}; {fires}.")
    else:
        out.append(
            f"Looks may be taken at any time: the chance that a signal ever fires without a change is at most "
            f"{percent(round(m.alpha, 6))}, and {percent(round(1 - m.confidence, 6))} for all of them together. There is no "
            "budget to set, and one window alone fires; only for the number of rows it takes as many in a row as was said."
        )
    return out


def _means(m: Monitor) -> str:
    """What the state means; where something could not be judged, that nothing is wrong is not said of it."""
    last = m.windows[-1]
    blind = [s.name for s in last.signals if last.state_of(s.name) in UNJUDGED]
    if m.state != "ok" or not blind:
        return STATES[m.state]
    return f"nothing that could be judged is wrong, and {some_names(blind)} could not be"


def _span(span: str) -> str:
    """What a window is, with its article: one week, 5,000 rows, 6 hours."""
    return span if span[0].isdigit() else f"one {span}"


def _row(m: Monitor) -> str:
    """How many windows in a row, and of which."""
    blind = any(s.state in UNJUDGED for w in m.windows for s in w.signals)
    return f"{m.consecutive} in a row{', of those that could be judged,' if blind else ''}"


def _fires(m: Monitor, name: str) -> str:
    """Since when a signal has fired, and what it says now."""
    severity = m.windows[-1].state_of(name)
    fired = [a for a in m.alarms if a.signal == name and a.severity == severity and a.after == "firing"]
    since = f" since {visible(fired[-1].window)}" if fired else ""
    judged = [w for w in m.windows if w[name].state not in UNJUDGED]
    at = judged[-1] if judged else m.windows[-1]
    word = "An alarm" if severity == "alarm" else "A warning"
    same = fired and fired[-1].window == at.name
    # The number is that of the last window judged, which need not be the one in which it fired.
    now = ":" if same else f"; in {visible(at.name)}{'' if at is m.windows[-1] else ', the last one judged'}:"
    return f"{word} for {visible(name)} stands{since}{now} {visible(at[name].reason)}."


# Tables ---------------------------------------------------------------------------------------------------------------


def _absent(m: Monitor, told: Sequence[tuple[str, Signal]]) -> str:
    """Why values are n/a, in words, those with the same reason together."""
    why: dict[str, list[str]] = {}
    for name, s in told:
        if m.gauges[s.kind].value_text(s) == "n/a":
            undefined = s.value.reason if s.value is not None and s.value.value is None else ""
            why.setdefault((undefined or s.reason or "nothing was told of it").split(";")[0], []).append(name)
    return "".join(f" n/a in {some_names(names)}: {visible(reason)}." for reason, names in why.items())


def signals_table(m: Monitor, most: int | None = MOST_SIGNALS) -> SmallTable:
    """One row a signal: what the last window says, and how it stands; the worst first."""
    last = m.windows[-1]
    rows = []
    for s in last.signals:
        stands, g = last.state_of(s.name), m.gauges[s.kind]
        reference = "" if s.reference is None or not g.against else significant(s.reference)
        if s.usual is not None:
            reference = f"{count(s.usual[0])} to {count(s.usual[1])}"
        rows.append((ORDER.index(stands), (visible(s.name), g.called or s.kind, g.value_text(s), reference, stands)))
    if len(rows) > (most or len(rows)):
        rows.sort(key=lambda row: row[0])
    note = "Of outputs and features the stability index is told, less what chance brings."
    if most and len(rows) > most:
        note = f"{len(rows) - most} more signals are in .frame(). {note}"
    told: list[tuple[str, ...]] = [row for _, row in rows[:most]]
    shown = {row[0] for row in told}
    note += _absent(m, [(s.name, s) for s in last.signals if visible(s.name) in shown]).replace(" n/a in ", " n/a for ")
    head = ("signal", "kind", "last value", "reference", "state")
    return SmallTable(f"Signals, in {visible(last.name)}", head, "lllrl", told, note)


def windows_table(m: Monitor, most: int | None = MOST_WINDOWS) -> SmallTable:
    """One row a window with the first measure, the last ones where there are many."""
    shown = m.windows[-most:] if most else m.windows
    first = m.facts.get("first", m.signals[0])
    labelled = m.facts.get("target") is not None
    rows: list[tuple[str, ...]] = []
    for w in shown:
        cover = w.labels.coverage
        labels = ("–" if cover is None else percent(cover),) if labelled else ()
        judged = w[first].state
        rows.append(
            (visible(w.name), count(w.rows), *labels, m.gauges[w[first].kind].value_text(w[first]), judged, w.state)
        )
    head = ("window", "rows", *(("labels",) if labelled else ()), visible(first), "judged", "state")
    note = f"judged: what the window says of {visible(first)}; state: where it stands after it, alarms of all signals included."
    if any("≈" in row[-3] for row in rows):
        note = f"≈ marks what is expected from the scores, without labels. {note}"
    note += _absent(m, [(w.name, w[first]) for w in shown])
    title = "Windows" if len(shown) == len(m.windows) else f"The last {len(shown)} of {len(m.windows):,} windows"
    return SmallTable(title, head, "lr" + ("r" if labelled else "") + "lll", rows, note)


def more_tables(m: Monitor, most: int) -> list[SmallTable]:
    """Tables that signals have of their own."""
    return [t for g in m.gauges.values() for t in g.tables(m, most)]


def changes_lines(m: Monitor, most: int = MOST_ALARMS) -> list[str]:
    """The changes of alarms, the last ones; of many only those that fired or ended."""
    changes = list(m.alarms)
    if len(changes) <= most:
        return ["Alarms", *(a.text for a in changes)] if changes else []
    loud = [a for a in changes if a.after == "firing" or (a.after == "ok" and a.before != "pending")]
    chosen, what = (loud, "alarms and warnings that fired or ended") if loud else (changes, "changes")
    shown = chosen[-most // 2 :]
    return [f"The last {len(shown)} of {len(chosen):,} {what}; all are in .alarms", *(a.text for a in shown)]


def monitor_text(m: Monitor) -> str:
    """The monitor as plain text, 80 columns wide."""
    blocks = [wrap(headline(m), WIDTH, "", "  ")]
    blocks.append([line for s in monitor_sentences(m) for line in wrap(s, WIDTH, "", "  ")])
    blocks.append(table_lines(signals_table(m)))
    blocks.append(table_lines(windows_table(m)))
    blocks += [table_lines(t) for t in more_tables(m, MOST_WINDOWS)]
    title, *shown = changes_lines(m) or [""]
    if shown:
        blocks.append([title, *(line for t in shown for line in wrap(visible(t), WIDTH, "  ", "    "))])
    blocks.append([line for n in m.notes for line in wrap(visible(n), WIDTH, "Note: ", "      ")])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)
