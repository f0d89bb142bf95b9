"""What a notebook offers between the quotes of a call: the pictures of `e.chart("`, the curves of `e.curve("`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.errors import SteelyardError

CALL = re.compile(
    r"""(?P<owner>[^\W\d]\w*)(?:\[(?P<quote>["'])(?P<key>[^"'\\]*)(?P=quote)\])?"""
    r"""\.(?P<method>[^\W\d]\w*)\(\s*["'](?P<begun>[^"']*)$"""
)
"""A call of a result's method, or of what stands in a result by name, in which a string is begun."""


def names_to_offer(line: str, known: Mapping[str, Any]) -> list[str]:
    """What may complete the string that is open at the end of a line; nothing where it is no call of a result of ours.

    The plural of a method says what it may be asked for: what `chart("` takes is in `charts`.

    >>> class Result:
    ...     charts = ["roc", "gain"]
    >>> Result.__module__ = "steelyard.example"
    >>> names_to_offer('x = e.chart("g', {"e": Result()}), names_to_offer('e.chart("g', {"e": "text"})
    (['gain'], [])
    """
    found = CALL.search(line)
    result: Any = None if found is None else known.get(found["owner"])
    if found is None or not type(result).__module__.startswith("steelyard."):
        return []
    try:
        if found["key"] is not None:
            result = result[found["key"]]
        told = getattr(result, f"{found['method']}s", ())
        names = told() if callable(told) else told
    except (SteelyardError, TypeError):
        return []
    some = names if isinstance(names, list | tuple | Mapping) else ()
    return [name for name in some if isinstance(name, str) and name.startswith(found["begun"])]


def offer_names(shell: Any) -> None:
    """Have a shell of IPython ask for these names, once, and leave it alone where it is too old to ask anybody."""
    matchers = getattr(getattr(shell, "Completer", None), "custom_matchers", None)
    if matchers is None or any(getattr(m, "__module__", "") == __name__ for m in matchers):
        return
    matchers.append(_matcher(shell))


def _matcher(shell: Any) -> Callable[[Any], dict[str, Any]]:
    from IPython.core.completer import SimpleCompletion

    def matcher(context: Any) -> dict[str, Any]:
        names = names_to_offer(context.line_with_cursor[: context.cursor_position], shell.user_ns)
        # Between these quotes files and magic words have no place.
        return {"completions": [SimpleCompletion(name) for name in names], "suppress": bool(names)}

    matcher.matcher_api_version = 2  # type: ignore[attr-defined]
    matcher.matcher_identifier = "steelyard"  # type: ignore[attr-defined]
    return matcher
