"""Skill of probabilities: as scikit-learn has it, zero for who knows the share of positives alone, undefined with one class."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

NAMES = ("brier_skill", "log_loss_skill")


def drawn(n, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n) * 1.2 + shift
    return (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int), 1 / (1 + np.exp(-1.3 * z))


@pytest.mark.parametrize("weighted", [False, True])
def test_as_scikit_learn_has_them(weighted):
    from sklearn.metrics import d2_log_loss_score

    y, p = drawn(300)
    w = np.random.default_rng(1).integers(1, 4, 300) if weighted else None
    given = {} if w is None else {"weight": w, "weights": "frequency"}
    e = sy.evaluate(target=y, score=p, **given)
    assert e["log_loss_skill"] == pytest.approx(d2_log_loss_score(y, p, sample_weight=w), rel=1e-9)
    share = np.average(y, weights=w)
    assert e["d2_brier_score"] == pytest.approx(1 - float(e["brier"]) / (share * (1 - share)), rel=1e-12)


def test_who_knows_the_share_alone_has_none():
    e = sy.evaluate(target=[1, 0, 0, 0] * 10, score=[0.25] * 40)
    assert [float(e[name]) for name in NAMES] == pytest.approx([0.0, 0.0], abs=1e-12)
    perfect = sy.evaluate(target=[1, 0] * 10, score=[1.0, 0.0] * 10)
    assert [float(perfect[name]) for name in NAMES] == [1.0, 1.0]


def test_undefined_is_said():
    one = sy.evaluate(target=[1, 1, 1], score=[0.5, 0.6, 0.7], levels=[0, 1], positive=1)
    assert all("at least one positive and one negative" in one[name].reason for name in NAMES)
    scores = sy.evaluate(target=[1, 0, 1], score=[5.0, 6.0, 7.0])
    assert all("not probabilities" in scores[name].reason for name in NAMES)
    sure = sy.evaluate(target=[1, 0, 1], score=[0.0, 0.6, 0.7])
    assert "infinite" in sure["log_loss_skill"].reason and sure["brier_skill"].defined


@pytest.mark.parametrize("shift", [0.0, -2.0])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_cover(name, shift):
    y, p = drawn(400_000, shift=shift)
    truth = float(sy.evaluate(target=y, score=p)[name])
    found = [sy.evaluate(target=y[s], score=p[s])[name] for s in (slice(i, i + 300) for i in range(0, 60_000, 300))]
    assert sum(x.low <= truth <= x.high for x in found) >= 180
