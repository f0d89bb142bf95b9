"""Notices on their way: signed webhooks and whatever Apprise knows, tried again, and given up in the open."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import ipaddress
import json
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from steelyard.errors import MissingPart, UsageError, listing
from steelyard.files.as_toml import read_toml
from steelyard.monitors.windows import SECOND, instant_of
from steelyard.serve import statements as sql
from steelyard.serve.store import Store
from steelyard.serve.writer import Writer, passed
from steelyard.words import bracketed

WAITS = (30, 120, 600, 3600, 6 * 3600)
"""Seconds after which a notice is tried again; after the last one it is given up."""
TIMEOUT = 10.0
LONGEST = 30.0
"""Seconds for which notices are sent before anything else is done."""
PREFIX = "whsec_"


class Undelivered(Exception):
    """Why a notice did not arrive."""


class Channel(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Where notices go: a webhook with the secret that signs them, or an address of Apprise."""

    name: str
    webhook: str | None = None
    secret: str | None = None
    apprise: str | None = None
    models: list[str] | None = None
    """The models it is told of; all of them unless said."""
    private: bool = False
    """Whether the webhook may lie in a private network, and be plain http there."""

    def wants(self, notice: Mapping[str, Any]) -> bool:
        """Whether it is to be told of this."""
        return self.models is None or notice["model"] in self.models

    def send(self, key: str, notice: Mapping[str, Any], now: datetime) -> None:
        """Have a notice arrive."""
        if self.apprise is not None:
            _by_apprise(self.apprise, notice)
            return
        body = json.dumps(notice, ensure_ascii=False).encode()
        _post(self, body, signed(str(self.secret), key, now, body))


def channels_in(path: Path) -> tuple[Channel, ...]:
    """The channels that a TOML file declares, each under [channels.NAME]."""
    hint = "Declare each under [channels.NAME], with a webhook and its secret, or apprise."
    found = read_toml(path, hint)
    held = found.pop("channels", None)
    if found or not isinstance(held, dict) or not all(isinstance(said, dict) for said in held.values()):
        message = f'"{path}" holds {listing(found) if found else "no channels"}, and nobody would be told anything.'
        raise UsageError(message, hint)
    try:
        made = tuple(msgspec.convert({**said, "name": name}, Channel, strict=True) for name, said in held.items())
    except msgspec.ValidationError as problem:
        message = f'"{path}" declares no channels: {problem}.'
        raise UsageError(message, hint) from None
    for channel in made:
        _check(channel)
    return made


def _check(channel: Channel) -> None:
    if (channel.webhook is None) == (channel.apprise is None):
        message = f'The channel "{channel.name}" has a webhook or an address of Apprise, and not both.'
        raise UsageError(message, 'Say webhook = "https://…" or apprise = "mailto://…".')
    if channel.apprise is not None:
        try:
            import apprise
        except ImportError:
            message = f'The channel "{channel.name}" needs Apprise.'
            raise MissingPart(message, 'This needs: pip install "steelyard[serve]".') from None
        if not apprise.Apprise().add(channel.apprise):
            message = f'The address of the channel "{channel.name}" is none that Apprise knows.'
            raise UsageError(message, "Its pages list what there is: mailto://, slack:// and many more.")
        return
    parts = _parts(channel)
    if parts is None or (parts.scheme != "https" and not (channel.private and parts.scheme == "http")):
        message = f'The webhook of the channel "{channel.name}" is no https address.'
        raise UsageError(message, "Notices go by https; within a network of your own say private = true.")
    if channel.secret is None or len(_key(channel.secret)) < 24:
        message = f'The channel "{channel.name}" has no secret of at least 24 bytes to sign with.'
        raise UsageError(message, f'Say secret = "{PREFIX}…", with the base64 of 24 to 64 random bytes.')


def _parts(channel: Channel) -> SplitResult | None:
    """The parts of a webhook; None where it is no address."""
    try:
        parts = urlsplit(str(channel.webhook))
        (parts.hostname or "").encode("idna")
        return parts if parts.hostname and parts.port != 0 and str(channel.webhook).isascii() else None
    except ValueError:
        return None


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return b""


def signed(secret: str, key: str, now: datetime, body: bytes) -> dict[str, str]:
    """The headers of a webhook by the Standard Webhooks: its name, its time, and a signature over both and the body."""
    at = str(int(now.timestamp()))
    digest = hmac.new(_key(secret), b".".join([key.encode(), at.encode(), body]), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {
        "webhook-id": key,
        "webhook-timestamp": at,
        "webhook-signature": signature,
        "content-type": "application/json",
    }


def addresses_of(host: str, port: int, *, private: bool) -> list[str]:
    """The addresses of a host; none in a private network, of this machine or of the link, unless that was said."""
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except OSError:
        raise Undelivered(f"{host} is not known") from None
    if not private and not all(_is_public(address) for address in found):
        raise Undelivered(f"{host} lies in a private network")
    return found


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return found.is_global and not found.is_multicast and (mapped is None or mapped.is_global)


def _post(channel: Channel, body: bytes, headers: Mapping[str, str]) -> None:
    """Post once, to an address that was looked at, whatever its name means a moment later; no redirect is followed."""
    parts = _parts(channel)
    assert parts is not None
    assert parts.hostname is not None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = addresses_of(parts.hostname, port, private=channel.private)[0]
    connection = http.client.HTTPConnection(parts.hostname, port, timeout=TIMEOUT)
    try:
        plain = socket.create_connection((address, port), TIMEOUT)
        if parts.scheme == "https":
            connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
        else:
            connection.sock = plain
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, dict(headers))
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as problem:
        raise Undelivered(type(problem).__name__) from None
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise Undelivered(f"it answered {status}")


def _by_apprise(address: str, notice: Mapping[str, Any]) -> None:
    import apprise

    told = apprise.Apprise()
    if not told.add(address) or not told.notify(title=notice["title"], body=text_of(notice)):
        raise Undelivered("Apprise could not deliver it")


def text_of(notice: Mapping[str, Any]) -> str:
    """A notice in words: what fired, is over or cannot be judged, each value with its interval, since when, and where to look."""
    lines = [str(notice["verdict"])]
    for what, held in (("", notice["fired"]), ("over: ", notice["over"])):
        for a in held:
            since = f"since {a['since']}, known {a['known'][:16]}"
            lines.append(f"{what}{a['signal']} ({a['severity']}){_number(a)} {since}: {a['reason']}")
    for a in notice.get("blind", ()):
        was = f", and was{found}" if (found := _number(a)) else ""
        lines.append(f"{a['signal']} cannot be judged since {a['since']}{was}: {a['reason']}")
    for a in notice.get("judged", ()):
        lines.append(f"{a['signal']} can be judged again:{_number(a)} {a['reason']}".rstrip())
    return "\n".join([*lines, *filter(None, [notice["link"]])])


def _number(told: Mapping[str, Any]) -> str:
    number = "" if told["value"] is None else f" {told['value']:.4g}"
    return number + ("" if told["low"] is None else " " + bracketed(f"{told['low']:.4g}", f"{told['high']:.4g}"))


class Messenger:
    """Takes notices from the store to the channels that want them."""

    def __init__(
        self, store: Store, writer: Writer, channels: Sequence[Channel], clock: Callable[[], datetime]
    ) -> None:
        self.store: Store = store
        self.writer: Writer = writer
        self.clock: Callable[[], datetime] = clock
        self.channels: dict[str, Channel] = {c.name: c for c in channels}

    def names(self, notice: Mapping[str, Any]) -> Collection[str]:
        """The channels that are to be told."""
        return [c.name for c in self.channels.values() if c.wants(notice)]

    def run(self) -> int:
        """Send what is due; how much arrived."""
        now = self.clock()
        with self.store.reading() as session:
            due = session.all(sql.NOTICES_DUE, instant_of(now))
        arrived = 0
        until = time.monotonic() + LONGEST
        for notice, key, body, tries in due:
            if time.monotonic() > until:
                break  # the others at the next tick, which is not to wait for those who do not answer
            name, _, sign = str(key).partition(" ")
            channel = self.channels.get(name)
            if channel is None:
                self._failed(int(notice), len(WAITS), "its channel is not there any more", now)
                continue
            try:
                channel.send(sign, json.loads(body), now)
            except Undelivered as problem:
                self._failed(int(notice), int(tries), str(problem), now)
                continue
            except Exception as problem:  # told without its words, and no other notice waits for it
                self._failed(int(notice), int(tries), type(problem).__name__, now)
                continue
            passed("notice sent")
            self.writer.do(lambda session, notice=notice: session.do(sql.SENT, instant_of(now), notice))  # type: ignore[misc]
            arrived += 1
        return arrived

    def _failed(self, notice: int, tries: int, why: str, now: datetime) -> None:
        at = instant_of(now)
        if tries >= len(WAITS):
            self.writer.do(lambda session: session.do(sql.DEAD, at, why, notice))
            return
        # Not all at the same moment, where many wait.
        due = at + round(WAITS[tries] * (1 + secrets.randbelow(100) / 500)) * SECOND
        self.writer.do(lambda session: session.do(sql.RETRY, due, why, notice))
