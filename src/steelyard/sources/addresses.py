"""Addresses without their secrets: what a source may be called in a file, on a page or in a terminal.

What cannot be told apart from a secret is left out. An address that says too little is a nuisance; one that says too much
is a password in a report.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

OPTION = re.compile(r"--?[\w-]+=")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
SECRET = re.compile(r"pass|pwd|secret|token|key|credential|auth|user|uid|login|^sig$|signature|^x-amz-")
"""Names of parameters that tell who somebody is, or that he is; in small letters."""
SURELY = re.compile(r"pass|pwd|secret|token|credential|signature")
"""The same where there is no sign of a connection, so that a folder called key=3 keeps its name."""
PLACES = {"host", "hostaddr", "server", "address", "port", "service", "driver", "dsn", "account", "warehouse", "region"}
PLACES |= {"database", "dbname", "initialcatalog", "datasource", "catalog", "schema", "table", "sslmode", "format"}
"""Names of parameters that tell where something is."""
NAMED = re.compile(r"(?:^|[\s;,&])\s{0,20}([A-Za-z_][\w .\-]{0,40}?)\s{0,20}=\s*")
PARAMETER = re.compile(r"(?:^|[?&#;])([^=?&#;]*)=")
HIDDEN = "…"


def without_secrets(text: str) -> str:
    """An address, a connection string or a path without user, password, token or key; other text comes back unchanged.

    >>> without_secrets("postgresql://me:secret@db.example.com/shop?table=t&sslpassword=x")
    'postgresql://db.example.com/shop?table=t'
    >>> without_secrets("host=db.example.com user=me password='it is secret' dbname=shop")
    'host=db.example.com dbname=shop'
    >>> without_secrets("days/key=3/part.parquet")
    'days/key=3/part.parquet'
    """
    option = OPTION.match(text)
    if option:
        return option[0] + without_secrets(text[option.end() :])
    if _connects(text):
        text = _without_pairs(text)
    found = SCHEME.search(text)
    if found is None:
        names = (m[1] for m in PARAMETER.finditer(text) if m.start() and text[m.start()] in "?&")
        return _without_parameters(text) if any(SURELY.search(_plain(name)) for name in names) else text
    return text[: found.end()] + _without_user(text[found.end() :])


def _plain(name: str) -> str:
    return unquote_plus(name).strip().lower()


def _is_secret(name: str) -> bool:
    return SECRET.search(_plain(name)) is not None


# scheme://user:password@host/path?name=value ------------------------------------------------------------------------


def _without_user(rest: str) -> str:
    """What follows scheme://, from the host on.

    A password that was not encoded may hold any sign, a slash and another @ among them: only what follows the last @ is
    surely none of it.
    """
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    last = rest.rfind("@")
    if last >= 0 and (":" in authority or "@" in authority):
        if any(_is_secret(m[1]) for m in PARAMETER.finditer(rest[:last]) if m.start()):
            # The @ may belong to a password further on, and then what follows it does too.
            return HIDDEN
        rest = rest[last + 1 :]
    return _without_parameters(rest)


def _without_parameters(rest: str) -> str:
    """Without the parameters that are secret; after one of them only those are kept that surely are not part of it."""
    mark = re.search(r"[?#]", rest)
    if mark is None:
        return rest
    kept: list[str] = []
    dropped = False
    for piece in re.split(r"&(?=[^&=?#;]+=)", rest[mark.end() :]):
        names = list(PARAMETER.finditer(piece))
        secret = next((m for m in names if _is_secret(m[1])), None)
        known = bool(names) and _plain(names[0][1]) in PLACES
        if (not dropped or known) and (secret is None or secret.start()):
            kept.append(piece if secret is None else piece[: secret.start()])
        dropped = dropped or secret is not None
    return rest[: mark.start()] + (mark[0] + "&".join(kept) if kept else "")


# host=… user=… password=… --------------------------------------------------------------------------------------------


def _connects(text: str) -> bool:
    """Whether a text is a connection string with something to hide in it."""
    text = text.lstrip()
    if NAMED.match(text) is None:
        return False
    names = [re.sub(r"[\s_]", "", _plain(m[1])) for m in NAMED.finditer(text)]
    if any(re.fullmatch(r"(ssl)?(password|passwd|pwd|passphrase)", name) for name in names):
        return True
    return any(name in PLACES for name in names) and any(_is_secret(name) for name in names)


def _without_pairs(text: str) -> str:
    text, kept, start, apart = text.lstrip(), "", 0, ""
    while (found := NAMED.match(text, start)) is not None:
        end = _end_of_value(text, found.end())
        if end is None:
            # A quotation mark is opened and never closed: nobody knows what belongs to what.
            break
        if _is_secret(found[1]):
            apart = apart or (";" if text[start] == ";" else " ")
        elif not apart:
            kept += text[start:end]
        elif _plain(found[1]) in PLACES:
            # The signs before a name that follows a secret may be the end of the secret.
            kept += apart + text[found.start(1) : end]
        start = end
    return kept.strip(" \t\r\n;,&")


def _end_of_value(text: str, start: int) -> int | None:
    """Where a value ends; None where its quotation mark is not closed."""
    opened = text[start : start + 1]
    if opened and opened in "'\"{":
        close = re.escape("}" if opened == "{" else opened)
        closed = re.compile(rf"(?:\\.|{close}{close}|[^\\{close}])*{close}(?=[\s;,&]|$)", re.DOTALL).match(
            text, start + 1
        )
        return None if closed is None else closed.end()
    following = NAMED.search(text, start)
    return len(text) if following is None else following.start()
