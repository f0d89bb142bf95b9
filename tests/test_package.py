"""What is published: built from these sources, installed in an environment of its own, and tried there."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import steelyard as sy

HOUSE = Path(__file__).parents[1]
pytest.importorskip("hatchling", reason="building needs hatchling, of the extra test")


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = Path(os.environ.get("STEELYARD_DIST") or tmp_path_factory.mktemp("dist"))
    run(sys.executable, "-m", "hatchling", "build", "-d", place, cwd=HOUSE)
    (wheel,), (sources,) = (sorted(place.glob(form)) for form in ("*.whl", "*.tar.gz"))
    return wheel, sources


@pytest.fixture(scope="module")
def environment(built, tmp_path_factory):
    """An environment with the wheel, in which libraries are those of the one that runs the tests."""
    place = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", place)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        built[0],
    )
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def clean():
    return {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTEST_ADDOPTS"}}


def test_the_version_stands_in_one_place(built):
    settings = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"]
    assert all(f"-{sy.__version__}" in path.name for path in built)


def test_the_wheel_holds_the_house_and_nothing_else(built):
    names = set(zipfile.ZipFile(built[0]).namelist())
    ours = {
        p.relative_to(HOUSE / "src").as_posix()
        for p in (HOUSE / "src/steelyard").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == ours
    assert {"steelyard/py.typed", "steelyard/reports/page.css", "steelyard/reports/page.js"} <= ours


def test_what_it_needs_is_little_and_stands_in_its_metadata(built):
    with zipfile.ZipFile(built[0]) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith("METADATA"))
        told = Parser().parsestr(wheel.read(name).decode())
    needed = [text for text in told.get_all("Requires-Dist") if "extra" not in text]
    assert len(needed) <= 8
    assert told["License-Expression"] == "Apache-2.0"
    assert "excel" in told.get_all("Provides-Extra")


def test_the_archive_of_sources_can_be_tested(built):
    with tarfile.open(built[1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {
        "src/steelyard/__init__.py",
        "tests/conftest.py",
        "Makefile",
        "README.md",
        "LICENSE",
        "SECURITY.md",
    } <= names
    assert not [name for name in names if name.startswith((".venv", ".git/", "dist"))]


def test_it_runs_where_it_was_installed(environment, tmp_path):
    where = run(environment, "-c", "import steelyard; print(steelyard.__file__)", cwd=tmp_path, env=clean()).strip()
    assert Path(where).is_relative_to(environment.parents[1])
    (tmp_path / "preds.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n1,0.7\n0,0.4\n" * 20)
    steelyard = environment.with_name("steelyard" + environment.suffix)
    assert run(steelyard, "--version", cwd=tmp_path, env=clean()).startswith(f"steelyard {sy.__version__}\n")
    told = run(steelyard, "evaluate", "preds.csv", "--target", "y", "--score", "p", cwd=tmp_path, env=clean())
    assert told.startswith("Useful, perfect on these rows\n")
    run(steelyard, "report", "preds.csv", "--target", "y", "--score", "p", "-o", "a.html", cwd=tmp_path, env=clean())
    assert "<svg" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_pytest_finds_the_plugin_by_itself(environment, tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(gate):\n    assert callable(gate)\n")
    words = (environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert "1 passed" in run(*words, cwd=tmp_path, env=clean())
