"""What may be asked of a service, as OpenAPI 3.1: printed from the operations themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from steelyard import __version__
from steelyard.serve.formats import ARROW, CSV, JSON, NDJSON, PARQUET
from steelyard.serve.operations import Nothing, Operation, operations
from steelyard.serve.problems import TITLES

REFERENCE = "#/components/schemas/{name}"
PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "hint": {"type": "string"},
        "errors": {"type": "array", "items": {"$ref": "#/components/schemas/RowError"}},
    },
}
ROW_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["row", "code", "detail"],
    "properties": {
        "row": {"type": "integer", "minimum": 1},
        "code": {"type": "string"},
        "column": {"type": ["string", "null"]},
        "detail": {"type": "string"},
    },
}
ROWS: dict[str, Any] = {
    JSON: {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]},
    NDJSON: {"type": "string"},
    CSV: {"type": "string"},
    ARROW: {"type": "string", "contentEncoding": "binary"},
    PARQUET: {"type": "string", "contentEncoding": "binary"},
}
TABLE_ERRORS = (413, 415, 408, 409, 507)


@cache
def description() -> dict[str, Any]:
    """The whole description."""
    kinds = [t for op in operations() for t in (op.query, op.body) if t is not None and t is not Nothing]
    _, parts = msgspec.json.schema_components(list(dict.fromkeys(kinds)), ref_template=REFERENCE)
    paths: dict[str, dict[str, Any]] = {}
    for op in operations():
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, parts)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "steelyard serve",
            "version": __version__,
            "description": "Predictions and labels in, windows and alarms out.",
        },
        "paths": paths,
        "components": {
            "schemas": {**parts, "Problem": PROBLEM, "RowError": ROW_ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(op: Operation, parts: dict[str, Any]) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in op.parameters
    ]
    told = parts.get(op.query.__name__, {})
    for name, schema in told.get("properties", {}).items():
        parameters.append({"name": name, "in": "query", "required": name in told.get("required", ()), "schema": schema})
    found: dict[str, Any] = {"operationId": op.name, "summary": op.told.split("\n")[0], "parameters": parameters}
    if op.rows:
        parameters.append({"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 200}})
        found["requestBody"] = {
            "required": True,
            "content": {kind: {"schema": schema} for kind, schema in ROWS.items()},
        }
    elif op.body is not None:
        body = {"$ref": REFERENCE.format(name=op.body.__name__)}
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    if op.scope is not None:
        found["security"] = [{"token": []}]
    answers: dict[str, Any] = {}
    for status, text in op.answers.items():
        kind = op.kind if status < 300 else JSON
        answers[str(status)] = {"description": text} | ({} if status == 204 else {"content": {kind: {"schema": {}}}})
    errors = {400, 404, 421, 429, 500, 503} | ({401, 403} if op.scope else set())
    errors |= {409, 422} if op.parameters or op.body else set()
    errors |= set(TABLE_ERRORS) | {422} if op.rows else set()
    errors |= {413, 408} if op.body is not None else set()
    for status in sorted(errors - set(op.answers)):
        content = {"application/problem+json": {"schema": {"$ref": REFERENCE.format(name="Problem")}}}
        answers[str(status)] = {"description": TITLES[status], "content": content}
    if op.method == "GET":
        answers["304"] = {"description": "It is as it was."}
    return {**found, "responses": answers}
