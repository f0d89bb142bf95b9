"""Memory: shared by threads, and given back to the system once it is needed no more."""

from __future__ import annotations

import contextlib
import ctypes

import pyarrow as pa

ARENAS = -8
"""What glibc calls the number of its pools."""


def share_memory() -> None:
    """Have threads and Arrow share two pools of memory, where the system can be told so: what one lets go, another takes."""
    pa.set_memory_pool(pa.system_memory_pool())
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(ARENAS, 2)


def give_back_memory() -> None:
    """Give back what is held and not used, which may be much after counting; otherwise a process stays as large as it ever was."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
