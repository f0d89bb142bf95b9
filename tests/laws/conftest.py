"""The laws hold for any number of bootstrap replicates, so a few will do."""

from collections.abc import Iterator

import pytest

from .reading import few_replicates


@pytest.fixture(scope="module", autouse=True)
def _fast_bootstrap() -> Iterator[None]:
    with few_replicates():
        yield
