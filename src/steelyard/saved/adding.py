"""Adding what was saved, one file at a time: days make a month, and no row is read again."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from steelyard.early_warning.timeliness import Timeliness
from steelyard.errors import CannotAdd, UnreadableSource, UsageError, listing
from steelyard.evaluation import Evaluation
from steelyard.rows.roles import columns_of
from steelyard.saved.load import evaluation_of, is_timeliness, opened_saved, timeliness_of
from steelyard.summaries.alike import NEGLIGIBLE, coincidence, fingerprint
from steelyard.wording import option

Addable = TypeVar("Addable", Evaluation, Timeliness)
ALIKE = "Evaluate every part in the same way."
DISJOINT = "Each customer must be in one of the files only: one who is in two of them counts as two."


@dataclass(frozen=True, slots=True)
class Sum:
    """What saved results add up to, from how many files, and what a reader should know about it."""

    result: Any
    files: int
    notes: list[str] = field(default_factory=list)


def named_files(patterns: Iterable[str]) -> list[str]:
    """The files that paths and globs name, in this order; those of a glob by name."""
    out: list[str] = []
    for text in patterns:
        if text == "-":
            message = "Saved evaluations are not read from standard input."
            raise UsageError(message, "Name their files, or a glob in quotation marks.")
        if os.path.isdir(text):
            message = f'"{text}" is a directory.'
            raise UnreadableSource(message, f'Name its files with a glob, such as "{os.path.join(text, "*.json")}".')
        found = [text]
        if not os.path.exists(text) and glob.has_magic(text):
            found = sorted(f for f in glob.glob(text, recursive=True) if os.path.isfile(f))
            if not found:
                message = f'No file matches "{text}".'
                raise UnreadableSource(message, "Check the pattern.")
        out += found
    return out


def add_saved(
    files: Sequence[str], *, twice: bool = False, renamed: bool = False, told: Callable[[int], None] | None = None
) -> Sum:
    """The sum of saved evaluations, or of saved timeliness, read one after the other and never held all at once.

    Sums of as many files each are joined first, so that ten thousand days are no more work a day than ten.
    """
    waiting: list[tuple[int, Any]] = []
    seen: dict[bytes, str] = {}
    first: dict[str, Any] = {}
    columns: Mapping[str, str] | None = None
    confidences: dict[float, None] = {}
    for i, path in enumerate(files):
        part = _read(path, seen, len(files), twice=twice)
        about = _about(part)
        first = first or about
        _check_alike(files[0], first, path, about)
        if isinstance(part, Evaluation):
            columns = (part.facts.get("roles") or {}) if columns is None else columns
            part = part.renamed(**columns) if renamed else part
            _check_columns(files[0], columns, path, part.facts)
        confidences[part.confidence] = None
        size = 1
        while waiting and waiting[-1][0] == size:
            part = _joined(waiting.pop()[1], part, files[0], path)
            size *= 2
        waiting.append((size, part))
        if told is not None:
            told(i + 1)
    total = waiting.pop()[1]
    while waiting:
        total = _joined(waiting.pop()[1], total, files[0], files[-1])
    notes = []
    if len(confidences) > 1:
        told_at = next(iter(confidences))
        notes.append(f"The confidence differs from file to file; intervals are those of the first, {told_at:g}.")
    if isinstance(total, Timeliness) and len(files) > 1:
        notes.append(DISJOINT)
    total = replace(total, confidence=next(iter(confidences)))
    return Sum(_named(total, files) if isinstance(total, Evaluation) else total, len(files), notes)


def _joined(a: Addable, b: Addable, first: str, path: str) -> Addable:
    try:
        # Files that hold the same rows were found before; two sums of files are alike by chance alone.
        return a.plus(b, twice=True)
    except CannotAdd as problem:
        message = f'"{path}" cannot be added to "{first}". {problem.message.marked}'
        raise CannotAdd(message, problem.hint) from None


def _read(path: str, seen: dict[bytes, str], files: int, *, twice: bool) -> Any:
    saved = opened_saved(path)
    if not twice:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
        other = seen.get(digest)
        if other is not None:
            same = os.path.realpath(other) == os.path.realpath(path)
            what = "is named twice" if same else f'holds exactly what "{other}" holds'
            message = f'"{path}" {what}, so its rows would be counted twice.'
            raise UsageError(message, f"Leave one of them out; if both are meant, say {option('twice', True)}.")
        seen[digest] = path
    part = timeliness_of(saved) if is_timeliness(saved) else evaluation_of(saved)
    if not twice and isinstance(part, Evaluation) and coincidence(part.evidence) < NEGLIGIBLE / files:
        mark = fingerprint(part.evidence)
        other = seen.setdefault(mark, path)
        if other != path:
            message = (
                f'"{path}" holds exactly the same {part.rows:,} rows as "{other}", and they would be counted twice.'
            )
            raise UsageError(message, f"Leave one of them out; if both are meant, say {option('twice', True)}.")
    return part


def _named(evaluation: Evaluation, files: Sequence[str]) -> Evaluation:
    """Told as the sum of its files."""
    if len(files) == 1:
        return evaluation
    source = f"{len(files):,} saved evaluations, {files[0]} to {files[-1]}"
    parts = evaluation.segments.changed(lambda p: replace(p, facts={**p.facts, "source": source}))
    return replace(evaluation, facts={**evaluation.facts, "source": source}, segments=parts)


# What must be alike --------------------------------------------------------------------------------------------------


def _about(part: Evaluation | Timeliness) -> dict[str, Any]:
    """What two parts must have in common, by the words for it."""
    if isinstance(part, Timeliness):
        w = part.summary.weighing
        return {
            "what": "the timeliness of warnings",
            "the horizon": w.horizon,
            "the kernel": w.kernel,
            "the period ends": w.ends,
            "the score before the first event": part.before,
            "values of customers": "some" if part.summary.valued else "none",
        }
    some: Any = next(iter(part.evidence.values()))
    tables = [part.scores] if part.scores is not None else list(part.class_scores.tables if part.class_scores else ())
    return {
        "what": "an evaluation of " + " and ".join(s.word for _, s in sorted(part.evidence.items()) if s.word),
        "the positive level": () if part.positive is None else (part.positive,),
        "the threshold": "none" if part.threshold is None else part.threshold,
        "the threshold at which cells of scores are split": tables[0].cells.cuts if tables else (),
        "the kind of weights": "sampling" if some.weighting == "sampling" else "none or frequency",
        "units": "none" if some.units is None else "some",
        "per-row amounts": _amounts(part),
        "the worth of outcomes": "unknown" if part.payoff is None else str(part.payoff),
        "the way to decide": part.facts.get("decided", "the score"),
        "rows kept apart to choose thresholds on": "none" if part.validation is None else "some",
        "levels": part.levels,
    }


def _amounts(evaluation: Evaluation) -> tuple[str, ...]:
    if evaluation.scores is not None:
        return evaluation.scores.amounts
    kept = None if evaluation.confusion is None else evaluation.confusion.amounts
    return () if kept is None else kept.names


def _check_alike(first: str, wanted: dict[str, Any], path: str, found: dict[str, Any]) -> None:
    if found["what"] != wanted["what"]:
        message = f'"{path}" cannot be added to "{first}": it is {found["what"]}, the other {wanted["what"]}.'
        raise CannotAdd(message, ALIKE)
    for name, value in wanted.items():
        if name == "levels":
            _check_levels(first, value, path, found[name], one_score="scores" in wanted["what"])
        elif found[name] != value:
            differ = f"{name} ({_shown(found[name])} and {_shown(value)})"
            message = f'"{path}" cannot be added to "{first}": they differ in {differ}.'
            raise CannotAdd(message, ALIKE)


def _check_columns(first: str, wanted: Mapping[str, str], path: str, facts: Mapping[str, Any]) -> None:
    """Two models of the same rows are no two parts of one evaluation."""
    mine, theirs = columns_of({"roles": wanted}), columns_of(facts)
    for role, name in mine.items():
        if theirs.get(role, name) != name:
            message = (
                f'"{path}" cannot be added to "{first}": the {role} is "{theirs[role]}" in one, "{name}" in the other.'
            )
            hint = f"Different models or targets do not add; if it is one column under another name, say {option('renamed', True)}."
            raise CannotAdd(message, hint)


def _shown(value: object) -> str:
    return (listing(value) or "none") if isinstance(value, tuple) else str(value)


def _check_levels(first: str, wanted: tuple[Any, ...], path: str, found: tuple[Any, ...], *, one_score: bool) -> None:
    """A level that some day lacks is no matter; levels of another target are."""
    if set(found) == set(wanted):
        return
    apart = not set(found) & set(wanted) or {isinstance(v, str) for v in wanted} != {isinstance(v, str) for v in found}
    if apart or (one_score and len({*found, *wanted}) > 2):
        message = f'"{path}" cannot be added to "{first}": levels are {listing(found)} in one, {listing(wanted)} in the other.'
        raise CannotAdd(message, "Add evaluations of the same target, with its levels written in the same way.")
