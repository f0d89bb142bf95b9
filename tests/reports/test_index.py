"""An index over a folder: what each result concludes, the worst first, whatever the files are called."""

from __future__ import annotations

import json
import os
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import steelyard as sy
from steelyard.cli.program import program
from steelyard.reports.index import in_order, write_index
from steelyard.saved.found import found_in

HOSTILE = ("<img src=x onerror=alert(1)>.json", '"><script>alert(1)<', "javascript:alert(1)")


@pytest.fixture
def folder(rng: np.random.Generator, tmp_path: Path) -> Path:
    """Saved evaluations that are good, useless and small, a page, and files of others."""
    place = tmp_path / "results"
    (place / "below").mkdir(parents=True)
    y = rng.random(900) < 0.4
    good = sy.evaluate(target=y, score=y + rng.normal(0, 1, 900), threshold=0.5)
    good.save(place / "good.json")
    good.report(place / f"{HOSTILE[2]}.html", title=HOSTILE[1])
    sy.evaluate(target=y, score=rng.normal(0, 1, 900) - y, threshold=0.5).save(place / "below" / "bad.json")
    sy.evaluate(target=y[:20], score=rng.random(20)).save(place / "few.json")
    sy.evaluate(target=rng.choice(list("abc"), 300), prediction=rng.choice(list("abc"), 300)).save(place / HOSTILE[0])
    (place / "other.json").write_text('{"a": 1}')
    (place / "broken.json").write_text('{"steelyard": 3, "evidence"')
    (place / "other.html").write_text("<title>Not ours</title>")
    for i, path in enumerate(sorted(place.rglob("*.json"))):
        os.utime(path, (1e9 + i, 1e9 + i))
    return place


def test_what_lies_in_a_folder_is_found_and_the_worst_comes_first(folder: Path) -> None:
    entries = in_order(found_in(folder), "worst")
    assert entries[0].name == "below/bad.json" and entries[0].tone == "bad"
    assert {e.name for e in entries} == {
        "below/bad.json",
        "broken.json",
        "few.json",
        "good.json",
        HOSTILE[0],
        f"{HOSTILE[2]}.html",
    }
    tones = [e.tone for e in entries]
    assert tones == sorted(tones, key=["bad", "open", "unknown", "good"].index)
    newest = in_order(entries, "newest")
    assert [e.when for e in newest] == sorted((e.when for e in entries), reverse=True)
    by_name: dict[str, Any] = {e.name: e for e in entries}
    assert by_name["broken.json"].state == "cannot be read" and by_name["few.json"].state == "too few cases"
    good = by_name["good.json"]
    assert good.sentence == sy.load(folder / "good.json").verdict.sentence == by_name[f"{HOSTILE[2]}.html"].sentence
    assert good.value.measure == "auc" and good.neutral == 0.5
    page = by_name[f"{HOSTILE[2]}.html"]
    for drawn in (good, page):
        assert drawn.shape == "roc" and drawn.curve[0] == (0, 0) and drawn.curve[-1] == (1, 1)
    assert page.told[0] == "Ranking (AUC)" and page.told[1].startswith(f"{float(good.value):.2f}")
    assert page.rows == good.rows == 900


def test_a_saved_evaluation_with_amounts_tells_the_number_that_its_page_tells(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    y = (rng.random(800) < 0.3).astype(int)
    score = (0.5 * y + rng.random(800)) / 1.5
    for name, amounts in (("profit", sy.Profit(tp=60, fp=-12)), ("cost", sy.Cost(fn=60, fp=12))):
        e = sy.evaluate(target=y, score=score, **{name: amounts})
        e.save(tmp_path / f"{name}.json")
        e.report(tmp_path / f"{name}.html")
    found = {e.name: e for e in found_in(tmp_path)}
    for name in ("profit", "cost"):
        saved = found[f"{name}.json"].value
        assert saved is not None and saved.value is not None and saved.measure == name
        assert found[f"{name}.html"].told[1] == f"{saved.value:,.0f}".replace("-", "−")
    for ending in (".html", ".md"):
        write_index(list(found.values()), tmp_path / f"index{ending}", place=str(tmp_path), order="worst")
        assert "Profit" in (told := (tmp_path / f"index{ending}").read_text()) or "profit" in told


def test_pages_of_every_kind_are_drawn_small_by_numbers_alone(tmp_path: Path, rng: np.random.Generator) -> None:
    said = rng.choice(list("abc"), 300)
    sy.evaluate(target=said, prediction=np.where(rng.random(300) < 0.7, said, "a")).report(tmp_path / "labels.html")
    sy.evaluate(target=rng.normal(size=300), prediction=rng.normal(size=300)).report(tmp_path / "numbers.html")
    day = np.datetime64("2026-01-01") + np.arange(900) // 30
    y = rng.random(900) < 0.4
    watched = sy.monitor(
        {"day": day, "y": y, "p": y + rng.normal(0, 1, 900)},
        time="day",
        target="y",
        score="p",
        window="week",
        reference="first 2 windows",
    )
    watched.report(tmp_path / "monitor.html")
    drawn = {e.name: e for e in found_in(tmp_path)}
    assert {name: e.shape for name, e in drawn.items()} == {
        "labels.html": "bars",
        "numbers.html": "line",
        "monitor.html": "line",
    }
    assert all(0 <= v <= 1 for e in drawn.values() for point in e.curve for v in point)
    # A page whose numbers somebody changed to words is listed all the same, without a picture.
    text = (tmp_path / "numbers.html").read_text(encoding="utf-8")
    (tmp_path / "numbers.html").write_text(text.replace('"error":[', '"error":["<b>",'), encoding="utf-8")
    again = {e.name: e for e in found_in(tmp_path)}["numbers.html"]
    assert again.curve == [] and again.sentence == drawn["numbers.html"].sentence


def test_no_name_is_obeyed(folder: Path, tmp_path: Path) -> None:
    write_index(found_in(folder), tmp_path / "index.html", place=str(folder))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<img" not in page and page.count("<script>") == 1
    assert 'href="./javascript%3Aalert%281%29.html"' in page and 'href="javascript' not in page
    assert all(name in unescape(page) for name in HOSTILE)


def test_the_command_makes_an_index_of_a_folder(folder: Path) -> None:
    done = CliRunner().invoke(program, ["report", str(folder)])
    assert done.exit_code == 0, done.output
    assert "1 worse than no model" in done.stderr
    first = (folder / "index.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(program, ["report", str(folder), "--force"])
    assert again.exit_code == 0 and "index.html" not in first.partition("<main>")[2].partition('id="made"')[0]
    told = CliRunner().invoke(program, ["report", str(folder), "-o", str(folder / "i.json"), "--order", "newest"])
    assert told.exit_code == 0, told.output
    entries = json.loads((folder / "i.json").read_text(encoding="utf-8"))["entries"]
    assert len(entries) == 6 and all(set(e) >= {"name", "state", "tone", "sentence", "value", "when"} for e in entries)


def test_an_empty_folder_and_no_folder(tmp_path: Path) -> None:
    assert found_in(tmp_path) == []
    write_index([], tmp_path / "index.md", place="here")
    assert "Nothing that steelyard writes lies here." in (tmp_path / "index.md").read_text(encoding="utf-8")
    with pytest.raises(sy.errors.UnreadableSource, match="is no folder"):
        found_in(tmp_path / "nowhere")


def test_what_cannot_be_read_says_so_and_keeps_nothing_else_from_being_told(folder: Path) -> None:
    """Stores that are none, pages and results that are cut, links to nothing, and a pipe that nobody writes to."""
    whole = {e.name: e.sentence for e in found_in(folder)}
    page = next(folder.glob("*.html"))
    text, saved = page.read_text(encoding="utf-8"), (folder / "good.json").read_text(encoding="utf-8")
    (folder / "cut.html").write_text(text[: len(text) // 2], encoding="utf-8")
    (folder / "cut.json").write_text(saved[: len(saved) // 2], encoding="utf-8")
    for i, content in enumerate(("", "{}", "[]", "\xff")):
        (folder / f"store{i}").mkdir()
        (folder / f"store{i}" / "store.json").write_text(content, encoding="latin-1")
    (folder / "dead.json").symlink_to("nowhere")
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    found = {e.name: e for e in found_in(folder)}
    bad = {"cut.html", "cut.json", *(f"store{i}/store.json" for i in range(4))}
    assert {name for name, e in found.items() if e.kind == "not read"} == bad | {"broken.json"}
    assert {name: e.sentence for name, e in found.items() if name not in bad} == whole
