"""steelyard campaign: closed forms without a file, every depth tried by hand with one; files, pipes, output."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.arguments.typed import number_of
from steelyard.views.layout import width_of

from .conftest import HEAD, two_levels

ROWS = [dict(zip(HEAD, row, strict=True)) for row in two_levels()]
CALL = ("--target", "y", "--score", "p")
TERMS = ("--benefit", "40", "--cost", "10")
PLAN = ("--benefit", "40", "--cost", "1", "--prospects", "100000", "--targets", "2%")
Run = Callable[..., Any]


def document(told: Any) -> dict[str, Any]:
    assert told.code == 0, told.err
    found: dict[str, Any] = json.loads(told.out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    return found


def earned(cut: float, benefit: float = 40, cost: float = 10) -> float:
    """Profit of contacting every row with at least this score."""
    return sum(benefit * r["y"] - cost for r in ROWS if r["p"] >= cut)


def test_a_plan_follows_the_rule(steelyard: Run) -> None:
    found = document(steelyard("campaign", *PLAN, "--json"))
    n, b, c, t = 100_000, 40, 1, 0.02
    assert (found["schema"], found["source"], found["basis"]) == (1, None, "rule")
    assert found["depth"] == pytest.approx((b * t / (2 * c)) ** 2)
    assert found["profit"]["value"] == pytest.approx(n * (b * t) ** 2 / (4 * c))
    assert found["everybody"]["value"] == pytest.approx(n * (b * t - c))
    at = document(steelyard("campaign", *PLAN, "--depth", "9%", "--json"))
    assert at["profit"]["value"] == pytest.approx(n * (b * t * math.sqrt(0.09) - c * 0.09))
    fixed = document(steelyard("campaign", *PLAN, "--fixed", "1000", "--json"))
    assert fixed["profit"]["value"] == pytest.approx(found["profit"]["value"] - 1000)


def test_the_best_depth_is_the_best_of_all(steelyard: Run, preds: Path) -> None:
    found = document(steelyard("campaign", preds.name, *CALL, *TERMS, "--json"))
    cuts = sorted({r["p"] for r in ROWS}, reverse=True)
    top = max(cuts, key=earned)
    assert (found["source"], found["basis"]) == ("preds.csv", "model")
    assert found["threshold"] == top
    assert found["profit"]["value"] == pytest.approx(earned(top))
    assert found["contacts"] == sum(r["p"] >= top for r in ROWS)
    assert found["profit"]["low"] < found["profit"]["value"] < found["profit"]["high"]


def test_a_budget_is_kept_and_a_share_may_be_written_in_two_ways(steelyard: Run, preds: Path) -> None:
    call = ("campaign", preds.name, *CALL, *TERMS, "--json")
    found = document(steelyard(*call, "--contacts", "30"))
    assert found["contacts"] <= 30
    assert found["budget"] == 30
    assert steelyard(*call, "--depth", "10%").out == steelyard(*call, "--depth", "0.1").out
    assert document(steelyard(*call, "--depth", "10%"))["contacts"] == pytest.approx(24)
    assert number_of(" 2 % ") == number_of("2e-2") == number_of("0,02") == 0.02


def test_prospects_may_be_more_and_targets_fewer_than_in_the_file(steelyard: Run, preds: Path) -> None:
    extra = ("--prospects", "24000", "--targets", "10%")
    found = document(steelyard("campaign", preds.name, *CALL, *TERMS, *extra, "--json"))
    real = sum(r["y"] for r in ROWS)

    def profit(cut: float) -> float:
        reached = sum(r["y"] for r in ROWS if r["p"] >= cut) / real
        others = sum(not r["y"] for r in ROWS if r["p"] >= cut) / (len(ROWS) - real)
        return 24_000 * (40 * 0.1 * reached - 10 * (0.1 * reached + 0.9 * others))

    assert found["profit"]["value"] == pytest.approx(max(profit(r["p"]) for r in ROWS))


def test_saved_piped_and_counted_are_the_same(steelyard: Run, process: Run, preds: Path) -> None:
    counted = document(steelyard("campaign", preds.name, *CALL, *TERMS, "--json"))
    steelyard("evaluate", preds.name, *CALL, "--save", "e.json", "-q")
    assert document(steelyard("campaign", "e.json", *TERMS, "--json")) == counted
    piped = document(process("campaign", "-", *CALL, *TERMS, "--json", stdin=preds.read_text()))
    assert piped == counted | {"source": "standard input"}


def test_the_text_is_that_of_the_library_and_fits(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    import steelyard as sy
    from steelyard.worth.campaign import campaign

    e = sy.evaluate(str(preds), target="y", score="p")
    told = steelyard("campaign", preds.name, *CALL, *TERMS)
    assert (told.code, told.err) == (0, "")
    assert told.out == f"{campaign(e, benefit=40.0, cost=10.0)}\n"
    plan = steelyard("campaign", *PLAN)
    assert plan.out.startswith("Before any model")
    for text in (told.out, plan.out):
        assert all(width_of(line) <= 80 for line in text.splitlines()), text
    written = steelyard("campaign", *PLAN, "-o", "plan.txt")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (tmp_path / "plan.txt").read_text(encoding="utf-8") == plan.out
    assert steelyard("campaign", *PLAN, "-o", "plan.txt").code == 2
    assert steelyard("campaign", *PLAN, "-o", "plan.txt", "--force").code == 0


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_no_escape_codes(process: Run, environment: dict[str, str]) -> None:
    told = process("campaign", *PLAN, **environment)
    assert (told.code, told.err) == (0, "")
    assert "\x1b" not in told.out
