"""Who comes in, with what, and what they may: by cookie for pages alone, by a seal for forms, by a link only to read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steelyard.board.site import COOKIE
from steelyard.board.visits import pages

from .visiting import Visiting, visiting

PAGES = (
    "/",
    "/alarms",
    "/reports",
    "/try",
    "/setup",
    "/models/churn",
    "/models/churn/windows/2026-02-20",
    "/setup/send?model=churn",
)


def test_who_shows_no_token_is_asked_for_one_and_comes_to_where_they_wanted(visit: Visiting) -> None:
    visit.client.cookies.clear()
    text = visit.get("/alarms", 401)
    assert 'name="token"' in text
    assert 'value="/alarms"' in text
    shown = visit.token("read")
    form = {"token": shown, "to": "/alarms", "seal": re.findall(r'name="seal" value="(\w+)"', text)[0]}
    answer = visit.client.post("/sign-in", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/alarms")
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie.lower() for word in ("httponly", "samesite=strict", "path=/"))
    assert "secure" not in cookie.lower()  # this is http
    assert visit.client.get("/alarms").status_code == 200
    visit.client.cookies.clear()
    wrong = visit.client.post("/sign-in", data={**form, "token": "sy_x_y"})
    assert wrong.status_code == 401
    assert "There is no such token" in wrong.text


def test_no_page_opens_without_a_token_and_no_form_is_taken(visit: Visiting) -> None:
    visit.fill()
    seal = visit.seal()
    visit.client.cookies.clear()
    for one in pages():
        address = re.sub(r"\{(\w+)(:\w+)?\}", "churn", one.path)
        answer = visit.client.request(one.method, address, data={"seal": seal} if one.method == "POST" else None)
        if one.scope is None:
            continue
        assert answer.status_code in {401, 403}, (one.path, answer.status_code)


@pytest.mark.parametrize("place", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_nobody_is_sent_to_another_site(visit: Visiting, place: str) -> None:
    visit.fill()
    back = visit.post("/models/churn/alarms?version=1", what="acknowledge", back=place)
    assert back.headers["location"] == "/"
    visit.client.cookies.clear()
    answer = visit.client.get(f"/open/{visit.token('read')}", params={"to": place})
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}]
)
def test_a_form_from_elsewhere_is_refused(visit: Visiting, headers: dict[str, str]) -> None:
    visit.fill()
    form = {"what": "acknowledge", "seal": visit.seal()}
    assert visit.client.post("/models/churn/alarms", data=form, headers=headers).status_code == 403
    assert visit.client.post("/models/churn/alarms", data={**form, "seal": "0" * 32}).status_code == 403
    assert visit.client.post("/models/churn/alarms", data={"what": "acknowledge"}).status_code == 403
    assert visit.client.post("/models/churn/alarms", data=form).status_code == 303


def test_where_no_tokens_are_asked_for_forms_from_elsewhere_are_refused_too(tmp_path: Path) -> None:
    with visiting(tmp_path, tokens=False) as visit:
        visit.fill()
        assert visit.client.post("/models/churn/alarms", data={"what": "mute"}).status_code == 403
        visit.post("/models/churn/alarms", what="mute", days="7")


def test_the_seal_of_one_token_does_not_fit_another(visit: Visiting) -> None:
    seal = visit.seal()
    visit.sign_in("write")
    assert visit.client.post("/setup/model", data={"seal": seal, "name": "x"}).status_code == 403


def test_a_cookie_opens_pages_and_not_what_programs_ask(visit: Visiting) -> None:
    assert visit.client.get("/").status_code == 200
    assert visit.client.get("/v1/models").status_code == 401


def test_a_link_only_reads_and_never_takes_the_place_of_who_is_signed_in(visit: Visiting) -> None:
    visit.fill()
    made = visit.post("/setup/token", 200, what="link", days="7", model="churn").text
    address = re.findall(r"http://testserver(/open/[^<\s]+)", made)[0].replace("&amp;", "&")
    held = visit.client.cookies[COOKIE]
    answer = visit.client.get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/models/churn")
    assert visit.client.cookies[COOKIE] == held
    visit.client.cookies.clear()
    assert visit.client.get(address).headers["location"] == "/models/churn"
    text = visit.get("/models/churn")
    assert "Acknowledge</button>" not in text
    assert "may only read" in text
    assert visit.client.post("/models/churn/alarms", data={"what": "acknowledge"}).status_code == 403
    strong = visit.token("write")
    visit.client.cookies.clear()
    assert visit.client.get(f"/open/{strong}").status_code == 403


def test_a_token_for_one_model_sees_that_one_alone(visit: Visiting) -> None:
    visit.fill()
    visit.fill("other")
    visit.sign_in("write", model="other")
    assert "churn" not in visit.get("/")
    assert "churn" not in visit.get("/alarms")
    for address in ("/models/churn", "/setup/send?model=churn", "/reports", "/models/churn/download/report.html"):
        assert visit.client.get(address).status_code == 403, address
    assert visit.client.post("/models/churn/alarms", data={"what": "acknowledge", "seal": "x"}).status_code == 403


def test_a_revoked_token_is_out_at_once(visit: Visiting) -> None:
    shown = visit.token("read")
    visit.post("/setup/revoke", token=shown.split("_")[1])
    visit.client.cookies.set(COOKIE, shown)
    text = visit.get("/", 401)
    assert "revoked" in text


def test_who_comes_by_a_link_from_elsewhere_is_asked_once_more_before_the_form(visit: Visiting) -> None:
    visit.client.cookies.clear()
    answer = visit.client.get("/", headers={"sec-fetch-site": "cross-site"})
    assert 'http-equiv="refresh"' in answer.text
    assert visit.client.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 401


def test_pages_run_and_load_nothing_that_is_not_theirs(visit: Visiting) -> None:
    visit.fill()
    for address in PAGES:
        answer = visit.client.get(address)
        assert answer.status_code == 200, address
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert not re.findall(r"<script(?![^>]*(src=|application/json))", answer.text), address
        assert not re.findall(r"<[a-z]+[^<>]*\s(style|on\w+)=", answer.text), address
        assert not re.findall(r'(?:href|src|action)="(?!/|#|data:,)', answer.text), address


def test_another_name_of_the_host_is_not_served(visit: Visiting) -> None:
    assert visit.client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert visit.client.get("/events", headers={"host": "evil.example"}).status_code == 421
