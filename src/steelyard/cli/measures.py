"""steelyard measures: the catalogue, or one measure in full."""

from __future__ import annotations

import click

from steelyard.cli.evidence import options
from steelyard.cli.writing import as_document


@click.command("measures", short_help="List all measures, or explain one.")
@click.argument("name", required=False)
@options("json")
def command(name: str | None, *, as_json: bool) -> None:
    """List all measures by the question they answer, or explain the one called NAME.

    NAME may be any of a measure's names: auc, roc_auc, roc_index …
    """
    from steelyard.measures.measure import catalogue, find
    from steelyard.views.catalogue import catalogue_text, measure_document, measure_text
    from steelyard.views.document import SCHEMA

    if as_json:
        chosen = list(catalogue().values()) if name is None else [find(name)]
        document = {"schema": SCHEMA, "measures": [measure_document(m) for m in chosen]}
        click.echo(as_document(document, 2))
    else:
        click.echo(catalogue_text() if name is None else measure_text(find(name)))
