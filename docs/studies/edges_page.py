"""Prints edges.md from what the scripts edges_*.py have left.

python docs/studies/edges_page.py
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import edges_tests

HERE = Path(__file__).parent
INTRO = """# What is promised, at the edges

In the middle most methods keep their promises. This page tries them where they are hard to keep: one positive, arms of 95 to 5, a
model that is worth nothing, labels that wait for the outcome, three data sets. Each figure comes from a script beside this page:
*before* is version 0.1.0, *after* this one, drawn with the same random numbers. ± is one Monte-Carlo standard error.

A scenario in *italics* is one in which a fault was first seen; the others were made up afterwards, so that a method could not be
fitted to them. ✓ marks a figure that keeps the promise within two Monte-Carlo errors, ✗ one that does not. Where *before* was
drawn another number of times than *after*, the number stands in brackets behind it.
"""
ROOMS = {
    "areas": "Areas under the curve, and the gate",
    "scores": "Scores and probabilities",
    "numbers": "Numbers, tails, weights and units",
    "labels": "Labels that are missing",
    "folds": "Folds and learning curves",
    "comparisons": "Comparisons and verdicts",
    "worth": "Thresholds, regions and bands",
    "trials": "Trials and plans",
    "monitors": "Alarms and late labels",
    "fresh": "Scenarios that came last",
    "unseen": "And later still",
    "unusual": "Measures that few ask for",
    "kept": "What held before",
}


def found() -> dict[str, Any]:
    """What each script has left, in the order of the page."""
    paths = {path.stem.removeprefix("edges_"): path for path in HERE.glob("edges_*.json")}
    paths.pop("tests", None)
    order = [room for room in ROOMS if room in paths] + sorted(set(paths) - set(ROOMS))
    return {room: json.loads(paths[room].read_text(encoding="utf-8")) for room in order}


def keeps(claim: dict[str, Any], row: dict[str, Any] | None) -> bool | None:
    """Whether a figure keeps the promise within two Monte-Carlo errors; None where there is none."""
    if not row or row["figure"] is None:
        return None
    low, high = claim["holds"]
    slack = 2 * (row["error"] or 0.0)
    return (low is None or row["figure"] >= low - slack) and (high is None or row["figure"] <= high + slack)


def told(claim: dict[str, Any], row: dict[str, Any] | None, repeats: int) -> str:
    """One figure with its error and whether it keeps the promise."""
    if not row:
        return "–"
    if row["figure"] is None:
        return "nothing said"
    mark = {True: " ✓", False: " ✗", None: ""}[keeps(claim, row)]
    least = "" if row["said"] == row["repeats"] == repeats else f" (of {row['said']:,})"
    return f"{row['figure']:g} ± {row['error']:g}{least}{mark}"


def section(claim: dict[str, Any]) -> list[str]:
    """One claim with its scenarios as a table."""
    unit = f" ({claim['unit']})" if claim["unit"] else ""
    out = [f"### {claim['title']}", ""]
    out += [*textwrap.wrap(f"Promised: {claim['promise']}. {claim['done']}".strip(), 130), ""]
    out += [f"| scenario | repeats | before{unit} | after{unit} |", "|---|---:|---:|---:|"]
    for scenario, row in claim["scenarios"].items():
        shown = f"*{scenario}*" if row["listed"] else scenario
        repeats = (row.get("after") or row.get("before") or {"repeats": 0})["repeats"]
        cells = (told(claim, row.get("before"), repeats), told(claim, row.get("after"), repeats))
        out.append(f"| {shown.replace('|', '/')} | {repeats:,} | {cells[0]} | {cells[1]} |")
    return [*out, ""]


def short(claim: dict[str, Any]) -> list[str]:
    """The figures of a claim that do not keep its promise, and why."""
    found = {s: row["after"] for s, row in claim["scenarios"].items() if keeps(claim, row.get("after")) is False}
    if not found:
        return []
    each = "; ".join(f"{s} ({row['figure']:g} ± {row['error']:g})" for s, row in found.items())
    said = f"- **{claim['title']}** (promised {claim['promise']}): {each}. {claim.get('reason', '')}".rstrip()
    return textwrap.wrap(said, 130, subsequent_indent="  ")


def overview(rooms: dict[str, Any]) -> list[str]:
    """A line for each claim: from where to where its figures reach, and how many keep the promise."""
    out = ["| | promised | before | kept | after | kept |", "|---|---|---:|---:|---:|---:|"]
    for of_room in rooms.values():
        for claim in of_room.values():
            cells = []
            for state in ("before", "after"):
                rows = [row[state] for row in claim["scenarios"].values() if row.get(state)]
                figures = [row["figure"] for row in rows if row["figure"] is not None]
                judged = [keeps(claim, row) for row in rows]
                reach = dict.fromkeys(f"{f:.3g}" for f in (min(figures), max(figures))) if figures else ["–"]
                cells += [
                    " to ".join(reach),
                    f"{sum(k is True for k in judged)} of {sum(k is not None for k in judged)}",
                ]
            unit = f" ({claim['unit']})" if claim["unit"] else ""
            out.append(f"| {claim['title']}{unit} | {claim['promise']} | {' | '.join(cells)} |")
    return [*out, ""]


def page() -> str:
    """The whole page."""
    parts = found()
    rows = [(c, row) for of_room in parts.values() for c in of_room.values() for row in c["scenarios"].values()]
    judged = {state: [keeps(c, row.get(state)) for c, row in rows] for state in ("before", "after")}
    kept = {state: (sum(k is True for k in v), sum(k is not None for k in v)) for state, v in judged.items()}
    own = sum(not row["listed"] for _, row in rows)
    out = [INTRO]
    counts = (
        f"**Result.** {len(rows):,} scenarios, {own:,} of them made up afterwards. Before, {kept['before'][0]:,} of "
        f"{kept['before'][1]:,} figures kept their promise; now {kept['after'][0]:,} of {kept['after'][1]:,}."
    )
    for state in ("before", "after"):
        missing = sum(not row.get(state) for _, row in rows)
        if missing:
            counts += f" {missing:,} have not been drawn {state} and stand with a dash."
    out += [*textwrap.wrap(counts, 130), ""]
    claims = [c for of_room in parts.values() for c in of_room.values()]
    failed = [line for c in claims for line in short(c)]
    if failed:
        out += ["What does not keep the promise to the letter, and why:", "", *failed, ""]
    out += ["From where to where the figures of each claim reach:", "", *overview(parts)]
    out += ["To do it again: `python docs/studies/edges_<room>.py`, then `python docs/studies/edges_page.py`.", ""]
    for room, of_room in parts.items():
        out += [f"## {ROOMS.get(room, room)}", "", f"Script: [`edges_{room}.py`](edges_{room}.py)", ""]
        for claim in of_room.values():
            out += section(claim)
    out += edges_tests.table()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


if __name__ == "__main__":
    (HERE / "edges.md").write_text(page(), encoding="utf-8")
