"""Groups drawn for a trial: who is left alone and who is treated, at random, by bands of the score, or the highest scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from steelyard.arguments.allowed import Span, Words, shown, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.arguments.sizes import beyond
from steelyard.errors import NotNumeric, UsageError
from steelyard.files.as_csv import as_csv
from steelyard.files.writing import write_whole
from steelyard.results import Estimate, make_frame
from steelyard.sources.in_memory import as_table, column_names, column_of
from steelyard.tables.tabulation import Cell, Tabulation
from steelyard.views.told import Told
from steelyard.wording import option

WAYS = Words("random", "stratified", "highest")
SEEDS = Span(0, 2**32 - 1, whole=True)
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DrawnGroups(Told):
    """The rows of both groups with a column that names the group; the same seed draws the same rows."""

    as_text: ClassVar[str] = "tabulations.tabulated_text"

    columns: dict[str, list[Any]] = field(repr=False)
    group: str
    how: str
    seed: int
    score: str = ""
    of: int = 0

    def table(self) -> Tabulation:
        """How many rows each group has, of how many, and its mean score where there is one."""
        which = np.asarray(self.columns[self.group])
        names = ["control", "treated"]
        cells: dict[str, Sequence[Cell]] = {self.group: names, "rows": [int((which == n).sum()) for n in names]}
        if self.score:
            cells["mean_score"] = [_mean(self.columns[self.score], which == n) for n in names]
        note = f"Drawn from {self.of:,} rows, {TOLD[self.how]}; seed {self.seed}."
        if self.how == "highest":
            note += ' The groups are not alike: tell sy.trial so, with selection="highest scores".'
        return Tabulation("groups", "Groups for a trial", cells, note)

    def frame(self) -> Any:
        """The rows of both groups as a frame."""
        return make_frame(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """The sizes, and how they were drawn, as plain JSON values."""
        return {**self.table().to_dict(), "how": self.how, "seed": self.seed}

    def csv(self) -> str:
        """The rows as CSV."""
        return as_csv(self.columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a CSV file, whole or not at all."""
        write_whole(path, self.csv())


TOLD = {
    "random": "at random",
    "stratified": "at random within bands of the score, so that both groups have the same scores",
    "highest": "the treated being the highest scores and the control a random draw of all",
}


def _mean(values: Sequence[Any], which: npt.NDArray[np.bool_]) -> Estimate | None:
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)[which]
    if not len(x):
        return None
    half = float(stdtrit(len(x) - 1, 0.975)) * float(x.std(ddof=1)) / len(x) ** 0.5 if len(x) > 1 else None
    mean = float(x.mean())
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return Estimate("mean_score", mean, low, high, method="Student's t", n=float(len(x)))


@as_annotated()
def draw_groups(
    data: Any,
    *,
    control: float,
    treated: float,
    score: str | None = None,
    how: str = "random",
    bands: Annotated[int, Span(1, 1000, whole=True)] = 10,
    seed: Annotated[int, SEEDS] = 0,
    group: str = "group",
) -> DrawnGroups:
    """Draw a control group and a group to be treated from a table of customers, one row each.

    `control` and `treated` are numbers of rows, or shares below 1. `how="random"` draws both at random, "stratified" draws the same
    shares of every band of the `score`, and "highest" treats the highest scores and leaves alone a random draw of all, as is often
    done: such groups differ before anybody acts.

    >>> d = draw_groups({"id": list(range(100)), "p": [i / 100 for i in range(100)]}, control=10, treated=20, score="p",
    ...                 how="stratified", seed=1)
    >>> print(d)
    Groups for a trial
      group    rows  mean score
      control    10  0.49 [0.27, 0.71]
      treated    20  0.50 [0.37, 0.64]
      Drawn from 100 rows, at random within bands of the score, so that both groups
      have the same scores; seed 1.
    """
    taken("How groups are drawn", how, WAYS, f"For example {option('how', 'stratified')}.")
    table = as_table(data)
    names = column_names(table)
    if group in names:
        message = f'The table has a column "{group}" already.'
        raise UsageError(message, f"Call the new one otherwise: {option('group', 'arm')}.")
    columns = {name: column_of(table, name) for name in names}
    if not columns:
        message = f"Groups are drawn from a table with named columns, and {shown(data)} came."
        raise UsageError(message, "Pass a frame, a path or a mapping of columns.")
    n = len(next(iter(columns.values())))
    sizes = [_size(word, x, n) for word, x in (("control", control), ("treated", treated))]
    if sum(sizes) > n:
        message = f"{sizes[0]:,} and {sizes[1]:,} rows were asked for, and there are {n:,}."
        raise UsageError(message, "Ask for fewer.")
    scores = None if score is None else _scores(column_of(table, score), score)
    if scores is None and how != "random":
        message = f"{option('how', how)} goes by a score, and none was named."
        raise UsageError(message, f"Name its column: {option('score', ...)}")
    rng = np.random.default_rng(seed)
    one, two = _drawn(n, sizes, scores, how, bands, rng)
    places = np.concatenate([one, two])
    kept = {name: values[places].tolist() for name, values in columns.items()}
    kept[group] = ["control"] * len(one) + ["treated"] * len(two)
    return DrawnGroups(kept, group, how, seed, score or "", n)


def _size(word: str, given: float, n: int) -> int:
    rows = round(given * n) if 0 < given < 1 else given
    hint = "Give a number of rows, or a share below 1."
    return int(taken(f"The size of the {word} group", rows, Span(1, max(n, 1), whole=True), hint))


def _scores(values: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    if values.dtype.kind not in "iufb" or not np.isfinite(x := values.astype(np.float64)).all():
        message = f'The score "{name}" must be a number in every row.'
        raise NotNumeric(message, "Leave out rows without one.")
    if why := beyond(float(np.abs(x).max(initial=0.0))):
        message = f'The score "{name}" is {np.abs(x).max():g} at most, which is {why}.'
        raise NotNumeric(message, "Express it in another unit.")
    return x


def _drawn(
    n: int,
    sizes: Sequence[int],
    scores: npt.NDArray[np.float64] | None,
    how: str,
    bands: int,
    rng: np.random.Generator,
) -> tuple[Places, Places]:
    """The places of both groups, in the order of the table."""
    order = rng.permutation(n)
    if how == "stratified" and scores is not None:
        # Sorted by score, shuffled within a band, and dealt out by turns that keep the shares in every band.
        ranked = order[np.argsort(scores[order], kind="stable")]
        dealt = np.concatenate([rng.permutation(part) for part in np.array_split(ranked, min(bands, n))])
        every = np.floor(np.arange(n) * sum(sizes) / n).astype(np.int64)
        taken_rows = dealt[np.r_[True, np.diff(every) > 0]] if sum(sizes) < n else dealt
        taken_rows = taken_rows[: sum(sizes)]
        turn = np.floor(np.arange(len(taken_rows)) * sizes[0] / sum(sizes)).astype(np.int64)
        mine = np.r_[True, np.diff(turn) > 0]
        return np.sort(taken_rows[mine][: sizes[0]]), np.sort(taken_rows[~mine])
    one = order[: sizes[0]]
    rest = order[sizes[0] :]
    if how == "highest" and scores is not None:
        rest = rest[np.argsort(-scores[rest], kind="stable")]
    return np.sort(one), np.sort(rest[: sizes[1]])
