"""Which version this is, and what it stands on: what a report of a fault must say."""

from __future__ import annotations

import platform
import re
from importlib import metadata

from steelyard import __version__


def versions_text() -> str:
    """The version, then those of Python and of the libraries; what is not installed is named after "without"."""
    from steelyard.views.layout import wrap

    needed, more = _named()
    there = {name: _version(name) for name in (*needed, *more)}
    base = [f"Python {platform.python_version()}", *(f"{name} {there[name] or 'missing'}" for name in needed)]
    extra = [f"{name} {there[name]}" for name in more if there[name]]
    without = [name for name in more if not there[name]]
    lines = [
        f"on {', '.join(base)}",
        f"with {', '.join(extra)}" if extra else "",
        f"without {', '.join(without)}" if without else "",
    ]
    said = [line for text in lines if text for line in wrap(text, first="  ", rest="    ")]
    return "\n".join([f"steelyard {__version__}", *said, f"  {platform.platform()}"])


def _named() -> tuple[list[str], list[str]]:
    """The libraries that are always needed, and those of extras, as the package itself names them."""
    try:
        asked = metadata.requires("steelyard") or []
    except metadata.PackageNotFoundError:
        asked = []
    needed: list[str] = []
    more: list[str] = []
    for text in asked:
        name = re.split(r"[^\w.-]", text, maxsplit=1)[0]
        if name == "steelyard" or re.search(r"extra\s*==\s*['\"](?:test|all)['\"]", text):
            continue
        (more if "extra" in text else needed).append(name)
    return list(dict.fromkeys(needed)), sorted(set(more) - set(needed))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
