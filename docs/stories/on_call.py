"""An alarm at night, from the phone to the last notice: prints docs/on-call.md and draws its pictures in a browser.

The customers are made up, so that it is known what changed and when; the service is not told. Run: python docs/stories/on_call.py
"""

from __future__ import annotations

import http.client
import json
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import uvicorn
from playwright.sync_api import sync_playwright

from steelyard.board import invented
from steelyard.board.invented import ALL, Columns, Numbers
from steelyard.board.site import board
from steelyard.serve.app import app_of
from steelyard.serve.delivering import Channel, text_of
from steelyard.serve.service import Service
from steelyard.serve.store import open_store
from steelyard.serve.tokens import new_token

DOCS = Path(__file__).resolve().parents[1]
PICTURES = DOCS / "pictures" / "on-call"
NIGHT = datetime(2026, 11, 16, 2, 40, tzinfo=UTC)
"""A Monday."""
FIRED = "2026-W42"
YOUNG, WEEK = 6.0, timedelta(weeks=1)


def customers(rng: np.random.Generator, before: Numbers, *, knows_young: bool = False) -> Columns:
    """A campaign brings in young people; the first model knows little of them, the second as much as of all others."""
    n, young = len(before), before < YOUNG
    age = np.where(young & (rng.random(n) < 0.5), rng.normal(26, 4, n), rng.normal(46, 11, n)).clip(18, 90).round()
    plan, known = rng.choice(["basic", "family", "pro"], n, p=[0.5, 0.3, 0.2]), 1.5 * rng.normal(size=n)
    risk = -1.3 + known + 0.4 * (plan == "basic")
    seen = risk if knows_young else np.where(age < 33, 1.5 * rng.normal(size=n) - 1.3, risk)
    told = {"age": age, "tenure": rng.exponential(40, n).round(), "plan": plan}
    chance = (1 / (1 + np.exp(-seen))).round(4)
    return told | {"p": chance, "y": (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(int)}


def retrained(rng: np.random.Generator, before: Numbers) -> Columns:
    """The same customers, scored by a model that was trained on young ones too."""
    return customers(rng, before, knows_young=True)


CHURN = replace(ALL[0], draw=customers, windows=30, features=("age", "tenure", "plan"), late=(2, 9))


class Heard(Channel):
    """A channel that puts down what it is told."""

    def send(self, key: str, notice: Mapping[str, Any], now: datetime) -> None:
        with open(str(self.webhook), "a", encoding="utf-8") as file:
            file.write(json.dumps(dict(notice)) + "\n")


class OnCall:
    """A service whose clock is set, and whoever is woken by it."""

    def __init__(self, folder: Path) -> None:
        self.now = NIGHT
        self.heard = folder / "heard"
        channel = Heard(name="phone", webhook=str(self.heard))
        self.service = Service(open_store(folder / "s.db"), lambda: self.now, channels=[channel])
        self.service.watcher.patience = 0.0
        _, self.token = self.service.writer.do(lambda s: new_token(s, ["admin", "ingest"], self.now))
        self.app = app_of(self.service, ["127.0.0.1"], 0, pages=board())
        self.base = ""

    def notices(self) -> list[Any]:
        """What came to the phone."""
        return [json.loads(line) for line in self.heard.read_text().splitlines()] if self.heard.exists() else []

    def asked(self, method: str, address: str, said: object = None) -> Any:
        """An answer of the service."""
        connection = http.client.HTTPConnection(self.base.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, address, None if said is None else json.dumps(said), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status < 300, body
        return json.loads(body)

    @contextmanager
    def served(self) -> Iterator[None]:
        """On an address of this machine."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as held:
            held.bind(("127.0.0.1", 0))
            held.listen(64)
            server = uvicorn.Server(uvicorn.Config(self.app, log_level="warning", lifespan="off", access_log=False))
            self.service.ending = lambda: server.should_exit
            thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.02)
            self.base = self.service.address = f"http://127.0.0.1:{held.getsockname()[1]}"
            yield
            server.should_exit = True
            thread.join(10)


def story() -> dict[str, str]:
    """What was said on the way; the pictures are drawn."""
    told: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        one = OnCall(Path(name))
        with one.served():
            browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
            phone, desk = (_page(browser, one, width, scheme) for width, scheme in ((360, "dark"), (1280, "light")))
            invented.invent(one.service, (CHURN,))
            (first,) = one.notices()
            told["first"] = _read({**first, "link": "https://monitor.example.com/models/churn?version=1"})
            _shot(phone, "/", "1-phone", height=640)
            phone.goto(first["link"].removeprefix(one.base))  # the first click: the link in the notice
            _shot(phone, "", "2-model", height=740)
            cell = phone.locator(f".strip td a[aria-label^='age, {FIRED}']").first
            cell.click()  # the second: the last cell of age
            phone.wait_for_url("**/windows/**")
            phone.locator("summary", has_text="Every cell").first.click()  # the third
            heading = "[...document.querySelectorAll('h2')].find(h => h.textContent === 'What moved?')"
            told["moved"] = phone.get_by_text("Most of it:").first.inner_text()
            phone.evaluate(f"{heading}.scrollIntoView()")
            phone.screenshot(path=PICTURES / "3-window.png")
            phone.goto("/models/churn")
            phone.get_by_role("button", name="Acknowledge churn").click()
            phone.get_by_text("Acknowledged by").first.wait_for()
            _shot(phone, "/alarms", "4-acknowledged", height=640)
            _retrain(one)
            desk.goto("/models/churn")
            part = desk.locator("#versions")
            told["versions"] = part.inner_text().partition("Prefer")[2].partition("\n")[0]
            part.screenshot(path=PICTURES / "5-versions.png")
            _close(one)
            _shot(desk, "/", "6-closed", height=420)
            told["closed"] = desk.locator("h1").inner_text()
            told["last"] = "\n\n".join(_read({**n, "link": ""}) for n in one.notices()[1:])
            desk.goto("/alarms")
            desk.set_viewport_size({"width": 1280, "height": 560})
            desk.screenshot(path=PICTURES / "7-history.png")
            browser.close()
        one.service.close()
    return told


def _retrain(one: OnCall) -> None:
    """A second version is trained with the young, and scores the same weeks in the shadow of the first."""
    rng = np.random.default_rng(77)
    scored, rows = invented._rows(rng, CHURN, retrained, YOUNG, 0, one.now)
    invented._send(one.service, CHURN, rng, scored, rows, "2")
    one.service.tick()


def _close(one: OnCall) -> None:
    """It goes live: it is the champion, its first weeks are the reference, and four weeks pass."""
    rng = np.random.default_rng(78)
    names = [w["name"] for w in one.asked("GET", "/v1/models/churn/windows?version=2")["windows"]]
    said = one.asked("GET", "/v1/models/churn")["declared"]
    one.asked("PUT", "/v1/models/churn", {"declared": {**said, "champion": "2"}})
    one.asked("POST", "/v1/models/churn/baseline", {"version": "2", "windows": names[1:-1]})
    for _ in range(4):
        one.now += WEEK
        scored, rows = invented._rows(rng, CHURN, retrained, 1, 0, one.now)
        _send_week(one, rng, scored, rows)
        one.service.tick()


def _send_week(one: OnCall, rng: np.random.Generator, scored: list[datetime], rows: Columns) -> None:
    from steelyard.files.as_csv import as_csv
    from steelyard.serve.incoming import Sending

    names = [f"{one.now:%m%d}-{i}" for i in range(len(scored))]
    held = {
        "id": names,
        "scored": [t.isoformat() for t in scored],
        **{k: v.tolist() for k, v in rows.items() if k != "y"},
    }
    labels = {"id": names, "y": rows["y"].tolist(), "known": [one.now.isoformat()] * len(names)}
    for what, columns in (("predictions", held), ("labels", labels)):
        sending = Sending(what=what, model="churn", body=as_csv(columns).encode(), kind="text/csv", version="2")  # type: ignore[arg-type]
        one.service.take(sending).result()


def _page(browser: Any, one: OnCall, width: int, scheme: str) -> Any:
    context = browser.new_context(base_url=one.base, viewport={"width": width, "height": 740}, color_scheme=scheme)
    context.add_cookies([{"name": "steelyard", "value": one.token, "url": one.base}])
    return context.new_page()


def _shot(page: Any, address: str, name: str, height: int) -> None:
    if address:
        page.goto(address)
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    page.screenshot(path=PICTURES / f"{name}.png")


def _words(place: Any) -> str:
    return " ".join(place.inner_text().split())


PAGE = """# Woken by an alarm

Printed by [`docs/stories/on_call.py`](stories/on_call.py), with its pictures, from a service that runs. **The customers are
made up**: only so is it known what changed and when. The service is told neither.

A shop scores 700 customers a week: who is about to leave? Whether they did is known two to nine days later. A campaign brings in
young people from week 41 on, of whom the model knows little.

## Monday, 02:40: the phone

One notice came for all that fired, by a channel that was declared in a file ([how](service.md#alarms)):

```text
{first}
```

It says what, the number with its interval and what it is held against, since when, and when that could first be known. The link
opens the model; nobody has to find anything.

![The board on a phone: 1 model needs you](pictures/on-call/1-phone.png)

## Three clicks to the cause

**The first** is the link. The page says first what is the matter, what it is about, and what to do: here both the data and the
model.

![The model on a phone: what is the matter, and what to do](pictures/on-call/2-model.png)

**The second** is the first red cell in the row of age. **The third** opens its cells. "{moved}"

![The window on a phone: the share of the young rose](pictures/on-call/3-window.png)

So it is no fault of the delivery: there are other people than before, and the model ranks them badly. Nothing is to be done before
the morning. Whoever is on call acknowledges it, and goes to sleep. Nobody is told again until it is over and fires anew.

![The alarms, acknowledged](pictures/on-call/4-acknowledged.png)

## Monday, 10:00: retrained

A second version learns from rows since week 41, and scores customers of the same weeks beside the first: its rows are sent with
`version=2`, the first stays in force. The page of the model holds them against each other: prefer{versions}

![Two versions side by side](pictures/on-call/5-versions.png)

## Four weeks later: closed

The second version is put in force, and its first whole weeks become the reference, since young customers are here to stay:

```sh
curl -X PUT $URL/v1/models/churn -d '{{"declared": {{"champion": "2", …}}}}' -H "$AUTH" -H 'Content-Type: application/json'
curl $URL/v1/models/churn/baseline -d '{{"version": "2", "windows": ["2026-W42", "2026-W43", "2026-W44", "2026-W45"]}}' \\
  -H "$AUTH" -H 'Content-Type: application/json'
```

What came to the phone after that, in order:

```text
{last}
```

"{closed}"

![The board: nothing needs you](pictures/on-call/6-closed.png)

What was, stays: when it began, when it could be known, who acknowledged it and how it ended.

![The history of alarms](pictures/on-call/7-history.png)

## What to take along

- An alarm about a feature and one about performance since the same week are one story. The page tells it as one.
- What the first version knows of the young could not be seen before their labels came, nine days at most. The feature said it at
  once.
- A retrained version is first held against the old one on the same weeks, then put in force.
- A new reference is a decision: the young would be an alarm for ever against the old one.
"""


def _read(notice: dict[str, Any]) -> str:
    """A notice as it is read: its title, and what it says."""
    return f"{notice['title']}\n{text_of(notice)}"


def _wrapped(text: str) -> str:
    """Lines of a page, those that go on moved in."""
    return "\n".join("\n".join(wrap(line, 120, subsequent_indent="  ")) for line in text.splitlines())


def main() -> None:
    """Print the page."""
    told = {name: _wrapped(text) if name in {"first", "last"} else text for name, text in story().items()}
    (DOCS / "on-call.md").write_text(PAGE.format(**told), encoding="utf-8")


if __name__ == "__main__":
    main()
