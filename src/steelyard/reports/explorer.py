"""The data of the threshold explorer: as few cuts as show everything, and exactly the best for any costs.

Profit with fixed amounts, accuracy, KS, F-beta and precision are linear or linear-fractional in true and false positives,
so their best cut is a corner of one of the two convex hulls. All corners are kept; the rest is spread evenly.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.intervals.money import limits
from steelyard.measures.money import priced
from steelyard.measures.ranking import cumulative
from steelyard.payoffs.kinds import sign_of
from steelyard.reports.html import Ready, island, tag
from steelyard.results import Array, Codes
from steelyard.summaries.scores import Scores
from steelyard.worth.cuts import cuts
from steelyard.worth.hull import both_hulls

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

STEPS = 400
MOST = 2000


def kept(s: Scores, current: float | None) -> Codes:
    """Places of the cuts to keep: both hulls, even steps of both rates and of the share flagged, the one in force."""
    tp, fp = cumulative(s)
    upper, lower = both_hulls(tp, fp)
    places = [upper, lower, [0, len(tp) - 1]]
    for part in (tp / max(tp[-1], 1e-300), fp / max(fp[-1], 1e-300), (tp + fp) / (tp[-1] + fp[-1])):
        places.append(np.searchsorted(part, np.linspace(0, 1, STEPS + 1)).clip(0, len(tp) - 1))
    if current is not None:
        places.append([place_of(s, current)])
    found = np.unique(np.concatenate([np.asarray(p, dtype=np.int64) for p in places]))
    if len(found) <= MOST:
        return found
    # More corners than there is room for: they come first, and the rest is thinned.
    must = np.unique(
        np.concatenate([np.asarray(p, dtype=np.int64) for p in (upper, lower, places[-1], [0, len(tp) - 1])])
    )
    rest = np.setdiff1d(found, must)
    room = max(MOST - len(must), 0)
    thin = rest[np.linspace(0, len(rest) - 1, room).round().astype(np.int64)] if room else rest[:0]
    return np.union1d(must, thin)


def place_of(s: Scores, threshold: float) -> int:
    """The cut that flags what a threshold flags: as many cells as lie above it, counted from the top."""
    return int((s.cells.low >= threshold).sum())


def explorer_data(e: Evaluation, values: tuple[float, float, float, float], kind: str) -> dict[str, Any]:
    """What the page needs to follow a threshold: counts at the kept cuts, and what it cannot work out by itself."""
    s = e.scores
    assert s is not None
    places = kept(s, e.threshold)
    tp, fp = (x[places] for x in cumulative(s))
    current = place_of(s, e.threshold) if e.threshold is not None else 0
    data = {
        "t": [_shortest(s, place) for place in places],
        "tp": _steps(tp),
        "fp": _steps(fp),
        "at": int(np.searchsorted(places, current)),
        "threshold": e.threshold,
        "values": list(values),
        "kind": kind,
        "rows": s.rows,
        "units": s.units is not None,
        "z": NormalDist().inv_cdf(0.5 + e.confidence / 2),
        "tail": (1 - e.confidence) / 2,
    }
    if s.squares is not None:
        mine = s.squares[..., s.levels.index(s.positive)]
        above = (np.concatenate([[0.0], np.cumsum(x[::-1])])[places] for x in (mine, s.squares.sum(axis=-1) - mine))
        data |= {name: _steps(x) for name, x in zip(("tp2", "fp2"), above, strict=True)}
    if e.payoff is not None and e.payoff.names:
        data["worth"] = _worth(e, places, kind)
    return data


def _shortest(s: Scores, place: int) -> float | None:
    """A threshold in at most eight digits that flags just what this cut flags; more digits where scores lie that close."""
    if place == 0:
        return None
    low, cells = float(s.cells.low[-place]), len(s.cells.low)
    below = float(s.cells.high[-place - 1]) if place < cells else -math.inf
    for digits in range(8, 17):
        short = float(f"{low:.{digits}g}")
        if below < short <= low:
            return short
    return low


def _steps(sums: Array) -> list[float]:
    """Running sums as what each adds, rounded in such a way that nothing piles up."""
    total = float(sums[-1])
    if not (sums == np.floor(sums)).all():
        sums = np.round(sums, max(0, 11 - math.floor(math.log10(total))))
    return [int(v) if v.is_integer() else float(f"{v:.12g}") for v in np.diff(sums, prepend=0.0).tolist()]


def _worth(e: Evaluation, places: Codes, kind: str) -> dict[str, list[float | None]]:
    """Profit or cost at the kept cuts with its interval, where rows have amounts of their own."""
    s, payoff = e.scores, e.payoff
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
    low, high = limits(c, table, e.confidence)
    return {
        "value": _plain(value),
        "low": _plain(np.minimum(low * c.total, value)),
        "high": _plain(np.maximum(high * c.total, value)),
    }


def _plain(values: Array) -> list[float | None]:
    return [float(f"{v:.10g}") if math.isfinite(v) else None for v in values.tolist()]


def controls(e: Evaluation, name: str, values: tuple[float, float, float, float], kind: str, luck: str) -> Ready:
    """The slider, the boxes and the buttons; hidden until the script runs."""
    data = json.dumps(explorer_data(e, values, kind), allow_nan=False, separators=(",", ":"))
    boxes = [("caught positive", 0), ("false alarm", 2), ("missed positive", 1), ("left alone", 3)]

    def box(label: str, which: int) -> Ready:
        field = tag("input", type="number", step="any", value=f"{values[which]:.12g}", data_value=which)
        return tag("label", label, " ", field)

    return tag(
        "div",
        tag("script", island(data), type="application/json", class_="data"),
        tag(
            "div",
            tag(
                "label",
                "Flag rows scoring at least ",
                tag("input", type="number", step="any", data_role="cut"),
                class_="big",
            ),
            " ",
            tag(
                "label",
                "or the top ",
                tag("input", type="number", step="any", min="0", max="100", data_role="depth"),
                " % of rows",
            ),
            tag(
                "input",
                type="range",
                min="0",
                value="0",
                step="1",
                data_role="slider",
                aria_label=f"Threshold of {name}",
            ),
            tag(
                "p",
                [
                    tag("button", words, type="button", data_best=best)
                    for words, best in (
                        (f"Best {kind}", "worth"),
                        ("Best F1", "f1"),
                        ("Best KS", "ks"),
                        ("In force", "current"),
                    )
                ],
                class_="buttons",
            ),
            tag("fieldset", tag("legend", f"What each outcome is worth, as {kind}"), [box(*b) for b in boxes]),
            tag("p", luck, class_="note", data_given=True) if luck else None,
            class_="controls",
            hidden=True,
        ),
        tag("p", "", class_="told", aria_live="polite", data_role="sentence", hidden=True),
        class_="explorer",
    )
