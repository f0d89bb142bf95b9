"""A browser to open reports in: one a session, a fresh profile a test, and nothing odd goes unnoticed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WHERE = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def _missing(sentence: str) -> None:
    if os.environ.get("STEELYARD_BROWSER") == "required":
        pytest.fail(f"{sentence} STEELYARD_BROWSER=required asks for it.")
    pytest.skip(sentence)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; its sandbox does not work as root, and the pages are our own."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("Playwright is not installed: pip install 'steelyard[test]'.")
    found = os.environ.get("STEELYARD_CHROMIUM") or next(filter(None, map(shutil.which, WHERE)), None)
    if found is None:
        _missing("No Chromium on this machine, so no page was opened: tools/chromium installs it.")
    with sync_playwright() as player:
        started = player.chromium.launch(executable_path=found, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens HTML from a file with the network off; afterwards nothing may have complained, asked or loaded anything.

    `foreseen` is a pattern that every complaint of the console must match, where a test provokes some; then a request may
    also have been tried, as long as the page's policy stopped it.
    """
    opened: list[tuple[Any, str, list[str], list[Any], str]] = []

    def visit(
        html: str,
        *,
        url: str = "",
        width: int = 1200,
        scheme: str = "light",
        scripts: bool = True,
        foreseen: str = "",
    ) -> Any:
        file = tmp_path / f"report{len(opened)}.html"
        if not url:
            file.write_text(html, encoding="utf-8")
        place = url or file.as_uri()
        context = browser.new_context(
            offline=not url,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        complaints: list[str] = []
        requests: list[Any] = []
        context.on("console", lambda m: complaints.append(m.text) if m.type in {"error", "warning"} else None)
        context.on("weberror", lambda x: complaints.append(f"page error: {x.error}"))
        context.on("request", lambda r: requests.append(r))
        context.on("dialog", lambda d: (complaints.append(f"dialog: {d.message}"), d.dismiss()))
        page = context.new_page()
        page.set_default_timeout(10_000)
        opened.append((context, place, complaints, requests, foreseen))
        page.goto(place)
        return page

    yield visit
    problems = []
    for context, place, complaints, requests, foreseen in opened:
        tried = [r.url for r in requests if not (foreseen and r.failure == "csp")]
        # Closing waits for what is still on its way.
        context.close()
        problems += [text for text in complaints if not (foreseen and re.search(foreseen, text))]
        if tried != [place]:
            problems.append(f"requests: {tried}")
    assert not problems
