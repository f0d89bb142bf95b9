"""steelyard help: topics with worked examples. A test runs every line that starts with a dollar sign."""

from __future__ import annotations

import difflib

import click

from steelyard.cli.program import COMMANDS
from steelyard.cli.topics import TOPICS


def topics_text() -> str:
    """All topics with a word on each."""
    size = max(map(len, TOPICS))
    lines = [f"  {name:<{size}}  {about}" for name, (about, _) in TOPICS.items()]
    return "\n".join(
        ["Topics:", "", *lines, "", "`steelyard help TOPIC` explains one; `steelyard COMMAND --help` has the options."]
    )


@click.command("help", short_help="Explain a topic with worked examples.")
@click.argument("topic", required=False)
@click.pass_context
def command(ctx: click.Context, topic: str | None) -> None:
    """Explain a TOPIC with worked examples; without one, list the topics."""
    if topic is None:
        click.echo(topics_text())
    elif topic in TOPICS:
        about, text = TOPICS[topic]
        click.echo(f"{topic}: {about}\n\n{text}")
    elif topic in COMMANDS and ctx.parent is not None and isinstance(ctx.parent.command, click.Group):
        found = ctx.parent.command.get_command(ctx, topic)
        assert found is not None
        with click.Context(found, info_name=topic, parent=ctx.parent) as inner:
            click.echo(found.get_help(inner))
    else:
        close = difflib.get_close_matches(topic, [*TOPICS, *COMMANDS], n=1, cutoff=0.5)
        hint = f'Did you mean "{close[0]}"?' if close else f"There are {', '.join(TOPICS)}."
        message = f'There is no topic "{topic}". {hint}'
        raise click.UsageError(message, ctx)
