"""A report opens anywhere: offline, on a phone, on paper, without scripts, under the policy of a build server."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import steelyard as sy
from steelyard.reports.page import report_html

from .pages import KINDS, models, report, scored_rows

JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"
"""What Jenkins sends along with a published report: no script, no inline style."""
QUESTIONS = {"How good?", "How sure?", "How was this made?"}
"""Asked of every page."""
OUTSIDE = """() => [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width).flatMap(s => {
    const box = s.getBoundingClientRect();
    const out = b => b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
    return [...s.querySelectorAll('text')].filter(t => t.getBoundingClientRect().width && out(t.getBoundingClientRect()))
        .map(t => s.dataset.chart + ': ' + t.textContent);
})"""
"""Words that run out of their drawing."""


class _Words(HTMLParser):
    """The words of a page in order, without those of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.inside = tag if tag in {"script", "style", "title"} else self.inside

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag == self.inside else self.inside

    def handle_data(self, data: str) -> None:
        if not self.inside and data != "\n":
            self.found.append(data)


def words_of(html: str) -> str:
    reader = _Words()
    reader.feed(html)
    return "".join(reader.found)


def shown_words(page: Any) -> str:
    """All words of the page in the browser, folded ones too, without those of scripts."""
    return str(
        page.locator("body").evaluate(
            """b => { const c = b.cloneNode(true); c.querySelectorAll('script').forEach(s => s.remove());
                return c.textContent.trim(); }"""
        )
    )


def _sideways(page: Any) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_from_a_file_and_fits_every_screen(kind: str, visit: Callable[..., Any]) -> None:
    assert len(report(kind).encode()) < (250_000 if kind in ("two", "experiment") else 150_000)
    page = visit(report(kind))
    assert page.locator("h1").inner_text() == f"A page of {kind}"
    assert set(page.locator("main h2").all_text_contents()) >= QUESTIONS
    assert page.locator("nav a").count() == page.locator("main > section").count()
    assert page.locator("svg[role=img]").count() >= 1
    # Every drawing has something in it, and its words stay inside it.
    outside = page.evaluate(OUTSIDE)
    assert outside == []
    empty = page.locator("svg").evaluate_all(
        "all => all.filter(s => !s.querySelector('path,rect,circle')).map(s => s.dataset.chart)"
    )
    assert empty == []
    assert (
        page.locator("svg").evaluate_all(
            "all => all.map(s => s.outerHTML).filter(t => /NaN|Infinity|undefined/.test(t)).length"
        )
        == 0
    )
    for width in (1200, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert _sideways(page) == 0, f"{kind} scrolls sideways at {width} px"


@pytest.mark.parametrize("kind", KINDS)
def test_without_scripts_everything_is_there(kind: str, visit: Callable[..., Any]) -> None:
    page = visit(report(kind), scripts=False)
    assert shown_words(page) == words_of(report(kind))
    assert set(page.locator("main h2").all_text_contents()) >= QUESTIONS
    for hidden in page.locator(".controls, .told").all():
        assert not hidden.is_visible()
    # Of a picture that is drawn for two widths one is seen.
    for drawing in page.locator("figure").all():
        # Those of the models that are not chosen wait for their turn.
        if drawing.evaluate(
            "s => !s.closest('details:not([open])') && (s.closest('[data-of]')?.checkVisibility() ?? true)"
        ):
            assert drawing.locator("svg:visible").count() == 1
    if kind in {"score", "two"}:
        assert page.locator('[data-cell="tp"]').first.is_visible()


@pytest.fixture
def served() -> Iterator[Callable[[str], str]]:
    """A server on this machine that sends a page with the policy of a build server."""
    pages: dict[str, str] = {}

    class Sender(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", JENKINS)
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Sender)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def add(html: str) -> str:
        pages[f"/{len(pages)}.html"] = html
        return f"http://127.0.0.1:{server.server_port}/{len(pages) - 1}.html"

    yield add
    server.shutdown()
    server.server_close()
    thread.join()


BLACK = "rgb(0, 0, 0)"


@pytest.mark.parametrize("kind", KINDS)
def test_under_the_policy_of_a_build_server_charts_keep_their_colours(
    kind: str, visit: Callable[..., Any], served: Callable[[str], str]
) -> None:
    html = report(kind)
    page = visit("", url=served(html), foreseen="Content Security Policy|sandboxed and the 'allow-scripts'")
    assert page.evaluate("getComputedStyle(document.body).maxWidth") == "none"
    assert shown_words(page) == words_of(html)
    assert page.locator("svg path").count() == html.count("<path ")
    drawn = page.locator("svg :is(path,rect,circle,text)").evaluate_all(
        """els => els.map(el => { const s = getComputedStyle(el);
            return [el.tagName, s.fill, s.stroke, s.fillOpacity, parseFloat(s.fontSize)]; })"""
    )
    assert not [mark for mark in drawn if mark[1] == BLACK or mark[2] == BLACK]
    assert not [mark for mark in drawn if mark[1] == "none" and mark[2] == "none"]
    assert max(size for tag, *_, size in drawn if tag == "text") <= 14
    # Bands are see-through, or they would hide the lines below them.
    if kind == "score":
        assert {mark[3] for mark in drawn if mark[0] == "path" and mark[1] != "none"} >= {"0.22"}
    assert not page.locator(".controls:visible").count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_three_columns_no_controls_and_nothing_folded(scheme: str, visit: Callable[..., Any]) -> None:
    for kind in ("score", "two", "labels"):
        page = visit(report(kind), width=760, scheme=scheme)
        assert page.locator("details:not([open])").count() > 0
        page.emulate_media(media="print", color_scheme=scheme)
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details:not([open])").count() == 0
        for gone in page.locator("nav, .controls, input, button:not(.sort)").all():
            assert not gone.is_visible()
        columns = page.locator(".grid").evaluate_all(
            "all => all.map(g => getComputedStyle(g).gridTemplateColumns.split(' ').length)"
        )
        assert set(columns) == {3}
        paper, ink = page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]; }"
        )
        assert (paper, ink) == ("rgb(255, 255, 255)", BLACK)
        # Dark shades belong to screens: on paper every cell and every line is meant for white.
        lines = page.locator("svg .sy-s-0").evaluate_all(
            "all => [...new Set(all.map(el => getComputedStyle(el).stroke))]"
        )
        assert set(lines) <= {"rgb(0, 99, 168)"}
        if kind != "labels":
            good = page.locator("td.good").first.evaluate("el => getComputedStyle(el).backgroundColor")
            assert good == "rgb(207, 226, 241)"
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert 1 <= pages_of(pdf) <= 4


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("kind", ["score", "two", "classes", "numbers"])
def test_a_report_is_printed_on_four_pages_at_most(kind: str, visit: Callable[..., Any]) -> None:
    made = models(kind)
    profit = sy.Profit(tp=60, fp=-12)
    if kind == "two":
        given: dict[str, Any] = {"segment": "region", "profit": profit}
        made = {name: sy.evaluate(scored_rows(), target="bought", score=name, **given) for name in ("p", "q")}
        tested = sy.compare(scored_rows(), target="bought", score={"p": "p", "q": "q"}, profit=profit)
        html = report_html(made, comparison=tested)
    else:
        html = report_html(made)
    page = visit(html, width=760)
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "1cm")
    assert pages_of(page.pdf(format="A4", margin=margin)) <= 4
    # What is on paper lies on it: nothing is cut off at its right edge.
    page.set_viewport_size({"width": 718, "height": 1047})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


# The policy in the page ----------------------------------------------------------------------------------------------


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_knows_one_script_and_one_style_by_their_hashes(kind: str) -> None:
    html = report(kind)
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert found
    policy = found[1].replace("&#x27;", "'")
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    styles = re.findall(r"<style>(.*?)</style>", html, re.S)
    assert len(scripts) == len(styles) == 1
    assert rules == {
        "default-src": "'none'",
        "script-src": _hash(scripts[0]),
        "style-src": _hash(styles[0]),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script>")
    # Whatever such a policy would block is not in the page in the first place.
    assert not re.search(r"<[^>]+\s(style|on\w+|src)=", html.replace(scripts[0], "").replace(styles[0], ""))


def test_what_is_injected_does_not_run(visit: Callable[..., Any]) -> None:
    bad = (
        "<script>window.owned = 1; alert(1)</script><img src=x onerror='window.owned = 2; alert(2)'>"
        "<svg onload='window.owned = 3'></svg><a id=bad href='javascript:window.owned=4'>x</a>"
        "<iframe srcdoc='<script>parent.owned = 5</script>'></iframe><style>body{display:none}</style>"
        "<script>eval('window.owned = 6')</script><script src='data:text/javascript,window.owned=7'></script>"
    )
    html = report("score")
    page = visit(html.replace("<main>", f"<main>{bad}", 1), foreseen="Content Security Policy")
    page.locator("#bad").click()
    page.evaluate(
        """() => {
            const s = document.createElement('script'), b = document.createElement('button');
            s.textContent = 'window.owned = 8';
            b.setAttribute('onclick', 'window.owned = 9');
            document.body.append(s, b);
            b.click();
        }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.owned") is None
    assert page.locator("h1").is_visible()
    # The page's own script still does.
    assert page.locator(".controls").is_visible()
