"""Which part is worse, whether more rows would help, and what became of a model between two evaluations."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.results import Difference, Estimate
from steelyard.verdicts.change import word_of_all
from steelyard.verdicts.choice import ALIKE, ENOUGH, MORE, NOT_KNOWN, NOWHERE, SOMEWHERE, more_rows, somewhere
from steelyard.verdicts.comparison import BETTER, TOO_FEW, UNCLEAR, WORSE
from steelyard.verdicts.conclusion import MOST, Conclusion, Reason, SumBar

from .drawn import estimates, mirrored


def differences(words):
    return [Difference("auc", verdict=word) for word in words]


WORDS = (BETTER, WORSE, UNCLEAR, TOO_FEW)


@given(st.lists(st.sampled_from(WORDS), max_size=4))
def test_it_is_worse_somewhere_where_a_part_is_and_rests_on_those_parts(words):
    found = somewhere(differences(words))
    assert found.word == (SOMEWHERE if WORSE in words else ALIKE)
    assert [d.verdict for d in found.rests_on] == [WORSE] * words.count(WORSE)


def test_where_nothing_was_looked_at_nothing_is_said():
    assert [somewhere([], looks).word for looks in (0, 1, 7)] == [NOWHERE, ALIKE, ALIKE]


@given(st.lists(estimates(), min_size=1, max_size=3))
def test_more_rows_help_where_a_whole_gain_lies_on_the_better_side(gains):
    found = more_rows(gains, higher=True)
    assert found.word == (MORE if any(g.low > 0 for g in gains) else ENOUGH)
    assert more_rows([mirrored(g) for g in gains], higher=False).word == found.word
    assert found.bound == 0
    assert list(found.rests_on) == ([g for g in gains if g.low > 0] or gains)


@pytest.mark.parametrize("higher", [True, False])
def test_a_gain_that_may_be_none_or_is_not_known_is_no_gain(higher):
    none = Estimate("auc", 0.0, 0.0, 0.0)
    assert more_rows([none], higher=higher).word == ENOUGH
    assert more_rows([none.renamed(low=-0.1, high=0.1)], higher=higher).word == ENOUGH
    for half in (Estimate("auc", 0.2), Estimate("auc", 0.2, low=0.1), Estimate("auc", -0.2, high=-0.1)):
        assert more_rows([half], higher=higher).word == NOT_KNOWN


@pytest.mark.parametrize("words", [some for n in range(5) for some in itertools.combinations(WORDS, n)])
def test_what_became_of_a_model_is_what_any_number_shows_and_both_where_they_disagree(words):
    found = word_of_all(differences(words))
    if {BETTER, WORSE} <= set(words):
        assert found == "better and worse"
    elif words == (TOO_FEW,):
        assert found == TOO_FEW
    else:
        assert found == next((w for w in (BETTER, WORSE) if w in words), "no clear change")


def test_a_conclusion_has_so_many_reasons_and_looks_for_no_more():
    reasons, looked = [Reason(f"{i}", "part") for i in range(MOST + 2)], []

    def later():
        for reason in reasons:
            looked.append(reason)
            yield reason

    for n in range(MOST + 3):
        assert list(Conclusion("s", reasons=tuple(reasons[:n])).reasons) == reasons[: min(n, MOST)]
    assert list(Conclusion("s", later=later).whole.reasons) == reasons[:MOST] == looked


def test_a_bar_is_told_with_both_its_ends():
    bar = SumBar("now", Estimate("profit", 3.0, 1.0, 7.0), "best")
    assert bar.to_dict() == {"name": "now", "role": "best", "value": 3.0, "low": 1.0, "high": 7.0}
