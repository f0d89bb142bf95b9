"""Steingold, Wherry, Piatetsky-Shapiro, Measuring Real-Time Predictive Models: every figure, with the printed errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.early_warning.closed_forms import trivial_models

from steelyard.early_warning.quality import formula
from steelyard.early_warning.timeliness import timeliness
from steelyard.errors import UsageError

from .reading import exactly, rounds_to

HORIZON = 6.0
RATES = (0.03, 0.2, 0.5, 0.8)


def one_customer(outcome: int, days: list[float], scores: list[float], **options: Any) -> float:
    """Q0 of a single customer, from the sums of two: the other has a score of 0 and the other outcome."""
    rows = {
        "unit": [1] * len(days) + [2],
        "time": [*days, 0],
        "score": [*scores, 0],
        "outcome": [outcome] * len(days) + [1 - outcome],
    }
    return 2 * float(timeliness(**rows, horizon=HORIZON, **options).q0)


def constant(score: Any, b: float, n: int = 100, **options: Any) -> Any:
    left = (np.arange(n) < round(b * n)).astype(int)
    score = left if score == "perfect" else np.full(n, score)
    options = {"horizon": HORIZON} | options
    return timeliness(unit=np.arange(n), time=np.zeros(n), score=score, outcome=left, **options)


def test_always_and_never_on_an_attritor() -> None:
    """4.1: eq. 2 gives 1 for M = 1 and 0 for M = 0."""
    assert one_customer(1, [0], [1]) == exactly(1)
    assert one_customer(1, [0], [0]) == exactly(0)


@pytest.mark.parametrize(("share", "right", "printed"), [(1 / 6, 0.694, 0.833), (1 / 2, 0.25, 0.5)])
def test_switched_on_at_tau(share: float, right: float, printed: float) -> None:
    """4.2, E21: eq. 4 is (1 - tau/T)^2 under the printed kernel; 1 - tau/T belongs to the uniform one."""
    days, scores = [0, share * HORIZON], [0, 1]
    assert one_customer(1, days, scores) == exactly((1 - share) ** 2)
    assert rounds_to(one_customer(1, days, scores), str(right))
    assert rounds_to(one_customer(1, days, scores, kernel="uniform"), str(printed))


@pytest.mark.parametrize("share", [1 / 6, 0.5, 0.9])
def test_switched_off_and_the_cases_left_out(share: float) -> None:
    """4.3 and 4.4: off at tau, non-attritor -tau/T; on at tau, non-attritor; off at tau, attritor."""
    day = share * HORIZON
    assert one_customer(0, [0, day], [1, 0]) == exactly(-share)
    assert one_customer(0, [0, day], [0, 1]) == exactly(-(1 - share))
    assert one_customer(1, [0, day], [1, 0]) == exactly(1 - (1 - share) ** 2)


def test_the_two_kernels_from_one_formula() -> None:
    """4.5: 3A - 1 - 2At/T is 2 - 2t/T for A = 1 and -1 for A = 0; on [a, b) it gathers what our weights say."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = np.sort(rng.uniform(0, HORIZON, 2))
        for outcome in (0, 1):
            middle = (a + b) / 2
            kernel = 3 * outcome - 1 - 2 * outcome * middle / HORIZON
            assert one_customer(outcome, [0, a, b], [0, 1, 0]) == exactly(kernel * (b - a) / HORIZON)


@pytest.mark.parametrize("b", RATES)
@pytest.mark.parametrize("kernel", ["declining", "uniform"])
def test_trivial_models(b: float, kernel: str) -> None:
    """4.6 and 4.8: 2b - 1, 0, b, b(2b - 1), and normalised (2b - 1)/2b, (1 - 2b)/2(1 - b), 1, 0; same under both kernels."""
    printed = {
        "always positive": (1, 2 * b - 1, (2 * b - 1) / (2 * b)),
        "always negative": (0, 0, (1 - 2 * b) / (2 * (1 - b))),
        "perfect": ("perfect", b, 1),
        "at random": (b, b * (2 * b - 1), 0),
    }
    for name, (score, q0, q) in printed.items():
        t = constant(score, b, kernel=kernel)
        assert float(t.q0) == exactly(q0)
        assert float(t.q) == pytest.approx(q, abs=1e-12)
        assert t.trivial("q0")[name] == exactly(q0)
    assert rounds_to(constant(1, 0.03).q, "-15.6667")
    assert rounds_to(constant(0, 0.03).q, "0.484536")


def test_the_normaliser_and_the_symmetry_of_the_figure() -> None:
    """4.7 and 4.9: b - b(2b - 1) = 2b(1 - b), largest at one half; always positive at b is always negative at 1 - b."""
    rates = np.linspace(0.01, 0.99, 99)
    gaps = [trivial_models(b, "q0")["perfect"] - trivial_models(b, "q0")["at random"] for b in rates]
    assert gaps == [exactly(2 * b * (1 - b)) for b in rates]
    assert rates[int(np.argmax(gaps))] == exactly(0.5)
    for b in rates:
        assert trivial_models(b)["always positive"] == exactly(trivial_models(1 - b)["always negative"])
    assert trivial_models(1e-9, "q0")["perfect"] == pytest.approx(0, abs=1e-8)
    assert trivial_models(1 - 1e-9, "q0")["always positive"] == pytest.approx(1, abs=1e-8)


def test_eq_10_is_eq_9_normalised() -> None:
    """4.10 and 4.11: directly from the scores less b; and eq. 11's perfect model is (V1 + V0)/2, here brought to 1."""
    rng = np.random.default_rng(5)
    n, b = 40, 0.25
    left = (np.arange(n) < 10).astype(int)
    score, worth = rng.random(n), rng.lognormal(0, 1, n)
    rows = {"unit": np.arange(n), "time": np.zeros(n), "outcome": left, "horizon": HORIZON, "value": worth}
    t = timeliness(score=score, **rows)
    sign = np.where(left == 1, 1, -1)
    assert float(t.q) == exactly(((score - b) * sign).sum() / (2 * n * b * (1 - b)))
    by_eq_11 = (((left - b) * sign * worth).sum()) / (2 * n * b * (1 - b))
    assert by_eq_11 == exactly((worth[left == 1].mean() + worth[left == 0].mean()) / 2)
    assert by_eq_11 != pytest.approx(1, abs=0.01)
    assert float(timeliness(score=left, **rows).value_q) == exactly(1)
    assert float(t.value_q) == exactly(((score - b) * sign * worth).sum() / (2 * n * b * (1 - b)) / by_eq_11)


def test_table_1() -> None:
    """4.12 to 4.15, E23 and E24: random -.0282 and 0; the other normalised figures are not those of the first column."""

    def normalised(q0: float, b: float = 0.03) -> float:
        return (q0 - b * (2 * b - 1)) / (2 * b * (1 - b))

    assert rounds_to(constant(0.03, 0.03).q0, "-0.0282")
    assert float(constant(0.03, 0.03).q) == pytest.approx(0, abs=1e-12)
    one, two = normalised(-0.0555), normalised(-0.0013)
    assert rounds_to(one, "-0.4691")
    assert not rounds_to(one, "-0.8712")
    assert rounds_to(two, "0.4622")
    assert not rounds_to(two, "0.0526")
    assert [normalised(-0.0555 + e) for e in (-5e-5, 5e-5)] == pytest.approx([-0.4699, -0.4682], abs=5e-5)
    assert [normalised(-0.0013 + e) for e in (-5e-5, 5e-5)] == pytest.approx([0.4613, 0.4631], abs=5e-5)
    # The table says Model 2 is the better one, the text Model 1; both are below never warning at all.
    assert one < two < trivial_models(0.03)["always negative"]
    slope = (0.0526 + 0.8712) / (-0.0013 + 0.0555)
    assert rounds_to(slope, "17.04")
    assert rounds_to(-0.0013 - 0.0526 / slope, "-0.0044")
    # The library's own way from class means to Q is the same line.
    read = formula("q", 0.0, (1.0, 1.0))
    assert read([1, 0.0, 0], [1, 0.0555 / 0.97, 0], 0.03) == exactly(one)


def test_eq_12_is_biased() -> None:
    """4.16 and 4.17, E25: a perfect model gets 11/12; .9162 with day ends and lengths; -15.75 and .4871 at b = .03."""
    six = {"estimator": "period ends", "ends": [1, 2, 3, 4, 5, 6]}
    days = {"estimator": "period ends", "ends": [5, 10, 15, 20, 25, 31], "horizon": 31.0}
    for b in RATES:
        assert float(constant("perfect", b, **six).q) == exactly(11 / 12)
        assert rounds_to(constant("perfect", b, **days).q, "0.9162")
    assert rounds_to(constant(1, 0.03, **six).q, "-15.75")
    assert rounds_to(constant(0, 0.03, **six).q, "0.4871")
    assert float(constant(0.03, 0.03, **six).q) == pytest.approx(0, abs=1e-12)
    assert constant("perfect", 0.2, **six).trivial()["perfect"] == exactly(11 / 12)
    # Day ends without their lengths, taken literally: .1800.
    ends = np.array([5, 10, 15, 20, 25, 31])
    assert rounds_to((6 / 31 + (2 * (1 - ends / 31)).sum() / 31) / 2, "0.1800")


def test_exact_weights_of_a_score_held_between_ends() -> None:
    """E25: attritor ((T - t0)^2 - (T - t1)^2)/T^2, non-attritor (t1 - t0)/T."""
    for start, end in ((1, 2), (2, 5), (5, 6)):
        right = ((HORIZON - start) ** 2 - (HORIZON - end) ** 2) / HORIZON**2
        assert one_customer(1, [0, start, end], [0, 1, 0]) == exactly(right)
        assert one_customer(0, [0, start, end], [0, 1, 0]) == exactly(-(end - start) / HORIZON)


def test_the_period_ends_of_the_paper() -> None:
    """4.18, E26: 5, 10, 15, 20, 15, 31 do not rise; the second 15 is 25."""
    with pytest.raises(UsageError, match="must rise"):
        constant(1, 0.2, estimator="period ends", ends=[5, 10, 15, 20, 15, 31], horizon=31.0)


def test_the_held_out_customers() -> None:
    """4.19: 66.5% and 33.5% of the customers, 54.2% active in the first period, about 103 attritors held out."""
    assert rounds_to(100 * 6814 / (6814 + 3440), "66.5")
    assert rounds_to(100 * 1865 / 3440, "54.2")
    assert round(0.03 * 3440) == 103


def test_inactive_customers_stay_in_the_number() -> None:
    """E27: M = b gives an inactive customer 0 in the sum but leaves it in N; leaving it out is another number."""
    rows = {"unit": [1, 2, 3], "time": [0, 0, 0], "score": [0.9, 0.2, 0.1], "outcome": [1, 0, 0]}
    names = {"unit": "unit", "time": "time", "score": "score", "outcome": "left", "horizon": HORIZON}
    told = {"unit": [1, 2, 3, 4, 5, 6], "left": [1, 0, 0, 1, 0, 0]}
    with_them = timeliness(rows, outcomes=told, **names)
    assert with_them.summary.silent == 3
    without = timeliness(**rows, horizon=HORIZON)
    assert float(with_them.q) == exactly(float(without.q) / 2)
    # A base rate that is not that of the evaluated customers sends perfect to something else than 1.
    b, held = 0.03, 0.04
    assert rounds_to((held * (1 - b) + b * (1 - held)) / (2 * b * (1 - b)), "1.16")
    assert float(constant("perfect", held).q) == exactly(1)
