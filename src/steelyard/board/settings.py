"""Setting up in the page: a model by a form that writes the same TOML, and the lines that send it rows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from steelyard.board.apart import ENDINGS
from steelyard.board.granting import channels_told, link_form, tokens_form
from steelyard.board.pieces import asking, choice, field, typed, warned
from steelyard.board.visits import Answer, Elsewhere, Shown, Visit, link, page, to
from steelyard.errors import SteelyardError
from steelyard.serve.declared import Declaration, baseline_from, declaration_of
from steelyard.serve.problems import Problem
from steelyard.views.html import Ready, tag
from steelyard.words import some_names, visible

COLUMNS = (
    ("id", "Identifier of a prediction", "id"),
    ("time", "When it was predicted", "time"),
    ("target", "What really happened", ""),
    ("score", "The score", ""),
    ("prediction", "Or the prediction itself", ""),
    ("positive", "The level that is looked for", ""),
    ("label_time", "When the label became known", ""),
    ("features", "Features, with commas between", ""),
    ("window", "A window is a", "day"),
    ("zone", "Time zone", "UTC"),
    ("margin", "Worse by this part is allowed", "0.05"),
    ("budget", "False alarms that are allowed", "1 per quarter"),
    ("owner", "Who is asked about it", ""),
    ("group", "Shown together with", ""),
)
UNSAID = "What is left empty stays unsaid. Every version of the same columns is told apart when rows are sent."
BARE = (
    "It has no reference yet: rows are taken in, and judged once there is one. Make one of windows that are known to be "
    "good, or declare the model again with rows."
)


@page("/setup")
def get_setup(visit: Visit) -> Answer:
    """Everything that may be set up by whoever asks."""
    return _setup(visit)


def _setup(visit: Visit, said: Ready | None = None, status: int = 200) -> Shown:
    parts: list[Any] = [tag("h1", "Set up"), said]
    if visit.may("write") and visit.caller.model is None:
        parts.append(tag("section", tag("h2", "A new model"), _model_form(visit), id="model"))
    parts.append(tag("section", tag("h2", "Sending rows"), _sending(visit), id="sending"))
    if visit.may("admin") and visit.caller.model is None:
        parts.append(tag("section", tag("h2", "A link for people without an account"), link_form(visit), id="link"))
        parts.append(tag("section", tag("h2", "Tokens"), tokens_form(visit), id="tokens"))
        parts.append(tag("section", tag("h2", "Who is told of alarms?"), channels_told(visit), id="notices"))
    else:
        parts.append(tag("p", "Tokens and notices are set up by who has a token for everything.", class_="quiet"))
    return Shown("Set up", tag("div", parts), status, live=False)


def _field(visit: Visit, name: str, label: str, usual: str) -> Ready:
    box = tag("input", name=name, id=name, value=visit.form.get(name, usual), maxlength=2000)
    return field(label, name, box)


def _model_form(visit: Visit) -> Ready:
    may_be = {"maxlength": 100, "pattern": "[A-Za-z0-9][A-Za-z0-9._\\-]*"}
    typed_name = tag("input", name="name", id="name", value=visit.form.get("name", ""), required=True, **may_be)
    name = field("Name, as it stands in addresses", "name", typed_name)
    rows = field(
        "Rows of the reference, as CSV or Parquet: from the test set, or the first weeks",
        "reference",
        tag("input", type="file", name="reference", id="reference", accept=".csv,.parquet"),
    )
    return visit.form_tag(
        "/setup/model",
        name,
        tag("div", [_field(visit, *c) for c in COLUMNS], class_="pair"),
        rows,
        tag("p", UNSAID, class_="note"),
        tag("button", "Declare the model", class_="main"),
        class_="fields",
        enctype="multipart/form-data",
    )


@page("/setup/model", scope="write", method="POST")
def declare_model(visit: Visit) -> Answer:
    """Declare a model by what a form says, with a reference where rows of one came."""
    said: dict[str, Any] = {name: text for name, *_ in COLUMNS if (text := visit.form.get(name, "").strip())}
    if "features" in said:
        said["features"] = [f.strip() for f in said["features"].split(",") if f.strip()]
    try:
        said |= {"margin": float(said["margin"])} if "margin" in said else {}
    except ValueError:
        return _wrong(visit, "The margin is a number, such as 0.05.")
    if str(said.get("positive", "")).lstrip("-").isdecimal():
        said["positive"] = int(said["positive"])
    name = visit.form.get("name", "").strip()
    try:
        declared = declaration_of(said)
        reference = _reference(visit, declared)
        visit.service.declare(name, declared, reference, visit.caller.token)
    except Problem as problem:
        return _wrong(visit, f"{problem.detail} {problem.hint}".strip())
    except SteelyardError as problem:
        return _wrong(visit, f"{problem.message} {problem.hint}".strip())
    return Elsewhere(to("setup", "send", model=name))


def _wrong(visit: Visit, said: str) -> Shown:
    return _setup(visit, warned(said), 422)


def _reference(visit: Visit, declared: Declaration) -> Any:
    name, body = visit.files.get("reference", ("", b""))
    if not body:
        return None
    ending = ENDINGS.get(Path(name).suffix.lower())
    if ending is None:
        raise Problem(415, "kind", "A reference comes as .csv or .parquet.", "Save it as one of these.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{Path(name).stem[:60] or 'reference'}.{ending}"
        path.write_bytes(body)
        return baseline_from(path, declared)


def toml_of(name: str, said: Declaration) -> str:
    """A declaration as it stands in a file for `steelyard serve --models`.

    >>> print(toml_of("churn", Declaration(target="left", features=["age"])))
    [models.churn]
    target = "left"
    features = ["age"]
    """
    told = msgspec.to_builtins(said)
    head = name if all(c.isalnum() or c in "-_" for c in name) else json.dumps(name)
    # What holds others in itself stands last, where it may be long.
    held = sorted(((k, v) for k, v in told.items() if v is not None), key=lambda x: isinstance(x[1], dict))
    lines = [f"{k} = {_toml(v)}" for k, v in held]
    return "\n".join([f"[models.{head}]", *lines])


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        inner = (f"{json.dumps(k, ensure_ascii=False)} = {_toml(v)}" for k, v in value.items() if v is not None)
        return f"{{{', '.join(inner)}}}"
    return json.dumps(value, ensure_ascii=False)


# Sending --------------------------------------------------------------------------------------------------------------


def _sending(visit: Visit) -> Ready:
    with visit.service.store.reading() as session:
        names = [m.name for m in visit.service.watcher.models(session) if visit.caller.model in {None, m.name}]
    if not names:
        return tag("p", "Once a model is declared, it says here how rows are sent to it.", class_="quiet")
    return asking("/setup/send", choice("To", "model", [(n, visible(n)) for n in names]), tag("button", "How?"))


@page("/setup/send")
def get_sending(visit: Visit) -> Answer:
    """The lines that send rows and labels of a model."""
    name = visit.query.get("model", "")
    with visit.service.store.reading() as session:
        model = visit.service.watcher.model(session, name)
    visit.caller.check("read", name)
    columns = [model.said.id, model.said.time, *model.columns]
    labels = [model.said.id, *model.labels, *filter(None, [model.said.label_time])]
    address = f"{visit.base}/v1/models/{name}"
    curl = "\n".join(
        f"curl {address}/{what} -H 'Authorization: Bearer TOKEN' \\\n  -H 'Content-Type: text/csv' --data-binary @{what}.csv"
        for what in ("predictions", "labels")
    )
    python = (
        f'import steelyard as sy\n\nclient = sy.Client("{visit.base}", "TOKEN")\n'
        f'client.predictions("{name}", frame)\nclient.labels("{name}", later)'
    )
    missing = tag("p", BARE, class_="note warn") if model.baseline is None else None
    body = [
        tag("p", link("Set up", "/setup"), class_="crumbs"),
        tag("h1", f"Send rows to {visible(name)}"),
        missing,
        tag("p", "Put a token that may ingest in the place of TOKEN."),
        tag("h2", "By curl"),
        typed(curl),
        tag("h2", "In Python"),
        typed(python),
        tag("p", f"Predictions have the columns {some_names(columns)}; labels {some_names(labels)}."),
        tag("h2", "The same in a file"),
        tag("p", "For steelyard serve --models models.toml:"),
        typed(toml_of(name, model.said)),
        tag("p", link("To the model", to("models", name), class_="button")),
    ]
    return Shown(f"Send rows to {name}", tag("section", body), live=False)
