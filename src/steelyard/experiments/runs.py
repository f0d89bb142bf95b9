"""The runs of a store: what there is, how far it has come, and what may go."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from steelyard.designs.design import many
from steelyard.errors import UsageError, listing
from steelyard.experiments.keeping import Folder, named_in
from steelyard.experiments.plan import cells_of

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Run:
    """One experiment of a store."""

    name: str
    when: str
    models: tuple[str, ...]
    data: tuple[str, ...]
    designs: tuple[str, ...]
    done: int
    failed: int
    total: int
    seconds: float

    @property
    def state(self) -> str:
        """How far it has come, in words."""
        if self.done == self.total:
            return "done"
        return f"{self.done:,} of {self.total:,}" + (f", {self.failed:,} failed" if self.failed else "")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        lists = {k: list(getattr(self, k)) for k in ("models", "data", "designs")}
        rest = {k: getattr(self, k) for k in ("name", "when", "done", "failed", "total", "seconds")}
        return rest | lists | {"state": self.state}


def runs(path: str | os.PathLike[str]) -> list[Run]:
    """Every experiment of a store, the latest last; it may be running meanwhile."""
    store = Folder(path, writing=False)
    known: dict[str, tuple[bool, float]] = {}
    out = []
    for name, plan in store.plans().items():
        cells = cells_of(plan)
        keys = [fold.key for cell in cells for fold in cell.folds]
        for key in keys:
            if key not in known:
                found = store.read(key)
                if found is not None:
                    known[key] = (not found["error"], float(found["seconds"].get("all", 0.0)))
        there = [known[key] for key in keys if key in known]
        stamp = (store.path / "experiments" / f"{name}.json").stat().st_mtime
        when = datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M UTC")
        names = tuple(dict.fromkeys(cell.model for cell in cells))
        designs = tuple(d["text"] for d in plan["designs"].values())
        done = sum(good for good, _ in there)
        seconds = sum(s for _, s in there)
        out.append(Run(name, when, names, tuple(plan["data"]), designs, done, len(there) - done, len(keys), seconds))
    return out


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was, or would be, taken out of a store."""

    experiments: tuple[str, ...]
    folds: int
    bytes: int

    def __str__(self) -> str:
        what = f"{many(len(self.experiments), 'experiment')} and " if self.experiments else ""
        return f"{what}{many(self.folds, 'fold')}, {self.bytes / 1e6:,.1f} MB"


def prune(
    path: str | os.PathLike[str], names: Iterable[str] = (), *, days: float | None = None, only_tell: bool = False
) -> Pruned:
    """Take out what no experiment needs: failed folds, folds of plans that are gone, halves left by a crash.

    `names` are experiments to forget (their short names or beginnings), `days` forgets those older than so many days.
    """
    if days is not None and not 0 <= days < math.inf:
        message = f"Experiments are forgotten that are older than so many days, and {listing([days])} came."
        raise UsageError(message, "Give a number of days, zero or more.")
    # A name that is mistyped must not become a store.
    Folder(path, writing=False)
    store = Folder(path)
    try:
        plans = store.plans()
        gone = {named_in(name, plans, os.fspath(path)) for name in ([names] if isinstance(names, str) else names)}
        places = {name: store.path / "experiments" / f"{name}.json" for name in plans}
        if days is not None:
            gone |= {n for n, place in places.items() if time.time() - place.stat().st_mtime > days * DAY}
        needed = {f.key for n, p in plans.items() if n not in gone for c in cells_of(p) for f in c.folds}
        folds, files = 0, [places[name] for name in sorted(gone)]
        for key in list(store.keys()):
            found = store.read(key)
            if key in needed and found is not None and not found["error"]:
                continue
            folds += 1
            files += [store.place(key, ".json"), store.place(key, ".parquet")]
        # What was being written when a process died; nobody writes now, since this one holds the lock.
        files += [p for p in store.path.rglob(".*") if p.is_file()]
        # Predictions of folds that never came to their end.
        files += [p for p in (store.path / "folds").glob("*/*.parquet") if not p.with_suffix(".json").exists()]
        files = [f for f in dict.fromkeys(files) if f.exists()]
        size = sum(f.stat().st_size for f in files)
        if not only_tell:
            for file in files:
                file.unlink(missing_ok=True)
        return Pruned(tuple(sorted(gone)), folds, size)
    finally:
        store.close()
