"""steelyard monitor: a stream of predictions over time and a reference in; its state, and an exit code, out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.opening import is_rows, opened, opened_rows
from steelyard.cli.spelling import words_of
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, flag, takes
from steelyard.cli.writing import as_document, check_free, command_line, progress
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from steelyard.monitors.standing import News

WARN, ALARM, UNKNOWN, STANDS = 10, 11, 12, 13
HANDED_ON = (
    *("time", "prediction", "window", "zone", "label_time", "margin", "horizon", "budget", "for_", "mode", "threshold"),
    *("weight", "unit", "segment", "period", "since", "now", "missing", "kind"),
)
"""Options that mean what the arguments of the same names do."""
EPILOG = """\b
Examples:
  steelyard monitor preds.parquet --time scored --target y --score p \\
      --reference 'first 8 windows' --window week
  steelyard monitor today.csv --time scored --target y --score p \\
      --reference baseline.json --since 2024-06-01 --fail-on alarm
  steelyard monitor preds.csv --time scored --score p --features all \\
      --reference 2024-01-01 --zone Europe/Berlin --report state.html
  steelyard monitor days/ --baseline baseline.json --fail-on alarm --remember
  steelyard monitor preds.csv --time scored --target y --score p \\
      --label-time known --horizon '30 days' --mode sequential \\
      --reference train.csv

\b
Exit codes: 0 done, 2 wrong usage, 3 input unusable; with --fail-on also
  10 a warning stands (--fail-on warn), 11 an alarm stands,
  12 nothing could be judged, or no rows came; with --remember as well
  10 or 11 is new since the last look, 13 was told before and still stands

More: steelyard help monitor"""


@click.command("monitor", short_help="Watch predictions over time, and fail when they wear out.", epilog=EPILOG)
@click.argument("file")
@takes("--time", "COLUMN", "When each row was predicted; windows that were counted know it.")
@options("target", "score", "prediction", "positive")
@takes(
    "--reference --baseline reference",
    "FILE|DATE|first:N",
    "What to hold windows against: rows, a saved baseline or evaluation (.json), the rows before a date, or the "
    "first N windows; for windows that were counted the baseline they were counted against.",
)
@takes("--window", "SPAN", "hour, day, week, month, '6 hours', or a number of rows.", default="day")
@takes("--zone", "NAME", "Time zone of windows, and of times without an offset, as Europe/Berlin.", default="UTC")
@takes("--label-time", "COLUMN", "When the target became known.")
@takes("--horizon", "SPAN", "How long labels are waited for, as '30 days'.")
@takes(
    "--features",
    "COLUMN|all",
    "Watch this column as well, or all that play no part (but identifiers and dates); repeat.",
    multiple=True,
)
@takes(
    "--measure",
    "MEASURE",
    "Watch this measure; repeat.  [default: auc, accuracy or mae; brier, error_rate or mae with --mode sequential]",
    multiple=True,
)
@takes("--margin", NUMBER, "The share of its value that may be lost.", default=0.05)
@takes(
    "--budget", "BUDGET", "False alarms allowed, as '2 per year'; not with --mode sequential.  [default: 1 per quarter]"
)
@takes(
    "--for for_",
    WHOLE_NUMBER,
    "Windows in a row, of those that could be judged, that fire an alarm; with --mode sequential of rows alone.",
    default=2,
)
@takes(
    "--mode",
    ["windows", "sequential"],
    "Judge each window under a budget, or a mean over all rows so far at any time, at one minus the confidence.",
)
@options("threshold", "weight", "unit")
@takes(
    "--segment",
    "COLUMN",
    "Watch each group of this column apart as well, as a region; all of them share one level.",
)
@takes(
    "--period",
    "SPAN|window",
    "Follow the customers (--unit) that enter in a window for so long, as '31 days': does it warn early enough?",
)
@takes("--since", "DATE", "Tell what became known from then on: windows that ended, and labels that came in.")
@takes("--now", "DATE", "Judge as of then.  [default: the last moment in the file]")
@options("confidence", "missing", "kind")
@takes(
    "--fail-on",
    ["alarm", "warn"],
    "End with exit code 10, 11 or 12 where it stands so badly (since --since at any time).",
    default=None,
)
@flag(
    "--remember",
    "Put down beside the windows in FILE, a folder, what was told: what is new since the last look is told apart.",
)
@takes("--save-baseline", "FILE", "Keep the reference as .json, for later runs.")
@options("report", "query", "labels", "on", "spark", "written", "json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> int:
    """Watch a FILE of predictions over time: whether the model is as good as it was, and scores and features look the same.

    FILE is a folder or a quoted glob of windows that were counted (steelyard windows), a model of a service
    (http://127.0.0.1:8765/v1/models/churn, its token in STEELYARD_TOKEN), or rows: CSV, Parquet or another
    kind of file, the address of a database (steelyard help sources), or - for CSV on standard input, with a row for each
    prediction and a column of times. Targets that are not known yet are left empty: a window is judged once its labels
    are in.
    """
    from steelyard.monitors.known import NothingSince

    named = [Path(given[name]) for name in ("output", "report", "save_baseline") if given[name] not in (None, "-")]
    if len(set(named)) < len(named):
        message = f'"{named[0]}" was named for two results.'
        raise UsageError(message, "Give each a file of its own.")
    for name in ("output", "report", "save_baseline"):
        check_free(given[name], force=given["force"])
    if given["report"]:
        from steelyard.reports.writing import check_ending

        check_ending(given["report"])
    with progress("Watching …", quiet=given["quiet"] or given["no_progress"]):
        try:
            m = _watched(file, given)
        except NothingSince as problem:
            if given["fail_on"] is None:
                raise
            click.echo(" ".join(words_of(problem, click.get_current_context().command)), err=True)
            return UNKNOWN
        news = m.look(file) if given["remember"] else None
        said = str(m) if news is None else f"{news.text}\n\n{m}"
        text = as_document({"schema": 1, **m.to_dict()}) if given["as_json"] else said
    if given["save_baseline"]:
        m.baseline.save(given["save_baseline"])
    if given["report"]:
        m.report(given["report"], command=command_line())
    # What is new stands above all of it.
    conclude(m if news is None else None, text, given)
    if news is not None:
        # The last window alone often waits for its labels; what was judged before it has been told by the news.
        unknown = m.state == "nodata" or m.worst in {"insufficient", "immature"}
        return code_of_news(news, given["fail_on"]) or (UNKNOWN if unknown and given["fail_on"] else 0)
    return code_of(m.worst if given["since"] else m.state, given["fail_on"])


def code_of_news(news: News, fail_on: str | None) -> int:
    """The exit code of a look: what is new comes before what was told already."""
    fails = {"alarm"} if fail_on == "alarm" else {"alarm", "warn"} if fail_on == "warn" else set()
    new = {a.severity for a in news.new} & fails
    if new:
        return ALARM if "alarm" in new else WARN
    return STANDS if any(a.severity in fails for a in news.standing) else 0


def code_of(state: str, fail_on: str | None) -> int:
    """The exit code of a state.

    >>> [code_of(state, "alarm") for state in ("ok", "warn", "alarm", "insufficient")]
    [0, 0, 11, 12]
    >>> code_of("warn", "warn"), code_of("alarm", None)
    (10, 0)
    """
    if fail_on is None or state == "ok":
        return 0
    if state == "warn":
        return WARN if fail_on == "warn" else 0
    return ALARM if state == "alarm" else UNKNOWN


def _watched(file: str, given: dict[str, Any]) -> Any:
    from steelyard.files.window_files import files_of_windows

    if given["remember"] and not Path(file).is_dir():
        message = f'What was told is put down beside the windows, and "{file}" is no folder of them.'
        raise UsageError(message, "Name the folder that steelyard windows wrote to.")
    if file.startswith(("http://", "https://")) and "/v1/models/" in file:
        return _asked(file, given)
    if files_of_windows(file):
        return _run(file, given)
    if Path(file).is_dir():
        message = f'The folder "{file}" holds no windows that were counted.'
        hint = 'Count some: steelyard windows FILE --baseline FILE -o FOLDER; rows are named as "rows/*.parquet".'
        raise UsageError(message, hint)
    if file == "-" and given["spark"] is None and given["reference"] == "-":
        message = "Rows and reference cannot both be read from standard input."
        raise UsageError(message, "Name a file for one of them.")
    with opened_rows(file, given) as data:
        return _run(data, given)


def _asked(address: str, given: dict[str, Any]) -> Any:
    """The windows of a service, and the baseline that they were counted against."""
    from steelyard.serve.client import Client

    url, _, rest = address.partition("/v1/models/")
    model, _, query = rest.partition("?")
    client = Client(url)
    if given["reference"] is not None:
        message = "The service knows the baseline of its windows."
        raise UsageError(message, "Leave --reference out.")
    found = client.windows(model.strip("/"), version=query.removeprefix("version="))
    now = given["now"] or (found[-1].until if len(found) else None)
    return _run(found, {**given, "now": now, "reference": client.baseline(model.strip("/"))})


def _run(data: object, given: dict[str, Any]) -> Any:
    from steelyard.cli.columns import kinds_of, positive_of, scores_of
    from steelyard.files.window_files import files_of_windows
    from steelyard.monitors.monitor import monitor
    from steelyard.monitors.windowed import Windows

    kinds = {} if isinstance(data, Windows) or files_of_windows(data) else kinds_of(data)
    target, scores = given["target"], given["score"]
    features = list(given["features"])
    reference = given["reference"]
    if isinstance(reference, str) and is_rows(reference) and not reference.lower().endswith(".json"):
        # Rows of a reference are found in the same way: the same labels, the same query, the same cluster.
        reference = opened(reference, given)
    return monitor(
        data,
        target=target,
        score=scores_of(scores, kinds, target) if scores else None,
        positive=positive_of(given, kinds),
        reference=reference,
        features="all" if features == ["all"] else features or None,
        measures=list(given["measure"]) or None,
        confidence=0.95 if given["confidence"] is None else given["confidence"],
        **{name: given[name] for name in HANDED_ON},
    )
