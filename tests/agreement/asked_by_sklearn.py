"""A plugin of pytest for scikit-learn's own tests of metrics: every call of theirs is put to steelyard as well.

A call that scikit-learn answers is answered here, too, and both numbers are held together; or it is noted as missing with the
reason. What their tests get is always scikit-learn's own answer.

    STEELYARD_ASKED=asked.json python -m pytest --pyargs sklearn.metrics.tests.test_regression -p sklearn.conftest
        -p tests.agreement.asked_by_sklearn

(one line).
"""

import functools
import json
import os
import re
import warnings
from collections import Counter

import numpy as np
import sklearn.metrics

import steelyard as sy

from .as_sklearn_asks import CURVES, WAYS, Missing, otherwise

ANSWERED, UNDEFINED, OTHERWISE = Counter(), Counter(), Counter()
MISSING = {}
UNLIKE = []


# Both answers ---------------------------------------------------------------------------------------------------------


def both_answers(name, theirs, given, places):
    """Our numbers and theirs."""
    if name in CURVES:
        return CURVES[name](theirs, *places, **given)
    if name not in WAYS:
        raise Missing("not here")
    return WAYS[name](*places, **given), theirs


def in_short(refused):
    """What is refused, without the names that came."""
    for said, short in {
        "has no level": "a level, or an average over two levels, that a number does not have",
        "belongs to one level": "several classes at once, where a number belongs to one",
    }.items():
        if said in refused:
            return short
    return re.sub(r'"[^"]*"', "…", refused.partition("\n")[0].rstrip("."))


def note(name, theirs, given, places):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, there = both_answers(name, theirs, given, places)
    except (Missing, sy.errors.SteelyardError) as reason:
        why = str(reason) if isinstance(reason, Missing) else in_short(str(reason))
        MISSING.setdefault(f"{name}: {why}", Counter())[os.environ["PYTEST_CURRENT_TEST"].partition("[")[0]] += 1
        return
    except (TypeError, ValueError, KeyError, IndexError) as problem:
        UNLIKE.append(
            f"{name}{tuple(map(str, given.items()))}: {type(problem).__name__} {problem}; {str(places)[:300]}"
        )
        return
    mine, other = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (found, there))
    if np.isnan(mine).any():
        # Where we say why there is no number, theirs is 0, 1 or NaN, by zero_division and force_finite.
        UNDEFINED[name] += 1
    elif mine.shape == other.shape and np.allclose(mine, other, rtol=1e-9, atol=1e-12):
        ANSWERED[name] += 1
    elif reason := otherwise(name, places, given):
        OTHERWISE[reason] += 1
    else:
        UNLIKE.append(f"{name}{tuple(map(str, given.items()))}: {mine} here, {other} there; {str(places)[:300]}")


def watched(name, function):
    @functools.wraps(function)
    def both(*places, **given):
        theirs = function(*places, **given)
        # As versions before 1.8 called it.
        note(name, theirs, {"y_score" if k == "probas_pred" else k: v for k, v in given.items()}, places)
        return theirs

    return both


NAMES = [
    n
    for n in dir(sklearn.metrics)
    if n.endswith(("_score", "_loss", "_error", "_deviance", "_corrcoef", "_matrix", "_curve", "_thresholds"))
]


def pytest_collection_modifyitems(session, config, items):
    """Put both in the place of theirs in every module of tests."""
    kept = {name: watched(name, getattr(sklearn.metrics, name)) for name in NAMES}
    for module in {item.module for item in items if hasattr(item, "module")}:
        for name, both in kept.items():
            if getattr(module, name, None) is getattr(sklearn.metrics, name):
                setattr(module, name, both)
    for item in items:
        # What a test is given is what it compares with.
        given = item.callspec.params if hasattr(item, "callspec") else {}
        given.update({k: kept[n] for k, v in given.items() for n in NAMES if v is getattr(sklearn.metrics, n)})


def pytest_sessionfinish(session):
    """Write what was seen."""
    told = {
        "answered": ANSWERED,
        "undefined": UNDEFINED,
        "missing": {what: [len(tests), sum(tests.values())] for what, tests in MISSING.items()},
        "otherwise": OTHERWISE,
        "unlike": UNLIKE,
    }
    with open(os.environ["STEELYARD_ASKED"], "w", encoding="utf-8") as file:
        json.dump(told, file)
