"""What is drawn where nobody says how: folds or hold-outs, stratified where every level has rows enough, and said where not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steelyard.designs.columns import missing
from steelyard.designs.design import many
from steelyard.errors import listing
from steelyard.experiments.data_set import kind_of
from steelyard.sources.in_memory import flat_array

if TYPE_CHECKING:
    from steelyard.designs.folds import KFold
    from steelyard.designs.holdout import RepeatedHoldout
    from steelyard.experiments.data_set import DataSet

FOLDS = 10
QUARTER = 0.25
LEAST_IN_QUARTERS = 8
"""A level with fewer rows has hardly two of them in a quarter."""


def may_stratify(target: npt.NDArray[Any], kind: str | None, least: int, parts: str = "") -> tuple[bool, str]:
    """Whether the target has levels with at least so many rows each; where a rare one forbids it, a sentence says which.

    Rows whose target is missing do not count.

    >>> may_stratify(np.array(["a", "a", "b", "b", None]), None, 2)
    (True, '')
    >>> may_stratify(np.array(["a", "a", "b"]), None, 2, "2 parts")
    (False, 'Not stratified: level "b" has 1 row, fewer than 2 parts.')
    """
    there = flat_array(target[~missing(target)])
    kind = {"labels": "levels"}.get(kind or "", kind) or kind_of(there)
    if kind != "levels" or not len(there):
        return False, ""
    levels, counts = np.unique(list(map(str, there)) if there.dtype.kind == "O" else there, return_counts=True)
    rarest = int(counts.argmin())
    if int(counts[rarest]) >= least:
        return True, ""
    has = f"level {listing([levels[rarest].item()])} has {many(int(counts[rarest]), 'row')}"
    return False, f"Not stratified: {has}, fewer than {parts or least}."


def usual_folds(tables: Mapping[str, DataSet]) -> tuple[KFold, list[str]]:
    """Ten folds, stratified where all data sets have levels with a row for each of them."""
    from steelyard.designs.folds import KFold

    found = {name: may_stratify(t.target, t.kind, FOLDS, f"{FOLDS} folds") for name, t in tables.items()}
    said = [f"{name}: {text}" if len(found) > 1 else text for name, (_, text) in found.items() if text]
    return KFold(FOLDS, stratify=bool(found) and all(may for may, _ in found.values())), said


def usual_holdouts(
    target: npt.NDArray[Any] | None,
    kind: str | None,
    repeats: int,
    seed: int,
    stratify: object = None,
    group: object = None,
) -> tuple[RepeatedHoldout, list[str]]:
    """Hold-outs of a quarter; unless somebody says, stratified where each level has eight rows and nothing is grouped."""
    from steelyard.designs.holdout import RepeatedHoldout

    said = ""
    if stratify is None:
        stratify = False
        if target is not None and group is None:
            stratify, said = may_stratify(target, kind, LEAST_IN_QUARTERS)
    design = RepeatedHoldout(test=QUARTER, repeats=repeats, stratify=stratify, group=group, seed=seed)
    return design, [said] if said else []
