"""steelyard weighs models: every measure from predictions alone, with an interval on every number."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard import errors
    from steelyard.evaluate import evaluate
    from steelyard.evaluation import Evaluation
    from steelyard.load import load
    from steelyard.measures.measure import catalogue, measure
    from steelyard.payoffs.payoff import Cost, Profit
    from steelyard.results import Curve, Estimate, Interval, Share, Undefined
    from steelyard.slicing import slices
    from steelyard.worth.campaign import campaign
    from steelyard.worth.policies import Worth
    from steelyard.worth.regions import regions
    from steelyard.worth.thresholds import Threshold

__version__ = "0.1.0"

_HOMES = {
    "Cost": "payoffs.payoff",
    "Curve": "results",
    "Estimate": "results",
    "Evaluation": "evaluation",
    "Interval": "results",
    "Profit": "payoffs.payoff",
    "Share": "results",
    "Threshold": "worth.thresholds",
    "Undefined": "results",
    "Worth": "worth.policies",
    "campaign": "worth.campaign",
    "catalogue": "measures.measure",
    "errors": "errors",
    "evaluate": "evaluate",
    "load": "load",
    "measure": "measures.measure",
    "regions": "worth.regions",
    "slices": "slicing",
}

__all__ = [
    "Cost",
    "Curve",
    "Estimate",
    "Evaluation",
    "Interval",
    "Profit",
    "Share",
    "Threshold",
    "Undefined",
    "Worth",
    "campaign",
    "catalogue",
    "errors",
    "evaluate",
    "load",
    "measure",
    "regions",
    "slices",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for; importing steelyard alone imports nothing heavy."""
    if name not in _HOMES:
        message = f"module 'steelyard' has no attribute {name!r}"
        raise AttributeError(message)
    module = importlib.import_module(f"steelyard.{_HOMES[name]}")
    found = module if name == "errors" else getattr(module, name)
    globals()[name] = found
    return found


class _Package(ModuleType):
    """Keeps `steelyard.evaluate` the function: importing the module of that name would put the module in its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _HOMES.get(name) == name != "errors":
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
