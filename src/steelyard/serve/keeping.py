"""Copies of a store: made while it is served, looked at as a whole, and put in the place of one that was lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError, UnreadableSource, UnwritableFile, UsageError, listing, refuse_address
from steelyard.files.addresses import without_secrets
from steelyard.files.lock import Lock
from steelyard.serve import statements as sql
from steelyard.serve.migrating import check_form, copied_to, form_of
from steelyard.serve.soundness import broken_parts, broken_tables, broken_windows
from steelyard.serve.store import UNREADABLE, Session, sqlite_session
from steelyard.wording import option

BESIDE = ("-wal", "-shm", "-journal", ".lock")
"""Files that belong to a store."""


@dataclass(frozen=True)
class Copy:
    """What a copy of a store holds."""

    path: Path
    bytes: int
    models: int
    windows: int
    rows: int
    labels: int

    @property
    def text(self) -> str:
        """In a sentence."""
        held = f"Models: {self.models:,}; windows: {self.windows:,}; rows that wait: {self.rows:,}"
        return f"{held}; labels: {self.labels:,} ({self.bytes / 1e6:.1f} MB)"

    def to_dict(self) -> dict[str, object]:
        """As plain JSON values."""
        return {**vars(self), "path": str(self.path)}


def looked_at(path: Path) -> Copy:
    """Look at every page, row and body of a store that nobody serves; one that is not whole is refused."""
    if not path.is_file():
        message = f'There is no file "{_told(path)}".'
        raise UnreadableSource(message, "Name a copy that a backup wrote.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as raw:
            session = sqlite_session(raw)
            wrong = _wrong(session)
            numbers = [] if wrong else [int(session.all(text)[0][0]) for text in sql.HELD]
    except UNREADABLE as problem:
        wrong = [str(problem)]
    if wrong:
        message = f'"{_told(path)}" is not whole: {listing(wrong[:3])}.'
        raise UnreadableSource(message, "Take an earlier copy.")
    return Copy(path, path.stat().st_size, *numbers)


def _wrong(session: Session) -> list[str]:
    found = session.all(sql.QUICK_CHECK)
    if found != [("ok",)]:
        return [str(row[0]) for row in found]
    if session.one(sql.IS_THERE) is None:
        return ["it holds no tables of a service"]
    form = form_of(session)
    check_form(form)
    if form != sql.LEVEL:
        return [f"it has form {form}; serve it once, and it is brought to form {sql.LEVEL}"]
    lost, unnamed = broken_parts(session)
    windows = broken_windows(session)
    said = list(broken_tables(session))
    said += [f"the bytes of {len(lost):,} parts are not those that were written"] if lost else []
    said += [f"the identifiers of {len(unnamed):,} parts are not those that were written"] if unnamed else []
    said += [f"{len(windows):,} windows are not as they were counted"] if windows else []
    return said


def backed_up(store: Path, to: Path, *, force: bool = False) -> Copy:
    """Copy a store as of one moment, whether it is served or not; the copy appears whole, and was looked at."""
    if not store.is_file():
        message = f'There is no store "{_told(store)}".'
        raise UnreadableSource(message, "Name the file that the service was started with.")
    _refuse_no_name(to)
    if to.exists() and (not force or to.samefile(store)):
        message = f'"{_told(to)}" is there already.'
        raise UsageError(message, f"Name another file, or say {option('force', True)}.")
    _refuse_beside(to, store)
    part = _part_of(to, store)
    try:
        part.unlink(missing_ok=True)
        copied_to(store, part)
        found = looked_at(part)
        _put(part, to)
    except (OSError, sqlite3.Error) as problem:
        message = f'"{_told(to)}" cannot be written: {getattr(problem, "strerror", None) or problem}.'
        raise UnwritableFile(message, "Check the place and the room left on it.") from None
    finally:
        part.unlink(missing_ok=True)
    return Copy(to, *list(vars(found).values())[1:])


def restored(copy: Path, store: Path, *, force: bool = False) -> tuple[Copy, Path | None]:
    """Put a copy in the place of a store, once it was looked at; what stood there is kept beside it, and named."""
    _refuse_no_name(store)
    looked_at(copy)
    if store.exists() and store.samefile(copy):
        raise UsageError("A copy cannot be put in its own place.", "Name the store that is to be replaced.")
    if store.exists() and not force:
        message = f'"{_told(store)}" is there already.'
        raise UsageError(
            message, f"Say {option('force', True)} to have the copy in its place: what is there is kept beside it."
        )
    _refuse_beside(store, copy)
    part = _part_of(store, copy)
    with Lock(store.with_name(store.name + ".lock"), "store", "service", store):
        try:
            part.unlink(missing_ok=True)
            copied_to(copy, part)
            found = looked_at(part)
            kept = _kept(store)
            _put(part, store)
        except (OSError, sqlite3.Error) as problem:
            message = f'"{_told(store)}" cannot be written: {getattr(problem, "strerror", None) or problem}.'
            raise UnwritableFile(message, "Check the place and the room left on it.") from None
        finally:
            part.unlink(missing_ok=True)
    return Copy(store, *list(vars(found).values())[1:]), kept


def _part_of(place: Path, source: Path) -> Path:
    """Where what goes to a place is made first: a name that nobody gives, and never that of the source."""
    part = place.with_name(f".{place.name}.part")
    if part.exists() and part.samefile(source):
        message = f'"{_told(source)}" has the name under which "{_told(place)}" would be made first.'
        raise UsageError(message, "Give it another name before.")
    return part


def _refuse_no_name(place: Path) -> None:
    """Refuse what cannot be the name of a file."""
    refuse_address(place)
    if not place.name or place.is_dir():
        message = f'"{_told(place)}" is a folder, and a store is one file.'
        raise UsageError(message, "Name a file in it.")


def _refuse_beside(place: Path, source: Path) -> None:
    """Refuse to write where SQLite and a service keep what belongs to a store."""
    beside = {source.absolute().with_name(source.name + end) for end in BESIDE}
    if place.absolute() in beside:
        message = f'"{_told(place)}" belongs to "{_told(source)}": what stands there is read as a part of it.'
        raise UsageError(message, "Name another file.")


def _kept(store: Path) -> Path | None:
    """Move what stands in the place of a store, its log with it."""
    if not store.exists():
        return None
    place = next(p for i in range(1, 10_000) if not (p := store.with_name(f"{store.name}.before-restore-{i}")).exists())
    for end in ("-wal", "-shm", ""):
        held = store.with_name(store.name + end)
        if held.exists():
            os.replace(held, place.with_name(place.name + end))
    return place


def _put(part: Path, place: Path) -> None:
    with open(part, "rb") as file:
        os.fsync(file.fileno())
    os.replace(part, place)


def store_file(named: str) -> Path:
    """The file of a store; one in a database is copied by the tools of that."""
    if "://" in named:
        message = "A store in PostgreSQL is copied by the tools of PostgreSQL."
        raise InputError(message, "Use pg_dump and pg_restore, as docs/service.md says.")
    return Path(named)


def _told(path: Path) -> str:
    return without_secrets(str(path))
