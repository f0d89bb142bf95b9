"""One file a command: arguments only, one call to a room each; a command is imported when it is run."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """The program `steelyard`."""
    from steelyard.cli.program import run

    sys.exit(run(sys.argv[1:]))
