"""What is told about an evaluation, before it is laid out: facts, measures by question, notes."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.measures.measure import Measure, catalogue, find, leading
from steelyard.results import Estimate
from steelyard.summaries.confusion import Confusion
from steelyard.summaries.summary import told_by_level
from steelyard.words import (
    MARK,
    MINUS,
    bracketed,
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


def kind_of(evaluation: Evaluation) -> str:
    """What kind of predictions an evaluation is about: "scores", "classes", "numbers" or "labels"."""
    if evaluation.scores is not None:
        return "scores"
    if evaluation.class_scores is not None:
        return "classes"
    return "numbers" if evaluation.residuals is not None else "labels"


# Facts ----------------------------------------------------------------------------------------------------------------


def title(evaluation: Evaluation) -> str:
    """What this is an evaluation of."""
    source, segment = evaluation.facts.get("source", ""), evaluation.segment
    of = f" of {visible(source)}" if source else ""
    return f"Evaluation{of}" if segment is None else f"Evaluation{of}, segment {quoted(segment)}"


def facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """What was evaluated and how, as label and text."""
    out = [("rows", _rows(evaluation))]
    if evaluation.positive is not None and evaluation.confusion is not None:
        out.append(("positive", quoted(evaluation.positive)))
    elif evaluation.levels:
        shown = ", ".join(quoted(v) for v in evaluation.levels[:MOST_LEVELS])
        more = f" and {len(evaluation.levels) - MOST_LEVELS:,} more" if len(evaluation.levels) > MOST_LEVELS else ""
        out.append(("levels", f"{len(evaluation.levels):,}: {shown}{more}"))
    if evaluation.scores is not None:
        out.append(("threshold", _threshold(evaluation)))
    elif "decided" in evaluation.facts:
        out.append(("decided", f"for the level of the {evaluation.facts['decided']}"))
    if evaluation.payoff is not None:
        out.append(("outcomes", visible(evaluation.payoff).replace(" -", f" {MINUS}")))
    kind = evaluation.facts.get("weights", "none")
    if kind != "none":
        shared = evaluation.confusion is not None and evaluation.positive is not None
        x = evaluation["prevalence" if shared else evaluation.measures[0]]
        if kind == "sampling" and x.n_eff and x.n:
            kind = f"{kind}, worth {count(round(x.n_eff / x.n * evaluation.rows))} equal rows"
        out.append(("weights", kind))
    unit = (evaluation.facts.get("roles") or {}).get("unit")
    if isinstance(unit, str):
        out.append(("unit", f"{visible(unit)}; intervals follow these and not rows"))
    if "corrected" in evaluation.facts:
        out.append(("corrected", evaluation.facts["corrected"]))
    dropped = evaluation.facts.get("dropped") or {}
    if dropped:
        out.append(("left out", rows_left_out(dropped)))
    return out


def rows_left_out(dropped: Mapping[str, int]) -> str:
    """How many rows were left out, by what they had.

    >>> rows_left_out({"a missing target": 1, "a missing score": 20})
    '1 row with a missing target, 20 rows with a missing score'
    """
    return ", ".join(f"{n:,} row{'' if n == 1 else 's'} with {word}" for word, n in dropped.items())


def _rows(evaluation: Evaluation) -> str:
    text = f"{evaluation.rows:,}"
    c: Confusion | None = evaluation.confusion
    if c is None or evaluation.positive is None:
        return text
    share = evaluation["prevalence"].value
    if share is None:
        return text
    if c.weighting == "none":
        return f"{text}, {count(float(c.outcomes(evaluation.positive).positives))} of them positive ({percent(share)})"
    # Rows that were tested several times count once in all, and carry no weight of their own.
    whose = "them" if evaluation.facts.get("weights") == "none" else "their weight"
    return f"{text}, {percent(share)} of {whose} positive"


def _threshold(evaluation: Evaluation) -> str:
    if "decided" in evaluation.facts:
        return f"one for each row: flagged for the {evaluation.facts['decided']}"
    if "confusion" in evaluation.evidence:
        return "not used: the labels came with the scores"
    assert evaluation.threshold is not None
    told = {"default": " (the default)", "given": " (as given)"}.get(evaluation.facts.get("threshold", ""), "")
    return f"{shortest(evaluation.threshold)}{told}: positive if the score is at least that"


# Tables by question ---------------------------------------------------------------------------------------------------


def question_of(measure: Measure) -> str:
    """The question a measure answers, as its module states it."""
    said = getattr(sys.modules.get(measure.function.__module__), "__doc__", None) or ""
    first, mark, _ = said.partition("?")
    return first.strip() + mark if mark and "\n" not in first else "Other measures"


def meaning_of(measure: Measure, options: Mapping[str, Any] | None = None, most: int = MEANING) -> str:
    """A measure's own sentence, its formula and then its later clauses left off until it fits."""
    text = measure.sentence.rstrip(".")
    left = dict(measure.options if options is None else options)
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


def _whole(evaluation: Evaluation) -> dict[str, list[str | None]]:
    """Every measure that has a number for the whole, with the averages that stand for the levels."""
    have = set(evaluation.summaries)
    out: dict[str, list[str | None]] = {name: [None] for name in evaluation.measures}
    if evaluation.positive is None or len(evaluation.levels) > 2:
        for name, m in catalogue().items():
            if told_by_level(m.reads, have):
                out.setdefault(name, [])
                # A level of that name would be meant by it.
                if None not in out[name] and "macro" not in evaluation.levels:
                    out[name].append("macro")
    return out


def row_of(measure: Measure, estimate: Estimate) -> Row:
    """One line of the table."""
    name = measure.name if estimate.level is None else f"{measure.name} ({visible(estimate.level)})"
    meaning = meaning_of(measure, estimate.options)
    if estimate.level is not None:
        meaning += ", mean over the levels"
    if estimate.value is None:
        return Row(name, "n/a", "", f"Not defined here: {estimate.reason}", estimate)
    value, low, high = estimate_parts(estimate.value, estimate.low, estimate.high)
    interval = bracketed(low, high) or "none"
    return Row(name, value, interval + (MARK if estimate.caution else ""), meaning, estimate)


def _option(value: object) -> str:
    if isinstance(value, float):
        return percent(value) if 0 < value < 1 else shortest(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(_option(v) for v in value)
    return str(value)


def groups(evaluation: Evaluation, *, full: bool = False) -> list[Group]:
    """Measures by the question they answer, each with its value, interval and meaning."""
    known = catalogue()
    whole = _whole(evaluation)
    out: dict[str, Group] = {}
    for name in sorted(whole, key=list(known).index):
        m = known[name]
        if "payoff" in m.options:
            # Money is told in a table of its own, beside the policies that need no model.
            continue
        group = out.setdefault(question_of(m), Group(question_of(m), []))
        # All the others are named, and told when everything is asked for.
        if full or m.rank("level" if "macro" in whole[name] else "text") is not None:
            group.rows.extend(row_of(m, evaluation.measure(name, level)) for level in whole[name])
        else:
            group.more.append(name)
    return list(out.values())


# Notes ----------------------------------------------------------------------------------------------------------------


def warnings(evaluation: Evaluation) -> list[str]:
    """What may make the conclusion another one: unlike rows without a target, an odd threshold, scores taken for numbers."""
    out = [text for text in (unlike_rows(evaluation), strange_threshold(evaluation)) if text]
    if evaluation.facts.get("target") == "only 0 and 1":
        name = evaluation.facts.get("roles", {}).get("prediction", "")
        say = f'score="{name}" (--score {name})' if name else "score=..."
        who = quoted(name) if name else "the prediction"
        out.append(
            f"The target holds only 0 and 1, and its errors are told as those of a quantity. If {who} is a score, say {say}."
        )
    return out


def notes(evaluation: Evaluation, told: list[Group]) -> list[str]:
    """What a reader should know beside the numbers."""
    out = warnings(evaluation)
    estimates = [r.estimate for g in told for r in g.rows]
    moved = [x for x in estimates if x.bound > 0 and x.level is None]
    blurred = [f"{find(x.measure).noun} {significant(x.bound, 2)}" for x in moved]
    if blurred:
        out.append(
            "Near scores were counted together, which moves a number by no more than this: "
            f"{', '.join(blurred)}. exact=True (--exact) keeps every score apart."
        )
    for text, names in _same_notes(estimates).items():
        out.append(f"{', '.join(find(n).noun for n in names)}: {text}.")
    return out


def marks(told: list[Group]) -> list[str]:
    """What the marks in the tables stand for."""
    return [f"{text}." for text in told_marks([(r.name, r.estimate.caution) for g in told for r in g.rows])]


def unlike_rows(evaluation: Evaluation) -> str:
    """How rows without a target differ from those that were evaluated, and what that does to the numbers."""
    if evaluation.verification is None or "corrected" in evaluation.facts:
        return ""
    corrected, found = "", evaluation.verification
    names = [n for n in leading("unlabelled") if n in evaluation.measures][:2]
    possible = not evaluation.segments and set(evaluation.evidence) <= CORRECTABLE
    if not found.alike and found.correctable and possible:
        whole = evaluation.with_unlabelled()
        corrected = " and ".join(f"{n} is {whole[n]} in place of {evaluation[n]}" for n in names)
    return " ".join(found.sentences(corrected, scores=evaluation.scores is not None))


def strange_threshold(evaluation: Evaluation) -> str:
    """A word where the default threshold was taken for scores that are no probabilities."""
    s = evaluation.scores
    chosen = evaluation.facts.get("threshold") != "default" or "confusion" in evaluation.evidence
    if s is None or s.probabilities or chosen:
        return ""
    assert evaluation.threshold is not None
    low, high = float(s.cells.low[0]), float(s.cells.high[-1])
    if low >= 0 and 1 < high <= 100:
        hint = "If they are percent, say threshold=50 (--threshold 50) or divide them by 100."
    else:
        hint = "Say which threshold is meant: threshold=... (--threshold)."
    flagged = evaluation["predicted_positive_rate"].value
    share = f" flags {percent(flagged)} of the rows" if flagged is not None else " cuts them"
    return (
        f"Scores run from {significant(low)} to {significant(high)} and are no probabilities, so the default "
        f"threshold {shortest(evaluation.threshold)}{share}. {hint}"
    )


def _same_notes(estimates: list[Estimate]) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for x in estimates:
        if x.note and x.measure not in said.get(x.note, []):
            said.setdefault(x.note, []).append(x.measure)
    return said
