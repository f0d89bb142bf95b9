"""Whole pages of every kind, as pictures to be looked at: the ten of first_screens.py, and those of the other commands.

python docs/studies/whole_pages.py FOLDER [NAME…]

Writes each page and pictures of all of it at 1280 and at 360 pixels, in light and in dark. Results that have no page of their own
are shown as a notebook shows them. What was seen is in first-screens.md.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import steelyard as sy

sys.path.insert(0, str(Path(__file__).resolve().parent))

from first_screens import CASES, logistic, scored

WIDTHS, LIGHTS = (1280, 360), ("light", "dark")
RUN = "from steelyard.cli import main; main()"


def command(folder: Path, *words: str) -> None:
    """A command as it is typed in this folder."""
    subprocess.run([sys.executable, "-c", RUN, *words, "--force"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def cell(path: Path, result: Any) -> None:
    """A result as a notebook shows it."""
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{result._repr_html_()}", encoding="utf-8")


def customers(folder: Path) -> pd.DataFrame:
    """Seven models of the same customers, in regions and on devices."""
    rows = scored(6_000, 201, 1.5, -1.6, noise=0.2)
    rng = np.random.default_rng(202)
    risk = np.log(rows["score"] / (1 - rows["score"]))
    for i, spread in enumerate((0.0, 0.3, 0.6, 0.8, 1.1, 1.5, 2.0)):
        rows[f"m{i + 1}"] = logistic(risk + spread * rng.normal(size=len(rows))).round(4)
    rows["region"] = rng.choice(["Nord", "Süd", "Ost", "West"], len(rows))
    rows["device"] = rng.choice(["phone", "desk", "tablet"], len(rows), p=[0.6, 0.3, 0.1])
    weak = (rows["region"] == "Ost") & (rows["device"] == "phone")
    rows.loc[weak, "score"] = rng.permutation(rows.loc[weak, "score"])
    rows.to_csv(folder / "customers.csv", index=False)
    return rows


def seven(path: Path) -> None:
    customers(path.parent)
    named = [word for i in range(1, 8) for word in ("--score", f"m{i}=m{i}")]
    given = ("--target", "y", *named, "--profit", "tp=60, fp=-12", "--threshold", "0.3")
    command(path.parent, "report", "customers.csv", *given, "-o", path.name)


def segments(path: Path) -> None:
    customers(path.parent)
    given = ("--target", "y", "--score", "score", "--profit", "tp=60, fp=-12", "--threshold", "0.3", "--slices")
    command(path.parent, "report", "customers.csv", *given, "--segment", "region", "-o", path.name)


def crossed(path: Path) -> None:
    customers(path.parent)
    given = ("--target", "y", "--score", "score", "--segment", "region", "--segment", "device")
    command(path.parent, "report", "customers.csv", *given, "-o", path.name)


def labels(path: Path) -> None:
    """Twelve classes without scores."""
    rng = np.random.default_rng(211)
    names = np.array([f"desk {i:02d}" for i in range(12)])
    truth = rng.choice(12, 2_000)
    guess = np.where(rng.random(2_000) < 0.75, truth, np.where(truth < 4, (truth + 1) % 12, rng.choice(12, 2_000)))
    pd.DataFrame({"desk": names[truth], "guess": names[guess]}).to_csv(path.parent / "desks.csv", index=False)
    command(path.parent, "report", "desks.csv", "--target", "desk", "--prediction", "guess", "-o", path.name)


def stability(path: Path) -> None:
    rng = np.random.default_rng(221)
    for name, shift in (("january", 0.0), ("june", 0.5)):
        count = 4_000
        pd.DataFrame(
            {
                "score": rng.beta(2, 5 - 2 * shift, count).round(3),
                "income": np.exp(rng.normal(8 + shift, 0.5, count)).round(),
                "age": rng.integers(18, 80, count),
                "region": rng.choice(["Nord", "Süd", "Ost", "West"], count),
            }
        ).to_csv(path.parent / f"{name}.csv", index=False)
    command(path.parent, "stability", "january.csv", "june.csv", "--report", path.name)


def timeliness(path: Path) -> None:
    rng = np.random.default_rng(231)
    people, each = 600, 4
    left = rng.random(people) < 0.3
    who = np.repeat(np.arange(people), each)
    day = np.sort(rng.integers(0, 31, (people, each)), axis=1).ravel()
    risk = np.where(left[who], 0.05 * day, -0.03 * day) + rng.normal(0, 0.8, people * each) - 0.9
    rows = pd.DataFrame({"customer": who, "day": day, "p": logistic(risk).round(3), "left": left[who].astype(int)})
    rows["q"] = logistic(risk + rng.normal(0, 0.8, len(rows))).round(3)
    rows.to_csv(path.parent / "events.csv", index=False)
    given = ("--unit", "customer", "--time", "day", "--score", "p", "--outcome", "left", "--horizon", "31")
    command(path.parent, "timeliness", "events.csv", *given, "--alert", "0.5", "--report", path.name)


def learning(path: Path) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(241)
    x = rng.normal(size=(1_200, 8))
    y = (x[:, :4].sum(axis=1) + 1.5 * rng.normal(size=1_200) > 0.5).astype(int)
    models = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=4, random_state=0)}
    sy.learning_curve(models, x, y, sizes=[50, 100, 200, 400, 800]).report(path, title="Would more rows help?")


def changes(path: Path) -> None:
    months(path.parent)
    command(path.parent, "diff", "march.json", "april.json", "-o", path.name)


def months(folder: Path) -> None:
    for name, spread, seed in (("march", 1.5, 251), ("april", 1.0, 252)):
        rows = scored(5_000, seed, spread, -1.5)
        rows["region"] = np.random.default_rng(seed).choice(["Nord", "Süd"], len(rows))
        given = {"segment": "region", "threshold": 0.3, "profit": sy.Profit(tp=60, fp=-12)}
        sy.evaluate(rows, target="y", score="score", **given).save(folder / f"{name}.json")


def index(path: Path) -> None:
    folder = path.parent / "results"
    folder.mkdir(exist_ok=True)
    months(folder)
    for letter in "abdhij":
        CASES[letter][1](folder / f"{letter}.html")
    command(path.parent, "report", "results", "-o", path.name)


def campaign(path: Path) -> None:
    rows = scored(20_000, 261, 1.2, -3.2)
    e = sy.evaluate(rows, target="y", score="score")
    cell(path, sy.campaign(e, benefit=40, cost=2, prospects=100_000))


def threshold(path: Path) -> None:
    rows = scored(8_000, 41, 1.4, -1.6)
    e = sy.evaluate(rows, target="y", score="score", profit=sy.Profit(tp=60, fp=-12))
    cell(path, e.best_threshold())


def slices(path: Path) -> None:
    cell(path, sy.slices(customers(path.parent)[["y", "score", "region", "device"]], target="y", score="score"))


OTHERS: dict[str, Callable[[Path], None]] = {
    "seven": seven,
    "segments": segments,
    "crossed": crossed,
    "labels": labels,
    "stability": stability,
    "timeliness": timeliness,
    "learning": learning,
    "changes": changes,
    "index": index,
    "campaign": campaign,
    "threshold": threshold,
    "slices": slices,
}


def pictures(folder: Path, names: list[str]) -> None:
    """Each page whole, at both widths and in both lights."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for name in names:
            for width in WIDTHS:
                for light in LIGHTS:
                    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=light)
                    page.goto((folder / f"{name}.html").resolve().as_uri())
                    page.screenshot(path=str(folder / f"{name}-{width}-{light}.png"), full_page=True)
                    page.close()
        browser.close()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path("whole-pages")
    folder.mkdir(parents=True, exist_ok=True)
    ten = {case.replace(" ", "-"): write for case, write in CASES.values()}
    drawn = []
    for name, write in {**ten, **OTHERS}.items():
        if arguments[1:] and name not in arguments[1:]:
            continue
        try:
            write(folder / f"{name}.html")
        except (AttributeError, TypeError, ImportError, subprocess.CalledProcessError) as problem:
            print(f"{name}: {problem}")
            continue
        drawn.append(name)
    pictures(folder, drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
