"""When two evaluations hold the same evidence: counts exactly, sums to 1e-12, levels of the same type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.summaries.moments import ORDERS, Moments
from steelyard.summaries.units import Units


def alike(found: sy.Evaluation, wanted: sy.Evaluation, *, moved: bool = False) -> None:
    """Say where two evaluations differ; `==` alone would pass 1 for True, and not look at everything.

    In a sum, powers of numbers by unit lie about another point than in the whole: `moved` brings them to one first.
    """
    assert found.facts["dropped"] == wanted.facts["dropped"]
    assert list(found.segments) == list(wanted.segments)
    assert found.evidence.keys() == wanted.evidence.keys()
    for name, summary in wanted.evidence.items():
        _summaries(found.evidence[name], summary, name, moved=moved)
    assert found == wanted
    for name, part in wanted.segments.items():
        alike(found.segments[name], part, moved=moved)


def _summaries(found: Any, wanted: Any, where: str, *, moved: bool = False) -> None:
    assert found.rows == wanted.rows, where
    if hasattr(wanted, "levels"):
        assert found.levels == wanted.levels, where
        assert [type(v) for v in found.levels] == [type(v) for v in wanted.levels], where
    for i, table in enumerate(getattr(wanted, "tables", ())):
        _summaries(found.tables[i], table, f"{where}, class {i}")
    for part in ("cells", "sizes", "targets"):
        if hasattr(wanted, part):
            _cells(getattr(found, part), getattr(wanted, part), f"{where}, {part}")
    if getattr(wanted, "pairs", None) is not None:
        _pairs(found.pairs, wanted.pairs, where)
    if getattr(wanted, "units", None) is not None:
        pair = _about_one_point(found, wanted) if moved and where == "residuals" else (found.units, wanted.units)
        _units(*pair, where)
    for kept in ("unit_targets", "unit_sizes"):
        if getattr(wanted, kept, None) is not None:
            a, b = getattr(found, kept), getattr(wanted, kept)
            assert (a.level, a.starts.tolist()) == (b.level, b.starts.tolist()), where
            _units(a.units, b.units, f"{where}, {kept}")
    assert found == wanted, where


def _cells(found: Any, wanted: Any, where: str) -> None:
    assert (found.rows, found.gridded, found.cuts) == (wanted.rows, wanted.gridded, wanted.cuts), where
    np.testing.assert_array_equal(found.low, wanted.low, err_msg=where)
    np.testing.assert_array_equal(found.high, wanted.high, err_msg=where)
    _sums(found.counts, wanted.counts, where)


def _pairs(found: Any, wanted: Any, where: str) -> None:
    assert found.level == wanted.level, where
    np.testing.assert_array_equal(found.prediction, wanted.prediction, err_msg=where)
    np.testing.assert_array_equal(found.error, wanted.error, err_msg=where)
    _sums(found.sums, wanted.sums, f"{where}, pairs")


def _units(found: Units, wanted: Units, where: str) -> None:
    assert found.bits == wanted.bits, where
    np.testing.assert_array_equal(found.ids, wanted.ids, err_msg=where)
    _sums(found.table, wanted.table, f"{where}, units")


def _about_one_point(found: Any, wanted: Any) -> tuple[Units, Units]:
    """Tables by unit of numbers, about the mean of one of them and in units of its spread; `away` is about another point."""
    k = len(ORDERS)
    centre = wanted.units.table[0, k : k + 2]
    spread = [np.sqrt(max(float(wanted.moments.get(*o)), 0.0) / float(wanted.total)) for o in ((2, 0), (0, 2))]
    # Where a sum of numbers far from zero is moved, its last digits are those of the distance.
    scale = [s + 1e-3 * (abs(c) + 1e-300) for s, c in zip(spread, wanted.moments.centre.tolist(), strict=True)]
    size = np.array([scale[0] ** i * scale[1] ** j for i, j in ORDERS])
    out = []
    for units in (found.units, wanted.units):
        sums = Moments(units.table[:, :k], units.table[:, k : k + 2]).about(centre).sums / size
        out.append(Units(units.ids, np.concatenate([sums, units.table[:, k + 2 : -1]], axis=1), units.bits))
    np.testing.assert_allclose(out[0].table[:, :k], out[1].table[:, :k], rtol=1e-9, atol=2e-7)
    return tuple(replace(u, table=u.table[:, k:]) for u in out)  # type: ignore[return-value]


def _sums(found: Any, wanted: Any, where: str) -> None:
    whole = (wanted == np.round(wanted)) & (np.abs(wanted) < 2**32)
    np.testing.assert_array_equal(found[whole], wanted[whole], err_msg=where)
    scale = max(float(np.abs(wanted).max(initial=0.0)), 1.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * scale, err_msg=where)
