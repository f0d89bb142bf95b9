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
import numpy as np
import steelyard.comparisons.placing, steelyard.engines.sorting, steelyard.engines.streams
from steelyard.measures.scan import placement_walk
print(placement_walk(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0]), 3.0))
"""


def test_loops_are_compiled_where_nothing_can_be_written(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    package = tmp_path / "steelyard"
    shutil.copytree(Path(steelyard.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    # Root may write to any folder, so that a file stands where each folder for compiled loops would be made.
    for room in {p.parent for p in package.rglob("*.py")}:
        (room / "__pycache__").write_text("")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "HOME", "PYTHONPATH"))}
    nowhere = {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "/dev/null/cache", "PYTHONDONTWRITEBYTECODE": "1"}
    env = kept | nowhere | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(5.5, 10.25, 15.25)"
