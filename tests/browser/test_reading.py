"""A report can be read by everybody, and names in it are read and never obeyed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.reports.page import report_html
from steelyard.words import visible

from .pages import KINDS, report
from .payloads import PAYLOADS

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_light_or_dark(kind: str, visit: Callable[..., Any]) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page = visit(report(kind))
    page.evaluate(axe)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", WCAG)
        assert len(found["passes"]) >= 10
        told = [
            f"{v['id']}: {n['html'][:200]} ({n['failureSummary']})" for v in found["violations"] for n in v["nodes"]
        ]
        assert told == [], scheme


# Names ---------------------------------------------------------------------------------------------------------------

AT_ONCE = 20
INSIDE = """() => {
    const tags = {}, attributes = new Set(), links = [];
    document.querySelectorAll('*').forEach(el => {
        tags[el.tagName.toLowerCase()] = (tags[el.tagName.toLowerCase()] || 0) + 1;
        for (const a of el.attributes) {
            attributes.add(a.name);
            if (/^(href|src|xlink:href|action|formaction|data|srcdoc|style)$/.test(a.name)) links.push(a.name + '=' + a.value);
        }
    });
    return {tags, attributes: [...attributes].sort(), links, text: document.body.textContent, title: document.title};
}"""


def labelled(names: Sequence[str]) -> str:
    """A page whose classes, columns, segments, title and command are these."""
    rng = np.random.default_rng(3)
    places = np.arange(420) % len(names)
    truth = np.array(names, dtype=object)[places]
    guess = np.array(names, dtype=object)[np.where(rng.random(420) < 0.6, places, rng.integers(0, len(names), 420))]
    rows = pd.DataFrame({f"{names[0]} 1": truth, f"{names[1]} 2": guess, f"{names[2]} 3": guess})
    e = sy.evaluate(rows, target=f"{names[0]} 1", prediction=f"{names[1]} 2", segment=f"{names[2]} 3")
    return report_html({names[3]: e}, title=names[4], command=names[5])


def compared(names: Sequence[str]) -> str:
    """A page of models with these names, whose positive level and segments are these too."""
    rng = np.random.default_rng(4)
    mine = rng.random(420) < 0.4
    rows = pd.DataFrame(
        {
            f"{names[3]} y": np.where(mine, names[0], names[1]),
            f"{names[4]} p": (rng.random(420) + mine).round(2) / 2,
            f"{names[5]} g": np.array(names, dtype=object)[np.arange(420) % len(names)],
        }
    )
    roles = dict(zip(("target", "score", "segment"), rows.columns, strict=True))
    e = sy.evaluate(rows, **roles, positive=names[0], profit=sy.Profit(tp=3, fp=-1))
    return report_html(dict.fromkeys(names[:2], e), title=names[2], command=names[1])


def groups() -> list[list[str]]:
    """All payloads, some at a time; the last group is filled up from the first."""
    found = [list(PAYLOADS[i : i + AT_ONCE]) for i in range(0, len(PAYLOADS), AT_ONCE)]
    return [*found[:-1], [*found[-1], *PAYLOADS][:AT_ONCE]]


def test_there_are_many_payloads_and_no_two_alike() -> None:
    assert len(PAYLOADS) >= 100
    assert len(set(PAYLOADS)) == len(PAYLOADS)
    assert all(len(set(group)) == AT_ONCE for group in groups())


TICKS = 2
"""So many ticks more or fewer an axis may have than with other names of the same lengths: resampled limits are theirs."""


def tame(names: Sequence[str]) -> list[str]:
    """Harmless names, as long as these: how many ticks have room beside names hangs on their lengths alone."""
    return [f"{i:02}{'n' * (len(visible(name)) - 2)}" for i, name in enumerate(names)]


@pytest.mark.parametrize("make", [labelled, compared])
def test_names_are_shown_and_never_obeyed(make: Callable[[Sequence[str]], str], visit: Callable[..., Any]) -> None:
    plain = visit(make([f"name {i}" for i in range(AT_ONCE)])).evaluate(INSIDE)
    for names in groups():
        page, like = make(names), make(tame(names))
        found = visit(page).evaluate(INSIDE)
        # How many lines and ticks a drawing needs may hang on the order of its names, and where a name may be broken on its
        # underscores; nothing else may.
        lines = {"path": 0, "text": 0, "wbr": 0}
        assert found["tags"] | lines == plain["tags"] | lines, names
        assert abs(page.count("<text ") - like.count("<text ")) <= TICKS, names
        assert found["attributes"] == plain["attributes"], names
        assert not [a for a in found["attributes"] if a.startswith("on") or a == "style"]
        assert all(link.startswith("href=#") and link[6:].isalpha() for link in found["links"])
        missing = [name for name in names if visible(name) not in found["text"]]
        assert missing == []
        shown = names[4] if make is labelled else names[2]
        assert found["title"] == " ".join(f"{visible(shown)} – steelyard report".split())
