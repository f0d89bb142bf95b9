"""One writer: whatever waits is written in one transaction, and answered once that is on the disk."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from steelyard.serve import statements as sql
from steelyard.serve.problems import Problem
from steelyard.serve.store import Session, Store

T = TypeVar("T")
MOST_JOBS = 5_000
"""Changes that may wait; who brings one more is asked to come again."""
MOST_BYTES = 16 << 20
TOGETHER = 500
"""Changes in one transaction at most."""
TRIES = 5


class Overloaded(Exception):
    """So much waits to be written that nothing more is taken in."""


class StoreFailed(Exception):
    """The store did not take it: the disk is full, or gone."""


def passed(point: str) -> None:
    """Called at each point that matters to what a lost process leaves behind; tests pull the plug here."""


class Apart(Exception):
    """Changes cannot be made in one go: something is to be said of one of them. Nothing was kept of any yet."""


@dataclass(slots=True)
class Kin:
    """What a change has in common with others, so that all of them can be made in one go."""

    of: Hashable
    given: Any
    work: Callable[[Session, list[Any]], list[Any]]
    """What is done with all that was given; raises Apart where each is to be done by itself."""


class Waiter(Protocol):
    """Where what comes of a change is waited for."""

    def set_result(self, result: Any, /) -> None:
        """It is on the disk."""

    def set_exception(self, problem: BaseException | None, /) -> None:
        """It was not made."""


@dataclass(slots=True)
class Job:
    """A change, and where its result is waited for."""

    work: Callable[[Session], Any]
    size: int
    done: Waiter
    kin: Kin | None = None
    after: Callable[[Any, Exception | None], None] | None = None
    """Told what came of it before whoever waits."""
    ring: Callable[[], None] | None = None
    """Wakes whoever waits, once for all that was made together."""


def _by_kin(jobs: Iterable[Job]) -> Iterable[list[Job]]:
    """Jobs with those of their kin, in the order in which the first of each came."""
    out: dict[Hashable, list[Job]] = {}
    for place, job in enumerate(jobs):
        out.setdefault(place if job.kin is None else job.kin.of, []).append(job)
    return out.values()


class Writer:
    """A thread that alone writes to the store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._waiting = self._bytes = 0
        self._guard = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Session], T], size: int = 0) -> Future[T]:
        """Have something written; refused where too much waits already."""
        done: Future[T] = Future()
        self.put(Job(work, size, done))
        return done

    def put(self, job: Job) -> None:
        """Have a change made, with others of its kin where some wait; refused where too much waits already."""
        with self._guard:
            if self._closed:
                message = "The service is being stopped."
                raise StoreFailed(message)
            if self._waiting >= MOST_JOBS or (self._waiting and self._bytes + job.size > MOST_BYTES):
                message = f"{self._waiting:,} changes wait to be written."
                raise Overloaded(message)
            self._waiting += 1
            self._bytes += job.size
            self._jobs.put(job)

    def do(self, work: Callable[[Session], T]) -> T:
        """Have something written, and wait for it."""
        return self.submit(work).result(timeout=60)

    @property
    def waiting(self) -> int:
        """How many changes wait."""
        return self._waiting

    def close(self) -> None:
        """Write what waits, and stop."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
        self._jobs.put(None)
        self._thread.join(timeout=30)

    # In the thread ---------------------------------------------------------------------------------------------------
    def _run(self) -> None:
        session: Session | None = None
        last = False
        while not last:
            first = self._jobs.get()
            jobs = [] if first is None else [first]
            last = first is None
            with contextlib.suppress(queue.Empty):
                while not last and len(jobs) < TOGETHER:
                    more = self._jobs.get_nowait()
                    last = more is None
                    jobs += [] if more is None else [more]
            if jobs:
                session = self._settle(session, jobs)
        if session is not None:
            session.connection.close()

    def _settle(self, session: Session | None, jobs: list[Job]) -> Session | None:
        """Write jobs together; where chance or one of them spoils that, again."""
        ended: list[tuple[Job, Any, Exception | None]] = []
        for attempt in range(TRIES):
            try:
                session = session or self.store.connect(write=True)
                ended = self._together(session, jobs)
                break
            except Exception as problem:
                self._let_go(session)
                session = None
                if attempt < TRIES - 1 and self.store.again(problem):
                    continue
                if len(jobs) > 1:
                    # One of them spoils it for the others: each alone.
                    for job in jobs:
                        session = self._settle(session, [job])
                    return session
                told: Exception = problem
                if isinstance(problem, self.store.failures):
                    told = StoreFailed(f"{type(problem).__name__}: {problem}")
                ended = [(job, None, told) for job in jobs]
                break
        with self._guard:
            self._waiting -= len(jobs)
            self._bytes -= sum(job.size for job in jobs)
        for job, result, wrong in ended:
            # Who asked may have gone in the meantime.
            with contextlib.suppress(Exception):
                if job.after is not None:
                    job.after(result, wrong)
                job.done.set_exception(wrong) if wrong is not None else job.done.set_result(result)
        for ring in {job.ring for job in jobs}:
            if ring is not None:
                ring()
        return session

    def _together(self, session: Session, jobs: list[Job]) -> list[tuple[Job, Any, Exception | None]]:
        ended: list[tuple[Job, Any, Exception | None]] = []
        session.before_commit.clear()
        session.do(sql.BEGIN[session.dialect])
        passed("begun")
        for several in _by_kin(jobs):
            ended += self._done(session, several)
        for write in session.before_commit.values():
            write(session)
        passed("before commit")
        session.do(sql.COMMIT)
        passed("after commit")
        return ended

    def _done(self, session: Session, jobs: list[Job]) -> list[tuple[Job, Any, Exception | None]]:
        """Make changes in one go; where that cannot be, each half of them, until each is made alone."""
        half, kin, results = len(jobs) // 2, jobs[0].kin, [None]
        wrong: Exception | None = None
        session.do(sql.SAVEPOINT)
        try:
            if half and kin is not None:
                results = kin.work(session, [job.kin.given for job in jobs if job.kin is not None])
            else:
                results = [jobs[0].work(session)]
        except (Problem, Apart) as problem:
            # Refused before anything was kept of it.
            session.do(sql.BACK)
            if half:
                session.do(sql.RELEASE)
                return self._done(session, jobs[:half]) + self._done(session, jobs[half:])
            wrong = problem
        session.do(sql.RELEASE)
        passed("job done")
        return [(job, result, wrong) for job, result in zip(jobs, results, strict=True)]

    def _let_go(self, session: Session | None) -> None:
        if session is not None:
            with contextlib.suppress(Exception):
                session.do(sql.ROLLBACK)
            with contextlib.suppress(Exception):
                session.connection.close()
