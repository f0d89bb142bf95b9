"""Size and speed of a report beside other ways to make one: part of `make bench`.

Evidently and Plotly are not among our dependencies; where they are not installed their lines say so.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 20_000
MANY = 10_000_000


def data(rows: int) -> tuple[Any, Any]:
    """Targets and probabilities, 7.8% positives."""
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.078).astype(np.int64)
    return y, 1 / (1 + np.exp(-(rng.normal(size=rows) + 1.65 * y - 2.9)))


def ours(rows: int) -> tuple[int, float]:
    """Bytes of the page, and seconds after the evaluation."""
    import steelyard as sy
    from steelyard.reports.page import report_html

    y, score = data(rows)
    e = sy.evaluate(target=y, score=score, profit=sy.Profit(tp=500, fn=-300, fp=-40))
    report_html({"warm": sy.evaluate(target=y[:1000], score=score[:1000])})
    started = time.process_time()
    page = report_html({"model": e})
    return len(page.encode()), time.process_time() - started


def plotly_page() -> tuple[int, float]:
    """The same curves as one self-contained Plotly page."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    import steelyard as sy

    y, score = data(ROWS)
    e = sy.evaluate(target=y, score=score)
    started = time.process_time()
    figure = make_subplots(rows=3, cols=2)
    pairs = (
        ("roc", "fpr", "tpr"),
        ("pr", "recall", "precision"),
        ("gain", "depth", "capture"),
        ("lift", "depth", "lift"),
    )
    for i, (name, x, up) in enumerate((*pairs, ("ks", "threshold", "gap"), ("calibration", "score", "observed"))):
        columns = e.curve(name).columns
        figure.add_trace(go.Scatter(x=columns[x], y=columns[up]), row=i // 2 + 1, col=i % 2 + 1)
    page = figure.to_html(include_plotlyjs=True)
    return len(page.encode()), time.process_time() - started


EVIDENTLY = """
import sys, time
import numpy as np, pandas as pd
from evidently import Report, Dataset, DataDefinition, BinaryClassification
from evidently.presets import ClassificationPreset
rng = np.random.default_rng(0); n = 20000
y = (rng.random(n) < 0.078).astype(int); s = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.65 * y - 2.9)))
rows = pd.DataFrame({"target": y, "prediction": s})
definition = DataDefinition(classification=[BinaryClassification(target="target", prediction_probas="prediction")])
started = time.process_time()
made = Report([ClassificationPreset()]).run(Dataset.from_pandas(rows, data_definition=definition))
made.save_html(sys.argv[1])
print(time.process_time() - started)
"""


def evidently_page(python: str) -> tuple[int, float]:
    """Evidently's classification report of the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "page.html"
        done = subprocess.run([python, "-c", EVIDENTLY, str(place)], capture_output=True, text=True, check=True)
        return place.stat().st_size, float(done.stdout.split()[-1])


def main(say: Any) -> None:
    """Print the lines."""
    size, seconds = ours(ROWS)
    say("report of 20,000 rows", f"{size / 1000:,.0f} kB", "150 kB")
    say("  built after the evaluation in", f"{seconds:.2f} s", "1 s")
    large, seconds = ours(MANY)
    say("report of 10 million rows", f"{large / 1000:,.0f} kB", "hardly larger")
    say("  built after the evaluation in", f"{seconds:.2f} s", "1 s")
    for name, make in (("plotly", plotly_page), ("evidently", lambda: evidently_page(sys.executable))):
        if importlib.util.find_spec(name) is None:
            say(f"{name.capitalize()} page of the same charts", "not installed", "-")
            continue
        other, took = make()
        say(f"{name.capitalize()} page of the same charts", f"{other / size:.0f} x larger", "-")
        say(f"  and slower by, {took:.1f} s", f"{took / seconds:.1f} x", "-")
