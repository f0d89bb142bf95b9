"""JUnit XML: parsed again, with names that try to break it."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import steelyard as sy
from steelyard.gates.junit import junit
from steelyard.gates.outcome import Outcome, Result
from steelyard.gates.requirement import outcome_of
from steelyard.results import Estimate
from steelyard.verdicts.gate import Bound

HOSTILE = [
    'a"b', "a'b", "<b>&amp;</b>", "]]>", "<!-- -->", "<![CDATA[x]]>", "two\nlines", "tab\there", "nul\x00", "bell\x07",
    "\x1b[31mred", "\ud800 half", "\ufffe\uffff", "日本語", "\u202eturned", "&#0;", "\x85next", "e\u0301",
]  # fmt: skip


def test_every_requirement_is_a_test_case() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    e = sy.evaluate(target=y, score=y + rng.normal(0, 1, 300))
    outcome = outcome_of(e, ["auc >= 0.6", "auc >= 0.99", "recall@0.5 >= 0.69"], e, 0.2)
    root = ElementTree.fromstring(junit(outcome, "preds.csv"))
    (suite,) = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert root.tag == "testsuites"
    assert [c.get("name") for c in cases] == [r.requirement for r in outcome.results]
    assert {c.get("classname") for c in cases} == {"preds.csv"}
    failures = [c.find("failure") for c in cases]
    assert [f is None for f in failures] == [r.met for r in outcome.results]
    for failure, r in zip(failures, outcome.results):
        if failure is not None:
            assert (failure.get("message"), failure.get("type")) == (r.message, r.state)
            assert failure.text == f"{r.requirement}: {r.message}"
    for holder in (root, suite):
        assert (holder.get("tests"), holder.get("failures")) == (
            str(len(cases)),
            str(sum(f is not None for f in failures)),
        )
    assert suite.findtext("system-out") == "\n".join(outcome.notes)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_names(name: str) -> None:
    number = Estimate("recall", None, reason=f"no rows (level {name})")
    result = Result(f"recall[{name}]", f"recall[{name}] >= 0.5", Bound(0.5), "undefined", number, number.reason)
    text = junit(Outcome((result, result), (name,)), name)
    root = ElementTree.fromstring(text.encode("utf-8"))
    cases = root.findall("testsuite/testcase")
    assert len(cases) == 2
    shown = cases[0].get("name")
    assert shown is not None
    assert shown.startswith("recall[")
    assert shown.endswith("] >= 0.5")
    if name.isprintable():
        assert shown == f"recall[{name}] >= 0.5"
    assert len(list(cases[0])) == 1, "nothing but the failure"


def test_the_same_outcome_is_the_same_file() -> None:
    e = sy.evaluate(target=[1, 0] * 40, prediction=[1, 1, 0, 0] * 20)
    assert junit(outcome_of(e, "recall >= 0.1")) == junit(outcome_of(e, "recall >= 0.1"))
