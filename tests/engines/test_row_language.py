"""Logarithms and powers: the same values, and the same answer at the ends of what they take, in every engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from steelyard.errors import NotNumeric
from steelyard.rows.language import Term
from steelyard.summaries.summary import forget
from steelyard.summaries.sums import Sums

from .forms import FORMS, Col, evaluate

TERMS: dict[str, tuple[Term, Any]] = {
    "log": (lambda r: r.log(r.value("prediction")), np.log),
    "exp": (lambda r: r.exp(-r.value("prediction")), lambda x: np.exp(-x)),
    "root": (lambda r: r.power(r.value("prediction"), 0.5), np.sqrt),
    "above": (lambda r: r.power(r.value("prediction"), 1.5), lambda x: x**1.5),
    "below": (lambda r: r.power(r.value("prediction"), -0.25), lambda x: x**-0.25),
    "none": (lambda r: r.power(r.value("prediction"), 0.0), np.ones_like),
}
VALUES = [1e-60, 2.0**-30, 0.1, 0.5, 1.0, 1.5, 2.0, 30.0, 709.0, 800.0, 1e30]
"""e to the power of −800 is nothing, which some databases refuse to say."""
UNDEFINED: dict[str, Term] = {
    "log of zero": lambda r: r.log(r.value("target")),
    "log below zero": lambda r: r.log(r.value("target") - 1.0),
    "power below zero": lambda r: r.power(r.value("target") - 1.0, 0.5),
    "zero to a negative power": lambda r: r.power(r.value("target"), -1.0),
    "exp of much": lambda r: r.exp(r.value("target") * 400.0),
}


class _Probe(Sums):
    __slots__ = ()
    kind: ClassVar[str] = ""
    needs: ClassVar[str] = "numbers"
    beside: ClassVar[str] = "residuals"


@pytest.fixture
def _forgotten() -> Iterator[None]:
    yield
    forget("probe")


def _probe(asked: dict[str, Term]) -> None:
    """A kind of summary that adds up these terms, until it is forgotten."""

    def terms(_: type) -> dict[str, Term]:
        return asked

    type(
        "Probe", (_Probe,), {"kind": "probe", "names": ("weight", *asked), "terms": classmethod(terms), "__slots__": ()}
    )


def _rows(**columns: list[float]) -> dict[str, Col]:
    return {name: Col("float", values) for name, values in columns.items()}


@pytest.mark.usefixtures("_forgotten")
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_logarithms_and_powers_are_the_same_everywhere(form: str, tmp_path: Path) -> None:
    _probe({name: term for name, (term, _) in TERMS.items()})
    rows = _rows(target=[float(i) for i in range(len(VALUES))], prediction=VALUES)
    found = evaluate(form, rows, tmp_path, {"target": "target", "prediction": "prediction"}).evidence["probe"]
    for name, (_, wanted) in TERMS.items():
        assert float(found.sum(name)) == pytest.approx(float(wanted(np.array(VALUES)).sum()), rel=1e-12), name


@pytest.mark.usefixtures("_forgotten")
@pytest.mark.parametrize("what", UNDEFINED)
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_what_has_no_value_has_none_anywhere(form: str, what: str, tmp_path: Path) -> None:
    _probe({"term": UNDEFINED[what]})
    rows = _rows(target=[0.0, 1.0, 2.5], prediction=[1.0, 1.0, 2.0])
    with pytest.raises(NotNumeric):
        evaluate(form, rows, tmp_path, {"target": "target", "prediction": "prediction"})
