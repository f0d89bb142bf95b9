"""The cards of the first screen: one number each, with its interval on a scale from doing without a model to perfect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.measures.measure import Measure, find, leading
from steelyard.payoffs.kinds import sign_of
from steelyard.results import Estimate
from steelyard.views.concluding import cut_text, in_their_words, weakest_level
from steelyard.views.html import Ready, tag
from steelyard.views.story import kind_of
from steelyard.views.worth import value_text
from steelyard.words import (
    MARK,
    bracketed,
    count,
    estimate_parts,
    in_hundred,
    percent,
    quoted,
    shortest,
    told_marks,
    with_limits,
)

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

WIDTH = 200.0


@dataclass(frozen=True, slots=True)
class Card:
    """One number: what it is called, the number with its interval, a scale that ends in what is perfect, and words."""

    title: str
    estimate: Estimate
    parts: tuple[str, str, str]
    """Value and ends of the interval, as they are told."""
    scale: tuple[float, float]
    """Where the bar begins, and where it is perfect."""
    without: float | None = None
    """What it is without a model."""
    perfect: float | None = None
    best: float | None = None
    words: str = ""
    ends: tuple[str, str, str] = ("", "", "")
    """Words below the beginning, the middle and the end of the scale."""
    money: bool = False


def cards_of(evaluation: Evaluation) -> list[Card]:
    """What people ask for first: money where outcomes are worth something, then the measures that say they have a card."""
    kind = kind_of(evaluation)
    if kind == "labels" and evaluation.positive is not None and len(evaluation.levels) <= 2:
        kind = "outcomes"
    found = [
        _of_measure(evaluation, evaluation[name])
        for name in leading("card", kind)
        if name in evaluation.measures and evaluation[name].defined
    ]
    worst = weakest_level(evaluation) if kind in {"labels", "classes"} else None
    if worst is not None and worst.defined:
        found.insert(2, _of_measure(evaluation, worst))
    return [*_of_money(evaluation), *found]


def cards(evaluation: Evaluation) -> Ready:
    """The cards in a row; of too few cases the interval is what stands large."""
    look: dict[str, Any] = {"sure": evaluation.verdict.known, "confidence": evaluation.confidence}
    return tag("div", [card_html(c, **look) for c in cards_of(evaluation)], class_="cards")


def _of_measure(evaluation: Evaluation, estimate: Estimate) -> Card:
    m = find(estimate.measure)
    assert estimate.value is not None
    parts = _parts(m, estimate)
    without = None if estimate.level is not None else evaluation.without_model(estimate.measure)
    perfect = m.range[1] if m.better == "higher" else 0.0
    if estimate.level is None:
        cuts = m.of_labels and evaluation.threshold is not None and "confusion" not in evaluation.evidence
        title = f"{m.title} at {shortest(evaluation.threshold or 0.0)}" if cuts else m.title
        said = in_their_words(evaluation, estimate)
    else:
        title = f"Weakest level: {quoted(estimate.level)}"
        said = f"Finds {in_hundred(estimate)[0]} of 100 of its rows."
    # The limits stand below the number already.
    for _, limits in (in_hundred(estimate), with_limits(estimate), with_limits(estimate, -1)):
        said = said.replace(limits, "") if limits else said
    start = f"no model {_short(m, without)}" if without is not None else ""
    # The middle of the scale is perfect where errors of both signs are possible; that 100% is, nobody needs to be told.
    end = "perfect" if _in_percent(m) else f"perfect {_short(m, perfect)}"
    ends = (start, end, "") if m.better == "zero" else (start, "", end)
    return Card(title, estimate, parts, _scale(m, estimate, without, perfect), without, perfect, None, said, ends)


def _scale(measure: Measure, estimate: Estimate, without: float | None, perfect: float) -> tuple[float, float]:
    """From the worst that is worth showing to perfect; what has no worst value begins beyond all that is shown."""
    shown = [abs(v) for v in (estimate.value, estimate.low, estimate.high, without) if v is not None]
    most = 1.15 * max(shown) or 1.0
    if measure.better == "zero":
        return -most, most
    if measure.better == "lower":
        # Where doing without a model is the worst that is known, the scale begins there.
        begins = without is not None and without >= max(shown)
        return shown[-1] if begins else max(most, 0.1) if measure.range[1] <= 1 else most, perfect
    least = measure.range[0]
    if without is not None and without == min(v for v in (estimate.low, estimate.value, without) if v is not None):
        return without, perfect
    known = [v for v in (estimate.low, estimate.value, without, 0.0) if v is not None]
    return (min(known) if math.isinf(least) or least < 0 else least), perfect


def _parts(measure: Measure, estimate: Estimate) -> tuple[str, str, str]:
    """A share of labels in per cent; value and limits are rounded together."""
    assert estimate.value is not None
    if not _in_percent(measure):
        return estimate_parts(estimate.value, estimate.low, estimate.high)
    scaled = [None if v is None else 100 * v for v in (estimate.value, estimate.low, estimate.high)]
    assert scaled[0] is not None
    told = estimate_parts(scaled[0], scaled[1], scaled[2], digits=1)
    return f"{told[0]}%", f"{told[1]}%" if told[1] else "", f"{told[2]}%" if told[2] else ""


def _in_percent(measure: Measure) -> bool:
    return measure.of_labels and isinstance(measure.told, str) and "{hundred}" in measure.told


def _short(measure: Measure, value: float) -> str:
    return percent(float(f"{value:.2g}")) if _in_percent(measure) else shortest(float(f"{value:.3g}"))


def _of_money(evaluation: Evaluation) -> list[Card]:
    advice = None if evaluation.payoff is None else evaluation.advice
    if advice is None:
        return []
    worth = advice.now
    rival, perfect = float(advice.rival.estimate), float(worth.policy("perfect").estimate)
    best = advice.best.corrected.value if advice.best is not None and not advice.alike else None
    sign = sign_of(worth.measure)
    seen = [sign * v for v in (worth.low, worth.value, rival, best, 0.0 if sign > 0 else rival) if v is not None]
    cut = f" at {shortest(evaluation.threshold)}" if evaluation.threshold is not None and worth.movable else ""
    said = f"no model {value_text(advice.rival.estimate)}"
    if best is not None and advice.best is not None:
        said = f"best {value_text(advice.best.corrected)} at {cut_text(advice.best)} · {said}"
    parts = (value_text(worth), *estimate_parts(float(worth), worth.low, worth.high)[1:])
    top = f"{worth.measure.capitalize()}{cut}"
    scale = (sign * min(seen), perfect)
    ends = ("", "", f"perfect {count(round(perfect))}")
    return [Card(top, worth.plain(), parts, scale, rival, perfect, best, said, ends, money=True)]


def chief_measures(evaluation: Evaluation) -> Ready:
    """The chief measures below one another, each on a scale of its own whose right end is perfect."""
    found = [evaluation[name] for name in leading("forest") if name in evaluation.measures and evaluation[name].defined]
    rows = []
    for card in (_of_measure(evaluation, x) for x in found):
        value, low, high = card.parts
        number = tag("b", value + (MARK if card.estimate.caution else ""))
        told = [number, tag("span", bracketed(low, high), class_="note")]
        rows.append(tag("tr", tag("th", card.title, scope="row"), tag("td", bar(card)), tag("td", told)))
    said = f"Chief measures with {percent(evaluation.confidence)} intervals; perfect is to the right, the thin line is no model"
    cautions = told_marks([(find(x.measure).title, x.caution) for x in found])
    marks = [tag("p", f"{text}.", class_="note") for text in cautions]
    return tag("div", tag("table", tag("caption", said), tag("tbody", rows), class_="bars"), marks, class_="sure")


# As HTML --------------------------------------------------------------------------------------------------------------


def card_html(card: Card, *, sure: bool, confidence: float) -> Ready:
    """A card: title, number, interval, its bar, and what it means."""
    value, low, high = card.parts
    limits = bracketed(low, high) if card.estimate.low != card.estimate.high else ""
    ends = limits or card.estimate.note or "no interval"
    large, small = (value, ends) if sure or not ends.startswith("[") else (ends, f"found: {value}")
    return tag(
        "div",
        tag("span", card.title, class_="over"),
        tag("b", large),
        tag("span", small, class_="note", title=f"{percent(confidence)} interval" if sure else None),
        bar(card),
        tag("span", [tag("span", words) for words in card.ends], class_=f"ends{_under(card)}"),
        tag("p", f"{card.words.removesuffix('.')}; {card.estimate.caution}." if card.estimate.caution else card.words),
        class_="card" if sure else "card unsure",
        data_role="worth-card" if card.money else None,
    )


def _under(card: Card) -> str:
    """The class that puts the words about doing without a model below their mark, where that is not at the beginning."""
    start, perfect = card.scale
    if card.without is None or not card.ends[0] or perfect == start:
        return ""
    tenths = min(9, round(10 * (card.without - start) / (perfect - start)))
    return f" m{tenths}" if tenths > 0 else ""


def bar(card: Card) -> Ready:
    """The interval on its scale, with marks for doing without a model and for the best that is known."""
    start, perfect = card.scale
    span = (perfect - start) or 1.0

    def x(value: float) -> float:
        return WIDTH * min(1.0, max(0.0, (value - start) / span))

    e = card.estimate
    assert e.value is not None
    parts: list[Any] = [_rect(0, WIDTH, 7, 4, "track", "#dfe3e8")]
    if e.low is not None and e.high is not None:
        left, right = sorted((x(e.low), x(e.high)))
        parts.append(_rect(left, max(right - left, 1.0), 4, 10, "range", "#0063a8"))
    if card.without is not None:
        parts.append(_rect(x(card.without) - 0.6, 1.2, 0, 18, "without", "#5b6470"))
    if card.perfect is not None and start < card.perfect < perfect:
        parts.append(_rect(x(card.perfect) - 0.6, 1.2, 3, 12, "without", "#5b6470"))
    if card.best is not None:
        parts.append(_rect(x(card.best) - 1.2, 2.4, 2, 14, "best", "#0a7d4f"))
    parts.append(_rect(x(e.value) - 1.2, 2.4, 1, 16, "value", "#0063a8"))
    return tag("svg", parts, viewBox="0 0 200 18", preserveAspectRatio="none", class_="scale", aria_hidden="true")


def _rect(x: float, width: float, y: float, height: float, kind: str, fill: str) -> Ready:
    sides = {"x": f"{x:.1f}", "y": f"{y:g}", "width": f"{width:.1f}", "height": f"{height:g}"}
    return tag("rect", class_=kind, fill=fill, **sides)
