"""Addresses without their secrets: what a source may be called in a file, on a page or in a terminal.

What cannot be told apart from a secret is left out. An address that says too little is a nuisance; one that says too much
is a password in a report.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

OPTION = re.compile(r"--?[\w-]+=")
SCHEME = re.compile(r"(?<![A-Za-z0-9+.\-])[0-9+.\-]*+(?:([A-Za-z][A-Za-z0-9+.\-]++):/+|[A-Za-z]://+)")
"""How an address begins; a Path has lost one of its strokes, and C:/ is none. A long word is read once."""
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
SWEEP = re.compile(
    r"""(?<=[\s;,&?#|({"'])[\w.%-]*(?:pass(?:word|wd|phrase)|pwd|secret|token|credential|signature|(?:api|access|account|private|shared)_?key)"""
    r"""[\w.%-]*["']?\s*[:=]\s*(?=[^\s.…])""",
    re.IGNORECASE,
)
"""A name that surely is one of a secret, wherever it stands, and the sign before what must not be told."""
BARE = re.compile(
    r"^\s*(?:[A-Za-z][\w+.\-]+:[/\\]*)?(?![A-Za-z]:[/\\])[^\s/\\@]*[:/][^\n]*@(?!\d{4}(?:-|\W*$))(?=[\w.\[/-])"
)
"""user:password@ where no scheme:// stands before it, or one with another number of strokes; a year is no host."""
STORES = {"s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss", "wasb", "wasbs", "az", "adl", "hdfs", "webhdfs", "dbfs"}
STORES |= {"http", "https", "ftp", "sftp", "viewfs", "file"}
"""Schemes behind which a path follows, in which @ may be a sign like any other."""
EXAMPLE = "user:password@"
"""How our own hints write it."""


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
        text = _without_parameters(text) if any(SURELY.search(_plain(name)) for name in names) else text
        return _swept(BARE.sub("", text))
    return _swept(text[: found.end()] + _without_user(text[found.end() :], (found[1] or found[0]).lower()))


def _swept(text: str) -> str:
    """The text up to the first name of a secret that is still in it."""
    found = SWEEP.search(text)
    return text if found is None else text[: found.start()].rstrip(" ;,&?#|({\"'") + HIDDEN


def discreet(sentence: str) -> str:
    """A sentence without the secrets of the addresses that it names.

    >>> discreet('There is no file "host=db password=s3cr3t".')
    'There is no file "host=db".'
    """
    if not re.search(r"[@=:]", sentence) or EXAMPLE in sentence:
        return sentence
    # A password may hold quotation marks: what lies between a scheme and the last @ is none of the sentence.
    sentence = re.sub(
        r"(?<![\w+.\-])((?:[^\WA-Za-z]|[+.\-])*+[A-Za-z][\w+.\-]++:/+)[^\n]*[:/][^\n]*@(?=\S)", r"\1", sentence
    )
    sentence = re.sub(r'"([^"\n]+)"', lambda m: f'"{without_secrets(m[1])}"', sentence)
    sentence = re.sub(r"\S+", lambda m: without_secrets(m[0]) if re.search(r"\S:/\S", m[0]) else m[0], sentence)
    found = SWEEP.search(sentence)
    return sentence if found is None else sentence[: found.start()].rstrip() + f" {HIDDEN}"


def _plain(name: str) -> str:
    return unquote_plus(name).strip().lower()


def _is_secret(name: str) -> bool:
    return SECRET.search(_plain(name)) is not None


# scheme://user:password@host/path?name=value ------------------------------------------------------------------------


def _without_user(rest: str, scheme: str) -> str:
    """What follows scheme://, from the host on.

    A password that was not encoded may hold any sign, a slash and another @ among them: only what follows the last @ is
    surely none of it.
    """
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    last = rest.rfind("@")
    if last >= 0 and (":" in authority or "@" in authority or scheme not in STORES):
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
    if any(re.fullmatch(r"\w*(password|passwd|pwd|passphrase)", name) for name in names):
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
