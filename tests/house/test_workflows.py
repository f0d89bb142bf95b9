"""What a host of repositories runs: well-formed, and naming only what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="YAML is read where something brings a reader of it")

HOUSE = Path(__file__).parents[2]
FILES = sorted((HOUSE / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z]+):", (HOUSE / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))


def jobs_of(file: Path) -> dict[str, Any]:
    read = yaml.safe_load(file.read_text(encoding="utf-8"))
    # To YAML the bare word `on` is a truth value.
    assert (
        {"name", "jobs"} <= set(read) and (True in read or "on" in read) and read["permissions"] == {"contents": "read"}
    )
    jobs: dict[str, Any] = read["jobs"]
    return jobs


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_workflow_is_well_formed(file: Path) -> None:
    jobs = jobs_of(file)
    for job in jobs.values():
        matrix = job.get("strategy", {}).get("matrix", {})
        assert set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))) == set(matrix)
        assert all(list(matrix.values()))
        assert {job["needs"]} <= set(jobs) if "needs" in job else True
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1")), "an action is pinned to a version"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_workflow_names_what_there_is(file: Path) -> None:
    for job in jobs_of(file).values():
        for line in [step["run"] for step in job["steps"] if "run" in step]:
            assert set(re.findall(r"\bmake (\w+)", line)) <= TARGETS, line
            for extras in re.findall(r'-e "\.\[([\w,]+)\]"', line):
                assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), line
            assert all((HOUSE / folder).is_dir() for folder in re.findall(r"\btests/\w+", line)), line


def test_the_lowest_version_of_python_is_tried() -> None:
    matrix = jobs_of(HOUSE / ".github" / "workflows" / "test.yml")["suite"]["strategy"]["matrix"]
    told = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert matrix["python"] == told and f">={told[0]}" == PROJECT["requires-python"]


def test_hooks_before_a_commit_are_the_lint_of_the_house() -> None:
    hooks = yaml.safe_load((HOUSE / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8")
    assert [hook["entry"].replace(".venv/bin/", "$(BIN)/") in makefile for hook in hooks] == [True] * 4
