"""Whether the service is well, what it measures of itself and its models, and what may be asked of it."""

from __future__ import annotations

import re
import shutil
import time

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.serve import statements as sql
from steelyard.serve.alerting import number_of
from steelyard.serve.aside import give_up
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.problems import Problem
from steelyard.serve.service import RESERVE, Service, audit
from steelyard.serve.soundness import Damaged
from steelyard.serve.store import Session, SqliteStore

SERIES = 10_000
"""Series of signals that are told at most."""
STATES = ("ok", "warn", "alarm", "insufficient", "immature", "nodata")
LAG = 120.0
"""Seconds without a tick after which it is not well."""


@operation("GET", "/livez", scope=None, answers={200: "It runs."})
def get_livez(asked: ApiRequest) -> ApiReply:
    """Tell that the process answers."""
    return ApiReply({"status": "ok", "version": __version__})


@operation("GET", "/readyz", scope=None, answers={200: "It takes rows in.", 503: "It does not, and why."})
def get_readyz(asked: ApiRequest) -> ApiReply:
    """Tell whether rows are taken in: the store can be written to, the disk has room, the clock ticks."""
    service = asked.service
    checks = {"store": _store(service), "disk": _disk(service), "clock": _clock(service)}
    ready = all(said == "ok" for said in checks.values())
    degraded = bool(service.watcher.troubles)
    told = {"status": "degraded" if ready and degraded else "ok" if ready else "not ready", "checks": checks}
    return ApiReply({**told, "troubles": len(service.watcher.troubles)}, 200 if ready else 503)


def _store(service: Service) -> str:
    try:
        service.writer.submit(lambda session: session.do(sql.SET_FACT, "ready", "1")).result(timeout=5)
    except Exception as problem:  # whatever it is, it is not ready
        return f"cannot be written: {type(problem).__name__}"
    return "ok"


def _disk(service: Service) -> str:
    if not isinstance(service.store, SqliteStore):
        return "ok"
    free = shutil.disk_usage(service.store.path.parent).free
    return "ok" if free >= RESERVE else f"only {free >> 20} MiB are free"


def _clock(service: Service) -> str:
    late = time.monotonic() - service.ticked
    return "ok" if late < LAG or not service.ticks else f"no tick for {late:.0f} s"


@operation("GET", "/v1/troubles", scope="read", answers={200: "What could not be done, by what it is about."})
def list_troubles(asked: ApiRequest) -> ApiReply:
    """Tell what could not be counted or judged, and why."""
    mine = asked.caller.model
    told = {k: v for k, v in asked.service.watcher.troubles.items() if mine is None or k.startswith(f"{mine} ")}
    return ApiReply({"troubles": told})


@operation("DELETE", "/v1/troubles/{part}", scope="admin", answers={204: "It is waited for no more."})
def accept_loss(asked: ApiRequest) -> ApiReply:
    """Wait no longer for rows that were damaged: their window is counted without them, and this is put down."""
    service, said = asked.service, asked.path["part"]
    part = min(int(said), 2**63 - 1) if re.fullmatch(r"-1|[0-9]{1,19}", said) else 0

    def change(session: Session) -> None:
        found = give_up(session, part)
        if found is None:
            raise Problem(404, "no_part", f'No part "{said[:30]}" is set aside.')
        if found[1]:
            session.do(sql.TOUCH_WINDOW, *found, found[1], "")
        audit(session, asked.caller.token, "accept loss", f"part {part}", service.clock())

    service.writer.do(change)
    service.tell_asides()
    return ApiReply(status=204)


@operation("GET", "/metrics", scope="read", answers={200: "Metrics as Prometheus reads them."}, kind="text/plain")
def get_metrics(asked: ApiRequest) -> ApiReply:
    """Tell of each signal its value, interval, rows and state after the last window, and what came in."""
    service, mine = asked.service, asked.caller.model
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SeriesTold(service, mine))
    return ApiReply(generate_latest(registry), kind="text/plain; version=0.0.4; charset=utf-8")


class SeriesTold:
    """What a service tells Prometheus at one moment."""

    def __init__(self, service: Service, model: str | None) -> None:
        self.service = service
        self.model = model

    def collect(self) -> list[GaugeMetricFamily | CounterMetricFamily]:
        """All families of series."""
        labels = ("model", "version", "signal")
        told = {
            "value": "The number itself, or its difference to the baseline where it has none.",
            "low": "The lower end of its interval.",
            "high": "The upper end of its interval.",
        }
        families = {
            name: GaugeMetricFamily(f"steelyard_signal_{name}", text, labels=labels) for name, text in told.items()
        }
        rows = GaugeMetricFamily("steelyard_window_rows", "Rows of the last window.", labels=labels[:2])
        labelled = GaugeMetricFamily("steelyard_window_labelled", "Of these, those with a label.", labels=labels[:2])
        states = GaugeMetricFamily("steelyard_signal_state", "1 for the state that holds.", labels=(*labels, "state"))
        left = SERIES
        with self.service.store.reading() as session:
            streams = [s for s in self.service.watcher.streams(session) if self.model in {None, s.model.name}]
        for one in streams:
            try:
                last = self.service.watcher.monitor(one).windows[-1]
            except (Problem, SteelyardError, Damaged):
                continue
            name = [one.model.name, one.version]
            rows.add_metric(name, last.rows)
            labelled.add_metric(name, last.labels.labelled)
            for signal in last.signals:
                left -= 3 + len(STATES)
                if left < 0:
                    break
                number = number_of(signal)
                for end, family in families.items():
                    told_end = None if number is None else number.to_dict().get(end)
                    if told_end is not None:
                        family.add_metric([*name, signal.name], float(told_end))
                stands = last.state_of(signal.name)
                for state in dict.fromkeys((*STATES, stands)):
                    states.add_metric([*name, signal.name, state], float(state == stands))
        return [*families.values(), rows, labelled, states, *self._own()]

    def _own(self) -> list[GaugeMetricFamily | CounterMetricFamily]:
        c = self.service.counts
        came = CounterMetricFamily(
            "steelyard_rows", "Rows and labels that came, by what became of them.", labels=("outcome",)
        )
        for name in ("accepted", "duplicates", "rejected"):
            came.add_metric([name], getattr(c, name))
        shed = CounterMetricFamily("steelyard_shed_requests", "Requests that were asked to come again.", c.shed)
        answered = CounterMetricFamily(
            "steelyard_requests", "Requests by the status of their answer.", labels=("status",)
        )
        for status, n in sorted(c.requests.items()):
            answered.add_metric([str(status)], n)
        waiting = GaugeMetricFamily(
            "steelyard_writes_waiting", "Changes that wait to be written.", self.service.writer.waiting
        )
        troubles = GaugeMetricFamily(
            "steelyard_troubles", "What could not be counted or judged.", len(self.service.watcher.troubles)
        )
        with self.service.store.reading() as session:
            _, held, size = session.all(sql.WAITING)[0]
            parked = session.all(sql.LABELS_WITHOUT_ROWS)[0][0]
        stored = GaugeMetricFamily("steelyard_rows_held", "Rows that wait for their label or their time.", float(held))
        bytes_held = GaugeMetricFamily("steelyard_bytes_held", "Bytes of these rows.", float(size))
        orphans = GaugeMetricFamily(
            "steelyard_labels_without_prediction", "Labels that wait for their prediction.", float(parked)
        )
        return [came, shed, answered, waiting, troubles, stored, bytes_held, orphans]


@operation("GET", "/openapi.json", scope=None, answers={200: "This description."})
def get_openapi(asked: ApiRequest) -> ApiReply:
    """Tell what may be asked, in OpenAPI 3.1."""
    from steelyard.serve.openapi import description

    return ApiReply(description())
