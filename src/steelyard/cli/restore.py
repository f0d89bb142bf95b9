"""steelyard restore: a copy of a store looked at, and put in the place of one that was lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import put

EPILOG = """\b
Examples:
  steelyard restore backups/monday.db --verify
  steelyard restore backups/monday.db --store steelyard.db --force

More: steelyard help monitor"""


@click.command("restore", short_help="Put a copy of a store in the place of one that was lost.", epilog=EPILOG)
@click.argument("copy")
@takes("--store", "FILE", "The store whose place it takes.", default="steelyard.db")
@flag("--verify", "Look at the copy alone; nothing is written.")
@flag("--force", "Put it in the place of a store that is there, which is kept beside it.")
@options("json", "quiet")
def command(copy: str, **given: Any) -> None:
    """Look at every page and row of a COPY of a store, and put it in the place of one; the service is not to run meanwhile."""
    from steelyard.serve.keeping import looked_at, restored, store_file
    from steelyard.words import visible

    kept = None
    if given["verify"]:
        found, said = looked_at(Path(copy)), f"{visible(copy)}: whole."
    else:
        store = store_file(given["store"])
        found, kept = restored(Path(copy), store, force=given["force"])
        beside = "" if kept is None else f" What was there is kept as {visible(kept)}."
        said = f"{visible(store)}: as {visible(copy)} was.{beside}"
    if not given["quiet"]:
        told = {"schema": 1, **found.to_dict(), "kept": None if kept is None else str(kept)}
        put(None, json.dumps(told, indent=1) if given["as_json"] else f"{said} {found.text}")
