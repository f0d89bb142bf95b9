"""Trials that run: what holds at every look, whether the arms are as they were planned, and how long they still go on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from steelyard.board.visits import Answer, Shown, Visit, link, page, to
from steelyard.reports.figures import figure
from steelyard.serve import statements as sql
from steelyard.serve.declared import DeclaredModel
from steelyard.serve.problems import Problem
from steelyard.serve.trials import RunningTrial, running_trial
from steelyard.trials.trial import Trial
from steelyard.views.html import Ready, described, tag
from steelyard.views.trial import effect_text, looks_sentences
from steelyard.words import count, percent, visible

MOST = 20
"""Trials that are worked out for one page; of more, the names."""


@page("/trials")
def get_trials(visit: Visit) -> Answer:
    """Every trial that may be read, those that run first."""
    with visit.service.store.reading() as session:
        models = [m for m in visit.service.watcher.models(session) if visit.may("read", m.name)]
    told = [(m, name) for m in models for name in sorted(m.said.trials)]
    found = [(m, _seen(visit, m, name)) for m, name in told[:MOST]]
    found.sort(key=lambda x: (not isinstance(x[1], Problem) and x[1].over, x[0].name))
    running = [t for _, t in found if isinstance(t, RunningTrial) and not t.over]
    decided = [t for t in running if _holds(t)]
    parts = [tag("h1", _headline(len(running), len(decided)))]
    parts += [_section(m, t) for m, t in found]
    if len(told) > MOST:
        parts.append(tag("p", f"{count(len(told) - MOST)} more, which are asked for one by one.", class_="quiet"))
    if not told:
        what = tag("p", "A trial leaves some units alone, to see whether acting on the others helps.")
        how = tag("p", "Declare one with its model, under trials, and send who was put into which arm.")
        parts.append(tag("section", what, how))
    return Shown("Trials", tag("div", parts))


def _headline(running: int, decided: int) -> str:
    if not running:
        return "No trial runs."
    many = "1 trial runs" if running == 1 else f"{count(running)} trials run"
    if not decided:
        return f"{many}, and nothing is decided yet."
    return f"{many}, and it is decided." if running == 1 else f"{many}, {count(decided)} of them decided."


def _seen(visit: Visit, model: DeclaredModel, name: str) -> RunningTrial | Problem:
    """A trial as of now; worked out again once something came in, or a minute has passed."""
    now = visit.service.clock()
    with visit.service.store.reading() as session:
        exposed = tuple(tuple(row) for row in session.all(sql.EXPOSED, model.name) if row[0] == name)
        key = (exposed, session.one(sql.LABELS_OF, model.name), int(now.timestamp()) // 60, model.said.trials.get(name))
        about = f"trial {model.name} {name}"
        known = visit.site.kept.get(about)
        if known is None or known[0] != key:
            try:
                known = (key, running_trial(session, model, name, now))
            except Problem as problem:
                known = (key, problem)
            visit.site.kept[about] = known
    found: RunningTrial | Problem = known[1]
    return found


def _holds(trial: RunningTrial) -> bool:
    """Whether it is decided, however often somebody looked."""
    return trial.found is not None and trial.found.looks is not None and trial.found.looks.clear


def _section(model: DeclaredModel, trial: RunningTrial | Problem) -> Ready:
    if isinstance(trial, Problem):
        return tag("section", tag("h2", visible(model.name)), tag("p", trial.detail))
    said = tag("div", tag("p", _verdict(trial), class_="headline"), class_="said")
    parts = [tag("div", said, class_="verdict"), *_told(trial)]
    # While it runs no picture of the effect: who sees it every day picks the day.
    names = () if trial.found is None else ("effect",) if trial.over else ("looks",)
    parts += [
        figure(trial.found.chart(n), wide=True) for n in names if trial.found is not None and n in trial.found.charts()
    ]
    head = tag("h2", visible(trial.name), " on ", link(visible(model.name), to("models", model.name)))
    return tag("section", head, parts, id=f"{model.name}-{trial.name}")


def _verdict(trial: RunningTrial) -> str:
    """What to do by now. While it runs only what holds at every look counts: who looks often sees the best of many."""
    if trial.found is None:
        return trial.why if trial.why else "Nothing may be said yet."
    if trial.over:
        return str(trial.found.verdict)
    if not _holds(trial):
        return "Not decided yet: let it run."
    return f"Decided, and it holds however often you look: {_moved(trial.found)}."


def _moved(found: Trial) -> str:
    value = found.effect.value or 0.0
    word = "lowers" if value < 0 else "raises"
    good = (value < 0) == (found.design.direction == "lower")
    return f"acting {word} the outcome, which is {'what was wanted' if good else 'not what was wanted'}"


def _told(trial: RunningTrial) -> Iterator[Ready]:
    arms = [f"{visible(a)}: {count(n)} exposed, {count(trial.labelled[a])} known" for a, n in trial.exposed.items()]
    facts = [("arms", " and ".join(arms))]
    if trial.waiting:
        facts.append(("waiting", f"{count(trial.waiting)} were exposed too lately for their label to count"))
    facts.append(("planned", f"{percent(trial.said.share)} {visible(trial.said.treated)}"))
    facts.append(("sample ratio", "not checked yet" if trial.ratio is None else str(trial.ratio)))
    if trial.found is not None:
        facts.append(("effect so far", f"{effect_text(trial.found)}; read once, at the end"))
        facts.append(("at every look", " ".join(looks_sentences(trial.found))))
    facts.append(("ends", _left(trial)))
    yield described(facts)


def _left(trial: RunningTrial) -> str:
    if trial.left is None:
        return "no end was said"
    days = round(abs(trial.left) / timedelta(days=1))
    return f"{trial.said.ends}, {f'{count(days)} days ago' if trial.over else f'{count(days)} days to go'}"
