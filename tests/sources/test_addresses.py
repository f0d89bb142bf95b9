"""Addresses lose their secrets, whatever these are made of, and paths lose nothing."""

from __future__ import annotations

from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.files.addresses import without_secrets

SIGNS = "@:/?#&=%;,+'\"\\ \t{}[]…ß日🙂"
ANY = st.text(st.one_of(st.sampled_from(SIGNS), st.characters(exclude_categories=["Cs"])), min_size=1, max_size=24)
PARAMETERS = (
    "password",
    "sslpassword",
    "PASSWORD",
    "pass%77ord",
    "token",
    "access_token",
    "api_key",
    "key",
    "secret",
    "client_secret",
    "sig",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "X-Amz-Security-Token",
    "AWSAccessKeyId",
    "Signature",
    "user",
)
PAIRS = ("password", "PASSWORD", "sslpassword", "pwd", "passwd")


def hidden(made: str, secret: str, frame: str) -> str:
    """The address without its secret, which is looked for in every way of writing it."""
    out = without_secrets(made)
    for written in {secret, quote(secret, safe=""), quote_plus(secret)}:
        # What stands in the rest of the address anyway is no leak.
        assume(written not in frame)
        assert written not in out, (made, out)
    return out


@given(secret=ANY, user=ANY)
def test_a_password_before_the_host_is_gone_encoded_or_not(secret: str, user: str) -> None:
    frame = "postgresql://db.example.com:5432/shop?table=t…"
    for write in (str, lambda x: quote(x, safe=""), quote_plus):
        made = f"postgresql://{write(user)}:{write(secret)}@db.example.com:5432/shop?table=t"
        if write is str:
            # A slash in a user's name that is not encoded ends the address's first part; nothing reads it as a user then.
            assume(not set("/?#") & set(user))
        hidden(made, secret, frame)


@given(secret=ANY)
def test_encoded_or_plain_secrets_leave_no_trace_at_all(secret: str) -> None:
    written = quote(secret, safe="")
    assert without_secrets(f"s3://{written}@bucket/a.parquet") == "s3://bucket/a.parquet"
    assert without_secrets(f"s3://AKIA:{written}@bucket/a.parquet") == "s3://bucket/a.parquet"
    for name in PARAMETERS:
        before = without_secrets(f"https://h.example.com/a.csv?{name}={written}&table=t")
        behind = without_secrets(f"https://h.example.com/a.csv?table=t&{name}={written}#top")
        assert before == behind == "https://h.example.com/a.csv?table=t"


@pytest.mark.parametrize("name", PARAMETERS)
@given(secret=ANY)
def test_a_parameter_is_gone_even_if_nobody_encoded_it(name: str, secret: str) -> None:
    frame = f"postgresql://db.example.com:5432/shop?table=t&{name}=…"
    hidden(f"postgresql://db.example.com/shop?{name}={secret}&table=t", secret, frame)
    hidden(f"postgresql://db.example.com/shop?table=t&{name}={secret}", secret, frame)
    hidden(f"postgresql://db.example.com:5432/shop?table=t&{name}={secret}", secret, frame)
    hidden(f"postgresql://me:{quote(secret, safe='')}@db.example.com/shop?{name}={secret}", secret, frame)


@pytest.mark.parametrize("name", PAIRS)
@given(secret=ANY)
def test_a_connection_string_loses_its_password(name: str, secret: str) -> None:
    quoted = "'" + secret.replace("\\", "\\\\").replace("'", "\\'") + "'"
    for made in (
        f"host=h.example.com {name}={quoted} dbname=shop",
        f"{name} = {quoted} host=h.example.com dbname=shop",
        f"host=h.example.com dbname=shop user=me {name}={quoted}",
    ):
        assert sorted(without_secrets(made).split()) == ["dbname=shop", "host=h.example.com"]
        assert without_secrets(f"--against={made}").startswith("--against=")
    for made in (f"host=h.example.com {name}={secret} dbname=shop", f"host=h.example.com {name}={secret}"):
        hidden(made, secret, f"host=h.example.com dbname=shop {name}= …")


@given(st.text(max_size=60))
def test_any_text_is_read_and_done_with(text: str) -> None:
    once = without_secrets(text)
    assert isinstance(without_secrets(once), str)
    assert len(once) <= len(text) + 1


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("jdbc:postgresql://h/db?user=me&password=x&table=t", "jdbc:postgresql://h/db?table=t"),
        ("s3://AKIA:ab/cd+e@bucket/x.parquet", "s3://bucket/x.parquet"),
        ("md:shop?motherduck_token=abc", "md:shop"),
        ("Server=h;Uid=me;Pwd=x;Database=d;", "Server=h;Database=d"),
        ("https://h/a.csv?versionId=3&X-Amz-Date=1&X-Amz-Signature=f00", "https://h/a.csv?versionId=3"),
        ("https://h/a?x=1#access_token=zz", "https://h/a?x=1"),
        ("host=h password='never closed dbname=d", "host=h"),
        # Where a password may begin and end is not clear here, so nothing is told.
        ("postgresql://h:5432/db?password=a@b", "postgresql://…"),
        ("--against=postgresql://me:x@h/db", "--against=postgresql://h/db"),
    ],
)
def test_what_is_left(made: str, told: str) -> None:
    assert without_secrets(made) == told


@pytest.mark.parametrize(
    "path",
    [
        "preds.csv",
        "days/*.parquet",
        "days/key=3/token=7/part.parquet",
        "key=3/part.parquet",
        r"C:\data\me@home\preds.csv",
        "me@home: preds.csv",
        "s3://bucket/me@home/part.parquet",
        "https://h.example.com/a.csv?version=3",
        "token=p_token",
        "tp=140, fn=-140, fp=-700",
        "--score",
        "--score=key=p_key",
        "auc >= 0.8",
        "",
    ],
)
def test_what_holds_no_secret_is_left_alone(path: str) -> None:
    assert without_secrets(path) == path
