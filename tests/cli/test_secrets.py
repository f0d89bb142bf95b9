"""A password that was typed is in nothing that is printed or written, whether a command succeeds or fails."""

from pathlib import Path
from urllib.parse import quote

import pytest

from steelyard.cli.program import COMMANDS, run

from ..secret_addresses import ADDRESSES
from ..secret_addresses import SECRET as FORM_SECRET
from ..servers.postgres import PASSWORD, Postgres

SECRET = "s3cr3t/w@rd"
NOWHERE = f"postgresql://me:{SECRET}@127.0.0.1:1/shop?table=preds"
TYPED = {
    "in its place": NOWHERE,
    "encoded": NOWHERE.replace(SECRET, quote(SECRET, safe="")),
    "as a parameter": f"postgresql://127.0.0.1:1/shop?user=me&password={SECRET}&table=preds",
}
ROLES = ("--target", "y", "--score", "p")
CALLS = {
    "evaluate": ("evaluate", "{}", *ROLES, "--save", "e.json"),
    "evaluate as JSON": ("evaluate", "{}", *ROLES, "--json", "-o", "out.json"),
    "look": ("look", "{}"),
    "slices": ("slices", "{}", *ROLES, "--csv", "s.csv", "--json"),
    "campaign's list": ("campaign", "here.csv", *ROLES, "--benefit", "4", "--cost", "1", "--list", "l.csv", "--among", "{}"),
    "not an encoding": ("evaluate", "here.csv", *ROLES, "--encoding", "{}"),
    "table": ("table", "{}", "matrix", *ROLES),
    "peek": ("peek", "{}", *ROLES, "--json"),
    "not a table": ("table", "here.csv", "{}", *ROLES),
    "not a share": ("share", "{}", "--of", "10"),
    "report": ("report", "{}", *ROLES, "-o", "r.html"),
    "chart": ("chart", "{}", "roc", *ROLES, "-o", "r.svg"),
    "threshold": ("threshold", "{}", *ROLES, "--maximise", "f1", "--json"),
    "campaign": ("campaign", "{}", *ROLES, "--benefit", "4", "--cost", "1", "--json"),
    "compare": ("compare", "{}", "--target", "y", "--score", "p", "--score", "w", "--report", "c.html", "--json"),
    "diff": ("diff", "{}", "{}"),
    "compare by name": ("compare", "a={}", "b={}", "--on", "id", *ROLES),
    "compare ranks": ("compare", "{}", "--ranks", "--model", "p", "--model", "w"),
    "check": ("check", "{}", *ROLES, "--require", "auc > 0", "--junit", "j.xml", "--json"),
    "check against": ("check", "here.csv", *ROLES, "--against", "{}", "--margin", "1", "--json"),
    "experiment": ("experiment", "{}", "--target", "y", "--models", "baseline", "--drop", "day", "--report", "x.html",
                   "--store", "runs", "--design", "kfold:3", "--json"),
    "learning-curve": ("learning-curve", "{}", "--target", "y", "--models", "baseline", "--repeats", "2", "--json"),
    "stopping-curve": ("stopping-curve", "{}", "--target", "y", "--model", "boosting", "--iterations", "2"),
    "draw": ("draw", "{}", "--control", "1", "--treated", "1"),
    "timeliness": ("timeliness", "{}", "--unit", "id", "--time", "w", "--score", "p", "--outcome", "y", "--horizon", "9",
                   "--report", "t.html", "--json", "--save", "t.json"),
    "stability": ("stability", "{}", "{}", "--column", "p", "--report", "s.html", "--json"),
    "trial": ("trial", "{}", "--group", "arm", "--control", "a", "--outcome", "y", "--unit", "id", "--report", "q.html"),
    "monitor": ("monitor", "{}", "--time", "day", *ROLES, "--reference", "{}", "--report", "m.html", "--json",
                "--save-baseline", "b.json", "--window", "week"),
    "windows": ("windows", "{}", "--time", "day", "--baseline", "b.json", "-o", "days"),
    "alarms": ("alarms", "{}"),
    "push": ("push", "{}", "--to", "http://127.0.0.1:1", "--model", "{}"),
    "serve": ("serve", "--store", "{}", "--models", "{}"),
    "backup": ("backup", "{}", "{}"),
    "restore": ("restore", "{}", "--store", "{}"),
    "labels": ("evaluate", "here.csv", *ROLES, "--labels", "{}", "--on", "id"),
    "labels with a sign": ("evaluate", "here.csv", *ROLES, "--labels={}", "--on", "id"),
    "validation": ("threshold", "here.csv", *ROLES, "--maximise", "f1", "--validation", "{}"),
    "add": ("add", "{}", "{}", "-o", "sum.json"),
    "one too many": ("evaluate", "here.csv", "{}", *ROLES),
    "not an option's value": ("evaluate", "here.csv", *ROLES, "--missing", "{}"),
    "not a number": ("evaluate", "here.csv", *ROLES, "--threshold", "{}"),
    "not a command": ("{}",),
    "not a topic": ("help", "{}"),
    "not a measure": ("measures", "{}"),
    "not a store": ("runs", "{}"),
    "not a profit": ("evaluate", "here.csv", *ROLES, "--profit", "{}"),
    "not a column": ("evaluate", "here.csv", "--target", "{}", "--score", "p"),
    "not a place": ("evaluate", "here.csv", *ROLES, "--save", "{}"),
    "not a cluster": ("evaluate", "here.csv", *ROLES, "--spark", "{}"),
    "a cluster's token": ("evaluate", "here.csv", *ROLES, "--spark", f"sc://127.0.0.1:1/;token={SECRET};user_id=me"),
}  # fmt: skip
HARMLESS = {"sample-size", "demo", "completion", "trial-size"}
"""Commands that take neither a file nor free text."""


def rows():
    import pyarrow as pa

    ids = range(240)
    days = [f"2024-{1 + i // 60:02d}-{1 + i % 28:02d}" for i in ids]
    return pa.table(
        {
            "id": list(ids),
            "y": [i % 2 for i in ids],
            "p": [i * 53 % 97 / 97 for i in ids],
            "w": [1 + i % 4 for i in ids],
            "arm": ["ab"[i * 7 % 5 % 2] for i in ids],
            "day": pa.array(days).cast(pa.timestamp("us")),
        }
    )


@pytest.fixture
def here(make):
    found = rows()
    return make("here.csv", ("id", "y", "p"), list(zip(*(found[n].to_pylist() for n in ("id", "y", "p")), strict=True)))


def written(folder: Path) -> str:
    return "\n".join(p.read_bytes().decode("utf-8", "replace") for p in folder.rglob("*") if p.is_file())


def test_every_command_is_tried():
    assert set(COMMANDS) == {call[0] for call in CALLS.values()} - {"{}"} | HARMLESS


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("call", CALLS)
def test_a_command_that_fails_keeps_the_secret(steelyard, here, tmp_path, monkeypatch, call, typed):
    arguments = [text.replace("{}", TYPED[typed]) for text in CALLS[call]]
    monkeypatch.setattr("sys.argv", ["steelyard", *arguments])
    told = steelyard(*arguments)
    assert told.code in {2, 3}, told.out
    assert "Traceback" not in told.err
    everything = told.out + told.err + written(tmp_path)
    for secret in ("s3cr3t", "w@rd", "w%40rd"):
        assert secret not in everything, everything


@pytest.mark.xdist_group("postgres")
def test_a_command_that_succeeds_keeps_the_secret(steelyard, here, tmp_path, monkeypatch, postgres: Postgres):
    postgres.load("secret_rows", rows())
    address = f"{postgres.tcp_uri}?table=secret_rows"
    done = []
    for name, call in CALLS.items():
        if name.startswith("not ") or name in {
            "add",
            "diff",
            "one too many",
            "a cluster's token",
            "labels",
            "labels with a sign",
            "alarms",
            "serve",
            "push",
            "backup",
            "restore",
        }:
            continue
        arguments = [text.replace("{}", address) for text in call]
        monkeypatch.setattr("sys.argv", ["steelyard", *arguments])
        told = steelyard(*arguments)
        assert told.code == 0, f"{name}: {told.err}"
        done.append(told.out + told.err)
    everything = "\n".join(done) + written(tmp_path)
    assert "secret_rows" in everything
    for secret in (PASSWORD, quote(PASSWORD), PASSWORD.replace(" ", "+")):
        assert secret not in everything


@pytest.mark.parametrize("call", [name for name in CALLS if name != "a cluster's token"])
def test_no_command_echoes_it_however_it_was_written(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each command with some of the ways to write an address; together they are asked with every one of them."""
    monkeypatch.chdir(tmp_path)
    Path("here.csv").write_text("id,y,p\n1,0,0.2\n2,1,0.9\n3,1,0.4\n4,0,0.6\n")
    for address in ADDRESSES[list(CALLS).index(call) % 6 :: 6]:
        if "--spark" in CALLS[call] and address.startswith(("sc:", "spark:")):
            continue
        # Where it is a path, it may well be written to; then it is that file's own name.
        run([text.replace("{}", address) for text in CALLS[call]])
        out, err = capfd.readouterr()
        assert FORM_SECRET not in out + err, address
        for place in tmp_path.rglob("*"):
            assert not place.is_file() or FORM_SECRET.encode() not in place.read_bytes(), address
