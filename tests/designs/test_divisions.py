"""Laws of every design: parts share no row, folds test each row once, groups stay whole, strata keep their shares."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as sk

from steelyard.designs.bootstrap import Bootstrap
from steelyard.designs.design import Design, design_of
from steelyard.designs.folds import KFold, LeaveOneOut, NestedFolds, StoredFolds
from steelyard.designs.holdout import Holdout, PairedHoldout, RepeatedHoldout
from steelyard.designs.out_of_time import OutOfTime
from steelyard.designs.schedules import Growing
from steelyard.designs.split import Split
from steelyard.designs.splitter import Splitter
from steelyard.designs.written import design_from_text
from steelyard.errors import SteelyardError, UsageError


@st.composite
def cases(draw: Any) -> tuple[Design, int, Any]:
    """A design of any kind, a number of rows and a target, mostly such that they fit one another."""
    n = draw(st.integers(12, 60))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    seed, k = draw(st.integers(0, 50)), draw(st.integers(2, 4))
    y = rng.integers(0, draw(st.integers(1, 3)), n)
    group = rng.integers(0, draw(st.integers(3, 10)), n) if draw(st.booleans()) else None
    stratify = group is None and draw(st.booleans())
    share, held = draw(st.floats(0.1, 0.45)), draw(st.sampled_from([0.0, 0.2, 0.4]))
    made = draw(
        st.sampled_from(
            [
                lambda: Holdout(share, held, stratify, group, seed),
                lambda: RepeatedHoldout(share, 3, held, stratify, group, seed),
                lambda: PairedHoldout(share, 2, 2, stratify, seed),
                lambda: KFold(k, draw(st.booleans()), 2, group, seed),
                lambda: KFold(k, stratify, shuffle=False),
                lambda: LeaveOneOut(group),
                lambda: StoredFolds(rng.integers(0, 4, n)),
                lambda: NestedFolds(k + 1, 2, stratify, seed),
                lambda: Bootstrap(4, group, seed),
                lambda: OutOfTime(rng.integers(0, 30, n), origins=k, gap=draw(st.integers(0, 4)), window=12),
                lambda: Splitter(sk.ShuffleSplit(3, random_state=seed)),
                lambda: Growing(KFold(k, stratify, seed=seed), [0.2, 0.6, 1.0], seed),
            ]
        )
    )
    return made(), n, y


def whole(design: Design, n: int, y: Any = None, data: Any = None) -> list[Split]:
    return list(design.splits(n, y, data))


def drawn(design: Design, n: int, y: Any) -> tuple[list[Split], SteelyardError | None]:
    try:
        return whole(design, n, y), None
    except SteelyardError as problem:
        return [], problem


@settings(max_examples=300, deadline=None)
@given(cases())
def test_parts_share_no_row_and_the_same_seed_draws_the_same_rows(case: tuple[Design, int, Any]) -> None:
    design, n, y = case
    found, problem = drawn(design, n, y)
    if problem is not None:
        # What does not fit is refused in a sentence with advice, and never by scikit-learn.
        assert problem.message.endswith(".") and problem.hint
        return
    assert found == whole(design, n, y)
    tested: set[int] = set()
    for split in found:
        train, validation, test = (set(p.tolist()) for p in (split.train, split.validation, split.test))
        assert train and (test or split.name == "apparent")
        assert not (train & test or train & validation or validation & test)
        assert max(train | test | validation) < n
        if never_twice(design):
            assert not tested & test
        tested |= test
    assert len({(s.repeat, s.fold, s.inner) for s in found}) == len(found)
    assert len({s.name for s in found}) == len(found)


def never_twice(design: Design) -> bool:
    """Whether no row is tested twice."""
    if isinstance(design, KFold | RepeatedHoldout):
        return design.repeats == 1
    return isinstance(design, LeaveOneOut | StoredFolds | Holdout | OutOfTime)


@settings(max_examples=80, deadline=None)
@given(st.integers(6, 80), st.integers(2, 6), st.integers(1, 3), st.integers(0, 99))
def test_every_row_is_tested_once_a_repeat(n: int, k: int, repeats: int, seed: int) -> None:
    stored = np.random.default_rng(seed).permutation(np.arange(n) % k)
    for design, times in (
        (KFold(k, repeats=repeats, seed=seed), repeats),
        (LeaveOneOut(), 1),
        (StoredFolds(stored), 1),
    ):
        found = whole(design, n)
        for repeat in range(times):
            mine = [s for s in found if s.repeat == repeat]
            assert sorted(np.concatenate([s.test for s in mine]).tolist()) == list(range(n))
            assert [s.fold for s in mine] == list(range(len(mine)))
            assert all(len(s.train) + len(s.test) == n for s in mine)
        assert {s.repeat for s in found} == set(range(times))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 6), st.lists(st.integers(6, 30), min_size=1, max_size=4), st.integers(0, 99))
def test_strata_keep_their_shares_to_rounding(k: int, counts: list[int], seed: int) -> None:
    y = np.random.default_rng(seed).permutation(np.repeat([f"level {i}" for i in range(len(counts))], counts))
    n = len(y)
    designs = [
        *(KFold(k, True, seed=seed), Holdout(0.3, 0.2, True, seed=seed), NestedFolds(max(k, 3), 1, True, seed)),
        KFold(k, y, seed=seed),
    ]
    for design in designs:
        for split in whole(design, n, y):
            if split.inner >= 0:
                continue
            for part in (split.test, split.validation):
                for i, count in enumerate(counts):
                    have = np.count_nonzero(y[part] == f"level {i}")
                    assert abs(have - count * len(part) / n) < 1 + 1e-9


def test_numbers_are_stratified_by_their_quartiles() -> None:
    y = np.random.default_rng(3).normal(size=200)
    edges = np.quantile(y, (0.25, 0.5, 0.75))
    for split in KFold(5, stratify=True).splits(200, y):
        assert np.bincount(np.searchsorted(edges, y[split.test], side="right")).tolist() == [10, 10, 10, 10]


@settings(max_examples=80, deadline=None)
@given(st.integers(10, 60), st.integers(3, 9), st.integers(0, 99))
def test_groups_are_never_divided(n: int, groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.r_[np.arange(groups), rng.integers(0, groups, n - groups)])
    names = np.array([f"customer {g}" for g in group])
    y = rng.integers(0, 2, n)
    drawn = [
        KFold(3, group=group, seed=seed),
        LeaveOneOut("who"),
        Bootstrap(5, group, seed),
        Holdout(0.3, 0.2, group="who"),
    ]
    drawn.append(Splitter(sk.GroupKFold(3), "who"))
    for design in drawn:
        for split in whole(design, n, y, {"who": names}):
            parts = [set(group[p].tolist()) for p in (split.train, split.validation, split.test)]
            assert sum(len(p) for p in parts) == len(set.union(*parts))
    for split in islice(Bootstrap(5, group, seed).splits(n), 5):
        times = np.bincount(split.train, minlength=n)
        assert all(len(set(times[group == g].tolist())) == 1 for g in range(groups))


# Agreement with scikit-learn -----------------------------------------------------------------------------------------


def pairs(splits: Iterator[Any]) -> list[tuple[list[int], list[int]]]:
    return [
        (sorted(s.train.tolist()), sorted(s.test.tolist()))
        if isinstance(s, Split)
        else (sorted(s[0].tolist()), sorted(s[1].tolist()))
        for s in splits
    ]


@pytest.mark.parametrize("seed", [0, 7])
def test_the_splitters_of_scikit_learn_draw_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, X = 60, np.zeros(60)
    y, g = rng.integers(0, 3, n), rng.integers(0, 12, n)
    table = [
        (KFold(5, seed=seed), sk.KFold(5, shuffle=True, random_state=seed), {}),
        (KFold(5, seed=seed, repeats=3), sk.RepeatedKFold(n_splits=5, n_repeats=3, random_state=seed), {}),
        (
            KFold(4, True, 2, seed=seed),
            sk.RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=seed),
            {"y": y},
        ),
        (KFold(4, shuffle=False), sk.KFold(4), {}),
        (KFold(4, group=g, seed=seed), sk.GroupKFold(4, shuffle=True, random_state=seed), {"groups": g}),
        (KFold(3, True, group=g, shuffle=False), sk.StratifiedGroupKFold(3), {"y": y, "groups": g}),
        (LeaveOneOut(), sk.LeaveOneOut(), {}),
        (LeaveOneOut(g), sk.LeaveOneGroupOut(), {"groups": g}),
        (StoredFolds(g), sk.PredefinedSplit(g), {}),
        (RepeatedHoldout(0.25, 4, seed=seed), sk.ShuffleSplit(4, test_size=15, random_state=seed), {}),
        (
            RepeatedHoldout(15, 4, 0, True, seed=seed),
            sk.StratifiedShuffleSplit(4, test_size=15, random_state=seed),
            {"y": y},
        ),
    ]
    for design, splitter, known in table:
        theirs = pairs(splitter.split(X, **known))
        assert pairs(design.splits(n, y)) == theirs
        again = Splitter(splitter, g if "groups" in known else None)
        assert pairs(again.splits(n, y)) == theirs
    train, test = sk.train_test_split(np.arange(n), test_size=20, random_state=seed)
    assert pairs(Holdout(seed=seed).splits(n)) == [(sorted(train), sorted(test))]


def test_a_splitter_counts_its_repeats() -> None:
    repeated = Splitter(sk.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1))
    assert [(s.repeat, s.fold) for s in repeated.splits(9)] == [(r, f) for r in range(2) for f in range(3)]
    drawn = Splitter(sk.ShuffleSplit(3, random_state=np.random.RandomState(5)))
    assert [(s.repeat, s.fold) for s in drawn.splits(9)] == [(0, 0), (1, 0), (2, 0)]
    # A generator inside it does not go on from one time to the next.
    assert whole(drawn, 9) == whole(drawn, 9)


# Seeds, laziness -----------------------------------------------------------------------------------------------------


def test_another_process_draws_the_same_rows() -> None:
    code = (
        "from steelyard.designs.written import design_from_text as d\n"
        "print([s.fingerprint for t in {texts} for s in d(t, seed=5).splits(30)])"
    )
    texts = ("kfold:4x2", "holdout:0.3x2", "bootstrap:3", "nested:3", "paired:2x2")
    there = subprocess.run(
        [sys.executable, "-c", code.replace("{texts}", repr(texts))],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    here = [s.fingerprint for text in texts for s in design_from_text(text, seed=5).splits(30)]
    assert there.stdout.strip() == repr(here)


def test_repeats_and_seeds_differ() -> None:
    for made in (
        lambda seed: KFold(2, repeats=8, seed=seed),
        lambda seed: RepeatedHoldout(0.5, 16, 0.2, seed=seed),
        lambda seed: Bootstrap(16, seed=seed, apparent=False),
    ):
        prints = [{s.fingerprint for s in made(seed).splits(40)} for seed in (0, 1)]
        assert [len(p) for p in prints] == [16, 16]
        assert not prints[0] & prints[1]


def test_asking_for_more_leaves_the_first_as_they_were() -> None:
    assert whole(KFold(3, repeats=4), 20)[:6] == whole(KFold(3, repeats=2), 20)
    assert whole(Bootstrap(9, apparent=False), 20)[:3] == whole(Bootstrap(3, apparent=False), 20)
    with_validation, without = (whole(RepeatedHoldout(0.3, 5, held), 20) for held in (0.2, 0.0))
    assert [s.test.tolist() for s in with_validation] == [s.test.tolist() for s in without]


def test_the_first_of_very_many_divisions_is_there_at_once() -> None:
    start = time.process_time()
    first = next(iter(LeaveOneOut().splits(100_000)))
    assert time.process_time() - start < 1
    assert (len(first.train), first.test.tolist()) == (99_999, [0])


# The single kinds ----------------------------------------------------------------------------------------------------


def test_a_bootstrap_leaves_out_what_theory_says() -> None:
    n, replicates = 20, 4000
    found = whole(Bootstrap(replicates), n)
    assert all(len(s.train) == n for s in found) and len(found) == replicates + 1
    shares = np.array([len(s.test) for s in found[:-1]]) / n
    theory = (1 - 1 / n) ** n
    assert abs(shares.mean() - theory) < 4 * shares.std() / np.sqrt(replicates)
    assert abs(np.mean([len(s.test) for s in islice(Bootstrap(20).splits(5000), 20)]) / 5000 - np.exp(-1)) < 0.01
    assert (found[-1].name, len(found[-1].test), found[-1].train.tolist()) == ("apparent", 0, list(range(n)))


def test_a_bootstrap_that_leaves_out_nothing_is_drawn_again() -> None:
    assert all(len(s.test) == 1 and len(s.train) == 2 for s in islice(Bootstrap(50).splits(2), 50))


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 6), st.integers(0, 99), st.integers(1, 2))
def test_nested_folds_know_nothing_of_the_outer_fold(k: int, seed: int, repeats: int) -> None:
    n = 4 * k + 1
    found = whole(NestedFolds(k, repeats, seed=seed), n)
    outer = [s for s in found if s.inner < 0]
    assert pairs(iter(outer)) == pairs(KFold(k, repeats=repeats, seed=seed).splits(n))
    assert len(found) == repeats * k * k
    tests = {(s.repeat, s.fold): set(s.test.tolist()) for s in outer}
    for s in found:
        if s.inner >= 0:
            mine, other = tests[s.repeat, s.inner], tests[s.repeat, s.fold]
            assert s.inner != s.fold
            assert set(s.test.tolist()) == mine
            assert set(s.train.tolist()) == set(range(n)) - mine - other


@pytest.mark.parametrize("stratify", [False, True])
def test_paired_holdouts_halve_the_rows(stratify: bool) -> None:
    n, repeats, pairs_ = 41, 3, 4
    y = np.arange(n) % 2
    found = whole(PairedHoldout(0.2, repeats, pairs_, stratify), n, y)
    assert len(found) == repeats * (1 + 2 * pairs_)
    assert [(s.repeat, s.inner, s.fold) for s in found[:repeats]] == [(0, -1, f) for f in range(repeats)]
    assert all((len(s.train), len(s.test)) == (33, 8) for s in found[:repeats])
    for pair in range(1, pairs_ + 1):
        halves = [[s for s in found if (s.repeat, s.inner) == (pair, inner)] for inner in (0, 1)]
        rows = [[set(s.train.tolist()) | set(s.test.tolist()) for s in half] for half in halves]
        assert all(len(r) == 20 and r == half[0] for half in rows for r in half)
        assert not rows[0][0] & rows[1][0]
        assert all(len(s.test) == 4 for half in halves for s in half)
        assert len({s.fingerprint for half in halves for s in half}) == 2 * repeats


def test_splits_and_designs_can_be_sent_to_another_process() -> None:
    split = next(KFold(3).splits(9))
    again = pickle.loads(pickle.dumps(split))
    assert again == split and hash(again) == hash(split) and again.fingerprint == split.fingerprint
    design = KFold(3, group=np.arange(9))
    assert pickle.loads(pickle.dumps(design)) == design == KFold(3, group=np.arange(9)) != KFold(3, group=np.ones(9))


def test_a_fingerprint_knows_the_order_and_the_parts() -> None:
    prints = [
        Split([0, 1, 2], [3]),
        Split([1, 0, 2], [3]),
        Split([0, 1], [3], [2]),
        Split([0, 1], [2, 3]),
        Split([0], [3]),
    ]
    assert len({s.fingerprint for s in prints}) == len(prints)
    assert all(len(s.fingerprint) == 32 for s in prints)
    assert Split([0, 1], [2]).fingerprint == Split(np.array([0, 1], dtype=np.int32), [2], repeat=3).fingerprint
    assert Split([0], [1], repeat=1, fold=2, inner=3).name == "repeat 2, fold 3, inner 4"


def test_a_shared_row_is_found_however_large_its_number() -> None:
    for far in (5, 10**15):
        with pytest.raises(UsageError, match=f"such as row {far}"):
            Split([0, far], [far, 1])
        with pytest.raises(
            UsageError, match=f"the validation and the test part of repeat 1, fold 1, such as row {far}"
        ):
            Split([0], [far, 1], [far])
        assert Split([0, far], [far - 1]).test.tolist() == [far - 1]


def test_rows_of_a_split_cannot_be_written_to_and_the_caller_keeps_his() -> None:
    mine = np.array([0, 1])
    split = Split(mine, [2])
    with pytest.raises(ValueError, match="read-only"):
        split.train[0] = 5
    mine[0] = 0


def test_a_design_is_made_of_many_things() -> None:
    import pandas as pd

    assert design_of(KFold(3)) == KFold(3)
    assert design_of("kfold:3") == KFold(3)
    assert isinstance(design_of(sk.KFold(3)), Splitter)
    for column in ([0, 1, 0], np.array([0, 1, 0]), pd.Series([0, 1, 0], index=[5, 6, 7])):
        assert pairs(design_of(column).splits(3)) == [([1], [0, 2]), ([0, 2], [1])]
