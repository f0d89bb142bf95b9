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
    "timeliness": (
        "whether a model warns early enough",
        """\
A model that scores customers again and again is right only if it warns in
time. The file holds one row an event: whom, when, the score from then on, and
what became of the customer at the end (the same on all rows of one customer).

  $ steelyard timeliness events.csv --unit customer --time day --score p \\
      --outcome left --horizon '31 days'

Q weighs how right the scores were at every moment of the period: 1 for a
model that knew from the first day, 0 for one that always says the base rate,
below 0 for one that does worse. Its interval counts customers, not events.

With --alert 0.5 it is told what acting on scores from 0.5 on would mean: how
many outcomes are caught and how many days ahead, and how many alarms are
false. Customers without an event come in with --outcomes FILE. Two models at
the same events: --against-score old_p

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
