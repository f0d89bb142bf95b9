"""Where to look first: the window in which a signal left its bounds for good, before what stands now fired."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from steelyard.views.monitor import first_out

FLICKERS = (
    "W34 warn ok pending; W35 warn pending firing; W36 warn firing recovering; W37 warn recovering firing;"
    "W38 warn firing recovering; W41 alarm ok pending; W41 warn recovering firing; W42 alarm pending firing"
)
GROWS = "W34 warn ok pending; W35 warn pending firing; W38 alarm ok pending; W39 alarm pending firing"
ONCE = "W20 warn ok pending; W21 warn pending ok; W30 warn ok pending; W31 warn pending firing"


@pytest.mark.parametrize(
    ("told", "fired", "first"), [(FLICKERS, "W42", "W41"), (GROWS, "W39", "W34"), (ONCE, "W31", "W30")]
)
def test_windows_that_were_within_bounds_begin_nothing(told: str, fired: str, first: str) -> None:
    names = ("window", "severity", "before", "after")
    alarms = [SimpleNamespace(signal="auc", **dict(zip(names, t.split(), strict=True))) for t in told.split(";")]
    assert first_out(SimpleNamespace(alarms=alarms, fired_in=lambda _: fired), "auc") == first  # type: ignore[arg-type]
