"""The program as a whole: help, suggestions, pipes, colours, start-up, interruption."""

import fcntl
import json
import shlex
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from contextlib import closing
from datetime import date, timedelta

import numpy as np
import pytest

from steelyard.cli.program import COMMANDS, program
from steelyard.cli.topics import TOPICS
from steelyard.views.layout import width_of

HEAVY = {"numpy", "scipy", "rich", "narwhals", "duckdb", "pandas", "sklearn"}
MAIN = "from steelyard.cli import main; main()"


def test_without_arguments_it_shows_its_help(steelyard):
    told = steelyard()
    assert told.code == 0
    assert told.out == steelyard("--help").out == steelyard("-h").out
    for name, about in COMMANDS.items():
        assert name in told.out
        assert about in told.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(steelyard, name):
    told = steelyard(name, "--help")
    assert told.code == 0
    assert told.out == steelyard(name, "-h").out
    assert all(width_of(line) <= 80 for line in told.out.splitlines()), told.out
    command = program.get_command(None, name)
    assert command.short_help == COMMANDS[name]


def test_a_wrong_command_gets_a_suggestion(steelyard):
    told = steelyard("evalute")
    assert told.code == 2
    assert 'Did you mean "evaluate"?' in told.err
    assert steelyard("xyzzy").code == 2


def test_the_version_is_that_of_the_package(steelyard):
    import steelyard as sy

    first, *rest = steelyard("--version").out.splitlines()
    assert first == f"steelyard {sy.__version__}"
    told = " ".join(rest)
    for part in ("Python", "numpy", "scipy", "narwhals", "duckdb", "click", "rich"):
        assert f"{part} " in told  # what it stands on
    assert np.__version__ in told
    assert "with " in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        *([name, "--help"] for name in COMMANDS),
        ["help", "start"],
        ["help", "worth"],
        ["completion", "bash"],
    ],
)
def test_help_imports_nothing_heavy(process, arguments):
    code = (
        "import sys\nfrom steelyard.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(' '.join({n.partition('.')[0] for n in sys.modules}), file=sys.stderr)"
    )
    told = process(*arguments, code=code)
    assert not HEAVY & set(told.err.split())


def test_help_starts_quickly(process):
    code = (
        "import time\nfrom steelyard.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "import sys; print(time.process_time(), file=sys.stderr)"
    )
    used = min(float(process("--help", code=code).err) for _ in range(3))
    # The aim is 0.1 s; the limit leaves room for slow machines, and still catches one heavy import.
    assert used < 0.3


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_no_escape_codes(process, preds, environment):
    told = process("evaluate", "preds.csv", "--target", "y", "--score", "p", **environment)
    assert told.code == 0
    assert "\x1b" not in told.out + told.err
    assert told.err == ""


def test_a_terminal_that_knows_few_letters_is_served(process, preds):
    told = process("evaluate", "preds.csv", "--target", "y", "--score", "p", "-v", PYTHONIOENCODING="cp1252")
    assert told.code == 0, told.err
    assert "?" in told.out, "a letter that the terminal lacks"


def test_standard_input_is_read_as_csv(process, preds, tmp_path):
    text = preds.read_text()
    piped = process("evaluate", "-", "--target", "y", "--score", "p", stdin=text)
    assert piped.code == 0, piped.err
    told = " ".join(piped.out.split())
    assert "Evaluation of standard input: " in told
    named = process("evaluate", "preds.csv", "--target", "y", "--score", "p")
    assert told.replace("standard input", "preds.csv") == " ".join(named.out.split())
    empty = process("evaluate", "-", "--target", "y", "--score", "p")
    assert empty.code == 3
    assert empty.err.startswith("Standard input is empty.")


def test_a_reader_may_stop_reading(preds):
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} evaluate preds.csv --target y --score p | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=preds.parent)
    assert done.stderr == ""
    assert done.stdout.startswith("Useful")


def waiting_in(pipe):
    """Bytes of a pipe that nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def test_interruption_ends_with_130():
    child = subprocess.Popen(
        [sys.executable, "-c", MAIN, "evaluate", "-", "--target", "y", "--score", "p"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # What runs in the background of a shell ignores interruptions, and so does what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    header = "y,p\n"
    child.stdin.write(header)
    child.stdin.flush()
    # It has begun once it has read what was sent.
    until = time.monotonic() + 60
    while waiting_in(child.stdin) and time.monotonic() < until:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in err


# ---- measures


def test_the_catalogue_lists_every_measure(steelyard):
    import steelyard as sy

    told = steelyard("measures")
    assert told.code == 0
    listed = {line.split()[0] for line in told.out.splitlines() if line.startswith("  ") and line.split()}
    assert set(sy.catalogue()) <= listed
    assert all(width_of(line) <= 80 for line in told.out.splitlines())
    document = json.loads(steelyard("measures", "--json").out)
    assert [m["name"] for m in document["measures"]] == list(sy.catalogue())


def test_one_measure_is_explained_by_any_of_its_names(steelyard):
    told = steelyard("measures", "roc_index")
    assert told.out == steelyard("measures", "auc").out
    for word in ("roc_auc", "0 to 1", "higher is better", "area under the ROC curve"):
        assert word in told.out
    wrong = steelyard("measures", "rocauc")
    assert wrong.code == 2
    assert "Did you mean" in wrong.err


# ---- help and completion


def test_topics_are_listed_and_fit(steelyard):
    told = steelyard("help")
    for name in TOPICS:
        assert name in told.out
        text = steelyard("help", name)
        assert text.code == 0
        assert all(width_of(line) <= 80 for line in text.out.splitlines()), name
    assert steelyard("help", "evaluate").out.startswith("Usage: steelyard evaluate")
    assert 'Did you mean "start"?' in steelyard("help", "strat").err


def customers_scored_twice(days=170, a_day=50):
    """Rows of a stable stream: everybody is scored on one day and five days later."""
    rows = []
    for i in range(days * a_day):
        y = int(i * 37 % 101 < 35)
        for k, day in enumerate((i // a_day, i // a_day + 5)):
            if day < days:
                when = date(2024, 1, 1) + timedelta(days=day)
                rows.append([f"{when} {i % 24:02d}:00", i, y, round(0.05 + i * (53 + k) % 97 / 160 + 0.3 * y, 4)])
    return rows


def make_tables(preds):
    """The same predictions in databases, and scores whose labels lie in other files."""
    import duckdb

    folder = preds.parent
    with duckdb.connect(str(folder / "shop.duckdb")) as database:
        database.execute(f"create table preds as select * from '{preds}'")
        database.execute("create table others as select 1 as one")
    with closing(sqlite3.connect(folder / "shop.sqlite")) as lite:
        lite.execute("create table preds (y, p)")
        lite.executemany("insert into preds values (?, ?)", duckdb.sql(f"select y, p from '{preds}'").fetchall())
        lite.commit()
    files = {"scores": "id, p", "labels": "id, y", "outcomes": 'id as customer, y as "left"'}
    for name, columns in files.items():
        rows = duckdb.sql(f"select {columns} from (select *, row_number() over () as id from '{preds}')")
        rows.write_csv(str(folder / f"{name}.csv"))


@pytest.mark.parametrize("topic", TOPICS)
def test_the_examples_of_help_run(steelyard, topic, preds, flowers, doses, make, tmp_path, monkeypatch):
    import duckdb

    make("gaps.csv", ("y", "p"), [[i % 2, "" if i == 5 else (i * 7 % 10) / 10] for i in range(40)])
    make("more.csv", ("y", "p"), [[i % 2, (i * 7 % 10 + 2 * (i % 2)) / 12] for i in range(40)])
    for name, k in (("knn", 7), ("tree", 3)):
        make(f"{name}.csv", ("id", "y", "p"), [[i, i % 2, (i * k % 10 + 2 * (i % 2)) / 12] for i in range(60)])
    make("results.csv", ("data", "knn", "tree"), [[f"set {i}", 0.7 + i / 40, 0.71 + i / 41] for i in range(8)])
    if topic == "sources":
        make_tables(preds)
    if topic == "monitor":
        make("stream.csv", ("scored", "customer", "y", "p"), customers_scored_twice())
    if topic == "timeliness":
        events = [
            [c, d, (c * 7 + d * 3) % 10 / 12 + (c % 3 == 0) * d / 200, int(c % 3 == 0)]
            for c in range(30)
            for d in (1, 9)
        ]
        make("events.csv", ("customer", "day", "p", "left"), events)
    (tmp_path / "profit.toml").write_text("[profit]\ntp = 140\nfn = -140\nfp = -700\n")
    (tmp_path / "days").mkdir()
    for day in (1, 2):
        duckdb.read_csv(str(preds)).write_parquet(str(tmp_path / "days" / f"{day}.parquet"))
    lines = TOPICS[topic][1].replace("\\\n", " ").splitlines()
    for line in lines:
        command = line.strip().removeprefix("$ ").removeprefix("cat preds.csv | ")
        if not line.strip().startswith("$ "):
            continue
        with open(preds, encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            told = steelyard(*shlex.split(command)[1:])
        assert told.code == 0, f"{line}\n{told.err}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(steelyard, shell):
    told = steelyard("completion", shell)
    assert told.code == 0
    assert "_STEELYARD_COMPLETE" in told.out


def test_completion_completes(process):
    told = process(
        code="import sys; sys.argv = ['steelyard']\n" + MAIN,
        COMP_WORDS="steelyard ev", COMP_CWORD="1", _STEELYARD_COMPLETE="bash_complete",
    )  # fmt: skip
    assert told.out.strip() == "plain,evaluate"
