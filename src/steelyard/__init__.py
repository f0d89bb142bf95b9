"""steelyard weighs models: every measure from predictions alone, with an interval on every number."""

from __future__ import annotations

import gc
import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard import errors as errors
    from steelyard.compare import compare as compare
    from steelyard.comparison import Comparison as Comparison
    from steelyard.comparisons.changes import Changes as Changes
    from steelyard.comparisons.changes import changes as changes
    from steelyard.comparisons.planning import detectable as detectable
    from steelyard.comparisons.planning import sample_size as sample_size
    from steelyard.designs.bootstrap import Bootstrap as Bootstrap
    from steelyard.designs.folds import KFold as KFold
    from steelyard.designs.folds import LeaveOneOut as LeaveOneOut
    from steelyard.designs.folds import NestedFolds as NestedFolds
    from steelyard.designs.folds import StoredFolds as StoredFolds
    from steelyard.designs.holdout import Holdout as Holdout
    from steelyard.designs.holdout import PairedHoldout as PairedHoldout
    from steelyard.designs.holdout import RepeatedHoldout as RepeatedHoldout
    from steelyard.designs.out_of_time import OutOfTime as OutOfTime
    from steelyard.designs.schedules import arithmetic as arithmetic
    from steelyard.designs.schedules import geometric as geometric
    from steelyard.early_warning.timeliness import Timeliness as Timeliness
    from steelyard.early_warning.timeliness import timeliness as timeliness
    from steelyard.evaluate import evaluate as evaluate
    from steelyard.evaluation import Evaluation as Evaluation
    from steelyard.experiments.by_fold import folds as folds
    from steelyard.experiments.experiment import experiment as experiment
    from steelyard.experiments.fitted import evaluate_model as evaluate_model
    from steelyard.experiments.fitted import scorer as scorer
    from steelyard.experiments.learning import LearningCurve as LearningCurve
    from steelyard.experiments.learning import learning_curve as learning_curve
    from steelyard.experiments.pruning import pruning_curve as pruning_curve
    from steelyard.experiments.result import Experiment as Experiment
    from steelyard.experiments.stopping import stopping_curve as stopping_curve
    from steelyard.gates.check import check as check
    from steelyard.measures.measure import catalogue as catalogue
    from steelyard.measures.measure import measure as measure
    from steelyard.monitors.monitor import monitor as monitor
    from steelyard.monitors.stability import stability as stability
    from steelyard.monitors.windowing import windows as windows
    from steelyard.payoffs.payoff import Cost as Cost
    from steelyard.payoffs.payoff import Profit as Profit
    from steelyard.results import Curve as Curve
    from steelyard.results import Difference as Difference
    from steelyard.results import Estimate as Estimate
    from steelyard.results import Interval as Interval
    from steelyard.results import Share as Share
    from steelyard.results import Undefined as Undefined
    from steelyard.saved.load import load as load
    from steelyard.serve.client import Client as Client
    from steelyard.slicing import slices as slices
    from steelyard.sources.joined import table as table
    from steelyard.tables.peek import peek as peek
    from steelyard.tables.shares import binomial as binomial
    from steelyard.tables.shares import share_interval as share_interval
    from steelyard.tables.tabulation import Tabulation as Tabulation
    from steelyard.trials.drawn import draw_groups as draw_groups
    from steelyard.trials.planning import trial_size as trial_size
    from steelyard.trials.trial import Trial as Trial
    from steelyard.trials.trial import trial as trial
    from steelyard.views.figures import figure as figure
    from steelyard.worth.campaign import campaign as campaign
    from steelyard.worth.policies import Worth as Worth
    from steelyard.worth.regions import regions as regions
    from steelyard.worth.thresholds import Threshold as Threshold

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

__all__ = list(_HOMES)


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
