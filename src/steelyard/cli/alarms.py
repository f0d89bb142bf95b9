"""steelyard alarms: what stands after the last look at a folder of windows, and what people say of it."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.evidence import options
from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import as_document, put

STANDS = 13
EPILOG = """\b
Examples:
  steelyard alarms days/
  steelyard alarms days/ --mute auc --until 2024-06-01
  steelyard alarms days/ --acknowledge volume

\b
Exit codes: 0 done, 2 wrong usage, 3 input unusable; with --fail also
  13 something stands that nobody muted or acknowledged

More: steelyard help monitor"""


@click.command("alarms", short_help="See, mute and acknowledge the alarms of a folder of windows.", epilog=EPILOG)
@click.argument("folder")
@takes("--mute", "SIGNAL", "Do not tell of this signal; repeat.", multiple=True)
@takes("--until", "DATE", "How long it is muted.  [default: until --unmute]")
@takes("--unmute", "SIGNAL", "Tell of this signal again; repeat.", multiple=True)
@takes(
    "--acknowledge",
    "SIGNAL",
    "Do not tell again what stands of this signal, until it fires anew; repeat.",
    multiple=True,
)
@flag("--fail", "End with exit code 13 if something stands that nobody muted or acknowledged.")
@options("json")
def command(folder: str, **given: Any) -> int:
    """Tell which alarms stood at the last look (steelyard monitor FOLDER --remember), and which are muted.

    FOLDER is that of the windows. A muted signal is neither new nor standing; one that is acknowledged is told again once it
    was over and fires anew.
    """
    from steelyard.monitors.standing import changed

    names = ("mute", "unmute", "acknowledge")
    state = changed(folder, until=given["until"] or "", **{name: given[name] for name in names})
    put(None, as_document({"schema": 1, **state.to_dict()}) if given["as_json"] else state.text)
    loud = [a for a in state.standing if not a.acknowledged and not state.is_muted(a.signal, state.looked)]
    return STANDS if given["fail"] and loud else 0
