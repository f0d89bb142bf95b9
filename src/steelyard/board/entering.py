"""Coming in: a token on a form, a link that may only read, and going out again."""

from __future__ import annotations

from steelyard.board.visits import Answer, Elsewhere, Shown, Visit, inside, page
from steelyard.serve.problems import Problem
from steelyard.views.html import tag


def sign_in_page(visit: Visit, back: str, wrong: str = "") -> Shown:
    """The form that asks for a token."""
    told = tag("p", wrong, class_="warn", role="alert", id="wrong") if wrong else None
    note = "It begins with sy_. The first one was shown where the service was started."
    box = {"type": "password", "name": "token", "id": "token", "autocomplete": "current-password"}
    fields = [
        tag("input", type="hidden", name="seal", value=visit.seal),
        tag("input", type="hidden", name="to", value=back),
        tag("label", "Token", for_="token"),
        tag("input", **box, required=True, aria_describedby="wrong" if wrong else "token-note"),
        tag("p", note, class_="note", id="token-note"),
        tag("button", "Sign in"),
    ]
    form = tag("form", fields, method="post", action="/sign-in", class_="fields")
    body = tag("section", tag("h1", "Sign in"), told, form, class_="door")
    return Shown("Sign in", body, 401 if wrong or back != "/sign-in" else 200, live=False)


@page("/sign-in", scope=None)
def get_sign_in(visit: Visit) -> Answer:
    """The form alone."""
    return sign_in_page(visit, "/sign-in")


@page("/sign-in", scope=None, method="POST")
def sign_in(visit: Visit) -> Answer:
    """Remember a token in the browser."""
    shown = visit.form.get("token", "").strip()
    place = inside(visit.form.get("to", "/"))
    try:
        visit.service.caller(shown, visit.peer)
    except Problem as problem:
        return sign_in_page(visit, place, f"{problem.detail} {problem.hint if problem.status != 401 else ''}".strip())
    return Elsewhere("/" if place == "/sign-in" else place, shown)


@page("/sign-out", scope="read", method="POST")
def sign_out(visit: Visit) -> Answer:
    """Forget the token in the browser."""
    return Elsewhere("/sign-in", "")


@page("/open/{token}", scope=None)
def open_link(visit: Visit) -> Answer:
    """Come in by a link that may only read; who is signed in stays who they are."""
    shown, place = visit.path["token"], inside(visit.query.get("to", "/"))
    if visit.shown:
        try:
            visit.service.caller(visit.shown, visit.peer)
        except Problem:
            pass
        else:
            return Elsewhere(place)
    caller = visit.service.caller(shown, visit.peer)
    if caller.scopes != {"read"}:
        said = "A link opens nothing but what may only be read."
        raise Problem(403, "link", said, "Sign in with this token instead.")
    return Elsewhere(place, shown)
