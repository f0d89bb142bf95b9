"""FILE may be an address or a folder; --query, --labels, --on and --spark; the sentences where they cannot be meant."""

import json
import sqlite3
from contextlib import closing

import pytest

ROLES = ("--target", "y", "--score", "p")
NORTH = "select * from {} where region = 'north'"


@pytest.fixture
def tables(steelyard, preds, make, tmp_path):
    """The predictions in two databases and a folder, and scores whose labels lie in another file under another name."""
    import duckdb

    with duckdb.connect(str(tmp_path / "shop.duckdb")) as database:
        database.execute(f"create table preds as select *, row_number() over () as id from '{preds}'")
        database.execute("create table others as select 1 as one")
        rows = database.execute("select y, p, w, region, id from preds order by id").fetchall()
        (tmp_path / "days").mkdir()
        for part in (0, 1):
            sql = f"copy (select * from preds where id % 2 = {part}) to '{tmp_path}/days/{part}.parquet'"
            database.execute(sql)
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as lite:
        lite.execute("create table preds (y, p, w, region, id)")
        lite.executemany("insert into preds values (?, ?, ?, ?, ?)", rows)
        lite.commit()
    make("scores.csv", ("id", "p", "w", "region"), [[r[4], r[1], r[2], r[3]] for r in rows])
    make("labels.csv", ("customer", "day", "y"), [[r[4], "monday", r[0]] for r in reversed(rows)])
    make("twice.csv", ("id", "y"), [[1, 0], [1, 1]])
    assert steelyard("evaluate", "preds.csv", *ROLES, "--save", "saved.json").code == 0
    return tmp_path


def numbers(told):
    assert told.code == 0, told.err
    return json.loads(told.out)["numbers"]


PLACES = {
    "a table of DuckDB": ("shop.duckdb?table=preds",),
    "a table of DuckDB by its scheme": ("duckdb:shop.duckdb?table=preds",),
    "the only table of SQLite": ("sqlite:shop.sqlite",),
    "a folder": ("days",),
    "a folder with another at its end": ("days/",),
    "a query of a database": ("shop.duckdb", "--query", "select * from preds;"),
    "a query of a folder": ("days", "--query", "select p, y from data"),
    "a query of a table that was named": ("days/*.parquet", "--query", "from data"),
    "labels elsewhere": ("scores.csv", "--labels", "labels.csv", "--on", "id=customer"),
    "labels of a folder": ("scores.csv", "--labels", "days", "--on", "id", "--query", "select id from data"),
}


@pytest.mark.parametrize("place", PLACES)
def test_wherever_rows_lie_the_numbers_are_the_same(steelyard, tables, place):
    expected = numbers(steelyard("evaluate", "preds.csv", *ROLES, "--json"))
    assert numbers(steelyard("evaluate", *PLACES[place], *ROLES, "--json")) == expected


def test_a_query_of_files_and_of_a_database_takes_the_same_rows(steelyard, tables):
    there = numbers(steelyard("evaluate", "shop.duckdb", *ROLES, "--json", "--query", NORTH.format("preds")))
    here = numbers(steelyard("evaluate", "preds.csv", *ROLES, "--json", "--query", NORTH.format("data")))
    assert there == here
    assert here != numbers(steelyard("evaluate", "preds.csv", *ROLES, "--json"))
    told = steelyard("evaluate", "preds.csv", *ROLES, "--query", NORTH.format("data"))
    assert "Evaluation of a query of preds.csv: 80 rows," in " ".join(told.out.split())


def test_standard_input_is_queried_and_joined(process, tables):
    text = (tables / "scores.csv").read_text()
    labelled = ("--labels", "labels.csv", "--on", "id=customer", "--query", "select id, p from data where id <= 40")
    told = process("evaluate", "-", *labelled, *ROLES, stdin=text)
    assert told.code == 0, told.err
    said = " ".join(told.out.split())
    assert "Evaluation of a query of standard input with labels of labels.csv by id=customer: 40 rows," in said


COMMANDS = {
    "threshold": ("threshold", *ROLES, "--maximise", "f1"),
    "campaign": ("campaign", *ROLES, "--benefit", "40", "--cost", "1"),
    "check": ("check", *ROLES, "--require", "auc >= 0.5"),
    "compare": ("compare", "--target", "y", "--score", "p", "--score", "w"),
    "trial": (
        "trial",
        "--group",
        "region",
        "--control",
        "north",
        "--treated",
        "south",
        "--outcome",
        "y",
        "--unit",
        "id",
    ),
    "experiment": ("experiment", "--target", "y", "--models", "baseline", "--drop", "p", "--design", "kfold:3"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_reads_addresses_folders_and_labels(steelyard, tables, name):
    command, *rest = COMMANDS[name]
    picked = "select y, p, w, region, id from {} order by id"
    told = [
        steelyard(command, "shop.duckdb", *rest, "--query", picked.format("preds")),
        steelyard(command, "shop.sqlite?table=preds", *rest),
        steelyard(command, "days", *rest, "--query", picked.format("data")),
    ]
    on = "--key" if command == "check" else "--on"
    if command not in {"experiment"}:
        told.append(steelyard(command, "scores.csv", *rest, "--labels", "labels.csv", on, "id=customer"))
    assert [t.code for t in told] == [0] * len(told), [t.err for t in told]

    def bare(text):
        text = " ".join(text.split())
        text = text.replace(" a query of ", " ").replace(" with labels of labels.csv by id=customer ", " ")
        for place in ("shop.duckdb", "shop.sqlite?table=preds", "days", "scores.csv"):
            text = text.replace(f" in {place} ", " ").replace(f" on {place} ", " ")
        return text

    assert len({bare(t.out) for t in told}) == 1


def test_columns_of_two_tables_are_held_against_each_other(steelyard, tables):
    told = steelyard("stability", "shop.duckdb?table=preds", "sqlite:shop.sqlite", "--column", "p", "--json")
    named = steelyard("stability", "preds.csv", "preds.csv", "--column", "p", "--json")
    assert json.loads(told.out)["index"] == json.loads(named.out)["index"]
    asked = steelyard("stability", "preds.csv", "days", "--query", NORTH.format("data"), "--column", "p")
    assert "80 reference and 80 current rows" in " ".join(asked.out.split())


def test_models_with_a_file_each_find_their_labels_in_another(steelyard, tables):
    models = ("one=scores.csv", "two=days", "--target", "y", "--score", "one=p", "--score", "two=w")
    found = steelyard(
        "compare", *models, "--on", "id", "--labels", "labels.csv", "--query", "select id, p, w from data"
    )
    assert found.code == 3
    assert 'no column "id" for the key of the labels' in found.err
    asked = ("--query", "select id, p, w from data", "--labels", "labels.csv", "--on", "id=customer")
    told = steelyard("compare", *models, *asked)
    named = steelyard("compare", "days", "--target", "y", "--score", "one=p", "--score", "two=w")
    assert told.code == 0, told.err
    assert told.out.replace("rows (240", "rows in days (240") == named.out


def test_rows_to_choose_on_are_joined_in_the_same_way(steelyard, tables):
    call = ("threshold", *ROLES, "--maximise", "f1", "--labels", "labels.csv", "--on", "id=customer")
    told = steelyard(call[0], "scores.csv", *call[1:], "--validation", "scores.csv")
    assert told.code == 0, told.err
    there = steelyard("threshold", "days", *ROLES, "--maximise", "f1", "--validation", "shop.duckdb?table=preds")
    assert told.out == there.out


def test_a_report_of_a_database(steelyard, tables):
    told = steelyard("report", "shop.duckdb?table=preds", *ROLES, "--slices", "--reference", "days", "-o", "r.md")
    assert told.code == 0, told.err
    text = (tables / "r.md").read_text()
    assert text.splitlines()[0] == "# shop.duckdb?table=preds"
    assert "region" in text
    assert steelyard("report", "days/", *ROLES, "-o", "d.md").code == 0
    assert (tables / "d.md").read_text().startswith("# days\n")


WRONG = {
    "labels without a key": ("evaluate", "scores.csv", *ROLES, "--labels", "labels.csv"),
    "labels without a key, of a check": (
        "check",
        "scores.csv",
        *ROLES,
        "--require",
        "auc > 0.5",
        "--labels",
        "labels.csv",
    ),
    "a key without labels": ("evaluate", "scores.csv", *ROLES, "--on", "id"),
    "half a key": ("evaluate", "scores.csv", *ROLES, "--labels", "labels.csv", "--on", "id="),
    "a query that deletes": ("evaluate", "shop.duckdb", *ROLES, "--query", "delete from preds"),
    "an empty query": ("evaluate", "preds.csv", *ROLES, "--query", " "),
    "two queries": ("evaluate", "preds.csv", *ROLES, "--query", "select 1; select 2"),
    "a table and a query": ("evaluate", "shop.duckdb?table=preds", *ROLES, "--query", "select 1"),
    "no table named": ("evaluate", "shop.duckdb", *ROLES),
    "no table named, of a monitor": ("monitor", "shop.duckdb", "--time", "t", *ROLES, "--reference", "first 2 windows"),
    "no table named, of a trial": ("trial", "shop.duckdb", "--group", "g", "--control", "a", "--outcome", "y"),
    "nonsense for Spark": ("evaluate", "preds.csv", *ROLES, "--spark", "nonsense"),
    "Spark and a database": ("evaluate", "shop.duckdb?table=preds", *ROLES, "--spark", "local[1]"),
    "Spark and standard input": ("evaluate", "-", *ROLES, "--spark", "local[1]"),
    "a query of a saved evaluation": ("evaluate", "saved.json", "--query", "select 1"),
    "labels of a saved evaluation": (
        "check",
        "saved.json",
        "--require",
        "auc > 0.5",
        "--labels",
        "labels.csv",
        "--key",
        "id",
    ),
    "a query of nothing": (
        "campaign",
        "--benefit",
        "4",
        "--cost",
        "1",
        "--prospects",
        "9",
        "--targets",
        "2%",
        "--query",
        "x",
    ),
    "a query of saved evaluations": ("compare", "saved.json", "saved.json", "--query", "select 1"),
    "files that nothing joins": ("compare", "scores.csv", "days", "--target", "y", "--score", "p"),
    "files with two keys": ("compare", "scores.csv", "days", "--target", "y", "--score", "p", "--on", "a", "--on", "b"),
}
UNUSABLE = {
    "a table that is not there": ("evaluate", "shop.duckdb?table=pred", *ROLES),
    "a database that is not there": ("evaluate", "shopp.duckdb", *ROLES),
    "a column that is not there": ("evaluate", "shop.duckdb?table=preds", "--target", "yy", "--score", "p"),
    "a column that the query lacks": ("evaluate", "preds.csv", *ROLES, "--query", "select y from data"),
    "a query that cannot be read": ("evaluate", "preds.csv", *ROLES, "--query", "select * from date"),
    "a query without rows": ("evaluate", "preds.csv", *ROLES, "--query", "select * from data where false"),
    "a key that the labels lack": ("evaluate", "scores.csv", *ROLES, "--labels", "labels.csv", "--on", "id"),
    "a key that is not here": ("evaluate", "scores.csv", *ROLES, "--labels", "labels.csv", "--on", "nr=customer"),
    "labels twice": ("evaluate", "scores.csv", *ROLES, "--labels", "twice.csv", "--on", "id"),
    "labels of some rows": ("evaluate", "scores.csv", *ROLES, "--labels", "labels.csv", "--on", "p=customer"),
    "nobody answers": ("evaluate", "postgresql://me@127.0.0.1:1/shop?table=preds", *ROLES),
    "no cluster answers": ("evaluate", "preds.csv", *ROLES, "--spark", "spark://127.0.0.1:1"),
}


@pytest.mark.parametrize("why", WRONG | UNUSABLE)
def test_what_cannot_be_meant_is_told_in_a_sentence(steelyard, tables, why):
    told = steelyard(*(WRONG | UNUSABLE)[why])
    assert (told.code, told.out) == (2 if why in WRONG else 3, "")
    assert "Traceback" not in told.err
    assert told.err.splitlines()[-1].startswith("Hint: ")


def test_the_sentences_are_those_that_were_read(steelyard, tables, approved):
    said = [f"{why}: steelyard {' '.join(call)}\n{steelyard(*call).err}" for why, call in (WRONG | UNUSABLE).items()]
    approved("source_messages", "\n".join(said))


def test_progress_is_drawn_after_a_while_and_only_on_a_terminal(monkeypatch):
    from steelyard.cli import writing

    said = []

    class Status:
        def __init__(self, what):
            said.append(what)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            said.append("gone")

        def update(self, text):
            said.append(text)

    monkeypatch.setattr("rich.console.Console.status", lambda _, what: Status(what))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with writing.progress("Counting …", quiet=False):
        from steelyard.sources import progress

        told = progress._watcher.get()
        told(0.25)
        monkeypatch.setattr(writing, "LONG", -1.0)
        told(0.25)
        told(None)
    assert said == ["Counting …", "Counting …", "Counting … 0 s, 25% of this scan", "Counting … 0 s", "gone"]
    assert progress._watcher.get() is None
    with writing.progress("Counting …", quiet=True):
        assert progress._watcher.get() is None
