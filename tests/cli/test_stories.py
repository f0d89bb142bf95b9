"""timeliness, stability and trial, as a new user would run them."""

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.program import run
from steelyard.views.layout import width_of


@pytest.fixture
def files(make: Any, tmp_path: Path) -> Path:
    events = []
    for c in range(120):
        left = int(c % 5 == 0)
        for i in range(1 + c % 3):
            events.append(
                [c, round((c * 7 % 29) / 3 + 6 * i, 2), round(0.2 + 0.5 * left * i / 2 + (c * 13 % 20) / 100, 3), left]
            )
    make("events.csv", ("customer", "day", "p", "left"), events)
    for name, shift in (("january", 0), ("june", 30)):
        make(f"{name}.csv", ("score", "colour"), [[(i * 37 % 101) + shift, "abc"[i * 7 % 3]] for i in range(600)])
    arms = [
        [i, ("random", "model")[i % 2], int(i * 31 % 97 < (30 if i % 2 == 0 else 14)), (i * 11 % 100) / 100]
        for i in range(800)
    ]
    make("customers.csv", ("customer", "arm", "churned", "p"), arms)
    weeks = [[w, arm, n + w % 3] for w in range(12) for arm, n in (("random", 19), ("model", 16))]
    make("weeks.csv", ("week", "arm", "churned"), weeks)
    return tmp_path


TIMELY = ("timeliness", "events.csv", "--unit", "customer", "--time", "day", "--score", "p", "--outcome", "left")
TRIAL = (
    "trial",
    "customers.csv",
    "--group",
    "arm",
    "--control",
    "random",
    "--outcome",
    "churned",
    "--unit",
    "customer",
)
TIMES = ("trial", "weeks.csv", "--group", "arm", "--control", "random", "--outcome", "churned", "--period", "week")
RUNS = {
    "timeliness": ((*TIMELY, "--horizon", "31", "--alert", "0.5"), "Timeliness Q is", "Does it warn early enough?"),
    "stability": (("stability", "january.csv", "june.csv"), "columns", "Is it going stale?"),
    "one column": (("stability", "january.csv", "june.csv", "--column", "score"), "index", "Is it going stale?"),
    "trial": ((*TRIAL, "--score", "p"), "Verdict: helps", "Does acting on it help?"),
    "counts": (
        (*TIMES, "--counts", "--exposed", "1000"),
        "Unit of analysis: the period",
        "Does acting on it help?",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_text_json_and_pages(name: str, files: Path, steelyard: Any) -> None:
    arguments, words, question = RUNS[name]
    told = steelyard(*arguments)
    assert told.code == 0, told.err
    assert words in told.out, told.out
    assert all(width_of(line) <= 80 for line in told.out.splitlines()), told.out
    assert json.loads(steelyard(*arguments, "--json").out)
    for place in ("page.html", "page.md", "page.json"):
        done = steelyard(*arguments, "--report", place)
        assert done.code == 0 and done.err == f"Wrote {place}.\n", done.err
    assert question in (files / "page.html").read_text() and "<svg" in (files / "page.html").read_text()


WRONG = {
    "no horizon": TIMELY,
    "time beyond the horizon": (*TIMELY, "--horizon", "2"),
    "no such column": (*TIMELY[:-1], "gone", "--horizon", "31"),
    "no such file": ("stability", "january.csv", "july.csv"),
    "no column in common": ("stability", "january.csv", "weeks.csv"),
    "no such control": (*TRIAL[:5], "nobody", *TRIAL[6:]),
    "a page of another kind": (*TRIAL, "--report", "page.pdf"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_get_a_sentence(name: str, files: Path, steelyard: Any) -> None:
    told = steelyard(*WRONG[name])
    assert told.code in (2, 3), told
    assert told.out == "" and "Traceback" not in told.err and "Hint: " in told.err


def test_saved_bins_are_a_reference(files: Path, steelyard: Any) -> None:
    first = steelyard("stability", "january.csv", "june.csv", "--save-bins", "bins.json")
    again = steelyard("stability", "bins.json", "june.csv")
    assert (first.code, again.code) == (0, 0)
    assert again.out == first.out
    one = steelyard("stability", "january.csv", "june.csv", "--column", "score", "--save-bins", "one.json")
    assert steelyard("stability", "one.json", "june.csv").out == one.out
    assert steelyard("stability", "january.csv", "june.csv", "--save-bins", "bins.json").code == 2


BEFORE, AFTER = "a=40, b=60", "a=70, b=30"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (("stability", BEFORE, AFTER, "--chart", "x.doc"), "A chart is written as .svg"),
        (("stability", BEFORE, AFTER, "--chart", "there.svg"), "is there already"),
        (("stability", BEFORE, AFTER, "--chart", "other=x.svg"), 'There is no chart called "other" here'),
        (("stability", BEFORE, AFTER, "--chart", "stability=x.svg", "-o", "x.svg"), "Two results would be written"),
        (("share", "50%", "--of", "10,20", "--counts"), "of one share and one number of rows, and 1 and 2 came"),
    ],
)
def test_a_chart_beside_a_result_is_refused_in_a_sentence(tmp_path, monkeypatch, capsys, line, sentence):
    monkeypatch.chdir(tmp_path)
    Path("there.svg").write_text("mine")
    assert run(list(line)) == 2
    told = capsys.readouterr()
    assert sentence in told.err and "Hint: " in told.err and not told.out
    assert Path("there.svg").read_text() == "mine" and not Path("x.svg").exists()


def test_a_chart_stands_beside_what_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["stability", BEFORE, AFTER, "--chart", "x.png", "--json"]) == 0
    assert Path("x.png").read_bytes().startswith(b"\x89PNG") and "Wrote x.png" in capsys.readouterr().err
    assert run(["stability", BEFORE, AFTER, "--chart", "stability=x.png", "--force", "--quiet"]) == 0
