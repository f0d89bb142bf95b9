"""No public function echoes a secret, however the address was written: not in a message, a chain of causes or a file."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.gates.requirement import requirement_of, subject_of

from .secret_addresses import ADDRESSES, SECRET

ROWS = {"y": [0, 1] * 20, "p": [0.1, 0.7, 0.4, 0.9] * 10, "id": list(range(40)), "t": ["2024-01-01", "2024-01-09"] * 20}
TRAINED = ([[x % 7, x % 5] for x in range(40)], [*"ab"] * 20)


def _evaluation() -> Any:
    return sy.evaluate(ROWS, target="y", score="p")


CALLS: dict[str, Callable[[str], Any]] = {
    "load": lambda a: sy.load(a),
    "load of a path": lambda a: sy.load(Path(a)),
    "evaluate": lambda a: sy.evaluate(a, target="y", score="p"),
    "evaluate a path": lambda a: sy.evaluate(Path(a), target="y", score="p"),
    "evaluate a list": lambda a: sy.evaluate([a], target="y", score="p"),
    "evaluate two": lambda a: sy.evaluate([a, "b.csv"], target="y", score="p"),
    "validation": lambda a: sy.evaluate(ROWS, target="y", score="p", validation=a),
    "a column": lambda a: sy.evaluate(ROWS, target=a, score="p"),
    "a level": lambda a: sy.evaluate(ROWS, target="y", score="p", positive=a),
    "a profit": lambda a: sy.evaluate(ROWS, target="y", score="p", profit=a),
    "table": lambda a: sy.table(a),
    "a query": lambda a: sy.table(a, query="select * from data"),
    "labels": lambda a: sy.table(ROWS, labels=a, on="id"),
    "a cluster": lambda a: sy.table("x.csv", spark=a) if not a.startswith(("sc:", "spark:")) else None,
    "compare": lambda a: sy.compare(a, target="y", score={"a": "p", "b": "p"}),
    "compare two": lambda a: sy.compare({"a": a, "b": a}, target="y", score="p", on="id"),
    "monitor": lambda a: sy.monitor(a, time="t", target="y", score="p"),
    "a reference": lambda a: sy.monitor(ROWS, time="t", target="y", score="p", reference=a),
    "stability": lambda a: sy.stability(a, ROWS, column="p"),
    "stability of both": lambda a: sy.stability(ROWS, a, column="p"),
    "timeliness": lambda a: sy.timeliness(a, unit="id", time="t", score="p", outcome="y", horizon=3),
    "trial": lambda a: sy.trial(a, group="y", control="0", outcome="p", unit="id"),
    "words on a trial": lambda a: sy.trial(
        {"arm": [*"ab"] * 60, "left": [0, 0, 1, 1, 0, 1] * 20}, group="arm", control="a", outcome="left", selection=a
    ),
    "words on an experiment": lambda a: sy.experiment(["tree"], *TRAINED, design="kfold:2", name=a, remarks=[a]),
    "a requirement": lambda a: requirement_of(f"{a} >= 0.5"),
    "the name of a number": subject_of,
    "experiment": lambda a: sy.experiment({"a": object()}, a, "y"),
    "a store": lambda a: sy.experiment({"a": object()}, ROWS, "y", store=a),
    "learning_curve": lambda a: sy.learning_curve(object(), a, "y"),
    "slices": lambda a: sy.slices(a, target="y", score="p", segments=["id"]),
    "campaign": lambda a: sy.campaign(a, benefit=1, cost=1),
    "regions": lambda a: sy.regions({"a": a}),
    "measure": lambda a: _evaluation()[a],
    "curve": lambda a: _evaluation().curve(a),
    "save": lambda a: _evaluation().save(a),
    "save beside": lambda a: _evaluation().save(f"{a}/x.json"),
    "report": lambda a: _evaluation().report(a),
    "svg": lambda a: _evaluation().curve("roc").png(a),
    "a service": lambda a: sy.Client(a, tries=1),
    "a token": lambda a: sy.Client("http://monitor.example.com", a, tries=1),
    "rows for a service": lambda a: sy.Client("http://127.0.0.1:1", tries=1).predictions("m", a),
    "windows": lambda a: sy.windows(a, time="t", baseline=a),
    "a baseline": lambda a: sy.windows(ROWS, time="t", baseline=a),
    "windows in a folder": lambda a: sy.monitor(a, reference=a),
    "changes": lambda a: sy.changes(a, a),
    "draw_groups": lambda a: sy.draw_groups(a, control=1, treated=1),
    "peek": lambda a: sy.peek(a, target="y", score="p"),
    "labels after labels": lambda a: sy.table(sy.table(ROWS), labels=a, on="id"),
}


def _chain(problem: BaseException) -> Iterator[BaseException]:
    waiting, seen = [problem], set()
    while waiting:
        now = waiting.pop()
        if now is not None and id(now) not in seen:
            seen.add(id(now))
            yield now
            waiting += [now.__cause__, now.__context__]


@pytest.mark.parametrize("name", CALLS)
def test_no_function_echoes_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ADDRESSES:
        try:
            found = CALLS[name](address)
            told = f"{found!r} {found}"
        except Exception as problem:
            if not isinstance(problem, SteelyardError | TypeError):
                pytest.fail(f"{address}: {type(problem).__name__}")
            told = "\n".join(f"{p!r} {p} {getattr(p, 'filename', '')} {p.__dict__}" for p in _chain(problem))
            told += "".join(traceback.format_exception_only(problem))
        assert SECRET not in told, f"{name} of {address}: {told}"
    out, err = capfd.readouterr()
    assert SECRET not in out + err
    for place in tmp_path.rglob("*"):
        assert SECRET not in str(place.relative_to(tmp_path)), place
        assert not place.is_file() or SECRET.encode() not in place.read_bytes(), place


def test_every_way_is_another() -> None:
    assert len(set(ADDRESSES)) >= 40
