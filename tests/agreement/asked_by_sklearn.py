"""A plugin of pytest for scikit-learn's own tests of metrics: every call of theirs is put to steelyard as well.

A call that scikit-learn answers is answered here, too, and both numbers are held together; or it is noted as missing with the
reason. What their tests get is always scikit-learn's own answer.

    python -m pytest --pyargs sklearn.metrics.tests.test_regression -p tests.agreement.asked_by_sklearn
"""

import functools
import json
import os
import warnings
from collections import Counter

import numpy as np
import sklearn.metrics

import steelyard as sy

ANSWERED, UNDEFINED, MISSING = Counter(), Counter(), Counter()
UNLIKE = []


class Missing(Exception):
    """Something that was asked for and is not here."""


# How a call is put to steelyard ---------------------------------------------------------------------------------------


def column(values, what):
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise Missing(f"{what} of several columns")
    return found.tolist()


def weighted(sample_weight):
    return {} if sample_weight is None else {"weight": np.asarray(sample_weight, dtype=float).ravel().tolist()}


def labels_of(y_true, y_pred, sample_weight=None, labels=None, positive=None):
    """An evaluation of labels, in the order of theirs."""
    truth, said = column(y_true, "labels"), column(y_pred, "labels")
    seen = {*truth, *said}
    if labels is not None and not seen <= set(np.asarray(labels).tolist()):
        raise Missing("labels= that leave some out")
    order = np.unique([*truth, *said]).tolist() if labels is None else np.asarray(labels).tolist()
    order = order if len(order) > 1 else [*order, f"not {order[0]}" if isinstance(order[0], str) else -99]
    chosen = positive if positive is not None and positive in order else order[-1]
    more = {"positive": chosen} if len(order) == 2 else {}
    return sy.evaluate(
        target=truth, prediction=said, levels=order, kind="labels", **more, **weighted(sample_weight)
    ), order


def numbers_of(y_true, y_pred, sample_weight=None):
    truth, said = column(y_true, "numbers"), column(y_pred, "numbers")
    return sy.evaluate(
        target=np.asarray(truth, float),
        prediction=np.asarray(said, float),
        kind="continuous",
        **weighted(sample_weight),
    )


def scores_of(y_true, y_score, sample_weight=None, pos_label=None):
    truth, scores = column(y_true, "scores"), np.asarray(y_score)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    if scores.ndim != 1:
        raise Missing("scores of several columns")
    levels = np.unique(truth).tolist()
    if len(levels) != 2:
        raise Missing(f"scores for {len(levels)} levels")
    return sy.evaluate(
        target=truth, score=scores, positive=levels[-1] if pos_label is None else pos_label, **weighted(sample_weight)
    )


def plain(measure, of, **options):
    def answer(y_true, y_pred, *, sample_weight=None, **given):
        unknown = {k: v for k, v in given.items() if not (k in {"multioutput"} or v is None)}
        if unknown:
            raise Missing(f"{', '.join(sorted(unknown))}=")
        return of(y_true, y_pred, sample_weight).measure(measure, **options)

    return answer


def by_level(measure):
    def answer(
        y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn", **given
    ):
        if average == "samples":
            raise Missing("multilabel")
        e, order = labels_of(y_true, y_pred, sample_weight, labels, pos_label)
        if average == "binary":
            return e.measure(measure, pos_label, **given)
        if average is None:
            return [e.measure(measure, level, **given) for level in order]
        if (len(order) == 2 and average in {"macro", "micro", "weighted"}) or len(order) > 2:
            return e.measure(measure, average, **given)
        raise Missing(f"average={average}")

    return answer


def accuracy(y_true, y_pred, *, normalize=True, sample_weight=None):
    if not normalize:
        raise Missing("normalize=False")
    return labels_of(y_true, y_pred, sample_weight)[0].measure("accuracy")


def kappa(y1, y2, *, labels=None, weights=None, sample_weight=None, **given):
    e, _ = labels_of(y1, y2, sample_weight, labels)
    return e.measure("kappa" if weights is None else f"kappa_{weights}")


def matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    if normalize is not None:
        raise Missing("a normalised matrix")
    if sample_weight is not None and float(np.sum(np.asarray(sample_weight, dtype=float))) > 2**62:
        raise Missing("weights that overflow there")
    e, order = labels_of(y_true, y_pred, sample_weight, labels)
    found = e.confusion
    seen = order if labels is not None else np.unique([*column(y_true, ""), *column(y_pred, "")])
    place = [found.levels.index(level) for level in order]
    return np.asarray(found.counts)[np.ix_(place, place)][: len(seen), : len(seen)]


def auc(y_true, y_score, *, average="macro", sample_weight=None, max_fpr=None, multi_class="raise", labels=None):
    if max_fpr not in (None, 1, 1.0):
        raise Missing("max_fpr= (McClish)")
    if np.asarray(y_score).ndim == 2 and np.asarray(y_score).shape[1] > 2:
        raise Missing(f"roc_auc of several classes, {multi_class}")
    return scores_of(y_true, y_score, sample_weight).measure("auc")


def precision_average(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    return scores_of(y_true, y_score, sample_weight, pos_label).measure("average_precision")


def top_k(y_true, y_score, *, k=2, normalize=True, sample_weight=None, labels=None):
    _refuse(not normalize, "normalize=False")
    truth, scores = column(y_true, "labels"), np.asarray(y_score)
    _refuse(scores.ndim != 2, "top_k_accuracy of one column")
    levels = np.unique(truth).tolist() if labels is None else np.asarray(labels).tolist()
    e = sy.evaluate(
        target=truth,
        score={level: scores[:, i] for i, level in enumerate(levels)},
        levels=levels,
        **weighted(sample_weight),
    )
    return e.measure("top_k_accuracy", k=k)


def losses(y_true, y_pred, *, normalize=True, sample_weight=None, labels=None):
    _refuse(not normalize, "normalize=False")
    _refuse(labels is not None, "labels=")
    scores = np.asarray(y_pred)
    _refuse(scores.ndim == 2 and scores.shape[1] > 2, "log_loss of several classes")
    return scores_of(y_true, scores, sample_weight).measure("log_loss")


def brier(y_true, y_proba=None, *, sample_weight=None, pos_label=None, labels=None, scale_by_half="auto"):
    _refuse(scale_by_half is False, "scale_by_half=False")
    return scores_of(y_true, y_proba, sample_weight, pos_label).measure("brier")


def deviance(y_true, y_pred, *, sample_weight=None, power=0):
    names = {0: "mse", 1: "poisson_deviance", 2: "gamma_deviance"}
    if power in names:
        return numbers_of(y_true, y_pred, sample_weight).measure(names[power])
    if power != 1.5:
        raise Missing("tweedie deviance of another power than 0, 1, 1.5, 2")
    return numbers_of(y_true, y_pred, sample_weight).measure("tweedie_deviance", power=1.5)


def pinball(y_true, y_pred, *, sample_weight=None, alpha=0.5, multioutput="uniform_average"):
    return numbers_of(y_true, y_pred, sample_weight).measure("pinball", quantile=alpha)


def r2(y_true, y_pred, *, sample_weight=None, multioutput=None, force_finite=True):
    return numbers_of(y_true, y_pred, sample_weight).measure("r2")


WAYS = {
    "accuracy_score": accuracy,
    "balanced_accuracy_score": lambda t, p, *, sample_weight=None, adjusted=False: (
        _refuse(adjusted, "adjusted=True") or labels_of(t, p, sample_weight)[0].measure("average_class_accuracy")
    ),
    "recall_score": by_level("recall"),
    "precision_score": by_level("precision"),
    "f1_score": by_level("f1"),
    "fbeta_score": lambda t, p, *, beta, **given: by_level("f_beta")(t, p, beta=beta, **given),
    "jaccard_score": by_level("jaccard"),
    "matthews_corrcoef": lambda t, p, *, sample_weight=None: labels_of(t, p, sample_weight)[0].measure("mcc"),
    "cohen_kappa_score": kappa,
    "confusion_matrix": matrix,
    "zero_one_loss": lambda t, p, *, normalize=True, sample_weight=None: (
        _refuse(not normalize, "normalize=False") or labels_of(t, p, sample_weight)[0].measure("error_rate")
    ),
    "roc_auc_score": auc,
    "average_precision_score": precision_average,
    "brier_score_loss": brier,
    "log_loss": losses,
    "top_k_accuracy_score": top_k,
    "mean_squared_error": plain("mse", numbers_of),
    "root_mean_squared_error": plain("rmse", numbers_of),
    "mean_absolute_error": plain("mae", numbers_of),
    "median_absolute_error": plain("median_ae", numbers_of),
    "max_error": plain("max_error", numbers_of),
    "mean_absolute_percentage_error": plain("mape", numbers_of),
    "explained_variance_score": lambda t, p, *, sample_weight=None, multioutput=None, force_finite=True: numbers_of(
        t, p, sample_weight
    ).measure("explained_variance"),
    "r2_score": r2,
    "mean_pinball_loss": pinball,
    "mean_tweedie_deviance": deviance,
    "mean_poisson_deviance": lambda t, p, *, sample_weight=None: deviance(t, p, sample_weight=sample_weight, power=1),
    "mean_gamma_deviance": lambda t, p, *, sample_weight=None: deviance(t, p, sample_weight=sample_weight, power=2),
}
"""What each function of scikit-learn is here."""


def _refuse(condition, reason):
    if condition:
        raise Missing(reason)


# Both answers ---------------------------------------------------------------------------------------------------------


def note(name, theirs, given, places):
    ours = WAYS.get(name)
    try:
        if ours is None:
            raise Missing("not here")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ours(*places, **given)
    except Missing as reason:
        MISSING[f"{name}: {reason}"] += 1
        return
    except sy.errors.SteelyardError as refused:
        MISSING[f"{name}: refused, {type(refused).__name__}"] += 1
        return
    except (TypeError, ValueError) as problem:
        UNLIKE.append(f"{name}: {type(problem).__name__} {problem}")
        return
    mine, other = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (found, theirs))
    if np.isnan(mine).any():
        # Where we say why there is no number, theirs is 0, 1 or NaN, by zero_division and force_finite.
        UNDEFINED[name] += 1
    elif mine.shape == other.shape and np.allclose(mine, other, rtol=1e-9, atol=1e-12):
        ANSWERED[name] += 1
    else:
        UNLIKE.append(f"{name}{tuple(map(str, given.items()))}: {mine} here, {other} there; {str(places)[:300]}")


def watched(name, function):
    @functools.wraps(function)
    def both(*places, **given):
        theirs = function(*places, **given)
        note(name, theirs, dict(given), places)
        return theirs

    return both


NAMES = [
    n
    for n in dir(sklearn.metrics)
    if n.endswith(("_score", "_loss", "_error", "_deviance", "_corrcoef", "_matrix", "_curve"))
]


def pytest_collection_modifyitems(session, config, items):
    """Put both in the place of theirs in every module of tests."""
    kept = {name: watched(name, getattr(sklearn.metrics, name)) for name in NAMES}
    for module in {item.module for item in items if hasattr(item, "module")}:
        for name, both in kept.items():
            if getattr(module, name, None) is getattr(sklearn.metrics, name):
                setattr(module, name, both)


def pytest_sessionfinish(session):
    """Write what was seen."""
    told = {"answered": ANSWERED, "undefined": UNDEFINED, "missing": MISSING, "unlike": UNLIKE}
    with open(os.environ["STEELYARD_ASKED"], "w", encoding="utf-8") as file:
        json.dump(told, file)
