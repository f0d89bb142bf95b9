"""What failed inside, told as a problem: who asked is to know what became of the request, and nothing else."""

from __future__ import annotations

import sqlite3

from steelyard.errors import SteelyardError
from steelyard.serve.problems import Problem
from steelyard.serve.soundness import Damaged
from steelyard.serve.writer import Overloaded, StoreFailed

STORES = ("sqlite3", "psycopg")
"""Libraries whose failures are those of the store."""


def told_problem(problem: BaseException) -> Problem:
    """A failure as it is told to whoever sent something."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, StoreFailed):
        full = "full" in str(problem) or "No space" in str(problem)
        status, code = (507, "full") if full else (503, "store")
        detail = "The disk of the store is full, and nothing was kept." if full else "The store did not take it."
        return Problem(status, code, detail, "Send it again later: what was taken is known.", retry_after=30)
    if isinstance(problem, Damaged):
        hint = "Send it again in a moment." if problem.what == "part" else "Restore the store from a backup."
        return Problem(503, "damaged", f"{problem}.", hint, retry_after=5)
    if isinstance(problem, TimeoutError):
        detail = "It was not written in time; whether it will be is not known."
        return Problem(503, "slow_store", detail, "Send it again: what was taken is known.", retry_after=10)
    if isinstance(problem, Overloaded):
        return Problem(429, "overloaded", str(problem), "Ask again in a moment.", retry_after=1)
    if isinstance(problem, SteelyardError):
        return Problem(409, "refused", str(problem.message), str(problem.hint))
    if isinstance(problem, sqlite3.DatabaseError) or type(problem).__module__.partition(".")[0] in STORES:
        return Problem(
            503, "store", "The store cannot be read.", "Ask again; if that stays so, look at it.", retry_after=5
        )
    return Problem(500, "error", "Something went wrong, and nothing of this request was kept.")


def trouble_of(problem: BaseException) -> str:
    """What could not be done, in words for those who run the service."""
    if isinstance(problem, Problem | SteelyardError | Damaged):
        return str(getattr(problem, "detail", None) or getattr(problem, "message", None) or problem)
    return f"{type(problem).__name__}: {problem}"[:500]
