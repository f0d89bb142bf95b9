"""The stability index: its definition, its law, its decision word for word, and what it says."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.errors import EmptyTable, UnknownColumn, UsageError
from steelyard.monitors import law
from steelyard.monitors.bins import Bins
from steelyard.monitors.rare_cells import rare_p
from steelyard.monitors.stability import Stability, assess, assess_each, stability
from steelyard.summaries.bin_counts import BinCounts
from steelyard.views.layout import width_of


def measured(*args: Any, **options: Any) -> Stability:
    found = stability(*args, **options)
    assert isinstance(found, Stability)
    return found


def tables(seed: int, many: int = 200, least: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    for _ in range(many):
        k = int(rng.integers(2, 9))
        yield rng, rng.integers(least, 60, k).astype(float), rng.integers(least, 60, k).astype(float)


# ---- the index


def test_the_index_is_its_definition_symmetric_and_zero_only_for_equal_shares() -> None:
    for _, a, b in tables(1, least=1):
        parts, halved = law.index_parts(a, b)
        plain = [(x / a.sum() - y / b.sum()) * math.log((x / a.sum()) / (y / b.sum())) for x, y in zip(a, b)]
        assert parts.tolist() == pytest.approx(plain, abs=1e-14)
        assert not halved
        assert (parts >= 0).all()
        assert parts.sum() == pytest.approx(law.index_parts(b, a)[0].sum())
        assert law.index_parts(a, 3 * a)[0].sum() == pytest.approx(0, abs=1e-12)


def test_an_empty_cell_adds_a_half_to_every_count_and_one_empty_in_both_counts_for_nothing() -> None:
    parts, halved = law.index_parts(np.array([5.0, 0, 4, 0]), np.array([5.0, 3, 4, 0]))
    by_hand, _ = law.index_parts(np.array([5.5, 0.5, 4.5]), np.array([5.5, 3.5, 4.5]))
    assert halved
    assert parts.tolist() == pytest.approx([*by_hand, 0.0])


def test_pearsons_statistic_is_scipys() -> None:
    for _, a, b in tables(2, least=1):
        chi = stats.chi2_contingency(np.array([a, b]), correction=False)
        assert law.pearson(a, b) == pytest.approx((chi[0], chi[2], chi[1]))


def test_drawn_p_values_are_near_the_exact_ones() -> None:
    for a, b in (([9.0, 1], [4.0, 6]), ([30.0, 2], [20.0, 0]), ([8.0, 8], [9.0, 7])):
        x, y = np.array(a), np.array(b)
        total, first, second = int((x + y).sum()), int((x + y)[0]), int(y.sum())
        away = [abs(k - second * first / total) for k in range(second + 1)]
        chances = stats.hypergeom.pmf(range(second + 1), total, first, second)
        exact = sum(c for c, d in zip(chances, away) if d >= away[int(y[0])] - 1e-9)
        assert law.drawn_p(x, y) == pytest.approx(exact, abs=0.02)
        assert law.drawn_p(x, y) == law.drawn_p(x, y)


def test_rare_cells_that_are_counted_through_give_the_p_value_of_drawn_tables() -> None:
    rng = np.random.default_rng(3)
    away = []
    for _ in range(12):
        full = rng.integers(2, 9)
        a, b = rng.poisson(rng.dirichlet(np.full(full, 5.0)) * 4000), rng.poisson(600 / full, full)
        a, b = (np.r_[x, rng.poisson(0.8, 2)].astype(float) for x in (a, b))
        b[:full] = rng.poisson(a[:full] * 600 / 4000)
        p = rare_p(a, b)
        if (a + b)[full:].any():
            assert p is not None and p == pytest.approx(rare_p(b, a) or 0.0)
            away.append((p - law.drawn_p(a, b)) / np.sqrt(max(p * (1 - p), 1e-4) / law.DRAWS))
    assert len(away) > 8 and np.abs(away).max() < 4.5 and abs(np.mean(away)) < 1.5
    # Few full cells, or none that are rare, are left to others.
    assert rare_p(np.array([9.0, 1.0]), np.array([4.0, 6.0])) is None
    assert rare_p(np.array([900.0, 800.0]), np.array([400.0, 600.0])) is None
    # A level that was hardly there and is a tenth of the rows now: beyond doubt, and no draws bound how small p is.
    assert 0 <= (rare_p(np.array([5e7, 5e7, 1]), np.array([450.0, 450.0, 100.0])) or 0.0) < 1e-10


# ---- its law


def test_the_noncentral_law_is_scipys_near_and_far() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        df, noncentral = int(rng.integers(1, 25)), float(10 ** rng.uniform(-1, 6))
        x = (df + noncentral) + rng.normal() * math.sqrt(2 * (df + 2 * noncentral))
        if x > 0:
            assert law.noncentral_below(x, df, noncentral) == pytest.approx(stats.ncx2.cdf(x, df, noncentral), abs=2e-5)


def test_the_limits_undo_the_law_and_hold_the_corrected_index() -> None:
    for rng, a, b in tables(4, 60, least=1):
        x, df = float(rng.gamma(2, 10)), len(a) - 1
        for below in (0.025, 0.5, 0.95):
            found = law.noncentrality_at(x, df, below)
            if found > 0:
                assert law.noncentral_below(x, df, found) == pytest.approx(below, abs=1e-6)
            else:
                assert law.noncentral_below(x, df, 0.0) <= below
        s = measured(dict(enumerate((10 * a).tolist())), dict(enumerate((10 * b).tolist())))
        e = s.corrected
        assert e.low is not None and e.high is not None
        assert e.low <= float(e) <= e.high
        assert e.low <= s.limit


def test_where_chance_alone_rules_five_in_a_hundred_are_called_changed() -> None:
    rng = np.random.default_rng(5)
    share = rng.dirichlet(np.full(10, 8.0))
    bins = Bins("x", "numbers", edges=tuple(map(float, range(9))))
    wrong = 0
    for a, b in zip(rng.multinomial(4000, share, 600), rng.multinomial(400, share, 600)):
        then = bins.with_counts(BinCounts(np.r_[a, 0.0], 4000, 4000.0))
        s = assess(then, BinCounts(np.r_[b, 0.0], 400, 400.0))
        assert s.decision != "insufficient"
        wrong += s.decision != "ok"
    assert 0.025 <= wrong / 600 <= 0.075


# ---- cells


def test_merging_keeps_every_row_and_leaves_at_least_five_to_be_expected() -> None:
    for rng, a, b in tables(6):
        if not a.sum() or not b.sum():
            continue
        ordinary, ordered = int(rng.integers(1, len(a) + 1)), bool(rng.random() < 0.5)
        groups = law.merged(a, b, ordinary, ordered=ordered)
        flat = [i for g in groups for i in g]
        assert len(flat) == len(set(flat))
        assert law.joined(a, groups).sum() == a.sum()
        assert law.joined(b, groups).sum() == b.sum()
        then, now, least = law.joined(a, groups), law.joined(b, groups), min(a.sum(), b.sum())
        expected = np.maximum((then + now) * least / (a.sum() + b.sum()), then * least / a.sum())
        usual = [i for i, g in enumerate(groups) if g[0] < ordinary]
        assert len(usual) == 1 or all(expected[i] >= 5 for i in usual)
        assert all(len(g) == 1 for g in groups if g[-1] >= ordinary)
        if ordered:
            assert all(g == list(range(g[0], g[-1] + 1)) for g in groups)


def test_merged_intervals_are_named_from_edge_to_edge() -> None:
    bins = Bins("x", "numbers", edges=(1.0, 2.0, 3.0)).with_counts(BinCounts(np.array([40.0, 2, 2, 40, 0]), 84, 84))
    s = assess(bins, BinCounts(np.array([40.0, 1, 2, 40, 0]), 83, 83))
    assert [c.name for c in s.cells] == ["up to 1", "above 1"]
    assert any("merged" in note for note in s.notes)
    assert s.classic_index == pytest.approx(
        law.index_parts(np.array([40.0, 2, 2, 40]), np.array([40.0, 1, 2, 40]))[0].sum()
    )


def test_a_few_missing_values_have_their_own_cell_which_is_counted_exactly() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=5000), rng.normal(size=500)
    y[0] = np.nan
    s = measured(x, y)
    assert s.cells[-1].name == "missing"
    assert "exactly" in s.test
    assert s.decision == "ok"


def test_bins_that_were_full_and_have_emptied_are_not_merged_away() -> None:
    rng = np.random.default_rng(17)
    s = measured(rng.normal(size=1000), rng.normal(9, 1, 100_000))
    assert [c.current for c in s.cells[:9]] == [0.0] * 9
    assert (len(s.cells), s.cells[-1].name) == (11, "never seen")
    assert (s.decision, s.test) == ("alarm", "Pearson's χ² among drawn tables with the same margins")
    assert s.p_value < 2e-5


# ---- the decision, word for word


def test_a_column_that_breaks_is_an_alarm_however_few_rows_there_are() -> None:
    rng = np.random.default_rng(20)
    x = rng.normal(size=1200)
    for now in (np.full(40, np.nan), rng.normal(3, 1, 40)):
        s = measured(x, now)
        assert s.decision == "alarm"
        assert s.corrected.low is not None
        assert s.corrected.low > 0.25
        assert s.reason.startswith("few as the rows are")
    # Where nothing broke, few rows stay too few to say that all is well.
    assert measured(x, rng.normal(size=40)).decision == "insufficient"


def test_no_sentence_tells_a_lower_limit_that_is_not_the_one_of_the_interval() -> None:
    rng = np.random.default_rng(21)
    s = measured(rng.normal(size=20_000), rng.normal(0.35, 1, 1_200))
    assert s.decision == "warn"
    assert "lower limit" not in " ".join(s.sentences())
    small = measured(rng.normal(size=20_000), rng.normal(0.27, 1, 300))
    assert (small.decision, (small.corrected.high or 0) > 0.1) == ("shift-negligible", True)
    assert "not shown to be large" in small.sentences()[0]


def test_the_needed_rows_are_those_of_the_notes() -> None:
    assert math.ceil(law.sufficient_size(9)) == 215
    for df in (3, 9, 19):
        critical = stats.chi2.isf(0.01, df)
        assert stats.ncx2.sf(critical, df, law.sufficient_size(df) * 0.1) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(100_000, 50), (100, 9_000), (300, 300), (5_000, 200), (220, 220)])
def test_too_few_rows_are_said_and_with_as_many_as_it_says_it_decides(n: int, m: int) -> None:
    said = law.shortage(n, m, 9, 10)
    assert said
    number = int(re.findall(r"([\d,]+) (?:current |reference )?rows (?:are needed|of each)", said)[-1].replace(",", ""))
    if "of each" in said:
        assert not law.shortage(number, number, 9, 10)
        assert law.shortage(number - 2, number - 2, 9, 10)
    else:
        last = said.split(": ")[-1].split("; ")[-1]
        pair = (n, number) if "current rows are needed" in last else (number, m)
        assert not law.shortage(*pair, 9, 10)
        assert law.shortage(*(k - 2 * (k == number) for k in pair), 9, 10)


def test_a_reference_that_is_too_small_is_insufficient_unless_the_change_is_huge() -> None:
    rng = np.random.default_rng(8)
    assert measured(rng.normal(size=60), rng.normal(3, 1, 5000)).decision == "alarm"
    s = measured(rng.normal(size=60), rng.normal(0.4, 1, 5000))
    assert s.decision == "insufficient"
    assert "60 reference" in s.reason
    assert "needed" in s.reason


def test_a_large_change_is_an_alarm_a_small_one_in_many_rows_negligible() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=50_000)
    assert measured(x, rng.normal(1, 1, 2000)).decision == "alarm"
    assert measured(x, rng.normal(0.45, 1, 2000)).decision == "warn"
    small = measured(x, rng.normal(0.05, 1, 50_000))
    assert (small.decision, small.classic) == ("shift-negligible", "stable")
    assert measured(x, x).decision == "ok"


def test_a_constant_column_is_ok_and_says_why() -> None:
    s = measured(np.ones(500), np.ones(400))
    assert (s.decision, s.index, s.p_value, s.statistic) == ("ok", 0.0, 1.0, None)
    assert "same cell" in s.reason
    assert s.distances["chi_square"].value is None


# ---- weights, units, forms


def test_weights_count_by_their_proportions_alone() -> None:
    rng = np.random.default_rng(10)
    x, y, u, v = rng.normal(size=3000), rng.normal(0.4, 1, 900), rng.gamma(2, 1, 3000), rng.gamma(2, 1, 900)
    one, other = measured(x, y, weight=(u, v)), measured(x, y, weight=(7 * u, v / 3))
    assert one.index == pytest.approx(other.index)
    assert one.p_value == pytest.approx(other.p_value)
    assert one.sizes[1] == pytest.approx(v.sum() ** 2 / (v**2).sum())
    assert any("tell as much as" in note for note in one.notes)
    even = measured(x, y, weight=(np.full(3000, 2.0), np.ones(900)))
    assert even.corrected.value == pytest.approx(measured(x, y).corrected.value)


def test_rows_repeated_by_person_raise_no_alarm_when_the_unit_is_named() -> None:
    rng = np.random.default_rng(11)
    bare = by_unit = 0
    for _ in range(40):
        x, y = np.repeat(rng.normal(size=2000), 5), np.repeat(rng.normal(size=400), 5)
        who = (np.repeat(np.arange(2000), 5), np.repeat(np.arange(400), 5))
        bare += measured(x, y).p_value < 0.05
        by_unit += measured(x, y, unit=who).p_value < 0.05
    assert bare > 30
    assert by_unit <= 6


@pytest.mark.parametrize(("units", "most"), [(40, 0.1), (200, 0.085)])
def test_units_with_levels_of_their_own_raise_few_false_alarms(units: int, most: float) -> None:
    """The differences between units lie along the column: a few directions carry them, and χ² had too many degrees of freedom."""
    found = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(2 * units), 8)
        x = rng.normal(size=2 * units)[who] + 0.5 * rng.normal(size=len(who))
        then = who < units
        found += measured(x[then], x[~then], unit=(who[then], who[~then])).p_value < 0.05
    assert found / 400 <= most


def test_one_row_a_unit_leaves_the_law_as_it_was() -> None:
    rng = np.random.default_rng(15)
    x, y = rng.normal(size=3000), rng.normal(0.1, 1, 3000)
    alone, by_unit = measured(x, y), measured(x, y, unit=(np.arange(3000), np.arange(3000)))
    assert by_unit.p_value == pytest.approx(alone.p_value, rel=0.5)
    assert by_unit.corrected.high == pytest.approx(alone.corrected.high, rel=0.1)


def test_counts_values_and_saved_bins_give_the_same_answer() -> None:
    rng = np.random.default_rng(12)
    then, now = rng.choice(["a", "b", "c"], 900).tolist(), rng.choice(["a", "b", "c", "d"], 700).tolist()
    direct = measured(then, now, "grade")
    counts = measured(*({v: k.count(v) for v in set(k)} for k in (then, now)), "grade")
    saved = Bins.from_dict(json.loads(json.dumps(direct.bins.to_dict())))
    for other in (counts, measured(saved, now), measured(None, now, bins=saved), measured(then, now, bins=saved)):
        assert (other.index, other.p_value, other.decision) == (direct.index, direct.p_value, direct.decision)
    assert measured(saved, {"a": 300, "d": 20}).current_rows == 320
    assert any('"d"' in note for note in direct.notes)


def test_windows_can_be_counted_apart_and_judged_together() -> None:
    rng = np.random.default_rng(13)
    bins = Bins.of(rng.normal(size=5000))
    days = [rng.normal(0.1, 1, 300) for _ in range(7)]
    week = bins.count(days[0])
    for day in days[1:]:
        week = week + bins.count(day)
    assert assess(bins, week).index == measured(bins, np.concatenate(days)).index


# ---- what it says


def test_it_tells_its_story_in_eighty_columns_and_in_json() -> None:
    rng = np.random.default_rng(14)
    for s in (
        measured(rng.normal(size=9000), rng.normal(0.6, 1, 800), "score", special=(-1,)),
        measured({"a" * 90: 50, "日本": 40}, {"a" * 90: 10, "new\nline": 4}, "x" * 70),
        measured(rng.normal(size=20), rng.normal(size=30)),
    ):
        text = str(s)
        assert all(width_of(line) <= 80 for line in text.splitlines())
        assert "uncorrected" in text
        data = json.loads(json.dumps(s.to_dict(), allow_nan=False))
        assert data["decision"] == s.decision
        assert Bins.from_dict(data["bins"]) == s.bins
        assert len(s.frame()) == len(s.cells)
        assert s.frame()["part"].sum() == pytest.approx(s.index)
        assert s.chart().svg().startswith("<svg")
        assert s.chart().vega()["layer"]
        assert all(t.endswith(".") for t in s.sentences())


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: stability([1.0], [2.0], confidence=1), UsageError, "confidence must be a number above 0"),
        (lambda: stability([1.0], [2.0], alpha=0), UsageError, "alpha must be a number above 0"),
        (lambda: stability([1.0], []), EmptyTable, "no rows"),
        (lambda: stability({"a": 3}, [1, 2]), UsageError, "the other is not"),
        (lambda: stability({"a": 3}, {"a": -1}), EmptyTable, "-1"),
        (lambda: stability({"a": 0}, {"a": 1}), EmptyTable, "nothing"),
        (lambda: stability([1.0, 2.0], ["a", "b"]), UsageError, "holds levels"),
        (lambda: stability({"x": [1.0]}, {"x": [1.0]}, "y"), UnknownColumn, '"y"'),
        (lambda: stability({"x": [1.0]}, {"x": [1.0]}, "x", columns=["x"]), UsageError, "Both"),
        (lambda: stability(Bins("x"), [1.0]), UsageError, "no reference counts"),
        (lambda: stability(np.ones((2, 2)), [1.0]), UsageError, "2 dimensions"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_many_at_once_say_what_each_says_alone() -> None:
    """Tables of other sizes beside each other: rare cells, values never seen, weights, units, one cell, an empty cell."""
    rng = np.random.default_rng(21)
    numbers, few = Bins.of(rng.normal(size=4000)), Bins.of(rng.integers(0, 4, 900).astype(float))
    levels = Bins.of(rng.choice(["a", "b", "c", "d"], 3000, p=[0.6, 0.3, 0.09, 0.01]).tolist())
    one, units = Bins.of([1.0] * 200), rng.integers(0, 60, 800)
    pairs = [
        *((numbers, numbers.count(rng.normal(shift, 1, n))) for shift, n in ((0, 400), (0.5, 40), (3, 5000), (9, 700))),
        (numbers, numbers.count(rng.normal(size=800), weight=rng.random(800))),
        (numbers, numbers.count(rng.normal(size=800), bucket=units)),
        (few, few.count(rng.integers(0, 6, 300).astype(float))),
        (few, few.count(rng.integers(0, 3, 300).astype(float))),
        (levels, levels.count(rng.choice(["a", "b", "e"], 200).tolist())),
        (levels, levels.count(rng.choice(["a", "b", "d"], 2000).tolist())),
        (one, one.count([1.0] * 50)),
    ]
    for (bins, counts), together in zip(pairs, assess_each(pairs), strict=True):
        alone = assess(bins, counts)
        told = [(s.decision, s.reason, s.notes, s.test, s.freedom, s.sizes) for s in (together, alone)]
        assert told[0] == told[1]
        for name in ("index", "limit", "p_value", "classic_index"):
            assert getattr(together, name) == pytest.approx(getattr(alone, name), rel=1e-11), name
        assert (together.corrected.low, together.corrected.high) == pytest.approx(
            (alone.corrected.low, alone.corrected.high), rel=1e-11
        )
