"""Windows: told, given as they are saved, and the monitor over them as JSON, CSV and page."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from steelyard.files.writing import sealed
from steelyard.monitors.windowed import CountedWindow
from steelyard.monitors.windows import instant_of
from steelyard.serve import statements as sql
from steelyard.serve.asked_rows import Name
from steelyard.serve.counting import windows_known
from steelyard.serve.given_windows import given_windows, put_windows, told_of
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.problems import Problem
from steelyard.serve.service import audit
from steelyard.serve.store import Session
from steelyard.serve.taking import Taken
from steelyard.serve.watching import WatchedStream

MOST = 1000
Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class OfVersion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The version that is meant; the champion unless one is named."""

    version: Name | None = None


class Page(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A page of a list: how many at most, and after which."""

    version: Name | None = None
    limit: Limit = 100
    after: str | None = None


def one_stream(asked: ApiRequest) -> WatchedStream:
    """The stream that a request is about."""
    with asked.service.store.reading() as session:
        return asked.service.watcher.stream(session, asked.model, asked.query.version)


@operation(
    "GET",
    "/v1/models/{model}/windows",
    scope="read",
    query=Page,
    answers={200: "Windows in order, and where the next page begins."},
)
def list_windows(asked: ApiRequest) -> ApiReply:
    """List the windows of a version: rows, labels, revision, and whether their rows are still there."""
    one = one_stream(asked)
    asked.service.watcher.count(one)
    with asked.service.store.reading() as session:
        known = windows_known(session, one.stream)
    names = [w.name for w in known]
    after = asked.query.after
    if after is not None and after not in names:
        raise Problem(400, "cursor", f'There is no window "{after[:100]}" to go on after.')
    begin = 0 if after is None else names.index(after) + 1
    page = known[begin : begin + asked.query.limit]
    more = begin + asked.query.limit < len(known)
    return ApiReply({"windows": [w.to_dict(one.model) for w in page], "next": page[-1].name if more else None})


class SentWindows(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Windows as they were saved, with their seals."""

    windows: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1, max_length=MOST)]


@operation(
    "PUT",
    "/v1/models/{model}/windows",
    scope="ingest",
    query=OfVersion,
    body=SentWindows,
    answers={200: "How many were new, counted anew, and as they were. They are on the disk."},
)
def send_windows(asked: ApiRequest) -> ApiReply:
    """Take windows in that were counted elsewhere, by `sy.windows` against the baseline of the model: no row comes here."""
    service, now = asked.service, asked.service.clock()
    model = service.model(asked.model)
    version = asked.query.version or model.said.champion
    service.check_room()
    found = given_windows(asked.body.windows, model, version, now)

    def change(session: Session) -> Taken:
        taken = put_windows(session, model, version, found, instant_of(now))
        audit(session, asked.caller.token, "send windows", f"{model.name} {version}: {told_of(taken)}", now)
        return taken

    return ApiReply(service.writer.do(change).to_dict())


@operation(
    "GET",
    "/v1/models/{model}/windows/{window}",
    scope="read",
    query=OfVersion,
    answers={200: "The window as a saved file."},
)
def get_window(asked: ApiRequest) -> ApiReply:
    """Give a window as it is saved: `steelyard.load` and `steelyard monitor` read it."""
    one = one_stream(asked)
    asked.service.watcher.count(one)
    with asked.service.store.reading() as session:
        start = session.one(sql.WINDOW_NAMED, one.stream, asked.path["window"])
        if start is None:
            raise Problem(404, "no_window", f'There is no window "{asked.path["window"][:100]}".')
        known = next(w for w in windows_known(session, one.stream) if w.start == start[0])
        found = asked.service.watcher.opened(session, one, known)
    return ApiReply(_saved(asked, found), etag=_etag(found))


@operation(
    "GET",
    "/v1/models/{model}/windows/{window}/revisions",
    scope="read",
    query=OfVersion,
    answers={200: "Former counts, oldest first."},
)
def list_revisions(asked: ApiRequest) -> ApiReply:
    """List what a window was before late rows and labels changed it."""
    one = one_stream(asked)
    with asked.service.store.reading() as session:
        start = session.one(sql.WINDOW_NAMED, one.stream, asked.path["window"])
        if start is None:
            raise Problem(404, "no_window", f'There is no window "{asked.path["window"][:100]}".')
        found = [json.loads(bytes(body)) for _, _, body in session.all(sql.HISTORY, one.stream, start[0])]
        revisions = [int(row[0]) for row in session.all(sql.HISTORY, one.stream, start[0])]
    told = [
        {"revision": n, "rows": w["summary"]["rows"], "labelled": w["summary"]["labelled"], "baseline": w["baseline"]}
        for n, w in zip(revisions, found, strict=True)
    ]
    return ApiReply({"revisions": told})


@operation(
    "GET",
    "/v1/models/{model}/saved",
    scope="read",
    query=Page,
    answers={200: "A line for each window, as it is saved."},
    kind="application/x-ndjson",
)
def get_saved(asked: ApiRequest) -> ApiReply:
    """Give many windows as they are saved, one on each line, those without rows included."""
    one = one_stream(asked)
    asked.service.watcher.count(one)
    with asked.service.store.reading() as session:
        found = asked.service.watcher.windows(session, one)
    names = [w.name for w in found]
    after = asked.query.after
    if after is not None and after not in names:
        raise Problem(400, "cursor", f'There is no window "{after[:100]}" to go on after.')
    begin = 0 if after is None else names.index(after) + 1
    page = found[begin : begin + asked.query.limit]
    more = begin + asked.query.limit < len(names)
    headers = {"Next-After": page[-1].name} if more else {}
    return ApiReply(b"".join(_saved(asked, w) for w in page), kind="application/x-ndjson", headers=headers)


def _saved(asked: ApiRequest, window: CountedWindow) -> bytes:
    """A window as a file of it: whoever reads it knows up to when it was counted."""
    return sealed(replace(window, until=asked.service.clock().isoformat()).to_dict()).encode()


def _etag(window: CountedWindow) -> str:
    return hashlib.sha256(json.dumps(window.to_dict(), sort_keys=True).encode()).hexdigest()[:32]


@operation(
    "GET",
    "/v1/models/{model}/monitor",
    scope="read",
    query=OfVersion,
    answers={200: "Every number and sentence of the monitor."},
)
def get_monitor(asked: ApiRequest) -> ApiReply:
    """Tell what the monitor says: windows, signals with their intervals, alarms with their reasons, the state."""
    found = asked.service.watcher.monitor(one_stream(asked)).to_dict()
    return ApiReply(found, etag=_hash(found))


@operation(
    "GET",
    "/v1/models/{model}/signals",
    scope="read",
    query=OfVersion,
    answers={200: "A line for each window and signal."},
    kind="text/csv",
)
def get_signals(asked: ApiRequest) -> ApiReply:
    """Give a table with one line for each window and signal: its value, interval, state and reason."""
    rows = asked.service.watcher.monitor(one_stream(asked)).rows_as_dicts()
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(rows[0])
    writer.writerows([_cell(v) for v in row.values()] for row in rows)
    body = text.getvalue().encode()
    return ApiReply(body, kind="text/csv; charset=utf-8", etag=hashlib.sha256(body).hexdigest()[:32])


def _cell(value: Any) -> Any:
    """A value that no program for tables takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value


@operation(
    "GET",
    "/v1/models/{model}/report",
    scope="read",
    query=OfVersion,
    answers={200: "The report as a page."},
    kind="text/html",
)
def get_report(asked: ApiRequest) -> ApiReply:
    """Give the report of the monitor as a page that loads nothing from elsewhere."""
    one = one_stream(asked)
    m = asked.service.watcher.monitor(one)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        m.report(path, title=one.name)
        return ApiReply(path.read_bytes(), kind="text/html; charset=utf-8")


def _hash(found: Any) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:32]
