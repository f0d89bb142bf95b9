"""Who may come in and who is told: links that may only read, tokens, and channels of notices with a test."""

from __future__ import annotations

import secrets
from datetime import timedelta

import msgspec

from steelyard.board.pieces import choice, stamp, typed, warned
from steelyard.board.visits import Answer, Elsewhere, Shown, Visit, link, page, to
from steelyard.errors import SteelyardError
from steelyard.serve.asked_tokens import NewToken, make_token, revoke_token
from steelyard.serve.delivering import Undelivered
from steelyard.serve.operations import ApiRequest, Nothing
from steelyard.serve.problems import Problem
from steelyard.serve.tokens import tokens_told
from steelyard.views.html import Ready, join, listed, row, tag
from steelyard.words import some_names, visible

LENGTHS = ((1, "1 day"), (7, "1 week"), (31, "1 month"), (366, "1 year"))


def _model_choice(visit: Visit) -> Ready:
    with visit.service.store.reading() as session:
        names = [m.name for m in visit.service.watcher.models(session)]
    return choice("of", "model", [("", "all models"), *((n, visible(n)) for n in names[:1000])])


def link_form(visit: Visit) -> Ready:
    """The form that makes a link."""
    note = "Whoever has the link reads the pages until it ends, and may change nothing. It can be revoked below."
    button = tag("button", "Make a link", name="what", value="link")
    length = choice("for", "days", LENGTHS, 31)
    form = visit.form_tag("/setup/token", _model_choice(visit), length, button, class_="filters")
    return tag("div", tag("p", note), form)


def _button(visit: Visit, what: str, name: str, value: str, word: str, label: str) -> Ready:
    """A form that does one thing to one of those that are listed."""
    held = tag("input", type="hidden", name=name, value=value)
    return visit.form_tag(f"/setup/{what}", held, tag("button", word, aria_label=label), class_="does")


def tokens_form(visit: Visit) -> Ready:
    """Tokens that are in force, each with its end, and the form that makes one."""
    with visit.service.store.reading() as session:
        found = [t for t in tokens_told(session) if t["revoked"] is None]
    rows = []
    for t in found:
        revoke = _button(visit, "revoke", "token", t["token"], "Revoke", f"Revoke {t['token']}")
        told = (", ".join(t["scopes"]), t["model"] or "all", stamp(t["made"]), stamp(t["ends"]) or "never")
        rows.append(row(tag("code", t["token"]), *told, "yours" if t["token"] == visit.caller.token else revoke))
    head = ("token", "may", "models", "made", "ends", "revoke")
    table = listed(head, rows, "Tokens in force")
    if not visit.service.tokens:
        table = tag("p", "This service asks nobody for a token; one that is made is for when it does.", class_="quiet")
    scopes = [
        tag("label", tag("input", type="checkbox", name=f"scope-{s}", value="yes"), f" {s} ")
        for s in ("ingest", "read", "write", "admin")
    ]
    form = visit.form_tag(
        "/setup/token",
        tag("fieldset", tag("legend", "A new token may"), scopes),
        _model_choice(visit),
        choice("for", "days", LENGTHS, 366),
        tag("button", "Make a token", name="what", value="token"),
        class_="filters",
    )
    return tag("div", table, form)


@page("/setup/token", scope="admin", method="POST")
def new_token(visit: Visit) -> Answer:
    """A token, or a link that may only read; it is shown this once."""
    visit.caller.check("admin", None)
    days = visit.form.get("days", "31")
    if not days.isdecimal() or not 0 < int(days) <= 3660:
        raise Problem(422, "days", "A token ends after 1 to 3,660 days.")
    linked = visit.form.get("what") == "link"
    scopes = ["read"] if linked else [s for s in ("ingest", "read", "write", "admin") if visit.form.get(f"scope-{s}")]
    if not scopes:
        said = "Nothing was chosen that the token may do."
        raise Problem(422, "scopes", said, "Choose ingest, read, write or admin.")
    ends = (visit.service.clock() + timedelta(days=int(days))).isoformat(timespec="minutes")
    body = msgspec.convert({"scopes": scopes, "ends": ends, "model": visit.form.get("model") or None}, NewToken)
    made = make_token.run(ApiRequest(visit.service, visit.caller, {}, Nothing(), body, {})).content
    shown = made["shown_once"]
    model = visit.form.get("model")
    place = f"{visit.base}{to('open', shown, to=to('models', model) if model else None)}" if linked else shown
    word = "The link, shown this once:" if linked else "The token, shown this once:"
    once = tag("p", place, class_="shown-once", tabindex="0", id="shown")
    return _told("Made", tag("div", tag("p", tag("b", word)), once, role="status"))


def _told(title: str, said: Ready) -> Shown:
    """What became of it, and the way back."""
    back = tag("p", link("Back to what is set up", "/setup"))
    return Shown(title, tag("section", tag("h1", title), said, back), live=False)


@page("/setup/revoke", scope="admin", method="POST")
def end_token(visit: Visit) -> Answer:
    """Revoke a token."""
    visit.caller.check("admin", None)
    named = {"token": visit.form.get("token", "")}
    revoke_token.run(ApiRequest(visit.service, visit.caller, named, Nothing(), None, {}))
    return Elsewhere("/setup#tokens")


# Notices --------------------------------------------------------------------------------------------------------------


def channels_told(visit: Visit) -> Ready:
    """Channels that are told of alarms, each with a test."""
    found = visit.service.messenger.channels.values()
    where = "Channels stand in a file, so that their secrets are in no page: steelyard serve --notify channels.toml"
    how = tag("p", where)
    example = typed('[channels.team]\nwebhook = "https://hooks.example.com/steelyard"\nsecret = "whsec_..."')
    if not found:
        return tag("div", tag("p", "Nobody is told yet."), how, example)
    items = []
    for c in found:
        test = _button(visit, "test", "channel", c.name, "Send a test", f"Send a test to {visible(c.name)}")
        about = f"of {some_names(c.models)}" if c.models else "of all models"
        kind = "a webhook" if c.webhook else "an address of Apprise"
        items.append(tag("div", tag("p", tag("b", visible(c.name)), f": {kind}, told {about}"), test, class_="alarmed"))
    return tag("div", items, how)


@page("/setup/test", scope="admin", method="POST")
def send_test(visit: Visit) -> Answer:
    """Send a channel a notice that says it is a test."""
    visit.caller.check("admin", None)
    channel = visit.service.messenger.channels.get(visit.form.get("channel", ""))
    if channel is None:
        raise Problem(404, "no_channel", "There is no such channel.", "It may have been renamed: open the page again.")
    now = visit.service.clock()
    notice = {
        "type": "steelyard.test",
        "timestamp": now.isoformat(),
        "model": "none",
        "version": "none",
        "title": "A test of steelyard",
        "verdict": "This is a test: nothing is wrong.",
        "window": "none",
        "link": visit.base,
        "fired": [],
        "over": [],
    }
    try:
        channel.send(f"test_{secrets.token_hex(8)}", notice, now)
    except (Undelivered, SteelyardError) as problem:
        told = f"The test did not arrive at {visible(channel.name)}: {getattr(problem, 'message', problem)}."
        return _told("A test", join([warned(told)]))
    return _told("A test", tag("p", f"The test arrived at {visible(channel.name)}.", role="status", class_="told"))
