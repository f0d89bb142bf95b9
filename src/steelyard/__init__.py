"""steelyard weighs models: every measure from predictions alone, with an interval on every number."""

from __future__ import annotations

import gc
import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard import errors
    from steelyard.compare import compare
    from steelyard.comparison import Comparison
    from steelyard.comparisons.changes import Changes, changes
    from steelyard.comparisons.planning import detectable, sample_size
    from steelyard.designs.bootstrap import Bootstrap
    from steelyard.designs.folds import KFold, LeaveOneOut, NestedFolds, StoredFolds
    from steelyard.designs.holdout import Holdout, PairedHoldout, RepeatedHoldout
    from steelyard.designs.out_of_time import OutOfTime
    from steelyard.designs.schedules import arithmetic, geometric
    from steelyard.early_warning.timeliness import Timeliness, timeliness
    from steelyard.evaluate import evaluate
    from steelyard.evaluation import Evaluation
    from steelyard.experiments.by_fold import folds
    from steelyard.experiments.experiment import experiment
    from steelyard.experiments.fitted import evaluate_model, scorer
    from steelyard.experiments.learning import LearningCurve, learning_curve
    from steelyard.experiments.pruning import pruning_curve
    from steelyard.experiments.result import Experiment
    from steelyard.experiments.stopping import stopping_curve
    from steelyard.gates.check import check
    from steelyard.measures.measure import catalogue, measure
    from steelyard.monitors.monitor import monitor
    from steelyard.monitors.stability import stability
    from steelyard.monitors.windowing import windows
    from steelyard.payoffs.payoff import Cost, Profit
    from steelyard.results import Curve, Difference, Estimate, Interval, Share, Undefined
    from steelyard.saved.load import load
    from steelyard.serve.client import Client
    from steelyard.slicing import slices
    from steelyard.sources.joined import table
    from steelyard.tables.peek import peek
    from steelyard.tables.shares import binomial, share_interval
    from steelyard.tables.tabulation import Tabulation
    from steelyard.trials.drawn import draw_groups
    from steelyard.trials.planning import trial_size
    from steelyard.trials.trial import Trial, trial
    from steelyard.views.figures import figure
    from steelyard.worth.campaign import campaign
    from steelyard.worth.policies import Worth
    from steelyard.worth.regions import regions
    from steelyard.worth.thresholds import Threshold

__version__ = "0.1.0"

_HOMES = {
    "Bootstrap": "designs.bootstrap",
    "Changes": "comparisons.changes",
    "Client": "serve.client",
    "Comparison": "comparison",
    "Cost": "payoffs.payoff",
    "Curve": "results",
    "Difference": "results",
    "Estimate": "results",
    "Evaluation": "evaluation",
    "Experiment": "experiments.result",
    "Holdout": "designs.holdout",
    "Interval": "results",
    "KFold": "designs.folds",
    "LearningCurve": "experiments.learning",
    "LeaveOneOut": "designs.folds",
    "NestedFolds": "designs.folds",
    "OutOfTime": "designs.out_of_time",
    "PairedHoldout": "designs.holdout",
    "Profit": "payoffs.payoff",
    "RepeatedHoldout": "designs.holdout",
    "Share": "results",
    "StoredFolds": "designs.folds",
    "Tabulation": "tables.tabulation",
    "Threshold": "worth.thresholds",
    "Timeliness": "early_warning.timeliness",
    "Trial": "trials.trial",
    "Undefined": "results",
    "Worth": "worth.policies",
    "arithmetic": "designs.schedules",
    "binomial": "tables.shares",
    "campaign": "worth.campaign",
    "catalogue": "measures.measure",
    "changes": "comparisons.changes",
    "check": "gates.check",
    "compare": "compare",
    "detectable": "comparisons.planning",
    "draw_groups": "trials.drawn",
    "errors": "errors",
    "evaluate": "evaluate",
    "evaluate_model": "experiments.fitted",
    "experiment": "experiments.experiment",
    "figure": "views.figures",
    "folds": "experiments.by_fold",
    "geometric": "designs.schedules",
    "learning_curve": "experiments.learning",
    "load": "saved.load",
    "measure": "measures.measure",
    "monitor": "monitors.monitor",
    "peek": "tables.peek",
    "pruning_curve": "experiments.pruning",
    "regions": "worth.regions",
    "sample_size": "comparisons.planning",
    "scorer": "experiments.fitted",
    "share_interval": "tables.shares",
    "slices": "slicing",
    "stability": "monitors.stability",
    "stopping_curve": "experiments.stopping",
    "table": "sources.joined",
    "timeliness": "early_warning.timeliness",
    "trial": "trials.trial",
    "trial_size": "trials.planning",
    "windows": "monitors.windowing",
}

__all__ = [
    "Bootstrap",
    "Changes",
    "Client",
    "Comparison",
    "Cost",
    "Curve",
    "Difference",
    "Estimate",
    "Evaluation",
    "Experiment",
    "Holdout",
    "Interval",
    "KFold",
    "LearningCurve",
    "LeaveOneOut",
    "NestedFolds",
    "OutOfTime",
    "PairedHoldout",
    "Profit",
    "RepeatedHoldout",
    "Share",
    "StoredFolds",
    "Tabulation",
    "Threshold",
    "Timeliness",
    "Trial",
    "Undefined",
    "Worth",
    "arithmetic",
    "binomial",
    "campaign",
    "catalogue",
    "changes",
    "check",
    "compare",
    "detectable",
    "draw_groups",
    "errors",
    "evaluate",
    "evaluate_model",
    "experiment",
    "figure",
    "folds",
    "geometric",
    "learning_curve",
    "load",
    "measure",
    "monitor",
    "peek",
    "pruning_curve",
    "regions",
    "sample_size",
    "scorer",
    "share_interval",
    "slices",
    "stability",
    "stopping_curve",
    "table",
    "timeliness",
    "trial",
    "trial_size",
    "windows",
]


ASKED = 'numbers and charts are asked of what sy.evaluate(target=..., score=...) gives: e["auc"], e.chart("roc")'


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for; importing steelyard alone imports nothing heavy."""
    if name not in _HOMES:
        import difflib

        close = difflib.get_close_matches(name, _HOMES, n=1, cutoff=0.8)
        asked = f'did you mean "{close[0]}"?' if close else ASKED
        message = f"module 'steelyard' has no attribute {name!r}; {asked}"
        raise AttributeError(message, name=name)
    collects = gc.isenabled()
    # What is loaded stays: to look it through for waste, again and again, took a tenth of a first call.
    gc.disable()
    try:
        module = importlib.import_module(f"steelyard.{_HOMES[name]}")
    finally:
        if collects:
            gc.enable()
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


def load_ipython_extension(shell: Any) -> None:
    """Let a notebook complete what stands between the quotes of a call, as in `e.chart("`; done by itself at import."""
    from steelyard.views.completing import offer_names

    offer_names(shell)


if "IPython" in sys.modules:
    _shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    if _shell is not None:
        load_ipython_extension(_shell)
