"""The service on the network: who asks is checked, bodies are bounded, and whatever goes wrong is told as a problem."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import json
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from steelyard.serve.entrance import Acknowledgements, AskRows, Awaited, BareResponse, Entrance, RowsRequest
from steelyard.serve.failing import told_problem
from steelyard.serve.formats import MOST_BYTES, too_large
from steelyard.serve.incoming import SMALL, Sending
from steelyard.serve.operations import ApiReply, ApiRequest, Operation, body_of, operations, query_of
from steelyard.serve.problems import Problem
from steelyard.serve.service import Service
from steelyard.serve.tokens import EVERYBODY, Caller

PROBLEM = "application/problem+json"
AT_ONCE = 16 << 20
"""Bytes of bodies that are held at once, in all requests together; one that is larger is taken alone."""
SLOWEST = 30.0
"""Seconds in which a body must have arrived."""
PORT = re.compile(r":\d+$")
Ask = Callable[[Request], Awaitable[Response]]
Asked = Request | RowsRequest
ONCE = (b"host", b"authorization", b"content-type", b"content-encoding", b"idempotency-key")
"""Headers of which one alone is meant."""
SCRIPT = re.compile(rb"<script(?:\s[^>]*)?>(.*?)</script>", re.DOTALL)
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
TAKEN = [
    (name.lower().encode(), value.encode())
    for name, value in {**SAFE, "Content-Security-Policy": POLICY, "Content-Type": "application/json"}.items()
]
REPLAYED = [*TAKEN, (b"idempotency-replayed", b"true")]
"""What every answer to rows says beside its text."""


@dataclass
class Allowance:
    """How much each caller may ask: so many requests a second, and so many at once after a pause."""

    rate: float
    burst: float
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, who: str) -> None:
        """Count one request; refuse it where there are too many."""
        if self.rate <= 0:
            return
        now = time.monotonic()
        left, at = self._left.pop(who, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.rate)
        self._left[who] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > 10_000:
            self._left.popitem(last=False)
        if left < 1:
            raise Problem(429, "rate", f"At most {self.rate:g} requests a second are answered.", retry_after=1)


class Front:
    """What stands between the network and the service."""

    def __init__(self, service: Service, hosts: Collection[str], rate: float, *, open_metrics: bool = False) -> None:
        self.service = service
        self.hosts: frozenset[str] = frozenset(hosts)
        self.open_metrics = open_metrics
        self.allowance: Allowance = Allowance(rate, 2 * rate)
        self.held: int = 0
        self.acknowledgements: Acknowledgements | None = None
        self.threads: ThreadPoolExecutor = ThreadPoolExecutor(8, thread_name_prefix="asked")
        self.readers: ThreadPoolExecutor = ThreadPoolExecutor(2, thread_name_prefix="reading")

    def endpoint(self, op: Operation) -> Ask:
        """The operation as the network asks for it."""
        if not op.rows:
            return lambda request: self.answered(self._ask(op, request))
        take = self.entry(op)
        return lambda request: take(RowsRequest(request.scope, request.receive, request.path_params))

    def entry(self, op: Operation) -> AskRows:
        """An operation that takes rows, as the network asks for it."""
        return lambda request: self.answered(self._take(op, request))

    async def answered(self, asking: Awaitable[Response]) -> Response:
        """An answer to whatever happens."""
        try:
            response = await asking
        except Problem as problem:
            response = _problem(problem)
        except ClientDisconnect:
            response = _problem(Problem(400, "gone", "The request broke off."))
        except Exception as problem:  # told without its words, which may hold anything
            response = _problem(told_problem(problem))
        counts = self.service.counts.requests
        counts[response.status_code] = counts.get(response.status_code, 0) + 1
        return response

    async def _ask(self, op: Operation, request: Request) -> Response:
        self.check_host(request)
        address = request.client.host if request.client else ""
        caller = EVERYBODY
        if op.scope is not None and not (op.name == "get_metrics" and self.open_metrics):
            caller = self._caller(op, request, address)
        else:
            self.allowance.take(address)
        query = query_of(_pairs(request.scope), op.query)
        with contextlib.ExitStack() as held:
            body = None if op.body is None else body_of(await self.body(request, held), op.body)
            asked = ApiRequest(self.service, caller, request.path_params, query, body, request.headers)
            found = await asyncio.get_running_loop().run_in_executor(self.threads, op.run, asked)
            return self._response(request, found)

    async def _take(self, op: Operation, request: RowsRequest) -> Response:
        """Rows, taken in; nobody waits for a thread where they are few."""
        self.check_host(request)
        caller = self._caller(op, request, request.address)
        query = query_of(_pairs(request.scope), op.query)
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as held:
            raw = await self.body(request, held)
            asked = ApiRequest(self.service, caller, request.path_params, query, raw, request.headers)
            sending: Sending = op.run(asked).content
            if self.acknowledgements is None or self.acknowledgements.loop is not loop:
                self.acknowledgements = Acknowledgements(loop)
            done, ring = Awaited(self.acknowledgements), self.acknowledgements.ring
            if len(raw) <= SMALL and not sending.encoding and "apache" not in sending.kind:
                self.service.take_for(sending, done, ring)
            else:
                await loop.run_in_executor(self.readers, self.service.take_for, sending, done, ring)
            status, text, again, _ = await done
            return BareResponse(text.encode(), status, REPLAYED if again else TAKEN)

    def _caller(self, op: Operation, request: Asked, address: str) -> Caller:
        """Who asks, where that may be asked."""
        assert op.scope is not None
        caller = self.service.caller(_shown(request, op), address)
        self.allowance.take(caller.token)
        caller.check(op.scope, request.path_params.get("model") if "model" in op.parameters else caller.model)
        return caller

    def check_host(self, request: Asked) -> None:
        """Refuse a name that is not ours, as that of a page that had its name moved here."""
        _check_headers(request.scope)
        told = request.headers.get("host", "")
        if told not in self.hosts and PORT.sub("", told).lower() not in self.hosts:
            raise Problem(
                421, "host", "This name is not served here.", "The service is told its names when it is started."
            )

    async def body(self, request: Asked, held: contextlib.ExitStack) -> bytes:
        """The body of a request, of bounded size and in bounded time."""
        said = request.headers.get("content-length")
        if said is not None and (not said.isdigit() or int(said) > MOST_BYTES):
            raise too_large("bytes", MOST_BYTES)
        chunks: list[bytes] = []
        total, more = 0, True

        def let_go() -> None:
            self.held -= total

        held.callback(let_go)
        try:
            async with asyncio.timeout(SLOWEST):
                while more:
                    message = await request.receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    chunk, more = message.get("body", b""), message.get("more_body", False)
                    total += len(chunk)
                    self.held += len(chunk)
                    if total > MOST_BYTES:
                        raise too_large("bytes", MOST_BYTES)
                    if self.held > AT_ONCE and self.held > total:
                        self.service.counts.shed += 1
                        raise Problem(
                            429,
                            "overloaded",
                            "Too much arrives at once.",
                            "Send it again, with the same key.",
                            retry_after=1,
                        )
                    chunks.append(chunk)
        except TimeoutError:
            problem = Problem(408, "slow", f"The body did not arrive within {SLOWEST:.0f} seconds.")
            problem.headers["Connection"] = "close"  # the rest of it is not waited for
            raise problem from None
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _response(self, request: Request, answer: ApiReply) -> Response:
        headers = {**SAFE, "Content-Security-Policy": POLICY, **answer.headers}
        if answer.etag:
            tag = f'"{answer.etag}"'
            headers |= {"ETag": tag, "Cache-Control": "private, no-cache"}
            known = request.headers.get("if-none-match", "")
            if request.method in {"GET", "HEAD"} and tag in [t.strip().removeprefix("W/") for t in known.split(",")]:
                return Response(status_code=304, headers=headers)
        content = answer.content
        body = b"" if content is None else content if isinstance(content, bytes) else _json(content)
        if answer.kind.startswith("text/html"):
            headers["Content-Security-Policy"] = policy_of(body)
        return Response(body, answer.status, headers, None if answer.status == 204 else answer.kind)


def policy_of(page: bytes) -> str:
    """What a page may do: run the scripts that it came with, known by their digests, and nothing else."""
    digests = {base64.b64encode(hashlib.sha256(text).digest()).decode() for text in SCRIPT.findall(page)}
    scripts = " ".join(f"'sha256-{d}'" for d in sorted(digests)) or "'none'"
    return f"{POLICY}; script-src {scripts}; style-src 'unsafe-inline'; img-src data:"


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _problem(problem: Problem) -> Response:
    headers = {**SAFE, "Content-Security-Policy": POLICY, **problem.headers}
    return Response(_json(problem.to_dict()), problem.status, headers, PROBLEM)


def _check_headers(scope: Scope) -> None:
    """Refuse what decides something and was said twice: others on the way may have taken the other one."""
    names = [name for name, _ in scope["headers"]]
    if len(set(names)) == len(names):
        return
    for name in ONCE:
        if len({value for other, value in scope["headers"] if other == name}) > 1:
            raise Problem(
                400, "header", f'The header "{name.decode()}" was said twice, and in two ways.', "Say it once."
            )


def _pairs(scope: Scope) -> dict[str, str]:
    if not scope["query_string"]:
        return {}
    pairs = QueryParams(scope["query_string"]).multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise Problem(400, "query", "A part of the query was said twice.")
    return dict(pairs)


def _shown(request: Asked, op: Operation) -> str:
    """The token that was sent: as a bearer, or by a browser that was asked for it, which may only read."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() == "basic" and op.method == "GET":
        with contextlib.suppress(binascii.Error, UnicodeDecodeError):
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
    return ""


Pages = Callable[["Front"], list[Route]]
"""Routes of pages that show what a service knows."""


def app_of(
    service: Service,
    hosts: Collection[str],
    rate: float = 100.0,
    *,
    open_metrics: bool = False,
    pages: Pages | None = None,
) -> Entrance:
    """The service as an ASGI application."""
    front = Front(service, hosts, rate, open_metrics=open_metrics)
    routes: dict[str, dict[str, Ask]] = {}
    for op in operations():
        routes.setdefault(op.path, {})[op.method] = front.endpoint(op)

    def one(path: str, by_method: dict[str, Ask]) -> Route:
        async def answer(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            if method in by_method:
                return await by_method[method](request)
            problem = Problem(405, "method", f"{request.method[:20]} is not to be had here.")
            problem.headers["Allow"] = ", ".join(sorted(by_method))
            return await front.answered(_raise(problem))

        return Route(path, answer, methods=None)

    async def nowhere(request: Request, problem: Exception) -> Response:
        status = problem.status_code if isinstance(problem, HTTPException) else 500
        return await front.answered(_raise(Problem(status, "no_address", "There is nothing at this address.")))

    made = [one(path, by_method) for path, by_method in routes.items()]
    # A route without methods takes those that it is not named for as well.
    for route in made:
        route.methods = set()
    made += [] if pages is None else pages(front)
    told = Starlette(routes=made, exception_handlers={404: nowhere, 405: nowhere, 500: nowhere})
    return Entrance(told, [(op, front.entry(op)) for op in operations() if op.rows])


async def _raise(problem: Problem) -> Response:
    raise problem
