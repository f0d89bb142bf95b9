"""Two columns of segments are crossed in one scan, the same in every form of table: each pair is what its own rows say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.rows.language import Tally

from .alike import alike
from .forms import EVERYWHERE, FORMS, Table, evaluate
from .test_engines import QUESTIONS, TABLE

CROSSED = {"region": "region", "truth": "truth as bool"}
KINDS = ["scores", "labels", "classes", "scores, labels"]


def _ask(form: str, table: Table, folder: Path, question: str, **more: Any) -> sy.Evaluation:
    call = QUESTIONS[question] | more
    options = {k: call.pop(k) for k in ("positive", "weights") if k in call}
    return evaluate(form, table, folder, call, **options)


@pytest.mark.parametrize("question", KINDS)
@pytest.mark.parametrize("form", EVERYWHERE, indirect=True)
def test_every_form_crosses_two_columns_alike(form: str, question: str, tmp_path: Path) -> None:
    for by in ({}, {"weight": "weight", "unit": "name"}):
        given = {"segment": {"region": "region", "band": "band"}, **by}
        found = _ask(form, TABLE, tmp_path, question, **given)
        assert found.segments.crossed and len(found.segments) == 9
        alike(found, _ask("lists", TABLE, tmp_path, question, **given))


@pytest.mark.parametrize("question", KINDS[:3])
def test_a_pair_is_what_its_own_rows_say(question: str, tmp_path: Path) -> None:
    e = _ask("lists", TABLE, tmp_path, question, segment={"region": "region", "band": "band"})
    region, band = (TABLE[name].values for name in ("region", "band"))
    assert sum(p.rows for p in e.segments.values()) == e.rows
    for a, b in sorted(set(zip(region, band, strict=True))):
        rows = [i for i, pair in enumerate(zip(region, band, strict=True)) if pair == (a, b)]
        part = e.segments[a, b]
        told = int(b) if float(b).is_integer() else b
        assert part is e.segments[f"{a} × {told}"] and part.rows == len(rows)
        of_them = {n: type(c)(c.kind, [c.values[i] for i in rows]) for n, c in TABLE.items()}
        if len(set(of_them["truth"].values)) == 2:
            alone = _ask("lists", of_them, tmp_path, question)
            for name in (m for m in alone.measures if alone[m].defined and m in part.measures):
                assert float(part[name]) == pytest.approx(float(alone[name]), rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_crossing_asks_each_engine_as_often_as_one_column_does(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more key in the same requests: no further pass over the rows."""
    made: list[int] = []
    keys = Tally.__init__

    def counted(self: Tally, *args: Any, **given: Any) -> None:
        made.append(1)
        keys(self, *args, **given)

    times = []
    for segment in ("region", {"region": "region", "band": "band"}):
        monkeypatch.setattr(Tally, "__init__", counted)
        made.clear()
        _ask(form, TABLE, tmp_path, "labels", segment=segment)
        times.append(len(made))
        monkeypatch.undo()
    # What is asked is copied once for the second key of each request that keeps segments apart.
    assert times[0] <= times[1] <= 2 * times[0]


def test_pairs_are_saved_added_and_read_again(tmp_path: Path) -> None:
    rows = {"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6], "a": ["n", "n", None, "s"], "b": [1, 2.5, 3, 1]}
    e = sy.evaluate(rows, target="y", score="p", segment=["a", "b"])
    assert list(e.segments) == ["(missing) × 3", "n × 1", "n × 2.5", "s × 1"]
    e.save(tmp_path / "e.json")
    again = sy.load(tmp_path / "e.json")
    assert again.segments == e.segments and again.segments.crossed
    assert all(p.rows == 2 for p in again.plus(e, twice=True).segments.values())


def test_what_cannot_be_crossed_is_said() -> None:
    rows = {"y": [1.5, 2.5], "p": [1.0, 2.0], "a": ["n", "s"], "b": ["u", "v"], "c": ["x", "y"]}
    with pytest.raises(sy.errors.NotAvailable, match="these are numbers"):
        sy.evaluate(rows, target="y", prediction="p", segment=["a", "b"])
    with pytest.raises(sy.errors.UsageError, match="at most two can be crossed"):
        sy.evaluate(rows, target="y", prediction="p", segment=["a", "b", "c"])
    # Without a table a list holds one value for each row, as ever.
    assert list(sy.evaluate(target=[1, 0], score=[0.9, 0.1], segment=["n", "s"]).segments) == ["n", "s"]


def test_a_table_tells_both_columns_and_which_pairs_are_worse() -> None:
    n = 1_200
    region, device = ["north", "south", "west"] * (n // 3), (["app"] * 3 + ["web"] * 3) * (n // 6)
    target = [int(i % 7 < 3) for i in range(n)]
    bad = [r == "west" and d == "web" for r, d in zip(region, device, strict=True)]
    score = [
        (i * 37 % 100) / 100 if b else 0.6 * t + (i * 61 % 50) / 100
        for i, (b, t) in enumerate(zip(bad, target, strict=True))
    ]
    rows = {"y": target, "p": score, "region": region, "device": device}
    e = sy.evaluate(rows, target="y", score="p", segment=["region", "device"])
    t = e.table("crossed")
    assert list(t.cells) == ["region × device", "app", "web", "all"]
    assert t.cells["web"][2].value == e.segments["west", "web"]["auc"].value
    south = sy.evaluate(
        {k: [v[i] for i in range(n) if region[i] == "south"] for k, v in rows.items()}, target="y", score="p"
    )
    assert t.cells["all"][1].value == pytest.approx(south["auc"].value) and t.cells["all"][3].value == e["auc"].value
    assert "Clearly worse than all rows, 6 looks considered: west × web." in t.note
    assert (
        "Ranking (AUC) by region × device" in e.text()
        and "crossed" not in sy.evaluate(rows, target="y", score="p").tables
    )
    one = sy.evaluate(rows, target="y", score="p", segment="region")
    assert "crossed" not in one.tables
