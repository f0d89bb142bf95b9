"""An evaluation, and the same rows in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard as sy

from .asked import P, Y


@pytest.fixture
def e() -> sy.Evaluation:
    return sy.evaluate(target=Y, score=P)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "pp.csv"
    path.write_text("\n".join(["y,p", *(f"{y},{p}" for y, p in zip(Y, P, strict=True)), ""]))
    return path
