"""What hostile use of files and odd values once found, one test each: a wrong number or a bare error then, told now."""

from __future__ import annotations

import gzip
import re
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError

from .asked import P, Y, refused

# E: files and hostile input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_e1_a_cut_file_is_not_taken_for_a_whole_one(packed: str, tmp_path: Path) -> None:
    raw = "\n".join(["y,p", *(f"{i % 2},{(i * 7919 % 100003) / 100003:.5f}" for i in range(200_000)), ""]).encode()
    whole = gzip.compress(raw) if packed == "gz" else bytes(pa.Codec("zstd").compress(raw, asbytes=True))
    path = tmp_path / f"a.csv.{packed}"
    path.write_bytes(whole[: 2 * len(whole) // 3])
    refused(lambda: sy.evaluate(path, target="y", score="p"))


def test_e2_segments_keep_their_type() -> None:
    held: list[Any] = [1, "1", None, "(missing)"] * 30
    e = sy.evaluate(target=[1, 1, 1, 1, 0, 0, 0, 0] * 15, score=[0.9] * 120, segment=np.array(held, dtype=object))
    assert sorted(part.rows for part in e.segments.values()) == [30, 30, 30, 30]


def test_e3_small_integers_do_not_wrap_round() -> None:
    e = sy.evaluate(target=Y, score=P, segment=np.array([-100, 100] * 30, np.int8))
    assert {str(k): part.rows for k, part in e.segments.items()} == {"-100": 30, "100": 30}
    assert sy.evaluate(target=np.array([-100, 100] * 30, np.int8), score=P[::-1], positive=100).rows == 60


def test_e4_what_is_loaded_is_checked(tmp_path: Path) -> None:
    sy.evaluate(target=Y, prediction=[1, 0, 0] * 20).save(tmp_path / "e.json")
    content = (tmp_path / "e.json").read_text()
    numbers = re.search(r'"values": ?\[([0-9., ]+)\]', content)
    assert numbers is not None
    first = numbers[1].split(",")
    changed = content.replace(numbers[1], ",".join(["-4", *first[1:]]))
    for name, text in (
        ("a", changed),
        ("b", "[" * 200_000),
        ("c", "9" * 5000),
        ("d", '{"steelyard experiment":1,"cells":[]}'),
    ):
        (tmp_path / f"{name}.json").write_text(text)
        refused(lambda name=name: sy.load(tmp_path / f"{name}.json"))
    refused(lambda: sy.load("a\0b"))


def test_e5_bytes_that_are_no_text_stay_apart() -> None:
    labels = [b"\xff", b"\xfe"] * 30
    e = sy.evaluate(target=Y, score=P, segment=labels)
    assert [part.rows for part in e.segments.values()] == [30, 30]


def test_e6_whole_numbers_above_two_to_the_53_are_not_rounded() -> None:
    score = [2**53 + i % 2 for i in range(60)]
    assert sy.evaluate(target=[i % 2 for i in range(60)], score=score, threshold=0.5)["auc"].value == 1


def test_e7_labels_of_forty_digits_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "\n".join(["y,p,s", *(f"{y},{p},{10**41 + i % 2}" for i, (y, p) in enumerate(zip(Y, P, strict=True))), ""])
    )
    assert len(sy.evaluate(path, target="y", score="p", segment="s").segments) == 2


def test_e8_the_same_day_is_not_added_twice_unasked(csv: Path, e: sy.Evaluation) -> None:
    refused(
        lambda: sy.evaluate(csv, target="y", score="p") + sy.evaluate(pd.read_csv(csv)[::-1], target="y", score="p")
    )


def test_e9_numbers_near_nothing_are_not_told_as_nothing() -> None:
    for tiny in (1e-82, 1e-170):
        rng = np.random.default_rng(2)
        y = tiny * rng.normal(size=50)
        try:
            found = sy.evaluate(target=y, prediction=y + 0.1 * tiny * rng.normal(size=50), kind="continuous")["rmse"]
        except SteelyardError:
            continue
        assert found.value > 0 and found.low < found.value < found.high


def test_e12_a_query_reads_what_was_named(csv: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cr3t")
    asked = f"select y, p, (select content from read_text('{secret}')) as s from data"
    refused(lambda: sy.evaluate(sy.table(csv, query=asked), target="y", score="p", segment="s"))
    assert run(["evaluate", str(csv), "--query", asked, "--target", "y", "--score", "p"]) != 0


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://bob:s3cr3t@127.0.0.1:9/x",
        "file://bob:s3cr3t@h/a.csv",
        "host=h password=s3cr3t dbname=x",
        "data.csv?token=s3cr3t",
    ],
)
def test_e13_no_secret_is_echoed(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    for call in (lambda: sy.load(address), lambda: sy.evaluate([address]), lambda: sy.table(address)):
        with pytest.raises(SteelyardError) as found:
            call()
        assert "s3cr3t" not in str(found.value)
    run(["evaluate", address, "--target", "y", "--score", "p"])
    assert "s3cr3t" not in "".join(capsys.readouterr())


def test_e14_time_is_linear_in_segments() -> None:
    def seconds(segments: int) -> float:
        rng = np.random.default_rng(1)
        n = 6 * segments
        start = time.process_time()
        sy.evaluate(target=rng.integers(0, 2, n), score=rng.random(n), segment=np.arange(n) % segments)
        return time.process_time() - start

    seconds(10)
    few, many = (min(seconds(n) for _ in range(2)) for n in (500, 4000))
    assert many < 16 * few, "eight times as many in twice eight times the time; in squares it would be sixty-four"


def test_e15_extremes_end_in_a_number_or_a_sentence(e: sy.Evaluation) -> None:
    told = []
    for call in (
        lambda: sy.evaluate(target=Y, score=P, weight=[1e155] * 60, weights="sampling")["auc"],
        lambda: sy.evaluate(target=Y, score=P, weight=[1e300] * 60)["auc"],
        lambda: sy.evaluate(confusion=[[1e308] * 2] * 2, levels=[0, 1], positive=1)["recall"],
        lambda: sy.evaluate(target=Y, score=P, threshold=10**400),
        lambda: sy.evaluate(target=np.ma.masked_array(np.eye(2), np.eye(2)), score=P),
        lambda: sy.evaluate(target=Y, score=P, missing=np.zeros(3)),
        lambda: sy.trial({"arm": ["a", "b"] * 5, "y": [0, 1] * 5}, group="arm", control="a", outcome=None),
        lambda: sy.compare({"a": e, "b": e}, confidence="x"),
    ):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                str(call())
        except SteelyardError as problem:
            told.append(str(problem))
    assert told and "at least one positive" not in "".join(told)


def test_e16_the_culprit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i % 2},{i * 7919 % 10007 / 10007:.4f}" for i in range(40_000)]
    rows[35_000] = "1,abc"
    path.write_text("\n".join(["y,p", *rows, ""]))
    refused(lambda: sy.evaluate(path, target="y", score="p"), match="abc")
