"""The board: every model as a row, the worst first, with what it asks of whom."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from steelyard.board.frame import ORDER, SIGNS, badge
from steelyard.board.known import KnownModel, known_models
from steelyard.board.pieces import ago, alarm_forms, asking, choice, instant, label_bar, small_course, unbroken
from steelyard.board.visits import Answer, Shown, Visit, link, page, to
from steelyard.views.html import Ready, join, tag
from steelyard.words import count, some_names, visible

NAMED = 3
SHORT = 26
"""Letters of a name that stays on one line."""
SLOW = 120
"""Seconds after which a look is late."""
FULL = 50
"""So many models have a row of their own; of more, those that ask for nobody are listed by name."""
GROUPS = {"": "nothing", "state": "state", "owner": "owner", "group": "group"}


@page("/")
def get_board(visit: Visit) -> Answer:
    """Every model that may be read."""
    found = known_models(visit)
    shown = _filtered(found, visit)
    parts = [tag("h1", headline(found)), tag("p", _calm(found), _looked(visit), class_="quiet"), _filters(visit, found)]
    if not found:
        first = tag("p", "Declare the first model, then send it rows.")
        parts.append(tag("section", first, tag("p", link("Set up a model", "/setup"))))
    elif not shown:
        parts.append(tag("p", "No model is called or stands like this. ", link("Show all", "/")))
    for name, members in _grouped(shown, visit.query.get("by", "")):
        parts += [tag("h2", name)] if name else []
        parts += _listed(visit, members)
    loud = sum(k.needs for k in found)
    return Shown(f"{count(loud)} of {count(len(found))} need you" if loud else "Board", tag("div", parts))


def headline(found: Sequence[KnownModel]) -> Ready:
    """Who needs somebody, and why, in one sentence.

    >>> headline([])
    'No model is declared yet.'
    """
    if not found:
        return Ready("No model is declared yet.")
    loud = [k for k in found if k.needs]
    if not loud:
        many = "the model is" if len(found) == 1 else f"all {count(len(found))} models are"
        waiting = any(k.state != "ok" for k in found)
        return Ready(f"Nothing needs you{', as far as it is known' if waiting else f': {many} as at the start'}.")
    # One more takes no more room than its name.
    named = loud if len(loud) == NAMED + 1 else loud[:NAMED]
    told = join(part for i, k in enumerate(named) for part in (", " if i else "", _named(k)))
    rest = len(loud) - len(named)
    many = "1 model needs" if len(loud) == 1 else f"{count(len(loud))} models need"
    return join([f"{many} you: ", told, f", and {count(rest)} more" if rest > 0 else "", "."])


def _named(known: KnownModel) -> Ready:
    assert known.face is not None
    name = link(visible(known.name), to("models", known.name), class_="short" if len(known.name) < SHORT else None)
    why = known.face["cause"]["brief"] or SIGNS[known.state][1]
    return join([name, " ", tag("span", f"({why})", class_="short" if len(why) < SHORT else None)])


def _looked(visit: Visit) -> str:
    """How long ago the service looked at them, where it looks by itself."""
    if not visit.service.ticks:
        return ""
    ago = round(time.monotonic() - visit.service.ticked)
    if ago < SLOW:
        return f" Looked at {f'{ago} s ago' if ago > 1 else 'just now'}."
    return f" The last look was {count(ago // 60)} min ago: the service does not keep up."


def _calm(found: Sequence[KnownModel]) -> str:
    states = [k.state for k in found if not k.needs]
    told = [f"{count(states.count(s))} {SIGNS[s][1]}" for s in reversed(ORDER) if s in states]
    return f"{'The others: ' if len(states) < len(found) else ''}{', '.join(told)}." if told else ""


def _filtered(found: Sequence[KnownModel], visit: Visit) -> list[KnownModel]:
    wanted, state, owner = (visit.query.get(name, "") for name in ("q", "state", "owner"))
    low = wanted.casefold()

    def fits(model: KnownModel) -> bool:
        words = " ".join([model.name, model.model.said.owner or "", model.model.said.group or ""]).casefold()
        of_state = model.needs if state == "needs" else not state or model.state == state
        return low in words and of_state and (not owner or (model.model.said.owner or "") == owner)

    return [k for k in found if fits(k)]


def _filters(visit: Visit, found: Sequence[KnownModel]) -> Ready:
    def chosen(name: str, label: str, options: Sequence[tuple[str, str]]) -> Ready:
        return choice(label, name, options, visit.query.get(name, ""))

    states = [(s, SIGNS[s][1]) for s in ORDER if any(k.state == s for k in found)]
    owners = sorted({k.model.said.owner for k in found if k.model.said.owner})
    return asking(
        "/",
        tag("label", "Find ", tag("input", type="search", name="q", value=visit.query.get("q", ""), id="find")),
        chosen("state", "State", [("", "any"), ("needs", "needs somebody"), *states]),
        chosen("owner", "Owner", [("", "anybody"), *((o, o) for o in owners)]) if owners else None,
        chosen("by", "Group by", list(GROUPS.items())),
        tag("button", "Show"),
        role="search",
    )


def _grouped(found: Sequence[KnownModel], by: str) -> list[tuple[str, list[KnownModel]]]:
    if by not in GROUPS or not by:
        return [("", list(found))]

    def name(model: KnownModel) -> str:
        held = {"state": SIGNS[model.state][1], "owner": model.model.said.owner, "group": model.model.said.group}[by]
        return held or f"no {by}"

    out: dict[str, list[KnownModel]] = {}
    for k in found:
        out.setdefault(name(k), []).append(k)
    return list(out.items())


def _listed(visit: Visit, found: Sequence[KnownModel]) -> list[Ready]:
    """Rows, and of very many models those that are calm by their names alone."""
    now = visit.service.clock()
    rows, rest = found[:FULL], found[FULL:]
    head = ("state", "model", "chief number", "course", "what is the matter", "labels", "last row", "say")
    out = []
    if rows:
        named = tag("caption", "Models, the worst first", class_="unseen")
        top = tag("thead", tag("tr", [tag("th", h, scope="col") for h in head]))
        body = tag("tbody", [_row(visit, k, now) for k in rows])
        out.append(tag("table", named, top, body, class_="models-board"))
    if rest:
        items = [tag("li", badge(k.state), link(visible(k.name), to("models", k.name))) for k in rest]
        out += [tag("h3", f"{count(len(rest))} more, by name"), tag("ul", items, class_="names")]
    return out


def _row(visit: Visit, known: KnownModel, now: datetime) -> Ready:
    f, said = known.face, known.model.said
    about = [tag("span", said.owner, class_="quiet")] if said.owner else []
    if len(known.versions) > 1:
        words = f"{count(len(known.versions))} versions"
        label = f"Compare {count(len(known.versions))} versions of {visible(known.name)}"
        about.append(link(words, to("models", known.name) + "#versions", class_="quiet", aria_label=label))
    place = to("models", known.name)
    named = link(visible(known.name), place, class_="short" if len(known.name) < SHORT else None)
    name = tag("th", named, *about, scope="row", class_="name")
    state = tag("td", badge(known.state), class_="state-of")
    if f is None:
        word = "Send it a reference, or rows to make one of." if known.state == "bare" else "No rows were counted yet."
        return tag("tr", state, name, tag("td", word, colspan=6), class_=f"is-{known.state}")
    about_it = tag("span", unbroken(f["chief"]["about"]), class_="quiet")
    chief = tag("td", tag("b", f["chief"]["name"]), about_it, class_="chief")
    first, last = f["windows"]
    course = tag("td", small_course(f["course"], f"{f['chief']['name']}, {first} to {last}"), class_="course-of")
    cells = [
        tag("td", unbroken(f["cause"]["sentence"]), class_="why"),
        tag("td", label_bar(f["coverage"]), class_="cover-of"),
        tag("td", ago(instant(f["came"]), now), class_="came"),
        tag("td", _does(visit, known), class_="does-of"),
    ]
    return tag("tr", state, name, chief, course, *cells, class_=f"is-{known.state}")


def _does(visit: Visit, known: KnownModel) -> Ready | None:
    standing = known.alarms.standing
    if not standing:
        muted = [visible(s) for s in known.alarms.muted]
        return tag("span", f"{some_names(muted)} muted", class_="quiet") if muted else None
    done = not known.open
    return alarm_forms(visit, known.name, known.version, [], acknowledged=done, muted=False)
