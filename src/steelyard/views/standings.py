"""Models in order: each against the best of them, and every measure side by side with the best of each marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.measures.measure import find, leading
from steelyard.results import Difference, Estimate
from steelyard.verdicts.comparison import BETTER, CLEAR, TOO_FEW, UNCLEAR, WORSE
from steelyard.views.story import kind_of
from steelyard.views.tables import SmallTable
from steelyard.words import estimate_parts, visible

if TYPE_CHECKING:
    from steelyard.comparison import Comparison

CALLED = {"bonferroni": "Bonferroni", "holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg"}
MOST_NAMED = 3
"""Models that are named in a sentence; of more it says how many."""
MOST_MEASURES = 7
"""Columns of the table of models and measures."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One model in one measure, and how far it is from the one that all are held against; None for that one."""

    model: str
    estimate: Estimate
    difference: Difference | None

    @property
    def behind(self) -> bool:
        """Whether it is shown to be worse."""
        return self.difference is not None and self.difference.verdict == WORSE

    @property
    def close(self) -> bool:
        """Whether it is not shown to be either better or worse."""
        return self.difference is not None and self.difference.verdict not in CLEAR


def standings(comparison: Comparison, measure: str) -> list[Standing]:
    """Models from the best to the worst; differences are from the best, or from the control where there is one."""
    found = {
        n: (e[measure] if measure in e.measures else Estimate(measure, None)) for n, e in comparison.evaluations.items()
    }
    sign = -1.0 if find(measure).better == "lower" else 1.0

    def size(estimate: Estimate | Difference) -> float:
        return float("-inf") if estimate.value is None else sign * estimate.value

    best = comparison.control or max(found, key=lambda n: size(found[n]))
    apart = _apart(comparison, measure, best)
    ahead = max(apart, key=lambda n: size(apart[n]))
    if comparison.control is None and size(apart[ahead]) > 0:
        # Over folds their mean is compared, in which another may be ahead.
        best, apart = ahead, _apart(comparison, measure, ahead)
    order = sorted(comparison.models, key=lambda n: -(0.0 if n == best else size(apart[n])))
    # Of models that are equal, the one that all are held against stands first.
    order.sort(key=lambda n: (n != best) if n == best or apart[n].value == 0 else (size(apart[n]) <= 0))
    return [Standing(n, found[n], apart.get(n)) for n in order]


def _apart(comparison: Comparison, measure: str, best: str) -> dict[str, Difference]:
    return {n: in_all(comparison, comparison.difference(measure, n, best)) for n in comparison.models if n != best}


def in_all(comparison: Comparison, difference: Difference) -> Difference:
    """Money by case as money of all rows, where the models share them and each counts once."""
    first = next(iter(comparison.evaluations.values()))
    plain = comparison.kind == "same rows" and first.facts.get("weights", "none") == "none"
    if difference.options.get("per") != "case" or difference.value is None or not plain:
        return difference
    low, high = (None if v is None else v * first.rows for v in (difference.low, difference.high))
    options = {k: v for k, v in difference.options.items() if k != "per"}
    return difference.renamed(value=difference.value * first.rows, low=low, high=high, options=options)


def nearest_pair(comparison: Comparison, measure: str) -> tuple[str, str]:
    """The best and the model that comes nearest to it: the first of those that are not shown to be worse, else the next."""
    first, *others = sorted(standings(comparison, measure), key=lambda s: s.difference is not None)
    near = [s for s in others if not s.behind] or others
    best = near[0]
    if comparison.control is not None:
        return best.model, first.model
    return first.model, best.model


def at_once(comparison: Comparison) -> str:
    """For how many pairs intervals and p-values hold, in a sentence; empty where there is but one."""
    pairs = len(comparison.pairs)
    many = pairs * len(comparison.measures) if comparison.over == "everything" else pairs
    if many < 2 or comparison.correction == "none":
        return ""
    what = "looks" if comparison.over == "everything" else "pairs"
    return f"Intervals, p-values and verdicts are for {many} {what} at once ({CALLED[comparison.correction]})."


# Tables ---------------------------------------------------------------------------------------------------------------


def ranked_table(comparison: Comparison, measure: str, *, own: bool = True) -> SmallTable:
    """One row a model, the best on top: its number, how far it is from the best, and what that says.

    Without its `own` number where that stands in another table.
    """
    from steelyard.views.comparison import number, of_case, p_text

    found = standings(comparison, measure)
    rows: list[tuple[str, ...]] = []
    for s in found:
        d, value = s.difference, "n/a" if s.estimate.value is None else str(s.estimate)
        alone = "all others are held against it" if comparison.control else "first"
        told = ("", "", alone) if d is None else (number(d), p_text(d.p_value), d.verdict)
        rows.append((visible(s.model), *([value] if own else []), *told))
    some = [s.difference for s in found if s.difference is not None]
    per = " per case" if some and some[0].options.get("per") == "case" else ""
    base = next(visible(s.model) for s in found if s.difference is None)
    title = f"Differences from {base} in {of_case([], measure)}{per} ({find(measure).better} is better)"
    head = ("model", *([measure] if own else []), "difference", "p", "verdict")
    methods = dict.fromkeys(d.method.partition("; for ")[0] for d in some)
    by = " / ".join([m for m in methods if m and m != "none"][:2])
    note = " ".join(filter(None, (f"By {by}." if by else "", at_once(comparison) if own else "")))
    return SmallTable(title, head, "l" * len(head), rows, note)


@dataclass(frozen=True, slots=True)
class Placed:
    """One model in one measure: its number, whether it is the best there, and whether it is shown to be worse."""

    estimate: Estimate
    best: bool = False
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """Models × measures, the models in the order of the first measure."""

    measures: tuple[str, ...]
    models: tuple[str, ...]
    cells: tuple[tuple[Placed, ...], ...]
    """A row for each model."""
    tested: tuple[str, ...]
    """Measures in which worse is said by a test; in others it is not asked."""


def matrix(comparison: Comparison) -> Matrix:
    """Every model in every chief measure, the best of each marked, and those that are shown to be worse than it."""
    first, *_ = evaluations = list(comparison.evaluations.values())
    more = [n for n in leading("card", kind_of(first)) if all(n in e.measures for e in evaluations)]
    names = list(dict.fromkeys([*comparison.measures, *more]))[:MOST_MEASURES]
    order = [s.model for s in standings(comparison, names[0])]
    columns = []
    for name in names:
        if name in comparison.measures:
            found = {s.model: s for s in standings(comparison, name)}
            best = next((n for n, s in found.items() if s.difference is None), "") if comparison.control is None else ""
            behind = {n for n, s in found.items() if s.behind}
            told = {n: s.estimate for n, s in found.items()}
        else:
            told, behind = {n: e[name] for n, e in comparison.evaluations.items()}, set()
            best = _best(told, find(name).better)
        columns.append({n: Placed(told[n], n == best, n in behind) for n in order})
    cells = tuple(tuple(column[n] for column in columns) for n in order)
    return Matrix(tuple(names), tuple(order), cells, tuple(n for n in names if n in comparison.measures))


def _best(found: dict[str, Estimate], better: str) -> str:
    known = {n: x.value for n, x in found.items() if x.value is not None}
    if not known or better not in ("higher", "lower"):
        return ""
    return (max if better == "higher" else min)(known, key=lambda n: known[n])


# Sentences ------------------------------------------------------------------------------------------------------------


def standing_sentence(comparison: Comparison, measure: str) -> str:
    """Who is best in a measure, and of whom that is shown."""
    from steelyard.views.comparison import number, of_case, verdict_sentence

    found = standings(comparison, measure)
    if len(found) == 2:
        r = comparison.ordered(measure)[0]
        d = in_all(comparison, r.difference)
        return verdict_sentence(type(r)(d, r.p_corrected, r.verdict, r.p_alone))
    others = [s for s in found if s.difference is not None and s.difference.value is not None]
    base = next(s for s in found if s.difference is None)
    name, many = visible(base.model), len(found)
    per = any(s.difference is not None and s.difference.options.get("per") == "case" for s in others)
    told = f"{of_case([], measure)}{' per case' if per else ''}"
    if not others:
        return f"Which of {many} models is best in {told} cannot be said: it is not defined."
    if comparison.control is not None:
        better = [s.difference for s in others if s.difference is not None and s.difference.verdict == BETTER]
        if not better:
            return f"None of {many - 1} models is clearly better than {name} in {told}."
        return f"Better than {name} in {told}: {few_names([f'{visible(d.first)} ({number(d)})' for d in better])}."
    behind, close = [s for s in others if s.behind], [s for s in others if not s.behind]
    second = (close or behind)[0]
    assert second.difference is not None
    lead = number(in_all(comparison, comparison.difference(measure, base.model, second.model)))
    after, x = visible(second.model), base.estimate
    value = "" if x.value is None else f" ({estimate_parts(x.value, x.low, x.high)[0]})"
    if not close:
        return f"{name} is the best of {many} models in {told}{value}: clearly ahead of {after}, the next, by {lead}."
    said = few_names([visible(s.model) for s in close])
    if all(s.difference is not None and s.difference.verdict == TOO_FEW for s in close):
        few = "too few cases to say whether it is better than"
        return f"{name} has the best {told} of {many} models{value}; {few} {said}."
    if not behind:
        first = f"{name}{value} is first, ahead of {after} by {lead}"
        return f"In {told} none of {many} models is clearly the best: {first}."
    by = f"{'by ' if len(close) == 1 else 'the next by '}{lead}"
    word = second.difference.verdict
    rest = f"not clearly than {said}" if word == UNCLEAR else f"{said} {'is' if len(close) == 1 else 'are'} {word}"
    return f"{name} has the best {told} of {many} models{value}: clearly better than {_count(behind, many)}, {rest} ({by})."


def standing_finding(comparison: Comparison, measure: str) -> str:
    """The same without its numbers, to stand above a picture that shows them; empty of a measure that is not compared."""
    said = standing_sentence(comparison, measure) if measure in comparison.measures else ""
    return said.partition(": ")[0].removesuffix(".")


def _count(found: list[Standing], many: int) -> str:
    return visible(found[0].model) if len(found) == 1 else f"{len(found)} of the other {many - 1}"


def few_names(names: list[str]) -> str:
    """A few names in a sentence; of more how many there are.

    >>> few_names(["a"]), few_names(["a", "b", "c"]), few_names(list("abcde"))
    ('a', 'a, b and c', 'a, b and 3 more')
    """
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:2])} and {len(names) - 2} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
