"""One data set under one design: the models tested there side by side, and what may be said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from steelyard.comparison import Comparison
from steelyard.errors import SteelyardError
from steelyard.experiments.comparing import compare_models
from steelyard.results import Estimate
from steelyard.verdicts.comparison import BETTER, COMPARISON, UNCLEAR
from steelyard.verdicts.comparison import NOT_KNOWN as NOT_COMPARED
from steelyard.verdicts.usefulness import NOT_KNOWN, USEFULNESS, usefulness
from steelyard.verdicts.verdict import BAD, GOOD, OPEN, UNKNOWN, Verdict
from steelyard.views.told import Teller, Told

if TYPE_CHECKING:
    from steelyard.experiments.result import Experiment

IN_FOLDS = "Test them in ten folds, or compare what they predict for the same rows."
WORST_FIRST = (BAD, UNKNOWN, OPEN, GOOD)


@dataclass(eq=False)
class SideBySide(Told):
    """The models of an experiment that were tested on one data set under one design."""

    as_verdict: ClassVar[str] = "tested.place_conclusion"

    experiment: Experiment = field(repr=False)
    data: str
    design: str

    @cached_property
    def models(self) -> list[str]:
        """Those of which a fold is done."""
        found = [c for c in self.experiment.cells if (c.data, c.design) == (self.data, self.design)]
        return [c.model for c in found if self.experiment.gathered(c).pooled is not None]

    @cached_property
    def compared(self) -> Comparison | str:
        """The models fold by fold, or why they cannot be compared."""
        try:
            return compare_models(self.experiment, self.models, (self.data, self.design))
        except SteelyardError as problem:
            return problem.message

    @property
    def comparison(self) -> Comparison | None:
        """The models fold by fold; None where there is one, or where they have too little in common."""
        return self.compared if len(self.models) > 1 and isinstance(self.compared, Comparison) else None

    def usefulness(self, model: str) -> Verdict:
        """Whether a model beats doing without one, by what the folds say of models to come."""
        names = (model, self.data, self.design)
        seen = self.experiment[names].usefulness
        found = seen.rests_on[0] if seen.rests_on else None
        if seen.bound is None or not isinstance(found, Estimate):
            return seen
        to_come = self.experiment.estimate(*names, measure=found.measure, level=found.level)
        return usefulness(to_come, seen.bound, seen.against, [seen.cases] if seen.cases is not None else ())

    @property
    def verdict(self) -> Verdict:
        """Which model to prefer, or whether the only one is of use."""
        if not self.models:
            failed = self.experiment.failures
            why = f"the first error: {failed[0]['error']}" if failed else "no fold is done yet"
            return self.in_words(USEFULNESS(NOT_KNOWN, reason=why))
        if len(self.models) == 1:
            return self.in_words(self.usefulness(self.models[0]))
        if isinstance(self.compared, str):
            return self.in_words(COMPARISON(NOT_COMPARED, reason=self.compared, advice=IN_FOLDS))
        return self.in_words(self.compared.verdict)


def overall(experiment: Experiment, places: Sequence[SideBySide]) -> Verdict:
    """What may be said of all places: how models rank over data sets, else what is said of the worst place."""
    if len(places) == 1:
        return places[0].verdict
    compared = places[0].comparison
    ranking = None if compared is None else compared.ranking
    if ranking is None:
        found = min((p.verdict for p in places), key=lambda v: WORST_FIRST.index(v.kind.words[v.word]))
    else:
        clear = ranking.order[:2] in ranking.different("holm")
        found = COMPARISON(BETTER if clear else UNCLEAR, confidence=ranking.confidence, looks=len(ranking.pairs))
    return replace(found, teller=Teller(experiment, "tested.experiment_conclusion"))
