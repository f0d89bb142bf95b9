"""Tensors counted on a GPU beside the same rows copied to the host: `python bench/gpu.py`, on a machine that has one.

It needs NumPy, SciPy and Torch, and looks at CuPy where that is installed. The host is faster where Numba is.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "engines")]

ROWS = int(os.environ.get("BENCH_ROWS", 100_000_000))
FEWER = ROWS // 10
"""Rows of the questions that take the host long."""
LONG = 2.0
"""What takes more seconds than this, on the device or the host, is run once."""


def best(function: Callable[[], Any]) -> tuple[float, Any]:
    """The least wall time of three runs (of one that takes long) and what came of it, which has waited for the device."""
    least, found = float("inf"), None
    for _ in range(3):
        started = time.perf_counter()
        found = function()
        least = min(least, time.perf_counter() - started)
        if least > LONG:
            break
    return least, found


def bytes_to_host(function: Callable[[], Any]) -> int:
    """How many bytes every operation of Torch together brings from the device to the host."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    total = 0

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal total
            out = func(*args, **(kwargs or {}))
            tensors = [a for a in args if isinstance(a, torch.Tensor)]
            if any(t.is_cuda for t in tensors):
                if isinstance(out, torch.Tensor) and not out.is_cuda:
                    total += out.numel() * out.element_size()
                elif "_local_scalar_dense" in str(func):
                    total += tensors[0].element_size()
            return out

    with Watch():
        function()
    return total


def questions(torch: Any) -> dict[str, dict[str, Any]]:
    """Rows that are made on the device."""
    draw = torch.Generator(device="cuda").manual_seed(0)

    def normal(n: int) -> Any:
        return torch.randn(n, device="cuda", generator=draw)

    def whole(n: int, high: int) -> Any:
        return torch.randint(high, (n,), device="cuda", generator=draw)

    truth = torch.rand(ROWS, device="cuda", generator=draw) < 0.3
    score = torch.sigmoid(normal(ROWS) + 1.5 * truth - 1)
    few, half = truth[:FEWER], score[:FEWER].to(torch.bfloat16)
    amount = normal(FEWER) * 20 + 50
    part = {"target": few, "score": torch.sigmoid(normal(FEWER).double() + few)}
    return {
        "scores": {"target": truth.to(torch.uint8), "score": score},
        "scores of 16 bits": {"target": few.float(), "score": half},
        "scores, weights": part | {"weight": torch.rand(FEWER, device="cuda", generator=draw).double() + 0.1},
        "scores, units, segments": part | {"unit": whole(FEWER, 10**6), "segment": whole(FEWER, 5)},
        "scores, an amount": part | {"value": amount},
        "labels": {"target": whole(ROWS, 3), "prediction": whole(ROWS, 3)},
        "classes": {"target": whole(FEWER, 3), "score": {k: torch.sigmoid(normal(FEWER)) for k in range(3)}},
        "numbers": {"target": amount, "prediction": amount + normal(FEWER)},
    }


def moved(value: Any, change: Callable[[Any], Any]) -> Any:
    return {k: moved(v, change) for k, v in value.items()} if isinstance(value, dict) else change(value)


def on_host(tensor: Any) -> Any:
    # NumPy has no bfloat16.
    return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).cpu().numpy()


def in_cupy(tensor: Any) -> Any:
    import cupy

    return cupy.from_dlpack(tensor)


def size_of(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    return int(value.numel() * value.element_size())


def main() -> None:
    if not importlib.util.find_spec("torch"):
        print("Torch is not installed here, so there is nothing to compare.")
        return
    import torch

    if not torch.cuda.is_available():
        print("This machine has no GPU that Torch can use, so there is nothing to compare.")
        return
    from alike import alike

    import steelyard as sy

    compiled = "with" if importlib.util.find_spec("numba") else "without"
    print(f"{torch.cuda.get_device_name()}, Torch {torch.__version__}; the host {compiled} compiled loops")
    print("seconds; MB of rows on the device, MB that came back, GB of the device's memory in use beside the rows\n")
    print(
        f"{'':<26}{'rows':>12}{'device':>9}{'copy':>8}{'host':>8}{'CuPy':>8}{'rows MB':>10}{'back MB':>9}{'peak GB':>9}"
    )
    asked = questions(torch)
    for name, roles in asked.items():

        def device(roles: Any = roles) -> Any:
            return sy.evaluate(**roles)

        rows = len(roles["target"])
        device()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        took, found = best(device)
        peak = torch.cuda.max_memory_allocated() - before
        back = bytes_to_host(device)
        copy, host = best(lambda roles=roles: moved(roles, on_host))
        # The first rows alone, so that no loop is compiled while the clock runs.
        sy.evaluate(**moved(host, lambda x: x[:300_000]))
        took_host, wanted = best(lambda host=host: sy.evaluate(**host))
        assert found.facts["engine"] == "tensors"
        assert wanted.facts["engine"] == "arrays"
        alike(found, wanted)
        cupy = "–"
        # CuPy has no bfloat16 either.
        if importlib.util.find_spec("cupy") and "16 bits" not in name:
            same = moved(roles, in_cupy)
            sy.evaluate(**same)
            took_cupy, found = best(lambda same=same: sy.evaluate(**same))
            alike(found, wanted)
            cupy = f"{took_cupy:.3f}"
        size = size_of(roles)
        line = f"{name:<26}{rows:>12,}{took:>9.3f}{copy:>8.3f}{took_host:>8.3f}{cupy:>8}"
        print(f"{line}{size / 1e6:>10,.1f}{back / 1e6:>9,.2f}{peak / 1e9:>9.2f}", flush=True)
    print("\nEvery evidence is alike: counts exactly, sums to 1e-12.")


if __name__ == "__main__":
    main()
