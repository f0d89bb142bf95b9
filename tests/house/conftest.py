"""All of these read the same source, so one process does it."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What reads the source shares what was read; what adds to a copy of the house does not."""
    for item in items:
        if item.path.parent == HERE and item.path.name != "test_adding.py":
            item.add_marker(pytest.mark.xdist_group("house"))
