"""What people get wrong when they ask for charts: several models, thresholds, bins, designs, figures without data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import steelyard as sy

Y, P = [1, 0, 1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4, 0.7, 0.1, 0.3, 0.5]
CALLS: dict[str, tuple[str, Callable[[], Any]]] = {}


def _scored() -> sy.Evaluation:
    return sy.evaluate(target=Y, score=P)


def _labelled() -> sy.Evaluation:
    return sy.evaluate(confusion=[[6, 3], [2, 9]], levels=["yes", "no"], positive="yes")


def _add(name: str, kind: str, call: Callable[[], Any]) -> None:
    CALLS[name] = (kind, call)


_add("bins that are no number", "UsageError", lambda: _scored().chart("scores", bins="ten"))
_add("one bin", "UsageError", lambda: _scored().chart("scores", bins=1))
_add("bins of another curve", "UsageError", lambda: _scored().curve("roc", bins=10))
_add("bins of another chart", "UsageError", lambda: _scored().chart("roc", bins=10))
_add("a threshold to point at that is a word", "UsageError", lambda: _scored().chart("roc", thresholds=["high"]))
_add("no thresholds to point at", "UsageError", lambda: _scored().chart("roc", thresholds=[]))
_add("too many thresholds to point at", "UsageError", lambda: _scored().chart("roc", thresholds=[0.5] * 13))
_add("thresholds on a chart without any", "UsageError", lambda: _scored().chart("calibration", thresholds=[0.5]))
_add("cases that are no yes or no", "UsageError", lambda: _scored().chart("gain", counts="yes"))
_add("cases on a chart of shares alone", "UsageError", lambda: _scored().chart("ks", counts=True))
_add("a cut of densities that is a word", "UsageError", lambda: _scored().chart("densities", threshold="middle"))
_add("densities of labels", "NotAvailable", lambda: _labelled().chart("densities"))
_add(
    "a card of three levels",
    "NotAvailable",
    lambda: sy.evaluate(target=list("abc"), prediction=list("abb"), levels=list("abc")).chart("card"),
)
_add("a card with a measure that is none", "UnknownMeasure", lambda: _labelled().chart("card", measures=["recal"]))
_add("points of labels at thresholds", "NotAvailable", lambda: _labelled().chart("roc", thresholds=[0.5]))
_add(
    "a gain chart of models without scores",
    "NotAvailable",
    lambda: sy.compare({"a": _labelled(), "b": _labelled().plus(_labelled(), twice=True)}).chart("gain"),
)
_add(
    "a chart of a comparison that is none",
    "UnknownMeasure",
    lambda: sy.compare(target=Y, score={"a": P, "b": P[::-1]}).chart("rok"),
)
_add(
    "a chart of a comparison by number",
    "UsageError",
    lambda: sy.compare(target=Y, score={"a": P, "b": P[::-1]}).chart(3),
)
_add("a picture of a design of half a row", "UsageError", lambda: sy.KFold(10).chart(rows=0.5))
_add("a picture of a design of no rows", "EmptyTable", lambda: sy.KFold(10).chart(rows=0))
_add("a picture of strata without levels", "UsageError", lambda: sy.KFold(3, stratify=True).chart())
_add("a figure that is none", "UnknownMeasure", lambda: sy.figure("norml"))
_add("a figure by number", "UsageError", lambda: sy.figure(3))
_add("a figure with an option of another", "UsageError", lambda: sy.figure("normal", base_rate=0.1))
_add("a figure with a confidence above one", "UsageError", lambda: sy.figure("normal", confidence=1.5))
_add("a mean that is none", "UsageError", lambda: sy.figure("means", of="geometric"))
_add("a base rate above one", "UsageError", lambda: sy.figure("q0", base_rate=3))
_add("a chart as wide as nothing", "UsageError", lambda: _scored().chart("roc").sized(20))
_add("a chart as wide as a word", "UsageError", lambda: _scored().chart("roc").sized("wide"))
_add("a chart saved as a document", "UsageError", lambda: _scored().chart("roc").save("roc.pdf"))


def _case(call: Callable[[], Any]) -> Callable[[Path], Any]:
    return lambda _: call()


DRAWN = {name: (kind, lambda _: None, _case(call)) for name, (kind, call) in CALLS.items()}
"""By name: the error that it must give, what must be there first, and the call."""
