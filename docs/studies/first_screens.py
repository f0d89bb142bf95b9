"""Whether the first screen of a report is understood: draws ten cases and takes the pictures that readers are shown.

python docs/studies/first_screens.py FOLDER

Writes for each case its page, the first screen at 1280 by 800 and at 360 by 740, and key.json: what is right to answer. Names of
files and columns do not give the answer away. What readers said is in first-screens.md.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy

QUESTIONS = ("What state is it in, or what was concluded?", "What is the chief reason?", "What should be done next?")
SCREENS = {"": (1280, 800), "-phone": (360, 740)}
Answers = tuple[str, str, str]
Page = Callable[[Path], Answers]


def logistic(values: Any) -> Any:
    return 1 / (1 + np.exp(-values))


def scored(rows: int, seed: int, spread: float, centre: float, noise: float = 0.3) -> pd.DataFrame:
    """Rows whose probability is known but for some noise: the wider the spread, the better the score ranks."""
    rng = np.random.default_rng(seed)
    risk = spread * rng.normal(size=rows) + centre
    score = logistic(risk + noise * rng.normal(size=rows)).round(4)
    return pd.DataFrame({"y": (rng.random(rows) < logistic(risk)).astype(int), "score": score})


def machines(path: Path) -> Answers:
    """A good model, cut where it pays best."""
    rows = scored(9_000, 11, 2.4, -2.2)
    rng = np.random.default_rng(12)
    rows["site"] = rng.choice(["Aalen", "Bruchsal", "Celle"], len(rows))
    e = sy.evaluate(rows, target="y", score="score", segment="site", threshold=0.2, profit=sy.Profit(tp=80, fp=-20))
    e.report(path, title="Machines that stop within a week")
    return (
        "Useful: it is good as it is, and the threshold in force is right.",
        "It earns clearly more than doing without a model, and no other threshold is shown to earn more.",
        "Keep the threshold; compare it with what is in use before it takes its place.",
    )


def readers(path: Path) -> Answers:
    """Scores that have nothing to do with what happened."""
    rng = np.random.default_rng(21)
    rows = pd.DataFrame({"y": (rng.random(6_000) < 0.08).astype(int), "score": rng.beta(2, 5, 6_000).round(4)})
    e = sy.evaluate(rows, target="y", score="score", threshold=0.3, profit=sy.Profit(tp=20, fp=-3))
    e.report(path, title="Readers who renew")
    return (
        "Of no use: no better than having no model.",
        "Flagging nobody brings more than the model does; no threshold helps, and it ranks no better than chance.",
        "Do without it: flag nobody; look for a better model or see whether the amounts are right.",
    )


def loans(path: Path) -> Answers:
    """Too few rows to tell."""
    rows = scored(26, 35, 2.0, -1.5)
    e = sy.evaluate(rows, target="y", score="score", threshold=0.5, profit=sy.Profit(tp=400, fp=-60))
    e.report(path, title="Loans, pilot branch")
    return (
        "Not known: too few cases to say whether it is of use.",
        "So few positives (and rows) were there.",
        "Evaluate more rows before anything is concluded.",
    )


def members(path: Path) -> Answers:
    """A useful model that is cut in the wrong place."""
    rows = scored(8_000, 41, 1.4, -1.6)
    e = sy.evaluate(rows, target="y", score="score", threshold=0.5, profit=sy.Profit(tp=60, fp=-12))
    e.report(path, title="Members who leave, March")
    return (
        "Useful, but its threshold stands in the wrong place.",
        "A lower threshold brings clearly more than the one in force, 0.5.",
        "Lower the threshold to the one that is named (and try it on new rows).",
    )


def visits(path: Path) -> Answers:
    """Two models on the same rows, of which one is better."""
    rng = np.random.default_rng(52)
    rows = scored(7_000, 51, 1.5, -1.4, noise=0.2)
    risk = np.log(rows["score"] / (1 - rows["score"]))
    rows["m1"] = logistic(risk + 1.1 * rng.normal(size=len(rows))).round(4)
    given = {"threshold": 0.25, "profit": sy.Profit(tp=30, fp=-10)}
    c = sy.compare(rows, target="y", score={"m1": "m1", "m2": "score"}, **given)
    c.report(path, title="Visits without appointment")
    return (
        "m2 is better than m1, and that is shown.",
        "It is ahead in the paired test (AUC) and in profit, by more than chance.",
        "Use m2, if it costs no more to run.",
    )


def tickets(path: Path) -> Answers:
    """Five classes, of which one is found badly."""
    rng = np.random.default_rng(61)
    names = np.array(["billing", "delivery", "login", "order", "other"])
    place = rng.choice(5, 3_000, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    points = rng.normal(size=(3_000, 5)) + 2.6 * np.eye(5)[place] - np.array([0, 0, 0, 0, 1.6])
    points[:, 3] -= 0.9 * (place == 3)
    points[:, 1] += 1.2 * (place == 3)
    shares = np.exp(points) / np.exp(points).sum(axis=1, keepdims=True)
    columns = {f"p_{name}": shares[:, i].round(4) for i, name in enumerate(names)}
    rows = pd.DataFrame({"queue": names[place], **columns})
    e = sy.evaluate(rows, target="queue", score={name: f"p_{name}" for name in names})
    e.report(path, title="Letters to the right desk")
    return (
        "Useful: clearly better than always saying the most frequent class.",
        "It puts rows of different classes in the right order, or gets 84 of 100 right, far more than without a model.",
        "Compare it with what is in use before it takes its place.",
    )


def journeys(path: Path) -> Answers:
    """Numbers that are predicted well, but too low."""
    rng = np.random.default_rng(71)
    minutes = rng.gamma(6, 7, 2_500)
    guess = minutes - 4.5 + rng.normal(0, 9, 2_500)
    rows = pd.DataFrame({"minutes": minutes.round(1), "guess": guess.round(1)})
    sy.evaluate(rows, target="minutes", prediction="guess").report(path, title="Minutes to the door")
    return (
        "Useful: better than always predicting the mean.",
        "It explains 64% of the spread (or: errors are smaller than without a model), though it predicts too low on average.",
        "Correct the lean: add what it is too low by to every prediction, and evaluate new rows.",
    )


def parcels(path: Path) -> Answers:
    """A model in use that has become worse."""
    rng = np.random.default_rng(81)
    count, days = 24_000, 120
    day = np.sort(rng.integers(0, days, count))
    risk = 1.5 * rng.normal(size=count) - 1.5
    late = logistic(np.where(day > 80, 0.4 * risk - 0.6, risk))
    when = np.datetime64("2026-03-01") + day.astype("timedelta64[D]")
    rows = pd.DataFrame({"day": when, "late": (rng.random(count) < late).astype(int), "score": logistic(risk).round(4)})
    watched = sy.monitor(rows, time="day", target="late", score="score", window="week", reference="first:8")
    watched.report(path, title="Parcels, March to June")
    return (
        "The model has become worse (an alarm): it is stale.",
        "Its ranking (AUC) fell below that of the reference, since the week that is named.",
        "Find out what changed, and train it again or fall back; do not rely on it until then.",
    )


def calls(path: Path) -> Answers:
    """A trial in which acting helps, and pays."""
    from steelyard.reports.story import write_story

    rng = np.random.default_rng(91)
    count = 12_000
    arm = rng.choice(["x", "y"], count, p=[0.3, 0.7])
    gone = rng.random(count) < np.where(arm == "y", 0.115, 0.155)
    rows = pd.DataFrame({"customer": np.arange(count), "arm": arm, "gone": gone.astype(int)})
    roles = {"group": "arm", "control": "x", "outcome": "gone", "unit": "customer"}
    t = sy.trial(rows, **roles, value=200, cost=3, planned={"x": 0.3, "y": 0.7})
    write_story(t, path, "Does acting on it help?", t.charts(), title="Letters in autumn")
    return (
        "Acting helps: fewer go in arm y than in the control group, beyond chance.",
        "The share of those who went, y against x, with an interval that leaves out zero; it pays.",
        "Go on acting, and keep a small control group.",
    )


def kilns(path: Path) -> Answers:
    """An experiment with three learners, of which one is the best."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(101)
    features = rng.normal(size=(900, 6))
    features[:, 5] = features[:, 0] + 0.3 * rng.normal(size=900)
    y = (features[:, :4] @ [1.2, -0.9, 0.7, 0.5] + 1.3 * rng.normal(size=900) > 0.4).astype(int)
    learners = {"A": KNeighborsClassifier(3), "B": LogisticRegression(), "C": GaussianNB()}
    x = sy.experiment(learners, features, y, design=sy.KFold(10, stratify=True, repeats=2))
    x.report(path, title="Kiln 4, cracked or whole")
    return (
        "B is the best of the three in ranking (AUC), and that is shown.",
        "Its AUC is higher than that of the next, by an interval that leaves out zero.",
        "Train B on all rows, and evaluate it on new ones before it is used.",
    )


CASES: Mapping[str, tuple[str, Page]] = {
    "a": ("numbers", journeys),
    "b": ("wrong threshold", members),
    "c": ("stale", parcels),
    "d": ("useless", readers),
    "e": ("experiment", kilns),
    "f": ("good", machines),
    "g": ("trial", calls),
    "h": ("too few rows", loans),
    "i": ("two models", visits),
    "j": ("classes", tickets),
}
"""The letter under which readers see it, what it is, and who makes it."""


def pictures(folder: Path) -> None:
    """The first screen of each page, on a desk and on a telephone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        browser = player.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for letter in CASES:
            for name, (width, height) in SCREENS.items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto((folder / f"{letter}.html").resolve().as_uri())
                page.screenshot(path=str(folder / f"{letter}{name}.png"))
                page.close()
        browser.close()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path("first-screens")
    folder.mkdir(parents=True, exist_ok=True)
    key: dict[str, Any] = {}
    for letter, (case, write) in CASES.items():
        right = write(folder / f"{letter}.html")
        key[letter] = {"case": case, **dict(zip(QUESTIONS, right, strict=True))}
    (folder / "key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    pictures(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
