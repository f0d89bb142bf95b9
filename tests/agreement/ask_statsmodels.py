"""What statsmodels says, printed as JSON. Run by freeze.py with an interpreter that has statsmodels.

It is no dependency of the library or of its tests, so it is asked in a process of its own.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import samples
import statsmodels
import statsmodels.api as sm
from scipy.stats import t as student
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

Case = dict[str, Any]

# the width of an interval from 1,000 replicates is itself known to about 3 %
KAPPA = "Fleiss, Cohen, Everitt; against a bootstrap, hence 10 %"


def _fit(y: np.ndarray, x: np.ndarray, offset: np.ndarray | None, w: np.ndarray | None) -> tuple[float, list[float]]:
    """The last coefficient and Wald's 95 % limits of it, with the sandwich variance times n / (n - k)."""
    model = sm.GLM(y, x, family=sm.families.Binomial(), offset=offset, freq_weights=w)
    fit = model.fit(tol=1e-15, maxiter=200, cov_type="HC0")
    rows, fitted = len(y) if w is None else w.sum(), x.shape[1]
    half = student.ppf(0.975, rows - fitted) * fit.bse[-1] * np.sqrt(rows / (rows - fitted))
    return float(fit.params[-1]), [float(fit.params[-1] - half), float(fit.params[-1] + half)]


def _calibration() -> list[Case]:
    cases: list[Case] = []
    for name, columns in samples.probabilities().items():
        y, p = np.array(columns["y"], dtype=float), np.array(columns["p"])
        logit = np.log(p / (1 - p))
        ones = np.ones_like(logit)
        for kind, column in (("", ""), ("sampling", "w"), ("frequency", "k")):
            w = np.array(columns[column], dtype=float) if column else None
            call: Case = {"target": "y", "score": "p"}
            if column:
                call |= {"weight": column, "weights": kind}
            for measure, (value, limits) in (
                ("calibration_slope", _fit(y, np.column_stack([ones, logit]), None, w)),
                ("calibration_intercept", _fit(y, ones[:, None], logit, w)),
            ):
                asked: Case = {"data": name, "call": call, "measure": measure}
                cases.append(asked | {"expected": value})
                if kind != "sampling" and (name, measure, kind) != (
                    "rare",
                    "calibration_slope",
                    "",
                ):  # no effective sizes, few positives
                    cases.append(asked | {"expected": limits, "part": "interval", "note": "Wald, sandwich variance"})
    # a fit stops when it is near enough, so two programs agree as far as they iterate, not to the last digit
    return [case | {"theme": "calibration", "tolerance": 1e-8} for case in cases]


def _kappa_errors() -> list[Case]:
    cases: list[Case] = []
    tables = {"three": samples.multiclass()["three"], "mail": samples.labels()["mail"]}
    for name, columns in tables.items():
        levels = sorted(set(columns["y"]))
        counts = np.zeros((len(levels), len(levels)))
        for actual, guess in zip(columns["y"], columns["g"], strict=True):
            counts[levels.index(actual), levels.index(guess)] += 1
        result = cohens_kappa(counts)
        call: Case = {"target": "y", "prediction": "g"}
        call |= {"positive": "spam"} if name == "mail" else {}
        theme, data = ("labels", "mail") if name == "mail" else ("multiclass", "three")
        plain: Case = {"theme": theme, "data": data, "call": call, "measure": "kappa"}
        cases.append(plain | {"expected": float(result.kappa)})
        cases.append(plain | {"expected": float(result.std_kappa), "part": "se", "tolerance": 0.1, "note": KAPPA})
    counts = cohens_kappa(np.array([[20, 5, 1], [3, 15, 6], [2, 4, 14]]), wt="linear")
    call = {"confusion": [[20, 5, 1], [3, 15, 6], [2, 4, 14]], "levels": ["a", "b", "c"]}
    cases.append(
        {"theme": "multiclass", "data": None, "call": call, "measure": "kappa_linear", "expected": counts.kappa}
    )
    return cases


def _wilson() -> list[Case]:
    cases: list[Case] = []
    columns = samples.labels()["mail"]
    right = sum(a == b for a, b in zip(columns["y"], columns["g"], strict=True))
    for confidence in (0.8, 0.95, 0.999):
        limits = proportion_confint(right, len(columns["y"]), alpha=1 - confidence, method="wilson")
        call = {"target": "y", "prediction": "g", "positive": "spam", "confidence": confidence}
        cases.append({"theme": "intervals", "data": "labels_mail", "call": call, "measure": "accuracy"})
        cases[-1] |= {"expected": [float(x) for x in limits], "part": "interval", "note": "Wilson"}
    return cases


def _youden() -> list[Case]:
    """Youden's index is recall less false positive rate, so Newcombe's interval of a difference is its interval."""
    cases: list[Case] = []
    for name, positive in (("mail", "spam"),):
        columns = samples.labels()[name]
        y, g = (np.array(columns[c]) == positive for c in ("y", "g"))
        counts = (int((y & g).sum()), int(y.sum()), int((~y & g).sum()), int((~y).sum()))
        limits = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
        call = {"target": "y", "prediction": "g", "positive": positive}
        cases.append({"theme": "intervals", "data": f"labels_{name}", "call": call, "measure": "youden"})
        cases[-1] |= {"expected": [float(x) for x in limits], "part": "interval", "note": "Newcombe"}
    return cases


def _correlations() -> list[Case]:
    cases: list[Case] = []
    for name, columns in samples.continuous().items():
        for kind, column in (("sampling", "w"), ("frequency", "k")):
            if column not in columns:
                continue
            both = np.column_stack([columns["t"], columns["m"]]).astype(float)
            answer = DescrStatsW(both, weights=np.array(columns[column], dtype=float)).corrcoef[0, 1]
            call: Case = {"target": "t", "prediction": "m", "weight": column, "weights": kind}
            call |= {"kind": "continuous"} if name == "count" else {}
            cases.append({"theme": "continuous", "data": name, "call": call, "measure": "correlation"})
            cases[-1] |= {"expected": float(answer)}
    return cases


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = [*_calibration(), *_kappa_errors(), *_wilson(), *_youden(), *_correlations()]
    print(json.dumps({"version": statsmodels.__version__, "cases": found}, default=float, allow_nan=False))
