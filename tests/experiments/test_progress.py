"""The bar of a long run: seen on a terminal and in a notebook, silent in a pipe, and gone when the work is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from typing import Any

import pytest

from steelyard.errors import UsageError
from steelyard.experiments import progress as room
from steelyard.experiments.progress import Progress

WORK = """
import sys, time
from steelyard.experiments.progress import Progress
show = {"None": None, "True": True, "False": False}[sys.argv[1]]
with Progress(4, "knn [on] iris", show) as p:
    for i in range(4):
        p.advance(note=f"fold {i + 1}")
        if sys.argv[2] == "fails" and i == 2:
            raise ValueError("third fold")
    if p.shown:
        p._bar.refresh()
print("result")
print("rich" in sys.modules)
"""


def run(show: str, how: str = "works") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WORK, show, how], capture_output=True, text=True, timeout=60)


def on_terminal(show: str, how: str = "works", **environment: str) -> tuple[str, str]:
    """What a person sees on stderr, and what stdout, a pipe, holds."""
    import pty

    above, below = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR"}}
    env |= {"TERM": "xterm-256color", "COLUMNS": "100", **environment}
    command = [sys.executable, "-c", WORK, show, how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=below, text=True, env=env) as process:
        os.close(below)
        seen = b""
        while True:
            try:
                piece = os.read(above, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        out = process.communicate(timeout=60)[0]
    os.close(above)
    return seen.decode(), out


def test_a_pipe_stays_silent_and_rich_is_not_even_loaded() -> None:
    for show in ("None", "False"):
        done = run(show)
        assert (done.stderr, done.stdout) == ("", "result\nFalse\n")


def test_a_pipe_stays_free_of_half_bars_even_when_one_is_asked_for() -> None:
    done = run("True")
    assert (done.stderr, done.stdout.splitlines()[0]) == ("", "result")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_terminal_sees_the_bar_with_what_is_done_and_left() -> None:
    seen, out = on_terminal("None")
    assert out.startswith("result\n")
    for words in ("knn [on] iris", "4/4", "fold 4", "left", "0:00:0"):
        assert words in seen
    # The cursor is back, and the line with the bar was wiped.
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")
    assert "\x1b[2K" in seen[seen.rindex("4/4") :]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_terminal_is_spared_when_asked_and_when_it_can_draw_nothing() -> None:
    assert on_terminal("False")[0] == ""
    assert on_terminal("None", TERM="dumb")[0] == ""
    colours = re.compile(r"\x1b\[(?:\d+;)*[39][0-8](?:;\d+)*m")
    assert colours.search(on_terminal("None")[0])
    colourless = on_terminal("None", NO_COLOR="1")[0]
    assert "4/4" in colourless and not colours.search(colourless)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_failure_leaves_no_half_line() -> None:
    seen, _ = on_terminal("None", "fails")
    bar, _, said = seen.partition("Traceback")
    assert "ValueError: third fold" in said
    assert "iris" not in said.split("ValueError: third fold")[1]
    assert "\x1b[?25h" in bar[bar.rindex("iris") :]
    # Up one line and wiped, at the beginning of the line.
    assert bar.endswith(("\x1b[2K", "\r"))


def test_a_notebook_gets_the_bar_that_rich_draws_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    shown: list[Any] = []

    class Output:
        closed = False

        def __enter__(self) -> Output:
            return self

        def __exit__(self, *_: object) -> None: ...

        def clear_output(self, wait: bool = False) -> None: ...

        def close(self) -> None:
            self.closed = True

    display = types.SimpleNamespace(display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(sys.modules, "ipywidgets", types.SimpleNamespace(Output=Output))
    monkeypatch.setattr(room, "_console", lambda: Console(force_jupyter=True, width=100))
    with Progress(2, "folds") as p:
        assert p.shown
        p.advance(2)
        p._bar.refresh()
    widgets = [w for w in shown if isinstance(w, Output)]
    assert len(widgets) == 1 and widgets[0].closed
    assert len(shown) > 1, "the bar itself is drawn into the widget"


def test_a_notebook_without_widgets_is_not_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from rich.console import Console

    monkeypatch.delitem(sys.modules, "ipywidgets", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(room, "_console", lambda: Console(force_jupyter=True))
    with Progress(2, show=True) as p:
        p.advance()
        assert not p.shown
    assert p.done == 1


def test_a_negative_number_of_steps_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 0 steps"):
        Progress(-1)
