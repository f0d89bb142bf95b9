"""steelyard completion: the script that teaches a shell to complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from steelyard.cli.program import program

PLACES = {
    "bash": ('eval "$(steelyard completion bash)"', "~/.bashrc"),
    "zsh": ('eval "$(steelyard completion zsh)"', "~/.zshrc"),
    "fish": ("steelyard completion fish | source", "~/.config/fish/config.fish"),
}
EPILOG = "\b\nUse it:\n" + "\n".join(f"  {line:<36}in {place}" for line, place in PLACES.values())


@click.command("completion", short_help="Print the completion script of a shell.", epilog=EPILOG)
@click.argument("shell", type=click.Choice(list(PLACES)))
def command(shell: str) -> None:
    """Print the completion script of a SHELL: bash, zsh or fish."""
    found = get_completion_class(shell)
    assert found is not None, "Click knows all three"
    made = found(program, {}, "steelyard", "_STEELYARD_COMPLETE")
    # Click's own source() starts bash to ask for its version; the script itself needs no such thing.
    click.echo(made.source_template % made.source_vars())
