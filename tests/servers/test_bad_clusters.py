"""What goes wrong with a Spark cluster is told in a sentence, within a time limit, and without secrets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.sources import clusters

from .cluster import spark_environment, spark_home
from .fixtures import need_java
from .process import Process, free_ports, wait_until
from .test_bad_input import NEVER, ROLES, WRONG, told

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'steelyard[test]'.")


def _spark(address: str) -> SteelyardError:
    return told(lambda: sy.table("rows.parquet", spark=address))


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "WAIT", 1)
    (port,) = free_ports(1)
    found = _spark("http://127.0.0.1:8080")
    assert found.message == '"http://127.0.0.1:8080" is not the address of a Spark cluster.'
    assert found.hint == "For example spark://host:7077, sc://host:15002 for Spark Connect, or local[2]."
    for scheme in ("spark", "sc"):
        found = _spark(f"{scheme}://127.0.0.1:{port}")
        assert found.message == f"No connection to the Spark cluster at 127.0.0.1:{port}: nobody answers there."
        assert found.hint == "Check the address, and that the cluster is running."
    found = _spark("http://me:" + quote(WRONG, safe="") + "@127.0.0.1:1")
    assert found.message == '"http://127.0.0.1:1" is not the address of a Spark cluster.'
    found = _spark(f"sc://127.0.0.1:{port}/;token={quote(WRONG, safe='')}")
    assert found.message == f"No connection to the Spark cluster at 127.0.0.1:{port}: nobody answers there."
    found = _spark("sc://127.0.0.1:many")
    assert found.message == '"sc://127.0.0.1:many" is not the address of a Spark cluster.'


def _alone(call: str, before: str = "", limit: int = 30, **environment: str) -> str:
    """What a call says in a process of its own: a session lasts as long as its process."""
    program = f"""
        import sys, warnings
        warnings.simplefilter("ignore")
        {before or "pass"}
        import steelyard as sy
        from steelyard.errors import SteelyardError
        from steelyard.sources import clusters
        clusters.WAIT = clusters.START = {limit}
        try:
            {call}
        except SteelyardError as problem:
            print(problem)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    given = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **environment}
    run = subprocess.run(command, env=given, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in run.stderr, run.stderr[-2000:]
    return run.stdout.strip()


def test_no_java(tmp_path: Path) -> None:
    for given in ({"PATH": "/nowhere", "JAVA_HOME": ""}, {"JAVA_HOME": str(tmp_path / "nowhere")}):
        assert _alone("sy.table('rows.parquet', spark='local[1]')", **given) == (
            "Spark needs Java, and none was found on this machine.\n"
            "Hint: Install a Java of version 17 or newer, or use Spark Connect (sc://host:15002)."
        )


def test_no_driver() -> None:
    found = _alone("sy.table('rows.parquet', spark='local[1]')", "sys.modules['pyspark'] = None")
    assert found == (
        "Spark is spoken to with PySpark, which is not installed.\nHint: Install it: pip install 'steelyard[spark]'"
    )
    found = _alone("sy.table('postgresql://me@127.0.0.1/shop?table=t')", "sys.modules['psycopg'] = None")
    assert found == (
        "PostgreSQL is spoken to with psycopg, which is not installed.\n"
        "Hint: Install it: pip install 'steelyard[postgres]'"
    )


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_a_cluster_that_accepts_and_never_answers(scheme: str) -> None:
    need_java()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        found = _alone(f"sy.table('rows.parquet', spark='{scheme}://127.0.0.1:{port}')", limit=2)
    assert found.startswith(
        f"The Spark cluster at {scheme}://127.0.0.1:{port} was reached, but it gave no answer within 2 seconds."
    )


def test_a_master_without_workers(tmp_path: Path) -> None:
    need_java()
    port, page = free_ports(2)
    place = "org.apache.spark.deploy.master.Master"
    command = [str(spark_home() / "bin" / "spark-class"), place, "--host", "127.0.0.1", "--port", str(port)]
    master = Process([*command, "--webui-port", str(page)], tmp_path / "log", spark_environment(tmp_path))
    try:
        wait_until(lambda: "I have been elected leader" in master.last_words(), "A master", [master], 90)
        found = _alone(f"sy.table('rows.parquet', spark='spark://127.0.0.1:{port}')", limit=4)
    finally:
        master.stop()
    assert found == (
        f"The Spark cluster at spark://127.0.0.1:{port} was reached, but it gave no answer within 4 seconds.\n"
        "Hint: Check that workers are alive and free: the page of the master shows them."
    )


@pytest.mark.xdist_group("spark")
def test_frames_of_spark(spark_connect: Any) -> None:
    rows = spark_connect.createDataFrame(pa.table({"y": [1, 0, 1], "p": [0.9, 0.1, 0.8]}))
    found = told(lambda: sy.evaluate(rows, target="y", score="q"))
    assert found.message == 'There is no column "q" for the score; the table has "y", "p".'
    odd = rows.selectExpr(
        "y", "array(p) as list", "struct(p) as pair", "cast('x' as binary) as raw", "map('a', p) as map"
    )
    for column in ("list", "pair", "raw", "map"):
        found = told(lambda column=column: sy.evaluate(odd, target="y", score=column))
        assert found.message.startswith(f'The column "{column}" holds text, such as "')
        assert found.message.endswith('", where the score must be a number.')
    for query, words in {
        "select y, p frm data where": "Spark cannot read the table: ",
        "select y, q from data": "Spark cannot read the table: A column, variable, or function parameter with name `q`",
        "select y, p from nowhere": "Spark cannot read the table: The table or view `nowhere` cannot be found",
        "drop table data": f'The query begins with "drop", {NEVER}',
    }.items():
        found = told(lambda query=query: sy.evaluate(rows, query=query, **ROLES))
        assert found.message.startswith(words)
        assert found.message.endswith(".")
    broken = rows.selectExpr("y", "raise_error('no such day') as p").selectExpr("y", "cast(p as double) as p")
    assert "no such day" in told(lambda: sy.evaluate(broken, **ROLES)).message
