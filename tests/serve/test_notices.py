"""One notice for each change of an alarm, signed, tried again, given up in the open, and never sent into a private network."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from standardwebhooks import Webhook

import steelyard as sy
from steelyard.monitors.standing import AlarmState, StandingAlarm
from steelyard.serve import statements as sql
from steelyard.serve.delivering import Channel, Undelivered, addresses_of, channels_in, signed, text_of
from steelyard.serve.service import Service
from steelyard.serve.store import open_store

from .asking import Asking, asking, baseline, drawn
from .test_windows import WORN

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


@pytest.fixture
def heard() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]], list[int]]]:
    """Somebody who listens: its address, what it heard, and the answers it is to give first."""
    got: list[tuple[dict[str, str], bytes]] = []
    answers: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = answers.pop(0) if answers else 204
            if status < 300:
                got.append((dict(self.headers), body))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", got, answers
    server.shutdown()
    server.server_close()
    thread.join()


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


def looked_at(rows: pd.DataFrame, first: str, many: int) -> list[Any]:
    """What the library finds new in rows as they were known each night."""
    state, out = AlarmState(), []
    for day in pd.date_range(first, periods=many, tz="UTC"):
        now = day + pd.Timedelta("1D")
        known = rows[rows["scored"] < now].copy()
        late = ~(known["known"] < now)
        known["y"] = known["y"].astype("Int64").mask(late)
        known["known"] = known["known"].mask(late)
        counted = sy.windows(known, time="scored", baseline=baseline(), label_time="known")
        state, news = state.look(sy.monitor(counted, reference=baseline(), now=now.isoformat()))
        out.append(news)
    return out


def test_it_is_told_once_that_labels_ceased_and_once_that_they_came(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(21, 6_000, 30)
    back = pd.Timestamp("2026-02-24", tz="UTC")
    lost = (rows["known"] >= pd.Timestamp("2026-02-14", tz="UTC")) & (rows["known"] < back)
    late = rows.assign(known=rows["known"].mask(lost, back + pd.Timedelta("1h")))
    days(ask, late, "2026-02-01", 30)
    told = [json.loads(body) for _, body in got]
    assert [n["type"] for n in told] == ["steelyard.blind", "steelyard.judged"]
    ceased, came = told
    assert ceased["timestamp"][:10] == "2026-02-16"
    assert ceased["title"] == "churn 1: cannot be judged (auc)"
    (auc,) = [b for b in ceased["blind"] if b["signal"] == "auc"]
    assert auc["since"] == "2026-02-11"
    assert 0.6 < auc["low"] < auc["value"] < auc["high"] < 1
    assert (came["timestamp"][:10], came["title"]) == (
        "2026-02-25",
        "churn 1: can be judged again (auc)",
    )
    assert "auc can be judged again: 0." in text_of(came)
    assert "auc cannot be judged since 2026-02-11, and was 0." in text_of(ceased)
    news = [n for n in looked_at(late, "2026-02-01", 30) if n.blind or n.seen]
    mine = [[b["signal"] for b in ceased["blind"]], [b["signal"] for b in came["judged"]]]
    assert [[b.signal for b in news[0].blind], list(news[1].seen)] == mine
    assert len(news) == 2
    assert news[0].text.startswith("Cannot be judged any more: auc.")


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_labels_that_take_a_little_longer_than_any_before_have_not_ceased(seed: int) -> None:
    rows = drawn(seed, 120 * 14, 14)
    rng = np.random.default_rng(seed)
    took = pd.to_timedelta((rng.pareto(2.0, len(rows)) * 86_400).astype(int), unit="s")
    late = rows.assign(known=rows["scored"] + took)
    assert not [n for n in looked_at(late, "2026-02-01", 14) if n.blind or n.seen]


def test_what_cannot_be_judged_is_not_told_again_after_it_was_muted_or_after_a_new_start(place: str | Path) -> None:
    def blind(ask: Asking) -> list[str]:
        told = [n["body"] for n in ask.client.get("/v1/notices").json()["notices"]]
        return [b["signal"] for body in told for b in body.get("blind", ())]

    rows = drawn(21, 3_000, 15)
    with asking(place) as ask:
        ask.declare()
        days(ask, rows, "2026-02-01", 21)
        before = blind(ask)
        assert sorted(before) == ["age", "auc", "p", "region"]
        assert [b["signal"] for b in ask.get("alarms").json()["blind"]] == ["auc", "p", "age", "region"]
        mute = {"signal": "age", "what": "mute", "until": "2026-02-24"}
        assert ask.client.post("/v1/models/churn/alarms", json=mute).status_code == 200
        for _ in range(2):
            ask.passes(1)
            ask.service.tick()
        now = ask.clock.now
    with asking(place) as ask:
        ask.clock.now = now
        for _ in range(4):
            ask.service.tick()
            ask.passes(1)
        assert blind(ask) == before


def test_an_alarm_of_labels_is_over_once_they_came_and_the_model_is_watched_on(ask: Asking) -> None:
    ask.declare(horizon="10 days")
    rows = drawn(26, 2_000, 15)
    ask.send(rows)
    ask.clock.now = datetime(2026, 3, 10, tzinfo=UTC)
    ask.service.tick()
    assert "labels" in [a["signal"] for a in ask.get("alarms").json()["standing"]]
    ask.send(rows, "labels")
    ask.service.tick()
    assert ask.client.get("/v1/troubles").json() == {"troubles": {}}
    last = ask.client.get("/v1/notices").json()["notices"][0]["body"]
    (over,) = [a for a in last["over"] if a["signal"] == "labels"]
    assert "over: labels (alarm)" in text_of(last)
    assert over["value"] is None
    assert "labels" not in [a["signal"] for a in ask.get("alarms").json()["standing"]]


def test_a_version_that_is_put_in_force_and_cannot_be_judged_is_told_of_then(ask: Asking) -> None:
    former = drawn(24, 2_400, 10)
    ask.send(former, version="2")
    ask.send(former, "labels")
    ask.send(drawn(25, 6_000, 25))
    ask.clock.now = datetime(2026, 2, 26, tzinfo=UTC)
    ask.service.tick()
    told = ask.client.get("/v1/notices").json()["notices"]
    assert not [n for n in told if n["version"] == "2"]
    ask.declare(champion="2")
    ask.service.tick()
    (one,) = [n for n in ask.client.get("/v1/notices").json()["notices"] if n["version"] == "2"]
    assert {"age", "auc"} <= {b["signal"] for b in one["body"]["blind"]}


def test_a_warning_that_became_an_alarm_is_not_told_to_be_over(ask: Asking) -> None:
    ask.send(drawn(7, 800, 8))
    ask.clock.now = datetime(2026, 2, 14, tzinfo=UTC)
    known = "2026-02-10T00:00:00+00:00"
    warned = AlarmState(known, standing=(StandingAlarm("volume", "warn", "2026-02-09", known, ""),))
    with ask.service.store.reading() as session:
        one = ask.service.watcher.stream(session, "churn", "1")
    ask.service.writer.do(lambda session: session.do(sql.SET_ALARMS, one.stream, json.dumps(warned.to_dict()), 0))
    ask.service.tick()
    (told,) = [n["body"] for n in ask.client.get("/v1/notices").json()["notices"]]
    assert ([a["severity"] for a in told["fired"]], told["over"]) == (["alarm"], [])


def test_rows_that_ceased_are_told_with_what_cannot_be_judged_for_that(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(22, 6_000, 30)
    gone = (rows["scored"] >= pd.Timestamp("2026-02-15", tz="UTC")) & (
        rows["scored"] < pd.Timestamp("2026-02-21", tz="UTC")
    )
    days(ask, rows[~gone], "2026-02-01", 30)
    told = [json.loads(body) for _, body in got]
    (first,) = [n for n in told if any(a["signal"] == "volume" for a in n["fired"])]
    assert first["type"] == "steelyard.alarm"
    assert first["title"] == "churn 1: alarm (volume), cannot be judged (p, age, region)"
    assert {"age", "region"} <= {b["signal"] for b in first["blind"]}
    again = [b["signal"] for n in told for b in n.get("judged", ())]
    assert {"age", "region"} <= set(again)
    assert len(again) == len(set(again)) == len([b for n in told for b in n.get("blind", ())])
    news = looked_at(rows[~gone], "2026-02-01", 30)
    assert [b.signal for n in news for b in n.blind] == [b["signal"] for n in told for b in n.get("blind", ())]


def test_days_without_rows_at_the_end_of_weeks_are_told_no_third_time(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    rows = drawn(23, 8_000, 40)
    days(ask, rows[rows["scored"].dt.day_of_week < 5], "2026-02-01", 40)
    blind = [n["timestamp"][:10] for n in map(json.loads, (body for _, body in got)) if "age" in str(n.get("blind"))]
    assert blind == ["2026-02-09", "2026-02-16"]


def test_nobody_is_told_that_a_former_version_cannot_be_judged(ask: Asking, heard: Any) -> None:
    url, got, _ = heard
    ask.service.messenger.channels["ops"] = channel(url)
    former = drawn(24, 2_000, 10)
    ask.send(former, version="0")
    days(ask, drawn(25, 5_000, 25), "2026-02-01", 25)
    assert got == []
