"""Why a cell of the coverage study lies outside 93 to 97.5: the first rule that fits.

The rules look at the measure and the scenario, not at the draws. A reason is called tested only where taking the cause away
brought the coverage back in a separate experiment; all others are supposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SQUARES = {"sse", "mse", "rmse", "r2", "explained_variance", "rrse", "correlation", "concordance"}
RAISED = {"ece", "brier_reliability", "brier_resolution", "ks"}
TOP = {"partial_auc", "average_precision", "capture", "lift", "precision", "f_beta", "precision_at_prevalence"}
CHANCE = "May be chance: 95 lies within two Monte-Carlo errors"
BASE_RATES = {"prevalence", "predicted_positive_rate"}


class Facts:
    """What the rules look at."""

    def __init__(self, scene: dict[str, Any], cell: dict[str, Any]) -> None:
        traits = scene["traits"]
        self.measure = cell["measure"].split(" (")[0]
        self.of = cell["of"]
        self.method = cell["method"]
        self.family = scene["family"]
        self.truth, self.coverage, self.error = cell["truth"], cell["coverage"], cell["error"]
        self.steps = scene["name"].startswith("counts") or "whole numbers" in scene["name"]
        self.rows = scene["rows"]
        self.units = traits.get("units", 0)
        self.weights = traits.get("weights", "")
        self.tail = traits.get("tail", 0)
        self.growing = traits.get("growing", False)
        self.lognormal = traits.get("lognormal", False)
        self.unequal = traits.get("unequal", False)
        self.fewest = min(traits.get(k, scene["rows"]) for k in ("positives", "smallest"))
        self.at_end = cell["truth"] is not None and abs(cell["truth"]) < 1e-8 and self.measure in RAISED
        self.pooled = self.family == "classes" and self.of in {"macro", "weighted"}


TESTED = {
    "Noise of units can only raise it, and the interval is laid around the raised value",
    "Labels made from class scores are not kept by unit, so the interval follows rows",
    "Distances of targets from their mean are not kept by unit, so their noise is left out",
    "The logistic fit: its variance holds when the log-odds are a straight line, or the fit has not converged",
    "One effective number of rows for all: it does not see that the heavy rows are those of small loss",
}
Rule = tuple[Callable[[Facts], bool], str]
WIDE: list[Rule] = [
    (
        lambda f: f.weights == "informative" and f.measure in {"brier", "log_loss"},
        "One effective number of rows for all: it does not see that the heavy rows are those of small loss",
    ),
    (
        lambda f: f.at_end,
        "The true value is 0, the end of the range: an interval that reaches 0 in nearly every sample cannot miss",
    ),
    (
        lambda f: f.measure in {"ece", "ks"},
        "Conservative: the lower limit takes off the most that noise could have added",
    ),
    (
        lambda f: f.measure in {"brier_reliability", "brier_resolution"},
        "Few rows in a bin: its noise is taken at what its promise allows, and seldom too small",
    ),
    (
        lambda f: f.measure in {"brier", "log_loss"} and f.fewest <= 100,
        "A rare class: the upper limit holds a row that did not come, and a number of positives fixed by design adds no noise",
    ),
    (
        lambda f: f.pooled,
        "An upper bound: which scores belong to one row is not in the summary, so inside a real class they are taken to move "
        "together",
    ),
    (
        lambda f: f.measure == "hand_till_auc",
        "An upper bound: what two score tables have in common is not in the summary",
    ),
    (
        lambda f: f.steps and f.measure == "median_ae",
        "Errors of counts have few values: the median stands on one of them, and hardly moves",
    ),
    (
        lambda f: f.measure in {"prevalence", "predicted_positive_rate"} and f.of == "micro",
        "One over the number of classes in every sample: it cannot miss",
    ),
    (
        lambda f: f.measure == "partial_auc" and f.truth is not None and f.truth > 0.25,
        "Nearly the whole of its part: a few negatives decide, and the limits are on the safe side",
    ),
    (
        lambda f: f.weights == "informative",
        "Weights that go with the value: effective rows do not describe the spread",
    ),
    (lambda f: 0 < f.units <= 30, "Few units: Student's quantile and Wilson's pull to the middle add up"),
    (
        lambda f: f.fewest <= 50 or f.rows <= 100,
        "Few counts: a share moves in steps, and Wilson's limits (or the prior rows) are on the safe side",
    ),
    (
        lambda f: f.family == "labels" or "Wilson" in f.method or "Newcombe" in f.method,
        "A rare level or a share near its end: few counts decide, and the limits are on the safe side",
    ),
]
NARROW: list[Rule] = [
    (
        lambda f: f.measure in BASE_RATES and f.of == "weighted",
        "Levels of nearly equal size: a sum of squared shares is at its least there, so noise can only raise it",
    ),
    (
        lambda f: f.lognormal and f.rows <= 50,
        "Heavy tail, few rows: the rows that carry the truth are not in the sample, and the number says on how few it rests",
    ),
    (
        lambda f: f.weights == "heavy",
        "A few rows carry most of the weight: their number is itself uncertain, and the number says so",
    ),
    (lambda f: f.unequal, "Units of very unequal size: a few of them decide, and the number says on how many it rests"),
    (
        lambda f: f.family == "labels" and f.fewest <= 2,
        "One or two rows of a level: the few values that are possible lie apart, and so do their limits",
    ),
    (
        lambda f: (f.tail > 0 or f.lognormal) and f.measure in SQUARES,
        "Heavy tail: squares of such errors have no variance to estimate, and samples without a large error look too good",
    ),
    (
        lambda f: f.steps and f.measure == "median_ae",
        "Errors of counts have few values: near a step of their distribution the density says little of the median",
    ),
    (
        lambda f: f.steps and f.measure in {"smape", "tweedie_deviance"},
        "Nearly all counts are 0: the few that are not decide, and steps lie between them",
    ),
    (
        lambda f: f.measure in SQUARES and (f.growing or f.rows <= 50),
        "Skewed squares, few rows: samples without a large error look too good",
    ),
    (
        lambda f: f.family == "classes" and f.units > 0 and f.measure not in RAISED,
        "Labels made from class scores are not kept by unit, so the interval follows rows",
    ),
    (
        lambda f: f.units > 0 and f.measure in RAISED,
        "Noise of units can only raise it, and the interval is laid around the raised value",
    ),
    (
        lambda f: f.units > 0 and f.measure == "rae",
        "Distances of targets from their mean are not kept by unit, so their noise is left out",
    ),
    (
        lambda f: f.measure.startswith("calibration_"),
        "The logistic fit: its variance holds when the log-odds are a straight line, or the fit has not converged",
    ),
    (
        lambda f: f.weights == "heavy",
        "A few rows carry most of the weight, and samples without such a row look more certain than they are",
    ),
    (
        lambda f: f.measure == "brier_resolution",
        "Bins with few rows or without a positive look more certain than they are",
    ),
    (lambda f: f.measure in RAISED, "Noise can only raise it, and the correction for that is not complete"),
    (
        lambda f: f.measure in TOP and f.weights == "informative",
        "A few rows of large weight decide the top of the list",
    ),
    (
        lambda f: f.measure in TOP and f.fewest <= 50,
        "Few positives, or few rows at the top of the list: the next row would change it by steps",
    ),
    (lambda f: 0 < f.units <= 30, "Few units: their spread is itself uncertain"),
    (lambda f: f.weights == "informative", "Weights that go with the value: effective rows do not describe the spread"),
    (lambda f: f.fewest <= 50 or f.rows <= 50, "Few rows of the smaller class: skew and steps"),
]


def reason(scene: dict[str, Any], cell: dict[str, Any], *, chance: bool) -> str:
    """One sentence; cells that chance explains are said to be so."""
    if chance:
        return CHANCE
    facts = Facts(scene, cell)
    for fits, words in WIDE if cell["coverage"] > 95 else NARROW:
        if fits(facts):
            return f"{words} ({'tested' if words in TESTED else 'supposed'})"
    if abs(facts.coverage - 95) <= 3 * facts.error:
        return f"{CHANCE.replace('two', 'three')}, and of so many cells some do"
    return "Wider than it needs to be; no reason known" if cell["coverage"] > 95 else "No reason known"
