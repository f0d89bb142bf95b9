"""The weekly control-group table: every figure that is printed or was worked out from it, by row of the definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from steelyard.trials.always_valid import share_evidence
from steelyard.trials.means import by_t, paired_t, pooled_t, welch, wilcoxon_by_period
from steelyard.trials.planning import planned_effect, trial_size
from steelyard.trials.proportions import fisher, two_proportions
from steelyard.trials.rates import dispersion, negative_binomial, poisson_ratio, quasi_poisson
from steelyard.trials.sample_ratio import sample_ratio
from steelyard.trials.trial import trial
from steelyard.verdicts.trial import BLOCKS, LESS, NOT_COMPARABLE

from .reading import on_one_line, rounds_to

CONTROL = [21, 18, 28, 19, 18, 17, 23, 24, 19, 20, 18, 21]
TREATED = [23, 15, 18, 20, 15, 17, 18, 20, 18, 19, 13, 16]
TABLE = {
    "week": [*range(1, 13)] * 2,
    "selection": ["random"] * 12 + ["model"] * 12,
    "left": CONTROL + TREATED,
    "customers": [1000] * 24,
}
ROLES: dict[str, Any] = {"group": "selection", "control": "random", "outcome": "left", "period": "week"}


def figures(found: Any, *expected: tuple[str, Any]) -> None:
    """Every named figure rounds to what was written."""
    for text, value in expected:
        assert rounds_to(value, text), (text, value, found)


def test_038_means_and_039_standard_deviations() -> None:
    c, t = np.array(CONTROL), np.array(TREATED)
    figures(TABLE, ("20.500", c.mean()), ("17.667", t.mean()), ("3.177", c.std(ddof=1)), ("2.708", t.std(ddof=1)))
    figures(TABLE, ("3.0414", c.std()), ("2.5927", t.std()), ("246", c.sum()), ("212", t.sum()))


def test_040_welch() -> None:
    d = welch(CONTROL, TREATED)
    figures(
        d, ("2.833", d.value), ("1.205", d.options["error"]), ("2.3513", d.statistic), ("21.46", d.options["freedom"])
    )
    figures(d, (".02832", d.p_value), (".331", d.low), ("5.336", d.high))
    figures(d, ("0.93", pooled_t(CONTROL, TREATED).options["hedges_g"]))


def test_040_pooled_paired_and_wilcoxon() -> None:
    figures("pooled", (".02808", pooled_t(CONTROL, TREATED).p_value))
    d = paired_t(CONTROL, TREATED)
    figures(d, ("2.9758", d.statistic), ("11", d.options["freedom"]), (".01261", d.p_value))
    figures(d, (".738", d.low), ("4.929", d.high))
    figures("Wilcoxon", (".0137", wilcoxon_by_period(CONTROL, TREATED).p_value))


@pytest.mark.parametrize(("r", "p"), [(-0.3, ".063"), (0, ".038"), (0.3, ".017"), (0.5, ".007"), (0.7, ".0014")])
def test_paired_by_week_for_other_correlations(r: float, p: str) -> None:
    one, two = (float(np.std(CONTROL, ddof=1)), float(np.std(TREATED, ddof=1)))
    d = by_t("mean", 20.5 - 17.667, math.sqrt((one**2 + two**2 - 2 * r * one * two) / 12), 11, 0.95)
    figures(d, (p, d.p_value))


def test_poisson_rate_ratio() -> None:
    wald, exact, mid = (poisson_ratio(212, 246, kind=kind) for kind in ("Wald", "exact", "mid-p"))
    figures(wald, (".862", wald.value), (".717", wald.low), ("1.036", wald.high), (".112", wald.p_value))
    figures(exact, (".714", exact.low), ("1.040", exact.high), (".123", exact.p_value))
    figures(mid, (".112", mid.p_value))


def test_dispersion_and_the_wider_laws() -> None:
    d = dispersion(CONTROL, TREATED)
    assert d is not None and d.freedom == 22 and d.verdict == "less"
    figures(d, ("9.98", d.statistic), (".454", d.factor), (".0135", d.p_under), (".986", d.p_over))
    q = quasi_poisson(TREATED, CONTROL)
    figures(q, (".756", q.low), (".982", q.high), (".0278", q.p_value))
    n, wald = negative_binomial(TREATED, CONTROL), poisson_ratio(212, 246)
    assert n.options["kappa"] == 0 and "boundary" in n.note
    assert (n.low, n.high, n.p_value) == (wald.low, wald.high, wald.p_value)


def test_two_proportions_and_fisher() -> None:
    weeks = two_proportions(246, 12_000, 212, 12_000)
    figures(weeks, ("1.6041", weeks.statistic), (".1087", weeks.p_value))
    figures(weeks, (".28", 100 * weeks.value), ("-.06", 100 * weeks.low), (".63", 100 * weeks.high))
    once = two_proportions(246, 1000, 212, 1000)
    figures(once, ("1.809", once.statistic), (".070", once.p_value))
    figures(once, ("3.4", 100 * once.value), ("-.3", 100 * once.low), ("7.1", 100 * once.high))
    figures("Fisher", (".1194", fisher(246, 12_000, 212, 12_000).p_value))


def test_always_valid() -> None:
    figures("a = 1", (".21", share_evidence(246, 212, a=1)))
    figures("a = 100", ("1.33", share_evidence(246, 212, a=100)))


def test_sample_ratio_that_is_noticed() -> None:
    for units, printed in ((2000, "3.9"), (24_000, "1.1"), (10**6, ".17")):
        edge = float(stats.norm.isf(BLOCKS / 2)) * math.sqrt(0.25 / units)
        figures("share", (printed, 100 * edge))
        for off, blocked in ((0.99 * edge, False), (1.01 * edge, True)):
            sizes = {"control": (0.5 + off) * units, "treated": (0.5 - off) * units}
            assert sample_ratio(sizes, "equal").blocked is blocked


def test_power() -> None:
    spread = math.sqrt((np.var(CONTROL, ddof=1) + np.var(TREATED, ddof=1)) / 2)
    seen, poisson = planned_effect(12, deviation=spread, level=20.5), planned_effect(12, rate=20.5)
    figures(seen, ("3.53", seen.effect), ("17", 100 * float(seen.relative or 0)))
    figures(poisson, ("5.42", poisson.effect), ("26", 100 * float(poisson.relative or 0)))
    effect = 20.5 - 212 / 12
    assert trial_size(effect, deviation=spread).n == 19
    # If weeks were known to be independent and Student's t alone decided; slow waves and the exact ratio take more.
    assert trial_size(effect, deviation=math.sqrt((20.5 + 212 / 12) / 2)).n == 39
    assert trial_size(effect, rate=20.5).n > trial_size(effect, rate=20.5, independent=True).n > 39


def test_the_verdict_leans_and_says_why() -> None:
    t = trial(counts=TABLE, **ROLES, exposed="customers")
    assert t.verdict == LESS
    text = on_one_line(t)
    assert "the answer depends on the unit of analysis" in text
    assert "Unit of analysis: the period (12 of them), because only counts by period were given." in text
    assert "The periods vary less than independent events would (dispersion 0.454, p = 0.014)" in text
    assert t.design.analysis == "period" and not t.ratio.blocked
    assert [round(p.effect, 2) for p in t.plans] == [3.53, 5.42]
    assert max(t.looks.e_values) == pytest.approx(share_evidence(246, 212), rel=1e-12) and not t.looks.clear


def test_errata_8_the_groups_are_not_exchangeable() -> None:
    t = trial(counts=TABLE, **ROLES, exposed=1000, selection="random against highest risk")
    assert t.verdict == NOT_COMPARABLE
    assert "not exchangeable: random against highest risk" in on_one_line(t)
    # The numbers are told all the same.
    assert t.effect.value == pytest.approx(-34 / 12)
