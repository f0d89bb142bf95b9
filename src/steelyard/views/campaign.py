"""A campaign as plain text, 80 columns wide, and as one JSON document: whom to contact and what it earns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from steelyard.results import Estimate
from steelyard.verdicts.policy import EVERYBODY, NOBODY
from steelyard.views.document import plain
from steelyard.views.layout import WIDTH, blocks_text, fit, noted, table, table_width, wrap, wrapped
from steelyard.words import bracketed, estimate_text, number, percent, shortest, significant

if TYPE_CHECKING:
    from steelyard.worth.campaign import Campaign

INDENT = "  "
NAMES = {
    "model": "by the model",
    "rule": "rule of thumb",
    "everybody": "everybody",
    "nobody": "nobody",
    "at random": "at random, as many",
    "perfect": "exactly the targets",
}


def campaign_text(campaign: Campaign) -> str:
    """The advice, the policies side by side, and what stands behind them."""
    blocks = [
        [line for text in advice(campaign) for line in wrap(text, WIDTH)],
        _policies(campaign),
        wrapped(_reasons(campaign)),
        noted(campaign.notes),
    ]
    return blocks_text(blocks)


def campaign_document(campaign: Campaign) -> dict[str, Any]:
    """All that is known, with the sentences, as plain JSON values."""
    found: dict[str, Any] = plain(campaign.to_dict() | {"sentences": [*advice(campaign), *_reasons(campaign)]})
    return found


# Money ----------------------------------------------------------------------------------------------------------------


def money(value: float, low: float | None = None, high: float | None = None) -> tuple[str, str, str]:
    """A sum and the ends of its interval, rounded to the second digit of the half-width; no text for ends that do not exist.

    >>> money(34112.0, 28934.0, 39217.0), money(1234.4)
    (('34,100', '28,900', '39,200'), ('1,234', '', ''))
    """
    if low is None or high is None:
        return _sum(value, value), "", ""
    half = (high - low) / 2
    if half <= 1e-11 * max(abs(low), abs(high)):
        return _sum(value, value), "", ""
    # A wide interval does not make a small sum vanish.
    size = math.floor(math.log10(half)) - 1
    if value:
        size = min(size, math.floor(math.log10(abs(value))) - 1)
    told = [number(round(x, -size), max(0, -size)) for x in (value, low, high)]
    return told[0], told[1], told[2]


def _sum(value: float, beside: float) -> str:
    """Large sums whole, small ones to the hundredth, smaller still to three digits."""
    if 0 < abs(beside) < 0.1:
        return significant(value)
    whole = abs(beside) >= 1_000 or abs(beside - round(beside)) < 1e-9 * max(1.0, abs(beside))
    return number(value, 0 if whole else 2)


def _earned(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"n/a ({estimate.reason})"
    value, low, high = money(estimate.value, estimate.low, estimate.high)
    return f"{value} {bracketed(low, high)}".rstrip()


# Sentences ------------------------------------------------------------------------------------------------------------


def advice(campaign: Campaign) -> list[str]:
    """What to do, in a sentence or two."""
    if campaign.basis == "rule":
        return [_planned(campaign), *_against(campaign)]
    return [_whom(campaign), *_against(campaign)]


def _contacts(campaign: Campaign) -> str:
    told = number(campaign.contacts, 0)
    return f"{told} prospect{'' if told == '1' else 's'}"


def _result(campaign: Campaign) -> str:
    lucky = bool(campaign.optimism) and _earned(campaign.corrected) != _earned(campaign.profit)
    x = campaign.corrected if lucky else campaign.profit
    word = "profit" if float(x) >= 0 else "result"
    return f"expected {word} {_earned(x)}{', luck taken off' if lucky else ''}"


def _whom(campaign: Campaign) -> str:
    score = f"a score of at least {shortest(float(f'{campaign.threshold:.6g}'))}"
    share = percent_short(campaign.depth)
    held = f"they hold {percent_short(campaign.capture)} of the targets"
    assert campaign.at_threshold is not None
    part = percent_short(campaign.at_threshold)
    random = "" if campaign.at_threshold >= 1 else f" At that score a random {part} are contacted."
    if campaign.chosen == "given":
        return f"Contacting the {_contacts(campaign)} with {score} ({share}): {held}, {_result(campaign)}.{random}"
    if campaign.verdict == NOBODY:
        return (
            f"Contact nobody. The least bad depth is {share}: {_contacts(campaign)} with {score}, {_result(campaign)}."
        )
    if campaign.depth >= 1:
        return f"Contact everybody: all {_contacts(campaign)}, {_result(campaign)}."
    return f"Contact the {_contacts(campaign)} with {score} ({share}): {held}, {_result(campaign)}.{random}"


def _planned(campaign: Campaign) -> str:
    share = percent_short(campaign.depth)
    held = f"they would hold {percent_short(campaign.capture)} of the targets"
    if campaign.chosen == "given":
        return f"Before any model: contacting {_contacts(campaign)} ({share}) that a fair one chooses, {held}, {_result(campaign)}."
    if campaign.verdict == NOBODY:
        chosen = f"{_contacts(campaign)} ({share}) that a fair one chooses"
        return f"Before any model: contact nobody. With {chosen}, {_result(campaign)}."
    return f"Before any model: let a fair one choose {_contacts(campaign)} ({share}); {held}, {_result(campaign)}."


def _against(campaign: Campaign) -> list[str]:
    """Whether it beats doing without a model."""
    if campaign.budget is not None:
        everybody, allowed = number(campaign.prospects, 0), number(campaign.budget, 0)
        room = f"Contacting everybody would take {everybody} contacts, more than the {allowed} allowed."
        return [room, *([_nobody(campaign)] if campaign.verdict == NOBODY else [])]
    if campaign.verdict == NOBODY:
        return [_nobody(campaign)]
    if campaign.verdict == EVERYBODY:
        if campaign.chosen == "given" and campaign.depth < 1:
            return [f"Contacting everybody earns more: {_earned(campaign.everybody)}."]
        tail = f"the lowest scores still hold {significant(campaign.tail_lift)} times the average share of targets"
        needed = f"and {significant(campaign.lift_needed)} times pays for a contact"
        free = "Contacts are free, so nobody is left out."
        return [f"No model is needed for it: {tail}, {needed}." if campaign.cost else free]
    over = campaign.over_everybody
    if over.value is None:
        return [f"Contacting everybody would earn {_earned(campaign.everybody)}."]
    if over.low is None:
        return [f"That is {_earned(over)} more than contacting everybody."]
    less = ", luck taken off" if campaign.optimism else ""
    if not campaign.unbeaten:
        return [f"It beats contacting nobody, and contacting everybody by {_earned(over)}{less}."]
    gap = f" (against everybody {_earned(over)}{less})"
    return [f"It is not clear that it beats contacting {' or '.join(campaign.unbeaten)}{gap}."]


def _nobody(campaign: Campaign) -> str:
    if campaign.chosen == "given":
        return "Contacting nobody is better: it costs nothing."
    if campaign.benefit <= campaign.cost:
        return "A target brings no more than a contact costs, so not even a perfect list would pay."
    if campaign.fixed:
        return f"At no depth does it earn back the fixed cost of {money(campaign.fixed)[0]}."
    who = "a fair model" if campaign.threshold is None and campaign.basis == "rule" else "the scores"
    return f"At no depth would {who} bring enough targets together to pay for the contacts."


def _reasons(campaign: Campaign) -> list[str]:
    """Lift against the lift needed, break-even, quality, optimism, the rule."""
    lift, needed, fixed = significant(campaign.lift), significant(campaign.lift_needed), ""
    if campaign.fixed:
        fixed = f", {significant(campaign.break_even_lift)} with the fixed cost of {money(campaign.fixed)[0]}"
    out = [f"Lift there {lift}; needed to pay for a contact {needed}{fixed}."]
    if campaign.profitable_depth is None:
        out.append("Break-even: at no depth.")
    elif campaign.profitable_depth >= 1:
        out.append("Break-even: it pays at every depth, down to everybody.")
    else:
        edge = number(campaign.prospects * campaign.profitable_depth, 0)
        beyond = f"{percent_short(campaign.profitable_depth)} of the prospects ({edge})"
        out.append(f"Break-even: beyond {beyond} it earns less than nothing.")
    if campaign.l_quality is not None:
        out.append(f"L-quality of the model {estimate_text(campaign.l_quality)}: 0 is a random order, 1 a perfect one.")
    if campaign.optimism:
        lost = significant(float(f"{campaign.optimism:.2g}"))
        out.append(f"On these rows it is {_earned(campaign.profit)}; about {lost} of that is optimism of the choice.")
    if campaign.basis == "model":
        r = campaign.rule
        out.append(
            f"Before any model: with the rule of thumb lift = √(1 / targets) one would contact {percent_short(r.depth)}, reach "
            f"{percent_short(r.capture)} of the targets and earn {_earned(r.profit)}."
        )
    return out


def percent_short(share: float) -> str:
    """A share in per cent to two or three digits.

    >>> percent_short(0.1234), percent_short(0.4812), percent_short(0.004567)
    ('12%', '48%', '0.46%')
    """
    if share >= 0.995 or share < 0.0995:
        return percent(1.0 if share >= 1 - 1e-12 else round(share, 4) if share >= 0.995 else float(f"{share:.2g}"))
    return f"{number(100 * share, 0)}%"


# The table ------------------------------------------------------------------------------------------------------------


def _policies(campaign: Campaign) -> list[str]:
    interval = f"{percent(campaign.profit.confidence)} interval"
    head: tuple[str, ...] = ("policy", "contacts", "reached", "profit", interval)
    rows: list[tuple[str, ...]] = []
    for row in campaign.policies():
        x = row["estimate"]
        value, low, high = money(x.value, x.low, x.high)
        sizes = (number(row["contacts"], 0), number(row["reached"], 0))
        rows.append((NAMES[row["policy"]], *sizes, value, bracketed(low, high)))
    # Sums too long for one line leave no room for intervals, which .frame() has.
    if not any(row[-1] for row in rows) or table_width(head, rows) > WIDTH - len(INDENT):
        head, rows = head[:-1], [row[:-1] for row in rows]
    lines = [fit(INDENT + line, WIDTH) for line in table(head, rows, "lrrrl"[: len(head)])]
    targets = f"{number(campaign.prospects, 0)} prospects, {percent(float(f'{campaign.targets:.3g}'))} of them targets"
    terms = f"{shortest(campaign.benefit)} for a target reached, {shortest(campaign.cost)} for a contact"
    return [*wrap(f"What each policy earns ({targets}; {terms})", WIDTH, "", INDENT), *lines]
