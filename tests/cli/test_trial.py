"""trial and trial-size on the command line: plans, sizes, words for outcomes, and a sentence where something is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

N = 3000
ROWS = ("trial", "people.csv", "--group", "arm", "--control", "hold", "--outcome", "left", "--unit", "who")
WEEKS = (
    "trial",
    "weeks.csv",
    "--group",
    "arm",
    "--control",
    "hold",
    "--outcome",
    "left",
    "--period",
    "week",
    "--counts",
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """One customer in ten is left alone; by week 250 are, and 1,000 are called, and churn is the same."""
    rng = np.random.default_rng(6)
    arm = np.where(rng.random(N) < 0.1, "hold", "call")
    before = rng.normal(size=N)
    left = rng.random(N) < np.clip(np.where(arm == "call", 0.1, 0.25) + 0.1 * before, 0, 1)
    lines = [
        f"{i},{a},{'gone' if y else 'stayed'},{int(y)},{x:.4f}" for i, (a, y, x) in enumerate(zip(arm, left, before))
    ]
    (tmp_path / "people.csv").write_text("\n".join(["who,arm,word,left,earlier", *lines, ""]))
    rows = [(w, a, rng.binomial(n, 0.05), n) for a, n in (("hold", 250), ("call", 1000)) for w in range(1, 13)]
    (tmp_path / "weeks.csv").write_text("\n".join(["week,arm,left,shown", *(",".join(map(str, r)) for r in rows), ""]))
    return tmp_path


def test_counts_need_the_sizes_of_the_arms_or_their_plan(files: Path, steelyard: Any) -> None:
    told = steelyard(*WEEKS)
    assert told.code == 2 and "--exposed NUMBER|COLUMN" in told.err and "--planned equal" in told.err
    for more in (("--planned", "hold=0.2,call=0.8"), ("--exposed", "shown")):
        found = steelyard(*WEEKS, *more)
        assert found.code == 0 and "Verdict: no clear effect" in found.out, found
    assert "Verdict: harms" in steelyard(*WEEKS, "--planned", "equal").out


def test_an_unbalanced_trial_can_be_read(files: Path, steelyard: Any) -> None:
    assert "not checked, since no plan was given" in steelyard(*ROWS).out
    assert "planned 10%:90%" in steelyard(*ROWS, "--planned", "hold=0.1,call=0.9").out
    assert "Verdict: blocked by the sample ratio" in steelyard(*ROWS, "--planned", "equal").out
    for wrong in ("hold", "hold=,call=1", "hold=0.5", "hold=x,call=1"):
        told = steelyard(*ROWS, "--planned", wrong)
        assert told.code == 2 and "Hint: " in told.err and "planned={" not in told.err, told


def test_words_bands_analysis_and_adjusting(files: Path, steelyard: Any) -> None:
    words = [*ROWS[:7], "word", *ROWS[8:], "--positive", "gone"]
    assert steelyard(*words).out.replace('"word"', '"left"') == steelyard(*ROWS).out
    assert "--positive LEVEL" in steelyard(*words[:-2]).err
    adjusted, plain = (
        json.loads(steelyard(*ROWS, "--before", "earlier", "--json", *m).out) for m in ((), ("--no-adjust",))
    )
    assert (adjusted["decides"], plain["decides"]) == ("CUPED by unit", "two proportions")
    banded = json.loads(steelyard(*ROWS, "--score", "earlier", "--bands", "4", "--json").out)
    assert len(banded["uplift"]["bands"]) == 4
    assert steelyard(*ROWS, "--analysis", "period").code == 2


def test_the_size_of_a_trial(steelyard: Any) -> None:
    told = steelyard("trial-size", "0.02", "--share", "0.14", "--treated", "0.9")
    assert told.code == 0 and "2,445 in the control and 22,005 in the treated arm" in " ".join(told.out.split())
    weeks = json.loads(steelyard("trial-size", "5", "--rate", "20", "--json").out)
    assert (weeks["n"], weeks["periods"], weeks["if_independent"]) == (26, True, 14)
    assert json.loads(steelyard("trial-size", "5", "--rate", "20", "--independent", "--json").out)["n"] == 14
    assert json.loads(steelyard("trial-size", "5", "--rate", "20", "--analysis", "unit", "--json").out)["n"] == 13
    wrong = steelyard("trial-size", "0.02")
    assert wrong.code == 2 and "One of deviation, rate and share" in wrong.err
