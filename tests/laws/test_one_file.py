"""One function in one file is a measure: it appears everywhere with no other edit."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import steelyard as sy
from steelyard.cli.program import program
from steelyard.measures.measure import find, forget

from .reading import read

ROOT = Path(__file__).resolve().parents[2]
NAME = "newcomer"

FILE = '''
import numpy as np
import steelyard as sy
from steelyard.results import Ratio, Share
from steelyard.summaries.class_scores import ClassScores
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.residuals import Residuals
from steelyard.summaries.scores import Scores

@sy.measure(better="higher", range=(0, 1), aliases=("nc",))
def newcomer({parameter}):
    """Something nobody has measured before."""
    return {answer}
'''

FORMS = {
    "one level": ("o: Outcomes", 'Share(o.tp, o.tp + o.fp + o.fn, "no positives")'),
    "all levels": ("c: Confusion, *, k: float = 1.0", "Ratio(c.correct, k * c.total)"),
    "scores": ("s: Scores", "Share(s.positives.sum(axis=-1), s.counts.sum(axis=(-2, -1)))"),
    "classes": ("m: ClassScores", "Share(m.ranks[..., 0, 1], m.total)"),
    "numbers": ("r: Residuals", 'Share(r.part("zeros"), r.total)'),
}


def load_file(path: Path, name: str) -> ModuleType:
    """Import a file by its path."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=list(FORMS))
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    parameter, answer = FORMS[request.param]
    path = tmp_path / "newcomers.py"
    path.write_text(FILE.format(parameter=parameter, answer=answer), encoding="utf-8")
    assert NAME not in sy.catalogue()
    load_file(path, "newcomers")
    yield request.param
    forget(NAME)
    del sys.modules["newcomers"]
    assert NAME not in sy.catalogue()


def evaluation(form: str) -> sy.Evaluation:
    """Evidence that the form can be read from."""
    target, score = [0, 1, 1, 0, 1], [0.1, 0.2, 0.9, 0.4, 0.7]
    if form == "classes":
        return sy.evaluate(target=["a", "b", "b", "a", "b"], score={"b": score, "a": [1 - s for s in score]})
    if form == "numbers":
        return sy.evaluate(target=target, prediction=score, kind="continuous")
    return sy.evaluate(target=target, score=score)


def test_it_is_in_the_catalogue_under_its_name_and_alias(form: str) -> None:
    m = sy.catalogue()[NAME]
    assert find("nc") == m
    assert m.sentence == "Something nobody has measured before."
    assert list(sy.catalogue())[-1] == NAME


def test_it_is_answered_with_an_interval(form: str) -> None:
    e = evaluation(form)
    assert e.measures[-1] == NAME
    x = e["nc"]
    assert x.value is not None and x.low is not None and x.high is not None
    assert 0 <= x.low <= x.value <= x.high <= 1
    assert x.method


def test_it_has_a_row_in_the_frame(form: str) -> None:
    e = evaluation(form)
    rows = [r for r in e.rows_as_dicts() if r["measure"] == NAME]
    assert rows and rows[0]["estimate"] == e[NAME].value
    assert NAME in e.frame()["measure"].tolist()


def test_it_stands_under_every_law(form: str) -> None:
    assert any(key[0] == NAME for key in read(evaluation(form)))


def test_the_command_line_lists_it(form: str) -> None:
    done = CliRunner().invoke(program, ["measures"])
    assert done.exit_code == 0, done.output
    assert NAME in done.output
    assert "Something nobody has measured before." in CliRunner().invoke(program, ["measures", "nc"]).output


def test_the_page_of_measures_prints_it(form: str) -> None:
    page = load_file(ROOT / "docs" / "make.py", "docs_make").catalogue_page()
    del sys.modules["docs_make"]
    assert NAME in page
    assert "Something nobody has measured before." in page


def test_it_is_gone_when_forgotten() -> None:
    assert NAME not in sy.catalogue()
    with pytest.raises(sy.errors.UnknownMeasure):
        find("nc")
