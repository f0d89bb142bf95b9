"""A visit of a page: who asks for what, and what is shown, sent elsewhere or given to keep."""

from __future__ import annotations

import hashlib
import hmac
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from steelyard.serve.service import Service
from steelyard.serve.tokens import Caller
from steelyard.views.html import Ready, tag

if TYPE_CHECKING:
    from steelyard.board.site import Site

ROOMS = (
    *("models", "one_model", "one_window", "alarms", "trials"),
    *("folders", "trying", "settings", "granting", "entering"),
)
"""The modules that hold pages."""


@dataclass(frozen=True)
class Visit:
    """Who asks for a page, and with what."""

    site: Site
    caller: Caller
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    address: str = ""
    """The path and the query as they were asked for."""
    shown: str = ""
    """The token that was sent."""
    base: str = ""
    """The address of the service as the browser knows it."""
    peer: str = ""
    """Where the request came from."""

    @property
    def service(self) -> Service:
        """The service that is asked."""
        return self.site.service

    @property
    def seal(self) -> str:
        """What forms carry, so that no other site can have one sent."""
        return hmac.new(self.site.key, self.shown.encode(), hashlib.sha256).hexdigest()[:32]

    def may(self, scope: str, model: str | None = None) -> bool:
        """Whether the token allows it."""
        return scope in self.caller.scopes and self.caller.model in {None, model}

    def form_tag(self, action: str, *children: object, **attributes: object) -> Ready:
        """A form that posts, with its seal and the way back."""
        held = [
            tag("input", type="hidden", name="seal", value=self.seal),
            tag("input", type="hidden", name="back", value=self.address),
        ]
        return tag("form", held, *children, method="post", action=action, **attributes)


@dataclass(frozen=True)
class Shown:
    """A page."""

    title: str
    body: Ready
    status: int = 200
    live: bool = True
    """Whether it follows what changes."""


@dataclass(frozen=True)
class Elsewhere:
    """The address to go on at."""

    place: str
    cookie: str | None = None
    """A token to be remembered, or nothing to forget it."""


@dataclass(frozen=True)
class Download:
    """Bytes to keep, or a page that is complete in itself."""

    body: bytes
    kind: str
    name: str = ""
    stranger: bool = False
    """Whether it is a page that anybody may have put there, whose scripts are to reach nothing of this site."""


Answer = Shown | Elsewhere | Download


@dataclass(frozen=True)
class PageOf:
    """A page with its address and what a token must allow."""

    method: Literal["GET", "POST"]
    path: str
    scope: str | None
    run: Callable[[Visit], Answer]


_pages: list[PageOf] = []


def page(path: str, *, scope: str | None = "read", method: Literal["GET", "POST"] = "GET") -> Callable[..., PageOf]:
    """Make a function a page."""

    def mark(run: Callable[[Visit], Answer]) -> PageOf:
        found = PageOf(method, path, scope, run)
        _pages.append(found)
        return found

    return mark


@cache
def pages() -> tuple[PageOf, ...]:
    """All pages there are."""
    for room in ROOMS:
        importlib.import_module(f"steelyard.board.{room}")
    return tuple(_pages)


def to(*parts: str, **query: str | None) -> str:
    """An address on this site.

    >>> to("models", "a b", to="x/y")
    '/models/a%20b?to=x%2Fy'
    """
    path = "/" + "/".join(quote(p, safe="") for p in parts)
    told = "&".join(f"{k}={quote(v, safe='')}" for k, v in query.items() if v)
    return f"{path}?{told}" if told else path


def inside(place: str) -> str:
    """An address on this site, and no other."""
    return place if place.startswith("/") and not place.startswith(("//", "/\\")) and "\n" not in place else "/"


def link(words: object, place: str, **attributes: object) -> Ready:
    """A link to an address on this site."""
    return tag("a", words, href=place, **attributes)
