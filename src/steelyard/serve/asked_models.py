"""Models: declared, told, changed, forgotten; and the baselines that their windows are held against."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from steelyard.errors import SteelyardError
from steelyard.files.writing import sealed
from steelyard.serve import statements as sql
from steelyard.serve.counting import joined, windows_known
from steelyard.serve.declared import PARTS, baseline_from, baseline_in, declaration_of
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.parts import window_rows
from steelyard.serve.problems import Problem


class SaidOfModel(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A declaration, and a baseline as it was saved."""

    declared: dict[str, Any] = {}
    baseline: dict[str, Any] | None = None


class Promotion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The windows whose rows are to be the baseline, by their names."""

    windows: list[str]
    version: str | None = None


@operation("GET", "/v1/models", scope="read", answers={200: "All models that the token may read."})
def list_models(asked: ApiRequest) -> ApiReply:
    """List all models with their versions."""
    service = asked.service
    with service.store.reading() as session:
        found = [
            {**m.to_dict(), "versions": [row[1] for row in session.all(sql.STREAMS, m.name)]}
            for m in service.watcher.models(session)
            if asked.caller.model in {None, m.name}
        ]
    return ApiReply({"models": found})


@operation("GET", "/v1/models/{model}", scope="read", answers={200: "The model."})
def get_model(asked: ApiRequest) -> ApiReply:
    """Tell what was declared of a model, and which columns its rows have."""
    with asked.service.store.reading() as session:
        found = asked.service.watcher.model(session, asked.model).to_dict()
        found["versions"] = [row[1] for row in session.all(sql.STREAMS, asked.model)]
    return ApiReply(found)


@operation("PUT", "/v1/models/{model}", scope="write", body=SaidOfModel, answers={200: "The model as it is now."})
def put_model(asked: ApiRequest) -> ApiReply:
    """Declare a model, or change what is said of it; with a baseline its columns and windows are those of the baseline."""
    said = declaration_of(asked.body.declared)
    baseline = None if asked.body.baseline is None else baseline_in(json.dumps(asked.body.baseline))
    if baseline is not None and not baseline.asked:
        raise Problem(422, "baseline", "This baseline does not know its columns: it was made from an evaluation.")
    return ApiReply(asked.service.declare(asked.model, said, baseline, asked.caller.token).to_dict())


@operation("DELETE", "/v1/models/{model}", scope="admin", answers={204: "It is gone."})
def delete_model(asked: ApiRequest) -> ApiReply:
    """Forget a model with all its rows, labels and windows."""
    asked.service.drop(asked.model, asked.caller.token)
    return ApiReply(status=204)


@operation("GET", "/v1/models/{model}/baseline", scope="read", answers={200: "The baseline as a saved file."})
def get_baseline(asked: ApiRequest) -> ApiReply:
    """Give the baseline as it is saved, for `steelyard monitor --baseline`."""
    with asked.service.store.reading() as session:
        model = asked.service.watcher.model(session, asked.model)
    if model.baseline is None:
        raise Problem(404, "no_baseline", f'The model "{model.name}" has no baseline yet.')
    return ApiReply(sealed(model.baseline.to_dict()).encode(), etag=model.baseline.hash)


@operation(
    "POST", "/v1/models/{model}/baseline", scope="write", body=Promotion, answers={200: "The model as it is now."}
)
def promote_windows(asked: ApiRequest) -> ApiReply:
    """Make the rows of some windows the baseline; windows are counted anew, and their former counts stay as revisions."""
    import pyarrow as pa

    service = asked.service
    with service.store.reading() as session:
        one = service.watcher.stream(session, asked.model, asked.body.version)
        known = {w.name: w for w in windows_known(session, one.stream)}
        lost = [name for name in asked.body.windows if name not in known or known[name].closed is not None]
        if lost or not asked.body.windows:
            detail = f'There are no rows of "{lost[0][:100]}".' if lost else "No window was named."
            raise Problem(409, "no_rows", detail, "Name windows whose rows are still there.")
        wanted = [known[name].start for name in sorted(set(asked.body.windows))]
        found = [t for start in wanted for t in window_rows(session, one.stream, start)]
        tables = [joined(session, one.model, t) for t in found if t is not None]
    if not tables:
        raise Problem(409, "no_rows", "These windows have no rows.", "Name others.")
    model = one.model
    parts = {name: model.asked.get(name) for name in (*PARTS, "window", "zone")}
    said = msgspec.structs.replace(model.said, **parts, features=list(model.features) or None)
    e = None if model.baseline is None else model.baseline.evaluation
    said = msgspec.structs.replace(said, positive=said.positive if e is None else e.positive)
    try:
        baseline = baseline_from(pa.concat_tables(tables), said)
    except SteelyardError as problem:
        raise Problem(422, "baseline", str(problem.message), str(problem.hint)) from None
    return ApiReply(service.declare(model.name, model.said, baseline, asked.caller.token).to_dict())
