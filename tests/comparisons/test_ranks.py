"""Many models on many data sets: against SciPy, the published example, brute force; and how it is told."""

from __future__ import annotations

import itertools
import json
import math
import time

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import steelyard as sy
from steelyard.comparisons.ranks import friedman, range_quantile, range_survival, sign_test, wilcoxon
from steelyard.comparisons.signed_ranks import averaged

from ..simulating import about_as_often, draws, no_more_often

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        # Printed 0.975 twice, but with the ranks 2 and 3: the third model was ahead in a later digit.
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
"""Areas under the ROC curve on 14 data sets, Demšar (2006), table 6."""


def tables(n: int = 30) -> list[np.ndarray]:
    """Some with many ties."""
    rng = np.random.default_rng(21)
    out = []
    for i in range(n):
        shape = (int(rng.integers(3, 25)), int(rng.integers(3, 8)))
        values = rng.normal(size=shape) + np.linspace(0, rng.random(), shape[1])
        out.append(values.round(0 if i % 3 == 0 else 6))
    return out


# ---- all together


def test_the_example_of_demsar() -> None:
    """Printed: mean ranks 3.143, 2.000, 2.893, 1.964; χ² 9.28, F 3.69, without a correction for ties."""
    r = friedman(DEMSAR, NAMES)
    assert [round(x, 3) for x in r.ranks] == [3.143, 2.0, 2.893, 1.964]
    assert round(r.uncorrected, 2) == 9.28
    assert round(13 * r.uncorrected / (14 * 3 - r.uncorrected), 2) == 3.69
    assert r.freedom == (3, 39)
    # With the correction, which the paper leaves out, both are a little larger.
    assert r.chi_square == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert (round(r.chi_square, 2), round(r.f, 2)) == (10.23, 4.19)
    assert round(r.critical_difference, 2) == 1.25
    # Printed 1.16, from the quantile 2.394 times the standard error 0.488, which is 1.168.
    assert r.control_difference == pytest.approx(2.394 * math.sqrt(4 * 5 / (6 * 14)), rel=1e-3)
    assert r.order[0] == "C4.5+m+cf"


def test_friedman_is_scipys() -> None:
    for values in tables():
        r = friedman(values, better="lower")
        want = stats.friedmanchisquare(*values.T)
        assert r.chi_square == pytest.approx(want.statistic)
        assert r.chi_square_p == pytest.approx(want.pvalue)
        ranks = stats.rankdata(values, axis=1)
        assert r.ranks == pytest.approx(ranks.mean(axis=0).tolist())
        n, k = values.shape
        f = (n - 1) * want.statistic / (n * (k - 1) - want.statistic)
        assert r.f == pytest.approx(f)
        assert r.f_p == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
        # Iman and Davenport's F is that of an analysis of variance of the ranks, blocks taken off.
        between = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum() / (k - 1)
        rest = (ranks - ranks.mean(axis=0)) ** 2
        assert f == pytest.approx(between / (rest.sum() / ((k - 1) * (n - 1))))


def test_higher_is_lower_turned_round() -> None:
    for values in tables(8):
        up, down = friedman(values), friedman(-values, better="lower")
        assert up.ranks == down.ranks and up.p_value == down.p_value


def test_full_agreement_and_full_ties() -> None:
    r = friedman(np.tile([3.0, 1.0, 2.0], (4, 1)))
    assert r.f is None and r.chi_square == pytest.approx(8)
    # Three more data sets repeat the order of the first with a chance of 1/6 each.
    assert r.p_value == pytest.approx(1 / 6**3)
    assert "all data sets rank them alike" in r.paragraph()
    tied = friedman(np.ones((6, 3)))
    assert (tied.chi_square, tied.f, tied.p_value) == (0, 0, 1)
    assert tied.different() == () and tied.cliques() == (tied.order,)


# ---- pairs


def test_the_range_of_normal_numbers() -> None:
    for k in (2, 3, 4, 10, 50):
        q = np.array([0.1, 0.5, 1, 2, 3, 4, 6, 8])
        assert range_survival(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), rel=1e-6, abs=1e-12)
        for confidence in (0.9, 0.95, 0.99):
            want = stats.studentized_range.ppf(confidence, k, np.inf)
            assert range_quantile(confidence, k) == pytest.approx(want, abs=1e-5)
    # For two numbers the range is |difference|, whose tail is known far out.
    far = np.array([5.0, 10.0, 20.0, 30.0])
    assert range_survival(far, 2) == pytest.approx(2 * ndtr(-far / math.sqrt(2)), rel=1e-9)


def test_the_critical_values_of_demsar() -> None:
    """Table 5 of the paper, for two to ten models."""
    nemenyi = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    found = [range_quantile(0.95, k) / math.sqrt(2) for k in range(2, 11)]
    assert found == pytest.approx(nemenyi, abs=1.1e-3)


def test_pairs_by_hand() -> None:
    r = friedman(DEMSAR, NAMES, control="C4.5")
    error = math.sqrt(4 * 5 / (6 * 14))
    assert len(r.pairs) == 6 and len(r.against) == 3
    for p in r.pairs:
        gap = r.rank(p.first) - r.rank(p.second)
        assert p.difference == pytest.approx(gap) and p.statistic == pytest.approx(gap / error)
        assert p.p_value == pytest.approx(2 * stats.norm.sf(abs(gap) / error))
        far = abs(gap) / error * math.sqrt(2)
        assert p.adjusted["nemenyi"] == pytest.approx(stats.studentized_range.sf(far, 4, np.inf), abs=1e-8)
        assert p.p_value <= p.adjusted["shaffer"] <= p.adjusted["holm"]
        assert (abs(gap) >= r.critical_difference) == (p.adjusted["nemenyi"] <= 0.05)
    for p in r.against:
        assert p.second == "C4.5"
        assert (abs(p.difference) >= r.control_difference) == (p.adjusted["bonferroni-dunn"] <= 0.05)
    # Demšar finds both models with m better than C4.5 by Holm's procedure.
    assert {p.first for p in r.against if p.adjusted["holm"] <= 0.05} == {"C4.5+m", "C4.5+m+cf"}


@pytest.mark.parametrize("method", ["nemenyi", "holm", "shaffer"])
def test_cliques_by_brute_force(method: str) -> None:
    for values in tables():
        r = friedman(values)
        apart = {frozenset(p) for p in r.different(method)}
        groups = [
            set(group)
            for size in range(2, len(r.names) + 1)
            for group in itertools.combinations(r.names, size)
            if not any(frozenset(pair) in apart for pair in itertools.combinations(group, 2))
        ]
        largest = [g for g in groups if not any(g < other for other in groups)]
        assert sorted(map(sorted, largest)) == sorted(map(sorted, r.cliques(method)))


def test_fifty_models_on_a_hundred_data_sets_in_two_seconds() -> None:
    values = np.random.default_rng(5).normal(size=(100, 50)) + np.linspace(0, 1, 50)
    start = time.process_time()
    r = friedman(values, control="model 1")
    assert time.process_time() - start < 2.0
    assert len(r.pairs) == 1225 and len(r.against) == 49
    assert 0 < len(r.different("nemenyi")) <= 1225


def test_alarms_among_alike_models() -> None:
    """Among five models that are alike, one false finding at most one time in twenty, by every way."""
    rng = np.random.default_rng(6)
    runs = [friedman(rng.normal(size=(15, 5))) for _ in range(draws(250, 60))]
    for method in ("nemenyi", "holm", "shaffer"):
        assert no_more_often(sum(bool(r.different(method)) for r in runs), len(runs), 0.05)
    assert about_as_often(sum(r.p_value < 0.05 for r in runs), len(runs), 0.02, 0.09)


# ---- what came


def test_gaps_are_left_out_and_counted() -> None:
    values = DEMSAR.copy()
    values[3, 1] = np.nan
    values[5, 0] = np.inf
    r = friedman(values, NAMES, sets=[f"s{i}" for i in range(14)])
    whole = friedman(np.delete(DEMSAR, [3, 5], axis=0), NAMES)
    assert (r.n, r.left_out, r.ranks) == (12, 2, whole.ranks)
    assert "2 of 14 data sets have gaps" in r.note and "s3" not in r.sets and len(r.sets) == 12


def test_few_data_sets_and_other_shapes() -> None:
    assert "3 data sets only" in friedman(DEMSAR[:3]).note
    for values in (DEMSAR[:1], np.full((3, 2), np.nan)):
        with pytest.raises(sy.errors.NotAvailable, match="at least two data sets"):
            friedman(values)
    with pytest.raises(sy.errors.NotAvailable, match="at least two models"):
        friedman(DEMSAR[:, :1])
    with pytest.raises(sy.errors.LengthsDiffer, match="two dimensions"):
        friedman(DEMSAR[0])
    with pytest.raises(sy.errors.LengthsDiffer, match="4 models, and 2 names"):
        friedman(DEMSAR, ["a", "b"])
    with pytest.raises(sy.errors.NotNumeric):
        friedman([["a", "b"], ["c", "d"]])
    for bad in ({"better": "most"}, {"confidence": 2}, {"control": "zzz"}, {"names": ["a", "a", "b", "c"]}):
        with pytest.raises(sy.errors.UsageError):
            friedman(DEMSAR, **bad)
    with pytest.raises(sy.errors.UsageError, match="correction"):
        friedman(DEMSAR).different("tukey")


def test_frames_and_dictionaries_bring_their_names() -> None:
    import pandas as pd

    frame = pd.DataFrame(DEMSAR, columns=list(NAMES))
    assert friedman(frame).names == NAMES
    assert friedman({name: DEMSAR[:, i] for i, name in enumerate(NAMES)}) == friedman(DEMSAR, NAMES)


# ---- Wilcoxon and signs


def brute(d: np.ndarray) -> float:
    """All ways to sign the ranks; zeros are ranked and left out."""
    ranks = stats.rankdata(np.abs(d))[d != 0]
    seen = float(stats.rankdata(np.abs(d))[d > 0].sum())
    sums = np.array([sum(r for r, up in zip(ranks, s) if up) for s in itertools.product((0, 1), repeat=len(ranks))])
    return min(1.0, 2 * min((sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()))


def test_wilcoxon_is_scipys_without_ties() -> None:
    rng = np.random.default_rng(8)
    for n in (*range(2, 20), 35, 50, 51, 80, 200):
        d = rng.normal(0.3, 1, n)
        method = "exact" if n <= 50 else "approx"
        want = stats.wilcoxon(d, method=method, correction=n > 50)
        found = wilcoxon(d)
        assert found.p_value == pytest.approx(want.pvalue)
        assert min(found.statistic, n * (n + 1) / 2 - found.statistic) == pytest.approx(want.statistic)
        if found.low is not None:
            # Shifted by an end of the interval, the test is just about to reject.
            step = 1e-9
            assert wilcoxon(d - found.low - step).p_value > 0.05 or n > 50
            assert wilcoxon(d - found.low + step).p_value <= 0.05 + 1e-3 * (n > 50)
            assert (found.verdict != "no clear difference") == (found.low > 0 or found.high < 0)


def test_wilcoxon_with_ties_and_zeros_by_brute_force() -> None:
    rng = np.random.default_rng(9)
    for _ in range(25):
        d = rng.integers(-3, 5, size=int(rng.integers(2, 10))).astype(float)
        if d.any():
            assert wilcoxon(d).p_value == pytest.approx(brute(d))


def test_large_samples_with_zeros_follow_pratt() -> None:
    d = np.random.default_rng(10).integers(-3, 5, size=90).astype(float)
    want = stats.wilcoxon(d, zero_method="pratt", method="approx", correction=True)
    assert wilcoxon(d).p_value == pytest.approx(want.pvalue)
    assert "Pratt" in wilcoxon(d).note


def test_wilcoxon_in_demsars_example() -> None:
    """C4.5+m less C4.5: R+ is 93 and R− 12 with the ranks of two zeros split."""
    d = DEMSAR[:, 1] - DEMSAR[:, 0]
    found = wilcoxon(d.round(3), zeros="split")
    assert found.statistic == 93
    assert found.p_value < 0.05 and found.verdict == "better"
    assert "half their ranks" in found.note


def test_hodges_and_lehmann_cover() -> None:
    rng = np.random.default_rng(12)
    inside = 0
    for _ in range(400):
        found = wilcoxon(rng.standard_t(3, size=12) + 0.5)
        inside += found.low <= 0.5 <= found.high
    assert inside / 400 > 0.95 - 3 * math.sqrt(0.05 * 0.95 / 400)


def test_wilcoxon_in_words() -> None:
    assert wilcoxon([]).reason == "no data sets"
    assert wilcoxon([np.nan]).reason == "none of 1 data sets has a value"
    same = wilcoxon([0.0, 0.0, 0.0])
    assert (same.value, same.p_value) == (0.0, 1.0) and "alike on every data set" in same.note
    few = wilcoxon([0.1, 0.2, 0.3])
    assert few.low is None and "too few for a 95% interval" in few.note and few.p_value == 0.25
    assert wilcoxon([0.1 * i for i in range(1, 9)], better="lower").verdict == "worse"
    with pytest.raises(sy.errors.UsageError, match="pratt"):
        wilcoxon([0.1], zeros="drop")
    with pytest.raises(sy.errors.NotNumeric):
        wilcoxon(["a"])
    for found in (same, few):
        json.dumps(found.to_dict(), allow_nan=False)


def test_signs_are_a_binomial() -> None:
    rng = np.random.default_rng(13)
    for _ in range(30):
        d = rng.integers(-2, 4, size=int(rng.integers(1, 40))).astype(float)
        found = sign_test(d)
        wins, losses = int((d > 0).sum()), int((d < 0).sum())
        assert (found.wins, found.ties, found.losses) == (wins, len(d) - wins - losses, losses)
        if wins + losses:
            assert found.p_value == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
        turned = sign_test(d, better="lower")
        assert (turned.wins, turned.p_value) == (losses, found.p_value)
    assert sign_test([0.0, 0.0]).verdict == "no clear difference"
    assert sign_test([]).verdict == "too few cases to say"
    assert sign_test([1.0] * 8 + [np.nan]).verdict == "better"
    with pytest.raises(sy.errors.UsageError):
        sign_test([1.0], better="")


def test_ranks_are_scipys() -> None:
    rng = np.random.default_rng(14)
    for _ in range(20):
        x = rng.integers(0, 6, size=12).astype(float)
        assert averaged(x).tolist() == stats.rankdata(x).tolist()


# ---- how it is told


def test_the_diagram_shows_every_model_and_every_group() -> None:
    for k in (2, 3, 4, 11, 20):
        values = np.random.default_rng(k).normal(size=(30, k)) + np.linspace(0, 2, k)
        r = friedman(values, [f"model <{i}> & co" for i in range(k)])
        for method in ("nemenyi", "holm"):
            chart = r.chart(method)
            bars = [m for m in chart.marks if type(m).__name__ == "Line" and m.width == 5.0]
            assert len(bars) == len(r.cliques(method))
            for bar, clique in zip(bars, r.cliques(method)):
                assert bar.x[0] < r.rank(clique[0]) <= r.rank(clique[-1]) < bar.x[1]
            heights = [(b.y[0], b.x) for b in bars]
            for (y1, x1), (y2, x2) in itertools.combinations(heights, 2):
                assert y1 != y2 or x1[1] < x2[0] or x2[1] < x1[0]
            words = [m.text for m in chart.marks if type(m).__name__ == "Text"]
            for name in r.names:
                assert sum(name in w for w in words) == 1
            assert any("critical difference" in w for w in words) == (method == "nemenyi" and k > 2)
            assert "<1>" not in chart.svg() and chart.vega()["layer"]


def test_names_do_not_run_into_one_another() -> None:
    chart = friedman(np.random.default_rng(1).random((20, 20)), ["n" * 60 + str(i) for i in range(20)]).chart()
    texts = [m for m in chart.marks if type(m).__name__ == "Text" and "n" * 10 in m.text]
    for side in ("start", "end"):
        places = sorted(m.y for m in texts if m.anchor == side)
        assert min(b - a for a, b in itertools.pairwise(places)) >= 20


def test_the_paragraph() -> None:
    r = friedman(DEMSAR, NAMES, control="C4.5")
    text = r.paragraph()
    for part in (
        "4 models on 14 data sets",
        "χ² = 10.2 with 3 degrees of freedom, p = 0.017",
        "F(3, 39) = 4.19, p = 0.012",
        "C4.5+m+cf has the best mean rank (1.96)",
        "critical difference is 1.25, at the 5% level, no two models differ",
        "by Holm's correction C4.5+m and C4.5+m+cf rank better",
    ):
        assert part in text
    assert str(r) == text
    clear = friedman([[3, 2, 1.0]] * 9 + [[2, 3, 1.0]], ["a", "b", "c"]).paragraph("holm")
    assert "a ranks better than" in clear and "Holm's correction of all pairs" in clear
    alike = friedman(np.random.default_rng(2).random((12, 3))).paragraph()
    assert "does not show that the models differ" in alike
    many = friedman(np.random.default_rng(3).normal(size=(60, 12)) + np.linspace(0, 3, 12)).paragraph()
    assert "of 66 pairs differ" in many


def test_tables_for_papers() -> None:
    r = friedman(DEMSAR, ["C4.5", "50% & more", "a_b|c", "x^2"], sets=[f"set_{i}" for i in range(14)])
    latex, markdown = r.latex(), r.markdown(2)
    assert latex.count(r"\\") == 16 and r"\toprule" in latex and r"\bottomrule" in latex
    assert r"50\% \& more" in latex and r"a\_b|c" in latex and r"set\_3" in latex
    # Ten data sets and the ranks have one best, the mushrooms four, the rest one each.
    assert latex.count(r"\textbf{") == 14 + 3 + 1
    assert r"\textbf{1.96}" in latex and "**1.96**" in markdown
    lines = markdown.splitlines()
    assert len(lines) == 17 and all(line.replace(r"\|", "").count("|") == 6 for line in lines)
    low = friedman(-DEMSAR, better="lower")
    assert r"\textbf{$-$0.798}" in low.latex() and "**−0.798**" in low.markdown()


def test_a_ranking_is_json() -> None:
    for r in (friedman(DEMSAR, NAMES, control="C4.5"), friedman(np.tile([3.0, 1.0, 2.0], (4, 1)))):
        told = json.loads(json.dumps(r.to_dict(), allow_nan=False))
        assert told["names"] == list(r.names) and told["text"] == r.paragraph()
