"""What hostile use once found, one test each, asked as anybody would: a wrong number or a bare error then, told now.

Only public names are used, so that the same file can be run against an older state. Which law or fuzzer finds the whole class
stands in docs/studies/nothing-in-silence.md, and so do those that need a server, a browser or an older library.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import math
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.cli.program import run
from steelyard.errors import SteelyardError

Y = [1, 0] * 30
P = [0.9, 0.2, 0.7, 0.4, 0.3, 0.6] * 10


@pytest.fixture
def e() -> sy.Evaluation:
    return sy.evaluate(target=Y, score=P)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "pp.csv"
    path.write_text("\n".join(["y,p", *(f"{y},{p}" for y, p in zip(Y, P, strict=True)), ""]))
    return path


def refused(*calls: Callable[[], Any], match: str = "") -> None:
    for i, call in enumerate(calls):
        with pytest.raises(SteelyardError, match=match):
            pytest.fail(f"call {i} was answered with {call()}")


def days(n: int = 3000, day: int = 100) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    y = (rng.random(n) < 0.4).astype(int)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n) // day, unit="D")
    return pd.DataFrame(
        {"when": when, "y": y, "p": np.clip(0.25 * y + 0.7 * rng.random(n), 0, 1), "x": rng.normal(size=n)}
    )


def watched(rows: pd.DataFrame, **more: Any) -> Any:
    given = {"time": "when", "target": "y", "score": "p", "window": "day", "reference": "first 10 windows"}
    return sy.monitor(rows, **(given | more))


# A: wrong numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("precision_at_prevalence", {"prevalence": 2}),
        ("lift", {"depth": 10}),
        ("lift", {"depth": -1}),
        ("capture", {"depth": math.nan}),
        ("partial_auc", {"fpr": 10}),
        ("f_beta", {"beta": -1}),
        ("ece", {"bins": 2.5}),
        ("ece", {"bins": -3}),
        ("lift", {"depth": "10%"}),
    ],
)
def test_a3_options_outside_their_range(e: sy.Evaluation, name: str, options: dict[str, Any]) -> None:
    refused(lambda: e.measure(name, **options))


def test_a4_thresholds_that_are_none(e: sy.Evaluation) -> None:
    refused(*(lambda t=t: e.at(t)["recall"] for t in (math.nan, "x", None, [0.25, 0.5])))


def test_a5_a_changed_copy_is_not_told_from_memory(e: sy.Evaluation) -> None:
    before = e["auc"], e["recall"]
    narrow, high = dataclasses.replace(e, confidence=0.5), dataclasses.replace(e, threshold=0.9)
    assert narrow["auc"].high - narrow["auc"].low < before[0].high - before[0].low
    assert high["recall"].value == e.at(0.9)["recall"].value != before[1].value


def test_a7_a_bare_matrix_is_not_guessed_at() -> None:
    counted = sy.evaluate(confusion=[[150, 40], [60, 250]], levels=[1, 0], positive=1)
    with contextlib.suppress(SteelyardError):
        assert float(counted.cost(sy.Cost([[-1, 100], [1, 0]]))) == -150 + 4000 + 60
    refused(lambda: sy.evaluate(confusion=[[6, 3], [2, 9]])["recall"])


# B, C: silence, and bare errors ---------------------------------------------------------------------------------------


def test_b9_weights_of_zero_count_as_nothing() -> None:
    weighed = sy.evaluate(target=Y, score=P, weight=[1, 1, 0] * 20)
    kept = [i for i in range(60) if i % 3 != 2]
    assert weighed["auc"].value == sy.evaluate(target=[Y[i] for i in kept], score=[P[i] for i in kept])["auc"].value


def test_b10_an_exact_curve_is_whole() -> None:
    rng = np.random.default_rng(1)
    e = sy.evaluate(target=rng.integers(0, 2, 3000), score=rng.permutation(3000) / 3000, exact=True)
    assert len(e.curve("roc")) == 3001


def test_b11_a_reason_is_kept_in_a_frame() -> None:
    y = np.arange(40) % 4 // 3
    x = sy.experiment(["baseline"], np.arange(80.0).reshape(40, 2), y, design=sy.KFold(4), progress=False)
    table = pd.DataFrame(x.frame())
    gone = table[table["estimate"].isna() | table["pooled"].isna()]
    assert len(gone) and (gone["reason"].astype(str) + gone["pooled_reason"].astype(str) != "").all()


def test_c1_a_baseline_serves_without_its_features(tmp_path: Path) -> None:
    rows = days()
    watched(rows, features=["x"]).baseline.save(tmp_path / "b.json")
    assert watched(rows.drop(columns="x"), reference=str(tmp_path / "b.json")).windows


def test_c2_columns_of_pandas_as_they_are() -> None:
    words = pd.Series(["no", "yes"] * 20)
    score = [0.2, 0.7] * 20
    for form in (words.values, words.array, pd.Categorical(words), words.astype("category"), words.astype("string")):
        assert sy.evaluate(target=form, score=score, positive="yes")["auc"].value == 1


def test_c3_what_cannot_be_meant_is_a_sentence(e: sy.Evaluation) -> None:
    f = sy.evaluate(target=Y, score=P[::-1])
    assert sum([e, f]).rows == 120
    refused(
        lambda: e + 1,
        lambda: e["recall", [1]],
        lambda: e.chart("scores", bins=10),
        lambda: e.chart("roc", thresholds=[0.5]),
    )
    refused(lambda: sy.evaluate(target=Y, score=P, cost="x"))


def test_c4_the_same_level_is_hinted_at() -> None:
    y = ["no", "yes"] * 20
    told = []
    for call in (
        lambda: sy.evaluate(target=y, score=P[:40]),
        lambda: sy.experiment(["baseline"], pd.DataFrame({"a": range(40)}), y, design=sy.KFold(2), progress=False),
    ):
        with pytest.raises(SteelyardError) as found:
            call()
        told.append(re.findall(r"positive=[\"'](\w+)", str(found.value)))
    assert told[0] == told[1]


def test_c5_an_experiment_of_failures_says_so() -> None:
    class Broken:
        def fit(self, X: Any, y: Any) -> None:
            raise ZeroDivisionError

        def get_params(self, deep: bool = False) -> dict[str, Any]:
            return {}

        def set_params(self, **_: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X))

    X = pd.DataFrame({"a": range(40)})
    refused(lambda: sy.experiment({"broken": Broken()}, X, [0, 1] * 20, design=sy.KFold(2), progress=False))


def test_c6_columns_named_after_their_levels() -> None:
    y = ["a", "b", "c"] * 10
    shares = pd.DataFrame({v: [0.8 if v == u else 0.1 for u in y] for v in "abc"})
    assert sy.evaluate(target=y, score=shares)["accuracy"].value == 1


# D: watching ----------------------------------------------------------------------------------------------------------


def test_d1_whole_numbers_that_are_keys_are_left_out() -> None:
    m = watched(days().assign(id=lambda d: np.arange(len(d))), features="all")
    assert "id" not in m.signals and m.state == "ok"


def test_d2_a_change_knows_when_it_became_known() -> None:
    rows = days(4000).assign(known=lambda d: d["when"] + pd.Timedelta(days=12))
    rows["p"] = rows["p"].where(rows["when"] < "2024-01-16", 1 - rows["p"])
    m = watched(rows, label_time="known")
    fired = next(a for a in m.to_dict()["alarms"] if a["signal"] == "auc" and a["after"] == "firing")
    assert fired["known"] > fired["happened"]


def test_d3_a_baseline_does_not_judge_its_own_rows(tmp_path: Path) -> None:
    rows = days()
    first = watched(rows)
    first.baseline.save(tmp_path / "b.json")
    assert len(watched(rows, reference=str(tmp_path / "b.json")).windows) == len(first.windows)


def test_d4_there_is_a_recipe_for_late_labels() -> None:
    page = (Path(sy.__file__).parents[2] / "docs" / "nightly.md").read_text()
    assert "30 days late" in page and "--label-time" in page and ">> nightly.log 2>&1" not in page


# E: files and hostile input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_e1_a_cut_file_is_not_taken_for_a_whole_one(packed: str, tmp_path: Path) -> None:
    raw = "\n".join(["y,p", *(f"{i % 2},{(i * 7919 % 100003) / 100003:.5f}" for i in range(200_000)), ""]).encode()
    whole = gzip.compress(raw) if packed == "gz" else bytes(pa.Codec("zstd").compress(raw, asbytes=True))
    path = tmp_path / f"a.csv.{packed}"
    path.write_bytes(whole[: 2 * len(whole) // 3])
    refused(lambda: sy.evaluate(path, target="y", score="p"))


def test_e2_segments_keep_their_type() -> None:
    held: list[Any] = [1, "1", None, "(missing)"] * 30
    e = sy.evaluate(target=[1, 1, 1, 1, 0, 0, 0, 0] * 15, score=[0.9] * 120, segment=np.array(held, dtype=object))
    assert sorted(part.rows for part in e.segments.values()) == [30, 30, 30, 30]


def test_e3_small_integers_do_not_wrap_round() -> None:
    e = sy.evaluate(target=Y, score=P, segment=np.array([-100, 100] * 30, np.int8))
    assert {str(k): part.rows for k, part in e.segments.items()} == {"-100": 30, "100": 30}
    assert sy.evaluate(target=np.array([-100, 100] * 30, np.int8), score=P[::-1], positive=100).rows == 60


def test_e4_what_is_loaded_is_checked(tmp_path: Path) -> None:
    sy.evaluate(target=Y, prediction=[1, 0, 0] * 20).save(tmp_path / "e.json")
    content = (tmp_path / "e.json").read_text()
    numbers = re.search(r'"values": ?\[([0-9., ]+)\]', content)
    assert numbers is not None
    first = numbers[1].split(",")
    changed = content.replace(numbers[1], ",".join(["-4", *first[1:]]))
    for name, text in (
        ("a", changed),
        ("b", "[" * 200_000),
        ("c", "9" * 5000),
        ("d", '{"steelyard experiment":1,"cells":[]}'),
    ):
        (tmp_path / f"{name}.json").write_text(text)
        refused(lambda name=name: sy.load(tmp_path / f"{name}.json"))
    refused(lambda: sy.load("a\0b"))


def test_e5_bytes_that_are_no_text_stay_apart() -> None:
    labels = [b"\xff", b"\xfe"] * 30
    e = sy.evaluate(target=Y, score=P, segment=labels)
    assert [part.rows for part in e.segments.values()] == [30, 30]


def test_e6_whole_numbers_above_two_to_the_53_are_not_rounded() -> None:
    score = [2**53 + i % 2 for i in range(60)]
    assert sy.evaluate(target=[i % 2 for i in range(60)], score=score, threshold=0.5)["auc"].value == 1


def test_e7_labels_of_forty_digits_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "\n".join(["y,p,s", *(f"{y},{p},{10**41 + i % 2}" for i, (y, p) in enumerate(zip(Y, P, strict=True))), ""])
    )
    assert len(sy.evaluate(path, target="y", score="p", segment="s").segments) == 2


def test_e8_the_same_day_is_not_added_twice_unasked(csv: Path, e: sy.Evaluation) -> None:
    refused(
        lambda: sy.evaluate(csv, target="y", score="p") + sy.evaluate(pd.read_csv(csv)[::-1], target="y", score="p")
    )


def test_e9_numbers_near_nothing_are_not_told_as_nothing() -> None:
    for tiny in (1e-82, 1e-170):
        rng = np.random.default_rng(2)
        y = tiny * rng.normal(size=50)
        try:
            found = sy.evaluate(target=y, prediction=y + 0.1 * tiny * rng.normal(size=50), kind="continuous")["rmse"]
        except SteelyardError:
            continue
        assert found.value > 0 and found.low < found.value < found.high


def test_e12_a_query_reads_what_was_named(csv: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cr3t")
    asked = f"select y, p, (select content from read_text('{secret}')) as s from data"
    refused(lambda: sy.evaluate(sy.table(csv, query=asked), target="y", score="p", segment="s"))
    assert run(["evaluate", str(csv), "--query", asked, "--target", "y", "--score", "p"]) != 0


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://bob:s3cr3t@127.0.0.1:9/x",
        "file://bob:s3cr3t@h/a.csv",
        "host=h password=s3cr3t dbname=x",
        "data.csv?token=s3cr3t",
    ],
)
def test_e13_no_secret_is_echoed(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    for call in (lambda: sy.load(address), lambda: sy.evaluate([address]), lambda: sy.table(address)):
        with pytest.raises(SteelyardError) as found:
            call()
        assert "s3cr3t" not in str(found.value)
    run(["evaluate", address, "--target", "y", "--score", "p"])
    assert "s3cr3t" not in "".join(capsys.readouterr())


def test_e15_extremes_end_in_a_number_or_a_sentence(e: sy.Evaluation) -> None:
    told = []
    for call in (
        lambda: sy.evaluate(target=Y, score=P, weight=[1e155] * 60, weights="sampling")["auc"],
        lambda: sy.evaluate(target=Y, score=P, weight=[1e300] * 60)["auc"],
        lambda: sy.evaluate(confusion=[[1e308] * 2] * 2, levels=[0, 1], positive=1)["recall"],
        lambda: sy.evaluate(target=Y, score=P, threshold=10**400),
        lambda: sy.evaluate(target=np.ma.masked_array(np.eye(2), np.eye(2)), score=P),
        lambda: sy.evaluate(target=Y, score=P, missing=np.zeros(3)),
        lambda: sy.trial({"arm": ["a", "b"] * 5, "y": [0, 1] * 5}, group="arm", control="a", outcome=None),
        lambda: sy.compare({"a": e, "b": e}, confidence="x"),
    ):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                str(call())
        except SteelyardError as problem:
            told.append(str(problem))
    assert told and "at least one positive" not in "".join(told)


def test_e16_the_culprit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i % 2},{i * 7919 % 10007 / 10007:.4f}" for i in range(40_000)]
    rows[35_000] = "1,abc"
    path.write_text("\n".join(["y,p", *rows, ""]))
    refused(lambda: sy.evaluate(path, target="y", score="p"), match="abc")


# F: the other rooms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [(np.zeros(2000), np.ones(2000)), (np.zeros(2000), np.full(2000, -1e9)), ([0, 1] * 1000, [0, 77] * 1000)],
)
def test_f1_what_was_never_seen_is_a_change(before: Any, after: Any) -> None:
    assert sy.stability(before, after).decision != "ok"


def test_f3_a_decimal_comma_is_one(csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["threshold", str(csv), "--target", "y", "--score", "p", "--maximise", "recall", "--constraint"]
    assert run([*asked, "predicted_positive_rate <= 2,5%"]) != 0 or "flags 24" not in capsys.readouterr().out
    assert run([*asked, "contacts <= 1.2.3"]) in (2, 3)
    e = sy.evaluate(target=Y, score=P)
    refused(lambda: e.best_threshold("recall", constraint="contacts <= 1.2.3"))


def test_f4_what_was_asked_of_a_monitor_is_judged_or_refused(tmp_path: Path) -> None:
    rows = days()
    watched(rows, measures=["recall"]).baseline.save(tmp_path / "b.json")
    given = {"reference": str(tmp_path / "b.json"), "measures": ["recall"]}
    try:
        low = watched(rows, threshold=0.05, **given)
    except SteelyardError:
        return
    assert float(low.windows[-1]["recall"].value) > 0.9


def test_f5_periods_keep_their_order() -> None:
    rng = np.random.default_rng(6)
    when, group = np.repeat(np.arange(20), 120), np.tile(np.repeat(["a", "b"], 60), 20)
    wave = 0.2 + 0.1 * np.sin(np.arange(20) / 3) + 0.02 * rng.normal(size=20).cumsum()
    outcome = (rng.random(2400) < wave[when].clip(0.01, 0.9) + 0.05 * (group == "a")).astype(int)
    given = {"group": group, "control": "b", "outcome": outcome}
    named, numbered = (sy.trial(**given, period=week) for week in ([f"W{i + 1}" for i in when], when + 1))
    one, two = (t.to_dict()["neighbours"]["correlation"] for t in (named, numbered))
    assert math.isclose(one, two)


def test_f7_a_curve_of_learning_can_be_pickled_and_twin_columns_are_told() -> None:
    X = pd.DataFrame({"a": range(40)})
    curve = sy.learning_curve(["baseline"], X, [0, 1] * 20, sizes=[10, 20], repeats=2, progress=False)
    assert str(pickle.loads(pickle.dumps(curve))) == str(curve)
    twins = pd.DataFrame(np.zeros((20, 2)), columns=["x", "x"])
    refused(lambda: sy.stability(twins, twins, column="x"))


def test_f8_a_target_that_cannot_be_read_is_an_alarm() -> None:
    rows = days()
    rows["y"] = rows["y"].where(rows["when"] < "2024-01-20", 7)
    assert watched(rows).state == "alarm"


def test_f9_no_command_writes_over_its_input(csv: Path) -> None:
    before = csv.read_bytes()
    assert run(["evaluate", str(csv), "--target", "y", "--score", "p", "-o", str(csv), "--force"]) != 0
    assert csv.read_bytes() == before


def test_f11_keys_of_two_types_are_told_apart() -> None:
    one = pd.DataFrame({"id": [1, 2, 3, 4], "y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.3, 0.6], "w": [1, 2, 1, 2]})
    given = {"target": "y", "score": {"A": "p", "B": "p"}, "on": "id"}
    with pytest.raises(SteelyardError) as found:
        sy.compare({"A": one, "B": one.assign(id=one["id"].astype(str))}, **given)
    assert "0 values" not in str(found.value)
    assert sy.compare({"A": one, "B": one}, **given, weight="w").difference("accuracy", "A", "B").value == 0


def test_f12_shares_and_constant_arms() -> None:
    frame = {"arm": ["a", "b"] * 30, "y": [7.5, 3.5] * 30}
    given = {"group": "arm", "control": "a", "outcome": "y"}
    refused(lambda: sy.trial(frame, **given, planned={"a": 0.6, "b": 0.5}))
    assert "no clear effect" not in str(sy.trial(frame, **given))


def test_f13_a_window_is_told_as_it_is_cut() -> None:
    (split,) = sy.OutOfTime(list(range(20)), cut=10, window=3).splits(20)
    assert split.train.tolist() == [7, 8, 9] and "(o − window ≤ t < o without a gap)" in str(sy.OutOfTime.__doc__)


@pytest.mark.parametrize(("n", "right"), [(60, 0.95), (300, 0.3)])
def test_f14_many_levels_bring_no_warning(n: int, right: float) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, n)
    p = np.where(rng.random(n) < right, y, rng.integers(0, 30, n))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sy.evaluate(target=[f"l{v}" for v in y], prediction=[f"l{v}" for v in p])["average_class_accuracy_hm"]


def test_a6_a_name_is_taken_once() -> None:
    """The last of all: where it is not so, no other test could trust a name after it."""
    with pytest.raises(SteelyardError):

        @sy.measure(better="higher", range=(0, 1))
        def auc(c: Any) -> float:
            """Ours, not theirs."""
            return 0.5
