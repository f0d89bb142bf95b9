"""Which model wins at which costs, in a sentence and a small table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.verdicts.comparison import UNCLEAR
from steelyard.views.layout import WIDTH, blocks_text, wrap
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.views.worth import doing
from steelyard.words import percent, shortest, significant, visible

if TYPE_CHECKING:
    from steelyard.worth.regions import Regions

TRIVIAL = ("flag nobody", "flag everybody")
MOST_ROWS = 12
INDENT = "  "


def regions_text(found: Regions) -> str:
    """The regions as a paragraph, a table and what its columns mean."""
    blocks = [wrap(sentence(found), WIDTH, "", INDENT), table_lines(_table(found))]
    blocks.extend(wrap(note, WIDTH, "Note: ", "      ") for note in _notes(found))
    return blocks_text(blocks)


def sentence(found: Regions) -> str:
    """Who wins from which ratio to which, in one sentence; neighbours without a clear difference are told together."""
    stretches = _stretches(found.parts)
    ends = _ends([s[0] for s in stretches[1:]])
    head = f"At {percent(found.prevalence)} positives: "
    if all(names[0] in TRIVIAL for _, names, _ in stretches):
        if len(stretches) == 1:
            return f"{head}{doing(stretches[0][1][0])} is never beaten, by no model and at no costs."
        return (
            f"{head}no model beats the trivial policies; {stretches[0][1][0]} where finding a positive is worth less "
            f"than {ends[0]} times a false alarm, {stretches[-1][1][0]} where it is worth more."
        )
    told: list[str] = []
    last: list[str] = []
    for i, (_, names, unclear) in enumerate(stretches):
        low = ends[i - 1] if i else None
        high = ends[i] if i < len(ends) else None
        if names[0] in TRIVIAL and (low is None or high is None):
            last.append(f"below {high} {names[0]}" if low is None else f"above {low} {names[0]}")
            continue
        name = _either([visible(n) for n in names])
        said = f"{name} {_range(low, high, 'from ')}" if told else f"{name} is best{_when(low, high)}"
        told.append(f"{said} ({UNCLEAR})" if unclear else said)
    return head + "; ".join([*told, *([", ".join(last)] if last else [])]) + "."


def _stretches(parts: Sequence[Any]) -> list[tuple[float, list[str], bool]]:
    """Where each stretch begins, its winners, and whether they are not clearly better than the next best."""
    out: list[tuple[float, list[str], bool]] = []
    for part in parts:
        unclear = part.winner not in TRIVIAL and not part.clear
        if unclear and out and out[-1][2]:
            names = out[-1][1]
            names.extend(n for n in (part.winner,) if n not in names)
        else:
            out.append((part.from_ratio, [part.winner], unclear))
    return out


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _when(low: str | None, high: str | None) -> str:
    if low is None and high is None:
        return ", whatever finding a positive is worth"
    return f" when finding a positive is worth {_range(low, high, '')} times a false alarm"


def _range(low: str | None, high: str | None, before: str) -> str:
    if low is None:
        return f"less than {high}" if not before else f"below {high}"
    if high is None:
        return f"more than {low}" if not before else f"above {low}"
    return f"{before}{low} to {high}"


def _ends(ratios: Sequence[float]) -> list[str]:
    """Increasing ratios to two digits, and to more where two neighbours would read the same."""
    for digits in range(2, 7):
        told = [significant(r, digits) for r in ratios]
        if len(set(told)) == len(told):
            return told
    return [shortest(r) for r in ratios]


def _table(found: Regions) -> SmallTable:
    ends = ["0", *_ends([p.from_ratio for p in found.parts[1:]]), "any"]
    rows: list[tuple[str, ...]] = []
    for i, p in enumerate(found.parts):
        cut = ""
        if p.from_threshold is not None and p.to_threshold is not None:
            ends_of = significant(p.from_threshold), significant(p.to_threshold)
            cut = ends_of[0] if p.from_threshold == p.to_threshold else " to ".join(ends_of)
        saved = "" if p.runner_up is None else significant(p.advantage, 2)
        verdict = "" if p.runner_up is None else "yes" if p.clear else "no"
        rows.append((ends[i], ends[i + 1], visible(p.winner), cut, visible(p.runner_up or ""), saved, verdict))
    note = ""
    if len(rows) > MOST_ROWS:
        note = f"The first {MOST_ROWS} of {len(rows):,} regions; the rest with .frame()."
        rows = rows[:MOST_ROWS]
    head = ("from", "to", "best", "threshold", "next best", "saves", "clear")
    return SmallTable("Worth of a found positive, in false alarms", head, "rrlrlrl", rows, note)


def _notes(found: Regions) -> list[str]:
    rivals = [p for p in found.parts if p.runner_up is not None]
    if not rivals:
        return []
    notes = [
        "saves is the most that the best saves over the next best within the region, as a share of what it would cost to get "
        f"every case wrong; clear where the {percent(found.confidence)} interval in the middle of the region leaves out "
        "zero, made wider for the number of regions."
    ]
    if any(p.runner_up not in TRIVIAL for p in rivals):
        notes.append(
            "models are compared as if tested on different rows; on the same rows differences may be clearer than this."
        )
    return notes
