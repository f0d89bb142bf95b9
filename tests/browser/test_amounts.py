"""Changing an amount on the page changes all that depends on it; shares are told from counts; no segment goes unsaid."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.page import report_html
from steelyard.views.worth import policy_table
from steelyard.words import count, percent

from .pages import scored, scored_rows

BOXES = {"tp": "caught positive", "fn": "missed positive", "fp": "false alarm", "tn": "left alone"}
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
    # The diamond stands where the best threshold is, and nothing that was told at the old amounts is left.
    svg = page.locator(f'svg[data-chart="{kind}"]')
    place = re.match(r"translate\(([\d.]+) ", svg.locator(".again path[transform]").get_attribute("transform"))
    left, _, right, _ = map(float, svg.get_attribute("data-box").split())
    assert place and (float(place[1]) - left) / (right - left) == pytest.approx(best.share, abs=0.002)
    there = page.locator("body").inner_text()
    gone = old - {text for row in told for text in row}
    assert gone and not [text for text in gone if text in there]
    assert "The amounts were changed on this page" in page.locator(".story").inner_text()


def test_the_advice_is_one_that_the_page_does_not_refute(visit: Callable[..., Any]) -> None:
    """Far too high a threshold loses to treating all, and a lower one beats both."""
    payoff = sy.Profit(tp=100, fn=-100, fp=-8, tn=0)
    e = scored(profit=payoff, segment=None, threshold=0.97)
    best, all_of_them = e.best_threshold(), e.worth.policy("treat all").estimate
    assert e.worth.value < all_of_them.value < best.at.value
    text = visit(report_html({"one": e})).locator("body").inner_text()
    assert "leave the model" not in text and f"move the threshold to {best.value:.6g}"[:24] in text
    worthless = scored(profit=sy.Profit(tp=1000, fn=-1000, fp=-1, tn=0), segment=None, threshold=0.9)
    told = visit(report_html({"one": worthless})).locator("body").inner_text()
    treated = float(worthless.worth.policy("treat all").estimate)
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
    assert found["recall"] == "0.47%" and found["fpr"] == "0.022%"
    assert "0%" not in found["fpr-interval"].replace("0.0", "").split(" to ")
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
    assert {f"shop {i}" for i in range(30)} <= set(body.locator("table th").all_inner_texts())
    low = min(e.segments, key=lambda k: e.segments[k]["auc"].value)
    assert body.locator("svg text", has_text=re.compile("shop")).first.text_content().startswith(f"{low} ")


HEBREW, ARABIC = "\u05d0\u05d6\u05d5\u05e8 \u05e6\u05e4\u05d5\u05df", "\u0627\u0644\u0634\u0645\u0627\u0644"


def test_names_from_right_to_left_do_not_turn_intervals_round(visit: Callable[..., Any]) -> None:
    rows = scored_rows()
    names = np.array([HEBREW, ARABIC, "north", f"{HEBREW} 7"])[np.arange(len(rows)) % 4]
    e = sy.evaluate(target=rows["bought"], score=rows["p"], segment=names)
    page = visit(report_html({"one": e}))
    # The ends of an interval beside such a name stand from left to right: where each character lies is asked of the browser.
    where = """(node) => {
        const text = node.textContent, range = document.createRange();
        return [text, ...['[', ',', ']'].map(c => {
            range.setStart(node.firstChild, text.indexOf(c));
            range.setEnd(node.firstChild, text.indexOf(c) + 1);
            return range.getBoundingClientRect().left;
        })];
    }"""
    labels = page.locator("#fails svg text", has_text="[")
    found = [node.evaluate(where) for node in labels.all()]
    assert len(found) == 4
    for text, first, comma, last in found:
        assert first < comma < last, text
