"""Campaigns, after Piatetsky-Shapiro, Masand, Estimating Campaign Benefits and Modeling Lift.

Steingold, Wherry, Piatetsky-Shapiro, Measuring Real-Time Predictive Models, build on it. N prospects, a share T of them
targets, C for each contact, B for each target reached; CPH(P) is the share of the targets in the first part P of the list.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

import steelyard as sy

from .reading import exactly

N, T, B, C = 2000, 0.05, 40.0, 1.0


@pytest.fixture(scope="module")
def mailing() -> Any:
    """Two thousand prospects and a hundred targets, 21 of them among the first hundred: 21 per cent in 5, a lift of 4.2."""
    targets = [1] * 21 + [0] * 79 + [1] * 79 + [0] * 1821
    return sy.evaluate(target=targets, score=[1 - i / 4000 for i in range(N)], positive=1)


def earned(targets: list[int], contacts: int, benefit: float, cost: float) -> float:
    """Prospect by prospect down the list."""
    return sum(benefit * target - cost for target in targets[:contacts])


def test_profit_of_the_first_part_of_a_list(mailing: Any) -> None:
    """Profit(P) = N(B T CPH(P) - C P) = N P(B T Lift(P) - C): 740 in the first 5 per cent."""
    c = sy.campaign(mailing, benefit=B, cost=C, depth=0.05)
    assert float(c.profit) == exactly(N * (B * T * 0.21 - C * 0.05))
    assert float(c.profit) == exactly(N * 0.05 * (B * T * 4.2 - C))
    assert float(c.profit) == exactly(earned([1] * 21 + [0] * 79, 100, B, C))
    assert float(c.profit) == exactly(740)
    assert c.lift == exactly(4.2)
    assert c.capture == exactly(0.21)


def test_policies_without_a_model(mailing: Any) -> None:
    """Everybody N(BT - C), a random part P of them N P(BT - C), exactly the targets N T(B - C), nobody 0."""
    c = sy.campaign(mailing, benefit=B, cost=C, depth=0.05)
    assert float(c.everybody) == exactly(N * (B * T - C))
    assert float(c.at_random) == exactly(N * 0.05 * (B * T - C))
    assert float(c.perfect) == exactly(N * T * (B - C))
    assert float(c.nobody) == 0


@pytest.mark.parametrize(("benefit", "pays"), [(4.7, False), (4.8, True)])
def test_a_part_pays_where_its_lift_is_above_what_is_needed(mailing: Any, benefit: float, pays: bool) -> None:
    """Profitable if and only if Lift(P) > C/(BT): a lift of 4.2 at 5 per cent targets pays from B = 1/(4.2 x .05) = 4.76 on."""
    c = sy.campaign(mailing, benefit=benefit, cost=C, depth=0.05)
    assert c.lift_needed == exactly(C / (benefit * T))
    assert (c.lift > c.lift_needed) is pays
    assert (float(c.profit) > 0) is pays


def test_contacting_all_pays_from_a_lift_of_one_on(mailing: Any) -> None:
    """Everybody together has a lift of 1, so BT must be above C."""
    for benefit, gain in ((19.0, -100.0), (20.0, 0.0), (21.0, 100.0)):
        c = sy.campaign(mailing, benefit=benefit, cost=C, depth=1.0)
        assert c.lift == exactly(1)
        assert float(c.profit) == exactly(gain)


@pytest.mark.parametrize("share", [0.01, 0.02, 0.05, 0.25])
def test_the_rule_of_thumb_meets_the_conjecture(share: float) -> None:
    """The conjecture: Lift(T) is about sqrt(1/T) for a good model. CPH(P) = sqrt(P) has that lift at P = T."""
    c = sy.campaign(benefit=B, cost=C, prospects=N, targets=share, depth=share)
    assert c.lift == exactly(sqrt(1 / share))
    assert c.capture == exactly(sqrt(share))


@pytest.mark.parametrize(("benefit", "cost", "share"), [(40, 1, 0.02), (12, 1, 0.1), (30, 5, 0.2)])
def test_the_best_part_by_the_rule_of_thumb(benefit: float, cost: float, share: float) -> None:
    """Not printed, derived: with CPH(P) = sqrt(P) the best part is (BT/2C)^2, and earns N(BT)^2/4C where BT < 2C."""
    c = sy.campaign(benefit=benefit, cost=cost, prospects=100_000, targets=share)
    bt = benefit * share
    assert bt < 2 * cost
    assert c.depth == exactly((bt / (2 * cost)) ** 2)
    assert float(c.profit) == exactly(100_000 * bt**2 / (4 * cost))
    tried = [100_000 * (bt * sqrt(p / 1000) - cost * p / 1000) for p in range(1, 1001)]
    assert max(tried) <= float(c.profit) * (1 + 1e-12)
    assert max(tried) == pytest.approx(float(c.profit), rel=1e-2)


def test_everybody_where_a_target_brings_twice_what_contacts_cost() -> None:
    """From BT = 2C on the rule contacts everybody, for N(BT - C)."""
    c = sy.campaign(benefit=50.0, cost=1.0, prospects=1000, targets=0.05)
    assert c.depth == 1
    assert float(c.profit) == exactly(1000 * (50 * 0.05 - 1))


def test_l_quality_is_told_beside_the_campaign(mailing: Any) -> None:
    """(2 S - 1)/(1 - T) with S the area under CPH: three straight pieces here, counted by hand."""
    c = sy.campaign(mailing, benefit=B, cost=C, depth=0.05)
    # Prospects 1-21 and 101-179 are targets; with one target more the curve goes up by .01 over one prospect in 2000.
    places = [*range(21), *range(100, 179)]
    area = sum(0.01 * (N - i - 0.5) / N for i in places)
    assert float(c.l_quality) == exactly((2 * area - 1) / (1 - T))
    assert float(c.l_quality) == exactly(2 * float(mailing["auc"]) - 1)
