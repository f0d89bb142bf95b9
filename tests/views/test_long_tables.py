"""A table that is too long says which rows it shows, and the worst is among them."""

from __future__ import annotations

import numpy as np

import steelyard as sy
from steelyard.views.tables import MOST_ROWS, levels, segments


def test_the_worst_segment_is_shown_however_small_it_is() -> None:
    rng = np.random.default_rng(6)
    shop = np.repeat(np.arange(30), np.arange(300, 0, -10))
    y = rng.integers(0, 2, len(shop))
    p = np.where(shop == 29, 1 - y, y) * 0.5 + 0.5 * rng.random(len(shop))
    e = sy.evaluate(target=y, score=p, segment=[f"shop {s}" for s in shop])
    t = segments(e)
    assert t is not None and len(t.rows) == MOST_ROWS + 1
    assert "shop 29" in [row[0] for row in t.rows]
    assert 'The 19 largest of 30 segments, and the worst by auc, "shop 29"' in t.note and "shop 29" in e.text()
    whole = segments(e, 400)
    assert whole is not None and len(whole.rows) == 31


def test_the_worst_level_is_shown_too() -> None:
    rng = np.random.default_rng(7)
    truth = np.repeat([f"l{i}" for i in range(30)], np.arange(60, 0, -2))
    guess = np.where(rng.random(len(truth)) < 0.9, truth, "l0")
    guess[truth == "l29"] = "l1"
    t = levels(sy.evaluate(target=truth, prediction=guess))
    assert t is not None and "l29" in [row[0] for row in t.rows] and "the worst by recall" in t.note
