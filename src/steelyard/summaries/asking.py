"""Terms that every request to an engine shares."""

from __future__ import annotations

from typing import Any

from steelyard.rows.language import Term


def once(term: Term) -> Term:
    """The same term, worked out once for the rows at hand however many others use it."""
    known: list[Any] = []

    def ask(row: Any) -> Any:
        if not known or known[0] is not row:
            known[:] = [row, row.keep(term(row))]
        return known[1]

    return ask


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
