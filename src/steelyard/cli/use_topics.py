"""The topics of `steelyard help` about a model in use, beside what a monitor does."""

from __future__ import annotations

USE_TOPICS: dict[str, tuple[str, str]] = {
    "stability": (
        "whether columns are still distributed as they were",
        """\
Two files with the same columns: the reference, and what came later. Targets
are not needed.

  $ steelyard stability preds.csv more.csv --column p

Each column is cut into bins of the reference, and the shares of rows in them
are held against each other. How far apart they are comes with an interval, so
that a few rows do not raise an alarm and many do not make a trifle of one.
Over time, with a budget of false alarms: steelyard help monitor""",
    ),
    "trial": (
        "whether acting on a model helps",
        """\
Whether a model is right and whether acting on it helps are two questions. The
second needs a control group: some, chosen at random, whom nothing is done for.

  steelyard trial customers.csv --group arm --control hold \\
      --outcome churned --unit customer

What is told first is whether the arms are as large as they were planned
(--planned hold=0.1,call=0.9); if they are not, somebody is missing and the
rest is not to be trusted. Then the difference of the outcomes with its
interval, what it is worth (--value), and with --score for whom it is largest.

How many units that needs is asked before: steelyard trial-size --help""",
    ),
}
