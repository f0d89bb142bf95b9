"""Is the board understood from its first screens? Draws five models whose trouble nobody is told, and pictures of their pages.

python docs/studies/first_boards.py FOLDER SEED leaves pictures, and truth.json, to be read after answers were given.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stories"))

from on_call import OnCall

from steelyard.board.invented import SCORED, Columns, InventedModel, Numbers, invent

KINDS = {
    "worn": ("worse", "the model", "retrain, or fall back"),
    "moved": ("a feature moved, the model not shown to be worse", "the data", "find out why; nothing to retrain yet"),
    "both": ("worse, and a feature moved", "the data and the model", "find out why, retrain"),
    "silent": ("no rows come", "the delivery", "ask whoever sends the rows"),
    "waiting": ("no verdict yet", "labels that are not in", "send labels, wait"),
    "calm": ("nothing is wrong", "nothing", "nothing to do"),
}
NAMES = ("alder", "birch", "cedar", "elm", "fir")
NOW = datetime(2026, 10, 12, 9, 0, tzinfo=UTC)


def model(name: str, kind: str, since: int) -> InventedModel:
    """A model with this trouble since so many weeks."""

    def draw(rng: np.random.Generator, before: Numbers) -> Columns:
        n, late = len(before), before < since
        known = 1.5 * rng.normal(size=n)
        lost = late & (rng.random(n) < 0.6) if kind in {"worn", "both"} else np.zeros(n, dtype=bool)
        seen = np.where(lost, 1.5 * rng.normal(size=n), known)
        moved = late if kind in {"moved", "both"} else np.zeros(n, dtype=bool)
        told = {"income": np.exp(rng.normal(8 + 0.5 * moved, 0.4, n)).round(), "visits": rng.poisson(4, n)}
        return told | {
            "p": (1 / (1 + np.exp(1 - seen))).round(4),
            "y": (rng.random(n) < 1 / (1 + np.exp(1 - known))).astype(int),
        }

    wait = (60.0, 90.0) if kind == "waiting" else (1.0, 8.0)
    said = {**SCORED, "window": "week", "owner": "somebody"}
    made = InventedModel(name, said, draw, windows=26, rows=600, features=("income", "visits"), late=wait)
    return replace(made, stopped=2.3 if kind == "silent" else 0.0)


def main(folder: Path, seed: int) -> None:
    """Pictures, and what is true."""
    rng = np.random.default_rng(seed)
    kinds = [str(k) for k in rng.permutation(list(KINDS))[: len(NAMES)]]
    weeks = [int(rng.integers(5, 13)) for _ in NAMES]
    truth: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as play:
        one = OnCall(Path(place))
        one.now = NOW
        invent(one.service, tuple(model(*x) for x in zip(NAMES, kinds, weeks, strict=True)))
        for name, kind, since in zip(NAMES, kinds, weeks, strict=True):
            began = NOW - timedelta(weeks=2.3 if kind == "silent" else since)
            state, about, do = KINDS[kind]
            truth[name] = {"state": state, "since": f"{began:%G-W%V}", "about": about, "do": do}
        with one.served():
            browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
            for width, height in ((1280, 800), (360, 740)):
                context = browser.new_context(base_url=one.base, viewport={"width": width, "height": height})
                context.add_cookies([{"name": "steelyard", "value": one.token, "url": one.base}])
                page = context.new_page()
                for name, address in {"board": "/", **{n: f"/models/{n}" for n in NAMES}}.items():
                    page.goto(address)
                    page.screenshot(path=folder / f"{name}-{width}.png")
            browser.close()
        one.service.close()
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
