"""What an explorer says, read from the page; and what Python says it should."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from steelyard.measures.measure import leading
from steelyard.words import count, estimate_parts, percent, percents

STEP = """([model, places]) => {
    const root = document.querySelector(`.explorer[data-model=${model}]`), slider = root.querySelector('[data-role=slider]');
    const scope = root.parentElement;
    return places.map(place => {
        slider.value = slider.max - place;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        const told = Object.fromEntries([...scope.querySelectorAll('[data-cell]')].map(n => [n.dataset.cell, n.textContent]));
        const sentence = root.querySelector('[data-role=sentence]').textContent;
        return {...told, t: slider.getAttribute('aria-valuetext'), sentence};
    });
}"""
AMOUNTS = r"""(sets) => {
    const root = document.querySelector('.explorer'), boxes = [...root.querySelectorAll('[data-value]')];
    return sets.map(([amounts, goal]) => {
        boxes.forEach(box => {
            box.value = amounts[Number(box.dataset.value)];
            box.dispatchEvent(new Event('input', {bubbles: true}));
        });
        root.querySelector(`[data-best=${goal}]`).click();
        const cell = name => document.querySelector(`[data-cell=${name}]`).textContent;
        const slider = root.querySelector('[data-role=slider]');
        return [slider.max - slider.value, [cell('worth'), ...cell('worth-interval').replace(/[\[\]]/g, '').split(', ')]];
    });
}"""


def island(page: Any, model: str = "m0") -> dict[str, Any]:
    """The data of an explorer."""
    found: dict[str, Any] = json.loads(page.locator(f".explorer[data-model={model}] .data").text_content())
    return found


def value(text: str) -> float:
    """A number as it stands on the page."""
    return float(text.replace("−", "-").replace(",", ""))


def rows_of(e: Any, threshold: float | None) -> Any:
    """The same evaluation at a threshold of the page; None flags nobody."""
    return e.at(math.nextafter(float(e.scores.cells.high[-1]), math.inf) if threshold is None else threshold)


def expected(e: Any, threshold: float | None) -> dict[str, str]:
    """What the page should say at a threshold, by Python's own numbers and words."""
    at = rows_of(e, threshold)
    o = at.confusion.outcomes(at.positive)
    out = {name: count(float(getattr(o, name))) for name in ("tp", "fn", "fp", "tn")}
    for name in ("tp", "fn"):
        out[f"{name}-share"] = f"{percent(float(getattr(o, name)) / float(o.positives))} of positives"
    for name in ("fp", "tn"):
        out[f"{name}-share"] = f"{percent(float(getattr(o, name)) / float(o.negatives))} of negatives"
    for name in leading("explorer"):
        x = at[name]
        out[name] = "n/a" if x.value is None else percent(x.value)
        out[f"{name}-interval"] = ""
        if x.low is not None and x.high is not None:
            out[name], low, high = percents(x.value, x.low, x.high)
            out[f"{name}-interval"] = f"[{low}, {high}]"
    if at.payoff is not None:
        w = at.worth
        out["worth"], low, high = estimate_parts(w.value, w.low, w.high)
        out["worth-interval"] = f"[{low}, {high}]" if low else ""
    return out


def spread(last: int, positions: int = 25) -> list[int]:
    """Positions along the slider, both ends and their neighbours among them."""
    return sorted({0, 1, last - 1, last, *np.linspace(0, last, positions).astype(int).tolist()})


def follow(page: Any, e: Any, model: str = "m0") -> int:
    """Move the slider and compare all that is told with Python."""
    cuts = island(page, model)["t"]
    places = spread(len(cuts) - 1)
    for place, told in zip(places, page.evaluate(STEP, [model, places]), strict=True):
        wanted = expected(e, cuts[place])
        assert {name: told[name] for name in wanted} == wanted, f"at {cuts[place]}"
        said = re.match(r"score at least (\S+), ", told["t"])
        assert (float(said[1]) if said else None) == cuts[place]
        if "worth" in wanted:
            assert wanted["worth"] in told["sentence"]
    return len(places)
