"""The stability index of Kelleher, Mac Namee and D'Arcy, chapter 8: the bacteria and the two samples after deployment."""

from __future__ import annotations

from statistics import mean, stdev

import pytest
from scipy import stats

from steelyard.monitors.stability import Stability, stability

from .reading import rounds_to

LEVELS = ("durionis", "ficulneus", "fructosus", "pseudo.")
ORIGINAL = dict(zip(LEVELS, (7, 7, 11, 5), strict=True))
FIRST = dict(zip(LEVELS, (12, 8, 16, 9), strict=True))
SECOND = dict(zip(LEVELS, (12, 9, 14, 25), strict=True))

CONTROL = (21, 18, 28, 19, 18, 17, 23, 24, 19, 20, 18, 21)
TREATMENT = (23, 15, 18, 20, 15, 17, 18, 20, 18, 19, 13, 16)


def stability_of(new: dict[str, int]) -> Stability:
    found = stability(ORIGINAL, new, "species")
    assert isinstance(found, Stability)
    return found


@pytest.mark.parametrize(
    ("new", "parts", "total"),
    [
        (FIRST, (".004", ".015", ".000", ".006"), ".026"),
        (SECOND, (".005", ".037", ".060", ".229"), ".331"),
    ],
    ids=["new sample 1", "new sample 2"],
)
def test_the_parts_and_the_index_are_the_printed_ones(new: dict[str, int], parts: tuple[str, ...], total: str) -> None:
    """Example 0.35, 0.36. The printed parts of sample 1 add up to 0.025: they are rounded one by one."""
    s = stability_of(new)
    assert [c.name for c in s.cells] == list(LEVELS)
    for cell, printed in zip(s.cells, parts, strict=True):
        assert rounds_to(cell.part, printed)
    assert rounds_to(s.index, total)
    assert s.classic_index == s.index


def test_the_exact_figures_are_those_of_the_definitions() -> None:
    assert stability_of(FIRST).index == pytest.approx(0.025978, abs=5e-7)
    assert stability_of(SECOND).index == pytest.approx(0.331295, abs=5e-7)


def test_the_percentages_are_the_printed_ones() -> None:
    """Example 0.37."""
    shares = [f"{c.reference_share:.3f}" for c in stability_of(FIRST).cells]
    assert shares == ["0.233", "0.233", "0.367", "0.167"]
    assert [f"{c.current_share:.3f}" for c in stability_of(FIRST).cells] == ["0.267", "0.178", "0.356", "0.200"]
    assert [f"{c.current_share:.3f}" for c in stability_of(SECOND).cells] == ["0.200", "0.150", "0.233", "0.417"]


def test_the_classic_light_says_what_the_source_says_and_the_decision_that_thirty_rows_are_too_few() -> None:
    assert [stability_of(new).classic for new in (FIRST, SECOND)] == ["stable", "act"]
    s = stability_of(SECOND)
    assert (round(s.statistic or 0, 2), s.freedom, round(s.p_value, 3)) == (5.92, 3, 0.116)
    assert s.p_value == pytest.approx(stats.chi2.sf(s.statistic, 3))
    assert s.decision == "insufficient"
    assert "30 reference and 60 current rows" in s.reason


def test_the_control_groups_mean_and_deviation_are_the_printed_ones() -> None:
    """Example 0.38, 0.39: the sample standard deviation, with n − 1."""
    assert (sum(CONTROL), sum(TREATMENT)) == (246, 212)
    assert rounds_to(mean(CONTROL), "20.500")
    assert rounds_to(mean(TREATMENT), "17.667")
    assert rounds_to(stdev(CONTROL), "3.177")
    assert rounds_to(stdev(TREATMENT), "2.708")
