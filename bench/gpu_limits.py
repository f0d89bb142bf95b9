"""Scores on a GPU beside what the device allows: `python bench/gpu_limits.py [rows ...]`, on a machine that has one.

Each line is the least wall time of several runs, rows on the device before and nothing but the answer brought to the host.
It needs NumPy, SciPy, Torch and Triton; torchmetrics is asked where it is installed.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]
SIZES = [int(float(word)) for word in sys.argv[1:]] or [10**8, 10**9]
ENOUGH = 2.0
"""Seconds of runs after which no other is made."""


def seconds(function: Callable[[], Any], runs: int = 5) -> float:
    """The least wall time, the device waited for."""
    import torch

    function()
    best, spent = float("inf"), 0.0
    for _ in range(runs):
        torch.cuda.synchronize()
        started = time.perf_counter()
        function()
        torch.cuda.synchronize()
        took = time.perf_counter() - started
        best, spent = min(best, took), spent + took
        if spent > ENOUGH:
            break
    return best


def peak(function: Callable[[], Any]) -> int:
    """Bytes of the device in use at most beside what was there."""
    import torch

    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    function()
    return int(torch.cuda.max_memory_allocated()) - before


def drawn(rows: int, kind: str) -> tuple[Any, Any]:
    """A target of 30 % and scores of this kind."""
    import torch

    draw = torch.Generator(device="cuda").manual_seed(0)
    truth = torch.rand(rows, device="cuda", generator=draw) < 0.3
    score = torch.randn(rows, device="cuda", generator=draw)
    score.add_(truth, alpha=1.5).sub_(1.0)
    if kind != "log-odds":
        score.sigmoid_()
    if kind == "two digits":
        score.mul_(100).round_().div_(100)
    return truth.to(torch.uint8), {"16 bits": score.half, "64 bits": score.double}.get(kind, lambda: score)()


def main() -> None:
    if not importlib.util.find_spec("torch"):
        print("Torch is not installed here, so there is nothing to measure.")
        return
    import torch

    if not torch.cuda.is_available():
        print("This machine has no GPU that Torch can use, so there is nothing to measure.")
        return
    import steelyard as sy

    print(f"{torch.cuda.get_device_name()}, Torch {torch.__version__}")
    for rows in SIZES:
        for kind in ("probabilities", "two digits", "log-odds", "16 bits", "64 bits"):
            if kind == "64 bits" and rows > 10**8:
                continue
            target, score = drawn(rows, kind)
            given = f"{rows:,} rows, {kind}"
            once = seconds(lambda score=score, target=target: (score.max(), target.max()))
            counted = seconds(lambda t=target, s=score: sy.evaluate(target=t, score=s))
            room = peak(lambda t=target, s=score: sy.evaluate(target=t, score=s))
            size = score.numel() * (score.element_size() + 1)
            print(
                f"{given}: read once {once * 1e3:.2f} ms; evaluate {counted * 1e3:.1f} ms, {room / size:.1%} more memory",
                flush=True,
            )
            if kind == "probabilities":
                every = seconds(lambda t=target, s=score: sy.evaluate(target=t, score=s).frame())
                print(f"{given}: evaluate and all numbers with intervals {every * 1e3:.0f} ms", flush=True)
            if kind in {"probabilities", "64 bits", "log-odds"}:
                sort = seconds(lambda s=score: torch.sort(s))
                area = lambda t=target, s=score: sy.evaluate(target=t, score=s, exact=True)["auc"]  # noqa: E731
                exact, room = seconds(area, 3), peak(area)
                print(
                    f"{given}: torch.sort {sort * 1e3:.1f} ms; exact area with its interval {exact * 1e3:.0f} ms "
                    f"({exact / sort:.1f} x), "
                    f"{room / (score.numel() * score.element_size()):.1f} times the scores of memory",
                    flush=True,
                )
            if kind == "probabilities" and rows <= 10**8 and importlib.util.find_spec("torchmetrics"):
                from torchmetrics.functional.classification import binary_auroc

                took = seconds(lambda t=target, s=score: binary_auroc(s, t.int()))
                print(f"{given}: the area alone by torchmetrics {took * 1e3:.0f} ms", flush=True)
            del target, score
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
