"""steelyard diff: two saved evaluations in, what changed between them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, check_free, command_line

CHANGED = 1
PAGES = (".html", ".htm", ".md")
EPILOG = """\b
Examples:
  steelyard diff march.json april.json
  steelyard diff march.json april.json --measure auc --measure recall
  steelyard diff march.json april.json -o changes.html
  steelyard diff champion.json challenger.json --fail-on-worse

More: steelyard help compare"""


@click.command("diff", short_help="Tell what changed between two saved evaluations.", epilog=EPILOG)
@click.argument("old", metavar="OLD.json")
@click.argument("new", metavar="NEW.json")
@takes("--measure", "NAME", "Look at this measure; repeat.  [default: the chief ones]", multiple=True)
@flag("--fail-on-worse", "End with 1 if any number is worse beyond doubt.")
@options("confidence", "json", "output", "rest", "force", "quiet")
def command(old: str, new: str, **given: Any) -> None:
    """Tell what changed from OLD to NEW, each saved with evaluate --save: which numbers are better or worse, by how much, how sure,
    and in which segments.

    The two must be about the same target on different rows, such as two months of one model; of the same rows `compare` with
    the predictions themselves is sharper.
    """
    from steelyard.comparisons.changes import changes
    from steelyard.saved.load import load_evaluation
    from steelyard.verdicts.comparison import WORSE
    from steelyard.views.document import plain

    check_free(given["output"], force=given["force"])
    before, after = (load_evaluation(path) for path in (old, new))
    names = names_of(old, new)
    told = {} if given["confidence"] is None else {"confidence": given["confidence"]}
    found = changes(before, after, measures=list(given["measure"]) or None, names=names, **told)
    text = as_document(plain(found.to_dict())) if given["as_json"] else str(found)
    if Path(given["output"] or "").suffix.lower() in PAGES and not given["as_json"]:
        from steelyard.reports.changes import write_changes_report

        write_changes_report(found, given["output"], command=command_line())
    else:
        conclude(found, text, given)
    if given["fail_on_worse"] and any(c.difference.verdict == WORSE for c in (*found.whole, *found.parts)):
        raise click.exceptions.Exit(CHANGED)


def names_of(old: str, new: str) -> tuple[str, str]:
    """The files' own names, with their folders where these alone differ.

    >>> names_of("runs/march.json", "runs/april.json"), names_of("a/e.json", "b/e.json")
    (('march', 'april'), ('a/e', 'b/e'))
    """
    stems = Path(old).stem, Path(new).stem
    return stems if stems[0] != stems[1] else (old.removesuffix(".json"), new.removesuffix(".json"))
