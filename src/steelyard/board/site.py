"""The pages on the network: who asks is known by a cookie, forms by their seal, and nothing runs or loads but what is ours."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from steelyard.board.frame import SCRIPT, STYLE, asset, page_of
from steelyard.board.visits import Answer, Download, Elsewhere, PageOf, Shown, Visit, pages
from steelyard.errors import SteelyardError
from steelyard.serve import statements as sql
from steelyard.serve.app import SAFE, Front, policy_of
from steelyard.serve.failing import told_problem
from steelyard.serve.problems import TITLES, Problem
from steelyard.serve.service import Service
from steelyard.serve.soundness import Damaged
from steelyard.serve.tokens import EVERYBODY, Caller
from steelyard.views.html import tag

COOKIE = "steelyard"
STAYS = 30 * 86_400
"""Seconds that a browser remembers its token."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
LARGEST = 32 << 20
"""Bytes of a form with a file in it."""
PULSE = 0.5
"""Seconds between looks for what changed."""


class Site:
    """The pages of a service."""

    def __init__(self, front: Front, folders: tuple[Path, ...] = ()) -> None:
        self.front = front
        self.service: Service = front.service
        self.folders = folders
        # A token proves its own forms on every replica; without tokens this process alone knows the key.
        self.key: bytes = b"forms" if self.service.tokens else secrets.token_bytes(32)
        self.kept: dict[str, Any] = {}
        """What pages made of what did not change since, by what it is of."""
        self._beating = threading.Lock()
        self._beat = (-1.0, "")

    def routes(self) -> list[Route]:
        """Every page, what pages are drawn with, and the events."""
        by_path: dict[str, dict[str, PageOf]] = {}
        for one in pages():
            by_path.setdefault(one.path, {})[one.method] = one
        found = [
            Route(path, self._endpoint(methods), methods=["GET", "POST"] if "POST" in methods else ["GET"])
            for path, methods in by_path.items()
        ]
        return [
            *(Route(path, self._asset(path)) for path in (STYLE, SCRIPT, "/report.js")),
            Route("/events", self._events),
            *found,
            Route("/{rest:path}", self._nowhere),
        ]

    # Pages -----------------------------------------------------------------------------------------------------------
    def _endpoint(self, methods: dict[str, PageOf]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            one = methods.get("GET" if request.method == "HEAD" else request.method)
            shown = request.cookies.get(COOKIE, "")
            try:
                self.front.check_host(request)
                if one is None:
                    raise Problem(405, "method", "This page is not to be had in this way.")
                if not shown and self._strict_cookie_left_out(request):
                    return self._once_more(request)
                visit = await self._visit(request, one, shown)
                loop = asyncio.get_running_loop()
                found = await loop.run_in_executor(self.front.threads, one.run, visit)
            except Exception as problem:
                return self._failed(request, problem, shown)
            return self._response(request, visit, found)

        return answer

    def caller(self, shown: str, request: Request) -> Caller:
        """Who shows this token."""
        address = request.client.host if request.client else ""
        caller = self.service.caller(shown, address) if self.service.tokens else EVERYBODY
        self.front.allowance.take(caller.token if self.service.tokens else address)
        return caller

    async def _visit(self, request: Request, one: PageOf, shown: str) -> Visit:
        caller = self.caller(shown, request) if one.scope is not None else Caller("", frozenset())
        if one.scope is not None:
            about = request.path_params.get("model")
            caller.check(one.scope, caller.model if about is None else about)
        form: dict[str, str] = {}
        files: dict[str, tuple[str, bytes]] = {}
        if one.method == "POST":
            with contextlib.ExitStack() as held:
                form, files = _form_of(await self.front.body(request, held), request.headers.get("content-type", ""))
        query = dict(request.query_params)
        where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        peer = request.client.host if request.client else ""
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        visit = Visit(self, caller, dict(request.path_params), query, form, files, where, shown, base, peer)
        if one.method == "POST":
            self._check_seal(request, visit)
        return visit

    def _check_seal(self, request: Request, visit: Visit) -> None:
        """Refuse a form that another site had sent."""
        from_here = request.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}
        origin = request.headers.get("origin")
        from_here &= origin is None or origin == "null" or origin.partition("://")[2] == request.headers.get("host")
        if not from_here or not hmac.compare_digest(visit.form.get("seal", ""), visit.seal):
            raise Problem(403, "seal", "This form did not come from a page of this service.", "Open the page again.")

    def _strict_cookie_left_out(self, request: Request) -> bool:
        """Whether the browser came by a link from elsewhere, so that it sends a strict cookie only at the next step."""
        from_elsewhere = request.headers.get("sec-fetch-site", "") in {"cross-site", "same-site"}
        return request.method == "GET" and from_elsewhere and self.service.tokens

    def _once_more(self, request: Request) -> Response:
        head = tag("meta", http_equiv="refresh", content="0")
        told = tag("a", "Go on", href=str(request.url.path))
        return Response(
            f"<!DOCTYPE html><title>steelyard</title>{head}{told}", headers=self._headers(), media_type="text/html"
        )

    def _failed(self, request: Request, problem: Exception, shown: str) -> Response:
        if isinstance(problem, SteelyardError):
            problem = Problem(422, "input", str(problem.message), str(problem.hint))
        elif not isinstance(problem, Problem | Damaged):
            self.service.watcher.troubles["pages"] = f"{type(problem).__name__}"
        told = told_problem(problem)
        where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        known = Caller("", frozenset())
        with contextlib.suppress(Problem):
            known = self.service.caller(shown, "") if shown or not self.service.tokens else known
        visit = Visit(self, known, dict(request.path_params), {}, {}, {}, where, shown)
        if told.status == 401 and request.method in {"GET", "HEAD"}:
            from steelyard.board.entering import sign_in_page

            page = sign_in_page(visit, where, told.detail if shown else "")
            return self._response(request, visit, page, forget=bool(shown))
        title = TITLES.get(told.status, "Something went wrong")
        said = [tag("p", told.detail, class_="headline"), tag("p", told.hint) if told.hint else None]
        body = tag("section", tag("h2", title), said, tag("p", tag("a", "To the board", href="/")))
        return self._response(request, visit, Shown(title, body, told.status, live=False))

    def _headers(self) -> dict[str, str]:
        return {**SAFE, "Content-Security-Policy": POLICY, "Cache-Control": "private, no-cache"}

    def _response(self, request: Request, visit: Visit, answer: Answer, *, forget: bool = False) -> Response:
        headers = self._headers()
        secure = request.url.scheme == "https"
        if isinstance(answer, Elsewhere):
            response = Response(status_code=303, headers={**headers, "Location": answer.place})
            if answer.cookie:
                response.set_cookie(
                    COOKIE, answer.cookie, STAYS, path="/", secure=secure, httponly=True, samesite="strict"
                )
            elif answer.cookie is not None:
                response.delete_cookie(COOKIE, path="/")
            return response
        if isinstance(answer, Download):
            if answer.kind.startswith("text/html"):
                apart = "; sandbox allow-scripts allow-downloads allow-popups" if answer.stranger else ""
                headers["Content-Security-Policy"] = policy_of(answer.body) + apart
            if answer.name:
                headers["Content-Disposition"] = f'attachment; filename="{answer.name}"'
            return Response(answer.body, headers=headers, media_type=answer.kind)
        text = page_of(visit, answer).encode()
        mark = f'"{hashlib.sha256(text).hexdigest()[:24]}"'
        headers["ETag"] = mark
        if answer.status == 200 and mark in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        response = Response(text, answer.status, headers, "text/html; charset=utf-8")
        if forget:
            response.delete_cookie(COOKIE, path="/")
        return response

    async def _nowhere(self, request: Request) -> Response:
        """A page that says so to whoever has a browser; programs are told as ever."""
        if "text/html" not in request.headers.get("accept", ""):
            raise HTTPException(404)
        problem = Problem(404, "no_page", "There is nothing at this address.", "Look on the board for what there is.")
        return self._failed(request, problem, request.cookies.get(COOKIE, ""))

    # What pages are drawn with ---------------------------------------------------------------------------------------
    def _asset(self, path: str) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            kind = "text/css" if path == STYLE else "text/javascript"
            headers = {**SAFE, "Cache-Control": "public, max-age=31536000, immutable"}
            return Response(asset(path), headers=headers, media_type=f"{kind}; charset=utf-8")

        return answer

    # Events ----------------------------------------------------------------------------------------------------------
    def pulse(self) -> str:
        """What changes with every alarm, look and model; asked once for however many pages are open."""
        with self._beating:
            at, found = self._beat
            if time.monotonic() - at >= PULSE / 2:
                with self.service.store.reading() as session:
                    found = ".".join(str(x) for x in session.one(sql.PULSE) or ())
                self._beat = (time.monotonic(), found)
            return found

    async def _events(self, request: Request) -> Response:
        try:
            self.front.check_host(request)
            shown = request.cookies.get(COOKIE, "")
            caller = self.caller(shown, request)
            caller.check("read", caller.model)
        except Problem as problem:
            return Response(problem.detail, problem.status, self._headers())
        headers = {**self._headers(), "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._told(shown), headers=headers, media_type="text/event-stream")

    async def _told(self, shown: str) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        before, quiet = "", 0.0
        yield "retry: 2000\n\n"
        while not self.service.ending():
            try:
                now = await loop.run_in_executor(self.front.threads, self.pulse)
                if quiet >= 15 and self.service.tokens:
                    await loop.run_in_executor(self.front.threads, self.service.caller, shown, "")
            except Exception:  # who may not ask any more, or cannot be answered, asks anew
                return
            if now != before or quiet >= 15:
                yield f"data: {now}\n\n" if now != before else ": here\n\n"
                quiet = 0.0
            before = now
            quiet += PULSE
            await asyncio.sleep(PULSE)


def _form_of(raw: bytes, kind: str) -> tuple[dict[str, str], dict[str, tuple[str, bytes]]]:
    """The fields of a form, and the files in it by their field."""
    if len(raw) > LARGEST:
        raise Problem(413, "bytes", f"A form may have {LARGEST >> 20} MiB.", "Send a part of the rows.")
    if not kind.startswith("multipart/form-data"):
        try:
            return dict(parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=200)), {}
        except (UnicodeDecodeError, ValueError):
            raise Problem(400, "form", "This form cannot be read.") from None
    message = email.message_from_bytes(
        b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + raw, policy=email.policy.HTTP
    )
    fields: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    for part in message.iter_parts() if message.is_multipart() else ():
        name = str(part.get_param("name", "", header="content-disposition"))
        held = part.get_payload(decode=True)
        body = held if isinstance(held, bytes) else b""
        if part.get_filename() is not None:
            files[name] = str(part.get_filename()), body
        else:
            fields[name] = body.decode("utf-8", "replace")
    return fields, files


def board(*folders: Path) -> Callable[[Front], list[Route]]:
    """The pages of a service, and of the folders of what was saved beside it."""

    def made(front: Front) -> list[Route]:
        from steelyard.board.faces import face_of

        front.service.face = face_of
        return Site(front, folders).routes()

    return made
