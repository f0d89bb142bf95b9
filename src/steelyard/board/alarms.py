"""Alarms: what stands, what was, why it was said, who said what of it; and the forms by which it is said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from steelyard.board.frame import badge
from steelyard.board.known import KnownModel, known_models, one_known
from steelyard.board.pieces import alarm_forms, stamp, unbroken
from steelyard.board.visits import Answer, Elsewhere, Shown, Visit, inside, link, page, to
from steelyard.monitors.standing import StandingAlarm
from steelyard.monitors.windows import moment
from steelyard.serve import statements as sql
from steelyard.serve.asked_alarms import SaidOfAlarm, say_of_alarm
from steelyard.serve.asked_windows import OfVersion
from steelyard.serve.operations import ApiRequest
from steelyard.serve.problems import Problem
from steelyard.views.html import Ready, listed, row, tag
from steelyard.views.monitor import signal_noun
from steelyard.words import count, shortest, significant, visible

MOST = 100
"""Changes that are listed."""
OF_EACH, AT_ONCE = 8, 50
"""Alarms of one model, and of all, that are told one by one."""
MOST_SAID, MOST_TOLD = 2000, 300
Said = Mapping[str, Sequence[dict[str, str]]]
QUARTER = timedelta(days=365.25 / 4)


@page("/models/{model}/alarms", scope="write", method="POST")
def post_alarm(visit: Visit) -> Answer:
    """Say something of one signal, or of all that stands of a model."""
    name, version = visit.path["model"], visit.query.get("version") or None
    known = one_known(visit, name, version)
    what, named = visit.form.get("what", ""), visit.form.get("signal")
    if what not in {"acknowledge", "mute", "unmute"}:
        raise Problem(422, "what", "Alarms are acknowledged, muted or heard again.")
    standing = list(dict.fromkeys(a.signal for a in known.alarms.standing))
    signals = [named] if named else list(known.alarms.muted) if what == "unmute" else standing
    if what == "acknowledge" and not named:
        # Two people may press it at once.
        signals = list(dict.fromkeys(a.signal for a in known.open)) or signals[:0]
    until = None
    if what == "mute":
        days = visit.form.get("days", "7")
        if not days.isdecimal() or not 0 < int(days) <= 366:
            raise Problem(422, "days", "A signal is muted for 1 to 366 days.")
        until = (visit.service.clock() + timedelta(days=int(days))).isoformat(timespec="minutes")
    for signal in signals:
        given = {"signal": signal, "what": what, "until": until, "reason": visit.form.get("reason", "")[:300]}
        said = msgspec.convert(given, SaidOfAlarm)
        query = OfVersion(version=version)
        say_of_alarm.run(ApiRequest(visit.service, visit.caller, {"model": name}, query, said, {}))
    return Elsewhere(inside(visit.form.get("back", "/")))


@page("/alarms")
def get_alarms(visit: Visit) -> Answer:
    """What stands of all models, and what was."""
    found = known_models(visit)
    standing = [(k, a) for k in found for a in k.alarms.standing]
    muted = [(k, signal, until) for k in found for signal, until in k.alarms.muted.items()]
    said = said_of_alarms(visit)
    opened = sum(not a.acknowledged for _, a in standing)
    title = "No alarm waits for anybody."
    if opened:
        wait = "waits" if opened == 1 else "wait"
        title = f"{count(opened)} of {count(len(standing))} standing alarms and warnings {wait} for somebody."
    parts: list[Any] = [tag("h1", title)]
    parts += _told_once(visit, sorted(standing, key=lambda x: (x[1].acknowledged, x[0].place)), said)
    if muted:
        parts.append(tag("h2", "Muted"))
        parts += [_muted(visit, k, signal, until, said) for k, signal, until in muted]
    parts.append(tag("section", tag("h2", "What was alarmed before?"), _history(found, visit, said)))
    budgets = _budgets(found, visit.service.clock())
    parts.append(tag("section", tag("h2", "How many false alarms are allowed?"), budgets))
    return Shown("Alarms", tag("div", parts))


def _told_once(visit: Visit, standing: Sequence[tuple[KnownModel, StandingAlarm]], said: Said) -> list[Ready]:
    """Each alarm that stands, up to a few of each model; of the others, how many there are."""
    out: list[Ready] = []
    seen = Counter[str]()
    for k, a in standing:
        seen[k.name] += 1
        if seen[k.name] <= OF_EACH and len(out) < AT_ONCE:
            out.append(standing_alarm(visit, k, a, said))
    rest = {name: n - OF_EACH for name, n in seen.items() if n > OF_EACH}
    out += [
        tag("p", f"{count(n)} more stand of ", link(visible(name), to("models", name)), ".") for name, n in rest.items()
    ]
    hidden = len(standing) - sum(rest.values()) - (len(out) - len(rest))
    return out + ([tag("p", f"{count(hidden)} more of other models, which the board names.")] if hidden > 0 else [])


def standing_alarm(
    visit: Visit, known: KnownModel, alarm: StandingAlarm, said: Said, *, of: bool = True, now: str = ""
) -> Ready:
    """An alarm that stands: what, since when, known when, why; what is told of it now, and what was said of it."""
    about = _last_said(said, known, alarm.signal, {"acknowledge"})
    who = ""
    if alarm.acknowledged and about:
        who = f"Acknowledged by {about['who']} at {stamp(about['at'])}."
    later = f", known since {stamp(alarm.known)}" if alarm.known else ""
    named = link(visible(known.name), to("models", known.name, version=_other(known))) if of else None
    state = badge("alarm" if alarm.severity == "alarm" else "warn")
    fired = tag("span", unbroken(f" fired in {visible(alarm.since)}{later}"), class_="quiet")
    told = tag(
        "div",
        tag("p", state, " ", named, " " if of else None, tag("b", signal_noun(alarm.signal)), fired),
        tag("p", unbroken(_why(known, alarm))),
        tag("p", unbroken(now)) if now else None,
        tag("p", who, class_="quiet") if who else None,
    )
    forms = alarm_forms(visit, known.name, known.version, [alarm.signal], acknowledged=alarm.acknowledged, muted=False)
    return tag("div", told, forms, class_="alarmed")


def _why(known: KnownModel, alarm: StandingAlarm) -> str:
    """Why it was said when it was, with the number of then; windows since may still wait for their labels."""
    changes = [] if known.face is None else known.face["changes"]
    fired = {"signal": alarm.signal, "window": alarm.since, "after": "firing"}
    then = [c["reason"] for c in changes if c["reason"] and all(c[k] == v for k, v in fired.items())]
    reason = str(then[-1]) if then else alarm.reason
    return f"{reason[:1].upper()}{reason[1:]}."


def _other(known: KnownModel) -> str | None:
    return None if known.version == known.model.said.champion else known.version


def _muted(visit: Visit, known: KnownModel, signal: str, until: str, said: Said) -> Ready:
    about = _last_said(said, known, signal, {"mute"})
    why = f" because: {about['reason']}" if about.get("reason") else ""
    end = f" until {stamp(until)}" if until else ""
    named = link(visible(known.name), to("models", known.name))
    told = tag("p", named, " ", tag("b", signal_noun(signal)), tag("span", f" muted{end}{why}", class_="quiet"))
    forms = alarm_forms(visit, known.name, known.version, [signal], acknowledged=False, muted=True)
    return tag("div", told, forms, class_="alarmed")


def said_of_alarms(visit: Visit) -> dict[str, list[dict[str, str]]]:
    """What was said of alarms by "MODEL VERSION", the newest first."""
    with visit.service.store.reading() as session:
        found = session.all(sql.SAID_OF_ALARMS, MOST_SAID)
    out: dict[str, list[dict[str, str]]] = {}
    for at, who, what, about in found:
        stream, _, signal = str(about).partition(": ")
        facts = {"at": moment(at).isoformat(), "who": str(who), "what": str(what), "about": signal}
        out.setdefault(stream, []).append(facts)
    return out


def _last_said(said: Said, known: KnownModel, signal: str, what: set[str]) -> dict[str, str]:
    """What was said last of a signal, with the reason; nothing where nothing was."""
    for facts in said.get(f"{known.name} {known.version}", ()):
        name, colon, reason = facts["about"].partition(f"{signal}: ")
        if facts["what"] in what and (facts["about"] == signal or (colon and not name)):
            return facts | {"reason": reason}
    return {}


# What was -------------------------------------------------------------------------------------------------------------


def _history(found: Sequence[KnownModel], visit: Visit, said: Said) -> Ready:
    changes = [(k.name, k.version, c) for k in found if k.face is not None for c in k.face["changes"]]
    known = {(name, version, c["signal"], c["severity"], c["window"], c["after"]) for name, version, c in changes}
    changes += [x for x in _told_before(found, visit) if (*x[:2], *(x[2][p] for p in PARTS)) not in known]
    changes.sort(key=lambda x: x[2]["known"] or x[2]["happened"], reverse=True)
    if not changes:
        return tag("p", "Nothing was ever alarmed.", class_="quiet")
    champions = {k.name: k.version for k in found}
    rows = [_change(name, version, champions[name], c, said) for name, version, c in changes[:MOST]]
    head = ("known", "model", "signal", "what", "began in", "why: the number, its interval, against what")
    note = f"The last {MOST} of {count(len(changes))} changes." if len(changes) > MOST else ""
    return listed(head, rows, note or "Every change of an alarm, the newest first", "history")


PARTS = ("signal", "severity", "window", "after")


def _told_before(found: Sequence[KnownModel], visit: Visit) -> list[tuple[str, str, dict[str, Any]]]:
    """Changes of which notices were written: of former versions, and against former references."""
    names = {k.name for k in found}
    with visit.service.store.reading() as session:
        notices = session.all(sql.NOTICES, 2**62, MOST_TOLD)
    out: dict[tuple[str, ...], tuple[str, str, dict[str, Any]]] = {}
    for _, model, version, body, made, *_ in notices:
        if model not in names:
            continue
        told = json.loads(body)
        for a in (*told["fired"], *told["over"]):
            over = a["after"] != "firing"
            window, at = (told["window"], moment(made).isoformat()) if over else (a["since"], a["known"])
            facts = {"window": window, "known": at, "happened": at, "before": "firing" if over else "pending"}
            c = {**{k: a[k] for k in ("signal", "severity", "after", "reason")}, **facts}
            out[(model, version, *(c[p] for p in PARTS))] = (str(model), str(version), c)
    return list(out.values())


def _change(name: str, version: str, champion: str, c: Mapping[str, Any], said: Said) -> Ready:
    over = c["after"] != "firing"
    what = f"{c['severity']} is over" if over else str(c["severity"])
    signed = tag("span", what, class_="quiet") if over else badge("alarm" if c["severity"] == "alarm" else "warn")
    other = None if version == champion else version
    place = to("models", name, "windows", c["window"], version=other)
    late = c["known"] and c["happened"] and c["known"][:10] != c["happened"][:10]
    came = f", {(_when(c['known']) - _when(c['happened'])).days} days after its window" if late else ""
    who = None if over else _acknowledged(said, name, version, c)
    after = tag("span", came, class_="quiet") if came else None
    cells = [
        tag("td", unbroken(stamp(c["known"] or c["happened"])), after, data_head="known"),
        tag("td", link(visible(name), to("models", name, version=other)), f" {visible(version)}" if other else ""),
        tag("td", signal_noun(c["signal"])),
        tag("td", signed),
        tag("td", link(visible(c["window"]), place, class_="short"), data_head="began in"),
        tag("td", visible(c["reason"]), tag("p", who, class_="quiet") if who else None),
    ]
    return tag("tr", cells)


def _acknowledged(said: Said, name: str, version: str, c: Mapping[str, Any]) -> str:
    """Who acknowledged it first after it was known."""
    since = c["known"] or c["happened"]
    told = [
        facts
        for facts in said.get(f"{name} {version}", ())
        if facts["what"] == "acknowledge" and facts["about"] == c["signal"] and _when(facts["at"]) >= _when(since)
    ]
    return f"Acknowledged by {told[-1]['who']} at {stamp(told[-1]['at'])}." if told else ""


def _when(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _budgets(found: Sequence[KnownModel], now: datetime) -> Ready:
    rows = []
    for k in found:
        if k.face is None:
            continue
        fired = [c for c in k.face["changes"] if c["after"] == "firing" and c["before"] != "recovering"]
        recent = [c for c in fired if now - _when(c["known"] or c["happened"]) <= QUARTER]
        budget = k.face["budget"]
        told = f"{shortest(budget['alarms'])} a {budget['period']}" if budget else "no budget: looks at any time"
        left = shortest(max(0, budget["alarms"] - len(recent))) if budget and budget["period"] == "quarter" else ""
        cells = (told, count(len(recent)), left, significant(k.face["level"], 2))
        rows.append(row(link(visible(k.name), to("models", k.name)), *cells, align="lrrr"))
    if not rows:
        return tag("p", "No model was looked at yet.", class_="quiet")
    left_over = "left if all were false"
    head = ("model", "false alarms allowed", "fired in the last quarter", left_over, "level of each look")
    return listed(head, rows[:MOST], "The budget of each model, and what was spent of it at most", "budgets")
