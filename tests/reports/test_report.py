"""Reports of every kind of evaluation: what the page, the Markdown and the JSON hold."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.explorer import explorer_data, kept
from steelyard.reports.page import evidence_fingerprint, report_html
from steelyard.reports.writing import report_text, write_report
from steelyard.views.html import fingerprint, island, tag
from steelyard.views.standings import standings

FIRST = ["How good?", "How sure?"]
LAST = ["How was this made?", "What else could be asked?", "What do the words mean?"]
FAILS, THRESHOLD, WORTH = "Where does it fail?", "Which threshold?", "What is it worth?"
ASKED = {"scores": [THRESHOLD], "amounts": [THRESHOLD, WORTH], "weights": [THRESHOLD], "units": [THRESHOLD]}
ASKED |= {"no probabilities": [THRESHOLD], "labels": [FAILS], "classes": [FAILS], "numbers": [FAILS]}
"""What the evidence of each kind answers beside how good and how sure; for the others there is no section."""


def drawn(n: int = 3000, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(1, 4, n), 3)
    return {
        "y": (rng.random(n) < score).astype(int),
        "p": score,
        "q": np.round(np.clip(score + rng.normal(0, 0.2, n), 0, 1), 3),
        "region": rng.choice(["north", "south"], n),
        "amount": rng.lognormal(3, 1, n),
    }


@pytest.fixture(scope="module")
def scored() -> sy.Evaluation:
    payoff = sy.Profit(tp=30, fp=-5)
    return sy.evaluate(drawn(), target="y", score="p", segment="region", profit=payoff, threshold=0.25)


def kinds() -> dict[str, sy.Evaluation]:
    rng = np.random.default_rng(2)
    labels = rng.choice(list("abcd"), 300)
    said = np.where(rng.random(300) < 0.7, labels, rng.choice(list("abcd"), 300))
    raw = rng.gamma(1 + 2 * (labels[:, None] == np.array(list("abcd"))))
    raw = raw / raw.sum(axis=1, keepdims=True)
    x = rng.normal(10, 3, 300)
    return {
        "scores": sy.evaluate(drawn(), target="y", score="p"),
        "labels": sy.evaluate(target=labels, prediction=said),
        "matrix": sy.evaluate(confusion=[[6, 3], [2, 9]], levels=["spam", "ham"], positive="spam"),
        "classes": sy.evaluate(target=labels, score={v: raw[:, i] for i, v in enumerate("abcd")}),
        "numbers": sy.evaluate(target=x, prediction=x + rng.normal(0, 1, 300)),
        "amounts": sy.evaluate(drawn(), target="y", score="p", profit=sy.Cost(fn="amount", fp=4)),
        "weights": sy.evaluate(drawn(), target="y", score="p", weight="amount"),
        "units": sy.evaluate(drawn() | {"u": np.arange(3000) // 10}, target="y", score="p", unit="u"),
        "no probabilities": sy.evaluate(target=[0, 1, 0, 1], score=[-3.0, 2.0, 1.0, 8.0]),
    }


@pytest.mark.parametrize("name", kinds())
def test_every_kind_of_evaluation_has_a_whole_page(name: str) -> None:
    page = report_html({name: kinds()[name]})
    asked = ASKED.get(name, [])
    expected = [q for q in (THRESHOLD, *FIRST, FAILS, WORTH, *LAST) if q in (*FIRST, *asked, *LAST)]
    assert re.findall(r"<h2>(.*?)</h2>", page) == expected
    assert page.count("<svg") >= 2
    assert not re.search(r"NaN|Infinity|\bnan\b|\binf\b", re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    assert len(page) < 150_000
    for ending in (".md", ".json"):
        text = report_text({name: kinds()[name]}, ending)
        assert name == "matrix" or len(text) > 500
    assert json.loads(report_text({name: kinds()[name]}, ".json"))["models"][name]["sentences"]


def test_what_was_not_asked_is_one_list_of_lines_to_type() -> None:
    page = unescape(report_html({"labels": kinds()["labels"]}))
    assert page.count('class="needs"') == 0
    for words in (
        'sy.evaluate(rows, ..., segment="COLUMN")',
        "profit=sy.Profit({ACTUAL: {PREDICTED: AMOUNT}})",
        "trial=sy.trial(",
    ):
        assert words in page
    # What its evidence cannot answer is not offered.
    assert "threshold" not in page[page.index('id="more"') :].partition("<script>")[0]
    numbers = report_html({"numbers": kinds()["numbers"]})
    assert "profit" not in numbers[numbers.index('id="more"') :].partition("<script>")[0]


def test_the_navigation_leads_to_what_is_there_and_to_nothing_else() -> None:
    for e in kinds().values():
        page = report_html({"m": e})
        assert re.findall(r'<a href="#(\w+)"', page.partition("<main>")[0].partition("<nav")[2]) == re.findall(
            r'<section id="(\w+)"', page
        )


def test_several_models_are_ranked_by_their_paired_tests_and_turned_to_one_by_one() -> None:
    rows = drawn()
    score = {"worse": rows["q"], "better": rows["p"]}
    c = sy.compare(target=rows["y"], score=score, profit=sy.Profit(tp=30, fp=-5), threshold=0.25)
    page = re.sub(r'<span class="kept">(.*?)</span>', r"\1", unescape(report_html(c.evaluations, comparison=c)))
    model = page[page.index('id="model"') : page.index('id="good"')]
    assert all(s in model for s in c.sentences())
    assert "Which of 2 models?" in page and "better everywhere" not in page.partition("<main>")[0]
    # The best comes first, whoever was named first; each has its button, and its part of every section.
    assert re.findall(r'title="(\w+)"', page.partition("<main>")[0]) == ["better", "worse"]
    assert page.count("data-of=m") == 2 and page.count('data-of="m0"') == page.count('data-of="m1"') >= 4
    assert page.count("3,000, ") == 1 or "3,000, " in page.partition("<main>")[0]
    assert len(page) < 250_000


def test_no_interval_that_leaves_out_zero_is_called_no_clear_difference() -> None:
    rng = np.random.default_rng(6)
    for _ in range(6):
        y = rng.random(600) < 0.4
        score = {f"m{i}": y + rng.normal(0, 1 + 0.05 * i, 600) for i in range(7)}
        c = sy.compare(target=y, score=score, measures=["auc", "accuracy"])
        for measure in c.measures:
            for s in standings(c, measure):
                if s.difference is not None:
                    apart = s.difference.low > 0 or s.difference.high < 0
                    assert apart == (s.difference.verdict in ("better", "worse"))
            assert {s.difference.verdict for s in standings(c, measure) if s.difference} <= {
                "worse",
                "no clear difference",
            }


def test_the_page_says_what_it_was_made_from(scored: sy.Evaluation) -> None:
    page = report_html({"tree": scored}, title="Tree, March", command="steelyard report preds.csv")
    for words in (
        "<h1>Tree, March</h1>",
        "3,000, ",
        "0.25 (as given)",
        evidence_fingerprint(scored),
        "steelyard report preds.csv",
    ):
        assert words in page
    assert re.search(r"steelyard \d+\.\d+\.\d+, Python 3\.\d+", page)


def test_the_fingerprint_knows_the_rows_and_not_their_order() -> None:
    rows = drawn(500)
    order = np.random.default_rng(5).permutation(500)
    first = sy.evaluate(rows, target="y", score="p")
    second = sy.evaluate({k: np.asarray(v)[order] for k, v in rows.items()}, target="y", score="p")
    assert evidence_fingerprint(first) == evidence_fingerprint(second)
    assert evidence_fingerprint(first) != evidence_fingerprint(sy.evaluate(drawn(500, 9), target="y", score="p"))


def test_the_policy_names_the_only_script_and_style(scored: sy.Evaluation) -> None:
    page = report_html({"tree": scored})
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    script = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert len(script) == len(style) == 1
    said = policy[1].replace("&#x27;", "'")
    assert f"script-src '{fingerprint(script[0])}'" in said and f"style-src '{fingerprint(style[0])}'" in said
    assert "unsafe" not in said and said.startswith("default-src 'none'")
    assert " style=" not in page


def test_several_models_come_side_by_side() -> None:
    rows = drawn()
    models = {name: sy.evaluate(rows, target="y", score=column) for name, column in (("tree", "p"), ("knn", "q"))}
    page = report_html(models)
    assert page.index("Which model?</h2>") < page.index("How good?</h2>")
    assert page.count('class="explorer"') == 2 and 'data-model="m1"' in page
    assert "steelyard compare" in page[page.index('id="model"') :], "nobody tested how they differ"
    assert "| measure | tree | knn |" in report_text(models, ".md")


def test_a_page_hardly_grows_with_the_rows() -> None:
    sizes = []
    for n in (20_000, 1_200_000):
        rng = np.random.default_rng(0)
        score = rng.beta(1, 6, n)
        e = sy.evaluate(target=(rng.random(n) < score).astype(int), score=score, profit=sy.Profit(tp=30, fp=-5))
        sizes.append(len(report_html({"m": e})))
    assert sizes[1] < 1.15 * sizes[0] and max(sizes) < 150_000


def test_the_explorer_keeps_every_cut_that_can_be_best() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        rows = drawn(2000, int(rng.integers(1e6)))
        e = sy.evaluate(rows, target="y", score="p")
        assert e.scores is not None
        data = explorer_data(e, (1.0, 0.0, -1.0, 0.0), "profit")
        tp, fp = np.cumsum(data["tp"]), np.cumsum(data["fp"])
        positives, negatives = tp[-1], fp[-1]
        for _ in range(10):
            a, b, c, d = rng.normal(0, 100, 4)
            here = (tp * a + (positives - tp) * b + fp * c + (negatives - fp) * d).max()
            best = e.best_threshold(sy.Profit(tp=a, fn=b, fp=c, tn=d)).at.value if _ == 0 else None
            everywhere = _best(e, a, b, c, d)
            assert here == pytest.approx(everywhere)
            assert best is None or best == pytest.approx(everywhere)
        assert data["t"][data["at"]] is None or data["t"][data["at"]] >= 0.5 - 1e-6
        assert len(kept(e.scores, 0.5)) <= 2000


def _best(e: sy.Evaluation, a: float, b: float, c: float, d: float) -> float:
    from steelyard.measures.flagged import cumulative

    assert e.scores is not None
    tp, fp = cumulative(e.scores)
    return float((tp * a + (tp[-1] - tp) * b + fp * c + (fp[-1] - fp) * d).max())


def test_text_stays_text() -> None:
    assert tag("p", '<b onclick="x">') == "<p>&lt;b onclick=&quot;x&quot;&gt;</p>"
    assert "</script>" not in island(json.dumps({"a": "</script><img src=x>"}))


def test_a_report_goes_where_its_name_says(scored: sy.Evaluation, tmp_path: Path) -> None:
    for name in ("r.html", "r.md", "r.json"):
        scored.report(tmp_path / name, title="March")
        assert "March" in (tmp_path / name).read_text(encoding="utf-8")
    with pytest.raises(sy.errors.UsageError, match=r"written as \.html, \.md or \.json"):
        write_report({"m": scored}, tmp_path / "r.pdf")
    assert {p.name for p in tmp_path.iterdir()} == {"r.html", "r.md", "r.json"}


def test_markdown_obeys_no_name() -> None:
    rows = {"y": ["a|b", "[x](http://e.com)"] * 20, "said": ["a|b"] * 40}
    e = sy.evaluate(rows, target="y", prediction="said", positive="a|b")
    text = report_text({"<img src=x>": e}, ".md", title="# `x` <script>")
    assert "<img" not in text.replace("\\<img", "") and "](http" not in text.replace("\\]", "")
    assert all(
        line.count("|") - line.count("\\|") == lines.count("|") - lines.count("\\|") for line, lines in _tables(text)
    )


def _tables(text: str) -> list[tuple[str, str]]:
    lines = text.splitlines()
    return [(a, b) for a, b in pairwise(lines) if a.startswith("|") and b.startswith("|")]


def test_two_crossed_columns_are_a_heat_map_with_an_interval_in_every_cell() -> None:
    n = 1_200
    rng = np.random.default_rng(5)
    target = rng.random(n) < 0.4
    rows = {
        "y": target.astype(int),
        "p": np.where(target, 0.4, 0.0) + 0.6 * rng.random(n),
        "region": np.array(["north", "south", "<b>"])[np.arange(n) % 3],
        "device": np.array(["app", "web"])[np.arange(n) // 3 % 2],
    }
    rows["p"][(rows["region"] == "south") & (rows["device"] == "web")] = 0.5
    e = sy.evaluate(rows, target="y", score="p", segment=["region", "device"])
    page = report_html({"one": e})
    table = re.search(r'<table><caption>Ranking.*?</table>|<table class="cells crossed">.*?</table>', page, re.S)
    assert table
    cells = re.findall(r'<td class="(shade\d)">([\d.]+)<span class="ends">\[([\d.]+), ([\d.]+)\]</span>', table[0])
    assert len(cells) == 6
    # The worst is the strongest, and stands out by a word as well as by its colour.
    worst = min(cells, key=lambda cell: float(cell[1]))
    assert worst[0] == max(shade for shade, *_ in cells) and float(worst[1]) == 0.5
    assert "Clearly worse than all rows, 6 looks considered: south × web." in page
    assert "&lt;b&gt; × app" in page and "<b> ×" not in page
    assert "crossed" not in report_html({"one": sy.evaluate(rows, target="y", score="p", segment="region")})
    assert 'segment=["region", "device"]' in unescape(page)


def test_many_segments_with_long_names_and_many_classes_leave_the_page_small():
    rng = np.random.default_rng(9)
    names = np.array([f"Niederlassung {i:03d} am Wald, Abteilung für gewerbliche Kunden <b>&" for i in range(300)])
    y, where = (rng.random(9_000) < 0.3).astype(int), names[rng.integers(0, 300, 9_000)]
    e = sy.evaluate(target=y, score=(rng.random(9_000) + y / 2).round(3), segment=where, profit=sy.Profit(tp=3, fp=-1))
    assert len(report_html({"one": e}).encode()) < 175_000
    truth = rng.integers(0, 40, 4_000)
    guess = np.where(rng.random(4_000) < 0.7, truth, rng.integers(0, 40, 4_000))
    chart = sy.evaluate(target=truth.astype(str), prediction=guess.astype(str)).chart("confusion")
    assert len(chart.marks) < 800
    assert len(chart.columns["rows"]) == 1_600


def test_a_page_of_two_segment_columns_stays_small() -> None:
    rows = drawn() | {"region": np.arange(3000) % 4, "device": np.arange(3000) % 3}
    e = sy.evaluate(rows, target="y", score="p", segment=["region", "device"], profit=sy.Profit(tp=140, fp=-20))
    page = report_html({"model": e})
    assert "The 6 worst of 12" in page and len(page.encode()) < 150_000
