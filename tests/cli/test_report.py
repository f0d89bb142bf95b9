"""steelyard report: pages, Markdown and JSON from a file, several models, slices, and what is refused."""

import json
import re

import pytest

ROWS = [
    (i % 3 == 0, round(0.2 + 0.5 * (i % 3 == 0) + 0.3 * ((i * 7) % 10) / 10, 3), (i * 11) % 10 / 10, "ns"[i % 2])
    for i in range(300)
]


@pytest.fixture
def preds(tmp_path):
    lines = ["y,p,q,side", *(f"{int(y)},{p},{q},{side}" for y, p, q, side in ROWS)]
    (tmp_path / "preds.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "preds.csv"


CALL = ("--target", "y", "--score", "p")


def test_a_page_is_written(steelyard, preds, tmp_path):
    done = steelyard("report", preds, *CALL, "-o", tmp_path / "r.html", "--profit", "tp=5, fp=-2", "--segment", "side")
    assert done.code == 0, done.err
    assert done.out == "" and re.fullmatch(r"Wrote .*r\.html \(\d+ kB\)\.\n", done.err)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>preds.csv</h1>" in page and "How was this made?" in page and "report" in page
    assert steelyard("report", preds, *CALL, "-o", tmp_path / "r.html").code == 2
    assert steelyard("report", preds, *CALL, "-o", tmp_path / "r.html", "--force", "-q").err == ""


def test_several_models_and_other_forms(steelyard, preds, tmp_path):
    two = ("--score", "one=p", "--score", "two=q")
    done = steelyard("report", preds, "--target", "y", *two, "-o", tmp_path / "m.md")
    assert done.code == 0, done.err
    assert "| measure | one | two |" in (tmp_path / "m.md").read_text(encoding="utf-8")
    done = steelyard("report", preds, "--target", "y", *two, "-o", tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert set(document["models"]) == {"one", "two"} and document["schema"] == 1
    assert document["models"]["one"]["charts"]["roc"]["columns"]["tpr"]


def test_slices_are_looked_for(steelyard, preds, tmp_path):
    done = steelyard("report", preds, *CALL, "--slices", "-o", tmp_path / "s.json")
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["slices"]
    assert {r["column"] for r in found["rows"]} >= {"side"}


def test_a_saved_evaluation_is_told(steelyard, preds, tmp_path):
    steelyard("evaluate", preds, *CALL, "--save", tmp_path / "e.json", "-q")
    done = steelyard("report", tmp_path / "e.json", "-o", tmp_path / "e.html")
    assert done.code == 0, done.err


def test_a_reference_and_a_control_group_answer_two_more_questions(steelyard, preds, tmp_path):
    arms = ("--group", "side", "--control", "n", "--direction", "higher")
    done = steelyard("report", preds, *CALL, "--reference", preds, *arms, "-o", tmp_path / "u.html")
    assert done.code == 0, done.err
    page = (tmp_path / "u.html").read_text(encoding="utf-8")
    assert "None of the 4 columns shows a change." in page and "Verdict: no clear effect" in page
    assert (
        "a higher outcome counts as good" in page
        and "To see whether" not in page.partition("Is it going stale?</h2>")[2]
    )
    done = steelyard("report", preds, *CALL, *arms, "-o", tmp_path / "u.json")
    document = json.loads((tmp_path / "u.json").read_text(encoding="utf-8"))
    assert list(document["in_use"]) == ["trial"] and document["in_use"]["trial"]["design"]["direction"] == "higher"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--group", "side"), "needs both --group and --control"),
        (("--control", "n"), "needs both --group and --control"),
        (("--group", "side", "--control", "n", "--weight", "q"), "rows that count alike"),
        (("-o", "r.pdf"), "written as .html, .md or .json"),
        (("--score", "q"), "does not say of which model"),
        (("--score", "=q"), "does not say of which model"),
    ],
)
def test_what_cannot_be_meant_is_refused(steelyard, preds, tmp_path, arguments, words):
    done = steelyard("report", preds, *CALL, *arguments)
    assert done.code == 2 and words in " ".join(done.err.split())


def test_what_cannot_be_read_is_refused(steelyard, preds, tmp_path):
    for arguments, words in (
        (("--reference", "gone.csv"), "gone.csv"),
        (("--group", "side", "--control", "west"), 'The control "west" is not among the groups'),
        (("--group", "sides", "--control", "n"), 'There is no column "sides"'),
    ):
        done = steelyard("report", preds, *CALL, *arguments)
        assert done.code == 3 and words in " ".join(done.err.split()) and "Hint: " in done.err, done.err
        assert not (tmp_path / "report.html").exists()
    steelyard("evaluate", preds, *CALL, "--save", tmp_path / "e.json", "-q")
    done = steelyard("report", tmp_path / "e.json", "--reference", preds)
    assert done.code == 2 and "--reference looks at a file of rows" in done.err
