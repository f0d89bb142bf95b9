"""Coverage of the intervals that are resampled, beside what coverage.json has, on the same draws: nothing is written.

python docs/studies/coverage_resampled.py [repeats [scenario ...]]

For a change of how copies are drawn: the numbers of resampled tables alone, of a few scenarios of every kind.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from coverage_study import HERE, SEED
from scenarios import scenarios

import steelyard as sy

SCENES = (
    "n 30, base rate 0.2, AUC 0.75",
    "n 200, base rate 0.1, AUC 0.9",
    "n 1,000, base rate 0.3, AUC 0.5",
    "n 5,000, base rate 0.01, AUC 0.8",
    "n 5,000, base rate 0.3, AUC 0.95",
    "n 1,000, 21 distinct scores",
    "n 300, random weights",
    "2 levels, n 50, nearly perfect",
    "2 levels, n 200",
    "2 levels, n 300, one rare",
    "3 levels, n 60",
    "5 levels, n 1,000, one at 1 %",
    "3 classes, n 100",
)


def main() -> None:
    """Print coverage before and after, in percent, and the width after over that before."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    study = json.loads((HERE / "coverage.json").read_text(encoding="utf-8"))
    known = {(s["family"], s["name"]): s["cells"] for s in study["scenarios"]}
    column = {name: i for i, name in enumerate(study["columns"])}
    wanted = sys.argv[2:] or SCENES
    for scene in (s for s in scenarios() if s.name in wanted and (s.family, s.name) in known):
        cells = {
            (row[column["measure"]], row[column["of"]]): row
            for row in known[scene.family, scene.name]
            if row[column["method"]].startswith(("bootstrap over cells", "Wilson, with the spread"))
            and row[column["of"]] != "each level"
            and " (" not in row[column["measure"]]
        }
        found: dict[tuple[str, str], list[tuple[bool, float]]] = {key: [] for key in cells}
        for i in range(repeats):
            e = sy.evaluate(**scene.draw(np.random.default_rng([SEED, zlib.crc32(scene.name.encode()), i])))
            for key, row in cells.items():
                x, true = e.measure(key[0], key[1] or None), row[column["truth"]]
                if x.low is not None and x.high is not None:
                    # The truth is kept with five digits.
                    slack = 1e-5 * max(1.0, abs(true))
                    found[key].append((x.low - slack <= true <= x.high + slack, x.high - x.low))
        print(f"\n{scene.family}: {scene.name} ({repeats} repeats)", flush=True)
        for (name, of), row in cells.items():
            hits, widths = np.array(found[name, of]).T
            before, now = row[column["coverage"]], 100 * hits.mean()
            wide = widths.mean() / row[column["width"]]
            print(
                f"  {name + ' ' + of:32s} {before:6.1f} {now:6.1f} ± {100 * hits.std() / len(hits) ** 0.5:.1f}  {wide:.3f}"
            )


if __name__ == "__main__":
    main()
