"""Connections: each has so long to say what it asks, so that those which never do leave room for others."""

from __future__ import annotations

import time
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST = 60.0
"""Seconds in which a request must have arrived, head and body; a body has half of them, and is answered when they are over."""
TICKS = 20
"""Ticks of the server, ten a second, between two looks."""


class TimedConnection(HttpToolsProtocol):
    """A connection that knows since when it has been saying what it asks."""

    since: float | None = None
    """When it began; nothing while it has said all, or is between two requests."""

    def connection_made(self, transport: Any) -> None:
        """Somebody came."""
        super().connection_made(transport)
        self.since = time.monotonic()

    def on_message_begin(self) -> None:
        """The first letter of a request."""
        super().on_message_begin()
        self.since = time.monotonic()

    def on_message_complete(self) -> None:
        """The last one of it."""
        super().on_message_complete()
        self.since = None


class PatientServer(uvicorn.Server):
    """A server that hangs up on who does not say in time what they ask."""

    async def on_tick(self, counter: int) -> bool:
        """What is done ten times a second."""
        if counter % TICKS == 0:
            last = time.monotonic() - LONGEST
            for one in list(self.server_state.connections):
                if isinstance(one, TimedConnection) and one.since is not None and one.since < last:
                    one.transport.abort()
        return await super().on_tick(counter)
