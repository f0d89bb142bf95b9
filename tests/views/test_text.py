"""Whole outputs as somebody has read and approved them, and what must hold for any evaluation."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.measures.measure import catalogue
from steelyard.views import story
from steelyard.views.document import evaluation_document
from steelyard.views.layout import width_of
from steelyard.views.notebook import evaluation_html
from steelyard.views.text import brief_text, evaluation_text
from steelyard.views.verdict import verdict_lines

APPROVED = Path(__file__).resolve().parents[1] / "approved"


def two_levels():
    n = 240
    y = [int(i * 37 % 101 < 35) for i in range(n)]
    p = [round(min(max((i * 53 % 97) / 97 * 0.6 + 0.3 * t, 0.01), 0.99), 4) for i, t in enumerate(y)]
    return y, p


def case(name):
    y, p = two_levels()
    region = [("north", "south", "east")[i % 3] for i in range(len(y))]
    labels = ["spam" if t else "ham" for t in y]
    guess = ["spam" if s >= 0.5 else "ham" for s in p]
    flower = ["abc"[i % 3] for i in range(150)]
    wrong = ["abc"[(i + (i % 7 == 0)) % 3] for i in range(150)]
    dose = [20 + i * 29 % 61 + 0.5 for i in range(120)]
    match name:
        case "scores":
            return sy.evaluate(target=labels, score=p, positive="spam", segment=region)
        case "weights":
            gap = [None if i in (3, 77) else s for i, s in enumerate(p)]
            weight = [0.5 + i % 4 / 2 for i in range(len(y))]
            return sy.evaluate(target=y, score=gap, weight=weight, missing="drop", threshold=0.4, confidence=0.9)
        case "labels":
            return sy.evaluate(target=labels, prediction=guess, positive="spam")
        case "levels":
            return sy.evaluate(target=flower, prediction=wrong)
        case "many_levels":
            names = [f"level {i % 25}" for i in range(500)]
            said = [f"level {(i + (i % 6 == 0)) % 25}" for i in range(500)]
            return sy.evaluate(target=names, prediction=said)
        case "class_scores":
            score = {k: [0.8 if g == k else 0.1 for g in wrong] for k in "abc"}
            return sy.evaluate(target=flower, score=score)
        case "numbers":
            return sy.evaluate(target=dose, prediction=[d + (i * 17 % 23 - 10) * 0.7 for i, d in enumerate(dose)])
        case "few":
            return sy.evaluate(target=[1, 1, 0, 0, 0, 0], score=[0.2, 0.4, 0.0, 0.6, 0.7, 0.9])
        case "matrix":
            return sy.evaluate(confusion=[[6, 3], [2, 9]], levels=["spam", "ham"], positive="spam")
    raise AssertionError(name)


CASES = ("scores", "weights", "labels", "levels", "many_levels", "class_scores", "numbers", "few", "matrix")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["brief", "text"])
def test_the_text_is_the_one_that_was_read(kind, name):
    path = APPROVED / f"{kind}_{name}.txt"
    e = case(name)
    text = (e.text() if kind == "text" else str(e)) + "\n"
    if os.environ.get("STEELYARD_APPROVE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"read {path}, then STEELYARD_APPROVE=1 if the change is meant"


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", CASES)
def test_the_conclusion_takes_twelve_lines_and_then_says_where_the_rest_is(name, width):
    e = case(name)
    told, _, rest = brief_text(e, width).partition("\n\n")
    assert len(told.splitlines()) <= 12 and "e.text()" in rest and len(rest.splitlines()) <= 3
    assert all(width_of(line) <= width for line in told.splitlines())
    state, *lines = told.splitlines()
    assert state.lower() == e.verdict.state and " ".join(lines).startswith(e.verdict.sentence)
    assert e.text().startswith("\n".join(verdict_lines(e.verdict)))


@pytest.mark.parametrize("name", CASES)
def test_text_fits_and_names_every_measure(name):
    e = case(name)
    for full in (False, True):
        text = evaluation_text(e, full=full)
        assert [line for line in text.splitlines() if width_of(line) > 80] == []
        for measure in e.measures:
            assert measure in text
    shown = [row.name for group in story.groups(e, full=True) for row in group.rows]
    assert set(e.measures) <= set(shown)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.open, self.text = set(), [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not [a for a, _ in attrs if a.startswith("on")]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", CASES)
def test_the_notebook_gets_plain_html(name):
    e = case(name)
    page = Tags()
    page.feed(evaluation_html(e))
    assert page.open == []
    assert not page.seen & {"script", "link", "img", "iframe"}
    # Colours are those of pictures and of the state; tables and sentences take those of the page.
    tables_only = re.sub(r"<(svg|style).*?</\1>", "", evaluation_html(e), flags=re.DOTALL)
    assert "color" not in tables_only
    for group in story.groups(e):
        for row in group.rows:
            assert row.name in page.text
    assert e._repr_html_() == evaluation_html(e)


HOSTILE = '<script>alert("x")</script>'


def test_names_are_escaped_in_html():
    e = sy.evaluate(target=[HOSTILE, "b"] * 20, score=[0.5, 0.4] * 20, positive=HOSTILE, segment=[HOSTILE] * 40)
    html = evaluation_html(e)
    assert "<script" not in html
    assert "&lt;script&gt;" in html


@given(st.lists(st.text(max_size=200), min_size=2, max_size=12, unique=True))
def test_any_names_fit_in_eighty_columns(names):
    levels = [n for n in names if n.strip()]
    if len(levels) < 3:
        return
    e = sy.evaluate(target=levels * 2, prediction=levels + levels[::-1], segment=levels * 2)
    text = evaluation_text(e)
    assert [line for line in text.splitlines() if width_of(line) > 80] == []
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_large_counts_fit():
    e = sy.evaluate(
        confusion=[[10**12 + i * j for i in range(8)] for j in range(8)], levels=[f"class {i}" for i in range(8)]
    )
    assert all(width_of(line) <= 80 for line in e.text().splitlines())


def test_the_meaning_of_a_measure_is_its_own_sentence():
    for m in catalogue().values():
        meaning = story.meaning_of(m, {})
        assert meaning
        assert m.sentence.startswith(meaning[: max(8, meaning.find(" ("))]), m.name
        assert meaning.count("(") == meaning.count(")")
        assert story.question_of(m).endswith("?")


def test_a_new_measure_appears_by_itself():
    from steelyard.measures.measure import forget, measure
    from steelyard.results import Share
    from steelyard.summaries.confusion import Confusion

    @measure(better="higher", range=(0, 1))
    def half_right(c: Confusion) -> Share:
        """Half of the share that is right."""
        return Share(c.correct, 2 * c.total)

    try:
        e = case("labels")
        assert "half_right" in e.text()
        assert "Half of the share that is right" in evaluation_text(e, full=True)
        assert "half_right" in [n["measure"] for n in evaluation_document(e)["numbers"]]
    finally:
        forget("half_right")


def test_where_the_threshold_came_from_is_told():
    y, p = two_levels()
    told = {k: dict(story.facts(e))["threshold"] for k, e in {
        "default": sy.evaluate(target=y, score=p),
        "given": sy.evaluate(target=y, score=p, threshold=0.3),
        "moved": sy.evaluate(target=y, score=p).at(threshold=0.3),
        "labels": sy.evaluate(target=y, score=p, prediction=[int(s > 0.2) for s in p]),
    }.items()}  # fmt: skip
    assert told["default"].startswith("0.5 (the default)")
    assert told["given"].startswith("0.3 (as given)")
    assert told["moved"] == told["given"]
    assert told["labels"] == "not used: the labels came with the scores"


def test_a_wrong_column_is_refused():
    with pytest.raises(sy.errors.BadLevels, match="No predicted level occurs"):
        sy.evaluate(target=["a", "b"] * 20, prediction=["x", "y"] * 20)


def test_the_certified_bound_is_told():
    e = case("scores")
    x = e["auc"]
    e._known[next(k for k in e._known if k[0] == "auc")] = x.renamed(bound=0.00012345)
    assert "Near scores were counted together" in e.text()
    assert "AUC 0.00012." in " ".join(e.text().split())
