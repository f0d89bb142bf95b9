"""What else could be asked of the same rows: one folded list, each with the line to type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard.rows.roles import SECOND
from steelyard.views.html import Ready, tag

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

IN_MEMORY = ("", "arrays", "dict", "DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation")
"""What rows that came from no file are called, which is no name."""


def unasked(
    models: Mapping[str, Any], in_use: Mapping[str, Any], command: str, *, sliced: bool
) -> list[tuple[str, str]]:
    """Questions that the rows could answer and nobody asked, with the line to type for each."""
    first: Evaluation = next(iter(models.values()))
    scored, numbers = first.scores is not None, first.residuals is not None
    found: list[tuple[str, str, str]] = []
    if not any(e.segments for e in models.values()):
        found.append(("Where does it fail?", "--segment COLUMN", 'segment="COLUMN"'))
    if not sliced and len(models) == 1:
        found.append(("In which of all columns does it fail?", "--slices", ""))
    if not scored and not numbers and first.class_scores is None and first.positive is not None:
        found.append(("Which threshold?", "--score COLUMN", 'score="COLUMN"'))
    if first.payoff is None and not numbers:
        two = len(first.levels) <= 2
        written = "--profit 'tp=140, fp=-20'" if two else "--profit FILE"
        said = "profit=sy.Profit(tp=140, fp=-20)" if two else "profit=sy.Profit({ACTUAL: {PREDICTED: AMOUNT}})"
        found.append(("What is it worth?", written, said))
    if len(models) == 1 and scored:
        found.append(("Is another model better?", "--score new=COLUMN --score old=COLUMN", ""))
    if not in_use.get("stability") and not in_use.get("monitor"):
        found.append(("Is it going stale?", "--reference FILE", "stability"))
    if not in_use.get("trial") and not numbers:
        found.append(("Does acting on it help?", "--group COLUMN --control LEVEL", "trial"))
    typed = command if command.startswith("steelyard report ") and ".json" not in command else ""
    lines = [(question, _line(first, typed, option, said)) for question, option, said in found]
    return [(question, line) for question, line in lines if line]


def _line(evaluation: Evaluation, command: str, option: str, said: str) -> str:
    """The command with one more option where there was one, and the call in Python elsewhere."""
    if command:
        head = command.split(" --score ")[0] if "new=" in option else command
        return f"{head} {option}{'' if ' --force' in command else ' --force'}"
    roles = dict(evaluation.facts.get("roles") or {})
    source = str(evaluation.facts.get("source", ""))
    rows = "rows" if source in IN_MEMORY else f'"{source}"'
    if said == "stability":
        return f"e.report(..., stability=sy.stability(THEN, {rows}))"
    if said == "trial":
        target = f'"{roles["target"]}"' if roles.get("target") else "..."
        return f'e.report(..., trial=sy.trial({rows}, group="COLUMN", control="LEVEL", outcome={target}))'
    if not said:
        return ""
    second = roles.pop(SECOND, None)
    named = "".join(f', {role}="{column}"' for role, column in roles.items() if isinstance(column, str))
    if second is not None:
        named = named.replace(f'segment="{roles["segment"]}"', f'segment=["{roles["segment"]}", "{second}"]')
    return f"sy.evaluate({rows}{named or ', ...'}, {said})"


def unasked_html(found: list[tuple[str, str]]) -> Ready:
    """The list, folded."""
    rows = [[tag("dt", question), tag("dd", tag("code", line))] for question, line in found]
    many = f"{len(found)} more {'question' if len(found) == 1 else 'questions'}, each with the line to type"
    return tag("details", tag("summary", many), tag("dl", rows, class_="unasked"))
