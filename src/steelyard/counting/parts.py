"""Rows kept apart for choosing: the validation part and the test part."""

from __future__ import annotations

import os

from steelyard.counting.rules import CountingRules
from steelyard.errors import BadLevels, listing
from steelyard.rows.language import Rows, Tally
from steelyard.sources.databases import is_address
from steelyard.sources.files import READERS
from steelyard.summaries.summary import sort_levels

CHOOSING = {"validation", "valid", "val"}
TESTING = {"test", "testing"}


def is_table(data: object, validation: object) -> bool:
    """Whether `validation` is another table and not a column of this one."""
    if data is None:
        return False
    if isinstance(validation, str):
        return os.sep in validation or is_address(validation) or validation.lower().endswith(tuple(READERS))
    return not isinstance(validation, int)


def divide_rows(rows: Rows, plan: CountingRules) -> tuple[Rows, Rows]:
    """The test rows and the validation rows, by a column that is true (or says "validation") for the latter."""
    found = rows.tally(Tally({"part": lambda r: r.level("validation")}))["part"].tolist()
    levels = sort_levels([v for v in found if v is not None])
    chosen = [v for v in levels if v == 1 or (isinstance(v, str) and v.lower() in CHOOSING)]
    rest = [v for v in levels if v == 0 or (isinstance(v, str) and v.lower() in TESTING)]
    if len(levels) != 2 or len(chosen) != 1 or len(rest) != 1 or (None in found and not plan.drop):
        came = listing([*levels, *(["(missing)"] if None in found else [])])
        message = f"The validation column must divide the rows in two, and it holds {came}."
        hint = 'Write true for rows to choose on and false for rows to test on (or "validation" and "test"), and no others.'
        raise BadLevels(message, hint)
    return rows.only("validation", rest[0]), rows.only("validation", chosen[0])
