"""How many threads count at once."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path

from steelyard.errors import UsageError

MOST = 32
"""Each thread has a table of its own, and more of them would wait for memory."""
GROUPS = "/sys/fs/cgroup"


def allowed() -> int | None:
    """The threads that somebody allows: STEELYARD_THREADS, or what a pool of processes leaves each; None where nobody did."""
    said = os.environ.get("STEELYARD_THREADS")
    if said is None:
        # joblib tells its processes how many threads they may have, by the names of several libraries.
        found = os.environ.get("NUMBA_NUM_THREADS", "")
        return int(found) if found.isdigit() and int(found) > 0 else None
    if not (said.isdigit() and int(said) > 0):
        message = f'STEELYARD_THREADS is "{said}", which is no number of threads.'
        raise UsageError(message, "Write a whole number from 1 on, such as 4.")
    return int(said)


def threads() -> int:
    """As many as there are cores for this process, and no more than are allowed."""
    return max(1, min(MOST, cores(), allowed() or MOST))


@lru_cache(maxsize=1)
def pool(size: int) -> ThreadPoolExecutor:
    """So many threads that stay: what they have of memory is warm when the next rows come, which saves a quarter of the time."""
    return ThreadPoolExecutor(size, thread_name_prefix="steelyard")


# A forked process has none of these threads, and opens its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)


@cache
def cores() -> int:
    """The cores that this process may run on, or as many as its share of them amounts to."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([there, *shares(GROUPS, _read("/proc/self/cgroup"))])


def shares(root: str, told: str) -> list[int]:
    """The cores that the group of this process is given the time of, and each group around it; none where they may use all.

    `told` are lines of a number, controllers and a path. In a container of its own the path is that of the root.
    """
    found = []
    for line in told.splitlines() or ["0::/"]:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = Path(root, "cpu") if controllers else Path(root)
        inner = top / path.lstrip("/")
        for folder in {top, inner, *inner.parents}:
            if folder == top or top in folder.parents:
                texts = (_read(str(folder / name)) for name in ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"))
                found.append(share_of_container(*texts))
    return [share for share in found if share is not None]


def share_of_container(both: str, quota: str, period: str) -> int | None:
    """The cores that a container is given the time of; None where it may use all.

    >>> share_of_container("150000 100000", "", ""), share_of_container("max 100000", "", "")
    (2, None)
    >>> share_of_container("", "400000", "100000")
    4
    """
    time, _, every = both.partition(" ") if both else (quota, " ", period)
    if not (time.isdigit() and every.strip().isdigit() and int(every) > 0):
        return None
    return max(1, math.ceil(int(time) / int(every)))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
