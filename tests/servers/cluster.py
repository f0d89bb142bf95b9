"""A Spark cluster on this machine: a master and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .process import Process, free_ports, wait_until

WORKERS = 2
BRISK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What Java is told: its second compiler pays only in programs that live longer than a test."""


def spark_home() -> Path:
    """Where the Spark that came with the Python package lives."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def spark_environment(folder: Path) -> dict[str, str]:
    """The environment of Spark's processes: everything on the loopback, everything written to one folder."""
    return {
        **os.environ,
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "512m",
        "SPARK_DAEMON_JAVA_OPTS": BRISK,
    }


class Cluster:
    """A standalone cluster; `url` is what a session names as its master."""

    def __init__(self, memory: str = "1g") -> None:
        self.memory = memory
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-spark-"))
        self.port, self.status_port = free_ports(2)
        self.url = f"spark://127.0.0.1:{self.port}"
        self._processes: list[Process] = []

    def start(self) -> Cluster:
        """Start the master and the workers, and wait until the master knows all of them."""
        place = "org.apache.spark.deploy"
        master = [f"{place}.master.Master", "--host", "127.0.0.1", "--port", str(self.port)]
        try:
            self._run("master", *master, "--webui-port", str(self.status_port))
            for i in range(WORKERS):
                work = ["--cores", "1", "--memory", self.memory, "--work-dir", str(self.folder / f"work {i}")]
                here = ["--host", "127.0.0.1", "--webui-port", "0"]
                self._run(f"worker {i}", f"{place}.worker.Worker", *here, *work, self.url)
            wait_until(lambda: self.alive() == WORKERS, "A cluster of two workers", self._processes)
        except BaseException:
            self.stop()
            raise
        return self

    def _run(self, name: str, *command: str) -> None:
        program = str(spark_home() / "bin" / "spark-class")
        log = self.folder / f"{name}.log"
        self._processes.append(Process([program, *command], log, spark_environment(self.folder)))

    def status(self) -> dict[str, Any]:
        """What the master says of its workers and applications; nothing where it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.status_port}/json/", timeout=5) as answer:
                found: dict[str, Any] = json.load(answer)
        except (OSError, ValueError):
            # For a moment after its start the master answers everything with its page for people.
            return {}
        return found

    def alive(self) -> int:
        """How many workers the master takes to be alive."""
        return int(self.status().get("aliveworkers", 0))

    def kill_worker(self, i: int) -> None:
        """End one worker and its executors without a word."""
        self._processes[1 + i].kill()

    def stop(self) -> None:
        """End everything, workers first."""
        for process in reversed(self._processes):
            process.stop()
        self._processes = []
        shutil.rmtree(self.folder, ignore_errors=True)
