"""The verdict of an evaluation in words: what to do with it, why, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

from steelyard.measures.measure import find, leading
from steelyard.payoffs.kinds import sign_of
from steelyard.results import Estimate
from steelyard.verdicts.conclusion import Conclusion, Reason, SumBar
from steelyard.verdicts.cut import KEEP, KEEP_YET, LEAVE, MOVE, NOT_AHEAD, WAIT
from steelyard.verdicts.enough import CaseCount
from steelyard.verdicts.oddity import UNFOUND
from steelyard.verdicts.usefulness import ADVICE, HARMFUL, NOT_KNOWN, NOT_SHOWN, TOO_FEW, USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.views.leaning import without_lean
from steelyard.views.oddities import odd_advice, odd_reason, odd_state
from steelyard.views.sentences import statement
from steelyard.views.story import kind_of, strange_threshold
from steelyard.views.tables import MOST_LOOKED, worst_of
from steelyard.views.worth import doing, value_text
from steelyard.words import in_hundred, quoted, shortest, visible, with_limits

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.worth.advice import Advice
    from steelyard.worth.thresholds import Threshold

WRONG_PLACE = "useful, cut in the wrong place"
NO_BETTER = "no better than no model"
BEHIND = "; always saying the same would get "


def evaluation_conclusion(evaluation: Evaluation, verdict: Verdict) -> Conclusion:
    """What is said first of one model: about money where outcomes are worth something, else what it does against no model."""
    advice = None if evaluation.payoff is None else evaluation.advice
    if advice is None or advice.verdict.word == WAIT:
        found = _of_numbers(evaluation, verdict)
        return found if advice is None else Conclusion(found.sentence, next_step=found.next_step, later=found.later)
    return _of_money(evaluation, verdict, advice)


# Where outcomes are worth something -----------------------------------------------------------------------------------


def cut_text(threshold: Threshold) -> str:
    """A threshold as it is told: in as few digits as flag the same rows."""
    return "above every score" if threshold.short is None else shortest(threshold.short)


def _of_money(evaluation: Evaluation, verdict: Verdict, advice: Advice) -> Conclusion:
    word = advice.verdict.word
    state = {MOVE: WRONG_PLACE, LEAVE: NO_BETTER, NOT_AHEAD: "not yet shown"}.get(word, USEFUL)
    tone = {KEEP: "good", KEEP_YET: "good", LEAVE: "bad"}.get(word, "open")
    if word in {LEAVE, NOT_AHEAD} and advice.ahead.bad:
        state, tone = HARMFUL, "bad"
    odd, ranks = evaluation.oddity, evaluation.usefulness
    then = odd_advice(odd) if odd is not None else ranks.advice if ranks.word == HARMFUL else _then(advice)
    state, tone = _oddly(odd, state, tone)
    bars, why = _bars(evaluation, advice), partial(_reasons_of_money, evaluation, advice)
    return Conclusion(_to_do(evaluation, advice), state, tone, (), then, bars, _unit(advice), why)


def _oddly(odd: Verdict | None, state: str, tone: str) -> tuple[str, str]:
    """The state with what is odd about it; what is odd is never simply good."""
    beside = "" if odd is None else odd_state(odd)
    return (f"{state}, {beside}", "open" if tone == "good" else tone) if beside else (state, tone)


def _reasons_of_money(evaluation: Evaluation, advice: Advice) -> Iterator[Reason]:
    yield _ahead(advice)
    yield from _scale(evaluation)
    if evaluation.oddity is not None:
        yield from odd_reason(evaluation, evaluation.oddity)
    if advice.verdict.word == LEAVE and advice.best is not None:
        best, there = cut_text(advice.best), value_text(advice.best.corrected)
        brings = f"can be expected to bring {there} on new rows" if advice.best.optimism else f"brings {there}"
        yield Reason(f"No threshold helps: the best one, {best}, {brings}.", "threshold")
    yield from _ranking(evaluation, evaluation.usefulness)
    yield from _weakest(evaluation)
    yield from _at_the_cut(evaluation, advice)
    yield from _more(evaluation)


def _to_do(evaluation: Evaluation, advice: Advice) -> str:
    word, unit = advice.verdict.word, advice.now.measure
    now, rival = value_text(advice.now), value_text(advice.rival.estimate)
    here = shortest(evaluation.threshold) if evaluation.threshold is not None else ""
    if advice.best is None:
        return _without_choice(advice)
    best, there = cut_text(advice.best), value_text(advice.best.corrected) + _luck(advice)
    if word == MOVE:
        way = "Raise" if evaluation.threshold is not None and float(advice.best) > evaluation.threshold else "Lower"
        return f"{way} the threshold from {here} to {best}: {unit} {now} → {there}."
    if word == KEEP:
        other = "no other brings more on these rows" if advice.alike else "no other is shown to bring more"
        return f"Keep the threshold at {here}: {unit} {now}, and {other}."
    if word == KEEP_YET:
        return (
            f"Keep the threshold at {here} for now: {best} looks better, with {unit} {there} instead of {now}, but that may "
            "be chance."
        )
    if word == LEAVE:
        return f"{_instead(advice)}: {unit} {rival} instead of {now}."
    if advice.ahead.bad:
        return (
            f"Do not cut at {here}: {unit} {now}, where {doing(advice.rival.name)} brings {rival}, and no other threshold is shown "
            "to bring more."
        )
    beaten = f"Not shown to beat {doing(advice.rival.name)}"
    return f"{beaten}: {unit} {there} at the best threshold, {best}, and {rival} without a model."


def _without_choice(advice: Advice) -> str:
    word, unit = advice.verdict.word, advice.now.measure
    now, rival = value_text(advice.now), value_text(advice.rival.estimate)
    if word == LEAVE:
        return f"{_instead(advice)}: {unit} {rival} instead of {now}."
    if word == NOT_AHEAD:
        return f"Not shown to beat {doing(advice.rival.name)}: {unit} {now} with the model, {rival} without it."
    return f"Use it as it decides: {unit} {now}, and {rival} by {doing(advice.rival.name)}."


def _instead(advice: Advice) -> str:
    done = doing(advice.rival.name)
    first, _, rest = done.partition(" ")
    verb = {"flagging": "Flag", "calling": "Call", "deciding": "Decide"}[first]
    return f"{verb} {rest} and do without the model"


def _luck(advice: Advice) -> str:
    best = advice.best
    if best is None:
        return ""
    return " expected on new rows" if best.optimism else "" if best.optimism is not None else " on other rows"


def _then(advice: Advice) -> str:
    if advice.verdict.word == NOT_AHEAD:
        return f"Evaluate more rows; until they show more, {doing(advice.rival.name)} does as well."
    if advice.verdict.word == KEEP_YET:
        return "Evaluate more rows to learn which threshold is better."
    if advice.verdict.word == LEAVE:
        return "Look for a better model, or see whether the amounts are right."
    if advice.verdict.word == MOVE and advice.best is not None and advice.best.optimism:
        return f"Set it to {cut_text(advice.best)}, and see on new rows whether that holds: it was chosen on these same rows."
    return ADVICE[USEFUL] if advice.verdict.word == KEEP else ""


def _scale(evaluation: Evaluation) -> list[Reason]:
    """Where scores lie, where nobody chose a threshold among them."""
    told = strange_threshold(evaluation)
    return [Reason(told, "threshold")] if told else []


def _ahead(advice: Advice) -> Reason:
    ahead = advice.ahead.rests_on[0]
    assert ahead.value is not None
    assert isinstance(ahead, Estimate)
    value, limits = with_limits(ahead)
    where = f"At {cut_text(advice.best)} it" if advice.moves and advice.best is not None else "It"
    lead = f"{where} is ahead of {doing(advice.rival.name)}, the best without a model, by {value}{limits}"
    if ahead.value < 0:
        value, limits = with_limits(ahead, sign=-1)
        lead = f"It falls behind {doing(advice.rival.name)}, which needs no model, by {value}{limits}"
    doubt = "" if advice.ahead.clear or not advice.ahead.known else "; that may be chance"
    sign = sign_of(advice.now.measure)
    if advice.moves and sign * float(advice.now) < sign * float(advice.rival.estimate):
        doubt += "; the threshold in force falls behind even that"
    return Reason(f"{lead}{doubt}.", "worth")


def _bars(evaluation: Evaluation, advice: Advice) -> tuple[SumBar, ...]:
    """The best without its luck, the one in force, the best without a model, and doing nothing; what is advised is marked."""
    without, kept = advice.verdict.bad, advice.verdict.word in {KEEP, KEEP_YET}
    in_force = "the model"
    if evaluation.threshold is not None and advice.now.movable:
        in_force = f"in force: {shortest(evaluation.threshold)}"
    out = [SumBar(in_force, advice.now.plain(), "best" if kept else "now")]
    if advice.best is not None and advice.best.value is not None and not advice.alike:
        other = SumBar(f"best: {cut_text(advice.best)}", advice.best.corrected, "best" if advice.moves else "now")
        out.insert(int(kept), other)
    nobody = [p for p in advice.now.policies if p.name == "flag nobody" and p.name != advice.rival.name]
    for p in (advice.rival, *nobody):
        advised = without and p.name == advice.rival.name
        out.insert(0 if advised else len(out), SumBar(visible(p.name), p.estimate, "best" if advised else "none"))
    return tuple(out)


def _unit(advice: Advice) -> str:
    """What the bars are sums of, and that of the best one what its choice adds by luck is taken off."""
    expected = advice.best is not None and not advice.alike and bool(advice.best.optimism)
    return f"{advice.now.measure} (of the best: expected on new rows)" if expected else advice.now.measure


# What it does against no model ----------------------------------------------------------------------------------------


def usefulness_sentence(evaluation: Evaluation, verdict: Verdict) -> str:
    """Whether it is of use, and by what number, in the words of the data."""
    x = verdict.rests_on[0]
    said = in_their_words(evaluation, x).removesuffix(".") if isinstance(x, Estimate) and x.value is not None else ""
    lower = said[:1].lower() + said[1:]
    why = f"{find(x.measure).noun} {verdict.reason}" if verdict.reason.startswith("needs ") else verdict.reason
    return {
        USEFUL: f"Better than {verdict.against}: {lower}.",
        NOT_SHOWN: f"Not shown to be better than {verdict.against}: {lower}.",
        HARMFUL: f"Do not use it, it does worse than {verdict.against}: {lower}.",
        TOO_FEW: f"Too few cases to say whether it is of use: {why}.",
        NOT_KNOWN: f"Nothing can be said about this model yet: {why}.",
    }[verdict.word]


def _of_numbers(evaluation: Evaluation, verdict: Verdict) -> Conclusion:
    sentence, x = usefulness_sentence(evaluation, verdict), verdict.rests_on[0]
    then = verdict.advice
    if verdict.word == NOT_KNOWN and verdict.cases is not None:
        then = f"Evaluate more rows: these hold {verdict.cases}, and {verdict.cases.needed} are needed."
    if verdict.word == USEFUL and kind_of(evaluation) == "scores" and evaluation.payoff is None:
        then = strange_threshold(evaluation) or "Say what each outcome is worth, and it tells where to cut."
    if verdict.word == USEFUL and kind_of(evaluation) == "numbers":
        leaning = without_lean(evaluation)
        if leaning is not None:
            state = f"{USEFUL}, predictions {leaning.word}"
            why = partial(_reasons_of_numbers, evaluation, x.measure, sentence)
            return Conclusion(leaning.reason, state, "open", (), leaning.advice, later=why)
    if verdict.word == TOO_FEW and verdict.cases is not None and verdict.cases.needed > verdict.cases.n:
        missing = CaseCount(math.ceil(verdict.cases.needed - verdict.cases.n), verdict.cases.what)
        then = f"{then.removesuffix('.')}: at least {missing} more."
    state, tone = "", ""
    if evaluation.oddity is not None:
        then = odd_advice(evaluation.oddity)
        if odd_state(evaluation.oddity):
            state, tone = _oddly(evaluation.oddity, verdict.word, verdict.plain_tone)
    return Conclusion(sentence, state, tone, (), then, later=partial(_reasons_of_numbers, evaluation, x.measure))


def _reasons_of_numbers(evaluation: Evaluation, said: str, first: str = "") -> Iterator[Reason]:
    if first:
        yield Reason(first, "good")
    if evaluation.oddity is not None:
        yield from odd_reason(evaluation, evaluation.oddity)
    # What is said first need not be said again.
    yield from _by_kind(evaluation, {said, "bias"} if first else {said})
    yield from _weakest(evaluation)


def _by_kind(evaluation: Evaluation, said: Collection[str]) -> list[Reason]:
    kind = kind_of(evaluation)
    if kind == "scores":
        return [*_at_the_cut(evaluation), *_more(evaluation)]
    if kind == "numbers":
        names = [n for n in leading("story", kind) if n not in said and evaluation[n].defined]
        known = [(statement(evaluation[n], evaluation.verdict_on(n)), _instead_of(evaluation, n)) for n in names]
        return [Reason(f"{said_of.removesuffix('.')}{instead}.", "good") for said_of, instead in known]
    if evaluation.positive is not None and len(evaluation.levels) <= 2:
        told = [
            Reason(in_their_words(evaluation, evaluation[n]), "good")
            for n in leading("story", "outcomes")
            if evaluation[n].defined
        ]
        return [*(r for r in _more(evaluation) if BEHIND in r.text), *told]
    odd = evaluation.oddity is not None and evaluation.oddity.word == UNFOUND
    return [*_more(evaluation), *([] if odd else _worst_level(evaluation))]


def _instead_of(evaluation: Evaluation, name: str) -> str:
    """What the same number is without a model, beside an error; empty where that is not known."""
    without = evaluation.without_model(name)
    if without is None or find(name).better != "lower":
        return ""
    return f"; always saying the mean would be off by {shortest(float(f'{without:.3g}'))}"


def in_their_words(evaluation: Evaluation, estimate: Estimate) -> str:
    """A number in a sentence, in the words of the data where its level has a name."""
    plain = estimate.renamed(caution="")
    if isinstance(evaluation.positive, str) and plain.level is None and find(plain.measure).told_of_level:
        plain = plain.renamed(level=evaluation.positive)
    return statement(plain)


def _ranking(evaluation: Evaluation, verdict: Verdict) -> list[Reason]:
    """What it does against no model, whatever that is worth."""
    x = verdict.rests_on[0]
    if not isinstance(x, Estimate) or x.value is None or verdict.word not in {USEFUL, NOT_SHOWN, HARMFUL}:
        return []
    than = {USEFUL: "better than", NOT_SHOWN: "no clear difference from", HARMFUL: "worse than"}[verdict.word]
    return [Reason(f"{in_their_words(evaluation, x).removesuffix('.')}: {than} {verdict.against}.", "good")]


def _at_the_cut(evaluation: Evaluation, advice: Advice | None = None) -> list[Reason]:
    """What is found and how much of what is flagged is right, at the threshold that is advised or in force."""
    if evaluation.threshold is None:
        return []
    there, cut = evaluation, shortest(evaluation.threshold)
    if advice is not None and advice.moves and advice.best is not None:
        there, cut = evaluation.at(float(advice.best)), cut_text(advice.best)
    found, right = (there[n] for n in leading("story", "outcomes")[:2])
    if not found.defined or not right.defined:
        return []
    first, second = (in_their_words(evaluation, x).removesuffix(".") for x in (found, right))
    where = "" if "confusion" in there.evidence else f"At {cut} it "
    first = first[0].lower() + first[1:] if where else first
    return [Reason(f"{where}{first}; {second[0].lower()}{second[1:]}.", "threshold")]


def _more(evaluation: Evaluation) -> list[Reason]:
    """Measures that say of themselves that they are reasons."""
    known = [evaluation[name] for name in leading("reason", kind_of(evaluation)) if name in evaluation.measures]
    told = [(statement(x.renamed(caution="")).removesuffix("."), _behind(evaluation, x)) for x in known if x.defined]
    return [Reason(f"{said}{behind}.", "good") for said, behind in told]


def _behind(evaluation: Evaluation, estimate: Estimate) -> str:
    """That the same is reached, and more, without a model; empty where that is not shown."""
    without = evaluation.without_model(estimate.measure)
    better = find(estimate.measure).better
    if without is None or better not in {"higher", "lower"}:
        return ""
    if evaluation.side_of(estimate.measure, without) != (-1 if better == "higher" else 1):
        return ""
    return f"{BEHIND}{in_hundred(estimate.renamed(value=without, low=None, high=None))[0]}"


def _weakest(evaluation: Evaluation) -> list[Reason]:
    """The segment with the lowest number, where that is more than the luck of the worst of so many."""
    names = [n for n in leading("slice") if n in evaluation.measures]
    if len(evaluation.segments) < 2 or not names:
        return []
    name = names[0]
    known = [(label, part[name]) for label, part in evaluation.segments.items()]
    worst = worst_of(name, [float(x) for _, x in known])
    if worst is None:
        return []
    label, x = known[worst]
    below = 1 if find(name).better == "lower" else -1
    # Of segments that cannot be measured nothing is known: the worst of the others may be better than the whole.
    if evaluation.segments[label].side_of(name, float(evaluation[name]), looks=len(known)) != below:
        return []
    value, limits = with_limits(x)
    whole = with_limits(evaluation[name])[0]
    return [Reason(f"Weakest in {quoted(label)}: {find(name).noun} {value}{limits}, and {whole} of all rows.", "fails")]


def weakest_level(evaluation: Evaluation) -> Estimate | None:
    """The level that is found least often; None where there are too many to look."""
    c = evaluation.confusion
    if c is None or len(c.levels) > MOST_LOOKED:
        return None
    name = leading("level")[0]
    worst = worst_of(name, [float(evaluation.measure(name, level)) for level in c.levels])
    return None if worst is None else evaluation.measure(name, c.levels[worst])


def _worst_level(evaluation: Evaluation) -> list[Reason]:
    x = weakest_level(evaluation)
    said = "" if x is None else statement(x)
    return [Reason(f"Weakest level: {said[0].lower()}{said[1:]}", "fails")] if said else []
