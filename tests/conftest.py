"""How the tests run: how hard Hypothesis tries, which files are tests, and the servers that several rooms ask."""

import atexit
import gc
import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from .servers.fixtures import postgres, spark, spark_address, spark_cluster, spark_connect, spark_server

__all__ = ["postgres", "spark", "spark_address", "spark_cluster", "spark_connect", "spark_server"]

# No deadline and no complaint about slow draws: a busy machine is not a failing test.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)

# The same examples every time, so that a red test is red for a change and not for luck; "thorough" draws new ones.
settings.register_profile("default", _patient, max_examples=40, derandomize=True)
settings.register_profile("thorough", _patient, max_examples=500)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "default")


if os.environ.get("PYTEST_XDIST_WORKER"):
    # The tests are over and servers are stopped: a process of tests ends without asking each library what is still held, of which
    # some tell at length below the result.
    atexit.register(os._exit, 0)


# Modules and thousands of tests stay until the end: nobody need look through them for what has gone, now or at each later look.
gc.disable()


def pytest_collection_finish() -> None:
    """All that there is by now is kept apart from what the tests make."""
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave alone what the tests merely use: docstring examples are looked for in src, not in every file here."""
    name = collection_path.name
    return True if name.endswith(".py") and not name.startswith("test_") and name != "conftest.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a module sets up for all of its tests is set up once: they run in one process, unless they are of another group."""
    for item in items:
        used = getattr(item, "_fixtureinfo", None)
        once = used is not None and any(
            found[-1].scope == "module" and not name.startswith("_") for name, found in used.name2fixturedefs.items()
        )
        if once and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(item.config.rootpath).as_posix()))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers of a test's own: the same whichever tests ran before it in the same process."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
