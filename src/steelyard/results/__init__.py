"""What leaves the house: small, frozen, named things that turn into JSON and back."""

from steelyard.results.curve import Curve
from steelyard.results.frames import make_frame
from steelyard.results.numbers import Difference, Estimate, Interval, Level, Undefined
from steelyard.results.readings import (
    Array,
    Average,
    Codes,
    Flags,
    Mean,
    Number,
    Quotient,
    Ratio,
    Reading,
    Share,
    divide,
)

__all__ = [
    "Array",
    "Average",
    "Codes",
    "Curve",
    "Difference",
    "Estimate",
    "Flags",
    "Interval",
    "Level",
    "Mean",
    "Number",
    "Quotient",
    "Ratio",
    "Reading",
    "Share",
    "Undefined",
    "divide",
    "make_frame",
]
