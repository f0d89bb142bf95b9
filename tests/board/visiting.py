"""A service with its pages in this process, models in different trouble, and somebody who visits with a token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from starlette.testclient import TestClient

from steelyard.board.site import COOKIE, board
from steelyard.serve.app import app_of
from steelyard.serve.declared import declaration_of
from steelyard.serve.incoming import Sending
from steelyard.serve.service import Service
from steelyard.serve.store import open_store
from steelyard.serve.tokens import new_token

from ..serve.asking import COLUMNS, CSV, DECLARED, LABELS, Clock, baseline, body_of, drawn

CALM = drawn(2, 1_500, 15)
WORN = pd.concat([CALM, drawn(3, 1_500, 15, "2026-02-16", worn=0.25)], ignore_index=True)
OLDER = WORN.assign(age=WORN["age"] + 25 * (WORN["scored"] >= "2026-02-16"))
STEADY = pd.concat([CALM, drawn(4, 1_500, 15, "2026-02-16")], ignore_index=True)
AGED = STEADY.assign(age=STEADY["age"] + 25 * (STEADY["scored"] >= "2026-02-16"))


class Visiting:
    """A service, and a browser without pictures that shows it a token."""

    def __init__(self, place: Path, *, tokens: bool = True) -> None:
        self.service = Service(
            open_store(place / "steelyard.db"), Clock(datetime(2026, 3, 3, tzinfo=UTC)), tokens=tokens
        )
        self.service.watcher.patience = self.service.watcher.lull = 0.0
        self.app = app_of(self.service, ["testserver", "127.0.0.1"], 0, pages=board(place / "saved"))
        (place / "saved").mkdir(exist_ok=True)
        self.client = TestClient(self.app, raise_server_exceptions=False, follow_redirects=False)
        if tokens:
            self.sign_in("admin", "ingest")

    def token(self, *scopes: str, model: str | None = None) -> str:
        """A new token that may do this."""
        now = self.service.clock()
        made: str = self.service.writer.do(lambda s: new_token(s, scopes, now, None, model)[1])
        return made

    def sign_in(self, *scopes: str, model: str | None = None) -> str:
        """Come in with a new token."""
        shown = self.token(*scopes, model=model)
        self.client.cookies.set(COOKIE, shown)
        return shown

    def fill(
        self, name: str = "churn", rows: pd.DataFrame = WORN, version: str = "1", labels: bool = True, **said: Any
    ) -> None:
        """Declare a model, send it rows, and look at it."""
        self.service.declare(name, declaration_of({**DECLARED, **said}), baseline(), "test")
        sent = [("predictions", COLUMNS), *([("labels", LABELS)] if labels else [])]
        for what, columns in sent:
            there = rows if what == "predictions" else rows[rows["known"] <= self.service.clock()]
            given: dict[str, Any] = {"what": what, "model": name, "body": body_of(there[columns], CSV), "kind": CSV}
            assert self.service.take(Sending(**given, version=version)).result()[0] == 200
        self.service.tick()

    def get(self, address: str, status: int = 200, **headers: str) -> str:
        """A page."""
        answer = self.client.get(address, headers=headers)
        assert answer.status_code == status, answer.text[:2000]
        return answer.text

    def seal(self) -> str:
        """What forms carry."""
        found = re.search(r'name="seal" value="(\w+)"', self.get("/setup") + self.get("/try"))
        assert found is not None
        return found[1]

    def post(self, address: str, status: int = 303, *, files: Any = None, **form: str) -> Any:
        """Send a form as its page would."""
        answer = self.client.post(address, data={"seal": self.seal(), **form}, files=files)
        assert answer.status_code == status, answer.text[:2000]
        return answer


@contextmanager
def visiting(place: Path, *, tokens: bool = True) -> Iterator[Visiting]:
    """A service that ends with the test."""
    found = Visiting(place, tokens=tokens)
    try:
        yield found
    finally:
        found.client.close()
        found.service.close()
