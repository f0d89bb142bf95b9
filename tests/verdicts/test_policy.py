"""Whether a model earns more than doing without one, at the edges and as laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Estimate
from steelyard.verdicts.policy import ADVICE, against_policy, earns_most, less, pays_more, trusting, unbeaten

from .drawn import estimates, mirrored, widened


@pytest.mark.parametrize(
    ("value", "low", "high", "optimism", "word"),
    [
        (5, 1, 9, 0, "better"),
        (5, 1, 9, 1, "no clear difference"),  # luck taken off touches zero
        (5, 0, 9, 0, "no clear difference"),
        (-5, -9, -1, 0, "worse"),
        (-5, -9, 0, 0, "no clear difference"),
        (-5, -9, 1, 3, "no clear difference"),  # luck taken off is no proof of the contrary
        (0, 0, 0, 0, "the same"),
        (0, -1, 1, 0, "no clear difference"),
    ],
)
def test_a_model_against_a_policy(value, low, high, optimism, word):
    v = against_policy(Estimate("profit", value, low, high), "flag everybody", optimism)
    assert (v.word, v.against, v.bound, v.advice) == (word, "flag everybody", 0.0, ADVICE[word])
    assert v.rests_on[0].value == value - optimism


def test_without_an_interval_nothing_is_said():
    v = against_policy(Estimate("profit", 5.0, note="one row"), "flag everybody")
    assert (v.word, v.reason, v.known) == ("not known", "one row", False)
    assert against_policy(Estimate("profit", 5.0, 1.0, None), "flag everybody").word == "not known"
    assert against_policy(Estimate("profit", 5.0, None, 9.0), "flag everybody").word == "not known"


def test_luck_is_taken_off_value_and_interval():
    x = less(Estimate("profit", 5.0, 1.0, 9.0), 2.0)
    assert (x.value, x.low, x.high) == (3.0, -1.0, 7.0)
    assert less(Estimate("profit", 5.0), 2.0).low is None


def test_one_sum_is_more_than_another():
    def more(here, there, kind="profit"):
        return pays_more(Estimate(kind, float(here)), Estimate(kind, float(there)), kind)

    assert more(5, 4) and not more(4, 5) and not more(4, 4)
    assert more(4, 5, "cost") and not more(5, 4, "cost")
    assert not more(1e6 + 1e-4, 1e6) and more(1e6 + 1e-2, 1e6)
    assert not more(1e-10, 0) and more(1e-8, 0)


@pytest.mark.parametrize(
    ("low", "same", "word"),
    [
        (0.1, False, "a loss"),
        (0.0, False, "no clear loss"),
        (-1, False, "no clear loss"),
        (None, False, "not known"),
        (0.0, True, "the same"),
        (None, True, "the same"),
    ],
)
def test_what_trusting_probabilities_costs(low, same, word):
    assert trusting(Estimate("price", 1.0, low, 2.0), same=same).word == word
    assert trusting(None, same=same).word == "not known"


def test_of_equals_the_simplest_earns_most():
    assert earns_most({"nobody": 0.0, "everybody": 0.0, "model": 0.0}) == "nobody"
    assert earns_most({"nobody": 0.0, "everybody": 3.0, "model": 3.0}) == "everybody"
    assert earns_most({"nobody": 0.0, "everybody": 3.0, "model": 4.0}) == "model"
    assert earns_most({"nobody": 0.0, "model": -1.0}) == "nobody"


def test_rivals_that_are_not_beaten():
    clear, open_, none = (Estimate("profit", 5.0, low) for low in (1.0, 0.0, None))
    assert unbeaten({"everybody": clear, "nobody": clear}) == ()
    assert unbeaten({"everybody": open_, "nobody": clear}) == ("everybody",)
    assert unbeaten({"everybody": none, "nobody": open_}) == ("everybody", "nobody")


@given(estimates())
def test_mirrored_advantages_say_the_opposite(x):
    here, there = against_policy(x, "").word, against_policy(mirrored(x), "").word
    assert there == {"better": "worse", "worse": "better"}.get(here, here)


@given(estimates(), st.floats(0, 5))
def test_a_wider_interval_never_says_more(x, more):
    before, after = against_policy(x, "").word, against_policy(widened(x, more), "").word
    assert after in {before, "no clear difference"}


@given(estimates(), st.floats(0, 5))
def test_luck_never_makes_better_nor_worse(x, optimism):
    before, after = against_policy(x, "").word, against_policy(x, "", optimism).word
    assert after != "better" or before == "better"
    assert after != "worse" or before == "worse"


def test_costs_alone_are_trusted_until_their_threshold_is_shown_to_lose_anything():
    price = Estimate("profit", 1.0, 0.05, 2.0)
    assert trusting(price).word == "a loss"
    assert trusting(price.renamed(low=0.0)).word == "no clear loss"
    assert trusting(price).bound == 0 and trusting(price).rests_on == (price,)
    assert trusting(price, same=True).word == trusting(price.renamed(low=None), same=True).word
    assert trusting(None).word == trusting(price.renamed(low=None)).word == trusting(None, same=True).word
