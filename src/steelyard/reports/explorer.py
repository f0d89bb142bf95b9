"""The data of the threshold explorer: as few cuts as show everything, and exactly the best for any costs.

Profit with fixed amounts, accuracy, KS, F-beta and precision are linear or linear-fractional in true and false positives,
so their best cut is a corner of one of the two convex hulls. All corners are kept; the rest is spread evenly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.intervals.money import limits
from steelyard.measures.flagged import cumulative
from steelyard.measures.money import priced
from steelyard.payoffs.kinds import sign_of
from steelyard.results import Array, Codes
from steelyard.summaries.scores import Scores
from steelyard.views.html import Ready, island, tag
from steelyard.worth.cuts import cuts, place_of, short_cut
from steelyard.worth.hull import both_hulls

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

STEPS, FEWER = 200, 150
"""Even steps of each rate; fewer where weights make every number of the page long."""
MOST = 2000
SUMMED, SQUARED = 11, 9
"""Digits of running sums, and of those of squared weights, from which only intervals come."""


def kept(scores: Scores, current: float | None) -> Codes:
    """Places of the cuts to keep: both hulls, even steps of both rates and of the share flagged, the one in force."""
    tp, fp = cumulative(scores)
    upper, lower = both_hulls(tp, fp)
    places = [upper, lower, [0, len(tp) - 1]]
    steps = STEPS if scores.squares is None else FEWER
    for part in (tp / max(tp[-1], 1e-300), fp / max(fp[-1], 1e-300), (tp + fp) / (tp[-1] + fp[-1])):
        places.append(np.searchsorted(part, np.linspace(0, 1, steps + 1)).clip(0, len(tp) - 1))
    if current is not None:
        places.append([place_of(scores, current)])
    found = _joined(places)
    if len(found) <= MOST:
        return found
    # More corners than there is room for: they come first, and the rest is thinned.
    must = _joined([upper, lower, places[-1], [0, len(tp) - 1]])
    rest = np.setdiff1d(found, must)
    room = max(MOST - len(must), 0)
    thin = rest[np.linspace(0, len(rest) - 1, room).round().astype(np.int64)] if room else rest[:0]
    return np.union1d(must, thin)


def _joined(places: Sequence[Any]) -> Codes:
    return np.unique(np.concatenate([np.asarray(p, dtype=np.int64) for p in places]))


def explorer_data(evaluation: Evaluation, values: tuple[float, float, float, float], kind: str) -> dict[str, Any]:
    """What the page needs to follow a threshold: counts at the kept cuts, and what it cannot work out by itself."""
    s = evaluation.scores
    assert s is not None
    places = kept(s, evaluation.threshold)
    tp, fp = (x[places] for x in cumulative(s))
    current = place_of(s, evaluation.threshold) if evaluation.threshold is not None else 0
    data = {
        "t": [short_cut(s, int(place)) for place in places],
        "tp": _steps(tp),
        "fp": _steps(fp),
        "at": int(np.searchsorted(places, current)),
        "threshold": evaluation.threshold,
        "values": list(values),
        "kind": kind,
        "rows": s.rows,
        "units": s.units is not None,
        "probabilities": s.probabilities,
        "z": NormalDist().inv_cdf(0.5 + evaluation.confidence / 2),
        "tail": (1 - evaluation.confidence) / 2,
    }
    if s.squares is not None:
        mine = s.squares[..., s.levels.index(s.positive)]
        above = (np.concatenate([[0.0], np.cumsum(x[::-1])])[places] for x in (mine, s.squares.sum(axis=-1) - mine))
        data |= {name: _steps(x, SQUARED) for name, x in zip(("tp2", "fp2"), above, strict=True)}
    if evaluation.payoff is not None and evaluation.payoff.names:
        data["worth"] = _worth(evaluation, places, kind)
    return data


def _steps(sums: Array, digits: int = SUMMED) -> list[float]:
    """Running sums as what each adds, rounded in such a way that nothing piles up."""
    total = float(sums[-1])
    if total > 0 and not (sums == np.floor(sums)).all():
        sums = np.round(sums, max(0, digits - math.floor(math.log10(total))))
    return [int(v) if v.is_integer() else float(f"{v:.12g}") for v in np.diff(sums, prepend=0.0).tolist()]


def _worth(evaluation: Evaluation, places: Codes, kind: str) -> dict[str, list[float | None]]:
    """Profit or cost at the kept cuts with its interval, where rows have amounts of their own."""
    s, payoff = evaluation.scores, evaluation.payoff
    assert s is not None
    assert payoff is not None
    _, every = cuts(s)
    squares = None if every.squares is None else every.squares[places]
    amounts = None if every.amounts is None else replace(every.amounts, sums=every.amounts.sums[places])
    c = replace(every, counts=every.counts[places], squares=squares, amounts=amounts)
    table = sign_of(kind) * payoff.coefficients(c.levels, c.positive, s.amounts)
    value = priced(c, table, 1)[0].sum(axis=(-2, -1))
    if s.units is not None:
        # Rows of a unit hang together, which the closed form does not know.
        nothing: list[float | None] = [None] * len(value)
        return {"value": _plain(value), "low": nothing, "high": nothing}
    low, high = limits(c, table, evaluation.confidence)
    return {
        "value": _plain(value),
        "low": _plain(np.minimum(low * c.total, value)),
        "high": _plain(np.maximum(high * c.total, value)),
    }


def _plain(values: Array) -> list[float | None]:
    return [float(f"{v:.10g}") if math.isfinite(v) else None for v in values.tolist()]


def controls(
    evaluation: Evaluation, name: str, values: tuple[float, float, float, float], kind: str, luck: str
) -> Ready:
    """The slider, the boxes and the buttons; hidden until the script runs."""
    data = json.dumps(explorer_data(evaluation, values, kind), allow_nan=False, separators=(",", ":"))
    amounts = [("caught positive", 0), ("false alarm", 2), ("missed positive", 1), ("left alone", 3)]

    def box(label: str, which: int) -> Ready:
        return tag("label", label, " ", _number(value=f"{values[which]:.12g}", data_value=which))

    def button(words: str, goal: str) -> Ready:
        return tag("button", words, type="button", data_best=goal)

    reset = tag("button", "Reset", type="button", data_role="reset", disabled=True)
    goals = [("In force", "current"), (f"Best {kind}", "worth"), ("Break-even", "even")]
    others = [("Best F1", "f1"), ("Best KS", "ks")]
    slider = {"type": "range", "min": "0", "value": "0", "step": "1", "data_role": "slider"}
    moving = tag(
        "div",
        tag("label", "Flag rows scoring at least ", _number(data_role="cut"), class_="big"),
        tag(
            "div",
            tag("svg", class_="marks", data_role="marks", aria_hidden="true"),
            tag("input", **slider, aria_label=f"Threshold of {name}"),
            tag("div", tag("span", "everybody is flagged"), tag("span", "nobody is flagged"), class_="ends"),
            class_="track",
        ),
        tag("div", [button(*goal) for goal in goals], class_="buttons"),
        class_="moving",
    )
    more = tag(
        "div",
        tag("fieldset", tag("legend", f"One row is worth, as {kind}: "), [box(*b) for b in amounts], reset),
        tag(
            "div",
            tag("label", "top ", _number(min="0", max="100", data_role="depth"), " % of rows"),
            [button(*goal) for goal in others],
            tag("button", "Compare", type="button", data_role="pin", title="Set this threshold beside the next one"),
            class_="buttons",
        ),
        class_="more",
    )
    chosen = tag("p", luck, class_="note", data_given=True) if luck else None
    return tag(
        "div",
        tag("script", island(data), type="application/json", class_="data"),
        tag("div", moving, more, chosen, class_="controls", hidden=True),
        tag("p", "", class_="told", aria_live="polite", data_role="sentence", hidden=True),
        class_="explorer",
    )


def _number(**attributes: object) -> Ready:
    return tag("input", type="number", step="any", **attributes)
