"""The outcome of a gate as JUnit XML, which build servers read."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from steelyard.gates.outcome import Outcome, Result
from steelyard.words import visible

SUITE = "steelyard check"


def junit(outcome: Outcome, name: str = "evaluation") -> str:
    """One test suite with a test case for each requirement; what is not met is a failure with its message.

    >>> from steelyard.gates.outcome import Result
    >>> from steelyard.verdicts.gate import Bound
    >>> from steelyard.results import Estimate
    >>> r = Result("auc", "auc >= 0.8", Bound(0.8), "failed", Estimate("auc", 0.7, 0.67, 0.73))
    >>> print(junit(Outcome((r,)), "preds.csv"))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="1" errors="0" time="0">
      <testsuite name="steelyard check" tests="1" failures="1" errors="0" skipped="0" time="0">
        <testcase classname="preds.csv" name="auc &gt;= 0.8" time="0">
          <failure message="failed: 0.700 [0.670, 0.730], needed at least 0.8" type="failed">...</failure>
        </testcase>
      </testsuite>
    </testsuites>
    """
    missed = len(outcome) - outcome.met
    counts = {"tests": str(len(outcome)), "failures": str(missed), "errors": "0"}
    root = ElementTree.Element("testsuites", {**counts, "time": "0"})
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": "0", "time": "0"})
    for result in outcome.results:
        _case(suite, result, name)
    if outcome.notes:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(_legal(note) for note in outcome.notes)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, result: Result, name: str) -> None:
    told = {"classname": _legal(name), "name": _legal(result.requirement), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", told)
    if not result.met:
        message = _legal(result.message)
        failure = ElementTree.SubElement(case, "failure", {"message": message, "type": result.state})
        failure.text = f"{_legal(result.requirement)}: {message}"


def _legal(text: str) -> str:
    """Without what XML cannot hold, however it is escaped: control characters, half surrogates, non-characters."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
