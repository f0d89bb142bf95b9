"""steelyard serve: predictions and labels in over HTTP; windows, alarms and answers out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, flag, takes
from steelyard.cli.writing import progress
from steelyard.errors import MissingPart, UsageError

EPILOG = """\b
Examples:
  steelyard serve --demo
  steelyard serve
  steelyard serve runs/ reports/
  steelyard serve --models models.toml --store /var/lib/steelyard/steelyard.db
  steelyard serve --bind 10.0.0.5 --host monitor.example.com \\
      --tls-cert cert.pem --tls-key key.pem

More: steelyard help monitor"""


@click.command("serve", short_help="Take predictions and labels in, and watch models.", epilog=EPILOG)
@click.argument("folders", nargs=-1)
@takes(
    "--store",
    "FILE|ADDRESS",
    "The file that keeps everything, or the address of a PostgreSQL.  [default: steelyard.db]",
)
@flag("--demo", "Show models that are made up, one of which wears out; without --store they go when it ends.")
@takes("--models", "FILE", "A TOML file that declares models, each under [models.NAME].")
@takes("--notify", "FILE", "A TOML file of channels that alarms are told to, each under [channels.NAME].")
@takes("--bind", "ADDRESS", "The address to listen on.", default="127.0.0.1")
@takes("--port", WHOLE_NUMBER, "The port to listen on.", default=8765)
@takes("--host", "NAME", "A name under which it is asked, as that of a proxy; repeat.", multiple=True)
@takes("--proxy", "ADDRESS", "The address of a proxy that is believed who asks, and how; repeat.", multiple=True)
@takes("--keep-mb", WHOLE_NUMBER, "MB that rows may take; beyond, those of the oldest windows go.  [default: any]")
@takes("--rate", NUMBER, "Requests a second that each token may make; 0 for any number.", default=100)
@takes("--tls-cert", "FILE", "The certificate, to be served by https.")
@takes("--tls-key", "FILE", "Its key.")
@flag("--no-tokens", "Ask nobody for a token; only where nothing from elsewhere can reach it.")
@flag("--open-metrics", "Tell metrics to everybody who asks.")
@options("quiet")
def command(**given: Any) -> None:
    """Take predictions and labels in, count them into windows, watch these and tell of alarms, until it is ended (Ctrl-C).

    The address opens the board in a browser; results saved in FOLDERS are listed there. Everything is kept in one file. The first
    start prints a token for everything, which is shown this once.
    """
    try:
        from steelyard.board.invented import invent
        from steelyard.board.site import board
        from steelyard.serve.declared import declared_in
        from steelyard.serve.delivering import channels_in
        from steelyard.serve.running import Running, Settings
    except ImportError as problem:
        message = f"A service needs {problem.name}."
        raise MissingPart(message, 'This needs: pip install "steelyard[serve]".') from None
    if (given["tls_cert"] is None) != (given["tls_key"] is None):
        message = "A certificate and its key go together, and one of them was named."
        raise UsageError(message, "Say --tls-cert FILE --tls-key FILE.")
    folders = [Path(f) for f in given["folders"]]
    lost = next((f for f in folders if not f.is_dir()), None)
    if lost is not None:
        message = f'"{lost}" is no folder.'
        raise UsageError(message, "Name folders in which results were saved.")
    models = {} if given["models"] is None else declared_in(Path(given["models"]))
    channels = () if given["notify"] is None else channels_in(Path(given["notify"]))
    with ExitStack() as held:
        store = given["store"] or "steelyard.db"
        if given["demo"] and given["store"] is None:
            store = str(Path(held.enter_context(TemporaryDirectory(prefix="steelyard-demo-"))) / "demo.db")
        named = {"hosts": "host", "proxies": "proxy", "certificate": "tls_cert", "key": "tls_key"}
        named |= {name: name for name in ("bind", "port", "rate", "open_metrics")}
        asked: dict[str, Any] = {name: given[typed] for name, typed in named.items()}
        asked |= {"tokens": not given["no_tokens"], "store": store, "models": models, "channels": channels}
        most = None if given["keep_mb"] is None else given["keep_mb"] * 1_000_000
        running = Running(Settings(keep_bytes=most, pages=board(*folders), **asked))
        told = [] if given["quiet"] else [f"Serving at {running.address}.", f"Everything is kept in {_shown(store)}."]
        if given["demo"]:
            with progress("Making up models, their rows and late labels …", quiet=given["quiet"]):
                made = running.fill(invent)
            word = f"{made} models are made up" if made else "Nothing is made up: this store has models already"
            told += [] if given["quiet"] else [f"{word}. Open the address in a browser; sign in with the token."]
        told += ["Token for everything, shown this once:", running.token] if running.token else []
        for line in told:
            click.echo(line)
        running.run()


def _shown(store: str) -> str:
    from steelyard.files.addresses import without_secrets
    from steelyard.words import visible

    return visible(without_secrets(store))
