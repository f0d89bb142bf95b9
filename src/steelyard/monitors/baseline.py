"""The baseline: everything later windows are held against, in one object that is saved, read back and known by its hash."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from steelyard.arguments.annotated import as_annotated
from steelyard.early_warning.summary import TimelinessSummary
from steelyard.errors import BadLevels, InputError, NotAvailable, UnreadableSource
from steelyard.evaluation import Evaluation
from steelyard.monitors.bins import Bins
from steelyard.monitors.delays import Delays, cut_of, label_times
from steelyard.monitors.estimated import Calibration
from steelyard.monitors.gauges import gauges
from steelyard.monitors.segmented import evaluated_by_segment
from steelyard.monitors.sequential import losses, row_loss
from steelyard.monitors.stream import Stream, StreamRoles
from steelyard.monitors.uncounted import why_not, with_the_clock
from steelyard.monitors.variation import Variation
from steelyard.monitors.volume import Volume
from steelyard.summaries.losses import Losses
from steelyard.wording import option
from steelyard.words import count, quoted

SCHEMA = 2
LEAST = 50
"""Rows below which a reference says too little to hold anything against it."""


@dataclass(frozen=True)
class Baseline:
    """Bins with their counts, the evaluation, and sums of losses of the reference rows; it holds no row."""

    rows: int
    labelled: int
    source: str
    outputs: Mapping[str, Bins] = field(default_factory=dict)
    features: Mapping[str, Bins] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    losses: Mapping[str, Losses] = field(default_factory=dict)
    quiet: int = 0
    """The longest row of empty windows in it."""
    volume: Volume = field(default_factory=Volume)
    """How many rows its windows had; nothing where it was not cut into windows."""
    timeliness: TimelinessSummary | None = None
    """The sums of its cohorts, where customers are followed."""
    delays: Delays | None = None
    """How long its labels took, by outcome, where that is known."""
    variation: Variation = field(default_factory=Variation)
    """How much its windows differ among themselves; nothing where it was not cut into windows."""
    covers: tuple[int, int] | None = None
    """Where it was the start of a stream, from when to when: these windows are not judged again."""
    kept: Mapping[str, Evaluation] = field(default_factory=dict)
    """What ordinary gauges keep of its rows, by their kind."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """Which columns played which part, and what a window was; nothing where only an evaluation is known."""

    @cached_property
    def hash(self) -> str:
        """A short hash of all numbers in it: the same rows give the same one."""
        return _hash_of(self._plain())

    @cached_property
    def calibration(self) -> Calibration | None:
        """What scores meant; None where there is not one score for two levels."""
        scores = None if self.evaluation is None else self.evaluation.scores
        if scores is None or not float(scores.all_positives) or not float(scores.all_negatives):
            return None
        return Calibration.of(scores)

    @property
    def text(self) -> str:
        """The baseline in words."""
        labels = (
            "" if self.evaluation is None or self.labelled == self.rows else f", {count(self.labelled)} with a label"
        )
        return f"{self.source}: {count(self.rows)} rows{labels}, hash {self.hash}"

    def _plain(self) -> dict[str, Any]:
        # Baselines that were saved without these have neither.
        more: dict[str, Any] = {} if not self.volume.windows else {"volume": self.volume.to_dict()}
        more |= {} if self.timeliness is None else {"timeliness": self.timeliness.to_dict()}
        more |= {} if self.delays is None else {"delays": self.delays.to_dict()}
        more |= {} if self.variation == Variation() else {"variation": self.variation.to_dict()}
        more |= {} if not self.kept else {"kept": {kind: e.to_dict() for kind, e in self.kept.items()}}
        more |= {} if self.covers is None else {"covers": list(self.covers)}
        return more | {
            "asked": dict(self.asked),
            "rows": self.rows,
            "labelled": self.labelled,
            "source": self.source,
            "outputs": {name: b.to_dict() for name, b in self.outputs.items()},
            "features": {name: b.to_dict() for name, b in self.features.items()},
            "evaluation": None if self.evaluation is None else self.evaluation.to_dict(),
            "losses": {name: x.to_dict() for name, x in self.losses.items()},
            "quiet": self.quiet,
        }

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"steelyard baseline": SCHEMA, "hash": self.hash, **self._plain()}

    @classmethod
    def from_dict(cls, data: object) -> Baseline:
        """Read back what `to_dict` wrote; a changed one is refused."""
        if not isinstance(data, Mapping) or data.get("steelyard baseline") != SCHEMA:
            message = "This is no baseline that was saved by this version."
            raise UnreadableSource(message, "Read back what Baseline.save wrote.")
        found = cls(
            data["rows"],
            data["labelled"],
            data["source"],
            {name: Bins.from_dict(b) for name, b in data["outputs"].items()},
            {name: Bins.from_dict(b) for name, b in data["features"].items()},
            None if data["evaluation"] is None else Evaluation.from_dict(data["evaluation"]),
            {name: Losses(**x) for name, x in data["losses"].items()},
            data["quiet"],
            Volume.from_dict(data["volume"]) if "volume" in data else Volume(),
            None if "timeliness" not in data else TimelinessSummary.from_dict(data["timeliness"]),
            None if "delays" not in data else Delays.from_dict(data["delays"]),
            Variation.from_dict(data["variation"]) if "variation" in data else Variation(),
            (int(data["covers"][0]), int(data["covers"][1])) if "covers" in data else None,
            {kind: Evaluation.from_dict(e) for kind, e in data.get("kept", {}).items()},
            dict(data["asked"]),
        )
        if _hash_of(data) != data["hash"]:
            message = "The baseline was changed after it was saved: its hash does not fit."
            raise UnreadableSource(message, "Make it again from the reference rows.")
        # What was written down is what it says: to write it down once more would take longer than all else of reading it.
        vars(found)["hash"] = data["hash"]
        return found

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline as JSON, whole or not at all."""
        from steelyard.files.writing import write_saved

        write_saved(path, self.to_dict())

    @classmethod
    @as_annotated()
    def load(cls, path: str | os.PathLike[str]) -> Baseline:
        """Read a baseline that was saved."""
        from steelyard.files.writing import read_saved

        saved = read_saved(path, "baseline", "Name the file that Baseline.save wrote.")
        try:
            return cls.from_dict(saved.believed() if saved.has("steelyard baseline") else {})
        except (AttributeError, KeyError, TypeError, ValueError):
            message = f'"{path}" holds no saved baseline.'
            raise UnreadableSource(message, "Name the file that Baseline.save wrote.") from None


def _hash_of(told: Mapping[str, Any]) -> str:
    """Of all numbers of a baseline as plain JSON values: what was counted, not how it was opened, nor from where."""
    held = {k: v for k, v in told.items() if k not in {"steelyard baseline", "hash", "source"}}
    if held["evaluation"] is not None:
        e = held["evaluation"]
        held["evaluation"] = e["evidence"]
        # Where there are none it is the hash that it was before there were any.
        held |= {"segments": {k: x["evidence"] for k, x in e["segments"].items()}} if e["segments"] else {}
    # As a file has it, where every name is text: what is read back gives the same hash.
    plain = json.loads(json.dumps(held, default=str))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]


def losses_of(stream: Stream, evaluation: Evaluation) -> dict[str, Losses]:
    """Sums of every loss that is a mean over rows, of the rows with a label and with something said."""
    roles = stream.roles
    if roles.target is None or isinstance(roles.score, Mapping):
        return {}
    there = stream.labelled & stream.present(str(roles.prediction if roles.score is None else roles.score))
    truth = stream.columns[roles.target][there]
    weight = None if roles.weight is None else stream.columns[roles.weight][there]
    if roles.score is not None and evaluation.scores is not None:
        y, p = (truth == evaluation.positive).astype(np.float64), stream.columns[roles.score][there].astype(np.float64)
        known = losses("scores", probabilities=evaluation.scores.probabilities)
        cut = 0.5 if evaluation.threshold is None else evaluation.threshold
        return {name: Losses.of(row_loss(m, y, p, cut), weight) for name, m in known.items()}
    assert roles.prediction is not None
    said = stream.columns[roles.prediction][there]
    if evaluation.residuals is not None:
        y, p = truth.astype(np.float64), said.astype(np.float64)
        return {name: Losses.of(row_loss(m, y, p), weight) for name, m in losses("numbers").items()}
    return {name: Losses.of(row_loss(m, truth, said), weight) for name, m in losses("labels").items()}


def baseline_of(stream: Stream, source: str, quiet: int = 0, **options: object) -> Baseline:
    """Count the rows of a reference; `options` are those of evaluate."""
    roles = stream.roles
    if stream.rows < LEAST:
        message = f"The reference ({source}) has {count(stream.rows)} row{'s' if stream.rows != 1 else ''}."
        raise InputError(message, f"At least {LEAST} are needed, and ten times the rows of a window are advised.")
    labelled = int(stream.labelled.sum())
    if roles.target is not None and not labelled:
        message = f'The target "{roles.target}" is missing in every row of the reference ({source}).'
        raise InputError(message, f"Choose reference rows whose labels are in, or leave {option('target')} out.")
    try:
        counted = stream.evaluate if roles.segment is None else partial(evaluated_by_segment, stream)
        evaluation = None if roles.target is None or not roles.outputs else counted(**options)
    except BadLevels as problem:
        message = f"The reference ({source}) cannot be evaluated. {problem.message.marked}"
        # A monitor takes its levels from the reference, so they cannot be declared.
        hint = (
            "Choose reference rows that have every level of the target."
            if "levels" in problem.hint.names
            else problem.hint
        )
        raise BadLevels(message, hint) from None
    outputs, features = stream.bins(roles.outputs), stream.bins(roles.features)
    losses = {} if evaluation is None else losses_of(stream, evaluation)
    delays = None
    if stream.label_times is not None and stream.times is not None and evaluation is not None:
        cut = cut_of(None, evaluation)
        delays = Delays.of([label_times(stream, evaluation, cut)], [stream.latest], cut)
    kept = {kind: found for kind, g in gauges().items() if (found := g.kept(stream)) is not None}
    facts: dict[str, Any] = {"quiet": quiet, "delays": delays, "kept": kept}
    return Baseline(stream.rows, labelled, source, outputs, features, evaluation, losses, **facts)


def baseline_of_evaluation(evaluation: Evaluation, source: str = "an evaluation") -> Baseline:
    """A baseline of performance alone."""
    if evaluation.rows < LEAST:
        message = f"The reference ({source}) has {evaluation.rows:,} rows."
        raise InputError(message, f"At least {LEAST} are needed.")
    return Baseline(evaluation.rows, evaluation.rows, source, evaluation=evaluation)


def countable(baseline: Baseline, stream: Stream, keys: Sequence[str] = ()) -> tuple[Baseline, StreamRoles, list[str]]:
    """Both without the features of which nothing could be seen, and what is to be said of these and of the keys of labels.

    `stream` are the rows that tell: those of the reference, or all where it was made before.
    """
    # A saved baseline was made without them, so that the stream itself must tell.
    new = stream.bins([name for name in stream.roles.features if name not in baseline.features])
    why = {name: why_not(b) for name, b in (*baseline.features.items(), *new.items())}
    for name in [name for name in why if not why[name] and name in stream.columns]:
        why[name] = with_the_clock(stream.columns[name], stream.times)
    out = [f"{quoted(name)}: labels are found by it" for name in keys]
    out += [f"{quoted(name)}: {reason}" for name, reason in why.items() if reason]
    if not out:
        return baseline, stream.roles, []
    roles = replace(stream.roles, features=tuple(name for name in stream.roles.features if not why.get(name)))
    if any(why[name] for name in baseline.features):
        baseline = replace(baseline, features={k: b for k, b in baseline.features.items() if not why[k]})
    told = f"Not watched: {'; '.join(out)}. A column that is named in features= is watched whatever it holds."
    return baseline, roles, [told]


def check_holds(baseline: Baseline, roles: StreamRoles, weighing: object = None) -> None:
    """Refuse a saved baseline that does not know the columns to be watched."""
    if roles.target is not None and roles.outputs and baseline.evaluation is None:
        message = f"The baseline ({baseline.source}) has no evaluation to hold performance against."
        raise NotAvailable(message, f"Make it from rows with a target, or leave {option('target')} out.")
    absent = [name for name in roles.features if name not in baseline.features]
    if absent:
        message = f"The baseline ({baseline.source}) does not know {', '.join(absent)}."
        raise NotAvailable(message, "Make it from a table that has these features, or leave them out.")
    if weighing is None:
        return
    if baseline.timeliness is None:
        message = f"The baseline ({baseline.source}) has no cohorts to hold timeliness against."
        hint = f"Make it with the same {option('period')} from rows, or leave {option('period')} out."
        raise NotAvailable(message, hint)
    if baseline.timeliness.weighing != weighing:
        message = f"The cohorts of the baseline ({baseline.source}) were followed for a period of another length."
        hint = f"Make it again with this {option('period')}, or say the one that it was made with."
        raise NotAvailable(message, hint)
