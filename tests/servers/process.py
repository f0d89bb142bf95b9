"""Processes of servers, which end with the tests however those end."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# The shell waits on a pipe that only we hold: it sees its end when we close it, and also when we are killed.
GUARD = """
"$@" </dev/null &
child=$!
trap '' TERM
read -r _ || true
kill -s "$SIGNAL" 0 "$child" 2>/dev/null
i=0
while kill -0 "$child" 2>/dev/null && [ "$i" -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill -s KILL 0
"""


class Process:
    """A command in a process group of its own; what it prints goes to a file."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        signal: str = "TERM",
        user: str | None = None,
    ) -> None:
        self.command = list(command)
        self.log = log
        with log.open("ab") as file:
            self._guard = subprocess.Popen(
                ["sh", "-c", GUARD, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**environment, "SIGNAL": signal},
                user=user,
                start_new_session=True,
            )

    @property
    def group(self) -> int:
        """The number of the process group."""
        return self._guard.pid

    def stop(self) -> None:
        """Ask it to end, and end it with force after ten seconds."""
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        self._guard.wait(timeout=30)

    def kill(self) -> None:
        """End it and its children at once, as a machine that is switched off."""
        subprocess.run(["kill", "-s", "KILL", "--", f"-{self.group}"], check=False)
        self.stop()

    def last_words(self) -> str:
        """The end of what it printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-2000:]


def free_ports(n: int) -> list[int]:
    """Ports of the loopback that nobody listens on, found together so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait_until(ready: Callable[[], bool], what: str, processes: Sequence[Process], seconds: float = 180.0) -> None:
    """Wait until something holds; when it does not come about, say what the processes said last."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            told = "\n".join(p.last_words() for p in processes)
            message = f"{what} did not come about within {seconds:.0f} seconds.\n{told}"
            raise TimeoutError(message)
        time.sleep(0.2)
