"""Whether outputs and features still look as they did: the stability of many columns of a window, at one level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from steelyard.comparisons.step_down import benjamini_hochberg
from steelyard.monitors.assessed import NO_COUNTS, Assessed
from steelyard.monitors.bins import Bins
from steelyard.monitors.gauges import Gauge, gauge
from steelyard.monitors.signals import Signal
from steelyard.monitors.stability import assess, stability_at
from steelyard.verdicts.alarm import ALARM, INSUFFICIENT, OK, WARN, as_usual, of_column
from steelyard.verdicts.stability import ACT, LOOK

if TYPE_CHECKING:
    from steelyard.monitors.judging import Watch


class Columns(Gauge):
    """Columns that are counted into the bins of the reference."""

    against = False
    title = "Stability of {name} over time"
    axis = "stability index"
    least: ClassVar[float] = 0.12
    limits: ClassVar[tuple[tuple[float, str], ...]] = ((LOOK, "worth a look"), (ACT, "large"))

    def bins(self, run: Watch) -> Mapping[str, Bins]:
        """The columns, and the bins that the reference has for each."""
        raise NotImplementedError

    def names(self, run: Watch) -> list[str]:
        """The columns."""
        return list(self.bins(run))

    def share(self, run: Watch) -> int:
        """All of them are one signal."""
        return bool(self.bins(run))

    def judge(self, run: Watch, before: Sequence[Sequence[Signal]]) -> list[list[Signal]]:
        """The stability of every column in every window, as it was told before where the same was asked of the same counts."""
        asked = [
            (self.kind, run.confidence, run.level(i), *map(id, self._against(run, i))) for i in range(len(run.parts))
        ]
        fresh = [i for i, part in enumerate(run.parts) if part.rows and asked[i] not in part.told]
        for i, found in zip(fresh, self._windows(run, fresh), strict=True):
            # What it was held against is kept with it, so that nothing else ever has its identity.
            run.parts[i].told[asked[i]] = found, self._against(run, i)
        silent = self.silent(run)
        return [list(part.told[asked[i]][0] if part.rows else silent) for i, part in enumerate(run.parts)]

    def _against(self, run: Watch, i: int) -> list[object]:
        """What the columns of a window are held against: the bins, and the same days of the reference."""
        alike = run.baseline.variation.counts.get(run.places[i])
        return [*self.bins(run).values(), *(alike or {}).values()]

    def _windows(self, run: Watch, which: Sequence[int]) -> list[list[Signal]]:
        """The stability of every column of some windows, the numbers of all of them worked out in one pass."""
        bins = {name: b for name, b in self.bins(run).items() if b.reference is not None}
        found = Assessed.of(
            [(b, run.parts[i].columns[name]) for i in which for name, b in bins.items()], run.confidence
        )
        many = len(bins)
        return [self._window(run, i, bins, found, k * many) for k, i in enumerate(which)]

    def _window(self, run: Watch, i: int, bins: Mapping[str, Bins], found: Assessed, start: int) -> list[Signal]:
        """The columns of a window share their level by Benjamini and Hochberg's correction.

        One that is strange is held against the same weekdays of the reference too: as usual there, it has not changed.
        """
        alpha, alike = run.level(i), run.baseline.variation.counts.get(run.places[i], {})
        at = {name: start + k for k, name in enumerate(bins)}
        tested = {name: float(found.p_value[k]) for name, k in at.items() if found.laid.cells[k] > 1}
        adjusted = benjamini_hochberg(tested)
        out = []
        for name in self.bins(run):
            if name not in at:
                out.append(Signal(name, self.kind, INSUFFICIENT, NO_COUNTS, alpha=alpha))
                continue
            s = stability_at(found, at[name], alpha, adjusted.get(name))
            verdict, clears = of_column(s.decision, s.corrected)
            told = Signal(
                name, self.kind, verdict.word, s.reason, s.corrected, 0.0, stability=s, alpha=alpha, clears=clears
            )
            if told.state in {WARN, ALARM} and name in alike:
                there = assess(bins[name].with_counts(alike[name]), run.parts[i].columns[name], run.confidence, alpha)
                if as_usual(there.decision, there.p_value, alpha):
                    words = f"{told.reason}; on such days of the reference it was no other"
                    told = replace(told, state=OK, reason=words, clears=(True, True))
            out.append(told)
        return out

    def value_text(self, signal: Signal) -> str:
        """The index, where there is more than one cell."""
        s = signal.stability
        return "n/a" if s is not None and not s.freedom and signal.state == INSUFFICIENT else super().value_text(signal)


@gauge
class Outputs(Columns):
    """What the model says."""

    kind = "output"
    about = "scores"
    question = "Does it still say the same?"
    anchor = "outputs"
    place = 6

    def bins(self, run: Watch) -> Mapping[str, Bins]:
        """Scores and predictions."""
        return run.baseline.outputs


@gauge
class Features(Columns):
    """What the model is told."""

    kind = "feature"
    question = "Do the features still look the same?"
    anchor = "features"
    place = 7

    def bins(self, run: Watch) -> Mapping[str, Bins]:
        """Features, but those that are outputs as well."""
        base = run.baseline
        return {name: b for name, b in base.features.items() if name not in base.outputs}
