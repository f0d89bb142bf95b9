"""The @measure mark, and the catalogue of everything that carries it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeVar

from steelyard.arguments.allowed import Allowed, NotAllowed, Span, shown
from steelyard.arguments.annotated import as_annotated
from steelyard.errors import UnknownMeasure, UsageError, listing, nearest
from steelyard.files.marking import marking_modules
from steelyard.measures.facts import KNOWN, ROWS, Cases, Facts, facts_of
from steelyard.results import Mean, Reading, Share
from steelyard.summaries.confusion import CELLS, Confusion, Outcomes
from steelyard.wording import either

ROOMS = (
    "agreement",
    "rates",
    "ranking",
    "calibration",
    "skill",
    "classes",
    "distance",
    "deviance",
    "proportion",
    "money",
)
"""The order in which people ask; measures of other files come after these."""

AVERAGES = ("macro", "micro", "weighted")
DIRECTIONS = ("higher", "lower", "zero", "")
BARE: dict[type, Span] = {int: Span(whole=True), float: Span()}
"""What an option may be whose type alone is told."""

_HOUSE = "steelyard.measures."

Function = TypeVar("Function", bound=Callable[..., Reading])

_catalogue: dict[str, Measure] = {}
_aliases: dict[str, str] = {}


@dataclass(frozen=True)
class Measure(Facts):
    """A function of a summary and the facts that it carries."""

    name: str
    function: Callable[..., Reading]
    better: str
    range: tuple[float, float]
    reads: tuple[type, ...]
    aliases: tuple[str, ...]
    interval: str
    bound: Callable[..., float] | None
    options: Mapping[str, Any]
    """Its options with their defaults."""
    remark: Callable[[Any, float], str] | None = None
    allowed: Mapping[str, Allowed] = field(default_factory=dict)
    """What each option may be, as its type in the signature declares it."""
    gives: type | None = None
    """The kind of reading that it gives, as its signature declares it."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Facts may be functions without a name; a measure is found again by its own.
        return find, (self.name,)

    def __call__(self, summary: Any, **options: Any) -> Reading:
        """Read the measure from a summary."""
        return self.function(summary, **self.with_defaults(options)) if options else self.function(summary)

    @property
    def question(self) -> str:
        """The question under which it is filed."""
        return self.function.__module__.rsplit(".", 1)[-1]

    @property
    def sentence(self) -> str:
        """The first line of its documentation."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @property
    def documentation(self) -> str:
        """All of its documentation."""
        return inspect.getdoc(self.function) or ""

    @property
    def of_labels(self) -> bool:
        """Whether it is read from labels, or from scores and a threshold."""
        return bool({Outcomes, Confusion} & set(self.reads))

    @cached_property
    def counted(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """For a share of labels the outcomes that are its part, and those that are its whole; asked of one row of each.

        >>> [sorted(x) for x in find("recall").counted]
        [['tp'], ['fn', 'tp']]
        """
        part, whole = set(), set()
        for outcome in ("tp", "fn", "fp", "tn"):
            o = Outcomes(**{name: float(name == outcome) for name in ("tp", "fn", "fp", "tn")})
            table = Confusion.of([[o.tp, o.fn], [o.fp, o.tn]], levels=(1, 0), positive=1)
            try:
                found = self(o if Outcomes in self.reads else table) if self._may_be_share else None
            except (ArithmeticError, ValueError):
                return None
            if not isinstance(found, Share) or {float(found.part), float(found.whole)} - {0.0, 1.0}:
                return None
            part |= {outcome} if found.part else set()
            whole |= {outcome} if found.whole else set()
        return frozenset(part), frozenset(whole)

    @property
    def _may_be_share(self) -> bool:
        return self.of_labels and self.gives in (Share, None) and "payoff" not in self.options

    @property
    def cases(self) -> Cases | None:
        """The cases that it is a share or a mean of, or rests on; None where it needs both classes.

        >>> find("fnr").cases.many, find("auc").cases
        ('positives', None)
        """
        if self.rests_on is not None:
            return self.rests_on
        if self.counted is not None:
            return next((c for c in KNOWN if c.whole == self.counted[1]), ROWS)
        return ROWS if self.gives in (Share, Mean) else None

    @property
    def same_rows(self) -> bool:
        """Whether it is a share, with Wilson's interval, of rows that are the same for all models."""
        share = (self.counted is not None or self.gives is Share) and not self.interval
        return share and not (self.cases or ROWS).whose and not self.rows_alone

    @property
    def hits(self) -> float | None:
        """What a row that is right counts in a share of rows that are right, or wrong; None for anything else."""
        ends = {frozenset({"tp", "tn"}): 1.0, frozenset({"fn", "fp"}): 0.0}
        whole = self.counted is not None and Confusion in self.reads and self.cases is ROWS
        return ends.get(self.counted[0]) if whole and self.counted is not None else None

    @property
    def area(self) -> tuple[float, float] | None:
        """Factor and constant that make it of the whole area under the ROC curve; None for anything else.

        >>> find("gini").area, find("auc").area, find("partial_auc").area
        ((2.0, -1.0), (1.0, 0.0), None)
        """
        if self.interval != "area" or self.options:
            return None
        return (1.0, 0.0) if self.linear_in is None else self.linear_in[1:]

    def with_defaults(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options with their defaults filled in; unknown ones are refused, and what they may not be."""
        out = dict(self.options)
        for key, value in given.items():
            if key not in self.options:
                allowed = ", ".join(self.options) or "none"
                message = f'The measure "{self.name}" has no option "{key}"; its options: {allowed}.'
                raise UnknownMeasure(
                    message, nearest(key, self.options) or f"`steelyard measures {self.name}` tells more."
                )
            out[key] = self._taken(key, value)
        return out

    def _taken(self, key: str, value: object) -> Any:
        allowed = self.allowed.get(key)
        if allowed is None:
            return value
        try:
            return allowed.read(value)
        except NotAllowed:
            message = f'The option "{key}" of {self.name} must be {allowed}, and {shown(value)} came.'
            raise UsageError(message, f"`steelyard measures {self.name}` tells more.") from None


@as_annotated()
def measure(
    *,
    better: str,
    range: tuple[float, float],
    aliases: tuple[str, ...] = (),
    interval: str = "",
    bound: Callable[..., float] | None = None,
    remark: Callable[[Any, float], str] | None = None,
    replace: bool = False,
    **facts: Any,
) -> Callable[[Function], Function]:
    """Mark a function of a summary as a measure.

    `better` is "higher", "lower", "zero" or "" (no direction); `range` holds the least and greatest possible value;
    `interval` names a method of the intervals room where the reading alone does not tell (a Share gets Wilson's, a Mean
    a t interval, anything else the bootstrap over cells); `bound` bounds the effect of the grid where reordering cells
    does not; `remark` has a word for the reader of a value that is easily taken for another one. All other `facts` are those of
    `steelyard.measures.facts.Facts`: what it is called, how it is told, where it leads, what it is a function of.

    Options are the function's keyword-only arguments, and their types say what they may be:
    `depth: Annotated[float, SHARE] = 0.1`. A name or alias is taken once; `replace=True` takes it from its measure.
    """
    _check_facts(better, range)
    known_facts = facts_of(facts)

    def mark(function: Function) -> Function:
        name = function.__name__
        if not function.__module__.startswith(_HOUSE):
            # What the house has comes first, so that nobody takes a name before it.
            _load()
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
        first = next(iter(parameters))
        hint = hints[first]
        union = typing.get_origin(hint) in (typing.Union, types.UnionType)
        reads = typing.get_args(hint) if union else (hint,)
        options = {k: p.default for k, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
        allowed = {k: found for k in options if (found := _declared(hints.get(k))) is not None}
        noun = known_facts.noun or name.replace("_", " ")
        told = vars(known_facts) | {"noun": noun, "title": known_facts.title or noun[0].upper() + noun[1:]}
        known = (name, function, better, range, reads, aliases, interval, bound, options, remark, allowed)
        made = Measure(*known, gives=hints.get("return"), **told)
        made.with_defaults(options)
        _free(made, replace)
        _catalogue[name] = made
        for alias in aliases:
            _aliases[alias] = name
        return function

    return mark


def _declared(hint: Any) -> Allowed | None:
    """What the type of an option declares, where it declares anything."""
    marks = getattr(hint, "__metadata__", ())
    return next((x for x in marks if isinstance(x, Allowed)), BARE.get(hint))


def _check_facts(better: object, range: Any) -> None:
    if not isinstance(better, str) or better not in DIRECTIONS:
        message = f"better={shown(better)} is not a choice."
        raise UsageError(message, f"Allowed: {listing(DIRECTIONS[:3])}, and an empty text for neither.")
    try:
        low, high = map(float, range)
        fine = low < high
    except (TypeError, ValueError, OverflowError):
        fine = False
    if not fine:
        message = f"The range of a measure must be two numbers, the lower one first, and {shown(range)} came."
        raise UsageError(message, "For example range=(0, 1); float('inf') is allowed.")


def _free(made: Measure, replace: bool) -> None:
    """See that a measure's name and aliases are free, or take them from the measures that have them."""
    wanted = (made.name, *made.aliases)
    if len(set(wanted)) < len(wanted):
        message = f'The measure "{made.name}" gives one name twice: {listing(wanted)}.'
        raise UsageError(message, "Leave one of them out.")
    for name in wanted:
        owner = _catalogue.get(name) or _catalogue.get(_aliases.get(name, ""))
        if owner is None:
            continue
        if not replace:
            what = "a measure" if owner.name == name else f'another name of "{owner.name}"'
            message = f'"{name}" is taken: it is {what}.'
            raise UsageError(message, "Choose another name, or say replace=True if it is to take its place.")
        forget(owner.name)
        if owner.name not in wanted:
            # It keeps what nobody else wants.
            kept = dataclasses.replace(owner, aliases=tuple(a for a in owner.aliases if a not in wanted))
            _catalogue[kept.name] = kept
            _aliases.update(dict.fromkeys(kept.aliases, kept.name))


@cache
def _load() -> None:
    for module in marking_modules("steelyard.measures", "@measure("):
        importlib.import_module(module)


def catalogue() -> dict[str, Measure]:
    """Every measure by its canonical name, in order."""
    _load()
    # By question, whatever was imported first; measures from elsewhere come last.
    place = {room: i for i, room in enumerate(ROOMS)}
    return dict(sorted(_catalogue.items(), key=lambda item: place.get(item[1].question, len(place))))


def _in_small(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower()).replace("²", "2")


def _canonical(name: str) -> str:
    return name if name in _catalogue else _aliases.get(name, "")


def find(name: object) -> Measure:
    """A measure by canonical name or alias, in small letters or large, with spaces or hyphens.

    >>> find("roc_auc").name, find("AUC").name, find("average class accuracy").name, find("F1-measure").name
    ('auc', 'auc', 'average_class_accuracy', 'f1')
    """
    _load()
    if not isinstance(name, str):
        message = f"A measure is asked for by its name, and {shown(name)} came."
        raise UnknownMeasure(message, "`steelyard measures` lists them all.")
    canonical = _canonical(name) or _canonical(_in_small(name))
    if not canonical:
        message = f'There is no measure called "{name}".'
        if name.lower() in CELLS:
            counted = either('.table("matrix"), .confusion.outcomes("yes")["tp"]', "steelyard table FILE matrix")
            raise UnknownMeasure(message, f"It is a count, a cell of the confusion matrix: {counted}.")
        hint = nearest(_in_small(name), [*_catalogue, *_aliases]) or "`steelyard measures` lists them all."
        raise UnknownMeasure(message, hint)
    return _catalogue[canonical]


def leading(place: str, evidence: str = "") -> list[str]:
    """The measures that are shown in a place though nobody named them, for a kind of evidence, the first one first.

    >>> leading("card", "labels")
    ['accuracy', 'average_class_accuracy', 'kappa']
    """
    found = [(rank, name) for name, m in catalogue().items() if (rank := m.rank(place, evidence)) is not None]
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]


def complement(measure: Measure) -> Measure | None:
    """The share of the same rows that are not in the part: 1 − the measure; None where there is none.

    >>> complement(find("accuracy")).name, complement(find("kappa"))
    ('error_rate', None)
    """
    if measure.counted is None:
        return None
    wanted = (measure.counted[1] - measure.counted[0], measure.counted[1])
    return next((x for x in catalogue().values() if x.counted == wanted), None)


def forget(name: str) -> None:
    """Take a measure out of the catalogue again."""
    found = _catalogue.pop(name, None)
    for alias in found.aliases if found else ():
        _aliases.pop(alias, None)
