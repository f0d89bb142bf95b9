"""steelyard learning-curve: rows to learn from in, what more of them would bring out."""

from __future__ import annotations

import json
from typing import Any

import click

from steelyard.arguments.typed import number_of, numbers_of, whole_number_of
from steelyard.cli.conclusion import conclude
from steelyard.cli.evidence import options
from steelyard.cli.training import (
    chosen_design,
    kept_folds,
    read_models,
    read_rows,
    tell_where,
    training_arguments,
)
from steelyard.cli.typed import NUMBER, WHOLE_NUMBER, takes
from steelyard.cli.writing import check_outputs, command_line, draw, progress
from steelyard.errors import UsageError
from steelyard.words import bracketed

EPILOG = """\b
Examples:
  steelyard learning-curve data.csv --target y --models tree
  steelyard learning-curve data.csv --target y --models logistic,forest \\
      --sizes geometric:100:2 --repeats 20 --measure auc
  steelyard learning-curve data.csv --target y --models tree \\
      --sizes arithmetic:100:100 --store runs/ --report curve.html

\b
Sizes: geometric:START:RATIO, arithmetic:START:STEP, or 100,200,400 rows,
  or shares of the training rows: 10%,50%,100%.

More: steelyard help experiment"""


@click.command("learning-curve", short_help="Tell what more training rows would bring.", epilog=EPILOG)
@click.argument("file")
@options("target", "models")
@takes("--sizes", "SIZES", "How many rows to learn from.  [default: all, half, a quarter, …]")
@takes("--measure", "NAME", "What to follow.  [default: log_loss or accuracy, rmse]")
@takes("--repeats", WHOLE_NUMBER, "Draw the test rows so many times.  [default: 10]")
@takes("--design", "DESIGN", "How test rows are drawn.  [default: hold-outs of a quarter]")
@options("stratify", "group")
@options("positive", "weight", "kind", "missing", "confidence", "query", "labels", "on", "spark", "written")
@options("drop", "store", "jobs", "seed")
@takes("--label-cost", NUMBER, "What one more label costs; with --worth tells how many are enough.")
@takes("--worth", NUMBER, "What one whole unit of the measure is worth.")
@options("report", "picture", "json", "output", "rest", "force", "quiet", "progress")
def command(file: str, **given: Any) -> None:
    """Train models on more and more rows of a FILE (or an address), and tell what more rows would bring."""
    from steelyard import learning_curve

    check_outputs(given)
    models = read_models(given["models"])
    if (given["label_cost"] is None) != (given["worth"] is None):
        message = "What a label costs and what the measure is worth are told together, and one of them came alone."
        raise UsageError(message, "Give --label-cost and --worth.")
    if given["design"] is not None and given["repeats"] is not None:
        message = "A design says itself how often rows are drawn, and --repeats was given beside --design."
        raise UsageError(message, "Write the repeats into the design: kfold:3x2.")
    with progress("Reading rows …", quiet=given["quiet"] or given["no_progress"]):
        table = read_rows(file, given)
    design, said = _drawn(given, table)
    with kept_folds():
        curve = learning_curve(
            models,
            table,
            given["target"],
            sizes=sizes_from_text(given["sizes"]),
            design=design,
            measure=given["measure"],
            remarks=said,
            **training_arguments(file, given, table),
        )
    command = command_line()
    if given["report"]:
        curve.report(given["report"], command=command)
    draw({"learning_curve": curve.chart()}, given)
    document, more = {**curve.to_dict(), "command": command}, []
    if given["label_cost"] is not None:
        found = {model: curve.enough(given["label_cost"], given["worth"], model) for model in curve.models}
        document["enough"] = {model: x.to_dict() for model, x in found.items()}
        for model, x in found.items():
            told = f"how many rows are enough cannot be told: {x.reason}"
            if x.defined:
                ends = bracketed(f"{x.low:,.0f}", f"{x.high:,.0f}")
                told = f"enough are {x.value:,.0f} rows {ends}, {x.note}"
            more.append(f"{model}: {told}.")
    text = json.dumps(document, ensure_ascii=False, indent=1) if given["as_json"] else "\n".join([str(curve), *more])
    conclude(curve, text, given, more)
    tell_where(curve.experiment, given)


def _drawn(given: dict[str, Any], table: object) -> tuple[Any, list[str]]:
    """The design as it was written, or hold-outs of a quarter: whole groups where a group is named."""
    from steelyard.experiments.choosing import usual_holdouts
    from steelyard.experiments.learning import REPEATS
    from steelyard.sources.in_memory import column_of

    if given["design"] is not None:
        return chosen_design(given, table)
    repeats = REPEATS if given["repeats"] is None else given["repeats"]
    target = column_of(table, given["target"])
    return usual_holdouts(target, given["kind"], repeats, given["seed"], given["stratify"], given["group"])


def sizes_from_text(text: str | None) -> Any:
    """Sizes as typed: geometric:100:2, arithmetic:100:50, or numbers with commas; shares as 0.5 or 50%.

    >>> print(sizes_from_text("geometric:100:2"), sizes_from_text("50, 100"), sizes_from_text("10%,50%,100%"))
    from 100 rows, 2 times as many [50, 100] [0.1, 0.5, 1.0]
    """
    from steelyard.designs.schedules import arithmetic, geometric

    if text is None:
        return None
    name, *numbers = text.replace(" ", "").split(":")
    try:
        if name == "geometric" and len(numbers) == 2:
            return geometric(whole_number_of(numbers[0]), number_of(numbers[1]))
        if name == "arithmetic" and len(numbers) == 2:
            return arithmetic(*map(whole_number_of, numbers))
    except UsageError:
        pass
    if not numbers and any(sign.isdigit() for sign in name):
        found = numbers_of(text, "--sizes")
        # As in Python, 1.0 beside other shares is all rows, and 1 is one of them.
        shares = found[-1] <= 1 and any(sign in text for sign in ".%")
        return [n if shares or not n.is_integer() else int(n) for n in found]
    message = f'The sizes "{text}" cannot be read.'
    raise UsageError(message, "Write geometric:100:2, arithmetic:100:50, 100,200,400 or 10%,50%,100%.")
