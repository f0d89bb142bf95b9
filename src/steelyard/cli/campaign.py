"""steelyard campaign: what contacts cost and targets bring in, whom to contact and what it earns out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options, read
from steelyard.cli.opening import ASKED, WRITTEN, name_of, opened
from steelyard.cli.typed import NUMBER, takes
from steelyard.cli.writing import as_document, check_free, progress, put_rows, wrote
from steelyard.errors import UsageError
from steelyard.words import visible

if TYPE_CHECKING:
    from steelyard.worth.campaign import Campaign

TERMS = ("benefit", "cost", "prospects", "targets", "contacts", "depth", "fixed")
COLUMNS = ("target", "score", "positive", "weight", "unit", "level", "query", "labels", "key", "spark", *WRITTEN)
EPILOG = """\b
Examples:
  steelyard campaign preds.csv --target y --score p --benefit 40 --cost 1
  steelyard campaign preds.csv --target y --score p --benefit 40 --cost 1 \\
      --prospects 100000 --targets 2% --contacts 5000
  steelyard campaign preds.csv --target y --score p --benefit 40 --cost 1 \\
      --list contact.csv
  steelyard campaign march.json --benefit 40 --cost 1 --depth 10%
  steelyard campaign --benefit 40 --cost 1 --prospects 100000 --targets 2%

More: steelyard help worth"""


@click.command("campaign", short_help="Find whom to contact, how many, and what it earns.", epilog=EPILOG)
@click.argument("file", required=False)
@options("target", "one score", "positive")
@takes("--benefit", NUMBER, "What a target that is reached brings.", metavar="AMOUNT")
@takes("--cost", NUMBER, "What one contact costs, whoever answers.", metavar="AMOUNT")
@takes("--fixed", NUMBER, "What it costs to run the campaign at all.  [default: 0]", metavar="AMOUNT")
@takes("--prospects", NUMBER, "How many could be contacted.  [default: rows of FILE]", metavar="NUMBER")
@takes("--targets", NUMBER, "Targets among them: 2% or 0.02.  [default: as in FILE]", metavar="SHARE")
@takes("--contacts", NUMBER, "Contact at most so many.", metavar="NUMBER")
@takes("--depth", NUMBER, "Contact exactly this share: 10% or 0.1.", metavar="SHARE")
@takes("--list as_list", "FILE", "Write whom to contact as CSV, highest score first.")
@takes("--among", "FILE", "With --list: take them from this file of prospects.  [default: FILE]")
@options("weight", "weights", "unit", "level", "confidence", "missing_or_corrected", "exact")
@options("query", "labels", "on", "spark", "written")
@options("json", "output", "rest", "force", "quiet", "progress")
def command(file: str | None, **given: Any) -> None:
    """Find how many prospects to contact, whom, and what it earns.

    FILE holds prospects of the past: CSV, Parquet or another kind of file (a path, a folder or a quoted glob), the address
    of a database, - for CSV on standard input, or an evaluation saved as .json; steelyard help sources tells more. Without
    FILE a campaign is planned before any model, by the rule of thumb that a fair one finds √(1 / targets) times as many
    targets as chance.
    """
    check_free(given["output"], force=given["force"])
    check_free(given["as_list"], force=given["force"])
    _check(file, given)
    with progress("Weighing contacts …", quiet=given["quiet"] or given["no_progress"]):
        from steelyard.worth.campaign import campaign

        e = None if file is None else read(file, {k: v for k, v in given.items() if k not in TERMS})
        terms = {k: given[k] for k in TERMS if given[k] is not None}
        found = campaign(e, **terms)
        text = _text(found, None if e is None else e.facts.get("source"), as_json=given["as_json"])
    conclude(found, text, given)
    if given["as_list"] is not None:
        _write_list(found, file, given)


def _write_list(found: Campaign, file: str | None, given: dict[str, Any]) -> None:
    """Whom to contact: the same share of the prospects, those with the highest scores."""
    from steelyard.sources.choosing import highest_rows
    from steelyard.sources.recognise import open_table

    among = given["among"] or file
    assert among is not None
    table = open_table(opened(among, given, only=WRITTEN if given["among"] else ASKED))
    assert table is not None
    (score,) = given["score"]
    chosen = highest_rows(table, score, found.depth)
    put_rows(given["as_list"], chosen, given)
    if not given["quiet"]:
        rows = len(chosen[score])
        wrote(given["as_list"], f": {rows:,} of {visible(name_of(among))}, those with the highest {visible(score)}")


def _check(file: str | None, given: dict[str, Any]) -> None:
    if given["benefit"] is None:
        message = "No benefit was given."
        raise UsageError(message, "Say what a target that is reached brings: --benefit 40, for example.")
    if given["cost"] is None:
        message = "No cost was given."
        raise UsageError(message, "Say what one contact costs: --cost 1, for example; 0 if contacts are free.")
    if given["depth"] is not None and given["contacts"] is not None:
        message = "Both --depth and --contacts came, and a campaign has one size."
        raise UsageError(message, "Give --depth for the figures there, or --contacts for the best within that number.")
    if given["as_list"] is not None and (
        file is None or file == "-" or (file.lower().endswith(".json") and not given["among"])
    ):
        message = "--list needs rows to choose from, and there are none."
        raise UsageError(message, "Name a file of predictions as FILE, or of prospects: --among prospects.csv.")
    if given["as_list"] is not None and len(given["score"]) != 1:
        message = "--list needs to know by which column prospects are ranked."
        raise UsageError(message, "Name it: --score COLUMN.")
    if given["among"] is not None and given["as_list"] is None:
        message = "--among came without --list."
        raise UsageError(message, "Say where the list goes: --list contact.csv.")
    if file is not None:
        return
    named = [f"--{name}" for name in COLUMNS if given[name]]
    if named:
        message = f"Without a FILE there are no columns, and {', '.join(named)} came."
        raise UsageError(message, "Name the file of predictions first: steelyard campaign FILE …")
    lacking = [f"--{name}" for name in ("prospects", "targets") if given[name] is None]
    if lacking:
        message = f"Without a FILE a campaign is planned by a rule of thumb, which needs {' and '.join(lacking)}."
        hint = "Say how many could be contacted and the share of targets among them, or name a FILE."
        raise UsageError(message, hint)


def _text(found: Campaign, source: str | None, *, as_json: bool) -> str:
    if not as_json:
        return str(found)
    from steelyard.views.campaign import campaign_document
    from steelyard.views.document import SCHEMA

    document = {"schema": SCHEMA, "source": source, **campaign_document(found)}
    return as_document(document, 2)
