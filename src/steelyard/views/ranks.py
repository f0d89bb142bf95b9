"""Mean ranks of many models, told: the diagram of critical differences, a paragraph for a paper, the table of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Chart, Line, Mark, Point, Text
from steelyard.charts.scales import Scale, nice_step
from steelyard.words import closed, count, number, percent, significant, visible

if TYPE_CHECKING:
    from steelyard.comparisons.ranks import Ranking

CORRECTED = {
    "nemenyi": "Nemenyi's test",
    "holm": "Holm's correction of all pairs",
    "shaffer": "Shaffer's correction of all pairs",
}
WIDTH = 760.0
CHARACTER = 7.0
LONGEST = 24
ROW = 22.0
"""Pixels between names below one another."""
LEVEL = 9.0
"""Pixels between bars."""
MEET = 24.0
MARGINS = (14.0, 24.0, 14.0, 30.0)
"""What a renderer leaves free left, right, above and below of the frame when there are no words at the axes."""
NAMED = 8
"""More pairs than these are counted and not named."""


# The diagram ----------------------------------------------------------------------------------------------------------


def diagram(ranking: Ranking, method: str = "nemenyi") -> Chart:
    """The mean ranks on an axis, best left, with a bar over every group of models that do not differ."""
    order = ranking.order
    cliques = ranking.cliques(method)
    levels = _levels(ranking, cliques)
    k = len(order)
    half = math.ceil(k / 2)
    names = {name: _short(name) for name in order}
    room = [max((len(names[n]) for n in side), default=0) * CHARACTER + 54 for side in (order[:half], order[half:])]
    unit = (k - 1) / (WIDTH - MARGINS[0] - MARGINS[1] - sum(room))
    across = Scale(1 - room[0] * unit, k + room[1] * unit, "", "names")
    bars = LEVEL * (max(levels, default=-1) + 1) + 16
    # The two in the middle would look joined where they stand side by side.
    meet = k % 2 == 0 and ranking.rank(order[half]) - ranking.rank(order[half - 1]) < MEET * unit
    shift = ROW / 2 if meet else 0.0
    below = bars + ROW * (half - 1) + shift + 8
    top = 48.0 if method == "nemenyi" and k > 2 else 24.0
    # Heights are pixels: the axis at zero, names below it.
    up = Scale(-below, top, "", "names")
    height = top + below + MARGINS[2] + MARGINS[3]
    marks: list[Mark] = [*_axis(k), *_difference(ranking, method, k)]
    for i, name in enumerate(order):
        left = i < half
        depth = -(bars + (ROW * i if left else ROW * (k - 1 - i) + shift))
        rank = ranking.rank(name)
        end = 1 - 6 * unit if left else k + 6 * unit
        marks.append(Line([rank, rank, end], [0.0, depth, depth], "quiet", 1.2))
        side = "end" if left else "start"
        words = f"{names[name]}  {number(rank, 2)}" if left else f"{number(rank, 2)}  {names[name]}"
        marks.append(Text(end, depth, words, "ink", side, i == 0, -6 if left else 6, 4))
        marks.append(Point(rank, 0.0, 0, size=3.5))
    for clique, level in zip(cliques, levels, strict=True):
        ends = [ranking.rank(clique[0]) - 3 * unit, ranking.rank(clique[-1]) + 3 * unit]
        marks.append(Line(ends, [-12 - LEVEL * level] * 2, 1, 5.0))
    columns: dict[str, Sequence[Any]] = {"model": list(order), "mean rank": [ranking.rank(n) for n in order]}
    title = "Mean ranks, and groups that do not differ"
    said = _diagram_words(ranking, method, cliques)
    return Chart("ranks", title, across, up, tuple(marks), said, columns, size=(WIDTH, height), grid=False)


def _short(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= LONGEST else closed(shown[: LONGEST - 1] + "…")


def _levels(ranking: Ranking, cliques: Sequence[tuple[str, ...]]) -> list[int]:
    """The highest free level for every bar, so that bars that meet stand below one another."""
    ends: list[float] = []
    out = []
    for clique in cliques:
        first, last = ranking.rank(clique[0]), ranking.rank(clique[-1])
        level = next((i for i, end in enumerate(ends) if end < first - 0.02 * len(ranking.names)), len(ends))
        ends[level : level + 1] = [last]
        out.append(level)
    return out


def _axis(k: int) -> list[Mark]:
    """The axis with its ticks, those in between without words."""
    step = max(1, round(nice_step(k - 1, 11)))
    marks: list[Mark] = [Line([1, k], [0, 0], "ink", 1.5)]
    worded = {*range(step, k + 1, step), 1}
    for i in range(1, k + 1):
        marks.append(Line([i, i], [0, 7 if i in worded else 4], "ink", 1.2))
        if i in worded:
            marks.append(Text(float(i), 11.0, str(i), "quiet", "middle"))
    return marks


def _difference(ranking: Ranking, method: str, k: int) -> list[Mark]:
    """The critical difference as a bar above the axis; only Nemenyi's test has one for all pairs."""
    # Two models are told apart by Friedman's test itself.
    if method != "nemenyi" or k == 2:
        return []
    wide = min(ranking.critical_difference, k - 1)
    end, high = 1 + wide, 36.0
    marks: list[Mark] = [Line([1, end], [high] * 2, "ink", 2.0)]
    marks += [Line([x, x], [high - 4, high + 4], "ink", 2.0) for x in (1.0, end)]
    more = " (more than the axis is long)" if ranking.critical_difference > k - 1 else ""
    words = f"critical difference {number(ranking.critical_difference, 2)}{more}"
    return [*marks, Text(end, high, words, "ink", "start", False, 9, 4)]


def _diagram_words(ranking: Ranking, method: str, cliques: Sequence[tuple[str, ...]]) -> str:
    ranks = ", ".join(f"{visible(n)} {number(ranking.rank(n), 2)}" for n in ranking.order)
    groups = "; ".join(f"{visible(c[0])} to {visible(c[-1])}" for c in cliques)
    test = CORRECTED[method] if len(ranking.names) > 2 else "Friedman's test"
    joined = f"Bars join those that do not differ by {test}: {groups}." if cliques else "All differ."
    return f"Mean ranks on {ranking.n} data sets: {ranks}. {joined}"


# The paragraph --------------------------------------------------------------------------------------------------------


def paragraph(ranking: Ranking, method: str = "nemenyi") -> str:
    """What was tested and found, in sentences for a paper."""
    k, alpha = len(ranking.names), 1 - ranking.confidence
    order = [(visible(n), ranking.rank(n)) for n in ranking.order]
    by = f" by {visible(ranking.measure)}" if ranking.measure else ""
    out = [
        f"We ranked {k} models{by} on {count(ranking.n)} data sets, 1 for the {_highest(ranking)} value; "
        "models that tie share the mean of their ranks."
    ]
    exact = ranking.method.startswith("exact")
    told = [f"χ² = {significant(ranking.chi_square)} with {k - 1} degree{'s' if k > 2 else ''} of freedom"]
    told[0] += f", {p_text(ranking.chi_square_p)}"
    if ranking.f is not None and ranking.f_p is not None:
        told.append(
            f"Iman and Davenport's F({ranking.freedom[0]}, {ranking.freedom[1]}) = {significant(ranking.f)}, "
            f"{p_text(ranking.f_p)}"
        )
    alike = "" if ranking.f is not None else "all data sets rank them alike, "
    decides = "exact" if exact else "by F with degrees of freedom that allow for few data sets"
    told.append(f"{alike}{decides} {p_text(ranking.p_value)}, which decides")
    out.append(
        f"Friedman's test, corrected for ties, {'says' if ranking.differ else 'does not show'} that the models differ "
        f"({'; '.join(told)})."
    )
    best, *others = order
    tied = [name for name, rank in others if rank == best[1]]
    others = [(name, rank) for name, rank in others if name not in tied]
    rest = ", ".join(f"{name} ({number(rank, 2)})" for name, rank in others[:NAMED])
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    shared = f", tied with {_and(tied)}" if tied else ""
    before = f", before {rest}{more}" if others else ""
    out.append(f"{best[0]} has the best mean rank ({number(best[1], 2)}){shared}{before}.")
    if k > 2:
        out.append(_pairs(ranking, method, alpha))
    if ranking.control is not None and k > 2:
        out.append(_control(ranking))
    if ranking.note:
        out.append(ranking.note[0].upper() + ranking.note[1:] + ".")
    return " ".join(out)


def _highest(ranking: Ranking) -> str:
    return "highest" if ranking.better == "higher" else "lowest"


def _pairs(ranking: Ranking, method: str, alpha: float) -> str:
    found = ranking.different(method)
    at = f"at the {percent(alpha)} level"
    gap = f", whose critical difference is {number(ranking.critical_difference, 2)}" if method == "nemenyi" else ""
    opening = f"By {CORRECTED[method]}{gap}, {at}"
    if not found:
        return f"{opening}, no two models differ."
    total = len(ranking.pairs)
    if len(found) > NAMED:
        top = ranking.order[0]
        beaten = sum(better == top for better, _ in found)
        behind = f"; {visible(top)} ranks better than {beaten} of the other {len(ranking.names) - 1}"
        return f"{opening}, {len(found)} of {total} pairs differ{behind if beaten else ''}."
    groups: dict[str, list[str]] = {}
    for better, worse in sorted(found, key=lambda pair: [ranking.rank(name) for name in pair]):
        groups.setdefault(visible(better), []).append(visible(worse))
    told = [f"{better} ranks better than {_and(worse)}" for better, worse in groups.items()]
    tail = "" if len(found) == total else "; no other pair differs"
    return f"{opening}, {'; '.join(told)}{tail}."


def _control(ranking: Ranking) -> str:
    """What differs from the control, by Bonferroni and Dunn and by Holm."""
    out = []
    for name, words in (("bonferroni-dunn", "the Bonferroni–Dunn test"), ("holm", "Holm's correction")):
        found = zip(ranking.against_control(name), ("better", "worse"), strict=True)
        parts = [
            f"{_and([visible(n) for n in who])} {'rank' if len(who) > 1 else 'ranks'} {word}"
            for who, word in found
            if who
        ]
        out.append(f"by {words} {' and '.join(parts) or 'none differs'}")
    gap = number(ranking.control_difference, 2)
    return f"Against the control {visible(ranking.control)} (critical difference {gap}), {', '.join(out)}."


def p_text(p: float) -> str:
    """A p-value as papers write it.

    >>> p_text(0.0234), p_text(0.00004), p_text(1.0)
    ('p = 0.023', 'p < 0.001', 'p = 1.0')
    """
    return "p < 0.001" if p < 0.001 else f"p = {significant(p, 2)}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# The table ------------------------------------------------------------------------------------------------------------


def latex(ranking: Ranking, digits: int = 3) -> str:
    """The values for LaTeX with the package booktabs: a line a data set, the best in bold, mean ranks below."""
    head, body, last = _cells(ranking, digits, lambda s: rf"\textbf{{{s}}}", _latex_safe)
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(ranking.names)}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in body),
        r"\midrule",
        " & ".join(last) + r" \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def markdown(ranking: Ranking, digits: int = 3) -> str:
    """The values in Markdown: a line a data set, the best in bold, mean ranks below."""
    head, body, last = _cells(ranking, digits, lambda s: f"**{s}**", _markdown_safe)
    rule = ["---", *["---:"] * len(ranking.names)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body, last))


def _cells(
    ranking: Ranking, digits: int, bold: Callable[[str], str], safe: Callable[[str], str]
) -> tuple[list[str], list[list[str]], list[str]]:
    def row(name: str, values: Sequence[float], best: float, decimals: int) -> list[str]:
        told = [f"{v:.{decimals}f}".replace("-", "−" if safe is _markdown_safe else "$-$") for v in values]
        return [safe(name), *(bold(t) if v == best else t for t, v in zip(told, values, strict=True))]

    pick = max if ranking.better == "higher" else min
    head = [safe("data set"), *(safe(visible(n)) for n in ranking.names)]
    body = [row(visible(name), v, pick(v), digits) for name, v in zip(ranking.sets, ranking.values, strict=True)]
    return head, body, row("mean rank", ranking.ranks, min(ranking.ranks), 2)


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _latex_safe(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _markdown_safe(text: str) -> str:
    out = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\|*_`[]" else c for c in out)
