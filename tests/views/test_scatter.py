"""Charts of numbers: drawn for any data, from the summary alone, and true to the rows that it was counted from."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.charts.marks import Bar, Chart, Line, Point, Rule
from steelyard.errors import NotAvailable
from steelyard.summaries.pairs import widths
from steelyard.summaries.steps import PREDICTIONS
from steelyard.views.scatter import DOTS, quantiles

NAMES = ("predicted", "residuals", "errors")


def _case(name: str) -> tuple[Any, Any]:
    """Targets and predictions."""
    rng = np.random.default_rng(21)
    t = rng.normal(50, 20, 20_000)
    whole = rng.integers(18, 91, 20_000).astype(float)
    cases: dict[str, tuple[Any, Any]] = {
        "30 rows": (t[:30], t[:30] + rng.normal(0, 5, 30)),
        "3,000 rows": (t[:3000], 8 + 0.85 * t[:3000] + rng.normal(0, 5, 3000)),
        "20,000 rows": (t, t + rng.normal(0.5, 5, len(t))),
        "heavy tails": (np.exp(t / 16), np.exp(t / 16 + rng.normal(0, 0.4, len(t)))),
        "very heavy tails": (rng.standard_cauchy(len(t)), rng.standard_cauchy(len(t))),
        "few values": (whole // 9, whole // 9 + rng.integers(-2, 3, len(t))),
        "whole numbers": (whole, np.round(whole + rng.normal(0, 7, len(t)))),
        "constant predictions": (t, np.full(len(t), 50.0)),
        "constant targets": (np.full(len(t), 50.0), t),
        "no errors": (t, t),
        "always 5,000 too high": (t, t + 5000.0),
        "about 5,000 too high": (t, t + 5000.0 + rng.normal(0, 1, len(t))),
        "one target, one prediction": (np.full(9, 2.5), np.full(9, 4.0)),
        "three rows": (np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0])),
        "two rows": (np.array([1.0, 2.0]), np.array([1.5, 2.0])),
        "one row": (np.array([1.0]), np.array([1.5])),
        "tiny": (t * 1e-12, t * 1e-12 + rng.normal(0, 1e-13, len(t))),
        "huge": (t * 1e30, t * 1e30 + rng.normal(0, 1e29, len(t))),
    }
    return cases[name]


CASES = (
    *("30 rows", "3,000 rows", "20,000 rows", "heavy tails", "very heavy tails", "few values", "whole numbers"),
    *("constant predictions", "constant targets", "no errors", "always 5,000 too high", "about 5,000 too high"),
    *("one target, one prediction", "three rows", "two rows", "one row", "tiny", "huge"),
)


def _evaluate(name: str, **more: Any) -> sy.Evaluation:
    t, p = _case(name)
    return sy.evaluate(target=t, prediction=p, kind="continuous", **more)


def _places(chart: Chart) -> list[tuple[float, float]]:
    """Where bars and dots stand, as shares of the panel."""
    out = []
    for m in chart.marks:
        if isinstance(m, Point):
            out.append((chart.x.place(m.x), chart.y.place(m.y)))
        if isinstance(m, Bar):
            out += [(chart.x.place(m.x0), chart.y.place(m.y0)), (chart.x.place(m.x1), chart.y.place(m.y1))]
    return out


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn(case: str) -> None:
    e = _evaluate(case)
    assert set(NAMES) <= set(e.charts)
    for name in NAMES:
        chart = e.chart(name)
        assert chart.svg().startswith("<svg")
        assert "nan" not in chart.svg(style=False).lower()
        json.dumps(chart.to_dict(), allow_nan=False)
        assert len({len(v) for v in chart.columns.values()}) == 1
        places = _places(chart)
        assert places, f"{name} is empty"
        assert all(-0.03 < x < 1.03 and -0.03 < y < 1.03 for x, y in places), f"{name} leaves its panel"
        assert len(chart.marks) < 1500


@pytest.mark.parametrize("case", CASES)
def test_a_loaded_evaluation_is_drawn_alike(case: str) -> None:
    e = _evaluate(case)
    again = sy.Evaluation.from_dict(json.loads(json.dumps(e.to_dict())))
    for name in NAMES:
        assert again.chart(name).to_dict() == e.chart(name).to_dict()


@pytest.mark.parametrize("case", ["30 rows", "20,000 rows", "heavy tails", "few values", "constant predictions"])
def test_predicted_against_actual_holds_every_row(case: str) -> None:
    t, p = _case(case)
    columns = _evaluate(case).chart("predicted").columns
    rows = np.array(columns["rows"])
    assert rows.sum() == len(t)
    assert (rows * columns["actual"]).sum() == pytest.approx(t.sum(), rel=1e-9)
    assert (rows * columns["predicted"]).sum() == pytest.approx(p.sum(), rel=1e-9)


def test_few_rows_are_dots_and_many_a_heat_map() -> None:
    t, p = _case("30 rows")
    dots = [m for m in _evaluate("30 rows").chart("predicted").marks if isinstance(m, Point)]
    np.testing.assert_allclose(sorted((m.x, m.y) for m in dots), sorted(zip(t, p, strict=True)))
    many = _evaluate("20,000 rows").chart("predicted")
    assert not [m for m in many.marks if isinstance(m, Point)]
    shades = [m.colour for m in many.marks if isinstance(m, Bar)]
    assert len(set(shades)) > 4
    assert [colour for _, colour in many.legend] == ["shade1", "shade6"]


def test_the_area_of_a_dot_is_its_number_of_rows() -> None:
    t, p = _case("few values")
    dots = {(m.x, m.y): m.size for m in _evaluate("few values").chart("predicted").marks if isinstance(m, Point)}
    assert len(dots) <= DOTS
    pairs, rows = np.unique(np.stack([t, p]), axis=1, return_counts=True)
    sizes = np.array([dots[float(a), float(b)] for a, b in pairs.T])
    large = sizes > 1.6
    assert large.sum() > 20
    np.testing.assert_allclose(sizes[large] ** 2 / rows[large], sizes.max() ** 2 / rows.max(), rtol=0.02)


def test_a_heat_map_is_as_dark_as_its_rows() -> None:
    """Brute force: count the rows in the cells of the map, and compare shades."""
    t, p = _case("20,000 rows")
    chart = _evaluate("20,000 rows").chart("residuals")
    bars = [m for m in chart.marks if isinstance(m, Bar)]
    most, off = 0.0, []
    for m in bars:
        width = (m.x1 - m.x0) / 1.08
        rows = np.count_nonzero((p >= m.x0) & (p < m.x0 + width) & (p - t >= m.y0) & (p - t < m.y1))
        height = min(b.y1 - b.y0 for b in bars)
        each = rows / round((m.y1 - m.y0) / height)
        most = max(most, each)
        off.append((each, int(str(m.colour)[5:])))
    for shade in range(2, 7):
        seen = np.mean([each for each, s in off if s == shade])
        assert most ** ((shade - 1.7) / 6) < seen < 1.6 * most ** (shade / 6), (
            f"shade {shade}: {seen:.1f} of {most:.0f}"
        )


@pytest.mark.parametrize("case", ["30 rows", "3,000 rows", "20,000 rows", "heavy tails", "few values"])
def test_mean_errors_are_those_of_the_rows(case: str) -> None:
    """Brute force over rows: the bins hold what they say, and about as many rows each."""
    t, p = _case(case)
    e = _evaluate(case)
    columns = {k: list(v) for k, v in e.chart("residuals").columns.items()}
    assert sum(columns["rows"]) == len(t)
    pairs = e.residuals.pairs if e.residuals else None
    assert pairs is not None
    low = p if pairs.exact else PREDICTIONS.lower(p, widths(pairs.level)[0])
    for i, (a, b) in enumerate(zip(columns["from"], columns["to"], strict=True)):
        inside = (low >= a) & (low <= b if pairs.exact else low < b)
        assert np.count_nonzero(inside) == columns["rows"][i]
        error = (p - t)[inside]
        assert columns["error"][i] == pytest.approx(error.mean(), abs=1e-9)
        assert columns["prediction"][i] == pytest.approx(p[inside].mean())
        half = error.std(ddof=1) / math.sqrt(len(error))
        assert columns["high"][i] - columns["error"][i] == pytest.approx(half * 2, rel=0.4 if len(error) < 20 else 0.05)
    assert len(columns["rows"]) >= (8 if len(t) > 100 else 5)


@pytest.mark.parametrize(
    "case", ["30 rows", "20,000 rows", "heavy tails", "few values", "whole numbers", "about 5,000 too high"]
)
def test_the_histogram_is_that_of_the_rows(case: str) -> None:
    t, p = _case(case)
    chart = _evaluate(case).chart("errors")
    columns = {k: list(v) for k, v in chart.columns.items()}
    assert sum(columns["share"]) == pytest.approx(1.0)
    error = p - t
    for a, b, share in list(zip(columns["from"], columns["to"], columns["share"], strict=True))[1:-1]:
        inside = np.count_nonzero((error >= a) & (error < b)) / len(t)
        assert share == pytest.approx(inside, abs=0.004 + 1.01 / len(t))
    low, high = np.quantile(error, [0.005, 0.995], method="inverted_cdf")
    assert columns["to"][0] == pytest.approx(low, rel=0.05, abs=0.51)
    assert columns["from"][-1] == pytest.approx(high, rel=0.05, abs=0.51)
    assert [m.x for m in chart.marks if isinstance(m, Rule)][-1] == pytest.approx(error.mean())


def test_whole_numbers_leave_no_gaps() -> None:
    shares = _evaluate("whole numbers").chart("errors").columns["share"]
    assert min(shares[1:-1]) > 0
    assert all(abs(a - b) < 0.02 for a, b in pairwise(shares[1:-1]))


def test_what_lies_outside_is_told() -> None:
    e = _evaluate("heavy tails")
    t, p = _case("heavy tails")
    for name in ("predicted", "residuals"):
        chart = e.chart(name)
        assert "of rows lie outside" in chart.x.title
        assert "of rows lie outside" in chart.description
    chart = e.chart("predicted")
    assert chart.x.high < max(t.max(), p.max())
    assert "0.50% of rows lie below" in e.chart("errors").description
    assert "outside" not in _evaluate("20,000 rows").chart("predicted").x.title


def test_quantiles_against_sorted_rows() -> None:
    rng = np.random.default_rng(4)
    values, counts = rng.normal(size=300), rng.integers(1, 50, 300).astype(float)
    rows = np.sort(np.repeat(values, counts.astype(int)))
    low, high = quantiles(values, counts)
    assert np.count_nonzero(rows < low) <= 0.005 * len(rows) < np.count_nonzero(rows <= low)
    assert np.count_nonzero(rows > high) <= 0.005 * len(rows) < np.count_nonzero(rows >= high)


def test_weights_move_the_charts() -> None:
    t, p = _case("20,000 rows")
    w = np.where(p > t, 3.0, 1.0)
    plain, heavier = _evaluate("20,000 rows"), _evaluate("20,000 rows", weight=w)
    assert heavier.chart("errors").y.title == "Share of weight"
    middle = [np.average(p - t, weights=x) for x in (None, w)]
    for e, mean in zip((plain, heavier), middle, strict=True):
        c = e.chart("residuals").columns
        assert np.average(c["error"], weights=c["rows"]) == pytest.approx(mean)
    # Weights of any scale are shown as rows.
    scaled = _evaluate("20,000 rows", weight=1e6 * w)
    assert scaled.chart("predicted").marks == heavier.chart("predicted").marks


def test_segments_have_charts() -> None:
    t, _ = _case("20,000 rows")
    e = _evaluate("20,000 rows", segment=np.where(t > 50, "high", "low"))
    for name in NAMES:
        assert e.segments["high"].chart(name).svg() != e.segments["low"].chart(name).svg()


def test_one_row_has_no_interval_and_says_so() -> None:
    chart = _evaluate("one row").chart("residuals")
    assert chart.columns["low"] == [None]
    assert "no intervals: one row tells nothing about the spread" in chart.description
    assert not [m for m in chart.marks if isinstance(m, Line) and m.x[0] == m.x[-1] and len(m.x) == 2]


def test_labels_have_no_such_chart() -> None:
    e = sy.evaluate(target=["a", "b", "a"], prediction=["a", "b", "b"], positive="a")
    assert not set(NAMES) & set(e.charts)
    with pytest.raises(NotAvailable, match="needs numbers as target and prediction"):
        e.chart("residuals")
