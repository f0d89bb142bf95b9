"""Bad input of timeliness, stability, trial and monitor, as commands: a sentence, a hint and an exit code, approved."""

import re
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "events.csv": "customer,day,p,left\na,1,0.2,1\na,5,0.8,1\nb,2,0.1,0\nc,3,0.3,0\nc,9,0.9,0\n",
    "torn.csv": "customer,day,p,left\na,1,0.2,1\na,5,0.8,0\nb,2,0.1,0\n",
    "twice.csv": "customer,day,p,left\na,5,0.2,1\na,5,0.8,1\nb,2,0.1,0\nc,3,0.3,0\nc,9,0.9,0\n",
    "turned.csv": "customer,day,p,left\nc,9,0.9,0\nb,2,0.1,0\na,5,0.8,1\nc,3,0.3,0\na,1,0.2,1\n",
    "dates.csv": "customer,day,p,left\na,2024-01-01,0.2,1\nb,2024-01-02,0.1,0\n",
    "words.csv": "customer,day,p,left\na,1,0.2,yes\nb,2,0.1,no\n",
    "header.csv": "customer,day,p,left\n",
    "weeks.csv": "week,arm,left\n1,random,3\n2,random,4\n3,random,5\n1,called,2\n2,called,6\n3,called,4\n",
    "one_arm.csv": "week,arm,left\n1,random,3\n2,random,4\n",
    "no_weeks.csv": "week,arm,left\n",
    "zones.csv": "week,arm,left\n2024-01-01 12:00,random,3\n2024-01-02 12:00+02:00,called,4\n",
    "both.csv": "who,arm,left\n1,random,0\n1,called,1\n2,random,1\n3,called,0\n",
    "three.csv": "who,arm,left\n1,random,0\n2,called,1\n3,written,1\n4,called,0\n",
    "ages.csv": "age\n" + "".join(f"{20 + i * 7 % 50}\n" for i in range(40)),
    "more_ages.csv": "age\n" + "".join(f"{20 + i * 11 % 50}\n" for i in range(500)),
    "heights.csv": "height\n180\n170\n",
    "nobody.csv": "age\n",
    "stream.csv": "at,y,p\n2024-01-01 12:00,0,0.2\n2024-01-02 12:00+02:00,1,0.7\n",
}
TIMELY = ("--unit", "customer", "--time", "day", "--score", "p", "--outcome", "left", "--horizon", "10")
ARMS = ("--group", "arm", "--control", "random", "--outcome", "left")
CASES: dict[str, tuple[int, tuple[str, ...]]] = {
    "time after the horizon": (3, ("timeliness", "events.csv", *TIMELY[:-1], "8")),
    "customer with two outcomes": (3, ("timeliness", "torn.csv", *TIMELY)),
    "dates as times": (3, ("timeliness", "dates.csv", *TIMELY)),
    "outcomes in words": (3, ("timeliness", "words.csv", *TIMELY)),
    "no events": (3, ("timeliness", "header.csv", *TIMELY)),
    "one arm": (3, ("trial", "one_arm.csv", *ARMS, "--period", "week", "--counts")),
    "zero periods": (2, ("trial", "weeks.csv", *ARMS, "--counts")),
    "no weeks": (3, ("trial", "no_weeks.csv", *ARMS, "--period", "week", "--counts")),
    "periods of mixed zones": (3, ("trial", "zones.csv", *ARMS, "--period", "week", "--counts")),
    "unit in both arms": (3, ("trial", "both.csv", *ARMS, "--unit", "who")),
    "several treated arms": (2, ("trial", "three.csv", *ARMS, "--unit", "who")),
    "cost without a value": (2, ("trial", "weeks.csv", *ARMS, "--period", "week", "--counts", "--cost", "3")),
    "empty reference": (3, ("stability", "nobody.csv", "ages.csv")),
    "empty current sample": (3, ("stability", "ages.csv", "nobody.csv", "--column", "age")),
    "no column in common": (2, ("stability", "ages.csv", "heights.csv")),
    "column that is not there": (3, ("stability", "ages.csv", "ages.csv", "--column", "agee")),
    "column that only one has": (3, ("stability", "ages.csv", "heights.csv", "--column", "age")),
}
PYTHON = re.compile(r"\b(missing|positive|period|treated|value|outcomes|exposed|columns|independent|control)=")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("why", CASES)
def test_a_sentence_a_hint_and_a_code(why: str, files: Path, steelyard: Any) -> None:
    code, call = CASES[why]
    told = steelyard(*call, "-o", "never.txt", "--report", "never.html")
    assert (told.code, told.out) == (code, ""), told
    message, hint = told.err.splitlines()
    assert message.endswith(".") and hint.startswith("Hint: ") and not PYTHON.search(hint), told.err
    assert not list(files.glob("*never*")), "nothing half-written is left"


def test_the_sentences_are_those_that_were_read(files: Path, steelyard: Any, approved: Any) -> None:
    said = [f"{why}: steelyard {' '.join(call)}\n{steelyard(*call).err}" for why, (_, call) in CASES.items()]
    approved("in_use_messages", "\n".join(said))


def test_times_of_mixed_zones_are_refused(files: Path, steelyard: Any) -> None:
    told = steelyard("monitor", "stream.csv", "--time", "at", "--target", "y", "--score", "p", "--reference", "first:1")
    assert told.code == 3 and "Some of the times have a time zone and some have none." in told.err


def test_the_order_of_events_is_irrelevant_and_duplicates_are_stated(files: Path, steelyard: Any) -> None:
    one, other = (steelyard("timeliness", name, *TIMELY) for name in ("events.csv", "turned.csv"))
    assert one.code == 0 and one.out == other.out and "Note: 1 event" not in one.out
    twice = steelyard("timeliness", "twice.csv", *TIMELY)
    assert twice.code == 0 and "Note: 1 event has the same customer and time as another" in twice.out


def test_a_reference_that_is_too_small_decides_nothing_and_says_what_would_do(files: Path, steelyard: Any) -> None:
    told = steelyard("stability", "ages.csv", "more_ages.csv", "--column", "age")
    text = " ".join(told.out.split())
    assert told.code == 0 and "there are too few rows to decide" in text
    assert re.search(r"with 500 current rows \d+ reference rows are needed", text), text


def test_counts_of_levels_are_typed_as_books_print_them(steelyard: Any) -> None:
    """Bacteria of chapter 8: the original and two new samples, by their counts alone."""
    levels = ("durionis", "ficulneus", "fructosus", "pseudo.")
    counted = ((7, 7, 11, 5), (12, 8, 16, 9), (12, 9, 14, 25))
    texts = [", ".join(f"{v}={n}" for v, n in zip(levels, counts, strict=True)) for counts in counted]
    told = steelyard("stability", *texts)
    assert told.code == 0 and "0.0260        60   100%  0.3313" in told.out
