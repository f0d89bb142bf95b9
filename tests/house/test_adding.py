"""The pages about adding something are done as they say, in a copy of the house, and run there in a Python of their own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("adding-*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n\.venv/bin/python (-m pytest .*?)\n```", re.MULTILINE)
FILE = re.compile(r"# (at the end of )?(src/steelyard/\S+\.py)\n")

RUN = """
import doctest, importlib, re, sys
from pathlib import Path

flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
runner, said, names = doctest.DocTestRunner(optionflags=flags), [], {}
for module in sys.argv[2:]:
    names |= vars(importlib.import_module(module))
for found in re.finditer(r"^```python\\n(.*?)^```", Path(sys.argv[1]).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
    if found[1].startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(found[1], names, "page", "page", 0)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    elif not found[1].startswith("# "):
        exec(found[1], names)
for name, value in list(names.items()):
    if name.startswith("test_") and callable(value):
        value()
sys.exit("".join(said) or 0)
"""


def _added(page: Path, copy: Path) -> list[str]:
    """Write the files of a page into a copy of the house, and name their modules."""
    modules = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if mark := FILE.match(block):
            path = copy / mark[2]
            before = path.read_text(encoding="utf-8") if mark[1] else ""
            assert path.exists() == bool(mark[1])
            path.write_text(f"{before}\n\n{block[mark.end() :]}".lstrip("\n"), encoding="utf-8")
            modules.append(mark[2].removeprefix("src/").removesuffix(".py").replace("/", "."))
    return modules


def _run(copy: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_adds_works_with_no_other_edit(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")  # With what was compiled of it, which is as old as it was.
    modules = _added(page, tmp_path)
    assert modules, "a page adds a file"
    _run(tmp_path, "-W", "error", "-c", RUN, str(page), *modules)
    for command in SHELL.findall(page.read_text(encoding="utf-8")):
        # The common tests know of what was added by themselves.
        shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("approved"))
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        said = _run(tmp_path, *shlex.split(command), "-q", "-p", "no:cacheprovider", "-p", "no:randomly")
        assert re.search(r"^\d+ passed", said, re.MULTILINE), said


def test_a_page_that_adds_nothing_would_fail(tmp_path: Path) -> None:
    """What the pages show is there only because they added it."""
    for page in PAGES:
        modules = {
            m[2] for block in BLOCK.findall(page.read_text(encoding="utf-8")) if (m := FILE.match(block)) and not m[1]
        }
        assert not [name for name in modules if (ROOT / name).exists()]
