"""The board in a browser: every page in both lights and widths, keys, two people at once, scripts off, hostile names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.serve.declared import declaration_of
from steelyard.serve.incoming import Sending

from ..board.serving import served
from ..board.visiting import STEADY, WORN, Visiting, visiting
from ..serve.asking import CSV, DECLARED, body_of
from .payloads import PAYLOADS
from .test_reading import WCAG

RIGHT_TO_LEFT = (
    "\u200fمعدل التسرب\u200f",
    "שיעור <b>נטישה</b>",
    "\u202eebyam\u202c <i>",
    "abc \u05d0\u05d1\u05d2 123 \u0627\u0644",
    "\u2067rtl\u2069\u2066ltr\u2069",
    "\u061cعربي 12.5%",
    "העמודה «score»",
    "\u202b<script>alert(1)</script>\u202c",
    "؟سؤال،",
    "یک ستون فارسی",
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
    "ܐܒܓܕ syriac",
)
NAMES = tuple(dict.fromkeys((*PAYLOADS, *RIGHT_TO_LEFT)))
PAGES = (
    "/",
    "/?by=state&q=o",
    "/alarms",
    "/trials",
    "/reports",
    "/try",
    "/setup",
    "/setup/send?model=worn",
    "/models/worn",
    "/models/calm?signal=age",
    "/models/worn/windows/2026-02-20",
    "/models/bare",
    "/nowhere",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visiting, str]]:
    """A service with a model that wears out, a calm one in two versions, and one without rows, on its address."""
    place = tmp_path_factory.mktemp("board")
    with visiting(place) as visit:
        visit.fill("worn", WORN, owner="Ana")
        visit.fill("calm", STEADY, owner="Ben", group="shop")
        visit.fill("calm", STEADY.assign(p=STEADY["p"].round(2)), version="2")
        visit.service.declare("bare", declaration_of({**DECLARED, "target": "y", "score": "p"}), None, "test")
        y = np.tile([0, 1, 1], 60)
        for name, seed in (("march", 1), ("may", 2)):
            found = sy.evaluate(target=y, score=np.random.default_rng(seed).random(180))
            found.save(place / "saved" / f"{name}.json")
        with served(visit.app, visit.service) as base:
            yield visit, base


Opening = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, shared: tuple[Visiting, str]) -> Iterator[Opening]:
    """Opens the board as somebody of its own; nothing may complain, and nothing may be asked of anybody else."""
    visit, base = shared
    contexts: list[Any] = []
    problems: list[str] = []

    def open_(place: str = "/", *scopes: str, width: int = 1280, scripts: bool = True, token: str = "") -> Any:
        context = browser.new_context(
            base_url=base,
            viewport={"width": width, "height": 800},
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        contexts.append(context)
        shown = token or visit.token(*(scopes or ("admin", "ingest")))
        context.add_cookies([{"name": "steelyard", "value": shown, "url": base}])
        wrong = re.compile(r"the server responded with a status of 40[134]")
        context.on(
            "console",
            lambda m: problems.append(m.text) if m.type in {"error", "warning"} and not wrong.search(m.text) else None,
        )
        context.on("weberror", lambda x: problems.append(f"page error: {x.error}"))
        context.on("dialog", lambda d: (problems.append(f"dialog: {d.message}"), d.dismiss()))
        context.on("request", lambda r: None if r.url.startswith((base, "data:", "blob:")) else problems.append(r.url))
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.goto(place)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert problems == []


def violations(page: Any) -> list[str]:
    """What axe finds."""
    found = page.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", WCAG)
    return [f"{v['id']}: {n['html'][:200]} ({n['failureSummary']})" for v in found["violations"] for n in v["nodes"]]


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_whole_in_both_lights_and_widths(address: str, opened: Opening) -> None:
    page = opened(address)
    assert page.locator("script:not([src]):not([type='application/json'])").count() == 0
    assert page.locator("[style]:not(svg *), [onclick], [onload]").count() == 0
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate(COLLIDING) == [], width
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (scheme, width)


COLLIDING = """() => {
    const found = [...document.querySelectorAll('main a, main button, main .badge, main summary')].filter(e => e.checkVisibility()
        && !e.closest('.menu') && !e.closest('svg') && e.getClientRects().length === 1);
    const boxes = found.map(e => [e, e.getBoundingClientRect()]);
    const out = [];
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
        const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (wide > 2 && high > 2 && !a.contains(b) && !b.contains(a)) out.push(a.textContent + ' over ' + b.textContent);
    }));
    return out;
}"""
"""What can be pressed and lies over something else that can."""


# People --------------------------------------------------------------------------------------------------------------


def test_two_people_see_one_acknowledgement(opened: Opening) -> None:
    first, second = opened("/"), opened("/alarms", "read")
    assert second.get_by_role("button", name="Acknowledge").count() == 0
    second.get_by_role("heading", name="for somebody").wait_for()
    first.get_by_role("button", name="Acknowledge worn").click()
    second.get_by_role("heading", name="No alarm waits").wait_for()
    assert "Acknowledged by" in second.inner_text("main")
    assert "acknowledged" in first.inner_text("main")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def reach(page: Any, name: str) -> None:
    """Go on by Tab until something of this name has the focus, which must be seen to have it."""
    told = """() => { const e = document.activeElement, s = getComputedStyle(e);
        return e === document.body ? ["", true] : [
            e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent,
                s.outlineStyle !== 'none' || s.boxShadow !== 'none']; }"""
    for _ in range(150):
        page.keyboard.press("Tab")
        text, seen = page.evaluate(told)
        if name in text:
            assert seen, f"{name} has the focus and does not show it"
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_every_control_of_the_board_is_pressed_by_keyboard(opened: Opening) -> None:
    page = opened("/")
    press(page, "Tab", "Enter")
    assert page.evaluate("document.activeElement.id") == "contents"
    press(page, "/")
    page.keyboard.type("wor")
    press(page, "Enter")
    page.wait_for_url("**q=wor**")
    assert page.locator(".models-board tbody tr").count() == 1
    press(page, "j", "Enter")
    page.wait_for_url("**/models/worn")
    page.goto("/models/worn")
    reach(page, "Mute AUC of worn")
    press(page, "Enter")
    reach(page, "because")
    page.keyboard.type("retrained on Monday")
    press(page, "Tab", "Enter")
    page.wait_for_load_state()
    page.get_by_text("is muted until").wait_for()
    reach(page, "Hear again AUC of worn")
    press(page, "Enter")
    page.wait_for_load_state()
    page.get_by_text("What stands?").wait_for()
    assert page.get_by_text("is muted until").count() == 0
    reach(page, "Another signal")
    page.keyboard.type("age")
    reach(page, "Draw")
    press(page, "Enter")
    page.wait_for_url("**signal=age**")
    reach(page, "AUC, 2026-02")
    press(page, "Enter")
    page.wait_for_url("**/windows/2026-02-*")
    reach(page, "Window before")
    press(page, "Enter")
    page.wait_for_url("**/windows/2026-02-*")
    slider = page.locator("input[type=range]").first
    slider.focus()
    before = page.inner_text(".explorer")
    press(page, *["ArrowRight"] * 8)
    assert page.inner_text(".explorer") != before


def test_every_control_of_setting_up_is_pressed_by_keyboard(opened: Opening) -> None:
    page = opened("/setup")
    reach(page, "Name, as it stands in addresses")
    page.keyboard.type("typed")
    reach(page, "What really happened")
    page.keyboard.type("y")
    reach(page, "The score")
    page.keyboard.type("p")
    reach(page, "Declare the model")
    press(page, "Enter")
    page.wait_for_url("**/setup/send?model=typed")
    assert "curl http://127.0.0.1" in page.inner_text("main")
    page.goto("/setup")
    reach(page, "Make a link")
    press(page, "Enter")
    link = page.locator("#shown")
    assert "/open/sy_" in link.inner_text()
    page.goto("/setup")
    reach(page, "ingest")
    press(page, "Space")
    reach(page, "Make a token")
    press(page, "Enter")
    shown = page.locator("#shown").inner_text()
    page.goto("/setup")
    before = page.get_by_role("button", name="Revoke").count()
    reach(page, f"Revoke {shown.split('_')[1]}")
    press(page, "Enter")
    page.wait_for_url("**/setup#tokens")
    assert page.get_by_role("button", name="Revoke").count() == before - 1
    reach(page, "Sign out")
    press(page, "Enter")
    page.wait_for_url("**/sign-in")
    page.get_by_label("Token").fill("sy_wrong_token")
    press(page, "Enter")
    page.get_by_role("alert").wait_for()


def test_a_table_is_dropped_and_reported(opened: Opening, tmp_path: Path) -> None:
    rows = "".join(f"{'yes' if i % 3 == 0 else 'no'},0.{(i * 37) % 89 + 10}\n" for i in range(200))
    (tmp_path / "preds.csv").write_text("churned,score\n" + rows)
    page = opened("/try")
    page.set_input_files("#table", tmp_path / "preds.csv")
    reach(page, "Look at it")
    press(page, "Enter")
    page.get_by_text("Which column is what?").wait_for()
    page.get_by_label("The level that is looked for").fill("yes")
    reach(page, "Report")
    press(page, "Enter")
    page.get_by_text("steelyard report").first.wait_for(timeout=60_000)


def test_who_may_only_read_sees_everything_and_presses_nothing(opened: Opening, shared: tuple[Visiting, str]) -> None:
    page = opened("/", "read")
    for address in PAGES[:-1]:
        page.goto(address)
        assert page.locator("form[method=post]:not([action='/sign-out']):not([action='/try'])").count() == 0, address
    answer = page.request.post("/models/worn/alarms", form={"what": "acknowledge"})
    assert answer.status == 403


def test_pages_are_whole_without_scripts_and_forms_post(opened: Opening) -> None:
    page = opened("/models/worn", scripts=False)
    assert page.locator("svg.sy-chart").count() >= 1
    page.locator("summary", has_text="Mute").first.click()
    page.get_by_label("because").first.fill("known")
    page.locator("button[value=mute]").first.click()
    assert "is muted until" in page.inner_text("main")
    page.get_by_role("button", name="Hear again").click()
    assert "is muted until" not in page.inner_text("main")
    page.goto("/models/worn/windows/2026-02-20")
    assert "What does each signal say?" in page.inner_text("main")
    assert page.locator("svg").count() >= 2


def test_a_page_is_printed_without_what_is_pressed(opened: Opening) -> None:
    page = opened("/models/worn")
    page.emulate_media(media="print")
    assert not page.locator(".bar").is_visible()
    assert not page.get_by_role("button", name="Mute").first.is_visible()
    assert page.locator(".verdict").is_visible()
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")


# Names ---------------------------------------------------------------------------------------------------------------


def test_names_are_read_and_never_obeyed(opened: Opening, shared: tuple[Visiting, str]) -> None:
    visit, _ = shared
    assert len(NAMES) >= 150
    rng = np.random.default_rng(5)
    rows = WORN[WORN["scored"].between("2026-02-20", "2026-02-25")].reset_index(drop=True)
    columns = {name: rng.normal(size=len(rows)).round(2) for name in NAMES if name.strip()}
    moved = {k: v + 4 * (rows["scored"] >= "2026-02-22").to_numpy() for k, v in columns.items()}
    levels = np.array([n[:200] for n in NAMES], dtype=object)[np.arange(len(rows)) % len(NAMES)]
    before = pd.DataFrame({**columns, "level": levels, "y": rows["y"], "p": rows["p"]})
    base = sy.monitor(
        before.assign(scored=rows["scored"]),
        time="scored",
        target="y",
        score="p",
        features=[*columns, "level"],
        reference=before,
    ).baseline
    owner = {"owner": NAMES[0], "group": NAMES[28]}
    visit.service.declare("hostile", declaration_of({**DECLARED, **owner}), base, "test")
    sent = pd.DataFrame({**moved, "level": levels, "id": rows["id"], "p": rows["p"]})
    sent["scored"] = rows["scored"]
    given: dict[str, Any] = {"what": "predictions", "model": "hostile", "kind": CSV}
    visit.service.take(Sending(**given, body=body_of(sent, CSV), version="1")).result()
    visit.service.tick()
    name = next(iter(columns))
    form = {"what": "mute", "signal": name, "days": "7", "reason": NAMES[3]}
    visit.post("/models/hostile/alarms?version=1", **form)
    page = opened("/?q=hostile")
    for address in ("/", "/?by=owner", "/alarms", "/models/hostile", "/models/hostile/windows/2026-02-24", "/setup"):
        page.goto(address)
        odd = "main img, main iframe, main object, main embed, main base, main meta, main link, main marquee, main math"
        assert page.locator(odd).count() == 0, address
        assert page.locator("script:not([src]):not([type='application/json'])").count() == 0, address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert page.locator("main").count() == 1
        text = page.inner_text("body")
        assert "\u202e" not in text and "\x00" not in text, address
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/models/hostile")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
