"""Models whose warnings are compared through the front door."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.early_warning.comparison import compare_timeliness
from steelyard.views.layout import width_of

RNG = np.random.default_rng(5)
LEFT = RNG.random(400) < 0.2
WHO = np.repeat(np.arange(400), 3)
ROWS: dict[str, Any] = {"who": WHO, "day": np.tile([0.0, 9.0, 20.0], 400), "left": LEFT[WHO], "worth": 1.0 + WHO % 7}
for NAME, SHARPNESS in (("new", 0.6), ("old", 0.3), ("twin", 0.3)):
    ROWS[NAME] = np.clip(SHARPNESS * LEFT[WHO] + RNG.beta(1, 9, 1200), 0, 1)


def measured(score: str, **options: Any) -> Any:
    return sy.timeliness(ROWS, unit="who", time="day", score=score, outcome="left", horizon=31, **options)


def test_two_models_by_name() -> None:
    new, old = measured("new"), measured("old")
    c = sy.compare({"new": new, "old": old})
    d, right = c.difference("q"), compare_timeliness(new, old)
    assert (d.value, d.low, d.high, d.p_value, d.verdict) == (
        right.value,
        right.low,
        right.high,
        right.p_value,
        "better",
    )
    back = c.difference("q", "old", "new")
    assert (back.value, back.low, back.high, back.verdict) == (-d.value, -d.high, -d.low, "worse")
    text = " ".join(str(c).split())
    assert (
        '"new" has a higher Q than "old"' in text
        and "Q is not a proper score" in text
        and "p < 0.0001" in text
        and "Paired by customer, 400" in text
    )
    assert all(width_of(line) <= 80 for line in str(c).splitlines())
    assert json.loads(json.dumps(c.to_dict()))["differences"][0]["first"] == "new"
    assert len(c.frame()) == 1
    for other in (sy.compare(new, old), sy.compare([new, old])):
        assert other.difference().value == d.value and [*other.models] == ["first", "second"]


def test_several_models_allow_for_the_number_of_pairs() -> None:
    models = {name: measured(name, value="worth") for name in ("new", "old", "twin")}
    c = sy.compare(models)
    assert len(c.differences) == 6 and {d.measure for d in c.differences} == {"q", "value_q"}
    alone = compare_timeliness(models["old"], models["twin"])
    together = c.difference("q", "old", "twin")
    assert together.verdict == "no clear difference" and together.p_value >= alone.p_value
    assert c.difference("q", "new", "old").p_value <= 1 and "3 pairs at once (Bonferroni)" in " ".join(str(c).split())
    assert [d.measure for d in sy.compare(models, measures="q0").differences] == ["q0"] * 3
    for d in c.differences:
        one = compare_timeliness(models[d.first], models[d.second], d.measure)
        assert d.low < one.low and d.high > one.high and d.p_value == pytest.approx(min(1, 3 * one.p_value))
        assert (d.p_value < 0.05) == (d.low > 0 or d.high < 0) == (d.verdict != "no clear difference")


def test_a_model_that_never_warns_is_not_called_better() -> None:
    """Never to warn has a higher Q than honest scores where outcomes are rare; that is no merit."""
    rows = ROWS | {"never": np.zeros(1200), "honest": np.clip(0.2 + 0.1 * LEFT[WHO], 0, 1)}
    never, honest = (
        sy.timeliness(rows, unit="who", time="day", score=name, outcome="left", horizon=31)
        for name in ("never", "honest")
    )
    c = sy.compare({"never": never, "honest": honest})
    assert never.q.value > honest.q.value and c.difference("q").low > 0
    for d in (c.difference("q"), c.difference("q", "honest", "never")):
        assert d.verdict == 'neither beats "always negative"' and "not a proper score" in d.note
    text = " ".join(str(c).split())
    assert "Neither of" in text and "is called better" in text and "has a higher" not in text


def test_what_cannot_be_compared_is_told() -> None:
    t = measured("new")
    with pytest.raises(sy.errors.UsageError, match="At least two models"):
        sy.compare({"new": t})
    with pytest.raises(sy.errors.UsageError, match="target= came"):
        sy.compare({"new": t, "old": measured("old")}, target="left")
    with pytest.raises(sy.errors.UsageError, match="several came") as found:
        measured(("new", "old"))
    assert "sy.compare(" in found.value.hint
    with pytest.raises(sy.errors.UsageError, match="several came"):
        measured(["new", "old"])
    with pytest.raises(sy.errors.UsageError, match="by name"):
        sy.compare(sy.evaluate(target=[0, 1, 0, 1], score=[0.1, 0.9, 0.2, 0.6]), t)
    with pytest.raises(sy.errors.UnknownMeasure, match='no model "odl"'):
        sy.compare({"new": t, "old": measured("old")}).difference("q", "new", "odl")
    with pytest.raises(sy.errors.UsageError, match="measured in days"):
        sy.compare({"new": measured("new", time_unit="days"), "old": measured("old", time_unit="hours")})
