"""A service that is run: bound to one address, its admin token shown once, ended in order."""

from __future__ import annotations

import ipaddress
import re
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from steelyard.errors import InputError, UsageError
from steelyard.monitors.baseline import Baseline
from steelyard.serve import statements as sql
from steelyard.serve.app import Pages, app_of
from steelyard.serve.connections import PatientServer, TimedConnection
from steelyard.serve.declared import Declaration
from steelyard.serve.delivering import Channel
from steelyard.serve.memory import share_memory
from steelyard.serve.problems import Problem
from steelyard.serve.service import Service
from steelyard.serve.store import open_store
from steelyard.serve.tokens import new_token
from steelyard.wording import option
from steelyard.words import visible

WAITING = 2_048
"""Connections that may wait to be answered."""
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]+\]")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a service is run."""

    store: str
    bind: str = "127.0.0.1"
    port: int = 8765
    hosts: Collection[str] = ()
    proxies: Sequence[str] = ()
    """Addresses of proxies that are believed who asks, and by which scheme."""
    rate: float = 100.0
    tokens: bool = True
    open_metrics: bool = False
    certificate: Path | None = None
    key: Path | None = None
    models: Mapping[str, tuple[Declaration, Baseline | None]] = field(default_factory=dict)
    every: float = 5.0
    keep_bytes: int | None = None
    """What rows may take; beyond it those of the oldest windows go."""
    channels: Sequence[Channel] = ()
    pages: Pages | None = None


class Running:
    """A service on its address."""

    def __init__(self, settings: Settings) -> None:
        _check(settings)
        local = _is_local(settings.bind)
        if not local and not settings.tokens:
            message = f"{settings.bind} can be reached from elsewhere, and without tokens everybody could write."
            raise UsageError(message, f"Leave {option('no_tokens')} out, or bind 127.0.0.1.")
        _check_proxies(settings.proxies)
        scheme = "http" if settings.certificate is None else "https"
        shown = f"[{settings.bind}]" if ":" in settings.bind else settings.bind
        # Taken before anything is said or written, so that what is said to be served is.
        self.sockets: list[socket.socket] = _listening(settings.bind, settings.port)
        try:
            store = open_store(settings.store)
        except BaseException:
            self._let_go()
            raise
        self.address: str = f"{scheme}://{shown}:{self.sockets[0].getsockname()[1]}"
        # People come by the name of the proxy, so that is what notices link to.
        linked = f"https://{next(iter(settings.hosts))}" if settings.proxies and settings.hosts else self.address
        self.service: Service = Service(
            store,
            tokens=settings.tokens,
            address=linked,
            channels=settings.channels,
            keep_bytes=settings.keep_bytes,
        )
        try:
            self.token: str = self._first_token() if settings.tokens else ""
            for name, (said, baseline) in settings.models.items():
                self._declare(name, said, baseline)
        except BaseException:
            self.close()
            raise
        self.every: float = settings.every
        hosts = {*LOOPBACK, shown, *(h.lower() for h in settings.hosts)}
        app = app_of(self.service, hosts, settings.rate, open_metrics=settings.open_metrics, pages=settings.pages)
        self.server: uvicorn.Server = PatientServer(
            uvicorn.Config(
                app,
                http=TimedConnection,
                host=settings.bind,
                port=settings.port,
                log_level="warning",
                access_log=False,
                server_header=False,
                date_header=False,
                lifespan="off",
                timeout_keep_alive=30,
                timeout_graceful_shutdown=30,
                limit_concurrency=1_000,
                h11_max_incomplete_event_size=64 << 10,
                ssl_certfile=settings.certificate,
                ssl_keyfile=settings.key,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
            )
        )

        self.service.ending = lambda: self.server.should_exit

    def _first_token(self) -> str:
        """A token for everything where there is none yet; nothing where one was shown before."""
        service = self.service
        with service.store.reading() as session:
            if session.all(sql.TOKENS):
                return ""
        return service.writer.do(lambda session: new_token(session, ["admin", "ingest"], service.clock())[1])

    def _declare(self, name: str, said: Declaration, baseline: Baseline | None) -> None:
        try:
            self.service.declare(name, said, baseline, "command line")
        except Problem as problem:
            message = f'The model "{name}" cannot be declared: {problem.detail}'
            raise UsageError(message, problem.hint) from None

    def fill(self, with_what: Callable[[Service], int]) -> int:
        """Fill it with models where it knows none; how many."""
        with self.service.store.reading() as session:
            if session.all(sql.MODELS):
                return 0
        return with_what(self.service)

    def run(self) -> None:
        """Serve until somebody ends it."""
        share_memory()
        self.service.start(self.every)
        if threading.current_thread() is threading.main_thread():
            # The server hears them first, ends what it does, and raises them again for us: then all is done but the store.
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: None)
        try:
            self.server.run(self.sockets)
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the store and of the address."""
        self.service.close()
        self._let_go()

    def _let_go(self) -> None:
        for one in self.sockets:
            one.close()

    def run_apart(self) -> threading.Thread:
        """Serve in a thread of its own."""
        thread = threading.Thread(target=self.run, name="server", daemon=True)
        thread.start()
        return thread


def _check(settings: Settings) -> None:
    """Refuse what would only be noticed once it is asked for."""
    if not settings.rate >= 0:
        message = f"A token may make {settings.rate:g} requests a second, which is no number of them."
        raise UsageError(message, f"Say {option('rate', 0)} for any number.")
    if settings.keep_bytes is not None and settings.keep_bytes <= 0:
        message = f"Rows may take {settings.keep_bytes / 1e6:g} MB, in which there is room for none."
        raise UsageError(message, f"Say {option('keep_mb', 2000)}, for example, or leave it out for any number.")
    if odd := [name for name in settings.hosts if not HOST.fullmatch(name)]:
        message = f'"{visible(odd[0][:100])}" is no name of a host.'
        raise UsageError(message, f"Say {option('host', 'monitor.example.com')}, without a scheme, a port or a path.")
    if settings.certificate is not None:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(settings.certificate, settings.key, password=lambda: b"")
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or getattr(problem, "reason", None) or "they are not PEM"
            message = f"The certificate and its key cannot be used: {str(why).rstrip('.')}."
            raise UsageError(message, "Name the files of a certificate and of its key, without a passphrase.") from None


def _listening(bind: str, port: int) -> list[socket.socket]:
    """The address, taken."""
    if not 0 <= port <= 65_535:
        message = f"A port is a number from 0 to 65535, and {port} came."
        raise UsageError(message, f"Say another {option('port')}; 0 takes one that is free.")
    found: list[socket.socket] = []
    try:
        # With its protocol, by which answers are sent at once and not held back for more.
        for family, kind, protocol, _, place in sorted(set(socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM))):
            one = socket.socket(family, kind, protocol)
            found.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            taken = found[0].getsockname()[1] if len(found) > 1 else port
            one.bind((place[0], taken, *place[2:]))
            one.listen(WAITING)  # or somebody else could have it as well; who comes early waits
    except (OSError, UnicodeError) as problem:
        for one in found:
            one.close()
        why = (getattr(problem, "strerror", None) or "it is no address").lower()
        message = f"Nothing can be served at {bind}, port {port}: {why}."
        hint = f"Look whether another service runs there, or name another {option('bind')} or {option('port')}."
        raise InputError(message, hint) from None
    return found


def _check_proxies(proxies: Sequence[str]) -> None:
    for one in proxies:
        try:
            ipaddress.ip_network(one)
        except ValueError:
            message = f'"{one}" is no address of a proxy.'
            raise UsageError(message, "Name it by its number, such as 127.0.0.1 or 10.0.0.0/24.") from None


def _is_local(bind: str) -> bool:
    if bind == "localhost":
        return True
    try:
        return ipaddress.ip_address(bind).is_loopback
    except ValueError:
        return False
