"""What a service answers where it cannot do what was asked: a problem with its kind, its words and what to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TITLES = {
    400: "The request cannot be read",
    401: "Who asks is not known",
    403: "That is not allowed to this token",
    404: "There is no such thing",
    405: "That cannot be done here",
    406: "It is not to be had in this form",
    408: "The request took too long to arrive",
    409: "It contradicts what is known",
    411: "The length of the request is not said",
    413: "The request is too large",
    415: "Bodies of this kind are not read",
    421: "This host is not served here",
    422: "What came cannot be used",
    429: "Too much at once",
    500: "Something went wrong here",
    503: "Not now",
    507: "The store is full",
}


@dataclass(frozen=True, slots=True)
class RowError:
    """What is wrong with one row."""

    row: int
    """Its place in what was sent, from 1."""
    code: str
    detail: str
    column: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"row": self.row, "code": self.code, "column": self.column or None, "detail": self.detail}


class Problem(Exception):
    """An answer that is an error: RFC 9457, with a code that stays the same whatever its words."""

    def __init__(self, status: int, code: str, detail: str, hint: str = "", **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.headers: dict[str, str] = {}
        if "retry_after" in more:
            self.headers["Retry-After"] = str(more.pop("retry_after"))
        if status == 401:
            self.headers["WWW-Authenticate"] = 'Basic realm="steelyard, the token as password"'
        self.more = more

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = {
            "type": f"urn:steelyard:{self.code}",
            "title": TITLES.get(self.status, "Problem"),
            "status": self.status,
        }
        hint = {"hint": self.hint} if self.hint else {}
        return {**told, "code": self.code, "detail": self.detail, **hint, **self.more}


def problem_in(content: bytes, location: str) -> Mapping[str, Any]:
    """What a service answered as a problem; nothing where it is none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    return {"detail": "It is to be asked elsewhere", "hint": f"Name that address: {location}"} if location else {}
