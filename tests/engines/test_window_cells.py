"""Numbers counted by window in compiled loops lie where the bins say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steelyard.engines.binned import Intervals

pytest.importorskip("numba")
from steelyard.engines.window_cells import WindowNumbers

BINS = {
    "edges": Intervals((0.25, 0.5)),
    "ends": Intervals((0.25, 0.5), ends=(0.1, 0.9)),
    "special": Intervals((0.25,), special=(-1.0, 0.5), ends=(0.0, 1.0)),
    "known": Intervals((0.25, 0.5), ends=(0.0, 1.0), known=(0.0, 0.25, 0.5, 0.75, 1.0)),
    "whole": Intervals((3.0, 5.0), ends=(1.0, 9.0), known=(1.0, 3.0, 4.0, 5.0, 9.0), special=(4.0,)),
    "one": Intervals((), ends=(0.3, 0.3)),
    "bare": Intervals(()),
}


@pytest.mark.parametrize("kind", ["plain", "awkward", "whole", "whole with gaps", "whole and new"])
def test_numbers_lie_where_the_bins_say(kind: str) -> None:
    rng = np.random.default_rng(5)
    n, first, windows = 7000, 40, 5
    x = np.round(rng.random(n), 2)
    if kind.startswith("whole"):
        x = rng.choice([1.0, 3.0, 4.0, 5.0, 9.0], n)
        x[:900] = {"whole": 4.0, "whole with gaps": np.nan, "whole and new": 7.0}[kind]
    if kind == "awkward":
        odd: list[Any] = [np.nan, np.inf, -np.inf, -1.0, 0.5, -0.0, 1e300, -1e300, 0.30000000000000004]
        x[rng.integers(0, n, 900)] = rng.choice(odd, 900)
    place = first + rng.integers(0, windows - 1, n)
    counting = WindowNumbers(BINS, first, windows)
    for part in np.array_split(np.arange(n), 3):
        counting.count(place[part], [x[part] for _ in BINS])
    found = counting.cells
    for name, bins in BINS.items():
        cells = bins.place(x.copy())
        size = bins.missing + 1 + bins.new
        for w in range(windows):
            mine = place == first + w
            assert found[name].counts[w].tolist() == np.bincount(cells[mine], minlength=size).tolist(), (name, w)
            new = x[mine & (cells > bins.missing)]
            ends = [new.min(), new.max()] if len(new) else [np.inf, -np.inf]
            assert found[name].extremes[w].tolist() == ends, (name, w)
