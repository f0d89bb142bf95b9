"""Reports of every kind of evaluation: what the page, the Markdown and the JSON hold."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.explorer import explorer_data, kept
from steelyard.reports.html import fingerprint, island, tag
from steelyard.reports.page import evidence_fingerprint, report_html
from steelyard.reports.writing import report_text, write_report

QUESTIONS = (
    *("How good?", "How sure?", "Where does it fail?", "Which threshold?", "What is it worth?", "Which model?"),
    *("Is it going stale?", "Does it help?", "How was this made?"),
)


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
    assert re.findall(r"<h2>(.*?)</h2>", page) == [q.replace("'", "&#x27;") for q in QUESTIONS]
    assert page.count("<svg") >= 2
    assert not re.search(r"NaN|Infinity|\bnan\b|\binf\b", re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    assert len(page) < 150_000
    for ending in (".md", ".json"):
        text = report_text({name: kinds()[name]}, ending)
        assert name == "matrix" or len(text) > 500
    assert json.loads(report_text({name: kinds()[name]}, ".json"))["models"][name]["sentences"]


def test_sections_without_data_say_what_is_needed() -> None:
    page = report_html({"labels": kinds()["labels"]})
    for words in ("segment=", "A threshold needs one score", "profit=Profit(", "--score knn=p1", "control group"):
        assert words in page


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
    assert "is best when" in page or "best" in page
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
    from steelyard.measures.ranking import cumulative

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
