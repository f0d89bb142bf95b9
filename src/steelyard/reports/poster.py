"""The first screen of a report as one picture: verdict, sums, cards, and the slider over scores and money, in one SVG."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.charts.marks import Chart, Rule
from steelyard.charts.palette import FONT, colour, notebook_style
from steelyard.charts.svg import draw, text
from steelyard.reports.bench import pictures
from steelyard.reports.cards import Card, bar, cards_of
from steelyard.verdicts.conclusion import SumBar
from steelyard.views.concluding import cut_text
from steelyard.views.pictures import shown_of
from steelyard.views.story import kind_of
from steelyard.views.worth import interval_text, value_text
from steelyard.words import bracketed, shortest

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

WIDTH, GAP, EDGE = 960.0, 14.0, 24.0
CARD, TRACK, CHART = 116.0, 56.0, 230.0
SUMS = 312.0
"""Width of the sums beside the headline."""
STYLE = (
    ".page{fill:#fff}.track{fill:#dfe3e8}.range{fill:#0063a8;opacity:.35}.value{fill:#0063a8}.without{fill:#5b6470}.best{fill:#0a6b45}"
    "@media(prefers-color-scheme:dark){.page{fill:#14171b}.track{fill:#333a44}.range,.value{fill:#5cb3ee}.without{fill:#a3acb8}"
    ".best{fill:#6fd3a3}}"
)


def poster(evaluation: Evaluation, title: str) -> str:
    """One SVG that needs nothing else, light or dark like its page."""
    v = evaluation.verdict
    parts = [text(EDGE, 30, title, tint="ink", size=14, bold=True)]
    parts += [text(WIDTH - EDGE, 30, "steelyard report", anchor="end", size=12)]
    parts.append(_box(EDGE, 44, WIDTH - 2 * EDGE, 1, "track"))
    parts.append(text(EDGE, 70, v.state, size=13, bold=True))
    y = 96.0
    for line in textwrap.wrap(v.sentence, 40 if v.bars else 66)[:3]:
        parts.append(text(EDGE, y, line, tint="ink", size=22, bold=True))
        y += 28
    for reason in v.reasons:
        for i, line in enumerate(textwrap.wrap(reason.text, 80 if v.bars else 128)):
            parts.append(text(EDGE, y, ("• " if i == 0 else "\u2002 ") + line, tint="ink", size=13))
            y += 18
    parts += _sums(v.bars, v.conclusion.unit)
    y = max(y, 84 + 42.0 * len(v.bars)) + 2
    cards = cards_of(evaluation)[:5]
    wide = (WIDTH - 2 * EDGE - (len(cards) - 1) * GAP) / max(len(cards), 1)
    for i, card in enumerate(cards):
        parts += _card(card, EDGE + i * (wide + GAP), y, wide)
    y += CARD + GAP
    half = (WIDTH - 2 * EDGE - GAP) / 2
    if evaluation.scores is not None and evaluation.threshold is not None:
        parts += _slider(evaluation, y)
        y += TRACK
    for i, chart in enumerate(_drawn(evaluation)):
        x = EDGE + i * (half + GAP)
        parts.append(_paper(x, y, half, CHART))
        inner = draw(replace(chart, size=(half - 16, CHART - 36)), style=False, title=False)
        parts.append(text(x + 14, y + 22, chart.heading, tint="ink", size=13, bold=True))
        parts.append(f'<g transform="translate({x + 8:.1f} {y + 30:.1f})">{_inside(inner)}</g>')
    height = y + CHART + EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}" height="{height:g}" '
        f'role="img" aria-label="The first screen of a report" font-family="{FONT}" font-size="12">'
        f'<style>{notebook_style()}{STYLE}</style><rect width="{WIDTH:g}" height="{height:g}" rx="10" fill="#fff" '
        f'class="page"/>{"".join(parts)}</svg>\n'
    )


def _drawn(evaluation: Evaluation) -> list[Chart]:
    """Scores and money with the threshold in force, or else the first two charts."""
    if evaluation.scores is None or evaluation.threshold is None:
        return [evaluation.chart(n) for n in shown_of(kind_of(evaluation)) if n in evaluation.charts][:2]
    kind = evaluation.payoff.kind if evaluation.payoff is not None else "profit"
    here = Rule(x=evaluation.threshold)
    return [replace(c, marks=(*c.marks, here)) for c in pictures(evaluation, kind)]


def _slider(evaluation: Evaluation, y: float) -> list[str]:
    """The threshold in force as a knob on its track, and the best one as a mark."""
    assert evaluation.threshold is not None
    s = evaluation.chart("scores").x
    left, right = EDGE + 214, WIDTH - EDGE - 16

    def x(v: float) -> float:
        return left + (right - left) * min(max(s.place(v), 0.0), 1.0)

    here = evaluation.threshold
    out = [text(EDGE, y + 26, f"Flag rows scoring at least {shortest(here)}", tint="ink", size=13)]
    out.append(_box(left, y + 19, right - left, 6, "track"))
    out.append(text(left, y + 44, "everybody is flagged") + text(right, y + 44, "nobody is flagged", anchor="end"))
    best = None if evaluation.advice is None else evaluation.advice.best
    if best is not None and best.value is not None and x(best.value) != x(here):
        out.append(_box(x(best.value) - 1, y + 10, 2, 22, "best"))
        out.append(text(x(best.value) + 6, y + 13, f"best {cut_text(best)}"))
    out.append(f'<circle cx="{x(here):.1f}" cy="{y + 22:.1f}" r="9" fill="#0063a8" class="value"/>')
    return [*out, text(x(here) + 14, y + 13, f"in force {shortest(here)}")]


def _sums(bars: Sequence[SumBar], unit: str) -> list[str]:
    if not bars:
        return []
    left = WIDTH - EDGE - SUMS
    out = [text(left, 70, unit, size=13)]
    values = [x for b in bars for x in (b.estimate.value, b.estimate.low, b.estimate.high, 0.0) if x is not None]
    low, high = min(values), max(values)
    wide = SUMS - 110 - 112

    def x(v: float) -> float:
        return left + 110 + wide * (v - low) / ((high - low) or 1.0)

    for i, b in enumerate(bars):
        y, e = 84 + 42.0 * i, b.estimate
        first, _, rest = b.name.partition(": ")
        out.append(text(left, y + (10 if rest else 17), first, tint="ink"))
        out += [text(left, y + 25, rest, tint="ink")] if rest else []
        start, end = sorted((x(0.0), x(float(e))))
        out.append(_box(start, y + 6, max(end - start, 1.0), 14, "best" if b.role == "best" else "without"))
        if e.low is not None and e.high is not None and e.low != e.high:
            out.append(
                f'<rect x="{x(e.low):.1f}" y="{y + 12:g}" width="{x(e.high) - x(e.low):.1f}" height="2" {_ink()}/>'
            )
        out.append(text(WIDTH - EDGE, y + 11, value_text(e), tint="ink", anchor="end", size=14, bold=True))
        out.append(text(WIDTH - EDGE, y + 26, interval_text(e), anchor="end"))
    return out


def _card(card: Card, left: float, top: float, width: float) -> list[str]:
    """A number with its interval, on the scale that its card on the page has."""
    value, low, high = card.parts
    out = [_paper(left, top, width, CARD), text(left + 12, top + 22, card.title)]
    out.append(text(left + 12, top + 48, value, tint="ink", size=22, bold=True))
    out.append(text(left + 12, top + 65, bracketed(low, high)))
    out.append(
        f'<g transform="translate({left + 12:.1f} {top + 72:.1f}) scale({(width - 24) / 200:.4f} 1)">{_inside(bar(card))}</g>'
    )
    for words, x, anchor in zip(card.ends, (12, width / 2, width - 12), ("start", "middle", "end"), strict=True):
        if words:
            out.append(text(left + x, top + 106, words, anchor=anchor, size=11))
    return out


def _inside(svg: str) -> str:
    """What a picture draws, without its frame."""
    return svg.partition(">")[2].rpartition("</svg>")[0]


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{kind}"/>'


def _ink() -> str:
    return f'fill="{colour("ink")}" class="sy-f-ink"'


def _paper(x: float, y: float, width: float, height: float) -> str:
    shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"'
    return f'{shape} fill="{colour("paper")}" class="sy-f-paper"/>'
