"""Three kinds of new user walk from the README alone; every friction that they met has a test, named in FRICTIONS.

Each walk is one script in one process, as somebody would type it; what it meets on its way is held as it happens.
"""

import ast
import html
import json
import math
import pickle
import random
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.program import complain, run

NOTEBOOK = Path(__file__).with_name("a_notebook.ipynb")
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]

FRICTIONS = {
    "an Estimate is no number": "test_a_notebook_beside_scikit_learn_and_pandas",
    "float() of an undefined one raises": "test_an_undefined_number_does_no_harm_in_a_dictionary",
    "raw dumps as cell output": "test_a_cell_shows_what_print_shows",
    "no completion, list(e) fails": "test_names_complete",
    "probability matrices are refused": "test_probability_matrices_and_frames_are_taken",
    "no scorer for GridSearchCV": "test_a_notebook_beside_scikit_learn_and_pandas",
    "no gate in Python": "test_a_notebook_beside_scikit_learn_and_pandas",
    "no recipe for MLflow or pytest": "test_there_is_a_recipe",
    "tracebacks show internal frames": "test_a_notebook_shows_no_room_behind_a_refusal",
    "curve('roc_curve') suggests cost_curve": "test_a_wrong_name_leads_to_the_nearest",
    "decimal commas, 01.03.2025 and .xlsx are refused": "test_a_file_and_a_terminal",
    "scores in percent pass silently": "test_scores_in_per_cent_are_said",
    "stability leads with the row number": "test_stability_leads_with_no_row_number",
    "evaluate FILE without a target does not list the columns": "test_a_file_and_a_terminal",
    "no decile table": "test_a_file_and_a_terminal",
    "no list of customers to contact": "test_a_file_and_a_terminal",
    "a list with points and commas is one column to a German program": "test_a_file_and_a_terminal",
    "no chart as PNG or SVG": "test_a_file_and_a_terminal",
    "no slices command": "test_a_file_and_a_terminal",
    "no look at a file's columns": "test_a_file_and_a_terminal",
    "a night's job needs exit codes and a file a day": "test_a_nightly_job",
    "evaluate and look name another positive level": "test_a_file_in_a_narrow_pipe",
    "e.auc and y_true= lead nowhere": "test_a_wrong_name_leads_to_the_nearest",
    "a sentence is cut in a word at the edge of a terminal": "test_a_sentence_is_not_cut_in_a_word",
    "evaluate march*.csv without quotes": "test_several_files_without_quotes_lead_on",
}


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    p = rng.random(400)
    return pd.DataFrame({"y": (rng.random(400) < p).astype(int), "p": p, "region": rng.choice(["north", "south"], 400)})


def test_every_friction_has_its_test():
    assert set(FRICTIONS.values()) <= set(globals())


# In a notebook --------------------------------------------------------------------------------------------------------


def test_a_notebook_beside_scikit_learn_and_pandas(rows):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    e = sy.evaluate(rows, target="y", score="p")
    auc = e["auc"]
    assert auc > 0.7 and round(auc, 2) == round(float(auc), 2) and f"{auc:.3f}" == f"{float(auc):.3f}"
    assert 1 - auc == 1 - float(auc) and sorted([auc, 0.1]) == [0.1, auc]
    assert json.loads(json.dumps({"auc": auc})) == {"auc": float(auc)}
    assert pickle.loads(pickle.dumps(auc)) == auc and np.asarray([auc]).dtype == float
    assert "auc" in e and dict(e)["auc"] == auc
    X = rows[["p"]].assign(noise=np.random.default_rng(0).normal(size=len(rows)))
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, scoring=sy.scorer("profit", payoff=sy.Profit(tp=40, fp=-15)), cv=3
    )
    search.fit(X[:200], rows.y[:200])
    assert math.isfinite(search.best_score_)
    fitted = sy.evaluate_model(search, X[200:], rows.y[200:])
    assert sy.check(fitted, ["auc >= 0.6"]).passed
    with pytest.raises(AssertionError, match="not met"):
        sy.check(fitted, ["auc >= 0.99"])


@pytest.mark.filterwarnings("ignore::steelyard.errors.UndefinedCompared")
def test_an_undefined_number_does_no_harm_in_a_dictionary():
    e = sy.evaluate(target=[0, 0, 0], prediction=[0, 1, 0], levels=[0, 1], positive=1)
    numbers = {name: float(e[name]) for name in e}
    assert math.isnan(numbers["recall"])
    assert not e["recall"] > 0
    assert "real positives" in e["recall"].reason


def test_a_cell_shows_what_print_shows(rows):
    e = sy.evaluate(rows, target="y", score="p")
    for found in (e, e["auc"], e.best_threshold(sy.Profit(tp=40, fp=-15)), e.curve("roc")):
        html = found._repr_html_()
        assert "array(" not in html and len(html) < 200_000
    assert len(repr(e["auc"])) < 400


def test_names_complete(rows):
    e = sy.evaluate(rows, target="y", score="p")
    assert {"auc", "recall"} <= set(e._ipython_key_completions_())
    assert "auc" in list(e)


@pytest.mark.parametrize("form", [np.asarray, list, pd.Series, pd.Categorical])
def test_probability_matrices_and_frames_are_taken(form):
    y = [0, 1, 2] * 20
    matrix = np.eye(3)[y] * 0.6 + 0.4 / 3
    by_matrix = sy.evaluate(target=form(y), score=matrix, levels=[0, 1, 2])
    by_frame = sy.evaluate(target=form(y), score=pd.DataFrame(matrix, columns=[0, 1, 2]))
    bare = sy.evaluate(target=form(y), score=matrix)  # columns 0, 1, 2 of the levels 0, 1, 2
    assert bare["accuracy"] == by_matrix["accuracy"] == by_frame["accuracy"] == 1.0
    with pytest.raises(sy.errors.UsageError, match="levels="):
        sy.evaluate(target=form([v + 1 for v in y]), score=matrix)  # whose column is whose is not guessed
    words = np.array(["no", "yes"])[[0, 1] * 20]
    two = sy.evaluate(
        target=words, score=pd.DataFrame({"no": 1 - np.arange(40) / 40, "yes": np.arange(40) / 40}), positive="yes"
    )
    assert two["auc"].defined


def test_there_is_a_recipe():
    pages = {page.stem for page in (Path(__file__).parents[2] / "docs" / "recipes").glob("*.md")}
    assert {
        "mlflow",
        "pytest",
        "scikit-learn",
        "optuna",
        "lightgbm",
        "xgboost",
        "github-actions",
        "gitlab",
        "airflow",
    } <= pages


def test_a_refusal_is_one_sentence_and_a_hint(rows):
    with pytest.raises(sy.errors.SteelyardError) as refused:
        sy.evaluate(rows, target="z", score="p")
    text = str(refused.value)
    assert "Hint:" in text and "Traceback" not in text and '"y"' in text


def test_a_notebook_shows_no_room_behind_a_refusal(rows):
    """What IPython asks of an exception: the lines of one's own, and the sentence."""
    e = sy.evaluate(rows, target="y", score="p")
    for call in (lambda: e.curve("roc_curve"), lambda: e["rocauc"], lambda: sy.check(e, ["auc >= 0.999"])):
        with pytest.raises((sy.errors.SteelyardError, AssertionError)) as refused:
            call()
        told = refused.value._render_traceback_()
        assert "test_walks.py" in told[0]
        assert not [line for line in told[:-1] if "steelyard/" in line.replace("\\", "/") and "test_walks" not in line]
        assert told[-1].endswith(str(refused.value))


def _shown(source, names):
    """What a cell shows: its last expression as IPython tells it, or the sentence with which it is refused."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, "a cell", "exec"), names)
        found = None if last is None else eval(compile(ast.Expression(last.value), "a cell", "eval"), names)
    except (sy.errors.SteelyardError, AssertionError, AttributeError) as refused:
        return str(refused)
    return found._repr_html_() if hasattr(found, "_repr_html_") else repr(found)


def test_the_cells_of_a_notebook_show_what_they_should(tmp_path, monkeypatch):
    """The notebook beside this file, cell by cell; what a cell must show stands in its metadata."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in CELLS:
        shown = _shown("".join(cell["source"]), names)
        for wanted in cell["metadata"].get("shows", []):
            assert wanted in html.unescape(shown), f"{''.join(cell['source'])}\n{shown[:1500]}"
        assert len(shown) < 200_000 and "Traceback" not in shown


def test_the_notebook_runs_in_jupyter(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="the notebook is run where Jupyter is installed")
    import nbformat

    monkeypatch.chdir(tmp_path)
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(book, allow_errors=True, timeout=300).execute()
    for cell in book.cells:
        shown = " ".join(str(o.get("data", o.get("traceback", o.get("text", "")))) for o in cell.get("outputs", ()))
        for wanted in cell["metadata"].get("shows", []):
            assert wanted in html.unescape(shown).replace("\\'", "'"), cell["source"]
        assert "src/steelyard" not in shown or "AttributeError" in shown


def test_a_wrong_name_leads_to_the_nearest(rows):
    e = sy.evaluate(rows, target="y", score="p")
    for wrong, meant in (
        ("roc_curve", "roc"),
        ("roccurve", "roc"),
        ("cost_curves", "cost_curve"),
        ("gain_chart", "gain"),
    ):
        with pytest.raises(sy.errors.SteelyardError) as refused:
            e.curve(wrong)
        assert refused.value.hint == f'Did you mean "{meant}"?'
    with pytest.raises(AttributeError, match=r'asked for by its name: e\["auc"\]'):
        e.auc
    assert not hasattr(e, "nothing") and not hasattr(e, "__array__")
    with pytest.raises(sy.errors.UsageError) as refused:
        sy.evaluate(y_true=rows.y, y_score=rows.p)
    assert refused.value.hint.startswith('Did you mean "target"? Did you mean "score"?')
    assert "target=, score=" in refused.value.hint


# With a file and a terminal -------------------------------------------------------------------------------------------


@pytest.fixture
def office(tmp_path, monkeypatch):
    """A file as an office has it: semicolons, decimal commas, days with points, Latin-1."""
    monkeypatch.chdir(tmp_path)
    drawn = random.Random(2)
    lines = ["Kunde;gekündigt;score;Region;Tag"]
    for i in range(300):
        p = drawn.random()
        left = "ja" if drawn.random() < p else "nein"
        lines.append(
            f"{i};{left};{f'{p:.4f}'.replace('.', ',')};{drawn.choice(['Nord', 'Süd'])};{i % 28 + 1:02d}.03.2025"
        )
    Path("kunden.csv").write_bytes(("\n".join(lines) + "\n").encode("latin-1"))
    return tmp_path


ROLES = ["--target", "gekündigt", "--score", "score", "--positive", "ja", "--decimal", "comma", "--encoding", "latin-1"]


def test_a_file_and_a_terminal(office, capsys):
    def typed(*words, ends=0):
        assert run(list(words)) == ends, capsys.readouterr()
        said = capsys.readouterr()
        return said.out + said.err

    assert "steelyard evaluate kunden.csv" in typed("evaluate", "kunden.csv", ends=2)
    assert "gekündigt" in typed("look", "kunden.csv")
    assert "300 rows" in typed("evaluate", "kunden.csv", *ROLES)
    typed("chart", "kunden.csv", "roc", *ROLES, "-o", "roc.svg")
    typed("chart", "kunden.csv", "roc", *ROLES, "-o", "roc.png")
    assert Path("roc.png").read_bytes().startswith(b"\x89PNG") and "<svg" in Path("roc.svg").read_text(encoding="utf-8")
    typed("campaign", "kunden.csv", *ROLES, "--benefit", "40", "--cost", "15", "--list", "contact.csv")
    listed = Path("contact.csv").read_text(encoding="utf-8")
    assert listed.startswith("\ufeffKunde;gekündigt;score") and "0,9" in listed.splitlines()[1]
    again = typed("evaluate", "contact.csv", *ROLES[:-2])
    assert f"{len(listed.splitlines()) - 1} rows" in again
    assert "Looked at 2 slices" in typed("slices", "kunden.csv", *ROLES, "--csv", "slices.csv", "--column", "Region")
    assert "1" in typed("table", "kunden.csv", "deciles", *ROLES)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in Path("kunden.csv").read_text(encoding="latin-1").splitlines():
        book.active.append([float(v.replace(",", ".")) if v[:2] in {"0,", "1,"} else v for v in line.split(";")])
    book.save("kunden.xlsx")
    assert "300 rows" in typed("evaluate", "kunden.xlsx", *ROLES[:6])


LINES = (Path(__file__).with_name("a_terminal.txt")).read_text(encoding="utf-8").splitlines()
"""What an analyst types, in order; a line that is refused is followed by what it then says, after a >."""


def test_a_file_in_a_narrow_pipe(tmp_path, monkeypatch, capsys):
    """No line is wider than 80 columns, nothing moves a cursor, and every refusal says what to type.

    Every eighth line is a process of its own, as all of them would be; the others are spared the start of one.
    """
    monkeypatch.chdir(tmp_path)
    drawn = random.Random(5)
    scored = [
        (p := drawn.random(), drawn.random() < p, drawn.random(), "north" if i % 3 else "south") for i in range(400)
    ]
    body = [f"{'left' if left else 'stayed'},{p:.4f},{old:.4f},{region}" for p, left, old, region in scored]
    Path("churn.csv").write_text("\n".join(["left,p,old,region", *body, ""]), encoding="utf-8")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    for number, line in enumerate(line for line in LINES if line.startswith("$ ")):
        words = shlex.split(line.removeprefix("$ steelyard"))
        if number % 8:
            code, (out, err) = run(words), capsys.readouterr()
        else:
            typed = [sys.executable, "-m", "steelyard", *words]
            done = subprocess.run(typed, capture_output=True, text=True, encoding="utf-8")
            code, out, err = done.returncode, done.stdout, done.stderr
        after = LINES[LINES.index(line) + 1 :][:1]
        told = " ".join((out + err).split())
        if after and after[0].startswith("> "):
            assert code in {1, 2, 3} and after[0][2:] in told, f"{line}\n{told}"
        else:
            assert code == 0, f"{line}\n{told}"
        assert "\x1b" not in out + err, line
        wide = [row for row in out.splitlines() if len(row) > 80 and not row.lstrip().startswith(">>>")]
        assert not wide, f"{line}\n{wide[0]}"


def test_a_sentence_is_not_cut_in_a_word(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    complain('There is no column "lef" for the target; the table has "left", "p", "old", "age".', "Look again.", 3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and max(map(len, lines)) <= 40


def test_several_files_without_quotes_lead_on(office, capsys):
    for month in ("march", "april"):
        Path(f"kunden-{month}.csv").write_bytes(Path("kunden.csv").read_bytes())
    assert run(["evaluate", "kunden-march.csv", "kunden-april.csv", *ROLES]) == 2
    assert "'kunden-*.csv'" in capsys.readouterr().err
    assert run(["evaluate", "kunden-*.csv", *ROLES]) == 0
    assert "600 rows" in capsys.readouterr().out


def test_scores_in_per_cent_are_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("y,score\n" + "1,90\n0,20\n1,75.5\n0,30\n" * 10)
    assert run(["evaluate", "a.csv", "--target", "y", "--score", "score"]) == 0
    assert "If they are percent" in capsys.readouterr().out


def test_stability_leads_with_no_row_number(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, first in (("old", 0), ("new", 5000)):
        body = "".join(f"{first + i},{(i * 37 % 100) / 100}\n" for i in range(500))
        Path(f"{name}.csv").write_text("row,p\n" + body)
    assert run(["stability", "old.csv", "new.csv"]) == 0
    told = capsys.readouterr().out
    assert 'Left out: "row"' in told
    assert not [line for line in told.split("Columns by effect")[1].splitlines() if line.strip().startswith("row ")]


# With a nightly job ---------------------------------------------------------------------------------------------------


def test_a_nightly_job(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("days").mkdir()
    for day in (1, 2, 3):
        body = "".join(f"{i % 2},{0.1 + 0.4 * (i % 2) + (i * (37 + day) % 100) / 250}\n" for i in range(200))
        Path("rows.csv").write_text("y,p\n" + body)
        words = [
            "evaluate",
            "rows.csv",
            "--target",
            "y",
            "--score",
            "p",
            "--save",
            f"days/2025-03-0{day}.json",
            "--quiet",
        ]
        assert run(words) == 0
    assert run(["add", "days/*.json", "-o", "march.json", "--force"]) == 0
    assert run(["check", "march.json", "--require", "auc >= 0.7", "--junit", "gate.xml"]) == 0
    assert run(["check", "march.json", "--require", "auc >= 0.999"]) == 1
    assert "<testsuite" in Path("gate.xml").read_text(encoding="utf-8")
    assert sy.load("march.json").rows == 600
