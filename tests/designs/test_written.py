"""Designs as text, in words, and every sentence that refuses one."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import model_selection as sk

from steelyard.designs.bootstrap import Bootstrap
from steelyard.designs.design import Design, design_of
from steelyard.designs.folds import KFold, LeaveOneOut, NestedFolds, StoredFolds
from steelyard.designs.holdout import Holdout, PairedHoldout, RepeatedHoldout
from steelyard.designs.out_of_time import OutOfTime
from steelyard.designs.split import Split
from steelyard.designs.splitter import Splitter
from steelyard.designs.written import FORMS, design_from_text
from steelyard.errors import (
    BadLevels,
    EmptyTable,
    LengthsDiffer,
    MissingPart,
    MissingValues,
    SteelyardError,
    UnknownColumn,
    UsageError,
)


@pytest.mark.parametrize(
    ("text", "design", "said"),
    [
        ("holdout", Holdout(), "hold-out of 33.3%"),
        ("holdout:0.3", Holdout(0.3), "hold-out of 30%"),
        ("holdout:1/3", Holdout(1 / 3), "hold-out of 33.3%"),
        ("holdout:30%", Holdout(0.3), "hold-out of 30%"),
        ("holdout:500", Holdout(500), "hold-out of 500 rows"),
        ("holdout:0.3x20", RepeatedHoldout(0.3, 20), "hold-out of 30%, 20 repeats"),
        ("kfold", KFold(10), "10 folds"),
        ("kfold:10", KFold(10), "10 folds"),
        ("KFold:10x3", KFold(10, repeats=3), "10 folds, 3 repeats"),
        ("k-fold:10×3", KFold(10, repeats=3), "10 folds, 3 repeats"),
        ("loo", LeaveOneOut(), "leave one out"),
        ("leave-one-out", LeaveOneOut(), "leave one out"),
        ("bootstrap:200", Bootstrap(200), "200 bootstrap replicates"),
        ("outoftime:day", OutOfTime("day"), 'out of time by "day", latest 33.3%'),
        ("outoftime:day:5", OutOfTime("day", origins=5), 'out of time by "day", latest 33.3%, 5 origins'),
        ("outoftime:a:b:5", OutOfTime("a:b", origins=5), 'out of time by "a:b", latest 33.3%, 5 origins'),
        ("outoftime:day@2024-01-01", OutOfTime("day", "2024-01-01"), 'out of time by "day", from 2024-01-01'),
        (
            "outoftime:day@2024-01-01T12:00:00",
            OutOfTime("day", "2024-01-01T12:00:00"),
            'out of time by "day", from 2024-01-01T12:00:00',
        ),
        ("folds:fold", StoredFolds("fold"), 'the folds of "fold"'),
        ("nested:5x10", NestedFolds(5, 10), "5 nested folds, 10 repeats"),
        ("paired:15x10", PairedHoldout(0.1, 15, 10), "hold-out of 10%, 15 repeats, 10 pairs of halves"),
    ],
)
def test_a_text_is_a_design_and_a_design_is_said(text: str, design: Design, said: str) -> None:
    assert design_from_text(text) == design == design_of(text)
    assert str(design) == design.text == said


def test_every_form_that_the_sentence_lists_can_be_read() -> None:
    for form in FORMS:
        assert isinstance(design_from_text(form), Design)


def test_options_reach_the_design() -> None:
    assert design_from_text("kfold:5", stratify=True, group="who", seed=3) == KFold(5, True, group="who", seed=3)
    assert design_from_text("holdout:0.3x4", stratify="region") == RepeatedHoldout(0.3, 4, stratify="region")
    assert design_from_text("outoftime:day", gap="7 days", seed=3) == OutOfTime("day", gap="7 days")
    assert design_from_text("loo", group="who", seed=9) == LeaveOneOut("who")
    assert KFold(5, "region", group="who").names == ("who", "region")
    assert str(KFold(5, "region", group="who")) == '5 folds, stratified by "region", whole groups of "who"'
    assert str(Holdout(0.3, 0.2, True)) == "hold-out of 30%, validation on 20%, stratified"
    assert str(Splitter(sk.TimeSeriesSplit(3))) == "TimeSeriesSplit of scikit-learn"


def refused(kind: type[SteelyardError], call: Any) -> str:
    with pytest.raises(kind) as problem:
        call()
    assert problem.value.hint
    return problem.value.message


@pytest.mark.parametrize(
    "text", ["kfold:x", "kfold:10x", "kfold:-3", "bootstrap:2x3", "loo:3", "folds", "holdout:1/0", "holdout:1/3:1/0"]
)
def test_a_text_that_is_nearly_right_is_shown_its_form(text: str) -> None:
    said = refused(UsageError, lambda: design_from_text(text))
    assert said.startswith(f'The design "{text}" cannot be read; it is written {text.partition(":")[0]}')


def test_a_text_that_is_no_design_is_told_all_forms() -> None:
    said = refused(UsageError, lambda: design_from_text("kfolds:5"))
    assert all(form in said for form in FORMS)
    assert refused(UsageError, lambda: design_from_text("")).startswith('There is no design called "".')
    assert refused(UsageError, lambda: design_from_text("outoftime:@2024")).startswith(
        'The design "outoftime:@2024" cannot'
    )


def test_an_option_that_a_design_does_not_take_is_not_lost() -> None:
    assert refused(UsageError, lambda: design_from_text("loo", stratify=True)) == 'The design "loo" takes no stratify.'
    assert refused(UsageError, lambda: design_from_text("kfold:5", gap=3)) == 'The design "kfold:5" takes no gap.'
    assert refused(UsageError, lambda: design_from_text("nested", group="g")) == 'The design "nested" takes no group.'


def draw(design: Design, rows: int = 12, y: Any = None, data: Any = None) -> Any:
    return lambda: list(design.splits(rows, y, data))


Y = np.array(["a"] * 9 + ["b"] * 3)
FLOATS = np.linspace(0, 1, 8)
SENTENCES: list[tuple[type[SteelyardError], Any, str]] = [
    (EmptyTable, draw(KFold(), 0), "This design needs at least 2 rows, and none came."),
    (EmptyTable, draw(PairedHoldout(), 3), "This design needs at least 4 rows, and 3 came."),
    (UsageError, lambda: KFold(1), "The number of folds must be at least 2, and 1 came."),
    (UsageError, lambda: KFold(2.5), "The number of folds is a whole number, and 2.5 came."),  # type: ignore[arg-type]
    (UsageError, lambda: KFold(3, seed=-1), "The seed must be at least 0, and -1 came."),
    (UsageError, lambda: NestedFolds(2), "The number of nested folds must be at least 3, and 2 came."),
    (UsageError, draw(KFold(13)), "12 rows can be cut into at most 12 folds, and 13 were asked for."),
    (
        UsageError,
        lambda: KFold(3, repeats=2, shuffle=False),
        "Folds in the order of the rows are the same each time, and 2 repeats were asked for.",
    ),
    (
        BadLevels,
        draw(KFold(4, stratify=True), 12, Y),
        '1 level has fewer than 4 rows, so that not every part can hold one: "b" (3). '
        "The number of parts is larger than the smallest class.",
    ),
    (
        BadLevels,
        draw(Holdout(stratify=True), 8, FLOATS),
        "A target of numbers is stratified by its quartiles, and 8 rows are too few for that.",
    ),
    (
        BadLevels,
        draw(Holdout(1, stratify=True), 12, Y),
        "There are 2 strata, and one part has room for 1 row only.",
    ),
    (UsageError, draw(KFold(stratify=True)), "The rows are to be stratified by the target, and no target came."),
    (LengthsDiffer, draw(KFold(3, stratify=True), 12, [1, 2]), "There are 2 values of the target for 12 rows."),
    (LengthsDiffer, draw(KFold(3, group=[1, 2])), "There are 2 values of the group for 12 rows."),
    (UsageError, draw(KFold(3, group="who")), 'The group is the column "who", and no table came to find it in.'),
    (
        UnknownColumn,
        draw(KFold(3, group="who"), 12, None, {"whom": [1] * 12}),
        'There is no column "who" for the group; there are "whom".',
    ),
    (MissingValues, draw(KFold(3, group=[1.0, None] * 6)), "The group is missing in 6 of 12 rows."),
    (
        UsageError,
        draw(KFold(3, group=[1, 2] * 6)),
        "There are 2 groups, and 3 are needed, since a group is never divided.",
    ),
    (UsageError, draw(LeaveOneOut([1] * 12)), "There is 1 group, and 2 are needed, since a group is never divided."),
    (UsageError, draw(StoredFolds([1] * 12)), "All rows are in one fold: 1."),
    (
        UsageError,
        draw(StoredFolds([([0], [1])] * 12)),
        "A column of levels holds lists or other values that cannot be told apart.",
    ),
    (UsageError, lambda: Holdout(0), "The test part is a share between 0 and 1 or a number of rows, and 0 came."),
    (
        UsageError,
        lambda: Holdout(0.3, -0.1),
        "The validation part is a share between 0 and 1 or a number of rows, and -0.1",
    ),
    (
        UsageError,
        draw(StoredFolds(7)),
        "The fold is a column of values or its name, and an object of the type int came.",
    ),
    (UsageError, lambda: Holdout(1.5), "The test part is a share between 0 and 1 or a number of rows, and 1.5 came."),
    (UsageError, lambda: Holdout(1.0), "The test part is a share between 0 and 1 or a number of rows, and 1.0 came."),
    (
        UsageError,
        lambda: Holdout("third"),  # type: ignore[arg-type]
        "The test part is a share between 0 and 1 or a number of rows, and 'third' came.",
    ),
    (UsageError, draw(Holdout(0.01)), "The test part must hold some of the 12 rows but not all, and 0.01 makes 0."),
    (UsageError, draw(Holdout(12)), "The test part must hold some of the 12 rows but not all, and 12 makes 12."),
    (
        UsageError,
        draw(Holdout(0.5, 0.5)),
        "The test part takes 6 and the validation part 6 of 12 rows: none is left to train.",
    ),
    (
        UsageError,
        lambda: Holdout(stratify=True, group="who"),
        "A hold-out is either stratified or made of whole groups, and both were asked for.",
    ),
    (
        UsageError,
        lambda: Splitter(sk.ShuffleSplit(3)),
        "ShuffleSplit draws at random and has no seed, so it would never draw the same rows.",
    ),
    (UsageError, lambda: design_of(sk.KFold), "A splitter came as its class, KFold, and not made."),
    (UsageError, lambda: design_of(KFold), "A design came as its class, KFold, and not made."),
    (
        UsageError,
        lambda: design_of(10),
        "A design is a text, a Design, a scikit-learn splitter or a column of folds, and an object of the type int came.",
    ),
    (UsageError, lambda: Split([], [1]), "In repeat 1, fold 1 no row trains."),
    (UsageError, lambda: Split([1], []), "In repeat 1, fold 1 no row tests."),
    (
        UsageError,
        lambda: Split([1, 2], [2, 3]),
        "1 row is in both the training and the test part of repeat 1, fold 1, such as row 2.",
    ),
    (
        UsageError,
        lambda: Split([1, 2], [3], [3]),
        "1 row is in both the validation and the test part of",
    ),
    (UsageError, lambda: Split([1, 2], [3, 3]), "In repeat 1, fold 1 a row stands twice in the test part."),
    (
        UsageError,
        lambda: Split([True, False], [3]),
        "The training part is a list of row numbers, and something else came",
    ),
    (UsageError, lambda: Split([-1], [3]), "The training part holds the row number -1, and rows are counted from 0."),
]


@pytest.mark.parametrize(("kind", "call", "said"), SENTENCES, ids=[s[2][:50] for s in SENTENCES])
def test_what_cannot_be_meant_gets_a_sentence(kind: type[SteelyardError], call: Any, said: str) -> None:
    message = refused(kind, call)
    assert message == said if said.endswith(".") else message.startswith(said)


class Wrong:
    """A splitter that names rows which are not there."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        yield [0, 1], [99]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 1


def test_a_splitter_that_refuses_is_quoted() -> None:
    said = refused(UsageError, draw(Splitter(sk.KFold(20))))
    assert said.startswith("KFold cannot divide these 12 rows: Cannot have number of splits n_splits=20")
    assert (
        refused(UsageError, draw(Splitter(Wrong())))
        == "The splitter names row 99, and there are 12 rows, counted from 0."
    )
    assert str(Splitter(Wrong())) == "the splitter Wrong"


def test_columns_are_found_in_every_kind_of_table() -> None:
    who = ["x", "y", "z"] * 4
    expected = list(KFold(3, group=who).splits(12))
    frame = pd.DataFrame({"who": who, "n": range(12)}, index=range(100, 112))
    record = np.array([(w,) for w in who], dtype=[("who", "U1")])
    for data in (frame, frame.astype({"who": "category"}), pl.DataFrame({"who": who}), pa.table({"who": who}), record):
        assert list(KFold(3, group="who").splits(12, None, data)) == expected
    for values in (
        frame["who"],
        pl.Series(who),
        pa.array(who),
        pa.chunked_array([who]),
        tuple(who),
        np.array(who)[:, None],
    ):
        assert list(KFold(3, group=values).splits(12)) == expected
    with pytest.raises(UsageError, match="has no named columns"):
        list(KFold(3, group="who").splits(12, None, np.zeros((12, 2))))


def test_groups_may_be_of_any_kind() -> None:
    for values in ([1, "1", 2.5, (1, 2)] * 3, [None is None, "a", "b", 4] * 3, [10**30, 1, 2, 3] * 3):
        assert len(list(LeaveOneOut(values).splits(12))) == 4
    with pytest.raises(MissingValues):
        list(LeaveOneOut(np.ma.array([1, 2, 3] * 4, mask=[True] + [False] * 11)).splits(12))


def test_without_scikit_learn_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "sklearn":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPart, match=r"pip install 'steelyard\[experiments\]'"):
        list(KFold(3).splits(12))
