"""What changed between two evaluations: the differences that compare tells, held at once, of the whole and of segments."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

from ..simulating import draws, no_more_often


def _month(
    seed: int, shift: float = 1.2, n: int = 600, regions: tuple[object, ...] = ("north", "south")
) -> sy.Evaluation:
    r = np.random.default_rng(seed)
    y = (r.random(n) < 0.3).astype(int)
    region = np.array(regions, dtype=object)[np.arange(n) % len(regions)]
    rows = {"y": y, "p": 1 / (1 + np.exp(1 - shift * y - r.normal(size=n))), "region": region}
    return sy.evaluate(rows, target="y", score="p", segment="region")


def test_each_number_is_the_difference_at_the_confidence_of_all() -> None:
    old, new = _month(1), _month(2, 0.6)
    found = sy.changes(old, new, measures=["auc", "recall"])
    both = sy.compare({"new": new, "old": old}, measures=["auc", "recall"], confidence=0.975)
    for change in found.whole:
        d = both.difference(change.difference.measure, "new", "old")
        assert (change.difference.value, change.difference.low, change.difference.high) == (d.value, d.low, d.high)
    assert {c.segment for c in found.parts} == {"north", "south"}
    assert found.frame().shape[0] == 4


def test_a_model_that_fell_is_worse_and_one_that_rose_is_better() -> None:
    good, poor = _month(1, 2.0, 3000), _month(2, 0.3, 3000)
    assert sy.changes(good, poor).verdict.word == "worse" and sy.changes(poor, good).verdict.word == "better"
    told = str(sy.changes(good, poor, names=("March", "April")))
    assert told.startswith("April is worse than March: AUC 0.9") and max(map(len, told.splitlines())) <= 80
    assert "AUC is worse: 0.9" in told and sy.changes(good, poor).verdict.next_step


def test_months_of_one_model_hardly_ever_differ_in_any_number() -> None:
    months = [_month(seed, n=300) for seed in range(draws(120, 40))]
    wrong = [sy.changes(a, b).verdict.clear for a, b in zip(months[::2], months[1::2], strict=True)]
    assert no_more_often(sum(wrong), len(wrong), 0.05)


def test_segments_are_matched_by_what_the_column_holds() -> None:
    found = sy.changes(_month(1, regions=(1, "x")), _month(2, regions=("1", "x")))
    assert [c.segment for c in found.parts] == ["x"]
    assert found.only == (("1 (number)",), ('"1"',))
    assert 'Only in old: 1 (number). Only in new: "1".' in " ".join(str(found).split())


def test_too_few_rows_say_so() -> None:
    y = [1, 0] * 3
    old, new = (
        sy.evaluate(target=y, score=s) for s in ([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], [0.1, 0.9, 0.2, 0.8, 0.3, 0.7])
    )
    assert sy.changes(old, new, measures="auc").verdict.word == "too few cases to say"


def test_other_shares_and_thresholds_are_named() -> None:
    old = sy.evaluate(confusion=[[400, 100], [60, 440]], levels=[1, 0])
    new = sy.evaluate(confusion=[[200, 50], [90, 660]], levels=[1, 0])
    assert any("share of positives went from 50% to 25%" in s for s in sy.changes(old, new).sentences())
    moved = sy.changes(_month(1), _month(2).at(0.3))
    assert any("threshold went from 0.5 to 0.3" in s for s in moved.sentences())


def test_what_cannot_be_meant_is_a_sentence() -> None:
    e = _month(1)
    with pytest.raises(sy.errors.UsageError, match="same evidence"):
        sy.changes(e, _month(1))
    with pytest.raises(sy.errors.SteelyardError, match="different kinds"):
        sy.changes(e, sy.evaluate(target=[1.0, 2.5], prediction=[1.5, 2.0], kind="continuous"))
    with pytest.raises(sy.errors.SteelyardError, match='answer "rmse"'):
        sy.changes(e, _month(2), measures=["rmse"])
    with pytest.raises(sy.errors.UsageError, match="Two evaluations"):
        sy.changes(e, "april.json")  # type: ignore[arg-type]
    with pytest.raises(sy.errors.UsageError, match="a name each"):
        sy.changes(e, _month(2), names=("march",))  # type: ignore[arg-type]
    with pytest.raises(sy.errors.UsageError, match="empty list"):
        sy.changes(e, _month(2), measures=[])


def test_amounts_that_one_of_the_two_has_are_not_left_out_in_silence() -> None:
    old, new = ([[40, 10], [6, 44]], [[33, 17], [6, 44]])
    plain = [sy.evaluate(confusion=c, levels=[1, 0], positive=1) for c in (old, new)]
    paid = [
        sy.evaluate(confusion=c, levels=[1, 0], positive=1, **worth)
        for c, worth in ((old, {"profit": sy.Profit(tp=5, fp=-1)}), (new, {"cost": sy.Cost(fn=5, fp=1)}))
    ]
    said = "what they earn is not compared"
    assert said not in str(sy.changes(*plain))
    for pair in (paid, [paid[0], plain[1]], [plain[0], paid[1]]):
        assert said in " ".join(str(sy.changes(*pair)).split())
