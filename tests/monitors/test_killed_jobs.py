"""The nightly job killed at random moments: no window is lost, none is counted twice, and the state can be read."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.files.window_files import files_of_windows
from steelyard.monitors.standing import changed, state_in
from steelyard.monitors.windowed import CountedWindow, Windows, load_windows

from .conftest import stream

MOMENTS = int(os.environ.get("STEELYARD_KILLS", "24"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a job is killed in a process that was forked")


def counts(tmp_path: Path) -> tuple[Windows, Windows, sy.Evaluation]:
    rows = stream(3, days=16, a_day=120, bad=slice(12, 16))
    base = sy.monitor(rows, time="when", target="y", score="p", reference="first 8 windows").baseline
    base.save(tmp_path / "b.json")
    early = rows.assign(y=rows["y"].astype(float).where(rows.index % 3 > 0))
    return *(sy.windows(x, time="when", baseline=base) for x in (early, rows)), base


def killed(job, after: float) -> None:
    """Run in a process of its own, and end that at once after so many seconds."""
    child = os.fork()
    if not child:
        try:
            job()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_kill_at_many_moments(tmp_path: Path) -> None:
    early, late, base = counts(tmp_path)
    folder, rng = tmp_path / "days", random.Random(4)
    early.save(folder)
    known = {w.name: (a.summary, w.summary) for a, w in zip(early, late, strict=True)}
    m = sy.monitor(late, reference=base)

    def night(number: int) -> list[CountedWindow]:
        until = f"2024-04-01T00:00:{number % 60:02d}+00:00"
        until = until.replace("04-01T00", f"04-01T{number // 60:02d}")
        return [replace(w, until=until) for w in (late if number % 2 else early)]

    began = time.monotonic()
    Windows(night(0)).save(folder)
    m.look(folder)
    whole = max(time.monotonic() - began, 0.02)
    finished = 0
    for number in range(1, MOMENTS + 1):

        def job(number: int = number) -> None:
            Windows(night(number)).save(folder)
            m.look(folder)
            changed(folder, mute=["volume"])
            changed(folder, unmute=["volume"])

        killed(job, min(rng.random() * 1.5 * whole, 10.0))
        found = load_windows(files_of_windows(folder))
        assert [w.name for w in found] == list(known)
        assert all(w.summary in known[w.name] for w in found)
        assert state_in(folder).looked
        done = all(w.until == night(number)[0].until for w in found)
        finished += done
        # A machine that is busy takes longer now and then: what is waited for follows it.
        whole *= 0.9 if done else 1.1
        old = [CountedWindow.load(p) for p in (folder / "history").glob("[!.]*.json")]
        assert all(w.summary in known[w.name] for w in old)
        for p in (folder / "history").glob("*"):
            p.unlink()
    assert 0 < finished < MOMENTS, "some jobs were killed before their end, some were not"
    # The next night goes on as if nothing had happened.
    Windows(night(MOMENTS + 1)).save(folder)
    assert {w.until for w in load_windows(files_of_windows(folder))} == {night(MOMENTS + 1)[0].until}


def test_two_jobs_at_once_wait_for_each_other(tmp_path: Path) -> None:
    early, late, _ = counts(tmp_path)
    folder = tmp_path / "days"
    early.save(folder)
    children = []
    for k in range(6):
        child = os.fork()
        if not child:
            code = 1
            try:
                (late if k % 2 else early).save(folder)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [0] * 6
    found = load_windows(files_of_windows(folder))
    assert {w.summary == b.summary or w.summary == a.summary for w, a, b in zip(found, early, late, strict=True)} == {
        True
    }
    # Every count that was replaced by another one is in the history, none of them twice.
    for w in found:
        assert len(list((folder / "history").glob(f"{w.name}.*.json"))) == w.revision - 1
