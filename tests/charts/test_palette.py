"""Colours can be told apart by every kind of vision, and words can be read on every paper: computed, not judged by eye."""

from __future__ import annotations

from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from steelyard.charts import palette
from steelyard.charts.marks import Bar, Chart
from steelyard.charts.palette import colour, notebook_style
from steelyard.charts.scales import Scale

Vector = np.ndarray

# Machado, Oliveira and Fernandes (2009), A Physiologically-based Model for Simulation of Color Vision Deficiency:
# severity 1.0, to be applied to linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
THEMES = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


def _linear(code: str) -> Vector:
    assert len(code) == 7 and code.startswith("#")
    v = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    """WCAG 2: (lighter + 0.05) / (darker + 0.05)."""
    dark, light = sorted(float(_linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _lab(linear: Vector) -> Vector:
    t = (TO_XYZ @ linear) / (TO_XYZ @ np.ones(3))
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _seen(code: str, vision: Vector) -> Vector:
    return _lab(np.clip(vision @ _linear(code), 0, 1))


def _series(dark: bool) -> list[str]:
    return [colour(i, dark=dark) for i in range(palette.SERIES)]


def test_the_yardsticks_are_right() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    np.testing.assert_allclose(_lab(_linear("#ffffff")), [100, 0, 0], atol=1e-3)
    np.testing.assert_allclose(_lab(_linear("#ff0000")), [53.24, 80.09, 67.20], atol=0.01)
    for vision in VISION.values():
        np.testing.assert_allclose(vision.sum(axis=1), 1, atol=2e-6)  # grey stays grey


@THEMES
def test_every_series_stands_out_from_its_paper(dark: bool) -> None:
    paper = colour("paper", dark=dark)
    assert paper == ("#1c2026" if dark else "#f7f8fa")
    contrasts = {c: _contrast(c, paper) for c in _series(dark)}
    assert min(contrasts.values()) >= 3.5, contrasts


@THEMES
@pytest.mark.parametrize("vision", VISION)
def test_no_two_series_look_alike(vision: str, dark: bool) -> None:
    distances = {
        (a, b): float(np.linalg.norm(_seen(a, VISION[vision]) - _seen(b, VISION[vision])))
        for a, b in combinations(_series(dark), 2)
    }
    nearest = min(distances, key=lambda pair: distances[pair])
    assert distances[nearest] >= (30 if dark else 25), (nearest, distances[nearest])


@THEMES
@pytest.mark.parametrize("name", ["ink", "quiet", "alarm"])
def test_words_can_be_read_on_paper(name: str, dark: bool) -> None:
    assert _contrast(colour(name, dark=dark), colour("paper", dark=dark)) >= 4.5


@THEMES
def test_the_grid_is_seen_and_stays_behind(dark: bool) -> None:
    contrast = _contrast(colour("grid", dark=dark), colour("paper", dark=dark))
    assert 1.15 <= contrast <= 2


@THEMES
def test_shades_go_one_way(dark: bool) -> None:
    lightness = [float(_lab(_linear(colour(f"shade{i}", dark=dark)))[0]) for i in range(len(palette.SHADES))]
    steps = [b - a for a, b in pairwise(lightness)]
    assert all(s > 5 for s in steps) if dark else all(s < -5 for s in steps), lightness


@THEMES
@pytest.mark.parametrize("shade", range(len(palette.SHADES)))
def test_words_can_be_read_on_every_shade(shade: int, dark: bool) -> None:
    cell = Chart(
        "cell", "", Scale(), Scale(), (Bar(0, 1, 0, 1, f"shade{shade}", text="cell", small="below"),), grid=False
    )
    words = [e for e in ElementTree.fromstring(cell.svg(style=False)).iter() if e.text in {"cell", "below"}]
    assert len(words) == 2
    for element in words:
        tint = element.attrib["class"].removeprefix("sy-f-")
        contrast = _contrast(colour(tint, dark=dark), colour(f"shade{shade}", dark=dark))
        assert contrast >= 4.5, f"{tint} on shade {shade}: {contrast:.2f}"


def test_every_series_has_a_dash_of_its_own() -> None:
    assert len(set(palette.DASHES)) == palette.SERIES == len(palette.LIGHT) == len(palette.DARK)


def test_every_class_has_both_its_colours() -> None:
    for name, prop, light, dark in palette.classes():
        assert prop == {"s": "stroke", "f": "fill"}[name[3]]
        tint = name[5:]
        key = int(tint) if tint.isdecimal() else tint
        assert (light, dark) == (colour(key), colour(key, dark=True))
        assert light != dark


def test_a_notebook_that_says_its_paper_is_light_is_believed_before_the_system() -> None:
    css = notebook_style({"sy-f-ink"})
    system, said = css.split("}}", 1)
    assert system.startswith(
        "@media (prefers-color-scheme:dark){:root:not(:has(>[data-jp-theme-light],>.vscode-light)) .sy-f-ink{"
    )
    assert said.startswith('[data-jp-theme-light="false"] .sy-f-ink{') and "body.vscode-dark .sy-f-ink{" in said
