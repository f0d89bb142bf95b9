"""What an option of a measure may be stands on the measure; anything else ends in one sentence, whoever asks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.gates.requirement import outcome_of, requirement_of
from steelyard.measures.measure import Measure, catalogue

from .test_range import check_promises

OPTIONS = [(name, option) for name, m in catalogue().items() for option in m.options if option != "payoff"]


def _share(v: float) -> bool:
    return 1e-9 <= v <= 1


def _inside(v: float) -> bool:
    return 0 < v < 1


FINE: dict[str, Callable[[Any], bool]] = {
    "depth": _share,
    "fpr": _share,
    "prevalence": _inside,
    "quantile": _inside,
    "beta": lambda v: v >= 0,
    "bins": lambda v: v == int(v) and 1 <= v <= 10_000,
    "k": lambda v: v == int(v) and 1 <= v <= 1000,
    "power": lambda v: v in (1, 1.5, 2),
}
"""By definition, whatever the code says: the numbers that an option may be."""
NOT_NUMBERS = (
    "x",
    "10%",
    "0.1",
    "",
    None,
    True,
    False,
    [0.1],
    (1, 2),
    {},
    b"1",
    float("nan"),
    float("inf"),
    10**400,
    1j,
)
NUMBERS = st.one_of(
    st.sampled_from((-1, 0, 0.0, -0.0, 1, 1.0, 2, 3, 10, 1.5, 0.5, 1e-300, -1e-300, 1e300, 10_001, 10**18, 5e-324)),
    st.floats(0, 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-5, 20),
)
ROWS = {"target": [1, 1, 0, 0, 1, 0, 0, 0], "score": [0.9, 0.8, 0.7, 0.4, 0.4, 0.2, 0.1, 0.0]}


def _evaluations() -> list[sy.Evaluation]:
    levels = ["a", "b", "c", "a", "c", "b", "a", "b"]
    by_class = {v: [0.5, 0.2, 0.3, 0.1, 0.6, 0.4, 0.2, 0.7] for v in "abc"}
    return [
        sy.evaluate(**ROWS, profit=sy.Profit(tp=5, fp=-2)),
        sy.evaluate(**ROWS, profit=sy.Cost(fn=5, fp=2)),
        sy.evaluate(target=levels, score=by_class),
        sy.evaluate(target=[1.0, 2.5, 3.0, 7.0], prediction=[1.5, 2.0, 3.5, 5.0]),
    ]


HERE = _evaluations()


def _asked(name: str) -> sy.Evaluation:
    return next(e for e in HERE if name in e.measures)


def test_every_option_has_a_definition_here() -> None:
    """A new option needs a line in this file, or no law would see it."""
    assert {option for _, option in OPTIONS} == {*FINE, "per", "weights"}
    assert {(name, option) for name, m in catalogue().items() for option in m.allowed} == set(OPTIONS)


def _refused(name: str, option: str, value: Any) -> None:
    with pytest.raises(sy.errors.UsageError) as found:
        _asked(name).measure(name, **{option: value})
    said = found.value.message
    assert said.startswith(f'The option "{option}" of {name} must be ') and said.endswith(" came."), said
    assert len(said) < 250 and "\n" not in said
    assert name in found.value.hint


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_what_is_no_number_and_no_choice_is_refused(name: str, option: str) -> None:
    for value in NOT_NUMBERS:
        _refused(name, option, value)
    if option in {"per", "weights"}:
        for value in (0, 1.0, "row", (1.0, 2.0), (-1, 1, 1, 1), (0, 0, 0, 0), (1, 1, 1, float("nan")), (1, 1, 1, "x")):
            _refused(name, option, value)


@pytest.mark.parametrize(("name", "option"), [(n, o) for n, o in OPTIONS if o in FINE])
@given(value=NUMBERS)
def test_a_number_is_answered_or_refused_as_it_is_defined(name: str, option: str, value: float) -> None:
    if not FINE[option](value):
        _refused(name, option, value)
        return
    check_promises(_asked(name).measure(name, **{option: value}))


@given(st.lists(st.sampled_from((0.0, 1.0, 2.5, 1e-300, 1e300, 1e308)), min_size=4, max_size=4).filter(any))
def test_weights_of_any_size_are_proportions(weights: list[float]) -> None:
    x = _asked("weighted_accuracy").measure("weighted_accuracy", weights=weights)
    check_promises(x)


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("lift", {"depth": 0}, "no real positives"),
        ("ece", {"bins": 0}, "outside"),
        ("f_beta", {"beta": float("nan")}, "no positives"),
    ],
)
def test_the_reason_is_the_right_one(name: str, options: dict[str, Any], wrong: str) -> None:
    with pytest.raises(sy.errors.UsageError) as found:
        _asked(name).measure(name, **options)
    assert wrong not in str(found.value)


def test_the_same_sentence_wherever_it_is_asked(rng: Any) -> None:
    other = sy.evaluate(**{**ROWS, "score": rng.random(8)})
    ways: list[Callable[[], Any]] = [
        lambda: HERE[0].measure("lift", depth=2),
        lambda: outcome_of(HERE[0], ["lift(depth=2) >= 1"]),
        lambda: requirement_of("lift(depth=200%) >= 1"),
        lambda: sy.compare({"a": HERE[0], "b": other}).difference("lift", "a", "b", depth=2),
        lambda: sy.compare(target=ROWS["target"], score={"a": ROWS["score"], "b": rng.random(8)}).difference(
            "lift", "a", "b", depth=2
        ),
        lambda: catalogue()["lift"](HERE[0].scores, depth=2),
    ]
    for way in ways:
        with pytest.raises(sy.errors.UsageError, match=r'The option "depth" of lift must be a number from 1e-9 to 1'):
            way()


def test_numbers_of_any_library_are_taken(rng: Any) -> None:
    import fractions

    import numpy as np

    e = HERE[0]
    for half in (np.float32(0.5), np.float64(0.5), fractions.Fraction(1, 2), np.array(0.5).item()):
        assert e.measure("lift", depth=half).value == e.measure("lift", depth=0.5).value
    assert e.measure("ece", bins=np.int8(3)).value == e.measure("ece", bins=3.0).value == e.measure("ece", bins=3).value


def test_the_ranges_are_told_with_the_measure() -> None:
    from steelyard.views.catalogue import measure_document, measure_text

    for name, option in OPTIONS:
        m: Measure = catalogue()[name]
        said = re.sub(r"\s+", " ", measure_text(m))
        assert f"({m.allowed[option]})" in said
        assert measure_document(m)["allowed"][option] == str(m.allowed[option])


# Samples at the edge --------------------------------------------------------------------------------------------------

EDGES: dict[str, dict[str, Any]] = {
    "one row": {"target": [1], "score": [0.5], "levels": [0, 1]},
    "one class": {"target": [1, 1, 1], "score": [0.5, 0.2, 0.9], "levels": [0, 1]},
    "the other class": {"target": [0, 0, 0], "score": [0.5, 0.2, 0.9], "levels": [0, 1]},
    "one score": {"target": [1, 0, 1, 0], "score": [0.5] * 4},
    "scores 0 and 1": {"target": [1, 0, 1, 0], "score": [1, 0, 0, 1]},
    "ties": {"target": [1, 0, 1, 0, 1, 0], "score": [0.3, 0.3, 0.7, 0.7, 0.3, 0.7]},
    "weights": {"target": [1, 0, 1, 0], "score": [0.1, 0.2, 0.3, 0.4], "weight": [0, 1e-3, 1e6, 1.0]},
    "one label": {"target": ["a"], "prediction": ["a"], "levels": ["a", "b"], "positive": "a"},
    "labels never said": {"target": ["a", "b", "a"], "prediction": ["a", "a", "a"], "positive": "b"},
    "three labels, one row": {"target": ["a"], "prediction": ["c"], "levels": ["a", "b", "c"]},
    "many labels": {"target": list("abcdefghijkl") * 3, "prediction": list("abcdefghijlk") * 3},
    "classes, one row": {"target": ["a"], "score": {"a": [0.2], "b": [0.5], "c": [0.3]}},
    "classes, one level": {"target": ["a", "a"], "score": {"a": [0.2, 1], "b": [0.5, 0], "c": [0.3, 0]}},
    "one number": {"target": [1.5], "prediction": [2.5]},
    "equal numbers": {"target": [1.5, 1.5, 1.5], "prediction": [2.5, 2.5, 2.5]},
    "numbers hit": {"target": [1.5, 2.5, 3.5], "prediction": [1.5, 2.5, 3.5]},
    "numbers around zero": {"target": [0.0, 0.0, 1.5], "prediction": [1.5, -2.0, 0.0]},
}
LEGAL: dict[str, tuple[Any, ...]] = {
    "depth": (1e-9, 0.3, 1),
    "fpr": (1e-9, 0.3, 1),
    "prevalence": (1e-9, 0.7),
    "quantile": (1e-9, 0.9),
    "beta": (0, 1e-9, 1e200),
    "bins": (1, 10_000),
    "k": (1, 1000),
    "per": ("case",),
    "weights": ((0, 0, 0, 1), (1, 0, 0, 0)),
}


@pytest.mark.parametrize("name", EDGES)
def test_every_number_of_every_edge_keeps_its_promises(name: str) -> None:
    given = EDGES[name]
    if "score" in given and not isinstance(given["score"], dict):
        given = {**given, "profit": sy.Profit(tp=5, fp=-2)}
    e = sy.evaluate(**given)
    for x in e.rows_of_numbers():
        check_promises(x)
    for asked in e.measures:
        m = catalogue()[asked]
        for option, values in LEGAL.items():
            for value in values if option in m.options else ():
                level = None if e.positive is not None or set(e.summaries) & set(m.reads) else e.levels[0]
                x = e.measure(asked, level, **{option: value})
                check_promises(x)
                assert x.value is None or math.isfinite(x.value)
