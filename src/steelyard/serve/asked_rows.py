"""Rows: predictions, labels and exposures of trials come in."""

from __future__ import annotations

from typing import Annotated

import msgspec

from steelyard.serve.erasing import Erased, erase
from steelyard.serve.incoming import Sending, What
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.problems import Problem
from steelyard.serve.service import audit
from steelyard.serve.store import Session
from steelyard.serve.taking import Mode, OnConflict

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class HowSent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How rows are to be taken: all or none, or those that can be; and what becomes of one that is there with other values."""

    version: Name | None = None
    mode: Mode = "strict"
    on_conflict: OnConflict = "refuse"


class HowLabelled(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How labels are to be taken."""

    mode: Mode = "strict"


TAKEN = {200: "How many were new, how many were there already, and what is wrong with the others. It is on the disk."}


@operation("POST", "/v1/models/{model}/predictions", scope="ingest", query=HowSent, rows=True, answers=TAKEN)
def send_predictions(asked: ApiRequest) -> ApiReply:
    """Take predictions in: each has an identifier, a moment and the columns of the model; sent again it changes nothing."""
    return ApiReply(sending(asked, "predictions"))


@operation("POST", "/v1/models/{model}/labels", scope="ingest", query=HowLabelled, rows=True, answers=TAKEN)
def send_labels(asked: ApiRequest) -> ApiReply:
    """Take labels in, before or after their predictions; a later one corrects an earlier one, which is kept."""
    return ApiReply(sending(asked, "labels"))


class HowExposed(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Of which trial exposures are told, and how they are to be taken."""

    trial: Name
    mode: Mode = "strict"


@operation("POST", "/v1/models/{model}/exposures", scope="ingest", query=HowExposed, rows=True, answers=TAKEN)
def send_exposures(asked: ApiRequest) -> ApiReply:
    """Take exposures of a trial in: who was put into which arm, and when; nobody changes arms."""
    return ApiReply(sending(asked, "exposures"))


class Erasure(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Who is to be erased: identifiers of predictions, and whose rows else, by the column of the unit."""

    ids: Annotated[list[Annotated[str, msgspec.Meta(max_length=256)]], msgspec.Meta(max_length=10_000)] = []
    unit: Annotated[str, msgspec.Meta(max_length=1000)] | None = None


@operation("POST", "/v1/models/{model}/erasures", scope="admin", body=Erasure, answers={200: "How much went."})
def erase_subject(asked: ApiRequest) -> ApiReply:
    """Erase somebody: rows that wait, labels with their history and exposures, in every version; windows hold counts alone."""
    service, said = asked.service, asked.body
    model = service.model(asked.model)
    if not said.ids and said.unit is None:
        raise Problem(422, "erasure", "Nobody was named.", "Name identifiers, or a unit.")
    if said.unit is not None and model.asked["unit"] is None:
        raise Problem(422, "erasure", f'The model "{model.name}" was declared without a unit.', "Name identifiers.")

    def change(session: Session) -> Erased:
        found = erase(session, model, said.ids, said.unit)
        about = f"{model.name}: {found.rows:,} rows, {found.labels:,} labels"  # and not whose
        audit(session, asked.caller.token, "erase", about, service.clock())
        return found

    found = service.writer.do(change)
    service.store.settle()
    return ApiReply(vars(found))


LONGEST_KEY = 200


def sending(asked: ApiRequest, what: What) -> Sending:
    """What was sent, for whoever takes it in."""
    h, q = asked.headers, asked.query
    key = h.get("idempotency-key", "")
    if len(key) > LONGEST_KEY:
        detail = f"An Idempotency-Key has at most {LONGEST_KEY} characters, and {len(key):,} came."
        raise Problem(400, "key", detail, "Send a shorter one, as different for each batch.")
    return Sending(
        what=what,
        model=asked.model,
        body=asked.body,
        kind=h.get("content-type", ""),
        encoding=h.get("content-encoding", "").strip().lower(),
        version=getattr(q, "version", None),
        trial=getattr(q, "trial", ""),
        mode=q.mode,
        on_conflict=getattr(q, "on_conflict", "refuse"),
        key=key,
        who=asked.caller.token,
    )
