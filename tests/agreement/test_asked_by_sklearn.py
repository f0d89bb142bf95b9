"""scikit-learn's own tests of metrics, put to steelyard: no number differs; what is missing stands on a page, most asked for first.

STEELYARD_APPROVE=1 writes the page anew.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

HOUSE = Path(__file__).resolve().parents[2]
PAGE = HOUSE / "docs" / "studies" / "asked-by-scikit-learn.md"
MODULES = ("regression", "ranking", "classification")
OPTIONS = "-p sklearn.conftest -p tests.agreement.asked_by_sklearn -p no:cacheprovider --noconftest --quiet --pyargs"
TESTS = "sklearn.metrics.tests.test_"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What was seen in each module, each in a process of its own; the seed of theirs is told."""
    folder = tmp_path_factory.mktemp("asked")
    given = {"PYTHONPATH": os.pathsep.join([str(HOUSE / "src"), str(HOUSE)]), "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42"}
    running = {
        module: subprocess.Popen(
            [
                sys.executable,
                "-m",
                "pytest",
                "-c",
                os.devnull,
                "--rootdir",
                folder,
                *OPTIONS.split(),
                f"{TESTS}{module}",
            ],
            cwd=folder,
            env={**os.environ, **given, "STEELYARD_ASKED": str(folder / f"{module}.json")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for module in MODULES
    }
    said = {module: process.communicate(timeout=600)[0] for module, process in running.items()}
    assert all(process.returncode == 0 for process in running.values()), said
    return {module: json.loads((folder / f"{module}.json").read_text(encoding="utf-8")) for module in MODULES}


@pytest.mark.slow
def test_no_number_differs_and_the_page_says_what_is_missing(asked):
    assert [line for found in asked.values() for line in found["unlike"]] == []
    answered = {module: sum(found["answered"].values()) for module, found in asked.items()}
    assert answered["regression"] > 1500 and answered["ranking"] > 250 and answered["classification"] > 100
    text = page(asked)
    if os.environ.get("STEELYARD_APPROVE"):
        PAGE.write_text(text, encoding="utf-8")
    written = PAGE.read_text(encoding="utf-8")
    if f"scikit-learn {sklearn.__version__}" in written:
        assert text == written


WHY = (
    "What was left out on purpose has its reasons in [a decision](../decisions/0036-rank-correlations-of-ranks.md).",
    "",
)


def page(asked):
    """What was answered, what is defined otherwise, and what is missing, most asked for first."""
    lines = [
        "# Asked by scikit-learn's own tests",
        "",
        "scikit-learn ships the tests of its metrics. Every call in them is put to steelyard as well (`tests/agreement`), and both",
        f"numbers are held together, to nine digits. That test prints this page, here from scikit-learn {sklearn.__version__}.",
        "",
        "| tests of | answered, and equal | undefined here, and said why | defined otherwise | different |",
        "|---|---|---|---|---|",
    ]
    for module, found in asked.items():
        counts = [sum(found[part].values()) for part in ("answered", "undefined", "otherwise")]
        lines.append(f"| {module} | {' | '.join(f'{n:,}' for n in counts)} | {len(found['unlike'])} |")
    lines += ["", "## Defined otherwise", ""]
    lines += [
        f"- {reason[0].upper()}{reason[1:]}." for reason in sorted({r for x in asked.values() for r in x["otherwise"]})
    ]
    lines += [
        "",
        "Where a number has no value here, with the reason, theirs is 0, 1 or NaN by `zero_division` and `force_finite`.",
        "",
    ]
    lines += ["## What is missing", "", "By the number of tests that ask for it, then of calls.", *WHY]
    lines += ["| tests | calls | what | asked of |", "|---|---|---|---|"]
    missing = {}
    for found in asked.values():
        for asking, (tests, calls) in found["missing"].items():
            name, _, what = asking.partition(": ")
            row = missing.setdefault(f"`{name}`" if what == "not here" else what, [0, 0, set()])
            row[0], row[1], row[2] = row[0] + tests, row[1] + calls, row[2] | {f"`{name}`"}
    for what, (tests, calls, names) in sorted(missing.items(), key=lambda x: (-x[1][0], -x[1][1], x[0])):
        lines.append(f"| {tests} | {calls} | {what} | {', '.join(sorted(names - {what}))} |")
    return "\n".join(lines) + "\n"
