"""A Spark Connect server: the session is in another process and speaks over the network."""

from __future__ import annotations

import shutil
import socket
import tempfile
from pathlib import Path

from .cluster import BRISK, spark_environment, spark_home
from .process import Process, free_ports, wait_until

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


class ConnectServer:
    """A server with two threads of its own; `url` is what a session names as its remote."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-connect-"))
        (self.port,) = free_ports(1)
        self.url = f"sc://127.0.0.1:{self.port}"
        self._process: Process | None = None

    def start(self) -> ConnectServer:
        """Start the server and wait until it listens."""
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.ui.enabled": "false",
        }
        command = [str(spark_home() / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]"]
        command += ["--driver-memory", "1g", "--driver-java-options", BRISK]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        # Where this is set, Spark's own scripts would take the server for a client.
        environment = {k: v for k, v in spark_environment(self.folder).items() if k != "SPARK_CONNECT_MODE_ENABLED"}
        self._process = Process([*command, "spark-internal"], self.folder / "server.log", environment)
        try:
            wait_until(self._listens, "A Spark Connect server", [self._process])
        except BaseException:
            self.stop()
            raise
        return self

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """End the server."""
        if self._process is not None:
            self._process.stop()
        self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)
