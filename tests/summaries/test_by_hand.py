"""Summaries made by hand of a few rows are those that engines count, nothing added changes nothing, and what is believed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import SteelyardError, UnreadableSource
from steelyard.results import Share
from steelyard.summaries.believing import believed_order
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.deviances import Deviances
from steelyard.summaries.effective import effective_whole
from steelyard.summaries.levels import Levels
from steelyard.summaries.moments import Moments
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores

from ..laws.test_summaries import ROLES, some, table


@pytest.mark.parametrize("seed", range(3))
def test_what_is_made_by_hand_is_what_is_counted(seed: int) -> None:
    c = some(table(20 + seed, 60), slice(None))
    found: dict[str, Any] = {}
    for kind, roles in ROLES.items():
        found |= sy.evaluate(c, **roles).evidence if kind != "scores" else {}
    scores = sy.evaluate(c, **ROLES["scores"]).evidence["scores"]
    assert Scores.of(c["score"], c["truth"].tolist(), 1) == scores
    assert ClassScores.of({v: c[v] for v in "abc"}, c["kind"].tolist()) == found["class_scores"]
    assert Deviances.of(c["amount"], c["predicted"]) == found["deviances"]
    mine, counted = Residuals.of(c["amount"], c["predicted"]), found["residuals"]
    assert np.allclose(mine.parts, counted.parts) and mine.moments == counted.moments
    assert (mine.sizes.low.tolist(), mine.targets.low.tolist()) == (
        counted.sizes.low.tolist(),
        counted.targets.low.tolist(),
    )
    matrix = [[sum((c["truth"] == t) & (c["label"] == g)) for g in (0, 1)] for t in (0, 1)]
    labels = sy.evaluate(c, **ROLES["confusion"]).evidence["confusion"]
    assert Confusion.of(matrix, (0, 1), 1) == labels


def test_nothing_added_changes_nothing() -> None:
    c = table(23)
    matrix, numbers = (sy.evaluate(c, **ROLES[k]).evidence[k] for k in ("confusion", "residuals"))
    for zero, x in (
        (Confusion.zero(), matrix),
        (Moments.zero(), numbers.moments),
        (Levels.zero(), Levels.of(c["kind"].tolist())),
    ):
        assert zero + x == x and x + zero == x
    assert (Confusion.zero().rows, float(Confusion.zero().total), float(Moments.zero().n)) == (0, 0.0, 0.0)


@pytest.mark.parametrize("kind", ["confusion", "scores", "class_scores"])
def test_amounts_too_large_to_add_are_refused(kind: str) -> None:
    c = table(24) | {"worth": np.full(48, 1e200)}
    with pytest.raises(SteelyardError):
        sy.evaluate(c, **ROLES[kind], value={"worth": "worth"})


VALUES = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, math.nan, math.inf]), max_size=4)


@given(VALUES, VALUES, st.none() | st.lists(st.sampled_from([0.0, 1.0]), max_size=4))
def test_an_order_is_believed_if_every_value_comes_once_and_after_the_last(low: Any, high: Any, rest: Any) -> None:
    told = list(zip(low, rest)) if rest is not None and len(rest) == len(low) else [(x, 0.0) for x in low]
    good = (
        len(low) == len(high)
        and all(map(math.isfinite, (*low, *high)))
        and told == sorted(set(told))
        and all(a <= b for a, b in zip(low, high))
    )
    given = None if rest is None else np.array(rest)
    if good:
        believed_order(np.array(low), np.array(high), given)
    else:
        with pytest.raises(UnreadableSource):
            believed_order(np.array(low), np.array(high), given)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.25, 1.0, 3.0, 10.0])), min_size=1, max_size=12))
def test_rows_that_count_for_a_share_by_its_spread(rows: list[tuple[bool, float]]) -> None:
    """The variance of a weighted share says so: p (1 − p) over it of a weighted share, held back as the docstring says."""
    w = np.array([x for _, x in rows])
    hit = np.array([x for x, _ in rows])
    share, squares = Share(w[hit].sum(), w.sum()), Share((w[hit] ** 2).sum(), (w**2).sum())
    p, kish = w[hit].sum() / w.sum(), w.sum() ** 2 / (w**2).sum()
    wanted = kish
    if 0 < hit.sum() < len(hit):
        own = min(w[side].sum() ** 2 / (w[side] ** 2).sum() for side in (hit, ~hit))
        variance = (((hit - p) * w) ** 2).sum() / w.sum() ** 2
        wanted = min(p * (1 - p) / variance, kish * (1 + own / 100))
    assert effective_whole(share, squares) == pytest.approx(wanted, rel=1e-9)
    if 0 < hit.sum() < len(hit):
        assert effective_whole(share, squares, 2.0) == pytest.approx(min(wanted, 2.0))
    assert effective_whole(share, None) == w.sum()


def test_copies_of_what_a_threshold_leaves_open_are_left_open_too() -> None:
    once = replace(Confusion.of([[5, 2], [1, 7]], (0, 1), 1), uncertain=(2.0, 3.0))
    assert once.copies(3.0).uncertain == (once + once + once).uncertain == (6.0, 9.0)
