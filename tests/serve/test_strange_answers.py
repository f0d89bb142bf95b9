"""Whatever stands at an address, whatever waits on the disk and whatever is to be sent: a result that is right, or a sentence."""

from __future__ import annotations

import io
import json
import ssl
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError
from steelyard.serve import client as client_module

ROWS = {"id": ["a", "b"], "p": [0.1, 0.2]}
NEAR = "http://127.0.0.1:1"
SECRET = "s3cr3t"
Answer = tuple[int, bytes, dict[str, str]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(client_module, "PAUSE", 0.0001)
    monkeypatch.delenv("STEELYARD_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[bytes], Answer]) -> None:
    """Let whoever is asked answer so."""

    def once(self: object, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        return answer(body)

    monkeypatch.setattr(client_module.Client, "_once", once)


def taken(body: bytes) -> Answer:
    """The answer of a service to which all rows were new."""
    import pyarrow as pa

    return 200, json.dumps({"accepted": pa.ipc.open_stream(io.BytesIO(body)).read_all().num_rows}).encode(), {}


def away(body: bytes) -> Answer:
    """Nobody is there."""
    raise ConnectionRefusedError


ADDRESSES = (
    "http://127.0.0.1:x",
    "http://127.0.0.1:99999",
    "http://[::1",
    f"http://:{SECRET}@127.0.0.1:1",
    f"http://{SECRET}@127.0.0.1:1",
    f"http://127.0.0.1:1/?token={SECRET}",
    f"http://127.0.0.1:1/#{SECRET}",
    "http://exa mple.com",
    f"http://{'a' * 70}.com",
    "http://127.0.0.1:1\r\nX-Other: y",
    "http://",
    "",
)


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_is_one_or_is_refused(url: str) -> None:
    with pytest.raises(sy.errors.UsageError, match="is told by its address") as caught:
        sy.Client(url)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("token", [f"{SECRET}\n", f" {SECRET} ", f"{SECRET}\r\n"])
def test_a_line_end_is_no_part_of_a_token(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sy.Client(NEAR, token).token == SECRET
    monkeypatch.setenv("STEELYARD_TOKEN", token)
    assert sy.Client(NEAR).token == SECRET


@pytest.mark.parametrize("token", [f"{SECRET}\r\nX-Other: y", f"{SECRET}é", f"{SECRET}\0", f"{SECRET} {SECRET}"])
def test_a_token_that_is_none_is_refused_and_not_told(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sy.errors.UsageError, match="no token has") as caught:
        sy.Client(NEAR, token)
    assert SECRET not in str(caught.value)


def test_a_token_of_the_environment_does_not_go_through_the_open_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_TOKEN", SECRET)
    with pytest.raises(sy.errors.UsageError, match="can be read on its way"):
        sy.Client("http://monitor.example.com")


ANSWERS: tuple[Answer, ...] = (
    (200, b"<html>", {"content-type": "text/html"}),
    (200, b"", {}),
    (200, b"[]", {}),
    (200, b"{}", {}),
    (200, b"[" * 100_000, {}),
    (200, b'{"accepted": "2"}', {}),
    (200, b'{"accepted": 2.0}', {}),
    (200, b'{"accepted": 1}', {}),
    (200, b'{"accepted": 3, "rejected": -1}', {}),
    (200, b"\xff", {}),
    (204, b"", {}),
    (301, b"", {"location": f"https://elsewhere.example/?token={SECRET}"}),
    (304, b"", {}),
    (400, b'{"errors": [1, {"row": "x"}], "detail": 3}', {}),
    (400, b'{"errors": 7}', {}),
    (429, b"", {"retry-after": "\xb2"}),
    (503, b"", {"retry-after": "-1"}),
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_is_told_as_such(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are not accounted for were not taken, and no windows are not windows that are not there."""
    answering(monkeypatch, lambda body: answer)
    client = sy.Client(NEAR, tries=2)
    asked: tuple[Callable[[], Any], ...] = (
        lambda: client.predictions("m", ROWS),
        lambda: client.labels("m", ROWS),
        lambda: client.windows("m"),
        lambda: client.baseline("m"),
        lambda: client.monitor("m"),
    )
    for ask in asked:
        with pytest.raises(sy.errors.InputError) as caught:
            ask()
        assert SECRET not in str(caught.value)
        assert "/tmp" not in str(caught.value)


PAGED = {"content-type": "application/x-ndjson", "next-after": "x"}


def test_pages_of_windows_that_never_end_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"", b"{}\n"):
        answering(monkeypatch, lambda body, c=content: (200, c, PAGED))
        with pytest.raises(sy.errors.InputError, match="no service of steelyard"):
            sy.Client(NEAR).windows("m")


def test_a_certificate_that_is_not_believed_is_not_a_service_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(body: bytes) -> Answer:
        problem = ssl.SSLCertVerificationError()
        problem.verify_message = "self-signed certificate"
        raise problem

    answering(monkeypatch, refuse)
    with pytest.raises(sy.errors.InputError, match=r"not to be trusted: self-signed certificate\."):
        sy.Client("https://127.0.0.1:1").windows("m")
    found = sy.Client("https://127.0.0.1:1", spool="waiting").predictions("m", ROWS)
    assert (found.spooled, "not to be trusted" in found.away) == (2, True)


HELD: dict[str, Any] = {
    "mixed": pd.DataFrame({"id": [1, "a"]}),
    "one name twice": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "names that are one as text": {1: [1], "1": [2]},
    "one value": {"id": "a", "p": 0.1},
    "unlike lengths": {"id": [1, 2], "p": [0.1]},
    "objects": pd.DataFrame({"id": [object()]}),
    "complex": pd.DataFrame({"id": [1j]}),
    "rows of unlike kinds": [{"id": 1}, {"id": "a"}],
    "too large": {"id": [10**30]},
    "sparse": pd.DataFrame({"id": pd.arrays.SparseArray([0, 1])}),
    "a query that fails": pl.LazyFrame({"a": [1]}).select(pl.col("b")),
    "no table": np.zeros((2, 2)),
    "an address": f"postgresql://bob:{SECRET}@127.0.0.1:1/x?table=t",
    "no file": "nowhere.csv",
    "lists": [[1, 2]],
}


LATER = {"mixed", "rows of unlike kinds", "too large", "sparse"}
"""What JSON takes, so that the service looks at it."""


@pytest.mark.parametrize(("name", "arrow"), [(n, a) for n in HELD for a in (True, False) if a or n not in LATER])
def test_what_cannot_be_sent_is_told(name: str, arrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    answering(monkeypatch, taken)
    with pytest.raises(SteelyardError) as caught:
        sy.Client(NEAR).predictions("m", HELD[name])
    assert SECRET not in str(caught.value)


WAITING: tuple[Callable[[Path, Path], object], ...] = (
    lambda head, body: head.write_text(""),
    lambda head, body: head.write_text("{}"),
    lambda head, body: head.write_text("[]"),
    lambda head, body: head.write_text('{"address": 1, "kind": 2, "rows": 3, "first": 4}'),
    lambda head, body: head.write_text(head.read_text()[:20]),
    lambda head, body: head.write_bytes(b"\xff"),
    lambda head, body: head.write_text(head.read_text().replace("predictions", "labels")),
    lambda head, body: body.write_bytes(body.read_bytes()[:-1]),
    lambda head, body: body.write_bytes(body.read_bytes().replace(b"a", b"b", 1)),
    lambda head, body: body.unlink(),
)


@pytest.mark.parametrize("harm", WAITING)
def test_rows_that_waited_and_cannot_be_sent_are_told_and_kept(
    harm: Callable[[Path, Path], object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, away)
    client = sy.Client(NEAR, spool="waiting", tries=1)
    assert client.predictions("m", ROWS).spooled == 2
    (head,) = Path("waiting").glob("*.json")
    harm(head, head.with_suffix(".rows"))
    answering(monkeypatch, taken)
    pd.DataFrame(ROWS).to_csv("rows.csv", index=False)
    assert run(["push", "rows.csv", "--to", NEAR, "--model", "m", "--spool", "waiting"]) == 3
    assert "that had waited were refused and are kept in the spool" in capsys.readouterr().out
    assert {path.suffix for path in Path("waiting").iterdir()} >= {".why", ".refused"}
    assert client.flush()


def test_two_that_send_what_waits_do_not_mind_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, away)
    client = sy.Client(NEAR, spool="waiting", tries=1)
    for name in "abc":
        client.predictions("m", {"id": [name]})

    def meanwhile(body: bytes) -> Answer:
        for path in Path("waiting").iterdir():
            path.unlink()
        return taken(body)

    answering(monkeypatch, meanwhile)
    assert client.flush()
    assert list(Path("waiting").iterdir()) == []


def test_a_spool_is_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    with pytest.raises(sy.errors.UsageError, match="no folder in which rows can wait"):
        sy.Client(NEAR, spool="file", tries=1).predictions("m", ROWS)
