"""One notice for each change of an alarm, signed, tried again, given up in the open, and never sent into a private network."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from standardwebhooks import Webhook

import steelyard as sy
from steelyard.serve.delivering import Channel, Undelivered, addresses_of, channels_in, signed
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

from .asking import Asking, asking, drawn
from .test_windows import WORN

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


def channel(url: str, **more: Any) -> Channel:
    return Channel(name="ops", webhook=url, secret=SECRET, private=True, **more)


def days(ask: Asking, rows: pd.DataFrame, first: str, many: int) -> None:
    """Send rows as they come, day by day, and tick each night."""
    for day in pd.date_range(first, periods=many, tz="UTC"):
        ask.clock.now = (day + pd.Timedelta("1D")).to_pydatetime()
        came = rows[(rows["scored"] >= day) & (rows["scored"] < day + pd.Timedelta("1D"))]
        if len(came):
            ask.send(came)
        known = rows[(rows["known"] >= day) & (rows["known"] < day + pd.Timedelta("1D"))]
        if len(known):
            ask.send(known, "labels")
        ask.service.tick()
        ask.service.tick()


def test_each_change_is_told_once_and_the_history_is_that_of_the_library(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    days(ask, WORN, "2026-02-01", 34)
    told = [json.loads(body) for _, body in got]
    for headers, body in got:
        lower = {k.lower(): v for k, v in headers.items()}
        key = base64.b64decode(SECRET.removeprefix("whsec_"))
        at = datetime.fromtimestamp(int(lower["webhook-timestamp"]), UTC)
        assert signed(SECRET, lower["webhook-id"], at, body)["webhook-signature"] == lower["webhook-signature"]
        assert key
    fired = [(a["signal"], a["severity"], a["since"]) for n in told for a in n["fired"]]
    assert len(fired) == len(set(fired))
    m = sy.monitor(WORN, time="scored", target="y", score="p", label_time="known", features=["age", "region"],
                   reference=ask.client.get("/v1/models/churn/baseline") and _base(ask), now="2026-03-07")  # fmt: skip
    library = {(c.signal, c.severity) for c in m.alarms if c.after == "firing"}
    assert library <= {(signal, severity) for signal, severity, _ in fired}
    assert any(a["reason"] for n in told for a in n["fired"])


def _base(ask: Asking) -> Any:
    with ask.service.store.reading() as session:
        return ask.service.watcher.model(session, "churn").baseline


def test_a_signature_is_one_that_the_standard_accepts() -> None:
    now, body = datetime.now(UTC), b'{"a": 1}'
    assert Webhook(SECRET).verify(body, signed(SECRET, "msg_1", now, body)) == {"a": 1}
    with pytest.raises(Exception, match="match"):
        Webhook(SECRET).verify(b'{"a": 2}', signed(SECRET, "msg_1", now, body))


def test_what_does_not_arrive_is_tried_again_and_at_last_given_up(ask: Asking, heard: Any) -> None:
    url, got, answers = heard
    ask.service.messenger.channels["ops"] = channel(url)
    answers += [500, 302]
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    ask.service.tick()
    assert not got
    for _ in range(3):
        ask.passes(1)
        ask.service.messenger.run()
    assert len(got) == 1
    assert ask.client.get("/v1/notices").json()["notices"][0]["tries"] == 3


def test_what_never_arrives_is_given_up_in_the_open(ask: Asking, heard: Any) -> None:
    url, got, answers = heard
    ask.service.messenger.channels["ops"] = channel(url)
    answers += [500] * 100
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    ask.service.tick()
    for _ in range(8):
        ask.passes(1)
        ask.service.messenger.run()
    (one,) = ask.client.get("/v1/notices").json()["notices"]
    assert (one["tries"], one["sent"], one["why"]) == (6, None, "it answered 500")
    assert one["given_up"]
    assert not got


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "192.168.1.1"),
        *("::1", "::ffff:127.0.0.1", "0.0.0.0", "100.64.0.1"),
    ],
)
def test_no_notice_goes_into_a_private_network(host: str) -> None:
    with pytest.raises(Undelivered, match="private network"):
        addresses_of(host, 443, private=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[channels.a]\nwebhook = "http://example.com"\nsecret = "x"', "no https address"),
        ('[channels.a]\nwebhook = "https://example.com"', "no secret"),
        ('[channels.a]\nwebhook = "https://example.com"\nsecret = "whsec_c2hvcnQ="', "no secret"),
        ("[channels.a]", "and not both"),
        ("[channels.a]\nurl = 3", "unknown field"),
        ("x = 1", 'holds "x", and nobody would be told'),
        ("", "holds no channels"),
        ("channels = 3", "holds no channels"),
        ("[channels]\na = 3", "holds no channels"),
        ('[channels.a]\napprise = "json://x"\n[chanels.b]\napprise = "json://x"', 'holds "chanels"'),
        ('[channels.a]\nwebhook = "https://[::1/"', "no https address"),
        ('[channels.a]\nwebhook = "https://x:y/"', "no https address"),
        ('[channels.a]\nwebhook = "https://x:99999/"', "no https address"),
        (f'[channels.a]\nwebhook = "https://{"a" * 70}.com/"', "no https address"),
        ('[channels.a]\nwebhook = "https://x/é"', "no https address"),
        ('[channels.a]\napprise = "nothing that is known"', "none that Apprise knows"),
    ],
)
def test_a_channel_that_cannot_be_meant_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "channels.toml"
    path.write_text(text)
    with pytest.raises(sy.errors.UsageError, match=said):
        channels_in(path)


def test_a_channel_that_breaks_does_not_hold_up_the_others(
    ask: Asking, heard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, got, _ = heard
    broken = Channel(name="a", webhook=url, secret=SECRET, private=True)
    ask.service.messenger.channels |= {"a": broken, "ops": channel(url)}
    send = Channel.send

    def sent(self: Channel, *given: Any) -> None:
        if self.name == "a":
            raise ValueError("s3cr3t")
        send(self, *given)

    monkeypatch.setattr(Channel, "send", sent)
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    ask.service.tick()
    assert len(got) == 1
    told = ask.client.get("/v1/notices").json()["notices"]
    assert {(n["why"], n["sent"] is None) for n in told} == {("ValueError", True), (None, False)}


def test_an_alarm_is_muted_and_acknowledged(ask: Asking) -> None:
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    ask.service.tick()
    standing = ask.get("alarms").json()["standing"]
    assert [a["signal"] for a in standing] == ["volume"]
    say = {"signal": "volume", "what": "acknowledge"}
    assert ask.client.post("/v1/models/churn/alarms", json=say).json()["standing"][0]["acknowledged"]
    assert ask.client.post("/v1/models/churn/alarms", json={**say, "signal": "auc"}).status_code == 409
    mute = {"signal": "volume", "what": "mute", "until": "2026-03-01"}
    assert ask.client.post("/v1/models/churn/alarms", json=mute).json()["muted"] == {
        "volume": "2026-03-01T00:00:00+00:00"
    }
    before = len(ask.client.get("/v1/notices").json()["notices"])
    ask.passes(1)
    ask.service.tick()
    assert len(ask.client.get("/v1/notices").json()["notices"]) == before
    ask.passes(20)
    ask.service.tick()
    assert (
        len(ask.client.get("/v1/notices").json()["notices"]) == before
    )  # told before it was muted, and still the same


def test_of_two_replicas_one_leads_and_the_other_takes_over(database: str) -> None:
    with asking(database, "2026-02-14") as first:
        first.declare()
        first.send(drawn(7, 800, 8))
        other = Service(open_store(database), first.clock, tokens=False)
        try:
            first.service.tick()
            other.tick()
            assert (first.service.leads(), other.leads()) == (True, False)
            assert len(first.client.get("/v1/notices").json()["notices"]) == 1
            assert first.service.leader.session is not None
            first.service.leader.session.connection.close()
            assert other.leads()
            other.tick()
            assert not first.service.leads()
            assert len(first.client.get("/v1/notices").json()["notices"]) == 1
        finally:
            other.close()
