"""What the store holds of a model itself: written when it is declared, and gone with all that came to it when it is dropped."""

from __future__ import annotations

import json

import msgspec

from steelyard.serve import statements as sql
from steelyard.serve.declared import DeclaredModel
from steelyard.serve.incoming import model_of
from steelyard.serve.store import Session


def write_model(session: Session, model: DeclaredModel, now: int) -> None:
    """Keep what is said of a model, and its baseline; with another one its windows are to be counted anew."""
    base = model.baseline
    if base is not None:
        session.do(sql.ADD_BASELINE, model.name, base.hash, json.dumps(base.to_dict()).encode(), now)
    before, said = session.one(sql.MODEL, model.name), msgspec.json.encode(model.said).decode()
    session.do(sql.SET_MODEL, model.name, said, None if base is None else base.hash, now)
    if before is not None and base is not None and before[1] != base.hash:
        session.do(sql.TOUCH_ALL, model.name)


def drop_model(session: Session, name: str) -> list[int]:
    """Forget a model with all its rows and windows; the numbers that its versions had."""
    streams = [int(row[0]) for row in session.all(sql.STREAMS, name)]
    for statement in sql.DROP_MODEL:
        session.do(statement, name)
    # What was answered is said no more: the same rows, sent again, are to be taken.
    for (sender,) in session.all(sql.ANSWERED):
        if model_of(str(sender)) == name:
            session.do(sql.FORGET_ANSWERS, sender)
    return streams
