"""Several models on one page: the switch turns every section to the model that is chosen, and the navigation says where one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import steelyard as sy
from steelyard.reports.page import report_html

from .pages import report, scored_rows

SHOWN = "all => [...new Set(all.filter(x => x.checkVisibility()).map(x => x.dataset.of))]"


@pytest.mark.parametrize("scripts", [True, False])
def test_every_section_turns_to_the_model_that_is_chosen(scripts: bool, visit: Callable[..., Any]) -> None:
    page = visit(report("two"), scripts=scripts)
    parts = page.locator("[data-of]")
    assert parts.count() >= 8
    assert parts.evaluate_all(SHOWN) == ["m0"]
    page.get_by_role("radio").nth(1).focus()
    page.keyboard.press("Space")
    assert parts.evaluate_all(SHOWN) == ["m1"]
    page.keyboard.press("ArrowLeft")
    assert parts.evaluate_all(SHOWN) == ["m0"]
    # On paper it is the one that was chosen, and the numbers of both.
    page.emulate_media(media="print")
    assert parts.evaluate_all(SHOWN) == ["m0"]


def test_the_navigation_says_where_one_is(visit: Callable[..., Any]) -> None:
    page = visit(report("score"))
    here = page.locator("nav a[aria-current]")
    assert here.count() <= 1
    for question in ("How sure?", "Which threshold?", "What is it worth?"):
        page.get_by_role("link", name=question).first.click()
        page.wait_for_timeout(100)
        assert here.all_inner_texts() == [question]


def test_twenty_models_with_long_names_fit_every_screen(visit: Callable[..., Any]) -> None:
    rows = scored_rows()
    names = [f"gradient_boosted_trees_on_all_columns_of_the_warehouse_{i}_" + "w" * 90 for i in range(20)]
    score = {name: (rows["p"] + 0.004 * i * (rows.index % 7 - 3)).clip(0, 1) for i, name in enumerate(names)}
    c = sy.compare(target=rows["bought"], score=score, measures=["auc", "accuracy"])
    html = report_html(c.evaluations, comparison=c)
    page = visit(html)
    assert page.get_by_role("radio").count() == 8
    for width in (1200, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
