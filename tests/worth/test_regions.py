"""Which model wins at which costs: every winner against brute force, and the words that tell it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable, UsageError
from steelyard.measures.flagged import rates
from steelyard.summaries.scores import Scores
from steelyard.views.layout import width_of
from steelyard.worth.regions import INDEPENDENT, Regions, regions, saving
from steelyard.worth.unknown_costs import expected_profit, h_measure

ALL, NONE = "flag everybody", "flag nobody"


def model(seed: Any, positives: int, negatives: int, apart: float, wide: float = 1.0, digits: int = 6) -> Any:
    rng = np.random.default_rng(seed)
    score = np.round(np.r_[rng.normal(apart, wide, positives), rng.normal(0, 1, negatives)], digits)
    return SimpleNamespace(scores=Scores.of(score.tolist(), [1] * positives + [0] * negatives, positive=1))


def costs(models: dict[str, Any], skew: float) -> dict[str, float]:
    """The least cost over every cut-off of every model, and of both trivial policies."""
    found = {NONE: skew, ALL: 1 - skew}
    for name, m in models.items():
        tpr, fpr = rates(m.scores)
        found[name] = float((skew * (1 - tpr) + (1 - skew) * fpr).min())
    return found


def three(seed: int = 1, rows: int = 10) -> dict[str, Any]:
    return {
        "tree": model([seed, 1], 8 * rows, 92 * rows, 1.5),
        "knn": model([seed, 2], 8 * rows, 92 * rows, 1.8, 2.2),
        "logistic": model([seed, 3], 8 * rows, 92 * rows, 1.2, 0.7),
    }


@pytest.mark.parametrize("seed", range(12))
def test_the_winner_is_what_brute_force_finds(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    names = ["a", "b", "c"][: 1 + seed % 3]
    models = {n: model([seed, i], 40, 160, rng.uniform(0, 2), rng.uniform(0.5, 2), 1) for i, n in enumerate(names)}
    found = regions(models)
    checked = 0
    for ratio, p in zip(np.exp(rng.normal(0, 2.5, 300)), rng.uniform(0.01, 0.99, 300), strict=True):
        skew = p * ratio / (p * ratio + 1 - p)
        here = costs(models, skew)
        least = min(here.values())
        best = [n for n, v in here.items() if v <= least + 1e-12]
        rest = [v for n, v in here.items() if n not in best]
        # A model may always be used as a trivial policy; then the trivial policy is named.
        expected = best[0]
        if rest and min(rest) - least < 1e-9:
            continue
        assert found.winner(float(ratio), float(p)) == expected
        checked += 1
    assert checked > 250


def test_parts_join_and_every_boundary_is_where_two_policies_cost_the_same() -> None:
    models = three()
    found = regions(models, prevalence=0.2)
    assert found.parts[0].from_skew == 0
    assert found.parts[-1].to_skew == 1
    assert found.parts[-1].to_ratio is None
    for left, right in zip(found.parts, found.parts[1:], strict=False):
        assert left.to_skew == right.from_skew
        assert left.winner != right.winner
        here = costs(models, right.from_skew)
        assert here[left.winner] == pytest.approx(here[right.winner], abs=1e-12)
        assert right.from_ratio == pytest.approx(right.from_skew / (1 - right.from_skew) * 4)
        assert left.to_ratio == right.from_ratio
    for part in found.parts:
        inside = np.linspace(part.from_skew, part.to_skew, 2001)
        every = [costs(models, float(pc)) for pc in inside]
        gain = [min(v for n, v in c.items() if n != part.winner) - c[part.winner] for c in every]
        assert min(gain) > -1e-12
        if part.runner_up is not None:
            assert part.advantage == pytest.approx(max(gain), abs=1e-3)
            assert part.advantage >= max(gain) - 1e-12


def test_thresholds_at_the_ends_are_the_best_just_inside() -> None:
    models = three(2)
    for part in regions(models).parts:
        if part.runner_up is None:
            assert part.from_threshold is None
            assert part.to_threshold is None
            continue
        s = models[part.winner].scores
        step = 1e-7 * (part.to_skew - part.from_skew)
        for cut, skew in ((part.from_threshold, part.from_skew + step), (part.to_threshold, part.to_skew - step)):
            flagged = s.cells.low >= cut
            fnr = 1 - s.positives[flagged].sum() / s.positives.sum()
            cost = skew * fnr + (1 - skew) * s.negatives[flagged].sum() / s.negatives.sum()
            assert cost == pytest.approx(costs(models, skew)[part.winner], abs=1e-12)


def test_two_models_that_are_one_share_no_regions() -> None:
    m = model(3, 40, 160, 1.0)
    found = regions({"one": m, "two": m})
    assert {part.winner for part in found.parts} <= {"one", NONE, ALL}
    middle = next(part for part in found.parts if part.winner == "one")
    assert (middle.runner_up, middle.advantage, middle.clear) == ("two", 0.0, False)


def test_one_model_is_held_against_the_trivial_policies() -> None:
    clearly = regions({"m": model(4, 100, 400, 2.0)})
    assert any(part.winner == "m" and part.clear and part.runner_up in {NONE, ALL} for part in clearly.parts)
    never = regions({"m": SimpleNamespace(scores=Scores.of([0.5] * 10, [1] * 2 + [0] * 8, positive=1))})
    assert [part.winner for part in never.parts] == [NONE, ALL]
    assert never.parts[0].to_ratio == pytest.approx(4)


# Differences ---------------------------------------------------------------------------------------------------------


def test_a_difference_is_a_saving_with_an_interval() -> None:
    models = three(5)
    found = regions(models)
    x = found.difference("tree", "knn", 5.0, prevalence=0.1)
    here = costs(models, 0.5 / 1.4)
    assert x.value == pytest.approx(here["knn"] - here["tree"], abs=1e-12)
    assert x.note == INDEPENDENT
    assert x.low is not None
    assert x.high is not None
    assert x.low < x.value < x.high
    back = found.difference("knn", "tree", 5.0, prevalence=0.1)
    assert back.value == pytest.approx(-x.value)
    against = found.difference("tree", ALL, 5.0, prevalence=0.1)
    assert against.value == pytest.approx(here[ALL] - here["tree"], abs=1e-12)
    assert against.note == ""
    fixed = found.difference(NONE, ALL, 5.0, prevalence=0.1)
    assert (fixed.low, fixed.high, fixed.method) == (None, None, "none")
    assert "known exactly" in fixed.note


def test_the_spread_of_a_difference_is_that_of_new_samples() -> None:
    pairs = [{"a": model([i, 1], 60, 140, 1.2), "b": model([i, 2], 60, 140, 1.2)} for i in range(200)]
    found = [saving({k: m.scores for k, m in p.items()}, "a", "b", 0.4, 0.95) for p in pairs]
    spread = float(np.std([x.value for x in found]))
    told = float(np.mean([(x.high - x.low) / (2 * 1.96) for x in found if x.low is not None and x.high is not None]))
    assert 0.85 < told / spread < 1.15
    covered = sum(x.low <= 0 <= x.high for x in found if x.low is not None and x.high is not None)
    assert covered / len(found) > 0.86


def test_two_tables_are_resampled_apart() -> None:
    """Every table is resampled with one seed: copies of equal tables, not shuffled, would never differ."""
    s = model(10, 60, 140, 1.2).scores
    pair = saving({"a": s, "b": s}, "a", "b", 0.4, 0.95)
    alone = saving({"a": s}, "a", NONE, 0.4, 0.95)
    assert pair.value == 0
    wide, narrow = (x.high - x.low for x in (pair, alone) if x.low is not None and x.high is not None)
    assert wide / narrow == pytest.approx(np.sqrt(2), rel=0.1)


def test_a_model_that_knows_nothing_is_seldom_clearly_better_than_none() -> None:
    claims = [any(part.clear for part in regions({"m": model([8, i], 40, 160, 0.0)}).parts) for i in range(100)]
    assert sum(claims) <= 15


# Boundaries, tables, words -------------------------------------------------------------------------------------------


def test_boundaries_move_with_the_prevalence() -> None:
    found = regions(three(6))
    curve = found.boundary([0.05, 0.5])
    assert len(curve) == 2 * (len(found.parts) - 1)
    for i, p, skew, ratio in zip(*curve.columns.values(), strict=True):
        assert i is not None
        assert p is not None
        assert ratio is not None
        assert p * ratio / (p * ratio + 1 - p) == pytest.approx(skew)
        before, after = found.parts[int(i) - 1], found.parts[int(i)]
        assert found.winner(ratio * 0.999999, p) == before.winner
        assert found.winner(ratio * 1.000001, p) == after.winner


def test_it_is_plain_json_and_comes_back() -> None:
    found = regions(three(7))
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = Regions.from_dict(json.loads(text))
    assert again == found
    assert str(again) == str(found)
    assert again.winner(3.0) == found.winner(3.0)
    with pytest.raises(NotAvailable, match="read back without the score tables"):
        again.difference("tree", "knn", 3.0)
    assert list(found.frame()["winner"]) == [part.winner for part in found.parts]


def test_it_is_told_in_a_sentence() -> None:
    good = [0.9, 0.8, 0.7, 0.2] * 40 + [0.1, 0.15, 0.3, 0.75] * 160
    found = regions({"tree": SimpleNamespace(scores=Scores.of(good, [1] * 160 + [0] * 640, positive=1))})
    # Half of the positives lie above every negative, half of the negatives below every positive: no costs are out of reach.
    said = "At 20% positives: tree is best, whatever finding a positive is worth."
    assert " ".join(str(found).split()).startswith(said)
    two = {"steady": model(11, 400, 4600, 1.5), "bold": model(12, 400, 4600, 1.0, 3.0)}
    words = " ".join(str(regions(two)).split())
    assert "At 8% positives: bold is best when finding a positive is worth" in words
    assert "times a false alarm; steady from" in words or "times a false alarm; steady above" in words
    same = model(13, 30, 70, 0.8)
    assert "(no clear difference)" in " ".join(str(regions({"one": same, "two": same})).split())
    flat = SimpleNamespace(scores=Scores.of([0.5] * 10, [1] * 2 + [0] * 8, positive=1))
    assert "no model beats the trivial policies; flag nobody where" in " ".join(str(regions({"m": flat})).split())


@pytest.mark.parametrize(
    "name", ["a", "a model with a very long name that says all its settings", "日本語のモデル" * 5]
)
def test_no_line_is_wider_than_80_columns(name: str) -> None:
    for seed in range(4):
        models = {f"{name} {i}": model([9, seed, i], 30, 120, 1.0, 1.0 + i / 2) for i in range(4)}
        assert all(width_of(line) <= 80 for line in str(regions(models)).splitlines())


# Bad input -----------------------------------------------------------------------------------------------------------


def test_bad_input_gets_a_sentence() -> None:
    good = model(1, 20, 80, 1.0)
    lone = SimpleNamespace(scores=Scores.of([0.1, 0.2], [0, 0], positive=1))
    with pytest.raises(UsageError, match="one model or more, and none came"):
        regions({})
    with pytest.raises(NotAvailable, match='Regions need scores, and "b" has none'):
        regions({"a": good, "b": SimpleNamespace(scores=None)})
    with pytest.raises(NotAvailable, match=r'The cost curve of "b" needs .* there are 0 positives and 2 negatives'):
        regions({"a": good, "b": lone})
    with pytest.raises(UsageError, match='cannot be called "flag everybody"'):
        regions({"flag everybody": good})
    for wrong in (0, 1, -0.1, float("nan")):
        with pytest.raises(UsageError, match="A prevalence lies between 0 and 1"):
            regions({"a": good}, prevalence=wrong)
    with pytest.raises(UsageError, match="confidence must be a number above 0 and below 1"):
        regions({"a": good}, confidence=1.0)
    with pytest.raises(UsageError, match=r"different prevalences: 0\.2 \(a\), 0\.5 \(b\)"):
        regions({"a": good, "b": model(2, 50, 50, 1.0)})
    found = regions({"a": good, "b": model(2, 50, 50, 1.0)}, prevalence=0.3)
    assert found.prevalence == 0.3
    for ratio in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match=r"The ratio is what a found positive is worth|must be a finite number"):
            found.winner(ratio)
    with pytest.raises(UsageError, match='no model called "c"'):
        found.difference("a", "c", 1.0)
    with pytest.raises(UsageError, match='"a" came twice'):
        found.difference("a", "a", 1.0)


def test_prevalences_that_agree_are_pooled() -> None:
    found = regions({"a": model(1, 20, 80, 1.0), "b": model(2, 205, 795, 1.0)})
    assert found.prevalence == pytest.approx(225 / 1100)


def test_averages_over_costs_are_had_here_too() -> None:
    s = model(1, 20, 80, 1.0).scores
    assert h_measure(s).measure == "h_measure"
    assert expected_profit(s, 1.0, 0.0)[0].value == pytest.approx(0.2)


def test_equal_models_have_no_clear_region() -> None:
    """A region is found where its winner happened to win; that alone makes nothing clear."""
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(12):
        pair = {}
        for name in ("a", "b"):
            y = (rng.random(300) < 0.3).astype(int)
            pair[name] = sy.evaluate(target=y, score=rng.normal(size=300) + 1.2 * y)
        found += any(part.clear for part in sy.regions(pair, prevalence=0.3).parts)
    assert found <= 1
