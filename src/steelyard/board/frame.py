"""What stands around every page: where one is, where one may go, who one is; and the files that pages are drawn with."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from steelyard.board.visits import Shown, Visit, link
from steelyard.charts.palette import shaded_cells
from steelyard.reports.page import script_of_pages, style_of_pages
from steelyard.views.html import Ready, tag

STYLE, SCRIPT = "/board.css", "/board.js"
PLACES = (
    ("/", "Board"),
    ("/alarms", "Alarms"),
    ("/trials", "Trials"),
    ("/reports", "Reports"),
    ("/try", "Try it"),
    ("/setup", "Set up"),
)


@cache
def asset(path: str) -> str:
    """A file that pages are drawn with."""
    if path == "/report.js":
        return script_of_pages()
    own = (files("steelyard.board") / path[1:]).read_text(encoding="utf-8")
    if path == STYLE:
        return style_of_pages() + shaded_cells(".cells-heat") + "".join(line.strip() for line in own.splitlines())
    return "\n".join(line.strip() for line in own.splitlines() if line.strip() and not line.strip().startswith("//"))


@cache
def address_of(path: str) -> str:
    """The address of such a file, another one for other contents."""
    return f"{path}?{hashlib.sha256(asset(path).encode()).hexdigest()[:12]}"


def page_of(visit: Visit, shown: Shown) -> str:
    """The whole page."""
    known = bool(visit.caller.scopes)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{shown.title} – steelyard"),
        Ready(f'<link rel="stylesheet" href="{address_of(STYLE)}"><link rel="icon" href="data:,">'),
    )
    scripts = [SCRIPT, *(["/report.js"] if 'class="explorer"' in shown.body else [])]
    body = tag(
        "body",
        link("To the contents", "#contents", class_="skip"),
        tag("header", _top(visit) if known else tag("p", tag("b", "steelyard"), class_="brand"), class_="site"),
        tag("main", shown.body, id="contents", tabindex="-1", data_live="/events" if shown.live and known else None),
        tag("p", "", class_="said-live", role="status"),
        *(tag("script", src=address_of(x), defer=True) for x in scripts),
        class_="board",
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _top(visit: Visit) -> Ready:
    here = visit.address.partition("?")[0]

    def current(place: str) -> str | None:
        below = "/models" if place == "/" else place
        return "page" if here == place or here.startswith(below) else None

    places = [link(word, place, aria_current=current(place)) for place, word in PLACES]
    scopes = visit.caller.scopes
    what = "may do everything" if "admin" in scopes else "may change" if "write" in scopes else "may only read"
    about = f"{what}, {visit.caller.model} alone" if visit.caller.model else what
    out = [tag("span", about, class_="quiet")]
    if visit.service.tokens:
        out.append(visit.form_tag("/sign-out", tag("button", "Sign out", class_="plain")))
    return tag(
        "div",
        tag("p", link(tag("b", "steelyard"), "/"), class_="brand"),
        tag("nav", places, aria_label="Pages"),
        tag("div", out, class_="who"),
        class_="bar",
    )


SIGNS = {
    "alarm": ("▲", "alarm"),
    "silent": ("■", "silent"),
    "warn": ("◆", "warning"),
    "nodata": ("□", "no data"),
    "insufficient": ("◌", "too few cases"),
    "immature": ("◌", "waits for labels"),
    "unseen": ("◌", "not looked at yet"),
    "bare": ("◌", "no reference yet"),
    "ok": ("●", "ok"),
}
ORDER = tuple(SIGNS)


def badge(state: str) -> Ready:
    """A state as a sign, a word and a colour."""
    sign, word = SIGNS[state]
    return tag("span", tag("span", sign, aria_hidden="true"), f" {word}", class_=f"badge s-{state}")
