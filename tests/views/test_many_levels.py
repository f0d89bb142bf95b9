"""Levels keep their colours from chart to chart, and of many those are drawn that are found least."""

from __future__ import annotations

import numpy as np

import steelyard as sy
from steelyard.reports.page import report_html


def test_of_many_levels_those_are_drawn_that_are_found_least() -> None:
    rng = np.random.default_rng(1)
    names = np.array([f"shop {i:02d}" for i in range(30)])
    truth = rng.integers(0, 30, 6_000)
    # The last level is the worst; the first 25 do not hold it.
    guess = np.where(rng.random(6_000) < np.where(truth == 29, 0.3, 0.9), truth, (truth + 1) % 30)
    e = sy.evaluate(target=names[truth], prediction=names[guess])
    chart = e.chart("levels")
    assert chart.heading.startswith("Found least: shop 29, recall 0.")
    assert chart.title == "The 25 of 30 levels that are found least"
    least = sorted(names, key=lambda v: e["recall", v].value)[:25]
    assert chart.y.names == tuple(sorted(least))


def test_a_level_has_one_colour_on_a_page() -> None:
    rng = np.random.default_rng(2)
    names = ["north", "south", "east"]
    truth = rng.integers(0, 3, 900)
    logits = rng.normal(size=(900, 3))
    logits[np.arange(900), truth] += np.array([1.2, 2.4, 0.6])[truth]
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    e = sy.evaluate(target=np.array(names)[truth], score={n: scores[:, i] for i, n in enumerate(names)})
    told = [text.split()[0] for text, _ in e.chart("one_against_rest").legend]
    assert told == [str(v) for v in e.levels]
    page = report_html({"one": e})
    places = [page.index(f">{name}<", page.index("Are the probabilities of each level honest?")) for name in told]
    assert places == sorted(places)
