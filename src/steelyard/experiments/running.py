"""Doing the folds: one after the other, on several cores, or on whatever joblib's backend stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from steelyard.experiments.followers import threads_for
from steelyard.experiments.plan import Task
from steelyard.experiments.training import Trained

Done = tuple[Task, Trained]


class Interrupted(KeyboardInterrupt):
    """Somebody stopped a run that has a store: it knows how many folds are kept where."""

    def __init__(self, kept: int, total: int, place: str) -> None:
        folds = f"{kept:,} of {total:,} {'fold is' if kept == 1 else 'folds are'}"
        super().__init__(f'{folds} kept in "{place}"; the same line goes on from there.')
        self.kept: int = kept
        self.total: int = total
        self.place: str = place


def run(tasks: Iterable[Task], keep: Callable[[Task, Trained], None], n_jobs: int | None, rows: int) -> None:
    """Do every task and hand on what remains of it as soon as it is there, in whatever order they end."""
    import joblib

    workers = joblib.effective_n_jobs(n_jobs)
    finished = one_by_one(tasks, rows) if workers == 1 else together(tasks, n_jobs, workers)
    for task, trained in finished:
        keep(task, trained)


def one_by_one(tasks: Iterable[Task], rows: int) -> Iterator[Done]:
    """Here, without any detour; few rows are trained on one thread, which workers see to by themselves."""
    with threads_for(rows):
        for task in tasks:
            yield task, task()[1]


def together(tasks: Iterable[Task], n_jobs: int | None, workers: int) -> Iterator[Done]:
    """By joblib: processes on this machine, or the backend that `joblib.parallel_config` names (Dask, Ray, Spark).

    Only as many tasks as the workers need soon are handed over, so that millions of them never pile up.
    """
    import joblib

    waiting: dict[str, Task] = {}

    def handed() -> Iterator[Any]:
        for task in tasks:
            waiting[task.key] = task
            yield joblib.delayed(task)()

    parallel = joblib.Parallel(n_jobs=n_jobs, return_as=_way(), pre_dispatch="3*n_jobs")
    if parallel.return_generator:
        for key, trained in parallel(handed()):
            yield waiting.pop(key), trained
        return
    # A backend that only gives back everything at once gets a few rounds of work at a time.
    queue = handed()
    while part := list(islice(queue, 4 * workers)):
        for key, trained in parallel(part):
            yield waiting.pop(key), trained


def _way() -> str:
    """Results one by one where the backend can, in lists where it cannot."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return "generator_unordered" if getattr(backend, "supports_return_generator", False) else "list"
