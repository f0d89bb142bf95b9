"""Watching: the windows of a stream kept up to date, and the monitor over them."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import dropwhile, pairwise

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.labels import horizon_of
from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor
from steelyard.monitors.windowed import CountedWindow, Windows
from steelyard.monitors.windowing import ripe_among
from steelyard.monitors.windows import HOUR, Window, boundaries, instant_of, moment, names_of_windows
from steelyard.serve import statements as sql
from steelyard.serve.closing import close_window
from steelyard.serve.counting import WindowRecord, count_window, microseconds, windows_known
from steelyard.serve.declared import DeclaredModel, declaration_of
from steelyard.serve.joining import joined_parts
from steelyard.serve.problems import Problem
from steelyard.serve.soundness import Damaged, digest_of
from steelyard.serve.store import Session, Store
from steelyard.serve.taking import windows_of
from steelyard.serve.writer import Writer
from steelyard.summaries.window import WindowSummary

HELD = 48 << 20
"""Bytes of windows, as they are saved, that are kept opened."""
MODELS_HELD, MONITORS_HELD = 2_000, 100
STEPS = 24
"""Parts of a window: once in each, and once an hour, a monitor is made anew though nothing came; labels may have become due."""
ROUNDS = 20
"""Of joining little parts after a count, at most."""
PATIENCE = 5.0
"""A window is counted again, and a stream judged again, no sooner than after so many times what that took."""
LULL = 900.0
"""Seconds for which nothing came to a window before its rows go: rows of the past come in more than one request."""


@dataclass(frozen=True)
class WatchedStream:
    """One version of a model, and its number in the store."""

    model: DeclaredModel
    version: str
    stream: int

    @property
    def name(self) -> str:
        """The model and its version."""
        return f"{self.model.name} {self.version}"


@dataclass(frozen=True)
class _Judgement:
    """A monitor, or why there is none; what it was made of, when, and how long that took."""

    model: DeclaredModel
    about: object
    monitor: Monitor | Problem
    at: float
    took: float

    @property
    def told(self) -> Monitor:
        """The monitor; why there is none is said again."""
        m = self.monitor
        if isinstance(m, Problem):
            raise Problem(m.status, m.code, m.detail, m.hint)
        return m


class Watcher:
    """What a service knows of its models beyond the store: what was opened, and how long it took."""

    def __init__(self, store: Store, writer: Writer, clock: Callable[[], datetime]) -> None:
        self.store = store
        self.writer = writer
        self.clock = clock
        self.patience = PATIENCE
        self.lull = LULL
        self.troubles: dict[str, str] = {}
        """What could not be done, by what it is about."""
        self._opened: OrderedDict[tuple[int, int], tuple[str, CountedWindow, int]] = OrderedDict()
        """Each window as it was counted last, with the digest and the size of what is saved of it."""
        self._held = 0
        self._models: OrderedDict[tuple[str, str, str], DeclaredModel] = OrderedDict()
        self._monitors: OrderedDict[int, _Judgement] = OrderedDict()
        self._told: dict[int, object] = {}
        """What each stream was made of when it was looked at last."""
        self._rests: dict[tuple[int, int], float] = {}
        """Until when a window is not counted again."""
        self._begun = time.monotonic()
        self._came: dict[tuple[int, int], float] = {}
        """When each window was counted last, for as long as its rows do not go for that."""
        self._guard = threading.RLock()
        self._turns: dict[int, threading.RLock] = {}

    # Models ----------------------------------------------------------------------------------------------------------
    def model(self, session: Session, name: str, *, kept: bool = False) -> DeclaredModel:
        """A model by its name; where it is to be kept, nobody drops it before this transaction ends."""
        found = session.one(sql.KEPT_MODEL if kept else sql.MODEL, name)
        if found is None:
            known = ", ".join(row[0] for row in session.all(sql.MODELS)[:20])
            hint = f"There are {known}." if known else "Declare it first: PUT /v1/models/NAME."
            raise Problem(404, "no_model", f'There is no model "{name[:100]}".', hint)
        return self._declared(session, name, found[0], found[1])

    def models(self, session: Session) -> list[DeclaredModel]:
        """All models, by their names."""
        return [self._declared(session, row[0], row[1], row[2]) for row in session.all(sql.MODELS)]

    def _declared(self, session: Session, name: str, said: str, baseline: str | None) -> DeclaredModel:
        key = (name, said, baseline or "")
        with self._guard:
            if (known := self._models.get(key)) is not None:
                self._models.move_to_end(key)
                return known
        kept = None
        if baseline is not None:
            found = session.one(sql.BASELINE, name, baseline)
            assert found is not None
            kept = Baseline.from_dict(json.loads(bytes(found[0])))
        made = DeclaredModel(name, declaration_of(json.loads(said)), kept)
        with self._guard:
            self._models[key] = made
            while len(self._models) > MODELS_HELD:
                self._models.popitem(last=False)
        return made

    def stream(self, session: Session, name: str, version: str | None) -> WatchedStream:
        """A version of a model; the champion unless one is named."""
        model = self.model(session, name)
        wanted = version or model.said.champion
        found = session.one(sql.STREAM, name, wanted)
        if found is None:
            known = [row[1] for row in session.all(sql.STREAMS, name)]
            if not known and version is None:
                raise Problem(
                    404, "no_version", f'No prediction of the model "{name}" has come yet.', "Send predictions first."
                )
            hint = f"There are {', '.join(known[:20])}." if known else "Send predictions first."
            raise Problem(404, "no_version", f'The model "{name}" has no version "{wanted[:100]}".', hint)
        return WatchedStream(model, wanted, int(found[0]))

    def streams(self, session: Session) -> list[WatchedStream]:
        """Every version of every model."""
        models = {m.name: m for m in self.models(session)}
        told = session.all(sql.ALL_STREAMS)
        return [WatchedStream(models[name], version, int(n)) for n, name, version in told if name in models]

    # Counting --------------------------------------------------------------------------------------------------------
    def count(self, one: WatchedStream, *, now: bool = False) -> int:
        """Count the windows of a stream that something came to; how many were. One that takes long is not counted at every look."""
        if one.model.baseline is None:
            return 0
        with self._turn(one.stream):
            with self.store.reading() as session:
                stale = [int(row[0]) for row in session.all(sql.STALE_OF, one.stream)]
            at = time.monotonic()
            with self._guard:
                for key in [key for key, until in self._rests.items() if until <= at]:
                    del self._rests[key]
            return sum(self._count(one, start) for start in stale if now or (one.stream, start) not in self._rests)

    def _turn(self, stream: int) -> threading.RLock:
        """One at a time counts or judges a stream; whoever waits finds it done."""
        with self._guard:
            return self._turns.setdefault(stream, threading.RLock())

    def _rest(self, one: WatchedStream, start: int, took: float) -> None:
        with self._guard:
            self._came[one.stream, start] = time.monotonic()
            self._rests[one.stream, start] = time.monotonic() + self.patience * took

    def _count(self, one: WatchedStream, start: int) -> int:
        begun = time.monotonic()
        about = f"{one.name}, window {moment(start).astimezone(one.model.zone):%Y-%m-%d %H:%M}"
        try:
            with self.store.reading() as session:
                found = count_window(session, one.model, one.version, one.stream, start)
        except (SteelyardError, Damaged) as problem:
            self.troubles[about] = str(getattr(problem, "message", problem))
            self._rest(one, start, max(1.0, time.monotonic() - begun))
            return 0
        self.troubles.pop(about, None)
        if found is not None:
            lateness = microseconds(one.model.said.lateness)
            self.writer.do(lambda session: found.write(session, self.clock(), lateness))
            self._join(one, start)
        self._rest(one, start, time.monotonic() - begun)
        return int(found is not None)

    def _join(self, one: WatchedStream, start: int) -> None:
        """Put the little parts of a window together, where they have become many."""
        for _ in range(ROUNDS):
            with self.store.reading() as session:
                found = joined_parts(session, one.model.name, one.stream, start)
            if found is None or not self.writer.do(found.write):
                return

    # Reading ---------------------------------------------------------------------------------------------------------
    def windows(self, session: Session, one: WatchedStream) -> Windows:
        """The windows of a stream that were counted against its baseline, with those between them to which no rows came."""
        base = one.model.baseline
        if base is None:
            hint = "Send one with PUT, or make one of windows: POST /v1/models/NAME/baseline."
            raise Problem(409, "no_baseline", f'The model "{one.model.name}" has no baseline yet.', hint)
        found = [self.opened(session, one, w) for w in self._known(session, one)]
        return Windows(_with_empty(found, one.model))

    def _known(self, session: Session, one: WatchedStream) -> list[WindowRecord]:
        """The windows that were counted against the baseline as it is now, from the first to which rows came."""
        base = one.model.baseline
        known = [w for w in windows_known(session, one.stream) if base is not None and w.baseline == base.hash]
        # Rows that were erased, or sent again with another moment, leave an empty window behind: nothing began there.
        return list(dropwhile(lambda w: not w.rows, known))

    def opened(self, session: Session, one: WatchedStream, known: WindowRecord) -> CountedWindow:
        """A window that was counted."""
        key, digest = (one.stream, known.start), str(known.digest)
        with self._guard:
            if (held := self._opened.get(key)) is not None and held[0] == digest:
                self._opened.move_to_end(key)
                return held[1]
        row = session.one(sql.WINDOW, one.stream, known.start)
        if row is None or row[11] is None:
            raise Problem(409, "not_counted", f"The window {known.name} was not counted yet.", "Ask again in a moment.")
        body = bytes(row[11])
        if digest_of(body) != row[10]:
            raise Damaged("window", known.start)
        made = replace(CountedWindow.from_dict(json.loads(body)), revision=known.revision)
        with self._guard:
            self._held += len(body) - self._opened.get(key, ("", made, 0))[2]
            self._opened[key] = digest, made, len(body)
            self._opened.move_to_end(key)
            while self._held > HELD and len(self._opened) > 1:
                self._held -= self._opened.popitem(last=False)[1][2]
        return made

    def last(self, one: WatchedStream) -> CountedWindow | None:
        """The last window of a stream that was counted against its baseline."""
        with self.store.reading() as session:
            known = self._known(session, one)
            return self.opened(session, one, known[-1]) if known else None

    def seen(self, one: WatchedStream) -> Monitor:
        """The monitor that was made last, whatever came in since; now where none was."""
        with self._guard:
            known = self._monitors.get(one.stream)
        return self.monitor(one) if known is None else known.told

    def monitor(self, one: WatchedStream) -> Monitor:
        """The monitor of a stream as of now."""
        with self._turn(one.stream):
            return self._judged(one)

    def _judged(self, one: WatchedStream) -> Monitor:
        with self._guard:
            before = self._monitors.get(one.stream)
        begun = time.monotonic()
        if before is not None and before.model is one.model and begun < before.at + self.patience * before.took:
            return before.told
        self.count(one)
        now = self.clock()
        with self.store.reading() as session:
            known = self._known(session, one)
            about = self._made_of(one, known, now)
            if before is not None and before.about == about:
                return before.told
            made = self._made(session, one, now)
        ended = time.monotonic()
        found = _Judgement(one.model, about, made, ended, ended - begun)
        with self._guard:
            self._monitors[one.stream] = found
            self._monitors.move_to_end(one.stream)
            while len(self._monitors) > MONITORS_HELD:
                self._monitors.popitem(last=False)
        return found.told

    def _made(self, session: Session, one: WatchedStream, now: datetime) -> Monitor | Problem:
        try:
            found = self.windows(session, one)
            if not len(found):
                return Problem(409, "no_windows", f"Nothing of {one.name} was counted yet.", "Send predictions first.")
            latest = max([w.summary.latest for w in found if w.summary.latest is not None], default=0)
            at = max(now, moment(latest)).isoformat()
            return monitor(found, reference=one.model.baseline, now=at, **one.model.judged_by())
        except SteelyardError as problem:
            return Problem(409, "not_judged", str(problem.message), str(problem.hint))

    def _made_of(self, one: WatchedStream, known: list[WindowRecord], now: datetime) -> object:
        """What a monitor is made of: counts, what was said, the window in which we are, and how much of it has passed."""
        (start,), ends = windows_of(np.array([instant_of(now)]), one.model)
        step = min(HOUR, (ends[int(start)][0] - int(start)) // STEPS)
        passed_by = (instant_of(now) - int(start)) // step
        said = (one.model.said, None if one.model.baseline is None else one.model.baseline.hash)
        return said, tuple((w.start, w.digest, w.revision) for w in known), int(start), passed_by

    def news(self, one: WatchedStream) -> Monitor | None:
        """The monitor as of now; None where it would say what it said when it was last looked at."""
        with self._turn(one.stream):
            self.count(one)
            with self.store.reading() as session:
                known = self._known(session, one)
            if known and self._told.get(one.stream) == self._made_of(one, known, self.clock()):
                return None
            return self._judged(one)

    def forget(self) -> None:
        """Look at every stream anew: somebody else has told what they say."""
        self._told.clear()

    def drop(self, streams: Collection[int]) -> None:
        """Know nothing more of streams that are gone: others may get their numbers."""
        with self._guard:
            for key in [key for key in self._opened if key[0] in streams]:
                self._held -= self._opened.pop(key)[2]
            for stream in streams:
                self._monitors.pop(stream, None)
                self._told.pop(stream, None)

    def looked(self, one: WatchedStream) -> None:
        """Note that what the last monitor of a stream says was told."""
        with self._guard:
            if one.stream in self._monitors:
                self._told[one.stream] = self._monitors[one.stream].about

    # Letting go ------------------------------------------------------------------------------------------------------
    def let_go(self, one: WatchedStream) -> int:
        """Close the windows all of whose labels are in, or waited for no more: their rows go, what was counted stays."""
        base, keep = one.model.baseline, one.model.said.keep
        if base is None or keep is None or time.monotonic() < self._begun + self.lull:
            return 0  # what came shortly before this process began is not known
        now = self.clock()
        last = instant_of(now) - microseconds(keep)
        with self._guard:
            self._came = {key: at for key, at in self._came.items() if at + self.lull > time.monotonic()}
            moved = {start for stream, start in self._came if stream == one.stream}
        with self.store.reading() as session:
            known = {w.start: w for w in windows_known(session, one.stream) if w.baseline == base.hash}
            some = [w for w in known.values() if w.closed is None and w.over and not w.waits and w.stop <= last]
            some = [w for w in some if w.start not in moved]
            if not some:
                return 0
            found = self.windows(session, one)
        try:
            ripe = ripe_among(found, base, horizon_of(one.model.said.horizon), now.isoformat())
        except SteelyardError:
            return 0  # rows that came a moment ahead of our clock
        ready = {instant_of(w.start) for w in ripe}
        # The last labels are waited for as well, as long as any label is: what comes to a closed window is lost to it.
        waited = instant_of(now) - microseconds(one.model.said.horizon or one.model.said.keep_labels)
        whole = {w.start for w in some if one.model.target is None or w.labelled >= w.rows or w.stop <= waited}
        gone = [w.start for w in some if (w.start in ready and w.start in whole) or not w.rows]
        for start in gone:
            self.writer.do(partial(close_window, stream=one.stream, start=start, now=instant_of(now)))
        return len(gone)


def _with_empty(found: list[CountedWindow], model: DeclaredModel) -> list[CountedWindow]:
    """With the windows to which no rows came: the service was there, so that they are known to be empty."""
    out = found[:1]
    for a, b in pairwise(found):
        start, end = a.window.end, b.window.start
        if start < end:
            edges = boundaries(model.span, model.zone, instant_of(start), instant_of(end - timedelta(microseconds=1)))
            told = [moment(int(x)).astimezone(model.zone) for x in edges]
            names = names_of_windows(told[:-1], model.span)
            between = [Window(name, x, y) for name, (x, y) in zip(names, pairwise(told), strict=True)]
            out += [replace(a, window=w, summary=WindowSummary()) for w in between]
        out.append(b)
    return out
