"""steelyard demo: two models on real data, from predictions to a story and a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.typed import flag, takes
from steelyard.cli.writing import progress
from steelyard.errors import MissingPart, UsageError
from steelyard.files.as_csv import as_csv
from steelyard.files.writing import write_whole

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation
    from steelyard.experiments.models import Model

MARK = ".made-by-steelyard-demo"
FOLDS = 10
LOW = 0.2
Columns = dict[str, list[Any]]


@click.command("demo", short_help="Evaluate models on real data and tell the whole story.")
@takes("--folder", "DIR", "Where to leave the files.", default="steelyard-demo")
@flag("-q --quiet", "Leave the files and print nothing.")
def command(folder: str, *, quiet: bool) -> None:
    """Evaluate two models on real medical data, tell the whole story, and leave the files in a folder.

    The data ship with scikit-learn; nothing is downloaded.
    """
    place = Path(folder)
    _check(place)
    with progress("Training two models and asking each about rows it has not seen …", quiet=quiet):
        tumours, patients = _predictions()
    with progress("Evaluating …", quiet=quiet):
        e, text = _story(tumours, patients, place)
    place.mkdir(parents=True, exist_ok=True)
    write_whole(place / MARK, "steelyard demo may write over its own files here.\n")
    for name, rows in (("predictions.csv", tumours), ("diabetes.csv", patients)):
        # Read by a demo before this one, perhaps, and its own all the same.
        (place / name).unlink(missing_ok=True)
        write_whole(place / name, as_csv(rows))
    write_whole(place / "numbers.csv", as_csv(_numbers(e)))
    write_whole(place / "report.txt", text + "\n")
    e.save(place / "evaluation.json")
    _pages(e, place)
    if not quiet:
        click.echo(text)


def _check(place: Path) -> None:
    """A folder that the demo has not made, and that holds anything, is left alone."""
    if place.is_dir() and any(place.iterdir()) and not (place / MARK).exists():
        message = f'The folder "{place}" holds files that the demo did not make.'
        raise UsageError(message, "Name another with --folder.")
    if place.exists() and not place.is_dir():
        message = f'"{place}" is a file, and the demo needs a folder.'
        raise UsageError(message, "Name another with --folder.")


# The predictions ------------------------------------------------------------------------------------------------------


def _predictions() -> tuple[Columns, Columns]:
    """What two models say about tumours, and one about the course of diabetes, always on rows they have not seen."""
    try:
        from sklearn.datasets import load_breast_cancer, load_diabetes
        from sklearn.linear_model import LinearRegression, LogisticRegression
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        message = "The demo trains models with scikit-learn, which is not installed."
        raise MissingPart(message, "Install it: pip install 'steelyard[demo]'") from None
    X, y = load_breast_cancer(return_X_y=True)
    malignant = (y == 0).astype(int)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def seen(model: Model) -> list[float]:
        found = cross_val_predict(
            make_pipeline(StandardScaler(), model), X, malignant, cv=folds, method="predict_proba"
        )
        return [_rounded(float(p)) for p in found[:, 1]]

    radius = X[:, 0]
    middle = sorted(radius)[len(radius) // 2]
    tumours: Columns = {
        "case": list(range(1, len(y) + 1)),
        "diagnosis": ["malignant" if m else "benign" for m in malignant],
        "size": ["large" if r >= middle else "small" for r in radius],
        "logistic": seen(LogisticRegression(C=0.1, max_iter=1000)),
        "neighbours": seen(KNeighborsClassifier(5)),
    }
    X, y = load_diabetes(return_X_y=True)
    course = cross_val_predict(LinearRegression(), X, y, cv=KFold(FOLDS, shuffle=True, random_state=0))
    patients: Columns = {
        "patient": list(range(1, len(y) + 1)),
        "progression": [float(v) for v in y],
        "predicted": [round(float(v), 3) for v in course],
    }
    return tumours, patients


def _rounded(p: float) -> float:
    """Six decimals are the same on every machine, the last bits of a fit are not; what is not certain stays so."""
    return p if p in {0.0, 1.0} else min(max(round(p, 6), 1e-6), 1 - 1e-6)


# The story ------------------------------------------------------------------------------------------------------------


def _story(tumours: Columns, patients: Columns, place: Path) -> tuple[Evaluation, str]:
    from steelyard import evaluate
    from steelyard.measures.measure import leading
    from steelyard.views.text import evaluation_text

    def judged(score: str, rows: slice = slice(None)) -> Evaluation:
        part = {k: v[rows] for k, v in tumours.items()}
        return evaluate(part, target="diagnosis", score=score, positive="malignant", segment="size")

    file = place / "predictions.csv"
    e = _named(judged("logistic"), f"the logistic regression in {file}")
    other, low = judged("neighbours"), e.at(threshold=LOW)
    half = len(tumours["case"]) // 2
    joined = judged("logistic", slice(None, half)) + judged("logistic", slice(half, None))
    course = evaluate(patients, target="progression", prediction="predicted")
    course = _named(course, f"the linear regression in {place / 'diabetes.csv'}")
    loss = other["log_loss"]
    parts = [
        _title("1. Is the tumour malignant?"),
        f"""\
{e.rows} tumours, each described by 30 measurements under a microscope (Wisconsin
diagnostic data, which ship with scikit-learn). A logistic regression gives
each a probability of being malignant, always trained on the other nine tenths
({FOLDS}-fold cross-validation). Those probabilities are all that is needed. The
interval beside a number says where it may lie for other such tumours.""",
        evaluation_text(e),
        _title("2. Another model"),
        "The five nearest neighbours, asked in the same way:",
        _beside({"logistic": e, "neighbours": other}, leading("comparison")),
        *([f"n/a is not 0: {loss.reason}."] if not loss.defined else []),
        _title("3. Another threshold"),
        f"""\
A missed tumour is worse than a false alarm. The same evidence at {LOW}, with no
second pass over the rows:""",
        _beside({"at 0.5": e, f"at {LOW}": low}, leading("sweep")),
        _title("4. Evidence adds"),
        f"""\
The first {half} rows and the other {e.rows - half} are evaluated apart and added. What comes
out is {"the same" if joined == e else "not the same"} as for all rows together:

  AUC, added     {joined["auc"]}
  AUC, together  {e["auc"]}

Days, shards and folds add in the same way.""",
        _title("5. How far will diabetes have gone in a year?"),
        "A continuous target, the same call; 442 patients, a linear regression:",
        evaluation_text(course),
        _title(f"Files in {place}"),
        f"""\
  predictions.csv  the tumours: diagnosis, size, the scores of both models
  diabetes.csv     the patients: progression and prediction
  evaluation.json  the first evaluation, saved
  numbers.csv      all of its numbers, one a row
  report.html      a page to open: charts, a threshold to move, what it is worth
  report.svg       its first screen as a picture
  report.txt       this text

Now try:
  steelyard evaluate {file} --target diagnosis \\
      --score neighbours --positive malignant --segment size
  steelyard evaluate {place / "evaluation.json"} --threshold {LOW}
  steelyard report {file} --target diagnosis \\
      --positive malignant --score one=logistic --score two=neighbours
  steelyard measures auc
  steelyard help""",
    ]
    return e, "\n\n".join(parts)


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}"


def _named(evaluation: Evaluation, source: str) -> Evaluation:
    from dataclasses import replace

    return replace(evaluation, facts={**evaluation.facts, "source": source})


def _beside(found: dict[str, Evaluation], names: Sequence[str]) -> str:
    """Some measures of several evaluations side by side."""
    from steelyard.views.layout import table

    first = next(iter(found.values())).measures
    rows = [(n, *("n/a" if not x[n].defined else str(x[n]) for x in found.values())) for n in names if n in first]
    lines = table(("measure", *found), rows, "l" * (len(found) + 1))
    return "\n".join("  " + line for line in lines)


def _pages(evaluation: Evaluation, place: Path) -> None:
    """The report and its first screen; a missed tumour is taken to cost as much as twenty false alarms."""
    from dataclasses import replace

    from steelyard import Cost
    from steelyard.reports.poster import poster
    from steelyard.reports.writing import write_report

    priced = replace(evaluation.at(threshold=LOW), payoff=Cost(fn=20, fp=1))
    title = "Is the tumour malignant?"
    write_report({"logistic": priced}, place / "report.html", title=title, command="steelyard demo")
    write_whole(place / "report.svg", poster(priced, title))


# The files ------------------------------------------------------------------------------------------------------------


def _numbers(evaluation: Evaluation) -> Columns:
    rows = evaluation.rows_as_dicts()
    names = ("measure", "level", "segment", "estimate", "low", "high", "confidence", "method", "n", "n_eff", "reason")
    return {name: [row[name] for row in rows] for name in names}
