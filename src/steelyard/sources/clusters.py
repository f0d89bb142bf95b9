"""Spark clusters by their address: a session, and the files that the cluster reads."""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from steelyard.engines.answers import is_theirs
from steelyard.errors import MissingPart, UnreadableSource, UsageError
from steelyard.sources.spark import SparkTable

WAIT = 10
"""Seconds to wait for a cluster to answer at all."""
START = 60
"""Seconds to wait for a cluster to open a session, and then for its first small answer."""
MASTER = re.compile(r"local(\[[\w*,]+\])?|yarn|(spark|sc|k8s|local-cluster).*")


def session(address: str) -> Any:
    """A session of the cluster at an address, which has answered once."""
    if not MASTER.fullmatch(address) or not _has_port(address):
        message = f'"{_told(address)}" is not the address of a Spark cluster.'
        raise UsageError(message, "For example spark://host:7077, sc://host:15002 for Spark Connect, or local[2].")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql import SparkSession
    except ImportError:
        message = "Spark is spoken to with PySpark, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[spark]'") from None
    if address.startswith(("spark:", "sc:")):
        _knock(address)
    if address.startswith("sc:"):
        _greet(address)
    # A complaint is told once, in our words.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    builder = SparkSession.builder.appName("steelyard")
    builder = builder.remote(address) if address.startswith("sc:") else builder.master(address)
    found = _limited(builder.config("spark.ui.showConsoleProgress", "false").getOrCreate, address)
    cancel = (lambda: None) if address.startswith("sc:") else found.sparkContext.cancelAllJobs
    _limited(found.range(1).count, address, cancel)
    return found


def _has_port(address: str) -> bool:
    """Whether the port of an address is a number, or left out."""
    try:
        urlsplit(address.split(",", 1)[0]).port  # noqa: B018
    except ValueError:
        return False
    return True


def _knock(address: str) -> None:
    parts = urlsplit(address.split(",", 1)[0])
    place = (parts.hostname or "", parts.port or (15002 if parts.scheme == "sc" else 7077))
    try:
        socket.create_connection(place, timeout=WAIT).close()
    except OSError as problem:
        why = (
            f"it did not answer within {WAIT} seconds" if isinstance(problem, TimeoutError) else "nobody answers there"
        )
        message = f"No connection to the Spark cluster at {place[0]}:{place[1]}: {why}."
        raise UnreadableSource(message, "Check the address, and that the cluster is running.") from None


def _greet(address: str) -> None:
    """Wait for a server of Spark Connect to say a first word: a session that never got one would not let Python end."""
    try:
        grpc: Any = import_module("grpc")
        from pyspark.sql.connect.client.core import DefaultChannelBuilder
    except ImportError:
        message = "Spark Connect is spoken to with gRPC, which is not installed."
        raise MissingPart(message, "Install it: pip install 'pyspark[connect]'") from None
    channel = DefaultChannelBuilder(address).toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=WAIT)
    except grpc.FutureTimeoutError:
        raise _silent(address, WAIT) from None
    finally:
        channel.close()


def _silent(address: str, seconds: int) -> UnreadableSource:
    message = f"The Spark cluster at {_told(address)} was reached, but it gave no answer within {seconds} seconds."
    return UnreadableSource(message, "Check that workers are alive and free: the page of the master shows them.")


def _limited(ask: Callable[[], Any], address: str, give_up: Callable[[], Any] = lambda: None) -> Any:
    """What a cluster answers; one that accepts and says nothing, or has no free worker, would keep us waiting for ever."""
    found: list[Any] = []
    problems: list[Exception] = []

    def run() -> None:
        try:
            found.append(ask())
        except Exception as problem:
            problems.append(problem)

    asking = threading.Thread(target=run, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asking.start()
        asking.join(START)
    if problems:
        raise _refused(problems[0], address) from problems[0]
    if not found:
        give_up()
        raise _silent(address, START)
    return found[0]


def _refused(problem: Exception, address: str) -> Exception:
    if re.search("JAVA_GATEWAY_EXITED|JAVA_HOME", str(problem)) or isinstance(problem, FileNotFoundError):
        message = "Spark needs Java, and none was found on this machine."
        hint = "Install a Java of version 17 or newer, or use Spark Connect (sc://host:15002)."
        return MissingPart(message, hint)
    if not is_theirs(problem) and not isinstance(problem, RuntimeError):
        return problem
    message = f"No session on the Spark cluster at {_told(address)}."
    return UnreadableSource(message, "Look at the log of the cluster; its version must fit that of PySpark.")


def _told(address: str) -> str:
    from steelyard.sources.addresses import without_secrets

    return without_secrets(address.split(";", 1)[0])


def read_files(address: str, path: str) -> SparkTable:
    """The files at a path, read by a cluster that can see them."""
    from steelyard.sources.addresses import without_secrets

    reader = session(address).read
    suffix = re.sub(r"\.(gz|zst|bz2|snappy)$", "", path.rstrip("/*").lower())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if suffix.endswith((".csv", ".tsv", ".txt")):
                frame = reader.csv(path, header=True, inferSchema=True, sep="\t" if suffix.endswith(".tsv") else ",")
            elif suffix.endswith((".jsonl", ".ndjson", ".json")):
                frame = reader.json(path)
            elif suffix.endswith(".orc"):
                frame = reader.orc(path)
            elif "/" not in path and "." not in path.replace(".", "", 2) and not os.path.isdir(path):
                frame = reader.table(path)
            else:
                frame = reader.parquet(path)
            found = SparkTable(frame)
    except Exception as problem:
        if not is_theirs(problem):
            raise
        said = (
            re.sub(r"^\[[A-Z_.0-9]+\] ", "", str(problem).strip().splitlines()[0]).split(" SQLSTATE", 1)[0].rstrip(".")
        )
        message = f'The cluster cannot read "{without_secrets(path)}": {said}.'
        raise UnreadableSource(message, "Every worker must see the files under this path.") from problem
    found.title = without_secrets(path)
    return found
