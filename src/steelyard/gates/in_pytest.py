"""What pytest is told: why an assertion about a number fails, and the gate as a fixture whose results end the run.

Found by pytest where steelyard is installed. Nothing of steelyard is imported before a test asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from steelyard.gates.outcome import Outcome
    from steelyard.results import Difference, Estimate

KEPT = pytest.StashKey[list[str]]()
"""What was held against requirements in this run, a line each."""
SIGNS = {"==", "!=", "<", "<=", ">", ">="}


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark."""
    config.addinivalue_line(
        "markers", "gate(*requirements, champion, margin, on): what the fixture `gate` requires of an evaluation"
    )
    config.stash[KEPT] = []


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Tell value, interval and rows of a number that was compared, instead of a float."""
    results = sys.modules.get("steelyard.results.numbers")
    if results is None or op not in SIGNS:
        return None
    told = [number for number in (left, right) if isinstance(number, results.Numeric)]
    if not told:
        return None
    return [
        " ".join((_named(left), op, _named(right), "does not hold")),
        *(line for number in told for line in _told(number)),
    ]


def _named(side: object) -> str:
    return str(getattr(side, "measure", side if isinstance(side, int | float) else repr(side)))


def _told(number: Estimate | Difference) -> list[str]:
    """One number in words: what it is, how sure that is, how it was found."""
    rows = number.n if isinstance(number.n, tuple) else (number.n,)
    over = " and ".join(f"{n:,.6g}" for n in rows)
    if not number.defined:
        return [f"{number.measure} is undefined: {number.reason}; {over} rows"]
    out = [f"{number.measure} is {number}, over {over} rows"]
    if number.low is not None:
        out.append(f"{number.confidence:.0%} interval by {number.method}")
    return out


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Hold an evaluation against requirements, those of the mark `gate` first.

    Takes what `steelyard.check` takes: `gate(e, ["auc >= 0.8"], champion=f)`. Every
    requirement stands in the summary of the run and in its JUnit file.
    """

    def hold(e: object, requirements: Any = (), **given: Any) -> Outcome:
        __tracebackhide__ = True
        from steelyard.gates.check import NotMet, check

        marks = list(request.node.iter_markers("gate"))
        listed = [requirements] if isinstance(requirements, str) else list(requirements)
        asked = [*(text for mark in marks for text in mark.args), *listed]
        named = {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()} | given
        try:
            outcome = check(e, asked, **named)
        except NotMet as short:
            _keep(short.outcome)
            raise
        _keep(outcome)
        return outcome

    def _keep(outcome: Outcome) -> None:
        for result in outcome.results:
            request.node.user_properties.append((result.requirement, f"{result.state}: {result.number}"))
            request.config.stash[KEPT].append(f"{'met' if result.met else 'NOT MET':8} {request.node.name}: {result}")

    return hold


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Every requirement that was held, met ones too: a run that passes should say by how much."""
    kept = terminalreporter.config.stash.get(KEPT, [])
    if kept:
        terminalreporter.section("requirements of models")
        for line in kept:
            terminalreporter.line(line)
