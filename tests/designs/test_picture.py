"""Pictures of designs: approved text that fits a terminal, and a chart whose areas are the shares of the parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.charts.marks import Bar
from steelyard.designs.bootstrap import Bootstrap
from steelyard.designs.design import Design
from steelyard.designs.folds import KFold, LeaveOneOut, NestedFolds, StoredFolds
from steelyard.designs.holdout import Holdout, PairedHoldout, RepeatedHoldout
from steelyard.designs.out_of_time import OutOfTime
from steelyard.designs.picture import AIR, FILLS, MOST_COLUMNS, MOST_LINES
from steelyard.designs.schedules import Growing, geometric
from steelyard.errors import UsageError

HOLDOUT = """\
hold-out of 30%, validation on 20%: 20 rows
repeat 1, fold 1  ·T····v·T·Tv·v··vTTT
· train   v validate   T test   blank: not used"""
ROLLING = """\
out of time, latest 50%, 3 origins, a gap of 2, a window of 6: 24 rows
repeat 1, fold 1       ······ TTTT
repeat 1, fold 2           ······ TTTT
repeat 1, fold 3               ······ TTTT
· train   v validate   T test   blank: not used"""
STORED = """\
stored folds: 6 rows
repeat 1, fold 1  T··T··
repeat 1, fold 2  ·T··T·
repeat 1, fold 3  ··T··T
· train   v validate   T test   blank: not used"""


def test_approved_pictures() -> None:
    assert OutOfTime(np.arange(24), origins=3, gap=2, window=6, test=0.5).picture() == ROLLING
    assert StoredFolds(["x", "y", "z"] * 2).picture(6) == STORED
    found = Holdout(0.3, 0.2).picture(20)
    assert found == HOLDOUT


DESIGNS: list[Design] = [
    *(KFold(10, True, 5), LeaveOneOut(), NestedFolds(4), Bootstrap(12), PairedHoldout(0.2, 3, 3), Holdout(0.3, 0.2)),
    Growing(RepeatedHoldout(0.2, 3, 0.1), geometric(10, 1.5)),
]


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("rows", [40, 2500])
def test_a_picture_fits_a_terminal_and_tells_the_truth(design: Design, rows: int) -> None:
    y = np.arange(rows) % 2
    lines = design.picture(rows, y, width=100).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) <= MOST_LINES + 3
    assert lines[-1] == "· train   v validate   T test   blank: not used"
    if rows == 40:
        beside = max(len(s.name) for s, _ in zip(design.splits(rows, y), range(MOST_LINES))) + 2
        for line, split in zip(lines[1:], design.splits(rows, y)):
            if line.startswith("… and more"):
                break
            marks = line[beside:].ljust(rows)
            for part, mark in ((split.train, "·"), (split.validation, "v"), (split.test, "T")):
                assert {i for i, m in enumerate(marks) if m == mark} == set(part.tolist())


def test_a_picture_of_no_width_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one character"):
        KFold(3).picture(width=0)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(DESIGNS), st.sampled_from([40, 190, 600, 1801]))
def test_the_areas_of_a_chart_are_the_shares_of_the_parts(design: Design, rows: int) -> None:
    y = np.arange(rows) % 2
    drawn = design.chart(rows, y)
    found = [s for s, _ in zip(design.splits(rows, y), range(MOST_LINES))]
    assert len(set(drawn.y.names)) == len(drawn.y.names) == len(found)
    assert all(name in s.name or len(found) == 1 for name, s in zip(drawn.y.names, found))
    for line, split in enumerate(found):
        mine = [b for b in drawn.marks if abs((b.y0 + b.y1) / 2 - line) < 0.5]  # type: ignore[union-attr]
        # What is drawn later covers what lies below it, so train is what the others leave of the whole.
        sums = {fill: sum((b.x1 - b.x0) * (b.y1 - b.y0) for b in mine if b.colour == fill) for _, fill in FILLS}  # type: ignore[union-attr]
        height = 1 - 2 * AIR
        covered = height * (len(split.test) + len(split.validation))
        wide = rows / MOST_COLUMNS
        for (_, fill), part in zip(FILLS[1:], (split.validation, split.test)):
            exact = height * len(part)
            # Columns differ by a row where the rows do not divide evenly among them; the area of a share does not.
            assert sums[fill] == pytest.approx(exact, abs=1e-6 * max(1, wide))
        trained = height * len(np.unique(split.train))
        assert trained - 1e-6 <= sums[FILLS[0][1]] <= trained + covered + 1e-6
    assert len(drawn.marks) <= MOST_LINES * MOST_COLUMNS * 3


def test_a_chart_can_be_drawn_and_read() -> None:
    drawn = Holdout(0.3, 0.2).chart(40)
    assert drawn.legend == FILLS
    assert len({fill for _, fill in FILLS}) == 3
    assert drawn.svg().startswith("<svg") and drawn.vega()["layer"]
    assert drawn.columns == {"division": ["all rows"], "train": [20], "validate": [8], "test": [12]}
    assert drawn.description == "hold-out of 30%, validation on 20%: 1 division of 40 rows."
    assert KFold(3).chart(40).legend == (FILLS[0], FILLS[2])
    assert LeaveOneOut().chart(100).description.endswith("the first of more.")


def test_a_chart_shows_rows_that_are_tested_together_side_by_side() -> None:
    for design in (KFold(10), KFold(10, seed=3), Holdout(0.3, 0.2)):
        for line in range(len(design.chart().y.names)):
            tests = [
                b
                for b in design.chart().marks
                if isinstance(b, Bar) and b.colour == 0 and abs((b.y0 + b.y1) / 2 - line) < 0.5
            ]
            assert len(tests) == 1
    assert [b.colour for b in Holdout(0.3, 0.2).chart().marks] == ["shade2", 1, 0]


def test_a_chart_takes_as_many_rows_as_can_be_seen() -> None:
    assert KFold(10).chart().x.high == 100
    assert LeaveOneOut().chart().x.high == len(LeaveOneOut().chart().y.names) == 24
    assert KFold(4).chart(y=[0, 1] * 30).x.high == 60
