"""Every window judged: its signals by the plan, then every signal through the states of its alarms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadLevels, EmptyTable, NotAvailable, NotNumeric, UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import complement, find, leading
from steelyard.monitors import sequential, signals
from steelyard.monitors.alarms import Status, Transition, follow, transitions
from steelyard.monitors.baseline import Baseline, losses_of
from steelyard.monitors.budget import spent
from steelyard.monitors.cohorts import Cohort, judge_cohort
from steelyard.monitors.completion import completed
from steelyard.monitors.estimated import can_be_expected, estimates
from steelyard.monitors.labels import Labels
from steelyard.monitors.result import Watched
from steelyard.monitors.running import PREFIX, follow_losses, loss_table
from steelyard.monitors.sequential import Losses
from steelyard.monitors.signals import FEATURE, LABELLING, OUTPUT, PERFORMANCE, TIMELINESS, UNREAD, VOLUME, Signal
from steelyard.monitors.stream import Roles, Stream
from steelyard.monitors.windows import Window
from steelyard.results import Estimate
from steelyard.verdicts.alarm import ALARM, IMMATURE, SEVERITIES
from steelyard.views.story import kind_of
from steelyard.wording import option


@dataclass(frozen=True, slots=True)
class Plan:
    """What is judged, and how."""

    baseline: Baseline
    measures: tuple[Any, ...]
    margin: float
    confidence: float
    alpha: float
    mode: str
    options: Mapping[str, Any]
    strict: Evaluation | None = None
    """The reference's evaluation with intervals at the level of a window."""
    follows: bool = False
    """Whether customers are followed, cohort by cohort."""

    @property
    def names(self) -> list[tuple[str, str]]:
        """Every signal but the volume, with its kind."""
        out = [(self.told(m), PERFORMANCE) for m in self.measures]
        out += [(TIMELINESS, TIMELINESS)] if self.follows else []
        out += [(name, OUTPUT) for name in self.baseline.outputs]
        return out + [(name, FEATURE) for name in self.baseline.features if name not in self.baseline.outputs]

    def told(self, measure: Any) -> str:
        """What a measure is called here."""
        alone = self.mode == "sequential" or measure in self.running
        return str(measure) if alone else signals.measure_name(measure)[2]

    @property
    def running(self) -> tuple[str, ...]:
        """Mean losses that are added up over windows."""
        return tuple(m for m in self.measures if is_running(m))


def is_running(measure: Any) -> bool:
    """Whether a mean loss is added up over windows."""
    return isinstance(measure, str) and measure.startswith(PREFIX)


def choose_measures(given: Any, e: Evaluation | None, roles: Roles, mode: str) -> tuple[Any, ...]:
    """The measures to watch: those asked for, or the one that tells most."""
    if e is None:
        return ()
    kind = kind_of(e)
    if given is None:
        sure = e.scores is not None and e.scores.probabilities
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
        return tuple(dict.fromkeys(sequential.loss_name(find(m).name, kind) if m else _refuse(m, kind) for m in chosen))
    chosen = tuple(_running(m, e, kind, roles) if is_running(m) else m for m in chosen)
    for measure in chosen:
        if is_running(measure):
            continue
        name, level, _ = signals.measure_name(measure)
        if name not in e.measures and level is None:
            message = f'"{name}" cannot be told from these columns.'
            raise NotAvailable(message, f"What can be: {listing(m for m in e.measures if find(m).better)}.")
        if instead := find(name).instead:
            message = f'"{name}" is a sum over the rows, which grows with them.'
            raise NotAvailable(message, f"Watch {instead} instead.")
        e.measure(name, level)
    return tuple(dict.fromkeys(chosen))


def _running(measure: str, e: Evaluation, kind: str, roles: Roles) -> str:
    """A mean loss that is added up over windows, by its canonical name."""
    if roles.unit is not None:
        message = f"A sum over rows needs independent ones, and {option('unit')} says that rows belong together."
        raise NotAvailable(message, f'Leave "{measure}" out, or give one row for each unit.')
    name = sequential.loss_name(find(measure.removeprefix(PREFIX)).name, kind)
    if e.scores is not None and "scores" in find(name).by_row and not e.scores.probabilities:
        message = f'"{name}" cannot be told from these columns.'
        raise NotAvailable(message, f'Scores that are no probabilities have "{PREFIX}error_rate".')
    return PREFIX + name


def _refuse(measure: str, kind: str) -> str:
    return sequential.loss_name(measure or "accuracy", kind)


def evaluated_again(e: Evaluation | None, options: Mapping[str, Any], roles: Roles) -> dict[str, Any]:
    """How later windows are evaluated: as the reference was, whatever levels they hold."""
    again = dict(options)
    if e is not None:
        again |= {"positive": e.positive, "levels": e.levels or None}
        again["threshold"] = options["threshold"] if e.threshold is None else e.threshold
        if roles.score is None:
            again["kind"] = "continuous" if e.residuals is not None else "labels"
    return again


# Signals --------------------------------------------------------------------------------------------------------------


def judge(
    plan: Plan,
    parts: Sequence[Stream],
    labels: Sequence[Labels],
    before: Sequence[Sequence[Signal]],
    cohorts: Sequence[Cohort] = (),
    places: Sequence[str] = (),
) -> list[list[Signal]]:
    """The signals of every window, `before` being those that were judged already; `places` tell where windows lie in the week."""
    out, looks = [], 0
    # Labels that cannot be read would be added up as if they were the other level.
    sums = _sums(plan, parts, labels, [any(s.kind == LABELLING and s.state == ALARM for s in x) for x in before])
    follows = _followed(plan, parts, labels, sums) if plan.mode == "sequential" else {}
    runs = _run(plan, labels, sums) if plan.running and plan.mode == "windows" else {}
    for i, (part, held) in enumerate(zip(parts, labels, strict=True)):
        here = list(before[i])
        if not part.rows:
            out.append(here + signals.silent(plan.names))
            continue
        looks += 1
        place = places[i] if places else ""
        level = spent(plan.alpha, looks) if plan.mode == "sequential" else plan.alpha
        here += [follows[m][i] for m in plan.measures] if follows else _performance(plan, part, held, runs, i, place)
        base = plan.baseline
        if plan.follows and base.timeliness is not None:
            here.append(judge_cohort(cohorts[i], base.timeliness, plan.margin, plan.confidence, plan.alpha))
        alike = base.variation.counts.get(place, {})
        here += signals.stabilities(OUTPUT, base.outputs, part.counted(base.outputs), plan.confidence, level, alike)
        apart = {name: b for name, b in base.features.items() if name not in base.outputs}
        here += signals.stabilities(FEATURE, apart, part.counted(apart), plan.confidence, level, alike)
        out.append(here)
    return out


def _performance(
    plan: Plan, part: Stream, held: Labels, runs: Mapping[str, Sequence[Signal]], i: int, place: str
) -> list[Signal]:
    reference = plan.baseline.evaluation
    if reference is None:
        return []
    e, why = _evaluated(plan, part)
    told = []
    for measure in plan.measures:
        if measure in runs:
            told.append(runs[measure][i])
            continue
        spread = plan.baseline.variation.measures.get(plan.told(measure))
        usual = None if spread is None else (spread, place)
        told.append(signals.performance(measure, e, reference, held, plan.margin, plan.alpha, why, plan.strict, usual))
    late = [m for m, s in zip(plan.measures, told, strict=True) if s.state == IMMATURE and m not in runs]
    expected = _expected(plan, part, [signals.measure_name(m)[0] for m in late])
    out = []
    for measure, s in zip(plan.measures, told, strict=True):
        if measure not in late:
            out.append(s)
            continue
        x = expected.get(signals.measure_name(measure)[0])
        s = s if x is None else signals.estimated(s, x)
        # Labels that are none of the reference's levels have been told already, and cannot be filled in.
        out.append(s if why else completed(s, measure, part, plan.options))
    return out


def _evaluated(plan: Plan, part: Stream) -> tuple[Evaluation | None, str]:
    if not part.labelled.any():
        return None, ""
    try:
        return part.evaluate(**plan.options), ""
    except (BadLevels, EmptyTable, NotAvailable, NotNumeric) as problem:
        # One strange window must not hide the others.
        return None, problem.message.rstrip(".")


def _expected(plan: Plan, part: Stream, measures: Sequence[str]) -> dict[str, Estimate]:
    """What the scores let expect, where they are the scores of two levels."""
    calibration = plan.baseline.calibration
    wanted = list(dict.fromkeys(m for m in measures if can_be_expected(find(m))))
    if calibration is None or not wanted or not isinstance(part.roles.score, str):
        return {}
    found = part.columns[part.roles.score].astype(np.float64)
    return estimates(calibration, found[np.isfinite(found)], wanted, plan.options["threshold"], plan.confidence)


def _sums(
    plan: Plan, parts: Sequence[Stream], labels: Sequence[Labels], unread: Sequence[bool]
) -> list[dict[str, Losses] | None]:
    """The losses of every window whose labels are in and can be read, where they are followed."""
    e = plan.baseline.evaluation
    if e is None or not (plan.running or plan.mode == "sequential"):
        return []
    held = zip(parts, labels, unread, strict=True)
    ready = [x.mature and not odd and bool(part.labelled.any()) for part, x, odd in held]
    return [losses_of(part, e) if ok else None for part, ok in zip(parts, ready, strict=True)]


def _base(plan: Plan, name: str) -> Losses:
    base = plan.baseline.losses.get(name)
    if base is None:
        message = f'The reference has no sums of "{name}" to follow it against.'
        raise NotAvailable(message, "Pass rows, or a Baseline made from rows, as the reference.")
    return base


def _run(plan: Plan, labels: Sequence[Labels], sums: Sequence[dict[str, Losses] | None]) -> dict[str, list[Signal]]:
    """Each mean loss, its excess added up over the windows whose labels are in."""
    e, out = plan.baseline.evaluation, {}
    for measure in plan.running:
        name = measure.removeprefix(PREFIX)
        found = [None if x is None else x[name] for x in sums]
        table, excess = loss_table(e, name), plan.baseline.variation.excess.get(name, 1.0)
        out[measure] = follow_losses(name, _base(plan, name), table, found, labels, plan.margin, plan.alpha, excess)
    return out


def _followed(
    plan: Plan, parts: Sequence[Stream], labels: Sequence[Labels], sums: Sequence[dict[str, Losses] | None]
) -> dict[str, list[Signal]]:
    """Each mean loss over all mature windows so far."""
    out: dict[str, list[Signal]] = {}
    if plan.baseline.evaluation is None:
        return out
    for name in plan.measures:
        base = _base(plan, name)
        # A margin is one of the share that is better when higher.
        turned = base.mean if complement(find(name)) is None else 1 - base.mean
        found = sequential.looks(
            base, [None if x is None else x[name] for x in sums], plan.margin * turned, plan.alpha, name
        )
        out[name] = [
            signals.followed(
                name, look, held, plan.alpha, None if held.mature else _expected(plan, part, [name]).get(name)
            )
            for look, held, part in zip(found, labels, parts, strict=True)
        ]
    return out


def run_alarms(
    made: Sequence[Window],
    parts: Sequence[Stream],
    labels: Sequence[Labels],
    found: Sequence[Sequence[Signal]],
    consecutive: int,
    plan: Plan,
) -> tuple[list[Watched], list[Transition]]:
    """Every signal through its states."""
    statuses: list[dict[tuple[str, str], Status]] = [{} for _ in made]
    changes: list[Transition] = []
    names = [w.name for w in made]
    for i, signal in enumerate(found[0] if found else ()):
        series = [here[i] for here in found]
        need = consecutive if plan.mode == "windows" or signal.kind == VOLUME else 1
        # A sum over windows has waited for its evidence already, and what cannot be read is no matter of chance.
        need = 1 if signal.name in plan.running or signal.kind in UNREAD else need
        for severity in SEVERITIES:
            states = follow([s.seen(severity) for s in series], need)
            for held, status in zip(statuses, states, strict=True):
                held[signal.name, severity] = status
            changes += transitions(names, states, [s.reason for s in series], signal.name, severity)
    order = {name: k for k, name in enumerate(names)}
    # What an alarm says need not be said again by its warning.
    said = {(c.window, c.signal, c.after) for c in changes if c.severity == ALARM}
    changes = [c for c in changes if c.severity == ALARM or (c.window, c.signal, c.after) not in said]
    changes.sort(key=lambda c: (order[c.window], c.severity))
    watched = [
        Watched(w, part.rows, held, tuple(here), status)
        for w, part, held, here, status in zip(made, parts, labels, found, statuses, strict=True)
    ]
    return watched, changes
