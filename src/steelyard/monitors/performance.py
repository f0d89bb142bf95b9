"""Whether it is still as good: measures of a window against the reference, once its labels are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.comparisons.enough import cases_of
from steelyard.designs.design import many
from steelyard.errors import NotAvailable
from steelyard.evaluation import Evaluation
from steelyard.measures.measure import catalogue, complement, find
from steelyard.monitors.completion import completed
from steelyard.monitors.estimated import can_be_expected, estimates
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.readable import LABELLING, unread_target
from steelyard.monitors.running import PREFIX, follow_losses, loss_table
from steelyard.monitors.sequential import Look, looks
from steelyard.monitors.signals import PERFORMANCE, Signal, gap, held
from steelyard.monitors.summed import evaluation_of
from steelyard.monitors.variation import usual_at
from steelyard.monitors.watched_measures import is_running, measure_name
from steelyard.results import Estimate
from steelyard.summaries.losses import Losses
from steelyard.summaries.window import WindowSummary
from steelyard.verdicts.alarm import ALARM, IMMATURE, INSUFFICIENT, OK, WARN
from steelyard.verdicts.enough import too_few
from steelyard.words import estimate_text, percent, significant, some_names, visible

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch
    from steelyard.monitors.result import Monitor, Watched

Sums = Sequence[Mapping[str, Losses] | None]
"""The losses of every window whose labels are in and can be read."""


@gauge
class Performance(Gauge):
    """Measures: of each window, of the sum of its excess over windows, or of all rows so far."""

    kind = PERFORMANCE
    about = "model"
    question = "Is it still as good?"
    needs = "To see whether it is still as good, a target is needed."
    place = 3
    waits = True

    def names(self, run: Watch) -> list[str]:
        """What the measures are called here."""
        alone = run.mode == "sequential"
        return [str(m) if alone or is_running(m) else measure_name(m)[2] for m in run.measures]

    def in_a_row(self, name: str, run: Watch) -> int:
        """A sum over windows has waited for its evidence already."""
        return 1 if name in run.measures and is_running(name) else super().in_a_row(name, run)

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """Every measure of every window; losses that are followed over windows are so first."""
        follow = _followed if run.mode == "sequential" else _running
        apart: dict[str, list[Signal]] = {}
        if wanted := [m for m in run.measures if run.mode == "sequential" or is_running(m)]:
            # Labels that cannot be read would be added up as if they were the other level.
            sums = _sums(run, [any(s.kind == LABELLING and s.state == ALARM for s in here) for here in before])
            apart = {m: follow(m, run, sums) for m in wanted}
        silent = self.silent(run)
        return [_window(run, i, apart) if part.rows else list(silent) for i, part in enumerate(run.parts)]

    def edge(self, monitor: Monitor, name: str, base: float) -> float:
        """An error rate is followed in place of accuracy, and the margin is one of accuracy."""
        known = catalogue().get(name.split(" ")[0])
        turned = (
            monitor.mode == "sequential" and known is not None and known.name == name and complement(known) is not None
        )
        part = 1 - base if turned else abs(base)
        return base + (1 if known is not None and known.better == "lower" else -1) * monitor.margin * part

    def sentences(self, monitor: Monitor) -> list[str]:
        """Which labels are waited for, and what may be said until then."""
        late = [w for w in monitor.windows if not w.labels.mature]
        if not late:
            return []
        covered = [w.labels.coverage for w in late if w.labels.coverage is not None]
        estimated = any(s.estimated for w in late for s in w.signals)
        shares = list(dict.fromkeys(percent(x) for x in (min(covered), max(covered))))
        there = f"{' to '.join(shares)} of the rows {'of each ' if len(late) > 1 else ''}have one so far"
        there = "none of the rows has one so far" if max(covered) == 0 else there
        more = " What is told of them is expected from the scores, an estimate." if estimated else ""
        out = [
            f"Labels of {many(len(late), 'window')} are not in ({there}), and no performance alarm rests on them.{more}"
        ]
        slow = [w for w in late if w.labels.waits]
        if slow:
            out.append(
                f"Most rows of {some_names([w.name for w in slow])} have a label, but {visible(slow[-1].labels.waits)}."
            )
        kinds = {s.name: s.kind for s in monitor.windows[-1].signals}
        if estimated and any(kinds[name] == PERFORMANCE for name in monitor.firing):
            out.append(
                "While performance is below the reference, scores no longer mean what they meant: do not trust the estimate."
            )
        return out + _completed(monitor, late[-1])


def _completed(monitor: Monitor, watched: Watched) -> list[str]:
    """How far the labels that are missing in a window can still move what is told of it."""
    waiting = [s for s in watched.signals if s.kind == PERFORMANCE and s.state == IMMATURE]
    out = [
        f"Whatever the missing labels of {visible(watched.name)} turn out to be, {visible(s.name)} will be "
        f"{significant(s.completed[0])} at worst and {significant(s.completed[1])} at best."
        for s in waiting
        if s.completed is not None
    ]
    lost = list(dict.fromkeys(s.name for late in monitor.windows for s in late.signals if s.ruled_out))
    if lost:
        out.append(
            f"In some of these windows the labels that are in already rule out what was expected of {some_names(lost)} from "
            "the scores."
        )
    others = [s.name for s in waiting if s.completed is None]
    if others and monitor.mode == "windows":
        out.append(
            f"How far missing labels can move {some_names(others)} is not told: that takes a measure that counts right and "
            "wrong, such as accuracy or recall."
        )
    return out


# Windows --------------------------------------------------------------------------------------------------------------


def _window(run: Watch, i: int, apart: dict[str, list[Signal]]) -> list[Signal]:
    """The measures of one window, those that were followed `apart` as they were found."""
    part, reference = run.parts[i], run.baseline.evaluation
    if reference is None or all(m in apart for m in run.measures):
        return [apart[m][i] for m in run.measures]
    e, why = evaluation_of(part, run.baseline, run.confidence), _unread(run, part)
    told = {m: apart[m][i] if m in apart else performance(m, e, reference, run, i, why) for m in run.measures}
    late = {m: measure_name(m)[0] for m, s in told.items() if s.state == IMMATURE and m not in apart}
    expected = _expected(run, part, list(late.values()))
    for m, name in late.items():
        if name in expected:
            told[m] = estimated(told[m], expected[name])
        # Labels that are none of the reference's levels have been told already, and cannot be filled in.
        if not why:
            told[m] = completed(told[m], m, part, e, reference)
    return list(told.values())


def performance(
    measure: object, window: Evaluation | None, reference: Evaluation, run: Watch, i: int, why: str
) -> Signal:
    """A measure of one window against the reference, by the interval of the difference itself.

    With d = window − reference (turned so that less is worse) and its 1 − 2α interval: alarm if the upper end lies below
    −margin · |reference|, warn if it lies below 0. A window whose labels are not in is told, and judged by nobody. Where windows
    of the reference differ by more than chance, or by weekday, that is allowed for.
    """
    name, level, told = measure_name(measure)
    base, labels, alpha = reference.measure(name, level), run.labels[i], run.alpha
    if window is None:
        state = INSUFFICIENT if labels.mature else IMMATURE
        return Signal(
            told, PERFORMANCE, state, why or labels.reason or "no row has a label", None, base.value, alpha=alpha
        )
    value = window.measure(name, level)
    facts: dict[str, Any] = {"value": value, "reference": base.value, "alpha": alpha}
    if value.value is None or base.value is None:
        return Signal(told, PERFORMANCE, INSUFFICIENT, value.reason or base.reason, **facts)
    if not labels.mature:
        return Signal(told, PERFORMANCE, IMMATURE, labels.reason, **facts)
    few = too_few([*cases_of(window), *cases_of(reference)])
    if few:
        return Signal(told, PERFORMANCE, INSUFFICIENT, few, **facts)
    d = gap(window, run.strict, name, level, alpha)
    if d.low is None or d.high is None:
        return Signal(told, PERFORMANCE, INSUFFICIENT, d.note or "no interval", difference=d, **facts)
    better = find(name).better
    s = held(told, PERFORMANCE, d, run.margin, better, **facts)
    spread = run.baseline.variation.measures.get(told)
    near = d if spread is None else spread.allow(d, run.places[i], alpha, better)
    if near is d:
        return s
    t = held(told, PERFORMANCE, near, run.margin, better, **(facts | {"reference": near.values[1]}))
    calmed = s.state in {WARN, ALARM} and t.state == OK
    return replace(t, reason=f"{t.reason}: no more than windows of the reference differ") if calmed else t


def _unread(run: Watch, part: WindowSummary) -> str:
    """Why the labels that are there cannot be held against the predictions; empty where they can."""
    return part.why or "; ".join(unread_target(run, part))


def _expected(run: Watch, part: WindowSummary, measures: Sequence[str]) -> dict[str, Estimate]:
    """What the scores let expect, where they are the scores of two levels."""
    calibration = run.baseline.calibration
    wanted = list(dict.fromkeys(m for m in measures if can_be_expected(find(m))))
    if calibration is None or not wanted or part.seen is None:
        return {}
    score, many = part.seen.middle, part.seen.counts[:, 0]
    return estimates(calibration, score, wanted, run.threshold, run.confidence, many=many)


def estimated(signal: Signal, value: Estimate) -> Signal:
    """The same signal with a value that was told from the scores alone; it stays unjudged."""
    words = (
        f"{signal.reason}; from the scores {estimate_text(value)} is to be expected" if value.value is not None else ""
    )
    return replace(signal, value=value, estimated=True, reason=words or signal.reason)


# Losses over windows --------------------------------------------------------------------------------------------------


def _sums(run: Watch, unread: Sequence[bool]) -> Sums:
    """The losses of every window whose labels are in and can be read."""
    ready = [
        x.mature and not odd and bool(part.evidence) for part, x, odd in zip(run.parts, run.labels, unread, strict=True)
    ]
    return [part.losses if ok else None for part, ok in zip(run.parts, ready, strict=True)]


def _base(run: Watch, name: str) -> Losses:
    base = run.baseline.losses.get(name)
    if base is None:
        message = f'The reference has no sums of "{name}" to follow it against.'
        raise NotAvailable(message, "Pass rows, or a Baseline made from rows, as the reference.")
    return base


def _running(measure: str, run: Watch, sums: Sums) -> list[Signal]:
    """A mean loss, its excess added up over the windows whose labels are in."""
    name = measure.removeprefix(PREFIX)
    found = [None if x is None else x[name] for x in sums]
    table, excess = loss_table(run.baseline.evaluation, name), run.baseline.variation.excess.get(name, 1.0)
    base, spread = _base(run, name), run.baseline.variation.measures.get(measure)
    usual = [usual_at(spread, place, base.mean) for place in run.places]
    return follow_losses(name, base, table, found, run.labels, run.margin, run.alpha, excess, usual)


def _followed(name: str, run: Watch, sums: Sums) -> list[Signal]:
    """A mean loss over all mature windows so far."""
    base = _base(run, name)
    # A margin is one of the share that is better when higher.
    turned = base.mean if complement(find(name)) is None else 1 - base.mean
    found = looks(base, [None if x is None else x[name] for x in sums], run.margin * turned, run.alpha, name)
    return [_look(name, look, run, i) for i, look in enumerate(found)]


def _look(name: str, look: Look, run: Watch, i: int) -> Signal:
    held = run.labels[i]
    state, reason = (look.state, look.reason) if held.mature else (IMMATURE, held.reason)
    estimate = None if held.mature else _expected(run, run.parts[i], [name]).get(name)
    return Signal(
        name,
        PERFORMANCE,
        state,
        reason,
        look.estimate if estimate is None else estimate,
        look.reference,
        alpha=run.alpha,
        clears=(look.state not in {WARN, ALARM}, look.state != ALARM),
        estimated=estimate is not None,
    )
