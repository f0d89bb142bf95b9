"""The page about the coverage study, written from its JSON."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from typing import Any

from coverage_reasons import CHANCE, reason

LOW, HIGH = 93.0, 97.5
FAMILIES = {
    "scores": "One score, two levels",
    "labels": "Labels",
    "classes": "A score for each class",
    "continuous": "Numbers",
}
Cell = dict[str, Any]
Scene = dict[str, Any]


def page(study: dict[str, Any], planned: list[tuple[str, str]]) -> str:
    """The whole page as Markdown; scenarios that are planned and have not been drawn yet are named."""
    scenes: list[Scene] = study["scenarios"]
    for s in scenes:
        s["by_key"] = {(row[0], row[1]): dict(zip(study["columns"], row, strict=True)) for row in s["cells"]}
    drawn = {(s["family"], s["name"]) for s in scenes}
    lines = [*_opening(study, scenes), *_missing([p for p in planned if p not in drawn])]
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}"]
        groups = dict.fromkeys(s["group"] for s in scenes if s["family"] == family)
        for group in groups:
            chosen = [s for s in scenes if s["family"] == family and s["group"] == group]
            lines += ["", f"### {title}: {group}" if len(groups) > 1 else "", "", *_table(chosen, study)]
    lines += ["", "## Cells that surely fall short", "", *_surely_short(scenes)]
    lines += ["", "## Every cell outside 93 to 97.5", "", *_short(scenes)]
    lines += ["", "## Without a value, without an interval", "", *_absent(scenes, study)]
    return "\n".join(line for line in _squeezed(lines)) + "\n"


def _missing(names: list[tuple[str, str]]) -> list[str]:
    """What the plan holds and this page does not."""
    if not names:
        return []
    said = "; ".join(f"{family}: {name}" for family, name in names)
    return ["", *_filled(f"**Not drawn yet** with the present methods, {len(names)} scenarios of the plan: {said}.")]


def _squeezed(lines: list[str]) -> list[str]:
    return [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]


def _filled(*sentences: str) -> list[str]:
    return [*textwrap.wrap(" ".join(sentences), 120, break_long_words=False, break_on_hyphens=False), ""]


def _error(repeats: int) -> float:
    return 100 * float(0.95 * 0.05 / repeats) ** 0.5


def _told(s: Scene) -> list[Cell]:
    return [c for c in s["by_key"].values() if c["coverage"] is not None]


def _outside(c: Cell) -> bool:
    return not LOW <= c["coverage"] <= HIGH


def _chance(c: Cell) -> bool:
    """Whether the aim of 95 lies within two Monte-Carlo errors."""
    return abs(c["coverage"] - 95.0) <= 2 * c["error"]


def _surely_low(c: Cell) -> bool:
    """Whether the coverage lies below 93 by more than two Monte-Carlo errors."""
    return bool(c["coverage"] + 2 * c["error"] < LOW)


def _opening(study: dict[str, Any], scenes: list[Scene]) -> list[str]:
    cells = [c for s in scenes for c in _told(s)]
    inside = sum(not _outside(c) for c in cells)
    low = sum(c["coverage"] < LOW for c in cells)
    high = sum(c["coverage"] > HIGH for c in cells)
    chance = sum(_outside(c) and _chance(c) for c in cells)
    sure = [c for c in cells if _surely_low(c)]
    marked = sum(c["marked"] > 50 for c in sure)
    most = max(s["repeats"] for s in scenes)
    least = min(s["repeats"] for s in scenes)
    reached = {k[0].split(" (")[0] for s in scenes for k in s["by_key"]}
    missing = [name for name in study["catalogue"] if name not in reached]
    failed = [f"{s['name']}: {s['failed']} ({s['wrong'][0]})" for s in scenes if s["failed"]]
    table = ["| family | cells | median | below 93 | 93 to 97.5 | above 97.5 |", "|---|---:|---:|---:|---:|---:|"]
    for family, title in FAMILIES.items():
        found = sorted(c["coverage"] for s in scenes if s["family"] == family for c in _told(s))
        if found:
            under, over = sum(v < LOW for v in found), sum(v > HIGH for v in found)
            middle = found[len(found) // 2]
            table.append(
                f"| {title} | {len(found):,} | {middle:.1f} | {under} | {len(found) - under - over} | {over} |"
            )
    return [
        "# Do the intervals cover?",
        "",
        *_filled(
            "A 95 % interval is a promise: over many samples, 95 of 100 intervals hold the true value. This study asks how well",
            "the promise is kept, for every measure in the catalogue, in the situations that people meet: few rows and many,",
            "rare positives, weak and near-perfect models, tied scores, scores that are too extreme, weights of each kind, many",
            "rows of one person, several levels, heavy tails.",
        ),
        *_filled(
            f"**How.** There are {len(scenes)} scenarios. Each draws data from a known distribution, hands them to `evaluate`,",
            "and asks for every number. The true value comes from a fine table of the same distribution, evaluated with its",
            "masses as weights: integration over a grid, so nothing on the side of the truth is simulated. (The sum of squared",
            "errors grows with the rows: its truth is the true mean times half the rows of the sample.) A cell of the tables",
            f"below is the share of repeats whose interval held the true value. Scenarios have {least} to {most:,} repeats (class",
            f"scores fewer), so the Monte-Carlo error of a cell is about {_error(most):.1f} to {_error(least):.1f}",
            "points. Where a measure exists for each level, the levels are pooled in one cell. The truth is read by the same",
            "measure functions as the estimate, so this study judges intervals: a wrong formula would go unseen here.",
        ),
        *_filled(
            "**Aim.** 94 to 96 %. Cells below 93 are in bold with ▼ (the interval promises too much), cells above 97.5 in",
            "italics with ▲ (wider than it needs to be). A dash is a measure that was undefined in every repeat, `none` one that",
            "says in words why it has no interval.",
        ),
        *_filled(
            f"**Result.** {inside:,} of {len(cells):,} cells ({100 * inside / len(cells):.0f} %) lie between 93 and 97.5;",
            f"{low} are below, {high} above; {chance} of those outside are within two Monte-Carlo errors of 95 and may be chance.",
            f"**Surely below 93**, by more than two Monte-Carlo errors, are {len(sure)} cells",
            f"({100 * len(sure) / len(cells):.1f} %);",
            f"{marked} of them are of numbers that say themselves, in more than half of the samples, how little they rest on. Each",
            "is named below with its reason.",
        ),
        *table,
        "",
        *([f"Measures of the catalogue that no scenario reaches: {', '.join(missing)}.", ""] if missing else []),
        *([f"Repeats that failed: {'; '.join(failed)}.", ""] if failed else []),
        "Reproduce it with",
        "",
        "```",
        f"python docs/studies/coverage_study.py --repeats {study['repeats']} --processes {study['processes']}",
        "```",
        "",
        *_filled(
            f"which took {study['seconds'] / 60:.0f} minutes and also writes `coverage.json`: for each cell the true value, how",
            "often it was defined, coverage with its Monte-Carlo error, misses on either side, mean width, worst level, method.",
            "The draws depend on the seed, the scenario's name and the repeat alone, so any run of the same code gives the same",
            "numbers.",
        ),
    ]


def _keys(scenes: list[Scene], study: dict[str, Any]) -> list[tuple[str, str]]:
    order = {name: i for i, name in enumerate(study["catalogue"])}
    kinds = {"": 0, "each level": 1, "macro": 2, "weighted": 3, "micro": 4}
    keys = {k for s in scenes for k in s["by_key"]}
    return sorted(keys, key=lambda k: (order.get(k[0].split(" (")[0], 999), " (" in k[0], k[0], kinds.get(k[1], 9)))


def _table(scenes: list[Scene], study: dict[str, Any]) -> list[str]:
    heads = [s["name"].replace(", ", "<br>") + f"<br>×{s['repeats']}" for s in scenes]
    lines = ["| measure | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for key in _keys(scenes, study):
        row = [_cell(s["by_key"].get(key)) for s in scenes]
        lines.append(f"| {_name(*key)} | " + " | ".join(row) + " |")
    return lines


def _name(measure: str, of: str) -> str:
    return f"{measure}, {of}" if of else measure


def _cell(c: Cell | None) -> str:
    if c is None:
        return ""
    if c["coverage"] is None:
        return "none" if c["none"] else "–"
    said = f"{c['coverage']:.1f}"
    if c["coverage"] < LOW:
        return f"**{said}** ▼"
    return f"*{said}* ▲" if c["coverage"] > HIGH else said


def _surely_short(scenes: list[Scene]) -> list[str]:
    lines = ["| scenario | measure | covers | number is marked | reason |", "|---|---|---:|---:|---|"]
    for s in scenes:
        for c in _told(s):
            if _surely_low(c):
                why = reason(s, c, chance=False)
                said = f"{c['coverage']:.1f} ± {c['error']:.1f}"
                lines.append(f"| {s['name']} | {_name(c['measure'], c['of'])} | {said} | {c['marked']:.0f} % | {why} |")
    return lines


def _short(scenes: list[Scene]) -> list[str]:
    lines = _filled(
        "Every cell outside 93 to 97.5, with the share of intervals that lay wholly above the true value and wholly below it,",
        "and a reason. Reasons are given by rule, from the measure and the scenario: “tested” where taking the cause away brought",
        "the coverage back in a separate experiment, “supposed” where nobody has tried. A cell that lies more than two",
        "Monte-Carlo errors from 95 can still be chance: of as many cells as there are here, about one in twenty does.",
        "Measures with the same list are named together.",
    )
    for family, title in FAMILIES.items():
        by_reason: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for s in scenes:
            if s["family"] != family:
                continue
            for c in _told(s):
                if _outside(c):
                    said = f"{s['name']}: {c['coverage']:.1f} ({c['below']:.1f} above, {c['above']:.1f} below)"
                    by_reason[reason(s, c, chance=_chance(c))][_name(c["measure"], c["of"])].append(said)
        if not by_reason:
            continue
        lines += ["", f"### {title}"]
        for why in sorted(by_reason, key=lambda w: (w == CHANCE, -sum(map(len, by_reason[w].values())))):
            same: dict[tuple[str, ...], list[str]] = defaultdict(list)
            for name, cells in by_reason[why].items():
                same[tuple(cells)].append(name)
            lines += ["", f"**{why}**", ""]
            lines += [f"- {', '.join(names)} – " + "; ".join(cells) for cells, names in same.items()]
    return lines


def _absent(scenes: list[Scene], study: dict[str, Any]) -> list[str]:
    lines = [
        "How often a number was undefined or came without an interval, where that was more than one repeat in a hundred.",
        "",
    ]
    for key in _keys(scenes, study):
        undefined, none = [], []
        for s in scenes:
            c = s["by_key"].get(key)
            total = c["defined"] + c["undefined"] + c["none"] if c else 0
            if c and total and c["undefined"] / total > 0.01:
                undefined.append(f"{s['name']} {100 * c['undefined'] / total:.0f} %")
            if c and total and c["none"] / total > 0.01:
                none.append(f"{s['name']} {100 * c['none'] / total:.0f} %")
        if undefined:
            lines.append(f"- {_name(*key)}, undefined: {'; '.join(undefined)}")
        if none:
            lines.append(f"- {_name(*key)}, no interval: {'; '.join(none)}")
    return lines
