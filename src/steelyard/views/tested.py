"""The verdict of an experiment in words: which model to take, how good one like it will be, and what to do next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.designs.design import many
from steelyard.results import Estimate
from steelyard.verdicts.comparison import BETTER
from steelyard.verdicts.comparison import NOT_KNOWN as NOT_COMPARED
from steelyard.verdicts.conclusion import Conclusion, Reason
from steelyard.verdicts.usefulness import HARMFUL, NOT_SHOWN, USEFUL
from steelyard.verdicts.verdict import Verdict
from steelyard.views.choosing import UNDECIDED, comparison_conclusion
from steelyard.views.concluding import in_their_words, usefulness_sentence
from steelyard.views.experiment import experiment_sentences, unfinished
from steelyard.views.standings import standing_sentence, standings
from steelyard.words import count, number, visible

if TYPE_CHECKING:
    from steelyard.comparisons.ranks import Ranking
    from steelyard.experiments.result import Experiment
    from steelyard.experiments.side_by_side import SideBySide

SECTION = "tested"
THAN = {USEFUL: "better than", NOT_SHOWN: "not shown to be better than", HARMFUL: "worse than"}


def place_conclusion(place: SideBySide, verdict: Verdict) -> Conclusion:
    """What is said first of the models on one data set under one design."""
    if not place.models:
        return Conclusion(
            f"Nothing can be said yet: {verdict.reason}.", next_step="Run the folds, or look at what went wrong."
        )
    found = _of_one(place, verdict) if len(place.models) == 1 else _of_several(place, verdict)
    return _so_far(place, found)


def _of_one(place: SideBySide, verdict: Verdict) -> Conclusion:
    (model,) = place.models
    e = place.experiment[model, place.data, place.design]
    then = _train(place, model) if verdict.word == USEFUL else verdict.advice
    reasons = [
        Reason(f"That is to be expected of models trained anew in this way, from {_parts(place, model)}.", SECTION)
    ]
    # What its folds add up to says the rest.
    reasons += [r for r in e.verdict.reasons if r.anchor != "threshold"]
    return Conclusion(usefulness_sentence(e, verdict), reasons=tuple(reasons), next_step=then)


def _of_several(place: SideBySide, verdict: Verdict) -> Conclusion:
    comparison = place.comparison
    if comparison is None or verdict.word == NOT_COMPARED:
        lead = experiment_sentences(place.experiment, place.data, place.design)
        why = Reason(f"{verdict.reason.removesuffix('.')}.", SECTION) if verdict.reason else Reason("")
        told = (*(Reason(s, SECTION) for s in lead), why)
        said = "Which model is better is not known: no test of their difference can be made here."
        return Conclusion(said, "not tested", "unknown", tuple(r for r in told if r.text), verdict.advice)
    found = comparison_conclusion(comparison, verdict, own=place.usefulness)
    best = standings(comparison, comparison.measures[0])[0].model
    good = [_good(place, best)]
    more = [Reason(standing_sentence(comparison, n), "model") for n in comparison.measures[1:2]]
    then = _train(place, best) if found.tone == "good" else found.next_step
    alone = place.usefulness(best)
    if found.state == UNDECIDED and alone.known and alone.word != USEFUL:
        # Which of them to take is no question where none is worth taking.
        said = f"None of them is shown to be better than {alone.against}, and {found.sentence}"
        found, then = replace(found, state="none shown to be of use", sentence=said), alone.advice
    return replace(found, reasons=(*good, *(more or found.reasons))[:3], next_step=then)


def _good(place: SideBySide, model: str) -> Reason:
    """How good a model to come will be, in the measure of usefulness."""
    v, e = place.usefulness(model), place.experiment[model, place.data, place.design]
    x = v.rests_on[0] if v.rests_on else None
    if not isinstance(x, Estimate) or x.value is None:
        return Reason(f"How good {visible(model)} will be is not known: {v.reason}.", SECTION)
    said = in_their_words(e, x)
    against = f", {THAN[v.word]} {v.against}" if v.word in THAN else ""
    folds = _parts(place, model).partition(" that ")[0]
    told = f"{said[:1].lower()}{said[1:].removesuffix('.')}{against}"
    return Reason(
        f"{visible(model)}: {told}; to be expected of models trained anew in this way, from {folds}.", SECTION
    )


def _parts(place: SideBySide, model: str) -> str:
    cell = place.experiment.cell(model, place.data, place.design)
    folds = [f for f in cell.folds if f.outer]
    return f"{many(len(folds), 'test part')} that they did not learn from"


def _train(place: SideBySide, model: str) -> str:
    rows = count(place.experiment.plan["data"][place.data]["rows"])
    return f"Train {visible(model)} on all {rows} rows, and evaluate it on new ones before it is used."


def _so_far(place: SideBySide, found: Conclusion) -> Conclusion:
    """Folds that failed or are not done yet come before other reasons."""
    waiting = unfinished(place.experiment, place.data, place.design)
    failed = [f for f in place.experiment.failures if (f["data"], f["design"]) == (place.data, place.design)]
    said = [f"So far: {many(waiting, 'fold')} {'is' if waiting == 1 else 'are'} not done yet."] if waiting else []
    if failed:
        said.append(f"{many(len(failed), 'fold')} failed; the first: {visible(failed[0]['error'])}.")
    return replace(found, reasons=(*(Reason(text, SECTION) for text in said), *found.reasons)[:3])


def experiment_conclusion(experiment: Experiment, verdict: Verdict) -> Conclusion:
    """What is said first of several data sets or designs: how models rank over them, else what holds in the worst place."""
    places = experiment.places
    compared = places[0].comparison
    told = {p: f"{visible(p.data)}{f', {visible(p.design)}' if len(experiment.designs) > 1 else ''}" for p in places}
    if compared is not None and compared.ranking is not None:
        return _ranked(compared.ranking, verdict, tuple(Reason(f"{told[p]}: {p.verdict.sentence}", "") for p in places))
    worst = next(p for p in places if p.verdict.word == verdict.word and p.verdict.rests_on == verdict.rests_on)
    first, rest = worst.verdict.conclusion, [p for p in places if p is not worst]
    others = tuple(Reason(f"{told[p]}: {p.verdict.sentence}") for p in rest)
    return replace(first, sentence=f"{told[worst]}: {first.sentence}", reasons=others, later=None)


def _ranked(ranking: Ranking, verdict: Verdict, reasons: tuple[Reason, ...]) -> Conclusion:
    first, second = ranking.order[:2]
    one, two = (number(ranking.rank(n), 2) for n in (first, second))
    where = f"over {many(ranking.n, 'data set')}{f' in {visible(ranking.measure)}' if ranking.measure else ''}"
    if verdict.word == BETTER:
        said = f"Prefer {visible(first)}: it ranks best {where}, {one} on average, before {visible(second)} with {two}."
        return Conclusion(said, f"better: {visible(first)}", "good", reasons)
    said = f"No model is shown to rank best {where}: {visible(first)} has {one} on average, {visible(second)} {two}."
    return Conclusion(said, "no clear winner", "open", reasons, "Test on more data sets, or choose by what they cost.")
