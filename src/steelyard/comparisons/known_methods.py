"""Which methods a difference knows, by how the two models were tested."""

from __future__ import annotations

from steelyard.comparisons.pairing import DifferentRows, Pairing, SameFolds, SameRows
from steelyard.errors import UsageError, listing
from steelyard.wording import option


def check_method(pairing: Pairing, method: object) -> object:
    """The method, if there is one of this name for models that were tested so."""
    if method in pairing.methods:
        return method
    kinds = (type(pairing), DifferentRows, SameRows, SameFolds)
    where = {x: f"on {x.kind}".replace("on same", "on the same") for x in kinds}
    hint = next((f"{listing([method])} is for models {told}. " for x, told in where.items() if method in x.methods), "")
    message = f"There is no method {listing([method])} for models {where[type(pairing)]}; there are {listing(pairing.methods)}."
    raise UsageError(message, f"{hint}Without {option('method')} the usual one is taken.")
