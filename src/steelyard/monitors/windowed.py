"""Windows that were counted: each a summary that adds and is saved, all of them in order, and read back from a folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

from steelyard import __version__
from steelyard.arguments.allowed import shown
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import CannotAdd, InputError, UnreadableSource, UsageError, listing
from steelyard.files.lock import in_turn
from steelyard.files.window_files import MARK, files_of_windows
from steelyard.files.writing import Saved, read_saved, write_saved
from steelyard.monitors.labels import span_text
from steelyard.monitors.windows import Window, instant_of, moment, zone_of
from steelyard.summaries.window import WindowSummary
from steelyard.wording import option
from steelyard.words import count, some_names

SCHEMA = 1
HISTORY, LOCK = "history", ".lock"
KEPT = 20
"""Former counts of a window that are kept."""
SAME = ("baseline", "zone", "span", "model", "asked")
"""What windows must have in common to be one stream."""
BROKEN = (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError, OverflowError)


@dataclass(frozen=True)
class CountedWindow:
    """A window of time with what was counted of its rows, and by which it is known."""

    window: Window
    summary: WindowSummary
    span: str
    zone: str
    baseline: str
    """The hash of the baseline it was counted against."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """Which columns played which part."""
    source: str = ""
    """What it was counted from."""
    model: str = ""
    version: str = __version__
    until: str | None = None
    """The moment up to which it was counted, where that was said; labels that came in later are not in it."""
    revision: int = 1
    """How often it was counted."""
    fewer: int = 0
    """How many rows the count before had that this one has not."""

    @property
    def name(self) -> str:
        """The name of the window."""
        return self.window.name

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.summary.rows

    @property
    def labelled(self) -> int:
        """How many of them have a label."""
        return self.summary.labelled

    def __add__(self, other: object) -> CountedWindow:
        return self.plus(other)

    def __radd__(self, other: object) -> CountedWindow:
        # `sum` begins with 0, a window without rows.
        return self if isinstance(other, int) and not isinstance(other, bool) and other == 0 else self.plus(other)

    @as_annotated()
    def plus(self, other: object, *, twice: bool = False) -> CountedWindow:
        """Both sets of rows: parts of one window, or windows of which one begins where the other ends."""
        if not isinstance(other, CountedWindow):
            message = f"A window adds to a window, and a value of type {type(other).__name__} came."
            raise CannotAdd(message, "Add another window that was counted against the same baseline.")
        _refuse_unlike(self, other, CannotAdd, but="span")
        first, last = sorted((self, other), key=lambda w: w.window.start)
        window, span = self.window, self.span
        if first.window != last.window:
            if first.window.end != last.window.start:
                verb = "overlap" if first.window.end > last.window.start else "do not touch"
                message = f"The windows {first.name} and {last.name} {verb}, so that their sum is no window."
                raise CannotAdd(message, "Add parts of one window, or windows that follow on each other.")
            window = Window(f"{ends_of(first.name)[0]} to {ends_of(last.name)[1]}", first.window.start, last.window.end)
            # Clocks may have changed within: a week is seven days, however many hours it has.
            span = span_text(last.window.end.replace(tzinfo=None) - first.window.start.replace(tzinfo=None))
        elif not twice and self.rows and self.summary == other.summary:
            message = f"Both hold exactly the same {count(self.rows)} rows of {self.name}, which would count twice."
            raise CannotAdd(
                message, f"Leave one of them out; if both are meant, say so: {option('twice', True)} of plus."
            )
        until = [w.until for w in (self, other) if w.until is not None]
        # Labels are in up to the moment at which those of both parts are.
        until_both = min(until, key=datetime.fromisoformat) if len(until) == 2 else None
        source = self.source if self.source == other.source else f"{self.source} and {other.source}"
        summary = first.summary + last.summary
        fewer = self.fewer + other.fewer
        facts: dict[str, Any] = {"until": until_both, "source": source, "revision": 1, "fewer": fewer}
        return replace(self, window=window, span=span, summary=summary, **facts)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        facts = ("span", "zone", "baseline", "source", "model", "version", "until", "revision")
        return {
            MARK: SCHEMA,
            **self.window.to_dict(),
            **{name: getattr(self, name) for name in facts},
            # Left out where there are none, as in nearly every window.
            **({"fewer": self.fewer} if self.fewer else {}),
            "asked": dict(self.asked),
            "summary": self.summary.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CountedWindow:
        """Read back what `to_dict` wrote."""
        if data.get(MARK) != SCHEMA:
            message = "This is no window that was saved by this version."
            raise UnreadableSource(message, "Count it again from the rows.")
        zone = zone_of(data["zone"])
        start, end = (datetime.fromisoformat(data[name]).astimezone(zone) for name in ("start", "end"))
        facts = ("span", "zone", "baseline", "asked", "source", "model", "version", "until", "revision")
        summary = WindowSummary.from_dict(data["summary"])
        held = {name: data[name] for name in facts} | {"fewer": int(data.get("fewer", 0))}
        return cls(Window(data["name"], start, end), summary, **held)

    @as_annotated()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all; what the file held of this window goes to the folder "history" beside it."""
        place = Path(path)
        if not place.parent.is_dir():
            message = f'There is no folder "{place.parent}".'
            raise UsageError(message, "Make it first, or save all windows into a folder.")
        with in_turn(place.parent / LOCK):
            _replace(self, place)

    @classmethod
    @as_annotated()
    def load(cls, path: str | os.PathLike[str]) -> CountedWindow:
        """Read a window that was saved."""
        return window_of(read_saved(path, "window", "Name the file that the save of a window wrote."))


class NoWindow(UsageError, IndexError):
    """No window has that place."""


class Windows:
    """Windows of one stream in order, without overlap."""

    def __init__(self, found: Iterable[CountedWindow]) -> None:
        self.found: list[CountedWindow] = sorted(found, key=lambda w: w.window.start)
        for a, b in pairwise(self.found):
            _refuse_unlike(a, b, InputError)
            if a.window == b.window:
                same = ", with the same rows" if a.summary == b.summary else ""
                message = f"The window {a.name} is there twice{same}: {a.source or 'one'} and {b.source or 'another'}."
                raise InputError(message, "Keep one file for each window; parts of one window are added with +.")
            if a.window.end > b.window.start:
                message = f"The windows {a.name} and {b.name} overlap, so that rows would count twice."
                raise InputError(message, "Keep windows of one length, counted in one zone.")

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[CountedWindow]:
        return iter(self.found)

    @overload
    def __getitem__(self, key: int | str) -> CountedWindow: ...
    @overload
    def __getitem__(self, key: slice) -> Windows: ...
    def __getitem__(self, key: int | str | slice) -> CountedWindow | Windows:
        if isinstance(key, slice):
            return Windows(self._at(key))
        if isinstance(key, str):
            named = next((w for w in self.found if w.name == key), None)
            if named is None:
                message = f'There is no window "{key}".'
                raise UsageError(message, f"There are {listing(w.name for w in self.found)}.")
            return named
        found: CountedWindow = self._at(key)
        return found

    def _at(self, key: Any) -> Any:
        try:
            return self.found[key]
        except (TypeError, IndexError, ValueError):
            message = f"There is no window {shown(key)}."
            raise NoWindow(message, f"Name one of {len(self.found):,} by its name, or by its place.") from None

    def __add__(self, other: object) -> Windows:
        """Both sets of rows: windows that both have are added, the others stand beside each other."""
        if not isinstance(other, Windows):
            return NotImplemented
        held = {w.window: w for w in self.found}
        for w in other:
            held[w.window] = held[w.window] + w if w.window in held else w
        return Windows(held.values())

    def __radd__(self, other: object) -> Windows:
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        if not self.found:
            return "<Windows: none>"
        rows, ends = sum(w.rows for w in self.found), (self.found[0].name, self.found[-1].name)
        return f"<Windows: {len(self.found):,} from {ends[0]} to {ends[1]}, {rows:,} rows>"

    @as_annotated()
    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write each window to a file of its own, named like it; one that is there already is replaced, and kept in "history"."""
        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            message = f'"{folder}" is no folder that can be written to: {problem.strerror}.'
            raise UsageError(message, "Name a folder for the windows.") from None
        names = [file_name(w.name) for w in self.found]
        with in_turn(place / LOCK):
            beside = _one_of(place, set(names))
            if beside is not None and self.found:
                # Nobody could read the folder any more.
                _refuse_unlike(beside, self.found[0], InputError)
            for w, name in zip(self.found, names, strict=True):
                _replace(w, place / name)


def ends_of(name: str) -> tuple[str, str]:
    """The first and the last of the windows that one is the sum of.

    >>> ends_of("2024-W01 to 2024-W03"), ends_of("2024-W04")
    (('2024-W01', '2024-W03'), ('2024-W04', '2024-W04'))
    """
    first, _, last = name.partition(" to ")
    return first, last or first


def file_name(name: str) -> str:
    """The file of a window.

    >>> file_name("2024-03-31 02:00+0200")
    '2024-03-31T02-00+0200.json'
    """
    return name.replace(" ", "T").replace(":", "-") + ".json"


def _one_of(folder: Path, but: Collection[str]) -> CountedWindow | None:
    """One of the windows in a folder, other than these; files that cannot be read are told when they are."""
    for path in files_of_windows(folder):
        if Path(path).name not in but:
            try:
                return CountedWindow.load(path)
            except UnreadableSource:
                continue
    return None


def _replace(window: CountedWindow, place: Path) -> None:
    """Write a window where a former count of it may stand; the former one goes to the history first, so that none is ever lost."""
    if not os.path.exists(place):  # a name that no file can have is told by who writes
        write_saved(place, window.to_dict())
        return
    before = CountedWindow.load(place)
    _refuse_unlike(before, window, InputError)
    if before.window != window.window:
        message = f'"{place}" holds the window {before.name}, and {window.name} is to be written there.'
        raise InputError(message, "Save windows to files of their own: all of them with .save(folder).")
    _refuse_older(before, window)
    if before.summary == window.summary:
        # The same rows and labels, known to be all there are up to a later moment.
        write_saved(place, replace(window, revision=before.revision, fewer=before.fewer).to_dict())
        return
    history = place.parent / HISTORY
    history.mkdir(exist_ok=True)
    write_saved(history / f"{place.stem}.{before.revision}.json", before.to_dict())
    fewer = max(0, before.rows + before.fewer - window.rows)
    write_saved(place, replace(window, revision=before.revision + 1, fewer=fewer).to_dict())
    (history / f"{place.stem}.{before.revision - KEPT}.json").unlink(missing_ok=True)


def _refuse_older(before: CountedWindow, window: CountedWindow) -> None:
    """Refuse a count that knows less than the one it would replace, as that of a clock that went back."""
    if before.until is None or window.until is None:
        return
    then, now = (datetime.fromisoformat(x) for x in (before.until, window.until))
    if now < then:
        message = (
            f"The window {window.name} was counted up to {before.until} already, and this count goes to {window.until}."
        )
        raise InputError(message, f"Look at the clock, or say {option('now')} as late as then.")


def _refuse_unlike(one: CountedWindow, other: CountedWindow, kind: type[CannotAdd | InputError], but: str = "") -> None:
    """Refuse windows that are not of one stream."""
    for name in (name for name in SAME if name != but):
        of_one, of_other = getattr(one, name), getattr(other, name)
        if of_one != of_other:
            what = {"span": "length", "asked": "columns"}.get(name, name)
            told = "" if name == "asked" else f": {of_one or 'none'} and {of_other or 'none'}"
            message = f"The windows {one.name} and {other.name} are of another {what}{told}."
            if name == "asked":
                message = f"The windows {one.name} and {other.name} were counted with other columns."
            raise kind(message, "Count them again, both against the same baseline and in the same way.")


# Reading back ---------------------------------------------------------------------------------------------------------


def window_of(saved: Saved) -> CountedWindow:
    """A saved window as it was before it was saved."""
    if not saved.has(MARK):
        message = f'"{saved.path}" holds no saved window.'
        raise UnreadableSource(message, "Name files that the save of windows wrote.")
    try:
        return CountedWindow.from_dict(saved.believed())
    except BROKEN:
        message = f'"{saved.path}" is a saved window of which a part is missing.'
        raise UnreadableSource(message, "Count it again from the rows.") from None


def load_windows(files: Sequence[str]) -> Windows:
    """Windows that were saved, in order; files of something else are refused, and two files of one window."""
    found: dict[Any, tuple[CountedWindow, str]] = {}
    for path in files:
        w = CountedWindow.load(path)
        known = (w.window, w.baseline, w.zone, w.span, w.model)
        if known in found:
            before, other = found[known]
            same = ", with the same rows" if before.summary == w.summary else ""
            message = f'The window {w.name} is there twice{same}: in "{other}" and in "{path}".'
            raise InputError(message, "Keep one file for each window; parts of one window are added with +.")
        found[known] = w, path
    return Windows(w for w, _ in found.values())


def without_gaps(windows: Windows) -> tuple[list[CountedWindow], list[str]]:
    """Windows with those between them that nobody counted, as windows without rows, and what is to be said of these."""
    from steelyard.monitors.windows import boundaries, names_of_windows, span_of

    if not windows:
        return [], []
    first, last = windows[0], windows[-1]
    zone, span = zone_of(first.zone), span_of(first.span)
    out: list[CountedWindow] = [first]
    lost: list[str] = []
    for a, b in pairwise(windows):
        start, end = a.window.end, b.window.start
        if start < end:
            edges = boundaries(span, zone, instant_of(start), instant_of(end - timedelta(microseconds=1)))
            told = [moment(int(x)).astimezone(zone) for x in edges]
            between = list(zip(names_of_windows(told[:-1], span), pairwise(told), strict=True))
            out += [
                replace(a, window=Window(name, x, y), summary=WindowSummary(), source="") for name, (x, y) in between
            ]
            lost += [name for name, _ in between]
        out.append(b)
    assert last is out[-1]
    notes: list[str] = []
    if lost:
        notes.append(f"Nobody counted {_told(lost)}, told here as without rows: count what there is of them.")
    if shrunk := [w.name for w in windows if w.fewer]:
        rows = count(sum(w.fewer for w in windows))
        notes.append(
            f"Rows were lost when {_told(shrunk)} came to be counted again: {rows} fewer than before. The counts before are in "
            f'the folder "{HISTORY}".'
        )
    return out, notes


def _told(names: Sequence[str]) -> str:
    return f"{'1 window' if len(names) == 1 else f'{len(names):,} windows'} ({some_names(names)})"
