"""Who may ask for what: tokens, scopes, hosts, rates, and what every answer carries."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from steelyard.serve.app import app_of
from steelyard.serve.tokens import new_token

from .asking import Asking, asking, drawn

ROWS = drawn(1, 20, 2)


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Asking]:
    with asking(tmp_path / "s.db", tokens=True) as found:
        _, shown = found.service.writer.do(lambda s: new_token(s, ["admin", "ingest"], found.clock()))
        found.client.headers["authorization"] = f"Bearer {shown}"
        found.declare()
        yield found


def token(shut: Asking, *scopes: str, **more: Any) -> dict[str, str]:
    made = shut.client.post("/v1/tokens", json={"scopes": list(scopes), **more})
    assert made.status_code == 201, made.text
    return {"authorization": f"Bearer {made.json()['shown_once']}"}


def test_nothing_is_told_without_a_token(shut: Asking) -> None:
    from steelyard.serve.operations import operations

    shut.client.headers.pop("authorization")
    for op in operations():
        address = op.path.replace("{model}", "churn").replace("{window}", "2026-02-01").replace("{token}", "x")
        answer = shut.client.request(op.method, address)
        assert answer.status_code == (200 if op.scope is None else 401), op.name


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("ingest", {"send"}),
        ("read", {"read"}),
        ("write", {"read", "write"}),
        ("admin", {"send", "read", "write", "admin"}),
    ],
)
def test_a_token_allows_what_its_scope_says(shut: Asking, scope: str, allowed: set[str]) -> None:
    h = token(shut, scope)
    asked = {
        "send": shut.client.post("/v1/models/churn/predictions", json=[], headers=h),
        "read": shut.client.get("/v1/models", headers=h),
        "write": shut.client.put(
            "/v1/models/churn", json={"declared": {"time": "scored", "label_time": "known"}}, headers=h
        ),
        "admin": shut.client.get("/v1/tokens", headers=h),
    }
    assert {name for name, answer in asked.items() if answer.status_code == 200} == allowed
    assert {answer.status_code for answer in asked.values()} <= {200, 403}


def test_a_token_of_one_model_sees_no_other(shut: Asking) -> None:
    shut.declare("other")
    h = token(shut, "read", model="churn")
    assert shut.client.get("/v1/models/churn", headers=h).status_code == 200
    assert shut.client.get("/v1/models/other", headers=h).status_code == 403
    assert [m["model"] for m in shut.client.get("/v1/models", headers=h).json()["models"]] == ["churn"]


def test_tokens_end_and_are_revoked(shut: Asking) -> None:
    h = token(shut, "read", ends="2026-04-02")
    assert shut.client.get("/v1/models", headers=h).status_code == 200
    shut.passes(2)
    shut.service.forget()
    assert shut.client.get("/v1/models", headers=h).json()["code"] == "token_over"
    made = shut.client.post("/v1/tokens", json={"scopes": ["read"]}).json()
    h = {"authorization": f"Bearer {made['shown_once']}"}
    assert shut.client.get("/v1/models", headers=h).status_code == 200
    assert shut.client.delete(f"/v1/tokens/{made['token']}").status_code == 204
    assert shut.client.get("/v1/models", headers=h).status_code == 401
    assert "revoke" in [e["what"] for e in shut.client.get("/v1/audit").json()["audit"]]


def test_tokens_are_kept_as_digests_alone(shut: Asking, tmp_path: Path) -> None:
    shown = token(shut, "read")["authorization"].split()[1]
    secret = shown.split("_", 2)[2]
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert secret.encode() not in held
    assert secret not in shut.client.get("/v1/tokens").text + shut.client.get("/v1/audit").text


@pytest.mark.parametrize("ends", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31", "soon", ""])
def test_the_end_of_a_token_is_a_moment(ask: Asking, ends: str) -> None:
    answer = ask.client.post("/v1/tokens", json={"scopes": ["read"], "ends": ends})
    assert (answer.status_code, answer.json()["code"]) == (422, "ends"), answer.text
    muted = ask.client.post("/v1/models/churn/alarms", json={"signal": "auc", "what": "mute", "until": ends})
    assert muted.status_code in {404, 422}, muted.text


def test_who_guesses_is_locked_out(shut: Asking) -> None:
    for i in range(10):
        assert shut.client.get("/v1/models", headers={"authorization": f"Bearer sy_x_{i}"}).status_code == 401
    answer = shut.client.get("/v1/models", headers={"authorization": "Bearer sy_x_y"})
    assert (answer.status_code, answer.json()["code"]) == (429, "locked_out")
    assert int(answer.headers["retry-after"]) > 0


def test_who_was_let_in_before_is_not_locked_out_by_a_neighbour_who_guesses(
    shut: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steelyard.serve.service.BELIEVED", 0.0)
    fresh, known = token(shut, "read"), shut.client.headers["authorization"]
    for i in range(12):
        shut.client.get("/v1/models", headers={"authorization": f"Bearer sy_x_{i}"})
    assert shut.client.get("/v1/models", headers={"authorization": known}).status_code == 200
    assert shut.client.get("/v1/models", headers=fresh).status_code == 429


def test_a_browser_may_read_with_the_token_as_password_and_do_nothing_else(shut: Asking) -> None:
    shown = token(shut, "admin")["authorization"].split()[1]
    h = {"authorization": "Basic " + base64.b64encode(f"me:{shown}".encode()).decode()}
    assert shut.client.get("/v1/models", headers=h).status_code == 200
    assert shut.client.delete("/v1/models/churn", headers=h).status_code == 401


def test_other_hosts_are_not_served(shut: Asking) -> None:
    answer = shut.client.get("/livez", headers={"host": "evil.example.com"})
    assert (answer.status_code, answer.json()["code"]) == (421, "host")
    assert shut.client.get("/livez", headers={"host": "testserver:8765"}).status_code == 200


@pytest.mark.parametrize(
    ("name", "other"),
    [("host", "evil.example.com"), ("authorization", "Bearer other"), ("content-type", "text/csv"),
     ("content-encoding", "gzip"), ("idempotency-key", "tuesday")],
)  # fmt: skip
@pytest.mark.parametrize("address", ["/v1/models/churn/predictions", "/v1/models/churn/alarms"])
def test_what_is_said_twice_in_two_ways_is_refused(ask: Asking, name: str, other: str, address: str) -> None:
    said = {"host": "testserver", "content-type": "application/json", "content-encoding": "identity"}
    one = said.get(name, "monday")
    for values, status in (((one, one), 200), ((one, other), 400), ((other, one), 400)):
        headers = [(k, v) for k, v in said.items() if k != name] + [(name, v) for v in values]
        answer = ask.client.post(address, content=b"[]", headers=headers)
        if status == 400:
            assert (answer.status_code, answer.json()["code"]) == (400, "header"), answer.text
        else:
            assert answer.json().get("code") != "header"


def test_too_many_requests_are_asked_to_wait(ask: Asking) -> None:
    client = TestClient(app_of(ask.service, ["testserver"], 1))
    codes = [client.get("/livez").status_code for _ in range(10)]
    assert codes[:2] == [200, 200]
    assert 429 in codes


@pytest.mark.parametrize(
    "address", ["/livez", "/nowhere", "/v1/models", "/v1/models/..%2f..%2fetc", "/v1/models/churn/windows/%25"]
)
def test_every_answer_is_guarded(ask: Asking, address: str) -> None:
    h = ask.client.get(address).headers
    assert h["x-content-type-options"] == "nosniff"
    assert h["x-frame-options"] == "DENY"
    assert "default-src 'none'" in h["content-security-policy"]
    assert "access-control-allow-origin" not in h


@pytest.mark.parametrize("method", ["PATCH", "PUT", "TRACE", "OPTIONS"])
def test_another_method_is_a_problem(ask: Asking, method: str) -> None:
    answer = ask.client.request(method, "/v1/models")
    assert (answer.status_code, answer.json()["code"]) == (405, "method")
    assert answer.headers["allow"] == "GET"


def test_a_body_beyond_its_bound_is_not_read(ask: Asking) -> None:
    answer = ask.client.post("/v1/models/churn/labels", content=b"x", headers={"content-length": str(1 << 40)})
    assert answer.status_code == 413


def test_what_goes_wrong_inside_is_told_without_its_words(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(ask.service.watcher, "models", broken)
    answer = ask.client.get("/v1/models")
    assert (answer.status_code, answer.json()["code"]) == (500, "error")
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"window": "fortnight"}, "declaration"),
        ({"zone": "Mars"}, "declaration"),
        ({"window": "500"}, "declaration"),
        ({"margin": 2}, "declaration"),
        ({"confidence": 1}, "declaration"),
        ({"unknown": 1}, "declaration"),
        ({"for": "two"}, "declaration"),
        ({"target": "y", "score": "y"}, "declaration"),
        ({"keep": "soon"}, "declaration"),
        ({"champion": "a/b"}, "name"),
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(ask: Asking, said: dict[str, Any], code: str) -> None:
    answer = ask.client.put("/v1/models/other", json={"declared": said})
    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_what_windows_rest_on_is_not_changed_under_them(ask: Asking) -> None:
    answer = ask.client.put("/v1/models/churn", json={"declared": {"time": "when", "label_time": "known"}})
    assert (answer.status_code, answer.json()["code"]) == (409, "declared")
    answer = ask.client.put(
        "/v1/models/churn", json={"declared": {"time": "scored", "label_time": "known", "margin": 0.1}}
    )
    assert answer.json()["declared"]["margin"] == 0.1


def test_a_model_is_forgotten_with_all_it_had(ask: Asking) -> None:
    ask.send(ROWS)
    ask.send(ROWS, "labels")
    assert ask.client.delete("/v1/models/churn").status_code == 204
    assert ask.get("windows").status_code == 404
    ask.declare()
    assert ask.send(ROWS).json()["accepted"] == 20


def test_an_end_lies_ahead(ask: Asking) -> None:
    ask.clock.now = datetime(2026, 4, 1, tzinfo=UTC)
    answer = ask.client.post("/v1/tokens", json={"scopes": ["read"], "ends": "2026-01-01"})
    assert (answer.status_code, answer.json()["code"]) == (422, "ends")
