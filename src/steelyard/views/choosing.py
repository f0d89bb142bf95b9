"""The verdict of a comparison in words: which model to prefer, by how much in which measure and in money, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from steelyard.measures.measure import find
from steelyard.payoffs.kinds import KINDS
from steelyard.results import Difference, Estimate
from steelyard.verdicts.comparison import BETTER, CLEAR, EQUIVALENT, TOO_FEW, WORSE
from steelyard.verdicts.conclusion import Conclusion, Reason, SumBar
from steelyard.verdicts.usefulness import USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.views.concluding import cut_text, usefulness_sentence
from steelyard.views.standings import few_names, in_all, nearest_pair, standing_sentence, standings
from steelyard.views.worth import value_text
from steelyard.words import bracketed, estimate_parts, shortest, visible

if TYPE_CHECKING:
    from steelyard.comparison import Comparison
    from steelyard.evaluation import Evaluation

MOST_BARS = 4
DISAGREE, UNDECIDED = "it depends on what counts", "no clear winner"


def comparison_conclusion(
    comparison: Comparison, verdict: Verdict, own: Callable[[str], Verdict] | None = None
) -> Conclusion:
    """What is said first of several models: the one to prefer and why, or that none is shown to be better.

    Money goes before the first measure, and a model that is shown to be of no use is not advised, however far ahead it is. `own`
    says what may be said of a model by itself, where that is not what its rows say.
    """
    ranks = comparison.measures[0]
    money = [n for n in KINDS if n in comparison.measures and n != ranks]
    measures = [*money, ranks]
    bars = _bars(comparison, money[0]) if money else ()
    cuts = {e.threshold for e in comparison.evaluations.values() if e.scores is not None}
    at = f" at {shortest(cut)}" if len(cuts) == 1 and (cut := next(iter(cuts))) is not None else ""
    unit = f"{money[0]}{at}" if money else ""
    ahead = {n: _Ahead(comparison, n) for n in measures}
    clear = [n for n in measures if ahead[n].clear]
    reasons = _of_two(comparison) if len(comparison.models) == 2 else _of_many(comparison, measures, clear)
    if verdict.word == TOO_FEW and not clear:
        said = f"Too few cases to say which is better: {verdict.reason}."
        return Conclusion(said, reasons=reasons, next_step=_advice(comparison, verdict), bars=bars, unit=unit)
    if not clear:
        return _undecided(comparison, verdict, ahead[ranks], reasons, bars, unit)
    decides = clear[0]
    best = ahead[decides].best
    won, also = _by(comparison, ahead[decides]), [n for n in clear if ahead[n].best == best]
    against = next((n for n in clear[1:] if ahead[n].best != best), "")
    # The name does not come first: there it would get a capital letter and be another name.
    state, tone = f"better: {visible(best)}", "good"
    by = _by(comparison, *(ahead[n] for n in also))
    sentence = f"Prefer {visible(best)}{_over(comparison, ahead[decides])}: {by}."
    if against:
        state, tone = DISAGREE, "open"
        other = ahead[against]
        has = f"{visible(other.best)} has {_by(comparison, other)}"
        sentence = f"Prefer {visible(best)} at these amounts: {won}; {has}."
    e, then = comparison.evaluations[best], _then(comparison, best)
    alone = e.verdict if own is None or (e.payoff is not None and e.verdict.word != USEFUL) else own(best)
    if alone.known and alone.word != USEFUL:
        state, tone = ("none is of use", "bad") if alone.bad else ("better, and not yet of use", "open")
        said = alone.sentence if alone is e.verdict else usefulness_sentence(e, alone)
        sentence = f"{visible(best)} is the best of them, {won}. But it alone: {_small(said)}"
        then = e.verdict.next_step if alone is e.verdict else alone.advice
        bars = _without_a_model(e, bars) if money else bars
    return Conclusion(sentence, state, tone, reasons, then, bars, unit)


def _without_a_model(evaluation: Evaluation, bars: tuple[SumBar, ...]) -> tuple[SumBar, ...]:
    """The same sums with what is reached without a model, which is what is advised where none of them is of use."""
    a = evaluation.advice
    if a is None:
        return bars
    none = SumBar(visible(a.rival.name), a.rival.estimate, "best" if a.verdict.bad else "none")
    return (none, *(SumBar(b.name, b.estimate, "now") for b in bars))


def _of_many(comparison: Comparison, measures: list[str], clear: list[str]) -> tuple[Reason, ...]:
    """What each would bring at its own best threshold, who is first where that is not clear, and the numbers where it is."""
    each = _each_at_its_best(comparison) if len(comparison.models) <= MOST_BARS else []
    open_ = [Reason(standing_sentence(comparison, n), "model") for n in measures if n not in clear]
    return (*open_, *each, *(Reason(_numbers(comparison, n), "model") for n in clear if n not in KINDS))


def _numbers(comparison: Comparison, measure: str) -> str:
    """The number of each model, the best first."""
    known = [s for s in standings(comparison, measure) if s.estimate.value is not None]
    some = [(visible(s.model), s.estimate) for s in known[:MOST_BARS]]
    told = [f"{model} {estimate_parts(float(x), x.low, x.high)[0]}" for model, x in some]
    more = f" and {len(known) - MOST_BARS} more below" if len(known) > MOST_BARS else ""
    noun = find(measure).noun
    return f"{noun[:1].upper()}{noun[1:]} by itself: {', '.join(told)}{more}."


def _each_at_its_best(comparison: Comparison) -> list[Reason]:
    """What each would bring at its own best threshold; empty where one has none."""
    advice = {n: e.advice for n, e in comparison.evaluations.items() if e.confusion is not None}
    best = {n: a.best for n, a in advice.items() if a is not None and a.best is not None and a.best.value is not None}
    if len(best) < len(comparison.models):
        return []
    told = [f"{visible(n)} {value_text(t.corrected)} (at {cut_text(t)})" for n, t in best.items()]
    unit = next(iter(best.values())).at.measure
    named = f"{', '.join(told[:-1])} and {told[-1]}"
    return [Reason(f"Each at its own best threshold, the {unit} to be expected on new rows is: {named}.", "model")]


def _of_two(comparison: Comparison) -> tuple[Reason, ...]:
    """What each would bring at its own best threshold, in which measures one is better, where there are several."""
    out = _each_at_its_best(comparison)
    first, second = nearest_pair(comparison, comparison.measures[0])
    words = {n: comparison.difference(n, first, second).verdict for n in comparison.measures}
    nouns = {word: [find(n).noun for n in words if words[n] == word] for word in (BETTER, WORSE)}
    rest = len(words) - sum(map(len, nouns.values()))
    said = [f"{word} in {', '.join(names)}" for word, names in nouns.items() if names]
    if rest:
        said.append(f"not shown to differ in {', '.join(find(n).noun for n in words if words[n] not in CLEAR)}")
    if len(words) > 1:
        out.append(Reason(f"{visible(first)} is {'; '.join(said)}.", "model"))
    return tuple(out)


class _Ahead:
    """The best in one measure, the nearest of the others, and whether that is shown."""

    def __init__(self, comparison: Comparison, measure: str) -> None:
        found, control = standings(comparison, measure), comparison.control
        self.measure = measure
        base = next(s for s in found if s.difference is None)
        others = [s for s in found if s.difference is not None and s.difference.value is not None]
        better = [s for s in others if s.difference is not None and s.difference.verdict == BETTER]
        close = [s for s in others if s.close]
        self.best, self.rival = base.model, ""
        self.difference: Difference | None = None
        if control is not None and better:
            self.best, self.rival, self.difference = better[0].model, base.model, better[0].difference
        elif others:
            # Of models that nothing tells apart the next may do as well; those behind it are shown to be worse.
            second = (close or others)[0]
            self.rival = second.model
            self.difference = in_all(comparison, comparison.difference(measure, self.best, self.rival))
        self.many = len(found)
        self.clear = bool(better) if control is not None else bool(others) and not close


def _by(comparison: Comparison, *ahead: _Ahead) -> str:
    """By how much the best is ahead, in one measure or in several; the next is named once where it is the same."""
    told = [_lead(comparison, a) for a in ahead]
    if len({after for _, after in told}) == 1:
        return f"{' and '.join(lead for lead, _ in told)}{told[0][1]}"
    return ", and ".join(f"{lead}{after}" for lead, after in told)


def _lead(comparison: Comparison, ahead: _Ahead) -> tuple[str, str]:
    d = ahead.difference
    assert d is not None
    assert d.value is not None
    lower = find(ahead.measure).better == "lower"
    value, low, high = estimate_parts(-d.value if lower else d.value, *_ends(d, lower))
    limits = f" {bracketed(low, high)}" if low else ""
    side = " lower" if lower else " higher"
    if ahead.many > 2 and comparison.control is None:
        side = f"{side} than the next, {visible(ahead.rival)}"
    per = " per case" if d.options.get("per") == "case" else ""
    noun = f"{ahead.measure}{per}" if ahead.measure in KINDS else find(ahead.measure).noun
    return f"{noun} {value}{limits}", side


def _ends(difference: Difference, lower: bool) -> tuple[float | None, float | None]:
    if not lower or difference.low is None or difference.high is None:
        return difference.low, difference.high
    return -difference.high, -difference.low


def _over(comparison: Comparison, ahead: _Ahead) -> str:
    if ahead.many == 2 or comparison.control is not None:
        return f" to {visible(ahead.rival)}"
    return f" to {'both' if ahead.many == 3 else f'all {ahead.many - 1}'} others"


def _undecided(
    comparison: Comparison,
    verdict: Verdict,
    ahead: _Ahead,
    reasons: tuple[Reason, ...],
    bars: tuple[SumBar, ...],
    unit: str,
) -> Conclusion:
    """Nothing is shown of the best and the next; there may be others that are shown to be worse."""
    found = standings(comparison, ahead.measure)
    told = [visible(s.model) for s in found if s.close or s.difference is None]
    behind = sum(s.difference is not None and s.difference.verdict in CLEAR for s in found)
    names = few_names(told) if len(told) < 4 else f"{len(told)} of {len(found)} models"
    same = all(s.difference is None or s.difference.verdict.startswith(EQUIVALENT) for s in found if not s.behind)
    how = f"do equally well, within {verdict.margin:g}," if same else "are not shown to differ"
    sentence = f"{names} {how} in {find(ahead.measure).noun}"
    more = f"; {'the other is' if behind == 1 else f'the other {behind} are'} worse" if behind else ""
    if comparison.control is not None:
        noun, more = find(ahead.measure).noun, ""
        sentence = f"Keep {visible(comparison.control)}: no other is shown to be better in {noun}"
    state = f"equivalent within {verdict.margin:g}" if same else UNDECIDED
    return Conclusion(f"{sentence}{more}.", state, "open", reasons, _advice(comparison, verdict), bars, unit)


def _advice(comparison: Comparison, verdict: Verdict) -> str:
    if len(comparison.models) == 2:
        return verdict.advice
    return verdict.advice.replace("both", "them").replace(
        "none of them is shown to be better", "none is shown to be the best"
    )


def _then(comparison: Comparison, best: str) -> str:
    """What to do with the one that is preferred."""
    e = comparison.evaluations[best]
    advice = e.advice if e.confusion is not None else None
    if advice is not None and advice.moves:
        return f"For {visible(best)}: {_small(e.verdict.sentence)}"
    return f"Use {visible(best)}, if it costs no more to run."


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _bars(comparison: Comparison, measure: str) -> tuple[SumBar, ...]:
    """What each brings as it decides now, the best first."""
    found = [s for s in standings(comparison, measure) if s.estimate.value is not None][:MOST_BARS]
    roles = ["best" if s.difference is None and comparison.control is None else "now" for s in found]
    return tuple(SumBar(visible(s.model), _plain(s.estimate), role) for s, role in zip(found, roles, strict=True))


def _plain(estimate: Estimate) -> Estimate:
    return Estimate(estimate.measure, estimate.value, estimate.low, estimate.high, estimate.confidence)
