"""What is told about an evaluation, before it is laid out: facts, measures by question, notes."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.measures.measure import Measure, catalogue, leading
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.summary import told_by_level
from steelyard.words import (
    MARK,
    MINUS,
    count,
    estimate_parts,
    percent,
    quoted,
    shortest,
    significant,
    told_marks,
    visible,
)

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

CORRECTABLE = {"scores", "confusion"}
MOST_LEVELS = 8
MEANING = 68


@dataclass(frozen=True, slots=True)
class Row:
    """One measure in the table."""

    name: str
    value: str
    interval: str
    meaning: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Group:
    """The measures that answer one question, and the names of those left for later."""

    question: str
    rows: list[Row]
    more: list[str] = field(default_factory=list)


def kind_of(e: Evaluation) -> str:
    """What kind of predictions an evaluation is about: "scores", "classes", "numbers" or "labels"."""
    if e.scores is not None:
        return "scores"
    if e.class_scores is not None:
        return "classes"
    return "numbers" if e.residuals is not None else "labels"


# Facts ----------------------------------------------------------------------------------------------------------------


def title(e: Evaluation) -> str:
    """What this is an evaluation of."""
    source, segment = e.facts.get("source", ""), e.segment
    of = f" of {visible(source)}" if source else ""
    return f"Evaluation{of}" if segment is None else f"Evaluation{of}, segment {quoted(segment)}"


def facts(e: Evaluation) -> list[tuple[str, str]]:
    """What was evaluated and how, as label and text."""
    out = [("rows", _rows(e))]
    if e.positive is not None and e.confusion is not None:
        out.append(("positive", quoted(e.positive)))
    elif e.levels:
        shown = ", ".join(quoted(v) for v in e.levels[:MOST_LEVELS])
        more = f" and {len(e.levels) - MOST_LEVELS:,} more" if len(e.levels) > MOST_LEVELS else ""
        out.append(("levels", f"{len(e.levels):,}: {shown}{more}"))
    if e.scores is not None:
        out.append(("threshold", _threshold(e)))
    elif "decided" in e.facts:
        out.append(("decided", f"for the level of the {e.facts['decided']}"))
    if e.payoff is not None:
        out.append(("outcomes", visible(e.payoff).replace(" -", f" {MINUS}")))
    kind = e.facts.get("weights", "none")
    if kind != "none":
        x = e["prevalence"] if e.confusion is not None and e.positive is not None else e[e.measures[0]]
        told = (
            f", worth {count(round(x.n_eff / x.n * e.rows))} equal rows"
            if kind == "sampling" and x.n_eff and x.n
            else ""
        )
        out.append(("weights", f"{kind}{told}"))
    if "corrected" in e.facts:
        out.append(("corrected", e.facts["corrected"]))
    dropped = e.facts.get("dropped") or {}
    if dropped:
        out.append(
            ("left out", ", ".join(f"{n:,} row{'' if n == 1 else 's'} with {word}" for word, n in dropped.items()))
        )
    return out


def _rows(e: Evaluation) -> str:
    text = f"{e.rows:,}"
    c: Confusion | None = e.confusion
    if c is None or e.positive is None:
        return text
    share = e["prevalence"].value
    if share is None:
        return text
    if c.weighting == "none":
        return f"{text}, {count(float(c.outcomes(e.positive).positives))} of them positive ({percent(share)})"
    # Rows that were tested several times count once in all, and carry no weight of their own.
    whose = "them" if e.facts.get("weights") == "none" else "their weight"
    return f"{text}, {percent(share)} of {whose} positive"


def _threshold(e: Evaluation) -> str:
    if "decided" in e.facts:
        return f"one for each row: flagged for the {e.facts['decided']}"
    if "confusion" in e.evidence:
        return "not used: the labels came with the scores"
    assert e.threshold is not None
    told = {"default": " (the default)", "given": " (as given)"}.get(e.facts.get("threshold", ""), "")
    return f"{shortest(e.threshold)}{told}: positive if the score is at least that"


# Tables by question ---------------------------------------------------------------------------------------------------


def question_of(m: Measure) -> str:
    """The question a measure answers, as its module states it."""
    said = getattr(sys.modules.get(m.function.__module__), "__doc__", None) or ""
    first, mark, _ = said.partition("?")
    return first.strip() + mark if mark and "\n" not in first else "Other measures"


def meaning_of(m: Measure, options: Mapping[str, Any] | None = None, most: int = MEANING) -> str:
    """A measure's own sentence, its formula and then its later clauses left off until it fits."""
    text = m.sentence.rstrip(".")
    left = dict(m.options if options is None else options)
    for key in [k for k in left if f"`{k}`" in text]:
        text = text.replace(f"`{key}`", _option(left.pop(key)))
    head, colon, tail = text.partition(": ")
    if colon and re.search(r"[Σ√/×−]", tail):
        text = head
    while len(text) > most:
        cut = max(text.rfind(mark) for mark in (": ", "; ", ", ", ". ", " ("))
        if cut < most // 4:
            break
        text = text[:cut]
    if text.count("(") > text.count(")"):
        text = text[: text.rindex(" (")]
    told = ", ".join(f"{k} {_option(v)}" for k, v in left.items())
    return f"{text} ({told})" if told else text


def _whole(e: Evaluation) -> dict[str, list[str | None]]:
    """Every measure that has a number for the whole, with the averages that stand for the levels."""
    have = set(e.summaries)
    out: dict[str, list[str | None]] = {name: [None] for name in e.measures}
    if e.positive is None or len(e.levels) > 2:
        for name, m in catalogue().items():
            if told_by_level(m.reads, have):
                out.setdefault(name, [])
                # A level of that name would be meant by it.
                if None not in out[name] and "macro" not in e.levels:
                    out[name].append("macro")
    return out


def row_of(m: Measure, x: Estimate) -> Row:
    """One line of the table."""
    name = m.name if x.level is None else f"{m.name} ({visible(x.level)})"
    meaning = meaning_of(m, x.options)
    if x.level is not None:
        meaning += ", mean over the levels"
    if x.value is None:
        return Row(name, "n/a", "", f"Not defined here: {x.reason}", x)
    value, low, high = estimate_parts(x.value, x.low, x.high)
    interval = f"{low} to {high}" if low else "none"
    return Row(name, value, interval + (MARK if x.caution else ""), meaning, x)


def _option(value: object) -> str:
    if isinstance(value, float):
        return percent(value) if 0 < value < 1 else shortest(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(_option(v) for v in value)
    return str(value)


def groups(e: Evaluation, *, full: bool = False) -> list[Group]:
    """Measures by the question they answer, each with its value, interval and meaning."""
    known = catalogue()
    whole = _whole(e)
    out: dict[str, Group] = {}
    for name in sorted(whole, key=list(known).index):
        m = known[name]
        if "payoff" in m.options:
            # Money is told in a table of its own, beside the policies that need no model.
            continue
        group = out.setdefault(question_of(m), Group(question_of(m), []))
        # All the others are named, and told when everything is asked for.
        if full or m.rank("level" if "macro" in whole[name] else "text") is not None:
            group.rows.extend(row_of(m, e.measure(name, level)) for level in whole[name])
        else:
            group.more.append(name)
    return list(out.values())


# Notes ----------------------------------------------------------------------------------------------------------------


def notes(e: Evaluation, told: list[Group]) -> list[str]:
    """What a reader should know beside the numbers."""
    out = []
    out += [text for text in (unlike_rows(e), strange_threshold(e)) if text]
    if e.facts.get("target") == "only 0 and 1":
        name = e.facts.get("roles", {}).get("prediction", "")
        say = f'score="{name}" (--score {name})' if name else "score=..."
        who = quoted(name) if name else "the prediction"
        out.append(
            f"The target holds only 0 and 1, and its errors are told as those of a quantity. If {who} is a score, say {say}."
        )
    estimates = [r.estimate for g in told for r in g.rows]
    blurred = [f"{x.measure} {significant(x.bound, 2)}" for x in estimates if x.bound > 0 and x.level is None]
    if blurred:
        out.append(
            "Near scores were counted together, which moves a number by no more than this: "
            f"{', '.join(blurred)}. exact=True (--exact) keeps every score apart."
        )
    for text, names in _same_notes(estimates).items():
        out.append(f"{', '.join(names)}: {text}.")
    return out


def marks(told: list[Group]) -> list[str]:
    """What the marks in the tables stand for."""
    return [f"{text}." for text in told_marks([(r.name, r.estimate.caution) for g in told for r in g.rows])]


def unlike_rows(e: Evaluation) -> str:
    """How rows without a target differ from those that were evaluated, and what that does to the numbers."""
    if e.verification is None or "corrected" in e.facts:
        return ""
    corrected = ""
    names = [n for n in leading("unlabelled") if n in e.measures][:2]
    if not e.verification.alike and e.verification.correctable and not e.segments and set(e.evidence) <= CORRECTABLE:
        whole = e.with_unlabelled()
        corrected = " and ".join(f"{n} is {whole[n]} in place of {e[n]}" for n in names)
    return " ".join(e.verification.sentences(corrected, scores=e.scores is not None))


def strange_threshold(e: Evaluation) -> str:
    """A word where the default threshold was taken for scores that are no probabilities."""
    s = e.scores
    if s is None or s.probabilities or e.facts.get("threshold") != "default" or "confusion" in e.evidence:
        return ""
    assert e.threshold is not None
    low, high = float(s.cells.low[0]), float(s.cells.high[-1])
    if low >= 0 and 1 < high <= 100:
        hint = "If they are percent, say threshold=50 (--threshold 50) or divide them by 100."
    else:
        hint = "Say which threshold is meant: threshold=... (--threshold)."
    flagged = e["predicted_positive_rate"].value
    share = f" flags {percent(flagged)} of the rows" if flagged is not None else " cuts them"
    return (
        f"Scores run from {significant(low)} to {significant(high)} and are no probabilities, so the default "
        f"threshold {shortest(e.threshold)}{share}. {hint}"
    )


def _same_notes(estimates: list[Estimate]) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for x in estimates:
        if x.note and x.measure not in said.get(x.note, []):
            said.setdefault(x.note, []).append(x.measure)
    return said
