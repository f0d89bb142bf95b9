"""A trial as it was declared with its model: its arms, the shares that were planned, and when it ends."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated, Literal

import msgspec

from steelyard.errors import SteelyardError
from steelyard.monitors.windows import one_instant
from steelyard.serve.problems import Problem

Arm = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class DeclaredTrial(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True, kw_only=True):
    """Two arms of the rows of a model, one of which is left alone; what happened is the label of the model."""

    control: Arm
    treated: Arm
    share: float = 0.5
    """The part of the units that was planned to be treated."""
    direction: Literal["lower", "higher"] = "lower"
    """Which way an outcome is to move."""
    ends: str | None = None
    """The day on which nobody is exposed any more."""


def check_trial(name: str, said: DeclaredTrial, zone: tzinfo) -> None:
    """Refuse a trial whose arms, share or end cannot be used."""
    if said.control == said.treated or not 0 < said.share < 1:
        detail = f"The trial {name} needs two arms with names of their own, and a share between 0 and 1."
        raise Problem(422, "declaration", detail)
    if said.ends is not None:
        try:
            one_instant(said.ends, zone, f"end of the trial {name}")
        except SteelyardError as problem:
            raise Problem(422, "declaration", str(problem.message), str(problem.hint)) from None
