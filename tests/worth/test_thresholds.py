"""The best threshold against brute force over rows, its constraints, its optimism, and the validation part."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.worth.goals import constraints_of, goal_of
from steelyard.worth.thresholds import choose


def table(rng: np.random.Generator) -> dict[str, Any]:
    """A random table with ties, perhaps with weights and amounts."""
    n = int(rng.integers(2, 40))
    y = rng.integers(0, 2, n)
    y[:2] = (0, 1)
    score = np.round(rng.random(n), int(rng.integers(1, 3)))
    score[:2] = (0.25, 0.75)
    out = {"target": y, "score": score}
    kind = rng.choice(["none", "frequency", "sampling"])
    if kind != "none":
        out["weight"] = (
            rng.integers(1, 5, n).astype(float) if kind == "frequency" else np.round(rng.gamma(2, 1, n) + 0.1, 3)
        )
        out["weights"] = kind
    out["value"] = np.round(rng.normal(5, 20, n), 2)
    return out


def payoff(rng: np.random.Generator) -> tuple[sy.Profit | sy.Cost, Any]:
    """A random payoff, and what it makes of a row: (truth, flagged, amount) → profit."""
    a = {k: float(np.round(rng.normal(0, 50), 1)) for k in ("tp", "fn", "fp", "tn")}
    b = {k: float(np.round(rng.normal(0, 2), 2)) * rng.integers(0, 2) for k in a}
    kind = sy.Profit if rng.random() < 0.5 else sy.Cost
    sign = 1 if kind is sy.Profit else -1
    made = kind(**{k: f"{a[k]} + {b[k]} * value" for k in a})

    def of(truth: int, flagged: bool, amount: float) -> float:
        k = ("tp" if flagged else "fn") if truth else ("fp" if flagged else "tn")
        return sign * (a[k] + b[k] * amount)

    return made, of


def rows_worth(t: dict[str, Any], cut: float, of: Any) -> float:
    """Profit of a threshold, added up row by row."""
    w = t.get("weight", np.ones(len(t["target"])))
    rows = zip(t["target"], t["score"], t["value"], w, strict=True)
    return sum(weight * of(y, s >= cut, v) for y, s, v, weight in rows)


def test_the_best_threshold_is_that_of_brute_force_on_a_thousand_tables() -> None:
    rng = np.random.default_rng(11)
    for _ in range(1000):
        t = table(rng)
        made, of = payoff(rng)
        e = sy.evaluate(**t, levels=[0, 1])
        found, _ = choose(e.scores, goal_of(made, {}, None))
        every = [np.inf, *sorted(set(t["score"].tolist()), reverse=True)]
        worth = [rows_worth(t, cut, of) for cut in every]
        assert rows_worth(t, found, of) == pytest.approx(max(worth), rel=1e-9, abs=1e-7)
        # Of equally good thresholds the one that flags fewest.
        tolerance = 1e-9 * max(abs(max(worth)), 1)
        assert found == next(c for c, v in zip(every, worth, strict=True) if v >= max(worth) - tolerance)


@pytest.mark.parametrize(
    ("goal", "options"), [("f1", {}), ("f_beta", {"beta": 2.0}), ("accuracy", {}), ("mcc", {}), ("ks", {})]
)
def test_the_best_threshold_for_a_measure_is_that_of_brute_force(goal: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(12)
    for _ in range(60):
        t = {k: v for k, v in table(rng).items() if k != "value"}
        e = sy.evaluate(**t, levels=[0, 1])
        found, _ = choose(e.scores, goal_of(goal, options, None))
        values = []
        for cut in [2.0, *set(t["score"].tolist())]:
            if goal == "ks":
                x = e.at(cut)["youden"].value
                values.append(None if x is None else abs(x))
            else:
                values.append(e.at(cut).measure(goal, **options).value)
        best = max(v for v in values if v is not None)
        at = e.at(min(found, 2.0))
        got = abs(float(at["youden"])) if goal == "ks" else float(at.measure(goal, **options))
        assert got == pytest.approx(best, abs=1e-12)


def test_constraints_leave_only_what_meets_them() -> None:
    rng = np.random.default_rng(13)
    for _ in range(100):
        t = table(rng)
        made, of = payoff(rng)
        e = sy.evaluate(**t, levels=[0, 1])
        w = t.get("weight", np.ones(len(t["target"])))
        most = float(np.quantile(np.cumsum(w), 0.4))
        limits = constraints_of(f"contacts <= {most!r} and fpr <= 60%", made)
        found, _ = choose(e.scores, goal_of(made, {}, None), limits)
        allowed = []
        for cut in [np.inf, *set(t["score"].tolist())]:
            flagged = t["score"] >= cut
            negatives = t["target"] == 0
            if w[flagged].sum() <= most * (1 + 1e-12) and w[flagged & negatives].sum() <= 0.6 * w[negatives].sum() * (
                1 + 1e-12
            ):
                allowed.append(rows_worth(t, cut, of))
        assert rows_worth(t, found, of) == pytest.approx(max(allowed), rel=1e-9, abs=1e-7)


def test_ranges_by_brute_force_over_the_corners() -> None:
    rng = np.random.default_rng(14)
    for _ in range(60):
        t = {k: v for k, v in table(rng).items() if k != "value"}
        e = sy.evaluate(**t, levels=[0, 1])
        w = t.get("weight", np.ones(len(t["target"])))
        tp, fp = sorted(rng.normal(20, 15, 2).tolist()), sorted(rng.normal(-10, 8, 2).tolist())
        every = [np.inf, *sorted(set(t["score"].tolist()), reverse=True)]
        hits = [float(w[(t["score"] >= c) & (t["target"] == 1)].sum()) for c in every]
        alarms = [float(w[(t["score"] >= c) & (t["target"] == 0)].sum()) for c in every]
        # A fine grid over the box, its corners among the points.
        box = [(a, b) for a in np.linspace(*tp, 9) for b in np.linspace(*fp, 9)]
        worth = np.array([[h * a + f * b for h, f in zip(hits, alarms, strict=True)] for a, b in box])
        regret = (worth.max(axis=1, keepdims=True) - worth).max(axis=0)
        ranged = sy.Profit(tp=tuple(tp), fp=tuple(fp))
        found, lost = choose(e.scores, goal_of(ranged, {}, None, "regret"))
        assert lost == pytest.approx(regret.min(), abs=1e-9)
        assert regret[every.index(found)] == pytest.approx(regret.min(), abs=1e-9)
        worst, _ = choose(e.scores, goal_of(ranged, {}, None, "worst"))
        assert worth.min(axis=0)[every.index(worst)] == pytest.approx(worth.min(axis=0).max(), abs=1e-9)
        mean, _ = choose(e.scores, goal_of(ranged, {}, None, "mean"))
        assert worth.mean(axis=0)[every.index(mean)] == pytest.approx(worth.mean(axis=0).max(), abs=1e-9)


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    score = rng.beta(1, 4, n)
    return (rng.random(n) < score).astype(int), score


def test_a_threshold_tells_all_about_itself() -> None:
    y, score = drawn(np.random.default_rng(1), 2000)
    e = sy.evaluate(target=y, score=score)
    t = e.best_threshold(sy.Profit(tp=39, fp=-10))
    assert t.low is not None and t.high is not None and t.value is not None
    assert t.low <= t.value <= t.high
    assert t.at.value == pytest.approx(39 * y[score >= t.value].sum() - 10 * (1 - y[score >= t.value]).sum())
    assert t.optimism is not None and t.optimism > 0
    assert t.corrected.value == pytest.approx(t.at.value - t.optimism)
    assert t.flagged == (score >= t.value).sum()
    assert t.implied is not None and t.implied.threshold == pytest.approx(10 / 49)
    assert json.loads(json.dumps(t.to_dict(), allow_nan=False))["value"] == t.value
    assert float(t) == t.value


def test_a_validation_part_pays_no_optimism() -> None:
    y, score = drawn(np.random.default_rng(2), 3000)
    part = np.arange(3000) % 3 == 0
    profit = sy.Profit(tp=39, fp=-10)
    whole = sy.evaluate({"y": y, "p": score, "v": part}, target="y", score="p", validation="v", profit=profit)
    assert whole.rows == 2000 and whole.validation is not None and whole.validation.rows == 1000
    test, chosen = (sy.evaluate(target=y[m], score=score[m], profit=profit) for m in (~part, part))
    kept = {"y": y[part], "p": score[part]}
    apart = sy.evaluate({"y": y[~part], "p": score[~part]}, target="y", score="p", profit=profit, validation=kept)
    for e in (whole, apart):
        t = e.best_threshold()
        assert t.value == chosen.best_threshold().value
        assert t.at.value == test.at(t.value).profit().value
        assert t.optimism is None and t.corrected.value == t.at.value
        assert "validation" in t.chosen_on
    named = sy.evaluate(
        {"y": y, "p": score, "v": np.where(part, "validation", "test")}, target="y", score="p", validation="v"
    )
    assert named.evidence == whole.evidence
    odd = np.where(part, "validation", np.where(np.arange(3000) % 3 == 1, "test", "train"))
    with pytest.raises(sy.errors.BadLevels, match='it holds "test", "train", "validation"'):
        sy.evaluate({"y": y, "p": score, "v": odd}, target="y", score="p", validation="v")


def test_nobody_is_flagged_where_no_threshold_pays() -> None:
    t = sy.evaluate(target=[1, 0, 0, 0], score=[0.1, 0.5, 0.6, 0.7]).best_threshold(sy.Profit(tp=1, fp=-5))
    assert t.value is None and t.flagged == 0 and t.at.value == 0
    assert str(t).startswith("Flag nobody")
    json.dumps(t.to_dict(), allow_nan=False)


def test_a_constraint_that_nothing_meets_says_how_close_one_gets() -> None:
    e = sy.evaluate(target=[1, 0, 1, 0, 0, 1], score=[0.9, 0.8, 0.7, 0.4, 0.3, 0.2])
    with pytest.raises(sy.errors.NothingMeets, match="the nearest is 0, at a threshold above every score"):
        e.best_threshold("f1", constraint="fpr < 0")
    with pytest.raises(sy.errors.NothingMeets, match=r'"recall >= 0.9" with contacts <= 2: the nearest is 0.3333'):
        e.best_threshold("f1", constraint=["contacts <= 2", "recall >= 0.9"])


def test_profit_at_the_chosen_threshold_is_not_promised_too_high() -> None:
    """What is promised less optimism is, on average, what a large fresh sample brings."""
    rng = np.random.default_rng(3)
    fresh_y, fresh_score = drawn(rng, 400_000)
    order = np.argsort(-fresh_score)
    gained = np.concatenate([[0.0], np.cumsum(np.where(fresh_y[order] == 1, 39.0, -10.0))]) / len(order)
    falls = -fresh_score[order]
    naive, corrected = [], []
    for _ in range(60):
        y, score = drawn(rng, 400)
        t = sy.evaluate(target=y, score=score).best_threshold(sy.Profit(tp=39, fp=-10))
        real = gained[np.searchsorted(falls, -(2.0 if t.value is None else t.value), side="right")] * 400
        naive.append(t.at.value - real)
        corrected.append(t.corrected.value - real)
    assert np.mean(naive) > 3 * np.std(naive) / 60**0.5
    assert abs(np.mean(corrected)) < np.mean(naive) / 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"constraint": "precision >= 60"}, "Per cent are written with their sign"),
        ({"constraint": "depth <= 10"}, "lies between 0 and 1"),
        ({"constraint": "cost <= 300"}, "only the profit with its sign turned"),
        ({"constraints": "contacts <= 5"}, 'Did you mean "constraint"'),
    ],
)
def test_a_limit_that_limits_nothing_is_refused(options: dict[str, Any], words: str) -> None:
    e = sy.evaluate(target=[1, 0, 1, 0], score=[0.9, 0.8, 0.7, 0.4], profit=sy.Profit(tp=5, fp=-1))
    with pytest.raises(sy.errors.UsageError, match=words):
        e.best_threshold(**options)


def test_per_cent_of_contacts_are_per_cent_of_the_rows() -> None:
    y, score = drawn(np.random.default_rng(4), 500)
    e = sy.evaluate(target=y, score=score, profit=sy.Profit(tp=39, fp=-10))
    assert e.best_threshold(constraint="contacts <= 10%").flagged <= 50
    said = " ".join(str(e.best_threshold(constraint="contacts <= 10%")).split())
    assert (
        "do not keep to the limit" in said
        and "from flagging everybody" not in said
        and "than flagging everybody" not in said
    )


def test_the_best_threshold_of_a_worthless_score_is_not_promised_a_profit() -> None:
    """Its corrected profit holds what the threshold really brings, and little of the luck is left."""
    rng = np.random.default_rng(6)
    held, naive, corrected = [], [], []
    for _ in range(40):
        y, score = (rng.random(300) < 0.16).astype(int), rng.random(300)
        t = sy.evaluate(target=y, score=score).best_threshold(sy.Profit(tp=50, fp=-10, relative=True))
        real = 300 * (0.16 * 50 - 0.84 * 10) * (1 - (1.0 if t.value is None else t.value))
        x = t.corrected
        held.append(x.low - 1e-9 <= real <= x.high + 1e-9)
        naive.append(t.at.value - real)
        corrected.append(x.value - real)
    assert np.mean(held) >= 0.92
    assert abs(np.mean(corrected)) < 0.35 * np.mean(naive)


def test_flagging_nobody_is_no_luck() -> None:
    e = sy.evaluate(target=[0, 1, 0, 0, 0, 1] * 5, score=[0.9, 0.1, 0.8, 0.7, 0.6, 0.2] * 5)
    t = e.best_threshold(sy.Profit(tp=1, fp=-30, relative=True))
    assert t.value is None and t.optimism == 0 and t.corrected.value == t.at.value
