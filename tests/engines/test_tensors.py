"""Tensors are counted on their device: the same evidence as arrays, and no rows on the host."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.engines import devices, groups, tensors
from steelyard.engines.arrays import ArrayRows
from steelyard.engines.columns import make_column
from steelyard.errors import LengthsDiffer, MissingValues, NotNumeric, UsageError
from steelyard.rows.language import Tally

from .alike import alike
from .forms import evaluate
from .test_engines import OPTIONS, QUESTIONS, TABLE
from .test_missing import CASES
from .test_missing import TABLE as GAPS

torch = pytest.importorskip("torch")

TRUTH = [1, 0, 1, 1, 0, 0]
SCORE = [0.9, 0.2, 0.4, 0.8, 0.6, 0.1]


@pytest.fixture
def _counted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of the host are counted as if it were a device of its own."""
    monkeypatch.setattr(devices, "DEVICES", {"cpu"})


here = pytest.mark.usefixtures("_counted_here")


def _tensors(roles: Any) -> Any:
    if isinstance(roles, dict):
        return {k: _tensors(v) for k, v in roles.items()}
    return torch.from_numpy(roles) if isinstance(roles, np.ndarray) else roles


def _on_device(**roles: Any) -> sy.Evaluation:
    found = sy.evaluate(**_tensors(roles))
    assert found.facts["engine"] == "tensors"
    return found


def test_tensors_of_the_host_are_arrays() -> None:
    for kind in (torch.float64, torch.float32, torch.bfloat16):
        score = torch.tensor(SCORE, dtype=kind, requires_grad=True)
        found = sy.evaluate(target=torch.tensor(TRUTH), score=score)
        assert found.facts["engine"] == "arrays"
        alike(found, sy.evaluate(target=TRUTH, score=score.tolist()))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("by", [{}, {"weight": "weight"}, {"unit": "customer", "segment": "big"}, {"unit": "account"}])
def test_parts_add_up(question: str, by: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = QUESTIONS[question] | by
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    options = {k: v for k, v in call.items() if k in OPTIONS}
    wanted = evaluate("lists", TABLE, tmp_path, roles, **options)
    monkeypatch.setattr(devices, "CHUNK", 7)
    monkeypatch.setattr(tensors, "JOINED", 3)
    monkeypatch.setattr(groups, "DENSE", 5)
    alike(evaluate("torch tensors", TABLE, tmp_path, roles, **options), wanted)


@pytest.mark.parametrize("case", CASES)
def test_what_is_missing_in_some_parts_only(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = CASES[case][0]
    roles = {k: v for k, v in call.items() if k not in OPTIONS}
    options = {k: v for k, v in call.items() if k in OPTIONS} | {"missing": "drop"}
    wanted = evaluate("lists", GAPS, tmp_path, roles, **options)
    monkeypatch.setattr(devices, "CHUNK", 7)
    alike(evaluate("torch tensors", GAPS, tmp_path, roles, **options), wanted)


KINDS = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint64",
    "bool",
)


@here
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_number(kind: str) -> None:
    dtype = getattr(torch, kind)
    truth, score = torch.tensor(TRUTH).to(dtype), (torch.tensor(SCORE) * (1 if "float" in kind else 9)).to(dtype)
    # Truth as it was: booleans stay booleans, whole numbers in floats are whole numbers.
    same = [bool(t) for t in TRUTH] if kind == "bool" else TRUTH
    alike(_on_device(target=truth, score=score), sy.evaluate(target=same, score=score.tolist()))
    alike(_on_device(target=truth, prediction=truth), sy.evaluate(target=same, prediction=same))
    by = {"unit": score, "segment": score}
    plain = {k: v.tolist() for k, v in by.items()}
    alike(_on_device(target=truth, score=score, **by), sy.evaluate(target=same, score=score.tolist(), **plain))


COLUMNS: dict[str, Any] = {
    "bands": np.array([-0.0, 0.0, 2.5, np.nan, -np.inf, 1e17, -3.0]),
    "whole": np.array([-0.0, 0.0, 2.0, 3.0, 2.0, -3.0, 1e15]),
    "hash": np.array([0, 1, 2**63, 2**64 - 1, 2**64 - 1, 5, 2**63 + 1], dtype=np.uint64),
    "count": np.array([-(2**63), 2**63 - 1, 0, 5, 5, -1, 1]),
    "flag": np.array([True, False, True, True, False, False, True]),
}
LEVELS = (
    0,
    1,
    True,
    2.5,
    1e17,
    -3,
    -1,
    5,
    2**63,
    2**64 - 1,
    2**70,
    -(2**63),
    np.int64(5),
    math.inf,
    math.nan,
    "5",
    None,
)


@pytest.mark.parametrize("name", COLUMNS)
def test_the_row_language_says_the_same(name: str) -> None:
    here = tensors.TensorRows({name: devices.DeviceColumn(name, torch.from_numpy(COLUMNS[name]))})
    there = ArrayRows({name: make_column(name, COLUMNS[name])})
    assert here.bucket(name).tolist() == there.bucket(name).tolist()
    for level in LEVELS:
        assert here.is_level(name, level).tolist() == there.is_level(name, level).tolist(), level
    for known in (LEVELS, LEVELS[3:6], LEVELS[8:9]):
        numbers = {level: i + 0.1 for i, level in enumerate(known)}
        found = here.lookup(name, numbers, 77.7)
        wanted = there.lookup(name, numbers, 77.7).tolist()
        assert (found.tolist() if hasattr(found, "tolist") else [found] * 7) == wanted
    answers = [rows.tally(Tally({"level": lambda r: r.level(name)})) for rows in (here, there)]
    told = [sorted(zip(map(str, a["level"].tolist()), a["rows"].tolist())) for a in answers]
    assert told[0] == told[1]
    assert here.chain([(here.value(name) > 0, 0.1)], 0.2).tolist() == [0.1 if v > 0 else 0.2 for v in COLUMNS[name]]


@here
@pytest.mark.parametrize("shape", ["gradient", "column", "strided", "parameter"])
def test_tensors_as_models_leave_them(shape: str) -> None:
    score = torch.tensor(SCORE, dtype=torch.float64)
    made = {
        "gradient": score.clone().requires_grad_() * 1.0,
        "column": score[:, None],
        "strided": score.repeat_interleave(2)[::2],
        "parameter": torch.nn.Parameter(score),
    }[shape]
    alike(_on_device(target=torch.tensor(TRUTH), score=made), sy.evaluate(target=TRUTH, score=SCORE))


@pytest.fixture(scope="module")
def many() -> dict[str, Any]:
    r = np.random.default_rng(3)
    n = 2_000_000
    score = r.random(n) ** r.choice([1.0, 7.0], n)
    score[:6] = [0.0, -0.0, 1.0, 0.5, np.nextafter(0.5, 0), np.nextafter(1, 0)]
    score[6:16] = np.linspace(-3, 3e5, 10)
    return {"target": (r.random(n) < score).astype(np.float32), "score": score}


@here
@pytest.mark.parametrize("by", ["alone", "weight", "value", "unit and segment"])
def test_many_rows_on_the_grid(by: str, many: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "CHUNK", 1 << 19)
    n = len(many["score"])
    extra = {
        "alone": {},
        "weight": {"weight": 0.5 + np.arange(n) * 0.37 % 1},
        "value": {"value": np.arange(n) * 0.11 % 7, "weight": 1 + np.arange(n) % 3},
        "unit and segment": {"unit": np.arange(n) % 9973, "segment": np.arange(n) % 3},
    }[by]
    found = _on_device(**many, **extra, threshold=0.3)
    assert found.scores is not None
    assert found.scores.cells.gridded
    alike(found, sy.evaluate(**many, **extra, threshold=0.3))


def test_no_digits_are_lost_in_long_sums() -> None:
    """Squared errors of short floats, added up one by one, are off by 4e-12 after four million rows."""
    r = np.random.default_rng(0)
    target = r.standard_normal(1 << 22, dtype=np.float32) * 20 + 50
    error = (target + r.standard_normal(1 << 22, dtype=np.float32)).astype(np.float64) - target
    x = np.maximum(error, 0) ** 2
    wanted = math.fsum(x.tolist())
    assert abs(x.cumsum()[-1] / wanted - 1) > 1e-12
    for xp, numbers in ((torch, torch.from_numpy(x)), (np, x)):
        found = groups._added(xp, xp.zeros(len(x), dtype=xp.int64), numbers, 1)
        assert abs(float(found[0]) / wanted - 1) < 1e-13


@here
def test_many_rows_with_gaps_and_exactly(many: dict[str, Any]) -> None:
    gaps = many | {"score": np.where(np.arange(len(many["score"])) % 1000 == 5, np.nan, many["score"])}
    with pytest.raises(MissingValues, match="2,000 with a missing"):
        _on_device(**gaps)
    alike(_on_device(**gaps, missing="drop"), sy.evaluate(**gaps, missing="drop"))
    some = {k: v[:400_000] for k, v in many.items()}
    alike(_on_device(**some), sy.evaluate(**some))


@here
def test_numbers_and_classes_of_many_rows(many: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", 1000)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", 1000)
    monkeypatch.setattr(devices, "CHUNK", 1 << 16)
    score = many["score"][:200_000] % 1.0
    numbers = {"target": score * 3 - 1, "prediction": score * 2.9 - 0.9 + np.sin(np.arange(len(score)))}
    alike(
        _on_device(**numbers, segment=np.arange(len(score)) % 4),
        sy.evaluate(**numbers, segment=np.arange(len(score)) % 4),
    )
    classes = {"target": np.arange(len(score)) % 3, "score": {0: score, 1: score[::-1].copy(), 2: (score * 7) % 1}}
    alike(_on_device(**classes), sy.evaluate(**classes))


@here
def test_choosing_and_deciding() -> None:
    n = 400
    r = np.random.default_rng(1)
    score = r.random(n)
    rows = {"target": (r.random(n) < score).astype(np.int64), "score": score, "value": {"loan": r.random(n) * 100}}
    options = {"profit": sy.Profit(tp="loan", fp=-30, fn=0, tn=0), "decide": "profit"}
    alike(_on_device(**rows, **options), sy.evaluate(**rows, **options))
    for apart in (np.arange(n) % 3 == 0, [("test", "validation")[i % 2] for i in range(n)]):
        found, wanted = _on_device(**rows, validation=apart), sy.evaluate(**rows, validation=apart)
        alike(found, wanted)
        assert found.validation is not None and wanted.validation is not None
        alike(found.validation, wanted.validation)


@here
def test_only_small_answers_come_to_the_host(many: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def watched(xp: Any, values: Any) -> Any:
        sizes.append(len(values))
        return fetch(xp, values)

    fetch = devices.fetch
    for module in (devices, tensors):
        monkeypatch.setattr(module, "fetch", watched)
    for name in ("numpy", "tolist"):
        plain = getattr(torch.Tensor, name)
        monkeypatch.setattr(torch.Tensor, name, lambda x, plain=plain: (sizes.append(x.numel()), plain(x))[1])
    rows = _tensors(many)
    sy.evaluate(**rows, unit=(rows["score"] * 100).to(torch.int64))
    assert 0 < max(sizes) < len(rows["score"]) // 10
    sizes.clear()
    sy.evaluate(target=rows["target"], prediction=rows["target"] > 0)
    assert max(sizes) == 2


@here
def test_where_only_repeatable_operations_are_allowed() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        found = _on_device(
            target=torch.tensor(TRUTH), score=torch.tensor(SCORE, dtype=torch.float64), weight=np.ones(6)
        )
    finally:
        torch.use_deterministic_algorithms(False)
    alike(found, sy.evaluate(target=TRUTH, score=SCORE, weight=np.ones(6)))


@here
def test_columns_of_the_host_beside_tensors() -> None:
    score = torch.tensor(SCORE, dtype=torch.float64)
    for by in ({"segment": list("aabbab")}, {"unit": ["u", "v", "u", "w", "x", "v"]}, {"weight": [1, 2, 3, 1, 2, 3]}):
        alike(_on_device(target=TRUTH, score=score, **by), sy.evaluate(target=TRUTH, score=SCORE, **by))
    words = ["spam" if t else "ham" for t in TRUTH]
    alike(
        _on_device(target=words, score=score, positive="spam"), sy.evaluate(target=words, score=SCORE, positive="spam")
    )
    with pytest.raises(NotNumeric, match='The weight holds text, such as "a"'):
        sy.evaluate(target=TRUTH, score=score, weight=list("aabbab"))


@here
def test_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    score = torch.tensor(SCORE)
    with pytest.raises(UsageError, match="The scores are a matrix of 6 rows and 2 columns"):
        sy.evaluate(target=TRUTH, score=torch.zeros(6, 2))
    with pytest.raises(UsageError, match=r"The score is a tensor of type torch.complex64 that cannot be counted."):
        sy.evaluate(target=TRUTH, score=score * 1j)
    with pytest.raises(UsageError, match=r"The score is a sparse tensor, where one value for each row is needed."):
        sy.evaluate(target=TRUTH, score=score.to_sparse())
    with pytest.raises(LengthsDiffer, match="target 6, score 5"):
        sy.evaluate(target=TRUTH, score=score[:5])
    monkeypatch.setattr(devices, "DEVICES", {"cpu", "meta"})
    with pytest.raises(UsageError, match='The score is a tensor on the device "meta", which holds no values'):
        sy.evaluate(target=torch.tensor(TRUTH), score=score.to("meta"))


@here
def test_other_rooms_look_at_copies() -> None:
    """Those that need the rows themselves copy them to the host, as for any stream."""
    r = np.random.default_rng(2)
    then, now = r.normal(size=500), r.normal(0.2, 1, size=500)
    assert sy.stability(*map(torch.from_numpy, (then, now))) == sy.stability(then, now)
    events = {"unit": np.arange(80) // 2, "time": np.arange(80) % 2 * 5.0, "score": r.random(80)}
    events["outcome"] = (np.arange(80) // 2 % 3 == 0).astype(np.int64)
    names = {name: name for name in events}
    found, wanted = (sy.timeliness(table, **names, horizon=10.0) for table in (_tensors(events), events))
    assert str(found) == str(wanted)
    arms = {"group": r.integers(0, 2, 300), "outcome": r.integers(0, 2, 300)}
    assert str(sy.trial(**_tensors(arms), control=0)) == str(sy.trial(**arms, control=0))


# CuPy -----------------------------------------------------------------------------------------------------------------


class Stand(np.ndarray):
    """NumPy in the place of CuPy, whose functions have the same names."""

    device = nullcontext()


Stand.__module__ = "cupy"


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    module = ModuleType("cupy")
    module.__getattr__ = lambda name: getattr(np, name)  # type: ignore[method-assign]
    module.asnumpy = np.asarray  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


@pytest.mark.parametrize("limit", [40, 1 << 20])
def test_arrays_of_cupy(limit: int, cupy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.counting.rules.EXACT_ROWS", limit)
    monkeypatch.setattr("steelyard.summaries.cells.EXACT_ROWS", limit)
    monkeypatch.setattr(devices, "CHUNK", 16)
    rows = {name: np.array(TABLE[name].values) for name in ("truth", "score", "logit", "weight", "hash", "account")}
    for roles in (
        {"target": "truth", "score": "score", "weight": "weight", "unit": "hash"},
        {"target": "truth", "score": "logit", "unit": "account", "segment": "account"},
        {"target": "score", "prediction": "weight", "segment": "truth"},
    ):
        found = sy.evaluate(**{role: rows[name].view(Stand) for role, name in roles.items()})
        assert found.facts["engine"] == "tensors"
        alike(found, sy.evaluate(**{role: rows[name] for role, name in roles.items()}))


@here
def test_two_libraries_together(cupy: ModuleType) -> None:
    with pytest.raises(UsageError, match="Move all of them to one device of one library"):
        sy.evaluate(target=np.array(TRUTH).view(Stand), score=torch.tensor(SCORE))


BARE = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"duckdb", "pandas", "pyarrow", "polars", "narwhals", "numba"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Block())
import torch
import steelyard as sy
from steelyard.engines import devices
devices.DEVICES = {"cpu"}
y = torch.tensor([0, 1, 1, 0, 1])
print(sy.evaluate(target=y, score=y * 0.5).facts["engine"], sy.evaluate(target=y * 0.5, prediction=y * 0.4)["rmse"])
"""


def test_with_nothing_but_numpy_scipy_and_torch() -> None:
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("tensors 0.077")
