"""steelyard evaluate: what it prints, where, and with which exit code."""

import json
import re

import pytest

from steelyard import evaluate
from steelyard.views.layout import width_of

ESCAPE = re.compile(r"\x1b")


def fits(text):
    return [line for line in text.splitlines() if width_of(line) > 80] == []


def test_two_levels_with_scores(steelyard, preds):
    told = steelyard("evaluate", preds.name, "--target", "y", "--score", "p")
    assert (told.code, told.err) == (0, "")
    said = " ".join(told.out.split())
    told = steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "-v")
    assert "Better than chance: ranks a positive above a negative" in said and "The rest: -v here" in said
    assert "Confusion matrix" in told.out
    assert fits(told.out)
    assert not ESCAPE.search(told.out)


@pytest.mark.parametrize("full", [[], ["-v"]])
def test_everything_fits_in_eighty_columns(steelyard, preds, flowers, doses, full):
    calls = [
        (preds.name, "--target", "y", "--score", "p", "--segment", "region", "--weight", "w"),
        (preds.name, "--target", "label", "--prediction", "guess", "--positive", "spam"),
        (flowers.name, "--target", "species", "--score", "a=p_a", "--score", "b=p_b", "--score", "c=p_c"),
        (flowers.name, "--target", "species", "--prediction", "guess"),
        (doses.name, "--target", "dose", "--prediction", "dose_hat"),
    ]
    for call in calls:
        told = steelyard("evaluate", *call, *full)
        assert told.code == 0, told.err
        assert fits(told.out), told.out


def test_json_is_one_document_without_nan(steelyard, preds):
    told = steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "--segment", "region", "--json")

    def refuse(word):
        pytest.fail(f"{word} in JSON")

    document = json.loads(told.out, parse_constant=refuse)
    assert document["schema"] == 1
    assert {"source", "rows", "levels", "positive", "threshold", "sentences", "numbers", "confusion"} <= set(document)
    assert document["rows"] == 240
    assert document["sentences"][0]["text"].startswith("Evaluated on 240 rows")
    whole = {n["measure"]: n for n in document["numbers"] if n["segment"] is None}
    assert 0 < whole["auc"]["low"] < whole["auc"]["estimate"] < whole["auc"]["high"] < 1
    assert {n["segment"] for n in document["numbers"]} == {None, "north", "south", "east"}


def test_an_undefined_number_is_null_with_a_reason(steelyard, make):
    make("certain.csv", ("y", "p"), [[1, 1.0], [0, 0.0], [1, 0.0], [0, 0.4], [1, 0.7]])
    told = steelyard("evaluate", "certain.csv", "--target", "y", "--score", "p", "--json")
    loss = next(n for n in json.loads(told.out)["numbers"] if n["measure"] == "log_loss")
    assert loss["estimate"] is None
    assert loss["reason"]


def test_numbers_are_those_of_the_library(steelyard, preds):
    e = evaluate(str(preds), target="label", score="p", positive="spam", threshold=0.4, confidence=0.9)
    told = steelyard(
        *("evaluate", preds.name, "--target", "label", "--score", "p", "--positive", "spam"),
        *("--threshold", 0.4, "--confidence", 0.9, "--json"),
    )
    for row in json.loads(told.out)["numbers"]:
        x = e[row["measure"]]
        assert row["estimate"] == pytest.approx(x.value, rel=1e-12), row["measure"]
        assert row["low"] == pytest.approx(x.low, rel=1e-12)


def test_a_score_for_each_level(steelyard, flowers):
    scores = [a for level in "abc" for a in ("--score", f"{level}=p_{level}")]
    told = steelyard("evaluate", flowers.name, "--target", "species", *scores, "--json")
    names = {n["measure"] for n in json.loads(told.out)["numbers"]}
    assert {"hand_till_auc", "top_k_accuracy", "auc"} <= names


def test_a_column_may_be_called_anything(steelyard, make):
    rows = [[i % 2, (i * 7 % 10) / 10] for i in range(40)]
    make("plain.csv", ("y", "p"), rows)
    make("odd.csv", ("y", "a=b"), rows)
    plain = steelyard("evaluate", "plain.csv", "--target", "y", "--score", "p", "--json")
    odd = steelyard("evaluate", "odd.csv", "--target", "y", "--score", "a=b", "--json")
    assert json.loads(plain.out)["numbers"] == json.loads(odd.out)["numbers"]


@pytest.mark.parametrize(
    ("levels", "typed"),
    [
        ((0, 1), "1"),
        ((0, 1), "true"),
        (("false", "true"), "true"),
        (("false", "true"), "1"),
        ((1, 2), "2"),
        ((0.5, 1.5), "1.5"),
    ],
)
def test_the_positive_level_is_typed_as_text(steelyard, make, levels, typed):
    make("t.csv", ("y", "p"), [[levels[i % 2], (i * 7 % 10) / 10] for i in range(40)])
    told = steelyard("evaluate", "t.csv", "--target", "y", "--score", "p", "--positive", typed, "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["positive"] == (True if levels[0] == "false" else levels[1])


def test_saving_and_telling_again(steelyard, preds, tmp_path):
    first = steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "--save", "e.json")
    assert first.code == 0
    assert "e.json" in first.err
    again = steelyard("evaluate", "e.json")
    assert again.out == first.out
    lower = steelyard("evaluate", "e.json", "--threshold", 0.3)
    direct = steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "--threshold", 0.3)
    assert lower.out == direct.out
    narrow = steelyard("evaluate", "e.json", "--confidence", 0.5, "--json")
    assert json.loads(narrow.out)["confidence"] == 0.5
    assert not [p for p in tmp_path.iterdir() if p.suffix not in {".csv", ".json"}], "nothing half-written is left"


def test_files_are_not_written_over(steelyard, preds, tmp_path):
    call = ("evaluate", preds.name, "--target", "y", "--score", "p")
    for option, name in (("--save", "mine.json"), ("-o", "mine.txt")):
        (tmp_path / name).write_text("mine")
        told = steelyard(*call, option, name)
        assert told.code == 2
        assert "--force" in told.err
        assert (tmp_path / name).read_text() == "mine"
    told = steelyard(*call, "-o", "mine.txt", "--force")
    assert (told.code, told.out) == (0, "")
    assert "ranks a positive" in (tmp_path / "mine.txt").read_text(encoding="utf-8")
    assert steelyard(*call, "-o", "-").out == steelyard(*call).out


@pytest.mark.parametrize("name", ["mine.txt", "mine", "-"])
def test_what_is_saved_is_a_json_file(steelyard, preds, tmp_path, name):
    told = steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "--save", name)
    assert (told.code, told.out) == (2, "")
    assert ".json" in told.err
    assert not (tmp_path / name).exists()


def test_a_target_of_zeros_and_ones_with_numbers_is_pointed_at(steelyard, preds):
    call = ("evaluate", preds.name, "--target", "y", "--prediction", "p")
    assert 'say score="p" (--score p)' in " ".join(steelyard(*call).out.split())
    told = json.loads(steelyard(*call, "--json").out)
    assert told["facts"]["target"] == "only 0 and 1"
    assert any("only 0 and 1" in note for note in told["notes"])
    assert "only 0 and 1" not in steelyard(*call, "--kind", "continuous").out
    assert "only 0 and 1" not in steelyard("evaluate", preds.name, "--target", "w", "--prediction", "p").out


def test_frequencies_are_whole_numbers(steelyard, preds):
    call = ("evaluate", preds.name, "--target", "y", "--score", "p", "--weights", "frequency")
    told = steelyard(*call, "--weight", "w")
    assert told.code == 3
    assert "no whole number" in told.err and "--weights sampling" in told.err
    assert steelyard(*call, "--weight", "copies").code == 0


def test_of_many_segments_the_largest_are_told(steelyard, make):
    make("many.csv", ["y", "p", "s"], [[i % 2, (i * 37 % 101) / 101, i // 4] for i in range(1200)])
    for role in ("--score", "--prediction"):
        told = steelyard("evaluate", "many.csv", "--target", "y", role, "p", "--segment", "s", "-v")
        assert told.code == 0, told.err
        told_in_one_line = " ".join(told.out.split())
        assert "of 300 segments" in told_in_one_line and "280 more are in --json and .frame()" in told_in_one_line
        short = evaluate("many.csv", target="y", segment="s", **{role.strip("-"): "p"})
        assert len(short.text().splitlines()) < 120 + 12 and len(str(short).splitlines()) <= 16


def test_a_saved_evaluation_knows_its_columns(steelyard, preds):
    steelyard("evaluate", preds.name, "--target", "y", "--score", "p", "--save", "e.json")
    told = steelyard("evaluate", "e.json", "--target", "y")
    assert told.code == 2
    assert "--target" in told.err


def test_rows_left_out_are_told(steelyard, make):
    make("gaps.csv", ("y", "p"), [[i % 2, "" if i == 5 else (i * 7 % 10) / 10] for i in range(40)])
    told = steelyard("evaluate", "gaps.csv", "--target", "y", "--score", "p", "--missing", "drop")
    assert "1 row with a missing" in " ".join(told.out.split())


def test_scores_turned_round_get_a_hint(steelyard, make):
    make("round.csv", ("y", "p"), [[i % 2, 0.9 - 0.5 * (i % 2) + (i % 7) / 100] for i in range(80)])
    told = steelyard("evaluate", "round.csv", "--target", "y", "--score", "p")
    assert "look for scores that are turned round" in " ".join(told.out.split())
    assert "worse than chance" in told.out


def test_few_cases_get_no_verdict(steelyard, make):
    make("few.csv", ("y", "p"), [[int(i < 5), (i * 7 % 10) / 10] for i in range(80)])
    told = steelyard("evaluate", "few.csv", "--target", "y", "--score", "p")
    assert "Too few cases to say" in told.out
    assert "5 real positives" in told.out


HOSTILE = [
    "'; drop table x; --",
    'quo"te',
    "<script>alert(1)</script>",
    "two\nlines",
    "\x1b[31mred",
    "日本語のとても長い名前がここに続きます日本語のとても長い名前",
    "🙂👍🏽",
    "{v} %s {level}",
    "a" * 300,
    "macro",
]


def bare(document):
    """The numbers alone, without what names are in them."""
    kept = ("measure", "estimate", "low", "high", "method", "n", "n_eff", "bound")
    return [tuple(row[k] for k in kept) for row in document["numbers"]]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_change_no_number(steelyard, make, name):
    rows = [[i % 2, (i * 7 % 10) / 10, i % 3] for i in range(60)]
    make("plain.csv", ("y", "p", "s"), [["a" if y else "a not", p, f"part {s}"] for y, p, s in rows])
    make(
        "odd.csv",
        (name, f"{name} p", f"{name} s"),
        [[name if y else f"{name} not", p, f"{name} {s}"] for y, p, s in rows],
    )
    plain = steelyard(
        "evaluate", "plain.csv", "--target", "y", "--score", "p", "--segment", "s", "--positive", "a", "--json"
    )
    call = (
        "evaluate",
        "odd.csv",
        "--target",
        name,
        "--score",
        f"{name} p",
        "--segment",
        f"{name} s",
        "--positive",
        name,
    )
    odd = steelyard(*call, "--json")
    assert odd.code == 0, odd.err
    assert sorted(bare(json.loads(odd.out))) == sorted(bare(json.loads(plain.out)))
    told = steelyard(*call)
    assert fits(told.out), told.out
    assert not ESCAPE.search(told.out)
    assert "\nlines" not in told.out
    labels = steelyard("evaluate", "odd.csv", "--target", name, "--prediction", name, "--positive", name)
    assert labels.code == 0, labels.err
    assert fits(labels.out), labels.out


def test_many_levels_stay_readable(steelyard, make):
    make("many.csv", ("y", "g"), [[f"level {i % 40}", f"level {(i + (i % 7 == 0)) % 40}"] for i in range(400)])
    told = steelyard("evaluate", "many.csv", "--target", "y", "--prediction", "g", "-v")
    assert "Commonest mistakes" in told.out
    assert fits(told.out)
    assert len(evaluate("many.csv", target="y", prediction="g").text().splitlines()) < 100


def test_no_number_is_written_as_nan(steelyard, preds, doses):
    for call in (
        (preds.name, "--target", "y", "--score", "p"),
        (doses.name, "--target", "dose", "--prediction", "dose_hat"),
    ):
        told = steelyard("evaluate", *call, "-v")
        assert told.code == 0
        assert "nan" not in told.out.lower().split()
