"""The shortest way in for rows, which may come thousands of times a second: no routes are tried, no header is read twice."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.serve.operations import Operation


class RowsRequest:
    """A request that brings rows: what is asked of it, and no more."""

    __slots__ = ("headers", "path_params", "receive", "scope")

    def __init__(self, scope: Scope, receive: Receive, path_params: dict[str, str]) -> None:
        self.scope = scope
        self.receive = receive
        self.path_params = path_params
        # Of one that is there twice the first.
        self.headers: dict[str, str] = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])
        }

    @property
    def address(self) -> str:
        """Who asks."""
        client = self.scope.get("client")
        return client[0] if client else ""


AskRows = Callable[[RowsRequest], Awaitable[Response]]


class BareResponse(Response):
    """An answer whose headers were put together before."""

    def __init__(self, body: bytes, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.body = body
        self.status_code = status
        self.background = None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), *headers]


class Entrance:
    """Rows go to their operation at once, everything else by the routes."""

    def __init__(self, routes: ASGIApp, rows: Iterable[tuple[Operation, AskRows]]) -> None:
        self.routes = routes
        self.rows = [(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", op.path)), op.method, ask) for op, ask in rows]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            for path, method, ask in self.rows:
                if scope["method"] == method and (found := path.fullmatch(scope["path"])):
                    response = await ask(RowsRequest(scope, receive, found.groupdict()))
                    await response(scope, receive, send)
                    return
        await self.routes(scope, receive, send)


class Acknowledgements:
    """What the writer has done, told to those who wait in a loop: all that is done at the same time in one go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.ended: deque[asyncio.Future[None]] = deque()

    def ring(self) -> None:
        """Have all go on whose change has ended."""
        with contextlib.suppress(RuntimeError):  # the loop is over, and nobody waits any more
            self.loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        while self.ended:
            waiting = self.ended.popleft()
            if not waiting.done():
                waiting.set_result(None)


class Awaited:
    """What comes of a change, waited for in a loop."""

    __slots__ = ("_problem", "_result", "_waiting", "to")

    def __init__(self, to: Acknowledgements) -> None:
        self.to = to
        self._waiting: asyncio.Future[None] = to.loop.create_future()
        self._result: Any = None
        self._problem: BaseException | None = None

    def set_result(self, result: Any) -> None:
        """It was made."""
        self._result = result
        self.to.ended.append(self._waiting)

    def set_exception(self, problem: BaseException | None) -> None:
        """It was not made."""
        self._problem = problem
        self.to.ended.append(self._waiting)

    def __await__(self) -> Generator[Any, None, Any]:
        yield from self._waiting
        if self._problem is not None:
            raise self._problem
        return self._result
