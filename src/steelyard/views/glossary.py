"""Words that not every reader knows, each in a plain sentence: linked where a page first says one, and printed as a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape

from steelyard.verdicts.alarm import IMMATURE, INSUFFICIENT
from steelyard.verdicts.stability import NEGLIGIBLE


@dataclass(frozen=True, slots=True)
class Word:
    """One word, what it means, and how else it is spelt."""

    name: str
    meaning: str
    spelt: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """What a page calls its entry: letters alone."""
        return "word" + re.sub(r"[^a-z]", "", self.name.lower())


WORDS = (
    Word(
        "AUC",
        "How well scores rank: how often a positive scores above a negative; 0.5 is chance, 1 is perfect.",
        ("auc",),
    ),
    Word(
        "average precision",
        "Precision averaged over the positives, from the highest score down.",
        ("average_precision",),
    ),
    Word("Bonferroni", "A way to allow for many looks: with ten, each is held to a tenth of the chance of error."),
    Word("bootstrap", "Drawing the rows anew, many times, to see how far a number could be off."),
    Word(
        "Brier score",
        "The mean squared distance between a probability and what happened; lower is better.",
        ("brier", "Brier"),
    ),
    Word("calibration", "Whether probabilities mean what they say: of rows given 30%, about 30 in 100 are positive."),
    Word(
        "classic light",
        "The usual traffic light of the stability index: green below 0.1, yellow to 0.25, red beyond, whatever the number of rows.",
        ("classic traffic light",),
    ),
    Word("Cochran's Q", "A test of whether several models are right equally often on the same rows."),
    Word("corrected resampled t", "A test over folds that allows for the training rows which the folds share."),
    Word("DeLong", "The usual way to say how sure an AUC, or a difference of two, is."),
    Word(
        "e-value",
        "Evidence that may be looked at any time: 20 means 20 times likelier if there is an effect than if there is none.",
        ("e-values",),
    ),
    Word("ece", "Calibration error: how far probabilities are off from what happened, on average.", ("ECE",)),
    Word("F1", "Recall and precision in one number (their harmonic mean); low where either is low.", ("f1",)),
    Word(IMMATURE, "Too early to say: the outcomes of these rows are still waited for."),
    Word(INSUFFICIENT, "Too few rows to say."),
    Word("kappa", "Agreement beyond what guessing would reach: 0 is guessing, 1 is perfect.", ("Kappa",)),
    Word(
        "KS",
        "The greatest distance between positives and negatives in how far they have been flagged; 1 is perfect.",
        ("ks",),
    ),
    Word(
        "L-quality",
        "How well scores rank, from 0 for a random order to 1 for a perfect one: 2 AUC − 1.",
        ("l_quality",),
    ),
    Word("lift", "How many times more positives the flagged rows hold than rows drawn at random."),
    Word(
        "log loss",
        "How surprised a model is by what happens; lower is better, and being surely wrong costs most.",
        ("log_loss", "Log loss"),
    ),
    Word(
        "luck",
        "Choosing the best of many on the same rows makes it look better than it is; that much is taken off.",
        ("after luck", "luck taken off"),
    ),
    Word(
        "Matthews correlation", "The correlation of predicted and actual labels: 0 is guessing, 1 is perfect.", ("mcc",)
    ),
    Word("McNemar", "A test of two models on the same rows, by the rows on which one alone is right."),
    Word("MOVER", "A way to make the interval of a difference out of the intervals of its two parts."),
    Word("Newcombe", "The usual interval of the difference between two shares."),
    Word("p", "How often chance alone would show as large a difference if there were none.", ("p-value", "p-values")),
    Word("precision", "Of the rows that are flagged, the share that is positive."),
    Word("Q₀", "What always saying the commoner answer would reach, to hold Q against.", ("Q0",)),
    Word(
        "Qini coefficient",
        "How much better acting by the model is than acting at random, in people reached; 0 is no better.",
        ("Qini",),
    ),
    Word("recall", "Of the positives, the share that is flagged."),
    Word("R²", "The share of the spread of what really happened that predictions account for.", ("r2",)),
    Word("ROC", "The curve of positives found against false alarms, from the strictest threshold to the mildest."),
    Word(NEGLIGIBLE, "There is a change, and it is too small to matter."),
    Word(
        "slow-wave t by period",
        "A test of a control group over weeks or months that allows for slow ups and downs they share.",
        ("slow-wave t",),
    ),
    Word("specificity", "Of the negatives, the share that is left alone."),
    Word("stability index", "How far a column, or a score, has moved from what it was; 0 is not at all."),
    Word("Student's t", "The usual interval and test of a mean."),
    Word("Wilson", "An interval of a share that holds for few rows, too."),
)


@cache
def _known() -> dict[str, Word]:
    return {escape(spelling): word for word in WORDS for spelling in (word.name, *word.spelt)}


@cache
def _pattern() -> re.Pattern[str]:
    # The longest first, or a part of a name would be taken for it; a lone p is a word only before a sign or a stop.
    longest = sorted((s for s in _known() if s != "p"), key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest))}|p(?= [=<]))(?![\w-])")


TAG = re.compile(r"(<[^>]*>)")
NO_PLACE = frozenset(
    ("script", "style", "svg", "a", "h1", "h2", "summary", "button", "label", "legend", "code", "option", "pre")
)
"""Elements in which no word is linked."""
WRITTEN_ANEW = re.compile(r"\bdata-(cell|role|value|best)=|class=\"(told|headline)\"")
"""What the page itself writes anew when an amount or a threshold is changed."""
NO_END = frozenset(("br", "input", "meta", "hr"))


def linked(html: str) -> tuple[str, list[Word]]:
    """A page's HTML with a link where it first says each word, and the words that it says.

    >>> linked("<p>kappa and <a>lift</a>, kappa</p>")[0]
    '<p><a href="#wordkappa" class="gloss">kappa</a> and <a>lift</a>, kappa</p>'
    """
    said: dict[Word, None] = {}
    inside = 0
    out = []
    for part in TAG.split(html):
        if part.startswith("<"):
            name = re.match(r"</?([a-z0-9]+)", part)
            held = name is not None and (name[1] in NO_PLACE or inside or WRITTEN_ANEW.search(part))
            if held and name is not None and name[1] not in NO_END:
                inside += -1 if part.startswith("</") else 0 if part.endswith("/>") else 1
            out.append(part)
        else:
            out.append(part if inside else _pattern().sub(lambda found: _link(found[0], said), part))
    return "".join(out), in_order(said)


def _link(text: str, said: dict[Word, None]) -> str:
    word = _known()[text]
    if word in said:
        return text
    said[word] = None
    return f'<a href="#{word.anchor}" class="gloss">{text}</a>'


def in_order(words: Iterable[Word]) -> list[Word]:
    """By the alphabet, whatever the letters' size."""
    return sorted(words, key=lambda w: w.name.lower())


def glossary_page() -> str:
    """All words as Markdown."""
    lines = [
        "# Words",
        "",
        "What reports, terminals and notebooks say, in plain words. [Definitions of every measure](measures.md).",
        "",
    ]
    for w in in_order(WORDS):
        also = f" ({', '.join(w.spelt)})" if w.spelt else ""
        lines.append(f"- **{w.name}**{also}: {w.meaning}")
    return "\n".join(lines) + "\n"
