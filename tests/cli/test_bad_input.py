"""Bad input gets a sentence, a hint and exit code 3; wrong usage exit code 2. The sentences are approved text."""

import re

import pytest

UNUSABLE = {
    "far too many classes": ("many.csv", "--target", "y", "--prediction", "g"),
    "missing file": ("pred.csv", "--target", "y", "--score", "p"),
    "unknown column": ("preds.csv", "--target", "lable", "--score", "p"),
    "unknown score": ("preds.csv", "--target", "y", "--score", "score"),
    "empty table": ("header.csv", "--target", "y", "--score", "p"),
    "empty file": ("nothing.csv", "--target", "y", "--score", "p"),
    "one class": ("one.csv", "--target", "y", "--score", "p"),
    "ambiguous positive": ("preds.csv", "--target", "label", "--score", "p"),
    "positive absent": ("preds.csv", "--target", "label", "--score", "p", "--positive", "eggs"),
    "too many levels for one score": ("preds.csv", "--target", "region", "--score", "p"),
    "NaN scores": ("gaps.csv", "--target", "y", "--score", "p"),
    "text in a numeric column": ("text.csv", "--target", "y", "--score", "p"),
    "zero weights": ("zero.csv", "--target", "y", "--score", "p", "--weight", "w"),
    "unreadable CSV": ("broken.csv", "--target", "y", "--score", "p"),
    "not text": ("bytes.csv", "--target", "y", "--score", "p"),
    "directory": (".", "--target", "y", "--score", "p"),
    "pickle": ("model.pkl", "--target", "y", "--score", "p"),
    "labels or quantities": ("preds.csv", "--target", "customer", "--prediction", "y"),
    "JSON that is no evaluation": ("other.json",),
    "no saved evaluation": ("gone.json",),
}
WRONG = {
    "no file": (),
    "no target": ("preds.csv", "--score", "p"),
    "no score": ("preds.csv", "--target", "y"),
    "confidence": ("preds.csv", "--target", "y", "--score", "p", "--confidence", "95"),
    "threshold": ("preds.csv", "--target", "y", "--score", "p", "--threshold", "nan"),
    "choice": ("preds.csv", "--target", "y", "--score", "p", "--missing", "maybe"),
    "option": ("preds.csv", "--target", "y", "--scor", "p"),
    "two scores": ("preds.csv", "--target", "label", "--score", "a", "--score", "b"),
    "one level's score": ("preds.csv", "--target", "label", "--score", "spam=p"),
    "folder of the output": ("preds.csv", "--target", "y", "--score", "p", "--save", "no/e.json"),
}


@pytest.fixture
def files(make, preds, tmp_path):
    make("many.csv", ("y", "g"), [[f"c{i}", f"c{i}"] for i in range(10_000)])
    make("header.csv", ("y", "p"), [])
    make("one.csv", ("y", "p"), [[1, 0.5], [1, 0.6]])
    make("gaps.csv", ("y", "p"), [[1, 0.5], [0, "nan"], [1, ""]])
    make("text.csv", ("y", "p"), [[1, 0.5], [0, "oops"], [1, 0.3]])
    make("zero.csv", ("y", "p", "w"), [[1, 0.5, 1], [0, 0.4, 0], [1, 0.3, 0]])
    (tmp_path / "nothing.csv").write_bytes(b"")
    (tmp_path / "broken.csv").write_text('y,p\n1,0.5\n0,"0.4\n1,0.3,7,8\n')
    (tmp_path / "bytes.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04.")
    (tmp_path / "other.json").write_text('{"a": 1}')
    return tmp_path


@pytest.mark.parametrize("why", UNUSABLE)
def test_unusable_input_is_told_in_a_sentence(steelyard, files, why):
    told = steelyard("evaluate", *UNUSABLE[why], "--save", "never.json", "-o", "never.txt")
    assert (told.code, told.out) == (3, "")
    message, hint = told.err.splitlines()
    assert message.endswith((".", "?")) or "?" in message
    assert hint.startswith("Hint: ")
    assert "Traceback" not in told.err
    assert not list(files.glob("*never*")), "nothing half-written is left"


@pytest.mark.parametrize("why", WRONG)
def test_wrong_usage_is_told_in_a_sentence(steelyard, files, why):
    told = steelyard("evaluate", *WRONG[why])
    assert (told.code, told.out) == (2, "")
    assert told.err.splitlines()[-1].startswith("Hint: ")


def test_the_sentences_are_those_that_were_read(steelyard, files, approved):
    said = []
    for title, cases in (("Exit code 3: the input cannot be used", UNUSABLE), ("Exit code 2: wrong usage", WRONG)):
        said.append(f"{title}\n{'=' * len(title)}\n")
        for why, call in cases.items():
            told = steelyard("evaluate", *call)
            said.append(f"{why}: steelyard evaluate {' '.join(call)}\n{told.err}")
    approved("bad_input", "\n".join(said))


def test_hints_speak_of_options_not_of_python(steelyard, files):
    for call in UNUSABLE.values():
        hint = steelyard("evaluate", *call).err.splitlines()[-1]
        assert not re.search(r"\b(kind|missing|positive|levels|score|weights)=", hint), hint
