"""Tokens and the audit: who may ask, and who changed what."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec

from steelyard.errors import SteelyardError
from steelyard.monitors.windows import instant_of, moment, one_instant
from steelyard.serve import statements as sql
from steelyard.serve.asked_alarms import Older
from steelyard.serve.asked_rows import Name
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.problems import Problem
from steelyard.serve.service import audit
from steelyard.serve.store import Session
from steelyard.serve.tokens import new_token, tokens_told

Scope = Literal["ingest", "read", "write", "admin"]


class NewToken(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a token is for, until when, and for which model alone."""

    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1, max_length=4)]
    ends: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    model: Name | None = None


@operation("GET", "/v1/tokens", scope="admin", answers={200: "All tokens, without what proves them."})
def list_tokens(asked: ApiRequest) -> ApiReply:
    """List tokens: what they allow, when they were made, when they end."""
    with asked.service.store.reading() as session:
        return ApiReply({"tokens": tokens_told(session)})


@operation("POST", "/v1/tokens", scope="admin", body=NewToken, answers={201: "The token. It is shown this once."})
def make_token(asked: ApiRequest) -> ApiReply:
    """Make a token."""
    said, service = asked.body, asked.service
    ends: datetime | None = None
    if said.ends is not None:
        try:
            ends = moment(one_instant(said.ends, UTC, "end of the token"))
        except SteelyardError as problem:
            raise Problem(422, "ends", str(problem.message), str(problem.hint)) from None

    def change(session: Session) -> tuple[str, str]:
        made = new_token(session, said.scopes, service.clock(), ends, said.model)
        audit(session, asked.caller.token, "token", made[0], service.clock())
        return made

    name, shown = service.writer.do(change)
    return ApiReply({"token": name, "shown_once": shown, "scopes": sorted(set(said.scopes))}, 201)


@operation("DELETE", "/v1/tokens/{token}", scope="admin", answers={204: "It is over."})
def revoke_token(asked: ApiRequest) -> ApiReply:
    """Revoke a token; it stops at once."""
    service, name = asked.service, asked.path["token"]

    def change(session: Session) -> None:
        if not session.do(sql.REVOKE, instant_of(service.clock()), name):
            raise Problem(404, "no_token", "There is no such token that is not over.")
        audit(session, asked.caller.token, "revoke", name, service.clock())

    service.writer.do(change)
    service.forget()
    return ApiReply(status=204)


@operation("GET", "/v1/audit", scope="admin", query=Older, answers={200: "Entries, the newest first."})
def list_audit(asked: ApiRequest) -> ApiReply:
    """List who changed what."""
    with asked.service.store.reading() as session:
        found = session.all(sql.AUDIT, asked.query.before, asked.query.limit)
    told = [
        {"entry": n, "at": moment(at).isoformat(), "who": who, "what": what, "about": about}
        for n, at, who, what, about in found
    ]
    return ApiReply({"audit": told, "next": found[-1][0] if len(found) == asked.query.limit else None})
