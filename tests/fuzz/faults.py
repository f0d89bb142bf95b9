"""What must not happen: a bare error, a warning of NumPy's, a number outside its interval or its range, a wrong answer."""

from __future__ import annotations

import json
import math
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from polars.exceptions import PerformanceWarning

import steelyard as sy
from steelyard.gates.check import NotMet
from steelyard.results import Estimate

from .calls import Call
from .truth import disagreements

PATIENCE = 60
"""Seconds of work after which a call counts as hanging; others on the machine do not count."""
WAITED = 15 * PATIENCE
"""Seconds after which one that waits for something does, too."""


class Hanging(BaseException):
    """A call took too long."""


@contextmanager
def patient(seconds: int = PATIENCE) -> Iterator[None]:
    """Let nobody work longer than so many seconds."""

    def ring(*_: Any) -> None:
        raise Hanging

    before = {kind: signal.signal(kind, ring) for kind in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(WAITED)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for kind, handler in before.items():
            signal.signal(kind, handler)


def fault(call: Call, honest: bool) -> str:
    """What is wrong with the answer; empty where it is an answer or one of our sentences."""
    try:
        with patient(), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("error", PerformanceWarning)
            found = call.function(*call.places, **call.given)
            return told_badly(found) or (wrong(found, call) if honest else "")
    except NotMet:
        return ""
    except sy.errors.SteelyardError as problem:
        return "" if str(problem).strip() else "an error without a sentence"
    except Hanging:
        return f"no answer after {PATIENCE} seconds of work"
    except Exception as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {str(problem)[:200]} ({last.filename.rsplit('/', 2)[-2:]}:{last.lineno})"


def told_badly(found: Any) -> str:
    """What is wrong with an answer as it is shown: its text, its numbers, its JSON."""
    if found is None or isinstance(found, (bool, int, float, str)):
        return ""
    str(found), repr(found)
    ours = type(found).__module__.startswith("steelyard")
    document = found.to_dict() if ours and hasattr(found, "to_dict") else None
    if document is not None:
        json.dumps(document, allow_nan=False)
    if isinstance(found, sy.Evaluation):
        for number in found.rows_of_numbers():
            if badly := outside(number):
                return badly
    return outside(found) if isinstance(found, Estimate) else ""


def outside(e: Estimate) -> str:
    """Whether a number is not in its interval or its range, or is undefined without a reason."""
    if e.value is None:
        return "" if e.reason else f"{e.measure} is undefined and does not say why"
    if not math.isfinite(e.value) and e.measure not in ("log_loss",):
        return f"{e.measure} is {e.value}"
    if e.low is not None and e.high is not None and not e.low <= e.value <= e.high:
        return f"{e.measure} {e.value!r} is outside [{e.low!r}, {e.high!r}]"
    known = sy.catalogue().get(e.measure)
    if known is not None and known.range is not None:
        low, high = known.range
        for x in (e.value, e.low, e.high):
            if x is not None and not low <= x <= high:
                return f"{e.measure} tells {x!r}, which is outside its range {known.range}"
    return ""


def wrong(found: Any, call: Call) -> str:
    """Where an honest call's numbers are not those counted by hand."""
    if call.right is None or not isinstance(found, sy.Evaluation):
        return ""
    return "; ".join(disagreements({name: found[name].value for name in call.right}, call.right))


def shown(call: Call) -> str:
    """The call in a line, long columns cut."""

    def short(x: Any) -> str:
        try:
            text = repr(x) if not isinstance(x, np.ndarray) else f"array({x.dtype}, {x.shape})"
        except Exception:  # a table of pandas with a number of Decimal that is none cannot be shown
            text = type(x).__name__
        return " ".join(text.split())[:120]

    given = [short(x) for x in call.places] + [f"{k}={short(v)}" for k, v in call.given.items()]
    return f"{call.name}({', '.join(given)})"
