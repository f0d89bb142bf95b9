"""The program: its commands, loaded when they are run, and what is printed when something is wrong."""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import io
import itertools
import os
import re
import shlex
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from steelyard.cli.spelling import Refused
from steelyard.errors import HiddenRows, SteelyardError
from steelyard.words import visible

# fmt: off
ORDER = (
    "look", "evaluate", "table", "peek", "add", "report", "chart", "slices", "threshold", "campaign", "compare", "diff", "share",
    "sample-size", "experiment",
    "learning-curve", "stopping-curve", "runs", "check", "timeliness", "stability", "draw", "trial", "trial-size", "monitor",
    "windows", "alarms", "serve", "push", "backup", "restore", "measures", "demo", "help", "completion",
)
# fmt: on
"""In which order people need commands; others come before the last two."""
MARK = re.compile(r'^@click\.(?:command|group)\(\s*"([\w-]+)",\s*short_help="([^"]+)"', re.MULTILINE)


def _found() -> dict[str, str]:
    """Every file of this room that marks a command, with what the mark says of it; read, not imported."""
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")]
    told = {mark[1]: mark[2] for text in texts if (mark := MARK.search(text))}
    place = {name: i for i, name in enumerate(ORDER)}
    return dict(sorted(told.items(), key=lambda item: (place.get(item[0], place["help"] - 0.5), item[0])))


COMMANDS = _found()
DONE, WRONG_USAGE, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141
UNWRITABLE = 3
ROOM = "Check the place and the room left on it, or name a file: -o FILE."
SETTINGS: dict[str, object] = {"help_option_names": ["-h", "--help"], "max_content_width": 80}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of that name and take its command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"steelyard.cli.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f'Did you mean "{close[0]}"?' if close else f"There are {', '.join(COMMANDS)}."
            message = f'There is no command "{args[0]}". {hint}'
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong in it is told in its words."""
        try:
            return super().invoke(ctx)
        except SteelyardError as problem:
            command = self.get_command(ctx, str(ctx.invoked_subcommand))
            raise Refused(problem, command or self) from problem


VERSION = "Show the version, and those of what it stands on."


def _tell_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from steelyard.cli.versions import versions_text

    click.echo(versions_text())
    ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings=SETTINGS,
    invoke_without_command=True,
    epilog="Start with: steelyard demo, steelyard help start, steelyard evaluate --help",
)
@click.option("-V", "--version", is_flag=True, expose_value=False, is_eager=True, callback=_tell_version, help=VERSION)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Weigh models: every measure from predictions alone, each with its interval."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run the program and say how it ended: 0 done, 2 wrong usage, 3 input unusable, 130 interrupted."""
    # A stream that was closed before we came is none at all to Python.
    sys.stdout, sys.stderr = sys.stdout or Closed(), sys.stderr or Closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character gets a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        with _notes_told():
            ended = program.main(list(arguments), prog_name="steelyard", standalone_mode=False)
        sys.stdout.flush()
    except Refused as problem:
        message, hint = (_discreet(text, arguments) for text in problem.args)
        return complain(message, hint, problem.exit_code)
    except click.UsageError as problem:
        path = problem.ctx.command_path if problem.ctx is not None else "steelyard"
        message = _discreet(problem.format_message(), arguments)
        more = _as_required(arguments) or _as_one(arguments) if "unexpected extra argument" in message else ""
        return complain(message, f"{more}`{path} --help` shows what is possible.", WRONG_USAGE)
    except click.ClickException as problem:
        return complain(_discreet(problem.format_message(), arguments), "", problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has stopped.
        _let_go(sys.stdout)
        return PIPE_CLOSED
    except OSError as problem:
        _let_go(sys.stdout)
        what = (
            "What should be printed" if problem.filename is None else f'"{_discreet(str(problem.filename), arguments)}"'
        )
        return complain(f"{what} cannot be written: {problem.strerror or problem}.", ROOM, UNWRITABLE)
    return ended if isinstance(ended, int) else DONE


@contextlib.contextmanager
def _notes_told() -> Iterator[None]:
    """What Python is warned of is a note on stderr."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, HiddenRows):
                complain(f"Note: {message}", "", DONE)
            else:
                usual(message, category, *place, **more)

        warnings.simplefilter("default", HiddenRows)
        warnings.showwarning = show
        yield


class Closed(io.TextIOBase):
    """A stream that is not there: whatever is written to it is refused."""

    def write(self, text: str, /) -> int:
        """Nothing can be written."""
        raise OSError(errno.EBADF, "it is closed")


def _let_go(stream: IO[str] | io.TextIOBase) -> None:
    """Send what a stream still holds nowhere: the interpreter must not complain about it when it closes."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _shared(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in alike)


def _as_required(arguments: Sequence[str]) -> str:
    """How a requirement is named that stands by itself."""
    told = list(arguments)
    alone = [a for before, a in itertools.pairwise(told) if before != "--require" and (">=" in a or "<=" in a)]
    if told[:1] != ["check"] or not alone:
        return ""
    return f"Requirements are named: --require {shlex.quote(alone[0])}. "


def _as_one(arguments: Sequence[str]) -> str:
    """How several files that were named are read as one: a shell had a pattern without quotes take their names apart."""
    files = [a for a in arguments if os.path.isfile(a)]
    first = _shared(files)
    last = _shared([f.removeprefix(first)[::-1] for f in files])[::-1]
    if len(files) < 2 or not first + last:
        return ""
    return f"Several files are read as one by a pattern between quotes: {shlex.quote(f'{first}*{last}')}. "


def _discreet(text: str, arguments: Sequence[str]) -> str:
    """What was typed may hold a password; what is printed does not."""
    from steelyard.files.addresses import without_secrets

    for typed in sorted(arguments, key=len, reverse=True):
        if (safe := without_secrets(typed)) != typed:
            text = text.replace(typed, safe)
    return text


def _fitted(line: str) -> str:
    """A line for the terminal that it is read in: no word is cut at its edge."""
    width = shutil.get_terminal_size().columns
    if not sys.stderr.isatty() or len(line) <= width:
        return line
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def complain(message: str, hint: str, code: int) -> int:
    """Print what went wrong and what to do next on stderr."""
    try:
        for text in (message, f"Hint: {hint}" if hint else ""):
            if text:
                click.echo("\n".join(_fitted(visible(line)) for line in text.splitlines()), err=True)
    except OSError:
        # Nobody can be told; the code still says how it ended.
        _let_go(sys.stderr)
    return code
