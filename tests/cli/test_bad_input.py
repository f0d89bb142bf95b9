"""Bad input gets a sentence, a hint and exit code 3; wrong usage exit code 2. The sentences are approved text."""

import re
import shutil
from functools import partial

import pytest

import steelyard as sy

from .conftest import APPROVED, HEAD, two_levels, write
from .wrong_tables import UNUSABLE_TABLES, WRONG_TABLES

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

PAYOFFS = {
    "profit.txt": "tp 1",
    "broken.toml": "[profit\n",
    "gain.toml": "[gain]\ntp = 1\n",
    "outcome.toml": "[profit]\nhit = 1\n",
    "range.toml": "[profit]\ntp = [1, 2, 3]\n",
    "euros.csv": "cost,0,1\n0,0,ten euros\n1,5,0\n",
    "word.csv": "cost,0,1\n0,0,ten\n1,5,0\n",
    "row.csv": "cost,0,1\n0,0,1\n",
    "three.csv": "profit,0,1,2\n0,1,0,0\n1,0,1,0\n2,0,0,1\n",
    "two.csv": "profit,north,south\nnorth,1,0\nsouth,0,1\n",
}
PREDS = ("preds.csv", "--target", "y", "--score", "p")
EVALUATE, THRESHOLD = ("evaluate", *PREDS), ("threshold", *PREDS)
CAMPAIGN = ("campaign", *PREDS, "--benefit", "40", "--cost", "1")
WORTH_UNUSABLE = {
    "no payoff file": (*EVALUATE, "--profit", "gone.toml"),
    "payoff of another kind": (*EVALUATE, "--profit", "profit.txt"),
    "payoff that is a directory": (*EVALUATE, "--profit", "."),
    "broken TOML": (*EVALUATE, "--profit", "broken.toml"),
    "TOML of something else": (*EVALUATE, "--profit", "gain.toml"),
    "unknown outcome in TOML": (*EVALUATE, "--profit", "outcome.toml"),
    "range of three": (*EVALUATE, "--profit", "range.toml"),
    "amount that is no number": (*EVALUATE, "--cost", "euros.csv"),
    "amount that is no column": (*EVALUATE, "--cost", "word.csv"),
    "matrix that is not square": (*EVALUATE, "--cost", "row.csv"),
    "payoff with a level that the data lack": (*EVALUATE, "--profit", "three.csv"),
    "payoff without a level of the data": (
        *("evaluate", "preds.csv", "--target", "region", "--prediction", "region"),
        *("--profit", "two.csv"),
    ),
    "outcomes of three levels": (
        *("evaluate", "preds.csv", "--target", "region", "--prediction", "region"),
        *("--profit", "tp=1"),
    ),
    "amount that is text in the data": (*EVALUATE, "--profit", "tp=region"),
    "unknown amount": (*EVALUATE, "--profit", "tp=copys"),
    "unknown value": (*EVALUATE, "--value", "copys"),
    "amount that was not counted": ("evaluate", "e.json", "--profit", "tp=copies"),
    "unknown validation column": (*EVALUATE, "--validation", "regoin"),
    "validation of three parts": (*EVALUATE, "--validation", "region"),
    "no validation file": (*EVALUATE, "--validation", "gone.parquet"),
    "no saved validation": (*THRESHOLD, "--maximise", "f1", "--validation", "gone.json"),
    "no threshold meets it": (*THRESHOLD, "--maximise", "f1", "--constraint", "precision >= 0.9 and recall >= 0.9"),
    "threshold of a missing file": ("threshold", "pred.csv", "--target", "y", "--score", "p", "--maximise", "f1"),
    "campaign of one class": ("campaign", "one.csv", *PREDS[1:], "--benefit", "40", "--cost", "1"),
}
WORTH_WRONG = {
    "profit and cost": (*EVALUATE, "--profit", "tp=1", "--cost", "fp=1"),
    "unknown outcome": (*EVALUATE, "--profit", "tp=1, hit=3"),
    "one outcome twice": (*EVALUATE, "--profit", "tp=1, tp=2"),
    "thousands": (*EVALUATE, "--profit", "tp=1,000"),
    "no amount": (*EVALUATE, "--profit", "tp="),
    "half a range": (*EVALUATE, "--cost", "fn=100.."),
    "amount in words": (*EVALUATE, "--cost", "fn=ten euros"),
    "amount that is not finite": (*EVALUATE, "--cost", "fn=nan"),
    "all the same": (*EVALUATE, "--profit", "tp=0"),
    "decide without profit": (*EVALUATE, "--decide", "profit"),
    "decide on labels": (
        *("evaluate", "preds.csv", "--target", "label", "--prediction", "guess", "--positive", "spam"),
        *("--decide", "profit", "--profit", "tp=1"),
    ),
    "decide without probabilities": (
        *("evaluate", "preds.csv", "--target", "y", "--score", "customer"),
        *("--decide", "profit", "--profit", "tp=1, fp=-1"),
    ),
    "profit of a quantity": (
        *("evaluate", "preds.csv", "--target", "w", "--prediction", "p"),
        *("--kind", "continuous", "--profit", "tp=1"),
    ),
    "saved with columns": ("evaluate", "e.json", "--value", "copies", "--decide", "profit"),
    "saved with a validation column": ("evaluate", "e.json", "--validation", "region"),
    "validation of another positive": (*THRESHOLD, "--maximise", "f1", "--validation", "turned.json"),
    "validation without scores": (*THRESHOLD, "--maximise", "f1", "--validation", "labels.json"),
    "threshold without a file": ("threshold",),
    "threshold without a goal": THRESHOLD,
    "saved threshold without a goal": ("threshold", "e.json"),
    "threshold without a score": ("threshold", "preds.csv", "--target", "y", "--maximise", "f1"),
    "threshold of two scores": (*THRESHOLD, "--score", "w", "--maximise", "f1"),
    "threshold of labels": ("threshold", "labels.json", "--maximise", "f1"),
    "saved threshold with columns": ("threshold", "e.json", "--target", "y", "--maximise", "f1"),
    "two goals": (*THRESHOLD, "--maximise", "f1", "--minimise", "error_rate"),
    "maximise cost": (*THRESHOLD, "--maximise", "cost"),
    "minimise profit": (*THRESHOLD, "--minimise", "profit"),
    "maximise errors": (*THRESHOLD, "--maximise", "error_rate"),
    "minimise f1": (*THRESHOLD, "--minimise", "f1"),
    "profit without amounts": (*THRESHOLD, "--maximise", "profit"),
    "unknown goal": (*THRESHOLD, "--maximise", "acuracy"),
    "goal without a threshold": (*THRESHOLD, "--maximise", "auc"),
    "goal without a better": (*THRESHOLD, "--maximise", "prevalence"),
    "beta of f1": (*THRESHOLD, "--maximise", "f1", "--beta", "2"),
    "beta of nothing": (*THRESHOLD, "--beta", "2"),
    "negative beta": (*THRESHOLD, "--maximise", "f_beta", "--beta", "-1"),
    "over without ranges": (*THRESHOLD, "--profit", "tp=1, fp=-1", "--over", "worst"),
    "unknown over": (*THRESHOLD, "--profit", "tp=1..2, fp=-1", "--over", "best"),
    "constraint in words": (*THRESHOLD, "--maximise", "f1", "--constraint", "few contacts"),
    "constraint on nothing": (*THRESHOLD, "--maximise", "f1", "--constraint", "contcts <= 5"),
    "constraint that moves nothing": (*THRESHOLD, "--maximise", "f1", "--constraint", "auc >= 0.5"),
    "constraint in money": (*THRESHOLD, "--maximise", "f1", "--constraint", "profit >= 0"),
    "campaign without a benefit": ("campaign", *PREDS, "--cost", "1"),
    "campaign without a cost": ("campaign", *PREDS, "--benefit", "40"),
    "plan without prospects": ("campaign", "--benefit", "40", "--cost", "1", "--targets", "2%"),
    "plan with nothing": ("campaign", "--benefit", "40", "--cost", "1"),
    "plan with columns": ("campaign", "--benefit", "40", "--cost", "1", "--target", "y", "--score", "p"),
    "campaign without a target": ("campaign", "preds.csv", "--benefit", "40", "--cost", "1"),
    "campaign of labels": ("campaign", "labels.json", "--benefit", "40", "--cost", "1"),
    "saved campaign with columns": ("campaign", "e.json", "--benefit", "40", "--cost", "1", "--score", "p"),
    "two sizes": (*CAMPAIGN, "--depth", "10%", "--contacts", "5"),
    "depth in words": (*CAMPAIGN, "--depth", "half"),
    "depth of nothing": (*CAMPAIGN, "--depth", "0"),
    "targets above one": (*CAMPAIGN, "--targets", "2"),
    "no benefit": ("campaign", *PREDS, "--benefit", "0", "--cost", "1"),
    "negative cost": ("campaign", *PREDS, "--benefit", "40", "--cost=-1"),
    "half a contact": (*CAMPAIGN, "--contacts", "0.5"),
    "prospects in words": (*CAMPAIGN, "--prospects", "many"),
}
ALL_UNUSABLE = {**{why: ("evaluate", *call) for why, call in UNUSABLE.items()}, **WORTH_UNUSABLE, **UNUSABLE_TABLES}
ALL_WRONG = {**{why: ("evaluate", *call) for why, call in WRONG.items()}, **WORTH_WRONG, **WRONG_TABLES}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """All files, made once; each test gets a copy."""
    here = tmp_path_factory.mktemp("made")
    make = partial(write, here)
    preds = make("preds.csv", HEAD, two_levels())
    make("many.csv", ("y", "g"), [[f"c{i}", f"c{i}"] for i in range(10_000)])
    make("header.csv", ("y", "p"), [])
    make("one.csv", ("y", "p"), [[1, 0.5], [1, 0.6]])
    make("gaps.csv", ("y", "p"), [[1, 0.5], [0, "nan"], [1, ""]])
    make("text.csv", ("y", "p"), [[1, 0.5], [0, "oops"], [1, 0.3]])
    make("zero.csv", ("y", "p", "w"), [[1, 0.5, 1], [0, 0.4, 0], [1, 0.3, 0]])
    (here / "nothing.csv").write_bytes(b"")
    (here / "broken.csv").write_text('y,p\n1,0.5\n0,"0.4\n1,0.3,7,8\n')
    (here / "bytes.csv").write_bytes(bytes(range(256)) * 4)
    (here / "model.pkl").write_bytes(b"\x80\x04.")
    (here / "other.json").write_text('{"a": 1}')
    for name, text in PAYOFFS.items():
        (here / name).write_text(text)
    labels = {"target": "label", "prediction": "guess", "positive": "spam"}
    sy.evaluate(str(preds), **labels).save(here / "labels.json")
    sy.evaluate(str(preds), target="y", score="p").save(here / "e.json")
    sy.evaluate(str(preds), target="y", score="p", positive=0).save(here / "turned.json")
    return here


@pytest.fixture
def files(made, tmp_path):
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize("why", ALL_UNUSABLE)
def test_unusable_input_is_told_in_a_sentence(steelyard, files, why):
    call = ALL_UNUSABLE[why]
    save = ("--save", "never.json") if call[0] == "evaluate" else ()
    told = steelyard(*call, *save, "-o", "never.txt")
    assert (told.code, told.out) == (3, "")
    message, hint = told.err.splitlines()
    assert message.endswith((".", "?")) or "?" in message
    assert hint.startswith("Hint: ")
    assert "Traceback" not in told.err
    assert not list(files.glob("*never*")), "nothing half-written is left"


def test_the_sentences_are_those_that_were_read(steelyard, files, approved):
    said = []
    for title, cases, code in (
        ("Exit code 3: the input cannot be used", ALL_UNUSABLE, 3),
        ("Exit code 2: wrong usage", ALL_WRONG, 2),
    ):
        said.append(f"{title}\n{'=' * len(title)}\n")
        for why, call in cases.items():
            told = steelyard(*call)
            assert (told.code, told.out) == (code, ""), why
            # Below the hint there may be a look at the file's columns.
            assert any(line.startswith("Hint: ") for line in told.err.splitlines()), why
            assert "Traceback" not in told.err, why
            said.append(f"{why}: steelyard {' '.join(call)}\n{told.err}")
    approved("bad_input", "\n".join(said))


PYTHON = re.compile(
    r"\b(kind|missing|positive|levels|score|weights|profit|cost|value|decide|over|depth|contacts|prospects|targets)=(?!COLUMN)"
    r"|Profit\(|Cost\(|best_threshold|\bPass \w+="
)


def test_hints_speak_of_options_not_of_python():
    """As they were read; the test above holds the program to that text."""
    hints = [line for line in (APPROVED / "bad_input.txt").read_text("utf-8").splitlines() if line.startswith("Hint: ")]
    assert len(hints) >= len(ALL_UNUSABLE) + len(ALL_WRONG)
    for hint in hints:
        assert not PYTHON.search(hint), hint
