"""Tries the edges of monitors: labels that wait for the outcome, rare positives, weekends, months, small losses.

python docs/studies/edges_monitors.py [--state after] [--only G1] [--processes 2]

A stream takes a quarter of a second to two seconds, so that 30 to 100 are drawn in a setting; what is expected from scores and the
number of rows are tried at the functions that judge them, with more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from edges import Claim, Scenario, run  # isort: skip  (sets the number of threads before NumPy is loaded)

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from steelyard.evaluate import evaluate
from steelyard.monitors import estimated
from steelyard.monitors.alarms import follow
from steelyard.monitors.budget import budget_of
from steelyard.monitors.monitor import monitor
from steelyard.monitors.volume import judge_volume, volume_of
from steelyard.monitors.windows import Window

Rng = np.random.Generator
START = pd.Timestamp("2024-01-01")


# Scores that are true chances -----------------------------------------------------------------------------------------


@cache
def middle_of(positives: float, slope: float) -> float:
    """The log-odds at the middle that give so many positives."""
    z = np.linspace(-6, 6, 2001)
    w = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()
    low, high = -20.0, 5.0
    for _ in range(60):
        m = (low + high) / 2
        low, high = (low, m) if (w / (1 + np.exp(-(m + slope * z)))).sum() > positives else (m, high)
    return low


def chances(z: Any, positives: float, slope: float = 1.6) -> Any:
    return 1 / (1 + np.exp(-(middle_of(positives, slope) + slope * z)))


def fires(m: Any, kinds: tuple[str, ...]) -> float:
    """How many warnings and alarms fired, of signals of these kinds."""
    names = {s.name for s in m.windows[0].signals if s.kind in kinds}
    return float(sum(a.after == "firing" and a.before in {"ok", "pending"} and a.signal in names for a in m.alarms))


# G1: labels that wait for the outcome ---------------------------------------------------------------------------------

WATCHED = ["recall", "precision", "auc", "brier", "log_loss"]
SLOW: dict[str, Callable[[Any, Any], Any]] = {
    "found positives": lambda y, f: y & f,
    "missed positives": lambda y, f: y & ~f,
    "positives": lambda y, f: y,
    "negatives": lambda y, f: ~y,
    "false alarms": lambda y, f: ~y & f,
}


def waiting(positives: float, slow: str, rows: int, *, named: bool = True, takes: float = 20.0, weeks: int = 12) -> Any:
    """Warnings and alarms of a healthy stream of weeks, the first 6 being the reference; the budget allows 0.46."""

    def once(rng: Rng) -> float:
        n = weeks * rows
        p = chances(rng.normal(size=n), positives)
        y = rng.random(n) < p
        cut = float(np.quantile(p, 1 - 1.5 * positives))
        day = np.repeat(np.arange(weeks), rows) * 7 + rng.random(n) * 6.99
        late = SLOW[slow](y, p >= cut)
        known = day + np.where(late, takes + rng.exponential(3, n), rng.exponential(0.7, n))
        there = known <= weeks * 7
        times = (START + pd.to_timedelta(known, unit="D")).where(there)
        when = START + pd.to_timedelta(day, unit="D")
        data = pd.DataFrame({"when": when, "p": p, "y": np.where(there, y, np.nan), "known": times})
        m = monitor(
            data, time="when", target="y", score="p", positive=1, reference="first 6 windows", window="week",
            threshold=cut, measures=WATCHED, now=START + pd.Timedelta(weeks=weeks), label_time="known" if named else None,
        )  # fmt: skip
        return fires(m, ("performance",))

    return once


def no_label_yet(positives: float, measure: str) -> Any:
    """Whether a day without any label has an expectation that holds what its labels will give."""

    def once(rng: Rng) -> float:
        p = chances(rng.normal(size=9000), positives)
        y = (rng.random(9000) < p).astype(float)
        when = START + pd.to_timedelta(np.r_[rng.random(8000) * 20, 40 + 0.9 * rng.random(1000)], unit="D")
        data = pd.DataFrame({"when": when, "p": p, "y": y, "known": when + pd.Timedelta(days=5)})
        today = data[8000:].assign(y=np.nan, known=pd.NaT)
        given: dict[str, Any] = {"time": "when", "target": "y", "score": "p", "positive": 1, "label_time": "known"}
        try:
            m = monitor(today, reference=data[:8000], measures=[measure], **given)
        except Exception:
            return 0.0
        x = m.windows[-1][measure].value
        real = evaluate(target=y[8000:].astype(int), score=p[8000:])[measure].value
        return float(x is not None and x.low is not None and x.low <= real <= x.high)

    return once


def plain(measure: str, y: Any, s: Any, cut: float) -> float:
    """The measure of rows whose labels are known."""
    flagged = s >= cut
    with np.errstate(all="ignore"):
        values: dict[str, Callable[[], Any]] = {
            "prevalence": lambda: y.mean(),
            "brier": lambda: ((s - y) ** 2).mean(),
            "log_loss": lambda: -np.log(np.where(y == 1, s, 1 - s)).mean(),
            "recall": lambda: (y * flagged).sum() / y.sum(),
            "precision": lambda: (y * flagged).sum() / flagged.sum(),
            "auc": lambda: (rankdata(s)[y == 1].sum() - y.sum() * (y.sum() + 1) / 2) / (y.sum() * (1 - y).sum()),
        }
        return float(values[measure]())


def told_of(reference: Any, scores: Any, measure: str, cut: float) -> Any:
    """What the scores of rows without labels let expect."""
    c = estimated.Calibration.of(reference.scores)
    if hasattr(estimated, "estimates"):
        return estimated.estimates(c, scores, [measure], cut)[measure]
    return estimated.estimate(c, scores, measure, cut)  # version 0.1.0: one measure at a time


# G6: what is expected from scores -------------------------------------------------------------------------------------


def expected(
    positives: float, reference: int, rows: int, measure: str, score: str = "true", what: str = "holds"
) -> Any:
    """Whether the interval holds what the hidden labels give, or by how much the expectation is off, as a share of the truth."""

    def draw(rng: Rng, n: int) -> tuple[Any, Any]:
        z = rng.normal(size=n)
        p = chances(z, positives, 1.3)
        y = (rng.random(n) < p).astype(int)
        odds = np.log(p / (1 - p))
        told = {
            "true": p, "too sure": 1 / (1 + np.exp(-(1.8 * odds + 1))), "roots": np.sqrt(p), "steps": np.round(p * 40) / 40,
        }  # fmt: skip
        return y, told[score]

    def once(rng: Rng) -> float | None:
        (y, s), (later, scores) = draw(rng, reference), draw(rng, rows)
        cut = float(np.quantile(s, 1 - 2 * positives))
        if y.sum() < 2:
            return None
        x = told_of(evaluate(target=y, score=s, threshold=cut), scores, measure, cut)
        real = plain(measure, later, scores, cut)
        if x.value is None or x.low is None or x.high is None or not math.isfinite(real):
            return None
        return float(x.low <= real <= x.high) if what == "holds" else 100 * (x.value - real) / scale

    # As a share of the usual value, since that of one window may be 0.
    scale = 1.0
    if what != "holds":
        y, s = draw(np.random.default_rng(1), 400_000)
        cut = float(np.quantile(s, 1 - 2 * positives))
        scale = plain(measure, y, s, cut)
    return once


# D5: windows that differ though nothing changed -----------------------------------------------------------------------


def differing(windows: int, rows: int, days: int, first: int, *, wobble: float = 0.0, weekend: float = 0.0) -> Any:
    """Warnings and alarms about AUC or the score in a stationary stream."""

    def once(rng: Rng) -> float:
        place = np.arange(windows)
        rest = (place % 7 >= 5) & (days == 1)
        many = np.where(rest & (weekend > 0), rows // 2, rows)
        at = np.repeat(place, many)
        slope = 1.5 * np.exp(rng.normal(0, wobble, windows)) * np.where(rest, 1 - 0.6 * weekend, 1.0)
        z = rng.normal(size=len(at)) + np.where(rest, weekend, 0.0)[at]
        y = rng.random(len(at)) < 1 / (1 + np.exp(1.2 - slope[at] * z))
        when = START + pd.to_timedelta(at * days + rng.random(len(at)) * days * 0.999, unit="D")
        data = pd.DataFrame({"when": when, "y": y.astype(int), "p": 1 / (1 + np.exp(1.2 - 1.5 * z))})
        window = "day" if days == 1 else "week"
        m = monitor(data, time="when", target="y", score="p", reference=f"first {first} windows", window=window)
        return fires(m, ("performance", "output"))

    return once


# G10: months, and small losses ----------------------------------------------------------------------------------------

DAYS = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(376)]
MADE = [Window(f"{a:%Y-%m-%d}", a, b) for a, b in pairwise(DAYS)]
DATES = pd.DatetimeIndex(pd.to_datetime([d.date() for d in DAYS[:-1]]))
WORKING = DATES.day_of_week < 5


def _last_working(many: int) -> Any:
    left = [sum(WORKING[i + 1 : i + 31] & (DATES[i + 1 : i + 31].month == DATES[i].month)) for i in range(len(DATES))]
    return WORKING & (np.array(left) < many)


BUSY = {
    "days 28 to 31, 3 times": np.where(DATES.day >= 28, 3.0, 1.0),
    "days 28 to 31, 3 times, quiet weekends": np.where(DATES.day >= 28, 3.0, 1.0) * np.where(WORKING, 1.28, 0.3),
    "the last two working days, 4 times": np.where(_last_working(2), 4.0, 1.0),
    "days 14 to 16, 2.5 times": np.where((DATES.day >= 14) & (DATES.day <= 16), 2.5, 1.0),
    "the last two days a quarter": np.where(DATES.days_in_month - DATES.day < 2, 0.25, 1.0),
}


def months(kind: str, spread: float = 0.0) -> Any:
    """Alarms about the number of rows in a year of days, the first ten being the reference."""
    level = budget_of("1 per quarter", timedelta(days=1), 3).alpha

    def once(rng: Rng) -> float:
        rates = 1000 * BUSY[kind] * (rng.gamma(1 / spread**2, spread**2, len(DATES)) if spread else 1.0)
        counts = rng.poisson(rates).tolist()
        n = len(MADE) - 10
        found = judge_volume(
            MADE[10:], counts[10:], [True] * n, volume_of(MADE[:10], counts[:10], [True] * 10), [level] * n
        )
        states = [s.state for s in follow([x.seen("alarm") for x in found], 2)]
        return float(sum(b == "firing" and a in {"ok", "pending"} for a, b in pairwise(["ok", *states])))

    return once


def loss(lost: float, rows: int, how: str, first: int = 15, positives: float = 0.3, *, real: bool = True) -> Any:
    """Days until a loss is seen, at most 40; or false starts in 60 days where there is none. `how` is a measure, or a mode."""

    def once(rng: Rng) -> float:
        days = first + (15 + 40 if real else 60)
        at = np.repeat(np.arange(days), rows)
        p = chances(rng.normal(size=len(at)), positives, 1.5)
        gone = (at >= first + 15) & (rng.random(len(at)) < lost) if real else np.zeros(len(at), dtype=bool)
        y = rng.random(len(at)) < np.where(gone, p.mean(), p)
        when = START + pd.to_timedelta(at + rng.random(len(at)) * 0.999, unit="D")
        data = pd.DataFrame({"when": when, "y": y.astype(int), "p": p})
        given: dict[str, Any] = {"mode": "sequential"} if how == "sequential" else {"measures": [how]}
        try:
            m = monitor(data, time="when", target="y", score="p", reference=f"first {first} windows", **given)
        except Exception:  # a measure that this state does not know: windows have to see it
            m = monitor(data, time="when", target="y", score="p", reference=f"first {first} windows")
        names = [w.name for w in m.windows]
        kinds = {s.name for s in m.windows[0].signals if s.kind == "performance"}
        fired = [
            names.index(a.window)
            for a in m.alarms
            if a.after == "firing" and a.signal in kinds and a.before != "recovering"
        ]
        if not real:
            return float(len(fired))
        return float(min([i - 14 for i in fired if i >= 15], default=41))

    return once


# The claims -----------------------------------------------------------------------------------------------------------


def _held() -> list[Scenario]:
    out = []
    for name in ("prevalence", "brier", "log_loss"):
        once = expected(0.045, 3000, 500, name)
        out.append(Scenario(f"{name}, 4.5 % of 3,000", once, 700, listed=True))
    settings = (
        (0.01, 1000, 1000, "true"),
        (0.02, 3000, 1000, "too sure"),
        (0.05, 1000, 500, "steps"),
        (0.03, 10_000, 1000, "roots"),
    )
    for positives, reference, rows, score in settings:
        for name in ("brier", "recall", "precision", "auc"):
            told = f"{name}, {100 * positives:g} % of {reference:,}, scores: {score}"
            out.append(Scenario(told, expected(positives, reference, rows, name, score), 700))
    return out


def _bias() -> list[Scenario]:
    out = []
    for name in ("prevalence", "brier", "log_loss"):
        once = expected(0.045, 3000, 500, name, what="bias")
        out.append(Scenario(f"{name}, 4.5 % of 3,000", once, 1000, listed=True))
    for positives, reference, rows, score in (
        (0.01, 5000, 2000, "true"),
        (0.02, 3000, 2000, "too sure"),
        (0.05, 1000, 1000, "roots"),
    ):
        for name in ("prevalence", "log_loss"):
            told = f"{name}, {100 * positives:g} % of {reference:,}, scores: {score}"
            out.append(Scenario(told, expected(positives, reference, rows, name, score, "bias"), 1000))
    return out


CLAIMS = [
    Claim(
        "G1", "A window is judged before the labels of its positives are in", "≤ 0.46 a stream of 6 weeks",
        [
            Scenario("2 % positives, found ones after 20 days", waiting(0.02, "found positives", 2000), 100, listed=True),
            Scenario("3.3 % positives, all late", waiting(0.033, "positives", 1200), 100, listed=True),
            Scenario("0.5 % positives, found ones late", waiting(0.005, "found positives", 8000), 100),
            Scenario("10 % positives, found ones after 10 days", waiting(0.1, "found positives", 500, takes=10.0), 100),
            Scenario("30 % positives, negatives late", waiting(0.3, "negatives", 300), 100),
            Scenario("5 % positives, missed ones late", waiting(0.05, "missed positives", 1000), 100),
            Scenario("3 % positives, false alarms late", waiting(0.03, "false alarms", 1200), 100),
            Scenario("2 % positives, found ones late, no label_time", waiting(0.02, "found positives", 2000, named=False), 100),
        ],
        "Labels are waited for by outcome, and by whether the model was right: how long each takes is learned from reference and "
        "stream (product-limit law of truncated delays), and a window is ripe when 95 % of each, or more where many cases show "
        "smaller errors, should be in. Without times of labels any missing one might be of any outcome. 100 streams a setting.",
        unit="", holds=(0.0, 0.46),
    ),
    Claim(
        "G1 day", "A day without any label has its expected performance", "≥ 93 %",
        [
            Scenario("brier, 10 % positives", no_label_yet(0.1, "brier"), 500, listed=True),
            Scenario("auc, 10 % positives", no_label_yet(0.1, "auc"), 500),
            Scenario("log loss, 2 % positives", no_label_yet(0.02, "log_loss"), 500),
        ],
        "Such a day is taken, and told as what its scores let expect.", holds=(93.0, 100.0),
    ),
    Claim(
        "G6", "What is expected from scores holds where positives are rare", "95 %, at least 93 %", _held(),
        "Chances come from a line in the log-odds that may bend, fitted so that they add up to the reference's positives.",
        holds=(93.0, 100.0),
    ),
    Claim(
        "G6 bias", "What is expected from scores is not too high where positives are rare", "within ± 2 % of the value", _bias(),
        "The expectation itself, and not the mean of draws; no ½ added to groups and no running maximum.", unit="",
        holds=(-2.0, 2.0),
    ),
    Claim(
        "D5", "Windows that differ though nothing changed keep to the budget", "≤ 1 a quarter",
        [
            Scenario("weeks that wobble (12 %), 1,500 rows", differing(23, 1500, 7, 10, wobble=0.12), 30, listed=True),
            Scenario("weekends, 28 days of reference", differing(119, 400, 1, 28, weekend=0.45), 30, listed=True),
            Scenario("weeks that wobble (20 %), 1,500 rows", differing(23, 1500, 7, 10, wobble=0.2), 30),
            Scenario("weeks that wobble (20 %), 6 weeks of reference", differing(19, 1500, 7, 6, wobble=0.2), 30),
            Scenario("strong weekends, 28 days of reference", differing(119, 500, 1, 28, weekend=0.9), 30),
            Scenario("weekends and wobble, 28 days of reference", differing(119, 500, 1, 28, weekend=0.6, wobble=0.15), 30),
            Scenario("nothing differs", differing(23, 1000, 7, 10), 30),
        ],
        "The spread of the reference's windows beyond chance (DerSimonian and Laird) widens the interval; weekdays that differ are "
        "held against their like, scores too. 30 streams of a quarter a setting.",
        unit="", holds=(0.0, 1.0),
    ),
    Claim(
        "G10", "Months that repeat raise no more alarms than the budget", "≤ 4 a year",
        [
            Scenario("days 28 to 31, 3 times", months("days 28 to 31, 3 times"), 60, listed=True),
            *(Scenario(k, months(k), 60) for k in BUSY if k != "days 28 to 31, 3 times"),
            Scenario("days 28 to 31, 3 times, spread of 20 %", months("days 28 to 31, 3 times", 0.2), 60),
        ],
        "Strange days are held against the same place of the month, by days and by working days, once two months had it.",
        unit="", holds=(0.0, 4.0),
    ),
    Claim(
        "G10 loss", "Days until a small loss is seen", "≤ 8 days",
        [
            Scenario("20 % of outcomes lost, 300 rows a day", loss(0.2, 300, "running brier"), 240, listed=True),
            Scenario("20 % lost, 600 rows a day, log loss", loss(0.2, 600, "running log_loss"), 240),
            Scenario("30 % lost, 300 rows a day, 10 % positives", loss(0.3, 300, "running log_loss", positives=0.1), 240),
        ],
        'A measure such as "running brier" adds up the excess over windows (CUSUM), with a limit set by the budget; before there '
        "is only the AUC by windows. The mean, a loss never seen in 40 days counting as 41; 240 streams a setting.",
        unit="", holds=(0, 8),
        reason="Thirty positives come in a day, and nine of them are lost: the log loss of a day moves by less than its spread, "
        "and a sum that starts falsely once in four quarters waits until it is sure. Before it took twice as long.",
    ),
    Claim(
        "G10 false", "The running sum starts falsely no more often than its share of the budget", "≤ 0.22 in 60 days",
        [
            Scenario("300 rows a day", loss(0.0, 300, "running brier", real=False), 50, listed=True),
            Scenario("300 rows a day, log loss, 10 % positives", loss(0.0, 300, "running log_loss", positives=0.1, real=False), 50),
            Scenario("600 rows a day, 3 % positives", loss(0.0, 600, "running brier", positives=0.03, real=False), 50),
        ],
        "The limit follows the reference's own law of losses, and its error is held against a loss. Before: AUC by windows. 50 "
        "streams a setting.",
        unit="", holds=(0, 0.22),
    ),
]  # fmt: skip


if __name__ == "__main__":
    run("monitors", CLAIMS)
