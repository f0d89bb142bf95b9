"""The stability of windows that were counted: what a monitor asks of each of them, asked of one, or of several together."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.arguments.allowed import shown
from steelyard.errors import UsageError, listing, nearest
from steelyard.monitors.many import Stabilities, ranked
from steelyard.monitors.stability import Stability, assess_each
from steelyard.monitors.windowing import given_windows, loaded_baseline, refuse_other_baseline


def stability_of_windows(
    reference: object, current: object, columns: Sequence[str] | None, confidence: float, alpha: float
) -> Stability | Stabilities | None:
    """Outputs and features of these windows together against the baseline that they were counted against.

    One column gives its stability alone; none named are all of them. None where no windows came.
    """
    given = given_windows(current)
    if given is None:
        return None
    baseline = loaded_baseline(reference)
    if not len(given):
        message = "There are no windows."
        raise UsageError(message, "Look at how they were counted.")
    refuse_other_baseline(given[0], baseline)
    total = sum((w.summary for w in given[1:]), given[0].summary)
    bins = {**baseline.outputs, **baseline.features}
    if not total.rows:
        message = f"No rows came in {given[0].name}." if len(given) == 1 else "No rows came in these windows."
        raise UsageError(message, "Name windows that have some.")
    unknown = [name for name in columns or () if name not in bins]
    if unknown:
        message = f"The baseline ({baseline.source}) does not know {listing(unknown)}; it knows {listing(bins)}."
        raise UsageError(message, nearest(shown(unknown[0]), list(bins)) or "Name one of these.")
    found = assess_each([(bins[name], total.columns[name]) for name in columns or bins], confidence, alpha)
    return found[0] if columns is not None and len(found) == 1 else ranked(found, alpha)
