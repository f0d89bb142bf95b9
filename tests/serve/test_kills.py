"""A process that ends without a word loses nothing that was acknowledged, and leaves nothing by halves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_sixty_kills_lose_nothing() -> None:
    """In a process of its own, which is copied for each kill: it holds no thread."""
    typed = [sys.executable, "-m", "tests.serve.kills", "60", "3"]
    done = subprocess.run(typed, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "50 kills: nothing that was acknowledged is lost" in done.stdout
