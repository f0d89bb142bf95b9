"""Titles and nouns are words that a person reads, and no abbreviations but those that everybody uses."""

from __future__ import annotations

import re

import pytest

import steelyard as sy

COMMON = {"AUC", "KS", "F1", "F", "R²", "J", "L", "k", "MSE", "RMSE", "MAE"}
"""Names that are used more than what they stand for."""
NOUNS = {*COMMON, "SSE", "MAPE", "RAE", "RRSE", "MSLE", "RMSLE", "sMAPE", "WAPE"}
"""In the middle of a sentence also what stands written out in the title."""
SHORT = {"rate", "false", "value", "class", "kappa", "with", "at", "in", "the", "top", "tenth", "lift", "score", "log"}
SHORT |= {"loss", "Brier", "skill", "slope", "Hand", "and", "Till", "mean", "root", "sum", "of", "error", "bias", "as"}
SHORT |= {"a", "share", "all", "gain", "cost", "ratio", "Gini", "index", "gamma", "after", "s", "by", "beta"}
"""Short words that are words."""


def odd(text: str, common: set[str]) -> set[str]:
    """Short words of a text that nobody has read: an abbreviation is short."""
    words = re.findall(r"[^\W\d_]+[\d²]?", text)
    return {w for w in words if len(w) <= 5 and w not in common and w not in SHORT and w.lower() not in SHORT}


@pytest.mark.parametrize("name", list(sy.catalogue()))
def test_a_title_is_made_of_words(name: str) -> None:
    m = sy.catalogue()[name]
    assert not odd(m.title, COMMON), m.title
    assert not odd(m.noun, NOUNS), m.noun
    assert m.title[0].isupper() and "_" not in m.title + m.noun
    assert m.title not in COMMON - {"F1", "R²"}, "a bare abbreviation says nothing to a newcomer"


def test_what_finds_abbreviations_would_find_them() -> None:
    for text in ("Fpr", "Npv", "Median ae", "Lr positive", "Average class accuracy hm", "Rrse", "Partial auc"):
        assert odd(text, COMMON), text
