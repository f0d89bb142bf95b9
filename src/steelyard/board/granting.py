"""Who may come in and who is told: links that may only read, tokens, and channels of notices with a test."""

from __future__ import annotations

import secrets
from datetime import timedelta

import msgspec

from steelyard.board.pieces import listed, stamp, typed
from steelyard.board.visits import Answer, Elsewhere, Shown, Visit, link, page, to
from steelyard.errors import SteelyardError
from steelyard.serve.asked_tokens import NewToken, make_token, revoke_token
from steelyard.serve.delivering import Undelivered
from steelyard.serve.operations import ApiRequest, Nothing
from steelyard.serve.problems import Problem
from steelyard.serve.tokens import tokens_told
from steelyard.views.html import Ready, tag
from steelyard.words import some_names, visible

LENGTHS = (("1 day", 1), ("1 week", 7), ("1 month", 31), ("1 year", 366))


def _length(visit: Visit, usual: int) -> Ready:
    options = [tag("option", word, value=days, selected=days == usual) for word, days in LENGTHS]
    return tag("label", "for ", tag("select", options, name="days"))


def _model_choice(visit: Visit) -> Ready:
    with visit.service.store.reading() as session:
        names = [m.name for m in visit.service.watcher.models(session)]
    options = [tag("option", "all models", value=""), *(tag("option", visible(n), value=n) for n in names[:1000])]
    return tag("label", "of ", tag("select", options, name="model"))


def link_form(visit: Visit) -> Ready:
    """The form that makes a link."""
    note = "Whoever has the link reads the pages until it ends, and may change nothing. It can be revoked below."
    button = tag("button", "Make a link", name="what", value="link")
    return tag(
        "div",
        tag("p", note),
        visit.form_tag("/setup/token", _model_choice(visit), _length(visit, 31), button, class_="filters"),
    )


def tokens_form(visit: Visit) -> Ready:
    """Tokens that are in force, each with its end, and the form that makes one."""
    with visit.service.store.reading() as session:
        found = [t for t in tokens_told(session) if t["revoked"] is None]
    rows = []
    for t in found:
        revoke = visit.form_tag(
            "/setup/revoke",
            tag("input", type="hidden", name="token", value=t["token"]),
            tag("button", "Revoke", aria_label=f"Revoke {t['token']}"),
            class_="does",
        )
        mine = t["token"] == visit.caller.token
        rows.append(
            tag(
                "tr",
                tag("th", tag("code", t["token"]), scope="row"),
                tag("td", ", ".join(t["scopes"])),
                tag("td", t["model"] or "all"),
                tag("td", stamp(t["made"])),
                tag("td", stamp(t["ends"]) or "never"),
                tag("td", "yours" if mine else revoke),
            )
        )
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
        _length(visit, 366),
        tag("button", "Make a token", name="what", value="token"),
        class_="filters",
    )
    return tag("div", table, form)


@page("/setup/token", scope="admin", method="POST")
def new_token(visit: Visit) -> Answer:
    """A token, or a link that may only read; it is shown this once."""
    _refuse_narrow(visit)
    days = visit.form.get("days", "31")
    if not days.isdecimal() or not 0 < int(days) <= 3660:
        raise Problem(422, "days", "A token ends after 1 to 3,660 days.")
    linked = visit.form.get("what") == "link"
    scopes = ["read"] if linked else [s for s in ("ingest", "read", "write", "admin") if visit.form.get(f"scope-{s}")]
    if not scopes:
        raise Problem(
            422, "scopes", "Nothing was chosen that the token may do.", "Choose ingest, read, write or admin."
        )
    ends = (visit.service.clock() + timedelta(days=int(days))).isoformat(timespec="minutes")
    body = msgspec.convert({"scopes": scopes, "ends": ends, "model": visit.form.get("model") or None}, NewToken)
    made = make_token.run(ApiRequest(visit.service, visit.caller, {}, Nothing(), body, {})).content
    shown = made["shown_once"]
    model = visit.form.get("model")
    place = f"{visit.base}{to('open', shown, to=to('models', model) if model else None)}" if linked else shown
    word = "The link, shown this once:" if linked else "The token, shown this once:"
    said = tag(
        "div", tag("p", tag("b", word)), tag("p", place, class_="shown-once", tabindex="0", id="shown"), role="status"
    )
    return _told("Made", said)


def _told(title: str, said: Ready) -> Shown:
    """What became of it, and the way back."""
    return Shown(
        title, tag("section", tag("h1", title), said, tag("p", link("Back to what is set up", "/setup"))), live=False
    )


def _refuse_narrow(visit: Visit) -> None:
    if visit.caller.model is not None:
        raise Problem(403, "model", f'This token is for the model "{visit.caller.model}" alone.')


@page("/setup/revoke", scope="admin", method="POST")
def end_token(visit: Visit) -> Answer:
    """Revoke a token."""
    _refuse_narrow(visit)
    revoke_token.run(
        ApiRequest(visit.service, visit.caller, {"token": visit.form.get("token", "")}, Nothing(), None, {})
    )
    return Elsewhere("/setup#tokens")


# Notices --------------------------------------------------------------------------------------------------------------


def channels_told(visit: Visit) -> Ready:
    """Channels that are told of alarms, each with a test."""
    found = visit.service.messenger.channels.values()
    how = tag(
        "p", "Channels stand in a file, so that their secrets are in no page: steelyard serve --notify channels.toml"
    )
    example = typed('[channels.team]\nwebhook = "https://hooks.example.com/steelyard"\nsecret = "whsec_..."')
    if not found:
        return tag("div", tag("p", "Nobody is told yet."), how, example)
    items = []
    for c in found:
        test = visit.form_tag(
            "/setup/test",
            tag("input", type="hidden", name="channel", value=c.name),
            tag("button", "Send a test", aria_label=f"Send a test to {visible(c.name)}"),
            class_="does",
        )
        about = f"of {some_names(c.models)}" if c.models else "of all models"
        kind = "a webhook" if c.webhook else "an address of Apprise"
        items.append(tag("div", tag("p", tag("b", visible(c.name)), f": {kind}, told {about}"), test, class_="alarmed"))
    return tag("div", items, how)


@page("/setup/test", scope="admin", method="POST")
def send_test(visit: Visit) -> Answer:
    """Send a channel a notice that says it is a test."""
    _refuse_narrow(visit)
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
        return _told("A test", tag("p", told, class_="warn", role="alert"))
    return _told("A test", tag("p", f"The test arrived at {visible(channel.name)}.", role="status", class_="told"))
