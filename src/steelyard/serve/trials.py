"""Trials that run on the rows of a model: who was put into which arm, what happened to them, and what may be said by now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from steelyard.errors import SteelyardError
from steelyard.monitors.labels import horizon_of
from steelyard.monitors.windows import DAY, instant_of, moment, one_instant
from steelyard.serve import statements as sql
from steelyard.serve.declared import DeclaredModel, length_of
from steelyard.serve.declared_trial import DeclaredTrial
from steelyard.serve.store import Session
from steelyard.serve.taking import labels_of
from steelyard.trials.sample_ratio import RatioCheck, sample_ratio
from steelyard.trials.trial import Trial, trial

AT_A_TIME = 20_000
"""Identifiers whose labels are asked for at once."""


@dataclass(frozen=True)
class RunningTrial:
    """A trial as of one moment: the units of each arm, those whose label is in, and what may be said by now."""

    name: str
    said: DeclaredTrial
    exposed: dict[str, int]
    labelled: dict[str, int]
    waiting: int
    """Units that were exposed too lately for their label to count."""
    ratio: RatioCheck | None
    found: Trial | None
    why: str
    """Why nothing is said yet."""
    left: timedelta | None
    """How long it still runs."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.left is not None and self.left <= timedelta(0)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = {"trial": self.name, "declared": msgspec.to_builtins(self.said), "over": self.over}
        days = None if self.left is None else max(0.0, round(self.left / timedelta(days=1), 1))
        counts = {"exposed": self.exposed, "labelled": self.labelled, "waiting": self.waiting, "days_to_go": days}
        r = self.ratio
        ratio = None if r is None else {"p_value": r.total.p_value, "blocked": r.blocked, "text": str(r)}
        found = None if self.found is None else self.found.to_dict()
        return {**told, **counts, "ratio": ratio, "why": self.why, "result": found}


def end_of(model: DeclaredModel, said: DeclaredTrial) -> int | None:
    """When a trial ends; None where that was not said."""
    return None if said.ends is None else one_instant(said.ends, model.zone, "end of the trial")


def running_trial(session: Session, model: DeclaredModel, name: str, now: datetime) -> RunningTrial:
    """A trial as of now. Outcomes are labels of units that were exposed longer ago than labels take, so that none comes first."""
    said = model.trial(name)
    rows = [(str(i), str(arm), int(at)) for i, arm, at in session.all(sql.EXPOSURES, model.name, name)]
    wait = horizon_of(model.said.horizon) or timedelta(0)
    last = instant_of(now - wait)
    known: dict[str, tuple[int, str]] = {}
    ripe = [row for row in rows if row[2] <= last]
    for first in range(0, len(ripe), AT_A_TIME):
        known |= labels_of(session, model.name, [row[0] for row in ripe[first : first + AT_A_TIME]])
    told = [(arm, at, known[i][1]) for i, arm, at in ripe if i in known]
    arms = (said.control, said.treated)
    exposed = {a: sum(arm == a for _, arm, _ in rows) for a in arms}
    labelled = {a: sum(arm == a for arm, _, _ in told) for a in arms}
    end = end_of(model, said)
    left = None if end is None else moment(end) - now
    planned = {said.control: 1 - said.share, said.treated: said.share}
    ratio = sample_ratio(exposed, planned) if rows else None
    found, why = None, ""
    if not rows:
        why = "Nobody was exposed yet."
    elif ratio is not None and ratio.blocked:
        why = f"The arms may not be compared: {ratio}."
    elif min(labelled.values()) < 2:
        why = "Too few labels are in: two of each arm are the least."
    else:
        found, why = _judged(model, said, told, planned)
    return RunningTrial(name, said, exposed, labelled, len(rows) - len(ripe), ratio, found, why, left)


def _judged(
    model: DeclaredModel, said: DeclaredTrial, told: list[tuple[str, int, str]], planned: dict[str, float]
) -> tuple[Trial | None, str]:
    outcomes = [msgspec.json.decode(text) for _, _, text in told]
    e = None if model.baseline is None else model.baseline.evaluation
    positive = model.said.positive if e is None or e.residuals is not None else e.positive
    days = [moment(at // DAY * DAY).date().isoformat() for _, at, _ in told]
    columns = {"arm": [arm for arm, _, _ in told], "outcome": outcomes, "day": days}
    numbers = e is not None and e.residuals is not None
    try:
        found = trial(
            columns,
            group="arm",
            control=said.control,
            treated=said.treated,
            outcome="outcome",
            period="day",
            analysis="unit",
            direction=said.direction,
            planned=planned,
            positive=None if numbers else positive,
        )
    except SteelyardError as problem:
        return None, str(problem.message)
    return found, ""


def forget_trials(session: Session, model: DeclaredModel, now: datetime) -> None:
    """Let exposures go of trials that ended longer ago than labels are kept."""
    kept = length_of(model.said.keep_labels) or timedelta(0)
    for name, said in model.said.trials.items():
        end = end_of(model, said)
        if end is not None and moment(end) + kept < now:
            session.do(sql.OLD_EXPOSURES, model.name, name)
