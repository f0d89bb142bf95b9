"""Nothing needs a place to write: neither the package's own folder nor a home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard

CODE = """
import numpy as np, steelyard as sy
rng = np.random.default_rng(1)
y = rng.integers(0, 2, 300_000)
p = np.round(rng.random(300_000), 6)
e = sy.evaluate(target=y, score=p)
print(e.rows, repr(float(e["auc"])))
"""


def test_many_rows_are_counted_where_nothing_can_be_written(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    package = tmp_path / "steelyard"
    shutil.copytree(Path(steelyard.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    # Root may write to any folder, so that a file stands where each folder for compiled loops would be made.
    for room in {p.parent for p in package.rglob("*.py")}:
        (room / "__pycache__").write_text("")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "HOME", "PYTHONPATH"))}
    nowhere = {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "/dev/null/cache", "PYTHONDONTWRITEBYTECODE": "1"}
    told = [
        subprocess.run([sys.executable, "-c", CODE], env=env, cwd="/", capture_output=True, text=True, check=False)
        for env in (
            kept | nowhere | {"PYTHONPATH": str(tmp_path)},
            os.environ | {"PYTHONPATH": str(package.parents[0])},
        )
    ]
    assert told[0].returncode == 0, told[0].stderr
    assert told[0].stdout == told[1].stdout
    assert told[0].stdout.startswith("300000 ")
