"""Trials: which run on the rows of a model, and what may be said of each by now."""

from __future__ import annotations

from steelyard.serve import statements as sql
from steelyard.serve.operations import ApiReply, ApiRequest, operation
from steelyard.serve.trials import running_trial


@operation(
    "GET", "/v1/models/{model}/trials", scope="read", answers={200: "Trials that were declared, by their names."}
)
def list_trials(asked: ApiRequest) -> ApiReply:
    """List the trials of a model, with how many were exposed in each arm."""
    with asked.service.store.reading() as session:
        model = asked.service.watcher.model(session, asked.model)
        exposed: dict[str, dict[str, int]] = {}
        for name, arm, many, _ in session.all(sql.EXPOSED, model.name):
            exposed.setdefault(str(name), {})[str(arm)] = int(many)
    return ApiReply(
        {"trials": [{"trial": name, "exposed": exposed.get(name, {})} for name in sorted(model.said.trials)]}
    )


@operation("GET", "/v1/models/{model}/trials/{trial}", scope="read", answers={200: "The trial as of now."})
def get_trial(asked: ApiRequest) -> ApiReply:
    """Tell what may be said of a trial by now: units of each arm, sample ratio, the effect at every look, days to go."""
    with asked.service.store.reading() as session:
        model = asked.service.watcher.model(session, asked.model)
        found = running_trial(session, model, asked.path["trial"], asked.service.clock())
    return ApiReply(found.to_dict())
