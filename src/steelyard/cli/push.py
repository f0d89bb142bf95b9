"""steelyard push: predictions, labels, exposures or windows sent to a service, each once however often they are sent."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, put
from steelyard.errors import UsageError

AWAY, REFUSED = 14, 3
EPILOG = """\b
Examples:
  steelyard push rows/2024-03-01.parquet --to http://127.0.0.1:8765 \\
      --model churn
  steelyard push labels.csv --labels --to https://monitor.example.com \\
      --model churn --spool waiting/
  steelyard push windows/ --windows --to https://monitor.example.com \\
      --model churn

\b
The token is read from STEELYARD_TOKEN, so that no list of processes shows it.
Exit codes: 0 done, 2 wrong usage, 3 input unusable or refused,
  14 the service is away and rows wait in the spool

More: steelyard help monitor"""


@click.command("push", short_help="Send predictions, labels or windows to a service.", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@takes("--to", "URL", "The address of the service.", required=True)
@takes("--model", "NAME", "The model that the rows are of.", required=True)
@takes("--model-version", "NAME", "Which version of it.  [default: the champion]")
@flag("--labels", "The files hold labels.")
@takes("--trial", "NAME", "The files hold exposures of this trial: who was put into which arm.")
@flag("--windows", "The files are windows that were counted, or folders of them: no row is sent.")
@flag("--partial", "Have those rows taken that can be, where some cannot.")
@takes(
    "--on-conflict",
    ["refuse", "keep", "replace", "version"],
    "A known identifier with other values: refuse it, keep what is there, replace that, or make it another version.",
)
@takes("--spool", "FOLDER", "Where rows wait while the service is away; the next push sends them.")
@options("json", "quiet")
def command(files: tuple[str, ...], **given: Any) -> int:
    """Send each FILE of predictions, labels, exposures or windows to a service, in batches that it knows again."""
    from steelyard.serve.client import Client, Delivery

    whats = [name for name in ("labels", "trial", "windows") if given[name]]
    if len(whats) > 1:
        message = "Files hold labels, exposures of a trial or windows, and two of these were said."
        raise UsageError(message, f"Push them apart: leave --{whats[1]} out.")
    if given["model_version"] and whats and not given["windows"]:
        message = "A trial is about units, whichever version scored them."
        if given["labels"]:
            message = "A label is about what happened, for every version of a model."
        raise UsageError(message, "Leave --model-version out.")
    if given["on_conflict"] != "refuse" and whats:
        message = "Of labels, exposures and windows it is settled what becomes of other values."
        raise UsageError(message, "Leave --on-conflict out.")
    client = Client(given["to"], spool=given["spool"])
    mode = "partial" if given["partial"] else "strict"
    out = Delivery()
    for path in files:
        if given["labels"]:
            one = client.labels(given["model"], path, mode=mode)
        elif given["trial"]:
            one = client.exposures(given["model"], given["trial"], path, mode=mode)
        elif given["windows"]:
            one = client.send_windows(given["model"], path, version=given["model_version"] or "")
        else:
            how = {"version": given["model_version"] or "", "mode": mode, "on_conflict": given["on_conflict"]}
            one = client.predictions(given["model"], path, **how)
        out.add({**vars(one), "errors": []}, 0)
        out.spooled += one.spooled
        out.set_aside += one.set_aside
        out.away = one.away
        out.errors += [{**e, "file": path} for e in one.errors]
    if not given["quiet"]:
        told = _told(out, "windows" if given["windows"] else "rows")
        put(None, as_document({"schema": 1, **vars(out)}) if given["as_json"] else told)
    return REFUSED if out.set_aside else AWAY if out.spooled else 0


def _told(out: Any, what: str) -> str:
    from steelyard.words import visible

    parts = [f"{out.accepted:,} {what} taken, {out.duplicates:,} were there already"]
    parts += [f"{out.replaced:,} counted anew"] if out.replaced else []
    parts += [f"{many:,} of them as version {name}" for name, many in out.versions.items()]
    parts += [f"{out.rejected:,} refused"] if out.rejected else []
    parts += [f"{out.spooled:,} wait on the disk, since the service is away"] if out.spooled else []
    parts += [f"{out.set_aside:,} that had waited were refused and are kept in the spool"] if out.set_aside else []
    lines = [f"{', '.join(parts)}.", *([out.away] if out.spooled else [])]
    lines += [visible(f"  {e['file']}, row {e['row']:,}: {e['detail']}") for e in out.errors[:10]]
    return "\n".join(lines)
