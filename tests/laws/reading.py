"""Every number of an evaluation, found by reflection, and what it means for two of them to be the same."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import steelyard as sy
from steelyard.errors import UsageError
from steelyard.intervals.method import ROOMS
from steelyard.measures.curves import curves
from steelyard.measures.measure import Measure, catalogue
from steelyard.results import Curve, Estimate, Interval

OTHER_OPTIONS: dict[str, tuple[Any, ...]] = {
    "beta": (0.5,),
    "bins": (3,),
    "depth": (0.5, 1.0),
    "fpr": (0.5,),
    "k": (1, 3),
    "per": ("case",),
    "prevalence": (0.01,),
    "quantile": (0.9,),
    "weights": ((2.0, 1.0, 1.0, 0.0),),
}
"""Values to try beside the default, by the name of the option; a new option is tried at its default alone."""

Key = tuple[str, Any, str]
Numbers = dict[Key, Estimate]


def read(e: sy.Evaluation, *, intervals: bool = False) -> Numbers:
    """Every number that this evidence can answer, at every level and average; without intervals many times faster."""
    e = replace(e)
    if intervals:
        return dict(_read(e))
    with patch("steelyard.asking.estimates.interval", lambda question: Interval(None, None, "left out")):
        return dict(_read(e))


def _read(e: sy.Evaluation) -> Iterator[tuple[Key, Estimate]]:
    for x in e.rows_of_numbers():
        yield (x.measure, x.level, ""), x
    for name in e.measures:
        m = catalogue()[name]
        for option, values in OTHER_OPTIONS.items():
            for value in values if option in m.options else ():
                if not may_be(m, option, value):
                    continue
                level = None if e.positive is not None or not answers_by_level(e, m) else e.levels[0]
                yield (name, level, f"{option}={value}"), e.measure(name, level, **{option: value})


def may_be(m: Measure, option: str, value: Any) -> bool:
    """Whether a measure can be asked with this value: some end where others go on."""
    try:
        m.with_defaults({option: value})
    except UsageError:
        return False
    return True


def answers_by_level(e: sy.Evaluation, m: Measure) -> bool:
    """Whether a measure belongs to a level here and not to the whole."""
    return not set(e.summaries) & set(m.reads)


def curves_of(e: sy.Evaluation, level: Any = None) -> Iterator[Curve]:
    """Every curve; that of calibration only where scores are probabilities."""
    table = e.scores if level is None or e.class_scores is None else e.class_scores.table(level)
    for name in curves():
        if name != "calibration" or (table is not None and table.probabilities):
            yield e.curve(name, level)


def check_same(a: Numbers, b: Numbers, *, ends: bool = False, tolerance: float = 1e-7) -> None:
    """Both have the same numbers; with `ends` the same intervals too."""
    assert a.keys() == b.keys()
    for key, x in a.items():
        y = b[key]
        slack = tolerance * _unit(x, a)
        for field in ("value", "low", "high") if ends else ("value",):
            u, v = getattr(x, field), getattr(y, field)
            assert close(u, v, slack, tolerance), f"{key}: {field} {u!r} and {v!r} ({x.method}; {x.reason or y.reason})"


def close(u: float | None, v: float | None, slack: float, tolerance: float) -> bool:
    """The same number up to rounding, or no number in both."""
    if u is None or v is None:
        return u is v
    return abs(u - v) <= slack + tolerance * max(abs(u), abs(v))


def _unit(x: Estimate, among: Numbers) -> float:
    """The size of which rounding is a share: the largest error for a mean of errors, else one."""
    largest = among.get(("max_error", None, ""))
    if largest is None or largest.value is None:
        return 1.0
    low, high = catalogue()[x.measure].range
    if low == 0 and math.isinf(high):
        return 0.0
    return largest.value if math.isinf(low) and math.isinf(high) else 1.0


def is_total(e: sy.Evaluation, key: Key) -> bool:
    """Whether a number is a total over the rows and so grows with them: its reading is a mean times a count."""
    m = catalogue()[key[0]]
    if key[2] == "per=case":
        return False
    summary = next((s for kind, s in e.summaries.items() if kind in m.reads), None)
    if summary is None:
        return False
    options = {"payoff": e.payoff} if "payoff" in m.options else {}
    once, twice = (float(getattr(m(s, **options), "factor", 1.0)) for s in (summary, summary + summary))
    return once != twice


def but_totals(e: sy.Evaluation, numbers: Mapping[Key, Estimate]) -> Numbers:
    """Leave out the totals."""
    return {k: v for k, v in numbers.items() if not is_total(e, k)}


@contextmanager
def grid_beyond(rows: int) -> Iterator[None]:
    """Within, tables of more than so many rows are put on the grid."""
    with patch("steelyard.summaries.cells.EXACT_ROWS", rows), patch("steelyard.counting.rules.EXACT_ROWS", rows):
        yield


@contextmanager
def few_replicates(replicates: int = 60) -> Iterator[None]:
    """Within, the bootstrap draws fewer tables: the laws hold for any number of them."""
    # All of them first: one that is loaded while another is patched would keep the patched number.
    modules = [importlib.import_module(f"steelyard.intervals.{room}") for room in ROOMS]
    with ExitStack() as stack:
        for module in modules:
            if hasattr(module, "REPLICATES"):
                stack.enter_context(patch.object(module, "REPLICATES", replicates))
        yield
