"""Windows that were counted cannot tell timeliness, and say what can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import NotAvailable
from steelyard.monitors.windowed import load_windows

ROLES = {"unit": "who", "time": "when", "score": "p", "outcome": "y", "horizon": 31}


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(2)
    when = np.datetime64("2024-05-01") + rng.integers(0, 10 * 1440, 900).astype("timedelta64[m]")
    rows = {"when": when, "p": rng.random(900)}
    folder = tmp_path_factory.mktemp("counted")
    found = sy.monitor(rows, time="when", score="p", reference="first 6 windows")
    sy.windows(rows, time="when", baseline=found.baseline).save(folder / "days")
    return folder / "days"


@pytest.mark.parametrize("form", ["folder", "pattern", "file", "files", "windows", "one", "list"])
def test_windows_are_refused_with_what_to_do(form: str, days: Path) -> None:
    files = sorted(map(str, days.glob("*.json")))
    held: dict[str, Any] = {"folder": days, "pattern": f"{days}/*.json", "file": files[0], "files": files}
    if form not in held:
        windows = load_windows(files)
        held |= {"windows": windows, "one": windows[0], "list": [windows[0], windows[1]]}
    with pytest.raises(NotAvailable, match="cannot tell timeliness") as told:
        sy.timeliness(held[form], **ROLES)
    assert "t.save(path)" in told.value.hint and 'period="31 days"' in told.value.hint
