"""Whom to contact, how many, and what it earns: the profit of a campaign at every depth, and before any model is built.

N prospects, a share T of them targets, a cost C for each contact, a benefit B for each target reached. With CPH(P) the share of
all targets among the first P of the prospects by score (the gains curve) and Lift(P) = CPH(P) / P,

    Profit(P) = N (B T CPH(P) − C P) = N P (B T Lift(P) − C),

which pays where Lift(P) > C / (B T). Before a model is built, Lift(T) ≈ √(1 / T) is a fair guess (Piatetsky-Shapiro and Masand,
"Estimating Campaign Benefits and Modeling Lift"); CPH(P) = √P meets it at P = T.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steelyard.arguments.allowed import INSIDE, SHARE, Span, taken
from steelyard.arguments.annotated import as_annotated
from steelyard.arguments.sizes import beyond
from steelyard.errors import NotAvailable, UsageError
from steelyard.files.as_json import AsJson
from steelyard.intervals.bootstrap import replicates
from steelyard.intervals.by_unit import FEWEST
from steelyard.measures.curves import thresholds
from steelyard.measures.flagged import cumulative
from steelyard.results import Curve, Estimate, divide, make_frame
from steelyard.summaries.scores import Scores, scores_of
from steelyard.verdicts.choice import POLICY
from steelyard.verdicts.policy import EVERYBODY, NOBODY, earns_most, unbeaten
from steelyard.verdicts.verdict import Verdict
from steelyard.views.told import Told
from steelyard.wording import option
from steelyard.worth.contacts import (
    MOST_POINTS,
    Offer,
    break_even,
    cell_bound,
    curve_of,
    fair_capture,
    implied,
    optimism_of,
    points,
    spread,
)
from steelyard.worth.hull import hull

if TYPE_CHECKING:
    from steelyard.evaluation import Evaluation

NO_MODEL = "a rule of thumb before any model: there are no rows to judge it by"


@dataclass(frozen=True, slots=True)
class SquareRootRule:
    """What a fair model would bring by the square-root rule: CPH(P) = √P, but never more targets than contacts."""

    depth: float
    contacts: float
    capture: float
    lift: float
    reached: float
    profit: Estimate


@dataclass(frozen=True, slots=True)
class Campaign(Told, AsJson):
    """A campaign at one depth, beside the policies that need no model.

    `basis` is "model", or "rule" without an evaluation; `chosen` is "best", "budget" (the best within it) or "given"; `policy`
    names the policy that earns most: "model", "everybody" or "nobody". Of the prospects at the threshold the share `at_threshold`
    is contacted. `corrected` is the profit less its optimism, `over_everybody` that less the profit of contacting everybody.
    `lift_needed` is C / (B T), `break_even_lift` the same with the fixed cost borne at this depth, `tail_lift` what the lowest
    scores hold: everybody is best where it is at least `lift_needed`.
    """

    left_out: ClassVar[tuple[str, ...]] = ("policy",)
    as_text: ClassVar[str] = "campaign.campaign_text"
    as_verdict: ClassVar[str] = "foremost.campaign_conclusion"

    basis: str
    chosen: str
    policy: str
    prospects: float
    targets: float
    benefit: float
    cost: float
    fixed: float
    budget: float | None
    depth: float
    contacts: float
    threshold: float | None
    at_threshold: float | None
    reached: float
    capture: float
    lift: float
    lift_needed: float
    break_even_lift: float
    tail_lift: float
    profitable_depth: float | None
    profit: Estimate
    corrected: Estimate
    over_everybody: Estimate
    optimism: float | None
    everybody: Estimate
    nobody: Estimate
    at_random: Estimate
    perfect: Estimate
    rule: SquareRootRule
    l_quality: Estimate | None
    notes: tuple[str, ...]
    curve: Curve

    @property
    def verdict(self) -> Verdict:
        """The policy that earns most: "model", "everybody" or "nobody", and whom to contact, in words."""
        return self.in_words(POLICY(self.policy, self.over_everybody))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; never NaN."""
        return AsJson.to_dict(self) | {"verdict": self.policy, "conclusion": self.verdict.to_dict()}

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """Contacting everybody, or nobody, where it is not clear that this beats it."""
        return unbeaten({EVERYBODY: self.over_everybody, NOBODY: self.corrected})

    def policies(self) -> list[dict[str, Any]]:
        """Contacts, targets reached and profit of this campaign and of the policies that need no model."""
        n, t = self.prospects, self.targets
        few = n * t if self.budget is None else min(n * t, self.budget)
        rows = [
            (self.basis, self.contacts, self.reached, self.profit),
            ("everybody", n, n * t, self.everybody),
            ("nobody", 0.0, 0.0, self.nobody),
            ("at random", self.contacts, self.contacts * t, self.at_random),
            ("perfect", few, few, self.perfect),
        ]
        if self.basis == "model":
            rows.append(("rule", self.rule.contacts, self.rule.reached, self.rule.profit))
        names = ("policy", "contacts", "reached", "estimate")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def frame(self) -> Any:
        """One row a policy, as a frame."""
        rows = self.policies()
        columns = {k: [row[k] for row in rows] for k in ("policy", "contacts", "reached")}
        for name, part in (("profit", "value"), ("low", "low"), ("high", "high"), ("method", "method")):
            columns[name] = [getattr(row["estimate"], part) for row in rows]
        return make_frame(columns)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Campaign:
        """Read back what `to_dict` wrote."""
        values: dict[str, Any] = {**data, "policy": data["verdict"]}
        # What its verdict says is said anew.
        del values["verdict"]
        values.pop("conclusion", None)
        for f in fields(cls):
            if str(f.type).startswith("Estimate") and values[f.name] is not None:
                values[f.name] = Estimate.from_dict(values[f.name])
        values["rule"] = SquareRootRule(**data["rule"] | {"profit": Estimate.from_dict(data["rule"]["profit"])})
        values |= {"curve": Curve.from_dict(data["curve"]), "notes": tuple(data["notes"])}
        return cls(**values)


@as_annotated("benefit", "cost", "prospects", "targets", "contacts", "fixed", "depth")
def campaign(
    evaluation: Evaluation | None = None,
    *,
    benefit: float,
    cost: float,
    prospects: float | None = None,
    targets: float | None = None,
    contacts: float | None = None,
    fixed: float = 0.0,
    depth: float | None = None,
) -> Campaign:
    """How many prospects to contact, whom, and what it earns; without an evaluation, what a fair model would bring.

    `benefit` is earned for each target reached, `cost` paid for each contact, `fixed` paid unless nobody is contacted. `prospects`
    and the share of `targets` among them are those of the evaluation unless given. `contacts` is a budget: at most so many;
    `depth` asks for the figures at that share of the prospects instead of the best. The best depth is a real step of the scores
    or the end of the budget; where a depth falls inside a tie, a random part of the tied prospects is contacted.

    >>> c = campaign(benefit=40.0, cost=1.0, prospects=100_000, targets=0.02)
    >>> round(c.depth, 3), round(float(c.profit)), str(c.verdict)
    (0.16, 16000, 'model')
    """
    given = {"benefit": benefit, "cost": cost, "fixed": fixed}
    asked = {"prospects": prospects, "targets": targets, "contacts": contacts, "depth": depth}
    for name, value in (given | {k: v for k, v in asked.items() if v is not None}).items():
        _check(name, value)
    if depth is not None and contacts is not None:
        message = "Both a depth and a budget of contacts came, and a campaign has one size."
        hint = f"Give {option('depth')} for the figures at that depth, or {option('contacts')} for the best within a budget."
        raise UsageError(message, hint)
    if evaluation is None and (targets is None or prospects is None):
        lacking = " and ".join(k for k in ("prospects", "targets") if asked[k] is None)
        message = f"Without an evaluation a campaign is planned by a rule of thumb, which needs {lacking}."
        hint = f"Give {option('prospects')} (how many) and {option('targets')} (their share), or pass an evaluation."
        raise UsageError(message, hint)
    s = None if evaluation is None else _scores(evaluation)
    number = float(s.counts.sum()) if s is not None and prospects is None else float(prospects or 0.0)
    if prospects is None:
        _check("prospects", number)
    most = 1.0 if contacts is None else min(1.0, contacts / number)
    known = None if targets is None else float(targets)
    offer = Offer(number, float(benefit), float(cost), float(fixed), known, most)
    at = None if depth is None else float(depth)
    return _by_rule(offer, at) if evaluation is None or s is None else _by_model(offer, at, evaluation, s)


ALLOWED = {
    "benefit": (Span(0, above=True), "It is what a target brings that is reached, before the cost of the contact."),
    "cost": (Span(0), "It is what one contact costs, whoever answers."),
    "fixed": (Span(0), "It is what the campaign costs however many are contacted."),
    "prospects": (Span(1), f"Give {option('prospects')}, how many people could be contacted."),
    "contacts": (Span(1), "It is the greatest number of contacts that can be paid for."),
    "targets": (INSIDE, "It is the share of targets among the prospects, for example 0.02."),
    "depth": (Span(0, 1, above=True), "It is the share of the prospects to contact, for example 0.1."),
}
"""From where to where each number may lie, in words, and what it is."""


def _check(name: str, value: object) -> None:
    allowed, hint = ALLOWED[name]
    found = taken(f"The {name} of a campaign", value, allowed, hint)
    # A share whose square fades into zero is none.
    share = name in {"targets", "depth"} and 0 < found < SHARE.low
    if why := "too near zero to reckon with" if share else beyond(found):
        message = f"The {name} of a campaign is {found:g}, which is {why}."
        raise UsageError(message, "Express the amounts in another unit.")


def _scores(evaluation: Evaluation) -> Scores:
    s = scores_of(evaluation)
    if s is None:
        message = "A campaign needs scores to rank the prospects by, and this evaluation has none."
        hint = f"Pass {option('score', ...)} to evaluate, or plan without an evaluation by the rule of thumb."
        raise NotAvailable(message, hint)
    targets, others = float(s.all_positives), float(s.all_negatives)
    if not (targets > 0 and others > 0):
        message = f"A campaign needs targets and others to judge the scores by; there are {targets:g} and {others:g}."
        raise NotAvailable(message, "Evaluate rows of both classes; check which level is the positive one.")
    return s


# By the rule, by the model --------------------------------------------------------------------------------------------


def _by_rule(offer: Offer, at: float | None) -> Campaign:
    share = offer.known
    assert share is not None
    depth = offer.square_root(share) if at is None else at
    capture = float(fair_capture(depth, share))
    x = np.unique(np.append(np.linspace(0.0, 1.0, MOST_POINTS - 2) ** 2, [depth, share**2]))
    fine = np.linspace(0.0, 1.0, 100_001) ** 2
    nothing = np.full(len(x), np.nan)
    value = float(offer.profit(share, depth, capture))
    profit = Estimate("profit", value, method="none", note=NO_MODEL)
    return _finished(
        offer,
        share,
        None,
        at,
        basis="rule",
        depth=depth,
        capture=capture,
        threshold=None,
        at_threshold=None,
        tail_lift=0.5,
        profitable_depth=break_even(fine, offer.profit(share, fine, fair_capture(fine, share))),
        profit=profit,
        over_everybody=profit.renamed(value=value - float(offer.profit(share, 1.0, 1.0))),
        optimism=0.0,
        l_quality=None,
        curve=curve_of(offer, share, x, fair_capture(x, share), nothing, (nothing, nothing), profit),
        notes=["The share of targets reached is guessed as the square root of the share of prospects contacted."],
    )


def _by_model(offer: Offer, at: float | None, evaluation: Evaluation, scores: Scores) -> Campaign:
    shares, steps, captures = offer.gains(scores)
    share = float(shares[0])
    earned = offer.profit(share, steps, captures)
    depth = offer.best(steps, earned)[0] if at is None else at
    corners = hull(*cumulative(scores))
    x = points(steps, corners, depth)
    capture, here = np.interp(x, steps, captures), int(np.searchsorted(x, depth))
    right = np.clip(np.searchsorted(steps, x * (1 - 1e-12)), 1, len(steps) - 1)
    cut = np.where(x > 0, thresholds(scores)[right], np.inf)
    i = int(right[here])
    tied = float((depth - steps[i - 1]) / (steps[i] - steps[i - 1]))
    notes = [] if offer.known is None else ["The gains were reweighted to the share of targets that was given."]
    few = scores.units is not None and len(scores.units.ids) < FEWEST
    made = None if few else replicates(scores)
    profit, over, band, finer = spread(offer, made, scores, x, here, evaluation.confidence)
    optimism: float | None = 0.0
    if made is None:
        notes.append(f"There is no interval: the rows belong to fewer than {FEWEST} units.")
    else:
        notes.append("The interval is of the expected profit; chance among the prospects themselves comes on top.")
    if at is not None or offer.cost == 0:
        notes.append("The depth was not chosen on these rows, so there is no optimism to take off.")
    else:
        optimism = None if made is None else optimism_of(offer, made, scores, depth) + finer
        notes.append("The depth was chosen on the same rows that tell its profit, which makes the profit optimistic.")
    return _finished(
        offer,
        share,
        None if offer.known is not None else evaluation["prevalence"],
        at,
        basis="model",
        depth=depth,
        capture=float(capture[here]),
        threshold=float(cut[here]),
        at_threshold=1.0 if tied > 1 - 1e-9 else tied,
        tail_lift=float(divide(*(float(np.diff(v[corners[-2:]])[0]) for v in (captures, steps)))),
        profitable_depth=break_even(steps, earned),
        profit=profit.renamed(bound=cell_bound(offer, scores, share, i, tied)),
        over_everybody=over,
        optimism=optimism,
        l_quality=evaluation["l_quality"],
        curve=curve_of(offer, share, x, capture, cut, band, profit),
        notes=notes,
    )


def _finished(
    offer: Offer, share: float, prevalence: Estimate | None, at: float | None, *, notes: list[str], **found: Any
) -> Campaign:
    """The rest, which needs no scores: the trivial policies, the rule, the verdict."""
    n, depth, capture = offer.prospects, found["depth"], found["capture"]
    most = offer.most if at is None else 1.0

    def by_rule(t: float) -> float:
        p = offer.square_root(t)
        return float(offer.profit(t, p, fair_capture(p, t)))

    everybody = implied(share, prevalence, lambda t: float(offer.profit(t, 1.0, 1.0)))
    if depth >= 1 and found["basis"] == "model":
        # The same policy, so the same interval.
        found["profit"] = everybody
        found["over_everybody"] = everybody.renamed(
            value=0.0, low=None, high=None, method="none", note="the same policy"
        )
    profit, optimism = found["profit"], found["optimism"]
    found["over_everybody"] = _less(found["over_everybody"], optimism)
    fair = offer.square_root(share)
    reached = float(fair_capture(fair, share))
    rule = SquareRootRule(
        fair, n * fair, reached, reached / fair, n * share * reached, implied(share, prevalence, by_rule)
    )
    earned = {"nobody": 0.0, "model": float(profit)}
    if most >= 1:
        earned["everybody"] = float(everybody)
    if offer.cost == 0:
        notes.append("Contacts cost nothing, so as many as possible are worth while.")
    return Campaign(
        chosen="given" if at is not None else "budget" if most < 1 else "best",
        policy=earns_most(earned),
        prospects=n,
        targets=share,
        benefit=offer.benefit,
        cost=offer.cost,
        fixed=offer.fixed,
        budget=n * most if most < 1 else None,
        contacts=n * depth,
        reached=n * share * capture,
        lift=capture / depth,
        lift_needed=float(offer.cost / (offer.benefit * share)),
        break_even_lift=float(offer.lift_needed(share, depth)),
        corrected=_less(profit, optimism),
        everybody=everybody,
        nobody=Estimate("profit", 0.0, method="none", note="nothing is spent and nothing is earned"),
        at_random=implied(share, prevalence, lambda t: float(offer.profit(t, depth, depth))),
        perfect=implied(share, prevalence, lambda t: float(offer.profit(t, min(t, most), min(1.0, most / t)))),
        rule=rule,
        notes=tuple(notes),
        **found,
    )


def _less(estimate: Estimate, optimism: float | None) -> Estimate:
    """Less the optimism; of the interval only the lower end moves, for where gains are lopsided it holds the optimism already."""
    if optimism is None:
        return estimate.renamed(
            value=None, low=None, high=None, method="none", reason=f"fewer than {FEWEST} units to resample"
        )
    assert estimate.value is not None
    if optimism == 0 or estimate.low is None:
        return estimate.renamed(value=estimate.value - optimism)
    return estimate.renamed(
        value=estimate.value - optimism,
        low=estimate.low - optimism,
        method=f"{estimate.method}, lower end less the optimism",
    )
