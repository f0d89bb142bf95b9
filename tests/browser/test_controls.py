"""Buttons, boxes and keys of the threshold explorer: they find the best cut of all, and lead to real cuts only."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.flagged import cumulative
from steelyard.reports.explorer import MOST
from steelyard.reports.page import report_html
from steelyard.words import count, estimate_parts
from steelyard.worth.goals import goal_of
from steelyard.worth.thresholds import choose

from .explorer import AMOUNTS, island, rows_of
from .pages import models, report, scored, scored_rows

FOCUSED = "() => { const d = document.activeElement.dataset; return d.role || d.best || 'value ' + d.value; }"

# The best cut -------------------------------------------------------------------------------------------------------


def sets_of_amounts() -> list[tuple[float, ...]]:
    """A hundred random sets: whole, fractional, negative, zero, tiny and huge ones, and some where all is equal."""
    rng = np.random.default_rng(5)
    sets: list[tuple[float, ...]] = [
        (0, 0, 0, 0),
        (1, 1, 1, 1),
        (0, -1, -1, 0),
        (1, 0, 0, 0),
        (0, 0, -5, 3),
        (-2, 4, 6, -1),
    ]
    sets += [tuple(rng.integers(-500, 500, 4).tolist()) for _ in range(44)]
    sets += [tuple((rng.normal(size=4) * 10.0 ** rng.integers(-3, 10)).round(4).tolist()) for _ in range(40)]
    sets += [tuple(rng.choice([0, 0, 1e12, -1e9, 25, -0.01], 4).tolist()) for _ in range(14)]
    return sets


@pytest.mark.parametrize("kind", ["profit", "cost"])
def test_the_best_cut_is_the_best_of_all_for_any_amounts(kind: str, visit: Callable[..., Any]) -> None:
    e = models("score")["one"] if kind == "profit" else scored(profit=sy.Cost(fn=140, fp=70), segment=None)
    s = e.scores
    tp, fp = ([int(n) for n in x] for x in cumulative(s))
    assert len(tp) < len(scored_rows()) / 10, "there are ties"
    page = visit(report("score") if kind == "profit" else report_html({"one": e}))
    data = island(page)
    kept = np.cumsum(data["tp"]).tolist(), np.cumsum(data["fp"]).tolist()
    sets = sets_of_amounts()
    assert len(sets) >= 100
    sign = 1 if kind == "profit" else -1
    for amounts, (place, told) in zip(sets, page.evaluate(AMOUNTS, [[a, "worth"] for a in sets]), strict=True):
        # In whole numbers, over every cut of the table and not only over those on the page.
        unit = max(Fraction(v).denominator for v in amounts)
        a = [sign * int(Fraction(v) * unit) for v in amounts]

        def exact(t: int, f: int, a: list[int] = a) -> int:
            return t * a[0] + (tp[-1] - t) * a[1] + f * a[2] + (fp[-1] - f) * a[3]

        every = [exact(t, f) for t, f in zip(tp, fp, strict=True)]
        mine, top = exact(kept[0][place], kept[1][place]), max(every)
        moved = top - min(every)
        assert (top - mine) * 10**12 <= moved, amounts
        if moved:
            # Python chooses among all cuts too; of those that rounding cannot tell apart it may take another.
            named = dict(zip(("tp", "fn", "fp", "tn"), amounts, strict=True))
            payoff = sy.Profit(**named) if kind == "profit" else sy.Cost(**named)
            worth = getattr(rows_of(e, data["t"][place]), kind)(payoff)
            assert told == list(estimate_parts(worth.value, worth.low, worth.high)), amounts
            chosen = int((s.cells.low >= choose(s, goal_of(payoff, {}, None))[0]).sum())
            alone = sum((top - v) * 10**9 <= moved for v in every) == 1
            assert not alone or (kept[0][place], kept[1][place]) == (tp[chosen], fp[chosen]), amounts
            assert (top - every[chosen]) * 10**9 <= moved, amounts


def test_typing_amounts_moves_profit_its_interval_and_its_curve(visit: Callable[..., Any]) -> None:
    page = visit(report("score"))
    e = models("score")["one"]
    typed = {"caught positive": "90", "false alarm": "-12.5", "missed positive": "0", "left alone": "1"}
    for label, text in typed.items():
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Best profit").click()
    payoff = sy.Profit(tp=90, fp=-12.5, fn=0, tn=1)
    best = e.best_threshold(payoff)
    at = e.at(best.value).profit(payoff)
    told, low, high = estimate_parts(at.value, at.low, at.high)
    assert page.locator("[data-cell=worth]").text_content() == told
    assert page.locator("[data-cell=worth-interval]").text_content() == f"[{low}, {high}]"
    assert float(page.locator("[data-role=cut]").input_value()) == pytest.approx(best.value, rel=1e-7)
    assert f"The profit is {told} [{low}, {high}]: no other threshold does better" in page.locator(".told").inner_text()
    # The curve was drawn again for the new amounts: its highest point is where the ring is.
    svg = page.locator('.big svg[data-chart="profit"]')
    line = svg.locator(".again path.sy-s-0").get_attribute("d")
    tops = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line)]
    ring = float(svg.locator(".marker circle").get_attribute("cy"))
    assert ring == pytest.approx(min(tops), abs=1.0)
    assert svg.locator(".again path.sy-s-0").count() == 1
    ends = [float(v) for v in svg.get_attribute("data-ends").split()]
    assert ends[2] <= 0 and ends[3] >= at.high
    beside = "(all, left) => all.filter(t => !t.hasAttribute('transform') && Number(t.getAttribute('x')) < left).length"
    left = float(svg.get_attribute("data-box").split()[0])
    assert svg.locator("text").evaluate_all(beside, left) == svg.locator(".again text").count() >= 3
    # A box that holds no number changes nothing.
    page.get_by_label("caught positive").fill("")
    assert page.locator("[data-cell=worth]").text_content() == told


@pytest.mark.parametrize("turned", [False, True])
def test_the_best_f1_and_the_best_ks_are_those_of_python(turned: bool, visit: Callable[..., Any]) -> None:
    rows = scored_rows()
    e = sy.evaluate(target=rows["bought"], score=1 - rows["p"] if turned else rows["p"])
    page = visit(report_html({"one": e}))
    for goal, button in (("f1", "Best F1"), ("ks", "Best KS")):
        page.get_by_role("button", name=button).click()
        best = e.best_threshold(goal)
        assert page.locator("[data-cell=tp]").text_content() == count(best.outcomes["tp"])
        assert page.locator("[data-cell=fp]").text_content() == count(best.outcomes["fp"])


# By hand and by keyboard ---------------------------------------------------------------------------------------------


def test_the_keyboard_reaches_and_moves_everything(visit: Callable[..., Any]) -> None:
    page = visit(report("score"))
    data = island(page)
    slider = page.get_by_role("slider", name="Threshold of one")
    page.get_by_label("Flag rows scoring at least").focus()
    reached = []
    for _ in range(13):
        reached.append(page.evaluate(FOCUSED))
        page.keyboard.press("Tab")
    assert reached[:5] == ["cut", "slider", "current", "worth", "even"]
    assert sorted(reached[5:9]) == ["value 0", "value 1", "value 2", "value 3"]
    assert reached[9:] == ["depth", "f1", "ks", "pin"]
    slider.focus()
    at, last = data["at"], len(data["t"]) - 1
    for key, place in (
        ("ArrowLeft", at + 1),
        ("ArrowLeft", at + 2),
        ("ArrowRight", at + 1),
        ("Home", last),
        ("ArrowRight", last - 1),
        ("End", 0),
        ("ArrowDown", 1),
    ):
        page.keyboard.press(key)
        assert last - int(slider.input_value()) == place
        shown = data["t"][place]
        said = slider.get_attribute("aria-valuetext")
        assert said.startswith("nobody flagged" if shown is None else f"score at least {shown:g}, ")
    live = page.locator('[aria-live="polite"]')
    assert live.count() == 1
    first = live.inner_text()
    page.keyboard.press("ArrowLeft")
    assert live.inner_text() != first
    told = r"Flagging [\d,]+ of 20,000 rows catches [\d,]+ of 2,360 positives and raises [\d,]+ false alarms?\. The profit is .+\."
    assert re.fullmatch(told, live.inner_text())
    page.get_by_role("button", name="Best KS").focus()
    page.keyboard.press("Enter")
    assert float(page.locator("[data-role=cut]").input_value()) == models("score")["one"].ks_threshold


def test_what_is_typed_snaps_to_a_real_cut(visit: Callable[..., Any]) -> None:
    page = visit(report("score"))
    e = models("score")["one"]
    data = island(page)
    cut, depth = page.locator("[data-role=cut]"), page.locator("[data-role=depth]")
    flagged = np.cumsum(data["tp"]) + np.cumsum(data["fp"])
    for typed in ("0.4321", "0.5", "-3", "0.9995", "7", "1e-9"):
        cut.fill(typed)
        cut.press("Enter")
        place = len(data["t"]) - 1 - int(page.locator("[data-role=slider]").input_value())
        t = data["t"][place]
        assert t is None or t >= float(typed)
        assert place == len(data["t"]) - 1 or data["t"][place + 1] < float(typed)
        at = rows_of(e, t)
        assert page.locator("[data-cell=tp]").text_content() == count(float(at.confusion.outcomes(1).tp))
        assert cut.input_value() in {"" if t is None else f"{t:g}", "0.3"}
    for typed in ("10", "0", "100", "33.3", "250"):
        depth.fill(typed)
        depth.press("Enter")
        place = len(data["t"]) - 1 - int(page.locator("[data-role=slider]").input_value())
        assert flagged[place] <= float(typed) / 100 * 20_000 + 1e-6
        assert place == len(flagged) - 1 or flagged[place + 1] > float(typed) / 100 * 20_000
        assert float(depth.input_value()) == pytest.approx(100 * flagged[place] / 20_000, rel=5e-3)
    # Emptied, a box says again where the slider stands.
    for box in (cut, depth):
        page.get_by_role("button", name="Best KS").click()
        before, place = box.input_value(), page.locator("[data-role=slider]").input_value()
        box.fill("")
        box.press("Tab")
        assert (box.input_value(), page.locator("[data-role=slider]").input_value()) == (before, place)


CHANGES = """async (steps) => {
    const slider = document.querySelector('[data-role=slider]'), last = Number(slider.max), out = [];
    let changed = 0;
    const watched = {subtree: true, childList: true, attributes: true, characterData: true};
    new MutationObserver(list => { changed += list.length; }).observe(document, watched);
    for (let i = 0; i < steps; i++) {
        slider.value = Math.round(i * last / (steps - 1));
        changed = 0;
        slider.dispatchEvent(new Event('input'));
        await Promise.resolve();
        out.push(changed);
    }
    return out;
}"""
MOST_CHANGED = {False: 120, True: 150}
"""Changes of the page that a step may make, before and after amounts were changed."""


def test_a_step_of_the_slider_does_as_little_for_many_rows_as_for_few(
    visit: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the clock but what is done is bounded: cuts to look through, and changes of the page; so is the page itself."""
    done: dict[tuple[int, bool], int] = {}
    for rows in (2_000, 400_000):
        rng = np.random.default_rng(rows)
        y = rng.random(rows) < 0.2
        p = 1 / (1 + np.exp(1.5 - rng.normal(size=rows) - y))
        segment = np.arange(rows) % 4
        html = report_html({"one": sy.evaluate(target=y, score=p, segment=segment, profit=sy.Profit(tp=60, fp=-12))})
        assert len(html.encode()) < 150_000
        page = visit(html)
        assert len(island(page)["t"]) <= MOST
        for typed in (False, True):
            if typed:
                page.get_by_label("false alarm").fill("-55")
            done[rows, typed] = max(page.evaluate(CHANGES, 60))
            assert done[rows, typed] <= MOST_CHANGED[typed]
    with capsys.disabled():
        print(f"\na step of the slider changes the page in so many places: {done}")
    for typed in (False, True):
        assert done[400_000, typed] <= 1.1 * done[2_000, typed]


NAMES_MEET = """() => [...document.querySelectorAll('.drawn svg')].filter(s => s.getClientRects().length).map(svg => {
    const group = svg.querySelector('.places'), words = [...group.querySelectorAll('text')].map(t => t.getBoundingClientRect());
    const lines = [...group.querySelectorAll('path')].map(p => p.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return words.some((a, i) => words.some((b, j) => i !== j && meet(a, b)) || lines.some((l, j) => i !== j && meet(a, l)));
})"""


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.42, 0.5, 0.9])
def test_names_on_the_charts_of_the_workbench_keep_apart(threshold: float, visit: Callable[..., Any]) -> None:
    html = report_html({"one": scored(threshold=threshold, segment=None)})
    for width in (1280, 360):
        page = visit(html, width=width)
        assert page.evaluate(NAMES_MEET) == [False, False], width


def test_the_slider_stays_in_view_below_the_navigation(visit: Callable[..., Any]) -> None:
    page = visit(report("two"), width=1280)
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.evaluate("document.querySelector('.bench .numbers').scrollIntoView(true)")
    page.wait_for_timeout(100)
    slider, nav = (page.locator(s).first.bounding_box() for s in (".bench .explorer", "nav"))
    assert nav["y"] == 0 and abs(slider["y"] - nav["height"]) <= 1


@pytest.mark.parametrize("width", [360, 1200])
def test_no_mark_of_the_slider_goes_through_the_words_of_another(visit: Callable[..., Any], width: int) -> None:
    """Best and break-even lie together, the one in force to their right, where their words would be."""
    rng = np.random.default_rng(1)
    y = rng.random(4_000) < 0.12
    risk = 2.0 * (rng.normal(size=4_000) + 2.0 * y) - 2.0 + np.log(0.12 / 0.88)
    e = sy.evaluate(target=y.astype(int), score=1 / (1 + np.exp(-risk)), profit=sy.Profit(tp=90, fp=-15))
    page = visit(report_html({"one": e}), width=width)
    words, strokes = (
        page.locator(f"[data-role=marks] {name}").evaluate_all(
            "all => all.map(n => { const b = n.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom]; })"
        )
        for name in ("text", "rect")
    )
    assert len(words) == len(strokes) == 3
    for i, (left, right, top, bottom) in enumerate(words):
        for j, (a, b, above, below) in enumerate(strokes):
            assert i == j or b < left or a > right or below < top + 2 or above > bottom - 2
        for other in words[i + 1 :]:
            assert right <= other[0] or other[1] <= left or bottom <= other[2] + 3 or other[3] <= top + 3
