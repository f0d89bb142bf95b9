"""Whether what fires is about the data, the model, its labels or the delivery of rows, since when, and what to do first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from steelyard.files.as_json import AsJson
from steelyard.monitors.result import Monitor, Watched
from steelyard.verdicts.alarm import ADVICE, ALARM, IMMATURE, INSUFFICIENT, OK, UNJUDGED, WARN
from steelyard.views.monitor import signal_noun
from steelyard.words import count, some_names, visible

WORDS = {
    "model": "the model",
    "data": "the data",
    "scores": "its scores",
    "delivery": "the delivery of rows",
    "values": "values that cannot be read",
    "labelling": "the labels",
}
ORDER = ("model", "data", "scores", "delivery", "values", "labelling")
EARLIER = ("delivery", "values", "labelling", "data", "scores", "model")
"""Of what began in the same window, what leads to what."""
FEW = 2
MOST_NAMED = 3
_LABELS = "wait for the labels, which tell whether it matters"


@dataclass(frozen=True)
class Cause(AsJson):
    """What is behind the state of a model, as far as its signals tell."""

    word: str = ""
    """In a few words: "the data and the model"; empty where nothing fires."""
    brief: str = ""
    """The worst of it in three words: "auc is worse"."""
    sentence: str = ""
    since: str = ""
    """The window in which the first of what fires began to."""
    steps: tuple[str, ...] = ()
    """What to do, in order."""

    @property
    def advice(self) -> str:
        """What to do above all: where the model itself is at fault, that; otherwise the first step."""
        own = [s for s in self.steps if s.startswith(("Retrain", "Prepare"))]
        return (own or list(self.steps) or [""])[0]


def cause_of(monitor: Monitor) -> Cause:
    """What fires, sorted by what it is about, the earliest first."""
    about = {s.name: monitor.gauges[s.kind].about for s in monitor.windows[-1].signals}
    found: dict[str, list[tuple[int, str]]] = {}
    for name in monitor.firing:
        found.setdefault(about[name], []).append((began(monitor, name), name))
    if not found:
        return _calm(monitor)
    for held in found.values():
        held.sort()
    since = monitor.windows[min(held[0][0] for held in found.values())].name
    word = joined([WORDS[p] for p in ORDER if p in found])
    told = sorted(found, key=lambda p: (found[p][0][0], EARLIER.index(p)))
    sentences = [_said(monitor, p, found[p]) for p in told]
    blind = "" if "model" in found else _performance(monitor)
    sentence = " ".join([*sentences, *filter(None, [blind])])
    return Cause(word, _brief(monitor, found), sentence, since, tuple(_steps(monitor, found, since)))


def joined(words: list[str]) -> str:
    """Parts of a sentence: one, two and three."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def began(monitor: Monitor, name: str) -> int:
    """Where the stretch begins in which a signal has been out of bounds until now, before it fired perhaps."""
    if is_silent(monitor) and monitor.gauges[monitor.windows[-1][name].kind].about == "delivery":
        return len(monitor) - len(silence(monitor))
    at = len(monitor) - 1
    while at > 0 and {monitor.windows[at - 1].state_of(name), monitor.windows[at - 1][name].state} & {ALARM, WARN}:
        at -= 1
    return at


def silence(monitor: Monitor) -> list[str]:
    """The windows without rows at the end."""
    return [w.name for w in takewhile(lambda w: not w.rows, reversed(monitor.windows))][::-1]


def _brief(monitor: Monitor, found: dict[str, list[tuple[int, str]]]) -> str:
    if "model" in found:
        return f"{signal_noun(found['model'][0][1])} is worse"
    if "delivery" in found:
        return "is silent" if is_silent(monitor) else "rows are missing or too many"
    part = next(p for p in ORDER if p in found)
    known = {"data": f"{visible(found[part][0][1])} moved", "scores": "its scores moved"}
    return known.get(part, "values cannot be read")


def state_of(monitor: Monitor) -> str:
    """How a model stands, in a word that has a sign: silent where rows stopped; what is not over yet alone says nothing of it."""
    if is_silent(monitor):
        return "silent"
    state = _whole(monitor).state
    unknown = bool(_measured(monitor)) and (not _judged(monitor) or _overdue(monitor))
    return IMMATURE if state == OK and unknown else state


def _whole(monitor: Monitor) -> Watched:
    """The last window, or the one before it while it is not over and there is too little of it to judge by."""
    last = monitor.windows[-1]
    going_on = last.window.end > datetime.fromisoformat(monitor.facts["now"])
    return monitor.windows[-2] if going_on and last.state in UNJUDGED and len(monitor) > 1 else last


def _measured(monitor: Monitor) -> list[str]:
    """Signals that tell how good the model is."""
    return [s.name for s in monitor.windows[-1].signals if monitor.gauges[s.kind].about == "model"]


def _judged(monitor: Monitor) -> list[Watched]:
    """Windows in which one of these could be judged."""
    names = _measured(monitor)
    return [w for w in monitor.windows if any(w[name].state not in UNJUDGED for name in names)]


def _unjudged(monitor: Monitor) -> list[Watched]:
    """Windows that are over and came after the last that could be judged."""
    found, now = _judged(monitor), datetime.fromisoformat(monitor.facts["now"])
    last = found[-1].window.end if found else monitor.windows[0].window.start
    return [w for w in monitor.windows if w.rows and last <= w.window.start and w.window.end <= now]


def _overdue(monitor: Monitor) -> bool:
    """Whether so much waits for its labels that what is known says little of today."""
    return len(waiting := _unjudged(monitor)) > FEW and 2 * len(waiting) >= len(_judged(monitor))


def _calm(monitor: Monitor) -> Cause:
    state = state_of(monitor)
    if state == OK:
        return Cause(sentence=_running(monitor), steps=("Nothing to do.",))
    if state == IMMATURE and _judged(monitor):
        do = "Find out whether labels still come, and send them: what is known is old."
        return Cause(sentence=_running(monitor), steps=(do,))
    if state == IMMATURE:
        do = "Send labels as they become known: the first verdict comes with them."
        return Cause(sentence=_waiting(monitor), steps=(do,))
    at = _whole(monitor)
    why = next((s.reason for s in at.signals if at.state_of(s.name) == state and s.reason), "")
    advice = ADVICE[state]
    told = visible(f"{why[:1].upper()}{why[1:]}.") if why else ""
    if state == INSUFFICIENT:
        # What is missing comes after that something is.
        do = f"Watch longer windows: there is too little in each to judge by. {told}".rstrip()
        return Cause(sentence="Nothing can be judged yet: the windows hold too few cases.", steps=(do,))
    return Cause(sentence=told or advice, steps=(advice,))


def _running(monitor: Monitor) -> str:
    """For how long nothing has been wrong, and up to when that is known."""
    if not _measured(monitor):
        return "Nothing moved by more than it may. How good the model is, is not watched."
    found = _judged(monitor)
    last = found[-1]
    # Since the last alarm was over; of very many windows each is not asked for that.
    over = {a.window for a in monitor.alarms if a.after == OK and a.before != "pending"}
    first = max((i for i, w in enumerate(monitor.windows) if w.name in over), default=0) if over else 0
    calm = [w for w in found if w.window.start >= monitor.windows[first].window.start]
    span = monitor.span if monitor.span[:1].isalpha() else "window"
    long = f"{count(len(calm))} {span}s" if len(calm) > 1 else f"one {span}"
    late = len(_unjudged(monitor))
    later = f"; the labels of {count(late)} {span}s since then are not in" if late > 1 else ""
    return f"Not shown to be worse for {long}, up to {visible(last.name)}{later}."


def _waiting(monitor: Monitor) -> str:
    rows, labelled = sum(w.rows for w in monitor.windows), sum(w.labels.labelled for w in monitor.windows)
    known = f"no label of {count(rows)} rows is"
    if labelled:
        known = f"the labels of {count(labelled)} of {count(rows)} rows are"
    return f"No verdict yet: {known} known. What needs none is as at the start."


def _said(monitor: Monitor, part: str, held: list[tuple[int, str]]) -> str:
    """What fires of one part and since when, the earliest first."""
    at, first = held[0]
    rest = len(held) - MOST_NAMED
    called = [signal_noun(name) for _, name in held]
    named = some_names(called[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    since = f" since {visible(monitor.windows[at].name)}" if at or len(monitor) == 1 else ""
    if part == "model":
        severe = any(monitor.windows[-1].state_of(name) == ALARM for _, name in held)
        more = ", by more than allowed" if severe else ", not yet by more than allowed"
        return f"{named[:1].upper()}{named[1:]} {'is worse' if len(held) == 1 else 'are worse'}{since}{more}."
    if part == "delivery":
        last = monitor.windows[-1]
        return f"{'No rows have come' if not last.rows else 'Another number of rows comes than usual'}{since}."
    if part in {"values", "labelling"}:
        reason = monitor.windows[-1][first].reason
        return f"{visible(reason[:1].upper() + reason[1:])}{since}."
    noun = "The scores" if part == "scores" else "The features" if len(held) > 1 else "The feature"
    return f"{noun} {named} moved{since}."


def _performance(monitor: Monitor) -> str:
    """What may be said of the model itself while only other things fire."""
    if not _measured(monitor):
        return "How good the model is, is not watched."
    judged = _judged(monitor)
    if not judged:
        return "Whether the model is still as good is not known until labels are in."
    if _up_to_date(monitor):
        return "The model is not shown to be worse."
    later = [w for w in monitor.windows if w.rows and w.window.start >= judged[-1].window.end]
    why = "later labels are not in" if later else "later there are no rows"
    return f"The model was not shown to be worse up to {visible(judged[-1].name)}; {why}."


def _up_to_date(monitor: Monitor) -> bool:
    """Whether the last window tells how good the model is."""
    judged = _judged(monitor)
    return bool(judged) and judged[-1] is monitor.windows[-1]


def _steps(monitor: Monitor, found: dict[str, list[tuple[int, str]]], since: str) -> list[str]:
    out: list[str] = []
    if "delivery" in found:
        out.append("Ask whoever sends the rows whether they still do, and which answers of the service they got.")
    if "values" in found or "labelling" in found:
        out.append("Mend what sends these values; windows are counted anew once they are right.")
    if "data" in found:
        names = some_names([visible(name) for _, name in found["data"]][:MOST_NAMED])
        out.append(f"Find out why {names} moved: open the window {visible(since)}, and ask whoever delivers the data.")
    elif "scores" in found:
        out.append(
            "See whether another version answers, or a column it reads is empty: no watched feature explains it."
        )
    if "model" in found:
        severe = any(monitor.windows[-1].state_of(name) == ALARM for _, name in found["model"])
        retrain = f"Retrain the model with rows since {visible(since)}, or fall back; do not rely on it until then."
        prepare = "Prepare to retrain: it is worse, not yet by more than allowed. Watch the next windows."
        out.append(retrain if severe else prepare)
    elif "data" in found or "scores" in found:
        known = "the model is not shown to be worse" if _up_to_date(monitor) else _LABELS
        out.append(f"Do not retrain for this alone{f': {known}' if _measured(monitor) else ''}.")
    return out


def is_silent(monitor: Monitor) -> bool:
    """Whether rows stopped coming, and that is what fires."""
    last = monitor.windows[-1]
    return not last.rows and any(monitor.gauges[last[name].kind].about == "delivery" for name in monitor.firing)
