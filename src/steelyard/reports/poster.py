"""The first screen of a report as one picture: headline, cards and four charts in one SVG."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from steelyard.charts.palette import FONT, colour, notebook_style
from steelyard.charts.svg import text
from steelyard.measures.measure import find, leading
from steelyard.reports.sections import interval_words
from steelyard.results import Estimate
from steelyard.verdicts.verdict import Verdict
from steelyard.views.pictures import shown_of
from steelyard.views.sentences import sentences, statement
from steelyard.views.story import kind_of
from steelyard.words import estimate_parts

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

WIDTH, GAP, EDGE = 960.0, 16.0, 24.0
CARD, CHART = 150.0, 330.0


def poster(e: Evaluation, title: str) -> str:
    """One SVG that needs nothing else, light or dark like its page."""
    parts: list[str] = []
    parts.append(text(EDGE, 34, "steelyard report", size=13))
    parts.append(text(EDGE, 66, title, tint="ink", size=26, bold=True))
    y = 92.0
    story = " ".join(s.text for s in sentences(e)[:5])
    for line in textwrap.wrap(story, 118)[:3]:
        parts.append(text(EDGE, y, line, tint="ink", size=14))
        y += 20
    y += 4
    names = [n for n in leading("card", kind_of(e)) if n in e.measures and e[n].value is not None]
    wide = (WIDTH - 2 * EDGE - (len(names) - 1) * GAP) / max(len(names), 1)
    for i, name in enumerate(names):
        parts += _card(e[name], e.verdict_on(name), find(name).title, EDGE + i * (wide + GAP), y, wide)
    y += CARD + GAP
    drawn = [e.chart(n) for n in shown_of(kind_of(e)) if n in e.charts]
    half = (WIDTH - 2 * EDGE - GAP) / 2
    for i, chart in enumerate(drawn[:4]):
        x, top = EDGE + (i % 2) * (half + GAP), y + (i // 2) * (CHART + GAP)
        parts.append(_paper(x, top, half, CHART))
        scale = min((half - 24) / chart.size[0], (CHART - 44) / chart.size[1])
        left = x + (half - scale * chart.size[0]) / 2
        inner = chart.svg(style=False, title=False).partition(">")[2].rpartition("</svg>")[0]
        parts.append(f'<g transform="translate({left:.1f} {top + 10:.1f}) scale({scale:.4f})">{inner}</g>')
        parts.append(text(x + half / 2, top + CHART - 14, chart.title, anchor="middle", size=13))
    height = y + ((min(len(drawn), 4) + 1) // 2) * (CHART + GAP) + 8
    style = notebook_style()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}" height="{height:g}" '
        f'role="img" aria-label="The first screen of a report" font-family="{FONT}" font-size="12"><style>{style}'
        f".page{{fill:#fff}}@media (prefers-color-scheme:dark){{.page{{fill:#14171b}}}}</style>"
        f'<rect width="{WIDTH:g}" height="{height:g}" rx="10" fill="#fff" class="page"/>{"".join(parts)}</svg>\n'
    )


def _paper(x: float, y: float, width: float, height: float) -> str:
    shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"'
    return f'{shape} fill="{colour("paper")}" class="sy-f-paper"/>'


def _card(x: Estimate, verdict: Verdict | None, title: str, left: float, top: float, width: float) -> list[str]:
    assert x.value is not None
    value = estimate_parts(x.value, x.low, x.high)[0]
    out = [_paper(left, top, width, CARD), text(left + 14, top + 24, title, size=13)]
    out.append(text(left + 14, top + 54, value, tint="ink", size=24, bold=True))
    out.append(text(left + 14, top + 73, interval_words(x), size=12))
    for i, line in enumerate(textwrap.wrap(statement(x, verdict), int((width - 28) / 6.7))[:4]):
        out.append(text(left + 14, top + 93 + 16 * i, line, tint="ink", size=12))
    return out
