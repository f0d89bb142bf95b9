"""steelyard monitor: exit codes, text, JSON, reports, saved baselines, wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from steelyard.monitors.monitor import monitor
from steelyard.views.layout import width_of

Run = Callable[..., Any]
HEAD = ("scored", "y", "p", "city", "label")
CALL = ("--time", "scored", "--target", "y", "--score", "p", "--reference", "first:6")


def rows(days: int = 16, a_day: int = 300, bad: int = 99, cut: int = 99) -> list[list[Any]]:
    """The same on every machine: from day `bad` on scores say nothing, from day `cut` on there are no labels."""
    out: list[list[Any]] = []
    for i in range(days * a_day):
        day, k = divmod(i, a_day)
        y = int((i * 7919 + day * 31) % 101 < 35)
        own = y if day < bad else int((i * 104_729) % 97 < 34)
        p = round(0.05 + (i * 5471 % 1009) / 1009 * 0.6 + 0.3 * own, 4)
        when = datetime(2024, 3, 1) + timedelta(days=day, minutes=4 * k)
        out.append(
            [f"{when:%Y-%m-%d %H:%M}", "" if day >= cut else y, p, ("Oslo", "Rome")[i % 2], "yes" if y else "no"]
        )
    return out


@pytest.fixture
def calm(make: Run) -> Path:
    path: Path = make("stream.csv", HEAD, rows())
    return path


@pytest.fixture
def worn(make: Run) -> Path:
    path: Path = make("worn.csv", HEAD, rows(bad=11))
    return path


def test_exit_codes_say_how_it_stands(steelyard: Run, calm: Path, worn: Path, make: Run) -> None:
    assert steelyard("monitor", "stream.csv", *CALL).code == 0
    assert steelyard("monitor", "stream.csv", *CALL, "--fail-on", "warn").code == 0
    assert steelyard("monitor", "worn.csv", *CALL).code == 0
    assert steelyard("monitor", "worn.csv", *CALL, "--fail-on", "alarm").code == 11
    assert steelyard("monitor", "worn.csv", *CALL, "--fail-on", "warn").code == 11
    # So large a margin leaves a warning.
    wide = ("--margin", "0.9")
    assert steelyard("monitor", "worn.csv", *CALL, *wide, "--fail-on", "warn").code == 10
    assert steelyard("monitor", "worn.csv", *CALL, *wide, "--fail-on", "alarm").code == 0
    make("few.csv", HEAD, rows(a_day=20))
    assert steelyard("monitor", "few.csv", *CALL, "--fail-on", "alarm").code == 12
    assert steelyard("monitor", "gone.csv", *CALL, "--fail-on", "alarm").code == 3
    assert steelyard("monitor", "stream.csv", *CALL, "--window", "0").code == 2
    assert steelyard("monitor", "stream.csv", "--score", "p").code == 2


def test_since_an_alarm_at_any_time_counts(steelyard: Run, make: Run) -> None:
    held = rows(bad=8)
    good = rows()
    make("back.csv", HEAD, [b if i < 12 * 300 else g for i, (b, g) in enumerate(zip(held, good))])
    assert steelyard("monitor", "back.csv", *CALL, "--fail-on", "alarm").code == 0
    assert steelyard("monitor", "back.csv", *CALL, "--fail-on", "alarm", "--since", "2024-03-10").code == 11
    assert steelyard("monitor", "back.csv", *CALL, "--fail-on", "alarm", "--since", "2024-03-15").code == 0


def test_the_text_is_that_of_the_library_and_fits(steelyard: Run, worn: Path) -> None:
    m = monitor(str(worn), time="scored", target="y", score="p", reference="first 6 windows")
    told = steelyard("monitor", "worn.csv", *CALL)
    assert told.out == f"{m}\n" and told.err == ""
    assert all(width_of(line) <= 80 for line in told.out.splitlines())
    assert "An alarm for AUC stands since 2024-03-13" in told.out


def test_json_and_reports(steelyard: Run, worn: Path, tmp_path: Path) -> None:
    told = steelyard("monitor", "worn.csv", *CALL, "--features", "all", "--json", "--report", "state.html")
    found = json.loads(told.out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    assert found["state"] == "alarm" and [s["name"] for s in found["windows"][0]["signals"]][-2:] == ["city", "label"]
    page = (tmp_path / "state.html").read_text(encoding="utf-8")
    assert "Is it going stale?" in page and "<script src" not in page
    again = steelyard("monitor", "worn.csv", *CALL, "--report", "state.html")
    assert (again.code, "--force" in again.err) == (2, True)
    assert steelyard("monitor", "worn.csv", *CALL, "--report", "state.pdf").code == 2
    same = steelyard("monitor", "worn.csv", *CALL, "--report", "x.md", "-o", "x.md")
    assert (same.code, "two results" in same.err) == (2, True)


def test_a_saved_baseline_serves_later_runs(steelyard: Run, worn: Path, tmp_path: Path) -> None:
    first = steelyard("monitor", "worn.csv", *CALL, "--save-baseline", "base.json", "--json")
    assert first.code == 0 and (tmp_path / "base.json").exists()
    later = ("--reference", "base.json", "--since", "2024-03-07", "--json")
    second = steelyard("monitor", "worn.csv", *CALL[:-2], *later)
    windows = [json.loads(told.out)["windows"] for told in (first, second)]
    assert windows[0] == windows[1]


def test_other_options(steelyard: Run, calm: Path, make: Run) -> None:
    words = ("--time", "scored", "--target", "label", "--positive", "yes", "--score", "p", "--reference", "2024-03-07")
    assert steelyard("monitor", "stream.csv", *words).code == 0
    late = make("late.csv", HEAD, rows(cut=12))
    told = steelyard("monitor", late, *CALL, "--horizon", "9 days", "--mode", "sequential", "--measure", "accuracy")
    assert told.code == 0 and "labels are still waited for" not in told.out and "immature" in told.out
    assert "at any time" in told.out
    assert (
        steelyard("monitor", "stream.csv", *CALL, "--window", "12 hours", "--for", "1", "--zone", "Asia/Tokyo").code
        == 0
    )


def test_hints_speak_the_words_of_the_command(steelyard: Run, calm: Path) -> None:
    for wrong, hint in (
        (("--zone", "Mars/Base"), "--zone Europe/Berlin"),
        (("--budget", "never"), "--budget '1 per quarter'"),
        (("--for", "0"), "--for 2"),
    ):
        told = steelyard("monitor", "stream.csv", *CALL, *wrong)
        assert (told.code, told.out) == (2, "") and hint in told.err, told.err
    assert 'no column "when"' in steelyard("monitor", "stream.csv", "--time", "when", *CALL[2:]).err


def test_customers_are_followed(steelyard: Run, make: Run, tmp_path: Path) -> None:
    held = []
    for i in range(12 * 7 * 60):
        left = int(i * 37 % 101 < 30)
        for k, later in enumerate((0, 4)):
            when = datetime(2024, 1, 1) + timedelta(days=i // 60 + later, hours=i % 24)
            held.append([f"{when:%Y-%m-%d %H:%M}", i, left, round(0.05 + i * (53 + k) % 97 / 200 + 0.4 * left, 4)])
    make("customers.csv", ("scored", "customer", "left", "p"), held)
    call = ("--time", "scored", "--target", "left", "--score", "p", "--unit", "customer", "--window", "week")
    told = steelyard(
        "monitor", "customers.csv", *call, "--reference", "first:5", "--period", "14 days", "--report", "state.html"
    )
    assert told.code == 0 and all(width_of(line) <= 80 for line in told.out.splitlines())
    assert "timeliness  by cohort" in told.out and "no alarm for timeliness rests on them" in told.out.replace(
        "\n  ", " "
    )
    page = (tmp_path / "state.html").read_text(encoding="utf-8")
    assert "Does it still warn early enough?" in page and "followed for 14 days" in page
    wrong = steelyard("monitor", "customers.csv", *call[:6], "--reference", "first:5", "--period", "14 days")
    assert wrong.code == 2 and "--unit" not in wrong.err.split("Hint")[0] and "--period out" in wrong.err


def test_no_rows_since_then_is_not_known_and_not_unusable(steelyard: Run, calm: Path) -> None:
    late = ("monitor", "stream.csv", *CALL, "--since", "2025-01-01")
    found = steelyard(*late, "--fail-on", "alarm")
    assert found.code == 12
    assert "Nothing became known since 2025-01-01" in found.err
    assert steelyard(*late).code == 3
