"""The sections of a report about a model in use: what they need, what they show, and what is no result at all."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.page import report_html
from steelyard.reports.writing import report_text


def rows(n: int = 4000, seed: int = 1) -> dict[str, Any]:
    """Sixteen weeks of predictions; from the ninth on the scores mean half, and people are older."""
    rng = np.random.default_rng(seed)
    week = np.arange(n) * 16 // n
    score = rng.beta(2, 3, n)
    chance = np.where(week < 8, score, 0.4 * score + 0.6 * score.mean())
    return {
        "scored": np.datetime64("2024-01-01") + 7 * week,
        "p": score,
        "y": (rng.random(n) < chance).astype(int),
        "age": rng.normal(np.where(week < 8, 40, 55), 10).round(),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    data = rows()
    then, now = ({k: v[part] for k, v in data.items()} for part in (slice(0, 2000), slice(2000, None)))
    watch = {"time": "scored", "target": "y", "score": "p", "reference": "first 6 windows", "window": "week"}
    rng = np.random.default_rng(2)
    arm, risk = rng.choice(["called", "left"], 3000), rng.beta(1, 5, 3000)
    churned = (rng.random(3000) < risk * np.where(arm == "called", 0.5, 1)).astype(int)
    who = np.repeat(np.arange(200), 2)
    events = {"who": who, "day": np.tile([0.0, 5.0], 200), "p": rng.random(400), "left": who % 3 == 0}
    return {
        "monitor": sy.monitor(data, features=["age"], **watch),
        "stability": sy.stability(then, now),
        "timeliness": sy.timeliness(events, unit="who", time="day", score="p", outcome="left", horizon=10),
        "trial": sy.trial(
            {"arm": arm, "risk": risk, "churned": churned},
            **{"group": "arm", "control": "left", "outcome": "churned", "score": "risk"},
        ),
    }


@pytest.fixture(scope="module")
def evaluation() -> sy.Evaluation:
    return sy.evaluate(rows(), target="y", score="p")


def section(page: str, anchor: str) -> str:
    found = re.search(rf'<section id="{anchor}">(.*?)</section>', page, flags=re.DOTALL)
    assert found is not None, anchor
    # Words are linked where they are first said, and intervals are kept in one line.
    told = re.sub(r'<a href="#word\w+" class="gloss">(.*?)</a>', r"\1", found[1])
    return unescape(re.sub(r'<span class="kept">(.*?)</span>', r"\1", told))


def test_without_results_there_are_no_sections_but_a_line_to_type(evaluation: sy.Evaluation) -> None:
    page = report_html({"model": evaluation})
    assert not re.search('id="(early|stale|helps)"', page)
    assert "stability=sy.stability(" in section(page, "more") and "trial=sy.trial(" in section(page, "more")
    typed = report_html({"model": evaluation}, command="steelyard report rows.csv --target y --score p")
    for option in ("--reference FILE", "--group COLUMN --control LEVEL"):
        assert f"steelyard report rows.csv --target y --score p {option} --force" in section(typed, "more")


def test_results_come_with_verdict_picture_and_table(
    evaluation: sy.Evaluation, results: dict[str, Any], tmp_path: Path
) -> None:
    evaluation.report(tmp_path / "r.html", **results)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    stale, early, helps = (section(page, anchor) for anchor in ("stale", "early", "helps"))
    for text, result in ((stale, "monitor"), (stale, "stability"), (early, "timeliness"), (helps, "trial")):
        for sentence in results[result].sentences():
            assert sentence in text, (result, sentence)
    assert all("<svg" in text and "<table" in text for text in (stale, early, helps))
    assert "Over time" in stale and "Then and now" in stale and "age" in stale
    assert (
        'class="verdict"' in helps
        and '<span class="state good">helps</span>' in helps
        and "Gain by score band" in helps
    )
    order = re.findall(r"<h2>(.*?)</h2>", page)
    told = ["Is it going stale?", "Does it warn early enough?", "Does it help?", "How was this made?"]
    assert order[-6:] == [*told, "What else could be asked?", "What do the words mean?"]
    shown = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"NaN|\bnan\b|\binf\b|style=", shown)


def test_one_result_alone_needs_no_headings_of_its_own(evaluation: sy.Evaluation, results: dict[str, Any]) -> None:
    for name in ("monitor", "stability"):
        text = section(report_text({"m": evaluation}, ".html", in_use={name: results[name]}), "stale")
        assert "Over time" not in text and "Then and now" not in text and results[name].sentences()[0] in text
    column = sy.stability(rows()["age"][:2000], rows()["age"][2000:])
    text = section(report_text({"m": evaluation}, ".html", in_use={"stability": column}), "stale")
    assert "By cell" in text and column.sentences()[0] in text


def test_methods_that_are_not_valid_are_told_in_the_page(evaluation: sy.Evaluation) -> None:
    weeks = {"week": [*range(8)] * 2, "arm": ["left"] * 8 + ["called"] * 8}
    weeks["n"] = [34, 29, 23, 27, 32, 24, 34, 29, 14, 20, 26, 18, 17, 20, 21, 19]
    t = sy.trial(counts=weeks, group="arm", control="left", outcome="n", period="week", exposed=500)
    text = section(report_text({"m": evaluation}, ".html", in_use={"trial": t}), "helps")
    assert text.count("not valid here") > 10 and "All but slow-wave t by period: not valid here" in text
    assert "More pictures" in text


def test_markdown_and_json_hold_the_same(evaluation: sy.Evaluation, results: dict[str, Any]) -> None:
    text = report_text({"m": evaluation}, ".md", in_use=results)
    plain = text.replace("\\", "")
    for name, question in (
        ("monitor", "## Is it going stale?"),
        ("stability", "## Is it going stale?"),
        ("timeliness", "## Does it warn early enough?"),
        ("trial", "## Does it help?"),
    ):
        assert text.count(question) == 1 and results[name].sentences()[0] in plain, name
    assert "| two proportions |" in text
    document = json.loads(report_text({"m": evaluation}, ".json", in_use=results))
    assert set(document["in_use"]) == set(results) and document["in_use"]["trial"]["verdict"] == "helps"
    assert "## Does it help?" not in report_text({"m": evaluation}, ".md")
    assert json.loads(report_text({"m": evaluation}, ".json"))["in_use"] == {}


def test_sums_without_events_are_told_without_pictures(evaluation: sy.Evaluation, results: dict[str, Any]) -> None:
    t = results["timeliness"]
    text = section(report_text({"m": evaluation}, ".html", in_use={"timeliness": t.plus(t, twice=True)}), "early")
    assert "<svg" not in text and "needs the events" in text and "<table" in text


def test_alerts_are_told_along_with_timeliness(evaluation: sy.Evaluation, results: dict[str, Any]) -> None:
    a = results["timeliness"].alerts(0.3)
    text = section(report_text({"m": evaluation}, ".html", in_use={"timeliness": a}), "early")
    for sentence in (*results["timeliness"].sentences(), *a.sentences()):
        assert sentence in text, sentence
    assert text.count("<svg") == 3 and "Alerts at 0.3" in text
    found = json.loads(report_text({"m": evaluation}, ".json", in_use={"timeliness": a}))["in_use"]["timeliness"]
    assert found["numbers"]["q"] and found["alerts"]["numbers"]["recall"] and found["alerts"]["detection"]


def test_the_head_says_that_an_alarm_stands(evaluation: sy.Evaluation, results: dict[str, Any]) -> None:
    def head(**in_use: Any) -> str:
        page = report_text({"m": evaluation}, ".html", in_use=in_use)
        return unescape(page[page.index("<header") : page.index("</header")])

    assert results["monitor"].state == "alarm"
    told = head(monitor=results["monitor"])
    assert results["monitor"].sentences()[0] in told and 'href="#stale"' in told
    assert 'href="#stale"' not in head() and 'href="#stale"' not in head(trial=results["trial"])
    assert "<h1>Predictions</h1>" in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"trial": {"verdict": "helps"}}, "trial= takes what sy.trial(...) returns, and a dict came."),
        ({"monitor": "stream.csv"}, "monitor= takes what sy.monitor(...) returns, and a str came."),
        ({"trail": 1}, 'A report takes no "trail"; of a model in use it takes'),
    ],
)
def test_what_is_no_result_is_refused(evaluation: sy.Evaluation, tmp_path: Path, given: Any, words: str) -> None:
    with pytest.raises(sy.errors.UsageError, match=re.escape(words)) as found:
        evaluation.report(tmp_path / "r.html", **given)
    assert found.value.hint and not list(tmp_path.iterdir())


def test_one_result_for_another_is_refused(evaluation: sy.Evaluation, results: dict[str, Any], tmp_path: Path) -> None:
    for name in results:
        for other in results.values():
            if other is not results[name]:
                with pytest.raises(sy.errors.UsageError, match=f"{name}= takes"):
                    evaluation.report(tmp_path / "r.html", **{name: other})
