"""Terms that every request to an engine shares."""

from __future__ import annotations

from steelyard.rows import Term


def weight_sums(weighting: str) -> dict[str, Term]:
    """Terms for the sum of weights and of their squares."""
    if weighting == "none":
        return {}
    sums: dict[str, Term] = {"weight": lambda r: r.value("weight")}
    if weighting == "sampling":
        sums["weight2"] = lambda r: r.value("weight") * r.value("weight")
    return sums


def segment_key(*, segmented: bool) -> dict[str, Term]:
    """The key that keeps segments apart."""
    return {"segment": lambda r: r.level("segment")} if segmented else {}
