"""A model as it was declared: which columns play which part, what is watched and how, and how long its rows stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from steelyard.errors import SteelyardError, UsageError
from steelyard.files.as_toml import read_toml
from steelyard.monitors.alarms import MOST_IN_A_ROW
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.labels import horizon_of
from steelyard.monitors.windows import WindowSpan, span_of, zone_of
from steelyard.serve.declared_trial import DeclaredTrial, check_trial
from steelyard.serve.problems import Problem

Kind = Literal["number", "whole", "text", "flag"]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What models and versions are called, so that they may stand in an address."""
PARTS = ("target", "score", "prediction", "weight", "unit", "segment")


class Declaration(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True, kw_only=True):
    """What is said of a model. With a baseline the columns, the window and the zone are those of the baseline."""

    id: str = "id"
    """The column that tells predictions apart."""
    time: str = "time"
    """When each row was predicted."""
    label_time: str | None = None
    """When its label became known; where none is named, when it came here."""
    champion: str = "1"
    """The version that is meant where none is named."""
    target: str | None = None
    score: str | dict[str, str] | None = None
    prediction: str | None = None
    positive: str | int | bool | None = None
    weight: str | None = None
    unit: str | None = None
    segment: str | None = None
    """Groups that are watched apart, such as a region."""
    kinds: dict[str, Kind] = {}
    """What columns hold, where no baseline tells: number, whole, text or flag."""
    features: list[str] | None = None
    window: str = "day"
    zone: str = "UTC"
    horizon: str | None = None
    measures: list[str] | None = None
    margin: float = 0.05
    budget: str | None = None
    for_: int = msgspec.field(name="for", default=2)
    mode: Literal["windows", "sequential"] = "windows"
    confidence: float = 0.95
    keep: str | None = "30 days"
    """How long rows stay once the labels of their window are in; null keeps them."""
    keep_labels: str = "90 days"
    """How long a label waits for its prediction."""
    owner: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """Who is asked about it."""
    group: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """What it is shown together with."""
    lateness: str = "1 day"
    """How long after its end a window may still change without that being a revision."""
    payoff: dict[Literal["tp", "fn", "fp", "tn"], float] | None = None
    """What outcomes are worth, so that it is told what the model earned."""
    trials: dict[str, DeclaredTrial] = {}
    """Trials on its rows, by their names."""


def declaration_of(given: object) -> Declaration:
    """What was said of a model, checked; a wrong name or kind is refused in a sentence."""
    try:
        found = msgspec.convert(given, Declaration, strict=True)
    except msgspec.ValidationError as problem:
        raise Problem(422, "declaration", f"The declaration cannot be used: {problem}.") from None
    try:
        span_of(found.window), zone_of(found.zone), horizon_of(found.horizon)
        for name in ("keep", "keep_labels", "lateness"):
            length_of(getattr(found, name), name)
    except SteelyardError as problem:
        raise Problem(422, "declaration", str(problem.message), str(problem.hint)) from None
    for name, trial in found.trials.items():
        check_name(name, "trial")
        check_trial(name, trial, zone_of(found.zone))
    if isinstance(span_of(found.window), int):
        raise Problem(
            422, "declaration", "Windows of so many rows depend on all rows before them.", 'Say "day", for example.'
        )
    if not 0 < found.confidence < 1 or not 0 <= found.margin < 1 or not 1 <= found.for_ <= MOST_IN_A_ROW:
        raise Problem(
            422,
            "declaration",
            "The confidence lies between 0 and 1, the margin from 0 to below 1, for from 1 to 10,000.",
        )
    parts = [found.id, found.time, *filter(None, [found.label_time, found.target, found.weight, found.unit])]
    parts += [*_scores(found.score), *filter(None, [found.prediction, found.segment]), *(found.features or ())]
    if len(set(parts)) < len(parts) or not all(parts):
        raise Problem(
            422, "declaration", "Each column plays one part, and has a name.", "Look for a name that is there twice."
        )
    return found


def length_of(text: str | None, name: str = "") -> timedelta | None:
    """A length of time as people write it."""
    try:
        return None if text is None else horizon_of(text)
    except SteelyardError:
        detail = f"{name} is a length of time, and {text[:100]!r} came." if text else f"{name} is empty."
        raise Problem(422, "declaration", detail, 'Say "30 days", for example.') from None


def _scores(score: str | Mapping[str, str] | None) -> list[str]:
    return [] if score is None else [score] if isinstance(score, str) else list(score.values())


@dataclass(frozen=True)
class DeclaredModel:
    """A model with its baseline, if it has one yet."""

    name: str
    said: Declaration
    baseline: Baseline | None = None

    @cached_property
    def asked(self) -> Mapping[str, Any]:
        """Which columns play which part, and what a window is."""
        if self.baseline is not None:
            return self.baseline.asked
        return {name: getattr(self.said, name) for name in (*PARTS, "window", "zone")}

    @property
    def zone(self) -> tzinfo:
        """The zone of its windows."""
        return zone_of(self.asked["zone"])

    @property
    def span(self) -> WindowSpan:
        """What a window is."""
        return span_of(self.asked["window"])

    @property
    def target(self) -> str | None:
        """The column of what really happened."""
        found: str | None = self.asked["target"]
        return found

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that are watched beside."""
        known = None if self.baseline is None else tuple(self.baseline.features)
        said = None if self.said.features is None else tuple(self.said.features)
        return (said or ()) if known is None else known

    @cached_property
    def columns(self) -> dict[str, Kind]:
        """Every column of a prediction but its identifier and its time, and what it holds."""
        out: dict[str, Kind] = {}
        e = None if self.baseline is None else self.baseline.evaluation
        for name in _scores(self.asked["score"]):
            out[name] = "number"
        if (said := self.asked["prediction"]) is not None:
            out[said] = self._outcome
        for role, usual in (("weight", "number"), ("unit", "text")):
            if (column := self.asked[role]) is not None:
                out[column] = self.said.kinds.get(column, usual)  # type: ignore[arg-type]
        if (column := self.asked.get("segment")) is not None:
            known = () if e is None else tuple(e.segments.levels)
            out[column] = _kind_of(known) if known else self.said.kinds.get(column, "text")
        for name in self.features:
            bins = None if self.baseline is None else self.baseline.features[name]
            if bins is None:
                out[name] = self.said.kinds.get(name, "number")
            else:
                out[name] = "number" if bins.kind == "numbers" else _kind_of((*bins.levels, *bins.pooled))
        if e is None and self.baseline is not None and said is not None:
            bins = self.baseline.outputs[said]
            out[said] = "number" if bins.kind == "numbers" else _kind_of((*bins.levels, *bins.pooled))
        return out

    @property
    def _outcome(self) -> Kind:
        """What the target holds."""
        e = None if self.baseline is None else self.baseline.evaluation
        if e is None:
            return self.said.kinds.get(str(self.target), "whole")
        return "number" if e.residuals is not None else _kind_of(tuple(e.levels))

    @cached_property
    def labels(self) -> dict[str, Kind]:
        """The column of a label."""
        return {} if self.target is None else {self.target: self._outcome}

    @cached_property
    def levels(self) -> frozenset[Any] | None:
        """What the target may hold, where that is known."""
        e = None if self.baseline is None else self.baseline.evaluation
        return None if e is None or e.residuals is not None else frozenset(e.levels)

    @cached_property
    def chances(self) -> frozenset[str]:
        """Scores that are chances, from 0 to 1."""
        e = None if self.baseline is None else self.baseline.evaluation
        score = self.asked["score"]
        if isinstance(score, Mapping):
            return frozenset(score.values())
        sure = e is not None and e.scores is not None and e.scores.probabilities
        return frozenset([score]) if sure and score is not None else frozenset()

    def trial(self, name: str) -> DeclaredTrial:
        """One of its trials."""
        if name not in self.said.trials:
            known = ", ".join(sorted(self.said.trials)[:20])
            hint = f"There are {known}." if known else "Declare it with the model, under trials."
            raise Problem(404, "no_trial", f'The model "{self.name}" has no trial "{name[:100]}".', hint)
        if self.target is None:
            raise Problem(
                409, "no_target", f'The model "{self.name}" was declared without a target, so that it has no trials.'
            )
        return self.said.trials[name]

    def judged_by(self) -> dict[str, Any]:
        """What `sy.monitor` is told beside the windows and their baseline."""
        s = self.said
        how: dict[str, Any] = {
            "measures": s.measures,
            "margin": s.margin,
            "horizon": s.horizon,
            "for_": s.for_,
            "mode": s.mode,
        }
        budget = None if s.mode == "sequential" else s.budget
        return how | {"confidence": s.confidence, "budget": budget, "features": s.features}

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = None if self.baseline is None else {"hash": self.baseline.hash, "rows": self.baseline.rows}
        said = msgspec.to_builtins(self.said)
        return {"model": self.name, "declared": said, "baseline": told, "columns": self.columns, "labels": self.labels}


def _kind_of(levels: tuple[Any, ...]) -> Kind:
    held = [v for v in levels if v is not None]
    if held and all(isinstance(v, bool) for v in held):
        return "flag"
    if held and all(isinstance(v, int) for v in held):
        return "whole"
    return "number" if held and all(isinstance(v, int | float) and not isinstance(v, bool) for v in held) else "text"


def check_name(name: str, what: str = "model") -> str:
    """A name that may stand in an address."""
    if not NAME.fullmatch(name):
        signs = "letters from a to z, digits, dots, hyphens and underscores, the first a letter or a digit"
        detail = f"A {what} is called by up to 100 {signs}."
        raise Problem(422, "name", detail, f"Choose another name for this {what}.")
    return name


def is_short(span: WindowSpan) -> bool:
    """Whether windows are shorter than an hour."""
    return isinstance(span, timedelta) and span < timedelta(hours=1)


def check_model(model: DeclaredModel) -> None:
    """Refuse a model one of whose columns plays two parts, or whose windows cannot be told apart by their names."""
    span = model.span
    if isinstance(span, timedelta) and span % timedelta(minutes=1):
        detail = f"Windows are called by their minute, and {model.asked['window']} is no number of whole minutes."
        raise Problem(422, "declaration", detail, 'Say "10 minutes", for example.')
    taken = {model.said.id, model.said.time, *filter(None, [model.said.label_time]), *model.labels}
    both = sorted(taken & set(model.columns))
    if both:
        raise Problem(
            422,
            "declaration",
            f'The column "{both[0]}" plays two parts.',
            "Say which is the identifier, and which the time.",
        )


def refuse_other_rows(old: DeclaredModel, new: DeclaredModel) -> None:
    """Rows that wait were taken by what was said before: their columns, their windows and who they are about stay."""
    same = ("id", "time", "label_time")
    held = all(getattr(old.said, name) == getattr(new.said, name) for name in same)
    cut = (str(old.asked["window"]), str(old.asked["zone"])) == (str(new.asked["window"]), str(new.asked["zone"]))
    if not (held and cut and old.columns == new.columns and old.labels == new.labels):
        raise Problem(
            409,
            "declared",
            "Rows of this model came with other columns, times or windows.",
            "Declare it under a new name.",
        )


# From files -----------------------------------------------------------------------------------------------------------


def declared_in(path: Path) -> dict[str, tuple[Declaration, Baseline | None]]:
    """The models that a TOML file declares, each under [models.NAME], with the baseline in the file that it names.

    `baseline` is the path of a saved baseline, `reference` that of a table of rows to make one from.
    """
    found = read_toml(path, "Name a file in which models are declared, each under [models.NAME].")
    models = found.get("models")
    if (
        set(found) != {"models"}
        or not isinstance(models, dict)
        or not all(isinstance(m, dict) for m in models.values())
    ):
        message = f'"{path}" declares no models.'
        raise UsageError(message, "Declare each under [models.NAME].")
    out = {}
    for name, said in models.items():
        try:
            check_name(name)
            held = dict(said)
            baseline, reference = held.pop("baseline", None), held.pop("reference", None)
            declared = declaration_of(held)
        except Problem as problem:
            message = f'"{path}", model "{name}": {problem.detail}'
            raise UsageError(message, problem.hint) from None
        kept = None
        if baseline is not None:
            kept = Baseline.load(path.parent / str(baseline))
        elif reference is not None:
            kept = baseline_from(path.parent / str(reference), declared)
        out[name] = (declared, kept)
    return out


def baseline_from(rows: object, said: Declaration) -> Baseline:
    """A baseline made from rows, by the parts that were declared."""
    from steelyard.monitors.monitor import monitor

    parts: dict[str, Any] = {name: getattr(said, name) for name in (*PARTS, "positive")}
    late = said.label_time if said.target is not None else None
    cut: dict[str, Any] = {"window": said.window, "zone": said.zone, "label_time": late, "features": said.features}
    data = str(rows) if isinstance(rows, Path) else rows
    return monitor(data, time=said.time, reference=data, **parts, **cut, missing="drop").baseline


def baseline_in(body: bytes | str) -> Baseline:
    """A baseline as it was saved."""
    try:
        data = json.loads(body)
        data.pop("seal", None)
        return Baseline.from_dict(data)
    except SteelyardError as problem:
        raise Problem(422, "baseline", str(problem.message), str(problem.hint)) from None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, IndexError):
        raise Problem(
            422, "baseline", "This is no saved baseline.", "Send the file that the save of a baseline wrote."
        ) from None
