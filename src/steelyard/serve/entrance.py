"""The shortest way in for rows, which may come thousands of times a second: no routes are tried, no header is read twice."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.serve.operations import Operation

Ask = Callable[[Request], Awaitable[Response]]


class RowsRequest(Request):
    """A request that brings rows."""

    @cached_property
    def headers(self) -> dict[str, str]:  # type: ignore[override]
        """Its headers, each by its name; of one that is there twice the first."""
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(self.scope["headers"])}


class BareResponse(Response):
    """An answer whose headers were put together before."""

    def __init__(self, body: bytes, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.body = body
        self.status_code = status
        self.background = None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), *headers]


class Entrance:
    """Rows go to their operation at once, everything else by the routes."""

    def __init__(self, routes: ASGIApp, rows: Iterable[tuple[Operation, Ask]]) -> None:
        self.routes = routes
        self.rows = [(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", op.path)), op.method, ask) for op, ask in rows]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            for path, method, ask in self.rows:
                if scope["method"] == method and (found := path.fullmatch(scope["path"])):
                    scope["path_params"] = found.groupdict()
                    response = await ask(RowsRequest(scope, receive))
                    await response(scope, receive, send)
                    return
        await self.routes(scope, receive, send)


class Acknowledgements:
    """What the writer has done, told to those who wait in a loop: all that is done at the same time in one go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._ended: deque[asyncio.Future[None]] = deque()
        self._told = False

    async def result(self, done: Future[Any]) -> Any:
        """What came of a change."""
        waiting = self.loop.create_future()
        done.add_done_callback(lambda _: self._end(waiting))
        await waiting
        return done.result()

    def _end(self, waiting: asyncio.Future[None]) -> None:
        self._ended.append(waiting)
        if not self._told:
            self._told = True
            with contextlib.suppress(RuntimeError):  # the loop is over, and nobody waits any more
                self.loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._told = False
        while self._ended:
            waiting = self._ended.popleft()
            if not waiting.done():
                waiting.set_result(None)
