"""Changing an amount on the page changes all that depends on it; shares are told from counts; no segment goes unsaid."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.money import priced
from steelyard.reports.page import report_html
from steelyard.views.worth import policy_table, value_text
from steelyard.words import count, estimate_parts, percent

from .explorer import expected, island, rows_of, value
from .pages import scored, scored_rows

BOXES = {"tp": "caught positive", "fn": "missed positive", "fp": "false alarm", "tn": "left alone"}
UNSTAMPED = """() => { const copy = document.body.cloneNode(true);
    copy.querySelectorAll('[data-amounts], [hidden], script').forEach(n => n.remove()); return copy.textContent; }"""
STILL = """() => { const copy = document.querySelector('body').cloneNode(true);
    const moving = '[data-cell], [data-role], .explorer, svg, .stamp, [data-given], [data-changed]';
    copy.querySelectorAll(moving).forEach(n => n.remove());
    return copy.textContent; }"""
CELLS = (
    "() => Object.fromEntries([...document.querySelectorAll('[data-cell]')].map(n => [n.dataset.cell, n.textContent]))"
)
CHANGE = """([amounts, threshold]) => {
    document.querySelectorAll('[data-value]').forEach(box => {
        box.value = amounts[Number(box.dataset.value)];
        box.dispatchEvent(new Event('input', {bubbles: true}));
    });
    const cut = document.querySelector('[data-role=cut]');
    cut.value = threshold;
    cut.dispatchEvent(new Event('change', {bubbles: true}));
}"""
CARD = """(card) => ({value: card.querySelector("b").textContent, ends: card.querySelector(".note").textContent,
    words: card.querySelector("p").textContent, perfect: card.querySelector(".ends").lastChild.textContent,
    now: document.querySelector('[data-role="now"]').textContent})"""
NOISE = r"−?\d(\.\d+)?e-1\d"
"""The last bits of a sum of thousands, which is zero."""
TABLE = "(rows) => rows.map(r => [...r.cells].map(c => c.textContent))"


def type_in(page: Any, amounts: dict[str, float]) -> None:
    """Type amounts into the boxes."""
    for name, label in BOXES.items():
        page.get_by_label(label).fill(str(amounts[name]))


@pytest.mark.parametrize(
    "amounts",
    [
        {"tp": 90, "fn": 0, "fp": -12.5, "tn": 1},
        {"tp": 5000, "fn": -300, "fp": -1, "tn": 0},
        {"tp": 1, "fn": 0, "fp": -400, "tn": 0},
    ],
)
@pytest.mark.parametrize("kind", ["profit", "cost"])
def test_all_that_depends_on_an_amount_follows_it(
    kind: str, amounts: dict[str, float], visit: Callable[..., Any]
) -> None:
    made = sy.Cost if kind == "cost" else sy.Profit
    # As cost the first amounts are those of the profit turned round.
    turned = {k: -v for k, v in amounts.items()} if kind == "cost" else amounts
    first, second = (
        made(tp=0, fn=7, fp=3, tn=0) if kind == "cost" else made(tp=140, fn=-140, fp=-70, tn=0),
        made(**turned),
    )
    e = scored(profit=first, segment=None)
    page = visit(report_html({"one": e}))
    old = {text for row in policy_table(e.worth).rows for text in row[1:3] if re.search(r"\d{3}", text)}
    assert all(text in page.locator("body").inner_text() for text in old)
    before = page.locator("body").inner_text()
    type_in(page, turned)
    wanted = getattr(e, kind)(second)
    told = page.locator('[data-role="worth-table"] tbody tr').evaluate_all(TABLE)
    assert told == [list(row) for row in policy_table(wanted).rows]
    words = page.locator('[data-role="worth-told"]').inner_text()
    assert f"the {kind} of 20,000 rows is {told[0][1]} {told[0][2]}" in words and wanted.rule in words
    best = e.best_threshold(second)
    said = page.locator('[data-role="best-told"]').inner_text()
    if best.value is not None:
        assert f"{count(best.flagged)} rows, {percent(best.share)} of all" in said
    # The diamond stands where the best threshold is, and nothing that was told at the old amounts is left without a stamp.
    svg = page.locator(f'.big svg[data-chart="{kind}"]')
    place = re.match(r"translate\(([\d.]+) ", svg.locator(".again path[transform]").get_attribute("transform"))
    left, _, right, _ = map(float, svg.get_attribute("data-box").split())
    low, high = map(float, svg.get_attribute("data-ends").split()[:2])
    cut = high if best.value is None else best.value
    assert place and low + (float(place[1]) - left) / (right - left) * (high - low) == pytest.approx(cut, abs=0.002)
    there = page.evaluate(UNSTAMPED)
    gone = old - {text for row in told for text in row}
    assert gone and not [text for text in gone if text in there]
    assert "profit" not in page.locator(".story").inner_text()
    assert page.locator(".verdict").locator("..").locator(".stamp").is_visible()
    # Reset, the page says what it said at first.
    page.get_by_role("button", name="Reset").click()
    assert page.locator("body").inner_text() == before
    assert svg.locator(".again").count() == 0


def card_of(e: Any, payoff: Any, cuts: list[Any]) -> dict[str, Any]:
    """What the card about money should tell, by Python alone; of the best threshold what it brings before luck."""
    now = e.profit(payoff)
    table = payoff.coefficients(e.confusion.levels, e.confusion.positive, ())
    every = np.array([priced(rows_of(e, t).confusion, table, 1)[0].sum() for t in cuts])
    low, high = (f"[{x}" if i == 0 else f"{x}]" for i, x in enumerate(estimate_parts(now.value, now.low, now.high)[1:]))
    return {
        "value": value_text(now),
        "ends": f"{low}, {high}" if now.low != now.high else "no interval",
        "rival": value_text(now.best_policy().estimate),
        "perfect": f"perfect {count(round(float(now.policy('perfect').estimate)))}",
        "best": float(every.max()),
    }


def changes(threshold: float, n: int = 100) -> list[tuple[dict[str, float], float]]:
    """Amounts of every size and sign, each with a threshold."""
    rng = np.random.default_rng(21)
    found = []
    for _ in range(n):
        scale = 10.0 ** rng.integers(-1, 6)
        amounts = (rng.normal(size=4) * scale).round(5)
        amounts[rng.random(4) < 0.25] = 0.0
        amounts[0] += scale if amounts[0] == amounts[1] else 0
        found.append((dict(zip(BOXES, amounts.tolist(), strict=True)), float(rng.choice([threshold, *rng.random(3)]))))
    return found


def test_after_a_hundred_changes_every_number_is_that_of_python_or_stamped(visit: Callable[..., Any]) -> None:
    e = scored(profit=sy.Profit(tp=140, fn=-140, fp=-70, tn=0), segment="region", threshold=0.3)
    page = visit(report_html({"one": e}))
    cuts = island(page)["t"]
    still = page.evaluate(STILL)
    for amounts, wanted in changes(0.3):
        page.evaluate(CHANGE, [[amounts[name] for name in ("tp", "fn", "fp", "tn")], wanted])
        place = len(cuts) - 1 - int(page.locator("[data-role=slider]").input_value())
        payoff = sy.Profit(**amounts)
        threshold = e.threshold if page.locator("[data-role=cut]").input_value() == "0.3" else cuts[place]
        there = rows_of(e, threshold)
        cells = page.evaluate(CELLS)
        worth = there.profit(payoff)
        expecting = expected(replace(there, payoff=payoff), threshold)
        # A half that is rounded may fall to either side.
        assert value(cells["worth"]) == pytest.approx(value(expecting.pop("worth")), rel=1e-6)
        assert {name: cells[name] for name in expecting} == expecting, amounts
        beside = {f"{name}-beside": text for name, text in expected(replace(e, payoff=payoff), 0.3).items()}
        assert value(cells["worth-beside"]) == pytest.approx(value(beside.pop("worth-beside")), rel=1e-4)
        known = {name: text for name, text in beside.items() if name in cells}
        assert {name: cells[name] for name in known} == known and "recall-beside" in known
        told = page.locator('[data-role="worth-table"] tbody tr').evaluate_all(TABLE)
        wanted_rows = [[re.sub(NOISE, "0", text) for text in row] for row in policy_table(worth).rows]
        assert [[re.sub(NOISE, "0", text) for text in row] for row in told] == wanted_rows, amounts
        card = page.locator('[data-role="worth-card"]').evaluate(CARD)
        mine = card_of(e, payoff, cuts)
        assert [card["value"], card["ends"], card["perfect"]] == [mine["value"], mine["ends"], mine["perfect"]], amounts
        words, without = card["words"].split(" · no model ")
        assert re.sub(NOISE, "0", without) == re.sub(NOISE, "0", mine["rival"])
        told = re.fullmatch(r"best (\S+) (?:at \S+|above every score), before luck", words)
        assert (value(told[1]) if told else e.profit(payoff).value) == pytest.approx(mine["best"], rel=5e-3, abs=1e-6)
        assert re.sub(r" at the threshold in force.*", "", card["now"]) == f"Now it is {mine['value']}"
        # All that does not follow is what it was, and whatever of it hangs on amounts is stamped or hidden.
        assert page.evaluate(STILL) == still
    stamped = page.evaluate(
        "() => [...document.querySelectorAll('[data-amounts] .stamp')].every(n => n.checkVisibility())"
    )
    assert stamped and page.locator("[data-amounts]").count() >= 1
    money = {f"{float(v):,.0f}" for v in (e.worth.value, e.best_threshold().corrected.value)}
    assert not [text for text in money if text in page.evaluate(UNSTAMPED)]


def test_whoever_drags_on_a_chart_moves_the_threshold(visit: Callable[..., Any]) -> None:
    e = scored(segment=None)
    page = visit(report_html({"one": e}))
    slider = page.locator("[data-role=slider]")
    for chart in ("scores", "profit", "roc"):
        svg = page.locator(f'svg[data-chart="{chart}"]:visible').first
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        before = slider.input_value()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
        page.mouse.down()
        first = slider.input_value()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2, steps=4)
        page.mouse.up()
        assert len({before, first, slider.input_value()}) == 3, chart
        page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2)
        assert slider.input_value() != first or chart == "roc"
        wanted = expected(e, island(page)["t"][int(slider.get_attribute("max")) - int(slider.input_value())])
        cells = page.evaluate(CELLS)
        assert {name: cells[name] for name in wanted} == wanted


def test_the_advice_is_one_that_the_page_does_not_refute(visit: Callable[..., Any]) -> None:
    """Far too high a threshold loses to treating all, and a lower one beats both."""
    payoff = sy.Profit(tp=100, fn=-100, fp=-8, tn=0)
    e = scored(profit=payoff, segment=None, threshold=0.97)
    best, all_of_them = e.best_threshold(), e.worth.policy("flag everybody").estimate
    assert e.worth.value < all_of_them.value < best.at.value
    text = visit(report_html({"one": e})).locator("body").inner_text()
    assert "leave the model" not in text and f"move the threshold to {best.short}" in text
    assert f"Lower the threshold from 0.97 to {best.short}" in text
    worthless = scored(profit=sy.Profit(tp=1000, fn=-1000, fp=-1, tn=0), segment=None, threshold=0.9)
    told = visit(report_html({"one": worthless})).locator("body").inner_text()
    treated = float(worthless.worth.policy("flag everybody").estimate)
    assert ("leave the model" in told) == (float(worthless.best_threshold().at) <= treated)


def test_shares_are_told_from_counts(visit: Callable[..., Any]) -> None:
    y = np.r_[np.ones(212), np.zeros(50_000)].astype(int)
    p = np.r_[0.9, np.full(211, 0.1), np.full(11, 0.9), np.full(49_989, 0.1)]
    e = sy.evaluate(target=y, score=p)
    page = visit(report_html({"one": e}))
    found = page.locator("[data-cell]").evaluate_all(
        "(all) => Object.fromEntries(all.map(n => [n.dataset.cell, n.textContent]))"
    )
    assert found["tp-share"] == "0.47% of positives" and found["fp-share"] == "0.022% of negatives"
    assert found["recall"] == "0.472%" and found["fpr"] == "0.022%"
    assert "0%" not in found["fpr-interval"].replace("0.0", "").strip("[]").split(", ")
    assert found == page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('[data-cell]')].map(n => [n.dataset.cell, n.textContent]))"
    )


def test_no_segment_is_left_out_and_the_worst_is_drawn_first(visit: Callable[..., Any]) -> None:
    rows = scored_rows()
    rng = np.random.default_rng(3)
    shop = np.minimum((rng.pareto(0.4, len(rows)) * 3).astype(int), 29)
    worst = shop == 29
    p = np.where(worst, rng.random(len(rows)), rows["p"])
    e = sy.evaluate(target=rows["bought"], score=p, segment=[f"shop {s}" for s in shop])
    assert len(e.segments) == 30
    body = visit(report_html({"one": e})).locator("#fails")
    assert {f"shop {i}" for i in range(30)} <= {t.strip() for t in body.locator("table th").all_text_contents()}
    low = min(e.segments, key=lambda k: e.segments[k]["auc"].value)
    first = body.locator("table.models").first.locator("tbody tr").first
    assert first.locator("th").inner_text() == low and first.locator("svg circle").count() >= 1


HEBREW, ARABIC = "\u05d0\u05d6\u05d5\u05e8 \u05e6\u05e4\u05d5\u05df", "\u0627\u0644\u0634\u0645\u0627\u0644"


def test_names_from_right_to_left_do_not_turn_intervals_round(visit: Callable[..., Any]) -> None:
    rows = scored_rows()
    names = np.array([HEBREW, ARABIC, "north", f"{HEBREW} 7"])[np.arange(len(rows)) % 4]
    e = sy.evaluate(target=rows["bought"], score=rows["p"], segment=names)
    page = visit(report_html({"one": e}))
    # The ends of an interval beside such a name stand from left to right: where each character lies is asked of the browser.
    where = """(node) => {
        const text = node.textContent, range = document.createRange();
        return [text, ...[0, text.indexOf(', '), text.length - 1].map(at => {
            range.setStart(node.firstChild, at);
            range.setEnd(node.firstChild, at + 1);
            return range.getBoundingClientRect().left;
        })];
    }"""
    labels = page.locator("#fails table.models").first.locator("td:nth-child(3) .ends")
    found = [node.evaluate(where) for node in labels.all()]
    assert len(found) == 5
    for text, first, between, last in found:
        assert first < between < last, text


@pytest.mark.parametrize("models", [1, 2])
def test_all_that_hangs_on_amounts_follows_them_or_can_be_stamped(models: int, visit: Callable[..., Any]) -> None:
    """Two pages made at different amounts differ nowhere but in what moves on the page, and in what carries a stamp."""
    still = """() => { const [copy, top] = ['main', 'header'].map(name => document.querySelector(name).cloneNode(true));
        const moving = '[data-cell], [data-role], .explorer, .stamp, [data-given], [data-changed], [data-amounts], script';
        const own = 'svg[data-chart=profit], figure[data-chart=profit] figcaption, #made, #words, dl.facts, .places, .marker';
        return [copy, top].map(n => { n.querySelectorAll(moving + ', ' + own).forEach(m => m.remove());
            return n.innerHTML.split(/(?=<(?:td|p|svg|th|span|h3|figcaption)\\b)/); }).flat(); }"""
    pages = []
    for amounts in ({"tp": 140, "fn": -140, "fp": -70}, {"tp": 33, "fn": 0, "fp": -1.5}):
        given = {"profit": sy.Profit(**amounts), "threshold": 0.3}
        told = {"one": scored(segment="region", **given)}
        tested = None
        if models == 2:
            tested = sy.compare(scored_rows(), target="bought", score={"one": "p", "two": "q"}, **given)
            told["two"] = sy.evaluate(scored_rows(), target="bought", score="q", **given)
        page = visit(report_html(told, comparison=tested))
        pages.append(page.evaluate(still))
    apart = [(a[:300], b[:300]) for a, b in zip(*pages, strict=True) if a != b]
    assert not apart, "\n".join(f"{a}\n   {b}" for a, b in apart)
