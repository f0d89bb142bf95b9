"""Ticks are few, round, inside the ends, and say what they stand for."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.charts.frame import CHARACTER
from steelyard.charts.marks import Chart, Line
from steelyard.charts.scales import Scale, nice_step, wide_enough

ends = st.floats(-1e12, 1e12).map(lambda v: float(f"{v:.6g}"))
spans = st.floats(-9, 12).map(lambda e: float(f"{10**e:.4g}"))
many = st.integers(2, 10)


@st.composite
def scales(draw: st.DrawFn, kind: str = "number") -> Scale:
    """Ranges of any size, near zero and far from it, but never narrower than floating point can show."""
    low, span = draw(ends), draw(spans)
    assume(span >= 1e-6 * abs(low))
    return Scale(low, low + span, kind=kind)


def _number(words: str) -> Fraction:
    """What a label says, as a reader would take it."""
    text = words.replace("−", "-").replace(",", "")
    factor = Fraction(1)
    for letter, power in (("%", -2), ("bn", 9), ("T", 12), ("m", 6), ("k", 3)):
        if text.endswith(letter):
            text, factor = text.removesuffix(letter), Fraction(10) ** power
            break
    return Fraction(text) * factor


def _mantissa(value: float) -> float:
    return round(value / 10 ** math.floor(math.log10(value) + 1e-9), 6)


@given(scales(), many)
def test_ticks_lie_inside_the_ends(scale: Scale, most: int) -> None:
    room = 1e-6 * (scale.high - scale.low)
    assert all(scale.low - room <= v <= scale.high + room for v, _ in scale.ticks(most))


@given(scales(), many)
def test_ticks_are_no_more_than_asked_and_even(scale: Scale, most: int) -> None:
    values = [v for v, _ in scale.ticks(most)]
    assert len(values) <= most
    step = nice_step(scale.high - scale.low, most)
    assert _mantissa(step) in {1.0, 2.0, 2.5, 5.0}
    near = 1e-6 * step + 4 * math.ulp(max(abs(scale.low), abs(scale.high)))
    assert all(abs((b - a) - step) <= near for a, b in pairwise(values))
    assert all(abs(v / step - round(v / step)) * step <= near for v in values)


@given(scales(), st.integers(4, 10))
def test_there_are_enough_ticks_to_read_by(scale: Scale, most: int) -> None:
    # The next smaller step is at most 2.5 times finer, so a third of the ticks asked for are always there.
    assert len(scale.ticks(most)) >= max(1, (most - 1) // 3)


@pytest.mark.parametrize("kind", ["number", "share", "time"])
@given(data=st.data())
def test_words_say_the_value(kind: str, data: st.DataObject) -> None:
    scale, most = data.draw(scales(kind)), data.draw(many)
    step = nice_step(scale.high - scale.low, most)
    ticks = scale.ticks(most)
    assert len({words for _, words in ticks}) == len(ticks)
    for value, words in ticks:
        assert abs(_number(words) - Fraction(value)) <= Fraction(step) / 50, (value, words)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Scale(0, 12500), ["0", "2.5k", "5.0k", "7.5k", "10.0k", "12.5k"]),
        (Scale(0, 0.0123, kind="share"), ["0.00%", "0.25%", "0.50%", "0.75%", "1.00%"]),
        (Scale(0, 1.2), ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        (Scale(-100_000, 330_000), ["−100k", "0", "100k", "200k", "300k"]),
        (Scale(0, 1), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_words_of_known_ranges(scale: Scale, words: list[str]) -> None:
    assert [w for _, w in scale.ticks()] == words


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-1e-12, 1e-12),
        (0, 1e-300),
        (0.1234567, 0.1234569),
        (1e6, 1e6 + 10),
        (0, 1e300),
        (3, 3),
        (1e20, 1e20),
    ],
)
def test_extreme_ranges_have_few_and_different_ticks(low: float, high: float) -> None:
    ticks = Scale(low, high).ticks(6)
    assert len(ticks) <= 6
    assert len(ticks) >= 3 or low == high
    assert len({v for v, _ in ticks}) == len({w for _, w in ticks}) == len(ticks)
    assert all(math.isfinite(v) and low <= v <= high for v, _ in ticks)


def test_a_range_too_wide_for_a_number_ends() -> None:
    # In a process of its own with little memory: ticks one apart would never end.
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "from steelyard.charts.scales import Scale; assert len(Scale(-1.7e308, 1.7e308).ticks(6)) <= 6"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@given(st.floats(-12, 12), st.floats(0.02, 20), many)
def test_ticks_of_a_log_scale(start: float, decades: float, most: int) -> None:
    low, high = 10.0**start, 10.0 ** (start + decades)
    ticks = Scale(low, high, kind="log").ticks(most)
    assert len(ticks) <= most
    assert all(low * (1 - 1e-6) <= v <= high * (1 + 1e-6) for v, _ in ticks)
    assert len({w for _, w in ticks}) == len(ticks)
    if most >= 4:
        assert len(ticks) >= 2
    for value, words in ticks:
        assert float(_number(words)) == pytest.approx(value, rel=1e-6)


@given(scales(), st.floats(0, 1))
def test_places_run_from_end_to_end(scale: Scale, share: float) -> None:
    assert scale.place(scale.low) == 0
    assert scale.place(scale.high) == pytest.approx(1)
    assert scale.place(scale.low + share * (scale.high - scale.low)) == pytest.approx(share, abs=1e-6)


def test_places_of_a_log_scale_are_even_in_powers() -> None:
    scale = Scale(1, 10_000, kind="log")
    assert [scale.place(10.0**k) for k in range(5)] == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert math.isfinite(scale.place(0.0))


def test_names_and_given_labels_are_ticks() -> None:
    names = Scale(-0.5, 1.5, kind="names", names=("a", "b\n"))
    assert names.ticks() == [(0.0, "a"), (1.0, "b\\n")]
    assert Scale(0, 1, labels=((0.5, "half"),)).ticks() == [(0.5, "half")]


@given(
    st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9, allow_subnormal=False), st.just(math.nan), st.just(math.inf))),
    st.booleans(),
)
def test_a_scale_is_wide_enough(values: list[float | None], zero: bool) -> None:
    scale = wide_enough(values, "t", zero=zero)
    found = [v for v in values if v is not None and math.isfinite(v)]
    assert scale.low < scale.high
    assert all(scale.low <= v <= scale.high for v in found)
    if zero:
        assert scale.low <= 0 <= scale.high


@given(st.lists(st.floats(1e-6, 1e6), min_size=1))
def test_a_log_scale_is_wide_enough(values: list[float]) -> None:
    scale = wide_enough(values, kind="log")
    assert 0 < scale.low < scale.high
    assert all(scale.low <= v <= scale.high for v in values)


def test_words_at_the_ends_of_an_axis_stay_in_the_picture() -> None:
    days = [f"2026-11-{d:02d} 09:00" for d in range(1, 9)]
    labels = tuple((float(i), day) for i, day in enumerate(days))
    chart = Chart(
        "x", "x", Scale(0.0, 7.0, "", labels=labels), Scale(0.0, 1.0), (Line([0.0, 7.0], [0.0, 1.0]),), "", {},
        size=(300.0, 200.0),
    )  # fmt: skip
    words = re.findall(r'<text x="([\d.]+)"[^>]*>(2026[^<]*)<', chart.svg())
    assert len(words) >= 2
    for x, word in words:
        assert CHARACTER * len(word) / 2 <= float(x) + 0.1 and float(x) - 0.1 <= 300 - CHARACTER * len(word) / 2
