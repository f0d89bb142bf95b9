"""The facts that measures say of themselves agree with each other and with their numbers; the catalogue keeps one of a name."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.arguments.allowed import SHARE
from steelyard.errors import UnknownMeasure, UsageError
from steelyard.measures.facts import KNOWN, NEGATIVES, PLACES, POSITIVES, ROWS, facts_of
from steelyard.measures.measure import ROOMS, Measure, catalogue, complement, find, forget, leading
from steelyard.results import Ratio, Share
from steelyard.summaries.confusion import Confusion, Outcomes
from steelyard.summaries.scores import Scores

RNG = np.random.default_rng(20)
N = 400
SCORE = RNG.random(N).round(3)
TARGET = (RNG.random(N) < SCORE).astype(int)
OTHER = np.clip(SCORE + RNG.normal(0, 0.3, N), 0, 1).round(3)


def test_a_fact_or_a_place_that_does_not_exist_is_refused() -> None:
    for odd in ({"tilte": "x"}, {"leads": "nowhere 1"}, {"leads": "card labels"}):
        with pytest.raises(UsageError):
            sy.measure(better="higher", range=(0, 1), **odd)


def test_every_place_has_a_leader_and_ranks_are_not_shared() -> None:
    kinds = ("scores", "classes", "labels", "numbers", "outcomes", "levels", "depth")
    for place in PLACES:
        found = {kind: leading(place, kind) for kind in kinds}
        assert any(found.values()), place
        for kind, names in found.items():
            ranks = [find(n).rank(place, kind) for n in names]
            assert place == "text" or len(set(ranks)) == len(ranks), (place, kind)


@pytest.mark.parametrize("m", [m for m in catalogue().values() if m.counted is not None], ids=lambda m: m.name)
def test_a_share_is_what_its_outcomes_say(m: Measure) -> None:
    assert m.counted is not None
    part, whole = m.counted
    counts = {"tp": 7.0, "fn": 2.0, "fp": 3.0, "tn": 11.0}
    o = Outcomes(**counts)
    table = Confusion.of([[o.tp, o.fn], [o.fp, o.tn]], levels=(1, 0), positive=1)
    wanted = sum(counts[x] for x in part) / sum(counts[x] for x in whole)
    assert float(m(o if Outcomes in m.reads else table).value) == pytest.approx(wanted)
    assert m.cases is not None and m.cases.whole == whole
    other = complement(m)
    assert other is None or float(other(o if Outcomes in other.reads else table).value) == pytest.approx(1 - wanted)


@pytest.mark.parametrize("m", [m for m in catalogue().values() if m.linear_in or m.root_of], ids=lambda m: m.name)
def test_what_follows_from_another_measure_does(m: Measure) -> None:
    e = sy.evaluate(target=TARGET + SCORE, prediction=OTHER, kind="continuous")
    if m.linear_in is not None:
        e = sy.evaluate(target=TARGET, score=SCORE)
        other, factor, constant = m.linear_in
        assert float(e[m.name]) == pytest.approx(factor * float(e[other]) + constant)
    else:
        assert float(e[m.name]) ** 2 == pytest.approx(float(e[m.root_of]))


@pytest.mark.parametrize("m", [m for m in catalogue().values() if m.by_row], ids=lambda m: m.name)
def test_a_mean_over_rows_is_the_mean_of_its_rows(m: Measure) -> None:
    codes, classes = TARGET, np.stack([1 - SCORE, SCORE])
    said = (SCORE >= 0.5).astype(int)
    given = {"labels": (codes, said), "scores": (codes.astype(float), SCORE), "classes": (codes, classes)}
    given["numbers"] = (TARGET + SCORE, OTHER)
    for shape, each in m.by_row.items():
        if shape == "numbers":
            e = sy.evaluate(target=TARGET + SCORE, prediction=OTHER, kind="continuous")
        elif shape == "classes":
            e = sy.evaluate(target=TARGET, score={0: 1 - SCORE, 1: SCORE})
        else:
            e = sy.evaluate(target=TARGET, score=SCORE)
        assert float(np.mean(each(*given[shape]))) == pytest.approx(float(e[m.name]), rel=1e-9)


# The catalogue --------------------------------------------------------------------------------------------------------


@pytest.fixture
def made() -> Iterator[list[str]]:
    """Names to be forgotten again; a measure of the house that was replaced comes back."""
    before = dict(catalogue())
    names: list[str] = []
    yield names
    for name in names:
        forget(name)
    for name, m in before.items():
        if name not in catalogue():
            marks = {
                "better": m.better,
                "range": m.range,
                "aliases": m.aliases,
                "interval": m.interval,
                "replace": True,
            }
            sy.measure(**marks)(m.function)


def add(names: list[str], name: str, **marks: Any) -> Measure:
    def function(s: Scores, *, depth: Annotated[float, SHARE] = 0.1, parts: int = 3, share: float = 0.5) -> Ratio:
        """Nothing but one."""
        return Ratio(1.0, 1.0)

    function.__name__ = name
    names.append(name)
    sy.measure(**{"better": "higher", "range": (0, 1), **marks})(function)
    return find(name)


def test_a_name_is_taken_once(made: list[str]) -> None:
    add(made, "first_of_all", aliases=("uno", "eins"))
    assert find("uno") is find("eins") is find("first_of_all")
    for name, aliases in (("first_of_all", ()), ("uno", ()), ("second", ("eins",)), ("second", ("first_of_all",))):
        with pytest.raises(UsageError, match="is taken"):
            add([], name, aliases=aliases)
    with pytest.raises(UsageError, match='"auc" is taken: it is a measure'):
        add([], "second", aliases=("auc",))
    with pytest.raises(UsageError, match='"roc_auc" is taken: it is another name of "auc"'):
        add([], "second", aliases=("roc_auc",))
    with pytest.raises(UsageError, match="gives one name twice"):
        add([], "second", aliases=("second",))
    assert "second" not in catalogue()


def test_one_takes_the_place_of_another_and_leaves_it_what_it_does_not_want(made: list[str]) -> None:
    add(made, "first_of_all", aliases=("uno", "eins"))
    other = add(made, "second", aliases=("uno",), replace=True)
    assert find("uno") is other and find("eins").name == "first_of_all" and find("first_of_all").aliases == ("eins",)
    again = add(made, "first_of_all", replace=True)
    assert find("first_of_all") is again and again.aliases == ()
    with pytest.raises(UnknownMeasure):
        find("eins")
    forget("second")
    with pytest.raises(UnknownMeasure):
        find("uno")
    forget("never_there")


def test_the_catalogue_is_in_the_order_of_questions(made: list[str]) -> None:
    add(made, "a_first_in_the_alphabet")
    questions = [m.question for m in catalogue().values()]
    assert list(dict.fromkeys(questions[:-1])) == list(ROOMS) and list(catalogue())[-1] == made[0]
    assert questions[:-1] == sorted(questions[:-1], key=ROOMS.index)


def test_what_a_measure_is_called_comes_from_its_name(made: list[str]) -> None:
    m = add(made, "share_of_one")
    assert (m.noun, m.title, m.sentence, m.documentation) == ("share of one", "Share of one", *["Nothing but one."] * 2)
    assert find("auc").documentation.count("\n") > 2 and "\n" not in find("auc").sentence
    assert pickle.loads(pickle.dumps(m)) is m


def test_options_are_what_they_may_be(made: list[str]) -> None:
    m = add(made, "with_options")
    assert m.with_defaults({}) == {"depth": 0.1, "parts": 3, "share": 0.5}
    assert m.with_defaults({"depth": 0.2, "parts": 4})["parts"] == 4
    for odd in ({"depth": 1.5}, {"depth": "x"}, {"parts": 2.5}, {"share": "half"}):
        with pytest.raises(UsageError, match=f'The option "{next(iter(odd))}" of with_options must be'):
            m.with_defaults(odd)
    with pytest.raises(UnknownMeasure, match='has no option "dept"; its options: depth, parts, share'):
        m.with_defaults({"dept": 0.1})
    with pytest.raises(UnknownMeasure, match="its options: none"):
        find("auc").with_defaults({"k": 1})
    with pytest.raises(UnknownMeasure, match="by its name, and 7 came"):
        find(7)
    assert "share_of_two" not in catalogue()


@pytest.mark.parametrize(
    "odd",
    [{"better": "up"}, {"better": 1}, {"range": (1, 0)}, {"range": (1, 1)}, {"range": 3}, {"range": (0, 1, 2)}],
)  # fmt: skip
def test_a_direction_and_a_range_are_needed(odd: Any, made: list[str]) -> None:
    with pytest.raises(UsageError):
        add(made, "odd_one", **odd)
    assert "odd_one" not in catalogue()


def test_places_and_ranks_are_read_as_they_are_written() -> None:
    facts = facts_of({"leads": "text, comparison 3, card labels 1 classes 2.5"})
    assert facts.leads == {"text": 1.0, "comparison": 3.0, "card": {"labels": 1.0, "classes": 2.5}}
    assert (facts.rank("text"), facts.rank("text", "labels"), facts.rank("forest")) == (1.0, 1.0, None)
    assert (facts.rank("card", "classes"), facts.rank("card")) == (2.5, None)
    assert facts_of({}).leads == {}
    for odd in ("card labels", "card labels 1 classes", "text one"):
        with pytest.raises(UsageError, match="does not say where a measure leads"):
            facts_of({"leads": odd})


def test_leaders_stand_in_the_order_of_their_ranks() -> None:
    for place in PLACES:
        for kind in ("", "scores", "classes", "labels", "numbers", "outcomes"):
            ranked = {n: r for n, m in catalogue().items() if (r := m.rank(place, kind)) is not None}
            assert leading(place, kind) == sorted(ranked, key=lambda n: ranked[n])


# What follows from the facts ------------------------------------------------------------------------------------------


def outcomes(*right: str) -> Confusion:
    counts = {name: float(name in right) * 3 for name in ("tp", "fn", "fp", "tn")}
    return Confusion.of([[counts["tp"], counts["fn"]], [counts["fp"], counts["tn"]]], levels=(1, 0), positive=1)


def test_what_a_share_counts_and_of_which_cases() -> None:
    known = {
        "accuracy": ("tp tn", "tp fn fp tn"), "error_rate": ("fn fp", "tp fn fp tn"), "recall": ("tp", "tp fn"),
        "specificity": ("tn", "fp tn"), "fpr": ("fp", "fp tn"), "fnr": ("fn", "tp fn"), "precision": ("tp", "tp fp"),
        "npv": ("tn", "fn tn"), "jaccard": ("tp", "tp fn fp"), "prevalence": ("tp fn", "tp fn fp tn"),
        "predicted_positive_rate": ("tp fp", "tp fn fp tn"),
    }  # fmt: skip
    found = {name: m.counted for name, m in catalogue().items() if m.counted is not None}
    assert found == {name: (frozenset(a.split()), frozenset(b.split())) for name, (a, b) in known.items()}
    for name, (_, whole) in known.items():
        cases = find(name).cases
        assert cases in KNOWN and cases is not None and cases.whole == frozenset(whole.split())


def test_which_rows_count_and_whose_they_are() -> None:
    assert [name for name in catalogue() if find(name).same_rows] == [
        "accuracy", "error_rate", "recall", "specificity", "fpr", "fnr", "predicted_positive_rate", "top_k_accuracy",
    ]  # fmt: skip
    assert {name: m.hits for name, m in catalogue().items() if m.hits is not None} == {
        "accuracy": 1.0,
        "error_rate": 0.0,
    }
    assert {name: m.area for name, m in catalogue().items() if m.area} == {
        "auc": (1.0, 0.0), "gini": (2.0, -1.0), "l_quality": (2.0, -1.0),
    }  # fmt: skip
    expected = {
        "f1": POSITIVES,
        "fpr": NEGATIVES,
        "top_k_accuracy": ROWS,
        "mae": ROWS,
        "auc": None,
        "kappa": None,
        "mcc": None,
    }
    assert {name: find(name).cases for name in expected} == expected
    assert [find(name).of_labels for name in ("recall", "kappa", "auc", "mae")] == [True, True, False, False]


def test_a_share_and_the_rest_of_its_rows() -> None:
    pairs = {name: other.name for name, m in catalogue().items() if (other := complement(m)) is not None}
    assert pairs == {
        "accuracy": "error_rate", "error_rate": "accuracy", "recall": "fnr", "fnr": "recall", "specificity": "fpr",
        "fpr": "specificity",
    }  # fmt: skip


def test_a_share_that_cannot_be_read_of_one_row_is_none(made: list[str]) -> None:
    def odd_share(o: Outcomes) -> Share:
        """Twice the hits, of all."""
        return Share(2 * o.tp, 2 * o.total)

    def failing_share(o: Outcomes) -> Share:
        """No number at all."""
        raise ValueError

    for function in (odd_share, failing_share):
        made.append(function.__name__)
        sy.measure(better="higher", range=(0, 1))(function)
        assert find(function.__name__).counted is None


def test_only_a_share_of_whole_tables_says_what_a_right_row_counts(made: list[str]) -> None:
    def share_of_right(o: Outcomes) -> Share:
        """Accuracy of one level against the rest."""
        return Share(o.tp + o.tn, o.total)

    made.append("share_of_right")
    sy.measure(better="higher", range=(0, 1))(share_of_right)
    m = find("share_of_right")
    assert m.counted == find("accuracy").counted and m.hits is None
