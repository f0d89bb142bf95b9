"""Where folds are kept: in memory, or in a folder that survives a crash and is read while it is written."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, UnreadableSource, UnwritableFile, UsageError, listing, refuse_address
from steelyard.experiments.training import Columns, Trained
from steelyard.files.lock import Lock
from steelyard.files.writing import read_saved, write_saved, write_whole
from steelyard.sources.column_files import ColumnFiles
from steelyard.wording import either

FORMAT = 2
MOST_BYTES = 64 << 20
"""Folds held in memory beyond this size move to a temporary folder, so that memory does not grow with their number."""


class Memory:
    """Folds of an experiment without a store; very many of them move to a temporary folder."""

    def __init__(self) -> None:
        self.folds: dict[str, Trained] = {}
        self.bytes: int = 0
        self.spilled: Folder | None = None

    def has(self, key: str) -> bool:
        """Whether this fold is done and did not fail."""
        found = self.get(key)
        return found is not None and not found.failed

    def get(self, key: str) -> Trained | None:
        """What remains of a fold; None where it is not done."""
        if self.spilled is not None and key not in self.folds:
            return self.spilled.get(key)
        return self.folds.get(key)

    def predictions(self, key: str) -> Columns:
        """What was predicted in a fold, by row."""
        if self.spilled is not None and key not in self.folds:
            return self.spilled.predictions(key)
        return self.folds[key].predictions

    def put(self, key: str, trained: Trained, facts: Mapping[str, Any]) -> None:
        """Keep a fold."""
        if self.spilled is not None:
            self.spilled.put(key, trained, facts)
            return
        self.folds[key] = trained
        # The table that was counted is about as large as the predictions that it was counted from.
        self.bytes += 3 * sum(column.nbytes for column in trained.predictions.values())
        if self.bytes > MOST_BYTES:
            place = tempfile.mkdtemp(prefix="steelyard-")
            # It goes when the experiment goes; nobody else knows of it, so nobody must be kept from writing there.
            weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
            self.spilled = Folder(place)
            self.spilled.close()
            for known, fold in self.folds.items():
                self.spilled.put(known, fold, facts)
            self.folds.clear()

    def close(self) -> None:
        """Let go of what reads a temporary folder; it is taken up again when it is needed."""
        if self.spilled is not None:
            self.spilled.close()


class Folder:
    """A store: one small file and one of predictions for each fold, each written whole or not at all."""

    def __init__(self, path: str | os.PathLike[str], *, writing: bool = True) -> None:
        refuse_address(path)
        self.path: Path = Path(path)
        self.lock: Lock | None = None
        self.files: ColumnFiles = ColumnFiles()
        mark = self.path / "store.json"
        if writing:
            self._prepare(mark)
        elif not mark.exists():
            message = f'"{self.path}" is no store of experiments: it holds no store.json.'
            raise UnreadableSource(
                message, f"""Name the folder that was given as {either('store="..."', "--store")}."""
            )
        check_format(mark)
        if writing:
            self.lock = Lock(self.path / "lock")

    def __getstate__(self) -> dict[str, Any]:
        """A copy reads the same folder, and does not hold the lock."""
        return self.__dict__ | {"lock": None}

    def _prepare(self, mark: Path) -> None:
        try:
            (self.path / "folds").mkdir(parents=True, exist_ok=True)
            (self.path / "experiments").mkdir(exist_ok=True)
        except OSError as problem:
            message = f'The store "{self.path}" cannot be made: {problem.strerror or problem}.'
            raise UnwritableFile(message, "Name a folder that can be written to.") from problem
        if not mark.exists():
            others = [p.name for p in self.path.iterdir() if p.name not in {"folds", "experiments", "lock"}]
            if others:
                (self.path / "folds").rmdir()
                (self.path / "experiments").rmdir()
                message = f'"{self.path}" is a folder with other things in it and no store.'
                raise UsageError(message, "Name a new folder, or an empty one.")
            write_whole(mark, json.dumps({"steelyard store": FORMAT}))

    def place(self, key: str, ending: str) -> Path:
        """The file of a fold; two letters of its key make folders that stay small."""
        return self.path / "folds" / key[:2] / f"{key}{ending}"

    def has(self, key: str) -> bool:
        """Whether this fold is done and did not fail."""
        found = self.get(key)
        return found is not None and not found.failed

    def get(self, key: str) -> Trained | None:
        """What remains of a fold; None where it is not done, or its file is not as it was written: it is done again."""
        found = self.read(key)
        if found is None:
            return None
        try:
            return Trained.from_dict(found)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None

    def read(self, key: str) -> dict[str, Any] | None:
        """A fold as plain values."""
        try:
            found: dict[str, Any] = read_saved(self.place(key, ".json"), "fold").believed()
        except UnreadableSource:
            return None
        return found

    def predictions(self, key: str) -> Columns:
        """What was predicted in a fold, by row."""
        path = self.place(key, ".parquet")
        if not path.exists():
            return {}
        if (self.read(key) or {}).get("predictions") != _digest(path):
            message = f'"{path}" was changed after it was written: it does not fit what its fold says of it.'
            raise UnreadableSource(message, "Remove it and the .json beside it, and run the experiment again.")
        return self.files.read(path)

    def put(self, key: str, trained: Trained, facts: Mapping[str, Any]) -> None:
        """Keep a fold: predictions first, then the file that says it is done."""
        place = self.place(key, ".json")
        with self._in_words():
            place.parent.mkdir(exist_ok=True)
        digest = None
        if trained.predictions:
            with self._in_words():
                self.files.write(self.place(key, ".parquet"), trained.predictions)
            digest = _digest(self.place(key, ".parquet"))
        with self._in_words():
            write_saved(place, {"steelyard fold": FORMAT, **facts, "predictions": digest, **trained.to_dict()})

    def keys(self) -> Iterator[str]:
        """The keys of all folds that are kept."""
        for place in sorted((self.path / "folds").glob("*/*.json")):
            if not place.name.startswith("."):
                yield place.stem

    def close(self) -> None:
        """Let others write."""
        if self.lock is not None:
            self.lock.release()
        self.files.close()

    # Experiments -----------------------------------------------------------------------------------------------------
    def write_plan(self, plan: Mapping[str, Any]) -> str:
        """Keep what an experiment is made of, before its first fold, so that others can read how far it is."""
        name = name_of(plan)
        # Written in the order in which things were given, so that they are told in it.
        with self._in_words():
            write_saved(self.path / "experiments" / f"{name}.json", plan)
        return name

    def plans(self) -> dict[str, dict[str, Any]]:
        """Every experiment of the store by its short name, the latest last."""
        found = sorted((self.path / "experiments").glob("[!.]*.json"), key=lambda p: (p.stat().st_mtime_ns, p.name))
        out = {}
        for place in found:
            try:
                out[place.stem] = read_saved(place, "experiment").believed()
            except UnreadableSource as problem:
                hint = "Remove it: its folds are kept, and running the experiment again writes it anew."
                raise UnreadableSource(problem.message, hint) from None
        return out

    # Writing ---------------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        """What the system says when it cannot write, as a sentence that knows what is safe."""
        try:
            yield
        except (OSError, UnwritableFile) as problem:
            cause = problem.__cause__ if isinstance(problem, UnwritableFile) else problem
            why = getattr(cause, "strerror", None) or cause or problem
            message = f'The store "{self.path}" cannot be written: {why}. The folds done so far are safe.'
            hint = "Make room (or name another store) and run it again: it goes on where it stopped."
            raise UnwritableFile(message, hint) from problem


Keeper = Memory | Folder


def _digest(path: Path) -> str:
    """What a file of predictions is known by."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def name_of(plan: Mapping[str, Any]) -> str:
    """The short name of an experiment: the same plan, the same name."""
    text = json.dumps(plan, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=5).hexdigest()


def named_in(name: str, known: Iterable[str], place: str) -> str:
    """The one experiment whose name begins so; none and several are refused, each in its own words."""
    names = list(known)
    found = [n for n in names if name and n.startswith(name)]
    if len(found) > 1:
        message = (
            f'{len(found)} experiments in "{place}" have a name that begins with {listing([name])}: {listing(found)}.'
        )
        raise UsageError(message, "Write one more letter or two of its name.")
    if not found:
        message = f'The store "{place}" holds no experiment {listing([name])}.'
        raise UsageError(message, f"There are {listing(names)}." if names else "It holds none.")
    return found[0]


def check_format(mark: Path) -> None:
    """Refuse a store that another version of steelyard wrote in another way."""
    try:
        found = json.loads(mark.read_text(encoding="utf-8")).get("steelyard store")
    except (OSError, ValueError, AttributeError) as problem:
        message = f'"{mark}" cannot be read as the mark of a store.'
        raise UnreadableSource(message, "Name another folder, or remove this one.") from problem
    if found != FORMAT:
        message = f'The store "{mark.parent}" has format {found}, and this version of steelyard reads format {FORMAT}.'
        raise InputError(message, "Use the version that wrote it, or name a new folder.")
