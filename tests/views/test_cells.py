"""Every public result is a cell of a notebook: short beside it, its verdict and picture in it, nothing that runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from steelyard.results import Curve, Difference, Estimate
from steelyard.verdicts.verdict import Verdict

from .kinds import MAKERS, result

NO_CELL = {"verdict", "payoff"}
"""What is told along with a result, and what goes into one."""
CONCLUDES = {
    *("evaluation", "labels", "numbers", "threshold", "slices", "comparison", "changes", "campaign"),
    *("stability", "trial", "timeliness", "experiment", "learning curve", "plan", "monitor", "gate"),
}


class Balanced(HTMLParser):
    """Whether every element is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"br", "hr", "input", "meta"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", MAKERS)
def test_what_stands_for_a_result_is_short(name: str) -> None:
    assert 0 < len(repr(result(name))) < 400


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in NO_CELL])
def test_a_result_is_a_cell_of_html(name: str) -> None:
    found = result(name)
    html = found._repr_html_()
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert "<script" not in html and not re.search(r" on\w+=", html)
    if not isinstance(found, Estimate | Difference | Curve):
        assert len(html) < 60_000


@pytest.mark.parametrize("name", sorted(CONCLUDES))
def test_a_result_says_first_what_to_do(name: str) -> None:
    found = result(name)
    verdict = found.verdict
    assert isinstance(verdict, Verdict)
    assert verdict.sentence.endswith(".") and len(verdict.sentence) > 10
    assert len(verdict.reasons) <= 3
    assert verdict.next_step.endswith(".") and len(verdict.next_step) > 10
    assert verdict == verdict.word and verdict.word in verdict.kind.words
    assert verdict.sentence.split(":")[0] in re.sub(r"<[^>]+>", "", found._repr_html_()).replace("&quot;", '"')


def test_verdicts_that_rest_on_other_numbers_are_not_alike() -> None:
    assert result("evaluation").verdict != result("numbers").verdict
    assert result("trial").verdict == "helps" and result("trial").verdict != "harms"
