"""What is odd about predictions as a whole is said first; the word, the state and the next step agree, also with the money."""

import numpy as np
import pytest

import steelyard as sy
from steelyard.verdicts.oddity import ALIKE, PERFECT, SCALED, SHIFTED, TURNED, UNFOUND

RNG = np.random.default_rng(5)
ROWS = 400
Y = (RNG.random(ROWS) < 0.3).astype(int)
NUMBERS = RNG.normal(50, 10, ROWS)
NOISE = RNG.normal(0, 3, ROWS)
NAMES = RNG.choice(list("abcd"), ROWS, p=[0.4, 0.3, 0.2, 0.1])
PLAIN = 1 / (1 + np.exp(-RNG.normal(1.5 * (Y - 0.5), 1)))
PROFIT = sy.Profit(tp=30, fp=-10)


@pytest.mark.parametrize(
    ("given", "word", "state", "said"),
    [
        ({"target": Y, "score": np.full(ROWS, 0.3)}, ALIKE, "not yet shown", "Every row has the same score, 0.3."),
        ({"target": Y, "prediction": 0 * Y, "positive": 1}, ALIKE, "not yet shown", "It says 0 of every row."),
        ({"target": NUMBERS, "prediction": 0 * NUMBERS + 49}, ALIKE, "", "The same is predicted for every row."),
        ({"target": Y, "score": Y * 0.5 + 0.2}, PERFECT, "useful, perfect on these rows", "already knows the outcome"),
        ({"target": NUMBERS, "prediction": NUMBERS}, PERFECT, "useful, perfect on these rows", "already knows"),
        ({"target": NUMBERS, "prediction": NUMBERS + 30 + NOISE}, SHIFTED, "predictions too high", "off each of them"),
        ({"target": NUMBERS, "prediction": 1000 * NUMBERS}, SCALED, "on another scale", "in the same unit"),
        ({"target": NUMBERS, "prediction": 100 - NUMBERS + NOISE}, TURNED, "worse than no model", "a wrong sign"),
        (
            {"target": NAMES, "prediction": np.where(NAMES == "d", "a", NAMES)},
            UNFOUND,
            'useful, not for "d"',
            "rely on it",
        ),
    ],
)
def test_what_is_odd_is_said_and_leads_to_the_next_step(given, word, state, said):
    e = sy.evaluate(**given)
    assert e.oddity == word
    assert state in e.verdict.state
    told = " ".join(str(e).split())
    assert said in told
    assert e.verdict.next_step in told
    assert e.verdict.tone != "good"


def test_nothing_is_odd_about_a_plain_model_or_about_few_rows():
    assert sy.evaluate(target=Y, score=PLAIN).oddity is None
    assert sy.evaluate(target=NUMBERS, prediction=NUMBERS + NOISE).oddity is None
    assert sy.evaluate(target=[0, 1] * 6, score=[0.3] * 12).oddity is None


def _good_and_yet_behind():
    """Ranks well; at these amounts flagging everybody earns more than any threshold."""
    rng = np.random.default_rng(17)
    risk = rng.normal(1, 1, 2_000)
    y = (rng.random(2_000) < 1 / (1 + np.exp(-risk))).astype(int)
    return y, 1 / (1 + np.exp(-(risk + rng.normal(0, 0.3, 2_000)))), rng


def test_a_model_that_earns_less_than_none_is_not_called_useful():
    y, score, rng = _good_and_yet_behind()
    e = sy.evaluate(target=y, score=score, profit=sy.Profit(tp=100, fp=-5))
    assert e.usefulness == "useful"
    assert (e.verdict, e.verdict.state, e.verdict.bad) == ("worse than no model", "worse than no model", True)
    assert e.verdict.to_dict()["rests_on"][0]["measure"] == "advantage"
    pair = {"m1": score, "m2": (score + rng.normal(0, 0.2, 2_000)).clip(0.01, 0.99)}
    c = sy.compare(target=y, score=pair, profit=sy.Profit(tp=100, fp=-5))
    assert c.verdict.state == "none is of use"
    assert "Use m" not in c.verdict.next_step
    assert c.verdict.bars[0].name == "flag everybody"
    assert c.verdict.bars[0].role == "best"


def test_scores_in_per_cent_are_told_beside_the_threshold_that_nobody_chose():
    y, score, _ = _good_and_yet_behind()
    e = sy.evaluate(target=y, score=100 * score, profit=PROFIT)
    assert any("If they are percent" in r.text for r in e.verdict.reasons)
    assert str(e).count("If they are percent") == 1


def test_of_several_the_next_is_named_once_and_no_reason_repeats_the_sentence():
    y, score, rng = _good_and_yet_behind()
    models = {n: (score + rng.normal(0, s, 2_000)).clip(0.01, 0.99) for n, s in (("a", 0.01), ("b", 0.3), ("c", 0.6))}
    c = sy.compare(target=y, score=models, profit=sy.Profit(tp=10, fp=-15))
    assert c.verdict.sentence.count("than the next") == 1
    limits = c.verdict.sentence[c.verdict.sentence.index("[") : c.verdict.sentence.index("]")]
    assert not [r.text for r in c.verdict.reasons if limits in r.text]
