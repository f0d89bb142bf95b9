"""How far a long run has come: a bar with the time left on a terminal or in a notebook, nothing in a pipe."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

from steelyard.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console


class Progress:
    """A bar on stderr that is gone when the work is done; `show=None` shows it where a person is watching.

    >>> with Progress(3, "folds", show=False) as progress:
    ...     for fold in range(3):
    ...         progress.advance(note=f"fold {fold + 1}")
    >>> progress.done, progress.shown
    (3, False)
    """

    def __init__(self, total: int, title: str = "", show: bool | None = None) -> None:
        if total < 0:
            message = f"There are at least 0 steps to do, and {total} came."
            raise UsageError(message, "Say how many steps there are.")
        self.total = total
        self.title = title
        self.done: int = 0
        self._show = show
        self._bar: Any = None
        self._task: Any = None

    @property
    def shown(self) -> bool:
        """Whether there is a bar at this moment."""
        return self._bar is not None

    def __enter__(self) -> Progress:
        console = _console() if _wanted(self._show) else None
        if console is not None and _can_draw(console):
            self._bar = _bar(console)
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.total, note="")
        return self

    def advance(self, n: int = 1, note: str = "") -> None:
        """Say that `n` more steps are done, and perhaps which."""
        self.done += n
        if self._bar is not None:
            self._bar.update(self._task, advance=n, note=note)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Whether all went well or not: the bar is wiped, the cursor is back, and the next line starts at its beginning.
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()


def _wanted(show: bool | None) -> bool:
    """Whether anybody could be watching; asked without Rich, so that a pipe pays nothing."""
    if show is not None:
        return show
    return "IPython" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


def _can_draw(console: Console) -> bool:
    if console.is_jupyter:
        from importlib.util import find_spec

        # Rich draws in a notebook through widgets, and would warn at every step that they are missing.
        return "ipywidgets" in sys.modules or find_spec("ipywidgets") is not None
    return bool(console.is_terminal and not console.is_dumb_terminal)


def _bar(console: Console) -> Any:
    from rich import progress

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=30),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[note]}", markup=False, style="dim"),
        console=console,
        transient=True,
        # What a model prints stays on stdout, unless that is the same terminal and would run into the bar.
        redirect_stdout=bool(getattr(sys.stdout, "isatty", bool)()),
        redirect_stderr=True,
    )
