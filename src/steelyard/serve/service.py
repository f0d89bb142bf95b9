"""The service itself: a store, its writer and what watches it; every request and every tick of the clock goes through here."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pyarrow as pa

from steelyard.monitors.baseline import Baseline
from steelyard.monitors.result import Monitor
from steelyard.monitors.windowed import CountedWindow
from steelyard.monitors.windows import instant_of
from steelyard.serve import statements as sql
from steelyard.serve.alerting import look
from steelyard.serve.aside import asides_told, mend, put_aside_part, put_log_aside, sentence_of
from steelyard.serve.closing import let_oldest_go
from steelyard.serve.counting import microseconds
from steelyard.serve.declared import Declaration, DeclaredModel, check_model, check_name, refuse_other_rows
from steelyard.serve.decoding import end_decoders
from steelyard.serve.delivering import Channel, Messenger
from steelyard.serve.failing import trouble_of
from steelyard.serve.incoming import Sending, SingleEvents
from steelyard.serve.leading import Leader
from steelyard.serve.memory import give_back_memory
from steelyard.serve.models import drop_model, write_model
from steelyard.serve.problems import Problem
from steelyard.serve.soundness import Damaged
from steelyard.serve.store import UNREADABLE, Session, SqliteStore, Store, unusable
from steelyard.serve.taking import Taken
from steelyard.serve.tokens import EVERYBODY, Caller, Doorkeeper
from steelyard.serve.trials import forget_trials
from steelyard.serve.watching import WatchedStream, Watcher
from steelyard.serve.writer import Apart, Job, Kin, Overloaded, StoreFailed, Waiter, Writer
from steelyard.words import count

ANSWERS_KEPT = timedelta(days=7)
RESERVE = 64 << 20
"""Bytes that are left free on the disk."""
Answered = tuple[int, str, bool, Taken | None]
"""The status, the answer, whether it had been given before, and what became of rows that were taken now."""
ONE_TAKEN: Answered = (200, json.dumps(Taken(accepted=1).to_dict()), False, Taken(accepted=1))
BELIEVED = 1.0
"""Seconds for which a model, or who shows a token, is not looked up again."""


def wall_clock() -> datetime:
    """Now."""
    return datetime.now(UTC)


@dataclass
class Traffic:
    """What came in since the service was started."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    shed: int = 0
    requests: dict[int, int] = field(default_factory=dict)


class Service:
    """Everything that a service does, without the network around it."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime] = wall_clock,
        *,
        tokens: bool = True,
        address: str = "",
        channels: Sequence[Channel] = (),
        keep_bytes: int | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.tokens = tokens
        self.address = address
        self.writer: Writer = Writer(store)
        self.watcher: Watcher = Watcher(store, self.writer, clock)
        self.door: Doorkeeper = Doorkeeper()
        self.messenger: Messenger = Messenger(store, self.writer, channels, clock)
        self.keep_bytes = keep_bytes
        self.counts: Traffic = Traffic()
        self.ticked: float = time.monotonic()
        self.ticks: bool = False
        """Whether it ticks by itself."""
        self.face: Callable[[WatchedStream, Monitor, CountedWindow | None], str] | None = None
        """What is kept of a monitor for those that show many models at once."""
        self.ending: Callable[[], bool] = self._is_ending
        """Whether answers that last, such as events, are to end."""
        self._models: dict[str, tuple[float, SingleEvents]] = {}
        self._callers: dict[str, tuple[float, Caller]] = {}
        self._stop = threading.Event()
        self._background: threading.Thread | None = None
        self.leader: Leader = Leader(store)
        self._shown: dict[int, str] = {}
        self._room = (-BELIEVED, RESERVE)
        self._mend()

    def _mend(self) -> None:
        """Set aside what was damaged while nobody looked, so that the rest can be served."""
        store, now = self.store, instant_of(self.clock())
        if not isinstance(store, SqliteStore):
            return

        def change(session: Session) -> None:
            if store.log_lost:
                put_log_aside(session, store.log_lost, now)
            mend(session, now)

        try:
            self.writer.do(change)
            self.tell_asides()
        except (StoreFailed, *UNREADABLE) as problem:
            self.close()
            raise unusable(store.path, str(problem)) from None

    def tell_asides(self) -> None:
        """Tell of what is set aside, and no more of what was sent again."""
        with self.store.reading() as session:
            told = {
                f"{one['model'] or 'store'} {one['version'] or ''}, part {one['part']}": sentence_of(one)
                for one in asides_told(session)
            }
        troubles = self.watcher.troubles
        for about in [name for name in troubles if ", part " in name and name not in told]:
            troubles.pop(about, None)
        troubles.update(told)

    # Who asks --------------------------------------------------------------------------------------------------------
    def caller(self, shown: str, address: str) -> Caller:
        """Who shows this token."""
        if not self.tokens:
            return EVERYBODY
        if not shown:
            raise Problem(401, "token", "No token was sent.", "Send one as: Authorization: Bearer sy_...")
        key, at = hashlib.sha256(shown.encode()).hexdigest(), time.monotonic()
        known = self._callers.get(key)
        if known is not None and at - known[0] < BELIEVED:
            return known[1]
        with self.store.reading() as session:
            found = self.door.caller(session, shown, address, self.clock(), at)
        if len(self._callers) > 1_000:
            self._callers.clear()
        self._callers[key] = (at, found)
        return found

    def forget(self) -> None:
        """Look everything up again: a token was revoked, or a model changed."""
        self._callers.clear()
        self._models.clear()

    def model(self, name: str) -> DeclaredModel:
        """A model by its name."""
        return self._events(name).model

    def _events(self, name: str) -> SingleEvents:
        at = time.monotonic()
        known = self._models.get(name)
        if known is not None and at - known[0] < BELIEVED:
            return known[1]
        with self.store.reading() as session:
            model = self.watcher.model(session, name)
        found = SingleEvents(model) if known is None or known[1].model is not model else known[1]
        self._models[name] = (at, found)
        return found

    # Models ----------------------------------------------------------------------------------------------------------
    def declare(self, name: str, said: Declaration, baseline: Baseline | None, who: str) -> DeclaredModel:
        """Declare a model, or change what was said of it; what its windows rest on is not changed under them."""
        check_name(name)
        check_name(said.champion, "version")

        def change(session: Session) -> DeclaredModel:
            before = session.one(sql.MODEL, name)
            kept = baseline
            if before is not None:
                old = self.watcher.model(session, name)
                kept = baseline or old.baseline
                refuse_other_rows(old, DeclaredModel(name, said, kept))
            model = DeclaredModel(name, said, kept)
            check_model(model)
            write_model(session, model, instant_of(self.clock()))
            audit(session, who, "declare" if before is None else "change", name, self.clock())
            return model

        found = self.writer.do(change)
        self.forget()
        return found

    def drop(self, name: str, who: str) -> None:
        """Forget a model with all its rows and windows."""

        def change(session: Session) -> list[int]:
            self.watcher.model(session, name)
            streams = drop_model(session, name)
            audit(session, who, "drop", name, self.clock())
            return streams

        gone = self.writer.do(change)
        self.forget()
        self.watcher.drop(gone)
        for stream in gone:
            self._shown.pop(stream, None)

    # Rows and labels -------------------------------------------------------------------------------------------------
    def take(self, sending: Sending) -> Future[Answered]:
        """Read and check what was sent, and have it written."""
        done: Future[Answered] = Future()
        self.take_for(sending, done)
        return done

    def take_for(self, sending: Sending, done: Waiter, ring: Callable[[], None] | None = None) -> None:
        """Read and check what was sent, and have it written; what comes of it is told where that is waited for."""
        events = self._events(sending.model)
        model, now = events.model, self.clock()
        self.check_room()
        row = events.row(sending)
        given = sending.received(model, now) if row is None else None
        kin = None
        if row is not None:
            version = sending.version or model.said.champion
            kin = Kin((events, version), row, partial(self._take_all, events, version))
        digest = sending.digest if sending.key else ""

        def change(session: Session) -> Answered:
            if sending.key and (known := session.one(sql.ANSWER, sending.sender, sending.key)) is not None:
                if known[0] != digest:
                    raise Problem(
                        409,
                        "key",
                        "This Idempotency-Key came with another body before, or for another version.",
                        "Use a new one for each batch.",
                    )
                return int(known[1]), str(known[2]), True, None
            # Between reading and writing a model may have been dropped, or declared anew.
            meant = self.watcher.model(session, model.name, kept=True)
            rows = given if given is not None and meant is model else sending.received(meant, now)
            taken = sending.write(session, meant, rows, now)
            answer = json.dumps(taken.to_dict(), ensure_ascii=False)
            if sending.key:
                session.do(sql.ADD_ANSWER, sending.sender, sending.key, digest, 200, answer, instant_of(now))
            return 200, answer, False, taken

        try:
            self.writer.put(Job(change, len(sending.body), done, kin, self._note, ring))
        except Overloaded as problem:
            self.counts.shed += 1
            raise Problem(429, "overloaded", str(problem), "Send it again, with the same key.", retry_after=1) from None
        except StoreFailed as problem:
            raise Problem(503, "stopping", str(problem), retry_after=5) from None

    def _take_all(self, events: SingleEvents, version: str, session: Session, rows: list[Any]) -> list[Answered]:
        """Keep events that came at the same time, where there is nothing to say but that they are new."""
        if self.watcher.model(session, events.model.name, kept=True) is not events.model:
            raise Apart
        events.write(session, version, rows, self.clock())
        return [ONE_TAKEN] * len(rows)

    def _note(self, answered: Answered | None, problem: Exception | None) -> None:
        if problem is not None:
            self.note_damage(problem)
        elif answered is not None and (taken := answered[3]) is not None:
            self.counts.accepted += taken.accepted
            self.counts.duplicates += taken.duplicates
            self.counts.rejected += len({e.row for e in taken.errors})

    def note_damage(self, problem: BaseException) -> None:
        """Have a part that was found damaged set aside."""
        if isinstance(problem, Damaged) and problem.what == "part":
            part, now = problem.key, instant_of(self.clock())
            with contextlib.suppress(Overloaded, StoreFailed):  # it will be found again
                self.writer.submit(lambda session: put_aside_part(session, part, now))

    def check_room(self) -> None:
        """Refuse to take anything in while the disk is nearly full, so that alarms can still be written."""
        at = time.monotonic()
        if isinstance(self.store, SqliteStore) and at - self._room[0] > BELIEVED:
            self._room = (at, shutil.disk_usage(self.store.path.parent).free)
        if self._room[1] < RESERVE:
            raise Problem(
                503, "disk", "The disk is nearly full.", "Nothing is lost; send it again later.", retry_after=60
            )

    # The clock -------------------------------------------------------------------------------------------------------
    def tick(self) -> None:
        """What is to be done from time to time: count, look, let rows go, forget what is old."""
        if not self.leads():
            self.watcher.forget()
            self.ticked = time.monotonic()
            return
        with self.store.reading() as session:
            streams = self.watcher.streams(session)
            models = self.watcher.models(session)
        self.tell_asides()
        news = 0
        for one in streams:
            try:
                news += self._watch(one)
            except Exception as problem:  # whatever it is, the others are watched
                if getattr(problem, "code", "") not in {"no_baseline", "no_windows"}:
                    self.watcher.troubles[one.name] = trouble_of(problem)
                self.note_damage(problem)
            else:
                self.watcher.troubles.pop(one.name, None)
        now = instant_of(self.clock())
        kept = round(ANSWERS_KEPT.total_seconds() * 1e6)

        def forget(session: Session) -> None:
            session.do(sql.OLD_ANSWERS, now - kept)
            for m in models:
                forget_trials(session, m, self.clock())
                session.do(sql.OLD_LABELS, m.name, now - microseconds(m.said.keep_labels), m.name)

        self.writer.do(forget)
        if self.keep_bytes is not None and (gone := let_oldest_go(self.store, self.writer, self.keep_bytes, now)):
            detail = f"Rows of {count(gone)} windows went before their time: rows take more than they may."
            self.writer.do(lambda session: audit(session, "steelyard", "let go", detail, self.clock()))
        self.messenger.run()
        if news:
            give_back_memory()
        self.ticked = time.monotonic()

    def _watch(self, one: WatchedStream) -> bool:
        """Look at a stream; whether there was anything new to look at."""
        if one.model.baseline is None:
            return False
        m = self.watcher.news(one)
        if m is None:
            self.watcher.let_go(one)
            return False
        now = self.clock()
        link = f"{self.address}/models/{one.model.name}?version={one.version}" if self.address else ""
        shown = None if self.face is None else self.face(one, m, self.watcher.last(one))

        def change(session: Session) -> None:
            look(session, one, m, now, link, self.messenger.names)
            if shown is not None and self._shown.get(one.stream) != shown:
                session.do(sql.SET_FACE, one.stream, shown, instant_of(now))

        self.writer.do(change)
        if shown is not None:
            self._shown[one.stream] = shown
        self.watcher.looked(one)
        self.watcher.let_go(one)
        return True

    def _is_ending(self) -> bool:
        return self._stop.is_set()

    def leads(self) -> bool:
        """Whether this replica is the one that does what is to be done once."""
        return self.leader.leads()

    def start(self, every: float = 5.0) -> None:
        """Tick in the background."""

        def run() -> None:
            pa.array(
                [0.0]
            )  # the first array has Arrow look for pandas, which takes a second that no event is to wait for
            while not self._stop.wait(every):
                try:
                    self.tick()
                except Exception as problem:  # whatever it is, the next tick comes
                    self.watcher.troubles["tick"] = trouble_of(problem)
                else:
                    self.watcher.troubles.pop("tick", None)

        self.ticks = True
        self._background = threading.Thread(target=run, name="clock", daemon=True)
        self._background.start()

    def close(self) -> None:
        """Write what waits, and let go of the store."""
        self._stop.set()
        if self._background is not None:
            self._background.join(timeout=30)
        self.writer.close()
        end_decoders()
        self.leader.end()
        self.store.close()


def audit(session: Session, who: str, what: str, about: str, now: datetime) -> None:
    """Put down who changed what."""
    session.do(sql.ADD_AUDIT, instant_of(now), who, what, about)
