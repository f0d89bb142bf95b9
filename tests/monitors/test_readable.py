"""What cannot be read is an alarm of its own, and never passes for nothing being wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from steelyard.errors import NotNumeric

from .conftest import stream, watch

SINCE = "2024-03-20"
ROWS = stream(days=26, a_day=150)
LATE = (ROWS["when"] >= SINCE).to_numpy()


def changed(column: str, value: Any, where: Any = LATE) -> pd.DataFrame:
    """The rows with something else in a column from a day on."""
    held = ROWS[column].astype(object if isinstance(value, str) else float)
    return ROWS.assign(**{column: held.where(~where, value)})


CASES: dict[str, tuple[str, Callable[[], pd.DataFrame], dict[str, Any]]] = {
    "a level in text that nobody declared": ("labels", lambda: changed("y", "maybe"), {}),
    "a level in numbers that nobody declared": ("labels", lambda: changed("y", 2), {}),
    "some rows with such a level": ("labels", lambda: changed("y", 2, LATE & (np.arange(len(ROWS)) % 9 == 0)), {}),
    "labels of predictions": ("labels", lambda: changed("y", 7), {"score": None, "prediction": "guess"}),
    "a number that is none": (
        "labels",
        lambda: changed("x", "?"),
        {"target": "x", "score": None, "prediction": "p", "kind": "continuous"},
    ),
    "no label at all, though the horizon has passed": ("labels", lambda: changed("y", np.nan), {"horizon": "1 day"}),
    "chances in per cent": ("reading", lambda: ROWS.assign(p=ROWS["p"].where(~LATE, ROWS["p"] * 100)), {}),
    "no scores any more": ("reading", lambda: changed("p", np.nan), {"missing": "drop"}),
}


@pytest.mark.parametrize("mode", ["windows", "sequential"])
@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_read_fires_at_once_and_says_why(case: str, mode: str) -> None:
    name, rows, given = CASES[case]
    if mode == "sequential" and given.get("missing"):
        given = given | {"target": None, "mode": mode}
    m = watch(rows(), **(given | {"mode": mode}))
    assert (m.state, name in m.firing) == ("alarm", True)
    assert "nothing is wrong" not in str(m) and "stands since 2024-03-20" in str(m)
    fired = next(a for a in m.alarms if a.signal == name)
    assert (fired.window, fired.after) == (SINCE, "firing") and fired.reason
    assert name not in watch(ROWS, **(given | {"mode": mode})).signals
    performance = [s for w in m.windows if w.name >= SINCE for s in w.signals if s.kind == "performance"]
    assert name != "labels" or all(s.state not in {"ok", "warn", "alarm"} or mode == "sequential" for s in performance)


def test_labels_that_cannot_be_read_are_not_added_up_as_the_other_level() -> None:
    good = watch(ROWS[~LATE], mode="sequential").windows[-1]["brier"]
    assert watch(changed("y", 2), mode="sequential")[good_day()]["brier"].value == good.value
    assert watch(changed("y", 2), mode="sequential").windows[-1].state_of("brier") == "ok"


def good_day() -> str:
    """The last day on which labels could be read."""
    return "2024-03-19"


def test_a_day_without_labels_between_days_that_have_them_is_told() -> None:
    hole = (ROWS["when"] >= "2024-03-15").to_numpy() & ~LATE
    m = watch(changed("y", np.nan, hole))
    assert m["2024-03-16"].state == "alarm" and "later window" in m["2024-03-16"]["labels"].reason
    assert m.state == "ok"


def test_scores_in_text_are_refused_in_a_sentence() -> None:
    with pytest.raises(
        NotNumeric, match=r'The score "p" of the table holds text, such as "n/a", in 1,050 of 3,900 rows'
    ):
        watch(changed("p", "n/a"))


def test_nothing_wrong_is_said_only_of_what_could_be_judged() -> None:
    m = watch(ROWS.groupby(ROWS["when"].dt.date).head(20), reference=ROWS[~LATE], measures=["auc"])
    assert m.windows[-1]["auc"].state == "insufficient"
    assert m.state != "ok" or "could not be" in m.sentences()[0]
