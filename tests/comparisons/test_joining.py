"""Tables of several models are joined by their key, with the weights, units and amounts that they share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.errors import LengthsDiffer, SteelyardError, UnknownColumn, UsageError

N = 120


def _tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    r = np.random.default_rng(5)
    truth = r.integers(0, 2, N)
    first = pd.DataFrame(
        {"id": np.arange(N), "y": truth, "p": truth * 0.4 + r.random(N), "w": r.random(N) + 0.5, "u": np.arange(N) // 3}
    )
    second = first.assign(p=truth * 0.2 + r.random(N)).sample(frac=1, random_state=1)
    return first, second


ROLES: dict[str, Any] = {"target": "y", "score": {"A": "p", "B": "p"}, "on": "id"}


@pytest.mark.parametrize("lacking", [[], ["w"], ["w", "u"]])
@pytest.mark.parametrize("form", [lambda d: d, pl.from_pandas])
def test_weights_and_units_of_joined_tables(lacking: list[str], form: Any) -> None:
    first, second = _tables()
    second = second.drop(columns=lacking)
    found = sy.compare({"A": form(first), "B": form(second)}, weight="w", unit="u", **ROLES)
    scores = {"A": first["p"].to_numpy(), "B": second.sort_values("id")["p"].to_numpy()}
    weight, unit = first["w"].to_numpy(), first["u"].to_numpy()
    wanted = sy.compare(target=first["y"].to_numpy(), score=scores, weight=weight, unit=unit)
    a, b = (c.difference("auc", "A", "B") for c in (found, wanted))
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-12)


def test_amounts_of_joined_tables(tmp_path: Path) -> None:
    first, second = _tables()
    paths = {"A": tmp_path / "a.csv", "B": tmp_path / "b.csv"}
    first.to_csv(paths["A"], index=False)
    second.to_csv(paths["B"], index=False)
    profit = sy.Profit(tp="w", fp=-1)
    found = sy.compare(paths, profit=profit, value="w", **ROLES)
    assert found.evaluations["A"].profit().value == pytest.approx(
        sy.evaluate(first, target="y", score="p", profit=profit, value="w").profit().value
    )


@pytest.mark.parametrize(
    ("change", "more", "words"),
    [
        ({"id": str}, {}, 'The key "id" holds numbers in the table of "A" and text in that of "B"'),
        ({"id": lambda v: v + 1}, {}, '2 values of "id" are in the table of "A" or "B" and not in both'),
        ({"id": lambda v: 7}, {}, 'Some values of "id" occur more than once in the table of "B"'),
        ({"id": lambda v: v if v else None}, {}, 'Some values of "id" are missing in the table of "B"'),
        ({"y": lambda v: 1 - v}, {}, 'The targets of "A" and "B" differ in 120 rows of the same "id"'),
        ({"w": lambda v: v * 2}, {"weight": "w"}, 'The columns "w" of "A" and "B" differ in 120 rows of the same "id"'),
        ({"u": lambda v: v if v else 9}, {"unit": "u"}, 'The columns "u" of "A" and "B" differ in 3 rows'),
        ({}, {"weight": "v"}, 'There is no column "v"'),
    ],
)
def test_what_does_not_fit_is_told_as_it_is(change: dict[str, Any], more: dict[str, Any], words: str) -> None:
    first, second = _tables()
    for column, how in change.items():
        second = second.assign(**{column: [how(v) for v in second[column].tolist()]})
    with pytest.raises(SteelyardError, match=words) as told:
        sy.compare({"A": first, "B": second}, **ROLES, **more)
    assert isinstance(told.value, UsageError | LengthsDiffer | UnknownColumn)


def test_keys_of_text_that_look_like_numbers_stay_text() -> None:
    first, second = (t.assign(id=[f"{i:03}" for i in t["id"]]) for t in _tables())
    assert sy.compare({"A": first, "B": second}, **ROLES).evaluations["A"].rows == N


def test_scores_of_every_class_of_joined_tables() -> None:
    r = np.random.default_rng(3)
    shares = r.dirichlet((1.0, 1.0, 1.0), N)
    first = pd.DataFrame({"id": np.arange(N), "y": r.choice(list("abc"), N), **dict(zip("abc", shares.T, strict=True))})
    second = first.sample(frac=1, random_state=2)
    by_level = {v: v for v in "abc"}
    c = sy.compare({"A": first, "B": second}, target="y", score={"A": by_level, "B": by_level}, on="id")
    assert c.difference("accuracy", "A", "B").value == 0.0
