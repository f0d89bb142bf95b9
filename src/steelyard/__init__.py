"""steelyard weighs models: every measure from predictions alone, with an interval on every number."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard import errors
    from steelyard.evaluate import evaluate
    from steelyard.evaluation import Evaluation, load
    from steelyard.measures.measure import catalogue, measure
    from steelyard.results import Curve, Estimate, Interval, Share, Undefined

__version__ = "0.1.0"

_HOMES = {
    "Curve": "results",
    "Estimate": "results",
    "Evaluation": "evaluation",
    "Interval": "results",
    "Share": "results",
    "Undefined": "results",
    "catalogue": "measures.measure",
    "errors": "errors",
    "evaluate": "evaluate",
    "load": "evaluation",
    "measure": "measures.measure",
}

__all__ = [
    "Curve",
    "Estimate",
    "Evaluation",
    "Interval",
    "Share",
    "Undefined",
    "catalogue",
    "errors",
    "evaluate",
    "load",
    "measure",
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
