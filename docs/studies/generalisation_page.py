"""The page of the study of generalisation intervals: tables, and sentences whose figures come out of them."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

Line = dict[str, Any]
COLUMNS = (
    ("folds", "naive t", "10 folds<br>naive t"),
    ("folds", "corrected t", "10 folds<br>corrected t"),
    ("folds", "pooled rows", "10 folds<br>pooled rows"),
    ("repeated", "naive t", "5 × 5 folds<br>naive t"),
    ("repeated", "corrected t", "5 × 5 folds<br>corrected t"),
    ("repeated", "pooled rows", "5 × 5 folds<br>pooled rows"),
    ("hold-outs", "naive t", "10 hold-outs of 1/3<br>naive t"),
    ("hold-outs", "corrected t", "10 hold-outs of 1/3<br>corrected t"),
    ("whole", "naive t", "15 hold-outs of 1/10<br>naive t"),
    ("whole", "corrected t", "15 hold-outs of 1/10<br>corrected t"),
    ("whole", "conservative z", "the same, 10 pairs<br>conservative z"),
    ("nested", "nested", "10 × 5 folds<br>nested"),
)
MIXED = (
    *("out of bag", "0.632", "0.632, full width", "0.632+", "0.632+, full width"),
    *("out of bag, corrected t", "0.632+, corrected t"),
)
RATIOS = ("none (naive t)", "n_test / m", "n_test / (n − n_test)", "n_test / n")


def page(lines: list[Line], bands: list[Line], laws: list[Line], repeats: int) -> str:
    """All of it in words and tables."""
    return "\n".join(
        [
            *opening(repeats),
            *follows(lines, bands, laws),
            *folds(lines),
            *scales(lines),
            *bootstrap(lines),
            *curves(bands),
            *powers(bands, laws),
            "",
        ]
    )


def opening(repeats: int) -> list[str]:
    return [
        "# Do intervals of the generalisation error hold?",
        "",
        *wrapped(
            "Printed by `docs/studies/generalisation.py`; every figure is one that was seen. Folds share training rows, hold-outs "
            "share test rows too, so their values are not independent and a t interval over them is too short. How much too short, "
            "and what do the intervals in `steelyard.intervals.folds` and `steelyard.intervals.power_law` do about it?"
        ),
        "",
        *wrapped(
            f"**How.** Each scenario draws {repeats} samples (trees three quarters of them) from a known population, and every "
            "design and interval is computed on each. A cell is the share of 95 % intervals that held the target, in per cent; "
            "its Monte-Carlo error is about "
            f"{100 * np.sqrt(0.95 * 0.05 / repeats):.1f} points near 95 and {50 / np.sqrt(repeats):.1f} near 50. The target is the "
            "expected value of the measure over training sets of the size on which the design trains (for nested folds and the "
            "bootstrap: all n rows), found from 300 independent training sets with 10,000 test rows each. Beside it stands "
            "the value of the one model that is trained on all n rows, which is what a user will deploy. Easy, hard and pure noise "
            "are two normal classes in five dimensions, 2.6, 1.2 and 0 standard deviations apart; the line has normal noise, or "
            "that of a t distribution of five degrees of freedom. The tree has at most eight leaves."
        ),
        "",
    ]


def follows(lines: list[Line], bands: list[Line], laws: list[Line]) -> list[str]:
    """What the figures below come to."""
    naive, corrected = pick(lines, method="naive t"), pick(lines, method="corrected t")
    z, nested = pick(lines, method="conservative z"), pick(lines, method="nested")
    mixed = pick(lines, design="bootstrap")
    best = max(MIXED, key=lambda m: float(np.mean([x["covered"] for x in pick(mixed, method=m)])))
    worst = min(corrected, key=lambda x: x["covered"])
    points = [
        f"A plain t over repeated folds covers {mean(pick(naive, design='repeated'))} on average where 95 % is promised, over "
        f"hold-outs of a third {mean(pick(naive, design='hold-outs'))}: it should not be shown without a warning.",
        f"The corrected t covers {mean(corrected)} on average. Over ten folds run once it is longer than it need be "
        f"({mean(pick(corrected, design='folds'))}, {wider(lines, 'folds', 'corrected t')} times the pooled width); over 5 × 5 "
        f"folds it covers {mean(pick(corrected, design='repeated'))} at {wider(lines, 'repeated', 'corrected t')} times. It is "
        f"no guarantee: the least is {100 * worst['covered']:.1f} % ({worst['scenario'].name}, {worst['measure']}, "
        f"{worst['design']}).",
        f"For means over rows nested folds cover {mean(nested)} (least {least(nested)}) at {wider(lines, 'nested', 'nested')} "
        f"times the pooled width. The conservative z never covers less than {least(z)} %, at "
        f"{wider(lines, 'whole', 'conservative z')} times.",
        f"Of the bootstrap intervals the best on average ({best}) covers {mean(pick(mixed, method=best))}, and in the worst "
        f"scenario {least(pick(mixed, method=best))} %; the corrected t around .632+ covers "
        f"{mean(pick(mixed, method='0.632+, corrected t'))} (least {least(pick(mixed, method='0.632+, corrected t'))} %). An "
        f"interval of the rows drawn towards the apparent value is the worst ({mean(pick(mixed, method='0.632'))} for .632).",
        f"For the bands of a learning curve the ratio {recommended(bands)} is recommended.",
        f"Extrapolated values at twice the largest size cover {mean(pick(laws, asked='twice'))} where the law is known and "
        f"{mean(pick(bands, method='value'))} on real learners; gains {mean(pick(laws, asked='gain'))} and "
        f"{mean(pick(bands, method='gain'))}.",
    ]
    out = ["**What follows.**", ""]
    for point in points:
        out += textwrap.wrap(point, 120, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
    return [*out, ""]


def wider(lines: list[Line], design: str, method: str) -> str:
    """The median over scenarios of the width, as a multiple of that of the pooled rows of ten folds."""
    unit = {(x["scenario"], x["measure"]): x["width"] for x in pick(lines, design="folds", method="pooled rows")}
    chosen = pick(lines, design=design, method=method)
    return f"{np.median([x['width'] / unit[x['scenario'], x['measure']] for x in chosen]):.2f}"


def recommended(bands: list[Line]) -> str:
    """The ratio with the shortest bands among those with at most one cell in twenty below 93."""
    good = [r for r in RATIOS if inside(pick(bands, method=r)) >= 0.95 * len(pick(bands, method=r))]
    return min(good, key=lambda r: sum(x["width"] for x in pick(bands, method=r)))


# Folds ----------------------------------------------------------------------------------------------------------------


def folds(lines: list[Line]) -> list[str]:
    told = ["## Folds and hold-outs: the expected value", ""]
    naive = pick(lines, method="naive t")
    corrected = pick(lines, method="corrected t")
    told += wrapped(
        f"**Result.** The naive t covers in {span(naive)} (mean {mean(naive)}): worst over repeated folds (mean "
        f"{mean(pick(naive, design='repeated'))}) and hold-outs of a third (mean {mean(pick(naive, design='hold-outs'))}), best "
        f"over ten folds run once (mean {mean(pick(naive, design='folds'))}). The corrected t covers in {span(corrected)} (mean "
        f"{mean(corrected)}); {inside(corrected)} of its {len(corrected)} cells lie at 93 or above. By design: "
        + "; ".join(
            f"{words} {mean(pick(corrected, design=d))} (least {least(pick(corrected, design=d))})"
            for d, words in (
                ("folds", "10 folds"),
                ("repeated", "5 × 5 folds"),
                ("hold-outs", "10 hold-outs of a third"),
                ("whole", "15 hold-outs of a tenth"),
            )
        )
        + "."
    )
    z, nested = pick(lines, method="conservative z"), pick(lines, method="nested")
    pooled = pick(pick(lines, method="pooled rows"), design="folds")
    told += [
        "",
        *wrapped(
            f"The conservative z covers in {span(z)} (mean {mean(z)}), and pays for it with 315 fits. Nested folds "
            f"cover in {span(nested)} (mean {mean(nested)}). The pooled rows of ten folds cover in {span(pooled)} (mean "
            f"{mean(pooled)}), at 93 or above in {inside(pooled)} of {len(pooled)} cells, below 90 on {names(pooled, 0.90)}."
        ),
        "",
        *table(lines, "covered"),
        "",
        "## The same intervals and the model of all rows",
        "",
        *wrapped(
            "How often the interval held what the model trained on all n rows really does. "
            + " ".join(
                f"{words}: {span(chosen, 'model')}, mean {mean(chosen, 'model')}."
                for words, chosen in (
                    ("Naive t", naive),
                    ("Corrected t", corrected),
                    ("Conservative z", z),
                    ("Nested", nested),
                    ("Pooled rows of ten folds", pooled),
                )
            )
        ),
        "",
        *table(lines, "model"),
        "",
        "## How wide they are",
        "",
        "Mean width, as a multiple of that of the pooled rows of ten folds. *True* is the expected value at nine tenths of n.",
        "",
        *table(lines, "width"),
        "",
    ]
    return told


def table(lines: list[Line], what: str) -> list[str]:
    """A line for each scenario and measure, a column for each design and method."""
    out = [
        "| scenario | measure | true | " + " | ".join(c[2] for c in COLUMNS) + " |",
        "|---|---|---:|" + "---:|" * len(COLUMNS),
    ]
    for s, m in dict.fromkeys((x["scenario"], x["measure"]) for x in lines):
        mine = {(x["design"], x["method"]): x for x in lines if x["scenario"] == s and x["measure"] == m}
        unit = mine["folds", "pooled rows"]["width"]
        cells = []
        for design, method, _ in COLUMNS:
            x = mine.get((design, method))
            if x is None:
                cells.append("–")
            else:
                cells.append(f"{x['width'] / unit:.2f}" if what == "width" else cell(x[what]))
        out.append(f"| {s.name} | {m} | {mine['folds', 'naive t']['truth']:.3f} | {' | '.join(cells)} |")
    legend = "" if what == "width" else "Bold: below 93. Italics: above 97.5. "
    nothing = "A dash: not defined (nested and pooled repeats for the AUC; halves of 100 rows too small for it)."
    return [*out, "", *wrapped(legend + nothing)]


def scales(lines: list[Line]) -> list[str]:
    own, plain = pick(lines, method="corrected t"), pick(lines, method="corrected t, plain")
    groups = {
        "error rate or AUC within 0.2 of an end": lambda x: _unit(x) and min(x["truth"], 1 - x["truth"]) < 0.2,
        "other error rates and AUCs": lambda x: _unit(x) and min(x["truth"], 1 - x["truth"]) >= 0.2,
        "log loss and mean squared error": lambda x: not _unit(x),
    }
    out = [
        "## Near the end of a range",
        "",
        *wrapped(
            "`corrected_t` takes the ends of the measure's range: with two ends it is Wilson's interval of as many rows as give "
            "the corrected standard error, with one end what that becomes when the other is far away. Beside it the plain mean ± "
            "t · error. *Above* and *below* are the shares of intervals that lay wholly above and below the target."
        ),
        "",
        "| cells | plain | least | above | below | width | with the range | least | above | below | width |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for words, belongs in groups.items():
        a, b = [x for x in plain if belongs(x)], [x for x in own if belongs(x)]
        told = [
            f"{mean(x)} | {least(x)} | {mean(x, 'above')} | {mean(x, 'below')} | {np.mean([y['width'] for y in x]):.3f}"
            for x in (a, b)
        ]
        out.append(f"| {words} ({len(a)}) | {' | '.join(told)} |")
    return [*out, ""]


def _unit(x: Line) -> bool:
    return x["measure"] in {"error_rate", "auc"}


# The bootstrap --------------------------------------------------------------------------------------------------------


def bootstrap(lines: list[Line]) -> list[str]:
    out = [
        "## The .632 and .632+ estimates",
        "",
        *wrapped(
            "Fifty bootstrap samples. *Out of bag* is the t interval of the rows' mean losses while out of bag, a row being one "
            "unit. The *.632* interval is (1 − w) · apparent + w · [low, high] of it; *full width* moves the out-of-bag interval "
            "to the estimate without making it shorter. The *corrected t* is that over the fifty samples, test rows to the "
            "different rows drawn; around the .632+ value it is what `estimate` gives. The target is the expected value at all "
            "n rows."
        ),
        "",
        *wrapped(
            "**Result.** "
            + " ".join(
                f"{name}: {span(chosen)}, mean {mean(chosen)}."
                for name in MIXED
                for chosen in [pick(pick(lines, method=name), design="bootstrap")]
            )
        ),
        "",
        "| scenario | measure | true | " + " | ".join(MIXED) + " |",
        "|---|---|---:|" + "---:|" * len(MIXED),
    ]
    for s, m in dict.fromkeys((x["scenario"], x["measure"]) for x in lines if x["design"] == "bootstrap"):
        mine = {x["method"]: x for x in pick(lines, design="bootstrap") if x["scenario"] == s and x["measure"] == m}
        cells = [f"{cell(mine[k]['covered'])} ({mine[k]['width']:.3f})" for k in MIXED]
        out.append(f"| {s.name} | {m} | {mine['0.632']['truth']:.3f} | {' | '.join(cells)} |")
    return [*out, "", "In brackets: the mean width.", ""]


# Learning curves ------------------------------------------------------------------------------------------------------


def curves(bands: list[Line]) -> list[str]:
    own = [x for x in bands if x["method"] in RATIOS]
    widths = {
        r: np.mean(
            [x["width"] / y["width"] for x, y in zip(pick(own, method=r), pick(own, method=RATIOS[2]), strict=True)]
        )
        for r in RATIOS
    }
    out = [
        "## Learning curves: which ratio?",
        "",
        *wrapped(
            "300 rows, ten hold-outs of a third or a tenth; in each the model learns from 25, 50, 100 and 200 of the other rows. "
            "The mean over the hold-outs gets a corrected t with each of these ratios; m is the training size."
        ),
        "",
        *wrapped(
            "**Result.** "
            + " ".join(
                f"{r}: {span(chosen)}, mean {mean(chosen)}, below 93 in {len(chosen) - inside(chosen)} of {len(chosen)} cells, "
                f"{widths[r]:.2f} times as wide as with {RATIOS[2]}."
                for r in RATIOS
                for chosen in [pick(own, method=r)]
            )
            + f" The shortest bands with at most one cell in twenty below 93 are those of {recommended(bands)}."
        ),
        "",
        "| scenario | measure | test share | m | true | " + " | ".join(RATIOS) + " |",
        "|---|---|---:|---:|---:|" + "---:|" * len(RATIOS),
    ]
    for s, q, m, size in dict.fromkeys((x["scenario"], x["share"], x["measure"], x["size"]) for x in own):
        mine = {x["method"]: x for x in own if (x["scenario"], x["share"], x["measure"], x["size"]) == (s, q, m, size)}
        cells = [f"{cell(mine[r]['covered'])} ({mine[r]['width']:.3f})" for r in RATIOS]
        out.append(f"| {s.name} | {m} | {q:.2f} | {size} | {mine[RATIOS[0]]['truth']:.3f} | {' | '.join(cells)} |")
    return [*out, "", "In brackets: the mean width.", ""]


def powers(bands: list[Line], laws: list[Line]) -> list[str]:
    real = [x for x in bands if x["method"] in {"value", "gain"}]
    asked = ("twice", "eight times", "gain")
    out = [
        "## Power laws: what would more rows bring?",
        "",
        *wrapped(
            "`extrapolate` and `gain` where the law is known: a + b · n^−c with noise of the test rows alike at all sizes, noise "
            "of the training rows that falls with the size, and a part of both that all repeats share; 0.01 and 0.03 in turn. "
            "Coverage at twice and eight times the largest size, and of the gain by doubling; in brackets the mean width."
        ),
        "",
        *wrapped(
            "**Result.** "
            + " ".join(f"{k.capitalize()}: {span(c)}, mean {mean(c)}." for k in asked for c in [pick(laws, asked=k)])
            + f" On the learners above, whose curves are no exact power laws, the value at 400 rows from sizes up to 200: "
            f"{span(pick(real, method='value'))}, mean {mean(pick(real, method='value'))}; the gain by doubling: "
            f"{span(pick(real, method='gain'))}, mean {mean(pick(real, method='gain'))}."
        ),
        "",
        f"| a, b, c | sizes | repeats | shared ratio | {' | '.join(asked)} |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for law, sizes, times, ratio in dict.fromkeys((x["law"], x["sizes"], x["times"], x["ratio"]) for x in laws):
        mine = {x["asked"]: x for x in laws if (x["law"], x["sizes"], x["times"]) == (law, sizes, times)}
        cells = [f"{cell(mine[k]['covered'])} ({mine[k]['width']:.4f})" for k in asked]
        said = ", ".join(f"{v:g}" for v in law).replace("-", "−")
        out.append(f"| {said} | {sizes} | {times} | {ratio:.2f} | {' | '.join(cells)} |")
    out += ["", "| learner | measure | test share | value at 400 | gain from 200 to 400 |", "|---|---|---:|---:|---:|"]
    for s, q, m in dict.fromkeys((x["scenario"], x["share"], x["measure"]) for x in real):
        mine = {x["method"]: x for x in real if (x["scenario"], x["share"], x["measure"]) == (s, q, m)}
        cells = [f"{cell(mine[k]['covered'])} ({mine[k]['width']:.4f})" for k in ("value", "gain")]
        out.append(f"| {s.name} | {m} | {q:.2f} | {' | '.join(cells)} |")
    return out


# Words ----------------------------------------------------------------------------------------------------------------


def pick(lines: list[Line], **wanted: Any) -> list[Line]:
    return [x for x in lines if all(x[k] == v for k, v in wanted.items())]


def mean(lines: list[Line], what: str = "covered") -> str:
    return f"{100 * np.mean([x[what] for x in lines]):.1f} %"


def least(lines: list[Line], what: str = "covered") -> str:
    return f"{100 * min(x[what] for x in lines):.1f}"


def span(lines: list[Line], what: str = "covered") -> str:
    return f"{least(lines, what)} to {100 * max(x[what] for x in lines):.1f} %"


def inside(lines: list[Line]) -> int:
    return sum(x["covered"] >= 0.93 for x in lines)


def names(lines: list[Line], below: float) -> str:
    found = dict.fromkeys(f"{x['scenario'].name} ({x['measure']})" for x in lines if x["covered"] < below)
    return "; ".join(found) or "none of these scenarios"


def cell(share: float) -> str:
    text = f"{100 * share:.1f}"
    return f"**{text}**" if share < 0.93 else f"*{text}*" if share > 0.975 else text


def wrapped(text: str) -> list[str]:
    """A paragraph in lines of 120 columns."""
    return textwrap.wrap(text, 120, break_on_hyphens=False)
