"""When two evaluations hold the same evidence: counts exactly, sums to 1e-12, levels of the same type."""

from __future__ import annotations

from typing import Any

import numpy as np

import steelyard as sy
from steelyard.summaries.units import Units


def alike(found: sy.Evaluation, wanted: sy.Evaluation) -> None:
    """Say where two evaluations differ; `==` alone would pass 1 for True, and not look at everything."""
    assert found.facts["dropped"] == wanted.facts["dropped"]
    assert list(found.segments) == list(wanted.segments)
    assert found.evidence.keys() == wanted.evidence.keys()
    for name, summary in wanted.evidence.items():
        _summaries(found.evidence[name], summary, name)
    assert found == wanted
    for name, part in wanted.segments.items():
        alike(found.segments[name], part)


def _summaries(found: Any, wanted: Any, where: str) -> None:
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
        _units(found.units, wanted.units, where)
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


def _sums(found: Any, wanted: Any, where: str) -> None:
    whole = (wanted == np.round(wanted)) & (np.abs(wanted) < 2**32)
    np.testing.assert_array_equal(found[whole], wanted[whole], err_msg=where)
    scale = max(float(np.abs(wanted).max(initial=0.0)), 1.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * scale, err_msg=where)
