"""Which measures are watched, by the names that they have here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard.errors import NotAvailable, UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import find, leading
from steelyard.monitors.running import PREFIX
from steelyard.monitors.sequential import loss_name
from steelyard.monitors.stream import StreamRoles
from steelyard.views.story import kind_of
from steelyard.wording import option


def measure_name(measure: object) -> tuple[str, Any, str]:
    """A measure as asked for: its canonical name, its level, and what the two are called together."""
    name, level = measure if isinstance(measure, tuple) and len(measure) == 2 else (measure, None)
    found = find(name)
    if found.better not in {"higher", "lower"}:
        message = f'"{found.name}" is neither better when high nor when low, so nothing can become worse.'
        raise UsageError(message, "Watch a measure such as auc, accuracy, brier or mae.")
    return found.name, level, found.name if level is None else f"{found.name} {level}"


def is_running(measure: object) -> bool:
    """Whether a mean loss is added up over windows."""
    return isinstance(measure, str) and measure.startswith(PREFIX)


def choose_measures(given: object, evaluation: Evaluation | None, roles: StreamRoles, mode: str) -> tuple[Any, ...]:
    """The measures to watch: those asked for, or the one that tells most."""
    if evaluation is None:
        return ()
    kind = kind_of(evaluation)
    if given is None:
        sure = evaluation.scores is not None and evaluation.scores.probabilities
        looked = [n for n in leading("looks", kind) if sure or "scores" not in find(n).by_row]
        given = leading("watch", kind)[0] if mode == "windows" else next(iter(looked), "")
    if not isinstance(given, str | Iterable):
        message = f"Measures are named, and {listing([given])} came."
        raise UsageError(message, f"Say {option('measures', ['auc', 'brier'])}, for example.")
    chosen = (given,) if isinstance(given, str | tuple) else tuple(given)
    if mode == "sequential":
        if roles.unit is not None:
            message = f"Looks that hold at any time need independent rows, and {option('unit')} says that rows belong together."
            raise NotAvailable(message, f"Use {option('mode', 'windows')}, or one row for each unit.")
        return tuple(dict.fromkeys(loss_name(find(m).name, kind) if m else _refuse(m, kind) for m in chosen))
    chosen = tuple(_running(m, evaluation, kind, roles) if is_running(m) else m for m in chosen)
    for measure in chosen:
        if is_running(measure):
            continue
        name, level, _ = measure_name(measure)
        if name not in evaluation.measures and level is None:
            message = f'"{name}" cannot be told from these columns.'
            raise NotAvailable(message, f"What can be: {listing(m for m in evaluation.measures if find(m).better)}.")
        if instead := find(name).instead:
            message = f'"{name}" is a sum over the rows, which grows with them.'
            raise NotAvailable(message, f"Watch {instead} instead.")
        evaluation.measure(name, level)
    return tuple(dict.fromkeys(chosen))


def _running(measure: str, evaluation: Evaluation, kind: str, roles: StreamRoles) -> str:
    """A mean loss that is added up over windows, by its canonical name."""
    if roles.unit is not None:
        message = f"A sum over rows needs independent ones, and {option('unit')} says that rows belong together."
        raise NotAvailable(message, f'Leave "{measure}" out, or give one row for each unit.')
    name = loss_name(find(measure.removeprefix(PREFIX)).name, kind)
    if evaluation.scores is not None and "scores" in find(name).by_row and not evaluation.scores.probabilities:
        message = f'"{name}" cannot be told from these columns.'
        raise NotAvailable(message, f'Scores that are no probabilities have "{PREFIX}error_rate".')
    return PREFIX + name


def _refuse(measure: str, kind: str) -> str:
    return loss_name(measure or "accuracy", kind)
