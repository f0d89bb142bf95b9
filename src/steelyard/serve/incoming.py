"""What was sent: rows, labels or exposures read and checked by what they are, and written each once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from steelyard.monitors.windows import instant_of
from steelyard.serve.declared import NAME, DeclaredModel, check_name
from steelyard.serve.formats import JSON, UTF8, Events, kind_of, read_body
from steelyard.serve.received import (
    Received,
    received_exposures,
    received_labels,
    received_rows,
    wanted_exposures,
    wanted_labels,
    wanted_rows,
)
from steelyard.serve.store import Session
from steelyard.serve.taking import Mode, OnConflict, Taken, take_exposures, take_labels, take_rows

What = Literal["predictions", "labels", "exposures"]
SMALL = 16 << 10
"""Bytes of a body that may hold a single event."""


def model_of(sender: str) -> str:
    """The model that somebody sent to."""
    return sender.split(" ")[2]


@dataclass(frozen=True, kw_only=True)
class Sending:
    """A request that brings rows, labels or exposures."""

    what: What
    model: str
    body: bytes
    kind: str
    encoding: str = ""
    version: str | None = None
    trial: str = ""
    """Of which exposures are told."""
    mode: Mode = "strict"
    on_conflict: OnConflict = "refuse"
    key: str = ""
    """Under which the same request may be sent again."""
    who: str = ""

    @property
    def sender(self) -> str:
        """Who sent it, what, and where to: under it an answer is kept, to be given again."""
        trial = [self.trial] if self.what == "exposures" else []
        return " ".join([self.who, self.what, self.model, *trial])

    @property
    def digest(self) -> str:
        """By which it is known to be the same when it comes again: its body, and how that is to be taken."""
        how = [self.version or "", self.mode, self.on_conflict]
        said = "" if how == ["", "strict", "refuse"] else "\0".join(how)
        return hashlib.sha256(self.body + said.encode()).hexdigest()

    def received(self, model: DeclaredModel, now: datetime) -> Received:
        """Its rows, each of them checked."""
        if self.what == "exposures":
            trial = model.trial(self.trial)
            sent = read_body(self.body, self.kind, self.encoding, wanted_exposures(model))
            return received_exposures(sent, model, trial, now)
        predictions = self.what == "predictions"
        wanted = wanted_rows(model) if predictions else wanted_labels(model)
        check_name(self.version or model.said.champion, "version")
        sent = read_body(self.body, self.kind, self.encoding, wanted)
        return received_rows(sent, model, now) if predictions else received_labels(sent, model, now)

    def write(self, session: Session, model: DeclaredModel, given: Received, now: datetime) -> Taken:
        """Keep what is new of it."""
        if self.what == "predictions":
            version = self.version or model.said.champion
            return take_rows(session, model, version, given, self.mode, self.on_conflict)
        if self.what == "labels":
            return take_labels(session, model, given, self.mode, instant_of(now))
        return take_exposures(session, model, self.trial, given, self.mode, instant_of(now))


def _is_json(kind: str) -> bool:
    name, letters = kind_of(kind)
    return name == JSON and letters in UTF8


class SingleEvents:
    """Predictions of a model that come one by one, as they should: what waits at the same time is taken in one go."""

    def __init__(self, model: DeclaredModel) -> None:
        self.model = model
        self._read = Events(wanted_rows(model))

    def row(self, sending: Sending) -> Any:
        """The row of a request that may be taken with others; None for any other, of which more is to be said."""
        plain = (sending.what, sending.mode, sending.on_conflict) == ("predictions", "strict", "refuse")
        if not plain or sending.key or sending.encoding or not (sending.kind == JSON or _is_json(sending.kind)):
            return None
        if len(sending.body) > SMALL or not (sending.version is None or NAME.fullmatch(sending.version)):
            return None
        return self._read.row(sending.body)

    def write(self, session: Session, version: str, rows: list[Any], now: datetime) -> Taken:
        """Keep rows of several requests, all of which are new."""
        given = received_rows(self._read.sent(rows), self.model, now)
        return take_rows(session, self.model, version, given, all_new=True)
