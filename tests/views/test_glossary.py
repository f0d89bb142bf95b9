"""Words that not every reader knows are explained where a page says them, and nowhere in the wrong place."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import steelyard as sy
from steelyard.reports.page import report_html
from steelyard.trials.methods import SLOW
from steelyard.verdicts.alarm import IMMATURE
from steelyard.verdicts.stability import NEGLIGIBLE
from steelyard.views.glossary import WORDS, linked

UNEXPLAINED = (
    NEGLIGIBLE,
    IMMATURE,
    SLOW,
    "classic light",
    "L-quality",
    "e-value",
    "Qini",
    "kappa",
    "mcc",
    "KS",
    "Bonferroni",
)
"""Words that readers asked about."""


@pytest.mark.parametrize("word", UNEXPLAINED)
def test_every_word_that_readers_asked_about_has_an_entry_and_a_link(word: str) -> None:
    html, said = linked(f"<p>It says {word}, and {word} again.</p>")
    assert len(said) == 1 and html.count("<a ") == 1 and f'href="#{said[0].anchor}"' in html
    assert re.sub(r"<[^>]*>", "", html) == f"It says {word}, and {word} again."


def test_entries_are_plain_and_no_two_alike() -> None:
    anchors = [w.anchor for w in WORDS]
    assert len(set(anchors)) == len(anchors) and all(a.isalpha() for a in anchors)
    assert all(len(w.meaning) < 160 and w.meaning.endswith(".") for w in WORDS)


def test_nothing_but_text_is_touched() -> None:
    for html in (
        "<script>kappa</script>",
        "<svg><text>kappa</text></svg>",
        '<a href="#x">kappa</a>',
        '<p title="kappa">x</p>',
        '<td data-cell="tp">kappa</td>',
        "<p>a-kappa kappas kappa_linear</p>",
        "<p>&lt;kapp</p>",
    ):
        assert linked(html)[0] == html
    assert linked("<p>Student&#x27;s t</p>")[1][0].name == "Student's t"


def test_a_page_explains_the_words_that_it_says(rng: np.random.Generator) -> None:
    x = rng.normal(size=900)
    before = sy.stability(x, x + 0.05)
    y = rng.random(900) < 0.4
    for page in (
        report_html({"m": sy.evaluate(target=y, score=y + rng.normal(size=900))}, in_use={"stability": before}),
        report_html({"m": sy.evaluate(target=y, prediction=~y)}),
    ):
        body = page.partition("<main>")[2]
        said = set(re.findall(r'href="#(word\w+)" class="gloss"', page))
        there = re.findall(r'<dt id="(word\w+)"', body)
        assert said == set(there) and len(there) == len(set(there)) >= 3
        # Whatever of the glossary stands in the sentences of the page is among them.
        text = unescape(re.sub(r"<[^>]*>", "", " ".join(re.findall(r"<p>(.*?)</p>", body))))
        for word in WORDS:
            if re.search(rf"(?<![\w.-]){re.escape(word.name)}(?![\w-])", text) and word.name != "p":
                assert word.anchor in said, word.name
