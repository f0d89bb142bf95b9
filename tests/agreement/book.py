"""One file of frozen answers: the data by name, then one case a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

ANSWERS = Path(__file__).parent / "answers"
SKLEARN = ("scikit-learn", sklearn.__version__)
SCIPY = ("SciPy", scipy.__version__)
BRUTE = ("brute force over rows and pairs", "1")

Columns = dict[str, list[Any]]


class Book:
    """Collects the cases of one theme and writes them."""

    def __init__(self, theme: str, data: dict[str, Columns]) -> None:
        self.theme = theme
        self.data = data
        self.cases: list[dict[str, Any]] = []

    def add(
        self,
        data: str | None,
        call: dict[str, Any],
        measure: str,
        expected: Any,
        program: tuple[str, str] = SKLEARN,
        *,
        options: dict[str, Any] | None = None,
        level: Any = None,
        part: str = "value",
        tolerance: float | None = None,
        note: str | None = None,
    ) -> None:
        """Add a case; `part` says what of the answer is compared: value, interval, se, n_eff or curve."""
        kind = {"sampling": "sampling", "frequency": "frequency"}.get(call.get("weights", ""), "")
        words = [data or "matrix", kind, measure, "" if level is None else f"[{level}]"]
        words += [f"{k}={v}" for k, v in (options or {}).items()]
        words += [f"{k}={call[k]}" for k in ("threshold", "confidence", "confusion") if k in call]
        words += [part if part != "value" else "", program[0].split()[0]]
        case = {
            "name": " ".join(w for w in words if w),
            "data": data,
            "call": call,
            "measure": measure,
            "options": options or {},
            "level": level,
            "part": part,
            "expected": plain(expected),
            "program": program[0],
            "version": program[1],
        }
        if tolerance is not None:
            case["tolerance"] = tolerance
        if note is not None:
            case["note"] = note
        self.cases.append(case)

    def write(self, folder: Path = ANSWERS) -> Path:
        """Write the book as JSON: a column a line, a case a line, no NaN and no infinity."""
        names = [case["name"] for case in self.cases]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, f"two cases have one name: {sorted(twice)}"
        used = {case["data"] for case in self.cases}
        sets = [
            f'  "{name}": {{\n'
            + ",\n".join(f"   {_json(column)}: {_json(values)}" for column, values in columns.items())
            + "\n  }"
            for name, columns in self.data.items()
            if name in used
        ]
        lines = [f"  {_json(case)}" for case in self.cases]
        text = '{\n "data": {\n' + ",\n".join(sets) + '\n },\n "cases": [\n' + ",\n".join(lines) + "\n ]\n}\n"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.theme}.json"
        path.write_text(text, encoding="utf-8")
        return path


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def plain(value: Any) -> Any:
    """NumPy out, plain Python in; an infinite threshold becomes null because JSON has no infinity."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        assert not math.isnan(value), "an answer is not a number"
        return value if math.isfinite(value) else None
    return value


def weightings(columns: Columns, call: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, np.ndarray], Any]]:
    """The plain call, the sampling-weighted call and the frequency call, each with the columns and sample_weight to
    ask with. Frequency weights are asked as copies of rows, since that is what they mean.
    """
    arrays = {name: np.array(values) for name, values in columns.items()}
    yield call, arrays, None
    if "w" in columns:
        yield call | {"weight": "w", "weights": "sampling"}, arrays, arrays["w"]
    if "k" in columns:
        copies = {name: np.repeat(values, arrays["k"]) for name, values in arrays.items()}
        yield call | {"weight": "k", "weights": "frequency"}, copies, None
