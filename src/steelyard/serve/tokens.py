"""Who may ask for what: tokens that are kept as digests only, with scopes, an end, and perhaps one model."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from steelyard.monitors.windows import instant_of, moment
from steelyard.serve import statements as sql
from steelyard.serve.problems import Problem
from steelyard.serve.store import Session

SCOPES = ("ingest", "read", "write", "admin")
"""Send rows and labels; read what was counted; declare models and answer alarms; everything else."""
INCLUDED: Mapping[str, tuple[str, ...]] = {
    "admin": SCOPES,
    "write": ("write", "read"),
    "read": ("read",),
    "ingest": ("ingest",),
}
FAILURES, MINUTE = 10, 60.0
"""So many wrong tokens in a minute from one address, and it is not listened to for the rest of it."""
MOST_KNOWN = 1_000
PREFIX = "sy"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    token: str
    scopes: frozenset[str]
    model: str | None = None

    def check(self, scope: str, model: str | None) -> None:
        """Refuse what the token does not allow."""
        if scope not in self.scopes:
            held = ", ".join(sorted(self.scopes))
            raise Problem(403, "scope", f'This takes a token with the scope "{scope}", and this one has {held}.')
        if self.model is not None and model != self.model:
            raise Problem(403, "model", f'This token is for the model "{self.model}" alone.')


EVERYBODY = Caller("nobody", frozenset(SCOPES))
"""Where no tokens are asked for."""


def new_token(
    session: Session, scopes: Collection[str], now: datetime, ends: datetime | None = None, model: str | None = None
) -> tuple[str, str]:
    """A new token: its name, and what is shown once and never again."""
    odd = sorted(set(scopes) - set(SCOPES))
    if odd or not scopes:
        raise Problem(422, "scopes", f"Scopes are {', '.join(SCOPES)}.", "Name at least one.")
    if ends is not None and ends <= now:
        raise Problem(422, "ends", "The token would have ended already.", "Choose a later end, or none.")
    name, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    until = None if ends is None else instant_of(ends)
    session.do(sql.ADD_TOKEN, name, _digest(secret), " ".join(sorted(scopes)), model, instant_of(now), until)
    return name, f"{PREFIX}_{name}_{secret}"


def tokens_told(session: Session) -> list[dict[str, Any]]:
    """All tokens, without what they are proved by."""

    def at(instant: int | None) -> str | None:
        return None if instant is None else moment(instant).isoformat()

    return [
        {
            "token": t,
            "scopes": scopes.split(),
            "model": model,
            "made": at(made),
            "ends": at(ends),
            "revoked": at(revoked),
        }
        for t, scopes, model, made, ends, revoked in session.all(sql.TOKENS)
    ]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class Doorkeeper:
    """Lets in whoever shows a token, and stops listening to those who guess."""

    def __init__(self) -> None:
        self._failed: dict[str, list[float]] = {}
        self._right: OrderedDict[str, None] = OrderedDict()
        """Digests of tokens that were right: who shows one again is no guesser, whoever else comes from there."""
        self._guard = threading.Lock()

    def caller(self, session: Session, shown: str, address: str, now: datetime, at: float) -> Caller:
        """Who shows this token."""
        with self._guard:
            recent = [t for t in self._failed.get(address, ()) if t > at - MINUTE]
            known = _digest(shown) in self._right
        if len(recent) >= FAILURES and not known:
            wait = max(1, round(recent[0] + MINUTE - at))
            raise Problem(429, "locked_out", "Too many wrong tokens came from this address.", retry_after=wait)
        prefix, _, rest = shown.partition("_")
        name, _, secret = rest.partition("_")
        found = session.one(sql.TOKEN, name) if prefix == PREFIX and name.isalnum() and name.isascii() else None
        # Compared in the same time whether there is such a token or not.
        right = hmac.compare_digest(_digest(secret), "" if found is None else str(found[0]))
        if found is None or not right:
            self._note(address, recent, at)
            raise Problem(401, "token", "There is no such token.", "Send one as: Authorization: Bearer sy_...")
        _, scopes, model, ends, revoked = found
        if revoked is not None or (ends is not None and ends <= instant_of(now)):
            self._note(address, recent, at)
            raise Problem(401, "token_over", "This token is over." if revoked is None else "This token was revoked.")
        with self._guard:
            self._right[_digest(shown)] = None
            while len(self._right) > MOST_KNOWN:
                self._right.popitem(last=False)
        return Caller(name, frozenset(s for scope in scopes.split() for s in INCLUDED[scope]), model)

    def _note(self, address: str, recent: list[float], at: float) -> None:
        with self._guard:
            if len(self._failed) > 10_000:
                self._failed.clear()
            self._failed[address] = [*recent[-FAILURES:], at]
