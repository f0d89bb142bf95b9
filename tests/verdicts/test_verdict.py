"""A verdict is data: a word of its kind, what it rests on, and questions that can be asked of it."""

import json

import pytest

from steelyard.results import Estimate
from steelyard.verdicts.enough import CaseCount
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Kind

WEATHER = Kind("weather", {"sun": GOOD, "clouds": OPEN, "rain": BAD, "night": UNKNOWN})
X = Estimate("auc", 0.8, 0.7, 0.9, confidence=0.9)


@pytest.mark.parametrize(
    ("word", "good", "bad", "clear", "known"),
    [
        ("sun", True, False, True, True),
        ("clouds", False, False, False, True),
        ("rain", False, True, True, True),
        ("night", False, False, False, False),
    ],
)
def test_a_word_says_what_its_kind_says(word, good, bad, clear, known):
    v = WEATHER(word)
    assert (v.good, v.bad, v.clear, v.known, str(v)) == (good, bad, clear, known, word)


def test_a_word_of_another_kind_is_refused():
    with pytest.raises(ValueError, match='"snow" is no verdict of the kind weather: sun, clouds, rain, night'):
        WEATHER("snow")


def test_it_is_as_sure_as_what_it_rests_on():
    assert WEATHER("sun", X).confidence == 0.9
    assert WEATHER("sun", X, confidence=0.5).confidence == 0.5
    assert WEATHER("sun").confidence is None


def test_everything_goes_into_json():
    v = WEATHER(
        "rain", X, bound=0.5, against="chance", margin=0.01, cases=CaseCount(3, "row"), reason="r", advice="a", looks=4
    )
    told = json.loads(json.dumps(v.to_dict(), allow_nan=False))
    assert told.pop("rests_on") == [json.loads(json.dumps(X.to_dict()))]
    assert told == {
        "kind": "weather",
        "word": "rain",
        "state": "rain",
        "tone": "bad",
        "sentence": "R.",
        "reasons": [],
        "next_step": "a",
        "bars": [],
        "bound": 0.5,
        "against": "chance",
        "margin": 0.01,
        "cases": {"n": 3, "what": "row", "needed": 30},
        "reason": "r",
        "advice": "a",
        "confidence": 0.9,
        "looks": 4,
    }
    assert WEATHER("sun").to_dict()["cases"] is None


def test_a_verdict_is_its_word_and_two_are_alike_where_all_that_they_rest_on_is():
    v = WEATHER("sun", X, bound=0.5)
    assert v == "sun" and v != "rain" and hash(v) == hash("sun")
    assert v == WEATHER("sun", X, bound=0.5)
    for other in (WEATHER("sun", X, bound=0.6), WEATHER("sun", bound=0.5), WEATHER("rain", X, bound=0.5)):
        assert v != other
    assert v != 1 and v != X and v is not None
    assert v.__eq__(1) is NotImplemented
