"""Every model as it was looked at last: its face, what people said of its alarms, its owner; read from the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.board.frame import ORDER
from steelyard.board.visits import Visit
from steelyard.monitors.standing import AlarmState, StandingAlarm
from steelyard.serve import statements as sql
from steelyard.serve.declared import DeclaredModel


@dataclass(frozen=True)
class KnownModel:
    """A model with what stands of it."""

    model: DeclaredModel
    version: str
    versions: tuple[str, ...]
    face: Mapping[str, Any] | None
    alarms: AlarmState
    looked: int | None = None
    """The instant of the last change of what is shown."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def state(self) -> str:
        """How it stands, in a word that has a sign."""
        if self.face is not None:
            return str(self.face["state"])
        return "bare" if self.model.baseline is None else "unseen"

    @property
    def open(self) -> tuple[StandingAlarm, ...]:
        """What stands that nobody acknowledged or muted."""
        return tuple(a for a in self.alarms.standing if not a.acknowledged and a.signal not in self.alarms.muted)

    @property
    def needs(self) -> bool:
        """Whether it asks for somebody."""
        return self.state in {"alarm", "silent", "warn"}

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Where it stands on the board: the worst first, what is open before what is acknowledged."""
        about = "" if self.face is None else str(self.face["cause"]["word"])
        return (ORDER.index(self.state), 0 if self.open else 1, 0 if "the model" in about else 1, self.name)


def known_models(visit: Visit) -> list[KnownModel]:
    """Every model that the visitor may read, the worst first."""
    service, mine = visit.service, visit.caller.model
    with service.store.reading() as session:
        faces = {int(n): (str(body), int(at)) for n, body, at in session.all(sql.FACES)}
        states = {int(n): str(body) for n, body in session.all(sql.ALL_ALARMS)}
        streams: dict[str, list[tuple[str, int]]] = {}
        for n, name, version in session.all(sql.ALL_STREAMS):
            streams.setdefault(str(name), []).append((str(version), int(n)))
        models = [m for m in service.watcher.models(session) if mine in {None, m.name}]
    found = []
    for m in models:
        mine_streams = streams.get(m.name, [])
        stream = next((n for version, n in mine_streams if version == m.said.champion), None)
        found.append(_known(visit, m, mine_streams, stream, faces, states))
    return sorted(found, key=lambda k: k.place)


def _known(
    visit: Visit,
    model: DeclaredModel,
    streams: list[tuple[str, int]],
    stream: int | None,
    faces: Mapping[int, tuple[str, int]],
    states: Mapping[int, str],
) -> KnownModel:
    face, looked = (None, None) if stream is None or stream not in faces else faces[stream]
    read = None if face is None else _read(visit, ("face", stream), face)
    said = states.get(stream) if stream is not None else None
    alarms = AlarmState() if said is None else AlarmState.from_dict(_read(visit, ("alarms", stream), said))
    return KnownModel(model, model.said.champion, tuple(v for v, _ in streams), read, alarms, looked)


def _read(visit: Visit, key: tuple[str, object], text: str) -> Any:
    """JSON that was read before and has not changed is not read again."""
    held = visit.site.kept.get(str(key))
    if held is not None and held[0] == text:
        return held[1]
    found = json.loads(text)
    visit.site.kept[str(key)] = (text, found)
    return found


def one_known(visit: Visit, name: str, version: str | None = None) -> KnownModel:
    """One model, or another version of it than the champion."""
    service = visit.service
    with service.store.reading() as session:
        model = service.watcher.model(session, name)
        streams = [(str(v), int(n)) for n, v in session.all(sql.STREAMS, name)]
        wanted = version or model.said.champion
        stream = next((n for v, n in streams if v == wanted), None)
        if version is not None and stream is None:
            service.watcher.stream(session, name, version)  # says which there are
        face = None if stream is None else session.one(sql.FACE, stream)
        state = None if stream is None else session.one(sql.ALARMS, stream)
    alarms = AlarmState() if state is None else AlarmState.from_dict(json.loads(state[0]))
    told = None if face is None else json.loads(face[0])
    looked = None if face is None else int(face[1])
    return KnownModel(model, wanted, tuple(v for v, _ in streams), told, alarms, looked)
