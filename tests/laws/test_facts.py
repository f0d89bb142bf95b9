"""A measure with facts alone, registered here, is in every output and can be asked everywhere."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.comparisons.planning import sample_size
from steelyard.errors import NotAvailable
from steelyard.gates.requirement import outcome_of
from steelyard.measures.measure import find, forget
from steelyard.results import Mean, Share
from steelyard.summaries.confusion import Outcomes
from steelyard.summaries.residuals import Residuals
from steelyard.views.sentences import statement

ROOT = Path(__file__).resolve().parents[2]
RNG = np.random.default_rng(20)
N = 400
SCORE = RNG.random(N).round(3)
TARGET = (RNG.random(N) < SCORE).astype(int)
OTHER = np.clip(SCORE + RNG.normal(0, 0.3, N), 0, 1).round(3)
EVERYWHERE = (
    "text, level 0, segment 0, card scores 0 labels 0 numbers 0, forest 0, comparison 0, experiment scores 0 numbers 0, "
    "champion 0, slice 0, story outcomes 0 numbers 0"
)


def rich() -> str:
    """A share of labels that leads everywhere."""

    @sy.measure(
        better="lower",
        range=(0, 1),
        noun="alarm rate",
        title="Needless alarms",
        told="Of 100 alarms {hundred} are needless{limits}.",
        leads=EVERYWHERE,
    )
    def needless(o: Outcomes) -> Share:
        """Share of predicted positives that are none: FP / (TP + FP)."""
        return Share(o.fp, o.tp + o.fp, empty="nothing was predicted positive")

    return "needless"


def poor() -> str:
    """A share with the fewest facts that a measure can have, not even the kind of its reading."""

    @sy.measure(better="higher", range=(0, 1))
    def bare(o: Outcomes):  # type: ignore[no-untyped-def]
        """Share of rows that are found."""
        return Share(o.tp, o.total)

    return "bare"


def of_numbers() -> str:
    """A mean over rows of numbers, which says what each row adds."""

    @sy.measure(
        better="lower",
        range=(0, float("inf")),
        told="Off by {value} in cubes{limits}.",
        by_row={"numbers": lambda t, p: np.abs(p - t) ** 2},
        leads=EVERYWHERE,
    )
    def offness(r: Residuals) -> Mean:
        """Mean squared error under another name."""
        return find("mse")(r)  # type: ignore[return-value]

    return "offness"


@pytest.fixture(params=[rich, poor, of_numbers])
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    made = request.param()
    yield made
    forget(made)


def evaluation(name: str, score: np.ndarray = SCORE) -> sy.Evaluation:
    segment = ["north", "south"] * (N // 2)
    if Residuals in find(name).reads:
        return sy.evaluate(target=TARGET + SCORE, prediction=score, kind="continuous", segment=segment)
    return sy.evaluate(target=TARGET, score=score, segment=segment)


def test_it_is_in_every_report(name: str, tmp_path: Path) -> None:
    e = evaluation(name)
    assert name in e.text()
    assert e.to_dict() is not None
    document = json.dumps(e.rows_as_dicts())
    assert f'"{name}"' in document
    for ending in ("html", "md"):
        path = tmp_path / f"report.{ending}"
        e.report(path)
        assert name in path.read_text(encoding="utf-8"), ending
    if find(name).leads:
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert find(name).title in page, "its card"
        assert statement(e[name]) in e.text().replace("\n  ", " ").splitlines(), "its sentence in the story"


def test_it_is_compared(name: str) -> None:
    two = {"one": evaluation(name), "two": evaluation(name, OTHER)}
    if find(name).leads:
        assert name in sy.compare(two).measures and name in str(sy.compare(two))
    assert name in str(sy.compare(two, measures=[name]))
    given = {"one": SCORE, "two": OTHER}
    if Residuals in find(name).reads:
        c = sy.compare(target=TARGET + SCORE, prediction=given, measures=[name], kind="continuous")
        known = sy.compare(target=TARGET + SCORE, prediction=given, measures=["mse"], kind="continuous")
        d, wanted = c.difference(name, "one", "two"), known.difference("mse", "one", "two")
        assert (d.value, d.low, d.high, d.method) == (wanted.value, wanted.low, wanted.high, wanted.method)
    else:
        d = sy.compare(target=TARGET, score=given, measures=[name]).difference(name, "one", "two")
        assert d.low is not None and d.method


def test_the_gate_holds_it(name: str) -> None:
    e = evaluation(name)
    outcome = outcome_of(
        e, [f"{name} <= 5" if find(name).range[1] > 1 else f"{name} <= 1"], against=evaluation(name, OTHER)
    )
    assert name in str(outcome)
    if find(name).leads:
        assert name in str(outcome_of(e, against=evaluation(name, OTHER))), (
            "held against the champion's though nobody named it"
        )


def test_the_monitor_watches_it(name: str) -> None:
    pd = pytest.importorskip("pandas")
    days = [date(2026, 1, 1) + timedelta(days=i // 100) for i in range(N)]
    table = pd.DataFrame({"day": pd.to_datetime(days), "y": TARGET, "p": SCORE})
    numbers = Residuals in find(name).reads
    table["y"] = table["y"] + table["p"] if numbers else table["y"]
    how = {"prediction": "p", "kind": "continuous"} if numbers else {"score": "p"}
    m = sy.monitor(table, time="day", target="y", window="day", reference=table, measures=[name], **how)
    assert find(name).noun.lower() in str(m).lower()
    assert any(s.name == name and s.value is not None for w in m.windows for s in w.signals)


def test_its_sample_size_is_planned_or_refused_in_a_sentence(name: str) -> None:
    m = find(name)
    if m.cases is not None and m.cases.whose:
        with pytest.raises(NotAvailable, match=rf"{name} is a share of .*, and each model has its own\."):
            sample_size(name, value=0.5, difference=0.1)
        return
    plan = sample_size(name, value=0.5, difference=0.1, **({"deviation": 1.0} if m.by_row else {}))
    assert plan.rows > 0 and m.noun in str(plan)


def test_the_page_of_measures_has_it(name: str) -> None:
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["docs_make"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    del sys.modules["docs_make"]
    assert name in module.catalogue_page()
