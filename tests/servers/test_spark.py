"""The Spark of the tests is a real cluster, and a real server over the network."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .cluster import WORKERS, Cluster

pytestmark = pytest.mark.xdist_group("spark")


def test_both_workers_do_a_part_of_the_work(spark: Any, spark_cluster: Cluster) -> None:
    def where(rows: Iterator[Any]) -> Iterator[tuple[str, int]]:
        # A function inside another is sent whole; the workers cannot import the tests. Slow, so that one alone is not enough.
        import os
        import time

        time.sleep(0.3)
        yield os.getcwd(), sum(1 for _ in rows)

    found = spark.sparkContext.parallelize(range(1000), 12).mapPartitions(where).collect()
    assert sum(n for _, n in found) == 1000
    assert {Path(folder).relative_to(spark_cluster.folder).parts[0] for folder, _ in found} == {"work 0", "work 1"}
    workers = spark_cluster.status()["workers"]
    assert [(w["state"], w["coresused"]) for w in workers] == [("ALIVE", 1)] * WORKERS


def test_the_session_is_not_in_utc(spark: Any, spark_connect: Any) -> None:
    for session in (spark, spark_connect):
        assert session.conf.get("spark.sql.session.timeZone") == "America/New_York"
        assert session.sql("select cast(timestamp_seconds(0) as string)").collect()[0][0] == "1969-12-31 19:00:00"


def test_the_two_kinds_of_session_live_side_by_side(spark: Any, spark_connect: Any) -> None:
    for session, kind in ((spark, "classic"), (spark_connect, "connect")):
        frame = session.range(10)
        assert type(frame).__module__ == f"pyspark.sql.{kind}.dataframe"
        assert session.sql("select sum(id) from {rows}", rows=frame).collect()[0][0] == 45


def test_servers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    """A test run that is killed leaves nothing behind."""
    program = f"""
        import sys, os, time
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from pathlib import Path
        from servers.process import Process
        server = Process(["sleep", "600"], Path({str(tmp_path / "log")!r}), dict(os.environ))
        print(server.group, flush=True)
        time.sleep(600)
    """
    run = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    group = int(run.stdout.readline())
    assert _lives(group)
    run.kill()
    run.wait()
    run.stdout.close()
    end = time.monotonic() + 20
    while _lives(group) and time.monotonic() < end:
        time.sleep(0.1)
    assert not _lives(group)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_tests_of_one_group_share_a_process(tmp_path: Path) -> None:
    """Otherwise every process starts servers of its own, and nothing says so."""
    body = 'import os, pytest\npytestmark = pytest.mark.xdist_group("a")\n'
    body += "@pytest.mark.parametrize('i', range(8))\ndef test(i):\n    open(f'{os.getpid()}.seen', 'w')\n"
    (tmp_path / "test_group.py").write_text(body)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, "test_group.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert len(list(tmp_path.glob("*.seen"))) == 1
