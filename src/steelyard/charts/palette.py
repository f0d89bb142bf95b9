"""Colours, for light and dark paper, told apart by every kind of vision.

Their contrast and their distances under simulated colour-blindness are computed in a test.
"""

from __future__ import annotations

LIGHT = ("#0063a8", "#828801", "#9458f4", "#e14574", "#5b3c00")
DARK = ("#5cb3ee", "#dfe750", "#7d5fe7", "#e03a79", "#bf8f47")
"""A series keeps its hue on both papers; the first is the model that is told of, and the class that it looks for."""
PAPER, DARK_PAPER = "#f7f8fa", "#1c2026"
INK, DARK_INK = "#1b1f24", "#e8ebef"
QUIET, DARK_QUIET = "#5b6470", "#a3acb8"
GRID, DARK_GRID = "#dfe3e8", "#333a44"
SERIES = len(LIGHT)
DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 4")
"""Beside its colour every series has a dash of its own."""
SHADES = ("#f0f4f8", "#d5e3f0", "#b3cee6", "#86b2d8", "#5794c6", "#2a76b0", "#0a5590")
DARK_SHADES = ("#20262e", "#223549", "#234765", "#245b84", "#2a6fa0", "#3f8fc7", "#6fb4e4")
"""One hue from light to dark (on dark paper the other way round), for heat maps."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

ALARM, DARK_ALARM = "#bf4b00", "#f58f4c"
"""Of what is wrong or worse, and of nothing else."""

NAMED = {
    "ink": (INK, DARK_INK),
    "quiet": (QUIET, DARK_QUIET),
    "grid": (GRID, DARK_GRID),
    "paper": (PAPER, DARK_PAPER),
    "alarm": (ALARM, DARK_ALARM),
}


def colour(name: int | str, *, dark: bool = False) -> str:
    """A series by its number, or "ink", "quiet", "grid", "paper", "alarm"; "shade0" to "shade6" for heat maps.

    >>> colour(0), colour("ink", dark=True), colour("shade6")
    ('#0063a8', '#e8ebef', '#0a5590')
    """
    if isinstance(name, int):
        return (DARK if dark else LIGHT)[name % SERIES]
    if name.startswith("shade"):
        return (DARK_SHADES if dark else SHADES)[int(name[5:])]
    return NAMED[name][dark]


def on(name: int | str) -> str:
    """The colour of words on this one: on the two deepest shades they turn to paper, in both themes."""
    deep = isinstance(name, str) and name.startswith("shade") and int(name[5:]) >= len(SHADES) - 2
    return "paper" if deep else "ink"


def classes() -> list[tuple[str, str, str, str]]:
    """Every class of the drawings: its name, the property that it sets, and its value on light and dark paper."""
    names: list[int | str] = [
        *range(SERIES),
        *NAMED,
        *(f"shade{i}" for i in range(len(SHADES))),
    ]
    return [
        (f"sy-{kind}{name}", prop, colour(name), colour(name, dark=True))
        for name in names
        for kind, prop in (("s-", "stroke"), ("f-", "fill"))
    ]


def shaded_cells(prefix: str) -> str:
    """CSS for the cells of a table below a selector, shaded as those of a heat map are, on light and dark paper."""

    def rules(*, dark: bool) -> str:
        names = [f"shade{i}" for i in range(len(SHADES))]
        told = ((n, colour(n, dark=dark), colour(on(n), dark=dark)) for n in names)
        return "".join(f"{prefix} .{n}{{background:{paper};color:{ink}}}" for n, paper, ink in told)

    return f"{rules(dark=False)}@media screen and (prefers-color-scheme:dark){{{rules(dark=True)}}}"


def dark_rules(prefix: str = "", used: set[str] | None = None) -> str:
    """CSS that turns every class, or those in use, to its dark colour, below a selector."""
    return "".join(
        f"{prefix}.{name}{{{prop}:{dark}}}" for name, prop, _, dark in classes() if used is None or name in used
    )


UNTHEMED = ":root:not(:has(>[data-jp-theme-light],>.vscode-light)) "
"""Where no notebook says whether its paper is light."""


def notebook_style(used: set[str] | None = None) -> str:
    """CSS for drawings in a page that is not ours: dark where JupyterLab or VS Code is, elsewhere where the system is."""
    dark = dark_rules(UNTHEMED, used)
    known = dark_rules('[data-jp-theme-light="false"] ', used) + dark_rules("body.vscode-dark ", used)
    return f"@media (prefers-color-scheme:dark){{{dark}}}{known}"
