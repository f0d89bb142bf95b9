"""steelyard backup: a copy of the store of a service, made while it is served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import flag
from steelyard.cli.writing import put

EPILOG = """\b
Examples:
  steelyard backup steelyard.db backups/monday.db
  steelyard backup steelyard.db backups/latest.db --force

More: steelyard help monitor"""


@click.command("backup", short_help="Copy the store of a service while it is served.", epilog=EPILOG)
@click.argument("store")
@click.argument("copy")
@flag("--force", "Write over a copy that is there.")
@options("json", "quiet")
def command(store: str, copy: str, **given: Any) -> None:
    """Copy the STORE of a service to the file COPY as of one moment, and look at every page and row of the copy."""
    from steelyard.serve.keeping import backed_up, store_file
    from steelyard.words import visible

    found = backed_up(store_file(store), Path(copy), force=given["force"])
    if not given["quiet"]:
        told = {"schema": 1, **found.to_dict()}
        put(None, json.dumps(told, indent=1) if given["as_json"] else f"{visible(copy)}: whole. {found.text}")
