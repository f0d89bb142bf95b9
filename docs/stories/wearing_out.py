"""A model wears out, the monitor says when, a retrained one comes back: prints docs/wearing-out.md and its pictures.

The loans are made up, so that it is known what changed and when; the monitor is told neither. Run:
python docs/stories/wearing_out.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steelyard as sy

DOCS = Path(__file__).resolve().parents[1]
FEATURES = ["income", "used", "age", "late"]
CAMPAIGN, TURN, MONTH = pd.Timestamp("2024-04-01"), pd.Timestamp("2024-08-05"), pd.Timedelta(days=28)
LIVE = pd.Timestamp("2024-11-04")


def loans(start: str, weeks: int, seed: int, each: int = 400) -> pd.DataFrame:
    rng, n = np.random.default_rng(seed), weeks * each
    days = np.repeat(np.arange(weeks), each) * 7 + rng.integers(0, 7, n)
    applied = pd.Timestamp(start) + pd.to_timedelta(days, unit="D")
    young = (applied >= CAMPAIGN) & (rng.random(n) < 0.35)
    age = np.where(young, rng.normal(26, 4, n), rng.normal(45, 11, n)).clip(18, 80).round()
    income, used, late = rng.lognormal(8, 0.5, n).round(), rng.beta(2, 3, n).round(3), rng.poisson(0.6, n)
    turned = np.clip((applied - TURN).days / 14, 0, 1)
    weights = [(4.5, 0.0), (-1.0, -0.6), (0.5, 1.4)]
    parts = [used - 0.4, np.log(income) - 8, late - 0.6]
    risk = -1.9 + sum((a + (b - a) * turned) * x for (a, b), x in zip(weights, parts, strict=True))
    defaulted = (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(int)
    columns = {"applied": applied, "income": income, "used": used, "age": age, "late": late}
    return pd.DataFrame({**columns, "defaulted": defaulted, "known": applied + MONTH})


def train(rows: pd.DataFrame) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(rows[FEATURES], rows["defaulted"])


def scored(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(p=model.predict_proba(rows[FEATURES])[:, 1])


def watch(rows: pd.DataFrame, reference: Any, today: Any = None) -> Any:
    return sy.monitor(
        rows,
        time="applied",
        target="defaulted",
        score="p",
        label_time="known",
        features=FEATURES,
        measures=["auc"],
        reference=reference,
        window="week",
        horizon="35 days",
        now=today,
    )


def first_monday(
    rows: pd.DataFrame, reference: pd.DataFrame, signal: str, states: tuple[str, ...], start: Any
) -> tuple[pd.Timestamp, Any]:
    for monday in pd.date_range(start, periods=50, freq="7D"):
        # What was known when the week before was over.
        found = watch(rows, reference, monday - pd.Timedelta(seconds=1))
        if found.windows[-1].state_of(signal) in states:
            return monday, found
    message = f"Nothing fired for {signal}."
    raise AssertionError(message)


def start_of(monitor: Any, window: str) -> pd.Timestamp:
    return pd.Timestamp(monitor[window].window.start).tz_localize(None)


def block(*lines: str, kind: str = "text") -> str:
    return "\n".join([f"```{kind}", *lines, "```"])


def told(sentences: list[str]) -> str:
    return block(*(fill(s, 116, subsequent_indent="  ") for s in sentences))


def date(day: pd.Timestamp) -> str:
    return f"{day.day} {day:%B %Y}"


def picture(name: str, chart: Any, words: str) -> str:
    (DOCS / "pictures").mkdir(exist_ok=True)
    (DOCS / "pictures" / f"{name}.svg").write_text(chart.svg() + "\n", encoding="utf-8")
    return f"![{words}](pictures/{name}.svg)"


def page() -> str:
    past, stream = loans("2023-01-02", 52, 1), loans("2024-01-01", 74, 2)
    half = len(past) // 2
    model = train(past[:half])
    reference, rows = scored(model, past[half:]), scored(model, stream)

    spring, young = first_monday(rows, reference, "age", ("warn", "alarm"), "2024-01-29")
    autumn, worn = first_monday(rows, reference, "auc", ("warn", "alarm"), spring)
    october, _ = first_monday(rows, reference, "auc", ("alarm",), autumn)
    fired = next(a for a in worn.alarms if a.signal == "auc" and a.after == "firing")
    doubt = [a for a in worn.alarms if a.signal == "auc" and (a.after, a.severity) == ("pending", fired.severity)][-1]
    since = start_of(worn, doubt.window)
    assert since >= TURN

    calm = rows[(rows["applied"] >= CAMPAIGN) & (rows["applied"] < TURN)]
    waiting = [w.name for w in worn.windows if w["auc"].estimated]
    later = rows[(rows["applied"] >= start_of(worn, waiting[0])) & (rows["applied"] < autumn)]
    roles = {"target": "defaulted", "score": "p"}
    auc = {name: sy.evaluate(part, **roles)["auc"] for name, part in (("calm", calm), ("later", later))}

    lesson = stream[(stream["applied"] >= since) & (stream["known"] < LIVE)]
    both = stream[stream["applied"] >= LIVE]
    retrained = train(lesson)
    after = scored(retrained, both)
    fresh = watch(after, "first 8 windows")
    duel = both.assign(old=scored(model, both)["p"], new=after["p"])
    c = sy.compare(duel, target="defaulted", score={"retrained": "new", "first": "old"})
    gap = c.difference("auc", "retrained", "first")
    whole = watch(rows, reference)
    drift = sy.stability(reference, rows[rows["applied"] >= LIVE], columns=[*FEATURES, "p"])

    guessed = [s.value.value for s in worn.series("auc") if s.estimated and s.value is not None]
    pictures = (
        picture("wearing-out-first", worn.chart("auc"), "AUC of the first model by week; a warning in late summer"),
        picture("wearing-out-age", whole.chart("age"), "Stability index of the age by week; an alarm in spring"),
        picture("wearing-out-retrained", fresh.chart("auc"), "AUC of the retrained model by week; no alarm"),
    )
    assert gap.verdict == "better"
    assert {a.signal for a in whole.alarms if a.after == "firing"} == {"age", "auc"}
    assert not any(a.after == "firing" for a in fresh.alarms)
    signals = str(drift).splitlines()
    after_that = ""
    if october > autumn:
        after_that = (
            f"On {date(october)} the warning becomes an alarm: worse by more than the margin, two weeks in a row."
        )
    return f"""# A model wears out

Printed by [`docs/stories/wearing_out.py`](stories/wearing_out.py), with its pictures. **The loans are made up**: only so is it
known what changed and when. The monitor is told neither. The change is a large one; how soon smaller ones are seen is told in
[the study](studies/monitoring.md).

A lender scores 400 applications a week. Whether a loan went bad is known 28 days later. The first model was trained on half
of 2023; the other half, which it has not seen, is the reference ({len(reference):,} rows,
AUC {worn.series("auc")[0].reference:.3f}). It goes live in January 2024, and each
Monday the monitor looks at what is known by then:

{block(inspect.getsource(watch).strip(), kind="py")}

## {date(spring)}: the applicants change

{told([s for s in young.sentences() if s.startswith("An alarm")])}

{pictures[1]}

The truth: from {date(CAMPAIGN)} a campaign brings in young people. That needs no labels to be seen, and it is seen at once. Is the
model worse for it? The AUC says no: from then until {date(TURN)} it is {auc["calm"]}. Age plays no part in these loans. An alarm
about a feature is a reason to look and not one to retrain. It stands until young applicants are part of the reference.

## {date(autumn)}: the model is worn out

{told([s for s in worn.sentences() if "AUC stands" in s or "Labels of" in s or "do not trust" in s])}

{pictures[0]}

The truth: from {date(TURN)} the share of the credit line in use, the model's best feature, loses its meaning within two
weeks, while late payments gain. No feature changed now, and the score looks as always: only labels can tell, and
they take four weeks. The first doubt falls on {doubt.window}, and {fired.window} confirms it, whose last
labels came the day before. {after_that}

For the {len(waiting)} weeks that still wait on {date(autumn)} (hollow and dotted in the picture) there is
only the AUC that is expected from the scores,
{min(guessed):.2f} to {max(guessed):.2f}. In the end it was {auc["later"]}. When scores no longer
mean what they meant, what is expected from them is wrong too, and the monitor says so.

What the features and the score say about the rows from {date(LIVE)} on, against the reference:

{block(*signals)}

## {date(LIVE)}: a retrained one

The new model learns from the {len(lesson):,} loans that came in since the first doubt and have their label by now. Both models then
score the same {len(both):,} loans that follow, so they are compared on the same rows:

{told([str(s) for s in c.sentences()])}

The monitor of the new model starts afresh, with its first eight weeks as the reference, which has young applicants in it:

{told(fresh.sentences()[:2] + list(fresh.notes))}

{pictures[2]}

## What to take along

- Watch performance where there are labels, and wait for them: an early guess is marked as one and raises no alarm.
- A changed feature is not a worse model, and a worse model need not have a changed feature. Watch both, and retrain for the second.
- Two windows in a row and a budget of false alarms keep it quiet: in {len(whole)} weeks with {len(whole.signals)} signals
nothing else fired.
- Retrain on rows from after the change, and compare on rows that neither model has seen.

The calls one by one: [after deployment](after-deployment.md).
"""


def wrapped(text: str) -> str:
    """The same with every paragraph broken anew; code, headings and pictures stay."""
    out = []
    for part in re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL):
        kept = part.startswith("```")
        pieces = [part] if kept else re.split(r"\n\n|\n(?=- )", part.strip())
        for piece in pieces:
            item, plain = piece.startswith("- "), not kept and not piece.startswith(("#", "!["))
            shown = fill(" ".join(piece.split()), 120, subsequent_indent="  " * item) if plain else piece
            out.append(shown + ("\n" if item else "\n\n"))
    return re.sub(r"\n(?=[^-\s`][^\n]*\Z)", "\n\n", "".join(out).strip()) + "\n"


def main() -> None:
    (DOCS / "wearing-out.md").write_text(wrapped(page()), encoding="utf-8")


if __name__ == "__main__":
    main()
