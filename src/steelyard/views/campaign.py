"""A campaign as plain text, 80 columns wide, and as one JSON document: whom to contact and what it earns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from steelyard.results import Estimate
from steelyard.verdicts.policy import EVERYBODY, NOBODY
from steelyard.views.document import plain
from steelyard.views.layout import WIDTH, fit, table, table_width, wrap
from steelyard.words import estimate_text, number, percent, shortest, significant

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


def campaign_text(c: Campaign) -> str:
    """The advice, the policies side by side, and what stands behind them."""
    blocks = [
        [line for text in advice(c) for line in wrap(text, WIDTH)],
        _policies(c),
        [line for text in _reasons(c) for line in wrap(text, WIDTH, "", INDENT)],
        [line for text in c.notes for line in wrap(text, WIDTH, "Note: ", "      ")],
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def campaign_document(c: Campaign) -> dict[str, Any]:
    """All that is known, with the sentences, as plain JSON values."""
    found: dict[str, Any] = plain(c.to_dict() | {"sentences": [*advice(c), *_reasons(c)]})
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


def _earned(x: Estimate) -> str:
    if x.value is None:
        return f"n/a ({x.reason})"
    value, low, high = money(x.value, x.low, x.high)
    return f"{value} [{low}, {high}]" if low else value


# Sentences ------------------------------------------------------------------------------------------------------------


def advice(c: Campaign) -> list[str]:
    """What to do, in a sentence or two."""
    if c.basis == "rule":
        return [_planned(c), *_against(c)]
    return [_whom(c), *_against(c)]


def _contacts(c: Campaign) -> str:
    told = number(c.contacts, 0)
    return f"{told} prospect{'' if told == '1' else 's'}"


def _result(c: Campaign) -> str:
    word = "profit" if float(c.profit) >= 0 else "result"
    return f"expected {word} {_earned(c.profit)}"


def _whom(c: Campaign) -> str:
    score = f"a score of at least {shortest(float(f'{c.threshold:.6g}'))}"
    share = percent_short(c.depth)
    held = f"they hold {percent_short(c.capture)} of the targets"
    assert c.at_threshold is not None
    random = "" if c.at_threshold >= 1 else f" At that score a random {percent_short(c.at_threshold)} are contacted."
    if c.chosen == "given":
        return f"Contacting the {_contacts(c)} with {score} ({share}): {held}, {_result(c)}.{random}"
    if c.verdict == NOBODY:
        return f"Contact nobody. The least bad depth is {share}: {_contacts(c)} with {score}, {_result(c)}."
    if c.depth >= 1:
        return f"Contact everybody: all {_contacts(c)}, {_result(c)}."
    return f"Contact the {_contacts(c)} with {score} ({share}): {held}, {_result(c)}.{random}"


def _planned(c: Campaign) -> str:
    share = percent_short(c.depth)
    held = f"they would hold {percent_short(c.capture)} of the targets"
    if c.chosen == "given":
        return f"Before any model: contacting {_contacts(c)} ({share}) that a fair one chooses, {held}, {_result(c)}."
    if c.verdict == NOBODY:
        return f"Before any model: contact nobody. With {_contacts(c)} ({share}) that a fair one chooses, {_result(c)}."
    return f"Before any model: let a fair one choose {_contacts(c)} ({share}); {held}, {_result(c)}."


def _against(c: Campaign) -> list[str]:
    """Whether it beats doing without a model."""
    if c.budget is not None:
        room = f"Contacting everybody would take {number(c.prospects, 0)} contacts, more than the {number(c.budget, 0)} allowed."
        return [room, *([_nobody(c)] if c.verdict == NOBODY else [])]
    if c.verdict == NOBODY:
        return [_nobody(c)]
    if c.verdict == EVERYBODY:
        if c.chosen == "given" and c.depth < 1:
            return [f"Contacting everybody earns more: {_earned(c.everybody)}."]
        tail = f"the lowest scores still hold {significant(c.tail_lift)} times the average share of targets"
        needed = f"and {significant(c.lift_needed)} times pays for a contact"
        return [
            f"No model is needed for it: {tail}, {needed}." if c.cost else "Contacts are free, so nobody is left out."
        ]
    over = c.over_everybody
    if over.value is None:
        return [f"Contacting everybody would earn {_earned(c.everybody)}."]
    if over.low is None:
        return [f"That is {_earned(over)} more than contacting everybody."]
    less = ", the optimism taken off" if c.optimism else ""
    if not c.unbeaten:
        return [f"It beats contacting everybody, by {_earned(over)}{less}, and contacting nobody."]
    gap = f" (against everybody {_earned(over)}{less})"
    return [f"It is not clear that it beats contacting {' or '.join(c.unbeaten)}{gap}."]


def _nobody(c: Campaign) -> str:
    if c.chosen == "given":
        return "Contacting nobody is better: it costs nothing."
    if c.benefit <= c.cost:
        return "A target brings no more than a contact costs, so not even a perfect list would pay."
    if c.fixed:
        return f"At no depth does it earn back the fixed cost of {money(c.fixed)[0]}."
    who = "a fair model" if c.threshold is None and c.basis == "rule" else "the scores"
    return f"At no depth would {who} bring enough targets together to pay for the contacts."


def _reasons(c: Campaign) -> list[str]:
    """Lift against the lift needed, break-even, quality, optimism, the rule."""
    fixed = "" if not c.fixed else f", {significant(c.break_even_lift)} with the fixed cost of {money(c.fixed)[0]}"
    out = [f"Lift there {significant(c.lift)}; needed to pay for a contact {significant(c.lift_needed)}{fixed}."]
    if c.profitable_depth is None:
        out.append("Break-even: at no depth.")
    elif c.profitable_depth >= 1:
        out.append("Break-even: it pays at every depth, down to everybody.")
    else:
        edge = number(c.prospects * c.profitable_depth, 0)
        out.append(
            f"Break-even: beyond {percent_short(c.profitable_depth)} of the prospects ({edge}) it earns less than nothing."
        )
    if c.l_quality is not None:
        out.append(f"L-quality of the model {estimate_text(c.l_quality)}: 0 is a random order, 1 a perfect one.")
    if c.optimism:
        lost = significant(float(f"{c.optimism:.2g}"))
        out.append(f"About {lost} of the profit is optimism of the choice: expect {_earned(c.corrected)}.")
    if c.basis == "model":
        r = c.rule
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


def _policies(c: Campaign) -> list[str]:
    head: tuple[str, ...] = ("policy", "contacts", "reached", "profit", f"{percent(c.profit.confidence)} interval")
    rows: list[tuple[str, ...]] = []
    for row in c.policies():
        x = row["estimate"]
        value, low, high = money(x.value, x.low, x.high)
        sizes = (number(row["contacts"], 0), number(row["reached"], 0))
        rows.append((NAMES[row["policy"]], *sizes, value, f"{low} to {high}" if low else ""))
    # Sums too long for one line leave no room for intervals, which .frame() has.
    if not any(row[-1] for row in rows) or table_width(head, rows) > WIDTH - len(INDENT):
        head, rows = head[:-1], [row[:-1] for row in rows]
    lines = [fit(INDENT + line, WIDTH) for line in table(head, rows, "lrrrl"[: len(head)])]
    targets = f"{number(c.prospects, 0)} prospects, {percent(float(f'{c.targets:.3g}'))} of them targets"
    terms = f"{shortest(c.benefit)} for a target reached, {shortest(c.cost)} for a contact"
    return [*wrap(f"What each policy earns ({targets}; {terms})", WIDTH, "", INDENT), *lines]
