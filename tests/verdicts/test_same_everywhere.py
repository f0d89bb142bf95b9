"""The same evidence says the same in text, page, Markdown and JSON."""

import html
import json
import re

import numpy as np
import pytest

import steelyard as sy
from steelyard.gates.junit import junit
from steelyard.gates.requirement import outcome_of

RNG = np.random.default_rng(7)
Y = (RNG.random(600) < 0.4).astype(int)


def scores(apart):
    return 1 / (1 + np.exp(-np.random.default_rng(3).normal(apart * (Y - 0.5), 1)))


def outputs(result, folder, **in_use):
    """All four, as plain text on one line."""
    for ending in ("html", "md", "json"):
        result.report(folder / f"r.{ending}", **in_use)
    # What is kept together on a line is part of its sentence.
    written = re.sub(r'<span class="kept">(.*?)</span>', r"\1", (folder / "r.html").read_text())
    page = html.unescape(re.sub(r"<[^>]*>", " ", written))
    markdown = re.sub(r"\\(.)", r"\1", (folder / "r.md").read_text())
    told = {"text": str(result), "page": page, "Markdown": markdown}
    return {k: " ".join(v.split()) for k, v in told.items()}, json.loads((folder / "r.json").read_text())


@pytest.mark.parametrize(
    ("rows", "apart", "word", "said"),
    [
        (600, 2.0, "useful", "That is better than chance."),
        (600, 0.0, "not shown", "No clear difference from chance."),
        (600, -2.0, "worse than no model", "That is worse than chance."),
        (40, 2.0, "too few", "Too few cases to say whether that is better than chance: "),
    ],
)
def test_of_one_model(rows, apart, word, said, tmp_path):
    e = sy.evaluate(target=Y[:rows], score=scores(apart)[:rows])
    assert e.verdict.word == word
    told, document = outputs(e, tmp_path)
    for where, text in told.items():
        assert (e.verdict.sentence if where == "text" else said) in text, where
        assert e.verdict.sentence in text and e.verdict.next_step in text, where
    (model,) = document["models"].values() if "models" in document else [document]
    assert model["verdict"]["word"] == word
    assert any(s["text"].startswith(said) for s in model["sentences"])


@pytest.mark.parametrize(
    ("first", "second", "margin", "word"),
    [
        (2.0, 0.0, None, "better"),
        (1.0, 1.01, None, "no clear difference"),
        (2.0, 2.001, 0.2, "equivalent within 0.2"),
    ],
)
def test_of_two_models(first, second, margin, word, tmp_path):
    pair = {"first": scores(first), "second": scores(second)}
    c = sy.compare(target=Y, score=pair, margin=margin, measures=["auc"])
    assert c.difference("auc", "first", "second").verdict == word
    assert c.verdict.word == word.removesuffix(" 0.2")
    told, document = outputs(c, tmp_path)
    for where, text in told.items():
        assert word in text.lower(), where
    (d,) = document["differences"]
    # In JSON the pair stands as it was asked for, which may be the other way round.
    assert d["verdict"] == (word if d["first"] == "first" else {"better": "worse"}.get(word, word))


@pytest.mark.parametrize(("bound", "word"), [(0.6, "met"), (0.99, "failed"), (0.92, "not shown")])
def test_of_a_requirement(bound, word):
    outcome = outcome_of(sy.evaluate(target=Y, score=scores(2.0)), [f"auc >= {bound}"])
    (result,) = outcome.results
    assert result.state == outcome.to_dict()["results"][0]["state"] == word
    assert f"{word}: " in str(outcome)
    assert bool(outcome) == (word == "met")
    assert (f'type="{word}"' in junit(outcome)) == (word != "met")


def test_of_a_trial(tmp_path):
    arm = np.repeat(["act", "hold"], 2000)
    churned = np.r_[np.arange(2000) % 10 == 0, np.arange(2000) % 5 == 0].astype(int)
    t = sy.trial(
        {"arm": arm, "churned": churned, "unit": np.arange(4000)},
        group="arm",
        control="hold",
        outcome="churned",
        unit="unit",
    )
    assert t.verdict == t.to_dict()["verdict"] == "helps"
    told, document = outputs(sy.evaluate(target=Y, score=scores(2.0)), tmp_path, trial=t)
    for where, text in (told | {"text": str(t)}).items():
        assert "Verdict: helps" in text, where
    assert document["in_use"]["trial"]["verdict"] == "helps"
