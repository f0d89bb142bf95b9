"""What is said first of a result in use or of a choice: what to do, why, and what next; the method comes last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.measures.measure import catalogue, find
from steelyard.verdicts.alarm import ALARM, IMMATURE, INSUFFICIENT, NODATA, OK, WARN
from steelyard.verdicts.change import BOTH, SAME
from steelyard.verdicts.choice import ALIKE, MORE, SOMEWHERE
from steelyard.verdicts.comparison import BETTER, TOO_FEW, WORSE
from steelyard.verdicts.conclusion import MOST, Conclusion, Reason
from steelyard.verdicts.stability import ADVICE as STABLE_ADVICE
from steelyard.verdicts.stability import NEGLIGIBLE
from steelyard.verdicts.trial import COSTS_MORE, FORBIDDEN, HARMS, HELPS, LESS, MAY_NOT_PAY, UNCLEAR
from steelyard.verdicts.trial import MORE as LEANS_MORE
from steelyard.verdicts.usefulness import HARMFUL, USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.words import count, in_prose, p_told, percent, quoted, shortest, significant, some_names, visible

if TYPE_CHECKING:
    from steelyard.comparisons.changes import Changes
    from steelyard.comparisons.planning import Plan
    from steelyard.comparisons.slices import Slices
    from steelyard.early_warning.timeliness import Timeliness
    from steelyard.experiments.learning import LearningCurve
    from steelyard.monitors.many import Stabilities
    from steelyard.monitors.result import Monitor
    from steelyard.monitors.stability import Stability
    from steelyard.trials.trial import Trial
    from steelyard.worth.campaign import Campaign
    from steelyard.worth.thresholds import Threshold

STATES = {
    OK: "all well",
    WARN: "warning",
    ALARM: "alarm",
    NODATA: "no data",
    INSUFFICIENT: "too few cases",
    IMMATURE: "labels are waited for",
}
CHANGES = {
    OK: "no change shown",
    NEGLIGIBLE: "a change too small to matter",
    WARN: "a change worth a look",
    ALARM: "a large change",
    INSUFFICIENT: "too few cases",
}

QUIET = {
    OK: "Nothing to do: up to {last} no signal left what chance and the margin allow.",
    NODATA: "See whether rows still come: none did in {last}.",
    INSUFFICIENT: "Watch longer windows: {last} holds too few cases to judge by.",
    IMMATURE: "Wait for the labels of {last}: without them nothing can be said.",
}
"""What is said first where no alarm stands."""
AFTERWARDS = {
    OK: "Look again once the next window is over.",
    NODATA: "Ask whoever sends the rows; until they come nobody knows how good the model is.",
    INSUFFICIENT: "Take windows so long that each holds some hundred rows with labels.",
    IMMATURE: "Look again once they are in.",
}

CAMPAIGN = {
    "model": "Leave a few of them out at random: only against these is it seen whether contacting changes anything.",
    "everybody": "Look for a better model: this one picks no better than contacting all of them.",
    "nobody": "Look for a better model, or see whether the amounts are right.",
}

CHANGED = {
    WORSE: "Find out what differs between the two before {1} is relied on.",
    BETTER: "Hold what comes next against {1}.",
    BOTH: "Say which of these numbers counts here, and go by that one.",
    SAME: "Nothing to do; more rows would show smaller changes.",
    TOO_FEW: "Evaluate more rows.",
}
"""What to do after one evaluation, {0}, and a later one, {1}."""

PAYS = {
    COSTS_MORE: ("helps, and costs more than that is worth", "bad"),
    MAY_NOT_PAY: ("helps, not shown to pay", "open"),
}


def reasons(texts: Sequence[str], anchor: str = "") -> tuple[Reason, ...]:
    """Sentences as reasons that are all shown in one part of a page."""
    return tuple(Reason(text, anchor) for text in texts if text)


# A model in use -------------------------------------------------------------------------------------------------------


def monitor_conclusion(monitor: Monitor, verdict: Verdict) -> Conclusion:
    """The state, what to do about it, which signals say so, since when and until when it is known."""
    from steelyard.views.monitor import fires_since, first_out, signal_noun

    last = visible(monitor.windows[-1].name)
    state = STATES[verdict.word]
    if verdict.word not in {WARN, ALARM}:
        said = QUIET[verdict.word].format(last=last)
        waiting = [name for name in monitor.windows[-1].pending if name not in monitor.firing]
        told = [f"{visible(name)} was out of bounds in {last}, which by itself fires nothing." for name in waiting[:2]]
        why = reasons([*told, *_holds(monitor)][:MOST], "windows")
        return Conclusion(said, state, reasons=why, next_step=AFTERWARDS[verdict.word])
    found = [fires_since(monitor, name) for name in monitor.firing]
    rest = len(found) - 2
    more = f"{many(rest, 'more signal')} {'fires' if rest == 1 else 'fire'}." if rest > 0 else _unmoved(monitor)
    order = [w.name for w in monitor.windows]
    out = [(first_out(monitor, name), name) for name in monitor.firing]
    began = sorted((order.index(window), name) for window, name in out if window in order)
    then = ""
    if began:
        place, name = began[0]
        then = f"Look first at {visible(order[place])}, where {signal_noun(name)} first left its bounds."
    said = f"{_went(monitor)}{verdict.advice[:1].lower()}{verdict.advice[1:]}" if _went(monitor) else verdict.advice
    why = (*reasons(found[:2], "stale"), *reasons([more], "windows" if rest <= 0 else "stale"))
    return Conclusion(said, state, reasons=why, next_step=then)


def _holds(monitor: Monitor) -> list[str]:
    """What the measures say in the last window that was judged, beside the reference."""
    from steelyard.views.monitor import UNJUDGED, signal_noun

    out = []
    for name in (n for n in monitor.signals if n in catalogue()):
        judged = [w for w in monitor.windows if w[name].state not in UNJUDGED]
        s = judged[-1][name] if judged else None
        if s is not None and s.value is not None and s.value.value is not None and s.reference is not None:
            noun, where = signal_noun(name), visible(judged[-1].name)
            known = f"{noun[:1].upper()}{noun[1:]} in {where}: {in_prose(s.value)}"
            out.append(f"{known}, and {significant(s.reference)} in the reference.")
    unknown = [n for n in monitor.signals if n in catalogue() and {w[n].state for w in monitor.windows} == {IMMATURE}]
    if unknown and not out:
        names = some_names([signal_noun(n) for n in unknown], 3)
        out = [f"{names[:1].upper()}{names[1:]} could not be judged yet: the labels are in for none of these windows."]
    return out or [f"Known up to {visible(monitor.windows[-1].name)}."]


def _unmoved(monitor: Monitor) -> str:
    """What stayed as it was, which narrows down what may have changed; else up to when it is known."""
    from steelyard.views.monitor import signal_noun

    last = monitor.windows[-1]
    still = [s.name for s in last.signals if s.state == OK and last.state_of(s.name) == OK]
    if not still:
        return f"Known up to {visible(last.name)}."
    # How many rows came is told by a signal that has no column.
    counted = {s.name for s in last.signals if s.usual is not None}
    nouns = some_names(["the number of rows" if name in counted else signal_noun(name) for name in still], 3)
    return f"Within {'its' if len(still) == 1 else 'their'} bounds in {visible(last.name)}: {nouns}."


def _went(monitor: Monitor) -> str:
    """What became of the measure that fires, or of the first column that does; empty where only the number of rows changed."""
    from steelyard.views.monitor import signal_noun

    last = monitor.windows[-1]
    loud = [last[name] for name in sorted(monitor.firing, key=lambda n: last.state_of(n) != ALARM)]
    for s in loud:
        if s.difference is not None and s.value is not None and s.value.value is not None and s.reference is not None:
            noun, now, before = signal_noun(s.name), significant(s.value.value), significant(s.reference)
            return f"{noun[:1].upper()}{noun[1:]} went from {before} to {now}: "
    changed = [s.name for s in loud if s.stability is not None]
    return f"{quoted(changed[0])} has changed: " if changed else ""


def stability_conclusion(stability: Stability, verdict: Verdict) -> Conclusion:
    """Whether the column changed, by how much, and where."""
    from steelyard.views.stability import stability_sentences

    head, numbers, *others = stability_sentences(stability)
    advice = STABLE_ADVICE[verdict.word]
    state = CHANGES[verdict.word]
    largest = others[0] if verdict.word in {WARN, ALARM, NEGLIGIBLE} and others else ""
    if stability.open:
        state = "a change, not shown to matter"
        advice = "Take more rows: they tell whether it is large enough to matter."
    return Conclusion(head, state, reasons=reasons([largest, numbers], "stale"), next_step=advice)


def columns_conclusion(found: Stabilities, verdict: Verdict) -> Conclusion:
    """How many of several columns changed, which of them most, and where to look."""
    from steelyard.views.stability import many_sentences

    first, *others = many_sentences(found)
    worst = found[verdict.against]
    advice, moved = STABLE_ADVICE[verdict.word], verdict.word in {WARN, ALARM, NEGLIGIBLE}
    if moved and verdict.word != NEGLIGIBLE:
        advice = f"Find out what changed in {quoted(worst.column)} before scores are relied on."
    if verdict.word == WARN:
        advice = f"Look at the cells of {quoted(worst.column)} with the largest part of the index."
    told = [text for text in others if not text.startswith("p-values")]
    why = f"{quoted(worst.column)}: {worst.reason}." if moved else ""
    return Conclusion(first, CHANGES[verdict.word], reasons=reasons([why, *told], "stale"), next_step=advice)


def timeliness_conclusion(timeliness: Timeliness, verdict: Verdict) -> Conclusion:
    """Whether it warns earlier than saying the same all the time, and by how much."""
    told = f"Q {in_prose(timeliness.q)}, where 1 is perfect and 0 says the base rate all the time"
    said = {USEFUL: f"It warns in time: {told}.", HARMFUL: f"It warns worse than no model: {told}."}
    rest = timeliness.sentences()[1:]
    first = said.get(verdict.word, f"It is not shown to warn in time: {told}.")
    return Conclusion(first, reasons=reasons(rest[:1], "early"), next_step=verdict.advice)


def trial_conclusion(trial: Trial, verdict: Verdict) -> Conclusion:
    """Whether acting helps, by how much, and what that is in money."""
    apart = "" if trial.effect.value is None else f": {_effect(trial)}"
    sentences = {
        HELPS: f"Acting helps{apart}.",
        HARMS: f"Acting does harm{apart}.",
        UNCLEAR: f"It is not shown that acting changes anything{apart}.",
        LESS: f"It is not shown that acting changes anything, though it leans to less{apart}.",
        LEANS_MORE: f"It is not shown that acting changes anything, though it leans to more{apart}.",
    }
    said = sentences.get(verdict.word, "Nothing may be read from this trial as the effect of acting.")
    m = trial.money
    money = ""
    if m is not None and verdict.word not in FORBIDDEN:
        from steelyard.views.trial import money_whole

        money = f"Worth {in_prose(m.each)} per {m.per}, {in_prose(m.total)} {money_whole(trial)}."
    state, tone = PAYS.get(verdict.advice, ("", ""))
    return Conclusion(said, state, tone, reasons([money, *trial.reasons, _shown_by(trial)], "helps"), verdict.advice)


def _shown_by(trial: Trial) -> str:
    """The test that decides, and whether the arms are as large as planned; empty where nothing may be decided."""
    m, ratio = trial.decides, trial.ratio
    if m is None or m.effect.p_value is None:
        return ""
    planned = ", and the arms are as large as planned, but for chance" if ratio is not None and ratio.checked else ""
    return f"Tested by {m.name}: {p_told(m.effect.p_value)}{planned}."


def _effect(trial: Trial) -> str:
    """What came of either arm, and how far they are apart."""
    from steelyard.views.trial import arms_text, effect_text

    d, (one, other) = trial.design, arms_text(trial)
    named = f"{quoted(d.outcome)} is " if d.outcome else ""
    return (
        f"{named}{one} with {quoted(d.treated)} and {other} in the control group {quoted(d.control)}, a difference of "
        f"{effect_text(trial)}"
    )


# Choices and searches -------------------------------------------------------------------------------------------------


def threshold_conclusion(threshold: Threshold, verdict: Verdict) -> Conclusion:
    """Where to cut, what that brings after luck, and against doing without."""
    from steelyard.views.threshold import threshold_sentences

    first, *others = threshold_sentences(threshold)
    state = {1: "ahead of no model", -1: "worse than no model"}.get(verdict.good - verdict.bad, "not shown to be ahead")
    if threshold.worth is None:
        state = "a threshold"
    then = "See on new rows whether that holds: it was chosen on these same rows." if threshold.optimism else ""
    if threshold.value is None or verdict.bad:
        then = "Look for a better model, or see whether the amounts are right."
    return Conclusion(first, state, reasons=reasons(others[:3], "threshold"), next_step=then)


def campaign_conclusion(campaign: Campaign, verdict: Verdict) -> Conclusion:
    """Whom to contact, what it earns, and against everybody or nobody."""
    from steelyard.views.campaign import advice

    first, *others = advice(campaign)
    state = {"model": "use the model", "everybody": "contact everybody", "nobody": "contact nobody"}[verdict.word]
    return Conclusion(first, state, reasons=reasons(others, "worth"), next_step=CAMPAIGN[verdict.word])


def slices_conclusion(slices: Slices, verdict: Verdict) -> Conclusion:
    """Where it does worse than elsewhere, first the worst."""
    first, *others = slices.sentences()
    if verdict.word == ALIKE:
        if slices.unseen:
            then = "Look at these too, where they may matter."
            return Conclusion(first, reasons=reasons([slices.unseen], "fails"), next_step=then)
        return Conclusion(first, next_step="Nothing to do; more rows would show smaller differences.")
    if verdict.word != SOMEWHERE:
        return Conclusion(first, next_step="Name columns with a few values each, or cut numbers into a few ranges.")
    then = "Look at these rows: what the model does not know about them, and whether they should be decided without it."
    return Conclusion(others[0], reasons=reasons([*others[1:3], first], "fails"), next_step=then)


def changes_conclusion(changes: Changes, verdict: Verdict) -> Conclusion:
    """Whether the new one is better or worse, by what, and where."""
    from steelyard.views.changes import changes_sentences

    first, *others = changes_sentences(changes)
    state = {BETTER: "better", WORSE: "worse", SAME: "no clear change", BOTH: "better and worse"}.get(verdict.word, "")
    then = CHANGED[verdict.word].format(*(visible(n) for n in changes.names))
    return Conclusion(first, state, reasons=reasons(others, "story"), next_step=then)


def learning_conclusion(curve: LearningCurve, verdict: Verdict) -> Conclusion:
    """Whether more data would help, and how much as many rows again would bring."""
    from steelyard.views.learning import learning_sentences

    most = count(curve.sizes[-1])
    title = find(curve.measure).noun
    if verdict.word == MORE:
        said = f"Collect more data, if what it brings is worth it: as many rows again, beyond {most}, would still improve {title}."
        then = "Draw the curve again with them before still more are collected."
    elif verdict.known:
        said = f"Do not collect more rows for this alone: beyond {most}, more of the same kind is not shown to help."
        then = "Look for columns that tell more, or for another model."
    else:
        said = f"Whether more than {most} rows would help is not known."
        then = "Draw the curve again with more repeats, or with more sizes below that one."
    told = [text for model in curve.models for text in learning_sentences(curve, model)[:1]]
    return Conclusion(said, reasons=reasons(told, "story"), next_step=then)


def plan_conclusion(plan: Plan, verdict: Verdict) -> Conclusion:
    """How many rows it takes, and what they would show."""
    sets = "one test set" if plan.paired else f"two test sets, {count(plan.total)} in all"
    said = f"Take {count(plan.rows)} rows ({sets})" if plan.asked == "rows" else f"{count(plan.rows)} rows ({sets})"
    chance, apart = percent(round(plan.power, 3)), shortest(float(f"{plan.difference:.3g}"))
    seen = f"A difference of {apart} in {plan.measure} is seen in {chance} of tries."
    verb = "." if plan.asked == "rows" else f" see it with a chance of {chance}."
    then = "Collect them all before looking at the result." if plan.asked == "rows" else ""
    return Conclusion(f"{said}{verb}", "planned", reasons=reasons([seen, f"By {plan.method}."]), next_step=then)
