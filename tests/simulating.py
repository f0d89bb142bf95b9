"""Simulations: a part of their draws in every run of the tests, all of them in the long one (`make fuzz`).

With fewer draws a share is known less well: it is held to the same promise, by what chance brings in so many draws.
"""

from __future__ import annotations

import os

from scipy.stats import binom

LONG = bool(os.environ.get("STEELYARD_DRAWS"))
SELDOM = 0.001
"""How seldom a test would fail where the promise is just kept; draws are the same every time, so it fails always or never."""


def draws(every: int, part: int) -> int:
    """How many draws to make: a part of them, or every one in the long run."""
    return every if LONG else part


def no_more_often(found: int, drawn: int, promised: float) -> bool:
    """Whether so many of the draws are no more than what was promised brings by chance."""
    return bool(binom.sf(found - 1, drawn, promised) > SELDOM)


def no_less_often(found: int, drawn: int, promised: float) -> bool:
    """Whether so many of the draws are no fewer than what was promised brings by chance."""
    return bool(binom.cdf(found, drawn, promised) > SELDOM)


def about_as_often(found: int, drawn: int, least: float, most: float) -> bool:
    """Whether so many of the draws may come of a share between two: in the long run the share itself lies there."""
    if LONG:
        return least <= found / drawn <= most
    return no_less_often(found, drawn, least) and no_more_often(found, drawn, most)
