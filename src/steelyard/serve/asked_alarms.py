"""Alarms: what stands, and what people say of it."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import msgspec

from steelyard.errors import SteelyardError
from steelyard.monitors.windows import moment, one_instant
from steelyard.serve import statements as sql
from steelyard.serve.alerting import say, state_of
from steelyard.serve.asked_windows import Limit, OfVersion, one_stream
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.problems import Problem
from steelyard.serve.service import audit
from steelyard.serve.store import Session


class SaidOfAlarm(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is said of a signal: it is not to be told of (until then), to be told again, or known to somebody."""

    signal: Annotated[str, msgspec.Meta(max_length=1000)]
    what: Literal["mute", "unmute", "acknowledge"]
    until: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """Why, for those who read the audit."""


class Older(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A page of a list that begins with the newest."""

    limit: Limit = 100
    before: Annotated[int, msgspec.Meta(ge=1, le=2**62)] = 2**62


@operation(
    "GET",
    "/v1/models/{model}/alarms",
    scope="read",
    query=OfVersion,
    answers={200: "What stands, what is muted, what cannot be judged any more, and every change."},
)
def get_alarms(asked: ApiRequest) -> ApiReply:
    """Tell which alarms stand, since when, and every change of an alarm with its reason."""
    one = one_stream(asked)
    m = asked.service.watcher.monitor(one)
    with asked.service.store.reading() as session:
        state = state_of(session, one.stream)
    standing = [a.to_dict() for a in state.standing]
    told = {"state": m.state, "looked": state.looked or None, "standing": standing, "muted": dict(state.muted)}
    told |= {"blind": [b.to_dict() for b in state.blind]}
    return ApiReply({**told, "firing": list(m.firing), "changes": [a.to_dict() for a in m.alarms]})


@operation(
    "POST",
    "/v1/models/{model}/alarms",
    scope="write",
    query=OfVersion,
    body=SaidOfAlarm,
    answers={200: "What stands now."},
)
def say_of_alarm(asked: ApiRequest) -> ApiReply:
    """Acknowledge an alarm, mute a signal (until a moment, as for maintenance), or have it heard again."""
    one, service = one_stream(asked), asked.service
    said = msgspec.to_builtins(asked.body)
    if said["until"] is not None:
        if said["what"] != "mute":
            raise Problem(422, "until", "Only a silence has an end.")
        try:
            said["until"] = moment(one_instant(said["until"], one.model.zone, "end of the silence")).isoformat()
        except SteelyardError as problem:
            raise Problem(422, "until", str(problem.message), str(problem.hint)) from None

    def change(session: Session) -> dict[str, object]:
        now = service.clock()
        about = f"{one.name}: {said['signal']}" + (f": {said['reason']}" if said["reason"] else "")
        state = say(session, one, said, now)
        audit(session, asked.caller.token, said["what"], about, now)
        return {"standing": [a.to_dict() for a in state.standing], "muted": dict(state.muted)}

    return ApiReply(service.writer.do(change))


@operation("GET", "/v1/notices", scope="admin", query=Older, answers={200: "Notices, the newest first."})
def list_notices(asked: ApiRequest) -> ApiReply:
    """List notices: what was told of changes, whether it was delivered, and why not."""

    def at(x: int | None) -> str | None:
        return None if x is None else moment(x).isoformat()

    with asked.service.store.reading() as session:
        found = session.all(sql.NOTICES, asked.query.before, asked.query.limit)
    told = [
        {
            "notice": n,
            "model": model,
            "version": version,
            "made": at(made),
            "tries": tries,
            "sent": at(sent),
            "given_up": at(dead),
            "why": why,
            "body": json.loads(body),
        }
        for n, model, version, body, made, tries, sent, dead, why in found
    ]
    return ApiReply({"notices": told, "next": found[-1][0] if len(found) == asked.query.limit else None})
