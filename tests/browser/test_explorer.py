"""The threshold explorer tells what Python tells: at every position, with weights and amounts of any kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.page import report_html

from .explorer import STEP, expected, follow, island, rows_of, value
from .pages import models, report


def test_at_every_position_the_page_tells_what_python_tells(visit: Callable[..., Any]) -> None:
    e = models("score")["one"]
    page = visit(report("score"))
    assert follow(page, e) >= 20
    # Back at the threshold in force every word is as it was before the script ran.
    page.get_by_role("button", name="In force").click()
    plain = visit(report("score"), scripts=False)
    for name in expected(e, e.threshold):
        assert (
            page.locator(f'[data-cell="{name}"]').text_content()
            == plain.locator(f'[data-cell="{name}"]').text_content()
        )
    assert page.locator("[data-role=cut]").input_value() == "0.3"


def test_two_explorers_do_not_touch_each_other(visit: Callable[..., Any]) -> None:
    page = visit(report("two"))
    knn, tree = models("two").values()
    other = expected(tree, tree.threshold)
    follow(page, knn, "m0")
    cells = page.locator("section#threshold [data-model=m1] [data-cell]").evaluate_all(
        "all => Object.fromEntries(all.map(n => [n.dataset.cell, n.textContent]))"
    )
    assert {name: cells[name] for name in other} == other
    follow(page, tree, "m1")


@cache
def awkward() -> dict[str, Any]:
    """Evaluations whose intervals are worked out in another way, or whose scores are hard to write down."""
    rng = np.random.default_rng(11)
    n = 2_000
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    table = {"y": y, "s": score, "w": rng.gamma(2.0, 1.0, n), "k": rng.integers(1, 5, n), "v": rng.gamma(2.0, 40.0, n)}
    roles: dict[str, Any] = {"target": table["y"], "score": table["s"], "threshold": 0.5}
    small = {"target": [1, 0, 1, 0, 1], "score": [0.9, 0.8, 0.7, 0.2, 0.9]}
    return {
        "scores of any size": sy.evaluate(**roles, confidence=0.9, profit=sy.Cost(fp=0.125, fn=2.5)),
        "sampling weights": sy.evaluate(**roles, weight=table["w"], profit=sy.Profit(tp=9.5, fp=-4, tn=0.25)),
        "frequency weights": sy.evaluate(**roles, weight=table["k"], weights="frequency", profit=sy.Cost(fp=1, fn=3)),
        "amounts of the rows": sy.evaluate(**roles, value={"v": table["v"]}, profit=sy.Profit(tp="v", fp=-60)),
        "amounts and weights": sy.evaluate(
            **roles, weight=table["w"], value={"v": table["v"]}, profit=sy.Cost(fn="v", fp=60)
        ),
        "small amounts": sy.evaluate(**roles, profit=sy.Profit(tp=3e-5, fp=-1e-5)),
        "huge amounts": sy.evaluate(**roles, profit=sy.Profit(tp=3e15, fp=-1e15)),
        "five rows": sy.evaluate(**small, profit=sy.Profit(tp=5, fp=-3)),
        "no amounts": sy.evaluate(**small),
        "one score for all": sy.evaluate(target=[1, 0, 1], score=[0.4, 0.4, 0.4], profit=sy.Profit(tp=5, fp=-3)),
    }


@pytest.mark.parametrize("name", list(awkward()))
def test_weights_amounts_and_odd_scores_are_followed_too(name: str, visit: Callable[..., Any]) -> None:
    e = awkward()[name]
    follow(visit(report_html({"one": e})), e)


def test_what_hangs_together_in_units_is_told_only_where_it_is_known(visit: Callable[..., Any]) -> None:
    rng = np.random.default_rng(12)
    unit = rng.integers(0, 60, 2_000)
    y = rng.integers(0, 2, 2_000)
    e = sy.evaluate(target=y, score=rng.normal(size=2_000) + y, unit=unit, profit=sy.Profit(tp=5, fp=-3))
    page = visit(report_html({"one": e}))
    cuts, at = island(page)["t"], island(page)["at"]
    here, there = page.evaluate(STEP, ["m0", [at, at + 7]])
    wanted = expected(e, e.threshold)
    assert {k: here[k] for k in wanted} == wanted
    wanted = expected(e, cuts[at + 7])
    for k, text in wanted.items():
        if k.endswith("-interval"):
            assert there[k] == "by unit: known for the threshold in force"
        elif f"{k}-interval" in wanted and k != "worth":
            assert value(there[k].strip("%")) == pytest.approx(value(text.strip("%")), abs=0.05)
        elif k != "worth":
            assert there[k] == text
    assert value(there["worth"]) == pytest.approx(rows_of(e, cuts[at + 7]).worth.value, rel=5e-3)
