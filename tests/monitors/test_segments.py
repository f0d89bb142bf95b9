"""Segments of a stream: one that wears out is found, the others are not, and small ones say that they are too small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError
from steelyard.monitors.baseline import Baseline
from steelyard.monitors.segmented import MANY, MOST
from steelyard.monitors.segments import at_confidence, chance, shared_level
from steelyard.results import Difference

START = pd.Timestamp("2024-01-01")
REGIONS = {"north": 0.4, "south": 0.3, "west": 0.25, "isle": 0.05}


def stream(worn: str = "west", days: int = 40, a_day: int = 800, since: int = 28, seed: int = 1) -> pd.DataFrame:
    """Rows of a model that wears out in one region from a day on."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(days), a_day)
    region = rng.choice(list(REGIONS), len(day), p=list(REGIONS.values()))
    p = 1 / (1 + np.exp(1 - 1.5 * rng.normal(size=len(day))))
    y = rng.random(len(day)) < np.where((day >= since) & (region == worn), p.mean(), p)
    when = START + pd.to_timedelta(day + rng.random(len(day)) * 0.99, unit="D")
    return pd.DataFrame({"when": when, "y": y.astype(int), "p": p.round(4), "region": region})


def watch(rows: Any, **more: Any) -> Any:
    asked = {"time": "when", "target": "y", "score": "p", "segment": "region", "reference": "first 20 windows"} | more
    return sy.monitor(rows, **asked)


MADE = watch(stream())


def test_the_segment_that_wears_out_is_found_and_no_other() -> None:
    fired = {a.signal for a in MADE.alarms if a.after == "firing"}
    assert "auc in west" in fired and not fired & {f"auc in {r}" for r in ("north", "south", "isle")}
    assert MADE.fired_in("auc in west") in {"2024-01-30", "2024-01-31"}
    assert "AUC in west" in str(MADE) and MADE.verdict.word == "alarm"
    assert not {a.signal for a in watch(stream(worn="")).alarms if a.after == "firing"}


def test_a_small_segment_says_too_few_until_windows_together_have_enough() -> None:
    isle = MADE.series("auc in isle")
    states = {s.state for s in isle}
    assert states == {"ok", "insufficient"}
    few = next(s for s in isle if s.state == "insufficient")
    assert "real positives, and 30 are needed" in few.reason
    done = next(s for s in isle if s.state == "ok")
    assert "windows together, since each has too few cases" in done.reason
    # A segment that the reference has too few cases of is never judged, and that is said.
    tiny = stream(worn="").assign(region=lambda f: np.where(f.index % 2000 == 0, "rock", f["region"]))
    m = watch(tiny)
    assert {s.reason for s in m.series("auc in rock")} == {
        "2 real positives, and 30 are needed in the reference"
    } or all("in the reference" in s.reason for s in m.series("auc in rock"))
    assert "Too few cases in auc in rock" in str(m).replace("\n  ", " ")


def test_windows_that_were_counted_say_the_same(tmp_path: Path) -> None:
    rows = stream()
    rows.to_parquet(tmp_path / "rows.parquet")
    MADE.baseline.save(tmp_path / "base.json")
    sy.windows(tmp_path / "rows.parquet", time="when", baseline=tmp_path / "base.json").save(tmp_path / "days")
    again = sy.monitor(tmp_path / "days", reference=tmp_path / "base.json")
    assert [w.to_dict() for w in again.windows] == [w.to_dict() for w in MADE.windows]
    # A window grows by a few kilobytes for each segment, however many rows it has.
    assert max(f.stat().st_size for f in (tmp_path / "days").glob("*.json")) < 40_000
    days, base = str(tmp_path / "days"), str(tmp_path / "base.json")
    assert (
        run(["monitor", days, "--baseline", base, "--fail-on", "alarm", "--json", "-o", str(tmp_path / "a.json")]) == 11
    )
    assert "auc in west" in json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["changes"]
    asked = ["--time", "when", "--target", "y", "--score", "p", "--segment", "region", "--reference", "first:20"]
    assert run(["monitor", str(tmp_path / "rows.parquet"), *asked, "--json", "-o", str(tmp_path / "b.json")]) == 0
    plain = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert plain["alarms"] == [a.to_dict() for a in MADE.alarms]


def test_a_page_has_a_section_of_segments(tmp_path: Path) -> None:
    MADE.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Is it still as good in every segment?" in page and 'id="segments"' in page
    MADE.report(tmp_path / "page.md")
    assert "auc in isle" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_the_largest_segments_are_watched_and_the_others_told() -> None:
    rng = np.random.default_rng(2)
    rows = stream(worn="", days=12, a_day=600)
    rows["region"] = rng.integers(0, 70, len(rows)) * rng.integers(0, 2, len(rows))
    m = watch(rows, reference="first 8 windows")
    names = [s for s in m.signals if s.startswith("auc in")]
    assert len(names) == MOST and "auc in 0" in names
    assert any("lie in segments that are not watched" in n for n in m.notes)
    rows["region"] = np.arange(len(rows)) % (MANY + 1)
    with pytest.raises(SteelyardError, match=r"has 1,001 values in the reference, too many to be segments"):
        watch(rows, reference="first 8 windows")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"segment": "nowhere"}, 'no column "nowhere"'),
        ({"segment": "when"}, "named for a time and for another role"),
        ({"segment": 3}, "segment must be text"),
        ({"segment": "day"}, "holds points in time"),
        ({"segment": "p"}, "too many to be segments"),
        ({"segment": "region", "target": None}, "no target was named"),
        ({"reference": MADE.baseline, "segment": "y"}, "made with the segments of"),
        ({"reference": watch(stream(), segment=None).baseline}, "made without segments"),
    ],
)
def test_what_cannot_be_segments_is_refused(more: dict[str, Any], why: str) -> None:
    with pytest.raises(SteelyardError, match=why):
        watch(stream().assign(day=lambda f: f["when"].dt.date), **more)


@pytest.mark.parametrize(
    "given",
    [
        {"score": None, "target": "size", "prediction": "said", "measures": ["mae"]},
        {"unit": "who"},
        {"weight": "w"},
        {"label_time": "known"},
        {"reference": "evaluation"},
    ],
    ids=str,
)
def test_every_kind_of_rows_has_segments(given: dict[str, Any], tmp_path: Path) -> None:
    rows, rng = stream(days=36), np.random.default_rng(4)
    worn = (rows["region"] == "west") & (rows["when"] >= START + pd.Timedelta(days=28))
    rows["size"] = rng.lognormal(0, 0.5, len(rows))
    rows["said"] = rows["size"] * np.where(worn, 1.8, 1.0) + rng.normal(0, 0.2, len(rows))
    rows["who"], rows["w"] = rng.integers(0, 9000, len(rows)), rng.random(len(rows)) + 0.5
    rows["known"] = rows["when"] + pd.to_timedelta(rng.random(len(rows)), unit="D")
    if given.get("reference") == "evaluation":
        first = rows["when"] < START + pd.Timedelta(days=20)
        sy.evaluate(rows[first], target="y", score="p", segment="region").save(tmp_path / "e.json")
        given, rows = {"reference": tmp_path / "e.json"}, rows[~first]
    m = watch(rows, **given)
    assert [name for name in m.firing if " in " in name] == [next(s for s in m.signals if s.endswith(" in west"))]


def test_a_column_of_one_value_has_no_segments() -> None:
    with pytest.raises(SteelyardError, match="one value in the whole reference"):
        watch(stream().assign(region="all"))


def test_what_is_added_up_over_windows_is_not_told_by_segment() -> None:
    for more in ({"measures": ["running brier"]}, {"mode": "sequential"}):
        m = watch(stream(worn=""), **more)
        assert not [s for s in m.signals if " in " in s]
        assert any("Segments are not watched" in n for n in m.notes)


def test_a_baseline_with_segments_serves_without_them_and_says_so(tmp_path: Path) -> None:
    MADE.baseline.save(tmp_path / "base.json")
    bare = watch(stream(), reference=tmp_path / "base.json", segment=None)
    assert not [s for s in bare.signals if " in " in s] and any(
        "segments, which the baseline knows" in n for n in bare.notes
    )
    # Its hash is one of its segments too.
    other = watch(stream().assign(region=lambda f: f["region"].where(f.index % 9 != 0, "south"))).baseline
    assert other.hash != MADE.baseline.hash and Baseline.load(tmp_path / "base.json").hash == MADE.baseline.hash


def test_the_level_is_shared_by_the_step_up() -> None:
    assert shared_level({}, 0.05) == 0.05
    assert shared_level({"a": 0.03, "b": 0.04}, 0.05) == 0.05  # both are called: neither pays for the other
    assert shared_level({"a": 0.03, "b": 0.9}, 0.05) == 0.025
    d = Difference("auc", value=-0.02, low=-0.05, high=0.01, confidence=0.9)
    at = at_confidence(d, chance(d, "higher"))
    assert at.high == pytest.approx(0.0) and at.low < d.value
    assert chance(d, "higher") + chance(d, "lower") == pytest.approx(1.0, abs=0.2)
