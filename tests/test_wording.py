"""One sentence for people who call Python, one for people who type a command."""

import copy
import importlib
import pickle
from typing import Any

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.cli.program import COMMANDS
from steelyard.cli.spelling import spellings, words_of
from steelyard.errors import UsageError
from steelyard.wording import CLOSE, OPEN, Code, Spelling, Wording, either, option

KNOWN = {
    "positive": Spelling("--positive", "LEVEL"),
    "missing": Spelling("--missing", "refuse|drop"),
    "levels": Spelling("--level", "LEVEL", repeated=True),
    "models": Spelling("--models", "NAMES"),
    "score": Spelling("--score", "COLUMN", repeated=True),
    "scores": Spelling("--score", "NAME=COLUMN", repeated=True),
    "independent": Spelling("--independent"),
    "adjust": Spelling("--no-adjust", without="--no-adjust"),
    "profit": Spelling("--profit", "FILE|AMOUNTS"),
    "for_": Spelling("--for", "NUMBER"),
}
BOTH = {
    "text": (option("positive", "spam"), 'positive="spam"', "--positive spam"),
    "text for a shell": (option("positive", "it's $5"), 'positive="it\'s $5"', """--positive 'it'"'"'s $5'"""),
    "quotation marks": (option("positive", 'a"b'), 'positive="a\\"b"', """--positive 'a"b'"""),
    "lines": (option("positive", "a\nb"), 'positive="a\\nb"', "--positive 'a\nb'"),
    "no text": (option("positive", ""), 'positive=""', "--positive ''"),
    "a number": (option("for_", 2), "for_=2", "--for 2"),
    "a number of NumPy": (option("positive", np.int64(2)), "positive=2", "--positive 2"),
    "a whole float": (option("for_", 31.0), "for_=31", "--for 31"),
    "a truth value as a level": (option("positive", True), "positive=True", "--positive True"),
    "a flag": (option("independent", True), "independent=True", "--independent"),
    "the other flag": (option("adjust", False), "adjust=False", "--no-adjust"),
    "the name alone": (option("missing"), "missing=", "--missing"),
    "any value": (option("positive", ...), "positive=...", "--positive LEVEL"),
    "any choice": (option("missing", ...), "missing=...", "--missing refuse|drop"),
    "several": (option("levels", ["a", "b c"]), 'levels=["a", "b c"]', "--level a --level 'b c'"),
    "several numbers": (option("levels", [0, 1]), "levels=[0, 1]", "--level 0 --level 1"),
    "several in one": (option("models", ["knn", "tree"]), 'models=["knn", "tree"]', "--models knn,tree"),
    "all of them": (option("levels", [...]), "levels=[...]", "--level for each of them"),
    "one for each level": (option("score", {...: ...}), "score={level: column, ...}", "--score LEVEL=COLUMN"),
    "one for each name": (option("scores", {...}), "scores={...}", "--score NAME=COLUMN"),
    "by name": (
        option("scores", {"knn": "p1", "my tree": ...}),
        'scores={"knn": "p1", "my tree": ...}',
        "--score knn=p1 --score 'my tree'=COLUMN",
    ),
    "Python's own": (option("profit", Code("Profit(tp=1)")), "profit=Profit(tp=1)", "--profit FILE|AMOUNTS"),
    "Python's own, typed": (
        option("profit", Code("Profit(tp=1)"), typed="tp=1, fp=-7"),
        "profit=Profit(tp=1)",
        "--profit 'tp=1, fp=-7'",
    ),
    "what the command has not": (option("layout", "x"), 'layout="x"', 'layout="x" in Python'),
    "two sentences": (either("Pass it.", f"Give {option('profit', typed='FILE')}."), "Pass it.", "Give --profit FILE."),
}


@pytest.mark.parametrize("what", BOTH)
def test_an_argument_is_told_in_python_and_as_it_is_typed(what: str) -> None:
    token, python, typed = BOTH[what]
    sentence = Wording(f"Say {token}, for example.")
    assert (sentence, sentence.typed(KNOWN)) == (f"Say {python}, for example.", f"Say {typed}, for example.")


class Unspeakable:
    """A value without a text."""

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [Unspeakable(), object(), np.zeros((50, 50)), {1, 2}, 10**5000, "\x00", OPEN, None],
    ids=lambda v: type(v).__name__,
)
def test_any_value_can_be_named(value: Any) -> None:
    sentence = Wording(f"{option('missing', value)} is not a choice.")
    for text in (str(sentence), sentence.typed(KNOWN)):
        assert "\n" not in text and len(text) < 120 and not {OPEN, CLOSE} & set(text)


MARKS = st.sampled_from([OPEN, CLOSE, '"', "[", "]", ",", "0", "a", "=", "://", "@", " "])


@given(st.lists(st.one_of(st.text(max_size=5), MARKS, st.sampled_from([t for t, _, _ in BOTH.values()]))))
def test_no_mark_reaches_anybody(pieces: list[str]) -> None:
    """Whatever text somebody's columns hold."""
    problem = UsageError("".join(pieces), "".join(reversed(pieces)))
    again = UsageError(f"It failed. {problem.message.marked}", problem.hint)
    for error in (problem, again, pickle.loads(pickle.dumps(again)), copy.deepcopy(again)):
        shown = [str(error), repr(error), error.message, error.hint, repr(error.hint), f"{error.hint}", *error.args]
        shown += [error.message.typed(KNOWN), error.hint.typed({}), repr(error.hint.parts)]
        assert not any({OPEN, CLOSE} & set(text) for text in shown), shown
    assert not {OPEN.encode(), CLOSE.encode()} & {
        pickle.dumps(problem)[i : i + 3] for i in range(len(pickle.dumps(problem)))
    }


def test_arguments_survive_whatever_happens_to_an_error() -> None:
    hint = f'Read {option("positive", "spam")} of "postgresql://me:secret@host/shop".'
    first = UsageError(f"{option('missing', 'x')} is not a choice.", hint)
    again = sy.errors.InputError(f"The reference cannot be read. {first.message.marked}", first.hint)
    for problem in (first, again, pickle.loads(pickle.dumps(again)), copy.copy(again)):
        assert "secret" not in str(problem) and "secret" not in repr(vars(problem)) + repr(problem.hint.parts)
        assert problem.hint == 'Read positive="spam" of "postgresql://host/shop".'
        assert problem.hint.typed(KNOWN) == 'Read --positive spam of "postgresql://host/shop".'
        assert problem.message.typed(KNOWN).endswith("--missing x is not a choice.")
        assert problem.hint.names == {"positive"} and problem.message.names == {"missing"}


def test_a_value_gives_no_secret_away() -> None:
    address = "postgresql://me:secret@host/shop?table=t"
    problem = UsageError("No.", f"Say {option('labels', address)}.")
    for text in (str(problem), problem.hint.typed({"labels": Spelling("--labels", "FILE")}), repr(problem.hint.parts)):
        assert "secret" not in text and "host/shop?table=t" in text


# ---- how commands spell


def _commands() -> list[click.Command]:
    return [importlib.import_module(f"steelyard.cli.{name.replace('-', '_')}").command for name in COMMANDS]


@pytest.mark.parametrize("command", _commands(), ids=lambda c: c.name)
def test_every_option_of_a_command_can_be_named(command: click.Command) -> None:
    known = spellings(command)
    for made in (p for p in command.params if isinstance(p, click.Option)):
        spelling = known[str(made.name)]
        assert spelling.option.startswith("--") and spelling.option in made.opts
        assert bool(spelling.value) != made.is_flag


def test_the_names_of_python_are_known_where_they_differ() -> None:
    by_name = {str(c.name): spellings(c) for c in _commands()}
    assert by_name["monitor"]["measures"].option == "--measure" and by_name["monitor"]["for_"].option == "--for"
    assert by_name["evaluate"]["levels"].option == "--level" and by_name["evaluate"]["on"].option == "--on"
    assert by_name["trial"]["adjust"].without == "--no-adjust"
    assert by_name["check"]["on"].value == "interval|point" and by_name["check"]["key"].option == "--key"
    assert by_name["runs"]["older_than"].option == "--older-than"


def test_an_error_is_told_in_the_words_of_the_command() -> None:
    problem = UsageError("Both came.", f"Leave {option('measures')} out, or say {option('for_', 2)}.")
    monitor = next(c for c in _commands() if c.name == "monitor")
    assert words_of(problem, monitor) == ("Both came.", "Leave --measure out, or say --for 2.")
