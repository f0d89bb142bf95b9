"""A monitor in words and tables: how it stands, what changed when, and what every signal and window says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.measures.measure import catalogue, find
from steelyard.views.layout import WIDTH, blocks_text, noted, wrap, wrapped
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
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


def headline(monitor: Monitor) -> str:
    """What was watched, in one line."""
    first, last = monitor.windows[0], monitor.windows[-1]
    rows = sum(w.rows for w in monitor.windows)
    cut = f"{many(len(monitor), 'window')} of {_span(monitor.span)}"
    return f"{cut}, {visible(first.name)} to {visible(last.name)} ({monitor.zone}), {count(rows)} rows"


def monitor_sentences(monitor: Monitor) -> list[str]:
    """How it stands, what fires and since when, what is waited for, and at which level it was judged."""
    last = monitor.windows[-1]
    out = [f"After {visible(last.name)} the state is {monitor.state}: {_means(monitor)}."]
    out += [fires_since(monitor, name) for name in monitor.firing]
    out += _began(monitor)
    if monitor.firing and monitor.verdict.advice:
        out.append(monitor.verdict.advice)
    waiting = [name for name in last.pending if name not in monitor.firing]
    if waiting:
        verb = "is" if len(waiting) == 1 else "are"
        out.append(f"{some_names(waiting)} {verb} pending: one window alone fires nothing, {_row(monitor)} do.")
    if monitor.facts.get("short"):
        out.append(visible(monitor.facts["short"]))
    out += [sentence for g in monitor.gauges.values() for sentence in g.sentences(monitor)]
    empty = [w.name for w in monitor.windows if not w.rows]
    if empty:
        out.append(f"{many(len(empty), 'window')} had no rows: {some_names(empty)}.")
    which = "the " if monitor.baseline.text.startswith("first ") else ""
    out.append(f"The reference is {which}{visible(monitor.baseline.text)}.")
    if monitor.budget is not None:
        fires = "one alone fires" if monitor.consecutive == 1 else f"{_row(monitor)} fire"
        out.append(f"The budget is {monitor.budget.text}; {fires}.")
    else:
        out.append(
            f"Looks may be taken at any time: the chance that a signal ever fires without a change is at most "
            f"{percent(round(monitor.alpha, 6))}, and {percent(round(1 - monitor.confidence, 6))} for all of them together. "
            "There is no budget to set, and one window alone fires; only for the number of rows "
            "it takes as many in a row as was said."
        )
    return out


def _began(monitor: Monitor) -> list[str]:
    """Since when each signal that fires has been another, those with the same answer together."""
    told: dict[str, list[str]] = {}
    for name, point in monitor.changes.items():
        told.setdefault(point.when, []).append(signal_noun(name))
    if len(monitor.firing) == 1:
        return [visible(point.text) for point in monitor.changes.values()]
    return [f"{some_names(names)} began to differ {visible(when)}." for when, names in told.items()]


def _means(monitor: Monitor) -> str:
    """What the state means; where something could not be judged, that nothing is wrong is not said of it."""
    last = monitor.windows[-1]
    blind = [s.name for s in last.signals if last.state_of(s.name) in UNJUDGED]
    if monitor.state != "ok" or not blind:
        return STATES[monitor.state]
    return f"nothing that could be judged is wrong, and {some_names(blind)} could not be"


def _span(span: str) -> str:
    """What a window is, with its article: one week, 5,000 rows, 6 hours."""
    return span if span[0].isdigit() else f"one {span}"


def _row(monitor: Monitor) -> str:
    """How many windows in a row, and of which."""
    blind = any(s.state in UNJUDGED for w in monitor.windows for s in w.signals)
    return f"{monitor.consecutive} in a row{', of those that could be judged,' if blind else ''}"


def first_out(monitor: Monitor, name: str) -> str:
    """The first of the windows in a row in which a signal was out of its bounds before it fired."""
    out, severities, began = "", set[str](), monitor.fired_in(name)
    for a in (a for a in monitor.alarms if a.signal == name):
        if a.after in {"ok", "recovering"}:
            severities.discard(a.severity)
            continue
        out = out if severities else a.window
        severities.add(a.severity)
        if a.window == began and a.after == "firing":
            break
    return out or began


def finding(monitor: Monitor, name: str) -> str:
    """How one signal stands, above its picture."""
    state, began = monitor.windows[-1].state_of(name), monitor.fired_in(name)
    if not began and name in monitor.windows[-1].pending:
        return f"{signal_noun(name)} is pending: one window alone fires nothing, {_row(monitor)} do"
    if not began:
        return f"{signal_noun(name)}: {STATES[state]}"
    return f"{'Alarm' if state == 'alarm' else 'Warning'} for {signal_noun(name)} since {visible(began)}"


def signal_noun(name: str) -> str:
    """What a signal is called in a sentence: a measure by its words, a column by its name."""
    measure, where, segment = name.partition(" in ")
    if where and measure in catalogue():
        return f"{find(measure).noun} in {visible(segment)}"
    return find(name).noun if name in catalogue() else visible(name)


def fires_since(monitor: Monitor, name: str) -> str:
    """Since when a signal has fired, and what it says now."""
    severity, began = monitor.windows[-1].state_of(name), monitor.fired_in(name)
    since = f" since {visible(began)}" if began else ""
    judged = [w for w in monitor.windows if w[name].state not in UNJUDGED]
    at = judged[-1] if judged else monitor.windows[-1]
    word = "An alarm" if severity == "alarm" else "A warning"
    same = began == at.name
    # The number is that of the last window judged, which need not be the one in which it fired.
    now = ":" if same else f"; in {visible(at.name)}{'' if at is monitor.windows[-1] else ', the last one judged'}:"
    return f"{word} for {signal_noun(name)} stands{since}{now} {visible(at[name].reason)}."


# Tables ---------------------------------------------------------------------------------------------------------------


def _absent(monitor: Monitor, told: Sequence[tuple[str, Signal]]) -> str:
    """Why values are n/a, in words, those with the same reason together."""
    why: dict[str, list[str]] = {}
    for name, s in told:
        if monitor.gauges[s.kind].value_text(s) == "n/a":
            undefined = s.value.reason if s.value is not None and s.value.value is None else ""
            why.setdefault((undefined or s.reason or "nothing was told of it").split(";")[0], []).append(name)
    return "".join(f" n/a in {some_names(names)}: {visible(reason)}." for reason, names in why.items())


def signals_table(monitor: Monitor, most: int | None = MOST_SIGNALS) -> SmallTable:
    """One row a signal: what the last window says, and how it stands; the worst first."""
    last = monitor.windows[-1]
    rows = []
    for s in last.signals:
        stands, g = last.state_of(s.name), monitor.gauges[s.kind]
        reference = "" if s.reference is None or not g.against else significant(s.reference)
        if s.usual is not None:
            reference = f"{count(s.usual[0])} to {count(s.usual[1])}"
        told = (signal_noun(s.name), g.called or s.kind, g.value_text(s), reference, stands)
        rows.append((ORDER.index(stands), told))
    rows.sort(key=lambda row: row[0])
    note = "Of outputs and features the stability index is told, less what chance brings."
    if most and len(rows) > most:
        note = f"{len(rows) - most} more signals are in .frame(). {note}"
    shown: list[tuple[str, ...]] = [row for _, row in rows[:most]]
    named = {row[0] for row in shown}
    absent = _absent(monitor, [(s.name, s) for s in last.signals if signal_noun(s.name) in named])
    note += absent.replace(" n/a in ", " n/a for ")
    head = ("signal", "kind", "last value", "reference", "state")
    return SmallTable(f"Signals, in {visible(last.name)}", head, "lllrl", shown, note)


def windows_table(monitor: Monitor, most: int | None = MOST_WINDOWS) -> SmallTable:
    """One row a window with the first measure, the last ones where there are many."""
    shown = monitor.windows[-most:] if most else monitor.windows
    first = monitor.facts.get("first", monitor.signals[0])
    labelled = monitor.facts.get("target") is not None
    rows: list[tuple[str, ...]] = []
    for w in shown:
        cover = w.labels.coverage
        labels = ("–" if cover is None else percent(cover),) if labelled else ()
        value = monitor.gauges[w[first].kind].value_text(w[first])
        rows.append((visible(w.name), count(w.rows), *labels, value, w[first].state, w.state))
    head = ("window", "rows", *(("labels",) if labelled else ()), signal_noun(first), "judged", "state")
    note = f"judged: what the window says of {signal_noun(first)}; state: where it stands after it, alarms of all signals included."
    if any("≈" in row[-3] for row in rows):
        note = f"≈ marks what is expected from the scores, without labels. {note}"
    note += _absent(monitor, [(w.name, w[first]) for w in shown])
    title = f"The last {len(shown)} of {len(monitor.windows):,} windows"
    if len(shown) == len(monitor.windows):
        title = "Windows"
    return SmallTable(title, head, "lr" + ("r" if labelled else "") + "lll", rows, note)


def more_tables(monitor: Monitor, most: int) -> list[SmallTable]:
    """Tables that signals have of their own."""
    return [t for g in monitor.gauges.values() for t in g.tables(monitor, most)]


def changes_lines(monitor: Monitor, most: int = MOST_ALARMS) -> list[str]:
    """The changes of alarms, the last ones; of many only those that fired or ended."""
    changes = list(monitor.alarms)
    if len(changes) <= most:
        return ["Alarms", *(a.text for a in changes)] if changes else []
    loud = [a for a in changes if a.after == "firing" or (a.after == "ok" and a.before != "pending")]
    chosen, what = (loud, "alarms and warnings that fired or ended") if loud else (changes, "changes")
    shown = chosen[-most // 2 :]
    return [f"The last {len(shown)} of {len(chosen):,} {what}; all are in .alarms", *(a.text for a in shown)]


def monitor_text(monitor: Monitor) -> str:
    """The monitor as plain text, 80 columns wide."""
    blocks = [verdict_lines(monitor.verdict), wrap(headline(monitor), WIDTH, "", "  ")]
    blocks.append(wrapped(monitor_sentences(monitor)))
    blocks.append(table_lines(signals_table(monitor)))
    blocks.append(table_lines(windows_table(monitor)))
    blocks += [table_lines(t) for t in more_tables(monitor, MOST_WINDOWS)]
    title, *shown = changes_lines(monitor) or [""]
    if shown:
        blocks.append([title, *(line for t in shown for line in wrap(visible(t), WIDTH, "  ", "    "))])
    blocks.append(noted(map(visible, monitor.notes)))
    return blocks_text(blocks)
