"""Recipes run as they stand on their pages: in a shell, or with the Python of the place that tools/recipes made for them."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import polars
import pytest
import yaml

import steelyard as sy

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "recipes"
PLACES = runpy.run_path(str(ROOT / "tools" / "recipes"), run_name="recipes")
INSTALLS = PLACES["installed_by_pages"]()
ALONE = {
    "DO_NOT_TRACK": "1",
    "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",  # a busy machine is not a failing recipe
    "WANDB_ERROR_REPORTING": "false",
    "ZENML_ANALYTICS_OPT_IN": "false",
}
ALONE |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
ALONE |= dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
"""Nobody is told of the run, and whoever tries reaches nothing: no one listens where the proxy should be."""


def blocks_of(page, *languages):
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def of_actions(page):
    jobs = yaml.safe_load(blocks_of(page, "yaml")[0])["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def of_gitlab(page):
    return [line for job in yaml.safe_load(blocks_of(page, "yaml")[0]).values() for line in job["script"]]


def of_crontab(page):
    lines = [line for block in blocks_of(page, "sh") for line in block.splitlines() if not line.startswith("#")]
    return [" ".join(line.split(" ")[5:]) for line in lines]


def of_airflow(page):
    found = re.findall(r'bash_command="(.*)",', blocks_of(page, "py")[0])
    return [line.replace("{{ ds }}", "2025-03-01") for line in found]


SCRIPTS = {
    "github-actions.md": of_actions,
    "gitlab.md": of_gitlab,
    "cron.md": of_crontab,
    "airflow.md": of_airflow,
}


@pytest.fixture
def office(tmp_path, monkeypatch):
    """What the pages take to be there: a night's rows, a champion, a place for every day."""
    monkeypatch.chdir(tmp_path)
    for folder in ("rows", "days"):
        Path(folder).mkdir()
    y = [0, 1] * 300
    p = [0.05 + 0.35 * t + (i * 37 % 100) / 170 for i, t in enumerate(y)]
    Path("preds.csv").write_text("y,p\n" + "".join(f"{t},{s}\n" for t, s in zip(y, p)))
    worse = [0.1 + 0.1 * t + (i * 37 % 100) / 150 for i, t in enumerate(y)]
    sy.evaluate(target=y, score=worse).save("champion.json")
    for name in ("today", "2025-03-01"):
        polars.DataFrame({"y": y, "p": p}).write_parquet(f"rows/{name}.parquet")
    return tmp_path


@pytest.fixture
def place(request, tmp_path, monkeypatch):
    """The programs of a page's own place, which knows the packages of the tests as well."""
    if not PLACES["is_ready"](request.param, INSTALLS[request.param]):
        pytest.skip("what this recipe installs is not there; tools/recipes installs it, and says why where it cannot")
    monkeypatch.chdir(tmp_path)
    return next(path for path in (PLACES["PLACES"] / request.param).glob("*") if path.name in {"bin", "Scripts"})


def shell(line, place=None, **more):
    """Run a line as a build does, with this steelyard, and nothing installed."""
    places = Path("bin")
    places.mkdir(exist_ok=True)
    (places / "pip").write_text("#!/bin/sh\nexit 0\n")
    (places / "pip").chmod(0o755)
    own = [] if place is None else [str(place)]
    path = os.pathsep.join([str(places.resolve()), *own, str(Path(sys.executable).parent), os.environ["PATH"]])
    known = {**os.environ, **ALONE, "PATH": path, "HOME": str(Path.cwd()), "GITHUB_STEP_SUMMARY": "summary.md", **more}
    return subprocess.run(["bash", "-e", "-c", line], env=known, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("page", SCRIPTS)
def test_the_lines_of_a_recipe_run(page, office):
    (office / "model").symlink_to(office)  # crontab's ~/model
    lines = SCRIPTS[page](page)
    assert "steelyard" in "".join(lines)
    for line in lines:
        done = shell(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    if "gate.xml" in "".join(lines):
        assert "<testsuite" in Path("gate.xml").read_text(encoding="utf-8")
    if "GITHUB_STEP_SUMMARY" in "".join(lines):
        assert Path("summary.md").read_text(encoding="utf-8").startswith("#")


@pytest.mark.parametrize("page", SCRIPTS)
def test_a_recipe_ends_as_the_page_says_where_a_requirement_is_not_met(page, office):
    """The gate of each page with a bound that nothing meets: the build fails, and a crontab mails what was said."""
    (office / "model").symlink_to(office)
    for line in [line for line in SCRIPTS[page](page) if "steelyard check" in line or "--save" in line]:
        done = shell(line.replace("auc >= 0.8", "auc >= 0.99999"))
        if "steelyard check" not in line:
            assert done.returncode == 0, done.stderr
        elif page == "cron.md":
            assert done.returncode == 0 and "failed" in done.stdout
        else:
            assert done.returncode == 1 and "failed" in done.stdout, done.stderr


IN_SHELL = {"airflow", "dbt"}
IN_PYTHON = [name for name in INSTALLS if name not in IN_SHELL]


@pytest.mark.parametrize(("page", "place"), [(name, name) for name in IN_PYTHON], indirect=["place"], ids=IN_PYTHON)
def test_the_python_of_a_recipe_runs_in_its_place(page, place):
    """As a program of its own: some of these tools look for the file in which a function stands."""
    Path("recipe.py").write_text("\n".join(blocks_of(f"{page}.md", "python")), encoding="utf-8")
    done = shell("python recipe.py", place)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


@pytest.mark.parametrize("place", ["dbt"], indirect=True)
def test_what_the_page_of_dbt_says_runs(place):
    Path("models").mkdir()
    for body in blocks_of("dbt.md", "yaml", "sql"):
        Path(body.split("\n")[0].lstrip("#- ")).write_text(body, encoding="utf-8")
    for line in blocks_of("dbt.md", "sh")[0].splitlines():
        done = shell(line, place)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("place", ["airflow"], indirect=True)
def test_what_the_page_of_airflow_says_runs(place, office):
    (office / "dags").mkdir()
    code = blocks_of("airflow.md", "py")[0].replace("/srv/model", str(office))
    (office / "dags" / "model_quality.py").write_text(code, encoding="utf-8")
    known = {"AIRFLOW_HOME": str(office), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    for line in ("airflow db migrate", "airflow dags test model_quality 2025-03-01"):
        done = shell(line, place, **known)
        assert done.returncode == 0, done.stderr[-2000:]
    assert (office / "days" / "2025-03-01.json").exists()


def test_what_the_page_of_pytest_says_runs(tmp_path, monkeypatch):
    """Its assertion fails with its words, and its gate lets rows pass whose scores are right."""
    monkeypatch.chdir(tmp_path)
    rows = [(int(i < 1000 * s), s) for s in (0.05, 0.2, 0.8, 0.95) for i in range(1000)]
    y, p = zip(*rows)
    polars.DataFrame({"y": y, "p": p}).write_parquet("preds.parquet")
    sy.evaluate(target=y, score=[0.3 + s / 3 * (i % 5) / 4 for i, s in enumerate(p)]).save("champion.json")
    fails, passes = blocks_of("pytest.md", "py")
    made = "import pytest\nimport steelyard as sy\n"
    e = "e = sy.evaluate('preds.parquet', target='y', score='p')\n"
    Path("test_fails.py").write_text(made + e + fails, encoding="utf-8")
    Path("test_passes.py").write_text(made + passes, encoding="utf-8")
    done = shell("python -m pytest -p no:cacheprovider -p no:xdist")
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    head, _, last = blocks_of("pytest.md", "text")[0].splitlines()
    assert head in done.stdout and last in done.stdout


def test_every_recipe_is_run():
    """Each page by its lines of a shell, in its own place, or among the tests, which have what it needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = {re.match(r"[\w-]+", text)[0] for text in project["optional-dependencies"]["test"]}
    named = {"sklearn": "scikit-learn", "xgboost": "xgboost-cpu"}
    for page in sorted(PAGES.glob("*.md")):
        needs = re.findall(r"^<!-- needs: (\w+) -->", page.read_text(encoding="utf-8"), re.MULTILINE)
        among = bool(needs) and {named.get(name, name) for name in needs} <= tested
        assert page.name in {"README.md", "pytest.md", *SCRIPTS} or page.stem in INSTALLS or among, page.name
