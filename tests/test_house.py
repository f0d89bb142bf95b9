"""The rules of the house: sizes, names, what an import costs, and pages that tell the truth."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "steelyard"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]

MOST_LINES = 400
CUPBOARDS = {"utils", "util", "helpers", "helper", "common", "base", "legacy", "misc"}
HEAVY = {"numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn", "duckdb", "narwhals", "numba", "rich"}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _modules() -> list[Path]:
    return sorted(path for room in ("src", "tests", "bench", "docs") for path in (ROOT / room).rglob("*.py"))


def _pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def _rooms() -> list[Path]:
    return sorted({path.parent for path in SOURCE.rglob("*.py")} - {SOURCE})


# ---- the source


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_a_module_can_be_held_in_mind(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{_name(path)} has {lines} lines; divide it by what its parts are about"


def test_there_are_no_cupboards() -> None:
    parts = {_name(path): path.relative_to(ROOT).with_suffix("").parts for path in _modules()}
    found = [name for name, names in parts.items() if CUPBOARDS & {part.strip("_") for part in names}]
    assert not found, f"name these by what they hold: {found}"


@pytest.mark.parametrize("room", _rooms(), ids=_name)
def test_a_room_says_its_rule_in_one_line(room: Path) -> None:
    door = room / "__init__.py"
    assert door.exists(), f"{_name(room)} has no __init__.py"
    rule = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
    assert rule, f"{_name(door)} has no docstring"
    assert len(rule.splitlines()) == 1, f"{_name(door)}: the rule of a room is one line"
    assert len(rule.split()) >= 5, f"{_name(door)}: {rule!r} does not say what may be done here"


def test_nothing_is_left_to_do_in_the_source() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX)\b")
    found = [_name(path) for path in SOURCE.rglob("*.py") if marks.search(path.read_text(encoding="utf-8"))]
    assert not found


def test_no_test_draws_from_what_another_has_drawn_from() -> None:
    """A generator of the whole module gives a test other numbers whenever other tests ran before it."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        made = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
        shared = {text.split(" = ")[0] for text in made if " = np.random.default_rng(" in text}
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            own = {name.id for name in names if isinstance(name.ctx, ast.Store)} | {a.arg for a in function.args.args}
            used = {name.id for name in names} & shared - own
            found += [f"{path.relative_to(ROOT)}: {function.name} draws from {name}" for name in sorted(used)]
    assert not found, f"ask for the fixture rng instead: {found}"


def test_the_types_are_published() -> None:
    assert (SOURCE / "py.typed").exists()


# ---- the direction of imports


def test_no_import_is_excused() -> None:
    assert any(contract["type"] == "layers" for contract in CONTRACTS)
    assert not [contract["name"] for contract in CONTRACTS if contract.get("ignore_imports")]


def test_every_room_has_a_place_in_the_layers() -> None:
    layers = next(contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")
    placed = {name.strip().removeprefix("steelyard.") for layer in layers for name in re.split("[|:]", layer)}
    there = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {"__init__", "__main__"} == placed


# ---- what an import costs


def _loaded_after(code: str) -> set[str]:
    """Top-level modules in memory after `code` has run in a Python of its own."""
    ending = "\nimport sys; print('\\n' + ' '.join({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_steelyard_imports_nothing_heavy() -> None:
    loaded = _loaded_after("import steelyard")
    assert "steelyard" in loaded
    assert not loaded & HEAVY


def test_asking_for_help_imports_nothing_heavy() -> None:
    module, _, function = PROJECT["project"]["scripts"]["steelyard"].partition(":")
    loaded = _loaded_after(
        f"import sys; sys.argv = ['steelyard', '--help']\n"
        f"from {module} import {function} as command\n"
        "try:\n    command()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    assert "click" in loaded
    assert not loaded & HEAVY


def test_every_public_name_can_be_had() -> None:
    steelyard = importlib.import_module("steelyard")
    for name in steelyard.__all__:
        assert getattr(steelyard, name) is not None
    assert set(steelyard.__all__) <= set(dir(steelyard))


# ---- the pages


def _blocks(page: Path) -> list[tuple[str, int, str]]:
    """The fenced blocks of a page: language, number of the first line inside, text."""
    found, language, start, inside = [], "", 0, False
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("```"):
            continue
        if inside:
            found.append((language, start, "\n".join(lines[start - 1 : number - 1]) + "\n"))
        else:
            language, start = line.strip().strip("`").strip(), number + 1
        inside = not inside
    assert not inside, f"{_name(page)}: the block opened above line {start} is not closed"
    return found


def test_the_readme_is_short_and_shows_an_estimate_at_once() -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text(encoding="utf-8").splitlines()) < 100
    output = [
        start + offset
        for _, start, text in _blocks(readme)
        for offset, line in enumerate(text.splitlines())
        if re.search(r"\d\s*\[\s*−?-?[\d.]+%?, ?−?-?[\d.]+%?\s*\]", line) and not line.startswith((">>>", "...", "$"))
    ]
    assert output, "the README shows no estimate with its interval"
    assert min(output) <= 15, f"the first estimate is on line {min(output)}"


def test_the_python_in_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = ROOT / "README.md"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    parser, runner, said = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=flags), []
    blocks = [(start, text) for language, start, text in _blocks(readme) if language in {"python", "pycon", "py"}]
    assert blocks, "the README has no Python"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for start, text in blocks:
        assert ">>>" in text, f"README.md line {start}: write it as a session, so that it can be run"
        # One namespace for the page: a later block goes on where an earlier one stopped.
        test = parser.get_doctest(text, names, "README", str(readme), start - 1)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_the_commands_in_the_readme_exist() -> None:
    shells = {"sh", "bash", "shell", "console"}
    shell = [text for language, _, text in _blocks(ROOT / "README.md") if language in shells]
    assert shell, "the README has no command to copy"
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    module, _, function = PROJECT["project"]["scripts"]["steelyard"].partition(":")
    run = [sys.executable, "-c", f"from {module} import {function} as command; command()"]
    for line in "".join(shell).splitlines():
        match line.removeprefix("$ ").split():
            case ["make", target, *_]:
                assert target in targets, line
            case ["steelyard", command, *_] if not command.startswith("-"):
                done = subprocess.run([*run, command, "--help"], capture_output=True, text=True)
                assert done.returncode == 0, f"{line}: {done.stderr}"


def _prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _links(page: Path) -> list[str]:
    """Relative links and pictures of a page, as written."""
    text = re.sub(r"`[^`\n]*`", "code", _prose(page))
    found = re.findall(r"\]\(<?([^)\s>]+)>?[^)]*\)", text) + re.findall(r"""(?:src|href|srcset)=["']([^"'\s]+)""", text)
    return [link for link in found if not re.match(r"[a-z][a-z0-9+.-]*:|//", link)]


def _anchors(page: Path) -> set[str]:
    """The anchors GitHub gives to the headings of a page, and those set by hand."""
    text = _prose(page)
    heads = re.findall(r"^#+ +(.+?) *$", text, flags=re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
    return made | set(re.findall(r"""(?:id|name)=["']([^"']+)""", text))


@pytest.mark.parametrize("page", _pages(), ids=_name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in _links(page):
        where, _, anchor = unquote(link).partition("#")
        to = (page.parent / where).resolve() if where else page
        assert to.exists(), f"{_name(page)} links to {link}, which is not there"
        assert to.is_relative_to(ROOT), f"{_name(page)} links out of the repository: {link}"
        if anchor and to.suffix == ".md":
            assert anchor in _anchors(to), f"{_name(page)} links to {link}: no such heading"


def test_every_page_can_be_found_from_the_first() -> None:
    """From docs/README.md, or from the README.md of a folder that it leads to."""
    docs = ROOT / "docs"

    def linked(page: Path) -> set[Path]:
        return {(page.parent / unquote(link).partition("#")[0]).resolve() for link in _links(page)}

    known = {docs / "README.md"} | linked(docs / "README.md")
    known |= {found for page in known if page.name == "README.md" for found in linked(page)}
    lost = [_name(page) for page in docs.rglob("*.md") if not known & {page, page.parent} - {docs}]
    assert not lost, f"docs/README.md does not lead to {lost}"


def test_the_tests_at_the_bounds_are_there() -> None:
    text = (ROOT / "tools" / "bounds").read_text(encoding="utf-8")
    named = [
        name
        for line in re.findall(r"^TESTS \+?= (.*)$", text, re.MULTILINE)
        for name in re.findall(r'"([\w./]+)"', line)
    ]
    assert {"engines", "sources", "laws", "textbook", "agreement"} <= {*named}
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []
