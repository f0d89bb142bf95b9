"""steelyard evaluate with money: amounts from files and as typed, per-row amounts, decisions, validation parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.views.layout import width_of

from .conftest import HEAD, two_levels

TOML = "[profit]\ntp = 140\nfn = -140\nfp = -700\ntn = 0\n"
MATRIX = "profit,0,1\n0,0,-700\n1,-140,140\n"
TYPED = "tp=140, fn=-140, fp=-700, tn=0"
CALL = ("--target", "y", "--score", "p")
ROWS = [dict(zip(HEAD, row, strict=True)) for row in two_levels()]
Run = Callable[..., Any]


def earned(flagged: Callable[[dict[str, Any]], bool], tp: Any, fn: Any, fp: Any, tn: Any) -> float:
    """What decisions come to, row by row; an amount may be a function of the row."""
    total = 0.0
    for row in ROWS:
        amount = (tp if flagged(row) else fn) if row["y"] else (fp if flagged(row) else tn)
        total += amount(row) if callable(amount) else amount
    return total


def worth(told: Any) -> dict[str, Any]:
    assert told.code == 0, told.err
    found: dict[str, Any] = json.loads(told.out)["worth"]
    return found


def test_a_profit_is_the_same_from_any_place(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    (tmp_path / "profit.toml").write_text(TOML)
    (tmp_path / "profit.csv").write_text(MATRIX)
    (tmp_path / "plain.csv").write_text(MATRIX.replace("profit", ""))
    expected = earned(lambda r: r["p"] >= 0.5, 140, -140, -700, 0)
    for given in ("profit.toml", "profit.csv", "plain.csv", TYPED, "TN=0; fp=-700;fn=-140 ; tp = 2*70,"):
        found = worth(steelyard("evaluate", preds.name, *CALL, "--profit", given, "--json"))
        assert (found["measure"], found["value"]) == ("profit", expected), given
        assert found["low"] < expected < found["high"]
        assert [p["name"] for p in found["policies"]] == ["flag everybody", "flag nobody", "at random", "perfect"]


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize(("name", "text"), [("profit.toml", TOML), ("profit.csv", MATRIX)])
def test_windows_line_ends_and_marks_change_nothing(
    steelyard: Run, preds: Path, tmp_path: Path, name: str, text: str, mark: str, ends: str
) -> None:
    (tmp_path / name).write_bytes((mark + text.replace("\n", ends)).encode("utf-8"))
    found = worth(steelyard("evaluate", preds.name, *CALL, "--profit", name, "--json"))
    assert found["value"] == earned(lambda r: r["p"] >= 0.5, 140, -140, -700, 0)


def test_a_file_that_says_which_wins_over_the_word_of_the_option(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    (tmp_path / "cost.csv").write_text("cost,0,1\n0,0,700\n1,280,0\n")
    (tmp_path / "open.csv").write_text(",0,1\n0,0,700\n1,280,0\n")
    (tmp_path / "profit.toml").write_text(TOML)
    expected = earned(lambda r: r["p"] >= 0.5, 0, 280, 700, 0)
    said = {("--profit", "cost.csv"): "cost", ("--cost", "cost.csv"): "cost", ("--cost", "open.csv"): "cost",
            ("--profit", "open.csv"): "profit", ("--cost", "profit.toml"): "profit"}  # fmt: skip
    for call, kind in said.items():
        found = worth(steelyard("evaluate", preds.name, *CALL, *call, "--json"))
        assert found["measure"] == kind, call
        if "profit.toml" not in call:
            assert found["value"] == expected


def test_a_file_may_have_an_equals_sign_in_its_name(steelyard: Run, preds: Path, tmp_path: Path) -> None:
    (tmp_path / "tp=1.toml").write_text(TOML)
    found = worth(steelyard("evaluate", preds.name, *CALL, "--profit", "tp=1.toml", "--json"))
    assert found["value"] == earned(lambda r: r["p"] >= 0.5, 140, -140, -700, 0)


def test_amounts_of_the_rows_own(steelyard: Run, make: Run) -> None:
    head = ("y", "p", "copies", "the fee, w")
    make("fees.csv", head, [[r["y"], r["p"], r["copies"], r["w"]] for r in ROWS])
    expected = earned(
        lambda r: r["p"] >= 0.5, lambda r: 0.9 * r["copies"] - 5 * r["w"], 0, lambda r: -r["w"] - 1, lambda r: 2
    )
    typed = "tp=0.9*copies - 5*`the fee, w`, fp=-`the fee, w` - 1, tn=2"
    found = worth(steelyard("evaluate", "fees.csv", *CALL, "--profit", typed, "--json"))
    assert found["value"] == pytest.approx(expected, rel=1e-12)
    # "value" is the only amount there is, whatever its column is called.
    one = worth(steelyard("evaluate", "fees.csv", *CALL, "--profit", "tp=value", "--value", "copies", "--json"))
    assert one["value"] == earned(lambda r: r["p"] >= 0.5, lambda r: r["copies"], 0, 0, 0)


def test_ranges_are_told_by_their_middle_and_their_ends(steelyard: Run, preds: Path) -> None:
    typed = "tp=100..180, fn=-copies..-0.5*copies, fp=-.5...5"
    found = worth(steelyard("evaluate", preds.name, *CALL, "--profit", typed, "--json"))

    def at(tp: float, fn: float, fp: float) -> float:
        return earned(lambda r: r["p"] >= 0.5, tp, lambda r: fn * r["copies"], fp, 0)

    assert found["value"] == pytest.approx(at(140, -0.75, 0))
    assert found["band"] == pytest.approx([at(100, -1, -0.5), at(180, -0.5, 0.5)])


def test_decisions_by_expected_profit(steelyard: Run, preds: Path) -> None:
    tp, fn, fp = 3.0, -1.0, -2.0

    def acts(row: dict[str, Any]) -> bool:
        p: float = row["p"]
        return p * tp * row["copies"] + (1 - p) * fp > p * fn

    call = ("evaluate", preds.name, *CALL, "--profit", f"tp={tp}*copies, fn={fn}, fp={fp}", "--decide", "profit")
    found = worth(steelyard(*call, "--json"))
    assert found["value"] == earned(acts, lambda r: tp * r["copies"], fn, fp, 0)


def test_the_text_tells_the_worth_in_eighty_columns(steelyard: Run, preds: Path, flowers: Path, tmp_path: Path) -> None:
    told = steelyard("evaluate", preds.name, *CALL, "--profit", TYPED, "--segment", "region", "-v")
    assert told.code == 0
    assert "The profit of 240 rows is" in told.out
    assert "flag nobody" in told.out
    assert "Break-even: act where the probability is above 0.714." in told.out
    assert all(width_of(line) <= 80 for line in told.out.splitlines()), told.out
    plain = steelyard("evaluate", preds.name, *CALL, "--segment", "region", "-v").out
    assert "Break-even" not in plain and "profit" not in plain
    (tmp_path / "cost.csv").write_text("cost,a,b,c\na,0,1,5\nb,1,0,1\nc,9,1,0\n")
    three = steelyard("evaluate", flowers.name, "--target", "species", "--prediction", "guess", "--cost", "cost.csv")
    assert three.code == 0, three.err
    assert "cost" in three.out
    assert all(width_of(line) <= 80 for line in three.out.splitlines()), three.out


def test_a_saved_evaluation_keeps_its_payoff_and_takes_another(steelyard: Run, preds: Path) -> None:
    call = ("evaluate", preds.name, *CALL, "--segment", "region", "--value", "copies")
    first = steelyard(*call, "--profit", TYPED, "--save", "paid.json", "--json")
    again = steelyard("evaluate", "paid.json", "--json")
    assert worth(again) == worth(first)
    assert steelyard(*call, "--save", "plain.json", "-q").code == 0
    for given in (("--profit", TYPED), ("--cost", "fn=3, fp=copies"), ("--profit", "tp=value")):
        later = steelyard("evaluate", "plain.json", *given, "--threshold", 0.4, "--json")
        direct = steelyard(*call, *given, "--threshold", 0.4, "--json")
        assert worth(later) == worth(direct)
        assert json.loads(later.out)["numbers"] == json.loads(direct.out)["numbers"], "segments are told as well"
    assert worth(steelyard("evaluate", "paid.json", "--cost", "fp=1", "--json"))["measure"] == "cost"


def test_standard_input_is_worth_as_much(process: Run, preds: Path) -> None:
    told = process("evaluate", "-", *CALL, "--profit", "tp=copies, fp=-1", "--json", stdin=preds.read_text())
    assert told.code == 0, told.err
    found = json.loads(told.out)
    assert found["source"] == "standard input"
    assert found["worth"]["value"] == earned(lambda r: r["p"] >= 0.5, lambda r: r["copies"], 0, -1, 0)


def test_rows_kept_apart_are_not_told(steelyard: Run, make: Run) -> None:
    rows = [[r["y"], r["p"], "validation" if i % 3 == 0 else "test"] for i, r in enumerate(ROWS)]
    make("divided.csv", ("y", "p", "part"), rows)
    make("test.csv", ("y", "p"), [row[:2] for row in rows if row[2] == "test"])
    told = steelyard("evaluate", "divided.csv", *CALL, "--validation", "part", "--json")
    alone = steelyard("evaluate", "test.csv", *CALL, "--json")
    assert json.loads(told.out)["numbers"] == json.loads(alone.out)["numbers"]
    assert told.err == "80 rows are kept apart to choose a threshold on; these are the other 160.\n"
    assert steelyard("evaluate", "divided.csv", *CALL, "--validation", "part", "-q").err == ""


def test_a_matrix_of_amounts_is_typed_as_books_print_it(steelyard: Run, preds: Path) -> None:
    plain = worth(steelyard("evaluate", str(preds), *CALL, "--profit", TYPED, "--json"))
    for text, layout in (("140 -140; -700 0", "positive first"), ("0,-700;-140,140;", "negative first")):
        assert worth(steelyard("evaluate", str(preds), *CALL, "--profit", text, "--layout", layout, "--json")) == plain
    named = ("--level", "good", "--level", "bad", "--positive", "good")
    matrix = ("evaluate", "--confusion", "57 3; 10 30", *named, "--profit", "140 -140; -700 0", "--json")
    assert worth(steelyard(*matrix))["value"] == 560
