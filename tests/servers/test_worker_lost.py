"""A worker that dies in the middle of an evaluation changes nothing about the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from .cluster import BRISK, WORKERS, Cluster
from .fixtures import need_java
from .process import wait_until

# A session of its own in a process of its own: one process has one session, and this one loses its executors. The rows are
# made by the cluster, in many parts of which each sleeps, so that the second half of them is not begun when the worker dies.
PROGRAM = """
    import json, sys, threading, time, warnings
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession
    import steelyard as sy

    builder = SparkSession.builder.master({url!r}).appName("steelyard")
    settings = {{"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.executor.memory": "512m", "spark.sql.shuffle.partitions": "4", "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": {folder!r}, "spark.driver.memory": "768m",
        "spark.driver.extraJavaOptions": {java!r}, "spark.executor.extraJavaOptions": {java!r}}}
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    late = "if(id % 30000 = 0, reflect('java.lang.Thread', 'sleep', bigint(300)), 'null') = 'null'"

    def evaluated(slowly=True):
        rows = spark.range(0, 1_440_000, 1, 48).selectExpr(
            f"cast({{late if slowly else 'true'}} and xxhash64(id) % 3 = 0 as int) as y",
            "(xxhash64(id, 1) & 1048575) / 1048576.0D as p",
            "1 + (xxhash64(id, 2) & 3) / 4.0D as w",
            "concat('region ', xxhash64(id, 3) & 3) as region",
        )
        return sy.evaluate(rows, target="y", score="p", weight="w", segment="region")

    def tasks():
        tracker = spark.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(s) for j in tracker.getActiveJobsIds() for s in tracker.getJobInfo(j).stageIds]
        stages = [s for s in stages if s is not None]
        return sum(s.numActiveTasks for s in stages), sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages)

    evaluated_before = evaluated(slowly=False)
    # The second worker may not have come yet: an evaluation that one alone has done is none that can be interrupted.
    for _ in range(5):
        found, working = [], False
        thread = threading.Thread(target=lambda: found.append(evaluated()))
        thread.start()
        while thread.is_alive() and not working:
            active, done, total = tasks()
            working = active == 2 and 2 <= done < total // 2
            time.sleep(0.02)
        if working:
            break
    assert working, "Every evaluation was over before anything could be killed."
    print(json.dumps([active, done, total]), flush=True)
    sys.stdin.readline()
    print(json.dumps(thread.is_alive()), flush=True)
    thread.join(300)
    again = found[0]
    told = {{"same": again == evaluated_before, "rows": again.rows, "auc": again["auc"].value,
        "before": evaluated_before["auc"].value, "segments": list(again.segments),
        "text": str(again) == str(evaluated_before)}}
    print(json.dumps(told), flush=True)
    spark.stop()
"""


@pytest.mark.slow
def test_the_answer_is_the_same(tmp_path: Path) -> None:
    """On a cluster of its own."""
    need_java()
    cluster = Cluster(memory="768m").start()
    try:
        errors = (tmp_path / "errors").open("w", encoding="utf-8")
        program = textwrap.dedent(PROGRAM).format(url=cluster.url, folder=str(tmp_path / "warehouse"), java=BRISK)
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(cluster.folder)}
        run = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            text=True,
        )
        errors.close()
        assert run.stdin is not None
        assert run.stdout is not None
        try:
            active, done, total = _said(run, tmp_path)
            assert active == WORKERS
            assert done < total / 2
            cluster.kill_worker(0)
            wait_until(lambda: cluster.alive() == WORKERS - 1, "A worker taken for dead", [], 60.0)
            assert sorted(w["state"] for w in cluster.status()["workers"]) == ["ALIVE", "DEAD"]
            run.stdin.write("\n")
            run.stdin.flush()
            assert _said(run, tmp_path) is True, "The evaluation was over when the worker was missed."
            found = _said(run, tmp_path)
        finally:
            run.kill()
            run.wait()
            run.stdin.close()
            run.stdout.close()
    finally:
        cluster.stop()
    assert not cluster.folder.exists()
    assert found["same"] and found["text"]
    assert found["rows"] == 1_440_000
    assert found["auc"] == found["before"]
    assert found["segments"] == [f"region {i}" for i in range(4)]


def _said(run: subprocess.Popen[str], folder: Path) -> Any:
    assert run.stdout is not None
    line = run.stdout.readline()
    assert line, (folder / "errors").read_text(encoding="utf-8")[-2000:]
    return json.loads(line)
