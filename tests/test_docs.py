"""The documentation says what the code says: printed pages are current, examples run, nothing is left undescribed."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import steelyard as sy
from steelyard.cli.program import COMMANDS, program
from steelyard.measures.curves import curves
from steelyard.measures.measure import forget
from steelyard.summaries.summary import forget as forget_kind
from steelyard.summaries.summary import kinds

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "steelyard"
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def _is_run(page: Path) -> bool:
    """The page of printed examples has a test of its own, and programs of recipes are run by tests/cli/test_recipes.py."""
    text = page.read_text(encoding="utf-8")
    elsewhere = page.name == "textbook.md" or page.name.startswith("adding-")
    return not elsewhere and "```python\n" in text and ("```python\n>>>" in text or "<!-- installs: " not in text)


RUN = sorted(filter(_is_run, DOCS.rglob("*.md")))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _load("make")
DRAWER = _load("pictures")


def _text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


# ---- pages that are printed from the code


@pytest.mark.parametrize("page", make.PAGES)
def test_a_printed_page_is_current(page: str) -> None:
    assert _text(page) == make.PAGES[page](), f"docs/{page} differs from the code; print it anew with: make docs"


def test_check_says_which_page_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "DOCS", tmp_path)
    monkeypatch.setattr(make, "PAGES", {"one.md": lambda: "new\n", "two/picture.svg": lambda: "<svg/>\n"})
    (tmp_path / "one.md").write_text("old\n", encoding="utf-8")
    assert make.main(["--check"]) == 1
    assert "docs/one.md differs" in capsys.readouterr().err
    assert (tmp_path / "one.md").read_text(encoding="utf-8") == "old\n"
    assert make.main([]) == 0
    assert make.main(["--check"]) == 0
    assert (tmp_path / "two" / "picture.svg").exists()
    assert make.main(["--wrong"]) == 2


@pytest.mark.parametrize("name", sy.catalogue())
def test_every_measure_is_documented(name: str) -> None:
    measure = sy.catalogue()[name]
    section = _text("measures.md").partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    assert measure.sentence in section
    assert "- Interval: " in section
    assert all(f"`{alias}`" in section for alias in measure.aliases)
    assert all(f"{option}=" in section for option in measure.options)
    assert f"(measures.md#{name})" in _text("intervals.md")


def test_every_curve_and_command_is_documented() -> None:
    assert all(f"\n| {name} |" in _text("measures.md") for name in curves())
    assert all(f"\n## steelyard {name}\n" in _text("cli.md") for name in COMMANDS)


def test_the_picture_is_the_first_screen_of_a_report() -> None:
    text = _text("pictures/report.svg")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    # Of a model of middling quality, with what it brings, the slider and intervals.
    shown = ("Who will leave in March?", "Ranking (AUC)", "Profit at each threshold", "everybody is flagged")
    assert all(f">{words}</text>" in text for words in shown)
    auc = re.search(r">Ranking \(AUC\)</text><text[^>]*>([\d.]+)</text><text[^>]*>\[", text)
    assert auc and 0.65 < float(auc[1]) < 0.85


@pytest.mark.parametrize("page", sorted(DRAWER.GUIDES))
def test_a_guide_has_a_picture_that_its_call_draws(page: str) -> None:
    file, draw, _ = DRAWER.GUIDES[page]
    place = f"pictures/guides/{file}.svg"
    assert f"]({place})" in _text(f"{page}.md")
    assert DRAWER.as_drawn(place, draw().svg() + "\n"), "python docs/pictures.py"


def test_every_guide_for_users_has_a_picture() -> None:
    used = _text("README.md").partition("## To use it")[2].partition("## To change it")[0]
    guides = set(re.findall(r"\(([\w-]+\.md)\)", used))
    # Lists and the words of commands have none, and neither have places of rows.
    bare = {page for page in guides if "![" not in _text(page)}
    assert bare <= {"measures.md", "cli.md", "glossary.md", "engines.md", "where-rows-live.md"}


# ---- examples


@pytest.fixture
def _borrowed_catalogue() -> Iterator[None]:
    """What a page adds to the catalogue is taken out again."""
    known, kept = set(sy.catalogue()), set(kinds())
    yield
    for name in set(sy.catalogue()) - known:
        forget(name)
    for name in set(kinds()) - kept:
        forget_kind(name)


@pytest.mark.usefixtures("_borrowed_catalogue")
@pytest.mark.parametrize("page", RUN, ids=_name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner, said = doctest.DocTestRunner(optionflags=flags), []
    names: dict[str, object] = {"__name__": "page"}
    text = page.read_text(encoding="utf-8")
    if "<!-- needs: " in text:
        warnings.simplefilter("default")  # what another package uses of yet others is its own affair
    for found in re.finditer(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, found.start(1))
        if not found[1].startswith(">>>"):
            # Code for a file, without prompts: it is taken as it is.
            exec(compile("\n" * line + found[1], str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(found[1], names, page.name, str(page), line)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert not runner.summarize(verbose=False).failed, "".join(said)
    for name, value in list(names.items()):
        if name.startswith("test_") and callable(value):
            value()


def test_the_readme_shows_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```sh\n(steelyard evaluate [^\n]+)\n```\n\n```text\n(.*?)```", readme, flags=re.DOTALL)
    assert shown, "the README has no command with its output"
    lists = dict(re.findall(r">>> (spam|ham) = \[(.*?)\]", readme))
    rows = [f"{label},{s.strip()}" for label in ("spam", "ham") for s in lists[label].split(",")]
    monkeypatch.chdir(tmp_path)
    Path("preds.csv").write_text("\n".join(["label,p", *rows, ""]), encoding="utf-8")
    done = CliRunner().invoke(program, shown[1].split()[1:], prog_name="steelyard")
    assert done.exit_code == 0, done.output
    at = 0
    for part in shown[2].split("…\n"):
        assert part in done.stdout[at:], f"not printed, or not there:\n{part}"
        at = done.stdout.index(part, at) + len(part)


# ---- rooms and decisions


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_a_page_with_its_rule_and_its_files(room: str) -> None:
    page = _text(f"rooms/{room}.md")
    rule = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8")))
    assert f"> {rule}\n" in page
    assert "## To add one" in page
    there = {path.name for path in (SOURCE / room).glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"^\| `(\w+\.py)` \|", page, flags=re.MULTILINE)) == there


def test_the_modules_outside_the_rooms_are_described() -> None:
    there = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert set(re.findall(r"^### (\w+\.py)$", _text("rooms/README.md"), flags=re.MULTILINE)) == there


def test_decisions_are_numbered_and_listed() -> None:
    pages = sorted(path.name for path in (DOCS / "decisions").glob("0*.md"))
    assert [int(name[:4]) for name in pages] == list(range(1, len(pages) + 1))
    for number, name in enumerate(pages, start=1):
        assert _text(f"decisions/{name}").startswith(f"# {number}. ")
        assert f"({name})" in _text("decisions/README.md")
