"""Try it here: a table is dropped on the page, its columns are guessed and confirmed, the report comes, nothing is kept."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

from steelyard.board.apart import ENDINGS, asked_apart
from steelyard.board.pieces import field, warned
from steelyard.board.visits import Answer, Download, Shown, Visit, page
from steelyard.serve.problems import Problem
from steelyard.views.html import Ready, listed, row, tag
from steelyard.words import count, visible

HELD, MINUTES = 8, 15
"""Tables that wait for their columns to be confirmed, and how long each waits at most."""
PARTS = (
    ("target", "What really happened", True),
    ("score", "The score, a number", False),
    ("prediction", "Or the prediction itself", False),
    ("weight", "Weight of a row", False),
    ("unit", "Customer, where there are many rows of one", False),
    ("segment", "Groups to tell apart", False),
)


@page("/try")
def get_try(visit: Visit) -> Answer:
    """The place to drop a table."""
    return _asking(visit)


def _asking(visit: Visit, wrong: str = "") -> Shown:
    form = visit.form_tag(
        "/try",
        tag(
            "div",
            tag("label", tag("b", "Drop a CSV or Parquet here, or choose one"), for_="table"),
            tag("p", tag("input", type="file", name="table", id="table", accept=",".join(ENDINGS), required=True)),
            class_="drop",
        ),
        tag("p", tag("button", "Look at it", class_="main")),
        enctype="multipart/form-data",
    )
    note = "One row for each prediction: what really happened, and the score or the prediction. 32 MiB at most. Nothing is kept."
    return Shown(
        "Try it", tag("section", tag("h1", "How good is a model?"), tag("p", note), warned(wrong), form), live=False
    )


@page("/try", method="POST")
def look_at_table(visit: Visit) -> Answer:
    """Look at a table, and ask which column plays which part."""
    name, body = visit.files.get("table", ("", b""))
    if not body:
        return _asking(visit, "No table came: choose a file with rows in it.")
    try:
        seen = json.loads(asked_apart(name, body, {"what": "look"}))
    except Problem as problem:
        return _asking(visit, f"{problem.detail} {problem.hint}".strip())
    key = _hold(visit, name, body, seen)
    return _confirming(visit, key, name, seen)


def _hold(visit: Visit, name: str, body: bytes, seen: dict[str, Any]) -> str:
    """Keep a table in memory until its columns are confirmed; the oldest make room."""
    held = visit.site.kept.setdefault("tables", {})
    now = time.monotonic()
    for key in [k for k, v in held.items() if now - v[0] > 60 * MINUTES]:
        held.pop(key, None)
    while len(held) >= HELD:
        held.pop(next(iter(held)), None)
    key = secrets.token_urlsafe(18)
    held[key] = (now, visit.caller.token, name, body, seen)
    return key


def _confirming(visit: Visit, key: str, name: str, seen: dict[str, Any], wrong: str = "") -> Shown:
    columns = [c["name"] for c in seen["columns"]]
    given = {k: visit.form.get(k) for k, _, _ in PARTS} if wrong else seen["roles"]

    def choice(part: str, label: str, needed: bool) -> Ready:
        chosen, options = given.get(part), [tag("option", "none" if not needed else "choose", value="")]
        for i, c in enumerate(columns):
            options.append(tag("option", visible(c), value=str(i), selected=chosen in {c, str(i)}))
        select = tag("select", options, name=part, id=part, required=needed)
        return field(label, part, select)

    levels = sorted({str(v) for c in seen["columns"] if c["levels"] == 2 for v in c["shown"]})
    said = visit.form.get("positive", seen["roles"].get("positive", ""))
    positive = field(
        "The level that is looked for, where the target has two",
        "positive",
        tag("input", name="positive", id="positive", value=said, list="levels"),
        tag("datalist", [tag("option", value=v) for v in levels], id="levels"),
    )
    form = visit.form_tag(
        "/try/report",
        tag("input", type="hidden", name="table", value=key),
        tag("div", [choice(*p) for p in PARTS], positive, class_="pair"),
        tag("p", tag("button", "Report", class_="main")),
        class_="fields",
    )
    told = f"{visible(name)}: {'the first ' if seen['more'] else ''}{count(seen['rows'])} rows, {count(len(columns))} columns."
    guess = "No column could be recognised by its name: say which is which."
    if seen["roles"]:
        guess = "These columns were recognised by their names and what they hold. Is that right?"
    rows = [
        row(visible(c["name"]), c["kind"], count(c["missing"]), ", ".join(map(visible, c["shown"][:6])), align="lrl")
        for c in seen["columns"][:60]
    ]
    table = listed(("column", "holds", "missing", "values"), rows, "What each column holds")
    body = [
        tag("h1", "Which column is what?"),
        tag("p", told),
        tag("p", guess),
        warned(wrong),
        form,
        [tag("p", visible(r), class_="note") for r in seen["remarks"]],
        table,
    ]
    return Shown("Try it", tag("section", body), 422 if wrong else 200, live=False)


@page("/try/report", method="POST")
def report_table(visit: Visit) -> Answer:
    """The report of a table whose columns were confirmed; the table is let go."""
    key = visit.form.get("table", "")
    found = visit.site.kept.get("tables", {}).get(key)
    if found is None or found[1] != visit.caller.token:
        return _asking(visit, f"This table is not here any more: it waits for {MINUTES} minutes. Choose it again.")
    _, _, name, body, seen = found
    columns = [c["name"] for c in seen["columns"]]
    roles: dict[str, Any] = {}
    for part, _, _ in PARTS:
        place = visit.form.get(part, "")
        if place.isdecimal() and int(place) < len(columns):
            roles[part] = columns[int(place)]
    if visit.form.get("positive"):
        column = next((c for c in seen["columns"] if c["name"] == roles.get("target")), None)
        roles["positive"] = _typed(visit.form["positive"], column)
    try:
        page_made = asked_apart(name, body, {"what": "report", "roles": roles | seen["written"], "title": name})
    except Problem as problem:
        return _confirming(visit, key, name, seen, f"{problem.detail} {problem.hint}".strip())
    visit.site.kept["tables"].pop(key, None)
    return Download(page_made, "text/html; charset=utf-8")


def _typed(text: str, column: dict[str, Any] | None) -> Any:
    """A level as the column holds it."""
    if column is not None and column["kind"] == "number":
        try:
            return int(text) if column["whole"] else float(text)
        except ValueError:
            return text
    return text == "true" if column is not None and column["kind"] == "bool" else text
