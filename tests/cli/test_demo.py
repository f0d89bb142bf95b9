"""steelyard demo: the story, the files it leaves, and the folders it leaves alone."""

import csv
import json
import os
from pathlib import Path

import pytest

from steelyard.views.layout import width_of

FILES = {
    *("predictions.csv", "diabetes.csv", "evaluation.json", "numbers.csv"),
    *("report.html", "report.svg", "report.txt"),
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """One run of the demo, for all tests here."""
    import subprocess
    import sys

    place = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-c", "from steelyard.cli import main; main()", "demo"],
        capture_output=True, text=True, encoding="utf-8", cwd=place,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place / "steelyard-demo", done.stdout


def test_the_story_is_told(shown):
    folder, text = shown
    for part in (
        "malignant",
        "Confusion matrix",
        "threshold",
        "By segment",
        "the same as for all rows",
        "diabetes",
        "n/a",
    ):
        assert part in text
    assert all(width_of(line) <= 80 for line in text.splitlines()), text
    assert text == (folder / "report.txt").read_text(encoding="utf-8")


def test_the_files_are_left(shown, steelyard):
    folder, text = shown
    assert {p.name for p in folder.iterdir() if not p.name.startswith(".")} == FILES
    for name in FILES:
        assert name in text
    with open(folder / "predictions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 569
    call = (
        "evaluate",
        folder / "predictions.csv",
        "--target",
        "diagnosis",
        "--score",
        "logistic",
        "--positive",
        "malignant",
    )
    counted = json.loads(steelyard(*call, "--segment", "size", "--json").out)
    saved = json.loads(steelyard("evaluate", folder / "evaluation.json", "--json").out)
    assert [(n["measure"], n["text"]) for n in counted["numbers"]] == [
        (n["measure"], n["text"]) for n in saved["numbers"]
    ]
    with open(folder / "numbers.csv", newline="", encoding="utf-8") as file:
        numbers = list(csv.DictReader(file))
    assert len(numbers) == len(saved["numbers"])


def test_its_own_folder_is_made_anew_and_others_are_left_alone(steelyard, shown, tmp_path):
    folder, _ = shown
    (folder / "mine.txt").write_text("mine")
    again = steelyard("demo", "--folder", folder, "-q")
    assert (again.code, again.out) == (0, ""), again.err
    assert (folder / "mine.txt").read_text() == "mine"
    (folder / "mine.txt").unlink()
    other = tmp_path / "other"
    other.mkdir()
    (other / "predictions.csv").write_text("mine")
    told = steelyard("demo", "--folder", other)
    assert told.code == 2
    assert "--folder" in told.err
    assert os.listdir(other) == ["predictions.csv"]
    (tmp_path / "file").write_text("")
    assert steelyard("demo", "--folder", "file").code == 2


def test_without_scikit_learn_it_says_what_to_install(process, tmp_path: Path):
    told = process("demo", code="import sys; sys.modules['sklearn'] = None\nfrom steelyard.cli import main; main()")
    assert told.code == 2
    assert "pip install 'steelyard[demo]'" in told.err
    assert "Traceback" not in told.err
    assert not (tmp_path / "steelyard-demo").exists()
