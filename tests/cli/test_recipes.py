"""The lines of recipes for builds and schedules run as they stand on their pages."""

import re
import shlex
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.program import run

PAGES = Path(__file__).parents[2] / "docs" / "recipes"
LINE = re.compile(r"(?:^|&& |\"|- |run: |\| +)(steelyard (?:report|check|evaluate) [^\n\"|]*)", re.MULTILINE)


def lines_of(page):
    """Every line of steelyard within a block of code, up to what a shell does with its output."""
    blocks = re.findall(r"^```\w+\n(.*?)^```", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in LINE.findall(re.sub(r"(?m)^ +", "", block))]
    return [re.sub(r" >>? [a-z\"].*", "", line).strip() for line in found]


@pytest.mark.parametrize("page", ["github-actions.md", "gitlab.md", "cron.md", "airflow.md"])
def test_the_lines_of_a_recipe_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for folder in ("rows", "days"):
        Path(folder).mkdir()
    y = [0, 1] * 300
    p = [0.1 + 0.5 * t + (i * 37 % 100) / 350 for i, t in enumerate(y)]
    Path("preds.csv").write_text("y,p\n" + "".join(f"{t},{s}\n" for t, s in zip(y, p)))
    worse = [0.1 + 0.1 * t + (i * 37 % 100) / 150 for i, t in enumerate(y)]
    sy.evaluate(target=y, score=worse).save("champion.json")
    import polars

    for name in ("today", "2025-03-01"):
        polars.DataFrame({"y": y, "p": p}).write_parquet(f"rows/{name}.parquet")
    lines = lines_of(page)
    assert lines
    for line in lines:
        assert run(shlex.split(line.replace("{{ ds }}", "2025-03-01"))[1:]) == 0, line
    if "gate.xml" in "".join(lines):
        assert "<testsuite" in Path("gate.xml").read_text(encoding="utf-8")
    if "report.md" in "".join(lines):
        assert Path("report.md").read_text(encoding="utf-8").startswith("#")


def test_every_page_says_whether_its_lines_are_run():
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        run_here = "```python" in text or lines_of(page.name)
        assert run_here or "ot run by the tests" in text or page.name in {"README.md", "pytest.md"}, page.name
