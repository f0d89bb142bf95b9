"""Prints the pages that come from the code: the catalogue of measures, the intervals, the commands.

python docs/make.py           write the pages
python docs/make.py --check   write nothing; say which pages differ from the code, and exit with 1 if any does
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import steelyard as sy
from steelyard.asking.questions import ask
from steelyard.intervals import method as methods
from steelyard.measures.curves import curves
from steelyard.measures.measure import Measure
from steelyard.measures.ways import reason_of
from steelyard.views.catalogue import BETTER, range_text
from steelyard.views.glossary import glossary_page

DOCS = Path(__file__).resolve().parent
SOURCE = DOCS.parent / "src" / "steelyard"
WIDTH = 100
NOTE = "<!-- Printed by docs/make.py from the code. Change the code, then run: make docs -->"


# A little evidence of every kind, to ask the code which interval a measure gets and why it may be undefined -----------


@cache
def samples() -> tuple[sy.Evaluation, ...]:
    """Scores of two levels, scores that are no probabilities, scores of three classes, and numbers."""
    target = [0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]
    score = [0.1, 0.4, 0.35, 0.8, 0.6, 0.2, 0.55, 0.9, 0.3, 0.45, 0.15, 0.7]
    classes = {
        "a": [0.6, 0.2, 0.1, 0.5, 0.3, 0.2, 0.4, 0.3, 0.1],
        "b": [0.3, 0.6, 0.2, 0.1, 0.5, 0.3, 0.5, 0.4, 0.3],
        "c": [0.1, 0.2, 0.7, 0.4, 0.2, 0.5, 0.1, 0.3, 0.6],
    }
    dose = [7.0, 9.5, 6.0, 8.0, 11.0, 10.0, 7.5, 9.0]
    said = [7.4, 9.0, 6.3, 7.1, 11.6, 9.7, 8.0, 9.1]
    return (
        sy.evaluate(target=target, score=score, profit=sy.Profit(tp=5, fp=-2)),
        sy.evaluate(target=target, score=[9 * s - 3 for s in score]),
        sy.evaluate(target=list("abcabcabc"), score=classes),
        sy.evaluate(target=dose, prediction=said),
        sy.evaluate(target=target, score=score, profit=sy.Cost(fn=5, fp=2)),
    )


def questions(m: Measure) -> Iterator[methods.Question]:
    """The measure, asked of every sample that can answer it."""
    for e in samples():
        options = m.with_defaults({"payoff": e.payoff} if "payoff" in m.options else {})
        if "payoff" in options and e.payoff is None:
            continue
        try:
            yield ask(m, e.summaries, None, options, 0.95, e.positive)
        except sy.errors.NotAvailable:
            continue


def method_of(m: Measure) -> str:
    """The name under which the intervals room keeps the method of a measure."""
    return methods.choose(next(questions(m)))


def method_documentation(name: str) -> str:
    """What the method says about itself."""
    for room in methods.ROOMS:
        importlib.import_module(f"steelyard.intervals.{room}")
    return inspect.getdoc(methods._methods[name]) or ""


def interval_words(m: Measure) -> str:
    """The interval of a measure in words, or why it has none."""
    if m.interval.startswith("none"):
        return f"none: {m.interval.partition(': ')[2]}"
    return f"{told_as(m)}. {sentence(method_documentation(method_of(m)))}"


def told_as(m: Measure) -> str:
    """What a result says about its method."""
    e = next(e for e in samples() if m.name in e.measures)
    return e.measure(m.name).method


def undefined_words(m: Measure) -> str:
    """Why the measure may have no value."""
    readings = (q.read(q.summary) for q in questions(m))
    reasons = [r.shares[0].empty if hasattr(r, "shares") else reason_of(r) for r in readings]
    return "; ".join(dict.fromkeys(reasons))


# The catalogue --------------------------------------------------------------------------------------------------------


def sentence(documentation: str) -> str:
    """The first line of a documentation, without its full stop."""
    return documentation.split("\n", 1)[0].rstrip(".")


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return text.replace("|", "\\|")


def by_question() -> dict[str, list[Measure]]:
    """Measures by the module that holds them, in the order in which people ask."""
    found: dict[str, list[Measure]] = {}
    for m in sy.catalogue().values():
        found.setdefault(m.function.__module__, []).append(m)
    return found


def question_of(module: str) -> tuple[str, str]:
    """The question that a module of measures answers, and the rest of its first line."""
    loaded = sys.modules.get(module)
    asked, mark, rest = ((loaded and inspect.getdoc(loaded)) or "").split("\n", 1)[0].partition("?")
    return (asked + mark, rest.strip()) if mark else ("Measures from elsewhere", "")


def split_example(documentation: str) -> tuple[str, str]:
    """The prose of a documentation, and its example."""
    prose, mark, example = documentation.partition(">>> ")
    return prose.strip(), (mark + example).strip()


def imports(module: str, measures: list[Measure]) -> list[str]:
    """The lines that make the examples of a section run."""
    shown = [m for m in measures if split_example(m.documentation)[1]]
    text = " ".join(split_example(m.documentation)[1] for m in shown)
    used = {r for m in measures for r in m.reads if re.search(rf"\b{r.__name__}\b", text)}
    names: dict[str, list[str]] = {module: [m.name for m in shown]}
    for r in sorted(used, key=lambda r: (r.__module__, r.__name__)):
        names.setdefault(r.__module__, []).append(r.__name__)
    lines: list[str] = []
    for home, them in names.items():
        line = f">>> from {home} import {', '.join(them)}"
        if len(line) <= WIDTH:
            lines += [line]
            continue
        inner = textwrap.wrap(", ".join(them) + ",", WIDTH, initial_indent="...     ", subsequent_indent="...     ")
        lines += [f">>> from {home} import (", *inner, "... )"]
    return lines


def entry(m: Measure) -> list[str]:
    """Everything about one measure."""
    prose, example = split_example(m.documentation)
    reads = " or ".join(f"[{r.__name__}](rooms/summaries.md#{r.__name__.lower()})" for r in m.reads)
    asked = "".join(f", {k}={v!r}" for k, v in m.options.items())
    lines = [f"### {m.name}", "", prose, ""]
    lines += [f"- Asked as: `e.measure({m.name!r}{asked})`".replace("'", '"')] if m.options else []
    lines += [f"- `{name}` must be {allowed}." for name, allowed in m.allowed.items()]
    lines += [
        f"- Range: {range_text(m)}; {BETTER[m.better]}.",
        f"- Reads: {reads}.",
        f"- Interval: {interval_words(m)}.",
        f"- Not available when: {undefined_words(m)}.",
    ]
    lines += [f"- When: {m.when}"] if m.when else []
    lines += [f"- Leans to: {m.leans[0].lower()}{m.leans[1:]}"] if m.leans else []
    lines += [f"- Also called: {', '.join(f'`{a}`' for a in m.aliases)}."] if m.aliases else []
    return [*lines, "", *(["```python", example, "```", ""] if example else [])]


def catalogue_page() -> str:
    """Every measure, by the question it answers."""
    sections = by_question()
    total = sum(map(len, sections.values()))
    lines = [
        NOTE,
        "",
        "# Measures",
        "",
        f"There are {total} measures, filed by the question they answer. Of an evaluation `e`, a measure is asked",
        'for by its name or by any of its other names: `e["recall"]`. One that belongs to a level takes the level or',
        'an average, `e["recall", "spam"]`, `e["recall", "macro"]` (also `"micro"` and `"weighted"`); one that has',
        'options takes them by keyword, `e.measure("f_beta", beta=2)`. Every answer carries its interval;',
        "[the list of intervals](intervals.md) says how each is made. Where a number does not exist the answer says",
        "why, in the words given here. Names that differ in the field are settled in",
        "[the conventions](conventions.md).",
        "",
        "The examples call the functions directly, on summaries written by hand; `evaluate` does this for you.",
        "",
    ]
    for module, measures in sections.items():
        asked, rest = question_of(module)
        lines += [f"## {asked}", "", *([rest, ""] if rest else []), "| measure | what it says | range | better |"]
        lines += ["|---|---|---|---|"]
        for m in measures:
            better = {"": "–"}.get(m.better, m.better)
            lines += [f"| [{m.name}](#{m.name}) | {cell(m.sentence)} | {range_text(m)} | {better} |"]
        lines += [""]
        if any(split_example(m.documentation)[1] for m in measures):
            lines += ["```python", *imports(module, measures), "```", ""]
        for m in measures:
            lines += entry(m)
    return "\n".join([*lines, *curve_section()])


def curve_section() -> list[str]:
    """Every curve and its columns."""
    e = samples()[0]
    lines = ["## What does it look like at every threshold?", ""]
    lines += ["A curve is asked for as `e.curve(name)`; of many classes as `e.curve(name, level)`.", ""]
    lines += ["| curve | what it shows | columns |", "|---|---|---|"]
    for name, function in curves().items():
        columns = ", ".join(f"`{c}`" for c in e.curve(name).columns)
        lines += [f"| {name} | {cell(inspect.getdoc(function) or '')} | {columns} |"]
    return [*lines, ""]


# Intervals ------------------------------------------------------------------------------------------------------------


def intervals_page() -> str:
    """Which interval each measure gets."""
    groups: dict[tuple[str, str], list[Measure]] = {}
    for m in sy.catalogue().values():
        groups.setdefault((method_of(m), told_as(m)), []).append(m)
    lines = [
        NOTE + "\n",
        "# Intervals\n",
        "Every number carries an interval and the name of the method that made it, `.method`, or says in `.note`",
        "why it has none. [The room of the intervals](rooms/intervals.md) says how a method is chosen, and",
        "[decision 4](decisions/0004-intervals-that-cover.md) why these were.\n",
        "![Chief measures as dots on their intervals](pictures/guides/intervals.svg)",
        "",
        "| the result says | how it is made | measures |",
        "|---|---|---|",
    ]
    for (name, told), measures in groups.items():
        names = ", ".join(f"[{m.name}](measures.md#{m.name})" for m in measures)
        why = "; ".join(m.interval.partition(": ")[2] for m in measures)
        how = why if name == "none" else sentence(method_documentation(name))
        lines += [f"| {cell(told)} | {cell(how)} | {names} |"]
    rest = sorted(n for n in methods._methods if n not in {name for name, _ in groups})
    lines += ["", "Whatever the measure:", ""]
    lines += [f"- *{n}*: {sentence(method_documentation(n))}." for n in rest]
    return "\n".join([*lines, ""])


# Commands -------------------------------------------------------------------------------------------------------------


def commands() -> list[list[str]]:
    """Every command as the words that call it, the program itself first."""
    import click

    from steelyard.cli.program import program

    return [[], *([name] for name in program.list_commands(click.Context(program)))]


def said(words: list[str]) -> str:
    """What the program prints when it is called with these words."""
    from click.testing import CliRunner

    from steelyard.cli.program import program

    done = CliRunner().invoke(program, words, prog_name="steelyard", terminal_width=80, color=False)
    assert done.exit_code == 0, done.output
    return done.output.rstrip()


def cli_page() -> str:
    """The help of every command, and every topic."""
    from steelyard.cli.topics import TOPICS

    lines = [NOTE, "", "# The command line", ""]
    for words in commands():
        lines += [f"## {' '.join(['steelyard', *words])}", "", "```text", said([*words, "--help"]), "```", ""]
    lines += ["## Topics", "", "`steelyard help` lists them.", ""]
    for topic in TOPICS:
        lines += [f"### steelyard help {topic}", "", "```text", said(["help", topic]), "```", ""]
    return "\n".join(lines)


def engines_page() -> str:
    """Which kind of table can do what."""
    from steelyard.engines.engine import ABILITIES
    from steelyard.sources.abilities import PLACES

    lines = [NOTE, "", "# Which engine can do what", ""]
    lines += ["| what you have | is counted by | rows |", "|---|---|---|"]
    lines += [f"| {p.holds} | {p.counted} | {p.moves} |" for p in PLACES.values()]
    lines += ["", "What each of them can do:", ""]
    lines += [f"| | {' | '.join(PLACES)} |", f"|---|{'---|' * len(PLACES)}"]
    for name, about in ABILITIES.items():
        lines.append(f"| {about} | {' | '.join('yes' if name in p.can else 'no' for p in PLACES.values())} |")
    lines += [
        "",
        "What a table cannot do is refused with a sentence that names the way round it. [Where the rows live](where-rows-live.md)",
    ]
    lines[-1:] = textwrap.wrap(lines[-1] + " shows how each is named.", 120)
    return "\n".join([*lines, ""])


# The house, as the contract about imports has it ----------------------------------------------------------------------

HOUSE = (
    "<!-- The house: printed by docs/make.py from pyproject.toml and the first line of each room -->",
    "<!-- end -->",
)


def rule_of(name: str) -> str:
    """The first line of what a room or a module says of itself."""
    path = SOURCE / name / "__init__.py" if (SOURCE / name).is_dir() else SOURCE / f"{name}.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]


def layers() -> list[list[str]]:
    """Rooms and modules, those that may know of all others first, in the order that a test holds imports to."""
    contracts = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    told = next(c["layers"] for c in contracts if c["type"] == "layers")
    return [[name.strip().removeprefix("steelyard.") for name in re.split("[|:]", layer)] for layer in told]


def house() -> str:
    """A table of layers, from the one that knows all others down to the one that knows none."""
    lines = ["| layer | room | what may be done in it |", "|---|---|---|"]
    found = layers()
    for depth, names in enumerate(found):
        for name in names:
            link = f"[{name}/](rooms/{name}.md)" if (SOURCE / name).is_dir() else f"`{name}.py`"
            lines.append(f"| {len(found) - depth} | {link} | {cell(rule_of(name))} |")
    return "\n".join([HOUSE[0], "", *lines, "", HOUSE[1]])


def how_it_works_page() -> str:
    """The page as it is, with the house as it is."""
    text = (DOCS / "how-it-works.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(HOUSE[0])
    return before + house() + rest.partition(HOUSE[1])[2]


SIGNALS = ("<!-- Signals: printed by docs/make.py from the gauges -->", "<!-- end of signals -->")


def monitors_page() -> str:
    """The page of the room as it is, with the signals as they are."""
    from steelyard.monitors.gauges import gauges

    text = (DOCS / "rooms" / "monitors.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(SIGNALS[0])
    lines = ["| kind | in tables | about | question of its section | waits for labels |", "|---|---|---|---|---|"]
    for kind, g in gauges().items():
        about = sentence(type(g).__doc__ or "")
        cells = [f"`{kind}`", g.called or kind, about, g.question or "none", "yes" if g.waits else "no"]
        lines.append(f"| {' | '.join(map(cell, cells))} |")
    return before + "\n".join([SIGNALS[0], "", *lines, "", SIGNALS[1]]) + rest.partition(SIGNALS[1])[2]


PAGES: dict[str, Callable[[], str]] = {
    "rooms/monitors.md": monitors_page,
    "how-it-works.md": how_it_works_page,
    "engines.md": engines_page,
    "measures.md": catalogue_page,
    "intervals.md": intervals_page,
    "cli.md": cli_page,
    "glossary.md": lambda: f"{NOTE}\n\n{glossary_page()}",
}


def differing() -> list[str]:
    """Pages that do not say what the code says."""
    there = {name: (DOCS / name).read_text(encoding="utf-8") if (DOCS / name).exists() else "" for name in PAGES}
    return [name for name, page in PAGES.items() if there[name] != page()]


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    for name in (wrong := differing()):
        if arguments:
            print(f"docs/{name} differs from the code. To print it anew: make docs", file=sys.stderr)
        else:
            (DOCS / name).parent.mkdir(exist_ok=True)
            (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
            print(f"docs/{name} printed")
    return 1 if wrong and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
