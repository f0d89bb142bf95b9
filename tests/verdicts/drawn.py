"""Estimates drawn at random, and the same ones mirrored and widened."""

from hypothesis import strategies as st

from steelyard.results import Difference, Estimate

NUMBERS = st.floats(-2, 2, allow_nan=False).map(lambda v: round(v, 3))


@st.composite
def ends(draw):
    """A value inside its interval."""
    low, value, high = sorted(draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)))
    return value, low, high


def differences():
    return ends().map(lambda x: Difference("auc", "a", "b", *x))


def estimates():
    return ends().map(lambda x: Estimate("auc", *x))


def mirrored(x):
    return x.renamed(value=-x.value, low=-x.high, high=-x.low)


def widened(x, more):
    return x.renamed(low=x.low - more, high=x.high + more)
