"""Windows that were counted: what they refuse, how they are kept, and what a monitor says of them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import CannotAdd, InputError, UnreadableSource, UsageError
from steelyard.monitors.standing import FILE, changed, state_in
from steelyard.monitors.windowed import KEPT

from .conftest import stream


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """A folder with a baseline and the windows of twenty days."""
    folder = tmp_path_factory.mktemp("counted")
    rows = stream(3, days=20, a_day=200, bad=slice(14, 20))
    sy.monitor(rows, time="when", target="y", score="p", reference="first 10 windows").baseline.save(folder / "b.json")
    sy.windows(rows, time="when", baseline=folder / "b.json").save(folder / "days")
    return folder, rows


def copied(made: tuple[Path, pd.DataFrame], to: Path) -> Path:
    shutil.copytree(made[0], to / "copy")
    return to / "copy"


def watch(folder: Path, **given: Any) -> Any:
    return sy.monitor(str(folder / "days"), reference=str(folder / "b.json"), **given)


def test_a_sum_of_windows_is_named_by_its_ends(made: tuple[Path, pd.DataFrame]) -> None:
    some = [sy.load(path) for path in sorted((made[0] / "days").glob("*.json"))[:4]]
    assert sum(some).name == f"{some[0].name} to {some[3].name}"
    assert (some[0] + (some[1] + some[2])).name == ((some[0] + some[1]) + some[2]).name


# What is refused ------------------------------------------------------------------------------------------------------


def test_windows_of_another_baseline(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder, rows = made
    other = sy.monitor(rows, time="when", target="y", score="p", reference="first 9 windows").baseline
    with pytest.raises(UsageError, match="were counted against the baseline"):
        sy.monitor(str(folder / "days"), reference=other)
    one = sy.windows(rows, time="when", baseline=other)
    with pytest.raises(CannotAdd, match="another baseline"):
        one[3] + sy.load(folder / "days" / f"{one[3].name}.json")


@pytest.mark.parametrize(
    ("given", "words"),
    [({"zone": "Asia/Tokyo"}, "zone"), ({"window": "12 hours"}, "length"), ({"model": "b"}, "model")],
)
def test_windows_of_another_zone_length_or_model(
    made: tuple[Path, pd.DataFrame], tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    folder = copied(made, tmp_path)
    found = sy.windows(made[1], time="when", baseline=folder / "b.json", **given)
    found[3].save(folder / "days" / "other.json")
    with pytest.raises(InputError, match=f"another {words}"):
        watch(folder)


def test_gaps_are_told_and_overlaps_and_copies_refused(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder = copied(made, tmp_path)
    (folder / "days" / "2024-03-13.json").unlink()
    m = watch(folder)
    assert any("Nobody counted 1 window (2024-03-13)" in note for note in m.notes)
    assert m["2024-03-13"].state == "nodata" and len(m) == 10
    shutil.copy(folder / "days" / "2024-03-12.json", folder / "days" / "copy.json")
    with pytest.raises(
        InputError, match=r'is there twice, with the same rows: in ".*2024-03-12.json" and in ".*copy.json"'
    ):
        watch(folder)
    a = sy.load(folder / "days" / "copy.json")
    with pytest.raises(CannotAdd, match="would count twice"):
        a + a
    assert a.plus(a, twice=True).rows == 2 * a.rows
    week = sum(sy.load(folder / "days" / f"2024-03-{d:02d}.json") for d in range(1, 8))
    with pytest.raises(CannotAdd, match="overlap"):
        week + sy.load(folder / "days" / "2024-03-04.json")
    with pytest.raises(CannotAdd, match="do not touch"):
        week + a


def test_a_file_that_was_cut_or_changed(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder = copied(made, tmp_path)
    place = folder / "days" / "2024-03-14.json"
    text = place.read_text()
    place.write_text(text.replace('"rows": 200', '"rows": 201', 1))
    with pytest.raises(UnreadableSource, match="seal does not fit"):
        watch(folder)
    place.write_text(text[: len(text) // 2])
    with pytest.raises(UnreadableSource, match="not JSON"):
        watch(folder)


def test_a_row_of_another_century_is_refused(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    """One row far from all others would make a window of every day between; a stream that has ended is none of that."""
    folder, rows = made
    stray = rows.assign(when=rows["when"].where(rows.index != 5, pd.Timestamp("2028-01-01")))
    stray.to_parquet(tmp_path / "rows.parquet")
    for data in (stray, tmp_path / "rows.parquet"):
        with pytest.raises(InputError, match="between 2024-03-20 and 2028-01-01"):
            sy.windows(data, time="when", baseline=folder / "b.json")
        with pytest.raises(InputError, match="a clock may have been wrong"):
            sy.monitor(data, time="when", target="y", score="p", reference=str(folder / "b.json"))
    assert len(sy.windows(stray, time="when", baseline=folder / "b.json", now="2024-04-01")) == 31
    assert len(sy.windows(rows, time="when", baseline=folder / "b.json", now="2028-01-01")) > 1000


def test_a_clock_that_goes_back(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder, rows = copied(made, tmp_path), made[1]
    late = {"time": "when", "baseline": folder / "b.json"}
    sy.windows(rows, now="2024-03-21", **late).save(folder / "new")
    with pytest.raises(InputError, match="was counted up to"):
        sy.windows(rows, now="2024-03-15", **late).save(folder / "new")
    with pytest.raises(UsageError, match="counted up to"):
        sy.monitor(str(folder / "new"), reference=str(folder / "b.json"), now="2024-03-10")


def test_a_folder_keeps_windows_of_one_stream(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    """Weeks beside days would leave a folder that nobody can read; a file that is cut stands in nobody's way."""
    folder = copied(made, tmp_path)
    first = min((folder / "days").glob("*.json"))
    first.write_text(first.read_text()[:500])
    before = sorted(os.listdir(folder / "days"))
    weeks = sy.windows(made[1], time="when", baseline=folder / "b.json", window="week")
    with pytest.raises(InputError, match="another length: day and week"):
        weeks.save(folder / "days")
    assert sorted(os.listdir(folder / "days")) == before
    weeks.save(folder / "weeks")
    weeks.save(folder / "weeks")


def test_a_folder_without_windows(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    base = str(made[0] / "b.json")
    for given in (str(tmp_path), tmp_path, str(tmp_path / "*.json"), str(tmp_path / "nowhere") + "/"):
        with pytest.raises(UnreadableSource, match="holds no saved windows"):
            sy.monitor(given, reference=base)


def test_what_windows_cannot_answer(made: tuple[Path, pd.DataFrame]) -> None:
    folder, rows = made
    for given in ({"score": "x"}, {"zone": "Asia/Tokyo"}, {"window": "week"}, {"period": "3 days"}, {"threshold": 0.2}):
        with pytest.raises(UsageError, match="windows were counted with"):
            watch(folder, **given)
    with pytest.raises(UsageError, match="counted against a saved baseline"):
        sy.windows(rows, time="when", baseline=4)
    with pytest.raises(UsageError, match="depend on all rows"):
        sy.windows(rows, time="when", baseline=folder / "b.json", window=100)


# Revisions ------------------------------------------------------------------------------------------------------------


def test_counting_again_replaces_and_keeps_the_old_one(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder, rows = copied(made, tmp_path), made[1]
    days = folder / "days"
    sy.windows(rows, time="when", baseline=folder / "b.json").save(days)
    assert not (days / "history").exists(), "the same count again is no revision"
    more = pd.concat([rows, rows[rows["when"] >= "2024-03-20"].head(50)])
    found = sy.windows(more, time="when", baseline=folder / "b.json", only="2024-03-20")
    assert [w.name for w in found] == ["2024-03-20"]
    found.save(days)
    again = sy.load(days / "2024-03-20.json")
    assert (again.revision, again.rows) == (2, 250)
    assert sy.load(days / "history" / "2024-03-20.1.json").rows == 200
    assert watch(folder).windows[-1].rows == 250


def test_rows_that_were_lost_are_told(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    """A window that is counted again with fewer rows is a revision, and said to be one until they are back."""
    folder, rows = copied(made, tmp_path), made[1]
    day = rows[rows["when"].dt.normalize() == "2024-03-20"]
    for size, told in ((150, "50 fewer than before"), (180, "20 fewer than before"), (200, "")):
        sy.windows(day.head(size), time="when", baseline=folder / "b.json").save(folder / "days")
        notes = [note for note in watch(folder).notes if note.startswith("Rows were lost")]
        assert [told in note and "(2024-03-20)" in note for note in notes] == [True] * bool(told)


def test_the_last_counts_are_kept_and_no_more(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder, rows = made
    day = rows[rows["when"].dt.normalize() == "2024-03-05"]
    for k in range(KEPT + 5):
        sy.windows(day.head(100 + k), time="when", baseline=folder / "b.json").save(tmp_path / "days")
    old = {int(p.stem.rsplit(".", 1)[1]) for p in (tmp_path / "days/history").glob("*.json")}
    assert sy.load(tmp_path / "days/2024-03-05.json").revision == KEPT + 5
    assert old == set(range(5, KEPT + 5))


# Alarms that last -----------------------------------------------------------------------------------------------------


def test_a_look_tells_what_is_new_and_what_stands(made: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    folder = copied(made, tmp_path)
    days, spare = folder / "days", folder / "spare"
    spare.mkdir()
    for k in range(14, 21):
        shutil.move(days / f"2024-03-{k:02d}.json", spare)
    assert watch(folder).look(days).text == "Nothing stands, and nothing fired since the last look."
    for k in (14, 15, 16):
        shutil.move(spare / f"2024-03-{k:02d}.json", days)
    news = watch(folder).look(days)
    assert [(a.signal, a.severity) for a in news.new] == [("auc", "alarm")] and not news.standing
    news = watch(folder).look(days)
    assert not news.new and [a.signal for a in news.standing] == ["auc"]
    with pytest.raises(UsageError, match="the last look judged at 2024-03-1"):
        changed(days, mute=["auc"], until="2024-03-01")
    changed(days, mute=["auc"], until="2024-03-18")
    assert watch(folder).look(days).quiet == ("auc",)
    for k in (17, 18, 19, 20):
        shutil.move(spare / f"2024-03-{k:02d}.json", days)
    assert [a.signal for a in watch(folder).look(days).new + watch(folder).look(days).standing] == ["auc"]
    changed(days, acknowledge=["auc"])
    news = watch(folder).look(days)
    assert not news.new and not news.standing and news.quiet == ("auc",)
    with pytest.raises(UsageError, match='no signal "acu"'):
        changed(days, mute=["acu"])
    with pytest.raises(UsageError, match="No alarm"):
        changed(days, acknowledge=["volume"])
    # A folder as it was before: the clock went back.
    for k in range(15, 21):
        (days / f"2024-03-{k:02d}.json").unlink()
    with pytest.raises(InputError, match="a clock went back"):
        watch(folder).look(days)
    (days / FILE).write_text(json.dumps({"steelyard alarms": 1}))
    with pytest.raises(UnreadableSource, match="seal"):
        state_in(days)
    os.unlink(days / FILE)
    assert state_in(days).text.startswith("Nobody looked yet")


def test_the_stability_of_windows_is_that_of_their_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    when = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.sort(rng.random(6000)) * 30, unit="D")
    x = rng.normal(0, 1, 6000) + np.where(np.arange(6000) > 5000, 0.6, 0.0)
    rows = pd.DataFrame({"when": when, "p": rng.random(6000), "x": x, "city": rng.choice(["Rome", "Oslo"], 6000)})
    m = sy.monitor(rows, time="when", score="p", features=["x", "city"], reference="first 20 windows")
    m.baseline.save(tmp_path / "base.json")
    counted = sy.windows(rows, time="when", baseline=m.baseline)
    counted.save(tmp_path / "days")
    last, late = counted[-1], rows[rows["when"] >= "2024-03-27"]
    one = sy.stability(m.baseline, last, "x")
    assert one.index == m.windows[-1]["x"].stability.index
    bins = {**m.baseline.outputs, **m.baseline.features}
    plain = sy.stability(bins, late[["p", "x", "city"]])
    together = sy.stability(str(tmp_path / "base.json"), [w for w in counted if w.name >= "2024-03-27"])
    assert together.to_dict() == plain.to_dict() and together.changed == ["x"]
    with pytest.raises(UsageError, match="does not know"):
        sy.stability(m.baseline, last, "age")
    with pytest.raises(UsageError, match="saved baseline"):
        sy.stability(late, last)
    out = tmp_path / "out.json"
    base, day = str(tmp_path / "base.json"), str(tmp_path / "days" / f"{last.name}.json")
    assert run(["stability", base, day, "--column", "x", "--json", "-o", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["index"] == one.index
