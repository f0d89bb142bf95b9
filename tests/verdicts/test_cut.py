"""What is advised is never worse, by the sums that came, than what is done now or than doing without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Estimate
from steelyard.verdicts.cut import KEEP, KEEP_YET, LEAVE, MOVE, WAIT, advised_cut
from steelyard.verdicts.policy import against_policy

SUMS = st.integers(-50, 50).map(float)


@pytest.mark.parametrize("kind", ["profit", "cost"])
@given(now=SUMS, rival=SUMS, best=SUMS, widths=st.tuples(*[st.integers(0, 60)] * 3))
def test_nothing_worse_is_ever_advised(kind, now, rival, best, widths):
    sign = 1.0 if kind == "profit" else -1.0

    def ahead(value, width):
        return Estimate("profit", value, value - width, value + width)

    word = advised_cut(
        Estimate(kind, sign * now),
        Estimate(kind, sign * rival),
        against_policy(ahead(now - rival, widths[0]), "flag everybody"),
        Estimate(kind, sign * best),
        ahead(best - now, widths[1]),
        against_policy(ahead(best - rival, widths[2]), "flag everybody"),
    ).word
    if word == MOVE:
        assert best > now and best > rival
    elif word in {KEEP, KEEP_YET}:
        assert now > rival
    elif word == LEAVE:
        assert rival >= max(now, best)
    assert (max(now, best) <= rival) == (word == LEAVE)


def test_too_few_cases_advise_nothing():
    x = Estimate("profit", 5.0)
    found = advised_cut(x, x, against_policy(x, "flag nobody"), wait="2 real positives, and 30 are needed")
    assert (found.word, found.known) == (WAIT, False)
