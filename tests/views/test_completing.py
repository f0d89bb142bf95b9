"""A notebook completes the names of measures, pictures, curves and tables, asked as IPython asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import steelyard
from steelyard.views.completing import offer_names

from .kinds import evaluation, result

ipython = pytest.importorskip("IPython")


@pytest.fixture
def complete() -> Iterator[Callable[[str], list[str]]]:
    """What IPython's own completer offers at the end of a line."""
    from IPython.core.completer import provisionalcompleter
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    steelyard.load_ipython_extension(shell)
    shell.user_ns |= {
        "e": evaluation(),
        "x": result("experiment"),
        "t": result("trial"),
        "c": result("comparison"),
        "text": "roc",
    }

    def ask(line: str) -> list[str]:
        with provisionalcompleter():
            return [c.text for c in shell.Completer.completions(line, len(line))]

    yield ask
    InteractiveShell.clear_instance()


def test_what_stands_in_brackets_is_completed(complete: Callable[[str], list[str]]) -> None:
    assert set(complete('e["')) >= {"auc", "recall", "brier"}
    assert {text.strip("\"']") for text in complete('e["rec')} == {"recall"}
    assert {text.strip("\"']") for text in complete('x["')} == set(result("experiment").models)
    assert {text.strip("\"']") for text in complete('c["')} == set(result("comparison").models)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('e.chart("', evaluation().charts),
        ("fig = e.chart('", evaluation().charts),
        ('e.curve("', evaluation().curves),
        ('e.table("', evaluation().tables),
        ('print(e.chart("ro', ["roc"]),
        ('x["logistic"].chart("ga', ["gain"]),
        ('t.chart("', list(result("trial").charts())),
    ],
)
def test_what_a_call_takes_is_completed(line: str, names: list[str], complete: Callable[[str], list[str]]) -> None:
    assert complete(line) == sorted(names) or set(complete(line)) == set(names)


def test_nothing_else_is_touched(complete: Callable[[str], list[str]]) -> None:
    for line in ('text.count("', 'nobody.chart("', 'x["no such model"].chart("', 'e.at("', 'e.chart("roc")'):
        assert not {"roc", "gain"} & set(complete(line)), line


def test_a_shell_asks_once_and_an_old_one_is_left_alone(complete: Callable[[str], list[str]]) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell.instance()
    many = len(shell.Completer.custom_matchers)
    steelyard.load_ipython_extension(shell)
    assert len(shell.Completer.custom_matchers) == many
    offer_names(object())


def test_every_curve_that_is_offered_can_be_had() -> None:
    for e in (evaluation(), result("labels"), result("numbers")):
        assert all(e.curve(name).name for name in e.curves)
