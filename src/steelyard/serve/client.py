"""A service as it is asked from elsewhere: rows are sent until they are taken, and wait on the disk while it is away."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import random
import re
import secrets
import ssl
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from steelyard.arguments.annotated import as_annotated
from steelyard.errors import InputError, SteelyardError, UsageError
from steelyard.files.writing import write_whole
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.monitor import monitor
from steelyard.monitors.result import Monitor
from steelyard.monitors.windowed import Windows, load_windows
from steelyard.serve.problems import problem_in
from steelyard.serve.sending import Batch, batches_of, bodies_of_windows
from steelyard.wording import option
from steelyard.words import count

TRIES = 6
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 507})
"""Answers after which the same request is sent again."""
COUNTS = ("accepted", "duplicates", "replaced", "rejected")
TOKEN = re.compile(r"[\x21-\x7e]*")
HOST = re.compile(r"[^\s\x00-\x20]+")
PAUSE, LONGEST = 0.5, 30.0
TIMEOUT = 60.0


@dataclass
class Delivery:
    """What became of rows that were sent."""

    accepted: int = 0
    duplicates: int = 0
    replaced: int = 0
    rejected: int = 0
    spooled: int = 0
    """Rows that wait on the disk, since the service is away."""
    away: str = ""
    """Why they wait."""
    set_aside: int = 0
    """Rows that had waited and were refused now; the spool holds them, and why."""
    errors: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    """How many of the accepted became another version, since they have other values."""

    def add(self, told: Mapping[str, Any], first: int) -> None:
        """Count what was answered to one request, whose first row has this place."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + told[name])
        for name, many in told.get("versions", {}).items():
            self.versions[name] = self.versions.get(name, 0) + many
        self.errors += [{**e, "row": e["row"] + first} for e in told["errors"]]


class ServiceError(InputError):
    """What a service answered instead of doing what was asked."""

    def __init__(self, status: int, told: Mapping[str, Any]) -> None:
        self.status = status
        self.told: dict[str, Any] = dict(told)
        some = "; ".join(f"row {e['row']}: {e['detail']}" for e in _errors(told)[:3])
        detail = str(told.get("detail", "It cannot be read.")).rstrip(".")
        super().__init__(
            f"The service answered {status}: {detail}{f' ({some})' if some else ''}.", str(told.get("hint", ""))
        )


class Away(InputError):
    """Nobody answered, or only that it is to be asked again."""


class Client:
    """Sends rows to a service, and asks it for windows and what they say.

    With a `spool`, a folder, rows wait there while the service is away; the next time that something is sent they go first.
    """

    @as_annotated()
    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        spool: str | os.PathLike[str] | None = None,
        tries: int = TRIES,
        insecure: bool = False,
    ) -> None:
        self.parts: SplitResult = _address(url)
        # A line end belongs to the file that a token was kept in.
        self.token: str = (token or os.environ.get("STEELYARD_TOKEN", "")).strip()
        if not TOKEN.fullmatch(self.token):
            message = "The token holds a space or a sign that no token has."
            raise UsageError(message, "Copy it again, as the service showed it.")
        host = str(self.parts.hostname)
        if self.parts.scheme == "http" and self.token and not insecure and not _is_near(host):
            message = f"A token that goes to {host} by plain http can be read on its way."
            raise UsageError(message, f"Use https, or say {option('insecure', True)} on a network that is your own.")
        self.tries: int = max(1, tries)
        if spool is not None and not os.fspath(spool):
            message = "The spool is the name of a folder, and an empty one came."
            raise UsageError(message, f"Name one: {option('spool', 'waiting')}.")
        self.spool: Path | None = None if spool is None else Path(spool)

    # Sending ---------------------------------------------------------------------------------------------------------
    @as_annotated()
    def predictions(
        self, model: str, data: object, *, version: str = "", mode: str = "strict", on_conflict: str = "refuse"
    ) -> Delivery:
        """Send predictions: a frame, columns by name, rows as dictionaries, or the path of a file.

        A known identifier with other values is refused, unless `on_conflict` says "keep", "replace" or "version".
        """
        query = {"mode": mode} | _unless("version", version, "")
        return self._send(model, "predictions", data, query | _unless("on_conflict", on_conflict, "refuse"))

    @as_annotated()
    def labels(self, model: str, data: object, *, mode: str = "strict") -> Delivery:
        """Send labels, in the same forms."""
        return self._send(model, "labels", data, {"mode": mode})

    @as_annotated()
    def exposures(self, model: str, trial: str, data: object, *, mode: str = "strict") -> Delivery:
        """Send who was put into which arm of a trial, in the same forms: an identifier, a moment, the arm."""
        return self._send(model, "exposures", data, {"trial": trial, "mode": mode})

    @as_annotated()
    def send_windows(self, model: str, data: object, *, version: str = "") -> Delivery:
        """Send windows that were counted here, `sy.windows` or the folder of their files, and no row."""
        out, query = Delivery(), urlencode({"version": version} if version else {})
        for body in bodies_of_windows(data):
            address, kind = f"/v1/models/{quote(model, safe='')}/windows?{query}", {"Content-Type": "application/json"}
            out.add(json.loads(self.answered("PUT", address, body, kind)[0]), 0)
        return out

    def _send(self, model: str, what: str, data: object, query: Mapping[str, str]) -> Delivery:
        address = f"/v1/models/{quote(model, safe='')}/{what}?{urlencode(query)}"
        out, call = self._flushed(), secrets.token_hex(8) if what == "labels" else ""
        for body, kind, rows, first in batches_of(data):
            batch = Batch(address, body, kind, rows, first, call)
            if not out.away:
                try:
                    out.add(self._delivered(batch), first)
                    continue
                except Away as problem:
                    if self.spool is None:
                        raise
                    out.away = str(problem.message)
            self._put(batch)
            out.spooled += rows
        return out

    @as_annotated()
    def flush(self) -> bool:
        """Send what waits on the disk, oldest first; whether nothing waits any more."""
        done = self._flushed()
        if done.set_aside:
            message = f"{count(done.set_aside)} rows that had waited were refused."
            raise InputError(message, f'They and why are kept in "{self.spool}", under names that end in .why.')
        return not done.away

    def _flushed(self) -> Delivery:
        """What became of rows that waited."""
        out = Delivery()
        if self.spool is None or not self.spool.is_dir():
            return out
        for head in sorted(self.spool.glob("*.json")):
            body, rows = head.with_suffix(".rows"), 0
            try:
                batch = _waiting(head, body)
                rows = batch.rows
                self._delivered(batch)
            except Away as problem:
                out.away = str(problem.message)
                return out
            except (ServiceError, Spoilt, FileNotFoundError) as problem:
                if not head.exists():
                    continue  # somebody else sent it meanwhile
                # It will never be taken: set aside, so that the others are not held up.
                with suppress(FileNotFoundError):
                    head.rename(head.with_suffix(".refused"))
                write_whole(head.with_suffix(".why"), str(problem))
                out.set_aside += max(rows, 1)
                continue
            head.unlink(missing_ok=True)
            body.unlink(missing_ok=True)
        return out

    def _put(self, batch: Batch) -> None:
        if self.spool is None:
            message = "The service is away, and no folder was named for rows to wait in."
            raise Away(message, f"Name one: {option('spool', 'waiting')}.")
        try:
            self.spool.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            message = f'"{self.spool}" is no folder in which rows can wait: {problem.strerror}.'
            raise UsageError(message, f"Name another one: {option('spool', 'waiting')}.") from None
        place = self.spool / f"{time.time_ns():020d}-{batch.key[:12]}"
        write_whole(place.with_suffix(".rows"), batch.body)
        told = {name: getattr(batch, name) for name in ("address", "kind", "rows", "first", "call")}
        write_whole(place.with_suffix(".json"), json.dumps(told))

    def _delivered(self, batch: Batch) -> dict[str, Any]:
        headers = {"Content-Type": batch.kind, "Idempotency-Key": batch.key}
        content, said = self.answered("POST", batch.address, batch.body, headers)
        found = _counted(content, batch.rows)
        if said.get("idempotency-replayed") == "true":
            # The same batch was taken before, and this is what was answered then.
            found["duplicates"] += found["accepted"] + found["replaced"]
            found |= {"accepted": 0, "replaced": 0, "versions": {}}
        return found

    # Asking ----------------------------------------------------------------------------------------------------------
    def answered(
        self, method: str, address: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """What is answered; asked again, later and later, while the service is away or has too much to do."""
        last, why = "", ""
        for attempt in range(self.tries):
            if attempt:
                time.sleep(self._pause(attempt, last))
            try:
                status, content, told = self._once(method, address, body, headers or {})
            except ssl.SSLCertVerificationError as problem:
                message = f"The certificate of {self.parts.netloc} is not to be trusted: {problem.verify_message}."
                raise Away(message, "Look at the address, and at the certificates that this machine trusts.") from None
            except (OSError, http.client.HTTPException) as problem:
                last, why = "", getattr(problem, "strerror", None) or type(problem).__name__
                continue
            if status in AGAIN:
                last, why = told.get("retry-after", ""), f"it answered {status}"
                continue
            if not 200 <= status < 300:
                raise ServiceError(status, problem_in(content, told.get("location", "")))
            return content, told
        message = f"The service at {self.parts.scheme}://{self.parts.netloc} is away, or has too much to do: {why}."
        raise Away(message, "Nothing is lost: send it again, rows that were taken are known.")

    def _pause(self, attempt: int, last: str) -> float:
        """A while that differs between those who wait, so that they do not all come back at once."""
        most = min(LONGEST, PAUSE * 2**attempt)
        return max(random.uniform(0, most), min(float(last), LONGEST) if last.isdecimal() else 0.0)

    def _once(
        self, method: str, address: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, bytes, Mapping[str, str]]:
        make = http.client.HTTPSConnection if self.parts.scheme == "https" else http.client.HTTPConnection
        assert self.parts.hostname is not None
        connection = make(self.parts.hostname, self.parts.port, timeout=TIMEOUT)
        known = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            place = quote(self.parts.path.rstrip("/"), safe="/%")
            connection.request(method, place + address, body or None, {**known, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
        finally:
            connection.close()

    @as_annotated()
    def windows(self, model: str, *, version: str = "") -> Windows:
        """The windows of a model, as if they had been read from a folder."""
        with tempfile.TemporaryDirectory() as folder:
            files: list[str] = []
            after = ""
            while True:
                query = (
                    {"limit": "200"} | ({"version": version} if version else {}) | ({"after": after} if after else {})
                )
                content, told = self.answered("GET", f"/v1/models/{quote(model, safe='')}/saved?{urlencode(query)}")
                if not told.get("content-type", "").startswith("application/x-ndjson"):
                    raise ServiceError(200, NOT_OURS)
                for line in content.splitlines():
                    files.append(os.path.join(folder, f"{len(files)}.json"))
                    Path(files[-1]).write_bytes(line + b"\n")
                before, after = after, told.get("next-after", "")
                if not after:
                    with _read_from(folder):
                        return load_windows(files)
                if after == before or not content:
                    raise ServiceError(200, NOT_OURS)

    @as_annotated()
    def baseline(self, model: str) -> Baseline:
        """The baseline of a model."""
        content, _ = self.answered("GET", f"/v1/models/{quote(model, safe='')}/baseline")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "baseline.json"
            path.write_bytes(content)
            with _read_from(folder):
                return Baseline.load(path)

    @as_annotated()
    def monitor(self, model: str, *, version: str = "", **how: Any) -> Monitor:
        """The monitor over the windows of a model, made here."""
        found = self.windows(model, version=version)
        how.setdefault("now", found[-1].until if len(found) else None)
        return monitor(found, reference=self.baseline(model), **how)


def _unless(name: str, value: str, usual: str) -> dict[str, str]:
    return {} if value == usual else {name: value}


class Spoilt(Exception):
    """Rows that waited are not as they were written."""


def _waiting(head: Path, body: Path) -> Batch:
    """What waits on the disk."""
    try:
        told = json.loads(head.read_text(encoding="utf-8"))
        address, kind, rows, first = (told[name] for name in ("address", "kind", "rows", "first"))
        call = told.get("call", "")
        whole = [type(x) for x in (address, kind, rows, first, call)] == [str, str, int, int, str]
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    batch = Batch(address, body.read_bytes(), kind, rows, first, call) if whole else None
    if batch is None or not head.stem.endswith(batch.key[:12]):
        raise Spoilt("It is not as it was written.")
    return batch


NOT_OURS = {
    "detail": "What answers there is no service of steelyard",
    "hint": "Look at the address, and at what stands between.",
}


def _counted(content: bytes, rows: int) -> dict[str, Any]:
    """What became of the rows of a request; an answer that does not account for every one of them is none."""
    try:
        found = json.loads(content)
        counts = {name: found.get(name, 0) for name in COUNTS}
        right = all(type(n) is int and n >= 0 for n in counts.values()) and sum(counts.values()) == rows
    except (ValueError, AttributeError, RecursionError):
        right = False
    if not right:
        raise ServiceError(200, NOT_OURS)
    return {**counts, "errors": _errors(found), "versions": _versions(found)}


def _versions(told: Mapping[str, Any]) -> dict[str, int]:
    """How many rows became which other version."""
    held = told.get("versions")
    return {name: n for name, n in held.items() if type(n) is int} if isinstance(held, dict) else {}


def _errors(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was said of single rows."""
    held = told.get("errors")
    each = held if isinstance(held, list) else []
    return [e for e in each if isinstance(e, dict) and type(e.get("row")) is int and "detail" in e]


@contextmanager
def _read_from(folder: str) -> Iterator[None]:
    """Say of what a service sent that the service sent it: nobody knows the file that it was read from."""
    try:
        yield
    except SteelyardError as problem:
        said = re.sub(rf'"{re.escape(folder)}[^"]*"', "What the service sent", str(problem.message))
        raise InputError(said, "Look at the address, and whether both have one version of steelyard.") from None


def _address(url: str) -> SplitResult:
    """The address of a service, with nothing in it that would be left out or could be told to others."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
        right = parts.scheme in {"http", "https"} and bool(HOST.fullmatch(host)) and port != 0
    except ValueError:
        right = False
    if not right or "@" in parts.netloc or parts.query or parts.fragment:
        message = "The service is told by its address, such as https://monitor.example.com."
        raise UsageError(message, "Give the token apart from it.")
    return parts


def _is_near(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
