"""What is asked of scored events, in SQL: window functions over one scan, of which only sums or answers come back.

The text is plain SQL. The table it reads has the columns unit, time, score, outcome, kind, and where there are any value
and outcome_time; names of the reader's own columns never reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.arguments.sizes import LARGEST
from steelyard.engines.sql import SOURCE, SqlTable
from steelyard.engines.weighing import Weighing

EVENT, TOLD, BARE = 0, 1, 2
"""Kinds of rows: an event with its outcome, a customer told without an event, an event whose outcome is told apart."""
GONE = "missing "
"""Names of problems that are gaps begin so."""
COUNTED = ("customers", "bad", "events", "ties", "silent", "two_outcomes", "two_values", "two_outcome_times")


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Questions to a table of events over a period, whose customers may have values and times of outcome."""

    horizon: float
    words: SqlTable
    """The database, whose words for numbers are used."""
    valued: bool = False
    timed: bool = False
    source: str = SOURCE

    def number(self, value: float) -> str:
        """A number as the database reads it, to the last digit."""
        return self.words.literal(float(value))

    def _gathered(self, weighing: Weighing, time: str, *, positive: bool) -> str:
        """The weight of [0, time), as `Weighing.positive` and `Weighing.negative` work it out."""
        if weighing.ends:
            steps = weighing.steps(positive=positive)
            parts = (f"case when {self.number(t)} < {time} then {self.number(w)} else 0 end" for t, w in steps)
            return f"({' + '.join(parts)})"
        share = f"({time} / {self.number(weighing.horizon)})"
        return f"{share} * (2 - {share})" if positive and weighing.kernel == "declining" else share

    @property
    def _facts(self) -> list[str]:
        """What is known of a customer, on any of its rows."""
        return ["outcome", *(["value"] if self.valued else []), *(["outcome_time"] if self.timed else [])]

    def without_events(self, chosen: str) -> dict[str, str]:
        """The columns of the rows, those that are chosen being customers without an event."""
        none = self.words.number("null")
        parts = {"unit": "unit"}
        parts |= {name: f"case when {chosen} then {none} else {name} end" for name in ("time", "score")}
        parts |= {name: name for name in self._facts}
        return {**parts, "kind": f"case when {chosen} then {TOLD} else kind end"}

    def spans(self) -> str:
        """Every event with the moment at which the next one of the same customer takes over.

        Of events at the same time all but one last no time at all, and the score of each is the mean of them.
        """
        columns = ", ".join(["unit", "time", "score as said", "kind", *self._facts])
        order = "partition by unit order by time"
        peers = f"avg(score) over ({order} range between current row and current row)"
        return f"(select {columns}, {peers} as score, lead(time) over ({order}) as until from {self.source})"

    def customers(self, weighing: Weighing) -> str:
        """One row a customer: its facts, scores weighed as a positive's and as a negative's, first event, what to check."""
        end = self.number(weighing.horizon * (2 if weighing.ends else 1))

        def weighed(*, positive: bool) -> str:
            late = self._gathered(weighing, f"coalesce(until, {end})", positive=positive)
            return f"sum(score * ({late} - {self._gathered(weighing, 'time', positive=positive)}))"

        event = f"time >= 0 and time <= {self.number(self.horizon)} and said >= 0 and said <= 1"
        told = "outcome in (0, 1)" + (f" and value >= 0 and value <= {self.number(LARGEST)}" if self.valued else "")
        if self.timed:
            told += f" and (outcome = 0 or (outcome_time >= 0 and outcome_time <= {self.number(self.horizon)}))"
        good = f"unit is not null and (kind = {TOLD} or ({event})) and (kind = {BARE} or ({told}))"
        facts = [f"max({c}) as {c}, case when min({c}) <> max({c}) then 1 else 0 end as two_{c}s" for c in self._facts]
        return (
            f"(select unit, {', '.join(facts)}, min(time) as first, "
            f"{weighed(positive=True)} as warned, {weighed(positive=False)} as alarmed, "
            f"sum(case when kind = {TOLD} then 0 else 1 end) as events, "
            f"sum(case when until = time then 1 else 0 end) as ties, "
            f"sum(case when {good} then 0 else 1 end) as bad from {self.spans()} as s group by unit)"
        )

    def contributions(self, weighing: Weighing) -> str:
        """One row a customer: x, its weighed score, and e, the weight of the time before its first event."""
        none, all_of = (self.number(t) for t in weighing.totals)
        early = [self._gathered(weighing, "first", positive=p) for p in (False, True)]
        checks = [c if f in self._facts else f"0 as {c}" for c, f in self._checks]
        kept = ["unit", "events", "ties", "bad", *self._facts, *checks]
        return (
            f"(select {', '.join(kept)}, coalesce(case when outcome = 1 then warned else alarmed end, 0) as x, "
            f"case when outcome = 1 then case when first is null then {all_of} else {early[1]} end "
            f"else case when first is null then {none} else {early[0]} end end as e "
            f"from {self.customers(weighing)} as c)"
        )

    @property
    def _checks(self) -> list[tuple[str, str]]:
        return [("two_outcomes", "outcome"), ("two_values", "value"), ("two_outcome_times", "outcome_time")]

    def features(self) -> list[str]:
        """What a customer contributes, in the order of the summary."""
        return ["1.0", "x", "e", *(["value", "(value * x)", "(value * e)"] if self.valued else [])]

    def sum_names(self) -> list[str]:
        """The columns of `sums`."""
        size = len(self.features())
        return ["outcome", *COUNTED, *(f"p{i}" for i in range(size * (size + 1) // 2))]

    def sums(self, weighing: Weighing) -> str:
        """The summary itself: for each outcome the counts of `COUNTED`, then the sums of products of the features."""
        z = self.features()
        products = [f"sum({a} * {b})" for i, a in enumerate(z) for b in z[i:]]
        counts = ["sum(bad)", "sum(events)", "sum(ties)", "sum(case when events = 0 then 1 else 0 end)"]
        counts += [f"sum({c})" for c, _ in self._checks]
        asked = zip(self.sum_names(), ["outcome", "count(*)", *counts, *products], strict=True)
        columns = ", ".join(f"{x} as {name}" for name, x in asked)
        return f"select {columns} from {self.contributions(weighing)} as q group by outcome"

    def listed(self, weighing: Weighing) -> str:
        """Every customer by unit: unit, outcome, x, e, value."""
        value = "value" if self.valued else "1.0"
        return f"select unit, outcome, x, e, {value} as value from {self.contributions(weighing)} as q order by unit"

    def in_force(self, moments: Sequence[float]) -> str:
        """One row a customer: its outcome and the score in force at each moment, null before its first event."""
        columns = ", ".join(
            f"max(case when time <= {self.number(m)} and (until is null or until > {self.number(m)}) then score end) as s{i}"
            for i, m in enumerate(moments)
        )
        return f"select max(outcome) as outcome, {columns} from {self.spans()} as s group by unit order by unit"

    def in_force_by_class(self, moments: Sequence[float], early: float) -> str:
        """Of each outcome, at each moment, the sum of the scores in force less `early`, and of the squares of that.

        A customer without an event so far has the score `early` and adds nothing, so no row a customer is needed.
        """
        parts = []
        for i, moment in enumerate(moments):
            now = f"time <= {self.number(moment)} and (until is null or until > {self.number(moment)})"
            parts += [f"sum(case when {now} then {x} end) as {name}{i}" for name, x in (("s", "d"), ("q", "d * d"))]
        known = f"score - {self.number(early)} as d, max(outcome) over (partition by unit) as outcome"
        spans = f"(select time, until, {known} from {self.spans()} as s)"
        return f"select outcome, {', '.join(parts)} from {spans} as f group by outcome"

    def _warnings(self) -> str:
        """Every event no later than the outcome of its customer, with what is known of that customer."""
        value = "max(value)" if self.valued else self.number(1.0)
        until = (
            f"case when max(outcome) = 1 then {'max(outcome_time)' if self.timed else self.words.number('null')} end"
        )
        who = (
            f"(select unit, max(outcome) as outcome, {value} as value, coalesce({until}, {self.number(self.horizon)}) as until "
            f"from {self.source} group by unit)"
        )
        columns = "e.unit, e.time, e.score, c.outcome, c.value, c.until"
        joined = f"{self.spans()} as e join {who} as c on e.unit = c.unit"
        lasting = "(e.until is null or e.until > e.time)"
        return f"(select {columns} from {joined} where e.kind <> {TOLD} and e.time <= c.until and {lasting})"

    def alerts(self, threshold: float) -> str:
        """Events with at least this score, by customer and time."""
        chosen = f"score >= {self.number(threshold)}"
        return f"select unit, time, score, outcome, value, until from {self._warnings()} as w where {chosen} order by unit, time"

    def least_score_of(self, most: int) -> str:
        """The lowest score that at most so many events reach; null where not even the highest will do."""
        beyond = f"select score from {self._warnings()} as w order by score desc limit 1 offset {most}"
        return f"select min(score) as least from {self._warnings()} as v where score > coalesce(({beyond}), -1)"

    # What can be wrong ------------------------------------------------------------------------------------------------
    def problems(self) -> dict[str, tuple[str, str]]:
        """For every problem the condition of a row that has it, and the column that shows it; gaps come first."""
        event, told = f"kind <> {TOLD}", f"kind <> {BARE}"

        def absent(column: str) -> str:
            return f"({column} is null or {self.words.is_nan(column)})"

        def outside(column: str, low: float, high: float) -> str:
            there = f"not {self.words.is_nan(column)}"
            return f"{there} and ({column} < {self.number(low)} or {column} > {self.number(high)})"

        gaps = {
            "unit": ("unit is null", "kind"),
            "time": (f"{event} and {absent('time')}", "time"),
            "score": (f"{event} and {absent('score')}", "score"),
            "outcome": (f"{told} and {absent('outcome')}", "outcome"),
        }
        odd = {
            "time": (f"{event} and {outside('time', 0, self.horizon)}", "time"),
            "score": (f"{event} and {outside('score', 0, 1)}", "score"),
            "outcome": (f"{told} and not {absent('outcome')} and outcome not in (0, 1)", "outcome"),
        }
        if self.valued:
            gaps["value"] = (f"{told} and {absent('value')}", "value")
            odd["value"] = (f"{told} and {outside('value', 0, LARGEST)}", "value")
        if self.timed:
            came = f"{told} and outcome = 1"
            gaps["outcome time"] = (f"{came} and {absent('outcome_time')}", "outcome_time")
            odd["outcome time"] = (f"{came} and {outside('outcome_time', 0, self.horizon)}", "outcome_time")
        return {f"{GONE}{name}": x for name, x in gaps.items()} | odd

    @property
    def beyond(self) -> str:
        """Whether an event lies outside of the period."""
        return f"coalesce({self.problems()['time'][0]}, false)"

    def number_of_rows(self, conditions: Sequence[str], names: Sequence[str] = ()) -> str:
        """How many rows have each of these, as n0, n1, and so on; and the least value of a column among them, x0, x1."""
        parts = [f"sum(case when {test} then 1 else 0 end) as n{i}" for i, test in enumerate(conditions)]
        shown = zip(conditions, names, strict=False)
        parts += [f"min(case when {t} then {self.words.number(x)} end) as x{i}" for i, (t, x) in enumerate(shown)]
        return f"select {', '.join(parts)} from {self.source}"

    def first_of(self, conditions: Sequence[str]) -> str:
        """The same, but each row is counted for the first condition that it has."""
        before = ["".join(f"when {c} then 0 " for c in conditions[:i]) for i in range(len(conditions))]
        sums = (f"sum(case {before[i]}when {c} then 1 else 0 end) as n{i}" for i, c in enumerate(conditions))
        return f"select {', '.join(sums)} from {self.source}"
