"""The long run: `python -m tests.fuzz.long [calls] [seed]` makes so many calls and commands and prints each fault once.

`make fuzz` runs it with 20,000; `python -m tests.fuzz.long --call NUMBER [seed]` makes one again.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections import Counter
from random import Random

from . import functions, results, services  # noqa: F401, their calls are drawn too
from .calls import drawn
from .faults import fault, shown


def made(seed: int, number: int) -> tuple[str, str]:
    """What one number stands for: the call in a line, and its fault."""
    rng = Random(f"{seed}:{number}")
    if number % 4 == 3:
        from .commands import command_fault, drawn_command

        line = drawn_command(rng)
        return "steelyard " + " ".join(line), command_fault(line)
    call, honest = drawn(rng)
    text = shown(call)
    return text, fault(call, honest)


def kind_of(text: str, found: str) -> str:
    """Faults that are alike but for numbers count as one."""
    return text.split("(")[0].split(" --")[0][:60] + ": " + re.sub(r"[-0-9.e]+", "#", found)[:160]


def main(arguments: list[str]) -> int:
    """Run, and tell what was found."""
    os.chdir(tempfile.mkdtemp())
    if arguments[:1] == ["--call"]:
        text, found = made(int((arguments[2:] or ["0"])[0]), int(arguments[1]))
        print(text, "\n→", found or "well")
        return int(bool(found))
    calls, seed = int((arguments or ["20000"])[0]), int((arguments[1:] or ["0"])[0])
    seen: Counter[str] = Counter()
    start = time.perf_counter()
    for number in range(calls):
        text, found = made(seed, number)
        if found:
            kind = kind_of(text, found)
            if not seen[kind]:
                print(f"{number}: {text[:400]}\n    → {found}", flush=True)
            seen[kind] += 1
    print(f"{calls:,} calls, {sum(seen.values())} faults of {len(seen)} kinds, {time.perf_counter() - start:.0f} s")
    return int(bool(seen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
