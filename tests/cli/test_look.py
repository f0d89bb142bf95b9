"""steelyard look, slices and the list of whom to contact: what a person with a file and a terminal needs first and last."""

import csv
import random
import shlex

import pytest

from steelyard.cli.program import run


@pytest.fixture
def office(tmp_path, monkeypatch):
    """A file as a German office has it."""
    monkeypatch.chdir(tmp_path)
    drawn = random.Random(1)
    lines = ["Kunde;gekündigt;Wahrscheinlichkeit;Region;Umsatz;Tag"]
    for i in range(200):
        p = drawn.random()
        amount = f"{drawn.uniform(500, 90_000):,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")
        left = "ja" if drawn.random() < p else "nein"
        lines.append(
            f"{i};{left};{p:.4f};{drawn.choice(['Nord', 'Süd'])};{amount};{i % 28 + 1:02d}.03.2025".replace(
                "0.", "0,", 1
            )
        )
    (tmp_path / "kunden.csv").write_bytes(("\n".join(lines) + "\n").encode("latin-1"))
    return tmp_path


def rows_of(path):
    """The rows of a list that was written as the file that was read has its numbers."""
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(), delimiter=";"))


def number(text):
    return float(text.replace(",", "."))


def line_of(text):
    """The command that a look suggests."""
    after = text.split("To evaluate it:\n\n")[1].split("\n\n")[0]
    return shlex.split(after.replace("\\\n", " "))[1:]


def test_a_look_says_how_a_file_is_written_and_its_line_runs_as_it_stands(office, capsys):
    assert run(["look", "kunden.csv"]) == 0
    told = capsys.readouterr().out
    assert "decimals after a comma, days written day first, text in latin 1" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 80
    line = line_of(told)
    assert line[:2] == ["evaluate", "kunden.csv"]
    assert line[line.index("--positive") + 1] == "ja"
    assert run(line) == 0
    assert "200 rows, " in capsys.readouterr().out


def test_a_look_names_the_few_values_that_keep_a_column_from_being_numbers(office, capsys):
    held = (office / "kunden.csv").read_text(encoding="latin-1").splitlines()
    held = [line if i not in (7, 9) else line.replace(line.split(";")[2], "k.A.") for i, line in enumerate(held)]
    (office / "kunden.csv").write_text("\n".join([*held, ""]), encoding="latin-1")
    assert run(["look", "kunden.csv"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert 'Wahrscheinlichkeit: numbers but for 2 values, such as "k.A."; leave such cells empty' in told


def test_evaluate_without_roles_gives_the_same_look(office, capsys):
    assert run(["look", "kunden.csv"]) == 0
    told = capsys.readouterr().out.strip()
    assert run(["evaluate", "kunden.csv"]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "roles"),
    [
        ("y,p\n1,0.9\n0,0.2\n1,0.7\n0,0.1\n", "--target y --score p"),
        (
            "left,score\nyes,12.5%\nno,3.5%\nno,99%\nyes,5%\n",
            "--decimal point --target left --score score --positive yes",
        ),
        ("species,guess\na,a\nb,a\nc,c\na,b\n", "--target COLUMN --score COLUMN"),
        ("label,guess\na,a\nb,a\nc,c\na,b\n", "--target label --prediction guess"),
        ("dose,dose_hat\n1.5,1.4\n2.5,2.2\n3.5,3.9\n", "--target dose --prediction dose_hat"),
    ],
)
def test_what_is_suggested(tmp_path, monkeypatch, capsys, body, roles):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(body)
    assert run(["look", "a.csv"]) == 0
    assert line_of(capsys.readouterr().out) == ["evaluate", "a.csv", *roles.split()]


def test_days_that_may_be_read_in_two_ways_are_left_open(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,p,day\n1,0.9,01/03/2025\n0,0.2,02/04/2025\n1,0.5,05/06/2025\n")
    assert run(["look", "a.csv"]) == 0
    told = capsys.readouterr().out
    assert "day: days, if you say --dates day-first or --dates month-first" in " ".join(told.split())
    assert "--dates" not in line_of(told)


def test_scores_in_per_cent_are_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,score\n1,90\n0,20\n1,75.5\n0,30\n")
    assert run(["look", "a.csv"]) == 0
    assert "may be in per cent" in capsys.readouterr().out
    assert run(["evaluate", "a.csv", "--target", "y", "--score", "score"]) == 0
    assert "If they are percent" in capsys.readouterr().out


ROLES = ["--target", "gekündigt", "--score", "Wahrscheinlichkeit", "--positive", "ja"]
ROLES += ["--decimal", "comma", "--encoding", "latin-1"]


def test_whom_to_contact_comes_as_csv(office, capsys):
    asked = ["campaign", "kunden.csv", *ROLES, "--benefit", "40", "--cost", "1", "--depth", "10%"]
    assert run([*asked, "--list", "contact.csv"]) == 0
    assert "20 of kunden.csv" in capsys.readouterr().err
    chosen = rows_of(office / "contact.csv")
    scores = [number(row["Wahrscheinlichkeit"]) for row in chosen]
    every = sorted(
        (
            float(line.split(";")[2].replace(",", "."))
            for line in (office / "kunden.csv").read_text("latin-1").splitlines()[1:]
        ),
        reverse=True,
    )
    assert scores == every[:20]
    assert run([*asked, "--list", "contact.csv"]) == 2  # it is there already
    assert run([*asked[:1], *asked[2:], "--list", "other.csv"]) == 2  # no rows to choose from


def test_the_list_can_come_from_other_prospects(office, capsys):
    (office / "new.csv").write_text("id;Wahrscheinlichkeit\n" + "".join(f"{i};0,{i:02d}\n" for i in range(50)))
    asked = ["campaign", "kunden.csv", *ROLES, "--benefit", "40", "--cost", "1", "--depth", "10%", "--list", "c.csv"]
    (office / "new.csv").write_bytes((office / "new.csv").read_text().encode("latin-1"))
    assert run([*asked, "--among", "new.csv"]) == 0
    assert [row["id"] for row in rows_of(office / "c.csv")] == ["49", "48", "47", "46", "45"]


def test_slices_come_as_text_csv_and_json(office, capsys):
    asked = ["slices", "kunden.csv", *ROLES, "--column", "Region"]
    assert run([*asked, "--csv", "slices.csv"]) == 0
    assert "Looked at 2 slices of 1 column" in capsys.readouterr().out
    rows = rows_of(office / "slices.csv")
    assert {row["level"] for row in rows} == {"Nord", "Süd"}
    assert number(rows[0]["low"]) <= number(rows[0]["difference"]) <= number(rows[0]["high"])
    assert run([*asked, "--json"]) == 0
