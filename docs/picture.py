"""Draws the picture of the README from the numbers: estimates with their intervals, and a ROC curve with its band.

The picture has its own paper, so that it reads the same on a light and on a dark page.
"""

from __future__ import annotations

from html import escape

import steelyard as sy

SPAM = [0.160, 0.184, 0.293, 0.676, 0.719, 0.781, 0.833, 0.960, 0.963]
HAM = [0.001, 0.003, 0.059, 0.064, 0.094, 0.226, 0.246, 0.302, 0.348, 0.657, 0.877]
SOURCE = "Intervals at 95%. Data: twenty e-mails of Kelleher, Mac Namee and D'Arcy, chapter 8."
SHOWN = ("accuracy", "recall", "specificity", "precision", "f1", "average_class_accuracy", "auc", "brier")

PAPER, LINE, INK, QUIET = "#fcfbf8", "#dcd8cf", "#22282f", "#6b7280"
BLUE, PALE, ORANGE = "#1f5fa8", "#bcd3ee", "#c2571a"
FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
WIDTH, HEIGHT = 880, 392


def _text(
    x: float, y: float, words: str, *, size: int = 13, fill: str = INK, anchor: str = "start", more: str = ""
) -> str:
    said = escape(words, quote=False)
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{more}>{said}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1, more: str = "") -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width:g}"{more}/>'


def _estimates(e: sy.Evaluation) -> list[str]:
    """One line a measure: its name, its interval drawn to scale, and the numbers."""
    left, right, top, step = 194, 404, 92, 31
    out = [_text(28, 62, "Every number with its interval", size=15, more=' font-weight="600"')]
    bottom = top + step * len(SHOWN) - 14
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x = left + tick * (right - left)
        out.append(_line(x, top - 12, x, bottom, LINE))
        out.append(_text(x, bottom + 18, f"{tick:g}", size=11, fill=QUIET, anchor="middle"))
    for i, name in enumerate(SHOWN):
        estimate, y = e[name], top + i * step + 4
        low, at, high = (left + (v or 0.0) * (right - left) for v in (estimate.low, estimate.value, estimate.high))
        out.append(_text(left - 14, y + 4.5, name.replace("_", " "), anchor="end"))
        out.append(f'<rect x="{low:.1f}" y="{y - 4.5}" width="{high - low:.1f}" height="9" rx="2" fill="{PALE}"/>')
        out.append(f'<circle cx="{at:.1f}" cy="{y}" r="4.5" fill="{BLUE}"/>')
        out.append(_text(right + 16, y + 4.5, str(estimate), size=12, fill=QUIET))
    return out


def _curve(e: sy.Evaluation) -> list[str]:
    """The ROC curve, its pointwise band, and the point at the threshold."""
    left, top, size = 588, 80, 260
    columns = e.curve("roc").columns

    def place(x: float | None, y: float | None) -> tuple[float, float]:
        return left + (x or 0.0) * size, top + (1 - (y or 0.0)) * size

    def path(points: list[tuple[float, float]]) -> str:
        return " ".join(f"{'ML'[i > 0]}{x:.1f},{y:.1f}" for i, (x, y) in enumerate(points))

    fpr, tpr, low, high = (columns[k] for k in ("fpr", "tpr", "low", "high"))
    band = [place(x, y) for x, y in zip(fpr, high, strict=True)]
    band += [place(x, y) for x, y in zip(reversed(fpr), reversed(low), strict=True)]
    curve = [place(x, y) for x, y in zip(fpr, tpr, strict=True)]
    at = place(e["fpr"].value, e["recall"].value)
    out = [_text(left, 62, "The ROC curve with its band", size=15, more=' font-weight="600"')]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        (x, y), (end, over) = place(tick, tick), place(1, 1)
        out += [_line(left, y, end, y, LINE), _line(x, over, x, top + size, LINE)]
    for tick in (0, 0.5, 1):
        x, y = place(tick, tick)
        out.append(_text(x, top + size + 18, f"{tick:g}", size=11, fill=QUIET, anchor="middle"))
        out.append(_text(left - 8, y + 4, f"{tick:g}", size=11, fill=QUIET, anchor="end"))
    out.append(f'<path d="{path(band)}Z" fill="{PALE}" fill-opacity="0.6"/>')
    out.append(_line(*place(0, 0), *place(1, 1), QUIET, 1, ' stroke-dasharray="4 4"'))
    out.append(f'<path d="{path(curve)}" fill="none" stroke="{BLUE}" stroke-width="2.2" stroke-linejoin="round"/>')
    out.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="5" fill="{ORANGE}" stroke="{PAPER}" stroke-width="1.5"/>')
    out.append(_text(at[0] + 10, at[1] + 16, f"threshold {e.threshold:g}", size=12, fill=ORANGE))
    out.append(_text(left + size - 10, top + size - 14, f"AUC {e['auc']}", anchor="end", more=' font-weight="600"'))
    out.append(_text(left + size / 2, top + size + 34, "false positive rate", size=12, fill=QUIET, anchor="middle"))
    x, y = left - 34, top + size / 2
    out.append(
        _text(x, y, "recall", size=12, fill=QUIET, anchor="middle", more=f' transform="rotate(-90 {x:g} {y:g})"')
    )
    return out


def picture() -> str:
    """The whole picture as SVG."""
    e = sy.evaluate(target=["spam"] * len(SPAM) + ["ham"] * len(HAM), score=SPAM + HAM, positive="spam")
    title = f"{e.rows} e-mails and the scores of a spam filter, evaluated"
    inside = [
        f"<title>{title}: eight measures with 95% intervals, and the ROC curve with its pointwise band</title>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10" fill="{PAPER}" stroke="{LINE}"/>',
        _text(28, 34, title, size=13, fill=QUIET),
        *_estimates(e),
        *_curve(e),
        _text(28, HEIGHT - 20, SOURCE, size=12, fill=QUIET),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return "\n".join([f'{head} role="img" font-family="{FONT}">', *inside, "</svg>", ""])
