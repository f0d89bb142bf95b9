"""A comparison in words, tables and a picture: how much better, how sure, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from steelyard.charts.marks import Band, Chart, Mark, Point, Rule
from steelyard.charts.scales import Scale, wide_enough
from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS
from steelyard.results import Difference
from steelyard.verdicts.comparison import BETTER, EQUIVALENT, NOT_KNOWN, TOO_FEW, UNCLEAR, WORSE
from steelyard.views.layout import WIDTH, blocks_text, fit, noted, table_width, wrap, wrapped
from steelyard.views.several import measure_named
from steelyard.views.standings import CALLED, at_once, ranked_table, standing_finding, standing_sentence, standings
from steelyard.views.tables import SmallTable
from steelyard.views.text import table_lines
from steelyard.views.verdict import verdict_lines
from steelyard.words import bracketed, count, digits_for, estimate_parts, p_told, percent, significant, visible
from steelyard.words import number as decimal

if TYPE_CHECKING:
    from steelyard.comparison import Compared, Comparison
    from steelyard.comparisons.best_of_many import Selected

SHORT = {"bonferroni": "p (Bonf.)", "holm": "p (Holm)", "benjamini-hochberg": "p (B.–H.)", "none": "p"}
SHOWN = 12
"""Pairs that are told one by one; of more, those that differ most clearly."""
DRAWN = 24
"""Pairs in a chart."""
LONGEST = 24
"""Columns of a model's name in the table of models."""
SEEN = {BETTER: 0, WORSE: 1}


def headline(comparison: Comparison) -> str:
    """What is compared, in one line."""
    rows = {e.rows for e in comparison.evaluations.values()}
    of = f"{count(next(iter(rows)))} rows" if len(rows) == 1 else "test sets of different sizes"
    where = f" in {visible(comparison.source)}" if comparison.source else ""
    return f"{len(comparison.models)} models compared {comparison.pairing.words}{where} ({of})"


def p_text(p: float | None) -> str:
    """A p-value as people write it.

    >>> p_text(0.034), p_text(0.00001), p_text(None)
    ('0.034', '< 0.0001', '')
    """
    if p is None:
        return ""
    return "< 0.0001" if p < 0.0001 else significant(p, 2)


def number(difference: Difference) -> str:
    """A difference with its interval and its sign, as it stands in a table."""
    if difference.value is None:
        return "n/a"
    value, low, high = estimate_parts(difference.value, difference.low, difference.high)
    sign = "+" if difference.value > 0 and any(ch in "123456789" for ch in value) else ""
    return f"{sign}{value} {bracketed(low, high)}".rstrip() if difference.low != difference.high else f"{sign}{value}"


def models_table(comparison: Comparison) -> SmallTable:
    """The models' own numbers, each with its interval."""
    columns = [(name, dict(options)) for m in comparison.measures for name, options in _columns(m)]
    head = ("model", *(f"{n} per case" if options else n for n, options in columns))
    rows: list[tuple[str, ...]] = []
    why: dict[str, None] = {}
    order = [s.model for s in standings(comparison, comparison.measures[0])]
    for model in order:
        e = comparison.evaluations[model]
        found = [e.measure(n, None, **options) for n, options in columns]
        rows.append((visible(model), *("n/a" if x.value is None else str(x) for x in found)))
        why |= {f"{x.measure} of {visible(model)}: {visible(x.reason)}": None for x in found if x.value is None}
    note = "Intervals of the models' own numbers; that two overlap says nothing about their difference."
    title = "Each by itself" if comparison.kind != "same folds" else "Each by itself (sum of the folds)"
    return SmallTable(title, head, "l" * len(head), rows, note=_not_there(why) + note)


def _columns(measure: str) -> list[tuple[str, dict[str, Any]]]:
    """Totals of money also by case, since cases are what is compared."""
    money = "payoff" in find(measure).options
    return [(measure, {}), *([(measure, {"per": "case"})] if money else [])]


def _not_there(why: dict[str, None]) -> str:
    """Why there is no number, in one sentence; of many the first few."""
    told = list(why)
    more = f"; and {len(told) - 3} more" if len(told) > 3 else ""
    return f"n/a: {'; '.join(told[:3])}{more}. " if told else ""


def below(table: SmallTable) -> list[SmallTable]:
    """A table that is too wide for a page, as several below one another that repeat its first column."""
    rows = [(fit(row[0], LONGEST), *row[1:]) for row in table.rows]
    parts: list[list[int]] = []
    for i in range(1, len(table.head)):
        wider = [0, *(parts[-1] if parts else []), i]
        width = table_width([table.head[j] for j in wider], [[row[j] for j in wider] for row in rows])
        if parts and width <= WIDTH - 2:
            parts[-1].append(i)
        else:
            parts.append([i])
    out: list[SmallTable] = []
    for part in parts:
        keep = [0, *part]
        title = f"{table.title}, continued" if out else table.title
        cells: list[tuple[str, ...]] = [tuple(row[j] for j in keep) for row in rows]
        note = table.note if part is parts[-1] else ""
        out.append(SmallTable(title, tuple(table.head[j] for j in keep), "l" * len(keep), cells, note))
    return out


def looks(comparison: Comparison, pairs: int) -> str:
    """For how many looks p-values were corrected, in words; empty where they were not."""
    over = comparison.over == "everything"
    many = pairs * len(comparison.measures) if over else pairs
    return "" if many < 2 or comparison.correction == "none" else f"{many} {'looks' if over else 'pairs'}"


def of_case(found: list[Any], measure: str) -> str:
    """The measure in words, as it is compared: money by case."""
    per = any(r.difference.options.get("per") == "case" for r in found)
    return f"{find(measure).noun} per case" if per else find(measure).noun


def differences_table(comparison: Comparison, measure: str) -> SmallTable:
    """Every pair in one measure: the difference, its p-value, the verdict."""
    found = comparison.ordered(measure)
    several = bool(looks(comparison, len(found)))
    # Of several pairs only the corrected p-value is told: the other would be read without its company.
    head = ("pair", "difference", SHORT[comparison.correction] if several else "p", "verdict")
    rows: list[tuple[str, ...]] = []
    why: dict[str, None] = {}
    for r in found[:SHOWN]:
        d = r.difference
        rows.append((f"{visible(d.first)} − {visible(d.second)}", number(d), p_text(d.p_value), r.verdict))
        why |= {visible(d.reason): None} if d.value is None else {}
    # For how many looks is told once, below.
    methods = [m for m in dict.fromkeys(r.difference.method.partition("; for ")[0] for r in found) if m and m != "none"]
    better = f"{find(measure).better} is better"
    notes = [_not_there(why).strip(), f"By {' / '.join(methods[:2])}." if methods else ""]
    if several and any(r.p_corrected is not None for r in found):
        many = looks(comparison, len(found))
        notes.append(f"Intervals and p-values for {many} at once ({CALLED[comparison.correction]}).")
    if len(found) > SHOWN:
        notes.append(f"{len(found) - SHOWN} more pairs in .frame().")
    title = f"Differences in {of_case(found, measure)} ({better})"
    return SmallTable(title, head, "l" * len(head), rows, note=" ".join(filter(None, notes)))


def difference_tables(comparison: Comparison) -> list[SmallTable]:
    """Every pair where there is one; of more models each against the best (or the control) in every measure."""
    if len(comparison.models) == 2:
        return [differences_table(comparison, m) for m in comparison.measures]
    return [ranked_table(comparison, m, own=False) for m in comparison.measures]


def verdict_sentence(compared: Compared) -> str:
    """One pair in one measure, in plain words."""
    d, verdict = compared.difference, compared.verdict
    first, second, measure = visible(d.first), visible(d.second), of_case([compared], d.measure)
    if d.value is None:
        return f"{measure} of {first} and {second} cannot be compared: {visible(d.reason)}."
    p = d.p_value
    told = f"{number(d)}{f', {p_told(p)}' if p is not None else ''}"
    if verdict == BETTER:
        return f"{first} is better than {second} in {measure}: {told}."
    if verdict == WORSE:
        return f"{first} is worse than {second} in {measure}: {told}."
    if verdict.startswith(EQUIVALENT):
        return f"{first} and {second} are {verdict} in {measure}: {told}."
    why = f" ({visible(d.note)})" if d.note else ""
    if verdict == TOO_FEW:
        return f"Too few cases to tell {first} and {second} apart in {measure}: {told}{why}."
    if verdict == NOT_KNOWN:
        return f"Whether {first} and {second} differ in {measure} is not known: {told}{why}."
    if compared.alike:
        return f"{first} and {second} do not differ at all in {measure}{f': {visible(d.note)}' if d.note else ''}."
    return f"No clear difference between {first} and {second} in {measure}: {told}."


def comparison_sentences(comparison: Comparison) -> list[str]:
    """Who wins in the first measure and in money, then how much of that is luck."""
    measure = comparison.measures[0]
    chief = dict.fromkeys([measure, *(n for n in KINDS if n in comparison.measures)])
    out = [standing_sentence(comparison, n) for n in chief]
    # One pair after the other, and none after the first that has an interval: of a thousand models there are half a million.
    if (together := at_once(comparison)) and any(
        comparison.difference(measure, *pair).low is not None for pair in comparison.pairs
    ):
        out.append(together)
    whole = comparison.together(measure)
    if whole is not None and whole.p_value is not None:
        out.append(f"All equal? {whole.method}: {p_told(whole.p_value)}.")
    best = comparison.winner(measure) if len(comparison.models) > 2 else None
    if best is not None and best.optimism.value is not None:
        out.append(_luck(best, measure, comparison.difference(measure, *comparison.pairs[0])))
    if comparison.ranking is not None:
        out.append(comparison.ranking.paragraph())
    return out


def _luck(best: Selected, measure: str, difference: Difference) -> str:
    """How much of a lead is due to having been chosen."""
    x, left = float(best.optimism), best.corrected
    low, high = left.low, left.high
    decimals = 3 if low is None or high is None else digits_for((high - low) / 2)
    winner = visible(best.winner)
    if round(abs(x), decimals) == 0:
        return f"That {winner} was chosen as the best makes it look hardly better than it is."
    luck, rest = decimal(abs(x), decimals), decimal(float(left), decimals)
    noun = find(measure).noun
    told = f"{noun} per case" if difference.options.get("per") == "case" else noun
    return f"Having been chosen flatters {winner} by about {luck} in {told}, which leaves {rest}."


def comparison_text(comparison: Comparison) -> str:
    """The comparison as plain text, 80 columns wide."""
    verdict = comparison.verdict
    told = {r.text for r in verdict.reasons}
    blocks = [verdict_lines(verdict), wrap(f"{headline(comparison)}.", WIDTH)]
    blocks.append(wrapped(s for s in comparison.sentences() if s not in told))
    for t in (*below(models_table(comparison)), *difference_tables(comparison)):
        bare = SmallTable(t.title, t.head, t.align, t.rows, spare=t.spare)
        blocks.append([*table_lines(bare), *(wrap(t.note, WIDTH, "  ", "  ") if t.note else [])])
    blocks.append(noted(comparison.notes()))
    return blocks_text(blocks)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Every number and sentence as plain JSON values."""
    best, whole = comparison.winner(), comparison.together()
    return {
        "headline": headline(comparison),
        "verdict": comparison.verdict.to_dict(),
        "kind": comparison.kind,
        "confidence": comparison.confidence,
        "correction": comparison.correction,
        "over": comparison.over,
        "control": comparison.control,
        "margins": dict(comparison.margins),
        "models": {n: {m: e[m].to_dict() for m in comparison.measures} for n, e in comparison.evaluations.items()},
        "differences": [
            r.difference.to_dict() | {"p_corrected": r.p_corrected, "p_alone": r.p_alone, "verdict": r.verdict}
            for r in comparison.table()
        ],
        "together": None if whole is None else asdict(whole),
        "winner": None if best is None else best.to_dict(),
        "ranking": None if comparison.ranking is None else comparison.ranking.to_dict(),
        "sentences": comparison.sentences(),
        "notes": comparison.notes(),
    }


def comparison_chart(comparison: Comparison, measure: str | None = None) -> Chart:
    """The differences below one another, zero as a line, the margin as a band around it."""
    measure = measure_named(measure) if measure else comparison.measures[0]
    every = comparison.ordered(measure)
    found = [r for r in every if r.difference.value is not None][:DRAWN]
    values = [v for r in found for v in (r.difference.low, r.difference.value, r.difference.high) if v is not None]
    margin = comparison.margins.get(measure)
    values += [0.0, *((-margin, margin) if margin is not None else ())]
    marks: list[Mark] = []
    size = max(len(found), 1)
    # The better one stands first, so none is worse.
    legend: list[tuple[str, Any]] = [("first is better", 0), (UNCLEAR, "quiet")]
    if margin is not None:
        marks.append(Band([-margin, margin], [-0.5, -0.5], [size - 0.5, size - 0.5], 2, 0.12))
        legend.append((f"equivalent: inside the margin of {margin:g}", 2))
    marks.append(Rule(x=0.0))
    names = []
    words = []
    for i, r in enumerate(found):
        d = r.difference
        colour = 2 if r.verdict.startswith(EQUIVALENT) else SEEN.get(r.verdict, "quiet")
        marks.append(Point(float(d), float(i), colour, "circle", 4.5, d.low, d.high))
        names.append(f"{visible(d.first)} minus {visible(d.second)}")
        words.append(number(d))
    columns: dict[str, Sequence[Any]] = {
        "pair": names,
        "difference": [r.difference.value for r in found],
        "low": [r.difference.low for r in found],
        "high": [r.difference.high for r in found],
        "verdict": [r.verdict for r in found],
    }
    told = of_case(every, measure)
    left_out = len(every) - len(found)
    fewer = f" ({left_out} of {len(every)} pairs not shown)" if left_out else ""
    many = looks(comparison, len(every))
    whole = f" for {many} at once" if many else ""
    title = f"Differences in {told}, {percent(comparison.confidence)} intervals{whole}{fewer}"
    said = f"{title}: {'; '.join(f'{a}  {b}' for a, b in zip(names, words, strict=True))}."
    up = Scale(size - 0.5, -0.5, "", "names", tuple(names))
    more: dict[str, Any] = {"finding": standing_finding(comparison, measure)}
    if found:
        more["beside"] = (("difference", tuple(words)),)
    across = wide_enough(values, f"{told}, first minus second")
    more["size"] = (700.0, 90 + 28.0 * size)
    return Chart("differences", title, across, up, tuple(marks), said, columns, tuple(legend), **more)
