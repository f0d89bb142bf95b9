"""What pages say is what the service knows: states, numbers, causes, alarms and what people said of them."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import steelyard as sy
from steelyard.board.faces import face_of
from steelyard.serve import statements as sql
from steelyard.serve.declared import declaration_of, declared_in
from steelyard.serve.incoming import Sending
from steelyard.words import significant

from ..serve.asking import DECLARED
from .visiting import AGED, CALM, OLDER, STEADY, WORN, Visiting


def words(text: str) -> str:
    """What is read on a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text.partition("<main")[2])))


def test_the_board_says_who_needs_somebody_the_worst_first(visit: Visiting) -> None:
    assert "No model is declared yet." in visit.get("/")
    visit.fill("calm", STEADY, owner="Ana")
    assert "Nothing needs you" in visit.get("/")
    visit.fill("worn", WORN, owner="Ben", group="risk")
    text = words(visit.get("/"))
    assert "1 model needs you: worn (AUC is worse) ." in text
    assert text.index("worn Ben") < text.index("calm Ana")
    m = visit.service.watcher.seen(visit.service.watcher.streams(next(_session(visit)))[1])
    last = next(w["auc"] for w in reversed(m.windows) if w["auc"].state == "alarm")
    assert last.value is not None and last.value.value is not None
    assert f"was {significant(last.reference or 0)}" in text
    assert "calm" not in words(visit.get("/?q=BEN")).partition("Show")[2]
    assert "worn" in words(visit.get("/?state=needs")).partition("Show")[2]
    assert "calm" not in words(visit.get("/?owner=Ben")).partition("Show")[2]
    assert "<h2>no group</h2>" in visit.get("/?by=group")
    assert "is called or stands like this" in visit.get("/?q=nobody")


def _session(visit: Visiting) -> Any:
    with visit.service.store.reading() as session:
        yield session


@pytest.mark.parametrize(
    ("rows", "labels", "about", "advice"),
    [
        (WORN, True, "the model", "Retrain"),
        (OLDER, True, "the model and the data", "Retrain"),
        (AGED, True, "the data", "Find out why age moved"),
        (WORN[WORN["scored"] < "2026-02-14"], True, "the delivery of rows", "Ask whoever sends the rows"),
    ],
)
def test_it_is_said_whether_it_is_the_data_or_the_model(
    visit: Visiting, rows: Any, labels: bool, about: str, advice: str
) -> None:
    visit.fill(rows=rows, labels=labels)
    text = words(visit.get("/models/churn"))
    assert f"It is about {about}." in text
    assert advice in text
    assert advice.startswith("Retrain") or "Retrain the model" not in text
    face = json.loads(face_of(*_looked(visit)))
    assert face["cause"]["word"] == about


def _looked(visit: Visiting) -> Any:
    with visit.service.store.reading() as session:
        one = visit.service.watcher.stream(session, "churn", None)
    return one, visit.service.watcher.seen(one), visit.service.watcher.last(one)


def test_the_board_works_nothing_out(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    visit.fill()

    def refuse(*_: object) -> None:
        raise AssertionError

    for name in ("monitor", "seen", "windows", "count"):
        monkeypatch.setattr(visit.service.watcher, name, refuse)
    assert "AUC is worse" in visit.get("/")
    assert "churn" in visit.get("/alarms")


def test_a_face_is_written_when_something_changed(visit: Visiting) -> None:
    visit.fill()
    with visit.service.store.reading() as session:
        before = session.all(sql.FACES)
    visit.service.clock.now = visit.service.clock.now.replace(second=30)  # type: ignore[attr-defined]
    visit.service.tick()
    with visit.service.store.reading() as session:
        assert session.all(sql.FACES) == before
    visit.service.drop("churn", "test")
    with visit.service.store.reading() as session:
        assert session.all(sql.FACES) == []


def test_an_alarm_is_acknowledged_muted_and_heard_again(visit: Visiting) -> None:
    visit.fill()
    assert "for somebody" in visit.get("/alarms")
    visit.post("/models/churn/alarms?version=1", what="acknowledge", back="/alarms")
    text = words(visit.get("/alarms"))
    assert "No alarm waits for anybody." in text
    assert "Acknowledged by" in text
    visit.post("/models/churn/alarms?version=1", what="acknowledge")  # a second one presses it later
    visit.post("/models/churn/alarms?version=1", what="mute", signal="auc", days="7", reason="retrained: <b>Monday</b>")
    text = words(visit.get("/alarms"))
    assert "AUC muted until 2026-03-10 00:00 because: retrained: <b>Monday</b>" in text
    assert "Hear again" in visit.get("/models/churn")
    visit.post("/models/churn/alarms?version=1", what="unmute", signal="auc")
    assert "muted until" not in words(visit.get("/alarms"))
    for wrong in ({"what": "mute", "days": "x"}, {"what": "mute", "days": "0"}, {"what": "away"}):
        visit.post("/models/churn/alarms", 422, **wrong)
    visit.post("/models/churn/alarms", 409, what="acknowledge", signal="volume")


def test_a_model_and_its_windows_say_what_the_monitor_says(visit: Visiting) -> None:
    visit.fill()
    _, m, _ = _looked(visit)
    text = visit.get("/models/churn")
    for sentence in (str(m.windows[-1].name), m.budget.text, m.baseline.text):
        assert sentence in words(text)
    assert text.count('class="a"') + text.count('class="w"') > 0
    loud = next(w for w in m.windows if w.state_of("auc") == "alarm")
    assert f'href="/models/churn/windows/{loud.name}#signals"' in text
    page = visit.get(f"/models/churn/windows/{loud.name}")
    assert loud["auc"].reason in words(page)
    assert 'class="explorer"' in page  # the workbench
    assert "worse than reference" in words(page)
    saved = json.loads(visit.get(f"/models/churn/windows/{loud.name}/summary.json"))
    assert saved["summary"]["rows"] == loud.rows
    csv = visit.get(f"/models/churn/windows/{loud.name}/signals.csv")
    assert len(csv.splitlines()) == 1 + len(loud.signals)
    assert "steelyard report" in visit.get(f"/models/churn/windows/{loud.name}/report.html")
    assert visit.client.get("/models/churn/windows/never").status_code == 404
    assert visit.client.get(f"/models/churn/windows/{loud.name}/other.txt").status_code == 404
    for kind in ("report.html", "signals.csv", "monitor.json"):
        assert visit.client.get(f"/models/churn/download/{kind}").status_code == 200


def test_a_window_without_labels_and_one_without_rows_say_so(visit: Visiting) -> None:
    some = CALM[(CALM["scored"] < "2026-02-04") | (CALM["scored"] > "2026-02-07")]
    visit.fill(rows=some, labels=False)
    assert "Not known yet" in words(visit.get("/models/churn/windows/2026-02-03"))
    assert "no rows came" in words(visit.get("/models/churn/windows/2026-02-05")).lower()
    assert visit.client.get("/models/churn/windows/2026-02-05/report.html").status_code == 404


def test_models_without_rows_or_without_a_reference_have_pages(visit: Visiting) -> None:
    said = {**json.loads("{}"), "target": "y", "score": "p", "time": "scored"}
    visit.service.declare("bare", declaration_of(said), None, "test")
    assert "no reference yet" in words(visit.get("/"))
    assert "Send predictions first" in words(visit.get("/models/bare"))
    assert visit.client.get("/models/nothing").status_code == 404
    assert "Anybody" not in visit.get("/alarms")


def test_versions_stand_side_by_side_with_a_verdict(visit: Visiting) -> None:
    visit.fill()
    visit.fill(rows=STEADY.assign(id=STEADY["id"] + "b"), version="2")
    text = words(visit.get("/models/churn"))
    assert "Which version?" in text
    assert "2 versions" in words(visit.get("/"))
    assert "Prefer 2 to 1" in text
    assert visit.client.get("/models/churn?version=2").status_code == 200
    assert visit.client.get("/models/churn?version=9").status_code == 404


def test_windows_are_turned_by_their_names(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.board.one_model.WINDOWS", 10)
    visit.fill(rows=WORN)
    _, m, _ = _looked(visit)
    text = visit.get(f"/models/churn?to={m.windows[4].name}")
    assert "Later" in text and "Earlier" not in text
    assert "Earlier" in visit.get("/models/churn")
    assert visit.client.get("/models/churn?to=never&signal=never").status_code == 200
    assert "age over time" in words(visit.get("/models/churn?signal=age")) or "Stability of age" in words(
        visit.get("/models/churn?signal=age")
    )


def test_500_models_are_one_page(visit: Visiting) -> None:
    visit.fill()
    with visit.service.store.reading() as session:
        face = session.all(sql.FACES)[0][1]
    calm = json.dumps({**json.loads(face), "state": "ok"})
    for i in range(500):
        visit.service.declare(f"model-{i:03}", visit.service.model("churn").said, None, "test")

    def fill(session: Any) -> None:
        for i in range(500):
            session.do(sql.ADD_STREAM, f"model-{i:03}", "1")
        for n, name, _ in session.all(sql.ALL_STREAMS):
            session.do(sql.SET_FACE, n, face if name.endswith("7") else calm, 0)

    visit.service.writer.do(fill)
    text = visit.get("/")
    assert len(text) <= 200_000
    assert all(f"model-{i:03}" in text for i in range(500))
    assert "50 models need you" in words(text)


# Reports, trying, setting up ------------------------------------------------------------------------------------------


def test_what_was_saved_is_listed_opened_and_compared(visit: Visiting, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, worth in (("march", 1.5), ("may", 0.2)):
        y = (rng.random(800) < 0.3).astype(int)
        e = sy.evaluate(target=y, score=1 / (1 + np.exp(-rng.normal(worth * y, 1))))
        e.save(tmp_path / "saved" / f"{name}.json")
    e.report(tmp_path / "saved" / "page.html")
    (tmp_path / "secret.json").write_text("{}")
    text = visit.get("/reports")
    assert all(name in text for name in ("march.json", "may.json", "page.html"))
    assert "steelyard report" in visit.get("/reports/0/march.json")
    assert "steelyard report" in visit.get("/reports/0/page.html")
    # Anybody may have put a page there: its scripts reach nothing of this site.
    assert "; sandbox allow-scripts" in visit.client.get("/reports/0/page.html").headers["content-security-policy"]
    assert "What changed" in visit.get("/compare-reports?old=reports/0/march.json&new=reports/0/may.json")
    for other in (
        "/reports/0/../secret.json",
        "/reports/0/%2e%2e/secret.json",
        "/reports/1/march.json",
        "/reports/0//etc/passwd",
    ):
        assert visit.client.get(other).status_code == 404, other


@pytest.mark.slow
def test_a_table_is_looked_at_confirmed_and_reported_and_let_go(visit: Visiting) -> None:
    text = (
        "churned,score\n"
        + "\n".join(f"{'yes' if i % 3 == 0 else 'no'},0.{(i * 37) % 89 + 10}" for i in range(300))
        + "\n"
    )
    page = visit.post("/try", 200, files={"table": ("preds.csv", text.encode(), "text/csv")}).text
    assert "Which column is what?" in page, words(page)
    chosen = {name: re.search(rf'<select name="{name}".*?value="(\d+)" selected', page) for name in ("target", "score")}
    assert {k: v and v[1] for k, v in chosen.items()} == {"target": "0", "score": "1"}
    key = re.findall(r'name="table" value="([^"]+)"', page)[0]
    form = {"table": key, "target": "0", "score": "1", "positive": "yes"}
    wrong = visit.post("/try/report", 422, **{**form, "positive": "maybe"})
    assert "maybe" in wrong.text
    assert "steelyard report" in visit.post("/try/report", 200, **form).text
    assert "is not here any more" in visit.post("/try/report", 200, **form).text


def test_what_is_no_table_is_refused_in_words(visit: Visiting) -> None:
    for name, body in (("x.exe", b"MZ"), ("x.parquet", b"PAR1 nonsense"), ("x.csv", b"")):
        page = words(visit.post("/try", 200, files={"table": (name, body, "text/csv")}).text)
        assert "Choose" in page or "choose" in page or "Save" in page or "damaged" in page, page


def test_a_model_is_declared_by_a_form_and_the_same_stands_in_a_file(visit: Visiting, tmp_path: Path) -> None:
    given = {"name": "offers", "time": "scored", "label_time": "known", "target": "y", "score": "p", "features": "age, region",
             "window": "day", "owner": "Ana", "margin": "0.1", "positive": "1"}  # fmt: skip
    rows = CALM.assign(scored=CALM["scored"].astype(str), known=CALM["known"].astype(str)).drop(columns="id")
    files = {"reference": ("first.csv", rows.to_csv(index=False).encode(), "text/csv")}
    answer = visit.post("/setup/model", files=files, **given)
    page = visit.get(answer.headers["location"])
    assert "curl http://testserver/v1/models/offers/predictions" in words(page)
    model = visit.service.model("offers")
    assert model.baseline is not None and model.baseline.rows == len(CALM)
    assert (model.said.owner, model.said.margin, model.features) == ("Ana", 0.1, ("age", "region"))
    toml = unescape(re.findall(r"<pre[^>]*>(\[models.*?)</pre>", page, re.DOTALL)[0])
    (tmp_path / "models.toml").write_text(toml)
    assert declared_in(tmp_path / "models.toml")["offers"][0] == model.said
    for wrong in ({"name": "a b"}, {"margin": "much"}, {"window": "soon"}, {"target": "p"}):
        told = visit.post("/setup/model", 422, **{**given, **wrong})
        assert 'role="alert"' in told.text


def test_a_token_is_made_shown_once_and_revoked(visit: Visiting) -> None:
    text = visit.post("/setup/token", 200, **{"what": "token", "days": "7", "scope-ingest": "yes"}).text
    shown = re.findall(r"sy_[\w-]+", text)[0]
    assert shown not in visit.get("/setup")
    assert shown.split("_")[1] in visit.get("/setup")
    visit.post("/setup/token", 422, what="token", days="7")
    visit.post("/setup/token", 422, what="link", days="never")


def test_a_channel_gets_a_test(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.serve.delivering import Channel, Undelivered

    sent: list[Any] = []
    channel = Channel(name="team", webhook="https://hooks.example", secret="whsec_x")
    visit.service.messenger.channels["team"] = channel
    monkeypatch.setattr(Channel, "send", lambda self, key, notice, now: sent.append(notice))
    assert "The test arrived at team." in visit.post("/setup/test", 200, channel="team").text
    assert sent[0]["type"] == "steelyard.test"

    def fail(*_: object) -> None:
        raise Undelivered("it answered 500")

    monkeypatch.setattr(Channel, "send", fail)
    assert "it answered 500" in visit.post("/setup/test", 200, channel="team").text
    visit.post("/setup/test", 404, channel="nobody")


def test_a_trial_is_told_by_what_holds_at_every_look(visit: Visiting) -> None:
    assert "No trial runs." in words(visit.get("/trials"))
    trial = {"control": "left alone", "treated": "<b>called", "ends": "2026-06-01"}
    visit.fill(rows=CALM, trials={"call": trial})
    assert "Nobody was exposed yet." in words(visit.get("/trials"))
    arms = np.where((CALM["p"] * 1e9).astype(int) % 2 == 0, "left alone", "<b>called")
    told = CALM.assign(arm=arms, scored=CALM["scored"].astype(str))[["id", "scored", "arm"]]
    sending = Sending(
        what="exposures", model="churn", trial="call", body=told.to_csv(index=False).encode(), kind="text/csv"
    )
    visit.service.take(sending).result()
    text = words(visit.get("/trials"))
    assert "1 trial runs, and nothing is decided yet." in text
    assert "Not decided yet: let it run." in text
    assert "<b>called: " in text
    assert "days to go" in text


def test_what_was_alarmed_stays_when_another_version_is_in_force(visit: Visiting) -> None:
    visit.fill(rows=WORN)
    visit.post("/models/churn/alarms?version=1", what="acknowledge", back="/alarms")
    said = visit.service.model("churn").said
    visit.fill(rows=STEADY.assign(id=STEADY["id"] + "b"), version="2")
    visit.service.declare("churn", msgspec.structs.replace(said, champion="2"), None, "test")
    visit.service.tick()
    text = words(visit.get("/alarms"))
    assert re.search(r"churn 1 AUC ▲ alarm .* Acknowledged by", text), text


def test_versions_that_scored_the_same_rows_are_held_against_each_other_row_by_row(visit: Visiting) -> None:
    visit.fill()
    better = WORN.assign(p=(0.7 * WORN["p"] + 0.3 * WORN["y"]).round(3))
    visit.fill(rows=better, version="2")
    text = words(visit.get("/models/churn"))
    known = WORN[WORN["known"] <= visit.service.clock()]
    assert "Prefer 2 to 1" in text
    assert f"on the {len(known):,} rows with a label that both scored" in text
    same = sy.compare(
        target=list(known["y"]), score={"1": list(known["p"]), "2": list(better.loc[known.index, "p"])}, positive=1
    )
    assert f"AUC {same.difference('auc', '2', '1')}" in text


def test_a_model_tells_what_it_earned_where_outcomes_are_worth_something(visit: Visiting) -> None:
    visit.fill(payoff={"tp": 10, "fp": -3, "fn": 0, "tn": 0})
    text = words(visit.get("/models/churn"))
    one = _looked(visit)[0]
    with visit.service.store.reading() as session:
        whole = [w for w in visit.service.watcher.windows(session, one) if w.labelled >= 0.95 * w.rows > 0]
    last = whole[-1]
    rows = WORN[WORN["known"] <= visit.service.clock()]
    mine = rows[rows["scored"].dt.strftime("%Y-%m-%d") == last.name]
    e = sy.evaluate(target=list(mine["y"]), score=list(mine["p"]), positive=1)
    worth = e.profit(sy.Profit(tp=10, fp=-3, fn=0, tn=0))
    assert f"{worth.per_case} a case in {last.name}" in text, text[text.index("What was it worth?") :][:400]
    said = {"declared": {**DECLARED, "payoff": {"win": 1}}}
    assert (
        visit.client.put(
            "/v1/models/other", json=said, headers={"authorization": f"Bearer {visit.token('admin')}"}
        ).status_code
        == 422
    )


def test_what_is_missing_comes_after_that_something_is(visit: Visiting) -> None:
    visit.fill(labels=False, rows=WORN.groupby(WORN["scored"].dt.date).head(30))
    text = words(visit.get("/models/churn"))
    assert "Nothing can be judged yet: the windows hold too few cases." in text
    assert "Watch longer windows: there is too little in each to judge by." in text
    visit.service.declare("bare", declaration_of({**DECLARED, "target": "y", "score": "p"}), None, "test")
    bare = words(visit.get("/models/bare"))
    assert 'No prediction of the model "bare" has come yet.' in bare and "has no version" not in bare
