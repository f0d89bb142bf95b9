"""Spark clusters by their address: a session that has answered once."""

from __future__ import annotations

import logging
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
from steelyard.wording import Code, option

WAIT = 10
"""Seconds to wait for a cluster to answer at all."""
START = 60
"""Seconds to wait for a cluster to open a session, and then for its first small answer."""
MASTER = re.compile(
    r"local(\[(\*|[1-9]\d*)(, ?[1-9]\d*)?\])?|local-cluster\[\d+, ?\d+, ?\d+\]|yarn|(spark|sc|k8s)://.+"
)


def is_session(spark: object) -> bool:
    """Whether it is a session of Spark or Spark Connect, and not the address of a cluster."""
    return type(spark).__module__.startswith("pyspark.sql.") and type(spark).__name__ == "SparkSession"


def session(spark: object) -> Any:
    """A session of the cluster at an address, which has answered once; a session of the user's is left as it is."""
    if is_session(spark):
        return spark
    if not isinstance(spark, str):
        message = (
            f"{option('spark')} is the address of a cluster or a session "
            f"of Spark; what came is of type {type(spark).__name__}."
        )
        raise UsageError(message, "For example spark://host:7077, sc://host:15002 for Spark Connect, or local[2].")
    address = spark
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
    if (theirs := _running(address)) is not None:
        _limited(theirs.range(1).count, address)
        return theirs
    builder = SparkSession.builder.appName("steelyard")
    builder = builder.remote(address) if address.startswith("sc:") else builder.master(address)
    found = _limited(builder.config("spark.ui.showConsoleProgress", "false").getOrCreate, address)
    if not address.startswith("sc:"):
        # Java would write the whole way to every complaint to stderr.
        found.sparkContext.setLogLevel("OFF")
    cancel = (lambda: None) if address.startswith("sc:") else found.sparkContext.cancelAllJobs
    _limited(found.range(1).count, address, cancel)
    return found


def _running(address: str) -> Any:
    """The session that this process has already, if it is one of the same cluster: there can be but one of a kind."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = SparkContext._active_spark_context
    if context is None or address.startswith("sc:"):
        return None
    if (other := context.master or "") != address:
        message = f"This process has a session of Spark already, on {_told(other)}, and can have but one."
        hint = f"Pass that session, {option('spark', Code('session'))}, or stop it first: session.stop()."
        raise UsageError(message, hint)
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


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
    from steelyard.files.addresses import without_secrets

    return without_secrets(address.split(";", 1)[0])
